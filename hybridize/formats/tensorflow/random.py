# SPDX-License-Identifier: Apache-2.0
"""Rows of TensorFlow's stateless random numbers: Philox4x32-10 of a seed that is given, bit by bit TensorFlow's.

A seed is scrambled once to a key and a counter; the numbers of an array are consecutive words under them.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy

from hybridize import ops
from hybridize.base.dtypes import bfloat16, float16, float32, float64, int32, int64, uint32, uint64
from hybridize.base.types import TensorType
from hybridize.formats.foreign.arrays import aligned
from hybridize.formats.foreign.known import Known, Vector, operand_of
from hybridize.formats.foreign.vocabulary import Value
from hybridize.formats.foreign.walk import Application
from hybridize.formats.tensorflow.shapes import dtype_of
from hybridize.formats.tensorflow.vocabulary import TENSORFLOW
from hybridize.loops.draws import philox
from hybridize.ops.op import Operand, type_of

_SCRAMBLING: Final = (0x3EC8F720, 0x02461E29)
_WORD: Final = (1 << 32) - 1
_PHILOX: Final = 1
_MANTISSAS: Final = {float32: (uint32, 23), float16: (numpy.dtype("u2"), 10), bfloat16: (numpy.dtype("u2"), 7)}


class _Word:
    """A word of 32 bits, in an u64 operand, under Python's operators."""

    __slots__ = ("x",)

    def __init__(self, x: Operand) -> None:
        self.x = x

    def __xor__(self, other: Any) -> _Word:
        return _Word(ops.bit_xor(self.x, other.x if isinstance(other, _Word) else ops.like(other, self.x)))

    def __add__(self, other: int) -> _Word:
        return _Word(ops.add(self.x, ops.like(other, self.x)))


class _Words:
    """The arithmetic of such words; see `loops.draws.ExactArithmetic`."""

    @staticmethod
    def halves(word: _Word, multiplier: int) -> tuple[_Word, _Word]:
        product = ops.mul(word.x, ops.like(multiplier, word.x))
        return _Word(ops.shift_right(product, ops.like(32, product))), _Words.word(_Word(product))

    @staticmethod
    def word(total: _Word) -> _Word:
        return _Word(ops.bit_and(total.x, ops.like(_WORD, total.x)))


@TENSORFLOW("StatelessRandomGetKeyCounter", "StatelessRandomGetKeyCounterAlg", values=True)
def key_and_counter(n: Application, seed: Value) -> tuple[Value, ...]:
    """The key and the counter of a seed of two numbers."""
    words = ops.cast(ops.cast(operand_of(seed), int64), uint64)
    counter = []
    for k in range(2):
        one = ops.reshape(ops.part(words, 0, k, k + 1), ())
        counter += [_Words.word(_Word(one)), _Word(ops.shift_right(one, ops.like(32, one)))]
    fixed = [_Word(ops.full(number, TensorType((), uint64))) for number in _SCRAMBLING]
    first, second, third, fourth = (word.x for word in philox(_Words, counter, fixed))  # type: ignore[arg-type]
    return (
        ops.reshape(_joined(first, second), (1,)),
        Vector((Known.of(0, uint64), _joined(third, fourth))),
        _algorithm(),
    )


def _joined(low: Operand, high: Operand) -> Operand:
    return ops.bit_or(low, ops.shift_left(high, ops.like(32, high)))


@TENSORFLOW("StatelessRandomGetAlg", values=True)
def algorithm(n: Application) -> Known:
    """The number of Philox."""
    return _algorithm()


def _algorithm() -> Known:
    return Known.of(_PHILOX, int32)


def _bits(n: Application, shape: Value, key: Value, counter: Value, algorithm: Value, words: int = 1) -> Operand:
    """Words of 32 bits for an array of a shape, so many for each number, along a new last axis."""
    if n.known(algorithm, 3).item() not in (_PHILOX, 3):  # 3: TensorFlow's choice, which is Philox on CPUs
        n.fail(f"the random numbers of algorithm {n.known(algorithm, 3).item()} are not supported", help="use Philox")
    if not isinstance(counter, Vector) or not isinstance(counter.parts[0], Known) or counter.parts[0].item() != 0:
        n.fail("its counter is none of a stateless seed", help="use tf.random.stateless_uniform and its like")
    seed = ops.reshape(operand_of(key), (1,))
    stream = ops.reshape(operand_of(counter.parts[1]), (1,))
    sizes = tuple(n.known(shape, 0).list())
    return ops.random_bits(ops.concat(seed, stream, axis=0), (*sizes, words) if words > 1 else sizes)


def _lane(words: Operand, k: int) -> Operand:
    kind = type_of(words)
    return ops.reshape(ops.part(words, kind.ndim - 1, k, k + 1), kind.shape[:-1])


def _long(words: Operand) -> Operand:
    """Pairs of words as one of 64 bits, the lower one first."""
    low, high = (ops.cast(_lane(words, k), uint64) for k in range(2))
    return _joined(low, high)


def _unit(words: Operand, dtype: Any) -> Operand:
    """Numbers in [0, 1) of the last bits of words: those of a float between 1 and 2."""
    if dtype == float64:
        high, low = (ops.cast(_lane(words, k), uint64) for k in range(2))
        mantissa = _joined(low, ops.bit_and(high, ops.like((1 << 20) - 1, high)))
        one = ops.bit_or(mantissa, ops.like(1023 << 52, mantissa))
    else:
        whole, width = _MANTISSAS[dtype]
        exponent = (15 if dtype == float16 else 127) << width
        mantissa = ops.bit_and(words, ops.like((1 << width) - 1, words))
        one = ops.cast(ops.bit_or(mantissa, ops.like(exponent, mantissa)), whole)
    number = ops.bitcast(one, dtype)
    return ops.sub(number, ops.like(1, number))


@TENSORFLOW("StatelessRandomUniformV2", values=True)
def uniform(n: Application, shape: Value, key: Value, counter: Value, algorithm: Value) -> Operand:
    """Numbers in [0, 1)."""
    dtype = dtype_of(n, "dtype", float32)
    return _unit(_bits(n, shape, key, counter, algorithm, 2 if dtype == float64 else 1), dtype)


@TENSORFLOW("StatelessRandomUniformFullIntV2", values=True)
def whole_numbers(n: Application, shape: Value, key: Value, counter: Value, algorithm: Value) -> Operand:
    """Integers, all of them alike."""
    dtype = dtype_of(n, "dtype", uint64)
    if dtype.itemsize == 8:
        return ops.bitcast(_long(_bits(n, shape, key, counter, algorithm, 2)), dtype)
    return ops.bitcast(_bits(n, shape, key, counter, algorithm), dtype)


@TENSORFLOW("StatelessRandomUniformIntV2", values=True)
def uniform_integers(
    n: Application, shape: Value, key: Value, counter: Value, algorithm: Value, low: Value, high: Value
) -> Operand:
    """Integers from one on and below another."""
    low, high = operand_of(low), operand_of(high)
    dtype = type_of(low).dtype
    wide = dtype.itemsize == 8
    unsigned = numpy.dtype(f"u{dtype.itemsize}")
    bits = _bits(n, shape, key, counter, algorithm, 2 if wide else 1)
    bits = _long(bits) if wide else bits
    span = ops.sub(ops.bitcast(high, unsigned), ops.bitcast(low, unsigned))
    rest = ops.bitcast(ops.mod(bits, aligned(span, type_of(bits).shape)), dtype)
    return ops.add(rest, aligned(low, type_of(bits).shape))


@TENSORFLOW("StatelessRandomNormalV2", values=True)
def normal(n: Application, shape: Value, key: Value, counter: Value, algorithm: Value) -> Operand:
    """Normal numbers in pairs, by Box and Muller: sine and cosine of one angle."""
    dtype = dtype_of(n, "dtype", float32)
    of = float64 if dtype == float64 else float32
    sizes = n.known(shape, 0).list()
    count = math.prod(sizes)
    pairs = Known.of([(count + 1) // 2, 2])
    numbers = _unit(_bits(n, pairs, key, counter, algorithm, 2 if of == float64 else 1), of)
    first, second = _lane(numbers, 0), _lane(numbers, 1)
    first = ops.max(first, ops.like(1e-7, first))
    radius = ops.sqrt(ops.mul(ops.log(first), ops.like(-2, first)))
    angle = ops.mul(second, ops.like(2 * math.pi, second))
    both = [ops.reshape(ops.mul(part, radius), (pairs.list()[0], 1)) for part in (ops.sin(angle), ops.cos(angle))]
    flat = ops.part(ops.reshape(ops.concat(*both, axis=1), (pairs.list()[0] * 2,)), 0, 0, count)
    return ops.cast(ops.reshape(flat, tuple(sizes)), dtype)
