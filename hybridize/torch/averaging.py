# SPDX-License-Identifier: Apache-2.0
"""`torch.optim.swa_utils.AveragedModel` as part of a captured step: averages of the weights that a training has had."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.optim.swa_utils import AveragedModel, get_swa_avg_fn

from hybridize.capture.python.router import routed
from hybridize.capture.trace.recording import Recording, active_trace
from hybridize.contract.places import Attribute

_AVERAGE: Callable[..., Any] = get_swa_avg_fn()  # type: ignore[no-untyped-call]


def update_parameters(trace: Recording, averaged: AveragedModel, model: torch.nn.Module) -> None:
    """Move the averages towards the weights of a model; the first time they are these.

    Both are computed, and the count, which only the program knows, chooses.
    """
    library: Any = trace.root.library
    for module in (averaged, model):
        library.depend(trace, module, "parameters")
    names = ("avg_fn", "multi_avg_fn", "use_buffers", "n_averaged")
    average, averages, with_buffers, count = (
        trace.root.world.read(Attribute(averaged, name), getattr(averaged, name), name, whole=False) for name in names
    )
    inside = averaged.module
    targets = [*inside.parameters(), *(inside.buffers() if with_buffers else ())]
    sources = [*model.parameters(), *(model.buffers() if with_buffers else ())]
    with torch.no_grad():
        pairs = [(trace.lifted(one), trace.lifted(other)) for one, other in zip(targets, sources, strict=False)]
        is_first = count == 0
        if averages is not None:
            groups: dict[torch.dtype, list[tuple[Any, Any]]] = {}
            for pair in pairs:
                groups.setdefault(pair[0].dtype, []).append(pair)
            for group in groups.values():
                mine, theirs = ([pair[k] for pair in group] for k in (0, 1))
                routed(averages)(mine, theirs, count)
            updates = [one for one, _ in pairs]
        else:
            one_by_one = _AVERAGE if average is None else average
            updates = [routed(one_by_one)(one.detach(), other.detach(), count) for one, other in pairs]
        for (one, other), new in zip(pairs, updates, strict=True):
            one.copy_(torch.where(is_first, other.to(new.dtype), new))
        if not with_buffers:
            for one, other in zip(inside.buffers(), model.buffers(), strict=True):
                trace.lifted(one).copy_(trace.lifted(other))
        count.add_(1)


def averaging_call(function: Any) -> Callable[..., Any] | None:
    """Return what a program calls for `AveragedModel.update_parameters`; None for all else."""
    owner = getattr(function, "__self__", None)
    if not isinstance(owner, AveragedModel) or getattr(function, "__func__", None) is not _UPDATE:
        return None

    def called(model: torch.nn.Module) -> None:
        trace = active_trace()
        update_parameters(trace, owner, model)

    return called


_UPDATE = AveragedModel.update_parameters
