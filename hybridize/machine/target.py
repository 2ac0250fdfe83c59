# SPDX-License-Identifier: Apache-2.0
"""A machine as plain data. Two equal targets give byte-equal code.

What code looks like depends on the fields of `Target` alone, never on its name nor on the machine that compiles: so
one machine tests the code of several, and a target is the key under which code is kept.
"""

from __future__ import annotations

from hybridize.base.errors import CodegenError
from hybridize.base.frozen import frozen
from hybridize.base.x86 import SSE2, X86_V3, X86_V4


@frozen
class Target:
    """The facts that code generation needs of a machine."""

    name: str
    """One of `NAMES`."""
    triple: str
    cpu: str
    """LLVM's name of the processor; empty for the generic one."""
    features: str
    """LLVM's feature string, as in `+avx2,+fma`."""
    vector_bytes: int
    """Width of a vector register, in bytes."""
    registers: int
    """Number of vector registers."""
    fma: bool
    """True if a fused multiply-add is one instruction. Where it is not, `llvm.fma` is a call for each element."""
    l1_bytes: int = 32 << 10
    l2_bytes: int = 1 << 20
    pointer_bytes: int = 8
    """Size of a pointer, as in the arrays of inputs and outputs."""
    masked_bytes: int = 0
    """Smallest elements that masked loads and stores have an instruction for; 0: there are none, and each lane of a
    variable mask becomes a branch."""
    halves: bool = True
    """True if float16 and float32 are converted by an instruction."""
    rounds: bool = True
    """True if floor, ceil, trunc and rint of a vector are instructions."""
    scales: bool = False
    """True if x 2^n is one instruction (AVX-512's scalef)."""
    unroll: int = 1
    """Terms that one turn of a register tile's loop sums. More pay where scalar instructions take the same ports as
    vector ones: the loop's own are then shared by several terms. A choice (see `machine.choices`); sums keep their
    order."""
    needs: str = ""
    """The processor's features that code for it takes for granted, as Linux calls them: where one of them is missing,
    the code is not run."""
    by_lane: bool = False
    """True if instructions name one lane of a register (NEON): multiply-adds take it for all lanes, so that elements
    that are broadcast are loaded several at a time; and it is loaded and stored alone, so that vectors of which a known
    number of lanes count need no masks."""
    adds_in_place: bool = False
    """True if a multiply-add of vectors overwrites what it adds to (NEON): a constant there is loaded each time, as it
    would be copied each time if it were in a register."""
    packs_from: int = 4
    """Rows of x from which on a w contiguous along k is read faster packed in panels than in place, as dot products. A
    choice; sums of the rows in between have another order, and round otherwise."""

    def lanes(self, itemsize: int) -> int:
        """Elements of `itemsize` bytes in one vector register."""
        return max(1, self.vector_bytes // itemsize)

    def masks(self, itemsize: int) -> bool:
        """Tell whether a vector of such elements is loaded and stored under a mask by one instruction."""
        return 0 < self.masked_bytes <= itemsize

    @property
    def processor(self) -> str:
        """The family of processors: x86_64, aarch64 or wasm32."""
        return self.triple.partition("-")[0]


_X86 = "x86_64-unknown-linux-gnu"
_WASM = "+simd128,+bulk-memory,+bulk-memory-opt,+nontrapping-fptoint,+sign-ext,+mutable-globals"
_NAMED = {
    # The levels of the x86-64 psABI, the widest first.
    "avx512": Target("avx512", _X86, "x86-64-v4", "", 64, 32, True, masked_bytes=1, scales=True, needs=X86_V4),
    "avx2": Target("avx2", _X86, "x86-64-v3", "", 32, 16, True, masked_bytes=4, needs=X86_V3),
    "baseline": Target("baseline", _X86, "x86-64", "", 16, 16, False, halves=False, rounds=False, needs=SSE2),
    # Tuned for one that runs instructions out of order: LLVM's generic one does not, and its order of loads spills. The
    # features are those of every processor.
    "aarch64": Target(
        "aarch64", "aarch64-unknown-linux-gnu", "cortex-a72", "-crc,-aes,-sha2", 16, 32, True, by_lane=True,
        adds_in_place=True,
    ),  # fmt: skip
    # Sixteen registers, as the engine's compiler has on x86-64.
    "wasm32": Target("wasm32", "wasm32-unknown-unknown", "mvp", _WASM, 16, 16, False, pointer_bytes=4, halves=False),
}
NAMES = tuple(_NAMED)
"""The names that `named_target` knows; of one family of processors, the widest first."""


def named_target(name: str) -> Target:
    """A target by its name: a level of x86-64 (`avx512`, `avx2`, `baseline`), `aarch64` or `wasm32`.

    Raises:
        CodegenError E960: there is no such target.
    """
    if name not in _NAMED:
        raise CodegenError("E960", f"no target is called {name!r}", help=f"use one of {', '.join(NAMES)}")
    return _NAMED[name]
