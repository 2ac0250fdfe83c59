# SPDX-License-Identifier: Apache-2.0
"""`BeamSearch`: the likeliest sequences that are found when a few are kept at each place."""

from __future__ import annotations

import math
from typing import Any

import numpy

from hybridize.array import np, npx
from hybridize.base.errors import ArgumentError
from hybridize.base.settings import number, whole
from hybridize.gluon.generation.prompts import SequenceGenerator

_DIGITS = 30
"""Decimal places before the point, or zeros behind it, that float32 has for what scores are divided by."""


class BeamSearch(SequenceGenerator, layer=False):
    """Find likely continuations: `tokens, lengths, scores = search(prompts, valid_length=None)`.

    Each row keeps `beams` sequences. At each place all tokens may follow each of them; those of the best scores stay. A
    sequence that has met a stop token stays as it is, and competes with the others. A score is the sum of the
    logarithms of the tokens' probabilities, divided by ((5 + length) / 6) ** length_penalty.

    Tokens are [batch, n_best, max_new_tokens], lengths and scores [batch, n_best], the best first.

    Args:
        decoder: see the package.
        max_new_tokens: tokens that follow a prompt at most.
        beams: sequences that a row keeps.
        n_best: sequences that a row gives.
        length_penalty: 0: scores are plain sums; the larger, the longer the sequences. No larger than that what scores
            are divided by is a number of float32.
        stop_tokens: a number, or several, after which a sequence ends.
        pad_token: fills the rows of sequences that have ended.

    Raises:
        ArgumentError E331: more sequences are asked for than are kept; no decoder. At a call: there are fewer tokens
            than beams, or no such stop token or, where there are stop tokens, padding.
        ValueArgumentError E353: a setting that makes no sense.

    >>> from hybridize import np
    >>> from hybridize.gluon.generation import BeamSearch
    >>> from hybridize.gluon.model_zoo import text
    >>> net = text.GPT(20, units=8, num_layers=1, num_heads=2, max_length=16)
    >>> net.initialize()
    >>> tokens, lengths, scores = BeamSearch(net, 4, beams=3)(np.array([[1, 2, 3]], dtype="int32"))
    >>> tokens.shape, scores.shape
    ((1, 1, 4), (1, 1))
    """

    def __init__(
        self,
        decoder: Any,
        max_new_tokens: int,
        *,
        beams: int = 4,
        n_best: int = 1,
        length_penalty: float = 0.0,
        stop_tokens: Any = (),
        pad_token: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(decoder, max_new_tokens, stop_tokens, pad_token, **kwargs)
        self._beams = whole("beams of BeamSearch", beams, 1)
        self._n_best = whole("n_best of BeamSearch", n_best, 1)
        if self._n_best > self._beams:
            raise ArgumentError("E331", f"BeamSearch: n_best={n_best} exceeds its {beams} beams", help="use more beams")
        most = _DIGITS / math.log10((5 + self._new) / 6) if self._new > 1 else math.inf
        self._length_penalty = number("length_penalty of BeamSearch", length_penalty, -most, most)

    def _generated(self, tokens: Any, start: Any, caches: list[Any], scores: Any) -> tuple[Any, Any, Any]:
        (batch, time), beams = tokens.shape, self._beams
        first = npx.log_softmax(scores, -1)
        vocabulary = first.shape[-1]
        if vocabulary < beams:
            raise ArgumentError("E331", f"{beams} beams for a vocabulary of {vocabulary}", help="use fewer beams")
        sums, token = _best(first, beams)
        sequences = np.full((batch, beams, self._new), self._pad, dtype="int64")
        sequences[:, :, 0] = token
        beam_caches = [np.repeat(cache, beams, axis=0) for cache in caches]
        begin = None if start is None else np.repeat(start, beams, axis=0)
        lengths = np.ones((batch, beams), dtype="int64")
        padded = np.where(np.arange(vocabulary) == self._pad, 0.0, -numpy.inf)
        offsets = np.expand_dims(np.arange(batch, dtype="int64") * beams, 1)

        def advance(count: Any, token: Any, done: Any) -> tuple[Any, list[Any]]:
            scores = self.decoder.step(token.reshape((-1,)), count + (time - 1), beam_caches, begin)
            following = npx.log_softmax(scores, -1).reshape((batch, beams, vocabulary))
            totals = np.expand_dims(sums, 2) + np.where(np.expand_dims(done, 2), padded, following)
            longer = lengths + ~done
            values = totals / np.expand_dims(self._divisor(longer), 2)
            _, indices = _best(values.reshape((batch, beams * vocabulary)), beams)
            parent, token = indices // vocabulary, indices % vocabulary
            rows = (parent + offsets).reshape((-1,))
            sums[...] = np.take_along_axis(totals.reshape((batch, -1)), indices, 1)
            lengths[...] = np.take_along_axis(longer, parent, 1)
            sequences[...] = sequences.reshape((-1, self._new)).take(rows, axis=0).reshape(sequences.shape)
            sequences[:, :, count] = token
            for cache in beam_caches:
                cache[...] = cache.take(rows, axis=0)
            return [], [count + 1, token, np.take_along_axis(done, parent, 1) | self._stops(token)]

        if self._new > 1:
            npx.while_loop(self._going, advance, [np.array(1, dtype="int64"), token, self._stops(token)])
        values, indices = _best(sums / self._divisor(lengths), self._n_best)
        chosen = np.broadcast_to(np.expand_dims(indices, 2), (batch, self._n_best, self._new))
        return np.take_along_axis(sequences, chosen, 1), np.take_along_axis(lengths, indices, 1), values

    def _divisor(self, lengths: Any) -> Any:
        return ((5 + lengths) / 6.0) ** self._length_penalty


def _best(values: Any, count: int) -> tuple[Any, Any]:
    """The largest values of each row, and their places: of equal ones the first."""
    order = np.argsort(-values, -1)[:, :count].astype("int64")
    return np.take_along_axis(values, order, -1), order
