# SPDX-License-Identifier: Apache-2.0
"""The stack that a call of a library takes at most, read in the assembly of its functions.

The frame of a function is what its instructions take of the stack, all of them added, and its return address. What a
function names it may call, now or by way of a loop that runs a body it is given; so the bound is the deepest way
through the names from `NAME_run` on. A way that leads back to itself, a frame whose size is only known while the
program runs and a call by a pointer that we do not know have no bound.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.library.call import CALL

C_LIBRARY_BYTES: Final = 2048
"""Of the functions of the C library that programs call. Bytes; glibc 2.36 on Zen 4: the functions of <math.h> over
special and large arguments took at most 296 (`lgamma`), each on a painted stack."""
_RED_ZONE: Final = 128
"""Bytes below the stack pointer that a function which calls none may use: the ABI of x86-64, more than AArch64's."""
_NEVER: Final = {"malloc", "free", "sched_yield"}
"""Functions of the C library that calls name and do not come to while the block of the model is theirs."""
_BY_BODY: Final = {"in_parallel", "shared", "task"}
"""Functions that call what their callers hand them."""

_START = re.compile(r"^\t\.type\t(\S+),[@%]function$")
_WORD = re.compile(r"[\w.$]+")
_INSTRUCTION = re.compile(r"^\t([a-z][\w.]*)\s*(.*)$")
_CALL = re.compile(r"(?:callq|j\w+|bl?)")
_CALLEE = re.compile(r"\*?(?:\.L)?(?!BB\d)([A-Za-z_][\w.$]*)")
_X86_RESTORED = re.compile(r"-?\d*\(%rbp\), %rsp|%rbp, %rsp|\$\d+, %rsp")
_ARM_RESTORED = re.compile(r"sp, (?:x29|sp, #\d+|x29, #\d+)(?:, lsl #12)?")


class _UnboundedError(Exception):
    """There is no bound that can be read."""


@frozen(eq=False)
class _Code:
    """A function as it is in assembly."""

    name: str
    frame: int
    words: frozenset[str]
    callees: frozenset[str]
    """Names in its calls and jumps."""
    indirect: bool


def stack_bytes(assembly: str, name: str) -> int | None:
    """Return the bytes of stack that a call of the model `name` takes at most, where no other threads help.

    None: there is no bound, or none that can be read.

    Args:
        assembly: of the whole library, as LLVM writes it for x86-64 or AArch64.
        name: of the model.
    """
    run = f"{name}_run"
    try:
        functions = {code.name: code for code in _functions(assembly)}
        edges = {one.name: _named(one, functions) for one in functions.values()}
        edges[run] |= {other for other in functions if _base(other) == CALL}
        by_body = sum(one.frame for one in functions.values() if _base(one.name) in _BY_BODY)
        depths: dict[str, int] = {}
        depth = _deepest(run, functions, edges, by_body, depths, ()) + _RED_ZONE
    except _UnboundedError:
        return None
    callees = {callee for one in depths for callee in functions[one].callees}
    if callees - functions.keys() - _NEVER:
        depth += C_LIBRARY_BYTES
    return -(-depth // 64) * 64


def _base(name: str) -> str:
    """The name of a function without its variant and level."""
    return re.sub(r"\.v\d+\.l\d+$", "", name)


def _named(code: _Code, functions: dict[str, _Code]) -> set[str]:
    """Names of functions in the text of one."""
    words = {word.removeprefix(".L") for word in code.words} | code.words
    return {word for word in words if word in functions}


def _deepest(
    name: str,
    functions: dict[str, _Code],
    edges: dict[str, set[str]],
    by_body: int,
    depths: dict[str, int],
    path: tuple[str, ...],
) -> int:
    by_pointer = functions[name].indirect and path and _base(name) not in _BY_BODY
    if name in path or by_pointer:
        raise _UnboundedError
    if name not in depths:
        below = [_deepest(other, functions, edges, by_body, depths, (*path, name)) for other in edges[name]]
        # Between a function that hands over a body and that body are those that call it.
        between = by_body if any(_base(other) in _BY_BODY for other in edges[name]) else 0
        depths[name] = functions[name].frame + between + max(below, default=0)
    return depths[name]


def _functions(assembly: str) -> Iterator[_Code]:
    """Each function, read from its type to its end."""
    name, frame, words, callees, indirect, jumps = "", 0, set[str](), set[str](), False, False
    for line in assembly.splitlines():
        start = _START.match(line)
        if start:
            # LLVM puts `.L` before the names of what has no symbol. A call leaves an address, of 8 bytes.
            name, frame, words, callees = start[1].removeprefix(".L"), 8, set(), set()
            indirect = jumps = False
        elif line.startswith(".Lfunc_end") and name:
            # A jump by a table stays in the function.
            tables = any(word.startswith(".LJTI") for word in words)
            yield _Code(name, frame, frozenset(words), frozenset(callees), indirect or (jumps and not tables))
            name = ""
        elif name and (instruction := _INSTRUCTION.match(line)):
            word, arguments = instruction[1], instruction[2].strip()
            words.update(_WORD.findall(arguments))
            frame += _taken(word, arguments)
            if _CALL.fullmatch(word) and (callee := _CALLEE.match(arguments)):
                callees.add(callee[1])
            by_pointer = arguments.startswith("*") and "GOTPCREL" not in arguments
            indirect = indirect or word == "blr" or (word == "callq" and by_pointer)
            jumps = jumps or word == "br" or (word == "jmpq" and by_pointer)


def _taken(word: str, arguments: str) -> int:
    """Bytes of the stack that an instruction takes.

    Raises:
        _UnboundedError: it sets the stack pointer in a way that is not known here.
    """
    if word.startswith("push"):
        return 8
    if arguments.endswith(", %rsp") and not word.startswith(("cmp", "test")):
        return _taken_of_x86(word, arguments)
    if match := re.search(r"\[sp, #-(\d+)\]!", arguments):
        return int(match[1])
    if word == "sub" and (match := re.fullmatch(r"\w+, sp, #(\d+)(, lsl #12)?", arguments)):
        return int(match[1]) << (12 if match[2] else 0)
    if word == "and" and (match := re.fullmatch(r"sp, \w+, #0x([0-9a-f]+)", arguments)):
        return (1 << 64) - int(match[1], 16)
    if re.match(r"(?:w?sp), ", arguments) and word not in ("cmp", "ldp", "stp", "ldr", "str"):
        if word in ("add", "mov", "sub") and _ARM_RESTORED.fullmatch(arguments):
            return 0
        raise _UnboundedError
    return 0


def _taken_of_x86(word: str, arguments: str) -> int:
    amount = re.fullmatch(r"\$(-?\d+), %rsp", arguments)
    if word == "subq" and amount:
        return max(0, int(amount[1]))
    if word == "addq" and amount:  # of -128, which is shorter than the subtraction of 128
        return max(0, -int(amount[1]))
    if word == "andq" and amount:
        return -int(amount[1])
    if word == "leaq" and (match := re.fullmatch(r"-(\d+)\(%rsp\), %rsp", arguments)):
        return int(match[1])
    if word in ("leaq", "movq") and (
        _X86_RESTORED.fullmatch(arguments) or re.fullmatch(r"\d+\(%rsp\), %rsp", arguments)
    ):
        return 0
    raise _UnboundedError
