# SPDX-License-Identifier: Apache-2.0
"""A machine as plain data. Two equal targets give byte-equal code.

What code looks like depends on the fields of `Target` alone, never on its name nor on the machine that compiles: so
one machine tests the code of several, and a target is the key under which code is kept.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from hybridize import system
from hybridize.base import platforms
from hybridize.base.errors import CodegenError
from hybridize.base.frozen import changed, frozen
from hybridize.base.x86 import SSE2, X86_V3, X86_V4
from hybridize.machine.device import DeviceTarget


@frozen
class Target:
    """The facts that code generation needs of a machine."""

    name: str
    """One of `NAMES` or `DEVICE_NAMES`."""
    triple: str
    """LLVM's name of the processor, the system whose calling convention code has, and the form of objects."""
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
    device: DeviceTarget | None = None
    """Of a GPU the facts about blocks of threads; the fields above describe one thread. None for a processor."""

    def lanes(self, itemsize: int) -> int:
        """Elements of `itemsize` bytes in one vector register."""
        return max(1, self.vector_bytes // itemsize)

    @property
    def dots_bytes(self) -> bool:
        """True if an instruction adds the products of four signed bytes to each lane (`sdot` of ARMv8.2)."""
        return self.by_lane and "+dotprod" in self.features.split(",")

    def masks(self, itemsize: int) -> bool:
        """Tell whether a vector of such elements is loaded and stored under a mask by one instruction."""
        return 0 < self.masked_bytes <= itemsize

    @property
    def processor(self) -> str:
        """The family of processors: x86_64, aarch64 or wasm32."""
        return family(self.triple)

    @property
    def system(self) -> str:
        """The operating system that code is called on: linux, windows, macos; empty for wasm32."""
        return next((name for name in SYSTEMS if name in self.triple), "")

    @property
    def machine(self) -> str:
        """The kind of machine that an image of its code names: `x86_64` on Linux, `x86_64-windows`, `aarch64-macos`."""
        return platforms.machine_name(self.processor, self.system)

    @property
    def label(self) -> str:
        """The name that files know it by: `avx2` on Linux, `avx2-windows` elsewhere."""
        return platforms.machine_name(self.name, self.system)


def family(triple: str) -> str:
    """Return the family of processors that a triple names."""
    return triple.partition("-")[0].replace("arm64", "aarch64")  # as Apple calls it


SYSTEMS: Final = ("linux", "windows", "macos")
"""The operating systems that machine code is written for."""
_TRIPLES: Final = {
    # Objects are ELF everywhere, as `codegen.link` takes no others: with the calling convention of their system.
    ("x86_64", "windows"): "x86_64-pc-windows-elf",
    ("x86_64", "macos"): "x86_64-apple-macosx12.0.0-elf",
    ("aarch64", "macos"): "arm64-apple-macosx12.0.0-elf",
}
_X86 = "x86_64-unknown-linux-gnu"
_WASM = "+simd128,+bulk-memory,+bulk-memory-opt,+nontrapping-fptoint,+sign-ext,+mutable-globals"
# Tuned for one that runs instructions out of order: LLVM's generic one does not, and its order of loads spills. The
# features are those of every processor.
_ARM = "aarch64-unknown-linux-gnu", "cortex-a72", "-crc,-aes,-sha2"
_NAMED = {
    # The levels of the x86-64 psABI, the widest first.
    "avx512": Target("avx512", _X86, "x86-64-v4", "", 64, 32, True, masked_bytes=1, scales=True, needs=X86_V4),
    "avx2": Target("avx2", _X86, "x86-64-v3", "", 32, 16, True, masked_bytes=4, needs=X86_V3),
    "baseline": Target("baseline", _X86, "x86-64", "", 16, 16, False, halves=False, rounds=False, needs=SSE2),
    "aarch64": Target("aarch64", *_ARM, 16, 32, True, by_lane=True, adds_in_place=True),
    # Sixteen registers, as the engine's compiler has on x86-64.
    "wasm32": Target("wasm32", "wasm32-unknown-unknown", "mvp", _WASM, 16, 16, False, pointer_bytes=4, halves=False),
}
NAMES = tuple(_NAMED)
"""The names of processors that `named_target` knows; of one family of them, the widest first."""


def _gpu(name: str, l2_bytes: int, ptx: tuple[int, int]) -> Target:
    """A thread of a GPU: it has no vectors, and rounds and fuses by instructions."""
    return Target(
        name, "nvptx64-nvidia-cuda", name, "", vector_bytes=1, registers=255, fma=True, l2_bytes=l2_bytes,
        device=DeviceTarget(ptx),
    )  # fmt: skip


_DEVICES = {
    "sm_80": _gpu("sm_80", 40 << 20, (7, 0)),
    "sm_90": _gpu("sm_90", 50 << 20, (7, 8)),
    # What every implementation of WebGPU has, without asking for more.
    "webgpu": Target(
        "webgpu", "wgsl-unknown-unknown", "webgpu", "", vector_bytes=1, registers=64, fma=True, l2_bytes=2 << 20,
        halves=False,
        device=DeviceTarget(
            None, threads=256, shared_bytes=16 << 10, shuffles=False, copies=False, at_once=1, together=4,
            float64=False, tensor_cores=False, exact=False,
        ),
    ),
}  # fmt: skip
DEVICE_NAMES = tuple(_DEVICES)
"""The names of GPUs that `named_target` knows."""


def named_target(name: str) -> Target:
    """A target by its name: a level of x86-64 (`avx512`, `avx2`, `baseline`), `aarch64`, `wasm32`, `sm_80`, `sm_90` or
    `webgpu`.

    A level alone is one of this machine's operating system; `avx2-linux`, `avx2-windows` and `aarch64-macos` say it.

    Raises:
        CodegenError E960: there is no such target.
    """
    if name in _DEVICES:
        return _DEVICES[name]
    level, _, of_system = name.rpartition("-")
    if of_system not in SYSTEMS:
        level, of_system = name, system.NAME
    if level not in _NAMED:
        raise CodegenError(
            "E960", f"no target is called {name!r}", help=f"use one of {', '.join((*NAMES, *DEVICE_NAMES))}"
        )
    return _on_system(level, of_system)


def labelled_target(label: str) -> Target:
    """A target by the name that files know it by, see `Target.label`: one without a system is Linux's.

    Raises:
        CodegenError E960: there is no such target.
    """
    return named_target(label if label.rpartition("-")[2] in SYSTEMS else f"{label}-linux")


@cache
def _on_system(level: str, name: str) -> Target:
    target = _NAMED[level]
    if name == "linux" or not target.system:
        return target
    triple = _TRIPLES.get((target.processor, name))
    if triple is None:
        raise CodegenError(
            "E960",
            f"there is no machine code for {_title((target.processor, name))}",
            help=f"there is for Linux, {', '.join(map(_title, _TRIPLES))}; Windows on aarch64 runs a Python for x64",
        )
    return changed(target, triple=triple)


def _title(key: tuple[str, str]) -> str:
    return platforms.machine_title(platforms.machine_name(*key))
