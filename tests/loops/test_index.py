"""Index arithmetic in normal form: equal to what was written, for every index in range."""

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from hybridize.base.dtypes import bool_, int64
from hybridize.loops.expr import Axis, CallExpr, Const, Expr, Select, axis, call, index, select
from hybridize.loops.index import Index, Interner, Space

SIZES = {0: 3, 1: 4, 2: 1, 3: 5}


def value(expr: Expr, at: dict[int, int]) -> int | bool:
    match expr:
        case Const(value=number):
            return int(number)
        case Axis(number=number):
            return at[number]
        case Index(constant=constant, terms=terms):
            return constant + sum(c * value(atom, at) for atom, c in terms)
        case Select(condition=c, then=x, orelse=y):
            return value(x, at) if value(c, at) else value(y, at)
        case CallExpr(function=function, args=args):
            values = [value(arg, at) for arg in args]
            return {
                "add": lambda x, y: x + y,
                "sub": lambda x, y: x - y,
                "mul": lambda x, y: x * y,
                "floordiv": lambda x, y: x // y,
                "mod": lambda x, y: x % y,
                "max": max,
                "min": min,
                "lt": lambda x, y: x < y,
                "ge": lambda x, y: x >= y,
                "eq": lambda x, y: x == y,
                "neg": lambda x: -x,
            }[function](*values)
    raise AssertionError(expr)


leaves = st.one_of(st.integers(-7, 20).map(index), st.sampled_from([axis(0), axis(1), axis(2), axis(3)]))
expressions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(lambda f, x, y: call(f, x, y), st.sampled_from(["add", "sub", "max", "min"]), inner, inner),
        st.builds(lambda x, c: call("mul", x, index(c)), inner, st.integers(-4, 6)),
        st.builds(lambda f, x, c: call(f, x, index(c)), st.sampled_from(["floordiv", "mod"]), inner, st.integers(1, 9)),
        st.builds(
            lambda f, a, b, x, y: select(call(f, a, b, dtype=bool_), x, y),
            st.sampled_from(["lt", "ge", "eq"]), inner, inner, inner, inner,
        ),
    ),
    max_leaves=12,
)  # fmt: skip


def normal(expr: Expr, space: Space) -> Expr:
    return space.rewrite(expr, {}, lambda load, indices: load, lambda fold: fold.variable, {})


@settings(max_examples=300, deadline=None)
@given(expressions)
def test_the_normal_form_has_the_same_values_within_its_bounds(expr):
    space = Space(Interner(), SIZES)
    found = normal(expr, space)
    low, high = space.bounds(found)
    for position in itertools.product(*(range(size) for size in SIZES.values())):
        at = dict(enumerate(position))
        assert value(found, at) == value(expr, at)
        assert low <= value(found, at) <= high


def test_quotient_and_remainder_cancel():
    space = Space(Interner(), {0: 6, 1: 8})
    flat = space.affine([(space.axis(0), 8), (space.axis(1), 1)])
    again = space.affine([(space.floordiv(flat, 12), 12), (space.mod(flat, 12), 1)])
    assert again is flat
    assert space.floordiv(flat, 8) is space.axis(0)
    assert space.mod(flat, 8) is space.axis(1)


def test_a_quotient_sees_rows_that_divide_its_divisor():
    """Rows of a batch, counted through: the columns of a row do not change which member it is of."""
    space = Space(Interner(), {0: 6, 1: 8})
    row, column = space.axis(0), space.axis(1)
    flat = space.affine([(row, 8), (column, 1)])
    member = space.floordiv(row, 3)
    assert space.floordiv(flat, 24) is member
    assert space.affine([(space.floordiv(flat, 24), 24), (space.mod(flat, 24), 1)]) is flat
    assert space.floordiv(space.affine([(flat, 1)], 48), 24) is space.affine([(member, 1)], 2)
    assert space.floordiv(space.affine([(flat, 1)], 1), 24) is not member  # the last column is of the next row


def test_equal_expressions_are_one_object():
    interner = Interner()
    x = interner.call(int64, "xor", (interner.axis(0), interner.number(3)))
    assert x is interner.call(int64, "xor", (interner.axis(0), interner.number(3)))
    assert interner.const(int64, 3) is interner.number(3)


def test_signed_zeros_and_loads_of_other_dtypes_are_kept_apart():
    from hybridize.base.dtypes import float32, int32

    interner = Interner()
    assert interner.const(float32, 0.0) is not interner.const(float32, -0.0)
    zero = (interner.number(0),)
    assert interner.load(float32, 0, zero) is not interner.load(int32, 0, zero)


def test_comparisons_are_decided_by_the_sizes():
    space = Space(Interner(), {0: 4})
    four = space.interner.number(4)
    assert space.call(bool_, "lt", (space.axis(0), four)) is space.interner.const(bool_, True)
    assert isinstance(space.call(bool_, "lt", (space.axis(0), space.interner.number(3))), CallExpr)
