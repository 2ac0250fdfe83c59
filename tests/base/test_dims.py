"""Sizes that are not known behave as the ints that they stand for, and what they assume implies what they answered."""

import itertools
import operator

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridize.base import dims
from hybridize.base.dims import SizeScope, parse, parse_scope
from hybridize.base.errors import GraphError

OPERATORS = [operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod]
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]

sizes = st.integers(2, 12)
leaves = st.sampled_from(["n", "m"]) | st.integers(-3, 6)
expressions = st.recursive(
    leaves, lambda inner: st.tuples(st.sampled_from([*OPERATORS, dims.maximum]), inner, inner), max_leaves=6
)


def evaluated(expression, names):
    """The expression with ints or dims for its names; None where it divides by 0."""
    if isinstance(expression, str):
        return names[expression]
    if isinstance(expression, int):
        return expression
    function, left, right = expression
    x, y = evaluated(left, names), evaluated(right, names)
    if x is None or y is None:
        return None
    try:
        return function(x, y)
    except ZeroDivisionError:
        return None


def symbols(n, m):
    scope = SizeScope()
    return scope, {"n": scope.symbol(n, name="n"), "m": scope.symbol(m, name="m")}


@given(expressions, sizes, sizes, sizes, sizes)
@settings(max_examples=200, deadline=None)
def test_arithmetic_is_that_of_ints(expression, n, m, later_n, later_m):
    scope, names = symbols(n, m)
    dim, number = evaluated(expression, names), evaluated(expression, {"n": n, "m": m})
    assert (dim is None) == (number is None)
    if dim is None:
        return
    assert dims.hint(dim) == number
    assert dims.bounds(dim)[0] <= number <= dims.bounds(dim)[1]
    given_sizes = dict(zip(scope.symbols, (later_n, later_m), strict=True))
    if scope.holds(given_sizes):  # divisors that were not 0 are assumed never to be
        later = evaluated(expression, {"n": later_n, "m": later_m})
        assert dims.value(dim, given_sizes) == later
        assert dims.bounds(dim)[0] <= later <= dims.bounds(dim)[1]


@given(expressions, expressions, st.sampled_from(COMPARISONS), sizes, sizes)
@settings(max_examples=200, deadline=None)
def test_what_a_comparison_assumes_implies_its_outcome(left, right, compare, n, m):
    scope, names = symbols(n, m)
    x, y = evaluated(left, names), evaluated(right, names)
    if x is None or y is None:
        return
    outcome = bool(compare(x, y))
    assert outcome == compare(evaluated(left, {"n": n, "m": m}), evaluated(right, {"n": n, "m": m}))
    assert scope.holds({one: one.hint for one in scope.symbols})
    for later_n in range(2, 13):
        for later_m in range(2, 13):
            if scope.holds(dict(zip(scope.symbols, (later_n, later_m), strict=True))):
                values = {"n": later_n, "m": later_m}
                assert compare(evaluated(left, values), evaluated(right, values)) == outcome


@given(expressions, sizes, sizes)
@settings(max_examples=100, deadline=None)
def test_text_is_read_back(expression, n, m):
    _, names = symbols(n, m)
    dim = evaluated(expression, names)
    if dim is not None:
        assert dims.same(parse(dims.text(dim), names), dim)


def test_scopes_are_read_back():
    scope, names = symbols(9, 5)
    n, m = names["n"], names["m"]
    assert n > 4
    assert n * m != 40
    assert n % 3 == 0
    read, _ = parse_scope(scope.lines())
    assert read.lines() == scope.lines()
    assert read.holds(dict(zip(read.symbols, (12, 3), strict=True)))
    assert not read.holds(dict(zip(read.symbols, (10, 4), strict=True)))


@pytest.mark.parametrize("text", ["", "n+", "k", "div(n)", "n**2", "2 n", "div(n,0"])
def test_what_is_no_size(text):
    with pytest.raises(GraphError, match="E901"):
        parse(text, {"n": SizeScope().symbol(3, name="n")})


@pytest.mark.parametrize("line", ["", "n", "n in 2.. like", "k > 0"])
def test_what_says_nothing_about_sizes(line):
    with pytest.raises(GraphError, match="E901"):
        parse_scope([line])


@pytest.mark.parametrize(
    "leave",
    [
        int,
        float,
        str,
        repr,
        hash,
        operator.index,
        range,
        "{:3}".format,
        numpy.asarray,
        numpy.zeros,
        [1].__mul__,
        lambda n: n / 2,
        lambda n: n * 1.5,
        lambda n: {9: "nine"}[n],
        lambda n: n.bit_length(),
        lambda n: numpy.int64(3) * n,
    ],
)
def test_what_needs_the_number_pins(leave):
    scope = SizeScope()
    n = scope.symbol(9)
    leave(n)
    assert scope.pinned
    assert scope.symbols[0].bounds == (9, 9)


def test_what_needs_no_number_does_not():
    scope = SizeScope()
    n = scope.symbol(9)
    assert isinstance(n, int)
    assert all([n + 1, 2 * n, n // 2, n > 1, n != 0, bool(n), n == n + 0, n < 2**70, n > 1.5])
    assert dims.text(n) == "n0"
    assert n.__add__("text") is NotImplemented
    assert n.__lt__("text") is NotImplemented
    assert n != "text"
    assert str(scope) == "Scope(n0 in 2.. like 9)"


def test_floats_are_between_whole_numbers():
    scope = SizeScope()
    n = scope.symbol(9)
    assert n > 4.5
    assert scope.symbols[0].low == 5
    assert n <= 20.5
    assert scope.symbols[0].high == 20
    assert not n < float("nan")
    assert not n >= float("nan")
    assert n < float("inf")


def test_equality_after_capturing_asks_nothing():
    scope = SizeScope()
    n, m = scope.symbol(9), scope.symbol(9)
    assert n == m
    scope.capturing = False
    assert n == m  # as was assumed
    assert n != 9
    assert n + 1 != m
    assert scope.lines() == ["n0 in 2.. like 9", "n1 in 2.. like 9", "n0-n1 == 0"]
    assert {n: 1}[n] == 1


def test_what_is_known_without_asking():
    scope = SizeScope()
    n, m = scope.symbol(9), scope.symbol(5)
    assert n * m - n > 0  # n (m - 1)
    assert not n // 2 > n
    assert -(-n // 2) * 2 >= n
    assert dims.maximum(n, m) >= n
    assert n - 1 != n
    assert scope.lines() == ["n0 in 2.. like 9", "n1 in 2.. like 5"]


def test_what_stretches_whatever_the_sizes_are():
    """Nothing is asked of a size that is the same on both sides, or that meets the number 1."""
    scope = SizeScope()
    n, m = scope.symbol(9, low=1), scope.symbol(5, low=1)
    assert dims.broadcast((n, 1), (1, m), (m,)) == (n, m)
    assert dims.fits(n, n)
    assert dims.fits(1, m)
    assert not dims.stretches(n, n)
    assert dims.stretches(1, m)
    assert scope.lines() == ["n0 in 1.. like 9", "n1 in 1.. like 5"]
    assert not dims.fits(n, m)
    assert scope.lines() == ["n0 in 2.. like 9", "n1 in 1.. like 5", "n0-n1 != 0"]


def test_equal_sizes_stretch_to_each_other_as_one():
    scope = SizeScope()
    n, m = scope.symbol(9, low=1), scope.symbol(9, low=1)
    assert dims.broadcast((n, 4), (m, 4)) in ((n, 4), (m, 4))
    assert scope.lines() == ["n0 in 1.. like 9", "n1 in 1.. like 9", "n0-n1 == 0"]


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_axes_that_belong_together(data):
    """Groups of axes have equal products at all sizes that are left, in order, and hold all axes but those of 1."""
    scope = SizeScope()
    names = [scope.symbol(data.draw(st.integers(1, 5)), low=1) for _ in range(2)]
    sizes = data.draw(st.lists(st.sampled_from([*names, *names, 1, 2, 3, 4]), min_size=1, max_size=5))
    cuts = [0, *sorted(data.draw(st.sets(st.integers(1, len(sizes)), max_size=3))), len(sizes)]
    merged = [dims.product(sizes[i:j]) for i, j in itertools.pairwise(cuts)]
    old, new = (sizes, merged) if data.draw(st.booleans()) else (merged, sizes)
    groups = dims.grouped(old, new)
    for numbers in itertools.product(range(1, 6), repeat=2):
        known = dict(zip(scope.symbols, numbers, strict=True))
        if not scope.holds(known):
            continue
        for shape, axes in ((old, [g[0] for g in groups]), (new, [g[1] for g in groups])):
            met = [axis for group in axes for axis in group]
            assert met == sorted(set(met))
            assert all(dims.value(shape[axis], known) == 1 for axis in range(len(shape)) if axis not in met)
        for mine, yours in groups:
            x, y = (
                dims.value(dims.product(shape[k] for k in part), known) for shape, part in ((old, mine), (new, yours))
            )
            assert x == y


def test_shapes_that_broadcast():
    scope = SizeScope()
    n = scope.symbol(9)
    assert dims.broadcast((n, 1), (4,), ()) == (n, 4)
    assert dims.broadcast((n - 1, 4), (1,)) == (n - 1, 4)
    assert dims.broadcast((3,), (4,)) is None
    assert dims.broadcast() == ()
    assert scope.lines() == ["n0 in 2.. like 9"]
    assert dims.broadcast((n,), (4,)) is None
    assert scope.lines() == ["n0 in 2.. like 9", "n0-4 != 0"]


def test_sizes_are_found_from_shapes():
    scope = SizeScope()
    n, m = scope.symbol(9), scope.symbol(5)
    found = dims.bind([n, 2 * n + 1, m, 7], [3, 7, 4, 7])
    assert found == dict(zip(scope.symbols, (3, 4), strict=True))
    assert dims.bind([n, n], [3, 4]) is None
    assert dims.bind([n, 7], [3, 8]) is None
    assert dims.bind([2 * n], [6]) == {n.symbol: 3}
    assert dims.bind([2 * n], [7]) is None
    assert dims.bind([n * m], [6]) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda n: -((1 - n) // 2), lambda n: n // 2),
        (lambda n: -(-n // 2), lambda n: (n + 1) // 2),
        (lambda n: n // 2 // 2 // 2, lambda n: n // 8),
        (lambda n: (n // 2 + 1) // 2, lambda n: (n + 2) // 4),
        (lambda n: (n - n // 2) // 2, lambda n: (n + 1) // 4),
        (lambda n: (n + 7) // 4, lambda n: (n + 3) // 4 + 1),
        (lambda n: (2 * n + 3) // 4, lambda n: (n + 1) // 2),
        (lambda n: n // -3, lambda n: -((n + 2) // 3)),
        (lambda n: ((n - 1) // 2 + 1 - 1) // 2 + 1, lambda n: (n + 3) // 4),
    ],
)
def test_equal_quotients_are_one_size(one, other):
    scope = SizeScope()
    n = scope.symbol(9)
    assert dims.same(one(n), other(n))
    assert scope.conditions == []
    for size in range(2, 40):
        assert dims.value(one(n), {scope.symbols[0]: size}) == one(size) == other(size)


quotients = st.recursive(
    st.sampled_from(["n", "m"]),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from([operator.floordiv, operator.mod]), inner, st.integers(-5, 9).filter(bool)),
        st.tuples(st.sampled_from([operator.add, operator.sub, dims.maximum]), inner, inner),
        st.tuples(st.just(operator.mul), inner, st.integers(-3, 3)),
        st.tuples(st.just(operator.add), inner, st.integers(-9, 9)),
    ),
    max_leaves=8,
)


@given(quotients, st.integers(2, 40), st.integers(2, 40))
@settings(max_examples=300, deadline=None)
def test_nested_quotients_are_those_of_ints(expression, n, m):
    scope, names = symbols(17, 5)
    dim = evaluated(expression, names)
    later = dict(zip(scope.symbols, (n, m), strict=True))
    if scope.holds(later):
        number = evaluated(expression, {"n": n, "m": m})
        assert dims.value(dim, later) == number
        assert dims.bounds(dim)[0] <= number <= dims.bounds(dim)[1]


def halved(n, levels):
    """Sizes as `x[::2]` and `x = x[1::2]` make them, so nested that no normal form sees through: all stay atoms."""
    parts = []
    for k in range(levels):
        parts.append((n + k) // (k + 2) - n % (k + 3))
        n = n - (n * n + k) // (n + k + 1)
    return [*parts, n]


def test_bounds_take_bounded_work():
    def work(levels):
        scope = SizeScope()
        parts = halved(scope.symbol(1 << 20), levels)
        scope.ranges.work = 0
        for part in (sum(parts), -sum(parts), *(x - y for x, y in itertools.pairwise(parts))):
            assert dims.bounds(part)[0] <= dims.hint(part) <= dims.bounds(part)[1]
        return scope.ranges.work

    few, many = work(4), work(12)
    assert many <= few * 3**3  # not with the power of the levels, which are three times as many
    assert many <= 64 * 32 * 3  # a search looks at 16 sizes, for either bound of each size and of each operand


def test_bounds_are_remembered_until_a_range_changes():
    scope = SizeScope()
    n = scope.symbol(9)
    size = n // 2 + n // 3 - n
    assert dims.bounds(size)[1] == -1
    before = scope.ranges.work
    assert dims.bounds(n // 2 + n // 3 - n)[1] == -1
    assert scope.ranges.work == before
    assert n < 100
    assert dims.bounds(size)[0] >= -99
    assert scope.ranges.work > before


@pytest.mark.parametrize(
    "grow",
    [
        lambda n, m: n // 2 + n // 3 + n // 7 + 1,  # three times as long to write each time
        lambda n, m: n % 11 + n // 3 * (n % 5) + m,
        lambda n, m: dims.maximum(n // 2 + m, n // 3 * 2 + 1) + n // 5,
        lambda n, m: (n + m + n // 2 + m // 3) * (n // 7 + m // 5 + 1) % 1009,
    ],
)
def test_formulas_that_grow_without_end_become_numbers(grow):
    """The program then holds for the sizes at hand, and nothing takes longer than what is still worth a formula."""
    scope, names = symbols(50, 31)
    size, number = names["n"], 50
    for _ in range(40):
        size, number = grow(size, names["m"]), grow(number, 31)
        assert dims.hint(size) == number
        assert len(dims.text(size)) < 100_000
    assert scope.symbols[0].pinned
    assert scope.ranges.work < 100_000


def test_what_was_pinned_is_its_number_afterwards():
    scope = SizeScope()
    n = scope.symbol(24)
    quarter = n // 4
    assert int(quarter) == 6
    scope.capturing = False
    assert quarter == 6 and quarter != 7 and (1, quarter) == (1, 6)
    assert n != 24 and n // 2 != 12  # 25 has a quarter of 6, too
