import numpy
import pytest

from hybridize import hybridize
from hybridize.array import np, npx
from hybridize.base.errors import ArgumentError, CaptureError, OutOfBoundsError, ShapeError
from tests.refusals import refusal

X = numpy.array([[3.0, 1.0, 2.0, 1.0], [0.5, -1.0, 7.0, 2.5], [2.0, 2.0, -3.0, 0.0]], "float32")


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_sort_and_argsort_are_numpys(both, axis):
    found, order = both(lambda x: (np.sort(x, axis), np.argsort(x, axis)), X)
    numpy.testing.assert_array_equal(found, numpy.sort(X, axis))
    numpy.testing.assert_array_equal(order, numpy.argsort(X, axis, stable=True))


def test_sort_in_place(both):
    def change(x):
        x.sort(axis=0)
        return x

    numpy.testing.assert_array_equal(both(change, X), numpy.sort(X, 0))


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_take(both, axis):
    index = numpy.array([[0, 2], [1, 0]])
    numpy.testing.assert_array_equal(both(lambda x, i: np.take(x, i, axis), X, index), numpy.take(X, index, axis))
    for mode in ("clip", "wrap"):
        wild = numpy.array([-1, 5, 13])
        want = numpy.take(X, wild, axis, mode=mode)
        numpy.testing.assert_array_equal(both(lambda x, i, mode=mode: np.take(x, i, axis, mode), X, wild), want)
    with pytest.raises(OutOfBoundsError):
        np.take(np.array(X), [20], axis, mode="raise")
    with pytest.raises(ArgumentError):
        np.take(np.array(X), [0], axis, mode="no")


def test_pick_gather_and_along_axis(both):
    index = numpy.array([0, 3, 1])
    numpy.testing.assert_array_equal(both(npx.pick, X, index), X[numpy.arange(3), index])
    assert both(lambda x, i: npx.pick(x, i, keepdims=True), X, index).shape == (3, 1)
    order = numpy.argsort(X, 1)
    numpy.testing.assert_array_equal(both(lambda x, i: np.take_along_axis(x, i, 1), X, order), numpy.sort(X, 1))
    points = numpy.array([[0, 2, 1], [1, 3, 0]])
    numpy.testing.assert_array_equal(both(npx.gather_nd, X, points), X[tuple(points)])
    numpy.testing.assert_array_equal(both(npx.gather_nd, X, points[:1]), X[points[0]])


def test_topk(both):
    want = numpy.argsort(-X, 1, kind="stable")[:, :2]
    indices, (values, same), mask = both(
        lambda x: (npx.topk(x, k=2), npx.topk(x, k=2, ret_typ="both"), npx.topk(x, k=2, ret_typ="mask")), X
    )
    assert indices.dtype == "float32"
    numpy.testing.assert_array_equal(indices, want)
    numpy.testing.assert_array_equal(same, want)
    numpy.testing.assert_array_equal(values, numpy.take_along_axis(X, want, 1))
    assert mask.sum() == 6
    assert ((mask == 1) == (values.min(1, keepdims=True) <= X))[1:].all()
    numpy.testing.assert_array_equal(
        both(lambda x: npx.topk(x, axis=0, k=1, is_ascend=True, ret_typ="value"), X)[0], X.min(0)
    )
    with pytest.raises(ShapeError):
        npx.topk(np.array(X), k=5)


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_quantiles_are_numpys(both, axis):
    for method in ("linear", "lower", "higher", "nearest", "midpoint"):
        found = both(lambda x, method=method: np.percentile(x, [10, 50, 85.0], axis=axis, method=method), X, rtol=1e-5)
        numpy.testing.assert_allclose(
            found, numpy.percentile(X, [10, 50, 85.0], axis=axis, method=method), rtol=1e-4, atol=1e-5
        )
    numpy.testing.assert_allclose(both(lambda x: np.median(x, axis), X), numpy.median(X, axis))


def test_placing_and_counting(both):
    bins, values = numpy.array([0.0, 1.0, 1.0, 2.5], "float32"), numpy.array([-1.0, 1.0, 1.5, 3.0], "float32")
    for side in ("left", "right"):
        found = both(lambda b, v, side=side: np.searchsorted(b, v, side), bins, values)
        numpy.testing.assert_array_equal(found, numpy.searchsorted(bins, values, side))
    numpy.testing.assert_array_equal(both(np.digitize, values, bins), numpy.digitize(values, bins))
    x, y = numpy.array([0.0, 1.0, 3.0], "float32"), numpy.array([5.0, 7.0, 0.0], "float32")
    numpy.testing.assert_allclose(both(np.interp, values, x, y), numpy.interp(values, x, y), rtol=1e-6)
    numpy.testing.assert_array_equal(both(np.isin, X, values), numpy.isin(X, values))
    flat = numpy.array([0, 5, 11])
    for got, want in zip(
        both(lambda i: np.unravel_index(i, (3, 4)), flat), numpy.unravel_index(flat, (3, 4)), strict=True
    ):
        numpy.testing.assert_array_equal(got, want)
    hot = both(lambda i: npx.one_hot(i, 4, 2.0, -1.0), index := numpy.array([0, 3, 9]))
    assert hot.tolist() == [[2, -1, -1, -1], [-1, -1, -1, 2], [-1, -1, -1, -1]]
    assert index.tolist() == [0, 3, 9]
    for dtype, on, off in (
        ("float64", 0.1, 1 / 3),
        ("int64", 2**53 + 1, -(2**31)),
        ("float16", 0.5, 0.25),
        ("uint8", 255, 1),
    ):
        hot = both(lambda i: npx.one_hot(i, 2, on, off, dtype), numpy.array([1]))  # noqa: B023
        assert (str(hot.dtype), hot.tolist()) == (dtype, [[off, on]])


@pytest.mark.parametrize(
    "obj", [slice(0, 1), slice(3, 2, -1), slice(-1, None), [2], 2, -1, slice(0, 2), slice(2, 2)], ids=str
)
def test_several_values_go_in_at_one_position(both, obj):
    x, values = numpy.arange(7.0), numpy.array([10.0, 20.0])
    if isinstance(obj, slice) and len(range(*obj.indices(7))) == 0:
        numpy.testing.assert_array_equal(both(lambda x: np.insert(x, obj, 1.0), x), numpy.insert(x, obj, 1.0))
        return
    numpy.testing.assert_array_equal(both(lambda x, v: np.insert(x, obj, v), x, values), numpy.insert(x, obj, values))
    rows, block = numpy.arange(6.0).reshape(2, 3), numpy.array([[10.0, 20.0], [30.0, 40.0]])
    if obj in (slice(0, 1), [2]):
        want = numpy.insert(rows, obj, block, axis=1)
        numpy.testing.assert_array_equal(both(lambda x, v: np.insert(x, obj, v, axis=1), rows, block), want)


@pytest.mark.parametrize(
    "obj", [[1, 0, 2], [-1, 0], [3, 0, -1], [2, 2], slice(None, None, -1), slice(2, 0, -1)], ids=str
)
def test_values_go_in_at_positions_in_their_order(both, obj):
    rows = numpy.arange(12.0).reshape(3, 4)
    count = len(range(*obj.indices(3))) if isinstance(obj, slice) else len(obj)
    for axis, values in (
        (0, numpy.arange(4.0 * count).reshape(count, 4) + 50),
        (0, numpy.arange(count)[:, None] + 50.0),
    ):
        want = numpy.insert(rows, obj, values, axis)
        numpy.testing.assert_array_equal(both(lambda x, v, a=axis: np.insert(x, obj, v, a), rows, values), want)
    if not isinstance(obj, slice):
        values = numpy.arange(count) + 50.0
        numpy.testing.assert_array_equal(
            both(lambda x, v: np.insert(x, obj, v, 1), rows, values), numpy.insert(rows, obj, values, 1)
        )
        numpy.testing.assert_array_equal(
            both(lambda x, v: np.insert(x, obj, v), rows, values), numpy.insert(rows, obj, values)
        )


@pytest.mark.parametrize("values", [[1, 2], [1, 2, 3, 4, 5, 6, 7, 8], [[1, 2], [3, 4]], [5], 6, []], ids=str)
@pytest.mark.parametrize(
    ("shape", "wrap"), [((4, 4), False), ((3, 5), False), ((7, 3), True), ((7, 3), False), ((3, 3, 3), False)]
)
def test_numbers_of_a_diagonal_are_written_in_turn(both, shape, wrap, values):
    want = numpy.zeros(shape, "f4")
    numpy.fill_diagonal(want, values, wrap)

    def filled(x, *numbers):
        y = x * 1
        np.fill_diagonal(y, numbers[0] if numbers else values, wrap)
        return y

    numpy.testing.assert_array_equal(both(filled, numpy.zeros(shape, "f4")), want)
    numpy.testing.assert_array_equal(both(filled, numpy.zeros(shape, "f4"), numpy.array(values, "f4")), want)


def test_insert_and_delete(both):
    for obj in (1, [0, 2], slice(0, 2)):
        numpy.testing.assert_array_equal(both(lambda x, o=obj: np.delete(x, o, 1), X), numpy.delete(X, obj, 1))
    numpy.testing.assert_array_equal(both(lambda x: np.insert(x, 1, 9.0, 1), X), numpy.insert(X, 1, 9.0, 1))
    numpy.testing.assert_array_equal(both(lambda x: np.insert(x, [0, 2], 5.0), X), numpy.insert(X, [0, 2], 5.0))


def test_closeness(both):
    assert both(np.allclose, X, X * (1 + 1e-7))
    assert not both(np.array_equal, X, X + 1)
    assert not np.array_equal(np.array(X), np.ones(3)).item()
    x = numpy.array([numpy.nan, numpy.inf, 1.0], "float32")
    numpy.testing.assert_array_equal(both(lambda x: np.isclose(x, x, equal_nan=True), x), [True, True, True])


def test_sizes_that_are_data_need_values(trace):
    x = np.array([[1, 0, 2], [0, 2, 2]])
    assert np.unique(x).tolist() == [0.0, 1.0, 2.0]
    assert [part.tolist() for part in np.nonzero(x)] == [[0, 0, 1, 1], [0, 2, 1, 2]]
    assert np.bincount(np.array([1, 1, 3], dtype="int64")).tolist() == [0, 2, 0, 1]
    for name in ("unique", "nonzero", "bincount"):
        with refusal(CaptureError, name):
            trace(getattr(np, name), X)


@pytest.mark.parametrize("axis", [(0, 1), (-1, 0), [0, 2], (1,), (0, 1, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_quantiles_over_several_axes(both, axis, keepdims):
    values = (numpy.arange(24, dtype="float32") % 7).reshape(2, 3, 4)
    found = both(lambda x: np.median(x, axis, keepdims=keepdims), values)
    numpy.testing.assert_allclose(found, numpy.median(values, tuple(axis), keepdims=keepdims))
    found = both(lambda x: np.quantile(x, [0.3, 0.5], axis, keepdims=keepdims), values)
    numpy.testing.assert_allclose(found, numpy.quantile(values, [0.3, 0.5], tuple(axis), keepdims=keepdims), rtol=1e-5)


def test_searchsorted_looks_in_a_vector(both):
    for function in (lambda x: np.searchsorted(x, 1.0), lambda x: np.digitize(x, x)):
        with pytest.raises(ShapeError, match=r"a vector, got f32\[3,4\]"):
            both(function, X)
    with pytest.raises(ArgumentError, match="'left' or 'right', got 'middle'"):
        np.searchsorted(np.array([1.0, 2.0]), 1.0, side="middle")


HISTOGRAMS = {
    "bins": lambda np, x, w: np.histogram(x, 3), "range": lambda np, x, w: np.histogram(x, 7, range=(-1, 1.5)),
    "weights": lambda np, x, w: np.histogram(x, 5, weights=w), "density": lambda np, x, w: np.histogram(x, 4, density=True),
    "edges": lambda np, x, w: np.histogram(x, [-1, 0, 0.5, 2]), "one": lambda np, x, w: np.histogram(x[:1], 4),
    "nothing": lambda np, x, w: np.histogram(x[:0], 4), "integers": lambda np, x, w: np.histogram((x * 4).astype("int64"), 5),
    "edges down": lambda np, x, w: np.histogram(x, [0.5, 0, 2]),
}  # fmt: skip


@pytest.mark.parametrize("name", HISTOGRAMS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_histograms_of_a_known_size_are_compiled(name, dtype):
    x = numpy.round(numpy.random.default_rng(0).normal(size=50), 1).astype(dtype)
    w = numpy.random.default_rng(1).random(50).astype(dtype)
    ours, program = [np.array(one, dtype=dtype) for one in (x, w)], hybridize(lambda x, w: HISTOGRAMS[name](np, x, w))
    if name == "edges down":
        for function in (program, lambda x, w: HISTOGRAMS[name](np, x, w)):
            with refusal(ValueError, "histogram|monoton"):
                function(*ours)
        return
    wanted = HISTOGRAMS[name](numpy, x, w)
    for found in (program(*ours), HISTOGRAMS[name](np, *ours)):
        for one, other in zip(found, wanted, strict=True):
            numpy.testing.assert_allclose(one.asnumpy(), other, rtol=1e-6)
        assert found[0].dtype == (dtype if name in ("weights", "density") else "int64")
        assert found[1].dtype == dtype if name != "integers" else "float32"


def test_a_histogram_whose_size_is_data_is_refused():
    with refusal(CaptureError, "E403.*auto"):
        hybridize(lambda x: np.histogram(x, "auto"))(np.ones(3))
