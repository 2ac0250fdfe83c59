# SPDX-License-Identifier: Apache-2.0
"""Every export checks itself: what was written is run, in a process of its own, and compared with what is expected.

    trials(deployable)                     the calls: samples, and sizes that nobody has called it with yet
    run_library, run_module                what a C library, a WebAssembly module answers to them
    compared(trials, answers, what)        the largest difference; an error that names the first that is too large

Here is what formats have in common; what runs a file is in `drivers`.
"""

from __future__ import annotations

import atexit
import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.comparison import largest
from hybridize.base.errors import VerificationError
from hybridize.base.frozen import frozen
from hybridize.base.processes import FROZEN, interpreter
from hybridize.base.types import TensorType
from hybridize.codegen.levels import runnable
from hybridize.formats import sampling
from hybridize.formats.deployable import Deployable, Variant
from hybridize.formats.precision import precision_of_outputs
from hybridize.formats.roundoff import Rounding
from hybridize.formats.saved import CheckedCall


@cache
def drivers() -> Path:
    """Return the folder of what runs a file; where the package is in an archive, that of copies for this process."""
    folder = Path(__file__).parent / "drivers"
    if folder.is_dir():
        return folder
    directory = tempfile.TemporaryDirectory(prefix="hybridize-drivers-")
    atexit.register(directory.cleanup)
    for file in files(f"{__package__}.drivers").iterdir():
        if file.is_file():
            (Path(directory.name) / file.name).write_bytes(file.read_bytes())
    return Path(directory.name)


TIMEOUT = 600.0
"""Seconds for all calls of one file on one processor."""
SIZE = 2
"""The kind of a C library's code that refuses sizes."""
_TRIED = 64 << 20
"""Bytes of the values of a call that the specification is asked about for sizes nobody has called it with."""

Array = NDArray[Any]


@frozen(eq=False)
class Trial:
    """A call, and what it should give."""

    variant: int
    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]
    """One for each of `Deployable.outputs`."""
    title: str
    """The origin of the call."""
    rounding: Rounding
    """The bounds of how far outputs may be away."""
    refusable: bool = False
    """True if the file may refuse its sizes: compiled code may hold for fewer than the graph does."""


@frozen(eq=False)
class Answer:
    """The answer of a file to a call."""

    code: int
    """0, or what a C library returned; 1 for an error of JavaScript's."""
    text: str
    outputs: tuple[Array, ...]


def trials(deployable: Deployable) -> tuple[list[Trial], list[str]]:
    """The calls to check a program with, and the descriptions of variants that none was found for."""
    calls: list[Trial] = []
    missing = []
    count = len(deployable.outputs)
    for number, variant in enumerate(deployable.variants):
        state = [deployable.states[position].initial for position in variant.states]
        named = [(one, f"sample {k}") for k, one in enumerate(variant.samples)]
        if not named:
            call = sampling.invented(variant.graph, _arguments(variant), state)
            named += [(call, "a made-up call")] if call is not None else []
        missing += [] if named else [described(variant)]
        sampled = len(named)
        for k, (call, title) in enumerate([*named, *_other_sizes(variant, state)]):
            outputs = call.outputs[:count]
            rounding = Rounding(variant.graph, (*call.inputs, *state), outputs)
            calls.append(Trial(number, call.inputs, outputs, title, rounding, refusable=k >= sampled))
    return calls, missing


def _arguments(variant: Variant) -> int:
    return len(variant.graph.inputs) - len(variant.states)


def described(variant: Variant) -> str:
    """The types that a variant takes."""
    return f"({', '.join(str(value.type) for value in variant.graph.inputs[: _arguments(variant)])})"


def _other_sizes(variant: Variant, state: Sequence[Array]) -> Iterator[tuple[CheckedCall, str]]:
    """Calls of sizes that the program was not captured at, with titles."""
    for sizes in sampling.other_sizes(variant.graph):
        values = [value for node in variant.graph.nodes for value in node.outputs]
        if sum(sampling.exact_type(value.type, sizes).nbytes for value in values) > _TRIED:
            continue
        call = sampling.invented(variant.graph, _arguments(variant), state, sizes)
        if call is not None:
            text = ", ".join(f"{symbol.name} = {size}" for symbol, size in sizes.items())
            yield call, f"a made-up call of {text}"


# ----------------------------------------------------------------------------------------------------- running a file


def run_library(
    path: str,
    name: str,
    calls: Sequence[tuple[Array, ...]],
    types: Sequence[TensorType],
    *,
    processor: str = "",
    weights: str = "",
    threads: int = 0,
) -> list[Answer]:
    """Call a C library in a process of its own, and return its answers.

    Args:
        path: of the library.
        name: of the model: the functions are NAME_create and so on.
        calls: the inputs of each.
        types: of the outputs; their sizes are not looked at.
        processor: the level at most: avx512, avx2 or baseline; empty: the best there is.
        weights: the file of weights that stands beside the library; empty where they are inside.
        threads: that the process says it has; it runs tasks one after the other.

    Raises:
        VerificationError E812: the process crashed, or did not end; or there is no Python to start.
    """
    python = interpreter()
    if python is None:
        raise VerificationError("E812", f"{path} is {FROZEN}", help="export in a program that is not frozen")
    command = [python, "-I", str(drivers() / "library.py"), os.path.abspath(path), name]
    return _answers(command, [processor, weights, str(threads)], calls, types)


def run_module(loader: str, calls: Sequence[tuple[Array, ...]], types: Sequence[TensorType]) -> list[Answer]:
    """Call a WebAssembly module by its JavaScript loader in Node.js, and return its answers.

    Raises:
        VerificationError E812: Node.js is not there, crashed, or did not end.
    """
    engine = node()
    if engine is None:
        raise VerificationError("E812", f"{loader} cannot be run: Node.js is not installed", help="install Node.js")
    return _answers([engine, str(drivers() / "node.mjs"), os.path.abspath(loader)], [], calls, types)


def run_program(
    command: Sequence[str],
    calls: Sequence[tuple[Array, ...]],
    types: Sequence[TensorType],
    *,
    processor: str = "",
    weights: str = "",
) -> list[Answer]:
    """Run a program made of `drivers/library.c`, and return its answers to the calls.

    Raises:
        VerificationError E812: the process crashed, or did not end.
    """
    return _answers(list(command), [processor, weights], calls, types)


def _answers(
    command: list[str], more: list[str], calls: Sequence[tuple[Array, ...]], types: Sequence[TensorType]
) -> list[Answer]:
    with tempfile.TemporaryDirectory(prefix="hybridize-") as folder:
        inputs, results = os.path.join(folder, "calls"), os.path.join(folder, "results")
        Path(inputs).write_bytes(write_calls(calls, types))
        try:
            done = subprocess.run(
                [*command, inputs, results, *more],
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=TIMEOUT,
            )
        except subprocess.TimeoutExpired:
            raise VerificationError("E812", f"{command[-1]} did not end within {TIMEOUT:.0f} seconds") from None
        if done.returncode:
            text = _crash(done, command)
            raise VerificationError("E812", text, help=remedy(text))
        return list(read_results(Path(results).read_bytes(), len(calls), types))


def remedy(printed: str) -> str:
    """Return what to do about a library that was not loaded, where that is for its folder; else nothing."""
    if "failed to map segment" not in printed:
        return ""
    return (
        "the disk of this folder runs no files (noexec): choose another folder, or set TMPDIR if it is a temporary one"
    )


def _crash(done: subprocess.CompletedProcess[str], command: Sequence[str]) -> str:
    lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
    how = f"was killed by signal {-done.returncode}" if done.returncode < 0 else f"ended with {done.returncode}"
    return f"the process that ran the file {how}: {lines[-1] if lines else command[0]}"


def write_calls(calls: Sequence[tuple[Array, ...]], types: Sequence[TensorType]) -> bytes:
    """The file that drivers read: 64-bit words, and bytes padded to 16."""
    parts = [struct.pack("<q", len(calls))]
    for inputs in calls:
        sizes = [size for array in inputs for size in array.shape]
        axes = [kind.ndim for kind in types]
        head = [len(inputs), len(types), len(sizes), sum(axes), *sizes, *(array.nbytes for array in inputs)]
        head += [*(kind.dtype.itemsize for kind in types), *axes]
        parts.append(struct.pack(f"<{len(head)}q", *head))
        parts += [array.tobytes() + bytes(-array.nbytes % 16) for array in inputs]
    return b"".join(parts)


def read_results(data: bytes, count: int, types: Sequence[TensorType]) -> Iterator[Answer]:
    """Read the file that drivers write: an answer to each call."""
    at = 0
    for _ in range(count):
        code, length = struct.unpack_from("<qq", data, at)
        at += 16 + length
        text = data[at - length : at].decode()
        if code:
            yield Answer(code, text, ())
            continue
        shapes = []
        for kind in types:
            shapes.append(struct.unpack_from(f"<{kind.ndim}q", data, at))
            at += 8 * kind.ndim
        outputs = []
        for kind, shape in zip(types, shapes, strict=True):
            size = int(numpy.prod(shape, dtype=numpy.int64))
            outputs.append(numpy.frombuffer(data, kind.dtype, size, at).reshape(shape))
            at += size * kind.dtype.itemsize
        yield Answer(0, "", tuple(outputs))


# ------------------------------------------------------------------------------------------------------- comparing


def compared(
    cases: Sequence[Trial], answers: Sequence[Answer], deployable: Deployable, what: str, error: float = 0.0
) -> str:
    """A line that says what was compared and how large the largest difference was.

    Args:
        cases: the calls.
        answers: to each of them.
        deployable: what was exported.
        what: the file, and the processor that ran it, for the messages.
        error: of floats, the absolute one of functions of what ran the file.

    Raises:
        VerificationError E810: a result differs.
        VerificationError E812: a call gave an error.
    """
    count = len(deployable.outputs)
    precisions = [precision_of_outputs(variant.graph)[:count] for variant in deployable.variants]
    most = 0.0
    refused = 0
    for trial, answer in zip(cases, answers, strict=True):
        where = f"{what}, variant {trial.variant} {described(deployable.variants[trial.variant])}, {trial.title}"
        if answer.code and trial.refusable and answer.code & 0xFF == SIZE:
            refused += 1
            continue
        if answer.code:
            raise VerificationError("E812", f"{where}: {answer.text or f'error {answer.code}'}; nothing was written")
        problems = trial.rounding.problems(answer.outputs, precisions[trial.variant], error)
        results = zip(deployable.outputs, answer.outputs, trial.outputs, problems, strict=True)
        for tensor, output, expected, problem in results:
            apart = largest(output, expected)
            if problem:
                raise VerificationError(
                    "E810",
                    f"{where}: output {tensor.name!r} differs: {problem}; the largest difference is {apart:.3g}; "
                    "nothing was written",
                    help="please report it; export with another format, or save the archive, in the meantime",
                )
            most = max(most, apart)
    right = len(cases) - refused
    line = f"{what}: {right} call{'' if right == 1 else 's'} as expected, largest difference {most:.2g}"
    return line + (f"; {refused} of sizes that the compiled code does not take" if refused else "")


def node() -> str | None:
    """Node.js, where it is."""
    return shutil.which("node")


def levels() -> tuple[str, ...]:
    """The levels of x86-64 that this machine has, the best first; empty on others."""
    names = runnable()
    return names if names[-1] == "baseline" else ()
