# SPDX-License-Identifier: Apache-2.0
"""Layers that are one elementwise function."""

from __future__ import annotations

from typing import Any

from hybridize import init as initializers
from hybridize.array.functions import neural
from hybridize.array.ndarray import ndarray
from hybridize.base.errors import ArgumentError, ValueArgumentError
from hybridize.gluon.checking import check_number
from hybridize.gluon.hybrid_block import HybridBlock

_FUNCTIONS = ("relu", "sigmoid", "log_sigmoid", "mish", "tanh", "softrelu", "softsign")


class Activation(HybridBlock):
    """Apply an activation function, which you choose by name.

    Args:
        activation: one of relu, sigmoid, log_sigmoid, mish, tanh, softrelu, softsign.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> nn.Activation("relu")(np.array([-1.0, 2.0]))
    array([0., 2.])
    """

    _repr_form = "{0._act_type}"

    def __init__(self, activation: str, **kwargs: Any) -> None:
        if activation not in _FUNCTIONS:
            raise ArgumentError("E330", f"{activation!r} is not an activation", help=f"one of {', '.join(_FUNCTIONS)}")
        self.__dict__["_act_type"] = activation  # names the block, so it is there before the rest
        super().__init__(**kwargs)

    _act_type: str

    def _alias(self) -> str:
        return self._act_type

    def forward(self, x: Any) -> ndarray:
        return neural.activation(x, self._act_type)


def activation_of(block: HybridBlock, word: str | None) -> Activation | None:
    """Make the activation of a layer's result, in the layer's scope of names; None where there is none."""
    with block._internal_scope():
        return None if word is None else Activation(word, prefix=f"{word}_")


class LeakyReLU(HybridBlock):
    """Return x where x > 0, and alpha x elsewhere.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> nn.LeakyReLU(0.1)(np.array([-1.0, 2.0]))
    array([-0.1,  2. ])
    """

    _repr_form = "{0._alpha}"

    def __init__(self, alpha: float, **kwargs: Any) -> None:
        if not hasattr(alpha, "__float__") or alpha < 0:
            raise ValueArgumentError("E345", f"the slope of LeakyReLU must not be negative, got {alpha!r}")
        super().__init__(**kwargs)
        self._alpha = alpha

    def forward(self, x: Any) -> ndarray:
        return neural.leaky_relu(x, act_type="leaky", slope=self._alpha)


class PReLU(HybridBlock):
    """Apply a leaky ReLU whose slope is a parameter, `alpha`.

    Args:
        alpha_initializer: initial slope; `Constant(0.25)`.
        in_channels: number of slopes: 1, or one for each index of axis 1.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> layer = nn.PReLU()
    >>> layer.initialize()
    >>> layer(np.array([-1.0, 2.0]))
    array([-0.25,  2.  ])
    """

    _operands = "alpha"

    def __init__(self, alpha_initializer: Any = None, in_channels: int = 1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        start = initializers.Constant(0.25) if alpha_initializer is None else alpha_initializer
        self.alpha: Any = self.params.get("alpha", shape=(in_channels,), init=start)

    def forward(self, x: Any) -> ndarray:
        return neural.leaky_relu(x, gamma=self.alpha.data(), act_type="prelu")


class ELU(HybridBlock):
    """Return x where x > 0, and alpha (exp(x) - 1) elsewhere.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> nn.ELU()(np.array([-1.0, 2.0])).round(3)
    array([-0.632,  2.   ])
    """

    def __init__(self, alpha: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._alpha = check_number(self, "alpha", alpha)

    def forward(self, x: Any) -> ndarray:
        return neural.leaky_relu(x, act_type="elu", slope=self._alpha)


class SELU(HybridBlock):
    """Apply `ELU` with the two constants that keep mean 0 and variance 1 (Klambauer et al. 2017).

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> nn.SELU()(np.array([-1.0, 2.0])).round(3)
    array([-1.111,  2.101])
    """

    def forward(self, x: Any) -> ndarray:
        return neural.leaky_relu(x, act_type="selu")


class GELU(HybridBlock):
    """Return x times the cumulative distribution function of the normal distribution at x.

    Args:
        approximation: `erf`, the function itself, or `tanh`, Hendrycks & Gimpel's approximation.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> nn.GELU()(np.array([-1.0, 2.0])).round(3)
    array([-0.159,  1.954])
    """

    def __init__(self, approximation: str = "erf", **kwargs: Any) -> None:
        if approximation not in ("erf", "tanh"):
            raise ArgumentError("E330", f"approximation of GELU must be erf or tanh, got {approximation!r}")
        super().__init__(**kwargs)
        self._approximation = approximation

    def forward(self, x: Any) -> ndarray:
        return neural.gelu(x, self._approximation)


class Swish(HybridBlock):
    """Return x sigmoid(beta x).

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> nn.Swish()(np.array([-1.0, 2.0])).round(3)
    array([-0.269,  1.762])
    """

    def __init__(self, beta: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._beta = check_number(self, "beta", beta)

    def forward(self, x: Any) -> ndarray:
        return x * neural.sigmoid(x * self._beta if self._beta != 1 else x)


class SiLU(Swish):
    """Return x sigmoid(x).

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> nn.SiLU()(np.array([-1.0, 2.0])).round(3)
    array([-0.269,  1.762])
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(1.0, **kwargs)
