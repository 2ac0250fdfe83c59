# SPDX-License-Identifier: Apache-2.0
"""Attention to caches of keys and values that fill up: what one step of a decoder reads."""

from __future__ import annotations

from typing import Any

import numpy

from hybridize import ops
from hybridize.array.functions.bounds import check
from hybridize.array.functions.elementwise import where
from hybridize.array.functions.neural import softmax
from hybridize.array.operands import array, index_numbers, operand, public, result
from hybridize.array.policies import together
from hybridize.base.errors import ShapeError
from hybridize.base.promotion import floating


@public
def cached_attention(
    query: Any, keys: Any, values: Any, length: Any, start: Any = None, scale: float | None = None
) -> Any:
    """Return the means of cached values, weighted by the softmax of scaled products of their keys with queries.

    Only the first `length` places of the caches are read, however many they have room for; the length may be a number
    that only the call knows. Of several queries the last one sees all of these places, each before it one place less.
    The result of a query that sees none is 0.

    Args:
        query: [batch, heads, time, size], the queries of the newest places.
        keys: [batch, groups, places, size]: as many groups as heads, or a number that divides them (grouped queries).
        values: [batch, groups, places, size].
        length: an integer, or an array of integers without axes.
        start: [batch], the first place that each row sees: prompts of other lengths end at one place. Below 0 it is all
            places, from the length on none.
        scale: of the products; 1 / sqrt(size) unless given.

    Raises:
        OutOfBoundsError E110: the caches have not so many places.
        ShapeError E134: query, keys, values and start do not fit together, or the length has axes.

    >>> keys = values = np.ones((1, 1, 4, 2))
    >>> npx.cached_attention(np.ones((1, 1, 1, 2)), keys, values, np.array(3, dtype="int64")).shape
    (1, 1, 1, 2)
    """
    q, k, v = together((query, keys, values), floating)
    if q.ndim != 4 or k.ndim != 4 or k.shape != v.shape or q.shape[0] != k.shape[0] or q.shape[3] != k.shape[3]:
        raise ShapeError(
            "E134", f"cached_attention of {q.type}, keys {k.type} and values {v.type}",
            help="the query is [batch, heads, time, size]; keys and values are [batch, groups, places, size]",
        )  # fmt: skip
    (batch, heads, time, size), groups, places = q.shape, k.shape[1], k.shape[2]
    if not groups or heads % groups:
        raise ShapeError(
            "E134",
            f"cached_attention: {groups} groups of keys for {heads} heads",
            help="the number of heads must be a multiple of the number of groups",
        )
    end = array(length)
    if end.ndim:
        raise ShapeError(
            "E134", f"cached_attention of {q.type}: the length is {end.type}",
            help="the length is one number for all rows; start=[batch] gives the first place of each row",
        )  # fmt: skip
    count = index_numbers(operand(end))
    check(count, 0, places + 1, f"cached_attention of keys {k.type}, length")
    rows = heads // groups * time
    by_group = q.reshape((batch, groups, rows, size)) * ((size**-0.5 if size else 1.0) if scale is None else scale)
    scores = result(ops.dots_until(operand(by_group), operand(k), count))
    place = array(numpy.arange(places))
    last = result(count).reshape(())
    newest = (array(numpy.arange(time)) - time + last).reshape((time, 1)) if time != 1 else last - 1
    seen = place <= newest  # [places], or [time, places]
    if time != 1:
        scores = scores.reshape((batch, groups, heads // groups, time, places))
    if start is not None:
        first = array(start)
        if first.shape != (batch,):
            raise ShapeError("E134", f"cached_attention of {q.type}: start is {first.type}", help="give one per row")
        seen = (place >= first.reshape((batch, *(1,) * (scores.ndim - 1)))) & seen
    weights = softmax(where(seen, scores, -numpy.inf), -1)
    if start is not None or time != 1:  # a query alone sees a place, or none is read
        weights = where(seen, weights, 0)
    weights = weights.reshape((batch, groups, rows, places))
    output = result(ops.sum_until(operand(weights), operand(v), count))
    return output.reshape((batch, heads, time, size))
