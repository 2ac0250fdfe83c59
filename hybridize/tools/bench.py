# SPDX-License-Identifier: Apache-2.0
"""The benchmark: one worker process for each runtime, asked in turn for short samples, so that the runs interleave.

What slows the machine for a while slows every row of that round alike; ratios are formed within a round, and the
median over the rounds is reported. Outputs are compared with NumPy in float64 before anything is timed.
"""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import select
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hybridize.compiler.limits import Limits
from hybridize.tools.peers import BLOCK, F32, HYBRIDIZED, IMPERATIVE, ROWS, Layers, Row

SIZES = (512, 256, 128, 2)
"""Widths of the chapter's multilayer perceptron, input first."""
BATCHES = {"mlp-1": 1, "mlp-64": 64, "mlp-1024": 1024}
WORKLOADS = (*BATCHES, "call-overhead", "first-call", "import", "memory")
TOLERANCE = 1e-4
"""Largest admitted max|y - y64| / max(1, max|y64|)."""
PATIENCE_S = 300.0
"""A worker that does not answer for so long is given up."""
THREADS = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS", "BLIS")}
XLA = {"XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false", "JAX_PLATFORMS": "cpu"}


@dataclass(frozen=True)
class Options:
    """How long, and where, to measure."""

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


@dataclass
class Result:
    """One row of one workload."""

    name: str
    rounds: list[list[float]] = field(default_factory=list)
    """Seconds of a call, samples by round."""
    first_s: list[float] = field(default_factory=list)
    """Seconds from the model in memory to its first result."""
    error: str = ""
    """Why there are no figures."""

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

    def ratio(self, other: Result) -> float:
        """This row's time over the other's: median over the rounds of the ratio within the round."""
        return statistics.median(a / b for a, b in zip(self.medians, other.medians, strict=True))


class Worker:
    """A runtime's process; see `hybridize.tools.worker` for what it answers."""

    def __init__(self, cpu: int) -> None:
        # Errors that a runtime prints on its way down are kept for the message.
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed in `close`
        self._process = subprocess.Popen(
            [sys.executable, "-m", "hybridize.tools.worker", str(cpu)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env={**os.environ, **THREADS, **XLA, "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1"},
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
        patience = None if request["do"] == "memory" else PATIENCE_S
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
def worker(cpu: int) -> Iterator[Worker]:
    """A worker for the body of a `with` statement."""
    process = Worker(cpu)
    try:
        yield process
    finally:
        process.close()


def limits(options: Options) -> Limits:
    """What one core can do, measured in a worker."""
    with worker(options.cpu) as process:
        answer = process.ask(do="limits", seconds=options.seconds)
    if "error" in answer:
        raise OSError(answer["error"])
    return Limits(**answer)


def wanted(row: Row, options: Options) -> bool:
    """Whether `options.only` names the row; the hybridized one is always wanted, because the ratios need it."""
    return not options.only or row.name == HYBRIDIZED or any(part.lower() in row.name.lower() for part in options.only)


def rows(options: Options, *, table: str) -> list[Row]:
    """The rows that this environment can run, hybridized first."""
    return [
        row
        for row in ROWS
        if (row.mlp if table == "MLP" else row.adds_one)
        and importlib.util.find_spec(row.package) is not None
        and wanted(row, options)
    ]


def data(batch: int) -> tuple[Layers, F32]:
    """Random layers and input, the same at every run; activations keep the scale of the input."""
    random = np.random.default_rng(0)
    layers = [
        (
            (random.standard_normal((size, before)) * (2 / before) ** 0.5).astype(np.float32),
            random.standard_normal(size).astype(np.float32),
        )
        for before, size in itertools.pairwise(SIZES)
    ]
    return layers, random.standard_normal((batch, SIZES[0])).astype(np.float32)


def expected_mlp(layers: Layers, x: F32) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The perceptron's output in float64."""
    value = x.astype(np.float64)
    for i, (weight, bias) in enumerate(layers):
        value = value @ weight.T.astype(np.float64) + bias
        if i < len(layers) - 1:
            value = np.maximum(value, 0)
    return value


@dataclass(frozen=True)
class Case:
    """A workload's data on disk, its table in the peers' modules, and what must come out."""

    table: str
    data_file: Path
    expected: np.ndarray[Any, np.dtype[np.float64]]

    def prepare(self, process: Worker, row: Row) -> dict[str, Any]:
        """Make the row ready in its worker and check its output; {"first_s"} or {"error"}."""
        result = self.data_file.with_name(f"result-{ROWS.index(row)}.npy")
        answer = process.ask(
            do="prepare",
            module=row.module,
            mode=row.mode,
            table=self.table,
            data=str(self.data_file),
            result=str(result),
        )
        if "error" in answer:
            return answer
        found = np.load(result)
        if found.shape != self.expected.shape:
            return {"error": f"wrong shape {found.shape}, expected {self.expected.shape}"}
        error = np.abs(found - self.expected).max() / max(1.0, np.abs(self.expected).max())
        # `not <=` rather than `>`: NaN has to fail.
        return answer if error <= TOLERANCE else {"error": f"wrong result: differs by {error:.1e}"}


def case(workload: str, folder: Path) -> Case:
    """Write the workload's data into `folder`."""
    layers, x = data(BATCHES.get(workload, 1))
    table = "ADD_ONE" if workload == "call-overhead" else "MLP"
    if table == "ADD_ONE":
        x = np.ones((1,), np.float32)
    path = folder / f"{workload}.npz"
    weights = {f"weight{i}": weight for i, (weight, _) in enumerate(layers)}
    biases = {f"bias{i}": bias for i, (_, bias) in enumerate(layers)}
    np.savez(path, allow_pickle=False, x=x, **weights, **biases)
    return Case(table, path, x.astype(np.float64) + 1 if table == "ADD_ONE" else expected_mlp(layers, x))


def run_calls(workload: str, options: Options) -> list[Result]:
    """Time the calls of a workload; rows that fail say why and do not stop the others."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        this = case(workload, folder)
        results: list[Result] = []
        ready: list[tuple[Worker, Result]] = []
        for row in rows(options, table=this.table):
            process = stack.enter_context(worker(options.cpu))
            result = Result(row.name)
            results.append(result)
            answer = this.prepare(process, row)
            if "error" in answer:
                result.error = answer["error"]
                continue
            result.first_s.append(answer["first_s"])
            ready.append((process, result))
        for process, _ in ready:  # warm-up: caches, the clock's frequency, executors that specialise
            process.ask(do="sample", seconds=min(0.2, options.seconds))
        for _ in range(options.rounds):
            for process, result in ready:
                answer = process.ask(do="sample", seconds=options.seconds)
                if "error" in answer:
                    result.error = result.error or answer["error"]
                else:
                    result.rounds.append(answer["samples"])
        return results


def run_first_calls(options: Options) -> list[Result]:
    """Seconds from the model in memory to its first result, each time in a fresh process."""
    with tempfile.TemporaryDirectory() as folder:
        this = case("first-call", Path(folder))
        chosen = rows(options, table=this.table)
        results = {row.name: Result(row.name) for row in chosen}
        for turn in range(options.rounds):
            for row in chosen:
                result = results[row.name]
                if result.error or (row.slow_start and turn):
                    continue
                with worker(options.cpu) as process:
                    answer = this.prepare(process, row)
                if "error" in answer:
                    result.error = answer["error"]
                else:
                    result.first_s.append(answer["first_s"])
                    result.rounds.append([answer["first_s"]])
        return list(results.values())


IMPORTS = ("hybridize", "numpy", "torch", "onnxruntime", "openvino", "ai_edge_litert.interpreter", "jax")


def run_imports(options: Options) -> list[Result]:
    """Seconds of an import, each time in a fresh process with a warm page cache."""
    # Bytecode is written in the round that does not count, as pip writes that of the others when it installs them.
    environment = {**os.environ, **THREADS, **XLA}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    names = [name for name in IMPORTS if importlib.util.find_spec(name.split(".")[0]) is not None]
    results = {name: Result(f"import {name}") for name in names}
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


def run_memory(options: Options) -> dict[str, Any]:
    """Resident bytes of a worker around many calls and many shapes; see `hybridize.tools.memory`."""
    with tempfile.TemporaryDirectory() as folder, worker(options.cpu) as process:
        this = case("mlp-1", Path(folder))
        return process.ask(do="memory", data=str(this.data_file), calls=options.calls, shapes=options.shapes)


def limit_s(workload: str, limit: Limits) -> float | None:
    """The least time that a core can take for the workload, in seconds; None where no limit is known.

    Each weight is read once, from the second-level cache that holds them all, and every product is computed.
    """
    if workload not in BATCHES:
        return None
    products = sum(before * size for before, size in itertools.pairwise(SIZES))
    weight_bytes = 4 * (products + sum(SIZES[1:]))
    flops = 2 * products * BATCHES[workload]
    return max(weight_bytes / limit.l2_gb_per_s, flops / limit.gflops) / 1e9


@dataclass(frozen=True)
class Goal:
    """A ratio that a workload has to reach: the time of `ours` over that of the best of `against`."""

    workload: str
    ours: str
    against: tuple[str, ...]
    must: float
    aim: float


GOALS = (
    Goal("mlp-1", HYBRIDIZED, ("LiteRT set+invoke+get",), 0.75, 0.65),
    Goal("mlp-1", HYBRIDIZED, ("TorchScript frozen",), 0.25, 0.2),
    Goal("mlp-1", IMPERATIVE, ("PyTorch eager",), 0.6, 0.5),
    Goal(
        "mlp-64",
        HYBRIDIZED,
        ("ONNX Runtime io_binding", "ONNX Runtime run", "OpenVINO infer(bound)", "TorchScript frozen"),
        1.0,
        0.9,
    ),
)


@dataclass(frozen=True)
class Bound:
    """A time that a row has to stay under, in seconds."""

    workload: str
    row: str
    must_s: float
    aim_s: float


BOUNDS = (
    Bound("call-overhead", HYBRIDIZED, 300e-9, 300e-9),
    Bound("call-overhead", BLOCK, 1e-6, 1e-6),
    Bound("first-call", HYBRIDIZED, 0.08, 0.04),
    Bound("import", "import hybridize", 0.25, 0.2),
)


def reached(goal: Goal, results: Sequence[Result]) -> tuple[str, float] | None:
    """The best of the goal's peers and our ratio to it; None where a row is missing."""
    by_name = {result.name: result for result in results if result.rounds and not result.error}
    peers = [by_name[name] for name in goal.against if name in by_name]
    if goal.ours not in by_name or not peers:
        return None
    best = min(peers, key=lambda result: result.median)
    return best.name, by_name[goal.ours].ratio(best)
