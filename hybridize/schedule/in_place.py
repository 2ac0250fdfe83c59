# SPDX-License-Identifier: Apache-2.0
"""Tell whether a step reads each element of an input before it stores the element of an output at its position.

Then the output may lie where the input lies, whose elements are not needed any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hybridize.base.dims import same
from hybridize.loops.expr import Expr, Load
from hybridize.loops.kernel import Statement
from hybridize.loops.measure import walk
from hybridize.schedule.kernel import Kernel


def read_first(kernel: Kernel, source: int, target: int) -> bool:
    """Tell whether each element of one param is read before that of the other at its position is stored."""
    has_stores = False
    for nest in kernel.nests:
        looped = [(statement, body.sizes) for body in nest.bodies for statement in body.statements]
        stores = {id(s.index): (n, sizes) for n, (s, sizes) in enumerate(looped) if s.buffer == target}
        has_stores = has_stores or bool(stores)
        if not has_stores:
            continue
        for number, (statement, own) in enumerate(looped):
            for index in _read_indices(source, statement.value, statement.index):
                last, sizes = stores.get(id(index), (-1, ()))
                if number > last or not _alike(sizes, own):
                    return False
    return True


def stored_last(stores: Sequence[Statement], source: int, target: int) -> bool:
    """Tell the same of the epilogue of a product."""
    written = {id(store.index): number for number, store in enumerate(stores) if store.buffer == target}
    return all(
        number <= written.get(id(index), -1)
        for number, store in enumerate(stores)
        for index in _read_indices(source, store.value, store.index)
    )


def _read_indices(operand: int, *roots: Expr) -> Iterable[Expr]:
    """Return the indices at which expressions read a buffer."""
    return [node.indices[0] for node in walk(*roots) if isinstance(node, Load) and node.operand == operand]


def _alike(x: Sequence[int], y: Sequence[int]) -> bool:
    return len(x) == len(y) and all(same(a, b) for a, b in zip(x, y, strict=True))
