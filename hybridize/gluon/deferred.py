# SPDX-License-Identifier: Apache-2.0
"""A parameter of unknown shape in `hybrid_forward(F, x, weight)`: the first operation that uses it tells its shape.

MXNet 1.x found such shapes by running the block once more on symbols. Here a stand-in is passed instead of the array;
the function that is given it hands the call over (`__hybridize_function__`), the rule of that function completes the
parameter's shape from the other arguments, and the call is made with the array.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from hybridize.array.operators import Operators
from hybridize.base.errors import DeferredInitializationError
from hybridize.base.loading import load_module
from hybridize.base.types import Shape, same_shape
from hybridize.gluon.parameter import UNKNOWN, Parameter


class DeferredArray(Operators):
    """Stands for the array of a parameter, or for what one function makes of it, until its shape is known.

    Args:
        parameter: the parameter.
        computation: makes the array that this stands for, in the parameter's shape; None: it is the parameter's own.
    """

    __slots__ = ("computation", "parameter")
    parameter: Parameter
    computation: Callable[[], Any] | None

    def __init__(self, parameter: Parameter, computation: Callable[[], Any] | None = None) -> None:
        self.parameter, self.computation = parameter, computation

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
        for shapes in (_layer(name, arrays, bound.arguments), _dot(name, arrays), _elementwise(arrays)):
            for key, shape in shapes.items():
                value = arrays.get(key)
                if isinstance(value, DeferredArray) and value.parameter.deferred and UNKNOWN not in shape:
                    value.parameter.complete(*shape)

        def result() -> Any:
            return function(*map(array_of, args), **{key: array_of(value) for key, value in kwargs.items()})

        one = next(iter(arrays.values())) if len(arrays) == 1 else None
        if isinstance(one, DeferredArray) and one.parameter.deferred:
            return DeferredArray(one.parameter, result)  # `weight * 2`: the next use tells the shape
        return result()


def is_deferred(value: Any) -> bool:
    """Tell whether a value stands for an array whose shape is not known."""
    return isinstance(value, DeferredArray)


def array_of(value: Any) -> Any:
    """Return the array that a value stands for, or the value itself.

    Raises:
        DeferredInitializationError E501: its shape is not known, or is not the parameter's.
    """
    if not isinstance(value, DeferredArray):
        return value
    parameter = value.parameter
    if not parameter.deferred:
        array = parameter.data() if value.computation is None else value.computation()
        if same_shape(array.shape, parameter.shape or ()):
            return array
    raise DeferredInitializationError(
        "E501",
        f"the shape {parameter.shape} of parameter {parameter.name!r} cannot be inferred from its first use",
        help="give the shape in full, or define infer_shape(self, x) in the block",
    )


def arrays_of(result: Any) -> Any:
    """Return what a block gives, with arrays in place of what stands for them."""
    return type(result)(map(arrays_of, result)) if type(result) in (list, tuple) else array_of(result)


Arguments = Mapping[str, Any]
Shapes = dict[str, Shape]


def _elementwise(arrays: Arguments) -> Shapes:
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


@functools.cache
def _operators() -> Mapping[str, Any]:
    """The operators of expressions, whose weights' shapes follow from the data, by their names in small letters."""
    operators = load_module("hybridize.symbol.operators").OPERATORS
    return {word.lower(): one for word, one in operators.items()} | {"groupnorm": operators["InstanceNorm"]}


def _layer(name: str, arrays: Arguments, arguments: Arguments) -> Shapes:
    """Return what is known of the weights of a layer by its data: as an expression without its weights does."""
    operator = _operators().get(name.lower().replace("_", ""))
    x = arrays.get("x", arrays.get("data"))
    if operator is None or x is None:
        return {}
    attributes = {key: value for key, value in arguments.items() if value is not None}
    if "weight" in arrays:
        attributes.setdefault("num_hidden", (*arrays["weight"].shape, UNKNOWN)[0])
    try:
        shapes = operator.shapes(x.shape, attributes)
    except (KeyError, IndexError, TypeError):  # the call says what is wrong, or lacking
        return {}
    return {key: shapes[name] for key in arrays if (name := key.replace("running_", "moving_")) in shapes}


def _dot(name: str, arrays: Arguments) -> Shapes:
    """Return the shape of the second factor of a product: as many rows as the first has columns."""
    keys = list(arrays)
    if name not in ("dot", "matmul") or len(keys) != 2 or len(arrays[keys[1]].shape) != 2 or not arrays[keys[0]].shape:
        return {}
    return {keys[1]: (arrays[keys[0]].shape[-1], arrays[keys[1]].shape[1])}
