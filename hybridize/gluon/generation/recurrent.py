# SPDX-License-Identifier: Apache-2.0
"""`Recurrent`: a decoder made of a step function with states, as recurrent layers have them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hybridize.array import np, npx
from hybridize.array.operands import array
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.base.nested import listed
from hybridize.base.types import same_shape
from hybridize.gluon.dependence import convert
from hybridize.gluon.generation.prompts import first_places, prompts_of
from hybridize.gluon.hybrid_block import HybridBlock


class Recurrent(HybridBlock, layer=False):
    """Make a decoder of `step(tokens, states)`, which returns the scores [batch, vocabulary] and the next states.

    Prompts are read one token after the other. Rows whose prompts begin later keep the states that they begin with.

    Args:
        step: a block or a function of tokens [batch] and a list of states.
        begin_state: gives the list of states [batch, ...] of so many rows; one state needs no list.

    Raises:
        ArgumentError E331: one of them is no function. At a call: it does not give what it should.
        ShapeError E134: at a call: scores are not [batch, vocabulary], or a state changes its shape.

    >>> from hybridize import np, npx
    >>> from hybridize.gluon.generation import Recurrent, SequenceSampler
    >>> def step(tokens, states):
    ...     return npx.one_hot((tokens + 1) % 5, 5), states
    >>> decoder = Recurrent(step, lambda batch: np.zeros((batch, 1)))
    >>> SequenceSampler(decoder, 3)(np.array([[0]], dtype="int32"))[0].tolist()
    [[1, 2, 3]]
    """

    max_length = None
    """There is no end of places."""

    def __init__(
        self,
        step: Callable[..., tuple[Any, Sequence[Any]]],
        begin_state: Callable[[int], Sequence[Any]],
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        for name, function in (("step", step), ("begin_state", begin_state)):
            if not callable(function):
                raise ArgumentError("E331", f"{name} of Recurrent is {type(function).__name__}", help="pass a function")
        self._step, self._begin_state = step, begin_state
        if isinstance(step, HybridBlock):
            self.block = step

    def begin_cache(self, batch_size: int) -> list[Any]:
        """Make the states of so many rows."""
        return [array(state).copy() for state in listed(convert(self._begin_state)(batch_size))]

    def prefill(self, tokens: Any, states: list[Any], start: Any = None) -> Any:
        """Read prompts [batch, time]; the states are written, the scores after the last token returned.

        Args:
            tokens: of each row, the last one at the last place.
            states: are written.
            start: [batch], where each row's prompt begins; 0 unless given.

        Raises:
            OutOfBoundsError E110: a prompt begins before the first place, or behind its last one.
            ShapeError E134: prompts and start do not fit together, or there is no token.
        """
        tokens = prompts_of(tokens)
        start = first_places(start, tokens)
        batch, time = tokens.shape
        scores, _ = self._apply_step(tokens[:, 0], states)  # for its shape: what comes of it is not used

        def read(token_and_place: list[Any], carry: list[Any]) -> tuple[Any, list[Any]]:
            token, place = token_and_place
            before = carry[1:]
            scores, after = self._apply_step(token, before)
            if start is not None:
                inside = place >= start
                after = [
                    np.where(inside.reshape((batch, *(1,) * (new.ndim - 1))), new, old)
                    for new, old in zip(after, before, strict=True)
                ]
            return [], [scores, *after]

        places = np.arange(time, dtype="int64")
        _, carry = npx.foreach(read, [tokens.swapaxes(0, 1), places], [np.zeros_like(scores), *states])
        _replace(states, carry[1:])
        return carry[0]

    def step(self, tokens: Any, place: Any, states: list[Any], start: Any = None) -> Any:
        """Read one more token [batch]; the states are written, the scores returned."""
        scores, after = self._apply_step(tokens, states)
        _replace(states, after)
        return scores

    def _apply_step(self, tokens: Any, states: Sequence[Any]) -> tuple[Any, list[Any]]:
        """Apply the step, and check what it gives.

        Raises:
            ArgumentError E331: it is no scores with as many states as before.
            ShapeError E134: the scores are not [batch, vocabulary], or a state has another shape than before.
        """
        result = convert(self._step)(tokens, list(states))
        if not isinstance(result, (tuple, list)) or len(result) != 2 or not hasattr(result[0], "shape"):
            raise ArgumentError("E331", "the step of Recurrent did not return a pair of scores and states", help=_RULE)
        scores, after = array(result[0]), [array(state) for state in listed(result[1])]
        if len(after) != len(states):
            what = f"step of Recurrent gives {len(after)} states in place of {len(states)}"
            raise ArgumentError("E331", what, help=_RULE)
        if scores.ndim != 2 or not same_shape(scores.shape[:1], tokens.shape):
            raise ShapeError("E134", f"step of Recurrent: scores {scores.type} for tokens {tokens.type}", help=_RULE)
        for new, old in zip(after, states, strict=True):
            if not same_shape(new.shape, old.shape):
                what = f"step of Recurrent gives a state {new.type} in place of {old.type}"
                raise ShapeError("E134", what, help=_RULE)
        return scores, after


_RULE = "step(tokens, states) gives the scores [batch, vocabulary] and the list of the new states"


def _replace(states: Sequence[Any], new: Sequence[Any]) -> None:
    for state, value in zip(states, new, strict=True):
        state[...] = value
