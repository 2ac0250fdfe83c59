# SPDX-License-Identifier: Apache-2.0
"""Indexing as torch has it, and functions that pick elements by the numbers in a tensor, or put them back.

A key is taken apart as torch does it: integers, slices, None and Ellipsis make a view first, then the tensors in the
key pick of it. (NumPy takes integers beside arrays for arrays, so that the axes of some results are in another order.)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from hybridize import ops
from hybridize.array import layouts
from hybridize.array.ndarray import ndarray
from hybridize.array.operators import functions
from hybridize.array.staging import staging
from hybridize.array.symbol import Symbol
from hybridize.base.dims import broadcast, is_symbolic, known, product
from hybridize.base.dtypes import bool_, int64, is_float
from hybridize.base.types import Shape, same_shape
from hybridize.capture.trace.recording import current_trace
from hybridize.ops import Operand, type_of
from hybridize.torch.functions import rules
from hybridize.torch.functions.operands import operand, underived, within, within_axis
from hybridize.torch.functions.selection import coordinates
from hybridize.torch.functions.shapes import at, copied, diagonal, sized, strided
from hybridize.torch.functions.table import computes, views
from hybridize.torch.functions.writing import store

_ALL = slice(None)


def _parts(key: Any) -> list[Any]:
    """Return a key as a list of parts; sequences and NumPy's arrays in it as constant operands."""
    if isinstance(key, tuple):
        parts = list(key)
    elif isinstance(key, list) and any(map(_is_no_number, key)) and len(key) < 32:
        parts = list(key)  # a list of such is a tuple to torch
    else:
        parts = [key]
    return [_part(part) for part in parts]


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
        rules.expect(numbers.dtype.kind in "iub")
        return Symbol.of(staging(), ops.constant(numbers))
    rules.expect(hasattr(type(part), "__index__"))
    return part.__index__()


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
    rules.expect(used <= ndim)
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
                rules.expect(-size <= part < size)
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
            rules.expect(part.dtype.kind in "iub")
            width = _width(part)
            if _is_mask(part):
                for k, size in enumerate(part.shape):
                    rules.expect(size == x.shape[axis + k])
            tensors += [part, *[None] * (width - 1)]
            axis += width
    return x, tensors


def _sliced(x: Symbol, axis: int, part: slice) -> Symbol:
    ends = [_end(end) for end in (part.start, part.stop, part.step)]
    rules.expect(type(ends[2]) is not int or ends[2] > 0)
    if ends == [None, None, None]:
        return x
    view: Symbol = functions.getitem(x, (*(_ALL,) * axis, slice(*ends)))
    return view


def _end(end: Any) -> Any:
    """Return an end of a slice; a tensor of one integer is one."""
    if isinstance(end, Symbol) and end.weak is None:
        rules.expect(product(end.shape) == 1 and end.dtype.kind in "iu")
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
    indices: list[Operand | None] = []
    for axis, one in enumerate(tensors):
        if one is not None and _is_mask(one):
            indices[axis:] = coordinates(one.operand(), what)
        elif axis >= len(indices):
            indices.append(None if one is None else one.operand())
    return indices


@views("Tensor.__getitem__")
def _getitem(input: Symbol, key: Any) -> Symbol:
    view, tensors = taken_apart(input, key)
    selectors = [one for one in tensors if one is not None]
    if not selectors:
        return view if view is not input else input.same()
    return Symbol.of(staging(), picked(view.operand(), _without_masks(tensors, "x[mask]")))


def picked(x: Operand, indices: Sequence[Operand | None]) -> Operand:
    """Return the elements of a tensor at indices along some axes, broadcast against each other."""
    axes, batch, front = _placed(indices)
    points = _points(x, axes, indices, batch)
    if len(axes) == 1:
        return ops.gather(x, ops.reshape(points, type_of(points).shape[:-1]), axes[0])
    rest = [axis for axis in range(type_of(x).ndim) if axis not in axes]
    elements = ops.gather_nd(ops.transpose(x, (*axes, *rest)), points)
    return ops.transpose(elements, _back(len(batch), type_of(elements).ndim, front))


def _placed(indices: Sequence[Operand | None]) -> tuple[list[int], Shape, int]:
    """Return the axes that are picked from, the sizes of what is picked, and where its axes are to stand."""
    axes = [axis for axis, one in enumerate(indices) if one is not None]
    batch = rules.fitting(*(type_of(one).shape for one in indices if one is not None))
    return axes, batch, axes[0] if axes == list(range(axes[0], axes[-1] + 1)) else 0


def _points(x: Operand, axes: Sequence[int], indices: Sequence[Operand | None], batch: Shape) -> Operand:
    """Return what is picked, as [..., axes]."""
    columns = (_from_front(operand(indices[axis], int64, batch), type_of(x).shape[axis]) for axis in axes)
    return ops.concat(*(ops.reshape(one, (*batch, 1)) for one in columns), axis=len(batch))


def _back(batch: int, ndim: int, front: int) -> tuple[int, ...]:
    """The order of axes that puts the first `batch` ones behind `front` others."""
    others = range(batch, ndim)
    return (*others[:front], *range(batch), *others[front:])


def _written(
    x: Operand, indices: Sequence[Operand | None], accumulate: bool, updates: Callable[[tuple[Any, ...]], Operand]
) -> Operand:
    """Return a tensor with updates, which are asked for by their sizes, set at indices of some axes or added there."""
    axes, batch, front = _placed(indices)
    rest = [axis for axis in range(type_of(x).ndim) if axis not in axes]
    order, wide = (*axes, *rest), (*batch, *(type_of(x).shape[axis] for axis in rest))
    back = _back(len(batch), len(wide), front)
    new = ops.transpose(updates(tuple(wide[k] for k in back)), ops.Transpose(back).inverse)
    points = _points(x, axes, indices, batch)
    total = _put_at(ops.transpose(x, order), points, new, "add" if accumulate else "set")
    return ops.transpose(total, ops.Transpose(order).inverse)


def _put_at(base: Operand, points: Operand, updates: Operand, mode: str) -> Operand:
    """Set or add updates at points. As in PyTorch, each has the gradient of its point, whether it is seen there or not.

    The op's own rule knows which of several updates of one point is seen; PyTorch's does not ask.
    """
    kinds = tuple(map(type_of, (base, points, updates)))
    if mode == "add" and kinds[0].dtype == bool_:  # true where one of them is
        return ops.cast(ops.scatter_nd(ops.cast(base, int64), points, ops.cast(updates, int64), mode), bool_)
    if mode == "add" or not is_float(kinds[0].dtype):
        return ops.scatter_nd(base, points, updates, mode)
    body = ops.make_graph(lambda x, at, new: [ops.scatter_nd(x, at, new, mode)], kinds)
    back = ops.make_graph(
        lambda g, at: [ops.scatter_nd(g, at, ops.full(0, kinds[2]), mode), ops.gather_nd(g, at)], kinds[:2]
    )
    # The pool that `reads` counts in: a cotangent, a result, three operands.
    return ops.bind(ops.CustomGradient("put", body, back, 1, (0, 3), (0, 2)), base, points, updates)[0]


@views("Tensor.__setitem__")
def _setitem(input: Symbol, key: Any, source: Any) -> None:
    view, tensors = taken_apart(input, key)
    put(view, tensors, source)


def put(view: Symbol, tensors: Sequence[Symbol | None], value: Any, accumulate: bool = False) -> None:
    """Write a value, cast and broadcast, to elements of a tensor: all, those at indices, or those of a mask."""
    selectors = [one for one in tensors if one is not None]
    dtype = view.dtype
    rules.check_fits(value, dtype, "fills")
    if isinstance(value, Symbol) or rules.is_tensor(value):
        update = rules.cast(_plain(value), dtype)
    else:
        update = operand(value, dtype)
    if any(map(_is_mask, selectors)) and _put_masked(view, tensors, update, accumulate):
        return
    if not selectors:
        fitted = rules.fits(update, view.shape)
        if product(view.shape) == product(view.base.shape):
            fitted = rules.overwritten(view.operand(), fitted)
        store(view, ops.add(view.operand(), fitted) if accumulate else fitted)
        return
    rules.expect(not isinstance(value, Symbol) or value.weak is not None or value.dtype == dtype)
    indices = _without_masks(tensors, "x[mask] = value, with as many values,")
    store(view, _written(view.operand(), indices, accumulate, functools.partial(rules.fits, update)))


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
    fitted = rules.fits(update, view.shape)
    store(view, ops.where(everywhere, ops.add(before, fitted) if accumulate else fitted, before))
    return True


# Along an axis.


@computes("gather")
def _gather(input: Operand, dim: int, index: Operand, *, sparse_grad: bool = False) -> Operand:
    shape, sizes = type_of(input).shape, type_of(index).shape
    axis = rules.axis_of(dim, len(shape))
    if known(sizes) and 0 in sizes:
        return rules.nothing_of(input, sizes)
    rules.expect(type_of(index).dtype.name in ("int64", "int32"))
    _check_axes(input, index, axis)
    x, numbers = _with_axes(input), within_axis(_with_axes(ops.cast(index, int64)), (shape or (1,))[axis], axis)
    lines = _corner(x, tuple(shape[k] if k == axis else size for k, size in enumerate(sizes)) or (1,))
    return ops.reshape(ops.take_along_axis(lines, numbers, axis), sizes)


def _corner(x: Operand, sizes: Sequence[Any]) -> Operand:
    """Return the first elements of a tensor along each axis."""
    return ops.slice(x, (0,) * len(sizes), tuple(sizes), (1,) * len(sizes))


def _check_axes(x: Operand, index: Operand, axis: int) -> None:
    shape, sizes = type_of(x).shape or (1,), type_of(index).shape or (1,)
    if known(sizes) and 0 in sizes:
        return
    rules.expect(len(shape) == len(sizes))
    for k, (size, count) in enumerate(zip(shape, sizes, strict=True)):
        rules.expect(k == axis or count <= size)


@computes("take_along_dim")
def _take_along_dim(input: Operand, indices: Operand, dim: int | None = None) -> Operand:
    rules.expect(type_of(indices).dtype.name == "int64")
    if dim is None:
        flat, numbers = (ops.reshape(x, (product(type_of(x).shape),)) for x in (input, indices))
        return _gather(flat, 0, numbers)
    rules.expect(type_of(input).ndim == type_of(indices).ndim)
    axis = rules.axis_of(dim, type_of(input).ndim)
    ones = [tuple(1 if k == axis else size for k, size in enumerate(type_of(x).shape)) for x in (input, indices)]
    wide = broadcast(*ones)
    if wide is None:
        rules.shape_of(input, indices)
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
    axis = rules.axis_of(dim, len(shape))
    rules.expect(type_of(index).ndim <= 1)
    numbers = ops.reshape(ops.cast(index, int64), (product(type_of(index).shape),))
    if not shape:
        element = ops.gather(ops.reshape(input, (1,)), within(numbers, 1), 0)
        return ops.reshape(element, ())
    checked = within_axis(numbers, shape[axis], axis) if axis else within(numbers, shape[axis])  # as PyTorch's classes
    return ops.gather(input, checked, axis)


@computes("take")
def _take(input: Operand, index: Operand) -> Operand:
    rules.expect(type_of(index).dtype.name == "int64")
    flat = ops.reshape(input, (product(type_of(input).shape),))
    return picked(flat, [index])


@computes("put", alike="input source")
def _put(input: Operand, index: Operand, source: Operand, accumulate: bool = False) -> Operand:
    rules.expect(type_of(index).dtype.name == "int64")
    shape = type_of(input).shape
    count = (product(type_of(index).shape),)
    rules.expect(product(type_of(source).shape) == count[0])
    flat = ops.reshape(input, (product(shape),))
    updates = ops.reshape(source, count)
    elements = _written(flat, [ops.reshape(index, count)], accumulate, lambda _: updates)
    return ops.reshape(elements, shape)


def _along(x: Operand, axis: int, index: Operand, source: Any, accumulate: bool) -> Operand:
    """Return a tensor with parts of it, at indices of an axis, set to parts of another one, or those added."""
    shape = type_of(x).shape
    rules.expect(type_of(index).ndim <= 1)
    count = product(type_of(index).shape)
    numbers = ops.reshape(ops.cast(index, int64), (count,))
    numbers = within_axis(numbers, shape[axis], axis) if accumulate else within(numbers, shape[axis])
    wide = (*shape[:axis], count, *shape[axis + 1 :])
    if rules.is_tensor(source):
        sizes = type_of(source).shape or (1,)
        common = broadcast(sizes, wide)
        rules.expect(len(sizes) == len(wide) and common is not None and same_shape(common, wide) and sizes == wide)
        source = ops.reshape(source, sizes)
    indices: list[Operand | None] = [None] * len(shape)
    indices[axis] = numbers
    return _written(x, indices, accumulate, functools.partial(operand, source, type_of(x).dtype))


def _with_axes(x: Operand) -> Operand:
    return x if type_of(x).shape else ops.reshape(x, (1,))


@computes("index_add", alike="input source", held="alpha")
def _index_add(input: Operand, dim: int, index: Operand, source: Operand, *, alpha: Any = 1) -> Operand:
    axis, shape = rules.axis_of(dim, type_of(input).ndim), type_of(input).shape
    if alpha != 1:
        source = ops.mul(source, operand(alpha, type_of(source).dtype, type_of(source).shape))
    return ops.reshape(_along(_with_axes(input), axis, index, source, True), shape)


@computes("index_copy", alike="input source")
def _index_copy(input: Operand, dim: int, index: Operand, source: Operand) -> Operand:
    axis, shape = rules.axis_of(dim, type_of(input).ndim), type_of(input).shape
    return ops.reshape(_along(_with_axes(input), axis, index, source, False), shape)


@computes("index_fill", held="value")
def _index_fill(input: Operand, dim: int, index: Operand, value: Any) -> Operand:
    axis, shape = rules.axis_of(dim, type_of(input).ndim), type_of(input).shape
    rules.expect(not rules.is_tensor(value) or not type_of(value).shape)
    x = _with_axes(input)
    wide, count = type_of(x).shape, product(type_of(index).shape)
    numbers = _from_front(ops.reshape(ops.cast(index, int64), (count,)), wide[axis])
    lines = (wide[axis], count)
    mask = ops.any(ops.eq(ops.iota(lines, 0, int64), ops.broadcast(numbers, lines)), (1,))
    along = ops.reshape(mask, tuple(size if k == axis else 1 for k, size in enumerate(wide)))
    return ops.reshape(ops.where(ops.broadcast(along, wide), operand(value, type_of(x).dtype, wide), x), shape)


@computes("fill_diagonal_", fills="fill_value")
def _fill_diagonal(input: Operand, fill_value: Any, wrap: bool = False) -> Operand:
    of = type_of(input)
    rules.expect(of.ndim >= 2)
    rules.expect(of.ndim <= 2 or all(size == of.shape[0] for size in of.shape[1:]))
    first, *others = (ops.iota(of.shape, axis, int64) for axis in range(of.ndim))
    if wrap and of.ndim == 2:  # below its end, and a row without, the diagonal begins anew
        first = ops.mod(first, ops.like(of.shape[1] + 1, first))
    mask = functools.reduce(ops.bit_and, (ops.eq(first, other) for other in others))
    return ops.where(mask, operand(fill_value, of.dtype, of.shape), input)


def _from_front(index: Operand, size: Any) -> Operand:
    within(index, size, -size)
    return ops.where(ops.lt(index, ops.like(0, index)), ops.add(index, ops.like(size, index)), index)


@computes("index_put", "_unsafe_index_put", alike="input values")
def _index_put(input: Operand, indices: Sequence[Any], values: Operand, accumulate: bool = False) -> Operand:
    symbol = Symbol.of(staging(), input)
    key = [
        _ALL if one is None else Symbol.of(staging(), one if type_of(one).shape else ops.reshape(one, (1,)))
        for one in indices
    ]
    view, tensors = taken_apart(symbol, tuple(key))
    put(view, tensors, values, accumulate)
    return symbol.operand()


# At points along an axis.


def _scattered(x: Operand, dim: int, index: Operand, source: Any, mode: str) -> Operand:
    shape = type_of(x).shape
    axis = rules.axis_of(dim, len(shape))
    if known(type_of(index).shape) and 0 in type_of(index).shape:
        return x
    _check_axes(x, index, axis)
    base, numbers = _with_axes(x), _with_axes(ops.cast(index, int64))
    sizes = type_of(numbers).shape
    if rules.is_tensor(source):
        source = _corner(_with_axes(source), sizes)  # what has no index is not read
    numbers = within_axis(numbers, type_of(base).shape[axis], axis)
    return ops.reshape(scattered(base, axis, numbers, operand(source, type_of(x).dtype, sizes), mode), shape)


def scattered(x: Operand, axis: int, numbers: Operand, updates: Operand, mode: str) -> Operand:
    """Return a tensor with updates set, or added, at numbers along an axis: one for each of them."""
    sizes = type_of(numbers).shape
    parts = [numbers if k == axis else ops.iota(sizes, k, int64) for k in range(len(sizes))]
    points = ops.concat(*(ops.reshape(part, (*sizes, 1)) for part in parts), axis=len(sizes))
    return _put_at(x, points, updates, mode)


@computes("scatter", alike="input src", held="src value")
def _scatter(
    input: Operand, dim: int, index: Operand, src: Any = None, *, value: Any = None, reduce: str | None = None
) -> Operand:
    source = value if src is None else src
    if not rules.is_tensor(source):
        source = operand(source, type_of(input).dtype, type_of(index).shape)
    if reduce is None:
        return _scattered(input, dim, index, source, "set")
    rules.expect(reduce in ("add", "multiply"))
    total = reduced_by(input, dim, index, source, "sum" if reduce == "add" else "prod", True)
    return underived(total, "derivative for aten::scatter is not implemented", input, source)


@computes("scatter_add", alike="input src")
def _scatter_add(input: Operand, dim: int, index: Operand, src: Operand) -> Operand:
    return _scattered(input, dim, index, src, "add")


@computes("scatter_reduce", alike="input src")
def _scatter_reduce(
    input: Operand, dim: int, index: Operand, src: Operand, reduce: str, *, include_self: bool = True
) -> Operand:
    rules.expect(reduce in ("sum", "mean", "prod", "amin", "amax"))
    return reduced_by(input, dim, index, src, reduce, include_self)


@computes("index_reduce", alike="input source")
def _index_reduce(
    input: Operand, dim: int, index: Operand, source: Operand, reduce: str, *, include_self: bool = True
) -> Operand:
    axis = rules.axis_of(dim, type_of(input).ndim)
    wide = type_of(_with_axes(source)).shape
    along = tuple(size if k == axis else 1 for k, size in enumerate(wide))
    index = within(ops.cast(index, int64), (type_of(input).shape or (1,))[axis])
    numbers = ops.broadcast(ops.reshape(index, along), wide)
    return reduced_by(input, dim, numbers, _with_axes(source), reduce, include_self)


def reduced_by(x: Operand, dim: int, index: Operand, source: Operand, how: str, include_self: bool) -> Operand:
    """Return a tensor whose elements at indices of an axis are joined with those of another one.

    Sums are scattered; other ways compare every index of a line with every place of it.
    """
    shape, dtype = type_of(x).shape, type_of(x).dtype
    axis = rules.axis_of(dim, len(shape))
    if known(type_of(index).shape) and 0 in type_of(index).shape:
        return x
    _check_axes(x, index, axis)
    base, numbers = _with_axes(x), _with_axes(ops.cast(index, int64))
    sizes = type_of(numbers).shape
    source = _with_axes(source)
    updates = _corner(source, sizes)
    numbers = within_axis(numbers, type_of(base).shape[axis], axis)
    one, zero = operand(1, dtype, sizes), operand(0, dtype, type_of(base).shape)
    if how in ("sum", "mean"):
        counts = scattered(zero, axis, numbers, one, "add")
        hit = ops.gt(counts, zero)
        start = base if include_self else ops.where(hit, zero, base)
        total = scattered(start, axis, numbers, updates, "add")
        if how == "mean":
            many = operand(1, dtype, type_of(base).shape)
            counts = ops.max(ops.add(counts, many) if include_self else counts, many)
            total = ops.div(total, counts) if is_float(dtype) else ops.floor_div(total, counts)
        return ops.reshape(total, shape)
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
    mask = ops.eq(spread[0], ops.iota(wide, ndim - 1, int64))
    hit = ops.any(mask, (ndim,))
    if how == "prod":
        neutral: Any = 1
    else:
        bounds = numpy.finfo(dtype) if dtype.kind == "f" else None
        low, high = (-numpy.inf, numpy.inf) if bounds is not None or is_float(dtype) else _range(dtype)
        neutral = low if how == "amax" else high
    parts = ops.where(mask, spread[1], operand(neutral, dtype, wide))
    # the own element is one more of those that are joined
    stops = tuple(sizes[k] if k != axis else size for k, size in enumerate(shape))
    part = ops.transpose(_corner(x, stops), order)
    own = part if include_self else ops.where(hit, operand(neutral, dtype, type_of(part).shape), part)
    every = ops.concat(parts, ops.reshape(own, (*type_of(own).shape, 1)), axis=ndim)
    joined = _JOIN[how](every, (ndim,))
    back = ops.transpose(joined, ops.Transpose(order).inverse)
    return ops.update_slice(x, back, (0,) * ndim, stops, (1,) * ndim)


def _range(dtype: Any) -> tuple[int, int]:
    if dtype == bool_:
        return 0, 1
    info = numpy.iinfo(dtype)
    return int(info.min), int(info.max)


def _product(x: Operand, axes: tuple[int, ...]) -> Operand:
    return (ops.all if type_of(x).dtype == bool_ else ops.prod)(x, axes)


_JOIN = {"prod": _product, "amax": ops.shared_reduce_max, "amin": ops.shared_reduce_min}


# Masks, and what has a size that depends on data.


@computes("select_scatter")
def _select_scatter(input: Operand, src: Operand, dim: int, index: int) -> Operand:
    axis = rules.axis_of(dim, type_of(input).ndim)
    size = type_of(input).shape[axis]
    rules.expect(-size <= index < size)
    first = index + size if index < 0 else index
    wide = ops.reshape(src, (*type_of(src).shape[:axis], 1, *type_of(src).shape[axis:]))
    return _with_part(input, wide, axis, first, first + 1, 1)


@computes("slice_scatter")
def _slice_scatter(
    input: Operand, src: Operand, dim: int = 0, start: Any = None, end: Any = None, step: int = 1
) -> Operand:
    axis = rules.axis_of(dim, type_of(input).ndim)
    first, count, by = layouts.span(slice(start, end, step), type_of(input).shape[axis])
    return _with_part(input, src, axis, first, first + count * by, by)


def _with_part(x: Operand, part: Operand, axis: int, start: Any, stop: Any, step: int) -> Operand:
    """Return a tensor with the elements from `start` to `stop` along an axis replaced."""
    shape = type_of(x).shape
    starts, steps = (
        tuple(one if k == axis else rest for k in range(len(shape))) for one, rest in ((start, 0), (step, 1))
    )
    stops = tuple(stop if k == axis else size for k, size in enumerate(shape))
    return ops.update_slice(x, ops.cast(part, type_of(x).dtype), starts, stops, steps)


@views("diagonal_scatter")
def _diagonal_scatter(input: Symbol, src: Symbol, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Symbol:
    copy = copied(input)
    view = diagonal(copy, offset, dim1, dim2)
    rules.expect(view.shape == src.shape)
    store(view, ops.cast(src.operand(), copy.dtype))
    return copy


@views("as_strided_scatter")
def _as_strided_scatter(input: Symbol, src: Symbol, size: Any, stride: Any, storage_offset: Any = None) -> Symbol:
    copy = copied(input)
    store(strided(copy, size, stride, storage_offset), ops.cast(src.operand(), copy.dtype))
    return copy
