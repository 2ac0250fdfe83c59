# SPDX-License-Identifier: Apache-2.0
"""The parts of a library, as data."""

from __future__ import annotations

from typing import Final, Literal

from hybridize.base.dims import SizeScope
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.program import Built
from hybridize.machine.target import Target

System = Literal["linux", "macos", "windows"]
"""The operating system that a library is for."""

MARKER_BYTES: Final = 64
"""The bytes that stand before the weights in an object, by which the weights are found."""


@frozen
class LibraryTensor:
    """An array that goes in or out."""

    name: str
    type: TensorType
    """Of the most general variant."""


@frozen(eq=False)
class Version:
    """A variant's program for one processor."""

    built: Built
    arrays: tuple[int, ...]
    """For each constant, which of the model's arrays it is; -1 where it is none."""
    sources: tuple[int, ...]
    """The same for what constants are derived of."""


@frozen(eq=False)
class LibraryVariant:
    """One program, for calls of some sizes."""

    inputs: tuple[TensorType, ...]
    """Arguments; states that are read follow in the program."""
    outputs: tuple[TensorType, ...]
    """Results; new states follow in the program, then, where it asserts, the number of what failed."""
    states: tuple[int, ...]
    new_states: tuple[int, ...]
    asserts: bool
    """True if the program has a last output, int32: 0, or one more than the position of the assertion that failed."""
    scope: SizeScope | None
    versions: tuple[Version, ...]
    """One for each level of the model."""


@frozen(eq=False)
class LibraryModel:
    """A whole library."""

    name: str
    inputs: tuple[LibraryTensor, ...]
    outputs: tuple[LibraryTensor, ...]
    variants: tuple[LibraryVariant, ...]
    """A call is for the first that holds for its sizes."""
    levels: tuple[Target, ...]
    """Processors, the best first."""
    system: System
    offsets: tuple[int, ...]
    """The offset of each array of the weights."""
    nbytes: int
    """Of all weights, or of the file that has them."""
    states: tuple[tuple[int, int], ...]
    """For each state, the array that it begins as, and its size in bytes."""
    random: int
    """The state that is the random generator's (a seed, and how many numbers were drawn); -1: none."""
    slots: int
    """Threads at most."""
    assertions: tuple[str, ...]
    json: str
    version: str
    """Of hybridize."""
    marker: bytes = b""
    """The bytes before the weights, if these are inside; empty if they are in a file."""
    checksum: int = 0
    """Of that file, see `weights_file`."""
    state_tensors: tuple[LibraryTensor, ...] = ()
    """Of each state name and type; none where the host cannot reach them."""

    @property
    def fixed(self) -> bool:
        """True if no size is open."""
        return all(variant.scope is None for variant in self.variants)
