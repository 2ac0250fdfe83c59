# SPDX-License-Identifier: Apache-2.0
"""Find folds over the same elements: how the rows of a kernel walk over values, and over what those are made of.

Two folds that walk over one value alike can be computed by one kernel, in one loop, though neither needs the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hybridize.base.dims import text
from hybridize.graph import Node, Value
from hybridize.loops.expr import Axis, Const, Expr
from hybridize.schedule import thresholds
from hybridize.schedule.lower import Local, Lowerings

Walk = tuple[int | str, ...]
"""The axes of a value: a row axis by its number, or a fold by its size."""
Walks = dict[tuple[Value, Walk], None]
"""In the order in which they are met: a set has another one in each process, and not all are looked at."""


class WalkFinder:
    """Looks through values that are computed element by element."""

    def __init__(
        self, producer: Mapping[Value, tuple[int, Node]], lowerings: Lowerings, literals: Mapping[Value, Const]
    ) -> None:
        self._producer = producer
        self._lowerings = lowerings
        self._literals = literals

    def of_fold(self, node: Node, local: Local) -> Walks:
        """The walks of a fold that is stored in the order of its axes."""
        sizes = {fold.variable: fold.size for read in local.reads for fold in read.folds}
        return self.of_reads(((node.inputs[read.operand], read.indices) for read in local.reads), sizes)

    def of_reads(self, reads: Iterable[tuple[Value, Iterable[Expr]]], sizes: Mapping[int, int]) -> Walks:
        """The walks of values that are read at some indices, those over what they are made of among them."""
        walks = {(value, walk): None for value, indices in reads if (walk := _walk(indices, sizes)) is not None}
        front = list(walks)
        while front and len(walks) < thresholds.WALK_VALUES:
            value, walk = front.pop()
            if value not in self._producer or value in self._literals:
                continue
            node = self._producer[value][1]
            lowered = self._lowerings.of(node)
            if not isinstance(lowered, tuple):
                continue
            local = lowered[node.outputs.index(value)]
            if not local.folds and all(read.identity for read in local.reads):
                parts = dict.fromkeys((node.inputs[read.operand], walk) for read in local.reads)
                front += [part for part in parts if part not in walks]
                walks |= parts
        return walks


def _walk(indices: Iterable[Expr], sizes: Mapping[int, int]) -> Walk | None:
    """Return a walk along folds and rows; None for one of other indices, or of no fold."""
    walk: list[int | str] = []
    for index in indices:
        if not isinstance(index, Axis):
            return None
        walk.append(index.number if index.number >= 0 else text(sizes[index.number]))
    return tuple(walk) if any(isinstance(part, str) for part in walk) else None
