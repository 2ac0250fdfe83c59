# SPDX-License-Identifier: Apache-2.0
"""Calls of modules while one is captured: hooks, the user's `forward` converted, torch's own layers as they are.

What a layer of torch's has in Python (its sizes, its mode, its children) is looked at as a whole before each call:
nobody sees what it reads.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Collection
from functools import cache
from typing import Any, cast

import torch
from torch.nn.modules.lazy import LazyModuleMixin

from hybridize.array.symbol import Symbol
from hybridize.base.faces import Face
from hybridize.base.members import has_class_member
from hybridize.capture.convert import statements as convert
from hybridize.capture.outside.objects import is_users
from hybridize.capture.outside.trust import is_trusted_class
from hybridize.capture.python.router import library_router, routed
from hybridize.capture.python.unconverted import names_of
from hybridize.capture.trace.recording import Recording, active_trace
from hybridize.contract.captured import SideEffect
from hybridize.contract.places import Attribute, CallResult, Emptiness, Item, Length, Place, static
from hybridize.contract.snapshots import MISSING
from hybridize.torch import shapes
from hybridize.torch.functions import apply
from hybridize.torch.functions.calling import ASKING
from hybridize.torch.functions.rules import common, default_dtype
from hybridize.torch.internals import GLOBAL_HOOKS, GLOBAL_HOOKS_WITH_KWARGS, GROUPING
from hybridize.torch.islands import is_island, island, island_call


class Wrapper(torch.nn.Module):
    """A module around another one, whose parts are its own; inside of a captured module it is that one."""

    module: torch.nn.Module


_HOOKS = ("_forward_hooks", "_forward_pre_hooks")
_BACKWARD_HOOKS = ("_backward_hooks", "_backward_pre_hooks")
_OF_MODULES = frozenset(vars(torch.nn.Module()))
"""Attributes that every module has."""
_PARTS = ("_parameters", "_buffers", "_modules")
"""Those of them that hold children and tensors."""


@cache
def _names_in(kind: type) -> frozenset[str]:
    """Return all names in the code of a class of torch's: of its attributes it reads no others."""
    members = [member for base in kind.__mro__ for member in vars(base).values()]
    functions = [member.fget if isinstance(member, property) else member for member in members]
    codes = [function.__code__ for function in functions if isinstance(function, types.FunctionType)]
    return frozenset().union(*map(names_of, codes))


def depend_on_layer(trace: Recording, layer: torch.nn.Module) -> None:
    """Depend on what a layer of torch's reads in Python: attributes, children, hooks, and which tensors it has."""
    attributes = vars(layer)
    _guard(trace, Item(attributes, "forward"), attributes.get("forward", MISSING))
    _guard(trace, Item(attributes, "training"), layer.training)
    _depend_on_content(trace, layer, _names_in(cast("Any", type(layer))))


def _depend_on_content(
    trace: Recording, module: torch.nn.Module, names: Collection[str] | None = None, *, counted: bool = False
) -> None:
    """Depend on the attributes of a module of torch's, its children and tensors.

    Args:
        trace: of the program.
        module: the module.
        names: of the attributes; all where it is None.
        counted: depend on how many there are, too.
    """
    attributes = vars(module)
    for name, value in attributes.items():
        if name not in _OF_MODULES and (names is None or name in names):
            _guard(trace, Item(attributes, name), value)
            if counted and isinstance(value, (list, dict)):
                _guard(trace, Length(value), len(value))
    _depend_on_parts(trace, module, counted=counted)


def _depend_on_parts(trace: Recording, module: torch.nn.Module, *, counted: bool) -> None:
    """Depend on which children and tensors a module has; `counted`, on how many, and on their order, too."""
    attributes = vars(module)
    for name in _PARTS:
        parts = attributes[name]
        _guard(trace, Item(attributes, name), parts)
        for key, part in parts.items():
            _guard(trace, Item(parts, key), part)
        if counted or (parts and name == "_modules"):
            _guard(trace, Length(parts), len(parts))
        named = has_class_member(type(module), "keys") or not is_trusted_class(cast("Any", type(module)))
        if counted and named and len(parts) > 1:
            order = CallResult(tuple, (parts,), {})
            _guard(trace, order, order.read())


def is_container(module: torch.nn.Module) -> bool:
    """Tell whether a module is one of parts that Python goes through, or takes by a number or a name."""
    return has_class_member(type(module), "__len__") or has_class_member(type(module), "__getitem__")


def depend_on_looked_at(trace: Recording, module: torch.nn.Module, name: str) -> None:
    """Depend on what is found in a module by going through it, or by a method of torch's: nobody sees what those read.

    Args:
        trace: of the program.
        module: of torch's or of the user's.
        name: the method; "" where Python may go through it.
    """
    if name == "forward":
        for part in module.modules():
            depend_on_layer(trace, part)
    elif name and has_class_member(torch.nn.Module, name):  # `parameters()`, say, which goes through all that is below
        for part in module.modules():
            _depend_on_parts(trace, part, counted=True)
    elif name or is_container(module):
        for part in module.modules():
            if part is module or is_container(part):
                _depend_on_content(trace, part, counted=True)


def _guard(trace: Recording, place: Place, value: Any) -> None:
    world = trace.root.world
    if place.key not in world.guards and not world.is_written(place):
        world.guard(place, value)


def call_module(module: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
    """Return what a program has in the place of `module(*args, **kwargs)`.

    Raises:
        CaptureError E420: it has hooks of its backward pass; E422: its parameters have no sizes yet.
    """
    trace = active_trace()
    while isinstance(module, Wrapper):
        module = module.module
    if (alone := island_call(module)) is not None:
        return alone(*args, **kwargs)
    if any(base.__module__.startswith("torch.distributed.") for base in type(module).__mro__):
        raise trace.refusal(
            "E420",
            f"a {type(module).__name__} cannot be compiled: PyTorch sums its gradients as it writes them",
            help="compile the module inside of it, as DistributedDataParallel(hybridize(module)), and let the steps "
            "around its call run in PyTorch",
        )
    if isinstance(module, LazyModuleMixin) and module.has_uninitialized_params():
        raise trace.refusal(
            "E422",
            f"a {type(module).__name__} whose parameters have no sizes yet cannot be compiled",
            help="call the module once before it is hybridized",
        )
    _check_hooks(trace, module)
    for number, hook in _hooks_of(module, "_forward_pre_hooks"):
        called = _hooked(trace, module, hook)
        if number in module._forward_pre_hooks_with_kwargs:
            replacement = called(module, args, kwargs)
            if replacement is not None:
                args, kwargs = replacement
        else:
            replacement = called(module, args)
            if replacement is not None:
                args = replacement if isinstance(replacement, tuple) else (replacement,)
    result = _forward(trace, module, args, kwargs)
    for number, hook in _hooks_of(module, "_forward_hooks"):
        called = _hooked(trace, module, hook)
        if number in module._forward_hooks_with_kwargs or number in GLOBAL_HOOKS_WITH_KWARGS:
            replacement = called(module, args, kwargs, result)
        else:
            replacement = called(module, args, result)
        if replacement is not None:
            result = replacement
    return result


def _hooks_of(module: torch.nn.Module, name: str) -> list[tuple[int, Any]]:
    """List the hooks of all modules, then those of one, with their numbers."""
    return [*GLOBAL_HOOKS[name].items(), *getattr(module, name).items()]


def _hooked(trace: Recording, module: torch.nn.Module, hook: Any) -> Callable[..., Any]:
    """Return a hook as a program calls it: what one of torch's sets (a pruned weight) each call sets.

    What is converted of the user's hooks tells its reads and writes by itself. Of the attributes that one of torch's
    sets none is read before, so that what an earlier call has left there decides nothing.
    """
    world, attributes = trace.root.world, vars(module)
    is_torchs = not is_users(hook) and is_trusted_class(cast("Any", type(hook)))

    def called(*args: Any) -> Any:
        before, done = dict(attributes), len(world.effects)
        replacement = routed(hook)(*args)
        identities = {id(value) for effect in world.effects[done:] for value in effect.arguments}
        for name, value in list(attributes.items()):
            if value is before.get(name, MISSING) or id(value) in identities or name in _OF_MODULES:
                continue
            if trace.depth:
                raise trace.in_a_branch(f"a hook sets {name!r} of a {type(module).__name__}")
            if name in before:
                attributes[name] = before[name]
            else:
                del attributes[name]
            world.write(Attribute(module, name), value)
        if is_torchs:
            _depend_on_content(trace, module)
        return replacement

    return called


def _check_hooks(trace: Recording, module: torch.nn.Module) -> None:
    """Depend on which hooks a module has, and all modules have.

    Raises:
        CaptureError E420: some are of its backward pass.
    """
    for name in (*_HOOKS, *_BACKWARD_HOOKS):
        hooks = vars(module)[name]
        _guard(trace, Item(vars(module), name), hooks)
        _check(trace, name, hooks, f"a {type(module).__name__} has")
        _check(trace, name, GLOBAL_HOOKS[name], "all modules have")


def _check(trace: Recording, name: str, hooks: Any, whose: str) -> None:
    if not hooks:
        _guard(trace, Emptiness(hooks), True)
        return
    trace.root.world.know(hooks)
    trace.root.world.read_content(hooks, name)
    if name in _BACKWARD_HOOKS:
        raise trace.refusal("E420", f"{whose} hooks of the backward pass cannot be compiled", help="remove the hooks")


def _forward(trace: Recording, module: torch.nn.Module, args: Any, kwargs: dict[str, Any]) -> Any:
    kind: Any = type(module)
    trace.root.world.read_method(kind, "forward", "__call__")
    if is_trusted_class(kind) and is_users(static(kind, "__call__")):
        raise trace.refusal(
                "E420", f"{kind.__name__}.__call__ is overridden, which bypasses the call of the module",
                help="override forward, or register a hook",
            )  # fmt: skip
    if "forward" in vars(module) or is_users(static(kind, "forward")) or not is_trusted_class(kind):
        trace.root.world.depend_on(Attribute(module, "forward"))
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
    twin = convert.converted(function, library_router(function))
    if twin is None:
        raise trace.refusal(
            "E420",
            f"a {kind.__name__} with parts defined by the user cannot be captured",
            help="write its steps out in the module",
        )
    return twin(module, *args, **kwargs)


def _has_users_parts(module: torch.nn.Module) -> bool:
    """Tell whether a layer of torch's calls what is the user's: a module of another class, a hook."""
    return any(
        not is_trusted_class(cast("Any", type(part)))
        or "forward" in vars(part)
        or isinstance(part, Wrapper)
        or is_island(part)
        or any(_hooks_of(part, name) for name in _HOOKS)
        for part in module.modules()
        if part is not module
    )


def _sequential(module: torch.nn.Sequential, input: Any) -> Any:
    for part in module._modules.values():
        input = call_module(part, input)
    return input


def _batch_norm(module: torch.nn.BatchNorm1d | torch.nn.BatchNorm2d | torch.nn.BatchNorm3d, input: Any) -> Any:
    """Without a momentum what is kept are means over all batches, whose number only the program knows."""
    is_tracking = module.training and module.track_running_stats
    if module.momentum is not None or not is_tracking or module.num_batches_tracked is None:
        return module.forward(input)
    trace = active_trace()
    module._check_input_dim(input)
    module.num_batches_tracked.add_(1)
    factor = 1.0 / trace.lifted(module.num_batches_tracked).double()
    arguments = input, module.weight, module.bias, module.running_mean, module.running_var, True, factor, module.eps
    return apply(trace, torch.batch_norm, arguments, {})


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
    binding = inspect.signature(type(module).forward).bind(module, *args, **kwargs)
    binding.apply_defaults()
    _, *names = binding.arguments
    arguments = {name: binding.arguments[name] for name in names}
    return arguments | {name: False for name in DETECTING[type(module)] if arguments[name] is None}


def _cond(pred: Any, true_fn: Any, false_fn: Any, operands: Any = ()) -> Any:
    trace = active_trace()
    chosen = pred.array if isinstance(pred, Face) else pred
    return trace.form("cond", chosen, lambda: routed(true_fn)(*operands), lambda: routed(false_fn)(*operands))


SETTINGS: tuple[Callable[[], Any], ...] = (
    torch.is_inference_mode_enabled,
    torch.is_anomaly_enabled,
    torch.are_deterministic_algorithms_enabled,
    torch.get_num_threads,
    torch.get_float32_matmul_precision,
)
"""Functions that tell settings of torch's."""


def _setting_call(function: Callable[[], Any]) -> Callable[[], Any]:
    """Return how a program asks for a setting: it holds for what that is before the call, which may change it."""

    def ask() -> Any:
        trace = active_trace()
        library: Any = trace.root.library
        _guard(trace, CallResult(function, (), {}), library.settings[function])
        return function()

    return ask


def _is_grad_enabled() -> bool:
    trace = active_trace()
    library: Any = trace.root.library
    library.asks_mode = True
    return torch.is_grad_enabled()


def _result_type(*args: Any, **kwargs: Any) -> torch.dtype:
    numbers = [x.weak(0) if type(x) is Symbol and x.weak is not None else x for x in (*args, *kwargs.values())]
    return common(*(x.array.operand() if isinstance(x, Face) else x for x in numbers))


SPECIAL: dict[Any, Callable[..., Any]] = {
    torch.result_type: _result_type,
    torch.jit.is_scripting: lambda: False,  # type: ignore[attr-defined]
    torch.jit.is_tracing: lambda: False,  # type: ignore[attr-defined]
    torch.compiler.is_compiling: lambda: True,
    torch.compiler.is_exporting: lambda: True,
    torch.is_grad_enabled: _is_grad_enabled,
    torch.get_default_dtype: default_dtype,
    **{getattr(torch.overrides, name): lambda *args: False for name in ASKING},
    GROUPING: lambda lists, with_indices=False: {(torch.device("cpu"), None): (lists, [])},
    torch.is_autocast_enabled: torch.is_autocast_enabled,
    torch.cond: _cond,
    torch.Size: shapes.size,
    torch.broadcast_shapes: shapes.broadcast_shapes,
    **{function: _setting_call(function) for function in SETTINGS},
    island: island,
}
"""Functions that tell a program something else than torch does, or that are called as they are."""


def _registering(bound: Any) -> Callable[..., Any]:
    """Return how a program registers a buffer: a write of what the module holds, which each call does."""
    module = bound.__self__

    def register_buffer(name: str, tensor: Any, persistent: bool = True) -> None:
        trace = active_trace()
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
