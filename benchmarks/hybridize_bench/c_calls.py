# SPDX-License-Identifier: Apache-2.0
"""Calls from C: an exported library beside the machine code of its program alone, in one process.

How fast weights are read depends on the pages that they happen to lie on, by a third where they fill most of the
second-level cache. So the machine code reads those of the library, where the library reads them in its own file; what
either copies is placed anew several times in each round, and nothing is given back before the end.
"""

from __future__ import annotations

import ctypes
import runpy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize import hybridize, np
from hybridize.base.comparison import difference
from hybridize.compiler.compile import compile
from hybridize.formats import read_archive
from hybridize.formats.deployable import Deployable, deployable
from hybridize.runtime.buffers import ALIGNMENT, aligned, aligned_copy
from hybridize.runtime.executable import Executable
from hybridize_bench.peers import CHAPTER, EXPORTED, KERNEL
from hybridize_bench.peers.ours import gluon
from hybridize_bench.sampling import sample
from hybridize_bench.workloads import expected_mlp, layers_and_input

Arrays = Sequence[NDArray[Any]]

PLACEMENTS = 4
"""In each round."""
CREATES = 50
"""Models made in each round."""
LEVELS = ("avx2", "baseline")
"""Code for other processors that a library holds, and that runs on this one too."""


@dataclass(frozen=True)
class Case:
    """A program that has been called, its arguments and what must come out."""

    program: Any
    inputs: Arrays
    expected: Arrays


def mlp(batch: int) -> Case:
    """The chapter's net."""
    layers, x = layers_and_input(batch)
    net = gluon(layers)
    net.hybridize()
    net(np.array(x))
    return Case(net, [x], [expected_mlp(layers, x).astype(numpy.float32)])


def mlp_of_any_batch() -> Case:
    """The same net after calls with several batch sizes, called with another one."""
    layers, x = layers_and_input(7)
    net = gluon(layers)
    net.hybridize()
    for batch in (1, 64, 32):
        net(np.array(layers_and_input(batch)[1]))
    return Case(net, [x], [expected_mlp(layers, x).astype(numpy.float32)])


FIXED_POINT = """
from hybridize import np

def fixed_point(data):
    state = np.zeros_like(data)
    change, count = 1.0, 0
    while change > 1e-4:
        after = np.tanh(np.dot(state, weight) + data)
        change = np.abs(after - state).max()
        state = after
        count = count + 1
    return state, count
"""
"""A file of its own, as a user's would be: the package's own functions are not read for loops."""


def loop(folder: Path) -> Case:
    """A small layer applied to its own result until nothing changes any more: the data decides how often."""
    random = numpy.random.default_rng(0)
    x, weight = random.standard_normal((4, 16)).astype(numpy.float32), random.standard_normal((16, 16)) / 8
    file = folder / "fixed_point.py"
    file.write_text(FIXED_POINT)
    names: dict[str, Any] = runpy.run_path(str(file), {"weight": np.array(weight)})
    program = hybridize(names["fixed_point"])
    program(np.array(x))
    state, change, count = numpy.zeros_like(x, numpy.float64), numpy.inf, 0
    while change > 1e-4:
        after = numpy.tanh(state @ weight + x)
        state, change, count = after, numpy.abs(after - state).max(), count + 1
    return Case(program, [x], [state.astype(numpy.float32), numpy.array(count, numpy.int64)])


CASES: dict[str, Callable[[Path], Case]] = {
    CHAPTER: lambda folder: mlp(1),
    "MLP, batch 64": lambda folder: mlp(64),
    "MLP, any batch, 7 rows": lambda folder: mlp_of_any_batch(),
    "a loop that the data ends": loop,
}


class Harness:
    """The C functions that take the time."""

    def __init__(self, path: str) -> None:
        library = ctypes.CDLL(path)
        self.runs, self.kernels = library.seconds_of_runs, library.seconds_of_kernels
        self.creates = library.seconds_of_creates
        pointer = ctypes.c_void_p
        self.runs.argtypes = [*[pointer] * 6, ctypes.c_int64]
        self.kernels.argtypes = [*[pointer] * 4, ctypes.c_int64]
        self.creates.argtypes = [*[pointer] * 3, ctypes.c_int64]
        self.runs.restype = self.kernels.restype = ctypes.c_double


class TimedProgram:
    """A program's machine code, and what it reads and writes; `timeit` as `sampling.sample` asks."""

    def __init__(self, harness: Harness, executable: Executable, inputs: Arrays, constants: Arrays) -> None:
        self._time, self._address = harness.kernels, executable.address
        sizes = executable.sizes.checked([one.shape for one in inputs])
        self._read = [*map(aligned_copy, inputs), *constants, executable.sizes.values(sizes)]
        self.outputs = [aligned(type_.shape, type_.dtype) for type_ in executable.sizes.types(sizes)]
        self._scratch = aligned((executable.sizes.scratch_bytes(sizes) + ALIGNMENT,), numpy.dtype(numpy.uint8))
        self._inputs, self._outputs = pointers(self._read), pointers(self.outputs)
        self._executable = executable  # whose code it is

    def timeit(self, number: int = 1) -> float:
        """Seconds of so many calls."""
        seconds: float = self._time(self._address, self._inputs, self._outputs, self._scratch.ctypes.data, number)
        return seconds


class CreateOptions(ctypes.Structure):
    """`NAME_options` of the header."""

    _fields_ = [
        ("weights", ctypes.c_char_p),
        ("processor", ctypes.c_char_p),
        ("parallel_for", ctypes.c_void_p),
        ("context", ctypes.c_void_p),
        ("threads", ctypes.c_int32),
    ]


class TimedLibrary:
    """An exported library's functions."""

    def __init__(self, harness: Harness, path: Path, name: str) -> None:
        self.harness = harness
        self._path = path.resolve()
        self.functions = ctypes.CDLL(str(path))
        self.create, self.destroy, self.run, self.error = (
            self.functions[f"{name}_{word}"] for word in ("create", "destroy", "run", "error")
        )
        self.error.restype = ctypes.c_char_p
        self.destroy.argtypes = [ctypes.c_void_p]

    def check(self, code: int) -> None:
        """Turn a code into an error.

        Raises:
            OSError: the code is not 0.
        """
        if code:
            raise OSError(f"{self.error(code).decode()} ({code})")

    def mapped(self, arrays: Arrays) -> list[NDArray[Any]]:
        """The arrays as they lie in the library's file, which is mapped here; copies of those that do not."""
        content, mappings = self._path.read_bytes(), _mappings(self._path)
        found = []
        for array in arrays:
            at = content.find(array.tobytes()) if array.nbytes >= ALIGNMENT else -1
            address = next((start + at - first for first, last, start in mappings if first <= at < last), 0)
            copy = aligned_copy(array)
            if at >= 0 and address:
                read = (ctypes.c_uint8 * array.nbytes).from_address(address)
                copy = numpy.frombuffer(memoryview(read), array.dtype).reshape(array.shape)
            found.append(copy)
        return found

    def seconds_of_creates(self, number: int) -> list[float]:
        """Seconds that each of some models took to make."""
        seconds = (ctypes.c_double * number)()
        self.check(self.harness.creates(self.create, self.destroy, seconds, number))
        return list(seconds)


def _mappings(path: Path) -> list[tuple[int, int, int]]:
    """Return the mappings of a file in this process (Linux): (first byte, byte after the last, address)."""
    found = []
    for line in Path("/proc/self/maps").read_text().splitlines():
        span, _, offset, _, _, *name = line.split(maxsplit=5)
        if name == [str(path)]:
            start, end = (int(word, 16) for word in span.split("-"))
            found.append((int(offset, 16), int(offset, 16) + end - start, start))
    return found


class TimedModel:
    """A model in memory, with arrays for its inputs and outputs; `timeit` as `sampling.sample` asks."""

    def __init__(self, library: TimedLibrary, inputs: Arrays, expected: Arrays, processor: str = "") -> None:
        self._library, self._time = library, library.harness.runs
        self._model = ctypes.c_void_p()
        options = CreateOptions(processor=processor.encode() or None)
        library.check(library.create(ctypes.byref(self._model), ctypes.byref(options)))
        self._read = [aligned_copy(one) for one in inputs]
        self.outputs = [aligned(one.shape, one.dtype) for one in expected]
        self._inputs, self._outputs = pointers(self._read), pointers(self.outputs)
        self._sizes = [sizes(arrays) for arrays in (inputs, expected)]

    def timeit(self, number: int = 1) -> float:
        """Seconds of so many calls, which check all sizes."""
        seconds: float = self._time(
            self._library.run, self._model, self._inputs, self._sizes[0], self._outputs, self._sizes[1], number
        )
        if seconds < 0:
            self._library.check(round(-seconds))
        return seconds

    def destroy(self) -> None:
        """Free what `create` made."""
        self._library.destroy(self._model)


def pointers(arrays: Arrays) -> Any:
    """An array of pointers to the arrays."""
    return (ctypes.c_void_p * max(1, len(arrays)))(*[array.ctypes.data for array in arrays])


def sizes(arrays: Arrays) -> Any:
    """The sizes of all arrays, one after the other."""
    flat = [size for array in arrays for size in array.shape]
    return (ctypes.c_int64 * max(1, len(flat)))(*flat)


@dataclass
class Found:
    """The outcome of a row, as JSON has it."""

    rounds: list[list[float]] = field(default_factory=list)
    error: str = ""


def measure(harness: str, folder: str, rounds: int, seconds: float, only: Sequence[str] = ()) -> dict[str, Any]:
    """Time every case's kernel and library in turn.

    Args:
        harness: calls.c, compiled.
        folder: for files.
        rounds: how often each row has its turn.
        seconds: of samples for each row in each round.
        only: cases, by a part of their name; all where it names none.

    Returns:
        {"calls": {case: {row: {"rounds": [[seconds of a call, ...], ...], "error": ""}}}, "create": the same of a row}.
    """
    clock = Harness(harness)
    calls: dict[str, dict[str, Any]] = {}
    create = Found()
    chosen = [name for name in CASES if any(part.lower() in name.lower() for part in only)] or list(CASES)
    for number, name in enumerate(chosen):
        rows = {row: Found() for row in (KERNEL, EXPORTED, *(f"{EXPORTED}, {level}" for level in LEVELS))}
        try:
            _measure_case(clock, CASES[name](Path(folder)), Path(folder) / f"case{number}", rounds, seconds, rows)
            if name == CHAPTER:
                library = TimedLibrary(clock, Path(folder) / f"libcase{number}.so", f"case{number}")
                create.rounds = [library.seconds_of_creates(CREATES) for _ in range(rounds)]
        except Exception as error:  # a case that fails does not stop the others
            text = f"{type(error).__name__}: {(str(error).strip() or 'no message').splitlines()[0]}"[:200]
            for found in (*rows.values(), *([create] if name == CHAPTER else [])):
                found.error = found.error or text
        calls[name] = {row: vars(found) for row, found in rows.items()}
    return {"calls": calls, "create": vars(create)}


def _measure_case(clock: Harness, case: Case, path: Path, rounds: int, seconds: float, rows: dict[str, Found]) -> None:
    case.program.save(f"{path}.hybridize")
    program = deployable(read_archive(f"{path}.hybridize"))
    case.program.export(str(path), format="library")
    library = TimedLibrary(clock, path.with_name(f"lib{path.name}.so"), path.name)
    executable = kernel_of(program, case.inputs)
    makes: dict[str, Callable[[], TimedProgram | TimedModel]] = {
        KERNEL: lambda: TimedProgram(clock, executable, case.inputs, library.mapped(executable.constants)),
        EXPORTED: lambda: TimedModel(library, case.inputs, case.expected),
    }
    for level in LEVELS:
        makes[f"{EXPORTED}, {level}"] = lambda level=level: TimedModel(library, case.inputs, case.expected, level)  # type: ignore[misc]
    placed: list[TimedProgram | TimedModel] = []  # all of them, so that the next ones lie elsewhere
    for _ in range(rounds):
        for found in rows.values():
            found.rounds.append([])
        for turn in range(PLACEMENTS):
            for name in list(makes)[:: 1 if turn % 2 else -1]:
                one = makes[name]()
                placed.append(one)
                one.timeit(1)
                check(name, one.outputs, case.expected)
                rows[name].rounds[-1] += sample(one, seconds / PLACEMENTS)[0]
    for one in placed:
        if isinstance(one, TimedModel):
            one.destroy()


def kernel_of(program: Deployable, inputs: Arrays) -> Executable:
    """The machine code of the variant that is for such inputs, with the weights as constants, as the library has it."""
    made = (compile(variant.graph, name=program.name, threads=1) for variant in program.variants)
    executable = next(one for one in made if one.accepts([array.shape for array in inputs]))
    assert not executable.derivers, "a program without stable inputs copies none of them"
    return executable


def check(name: str, found: Arrays, expected: Arrays) -> None:
    """Compare results with what must come out.

    Raises:
        ValueError: they differ by more than rounding.
    """
    for position, pair in enumerate(zip(found, expected, strict=True)):
        apart = difference(*pair)
        if apart:
            raise ValueError(f"{name}: output {position} is wrong: {apart}")
