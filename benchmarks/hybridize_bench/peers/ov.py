# SPDX-License-Identifier: Apache-2.0
"""OpenVINO with its tensors bound beforehand: its cheapest call."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO

import numpy as np
import openvino

from hybridize_bench.networks import Network
from hybridize_bench.peers import F32, Layers, Prepared, Start, onnx_model


def bound(model: bytes, x: F32) -> Start:
    """A model of ONNX with its tensors set."""
    return bound_model(lambda: openvino.Core().read_model(BytesIO(model)), x)


def bound_model(made: Callable[[], openvino.Model], *xs: F32) -> Start:
    """infer() on a request whose input and output tensors are set."""

    def start() -> Prepared:
        settings = {"INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": "f32"}
        compiled = openvino.Core().compile_model(made(), "CPU", settings)
        request = compiled.create_infer_request()
        for number, x in enumerate(xs):
            request.set_input_tensor(number, openvino.Tensor(x, shared_memory=True))

        def read(_: object, keep: tuple[F32, ...] = xs) -> F32:
            # A tensor that shares memory does not keep the array alive: `keep` does.
            return np.array(request.get_output_tensor().data)

        return Prepared(request.infer, (), read)

    return start


def mlp(layers: Layers, x: F32) -> Start:
    """The layers, from ONNX."""
    return bound(onnx_model.mlp(layers, x), x)


def add_one(x: F32) -> Start:
    """x + 1, from ONNX."""
    return bound(onnx_model.add_one(x), x)


def convolution(x: F32, weight: F32, bias: F32) -> Start:
    """The convolution, from ONNX; its compiler joins the transpositions with the layouts it chooses."""
    return bound(onnx_model.convolution(x, weight, bias), x)


def network(network: Network, weights: list[tuple[F32, ...]], x: F32) -> Start:
    """The network, from ONNX."""
    return bound(onnx_model.network(network, weights, x), x)


MLP = {"bound": mlp}
ADD_ONE = {"bound": add_one}
CONV = {"bound": convolution}
NET = {"bound": network}
