# SPDX-License-Identifier: Apache-2.0
"""`torch.amp.GradScaler` as part of a captured step: losses that are scaled, gradients that are scaled back.

Its scale and its count of good steps are tensors, which programs write where they lie. Whether gradients are finite
decides whether there is a step: a program is made for either answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.amp import GradScaler

from hybridize.array.symbol import Symbol
from hybridize.capture.control.truth import truth
from hybridize.capture.trace.recording import Recording, active_trace
from hybridize.contract.places import CallResult
from hybridize.torch import optimizers
from hybridize.torch.backward import CURRENT
from hybridize.torch.internals import is_scaler_ready, tensors_of_scaler


@dataclass(slots=True)
class Scaled:
    """The state of one optimizer between two updates of a scale."""

    overflow: Any
    """A tensor, above 0 if a gradient is not finite."""
    stepped: bool = False


def settings_of(scaler: GradScaler) -> tuple[Any, ...]:
    """Return what a scaler goes by, and whether nothing is pending of a step outside."""
    if not scaler.is_enabled():
        return (False,)
    factors = scaler.get_growth_factor(), scaler.get_backoff_factor(), scaler.get_growth_interval()
    return True, *factors, is_scaler_ready(scaler)


def _settings(trace: Recording, scaler: GradScaler) -> tuple[Any, ...]:
    """Depend on what a scaler goes by, and return it.

    Raises:
        CaptureError E422: `unscale_()` or `step()` outside is still without `update()`.
    """
    place = CallResult(settings_of, (scaler,), {})
    settings: tuple[Any, ...] = place.read()
    trace.root.world.read(place, settings, "a GradScaler", whole=False)
    if settings[0] and not settings[-1]:
        raise trace.refusal(
            "E422",
            "a GradScaler on which unscale_() or step() was called outside without update() after it",
            help="call unscale_(), step() and update() all inside or all outside the compiled function",
        )
    return settings


def _tensors(trace: Recording, scaler: GradScaler) -> tuple[Any, Any]:
    """Return the scale and the count of good steps as tensors of the program."""
    scale, count = tensors_of_scaler(scaler)
    return trace.lifted(scale), trace.lifted(count)


def _pending(scaler: GradScaler) -> dict[int, Scaled]:
    """Return what the program has done since the last update, by the identity of the optimizer."""
    records: dict[int, Scaled] = CURRENT.get().scaled.setdefault(id(scaler), {})
    return records


def scale(trace: Recording, scaler: GradScaler, outputs: Any) -> Any:
    """Multiply tensors by the scale."""
    if not _settings(trace, scaler)[0]:
        return outputs
    if isinstance(outputs, torch.Tensor):
        return outputs * _tensors(trace, scaler)[0]
    if not isinstance(outputs, (list, tuple)):
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")
    return type(outputs)(scale(trace, scaler, one) for one in outputs)


def unscale(trace: Recording, scaler: GradScaler, optimizer: torch.optim.Optimizer) -> None:
    """Divide the gradients of an optimizer's parameters by the scale, and see whether all are finite."""
    if not _settings(trace, scaler)[0]:
        return
    done = _pending(scaler).get(id(optimizer))
    if done is not None:
        raise RuntimeError(
            "unscale_() is being called after step()."
            if done.stepped
            else "unscale_() has already been called on this optimizer since the last update()."
        )
    with torch.no_grad():
        factor = _tensors(trace, scaler)[0].double().reciprocal().float()
        overflow: Any = None
        for group in optimizer.param_groups:
            for param in group["params"]:
                grad = CURRENT.get().grad(trace, param)
                if grad is None:
                    continue
                if grad.dtype is torch.float16:
                    raise ValueError("Attempting to unscale FP16 gradients.")
                bad = torch.logical_not(torch.isfinite(grad)).any()
                overflow = bad if overflow is None else torch.logical_or(overflow, bad)
                grad.mul_(factor)
    if overflow is None:
        raise AssertionError("No inf checks were recorded for this optimizer.")
    _pending(scaler)[id(optimizer)] = Scaled(overflow.float())


def step(trace: Recording, scaler: GradScaler, optimizer: torch.optim.Optimizer, *args: Any, **kwargs: Any) -> Any:
    """Update the parameters unless a gradient is not finite.

    Raises:
        CaptureError E401: data decides it; the program for either answer is made next.
        RuntimeError: in torch's words.
    """
    if not _settings(trace, scaler)[0]:
        return optimizers.step(trace, optimizer, *args, **kwargs)
    if "closure" in kwargs:
        raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
    known = _pending(scaler).get(id(optimizer))
    if known is not None and known.stepped:
        raise RuntimeError("step() has already been called since the last update().")
    if known is None:
        unscale(trace, scaler, optimizer)
    scaled = _pending(scaler)[id(optimizer)]
    result = None
    is_bad = truth(scaled.overflow > 0)
    if type(is_bad) is Symbol:
        raise trace.refusal(
            "E401",
            "step() of a GradScaler in a branch or loop that depends on data, or with gradients computed in Python",
            help="call step() outside such branches and loops",
        )
    if not is_bad:
        result = optimizers.step(trace, optimizer, *args, **kwargs)
    scaled.stepped = True
    return result


def update(trace: Recording, scaler: GradScaler, new_scale: Any = None) -> None:
    """Make the scale smaller where a gradient was not finite, and larger after enough good steps."""
    settings = _settings(trace, scaler)
    if not settings[0]:
        return
    _, growth, backoff, interval, _ = settings
    now, count = _tensors(trace, scaler)
    pending = _pending(scaler)
    with torch.no_grad():
        if new_scale is not None:
            now.copy_(trace.lifted(new_scale)) if isinstance(new_scale, torch.Tensor) else now.fill_(new_scale)
            pending.clear()
            return
        if not pending:
            raise AssertionError("No inf checks were recorded prior to update.")
        bad = torch.stack([one.overflow for one in pending.values()]).sum() > 0
        good = count + 1
        grown = now * growth
        is_due = torch.logical_and(good == interval, torch.logical_not(bad))
        larger = torch.where(torch.logical_and(is_due, torch.isfinite(grown)), grown, now)
        count.copy_(torch.where(torch.logical_or(bad, is_due), 0, good))
        now.copy_(torch.where(bad, now * backoff, larger))
    pending.clear()


def get_scale(trace: Recording, scaler: GradScaler) -> Any:
    """The scale, as a number of Python's; 1.0 where nothing is scaled."""
    return _tensors(trace, scaler)[0].item() if _settings(trace, scaler)[0] else 1.0


_METHODS: dict[str, Callable[..., Any]] = {
    "scale": scale, "unscale_": unscale, "step": step, "update": update, "get_scale": get_scale,
}  # fmt: skip


def scaler_call(function: Any) -> Callable[..., Any] | None:
    """Return what a program calls for a method of a scaler; None for all else."""
    owner = getattr(function, "__self__", None)
    method = _METHODS.get(getattr(function, "__name__", "")) if isinstance(owner, GradScaler) else None
    if method is None:
        return None

    def called(*args: Any, **kwargs: Any) -> Any:
        trace = active_trace()
        return method(trace, owner, *args, **kwargs)

    return called


def check_updated(trace: Recording) -> None:
    """See that nothing is pending as the function ends.

    Raises:
        CaptureError E422: a scaler has not been updated since a step.
    """
    if any(CURRENT.get().scaled.values()):
        raise trace.refusal(
            "E422",
            "unscale_() or step() of a GradScaler without update() in the same call of the compiled function",
            help="call scaler.update() after the last step inside the compiled function",
        )
