# SPDX-License-Identifier: Apache-2.0
"""Numbers that are computed from sizes: `x / n ** 0.5` where `n` is not known before the call.

Python computes them in float64, outside of all tensors, and a tensor takes them in its own dtype, as any number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridize import ops
from hybridize.base.dims import is_symbolic
from hybridize.base.dtypes import float64
from hybridize.base.frozen import frozen
from hybridize.ops import Operand


@frozen
class SizeNumber:
    """A Python number that only a call knows."""

    operand: Operand
    """Without axes; of float64, int64 or bool, by its kind."""
    kind: type = float
    """float, int or bool."""


def _operand(x: Any) -> Operand:
    if isinstance(x, SizeNumber):
        return x.operand
    return ops.cast(ops.size_of(x), float64) if is_symbolic(x) else ops.scalar(x, float64)


def _computed(function: Callable[..., Operand]) -> Callable[..., SizeNumber]:
    return lambda *xs: SizeNumber(function(*map(_operand, xs)))


def _same(x: Operand) -> Operand:
    return x


_ARITHMETIC: dict[str, Callable[..., Operand]] = {
    "add": ops.add, "sub": ops.sub, "mul": ops.mul, "truediv": ops.div, "pow": ops.pow, "neg": ops.neg,
    "sym_float": _same, "_sym_sqrt": ops.sqrt,
}  # fmt: skip
NUMBERS = {f"size.{name}": _computed(function) for name, function in _ARITHMETIC.items()}
"""Python's arithmetic, by the names that exported programs have for it."""
