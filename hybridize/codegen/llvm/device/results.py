# SPDX-License-Identifier: Apache-2.0
"""Write the epilogue of tiles: an element of the result, told by its member of the batch, row and column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from hybridize.base.dtypes import bool_
from hybridize.codegen.llvm.contraction.arithmetic import ArithmeticEmitter
from hybridize.codegen.llvm.contraction.epilogue import accumulated, arrays_of
from hybridize.codegen.llvm.device.neighbours import NeighbourElements
from hybridize.codegen.llvm.device.numbers import WholeNumbers
from hybridize.codegen.llvm.functions.table import register as register_type
from hybridize.codegen.llvm.text import Function, vector
from hybridize.loops.index import bit
from hybridize.machine.target import Target
from hybridize.runtime.plan import ALIGNMENT
from hybridize.schedule.contraction.ending import Ending
from hybridize.schedule.device.contractions import BlockPlan, BlockSums


def load_sums(f: Function, arithmetic: ArithmeticEmitter, place: str, count: int) -> str:
    """Load sums of so many neighbours, as a register or a vector."""
    align = min(ALIGNMENT, count * arithmetic.bytes)
    return f.op(f"load {vector(arithmetic.type, count)}, ptr {place}, align {align}")


def store_sums(f: Function, arithmetic: ArithmeticEmitter, sums: str, place: str, count: int) -> None:
    """Store sums as `load_sums` loads them."""
    align = min(ALIGNMENT, count * arithmetic.bytes)
    f.do(f"store {vector(arithmetic.type, count)} {sums}, ptr {place}, align {align}")


class ResultWriter:
    """Writes the epilogue at elements of the result, told by batch, row and column."""

    def __init__(self, f: Function, plan: BlockPlan, sums: BlockSums, ending: Ending, target: Target) -> None:
        self._f, self._ending, self._axes = f, ending, sums.axes
        self._arithmetic = ArithmeticEmitter.of_elements(plan.elements, target)
        self.elements = NeighbourElements(
            f, target, arrays_of(ending.params), dict(enumerate(plan.sizes)), neighbours=sums.stored,
            aligned=[number for number, param in enumerate(ending.params) if param.aligned],
        )  # fmt: skip
        self.elements.rows = sum(map(bit, range(len(plan.sizes))))
        self._last = self._axes[2][-1].axis if self._axes[2] else 0

    def open_batch(self, numbers: WholeNumbers, member: str) -> None:
        """Take a member of the batch for the rest of the kernel."""
        for axis, place in self._places(numbers, 0, member):
            self.elements.axes[axis], self.elements.depth[axis] = place, 0

    @contextmanager
    def at(self, numbers: WholeNumbers, row: str, column: str) -> Iterator[None]:
        """Open the axes of rows and columns."""
        with ExitStack() as stack:
            stack.enter_context(self.elements.scope())
            for side, index in ((1, row), (2, column)):
                for axis, place in self._places(numbers, side, index):
                    stack.enter_context(self.elements.bound(axis, place))
            yield

    def _places(self, numbers: WholeNumbers, side: int, index: str) -> list[tuple[int, str]]:
        axes = self._axes[side]
        places = numbers.places(index, [one.size for one in axes])
        return [
            (one.axis, numbers.wide(numbers.plus(numbers.times(place, one.step), one.first)))
            for one, place in zip(axes, places, strict=True)
        ]

    def store(self, gates: Sequence[str]) -> None:
        """Write the epilogue of neighbours, whose sums are given for each gate as `load_sums` loads them."""
        elements, roots = self.elements, self._ending.roots
        kind = vector(self._arithmetic.type, elements.neighbours)
        if elements.neighbours > 1:
            elements.hoist(roots, bit(self._last))
        for number, _ in enumerate(elements.each_neighbour(roots, self._last)):
            totals = list(gates)
            if elements.neighbours > 1:
                totals = [self._f.op(f"extractelement {kind} {several}, i64 {number}") for several in gates]
            if self._arithmetic.stored == bool_:
                totals = [self._f.op(f"trunc i8 {total} to {register_type(bool_, 1)}") for total in totals]
            accumulated(self._f, elements, self._ending, totals, 1)
