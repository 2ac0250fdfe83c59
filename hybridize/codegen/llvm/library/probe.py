# SPDX-License-Identifier: Apache-2.0
"""Windows grows a stack page by page, each when the one before it is touched: large frames are touched in order.

LLVM calls a function for that where a frame is larger than a page. It belongs to the compiler's run-time library, of
which there is none here, so the object has its own. It takes the size in `rax` and changes no register.
"""

from __future__ import annotations

from typing import Final

NAME: Final = "___chkstk_ms"
"""As the GNU environment calls it."""

_LINES: Final = (
    ".text",
    ".p2align 4",
    f".def {NAME}; .scl 3; .type 32; .endef",
    f"{NAME}:",
    "pushq %rcx",
    "pushq %rax",
    "cmpq $0x1000, %rax",
    "leaq 24(%rsp), %rcx",
    "jb 2f",
    "1:",
    "subq $0x1000, %rcx",
    "orq $0, (%rcx)",
    "subq $0x1000, %rax",
    "cmpq $0x1000, %rax",
    "ja 1b",
    "2:",
    "subq %rax, %rcx",
    "orq $0, (%rcx)",
    "popq %rax",
    "popq %rcx",
    "retq",
)


def stack_probe() -> str:
    """Module-level assembly, for the head of a module for Windows on x86-64."""
    return "".join(f'module asm "{line}"\n' for line in _LINES)
