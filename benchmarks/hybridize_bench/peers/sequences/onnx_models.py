# SPDX-License-Identifier: Apache-2.0
"""The benchmark's networks over sequences as ONNX: recurrent layers by the standard's operations, read by every
runtime; the others by those that ONNX Runtime has fused, each a form that its own tools would make.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from hybridize_bench.networks import EPSILON
from hybridize_bench.peers import F32
from hybridize_bench.sequences import recurrence as recurrent
from hybridize_bench.sequences.attention import AttentionNet
from hybridize_bench.sequences.decoder import DecoderNet
from hybridize_bench.sequences.encoder import EncoderNet
from hybridize_bench.sequences.recurrence import RecurrentNet

Arrays = dict[str, F32]
FUSED = "com.microsoft"
"""The domain of ONNX Runtime's own operations."""
GATES = {"lstm": (0, 3, 1, 2), "gru": (1, 0, 2)}
"""The places of the standard's gates (i, o, f, c and z, r, h) among ours."""


class OnnxFile:
    """A model in the making: nodes in order, constants, what goes in and comes out."""

    def __init__(self) -> None:
        self._nodes: list[object] = []
        self._constants: list[object] = []
        self._inputs: list[object] = []
        self._outputs: list[object] = []

    def input(self, name: str, shape: Sequence[int], kind: int = TensorProto.FLOAT) -> str:
        """Name what goes in."""
        self._inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def output(self, name: str, shape: Sequence[int]) -> str:
        """Name what comes out."""
        self._outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        return name

    def constant(self, name: str, array: object) -> str:
        """Add an array, and return its name."""
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(self, operation: str, inputs: Sequence[str], *results: str, domain: str = "", **attributes: object) -> str:
        """Add a node, and return the name of its first result."""
        outputs = results or (f"v{len(self._nodes)}",)
        self._nodes.append(helper.make_node(operation, inputs, outputs, domain=domain, **attributes))
        return outputs[0]

    def dense(self, name: str, x: str, weight: F32, *results: str) -> str:
        """A product with a weight [out, in]."""
        return self.node("MatMul", [x, self.constant(name, weight.T)], *results)

    def written(self) -> bytes:
        """The file."""
        graph = helper.make_graph(self._nodes, "model", self._inputs, self._outputs, self._constants)
        domains = [helper.make_opsetid("", 17), helper.make_opsetid(FUSED, 1)]
        return bytes(helper.make_model(graph, opset_imports=domains, ir_version=8).SerializeToString())


def recurrence(net: RecurrentNet, arrays: Arrays) -> bytes:
    """LSTM or GRU, and the axis of directions removed."""
    model = OnnxFile()
    w_input, w_state, *biases = (_reordered(arrays[name], GATES[net.kind]) for name in recurrent.NAMES)
    x = model.input("x", arrays["x"].shape)
    constants = {"w": w_input, "r": w_state, "b": np.concatenate(biases)}
    named = [model.constant(name, array[None]) for name, array in constants.items()]
    options: dict[str, Any] = {"linear_before_reset": 1} if net.kind == "gru" else {}
    found = model.node(net.kind.upper(), [x, *named], hidden_size=net.hidden, **options)
    model.node("Squeeze", [found, model.constant("axes", np.array([1]))], model.output("y", net.shape))
    return model.written()


def _reordered(array: F32, gates: tuple[int, ...]) -> F32:
    parts = np.split(array, len(gates))
    return np.concatenate([parts[gate] for gate in gates])


def attention(net: AttentionNet) -> bytes:
    """MultiHeadAttention over [batch, time, head × size], as it takes them."""
    model = OnnxFile()
    shape = (1, net.steps, net.heads * net.size)
    operands = [model.input(name, shape) for name in "qkv"]
    model.node(
        "MultiHeadAttention",
        operands,
        model.output("y", shape),
        domain=FUSED,
        num_heads=net.heads,
        unidirectional=int(net.causal),
    )
    return model.written()


def encoder(net: EncoderNet, arrays: Arrays) -> bytes:
    """Attention with its weights, normalization with the sum before it, gelu with its bias: as BERT is optimised."""
    model = OnnxFile()
    x = model.input("x", net.shape)
    for number in range(net.layers):
        named = {
            name.partition(".")[2]: model.constant(name, one.T)
            for name, one in arrays.items()
            if name.startswith(f"{number}.")
        }
        operands = [x, named["qkv.weight"], named["qkv.bias"]]
        seen = model.node("Attention", operands, domain=FUSED, num_heads=net.heads)
        seen = model.node("MatMul", [seen, named["out.weight"]])
        x = _normal(model, [x, seen, named["norm1.gamma"], named["norm1.beta"], named["out.bias"]])
        wide = model.node("MatMul", [x, named["up.weight"]])
        wide = model.node("BiasGelu", [wide, named["up.bias"]], domain=FUSED)
        narrow = model.node("MatMul", [wide, named["down.weight"]])
        operands = [x, narrow, named["norm2.gamma"], named["norm2.beta"], named["down.bias"]]
        x = _normal(model, operands, *([model.output("y", net.shape)] if number == net.layers - 1 else []))
    return model.written()


def _normal(model: OnnxFile, operands: list[str], *results: str) -> str:
    return model.node("SkipLayerNormalization", operands, *results, domain=FUSED, epsilon=EPSILON)


def decoder(net: DecoderNet, arrays: Arrays) -> bytes:
    """GroupQueryAttention with its rotation and caches, normalization with the sum before it."""
    model = OnnxFile()
    caches = (1, net.heads, net.context, net.size)
    cosine, sine = net.waves()
    places = [model.constant("cosine", cosine), model.constant("sine", sine)]
    token = model.input("token", (1, 1), TensorProto.INT64)
    lengths = [model.input(name, shape, TensorProto.INT32) for name, shape in (("before", (1,)), ("total", ()))]
    table = model.constant("table", arrays["embedding"])
    skip = model.node("Gather", [table, token])
    x = _rms(model, skip, model.constant("0.norm1", arrays["0.norm1"]))
    for number in range(net.layers):
        one = {name.partition(".")[2]: array for name, array in arrays.items() if name.startswith(f"{number}.")}
        qkv = model.dense(f"{number}.qkv", x, np.concatenate([one[name] for name in "qkv"]))
        past = [model.input(f"{name}{number}", caches) for name in ("keys", "values")]
        written = [model.output(f"new {name}", caches) for name in past]
        seen = model.node(
            "GroupQueryAttention", [qkv, "", "", *past, *lengths, *places], f"seen{number}", *written,
            domain=FUSED, num_heads=net.heads, kv_num_heads=net.heads, do_rotary=1, rotary_interleaved=0,
        )  # fmt: skip
        seen = model.dense(f"{number}.out", seen, one["out"])
        x, skip = _skipped(model, f"{number}.norm2", skip, seen, one["norm2"])
        gate, up = (model.dense(f"{number}.{name}", x, one[name]) for name in ("gate", "up"))
        gated = model.node("Mul", [model.node("QuickGelu", [gate], domain=FUSED, alpha=1.0), up])
        following = "norm" if number == net.layers - 1 else f"{number + 1}.norm1"
        x, skip = _skipped(model, following, skip, model.dense(f"{number}.down", gated, one["down"]), arrays[following])
    scores = model.dense("head", x, arrays["embedding"])
    model.node("Squeeze", [scores, model.constant("axes", np.array([1]))], model.output("y", net.shape))
    return model.written()


def _rms(model: OnnxFile, x: str, weight: str) -> str:
    return model.node("SimplifiedLayerNormalization", [x, weight], axis=-1, epsilon=EPSILON)


def _skipped(model: OnnxFile, name: str, skip: str, x: str, weight: F32) -> tuple[str, str]:
    """The norm of a sum, and the sum."""
    total = f"sum before {name}"
    operands = [x, skip, model.constant(name, weight)]
    normal = model.node(
        "SkipSimplifiedLayerNormalization", operands, f"normal {name}", "", "", total, domain=FUSED, epsilon=EPSILON
    )
    return normal, total
