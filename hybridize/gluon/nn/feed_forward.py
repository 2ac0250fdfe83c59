# SPDX-License-Identifier: Apache-2.0
"""Feed-forward nets on the last axis, plain and gated: the other half of a Transformer's layer."""

from __future__ import annotations

from typing import Any

from hybridize.array.functions import neural, positions
from hybridize.array.ndarray import ndarray
from hybridize.base.errors import ArgumentError
from hybridize.gluon.checking import check_counts, check_part
from hybridize.gluon.hybrid_block import HybridBlock
from hybridize.gluon.nn.basic import Dense

_GATES = {"swiglu": "silu", "geglu": "gelu", "geglu_tanh": "gelu_tanh", "reglu": "relu", "glu": "sigmoid"}
_ACTIVATIONS = ("relu", "gelu", "gelu_tanh", "silu", "tanh", "sigmoid")


class GLU(HybridBlock):
    """Return the first half of an axis times a function of the second half: see `npx.glu`.

    Args:
        axis: that is halved.
        activation: "sigmoid", "silu", "gelu", "gelu_tanh", "relu", "linear", or another activation.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> nn.GLU()(np.array([[1.0, 2.0, 0.0, 0.0]]))
    array([[0.5, 1. ]])
    """

    _repr_form = "axis={0._axis}, {0._activation}"

    def __init__(self, axis: int = -1, activation: str = "sigmoid", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._axis, self._activation = axis, activation

    def forward(self, x: Any) -> ndarray:
        return positions.glu(x, self._axis, self._activation)


class FeedForward(HybridBlock):
    """Apply two dense layers with an activation between to the last axis; three layers where the activation is a gate.

    Its children are `linear1`, `linear2` and, of a gate, `gate`: linear2(dropout(activation(linear1(x)))), or
    linear2(dropout(activation(gate(x)) linear1(x))).

    Args:
        hidden_size: units between.
        units: of the result.
        activation: "relu", "gelu", "gelu_tanh", "silu", "tanh", "sigmoid"; or a gate: "swiglu", "geglu",
            "geglu_tanh", "reglu", "glu".
        dropout: the part of the units between that is dropped while training.
        use_bias: whether the layers have a bias.
        in_units: size of the input; 0: taken from the first input.
        dtype: of the parameters.
        weight_initializer: of the weights.
        bias_initializer: of the biases.

    Raises:
        ArgumentError E331: a number is not a positive integer, or dropout does not lie between 0 and 1; E330: there is
            no such activation.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> layer = nn.FeedForward(32, 8, activation="gelu")
    >>> layer.initialize()
    >>> layer(np.ones((2, 5, 8))).shape
    (2, 5, 8)
    """

    linear1: Dense
    linear2: Dense

    def __init__(
        self,
        hidden_size: int,
        units: int,
        activation: str = "relu",
        dropout: float = 0.0,
        use_bias: bool = True,
        in_units: int = 0,
        dtype: Any = "float32",
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_counts(self, hidden_size=hidden_size, units=units)
        self._dropout = check_part(self, "dropout", dropout)
        if activation not in _ACTIVATIONS and activation not in _GATES:
            known = ", ".join((*_ACTIVATIONS, *_GATES))
            raise ArgumentError("E330", f"FeedForward has no activation {activation!r}", help=f"use one of {known}")
        self._activation = activation
        settings = {
            "use_bias": use_bias, "flatten": False, "dtype": dtype, "weight_initializer": weight_initializer,
            "bias_initializer": bias_initializer,
        }  # fmt: skip
        with self._internal_scope():
            self.gate: Dense | None = (
                Dense(hidden_size, in_units=in_units, **settings) if activation in _GATES else None
            )
            self.linear1 = Dense(hidden_size, in_units=in_units, **settings)
            self.linear2 = Dense(units, in_units=hidden_size, **settings)

    def forward(self, x: Any) -> ndarray:
        y = self.linear1(x)
        if self.gate is None:
            y = _activated(y, self._activation)
        else:
            y = y * _activated(self.gate(x), _GATES[self._activation])
        return self.linear2(neural.dropout(y, self._dropout))


class SwiGLU(FeedForward):
    """Apply linear2(silu(gate(x)) linear1(x)), the gated net of LLaMA and others.

    Args:
        hidden_size: units between.
        units: of the result.
        dropout: the part of the units between that is dropped while training.
        use_bias: whether the layers have a bias.
        in_units: size of the input; 0: taken from the first input.
        kwargs: `dtype` and the initializers of `FeedForward`.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> layer = nn.SwiGLU(32, 8)
    >>> layer.initialize()
    >>> layer(np.ones((2, 5, 8))).shape
    (2, 5, 8)
    """

    def __init__(
        self,
        hidden_size: int,
        units: int,
        dropout: float = 0.0,
        use_bias: bool = False,
        in_units: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(hidden_size, units, "swiglu", dropout, use_bias, in_units, **kwargs)


def _activated(x: Any, activation: str) -> Any:
    if activation in ("gelu", "gelu_tanh"):
        return neural.gelu(x, "tanh" if activation == "gelu_tanh" else "erf")
    return neural.activation(x, activation)
