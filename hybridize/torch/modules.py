# SPDX-License-Identifier: Apache-2.0
"""Calls of modules while one is captured: hooks, the user's `forward` converted, torch's own layers as they are.

What a layer of torch's has in Python (its sizes, its mode, its children) is looked at as a whole before each call:
nobody sees what it reads.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, cast

import torch
from torch.nn.modules.lazy import LazyModuleMixin

from hybridize.base.errors import CaptureError
from hybridize.base.faces import Face
from hybridize.capture.convert import statements as convert
from hybridize.capture.outside.trust import is_trusted_class
from hybridize.capture.python.router import library_router, routed
from hybridize.capture.trace.recording import Recording, current_trace
from hybridize.contract.captured import SideEffect
from hybridize.contract.places import Attribute, Emptiness, Item, Length, Place
from hybridize.contract.snapshots import MISSING
from hybridize.torch.functions import apply
from hybridize.torch.functions.rules import default_dtype
from hybridize.torch.islands import is_island, island, island_call


class Wrapper(torch.nn.Module):
    """A module around another one, whose parts are its own; inside of a captured module it is that one."""

    module: torch.nn.Module


_HOOKS = ("_forward_hooks", "_forward_pre_hooks")
_BACKWARD_HOOKS = ("_backward_hooks", "_backward_pre_hooks")
_OF_MODULES = frozenset(vars(torch.nn.Module()))
"""Attributes that every module has."""
_PARTS = ("_parameters", "_buffers", "_modules")
_LOOKED_AT = ("training", *_PARTS)
"""Those of them that are looked at."""


def depend_on_layer(trace: Recording, layer: torch.nn.Module) -> None:
    """Depend on all that a layer of torch's has in Python: attributes, children, hooks, and which tensors it holds."""
    held = vars(layer)
    for name, value in (("forward", held.get("forward", MISSING)), *held.items()):
        if name not in _OF_MODULES or name in _LOOKED_AT:
            _guard(trace, Item(held, name), value)
    for name in _PARTS:
        for key, part in held[name].items():
            _guard(trace, Item(held[name], key), part)
    if held["_modules"]:
        _guard(trace, Length(held["_modules"]), len(held["_modules"]))


def _guard(trace: Recording, place: Place, value: Any) -> None:
    world = trace.root.world
    if place.key not in world.guards and not world.is_written(place):
        world.guard(place, value)


def call_module(module: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
    """Return what a program has in the place of `module(*args, **kwargs)`.

    Raises:
        CaptureError E420: it has hooks of its backward pass; E422: its parameters have no sizes yet.
    """
    trace = current_trace()
    assert trace is not None, "who asks is recording"
    while isinstance(module, Wrapper):
        module = module.module
    if (alone := island_call(module)) is not None:
        return alone(*args, **kwargs)
    if isinstance(module, LazyModuleMixin) and module.has_uninitialized_params():
        raise trace.root.refusing(
            CaptureError(
                "E422",
                f"a {type(module).__name__} whose parameters have no sizes yet cannot be compiled",
                help="call the module once before it is hybridized",
            )
        )
    _check_hooks(trace, module)
    for number, hook in list(module._forward_pre_hooks.items()):
        if number in module._forward_pre_hooks_with_kwargs:
            given = routed(hook)(module, args, kwargs)
            if given is not None:
                args, kwargs = given
        else:
            given = routed(hook)(module, args)
            if given is not None:
                args = given if isinstance(given, tuple) else (given,)
    result = _forward(trace, module, args, kwargs)
    for number, hook in list(module._forward_hooks.items()):
        if number in module._forward_hooks_with_kwargs:
            given = routed(hook)(module, args, kwargs, result)
        else:
            given = routed(hook)(module, args, result)
        if given is not None:
            result = given
    return result


def _check_hooks(trace: Recording, module: torch.nn.Module) -> None:
    """Depend on which hooks a module has.

    Raises:
        CaptureError E420: some are of its backward pass.
    """
    held = vars(module)
    for name in (*_HOOKS, *_BACKWARD_HOOKS):
        hooks = held[name]
        _guard(trace, Item(held, name), hooks)
        if not hooks:
            _guard(trace, Emptiness(hooks), True)
            continue
        trace.root.world.know(hooks)
        trace.root.world.read_content(hooks, name)
        if name in _BACKWARD_HOOKS:
            raise trace.root.refusing(
                CaptureError("E420", f"a {type(module).__name__} has hooks of its backward pass", help="remove them")
            )


def _forward(trace: Recording, module: torch.nn.Module, args: Any, kwargs: dict[str, Any]) -> Any:
    kind: Any = type(module)
    if "forward" in vars(module) or not is_trusted_class(kind):
        place = Attribute(module, "forward")
        trace.root.world.read(place, place.read(), "forward", whole=False)
        return routed(module.forward)(*args, **kwargs)
    depend_on_layer(trace, module)
    if kind in DETECTING:
        kwargs, args = _not_detecting(module, args, kwargs), ()
    known = LAYERS.get(kind)
    if known is not None:
        return known(module, *args, **kwargs)
    if not _has_users_parts(module):
        for part in module.modules():
            if part is not module:
                depend_on_layer(trace, part)
                _check_hooks(trace, part)
        return module.forward(*args, **kwargs)
    function = kind.forward
    made = convert.converted(function, library_router(function))
    if made is None:
        raise trace.root.refusing(
            CaptureError(
                "E420", f"a {kind.__name__} whose parts are the user's cannot be followed", help="write it out"
            )
        )
    return made(module, *args, **kwargs)


def _has_users_parts(module: torch.nn.Module) -> bool:
    """Tell whether a layer of torch's calls what is the user's: a module of another class, a hook."""
    return any(
        not is_trusted_class(cast("Any", type(part)))
        or "forward" in vars(part)
        or is_island(part)
        or any(getattr(part, name) for name in _HOOKS)
        for part in module.modules()
        if part is not module
    )


def _sequential(module: torch.nn.Sequential, input: Any) -> Any:
    for part in module._modules.values():
        input = call_module(part, input)
    return input


def _batch_norm(module: torch.nn.BatchNorm1d | torch.nn.BatchNorm2d | torch.nn.BatchNorm3d, input: Any) -> Any:
    """Without a momentum what is kept are means over all batches, whose number only the program knows."""
    if module.momentum is not None or not module.training or module.num_batches_tracked is None:
        return module.forward(input)
    trace = current_trace()
    assert trace is not None, "who asks is recording"
    module._check_input_dim(input)
    module.num_batches_tracked.add_(1)
    factor = 1.0 / trace.lifted(module.num_batches_tracked).double()
    given = input, module.weight, module.bias, module.running_mean, module.running_var, True, factor, module.eps
    return apply(trace, torch.batch_norm, given, {})


LAYERS: dict[type, Callable[..., Any]] = {
    torch.nn.Sequential: _sequential,
    torch.nn.BatchNorm1d: _batch_norm,
    torch.nn.BatchNorm2d: _batch_norm,
    torch.nn.BatchNorm3d: _batch_norm,
    torch.nn.SyncBatchNorm: _batch_norm,
}
"""Layers of torch's that are called otherwise than by their `forward`."""


DETECTING: dict[type, tuple[str, ...]] = {
    torch.nn.Transformer: ("src_is_causal", "tgt_is_causal"),
    torch.nn.TransformerEncoder: ("is_causal",),
    torch.nn.TransformerDecoder: ("tgt_is_causal",),
}
"""Layers that look into a mask for whether it is causal, to go a faster way, where these arguments do not say so."""


def _not_detecting(module: torch.nn.Module, args: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return all arguments of a layer by name, where none asks it to look into a mask: that is applied in any case."""
    given = inspect.signature(type(module).forward).bind(module, *args, **kwargs)
    given.apply_defaults()
    _, *names = given.arguments
    found = {name: given.arguments[name] for name in names}
    return found | {name: False for name in DETECTING[type(module)] if found[name] is None}


def _scripting(*args: Any, **kwargs: Any) -> bool:
    return False


def _exporting(*args: Any, **kwargs: Any) -> bool:
    return True


def _cond(pred: Any, true_fn: Any, false_fn: Any, operands: Any = ()) -> Any:
    trace = current_trace()
    assert trace is not None, "who asks is recording"
    chosen = pred.array if isinstance(pred, Face) else pred
    return trace.cond(chosen, lambda: routed(true_fn)(*operands), lambda: routed(false_fn)(*operands))


SPECIAL: dict[Any, Callable[..., Any]] = {
    torch.jit.is_scripting: _scripting,  # type: ignore[attr-defined]
    torch.jit.is_tracing: _scripting,  # type: ignore[attr-defined]
    torch.compiler.is_compiling: _exporting,
    torch.compiler.is_exporting: _exporting,
    torch.is_grad_enabled: torch.is_grad_enabled,
    torch.is_autocast_enabled: torch.is_autocast_enabled,
    torch.get_default_dtype: default_dtype,
    torch.overrides.has_torch_function: _scripting,
    torch.cond: _cond,
    island: island,
}
"""Functions that tell a program something else than torch does, or that are called as they are."""


def _registering(bound: Any) -> Callable[..., Any]:
    """Return how a program registers a buffer: a write of what the module holds, which each call does."""
    module = bound.__self__

    def register_buffer(name: str, tensor: Any, persistent: bool = True) -> None:
        trace = current_trace()
        assert trace is not None, "who asks is recording"
        if trace.depth:
            raise trace.in_a_branch(f"the buffer {name!r} is registered")
        world = trace.root.world
        world.read(Item(module._buffers, name), module._buffers.get(name, MISSING), name, whole=False)
        world.write(Item(module._buffers, name), tensor)
        change = module._non_persistent_buffers_set.discard if persistent else module._non_persistent_buffers_set.add
        world.effects.append(SideEffect(change, (name,)))

    return register_buffer


METHODS: dict[Any, Callable[[Any], Callable[..., Any]]] = {torch.nn.Module.register_buffer: _registering}
"""Methods of modules that change them, and how a program does so."""
