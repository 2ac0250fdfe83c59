# SPDX-License-Identifier: Apache-2.0
"""Variables: arrays whose gradient `attach_grad` and `mark_variables` ask for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridize.array.buffer import content_of
from hybridize.array.device import OTHERS
from hybridize.array.ndarray import history, ndarray
from hybridize.array.symbol import Symbol
from hybridize.array.traced import Traced, Variable
from hybridize.base.advice import warn
from hybridize.base.errors import ArgumentError, StateError, ValueArgumentError
from hybridize.base.tracebacks import leaves

REQS = ("write", "add", "null")


@leaves
def attach_grad(x: Any, grad_req: str = "write", stype: Any = None) -> None:
    """Ask for the gradient of the array: `x.grad` has what the last backward pass computed.

    An array that was computed while recording stays part of what was recorded.

    Args:
        x: an array. The gradient has its dtype: of integers and bools, as in MXNet, what a rule gives is cast to it.
        grad_req: `write`, `add` (passes add to what is there), or `null` (no gradient).
        stype: storage type of the gradient; another one than `default` is made dense, with a warning.

    Raises:
        ValueArgumentError E321, E322, E385: there is no such storage type; an unknown `grad_req`; no array.
        StateError E545: while a function is being compiled.

    >>> x = np.array([1, 2])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = (x * x).sum()
    >>> y.backward()
    >>> x.grad
    array([2., 4.])
    """
    if stype not in (None, "default", "csr", "row_sparse"):
        raise ValueArgumentError("E321", f"the storage type must be default, csr or row_sparse, got {stype!r}")
    if stype not in (None, "default"):
        warn(f"the gradient is dense, not {stype}: it has all rows")
    if grad_req not in REQS:
        raise ValueArgumentError(
            "E322",
            f"grad_req must be write, add or null, got {grad_req!r}",
            help="write replaces the gradient at each backward pass, add adds to it, null keeps none",
        )
    if type(x) is Symbol:
        raise StateError(
            "E545",
            "attach_grad inside of a compiled function",
            help="return the array and compute its gradient with autograd.grad, or use hybridize.grad of a function "
            "inside",
        )
    if not isinstance(x, ndarray):
        raise ArgumentError("E385", f"only arrays have gradients, got {type(x).__name__}", help="use np.array(x)")
    if grad_req == "null":
        drop_grad(x)
        return
    mark(x, Variable(x.type, grad_req))


def mark(x: ndarray, variable: Variable) -> None:
    """Make the gradient of an array go to `variable`."""
    if OTHERS:
        variable.device = x.device
    traced = history(x)
    if traced is not None and type(traced.edge) is tuple and not traced.edge[0].freed:
        node, number = traced.edge
        node.retained = {**(node.retained or {}), number: variable}
        traced.variable = variable
        return
    storage = x.storage
    data: Any = content_of(x)
    x._traced = traced = Traced(data, variable, storage, storage.version)
    traced.variable = variable


def drop_grad(x: ndarray) -> None:
    """Stop asking for the gradient of the array.

    >>> x = np.array([1, 2])
    >>> x.attach_grad()
    >>> x.drop_grad()
    >>> x.grad is None
    True
    """
    traced = history(x)
    if traced is None or traced.variable is None:
        return
    if traced.edge is traced.variable:
        x._traced = None
        return
    node, number = traced.edge
    if node.retained is not None:
        node.retained.pop(number, None)
    traced.variable = None


def mark_variables(variables: Any, gradients: Any, grad_reqs: Any = "write") -> None:
    """Make arrays variables, and choose the arrays that their gradients are written to.

    Args:
        variables: an array or a list of them.
        gradients: for each an array of its shape and dtype.
        grad_reqs: `write`, `add` or `null`, for all or for each.

    Raises:
        ValueArgumentError E322, E386, E387: an unknown `grad_req`; numbers, shapes or dtypes that do not fit.

    >>> from hybridize import autograd, np
    >>> x, gradient = np.array([3.0]), np.zeros(1)
    >>> autograd.mark_variables([x], [gradient])
    >>> with autograd.record():
    ...     y = x * x
    >>> y.backward()
    >>> gradient
    array([6.])
    """
    xs: Sequence[Any] = variables if isinstance(variables, (list, tuple)) else [variables]
    buffers: Sequence[Any] = gradients if isinstance(gradients, (list, tuple)) else [gradients]
    reqs: Sequence[str] = [grad_reqs] * len(xs) if isinstance(grad_reqs, str) else list(grad_reqs)
    if not len(xs) == len(buffers) == len(reqs):
        raise ArgumentError(
            "E386",
            f"mark_variables of {len(xs)} variables, {len(buffers)} gradients and {len(reqs)} grad_reqs",
            help="give one gradient for each variable; one grad_req may serve for all",
        )
    for x, buffer in zip(xs, buffers, strict=True):
        if isinstance(x, ndarray) and (not isinstance(buffer, ndarray) or buffer.type != x.type):
            spec = buffer.type if isinstance(buffer, ndarray) else type(buffer).__name__
            raise ArgumentError("E387", f"the gradient of {x.type} is {spec}", help="shape and dtype must be equal")
    for x, buffer, req in zip(xs, buffers, reqs, strict=True):
        attach_grad(x, req)
        traced = history(x)
        if traced is not None and traced.variable is not None:
            traced.variable.grad = buffer
