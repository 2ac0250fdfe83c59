# SPDX-License-Identifier: Apache-2.0
"""A nest as a kernel of a GPU: a thread for each index, or teams of threads that share rows."""

from __future__ import annotations

from collections.abc import Mapping

from hybridize.base.dims import is_symbolic, product, same
from hybridize.codegen.llvm.device.teams import Team, TeamElements, counted, turns
from hybridize.codegen.llvm.functions.table import memory
from hybridize.codegen.llvm.nests.elements import Elements
from hybridize.codegen.llvm.nests.kernels import NestWriter
from hybridize.codegen.llvm.nests.memory import element_pointer
from hybridize.codegen.llvm.nests.positions import Array
from hybridize.codegen.llvm.text import Function, Module
from hybridize.codegen.llvm.threads import SharedMemory, block, kernel_function, thread, wait_for_block, wait_for_warp
from hybridize.loops.expr import Fold
from hybridize.loops.index import bit, upward
from hybridize.loops.kernel import Param, roots_of
from hybridize.machine.target import Target
from hybridize.schedule.kernel import Body, EachThread, EachWarp, Kernel, Nest


def emit_nest(module: Module, name: str, kernel: Kernel, nest: Nest, target: Target) -> Function:
    """Write a nest of a kernel as the function `name`, over the kernel's params."""
    assert nest.launch is not None
    params = [(f"b{number}", param) for number, param in enumerate(kernel.params)]
    f = kernel_function(module, name, params, nest.launch.threads, nest.launch.blocks)
    DeviceNestWriter(f, kernel, nest, target).emit()
    return f


class DeviceNestWriter(NestWriter):
    """Writes one nest."""

    elements: TeamElements

    def __init__(self, f: Function, kernel: Kernel, nest: Nest, target: Target) -> None:
        assert nest.launch is not None
        assert target.device is not None
        self._memory = SharedMemory(f)
        self._threads, self._device = nest.launch.threads, target.device
        self._by_warps = any(isinstance(axis.kind, EachWarp) for axis in nest.rows)
        self._team = self._team_of(f, nest)
        self._params = kernel.params
        super().__init__(f, kernel, nest, target)

    def _team_of(self, f: Function, nest: Nest) -> Team | None:
        """Return the threads that share a row, where it is not one."""
        axes = (*nest.rows, *(axis for body in nest.bodies for axis in body.axes))
        if any(isinstance(axis.kind, EachThread) for axis in axes):
            return None
        warp = self._device.warp
        if self._by_warps:
            return Team(warp, f.on_entry(f"urem i64 {thread(f)}, {warp}", "rank in warp"), warp)
        return Team(self._threads, thread(f), self._device.meeting)

    def _array(self, number: int, buffer: Param, *, is_row: bool, written: bool) -> Array:
        if not is_row:
            return super()._array(number, buffer, is_row=False, written=written)
        pointer = self._memory.array(memory(buffer.dtype, 1), buffer.size, buffer.dtype.itemsize)
        first = "0"
        if self._team is None:  # those of all threads lie side by side
            first = thread(self.f)
        elif self._by_warps:
            first = self.f.times(self._warp(), buffer.size // (self._threads // self._device.warp))
        return Array(element_pointer(self.f, pointer, buffer.dtype, first), buffer.dtype, written=written)

    def _writer(self, target: Target, arrays: Mapping[int, Array]) -> Elements:
        aligned = [number for number in arrays if number >= len(self._params) or self._params[number].aligned]
        return TeamElements(self.f, target, arrays, self.nest, team=self._team, memory=self._memory, aligned=aligned)

    def _warp(self) -> str:
        """Return the number of the warp within its block."""
        return self.f.on_entry(f"udiv i64 {thread(self.f)}, {self._device.warp}", "warp in block")

    def emit(self) -> None:
        """Write the nest; its kernel is not launched where it has no rows."""
        f, axes = self.f, [(number, axis.size) for number, axis in enumerate(self.nest.rows)]
        if self._team is None:
            self._each_thread(axes)
        elif self._by_warps:
            row = f.plus(f.times(block(f), self._threads // self._device.warp), self._warp())
            with f.when(f.test("slt", row, product(size for _, size in axes))), counted(self.elements, axes, row):
                self._shared_bodies()
        else:
            with counted(self.elements, axes, block(f)):
                self._shared_bodies()

    def _each_thread(self, rows: list[tuple[int, int]]) -> None:
        """Write a thread for each row, or for each index of the only body."""
        f, bodies = self.f, self.nest.bodies
        axes = rows or [*enumerate(axis.size for axis in bodies[0].axes)]
        self.elements.space.ranges.update(axes)
        index = f.plus(f.times(block(f), self._threads), thread(f))
        at_once = self.nest.neighbours
        with f.when(f.test("slt", index, turns(axes, at_once))), counted(self.elements, axes, index, at_once):
            if at_once > 1:
                self._neighbours(bodies[0], *axes[-1])
                return
            for body in bodies:
                self._body(body) if rows else self._turn(body)

    # Neighbours

    def _neighbours(self, body: Body, axis: int, size: int) -> None:
        """Write the turns of a thread's neighbours along an axis, of which the last thread may have fewer."""
        f, at_once = self.f, self.nest.neighbours
        if not is_symbolic(size) and size % at_once == 0:
            self._at_once(body, axis)
            return
        first = self.elements.axes[axis]
        is_whole = f.test("sle", f.plus(first, at_once), size)
        with f.when(is_whole), self.elements.scope():
            self._at_once(body, axis)
        with (
            f.when(f.op(f"xor i1 {is_whole}, true")),
            f.loop(first, f.size(size), 1) as loop,
            self.elements.bound(axis, loop.index),
        ):
            self._turn(body)

    def _at_once(self, body: Body, axis: int) -> None:
        """Write the turns of a thread that has all of its neighbours."""
        roots = roots_of(body.statements)
        self.elements.hoist(roots, bit(axis))
        for _ in self.elements.each_neighbour(roots, axis):
            self._turn(body)

    # Teams

    def _shared_bodies(self) -> None:
        for body in self.nest.bodies:
            if body.waits:
                wait_for_warp(self.f) if self._by_warps else wait_for_block(self.f)
            self._shared_body(body)

    def _shared_body(self, body: Body) -> None:
        """Write the turns of a body, each by a thread; folds that all threads share come before."""
        f, team, roots = self.f, self._team, roots_of(body.statements)
        assert team is not None
        axes = [(number, axis.size) for number, axis in enumerate(body.axes, self.rows)]
        if any(same(size, 0) for _, size in axes):
            return
        self.elements.space.ranges.update(axes)
        for root in roots:
            for node in upward(root):
                if isinstance(node, Fold) and self.elements.is_shared(node.variable) and self.elements.is_open(node):
                    self.elements.value(node)
        if not axes:  # a number for the row
            with f.when(f.test("eq", team.rank, 0)), self.elements.scope():
                self._turn(body)
            return
        self.elements.hoist(roots, sum(bit(number) for number, _ in axes))
        at_once = self.nest.neighbours
        with (
            f.loop(team.rank, f.size(turns(axes, at_once)), team.count) as loop,
            counted(self.elements, axes, loop.index, at_once),
        ):
            if at_once > 1:
                self._at_once(body, axes[-1][0])
            else:
                self._turn(body)
