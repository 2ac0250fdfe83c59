# SPDX-License-Identifier: Apache-2.0
"""Write prologues: what elements of packed panels go through on their way to the multiplication."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext

from hybridize.base.dtypes import DType, bfloat16, float32
from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.contraction.micro import Light, Loading
from hybridize.codegen.llvm.contraction.terms import LoadVector
from hybridize.codegen.llvm.nests import memory
from hybridize.codegen.llvm.nests.elements import Elements
from hybridize.codegen.llvm.nests.memory import Width
from hybridize.codegen.llvm.nests.positions import Array, Lane
from hybridize.codegen.llvm.text import Function, vector
from hybridize.loops.expr import Load
from hybridize.loops.index import bit
from hybridize.loops.measure import walk
from hybridize.machine.target import Target
from hybridize.schedule.contraction.ending import ACCUMULATED
from hybridize.schedule.contraction.panels import ColumnPanels
from hybridize.schedule.contraction.product import Product
from hybridize.schedule.contraction.prologue import BATCH, COLUMN, TERM, Prologue


@frozen
class PanelLoads:
    """Loads of the vectors of a panel, through a prologue."""

    f: Function
    target: Target
    prologue: Prologue
    arrays: Mapping[int, Array]
    sizes: Mapping[int, int]
    """Of the axes of the prologue."""
    axes: Mapping[int, str]
    """The registers of those that are the same for the whole panel."""
    column: int
    """The axis of columns."""
    term: int | None = None
    """The axis of terms, where it may depend on them."""

    @contextmanager
    def of(self, columns: Sequence[tuple[str, Width]], first: str = "0") -> Iterator[LoadVector]:
        """Give what loads a vector, each being the columns from one on; `first` terms are before those of a call.

        What does not depend on terms is written now.
        """
        value = self.prologue.value
        (stored,) = (node for node in walk(value) if isinstance(node, Load) and node.operand == ACCUMULATED)
        writers: list[Elements] = []
        with ExitStack() as stack:
            for column, width in columns:
                elements = Elements(self.f, self.target, self.arrays, self.sizes)
                for axis, register in self.axes.items():
                    elements.axes[axis], elements.depth[axis] = register, 0
                stack.enter_context(elements.bound(self.column, column, Lane(self.column, width)))
                elements.hoist([value], 0 if self.term is None else bit(self.term))
                writers.append(elements)

            def load(number: int, k: str, pointer: str) -> str:
                elements, lanes = writers[number], columns[number][1].lanes
                term = nullcontext() if self.term is None else elements.bound(self.term, self.f.plus(first, k))
                with term, elements.scope():
                    elements.remember(stored, memory.load(self.f, pointer, stored.dtype, Width(lanes)))
                    return elements.spread(value)

            yield load


def in_turns(stored: DType, lanes: int) -> Light:
    """The way of elements that lie in turns (see `ColumnPanels`), the same for all panels of a type."""
    if stored == bfloat16:
        return Light("", (), _floats_in_turns(lanes), is_in_turns=True)
    power = 8 * (float32.itemsize - stored.itemsize)  # of the highest element of a lane
    return Light("", (), _bytes_in_turns(stored, lanes, power), power, is_in_turns=True)


def _floats_in_turns(lanes: int) -> Loading:
    """Loads of vectors of bfloat16, which are the upper halves of float32, two of one load."""
    integers, floats = vector("i32", lanes), vector("float", lanes)

    @contextmanager
    def loading(f: Function, vectors: int) -> Iterator[LoadVector]:
        both: list[str] = []

        def load(number: int, k: str, pointer: str) -> str:
            if number % 2 == 0:
                both[:] = [f.op(f"load {integers}, ptr {pointer}, align 2")]
                upper = f.op(f"shl {integers} {both[0]}, splat (i32 16)")
            else:
                upper = f.op(f"and {integers} {both[0]}, splat (i32 {-1 << 16})")
            return f.op(f"bitcast {integers} {upper} to {floats}")

        yield load

    return loading


def _bytes_in_turns(stored: DType, lanes: int, power: int) -> Loading:
    """Loads of vectors of bytes times 2 to a power of 24, four at once.

    The last byte of each lane of a load is the highest: alone, it is that integer times 2^24. The others come there by
    a load that begins earlier, but for the first, which a shift brings there: one line of memory fewer to read across.
    """
    integers, floats = vector("i32", lanes), vector("float", lanes)
    into = "sitofp" if stored.kind == "i" else "uitofp"

    @contextmanager
    def loading(f: Function, vectors: int) -> Iterator[LoadVector]:
        converted: list[str] = []

        def load(number: int, k: str, pointer: str) -> str:
            if number % 4 == 0:
                # All that brings bytes in place, then all conversions: in this order the core is never without work.
                whole, third, second = (
                    f.op(f"load {integers}, ptr {f.at(pointer, -before)}, align 1") for before in range(3)
                )
                highest = [f.op(f"shl {integers} {whole}, splat (i32 {power})")]
                alone = f"splat (i32 {-1 << power})"
                highest += [f.op(f"and {integers} {one}, {alone}") for one in (second, third, whole)]
                converted[:] = [f.op(f"{into} {integers} {one} to {floats}") for one in highest]
            return converted[number % 4]

        yield load

    return loading


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
        product, lanes = self.product, self.product.arithmetic(self.target).lanes
        arrays = {n: Array(f"%w{n}", param.dtype) for n, param in enumerate(self.prologue.params)}
        sizes = {BATCH: product.batch, COLUMN: product.n, TERM: product.k}
        across, apart = section.vectors // section.gates, product.n // product.gates

        @contextmanager
        def loading(f: Function, vectors: int) -> Iterator[LoadVector]:
            columns = []
            for number in range(vectors):
                gate, vector = divmod(number, across)
                width = Width.first(min(lanes, section.width - vector * lanes), lanes)
                columns.append((f.plus("%w.column", gate * apart + vector * lanes), width))
            known = {BATCH: "%w.batch"}
            loads = PanelLoads(f, self.target, self.prologue, arrays, sizes, known, column=COLUMN, term=TERM)
            with loads.of(columns, "%w.term") as load:
                yield load

        words = [("i64", "w.batch"), ("i64", "w.column"), ("i64", "w.term")]
        name = f"{f.name}.light{section.vectors}x{section.width}"
        return Light(name, [*words, *self.params], loading)
