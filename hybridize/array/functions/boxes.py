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
    """The share that two boxes have in common of what they cover together, for each pair.

    Args:
        lhs: [..., 4].
        rhs: [..., 4].
        format: `corner`: left, top, right, bottom; `center`: the middle's x and y, width, height.

    Returns:
        The axes of `lhs` before those of `rhs`, without the last ones; 0 for two that cover nothing.

    Raises:
        ShapeError E182: a last axis that is not of size 4.
    """
    one_of(format, _FORMATS, "box_iou", "format")
    return result(library.box_iou(*same_floats("box_iou", lhs, rhs), format))


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
    """The boxes with the highest scores, each without those that overlap it and have lower ones.

    Args:
        data: [..., boxes, numbers]; each box has a score and four places among its numbers.
        overlap_thresh: a box is left out that overlaps a better one by more, as `box_iou` says.
        valid_thresh: a box counts if its score is higher.
        topk: as many are looked at, the best ones; below 0: all; 0: the data are the result.
        coord_start: where the places begin.
        score_index: where the score is.
        id_index: where the class is; below 0: there is none.
        background_id: a class whose boxes are left out.
        force_suppress: boxes of other classes leave each other out, too.
        in_format: `corner` or `center`, as of `box_iou`.
        out_format: the same, for the result.

    Returns:
        The boxes by falling scores, in the shape of `data`; -1 where there are no more.

    Raises:
        ArgumentError E365: a place beyond the numbers of a box. ShapeError E182: fewer than two axes.
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
    numbers = float(overlap_thresh), float(valid_thresh)
    places = tuple(map(int, (topk, coord_start, score_index, id_index, background_id)))
    (x,) = same_floats("box_nms", table)
    return result(library.box_nms(x, *numbers, *places, bool(force_suppress), in_format, out_format))


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
    """The objects that a detector of boxes has found.

    Args:
        cls_prob: [batch, classes + 1, boxes], of which class 0 is the background.
        loc_pred: [batch, boxes * 4]: how each box is moved and stretched.
        anchor: [1, boxes, 4]: where they were, by corners.
        clip: cut at the border of the image.
        threshold: a box counts if the probability of its class is higher.
        background_id: 0, the only one that there is.
        nms_threshold: as of `box_nms`.
        force_suppress: as of `box_nms`.
        variances: what the predictions are multiplied by.
        nms_topk: as of `box_nms`.

    Returns:
        [batch, boxes, 6]: class (without the background, from 0), probability, corners; -1 where there are no more.

    Raises:
        ArgumentError E365: another background. ShapeError E182: they do not fit together.
    """
    shares, moves, places = array(cls_prob), array(loc_pred), array(anchor)
    fits = shares.ndim == 3 and moves.ndim == 2 and places.ndim == 3 and moves.shape[1] == shares.shape[2] * 4
    if not fits or places.shape[1] != shares.shape[2]:
        text = f"multibox_detection of {shares.type}, {moves.type} and {places.type}"
        raise ShapeError("E182", text, help="pass [batch, classes + 1, boxes], [batch, 4 * boxes] and [1, boxes, 4]")
    if background_id != 0:
        raise ArgumentError("E365", f"multibox_detection with background_id={background_id}", help="it must be 0")
    number = np.argmax(shares[:, 1:], 1).astype(shares.dtype)
    best = np.max(shares[:, 1:], 1)
    middle = _centers(places)
    move = np.reshape(moves, (shares.shape[0], -1, 4)) * array(variances).astype(moves.dtype)
    center, size = move[..., :2] * middle[..., 2:] + middle[..., :2], np.exp(move[..., 2:]) * middle[..., 2:]
    boxes = _corners(np.concatenate([center, size], -1), "center")
    if clip:
        boxes = np.minimum(np.maximum(boxes, 0.0), 1.0)
    counts = best > threshold
    number = np.where(counts, number, -1.0)
    objects = np.concatenate([np.stack([number, best], -1), boxes], -1)
    return box_nms(objects, nms_threshold, threshold, nms_topk, 2, 1, 0, -1, force_suppress)


def _corners(boxes: Any, form: str) -> Any:
    if form == "corner":
        return boxes
    middle, half = boxes[..., :2], boxes[..., 2:] / 2
    return np.concatenate([middle - half, middle + half], -1)


def _centers(boxes: Any) -> Any:
    begin, end = boxes[..., :2], boxes[..., 2:]
    return np.concatenate([(begin + end) / 2, end - begin], -1)
