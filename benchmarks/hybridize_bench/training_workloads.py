# SPDX-License-Identifier: Apache-2.0
"""The benchmark's trainings: what is trained, on what data, and the losses that must come out, in float64.

A call of a training is one step on the next of a few batches, or an epoch with its loader. Each batch comes again with
other labels, so that no number of steps learns them by heart: gradients stay of the size that they have in earnest.
"""

from __future__ import annotations

import importlib.util
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hybridize.base.loading import load_module
from hybridize_bench import networks
from hybridize_bench.network_gradients import cross_entropy, learned, losses
from hybridize_bench.networks import F64, Network
from hybridize_bench.peers import F32, I32, Batches, Layers, Prepared
from hybridize_bench.sequences.training import LONG_TRAININGS, SEQUENCE_TRAININGS, SequenceTraining

CHECKED = 5
"""Steps whose losses are compared before anything is timed: they depend on all weights, and on what Adam remembers."""
CHECKED_OF_NETWORKS = 3
"""The same of networks: the first depends on the weights, the second on gradients, the third on velocities."""
COUNT = 4
"""Batches, before they come again with other labels."""
BETAS, EPSILON = (0.9, 0.999), 1e-8
"""Adam's, by default, everywhere."""


@dataclass(frozen=True)
class Training:
    """A multilayer perceptron, softmax cross-entropy, and how it is trained."""

    title: str
    sizes: tuple[int, ...]
    """Widths, input first."""
    batch: int
    optimizer: str
    """Either "sgd" or "adam", without momentum and weight decay."""
    rate: float
    least_steps: int = 20_000
    """That come before it is timed, however long they take."""


@dataclass(frozen=True)
class NetworkTraining:
    """A convolutional network, softmax cross-entropy, SGD with momentum; normalizations by the batch."""

    title: str
    make: Callable[[], Network]
    batch: int
    rate: float
    momentum: float = 0.9
    least_steps: int = 20_000
    """That come before it is timed, however long they take."""


CHAPTER = (512, 256, 128, 2)
WIDE = (1024, 1024, 1024, 10)
DIGITS = (64, 256, 128, 10)
DIGIT_COUNT = 1438
"""Of the digits, those to train with."""
TRAININGS = {
    "train-64": Training("a training step of the chapter's MLP, batch 64, SGD", CHAPTER, 64, "sgd", 0.01),
    "train-adam-1": Training("a training step of the chapter's MLP, batch 1, Adam", CHAPTER, 1, "adam", 1e-3),
    "train-adam-256": Training(
        "a training step of the chapter's MLP, batch 256, Adam", CHAPTER, 256, "adam", 1e-3, least_steps=2_000
    ),
    "train-wide": Training(
        "a training step of 1024-1024-1024-10, batch 256, SGD", WIDE, 256, "sgd", 0.01, least_steps=2_000
    ),
}
"""Those whose call is a step."""
NETWORK_TRAININGS = {
    "train-lenet-64": NetworkTraining(
        "a training step of LeNet, 28², batch 64, SGD with momentum", networks.lenet, 64, 0.01, least_steps=1_000
    ),
    "train-resnet18-8": NetworkTraining(
        "a training step of ResNet-18, 224², batch 8, SGD with momentum", networks.resnet18, 8, 1e-3, least_steps=10
    ),
}
"""Those of networks of `tools.networks`, whose call is a step."""
STEPWISE = {
    "imperative-step": Training("a training step of the chapter's MLP, batch 64, SGD", CHAPTER, 64, "sgd", 0.01),
}
"""Those whose call is a step, line by line."""
EPOCHS = {
    "train-digits": Training("an epoch on 1,438 digits, 64-256-128-10, batch 64, SGD", DIGITS, 64, "sgd", 0.1),
}
"""Those whose call is an epoch, with its loader: samples come in the data's order once, shuffled from then on."""
if importlib.util.find_spec("sklearn") is None:  # the digits are in its package
    EPOCHS = {}
AnyTraining = Training | NetworkTraining | SequenceTraining


def every() -> dict[str, AnyTraining]:
    """All trainings by their workloads."""
    return {**TRAININGS, **NETWORK_TRAININGS, **STEPWISE, **EPOCHS, **SEQUENCE_TRAININGS, **LONG_TRAININGS}


def known(workload: str) -> bool:
    """Tell whether the workload is a training."""
    return workload in every()


def table(workload: str) -> str:
    """The table in the peers' modules that has the training."""
    if workload in NETWORK_TRAININGS:
        return "TRAIN_NET"
    if isinstance(named(workload), SequenceTraining):
        return "TRAIN_SEQUENCE"
    return "TRAIN" if workload in TRAININGS else "STEP" if workload in STEPWISE else "EPOCH"


def named(workload: str) -> AnyTraining:
    """The workload's training."""
    return every()[workload]


def steps_of_call(workload: str) -> int:
    """Steps that a call takes: one, or an epoch's."""
    return -(-DIGIT_COUNT // EPOCHS[workload].batch) if workload in EPOCHS else 1


def layers_of(training: Training) -> Layers:
    """Random layers, the same at every run; activations keep the scale of the input."""
    random = np.random.default_rng(0)
    return [
        (
            (random.standard_normal((size, before)) * (2 / before) ** 0.5).astype(np.float32),
            np.zeros(size, np.float32),
        )
        for before, size in itertools.pairwise(training.sizes)
    ]


def arrays(training: Training) -> tuple[Layers, Batches]:
    """Random layers and batches, the same at every run."""
    return layers_of(training), _batches(training.batch, training.sizes[:1], training.sizes[-1])


def _batches(batch: int, shape: tuple[int, ...], classes: int) -> Batches:
    """Samples, the same at every run, twice, the second time with other labels."""
    random = np.random.default_rng(1)
    x: F32 = random.standard_normal((COUNT, batch, *shape)).astype(np.float32)
    y: I32 = random.integers(0, classes, (COUNT, batch)).astype(np.int32)
    return _twice([*zip(x, y, strict=True)], classes)


def _twice(batches: Sequence[tuple[Any, I32]], classes: int) -> list[tuple[Any, I32]]:
    """Batches, and the same with other labels."""
    return [*batches, *((x, (y + 1) % classes) for x, y in batches)]


def expected(training: Training, layers: Layers, batches: Sequence[tuple[F32, I32]]) -> F64:
    """The mean loss of each batch, as they are learnt one after the other."""
    parameters = [array.astype(np.float64) for layer in layers for array in layer]
    return _learnt(training, parameters, lambda x, y: _backward(parameters, x.astype(np.float64), y), batches)


def expected_of_sequences(
    training: SequenceTraining, weights: dict[str, F32], batches: Sequence[tuple[I32, I32]]
) -> F64:
    """The same of a language model."""
    wide = {name: array.astype(np.float64) for name, array in weights.items()}

    def backward(x: I32, y: I32) -> tuple[float, list[F64]]:
        loss, gradients = training.model.backward(wide, x, y)
        return loss, [gradients[name] for name in wide]

    return _learnt(training, [*wide.values()], backward, batches)


def _learnt(
    training: Training | SequenceTraining,
    parameters: list[F64],
    backward: Callable[[Any, I32], tuple[float, list[F64]]],
    batches: Sequence[tuple[Any, I32]],
) -> F64:
    """The mean loss of each batch, while the optimizer changes the parameters in place."""
    update = _adam(training.rate, parameters) if training.optimizer == "adam" else _sgd(training.rate, parameters)
    next(update)
    found = []
    for x, y in batches:
        loss, gradients = backward(x, y)
        found.append(loss)
        update.send(gradients)
    return np.array(found)


def _backward(parameters: Sequence[F64], x: F64, y: I32) -> tuple[float, list[F64]]:
    """The mean loss, and its gradient for weight and bias of each layer."""
    weights, biases = parameters[::2], parameters[1::2]
    values = [x]
    for i, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
        value = values[-1] @ weight.T + bias
        values.append(np.maximum(value, 0) if i < len(weights) - 1 else value)
    loss, gradient = cross_entropy(values.pop(), y)
    gradients: list[F64] = []
    for value, weight in zip(reversed(values), reversed(weights), strict=True):
        gradients[:0] = [gradient.T @ value, gradient.sum(0)]
        gradient = gradient @ weight * (value > 0)
    return loss, gradients


def _sgd(rate: float, parameters: list[F64]) -> Any:
    """Takes gradients, and changes the parameters in place."""
    while True:
        for parameter, gradient in zip(parameters, (yield), strict=True):
            parameter -= rate * gradient


def _adam(rate: float, parameters: list[F64]) -> Any:
    """Takes gradients, and changes the parameters in place."""
    means, squares = ([np.zeros_like(one) for one in parameters] for _ in range(2))
    for t in itertools.count(1):
        for parameter, gradient, mean, square in zip(parameters, (yield), means, squares, strict=True):
            mean += (1 - BETAS[0]) * (gradient - mean)
            square += (1 - BETAS[1]) * (gradient**2 - square)
            parameter -= rate * mean / (1 - BETAS[0] ** t) / (np.sqrt(square / (1 - BETAS[1] ** t)) + EPSILON)


def digits(training: Training) -> tuple[Layers, Batches, Batches]:
    """Random layers, all digits to train with, and their batches in order, of which the last is short."""
    sets = load_module("hybridize.gluon.data.sets")
    x, y = (np.stack(part) for part in zip(*sets.digits(train=True), strict=True))
    cuts = range(training.batch, len(x), training.batch)
    return layers_of(training), [(x, y)], [*zip(np.split(x, cuts), np.split(y, cuts), strict=True)]


def write(training: Training, path: Path, *, epoch: bool = False) -> F64:
    """Write the training's arrays; the losses that must come out."""
    layers, batches, *order = digits(training) if epoch else arrays(training)
    named: dict[str, Any] = {f"weight{i}": weight for i, (weight, _) in enumerate(layers)}
    named |= {f"bias{i}": bias for i, (_, bias) in enumerate(layers)}
    named |= {f"x{i}": x for i, (x, _) in enumerate(batches)} | {f"y{i}": y for i, (_, y) in enumerate(batches)}
    np.savez(path, allow_pickle=False, **named)
    return expected(training, layers, order[0] if order else batches[:CHECKED])


def read(path: str) -> tuple[Layers, Batches]:
    """Read what `write` has written."""
    with np.load(path) as data:
        count = [sum(name.startswith(start) for name in data.files) for start in ("weight", "x")]
        layers = [(data[f"weight{i}"], data[f"bias{i}"]) for i in range(count[0])]
        return layers, [(data[f"x{i}"], data[f"y{i}"]) for i in range(count[1])]


def write_network(training: NetworkTraining, path: Path) -> F64:
    """Write a network's weights and batches; the losses that must come out."""
    network = training.make()
    weights = network.arrays()
    batches = _batches(training.batch, network.image, network.layers[-1].shape[0])
    arrays: dict[str, Any] = {
        f"{number}.{k}": one for number, layer in enumerate(weights) for k, one in enumerate(layer)
    }
    arrays |= {f"x{i}": x for i, (x, _) in enumerate(batches[:COUNT])} | {
        f"y{i}": y for i, (_, y) in enumerate(batches)
    }
    np.savez(path, allow_pickle=False, **arrays)
    return losses(network, weights, batches[:CHECKED_OF_NETWORKS], training.rate, training.momentum)


def read_network(training: NetworkTraining, path: str) -> tuple[list[tuple[F32, ...]], Batches]:
    """Read what `write_network` has written."""
    network = training.make()
    with np.load(path) as data:
        weights = [
            tuple(data[f"{number}.{k}"] for k in range(len(layer.weights)))
            for number, layer in enumerate(network.layers)
        ]
        images = [data[f"x{i}"] for i in range(COUNT)]
        return weights, [(images[i % COUNT], data[f"y{i}"]) for i in range(2 * COUNT)]


def write_sequences(training: SequenceTraining, path: Path) -> F64:
    """Write a language model's weights and batches; the losses that must come out."""
    weights = training.model.arrays()
    batches = _twice(training.tokens(COUNT), training.model.vocabulary)
    arrays: dict[str, Any] = {f"weight.{name}": array for name, array in weights.items()}
    arrays |= {f"x{i}": x for i, (x, _) in enumerate(batches)} | {f"y{i}": y for i, (_, y) in enumerate(batches)}
    np.savez(path, allow_pickle=False, **arrays)
    return expected_of_sequences(training, weights, batches[:CHECKED_OF_NETWORKS])


def read_sequences(path: str) -> tuple[dict[str, F32], Batches]:
    """Read what `write_sequences` has written."""
    with np.load(path) as data:
        named = {name: data[name] for name in data.files}
    weights = {name.removeprefix("weight."): one for name, one in named.items() if name.startswith("weight.")}
    return weights, [(named[f"x{i}"], named[f"y{i}"]) for i in range(2 * COUNT)]


def learned_bytes(training: NetworkTraining) -> int:
    """Those of a network's weights that are learnt."""
    network = training.make()
    return sum(one.nbytes for layer in learned(network, network.arrays()) for one in layer)


def steps(
    step: Callable[..., Any], batches: Sequence[tuple[Any, Any]], number: Callable[[Any], float], checked: int = CHECKED
) -> Prepared:
    """A call that takes a step on the next batch; its result stands for the losses of the first `checked` calls."""
    following = itertools.cycle(batches)

    def call() -> Any:
        return step(*next(following))

    def losses(first: Any) -> F32:
        return np.array([number(first), *(number(call()) for _ in range(checked - 1))], np.float32)

    return Prepared(call, (), losses)


def epochs(step: Callable[..., Any], loaders: Sequence[Any], number: Callable[[Any], float]) -> Prepared:
    """A call that goes over a loader, and reads the loss of each step: over the first loader once, then the last."""
    following = itertools.chain(loaders, itertools.repeat(loaders[-1]))

    def call() -> list[float]:
        return [number(step(x, y)) for x, y in next(following)]

    return Prepared(call, (), lambda losses: np.array(losses, np.float32))
