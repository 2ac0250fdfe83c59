# SPDX-License-Identifier: Apache-2.0
"""Find a place for the rows that a kernel keeps on a device: memory that the threads of a block share, where the nest
is the only one and all rows of a block fit; else scratch. The rows of threads lie side by side, element by element.
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
    locals_: tuple[Param, ...],
    nests: tuple[kernel.Nest, ...],
    device: DeviceTarget,
    interner: Interner,
) -> kernel.Kernel:
    """Return the kernel of nests whose kept rows follow the params; those that lie in scratch are params, too."""
    if not locals_:
        return kernel.Kernel(params, (), nests)
    if len(nests) > 1:  # there is one row, which all of them share
        return kernel.Kernel((*params, *locals_), (), nests)
    (nest,) = nests
    assert nest.launch is not None
    numbers = range(len(params), len(params) + len(locals_))
    each = LocalRows(nest, dict(zip(numbers, locals_, strict=True)), interner)
    count = nest.launch.threads // each.threads(device)
    if not any(is_symbolic(one.size) for one in locals_):
        nbytes = nest.launch.shared_bytes + sum(-(-count * one.size * one.dtype.itemsize // 16) * 16 for one in locals_)
        if nbytes <= device.shared_bytes:
            nest = changed(
                each.placed(count) if each.are_threads else nest, launch=changed(nest.launch, shared_bytes=nbytes)
            )
            return kernel.Kernel(params, tuple(changed(one, size=one.size * count) for one in locals_), (nest,))
    rows = product(axis.size for axis in nest.rows)
    scratch = tuple(changed(one, size=one.size * rows) for one in locals_)
    return kernel.Kernel((*params, *scratch), (), (each.placed(None),))


class LocalRows:
    """The rows that a nest keeps, by the numbers of their buffers."""

    def __init__(self, nest: kernel.Nest, locals_: Mapping[int, Param], interner: Interner) -> None:
        self._nest, self._locals, self._interner = nest, locals_, interner
        self.are_threads = any(isinstance(axis.kind, kernel.EachThread) for axis in nest.rows)
        """True if a row is a thread."""

    def threads(self, device: DeviceTarget) -> int:
        """Count the threads that share a row."""
        assert self._nest.launch is not None
        if self.are_threads:
            return 1
        is_warp = any(isinstance(axis.kind, kernel.EachWarp) for axis in self._nest.rows)
        return device.warp if is_warp else self._nest.launch.threads

    def placed(self, count: int | None) -> kernel.Nest:
        """Return the nest over rows in scratch; with a `count`, over those of as many threads, the first element of a
        thread's row being where the kernel says.
        """
        rows = tuple(axis.size for axis in self._nest.rows)
        bodies = tuple(self._body(body, rows, count) for body in self._nest.bodies)
        return changed(self._nest, bodies=bodies)

    def _body(self, body: kernel.Body, rows: tuple[int, ...], count: int | None) -> kernel.Body:
        space = Space(self._interner, dict(enumerate((*rows, *body.sizes))))
        row = space.flat(tuple(map(space.axis, range(len(rows)))), rows)

        def place(buffer: int, index: Expr) -> Expr:
            if buffer not in self._locals:
                return index
            if count is not None:
                return space.affine([(index, count)])
            if self.are_threads:
                return space.affine([(row, 1), (index, product(rows))])
            return space.affine([(row, self._locals[buffer].size), (index, 1)])

        def load(one: Load, indices: tuple[Expr, ...]) -> Expr:
            return self._interner.load(one.dtype, one.operand, (place(one.operand, indices[0]), *indices[1:]))

        memo: dict[int, Expr] = {}
        statements = []
        for one in body.statements:
            index, value = (
                space.rewrite_deep(expr, {}, load, lambda fold: fold.variable, memo) for expr in (one.index, one.value)
            )
            statements.append(Statement(one.buffer, place(one.buffer, index), value))
        return changed(body, statements=tuple(statements))
