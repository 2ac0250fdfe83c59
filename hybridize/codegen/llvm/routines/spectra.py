# SPDX-License-Identifier: Apache-2.0
"""Eigenvalues of symmetric matrices and singular values, with their vectors.

Symmetric matrices, of float64, become tridiagonal by reflections, and diagonal by implicit QL; of others the rows are
made orthogonal by rotations of two at a time, which is Jacobi's method from one side. The sign of a vector is chosen:
the first element that is not small is positive.

Sources: Golub and Van Loan, Matrix Computations, 4th edition, chapter 8; Press et al., Numerical Recipes, 2nd edition,
sections 11.2 and 11.3; Hestenes, Inversion of matrices by biorthogonalization, 1958.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from hybridize.base.dtypes import float64
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.routines.factors import each_matrix, size
from hybridize.codegen.llvm.routines.orthogonal import apply_reflection, reflect
from hybridize.codegen.llvm.routines.reals import Position, Reals
from hybridize.codegen.llvm.text import Function
from hybridize.loops.expr import Routine
from hybridize.machine.target import Target
from hybridize.ops.signs import SMALL

Types = Sequence[TensorType]
TURNS = 60
"""Turns of QL for one eigenvalue, and sweeps over all pairs of rows, after which a matrix is given up."""
EPSILON = 2.0**-52


def _unit(r: Reals, line: str, count: Position) -> str:
    """A power of two by which numbers are divided so that the largest is between 1 and 2."""
    bits = r.f.op(f"bitcast double {r.largest(line, count)} to i64")
    power = r.f.op(f"and i64 {bits}, {0x7FF << 52}")
    some = r.f.op(f"icmp ne i64 {power}, 0")
    return r.select(some, r.f.op(f"bitcast i64 {power} to double"), r.number(1))


def _swap_numbers(r: Reals, base: str, i: Position, j: Position) -> None:
    """Exchange two elements of a line."""
    with r.alone():
        x, y = r.load(base, i), r.load(base, j)
        r.store(y, base, i)
        r.store(x, base, j)


def _sign(r: Reals, line: str, count: Position) -> str:
    """1, or -1 where the first element of a line that is not small is negative."""
    least = r.mul(r.largest(line, count), r.number(SMALL))
    return r.intrinsic("copysign", r.number(1), r.add(r.first_from(least, line, count), r.number(0)))


def write_eigh(
    f: Function, routine: Routine, inputs: Types, outputs: Types, target: Target, areas: Mapping[str, str],
    reals: type[Reals] = Reals,
) -> None:  # fmt: skip
    """Eigenvalues, ascending, and vectors as columns; NaN throughout where they are not found."""
    (upper,) = routine.parameters
    kind = inputs[0]
    r, n = reals(f, float64, target), size(f, kind.shape[-1])
    square = r.times(n, n)
    matrix, vectors, diagonal = areas["matrix"], areas["vectors"], areas["diagonal"]
    beside, factors, line = areas["beside"], areas["factors"], areas["line"]
    with each_matrix(f, ("%i0", kind, 2), ("%o0", outputs[0], 1), ("%o1", kind, 2)) as (x, values, out):
        with r.each_line(0, n) as (one, i), one.spread(0, r.plus(i, 1)) as j:
            low = r.plus(r.times(i, n), j)
            high = r.plus(r.times(j, n), i)
            value = r.load(x, high if upper else low)
            r.store(value, matrix, low)
            r.store(value, matrix, high)
        r.meet()
        unit = _unit(r, matrix, square)
        r.scale(matrix, "fdiv", unit, square)
        r.meet()
        _tridiagonal(r, n, matrix, diagonal=diagonal, beside=beside, factors=factors, line=line)
        _accumulated(r, n, matrix, vectors, factors)
        failed = _ql(r, n, diagonal, beside, vectors, (factors, line))
        r.meet()
        with f.loop(0, n) as loop:
            position = r.extreme(diagonal, loop.index, n, "olt")
            with f.when(f.op(f"icmp ne i64 {position}, {loop.index}")):
                _swap_numbers(r, diagonal, position, loop.index)
                r.swap(r.at(vectors, r.times(position, n)), r.at(vectors, r.times(loop.index, n)), n)
            r.meet()
        wrong = r.select(f.op(f"icmp ne i64 {failed}, 0"), r.number(math.nan), r.number(0))
        with r.each_line(0, n) as (one, i):
            vector = r.at(vectors, r.times(i, n))
            sign = r.add(_sign(one, vector, n), wrong)
            with one.alone():
                r.store(r.add(r.mul(r.load(diagonal, i), unit), wrong), values, i)
            with one.spread(0, n) as j:
                r.store(r.mul(sign, r.load(vector, j)), out, r.plus(r.times(j, n), i))


def _tridiagonal(r: Reals, n: Position, matrix: str, diagonal: str, beside: str, factors: str, line: str) -> None:
    """Reflect a symmetric matrix from both sides until only the diagonal and its neighbours are left."""
    f = r.f
    with f.loop(0, n) as loop:
        k = loop.index
        corner = r.at(matrix, r.plus(r.times(k, n), k))
        with r.alone():
            r.store(r.load(corner), diagonal, k)
            r.store(r.number(0), beside, k)
        rest = r.minus(r.minus(n, k), 1)
        with f.when(f.op(f"icmp sgt i64 {rest}, 0")):
            first = r.at(corner, 1)
            factor = r.at(factors, k)
            value = reflect(r, first, r.at(first, 1), r.minus(rest, 1), factor)
            with r.alone():
                r.store(value, beside, k)
                r.store(r.number(1), first)
            r.meet()
            t = r.load(factor)
            below = r.at(corner, r.plus(n, 1))
            with r.each_line(0, rest) as (one, i):
                value = r.mul(t, one.dot(r.at(below, r.times(i, n)), first, rest))
                with one.alone():
                    r.store(value, line, i)
            r.meet()
            half = r.mul(r.mul(t, r.number(-0.5)), r.dot(line, first, rest))
            r.add_multiples(line, [(half, first)], rest)
            r.meet()
            with r.each_line(0, rest) as (one, i):
                left, right = r.neg(r.load(first, i)), r.neg(r.load(line, i))
                one.add_multiples(r.at(below, r.times(i, n)), [(left, line), (right, first)], rest)
            r.meet()


def _accumulated(r: Reals, n: Position, matrix: str, vectors: str, factors: str) -> None:
    """The product of the reflections, transposed."""
    f = r.f
    r.identity(vectors, n, n)
    r.meet()
    with f.loop(1, n) as loop:
        k = r.minus(r.minus(n, 1), loop.index)
        v = r.at(matrix, r.plus(r.plus(r.times(k, n), k), 2))
        t, count = r.load(factors, k), r.minus(loop.index, 1)
        with r.each_line(r.plus(k, 1), n) as (one, i):
            first = r.at(vectors, r.plus(r.plus(r.times(i, n), k), 1))
            apply_reflection(one, v, t, first, r.at(first, 1), count)
        r.meet()


def _seek_negligible(r: Reals, n: Position, diagonal: str, beside: str, end: str) -> None:
    """Move `end` on to the first position whose neighbour is negligible."""
    f = r.f

    def on() -> str:
        k = r.get(end)
        last = f.op(f"icmp sge i64 {k}, {r.minus(n, 1)}")
        at = f.op(f"select i1 {last}, i64 0, i64 {k}")
        length = r.add(
            r.abs(r.load(diagonal, at)),
            r.abs(r.load(diagonal, f.op(f"select i1 {last}, i64 0, i64 {r.plus(at, 1)}"))),
        )
        limit = r.fma(length, r.number(EPSILON), r.number(1e-290))
        large = f.op(f"fcmp ugt double {r.abs(r.load(beside, at))}, {limit}")
        return f.op(f"and i1 {large}, {f.op(f'xor i1 {last}, true')}")

    with r.whilst(on):
        r.put(r.plus(r.get(end), 1), end)


def _ql(r: Reals, n: Position, diagonal: str, beside: str, vectors: str, notes: Sequence[str]) -> str:
    """Make a tridiagonal matrix diagonal, its vectors following; returns how many values were given up.

    Of several threads one has the diagonals: it notes rotations in two lines, then all of them rotate vectors.
    """
    f = r.f
    failed, end, turns, i = (r.counter(0) for _ in range(4))
    g, s, c, p = (r.variable() for _ in range(4))

    with f.loop(0, n) as loop:
        low = loop.index

        def more() -> str:
            r.put(low, end)
            _seek_negligible(r, n, diagonal, beside, end)
            some = f.op(f"icmp ne i64 {r.get(end)}, {low}")
            return f.op(f"and i1 {some}, {f.op(f'icmp slt i64 {r.get(turns)}, {TURNS}')}")

        r.put(0, turns)
        with r.whilst(more):
            r.put(r.plus(r.get(turns), 1), turns)
            m = r.get(end)
            here, near = r.load(diagonal, low), r.load(beside, low)
            ahead = r.div(r.sub(r.load(diagonal, r.plus(low, 1)), here), r.mul(r.number(2), near))
            length = r.intrinsic("copysign", r.length_of(ahead, r.number(1)), ahead)
            r.store(r.add(r.sub(r.load(diagonal, m), here), r.div(near, r.add(ahead, length))), g)
            for pointer, value in ((s, 1), (c, 1), (p, 0)):
                r.store(r.number(value), pointer)
            r.put(r.minus(m, 1), i)
            stopped = r.counter(0)

            def going() -> str:
                down = f.op(f"icmp sge i64 {r.get(i)}, {low}")
                return f.op(f"and i1 {down}, {f.op(f'icmp eq i64 {r.get(stopped)}, 0')}")

            r.meet()
            with r.alone():
                with r.whilst(going):
                    k = r.get(i)
                    above = r.plus(k, 1)
                    neighbour = r.load(beside, k)
                    part, other = r.mul(r.load(s), neighbour), r.mul(r.load(c), neighbour)
                    length = r.length_of(part, r.load(g))
                    r.store(length, beside, above)
                    nothing = r.compare("oeq", length, r.number(0))
                    ended, turned, after = f.fresh("ended"), f.fresh("turned"), f.fresh("after")
                    f.branch(nothing, ended, turned, begin=ended)
                    r.store(r.sub(r.load(diagonal, above), r.load(p)), diagonal, above)
                    r.store(r.number(0), beside, m)
                    r.put(1, stopped)
                    f.jump(after)
                    f.begin_block(turned)
                    sine, cosine = r.div(part, length), r.div(r.load(g), length)
                    r.store(sine, s)
                    r.store(cosine, c)
                    moved = r.sub(r.load(diagonal, above), r.load(p))
                    twice = r.mul(r.mul(r.number(2), cosine), other)
                    change = r.fma(r.sub(r.load(diagonal, k), moved), sine, twice)
                    r.store(r.mul(sine, change), p)
                    r.store(r.add(moved, r.load(p)), diagonal, above)
                    r.store(r.sub(r.mul(cosine, change), other), g)
                    r.turn(vectors, k, above, (cosine, sine), n, notes)
                    r.put(r.minus(k, 1), i)
                    f.enter(after)
                with f.when(f.op(f"icmp eq i64 {r.get(stopped)}, 0")):
                    r.store(r.sub(r.load(diagonal, low), r.load(p)), diagonal, low)
                    r.store(r.load(g), beside, low)
                    r.store(r.number(0), beside, m)
            r.turn_as_noted(vectors, i, m, n, notes)
        with f.when(f.op(f"icmp ne i64 {r.get(end)}, {low}")):
            r.put(r.plus(r.get(failed), 1), failed)
    return r.get(failed)


def write_svd(
    f: Function, routine: Routine, inputs: Types, outputs: Types, target: Target, areas: Mapping[str, str],
    reals: type[Reals] = Reals,
) -> None:  # fmt: skip
    """u, s and v^T with x = u diag(s) v^T; `tall` x is worked on by columns, wide x by rows."""
    (tall,) = routine.parameters
    kind = inputs[0]
    r = reals(f, float64, target)
    m, n, k = size(f, kind.shape[-2]), size(f, kind.shape[-1]), size(f, outputs[1].shape[-1])
    length = m if tall else n
    whole = size(f, outputs[0].shape[-1] if tall else outputs[2].shape[-2])
    lines, turned, values = areas["lines"], areas["rotations"], areas["values"]
    results = [(f"%o{number}", one, rank) for number, (one, rank) in enumerate(zip(outputs, (2, 1, 2), strict=True))]
    with each_matrix(f, ("%i0", kind, 2), *results) as (x, u, s, vh):
        with r.each_line(0, k) as (one, i), one.spread(0, length) as j:
            position = r.plus(r.times(j, n), i) if tall else r.plus(r.times(i, n), j)
            r.store(r.load(x, position), lines, r.plus(r.times(i, length), j))
        r.meet()
        unit = _unit(r, lines, r.times(k, length))
        r.scale(lines, "fdiv", unit, r.times(k, length))
        r.identity(turned, k, k)
        r.meet()
        _orthogonal(r, k, length, lines, turned)
        with r.each_line(0, k) as (one, i):
            line = r.at(lines, r.times(i, length))
            value = r.sqrt(one.dot(line, line, length))
            with one.alone():
                r.store(value, values, i)
        r.meet()
        with f.loop(0, k) as loop:
            position = r.extreme(values, loop.index, k, "ogt")
            with f.when(f.op(f"icmp ne i64 {position}, {loop.index}")):
                _swap_numbers(r, values, position, loop.index)
                for base, width in ((lines, length), (turned, k)):
                    r.swap(r.at(base, r.times(position, width)), r.at(base, r.times(loop.index, width)), width)
            r.meet()
        with f.loop(0, whole) as loop:
            _normal(r, loop.index, k, length, lines, values)
        r.meet()
        with r.each_line(0, k) as (one, i):
            long, short = r.at(lines, r.times(i, length)), r.at(turned, r.times(i, k))
            sign = _sign(one, long, length) if tall else _sign(one, short, k)
            one.meet()
            one.scale(long, "fmul", sign, length)
            one.scale(short, "fmul", sign, k)
            with one.alone():
                r.store(r.mul(r.load(values, i), unit), s, i)
        for base, count, width, out, by_rows in (
            (lines, whole, length, u if tall else vh, not tall), (turned, k, k, vh if tall else u, tall),
        ):  # fmt: skip
            with r.each_line(0, count) as (one, i), one.spread(0, width) as j:
                value = r.load(base, r.plus(r.times(i, width), j))
                position = r.plus(r.times(i, width), j) if by_rows else r.plus(r.times(j, count), i)
                r.store(value, out, position)


def _orthogonal(r: Reals, k: Position, length: Position, lines: str, turned: str) -> None:
    """Rotate lines, two at a time, until all are orthogonal to each other; the rotations are kept."""
    f = r.f
    # The rounding errors of a sum of so many products.
    root = r.intrinsic("sqrt", f.op(f"sitofp i64 {length} to double"))
    least = r.number(8 * EPSILON)
    error = r.mul(root, r.number(EPSILON))
    limit = r.select(r.compare("ogt", error, least), error, least)
    again, sweeps = r.counter(1), r.counter(0)

    def more() -> str:
        rotated = f.op(f"icmp ne i64 {r.get(again)}, 0")
        return f.op(f"and i1 {rotated}, {f.op(f'icmp slt i64 {r.get(sweeps)}, {TURNS}')}")

    with r.whilst(more):
        r.put(0, again)
        r.put(r.plus(r.get(sweeps), 1), sweeps)
        with r.each_pair(k) as (one, *numbers):
            x, y = (r.at(lines, r.times(number, length)) for number in numbers)
            left, right, both = one.dot(x, x, length), one.dot(y, y, length), one.dot(x, y, length)
            # Shorter lines are what rounding left of others: the largest element is at least 1.
            bound = r.mul(limit, r.mul(_at_least_epsilon(r, r.sqrt(left)), _at_least_epsilon(r, r.sqrt(right))))
            with f.when(r.compare("ogt", r.abs(both), bound)):
                r.put(1, again)
                apart = r.div(r.sub(right, left), r.mul(r.number(2), both))
                root = r.sqrt(r.fma(apart, apart, r.number(1)))
                tangent = r.div(r.intrinsic("copysign", r.number(1), apart), r.add(r.abs(apart), root))
                cosine = r.div(r.number(1), r.sqrt(r.fma(tangent, tangent, r.number(1))))
                sine = r.mul(cosine, tangent)
                one.rotate(x, y, cosine, sine, length)
                x, y = (r.at(turned, r.times(number, k)) for number in numbers)
                one.rotate(x, y, cosine, sine, k)
        r.agree(again, f.smax)


def _at_least_epsilon(r: Reals, x: str) -> str:
    return r.select(r.compare("ult", x, r.number(EPSILON)), r.number(EPSILON), x)


def _normal(r: Reals, i: str, k: Position, length: Position, lines: str, values: str) -> None:
    """Divide line `i` by its length; where that is rounding only, find another that is orthogonal to those before."""
    f = r.f
    line = r.at(lines, r.times(i, length))
    inside = f.op(f"icmp slt i64 {i}, {k}")
    value = r.variable(r.number(0))
    with f.when(inside):
        r.store(r.load(values, i), value)
    norm = r.load(value)
    present, missing, after = f.fresh("given"), f.fresh("missing"), f.fresh("after")
    f.branch(r.compare("uge", norm, r.number(EPSILON)), present, missing, begin=present)
    r.scale(line, "fdiv", norm, length)
    f.jump(after)
    f.begin_block(missing)
    r.fill(line, r.number(0), length)
    with f.loop(0, i) as before:
        other = r.at(lines, r.times(before.index, length))

        def squared(offset: str, lanes: int) -> None:
            part = r.load(other, offset, lanes)
            r.store(r.of(lanes).fma(part, part, r.load(line, offset, lanes)), line, offset, lanes)

        r.each(length, squared)
    r.meet()
    position = r.extreme(line, 0, length, "olt")
    r.unit_line(line, position, length)
    for _ in range(2):
        r.meet()
        with f.loop(0, i) as before:
            other = r.at(lines, r.times(before.index, length))
            r.add_multiples(line, [(r.neg(r.dot(other, line, length)), other)], length)
            r.meet()
        r.scale(line, "fdiv", r.sqrt(r.dot(line, line, length)), length)
    f.enter(after)
