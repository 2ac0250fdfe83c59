# SPDX-License-Identifier: Apache-2.0
"""Boxes around objects in images: their forms, how much two share, anchors, and what nets say about them.

A box is four numbers: its left, upper, right and lower edge, or its centre (x, y), width and height. It lies along the
last axis; A is the number of anchors, G that of boxes that are known, B the size of a batch, C the number of classes.
Matching, and the choice among boxes that share much, are done on the CPU, box by box.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.array import np, npx
from hybridize.d2l.figures import numbers, pyplot


def box_corner_to_center(boxes: Any) -> Any:
    """Convert boxes (boxes, 4) from edges to centre, width and height.

    >>> from hybridize import d2l, np
    >>> d2l.box_corner_to_center(np.array([[0.0, 0.0, 4.0, 2.0]]))
    array([[2., 1., 4., 2.]])
    """
    low, high = boxes[:, :2], boxes[:, 2:]
    return np.concatenate([(low + high) / 2, high - low], axis=-1)


def box_center_to_corner(boxes: Any) -> Any:
    """Convert boxes (boxes, 4) from centre, width and height to edges.

    >>> from hybridize import d2l, np
    >>> d2l.box_center_to_corner(np.array([[2.0, 1.0, 4.0, 2.0]]))
    array([[0., 0., 4., 2.]])
    """
    centre, half = boxes[:, :2], boxes[:, 2:] / 2
    return np.concatenate([centre - half, centre + half], axis=-1)


def bbox_to_rect(bbox: Any, color: str) -> Any:
    """Return a box as matplotlib's rectangle, to draw it.

    Args:
        bbox: the left, upper, right and lower edge.
        color: matplotlib's name of a colour.

    Raises:
        ArgumentError E380: matplotlib is not installed.

    >>> from hybridize import d2l
    >>> rectangle = d2l.bbox_to_rect([60, 45, 378, 516], "blue")
    >>> rectangle.get_xy(), rectangle.get_width(), rectangle.get_height()
    ((60.0, 45.0), 318.0, 471.0)
    """
    left, upper, right, lower = (float(one) for one in bbox)
    return pyplot().Rectangle((left, upper), right - left, lower - upper, fill=False, edgecolor=color, linewidth=2)


def show_bboxes(axes: Any, bboxes: Any, labels: Any = None, colors: Any = None) -> None:
    """Draw boxes into an image.

    Args:
        axes: matplotlib's axes, which show the image.
        bboxes: by their edges, (boxes, 4).
        labels: a text for each box, or for the first ones; None: no texts.
        colors: colours, one for each box in turn; None: five colours.

    >>> from hybridize import d2l, np
    >>> axes = d2l.plt.imshow(np.zeros((20, 20)).asnumpy()).axes
    >>> d2l.show_bboxes(axes, np.array([[2.0, 2.0, 9.0, 9.0], [4.0, 4.0, 15.0, 15.0]]), ["dog", "cat"])
    >>> [text.get_text() for text in axes.texts]
    ['dog', 'cat']
    >>> d2l.plt.close()
    """
    texts = _listed(labels) if labels is not None else []
    shades = _listed(colors) if colors is not None else ["b", "g", "r", "m", "c"]
    for number, box in enumerate(bboxes):
        shade = shades[number % len(shades)]
        rectangle = bbox_to_rect(numbers(box), shade)
        axes.add_patch(rectangle)
        if number < len(texts):
            style = {"facecolor": shade, "lw": 0}
            written = {"va": "center", "ha": "center", "fontsize": 9, "color": "k" if shade == "w" else "w"}
            axes.text(*rectangle.xy, texts[number], bbox=style, **written)


def _listed(one: Any) -> Sequence[Any]:
    return one if isinstance(one, (list, tuple)) else [one]


def multibox_prior(data: Any, sizes: Sequence[float], ratios: Sequence[float]) -> Any:
    """Return anchors around each pixel of an image.

    For each pixel these are all sizes at the first ratio, then the first size at the other ratios.

    Args:
        data: an image or a map of features, (..., height, width).
        sizes: shares of the height of the image.
        ratios: of width to height.

    Returns:
        (1, A, 4), by their edges, as shares of the image; the pixels row by row.

    >>> from hybridize import d2l, np
    >>> d2l.multibox_prior(np.ones((1, 3, 4, 5)), sizes=[0.75, 0.5], ratios=[1, 2]).shape
    (1, 60, 4)
    """
    height, width = data.shape[-2:]
    return npx.multibox_prior(data.reshape(1, -1, height, width), sizes, ratios)


def box_iou(boxes1: Any, boxes2: Any) -> Any:
    """Return the area that two boxes share over the area that they cover, for each pair: (boxes 1, boxes 2).

    Args:
        boxes1, boxes2: by their edges, (boxes, 4).

    >>> from hybridize import d2l, np
    >>> d2l.box_iou(np.array([[0.0, 0.0, 2.0, 2.0]]), np.array([[1.0, 0.0, 3.0, 2.0]])).round(3)
    array([[0.333]])
    """
    low = np.maximum(boxes1[:, None, :2], boxes2[:, :2])
    high = np.minimum(boxes1[:, None, 2:], boxes2[:, 2:])
    shared = (high - low).clip(0, None).prod(axis=-1)
    first, second = ((one[:, 2:] - one[:, :2]).prod(axis=-1) for one in (boxes1, boxes2))
    return shared / (first[:, None] + second - shared)


def assign_anchor_to_bbox(ground_truth: Any, anchors: Any, device: Any, iou_threshold: float = 0.5) -> Any:
    """Match anchors with known boxes.

    Each known box gets the anchor that shares most with it, those that share most first; any other anchor belongs to
    the box that it shares most with, if that is enough.

    Args:
        ground_truth: known boxes by their edges, (G, 4).
        anchors: by their edges, (A, 4).
        device: where the result is.
        iou_threshold: how much is enough.

    Returns:
        For each anchor the number of its box, or -1; int32, (A,).

    >>> from hybridize import d2l, np
    >>> boxes = np.array([[0.0, 0.0, 2.0, 2.0]])
    >>> d2l.assign_anchor_to_bbox(boxes, boxes, d2l.cpu()).tolist()
    [0]
    """
    return np.array(_matched(numbers(box_iou(anchors, ground_truth)), iou_threshold), dtype="int32", ctx=device)


def _matched(shares: NDArray[Any], enough: float) -> NDArray[Any]:
    matches = numpy.where(shares.max(axis=1) >= enough, shares.argmax(axis=1), -1).astype(numpy.int32)
    left = shares.copy()
    for _ in range(shares.shape[1]):
        anchor, box = numpy.unravel_index(left.argmax(), left.shape)
        matches[anchor] = box
        left[anchor, :] = left[:, box] = -1
    return matches


def offset_boxes(anchors: Any, assigned_bb: Any, eps: float = 1e-6) -> Any:
    """Return differences of boxes from their anchors, as nets learn them: (boxes, 4).

    The first two are the shift of the centre divided by the anchor's size, times 10. The others are the logarithm of
    the box's size divided by the anchor's, times 5. `offset_inverse` is the inverse.

    Args:
        anchors: by their edges, (boxes, 4).
        assigned_bb: the box of each anchor, by its edges, (boxes, 4).
        eps: keeps the logarithm of a box without area finite.

    >>> from hybridize import d2l, np
    >>> boxes = np.array([[0.0, 0.0, 2.0, 2.0]])
    >>> d2l.offset_boxes(boxes, boxes).round(3)
    array([[0., 0., 0., 0.]])
    """
    anchor, box = box_corner_to_center(anchors), box_corner_to_center(assigned_bb)
    moved = 10 * (box[:, :2] - anchor[:, :2]) / anchor[:, 2:]
    return np.concatenate([moved, 5 * np.log(eps + box[:, 2:] / anchor[:, 2:])], axis=1)


def offset_inverse(anchors: Any, offset_preds: Any) -> Any:
    """Return boxes by their edges (boxes, 4), from anchors and the differences of the boxes from them.

    Args:
        anchors: by their edges, (boxes, 4).
        offset_preds: differences as of `offset_boxes`, (boxes, 4).

    >>> from hybridize import d2l, np
    >>> d2l.offset_inverse(np.array([[0.0, 0.0, 2.0, 2.0]]), np.zeros((1, 4)))
    array([[0., 0., 2., 2.]])
    """
    anchor = box_corner_to_center(anchors)
    centre = offset_preds[:, :2] * anchor[:, 2:] / 10 + anchor[:, :2]
    return box_center_to_corner(np.concatenate([centre, np.exp(offset_preds[:, 2:] / 5) * anchor[:, 2:]], axis=1))


def multibox_target(anchors: Any, labels: Any) -> tuple[Any, Any, Any]:
    """Return labels of anchors, which a net learns.

    Args:
        anchors: by their edges, (1, A, 4).
        labels: of each image known boxes: the class from 0, and the edges; (B, G, 5).

    Returns:
        How the boxes differ from the anchors, 0 where an anchor has none, (B, 4 A); 1 where an anchor has a box, else
        0, (B, 4 A); the class of each anchor from 1, 0 for none, (B, A).

    >>> from hybridize import d2l, np
    >>> anchors = np.array([[[0.1, 0.1, 0.5, 0.5]]])
    >>> labels = np.array([[[0, 0.1, 0.1, 0.5, 0.5]]])
    >>> d2l.multibox_target(anchors, labels)[2].tolist()
    [[1]]
    """
    anchors, offsets, masks, classes = anchors.squeeze(0), [], [], []
    for label in labels:
        box = assign_anchor_to_bbox(label[:, 1:], anchors, anchors.ctx)
        has, row = box >= 0, label[np.maximum(box, 0)]
        mask = np.repeat(has.astype("int32")[:, None], 4, axis=1)
        offsets.append((np.where(mask > 0, offset_boxes(anchors, row[:, 1:]), 0.0)).reshape(-1))
        masks.append(mask.reshape(-1))
        classes.append(np.where(has, row[:, 0].astype("int32") + 1, 0))
    return np.stack(offsets), np.stack(masks), np.stack(classes)


def nms(boxes: Any, scores: Any, iou_threshold: float) -> Any:
    """Return the numbers of the boxes that remain.

    From the highest score down, a box drops those that overlap it too much.

    Args:
        boxes: by their edges, (boxes, 4).
        scores: (boxes,).
        iou_threshold: how much two boxes may share.

    Returns:
        int32, those with the highest scores first.

    >>> from hybridize import d2l, np
    >>> boxes = np.array([[0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 2.0, 1.9]])
    >>> d2l.nms(boxes, np.array([0.9, 0.8]), 0.5).tolist()
    [0]
    """
    shares = numbers(box_iou(boxes, boxes))
    left, survivors = numbers(scores).argsort()[::-1], []
    while len(left):
        survivors.append(left[0])
        left = left[1:][shares[left[0], left[1:]] <= iou_threshold]
    return np.array(survivors, dtype="int32", ctx=boxes.ctx)


def multibox_detection(
    cls_probs: Any,
    offset_preds: Any,
    anchors: Any,
    nms_threshold: float = 0.5,
    pos_threshold: float = 0.009999999,
) -> Any:
    """Return the boxes that a net's results describe, without those that overlap a likelier one.

    Args:
        cls_probs: probabilities of classes, of which the first is the background, (B, C + 1, A).
        offset_preds: how boxes differ from the anchors, (B, 4 A).
        anchors: by their edges, (1, A, 4).
        nms_threshold: see `nms`.
        pos_threshold: the least probability of an object.

    Returns:
        (B, A, 6). For each anchor: the class from 0, or -1 for the background; its probability, or that of the
        background; and the edges of the box. The boxes that stay come first, the likeliest first.

    >>> from hybridize import d2l, np
    >>> anchors = np.array([[[0.1, 0.1, 0.5, 0.5], [0.1, 0.1, 0.5, 0.6]]])
    >>> probabilities = np.array([[[0.1, 0.2], [0.9, 0.8]]])
    >>> d2l.multibox_detection(probabilities, np.zeros((1, 8)), anchors)[0, :, :2].round(2)
    array([[ 0. ,  0.9],
           [-1. ,  0.8]])
    """
    anchors, detections = anchors.squeeze(0), []
    for probabilities, offsets in zip(cls_probs, offset_preds, strict=True):
        boxes = offset_inverse(anchors, offsets.reshape(-1, 4))
        sure = probabilities[1:].max(axis=0)
        survivors = numbers(nms(boxes, sure, nms_threshold))
        dropped = numpy.setdiff1d(numpy.arange(len(boxes)), survivors)
        order = np.array(numpy.concatenate([survivors, dropped]), ctx=boxes.ctx)
        stays = np.arange(len(boxes), ctx=boxes.ctx) < len(survivors)
        sure, kind = sure[order], probabilities[1:].argmax(axis=0)[order].astype("float32")
        kind = np.where(stays & (sure >= pos_threshold), kind, -1.0)
        sure = np.where(sure < pos_threshold, 1 - sure, sure)
        detections.append(np.concatenate([kind[:, None], sure[:, None], boxes[order]], axis=1))
    return np.stack(detections)
