# SPDX-License-Identifier: Apache-2.0
"""Index arithmetic over axes whose sizes are not known: simplified where it holds for all, and nothing is assumed."""

import itertools

import pytest

from hybridize.base import dims
from hybridize.base.dims import FAR, Dim, SizeScope
from hybridize.base.dtypes import bool_, int64
from hybridize.loops.expr import CallExpr, Const, Expr, add, index, mul, whole
from hybridize.loops.index import Interner, Space
from hybridize.loops.kernel import Param, Statement
from hybridize.schedule.kernel import Body, Kernel, LoopAxis, Nest


@pytest.fixture
def sizes():
    """Three symbols; whatever a test does, nothing may be assumed of them."""
    scope = SizeScope()
    scope.capturing = False
    yield [scope.symbol(hint) for hint in (7, 5, 2)]
    assert not scope.conditions
    assert all(symbol.bounds == (2, FAR) for symbol in scope.symbols)


def space_of(*sizes: int) -> tuple[Space, list[Expr]]:
    space = Space(Interner(), dict(enumerate(sizes)))
    return space, [space.axis(k) for k in range(len(sizes))]


def compare(space: Space, function: str, x: Expr, y: int) -> Expr:
    return space.call(bool_, function, (x, space.interner.number(y)))


def test_quotients_and_remainders_of_positions(sizes: list[Dim]):
    n, m, _ = sizes
    space, (i, j) = space_of(n, m)
    flat = space.flat((i, j), (n, m))
    assert space.floordiv(flat, m) is i
    assert space.mod(flat, m) is j
    assert space.mod(space.floordiv(flat, m), n) is i


def test_positions_among_numbers_and_symbols(sizes: list[Dim]):
    n, m, k = sizes
    shape = (n, 3, m, k)
    space, axes = space_of(*shape)
    flat = space.flat(tuple(axes), shape)
    below = 1
    for size, axis in zip(reversed(shape), reversed(axes), strict=True):
        assert space.mod(space.floordiv(flat, below), size) is axis
        below = below * size


def test_what_is_not_known_stays(sizes: list[Dim]):
    n, m, _ = sizes
    space, (i, _j) = space_of(n, m)
    quotient = space.floordiv(i, m)
    assert isinstance(quotient, CallExpr)
    assert isinstance(compare(space, "lt", i, m), CallExpr)


def test_comparisons_that_always_hold(sizes: list[Dim]):
    n, m, _ = sizes
    space, (i, j) = space_of(n, m)
    flat = space.flat((i, j), (n, m))
    for function, bound, outcome in (("lt", n * m, True), ("ge", n * m, False), ("ge", 0, True), ("eq", -1, False)):
        found = compare(space, function, flat, bound)
        assert isinstance(found, Const)
        assert found.value is outcome


def test_bounds(sizes: list[Dim]):
    n, m, _ = sizes
    space, (i, j) = space_of(n, m)
    low, high = space.bounds(space.affine([(i, m), (j, 1)], 4))
    assert low == 4
    assert dims.same(high, n * m + 3)
    low, high = space.bounds(space.affine([(i, -1)], n - 1))
    assert (low, dims.same(high, n - 1)) == (0, True)
    # The sign of a factor is not known: neither is the value.
    assert space.bounds(space.affine([(i, n - m)])) == (-FAR, FAR)
    unknown = space.interner.load(int64, 0, (i,))
    assert not space.bounded(space.affine([(unknown, 1), (j, m)]))


def test_equal_expressions_are_one(sizes: list[Dim]):
    n, m, _ = sizes
    space, (i, j) = space_of(n, m)
    assert space.affine([(i, m), (j, 2 * n - n)]) is space.affine([(j, n), (i, m)])
    assert space.affine([(i, m), (i, -m)], n) is space.interner.number(n + m - m)


def test_constants_fold(sizes: list[Dim]):
    n, m, _ = sizes
    total = add(mul(index(n), index(m)), index(3))
    assert isinstance(total, Const)
    assert dims.same(whole(total), n * m + 3)
    nothing = mul(index(n), index(0))
    assert isinstance(nothing, Const) and nothing.value == 0


def test_axes_of_size_one_and_none(sizes: list[Dim]):
    """What may turn out to be 1 is an axis all the same."""
    n = sizes[0]
    _, (i, j) = space_of(n - 1, 1)
    assert not isinstance(i, Const)
    assert isinstance(j, Const)


def test_text_of_a_kernel(sizes: list[Dim]):
    n, m, _ = sizes
    kernels = []
    for rows, columns in itertools.permutations((n, m)):
        space, (i, j) = space_of(rows, columns)
        address = space.flat((i, j), (rows, columns))
        param = Param(int64, rows * columns, True)
        statement = Statement(0, address, space.interner.number(rows))
        body = Body((LoopAxis(rows), LoopAxis(columns)), (statement,))
        kernels.append(str(Kernel((param,), (), (Nest((), (body,)),))))
    assert "b0: i64[n0*n1]!" in kernels[0]
    assert "<n1>*i0" in kernels[0]
    assert kernels[0] != kernels[1]
