# SPDX-License-Identifier: Apache-2.0
"""Control flow over data, and effects that happen when a program runs: cond, while_loop, foreach, print, assert_.

Imperatively they are plain Python. While capturing the interpreter records the bodies as sub-graphs; bodies may use
arrays from around them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridize import ops
from hybridize.array.device import AWAY
from hybridize.array.functions.bounds import require
from hybridize.array.functions.creation import full, zeros_like
from hybridize.array.functions.shapes import concatenate, stack
from hybridize.array.nd_array import IN_USE, plain
from hybridize.array.operands import array, from_list, operand, public, result
from hybridize.array.staging import staging
from hybridize.base.access import ACCESS
from hybridize.base.dtypes import bool_, int64
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.base.loading import load_module
from hybridize.base.modes import PROCESS, mode
from hybridize.base.nested import listed
from hybridize.ops.op import ACTIVE, bind, taped


def _of_np(function: Any) -> Any:
    """A function of the user's whose results are arrays of `np`, as what the loop carries; all else as it is."""
    if not IN_USE or not callable(function):
        return function
    return lambda *args: plain(staging().convert(function)(*args))


@public
def cond(
    pred: Any, then_func: Callable[..., Any], else_func: Callable[..., Any], inputs: Any = None, name: str = "cond"
) -> Any:
    """Compute `then_func` if `pred` is true, and otherwise `else_func`; only one of them runs.

    Args:
        pred: an array of one element, or a function of `inputs` that gives one.
        then_func: a function of `inputs` (of nothing when None).
        else_func: the same; both give the same structure, shapes and dtypes.
        inputs: an array or a list of arrays.
        name: accepted for MXNet.

    >>> npx.cond(np.array(3.0) > 2, lambda: np.array(1.0), lambda: np.array(2.0))
    array(1.)
    """
    pred, then_func, else_func = _of_np(pred), _of_np(then_func), _of_np(else_func)
    args = () if inputs is None else tuple(inputs) if isinstance(inputs, (list, tuple)) else (inputs,)
    chosen = pred(*args) if callable(pred) else pred
    if ACTIVE:
        recorded = staging().form("cond", chosen, lambda: then_func(*args), lambda: else_func(*args))
        if recorded is not NotImplemented:
            return recorded
    return then_func(*args) if bool(chosen) else else_func(*args)


@public
def while_loop(
    cond: Callable[..., Any],
    func: Callable[..., Any],
    loop_vars: Any,
    max_iterations: int | None = None,
    name: str = "while_loop",
) -> Any:
    """Run `func` while `cond` is true, at most `max_iterations` times; return its outputs and the last variables.

    Args:
        cond: a function of the loop variables that gives an array of one element.
        func: a function of the loop variables that gives (step output or outputs, new loop variables).
        loop_vars: an array or a list of arrays.
        max_iterations: needed when `func` gives step outputs, which are stacked; and for a gradient of a compiled loop.
        name: accepted for MXNet.

    Returns:
        (outputs, loop variables). Outputs are stacked to `max_iterations` rows; rows that were not reached are 0.

    >>> def step(x):
    ...     return x * 10, (x + 2,)
    >>> npx.while_loop(lambda x: x < 5, step, (np.array([1.0]),), max_iterations=3)
    (array([[10.],
           [30.],
           [ 0.]]), [array([5.])])
    """
    cond, func = _of_np(cond), _of_np(func)
    single = not isinstance(loop_vars, (list, tuple))
    state = [loop_vars] if single else list(loop_vars)
    if ACTIVE:
        recorded = staging().form("while_loop", cond, func, state, max_iterations, single)
        if recorded is not NotImplemented:
            return recorded
    rows: list[Any] = []
    count = 0
    while (max_iterations is None or count < max_iterations) and bool(cond(*state)):
        outputs, new = func(*state)
        rows.append(outputs)
        state = [new] if not isinstance(new, (list, tuple)) else list(new)
        count += 1
    if not rows and max_iterations is not None:
        with mode(recording=False), taped(None):
            return _no_rows(func(*state)[0], max_iterations), state[0] if single else state
    return _stacked_rows(rows, max_iterations), state[0] if single else state


def _no_rows(row: Any, length: int) -> Any:
    """Rows of zeros where no round was run; `row` is what one would have given."""
    if isinstance(row, (list, tuple)):
        return [_no_rows(part, length) for part in row]
    return [] if row is None else zeros_like(row, shape=(length, *row.shape))


def _stacked_rows(rows: list[Any], length: int | None) -> Any:
    """Step outputs stacked to `length` rows, zeros after the last."""
    if not rows or rows[0] is None:
        return []
    if isinstance(rows[0], (list, tuple)):
        return [_stacked_rows([row[i] for row in rows], length) for i in range(len(rows[0]))]
    whole, missing = stack(rows), 0 if length is None else length - len(rows)
    return concatenate([whole, zeros_like(whole, shape=(missing, *whole.shape[1:]))]) if missing > 0 else whole


@public
def foreach(body: Callable[..., Any], data: Any, init_states: Any, name: str = "foreach") -> Any:
    """Run `body` over the first axis of `data`, with states that go from one step to the next.

    Args:
        body: a function (slice of data, states) -> (step output or outputs, new states).
        data: an array or a list of arrays of one first size.
        init_states: an array or a list of arrays.
        name: accepted for MXNet.

    Returns:
        (outputs stacked along a new first axis, last states)

    >>> def body(x, total):
    ...     return x * 10, total + x
    >>> npx.foreach(body, np.array([1, 2, 3]), np.array(0.0))
    (array([10., 20., 30.]), array(6.))
    """
    body, xs = _of_np(body), listed(data)
    if not xs or any(x.shape[0] != xs[0].shape[0] for x in xs):
        raise ShapeError("E137", f"foreach over {', '.join(str(x.type) for x in xs)}: their first sizes must be equal")
    if ACTIVE:
        recorded = staging().form("foreach", body, data, init_states)
        if recorded is not NotImplemented:
            return recorded
    states, rows = init_states, []
    for i in range(xs[0].shape[0]):
        parts = [x[i] for x in xs]
        outputs, states = body(parts if isinstance(data, (list, tuple)) else parts[0], states)
        rows.append(outputs)
    return _stacked_rows(rows, None), states


@public
def print_(*args: Any, sep: str = " ") -> None:
    """Print arrays when the program runs, compiled or not; the first argument may be a format with {}.

    While capturing Python's own `print` would show symbols, once.

    >>> npx.print("the sum is {}", np.ones(2).sum())
    the sum is 2.0
    """
    texts, values = [], []
    for arg in args:
        if isinstance(arg, str):
            texts.append(arg)
        else:
            texts.append("{}")
            values.append(operand(array(arg)))
    if args and isinstance(args[0], str) and "{}" in args[0]:
        texts = [args[0]]
    elif any(isinstance(arg, str) and "{}" in arg for arg in args):
        raise ArgumentError("E317", "print: a format with {} must be the first argument and the only format")
    bind(ops.Print(sep.join(texts)), *values)


@public
def assert_(condition: Any, message: str = "assertion failed") -> None:
    """Raise when the program runs, compiled or not, unless all elements of `condition` are true.

    Raises:
        StateError E520: one is not.

    >>> npx.assert_(np.array([1, 2]) > 0, "expected positive numbers")
    """
    bind(ops.Assert(message), operand(array(condition).astype(bool)))


@public
def constraint_check(condition: Any, msg: str = "Constraint violated!") -> Any:
    """Return True, as an array without axes, if all elements of `condition` are true; raise otherwise.

    Raises:
        ValueArgumentError E345: one is not, with `msg`; a program raises it when it runs.

    >>> npx.constraint_check(np.array([1, 2]) > 0)
    array(True)
    """
    require(condition, msg)
    return full((), True, bool_)


def waitall() -> None:
    """Wait for all asynchronous calls, and for GPUs, and raise what the first that failed has raised.

    Where calls are not asynchronous, and no array is on a GPU, it returns at once: values are there when their
    functions have returned.

    Raises:
        DeviceError E707: a GPU has failed.

    >>> npx.waitall()
    """
    if ACCESS.queue is not None:
        ACCESS.queue.wait_all()
    if AWAY:
        load_module("hybridize.runtime.devices").wait_all()


def set_np(shape: bool = True, array: bool = True, dtype: bool = False) -> None:
    """Let loaders of `hybridize.mxnet` give arrays of `np`; nothing else changes: NumPy's meaning is always on.

    Args:
        shape: has no effect.
        array: False: loaders give arrays of `nd`, as after `reset_np`.
        dtype: has no effect.

    >>> npx.set_np()
    """
    PROCESS.np_arrays = array is not False


def reset_np() -> None:
    """Let loaders of `hybridize.mxnet` give arrays of `nd`; nothing else changes: NumPy's meaning is always on.

    >>> npx.reset_np()
    """
    PROCESS.np_arrays = False


def is_np_array() -> bool:
    """Return True: NumPy's meaning is always on.

    >>> npx.is_np_array()
    True
    """
    return True


is_np_shape = is_np_array


def use_np(function: Any) -> Any:
    """Return the function itself: NumPy's meaning is always on.

    >>> npx.use_np(abs) is abs
    True
    """
    return function


@public
def shape_array(data: Any) -> Any:
    """Return the sizes of the axes as an int64 array.

    >>> npx.shape_array(np.ones((2, 3)))
    array([2, 3], dtype=int64)
    """
    return result(from_list(array(data).shape, int64))
