# SPDX-License-Identifier: Apache-2.0
"""Boxes around objects of images: how far two overlap, which of many stay, and where detectors place them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridize.array import functions as np
from hybridize.array.functions.sampling import same_floats
from hybridize.array.operands import array, one_of, public, result
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.ops.library import boxes as library

_FORMATS = ("corner", "center")


@public
def box_iou(lhs: Any, rhs: Any, format: str = "corner") -> Any:
    """Return the intersection over union of each pair of boxes.

    Args:
        lhs: [..., 4].
        rhs: [..., 4].
        format: `corner`: left, top, right, bottom; `center`: the middle's x and y, width, height.

    Returns:
        The axes of `lhs` before those of `rhs`, without the last ones; 0 for two that cover nothing.

    Raises:
        ShapeError E182: a last axis that is not of size 4.

    >>> nd.contrib.box_iou(nd.array([[0, 0, 2, 1]]), nd.array([[1, 0, 3, 1]])).asnumpy().round(4)
    array([[0.3333]], dtype=float32)
    """
    one_of(format, _FORMATS, "box_iou", "format")
    x, y = same_floats("box_iou", lhs, rhs)
    return result(library.box_iou(x, y, format))


@public
def box_nms(
    data: Any,
    overlap_thresh: float = 0.5,
    valid_thresh: float = 0.0,
    topk: int = -1,
    coord_start: int = 2,
    score_index: int = 1,
    id_index: int = -1,
    background_id: int = -1,
    force_suppress: bool = False,
    in_format: str = "corner",
    out_format: str = "corner",
) -> Any:
    """Return the boxes with the highest scores; those that overlap a better one become -1.

    Args:
        data: [..., boxes, numbers]; each box has a score and four places among its numbers.
        overlap_thresh: a box is left out that overlaps a better one by more, as `box_iou` says.
        valid_thresh: a box counts if its score is higher.
        topk: as many are looked at, the best ones; below 0: all; 0: the data are the result.
        coord_start: where the places begin.
        score_index: where the score is.
        id_index: where the class is; below 0: there is none.
        background_id: a class whose boxes are left out, where there are classes.
        force_suppress: boxes of other classes leave each other out, too.
        in_format: `corner` or `center`, as of `box_iou`.
        out_format: the same, for the result.

    Returns:
        The boxes by falling scores, in the shape of `data`; -1 where there are no more.

    Raises:
        ArgumentError E365: a place beyond the numbers of a box. ShapeError E182: fewer than two axes.

    >>> boxes = nd.array([[0, 0.9, 0, 0, 1, 1], [0, 0.8, 0, 0, 1, 1]])
    >>> nd.contrib.box_nms(boxes).asnumpy()[:, 1].round(2)
    array([ 0.9, -1. ], dtype=float32)
    """
    one_of(in_format, _FORMATS, "box_nms", "in_format")
    one_of(out_format, _FORMATS, "box_nms", "out_format")
    table = array(data)
    if table.ndim < 2:
        raise ShapeError("E182", f"box_nms of {table.type}", help="the boxes are along the second-to-last axis")
    width = table.shape[-1]
    if not (0 <= coord_start <= width - 4 and 0 <= score_index < width and id_index < width):
        text = f"box_nms of {table.type} with coord_start={coord_start}, score_index={score_index}, id_index={id_index}"
        raise ArgumentError("E365", text, help=f"a box has {width} numbers; its four coordinates begin at coord_start")
    (x,) = same_floats("box_nms", table)
    attributes: tuple[Any, ...] = (
        float(overlap_thresh), float(valid_thresh), int(topk), int(coord_start), int(score_index), int(id_index),
        int(background_id), bool(force_suppress), in_format, out_format,
    )  # fmt: skip
    return result(library.box_nms(x, *attributes))


@public
def multibox_detection(
    cls_prob: Any,
    loc_pred: Any,
    anchor: Any,
    clip: bool = True,
    threshold: float = 0.01,
    background_id: int = 0,
    nms_threshold: float = 0.5,
    force_suppress: bool = False,
    variances: Sequence[float] = (0.1, 0.1, 0.2, 0.2),
    nms_topk: int = -1,
) -> Any:
    """Return the objects that a detector of boxes finds: class, score and four corners, [batch, anchors, 6].

    Args:
        cls_prob: [batch, classes + 1, boxes], of which class 0 is the background.
        loc_pred: [batch, boxes * 4]: how each box is moved and stretched.
        anchor: [1, boxes, 4]: where they were, by corners.
        clip: cut at the border of the image.
        threshold: a box counts from this probability of its class on.
        background_id: 0, the only one that there is.
        nms_threshold: a box goes that overlaps a better one by as much; not from 0 to 1: all stay, in their order.
        force_suppress: as of `box_nms`.
        variances: what the predictions are multiplied by.
        nms_topk: the number of boxes that may stay; below 1: all.

    Returns:
        [batch, boxes, 6]: class (without the background, from 0), probability, corners, in falling order of
        probabilities. The class of those that go is -1, and all of what is no box.

    Raises:
        ArgumentError E365: another background. ShapeError E182: they do not fit together.

    >>> scores = np.array([[[0.1], [0.9]]])
    >>> anchors = np.array([[[0.1, 0.1, 0.5, 0.5]]])
    >>> npx.multibox_detection(scores, np.zeros((1, 4)), anchors).round(2)
    array([[[0. , 0.9, 0.1, 0.1, 0.5, 0.5]]])
    """
    shares, moves, places = array(cls_prob), array(loc_pred), array(anchor)
    fits = shares.ndim == 3 and moves.ndim == 2 and places.ndim == 3 and moves.shape[1] == shares.shape[2] * 4
    if not fits or places.shape[1] != shares.shape[2]:
        text = f"multibox_detection of {shares.type}, {moves.type} and {places.type}"
        raise ShapeError("E182", text, help="pass [batch, classes + 1, boxes], [batch, 4 * boxes] and [1, boxes, 4]")
    if background_id != 0:
        raise ArgumentError("E365", f"multibox_detection with background_id={background_id}", help="it must be 0")
    shares, moves, places = same_floats("multibox_detection", shares, moves, places)
    attributes: tuple[Any, ...] = (
        bool(clip), float(threshold), 0, float(nms_threshold), bool(force_suppress),
        _four(variances, "multibox_detection"), int(nms_topk),
    )  # fmt: skip
    return result(library.multibox_detection(shares, moves, places, *attributes))


@public
def multibox_target(
    anchor: Any,
    label: Any,
    cls_pred: Any,
    overlap_threshold: float = 0.5,
    ignore_label: float = -1.0,
    negative_mining_ratio: float = -1.0,
    negative_mining_thresh: float = 0.5,
    minimum_negative_samples: int = 0,
    variances: Sequence[float] = (0.1, 0.1, 0.2, 0.2),
) -> Any:
    """Return what a detector of boxes is to predict: offsets, a mask of them, and classes.

    Args:
        anchor: [1, anchors, 4], corners.
        label: [batch, objects, 5 or more]: class, from 0 on, and corners of each; there are no more from a class of -1.
        cls_pred: [batch, classes + 1, anchors], by which negatives are chosen.
        overlap_threshold: an anchor has an object that it overlaps by more; each object has one anchor at the least.
        ignore_label: the class of anchors that teach nothing.
        negative_mining_ratio: negatives for each positive, those that look least like background; not above 0: all.
        negative_mining_thresh: a negative overlaps every object by less.
        minimum_negative_samples: without effect, as in MXNet.
        variances: what the shifts are divided by.

    Returns:
        Shifts and their mask, [batch, anchors * 4] both; the classes of anchors from 1 on, 0 for background.

    Raises:
        ArgumentError E365: other than four variances.
        ShapeError E182: they do not fit together.

    >>> anchors = np.array([[[0.1, 0.1, 0.5, 0.5]]])
    >>> label = np.array([[[0, 0.1, 0.1, 0.5, 0.5]]])
    >>> npx.multibox_target(anchors, label, np.zeros((1, 2, 1)))[2]
    array([[1.]])
    """
    xs = places, truth, scores = [array(x) for x in (anchor, label, cls_pred)]
    fits = places.ndim == truth.ndim == scores.ndim == 3 and places.shape[::2] == (1, 4)
    if not fits or truth.shape[2] < 5 or scores.shape[::2] != (truth.shape[0], places.shape[1]):
        text = f"multibox_target of {places.type}, {truth.type} and {scores.type}"
        raise ShapeError("E182", text, help="pass [1, boxes, 4], [batch, objects, 5] and [batch, classes + 1, boxes]")
    places, truth, scores = same_floats("multibox_target", *xs)
    attributes: tuple[Any, ...] = (
        float(overlap_threshold), float(ignore_label), float(negative_mining_ratio), float(negative_mining_thresh),
        int(minimum_negative_samples), _four(variances, "multibox_target"),
    )  # fmt: skip
    return [result(x) for x in library.multibox_target(places, truth, scores, *attributes)]


@public
def bipartite_matching(data: Any, is_ascend: bool = False, threshold: float | None = None, topk: int = -1) -> Any:
    """Match rows with columns: the pair of the best score first, then the best of the pairs that are left.

    Args:
        data: [..., rows, columns], the scores of pairs.
        is_ascend: whether low scores are good ones.
        threshold: only scores above it match; below it, if `is_ascend`.
        topk: one less than the number of pairs, as in MXNet; below 1: as many as there are.

    Returns:
        The column of each row and the row of each column, -1 where there is none.

    Raises:
        ArgumentError E365: no threshold.
        ShapeError E182: fewer than two axes.

    >>> rows, columns = nd.contrib.bipartite_matching(nd.array([[0.5, 0.9], [0.8, 0.7]]), threshold=0.1)
    >>> rows.asnumpy()
    array([1., 0.], dtype=float32)
    """
    if threshold is None:
        raise ArgumentError("E365", "bipartite_matching without a threshold", help="only scores above it match")
    (x,) = same_floats("bipartite_matching", data)
    return [result(y) for y in library.bipartite_matching(x, bool(is_ascend), float(threshold), int(topk))]


@public
def box_encode(samples: Any, matches: Any, anchors: Any, refs: Any, means: Any, stds: Any) -> Any:
    """Return the differences of boxes to the anchors that they are matched with, and a mask of them.

    Args:
        samples: [batch, anchors]: 1 where an anchor has a box.
        matches: [batch, anchors]: the number of that box.
        anchors: [batch, anchors, 4], corners.
        refs: [batch, boxes, 4], corners.
        means: four numbers, which are subtracted.
        stds: four numbers, by which is divided then.

    Returns:
        The differences and 1 where there are some, [batch, anchors, 4] both.

    Raises:
        ShapeError E182: they do not fit together.

    >>> box, means, stds = nd.array([[[0.1, 0.1, 0.5, 0.5]]]), nd.zeros(4), nd.ones(4)
    >>> nd.contrib.box_encode(nd.ones((1, 1)), nd.zeros((1, 1)), box, box, means, stds)[0].asnumpy()
    array([[[0., 0., 0., 0.]]], dtype=float32)
    """
    values = [*(array(x) for x in (samples, matches, anchors, refs)), *(np.array(x, "float32") for x in (means, stds))]
    return [result(x) for x in library.box_encode(*same_floats("box_encode", *values))]


@public
def box_decode(
    data: Any,
    anchors: Any,
    std0: float = 1.0,
    std1: float = 1.0,
    std2: float = 1.0,
    std3: float = 1.0,
    clip: float = -1.0,
    format: str = "center",
) -> Any:
    """Return the corners of boxes from their differences to anchors.

    Args:
        data: [batch, anchors, 4].
        anchors: [1, anchors, 4].
        std0: times the shift along x.
        std1: times the shift along y.
        std2: times the logarithm of the ratio of widths.
        std3: times that of heights.
        clip: the largest logarithm of a ratio, where it is above 0.
        format: of the anchors, `corner` or `center`.

    Raises:
        ShapeError E182: they do not fit together.

    >>> anchors = nd.array([[[0.1, 0.1, 0.5, 0.5]]])
    >>> nd.contrib.box_decode(nd.zeros((1, 1, 4)), anchors, format="corner").asnumpy().round(2)
    array([[[0.1, 0.1, 0.5, 0.5]]], dtype=float32)
    """
    one_of(format, _FORMATS, "box_decode", "format")
    x, places = same_floats("box_decode", data, anchors)
    scales = float(std0), float(std1), float(std2), float(std3)
    return result(library.box_decode(x, places, *scales, float(clip), format))


def _four(variances: Any, name: str) -> tuple[float, ...]:
    numbers = tuple(map(float, variances))
    if len(numbers) != 4:
        raise ArgumentError("E365", f"{name} with variances={numbers}", help="give four numbers")
    return numbers
