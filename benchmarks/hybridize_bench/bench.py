# SPDX-License-Identifier: Apache-2.0
"""The benchmark: one worker process for each runtime, asked in turn for short samples, so that the runs interleave.

What slows the machine for a while slows every row of that round alike; ratios are formed within a round, and the
median over the rounds is reported. Outputs are compared with NumPy in float64 before anything is timed.

What a core can do at best is measured in the same rounds, multiply-adds in turns of half a millisecond with our row:
the clock follows the work, so that a figure taken beforehand, or for a while by itself, is that of another machine.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import select
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hybridize.compiler.limits import MULTIPLY_ADDS
from hybridize_bench import training_workloads, workloads
from hybridize_bench.peers import ROWS, Row
from hybridize_bench.workloads import SCRIPTS, Data, Demand

TOLERANCE = 1e-4
"""Largest admitted max|y - y64| / max(1, max|y64|)."""
PATIENCE_S = 300.0
"""A worker that does not answer for so long is given up."""
THREADS = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS", "BLIS")}
XLA = {"XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false", "JAX_PLATFORMS": "cpu"}
UNCACHED = {"HYBRIDIZE_CACHE": "0", "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1"}
"""First calls are first calls: nobody keeps compiled programs on disk."""
PACKAGES = (
    "torch", "onnxruntime", "openvino", "ai-edge-litert", "jax", "iree-base-compiler", "numpy", "llvmlite",
)  # fmt: skip
"""Packages whose versions decide about the figures."""
FIRSTS = {"chapter MLP": "mlp", "12 layers of width 1024": "deep", "5,000 elementwise operations": "long"}
"""Rows of the compile workload, and the models of `hybridize_bench.first_calls`."""
FROM_DISK = "chapter MLP, from the disk cache"
LIMIT = "limit of this core"
"""Row of the least time that a core can take, as fast as it does what limits it in the same rounds."""
STEPS = 20_000
"""Of a training, before it is timed: what slows it down later, as moments that decay into denormals, has come then."""
STEPS_S = 20.0
"""A runtime whose steps take longer than that may begin with fewer: see `Training.least_steps`."""
ASKED_S = 0.25
"""Seconds of steps between two reports of how far they are."""


@dataclass(frozen=True)
class BenchOptions:
    """Settings of a run: how long, and where, to measure."""

    rounds: int = 5
    seconds: float = 0.3
    """Of samples for each row in each round."""
    cpu: int = 0
    """The CPU that every worker is pinned to."""
    only: tuple[str, ...] = ()
    """Rows to run, by a part of their name; empty for all."""
    calls: int = 1_000_000
    """Of the memory workload."""
    shapes: int = 10_000
    """Of the memory workload."""
    sizes: int = 1_000
    """Of the sizes workload."""
    steps: int = STEPS
    """Of a training, before it is timed."""


Tell = Callable[[str, int, int], None]
"""Told what is done, how much of it, of how much."""


def silent(what: str, done: int, total: int) -> None:
    """Tell nobody."""


@dataclass
class Measurement:
    """One row of one workload."""

    name: str
    rounds: list[list[float]] = field(default_factory=list)
    """Seconds of a call, samples by round."""
    first_s: list[float] = field(default_factory=list)
    """Seconds from the model in memory to its first result."""
    cpu_s: list[float] = field(default_factory=list)
    """Of what happens once in a process: the seconds that the processor was at it."""
    note: str = ""
    """Facts of this run that belong to the figures."""
    error: str = ""
    """The reason why there are no figures."""

    @property
    def medians(self) -> list[float]:
        """Median of each round, seconds."""
        return [statistics.median(samples) for samples in self.rounds]

    @property
    def median(self) -> float:
        """Median over rounds of the rounds' medians, seconds."""
        return statistics.median(self.medians)

    @property
    def p10(self) -> float:
        """Tenth percentile of all samples, seconds."""
        return float(np.percentile([sample for samples in self.rounds for sample in samples], 10))

    def ratio(self, other: Measurement) -> float:
        """This row's time over the other's: median over the rounds of the ratio within the round."""
        return statistics.median(a / b for a, b in zip(self.medians, other.medians, strict=True))


@dataclass
class Amount:
    """Bytes of a file or of memory."""

    name: str
    nbytes: int = 0
    besides: int = 0
    """Those of them that were there before, or have to be: weights, an interpreter."""
    error: str = ""
    """The reason why there are no figures."""

    @property
    def beyond(self) -> int:
        """The bytes that are there besides."""
        return self.nbytes - self.besides


@dataclass
class Figure:
    """A number that a program of a checkout has found."""

    name: str
    value: float = 0.0
    error: str = ""
    """The reason why there is none."""


Measured = Measurement | Amount | Figure


class BenchWorker:
    """A runtime's process; see `hybridize_bench.worker` for what it answers."""

    def __init__(self, cpu: int, environment: Mapping[str, str]) -> None:
        # Errors that a runtime prints on its way down are kept for the message.
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed in `close`
        self._process = subprocess.Popen(
            [sys.executable, "-m", "hybridize_bench.worker", str(cpu)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env={**os.environ, **THREADS, **XLA, **UNCACHED, **environment},
        )

    def ask(self, **request: object) -> dict[str, Any]:
        """Send a request and wait for its answer; a worker that died or hangs answers with an error."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            return {"error": self._last_words()}
        patience = None if request["do"] in ("memory", "sizes", "library") else PATIENCE_S
        ready, _, _ = select.select([self._process.stdout], [], [], patience)
        if not ready:
            self._process.kill()
            return {"error": f"no answer within {PATIENCE_S:.0f} s"}
        line = self._process.stdout.readline()
        return json.loads(line) if line else {"error": self._last_words()}

    def _last_words(self) -> str:
        code = self._process.wait()
        self._log.seek(0)
        lines = self._log.read().strip().splitlines()
        return f"worker ended with {code}" + (f": {lines[-1][:160]}" if lines else "")

    def close(self) -> None:
        """End the process."""
        if self._process.stdin is not None:
            with suppress(BrokenPipeError):  # it is gone already, and the last request with it
                self._process.stdin.close()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._log.close()


@contextmanager
def worker(cpu: int, environment: Mapping[str, str] | None = None) -> Iterator[BenchWorker]:
    """A worker for the body of a `with` statement."""
    process = BenchWorker(cpu, environment or {})
    try:
        yield process
    finally:
        process.close()


def wanted(row: Row, options: BenchOptions) -> bool:
    """Tell whether `options.only` names the row."""
    return not options.only or any(part.lower() in row.name.lower() for part in options.only)


def rows(options: BenchOptions, table: str) -> list[Row]:
    """The rows that this environment can run; the first is ours, and always there, because the ratios need it."""
    ours, *others = (row for row in ROWS if table in row.tables)
    return [ours, *(row for row in others if importlib.util.find_spec(row.package) and wanted(row, options))]


def prepare(process: BenchWorker, row: Row, workload: str, data: Data) -> dict[str, Any]:
    """Make the row ready in its worker and check its output; {"first_s"} or {"error"}."""
    result = data.file.with_name(f"result-{ROWS.index(row)}.npy")
    answer = process.ask(
        do="prepare",
        module=row.module,
        mode=row.mode,
        table=data.table,
        workload=workload,
        data=str(data.file),
        result=str(result),
    )
    if "error" in answer:
        return answer
    wrong = disagreement(np.load(result), data)
    return {"error": wrong} if wrong else answer


def disagreement(found: np.ndarray[Any, Any], data: Data) -> str:
    """Describe how a result differs from the expected one by more than rounding; empty if it does not."""
    if found.shape != data.expected.shape:
        return f"wrong shape {found.shape}, expected {data.expected.shape}"
    error = np.abs(found - data.expected).max() / max(1.0, np.abs(data.expected).max())
    # `not <=` rather than `>`: NaN has to fail.
    return "" if error <= TOLERANCE else f"wrong result: differs by {error:.1e}"


def run_calls(workload: str, options: BenchOptions, tell: Tell = silent) -> list[Measurement]:
    """Time the calls of a workload; rows that fail say why and do not stop the others.

    The last row is the limit of the core, where one is known.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        data = workloads.write(workload, folder)
        results: list[Measurement] = []
        ready: list[tuple[BenchWorker, Measurement]] = []
        for row in rows(options, data.table):
            process = stack.enter_context(worker(options.cpu))
            result = Measurement(row.name)
            results.append(result)
            answer = prepare(process, row, workload, data)
            if "error" not in answer and training_workloads.known(workload):
                result.error = settle(process, result, workload, options, tell)
            result.error = answer.get("error", result.error)
            if not result.error:
                result.first_s.append(answer["first_s"])
                ready.append((process, result))
        demands = workloads.demands(workload)
        limit = Measurement(LIMIT)
        if demands:
            probing = stack.enter_context(worker(options.cpu))
        for process, _ in ready:  # warm-up: caches, the clock's frequency, executors that specialise
            process.ask(do="sample", seconds=min(0.2, options.seconds))
        rates: list[list[float]] = []
        for turn in range(options.rounds):
            tell("rounds", turn, options.rounds)
            for number, (process, result) in enumerate(ready):
                if number == 0 and demands and not limit.error:
                    rates.append(in_turns(ready[0], (probing, limit), demands, options))
                else:
                    take(process, result, options.seconds)
        if demands:
            limit.note = "" if limit.error else described(demands, rates)
            results.append(limit)
        return results


def settle(process: BenchWorker, result: Measurement, workload: str, options: BenchOptions, tell: Tell) -> str:
    """Take the steps of a training that come before its samples; the reason if that fails.

    All `options.steps`, or fewer where a training admits it and they take longer than `STEPS_S`.
    """
    training = training_workloads.named(workload)
    of_a_call = training_workloads.steps_of_call(workload)
    calls = math.ceil(options.steps / of_a_call)
    least = math.ceil(min(options.steps, training.least_steps) / of_a_call)
    done, seconds = 0, 0.0
    while done < calls and (done < least or seconds < STEPS_S):
        tell(f"steps of {result.name}", done * of_a_call, calls * of_a_call)
        answer = process.ask(do="steps", count=calls - done if seconds < STEPS_S else least - done, seconds=ASKED_S)
        if "error" in answer:
            return str(answer["error"])
        done += answer["calls"]
        seconds += answer["seconds"]
    answer = process.ask(do="losses")
    if "error" not in answer and not answer["finite"]:
        return f"losses are no longer finite after {done * of_a_call:,} steps"
    result.note = f"after {done * of_a_call:,} steps"
    return str(answer.get("error", ""))


def take(process: BenchWorker, result: Measurement, seconds: float) -> None:
    """Take a round's samples of a row."""
    answer = process.ask(do="sample", seconds=seconds)
    if "error" in answer:
        result.error = result.error or answer["error"]
    else:
        result.rounds.append(answer["samples"])


def in_turns(
    ours: tuple[BenchWorker, Measurement],
    probing: tuple[BenchWorker, Measurement],
    demands: tuple[Demand, ...],
    options: BenchOptions,
) -> list[float]:
    """Take a round's samples of our row and of what limits it; returns how much of each in a second.

    Multiply-adds take turns with our samples within our process: the clock follows the work within milliseconds, falls
    while a kernel multiplies and reads, and recovers while a loop only multiplies. What goes over memory is measured by
    a worker of its own, as it would take our row's place in the caches.
    """
    (process, result), (prober, limit) = ours, probing
    within = [demand for demand in demands if demand.probe.kind == MULTIPLY_ADDS]
    answer = process.ask(do="sample", seconds=options.seconds, limits=[asdict(demand.probe) for demand in within])
    if "error" in answer:
        result.error = result.error or answer["error"]
        return []
    result.rounds.append(answer["samples"])
    beside = iter(answer["limits"])
    least: list[list[float]] = []
    for demand in demands:
        if demand in within:
            answer = next(beside)
        else:
            answer = prober.ask(do="limit", seconds=options.seconds, **asdict(demand.probe))
        if "error" in answer:
            limit.error = limit.error or answer["error"]
            return []
        least.append([seconds / answer["amount"] * demand.amount for seconds in answer["samples"]])
    limit.rounds.append(max(least, key=statistics.median))  # the bottleneck of this round
    return [demand.amount / statistics.median(found) for demand, found in zip(demands, least, strict=True)]


def described(demands: tuple[Demand, ...], rates: list[list[float]]) -> str:
    """Say how fast the core did what limits the workload: medians over the rounds."""
    medians = [statistics.median(rate) for rate in zip(*filter(None, rates), strict=True)]
    return "; ".join(demand.probe.rate(median) for demand, median in zip(demands, medians, strict=True))


def run_first_calls(options: BenchOptions) -> list[Measurement]:
    """Seconds from the model in memory to its first result, each time in a fresh process."""
    with tempfile.TemporaryDirectory() as folder:
        data = workloads.write("first-call", Path(folder))
        chosen = rows(options, data.table)
        results = {row.name: Measurement(row.name) for row in chosen}
        for turn in range(options.rounds):
            for row in chosen:
                result = results[row.name]
                if result.error or (row.slow_start and turn):
                    continue
                with worker(options.cpu) as process:
                    answer = prepare(process, row, "first-call", data)
                if "error" in answer:
                    result.error = answer["error"]
                else:
                    result.first_s.append(answer["first_s"])
                    result.rounds.append([answer["first_s"]])
        return list(results.values())


IMPORTS = ("hybridize", "numpy", "torch", "onnxruntime", "openvino", "ai_edge_litert.interpreter", "jax")


def run_imports(options: BenchOptions) -> list[Measurement]:
    """Seconds of an import, each time in a fresh process with a warm page cache."""
    # Bytecode is written in the round that does not count, as pip writes that of the others when it installs them.
    environment = {**os.environ, **THREADS, **XLA}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    names = [name for name in IMPORTS if importlib.util.find_spec(name.split(".")[0]) is not None]
    results = {name: Measurement(f"import {name}") for name in names}
    for turn in range(options.rounds + 1):  # the first round fills the page cache
        for name in names:
            code = (
                f"import os, time; os.sched_setaffinity(0, {{{options.cpu}}});"
                f"begin = time.perf_counter(); import {name}; print(time.perf_counter() - begin)"
            )
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
            if done.returncode:
                results[name].error = done.stderr.strip().splitlines()[-1][:160]
            elif turn:
                results[name].rounds.append([float(done.stdout.split()[-1])])
    return list(results.values())


def run_memory(options: BenchOptions) -> dict[str, Any]:
    """Resident bytes of a worker around many calls and many shapes; see `hybridize_bench.memory`."""
    with tempfile.TemporaryDirectory() as folder, worker(options.cpu) as process:
        data = workloads.write("mlp-1", Path(folder))
        return process.ask(do="memory", data=str(data.file), calls=options.calls, shapes=options.shapes)


def run_sizes(options: BenchOptions) -> dict[str, Any]:
    """Programs for many batch sizes, and what a size that is not known costs; see `hybridize_bench.sizes`."""
    with worker(options.cpu) as process:
        return process.ask(do="sizes", count=options.sizes)


def run_compile(options: BenchOptions) -> list[Measurement]:
    """First calls of hybridize in fresh processes: nothing cached, then from a disk cache that knows the program."""
    results = [Measurement(name) for name in (*FIRSTS, FROM_DISK)]
    with tempfile.TemporaryDirectory() as folder:
        cached = {"HYBRIDIZE_CACHE": "1", "HYBRIDIZE_CACHE_DIR": folder}
        for turn in range(options.rounds + 1):  # the first round fills the disk cache and the page cache
            for result in results:
                disk = result.name == FROM_DISK
                with worker(options.cpu, cached if disk else {}) as process:
                    answer = process.ask(do="first", model=FIRSTS.get(result.name, "mlp"), loaded=not disk)
                if disk and turn and answer.get("llvm"):
                    answer = {"error": "LLVM was loaded: the disk cache did not serve"}
                if "error" in answer:
                    result.error = answer["error"]
                elif turn:
                    result.rounds.append([answer["first_s"]])
                    result.cpu_s.append(answer["cpu_s"])
    return results


def run_script(workload: str, options: BenchOptions) -> tuple[str, list[Figure]]:
    """Run a program of `SCRIPTS`.

    Returns:
        What it writes, or why it does not run, as Markdown; the figures that it leaves for the goals.
    """
    script = SCRIPTS[workload]
    path = Path(__file__).parents[2] / script.file
    if not path.is_file():
        return f"### {workload}\n\n{script.file} is not here: it comes with a checkout, not with the package\n", []
    command = [sys.executable, str(path), *script.arguments]
    with tempfile.TemporaryDirectory() as folder:
        figures = Path(folder) / "figures.json"
        if script.figures:
            command += ["--cpu", str(options.cpu), "--rounds", str(options.rounds), "--figures", str(figures)]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **XLA, **UNCACHED})
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or ["no message"])[-1][:160]
            return f"### {workload}\n\nfailed: {reason}\n", []
        found = json.loads(figures.read_text()) if script.figures else {}
    text = done.stdout.strip()
    written = f"### {workload}\n\n{text}\n" if "|" in text else f"### {workload}\n\n```text\n{text}\n```\n"
    return written, [Figure(name, value) for name, value in found.items()]
