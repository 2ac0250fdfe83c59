# SPDX-License-Identifier: Apache-2.0
"""Indexing as torch has it, and functions that pick elements by the numbers in a tensor, or put them back.

A key is taken apart as torch does it: integers, slices, None and Ellipsis make a view first, then the tensors in the
key pick of it. (NumPy takes integers beside arrays for arrays, so that the axes of some results are in another order.)
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy

from hybridize import ops
from hybridize.array.ndarray import ndarray
from hybridize.array.operators import functions
from hybridize.array.staging import staging
from hybridize.array.symbol import Symbol
from hybridize.base.dims import broadcast, is_symbolic, known, product
from hybridize.base.dtypes import bool_, int64, is_float
from hybridize.base.types import same_shape
from hybridize.capture.trace.recording import current_trace
from hybridize.formats.torch_export.refusals import within, within_axis
from hybridize.formats.torch_export.registry import operand
from hybridize.ops import Operand, type_of
from hybridize.torch.functions.rules import (
    aten,
    axis_of,
    cast,
    check_fits,
    dtype_name,
    is_tensor,
    kind,
    nothing_of,
    shape_of,
    torch_dtype,
)
from hybridize.torch.functions.selection import coordinates
from hybridize.torch.functions.shapes import at, copied, diagonal, sized, strided
from hybridize.torch.functions.table import computes, views
from hybridize.torch.functions.writing import store

_ALL = slice(None)


def _parts(key: Any) -> list[Any]:
    """Return a key as a list of parts; sequences and NumPy's arrays in it as constant operands."""
    if isinstance(key, tuple):
        given = list(key)
    elif isinstance(key, list) and any(map(_is_no_number, key)) and len(key) < 32:
        given = list(key)  # a list of such is a tuple to torch
    else:
        given = [key]
    return [_part(part) for part in given]


def _is_no_number(part: Any) -> bool:
    """Tell whether a part of a list is what makes it a tuple: a tensor, a slice and the like; a number is none."""
    if isinstance(part, Symbol):
        return part.weak is None
    return isinstance(part, (slice, list, tuple)) or part is None or part is Ellipsis


def _part(part: Any) -> Any:
    if part is None or part is Ellipsis or isinstance(part, (bool, int, slice, Symbol)) or is_symbolic(part):
        return part
    if isinstance(part, ndarray):
        return staging().lift(part)
    if isinstance(part, (list, tuple, range, numpy.ndarray)):
        if not isinstance(part, numpy.ndarray) and any(isinstance(one, Symbol) for one in part):
            each = [ops.reshape(operand(_plain(one), int64), (1,)) for one in part]
            return Symbol.of(staging(), ops.concat(*each, axis=0))
        numbers = numpy.asarray(part)
        if numbers.size == 0:
            numbers = numbers.astype(numpy.int64)
        if numbers.dtype.kind not in "iub":
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        return Symbol.of(staging(), ops.constant(numbers))
    if hasattr(type(part), "__index__"):
        return part.__index__()
    raise IndexError(
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got "
        f"{type(part).__name__})"
    )


def _plain(x: Any) -> Any:
    return x.operand() if isinstance(x, Symbol) else x


def _is_number(part: Any) -> bool:
    """Tell whether a part of a key is one integer, of Python or a tensor without axes."""
    if isinstance(part, Symbol):
        return part.weak is int or (not part.shape and part.dtype.kind in "iu" and part.dtype.name != "uint8")
    return isinstance(part, int) and not isinstance(part, bool)


def _is_mask(part: Any) -> bool:
    return isinstance(part, Symbol) and part.weak is None and (part.dtype == bool_ or part.dtype.name == "uint8")


def _width(part: Any) -> int:
    """Return how many axes of the tensor a part of a key takes."""
    if part is None or part is Ellipsis or isinstance(part, bool) or (isinstance(part, Symbol) and part.weak is bool):
        return 0
    return len(part.shape) if _is_mask(part) else 1


def taken_apart(x: Symbol, key: Any) -> tuple[Symbol, list[Symbol | None]]:
    """Return the view that integers, slices and new axes make, and the tensors of a key by the axes of that view.

    A mask stands for as many axes as it has: at the first of them, with None for the others.

    Raises:
        IndexError: there are too many, or an integer is out of range; in torch's words.
    """
    parts = _parts(key)
    used = sum(map(_width, parts))
    ndim = len(x.shape)
    if used > ndim:
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    dots = [place for place, part in enumerate(parts) if part is Ellipsis]
    if len(dots) > 1:
        middle = [_ALL if part is Ellipsis else part for part in parts[dots[0] + 1 :]]
        return taken_apart(x, (*parts[: dots[0] + 1], *middle))
    place = dots[0] if dots else len(parts)
    parts = [*parts[:place], *[_ALL] * (ndim - used), *parts[place + 1 :]]
    axis = 0
    tensors: list[Symbol | None] = []
    for part in parts:
        if part is None:
            x = sized(x, (*x.shape[:axis], 1, *x.shape[axis:]))
            tensors.append(None)
            axis += 1
        elif isinstance(part, slice):
            x = _sliced(x, axis, part)
            tensors.append(None)
            axis += 1
        elif _is_number(part):
            if not isinstance(part, Symbol):
                size = x.shape[axis]
                if not -size <= part < size:
                    raise IndexError(f"index {part} is out of bounds for dimension {axis} with size {size}")
            x = at(x, axis, part)
        elif isinstance(part, bool) or (isinstance(part, Symbol) and part.weak is bool):
            x = sized(x, (*x.shape[:axis], 1, *x.shape[axis:]))
            flag = bool(part)
            tensors.append(Symbol.of(staging(), ops.constant(numpy.arange(int(flag)))))
            axis += 1
        elif _is_mask(part) and not part.shape:
            x = sized(x, (*x.shape[:axis], 1, *x.shape[axis:]))
            tensors.append(Symbol.of(staging(), ops.reshape(ops.cast(part.operand(), bool_), (1,))))
            axis += 1
        else:
            if part.dtype.kind not in "iub":
                raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
            width = _width(part)
            if _is_mask(part):
                for k, size in enumerate(part.shape):
                    if size != x.shape[axis + k]:
                        raise IndexError(
                            f"The shape of the mask {list(part.shape)} at index {k} does not match the shape of the "
                            f"indexed tensor {list(x.shape)} at index {axis + k}"
                        )
            tensors += [part, *[None] * (width - 1)]
            axis += width
    return x, tensors


def _sliced(x: Symbol, axis: int, part: slice) -> Symbol:
    ends = [_end(end) for end in (part.start, part.stop, part.step)]
    if type(ends[2]) is int and ends[2] <= 0:
        raise ValueError("step must be greater than zero")
    if ends == [None, None, None]:
        return x
    found: Symbol = functions.getitem(x, (*(_ALL,) * axis, slice(*ends)))
    return found


def _end(end: Any) -> Any:
    """Return an end of a slice; a tensor of one integer is one."""
    if isinstance(end, Symbol) and end.weak is None:
        if product(end.shape) != 1 or end.dtype.kind not in "iu":
            raise TypeError("slice indices must be integers or None or have an __index__ method")
        number = Symbol.of(staging(), ops.cast(ops.reshape(end.operand(), ()), int64), weak=int)
        trace = current_trace()
        known = None if trace is None else trace.decided(number)
        return number if known is None else known
    return end


def _without_masks(tensors: Sequence[Symbol | None], what: str) -> list[Operand | None]:
    """Return the tensors of a key with the places of true elements for masks: an index along each axis of the mask.

    Raises:
        CaptureError E422: how many that are stays data.
    """
    found: list[Operand | None] = []
    for axis, one in enumerate(tensors):
        if one is not None and _is_mask(one):
            found[axis:] = coordinates(one.operand(), what)
        elif axis >= len(found):
            found.append(None if one is None else one.operand())
    return found


@views("Tensor.__getitem__")
def _getitem(input: Symbol, key: Any) -> Symbol:
    view, tensors = taken_apart(input, key)
    given = [one for one in tensors if one is not None]
    if not given:
        return view if view is not input else input.same()
    return Symbol.of(staging(), picked(view.operand(), _without_masks(tensors, "x[mask]")))


def picked(x: Operand, indices: Sequence[Operand | None]) -> Operand:
    """Return the elements of a tensor at indices along some axes, broadcast against each other."""
    batch = _batch([one for one in indices if one is not None])
    axes = [axis for axis, one in enumerate(indices) if one is not None]
    shape = type_of(x).shape
    rest = [size for axis, size in enumerate(shape) if axis not in axes]
    front = axes[0] if axes == list(range(axes[0], axes[-1] + 1)) else 0
    dtype = torch_dtype(type_of(x).dtype)
    return aten("index.Tensor", kind(dtype, (*rest[:front], *batch, *rest[front:])), x, list(indices))


def _batch(given: Sequence[Operand]) -> tuple[Any, ...]:
    found = broadcast(*(type_of(one).shape for one in given))
    if found is None:
        sizes = ", ".join(str(list(type_of(one).shape)) for one in given)
        raise IndexError(f"shape mismatch: indexing tensors could not be broadcast together with shapes {sizes}")
    return found


@views("Tensor.__setitem__")
def _setitem(input: Symbol, key: Any, source: Any) -> None:
    view, tensors = taken_apart(input, key)
    put(view, tensors, source)


def put(view: Symbol, tensors: Sequence[Symbol | None], value: Any, accumulate: bool = False) -> None:
    """Write a value, cast and broadcast, to elements of a tensor: all, those at indices, or those of a mask."""
    given = [one for one in tensors if one is not None]
    dtype = view.dtype
    check_fits(value, dtype, "fills")
    if isinstance(value, Symbol) or is_tensor(value):
        update = cast(_plain(value), dtype)
    else:
        update = operand(value, dtype)
    if any(map(_is_mask, given)) and _put_masked(view, tensors, update, accumulate):
        return
    if not given:
        fitted = fits(update, view.shape, sliced=True)
        store(view, ops.add(view.operand(), fitted) if accumulate else fitted)
        return
    if isinstance(value, Symbol) and value.weak is None and value.dtype != dtype:
        raise RuntimeError(
            "Index put requires the source and destination dtypes match, got "
            f"{dtype_name(dtype)} for the destination and {dtype_name(value.dtype)} for the source."
        )
    indices = _without_masks(tensors, "x[mask] = value, with as many values,")
    base = view.operand()
    batch = _batch([one for one in indices if one is not None])
    axes = [axis for axis, one in enumerate(indices) if one is not None]
    rest = [size for axis, size in enumerate(view.shape) if axis not in axes]
    front = axes[0] if axes == list(range(axes[0], axes[-1] + 1)) else 0
    fitted = fits(update, (*rest[:front], *batch, *rest[front:]))
    store(view, aten("index_put.default", type_of(base), base, indices, fitted, accumulate))


def fits(value: Operand, shape: Sequence[Any], sliced: bool = False) -> Operand:
    """Return a value broadcast to sizes; axes of size 1 in front do not count.

    Raises:
        RuntimeError: it does not fit; in torch's words.
    """
    sizes = type_of(value).shape
    while len(sizes) > len(shape) and sizes[0] == 1:
        sizes = sizes[1:]
    common = broadcast(sizes, tuple(shape))
    if common is None or not same_shape(common, tuple(shape)):
        if sliced and len(sizes) <= len(shape):
            axis, (old, size) = next(
                (len(shape) - k, pair)
                for k, pair in enumerate(zip(reversed(sizes), reversed(shape), strict=False), 1)
                if pair[0] not in (1, pair[1])
            )
            raise RuntimeError(
                f"The expanded size of the tensor ({size}) must match the existing size ({old}) at non-singleton "
                f"dimension {axis}.  Target sizes: {list(shape)}.  Tensor sizes: {list(sizes)}"
            )
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(type_of(value).shape)} cannot be broadcast to indexing "
            f"result of shape {list(shape)}"
        )
    return ops.broadcast(ops.reshape(value, sizes), tuple(shape))


def _put_masked(view: Symbol, tensors: Sequence[Symbol | None], update: Operand, accumulate: bool) -> bool:
    """Write one value to the elements of a mask, a choice between it and what was there; tell whether that is all.

    It is not where there are as many values as elements, or the mask is beside another tensor.
    """
    places = [axis for axis, one in enumerate(tensors) if one is not None]
    if len(places) > 1:
        return False
    axis = places[0]
    chosen = tensors[axis]
    assert chosen is not None
    mask = ops.cast(chosen.operand(), bool_)
    width = len(chosen.shape)
    rest = len(view.shape) - axis - width
    sizes = type_of(update).shape
    if len(sizes) > rest:
        if sizes[len(sizes) - rest - 1] != 1:
            return False
        cut = len(sizes) - rest - 1
        update = ops.reshape(update, (*sizes[:cut], *(1,) * width, *sizes[cut + 1 :]))
    everywhere = ops.broadcast(ops.reshape(mask, (*chosen.shape, *(1,) * rest)), view.shape)
    before = view.operand()
    fitted = fits(update, view.shape)
    store(view, ops.where(everywhere, ops.add(before, fitted) if accumulate else fitted, before))
    return True


# Along an axis.


@computes("gather")
def _gather(input: Operand, dim: int, index: Operand, *, sparse_grad: bool = False) -> Operand:
    shape, sizes = type_of(input).shape, type_of(index).shape
    axis = axis_of(dim, len(shape))
    if known(sizes) and 0 in sizes:
        return nothing_of(input, sizes)
    if type_of(index).dtype.name not in ("int64", "int32"):
        raise RuntimeError("gather(): Expected dtype int32/int64 for index")
    _check_axes(input, index, axis, "gather")
    result = kind(torch_dtype(type_of(input).dtype), sizes)
    input, index = (ops.reshape(x, type_of(x).shape or (1,)) for x in (input, index))
    found = aten("gather.default", result, input, axis, ops.cast(index, int64))
    return ops.reshape(found, sizes)


def _check_axes(x: Operand, index: Operand, axis: int, name: str) -> None:
    shape, sizes = type_of(x).shape or (1,), type_of(index).shape or (1,)
    if known(sizes) and 0 in sizes:
        return
    if len(shape) != len(sizes):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    for k, (size, count) in enumerate(zip(shape, sizes, strict=True)):
        if k != axis and count > size:
            raise RuntimeError(
                f"Size does not match at dimension {k} expected index {list(sizes)} to be no larger than self "
                f"{list(shape)} apart from dimension {axis}"
            )


@computes("take_along_dim")
def _take_along_dim(input: Operand, indices: Operand, dim: int | None = None) -> Operand:
    if type_of(indices).dtype.name != "int64":
        raise RuntimeError("torch.take_along_dim(): dtype of indices should be Long but got another")
    if dim is None:
        flat, numbers = (ops.reshape(x, (product(type_of(x).shape),)) for x in (input, indices))
        return _gather(flat, 0, numbers)
    if type_of(input).ndim != type_of(indices).ndim:
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{type_of(input).ndim} dimensions for input, and {type_of(indices).ndim} dimensions for indices"
        )
    axis = axis_of(dim, type_of(input).ndim)
    ones = [tuple(1 if k == axis else size for k, size in enumerate(type_of(x).shape)) for x in (input, indices)]
    wide = broadcast(*ones)
    if wide is None:
        shape_of(input, indices)
    assert wide is not None
    pair = [
        ops.broadcast(x, tuple(type_of(x).shape[axis] if k == axis else size for k, size in enumerate(wide)))
        for x in (input, indices)
    ]
    numbers = ops.mod(pair[1], ops.like(type_of(input).shape[axis], pair[1]))  # beyond an end PyTorch begins anew
    return _gather(pair[0], axis, numbers)


@computes("index_select")
def _index_select(input: Operand, dim: int, index: Operand) -> Operand:
    shape = type_of(input).shape
    axis = axis_of(dim, len(shape))
    if type_of(index).ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    numbers = ops.reshape(ops.cast(index, int64), (product(type_of(index).shape),))
    if not shape:
        found = ops.gather(ops.reshape(input, (1,)), within_axis(numbers, 1, 0), 0)
        return ops.reshape(found, ())
    return ops.gather(input, within_axis(numbers, shape[axis], axis), axis)


@computes("take")
def _take(input: Operand, index: Operand) -> Operand:
    if type_of(index).dtype.name != "int64":
        raise RuntimeError("take(): Expected a long tensor for index, but got another")
    flat = ops.reshape(input, (product(type_of(input).shape),))
    sizes = type_of(index).shape
    count = (product(sizes),)
    result = kind(torch_dtype(type_of(input).dtype), count)
    return ops.reshape(aten("index.Tensor", result, flat, [ops.reshape(index, count)]), sizes)


@computes("put", alike="input source")
def _put(input: Operand, index: Operand, source: Operand, accumulate: bool = False) -> Operand:
    if type_of(index).dtype.name != "int64":
        raise RuntimeError("put_(): Expected a long tensor for index, but got another")
    shape = type_of(input).shape
    count = (product(type_of(index).shape),)
    if product(type_of(source).shape) != count[0]:
        raise RuntimeError(
            f"put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{product(type_of(source).shape)}, index.numel() = {count[0]}"
        )
    flat = ops.reshape(input, (product(shape),))
    updates = ops.reshape(source, count)
    put_ = aten("index_put.default", type_of(flat), flat, [ops.reshape(index, count)], updates, accumulate)
    return ops.reshape(put_, shape)


def _along(x: Operand, axis: int, index: Operand, source: Any, accumulate: bool, name: str) -> Operand:
    """Return a tensor with parts of it, at indices of an axis, set to parts of another one, or those added."""
    shape = type_of(x).shape
    if type_of(index).ndim > 1:
        raise IndexError(f"{name}(): Index is supposed to be a vector")
    count = product(type_of(index).shape)
    numbers = ops.reshape(ops.cast(index, int64), (count,))
    numbers = within_axis(numbers, shape[axis], axis) if accumulate else within(numbers, shape[axis])
    wide = (*shape[:axis], count, *shape[axis + 1 :])
    if is_tensor(source):
        sizes = type_of(source).shape or (1,)
        common = broadcast(sizes, wide)
        if len(sizes) != len(wide) or common is None or not same_shape(common, wide) or sizes != wide:
            raise RuntimeError(
                f"{name}(): source of sizes {list(sizes)} does not fit the {count} indices of dimension {axis} of a "
                f"tensor of sizes {list(shape)}"
            )
        source = ops.reshape(source, sizes)
    indices: list[Operand | None] = [None] * len(shape)
    indices[axis] = numbers
    return aten("index_put.default", type_of(x), x, indices, operand(source, type_of(x).dtype, wide), accumulate)


def _with_axes(x: Operand) -> Operand:
    return x if type_of(x).shape else ops.reshape(x, (1,))


@computes("index_add", alike="input source", held="alpha")
def _index_add(input: Operand, dim: int, index: Operand, source: Operand, *, alpha: Any = 1) -> Operand:
    axis, shape = axis_of(dim, type_of(input).ndim), type_of(input).shape
    if alpha != 1:
        source = ops.mul(source, operand(alpha, type_of(source).dtype, type_of(source).shape))
    return ops.reshape(_along(_with_axes(input), axis, index, source, True, "index_add"), shape)


@computes("index_copy", alike="input source")
def _index_copy(input: Operand, dim: int, index: Operand, source: Operand) -> Operand:
    axis, shape = axis_of(dim, type_of(input).ndim), type_of(input).shape
    return ops.reshape(_along(_with_axes(input), axis, index, source, False, "index_copy"), shape)


@computes("index_fill", held="value")
def _index_fill(input: Operand, dim: int, index: Operand, value: Any) -> Operand:
    axis, shape = axis_of(dim, type_of(input).ndim), type_of(input).shape
    if is_tensor(value) and type_of(value).shape:
        raise RuntimeError(
            f"index_fill_ only supports a 0-dimensional value tensor, but got tensor with {type_of(value).ndim} "
            "dimension(s)."
        )
    x = _with_axes(input)
    wide, count = type_of(x).shape, product(type_of(index).shape)
    numbers = _from_front(ops.reshape(ops.cast(index, int64), (count,)), wide[axis])
    lines = (wide[axis], count)
    there = ops.any(ops.eq(ops.iota(lines, 0, int64), ops.broadcast(numbers, lines)), (1,))
    along = ops.reshape(there, tuple(size if k == axis else 1 for k, size in enumerate(wide)))
    return ops.reshape(ops.where(ops.broadcast(along, wide), operand(value, type_of(x).dtype, wide), x), shape)


@computes("fill_diagonal_", fills="fill_value")
def _fill_diagonal(input: Operand, fill_value: Any, wrap: bool = False) -> Operand:
    of = type_of(input)
    if of.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    if of.ndim > 2 and any(size != of.shape[0] for size in of.shape[1:]):
        raise RuntimeError("all dimensions of input must be of equal length")
    first, *others = (ops.iota(of.shape, axis, int64) for axis in range(of.ndim))
    if wrap and of.ndim == 2:  # below its end, and a row without, the diagonal begins anew
        first = ops.mod(first, ops.like(of.shape[1] + 1, first))
    there = functools.reduce(ops.bit_and, (ops.eq(first, other) for other in others))
    return ops.where(there, operand(fill_value, of.dtype, of.shape), input)


def _from_front(index: Operand, size: Any) -> Operand:
    within(index, size, -size)
    return ops.where(ops.lt(index, ops.like(0, index)), ops.add(index, ops.like(size, index)), index)


@computes("index_put", "_unsafe_index_put", alike="input values")
def _index_put(input: Operand, indices: Sequence[Any], values: Operand, accumulate: bool = False) -> Operand:
    made = Symbol.of(staging(), input)
    key = [
        _ALL if one is None else Symbol.of(staging(), one if type_of(one).shape else ops.reshape(one, (1,)))
        for one in indices
    ]
    view, tensors = taken_apart(made, tuple(key))
    put(view, tensors, values, accumulate)
    return made.operand()


# At points along an axis.


def _scattered(x: Operand, dim: int, index: Operand, source: Any, mode: str, name: str) -> Operand:
    shape = type_of(x).shape
    axis = axis_of(dim, len(shape))
    if known(type_of(index).shape) and 0 in type_of(index).shape:
        return x
    _check_axes(x, index, axis, name)
    if is_tensor(source):
        source = _with_axes(source)
    base, numbers = _with_axes(x), ops.cast(_with_axes(index), int64)
    by = {"set": "scatter.src" if is_tensor(source) else "scatter.value", "add": "scatter_add.default"}[mode]
    return ops.reshape(aten(by, type_of(base), base, axis, numbers, source), shape)


@computes("scatter", alike="input src", held="src value")
def _scatter(
    input: Operand, dim: int, index: Operand, src: Any = None, *, value: Any = None, reduce: str | None = None
) -> Operand:
    source = value if src is None else src
    if not is_tensor(source):
        source = operand(source, type_of(input).dtype, type_of(index).shape)
    if reduce is None:
        return _scattered(input, dim, index, source, "set", "scatter")
    if reduce not in ("add", "multiply"):
        raise RuntimeError("reduce argument must be either add or multiply.")
    return reduced_by(input, dim, index, source, "sum" if reduce == "add" else "prod", True)


@computes("scatter_add", alike="input src")
def _scatter_add(input: Operand, dim: int, index: Operand, src: Operand) -> Operand:
    return _scattered(input, dim, index, src, "add", "scatter_add")


@computes("scatter_reduce", alike="input src")
def _scatter_reduce(
    input: Operand, dim: int, index: Operand, src: Operand, reduce: str, *, include_self: bool = True
) -> Operand:
    if reduce not in ("sum", "mean", "prod", "amin", "amax"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    return reduced_by(input, dim, index, src, reduce, include_self)


@computes("index_reduce", alike="input source")
def _index_reduce(
    input: Operand, dim: int, index: Operand, source: Operand, reduce: str, *, include_self: bool = True
) -> Operand:
    axis = axis_of(dim, type_of(input).ndim)
    wide = type_of(_with_axes(source)).shape
    along = tuple(size if k == axis else 1 for k, size in enumerate(wide))
    numbers = ops.broadcast(ops.reshape(index, along), wide)
    return reduced_by(input, dim, numbers, _with_axes(source), reduce, include_self)


def reduced_by(x: Operand, dim: int, index: Operand, source: Operand, how: str, include_self: bool) -> Operand:
    """Return a tensor whose elements at indices of an axis are joined with those of another one.

    Sums are scattered; other ways compare every index of a line with every place of it.
    """
    shape, dtype = type_of(x).shape, type_of(x).dtype
    axis = axis_of(dim, len(shape))
    if known(type_of(index).shape) and 0 in type_of(index).shape:
        return x
    _check_axes(x, index, axis, "scatter_reduce")
    base, numbers = _with_axes(x), _with_axes(ops.cast(index, int64))
    sizes = type_of(numbers).shape
    source = _with_axes(source)
    updates = ops.slice(source, (0,) * len(sizes), sizes, (1,) * len(sizes))
    one, zero = operand(1, dtype, sizes), operand(0, dtype, type_of(base).shape)
    if how in ("sum", "mean"):
        counts = aten("scatter_add.default", type_of(base), zero, axis, numbers, one)
        hit = ops.gt(counts, zero)
        start = base if include_self else ops.where(hit, zero, base)
        total = aten("scatter_add.default", type_of(base), start, axis, numbers, updates)
        if how == "mean":
            many = operand(1, dtype, type_of(base).shape)
            counts = ops.max(ops.add(counts, many) if include_self else counts, many)
            total = ops.div(total, counts) if is_float(dtype) else ops.floor_div(total, counts)
        return ops.reshape(total, shape)
    numbers = within_axis(numbers, type_of(base).shape[axis], axis)
    return ops.reshape(_joined_lines(base, axis, numbers, updates, how, include_self), shape)


def _joined_lines(x: Operand, axis: int, numbers: Operand, updates: Operand, how: str, include_self: bool) -> Operand:
    """Products and extremes: [.., places, .., indices], of which those that are elsewhere count for nothing."""
    shape, sizes, dtype = type_of(x).shape, type_of(numbers).shape, type_of(x).dtype
    ndim = len(shape)
    order = (*(k for k in range(ndim) if k != axis), axis)
    others = tuple(sizes[k] for k in order[:-1])
    wide = (*others, shape[axis], sizes[axis])
    ours = ops.transpose(numbers, order), ops.transpose(updates, order)
    spread = [ops.broadcast(ops.reshape(one, (*others, 1, sizes[axis])), wide) for one in ours]
    there = ops.eq(spread[0], ops.iota(wide, ndim - 1, int64))
    hit = ops.any(there, (ndim,))
    if how == "prod":
        neutral: Any = 1
    else:
        bounds = numpy.finfo(dtype) if dtype.kind == "f" else None
        low, high = (-numpy.inf, numpy.inf) if bounds is not None or is_float(dtype) else _range(dtype)
        neutral = low if how == "amax" else high
    parts = ops.where(there, spread[1], operand(neutral, dtype, wide))
    # the own element is one more of those that are joined
    stops = tuple(sizes[k] if k != axis else size for k, size in enumerate(shape))
    part = ops.transpose(ops.slice(x, (0,) * ndim, stops, (1,) * ndim), order)
    own = part if include_self else ops.where(hit, operand(neutral, dtype, type_of(part).shape), part)
    every = ops.concat(parts, ops.reshape(own, (*type_of(own).shape, 1)), axis=ndim)
    joined = _JOIN[how](every, ndim)
    back = ops.transpose(joined, ops.Transpose(order).inverse)
    return ops.update_slice(x, back, (0,) * ndim, stops, (1,) * ndim)


def _range(dtype: Any) -> tuple[int, int]:
    if dtype == bool_:
        return 0, 1
    info = numpy.iinfo(dtype)
    return int(info.min), int(info.max)


def _extreme(name: str) -> Any:
    def joined(x: Operand, axis: int) -> Operand:
        shape = type_of(x).shape
        kind_ = kind(torch_dtype(type_of(x).dtype), (*shape[:axis], *shape[axis + 1 :]))
        return aten(f"{name}.default", kind_, x, [axis])

    return joined


def _product(x: Operand, axis: int) -> Operand:
    shape = type_of(x).shape
    if type_of(x).dtype == bool_:
        return ops.all(x, (axis,))
    kind_ = kind(torch_dtype(type_of(x).dtype), (*shape[:axis], *shape[axis + 1 :]))
    return aten("prod.dim_int", kind_, x, axis)


_JOIN = {"prod": _product, "amax": _extreme("amax"), "amin": _extreme("amin")}


# Masks, and what has a size that depends on data.


@computes("select_scatter")
def _select_scatter(input: Operand, src: Operand, dim: int, index: int) -> Operand:
    axis = axis_of(dim, type_of(input).ndim)
    size = type_of(input).shape[axis]
    if not -size <= index < size:
        raise IndexError(f"select_scatter(): index {index} out of range for dimension {axis} of size {size}")
    return aten("select_scatter.default", type_of(input), input, src, axis, index)


@computes("slice_scatter")
def _slice_scatter(
    input: Operand, src: Operand, dim: int = 0, start: Any = None, end: Any = None, step: int = 1
) -> Operand:
    return aten("slice_scatter.default", type_of(input), input, src, dim, start, end, step)


@views("diagonal_scatter")
def _diagonal_scatter(input: Symbol, src: Symbol, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Symbol:
    made = copied(input)
    view = diagonal(made, offset, dim1, dim2)
    if view.shape != src.shape:
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(src.shape)}, slice size = "
            f"{list(view.shape)}"
        )
    store(view, ops.cast(src.operand(), made.dtype))
    return made


@views("as_strided_scatter")
def _as_strided_scatter(input: Symbol, src: Symbol, size: Any, stride: Any, storage_offset: Any = None) -> Symbol:
    made = copied(input)
    store(strided(made, size, stride, storage_offset), ops.cast(src.operand(), made.dtype))
    return made
