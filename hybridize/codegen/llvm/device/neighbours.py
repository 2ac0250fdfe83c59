# SPDX-License-Identifier: Apache-2.0
"""Write what a thread computes of neighbouring elements: it loads and stores them at once, and computes one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from hybridize.base.dtypes import DType
from hybridize.codegen.llvm.functions.table import from_memory, memory, to_memory
from hybridize.codegen.llvm.nests.elements import Elements
from hybridize.codegen.llvm.nests.positions import Array
from hybridize.codegen.llvm.text import Function, vector
from hybridize.loops.expr import Expr, Load
from hybridize.loops.index import bit
from hybridize.loops.measure import walk
from hybridize.machine.target import Target
from hybridize.runtime.plan import ALIGNMENT
from hybridize.schedule.kernel import FoldLevels


class NeighbourElements(Elements):
    """Writes expressions for a thread that takes several neighbours along an axis.

    Args:
        neighbours: how many.
        aligned: arrays whose first element is at a multiple of 16 bytes. Elements of others are loaded and stored one
            by one.
    """

    def __init__(
        self,
        f: Function,
        target: Target,
        arrays: Mapping[int, Array],
        sizes: Mapping[int, int],
        levels: Mapping[int, FoldLevels] = MappingProxyType({}),
        *,
        neighbours: int = 1,
        aligned: Collection[int] = (),
    ) -> None:
        super().__init__(f, target, arrays, sizes, levels=levels)
        self.neighbours = neighbours
        self._aligned = frozenset(aligned)
        self._along: int | None = None
        self._waiting: dict[tuple[int, int], tuple[Expr, list[str]]] = {}
        """Values of neighbours that wait for each other, by array and index."""

    def each_neighbour(self, roots: Iterable[Expr], axis: int) -> Iterator[None]:
        """Open an axis at each of a thread's neighbours in order, from where it is open on.

        What expressions load side by side is loaded before, and what is stored side by side is stored after them.
        """
        if self.neighbours == 1:
            yield
            return
        assert self._along is None, "neighbours of neighbours"
        first, self._along = self.axes[axis], axis
        with self.scope():  # addresses are those of the first one
            loaded = [(node, self._loaded(node)) for node in walk(*roots) if self._is_loaded_before(node)]
        for number in range(self.neighbours):
            with self.bound(axis, self.f.plus(first, number)):
                for node, values in loaded:
                    self.remember(node, values[number])
                yield
        with self.scope():
            for (buffer, _), (address, values) in self._waiting.items():
                store_neighbours(self.f, values, self.pointer(buffer, address), self.arrays[buffer].dtype)
        self._along = None
        self._waiting.clear()

    def _is_loaded_before(self, node: Expr) -> bool:
        """Tell whether an expression is a load of neighbours; what the same turn stores is in registers."""
        return (
            isinstance(node, Load) and id(node) not in self.pinned and self._is_at_once(node.operand, node.indices[0])
        )

    def _loaded(self, load: Expr) -> list[str]:
        assert isinstance(load, Load)
        pointer = self.pointer(load.operand, load.indices[0])
        return load_neighbours(self.f, pointer, self.arrays[load.operand].dtype, self.neighbours)

    def _is_at_once(self, buffer: int, address: Expr) -> bool:
        """Tell whether elements of neighbours are loaded or stored at once."""
        return self._along is not None and buffer in self._aligned and bool(self.free(address) & bit(self._along))

    def store(self, operand: int, address: Expr, value: Expr) -> str:
        if not self._is_at_once(operand, address):
            return super().store(operand, address, value)
        self.settle(value)
        result = self.value(value)
        self._waiting.setdefault((operand, id(address)), (address, []))[1].append(result)
        return result


def load_neighbours(f: Function, pointer: str, dtype: DType, count: int) -> list[str]:
    """Load so many elements, each as a register."""
    kind = vector(memory(dtype, 1), count)
    several = f.op(f"load {kind}, ptr {pointer}, align {_alignment(dtype, count)}")
    parts = (f.op(f"extractelement {kind} {several}, i64 {number}") for number in range(count))
    return [from_memory(f, part, dtype, 1) for part in parts]


def store_neighbours(f: Function, values: Sequence[str], pointer: str, dtype: DType) -> None:
    """Store registers side by side."""
    several, kind = "poison", vector(memory(dtype, 1), len(values))
    for number, value in enumerate(values):
        part, raw = to_memory(f, value, dtype, 1)
        several = f.op(f"insertelement {kind} {several}, {part} {raw}, i64 {number}")
    f.do(f"store {kind} {several}, ptr {pointer}, align {_alignment(dtype, len(values))}")


def _alignment(dtype: DType, count: int) -> int:
    return min(ALIGNMENT, count * dtype.itemsize)
