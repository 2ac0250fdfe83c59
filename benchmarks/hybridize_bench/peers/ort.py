# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime: `run` with arrays, and with inputs and outputs bound beforehand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnxruntime

from hybridize_bench.networks import Network
from hybridize_bench.peers import F32, BuildConvolution, Layers, Prepared, Start, onnx_model

Inputs = Mapping[str, F32]
"""Arrays that go in, by name; what comes out is "y"."""


def session(model: bytes) -> onnxruntime.InferenceSession:
    """A session with one thread and every optimisation."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def with_run(model: bytes, inputs: Inputs, y_shape: tuple[int, ...]) -> Start:
    """session.run: arrays in, arrays out."""

    def start() -> Prepared:
        run = session(model).run
        return Prepared(run, (["y"], dict(inputs)), lambda outputs: np.asarray(outputs[0]))

    return start


def with_io_binding(model: bytes, inputs: Inputs, y_shape: tuple[int, ...]) -> Start:
    """session.run_with_iobinding: all buffers exist and are known to the session."""

    def start() -> Prepared:
        ready = session(model)
        binding = ready.io_binding()
        for name, x in inputs.items():
            binding.bind_ortvalue_input(name, onnxruntime.OrtValue.ortvalue_from_numpy(x))
        y_value = onnxruntime.OrtValue.ortvalue_from_numpy(np.zeros(y_shape, np.float32))
        binding.bind_ortvalue_output("y", y_value)
        return Prepared(ready.run_with_iobinding, (binding,), lambda _: np.asarray(y_value.numpy()))

    return start


def file(layers: Layers, x: F32, path: str) -> None:
    """Write the .onnx file."""
    Path(path).write_bytes(onnx_model.mlp(layers, x))


Mode = Callable[[bytes, Inputs, tuple[int, ...]], Start]


def _mlp(mode: Mode) -> Callable[[Layers, F32], Start]:
    return lambda layers, x: mode(onnx_model.mlp(layers, x), {"x": x}, (len(x), len(layers[-1][1])))


def _network(mode: Mode) -> Callable[[Network, list[tuple[F32, ...]], F32], Start]:
    return lambda net, weights, x: mode(onnx_model.network(net, weights, x), {"x": x}, (len(x), *net.layers[-1].shape))


def _add_one(mode: Mode) -> Callable[[F32], Start]:
    return lambda x: mode(onnx_model.add_one(x), {"x": x}, x.shape)


def _conv(mode: Mode) -> BuildConvolution:
    """The convolution in this runtime's own layout, channels first: it would copy on both sides otherwise."""

    def build(x: F32, weight: F32, bias: F32) -> Start:
        planes = np.ascontiguousarray(x.transpose(0, 3, 1, 2))
        shape = (len(planes), len(bias), *planes.shape[2:])
        start = mode(onnx_model.planar_convolution(planes, weight, bias), {"x": planes}, shape)

        def begin() -> Prepared:
            prepared = start()
            return replace(prepared, read=lambda y: prepared.read(y).transpose(0, 2, 3, 1))

        return begin

    return build


MLP = {"run": _mlp(with_run), "io_binding": _mlp(with_io_binding)}
ADD_ONE = {"run": _add_one(with_run), "io_binding": _add_one(with_io_binding)}
CONV = {"run": _conv(with_run), "io_binding": _conv(with_io_binding)}
NET = {"run": _network(with_run), "io_binding": _network(with_io_binding)}
FILE = {"onnx": file}
