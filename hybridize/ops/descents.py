# SPDX-License-Identifier: Apache-2.0
"""Ways down decision trees: at each node one number of a row says which child is next.

The trees of a forest share one table of nodes. A link from its end on is a leaf, where the way ends. Reference and
machine code stay within the table and the row whatever the numbers in it are, and take no more steps than `depth`.
"""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import float32, float64, int32, int64
from hybridize.base.errors import DTypeError, ShapeError
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType, same_shape
from hybridize.loops.expr import Element, Routine
from hybridize.ops.op import Op, Operand, bind1

LINKS = 4
"""Numbers of a node: its column, and the links where a number is at most the split, where it is larger, and of NaN."""


@frozen
class Descent(Op):
    """The last link of the way of each row of `x` [rows, columns] down each tree: i64[trees, rows].

    Operands: x, the split of each node (of its dtype), i32[nodes, LINKS], and the links to the roots, i32[trees].
    `depth`: the most nodes of a way.
    """

    differentiable = False
    positions = True
    depth: int

    def infer(self, x: TensorType, splits: TensorType, links: TensorType, roots: TensorType) -> tuple[TensorType, ...]:
        if x.dtype not in (float32, float64) or splits.dtype != x.dtype or {links.dtype, roots.dtype} != {int32}:
            raise DTypeError(
                "E231", f"{self.name} of {x} by {splits}, {links} and {roots}",
                help="rows and splits are float32 or float64, links int32",
            )  # fmt: skip
        if (x.ndim, splits.ndim, links.ndim, roots.ndim) != (2, 1, 2, 1) or not same_shape(
            links.shape, (*splits.shape, LINKS)
        ):
            raise ShapeError("E159", f"{self.name} of {x} by {splits}, {links} and {roots}",
                             help=f"rows, and for each node a split and {LINKS} numbers")  # fmt: skip
        if x.shape[1] < 1 or splits.shape[0] < 1:
            raise ShapeError("E159", f"{self.name} of {x} by {splits}", help="there is a column, and a node")
        return (TensorType((roots.shape[0], x.shape[0]), int64),)

    def reference(
        self, x: NDArray[Any], splits: NDArray[Any], links: NDArray[Any], roots: NDArray[Any]
    ) -> tuple[NDArray[Any], ...]:
        row, last = numpy.arange(len(x)), len(splits) - 1
        columns, least, more, neither = links.T
        columns = numpy.where((columns < 0) | (columns >= x.shape[1]), x.shape[1] - 1, columns)
        way = numpy.repeat(roots[:, None], len(x), axis=1)
        for _ in range(self.depth):
            inner = (way >= 0) & (way <= last)
            node = numpy.where(inner, way, last)
            value, split = x[row, columns[node]], splits[node]
            following = numpy.where(value <= split, least[node], more[node])
            following = numpy.where(numpy.isnan(value) | numpy.isnan(split), neither[node], following)
            way = numpy.where(inner, following, way)
        return (way.astype(int64),)

    def lower(self, *inputs: Element, types: tuple[TensorType, ...]) -> Routine:
        return Routine(self.name, (self.depth,))


def descent(x: Operand, splits: Operand, links: Operand, roots: Operand, depth: int) -> Operand:
    """The last links of the ways of rows down trees of at most `depth` nodes; see `Descent`."""
    return bind1(Descent(depth), x, splits, links, roots)
