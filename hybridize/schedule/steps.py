# SPDX-License-Identifier: Apache-2.0
"""The schedule as data: steps over addresses, ready for codegen."""

from __future__ import annotations

import textwrap
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, Self

from hybridize.base import dims
from hybridize.base.dims import same, text
from hybridize.base.dtypes import bool_
from hybridize.base.frozen import changed, frozen
from hybridize.base.types import TensorType
from hybridize.graph.ir import Array
from hybridize.loops.expr import Routine
from hybridize.loops.measure import kernel_bytes
from hybridize.runtime.plan import Plan, turns_between_looks
from hybridize.schedule.contraction.blocks import RowBlocks
from hybridize.schedule.contraction.ending import Ending
from hybridize.schedule.contraction.plan import ContractionPlan
from hybridize.schedule.contraction.winograd import WinogradPlan
from hybridize.schedule.device.routine_kernels import RoutineKernel
from hybridize.schedule.in_place import read_first, stored_last
from hybridize.schedule.kernel import Kernel
from hybridize.schedule.parallel import Split, shared_loops, shared_us
from hybridize.schedule.routines import WRITE_OVER, RoutineScratch
from hybridize.schedule.tasks import TaskGroup


@frozen
class Provenance:
    """The origin of a step: its ops and the user's lines, in order."""

    ops: tuple[str, ...]
    lines: tuple[str, ...]

    def __str__(self) -> str:
        at = f"  # {', '.join(self.lines)}" if self.lines else ""
        return f"{', '.join(self.ops)}{at}"


@frozen
class Address:
    """Locates the bytes of a stored value during a call; `runtime.plan.Address` is the same as text."""

    kind: str
    """input (also constants), output or scratch; nowhere, if nothing is read or written."""
    slot: int
    offset: int
    """In bytes; may be a dim."""

    def __str__(self) -> str:
        if self.kind == "nowhere":
            return self.kind
        return f"{self.kind}{'' if self.kind == 'scratch' else self.slot}+{text(self.offset)}"


NOWHERE = Address("nowhere", 0, 0)

"""Choices of one plan: tiles over panels of matrices, over a table of taps, over lanes; fewer products."""


@frozen
class Stable:
    """Part of an input that is the same at most calls, from an element on."""

    input: int
    offset: int
    itemsize: int
    """Bytes of an element."""


@frozen
class Fixed:
    """Part of an operand of a loop that is the same in all turns (*loop-invariant*), from an element on."""

    depth: int
    """The number of loops and branches that the loop is within."""
    input: int
    """The operand's number among those of the region."""
    offset: int
    itemsize: int
    """Bytes of an element."""


@frozen(eq=False)
class Derived:
    """A constant that a program of its own makes of others and of stable inputs, once for each version of these.

    Packed weights are such constants, and so is whatever the program computes of stable values alone. What the body of
    a loop derives of operands that are fixed is made before the loop, by steps of the program around it.
    """

    sources: tuple[Array | Stable | Fixed, ...]
    type: TensorType
    """Of the constant."""
    steps: tuple[ScheduleStep, ...]
    """From the sources, which are the inputs, to the constant, the only output."""
    scratch_bytes: int
    key: str
    """Names what the steps compute: equal keys on one machine mean equal constants of equal sources."""
    ops: tuple[str, ...] = ()
    """Ops of the graph that the steps compute, in order: those that calls do without."""

    def __str__(self) -> str:
        words = {Stable: "input", Fixed: "operand"}
        sources = [
            f"{words[type(one)]}{one.input}" if isinstance(one, Stable | Fixed) else "a constant"
            for one in self.sources
        ]
        steps = [f"{number}. {step}" for number, step in enumerate(self.steps)]
        title = f"{self.type} derived of {', '.join(sources) or 'numbers'}, {self.scratch_bytes} bytes of scratch"
        return "\n".join([title, _indented("\n".join(steps))])


@frozen(eq=False)
class DerivedPart:
    """The elements of a derived constant from one on."""

    of: Derived
    offset: int


KnownSource = Array | Stable | Fixed | DerivedPart
"""A source of derived constants."""


@frozen(eq=False)
class ThreadPoolHandle:
    """The thread pool's handle, passed to machine code as one more constant; `runtime.pool` runs the loops of split
    steps.
    """


Constant = Array | Derived | ThreadPoolHandle | Stable | Fixed
"""A constant of a schedule. In a body of control flow, what is the same in a program around it is one, too."""


@frozen
class RowCut:
    """Blocks of rows, of each member of a batch."""

    batch: int
    """Members of a batch that rows belong to; the rows of a block belong to one."""
    blocks: RowBlocks
    """Of each member."""
    in_turn: bool = False
    """True if members of the batch are done one after the other, matrices being packed for each before its blocks."""

    word = "band"

    def units(self, threads: int) -> int:
        """The blocks that threads share: all of them, or those of a member where members are done in turn."""
        return self.blocks.count if self.in_turn else self.batch * self.blocks.count

    @property
    def extent(self) -> tuple[int, int, int]:
        """The rows of a block, all of them, and the members of the batch."""
        return self.blocks.size, self.blocks.rows, self.batch

    def text(self, own: Sequence[Address]) -> str:
        """Describe it; `own` is the memory of the band's own, of which the parts of steps tell."""
        each = "each in turn" if self.in_turn else "each"
        batch = "" if same(self.batch, 1) else f" of {each} of {text(self.batch)}"
        return f"{self.blocks}{batch} at a time"


@frozen
class RollingLines:
    """Lines of an image between two steps, some of which are kept."""

    line_bytes: int
    count: int
    """Those that are kept."""
    total: int


@frozen
class RollingBlock:
    """The work of each step for a block of a rolling band, and what becomes of the lines that are kept."""

    units: tuple[tuple[int, int, int], ...]
    """Of each step its first unit, where the block is the first of a call; where others went before; the end."""
    firsts: tuple[int, ...]
    """Of each memory the line that is the first one there."""
    moved: tuple[tuple[int, int], ...]
    """Of each memory the lines that the next block sees, too: the first of those that are kept, and how many."""
    zeros: tuple[tuple[int, int], ...]
    """Of each memory the lines beyond the image: the first of those that are kept, and how many."""


@frozen
class RollingCut:
    """Blocks of lines of an image, which windows see together with some lines of the block before."""

    size: int
    """Units of the last step in a block."""
    total: int
    """Units of the last step."""
    lines: tuple[RollingLines, ...]
    """The results of all steps but the last, in the band's own memory."""
    blocks: tuple[RollingBlock, ...]

    word = "rolling"

    def units(self, threads: int) -> int:
        """Parts of the blocks, one for each thread: where a part begins, lines are computed that another one has."""
        return threads

    @property
    def extent(self) -> tuple[int, int, int]:
        """The units of a block, all of them, and the members of the batch."""
        return self.size, self.total, 1

    def text(self, own: Sequence[Address]) -> str:
        """Describe it; `own` is the memory of the lines."""
        pairs = zip(self.lines, own, strict=True)
        lines = ", ".join(f"{one.count} of {one.total} lines at {address}" for one, address in pairs)
        return f"rolling, {self.size} of {self.total} units at a time, {lines}"


@frozen
class Band:
    """Consecutive steps that run block by block: each of them some rows or lines, then each the next ones."""

    number: int
    cut: RowCut | RollingCut
    own: tuple[Address, ...]
    """Memory for one block, of which each thread has a part for itself."""
    split: Split | None = None

    @property
    def units(self) -> int:
        """The blocks, or parts of them, that threads may share."""
        return self.cut.units(1 if self.split is None else self.split.slots)

    @property
    def turns(self) -> int:
        """Turns of the loop over units; 1 where threads do not share it."""
        return 1 if self.split is None else self.units

    def elsewhere(self, at: Moved, bands: int) -> Band:
        """The same band over other memory, its number counted from `bands` on."""
        return changed(self, number=bands + self.number, own=tuple(map(at, self.own)))

    def __str__(self) -> str:
        threads = "" if self.split is None else f", {self.split.text([self.units])}"
        return f"band {self.number}: {self.cut.text(self.own)}{threads}"


@frozen
class BandPart:
    """A step's part in a band: some rows or lines at a time, or matrices packed before."""

    band: Band
    local: tuple[int, ...] = ()
    """For each of its addresses the bytes of a row, where there is memory for one block of rows only, else 0."""
    members: tuple[tuple[int, int], ...] = ()
    """Of a step that packs the matrices of one member of the batch before its blocks: of each axis of the batch,
    slowest first, its size and the bytes from the matrix of one member to the next."""

    @property
    def packs(self) -> bool:
        """True if the step runs before the blocks of each member."""
        return bool(self.members)

    def text(self, addresses: Sequence[Address]) -> str:
        """Describe it; `addresses` are those of the step."""
        pairs = zip(addresses, self.local, strict=False)
        places = ", ".join(f"{address} by {text(row)}" for address, row in pairs if not same(row, 0))
        before = "; packs before each" if self.packs else ""
        return f"{self.band}{f'; one block at {places}' if places else before}"


Moved = Callable[[Address], Address]
"""The address that takes the place of another one."""


@frozen
class BaseStep(ABC):
    """Base of all steps: each is a call of one function of machine code, and answers what is asked of it."""

    provenance: Provenance
    addresses: tuple[Address, ...]
    """Those of values."""
    workspace: Address
    """Scratch of its own; nowhere, if it needs none."""

    @property
    @abstractmethod
    def kind(self) -> str:
        """The word for it in a plan: loops, contraction, winograd, routine or region."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """Sizes of what it computes last, axes that lie together as one."""

    @property
    @abstractmethod
    def moved(self) -> int:
        """Bytes that it reads and writes."""

    @abstractmethod
    def operands(self) -> Iterator[tuple[Address, bool]]:
        """Iterate over the addresses of values, each with True if the step writes there."""

    @property
    def is_empty(self) -> bool:
        """True if there is nothing to call: it computes nothing, though values have their places."""
        return False

    @property
    def asserts(self) -> bool:
        """True if it is an assertion of one bool, at which a program that writes over its inputs ends if it fails."""
        return False

    @property
    def interruptible(self) -> bool:
        """True if it is or has a loop that data ends, at which such a program may end, too."""
        return False

    @property
    def lasting(self) -> bool:
        """True if it is a loop that may take so long that a user may want to interrupt it."""
        return False

    @property
    def programs(self) -> tuple[Schedule, ...]:
        """Those that it is made of: the bodies of control flow."""
        return ()

    def updating(self, output: int, source: int) -> Self | None:
        """The step for an output that lies where an input lies.

        None where that is wrong: an element of the input may be read after that of the output at its position is
        written.
        """
        return None

    def update(self, output: int, source: int) -> tuple[int, int] | None:
        """The numbers of the addresses of an input and an output; None where one is not there whole, and once."""
        numbers: dict[str, list[int]] = {"input": [], "output": []}
        for number, address in enumerate(self.addresses):
            if (address.kind, address.slot) in (("input", source), ("output", output)):
                if not same(address.offset, 0):
                    return None
                numbers[address.kind].append(number)
        if any(len(one) != 1 for one in numbers.values()):
            return None
        (reads,), (writes,) = numbers.values()
        return reads, writes

    @property
    def arguments(self) -> tuple[Address, ...]:
        """The addresses that its function is called with, in order."""
        return self.addresses if self.workspace == NOWHERE else (*self.addresses, self.workspace)

    @property
    def band(self) -> Band | None:
        """The band that it belongs to."""
        return None

    @property
    def in_blocks(self) -> Band | None:
        """The band whose blocks it computes; None where it packs for them, or is in none."""
        return None

    @property
    def together(self) -> Band | int | None:
        """The band, or the number of the loop, that it shares with the steps beside it."""
        return self.band

    def turns(self) -> list[int]:
        """The turns of each of its loops, 1 where threads do not share it."""
        return [1]

    def elsewhere(self, at: Moved, bands: int) -> Self:
        """The same step over other memory, its band's number counted from `bands` on."""
        return changed(self, addresses=tuple(map(at, self.addresses)), workspace=at(self.workspace))


@frozen
class SharedStep(BaseStep):
    """Base of the steps whose loops threads may share, and bands may run a block at a time."""

    split: Split | None
    part: BandPart | None

    @property
    def band(self) -> Band | None:
        return None if self.part is None else self.part.band

    @property
    def in_blocks(self) -> Band | None:
        return None if self.part is None or self.part.packs else self.part.band

    def turns(self) -> list[int]:
        if self.in_blocks is not None:
            return [self.in_blocks.turns]
        return [1] if self.split is None else self.own_turns(self.split)

    @abstractmethod
    def own_turns(self, split: Split) -> list[int]:
        """The turns of each of its loops, which threads share in this way."""

    def elsewhere(self, at: Moved, bands: int) -> Self:
        part = self.part and changed(self.part, band=self.part.band.elsewhere(at, bands))
        return changed(super().elsewhere(at, bands), part=part)

    def text(self, body: str) -> str:
        """Describe it: kind, origin, addresses, threads and band, then all that was decided of how it runs."""
        part = [] if self.part is None else [self.part.text(self.arguments)]
        shared = [] if self.split is None else [self.split.text(self.own_turns(self.split))]
        return _step(self.kind, self, [*shared, *part, body])


@frozen
class LoopStep(SharedStep):
    """Run a kernel; one address per param, but for a table of numbers.

    A part in a band has a kernel of one nest, a row of which can be computed by itself, or one that packs for it.
    """

    kernel: Kernel
    nbytes: int
    """Bytes that are read and written."""
    numbers: tuple[float, ...] = ()
    """The table that the kernel's last param is, where several steps run it with numbers of their own."""

    @property
    def kind(self) -> str:
        return "loops"

    @property
    def shape(self) -> tuple[int, ...]:
        last = next((nest for nest in reversed(self.kernel.nests) if nest.bodies), None)
        return () if last is None else tuple(axis.size for axis in (*last.rows, *last.bodies[-1].axes))

    @property
    def moved(self) -> int:
        return self.nbytes

    def operands(self) -> Iterator[tuple[Address, bool]]:
        params = [param for param in self.kernel.arguments if not param.table]
        yield from zip(self.addresses, (param.written for param in params), strict=True)

    @property
    def is_empty(self) -> bool:
        return not self.kernel.nests

    def updating(self, output: int, source: int) -> Self | None:
        places, params = self.update(output, source), list(self.kernel.params)
        if places is None or max(places) >= len(params) or not read_first(self.kernel, *places):
            return None
        for number in places:
            params[number] = changed(params[number], shared=True)
        kernel, split = changed(self.kernel, params=tuple(params)), self.split
        if split is not None:  # a nest that reads all of the old value ends before one that stores the new one begins
            split = changed(split, loops=shared_loops(kernel))
        return changed(self, kernel=kernel, split=split)

    def own_turns(self, split: Split) -> list[int]:
        return [1 if loop is None else loop.turns for loop in split.loops]

    def __str__(self) -> str:
        table = f"with {', '.join(map(repr, self.numbers))}\n" if self.numbers else ""
        return self.text(f"{table}{self.kernel}")


@frozen
class ContractionStep(SharedStep):
    """Run a contraction with its epilogue; `addresses` are x, w as the plan reads it, and the params of the epilogue
    and of the prologue.
    """

    plan: ContractionPlan
    ending: Ending
    out: TensorType
    nbytes: int
    """Bytes that are read and written."""

    @property
    def kind(self) -> str:
        return "winograd" if isinstance(self.plan, WinogradPlan) else "contraction"

    @property
    def shape(self) -> tuple[int, ...]:
        return self.out.shape

    @property
    def is_empty(self) -> bool:
        return same(self.out.size, 0)

    @property
    def moved(self) -> int:
        return self.nbytes

    def operands(self) -> Iterator[tuple[Address, bool]]:
        params = (*self.ending.params, *self.plan.elements.params)
        yield from zip(self.addresses, (False, False, *(param.written for param in params)), strict=True)

    def updating(self, output: int, source: int) -> Self | None:
        """Only a product can: tiles of other contractions may store an element twice."""
        places = self.update(output, source)
        if places is None or not self.plan.stores_once:
            return None
        reads, writes = (number - 2 for number in places)
        return self if 0 <= reads < len(self.ending.params) and stored_last(self.ending.stores, reads, writes) else None

    def own_turns(self, split: Split) -> list[int]:
        return [self.plan.units]

    def __str__(self) -> str:
        return self.text(f"{self.plan}\n{self.ending}")


@frozen
class OwnStep(BaseStep):
    """Base of the steps that know their results and operands; `addresses` are outputs, then inputs."""

    inputs: tuple[TensorType, ...]
    outputs: tuple[TensorType, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return self.outputs[0].shape if self.outputs else ()

    def operands(self) -> Iterator[tuple[Address, bool]]:
        yield from ((address, number < len(self.outputs)) for number, address in enumerate(self.addresses))


@frozen
class RoutineStep(OwnStep):
    """Run a routine."""

    routine: Routine
    scratch: RoutineScratch
    kernels: tuple[RoutineKernel, ...] = ()
    """On a device, where each unit has scratch of its own."""

    @property
    def kind(self) -> str:
        return "routine"

    @property
    def moved(self) -> int:
        return sum(type_.nbytes for type_ in (*self.inputs, *self.outputs))

    @property
    def leaves_note(self) -> bool:
        """True of an assertion on a device, which writes into the flag block: see `runtime.device_notes`."""
        return bool(self.kernels) and not self.outputs

    @property
    def asserts(self) -> bool:
        if self.outputs or self.routine.name == "print":
            return False
        condition = self.inputs[0]
        return condition.dtype == bool_ and same(condition.size, 1)

    def updating(self, output: int, source: int) -> Self | None:
        """It can where it writes all of the output over all of the input, which is no other operand of it."""
        return self if self.routine.name in WRITE_OVER and self.update(output, source) == (1, 0) else None

    def __str__(self) -> str:
        operands = ", ".join(map(str, self.inputs))
        body = f"{self.routine.name}{self.routine.parameters}: {operands} -> {', '.join(map(str, self.outputs))}"
        scratch = [str(self.scratch)] if self.scratch.offsets else []
        return _step(self.kind, self, ["\n".join([body, *scratch, *map(str, self.kernels)])])


StateKind = Literal["steady", "in place", "by turns", "as found", "as left"]


@frozen
class StateHome:
    """The home of a value of a loop's state.

    steady: where it was given; the body hands it on as it is. in place: in the output, which begins as a copy of what
    was given: the body reads each element before it stores the new one there. by turns: in the output and in the
    workspace, so that the last turn writes the output. as found, as left: each turn's in its slice of a stacked output
    of the scan, which gives the state before the turn, or after it.
    """

    kind: StateKind
    stack: int = -1
    """The stacked output."""
    offset: int = 0
    """By turns: in the workspace."""

    def __str__(self) -> str:
        return self.kind if self.stack < 0 else f"{self.kind} in output {self.stack}"


@frozen
class RegionStep(OwnStep):
    """Control flow.

    The steps of its bodies are called from the region's own loop. Their inputs and outputs are the region's, or slices
    of them, and memory of the workspace; their constants are given beside the inputs.
    """

    control: str
    """cond, while or scan."""
    bodies: tuple[Schedule, ...]
    """then and orelse; condition and body; body."""
    gives: tuple[int, ...]
    """For each output of a branch, or of the body of a loop, the output of the region that it is, or is a slice of."""
    constants: tuple[tuple[Address, ...], ...]
    """For each body, its constants."""
    state: tuple[StateHome, ...]
    """Of the first inputs and outputs: those that are loop-carried."""
    length: int
    """Of a scan."""
    reverse: bool
    stacked: tuple[int, ...]
    """Inputs of a scan that are sliced along their first axis."""
    unread: tuple[int, ...]
    """Outputs that nothing reads, where the loop has no need of them."""
    scratch_offset: int
    """Of the bodies' scratch in the workspace, after state that is kept by turns and the condition of a while loop."""
    loop: int = -1
    """The loop that scans share which follow each other; -1 for a loop of its own."""

    @property
    def kind(self) -> str:
        return "region"

    @property
    def moved(self) -> int:
        return self.length * max((body.work[0] for body in self.bodies), key=dims.hint)

    @property
    def together(self) -> Band | int | None:
        return self.loop if self.loop >= 0 else None

    @property
    def programs(self) -> tuple[Schedule, ...]:
        return self.bodies

    @property
    def interruptible(self) -> bool:
        return self.control == "while" or any(one.interruptible for body in self.bodies for one in body.steps)

    @property
    def lasting(self) -> bool:
        return self.control == "scan" and turns_between_looks(self.length, *self.bodies[0].work) > 0

    def operands(self) -> Iterator[tuple[Address, bool]]:
        yield from super().operands()
        for constants in self.constants:
            yield from ((address, False) for address in constants)

    def elsewhere(self, at: Moved, bands: int) -> Self:
        constants = tuple(tuple(map(at, one)) for one in self.constants)
        return changed(super().elsewhere(at, bands), constants=constants)

    def __str__(self) -> str:
        lines = []
        if self.control == "scan":
            shared = f", in loop {self.loop}" if self.loop >= 0 else ""
            way = ", from the last slice to the first" if self.reverse else ""
            lines.append(f"{text(self.length)} turns{way}{shared}")
        if self.state:
            lines.append(f"state: {', '.join(map(str, self.state))}")
        for number, (body, constants) in enumerate(zip(self.bodies, self.constants, strict=True)):
            places = f", constants at {', '.join(map(str, constants))}" if constants else ""
            lines.append(f"body {number}{places}:\n{_indented(body.text(derived=False))}")
        return _step(self.control, self, lines)


ScheduleStep = LoopStep | ContractionStep | RoutineStep | RegionStep


@frozen(eq=False)
class Schedule:
    """A program, ready for codegen."""

    plan: Plan
    steps: tuple[ScheduleStep, ...]
    constants: tuple[Constant, ...]
    """All constants in slot order: the graph's own (empty where no step reads them), derived ones, those of
    sub-graphs."""
    reads: frozenset[int]
    """Slots that steps read."""
    scratch_bytes: int
    work: tuple[int, int]
    """Bytes read and written, and operations, of all steps."""
    groups: tuple[TaskGroup, ...] = ()
    """Steps that run beside each other, in order."""

    def longest_us(self, threads: int) -> float:
        """Estimate how long a call takes if so many threads share it: the time of its *critical path*.

        Of a program whose sizes are known. With one thread, the time of all steps.
        """
        beside = {number: group for group in self.groups for number in range(group.first, group.last + 1)}
        total = 0.0
        for number, (step, described) in enumerate(zip(self.steps, self.plan.steps, strict=True)):
            group = beside.get(number)
            if threads > 1 and group is not None:
                total += group.us if group.first == number else 0.0
                continue
            loops = step.turns()
            total += sum(shared_us(described.cost_us / len(loops), turns, threads) for turns in loops)
        return total

    def __str__(self) -> str:
        return self.text()

    def text(self, *, derived: bool = True) -> str:
        """Describe it, with what constants are `derived` of."""
        beside = {group.first: f"{group}\n" for group in self.groups}
        steps = [f"{beside.get(number, '')}{number}. {step}" for number, step in enumerate(self.steps)]
        first = len(self.plan.inputs)
        constants = [
            f"input{first + slot}: {one}" for slot, one in enumerate(self.constants) if isinstance(one, Derived)
        ]
        count = "1 step" if len(self.steps) == 1 else f"{len(self.steps)} steps"
        title = f"{count}, {dims.text(self.scratch_bytes)} bytes of scratch"
        most = max(self.plan.threads, default=1)
        if most > 1 and all(isinstance(size, int) for step in self.plan.steps for size in (step.bytes, step.flops)):
            title += f"; about {self.longest_us(1):.0f} us, of which {most} threads leave {self.longest_us(most):.0f}"
        return "\n".join([title, *steps, *constants * derived])


def loop_step(
    provenance: Provenance,
    kernel: Kernel,
    *addresses: Address,
    nbytes: int | None = None,
    split: Split | None = None,
    part: BandPart | None = None,
) -> LoopStep:
    """A step that runs a kernel, which moves as many bytes as its params have, unless told otherwise."""
    return LoopStep(
        provenance=provenance,
        addresses=addresses,
        workspace=NOWHERE,
        split=split,
        part=part,
        kernel=kernel,
        nbytes=kernel_bytes(kernel.elements) if nbytes is None else nbytes,
    )


def _step(word: str, step: BaseStep, lines: Sequence[str]) -> str:
    """A step as text: a word for what it is, its origin and addresses, then these lines."""
    at = f"at {', '.join(map(str, step.arguments))}"
    return f"{word}: {step.provenance}\n{_indented(chr(10).join([at, *lines]))}"


def _indented(block: str) -> str:
    return textwrap.indent(block, "  ")
