# SPDX-License-Identifier: Apache-2.0
"""The workloads: what they are called, their data, what must come out, how fast a core can be at best."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hybridize.compiler.limits import MOVING, MULTIPLY_ADDS, READING
from hybridize_bench import networks, training_workloads
from hybridize_bench.convolutions import CONVOLUTIONS
from hybridize_bench.formulas import FORMULAS
from hybridize_bench.networks import NETWORKS
from hybridize_bench.peers import F32, Layers
from hybridize_bench.sequences import inference
from hybridize_bench.sequences.inference import SEQUENCES
from hybridize_bench.sequences.training import SEQUENCE_TRAININGS, SequenceTraining
from hybridize_bench.training_workloads import EPOCHS, NETWORK_TRAININGS, STEPWISE, TRAININGS, NetworkTraining

SIZES = (512, 256, 128, 2)
"""Widths of the chapter's multilayer perceptron, input first."""
BATCHES = {"mlp-1": 1, "mlp-64": 64, "mlp-1024": 1024}
CALLS = {
    **dict.fromkeys(BATCHES, "512-256-128-2, ReLU, float32, one thread"),
    "call-overhead": "x + 1 on one element",
    **{name: formula.title for name, formula in FORMULAS.items()},
    **{name: training.title for name, training in (TRAININGS | STEPWISE | EPOCHS).items()},
    **{name: training.title for name, training in NETWORK_TRAININGS.items()},
    **{name: convolution.title for name, convolution in CONVOLUTIONS.items()},
    **{name: network.title for name, network in NETWORKS.items()},
    **{name: net.title for name, net in SEQUENCES.items()},
    **{name: training.title for name, training in SEQUENCE_TRAININGS.items()},
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


@dataclass(frozen=True)
class Script:
    """A program of a checkout, with a method of its own."""

    file: str
    arguments: tuple[str, ...] = ()
    figures: bool = False
    """It takes --cpu and --rounds, and writes figures for the goals into the file that --figures names, as JSON."""


SCRIPTS = {
    "products": Script("benchmarks/products.py", ("--markdown",), figures=True),
    "weights": Script("benchmarks/weights.py", ("--markdown",), figures=True),
    "convolutions": Script("benchmarks/convolutions.py", ("--markdown",), figures=True),
    "threads": Script("benchmarks/threads.py"),
    "sequence-threads": Script(
        "benchmarks/threads.py", ("--only", "LSTM, 128 to 256", "--only", "Transformer encoder"), figures=True
    ),
    "lengths": Script("benchmarks/lengths.py", ("--markdown",), figures=True),
    "instructions": Script("benchmarks/instructions.py"),
    "train-programs": Script("benchmarks/recompilations.py"),
    **{
        f"torch-{name}": Script("benchmarks/torch_door.py", ("--markdown", "--only", name), figures=True)
        for name in ("first-mlp", "first-bert", "first-resnet18", "call-mlp", "dict", "train-64")
    },
    "torch-load-minilm": Script("benchmarks/torch_load.py", ("--markdown",), figures=True),
    "torch-zoo-30": Script("benchmarks/torch_zoo.py", ("--markdown",), figures=True),
}
SEPARATE = ("memory", "train-memory", "sequence-memory", *SCRIPTS)
"""Run only when they are named: they take minutes."""
WORKLOADS = (*CALLS, *STARTS, "sizes", *DEPLOYED, *SEPARATE)


@dataclass(frozen=True)
class Data:
    """A workload's data on disk, its table in the peers' modules, and what must come out."""

    table: str
    file: Path
    expected: np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class ProbeOf:
    """A loop of `compiler.limits` that does one thing as fast as a core can."""

    kind: str
    nbytes: int = 0
    """Of each array it goes over."""
    inputs: int = 1
    """Arrays that it reads, where it also writes one."""

    def rate(self, of_second: float) -> str:
        """Say in words so many operations, or bytes, of a second.

        >>> ProbeOf(MULTIPLY_ADDS).rate(190e9), ProbeOf(READING, 658_000).rate(150e9)
        ('190 GFLOP/s in multiply-adds', '150 GB/s reading 643 KiB')
        >>> ProbeOf(MOVING, 4 << 20, 2).rate(29.8e9)
        '29.8 GB/s adding two arrays of 4,096 KiB in order'
        """
        value = f"{of_second / 1e9:.3g}"
        if self.kind == MULTIPLY_ADDS:
            return f"{value} GFLOP/s in multiply-adds"
        size = f"{round(self.nbytes / 1024):,} KiB"
        if self.kind == READING:
            return f"{value} GB/s reading {size}"
        return f"{value} GB/s {'copying an array' if self.inputs == 1 else 'adding two arrays'} of {size} in order"


@dataclass(frozen=True)
class Demand:
    """An amount of something that a workload cannot do without, and the loop that does it as fast as a core can."""

    probe: ProbeOf
    amount: float
    """Operations or bytes."""


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
    if workload in CONVOLUTIONS:
        convolution = CONVOLUTIONS[workload]
        x, weight, bias = convolution.arrays()
        np.savez(path, allow_pickle=False, x=x, weight=weight, bias=bias)
        return Data("CONV", path, convolution.expected(x, weight, bias))
    if workload in NETWORKS:
        return Data("NET", path, networks.write(NETWORKS[workload], path))
    if inference.known(workload):
        return Data(inference.named(workload).table, path, inference.write(inference.named(workload), path))
    if training_workloads.known(workload):
        training = training_workloads.named(workload)
        if isinstance(training, SequenceTraining):
            losses = training_workloads.write_sequences(training, path)
        elif isinstance(training, NetworkTraining):
            losses = training_workloads.write_network(training, path)
        else:
            losses = training_workloads.write(training, path, epoch=workload in EPOCHS)
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
    if inference.known(workload):
        return inference.read(inference.named(workload), path)
    if table == "TRAIN_SEQUENCE":
        return training_workloads.named(workload), *training_workloads.read_sequences(path)
    if table == "TRAIN_NET":
        training = NETWORK_TRAININGS[workload]
        return training, *training_workloads.read_network(training, path)
    if table in ("TRAIN", "STEP", "EPOCH"):
        return training_workloads.named(workload), *training_workloads.read(path)
    if table == "NET":
        return networks.read(NETWORKS[workload], path)
    with np.load(path) as data:
        if table == "FORMULA":
            return workload, [data[f"x{i}"] for i in range(len(data.files))]
        if table == "ADD_ONE":
            return (data["x"],)
        if table == "CONV":
            return data["x"], data["weight"], data["bias"]
        count = sum(name.startswith("weight") for name in data.files)
        return [(data[f"weight{i}"], data[f"bias{i}"]) for i in range(count)], data["x"]


def demands(workload: str) -> tuple[Demand, ...]:
    """Return what a core has to do for the workload at least; empty where that is not known.

    Of the perceptron each weight is read once, from the level of memory that keeps them all, and every product is
    computed; the longer of the two is the limit. Formulas read their arguments and write their result once, in order;
    their arithmetic is not counted. Convolutions, and networks of them, compute every product, those with
    the padding included; training them takes each three times, but for the gradient of the images. Networks over
    sequences compute every product, of causal scores those that are seen, and read their weights: those of a recurrent
    layer's state at each step, from the level of memory that keeps them, others once.
    """
    if workload in SEQUENCES:
        return _of_sequences(SEQUENCES[workload])
    if workload in SEQUENCE_TRAININGS:
        return (Demand(ProbeOf(MULTIPLY_ADDS), SEQUENCE_TRAININGS[workload].flops),)
    if workload in CONVOLUTIONS:
        return (Demand(ProbeOf(MULTIPLY_ADDS), CONVOLUTIONS[workload].flops),)
    if workload in NETWORKS:
        return (Demand(ProbeOf(MULTIPLY_ADDS), NETWORKS[workload].batch * NETWORKS[workload].make().flops),)
    if workload in NETWORK_TRAININGS:
        training = NETWORK_TRAININGS[workload]
        return (Demand(ProbeOf(MULTIPLY_ADDS), training.batch * training.make().training_flops),)
    if workload in FORMULAS:
        formula = FORMULAS[workload]
        sizes = [4 * int(np.prod(shape)) for shape in formula.shapes]
        largest = max(sizes)
        if workload.startswith("sum"):
            return (Demand(ProbeOf(READING, largest), largest),)
        inputs = sizes.count(largest)
        return (Demand(ProbeOf(MOVING, largest, inputs), (inputs + 1) * largest),)
    if workload not in BATCHES:
        return ()
    products = sum(before * size for before, size in itertools.pairwise(SIZES))
    weight_bytes = 4 * (products + sum(SIZES[1:]))
    return (
        Demand(ProbeOf(MULTIPLY_ADDS), 2 * products * BATCHES[workload]),
        Demand(ProbeOf(READING, weight_bytes), weight_bytes),
    )


def _of_sequences(net: inference.Net) -> tuple[Demand, ...]:
    flops, (weight_bytes, read_bytes) = inference.products(net), inference.weights(net)
    products = (Demand(ProbeOf(MULTIPLY_ADDS), flops),) if flops else ()
    return products + ((Demand(ProbeOf(READING, weight_bytes), read_bytes),) if weight_bytes else ())
