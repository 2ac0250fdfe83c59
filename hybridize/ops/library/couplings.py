# SPDX-License-Identifier: Apache-2.0
"""Probabilities of classes, of those that each pair of classes has by itself."""

from __future__ import annotations

import numpy

from hybridize.base.dtypes import int64
from hybridize.base.types import TensorType
from hybridize.ops.arithmetic import abs, add, bit_and, div, ge, lt, mul, sub, where
from hybridize.ops.control import Scan, While
from hybridize.ops.op import Operand, bind, constant, type_of
from hybridize.ops.reductions import any as any_of
from hybridize.ops.reductions import reduce_max
from hybridize.ops.tracing import make_graph
from hybridize.ops.views import broadcast, full, like, reshape, spread, sum, transpose


def coupled(pairs: Operand, rounds: int = 100) -> Operand:
    """Return the probabilities p of classes that fit those of pairs best: the sum of (r_ji p_i - r_ij p_j)² is least.

    They are improved class by class from equal ones on, as LIBSVM does, for each row until its error is small.

    Args:
        pairs: r, floats [rows, classes, classes]; r_ij is the probability of i where it is i or j, and r_ii is 0.
        rounds: no more than these are made.

    Returns:
        [rows, classes]
    """
    kind = type_of(pairs)
    rows, count, _ = kind.shape
    flat = (rows, count)
    turned, unit = transpose(pairs, (0, 2, 1)), constant(numpy.eye(count, dtype=kind.dtype))
    squares = spread(sum(mul(turned, turned), (2,)), kind.shape, (2,))
    matrix = sub(mul(broadcast(reshape(unit, (1, count, count)), kind.shape), squares), mul(turned, pairs))

    def wide(x: Operand) -> Operand:
        return spread(x, flat, (1,))

    def of_class(p: Operand, q: Operand, total: Operand, row: Operand, unit: Operand) -> list[Operand]:
        one = spread(unit, flat, (0,))
        own, at = sum(mul(row, one), (1,)), sum(mul(q, one), (1,))
        step = div(sub(total, at), own)
        whole = add(like(1, step), step)
        total = div(add(total, mul(step, add(mul(step, own), mul(like(2, at), at)))), mul(whole, whole))
        return [div(add(p, mul(wide(step), one)), wide(whole)), div(add(q, mul(wide(step), row)), wide(whole)), total]

    def goes_on(number: Operand, going: Operand, *rest: Operand) -> list[Operand]:
        return [bit_and(any_of(going, (0,)), lt(number, like(rounds, number)))]

    def improved(number: Operand, going: Operand, p: Operand, matrix: Operand, unit: Operand) -> list[Operand]:
        q = sum(mul(matrix, spread(p, kind.shape, (1,))), (2,))
        total = sum(mul(p, q), (1,))
        error = reduce_max(abs(sub(q, wide(total))), (1,))
        going = bit_and(going, ge(error, like(0.005 / count, error)))
        operands = [p, q, total, transpose(matrix, (1, 0, 2)), unit]
        takes = [*map(type_of, operands[:3]), *(type_of(x).with_shape(type_of(x).shape[1:]) for x in operands[3:])]
        better = bind(Scan(make_graph(of_class, takes), count, False, 3), *operands)[0]
        return [add(number, like(1, number)), going, where(wide(going), better, p), matrix, unit]

    first = [full(0, TensorType((), int64)), full(True, TensorType((rows,), numpy.dtype(bool))),
             full(1 / count, TensorType(flat, kind.dtype)), matrix, unit]  # fmt: skip
    kinds = [type_of(x) for x in first]
    return bind(While(make_graph(goes_on, kinds), make_graph(improved, kinds)), *first)[2]
