# SPDX-License-Identifier: Apache-2.0
"""Operators that pick elements by numbers, put them back, or sort them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridize import ops
from hybridize.base.dims import broadcast
from hybridize.base.dtypes import bool_, int64, is_float
from hybridize.base.errors import CaptureError
from hybridize.base.types import Shape, same_shape
from hybridize.ops import Operand, type_of
from hybridize.torch.aten.registry import Types, aten
from hybridize.torch.functions.operands import operand, within, within_axis


@aten("embedding.default")
def _embedding(
    types: Types, weight: Operand, indices: Operand, padding: int = -1, by_frequency: bool = False, sparse: bool = False
) -> Operand:
    """Rows of `weight`; the one for padding, if that is not negative, has no gradient. A sparse gradient is dense here.

    Raises:
        CaptureError E422: a gradient that is divided by how often an index comes.
    """
    if by_frequency:
        raise CaptureError(
            "E422", "an Embedding with scale_grad_by_freq cannot be compiled", help="scale_grad_by_freq=False"
        )
    numbers = within(operand(indices, int64, type_of(indices).shape), type_of(weight).shape[0])
    rows = ops.gather(weight, numbers, 0)
    if padding < 0:
        return rows
    shape = type_of(rows).shape
    blank = ops.spread(ops.eq(numbers, ops.like(padding, numbers)), shape, (len(shape) - 1,))
    return ops.where(blank, ops.stop_gradient(rows), rows)


@aten("index_select.default")
def _index_select(types: Types, x: Operand, axis: int, indices: Operand) -> Operand:
    axis %= type_of(x).ndim
    numbers = operand(indices, int64, type_of(indices).shape)
    return ops.gather(x, within_axis(numbers, type_of(x).shape[axis], axis), axis)


@aten("gather.default")
def _gather(types: Types, x: Operand, axis: int, indices: Operand, **_: Any) -> Operand:
    if not type_of(x).ndim:
        return x
    axis %= type_of(x).ndim
    sizes, at = type_of(x).shape, type_of(indices).shape
    stops = tuple(size if k == axis else count for k, (size, count) in enumerate(zip(sizes, at, strict=True)))
    if not same_shape(stops, sizes):
        x = ops.slice(x, (0,) * len(at), stops, (1,) * len(at))
    return ops.take_along_axis(x, within_axis(operand(indices, int64, at), sizes[axis], axis), axis)


@aten("index.Tensor")
def _index(types: Types, x: Operand, indices: Sequence[Operand | None]) -> Operand:
    """NumPy's rule for axes that are picked by tensors, broadcast against each other."""
    axes, points, front = _points(x, indices)
    if len(axes) == 1:
        picked = ops.gather(x, ops.reshape(points, type_of(points).shape[:-1]), axes[0])
        return ops.reshape(picked, types[0].shape)
    rest = [axis for axis in range(type_of(x).ndim) if axis not in axes]
    picked = ops.gather_nd(ops.transpose(x, (*axes, *rest)), points)
    return ops.transpose(picked, _back(type_of(points).ndim - 1, type_of(picked).ndim, front))


@aten("index_put.default")
def _index_put(
    types: Types, x: Operand, indices: Sequence[Operand | None], values: Any, accumulate: bool = False
) -> Operand:
    axes, points, front = _points(x, indices)
    rest = [axis for axis in range(type_of(x).ndim) if axis not in axes]
    order = (*axes, *rest)
    base = ops.transpose(x, order)
    batch = type_of(points).ndim - 1
    wide = (*type_of(points).shape[:-1], *(type_of(x).shape[axis] for axis in rest))
    back = _back(batch, len(wide), front)
    updates = operand(values, types[0].dtype, tuple(wide[k] for k in back))
    updates = ops.transpose(updates, ops.Transpose(back).inverse)
    total = _put(base, points, updates, "add" if accumulate else "set")
    return ops.transpose(total, ops.Transpose(order).inverse)


def _put(base: Operand, points: Operand, updates: Operand, mode: str) -> Operand:
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


def _points(x: Operand, indices: Sequence[Operand | None]) -> tuple[list[int], Operand, int]:
    """The axes that are picked from, what is picked as [..., axes], and where those axes are to stand.

    Raises:
        CaptureError E422: a mask, which gives as many elements as it has ones.
    """
    shape = type_of(x).shape
    axes = [axis for axis, one in enumerate(indices) if one is not None]
    given = [one for one in indices if one is not None]
    if any(type_of(one).dtype == bool_ for one in given):
        raise CaptureError("E422", "indexing by a mask cannot be compiled", help="write it with torch.where")
    batch: Shape = ()
    for one in given:
        batch = broadcast(batch, type_of(one).shape) or ()
    columns = [_counted(operand(one, int64, batch), shape[axis]) for one, axis in zip(given, axes, strict=True)]
    points = ops.concat(*(ops.reshape(one, (*batch, 1)) for one in columns), axis=len(batch))
    together = axes == list(range(axes[0], axes[-1] + 1))
    return axes, points, axes[0] if together else 0


def _counted(index: Operand, size: int) -> Operand:
    """Indices counted from the front; negative ones are counted from the end."""
    within(index, size, -size)
    negative = ops.lt(index, ops.like(0, index))
    return ops.where(negative, ops.add(index, ops.like(size, index)), index)


def _back(batch: int, ndim: int, front: int) -> tuple[int, ...]:
    """The order of axes that puts the first `batch` ones behind `front` others."""
    others = range(batch, ndim)
    return (*others[:front], *range(batch), *others[front:])


def _grid(indices: Operand, axis: int) -> Operand:
    """The points of a tensor that `indices` along `axis` name, one for each."""
    shape = type_of(indices).shape
    parts = [indices if k == axis else ops.iota(shape, k, int64) for k in range(len(shape))]
    return ops.concat(*(ops.reshape(part, (*shape, 1)) for part in parts), axis=len(shape))


def _scattered(mode: str) -> Any:
    def translate(types: Types, x: Operand, axis: int, indices: Operand, source: Any, **_: Any) -> Operand:
        kind, at = types[0], type_of(indices).shape
        if not kind.ndim:
            value = operand(source, kind.dtype)
            return ops.add(x, value) if mode == "add" else value
        if not isinstance(source, (bool, int, float)):
            sizes = type_of(source).shape
            source = ops.slice(source, (0,) * len(sizes), at, (1,) * len(sizes))  # what has no index is not read
        updates = operand(source, kind.dtype, at)
        axis %= kind.ndim
        positions = within_axis(operand(indices, int64, at), kind.shape[axis], axis)
        return _put(x, _grid(positions, axis), updates, mode)

    return translate


aten("scatter.value", "scatter.src")(_scattered("set"))
aten("scatter_add.default")(_scattered("add"))


@aten("sort.stable")
def _sort(
    types: Types,
    x: Operand,
    axis: int = -1,
    descending: bool = False,
    *,
    stable: bool | None = None,
    dim: int | None = None,
) -> tuple[Operand, Operand]:
    """Values by their positions, through which their gradient goes back."""
    if not type_of(x).ndim:
        return x, operand(0, int64)
    axis = (axis if dim is None else dim) % type_of(x).ndim
    order = ops.arg_sort(x, axis, bool(descending))
    return ops.take_along_axis(x, order, axis), order


@aten("topk.default")
def _topk(
    types: Types, x: Operand, count: int, axis: int = -1, largest: bool = True, in_order: bool = True
) -> tuple[Operand, Operand]:
    if not type_of(x).ndim:
        return x, operand(0, int64)
    axis %= type_of(x).ndim
    order = ops.arg_sort(x, axis, bool(largest))
    shape = type_of(order).shape
    stops = tuple(count if k == axis else size for k, size in enumerate(shape))
    order = ops.slice(order, (0,) * len(shape), stops, (1,) * len(shape))
    return ops.take_along_axis(x, order, axis), order


@aten("diagonal.default")
def _diagonal(types: Types, x: Operand, offset: int = 0, first: int = 0, second: int = 1) -> Operand:
    ndim = type_of(x).ndim
    first, second = first % ndim, second % ndim
    rest = [axis for axis in range(ndim) if axis not in (first, second)]
    count = types[0].shape[-1]
    steps = ops.iota((count,), 0, int64)
    rows, columns = (ops.add(steps, ops.like(start, steps)) for start in (max(-offset, 0), max(offset, 0)))
    points = ops.concat(ops.reshape(rows, (count, 1)), ops.reshape(columns, (count, 1)), axis=1)
    picked = ops.gather_nd(ops.transpose(x, (first, second, *rest)), points)
    return ops.transpose(picked, (*range(1, ndim - 1), 0))


@aten("_embedding_bag.default")
def _embedding_bag(
    types: Types,
    weight: Operand,
    indices: Operand,
    offsets: Operand,
    scale: bool = False,
    mode: int = 0,
    sparse: bool = False,
    weights: Operand | None = None,
    last: bool = False,
    padding: int = -1,
) -> tuple[Operand | None, ...]:
    """Sums (mode 0) or means (mode 1) of rows of `weight`, by where each bag of indices begins."""
    if mode == 2 or padding >= 0:
        raise CaptureError("E422", "an EmbeddingBag by maximum or with padding cannot be compiled", help="sum or mean")
    kind, count = types[0], type_of(indices).shape[0]
    bags = kind.shape[0]
    wide = (count, bags)
    begins = operand(ops.slice(offsets, (0,), (bags,), (1,)), int64, wide)
    behind = ops.ge(ops.iota(wide, 0, int64), begins)
    bag = ops.sub(ops.sum(ops.cast(behind, int64), (1,)), operand(1, int64, (count,)))
    numbers = operand(indices, int64, (count,))
    rows = ops.gather(weight, within(numbers, type_of(weight).shape[0], message="an index of a bag is out of range"), 0)
    if weights is not None:
        rows = ops.mul(rows, ops.broadcast(ops.reshape(weights, (count, 1)), type_of(rows).shape))
    points = ops.reshape(bag, (count, 1))
    total = ops.scatter_nd(operand(0, kind.dtype, kind.shape), points, rows, "add")
    if mode == 1:
        sizes = ops.scatter_nd(operand(0, kind.dtype, (bags,)), points, operand(1, kind.dtype, (count,)), "add")
        sizes = ops.max(sizes, ops.like(1, sizes))
        total = ops.div(total, ops.broadcast(ops.reshape(sizes, (bags, 1)), kind.shape))
    return total, None, None, None
