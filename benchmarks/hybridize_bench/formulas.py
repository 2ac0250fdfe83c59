# SPDX-License-Identifier: Apache-2.0
"""Functions of arrays that every runtime is asked for, written once over a namespace like NumPy's.

A runtime that has a better word for one (`jax.nn.softmax`) says so in its module of `peers`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hybridize_bench.peers import F32

Function = Callable[..., Any]


def pointwise(np: Any) -> Function:
    """gelu(layernorm(x) w + b) + x, the gelu by tanh."""

    def function(x: Any, w: Any, b: Any) -> Any:
        centred = x - x.mean(axis=-1, keepdims=True)
        y = centred / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + 1e-5) * w + b
        return 0.5 * y * (1 + np.tanh(0.7978845608028654 * (y + 0.044715 * y * y * y))) + x

    return function


def softmax(np: Any) -> Function:
    """Over the last axis."""

    def function(x: Any) -> Any:
        e = np.exp(x - x.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    return function


def total(axis: int) -> Callable[[Any], Function]:
    """The sum over one axis."""
    return lambda np: lambda x: x.sum(axis=axis)


def chain(np: Any) -> Function:
    """Twelve operations, three of them transcendental."""

    def function(x: Any, y: Any) -> Any:
        a = np.tanh(x * y + 1.5) - y
        a = np.exp(-abs(a)) * x
        return np.sqrt(a * a + 1.0) - x

    return function


def arithmetic(np: Any) -> Function:
    """Twelve operations that cost one instruction each: memory is what counts."""

    def function(x: Any, y: Any) -> Any:
        a = (x * y + 1.5 - y) * x
        a = (a + y * 0.5) * 0.25
        return (a * a - x + 3.0) * y - 0.5

    return function


def transpose_add(np: Any) -> Function:
    """x transposed, plus y."""
    return lambda x, y: x.T + y


@dataclass(frozen=True)
class Formula:
    """A function and the sizes it is run on."""

    title: str
    of: Callable[[Any], Function]
    """The function over a namespace."""
    shapes: tuple[tuple[int, ...], ...]
    """Of its arguments."""

    def arrays(self) -> list[F32]:
        """Normal numbers, the same at every run."""
        random = np.random.default_rng(0)
        return [random.standard_normal(shape).astype(np.float32) for shape in self.shapes]

    def expected(self, arrays: list[F32]) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Compute the expected result, in float64."""
        return np.asarray(self.of(np)(*(array.astype(np.float64) for array in arrays)))


MILLION = (1_000_000,)
FORMULAS = {
    "pointwise": Formula("gelu(layernorm(x)·w + b) + x, 1024²", pointwise, ((1024, 1024), (1024,), (1024,))),
    "softmax": Formula("softmax over 1024 × 1000", softmax, ((1024, 1000),)),
    "sum-0": Formula("sum over the first axis of 4096²", total(0), ((4096, 4096),)),
    "sum-1": Formula("sum over the last axis of 4096²", total(1), ((4096, 4096),)),
    "chain": Formula("12 elementwise operations on 1e6, tanh, exp and sqrt among them", chain, (MILLION, MILLION)),
    "arithmetic": Formula("12 additions and multiplications on 1e6", arithmetic, (MILLION, MILLION)),
    "transpose-1024": Formula("x.T + y, 1024²", transpose_add, ((1024, 1024), (1024, 1024))),
    "transpose-2048": Formula("x.T + y, 2048²", transpose_add, ((2048, 2048), (2048, 2048))),
}
