# SPDX-License-Identifier: Apache-2.0
"""The workloads: what they are called, their data, what must come out, how fast a core can be at best."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hybridize.compiler.limits import Limits
from hybridize.tools import training_workloads
from hybridize.tools.formulas import FORMULAS
from hybridize.tools.peers import F32, Layers
from hybridize.tools.training_workloads import EPOCHS, TRAININGS

SIZES = (512, 256, 128, 2)
"""Widths of the chapter's multilayer perceptron, input first."""
BATCHES = {"mlp-1": 1, "mlp-64": 64, "mlp-1024": 1024}
CALLS = {
    **dict.fromkeys(BATCHES, "512-256-128-2, ReLU, float32, one thread"),
    "call-overhead": "x + 1 on one element",
    **{name: formula.title for name, formula in FORMULAS.items()},
    **{name: training.title for name, training in (TRAININGS | EPOCHS).items()},
}
"""Workloads whose calls are timed, and what they are."""
STARTS = {
    "first-call": "from the model in memory to its first result, compiler loaded, nothing cached",
    "compile": "first calls of hybridize, nothing cached; and from the disk cache, in a process that has it",
    "import": "import, bytecode compiled",
}
"""Workloads that happen once in a process."""
DEPLOYED = {
    "deploy-calls": "an exported library called from C, beside its machine code alone; WebAssembly in Node",
    "deploy-starts": "from a file to the first result, in new processes that have imported what they use",
    "deploy-sizes": "files, and the memory of a process that loads and runs it",
}
"""Workloads of exported programs."""
SCRIPTS = {
    "products": ("benchmarks/products.py", "--markdown"),
    "threads": ("benchmarks/threads.py",),
    "instructions": ("benchmarks/instructions.py",),
    "train-programs": ("benchmarks/recompilations.py",),
}
"""Workloads with a method of their own: programs of a checkout, and what they are started with."""
SEPARATE = ("memory", "train-memory", *SCRIPTS)
"""Run only when they are named: they take minutes."""
WORKLOADS = (*CALLS, *STARTS, "sizes", *DEPLOYED, *SEPARATE)


@dataclass(frozen=True)
class Data:
    """A workload's data on disk, its table in the peers' modules, and what must come out."""

    table: str
    file: Path
    expected: np.ndarray[Any, np.dtype[np.float64]]


def layers_and_input(batch: int) -> tuple[Layers, F32]:
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


def write(workload: str, folder: Path) -> Data:
    """Write the workload's data into `folder`."""
    path = folder / f"{workload}.npz"
    if workload in FORMULAS:
        arrays = FORMULAS[workload].arrays()
        named = {f"x{i}": array for i, array in enumerate(arrays)}
        np.savez(path, allow_pickle=False, **named)
        return Data("FORMULA", path, FORMULAS[workload].expected(arrays))
    if workload in TRAININGS | EPOCHS:
        losses = training_workloads.write(training_workloads.named(workload), path, epoch=workload in EPOCHS)
        return Data(training_workloads.table(workload), path, losses)
    if workload == "call-overhead":
        one = np.ones((1,), np.float32)
        np.savez(path, allow_pickle=False, x=one)
        return Data("ADD_ONE", path, one.astype(np.float64) + 1)
    layers, x = layers_and_input(BATCHES.get(workload, 1))
    weights = {f"weight{i}": weight for i, (weight, _) in enumerate(layers)}
    biases = {f"bias{i}": bias for i, (_, bias) in enumerate(layers)}
    np.savez(path, allow_pickle=False, x=x, **weights, **biases)
    return Data("MLP", path, expected_mlp(layers, x))


def read(table: str, workload: str, path: str) -> tuple[Any, ...]:
    """The arguments of a build of the table, from the parent's file."""
    if table in ("TRAIN", "EPOCH"):
        return training_workloads.named(workload), *training_workloads.read(path)
    with np.load(path) as data:
        if table == "FORMULA":
            return workload, [data[f"x{i}"] for i in range(len(data.files))]
        if table == "ADD_ONE":
            return (data["x"],)
        count = sum(name.startswith("weight") for name in data.files)
        return [(data[f"weight{i}"], data[f"bias{i}"]) for i in range(count)], data["x"]


def limit_s(workload: str, limits: Limits) -> float | None:
    """The least time that a core can take for the workload, in seconds; None where no limit is known.

    Of the perceptron each weight is read once, from the second-level cache that holds them all, and every product is
    computed. Formulas move their arguments and results once, at the speed of reading from the level that holds them;
    their arithmetic is not counted.
    """
    if workload in FORMULAS:
        formula = FORMULAS[workload]
        result = int(np.prod(formula.shapes[0])) if not workload.startswith("sum") else formula.shapes[0][0]
        count = sum(int(np.prod(shape)) for shape in formula.shapes) + result
        return 4 * count / limits.reading(4 * count)[1] / 1e9
    if workload not in BATCHES:
        return None
    products = sum(before * size for before, size in itertools.pairwise(SIZES))
    weight_bytes = 4 * (products + sum(SIZES[1:]))
    flops = 2 * products * BATCHES[workload]
    return max(weight_bytes / limits.l2_gb_per_s, flops / limits.gflops) / 1e9
