# SPDX-License-Identifier: Apache-2.0
"""Kinds of arguments: what calls of one program have in common, but for sizes; and a tensor of a kind."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import torch

from hybridize.base.errors import ArgumentError, GraphError
from hybridize.base.types import TensorType
from hybridize.formats import sampling
from hybridize.graph import Graph, Value
from hybridize.torch.memory import as_tensor


def kind_of(leaf: Any) -> Hashable:
    """Return what calls of one program have in common, but for sizes.

    Raises:
        ArgumentError E311: no program takes such an argument.
    """
    if isinstance(leaf, torch.Tensor):
        return leaf.dtype, leaf.ndim
    if isinstance(leaf, (bool, int, float, str)):
        return type(leaf), leaf
    raise ArgumentError(
        "E311",
        f"an argument of class {type(leaf).__name__} cannot be part of a program",
        help="pass tensors, numbers, strings, None, or tuples, lists and dicts of them",
    )


def example(spec: str) -> torch.Tensor:
    """A tensor of a type such as `f32[2,3]`: standard normal numbers, or zeros and ones.

    Raises:
        ArgumentError E347: the text is no type.
    """
    try:
        kind = TensorType.parse(spec)
    except GraphError as error:
        raise ArgumentError("E347", f"compile: {error.what}", help=error.help) from None
    (array,) = next(sampling.candidates(Graph((Value(kind),), (), ()), 1))
    return as_tensor(array)
