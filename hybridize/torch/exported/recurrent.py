# SPDX-License-Identifier: Apache-2.0
"""PyTorch's recurrent layers as one operator each, whose results have sizes for any number of steps.

Torch itself traces them step by step, so that a program would be for one number of steps. While a module is traced they
are called by operators of ours, which have types but compute nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from hybridize.base.errors import CaptureError
from hybridize.base.once import once

_MODES = ("lstm", "gru", "rnn_tanh", "rnn_relu")
_PACKS = "_pack_padded_sequence"
"""The function of torch through which all that packs sequences goes."""


@once
def _operators() -> dict[Any, Any]:
    """Define the operators; by the functions of torch that they stand for."""
    return {getattr(torch, mode): _operator(mode) for mode in _MODES}


def _operator(mode: str) -> Any:
    def compute(
        x: torch.Tensor, states: Sequence[torch.Tensor], parameters: Sequence[torch.Tensor], biased: bool,
        num_layers: int, dropout: float, training: bool, bidirectional: bool, batch_first: bool,
    ) -> list[torch.Tensor]:  # fmt: skip
        begin = tuple(states) if mode == "lstm" else states[0]
        numbers = biased, num_layers, dropout, training, bidirectional, batch_first
        found: list[torch.Tensor] = list(getattr(torch, mode)(x, begin, list(parameters), *numbers))
        return found

    def typed(
        x: torch.Tensor, states: Sequence[torch.Tensor], parameters: Sequence[torch.Tensor], biased: bool,
        num_layers: int, dropout: float, training: bool, bidirectional: bool, batch_first: bool,
    ) -> list[torch.Tensor]:  # fmt: skip
        width = states[0].shape[2] * (2 if bidirectional else 1)
        return [x.new_empty((x.shape[0], x.shape[1], width)), *(torch.empty_like(state) for state in states)]

    made: Any = torch.library.custom_op(f"hybridize::{mode}", compute, mutates_args=())
    made.register_fake(typed)
    return made


def stands_for(function: Callable[..., Any]) -> bool:
    """Tell whether a function of torch runs recurrent layers, or packs sequences for them."""
    name = getattr(function, "__name__", "")
    return name == _PACKS or (name in _MODES and function in _operators())


def is_theirs(gradient: type) -> bool:
    """Tell whether a `torch.autograd.Function` is what torch makes by itself for one of the operators."""
    return gradient.__name__ in {f"GeneratedBackwardFor_hybridize_{mode}_default" for mode in _MODES}


def call(function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Call the operator that stands for a function.

    Raises:
        CaptureError E422: the layers are over a packed sequence, or one is made.
    """
    packs = function.__name__ == _PACKS
    if kwargs and not packs:
        return function(*args, **kwargs)
    x, *rest = args
    if packs or len(rest) < 8 or not isinstance(rest[2], bool):
        raise CaptureError(
            "E422",
            "a recurrent layer over a packed sequence, whose steps have batches of different sizes",
            help="give it the padded tensor, and leave out what comes after the end of a sequence; the layers of "
            "gluon.rnn take lengths, use_sequence_length=True",
        )
    states = list(rest[0]) if isinstance(rest[0], (tuple, list)) else [rest[0]]
    return tuple(_operators()[function](x, states, list(rest[1]), *rest[2:]))
