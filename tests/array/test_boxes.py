"""Boxes of detectors, against loops over single boxes; imperatively and compiled."""

import numpy
import pytest

from hybridize import autograd, hybridize, nd, np, npx
from hybridize.errors import ArgumentError, ShapeError
from hybridize.ops import control

RANDOM = numpy.random.RandomState(4)


def boxes(*shape):
    begin = RANDOM.rand(*shape, 2)
    return numpy.concatenate([begin, begin + RANDOM.rand(*shape, 2) * 0.5], -1).astype("float32")


def detections(*shape):
    classes, scores = RANDOM.randint(0, 3, (*shape, 1)), RANDOM.rand(*shape, 1)
    return numpy.concatenate([classes, scores, boxes(*shape)], -1).astype("float32")


def overlap(a, b):
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    common = max(width, 0) * max(height, 0)
    whole = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - common
    return common / whole if whole > 0 else 0.0


def best(rows, threshold, valid, topk, classes, force, background=-1):
    """What stays of the boxes of one image, one after the other."""
    rows = [row for row in rows if row[1] > valid and not (classes and row[0] == background)]
    rows = sorted(rows, key=lambda row: -row[1])[: topk if topk > 0 else None]
    kept = []
    for row in rows:
        rivals = [one for one in kept if force or not classes or one[0] == row[0]]
        if all(overlap(one[2:], row[2:]) <= threshold for one in rivals):
            kept.append(row)
    return kept


def both(function, *arrays):
    compiled = hybridize(function)
    first = [one.asnumpy() for one in (function(*arrays), compiled(*arrays), compiled(*arrays))]
    numpy.testing.assert_allclose(first[0], first[1], rtol=1e-5, atol=1e-6)
    numpy.testing.assert_array_equal(first[1], first[2])
    return first[0]


@pytest.mark.parametrize("form", ["corner", "center"])
def test_overlaps(form):
    a, b = boxes(2, 3), boxes(4)
    a[0, 0] = b[0] = 0.0  # nothing, which has nothing in common with itself
    corners = (a, b)
    if form == "center":
        corners = [
            numpy.concatenate([one[..., :2] - one[..., 2:] / 2, one[..., :2] + one[..., 2:] / 2], -1) for one in (a, b)
        ]
    expected = [[[overlap(x, y) for y in corners[1]] for x in row] for row in corners[0]]
    found = both(lambda a, b: nd.contrib.box_iou(a, b, format=form), nd.array(a), nd.array(b))
    numpy.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("classes", [True, False])
@pytest.mark.parametrize("force", [True, False])
@pytest.mark.parametrize(
    ("threshold", "valid", "topk"), [(0.5, 0.0, -1), (0.1, 0.3, -1), (0.2, 0.0, 6), (0.0, 2.0, -1)]
)
def test_the_best_stay(classes, force, threshold, valid, topk):
    data = detections(2, 20)
    found = both(
        lambda x: nd.contrib.box_nms(
            x, threshold, valid, topk, id_index=0 if classes else -1, force_suppress=force, background_id=1
        ),
        nd.array(data),
    )
    for rows, image in zip(data, found, strict=True):
        kept = best(rows, threshold, valid, topk, classes, force, background=1)
        numpy.testing.assert_allclose(image[: len(kept)], numpy.array(kept).reshape(-1, 6), rtol=1e-6)
        assert (image[len(kept) :] == -1).all()


def test_the_best_are_compared_in_one_program_and_no_others(monkeypatch):
    """Imperatively as well: a scan of as many steps as `topk`, compiled at once."""
    scans, run = [], control.RUNNER.value
    monkeypatch.setattr(control.RUNNER, "value", lambda op, inputs: scans.append(op) or run(op, inputs))
    monkeypatch.setattr(control.Scan, "reference", None)
    data = detections(1, 4000)
    found = nd.contrib.box_nms(nd.array(data), overlap_thresh=0.45, valid_thresh=0.01, topk=400, id_index=0)
    assert [op.length for op in scans] == [400]
    kept = best(data[0], 0.45, 0.01, 400, True, False)
    numpy.testing.assert_array_equal(found.asnumpy()[0, : len(kept)], kept)


def test_no_boxes():
    empty = nd.array(numpy.zeros((2, 0, 6)))
    assert both(nd.contrib.box_nms, empty).shape == (2, 0, 6)
    rows, columns = nd.contrib.bipartite_matching(nd.array(numpy.zeros((3, 0))), threshold=0.5)
    assert (rows.tolist(), columns.shape) == ([-1, -1, -1], (0,))


def test_programs_take_any_number_of_boxes():
    program = hybridize(lambda x: nd.contrib.box_nms(x, 0.3, 0.1, 20, id_index=0))
    for shape in ((2, 30), (2, 40), (3, 50), (1, 7), (4, 60)):
        x = nd.array(detections(*shape))
        found = nd.contrib.box_nms(x, 0.3, 0.1, 20, id_index=0)
        numpy.testing.assert_allclose(program(x).asnumpy(), found.asnumpy(), rtol=1e-5, atol=1e-6)
    assert len(program.programs()) <= 5


def test_images_are_functions_of_npx_too():
    x = np.array(RANDOM.randint(0, 256, (4, 5, 3)), dtype="uint8")
    for name in ("to_tensor", "flip_left_right", "flip_top_bottom"):
        assert (getattr(npx.image, name)(x) == getattr(nd.image, name)(x)).all()


def test_places_change_their_form():
    data = detections(9)
    found = both(lambda x: nd.contrib.box_nms(x, 1.0, out_format="center"), nd.array(data))
    data = data[numpy.argsort(-data[:, 1])]
    numpy.testing.assert_allclose(found[:, 2:4], (data[:, 2:4] + data[:, 4:]) / 2, rtol=1e-5)
    numpy.testing.assert_allclose(found[:, 4:], data[:, 4:] - data[:, 2:4], rtol=1e-4, atol=1e-6)


def test_what_stays_has_a_gradient():
    data = nd.array([[0.9, 0, 0, 1, 1], [0.8, 0, 0, 1, 0.9], [0.7, 5, 5, 6, 6]])
    data.attach_grad()
    with autograd.record():
        found = nd.contrib.box_nms(data, coord_start=1, score_index=0)
    found.backward()
    numpy.testing.assert_array_equal(data.grad.asnumpy()[:, 0], [1, 0, 1])


def test_boxes_around_pixels():
    found = both(
        lambda x: nd.contrib.MultiBoxPrior(x, sizes=(0.5, 0.25), ratios=(1, 4)), nd.array(numpy.zeros((1, 3, 2, 4)))
    )
    assert found.shape == (1, 2 * 4 * 3, 4)
    middles, sizes = (found[0, :, :2] + found[0, :, 2:]) / 2, found[0, :, 2:] - found[0, :, :2]
    numpy.testing.assert_allclose(middles[::3], [[(x + 0.5) / 4, (y + 0.5) / 2] for y in range(2) for x in range(4)])
    numpy.testing.assert_allclose(sizes[:3], [[0.25, 0.5], [0.125, 0.25], [0.5, 0.25]])  # the image is twice as wide


def test_detections():
    anchors = nd.array(boxes(1, 12))
    shares = RANDOM.rand(2, 4, 12).astype("float32")
    shares /= shares.sum(1, keepdims=True)
    moves = RANDOM.randn(2, 48).astype("float32")
    found = both(
        lambda a, b, c: nd.contrib.MultiBoxDetection(a, b, c, threshold=0.3, nms_threshold=0.3),
        nd.array(shares), nd.array(moves), anchors,
    )  # fmt: skip
    at = anchors.asnumpy()[0]
    middle, size = (at[:, :2] + at[:, 2:]) / 2, at[:, 2:] - at[:, :2]
    for image, share, move in zip(found, shares, moves.reshape(2, 12, 4), strict=True):
        center, extent = middle + move[:, :2] * 0.1 * size, numpy.exp(move[:, 2:] * 0.2) * size
        places = numpy.concatenate([center - extent / 2, center + extent / 2], 1).clip(0, 1)
        rows = numpy.concatenate([share[1:].argmax(0)[:, None], share[1:].max(0)[:, None], places], 1)
        kept = best(rows, 0.3, 0.3, -1, True, False)
        numpy.testing.assert_allclose(image[image[:, 0] >= 0], kept, rtol=1e-4, atol=1e-5)


def test_parts_by_a_mask_and_indices():
    x = nd.array(numpy.arange(12).reshape(3, 4))
    assert nd.contrib.boolean_mask(x, nd.array([1, 0, 2])).tolist() == [[0, 1, 2, 3], [8, 9, 10, 11]]
    assert nd.contrib.boolean_mask(x, nd.array([0, 1, 0, 1]), axis=1).tolist() == [[1, 3], [5, 7], [9, 11]]
    numpy.testing.assert_array_equal(both(nd.contrib.index_array, x), numpy.moveaxis(numpy.indices((3, 4)), 0, -1))
    numpy.testing.assert_array_equal(
        both(lambda x: nd.contrib.index_array(x, axes=(1, 0)), x), numpy.moveaxis(numpy.indices((3, 4))[::-1], 0, -1)
    )


def test_normalizing_trains_as_batch_norm():
    found = []
    for function in (nd.BatchNorm, nd.contrib.SyncBatchNorm, nd.contrib.BatchNormWithReLU):
        x = nd.array(numpy.random.RandomState(1).randn(2, 3, 4, 4))
        weights = [nd.array(row) for row in numpy.random.RandomState(2).rand(4, 3)]
        for one in (x, *weights[:2]):
            one.attach_grad()
        with autograd.record():
            y = function(x, *weights, fix_gamma=False, momentum=0.5)
            z = nd.relu(y) if len(found) < 2 else y
        z.backward(nd.cos(z))
        found.append([z.asnumpy(), *(one.grad.asnumpy() for one in (x, *weights[:2])), *(w.asnumpy() for w in weights)])
    for results in found[1:]:
        for a, b in zip(found[0], results, strict=True):
            numpy.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_small_functions_of_contrib():
    x = nd.array([[1.0, 2.0], [numpy.nan, 4.0]])
    assert both(nd.contrib.allclose, x, x + 1e-9).tolist() == [1]
    assert both(nd.contrib.allclose, x, x + 1).tolist() == [0]
    assert both(lambda a, b: nd.contrib.allclose(a, b, equal_nan=False), x, x).tolist() == [0]


@pytest.mark.parametrize(
    ("function", "error"),
    [
        (lambda x: nd.contrib.box_iou(x, x), ShapeError),
        (lambda x: nd.contrib.box_nms(x[0]), ShapeError),
        (lambda x: nd.contrib.box_nms(x, coord_start=3), ArgumentError),
        (lambda x: nd.contrib.box_nms(x, in_format="middle"), ArgumentError),
        (lambda x: nd.contrib.MultiBoxPrior(x), ShapeError),
        (lambda x: nd.contrib.MultiBoxDetection(x, x, x), ShapeError),
        (lambda x: nd.contrib.MultiBoxTarget(x, x, x), ShapeError),
        (lambda x: nd.contrib.bipartite_matching(x), ArgumentError),
        (lambda x: nd.contrib.bipartite_matching(x[0], threshold=0.5), ShapeError),
        (lambda x: nd.contrib.box_decode(x, x), ShapeError),
        (lambda x: nd.contrib.box_decode(x, x, format="left"), ArgumentError),
        (lambda x: nd.contrib.box_encode(x, x, x, x, (0, 0, 0, 0), (1, 1, 1, 1)), ShapeError),
    ],
)
def test_errors(function, error):
    for one in (function, hybridize(function)):
        with pytest.raises(error):
            one(nd.array(detections(4)))
