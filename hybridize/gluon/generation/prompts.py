# SPDX-License-Identifier: Apache-2.0
"""Prompts of several lengths, moved so that all of them end at one place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from hybridize.array import np
from hybridize.array.functions.bounds import check
from hybridize.array.operands import index_numbers, operand
from hybridize.base.errors import ShapeError
from hybridize.base.settings import whole


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
    tokens = np.array(prompts)
    if tokens.ndim != 2:
        raise ShapeError("E134", f"prompts are {tokens.type}", help="[batch, time]: np.array([[3, 1, 4]])")
    batch, time = tokens.shape
    if time < 1:
        raise ShapeError(
            "E134", f"prompts are {tokens.type}", help="begin with one token at least, such as a start token"
        )
    if places is not None and time + new - 1 > places:
        raise ShapeError(
            "E134", f"prompts {tokens.type} and {new} new tokens for {places} places",
            help="make the decoder with a larger max_length, or ask for fewer tokens",
        )  # fmt: skip
    tokens = tokens.astype("int64")
    if valid_length is None:
        return tokens, None
    lengths = np.array(valid_length)
    if lengths.shape != (batch,):
        raise ShapeError("E134", f"valid_length {lengths.type} of prompts {tokens.type}", help="one for each row")
    check(index_numbers(operand(lengths)), 1, time + 1, f"prompts {tokens.type}, valid_length", "from 1 to all columns")
    start = time - lengths.astype("int64")
    columns = np.expand_dims(np.arange(time, dtype="int64"), 0) - np.expand_dims(start, 1)
    return np.take_along_axis(tokens, np.maximum(columns, 0), 1), start


def stops(tokens: Any, stop_tokens: Sequence[int]) -> Any:
    """True where a token is one that ends a sequence."""
    found = tokens < 0
    for token in stop_tokens:
        found = found | (tokens == token)
    return found


class Endings:
    """The settings that all generators share, checked.

    Args:
        owner: the name of the generator, for messages.
        max_new_tokens: tokens that follow a prompt at most.
        stop_tokens: a number, or several, after which a sequence ends.
        pad_token: fills the rows of sequences that have ended.
    """

    def __init__(self, owner: str, max_new_tokens: int, stop_tokens: Any, pad_token: int) -> None:
        self.new = whole(f"max_new_tokens of {owner}", max_new_tokens, 1)
        self.stop = tuple(map(int, numpy.atleast_1d(numpy.asarray(stop_tokens, "i8"))))
        self.pad = whole(f"pad_token of {owner}", pad_token, 0)
