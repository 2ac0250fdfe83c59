# SPDX-License-Identifier: Apache-2.0
"""hybridize on a PyTorch module: tensors in, tensors out."""

from __future__ import annotations

import functools

import torch
import torch.nn.functional as F

from hybridize import hybridize
from hybridize_bench.peers import F32, Layers, Prepared, Start
from hybridize_bench.peers.pytorch import AddOne, Loss, as_numpy, in_inference_mode, module, tensor, train


def mlp(layers: Layers, x: F32) -> Start:
    """The module of the layers, hybridized."""
    net, argument = module(layers), tensor(x)

    def start() -> Prepared:
        in_inference_mode()
        return Prepared(hybridize(net), (argument,), as_numpy)

    return start


def add_one(x: F32) -> Start:
    """The module that adds one, hybridized."""
    argument = tensor(x)

    def start() -> Prepared:
        in_inference_mode()
        return Prepared(hybridize(AddOne()), (argument,), as_numpy)

    return start


class WithLoss(torch.nn.Module):
    """A net that gives its mean loss."""

    def __init__(self, net: torch.nn.Module) -> None:
        super().__init__()
        self.net = net

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """Cross-entropy after softmax."""
        return F.cross_entropy(self.net(x), y)


def loss_of(net: torch.nn.Module) -> Loss:
    """The loss of a net, in one program forward and one back; PyTorch's optimizer takes the step."""
    return hybridize(WithLoss(net))


MLP = {"hybridized": mlp}
ADD_ONE = {"hybridized": add_one}
TRAIN = {"hybridized": functools.partial(train, made=loss_of, fused=True)}
