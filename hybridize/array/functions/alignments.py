# SPDX-License-Identifier: Apache-2.0
"""Sums over the alignments of labels, in NumPy: forward and backward along the steps, all sequences at once.

What imperative code computes `ctc_loss` with; where the gradient is differentiated itself, and in compiled code, the
same sum is a composition of ops.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from hybridize.array.ndarray import ndarray, taping, wrap
from hybridize.array.operands import operand, result
from hybridize.array.staging import ArrayTracer
from hybridize.array.traced import Traced
from hybridize.base.dtypes import int64
from hybridize.ops.gradient import pullback
from hybridize.ops.op import Operand, type_of
from hybridize.ops.tracing import make_graph

Array = NDArray[Any]

NEVER = -1e30
"""The logarithm of 0: far below all others, yet finite, so that differences of two of them are not NaN."""


def summed(
    scores: ndarray, compose: Callable[[Any], Any], path: Array, ends: Array, counted: Array | None, blank: int
) -> ndarray:
    """The logarithms of the probabilities [batch] of labels, with a history where `scores` has one.

    Args:
        scores: [steps, batch, classes], logarithms of probabilities.
        compose: makes the same of scores by ops.
        path: [batch, states], the classes of the label with blanks between.
        ends: [batch, 1], the last state of the path.
        counted: [steps, batch], whether a step is one of the sequence's; None: all are.
        blank: the class of blanks.
    """
    tape = taping()
    lifted = operand(scores)
    tracked = tape is not None and type(lifted) is Traced and lifted.edge is not None
    alignments = Alignments(scores, compose, path, ends, counted, blank, tracked)
    total = wrap(alignments.total)
    if tape is None or not tracked:
        return total
    return tape.by_rule(alignments, [lifted], [total], [scores])[0]


_MOVED = 8
"""Every so many steps."""


class Alignments:
    """The sums over all beginnings of alignments; the rule of their gradient: how probable each state is at each step.

    Ends of alignments are beginnings of those of the reversed sequence: where a gradient is `wanted`, both are summed
    at once, as sequences of one batch.

    Source: Graves et al. 2006, section 4.1: equations 6 to 11 and 15.
    """

    name = "ctc_loss"

    def __init__(
        self,
        scores: ndarray,
        compose: Callable[[Any], Any],
        path: Array,
        ends: Array,
        counted: Array | None,
        blank: int,
        wanted: bool,
    ) -> None:
        self._scores: ndarray | None = scores
        self._compose = compose
        self._path, self._counted = path, counted
        data = scores._data
        dtype = data.dtype
        self._emitted = numpy.maximum(numpy.take_along_axis(data, path[None], 2), dtype.type(NEVER))
        batch, states = path.shape
        before = numpy.full_like(path, blank)
        before[:, 2:] = path[:, :-2]
        skips = numpy.where((path != blank) & (path != before), 0.0, NEVER).astype(dtype)
        starts = numpy.zeros((batch, 1), int64)
        emitted = self._emitted
        if wanted:
            back = numpy.full_like(skips, NEVER)
            back[:, 2:] = skips[:, :1:-1]
            skips, starts = numpy.concatenate([skips, back]), numpy.concatenate([starts, states - 1 - ends])
            emitted = numpy.concatenate([emitted, emitted[::-1, :, ::-1]], 1)
            counted = None if counted is None else numpy.concatenate([counted, counted[::-1]], 1)
        self._sums, self._bases = _beginnings(emitted, skips, starts, counted)
        self._total = _at_ends(self._sums[-1, :batch], ends) + self._bases[-1, :batch]
        self.total: Array = self._total.astype(data.dtype)
        """[batch]: the logarithms of the probabilities."""

    def release(self) -> None:
        """Let go of everything."""
        self._scores = None
        del self._emitted, self._sums, self._bases

    def vjp(self, g: tuple[Operand, ...], y: tuple[Operand, ...], x: Operand) -> tuple[Operand | None, ...]:
        """The gradient by the scores; composed of ops where it is recorded."""
        if taping() is not None:
            scores = operand(self._scores)
            graph = make_graph(lambda of: [operand(self._compose(result(of)))], [type_of(scores)], tracer=ArrayTracer())
            return pullback(graph, (scores,), g)
        return (self._gradient(g[0]),)

    def _gradient(self, g: Array) -> Array:
        """The probability of each class at each step, given the label, times what arrives."""
        steps, batch, _ = self._emitted.shape
        weights = self._sums[1:, :batch] + self._sums[:0:-1, batch:, ::-1]
        weights -= self._emitted  # which both have
        total = numpy.where(self._total > 0.5 * NEVER, self._total, numpy.inf)
        bases = self._bases[1:, :batch] + self._bases[:0:-1, batch:]
        weights += (bases - total).astype(weights.dtype)[:, :, None]
        numpy.exp(weights, out=weights)
        if self._counted is not None:
            weights *= self._counted[:, :, None]
        weights *= g[:, None]
        scores = self._scores
        assert scores is not None
        gradient = numpy.zeros(scores.shape, scores.dtype)
        rows = numpy.arange(steps * batch).reshape(steps, batch, 1) * scores.shape[2]
        numpy.add.at(gradient.reshape(-1), (rows + self._path).reshape(-1), weights.reshape(-1))
        return gradient


def _beginnings(emitted: Array, skips: Array, starts: Array, counted: Array | None) -> tuple[Array, Array]:
    """[steps + 1, batch, states]: all beginnings of alignments that are at a state after so many steps.

    A beginning that stands at state s has come from s, from s - 1, or, where `skips` is 0, from s - 2. The logarithms
    are counted from a base [steps + 1, batch], float64, that is moved along: the gradient is made of differences, which
    float32 would not hold of large numbers.
    """
    steps, batch, states = emitted.shape
    sums = numpy.full((steps + 1, batch, states + 2), NEVER, emitted.dtype)  # two states before the first
    numpy.put_along_axis(sums[0], starts + 2, 0, 1)
    here = sums[:, :, 2:]
    came = sliding_window_view(sums, 3, 2).transpose(0, 3, 1, 2)  # from two states before, from one, from here
    cost = numpy.stack([skips, numpy.zeros_like(skips), numpy.zeros_like(skips)])
    parts, most = numpy.empty_like(cost), numpy.empty_like(skips)
    bases = numpy.zeros((steps + 1, batch))
    for t in range(steps):
        x, after = here[t], here[t + 1]
        numpy.add(came[t], cost, out=parts)
        numpy.maximum.reduce(parts, 0, out=most)
        numpy.subtract(parts, most, out=parts)
        numpy.exp(parts, out=parts)
        numpy.add.reduce(parts, 0, out=after)
        numpy.log(after, out=after)
        numpy.add(most, emitted[t], out=most)
        numpy.add(after, most, out=after)
        if counted is not None:
            numpy.copyto(after, x, where=~counted[t][:, None])
        bases[t + 1] = bases[t]
        if t % _MOVED == _MOVED - 1:
            highest = after.max(1)
            after -= highest[:, None]
            bases[t + 1] += highest
    return here, bases


def _at_ends(last: Array, ends: Array) -> Array:
    """The paths that end at their last state, or at the one before."""
    before = numpy.take_along_axis(last, numpy.maximum(ends - 1, 0), 1)
    before = numpy.where(ends > 0, before, last.dtype.type(NEVER))
    return numpy.asarray(numpy.logaddexp(numpy.take_along_axis(last, ends, 1), before)[:, 0])
