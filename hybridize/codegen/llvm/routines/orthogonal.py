# SPDX-License-Identifier: Apache-2.0
"""QR by Householder's reflections, with LAPACK's signs.

A reflection I - t v v^T is kept as v, whose first element is 1 and not stored, and t. Matrices are worked on by
columns, which lie as lines of the scratch memory. Source: Golub and Van Loan, Matrix Computations, 4th edition, chapter
5; LAPACK's larfg for the signs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hybridize.base.types import TensorType
from hybridize.codegen.llvm.routines.factors import each_matrix, size
from hybridize.codegen.llvm.routines.reals import Position, Reals
from hybridize.codegen.llvm.text import Function
from hybridize.loops.expr import Routine
from hybridize.machine.target import Target

Types = Sequence[TensorType]


def reflect(r: Reals, first: str, rest: str, count: Position, factor: str) -> str:
    """Make the reflection that brings a line to its first element; returns what that becomes.

    The first element is read; the `count` others are replaced by v, and t is written to `factor`.
    """
    alpha, length = r.load(first), r.norm(rest, count)
    some = r.compare("une", length, r.number(0))
    beta, tau = r.variable(alpha), factor
    with r.alone():
        r.store(r.number(0), tau)
    with r.f.when(some):
        whole = r.intrinsic("copysign", r.length_of(alpha, length), alpha)
        value = r.neg(whole)
        r.store(value, beta)
        with r.alone():
            r.store(r.div(r.sub(value, alpha), value), tau)
        r.scale(rest, "fdiv", r.sub(alpha, value), count)
    return r.load(beta)


def apply_reflection(r: Reals, v: str, factor: str, first: str, rest: str, count: Position) -> None:
    """Reflect a line, given by its first element and the others."""
    start = r.load(first)
    along = r.mul(factor, r.add(start, r.dot(v, rest, count)))
    r.meet()
    with r.alone():
        r.store(r.sub(start, along), first)
    r.add_multiples(rest, [(r.neg(along), v)], count)


def write_qr(
    f: Function, routine: Routine, inputs: Types, outputs: Types, target: Target, areas: Mapping[str, str],
    reals: type[Reals] = Reals,
) -> None:  # fmt: skip
    """q with orthonormal columns and r upper triangular, q r = x; `wide` x has fewer rows than columns."""
    kind = inputs[0]
    r = reals(f, kind.dtype, target)
    m, n = (size(f, x) for x in kind.shape[-2:])
    (wide,) = routine.parameters
    columns, steps = size(f, outputs[0].shape[-1]), m if wide else n
    work, basis, factors = areas["columns"], areas["basis"], areas["factors"]
    with each_matrix(f, ("%i0", kind, 2), ("%o0", outputs[0], 2), ("%o1", outputs[1], 2)) as (x, q, upper):
        with r.each_line(0, m) as (one, i), one.spread(0, n) as k:
            value = r.load(x, r.plus(r.times(i, n), k))
            r.store(value, work, r.plus(r.times(k, m), i))
        r.meet()
        with f.loop(0, steps) as loop:
            j: Position = loop.index
            diagonal = r.at(work, r.plus(r.times(j, m), j))
            v, count, factor = r.at(diagonal, 1), r.minus(r.minus(m, j), 1), r.at(factors, j)
            value = reflect(r, diagonal, v, count, factor)
            with r.alone():
                r.store(value, diagonal)
            r.meet()
            t = r.load(factor)
            with f.when(r.compare("une", t, r.number(0))), r.each_line(r.plus(j, 1), n) as (one, k):
                first = r.at(work, r.plus(r.times(k, m), j))
                apply_reflection(one, v, t, first, r.at(first, 1), count)
            r.meet()
        with r.each_line(0, size(f, outputs[1].shape[-2])) as (one, i), one.spread(0, n) as k:
            below = f.op(f"icmp sgt i64 {i}, {k}")
            value = r.load(work, r.plus(r.times(k, m), f.op(f"select i1 {below}, i64 0, i64 {i}")))
            r.store(r.select(below, r.number(0), value), upper, r.plus(r.times(i, n), k))
        r.identity(basis, columns, m)
        r.meet()
        with f.loop(0, steps) as loop:
            j = r.minus(r.minus(steps, 1), loop.index)
            v = r.at(work, r.plus(r.plus(r.times(j, m), j), 1))
            t, count = r.load(factors, j), r.minus(r.minus(m, j), 1)
            with f.when(r.compare("une", t, r.number(0))), r.each_line(j, columns) as (one, k):
                first = r.at(basis, r.plus(r.times(k, m), j))
                apply_reflection(one, v, t, first, r.at(first, 1), count)
            r.meet()
        with r.each_line(0, columns) as (one, k), one.spread(0, m) as i:
            value = r.load(basis, r.plus(r.times(k, m), i))
            r.store(value, q, r.plus(r.times(i, columns), k))
