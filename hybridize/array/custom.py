# SPDX-License-Identifier: Apache-2.0
"""`npx.custom` by name; what calls operations of the user's own is filled in from above."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridize.base.errors import ArgumentError
from hybridize.base.hooks import Hook


def _none(*data: Any, op_type: str, **kwargs: Any) -> Any:
    text = f"no custom operation is called {op_type!r}"
    raise ArgumentError("E3007", text, help="register an operator with @hybridize.operator.register(name)")


CUSTOM: Hook[Callable[..., Any]] = Hook(_none)
"""The function that knows the registered operations; nobody has registered one before it is there."""


def custom(*inputs: Any, op_type: str, **kwargs: Any) -> Any:
    """Call an operation that `operator.register` made known.

    Args:
        inputs: its arguments, and its auxiliary states behind them; also by their names.
        op_type: the name by which it was registered.
        kwargs: arguments of the constructor of its `CustomOpProp`.

    Raises:
        ArgumentError E3007: there is no such operation, or it takes other arguments.
    """
    return CUSTOM.value(*inputs, op_type=op_type, **kwargs)
