# SPDX-License-Identifier: Apache-2.0
"""The control flow of a kernel: segments that threads run together, what lives between them, and where pointers come from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from tests.device.assembly import Address, Constant, Instruction, Kernel, Name, Operand, Pack, Register
from tests.device.fault import Fault

FULL = 0xFFFFFFFF
COLLECTIVE = {"shfl", "ldmatrix", "mma"}


def is_collective(one: Instruction) -> bool:
    """Tell whether the threads of a warp do it together."""
    return one.name in COLLECTIVE or (one.name == "bar" and one.modifiers[0] == "warp")


def is_barrier(one: Instruction) -> bool:
    """Tell whether the threads of a block meet at it."""
    return one.name in ("bar", "barrier") and one.modifiers[0] != "warp"


def ends(one: Instruction) -> bool:
    """Tell whether threads may go on elsewhere than at the next instruction."""
    return one.name in ("bra", "ret", "exit", "trap") or is_barrier(one)


class Branch(NamedTuple):
    """Where threads go on: by a predicate, or all to the first segment."""

    condition: Register | None
    target: int
    other: int


class Barrier(NamedTuple):
    """All threads of a block meet, and go on at a segment."""

    following: int


class Exit(NamedTuple):
    """Threads end."""


End = Branch | Barrier | Exit


@dataclass
class Segment:
    """Instructions that a set of threads runs from the first to the last."""

    number: int
    line: int
    code: list[Instruction] = field(default_factory=list)
    end: End = field(default_factory=Exit)
    of_warps: bool = False
    """True if all threads of a warp that have not ended have to come before any of them runs it."""
    inputs: list[str] = field(default_factory=list)
    """Registers that it reads before it writes them."""
    outputs: list[str] = field(default_factory=list)
    """Registers that it writes and that are read later."""
    live: int = 0
    """A bit for each register that is read from its begin on."""


def registers_of(operand: Operand) -> Iterator[str]:
    """List the registers that an operand names."""
    match operand:
        case Register(name) if name != "_":
            yield name
        case Address(base):
            yield from registers_of(base)
        case Pack(parts):
            for part in parts:
                yield from registers_of(part)


_STORES = {"st", "bar", "barrier", "cp", "ret", "exit", "bra", "trap"}


def written(one: Instruction) -> list[str]:
    """List the registers that an instruction writes."""
    return [] if one.name in _STORES or not one.operands else list(registers_of(one.operands[0]))


def read(one: Instruction) -> list[str]:
    """List the registers that an instruction reads."""
    operands = one.operands if one.name in _STORES else one.operands[1:]
    return [name for operand in operands for name in registers_of(operand)]


def check_mask(one: Instruction) -> None:
    """Refuse an instruction of a part of a warp."""
    mask = one.operands[-1]
    if not isinstance(mask, Constant) or mask.value & FULL != FULL:
        raise Fault("warps meet with all of their threads, by the mask 0xffffffff")


def _leaders(kernel: Kernel) -> set[int]:
    """Return the numbers of the instructions with which segments begin."""
    code, leaders, of_warps = kernel.code, {0, *kernel.labels.values()}, False
    for number, one in enumerate(code):
        if number in leaders:
            of_warps = False
        if is_collective(one) and not of_warps:
            leaders.add(number)
            of_warps = True
        if one.guard is not None and one.name != "bra":
            leaders.add(number)
        if one.guard is not None or ends(one):
            leaders.add(number + 1)
            of_warps = False
    return leaders


def segments(kernel: Kernel) -> list[Segment]:
    """Divide a kernel; a guarded instruction is one that a branch goes around."""
    code = kernel.code
    if not code or code[-1].name not in ("ret", "exit", "trap", "bra") or code[-1].guard is not None:
        raise (code[-1].fault if code else lambda words: ValueError(words))(
            "the kernel goes on past its last instruction"
        )
    result: list[Segment] = []
    at: dict[int, int] = {}
    for first, last in pairwise(sorted({*(k for k in _leaders(kernel) if k < len(code)), len(code)})):
        guard = code[first].guard
        at[first] = len(result)
        if guard is not None and code[first].name != "bra":  # the branch around it
            number = len(result)
            result.append(Segment(number, code[first].line, end=Branch(guard, number + 1, number + 2)))
        result.append(Segment(len(result), code[first].line, code[first:last]))
    at[len(code)] = len(result)
    for one in result:
        _end(one, at, kernel)
    _liveness(result, list(kernel.registers))
    return result


def _end(one: Segment, at: dict[int, int], kernel: Kernel) -> None:
    if not one.code:
        return
    last = one.code[-1]
    match last.name:
        case "bra":
            (target,) = last.operands
            if not isinstance(target, Name) or target.name not in kernel.labels:
                raise last.fault("no such label")
            one.end = Branch(last.guard, at[kernel.labels[target.name]], one.number + 1)
        case "ret" | "exit":
            one.end = Exit()
        case _ if is_barrier(last):
            one.end = Barrier(one.number + 1)
        case _:
            one.end = Branch(None, one.number + 1, one.number + 1)
    one.of_warps = is_collective(one.code[0])
    if last.name in ("bra", "ret", "exit"):
        one.code = one.code[:-1]


def following(one: Segment) -> tuple[int, ...]:
    """Return the segments to which threads may go."""
    match one.end:
        case Branch(condition, target, other):
            return (target,) if condition is None else (target, other)
        case Barrier(after):
            return (after,)
    return ()


def _liveness(parts: list[Segment], names: list[str]) -> None:
    """Find inputs, outputs and what lives, from the last use to the first."""
    bits = {name: 1 << number for number, name in enumerate(names)}
    reads, writes = [], []
    for one in parts:
        used, defined = 0, 0
        for instruction in one.code:
            for name in read(instruction):
                used |= bits[name] & ~defined
            for name in written(instruction):
                defined |= bits[name]
        if isinstance(one.end, Branch) and one.end.condition is not None:
            used |= bits[one.end.condition.name] & ~defined
        reads.append(used)
        writes.append(defined)
        one.live = used
    changed = True
    while changed:
        changed = False
        for one in reversed(parts):
            after = 0
            for number in following(one):
                after |= parts[number].live
            live = reads[one.number] | (after & ~writes[one.number])
            changed |= live != one.live
            one.live = live
    for one in parts:
        after = 0
        for number in following(one):
            after |= parts[number].live
        one.inputs = [name for name in names if bits[name] & reads[one.number]]
        one.outputs = [name for name in names if bits[name] & writes[one.number] & after]


_CARRIES = {"mov", "add", "sub", "mad", "cvta", "selp", "and", "or", "xor", "mul", "shl", "cvt", "min", "max", "bfi"}
"""What may compute a pointer of pointers and numbers."""


def roots(kernel: Kernel) -> dict[str, frozenset[str]]:
    """Return for each register the parameters and variables from which it may be a pointer."""
    result: dict[str, frozenset[str]] = dict.fromkeys(kernel.registers, frozenset())

    def of(operand: Operand) -> frozenset[str]:
        if isinstance(operand, Name):
            return frozenset([operand.name])
        return frozenset().union(*(result[name] for name in registers_of(operand)))

    changed = True
    while changed:
        changed = False
        for one in kernel.code:
            if one.name == "ld" and "param" in one.modifiers and isinstance(one.operands[1], Address):
                source = of(one.operands[1].base)
            elif one.name in _CARRIES:
                source = frozenset().union(*(of(operand) for operand in one.operands[1:]))
            else:
                continue
            for name in written(one):
                changed |= not source <= result[name]
                result[name] |= source
    return result
