# SPDX-License-Identifier: Apache-2.0
"""Images of other sizes: each line of the result is a weighted sum of few lines of the operand.

`Resample` works along one axis by tables: which elements, and how much of each. A second pair of tables says the same
backwards, for each element where it went, so that its gradient is itself with the tables exchanged: gathered, as that
of `windows`, and so on for all orders.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import int64
from hybridize.base.errors import DTypeError, ShapeError
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType, same_shape
from hybridize.loops import expr as loops
from hybridize.loops.expr import Element, Expr, Fold
from hybridize.ops.elementwise import FLOAT, check_dtype
from hybridize.ops.interpolation import Row
from hybridize.ops.op import Op, Operand, bind1, constant, type_of
from hybridize.ops.slicing import clamped
from hybridize.ops.views import Gradient, check_axes, wide

Array = NDArray[Any]

FEW = 8
"""The most terms of a sum that are written one by one; of longer ones there is a loop."""


@frozen
class Resample(Op):
    """Sums of elements along `axis`: element o of the result is the sum over t of weights[o, t] x[places[o, t]].

    What has the weight 0 is not looked at. `sources` and `shares` are the same the other way round: element i of x
    counts shares[i, t] times in element sources[i, t] of the result.
    """

    axis: int

    sums = True

    def infer(
        self, x: TensorType, places: TensorType, weights: TensorType, sources: TensorType, shares: TensorType
    ) -> tuple[TensorType, ...]:
        check_axes(self, (self.axis,), x)
        check_dtype(self.name, FLOAT, x)
        for at, by in ((places, weights), (sources, shares)):
            if at.ndim != 2 or not same_shape(at.shape, by.shape) or at.shape[1] < 1:
                raise ShapeError("E178", f"{self.name} of {x} by tables {at} and {by}", help="both must be [n, terms]")
            if at.dtype != int64 or by.dtype != wide(x.dtype):
                wanted = TensorType(at.shape, wide(x.dtype))
                raise DTypeError("E240", f"{self.name} of {x} by tables {at} and {by}", help=f"places i64, {wanted}")
        if sources.shape[0] != x.shape[self.axis]:
            raise ShapeError("E178", f"{self.name} of {x} along axis {self.axis} by a table back {sources}")
        shape = (*x.shape[: self.axis], places.shape[0], *x.shape[self.axis + 1 :])
        return (TensorType(shape, x.dtype),)

    def reference(self, x: Array, places: Array, weights: Array, sources: Array, shares: Array) -> tuple[Array, ...]:
        total = wide(x.dtype)
        along = (-1,) + (1,) * (x.ndim - 1 - self.axis)
        y = numpy.zeros((*x.shape[: self.axis], len(places), *x.shape[self.axis + 1 :]), total)
        for term in range(places.shape[1]):
            weight = weights[:, term].reshape(along)
            part = numpy.take(x, places[:, term], self.axis).astype(total, copy=False)
            y += numpy.where(weight == 0, numpy.zeros((), total), weight * numpy.where(weight == 0, 0, part))
        return (y.astype(x.dtype, copy=False),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand, *tables: Operand) -> tuple[Gradient, ...]:
        places, weights, sources, shares = tables
        return bind1(self, g[0], sources, shares, places, weights), None, None, None, None

    def lower(
        self,
        x: Element,
        places: Element,
        weights: Element,
        sources: Element,
        shares: Element,
        *,
        types: tuple[TensorType, ...],
    ) -> tuple[Element, ...]:
        size, terms = types[0].shape[self.axis], types[1].shape[1]
        dtype, total = types[0].dtype, wide(types[0].dtype)

        def element(index: tuple[Expr, ...]) -> Expr:
            def term(number: Expr) -> Expr:
                entry = (index[self.axis], number)
                at, weight = clamped(places(entry), size), weights(entry)
                sample = loops.cast(x((*index[: self.axis], at, *index[self.axis + 1 :])), total)
                none = loops.const(0, total)
                return loops.select(loops.call("eq", weight, none), none, loops.call("mul", weight, sample))

            if terms > FEW:
                return loops.cast(Fold(total, "sum", terms, -1, (term(loops.axis(-1)),)), dtype)
            y = term(loops.index(0))
            for number in range(1, terms):
                y = loops.call("add", y, term(loops.index(number)))
            return loops.cast(y, dtype)

        return (element,)


def _tables(rows: Sequence[Row], size: int, dtype: Any) -> tuple[Array, Array, Array, Array]:
    """The four tables of sums of `size` elements."""
    back: list[dict[int, float]] = [{} for _ in range(size)]
    for number, (places, weights) in enumerate(rows):
        for place, weight in zip(places, weights, strict=True):
            if weight != 0:
                back[place][number] = back[place].get(number, 0.0) + weight
    other = [(list(sources), list(sources.values())) for sources in back]
    return (*_filled(rows, dtype), *_filled(other, dtype))


def _filled(rows: Sequence[Row], dtype: Any) -> tuple[Array, Array]:
    """Places and weights as arrays; rows that are shorter than others end with terms that count nothing."""
    terms = max((len(places) for places, _ in rows), default=1) or 1
    at, by = numpy.zeros((len(rows), terms), numpy.int64), numpy.zeros((len(rows), terms), dtype)
    for number, (places, weights) in enumerate(rows):
        at[number, : len(places)], by[number, : len(places)] = places, weights
    return at, by


def resampled(x: Operand, axis: int, rows: Sequence[Row]) -> Operand:
    """The sums of elements along an axis that `rows` say."""
    kind = type_of(x)
    tables = _tables(rows, int(kind.shape[axis]), wide(kind.dtype))
    return bind1(Resample(axis), x, *map(constant, tables))
