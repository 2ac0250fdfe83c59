# SPDX-License-Identifier: Apache-2.0
"""Dense layers and the small ones around them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from hybridize.array import np, npx
from hybridize.array.functions import dense, neural
from hybridize.array.ndarray import ndarray
from hybridize.base.errors import ShapeError, ValueArgumentError
from hybridize.gluon.block import Block
from hybridize.gluon.checking import check_count, check_part
from hybridize.gluon.dependence import convert
from hybridize.gluon.hybrid_block import HybridBlock, functions
from hybridize.gluon.nn.activations import activation_of
from hybridize.gluon.parameter import UNKNOWN


class Dense(HybridBlock):
    """activation(x weightᵀ + bias).

    Args:
        units: number of outputs.
        activation: name of an activation, or None.
        use_bias: whether there is a bias.
        flatten: make all axes but the first one before (False: work on the last axis alone).
        dtype: of the parameters.
        weight_initializer: initializer of `weight`, [units, in_units].
        bias_initializer: initializer of `bias`, [units].
        in_units: number of inputs; 0: taken from the first input.

    >>> Dense(4, in_units=3)
    Dense(3 -> 4, linear)
    """

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
        self.weight = self.params.deferred("weight", (units, in_units), weight_initializer, dtype=dtype)
        self.bias = self.params.deferred("bias", (units,), bias_initializer, dtype=dtype) if use_bias else None
        self.act = activation_of(self, activation)

    def infer_shape(self, x: Any) -> None:
        if not x.shape:
            raise ShapeError("E102", f"Dense needs [n, in], got a scalar {x.dtype}", help="np.array([x]) has one axis")
        self.weight.complete(self._units, math.prod(x.shape[1:]) if self._flatten else x.shape[-1])

    def forward(self, x: Any) -> ndarray:
        weight, bias = self.weight, self.bias
        y = dense.fully_connected(x, weight.data(), None if bias is None else bias.data(), flatten=self._flatten)
        return y if self.act is None else self.act(y)

    def __repr__(self) -> str:
        units, inputs = self.weight.shape or (self._units, UNKNOWN)
        return f"{type(self).__name__}({inputs if inputs >= 0 else None} -> {units}, {self.act or 'linear'})"


class Dropout(HybridBlock):
    """While training, set a random part of the inputs to zero and scale the rest by 1 / (1 - rate).

    Args:
        rate: the part that is dropped.
        axes: axes along which the same elements are dropped.
    """

    _repr_form = "p = {0._rate}, axes={0._axes}"

    def __init__(self, rate: float, axes: tuple[int, ...] = (), **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._rate = check_part(self, "rate", rate)
        self._axes = axes

    def forward(self, x: Any) -> ndarray:
        return neural.dropout(x, p=self._rate, axes=self._axes)


class Flatten(HybridBlock):
    """[batch, ...] -> [batch, everything else]."""

    def forward(self, x: Any) -> ndarray:
        return neural.batch_flatten(x)

    def __repr__(self) -> str:
        return type(self).__name__


class Identity(HybridBlock):
    """Its input."""

    def forward(self, x: Any) -> ndarray:
        return x


class Embedding(HybridBlock):
    """Row `x` of a table of vectors.

    Args:
        input_dim: number of rows.
        output_dim: size of a row.
        dtype: of the table.
        weight_initializer: initializer of `weight`, [input_dim, output_dim].
        sparse_grad: accepted for MXNet; gradients are dense.
    """

    _repr_form = "{0._input_dim} -> {0._output_dim}, {0._dtype}"

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
        self._input_dim, self._output_dim, self._dtype = input_dim, output_dim, dtype
        self.weight = self.params.deferred("weight", (input_dim, output_dim), weight_initializer, dtype=dtype)

    def forward(self, x: Any) -> ndarray:
        return neural.embedding(x, self.weight.data(), input_dim=self._input_dim, output_dim=self._output_dim)


class _FunctionBlock(Block):
    """The base of blocks that are a function."""

    _repr_form = "{0._func_name}"

    def __init__(self, function: Callable[..., Any] | str, prefix: str | None = None) -> None:
        super().__init__(prefix)
        self._func, self._func_name = _function(function)


class Lambda(_FunctionBlock):
    """A function as a Block.

    Args:
        function: a callable, or the name of a function of `np` or `npx`.
    """

    def forward(self, *args: Any) -> Any:
        return convert(self._func)(*args)


class HybridLambda(_FunctionBlock, HybridBlock):
    """A function as a HybridBlock.

    Args:
        function: `function(x, ...)` or MXNet 1.x's `function(F, x, ...)`, or the name of a function of `np` or `npx`.
    """

    def forward(self, *args: Any) -> Any:
        names = getattr(getattr(self._func, "__code__", None), "co_varnames", ())
        if names[:1] == ("F",):
            return convert(self._func)(functions(), *args)
        return convert(self._func)(*args)


def _function(function: Callable[..., Any] | str) -> tuple[Callable[..., Any], str]:
    if callable(function):
        return function, getattr(function, "__name__", type(function).__name__)
    for module in (np, npx):
        if isinstance(function, str) and hasattr(module, function):
            return getattr(module, function), function
    raise ValueArgumentError("E332", f"{function!r} is neither a function nor the name of one in np or npx")
