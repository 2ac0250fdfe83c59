# SPDX-License-Identifier: Apache-2.0
"""Gradients of the user's own in captured modules: a `torch.autograd.Function` becomes one node of the program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import torch

from hybridize.array.symbol import Symbol
from hybridize.capture.trace.recording import current_trace
from hybridize.torch.tensors import TracedTensor


class Context:
    """The `ctx` of `forward` and `backward`: it keeps what one has for the other."""

    def __init__(self, needs: Sequence[bool]) -> None:
        self.saved_tensors: tuple[Any, ...] = ()
        self.needs_input_grad = tuple(needs)

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors."""
        self.saved_tensors = tensors

    saved_variables = property(lambda self: self.saved_tensors)

    def mark_non_differentiable(self, *args: Any) -> None:
        """Nothing more to say: what is no float has no gradient."""

    def mark_dirty(self, *args: Any) -> None:
        """Nothing more to say: writes are seen."""

    def set_materialize_grads(self, value: bool) -> None:
        """Nothing more to say: every gradient of a program is there."""


class _Custom:
    """One call of a function with a gradient of its own, as the capture calls such."""

    is_of_one_call: ClassVar[bool] = True

    def __init__(self, kind: Any, needs: Sequence[bool]) -> None:
        self._kind, self._context = kind, Context(needs)
        self.__name__ = kind.__name__

    def forward(self, *args: Any) -> Any:
        """Run `forward` on symbols."""
        given = [TracedTensor(x) if type(x) is Symbol and x.weak is None else x for x in args]
        trace = current_trace()
        assert trace is not None, "it is captured"
        trace.root.world.made(self._context, trace)
        if self._kind.setup_context is torch.autograd.Function.setup_context:
            return _bare(trace.convert(self._kind.forward)(self._context, *given))
        output = trace.convert(self._kind.forward)(*given)
        trace.convert(self._kind.setup_context)(self._context, tuple(given), output)
        return _bare(output)

    def backward(self, *heads: Any) -> Any:
        """Run `backward` on symbols."""
        trace = current_trace()
        assert trace is not None, "it is captured"
        trace.root.world.made(self._context, trace)
        return _bare(trace.convert(self._kind.backward)(self._context, *map(TracedTensor, heads)))


def _bare(found: Any) -> Any:
    if isinstance(found, (tuple, list)):
        return [_bare(one) for one in found]
    return found.array if type(found) is TracedTensor else found


def custom_call(function: Any) -> Callable[..., Any] | None:
    """Return what a program calls for `Kind.apply`, of a `torch.autograd.Function`; None for all else."""
    kind = getattr(function, "__self__", None)
    if not (isinstance(kind, type) and issubclass(kind, torch.autograd.Function)):
        return None
    return None if getattr(function, "__name__", "") != "apply" else _applying(kind)


def _applying(kind: Any) -> Callable[..., Any]:
    def applied(*args: Any) -> Any:
        trace = current_trace()
        assert trace is not None, "who asks is recording"
        library = trace.root.library
        assert library is not None, "the module is captured"
        given = [trace.lifted(arg) for arg in args]
        needs = [type(arg) is TracedTensor and library.requires_grad(trace, arg) for arg in given]
        custom = _Custom(kind, needs)
        trace.root.world.made(custom, trace)
        inputs = [arg.array if type(arg) is TracedTensor else arg for arg in given]
        found = trace.custom(custom, inputs) if any(needs) and torch.is_grad_enabled() else custom.forward(*inputs)
        if isinstance(found, (tuple, list)):
            return tuple(TracedTensor(one) if type(one) is Symbol else one for one in found)
        return TracedTensor(found) if type(found) is Symbol else found

    return applied
