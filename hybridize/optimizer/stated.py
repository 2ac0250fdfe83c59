# SPDX-License-Identifier: Apache-2.0
"""The numbers of an optimizer's formula, computed by the program itself: files have no Python that does.

    settings_graph(...) -> Graph        of learning rate (f64[]) and count of steps (i64[])

`Optimizer.scalars` runs once, on numbers that record what is done to them. What it does with Python's numbers the
program does with float64: sums, differences, products, quotients, powers, roots. It may not ask which number it has.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from hybridize import ops
from hybridize.base.dtypes import DType, float64, int64
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType
from hybridize.graph import Graph
from hybridize.ops.op import Operand, bind1

_FLOAT = TensorType((), float64)
RATE, COUNT = TensorType((), float64), TensorType((), int64)


class NumberIsAsked(Exception):
    """Python asks which number a recorded one is: it would be another at another step."""


class RecordedNumber:
    """A float64 number of the program, that does what Python's numbers do."""

    def __init__(self, operand: Operand) -> None:
        self.operand = operand

    def __add__(self, other: Any) -> RecordedNumber:
        return _made(ops.add, self, other)

    def __radd__(self, other: Any) -> RecordedNumber:
        return _made(ops.add, other, self)

    def __sub__(self, other: Any) -> RecordedNumber:
        return _made(ops.sub, self, other)

    def __rsub__(self, other: Any) -> RecordedNumber:
        return _made(ops.sub, other, self)

    def __mul__(self, other: Any) -> RecordedNumber:
        return _made(ops.mul, self, other)

    def __rmul__(self, other: Any) -> RecordedNumber:
        return _made(ops.mul, other, self)

    def __truediv__(self, other: Any) -> RecordedNumber:
        return _made(ops.div, self, other)

    def __rtruediv__(self, other: Any) -> RecordedNumber:
        return _made(ops.div, other, self)

    def __pow__(self, other: Any) -> RecordedNumber:
        return self.root() if type(other) is float and other == 0.5 else _made(ops.pow, self, other)

    def __rpow__(self, other: Any) -> RecordedNumber:
        return _made(ops.pow, other, self)

    def __neg__(self) -> RecordedNumber:
        return RecordedNumber(bind1(ops.Neg(), self.operand))

    def root(self) -> RecordedNumber:
        """Return the square root."""
        return RecordedNumber(bind1(ops.Sqrt(), self.operand))

    def __bool__(self) -> bool:
        raise NumberIsAsked

    def __eq__(self, other: object) -> bool:
        raise NumberIsAsked

    __hash__ = None  # type: ignore[assignment]
    # Order, remainders and conversions are not there: Python raises a TypeError where a formula asks for them.


def _operand(number: Any) -> Operand:
    if isinstance(number, RecordedNumber):
        return number.operand
    if not isinstance(number, (int, float)):
        raise NumberIsAsked
    return ops.full(float(number), _FLOAT)


def _made(function: Any, x: Any, y: Any) -> RecordedNumber:
    return RecordedNumber(function(_operand(x), _operand(y)))


@frozen
class SettingsRow:
    """The weights of one rate, decay and count: see `captured.Settings`."""

    rate_factor: float
    decay: float
    ahead: int
    """Added to the count of steps, the one that is done now included, it is the weights' own count."""


def settings_graph(
    optimizer: Any, rows: Sequence[SettingsRow], names: Sequence[str], flags: Sequence[dict[str, bool]], dtype: DType
) -> Graph | None:
    """Return the graph of what `captured.Settings` fills its array with, and of the next count of steps.

    Args:
        optimizer: whose `_settings` are asked.
        rows: the weights.
        names: of the numbers, in the order of columns.
        flags: those of each row, which must not have changed.
        dtype: of the array, [rows, names].

    Returns:
        Inputs: the learning rate, the count of the steps that are done. Outputs: the array, the count after this step.
        None where the optimizer asks which number it has.
    """

    def function(rate: Operand, count: Operand) -> list[Operand]:
        after = ops.add(count, ops.full(1, COUNT))
        cells: list[Operand] = []
        for row, expected in zip(rows, flags, strict=True):
            own = bind1(ops.Cast(float64), ops.add(after, ops.full(row.ahead, COUNT)))
            lr = RecordedNumber(ops.mul(rate, ops.full(row.rate_factor, _FLOAT)))
            numbers, now = optimizer._settings(lr, row.decay, RecordedNumber(own))
            if now != expected:
                raise NumberIsAsked
            values = [bind1(ops.Cast(dtype), _operand(numbers[name])) for name in names]
            cells += [bind1(ops.Reshape((1, 1)), value) for value in values]
        width = len(names)
        lines = [ops.concat(*cells[k : k + width], axis=1) for k in range(0, len(cells), width)]
        return [ops.concat(*lines, axis=0), after]

    with numpy.errstate(all="ignore"):
        try:
            return ops.make_graph(function, (RATE, COUNT), ("learning_rate", "step"))
        except (NumberIsAsked, TypeError):
            return None
