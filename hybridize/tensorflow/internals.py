# SPDX-License-Identifier: Apache-2.0
"""Names of TensorFlow that are not public: all that the door uses, each with a public way beside it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import numpy
import tensorflow as tf
from numpy.typing import NDArray

from hybridize.base.loading import load_module

T = TypeVar("T")


def _named(path: str) -> Any:
    """Return what a path of modules and attributes names; None where this version of TensorFlow has it not."""
    module, _, name = path.rpartition(".")
    try:
        return getattr(load_module(f"tensorflow.python.{module}"), name)
    except (ImportError, AttributeError):
        return None


EAGER: Final[type] = getattr(tf.__internal__, "EagerTensor", None) or tf.Tensor
"""The class of tensors that have values."""
_EXECUTE: Final = _named("pywrap_tfe.TFE_Py_FastPathExecute")
_CONTEXT: Final = _named("eager.context.context")
_RECORD: Final = _named("eager.record.record_operation")
_COULD: Final = _named("eager.record.could_possibly_record")
_SHOULD: Final = _named("eager.record.should_record_backprop")
_TANGENTS: Final = _named("pywrap_tfe.TFE_Py_PackJVPs")
_ACCESSED: Final = _named("pywrap_tfe.TFE_Py_TapeVariableAccessed")
_EXECUTOR: Final = _named("pywrap_tfe.TFE_ContextGetExecutorForThread")
_WAITS: Final = _named("pywrap_tfe.TFE_ExecutorIsAsync")
_NUMPY: Final = getattr(EAGER, "_numpy", None)
_RULE: Final = _named("framework.ops.get_gradient_function")
_FROM_CAPSULE: Final = _named("pywrap_tfe.TFE_FromDlpackCapsule")
RECORDS = None not in (_RECORD, _COULD, _SHOULD, _TANGENTS, _ACCESSED)
"""True if calls can be made nodes of tapes where somebody asks; else each is one of `tf.custom_gradient`, of which a
`ForwardAccumulator` sees nothing."""


def _elements(tensor: Any) -> NDArray[Any]:
    return numpy.asarray(tensor)


elements: Final[Callable[[Any], Any]] = _NUMPY or _elements
"""Return the elements of a tensor where they lie, as an array that nobody may write; of no axes, perhaps a number."""


def modes() -> list[tuple[Callable[[], Any], bool]]:
    """Return functions that tell modes of this thread, with what they give where a call is no more than a call."""
    return [(tf.executing_eagerly, True), *([(_COULD, False)] if _COULD is not None else [])]


def is_asynchronous() -> bool:
    """Tell whether operations of this thread wait for others; where nobody knows they may."""
    if _EXECUTOR is None or _WAITS is None:
        return True
    return bool(_WAITS(_EXECUTOR(_CONTEXT()._handle)))


def values(handles: Sequence[Any], dtypes: Sequence[Any]) -> Sequence[Any]:
    """Return what variables hold: tensors over their memory."""
    if not handles:
        return ()
    if _EXECUTE is None or _CONTEXT is None:
        return [
            tf.raw_ops.ReadVariableOp(resource=one, dtype=dtype) for one, dtype in zip(handles, dtypes, strict=True)
        ]
    tensors: Sequence[Any] = _EXECUTE(_CONTEXT(), "_ReadVariablesOp", None, handles, "dtypes", dtypes)
    return tensors


def assign(handle: Any, value: Any) -> None:
    """Let a variable hold a tensor, whose memory becomes the variable's."""
    if _EXECUTE is None or _CONTEXT is None:
        tf.raw_ops.AssignVariableOp(resource=handle, value=value)
    else:
        _EXECUTE(_CONTEXT(), "AssignVariableOp", None, handle, value)


def over(array: NDArray[Any]) -> Any:
    """Return a tensor over the memory of an array, which begins where TensorFlow allows."""
    if _FROM_CAPSULE is None or _CONTEXT is None:
        return tf.experimental.dlpack.from_dlpack(array.__dlpack__())
    function, operands = maker()
    return function(array.__dlpack__(), *operands)


def maker() -> tuple[Any, tuple[Any, ...]]:
    """Return the function that makes a tensor of a capsule of DLPack, and its further operands; None without it."""
    if _FROM_CAPSULE is None or _CONTEXT is None:
        return None, ()
    context = _CONTEXT()
    context.ensure_initialized()
    return _FROM_CAPSULE, (context._handle,)


def could_record() -> bool:
    """Tell whether somebody may differentiate what is computed now."""
    return not RECORDS or bool(_COULD())


def records(tensors: Sequence[Any]) -> bool:
    """Tell whether a tape watches one of these tensors or handles; where nobody knows one may."""
    return not RECORDS or bool(_SHOULD(tensors))


def has_tangents(tensors: Sequence[Any]) -> bool:
    """Tell whether a `ForwardAccumulator` follows one of these tensors."""
    return bool(_TANGENTS(tensors)[0])


def record(name: str, outputs: Sequence[Any], inputs: Sequence[Any], backward: Callable[..., Sequence[Any]]) -> None:
    """Make tensors the results of one node of the tapes.

    Args:
        name: of the node.
        outputs: the results.
        inputs: tensors, and handles of variables.
        backward: returns the gradients of the inputs for those of the outputs.
    """
    _RECORD(name, outputs, inputs, backward)


def accessed(variable: Any) -> None:
    """Let tapes that watch variables watch one."""
    _ACCESSED(variable)


def unconverted(function: T) -> T:
    """Tell AutoGraph that there is nothing to convert in a function or class, and return it."""
    marked: Any = function
    marked.autograph_info__ = {}
    return function


def functions_of(graph: Any) -> dict[str, Any]:
    """Return the graphs of the functions that a graph calls, by their names; those that this version tells of."""
    graphs: dict[str, Any] = {}
    waiting = [graph]
    while waiting:
        listed = getattr(waiting.pop(), "_functions", None) or {}
        for name, function in listed.items():
            inner = getattr(function, "graph", None)
            key = name.decode() if isinstance(name, bytes) else str(name)
            if inner is not None and key not in graphs:
                graphs[key] = inner
                waiting.append(inner)
    return graphs


def gradient_of(operation: Any) -> Any:
    """Return the function that computes the gradients of an operation's inputs, of it and those of its outputs; None
    where this version does not tell.
    """
    return None if _RULE is None else _RULE(operation)


def layers_of(target: Any) -> list[Any]:
    """Return the layers of a Keras model or layer, itself and those in layers included; none of anything else."""
    listed = getattr(target, "_flatten_layers", None)
    return list(listed()) if callable(listed) else []


def parts_of(layer: Any) -> list[Any]:
    """Return the layers that a layer of Keras is made of."""
    parts: list[Any] = getattr(layer, PARTS_NAME)
    return parts


PARTS_NAME: Final = "_layers"
LAYER_NAMES: Final = ("_trainable", "_dtype_policy")
LAYER_STATE: Final = operator.attrgetter(*LAYER_NAMES)
"""The settings of a layer of Keras: if it trains, and its types."""
