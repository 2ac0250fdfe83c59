# SPDX-License-Identifier: Apache-2.0
"""A draft as the epilogue of a contraction, and whether tiles may have it inside."""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.graph import Value
from hybridize.loops.expr import Expr, Load
from hybridize.loops.index import Space
from hybridize.loops.kernel import Param
from hybridize.loops.measure import weight
from hybridize.schedule.contraction import Product
from hybridize.schedule.contraction.plan import Following
from hybridize.schedule.draft import ACCUMULATED, Draft
from hybridize.schedule.gates import Gates, gate_positions
from hybridize.schedule.steps import Epilogue, SideStore

_LIGHT = 10
"""Instructions of an epilogue that tiles have inside: a bias, a residual, scaling, a cut; no function."""


def following(epilogue: Epilogue | None) -> Following:
    """Weigh the epilogue of a product."""
    if epilogue is None:
        return "nothing"
    return "light" if not epilogue.side_stores and weight(epilogue.value) <= _LIGHT else "heavy"


def epilogue_of(draft: Draft, out: Value, product: Product) -> tuple[Epilogue, list[Value]]:
    """Turn a draft into the epilogue of an element at (batch, row, column); returns it and the values of its params."""
    key = draft.buffers.index(out), product.batch, product.m, product.columns, product.gates
    epilogue, order = draft.results.of((epilogue_of, *key), lambda: _epilogue(draft, *key))
    return epilogue, [draft.buffers[number] for number in order]


def _epilogue(
    draft: Draft, target: int, batch: int, rows: int, columns: int, gates: int
) -> tuple[Epilogue, Sequence[int]]:
    """The epilogue that ends in the store to a buffer, and the buffers that its params are."""
    interner = draft.space.interner
    shape = (batch, rows, columns)
    space = Space(interner, dict(enumerate(shape)))
    flat = space.flat(tuple(space.axis(k) for k in range(3)), shape)
    axes, stride = {}, 1
    for axis in reversed(range(len(draft.group.shape))):
        size = draft.group.shape[axis]
        axes[axis] = space.mod(space.floordiv(flat, stride), size)
        stride *= size
    used = draft.read_buffers() | {statement.buffer for statement in draft.statements}
    order = [n for n in range(len(draft.buffers)) if n != target and n in used]
    numbers = {number: i for i, number in enumerate(order)}
    memo: dict[int, Expr] = {}
    sums = {}
    if gates > 1:
        places = gate_positions(draft.space, draft.group.shape, Gates(gates, columns))
        sums = {id(place): ACCUMULATED - gate for gate, place in enumerate(places)}

    main = next(statement for statement in draft.statements if statement.buffer == target)

    def load(load: Load, indices: tuple[Expr, ...]) -> Expr:
        if load.operand == ACCUMULATED:
            return interner.load(load.dtype, sums[id(load.indices[0])] if sums else ACCUMULATED, indices)
        if load.operand == target:
            return moved(main.value)  # stored last of all: what others store of it is made of the value
        return interner.load(load.dtype, numbers[load.operand], indices)

    def moved(expr: Expr) -> Expr:
        return space.rewrite_deep(expr, axes, load, lambda fold: fold.variable, memo)

    written = {statement.buffer for statement in draft.statements}
    params = tuple(Param(draft.buffers[n].type.dtype, draft.elements(n), n in written) for n in order)
    side_stores = tuple(
        SideStore(numbers[s.buffer], moved(s.index), moved(s.value)) for s in draft.statements if s is not main
    )
    return Epilogue(moved(main.value), params, side_stores), order
