"""Gradients of integers and bools, as MXNet gives them: what a rule gives, cast to the dtype of the variable."""

import numpy
import pytest

from hybridize import autograd, hybridize, np
from hybridize.base.errors import ArgumentError, StateError

BOTH = pytest.mark.parametrize("compiled", [False, True], ids=["imperative", "compiled"])
DTYPES = pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8"])
FUNCTIONS = {
    "sum": (lambda x: x.sum(), lambda x: numpy.ones_like(x)),
    "sum as float16": (lambda x: np.sum(x, dtype="float16"), lambda x: numpy.ones_like(x)),
    "sum of an axis": (lambda x: x.sum(axis=1, keepdims=True), lambda x: numpy.ones_like(x)),
    "square": (lambda x: x * x, lambda x: 2 * x),
    "transposed": (lambda x: x.T, lambda x: numpy.ones_like(x)),
    "a part": (lambda x: x[1:] * 3, lambda x: numpy.array([[0, 0], [3, 3]], x.dtype)),
    "to float": (lambda x: x.astype("float32") * 3.0, lambda x: numpy.full_like(x, 3)),
    "with floats": (lambda x: x * 2.0, lambda x: numpy.full_like(x, 2)),
    "chosen": (lambda x: np.where(x > 1, x, 0), lambda x: (x > 1).astype(x.dtype)),
    "joined": (lambda x: np.concatenate([x, x]), lambda x: numpy.full_like(x, 2)),
    "larger": (lambda x: np.maximum(x, 2), lambda x: (x >= 2).astype(x.dtype)),
    "reshaped": (lambda x: x.reshape(-1) + 1, lambda x: numpy.ones_like(x)),
    "product": (lambda x: np.dot(x, x), None),
}


def gradient(function, x):
    x.attach_grad()
    with autograd.record():
        y = function(x)
    y.backward()
    assert x.grad.dtype == x.dtype
    return x.grad.asnumpy()


@BOTH
@DTYPES
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_gradient_of_integers(name, dtype, compiled):
    function, expected = FUNCTIONS[name]
    values = numpy.array([[0, 1], [2, 3]], dtype)
    if expected is None:  # of a product of matrices: as that of floats
        floats = gradient(function, np.array(values, dtype="float64"))
        wanted = floats.astype(dtype)
    else:
        wanted = expected(values)
    found = gradient(hybridize(function) if compiled else function, np.array(values, dtype=dtype))
    assert found.dtype == dtype
    numpy.testing.assert_array_equal(found, wanted)


@BOTH
def test_integers_beside_floats(compiled):
    def function(x, w):
        return (x * w).sum()

    run = hybridize(function) if compiled else function
    x, w = np.array([1, 2], dtype="int32"), np.array([2.0, 4.0])
    for one in (x, w):
        one.attach_grad()
    with autograd.record():
        y = run(x, w)
    y.backward()
    assert x.grad.tolist() == [2, 4]
    assert w.grad.tolist() == [1.0, 2.0]


@BOTH
def test_integers_without_a_gradient_stay_constants(compiled):
    def function(x, w):
        return (x * w).sum() + (w.astype("int32") * x).sum()

    run = hybridize(function) if compiled else function
    x, w = np.array([1, 2], dtype="int32"), np.array([2.0, 4.0])
    w.attach_grad()
    with autograd.record():
        y = run(x, w)
    y.backward()
    assert w.grad.tolist() == [1.0, 2.0]  # rounding has no slope
    assert x.grad is None


def test_a_bool_may_have_a_gradient_attached():
    x = np.array([True, False], dtype="bool")
    x.attach_grad()
    assert x.grad.dtype == bool
    with autograd.record():
        y = (x * 2.0).sum()
    y.backward()
    assert x.grad.tolist() == [True, True]


def test_heads_that_have_no_gradient_are_refused():
    x = np.array([1, 2], dtype="int32")
    x.attach_grad()
    with autograd.record():
        y = x > 1
        z = np.array([1, 2], dtype="int32") * 2
    for head in (y, z):
        with pytest.raises((ArgumentError, StateError), match=r"E385|E540"):
            head.backward()


def test_a_function_that_records_by_itself_says_so():
    x, w = np.array([1, 2], dtype="int32"), np.array([2.0, 4.0])
    for one in (x, w):
        one.attach_grad()

    @hybridize
    def step():
        with autograd.record():
            y = (x * w).sum()
        y.backward()

    with pytest.raises(ArgumentError, match=r"E385.*i32\[2\]"):
        step()
    assert w.grad.tolist() == [0, 0]
