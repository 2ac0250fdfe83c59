# SPDX-License-Identifier: Apache-2.0
"""Boxes around objects of images: how far two overlap, which of many stay, and how they are told from anchors.

A box is four numbers on the last axis, its corners (left, top, right, bottom) or its middle and size.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from hybridize.base import dims
from hybridize.base.dtypes import int64, is_float
from hybridize.base.errors import DTypeError, ShapeError
from hybridize.base.types import Shape, TensorType
from hybridize.ops.analysis import exp, floor, log
from hybridize.ops.arithmetic import (
    add,
    bit_and,
    bit_not,
    bit_or,
    div,
    eq,
    floor_div,
    ge,
    gt,
    lt,
    max,
    min,
    mod,
    mul,
    ne,
    neg,
    sub,
    where,
)  # fmt: skip
from hybridize.ops.composite import composite
from hybridize.ops.control import Scan
from hybridize.ops.elementwise import BinaryFunction
from hybridize.ops.indexing import gather, gather_nd, take_along_axis
from hybridize.ops.op import Operand, bind, type_of
from hybridize.ops.reductions import arg_max, cum_sum, reduce_max
from hybridize.ops.slicing import concat, iota, slice
from hybridize.ops.sorting import arg_sort
from hybridize.ops.tracing import make_graph
from hybridize.ops.views import broadcast, cast, full, like, reshape, stop_gradient, sum, transpose, wide

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
    kind = type_of(data)
    count, width = kind.shape[-2:]
    if not topk or dims.same(count, 0):
        return data
    groups = math.prod(kind.shape[:-2])
    table = reshape(data, (groups, count, width))
    known = stop_gradient(table)
    score = _column(known, score_index)
    counts = gt(score, like(valid_thresh, score))
    if id_index >= 0:
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
    result = _taken(table, take_along_axis(best, front, 1))
    if in_format != out_format:
        result = _in_other_format(result, coord_start, out_format)
    alive = _spread(take_along_axis(stays, front, 1), (*last, width))
    result = where(alive, result, like(-1, result))
    if limit is not count:
        result = concat(result, full(-1, kind.with_shape((groups, count - limit, width))), axis=1)
    return reshape(result, kind.shape)


def _survivors(
    corners: Sides, classes: Operand | None, counts: Operand, threshold: float, reaches: BinaryFunction = gt
) -> Operand:
    """True [groups, boxes] for those that no better one leaves out; they lie by falling scores.

    Args:
        corners: of the boxes.
        classes: of the boxes; None: all leave each other out.
        counts: which ones are boxes.
        threshold: of the overlap.
        reaches: `gt` or `ge`: compares an overlap with the threshold.
    """
    groups, count = type_of(counts).shape
    constants = [*corners, _area(corners), *([] if classes is None else [classes])]
    number = iota((count,), 0, int64)
    rows = [number, *(transpose(one, (1, 0)) for one in constants)]

    def step(stays: Operand, here: Operand, *others: Operand) -> list[Operand]:
        own, whole = others[: len(constants)], others[len(constants) : -1]
        shape = (groups, count)
        spread = [broadcast(reshape(one, (groups, 1)), shape) for one in own]
        out = reaches(_overlap(spread[:4], spread[4], whole[:4], whole[4]), like(threshold, whole[4]))
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


@composite("_selected_boxes")
def selected_boxes(
    corners: Operand, scores: Operand, count: int, overlap: float, least: float, sigma: float
) -> tuple[Operand, Operand, Operand]:
    """Return the boxes of the best scores, each without those that overlap a better one (*non-maximum suppression*).

    They are numbers i64 [count], and their scores; and how many there are: what is behind them is 0.

    Args:
        corners: [boxes, 4], of two opposite corners each.
        scores: [boxes].
        count: the most that are selected.
        overlap: a box goes that overlaps a selected one by this share or more.
        least: a box counts while its score is higher.
        sigma: where it is above 0, scores fall by exp(-share^2 / (2 sigma)) with each that is selected (*soft*).
    """
    kind, boxes = type_of(scores), type_of(scores).shape
    one, other = _sides(corners, 0)[:2], _sides(corners, 0)[2:]
    sides = [f(a, b) for f in (min, max) for a, b in zip(one, other, strict=True)]
    whole = [*sides, _area(sides)]

    def step(left: Operand, *fixed: Operand) -> list[Operand]:
        best = arg_max(left, 0)
        score = gather(left, best, 0)
        some = gt(score, like(least, score))
        shares = _overlap([broadcast(gather(x, best, 0), boxes) for x in fixed[:4]],
                          broadcast(gather(fixed[4], best, 0), boxes), fixed[:4], fixed[4])  # fmt: skip
        lower = mul(left, exp(mul(like(-0.5 / sigma, shares), mul(shares, shares)))) if sigma > 0 else left
        goes = bit_or(ge(shares, like(overlap, shares)), eq(iota(boxes, 0, int64), broadcast(best, boxes)))
        rest = where(goes, like(float("-inf"), lower), lower)
        return [rest, where(some, best, like(0, best)), where(some, score, like(0, score)), cast(some, int64)]

    operands = [scores, *whole]
    if dims.same(boxes[0], 0) or dims.same(count, 0):
        return full(0, TensorType((count,), int64)), full(0, kind.with_shape((count,))), full(0, TensorType((), int64))
    _, best, values, some = bind(Scan(make_graph(step, [*map(type_of, operands)]), count, False, 1), *operands)
    return best, values, sum(some, (0,))


@composite("_contrib_bipartite_matching")
def bipartite_matching(data: Operand, is_ascend: bool, threshold: float, topk: int) -> tuple[Operand, Operand]:
    """Return the column of each row and the row of each column, -1 where there is none: the best pair, the next, ...

    Args:
        data: [..., rows, columns], the scores of pairs.
        is_ascend: whether low scores are good ones.
        threshold: only scores above it match, below it if `is_ascend`.
        topk: one less than the number of pairs, as in MXNet; below 1: as many as there are.
    """
    kind = type_of(data)
    if kind.ndim < 2:
        raise ShapeError("E182", f"bipartite_matching of {kind}", help="pass [..., rows, columns]")
    *front, rows, columns = kind.shape
    groups = math.prod(front)
    scores = stop_gradient(reshape(data, (groups, rows, columns)))
    rounds = rows if rows <= columns else columns
    rounds = topk + 1 if 0 < topk < rounds else rounds  # as MXNet counts
    scores, least = (neg(scores), -threshold) if is_ascend else (scores, threshold)
    of_rows, of_columns = (cast(side, kind.dtype) for side in _matched(scores, rounds, least))
    return reshape(of_rows, (*front, rows)), reshape(of_columns, (*front, columns))


def _matched(scores: Operand, rounds: int, threshold: float) -> tuple[Operand, Operand]:
    """Match rows and columns, greedily: [groups, rows] and [groups, columns], i64, -1 for those without another."""
    groups, rows, columns = type_of(scores).shape
    shape = groups, rows, columns

    def step(of_rows: Operand, of_columns: Operand, scores: Operand) -> list[Operand]:
        free = [lt(side, like(0, side)) for side in (of_rows, of_columns)]
        pair = bit_and(
            broadcast(reshape(free[0], (groups, rows, 1)), shape),
            broadcast(reshape(free[1], (groups, 1, columns)), shape),
        )
        left = reshape(where(pair, scores, like(float("-inf"), scores)), (groups, rows * columns))
        best = arg_max(left, 1)
        matches = gt(reduce_max(left, (1,)), full(threshold, type_of(left).with_shape((groups,))))
        number = floor_div(best, like(columns, best)), mod(best, like(columns, best))
        sides = []
        for side, size, own, other in ((of_rows, rows, *number), (of_columns, columns, *reversed(number))):
            own, other, here = (broadcast(reshape(x, (groups, 1)), (groups, size)) for x in (own, other, matches))
            sides.append(where(bit_and(here, eq(iota((groups, size), 1, int64), own)), other, side))
        return sides

    begin = [full(-1, TensorType((groups, size), int64)) for size in (rows, columns)]
    if dims.same(rows * columns, 0):
        return begin[0], begin[1]
    operands = [*begin, scores]
    of_rows, of_columns = bind(Scan(make_graph(step, [*map(type_of, operands)]), rounds, False, 2), *operands)
    return of_rows, of_columns


@composite("_contrib_box_encode")
def box_encode(
    samples: Operand, matches: Operand, anchors: Operand, refs: Operand, means: Operand, stds: Operand
) -> tuple[Operand, Operand]:
    """Return how matched boxes differ from their anchors, and 1 where an anchor has one, both [batch, anchors, 4].

    Args:
        samples: [batch, anchors], above 0.5 where an anchor has a box.
        matches: [batch, anchors], the number of that box.
        anchors: [batch, anchors, 4], corners.
        refs: [batch, boxes, 4], corners.
        means: four numbers, which are subtracted.
        stds: four numbers, by which is divided then.
    """
    kinds = [type_of(x) for x in (samples, matches, anchors, refs)]
    batch, count = kinds[0].shape if kinds[0].ndim == 2 else (-1, -1)
    fits = [kind.shape for kind in kinds[:3]] == [(batch, count), (batch, count), (batch, count, 4)]
    if not fits or kinds[3].ndim != 3 or kinds[3].shape[::2] != (batch, 4):
        text = f"box_encode of {', '.join(map(str, kinds))}"
        raise ShapeError("E182", text, help="pass [batch, anchors] twice, [batch, anchors, 4] and [batch, boxes, 4]")
    if any(type_of(x).shape != (4,) for x in (means, stds)):
        raise ShapeError(
            "E182", f"box_encode with means {type_of(means)} and stds {type_of(stds)}", help="give four numbers each"
        )
    samples, anchors, refs, means, stds = (stop_gradient(x) for x in (samples, anchors, refs, means, stds))
    boxes = _taken(refs, cast(matches, int64))
    some = gt(samples, like(0.5, samples))
    shifts = [
        div(sub(x, broadcast(_column(means, k), (batch, count))), broadcast(_column(stds, k), (batch, count)))
        for k, x in enumerate(_differences(_sides(anchors, 0), _sides(boxes, 0)))
    ]
    targets = _stacked([where(some, x, like(0, x)) for x in shifts])
    mask = broadcast(reshape(cast(some, kinds[0].dtype), (batch, count, 1)), (batch, count, 4))
    return targets, mask


@composite("_contrib_box_decode")
def box_decode(
    data: Operand,
    anchors: Operand,
    std0: float,
    std1: float,
    std2: float,
    std3: float,
    clip: float,
    format: str,
) -> Operand:
    """Return the corners of boxes that are told by how they differ from anchors.

    Args:
        data: [batch, anchors, 4].
        anchors: [1, anchors, 4], in `format`.
        std0: times the shift along x.
        std1: times the shift along y.
        std2: times the logarithm of the ratio of widths.
        std3: times that of heights.
        clip: the largest logarithm of a ratio, where it is above 0.
        format: `corner` or `center`.
    """
    kind = type_of(data)
    if kind.ndim != 3 or kind.shape[2] != 4 or type_of(anchors).shape != (1, *kind.shape[1:]):
        text = f"box_decode of {kind} and {type_of(anchors)}"
        raise ShapeError("E182", text, help="pass [batch, anchors, 4] and [1, anchors, 4]")
    moves, places = stop_gradient(data), stop_gradient(anchors)
    middles = [broadcast(side, kind.shape[:2]) for side in _in_centers(_sides(places, 0), format)]
    return _stacked(_moved(_sides(moves, 0), middles, (std0, std1, std2, std3), clip))


def _moved(moves: Sides, middles: Sides, scales: Sequence[float], most: float = -1) -> Sides:
    """Return the corners of anchors, told by their middles, that are moved and stretched."""
    scaled = [mul(move, like(scale, move)) for move, scale in zip(moves, scales, strict=True)]
    center = [add(mul(scaled[k], middles[k + 2]), middles[k]) for k in range(2)]
    ratios = [exp(min(one, like(most, one)) if most > 0 else one) for one in scaled[2:]]
    return _corners([*center, *(mul(ratio, side) for ratio, side in zip(ratios, middles[2:], strict=True))], CENTER)


def _differences(anchors: Sides, boxes: Sides) -> Sides:
    """Return how boxes are moved and stretched from anchors, both told by corners."""
    from_, to = centers(anchors), centers(boxes)
    shifts = [div(sub(to[k], from_[k]), from_[k + 2]) for k in range(2)]
    return [*shifts, *(log(div(to[k], from_[k])) for k in range(2, 4))]


@composite("_contrib_MultiBoxDetection")
def multibox_detection(
    cls_prob: Operand,
    loc_pred: Operand,
    anchor: Operand,
    clip: bool,
    threshold: float,
    background_id: int,
    nms_threshold: float,
    force_suppress: bool,
    variances: tuple[float, ...],
    nms_topk: int,
) -> Operand:
    """Return what lies in the boxes that predictions make of anchors: [batch, anchors, class, probability, corners].

    The boxes are in falling order of probabilities; the class of those that go is -1, and all of those that are none.

    Args:
        cls_prob: [batch, classes + 1, anchors], of which class 0 is the background.
        loc_pred: [batch, anchors * 4].
        anchor: [1, anchors, 4], corners.
        clip: whether boxes are cut at the border of the image.
        threshold: a box counts from this probability on.
        background_id: 0.
        nms_threshold: a box goes that overlaps a better one by as much; not from 0 to 1: all stay, in their order.
        force_suppress: boxes of other classes leave each other out, too.
        variances: what the predictions are multiplied by.
        nms_topk: the number of boxes that may stay; below 1: all.
    """
    shares, moves, places = (stop_gradient(x) for x in (cls_prob, loc_pred, anchor))
    kind = type_of(shares)
    batch, _, count = kind.shape
    last = batch, count
    objects = slice(shares, (0, 1, 0), kind.shape, (1, 1, 1))
    number, score = arg_max(objects, 1), reduce_max(objects, (1,))
    middles = [broadcast(side, last) for side in centers(_sides(places, 0))]
    corners = _moved(_sides(reshape(moves, (*last, 4)), 0), middles, variances)
    if clip:
        corners = [min(max(side, like(0, side)), like(1, side)) for side in corners]
    counts = ge(score, like(threshold, score))
    rows = _stacked([cast(number, kind.dtype), score, *corners])
    first = arg_sort(where(counts, *(full(k, TensorType(last, int64)) for k in range(2))), 1)
    plain, valid = _taken(rows, first), take_along_axis(counts, first, 1)
    if 0 < nms_threshold <= 1:
        best = arg_sort(where(counts, score, like(float("-inf"), score)), 1, descending=True)
        ranked = _taken(rows, best)
        among = valid
        if 0 < nms_topk < count:
            among = bit_and(valid, lt(iota(last, 1, int64), full(nms_topk, TensorType(last, int64))))
        own = None if force_suppress else _column(ranked, 0)
        stays = _survivors(_sides(ranked, 2), own, among, nms_threshold, ge)
        plain = where(_spread(among, type_of(rows).shape), ranked, plain)
    else:
        stays = valid
    none = like(-1, score)
    columns = [where(stays, _column(plain, 0), none), *(where(valid, _column(plain, k), none) for k in range(1, 6))]
    return _stacked(columns)


@composite("_contrib_MultiBoxTarget")
def multibox_target(
    anchor: Operand,
    label: Operand,
    cls_pred: Operand,
    overlap_threshold: float,
    ignore_label: float,
    negative_mining_ratio: float,
    negative_mining_thresh: float,
    minimum_negative_samples: int,
    variances: tuple[float, ...],
) -> tuple[Operand, Operand, Operand]:
    """Return what a detector of boxes is to predict: shifts and their mask [batch, anchors * 4], classes.

    Each object has the anchor that overlaps it most, and all anchors that overlap it by more than the threshold.

    Args:
        anchor: [1, anchors, 4], corners.
        label: [batch, objects, 5 or more]: class, from 0 on, and corners; no more objects from a class of -1 on.
        cls_pred: [batch, classes + 1, anchors], by which negatives are chosen: those that look least like background.
        overlap_threshold: of anchors that have an object; not above 0: each object has one anchor alone.
        ignore_label: the class of anchors that teach nothing.
        negative_mining_ratio: negatives for each positive; not above 0: all that are no positives.
        negative_mining_thresh: a negative overlaps every object by less.
        minimum_negative_samples: without effect, as in MXNet.
        variances: what the shifts are divided by.
    """
    anchors, truth, scores = (stop_gradient(x) for x in (anchor, label, cls_pred))
    batch, objects, _ = type_of(truth).shape
    count, dtype = type_of(anchors).shape[1], type_of(anchors).dtype
    last, whole = (batch, count), (batch, count, objects)
    classes = _column(truth, 0)
    ends = cum_sum(cast(eq(classes, like(-1, classes)), int64), 1)
    valid = eq(ends, like(0, ends))
    sides = [broadcast(reshape(one, (1, count, 1)), whole) for one in _sides(anchors, 0)]
    others = [broadcast(reshape(one, (batch, 1, objects)), whole) for one in _sides(truth, 1)]
    overlaps = _overlap(sides, _area(sides), others, _area(others))
    overlaps = where(broadcast(reshape(valid, (batch, 1, objects)), whole), overlaps, like(-1, overlaps))
    match, _ = _matched(overlaps, count if count <= objects else objects, 1e-6)
    nearest, most = arg_max(overlaps, 2), reduce_max(overlaps, (2,))
    positive = ge(match, like(0, match))
    match = where(positive, match, nearest)
    if overlap_threshold > 0:
        positive = bit_or(positive, gt(most, like(overlap_threshold, most)))
    negative = bit_not(positive)
    if negative_mining_ratio > 0:
        negative = _mined(scores, positive, most, negative_mining_ratio, negative_mining_thresh)
    some = ge(reduce_max(cast(valid, int64), (1,)), full(1, TensorType((batch,), int64)))
    positive, negative = (bit_and(one, _spread(some, last)) for one in (positive, negative))
    own = _taken(truth, match)
    shifts = _differences([broadcast(one, last) for one in _sides(anchors, 0)], _sides(own, 1))
    shifts = [div(shift, like(scale, shift)) for shift, scale in zip(shifts, variances, strict=True)]
    targets = _stacked([where(positive, one, like(0, one)) for one in shifts])
    mask = broadcast(reshape(cast(positive, dtype), (*last, 1)), (*last, 4))
    known = _column(own, 0)
    number = where(positive, add(known, like(1, known)), where(negative, like(0, known), like(ignore_label, known)))
    return reshape(targets, (batch, count * 4)), reshape(mask, (batch, count * 4)), number


def _mined(scores: Operand, positive: Operand, most: Operand, ratio: float, threshold: float) -> Operand:
    """True for the anchors that look least like the background and are none of the positives."""
    batch, classes, count = type_of(scores).shape
    largest = broadcast(reshape(reduce_max(scores, (1,)), (batch, 1, count)), (batch, classes, count))
    weights = exp(sub(scores, largest))
    background = reshape(slice(weights, (0, 0, 0), (batch, 1, count), (1, 1, 1)), (batch, count))
    share = div(background, sum(weights, (1,)))
    may = bit_and(bit_not(positive), lt(most, like(threshold, most)))
    order = arg_sort(where(may, share, like(float("inf"), share)), 1)
    rank = arg_sort(order, 1)
    amount = sum(cast(positive, wide(type_of(share).dtype)), (1,))
    amount = _spread(cast(floor(mul(amount, like(ratio, amount))), int64), (batch, count))
    return bit_and(may, lt(rank, amount))


def _taken(x: Operand, rows: Operand) -> Operand:
    """Return rows [groups, count, ...] of `x` [groups, rows, ...] by numbers [groups, count], which are clipped."""
    shape, limit = type_of(rows).shape, type_of(x).shape[1]
    rows = min(max(rows, like(0, rows)), like(limit - 1, rows))
    points = concat(reshape(iota(shape, 0, int64), (*shape, 1)), reshape(rows, (*shape, 1)), axis=2)
    return gather_nd(x, points)


def _stacked(columns: Sides) -> Operand:
    shape = (*type_of(columns[0]).shape, 1)
    return concat(*(reshape(one, shape) for one in columns), axis=len(shape) - 1)


def _spread(x: Operand, shape: Shape) -> Operand:
    """Repeat along last axes."""
    own = type_of(x).shape
    return broadcast(reshape(x, (*own, *(1,) * (len(shape) - len(own)))), shape)


def _in_other_format(rows: Operand, start: int, form: str) -> Operand:
    """Rows [..., numbers] whose four places have another form."""
    kind = type_of(rows)
    *front, width = kind.shape
    sides = _sides(rows, start)
    places = _stacked(_corners(sides, CENTER) if form == CORNER else centers(sides))

    def part(begin: int, end: int) -> list[Operand]:
        cut = slice(rows, (*(0,) * len(front), begin), (*front, end), (1,) * kind.ndim)
        return [cut] if end > begin else []

    return concat(*part(0, start), places, *part(start + 4, width), axis=kind.ndim - 1)


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


def _in_centers(sides: Sides, form: str) -> Sides:
    return sides if form == CENTER else centers(sides)


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
