# SPDX-License-Identifier: Apache-2.0
"""The plan of a compiled program, as plain data: what goes in and out, how much memory, which steps.

It holds only ints, strings and tuples, so it is saved beside the machine code as it is and read without a compiler.
Sizes that each call brings along stand as text (`2*n0`); `Plan.sizes` says what holds of them, `Plan.at` fills them in.
The machine code is one function, `void program(ptr inputs, ptr outputs, ptr scratch)`: `inputs` is an array of
pointers to the graph's inputs followed by the constants (and, where there are size symbols, by an array of their
values, as int64), `outputs` one of pointers to fresh buffers; every buffer is
C-contiguous and aligned to its itemsize, `scratch` to 64 bytes; on a device all of them are aligned to `ALIGNMENT`.
Outputs overlap nothing else, but for those that `Plan.updates` names: they may also be the very buffer of their input,
if nothing else overlaps that.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import Any, ClassVar, Final, TypeVar

from hybridize.base import dims
from hybridize.base.dims import Dim, parse, parse_scope
from hybridize.base.dtypes import BY_CODE, CODES
from hybridize.base.frozen import changed, frozen
from hybridize.base.loading import load_module
from hybridize.base.types import TensorType

FRAME: Final = ("scratch_bytes", "release")
"""The words that are known before a call begins, besides the sizes of its outputs: see `codegen.llvm.prepare`."""
PREPARE: Final = "prepare"
"""The exported function that says so, of a program with size symbols."""
CONDITION_BYTES: Final = 64
"""Of a workspace of control flow, right before the scratch of its bodies: a while loop has its condition there."""
ALIGNMENT: Final = 16
"""Bytes of which the address of each buffer of a call on a device is a multiple."""
LARGEST: Final = 1 << 60
"""Bytes beyond which no call goes."""
NOTE_BYTES: Final = 16
"""Of the number before the operands of a failed assertion; where each of these begins, a multiple of it."""
FLOPS_PER_US: Final = 60_000
BYTES_PER_US: Final = 50_000
"""Of one core, roughly: what is estimated to take 100 us takes 25 to 50 here."""
LONG_US: Final = 50.0
"""Above this estimated duration a call lets other Python threads run."""

T = TypeVar("T")

Size = int | str
"""A size, or the text of one that depends on symbols."""


Quantity = Any
"""A size of a plan, or a dim in its place while code is written: see `filled`."""


def plain(size: int) -> Size:
    """A size as a plan keeps it."""
    return dims.text(size) if dims.is_symbolic(size) else size


@frozen
class Buffer:
    """Type of one input, constant or output."""

    dynamic: ClassVar[tuple[str, ...]] = ("shape", "nbytes")

    dtype: str
    """Short code, as in `f32`."""
    shape: tuple[Size, ...]
    nbytes: Quantity

    @classmethod
    def of(cls, type: TensorType) -> Buffer:
        """Describe `type`."""
        return cls(CODES[type.dtype], tuple(map(plain, type.shape)), plain(type.nbytes))

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"

    @property
    def slice_bytes(self) -> Any:
        """Bytes of a slice along the first axis; of a plan without symbols, or of dims in their place."""
        return math.prod(self.shape[1:], start=BY_CODE[self.dtype].itemsize)


@frozen
class PlanAddress:
    """Locates the bytes of a stored value during a call: an array of pointers, a slot of it and an offset."""

    stored_as = "Place"
    dynamic: ClassVar[tuple[str, ...]] = ("offset",)

    kind: str
    """input (also constants), output or scratch; nowhere, if nothing is read or written."""
    slot: int
    """Position in the array of pointers; 0 for scratch."""
    offset: Quantity
    """In bytes."""

    def __str__(self) -> str:
        if self.kind == "nowhere":
            return self.kind
        return f"{self.kind}{'' if self.kind == 'scratch' else self.slot}+{self.offset}"


FLAG: Final = "flag"
"""The kind of the address of a call's flag block (`runtime.device_notes`), which bodies of control flow share."""


@frozen
class PlanTable:
    """Numbers that a function is given the address of, in the place of memory."""

    dtype: str
    numbers: tuple[float, ...]

    def __str__(self) -> str:
        return f"{self.dtype}({','.join(map(repr, self.numbers))})"


PlanArgument = PlanAddress | PlanTable


@frozen
class PlanLaunch:
    """One call of a function of machine code, with the arguments of its step.

    It takes the addresses, then, where it runs a range of turns, the first of these and the one after the last, then
    sizes. Turns may run in any order, and several ranges at the same time.
    """

    dynamic: ClassVar[tuple[str, ...]] = ("turns", "sizes")

    function: str
    """Equal kernels share one."""
    turns: Quantity = None
    """Those that there are; None for a function that does all its work at once."""
    sizes: tuple[Quantity, ...] = ()


@frozen
class KernelLaunch(PlanLaunch):
    """One launch of a kernel of a device: it takes the addresses of its step, then sizes, each of 64 bits, and before
    them numbers of its own, in which it differs from other launches of the kernel.
    """

    dynamic: ClassVar[tuple[str, ...]] = (*PlanLaunch.dynamic, "blocks")

    blocks: Quantity = 1
    """They are numbered along one axis; where there are none, nothing is launched."""
    threads: int = 1
    """Of a block."""
    shared_bytes: int = 0
    """Memory of a block besides what the kernel declares."""


@frozen
class PlanNote:
    """A message of a program of a device, to be raised or printed: see `runtime.device_notes`."""

    kind: str
    """As `runtime.effects.perform` takes it, and so are the message and the recipe."""
    message: str
    recipe: str
    operands: tuple[Buffer, ...]
    """Those of the message."""


@frozen
class PlanReport(PlanLaunch):
    """A print of a program of a device: the host does it, with the operands of its step."""

    note: PlanNote = PlanNote("print", "", "", ())


@frozen
class PlanShare:
    """The work of a loop whose turns several threads may share."""

    dynamic: ClassVar[tuple[str, ...]] = ("own", "bytes", "flops")

    own: tuple[Quantity, ...]
    """Bytes between the parts of each of the last arguments: whoever runs a range of turns needs one for itself."""
    bytes: Quantity
    """Bytes read and written."""
    flops: Quantity
    wakes: bool
    """True in a loop whose turns are worth waking workers together."""
    threads: int
    """Those that may share, at most."""


@frozen
class PlanState:
    """The home of a value of a loop's state, as in `schedule.steps.StateHome`."""

    dynamic: ClassVar[tuple[str, ...]] = ("offset",)

    kind: str
    """steady: where it was given, the body hands it on as it is. in place: in the output, which begins as a copy of
    what was given. by turns: in the output and in the workspace, so that the last turn writes the output. as found, as
    left: each turn's in its slice of a stacked output, which gives the state before the turn, or after it."""
    stack: int = -1
    """The stacked output."""
    offset: Quantity = 0
    """By turns: in the workspace."""

    def __str__(self) -> str:
        return f"{self.kind} {self.stack} {self.offset}"


@frozen
class PlanRegion:
    """Control flow: its arguments are outputs, inputs, the constants of each body, and a workspace.

    A branch takes the body 0 where its first input is true, else 1; they are given the inputs after that. A while loop
    has a condition, which writes one bool `CONDITION_BYTES` before the scratch, and a body; a scan has a body.
    """

    dynamic: ClassVar[tuple[str, ...]] = ("length", "scratch_offset")

    control: str
    """cond, while or scan."""
    outputs: tuple[Buffer, ...]
    inputs: tuple[Buffer, ...]
    bodies: tuple[Plan, ...]
    gives: tuple[int, ...]
    """For each output of a branch, or of the body of a loop, the output of the region that it is, or is a slice of."""
    state: tuple[PlanState, ...]
    """Of the first inputs and outputs: those that are loop-carried."""
    length: Quantity
    """Turns of a scan."""
    reverse: bool
    stacked: tuple[int, ...]
    """Inputs of a scan that are sliced along their first axis."""
    unread: tuple[int, ...]
    """Outputs that need not be stored where the state is elsewhere: nothing reads them, or they are where it is."""
    scratch_offset: Quantity
    """Of the bodies' scratch in the workspace."""
    acts: bool
    """True if its steps may leave an exception behind."""


@frozen
class PlanStep:
    """One step of a program: calls of functions of machine code, one after the other, with the same arguments."""

    stored_as = "Step"
    dynamic: ClassVar[tuple[str, ...]] = ("shape", "bytes", "flops")

    kind: str
    """loops, contraction, winograd, routine or region."""
    ops: tuple[str, ...]
    """Ops of the graph that the step computes, in order."""
    lines: tuple[str, ...]
    """The user's lines they come from, as `file.py:12`, each once."""
    arguments: tuple[PlanArgument, ...]
    """In the order in which its functions take them."""
    access: str
    """Of each argument one letter: r where it is read, w where it is written, s for scratch of the step's own."""
    shape: tuple[Size, ...]
    """Sizes of what it computes last, axes that lie together as one."""
    bytes: Size
    """Bytes read and written."""
    flops: Size
    launches: tuple[PlanLaunch, ...] = ()
    """None of control flow, nor of what has no elements. On a device all of them are `KernelLaunch`, or one
    `PlanReport`."""
    share: PlanShare | None = None
    """Of launches that have turns, where threads may share these."""
    region: PlanRegion | None = None
    """Of control flow."""

    @property
    def reads(self) -> tuple[PlanAddress, ...]:
        """The addresses that it reads."""
        return self._accessed("r")

    @property
    def writes(self) -> tuple[PlanAddress, ...]:
        """The addresses that it writes."""
        return self._accessed("w")

    def _accessed(self, letter: str) -> tuple[PlanAddress, ...]:
        pairs = zip(self.arguments, self.access, strict=True)
        return tuple(
            one for one, way in pairs if way == letter and isinstance(one, PlanAddress) and one.kind != "nowhere"
        )

    @property
    def name(self) -> str:
        """The function; the first of several."""
        return self.launches[0].function if self.launches else ""

    @property
    def cost_us(self) -> float:
        """A coarse estimate of its duration on one core, in microseconds; of a plan without symbols."""
        return _number(self.flops) / FLOPS_PER_US + _number(self.bytes) / BYTES_PER_US

    def __str__(self) -> str:
        sizes = ",".join(map(str, self.shape))
        return f"{self.name} ({self.kind}) [{sizes}]: {', '.join(self.ops)}  {' '.join(self.lines)}".rstrip()


@frozen
class PlanStop:
    """The end of a program that writes over its inputs, where it has failed: nothing is written then."""

    condition: PlanAddress | None
    """A bool that is false then; without one, it has failed where an exception was left behind."""


@frozen
class PlanTasks:
    """Steps that may run beside each other: tasks of steps, one after the other, each with its part of the turns.

    Of a step of which it has the part `index` of `count`, a task runs the turns from `turns * index // count` on, with
    the part of that index of the memory that each thread has for itself.
    """

    first: int
    last: int
    tasks: tuple[tuple[tuple[int, int, int], ...], ...]
    """Of each step its number, index and count."""
    share: PlanShare


@frozen
class PlanRows:
    """A step in a band: its function runs rows, all of the batch counted as one."""

    dynamic: ClassVar[tuple[str, ...]] = ("blocks",)

    step: int
    blocks: tuple[Quantity, ...]
    """Of each argument the bytes of a row, where there is memory for one block only: the address, less that for each
    row before the block, is what the function takes; else 0."""


@frozen
class PlanPacking:
    """A step that packs, before the blocks of each member of a batch, what they read of it."""

    dynamic: ClassVar[tuple[str, ...]] = ("members", "bytes")

    step: int
    """Its first argument is the memory for one member, the second what it packs, of the first member."""
    members: tuple[tuple[Quantity, Quantity], ...]
    """Of each axis of the batch, slowest first, its size and the bytes from one member to the next."""
    bytes: Quantity
    """Of what is packed: the address, less that for each member before, is what the functions of rows take."""


@frozen
class PlanBand:
    """Steps that run block by block: each of them some rows, then each the next ones; the rows of a block belong to one
    member of a batch.
    """

    dynamic: ClassVar[tuple[str, ...]] = ("rows", "count", "batch")

    steps: tuple[PlanRows, ...]
    block: int
    """Rows of each block but the last one of a member."""
    rows: Quantity
    """Of a member."""
    count: Quantity
    """Blocks of a member."""
    batch: Quantity
    """Members."""
    own: tuple[PlanAddress, ...]
    """Memory of which each thread has a part for itself."""
    share: PlanShare | None
    packing: tuple[PlanPacking, ...] = ()
    """Steps that pack for each member, where these are done one after the other."""
    in_turn: bool = False
    """True if they are."""


@frozen
class PlanLines:
    """Memory between two steps of a rolling band, of which it keeps some lines of an image; zeros at first."""

    address: PlanAddress
    line_bytes: int
    lines: int


@frozen
class PlanRolling:
    """Contractions over an image that run some lines at a time, one after the other.

    Threads share the `parts` into which blocks are cut: the blocks from `blocks * part // parts` on.
    """

    first: int
    last: int
    size: int
    """Units of the last step in a block."""
    units: int
    """Of the last step."""
    parts: int
    memories: tuple[PlanLines, ...]
    """The results of all steps but the last, of which each part has its own."""
    blocks: tuple[tuple[int, ...], ...]
    """Of each block, for each step its first unit where no block of the part came before, where one did, and the end;
    then for each memory: the line that is the first one there, which the address, less the lines before, is for the
    function; of those kept, the first that the next block sees, and how many, which move to the beginning; the first
    beyond the image, and how many, which are zeros."""
    share: PlanShare | None


@frozen
class PlanScans:
    """Scans of one length that do not need each other, turn by turn."""

    first: int
    last: int


PlanNode = int | PlanStop | PlanTasks | PlanBand | PlanRolling | PlanScans
"""A step, by its number, or several."""


@frozen
class PlanSource:
    """Locates the start of something that a constant is derived of."""

    kind: str
    """`input`: one that is the same at most calls; or `constant`, of those given beside the program's own."""
    number: int
    offset: int
    """In bytes."""


@frozen
class Derivation:
    """A constant that a function beside the program makes, once for each version of what it is made of."""

    slot: int
    """Position among the constants."""
    function: str
    """`void (ptr sources, ptr made, ptr scratch)`, exported: of the form of the program itself, with one output."""
    nbytes: int
    """Size of the constant."""
    layout: str
    """Names what is made: equal names mean equal constants of equal sources."""
    sources: tuple[PlanSource, ...]
    scratch_bytes: int
    """Memory that the function needs."""
    ops: tuple[str, ...]
    """Ops of the graph that it computes in place of each call, in order; none where it only packs."""

    @property
    def inputs(self) -> tuple[int, ...]:
        """Numbers of the inputs that it is made of, each once; none where it is made of constants alone."""
        return tuple(dict.fromkeys(source.number for source in self.sources if source.kind == "input"))


@frozen
class PlanMaker:
    """The steps of a function that makes a derived constant: its inputs are the sources, its output the constant."""

    function: str
    steps: tuple[PlanStep, ...]
    order: tuple[PlanNode, ...]


def aligned_note(nbytes: Quantity) -> Any:
    """Return the bytes that an operand of a note takes."""
    return (nbytes + NOTE_BYTES - 1) // NOTE_BYTES * NOTE_BYTES


@frozen
class Plan:
    """A whole program, or a body of control flow."""

    dynamic: ClassVar[tuple[str, ...]] = ("scratch_bytes",)

    inputs: tuple[Buffer, ...]
    constants: tuple[Buffer, ...]
    """They follow the inputs in the array of pointers."""
    outputs: tuple[Buffer, ...]
    scratch_bytes: Size
    steps: tuple[PlanStep, ...]
    derivations: tuple[Derivation, ...] = ()
    sizes: tuple[str, ...] = ()
    """The size symbols in the order of their values, then conditions, as `SizeScope.lines` gives them."""
    teams: tuple[int, ...] = ()
    """Positions among the constants of pointers to a team of threads, see `runtime.pool`."""
    updates: tuple[tuple[int, int], ...] = ()
    """Outputs that may take the place of an input, and which: the input is of no further use then."""
    layouts: tuple[tuple[str, int], ...] = field(default_factory=tuple)
    """Ways in which stored values lie other than in the order of their axes, and how many lie so."""
    order: tuple[PlanNode, ...] = field(default_factory=tuple)
    """The steps in the order in which they run, those of bands, tasks and shared loops together."""
    makers: tuple[PlanMaker, ...] = field(default_factory=tuple)
    """The functions of the derivations."""
    notes: tuple[PlanNote, ...] = field(default_factory=tuple)
    """The assertions of a device."""

    @property
    def flag_bytes(self) -> int:
        """Memory for the note of a failed assertion, zeros before a call; of a plan without symbols."""
        each = [sum(aligned_note(_number(one.nbytes)) for one in note.operands) for note in self.notes]
        return NOTE_BYTES + max(each) if each else 0

    @property
    def bands(self) -> tuple[tuple[int, int, int, Size, Size], ...]:
        """Steps that run some rows at a time, one after the other: the first and the last of them; the rows of a block,
        and of each member of a batch; its members.
        """
        bands: list[tuple[int, int, int, Size, Size]] = []
        for node in self.order:
            if isinstance(node, PlanBand):
                bands.append((node.steps[0].step, node.steps[-1].step, node.block, node.rows, node.batch))
            elif isinstance(node, PlanRolling):
                bands.append((node.first, node.last, node.size, node.units, 1))
        return tuple(bands)

    @property
    def threads(self) -> tuple[int, ...]:
        """Of each step the threads that may share it: by itself, in its band, or beside others."""
        counts = [1 if step.share is None else step.share.threads for step in self.steps]
        for node in self.order:
            if isinstance(node, PlanBand):
                numbers: Iterable[int] = (one.step for one in node.steps)
            elif isinstance(node, PlanTasks | PlanRolling):
                numbers = steps_of(node)
            else:
                continue
            for number in numbers:
                counts[number] = 1 if node.share is None else node.share.threads
        return tuple(counts)

    @property
    def groups(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """Steps that threads run beside each other: for each group its tasks, of each the steps, one after the other. A
        step of several tasks is cut into as many parts.
        """
        return tuple(
            tuple(tuple(step for step, _, _ in task) for task in node.tasks)
            for node in self.order
            if isinstance(node, PlanTasks)
        )

    @property
    def team(self) -> PlanAddress | None:
        """The address of the team of threads, where some share steps."""
        return PlanAddress("input", len(self.inputs) + self.teams[0], 0) if self.teams else None

    def at(self, sizes: Mapping[str, int]) -> Plan:
        """The plan of a call with these sizes, by the names of the symbols."""
        return filled(changed(self, sizes=()), sizes) if self.sizes else self

    def as_compiled(self) -> Plan:
        """The plan of a call like the one that was compiled."""
        return self.at({symbol.name: symbol.hint for symbol in parse_scope(self.sizes)[0].symbols})

    def types(self, buffers: tuple[Buffer, ...], symbols: Mapping[str, Dim] | None = None) -> list[TensorType]:
        """Types of inputs or outputs, with these dims for the names of symbols, or those of a new scope."""
        known = parse_scope(self.sizes)[1] if symbols is None else symbols
        return [TensorType(tuple(sized(x, known) for x in buffer.shape), BY_CODE[buffer.dtype]) for buffer in buffers]

    @property
    def peak_bytes(self) -> int:
        """Scratch and outputs of one call, exactly, but for those that take an input's address.

        Of a plan without symbols.
        """
        in_place = {output for output, _ in self.updates}
        outputs = (one for number, one in enumerate(self.outputs) if number not in in_place)
        return _number(self.scratch_bytes) + sum(_number(output.nbytes) for output in outputs)

    @property
    def flops(self) -> int:
        """Arithmetic operations of one call, estimated; of a plan without symbols."""
        return sum(_number(step.flops) for step in self.steps)

    @property
    def bytes(self) -> int:
        """Bytes that the steps read and write in one call, caches aside; of a plan without symbols."""
        return sum(_number(step.bytes) for step in self.steps)

    @property
    def cost_us(self) -> float:
        """A coarse estimate of a call's duration on one core, in microseconds."""
        return self.flops / FLOPS_PER_US + self.bytes / BYTES_PER_US

    def __str__(self) -> str:
        text: str = load_module("hybridize.runtime.dump").text(self)  # late: few ask for it
        return text


def each_step(plan: Plan, change: Callable[[PlanStep], PlanStep]) -> Plan:
    """The plan with each of its steps changed, those of bodies and of makers, too."""

    def within(step: PlanStep) -> PlanStep:
        if step.region is not None:
            bodies = tuple(each_step(body, change) for body in step.region.bodies)
            step = changed(step, region=changed(step.region, bodies=bodies))
        return change(step)

    makers = tuple(changed(maker, steps=tuple(map(within, maker.steps))) for maker in plan.makers)
    return changed(plan, steps=tuple(map(within, plan.steps)), makers=makers)


def sized(x: Size, symbols: Mapping[str, int] | Mapping[str, Dim]) -> int:
    """A size with numbers, or dims, for the names of symbols."""
    return x if isinstance(x, int) else parse(x, symbols)


def _number(x: Size) -> int:
    assert isinstance(x, int), "a plan of unknown sizes is asked for a number: take `as_compiled()` or `at(...)`"
    return x


SHORT_US: Final = 20_000
"""A loop that takes no longer, by the estimate, is over before anybody could interrupt it."""
BETWEEN_LOOKS_US: Final = 500
"""The time between two looks of a longer one, whose estimate may be wrong by some hundred times."""
MOST_BETWEEN_LOOKS: Final = 256
"""The turns between two looks: so many of the shortest take as long as a hundred looks."""
MANY_TURNS: Final = 1 << 24
"""The turns that a loop is taken for whose number only calls know."""


def turns_between_looks(length: dims.Size, nbytes: dims.Size, flops: dims.Size) -> int:
    """Return after how many turns a loop of `length` turns looks whether it was interrupted; 0 if it is short.

    A power of two. A turn moves so many bytes and computes so much, about.
    """
    turn_us = max(dims.hint(flops) / FLOPS_PER_US + dims.hint(nbytes) / BYTES_PER_US, 1e-3)
    if turn_us * (MANY_TURNS if dims.is_symbolic(length) else length) <= SHORT_US:
        return 0
    return 1 << int(min(max(BETWEEN_LOOKS_US / turn_us, 1), MOST_BETWEEN_LOOKS)).bit_length() - 1


def filled(part: T, sizes: Mapping[str, int] | Mapping[str, Dim]) -> T:
    """A plan, or a part of one, with numbers or dims for the names of symbols."""
    whole: T = _filled(part, sizes)
    return whole


def _filled(value: Any, sizes: Mapping[str, int] | Mapping[str, Dim]) -> Any:
    kind = type(value)
    if kind is tuple:
        return tuple([_filled(one, sizes) for one in value])
    names = _FIELDS.get(kind)
    if names is None:
        return value
    dynamic, fields = getattr(kind, "dynamic", ()), value.__dict__
    return changed(value, **{one: (_sized if one in dynamic else _filled)(fields[one], sizes) for one in names})


def _sized(value: Any, sizes: Mapping[str, int] | Mapping[str, Dim]) -> Any:
    """A size, None, or sizes in tuples."""
    if type(value) is tuple:
        return tuple([_sized(one, sizes) for one in value])
    return sized(value, sizes) if type(value) is str else value


def steps_of(node: PlanNode) -> range:
    """The numbers of the steps that run in a part of the order."""
    match node:
        case int():
            return range(node, node + 1)
        case PlanStop():
            return range(0)
        case PlanBand(steps=steps, packing=packing):
            numbers = [*(one.step for one in packing), *(one.step for one in steps)]
            return range(min(numbers), max(numbers) + 1)
    return range(node.first, node.last + 1)


PLAN_CLASSES: Final[tuple[type, ...]] = tuple(
    kind for kind in [*globals().values()] if isinstance(kind, type) and dataclasses.is_dataclass(kind)
)
"""The classes that a plan is made of."""
_FIELDS: Final[Mapping[type, tuple[str, ...]]] = {
    kind: tuple(field.name for field in dataclasses.fields(kind)) for kind in PLAN_CLASSES
}
