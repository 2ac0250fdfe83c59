# SPDX-License-Identifier: Apache-2.0
"""Classes of the user's that derive from layers of ours: which of `forward` and `hybrid_forward` runs.

In MXNet 1 a layer is its `hybrid_forward(F, x, weight, bias)`, which `HybridBlock.forward` calls. Layers of ours are
written as `forward(x)`, which reads its parameters, so that a call has no further frame. A class of the user's that
defines one of the two gets `Overriding` between itself and the layer: there `forward` goes to `hybrid_forward` where
the user has defined it, and else to the layer. A layer's own `hybrid_forward` is its `forward` applied to a view of
the block, whose parameters are the values that were passed.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import sys
from collections.abc import Callable
from typing import Any, cast

from hybridize.array.nd_array import through_np
from hybridize.base.errors import ArgumentError
from hybridize.base.loading import load_module
from hybridize.gluon.deferred import array_of, is_deferred
from hybridize.gluon.parameter import Parameter

INTERNALS = {
    "_build_cache": "there is no cached graph of MXNet's; override hybrid_forward",
    "_call_cached_op": "there is no cached graph of MXNet's; override hybrid_forward",
    "_get_graph": "there is no cached graph of MXNet's; override hybrid_forward",
    "_deferred_infer_shape": "the first call says what shapes are; override infer_shape(self, *inputs)",
    "_infer_attrs": "the first call says what shapes are; override infer_shape(self, *inputs)",
}
"""Methods of MXNet's blocks that nothing here calls, and what to override instead."""
_MXNETS = frozenset({
    "_act_type", "_activation", "_alias", "_alpha", "_axes", "_axis", "_batch_axis", "_beta", "_center", "_channels",
    "_children", "_collect_params_with_prefix", "_compute_full", "_counter", "_dropout", "_dtype", "_epsilon",
    "_factors", "_flatten", "_from_logits", "_from_sigmoid", "_func", "_func_name", "_gates", "_get_activation",
    "_h2h_dilate", "_h2h_kernel", "_h2r_weight_initializer", "_hidden_channels", "_hidden_size", "_i2h_dilate",
    "_i2h_kernel", "_i2h_pad", "_in_channels", "_in_units", "_input_shape", "_kwargs", "_kwargs_deformable_conv",
    "_kwargs_offset", "_label_format", "_label_layout", "_layout", "_margin", "_mode", "_num_groups", "_op_name",
    "_padding", "_params", "_prefix", "_projection_size", "_rate", "_recurrent_activation", "_reg_params", "_rho",
    "_scale", "_scope", "_size", "_sparse_label", "_state_shape", "_stride", "_units", "_use_sequence_length",
    "_weight", "_width",
})  # fmt: skip
"""Private names of MXNet's blocks that ours use in the same meaning: to set one has effect."""
OF_LAYERS = {
    "_forward_kernel": "layers of rnn run as one function; override hybrid_forward(self, F, inputs, states, **weights)",
    "_get_activation": "cells apply activations themselves; pass activation=, or override hybrid_forward",
}
"""The same of MXNet's layers."""


class Overriding:
    """Stands between the classes of the user's and the layer of ours that they derive from."""

    _overrides: bool
    _by_hybrid_forward: Callable[..., Any]

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        layer: Any = super()
        return self._by_hybrid_forward(*args, **kwargs) if self._overrides else through_np(layer.forward, args, kwargs)

    def infer_shape(self, *args: Any) -> None:
        """Leave the shapes to the first use of the parameters where `hybrid_forward` is the user's."""
        layer: Any = super()
        if not self._overrides:
            layer.infer_shape(*args)


def settle(kind: Any, default: Callable[..., Any]) -> None:
    """Note the computation of a layer of ours; let a class of the user's have what it overrides.

    Args:
        kind: the class.
        default: `forward` of a class that defines none.

    Raises:
        ArgumentError E369: the class overrides a method of MXNet's that nothing here calls.
    """
    if kind.__module__.startswith("hybridize."):
        kind._computation = None if kind.forward is default else kind.forward
        return
    for name, help in (INTERNALS if kind._computation is None else INTERNALS | OF_LAYERS).items():
        if name in vars(kind):
            raise ArgumentError("E369", f"{kind.__name__} overrides {name}, which is not called here", help=help)
    own = False
    for one in kind.__mro__:
        if one is Overriding:
            return
        if vars(one).get("_computation") is not None:
            break
        own = own or "forward" in vars(one) or "hybrid_forward" in vars(one)
    else:
        return
    if own:
        bases = list(kind.__bases__)
        bases.insert(next(k for k, base in enumerate(bases) if getattr(base, "_computation", None)), Overriding)
        kind.__bases__ = tuple(bases)


def check_names(kind: type) -> None:
    """Refuse a class of the user's that defines what a class of ours keeps for itself, and MXNet's has not.

    Raises:
        ArgumentError E369: it does.
    """
    if not kind.__module__.startswith("hybridize."):
        for name in vars(kind):
            if name[:1] == "_" and name in _methods(kind):
                raise _taken(kind, name, "defines")


def resettle(kind: Any, default: Callable[..., Any]) -> None:
    """Take note of a `hybrid_forward` that a program has set on a class after the class was made.

    Args:
        kind: the class of a new block.
        default: `forward` of a class that defines none.

    Raises:
        ArgumentError E369: it is set on a class of ours, or on one that a layer of ours derives from.
    """
    for one in kind.__mro__:
        own = vars(one).get("hybrid_forward")
        if one.__module__.startswith("hybridize.") and own is not None and not is_ours(own):
            what = f"hybrid_forward was set on {one.__name__}, a class that all its users share"
            raise ArgumentError("E369", what, help=f"derive a class: class Own({one.__name__}): def hybrid_forward")
    settle(kind, default)


def is_ours(function: Any) -> bool:
    """Tell whether a function is one of hybridize's own classes."""
    return str(getattr(function, "__module__", "")).startswith("hybridize.")


def check_private(block: Any, name: str) -> None:
    """Refuse to set an attribute of a layer that it keeps for itself, and MXNet's has not.

    Args:
        block: the layer, or what derives from it.
        name: of the attribute, which begins with an underscore.

    Raises:
        ArgumentError E369: it is one.
    """
    frame, kind = sys._getframe(2), cast("Any", type(block))
    while frame.f_code.co_name == "__setattr__" and frame.f_back is not None:
        frame = frame.f_back
    if not frame.f_globals.get("__name__", "").startswith("hybridize.") and name in _attributes(kind):
        raise _taken(kind, name, "is given")


def _taken(kind: type, name: str, verb: str) -> ArgumentError:
    what = f"{kind.__name__} {verb} {name}, a name that hybridize's class keeps for itself"
    return ArgumentError("E369", what, help=f"MXNet has no {name} there: choose another name")


@functools.lru_cache(1024)
def _attributes(kind: type) -> frozenset[str]:
    """Return the private attributes that classes of ours set, but those that MXNet's have in the same meaning."""
    ours = (base for base in kind.__mro__ if base.__module__.startswith("hybridize."))
    return frozenset().union(*map(_stored, ours)) - _MXNETS


@functools.lru_cache(1024)
def _stored(base: type) -> frozenset[str]:
    """Return the private attributes that the methods of a class store in `self`, or that it declares."""
    dis, names = load_module("dis"), set(vars(base).get("__annotations__", ()))
    for function in map(inspect.unwrap, filter(inspect.isfunction, vars(base).values())):
        if any(name[:1] == "_" for name in function.__code__.co_names):
            steps = list(dis.get_instructions(function))
            names.update(
                step.argval
                for before, step in itertools.pairwise(steps)
                if step.opname == "STORE_ATTR" and before.argval == "self"
            )
    return frozenset(name for name in names if name[:1] == "_" and name[:2] != "__")


class ParameterValue:
    """A value in place of a parameter, as layers read it."""

    __slots__ = ("_array", "_parameter")
    deferred = False
    _deferred = None

    def __init__(self, array: Any, parameter: Parameter) -> None:
        self._array, self._parameter = array, parameter

    def data(self, *device: Any, **named: Any) -> Any:
        return self._array

    @property
    def shape(self) -> Any:
        return self._array.shape

    def __getattr__(self, name: str) -> Any:
        return getattr(self._parameter, name)


@functools.lru_cache(1024)
def _signature(computation: Callable[..., Any], operands: str) -> inspect.Signature:
    """Return the signature of `hybrid_forward` without `self` and `F`: the inputs, then the operands."""
    inputs = list(inspect.signature(computation).parameters.values())[1:]
    last = inputs[-1] if inputs else None
    keywords = last is not None and (last.kind is not last.POSITIONAL_OR_KEYWORD or last.default is not last.empty)
    kind = inspect.Parameter.KEYWORD_ONLY if keywords else inspect.Parameter.POSITIONAL_OR_KEYWORD
    for name in operands.split():
        default = None if name.endswith("?") else inspect.Parameter.empty
        inputs.append(inspect.Parameter(name.removesuffix("?"), kind, default=default))
    return inspect.Signature(inputs)


@functools.lru_cache(1024)
def _methods(kind: type) -> frozenset[str]:
    """Return the private methods of layers of ours: an attribute of the user's may have the name of one."""
    ours = (base for base in kind.__mro__ if base.__module__.startswith("hybridize."))
    members = (item for base in ours for item in vars(base).items())
    return (
        frozenset(name for name, value in members if name[:1] == "_" and name[:2] != "__" and inspect.isfunction(value))
        - _MXNETS
    )


def apply(block: Any, *args: Any, **kwargs: Any) -> Any:
    """Compute what a layer of ours does to inputs, with values in place of its parameters.

    Args:
        block: the layer, or what derives from it.
        *args: the inputs, then the values, by position.
        **kwargs: the others, by keyword.

    Raises:
        ArgumentError E344: one lacks, or is one too many.
    """
    computation = type(block)._computation
    signature = _signature(computation, block._operands)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        takes = ", ".join(["F", *(str(one).replace(": 'Any'", "") for one in signature.parameters.values())])
        what = f"hybrid_forward of {computation.__qualname__.partition('.')[0]}: {error}"
        raise ArgumentError("E344", what, help=f"it takes ({takes})") from None
    names = block._operands.replace("?", "").split()
    values = {name: bound.arguments.pop(name, None) for name in names}
    if any(map(is_deferred, values.values())):
        layer: Any = super(Overriding, block) if isinstance(block, Overriding) else block
        layer.infer_shape(*bound.args)
    view: Any = object.__new__(type(block))
    hidden = _methods(cast("Any", type(block)))
    vars(view).update((name, value) for name, value in vars(block).items() if name not in hidden)
    for name, value in values.items():
        vars(view)[name] = None if value is None else ParameterValue(array_of(value), block._parameters.get(name))
    return computation(view, *bound.args, **bound.kwargs)
