# SPDX-License-Identifier: Apache-2.0
"""PyTorch's tensors as the emitted entry takes them, and the modes of PyTorch in which it takes none.

The C functions of DLPack tell where a tensor has its elements, but neither that they are to be negated when they are
read, nor that a transform of functions wraps them. The dispatch keys of a tensor tell all that in one word; where it
lies is found out by looking, and where it is not found there is no such entry.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Final

import torch
from torch.autograd import forward_ad

from hybridize.base.config import CONFIG
from hybridize.runtime import cpython
from hybridize.runtime.entry import Look, Watch
from hybridize.runtime.exchange import Exchange, functions
from hybridize.torch.internals import MODES, MODES_ARE_KNOWN, keys_of, without_memory

_BODY: Final = range(16, 64, 8)
_KEYS: Final = range(8, 512, 8)
"""Offsets at which the pointer of a tensor to what it is in C++, and the keys of that, are looked for."""


@cache
def exchange() -> Exchange | None:
    """Return how an emitted entry takes and makes tensors; None where this PyTorch does not allow it."""
    addresses = functions(torch.Tensor)
    if addresses is None or not cpython.supported() or not MODES_ARE_KNOWN:
        return None
    usual = torch.zeros(2, 3)
    with torch.inference_mode():
        other = torch.zeros(3)
    odd = without_memory()
    tensors = [usual, other, torch.nn.Parameter(torch.zeros(3)), torch.zeros(2, dtype=torch.int64)[1:], *odd]
    bodies = [at for at in _BODY if all(_word(id(one) + at) == one._cdata for one in tensors)]
    keys = [at for at in _KEYS if all(_word(one._cdata + at) == keys_of(one) for one in tensors)]
    plain = keys_of(usual), keys_of(other)
    if not bodies or not keys or any(keys_of(one) in plain for one in odd):
        return None
    classes = torch.Tensor, torch.nn.Parameter
    return Exchange(classes, addresses, bodies[0], keys[0], plain, sys.intern("requires_grad"))


def is_memory(tensor: torch.Tensor) -> bool:
    """Tell whether a tensor is no more than memory."""
    return keys_of(tensor) in _plain_keys(tensor.device)


@cache
def _plain_keys(device: torch.device) -> tuple[int, int]:
    """The keys of tensors on a device that are no more than memory."""
    usual = torch.zeros(1, device=device)
    with torch.inference_mode():
        return keys_of(usual), keys_of(torch.zeros(1, device=device))


def _word(address: int) -> int:
    return int(ctypes.c_int64.from_address(address).value)


def modes(grad: bool) -> list[Watch]:
    """List the modes that must be as they usually are, with gradients or without, for an entry to take a call."""
    pairs = [(torch.is_grad_enabled, grad), *([(torch.is_inference_mode_enabled, False)] if grad else []), *MODES]
    watches = [Watch(Look.CALL, function, None, expected) for function, expected in pairs]
    watches.append(Watch(Look.SETTING, vars(forward_ad), "_current_level", -1))
    return [*watches, Watch(Look.SETTING, vars(CONFIG), "disable", False)]
