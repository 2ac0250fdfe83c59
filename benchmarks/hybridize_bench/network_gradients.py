# SPDX-License-Identifier: Apache-2.0
"""The benchmark's networks in training, in float64: losses, and gradients layer by layer.

The reference that every runtime's first steps are compared with. A normalization takes the statistics of its batch;
the running ones, which no loss depends on, are left as they are. Images are [channel, batch, height, width] in here:
products of matrices then take them without a transposition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hybridize_bench import networks
from hybridize_bench.networks import EPSILON, F64, Layer, Network
from hybridize_bench.peers import F32, I32

Gradients = list[list[F64]]
"""For each layer those of its weights; of a normalization, those of gamma and beta."""
Back = Callable[[F64], tuple[list[F64], list[F64]]]
"""From the gradient of a layer's result to those of its inputs, and of its weights."""
LEARNED = {networks.CONVOLUTION: 2, networks.NORMALIZATION: 2, networks.DENSE: 2}
"""The most arrays of a layer that are learnt; a normalization's others are its running statistics."""


def learned(network: Network, weights: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """The arrays of each layer that are learnt."""
    return [list(arrays[: LEARNED.get(layer.kind, 0)]) for layer, arrays in zip(network.layers, weights, strict=True)]


def losses(
    network: Network, weights: list[tuple[F32, ...]], batches: Sequence[tuple[F32, I32]], rate: float, momentum: float
) -> F64:
    """The mean cross-entropy of each batch, as they are learnt one after the other by SGD with momentum."""
    parameters = [[one.astype(np.float64) for one in arrays] for arrays in learned(network, weights)]
    velocities = [[np.zeros_like(one) for one in arrays] for arrays in parameters]
    found = []
    for x, y in batches:
        loss, gradients = backward(network, parameters, x.astype(np.float64), y)
        found.append(loss)
        for layer in zip(parameters, velocities, gradients, strict=True):
            for parameter, velocity, gradient in zip(*layer, strict=True):
                velocity *= momentum
                velocity += gradient
                parameter -= rate * velocity
    return np.array(found)


def backward(network: Network, parameters: list[list[F64]], x: F64, y: I32) -> tuple[float, Gradients]:
    """The mean loss, and its gradients."""
    values, backs = [x.swapaxes(0, 1)], []
    for layer, arrays in zip(network.layers, parameters, strict=True):
        value, back = _RULES[layer.kind](layer, arrays, [values[one] for one in layer.inputs])
        values.append(value)
        backs.append(back)
    loss, gradient = cross_entropy(values.pop(), y)
    waiting: dict[int, F64] = {len(values): gradient}
    found: Gradients = []
    for number in range(len(network.layers), 0, -1):
        layer, back = network.layers[number - 1], backs.pop()
        of_inputs, of_weights = back(waiting.pop(number))
        found.append(of_weights)
        for one, part in zip(layer.inputs, of_inputs, strict=True):
            waiting[one] = waiting[one] + part if one in waiting else part
    return loss, found[::-1]


def cross_entropy(scores: F64, y: I32) -> tuple[float, F64]:
    """Return the mean cross entropy of labels and the softmax of scores, and its gradient by the scores."""
    logarithms = scores - scores.max(1, keepdims=True)
    logarithms -= np.log(np.exp(logarithms).sum(1, keepdims=True))
    rows = np.arange(len(y))
    gradient = np.exp(logarithms)
    gradient[rows, y] -= 1
    return float(-logarithms[rows, y].mean()), gradient / len(y)


def _part(array: F64, layer: Layer, i: int, j: int) -> F64:
    """The elements of a padded image at place (i, j) of each window, as a view."""
    rows, columns = (layer.stride * (size - 1) + 1 for size in layer.shape[1:])
    return array[:, :, i : i + rows : layer.stride, j : j + columns : layer.stride]


def _padded(x: F64, layer: Layer, around: float) -> F64:
    p = layer.padding
    return np.pad(x, ((0, 0), (0, 0), (p, p), (p, p)), constant_values=around)


def _middle(x: F64, layer: Layer) -> F64:
    """An image without its padding."""
    p = layer.padding
    return x[:, :, p : x.shape[2] - p, p : x.shape[3] - p]


def _window(layer: Layer) -> list[tuple[int, int]]:
    return [(i, j) for i in range(layer.kernel) for j in range(layer.kernel)]


def _grouped(x: F64, groups: int) -> F64:
    """[group, channel, everything else], a copy where the image is a part of another."""
    return x.reshape(groups, len(x) // groups, -1)


def _convolution(layer: Layer, arrays: list[F64], inputs: list[F64]) -> tuple[F64, Back]:
    x, (weight, *bias), g = inputs[0], arrays, layer.groups
    padded, taps = _padded(x, layer, 0.0), _window(layer)
    parted = weight.reshape(g, -1, *weight.shape[1:])
    total = sum(parted[..., i, j] @ _grouped(_part(padded, layer, i, j), g) for i, j in taps)
    value = np.asarray(total).reshape(len(weight), x.shape[1], *layer.shape[1:])

    def back(gradient: F64) -> tuple[list[F64], list[F64]]:
        of_padded, of_weight, above = np.zeros_like(padded), np.empty_like(parted), _grouped(gradient, g)
        for i, j in taps:
            place = _part(of_padded, layer, i, j)
            of_weight[..., i, j] = above @ _grouped(_part(padded, layer, i, j), g).swapaxes(1, 2)
            below = parted[..., i, j].swapaxes(1, 2) @ above
            place += below.reshape(place.shape)
        of_bias = [gradient.sum((1, 2, 3))] if bias else []
        return [_middle(of_padded, layer)], [of_weight.reshape(weight.shape), *of_bias]

    return (value + bias[0].reshape(-1, 1, 1, 1) if bias else value), back


def _normalization(layer: Layer, arrays: list[F64], inputs: list[F64]) -> tuple[F64, Back]:
    x, (gamma, beta) = inputs[0], (one.reshape(-1, 1, 1, 1) for one in arrays)
    over = (1, 2, 3)
    centred = x - x.mean(over, keepdims=True)
    scale = 1 / np.sqrt((centred**2).mean(over, keepdims=True) + EPSILON)
    normal = centred * scale

    def back(gradient: F64) -> tuple[list[F64], list[F64]]:
        above = gradient * gamma
        rest = above.mean(over, keepdims=True) + normal * (above * normal).mean(over, keepdims=True)
        return [scale * (above - rest)], [(gradient * normal).sum(over), gradient.sum(over)]

    return normal * gamma + beta, back


def _dense(layer: Layer, arrays: list[F64], inputs: list[F64]) -> tuple[F64, Back]:
    x, (weight, bias) = inputs[0], arrays
    first = x.swapaxes(0, 1) if x.ndim > 2 else x
    flat = first.reshape(len(first), -1)

    def back(gradient: F64) -> tuple[list[F64], list[F64]]:
        below = (gradient @ weight).reshape(first.shape)
        return [below.swapaxes(0, 1) if x.ndim > 2 else below], [gradient.T @ flat, gradient.sum(0)]

    return flat @ weight.T + bias, back


def _max_pool(layer: Layer, arrays: list[F64], inputs: list[F64]) -> tuple[F64, Back]:
    """The first of equal elements takes the gradient, as everywhere."""
    padded, taps = _padded(inputs[0], layer, -np.inf), _window(layer)
    parts = np.stack([_part(padded, layer, i, j) for i, j in taps])
    chosen = parts.argmax(0)

    def back(gradient: F64) -> tuple[list[F64], list[F64]]:
        found = np.zeros_like(padded)
        for number, (i, j) in enumerate(taps):
            place = _part(found, layer, i, j)
            place += gradient * (chosen == number)
        return [_middle(found, layer)], []

    return parts.max(0), back


def _average_pool(layer: Layer, arrays: list[F64], inputs: list[F64]) -> tuple[F64, Back]:
    padded, taps = _padded(inputs[0], layer, 0.0), _window(layer)

    def back(gradient: F64) -> tuple[list[F64], list[F64]]:
        found = np.zeros_like(padded)
        for i, j in taps:
            place = _part(found, layer, i, j)
            place += gradient / len(taps)
        return [_middle(found, layer)], []

    return np.mean([_part(padded, layer, i, j) for i, j in taps], axis=0), back


def _clip(layer: Layer, arrays: list[F64], inputs: list[F64]) -> tuple[F64, Back]:
    (x,) = inputs
    most = np.inf if layer.kind == networks.RELU else 6.0
    return np.clip(x, 0, most), lambda gradient: ([gradient * ((x > 0) & (x < most))], [])


def _mean(layer: Layer, arrays: list[F64], inputs: list[F64]) -> tuple[F64, Back]:
    (x,) = inputs
    pixels = x.shape[2] * x.shape[3]
    return x.mean((2, 3)).T, lambda gradient: ([np.broadcast_to(gradient.T[..., None, None] / pixels, x.shape)], [])


def _join(layer: Layer, arrays: list[F64], inputs: list[F64]) -> tuple[F64, Back]:
    cuts = np.cumsum([len(one) for one in inputs])[:-1]
    return np.concatenate(inputs), lambda gradient: (np.split(gradient, cuts), [])


_RULES: dict[str, Callable[[Layer, list[F64], list[F64]], tuple[F64, Back]]] = {
    networks.CONVOLUTION: _convolution,
    networks.NORMALIZATION: _normalization,
    networks.DENSE: _dense,
    networks.RELU: _clip,
    networks.RELU6: _clip,
    networks.MEAN: _mean,
    networks.ADD: lambda layer, arrays, inputs: (inputs[0] + inputs[1], lambda gradient: ([gradient, gradient], [])),
    networks.JOIN: _join,
    networks.MAX_POOL: _max_pool,
    networks.AVERAGE_POOL: _average_pool,
}
