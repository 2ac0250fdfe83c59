# SPDX-License-Identifier: Apache-2.0
"""LiteRT on networks over sequences, from files written here; there is no operation for a GRU."""

from __future__ import annotations

from typing import Any

import numpy as np
from ai_edge_litert import schema_py_generated as schema

from hybridize_bench.networks import EPSILON
from hybridize_bench.peers import F32, Start
from hybridize_bench.peers.litert import ACTIVATION, OPERATOR, OPTIONS, Model, interpreted
from hybridize_bench.sequences import recurrence as recurrent
from hybridize_bench.sequences.attention import AttentionNet
from hybridize_bench.sequences.encoder import EncoderNet
from hybridize_bench.sequences.recurrence import RecurrentNet

Arrays = dict[str, F32]
Shape = tuple[int, ...]


class TfliteFile:
    """A model in the making: each method adds an operator, and gives the number of its result."""

    def __init__(self) -> None:
        self.model = Model()
        self.shapes: dict[int, Shape] = {}

    def tensor(self, shape: Shape) -> int:
        """A tensor that an operator writes, or that goes in."""
        number = self.model.tensor(f"t{len(self.shapes)}", shape)
        self.shapes[number] = shape
        return number

    def constant(self, data: Any, dtype: Any = np.float32) -> int:
        """A tensor that is known."""
        array = np.ascontiguousarray(data, dtype)
        number = self.model.tensor(f"c{len(self.shapes)}", array.shape, array)
        self.shapes[number] = array.shape
        return number

    def operator(self, name: str, inputs: list[int], shape: Shape, options: Any = None) -> int:
        """An operator by its name in the schema, with its options."""
        result = self.tensor(shape)
        kind = 0 if options is None else getattr(OPTIONS, type(options).__name__.removesuffix("T"))
        self.model.operator(getattr(OPERATOR, name), inputs, result, kind, options)
        return result

    def pointwise(self, name: str, *inputs: int) -> int:
        """ADD, SUB or MUL."""
        shape = np.broadcast_shapes(*(self.shapes[one] for one in inputs))
        return self.operator(name, [*inputs], shape, getattr(schema, f"{name.capitalize()}OptionsT")())

    def mean(self, x: int) -> int:
        """Over the last axis, which stays."""
        options = schema.ReducerOptionsT(keepDims=True)
        shape = self.shapes[x]
        return self.operator("MEAN", [x, self.constant([len(shape) - 1], np.int32)], (*shape[:-1], 1), options)

    def dense(self, x: int, weight: F32, bias: F32) -> int:
        """FULLY_CONNECTED."""
        operands = [x, self.constant(weight), self.constant(bias)]
        options = schema.FullyConnectedOptionsT(keepNumDims=True)
        return self.operator("FULLY_CONNECTED", operands, (*self.shapes[x][:-1], len(bias)), options)

    def product(self, x: int, y: int, turned: bool) -> int:
        """BATCH_MATMUL; `turned`: with the last two axes of `y` exchanged."""
        columns = self.shapes[y][-2 if turned else -1]
        options = schema.BatchMatMulOptionsT(adjY=turned)
        return self.operator("BATCH_MATMUL", [x, y], (*self.shapes[x][:-1], columns), options)

    def reshape(self, x: int, shape: Shape) -> int:
        """RESHAPE."""
        return self.operator("RESHAPE", [x, self.constant(shape, np.int32)], shape, schema.ReshapeOptionsT(shape))

    def transpose(self, x: int, axes: Shape) -> int:
        """TRANSPOSE."""
        shape = tuple(self.shapes[x][axis] for axis in axes)
        return self.operator("TRANSPOSE", [x, self.constant(axes, np.int32)], shape, schema.TransposeOptionsT())

    def attention(self, q: int, k: int, v: int, causal: bool) -> int:
        """Of [batch, head, time, size]; there is no operation for a causal one: a mask is added."""
        shape = self.shapes[q]
        scaled = self.pointwise("MUL", q, self.constant(shape[-1] ** -0.5))
        scores = self.product(scaled, k, turned=True)
        if causal:
            mask = np.where(np.tri(shape[2], dtype=bool), 0.0, -1e9)
            scores = self.pointwise("ADD", scores, self.constant(mask[None, None]))
        weights = self.operator("SOFTMAX", [scores], self.shapes[scores], schema.SoftmaxOptionsT(beta=1.0))
        return self.product(weights, v, turned=False)

    def norm(self, x: int, gamma: F32, beta: F32) -> int:
        """Layer normalization."""
        centred = self.pointwise("SUB", x, self.mean(x))
        variance = self.mean(self.pointwise("MUL", centred, centred))
        shifted = self.pointwise("ADD", variance, self.constant(EPSILON))
        scale = self.operator("RSQRT", [shifted], self.shapes[shifted])
        normal = self.pointwise("MUL", self.pointwise("MUL", centred, scale), self.constant(gamma))
        return self.pointwise("ADD", normal, self.constant(beta))


def recurrence(net: RecurrentNet, arrays: Arrays) -> Start:
    """UNIDIRECTIONAL_SEQUENCE_LSTM; its bias is the sum of ours.

    Raises:
        LookupError: it is a GRU.
    """
    if net.kind != "lstm":
        raise LookupError("no operation of the schema is a GRU")
    file = TfliteFile()
    x = file.tensor(arrays["x"].shape)
    w_input, w_state, b_input, b_state = (arrays[name] for name in recurrent.NAMES)
    inputs, states, biases = (
        [file.constant(part) for part in np.split(array, 4)] for array in (w_input, w_state, b_input + b_state)
    )
    absent = [-1, -1, -1]  # peepholes, then the projection
    empty = [file.model.tensor(name, (net.batch, net.hidden), variable=True) for name in ("h", "c")]
    operands = [x, *inputs, *states, *absent, *biases, -1, -1, *empty]
    options = schema.UnidirectionalSequenceLSTMOptionsT(fusedActivationFunction=ACTIVATION.TANH, timeMajor=True)
    y = file.operator("UNIDIRECTIONAL_SEQUENCE_LSTM", operands, net.shape, options)
    return interpreted(file.model.written([x], y), arrays["x"], states=True)


def attention(net: AttentionNet, arrays: Arrays) -> Start:
    """Two products and a softmax."""
    file = TfliteFile()
    q, k, v = (file.tensor(net.shape) for _ in "qkv")
    y = file.attention(q, k, v, net.causal)
    return interpreted(file.model.written([q, k, v], y), *(arrays[name] for name in "qkv"))


def encoder(net: EncoderNet, arrays: Arrays) -> Start:
    """The layers, from a file in memory."""
    file = TfliteFile()
    value = x = file.tensor(net.shape)
    batch, time, width = net.shape
    for number in range(net.layers):
        one = {name.partition(".")[2]: array for name, array in arrays.items() if name.startswith(f"{number}.")}
        parts = zip(np.split(one["qkv.weight"], 3), np.split(one["qkv.bias"], 3), strict=True)
        heads = []
        for weight, bias in parts:
            part = file.reshape(file.dense(value, weight, bias), (batch, time, net.heads, width // net.heads))
            heads.append(file.transpose(part, (0, 2, 1, 3)))
        q, k, v = heads
        seen = file.reshape(file.transpose(file.attention(q, k, v, causal=False), (0, 2, 1, 3)), net.shape)
        seen = file.pointwise("ADD", value, file.dense(seen, one["out.weight"], one["out.bias"]))
        value = file.norm(seen, one["norm1.gamma"], one["norm1.beta"])
        wide = file.dense(value, one["up.weight"], one["up.bias"])
        wide = file.operator("GELU", [wide], file.shapes[wide], schema.GeluOptionsT(approximate=False))
        narrow = file.dense(wide, one["down.weight"], one["down.bias"])
        value = file.norm(file.pointwise("ADD", value, narrow), one["norm2.gamma"], one["norm2.beta"])
    return interpreted(file.model.written([x], value), arrays["x"])


RECURRENCE = {"interpreter": recurrence}
ATTENTION = {"interpreter": attention}
ENCODER = {"interpreter": encoder}
