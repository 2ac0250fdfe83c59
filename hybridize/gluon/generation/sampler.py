# SPDX-License-Identifier: Apache-2.0
"""`SequenceSampler`: prompts continued by the likeliest token, or by one that is drawn."""

from __future__ import annotations

from typing import Any

from hybridize.array import np, npx
from hybridize.base.settings import number, whole
from hybridize.gluon.generation.prompts import SequenceGenerator

_LEAST, _MOST = 1e-9, 1e9
"""Settings that must be above 0 are no less. What scores are multiplied or divided by is no more, so that they stay
numbers of float32."""


class SequenceSampler(SequenceGenerator, layer=False):
    """Continue prompts, one token after the other: `tokens, lengths = sampler(prompts, valid_length=None)`.

    Prompts are [batch, time], of which the first `valid_length` tokens of each row count. Tokens are
    [batch, max_new_tokens], lengths say how many of a row were generated, a stop token included; the rest is padding.

    Without a temperature the likeliest token is taken. With one, a token is drawn: scores are divided by the
    temperature, all but the `top_k` likeliest tokens are left out, then all but the likeliest ones that together have
    the probability `top_p` (nucleus sampling). Numbers are drawn before the loop, so that one seed gives one text, run
    either way.

    Args:
        decoder: see the package.
        max_new_tokens: tokens that follow a prompt at most.
        temperature: of the scores, from 1e-9 to 1e9; None or 0: the likeliest token.
        top_k: so many tokens are drawn from; None: all.
        top_p: the likeliest tokens of this probability are drawn from, at least one; None: all.
        repetition_penalty: scores of tokens that the row has already are divided by it where they are positive, else
            multiplied.
        stop_tokens: a number, or several, after which a row ends.
        pad_token: fills the rows that have ended.

    Raises:
        ArgumentError E331: no decoder. At a call: there is no such stop token or, where there are stop tokens, padding.
        ValueArgumentError E353: a setting that makes no sense.

    >>> from hybridize import np
    >>> from hybridize.gluon.generation import SequenceSampler
    >>> from hybridize.gluon.model_zoo import text
    >>> net = text.GPT(20, units=8, num_layers=1, num_heads=2, max_length=16)
    >>> net.initialize()
    >>> tokens, lengths = SequenceSampler(net, max_new_tokens=4)(np.array([[1, 2, 3]], dtype="int32"))
    >>> tokens.shape, lengths.tolist()
    ((1, 4), [4])
    """

    def __init__(
        self,
        decoder: Any,
        max_new_tokens: int,
        *,
        temperature: float | None = None,
        top_k: int | None = None,
        top_p: float | None = None,
        repetition_penalty: float = 1.0,
        stop_tokens: Any = (),
        pad_token: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(decoder, max_new_tokens, stop_tokens, pad_token, **kwargs)
        self._temperature = (
            number("temperature of SequenceSampler", temperature, _LEAST, _MOST) if temperature else None
        )
        self._top_k = None if top_k is None else whole("top_k of SequenceSampler", top_k, 1)
        self._top_p = None if top_p is None else number("top_p of SequenceSampler", top_p, _LEAST, 1.0 + _LEAST)
        self._penalty = number("repetition_penalty of SequenceSampler", repetition_penalty, _LEAST, _MOST)

    def _generated(self, tokens: Any, start: Any, caches: list[Any], scores: Any) -> tuple[Any, Any]:
        batch, time = tokens.shape
        drawn = None if self._temperature is None else np.random.uniform(size=(self._new, batch))
        seen = None if self._penalty == 1 else _presence(tokens, start, scores.shape[-1])
        token = self._chosen(scores, seen, drawn, 0)
        sequences = np.full((batch, self._new), self._pad, dtype="int64")
        sequences[:, 0] = token
        lengths = np.ones((batch,), dtype="int64")

        def advance(count: Any, token: Any, done: Any) -> tuple[Any, list[Any]]:
            scores = self.decoder.step(token, count + (time - 1), caches, start)
            following = np.where(done, self._pad, self._chosen(scores, seen, drawn, count))
            sequences[:, count] = following
            lengths[...] = lengths + ~done
            return [], [count + 1, following, done | self._stops(following)]

        if self._new > 1:
            npx.while_loop(self._going, advance, [np.array(1, dtype="int64"), token, self._stops(token)])
        return sequences, lengths

    def _chosen(self, scores: Any, seen: Any, drawn: Any, count: Any) -> Any:
        """The next token of each row, by its scores [batch, vocabulary]; notes that it was `seen`."""
        if seen is not None:
            scores = np.where(seen, np.where(scores > 0, scores / self._penalty, scores * self._penalty), scores)
        token = self._drawn(scores, drawn, count)
        if seen is not None:
            seen[...] = seen | (np.arange(seen.shape[1], dtype="int64") == np.expand_dims(token, 1))
        return token

    def _drawn(self, scores: Any, drawn: Any, count: Any) -> Any:
        """The likeliest token, or one that is drawn."""
        if self._temperature is None:
            return scores.argmax(-1).astype("int64")
        scores = scores / self._temperature
        part = np.expand_dims(drawn[count], 1)
        if self._top_k is None and self._top_p is None:
            return _place(npx.softmax(scores, -1), part)
        order = np.argsort(-scores, -1)
        if self._top_k is not None:
            order = order[:, : self._top_k]
        weights = npx.softmax(np.take_along_axis(scores, order, -1), -1)
        if self._top_p is not None:
            likelier = np.cumsum(weights, -1) - weights
            first = np.arange(weights.shape[-1]) == 0
            weights = np.where((likelier < self._top_p) | first, weights, 0)
        place = np.expand_dims(_place(weights, part), 1)
        return np.take_along_axis(order, place, -1).reshape((-1,)).astype("int64")


def _place(weights: Any, part: Any) -> Any:
    """The first place of each row up to which the weights are above a part of them all."""
    sums = np.cumsum(weights, -1)
    return (sums > part * sums[:, -1:]).argmax(-1).astype("int64")


def _presence(tokens: Any, start: Any, vocabulary: int) -> Any:
    """True where a row has a token, [batch, vocabulary]."""
    batch, time = tokens.shape
    counts = np.ones((batch, time)) if start is None else (np.arange(time) >= np.expand_dims(start, 1)) * 1.0
    rows = np.broadcast_to(np.expand_dims(np.arange(batch, dtype="int64"), 1), (batch, time))
    points = np.stack([rows.reshape((-1,)), tokens.reshape((-1,))])
    return npx.index_add(np.zeros((batch, vocabulary)), points, counts.reshape((-1,))) > 0
