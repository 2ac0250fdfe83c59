# SPDX-License-Identifier: Apache-2.0
"""All that the door needs of PyTorch without a public name: nothing elsewhere in it names any.

Each has a fallback where there is one that is right, so that a version that moves or drops it costs speed or memory at
most. What has none is refused when the door is loaded, by the name that is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from types import ModuleType
from typing import Any

import torch
from torch.autograd import forward_ad
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree
from torch.utils._device import DeviceContext


def _named(path: str, otherwise: Any = None) -> Any:
    """Return an object by its name within torch, or what stands for it in a version without it.

    Raises:
        ImportError: nothing does.
    """
    value: Any = torch
    for part in path.split("."):
        value = getattr(value, part, None)
    if value is None and otherwise is None:
        raise ImportError(f"hybridize.torch needs torch.{path}, which torch {torch.__version__} does not have")
    return otherwise if value is None else value


pytree: Any = _pytree
"""Results of any registered class as leaves and a structure: `torch.utils._pytree`."""
as_torch: Callable[[], AbstractContextManager[Any]] = _named("_C.DisableTorchFunction")
"""Makes the context within which neither modes nor classes of tensors see what is called."""
as_class: Callable[..., Any] = _named("Tensor._make_subclass")
"""Makes a tensor of a class over another one, unseen by modes, as the public `Tensor.as_subclass` is not."""
OPERATORS: tuple[type, ...] = _named("_ops.OpOverload", ()), _named("_ops.OpOverloadPacket", ())
"""Classes of the operators of other libraries, as `torch.ops.library.name.default`."""
BUILT_IN_LAYERS: ModuleType = _named("_C._nn")
"""The module of the functions in C++ that `torch.nn.functional` calls: they arrive by these objects."""
GLOBAL_HOOKS: dict[str, dict[int, Any]] = {
    name: _named(f"nn.modules.module._global{name}", {})
    for name in ("_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks")
}
"""Hooks of all modules, by the attributes in which a module has its own."""
GLOBAL_HOOKS_WITH_KWARGS: dict[int, bool] = _named("nn.modules.module._global_forward_hooks_with_kwargs", {})
"""Numbers of those that get keyword arguments."""
is_graph_kept: Callable[[], bool] = _named("_C._autograd._get_current_graph_task_keep_graph", lambda: True)
"""Tells within a backward pass whether another one may follow; where unknown it may, which keeps memory."""
GROUPING: Any = _named("utils._foreach_utils._group_tensors_by_device_and_dtype", False)
"""Groups the tensors of lists, by what functions of several tensors at once ask to be the same."""
RANGES: frozenset[Any] = frozenset(
    _named(f"ops.profiler.{name}", False)
    for name in ("_record_function_enter_new", "_record_function_exit._RecordFunction")
)
"""Functions that begin and end a range with a label for profilers."""
_is_batched: Callable[[Any], bool] = _named("_C._functorch.is_legacy_batchedtensor", lambda tensor: False)
transform: Callable[[], Any] = _named("_C._functorch.peek_interpreter_stack", lambda: None)
"""Returns the innermost transform of `torch.func`; where unknown, its tensors are refused as those without memory."""
_function_modes: Callable[[], list[Any]] = _named("overrides._get_current_function_mode_stack", lambda: [])
_dispatch_modes: Callable[[], int] = _named("_C._len_torch_dispatch_stack", lambda: 0)
_PLAIN_CLASS: Any = torch.nn.Parameter.__torch_function__
_PLAIN_DISPATCH: Any = torch.Tensor.__torch_dispatch__


def overriding_mode(own: type | None = None) -> str:
    """Return the class of the innermost mode by which somebody overrides functions of torch, as from where `own` is on;
    "" where none does: a device that is the computer's own memory changes nothing.
    """
    for mode in reversed(_function_modes()):
        if own is not None and isinstance(mode, own):
            return ""
        device = getattr(mode, "device", None)
        if not (isinstance(mode, DeviceContext) and device is not None and device.type == "cpu"):
            return type(mode).__name__ + (f" of {device}" if isinstance(mode, DeviceContext) else "")
    return "a TorchDispatchMode" if _dispatch_modes() else ""


def is_overriding(kind: type[torch.Tensor]) -> bool:
    """Tell whether a class of tensors says what functions of torch do with them, or is that of their results."""
    is_plain = kind is torch.Tensor or kind.__torch_function__ is _PLAIN_CLASS
    return not (is_plain and kind.__torch_dispatch__ is _PLAIN_DISPATCH)


MODES: tuple[tuple[Callable[[], Any], Any], ...] = tuple(
    (_mode, usual)
    for path, usual in (
        ("_C._is_any_autocast_enabled", False),
        ("_C._functorch.peek_interpreter_stack", None),
        ("_C._is_torch_function_mode_enabled", False),
        ("_C._len_torch_dispatch_stack", 0),
    )
    if (_mode := _named(path, False))
)
"""Functions that tell modes of PyTorch, with what they give as a rule."""
MODES_ARE_KNOWN = len(MODES) == 4 and hasattr(forward_ad, "_current_level")
"""True if nothing is missing among them: without, an emitted entry cannot tell which calls it may take."""


def keys_of(tensor: torch.Tensor) -> int:
    """Return the dispatch keys of a tensor; where PyTorch does not tell, 0 for what is no more than memory, else 1."""
    keys = _named("_C._dispatch_keys", False)
    if keys:
        return int(keys(tensor).raw_repr())
    return int(tensor.is_neg() or tensor.is_conj() or tensor.layout is not torch.strided or tensor.device.type != "cpu")


def in_rounds(
    function: Callable[[Sequence[torch.Tensor | None]], Sequence[torch.Tensor | None]],
    tensors: Sequence[torch.Tensor | None],
) -> Sequence[torch.Tensor | None]:
    """Return what a function gives for tensors; where `is_grads_batched=True` stands for many of each, for one after
    the other.
    """
    batched = [one is not None and _is_batched(one) for one in tensors]
    if not any(batched):
        return function(tensors)
    built_in: Any = torch
    level = built_in._C._vmapmode_increment_nesting() - 1
    built_in._C._vmapmode_decrement_nesting()
    parts = [
        built_in._remove_batch_dim(one, level, 1, 0).unbind(0) if many else one
        for one, many in zip(tensors, batched, strict=True)
    ]
    count = next(len(one) for one in parts if type(one) is tuple)
    rounds = [function([one[k] if type(one) is tuple else one for one in parts]) for k in range(count)]
    return [
        None if results[0] is None else built_in._add_batch_dim(torch.stack(results), 0, level)
        for results in zip(*rounds, strict=True)
    ]


def tensors_of_scaler(scaler: torch.amp.GradScaler) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the scale of a `GradScaler` that is enabled, and its count of good steps; made where there are none yet.

    Raises:
        ImportError: this version keeps them otherwise.
    """
    internals: Any = scaler
    try:
        if internals._scale is None:
            with as_torch():
                internals._lazy_init_scale_growth_tracker(torch.device("cpu"))
        scale: torch.Tensor = internals._scale
        count: torch.Tensor = internals._growth_tracker
    except AttributeError as error:
        text = f"hybridize.torch does not know the GradScaler of torch {torch.__version__}: it has no {error.name}"
        raise ImportError(text) from None
    return scale, count


def is_scaler_ready(scaler: torch.amp.GradScaler) -> bool:
    """Tell whether nothing is pending of a `GradScaler`: no optimizer has been stepped since its last update."""
    return not getattr(scaler, "_per_optimizer_states", None)


def without_memory() -> list[torch.Tensor]:
    """Return tensors whose elements are not simply in memory: negated when they are read, or nowhere."""
    makers = (("_neg_view", torch.zeros(2)), ("_efficientzerotensor", (2,)))
    tensors = [make(of) for name, of in makers if (make := _named(name, False))]
    return [*tensors, torch.zeros(2, device="meta"), torch.eye(2).to_sparse()]


def records() -> bool:
    """Tell whether PyTorch records gradients now: in inference mode it does not, whatever the grad mode says."""
    return torch.is_grad_enabled() and not torch.is_inference_mode_enabled()


def has_dual_level() -> bool:
    """Tell whether forward-mode differentiation is on; where unknown it may be."""
    return getattr(forward_ad, "_current_level", 0) >= 0


def _switch() -> Any:
    """Return the function by which a change of the grad mode arrives in `__torch_function__`."""
    functions: list[Any] = []

    class _Listener(TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            functions.append(func)
            return func(*args, **(kwargs or {}))

    mode = torch.is_grad_enabled()
    with _Listener():
        torch.set_grad_enabled(mode)
    return functions[-1]


SET_GRAD: Any = _switch()
