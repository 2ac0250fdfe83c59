# SPDX-License-Identifier: Apache-2.0
"""Cells that change what other cells do: dropout, zoneout, residual connections; and dropout as a cell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hybridize.array import np, npx
from hybridize.array.ndarray import ndarray
from hybridize.base.errors import ArgumentError, ShapeError, ValueArgumentError
from hybridize.base.modes import is_training
from hybridize.base.types import same_shape
from hybridize.gluon.checking import check_part
from hybridize.gluon.naming import open_scope
from hybridize.gluon.rnn.base import HybridRecurrentCell, RecurrentCell, through_cell
from hybridize.gluon.rnn.containers import BidirectionalCell
from hybridize.gluon.rnn.memory import CellMemory
from hybridize.gluon.rnn.unrolling import through_steps


class DropoutCell(HybridRecurrentCell):
    """Apply dropout between cells: while training, set a random part of the input to 0. It has no states.

    Args:
        rate: the part that is dropped.
        axes: axes of a step's input along which the same elements are dropped.
        prefix: start of the MXNet 1.x names.
        params: accepted for MXNet.

    >>> from hybridize import np
    >>> from hybridize.gluon import rnn
    >>> cell = rnn.DropoutCell(0.5)
    >>> cell(np.ones((1, 3)), [])
    (array([[1., 1., 1.]]), [])
    """

    _name_hint = "dropout"
    _repr_form = "rate={0._rate}, axes={0._axes}"

    def __init__(self, rate: float, axes: tuple[int, ...] = (), prefix: str | None = None, params: Any = None) -> None:
        super().__init__(prefix=prefix, params=params)
        if not isinstance(axes, (tuple, list)) or not all(hasattr(axis, "__index__") for axis in axes):
            raise ArgumentError("E331", f"axes of DropoutCell must be integers, got {axes}", help="axis 0 is the batch")
        self._rate, self._axes = float(check_part(self, "rate", rate)), tuple(axes)

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        return []

    def forward(self, inputs: Any, states: Any) -> tuple[Any, Any]:
        """Give the input, some of it dropped."""
        self._check_states(states)
        return npx.dropout(inputs, p=self._rate, axes=self._axes), states

    def _through(self, x: Any, states: list[Any], valid_length: Any) -> tuple[Any, list[Any]]:
        axes = tuple(axis + 1 if axis >= 0 else axis for axis in self._axes)
        return npx.sequence_mask(npx.dropout(x, p=self._rate, axes=axes), valid_length), states


class ModifierCell(HybridRecurrentCell):
    """Change what another cell does. The base of such cells; the states are those of the other cell.

    Args:
        base_cell: the other cell.

    >>> from hybridize.gluon import rnn
    >>> isinstance(rnn.ResidualCell(rnn.GRUCell(3)), rnn.ModifierCell)
    True
    """

    _repr_form = "{0.base_cell!r}"

    def __init__(self, base_cell: RecurrentCell) -> None:
        with open_scope(None, internal=not base_cell._first_generation):
            super().__init__(prefix=f"{base_cell.prefix}{self._alias()}_")
        if isinstance(base_cell, BidirectionalCell) and not isinstance(self, ResidualCell):
            raise ValueArgumentError(
                "E345",
                f"{type(self).__name__} cannot wrap a BidirectionalCell, which has no single step",
                help="wrap each of the two cells instead",
            )
        self.base_cell = base_cell

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        return self.base_cell.state_info(batch_size)

    def begin_state(self, batch_size: int = 0, func: Callable[..., Any] | None = None, **kwargs: Any) -> list[Any]:
        return self.base_cell.begin_state(batch_size, func, **kwargs)

    def _width(self, below: int) -> int:
        return self.base_cell._width(below)


class ZoneoutCell(ModifierCell):
    """Leave a random part of the outputs, or of the states, as it was a step before, while training (zoneout).

    Args:
        base_cell: the cell.
        zoneout_outputs: the part of the outputs; before the first step they were 0.
        zoneout_states: the part of each state.

    Source: Krueger et al. 2016, "Zoneout".

    >>> from hybridize import np
    >>> from hybridize.gluon import rnn
    >>> cell = rnn.ZoneoutCell(rnn.GRUCell(3), zoneout_states=0.2)
    >>> cell.initialize()
    >>> cell(np.ones((2, 3)), cell.begin_state(batch_size=2))[0].shape
    (2, 3)
    """

    _name_hint = "zoneout"
    zoneout_outputs: float
    zoneout_states: float

    def __init__(self, base_cell: RecurrentCell, zoneout_outputs: float = 0.0, zoneout_states: float = 0.0) -> None:
        super().__init__(base_cell)
        self.zoneout_outputs = float(check_part(self, "zoneout_outputs", zoneout_outputs))
        self.zoneout_states = float(check_part(self, "zoneout_states", zoneout_states))
        self._last_output = CellMemory()

    def reset(self) -> None:
        super().reset()
        self._last_output.set(None)

    def forward(self, inputs: Any, states: Any) -> tuple[ndarray, list[ndarray]]:
        """Give the output and the new states, some of them those of the step before."""
        y, after = self.base_cell(inputs, states)
        if self.zoneout_states and is_training():
            drawn = [_drawn(self.zoneout_states, state.shape) for state in states]
            after = _each_kept(drawn, after, states)
        if self.zoneout_outputs and is_training():
            before = self._last_output.get()
            (y,) = _each_kept(
                [_drawn(self.zoneout_outputs, y.shape)], [y], [np.zeros_like(y) if before is None else before]
            )
            self._last_output.set(y)
        return y, after

    def _through(self, x: Any, states: list[Any], valid_length: Any) -> tuple[Any, list[Any]]:
        if not is_training():
            return through_cell(self.base_cell, x, states, valid_length)
        if self.zoneout_states:
            steps = x.shape[0]  # all is drawn before the loop, as a loop of a program draws nothing
            drawn = [_drawn(self.zoneout_states, (steps, *state.shape)) for state in states]
            outputs, last = through_steps(self._states_kept, x, states, valid_length, drawn)
        else:
            outputs, last = through_cell(self.base_cell, x, states, valid_length)
        if self.zoneout_outputs:
            first = [np.zeros(outputs.shape[1:], dtype=outputs.dtype)]
            drawn = [_drawn(self.zoneout_outputs, outputs.shape)]
            outputs, _ = through_steps(_output_kept, outputs, first, valid_length, drawn)
        return outputs, last

    def _states_kept(self, slices: list[Any], states: list[Any]) -> tuple[Any, list[Any]]:
        x, *drawn = slices
        y, after = self.base_cell(x, states)
        return y, _each_kept(drawn, after, states)


def _output_kept(slices: list[Any], before: list[Any]) -> tuple[Any, list[Any]]:
    y, drawn = slices
    states = _each_kept([drawn], [y], before)
    return states[0], states


def _drawn(p: float, shape: tuple[int, ...]) -> Any:
    """False with probability p."""
    return npx.dropout(np.ones(shape), p=p) != 0


def _each_kept(drawn: list[Any], new: Sequence[Any], old: Sequence[Any]) -> list[Any]:
    """The new arrays where the drawn ones are true, elsewhere the old ones."""
    return [np.where(one, after, before) for one, after, before in zip(drawn, new, old, strict=True)]


class ResidualCell(ModifierCell):
    """Add the output of a cell to its input.

    Args:
        base_cell: the cell, whose output is as large as its input.

    Source: Wu et al. 2016, "Google's neural machine translation system".

    >>> from hybridize import np
    >>> from hybridize.gluon import rnn
    >>> cell = rnn.ResidualCell(rnn.GRUCell(3))
    >>> cell.initialize()
    >>> cell(np.ones((2, 3)), cell.begin_state(batch_size=2))[0].shape
    (2, 3)
    """

    _name_hint = "residual"

    def forward(self, inputs: Any, states: Any) -> tuple[Any, Any]:
        """Give the sum of output and input, and the new states."""
        y, after = self.base_cell(inputs, states)
        return self._sum(y, inputs), after

    def _through(self, x: Any, states: list[Any], valid_length: Any) -> tuple[Any, list[Any]]:
        y, after = through_cell(self.base_cell, x, states, valid_length)
        return self._sum(y, npx.sequence_mask(x, valid_length)), after

    def _sum(self, y: Any, x: Any) -> Any:
        """Add an output and an input.

        Raises:
            ShapeError E187: they are not of one shape.
        """
        if not same_shape(y.shape, x.shape):
            raise ShapeError(
                "E187",
                f"ResidualCell of {self.base_cell!r}: an input {x.type} and an output {y.type}",
                help="input and output are added, so the base cell's output must have the shape of its input",
            )
        return y + x


class VariationalDropoutCell(ModifierCell):
    """Drop the same elements at every step until `reset()`, while training.

    Args:
        base_cell: the cell.
        drop_inputs: the part of the inputs that is dropped.
        drop_states: the part of the first state.
        drop_outputs: the part of the outputs.

    Source: Gal and Ghahramani 2016, "A theoretically grounded application of dropout in recurrent neural networks".

    >>> from hybridize import np
    >>> from hybridize.gluon import rnn
    >>> cell = rnn.VariationalDropoutCell(rnn.GRUCell(3), drop_inputs=0.2)
    >>> cell.initialize()
    >>> cell.unroll(5, np.ones((2, 5, 6)), layout="NTC", merge_outputs=True)[0].shape
    (2, 5, 3)
    """

    _name_hint = "vardrop"
    drop_inputs: float
    drop_states: float
    drop_outputs: float

    def __init__(
        self,
        base_cell: RecurrentCell,
        drop_inputs: float = 0.0,
        drop_states: float = 0.0,
        drop_outputs: float = 0.0,
    ) -> None:
        super().__init__(base_cell)
        self.drop_inputs = float(check_part(self, "drop_inputs", drop_inputs))
        self.drop_states = float(check_part(self, "drop_states", drop_states))
        self.drop_outputs = float(check_part(self, "drop_outputs", drop_outputs))
        self._of_inputs, self._of_states, self._of_outputs = CellMemory(), CellMemory(), CellMemory()

    def reset(self) -> None:
        super().reset()
        for memory in (self._of_inputs, self._of_states, self._of_outputs):
            memory.set(None)

    def forward(self, inputs: Any, states: Any) -> tuple[ndarray, list[ndarray]]:
        """Give the output and the new states of a step."""
        self._check_states(states)
        inputs = _masked(self._of_inputs, self.drop_inputs, inputs)
        states = [*(_masked(self._of_states, self.drop_states, state) for state in states[:1]), *states[1:]]
        y, after = self.base_cell(inputs, states)
        return _masked(self._of_outputs, self.drop_outputs, y), after

    def _through(self, x: Any, states: list[Any], valid_length: Any) -> tuple[Any, list[Any]]:
        if not is_training():
            return through_cell(self.base_cell, x, states, valid_length)
        x = x * _mask(self.drop_inputs, x.shape[1:], x.dtype) if self.drop_inputs else x
        if self.drop_states and states:
            mask = _mask(self.drop_states, states[0].shape, states[0].dtype)
            y, after = through_steps(
                lambda one, now: self.base_cell(one, [now[0] * mask, *now[1:]]), x, states, valid_length
            )
        else:
            y, after = through_cell(self.base_cell, x, states, valid_length)
        return y * _mask(self.drop_outputs, y.shape[1:], y.dtype) if self.drop_outputs else y, after


def _mask(p: float, shape: tuple[int, ...], dtype: Any) -> Any:
    """0 with probability p, else 1 / (1 - p)."""
    return npx.dropout(np.ones(shape, dtype=dtype), p=p)


def _masked(memory: CellMemory, p: float, x: Any) -> Any:
    """`x` by the mask that is kept, or now drawn and kept."""
    if not p or not is_training():
        return x
    mask = memory.get()
    if mask is None:
        mask = _mask(p, x.shape, x.dtype)
        memory.set(mask)
    return x * mask
