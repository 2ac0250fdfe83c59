# SPDX-License-Identifier: Apache-2.0
"""Names of the tensors in files: those of state dicts, of modules and of optimizers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from hybridize.contract.captured import Captured
from hybridize.torch.modules import Wrapper
from hybridize.torch.optimizers import UpdateSettings


def named_tensors(function: Any, captures: Sequence[Captured]) -> list[tuple[str, torch.Tensor]]:
    """List the tensors that programs may read, by name.

    Args:
        function: the module, a method of it, or a function that calls modules.
        captures: its programs.
    """
    owner = getattr(function, "__self__", function)
    modules = [("", owner)] if isinstance(owner, torch.nn.Module) else _modules_of(captures)
    names: dict[int, tuple[str, torch.Tensor]] = {}
    for title, module in modules:
        for name, tensor in (*module.named_parameters(), *module.named_buffers()):
            names.setdefault(id(tensor), (f"{title}.{name}" if title and len(modules) > 1 else name, tensor))
    settings = [feed for one in captures for feed in one.transaction.feeds if isinstance(feed, UpdateSettings)]
    for feed in settings:
        for number, param in enumerate(feed.params):
            name, _ = names.setdefault(id(param), (f"parameter.{number}", param))
            for key, value in feed.state_of(param):
                names.setdefault(id(value), (f"{name}.{key}", value))
    gradients = [(f"{name}.grad", one.grad) for name, one in names.values() if one.is_leaf and one.grad is not None]
    return [*names.values(), *gradients]


def _modules_of(captures: Sequence[Captured]) -> list[tuple[str, torch.nn.Module]]:
    """List the modules that a function finds outside, with its names for them; parts of others are left out."""
    modules: dict[int, tuple[str, torch.nn.Module]] = {}
    for guard in (guard for one in captures for guard in (*one.guards, *one.seen)):
        module = guard.expected
        while isinstance(module, Wrapper):
            module = module.module
        if isinstance(module, torch.nn.Module):
            modules.setdefault(id(module), (str(getattr(guard.place, "name", "")), module))
    parts = {id(part) for _, module in modules.values() for part in module.modules() if part is not module}
    return [pair for number, pair in modules.items() if number not in parts]
