import math

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import hybridize
from hybridize import autograd, gluon
from hybridize.array import np
from hybridize.base.errors import ArgumentError, OutOfBoundsError, ShapeError
from tests.refusals import refusal

X = numpy.array([[[1.5, -2.0, 3.0], [0.5, 4.0, -1.0]]] * 2, "float32") * numpy.array([[[1.0]], [[-0.5]]], "float32")
AXES = [None, 0, -1, (0, 2), (1,), ()]


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize(
    "name", ["sum", "mean", "prod", "max", "min", "any", "all", "std", "var", "ptp", "count_nonzero"]
)
def test_reductions_are_numpys(both, name, axis, keepdims):
    if name == "count_nonzero" and axis == ():
        return
    found = both(lambda x: getattr(np, name)(x, axis=axis, keepdims=keepdims), X, rtol=1e-5)
    want = getattr(numpy, name)(X, axis=axis, keepdims=keepdims)
    numpy.testing.assert_allclose(found, want, rtol=1e-5)
    assert numpy.shape(found) == numpy.shape(want)


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("name", ["argmax", "argmin", "cumsum", "cumprod"])
def test_along_one_axis(both, name, axis):
    found = both(lambda x: getattr(np, name)(x, axis=axis), X, rtol=1e-5)
    numpy.testing.assert_allclose(found, getattr(numpy, name)(X, axis=axis), rtol=1e-5)


def test_places_keep_dims(both):
    found = both(lambda x: (np.argmax(x, 1, keepdims=True), x.argmin(keepdims=True)), X)
    assert [part.shape for part in found] == [(2, 1, 3), (1, 1, 1)]


@settings(max_examples=60, deadline=None)
@given(
    hnp.arrays(numpy.float32, hnp.array_shapes(max_dims=3, max_side=4), elements=st.floats(-8, 8, width=16)), st.data()
)
def test_methods_of_any_shape(x, data):
    axis = data.draw(st.one_of(st.none(), st.integers(-x.ndim, x.ndim - 1)))
    ours = np.array(x)
    for name in ("sum", "mean", "max", "argmin", "cumsum", "any"):
        numpy.testing.assert_allclose(
            getattr(ours, name)(axis=axis).asnumpy(), getattr(x, name)(axis=axis), rtol=1e-4, atol=1e-4
        )


def test_nan_and_empty(both):
    x = numpy.array([[1.0, math.nan], [3.0, 2.0]], "float32")
    assert numpy.isnan(both(lambda x: (x.max(), x.min(0), x.sum(1)), x)[0])
    for name in ("nansum", "nanprod", "nanmean", "nanmax", "nanmin"):
        numpy.testing.assert_allclose(
            both(lambda x, name=name: getattr(np, name)(x, axis=1), x), getattr(numpy, name)(x, axis=1)
        )
    empty = numpy.zeros((0, 3), "float32")
    both(lambda x: (x.sum(), x.sum(0), x.prod(1), x.any(), x.all(0), x.mean(0)), empty)
    for name in ("max", "argmin"):
        with pytest.raises(ShapeError, match="no elements"):
            getattr(np.array(empty), name)(axis=0)


def test_initial_dtype_and_out():
    x = np.array([[1, 2], [3, 4]], dtype="int32")
    assert x.sum(dtype="float32").dtype == "float32"
    assert np.max(x, initial=10).item() == 10
    assert np.sum(np.ones((2, 0)), initial=3.0).item() == 3
    out = np.zeros(2, dtype="int64")
    assert np.sum(x, axis=0, out=out) is out
    assert out.tolist() == [4, 6]


def test_wrong_axes():
    for axis in (3, -4, (0, 3)):
        with refusal(OutOfBoundsError, "axis"):
            np.array(X).sum(axis=axis)
    with pytest.raises(ArgumentError, match="twice"):
        np.array(X).sum(axis=(0, 0))
    with pytest.raises(ArgumentError):
        np.array(X).sum(axis=1.5)


def test_moments_and_differences(both):
    x = numpy.array([[1.0, 4.0, 9.0], [2.0, 0.5, 3.0]], "float32")
    w = numpy.array([1.0, 2.0, 3.0], "float32")
    found = both(lambda x, w: (np.average(x, 1, w), np.diff(x), np.diff(x, 2), np.ediff1d(x), np.trapezoid(x)), x, w)
    want = numpy.average(x, 1, w), numpy.diff(x), numpy.diff(x, 2), numpy.ediff1d(x), numpy.trapezoid(x)
    for got, value in zip(found, want, strict=True):
        numpy.testing.assert_allclose(got, value, rtol=1e-6)
    numpy.testing.assert_allclose(np.var(np.array(x), ddof=1).item(), x.var(ddof=1), rtol=1e-5)


@pytest.mark.parametrize(
    ("values", "initial"), [([True, False], 3), ([True, False], 0), ([2, 5], 3.7), ([2.5, 5.0], 3), ([], 3)]
)
@pytest.mark.parametrize("name", ["max", "min", "sum", "prod"])
def test_what_a_fold_starts_with_takes_its_dtype(both, name, values, initial):
    x = numpy.array(values, {"True": "bool", "2": "int64"}.get(str(values[:1])[1:-1], "float32"))
    found = both(lambda x: getattr(np, name)(x, initial=initial), x)
    want = getattr(numpy, name)(x, initial=initial)
    assert (found, found.dtype) == (want, want.dtype)


LONG = {
    "mean": (lambda x: np.mean(x), 30000.0), "mean, axis": (lambda x: np.mean(x, 0), 30000.0),
    "mean, where": (lambda x: np.mean(x, where=x > 0), 30000.0), "average": (lambda x: np.average(x), 30000.0),
    "weighted": (lambda x: np.average(x, weights=x), 30000.0), "nanmean": (lambda x: np.nanmean(x), 30000.0),
    "median": (lambda x: np.median(x), 30000.0), "nanmedian": (lambda x: np.nanmedian(x), 30000.0),
    "var": (lambda x: np.var(x * (x > 0)), 0.0), "std": (lambda x: np.std(x), 0.0), "nanvar": (lambda x: np.nanvar(x), 0.0),
    "nanstd": (lambda x: np.nanstd(x), 0.0), "trapezoid": (lambda x: np.trapezoid(x, dx=1 / 69999), 30000.0),
    "cov": (lambda x: np.cov(x), 0.0),
}  # fmt: skip
"""Sums and counts beyond the range of float16, and what they come to of 70,000 numbers 30,000."""


@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_sums_of_short_floats_are_kept_in_float32(dtype, name):
    function, wanted = LONG[name]
    x = np.full(70000, 30000, dtype=dtype)
    for found in (function(x), hybridize.hybridize(lambda x: function(x))(x)):
        assert found.dtype == x.dtype
        assert abs(float(found.astype("float32")) - wanted) <= 30000 * (0.01 if dtype == "bfloat16" else 0.001)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_spread_of_short_floats_is_float32s(dtype):
    """The variance is beyond float16, its root is not."""
    x = np.array([-1000.0, 1000.0], dtype=dtype)
    for function in (np.std, np.nanstd, lambda x: np.corrcoef(x, x)[0, 1] * 1000):
        for found in (function(x), hybridize.hybridize(lambda x, f=function: f(x))(x)):
            assert float(found.astype("float32")) == 1000


@pytest.mark.parametrize("function", [np.mean, np.nanmean, np.average], ids=["mean", "nanmean", "average"])
def test_gradients_of_long_means_are_not_0(function):
    for compiled in (False, True):
        x = np.ones(70000, dtype="float16")
        x.attach_grad()
        run = hybridize.hybridize(lambda x: function(x)) if compiled else function
        with autograd.record():
            y = run(x) * 70000
        y.backward()
        assert numpy.isinf(y.asnumpy())  # 70,000 is beyond float16
    x = np.ones(6000, dtype="float16") * 20
    x.attach_grad()
    for compiled in (False, True):
        run = hybridize.hybridize(lambda x: function(x)) if compiled else function
        with autograd.record():
            y = run(x) * 6000
        y.backward()
        numpy.testing.assert_allclose(x.grad.asnumpy(), 1.0, rtol=1e-3)


def test_losses_of_float16_are_means_in_float32():
    x, y = np.full((2, 400), 20, dtype="float16"), np.zeros((2, 400), dtype="float16")
    net = gluon.loss.L2Loss()
    assert net(x, y).tolist() == [200, 200]
    net.hybridize()
    assert net(x, y).tolist() == [200, 200]


def test_a_sum_that_goes_into_wider_numbers_is_one_of_those():
    x = numpy.random.default_rng(3).normal(size=(40, 3)).astype("float16")
    for name in ("sum", "prod", "mean", "var", "std", "nansum", "nanmean"):
        wanted, found = numpy.zeros(3), np.zeros(3, dtype="float64")
        getattr(numpy, name)(x.astype("f8"), 0, out=wanted)
        getattr(np, name)(np.array(x), 0, out=found)
        numpy.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-12)
