# SPDX-License-Identifier: Apache-2.0
"""`Updater`: an optimizer and what it remembers of each weight."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from hybridize.base.loading import load_module
from hybridize.base.participation import ReadPolicy, WritePolicy, outside_only
from hybridize.optimizer.base import Optimizer
from hybridize.optimizer.stored import States, read_states, restore, write_states


class Updater:
    """Update weights by an optimizer. Call it with an index, a gradient and a weight, or with lists of them.

    It keeps the optimizer's state for each index, such as the momentum.

    Args:
        optimizer: the rule of the update.

    >>> from hybridize import optimizer
    >>> update = optimizer.Updater(optimizer.SGD(learning_rate=0.5))
    >>> weight = np.array([1.0])
    >>> update(0, np.array([1.0]), weight)
    >>> weight
    array([0.5])
    """

    __hybridize_read__ = ReadPolicy.IDENTITY
    __hybridize_write__ = WritePolicy.IN_TURN

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer
        self.states: dict[Any, Any] = {}
        """The results of `create_state_multi_precision`, by index."""

    def __call__(self, index: Any, grad: Any, weight: Any) -> None:
        """Update `weight`, or each of several."""
        listed = isinstance(index, (list, tuple))
        indices, grads, weights = (index, grad, weight) if listed else ([index], [grad], [weight])
        states = self.states
        self.make_ready(indices, weights)
        self.optimizer.update_multi_precision(indices, weights, grads, [states[one] for one in indices])

    def make_ready(self, indices: Sequence[Any], weights: Sequence[Any]) -> None:
        """Make a state for each weight that has none, also after a momentum that was 0 is set."""
        states, optimizer = self.states, self.optimizer
        count = optimizer.slot_count if type(optimizer).create_state is Optimizer.create_state else 0
        for one, weight in zip(indices, weights, strict=True):
            if one not in states or (count and _empty(states[one])):
                states[one] = optimizer.create_state_multi_precision(one, weight)

    @outside_only("gives the states as the bytes of a file")
    def get_states(self, dump_optimizer: bool = True) -> bytes:
        """Return the bytes of a file with the states and, if `dump_optimizer`, the optimizer's settings."""
        # Late: it costs more than all optimizers, and files are mostly written without it.
        with load_module("tempfile").TemporaryDirectory() as folder:
            path = os.path.join(folder, "states")
            write_states(path, self.optimizer, self.states, settings=dump_optimizer)
            with open(path, "rb") as file:
                return file.read()

    @outside_only("takes the states from the bytes of a file")
    def set_states(self, states: bytes) -> None:
        """Continue from the bytes that `get_states` returned.

        Raises:
            LoadError E660 to E662: they are not such bytes, damaged, or of another optimizer.
        """
        with load_module("tempfile").TemporaryDirectory() as folder:
            path = os.path.join(folder, "states")
            with open(path, "wb") as file:
                file.write(states)
            self.take(read_states(path))

    def take(self, states: States) -> None:
        """Continue from states that were read from a file.

        Raises:
            LoadError E662: they are of another optimizer.
        """
        self.states = restore(self.optimizer, states)


def _empty(state: Any) -> bool:
    """Tell whether nothing is remembered but, perhaps, the float32 copy of a weight."""
    return state is None or (type(state) is tuple and len(state) == 2 and state[1] is None)


def get_updater(optimizer: Optimizer) -> Updater:
    """Return an updater that has no states yet.

    >>> from hybridize import np, optimizer
    >>> update = optimizer.get_updater(optimizer.SGD(learning_rate=0.5))
    >>> weight = np.array([1.0])
    >>> update(0, np.array([1.0]), weight)
    >>> weight
    array([0.5])
    """
    return Updater(optimizer)
