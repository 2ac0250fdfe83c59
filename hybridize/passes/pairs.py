# SPDX-License-Identifier: Apache-2.0
"""Let contractions of int16 with sums of int32 multiply two integers at a time: a pair is one int32.

    sum over c < 2h of x[c] w[c]  =  sum over c < h of (x[c] w[c] + x[h + c] w[h + c])

The first half of an axis that is summed over lies in the lower halves of the pairs, and the second half in the upper
ones, so that both are read as they lie. The same integers: sums of int32 wrap, in any order.
"""

from __future__ import annotations

from typing import Any

from hybridize import ops
from hybridize.base.dims import is_symbolic
from hybridize.base.dtypes import int16, int32
from hybridize.graph import Graph, Node
from hybridize.loops.contraction import axes_of
from hybridize.ops.contract import read
from hybridize.passes.pipeline import Rewriter


class PairTerms:
    """Make contractions of pairs, where an axis of both operands is summed over by itself; the others are of int32."""

    name = "pair_terms"

    def __call__(self, graph: Graph) -> Graph:
        """One sweep down."""
        if not graph.has(ops.Contract) or not any(map(_is_short, graph.nodes)):
            return graph
        rewriter = Rewriter(graph)
        for node in graph.nodes:
            if not _is_short(node):
                rewriter.keep(node)
                continue
            body = ops.make_graph(lambda *xs, node=node: [_of_pairs(node, *xs)], [value.type for value in node.inputs])
            rewriter.replace(node, rewriter.builder.inline(body, rewriter.operands(node), node.loc))
        return rewriter.finish()


def _is_short(node: Node) -> bool:
    op: Any = node.op
    return isinstance(op, ops.Contract) and op.result == int32 and all(
        value.type.dtype == int16 for value in node.inputs
    )  # fmt: skip


def _of_pairs(node: Node, x: Any, w: Any) -> Any:
    op: Any = node.op
    axes = _axes(node)
    if axes is None:
        return ops.bind(ops.Contract(op.spec, op.sizes), ops.cast(x, int32), ops.cast(w, int32))[0]
    return ops.bind(ops.PairedContract(op.spec, op.sizes), *map(_pairs, (x, w), axes))[0]


def _axes(node: Node) -> tuple[int, int] | None:
    """The longest axis of both operands that is summed over and counts nothing else; None where there is none."""
    op: Any = node.op
    spec = read(op.spec)
    best, longest = None, 1
    for k, index in enumerate(spec.operands[0]):
        axis = index.axis
        if axis is None or axis < spec.rank or not spec.bare[0][k]:
            continue
        others = [p for p, one in enumerate(spec.operands[1]) if one.axis == axis and spec.bare[1][p]]
        rest = [one for side, places in zip(spec.operands, ([k], others), strict=True)
                for p, one in enumerate(side) if p not in places]  # fmt: skip
        size = node.inputs[0].type.shape[k]
        if len(others) == 1 and axis not in axes_of(rest) and not is_symbolic(size) and size > longest:
            best, longest = (k, others[0]), size
    return best


def _pairs(x: Any, axis: int) -> Any:
    """The integers of both halves of an axis, side by side in int32s."""
    kind = ops.type_of(x)
    size = kind.shape[axis]
    if size % 2:
        none = (0,) * kind.ndim
        x = ops.pad(x, ops.scalar(0, int16), none, tuple(int(k == axis) for k in range(kind.ndim)))
    half = (size + 1) // 2
    lower, upper = (ops.cast(ops.part(x, axis, start, start + half), int32) for start in (0, half))
    lower = ops.bit_and(lower, ops.like((1 << 16) - 1, lower))
    return ops.bit_or(lower, ops.shift_left(upper, ops.like(16, upper)))
