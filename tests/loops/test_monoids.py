"""The table of monoids: identity, neutral elements, any grouping; and the meaning of each against NumPy."""

import math

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridize.base.dtypes import bfloat16, bool_, float16, float32, float64, int8, int32, int64, uint8, uint64
from hybridize.loops.expr import Fold, FoldResult, Load, axis, cast
from hybridize.loops.index import Interner, Space
from hybridize.loops.kernel import ElementKernel, LoopBody, LoopNest, Param, Statement
from hybridize.loops.monoids import KINDS, applied, monoid
from tests.loops.interpret import interpret, meaning

NUMBERS = [int8, uint8, int32, int64, uint64, float16, bfloat16, float32, float64]
ARGS, LOGIC = ("arg_max", "arg_min"), ("any", "all")
DTYPES = {kind: [bool_] if kind in LOGIC else [float32, float64] if kind == "max_exp" else NUMBERS for kind in KINDS}
DTYPES |= {kind: [bool_, *NUMBERS] for kind in (*ARGS, "max", "min")}
CASES = [(kind, dtype) for kind in sorted(KINDS) for dtype in DTYPES[kind]]


def fold_of(kind, dtype, size):
    """A fold of the elements of buffer 0, by their positions where the monoid asks."""
    element = Load(dtype, 0, (axis(-1),))
    parts = (element, cast(axis(-1), int32)) if kind in ARGS else (element,)
    return Fold(dtype, kind, size, -1, parts)


def outcome(kind, dtype, values):
    """All results of a fold, by the interpreter."""
    fold = fold_of(kind, dtype, len(values))
    results = [fold]
    if kind in ARGS:
        results.append(FoldResult(int32, fold, 1))
    if kind == "max_exp":
        results.append(FoldResult(dtype, fold, 1))
    buffers = [numpy.array(values, dtype), *(numpy.zeros(1, one.dtype) for one in results)]
    params = [Param(x.dtype, x.size, k > 0) for k, x in enumerate(buffers)]
    statements = tuple(Statement(k, axis(0), one) for k, one in enumerate(results, 1))
    interpret(ElementKernel(tuple(params), (), (LoopNest((1,), (LoopBody((), statements),)),)), buffers)
    return [buffer[0] for buffer in buffers[1:]]


def numbers(dtype):
    if dtype == bool_:
        return st.booleans()
    if dtype.kind in "iu":
        info = numpy.iinfo(dtype)
        return st.integers(-3 if dtype.kind == "i" else 0, 3) | st.sampled_from([info.min, info.max])
    return st.sampled_from([-2.0, -0.0, 0.0, 0.5, 1.0, 3.0, 30.0, -60.0, math.inf, -math.inf, math.nan])


def states(made, values):
    """The state of elements, one after the other, beginning with none."""
    state = tuple(dtype.type(x) for dtype, x in zip(made.accumulators, made.empty, strict=True))
    for position, value in values:
        element = [dtype.type(x) for dtype, x in zip(made.entering, (value, position), strict=False)]
        state = applied(made.step, (*state, *element), meaning)
    return state


def alike(made, x, y, exact=True):
    """Whether two states give the same results: to the bit but for the sign of a NaN, or nearly."""
    for one, other in zip(applied(made.results, x, meaning), applied(made.results, y, meaning), strict=True):
        if exact or one.dtype.kind not in "fV":
            assert one.tobytes() == other.tobytes() or (one != one and other != other), (x, y)
        else:
            numpy.testing.assert_allclose(one, other, rtol=1e-5)


@pytest.mark.parametrize(("kind", "dtype"), CASES)
def test_states_combine_in_any_grouping(kind, dtype):
    """Parts of a row in order, grouped anyhow, with states of nothing and neutral elements between them."""
    made = monoid(fold_of(kind, dtype, 1))
    exact = not made.rounds

    @settings(max_examples=20, deadline=None)
    @given(st.lists(numbers(dtype), max_size=7), st.lists(st.integers(0, 7), min_size=2, max_size=2), st.booleans())
    def check(values, cuts, right):
        with numpy.errstate(all="ignore"):
            rows = list(zip(range(len(values)), (dtype.type(x) for x in values), strict=True))
            first, second = sorted(cuts)
            x, y, z = (states(made, part) for part in (rows[:first], rows[first:second], rows[second:]))
            if right:
                found = applied(made.combine, (*x, *applied(made.combine, (*y, *z), meaning)), meaning)
            else:
                found = applied(made.combine, (*applied(made.combine, (*x, *y), meaning), *z), meaning)
            whole = states(made, rows)
            alike(made, found, whole, exact)
            none = states(made, ())
            alike(made, applied(made.combine, (*whole, *none), meaning), whole)
            alike(made, applied(made.combine, (*none, *whole), meaning), whole)
            neutral = [(0 if x is None else x) for x in made.neutral]
            alike(made, states(made, [*rows, (99, neutral[0])]), whole)

    check()


def rewritten(space, expr):
    def load(load, indices):
        return space.interner.load(load.dtype, load.operand, indices)

    return space.rewrite(expr, {}, load, lambda fold: fold.variable, {})


@pytest.mark.parametrize(("kind", "dtype"), CASES)
def test_one_element_and_none_need_no_loop(kind, dtype):
    """What a fold of few elements is rewritten to means what the fold does."""
    for values in ([], [1], [0]):
        if not values and kind == "max_exp":
            continue  # the schedule makes such folds for rows that are not empty
        interner = Interner()
        space = Space(interner, {0: 1})
        fold = fold_of(kind, dtype, len(values))
        made = rewritten(space, fold)
        assert not interner.facts(made).folds and made.dtype == dtype
        found = [numpy.array(values or [0], dtype), numpy.zeros(1, dtype)]
        params = tuple(Param(dtype, 1, k > 0) for k in range(2))
        body = LoopBody((), (Statement(1, interner.number(0), made),))
        interpret(ElementKernel(params, (), (LoopNest((), (body,)),)), found)
        wanted = outcome(kind, dtype, values)[0]
        assert found[1][0].tobytes() == wanted.tobytes()


ODD = [
    [1.0, 3.0, 3.0],
    [math.nan, 1.0, math.nan],
    [-math.inf, -math.inf],
    [math.inf, 1.0],
    [0.0, -0.0],
    [-5.0],
    [2.0] * 9,
]


@pytest.mark.parametrize("values", ODD)
def test_extremes_are_numpys(values):
    x = numpy.array(values, "f4")
    for kind, reference in (("arg_max", numpy.argmax), ("arg_min", numpy.argmin)):
        value, position = outcome(kind, float32, values)
        assert position == reference(x)
        numpy.testing.assert_array_equal(value, x[position])


@pytest.mark.parametrize("values", [*ODD, list(range(40)), list(range(40, 0, -1)), [-1e30, 5, 1e30], [-math.inf, 4, 4]])
@pytest.mark.parametrize("dtype", [float32, float64])
def test_max_and_sum_of_exponentials_are_those_of_two_passes(values, dtype):
    x = numpy.array(values, dtype)
    with numpy.errstate(all="ignore"):
        total = numpy.exp(x - x.max()).sum()
    most, found = outcome("max_exp", dtype, values)
    numpy.testing.assert_array_equal(most, x.max())
    numpy.testing.assert_allclose(found, total, rtol=1e-6)
