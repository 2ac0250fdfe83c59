# SPDX-License-Identifier: Apache-2.0
"""`Recurrent`: a decoder made of a step function with states, as recurrent layers have them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hybridize.array import np, npx
from hybridize.gluon.dependence import convert
from hybridize.gluon.hybrid_block import HybridBlock


class Recurrent(HybridBlock):
    """A decoder of `step(tokens, states)`, which gives the scores [batch, vocabulary] and the next states.

    Prompts are read one token after the other. Rows whose prompts begin later keep the states that they begin with.

    Args:
        step: a block or a function of tokens [batch] and a list of states.
        begin_state: gives the list of states [batch, ...] of so many rows.
    """

    _is_layer = False
    max_length = None
    """There is no end of places."""

    def __init__(
        self,
        step: Callable[..., tuple[Any, Sequence[Any]]],
        begin_state: Callable[[int], Sequence[Any]],
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._step, self._begin_state = step, begin_state
        if isinstance(step, HybridBlock):
            self.block = step

    def begin_cache(self, batch_size: int) -> list[Any]:
        """Make the states of so many rows."""
        return [state.copy() for state in convert(self._begin_state)(batch_size)]

    def prefill(self, tokens: Any, states: list[Any], start: Any = None) -> Any:
        """Read prompts [batch, time]; the states are written, the scores after the last token returned."""
        batch, time = tokens.shape
        scores, _ = convert(self._step)(tokens[:, 0], list(states))  # for its shape: what comes of it is not used

        def read(token_and_place: list[Any], held: list[Any]) -> tuple[Any, list[Any]]:
            token, place = token_and_place
            before = held[1:]
            found, after = convert(self._step)(token, list(before))
            if start is not None:
                begun = place >= start
                after = [
                    np.where(begun.reshape((batch, *(1,) * (new.ndim - 1))), new, old)
                    for new, old in zip(after, before, strict=True)
                ]
            return [], [found, *after]

        places = np.arange(time, dtype="int64")
        _, found = npx.foreach(read, [tokens.swapaxes(0, 1), places], [np.zeros_like(scores), *states])
        _replace(states, found[1:])
        return found[0]

    def step(self, tokens: Any, place: Any, states: list[Any], start: Any = None) -> Any:
        """Read one more token [batch]; the states are written, the scores returned."""
        scores, after = convert(self._step)(tokens, list(states))
        _replace(states, after)
        return scores


def _replace(states: Sequence[Any], new: Sequence[Any]) -> None:
    for state, value in zip(states, new, strict=True):
        state[...] = value
