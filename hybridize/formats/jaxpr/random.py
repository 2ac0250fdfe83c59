# SPDX-License-Identifier: Apache-2.0
"""Rows of jaxprs that draw random numbers: Threefry, two words of 32 bits by a key of two, the bits that JAX draws.

A key is u32[2], an array of keys has one axis more. Each number of an array is encrypted: its bits are the words.
Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Final

from hybridize import ops
from hybridize.base.dtypes import BY_NAME, uint32, uint64
from hybridize.formats.foreign.arrays import stretched
from hybridize.formats.foreign.walk import Application
from hybridize.formats.jaxpr.vocabulary import JAXPR, sizes
from hybridize.ops.op import Operand, type_of

_ROTATIONS: Final = (13, 15, 26, 6), (17, 29, 16, 24)
_PARITY: Final = 0x1BD11BDA


def _rotated(x: Operand, count: int) -> Operand:
    return ops.bit_or(ops.shift_left(x, ops.like(count, x)), ops.shift_right(x, ops.like(32 - count, x)))


def encrypted(k0: Operand, k1: Operand, x0: Operand, x1: Operand) -> tuple[Operand, Operand]:
    """Return two words that two others give by a key, in twenty rounds."""
    k0, k1, x0, x1 = stretched(k0, k1, x0, x1)
    keys = k0, k1, ops.bit_xor(ops.bit_xor(k0, k1), ops.like(_PARITY, k0))
    x0, x1 = ops.add(x0, k0), ops.add(x1, k1)
    for group, rotations in zip(range(1, 6), itertools.cycle(_ROTATIONS), strict=False):
        for count in rotations:
            x0 = ops.add(x0, x1)
            x1 = ops.bit_xor(_rotated(x1, count), x0)
        x0 = ops.add(x0, keys[group % 3])
        x1 = ops.add(x1, ops.add(keys[(group + 1) % 3], ops.like(group, x1)))
    return x0, x1


@JAXPR("threefry2x32")
def threefry(n: Application, k0: Operand, k1: Operand, x0: Operand, x1: Operand) -> tuple[Operand, Operand]:
    """Words encrypted by a key."""
    return encrypted(k0, k1, x0, x1)


def _words(key: Operand, more: int) -> tuple[Operand, Operand]:
    """Both words of keys, with more axes of size 1."""
    *lead, _ = type_of(key).shape
    last = len(lead)
    high, low = (ops.reshape(ops.part(key, last, k, k + 1), (*lead, *[1] * more)) for k in range(2))
    return high, low


def _numbered(shape: Sequence[Any]) -> tuple[Operand, Operand]:
    """The number of each element of an array, its high and its low word."""
    total: Operand = None
    step: Any = 1
    for axis in reversed(range(len(shape))):
        place = ops.iota(tuple(shape), axis, uint64)
        place = place if axis == len(shape) - 1 else ops.mul(place, ops.like(step, place))
        total = place if total is None else ops.add(total, place)
        step = step * shape[axis]
    high = ops.shift_right(total, ops.like(32, total))
    return ops.cast(high, uint32), ops.cast(total, uint32)


@JAXPR("iota_2x32_shape")
def numbers(n: Application) -> tuple[Operand, Operand]:
    """The number of each element of an array, its high and its low word."""
    return _numbered(sizes(n, "shape"))


def _drawn(key: Operand, shape: Sequence[Any]) -> tuple[Operand, Operand]:
    """The words of all elements of an array, for each key."""
    lead = type_of(key).shape[:-1]
    if not shape:
        high, low = _drawn(key, (1,))
        return ops.reshape(high, lead), ops.reshape(low, lead)
    words = (ops.reshape(one, (*[1] * len(lead), *shape)) for one in _numbered(shape))
    return encrypted(*_words(key, len(shape)), *words)


def _joined(high: Operand, low: Operand) -> Operand:
    shape = type_of(high).shape
    return ops.concat(ops.reshape(high, (*shape, 1)), ops.reshape(low, (*shape, 1)), axis=len(shape))


def _check(n: Application) -> None:
    impl = n.text("impl", "fry")
    if impl != "fry":
        n.fail(f"keys of {impl} are not supported", help="use threefry2x32, which jax.random.key gives by default")
    if not n.flag("partitionable", True):
        n.fail("jax_threefry_partitionable is False", help="leave it at its default, True")


@JAXPR("random_seed")
def seed(n: Application, number: Operand) -> Operand:
    """The key of a number: its bits."""
    _check(n)
    if type_of(number).dtype.itemsize == 8:
        word = ops.cast(number, uint64)
        high = ops.cast(ops.shift_right(word, ops.like(32, word)), uint32)
        return _joined(high, ops.cast(ops.bit_and(word, ops.like(0xFFFFFFFF, word)), uint32))
    low = ops.cast(number, uint32)
    return _joined(ops.like(0, low), low)


@JAXPR("random_wrap", "random_unwrap")
def words(n: Application, key: Operand) -> Operand:
    """A key as words, and words as a key."""
    _check(n)
    return key


@JAXPR("random_clone")
def clone(n: Application, key: Operand) -> Operand:
    """The key itself."""
    return key


@JAXPR("random_split")
def split(n: Application, key: Operand) -> Operand:
    """New keys, made of one."""
    _check(n)
    return _joined(*_drawn(key, sizes(n, "shape")))


@JAXPR("random_fold_in")
def fold_in(n: Application, key: Operand, number: Operand) -> Operand:
    """A new key, made of one and a number."""
    _check(n)
    low = ops.cast(number, uint32)
    return _joined(*encrypted(*_words(key, 0), ops.like(0, low), low))


@JAXPR("random_bits")
def bits(n: Application, key: Operand) -> Operand:
    """Random bits, as unsigned integers of so many."""
    _check(n)
    high, low = _drawn(key, sizes(n, "shape"))
    width = n.integer("bit_width")
    if width == 64:
        high = ops.cast(high, uint64)
        return ops.bit_or(ops.shift_left(high, ops.like(32, high)), ops.cast(low, uint64))
    return ops.cast(ops.bit_xor(high, low), BY_NAME[f"uint{width}"])
