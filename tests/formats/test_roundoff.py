"""Bounds of rounding: they follow what a program does to its roundings, and hide nothing else."""

import numpy

from hybridize import hybridize, np
from hybridize.formats.roundoff import Rounding


def rounding(function, *arrays):
    """The bounds of a call, and what the graph gives."""
    fast = hybridize(function)
    xs = [np.array(x, dtype="float32") for x in arrays]
    expected = [fast(*xs).asnumpy()]
    return Rounding(fast.program(*xs).captured, [x.asnumpy() for x in xs], expected), expected[0]


def test_an_output_that_cancels_may_be_far_away_and_another_one_not():
    x = numpy.random.default_rng(0).uniform(1, 2, (50, 64))
    bounds, y = rounding(lambda x: np.log(abs(x.sum(1) - x[:, ::-1].sum(1)) * 1e3 + 1e-3), x)
    off = [y + numpy.float32(0.01)]
    assert bounds.problems([y]) == [""] and bounds.problems(off) == [""]
    steady, y = rounding(lambda x: np.log(x.sum(1) + 1), x)
    assert steady.problems([y]) == [""]
    assert "50 of 50 elements" in steady.problems([y + numpy.float32(0.01)])[0]


def test_numbers_that_are_moved_stay_what_they_are():
    """A power of 1.9999999 has no value where the base is negative: that is no rounding of the square."""
    x = numpy.linspace(-3, 3, 60)
    bounds, y = rounding(lambda x: np.power(x, np.array([2.0])) - np.power(x, np.array(2.0)) + x * 1e-3, x)
    assert (numpy.asarray(bounds.slack[0])[numpy.abs(x) > 1] > 0).all()
    assert bounds.problems([y]) == [""] and bounds.problems([y + numpy.float32(1)]) != [""]


def test_what_a_program_does_not_give_is_no_rounding():
    x = numpy.linspace(1, 2, 8)
    bounds, y = rounding(lambda x: x * 2, x)
    other = Rounding(bounds.graph, bounds.inputs, [y + numpy.float32(5)])
    assert other.problems([y]) != [""], "however far the graph itself is from it"


def test_sums_that_numpy_rounds_the_same_way_each_time_are_not_held_to_half_an_ulp():
    """Along outer axes it adds one after the other; a program adds several sums, and is nearer to the exact one."""
    x = numpy.full((4096, 8), 0.1, "f4") + numpy.arange(8, dtype="f4") / 80
    bounds, y = rounding(lambda x: (x.sum(0) / 4096 - x[0]) * 10, x)
    numpys = (x.sum(0) / numpy.float32(4096) - x[0]) * numpy.float32(10)
    exact = ((x.astype("f8").sum(0) / 4096 - x[0]) * 10).astype("f4")
    assert abs(numpys - exact).max() > 16 * 2.0**-24 * 10 * x.max() and abs(y - exact).max() < 1e-5
    against = Rounding(bounds.graph, bounds.inputs, [numpys])
    assert against.problems([y]) == against.problems([exact]) == [""]
    assert against.problems([exact + numpy.float32(0.05)]) != [""]
