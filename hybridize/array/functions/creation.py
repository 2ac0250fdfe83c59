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
from hybridize.array.policies import double, together
from hybridize.array.staging import staging
from hybridize.array.symbol import Symbol
from hybridize.base import dtypes
from hybridize.base.dims import is_symbolic
from hybridize.base.errors import ArgumentError, DTypeError, ShapeError
from hybridize.base.promotion import NUMBERS, default_dtype, floating, python_kind, weak_kind
from hybridize.ops.op import ACTIVE, bind1, capturing
from hybridize.runtime import buffers


def _dtype(dtype: Any, default: dtypes.DType = dtypes.float32) -> dtypes.DType:
    return default if dtype is None else dtypes.as_dtype(dtype)


@operands.public
def array(
    object: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0, *, ctx: Any = None, device: Any = None
) -> ndarray:
    """Make an array.

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

    >>> array([1, 2])
    array([1., 2.])
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
    """`array`, without a copy where none is needed."""
    begin_on(device)
    operands.made_in_order(order, "asarray")
    return _array(a, dtype, bool(copy))


ascontiguousarray = asarray


@operands.public
def copy(a: Any, order: str = "K") -> Any:
    """A copy that shares nothing with `a`."""
    return copied(as_array(a), order)


@operands.public
def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Any:
    """An array over the memory of another library's, which keeps seeing it."""
    begin_on(device)
    y = wrap(operands.checked(numpy.from_dlpack(x)))
    if copy:
        return copied(y)
    y.storage.exposed = True
    return y


def _constant(shape: Any, value: Any, dtype: dtypes.DType) -> Any:
    sizes = operands.sizes_from(shape)
    if not ACTIVE or not capturing():
        buffer = buffers.zeros(sizes, dtype)
        if type(value) is not int or value:  # -0.0 is a value as well
            buffer.fill(operands.strong(value, dtype))
        return wrap(buffer)
    return operands.result(bind1(ops.Broadcast(sizes), operands.strong(value, dtype)))


@operands.creates("order", "ctx", "device")
def zeros(shape: Any, dtype: Any = None) -> ndarray:
    """Zeros, float32 unless said."""
    return _constant(shape, 0, _dtype(dtype))


@operands.creates("order", "ctx", "device")
def ones(shape: Any, dtype: Any = None) -> ndarray:
    """Ones, float32 unless said."""
    return _constant(shape, 1, _dtype(dtype))


empty = zeros
"""An array whose elements nobody promises; ours are zero, so that no run depends on what memory held."""


@operands.creates("order", "ctx", "device")
def full(shape: Any, fill_value: ArrayLike, dtype: Any = None) -> ndarray:
    """`fill_value` everywhere; unless said in the dtype of its kind (bool, int64, float32), or of an array."""
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
    """Zeros of the shape, unless another one is given, and dtype of `a`."""
    return _like(a, 0, dtype, shape)


@operands.creates("order", "ctx", "device")
def ones_like(a: Any, dtype: Any = None, *, shape: Any = None) -> ndarray:
    """Ones of the shape, unless another one is given, and dtype of `a`."""
    return _like(a, 1, dtype, shape)


empty_like = zeros_like


@operands.creates("order", "ctx", "device")
def full_like(a: Any, fill_value: ArrayLike, dtype: Any = None, *, shape: Any = None) -> ndarray:
    """`fill_value` everywhere, in the shape, unless another one is given, and dtype of `a`; an array is broadcast."""
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
    """0, 1, ... n - 1 as an int64 operand."""
    if not ACTIVE or not capturing():
        return numpy.arange(n, dtype=dtypes.int64)
    return bind1(ops.Iota((n,), 0, dtypes.int64))


def _linear(n: int, start: float, step: float, dtype: dtypes.DType) -> Any:
    """start + i step, computed in float64 (int64 for integers) and then cast, in both modes alike."""
    exact = isinstance(start, int) and isinstance(step, int)
    wide = dtypes.int64 if exact else dtypes.float64
    i = as_array(operands.result(_counted(n))).astype(wide)
    if step != 1:
        i = i * step
    if start != 0:
        i = i + start
    return i.astype(dtype)


@operands.creates()
def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> ndarray:
    """start, start + step, ... up to but without `stop`; float32 unless said."""
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
    """`num` numbers at even distance from `start` to `stop`; float32 unless said.

    Of arrays, the numbers lie along a new `axis`, in the dtype of the arrays.
    """
    num = operands.count(num, "linspace: num")
    if _is_array(start) or _is_array(stop):
        line, step = _between(start, stop, num, endpoint, dtype)
        return (moveaxis(line, 0, axis), step) if retstep else moveaxis(line, 0, axis)
    operands.axis_of(axis, 1, "linspace")
    start, stop = float(_plain_number(start)), float(_plain_number(stop))
    parts = num - 1 if endpoint else num
    step = (stop - start) / parts if parts else math.nan
    line = _linear(num, start, step if parts else 0.0, dtypes.float64)
    if endpoint and num > 1:
        line = where(equal(operands.result(_counted(num)), num - 1), stop, line)
    line = _floored(line, _dtype(dtype))
    return (line, step) if retstep else line


def _floored(line: Any, dtype: dtypes.DType) -> Any:
    """Numbers in a dtype; of integers the next one below, as in NumPy, not the next one to 0."""
    return (functions.floor(line) if dtypes.is_integer(dtype) else line).astype(dtype)


def _between(start: Any, stop: Any, num: int, endpoint: bool, dtype: Any) -> tuple[Any, Any]:
    """(numbers from arrays to arrays along a new first axis, their distance)"""
    first, last = broadcast_arrays(*together((start, stop), floating, weak=True))
    wide = first.dtype
    parts = num - 1 if endpoint else num
    step = (last - first) / parts if parts > 0 else (last - first) * math.nan
    number = reshape(operands.result(_counted(num)), (num,) + (1,) * first.ndim)
    line = first + number.astype(wide) * step if parts > 0 else first + number.astype(wide)
    if endpoint and num > 1:
        line = where(equal(number, num - 1), last, line)
    return line if dtype is None else _floored(line, _dtype(dtype)), step


@operands.creates()
def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: float = 10.0, dtype: Any = None, axis: int = 0
) -> Any:
    """`base` to the power of `num` numbers at even distance from `start` to `stop`."""
    num = operands.count(num, "logspace: num")
    if _is_array(start) or _is_array(stop):
        powers = power(base, linspace(start, stop, num, endpoint, axis=axis))
        return powers if dtype is None else powers.astype(_dtype(dtype))
    operands.axis_of(axis, 1, "logspace")
    exponents = linspace(start, stop, num, endpoint, dtype=dtypes.float64)
    return (base**exponents).astype(_dtype(dtype))


@operands.creates()
def geomspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0) -> Any:
    """`num` numbers from `start` to `stop`, each of which is the one before times a factor; float32 unless said.

    Raises:
        ValueArgumentError E345: one of both is 0, or their signs differ.
    """
    num = operands.count(num, "geomspace: num")
    among_arrays = _is_array(start) or _is_array(stop)
    first, last = broadcast_arrays(*together((start, stop), floating if among_arrays else double, weak=True))
    operands.check_real("geomspace", first, last)
    wide = first.dtype
    require(greater(first * last, 0), "geomspace: start and stop are not 0, and of one sign")
    sign = where(greater(first, 0), 1.0, -1.0)
    line = power(10.0, linspace(functions.log10(first * sign), functions.log10(last * sign), num, endpoint)) * sign
    number = reshape(operands.result(_counted(num)), (num,) + (1,) * first.ndim)
    line = where(equal(number, 0), first, line)
    if endpoint and num > 1:
        line = where(equal(number, num - 1), last, line)
    default = wide if among_arrays else dtypes.float32
    return moveaxis(_floored(line, _dtype(dtype, default)), 0, axis)


def _positions(rows: int, columns: int) -> tuple[Any, Any]:
    """Row and column number of every element of a matrix, int64."""
    sizes = operands.sizes_from((rows, columns))
    return tuple(operands.result(bind1(ops.Iota(sizes, axis, dtypes.int64))) for axis in (0, 1))


@operands.creates()
def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> ndarray:
    """Ones on the diagonal `k`, zeros elsewhere."""
    row, column = _positions(N, N if M is None else M)
    return equal(column, row + _offset(operands.whole(k, "eye: k"))).astype(_dtype(dtype))


def _offset(k: Any) -> Any:
    """The offset of a diagonal; one that is beyond all arrays is brought to where int64 can add to it."""
    return max(-_FAR, min(k, _FAR)) if isinstance(k, int) else k


_FAR = 1 << 62


@operands.public
def identity(n: int, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """The identity matrix."""
    return eye(n, dtype=dtype, ctx=ctx, device=device)


@operands.creates()
def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Any:
    """Ones on and below the diagonal `k`, zeros above."""
    row, column = _positions(N, N if M is None else M)
    return greater_equal(row + _offset(k), column).astype(_dtype(dtype))


@operands.public
def tril(m: Any, k: int = 0) -> ndarray:
    """The elements on and below the diagonal `k` of the last two axes, zeros above; a vector is every row."""
    return _masked("tril", m, lambda row, column: greater_equal(row + _offset(k), column))


@operands.public
def triu(m: Any, k: int = 0) -> ndarray:
    """The elements on and above the diagonal `k` of the last two axes, zeros below; a vector is every row."""
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
    """The diagonal of two axes, as the last axis; a copy."""
    x = moveaxis(a, (axis1, axis2), (-2, -1))
    rows, columns = x.shape[-2:]
    length = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    i = operands.positions(length)
    return x[..., i - min(offset, 0), i + max(offset, 0)]


@operands.public
def diag(v: Any, k: int = 0) -> Any:
    """The diagonal `k` of a matrix, or the matrix that has a vector there."""
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
    """The matrix that has all elements of `v` on its diagonal `k`."""
    return diag(ravel(v), k)


@operands.public
def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """Write `val` to the main diagonal, in place; of a tall matrix to the next diagonals, too, where it may `wrap`.

    Several numbers are written in turn, again from the first one where the diagonal is longer.

    Raises:
        ShapeError E118: fewer than two axes, or more than two of different sizes.
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
    """Coordinate matrices of coordinate vectors; without `copy`, views of them."""
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
    """The index along each axis, for every element; int64 unless said."""
    shape = operands.sizes_from(dimensions)
    return stack(
        [operands.result(bind1(ops.Iota(shape, axis, _dtype(dtype, dtypes.int64)))) for axis in range(len(shape))]
    )


def _triangle(mask: Any) -> tuple[Any, Any]:
    return tuple(
        operands.result(operands.outside_operand(positions.astype(dtypes.int64))) for positions in numpy.nonzero(mask)
    )


@operands.public
def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Any, Any]:
    """Row and column numbers on and below the diagonal `k`."""
    return _triangle(numpy.tri(n, m, k, dtype=bool))


@operands.public
def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Any, Any]:
    """Row and column numbers on and above the diagonal `k`."""
    return _triangle(~numpy.tri(n, m, k - 1, dtype=bool))
