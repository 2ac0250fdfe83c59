"""Boxes: areas counted pixel by pixel, anchors and matches worked out by hand."""

import matplotlib
import numpy
import pytest

from hybridize import d2l, np


def drawn(count, seed=0):
    numbers = numpy.random.default_rng(seed).integers(0, 10, (count, 2, 2))
    low, high = numbers.min(axis=1), numbers.max(axis=1) + 1
    return numpy.concatenate([low, high], axis=1).astype(numpy.float32)


def pixels(box):
    grid = numpy.zeros((12, 12), bool)
    left, upper, right, lower = map(int, box)
    grid[upper:lower, left:right] = True
    return grid


def test_both_forms():
    boxes = np.array(drawn(20))
    centred = d2l.box_corner_to_center(boxes)
    assert centred[0].tolist() == [(boxes[0, 0] + boxes[0, 2]) / 2, (boxes[0, 1] + boxes[0, 3]) / 2,
                                   boxes[0, 2] - boxes[0, 0], boxes[0, 3] - boxes[0, 1]]  # fmt: skip
    numpy.testing.assert_array_equal(d2l.box_center_to_corner(centred).asnumpy(), boxes.asnumpy())


def test_what_two_boxes_share_counted_in_pixels():
    ours, theirs = drawn(15), drawn(9, seed=1)
    found = d2l.box_iou(np.array(ours), np.array(theirs)).asnumpy()
    for row, one in zip(found, ours, strict=True):
        for share, two in zip(row, theirs, strict=True):
            both, any_ = (pixels(one) & pixels(two)).sum(), (pixels(one) | pixels(two)).sum()
            assert share == pytest.approx(both / any_, rel=1e-6)


def test_anchors():
    height, width = 4, 8
    found = d2l.multibox_prior(np.zeros((1, 3, height, width)), [0.5, 0.25], [1, 4]).reshape(height, width, 3, 4)
    assert found.shape == (4, 8, 3, 4)
    for row, column in ((0, 0), (2, 5)):
        x, y = (column + 0.5) / width, (row + 0.5) / height
        for number, (size, ratio) in enumerate([(0.5, 1), (0.25, 1), (0.5, 4)]):
            w, h = size * ratio**0.5 * height / width, size / ratio**0.5
            expected = [x - w / 2, y - h / 2, x + w / 2, y + h / 2]
            numpy.testing.assert_allclose(found[row, column, number].asnumpy(), expected, rtol=1e-6, atol=1e-7)


def test_each_box_gets_the_anchor_that_shares_most():
    anchors = np.array([[0.0, 0, 1, 1], [0, 0, 0.9, 1], [0.5, 0.5, 0.6, 0.6], [0, 0, 0.2, 0.2]])
    truth = np.array([[0.0, 0, 1, 1], [0, 0, 0.95, 1.0]])
    # Anchor 0 is the first box itself; of what is left, anchor 1 shares most with the second box.
    assert d2l.assign_anchor_to_bbox(truth, anchors, d2l.cpu()).tolist() == [0, 1, -1, -1]
    assert d2l.assign_anchor_to_bbox(truth[1:], anchors, d2l.cpu(), 0.5).tolist() == [0, 0, -1, -1]
    assert d2l.assign_anchor_to_bbox(truth[1:], anchors[2:], d2l.cpu(), 0.5).tolist() == [-1, 0], "however little"


def test_targets_lead_back_to_the_boxes():
    anchors = np.array([[[0.0, 0, 0.6, 0.6], [0.3, 0.3, 0.9, 1], [0.8, 0, 0.9, 0.1]]])
    labels = np.array([[[1, 0.05, 0.0, 0.6, 0.65], [0, 0.35, 0.3, 0.95, 0.95]]])
    offsets, mask, classes = d2l.multibox_target(anchors, labels)
    assert (classes.tolist(), mask.tolist()) == ([[2, 1, 0]], [[1] * 8 + [0] * 4])
    assert offsets.shape == (1, 12)
    assert not offsets[0, 8:].any()
    back = d2l.offset_inverse(anchors[0], offsets.reshape(-1, 4)).asnumpy()
    numpy.testing.assert_allclose(back[:2], labels[0, :, 1:].asnumpy(), atol=1e-5)
    numpy.testing.assert_allclose(back[2], anchors[0, 2].asnumpy(), atol=1e-6)


def test_of_boxes_that_share_much_the_likeliest_stays():
    rng = numpy.random.default_rng(3)
    boxes, scores = drawn(40, seed=4), rng.permutation(40).astype(numpy.float32) / 40
    found = d2l.nms(np.array(boxes), np.array(scores), 0.3)
    kept = []
    for number in numpy.argsort(-scores):
        shares = [
            (pixels(boxes[number]) & pixels(boxes[one])).sum() / (pixels(boxes[number]) | pixels(boxes[one])).sum()
            for one in kept
        ]
        if all(share <= 0.3 for share in shares):
            kept.append(int(number))
    assert (found.tolist(), found.dtype) == (kept, numpy.int32)
    assert 1 < len(kept) < 40


def test_what_is_found():
    anchors = np.array(
        [[[0.1, 0.08, 0.52, 0.92], [0.08, 0.2, 0.56, 0.95], [0.15, 0.3, 0.62, 0.91], [0.55, 0.2, 0.9, 0.88]]]
    )
    probabilities = np.array([[[0.0, 0, 0, 0], [0.92, 0.8, 0.7, 0.1], [0.08, 0.2, 0.3, 0.9]]])
    found = d2l.multibox_detection(probabilities, np.zeros((1, 16)), anchors, nms_threshold=0.5)
    assert found.shape == (1, 4, 6)
    numpy.testing.assert_allclose(found[0, :, 0].asnumpy(), [0, 1, -1, -1])
    numpy.testing.assert_allclose(found[0, :2, 1].asnumpy(), [0.92, 0.9])
    edges = {tuple(round(x, 2) for x in row) for row in found[0, :2, 2:].tolist()}
    assert edges == {(0.1, 0.08, 0.52, 0.92), (0.55, 0.2, 0.9, 0.88)}
    unsure = d2l.multibox_detection(probabilities, np.zeros((1, 16)), anchors, 0.5, pos_threshold=0.95)
    assert unsure[0, :, 0].tolist() == [-1] * 4
    numpy.testing.assert_allclose(sorted(unsure[0, :, 1].tolist()), [0.08, 0.1, 0.2, 0.3], atol=1e-6)


def test_boxes_are_drawn():
    axes = d2l.plt.figure().gca()
    d2l.show_bboxes(axes, np.array([[1.0, 2, 5, 8], [0, 0, 1, 1]]), labels="dog", colors=["b", "w"])
    first, second = axes.patches
    assert (first.get_xy(), first.get_width(), first.get_height()) == ((1, 2), 4, 6)
    assert second.get_edgecolor()[:3] == (1, 1, 1)
    assert [(one.get_text(), one.get_position()) for one in axes.texts] == [("dog", (1, 2))]
    d2l.show_heatmaps(np.arange(24).reshape(2, 2, 2, 3), "keys", "queries", titles=["a", "b"])
    shown = [one for one in d2l.plt.gcf().axes if one.images]
    assert [one.get_title() for one in shown] == ["a", "b", "a", "b"]
    numpy.testing.assert_array_equal(shown[3].images[0].get_array(), numpy.arange(18, 24).reshape(2, 3))
    assert [one.get_xlabel() for one in shown] == ["", "", "keys", "keys"]
    matplotlib.pyplot.close("all")
