# SPDX-License-Identifier: Apache-2.0
"""The benchmark's models as ONNX, for the runtimes that read it."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper

from hybridize_bench import networks
from hybridize_bench.networks import Network
from hybridize_bench.peers import F32, Layers


def _model(nodes: list[object], constants: list[object], x: F32, y_shape: tuple[int, ...]) -> bytes:
    graph = helper.make_graph(
        nodes,
        "model",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, y_shape)],
        constants,
    )
    # Opset 17 and IR 8 are read by every release of the runtimes that pyproject.toml admits.
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    checker.check_model(model)
    return bytes(model.SerializeToString())


def mlp(layers: Layers, x: F32) -> bytes:
    """One Gemm for each layer, Relu between them; the sizes are those of `x` [batch, in], fixed."""
    nodes: list[object] = []
    constants: list[object] = []
    value = "x"
    for i, (weight, bias) in enumerate(layers):
        last = i == len(layers) - 1
        constants += [numpy_helper.from_array(weight, f"w{i}"), numpy_helper.from_array(bias, f"b{i}")]
        product = "y" if last else f"z{i}"
        nodes.append(helper.make_node("Gemm", [value, f"w{i}", f"b{i}"], [product], transB=1))
        if not last:
            value = f"h{i}"
            nodes.append(helper.make_node("Relu", [product], [value]))
    return _model(nodes, constants, x, (len(x), len(layers[-1][1])))


def convolution(x: F32, weight: F32, bias: F32) -> bytes:
    """Conv and Relu between two Transpose: what goes in and comes out is channels-last, which Conv is not."""
    constants: list[object] = [numpy_helper.from_array(weight, "w"), numpy_helper.from_array(bias, "b")]
    nodes: list[object] = [
        helper.make_node("Transpose", ["x"], ["planes"], perm=(0, 3, 1, 2)),
        helper.make_node("Conv", ["planes", "w", "b"], ["sums"], auto_pad="SAME_UPPER"),
        helper.make_node("Relu", ["sums"], ["positive"]),
        helper.make_node("Transpose", ["positive"], ["y"], perm=(0, 2, 3, 1)),
    ]
    return _model(nodes, constants, x, (*x.shape[:3], len(bias)))


def planar_convolution(x: F32, weight: F32, bias: F32) -> bytes:
    """Conv and Relu of x [batch, channel, height, width]."""
    constants: list[object] = [numpy_helper.from_array(weight, "w"), numpy_helper.from_array(bias, "b")]
    nodes: list[object] = [
        helper.make_node("Conv", ["x", "w", "b"], ["sums"], auto_pad="SAME_UPPER"),
        helper.make_node("Relu", ["sums"], ["y"]),
    ]
    return _model(nodes, constants, x, (len(x), len(bias), *x.shape[2:]))


def network(network: Network, weights: list[tuple[F32, ...]], x: F32) -> bytes:
    """One node for each layer; a dense layer has a Flatten before it, the mean over the pixels one after it."""
    nodes: list[object] = []
    constants: list[object] = []
    names = ["x"]
    for number, (layer, arrays) in enumerate(zip(network.layers, weights, strict=True)):
        own = [f"c{number}.{k}" for k in range(len(arrays))]
        constants += [numpy_helper.from_array(array, name) for array, name in zip(arrays, own, strict=True)]
        inputs, name = [names[one] for one in layer.inputs], "y" if layer is network.layers[-1] else f"v{number}"
        window = {"kernel_shape": [layer.kernel] * 2, "strides": [layer.stride] * 2, "pads": [layer.padding] * 4}
        match layer.kind:
            case networks.CONVOLUTION:
                nodes.append(helper.make_node("Conv", inputs + own, [name], group=layer.groups, **window))
            case networks.NORMALIZATION:
                nodes.append(helper.make_node("BatchNormalization", inputs + own, [name], epsilon=networks.EPSILON))
            case networks.MAX_POOL | networks.AVERAGE_POOL:
                operation = "MaxPool" if layer.kind == networks.MAX_POOL else "AveragePool"
                nodes.append(helper.make_node(operation, inputs, [name], **window))
            case networks.RELU6:
                bounds = [f"low{number}", f"high{number}"]
                constants += [
                    numpy_helper.from_array(np.float32(k), one) for k, one in zip((0, 6), bounds, strict=True)
                ]
                nodes.append(helper.make_node("Clip", inputs + bounds, [name]))
            case networks.DENSE:
                nodes.append(helper.make_node("Flatten", inputs, [f"f{number}"]))
                nodes.append(helper.make_node("Gemm", [f"f{number}", *own], [name], transB=1))
            case networks.MEAN:
                nodes.append(helper.make_node("GlobalAveragePool", inputs, [f"f{number}"]))
                nodes.append(helper.make_node("Flatten", [f"f{number}"], [name]))
            case networks.JOIN:
                nodes.append(helper.make_node("Concat", inputs, [name], axis=1))
            case kind:
                nodes.append(helper.make_node({networks.RELU: "Relu", networks.ADD: "Add"}[kind], inputs, [name]))
        names.append(name)
    return _model(nodes, constants, x, (len(x), *network.layers[-1].shape))


def add_one(x: F32) -> bytes:
    """x + 1."""
    one = numpy_helper.from_array(np.ones((1,), np.float32), "one")
    return _model([helper.make_node("Add", ["x", "one"], ["y"])], [one], x, x.shape)
