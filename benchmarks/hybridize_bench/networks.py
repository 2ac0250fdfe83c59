# SPDX-License-Identifier: Apache-2.0
"""The benchmark's convolutional networks, as layers that every runtime builds in its own words.

A network is a list of layers over numbered values: 0 is the image, k + 1 the result of layer k. Its weights are random,
the same at every run, of a size that keeps the scale of what goes through; what must come out is computed in float64.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hybridize_bench.peers import F32

F64 = np.ndarray[Any, np.dtype[np.float64]]
Shape = tuple[int, ...]
CONVOLUTION, NORMALIZATION, RELU, RELU6 = "convolution", "normalization", "relu", "relu6"
MAX_POOL, AVERAGE_POOL, MEAN, ADD, JOIN, DENSE = "max pool", "average pool", "mean", "add", "join", "dense"
EPSILON = 1e-5
"""Added to the variance, as all runtimes do by default."""


@dataclass(frozen=True)
class Layer:
    """One operation: what it reads, the shape of its result, its numbers."""

    kind: str
    inputs: tuple[int, ...]
    shape: Shape
    """Of the result, without the batch."""
    weights: tuple[Shape, ...] = ()
    """Of a convolution weight [out, in / groups, height, width] and bias, if it has one; of a normalization gamma,
    beta, mean and variance; of a dense layer weight [out, in] and bias."""
    kernel: int = 1
    stride: int = 1
    padding: int = 0
    groups: int = 1


@dataclass
class Network:
    """A network in the making: each method adds a layer, and returns the number of its result."""

    image: Shape
    """[channels, height, width]"""
    layers: list[Layer] = field(default_factory=list)

    def shape(self, value: int) -> Shape:
        """Of a value, without the batch."""
        return self.layers[value - 1].shape if value else self.image

    def convolution(
        self,
        x: int,
        out: int,
        kernel: int,
        stride: int = 1,
        padding: int | None = None,
        groups: int = 1,
        bias: bool = False,
    ) -> int:
        """Add a convolution; its padding is half of the kernel, if none is given."""
        channels, *size = self.shape(x)
        around = kernel // 2 if padding is None else padding
        shape = (out, *(_windows(length, kernel, stride, around) for length in size))
        weights: tuple[Shape, ...] = ((out, channels // groups, kernel, kernel), *([(out,)] if bias else []))
        return self._add(Layer(CONVOLUTION, (x,), shape, weights, kernel, stride, around, groups))

    def normalization(self, x: int) -> int:
        """Add a batch normalization by running statistics."""
        return self._add(Layer(NORMALIZATION, (x,), self.shape(x), ((self.shape(x)[0],),) * 4))

    def pool(self, kind: str, x: int, kernel: int, stride: int, padding: int = 0) -> int:
        """Add a pooling; an average does not count its padding, of which there is none in these networks."""
        channels, *size = self.shape(x)
        shape = (channels, *(_windows(length, kernel, stride, padding) for length in size))
        return self._add(Layer(kind, (x,), shape, (), kernel, stride, padding))

    def apply(self, kind: str, *inputs: int) -> int:
        """Add a layer without numbers of its own: relu, relu6, mean over the pixels, add, join along channels."""
        first = self.shape(inputs[0])
        if kind == JOIN:
            first = (sum(self.shape(one)[0] for one in inputs), *first[1:])
        return self._add(Layer(kind, inputs, first[:1] if kind == MEAN else first))

    def dense(self, x: int, out: int) -> int:
        """Add a dense layer over all elements of a sample, in the order [channel, height, width]."""
        return self._add(Layer(DENSE, (x,), (out,), ((out, int(np.prod(self.shape(x)))), (out,))))

    def _add(self, layer: Layer) -> int:
        self.layers.append(layer)
        return len(self.layers)

    @property
    def flops(self) -> int:
        """Operations of the products for one image, those with the padding included; a multiply-add is two."""
        products = [layer for layer in self.layers if layer.kind in (CONVOLUTION, DENSE)]
        return sum(2 * int(np.prod(layer.weights[0])) * int(np.prod(layer.shape[1:])) for layer in products)

    @property
    def training_flops(self) -> int:
        """The same of a step of training: the gradient by the weight of a product takes as many, and that by its input,
        which the first layer does without.
        """
        first, *_ = (layer for layer in self.layers if layer.kind in (CONVOLUTION, DENSE))
        return 3 * self.flops - 2 * int(np.prod(first.weights[0])) * int(np.prod(first.shape[1:]))

    def arrays(self) -> list[tuple[F32, ...]]:
        """The weights of each layer."""
        random = np.random.default_rng(0)
        found: list[tuple[F32, ...]] = []
        for layer in self.layers:
            if layer.kind == NORMALIZATION:
                gamma, beta, mean, variance = (random.uniform(-0.2, 0.2, shape) for shape in layer.weights)
                found.append(tuple(one.astype(np.float32) for one in (1 + gamma, beta, mean, 1 + variance)))
                continue
            if not layer.weights:
                found.append(())
                continue
            drawn = [random.standard_normal(shape) for shape in layer.weights]
            scales = [(2 / np.prod(layer.weights[0][1:])) ** 0.5, 0.1]
            found.append(tuple((one * scale).astype(np.float32) for one, scale in zip(drawn, scales, strict=False)))
        return found

    def input(self, batch: int) -> F32:
        """Images, the same at every run."""
        return np.random.default_rng(1).standard_normal((batch, *self.image)).astype(np.float32)


def _windows(length: int, kernel: int, stride: int, padding: int) -> int:
    return (length + 2 * padding - kernel) // stride + 1


def _normalized(network: Network, x: int, out: int, kernel: int, stride: int = 1, groups: int = 1) -> int:
    """A convolution and its normalization."""
    return network.normalization(network.convolution(x, out, kernel, stride, groups=groups))


def lenet() -> Network:
    """LeNet-5 with ReLU and maxima, on images of 28 by 28."""
    net = Network((1, 28, 28))
    x = net.apply(RELU, net.convolution(0, 6, 5, padding=2, bias=True))
    x = net.pool(MAX_POOL, x, 2, 2)
    x = net.apply(RELU, net.convolution(x, 16, 5, padding=0, bias=True))
    x = net.pool(MAX_POOL, x, 2, 2)
    x = net.apply(RELU, net.dense(x, 120))
    x = net.apply(RELU, net.dense(x, 84))
    net.dense(x, 10)
    return net


def resnet18() -> Network:
    """ResNet-18, version 1, on images of 224 by 224."""
    net = Network((3, 224, 224))
    x = net.apply(RELU, _normalized(net, 0, 64, 7, 2))
    x = net.pool(MAX_POOL, x, 3, 2, 1)
    for stage, channels in enumerate((64, 128, 256, 512)):
        for block in range(2):
            stride = 2 if stage and not block else 1
            y = net.apply(RELU, _normalized(net, x, channels, 3, stride))
            y = _normalized(net, y, channels, 3)
            short = _normalized(net, x, channels, 1, stride) if stride == 2 else x
            x = net.apply(RELU, net.apply(ADD, y, short))
    net.dense(net.apply(MEAN, x), 1000)
    return net


def mobilenet_v2() -> Network:
    """MobileNetV2, width 1, on images of 224 by 224."""
    net = Network((3, 224, 224))
    x = net.apply(RELU6, _normalized(net, 0, 32, 3, 2))
    stages = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]
    for widening, channels, count, first in stages:
        for block in range(count):
            stride, before = first if block == 0 else 1, net.shape(x)[0]
            y = x if widening == 1 else net.apply(RELU6, _normalized(net, x, before * widening, 1))
            wide = before * widening
            y = net.apply(RELU6, _normalized(net, y, wide, 3, stride, groups=wide))
            y = _normalized(net, y, channels, 1)
            x = net.apply(ADD, x, y) if stride == 1 and before == channels else y
    x = net.apply(RELU6, _normalized(net, x, 1280, 1))
    net.dense(net.apply(MEAN, x), 1000)
    return net


def densenet121() -> Network:
    """DenseNet-121 on images of 224 by 224."""
    net = Network((3, 224, 224))
    x = net.apply(RELU, _normalized(net, 0, 64, 7, 2))
    x = net.pool(MAX_POOL, x, 3, 2, 1)
    counts = (6, 12, 24, 16)
    for stage, count in enumerate(counts):
        for _ in range(count):
            y = net.convolution(net.apply(RELU, net.normalization(x)), 128, 1)
            y = net.convolution(net.apply(RELU, net.normalization(y)), 32, 3)
            x = net.apply(JOIN, x, y)
        x = net.apply(RELU, net.normalization(x))
        if stage < len(counts) - 1:
            x = net.pool(AVERAGE_POOL, net.convolution(x, net.shape(x)[0] // 2, 1), 2, 2)
    net.dense(net.apply(MEAN, x), 1000)
    return net


def expected(network: Network, weights: list[tuple[F32, ...]], x: F32) -> F64:
    """The network's result in float64."""
    values: list[F64] = [x.astype(np.float64)]
    for layer, arrays in zip(network.layers, weights, strict=True):
        values.append(_REFERENCE[layer.kind](layer, [one.astype(np.float64) for one in arrays], values))
    return values[-1]


def _windows_of(x: F64, layer: Layer, around: float) -> list[tuple[int, int, F64]]:
    """(row, column, elements there of each window) for each element of a window."""
    p, s = layer.padding, layer.stride
    padded = np.pad(x, ((0, 0), (0, 0), (p, p), (p, p)), constant_values=around)
    rows, columns = (s * (size - 1) + 1 for size in layer.shape[1:])
    window = range(layer.kernel)
    return [(i, j, padded[:, :, i : i + rows : s, j : j + columns : s]) for i in window for j in window]


def _convolution(layer: Layer, arrays: list[F64], values: list[F64]) -> F64:
    x, weight, g = values[layer.inputs[0]], arrays[0], layer.groups
    total: Any = 0
    for i, j, part in _windows_of(x, layer, 0.0):
        n, c, h, w = part.shape
        parted = part.transpose(1, 0, 2, 3).reshape(g, c // g, n * h * w)
        total = total + weight[:, :, i, j].reshape(g, -1, c // g) @ parted
    found: F64 = total.reshape(len(weight), len(x), *layer.shape[1:]).transpose(1, 0, 2, 3)
    return found + arrays[1].reshape(-1, 1, 1) if len(arrays) > 1 else found


def _normalize(layer: Layer, arrays: list[F64], values: list[F64]) -> F64:
    gamma, beta, mean, variance = (one.reshape(-1, 1, 1) for one in arrays)
    found: F64 = (values[layer.inputs[0]] - mean) / np.sqrt(variance + EPSILON) * gamma + beta
    return found


def _dense(layer: Layer, arrays: list[F64], values: list[F64]) -> F64:
    x = values[layer.inputs[0]]
    return x.reshape(len(x), -1) @ arrays[0].T + arrays[1]


def _simple(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda layer, _, values: function(*(values[one] for one in layer.inputs))


_REFERENCE: dict[str, Callable[..., Any]] = {
    CONVOLUTION: _convolution,
    NORMALIZATION: _normalize,
    DENSE: _dense,
    RELU: _simple(lambda x: np.maximum(x, 0)),
    RELU6: _simple(lambda x: np.clip(x, 0, 6)),
    MEAN: _simple(lambda x: x.mean((2, 3))),
    ADD: _simple(np.add),
    JOIN: _simple(lambda *xs: np.concatenate(xs, 1)),
    MAX_POOL: lambda layer, _, values: np.max(
        [part for *_, part in _windows_of(values[layer.inputs[0]], layer, -np.inf)], axis=0
    ),
    AVERAGE_POOL: lambda layer, _, values: np.mean(
        [part for *_, part in _windows_of(values[layer.inputs[0]], layer, 0.0)], axis=0
    ),
}


@dataclass(frozen=True)
class Inference:
    """A network and the images that go through it in one call."""

    title: str
    make: Callable[[], Network]
    batch: int


NETWORKS = {
    "lenet-1": Inference("LeNet, 28², batch 1", lenet, 1),
    "lenet-64": Inference("LeNet, 28², batch 64", lenet, 64),
    "resnet18-1": Inference("ResNet-18, 224², batch 1", resnet18, 1),
    "mobilenet-v2-1": Inference("MobileNetV2, 224², batch 1", mobilenet_v2, 1),
    "densenet121-1": Inference("DenseNet-121, 224², batch 1", densenet121, 1),
}


def write(inference: Inference, path: Path) -> F64:
    """Write weights and images; what must come out."""
    network = inference.make()
    weights, x = network.arrays(), network.input(inference.batch)
    named = {f"{number}.{k}": one for number, arrays in enumerate(weights) for k, one in enumerate(arrays)}
    np.savez(path, allow_pickle=False, x=x, **named)
    return expected(network, weights, x)


def read(inference: Inference, path: str) -> tuple[Network, list[tuple[F32, ...]], F32]:
    """Read what `write` has written."""
    network = inference.make()
    with np.load(path) as data:
        weights = [
            tuple(data[f"{number}.{k}"] for k in range(len(layer.weights)))
            for number, layer in enumerate(network.layers)
        ]
        return network, weights, data["x"]
