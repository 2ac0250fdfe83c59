# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime on networks over sequences, by its fused operations and with everything bound beforehand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import onnxruntime

from hybridize_bench.peers import F32, Prepared, Start
from hybridize_bench.peers.ort import session, with_io_binding
from hybridize_bench.peers.sequences import onnx_models
from hybridize_bench.sequences.attention import AttentionNet
from hybridize_bench.sequences.decoder import DecoderNet
from hybridize_bench.sequences.encoder import EncoderNet
from hybridize_bench.sequences.recurrence import RecurrentNet

Arrays = dict[str, F32]


def recurrence(net: RecurrentNet, arrays: Arrays) -> Start:
    """The layer."""
    return with_io_binding(onnx_models.recurrence(net, arrays), {"x": arrays["x"]}, net.shape)


def encoder(net: EncoderNet, arrays: Arrays) -> Start:
    """The layers."""
    return with_io_binding(onnx_models.encoder(net, arrays), {"x": arrays["x"]}, net.shape)


def attention(net: AttentionNet, arrays: Arrays) -> Start:
    """Attention over [batch, time, head × size]."""
    flat = {name: _flat(arrays[name]) for name in "qkv"}
    start = with_io_binding(onnx_models.attention(net), flat, flat["q"].shape)

    def begin() -> Prepared:
        made = start()
        return replace(made, read=lambda y: _heads(made.read(y), net.heads))

    return begin


def _flat(x: F32) -> F32:
    batch, _, time, _ = x.shape
    return np.ascontiguousarray(x.swapaxes(1, 2)).reshape(batch, time, -1)


def _heads(x: F32, heads: int) -> F32:
    return x.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2)


def decoder(net: DecoderNet, arrays: Arrays) -> Start:
    """The step; each cache is bound as what goes in and what comes out, which the operation asks for."""
    value = onnxruntime.OrtValue.ortvalue_from_numpy
    numbers = {
        "token": np.array([[net.token]], np.int64),
        "before": np.array([net.position], np.int32),
        "total": np.array(net.position + 1, np.int32),
    }

    def start() -> Prepared:
        ready = session(onnx_models.decoder(net, arrays))
        binding = ready.io_binding()
        for name, number in numbers.items():
            binding.bind_ortvalue_input(name, value(number))
        for number in range(net.layers):
            for name in ("keys", "values"):
                cache = value(arrays[name][number][None].copy())
                binding.bind_ortvalue_input(f"{name}{number}", cache)
                binding.bind_ortvalue_output(f"new {name}{number}", cache)
        scores = value(np.zeros(net.shape, np.float32))
        binding.bind_ortvalue_output("y", scores)
        return Prepared(ready.run_with_iobinding, (binding,), lambda _: np.asarray(scores.numpy()))

    return start


RECURRENCE = {"io_binding": recurrence}
ENCODER = {"io_binding": encoder}
ATTENTION = {"io_binding": attention}
DECODER = {"io_binding": decoder}
