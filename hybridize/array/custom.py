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
    """Call an operation that `operator.register` has registered.

    Args:
        inputs: its arguments, and its auxiliary states behind them; also by their names.
        op_type: the name by which it was registered.
        kwargs: arguments of the constructor of its `CustomOpProp`.

    Raises:
        ArgumentError E3007: there is no such operation, or it takes other arguments.

    >>> from hybridize import operator
    >>> class Twice(operator.CustomOp):
    ...     def forward(self, is_train, req, in_data, out_data, aux):
    ...         self.assign(out_data[0], req[0], in_data[0] * 2)
    >>> @operator.register("docs_twice")
    ... class TwiceProp(operator.CustomOpProp):
    ...     def create_operator(self, ctx, shapes, dtypes):
    ...         return Twice()
    >>> npx.custom(np.array([1, 2]), op_type="docs_twice")
    array([2., 4.])
    """
    return CUSTOM.value(*inputs, op_type=op_type, **kwargs)
