# SPDX-License-Identifier: Apache-2.0
"""Boxes around objects of images: how far two overlap, which of many stay, and how they are told from anchors.

A box is four numbers on the last axis, its corners (left, top, right, bottom) or its middle and size.
"""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base.dtypes import int64, is_float
from hybridize.base.errors import DTypeError, ShapeError
from hybridize.base.types import TensorType
from hybridize.ops.arithmetic import add, bit_and, bit_not, div, eq, gt, max, min, mul, ne, sub, where
from hybridize.ops.composite import composite
from hybridize.ops.control import Scan
from hybridize.ops.indexing import gather, gather_nd, take_along_axis
from hybridize.ops.op import Operand, bind, type_of
from hybridize.ops.slicing import concat, iota, slice
from hybridize.ops.sorting import arg_sort
from hybridize.ops.tracing import make_graph
from hybridize.ops.views import broadcast, cast, full, like, reshape, stop_gradient, transpose, wide

Sides = Sequence[Operand]
"""The four numbers of boxes, an operand each."""
CORNER, CENTER = "corner", "center"


@composite("_contrib_box_iou")
def box_iou(x: Operand, y: Operand, format: str) -> Operand:
    """Return the share that two boxes [..., 4] have in common of what they cover, [axes of x, axes of y].

    Raises:
        DTypeError E239: integers. ShapeError E182: a last axis that is not of size 4.
    """
    kinds = type_of(x), type_of(y)
    for kind in kinds:
        _check_boxes("box_iou", kind)
    dtype = kinds[0].dtype
    shapes = [kind.shape[:-1] for kind in kinds]
    whole = (*shapes[0], *shapes[1])
    ones = (*shapes[0], *(1,) * len(shapes[1])), (*(1,) * len(shapes[0]), *shapes[1])
    corners = [
        [broadcast(reshape(side, one), whole) for side in _corners(_sides(cast(boxes, wide(dtype)), 0), format)]
        for boxes, one in zip((x, y), ones, strict=True)
    ]
    left, right = corners
    return cast(_overlap(left, _area(left), right, _area(right)), dtype)


@composite("_contrib_box_nms")
def box_nms(
    data: Operand,
    overlap_thresh: float,
    valid_thresh: float,
    topk: int,
    coord_start: int,
    score_index: int,
    id_index: int,
    background_id: int,
    force_suppress: bool,
    in_format: str,
    out_format: str,
) -> Operand:
    """Return the boxes with the highest scores, each without those that overlap a better one; -1 behind them.

    Only the `topk` best ones are compared with each other, all where it is below 0; their rows alone have gradients.

    Args:
        data: [..., boxes, numbers].
        overlap_thresh: a box goes that overlaps a better one by more.
        valid_thresh: a box counts if its score is higher.
        topk: the number of boxes looked at; 0: the data as they are.
        coord_start: where the places begin.
        score_index: where the score is.
        id_index: where the class is; below 0: there is none.
        background_id: a class whose boxes do not count.
        force_suppress: boxes of other classes leave each other out, too.
        in_format: `corner` or `center`.
        out_format: the same, for the result.
    """
    if not topk:
        return data
    kind = type_of(data)
    count, width = kind.shape[-2:]
    groups = 1
    for size in kind.shape[:-2]:
        groups *= size
    table = reshape(data, (groups, count, width))
    known = stop_gradient(table)
    score = _column(known, score_index)
    counts = gt(score, like(valid_thresh, score))
    if id_index >= 0 and background_id >= 0:
        classes = _column(known, id_index)
        counts = bit_and(counts, ne(classes, like(background_id, classes)))
    limit = count if topk < 0 or count <= topk else topk
    best = arg_sort(where(counts, score, like(float("-inf"), score)), 1, descending=True)
    best = slice(best, (0, 0), (groups, limit), (1, 1))

    def chosen(x: Operand) -> Operand:
        return take_along_axis(x, best, 1)

    sides = [chosen(cast(_column(known, coord_start + k), wide(kind.dtype))) for k in range(4)]
    classes = None if force_suppress or id_index < 0 else chosen(_column(known, id_index))
    stays = _survivors(_corners(sides, in_format), classes, chosen(counts), overlap_thresh)
    last = (groups, limit)
    front = arg_sort(where(stays, full(0, TensorType(last, int64)), full(1, TensorType(last, int64))), 1)
    rows = take_along_axis(best, front, 1)
    points = concat(reshape(iota(last, 0, int64), (*last, 1)), reshape(rows, (*last, 1)), axis=2)
    result = gather_nd(table, points)
    if in_format != out_format:
        result = _in_other_format(result, coord_start, out_format)
    kept = broadcast(reshape(take_along_axis(stays, front, 1), (*last, 1)), (*last, width))
    result = where(kept, result, like(-1, result))
    if limit is not count:
        result = concat(result, full(-1, kind.with_shape((groups, count - limit, width))), axis=1)
    return reshape(result, kind.shape)


def _survivors(corners: Sides, classes: Operand | None, counts: Operand, threshold: float) -> Operand:
    """True [groups, boxes] for those that no better one leaves out; they lie by falling scores."""
    groups, count = type_of(counts).shape
    constants = [*corners, _area(corners), *([] if classes is None else [classes])]
    number = iota((count,), 0, int64)
    rows = [number, *(transpose(one, (1, 0)) for one in constants)]

    def step(stays: Operand, here: Operand, *others: Operand) -> list[Operand]:
        own, whole = others[: len(constants)], others[len(constants) : -1]
        shape = (groups, count)
        spread = [broadcast(reshape(one, (groups, 1)), shape) for one in own]
        out = gt(_overlap(spread[:4], spread[4], whole[:4], whole[4]), like(threshold, whole[4]))
        if classes is not None:
            out = bit_and(out, eq(spread[5], whole[5]))
        out = bit_and(out, broadcast(gt(others[-1], broadcast(here, (count,))), shape))
        alive = broadcast(reshape(gather(stays, here, 1), (groups, 1)), shape)
        return [bit_and(stays, bit_not(bit_and(out, alive)))]

    operands = [counts, *rows, *constants, number]
    sliced = range(1, 1 + len(rows))
    kinds = [
        type_of(one).with_shape(type_of(one).shape[1:]) if k in sliced else type_of(one)
        for k, one in enumerate(operands)
    ]
    return bind(Scan(make_graph(step, kinds), count, False, 1), *operands)[0]


def _in_other_format(rows: Operand, start: int, form: str) -> Operand:
    """Rows [..., numbers] whose four places have another form."""
    kind = type_of(rows)
    *front, width = kind.shape
    sides = _sides(rows, start)
    places = [reshape(side, (*front, 1)) for side in (_corners(sides, CENTER) if form == CORNER else centers(sides))]

    def part(begin: int, end: int) -> list[Operand]:
        cut = slice(rows, (*(0,) * len(front), begin), (*front, end), (1,) * kind.ndim)
        return [cut] if end > begin else []

    return concat(*part(0, start), *places, *part(start + 4, width), axis=kind.ndim - 1)


def _column(x: Operand, index: int) -> Operand:
    """x[..., index]"""
    *front, _ = type_of(x).shape
    part = slice(x, (*(0,) * len(front), index), (*front, index + 1), (1,) * (len(front) + 1))
    return reshape(part, tuple(front))


def _sides(x: Operand, start: int) -> list[Operand]:
    return [_column(x, start + k) for k in range(4)]


def _corners(sides: Sides, form: str) -> Sides:
    """Return left, top, right and bottom of boxes told in either form."""
    if form == CORNER:
        return sides
    halves = [mul(side, like(0.5, side)) for side in sides[2:]]
    middle = sides[:2]
    return [f(m, h) for f in (sub, add) for m, h in zip(middle, halves, strict=True)]


def centers(sides: Sides) -> Sides:
    """Return the middle and the size of boxes told by corners."""
    begin, end = sides[:2], sides[2:]
    middle = [mul(add(a, b), like(0.5, a)) for a, b in zip(begin, end, strict=True)]
    return [*middle, *(sub(b, a) for a, b in zip(begin, end, strict=True))]


def _area(corners: Sides) -> Operand:
    width, height = (_length(corners[k], corners[k + 2]) for k in range(2))
    return mul(width, height)


def _length(begin: Operand, end: Operand) -> Operand:
    length = sub(end, begin)
    return max(length, like(0, length))


def _overlap(x: Sides, area: Operand, y: Sides, other: Operand) -> Operand:
    """Return what boxes have in common by what they cover together; 0 for two that cover nothing."""
    width, height = (_length(max(x[k], y[k]), min(x[k + 2], y[k + 2])) for k in range(2))
    common = mul(width, height)
    whole = sub(add(area, other), common)
    some = gt(whole, like(0, whole))
    return where(some, div(common, where(some, whole, like(1, whole))), like(0, whole))


def _check_boxes(name: str, kind: TensorType) -> None:
    if not is_float(kind.dtype):
        raise DTypeError("E239", f"{name} of {kind}", help='cast it first: x.astype("float32")')
    if kind.ndim < 1 or kind.shape[-1] != 4:
        raise ShapeError("E182", f"{name} of {kind}", help="a box is four numbers on the last axis")
