# SPDX-License-Identifier: Apache-2.0
"""Random bits and gamma numbers as functions of a key, so that a draw is the same wherever it is computed."""

from __future__ import annotations

import math
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import DType, float32, float64, int64, uint32, uint64
from hybridize.base.errors import DTypeError, ShapeError
from hybridize.base.frozen import frozen
from hybridize.base.types import Shape, TensorType
from hybridize.loops import draws
from hybridize.loops import expr as loops
from hybridize.loops.draws import Term
from hybridize.loops.expr import Element, Expr, Routine
from hybridize.ops.analysis import digamma, exp, expm1, log, sqrt
from hybridize.ops.arithmetic import abs, add, div, gt, mul, shift_right, sub, where
from hybridize.ops.op import Op, Operand, bind1, constant, type_of
from hybridize.ops.slicing import slice
from hybridize.ops.views import Gradient, broadcast, cast, full, like, raveled, reshape, spread, sum

_CHUNK = 1 << 14
"""Elements that imperative code computes at once: their arrays stay in the core's own cache."""
_MASK = (1 << 32) - 1


class _Arrays:
    """The arithmetic of NumPy arrays; words are kept in uint64, in which products of two have room."""

    def halves(self, word: Any, multiplier: int) -> tuple[Any, Any]:
        product = word * multiplier
        high = product >> 32
        product &= _MASK
        return high, product

    def word(self, total: Any) -> Any:
        return total & _MASK

    def cast(self, x: Any, dtype: DType) -> Any:
        return x.astype(uint64 if dtype == uint32 else dtype, copy=False)

    def bitcast(self, x: Any, dtype: DType) -> Any:
        return x.view(dtype)

    def root(self, x: Any) -> Any:
        return numpy.sqrt(x)

    def choose(self, condition: Any, then: Any, orelse: Any) -> Any:
        return numpy.where(condition, then, orelse)


_ARRAYS: draws.ExactArithmetic = _Arrays()


def _halves(word: Any) -> tuple[Any, Any]:
    """The lower and the upper 32 bits of uint64 numbers."""
    return word & _MASK, word >> 32


@frozen
class RandomBits(Op):
    """Uniform u32 from a key u64[2]: a seed, and the number of the stream.

    Philox4x32-10: element i is lane i mod 4 of the block whose counter is i div 4 (low 64 bits) and the stream
    (high 64 bits), under the seed as key.

    """

    differentiable = False

    shape: Shape

    def infer(self, key: TensorType) -> tuple[TensorType, ...]:
        if key.dtype != uint64:
            raise DTypeError("E232", f"random_bits takes a key u64[2], got {key}")
        if key.shape != (2,) or any(size < 0 for size in self.shape):
            raise ShapeError("E161", f"random_bits of shape {self.shape} takes a key u64[2], got {key}")
        return (TensorType(self.shape, uint32),)

    def reference(self, key: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        count = math.prod(self.shape)
        bits = numpy.empty((-(-count // 4), 4), uint32)
        seed, stream = (_halves(int(word)) for word in key)
        for start in range(0, len(bits), _CHUNK):
            part = bits[start : start + _CHUNK]
            block = numpy.arange(start, start + len(part), dtype=uint64)
            rest = [numpy.full_like(block, word) for word in stream]
            for lane, words in enumerate(draws.philox(_ARRAYS, [*_halves(block), *rest], seed)):
                part[:, lane] = words
        return (bits.reshape(-1)[:count].reshape(self.shape),)

    def lower(self, key: Element, *, types: tuple[TensorType, ...]) -> tuple[Element, ...]:
        def halves(x: Expr) -> tuple[Term, Term]:
            high = loops.call("shr", x, loops.const(32, uint64))
            return Term(loops.cast(x, uint32)), Term(loops.cast(high, uint32))

        def element(index: tuple[Expr, ...]) -> Expr:
            position = loops.cast(raveled(index, self.shape), uint64)
            block = loops.call("shr", position, loops.const(2, uint64))
            seed, stream = (key((loops.index(k),)) for k in range(2))
            words = draws.philox(draws.TERMS, [*halves(block), *halves(stream)], halves(seed))
            lane = loops.cast(loops.call("and", position, loops.const(3, uint64)), uint32)

            def choose(k: int, then: Expr, orelse: Expr) -> Expr:
                return loops.select(loops.call("eq", lane, loops.const(k, uint32)), then, orelse)

            return choose(0, words[0].expr, choose(1, words[1].expr, choose(2, words[2].expr, words[3].expr)))

        return (element,)


def random_bits(key: Operand, shape: Shape) -> Operand:
    """Uniform u32 of the given shape from a key u64[2]."""
    return bind1(RandomBits(tuple(shape)), key)


def uniform_numbers(key: Operand, shape: tuple[int, ...], dtype: DType, offset: float = 0.0) -> Operand:
    """Numbers in [0, 1) from a key u64[2]: multiples of 2^-24 in float32, of 2^-53 in float64.

    With an `offset` of 1/2 they are in the middle of equal parts of (0, 1), which in float32 are 2^23.
    """
    if dtype == float64:
        words = random_bits(key, (*shape, 2))
        first, second = (cast(_half(words, k, shape, 5 + k), float64) for k in range(2))
        parts, width = add(mul(first, like(2.0**26, first)), second), 2.0**-53
    else:
        lost = 9 if offset else 8  # the middle of a part needs one more of the 24 bits
        parts, width = cast(_shifted(random_bits(key, shape), lost), float32), 2.0 ** (lost - 32)
    middle = add(parts, like(offset, parts)) if offset else parts
    return mul(middle, like(width, middle))


def _half(words: Operand, k: int, shape: tuple[int, ...], lost: int) -> Operand:
    """The upper bits of the first or second words of pairs."""
    part = slice(words, (*(0,) * len(shape), k), (*shape, k + 1), (1,) * (len(shape) + 1))
    return _shifted(reshape(part, shape), lost)


def _shifted(words: Operand, lost: int) -> Operand:
    return shift_right(words, full(lost, TensorType(type_of(words).shape, uint32)))


@frozen
class StandardGamma(Op):
    """Gamma numbers of the given shapes, of 1 or more, and scale 1, from a key u64[2] (see `RandomBits`).

    Element i is a function of the key, i and its shape: Marsaglia and Tsang's first candidate that is accepted, of
    `loops.draws`.

    Which candidate a sampler accepts depends on the shape, so its steps have another gradient than the number that it
    draws. The number is where the distribution function F has some value; it moves as that point does:
    dx/da = -(dF/da) / (dF/dx). With t = x exp(s w), where s = 1 above the mean and -1 below it, that is

        x * integral over w > 0 of s (log x + s w - digamma(a)) exp(s a w - x (exp(s w) - 1)).

    It is summed over w = z / (|a - x| + sqrt(x)), z = exp(t - exp(-t)) with t in equal steps: eight digits.

    Source: Figurnov et al., Implicit reparameterization gradients, 2018; Takahasi and Mori, Double exponential formulas
    for numerical integration, 1974.
    """

    def infer(self, key: TensorType, shape: TensorType) -> tuple[TensorType, ...]:
        if key.dtype != uint64 or shape.dtype not in (float32, float64):
            raise DTypeError("E232", f"standard_gamma takes a key u64[2] and f32 or f64, got {key} and {shape}")
        if key.shape != (2,):
            raise ShapeError("E161", f"standard_gamma takes a key u64[2], got {key}")
        return (shape,)

    def reference(self, key: NDArray[Any], shape: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        seed, stream = (_halves(int(word)) for word in key)
        shapes = shape.reshape(-1)
        numbers = numpy.empty_like(shapes)
        refused = [numpy.empty(0, int64)]

        def drawn(pair: Any, attempt: int) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
            rest = tuple(numpy.full_like(pair, word) for word in stream)
            return draws.candidates(_ARRAYS, pair, attempt, (seed, rest), shape.dtype)

        def judge(places: Any, x: Any, u: Any) -> Any:
            candidates, accepted = draws.judged(_ARRAYS, shapes[places], x, u)
            numbers[places[accepted]] = candidates[accepted]
            return places[~accepted]

        with numpy.errstate(all="ignore"):
            for start in range(0, len(shapes), 2 * _CHUNK):
                part = shapes[start : start + 2 * _CHUNK]
                pair = numpy.arange(start // 2, (start + len(part) + 1) // 2, dtype=uint64)
                x, u = (numpy.stack(both, -1).reshape(-1)[: len(part)] for both in drawn(pair, 0))
                numbers[start : start + len(part)], settled = draws.squeezed(_ARRAYS, part, x, u)
                unsettled = numpy.flatnonzero(~settled)
                refused.append(judge(start + unsettled, x[unsettled], u[unsettled]))
            places, attempt = numpy.concatenate(refused), 0
            while len(places):
                attempt += 1
                second = places % 2 == 1
                x, u = (numpy.where(second, *both[::-1]) for both in drawn((places // 2).astype(uint64), attempt))
                places = judge(places, x, u)
        return (numbers.reshape(shape.shape),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], key: Operand, shape: Operand) -> tuple[Gradient, ...]:
        return None, mul(g[0], _slope(y[0], shape))

    def lower(self, key: Element, shape: Element, *, types: tuple[TensorType, ...]) -> Routine:
        return Routine(self.name)


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


def standard_gamma(key: Operand, shape: Operand) -> Operand:
    """Gamma numbers of the given shapes (1 or more) and scale 1 from a key u64[2], with gradients by the shapes."""
    return bind1(StandardGamma(), key, shape)
