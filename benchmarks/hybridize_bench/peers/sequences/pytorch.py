# SPDX-License-Identifier: Apache-2.0
"""PyTorch on networks over sequences: eager, scripted and frozen, compiled."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from hybridize_bench.peers import F32, Batches, Prepared, Start, pytorch
from hybridize_bench.peers.sequences import torch_modules
from hybridize_bench.peers.sequences.torch_modules import tensor
from hybridize_bench.sequences.attention import AttentionNet
from hybridize_bench.sequences.decoder import DecoderNet, DecodingNet
from hybridize_bench.sequences.encoder import EncoderNet
from hybridize_bench.sequences.recurrence import RecurrentNet
from hybridize_bench.sequences.training import SequenceTraining
from hybridize_bench.training_workloads import CHECKED_OF_NETWORKS, steps

Arrays = dict[str, F32]
Mode = Callable[..., Start]


def recurrence(net: RecurrentNet, arrays: Arrays, mode: Mode) -> Start:
    """The layer."""
    return mode(torch_modules.TorchRecurrent(net, arrays).eval(), tensor(arrays["x"]))


def encoder(net: EncoderNet, arrays: Arrays, mode: Mode) -> Start:
    """The layers in plain words."""
    return mode(torch_modules.encoder(net, arrays), tensor(arrays["x"]))


def own_encoder(net: EncoderNet, arrays: Arrays) -> Start:
    """Torch's encoder with its fast path."""
    return pytorch.eager(torch_modules.own_encoder(net, arrays), tensor(arrays["x"]))


def attention(net: AttentionNet, arrays: Arrays, mode: Mode) -> Start:
    """`scaled_dot_product_attention`."""
    return mode(torch_modules.TorchAttention(net).eval(), *(tensor(arrays[name]) for name in "qkv"))


def attention_gradients(net: AttentionNet, arrays: Arrays) -> Start:
    """The gradients of `scaled_dot_product_attention`."""
    operands = [tensor(arrays[name]).requires_grad_() for name in "qkv"]
    module = torch_modules.TorchAttention(net)

    def call() -> Any:
        return torch.autograd.grad(module(*operands), operands, operands[0].detach())

    def start() -> Prepared:
        torch.set_num_threads(1)
        return Prepared(call, (), lambda found: np.stack([pytorch.as_numpy(one) for one in found]))

    return start


def decoder(net: DecoderNet, arrays: Arrays, mode: Mode) -> Start:
    """The step; eager its position is a number."""
    compiled = mode is not pytorch.eager
    position: Any = torch.tensor([net.position]) if compiled else net.position
    module = torch_modules.TorchStepper(net, arrays, compiled).eval()
    return mode(module, torch.tensor([net.token]), position)


def decoding(net: DecodingNet, arrays: Arrays) -> Start:
    """Step after step, eager."""
    module, token = torch_modules.TorchStepper(net, arrays, compiled=False).eval(), torch.tensor([net.token])
    positions = net.positions()

    def start() -> Prepared:
        pytorch.in_inference_mode()
        return Prepared(lambda: module(token, next(positions)), (), pytorch.as_numpy)

    return start


def train(
    training: SequenceTraining, weights: Arrays, batches: Batches, *, compiled: bool = False, **keywords: bool
) -> Start:
    """Steps of a language model; `keywords` go to the optimizer.

    Compiled, all but torch's LSTM is: told to look into it (`allow_rnn`), the compiler unrolls its steps for minutes.
    """
    module: Any = torch_modules.TorchLoss(training.model, weights).train()
    kind: Any = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam}[training.optimizer]
    optimizer = kind(module.parameters(), lr=training.rate, **keywords)
    if compiled:
        pytorch.load_compiler()
    step = pytorch.stepping(torch.compile(module) if compiled else module, optimizer)
    tensors = [(torch.from_numpy(x.astype("int64")), torch.from_numpy(y.astype("int64"))) for x, y in batches]

    def start() -> Prepared:
        torch.set_num_threads(1)
        return steps(step, tensors, torch.Tensor.item, CHECKED_OF_NETWORKS)

    return start


def _table(build: Callable[..., Start], modes: dict[str, Mode]) -> dict[str, Callable[..., Start]]:
    return {name: functools.partial(build, mode=mode) for name, mode in modes.items()}


_FROZEN = {"script": pytorch.scripted, "aot": pytorch.packaged}
RECURRENCE = _table(recurrence, {"eager": pytorch.eager, **_FROZEN})
ENCODER = _table(encoder, {"freezing": pytorch.frozen, **_FROZEN}) | {"own": own_encoder}
ATTENTION = _table(attention, {"eager": pytorch.eager})
ATTENTION_BACK = {"eager": attention_gradients}
DECODING = {"eager": decoding}
DECODER = _table(decoder, {"eager": pytorch.eager, "compile": pytorch.compiled})
TRAIN_SEQUENCE = {
    "eager": train,
    "fused": functools.partial(train, fused=True),
    "compile": functools.partial(train, compiled=True, fused=True),
}
