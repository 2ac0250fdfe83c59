# SPDX-License-Identifier: Apache-2.0
"""The benchmark's networks as PyTorch modules."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import fx

from hybridize_bench import networks
from hybridize_bench.networks import Layer, Network
from hybridize_bench.peers import F32


def module(network: Network, weights: list[tuple[F32, ...]]) -> torch.nn.Module:
    """The network as its users write it, of torch's own layers, in evaluation mode, channels last."""
    graph = fx.Graph()
    values = [graph.placeholder("x")]
    parts: dict[str, torch.nn.Module] = {}
    for number, (layer, arrays) in enumerate(zip(network.layers, weights, strict=True)):
        inputs = [values[one] for one in layer.inputs]
        made = _part(layer, network.shape(layer.inputs[0]), arrays)
        if made is not None:
            parts[f"part{number}"] = made
            values.append(graph.call_module(f"part{number}", tuple(inputs)))
        elif layer.kind == networks.ADD:
            values.append(graph.call_function(torch.add, tuple(inputs)))
        elif layer.kind == networks.JOIN:
            values.append(graph.call_function(torch.cat, (inputs, 1)))
        else:
            values.append(graph.call_method("mean", (inputs[0], (2, 3))))
    graph.output(values[-1])
    net = fx.GraphModule(torch.nn.ModuleDict(parts), graph).eval()
    return net.to(memory_format=torch.channels_last)  # type: ignore[call-overload, no-any-return]


def _part(layer: Layer, shape: tuple[int, ...], arrays: tuple[F32, ...]) -> torch.nn.Module | None:
    """The module of a layer; None where it is a function."""
    part: Any = None
    if layer.kind == networks.CONVOLUTION:
        part = torch.nn.Conv2d(
            shape[0],
            layer.shape[0],
            layer.kernel,
            layer.stride,
            layer.padding,
            groups=layer.groups,
            bias=len(arrays) > 1,
        )
    elif layer.kind == networks.NORMALIZATION:
        part = torch.nn.BatchNorm2d(shape[0], networks.EPSILON)
    elif layer.kind == networks.DENSE:
        linear = torch.nn.Linear(int(np.prod(shape)), layer.shape[0])
        part = torch.nn.Sequential(torch.nn.Flatten(), linear) if len(shape) > 1 else linear
    elif layer.kind in (networks.RELU, networks.RELU6):
        return torch.nn.ReLU(inplace=True) if layer.kind == networks.RELU else torch.nn.ReLU6(inplace=True)
    elif layer.kind == networks.MAX_POOL:
        return torch.nn.MaxPool2d(layer.kernel, layer.stride, layer.padding)
    elif layer.kind == networks.AVERAGE_POOL:
        return torch.nn.AvgPool2d(layer.kernel, layer.stride)
    if part is not None:
        floats = [one for one in (*part.parameters(), *part.buffers()) if one.dtype.is_floating_point]
        with torch.no_grad():
            for one, array in zip(floats, arrays, strict=True):
                one.copy_(torch.from_numpy(array))
    return part  # type: ignore[no-any-return]
