# SPDX-License-Identifier: Apache-2.0
"""Imperative operations for which NumPy has no fast form: each runs a compiled program of that one operation.

Scans are such, too: node by node they cost a microsecond for every node of every step. A program is made of one when
as much time was lost without it as making it takes.

A few rows times a weight stored [out, in] is such a one: BLAS reads the weight at a quarter of the speed of the
memory that it lies in. The programs are kept by the types of their arguments; the least recently made goes first.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import NDArray

from hybridize import compiler
from hybridize.array.ndarray import ndarray
from hybridize.base.forks import renewed
from hybridize.base.types import TensorType
from hybridize.ops import Effect, Operand, Scan, effect_of, make_graph
from hybridize.ops.control import RUNNER
from hybridize.ops.op import bind

LIMIT = 128
"""Programs kept for one operation."""

Key = tuple[tuple[int, ...], ...]


class Single:
    """The programs of one operation, by the shapes of its float32 arguments.

    Args:
        function: the operation on operands, giving a sequence of one.
        otherwise: what is called with the arrays where a program cannot take them (strided, of another dtype, while
            somebody records): the same operation by other means.
    """

    def __init__(self, function: Callable[..., Sequence[Operand]], otherwise: Callable[..., Any], name: str) -> None:
        self.programs: dict[Key, Callable[..., Any]] = {}
        """Look here first: a hit is the whole cost of a call."""
        self._function = function
        self._otherwise = otherwise
        self._name = name
        self._lock = renewed(threading.RLock())

    def make(self, key: Key, *arrays: ndarray) -> Callable[..., Any]:
        """Compile the operation for arrays like these and keep it under `key`."""
        types = [TensorType(array.shape, array.dtype) for array in arrays]
        executable = compiler.compile(make_graph(self._function, types), name=self._name)
        program = compiler.make_entry(
            executable, array_type=ndarray, arguments=types, fallback=self._otherwise, structure="leaf"
        )
        with self._lock:
            self.programs[key] = program
            while len(self.programs) > LIMIT:
                del self.programs[next(iter(self.programs))]
        return program


PATIENCE = 0.05
"""Seconds that a scan may take node by node, all its calls together, before it is compiled: about what that takes."""


class Scans:
    """The programs of imperative scans, by what they do and the types of their operands."""

    def __init__(self) -> None:
        self.programs: dict[tuple[Scan, tuple[TensorType, ...]], Callable[..., Sequence[NDArray[Any]]]] = {}
        self._spent: dict[tuple[Scan, tuple[TensorType, ...]], float] = {}
        self._lock = renewed(threading.RLock())

    def run(self, op: Scan, inputs: tuple[NDArray[Any], ...]) -> tuple[NDArray[Any], ...]:
        """The outputs of a scan."""
        key = op, tuple(TensorType(x.shape, x.dtype) for x in inputs)
        program = self.programs.get(key)
        if program is not None:
            return tuple(program(inputs))
        begin = time.perf_counter()
        outputs = op.reference(*inputs)
        spent = self._spent.get(key, 0.0) + time.perf_counter() - begin
        if spent >= PATIENCE and effect_of(op) is Effect.PURE:
            self._make(key)
        else:
            with self._lock:
                _bounded(self._spent)[key] = spent
        return outputs

    def _make(self, key: tuple[Scan, tuple[TensorType, ...]]) -> None:
        op, types = key
        program = compiler.compile(make_graph(lambda *xs: bind(op, *xs), types), name="scan").run
        with self._lock:
            self._spent.pop(key, None)
            _bounded(self.programs)[key] = program


def _bounded(known: dict[Any, Any]) -> dict[Any, Any]:
    """A dictionary with room for one more entry: the oldest goes."""
    while len(known) >= LIMIT:
        del known[next(iter(known))]
    return known


SCANS = Scans()
RUNNER.fill(SCANS.run)
