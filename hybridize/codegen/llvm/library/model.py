# SPDX-License-Identifier: Apache-2.0
"""What a library is made of, as data."""

from __future__ import annotations

from typing import Final, Literal

from hybridize.base.dims import Scope
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.program import Built
from hybridize.codegen.target import Target

System = Literal["linux", "macos", "windows"]
"""The operating system that a library is for."""

MARKER_BYTES: Final = 64
"""What stands before the weights in an object, by which their place is found."""


@frozen
class Tensor:
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


@frozen(eq=False)
class Variant:
    """One program, for calls of some sizes."""

    inputs: tuple[TensorType, ...]
    """Arguments; states that are read follow in the program."""
    outputs: tuple[TensorType, ...]
    """Results; new states follow in the program, then, where it asserts, the number of what failed."""
    states: tuple[int, ...]
    new_states: tuple[int, ...]
    asserts: bool
    """Whether the program has a last output, int32: 0, or one more than the position of the assertion that failed."""
    scope: Scope | None
    versions: tuple[Version, ...]
    """One for each level of the model."""


@frozen(eq=False)
class Model:
    """A whole library."""

    name: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    variants: tuple[Variant, ...]
    """A call is for the first that holds for its sizes."""
    levels: tuple[Target, ...]
    """Processors, the best first."""
    system: System
    offsets: tuple[int, ...]
    """Where each array of the weights begins."""
    nbytes: int
    """Of all weights, or of the file that has them."""
    states: tuple[tuple[int, int], ...]
    """Which of the arrays a state begins as, and its size in bytes."""
    random: int
    """Which state is the random generator's: a seed, and how many numbers were drawn; -1: none."""
    slots: int
    """Threads at most."""
    assertions: tuple[str, ...]
    json: str
    version: str
    """Of hybridize."""
    marker: bytes = b""
    """Where the weights are inside: what stands before them. Empty: they are in a file."""
    checksum: int = 0
    """Of that file, see `beside`."""
