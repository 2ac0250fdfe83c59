# SPDX-License-Identifier: Apache-2.0
"""Parts of the inside of MXNet's Gluon that libraries borrow, by the paths that `hybridize.paths` lists."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from hybridize import symbol
from hybridize.array.ndarray import ndarray
from hybridize.base.errors import ValueArgumentError

tensor_types = (symbol.Symbol, ndarray)


def flattened(args: Any, inout_str: str) -> tuple[list[Any], Any]:
    """Return the arrays of nested lists, and how they are nested: 0 an array, -1 None, n a symbol of n results.

    Args:
        args: an array, a symbol, None, or a list or tuple of such.
        inout_str: what they are, for the error.

    Raises:
        ValueArgumentError E345: there is something else among them.
    """
    if isinstance(args, symbol.Expression):
        count = args.outputs
        return [args], count if count > 1 else 0
    if args is None or isinstance(args, tensor_types):
        return [args], 0 if args is not None else -1
    if not isinstance(args, (list, tuple)):
        what = f"the {inout_str} of a block must be arrays or symbols in lists, got {type(args).__name__}"
        raise ValueArgumentError("E345", what)
    parts = [flattened(one, inout_str) for one in args]
    return [leaf for leaves, _ in parts for leaf in leaves], [form for _, form in parts]


def regrouped(args: Sequence[Any], fmt: Any) -> Any:
    """Return arrays nested as `flattened` has found them.

    Args:
        args: the arrays; those beyond the form are left out.
        fmt: the form.

    Raises:
        ValueArgumentError E345: there are too few, or an array stands where None stood.
    """
    return _regrouped(list(args), fmt)[0]


def _regrouped(args: list[Any], form: Any) -> tuple[Any, list[Any]]:
    if isinstance(form, (list, tuple)):
        parts = []
        for one in form:
            part, args = _regrouped(args, one)
            parts.append(part)
        return parts, args
    count = form if form > 0 else 1
    if len(args) < count:
        raise ValueArgumentError("E345", f"{count} arrays are to be nested, got {len(args)}")
    if form == -1 and args[0] is not None:
        raise ValueArgumentError("E345", f"an array stands where there was None, got {type(args[0]).__name__}")
    return args[:count] if form > 0 else args[0], args[count:]


def in_context(data: Any, ctx: Any) -> Any:
    """Return the arrays of nested lists on a device; what is no array stays as it is."""
    if isinstance(data, ndarray):
        return data.as_in_context(ctx)
    return [in_context(one, ctx) for one in data] if isinstance(data, (list, tuple)) else data


def repository() -> str:
    """Return the address of MXNet's models and data sets, which MXNET_GLUON_REPO may name; nothing is fetched."""
    url = os.environ.get("MXNET_GLUON_REPO", "https://apache-mxnet.s3-accelerate.dualstack.amazonaws.com/")
    return url if url.endswith("/") else f"{url}/"


def repository_file(namespace: str, filename: str) -> str:
    """Return the address of a file there."""
    return f"{repository()}{namespace}/{filename}"
