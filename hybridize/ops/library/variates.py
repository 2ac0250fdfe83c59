# SPDX-License-Identifier: Apache-2.0
"""Random numbers of several distributions, from a key u64[2]."""

from __future__ import annotations

import math

from hybridize.base.dtypes import DType, float32, float64, int64
from hybridize.base.types import Shape
from hybridize.ops.analysis import cos, log, sin, sqrt
from hybridize.ops.arithmetic import add, mul, neg
from hybridize.ops.op import Operand, type_of
from hybridize.ops.randomness import uniform_numbers
from hybridize.ops.reductions import arg_max
from hybridize.ops.slicing import concat, part
from hybridize.ops.views import broadcast, cast, like, reshape


def normal_pairs(key: Operand, shape: tuple[int], dtype: DType) -> Operand:
    """Return twice as many normal numbers, by Box and Muller's method: two from each pair of uniform ones."""
    both = uniform_numbers(key, (2, *shape), dtype, 0.5)
    first, second = (reshape(part(both, 0, k, k + 1), shape) for k in range(2))
    logarithm, angle = log(first), mul(second, like(2.0 * math.pi, second))
    radius = sqrt(mul(logarithm, like(-2.0, logarithm)))
    return concat(mul(radius, cos(angle)), mul(radius, sin(angle)), axis=0)


def normal_numbers(key: Operand, shape: Shape, dtype: DType) -> Operand:
    """Return standard normal numbers of a float dtype."""
    count = math.prod(shape)
    both = normal_pairs(key, (-(-count // 2),), float64 if dtype == float64 else float32)
    return cast(reshape(part(both, 0, 0, count), shape), dtype)


def choices(key: Operand, logits: Operand, count: int) -> Operand:
    """Return the numbers of classes, drawn by unnormalized logarithms of their chances: [batch, count], i64.

    Args:
        key: of the draw.
        logits: [batch, classes].
        count: of the draws of each batch.
    """
    batch, classes = type_of(logits).shape
    shape = batch, count, classes
    noise = uniform_numbers(key, shape, float32, 0.5)
    gumbel = neg(log(neg(log(noise))))  # the largest of such sums is each class by its chance
    spread = broadcast(reshape(cast(logits, float32), (batch, 1, classes)), shape)
    return cast(arg_max(add(spread, gumbel), 2), int64)
