# SPDX-License-Identifier: Apache-2.0
"""Apply a cell to the steps of a sequence: the forms that sequences come and go in, and the loop over their steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hybridize.array import np, npx
from hybridize.array.functions.bounds import check
from hybridize.array.operands import array
from hybridize.array.operands import indices as index_operand
from hybridize.base import dims
from hybridize.base.errors import ArgumentError, ShapeError

Step = Callable[[Any, list[Any]], tuple[Any, list[Any]]]
"""From the input of a step and the states to the output and the new states, as a cell is called."""


def check_layout(layout: str) -> int:
    """Return the axis of steps in a layout, of which T and N come first.

    Raises:
        ArgumentError E331: there is no such layout.
    """
    if layout[:2] not in ("NT", "TN"):
        raise ArgumentError(
            "E331", f"unroll with layout={layout!r}", help="'NTC', sequences first, or 'TNC', steps first"
        )
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
            raise ArgumentError("E331", "unroll of no inputs", help="give an array, whose axis of steps may be empty")
        x = np.stack(list(inputs))
    else:
        x = array(inputs)
        if x.ndim < 2:
            raise ShapeError("E187", f"unroll of {x.type} in the layout {layout}", help="it has steps and sequences")
        x = np.swapaxes(x, 0, 1) if axis else x
    if length is not None and not dims.same(length, x.shape[0]) and length != x.shape[0]:
        raise ShapeError(
            "E187",
            f"unroll over length={length} of inputs with {dims.text(x.shape[0])} steps",
            help="length=None takes them all" if isinstance(inputs, (list, tuple)) else f"the layout is {layout}",
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


def counted_steps(x: Any, valid_length: Any) -> Any:
    """[steps, batch]: whether a step is one of the sequence's.

    Args:
        x: [steps, batch, ...].
        valid_length: [batch], how many steps of each sequence count.

    Raises:
        ShapeError E187: there is not one length for each sequence.
        OutOfBoundsError E110: a length is negative, or greater than the number of steps.
    """
    steps, batch = x.shape[:2]
    ends = array(valid_length)
    if ends.ndim != 1 or ends.shape[0] != batch:
        raise ShapeError(
            "E187",
            f"valid_length {ends.type} of {dims.text(batch)} sequences",
            help="one length for each sequence",
        )
    numbers = index_operand(ends)
    help = f"a length is from 0 to the {dims.text(steps)} steps"
    check(numbers, 0, steps + 1, f"valid_length of sequences {x.type}", help)
    return np.expand_dims(np.arange(steps, dtype="int64"), 1) < np.expand_dims(ends.astype("int64"), 0)


def through_steps(
    step: Step, x: Any, states: Sequence[Any], valid_length: Any = None, more: Sequence[Any] = ()
) -> tuple[Any, list[Any]]:
    """Apply a step to all inputs, one after the other: in a program that is captured one loop.

    Args:
        step: what is applied.
        x: [steps, batch, ...].
        states: what it begins with.
        more: further inputs [steps, ...]; with them a step is given a list, its part of x first.
        valid_length: [batch], how many steps of each sequence count; None: all. After its end a sequence's states stay,
            and its outputs are 0.

    Returns:
        The outputs [steps, batch, ...], and the last states.
    """
    xs = [x, *more]

    def one(slices: list[Any], now: list[Any]) -> tuple[Any, list[Any]]:
        return _listed(step(slices if more else slices[0], now))

    def masked(slices: list[Any], now: list[Any]) -> tuple[Any, list[Any]]:
        *parts, goes_on = slices
        y, after = one(parts, now)
        return _kept(goes_on, y, 0), [_kept(goes_on, new, old) for new, old in zip(after, now, strict=True)]

    if not dims.is_symbolic(x.shape[0]) and x.shape[0] == 0:
        y, _ = one([np.zeros(x.shape[1:], dtype=x.dtype) for x in xs], list(states))
        return np.zeros((0, *y.shape), dtype=y.dtype), list(states)
    if valid_length is None:
        outputs, last = npx.foreach(one, xs, list(states))
    else:
        outputs, last = npx.foreach(masked, [*xs, counted_steps(x, valid_length)], list(states))
    return outputs, list(last)


def _listed(found: tuple[Any, Any]) -> tuple[Any, list[Any]]:
    y, states = found
    return y, list(states) if isinstance(states, (list, tuple)) else [states]


def _kept(goes_on: Any, new: Any, old: Any) -> Any:
    """Rows of `new` where a sequence goes on, elsewhere of `old`."""
    return np.where(np.reshape(goes_on, (-1, *(1,) * (new.ndim - 1))), new, old)
