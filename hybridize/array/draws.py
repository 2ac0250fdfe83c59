# SPDX-License-Identifier: Apache-2.0
"""The begin of all draws of random numbers: the state that is drawn from, bits, uniform numbers, and checks.

A state is an array of two words: the seed, and the number of draws so far, each of which takes a stream of its own.
There is one for all of `np.random`, and one for each `Generator`, from which a thread draws while it says so.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy

from hybridize import ops
from hybridize.array import functions as np
from hybridize.array.device import check_device
from hybridize.array.functions.bounds import require
from hybridize.array.ndarray import ndarray, taping, wrap, written
from hybridize.array.operands import array as array_of
from hybridize.array.operands import operand, outside_operand, result, sizes_from
from hybridize.array.placing import device_inside
from hybridize.array.single import CompiledDraw
from hybridize.array.staging import staging
from hybridize.array.storage import STATE
from hybridize.array.symbol import Symbol
from hybridize.base import dims
from hybridize.base.dtypes import DType, as_dtype, float32, float64, uint64
from hybridize.base.errors import ShapeError
from hybridize.base.tracebacks import leaves
from hybridize.base.types import same_shape
from hybridize.ops.op import ACTIVE, Operand, bind1, capturing


def of_the_system() -> int:
    """Return a seed of 64 bits from the system."""
    return int.from_bytes(os.urandom(8), "little")


state: Any = ndarray(numpy.array([of_the_system(), 0], dtype=uint64))
"""The seed and the number of draws so far."""

_STEP = numpy.array([0, 1], dtype=uint64)


@leaves
def seed(seed: int | None = None, ctx: Any = None, device: Any = None) -> None:
    """Start over from a seed: equal seeds give equal numbers, imperatively and compiled. None takes one from the
    system.

    The numbers are those of Philox4x32-10, not NumPy's.

    >>> np.random.seed(0)
    >>> np.random.uniform(size=2).round(3)
    array([0.399, 0.881])
    """
    check_device(ctx if ctx is not None and ctx != "all" else device)
    number = of_the_system() if seed is None else int(seed) % (1 << 64)
    write(state, (number, 0))


def write(target: ndarray | Symbol, words: tuple[int, int]) -> None:
    """Write a seed and a count of draws to the state of a generator, of which they are the next."""
    if not isinstance(target, ndarray) or (ACTIVE and capturing()):
        target[...] = numpy.array(words, uint64)
        return
    with STATE:
        target._data[:] = words
        written(target)


class _Source(threading.local):
    """The state that this thread draws from."""

    state: ndarray | Symbol = state


_SOURCE = _Source()


@contextmanager
def drawing_from(other: ndarray | Symbol) -> Iterator[None]:
    """Draw from another state than the one of all, within the context and in this thread."""
    before, _SOURCE.state = _SOURCE.state, other
    try:
        yield
    finally:
        _SOURCE.state = before


def key() -> Operand:
    """Return the operand that a draw reads, and advance the state: for functions that draw by themselves.

    >>> np.random.key() is not None
    True
    """
    source = _SOURCE.state
    if ACTIVE and capturing():
        symbol = staging().lift(source) if isinstance(source, ndarray) else source
        assert isinstance(symbol, Symbol), "who records lifts arrays"
        before = symbol.operand()
        symbol.write(bind1(ops.Add(), before, outside_operand(_STEP)))
        return before
    assert isinstance(source, ndarray), "a generator that a program has made does not leave it"
    with STATE:
        before = source._data.copy()
        source._data[1] += 1
        written(source)
    return before


def bits(shape: tuple[int, ...]) -> Any:
    """Draw uniform uint32 numbers of a shape.

    >>> np.random.bits((2,)).dtype
    dtype('uint32')
    """
    return drawn(_BITS, shape)


_BITS = CompiledDraw(ops.random_bits, "random bits")


def unit(shape: tuple[int, ...], dtype: DType, *, open_at_zero: bool = False) -> Any:
    """Uniform numbers in [0, 1), or in (0, 1) at the middles of equal parts."""
    wide = float64 if dtype == float64 else float32
    return drawn(UNITS[wide, open_at_zero], shape).astype(dtype, copy=False)


def drawn(draw: CompiledDraw, shape: tuple[int, ...], *arguments: Any) -> Any:
    """Draw from the next key, in a shape; for a vector there may be more than one number for each place."""
    operands = [operand(x) for x in arguments]
    device = device_inside() if ACTIVE and not capturing() else None
    if ACTIVE and (capturing() or (arguments and (device is None or taping() is not None))):
        return result(draw.function(key(), shape, *operands))  # a tape may follow what depends on them
    before = key()
    if device is not None:
        numbers = draw.on(device, before, math.prod(shape), *map(_flat, operands))
    else:
        assert isinstance(before, numpy.ndarray), "nobody captures"
        numbers = draw(before, math.prod(shape), *map(_flat, operands))
    return wrap(numbers if len(shape) == 1 else numbers.reshape(shape))


def _flat(x: Any) -> Any:
    return x.reshape(-1) if x.ndim else x


UNITS = {
    (dtype, half): CompiledDraw(
        partial(ops.uniform_numbers, dtype=dtype, offset=0.5 if half else 0.0), "uniform numbers"
    )
    for dtype in (float32, float64)
    for half in (False, True)
}
"""Uniform numbers by their dtype, and whether they are in the middle of their parts."""


def float_of(dtype: Any) -> DType:
    """Return the dtype of drawn floats: float32 unless said."""
    return float32 if dtype is None else as_dtype(dtype)


def shape_of_draws(size: Any, *parameters: Any) -> tuple[int, ...]:
    """The size asked for, or the one that the parameters broadcast to.

    Raises:
        ShapeError E101: they do not broadcast, together or to the size.
    """
    shapes = [() if not is_array(p) else p.shape if hasattr(p, "shape") else array_of(p).shape for p in parameters]
    common = dims.broadcast(*shapes) if shapes else ()
    if size is None:
        if common is None:
            raise ShapeError("E101", f"random: parameters {', '.join(map(str, map(list, shapes)))} do not broadcast")
        return tuple(common)
    wanted = sizes_from(size)
    whole = None if common is None else dims.broadcast(common, wanted)
    if whole is None or not same_shape(whole, wanted):
        what = f"random: parameters {', '.join(map(str, map(list, shapes)))} do not broadcast to {list(wanted)}"
        raise ShapeError("E101", what, help="leave size out; the result then has the shape of the parameters")
    return wanted


def not_negative(x: Any, what: str) -> None:
    """Refuse a parameter of a distribution that is below 0."""
    require(np.logical_not(np.less(x, 0.0)) if is_array(x) else not x < 0, f"random.{what} is not negative")


def above_0(x: Any, what: str) -> None:
    """Refuse a parameter of a distribution that is 0 or below."""
    require(np.logical_not(np.less_equal(x, 0.0)) if is_array(x) else not x <= 0, f"random.{what} is above 0")


def is_array(x: Any) -> bool:
    """Tell whether a parameter is no Python number."""
    return not isinstance(x, (int, float))


def check_shares(p: Any, name: str) -> None:
    """Refuse probabilities that are negative, or do not sum to 1, but for rounding."""
    off = np.absolute(np.subtract(np.sum(p, -1), 1.0))
    fine = np.logical_and(
        np.all(np.greater_equal(p, 0.0)), np.all(np.less_equal(off, _ROUNDING.get(p.dtype.itemsize, 0.0)))
    )
    require(fine, f"random.{name}: probabilities are not negative and sum to 1", "divide by their sum: p / p.sum()")


_ROUNDING = {2: 3e-2, 4: 4e-4, 8: 1.5e-8}
"""By how much the sum of probabilities may be off, by the bytes of their dtype: about the root of what it rounds by."""


def scaled(unit: Any, loc: Any, scale: Any) -> Any:
    """loc + scale unit, in the dtype of `unit` unless an array's is wider."""
    if not isinstance(scale, (int, float)) or scale != 1:
        unit = np.multiply(unit, scale)
    if not isinstance(loc, (int, float)) or loc != 0:
        unit = np.add(unit, loc)
    return unit
