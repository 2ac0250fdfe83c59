# SPDX-License-Identifier: Apache-2.0
"""A parameter of unknown shape in `hybrid_forward(F, x, weight)`: the first operation that uses it tells its shape.

MXNet 1.x found such shapes by running the block once more on symbols. Here a stand-in is passed instead of the array;
the function that is given it hands the call over (`__hybridize_function__`), the rule of that function completes the
parameter's shape from the other arguments, and the call is made with the array.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

from hybridize.array.operators import Operators
from hybridize.base.errors import DeferredInitializationError
from hybridize.base.types import Shape
from hybridize.gluon.parameter import UNKNOWN, Parameter


class DeferredArray(Operators):
    """Stands for the array of a parameter until its shape is known."""

    __slots__ = ("parameter",)

    def __init__(self, parameter: Parameter) -> None:
        self.parameter = parameter

    @property
    def shape(self) -> Shape:
        """Sizes, -1 where one is not known."""
        return self.parameter.shape or ()

    def __repr__(self) -> str:
        return f"<{self.parameter!r}, not initialized yet>"

    def __hybridize_function__(
        self, name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Complete the shapes of the parameters among the arguments, then call `function` with their arrays."""
        bound = inspect.signature(function).bind(*args, **kwargs)
        arrays = {key: value for key, value in bound.arguments.items() if hasattr(value, "shape")}
        rule = _RULES.get(name.lower().removeprefix("broadcast_"), _elementwise)
        for shapes in (rule(arrays, bound.arguments), _elementwise(arrays, bound.arguments)):
            for key, shape in shapes.items():
                value = arrays.get(key)
                if isinstance(value, DeferredArray) and value.parameter.deferred:
                    value.parameter.complete(*shape)
        return function(*map(_array, args), **{key: _array(value) for key, value in kwargs.items()})


def _array(value: Any) -> Any:
    if not isinstance(value, DeferredArray):
        return value
    if value.parameter.deferred:
        raise DeferredInitializationError(
            "E501",
            f"the shape {value.parameter.shape} of parameter {value.parameter.name!r} is not told by its first use",
            help="give the shape in full, or define infer_shape(self, x) in the block",
        )
    return value.parameter.data()


Arguments = Mapping[str, Any]
Shapes = dict[str, Shape]


def _elementwise(arrays: Arguments, _: Arguments) -> Shapes:
    """Unknown sizes are those that the other arguments have at the same axis from the right."""
    known = [value.shape for value in arrays.values() if not isinstance(value, DeferredArray)]
    shapes: Shapes = {}
    for key, value in arrays.items():
        if not isinstance(value, DeferredArray):
            continue
        sizes = list(value.shape)
        for back in range(1, len(sizes) + 1):
            if sizes[-back] == UNKNOWN:
                candidates = {shape[-back] for shape in known if len(shape) >= back} - {1}
                sizes[-back] = candidates.pop() if len(candidates) == 1 else UNKNOWN
        if UNKNOWN not in sizes:
            shapes[key] = tuple(sizes)
    return shapes


def _argument(arrays: Arguments, *names: str) -> Any:
    return next((arrays[name] for name in names if name in arrays), None)


def _fully_connected(arrays: Arguments, arguments: Arguments) -> Shapes:
    x = _argument(arrays, "x", "data")
    weight = arrays.get("weight")
    if x is None or not isinstance(weight, DeferredArray) or len(weight.shape) != 2:
        return {}
    inputs = math.prod(x.shape[1:]) if arguments.get("flatten", True) else x.shape[-1]
    return {"weight": (weight.shape[0], inputs)} if weight.shape[0] != UNKNOWN else {}


def _convolution(arrays: Arguments, arguments: Arguments) -> Shapes:
    """A weight is [filters, channels / groups, window], transposed [channels, filters / groups, window]."""
    x, filters, kernel = _argument(arrays, "x", "data"), arguments.get("num_filter"), arguments.get("kernel")
    if x is None or filters is None or kernel is None:
        return {}
    last = str(arguments.get("layout")).endswith("C")
    window = tuple(kernel) if isinstance(kernel, (tuple, list)) else (kernel,) * (len(x.shape) - 2)
    channels, groups = x.shape[-1 if last else 1], arguments.get("num_group", 1)
    first, second = (channels, filters) if arguments.get("transposed") else (filters, channels)
    inner = (second // groups,)
    return {"weight": (first, *window, *inner) if last else (first, *inner, *window), "bias": (filters,)}


def _deconvolution(arrays: Arguments, arguments: Arguments) -> Shapes:
    return _convolution(arrays, {**arguments, "transposed": True})


def _dot(arrays: Arguments, _: Arguments) -> Shapes:
    """The second argument of a matrix product has as many rows as the first has columns."""
    keys = list(arrays)
    if len(keys) != 2 or not isinstance(arrays[keys[1]], DeferredArray) or isinstance(arrays[keys[0]], DeferredArray):
        return {}
    x, weight = arrays[keys[0]].shape, arrays[keys[1]].shape
    if len(weight) != 2 or weight[1] == UNKNOWN:
        return {}
    return {keys[1]: (x[-1], weight[1])}


def _normalization(arrays: Arguments, arguments: Arguments) -> Shapes:
    x = _argument(arrays, "x", "data")
    if x is None:
        return {}
    size = x.shape[arguments.get("axis", -1)]
    return {key: (size,) for key in _BY_CHANNEL if key in arrays}


def _by_channel(arrays: Arguments, arguments: Arguments) -> Shapes:
    return _normalization(arrays, {"axis": 1, **arguments})


_BY_CHANNEL = ("gamma", "beta", "running_mean", "running_var", "moving_mean", "moving_var")


_RULES: dict[str, Callable[[Arguments, Arguments], Shapes]] = {
    "fullyconnected": _fully_connected, "fully_connected": _fully_connected,
    "convolution": _convolution, "deconvolution": _deconvolution,
    "dot": _dot, "matmul": _dot, "layernorm": _normalization, "layer_norm": _normalization,
    "batchnorm": _by_channel, "batch_norm": _by_channel, "groupnorm": _by_channel, "group_norm": _by_channel,
    "instancenorm": _by_channel, "instance_norm": _by_channel,
}  # fmt: skip
