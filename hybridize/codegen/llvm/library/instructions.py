# SPDX-License-Identifier: Apache-2.0
"""Functions whose machine code is written here, byte by byte, for what LLVM has no word.

No module of a library holds `asm`. llvmlite starts LLVM's assembler only for the processor that it runs on. Without an
assembler `asm` ends the process: on AArch64 no library for x86-64 could be written. The bytes are LLVM's prologue data,
which it places before the code of a function. They return, so that code is never reached.
"""

from __future__ import annotations

from typing import Final

CPUID: Final = bytes.fromhex(
    "4989d0"  # mov r8, rdx: the place of the four words
    "4989d9"  # mov r9, rbx
    "89c8"  # mov eax, ecx: the leaf
    "31c9"  # xor ecx, ecx
    "0fa2"  # cpuid
    "418900"  # mov [r8], eax
    "41895804"  # mov [r8 + 4], ebx
    "41894808"  # mov [r8 + 8], ecx
    "4189500c"  # mov [r8 + 12], edx
    "4c89cb"  # mov rbx, r9
    "c3"  # ret
)
"""What a leaf says of the processor. Called as Windows calls functions: the leaf is in ecx, the place in rdx."""
XGETBV: Final = bytes.fromhex("31c90f01d0c3")  # xor ecx, ecx; xgetbv; ret
"""The registers that the operating system keeps between threads."""
CHKSTK: Final = bytes.fromhex(
    "51"  # push rcx
    "50"  # push rax
    "483d00100000"  # cmp rax, 4096
    "488d4c2418"  # lea rcx, [rsp + 24]
    "7219"  # jb after
    "4881e900100000"  # before: sub rcx, 4096
    "48830900"  # or qword [rcx], 0
    "482d00100000"  # sub rax, 4096
    "483d00100000"  # cmp rax, 4096
    "77e7"  # ja before
    "4829c1"  # after: sub rcx, rax
    "48830900"  # or qword [rcx], 0
    "58"  # pop rax
    "59"  # pop rcx
    "c3"  # ret
)
"""Touch the pages of a frame of so many bytes as rax says, in order; no register changes.

Windows grows a stack page by page, each when the one before it is touched. LLVM calls this function where a frame is
larger than a page. It belongs to the compiler's run-time library, of which there is none here.
"""


def of_bytes(name: str, code: bytes, *, returns: str = "void", parameters: str = "") -> str:
    """Return the definition of a function that is these bytes, called as Windows calls functions."""
    text = "".join(f"\\{byte:02X}" for byte in code)
    kind = f"[{len(code)} x i8]"
    return f'define win64cc {returns} @{name}({parameters}) nounwind prologue {kind} c"{text}" {{\n  unreachable\n}}\n'


def x86_functions() -> dict[str, str]:
    """Return the definitions of what `codegen/runtimes/processor.h` declares, by name."""
    return {
        "x86_cpuid": of_bytes("x86_cpuid", CPUID, parameters="i32 %leaf, ptr %place"),
        "x86_xgetbv": of_bytes("x86_xgetbv", XGETBV, returns="i32"),
    }


def stack_probe() -> str:
    """Return the definition of CHKSTK, under the name that the GNU environment gives it."""
    return of_bytes("___chkstk_ms", CHKSTK).replace("define ", "define internal ")
