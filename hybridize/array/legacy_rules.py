# SPDX-License-Identifier: Apache-2.0
"""MXNet 1's rules of dtypes, shapes and slopes, each declared beside the functions that it is of.

Integers stay integers, results and numbers beside them too; comparisons have the dtype of their operands. Nothing is
without axes unless an operand is. Where an extremum is reached more than once every place has the whole slope, and
the first of two operands. Bools, which MXNet 1 does not have, count as float32.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce, update_wrapper, wraps
from inspect import Parameter, Signature, signature
from typing import Any, TypeVar

import numpy

from hybridize.array import np, npx
from hybridize.array.annotations import ArrayLike
from hybridize.array.nd_array import apart, as_nd, each, fresh, with_an_axis
from hybridize.array.operands import array, axes_of, completed, result, strong
from hybridize.array.staging import staging
from hybridize.array.symbol import Symbol
from hybridize.base import modes
from hybridize.base.advice import warn
from hybridize.base.dtypes import DType, bool_, float32, float64, is_float, is_integer
from hybridize.base.errors import ShapeError
from hybridize.base.promotion import NUMBERS, promote
from hybridize.base.types import same_shape
from hybridize.ops.library import histories
from hybridize.ops.op import ACTIVE

Function = Callable[..., Any]
_Function = TypeVar("_Function", bound=Function)


def named_as(function: Function, *parameters: Parameter) -> Callable[[_Function], _Function]:
    """Give a function the name and the text of another, whose parameters are not its own.

    Args:
        function: the other one.
        parameters: those that are shown; none: those that the function is written with.
    """

    def decorate(call: Any) -> Any:
        shown = Signature(parameters) if parameters else signature(call)
        update_wrapper(call, function, updated=())
        call.__signature__ = shown
        return call

    return decorate


def by_position(*names: str, **defaults: Any) -> list[Parameter]:
    """Parameters that are given by position or by name."""
    kind = Parameter.POSITIONAL_OR_KEYWORD
    return [Parameter(name, kind) for name in names] + [
        Parameter(name, kind, default=value) for name, value in defaults.items()
    ]


def as_dtype_of(y: Any, dtype: DType) -> Any:
    """Return an array, or the arrays of a list, as another dtype."""
    if isinstance(y, (list, tuple)):
        return [as_dtype_of(one, dtype) for one in y]
    return y if y.dtype == dtype else y.astype(dtype)


def is_number(x: Any) -> bool:
    """Tell whether an operand is a number of Python's or NumPy's, or stands for one in a program."""
    return isinstance(x, (*NUMBERS, numpy.generic)) or (type(x) is Symbol and x.weak is not None)


def number_in(value: Any, dtype: DType) -> Any:
    """Return a number as an array of integers holds it: 2.5 beside int32 is 2, -3 beside uint8 is 253."""
    if type(value) is Symbol:
        return result(value.operand()).astype("int64").astype(dtype) if is_integer(dtype) else value
    return numpy.asarray(int(value)).astype(dtype).item() if is_integer(dtype) else value


def limit_in(value: Any, dtype: DType) -> Any:
    """Return a limit of integers as one of them: 1.5 is 1, and -1 of uint8 is 0."""
    if not is_integer(dtype):
        return value
    numbers = numpy.iinfo(dtype)
    return int(min(max(value, int(numbers.min)), int(numbers.max)))


def alike(*xs: ArrayLike) -> tuple[list[Any], DType | None]:
    """Return operands with the dtype that they have together; None where all are Python's numbers."""
    arrays = [x if is_number(x) else array(x) for x in xs]
    dtypes = [x.dtype for x in arrays if not is_number(x)]
    if not dtypes:
        return arrays, None
    dtype = reduce(promote, dtypes)
    if dtype == bool_:
        dtype = float32
    return [number_in(x, dtype) if is_number(x) else as_dtype_of(x, dtype) for x in arrays], dtype


def number_dtype(x: Any) -> DType:
    """Return the dtype of an array of numbers."""
    return float32 if x.dtype == bool_ else x.dtype


def of_dtype(function: Function) -> Function:
    """A function whose result has the dtype of its array, whatever it computes; integers are computed as float32."""

    @wraps(function)
    def call(data: Any, *args: Any, **kwargs: Any) -> Any:
        x = array(data)
        return as_dtype_of(function(x, *args, **kwargs), number_dtype(x))

    return call


def paired(function: Function) -> Function:
    """A function of two operands, elementwise, whose result has the dtype of both."""

    @named_as(function)
    def call(lhs: ArrayLike, rhs: ArrayLike) -> Any:
        (x, y), dtype = alike(lhs, rhs)
        output = function(x, y)
        return output if dtype is None else as_dtype_of(output, dtype)

    return call


def reduction(function: Function) -> Function:
    """A reduction over `axis` (all when empty), or over all other axes when `exclude`."""

    def call(data: Any, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> Any:
        (x,), dtype = alike(array(data))
        assert dtype is not None
        axis = None if axis == () else axis
        if exclude or not (axis is None or type(axis) is int):
            axis = axes_of(axis, x.ndim, function.__name__)
        if exclude:
            axis = tuple(i for i in range(x.ndim) if i not in axis)
        return as_dtype_of(function(x, axis, keepdims=True) if keepdims else function(x, axis), dtype)

    call.__doc__ = function.__doc__
    return call


def of_equal_shapes(function: Function) -> Function:
    """A function of two arrays that it does not stretch.

    Raises:
        ShapeError E101: their shapes differ.
    """

    @named_as(function)
    def call(lhs: ArrayLike, rhs: ArrayLike) -> Any:
        lhs, rhs = array(lhs), array(rhs)
        lhs, rhs = completed(lhs, rhs.shape), completed(rhs, lhs.shape)
        shapes = [lhs.shape, rhs.shape]
        if not same_shape(*shapes):
            what = f"{function.__name__}: the shapes differ: {shapes[0]} and {shapes[1]}"
            raise ShapeError("E101", what, help="use a broadcast_* function, such as broadcast_add")
        return function(lhs, rhs)

    return call


def broadcast(function: Function, name: str) -> Function:
    """A function of two operands under a name, with a keyword that libraries pass to it and MXNet 1 does not read."""

    @named_as(function)
    def call(lhs: ArrayLike, rhs: ArrayLike, axis: Any = None) -> Any:
        if axis is not None:
            warn(f"{name}: axis={axis} is not read, as in MXNet 1: axes of the operands meet from the last one on")
        return function(lhs, rhs)

    return call


def with_axis(value: Any, args: tuple[Any, ...]) -> Any:
    """Return a result with an axis of size 1 where it has none, unless an operand has none either, or is a number."""
    if isinstance(value, (list, tuple)):
        return [with_axis(one, args) for one in value]
    if getattr(value, "ndim", 1) or isinstance(next(iter(args), None), NUMBERS):
        return value
    if any(getattr(one, "ndim", 1) == 0 for one in args):
        return value
    return np.reshape(value, (1,))


def of_nd(value: Any, args: tuple[Any, ...]) -> Any:
    """Return a result as NDArrays apart from the arguments, with an axis where it has none."""
    if isinstance(value, (list, tuple)):
        return each(lambda one: of_nd(one, args), value)
    value = with_axis(apart(value, args), args)
    return as_nd(value) if any(value is one for one in args) else fresh(value)


def of_bodies(function: Function) -> Function:
    """A function that calls functions of the user's, whose arrays are NDArrays; rows of a vector have one axis."""

    def body(one: Any) -> Any:
        if not callable(one) or hasattr(one, "shape"):
            return one

        def call(*args: Any) -> Any:
            if args and function.__name__ == "foreach":
                args = (each(with_an_axis, args[0]) if isinstance(args[0], list) else with_an_axis(args[0]), *args[1:])
            return staging().convert(one)(*map(as_nd, args))

        return call

    @named_as(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*map(body, args), **{key: body(value) for key, value in kwargs.items()})

    call.__signature__ = signature(function)  # type: ignore[attr-defined]
    return call


def with_gradient_of(x: Any, y: Any) -> Any:
    """Return y, whose gradient is that of x."""
    return npx.stop_gradient(y) + (x - npx.stop_gradient(x))


def head(x: Any, y: Any, slope: Any, scaled: bool = False) -> Any:
    """Return y, a head by itself: the gradient of x is `slope`, whatever arrives at y, or, `scaled`, times that."""
    x, y, slope = (strong(array(one), y.dtype) for one in (x, y, slope))
    return result(histories.head(x, y, slope, scaled))


def stop_gradient(data: Any) -> Any:
    """Return the same values, through which no gradient goes; the result of a loss layer keeps the gradient of its own.

    >>> x = nd.array([1, 2])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = (x * nd.stop_gradient(x)).sum()
    >>> y.backward()
    >>> x.grad.asnumpy()
    array([1., 2.], dtype=float32)
    """
    x = array(data)
    return np.copy(x) if ACTIVE and histories.is_head(staging().op_of(strong(x))) else npx.stop_gradient(x)


def divided(x: Any, y: Any) -> Any:
    """Return the quotient of each pair of elements; of integers without its fraction, as in C.

    >>> nd.div(nd.array([7], dtype="int32"), nd.array([2], dtype="int32")).asnumpy()
    array([3], dtype=int32)
    """
    whole = [one for one in (x, y) if not is_number(one)]
    if not whole or not is_integer(whole[0].dtype):
        return np.divide(x, y)
    floor = np.floor_divide(x, y)
    if whole[0].dtype.kind == "u":
        return floor
    below = np.logical_and(np.not_equal(np.multiply(floor, y), x), np.less(floor, 0))
    return np.add(floor, below.astype(whole[0].dtype))


def power(x: Any, y: Any) -> Any:
    """Return the power of each pair of elements, in the dtype of the operands.

    Integers are computed in float64: beyond 2**24 results are exact, where MXNet's are not.

    >>> nd.power(nd.array([1, 2, 3]), 2).asnumpy()
    array([1., 4., 9.], dtype=float32)
    """
    if any(is_integer(one.dtype) for one in (x, y) if not is_number(one)):
        x, y = (array(one).astype(float64) for one in (x, y))
    return np.power(x, y)


def extremum(function: Function, beyond: Function) -> Function:
    """The greater or lesser of two operands, elementwise; of a tie the first array has the slope."""

    @wraps(function)
    def call(x: Any, y: Any) -> Any:
        smooth = any(is_float(one.dtype) for one in (x, y) if hasattr(one, "dtype"))
        if not (modes.is_recording() and smooth):
            return function(x, y)
        if is_number(x):
            x, y = y, x
        return np.where(np.logical_or(beyond(x, y), np.not_equal(x, x)), x, y)

    return call
