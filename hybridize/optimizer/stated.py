# SPDX-License-Identifier: Apache-2.0
"""The numbers of an optimizer's formula, computed by the program itself: files have no Python that does.

    settings_program(...) -> Graph      of learning rate (f64[]), count of steps (i64[]), what the formula carries on

`Optimizer.scalars` and a schedule of ours run on numbers that record what is done to them. What they do with Python's
numbers the program does with float64: sums, differences, products, quotients, powers, roots, and `base.recorded`. They
may not ask which number they have.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
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

    def __floordiv__(self, other: Any) -> RecordedNumber:
        return _made(ops.floor_div, self, other)

    def __mod__(self, other: Any) -> RecordedNumber:
        return _made(ops.mod, self, other)

    def __lt__(self, other: Any) -> RecordedNumber:
        return _compared(ops.lt, self, other)

    def __gt__(self, other: Any) -> RecordedNumber:
        return _compared(ops.gt, self, other)

    def __eq__(self, other: object) -> RecordedNumber:  # type: ignore[override]
        return _compared(ops.eq, self, other)

    def __ne__(self, other: object) -> RecordedNumber:  # type: ignore[override]
        return _compared(ops.ne, self, other)

    def __neg__(self) -> RecordedNumber:
        return RecordedNumber(bind1(ops.Neg(), self.operand))

    def root(self) -> RecordedNumber:
        """Return the square root."""
        return RecordedNumber(bind1(ops.Sqrt(), self.operand))

    def cosine(self) -> RecordedNumber:
        """Return the cosine."""
        return RecordedNumber(bind1(ops.Cos(), self.operand))

    def choose(self, yes: Any, no: Any) -> RecordedNumber:
        """Return one of two numbers, by an answer of a comparison."""
        return RecordedNumber(ops.where(ops.ne(self.operand, _operand(0.0)), _operand(yes), _operand(no)))

    def __bool__(self) -> bool:
        raise NumberIsAsked

    # Conversions are not there: Python raises a TypeError where a formula asks for them.


def _operand(number: Any) -> Operand:
    if isinstance(number, RecordedNumber):
        return number.operand
    if not isinstance(number, (int, float)):
        raise NumberIsAsked
    return ops.full(float(number), _FLOAT)


def _made(function: Any, x: Any, y: Any) -> RecordedNumber:
    return RecordedNumber(function(_operand(x), _operand(y)))


def _compared(function: Any, x: Any, y: Any) -> RecordedNumber:
    return RecordedNumber(bind1(ops.Cast(float64), function(_operand(x), _operand(y))))


class RecordedCount(RecordedNumber):
    """The number of an update of some weights, and what the formula carries on from one update to the next.

    Args:
        operand: the number.
        done: how many updates were done when the file was made.
        ahead: of the count of steps.
        carry: of all weights.
    """

    def __init__(self, operand: Operand, done: int, ahead: int, carry: CarriedNumbers) -> None:
        super().__init__(operand)
        self._done, self._ahead, self._carry = done, ahead, carry

    def carried(self, name: str, after: Callable[[int], float], step: Callable[[Any], Any]) -> Any:
        """Return a number that the formula carries on, as it is after this update.

        Args:
            name: of the state.
            after: gives its value after so many updates.
            step: gives the value after this update, of that after the update before.
        """
        key = (name, self._ahead)
        self._carry.starts.setdefault(key, after(self._done))
        before = self._carry.inputs.get(key)
        now = step(RecordedNumber(ops.full(1.0, _FLOAT) if before is None else before))
        self._carry.outputs[key] = _operand(now)
        return now


class CarriedNumbers:
    """Numbers that a formula carries on: states of the program besides rate and count, by name and by `ahead`."""

    def __init__(self) -> None:
        self.starts: dict[tuple[str, int], float] = {}
        """Their values now."""
        self.inputs: dict[tuple[str, int], Operand] = {}
        self.outputs: dict[tuple[str, int], Operand] = {}


@frozen
class SettingsRow:
    """The weights of one rate, decay and count: see `captured.Settings`."""

    rate_factor: float
    decay: float
    ahead: int
    """Added to the count of steps, the one that is done now included, it is the weights' own count."""
    index: Any
    """The first of the weights."""


@frozen
class SettingsProgram:
    """The program that fills the array of `captured.Settings` in a file."""

    graph: Graph
    """Inputs: the learning rate, the count of the steps that are done, what is carried on. Outputs: the array, the
    count after this step, what is carried on then."""
    starts: Mapping[tuple[str, int], float]
    """The values now of what is carried on, by name and by how far the weights' count is ahead."""


def settings_program(
    optimizer: Any, rows: Sequence[SettingsRow], names: Sequence[str], flags: Sequence[dict[str, bool]], dtype: DType,
    *, done: int, schedule: Any = None,
) -> SettingsProgram | None:  # fmt: skip
    """Return the program of what `captured.Settings` fills its array with.

    Args:
        optimizer: whose `_settings` are asked.
        rows: the weights.
        names: of the numbers, in the order of columns.
        flags: those of each row, which must not have changed.
        dtype: of the array, [rows, names].
        done: the count of the steps that are done now.
        schedule: that the program computes the rate by, of its `base_lr`; None where the host sets the rate.

    Returns:
        None where the optimizer, or the schedule, asks which number it has.
    """
    carry = CarriedNumbers()

    def function(rate: Operand, count: Operand, *carried: Operand) -> list[Operand]:
        carry.inputs = dict(zip(carry.starts, carried, strict=bool(carried)))
        after = ops.add(count, ops.full(1, COUNT))
        base = RecordedNumber(rate)
        if schedule is not None:
            planned = copy.copy(schedule)
            planned.base_lr = base
            base = planned(RecordedNumber(bind1(ops.Cast(float64), after)))
        cells: list[Operand] = []
        for row, expected in zip(rows, flags, strict=True):
            own = bind1(ops.Cast(float64), ops.add(after, ops.full(row.ahead, COUNT)))
            lr = RecordedNumber(ops.mul(_operand(base), ops.full(row.rate_factor, _FLOAT)))
            of_row = RecordedCount(own, done + row.ahead, row.ahead, carry)
            numbers, now = optimizer._settings(lr, row.decay, of_row, row.index)
            if now != expected:
                raise NumberIsAsked
            values = [bind1(ops.Cast(dtype), _operand(numbers[name])) for name in names]
            cells += [bind1(ops.Reshape((1, 1)), value) for value in values]
        width = len(names)
        lines = [ops.concat(*cells[k : k + width], axis=1) for k in range(0, len(cells), width)]
        # As in Python's programs the numbers are known to no pass: constants would round otherwise.
        array = ops.bind1(ops.After(), ops.concat(*lines, axis=0), after)
        return [array, after, *(carry.outputs[key] for key in carry.inputs)]

    with numpy.errstate(all="ignore"):
        try:
            graph = ops.make_graph(function, (RATE, COUNT), ("learning_rate", "step"))
            if carry.starts:  # what is carried on is known once it was asked for
                types = (RATE, COUNT, *(_FLOAT for _ in carry.starts))
                graph = ops.make_graph(function, types, ("learning_rate", "step", *(name for name, _ in carry.starts)))
        except (NumberIsAsked, TypeError):
            return None
    return SettingsProgram(graph, carry.starts)
