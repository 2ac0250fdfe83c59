# SPDX-License-Identifier: Apache-2.0
"""Random numbers of a program: functions of a key, which whoever captures gives.

The numbers are not PyTorch's, whose generator goes from state to state; their distribution is.
"""

from __future__ import annotations

import math
from contextvars import ContextVar
from typing import Protocol

from hybridize import ops
from hybridize.base.dtypes import DType, float32, float64
from hybridize.base.types import Shape, TensorType
from hybridize.ops import Operand
from hybridize.ops.views import full


class Keys(Protocol):
    """The giver of keys of draws."""

    def key(self) -> Operand:
        """Return the key of the next draw: a stream of its own."""


CURRENT: ContextVar[Keys] = ContextVar("CURRENT")
"""Those of the program that is captured."""


def key() -> Operand:
    """The key of the next draw."""
    return CURRENT.get().key()


def uniform(shape: Shape, dtype: DType) -> Operand:
    """Numbers in [0, 1)."""
    return _of_parts(shape, dtype, 0.0)


def open_uniform(shape: Shape, dtype: DType) -> Operand:
    """Numbers in (0, 1), each in the middle of one of equal parts."""
    return _of_parts(shape, dtype, 0.5)


def _of_parts(shape: Shape, dtype: DType, offset: float) -> Operand:
    wide = float64 if dtype == float64 else float32
    return ops.cast(ops.uniform_numbers(key(), shape, wide, offset), dtype)


def normal(shape: Shape, dtype: DType) -> Operand:
    """Standard normal numbers, by the method of Box and Muller."""
    wide = float64 if dtype == float64 else float32
    radius = ops.sqrt(ops.mul(_number(-2.0, shape, wide), ops.log(open_uniform(shape, wide))))
    turn = uniform(shape, wide)
    return ops.cast(ops.mul(radius, ops.cos(ops.mul(_number(2 * math.pi, shape, wide), turn))), dtype)


def _number(x: float, shape: Shape, dtype: DType) -> Operand:
    return full(x, TensorType(shape, dtype))
