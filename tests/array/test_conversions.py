"""Floats that become integers: one meaning wherever it happens, imperative and compiled; NaN is no index."""

import numpy
import pytest

from hybridize import autograd, hybridize, np, npx
from hybridize.base.dtypes import converted
from hybridize.errors import OutOfBoundsError
from hybridize.gluon import loss

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
NUMBERS = [-1.5, -0.5, 0.5, 2.9, -300.7, 300.7, 3e9, -3e9, 1e19, 1e20, -1e20, numpy.inf, -numpy.inf, numpy.nan]


def wanted(x, dtype):
    """Truncated; beyond the range its ends; 0 for NaN: in Python's whole numbers, which have no end."""
    ends = numpy.iinfo(dtype)
    numbers = []
    for number in numpy.asarray(x, "f8").ravel().tolist():
        whole = 0 if numpy.isnan(number) else ends.max if number == numpy.inf else number
        whole = ends.min if number == -numpy.inf else int(whole)
        numbers.append(min(max(whole, ends.min), ends.max))
    return numpy.array(numbers, dtype).reshape(numpy.shape(x))


def assigned(x, dtype):
    found = np.zeros((x.size + 1,), dtype=dtype)
    found[1:] = x
    return found[1:]


def assigned_by_an_index(x, dtype):
    found = np.zeros((x.size,), dtype=dtype)
    found[np.arange(x.size, dtype="int64")] = x
    return found


def assigned_all(x, dtype):
    found = np.zeros(x.shape, dtype=dtype)
    found[...] = x
    return found


def given_as_out(x, dtype):
    found = np.zeros(x.shape, dtype=dtype)
    np.add(x, 0.0, out=found, casting="unsafe")
    return found


def assigned_while_recording(x, dtype):
    found = np.zeros(x.shape, dtype=dtype)
    with autograd.record():
        found[:] = x
    return found


WAYS = {
    "astype": lambda x, dtype: x.astype(dtype),
    "array": lambda x, dtype: np.array(x, dtype=dtype),
    "assigned": assigned,
    "assigned by an index": assigned_by_an_index,
    "assigned all": assigned_all,
    "assigned while recording": assigned_while_recording,
    "out": given_as_out,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_floats_become_integers_in_one_way(way, dtype):
    for source in ("float32", "float64", "float16"):
        with numpy.errstate(over="ignore"):
            data = numpy.array(NUMBERS).astype(source)
        want = wanted(data, dtype)
        for function in (WAYS[way], hybridize(WAYS[way])):
            numpy.testing.assert_array_equal(function(np.array(data, dtype=source), dtype).asnumpy(), want)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_lists_become_integers_as_arrays_do(dtype):
    data = [-1.5, 2.9, -300.7, 300.7, 3e9]

    def assigned_a_list(x):
        x[1:] = data
        return x

    want = wanted(numpy.float32(data), dtype)
    for function in (assigned_a_list, hybridize(assigned_a_list)):
        numpy.testing.assert_array_equal(function(np.zeros((6,), dtype=dtype)).asnumpy()[1:], want)
    for function in (lambda: np.array(data, dtype=dtype), hybridize(lambda: np.array(data, dtype=dtype))):
        numpy.testing.assert_array_equal(function().asnumpy(), wanted(data, dtype))
    turned = numpy.array([data, data]).T  # another order of elements in memory
    numpy.testing.assert_array_equal(np.array(turned, dtype=dtype).asnumpy(), wanted(turned, dtype))


def test_conversions_are_numpys_where_it_has_one_meaning():
    """Of what an integer cannot hold, NumPy's loops and machines differ: see decision 0046."""
    inside = numpy.array([x for x in NUMBERS if -128 < x < 128])
    for dtype in INTEGERS:
        kept = inside if dtype[0] == "i" else inside[inside > -1]
        numpy.testing.assert_array_equal(converted(kept, numpy.dtype(dtype)), kept.astype(dtype))


X = numpy.arange(12, dtype="float32").reshape(3, 4)
LABELS = numpy.array([0, numpy.nan, 2], "float32")


def written(x, labels):
    x = x + 0.0
    x[labels] = 5.0
    return x


LOSS = loss.SoftmaxCrossEntropyLoss()
LOSS_OF_LOGARITHMS = loss.SoftmaxCrossEntropyLoss(from_logits=True)
REFUSED = {
    "loss": LOSS,
    "loss of logarithms": LOSS_OF_LOGARITHMS,
    "loss along another axis": lambda x, labels: LOSS(x[None], labels[None]),
    "embedding": lambda x, labels: npx.embedding(labels, x, 3, 4),
    "take": lambda x, labels: np.take(x, labels, axis=1),
    "x[labels]": lambda x, labels: x[labels],
    "x[:, labels]": lambda x, labels: x[:, labels],
    "x[labels] = 5": written,
    "take_along_axis": lambda x, labels: np.take_along_axis(x, labels.reshape(3, 1), 1),
    "gather_nd": lambda x, labels: npx.gather_nd(x, labels.reshape(1, 3)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_nan_is_out_of_bounds(name):
    for function in (REFUSED[name], hybridize(REFUSED[name])):
        with pytest.raises(OutOfBoundsError) as caught:
            function(np.array(X), np.array(LABELS))
        assert caught.value.code == "E110"
        assert str(-(1 << 63)) not in str(caught.value)


@pytest.mark.parametrize("numbers", [LABELS, LABELS.tolist(), [0.0, numpy.inf]])
def test_constants_that_are_no_index_are_out_of_bounds(numbers):
    def taken(x):
        return np.take(x, np.array(numbers) if isinstance(numbers, list) else numbers)

    for function in (taken, hybridize(taken)):
        with pytest.raises(OutOfBoundsError, match="E110"):
            function(np.array(X))


def test_nan_has_no_class_in_a_recorded_loss():
    x = np.array(X)
    x.attach_grad()
    with autograd.record(), pytest.raises(OutOfBoundsError, match="labels of 4 classes"):
        LOSS(x, np.array(LABELS))


CLIPPED = {
    "pick": (lambda x, labels: npx.pick(x, labels), [0, 4, 10]),
    "take": (lambda x, labels: np.take(x, labels, axis=1, mode="clip")[0], [0, 0, 2]),
    "one_hot": (lambda x, labels: npx.one_hot(labels, 4).sum(1), [1, 0, 1]),
}


@pytest.mark.parametrize("name", CLIPPED)
def test_nan_is_below_all_indices_where_those_out_of_bounds_are_allowed(name):
    """As in MXNet: the nearest element is the first one, and no class is its own."""
    function, want = CLIPPED[name]
    for run in (function, hybridize(function)):
        assert run(np.array(X), np.array(LABELS)).tolist() == want


@pytest.mark.parametrize("dtype", [*INTEGERS, "bool", "float16", "float32", "float64"])
def test_an_array_may_say_the_dtype(dtype):
    """As MXNet's arrays, which have one: `output.astype(label)`."""
    like = np.zeros((2,), dtype=dtype)
    for run in (lambda x, y: x.astype(y, copy=False), hybridize(lambda x, y: x.astype(y))):
        found = run(np.array([1.0, 0.0]), like)
        assert (str(found.dtype), found.tolist()) == (dtype, [1, 0])
    same = like.astype(like, copy=False)
    assert numpy.may_share_memory(same.asnumpy(), like.asnumpy()) or same is like
