"""Results are compared by the shortest float that they were computed in, whatever type they end with."""

import numpy
import pytest

import hybridize
from hybridize import np
from hybridize.base.comparison import difference
from hybridize.formats.precision import precision_of_outputs

X = np.array(numpy.random.default_rng(0).standard_normal((3, 700)), dtype="float32")


def wide(x):
    return x.astype("float64")


def halved(x):
    while x.max() > 1:
        x = x / 2
    return wide(x)


PROGRAMS = {
    "a sum of float32 as a number": (lambda x: float(x.sum()), 4),
    "computed in float32, then widened": (lambda x: wide(np.tanh(x)) * 2, 4),
    "widened first": (lambda x: np.tanh(wide(x)) * 2, 8),
    "moved and widened first": (lambda x: np.tanh(wide(x.T[1:])), 8),
    "in a loop": (halved, 4),
    "by way of float16": (lambda x: np.exp(wide(x).astype("float16")).astype("float64"), 2),
    "a number of Python's beside": (lambda x: wide(x) * 1.5, 8),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_shortest_float_on_the_way_counts(name):
    function, expected = PROGRAMS[name]
    assert precision_of_outputs(hybridize.hybridize(function).program(X).optimized) == (expected,)


@pytest.mark.parametrize("format", ["library", "archive"])
@pytest.mark.parametrize("name", ["a sum of float32 as a number", "computed in float32, then widened", "in a loop"])
def test_what_is_widened_at_the_end_is_exported(name, format, tmp_path):
    function = hybridize.hybridize(PROGRAMS[name][0])
    function(X)
    function.export(tmp_path / "widened", format=format)


def test_what_is_computed_in_float64_is_compared_so():
    x = numpy.array([1.0, -3.0])
    assert difference(x + 1e-7, x)
    assert not difference(x + 1e-7, x, precision=4)
    assert difference(x + 1e-2, x, precision=4)
    assert difference(x.astype("float32") + numpy.float32(1e-2), x.astype("float32"), precision=8)
