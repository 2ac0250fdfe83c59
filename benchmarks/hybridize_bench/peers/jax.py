# SPDX-License-Identifier: Apache-2.0
"""JAX: jit with the weights as constants, which is its cheapest call; blocked on, because dispatch is asynchronous."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hybridize_bench import networks
from hybridize_bench.formulas import FORMULAS
from hybridize_bench.network_gradients import learned
from hybridize_bench.networks import Layer, Network
from hybridize_bench.peers import F32, Batches, Layers, Prepared, Start
from hybridize_bench.sequences.training import SequenceTraining
from hybridize_bench.training_workloads import (
    BETAS,
    CHECKED,
    CHECKED_OF_NETWORKS,
    EPSILON,
    NetworkTraining,
    Training,
    steps,
)


def load_compiler() -> None:
    """Compile something unrelated: starting XLA is not part of a model's first call."""
    jax.jit(lambda x: x - 3)(jnp.ones(2)).block_until_ready()


def prepare(function: Any, *arrays: F32) -> Start:
    """The function under jit."""
    load_compiler()
    arguments = tuple(map(jnp.asarray, arrays))

    def start() -> Prepared:
        fast = jax.jit(function)
        return Prepared(lambda *xs: fast(*xs).block_until_ready(), arguments, np.asarray)

    return start


def mlp(layers: Layers, x: F32) -> Start:
    """The layers as a function that closes over its weights."""
    weights = [(jnp.asarray(weight.T), jnp.asarray(bias)) for weight, bias in layers]

    def net(x: Any) -> Any:
        for weight, bias in weights[:-1]:
            x = jnp.maximum(x @ weight + bias, 0)
        weight, bias = weights[-1]
        return x @ weight + bias

    return prepare(net, x)


def add_one(x: F32) -> Start:
    """x + 1."""
    return prepare(lambda x: x + 1, x)


def pointwise(x: Any, w: Any, b: Any) -> Any:
    """As its users write it."""
    y = (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5) * w + b
    return jax.nn.gelu(y, approximate=True) + x


OWN: dict[str, Callable[..., Any]] = {"pointwise": pointwise, "softmax": jax.nn.softmax}


def function(name: str) -> Any:
    """A formula: in JAX's own words, where it has some."""
    return OWN.get(name) or FORMULAS[name].of(jnp)


def formula(name: str, arrays: Sequence[F32]) -> Start:
    """A formula under jit."""
    return prepare(function(name), *arrays)


def convolution(x: F32, weight: F32, bias: F32) -> Start:
    """The operation and its ReLU, channels last, the weight a constant."""
    kernel, offsets = jnp.asarray(weight.transpose(2, 3, 1, 0)), jnp.asarray(bias)

    def function(x: Any) -> Any:
        layout = ("NHWC", "HWIO", "NHWC")
        return jax.nn.relu(jax.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=layout) + offsets)

    return prepare(function, x)


def network_of(network: Network, seen: list[Any] | None = None) -> Callable[[Any, Any], Any]:
    """The network as a function of its weights and images [batch, height, width, channel].

    Convolution weights are [height, width, in, out], as `arranged` makes them. For training, `seen` takes the mean and
    variance of the batch at each normalization, which are used then.
    """

    def windows(layer: Layer, x: Any, start: float, combine: Any) -> Any:
        size, steps = (1, layer.kernel, layer.kernel, 1), (1, layer.stride, layer.stride, 1)
        sides = ((0, 0), (layer.padding,) * 2, (layer.padding,) * 2, (0, 0))
        return jax.lax.reduce_window(x, start, combine, size, steps, sides)

    def apply(layer: Layer, arrays: Any, xs: list[Any]) -> Any:
        x = xs[0]
        match layer.kind:
            case networks.CONVOLUTION:
                y = jax.lax.conv_general_dilated(
                    x,
                    arrays[0],
                    (layer.stride,) * 2,
                    ((layer.padding,) * 2,) * 2,
                    dimension_numbers=("NHWC", "HWIO", "NHWC"),
                    feature_group_count=layer.groups,
                )
                return y + arrays[1] if len(arrays) > 1 else y
            case networks.NORMALIZATION:
                gamma, beta, *running = arrays
                mean, variance = running if seen is None else (x.mean((0, 1, 2)), x.var((0, 1, 2)))
                if seen is not None:
                    seen.append((mean, variance))
                return (x - mean) * (gamma / jnp.sqrt(variance + networks.EPSILON)) + beta
            case networks.MAX_POOL:
                return windows(layer, x, -jnp.inf, jax.lax.max)
            case networks.AVERAGE_POOL:
                return windows(layer, x, 0.0, jax.lax.add) / layer.kernel**2
            case networks.DENSE:
                return x.reshape(len(x), -1) @ arrays[0] + arrays[1]
            case networks.MEAN:
                return x.mean((1, 2))
            case networks.ADD:
                return x + xs[1]
            case networks.JOIN:
                return jnp.concatenate(xs, 3)
        return jnp.clip(x, 0, None if layer.kind == networks.RELU else 6)

    def function(weights: Any, x: Any) -> Any:
        values = [x]
        for layer, arrays in zip(network.layers, weights, strict=True):
            values.append(apply(layer, arrays, [values[one] for one in layer.inputs]))
        return values[-1]

    return function


def arranged(network: Network, weights: list[tuple[F32, ...]]) -> list[tuple[Any, ...]]:
    """The weights as `network_of` takes them: a dense layer after an image reads its channels last."""
    found = []
    for layer, arrays in zip(network.layers, weights, strict=True):
        first = arrays[:1]
        if layer.kind == networks.CONVOLUTION:
            first = (arrays[0].transpose(2, 3, 1, 0),)
        elif layer.kind == networks.DENSE:
            shape = network.shape(layer.inputs[0])
            axes = (*range(2, len(shape) + 1), 1, 0)
            first = (arrays[0].reshape(-1, *shape).transpose(axes).reshape(-1, len(arrays[0])),)
        found.append(tuple(jnp.asarray(one) for one in (*first, *arrays[1:])))
    return found


def network(network: Network, weights: list[tuple[F32, ...]], x: F32) -> Start:
    """The network, its weights constants."""
    function, constants = network_of(network), arranged(network, weights)
    return prepare(lambda x: function(constants, x), np.ascontiguousarray(x.transpose(0, 2, 3, 1)))


def updated(training: Training | SequenceTraining, parameters: Any, gradients: Any, slots: Any) -> tuple[Any, Any]:
    """Parameters and what the optimizer remembers, after a step."""
    each = jax.tree.map
    if training.optimizer == "sgd":
        return each(lambda w, g: w - training.rate * g, parameters, gradients), slots
    mean, square, t = slots
    t = t + 1
    mean = each(lambda m, g: BETAS[0] * m + (1 - BETAS[0]) * g, mean, gradients)
    square = each(lambda v, g: BETAS[1] * v + (1 - BETAS[1]) * g * g, square, gradients)

    def move(w: Any, m: Any, v: Any) -> Any:
        root = jnp.sqrt(v / (1 - BETAS[1] ** t)) + EPSILON
        return w - training.rate * (m / (1 - BETAS[0] ** t)) / root

    return each(move, parameters, mean, square), (mean, square, t)


def stepping(step: Callable[..., Any], first: Sequence[Any], batches: Sequence[Any], checked: int = CHECKED) -> Start:
    """Steps of a function of state and a batch that gives the loss and the new state, written into the old one's place.

    Args:
        step: `step(*state, x, y)` gives the loss, then the new state.
        first: the state before the first step.
        batches: pairs x, y.
        checked: so many losses are compared with those of others.
    """

    def start() -> Prepared:
        fast = jax.jit(step, donate_argnums=tuple(range(len(first))))
        state = list(first)

        def call(x: Any, y: Any) -> Any:
            loss, *state[:] = fast(*state, x, y)
            return loss.block_until_ready()

        return steps(call, batches, float, checked)

    return start


def train(training: Training, layers: Layers, batches: Batches) -> Start:
    """Steps: value_and_grad and update in one jit, which may write into the memory of the old parameters."""
    load_compiler()
    parameters = [(jnp.asarray(weight.T), jnp.asarray(bias)) for weight, bias in layers]
    zeros = [jax.tree.map(jnp.zeros_like, parameters) for _ in range(2)]
    slots: Any = (*zeros, jnp.zeros((), jnp.float32)) if training.optimizer == "adam" else ()
    arrays = [(jnp.asarray(x), jnp.asarray(y)) for x, y in batches]

    def loss_of(parameters: Any, x: Any, y: Any) -> Any:
        for weight, bias in parameters[:-1]:
            x = jnp.maximum(x @ weight + bias, 0)
        weight, bias = parameters[-1]
        scores = jax.nn.log_softmax(x @ weight + bias)
        return -jnp.take_along_axis(scores, y[:, None], 1).mean()

    def step(parameters: Any, slots: Any, x: Any, y: Any) -> Any:
        loss, gradients = jax.value_and_grad(loss_of)(parameters, x, y)
        return loss, *updated(training, parameters, gradients, slots)

    return stepping(step, [parameters, slots], arrays)


def train_network(training: NetworkTraining, weights: list[tuple[F32, ...]], batches: Batches) -> Start:
    """Steps of a network: value_and_grad, update and running statistics in one jit, into the memory of the old ones."""
    load_compiler()
    network = training.make()
    placed = arranged(network, weights)
    parameters = learned(network, placed)
    running = [arrays[2:] for layer, arrays in zip(network.layers, placed, strict=True) if len(arrays) > 2]
    arrays = [(jnp.asarray(np.ascontiguousarray(x.transpose(0, 2, 3, 1))), jnp.asarray(y)) for x, y in batches]
    each = jax.tree.map

    def loss_of(parameters: Any, x: Any, y: Any) -> Any:
        seen: list[Any] = []
        scores = jax.nn.log_softmax(network_of(network, seen)(parameters, x))
        return -jnp.take_along_axis(scores, y[:, None], 1).mean(), seen

    def step(parameters: Any, velocities: Any, running: Any, x: Any, y: Any) -> Any:
        (loss, seen), gradients = jax.value_and_grad(loss_of, has_aux=True)(parameters, x, y)
        velocities = each(lambda v, g: training.momentum * v + g, velocities, gradients)
        parameters = each(lambda w, v: w - training.rate * v, parameters, velocities)
        return loss, parameters, velocities, each(lambda old, new: 0.9 * old + 0.1 * new, running, seen)

    return stepping(step, [parameters, each(jnp.zeros_like, parameters), running], arrays, CHECKED_OF_NETWORKS)


MLP = {"jit": mlp}
FORMULA = {"jit": formula}
ADD_ONE = {"jit": add_one}
CONV = {"jit": convolution}
NET = {"jit": network}
TRAIN = {"jit": train}
TRAIN_NET = {"jit": train_network}
