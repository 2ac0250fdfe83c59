# SPDX-License-Identifier: Apache-2.0
"""The plan of a compiled program, as plain data: what goes in and out, how much memory, which steps.

It holds only ints, strings and tuples, so it is saved beside the machine code as it is and read without a compiler.
The machine code is one function, `void program(ptr inputs, ptr outputs, ptr scratch)`: `inputs` is an array of
pointers to the graph's inputs followed by the constants, `outputs` one of pointers to fresh buffers; every buffer is
C-contiguous and aligned to its itemsize, `scratch` to 64 bytes; outputs overlap nothing else.
"""

from __future__ import annotations

from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType


@frozen
class Buffer:
    """Type of one input, constant or output."""

    dtype: str
    """Short code, as in `f32`."""
    shape: tuple[int, ...]
    nbytes: int

    @classmethod
    def of(cls, type: TensorType) -> Buffer:
        """Describe `type`."""
        text = str(type)
        return cls(text[: text.index("[")], type.shape, type.nbytes)

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"


@frozen
class Place:
    """Where the bytes of a stored value are during a call."""

    kind: str
    """input (also constants), output or scratch."""
    slot: int
    """Position in the array of pointers; 0 for scratch."""
    offset: int
    """In bytes."""

    def __str__(self) -> str:
        return f"{self.kind}{'' if self.kind == 'scratch' else self.slot}+{self.offset}"


@frozen
class Step:
    """One step of a program: a call of one machine-code function."""

    name: str
    """The function; equal kernels share one."""
    kind: str
    """loops, contraction, routine or region."""
    ops: tuple[str, ...]
    """Ops of the graph that the step computes, in order."""
    lines: tuple[str, ...]
    """The user's lines they come from, as `file.py:12`, each once."""
    reads: tuple[Place, ...]
    writes: tuple[Place, ...]
    shape: tuple[int, ...]
    """Shape of the first output."""
    bytes: int
    """Bytes read and written."""
    flops: int

    def __str__(self) -> str:
        sizes = ",".join(map(str, self.shape))
        return f"{self.name} ({self.kind}) [{sizes}]: {', '.join(self.ops)}  {' '.join(self.lines)}".rstrip()


@frozen
class Pack:
    """A constant that the program reads in another layout than it is given, or a copy of an input in that layout."""

    slot: int
    """Position among the constants."""
    function: str
    """`void (ptr packed, ptr given)`, exported beside the program."""
    nbytes: int
    """Size of the packed copy."""
    layout: str
    """Names the layout and the matrix's own; equal names on one machine mean equal functions."""
    input: int | None = None
    """The input it is made of, instead of the constant given for the slot."""
    offset: int = 0
    """Bytes into that input."""


@frozen
class Plan:
    """A whole program."""

    inputs: tuple[Buffer, ...]
    constants: tuple[Buffer, ...]
    """They follow the inputs in the array of pointers."""
    outputs: tuple[Buffer, ...]
    scratch_bytes: int
    steps: tuple[Step, ...]
    packs: tuple[Pack, ...] = ()

    @property
    def peak_bytes(self) -> int:
        """Scratch and outputs of one call, exactly."""
        return self.scratch_bytes + sum(output.nbytes for output in self.outputs)

    @property
    def flops(self) -> int:
        """Arithmetic operations of one call, estimated."""
        return sum(step.flops for step in self.steps)

    @property
    def bytes(self) -> int:
        """Bytes that the steps read and write in one call, caches aside."""
        return sum(step.bytes for step in self.steps)

    @property
    def cost_us(self) -> float:
        """A coarse estimate of a call's duration on one core, in microseconds."""
        return self.flops / 60_000 + self.bytes / 50_000

    def __str__(self) -> str:
        lines = [f"scratch {self.scratch_bytes} bytes, peak {self.peak_bytes} bytes"]
        return "\n".join(lines + [f"  {step}" for step in self.steps])
