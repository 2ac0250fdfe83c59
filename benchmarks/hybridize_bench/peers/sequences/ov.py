# SPDX-License-Identifier: Apache-2.0
"""OpenVINO on networks over sequences, from graphs in its own words, with its tensors bound beforehand."""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino
from openvino import opset13 as ops

from hybridize_bench.networks import EPSILON
from hybridize_bench.peers import F32, Start, ov
from hybridize_bench.peers.sequences import onnx_models
from hybridize_bench.sequences.attention import AttentionNet
from hybridize_bench.sequences.encoder import EncoderNet
from hybridize_bench.sequences.recurrence import RecurrentNet

Arrays = dict[str, F32]


def recurrence(net: RecurrentNet, arrays: Arrays) -> Start:
    """The layer, from ONNX."""
    return ov.bound(onnx_models.recurrence(net, arrays), arrays["x"])


def attention(net: AttentionNet, arrays: Arrays) -> Start:
    """One ScaledDotProductAttention."""
    operands = [ops.parameter(net.shape, np.float32) for _ in "qkv"]
    y = ops.scaled_dot_product_attention(*operands, causal=net.causal)
    return ov.bound_model(lambda: openvino.Model([y], operands), *(arrays[name] for name in "qkv"))


def encoder(net: EncoderNet, arrays: Arrays) -> Start:
    """The layers: products with constants, ScaledDotProductAttention, MVN, Gelu."""
    x = ops.parameter(net.shape, np.float32)
    value: Any = x
    for number in range(net.layers):
        one = {name.partition(".")[2]: array for name, array in arrays.items() if name.startswith(f"{number}.")}
        qkv = ops.reshape(_dense(value, one, "qkv"), np.array((*net.shape[:2], 3, net.heads, -1)), special_zero=False)
        parts = ops.split(ops.transpose(qkv, np.array((2, 0, 3, 1, 4))), np.int64(0), 3)
        q, k, v = (ops.squeeze(parts.output(part), np.array([0])) for part in range(3))
        seen = ops.transpose(ops.scaled_dot_product_attention(q, k, v), np.array((0, 2, 1, 3)))
        seen = ops.reshape(seen, np.array(net.shape), special_zero=False)
        value = _norm(ops.add(value, _dense(seen, one, "out")), one, "norm1")
        wide = ops.gelu(_dense(value, one, "up"), "erf")
        value = _norm(ops.add(value, _dense(wide, one, "down")), one, "norm2")
    return ov.bound_model(lambda: openvino.Model([value], [x]), arrays["x"])


def _dense(x: Any, one: Arrays, name: str) -> Any:
    product = ops.matmul(x, ops.constant(one[f"{name}.weight"]), False, True)
    return ops.add(product, ops.constant(one[f"{name}.bias"]))


def _norm(x: Any, one: Arrays, name: str) -> Any:
    normal = ops.mvn(x, np.array([-1]), True, EPSILON, "inside_sqrt")
    return ops.add(ops.multiply(normal, ops.constant(one[f"{name}.gamma"])), ops.constant(one[f"{name}.beta"]))


RECURRENCE = {"bound": recurrence}
ATTENTION = {"bound": attention}
ENCODER = {"bound": encoder}
