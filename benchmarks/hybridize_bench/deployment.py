# SPDX-License-Identifier: Apache-2.0
"""The benchmark of what runs without Python, or with little of it: calls, starts and sizes of exported programs.

What is compared is written first, by each runtime in a process of its own. Starts are then timed in fresh processes
that take turns; calls from C in one process with the machine code alone (`tools.c_calls`); WebAssembly's in Node.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from hybridize_bench import workloads
from hybridize_bench.bench import THREADS, UNCACHED, Amount, BenchOptions, Measured, Measurement, disagreement, worker
from hybridize_bench.peers import ARCHIVE, ARTIFACTS, LIBRARY, NUMPY_ALONE, WASM, Artifact
from hybridize_bench.workloads import Data

Times = tuple[float, ...]
"""Seconds, and where it is known those that the processor was at it."""
HERE = Path(__file__).parent
PROCESSES_EACH = 3
"""Processes of each row in each round: one start is one number."""
CREATE, FIRST_CREATE = "library: create", "C program: create, the first of its process"
PROGRAM = "C program: create + first run"
WASM_START, WASM_CALL = "WebAssembly in Node: load + first run", "WebAssembly in Node: model.run"
RESIDENT, PEAK = "resident after the first run", "most that was resident"

_START = """
import json, os, sys, time
import numpy
{imports}
path, x = sys.argv[1], numpy.load(sys.argv[2])
y = numpy.empty(0)
begin, busy = time.perf_counter(), time.process_time()
{load}
seconds, cpu = time.perf_counter() - begin, time.process_time() - busy
numpy.save(sys.argv[3], y)
memory = {{}}
if os.path.exists("/proc/self/status"):
    with open("/proc/self/status") as status:
        memory = {{line.split()[0][:-1]: int(line.split()[1]) * 1024 for line in status if line.startswith("Vm")}}
print(json.dumps({{"seconds": seconds, "cpu": cpu, "llvm": "llvmlite" in sys.modules, **memory}}))
"""
"""A process that loads and runs a model: Python for `-c`."""


def run(workload: str, options: BenchOptions) -> tuple[Sequence[Measured], Sequence[str]]:
    """Run one of `workloads.DEPLOYED`: its rows, and what else is to be said."""
    if workload == "deploy-calls":
        return calls(options), ()
    return (starts(options), ()) if workload == "deploy-starts" else sizes(options)


# -------------------------------------------------------------------------------------------------- files, processes


@contextmanager
def arrays() -> Iterator[Data]:
    """The perceptron and its input, in a folder for the body of a `with` statement."""
    with tempfile.TemporaryDirectory() as folder:
        data = workloads.write("mlp-1", Path(folder))
        _, x = workloads.read("MLP", "mlp-1", str(data.file))
        np.save(data.file.with_name("x.npy"), x)
        data.file.with_name("x.f32").write_bytes(x.tobytes())
        yield data


def chosen(options: BenchOptions) -> list[Artifact]:
    """Return the artifacts that this environment can write and that were asked for; ours always."""
    return [
        one
        for one in ARTIFACTS
        if importlib.util.find_spec(one.package) is not None
        and (one.module == "ours" or not options.only or any(part.lower() in one.name.lower() for part in options.only))
    ]


def write(artifact: Artifact, data: Data, options: BenchOptions) -> str:
    """Have the runtime write its files beside the data; returns why it could not."""
    path = data.file.with_name(artifact.path)
    with worker(options.cpu) as process:
        answer = process.ask(
            do="write",
            module=artifact.module,
            mode=artifact.mode,
            workload="mlp-1",
            data=str(data.file),
            path=str(path),
        )
    missing = [file for file in artifact.files if not path.with_name(file).is_file()]
    return answer.get("error", "") or (f"{', '.join(missing)} was not written" if missing else "")


def finished(command: Sequence[str], options: BenchOptions, environment: Mapping[str, str] | None = None) -> str:
    """Run a process pinned to the benchmark's CPU, and return what it prints.

    Raises:
        OSError: it cannot be started, or fails.
    """

    def pin() -> None:
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, {options.cpu})

    variables = {**os.environ, **THREADS, **UNCACHED, **(environment or {})}
    # Bytecode is written in the round that does not count, as an installed package's is.
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(command, capture_output=True, text=True, env=variables, preexec_fn=pin)
    if done.returncode:
        words = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise OSError(f"{Path(command[0]).name} ended with {done.returncode}: {words[:160]}")
    return done.stdout


def compiled(source: str, target: Path, options: BenchOptions, *arguments: str) -> Path:
    """A C file of this folder, compiled.

    Raises:
        OSError: there is no C compiler, or it fails.
    """
    compiler = shutil.which("cc")
    if compiler is None:
        raise OSError("there is no C compiler `cc` here")
    finished([compiler, "-O2", str(HERE / source), "-o", str(target), *arguments], options)
    return target


def node() -> str:
    """Return the path of Node.js.

    Raises:
        OSError: it is not installed.
    """
    found = shutil.which("node")
    if found is None:
        raise OSError("there is no `node` here")
    return found


# ------------------------------------------------------------------------------------------------------------- calls


def calls(options: BenchOptions) -> list[Measured]:
    """Calls from C and from Node. Rows are `CASE: ROW`, those of one case together."""
    with arrays() as data:
        return [*_calls_from_c(data.file.parent, options), _calls_from_node(data, options)]


def _calls_from_c(folder: Path, options: BenchOptions) -> list[Measurement]:
    try:
        harness = compiled("calls.c", folder / "calls.so", options, "-shared", "-fPIC")
        with worker(options.cpu) as process:
            answer = process.ask(
                do="library",
                harness=str(harness),
                folder=str(folder),
                rounds=options.rounds,
                seconds=options.seconds,
                only=options.only,
            )
        if "error" in answer:
            raise OSError(answer["error"])
    except OSError as error:
        return [Measurement(CREATE, error=str(error))]
    found = {f"{case}: {row}": one for case, rows in answer["calls"].items() for row, one in rows.items()}
    return [
        Measurement(name, one["rounds"], error=one["error"])
        for name, one in {**found, CREATE: answer["create"]}.items()
    ]


def _calls_from_node(data: Data, options: BenchOptions) -> Measurement:
    result = Measurement(WASM_CALL)
    artifact = next(one for one in ARTIFACTS if one.name == WASM)
    try:
        result.error = write(artifact, data, options)
        if not result.error:
            result.rounds = _in_node(artifact, data, options)["rounds"]
    except OSError as error:
        result.error = str(error)
    return result


def _in_node(artifact: Artifact, data: Data, options: BenchOptions, rounds: int | None = None) -> dict[str, Any]:
    """Run calls.mjs on the module, and return what it tells; its first result is checked."""
    loader = next(data.file.with_name(file) for file in artifact.files if file.endswith(".mjs"))
    output = data.file.with_name("y.wasm.f32")
    words = [
        loader,
        data.file.with_name("x.f32"),
        output,
        options.rounds if rounds is None else rounds,
        options.seconds,
    ]
    answer: dict[str, Any] = json.loads(finished([node(), str(HERE / "calls.mjs"), *map(str, words)], options))
    _check(np.fromfile(output, np.float32), data)
    return answer


def _check(found: np.ndarray[Any, Any], data: Data) -> None:
    wrong = disagreement(found.reshape(data.expected.shape) if found.size == data.expected.size else found, data)
    if wrong:
        raise OSError(wrong)


# ------------------------------------------------------------------------------------------------------------ starts


def starts(options: BenchOptions) -> list[Measured]:
    """From files to the first result, each time in a fresh process; the rows take turns."""
    with arrays() as data:
        results: dict[str, Measurement] = {}
        takes: list[Callable[[], dict[str, Times]]] = []
        for artifact in (one for one in chosen(options) if one.load or one.name in (LIBRARY, WASM)):
            take, names = _start_of(artifact, data, options)
            results.update((name, Measurement(name)) for name in names)
            try:
                error = write(artifact, data, options)
                if error:
                    raise OSError(error)
                take()  # which also fills the page cache and compiles bytecode
                takes.append(take)
            except OSError as error:
                for name in names:
                    results[name].error = str(error)
        for turn in range(PROCESSES_EACH * options.rounds):
            for take in takes[:: 1 if turn % 2 else -1]:
                for name, (seconds, *busy) in take().items():
                    results[name].rounds.append([seconds])
                    results[name].cpu_s += busy
        return list(results.values())


def _start_of(
    artifact: Artifact, data: Data, options: BenchOptions
) -> tuple[Callable[[], dict[str, Times]], tuple[str, ...]]:
    """Return a function that takes the times of one process, and the names of the rows they belong to."""
    if artifact.load:
        return lambda: {artifact.name: _times(in_python(artifact, data, options))}, (artifact.name,)
    if artifact.name == WASM:
        return lambda: {WASM_START: (_in_node(artifact, data, options, rounds=0)["start"],)}, (WASM_START,)
    return lambda: _in_c(data, options), (FIRST_CREATE, PROGRAM)


def _times(answer: dict[str, Any]) -> Times:
    return answer["seconds"], answer["cpu"]


def in_python(artifact: Artifact, data: Data, options: BenchOptions) -> dict[str, Any]:
    """{"seconds", "cpu"} from the file to the first result in a fresh process, its memory, whether LLVM was loaded."""
    path, output = data.file.with_name(artifact.files[0]), data.file.with_name("y.npy")
    code = _START.format(imports=artifact.imports, load=artifact.load)
    words = [sys.executable, "-c", code, str(path), str(data.file.with_name("x.npy")), str(output)]
    answer: dict[str, Any] = json.loads(finished(words, options).splitlines()[-1])
    if artifact.load:
        _check(np.load(output), data)
    return answer


def _in_c(data: Data, options: BenchOptions) -> dict[str, Times]:
    """The times that the program of start.c takes; it is compiled before its first start."""
    folder, output = data.file.parent, data.file.with_name("y.c.f32")
    program = folder / "start"
    if not program.exists():
        linking = [f"-I{folder}", f"-L{folder}", "-lmlp", f"-Wl,-rpath,{folder}", '-DHEADER="mlp.h"', "-DMODEL=mlp"]
        compiled("start.c", program, options, *linking)
    words = [program, folder / "x.f32", output, data.expected.size]
    create, first = map(float, finished(list(map(str, words)), options).split())
    _check(np.fromfile(output, np.float32), data)
    return {FIRST_CREATE: (create,), PROGRAM: (create + first,)}


# ------------------------------------------------------------------------------------------------------------- sizes


def sizes(options: BenchOptions) -> tuple[list[Measured], list[str]]:
    """Bytes of files, and of memory of a process that loads and runs; and what else is to be said."""
    with arrays() as data:
        layers, _ = workloads.read("MLP", "mlp-1", str(data.file))
        weights = sum(weight.nbytes + bias.nbytes for weight, bias in layers)
        found: list[Measured] = []
        memory: list[Measured] = []
        alone = _resident(NUMPY_ALONE, data, options)
        interpreter = alone.get("VmRSS", 0)  # only Linux tells
        notes = [f"beyond the weights of {weights:,} bytes, or an interpreter with NumPy ({interpreter:,} bytes)"]
        for artifact in chosen(options):
            error = write(artifact, data, options)
            if error:
                found.append(Amount(artifact.name, error=error))
                continue
            nbytes = sum(data.file.with_name(file).stat().st_size for file in artifact.files)
            found.append(Amount(f"{artifact.name}: {', '.join(artifact.files)}", nbytes, weights))
            if artifact.load and interpreter:
                try:
                    after = _resident(artifact, data, options)
                except OSError as failure:
                    memory.append(Amount(f"{artifact.name}: {RESIDENT}", error=str(failure)))
                    continue
                for name, key in ((RESIDENT, "VmRSS"), (PEAK, "VmHWM")):
                    memory.append(Amount(f"{artifact.name}: {name}", after[key], alone[key]))
                if artifact.name == ARCHIVE:
                    notes.append(f"{ARCHIVE}: llvmlite was {'imported' if after['llvm'] else 'not imported'}")
        return found + memory, notes


def _resident(artifact: Artifact, data: Data, options: BenchOptions) -> dict[str, int]:
    """Medians of some processes."""
    answers = [in_python(artifact, data, options) for _ in range(PROCESSES_EACH)]
    return {key: int(statistics.median(answer.get(key, 0) for answer in answers)) for key in answers[0]}
