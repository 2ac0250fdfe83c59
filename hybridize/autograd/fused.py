# SPDX-License-Identifier: Apache-2.0
"""Functions that imperative code computes in few passes of NumPy, as one node each: what layers are made of.

Their rules are written with ops, as those of ops are, and give the same gradients as the compositions they stand for;
they keep the result where that is enough, which the next layer keeps anyway.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from hybridize.array.functions.dense import worth_a_program
from hybridize.array.single import General, Single
from hybridize.base.dtypes import float32, int64
from hybridize.ops import cast, composites, eq, exp, ge, iota, matmul, mul, sub, where
from hybridize.ops.op import OfComplex, Operand, taping, type_of
from hybridize.ops.views import like, spread, sum

Operands = tuple[Operand, ...]


class Fused(ABC):
    """The rule of a function that is one node; made for each node."""

    name: ClassVar[str]
    of_complex: ClassVar[OfComplex] = OfComplex.REFUSED
    keeps: ClassVar[bool] = False
    """True if it keeps values itself, until `release`."""

    def release(self) -> None:  # noqa: B027 - most keep nothing
        """Let go of what it keeps."""

    def reads(self, edges: Sequence[Any]) -> tuple[tuple[bool, ...], tuple[bool, ...]]:
        """Tell which inputs and outputs are read: of most, the result alone."""
        return (False,), (True,)

    @abstractmethod
    def vjp(self, g: Operands, y: Operands, *xs: Operand) -> tuple[Operand | None, ...]:
        """As of an op."""

    def partial_vjp(self, wanted: Sequence[bool], g: Operands, y: Operands, *xs: Operand) -> tuple[Operand | None, ...]:
        """As of an op."""
        return self.vjp(g, y, *xs)


class Relu(Fused):
    """max(x, 0), whose slope at 0 is 0."""

    name = "relu"

    def vjp(self, g: Operands, y: Operands, *xs: Operand) -> Operands:
        """The gradient passes where the result is not 0."""
        (gradient,), (result,) = g, y
        if taping() is not None:
            return tuple(_passed(result, gradient))
        if result.ndim == 1:
            return (_RELU_GRADIENT(result, gradient),)
        return (_RELU_GRADIENT(result.reshape(-1), gradient.reshape(-1)).reshape(result.shape),)


def _passed(result: Operand, gradient: Operand) -> list[Operand]:
    nothing = like(0, result)
    return [where(ge(nothing, result), nothing, gradient)]


_RELU_GRADIENT = General(_passed, lambda *operands: _passed(*operands)[0], "relu, gradient", ("n", "n"))


class FullyConnected(Fused):
    """x W^T + b"""

    name = "FullyConnected"

    def reads(self, edges: Sequence[Any]) -> tuple[tuple[bool, ...], tuple[bool, ...]]:
        """Tell which inputs and outputs are read."""
        return (edges[1] is not None, edges[0] is not None, False)[: len(edges)], (False,)

    def vjp(self, g: Operands, y: Operands, *xs: Operand) -> tuple[Operand | None, ...]:
        """All of them."""
        return self.partial_vjp((True,) * len(xs), g, y, *xs)

    def partial_vjp(self, wanted: Sequence[bool], g: Operands, y: Operands, *xs: Operand) -> tuple[Operand | None, ...]:
        """Those that somebody waits for."""
        if taping() is None and g[0].dtype is float32 and worth_a_program(len(g[0]), xs[1].size):
            kind = tuple(wanted)
            arguments = [g[0], *(x for x, read in ((xs[1], wanted[0]), (xs[0], wanted[1])) if read)]
            single = _DENSE_GRADIENTS[kind]
            key = tuple([x.shape for x in arguments])
            program = single.programs.get(key) or single.make(key)
            gradients = iter(program(*arguments))
            return tuple([next(gradients) if one else None for one in wanted])
        return _dense_gradients(wanted, g[0], xs[1], xs[0])


def _dense_gradients(wanted: Sequence[bool], g: Operand, w: Operand, x: Operand) -> tuple[Operand | None, ...]:
    by_x = matmul(g, w, False, False) if wanted[0] else None
    by_w = matmul(g, x, True, False) if wanted[1] else None
    return (by_x, by_w, sum(g, (0,)) if wanted[2] else None) if len(wanted) == 3 else (by_x, by_w)


def _dense_program(wanted: tuple[bool, ...]) -> Single:
    """The programs of the gradients of a dense layer that somebody waits for, of the result's and what they read."""

    def gradients(g: Operand, *read: Operand) -> list[Operand]:
        operands = iter(read)
        w = next(operands) if wanted[0] else None
        x = next(operands) if wanted[1] else None
        return [one for one in _dense_gradients(wanted, g, w, x) if one is not None]

    rows = (True, *(counted for counted, is_read in ((False, wanted[0]), (True, wanted[1])) if is_read))
    name = "fully_connected, gradients"
    return Single(gradients, gradients, name, rows=rows, array_type=None, structure="tuple")


_DENSE_GRADIENTS = {
    wanted: _dense_program(wanted)
    for count in (2, 3)
    for wanted in itertools.product((False, True), repeat=count)
    if any(wanted)
}


class Softmax(Fused):
    """exp(x) / sum(exp(x)) along an axis."""

    name = "softmax"
    _slope = staticmethod(composites.slope_of_softmax)

    def __init__(self, axis: int) -> None:
        self._axis = axis

    def vjp(self, g: Operands, y: Operands, *xs: Operand) -> Operands:
        """As of the composite."""
        return (self._slope(g[0], y[0], self._axis % type_of(y[0]).ndim),)


class LogSoftmax(Softmax):
    """The logarithm of the softmax along an axis."""

    name = "log_softmax"
    _slope = staticmethod(composites.slope_of_log_softmax)


class CrossEntropyOfLabels(Fused):
    """-weight log(softmax(x)) at the labels; x is [batch, classes].

    Args:
        labels: [batch], integers that are classes; nobody else writes them.
        slope: softmax(x) minus one at the labels, for first derivatives.
        weight: a number.
    """

    name = "softmax cross-entropy"
    keeps = True

    def __init__(self, labels: Any, slope: Any, weight: float) -> None:
        self._labels, self._slope, self._weight = labels, slope, weight

    def release(self) -> None:
        """Let go of what it keeps."""
        self._labels = self._slope = None

    def reads(self, edges: Sequence[Any]) -> tuple[tuple[bool, ...], tuple[bool, ...]]:
        """Tell which inputs and outputs are read."""
        return (True,), (False,)

    def vjp(self, g: Operands, y: Operands, *xs: Operand) -> Operands:
        """weight g (softmax(x) - one at the labels)"""
        by = g[0] if self._weight == 1 else mul(g[0], like(self._weight, g[0]))
        slope = self._slope
        if taping() is not None:  # which depends on x
            slope = cross_entropy(xs[0], self._labels)[1]
        shape = type_of(slope).shape
        return (mul(slope, spread(by, shape, (1,))),)


def cross_entropy(x: Operand, labels: Operand) -> tuple[Operand, Operand, Operand]:
    """Return -log(softmax(x)) at the labels, [batch], its slope, and where the labels are, [batch, classes]."""
    kind = type_of(x)
    own = eq(spread(cast(labels, int64), kind.shape, (1,)), iota(kind.shape, 1, int64))
    logarithms = composites.log_softmax(x, 1)
    nothing = like(0, logarithms)
    loss = sum(where(own, sub(nothing, logarithms), nothing), (1,))
    return loss, sub(exp(logarithms), cast(own, kind.dtype)), own


class BatchNorm(Fused):
    """(x - mean) / sqrt(variance + eps) gamma + beta, of the batch's own mean and variance.

    Args:
        axis: of the channels.
        eps: added to the variance.
        fix_gamma: gamma is 1.
        mean: of the batch, for first derivatives; [channels].
        inverse: 1 / sqrt(variance + eps), likewise.
    """

    name = "BatchNorm"

    def __init__(self, axis: int, eps: float, fix_gamma: bool, mean: Operand, inverse: Operand) -> None:
        self._axis, self._eps, self._fix_gamma = axis, eps, fix_gamma
        self._statistics = mean, inverse

    def reads(self, edges: Sequence[Any]) -> tuple[tuple[bool, ...], tuple[bool, ...]]:
        """Tell which inputs and outputs are read."""
        return (True, not self._fix_gamma, False), (False,)

    def vjp(self, g: Operands, y: Operands, *xs: Operand) -> tuple[Operand | None, ...]:
        """As of the composite."""
        x, gamma, _ = xs
        statistics: tuple[Operand, Operand] = self._statistics
        eps: float | None = None
        if taping() is not None:  # they depend on x
            axes = tuple(k for k in range(type_of(x).ndim) if k != self._axis)
            statistics, eps = (composites.mean(x, axes), composites.variance(x, axes)), self._eps
        by_x, by_gamma, by_beta = composites.gradients_of_batch(
            g[0], None, statistics, x, gamma, self._axis, eps, self._fix_gamma
        )
        return by_x, None if self._fix_gamma else by_gamma, by_beta


RULES: dict[str, Any] = {
    "relu": Relu, "FullyConnected": FullyConnected, "softmax": Softmax, "log_softmax": LogSoftmax,
    "BatchNorm": BatchNorm, "cross_entropy": CrossEntropyOfLabels,
}  # fmt: skip
