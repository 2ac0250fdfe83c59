# SPDX-License-Identifier: Apache-2.0
"""hybridize itself: Gluon nets and functions, imperative and hybridized."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from hybridize import autograd, hybridize, np, npx, ops
from hybridize.array.operands import operand, result
from hybridize.gluon import data, nn
from hybridize.gluon import loss as losses
from hybridize.gluon.trainer import Trainer
from hybridize_bench import networks
from hybridize_bench.formulas import FORMULAS
from hybridize_bench.networks import Layer, Network
from hybridize_bench.peers import F32, Batches, Layers, Prepared, Start
from hybridize_bench.training_workloads import CHECKED_OF_NETWORKS, NetworkTraining, Training, epochs, steps


def as_numpy(value: Any) -> F32:
    """The array of ours as an array of NumPy's."""
    return value.asnumpy()  # type: ignore[no-any-return]


def load_llvm() -> None:
    """Compile something unrelated: loading LLVM is not part of a model's first call."""
    hybridize(lambda x: x - 3)(np.ones((2,)))


def gluon(layers: Layers) -> nn.HybridSequential:
    """The layers as a net whose shapes are known."""
    net = nn.HybridSequential()
    for i, (weight, _) in enumerate(layers):
        last = i == len(layers) - 1
        net.add(nn.Dense(weight.shape[0], in_units=weight.shape[1], activation=None if last else "relu"))
    net.initialize()
    for i, (weight, bias) in enumerate(layers):
        net[i].weight.set_data(np.array(weight))
        net[i].bias.set_data(np.array(bias))
    return net


def mlp(**keywords: bool) -> Callable[[Layers, F32], Start]:
    """A build of the hybridized net; `keywords` go to `net.hybridize`."""

    def build(layers: Layers, x: F32) -> Start:
        load_llvm()
        net, argument = gluon(layers), np.array(x)

        def start() -> Prepared:
            net.hybridize(**keywords)
            return Prepared(net, (argument,), as_numpy)

        return start

    return build


def archive(layers: Layers, x: F32, path: str) -> None:
    """Write the net's archive."""
    net = gluon(layers)
    net.hybridize()
    net(np.array(x))
    net.save(path)


def file(form: str, *batches: int) -> Callable[[Layers, F32, str], None]:
    """A writer of the net's programs, for the input's batch and others; `path` as `export` takes it."""

    def write(layers: Layers, x: F32, path: str) -> None:
        net: Any = gluon(layers)
        net.hybridize()
        net(np.array(x))
        for batch in batches:
            net(np.ones((batch, x.shape[1])))
        net.export(path, format=form)

    return write


def mlp_imperative(layers: Layers, x: F32) -> Start:
    """The net as it is."""
    net, argument = gluon(layers), np.array(x)
    return lambda: Prepared(net, (argument,), as_numpy)


def add_one(x: Any) -> Any:
    """x + 1, elementwise."""
    return x + 1


def add_one_hybridized(x: F32) -> Start:
    """The function, compiled."""
    load_llvm()
    argument = np.array(x)
    return lambda: Prepared(hybridize(add_one), (argument,), as_numpy)


def add_one_imperative(x: F32) -> Start:
    """The function as it is."""
    argument = np.array(x)
    return lambda: Prepared(add_one, (argument,), as_numpy)


def add_one_block(x: F32) -> Start:
    """A hybridized block whose kernel is one multiplication and one addition: what remains is the block's call."""
    load_llvm()
    argument = np.array(x).reshape(1, 1)
    net = gluon([(x.reshape(1, 1) * 0 + 1, x.reshape(1) * 0 + 1)])

    def start() -> Prepared:
        net.hybridize()
        return Prepared(net, (argument,), lambda value: as_numpy(value).reshape(1))

    return start


OWN: dict[str, Callable[..., Any]] = {
    "pointwise": lambda x, w, b: npx.gelu(npx.layer_norm(x, w, b), "tanh") + x,
    "softmax": lambda x: npx.softmax(x),
}


def formula(name: str, arrays: Sequence[F32], *, hybridized: bool) -> Start:
    """A formula, compiled or as it is."""
    function = OWN.get(name) or FORMULAS[name].of(np)
    arguments = tuple(map(np.array, arrays))
    if not hybridized:
        return lambda: Prepared(function, arguments, as_numpy)
    load_llvm()
    return lambda: Prepared(hybridize(function), arguments, as_numpy)


def convolution(x: F32, weight: F32, bias: F32) -> Start:
    """The operation between two transpositions: the arrays outside are channels-last, as those of the peers are."""
    load_llvm()
    kernel, offsets = np.array(weight), np.array(bias).reshape(1, -1, 1, 1)
    margin = weight.shape[2] // 2

    def function(x: Any) -> Any:
        planes = ops.convolution(operand(np.transpose(x, (0, 3, 1, 2))), operand(kernel), padding=margin)
        return np.transpose(npx.relu(result(planes) + offsets), (0, 2, 3, 1))

    argument = np.array(x)
    return lambda: Prepared(hybridize(function), (argument,), as_numpy)


def step_of(training: Training, layers: Layers) -> Callable[[Any, Any], Any]:
    """A step, imperative, from samples and labels to the mean loss."""
    return stepping(gluon(layers), training.optimizer, {"learning_rate": training.rate})


def network_step_of(training: NetworkTraining, weights: list[tuple[F32, ...]]) -> Callable[[Any, Any], Any]:
    """A step of a network, imperative, from images and labels to the mean loss."""
    return stepping(
        Layers2D(training.make(), weights), "sgd", {"learning_rate": training.rate, "momentum": training.momentum}
    )


def stepping(net: Any, optimizer: str, options: dict[str, float]) -> Callable[[Any, Any], Any]:
    """A step of a net as its users write it."""
    loss_of = losses.SoftmaxCrossEntropyLoss()
    trainer = Trainer(net.collect_params(), optimizer, options)

    def step(x: Any, y: Any) -> Any:
        with autograd.record():
            loss = loss_of(net(x), y)
        loss.backward()
        trainer.step(len(x))
        return loss.mean()

    return step


def train(training: Training, layers: Layers, batches: Batches, *, hybridized: bool) -> Start:
    """Steps, each as one program or imperative."""
    step = step_of(training, layers)
    arrays = [(np.array(x), np.array(y)) for x, y in batches]
    if not hybridized:
        return lambda: steps(step, arrays, float)
    load_llvm()
    return lambda: steps(hybridize(step), arrays, float)


def epoch(training: Training, layers: Layers, batches: Batches, *, hybridized: bool) -> Start:
    """Epochs with a `DataLoader` over an `ArrayDataset`, its steps as one program or imperative."""
    step = step_of(training, layers)
    samples = data.ArrayDataset(*batches[0])
    loaders = [data.DataLoader(samples, training.batch, shuffle=shuffle) for shuffle in (False, True)]
    if not hybridized:
        return lambda: epochs(step, loaders, float)
    load_llvm()
    return lambda: epochs(hybridize(step), loaders, float)


MLP = {"hybridized": mlp(), "frozen": mlp(freeze=True), "imperative": mlp_imperative}
ADD_ONE = {"hybridized": add_one_hybridized, "imperative": add_one_imperative, "block": add_one_block}
FORMULA = {
    "hybridized": functools.partial(formula, hybridized=True),
    "imperative": functools.partial(formula, hybridized=False),
}
TRAIN = {
    "hybridized": functools.partial(train, hybridized=True),
    "imperative": functools.partial(train, hybridized=False),
}
STEP = {"imperative": functools.partial(train, hybridized=False)}


class Layers2D(nn.HybridBlock):
    """A network of `tools.networks`, of Gluon's own layers."""

    def __init__(self, network: Network, weights: list[tuple[F32, ...]]) -> None:
        super().__init__()
        self._network = network
        for number, (layer, arrays) in enumerate(zip(network.layers, weights, strict=True)):
            part = _part(layer, network.shape(layer.inputs[0]))
            setattr(self, f"part{number}", part)
            if part is not None:
                part.initialize()
                for parameter, array in zip(part.collect_params().values(), arrays, strict=True):
                    parameter.set_data(np.array(array))

    def forward(self, x: Any) -> Any:
        values = [x]
        for number, layer in enumerate(self._network.layers):
            inputs, part = [values[one] for one in layer.inputs], getattr(self, f"part{number}")
            values.append(_FUNCTIONS[layer.kind](*inputs) if part is None else part(*inputs))
        return values[-1]


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    networks.RELU: npx.relu,
    networks.RELU6: lambda x: np.clip(x, 0, 6),
    networks.MEAN: lambda x: x.mean((2, 3)),
    networks.ADD: np.add,
    networks.JOIN: lambda *xs: np.concatenate(xs, 1),
}


def _part(layer: Layer, shape: tuple[int, ...]) -> Any:
    """The block of a layer; None where it is a function."""
    size, stride, padding = layer.kernel, layer.stride, layer.padding
    match layer.kind:
        case networks.CONVOLUTION:
            bias, groups = len(layer.weights) > 1, layer.groups
            return nn.Conv2D(layer.shape[0], size, stride, padding, groups=groups, use_bias=bias, in_channels=shape[0])
        case networks.NORMALIZATION:
            return nn.BatchNorm(epsilon=networks.EPSILON, in_channels=shape[0])
        case networks.MAX_POOL:
            return nn.MaxPool2D(size, stride, padding)
        case networks.AVERAGE_POOL:
            return nn.AvgPool2D(size, stride, padding)
        case networks.DENSE:
            return nn.Dense(layer.shape[0], in_units=int(numpy.prod(shape)))
    return None


def network(network: Network, weights: list[tuple[F32, ...]], x: F32, **keywords: bool) -> Start:
    """The network, hybridized; `keywords` go to `net.hybridize`."""
    load_llvm()
    net, argument = Layers2D(network, weights), np.array(x)

    def start() -> Prepared:
        net.hybridize(**keywords)
        return Prepared(net, (argument,), as_numpy)

    return start


def train_network(
    training: NetworkTraining, weights: list[tuple[F32, ...]], batches: Batches, **keywords: bool
) -> Start:
    """Steps of a network, each as one program; `keywords` go to `hybridize`."""
    load_llvm()
    step = network_step_of(training, weights)
    arrays = [(np.array(x), np.array(y)) for x, y in batches]
    return lambda: steps(hybridize(step, **keywords), arrays, float, CHECKED_OF_NETWORKS)


CONV = {"hybridized": convolution}
TRAIN_NET = {"hybridized": train_network, "winograd": functools.partial(train_network, winograd=True)}
NET = {"hybridized": network, "winograd": functools.partial(network, winograd=True)}
EPOCH = {
    "hybridized": functools.partial(epoch, hybridized=True),
    "imperative": functools.partial(epoch, hybridized=False),
}
FILE = {
    "archive": archive,
    "library": file("library"),
    "any batch": file("library", 64, 32),
    "wasm": file("wasm"),
}
