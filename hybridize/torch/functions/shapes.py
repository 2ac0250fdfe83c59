# SPDX-License-Identifier: Apache-2.0
"""Functions of torch that give views: the same elements under other sizes, or a part of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import torch

from hybridize import ops
from hybridize.array import layouts
from hybridize.array.functions.shapes import copied_to
from hybridize.array.operators import functions
from hybridize.array.staging import staging
from hybridize.array.symbol import At, Strided, Symbol
from hybridize.base.dims import product
from hybridize.base.dtypes import int64
from hybridize.base.errors import CaptureError
from hybridize.base.types import same_shape
from hybridize.ops import Broadcast, Reshape, StopGradient, Transpose
from hybridize.torch.functions.operands import within
from hybridize.torch.functions.rules import at_least, axis_of, expect, fitting, torch_dtype
from hybridize.torch.functions.table import Sizes, views


def completed(shape: Sequence[Any], total: Any) -> tuple[Any, ...]:
    """Return sizes, of so many elements, with what stands for -1 in them."""
    sizes = tuple(shape)
    open_ = [axis for axis, size in enumerate(sizes) if type(size) is int and size < 0]
    expect(all(sizes[axis] == -1 for axis in open_))
    expect(len(open_) <= 1)
    rest = product(size for axis, size in enumerate(sizes) if axis not in open_)
    if open_:
        expect(rest != 0)
        expect(total % rest == 0)
        return tuple(total // rest if axis in open_ else size for axis, size in enumerate(sizes))
    expect(rest == total)
    return sizes


def has_view(x: Symbol, shape: Sequence[Any]) -> bool:
    """Tell whether a tensor can be seen in other sizes without a copy."""
    return layouts.reshaped(x.shape, x.steps_between(), tuple(shape)) is not None


def reshaped(x: Symbol, shape: Sequence[Any]) -> Symbol:
    """Return a tensor in other sizes, one of which may be -1: a view where that can be."""
    sizes = completed(shape, product(x.shape))
    copied = copied_to(x, sizes)
    return x.view_by(Reshape(sizes)) if copied is None else copied


def sized(x: Symbol, shape: Sequence[Any]) -> Symbol:
    """Return the view of a tensor in sizes that differ by axes of size 1 only."""
    return x.view_by(Reshape(tuple(shape)))


def part(x: Symbol, axis: int, start: Any, stop: Any) -> Symbol:
    """Return the view of the elements from `start` to `stop` along an axis; both are within it."""
    view: Symbol = functions.getitem(x, (*(slice(None),) * axis, slice(start, stop)))
    return view


# Other sizes of the same elements.


@views("reshape")
def _reshape(input: Symbol, shape: Sizes) -> Symbol:
    return reshaped(input, shape)


@views("reshape_as")
def _reshape_as(input: Symbol, other: Symbol) -> Symbol:
    return reshaped(input, other.shape)


@views("view")
def _view(input: Symbol, size: Sizes = (), dtype: Any = None) -> Symbol:
    target = size[0] if dtype is None and len(size) == 1 else dtype
    if isinstance(target, torch.dtype):
        if target is torch_dtype(input.dtype):
            return input.same()
        raise CaptureError(
            "E422",
            f"view({target}) of a tensor of {torch_dtype(input.dtype)} cannot be compiled: it reinterprets bits",
            help=f"x.to({target}) converts the numbers",
        )
    return viewed_as(input, size)


@views("Tensor.view_as")
def _view_as(input: Symbol, other: Symbol) -> Symbol:
    return viewed_as(input, other.shape)


def viewed_as(x: Symbol, shape: Sequence[Any]) -> Symbol:
    """Return the view of a tensor in other sizes, one of which may be -1.

    Raises:
        RuntimeError: there is none; in torch's words.
    """
    sizes = completed(shape, product(x.shape))
    if not has_view(x, sizes) and x.exists:  # by strides, which only torch's own tensor has
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead."
        )
    return x.view_by(Reshape(sizes))


@views("flatten")
def _flatten(input: Symbol, start_dim: int = 0, end_dim: int = -1) -> Symbol:
    ndim = len(input.shape)
    first, last = axis_of(start_dim, ndim), axis_of(end_dim, ndim)
    expect(first <= last)
    return reshaped(input, (*input.shape[:first], product(input.shape[first : last + 1]), *input.shape[last + 1 :]))


@views("ravel")
def _ravel(input: Symbol) -> Symbol:
    return reshaped(input, (-1,) if input.shape != () else (1,))


@views("unflatten")
def _unflatten(input: Symbol, dim: int, sizes: Any) -> Symbol:
    axis = axis_of(dim, len(input.shape))
    expect(len(sizes))
    lengths = completed(sizes, input.shape[axis])
    return viewed_as(input, (*input.shape[:axis], *lengths, *input.shape[axis + 1 :]))


@views("unsqueeze")
def _unsqueeze(input: Symbol, dim: int) -> Symbol:
    axis = axis_of(dim, len(input.shape) + 1)
    return sized(input, (*input.shape[:axis], 1, *input.shape[axis:]))


@views("squeeze")
def _squeeze(input: Symbol, dim: Any = None) -> Symbol:
    ndim = len(input.shape)
    dims = range(ndim) if dim is None else dim if isinstance(dim, (tuple, list)) else [dim]
    axes = {axis_of(axis, ndim) for axis in dims} if ndim else set()
    return sized(input, [size for axis, size in enumerate(input.shape) if axis not in axes or size != 1])


def _atleast(ndim: int) -> None:
    @views(f"atleast_{ndim}d")
    def entry(*tensors: Any) -> Any:
        is_one = len(tensors) == 1 and type(tensors[0]) is Symbol
        symbols = tensors[0] if len(tensors) == 1 and not is_one else tensors
        results = tuple(x if len(x.shape) >= ndim else sized(x, at_least(x.shape, ndim)) for x in symbols)
        return results[0] if is_one else results


for _ndim in (1, 2, 3):
    _atleast(_ndim)


# Axes in another order.


def permuted(x: Symbol, axes: Sequence[int]) -> Symbol:
    """Return the view of a tensor with its axes in another order."""
    return x.view_by(Transpose(tuple(axes)))


@views("permute")
def _permute(input: Symbol, dims: Sizes) -> Symbol:
    expect(len(dims) == len(input.shape))
    order = tuple(axis_of(int(axis), len(input.shape)) for axis in dims)
    expect(len(set(order)) == len(order))
    return permuted(input, order)


@views("transpose", "swapaxes", "swapdims", also="axis0=dim0 axis1=dim1")
def exchanged(input: Symbol, dim0: Any, dim1: Any) -> Symbol:
    """Return the view of a tensor with two axes exchanged."""
    ndim = len(input.shape)
    i, j = axis_of(dim0, ndim), axis_of(dim1, ndim)
    axes = list(range(ndim))
    if ndim:
        axes[i], axes[j] = axes[j], axes[i]
    return permuted(input, axes)


@views("t")
def _t(input: Symbol) -> Symbol:
    ndim = len(input.shape)
    expect(ndim <= 2)
    return permuted(input, tuple(reversed(range(ndim))))


@views("adjoint")
def _adjoint(input: Symbol) -> Symbol:
    expect(len(input.shape) >= 2)
    view: Symbol = exchanged(input, -2, -1)
    return view


@views("movedim", "moveaxis")
def _movedim(input: Symbol, source: Any, destination: Any) -> Symbol:
    ndim = len(input.shape)
    both = [
        [axis_of(axis, ndim) for axis in ([axes] if isinstance(axes, int) else axes)] for axes in (source, destination)
    ]
    expect(len(both[0]) == len(both[1]))
    expect(all(len(set(axes)) == len(axes) for axes in both))
    if not ndim:
        return input.same()
    order = [axis for axis in range(ndim) if axis not in both[0]]
    for to, axis in sorted(zip(both[1], both[0], strict=True)):
        order.insert(to, axis)
    return permuted(input, order)


# Parts.


@views("detach")
def _detach(input: Symbol) -> Symbol:
    return input.view_by(StopGradient()) if input.dtype.kind not in "biu" else input.same()


@views("positive")
def _positive(input: Symbol) -> Symbol:
    expect(input.dtype.kind != "b")
    return input.same()


@views("select")
def _select(input: Symbol, dim: int, index: Any) -> Symbol:
    expect(input.shape)
    axis = axis_of(dim, len(input.shape))
    return at(input, axis, index)


def at(x: Symbol, axis: int, index: Any) -> Symbol:
    """Return the view of a tensor at an index of an axis.

    Raises:
        IndexError: it is out of range; in torch's words.
    """
    size = x.shape[axis]
    expect(type(index) is Symbol or -size <= index < size)
    if type(index) is Symbol and index.weak is None:
        index = Symbol.of(staging(), ops.cast(ops.reshape(index.operand(), ()), int64), weak=int)
    view: Symbol = functions.getitem(x, (*(slice(None),) * axis, index))
    return view


@views("narrow")
def _narrow(input: Symbol, dim: int, start: Any, length: Any) -> Symbol:
    expect(input.shape)
    axis = axis_of(dim, len(input.shape))
    size = input.shape[axis]
    expect(length >= 0)
    if type(start) is Symbol:
        first = ops.cast(ops.reshape(start.operand(), ()), int64)
        first = ops.where(ops.lt(first, ops.like(0, first)), ops.add(first, ops.like(size, first)), first)
        return input.view_by(At(axis, within(first, size - length + 1), length))
    expect(-size <= start <= size)
    first = start + size if start < 0 else start
    expect(first + length <= size)
    return part(input, axis, first, first + length)


@views("unbind")
def _unbind(input: Symbol, dim: int = 0) -> tuple[Symbol, ...]:
    expect(input.shape)
    axis = axis_of(dim, len(input.shape))
    return tuple(at(input, axis, index) for index in range(input.shape[axis]))


def cut(x: Symbol, axis: int, ends: Sequence[Any]) -> tuple[Symbol, ...]:
    """Return the parts of a tensor that end at `ends` of an axis; views."""
    return tuple(part(x, axis, start, stop) for start, stop in pairwise((0, *ends)))


@views(
    "split",
    "split_with_sizes",
    also="tensor=x input=x split_size_or_sections=sizes split_sizes=sizes split_size=sizes",
)
def _split(x: Symbol, sizes: Any, dim: int = 0) -> tuple[Symbol, ...]:
    expect(x.shape)
    axis = axis_of(dim, len(x.shape))
    size = x.shape[axis]
    if isinstance(sizes, (tuple, list)):
        expect(all(type(one) is not int or one >= 0 for one in sizes))
        ends = list(accumulate(sizes))
        expect((ends[-1] if ends else 0) == size)
        return cut(x, axis, ends)
    expect(sizes >= 0)
    if sizes == 0:
        expect(size == 0)
        return (x.same(),)
    return cut(x, axis, _ends(size, sizes))


def _ends(size: Any, step: Any) -> list[Any]:
    """Return where parts of `step` elements end; there is one at least."""
    count = max(int(-(-size // step)), 1)
    return [*(step * (k + 1) for k in range(count - 1)), size]


@views("unsafe_split", "unsafe_split_with_sizes")
def _unsafe_split(input: Symbol, split_size: Any, dim: int = 0) -> tuple[Symbol, ...]:
    return tuple(copied(one) for one in _split(input, split_size, dim))


@views("chunk", "unsafe_chunk")
def _chunk(input: Symbol, chunks: int, dim: int = 0) -> tuple[Symbol, ...]:
    expect(input.shape)
    expect(chunks > 0)
    axis = axis_of(dim, len(input.shape))
    size = input.shape[axis]
    step = -(-size // chunks)
    return cut(input, axis, [0] * chunks if step == 0 else _ends(size, step))


@views(
    "tensor_split",
    also="indices=sections indices_or_sections=sections tensor_indices_or_sections=sections",
)
def _tensor_split(input: Symbol, sections: Any, dim: int = 0) -> tuple[Symbol, ...]:
    expect(input.shape)
    axis = axis_of(dim, len(input.shape))
    size = input.shape[axis]
    if type(sections) is Symbol:
        raise CaptureError("E422", "tensor_split by a tensor: sizes depend on data", help="pass a list of integers")
    if isinstance(sections, (tuple, list)):
        ends = [layouts.span(slice(None, end), size)[1] for end in sections]
        starts = [0, *ends]
        return tuple(
            part(input, axis, start, start if stop < start else stop)
            for start, stop in zip(starts, [*ends, size], strict=True)
        )
    expect(sections > 0)
    least, more = size // sections, size % sections
    return cut(input, axis, list(accumulate(least + 1 if k < more else least for k in range(sections))))


def _split_along(name: str, axis: int, least: int) -> None:
    @views(name, also="indices=sections indices_or_sections=sections")
    def entry(input: Symbol, sections: Any) -> tuple[Symbol, ...]:
        ndim = len(input.shape)
        expect(ndim >= least)
        along = 0 if name == "hsplit" and ndim == 1 else axis
        expect(not isinstance(sections, int) or (sections > 0 and not input.shape[along] % sections))
        parts: tuple[Symbol, ...] = _tensor_split(input, sections, along)
        return parts


for _name, _axis, _least in (("hsplit", 1, 1), ("vsplit", 0, 2), ("dsplit", 2, 3)):
    _split_along(_name, _axis, _least)


# Stretched.


def stretched(x: Symbol, sizes: Sequence[Any]) -> Symbol:
    """Return the view of a tensor broadcast to other sizes, of which -1 keeps what is there.

    Raises:
        RuntimeError: it does not fit; in torch's words.
    """
    new = len(sizes) - len(x.shape)
    expect(new >= 0)
    shape = []
    for axis, size in enumerate(sizes):
        old = x.shape[axis - new] if axis >= new else None
        if type(size) is int and size < 0:
            expect(old is not None and size == -1)
            size = old
        else:
            expect(old is None or old == size or old == 1)
        shape.append(size)
    same = same_shape(x.shape, tuple(shape[new:])) and all(type(size) is int and size == 1 for size in shape[:new])
    return x.view_by(Reshape(tuple(shape)) if same else Broadcast(tuple(shape)))


@views("expand")
def _expand(input: Symbol, size: Sizes, *, implicit: bool = False) -> Symbol:
    return stretched(input, size)


@views("Tensor.expand_as")
def _expand_as(input: Symbol, other: Symbol) -> Symbol:
    return stretched(input, other.shape)


@views("broadcast_to")
def _broadcast_to(input: Symbol, size: Any) -> Symbol:
    return stretched(input, tuple(size))


@views("broadcast_tensors")
def _broadcast_tensors(tensors: Sizes) -> tuple[Symbol, ...]:
    shape = fitting(*(x.shape for x in tensors))
    return tuple(stretched(x, shape) for x in tensors)


# Picked by steps.


@views("diagonal", "linalg.diagonal")
def _diagonal(input: Any = None, offset: int = 0, dim1: Any = None, dim2: Any = None, *, A: Any = None) -> Symbol:
    """The axes default to the last two in torch.linalg, to the first two elsewhere."""
    defaults = (0, 1) if A is None else (-2, -1)
    first, second = (dim if dim is not None else axis for dim, axis in zip((dim1, dim2), defaults, strict=True))
    return diagonal(input if A is None else A, offset, first, second)


def diagonal(x: Symbol, offset: int, first: int, second: int) -> Symbol:
    """Return the view of the diagonals of the matrices in two axes; the last axis goes along them."""
    ndim = len(x.shape)
    i, j = axis_of(first, ndim), axis_of(second, ndim)
    expect(i != j)
    rows, columns = x.shape[i], x.shape[j]
    count = _lesser(rows, columns - offset) if offset >= 0 else _lesser(rows + offset, columns)
    count = count if count > 0 else 0
    rest = [axis for axis in range(ndim) if axis not in (i, j)]
    shape = (*(x.shape[axis] for axis in rest), count)
    starts = [0] * ndim
    starts[i], starts[j] = (0, offset) if offset >= 0 else (-offset, 0)
    moves = (*(_unit(ndim, axis) for axis in rest), _unit(ndim, i, j))
    return x.view_by(Strided(shape, tuple(starts) if count != 0 else (0,) * ndim, moves))


def _unit(ndim: int, *axes: int) -> tuple[int, ...]:
    return tuple(1 if axis in axes else 0 for axis in range(ndim))


def _lesser(x: Any, y: Any) -> Any:
    return x if x <= y else y


@views("Tensor.unfold")
def _unfold(input: Symbol, dimension: int, size: Any, step: Any) -> Symbol:
    ndim = len(input.shape)
    axis = axis_of(dimension, ndim)
    length = input.shape[axis] if ndim else 1
    expect(size <= length)
    expect(step > 0)
    if not ndim:
        return sized(input, (1,)) if size == 1 else part(sized(input, (1,)), 0, 0, size)
    count = (length - size) // step + 1
    moves = [_unit(ndim, other) for other in range(ndim)]
    moves[axis] = tuple(step * one for one in moves[axis])
    shape = (*input.shape[:axis], count, *input.shape[axis + 1 :], size)
    return input.view_by(Strided(shape, (0,) * ndim, (*moves, _unit(ndim, axis))))


@views("as_strided")
def _as_strided(input: Symbol, size: Any, stride: Any, storage_offset: Any = None) -> Symbol:
    return strided(input, size, stride, storage_offset)


def strided(input: Symbol, size: Any, stride: Any, storage_offset: Any = None) -> Symbol:
    """Return the view of the memory of a tensor, where that is known to lie row by row."""
    base = input.base
    if base.steps_between() != layouts.row_major(base.shape) or (storage_offset is not None and input.exists):
        raise CaptureError(
            "E422",
            f"as_strided of {input.type}, whose storage the program knows only in part",
            help="use slices, view, permute and unfold, or call it on a copy: x.clone()",
        )
    start = input.layout()[0] if storage_offset is None else storage_offset
    total = product(base.shape)
    end = start + sum(by * (count - 1) for by, count in zip(stride, size, strict=True)) + 1
    if product(size) != 0 and end > total:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {start}, and itemsize "
            f"{input.dtype.itemsize} requiring a storage size of {end * input.dtype.itemsize} are out of bounds "
            f"for storage of size {total * input.dtype.itemsize}"
        )
    flat = base.view_by(Reshape((total,)))
    return flat.view_by(Strided(tuple(size), (start if product(size) != 0 else 0,), tuple((by,) for by in stride)))


def copied(x: Symbol) -> Symbol:
    """Return a new tensor of the elements of one."""
    return Symbol.of(staging(), x.operand())
