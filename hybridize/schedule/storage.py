# SPDX-License-Identifier: Apache-2.0
"""The memory of a program's values and steps: buffers of the call, and blocks of scratch, placed when all are known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hybridize.base.dims import same
from hybridize.graph import Value
from hybridize.schedule.bands import Memory
from hybridize.schedule.grouping import Grouping
from hybridize.schedule.memory import InnerBlock, Life, ScratchBlock, assign, rounded
from hybridize.schedule.parallel import Split
from hybridize.schedule.slots import Slots
from hybridize.schedule.steps import Address


class ProgramMemory:
    """The memory of one program."""

    def __init__(self, grouping: Grouping, slots: Slots, last: Mapping[Value, int]) -> None:
        """`last` is the last step that reads each stored value."""
        self.blocks: list[ScratchBlock] = []
        self.memory: dict[Value, Memory] = {}
        """Of values that do not lie within others, inputs and constants left out."""
        self.bordered: list[tuple[int, Value]] = []
        """Values with a halo, and the steps that store them."""
        self._grouping, self._slots, self._last = grouping, slots, last

    def keep(self, value: Value, step: int) -> None:
        """See to it that a value that a step stores has memory: an output's buffer where it is one, else scratch.

        Memory that several values lie in lives from the first of them on.
        """
        root = self._grouping.places.root(value)
        if root in self.memory or same(value.type.size, 0):
            return
        outputs = self._grouping.output_slots.get(root)
        if outputs:
            self.memory[root] = Address("output", outputs[0], 0)
            return
        home = self._grouping.places.own(root)
        block = ScratchBlock(home.elements * root.type.dtype.itemsize, step, max(step, self._last.get(root, step)))
        self.blocks.append(block)
        self.memory[root] = block
        if home.has_halo:
            block.bordered = True
            self.bordered.append((step, root))

    def take_over(self, value: Value, block: ScratchBlock, step: int) -> None:
        """Have a value that a step stores lie in a block whose own value that step reads last."""
        block.last = max(step, self._last.get(value, step))
        self.memory[value] = block

    def dies_at(self, value: Value, step: int) -> bool:
        """Tell whether a step is the last one that reads a value."""
        return self._last.get(value) == step

    def scratch(self, nbytes: int, step: int) -> ScratchBlock:
        """Memory for one step."""
        block = ScratchBlock(nbytes, step, step)
        self.blocks.append(block)
        return block

    def settle(self, blocks: Mapping[ScratchBlock, Life]) -> None:
        """Have blocks, those of the program from now on, live as is settled."""
        for block, life in blocks.items():
            block.nbytes, block.first, block.last = life.nbytes, life.first, life.last
        self.blocks[:] = blocks

    def place(self, inner: Iterable[InnerBlock]) -> int:
        """Give all blocks their offsets, those within others last; returns the bytes needed."""
        nbytes = assign(self.blocks)
        for one in inner:
            one.block.offset = one.around.offset + one.offset
        return nbytes

    def own_scratch(self, nbytes: int, split: Split | None, step: int) -> ScratchBlock:
        """Memory of which each thread of a step has its own."""
        return self.scratch(nbytes if split is None else rounded(nbytes) * split.slots, step)

    def of(self, value: Value) -> Memory:
        """The memory in which a value lies, before it has an address."""
        root = self._grouping.places.root(value)
        return self.memory.get(root) or Address("input", self._slots.of(root), 0)

    def around(self, value: Value) -> Address:
        """The address of the memory in which a value lies, somewhere."""
        if same(value.type.size, 0):
            return Address("scratch", 0, 0)
        memory = self.of(value)
        if isinstance(memory, Address) and memory.kind == "input":
            self._slots.reads.add(memory.slot)
        return address_of(memory)

    def first(self, value: Value) -> Address:
        """The address of the first element of a value that lies in the order of its axes."""
        offset = 0 if same(value.type.size, 0) else self._grouping.places.home(value).offset
        return address_of(self.around(value), offset * value.type.dtype.itemsize)


def address_of(memory: Memory, offset: int = 0) -> Address:
    """The address of memory that has its place."""
    if isinstance(memory, ScratchBlock):
        return Address("scratch", 0, memory.offset + offset)
    return Address(memory.kind, memory.slot, memory.offset + offset)
