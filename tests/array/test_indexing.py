import numpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.extra import numpy as hnp

from hybridize.array import np
from hybridize.base.errors import ArgumentError, CaptureError, DTypeError, OutOfBoundsError, ShapeError

X = numpy.arange(60, dtype="float32").reshape(3, 4, 5)
I, J = numpy.array([2, 0, -1]), numpy.array([[1], [3]])  # noqa: E741
KEYS = {
    "integer": 1, "negative integer": -1, "slice": slice(1, 3), "step": (slice(None), slice(None, None, 2)),
    "negative step": (slice(None, None, -1), slice(3, 0, -2)), "newaxis": (None, 1, None, slice(1, 2)),
    "ellipsis": (..., 2), "ellipsis in the middle": (0, ..., slice(1, None)), "all integers": (1, 2, 3),
    "empty key": (), "nothing": slice(2, 2), "beyond the end": slice(1, 100), "array": I,
    "array second": (slice(None), I), "two arrays": (I, I), "arrays that broadcast": (I, J),
    "arrays apart": (I, slice(None), I), "arrays after a slice": (slice(1, None), I, I), "integer and array": (1, I),
    "integer and array apart": (1, slice(None), I), "array and newaxis": (I, None, slice(1, 3)), "list": [0, 2],
    "list of lists": ([0, 1], [1, 2]), "empty list": [], "array of no axes": numpy.array(1),
    "step and array": (slice(None, None, 2), I), "ellipsis and array": (..., I),
}  # fmt: skip


@pytest.mark.parametrize("name", KEYS)
def test_reading_is_numpys(both, name):
    key = KEYS[name]
    numpy.testing.assert_array_equal(both(lambda x: x[key], X), X[key])


@pytest.mark.parametrize("name", KEYS)
def test_writing_is_numpys(both, name):
    key = KEYS[name]
    part = X[key]

    def change(x, value):
        x[key] = value
        x[key] *= 2
        return x.sum()

    for value in (numpy.float32(-1), numpy.full(part.shape[-1:], -2, "float32"), -part - 5):
        want = X.copy()
        change(want, value)
        both(change, X, value)
        ours = np.array(X)
        change(ours, np.array(value))
        numpy.testing.assert_array_equal(ours.asnumpy(), want)


@settings(max_examples=150, deadline=None)
@given(hnp.basic_indices((3, 4, 5), allow_newaxis=True))
def test_any_basic_key(key):
    ours, want = np.array(X), X[key]
    numpy.testing.assert_array_equal(ours[key].asnumpy(), want)
    ours[key] = -1
    copy = X.copy()
    copy[key] = -1
    numpy.testing.assert_array_equal(ours.asnumpy(), copy)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(key=hnp.basic_indices((3, 4, 5), allow_newaxis=True))
def test_any_basic_key_in_both_modes(both, key):
    def change(x):
        x[key] = -1
        part = x[key]
        part += 2
        return x[key]

    both(change, X)


def test_index_arrays_are_data_too(both):
    found = both(lambda x, i: (x[i], x[1, i], x[i, i]), X, numpy.array([2, -1, 0]))
    numpy.testing.assert_array_equal(found[0], X[[2, -1, 0]])
    numpy.testing.assert_array_equal(found[2], X[[2, -1, 0], [2, -1, 0]])


def test_masks(both):
    mask = X > 30
    numpy.testing.assert_array_equal(np.array(X)[np.array(X) > 30].asnumpy(), X[mask])
    numpy.testing.assert_array_equal(both(lambda x: x[mask], X), X[mask])

    def by_mask(x):
        x[x > 30] = 0
        x[x[:, :, 0] < 6] = numpy.array([1, 2, 3, 4, 5], "float32")
        return x

    want = X.copy()
    by_mask(want)
    numpy.testing.assert_array_equal(both(by_mask, X), want)


def test_mask_of_unknown_values_is_refused_while_capturing(trace):
    with pytest.raises(CaptureError, match=r"x\[mask\]") as error:
        trace(lambda x: x[x > 3], X)
    assert "np.where" in error.value.help
    with pytest.raises(CaptureError):
        trace(lambda x, y: x.__setitem__(x > 3, y), X, X.ravel())


@pytest.mark.parametrize("key", [3, -4, (0, 4), [0, 3], (slice(None), slice(None), numpy.array([-6]))])
def test_out_of_bounds(trace, key):
    with pytest.raises(OutOfBoundsError):
        np.array(X)[key]
    with pytest.raises(OutOfBoundsError):
        trace(lambda x: x[key], X)
    with pytest.raises(IndexError):
        np.array(X)[key] = 1


def test_indices_that_are_data_count_from_the_end(trace):
    found = trace(lambda x, i: x[i], X[:, 0, 0], numpy.array([2, -1, -3, 1]))
    numpy.testing.assert_array_equal(found, X[[2, 2, 0, 1], 0, 0])


def test_bad_keys(trace):
    x = np.array(X)
    for run in (lambda key: x[key], lambda key: trace(lambda x: x[key], X)):
        with pytest.raises(ShapeError):
            run((0, 0, 0, 0))
        with pytest.raises(DTypeError):
            run("a")
        with pytest.raises((DTypeError, TypeError)):
            run(1.5)
    with pytest.raises(ShapeError, match=r"f32\[3,4,5\]"):
        x[0] = np.ones((7,))
    with pytest.raises(ArgumentError, match="read-only"):
        np.broadcast_to(np.ones(3), (2, 3))[0] = 1


def test_views_share_memory_in_both_modes(both):
    def change(x):
        row = x[1]
        part = row[1:3]
        part += 10
        turned = x.T
        turned[0, 0] = -1
        flat = x.reshape(-1)
        flat[5:7] = 99
        x[2] = 7
        squeezed = x[2:3].squeeze(0)
        squeezed[0] = 8
        grown = x.expand_dims(1)
        grown[0, 0, 3] = 55
        np.flip(x, 0)[0, 1] = 66
        for piece in x.split(2, axis=1):
            piece[0] *= 2
        return row, part, turned, flat, x.swapaxes(0, 1)[::-1]

    both(change, X[:, :, 0])
    want, got = X[:, :, 0].copy(), np.array(X[:, :, 0])
    want.T[0, 0] = -1
    got.T[0, 0] = -1
    numpy.testing.assert_array_equal(got.asnumpy(), want)


def test_reshape_copies_where_numpy_copies(both):
    def change(x):
        copied = x.T.reshape(-1)
        copied[0] = 100
        viewed = x[::2].reshape(2, 2, 2)
        viewed[0, 0, 0] = 50
        contiguous = x[1:].reshape(-1)
        contiguous[0] = 7
        return copied, viewed, contiguous

    want = numpy.arange(12, dtype="float32").reshape(3, 4)
    both(change, want)
    change(want)
    ours = np.arange(12).reshape(3, 4)
    change(ours)
    numpy.testing.assert_array_equal(ours.asnumpy(), want)


def test_copies_share_nothing(both):
    def change(x):
        for copied in (x.copy(), x.flatten(), +x, x.astype("float32"), x[[0, 1]], x + 0):
            copied[0] = 1000
        return x

    numpy.testing.assert_array_equal(both(change, X), X)


def test_writes_reach_the_storage():
    class Watcher:
        dirty = numpy.zeros(1, dtype="int64")

    watcher, x = Watcher(), np.zeros((2, 3))
    x.storage.watch(watcher)
    before = x.storage.version
    for change in (
        lambda: x.__setitem__(0, 1),
        lambda: x[1].__iadd__(1),
        lambda: x.T.__setitem__((0, 0), 3),
        lambda: np.exp(x, out=x),
        lambda: x.reshape(-1).fill(1),
        x.sort,
    ):
        watcher.dirty[0] = 0
        change()
        assert watcher.dirty[0] == 1
        assert x.storage.version > before
        before = x.storage.version
    assert x[0].storage is x.storage
    assert not x.storage.exposed
    numpy.asarray(x)
    assert x.storage.exposed


def test_iteration_length_and_membership(both):
    assert len(np.ones((3, 2))) == 3
    assert [row.tolist() for row in np.array([[1, 2], [3, 4]])] == [[1.0, 2.0], [3.0, 4.0]]
    assert 2 in np.array([1, 2])
    numpy.testing.assert_array_equal(both(lambda x: [row * 2 for row in x], X[:, 0, 0])[1], X[1, 0, 0] * 2)
    for call in (len, iter):
        with pytest.raises(TypeError):
            call(np.array(1.0))


@pytest.mark.parametrize(
    ("to", "source"), [(slice(0, 8, 2), slice(0, 4)), (slice(0, 4), slice(0, 8, 2)), (slice(3, None, -1), slice(0, 4))]
)
def test_a_value_over_the_same_memory_is_read_before_it_is_written(both, to, source):
    def move(x):
        x = x.copy()
        x[to] = x[source]
        return x

    start = numpy.arange(12, dtype="float32")
    expected = start.copy()
    expected[to] = start[source]
    numpy.testing.assert_array_equal(both(move, start), expected)
