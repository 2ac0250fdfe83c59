# SPDX-License-Identifier: Apache-2.0
"""Write the epilogue of tiles: an element of the result, told by its member of the batch, row and column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from hybridize.base.dtypes import bool_
from hybridize.codegen.llvm.contraction.arithmetic import ArithmeticEmitter
from hybridize.codegen.llvm.contraction.epilogue import accumulated, elements_of_result
from hybridize.codegen.llvm.device.numbers import WholeNumbers
from hybridize.codegen.llvm.functions.table import register as register_type
from hybridize.codegen.llvm.nests.elements import Elements
from hybridize.codegen.llvm.text import Function
from hybridize.machine.target import Target
from hybridize.schedule.contraction.ending import Ending
from hybridize.schedule.device.contractions import BlockPlan, BlockSums, PlacedAxis


class ResultWriter:
    """Writes the epilogue at elements of the result, told by batch, row and column."""

    def __init__(self, f: Function, plan: BlockPlan, sums: BlockSums, ending: Ending, target: Target) -> None:
        self._f, self._ending, self._axes = f, ending, sums.axes
        self._stored = ArithmeticEmitter.of_elements(plan.elements, target).stored
        self.elements: Elements = elements_of_result(f, target, ending.params, plan.sizes, placed=False)

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
        axes: tuple[PlacedAxis, ...] = self._axes[side]
        places = numbers.places(index, [one.size for one in axes])
        return [
            (one.axis, numbers.wide(numbers.plus(numbers.times(place, one.step), one.first)))
            for one, place in zip(axes, places, strict=True)
        ]

    def store(self, totals: Sequence[str]) -> None:
        """The epilogue of an element, the sum of each gate being given as it waits in memory."""
        if self._stored == bool_:
            totals = [self._f.op(f"trunc i8 {total} to {register_type(bool_, 1)}") for total in totals]
        accumulated(self._f, self.elements, self._ending, totals, 1)
