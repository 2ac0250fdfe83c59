# SPDX-License-Identifier: Apache-2.0
"""Modules of which each process of a training has one: `DistributedDataParallel`, compiled inside."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.parallel import DistributedDataParallel

from hybridize.torch.function import TorchFunction


def module_compiled(module: torch.nn.Module, **options: Any) -> torch.nn.Module:
    """Return a module compiled; of one that sums gradients over processes, what is inside of it.

    What PyTorch does around the inner module's call, and as gradients are written, is no part of any program: such a
    module stays PyTorch's, and its sums run beside the backward pass as they do without us.
    """
    if not isinstance(module, DistributedDataParallel):
        return TorchFunction(module, **options)
    around: DistributedDataParallel = object.__new__(type(module))
    own = vars(around)
    own.update(vars(module))
    own["_modules"] = {"module": TorchFunction(module.module, **options)}
    own["_made_of"] = module  # whose reducer it shares, which knows it by a weak reference
    return around
