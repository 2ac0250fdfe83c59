# SPDX-License-Identifier: Apache-2.0
"""Apply a cell to the steps of a sequence: the forms that sequences come and go in, and the loop over their steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hybridize.array import np, npx
from hybridize.array.functions.bounds import check
from hybridize.array.operands import array, result
from hybridize.array.operands import indices as index_operand
from hybridize.base import dims
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.base.types import same_shape

Step = Callable[[Any, list[Any]], tuple[Any, list[Any]]]
"""From the input of a step and the states to the output and the new states, as a cell is called."""


def check_layout(layout: str) -> int:
    """Return the axis of steps in a layout, of which T and N come first.

    Raises:
        ArgumentError E331: there is no such layout.
    """
    if not isinstance(layout, str) or layout[:2] not in ("NT", "TN"):
        raise ArgumentError("E331", f"unroll with layout={layout!r}", help="use 'NTC' (batch first) or 'TNC'")
    return layout.index("T")


def steps_first(length: Any, inputs: Any, layout: str) -> Any:
    """Return the inputs of all steps as one array [steps, batch, ...].

    Args:
        length: how many steps there are; None: as many as the inputs have.
        inputs: one array in the layout, or the inputs of each step, [batch, ...].
        layout: NTC or TNC.

    Raises:
        ArgumentError E331: there is no such layout, or no step of a list.
        ShapeError E187: there are more or fewer steps.
    """
    axis = check_layout(layout)
    if isinstance(inputs, (list, tuple)):
        if not inputs:
            raise ArgumentError("E331", "unroll needs an input", help="pass an array; its axis of steps may be empty")
        x = np.stack(list(inputs))
    else:
        x = array(inputs)
        if x.ndim < 2:
            raise ShapeError(
                "E187",
                f"unroll of {x.type} in the layout {layout}",
                help="the input needs an axis of steps and one of sequences",
            )
        x = np.swapaxes(x, 0, 1) if axis else x
    if length is not None and not dims.same(length, x.shape[0]) and length != x.shape[0]:
        raise ShapeError(
            "E187",
            f"unroll over length={length} of inputs with {dims.text(x.shape[0])} steps",
            help="length=None takes all steps" if isinstance(inputs, (list, tuple)) else f"the layout is {layout}",
        )
    return x


def given_back(outputs: Any, layout: str, merge: bool | None) -> Any:
    """Return the outputs [steps, batch, ...] in the form that was asked for.

    Args:
        outputs: of all steps.
        layout: NTC or TNC.
        merge: True: one array in the layout; otherwise a list, one for each step; a program is for their number.
    """
    if not merge:
        return [outputs[k] for k in range(int(outputs.shape[0]))]
    return np.swapaxes(outputs, 0, 1) if check_layout(layout) else outputs


def lengths_of(x: Any, valid_length: Any) -> Any:
    """Return how many steps of each sequence count, int64 [batch], checked; None: all.

    Args:
        x: [steps, batch, ...].
        valid_length: [batch], or None.

    Raises:
        ShapeError E187: there is not one length for each sequence.
        OutOfBoundsError E110: a length is negative, or greater than the number of steps.
    """
    if valid_length is None:
        return None
    steps, batch = x.shape[:2]
    ends = array(valid_length)
    if ends.ndim != 1 or ends.shape[0] != batch:
        raise ShapeError("E187", f"valid_length {ends.type} of {dims.text(batch)} sequences", help="give one for each")
    numbers = index_operand(ends)
    help = f"a length is from 0 to the {dims.text(steps)} steps"
    check(numbers, 0, steps + 1, f"valid_length of sequences {x.type}", help)
    return result(numbers)


def counted_steps(x: Any, lengths: Any) -> Any:
    """True where a step of x [steps, batch, ...] comes before the end of its sequence, [steps, batch]."""
    return np.expand_dims(np.arange(x.shape[0], dtype="int64"), 1) < np.expand_dims(lengths, 0)


def through_steps(
    step: Step, x: Any, states: Sequence[Any], valid_length: Any = None, more: Sequence[Any] = ()
) -> tuple[Any, list[Any]]:
    """Apply a step to all inputs, one after the other: in a program that is captured one loop.

    Args:
        step: what is applied.
        x: [steps, batch, ...].
        states: what it begins with.
        more: further inputs [steps, ...]; with them a step is given a list, its part of x first.
        valid_length: as of `lengths_of`. After its end a sequence's states stay, and its outputs are 0.

    Returns:
        The outputs [steps, batch, ...], and the last states.
    """
    xs = [x, *more]

    def one(slices: list[Any], now: list[Any]) -> tuple[Any, list[Any]]:
        return _checked(step(slices if more else slices[0], now), now, x.shape[1])

    def masked(slices: list[Any], now: list[Any]) -> tuple[Any, list[Any]]:
        *parts, goes_on = slices
        y, after = one(parts, now)
        return _select_rows(goes_on, y, 0), [
            _select_rows(goes_on, new, old) for new, old in zip(after, now, strict=True)
        ]

    if not dims.is_symbolic(x.shape[0]) and x.shape[0] == 0:
        y, _ = one([np.zeros(x.shape[1:], dtype=x.dtype) for x in xs], list(states))
        return np.zeros((0, *y.shape), dtype=y.dtype), list(states)
    if valid_length is None:
        outputs, last = npx.foreach(one, xs, list(states))
    else:
        outputs, last = npx.foreach(masked, [*xs, counted_steps(x, valid_length)], list(states))
    return outputs, list(last)


def _checked(result: Any, before: Sequence[Any], batch: int) -> tuple[Any, list[Any]]:
    """Return the output and the list of the new states that a step, which may be the user's, gives.

    Args:
        result: what it gives.
        before: the states that it was given.
        batch: how many sequences there are.

    Raises:
        ArgumentError E331: it is no output with as many states as before.
        ShapeError E187: the output is not of so many sequences, or a state of another shape than before.
    """
    rule = "forward(self, x, states) gives the output [batch, ...] and the list of the new states"
    if not isinstance(result, (list, tuple)) or len(result) != 2:
        shown = f"{len(result)} results" if isinstance(result, (list, tuple)) else _type_text(result)
        raise ArgumentError("E331", f"a step of a cell returned {shown}", help=rule)
    y, after = result
    states = list(after) if isinstance(after, (list, tuple)) else [after]
    if len(states) != len(before):
        raise ArgumentError("E331", f"a step of a cell with {len(before)} states returned {len(states)}", help=rule)
    for one in (y, *states):
        if not hasattr(one, "shape"):
            raise ArgumentError("E331", f"a step of a cell must return arrays, got {_type_text(one)}", help=rule)
    if not y.ndim or y.shape[0] != batch:
        what = f"a step of a cell gives the output {y.type} for {dims.text(batch)} sequences"
        raise ShapeError("E187", what, help=rule)
    for new, old in zip(states, before, strict=True):
        if not same_shape(new.shape, old.shape):
            what = f"a step of a cell gives a state {new.type} in place of {old.type}"
            raise ShapeError("E187", what, help="a step must return each state in the shape that `state_info` gives")
    return y, states


def _type_text(x: Any) -> str:
    return str(x.type) if hasattr(x, "type") else type(x).__name__


def _select_rows(goes_on: Any, new: Any, old: Any) -> Any:
    """Rows of `new` where a sequence goes on, elsewhere of `old`."""
    return np.where(np.reshape(goes_on, (-1, *(1,) * (new.ndim - 1))), new, old)
