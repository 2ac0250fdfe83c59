# SPDX-License-Identifier: Apache-2.0
"""The memory of a step of training: each runtime in a process of its own, and what our plan says."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hybridize_bench import workloads
from hybridize_bench.bench import Amount, BenchOptions, BenchWorker, Tell, prepare, rows, silent, worker
from hybridize_bench.deployment import compiled
from hybridize_bench.peers import HYBRIDIZED, Row
from hybridize_bench.sequences.training import LONG_TRAININGS, SEQUENCE_TRAININGS, SequenceTraining
from hybridize_bench.training_workloads import (
    NETWORK_TRAININGS,
    TRAININGS,
    AnyTraining,
    NetworkTraining,
    layers_of,
    learned_bytes,
)
from hybridize_bench.workloads import Data

KEPT = {"MKL_DISABLE_FAST_MM": "1"}
"""Has MKL give back what it would keep for the next product: ours counts as well."""
PLANNED = "as planned"
NOTE = (
    "in all: weights, gradients, what the optimizer remembers, and the most of the C library's memory that a warm step "
    "takes beyond what is held between two of them; beyond: that alone"
)


def run(options: BenchOptions, tell: Tell = silent) -> list[Amount]:
    """For each training and row the most memory of a step, and what the plan says; beyond state. It tells each row
    when that begins.
    """
    found: list[Amount] = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            counter = compiled("peak.c", Path(folder) / "peak.so", options, "-shared", "-fPIC")
        except OSError as failure:
            return [Amount(workload, error=str(failure)) for workload in every()]
        trainings = every()
        for number, (workload, training) in enumerate(trainings.items()):
            tell("what must come out", number, len(trainings))
            data = workloads.write(workload, Path(folder))
            for row in rows(options, data.table):
                tell(row.name, number, len(trainings))
                if workload in LONG_TRAININGS and row.slow_start:  # it would unroll a thousand steps
                    continue
                with worker(options.cpu, {"LD_PRELOAD": str(counter), **KEPT}) as process:
                    found.append(_peak(process, row, workload, training, data))
            tell(PLANNED, number, len(trainings))
            with worker(options.cpu) as process:
                answer = process.ask(do="planned", workload=workload, data=str(data.file))
            found.append(_amount(f"{workload}: {HYBRIDIZED}, {PLANNED}", training, answer))
    return found


def every() -> dict[str, AnyTraining]:
    """The trainings whose memory is asked."""
    return {**TRAININGS, **NETWORK_TRAININGS, **SEQUENCE_TRAININGS, **LONG_TRAININGS}


def state_bytes(training: AnyTraining) -> int:
    """Weights and gradients, and what the optimizer remembers of each."""
    if isinstance(training, NetworkTraining):
        return learned_bytes(training) * 3
    if isinstance(training, SequenceTraining):
        weights = sum(array.nbytes for array in training.model.arrays().values())
    else:
        weights = sum(weight.nbytes + bias.nbytes for weight, bias in layers_of(training))
    return weights * (4 if training.optimizer == "adam" else 2)


def _peak(process: BenchWorker, row: Row, workload: str, training: AnyTraining, data: Data) -> Amount:
    answer = prepare(process, row, workload, data)
    if "error" not in answer:
        answer = process.ask(do="peak")
    return _amount(f"{workload}: {row.name}", training, answer)


def _amount(name: str, training: AnyTraining, answer: dict[str, int]) -> Amount:
    if "error" in answer:
        return Amount(name, error=str(answer["error"]))
    there = state_bytes(training)
    return Amount(name, there + answer["bytes"], there)
