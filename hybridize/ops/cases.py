# SPDX-License-Identifier: Apache-2.0
"""Small arrays for the samples of ops: the same ones every time, away from ties."""

from __future__ import annotations

import math
import zlib
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import DType

ZERO = (2, 0, 3)
"""A shape without elements."""
ONE = (1, 1)
"""A shape of one element."""
INFINITE = (0.0, -0.0, 1.0, -1.5, math.inf, -math.inf, math.nan)
"""Numbers for which arithmetic has special rules."""


def complex_array(shape: tuple[int, ...], dtype: DType | str = "c8", seed: int = 0) -> NDArray[Any]:
    """Complex numbers whose parts are spread so."""
    real, imag = (sample_array(shape, "f8", seed=seed + k) for k in range(2))
    return numpy.asarray(real + 1j * imag, dtype)


def sample_array(
    shape: tuple[int, ...], dtype: DType | str = "f4", low: float = -2.0, high: float = 2.0, seed: int = 0
) -> NDArray[Any]:
    """Numbers evenly spread over [low, high], in an order that looks random; integers and bools rounded."""
    dtype = numpy.dtype(dtype)
    count = math.prod(shape)
    order = numpy.random.default_rng(zlib.crc32(repr((shape, seed)).encode())).permutation(count)
    spread = low + (high - low) * (order + 0.2 + 0.25 * (seed % 2)) / max(count, 1)
    if dtype == numpy.bool_:
        return numpy.asarray(order % 2 == 0).reshape(shape)
    if dtype.kind in "iu":
        spread = numpy.rint(spread)
        spread = numpy.abs(spread) if dtype.kind == "u" else spread
    return spread.astype(dtype).reshape(shape)
