# SPDX-License-Identifier: Apache-2.0
"""Imperative operations for which NumPy has no fast form: each runs a compiled program of that one operation.

A few rows times a weight stored [out, in] is such a one: BLAS reads the weight at a quarter of the speed of the
memory that it lies in. The programs are kept by the types of their arguments; the least recently made goes first.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from hybridize import compiler
from hybridize.array.ndarray import ndarray
from hybridize.base.types import TensorType
from hybridize.ops import Operand, record

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
        self._lock = threading.Lock()

    def make(self, key: Key, *arrays: ndarray) -> Callable[..., Any]:
        """Compile the operation for arrays like these and keep it under `key`."""
        types = [TensorType(array.shape, array.dtype) for array in arrays]
        executable = compiler.compile(record(self._function, types), name=self._name)
        program = compiler.make_entry(
            executable, array_type=ndarray, arguments=types, fallback=self._otherwise, structure="leaf"
        )
        with self._lock:
            self.programs[key] = program
            while len(self.programs) > LIMIT:
                del self.programs[next(iter(self.programs))]
        return program
