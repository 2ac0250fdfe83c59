# SPDX-License-Identifier: Apache-2.0
"""Initializers that draw nothing."""

from __future__ import annotations

import json
from typing import Any

from hybridize.array.ndarray import ndarray
from hybridize.base.errors import ShapeError
from hybridize.init.base import Initializer, alias, register


@alias("zeros")
@register
class Zero(Initializer):
    """Fill with 0.

    >>> from hybridize import init, np
    >>> w = np.ones(2)
    >>> init.Zero()("weight", w)
    >>> w
    array([0., 0.])
    """

    def _init_weight(self, name: str, arr: ndarray) -> None:
        arr[...] = 0


@alias("ones")
@register
class One(Initializer):
    """Fill with 1.

    >>> from hybridize import init, np
    >>> w = np.zeros(2)
    >>> init.One()("weight", w)
    >>> w
    array([1., 1.])
    """

    def _init_weight(self, name: str, arr: ndarray) -> None:
        arr[...] = 1


@register
class Constant(Initializer):
    """Fill with a number, or copy an array.

    Args:
        value: a number, or anything that becomes an array of the parameter's shape.

    >>> from hybridize import init, np
    >>> w = np.ones(2)
    >>> init.Constant(0.5)("weight", w)
    >>> w
    array([0.5, 0.5])
    """

    def __init__(self, value: Any = 0.0) -> None:
        super().__init__(value=value)
        self.value = value

    def _init_weight(self, name: str, arr: ndarray) -> None:
        arr[...] = self.value

    def dumps(self) -> str:
        """Return JSON that `create` reads back; an array is a list there."""
        value = self.value.tolist() if hasattr(self.value, "tolist") else self.value
        return json.dumps(["constant", {"value": value}])


@register
class LSTMBias(Initializer):
    """Fill the biases of an LSTM's gates i, f, g, o with 0, and those of the forget gate f with `forget_bias`.

    Args:
        forget_bias: value of the second quarter.

    >>> from hybridize import init, np
    >>> bias = np.ones(4)
    >>> init.LSTMBias(forget_bias=1.0)("bias", bias)
    >>> bias
    array([0., 1., 0., 0.])
    """

    def __init__(self, forget_bias: float = 1.0) -> None:
        super().__init__(forget_bias=forget_bias)
        self.forget_bias = forget_bias

    def _init_weight(self, name: str, arr: ndarray) -> None:
        if not arr.ndim or arr.shape[0] % 4:
            raise ShapeError("E120", f"the biases of an LSTM are four vectors of equal size, but {name} is {arr.type}")
        units = arr.shape[0] // 4
        arr[...] = 0
        arr[units : 2 * units] = self.forget_bias

    _init_bias = _init_weight
