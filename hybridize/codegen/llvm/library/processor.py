# SPDX-License-Identifier: Apache-2.0
"""Ask the processor, by its own instructions, for the level of x86-64 that it reaches.

    i64 processor()                 the number of the best level among the model's that runs here

The operating system has a say: registers that it does not keep between threads are not there.
"""

from __future__ import annotations

from typing import Final

from hybridize.codegen.llvm.library.model import LibraryModel
from hybridize.codegen.llvm.library.writer import Writer
from hybridize.codegen.llvm.text import Module

PROCESSOR = "processor"

_1C: Final = sum(1 << bit for bit in (0, 9, 12, 13, 19, 20, 22, 23, 27, 28, 29))
"""CPUID 1, ECX: SSE3, SSSE3, FMA, CMPXCHG16B, SSE4.1, SSE4.2, MOVBE, POPCNT, OSXSAVE, AVX, F16C."""
_7B: Final = sum(1 << bit for bit in (3, 5, 8))
"""CPUID 7, EBX: BMI1, AVX2, BMI2."""
_7B_WIDE: Final = _7B | sum(1 << bit for bit in (16, 17, 28, 30, 31))
"""And AVX-512 F, DQ, CD, BW, VL."""
_EXTENDED: Final = 1 << 5 | 1
"""CPUID 80000001, ECX: LZCNT, LAHF."""
_STATES, _STATES_WIDE = 0x6, 0xE6
"""XCR0: the registers that the operating system keeps."""


def emit_processor(module: Module, model: LibraryModel) -> None:
    """Write the function."""
    w = Writer(module, PROCESSOR, [], returns="i64")
    f = w.f
    names = [target.name for target in model.levels]
    lowest = len(names) - 1
    if not {"avx512", "avx2"} & set(names):
        f.do(f"ret i64 {lowest}")
        return
    enough = w.test("uge", _cpuid(w, 0)[0], 7, "i32")
    extended = w.test("uge", _cpuid(w, -(1 << 31))[0], -(1 << 31) + 1, "i32")
    ask, none = f.fresh("ask"), f.fresh("none")
    f.branch(f.op(f"and i1 {enough}, {extended}"), ask, none, begin=ask)
    first = _all(w, _cpuid(w, 1)[2], _1C)
    system, following = f.fresh("system"), f.fresh("following")
    f.branch(f.op(f"and i1 {first}, {_all(w, _cpuid(w, -(1 << 31) + 1)[2], _EXTENDED)}"), system, none, begin=system)
    pair = f.op('call { i32, i32 } asm sideeffect "xgetbv", "={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}"(i32 0)')
    xcr0 = f.op(f"extractvalue {{ i32, i32 }} {pair}, 0")
    leaf = _cpuid(w, 7)[1]
    f.enter(following)
    for name, features, registers in (("avx512", _7B_WIDE, _STATES_WIDE), ("avx2", _7B, _STATES)):
        if name not in names:
            continue
        yes, no = f.fresh("yes"), f.fresh("no")
        f.branch(f.op(f"and i1 {_all(w, leaf, features)}, {_all(w, xcr0, registers)}"), yes, no, begin=yes)
        f.do(f"ret i64 {names.index(name)}")
        f.begin_block(no)
    f.enter(none)
    f.do(f"ret i64 {lowest}")


def _all(w: Writer, word: str, bits: int) -> str:
    """Tell whether all of the bits are set."""
    signed = bits - (1 << 32) if bits >> 31 else bits
    return w.test("eq", w.f.op(f"and i32 {word}, {signed}"), signed, "i32")


def _cpuid(w: Writer, leaf: int) -> list[str]:
    """EAX, EBX, ECX and EDX of a leaf."""
    constraints = "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}"
    kind = "{ i32, i32, i32, i32 }"
    four = w.f.op(f'call {kind} asm sideeffect "cpuid", "{constraints}"(i32 {leaf}, i32 0)')
    return [w.f.op(f"extractvalue {kind} {four}, {k}") for k in range(4)]
