# SPDX-License-Identifier: Apache-2.0
"""Dense layers and the small ones around them."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from hybridize.array import np, npx
from hybridize.array.functions import dense, neural
from hybridize.array.ndarray import ndarray
from hybridize.base.errors import ShapeError, ValueArgumentError
from hybridize.base.loading import load_module
from hybridize.gluon.block import Block
from hybridize.gluon.checking import check_count, check_part
from hybridize.gluon.dependence import convert
from hybridize.gluon.hybrid_block import HybridBlock, functions
from hybridize.gluon.nn.activations import activation_of
from hybridize.gluon.operator_keywords import OperatorKeywords

if TYPE_CHECKING:
    from hybridize.gluon.nn.activations import Activation
    from hybridize.gluon.parameter import Parameter


class Dense(HybridBlock):
    """Apply a fully connected layer: activation(x weightᵀ + bias).

    Args:
        units: number of outputs.
        activation: name of an activation, or None.
        use_bias: whether there is a bias.
        flatten: make all axes but the first one before (False: work on the last axis alone).
        dtype: of the parameters.
        weight_initializer: initializer of `weight`, [units, in_units].
        bias_initializer: initializer of `bias`, [units].
        in_units: number of inputs; 0: taken from the first input.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> layer = nn.Dense(4, activation="relu")
    >>> layer.initialize()
    >>> layer(np.ones((2, 3))).shape, layer.weight.shape
    ((2, 4), (4, 3))
    """

    _operands = "weight bias?"

    def __init__(
        self,
        units: int,
        activation: str | None = None,
        use_bias: bool = True,
        flatten: bool = True,
        dtype: Any = "float32",
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        in_units: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._units = check_count(self, "units", units, "only in_units may be left open")
        self._flatten = flatten
        self.weight: Parameter = self.params.deferred("weight", (units, in_units), weight_initializer, dtype=dtype)
        self.bias: Parameter | None = (
            self.params.deferred("bias", (units,), bias_initializer, dtype=dtype) if use_bias else None
        )
        self.act: Activation | None = activation_of(self, activation)

    @property
    def _in_units(self) -> int:
        """The number of inputs; 0: not known yet."""
        return max((self.weight.shape or (0, 0))[1], 0)

    @_in_units.setter
    def _in_units(self, count: int) -> None:
        """Say what the weight's shape does not; programs for MXNet set both, and the shape is what counts."""
        if not self.weight.shape_is_known:
            self.weight.shape = (self._units, count)

    def infer_shape(self, x: Any) -> None:
        if not x.shape:
            raise ShapeError("E102", f"Dense needs [n, in], got a scalar {x.dtype}", help="np.array([x]) has one axis")
        self.weight.complete(self._units, math.prod(x.shape[1:]) if self._flatten else x.shape[-1])

    def forward(self, x: Any) -> ndarray:
        weight, bias = self.weight, self.bias
        y = dense.fully_connected(x, weight.data(), None if bias is None else bias.data(), flatten=self._flatten)
        return y if self.act is None else self.act(y)

    def __repr__(self) -> str:
        units = (self.weight.shape or (self._units,))[0]
        return f"{type(self).__name__}({self._in_units or None} -> {units}, {self.act or 'linear'})"


class Dropout(HybridBlock):
    """Set a random part of the inputs to zero while training, and multiply the rest by 1 / (1 - rate).

    Outside of `autograd.record()` the result is the input.

    Args:
        rate: the part that is dropped.
        axes: axes along which the same elements are dropped.

    >>> from hybridize import autograd, np
    >>> from hybridize.gluon import nn
    >>> layer = nn.Dropout(0.5)
    >>> layer(np.ones(4))
    array([1., 1., 1., 1.])
    >>> with autograd.record():
    ...     sorted(set(layer(np.ones(100)).tolist()))
    [0.0, 2.0]
    """

    _repr_form = "p = {0._rate}, axes={0._axes}"

    def __init__(self, rate: float, axes: tuple[int, ...] = (), **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._rate = check_part(self, "rate", rate)
        self._axes = axes

    def forward(self, x: Any) -> ndarray:
        return neural.dropout(x, p=self._rate, axes=self._axes)


class Flatten(HybridBlock):
    """Reshape [batch, ...] to [batch, everything else].

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> nn.Flatten()(np.ones((2, 3, 4))).shape
    (2, 12)
    """

    def forward(self, x: Any) -> ndarray:
        return neural.batch_flatten(x)

    def __repr__(self) -> str:
        return type(self).__name__


class Identity(HybridBlock):
    """Return the input.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> nn.Identity()(np.ones(2))
    array([1., 1.])
    """

    def forward(self, x: Any) -> ndarray:
        return x


class Embedding(HybridBlock):
    """Return a row of a table of vectors for each integer of the input.

    Args:
        input_dim: number of rows.
        output_dim: size of a row.
        dtype: of the table.
        weight_initializer: initializer of `weight`, [input_dim, output_dim].
        sparse_grad: accepted for MXNet; gradients are dense.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> layer = nn.Embedding(10, 4)
    >>> layer.initialize()
    >>> layer(np.array([[1, 2, 3]])).shape
    (1, 3, 4)
    """

    _operands = "weight"
    _kwargs = OperatorKeywords(
        input_dim="_input_dim", output_dim="_output_dim", dtype="_dtype", sparse_grad="_sparse_grad"
    )
    _repr_form = "{0._input_dim} -> {0._output_dim}, {0._dtype}"
    _storage: ClassVar[Mapping[str, str]] = {}
    """Storage types of the table, and of its gradient."""

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        dtype: Any = "float32",
        weight_initializer: Any = None,
        sparse_grad: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._input_dim, self._output_dim, self._dtype, self._sparse_grad = input_dim, output_dim, dtype, sparse_grad
        shape = input_dim, output_dim
        self.weight: Parameter = self.params.deferred("weight", shape, weight_initializer, dtype=dtype, **self._storage)

    def forward(self, x: Any) -> ndarray:
        return neural.embedding(x, self.weight.data(), input_dim=self._input_dim, output_dim=self._output_dim)


class _FunctionBlock(Block):
    """The base of blocks that are a function."""

    _repr_form = "{0._func_name}"

    def __init__(self, function: Callable[..., Any] | str, prefix: str | None = None) -> None:
        super().__init__(prefix)
        self._func, self._func_name = _function(function)


class Lambda(_FunctionBlock):
    """Wrap a function as a Block.

    Args:
        function: a callable, or the name of a function of `np`, `npx` or `nd`.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> nn.Lambda(lambda x: x * 2)(np.ones(2))
    array([2., 2.])
    """

    def forward(self, *args: Any) -> Any:
        return convert(self._func)(*args)


class HybridLambda(_FunctionBlock, HybridBlock):
    """Wrap a function as a HybridBlock.

    It gets the arrays of the call, as in MXNet 2, or before them `F`, as in MXNet 1.x: where its first parameter is
    called so, or where it needs one argument more than there are arrays (`lambda nd, x: ...`).

    Args:
        function: a function, a method, a partial or any callable; or the name of a function of `np`, `npx` or `nd`.

    Raises:
        ValueArgumentError E332: it is none of these, or it takes whatever there is (`*args`), so that nobody can tell.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> layer = nn.HybridLambda(lambda x: x * 2)
    >>> layer.hybridize()
    >>> layer(np.ones(2))
    array([2., 2.])
    """

    def __init__(self, function: Callable[..., Any] | str, prefix: str | None = None) -> None:
        super().__init__(function, prefix)
        self._takes_functions, self._count = _parameters(self._func)

    def forward(self, *args: Any) -> Any:
        if self._takes_functions or len(args) < self._count:
            return convert(self._func)(functions(), *args)
        return convert(self._func)(*args)


def _parameters(function: Callable[..., Any]) -> tuple[bool, int]:
    """Return whether the first parameter of a callable is `F`, and the number of arguments that it needs by position.

    Raises:
        ValueArgumentError E332: the first one is `*args`, unless it is ours: functions of arrays take arrays.
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # of C, which knows no `F`
        return False, 0
    if parameters and parameters[0].kind is inspect.Parameter.VAR_POSITIONAL:
        called = function if hasattr(function, "__code__") else type(function).__call__
        if str(called.__module__).partition(".")[0] != __name__.partition(".")[0]:
            raise ValueArgumentError(
                "E332",
                f"the first parameter of {function!r} is *{parameters[0].name}, so it may want F first or not",
                help="name the first one: lambda F, *args: ... gets F, and lambda x, *args: ... the arrays alone",
            )
    places = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    needed = [one for one in parameters if one.kind in places and one.default is one.empty]
    return bool(parameters) and parameters[0].name == "F", len(needed)


def _function(function: Callable[..., Any] | str) -> tuple[Callable[..., Any], str]:
    if callable(function):
        return function, getattr(function, "__name__", type(function).__name__)
    for module in (np, npx, load_module("hybridize.ndarray")) if isinstance(function, str) else ():
        if hasattr(module, function):
            return getattr(module, function), function
    raise ValueArgumentError("E332", f"{function!r} is neither a function nor the name of one in np, npx or nd")
