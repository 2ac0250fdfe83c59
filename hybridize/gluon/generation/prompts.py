# SPDX-License-Identifier: Apache-2.0
"""Prompts of several lengths, moved so that all of them end at one place; what generators and decoders check."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from hybridize.array import np
from hybridize.array.functions.bounds import check
from hybridize.array.operands import array, index_numbers, operand, result
from hybridize.autograd import pause
from hybridize.base import dims
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.base.modes import is_training
from hybridize.base.settings import whole
from hybridize.gluon.hybrid_block import HybridBlock


def prompts_of(tokens: Any, least: int = 1) -> Any:
    """Return tokens as an array [batch, time].

    Args:
        tokens: an array, or lists of numbers.
        least: the smallest time.

    Raises:
        ShapeError E134: they have other axes, or not so much time.
    """
    x = array(tokens)
    if x.ndim != 2:
        raise ShapeError("E134", f"prompts are {x.type}", help="pass [batch, time], such as np.array([[3, 1, 4]])")
    if x.shape[1] < least:
        raise ShapeError("E134", f"prompts are {x.type}", help="each needs at least one token, such as a start token")
    return x


def of_rows(name: str, numbers: Any, batch: int) -> Any:
    """Return whole numbers, one for each row, as int64 [batch].

    Raises:
        ShapeError E134: there are more, fewer, or other axes.
    """
    x = array(numbers)
    if x.ndim != 1 or x.shape[0] != batch:
        raise ShapeError("E134", f"{name} {x.type} of {dims.text(batch)} rows", help="give one for each row")
    return result(index_numbers(operand(x)))


def first_places(start: Any, tokens: Any) -> Any:
    """Return where prompts [batch, time] begin, int64 [batch]; None: all at place 0.

    Raises:
        OutOfBoundsError E110: one begins before the first place, or behind its last token.
        ShapeError E134: there is not one for each row.
    """
    if start is None:
        return None
    batch, time = tokens.shape
    first = of_rows("start", start, batch)
    help = f"a prompt begins at a place from 0 to {dims.text(time - 1)}"
    check(operand(first), 0, time, f"prompts {tokens.type}, start", help)
    return first


def aligned(prompts: Any, valid_length: Any, new: int, places: int | None) -> tuple[Any, Any]:
    """Return prompts [batch, time] as int64, each ending with the last column, and where each begins.

    Args:
        prompts: tokens, the first `valid_length` ones of each row.
        valid_length: [batch]; None: all.
        new: tokens that follow.
        places: that the decoder has; None: any number.

    Raises:
        OutOfBoundsError E110: a length is not from 1 to the number of columns.
        ShapeError E134: prompts are no matrix, or leave no place for what follows; lengths are not one for each row.
    """
    tokens = prompts_of(prompts)
    batch, time = tokens.shape
    if places is not None and time + new - 1 > places:
        raise ShapeError(
            "E134", f"prompts {tokens.type} and {new} new tokens for {places} places",
            help="create the decoder with a larger max_length, or generate fewer tokens",
        )  # fmt: skip
    tokens = result(index_numbers(operand(tokens)))
    if valid_length is None:
        return tokens, None
    lengths = of_rows("valid_length", valid_length, batch)
    check(operand(lengths), 1, time + 1, f"prompts {tokens.type}, valid_length", "from 1 to all columns")
    start = time - lengths
    columns = np.expand_dims(np.arange(time, dtype="int64"), 0) - np.expand_dims(start, 1)
    return np.take_along_axis(tokens, np.maximum(columns, 0), 1), start


class SequenceGenerator(HybridBlock, ABC, layer=False):
    """The base of what continues prompts by a decoder: the settings that all share, checked.

    Args:
        decoder: what it asks.
        max_new_tokens: tokens that follow a prompt at most.
        stop_tokens: a number, or several, after which a sequence ends.
        pad_token: fills the rows of sequences that have ended.

    Raises:
        ArgumentError E331: the decoder is none.
        ValueArgumentError E353: a number is not one that it may be.
    """

    def __init__(self, decoder: Any, max_new_tokens: int, stop_tokens: Any, pad_token: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        name = type(self).__name__
        for part in ("max_length", "begin_cache", "prefill", "step"):
            if not hasattr(decoder, part):
                what = f"the decoder of {name}, {type(decoder).__name__}, has no {part}"
                raise ArgumentError("E331", what, help="pass a net of model_zoo.text, or generation.Recurrent(...)")
        self.decoder = decoder
        self._new = whole(f"max_new_tokens of {name}", max_new_tokens, 1)
        self._stop = _tokens(f"stop_tokens of {name}", stop_tokens)
        self._pad = whole(f"pad_token of {name}", pad_token, 0)

    def forward(self, prompts: Any, valid_length: Any = None) -> Any:
        with pause(train_mode=is_training()):
            tokens, start = aligned(prompts, valid_length, self._new, self.decoder.max_length)
            caches = self.decoder.begin_cache(tokens.shape[0])
            scores = self.decoder.prefill(tokens, caches, start)
            self._check_scores(scores, tokens.shape[0])
            return self._generated(tokens, start, caches, scores)

    @abstractmethod
    def _generated(self, tokens: Any, start: Any, caches: list[Any], scores: Any) -> Any:
        """Continue prompts that the decoder has read into its caches, by the scores of their first new token."""

    def _going(self, count: Any, token: Any, done: Any) -> Any:
        return (count < self._new) & ~done.all()

    def _stops(self, tokens: Any) -> Any:
        """True where a token is one that ends a sequence."""
        ends = tokens < 0
        for token in self._stop:
            ends = ends | (tokens == token)
        return ends

    def _check_scores(self, scores: Any, batch: int) -> None:
        """Refuse scores of the first new token that are none, and tokens that end a sequence which have no score.

        A sequence that has ended goes on with the padding, so that it must be a token, too, where one may end.

        Raises:
            ArgumentError E331: a token is none of the vocabulary.
            ShapeError E134: scores are not [batch, vocabulary].
        """
        if scores.ndim != 2 or scores.shape[0] != batch or scores.shape[1] < 1:
            what = f"{type(self).__name__}: the decoder gives scores {scores.type} for {dims.text(batch)} rows"
            raise ShapeError("E134", what, help="scores are [batch, vocabulary]")
        vocabulary = scores.shape[1]
        for word, token in (*(("stop_tokens", one) for one in self._stop), ("pad_token", self._pad)):
            if self._stop and token >= vocabulary:
                what = f"{word} of {type(self).__name__}: {token}, of {dims.text(vocabulary)} tokens"
                raise ArgumentError("E331", what, help=f"tokens are from 0 to {dims.text(vocabulary - 1)}")


def _tokens(name: str, tokens: Any) -> tuple[int, ...]:
    """Return one token, or several, as integers; arrays may hold them as floats.

    Raises:
        ValueArgumentError E353: one is no integer from 0 on.
    """
    values = tokens.tolist() if hasattr(tokens, "tolist") else tokens
    several = values if isinstance(values, Iterable) and not isinstance(values, str) else [values]
    whole_numbers = (int(one) if isinstance(one, float) and one.is_integer() else one for one in several)
    return tuple(whole(name, one, 0) for one in whole_numbers)
