# SPDX-License-Identifier: Apache-2.0
"""Random numbers of captured modules: our own generator, by a key that each call draws from torch's.

The numbers are not PyTorch's, whose generator goes from state to state; their distribution is.
"""

from __future__ import annotations

import math
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy
import torch

from hybridize import ops
from hybridize.array.buffer import overwrite
from hybridize.base.dtypes import DType, float32, float64, uint64
from hybridize.base.types import Shape, TensorType
from hybridize.capture.trace.recording import active_trace
from hybridize.contract.feeds import Feed, fed_array
from hybridize.ops import Operand
from hybridize.ops.views import full
from hybridize.torch.internals import as_torch

if TYPE_CHECKING:
    from hybridize.array.ndarray import ndarray


class DrawnKey(Feed):
    """The key of a call: two numbers of torch's generator, so that `torch.manual_seed` makes a run repeat."""

    in_files: tuple[str, str] = (
        "draws from torch's generator beside what Python does at each call",
        "draw outside of the function",
    )

    def __init__(self) -> None:
        self.array: ndarray = fed_array(numpy.zeros(2, uint64))

    def before(self) -> Any:
        """Return the state of torch's generator."""
        with as_torch():
            return torch.random.get_rng_state()

    def begin(self, before: Any) -> bool:
        """Draw it."""
        with as_torch():
            drawn = torch.empty(2, dtype=torch.int64).random_()
            overwrite(self.array, drawn.view(torch.uint64).numpy())
        return True

    def rollback(self, before: Any) -> None:
        """Put the generator back; nothing was drawn of it while the program was captured."""
        if before is None:
            return
        with as_torch():
            torch.random.set_rng_state(before)


class ModuleDraws:
    """The draws of one capture: what `CURRENT` is meanwhile."""

    def __init__(self) -> None:
        self._key: DrawnKey | None = None

    def key(self) -> Operand:
        """Return the key of the next draw, also in a loop of the program: the key is state that each draw steps on."""
        trace = active_trace()
        if self._key is None:
            self._key = DrawnKey()
            trace.root.feed(self._key, None)
        state = trace.lift(self._key.array)
        now = state.operand()
        state.write(ops.add(now, ops.constant(numpy.array([0, 1], dtype=uint64))))
        return now


CURRENT: ContextVar[ModuleDraws] = ContextVar("CURRENT")
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
