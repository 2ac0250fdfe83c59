import math

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

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
