# SPDX-License-Identifier: Apache-2.0
"""Functions that make arrays. The default dtype is float32, also for lists of integers and bools, as in MXNet.

While capturing they are nodes of the graph: `np.zeros` inside a compiled function is zeroed at every call.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

from hybridize import ops
from hybridize.array import operands
from hybridize.array.annotations import ArrayLike
from hybridize.array.device import begin_on
from hybridize.array.functions.bounds import require
from hybridize.array.functions.elementwise import copy as copied
from hybridize.array.functions.elementwise import equal, greater, greater_equal, power, where
from hybridize.array.functions.shapes import broadcast_arrays, broadcast_to, moveaxis, ravel, reshape, stack
from hybridize.array.methods import functions
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.operands import (
    array as as_array,
)
from hybridize.array.placing import device_inside, within
from hybridize.array.policies import double, together
from hybridize.array.staging import staging
from hybridize.array.symbol import Symbol
from hybridize.base import dtypes
from hybridize.base.dims import is_symbolic
from hybridize.base.errors import ArgumentError, DTypeError, ShapeError
from hybridize.base.loading import load_module
from hybridize.base.promotion import NUMBERS, default_dtype, floating, python_kind, weak_kind
from hybridize.ops.op import ACTIVE, bind1, capturing
from hybridize.runtime import buffers


def _dtype(dtype: Any, default: dtypes.DType = dtypes.float32) -> dtypes.DType:
    return default if dtype is None else dtypes.as_dtype(dtype)


@operands.public
def array(
    object: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0, *, ctx: Any = None, device: Any = None
) -> ndarray:
    """Return an array of numbers, of nested lists of them, or of another array, which is copied.

    Python's numbers, bools and lists give float32 unless you pass a dtype, where NumPy gives int64, bool and float64.
    Arrays of NumPy and hybridize keep their dtype.

    Args:
        object: nested lists of numbers and arrays, an array of ours or of NumPy, or anything with `__array__`.
        dtype: default float32, of complex numbers complex64; an array keeps its dtype, except that NumPy's float64
            becomes float32 and complex128 complex64.
        copy: False: an array of ours that has the dtype is returned as it is.
        ndmin: at least this many axes; new ones come first.
        ctx: the device, `cpu()`.
        device: the same.

    Raises:
        ShapeError E103: the lists are of uneven length.
        DTypeError E202: there are no numbers in them.

    >>> np.array([[1, 2], [3, 4]])
    array([[1., 2.],
           [3., 4.]])
    >>> np.array([True, False], dtype=bool)
    array([ True, False])
    """
    begin_on(ctx if ctx is not None else device)
    x = _array(object, dtype, copy)
    return x if x.ndim >= ndmin else reshape(x, (1,) * (ndmin - x.ndim) + x.shape)


def _array(source: Any, dtype: Any, copy: bool) -> Any:
    if is_symbolic(source) or (isinstance(source, Symbol) and source.weak is not None):
        return operands.result(
            operands.strong(source, _dtype(dtype))
        )  # a captured Python number is made into an array as any other
    if isinstance(source, (ndarray, Symbol)):
        if dtype is None:
            wanted = _shorter(source.dtype) if _is_numpys(source) else source.dtype
        else:
            wanted = dtypes.as_dtype(dtype)
        if source.dtype != wanted:
            return source.astype(wanted)
        return copied(source) if copy else source
    if operands.has_arrays(source):
        if not isinstance(source, (list, tuple)):
            raise operands.Handover(source)
        dtype = dtypes.float32 if dtype is None and _of_numbers(source) else dtype
        x = operands.result(operands.from_list(source, None if dtype is None else dtypes.as_dtype(dtype)))
        return x if dtype is None else x.astype(dtype)
    try:
        data = numpy.asarray(source)
    except ValueError as error:
        raise ShapeError(
            "E103",
            f"a list cannot become an array: {error}",
            help="make all rows equally long, with zeros at their ends, for example",
        ) from None
    if data.dtype.kind not in "biufcV":
        raise DTypeError("E202", f"cannot make an array of {type(source).__name__} {source!r:.60}", help="pass numbers")
    if dtype is not None:
        wanted = dtypes.as_dtype(dtype)
    elif isinstance(source, numpy.ndarray) or hasattr(source, "__array__"):
        wanted = dtypes.as_dtype(_shorter(data.dtype))
    else:
        wanted = dtypes.complex64 if data.dtype.kind == "c" else dtypes.float32
    try:
        data = _converted(data, wanted) if copy or data.dtype != wanted else data
    except (ValueError, OverflowError) as error:
        raise DTypeError("E203", f"{source!r:.60} cannot be stored as {wanted}: {error}") from None
    x = operands.result(operands.outside_operand(data))
    if (
        not copy
        and isinstance(x, ndarray)
        and isinstance(source, numpy.ndarray)
        and numpy.may_share_memory(x._data, source)
    ):
        x.storage.exposed = True
    return x


def _shorter(dtype: dtypes.DType) -> dtypes.DType:
    """The dtype that an array of NumPy's becomes: float64 becomes float32, complex128 complex64."""
    return {dtypes.float64: dtypes.float32, dtypes.complex128: dtypes.complex64}.get(dtype, dtype)


def _of_numbers(source: Any) -> bool:
    """Tell whether a nested list holds numbers and NumPy's arrays only, some of them values of a program."""
    if isinstance(source, (list, tuple)):
        return all(map(_of_numbers, source))
    if isinstance(source, Symbol) and source.weak is not None:
        return True
    return isinstance(source, (*NUMBERS, numpy.ndarray)) or _is_numpys(source)


def _is_numpys(source: Any) -> bool:
    """Tell whether an array is one of NumPy's that a program has from outside."""
    return isinstance(source, Symbol) and staging().is_numpys(source)


def _converted(data: Any, wanted: dtypes.DType) -> Any:
    """A copy of NumPy's `data`, where kernels like it; one in another order keeps it."""
    if dtypes.truncates(data.dtype, wanted):
        data = dtypes.converted(data, wanted)
    if not data.flags.c_contiguous:
        return data.astype(wanted)
    buffer = buffers.zeros(data.shape, wanted)
    numpy.copyto(buffer, data, casting="unsafe")
    return buffer


@operands.public
def asarray(a: Any, dtype: Any = None, order: str = "C", *, device: Any = None, copy: bool | None = None) -> ndarray:
    """Return an array as `array` does, without a copy where none is needed.

    >>> x = np.ones(2)
    >>> np.asarray(x) is x
    True
    """
    begin_on(device)
    operands.made_in_order(order, "asarray")
    return _array(a, dtype, bool(copy))


ascontiguousarray = asarray


@operands.public
def copy(a: Any, order: str = "K") -> Any:
    """Return a copy of an array that shares no memory with it.

    >>> x = np.zeros(2)
    >>> y = np.copy(x)
    >>> y[0] = 5
    >>> x
    array([0., 0.])
    """
    return copied(as_array(a), order)


_AT_HOST = (1, 3, 11, 13)
"""DLPack's numbers of the kinds of memory that the processor reads."""


@operands.public
def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Any:
    """Return an array over the memory of another library's array; writes to one show in both.

    An array on a GPU stays there; one with `__cuda_array_interface__` alone is taken, too.

    >>> import numpy
    >>> theirs = numpy.zeros(2, "float32")
    >>> x = np.from_dlpack(theirs)
    >>> theirs[0] = 4
    >>> x
    array([4., 0.])
    """
    begin_on(device)
    where = x.__dlpack_device__()[0] if hasattr(x, "__dlpack_device__") else None
    if where not in _AT_HOST and not (where is None and hasattr(x, "__dlpack__")):
        return load_module("hybridize.array.handing_over").taken(x, device, copy)
    y = wrap(operands.checked(numpy.from_dlpack(x)))
    if copy:
        return copied(y)
    y.storage.exposed = True
    return y


def _constant(shape: Any, value: Any, dtype: dtypes.DType) -> Any:
    sizes = operands.sizes_from(shape)
    if not ACTIVE or not capturing():
        if ACTIVE and device_inside() is not None:
            return reshape(_created(_filled, (math.prod(sizes),), (), operands.strong(value, dtype)), sizes)
        buffer = buffers.zeros(sizes, dtype)
        if type(value) is not int or value:  # -0.0 is a value as well
            buffer.fill(operands.strong(value, dtype))
        return wrap(buffer)
    return operands.result(bind1(ops.Broadcast(sizes), operands.strong(value, dtype)))


def _created(function: Callable[..., Any], shape: Any, parameters: Any, *numbers: Any) -> Any:
    """The array that `function(shape, *parameters, *numbers)` gives, a function of operands, where results are."""
    device = None if not ACTIVE or capturing() else device_inside()
    if device is None:
        return operands.result(function(shape, *parameters, *numbers))
    created = load_module("hybridize.array.on_device").created
    return wrap(created(function, device, shape, parameters, *numbers))


def _filled(shape: Any, number: Any) -> Any:
    return bind1(ops.Broadcast(shape), number)


@operands.creates("order", "ctx", "device")
def zeros(shape: Any, dtype: Any = None) -> ndarray:
    """Return an array of zeros of a shape; float32 unless you pass a dtype.

    `np.empty` is another name: elements of new arrays are always 0, so that no result depends on what memory held.

    >>> np.zeros((2, 3), dtype="int32")
    array([[0, 0, 0],
           [0, 0, 0]], dtype=int32)
    """
    return _constant(shape, 0, _dtype(dtype))


@operands.creates("order", "ctx", "device")
def ones(shape: Any, dtype: Any = None) -> ndarray:
    """Return an array of ones of a shape; float32 unless you pass a dtype.

    >>> np.ones((2, 3))
    array([[1., 1., 1.],
           [1., 1., 1.]])
    """
    return _constant(shape, 1, _dtype(dtype))


empty = zeros
"""An array whose elements nobody promises; ours are zero, so that no run depends on what memory held."""


@operands.creates("order", "ctx", "device")
def full(shape: Any, fill_value: ArrayLike, dtype: Any = None) -> ndarray:
    """Return an array of a shape that has `fill_value` everywhere.

    The dtype is that of the value's kind unless you pass one: bool, int64, float32, or that of an array.

    >>> np.full((2, 2), 7.5)
    array([[7.5, 7.5],
           [7.5, 7.5]])
    """
    if isinstance(fill_value, (ndarray, Symbol, numpy.ndarray, list, tuple)):
        value = as_array(fill_value, None if dtype is None else dtypes.as_dtype(dtype))
        if isinstance(fill_value, Symbol) and fill_value.weak is not None and dtype is None:
            dtype = default_dtype(python_kind(fill_value.weak))
        return copied(broadcast_to(value if dtype is None else value.astype(dtype), shape))
    own = default_dtype(weak_kind(fill_value)) if isinstance(fill_value, NUMBERS) else dtypes.float32
    return _constant(shape, fill_value, _dtype(dtype, own))


def _like(a: Any, value: Any, dtype: Any, shape: Any) -> Any:
    x = as_array(a)
    return _constant(x.shape if shape is None else shape, value, _dtype(dtype, x.dtype))


@operands.creates("order", "ctx", "device")
def zeros_like(a: Any, dtype: Any = None, *, shape: Any = None) -> ndarray:
    """Return an array of zeros of the shape and dtype of `a`; `np.empty_like` is another name.

    >>> np.zeros_like(np.array([[3, 4]]))
    array([[0., 0.]])
    """
    return _like(a, 0, dtype, shape)


@operands.creates("order", "ctx", "device")
def ones_like(a: Any, dtype: Any = None, *, shape: Any = None) -> ndarray:
    """Return an array of ones of the shape and dtype of `a`.

    >>> np.ones_like(np.array([[3, 4]]))
    array([[1., 1.]])
    """
    return _like(a, 1, dtype, shape)


empty_like = zeros_like


@operands.creates("order", "ctx", "device")
def full_like(a: Any, fill_value: ArrayLike, dtype: Any = None, *, shape: Any = None) -> ndarray:
    """Return an array of the shape and dtype of `a` that has `fill_value` everywhere; an array is broadcast.

    >>> np.full_like(np.ones((2, 2)), 7)
    array([[7., 7.],
           [7., 7.]])
    """
    if _is_array(fill_value):
        x = as_array(a)
        return full(x.shape if shape is None else shape, fill_value, _dtype(dtype, x.dtype))
    if fill_value is None or isinstance(fill_value, (str, bytes)):
        as_array(fill_value)  # says that it is no number
    return _like(a, fill_value, dtype, shape)


def _is_array(x: Any) -> bool:
    """Tell whether it has elements, and maybe a gradient, rather than being a number."""
    return isinstance(x, (ndarray, numpy.ndarray, list, tuple)) or (isinstance(x, Symbol) and x.weak is None)


def _counted(n: int) -> Any:
    """0, 1, ... n - 1 as an int64 array."""
    return operands.result(ops.iota((n,), 0, dtypes.int64))


def _linear(n: int, start: float, step: float, dtype: dtypes.DType) -> Any:
    """start + i step, computed in float64 (int64 for integers) and then cast, in all modes alike."""
    wide = dtypes.int64 if isinstance(start, int) and isinstance(step, int) else dtypes.float64
    return _created(_line, (n,), (wide, dtype), *_start_and_step(start, step, wide))


def _start_and_step(start: float, step: float, wide: dtypes.DType) -> list[Any]:
    """Both as operands, None of what changes nothing."""
    return [None if x == idle else operands.strong(x, wide) for x, idle in ((start, 0), (step, 1))]


def _line(shape: Any, wide: dtypes.DType, dtype: dtypes.DType, start: Any, step: Any) -> Any:
    line = ops.cast(ops.iota(shape, 0, dtypes.int64), wide)
    line = line if step is None else ops.mul(line, ops.broadcast(step, shape))
    line = line if start is None else ops.add(line, ops.broadcast(start, shape))
    return ops.cast(line, dtype)


@operands.creates()
def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> ndarray:
    """Return the numbers start, start + step, ... up to but without `stop`.

    The dtype is float32 unless you pass one, where NumPy gives int64 of integers.

    Args:
        start: the first number; with no `stop`, the end, and the numbers begin at 0.
        stop: the end, which is left out.
        step: the distance of neighbours; it may be negative.
        dtype: of the result.
        ctx, device: where the array is made; two names of one parameter.

    >>> np.arange(2, 8, 2)
    array([2., 4., 6.])
    """
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    start, stop, step = (_plain_number(part) for part in (start, stop, step))
    if step == 0:
        raise ArgumentError("E312", "arange: the step must not be 0")
    whole = all(isinstance(part, int) for part in (start, stop, step))
    count = -((start - stop) // step) if whole else math.ceil((stop - start) / step)
    return _linear(max(0, count), start, step, _dtype(dtype))


def _plain_number(x: Any) -> Any:
    """A Python number; captured ones are asked for their value."""
    if isinstance(x, (int, float)) and not isinstance(x, numpy.generic):
        return x
    if isinstance(x, numpy.generic):
        return x.item()
    return int(x) if x.dtype.kind in "biu" else float(x)


@operands.creates()
def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None, axis: int = 0
) -> Any:
    """Return `num` numbers at even distances from `start` to `stop`; float32 unless you pass a dtype.

    Of arrays, the numbers lie along a new `axis`, in the dtype of the arrays.

    >>> np.linspace(0, 1, 5)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    num = operands.count(num, "linspace: num")
    if _is_array(start) or _is_array(stop):
        line, step = _between(start, stop, num, endpoint, dtype)
        return (moveaxis(line, 0, axis), step) if retstep else moveaxis(line, 0, axis)
    operands.axis_of(axis, 1, "linspace")
    start, stop = float(_plain_number(start)), float(_plain_number(stop))
    parts = num - 1 if endpoint else num
    step = (stop - start) / parts if parts else math.nan
    numbers = _start_and_step(start, step if parts else 0.0, dtypes.float64)
    end = (operands.strong(num - 1, dtypes.int64), operands.strong(stop, dtypes.float64))
    ends = end if endpoint and num > 1 else (None, None)
    line = _created(_spaced, (num,), (_dtype(dtype),), *numbers, *ends)
    return (line, step) if retstep else line


def _spaced(shape: Any, dtype: dtypes.DType, start: Any, step: Any, last: Any, stop: Any) -> Any:
    """A line of float64 in a dtype; of an integer one the next below, as in NumPy. It is `stop` at the place `last`."""
    line = _line(shape, dtypes.float64, dtypes.float64, start, step)
    if last is not None:
        is_last = bind1(ops.Eq(), ops.iota(shape, 0, dtypes.int64), ops.broadcast(last, shape))
        line = ops.where(is_last, ops.broadcast(stop, shape), line)
    return ops.cast(ops.floor(line) if dtypes.is_integer(dtype) else line, dtype)


def _floored(line: Any, dtype: dtypes.DType) -> Any:
    """Numbers in a dtype; of integers the next one below, as in NumPy, not the next one to 0."""
    return (functions.floor(line) if dtypes.is_integer(dtype) else line).astype(dtype)


def _between(start: Any, stop: Any, num: int, endpoint: bool, dtype: Any) -> tuple[Any, Any]:
    """(numbers from arrays to arrays along a new first axis, their distance)"""
    first, last = broadcast_arrays(*together((start, stop), floating, weak=True))
    wide = first.dtype
    parts = num - 1 if endpoint else num
    step = (last - first) / parts if parts > 0 else (last - first) * math.nan
    number = reshape(_counted(num), (num,) + (1,) * first.ndim)
    line = first + number.astype(wide) * step if parts > 0 else first + number.astype(wide)
    if endpoint and num > 1:
        line = where(equal(number, num - 1), last, line)
    return line if dtype is None else _floored(line, _dtype(dtype)), step


@operands.creates()
def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: float = 10.0, dtype: Any = None, axis: int = 0
) -> Any:
    """Return `base` to the power of `num` numbers at even distances from `start` to `stop`.

    Args:
        start: the first exponent.
        stop: the last exponent.
        num: how many numbers.
        endpoint: `stop` is one of the exponents.
        base: what the powers are of.
        dtype: of the result, float32 unless you pass one.
        axis: where the numbers lie along, if `start` and `stop` are arrays.
        ctx, device: where the array is made; two names of one parameter.

    >>> np.logspace(0, 3, 4).round(2)
    array([   1.,   10.,  100., 1000.])
    """
    num = operands.count(num, "logspace: num")
    if _is_array(start) or _is_array(stop):
        powers = power(base, linspace(start, stop, num, endpoint, axis=axis))
        return powers if dtype is None else powers.astype(_dtype(dtype))
    operands.axis_of(axis, 1, "logspace")
    return within(_powers, base, start, stop, num, endpoint).astype(_dtype(dtype))


def _powers(base: Any, start: Any, stop: Any, num: int, endpoint: bool) -> Any:
    """At the host, so that a device has NumPy's powers."""
    return base ** linspace(start, stop, num, endpoint, dtype=dtypes.float64)


@operands.creates()
def geomspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0) -> Any:
    """Return `num` numbers from `start` to `stop` whose neighbours have one quotient.

    Raises:
        ValueArgumentError E345: one of both is 0, or their signs differ.

    >>> np.geomspace(1, 1000, 4).round(2)
    array([   1.,   10.,  100., 1000.])
    """
    num = operands.count(num, "geomspace: num")
    return moveaxis(within(_geometric, start, stop, num, endpoint, dtype), 0, axis)


def _geometric(start: Any, stop: Any, num: int, endpoint: bool, dtype: Any) -> Any:
    """Numbers along a new first axis; between Python's numbers at the host, so that a device has NumPy's powers."""
    among_arrays = _is_array(start) or _is_array(stop)
    first, last = broadcast_arrays(*together((start, stop), floating if among_arrays else double, weak=True))
    operands.check_real("geomspace", first, last)
    wide = first.dtype
    require(greater(first * last, 0), "geomspace: start and stop are not 0, and of one sign")
    sign = where(greater(first, 0), 1.0, -1.0)
    line = power(10.0, linspace(functions.log10(first * sign), functions.log10(last * sign), num, endpoint)) * sign
    number = reshape(_counted(num), (num,) + (1,) * first.ndim)
    line = where(equal(number, 0), first, line)
    if endpoint and num > 1:
        line = where(equal(number, num - 1), last, line)
    default = wide if among_arrays else dtypes.float32
    return _floored(line, _dtype(dtype, default))


def _positions(rows: int, columns: int) -> tuple[Any, Any]:
    """Row and column number of every element of a matrix, int64."""
    sizes = operands.sizes_from((rows, columns))
    return tuple(operands.result(ops.iota(sizes, axis, dtypes.int64)) for axis in (0, 1))


@operands.creates()
def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> ndarray:
    """Return a matrix with ones on the diagonal `k` and zeros elsewhere; float32 unless you pass a dtype.

    Args:
        N: rows.
        M: columns; as many as rows unless you pass a number.
        k: the diagonal.
        dtype: of the result.
        ctx, device: where the array is made; two names of one parameter.

    >>> np.eye(2, 3, k=1)
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    sizes, offset = operands.sizes_from((N, N if M is None else M)), _offset(operands.whole(k, "eye: k"))
    return _created(_diagonal, sizes, (_dtype(dtype),), operands.strong(offset, dtypes.int64))


def _diagonal(shape: Any, dtype: dtypes.DType, k: Any) -> Any:
    row, column = (ops.iota(shape, axis, dtypes.int64) for axis in (0, 1))
    return ops.cast(bind1(ops.Eq(), column, ops.add(row, ops.broadcast(k, shape))), dtype)


def _offset(k: Any) -> Any:
    """The offset of a diagonal; one that is beyond all arrays is brought to where int64 can add to it."""
    return max(-_FAR, min(k, _FAR)) if isinstance(k, int) else k


_FAR = 1 << 62


@operands.public
def identity(n: int, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Return the identity matrix of `n` rows; float32 unless you pass a dtype.

    >>> np.identity(2)
    array([[1., 0.],
           [0., 1.]])
    """
    return eye(n, dtype=dtype, ctx=ctx, device=device)


@operands.creates()
def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Any:
    """Return a matrix with ones on and below the diagonal `k` and zeros above it.

    Args:
        N: rows.
        M: columns; as many as rows unless you pass a number.
        k: the diagonal.
        dtype: of the result, float32 unless you pass one.
        ctx, device: where the array is made; two names of one parameter.

    >>> np.tri(3)
    array([[1., 0., 0.],
           [1., 1., 0.],
           [1., 1., 1.]])
    """
    sizes = operands.sizes_from((N, N if M is None else M))
    return _created(_triangular, sizes, (_dtype(dtype),), operands.strong(_offset(k), dtypes.int64))


def _triangular(shape: Any, dtype: dtypes.DType, k: Any) -> Any:
    row, column = (ops.iota(shape, axis, dtypes.int64) for axis in (0, 1))
    return ops.cast(bind1(ops.Ge(), ops.add(row, ops.broadcast(k, shape)), column), dtype)


@operands.public
def tril(m: Any, k: int = 0) -> ndarray:
    """Return the elements on and below the diagonal `k` of the last two axes, and zeros above it.

    >>> np.tril(np.ones((2, 3)))
    array([[1., 0., 0.],
           [1., 1., 0.]])
    """
    return _masked("tril", m, lambda row, column: greater_equal(row + _offset(k), column))


@operands.public
def triu(m: Any, k: int = 0) -> ndarray:
    """Return the elements on and above the diagonal `k` of the last two axes, and zeros below it.

    >>> np.triu(np.ones((2, 3)))
    array([[1., 1., 1.],
           [0., 1., 1.]])
    """
    return _masked("triu", m, lambda row, column: greater_equal(column, row + _offset(k)))


def _masked(name: str, m: Any, inside: Callable[[Any, Any], Any]) -> Any:
    """Matrices with zeros outside of a part, which numbers of rows and columns say; a vector is each row of one."""
    x = as_array(m)
    if not x.ndim:
        raise ShapeError("E113", f"{name} takes a vector or matrices, got {x.type}")
    row, column = _positions(*(x.shape[-2:] if x.ndim > 1 else x.shape * 2))
    return where(inside(row, column), x, operands.result(operands.cast(0, x.dtype)))


@operands.public
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return the diagonal of two axes as the last axis; a copy, where NumPy gives a view.

    Args:
        a: an array of two or more axes.
        offset: the diagonal: 0 is the main one, positive numbers count to the right.
        axis1: the axis of rows.
        axis2: the axis of columns.

    >>> np.diagonal(np.array([[1, 2], [3, 4]]))
    array([1., 4.])
    """
    x = moveaxis(a, (axis1, axis2), (-2, -1))
    rows, columns = x.shape[-2:]
    length = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    i = operands.positions(length)
    return x[..., i - min(offset, 0), i + max(offset, 0)]


@operands.public
def diag(v: Any, k: int = 0) -> Any:
    """Return the diagonal `k` of a matrix, or the matrix that has a vector on this diagonal.

    Args:
        v: a matrix or a vector.
        k: the diagonal: 0 is the main one, positive numbers count to the right, negative ones to the left.

    >>> np.diag(np.array([1, 2]))
    array([[1., 0.],
           [0., 2.]])
    >>> np.diag(np.array([[1, 2], [3, 4]]))
    array([1., 4.])
    """
    x = as_array(v)
    if x.ndim == 2:
        return diagonal(x, k)
    if x.ndim != 1:
        raise ShapeError("E113", f"diag takes a vector or a matrix, got {x.type}")
    n = x.shape[0] + abs(k)
    matrix = zeros((n, n), dtype=x.dtype)
    i = operands.positions(x.shape[0])
    matrix[i - min(k, 0), i + max(k, 0)] = x
    return matrix


@operands.public
def diagflat(v: Any, k: int = 0) -> Any:
    """Return the matrix that has all elements of `v` on its diagonal `k`.

    >>> np.diagflat(np.array([[1, 2]]), k=1)
    array([[0., 1., 0.],
           [0., 0., 2.],
           [0., 0., 0.]])
    """
    return diag(ravel(v), k)


@operands.public
def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """Write `val` to the main diagonal of an array, in place.

    Several numbers are written in turn, again from the first one where the diagonal is longer.

    Raises:
        ShapeError E118: fewer than two axes, or more than two of different sizes.

    >>> x = np.zeros((2, 2))
    >>> np.fill_diagonal(x, 7)
    >>> x
    array([[7., 0.],
           [0., 7.]])
    """
    if a.ndim < 2 or (a.ndim > 2 and any(size != a.shape[0] for size in a.shape)):
        raise ShapeError("E118", f"fill_diagonal takes a matrix or an array whose axes have one size, got {a.type}")
    rows, columns = a.shape[0], a.shape[1]
    i = operands.positions(min(a.shape))
    places: Any = (i,) * a.ndim
    if a.ndim == 2 and wrap and rows > columns:
        places = numpy.unravel_index(numpy.arange(0, rows * columns, columns + 1), (rows, columns))
    values = as_array(val)
    if not values.ndim:
        a[places] = val
    elif values.size:
        turns = operands.positions(len(places[0]))
        a[places] = reshape(values, (-1,))[turns % values.size]


@operands.public
def meshgrid(*xi: Any, indexing: str = "xy", sparse: bool = False, copy: bool = True) -> list[Any]:
    """Return the coordinate matrices of coordinate vectors, as a list.

    NumPy 2 gives a tuple; MXNet gives a list.

    Args:
        xi: the vectors.
        indexing: `xy`: the first vector runs along columns; `ij`: along rows.
        sparse: give arrays that broadcast to the matrices.
        copy: False gives views.

    >>> np.meshgrid(np.array([1, 2]), np.array([10, 20, 30]))
    [array([[1., 2.],
           [1., 2.],
           [1., 2.]]), array([[10., 10.],
           [20., 20.],
           [30., 30.]])]
    """
    operands.one_of(indexing, ("xy", "ij"), "meshgrid", "indexing")
    xs = [as_array(x) for x in xi]
    n = len(xs)
    grids = [reshape(x, tuple(-1 if i == axis else 1 for i in range(n))) for axis, x in enumerate(xs)]
    if indexing == "xy" and n > 1:
        grids = [moveaxis(grid, 0, 1) for grid in grids]
    grids = grids if sparse else broadcast_arrays(*grids)
    return list(map(copied, grids)) if copy else grids


@operands.creates()
def indices(dimensions: Any, dtype: Any = None) -> Any:
    """Return the index of every element of a shape along each axis, stacked: [axes, *dimensions]; int64.

    >>> np.indices((2, 2))
    array([[[0, 0],
            [1, 1]],
    <BLANKLINE>
           [[0, 1],
            [0, 1]]], dtype=int64)
    """
    shape = operands.sizes_from(dimensions)
    return stack([operands.result(ops.iota(shape, axis, _dtype(dtype, dtypes.int64))) for axis in range(len(shape))])


def _triangle(mask: Any) -> tuple[Any, Any]:
    return tuple(
        operands.result(operands.outside_operand(positions.astype(dtypes.int64))) for positions in numpy.nonzero(mask)
    )


@operands.public
def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Any, Any]:
    """Return the row and column numbers of the elements on and below the diagonal `k`, as a tuple.

    Args:
        n: rows.
        k: the diagonal.
        m: columns; as many as rows unless you pass a number.

    >>> np.tril_indices(2)
    (array([0, 1, 1], dtype=int64), array([0, 0, 1], dtype=int64))
    """
    return _triangle(numpy.tri(n, m, k, dtype=bool))


@operands.public
def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Any, Any]:
    """Return the row and column numbers of the elements on and above the diagonal `k`, as a tuple.

    Args:
        n: rows.
        k: the diagonal.
        m: columns; as many as rows unless you pass a number.

    >>> np.triu_indices(2)
    (array([0, 0, 1], dtype=int64), array([0, 1, 1], dtype=int64))
    """
    return _triangle(~numpy.tri(n, m, k - 1, dtype=bool))
