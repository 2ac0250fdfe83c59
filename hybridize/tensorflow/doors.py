# SPDX-License-Identifier: Apache-2.0
"""Which objects are TensorFlow's; and compiled functions that get tensors: the user's, and those of files."""

from __future__ import annotations

import dataclasses
import sys
from typing import Any

import tensorflow as tf

from hybridize.array.ndarray import ndarray
from hybridize.base.nested import flatten, unflatten
from hybridize.capture import Function, SavedFunction
from hybridize.programs import Program
from hybridize.tensorflow.function import TensorFlowFunction
from hybridize.tensorflow.internals import EAGER
from hybridize.tensorflow.memory import as_array, as_tensor


def takes(obj: Any) -> bool:
    """Tell whether an object is one that TensorFlow traces: a function of its, a module, a Keras layer or model."""
    if isinstance(obj, (TensorFlowFunction, tf.types.experimental.GenericFunction, tf.types.experimental.Callable)):
        return True
    return (
        callable(obj)
        and not isinstance(obj, type)
        and (isinstance(obj, tf.Module) or _is_keras(obj) or _is_loaded(obj))
    )


def _is_keras(obj: Any) -> bool:
    keras = sys.modules.get("keras")
    layer = getattr(keras, "Layer", None)
    return layer is not None and isinstance(obj, layer) and keras.backend.backend() == "tensorflow"  # type: ignore[union-attr]


def _is_loaded(obj: Any) -> bool:
    """Tell whether it is what `tf.saved_model.load` gives."""
    return isinstance(obj, tf.__internal__.tracking.AutoTrackable)


def called(function: Function[Any, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the result of a call with tensors among the arguments: tensors."""
    if isinstance(function, SavedFunction):
        results, structure = flatten(function(*_arrays(args), **_arrays(kwargs)))
        return unflatten(structure, [as_tensor(one._data) if isinstance(one, ndarray) else one for one in results])
    return followed(function)(*args, **kwargs)


def program(function: Function[Any, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Program:
    """Return the program that such a call runs; captured and compiled if need be."""
    if isinstance(function, SavedFunction):
        return function.program(*_arrays(args), **_arrays(kwargs))
    return followed(function).program(*args, **kwargs)


def followed(function: Function[Any, Any]) -> TensorFlowFunction:
    """Return a function of the user's as TensorFlow traces it."""
    counterpart = function.counterpart
    if not isinstance(counterpart, TensorFlowFunction):
        options = {field.name: getattr(function.options, field.name) for field in dataclasses.fields(function.options)}
        counterpart = function.counterpart = TensorFlowFunction(function.python_function, **options)
    return counterpart


def _arrays(arguments: Any) -> Any:
    leaves, structure = flatten(arguments)
    return unflatten(structure, [as_array(leaf) if type(leaf) is EAGER else leaf for leaf in leaves])
