# SPDX-License-Identifier: Apache-2.0
"""Gradients of the user's own in captured modules: a `torch.autograd.Function` becomes one node of the program."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from itertools import zip_longest
from typing import Any, ClassVar

import torch
from torch.utils.checkpoint import CheckpointFunction, checkpoint, checkpoint_sequential

from hybridize.array.symbol import Symbol
from hybridize.base.dims import broadcast
from hybridize.base.types import TensorType
from hybridize.capture.convert import statements as convert
from hybridize.capture.python.router import library_router, routed
from hybridize.capture.trace.recording import Recording, active_trace
from hybridize.torch.backward import CALLS
from hybridize.torch.functions.rules import torch_dtype
from hybridize.torch.internals import records
from hybridize.torch.tensors import TracedTensor


class Context:
    """The `ctx` of `forward` and `backward`: it keeps what one has for the other."""

    def __init__(self, needs: Sequence[bool]) -> None:
        self.saved_tensors: tuple[Any, ...] = ()
        self.needs_input_grad: tuple[bool, ...] = tuple(needs)
        self.non_differentiable: tuple[Any, ...] = ()
        """Results without a history."""
        self.materialize_grads: bool = True
        """True if a cotangent that does not arrive is zeros, else it is None."""

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors."""
        self.saved_tensors = tensors

    saved_variables: ClassVar[property] = property(lambda self: self.saved_tensors)

    def save_for_forward(self, *tensors: Any) -> None:
        """Nothing more to say: programs know no tangents."""

    def mark_non_differentiable(self, *args: Any) -> None:
        """Give results no history."""
        self.non_differentiable = args

    def mark_dirty(self, *args: Any) -> None:
        """Nothing more to say: writes are seen."""

    def set_materialize_grads(self, value: bool) -> None:
        """Set `materialize_grads`."""
        self.materialize_grads = value


class _Custom:
    """One call of a function with a gradient of its own, as the capture calls such."""

    is_of_one_call: ClassVar[bool] = True

    def __init__(self, kind: Any, needs: Sequence[bool]) -> None:
        self._kind, self._context = kind, Context(needs)
        self.__name__ = kind.__name__
        self._kinds: Sequence[TensorType | None] = ()
        """Types of the arguments that are tensors."""
        self.constant: Sequence[bool] = ()
        """For each result of `forward`, whether it has no history."""

    def forward(self, *args: Any) -> Any:
        """Run `forward` on symbols, while torch records no gradients."""
        arguments = [TracedTensor(x) if type(x) is Symbol and x.weak is None else x for x in args]
        self._kinds = [x.type if type(x) is Symbol else None for x in args]
        trace = active_trace()
        trace.root.world.made(self._context, trace)
        with torch.no_grad():
            if self._kind.setup_context is torch.autograd.Function.setup_context:
                output = trace.convert(self._kind.forward)(self._context, *arguments)
            else:
                output = trace.convert(self._kind.forward)(*arguments)
                trace.convert(self._kind.setup_context)(self._context, tuple(arguments), output)
        marked = {id(one) for one in self._context.non_differentiable}
        results = output if isinstance(output, (tuple, list)) else [output]
        self.constant = [id(one) in marked or not torch.is_floating_point(trace.lifted(one)) for one in results]
        return _bare(output)

    def backward(self, *heads: Any) -> Any:
        """Run `backward` on symbols."""
        trace = active_trace()
        context = self._context
        trace.root.world.made(context, trace)
        cotangents: list[Any] = list(map(TracedTensor, heads))
        if not context.materialize_grads:
            if self.constant.count(False) > 1:
                raise trace.refusal(
                    "E422",
                    f"{self.__name__} of several results says set_materialize_grads(False): which gradients arrive "
                    f"is not known while capturing",
                    help="leave the call out: missing gradients are then zeros",
                )
            cotangents = [None if fixed else one for one, fixed in zip(cotangents, self.constant, strict=True)]
        output = trace.convert(self._kind.backward)(context, *cotangents)
        gradients = output if isinstance(output, (tuple, list)) else (output,)
        return [_bare(_fitted(*pair)) for pair in zip_longest(gradients, self._kinds[: len(gradients)])]


def _fitted(gradient: Any, kind: TensorType | None) -> Any:
    """Return a gradient in the sizes and dtype of its argument, as torch makes it: summed where it was broadcast."""
    if kind is None or type(gradient) is not TracedTensor or gradient.array.type == kind:
        return gradient
    shape, sizes = tuple(kind.shape), tuple(gradient.shape)
    if sizes != shape and broadcast(shape, sizes) == sizes:
        first = len(sizes) - len(shape)
        axes = [k for k in range(len(sizes)) if k < first or shape[k - first] != sizes[k]]
        gradient = gradient.sum(axes, keepdim=True).reshape(shape)
    return gradient.to(torch_dtype(kind.dtype))


def _bare(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [_bare(one) for one in value]
    return value.array if type(value) is TracedTensor else value


def custom_call(function: Any) -> Callable[..., Any] | None:
    """Return what a program calls for `Kind.apply`, of a `torch.autograd.Function`; None for all else."""
    kind = getattr(function, "__self__", None)
    if not (isinstance(kind, type) and issubclass(kind, torch.autograd.Function)):
        return None
    return partial(_applied, kind) if getattr(function, "__name__", "") == "apply" else None


def _applied(kind: Any, *args: Any) -> Any:
    trace = active_trace()
    library = trace.root.library
    assert library is not None, "the module is captured"
    if kind is CheckpointFunction:
        return _recomputed(*args)
    if kind.setup_context is not torch.autograd.Function.setup_context:
        bound = inspect.signature(kind.forward).bind(*args)
        bound.apply_defaults()
        args = bound.args
    arguments = [trace.lifted(arg) for arg in args]
    needs = [type(arg) is TracedTensor and library.requires_grad(trace, arg) for arg in arguments]
    custom = _Custom(kind, needs)
    trace.root.world.made(custom, trace)
    inputs = [arg.array if type(arg) is TracedTensor else arg for arg in arguments]
    if not (any(needs) and records()):
        return _faces(custom.forward(*inputs))
    output = trace.form("custom", custom, inputs)
    if not isinstance(output, (tuple, list)):
        return _detached(TracedTensor(output)) if custom.constant[0] else TracedTensor(output)
    pairs = zip(_faces(output), custom.constant, strict=True)
    return tuple(_detached(one) if fixed else one for one, fixed in pairs)


def _faces(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return tuple(map(_faces, value))
    return TracedTensor(value) if type(value) is Symbol and value.weak is None else value


def _detached(one: Any) -> Any:
    """Return a result without a history; others are numbers."""
    return one.detach() if type(one) is TracedTensor and one.is_floating_point() else one


def _recomputed(function: Callable[..., Any], preserve: bool, *args: Any) -> Any:
    """Return `function(*args)`, which PyTorch's reentrant checkpoints compute again as they go back: without a history
    where no argument has one.
    """
    trace = active_trace()
    arguments = [trace.lifted(arg) for arg in args]
    has_history = any(isinstance(arg, torch.Tensor) and arg.requires_grad for arg in arguments)
    if not has_history:
        routed(warnings.warn)("None of the inputs have requires_grad=True. Gradients will be None")
    with torch.set_grad_enabled(has_history and records()):
        return routed(function)(*arguments)


def _followed(function: Any, trace: Recording, *args: Any, **kwargs: Any) -> Any:
    """Call a function of torch's converted, as what it calls is the user's, or as it raises by data."""
    twin: Any = convert.converted(function, library_router(function))
    return twin(*args, **kwargs)


CALLS |= {
    function: partial(_followed, inspect.unwrap(function))
    for function in (checkpoint, checkpoint_sequential, torch.nn.functional.gaussian_nll_loss)
}
