# SPDX-License-Identifier: Apache-2.0
"""Objects that are TensorFlow's; and compiled functions that get tensors: the user's, and those of files."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from hybridize.array.buffer import host_view
from hybridize.array.ndarray import ndarray
from hybridize.base.errors import CaptureError
from hybridize.base.nested import flatten, unflatten
from hybridize.capture import Function, SavedFunction
from hybridize.formats import SavedProgram
from hybridize.programs import Program
from hybridize.tensorflow.function import TensorFlowFunction
from hybridize.tensorflow.internals import EAGER, could_record, records
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
    """Return the result of a call with tensors among the arguments: tensors.

    A program that was loaded and a block read them where they are; a function is traced as one over tensors.

    Raises:
        CaptureError E420: a tape watches a tensor that goes where it does not see.
    """
    if not _is_over_arrays(function):
        return followed(function)(*args, **kwargs)
    watched = [leaf for leaf in flatten((args, kwargs))[0] if type(leaf) is EAGER]
    if could_record() and records(watched):
        raise CaptureError(
            "E420", f"a GradientTape watches an argument of {function.name}, through which it does not see",
            help="pass x.numpy() and use hybridize.autograd, or hybridize the object of TensorFlow's",
        )  # fmt: skip
    results, structure = flatten(function(*_arrays(args), **_arrays(kwargs)))
    return unflatten(structure, [as_tensor(host_view(one)) if isinstance(one, ndarray) else one for one in results])


def program(function: Function[Any, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Program:
    """Return the program that such a call runs; captured and compiled if need be."""
    if _is_over_arrays(function):
        return function.program(*_arrays(args), **_arrays(kwargs))
    return followed(function).program(*args, **kwargs)


def _is_over_arrays(function: Function[Any, Any]) -> bool:
    """Tell whether a function computes with arrays of ours whatever it gets: that of a file, or of a block."""
    return isinstance(function, SavedFunction) or str(getattr(function.python_function, "__module__", "")).startswith(
        "hybridize."
    )


class TensorCounterpart:
    """A function of the user's as TensorFlow traces it, beside its programs over arrays of ours."""

    programs: Callable[[], list[Program]]
    forget: Callable[[Program], None]
    clear: Callable[[], None]
    chain: Callable[[Callable[..., Any]], Callable[..., Any]]

    def __init__(self, function: TensorFlowFunction) -> None:
        self.function = function
        self.programs, self.forget, self.clear = function.programs, function.forget, function.cache_clear
        self.chain = function.chain

    def saved(self, samples: Sequence[Any] | None, notes: list[str], steps: bool = False) -> SavedProgram:
        """Return them as plain data, with samples of calls where those are given; `steps` as of `Function.saved`."""
        return self.function.saved(None, samples, notes, steps)


def followed(function: Function[Any, Any]) -> TensorFlowFunction:
    """Return a function of the user's as TensorFlow traces it."""
    counterpart = function.counterpart
    if not isinstance(counterpart, TensorCounterpart):
        options = {field.name: getattr(function.options, field.name) for field in dataclasses.fields(function.options)}
        counterpart = function.counterpart = TensorCounterpart(TensorFlowFunction(function.python_function, **options))
        counterpart.function.serve(function)
    return counterpart.function


def _arrays(arguments: Any) -> Any:
    leaves, structure = flatten(arguments)
    return unflatten(structure, [as_array(leaf) if type(leaf) is EAGER else leaf for leaf in leaves])
