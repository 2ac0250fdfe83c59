# SPDX-License-Identifier: Apache-2.0
"""Find a place for the rows that a kernel keeps on a device: the memory that the threads of a block share, where the
nest is the only one and all rows fit; else scratch, a part for each row.
"""

from __future__ import annotations

from collections.abc import Mapping

from hybridize.base.dims import is_symbolic, product
from hybridize.base.frozen import changed
from hybridize.loops.expr import Expr, Load
from hybridize.loops.index import Interner, Space
from hybridize.loops.kernel import Param, Statement
from hybridize.machine.device import DeviceTarget
from hybridize.schedule import kernel


def with_places(
    params: tuple[Param, ...],
    kept: tuple[Param, ...],
    nests: tuple[kernel.Nest, ...],
    device: DeviceTarget,
    interner: Interner,
) -> kernel.Kernel:
    """The kernel of nests, whose kept rows follow the params; those that lie in scratch are params of the kernel."""
    if not kept:
        return kernel.Kernel(params, (), nests)
    if len(nests) == 1 and not any(is_symbolic(one.size) for one in kept):
        (nest,) = nests
        assert nest.launch is not None
        warps = nest.launch.threads // device.warp if _is_by_warps(nest) else 1
        rows = sum(-(-warps * one.size * one.dtype.itemsize // 16) * 16 for one in kept)
        nbytes = nest.launch.shared_bytes + rows
        if nbytes <= device.shared_bytes:
            nest = changed(nest, launch=changed(nest.launch, shared_bytes=nbytes))
            return kernel.Kernel(params, kept, (nest,))
    numbers = range(len(params), len(params) + len(kept))
    if len(nests) > 1:  # there is one row, which all of them share
        return kernel.Kernel((*params, *kept), (), nests)
    (nest,) = nests
    count = product(axis.size for axis in nest.rows)
    scratch = tuple(changed(one, size=one.size * count) for one in kept)
    return kernel.Kernel((*params, *scratch), (), (_in_scratch(nest, dict(zip(numbers, kept, strict=True)), interner),))


def _is_by_warps(nest: kernel.Nest) -> bool:
    return any(isinstance(axis.kind, kernel.EachWarp) for axis in nest.rows)


def _in_scratch(nest: kernel.Nest, kept: Mapping[int, Param], interner: Interner) -> kernel.Nest:
    """A nest whose rows lie one after the other in buffers."""
    if not nest.rows:
        return nest
    rows = tuple(axis.size for axis in nest.rows)
    bodies = []
    for body in nest.bodies:
        space = Space(interner, dict(enumerate((*rows, *body.sizes))))
        row = space.flat(tuple(map(space.axis, range(len(rows)))), rows)

        def place(buffer: int, index: Expr, space: Space = space, row: Expr = row) -> Expr:
            return space.affine([(row, kept[buffer].size), (index, 1)]) if buffer in kept else index

        def load(one: Load, indices: tuple[Expr, ...]) -> Expr:
            return interner.load(one.dtype, one.operand, (place(one.operand, indices[0]), *indices[1:]))

        memo: dict[int, Expr] = {}
        statements = []
        for one in body.statements:
            index, value = (
                space.rewrite_deep(expr, {}, load, lambda fold: fold.variable, memo) for expr in (one.index, one.value)
            )
            statements.append(Statement(one.buffer, place(one.buffer, index), value))
        bodies.append(changed(body, statements=tuple(statements)))
    return changed(nest, bodies=tuple(bodies))


def moved(expr: Expr, space: Space, axes: Mapping[int, Expr]) -> Expr:
    """An expression over other axes."""
    return space.rewrite_deep(
        expr,
        axes,
        lambda load, indices: space.interner.load(load.dtype, load.operand, indices),
        lambda fold: fold.variable,
        {},
    )
