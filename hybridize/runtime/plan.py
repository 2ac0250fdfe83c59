# SPDX-License-Identifier: Apache-2.0
"""The plan of a compiled program, as plain data: what goes in and out, how much memory, which steps.

It holds only ints, strings and tuples, so it is saved beside the machine code as it is and read without a compiler.
Sizes that each call brings along stand as text (`2*n0`); `Plan.sizes` says what holds of them, `Plan.at` fills them in.
The machine code is one function, `void program(ptr inputs, ptr outputs, ptr scratch)`: `inputs` is an array of
pointers to the graph's inputs followed by the constants (and, where there are size symbols, by an array of their
values, as int64), `outputs` one of pointers to fresh buffers; every buffer is
C-contiguous and aligned to its itemsize, `scratch` to 64 bytes; outputs overlap nothing else, but for those that
`Plan.updates` names: they may also be the very buffer of their input, if nothing else overlaps that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final

from hybridize.base import dims
from hybridize.base.dims import Dim, parse, parse_scope
from hybridize.base.dtypes import BY_CODE, CODES
from hybridize.base.frozen import changed, frozen
from hybridize.base.types import TensorType

FRAME: Final = ("scratch_bytes", "release")
"""The words that are known before a call begins, besides the sizes of its outputs: see `codegen.llvm.prepare`."""
PREPARE: Final = "prepare"
"""The exported function that says so, of a program with size symbols."""
LARGEST: Final = 1 << 60
"""Bytes beyond which no call goes."""
FLOPS_PER_US: Final = 60_000
BYTES_PER_US: Final = 50_000
"""Of one core, roughly: what is estimated to take 100 us takes 25 to 50 here."""
LONG_US: Final = 50.0
"""Above this estimated duration a call lets other Python threads run."""

Size = int | str
"""A size, or the text of one that depends on symbols."""


def plain(size: int) -> Size:
    """A size as a plan keeps it."""
    return dims.text(size) if dims.is_symbolic(size) else size


@frozen
class Buffer:
    """Type of one input, constant or output."""

    dtype: str
    """Short code, as in `f32`."""
    shape: tuple[Size, ...]
    nbytes: Size

    @classmethod
    def of(cls, type: TensorType) -> Buffer:
        """Describe `type`."""
        return cls(CODES[type.dtype], tuple(map(plain, type.shape)), plain(type.nbytes))

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"


@frozen
class PlanAddress:
    """Locates the bytes of a stored value during a call: an array of pointers, a slot of it and an offset."""

    stored_as = "Place"

    kind: str
    """input (also constants), output or scratch."""
    slot: int
    """Position in the array of pointers; 0 for scratch."""
    offset: Size
    """In bytes."""

    def __str__(self) -> str:
        return f"{self.kind}{'' if self.kind == 'scratch' else self.slot}+{self.offset}"


@frozen
class PlanStep:
    """One step of a program: a call of one machine-code function."""

    stored_as = "Step"

    name: str
    """The function; equal kernels share one."""
    kind: str
    """loops, contraction, routine or region."""
    ops: tuple[str, ...]
    """Ops of the graph that the step computes, in order."""
    lines: tuple[str, ...]
    """The user's lines they come from, as `file.py:12`, each once."""
    reads: tuple[PlanAddress, ...]
    writes: tuple[PlanAddress, ...]
    shape: tuple[Size, ...]
    """Sizes of what it computes last, axes that lie together as one."""
    bytes: Size
    """Bytes read and written."""
    flops: Size
    threads: int = 1
    """Threads that may share the step."""

    @property
    def cost_us(self) -> float:
        """A coarse estimate of its duration on one core, in microseconds; of a plan without symbols."""
        return _number(self.flops) / FLOPS_PER_US + _number(self.bytes) / BYTES_PER_US

    def __str__(self) -> str:
        sizes = ",".join(map(str, self.shape))
        return f"{self.name} ({self.kind}) [{sizes}]: {', '.join(self.ops)}  {' '.join(self.lines)}".rstrip()


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
class Plan:
    """A whole program."""

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
    bands: tuple[tuple[int, int, int, Size, Size], ...] = field(default_factory=tuple)
    """Steps that run some rows at a time, one after the other: the first and the last of them; the rows of a block, and
    of each member of a batch; its members."""
    groups: tuple[tuple[tuple[int, ...], ...], ...] = field(default_factory=tuple)
    """Steps that threads run beside each other: for each group its tasks, of each the steps, one after the other. A
    step of several tasks is cut into as many parts."""

    def at(self, sizes: Mapping[str, int]) -> Plan:
        """The plan of a call with these sizes, by the names of the symbols."""
        if not self.sizes:
            return self
        steps = tuple(
            changed(
                step,
                reads=_addresses(step.reads, sizes),
                writes=_addresses(step.writes, sizes),
                shape=_numbers(step.shape, sizes),
                bytes=sized(step.bytes, sizes),
                flops=sized(step.flops, sizes),
            )
            for step in self.steps
        )
        return changed(
            self,
            inputs=_buffers(self.inputs, sizes),
            outputs=_buffers(self.outputs, sizes),
            scratch_bytes=sized(self.scratch_bytes, sizes),
            steps=steps,
            sizes=(),
            bands=tuple(
                (first, last, block, sized(rows, sizes), sized(batch, sizes))
                for first, last, block, rows, batch in self.bands
            ),
        )

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
        if self.sizes:
            return f"sizes {', '.join(self.sizes)}\n{self.as_compiled()}"
        lines = [f"scratch {self.scratch_bytes} bytes, peak {self.peak_bytes} bytes"]
        return "\n".join(lines + [f"  {step}" for step in self.steps])


def sized(x: Size, symbols: Mapping[str, int] | Mapping[str, Dim]) -> int:
    """A size with numbers, or dims, for the names of symbols."""
    return x if isinstance(x, int) else parse(x, symbols)


def _number(x: Size) -> int:
    assert isinstance(x, int), "a plan of unknown sizes is asked for a number: take `as_compiled()` or `at(...)`"
    return x


def _numbers(shape: tuple[Size, ...], sizes: Mapping[str, int]) -> tuple[Size, ...]:
    return tuple(sized(x, sizes) for x in shape)


def _buffers(buffers: tuple[Buffer, ...], sizes: Mapping[str, int]) -> tuple[Buffer, ...]:
    return tuple(Buffer(one.dtype, _numbers(one.shape, sizes), sized(one.nbytes, sizes)) for one in buffers)


def _addresses(addresses: tuple[PlanAddress, ...], sizes: Mapping[str, int]) -> tuple[PlanAddress, ...]:
    return tuple(PlanAddress(address.kind, address.slot, sized(address.offset, sizes)) for address in addresses)
