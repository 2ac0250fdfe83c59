# SPDX-License-Identifier: Apache-2.0
"""A module as `torch.export` is to see it: what its Python says about gradients becomes part of what is traced.

Torch traces without gradients, so a block under `torch.no_grad()` would look like any other. Here the module is traced
with gradients on, and what is read under `no_grad` is detached first. What has no operator, a gradient of the user's
own, is noted: a graph's gradient would be another one.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.distributions import Distribution
from torch.overrides import TorchFunctionMode

from hybridize.base.errors import CaptureError
from hybridize.base.forks import renewed
from hybridize.torch.being_exported import THREAD
from hybridize.torch.exported.recurrent import call, is_theirs, stands_for
from hybridize.torch.internals import BATCH_NORM, SET_GRAD, as_torch, pytree

_HOOKS = (
    "_backward_hooks",
    "_backward_pre_hooks",
)
"""The attributes in which a module keeps functions that its backward pass calls."""
_REGISTER = {torch.Tensor.register_hook, torch.Tensor.register_post_accumulate_grad_hook}
_ONE = renewed(threading.RLock())
"""Held while a module is traced, as classes of PyTorch are watched meanwhile."""


class Notes:
    """Facts about a module's backward pass that its forward pass does not tell."""

    # Not a list in the module itself: torch puts back what is in lists there.
    def __init__(self, found: Iterable[str]) -> None:
        self.found = list(found)


class TracedModule(torch.nn.Module):
    """A module around another one, which is called with gradients on."""

    PREFIX = "module."
    """Of the names of parameters and buffers."""

    def __init__(self, module: torch.nn.Module) -> None:
        super().__init__()
        self.train(module.training)
        self.module = module
        # Torch asks for its signature, to find out which sizes belong to which argument.
        self.forward = functools.wraps(module.forward)(functools.partial(self._forward))
        parts = [part for part in module.modules() if any(getattr(part, name, None) for name in _HOOKS)]
        self.notes = Notes(f"the backward hook of {type(part).__name__}" for part in parts)

    def _forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the module."""
        with _Gradients(self.notes):
            torch.set_grad_enabled(True)
            THREAD.traced = True
            try:
                with self._written():
                    return self.module(*args, **kwargs)
            finally:
                THREAD.traced = False
                torch.set_grad_enabled(False)

    @contextmanager
    def _written(self) -> Iterator[None]:
        """Make writes of assignments to buffers, which torch sees of the outermost module alone.

        Raises:
            CaptureError E425: a buffer becomes one of another type.
        """
        before = [
            (part._buffers, name, buffer)
            for part in self.module.modules()
            for name, buffer in part._buffers.items()
            if buffer is not None
        ]
        yield
        for buffers, name, buffer in before:
            now = buffers.get(name)
            if now is buffer:
                continue
            if now is None or now.shape != buffer.shape or now.dtype != buffer.dtype:
                raise CaptureError(
                    "E425",
                    f"the module makes another tensor of its buffer {name!r}: {buffer.dtype} of sizes "
                    f"{list(buffer.shape)} before",
                    help="keep its sizes and dtype, or return it instead",
                )
            buffer.copy_(now)
            buffers[name] = buffer

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Note the gradients of the user's own while this module is traced.

        Distributions do not check their arguments meanwhile: such a check is a branch on data. Batch norms compute
        their cumulative averages on tensors.
        """
        with _ONE:
            apply = torch.autograd.Function.__dict__["apply"]
            validate = Distribution._validate_args
            noting: Any = classmethod(
                self._noting(lambda cls, *args, **kwargs: apply.__get__(None, cls)(*args, **kwargs))
            )
            torch.autograd.Function.apply = noting  # type: ignore[method-assign]
            Distribution.set_default_validate_args(False)
            normalize = BATCH_NORM.forward
            averaging: Any = _averaging(normalize)
            BATCH_NORM.forward = averaging
            hooks = [getattr(part, name) for part in self.module.modules() for name in _HOOKS if hasattr(part, name)]
            kept = [dict(found) for found in hooks]
            for found in hooks:  # torch cannot set them up for its stand-ins
                found.clear()
            try:
                yield
            finally:
                for found, old in zip(hooks, kept, strict=True):
                    found.update(old)
                torch.autograd.Function.apply = apply  # type: ignore[method-assign]
                BATCH_NORM.forward = normalize
                Distribution.set_default_validate_args(validate)

    def _noting(self, apply: Callable[..., Any]) -> Callable[..., Any]:
        thread = threading.get_ident()

        def noted(cls: type, *args: Any, **kwargs: Any) -> Any:
            if threading.get_ident() == thread and not is_theirs(cls):
                self.notes.found.append(f"the torch.autograd.Function {cls.__name__}")
            return apply(cls, *args, **kwargs)

        return noted


def _averaging(normalize: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """Return the forward pass of batch norms, for this thread without Python's number of the batches so far.

    With `momentum=None` that number is what the running statistics are averaged by, and a program has no such number
    before it runs.
    """
    thread = threading.get_ident()

    def forward(self: Any, input: torch.Tensor) -> torch.Tensor:
        counted = self.training and self.track_running_stats and self.num_batches_tracked is not None
        if self.momentum is not None or not counted or threading.get_ident() != thread:
            return normalize(self, input)
        self._check_input_dim(input)
        self.num_batches_tracked.add_(1)
        mean, var = torch.zeros_like(self.running_mean), torch.zeros_like(self.running_var)
        y = torch.nn.functional.batch_norm(input, mean, var, self.weight, self.bias, True, 1.0, self.eps)
        share = 1.0 / self.num_batches_tracked
        for running, batch in ((self.running_mean, mean), (self.running_var, var)):
            running.copy_(share * batch + (1 - share) * running)
        return y

    return forward


class _Gradients(TorchFunctionMode):
    """Detaches what is read while gradients are off, and keeps the switch itself out of the graph."""

    def __init__(self, notes: Notes) -> None:
        super().__init__()
        self.notes = notes

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func is SET_GRAD:
            with as_torch():
                return func(*args)
        if func in _REGISTER:
            self.notes.found.append("a hook on a tensor")
        if not torch.is_grad_enabled():
            written = args[:1] if _writes(func) else ()
            args = (*written, *pytree.tree_map(_detached, args[len(written) :]))
            kwargs = {name: x if name == "out" else pytree.tree_map(_detached, x) for name, x in kwargs.items()}
        if stands_for(func):
            return call(func, args, kwargs)
        return func(*args, **kwargs)


def _detached(x: Any) -> Any:
    return x.detach() if isinstance(x, torch.Tensor) and x.is_floating_point() else x


def _writes(function: Any) -> bool:
    """Tell whether a function writes to its first argument: `add_`, `x[...] = y`, `x += y`, not `__invert__`."""
    name = getattr(function, "__name__", "")
    if name.startswith("__"):
        return name == "__setitem__" or (name.startswith("__i") and name != "__invert__" and name != "__int__")
    return name.endswith("_")
