# SPDX-License-Identifier: Apache-2.0
"""Random bits as a function of a key, so that a draw is the same wherever it is computed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import is_float, uint32, uint64
from hybridize.base.errors import DTypeError, ShapeError
from hybridize.base.frozen import frozen
from hybridize.base.types import Shape, TensorType
from hybridize.loops import expr as loops
from hybridize.loops.expr import Element, Expr
from hybridize.ops.analysis import digamma, exp, expm1, log, sqrt
from hybridize.ops.arithmetic import abs, add, div, gt, mul, sub, where
from hybridize.ops.cases import sample_array
from hybridize.ops.op import Op, Operand, Sample, bind1, constant, type_of
from hybridize.ops.views import Gradient, broadcast, like, raveled, reshape, spread, sum

_MULTIPLIERS = 0xD2511F53, 0xCD9E8D57
_WEYL = 0x9E3779B9, 0xBB67AE85
_ROUNDS = 10
_MASK = (1 << 32) - 1


@frozen
class RandomBits(Op):
    """Uniform u32 from a key u64[2]: a seed, and the number of the stream.

    Philox4x32-10: element i is lane i mod 4 of the block whose counter is i div 4 (low 64 bits) and the stream
    (high 64 bits), under the seed as key.

    Source: Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC 2011.
    """

    shape: Shape

    def infer(self, key: TensorType) -> tuple[TensorType, ...]:
        if key.dtype != uint64:
            raise DTypeError("E232", f"random_bits takes a key u64[2], got {key}")
        if key.shape != (2,) or any(size < 0 for size in self.shape):
            raise ShapeError("E161", f"random_bits of shape {self.shape} takes a key u64[2], got {key}")
        return (TensorType(self.shape, uint32),)

    def reference(self, key: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        count = math.prod(self.shape)
        block = numpy.arange(-(-count // 4), dtype=numpy.uint64)
        mask, half = numpy.uint64(_MASK), numpy.uint64(32)
        stream = numpy.broadcast_to(key[1], block.shape)
        words = [block & mask, block >> half, stream & mask, stream >> half]
        keys = [int(key[0]) & _MASK, int(key[0]) >> 32]
        for _ in range(_ROUNDS):
            products = [words[2 * k] * numpy.uint64(_MULTIPLIERS[k]) for k in range(2)]
            high, low = [p >> half for p in products], [p & mask for p in products]
            words = [
                high[1] ^ words[1] ^ numpy.uint64(keys[0]),
                low[1],
                high[0] ^ words[3] ^ numpy.uint64(keys[1]),
                low[0],
            ]
            keys = [(keys[k] + _WEYL[k]) & _MASK for k in range(2)]
        bits = numpy.stack(words, -1).reshape(-1)[:count].astype(uint32)
        return (bits.reshape(self.shape),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], key: Operand) -> tuple[Gradient, ...]:
        return (None,)

    def lower(self, key: Element, *, types: tuple[TensorType, ...]) -> tuple[Element, ...]:
        def halves(x: Expr) -> tuple[Expr, Expr]:
            high = loops.call("shr", x, loops.const(32, uint64))
            return loops.cast(x, uint32), loops.cast(high, uint32)

        def element(index: tuple[Expr, ...]) -> Expr:
            position = loops.cast(raveled(index, self.shape), uint64)
            block = loops.call("shr", position, loops.const(2, uint64))
            seed, stream = (key((loops.index(k),)) for k in range(2))
            words = _philox([*halves(block), *halves(stream)], list(halves(seed)))
            lane = loops.cast(loops.call("and", position, loops.const(3, uint64)), uint32)

            def choose(k: int, then: Expr, orelse: Expr) -> Expr:
                return loops.select(loops.call("eq", lane, loops.const(k, uint32)), then, orelse)

            return choose(0, words[0], choose(1, words[1], choose(2, words[2], words[3])))

        return (element,)

    @classmethod
    def samples(cls) -> Iterator[Sample]:
        key = numpy.array([0x123456789ABCDEF0, 7], uint64)
        yield Sample((key,), cls((3, 5)))
        yield Sample((numpy.array([2**64 - 1, 2**64 - 1], uint64),), cls((9,)))
        yield Sample((key,), cls(()))
        yield Sample((key,), cls((2, 0)))
        yield Sample((key.astype("i8"),), cls((2,)), fails=DTypeError)
        yield Sample((key[:1],), cls((2,)), fails=ShapeError)


def _philox(words: list[Expr], keys: list[Expr]) -> list[Expr]:
    """The ten rounds, in expressions of u32."""
    for _ in range(_ROUNDS):
        multipliers = [loops.const(m, uint32) for m in _MULTIPLIERS]
        high = [loops.call("umulh", words[2 * k], multipliers[k]) for k in range(2)]
        low = [loops.call("mul", words[2 * k], multipliers[k]) for k in range(2)]
        words = [
            loops.call("xor", loops.call("xor", high[1], words[1]), keys[0]),
            low[1],
            loops.call("xor", loops.call("xor", high[0], words[3]), keys[1]),
            low[0],
        ]
        keys = [loops.call("add", keys[k], loops.const(_WEYL[k], uint32)) for k in range(2)]
    return words


def random_bits(key: Operand, shape: Shape) -> Operand:
    """Uniform u32 of the given shape from a key u64[2]."""
    return bind1(RandomBits(tuple(shape)), key)


@frozen
class GammaNumber(Op):
    """`x`, which was drawn of the gamma distribution of this shape, as a function of that.

    Which candidate a sampler accepts depends on the shape, so its steps have another gradient than the number that it
    draws. The number is where the distribution function F has some value; it moves as that point does:
    dx/da = -(dF/da) / (dF/dx). With t = x exp(s w), where s = 1 above the mean and -1 below it, that is

        x * integral over w > 0 of s (log x + s w - digamma(a)) exp(s a w - x (exp(s w) - 1)).

    It is summed over w = z / (|a - x| + sqrt(x)), z = exp(t - exp(-t)) with t in equal steps: eight digits.

    Source: Figurnov et al., Implicit reparameterization gradients, 2018; Takahasi and Mori, Double exponential formulas
    for numerical integration, 1974.
    """

    def infer(self, x: TensorType, shape: TensorType) -> tuple[TensorType, ...]:
        if x != shape or not is_float(x.dtype):
            raise DTypeError("E232", f"gamma_number takes floats of one type and shape, got {x} and {shape}")
        return (x,)

    def reference(self, x: NDArray[Any], shape: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        return (x,)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand, shape: Operand) -> tuple[Gradient, ...]:
        return g[0], mul(g[0], _slope(y[0], shape))

    def lower(self, x: Element, shape: Element, *, types: tuple[TensorType, ...]) -> tuple[Element, ...]:
        return (x,)

    @classmethod
    def samples(cls) -> Iterator[Sample]:
        yield Sample((sample_array((2, 3)), sample_array((2, 3), seed=1)), cls(), grad=(0,))
        yield Sample((sample_array((2, 3)), sample_array((2, 3), "f8")), cls(), fails=DTypeError)


_TIMES = numpy.arange(-3.5, 3.6, 0.125)
_NODES = numpy.exp(_TIMES - numpy.exp(-_TIMES))
_WEIGHTS = 0.125 * _NODES * (1 + numpy.exp(-_TIMES))


def _slope(x: Operand, a: Operand) -> Operand:
    """dx/da of a gamma number x of shape a, which is at least 1."""
    kind = type_of(x)
    every = TensorType((len(_NODES), *kind.shape), kind.dtype)

    def along(values: NDArray[Any]) -> Operand:
        column = constant(values.astype(kind.dtype))
        return broadcast(reshape(column, (len(values),) + (1,) * kind.ndim), every.shape)

    def each(value: Operand) -> Operand:
        return spread(value, every.shape, (0,))

    above = gt(x, a)
    s = each(where(above, like(1, x), like(-1, x)))
    width = div(like(1, x), add(abs(sub(a, x)), sqrt(x)))
    w = mul(s, mul(along(_NODES), each(width)))
    weight = exp(sub(mul(each(a), w), mul(each(x), expm1(w))))
    terms = mul(mul(s, add(each(sub(log(x), digamma(a))), w)), mul(weight, along(_WEIGHTS)))
    return mul(mul(x, width), sum(terms, (0,)))


def gamma_number(x: Operand, shape: Operand) -> Operand:
    """`x`, drawn of the gamma distribution of this shape (1 or more), with the gradient that it has by that."""
    return bind1(GammaNumber(), x, shape)
