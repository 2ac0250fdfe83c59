# SPDX-License-Identifier: Apache-2.0
"""`RecurrentCell`: one step of a recurrent net as a block, with the loop over steps that all cells share."""

from __future__ import annotations

from typing import Any

from hybridize.array import np, npx
from hybridize.array.nd_array import as_nd, holds_nd, plain, through_np
from hybridize.array.operands import array, completed
from hybridize.base.errors import ArgumentError
from hybridize.base.loading import load_module
from hybridize.base.participation import SYMBOLIC
from hybridize.gluon.block import Block
from hybridize.gluon.device_calls import beside
from hybridize.gluon.hybrid_block import HybridBlock
from hybridize.gluon.rnn.states import Stateful
from hybridize.gluon.rnn.unrolling import check_layout, given_back, lengths_of, steps_first, through_steps


class RecurrentCell(Stateful, Block):
    """Compute one step of a recurrent net: take the input and the states, return an output and new states. The base of
    cells.

    A subclass says in `state_info` what its states are, and in `forward(self, x, states)` what a step does. `forward`
    returns the output and a list of the new states. `unroll` runs the cell over all steps.

    >>> from hybridize.gluon import rnn
    >>> class Sum(rnn.RecurrentCell):
    ...     def state_info(self, batch_size=0):
    ...         return [{"shape": (batch_size, 2), "__layout__": "NC"}]
    ...     def forward(self, x, states):
    ...         return x + states[0], [x + states[0]]
    >>> outputs, states = Sum().unroll(3, np.ones((1, 3, 2)), layout="NTC", merge_outputs=True)
    >>> outputs
    array([[[1., 1.],
            [2., 2.],
            [3., 3.]]])
    """

    def infer_shape(self, x: Any, *others: Any) -> None:
        """Set the unknown shapes of one's own parameters from the inputs of a step.

        As in MXNet 2 also `infer_shape(layer, x, is_bidirect)`: of the cell at a position of a stack, whose first cell
        is given x [..., numbers]; cells made of others pass it on.
        """
        if isinstance(x, int):
            for child in self._children.values():
                if isinstance(child, RecurrentCell):
                    child.infer_shape(x, *others)

    _counter: int = 0
    """MXNet's number of the step, of which its cells make names; here names are not needed."""

    def _get_activation(self, F: Any, inputs: Any, activation: Any, **kwargs: Any) -> Any:
        """Apply an activation, as cells written for MXNet 1 do it."""
        return activated(inputs, activation)

    def _width(self, below: int) -> int:
        """Return how many numbers an output has, of inputs of so many."""
        states = self.state_info(0)
        return int(states[0]["shape"][-1]) if states else below

    def reset(self) -> None:
        """Forget what is not a state and lasts from step to step, as of dropout masks; before each new sequence."""
        for child in self._children.values():
            if isinstance(child, RecurrentCell):
                child.reset()

    def unroll(
        self,
        length: int | None,
        inputs: Any,
        begin_state: list[Any] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        """Apply the cell to the steps of sequences, one after the other; in a compiled program that is one loop.

        Args:
            length: how many steps; None: as many as the inputs have.
            inputs: an array in the layout, or a list of the inputs of each step, [batch, ...].
            begin_state: states to begin with; zeros when None.
            layout: NTC (sequences first) or TNC (steps first), of array inputs and outputs.
            merge_outputs: True: one array; False: a list with one for each step; None: a list, but an array where
                there are lengths.
            valid_length: [batch], how many steps of each sequence count; None: all. After its end a sequence's states
                stay, and its outputs are 0.

        Returns:
            The outputs, and the last states.

        Raises:
            ArgumentError E331: there is no such layout.
            ShapeError E187: there are more or fewer steps than `length`, or lengths than sequences.
            OutOfBoundsError E110: a length is negative, or greater than the number of steps.
        """
        self.reset()
        steps = inputs if isinstance(inputs, (list, tuple)) else [inputs]
        if SYMBOLIC and any(one.__class__ in SYMBOLIC for one in steps):
            unrolled = load_module("hybridize.gluon.composing").unrolled
            return unrolled(self, length, inputs, begin_state, layout, merge_outputs, valid_length)
        x = steps_first(length, inputs, layout)
        of_nd = holds_nd(inputs) or holds_nd(begin_state)
        with beside(x):
            states = self._initial_states(x, begin_state)
            outputs, last = _through_own(self, as_nd(x) if of_nd else x, states, lengths_of(x, valid_length))
        merge = valid_length is not None if merge_outputs is None else merge_outputs
        result = given_back(outputs, layout, merge), last
        return as_nd(result) if of_nd else result

    def _initial_states(self, x: Any, begin_state: list[Any] | None) -> list[Any]:
        """Return the states to begin the sequences x [steps, batch, ...] with.

        Raises:
            ArgumentError E307: one is no array; E331: there are more or fewer than the cell has.
        """
        if begin_state is None:
            return self.begin_state(x.shape[1], dtype=x.dtype, ctx=x.ctx)
        states = list(begin_state) if isinstance(begin_state, (list, tuple)) else [begin_state]
        self._check_states(states)
        wanted = self.state_info(x.shape[1])
        return [completed(array(state), info["shape"]) for state, info in zip(states, wanted, strict=True)]

    def _check_states(self, states: Any) -> None:
        """Raise unless there are as many states as the cell has.

        Raises:
            ArgumentError E331: there are more or fewer.
        """
        wanted = len(self.state_info(0))
        if not isinstance(states, (list, tuple)) or len(states) != wanted:
            text = f"{len(states)} states" if isinstance(states, (list, tuple)) else type(states).__name__
            raise ArgumentError(
                "E331",
                f"{type(self).__name__} got {text}",
                help=f"pass a list of {wanted}: cell.begin_state(batch_size) creates one",
            )

    def _through(self, x: Any, states: list[Any], valid_length: Any) -> tuple[Any, list[Any]]:
        """Apply the cell to x [steps, batch, ...]; cells made of others do it cell by cell."""
        return through_steps(self, x, states, valid_length)


class HybridRecurrentCell(RecurrentCell, HybridBlock):
    """Take the input of a step and the states, as `RecurrentCell`, and compile.

    The base of cells that can be compiled.

    A subclass defines `forward(self, x, states)`, or 1.x's `hybrid_forward(self, F, x, states)`.

    >>> from hybridize import np
    >>> from hybridize.gluon import rnn
    >>> class Sum(rnn.HybridRecurrentCell):
    ...     def state_info(self, batch_size=0):
    ...         return [{"shape": (batch_size, 2)}]
    ...     def forward(self, x, states):
    ...         total = x + states[0]
    ...         return total, [total]
    >>> cell = Sum()
    >>> cell(np.ones((1, 2)), cell.begin_state(batch_size=1))[0]
    array([[1., 1.]])
    """


def through_cell(cell: RecurrentCell, x: Any, states: list[Any], valid_length: Any) -> tuple[Any, list[Any]]:
    """Apply a cell to x [steps, batch, ...], as its own `unroll` does where it has one."""
    if type(cell).unroll is RecurrentCell.unroll:
        return _through_own(cell, x, states, valid_length)
    y, after = cell.unroll(x.shape[0], x, states, "TNC", True, valid_length)
    return y, list(after)


def _through_own(cell: RecurrentCell, x: Any, states: list[Any], valid_length: Any) -> tuple[Any, list[Any]]:
    """Apply a cell to x [steps, batch, ...] step by step where its step is the user's, else as its class does."""
    of_nd = holds_nd(x)
    for kind in type(cell).__mro__:
        if "_through" in vars(kind):
            if not cell._children:
                return through_np(cell._through, (x, states, valid_length), {})
            result = cell._through(x, states, valid_length)
            return as_nd(result) if of_nd else result
        if "forward" in vars(kind) or "hybrid_forward" in vars(kind):
            break
    if not of_nd:
        return through_steps(cell, x, states, valid_length)
    return as_nd(through_steps(lambda *now: cell(*map(as_nd, now)), plain(x), states, valid_length))


def activated(x: Any, activation: Any) -> Any:
    """Apply an activation: a name, or a block or function."""
    if isinstance(activation, str):
        return npx.activation(x, activation)
    return activation(x)


def dynamic_unroll(
    cell: RecurrentCell,
    inputs: Any,
    begin_state: list[Any],
    drop_inputs: float = 0,
    drop_outputs: float = 0,
    layout: str = "TNC",
    valid_length: Any = None,
) -> tuple[Any, list[Any]]:
    """Apply a cell to as many steps as the inputs have. In a compiled program this is one loop for all lengths.

    Args:
        cell: the cell.
        inputs: an array in the layout.
        begin_state: the states to begin with.
        drop_inputs: the part of the inputs that is dropped while training, the same at every step.
        drop_outputs: the part of the outputs.
        layout: TNC or NTC.
        valid_length: [batch], how many steps of each sequence count; None: all.

    Returns:
        The outputs in the layout, and the last states.

    >>> from hybridize import np
    >>> from hybridize.gluon import contrib, rnn
    >>> cell = rnn.GRUCell(4)
    >>> cell.initialize()
    >>> outputs, states = contrib.rnn.dynamic_unroll(cell, np.ones((5, 2, 3)), cell.begin_state(batch_size=2))
    >>> outputs.shape
    (5, 2, 4)
    """
    x = npx.dropout(steps_first(None, inputs, layout), p=drop_inputs, axes=(0,))
    with beside(x):
        outputs, states = through_cell(cell, x, cell._initial_states(x, begin_state), lengths_of(x, valid_length))
    outputs = npx.dropout(outputs, p=drop_outputs, axes=(0,))
    return np.swapaxes(outputs, 0, 1) if check_layout(layout) else outputs, states
