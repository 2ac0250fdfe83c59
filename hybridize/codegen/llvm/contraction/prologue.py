# SPDX-License-Identifier: Apache-2.0
"""Write prologues: what elements of packed panels go through on their way to the multiplication."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.contraction.micro import Light, LoadVector
from hybridize.codegen.llvm.nests import memory
from hybridize.codegen.llvm.nests.elements import Elements
from hybridize.codegen.llvm.nests.memory import Width
from hybridize.codegen.llvm.nests.positions import Array, Lane
from hybridize.codegen.llvm.text import Function, plus
from hybridize.loops.expr import Load
from hybridize.loops.index import bit
from hybridize.loops.measure import walk
from hybridize.machine.target import Target
from hybridize.schedule.contraction.ending import ACCUMULATED
from hybridize.schedule.contraction.panels import ColumnPanels
from hybridize.schedule.contraction.product import Product
from hybridize.schedule.contraction.prologue import BATCH, COLUMN, TERM, Prologue


@frozen
class PrologueEmitter:
    """Writes the prologue of a product that has one."""

    product: Product
    target: Target

    @property
    def prologue(self) -> Prologue:
        """The prologue."""
        assert self.product.prologue is not None, "elements of w are read as they are"
        return self.product.prologue

    @property
    def params(self) -> list[tuple[str, str]]:
        """Parameters of the function of the product."""
        return [("ptr", f"w{number}") for number in range(len(self.prologue.params))]

    def light(self, f: Function, section: ColumnPanels) -> Light:
        """It as tiles over a section have it."""
        product, value, target = self.product, self.prologue.value, self.target
        lanes = product.arithmetic(target).lanes
        arrays = {n: Array(f"%w{n}", param.dtype) for n, param in enumerate(self.prologue.params)}
        sizes = {BATCH: product.batch, COLUMN: product.n, TERM: product.k}
        across, apart = section.vectors // section.gates, product.n // product.gates
        (stored,) = (node for node in walk(value) if isinstance(node, Load) and node.operand == ACCUMULATED)

        @contextmanager
        def loading(f: Function, vectors: int) -> Iterator[LoadVector]:
            """Column by column, what does not depend on terms first."""
            writers: list[Elements] = []
            with ExitStack() as stack:
                for number in range(vectors):
                    gate, vector = divmod(number, across)
                    column = plus(f, "%w.column", gate * apart + vector * lanes)
                    width = Width.first(min(lanes, section.width - vector * lanes), lanes)
                    elements = Elements(f, target, arrays, sizes)
                    elements.axes[BATCH], elements.depth[BATCH] = "%w.batch", 0
                    stack.enter_context(elements.bound(COLUMN, column, Lane(COLUMN, width)))
                    elements.hoist([value], bit(TERM))
                    writers.append(elements)

                def load(number: int, k: str, pointer: str) -> str:
                    elements = writers[number]
                    with elements.bound(TERM, plus(f, "%w.term", k)):
                        elements.remember(stored, memory.load(f, pointer, stored.dtype, Width(lanes)))
                        return elements.spread(value)

                yield load

        words = [("i64", "w.batch"), ("i64", "w.column"), ("i64", "w.term")]
        name = f"{f.name}.light{section.vectors}x{section.width}"
        return Light(name, [*words, *self.params], loading)
