# SPDX-License-Identifier: Apache-2.0
"""Imperative contractions with windows, convolutions and their gradients: programs where they are worth one.

NumPy has no form for windows but to copy each of them and multiply matrices: ten to thirty times the work of the
program that a compiled net runs. Small ones stay with it, as a program costs its compilation.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.array.single import Single, bounded
from hybridize.base.dtypes import is_float
from hybridize.base.forks import renewed
from hybridize.base.types import TensorType
from hybridize.ops.contract import RUNNER, Contract, read
from hybridize.ops.op import bind

LIMIT = 1024
"""Programs kept. A net in training has three for each of its layers of other sizes."""
WORTH = 1 << 16
"""Multiply-adds at which a program is worth its compilation."""

Key = tuple[Contract, tuple[int, ...], tuple[int, ...], Any]
"""An op, the shapes of its operands and their dtype."""


class Windows:
    """The programs of imperative contractions, by what they do and the types of their operands.

    Whether one is worth a program is decided by its sizes alone, so that equal calls give equal bits.
    """

    def __init__(self) -> None:
        self.programs: dict[Key, Callable[..., NDArray[Any]]] = {}
        """Look here first: a hit is the whole cost of a call."""
        self._layers: dict[Any, Single] = {}
        """By what is the same for all sizes of a batch."""
        self._lock = renewed(threading.RLock())

    def run(self, op: Contract, x: NDArray[Any], w: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """Compute a contraction."""
        key = op, x.shape, w.shape, x.dtype
        program = self.programs.get(key)
        if program is None:
            if not _is_worth(op, x, w):
                return op.product(x, w)
            program = self._make(key)
        return (program(numpy.ascontiguousarray(x), numpy.ascontiguousarray(w)),)

    def _make(self, key: Key) -> Callable[..., NDArray[Any]]:
        op, x, w, dtype = key
        rows = _rows(op)
        layer = op, dtype, *(shape[1:] if counted else shape for shape, counted in zip((x, w), rows, strict=True))
        with self._lock:
            single = self._layers.get(layer)
            if single is None:
                single = bounded(self._layers, LIMIT)[layer] = Single(
                    lambda *operands: bind(op, *operands),
                    lambda *arrays: op.product(*arrays)[0],
                    "contraction",
                    rows=rows,
                    array_type=None,
                    dtype=dtype,
                )
        program = single.make((x, w))
        with self._lock:
            bounded(self.programs, LIMIT)[key] = program
        return program


def _is_worth(op: Contract, x: NDArray[Any], w: NDArray[Any]) -> bool:
    spec = read(op.spec)
    if all(map(all, spec.bare)) or not is_float(x.dtype) or x.dtype is not w.dtype:
        return False
    sizes = op.contraction(*(TensorType(array.shape, array.dtype) for array in (x, w))).sizes
    return math.prod(sizes) >= WORTH


def _rows(op: Contract) -> tuple[bool, ...]:
    """Tell for each operand whether its first axis counts the rows of a batch, one letter that stands by itself."""
    operands, bare = (read(op.spec).operands, read(op.spec).bare)
    first = [
        subscripts[0].axis if subscripts and alone[0] else None
        for subscripts, alone in zip(operands, bare, strict=True)
    ]
    batch = first[0]
    if batch is None:
        return (False, False)
    elsewhere = [index for subscripts in operands for index in subscripts if batch in index.axes]
    flags = (True, first[1] == batch)
    return flags if len(elsewhere) == sum(flags) else (False, False)


WINDOWS = Windows()
RUNNER.fill(WINDOWS.run)
