"""Known values: arithmetic of sizes stays arithmetic of sizes, and gives NumPy's numbers."""

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridize import ops
from hybridize.base.dims import SizeScope, value
from hybridize.base.dtypes import bool_, float32, int64
from hybridize.formats.foreign.known import LARGEST, Known, KnownInterpreter, TooLargeError
from hybridize.ops import composites, interpreting
from hybridize.ops.library.products import matrix_product

STEPS = {
    "add": (ops.add, numpy.add), "mul": (ops.mul, numpy.multiply), "floor_div": (ops.floor_div, numpy.floor_divide),
    "quotient": (composites.integer_quotient, numpy.floor_divide), "mod": (ops.mod, numpy.mod),
}  # fmt: skip


def number(x):
    return ops.constant(numpy.array([x], int64))


@given(
    st.lists(st.tuples(st.sampled_from(sorted(STEPS)), st.integers(1, 9)), max_size=5),
    st.integers(2, 60),
    st.integers(2, 90),
)
def test_arithmetic_of_sizes_holds_for_other_sizes(steps, hint, other):
    scope = SizeScope()
    size = scope.symbol(hint)
    with interpreting(KnownInterpreter()):
        x, plain, there = Known.of([size]), numpy.array([hint]), numpy.array([other])
        for word, operand in steps:
            ours, theirs = STEPS[word]
            x, plain, there = ours(x, number(operand)), theirs(plain, operand), theirs(there, operand)
    (result,) = x.list()
    (symbol,) = scope.symbols
    assert value(result, {symbol: other}) == there[0] and value(result, {symbol: hint}) == plain[0]
    assert not symbol.pinned


def test_moves_casts_and_whole_floats_keep_sizes():
    scope = SizeScope()
    size = scope.symbol(7)
    with interpreting(KnownInterpreter()):
        shape = Known.of([size, 3, 4])
        assert ops.concat(ops.part(shape, 0, 0, 1), number(-1), axis=0).list() == [size, -1]
        assert ops.gather(shape, ops.constant(numpy.array(0)), 0).item() is size
        floats = ops.mul(ops.cast(shape, float32), ops.constant(numpy.full(3, 2.0, "f4")))
        assert floats.dtype == float32 and ops.cast(ops.floor(floats), int64).list() == [2 * size, 6, 8]
    assert not scope.symbols[0].pinned


def test_what_needs_the_very_number_pins_it():
    scope = SizeScope()
    size = scope.symbol(7)
    with interpreting(KnownInterpreter()):
        half = ops.mul(ops.cast(Known.of([size]), float32), ops.constant(numpy.full(1, 0.5, "f4")))
    assert half.list() == [3.5] and scope.symbols[0].pinned


def test_large_results_and_sizes_that_only_calls_know_are_not_known():
    scope = SizeScope()
    with interpreting(KnownInterpreter()):
        one = ops.constant(numpy.zeros((1, 1), "f4"))
        with pytest.raises(TooLargeError):
            ops.broadcast(one, (LARGEST, 2))
        with pytest.raises(TooLargeError):
            ops.broadcast(one, (scope.symbol(5), 2))
        assert matrix_product(one, one).array.shape == (1, 1)


def test_types_of_known_values_are_those_of_the_model():
    with interpreting(KnownInterpreter()):
        x = ops.constant(numpy.array([3, 5], "i4"))
        assert ops.lt(x, x).dtype == bool_ and ops.add(x, x).dtype == numpy.int32
    assert Known.of((2, 3)).type.shape == (2,) and Known.of(2).type.shape == ()
