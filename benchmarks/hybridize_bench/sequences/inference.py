# SPDX-License-Identifier: Apache-2.0
"""The workloads over sequences whose calls are timed, and what a core has to do for them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hybridize_bench.networks import F64
from hybridize_bench.peers import F32
from hybridize_bench.sequences.attention import AttentionGradients, AttentionNet
from hybridize_bench.sequences.decoder import DecoderNet, DecodingNet
from hybridize_bench.sequences.encoder import EncoderNet
from hybridize_bench.sequences.recurrence import RecurrentNet

Net = RecurrentNet | AttentionNet | EncoderNet | DecoderNet
HEADS = {128: 4, 512: 4, 1024: 8}
"""Heads of the attention rows, by their length."""
SEQUENCES: dict[str, Net] = {
    "lstm-1": RecurrentNet("lstm", 1),
    "lstm-32": RecurrentNet("lstm", 32),
    "gru-1": RecurrentNet("gru", 1),
    "transformer-1": EncoderNet(),
    **{f"attention-{steps}": AttentionNet(steps, heads) for steps, heads in HEADS.items()},
    **{f"attention-causal-{steps}": AttentionNet(steps, heads, causal=True) for steps, heads in HEADS.items()},
    "decode-20m": DecoderNet(layers=6, width=512, heads=8, inner=1376, vocabulary=2048),
    "decode-1m": DecoderNet(layers=4, width=128, heads=4, inner=352, vocabulary=1536),
}
MEASURED: dict[str, Net] = {
    "attention-8192": AttentionNet(8192, 4),
    "attention-back-8192": AttentionGradients(8192, 4),
    "decoding-1m": DecodingNet(layers=4, width=128, heads=4, inner=352, vocabulary=1536),
}
"""Those of which the memory is asked."""


def known(workload: str) -> bool:
    """Tell whether the workload is one of these."""
    return workload in SEQUENCES or workload in MEASURED


def named(workload: str) -> Net:
    """The workload's net."""
    return SEQUENCES[workload] if workload in SEQUENCES else MEASURED[workload]


def write(net: Net, path: Path) -> F64:
    """Write weights and inputs; what must come out."""
    arrays = net.arrays()
    np.savez(path, allow_pickle=False, **arrays)
    return net.expected(arrays)


def read(net: Net, path: str) -> tuple[Net, dict[str, F32]]:
    """Read what `write` has written."""
    with np.load(path) as data:
        return net, {name: data[name] for name in data.files}


def products(net: Net) -> int:
    """Operations of all products; 0 where reading the weights is what takes time."""
    return 0 if isinstance(net, DecoderNet) else net.flops


def weights(net: Net) -> tuple[int, int]:
    """Bytes of the weights that are read again and again, or once, and how many bytes are read in all; (0, 0): none."""
    if isinstance(net, AttentionNet):
        return 0, 0
    return (net.state_bytes, net.read_bytes) if isinstance(net, RecurrentNet) else (net.weight_bytes, net.weight_bytes)
