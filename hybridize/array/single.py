# SPDX-License-Identifier: Apache-2.0
"""Imperative operations for which NumPy has no fast form: each runs a compiled program of that one operation.

Scans are such, too: node by node they cost microseconds for every node of every step. A program is made of one when
as much time was lost without it as making it takes, or would be lost by the call.

A batch times a weight stored [out, in] is such a one, and so are the products of its gradients: BLAS reads the weight
at a quarter of the speed of the memory that it lies in where there are few rows, and needs half as long again where
there are tens. The programs are kept by the shapes of their arguments; the least recently made goes first.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize import compiler
from hybridize.array.ndarray import ndarray
from hybridize.base.dims import SizeScope
from hybridize.base.dtypes import DType, float32, int8, uint64
from hybridize.base.forks import renewed
from hybridize.base.loading import load_module
from hybridize.base.types import TensorType
from hybridize.ops import Effect, Operand, Scan, effect_of, make_graph, type_of
from hybridize.ops.control import RUNNER
from hybridize.ops.op import bind

LIMIT = 128
"""Programs kept for one operation."""
FEW = 4
"""Rows up to which each count has a program of its own: code for a row or two is another."""

Shape = tuple[int, ...]
Key = tuple[Shape, ...]


class Single:
    """The programs of one operation, by the shapes of its arguments, which have one dtype.

    Args:
        function: the operation on operands, giving a sequence of results.
        otherwise: what is called with the arguments where a program cannot take them (strided, of another dtype): the
            same operation by other means.
        name: for reports.
        rows: for each argument, whether its first axis counts the rows of a batch. The first count has a program of its
            own, the next one brings a program for any. Without it each shape has its own.
        array_type: class of arguments and results; None for NumPy arrays.
        structure: `leaf` for one result, `tuple`.
        dtype: of the arguments.

    A program computes the same whether anybody records or not; who records is the caller's to ask.
    """

    def __init__(
        self,
        function: Callable[..., Sequence[Operand]],
        otherwise: Callable[..., Any],
        name: str,
        *,
        rows: Sequence[bool] = (),
        array_type: type | None = ndarray,
        structure: str = "leaf",
        dtype: DType = float32,
    ) -> None:
        self.programs: dict[Key, Callable[..., Any]] = {}
        """Look here first: a hit is the whole cost of a call."""
        self._general: dict[Key, Callable[..., Any]] = {}
        """Programs for any count of rows, by the other sizes."""
        self._keys: set[Key] = set()
        """Other sizes for which there was a program of one count."""
        self._function = function
        self._otherwise = otherwise
        self._name = name
        self._rows = tuple(rows)
        self._array_type = array_type
        self._structure = structure
        self._dtype = dtype
        self._lock = renewed(threading.RLock())

    def make(self, key: Key) -> Callable[..., Any]:
        """Compile the operation for arguments of these shapes and keep it under `key`."""
        counts = [shape[0] for shape, counted in zip(key, self._rows, strict=False) if counted]
        rest = self._rest(key)
        with self._lock:
            general = bool(counts) and counts[0] > FEW and rest in self._keys
            program = self._general.get(rest) if general else None
        if program is None:
            program = self._compiled(self._any(key) if general else key)
        with self._lock:
            if general:
                bounded(self._general)[rest] = program
            elif counts and counts[0] > FEW:
                self._keys.add(rest)
            bounded(self.programs)[key] = program
        return program

    def _rest(self, key: Key) -> Key:
        """The sizes besides the count of rows."""
        return tuple(shape[1:] if k < len(self._rows) and self._rows[k] else shape for k, shape in enumerate(key))

    def _any(self, key: Key) -> Key:
        """The shapes with a symbol for the count of rows."""
        scope = SizeScope()
        scope.capturing = False  # nobody asks for the size: the operation is the same for all
        rows: Any = scope.symbol(64, name="rows", low=1)
        return tuple((rows, *shape[1:]) if counted else shape for shape, counted in zip(key, self._rows, strict=True))

    def _compiled(self, shapes: Key) -> Callable[..., Any]:
        types = [TensorType(shape, self._dtype) for shape in shapes]
        return _entry(self._function, types, self._name, self._otherwise, self._structure, self._array_type)


class General:
    """An operation on NumPy arrays of given ranks and any sizes, as one program for each combination of dtypes.

    An axis of one element has programs of its own: what is broadcast along it is another operation.

    Args:
        function: the operation on operands, giving a sequence of results.
        otherwise: what is called with the arrays where a program cannot take them (strided, empty): the same operation
            by other means.
        name: for reports.
        axes: for each argument the names of its sizes, a letter each; sizes of one name are equal.
        structure: `leaf` for one result, `tuple`.

    It computes the same whether anybody records or not; who records is the caller's to ask.
    """

    def __init__(
        self,
        function: Callable[..., Sequence[Operand]],
        otherwise: Callable[..., Any],
        name: str,
        axes: Sequence[str],
        *,
        structure: str = "leaf",
    ) -> None:
        self._programs: dict[Any, Callable[..., Any]] = {}
        self._function = function
        self._otherwise = otherwise
        self._name = name
        self._axes = tuple(axes)
        self._structure = structure

    def __call__(self, *arrays: NDArray[Any]) -> Any:
        """Compute."""
        key: Any = tuple([x.dtype for x in arrays])
        for x in arrays:
            if 1 in x.shape:
                key = key, self._ones(arrays)
                break
        program = self._programs.get(key)
        if program is None:
            program = self._programs[key] = self._compiled(arrays)
        return program(*arrays)

    def _ones(self, arrays: Sequence[NDArray[Any]]) -> tuple[str, ...]:
        """The names of the sizes that are 1."""
        return tuple(
            name
            for names, x in zip(self._axes, arrays, strict=True)
            for name, size in zip(names, x.shape, strict=True)
            if size == 1
        )

    def _compiled(self, arrays: Sequence[NDArray[Any]]) -> Callable[..., Any]:
        scope = SizeScope()
        scope.capturing = False  # nobody asks for the sizes: the operation is the same for all
        ones = self._ones(arrays)
        sizes: dict[str, Any] = {
            name: 1 if name in ones else scope.symbol(64, name=name, low=2) for name in sorted(set("".join(self._axes)))
        }
        types = [
            TensorType(tuple(sizes[name] for name in names), x.dtype)
            for names, x in zip(self._axes, arrays, strict=True)
        ]
        return _entry(self._function, types, self._name, self._otherwise, self._structure)


def _entry(
    function: Callable[..., Sequence[Operand]],
    types: Sequence[TensorType],
    name: str,
    otherwise: Callable[..., Any],
    structure: str,
    array_type: type | None = None,
) -> Callable[..., Any]:
    """Compile an operation to a callable that serves in any mode."""
    return compiler.make_entry(
        compiler.compile(make_graph(function, types), name=name),
        array_type=array_type,
        arguments=types,
        fallback=otherwise,
        structure=structure,
        modal=False,
    )


PATIENCE = 0.05
"""Seconds that a scan may take node by node, all its calls together, before it is compiled: about what that takes."""
NODE = 5e-6
"""Seconds that a node takes at the least, with few numbers."""
MANY = 1 << 15
"""Numbers that are worth a program at once."""


class Scans:
    """The programs of imperative scans, by what they do and the types of their operands."""

    def __init__(self) -> None:
        self.programs: dict[tuple[Scan, tuple[TensorType, ...]], Callable[..., Sequence[NDArray[Any]]]] = {}
        self.patience = PATIENCE
        """Seconds, as `PATIENCE`; 0 has each scan compiled at once, so that its roundings are always the same."""
        self._spent: dict[tuple[Scan, tuple[TensorType, ...]], float] = {}
        self._lock = renewed(threading.RLock())

    def run(self, op: Scan, inputs: tuple[NDArray[Any], ...]) -> tuple[NDArray[Any], ...]:
        """The outputs of a scan."""
        key = op, tuple(TensorType(x.shape, x.dtype) for x in inputs)
        program = self.programs.get(key)
        spent = self._spent.get(key, 0.0)
        least = op.length * len(op.body.nodes) * NODE
        if program is None and spent + least >= self.patience and effect_of(op) is Effect.PURE:
            program = self._make(key)
        if program is not None:
            return tuple(program(inputs))
        begin = time.perf_counter()
        outputs = op.reference(*inputs)
        with self._lock:
            bounded(self._spent)[key] = spent + time.perf_counter() - begin
        return outputs

    def _make(self, key: tuple[Scan, tuple[TensorType, ...]]) -> Callable[..., Sequence[NDArray[Any]]]:
        op, types = key
        program = compiler.compile(make_graph(lambda *xs: bind(op, *xs), types), name="scan").run
        with self._lock:
            self._spent.pop(key, None)
            bounded(self.programs)[key] = program
        return program


class CompiledDraw:
    """A draw of random numbers from a key, as one program for any count of them.

    NumPy's arithmetic takes about ten times as long; it serves until it has taken as much time as making the program
    does. So that no number depends on what was drawn before, `function` has only operations that round in one way; or
    else `few` draws up to `MANY` numbers, always, and the program draws more.

    Args:
        function: the draw on operands: of a key u64[2], a shape, and arguments, each of that shape or of none.
        name: for reports.
        few: draws few numbers of a key, a count and arguments, with other last bits.
    """

    def __init__(
        self, function: Callable[..., Operand], name: str, *, few: Callable[..., NDArray[Any]] | None = None
    ) -> None:
        self.function = function
        """The draw on operands, which captures compute with."""
        self._name = name
        self._few = few
        self._programs: dict[Any, Callable[..., Any]] = {}
        self._spent = 0.0
        self._lock = renewed(threading.RLock())

    def __call__(self, key: NDArray[Any], count: int, *arguments: NDArray[Any]) -> NDArray[Any]:
        """Draw this many numbers: a vector. Arguments are vectors of as many elements, or have no axes."""
        if self._few is not None and count < MANY:
            return self._few(key, count, *arguments)
        kinds = tuple([(x.dtype, x.ndim) for x in arguments])
        program = self._programs.get(kinds)
        if program is None:
            if self._few is None and self._spent < PATIENCE:
                begin = time.perf_counter()
                numbers = self._by_numpy(key, count, *arguments)
                self._spent += time.perf_counter() - begin
                return numbers
            with self._lock:
                program = self._programs.get(kinds)
                if program is None:
                    program = self._programs[kinds] = self._compiled(kinds)
        if count < 2:  # what is broadcast along an axis of one element is another program
            return self._by_numpy(key, count, *arguments)
        return program(key, numpy.empty(count, numpy.int8), *arguments)  # type: ignore[no-any-return]

    def on(self, device: Any, key: NDArray[Any], count: int, *arguments: Any) -> Any:
        """Draw the same numbers in the memory of a device."""
        there = load_module("hybridize.array.on_device")
        if self._few is not None and count < MANY and not arguments:
            return there.sent_to(device, self._few(key, count))
        return there.drawn(self.function, self._name, device, key, count, arguments)

    def _by_numpy(self, key: NDArray[Any], count: int, *arguments: NDArray[Any]) -> NDArray[Any]:
        return numpy.asarray(self.function(key, (count,), *arguments))

    def _compiled(self, kinds: Sequence[tuple[DType, int]]) -> Callable[..., Any]:
        scope = SizeScope()
        scope.capturing = False  # nobody asks for the count: the operation is the same for all
        count: Any = scope.symbol(64, name="count", low=2)
        types = [TensorType((2,), uint64), TensorType((count,), int8)]  # the second only says how many
        types += [TensorType((count,) * ndim, dtype) for dtype, ndim in kinds]
        return _entry(
            lambda key, many, *arguments: [self.function(key, type_of(many).shape, *arguments)],
            types,
            self._name,
            lambda key, many, *arguments: self._by_numpy(key, many.size, *arguments),
            "leaf",
        )


def bounded(known: dict[Any, Any], limit: int | None = None) -> dict[Any, Any]:
    """A dictionary with room for one more entry: the oldest goes; `LIMIT` unless said."""
    while len(known) >= (LIMIT if limit is None else limit):
        del known[next(iter(known))]
    return known


SCANS = Scans()
RUNNER.fill(SCANS.run)
