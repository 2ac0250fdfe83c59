# SPDX-License-Identifier: Apache-2.0
"""hybridize on a PyTorch module: tensors in, tensors out."""

from __future__ import annotations

from hybridize import hybridize
from hybridize.tools.peers import F32, Layers, Prepared, Start
from hybridize.tools.peers.pytorch import AddOne, as_numpy, in_inference_mode, module, tensor


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


MLP = {"hybridized": mlp}
ADD_ONE = {"hybridized": add_one}
