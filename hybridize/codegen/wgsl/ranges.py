# SPDX-License-Identifier: Apache-2.0
"""Find the 64-bit integers of a kernel that fit 32 bits: WGSL has no wider ones, and pairs of words are slow.

An integer is narrow if its values are proven to fit, or if only its lower word counts: where it becomes the index of an
element, or part of such an index. All others, as elements of int64 arrays, are pairs of words.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hybridize.base.frozen import frozen
from hybridize.codegen.wgsl.reading import Instruction, KernelReading
from hybridize.schedule.device import thresholds

Interval = tuple[int, int]
"""The least and the greatest value, as signed numbers."""
MOST: Final = (1 << 31) - 1
WHOLE: Final[Interval] = (-(1 << 63), (1 << 63) - 1)
_LOW_BITS: Final = frozenset(("add", "sub", "mul", "and", "or", "xor", "shl", "phi", "select", "freeze"))
"""Instructions whose lower word depends on lower words alone."""


@frozen
class IntegerWidths:
    """The 64-bit integers of a function: which are written as 32 bits."""

    narrow: frozenset[str]
    """Registers of 32 bits."""
    ranges: Mapping[str, Interval]

    def range(self, operand: str) -> Interval:
        """The values of a register, or of a number."""
        if operand.startswith("%"):
            return self.ranges.get(operand, WHOLE)
        return _number(operand)

    def proves(self, operand: str, *, positive: bool = False) -> bool:
        """Tell whether an operand is proven to fit 32 bits, and not to be negative."""
        interval = self.range(operand)
        return fits(interval) and (not positive or interval[0] >= 0)


def _number(operand: str) -> Interval:
    """The range of a constant."""
    number = {"true": 1, "false": 0, "poison": 0, "undef": 0}.get(operand)
    number = int(operand) if number is None else number
    return number, number


def widths_of(reading: KernelReading, specials: Mapping[str, Interval]) -> IntegerWidths:
    """Decide about the registers of a function; `specials` are the results of calls, by function."""
    ranges = _Ranges(reading, specials).find()
    every = {
        one.result
        for block in reading.blocks.values()
        for one in block.instructions
        if one.result and one.type_of_result == "i64"
    }
    wide = {name for name in every if not fits(ranges.get(name, WHOLE))}
    params = {f"%{name}" for type, name in reading.params if type == "i64"}
    return IntegerWidths(frozenset(params | (every - wide) | _only_low_words(reading, wide)), ranges)


def fits(interval: Interval) -> bool:
    """Tell whether all values are signed numbers of 32 bits."""
    return interval[0] >= -MOST - 1 and interval[1] <= MOST


def _only_low_words(reading: KernelReading, wide: set[str]) -> set[str]:
    """Those of the wide registers of which nobody takes the upper word."""
    low = set(wide)
    uses: dict[str, list[Instruction]] = {}
    for block in reading.blocks.values():
        for one in block.instructions:
            for place, operand in enumerate(one.operands):
                if operand in low and not _takes_low_word(one, place):
                    uses.setdefault(operand, []).append(one)
    # What is left depends on the results of those that take it: until nothing changes.
    low -= uses.keys()
    changed = True
    while changed:
        changed = False
        for block in reading.blocks.values():
            for one in block.instructions:
                is_full = one.type_of_result == "i64" and one.result not in low and one.result in wide
                for operand in one.operands:
                    if operand in low and is_full and one.op in _LOW_BITS:
                        low.discard(operand)
                        changed = True
    return low


def _takes_low_word(one: Instruction, place: int) -> bool:
    """Tell whether an instruction may need no more than the lower word of an operand."""
    if one.op == "getelementptr":
        return place == 1
    if one.op == "trunc":
        return True
    if one.op == "shl":
        return place == 0 and not one.operands[1].startswith("%")
    return one.op in _LOW_BITS and not (one.op == "select" and place == 0)


class _Ranges:
    """The values that the registers of one function may have."""

    def __init__(self, reading: KernelReading, specials: Mapping[str, Interval]) -> None:
        self._reading, self._specials = reading, specials
        self._known: dict[str, Interval] = {
            f"%{name}": (0 if name not in reading.signed else -MOST, MOST)
            for type, name in reading.params
            if type == "i64"
        }
        self._grown: dict[str, int] = {}
        self._sizes = set(self._known)
        """Registers that are made of sizes alone."""
        self._steps = self._loops()

    def _loops(self) -> dict[str, tuple[str, str, str]]:
        """(start, stop, next) of each register that counts a loop: its last turn is below the stop."""
        makers = {one.result: one for block in self._reading.blocks.values() for one in block.instructions}
        loops = {}
        for label, block in self._reading.blocks.items():
            for one in block.instructions:
                if one.op != "phi" or one.type != "i64" or len(one.operands) != 2:
                    continue
                for (start, later), place in zip((one.operands, one.operands[::-1]), one.places[::-1], strict=True):
                    step, end = makers.get(later), self._reading.blocks.get(place)
                    if step is None or step.op != "add" or one.result not in step.operands or end is None:
                        continue
                    test = makers.get(end.condition)
                    if test is None or end.ways[0] != label:
                        continue
                    if test.op == "and":
                        tests = [makers[x] for x in test.operands if x in makers]
                        test = next((x for x in tests if x.op == "icmp" and x.operands[0] == later), test)
                    if test.op == "icmp" and test.word == "slt" and test.operands[0] == later:
                        loops[one.result] = start, test.operands[1], later
        return loops

    def find(self) -> dict[str, Interval]:
        """The ranges of all registers of integers."""
        blocks = [block.instructions for block in self._reading.blocks.values()]
        changed = True
        while changed:
            changed = False
            for instructions in blocks:
                for one in instructions:
                    if one.result and one.type_of_result.startswith("i"):
                        changed |= self._update(one)
        return self._known

    def _update(self, one: Instruction) -> bool:
        interval = self._of(one)
        before = self._known.get(one.result)
        if interval is None or interval == before:
            return False
        if before is not None:
            interval = min(before[0], interval[0]), max(before[1], interval[1])
            if interval == before:
                return False
            self._grown[one.result] = self._grown.get(one.result, 0) + 1
            if self._grown[one.result] > thresholds.WGSL_GROWTHS:
                interval = _all_of(one.type_of_result)
                if interval == before:
                    return False
        self._known[one.result] = interval
        return True

    def _value(self, operand: str) -> Interval | None:
        """The range of an operand; None where nothing is known of it yet."""
        if operand.startswith("%"):
            return self._known.get(operand)
        return _number(operand)

    def _of(self, one: Instruction) -> Interval | None:
        whole = _all_of(one.type_of_result)
        if one.op == "phi":
            return self._phi(one)
        if one.op in ("load", "extractelement", "insertelement", "fptosi", "fptoui", "icmp", "fcmp", "bitcast"):
            return whole
        if one.op == "call":
            return self._call(one, whole)
        if one.op == "select":
            return _union([self._value(x) for x in one.operands[1:]])
        values = [self._value(x) for x in one.operands]
        if any(one_of is None for one_of in values):
            return None
        known = [one_of for one_of in values if one_of is not None]
        result = _arithmetic(one, known)
        if result is not None and self._is_size(one):
            result = max(result[0], -MOST), min(result[1], MOST)
        return whole if result is None or result[0] < whole[0] or result[1] > whole[1] else result

    def _is_size(self, one: Instruction) -> bool:
        """Tell whether a register is made of sizes alone: arrays have fewer than 2^31 bytes, whoever launches sees to
        that.
        """
        registers = [x for x in one.operands if x.startswith("%")]
        if not registers or not all(x in self._sizes for x in registers):
            return False
        self._sizes.add(one.result)
        return True

    def _phi(self, one: Instruction) -> Interval | None:
        loop = self._steps.get(one.result)
        if loop is None:
            return _union([self._value(x) for x in one.operands])
        start, stop = self._value(loop[0]), self._value(loop[1])
        if start is None or stop is None:
            return None
        return start[0], max(start[1], stop[1] - 1)

    def _call(self, one: Instruction, whole: Interval) -> Interval | None:
        if one.word in self._specials:
            return self._specials[one.word]
        name = one.word.split(".")[1] if one.word.startswith("llvm.") else ""
        if name in ("ctpop", "ctlz", "cttz"):
            return 0, 64
        if name not in ("smin", "smax", "umin", "umax"):
            return whole
        values = [self._value(x) for x in one.operands]
        if any(x is None for x in values):
            return None
        first, second = (x for x in values if x is not None)
        if name[0] == "u" and min(first[0], second[0]) < 0:
            return whole
        choose = min if name.endswith("min") else max
        return choose(first[0], second[0]), choose(first[1], second[1])


def _all_of(type: str) -> Interval:
    """All values of a type; those of fewer than 32 bits are not negative in registers."""
    bits = int(type[1:]) if type[1:].isdecimal() else 64
    return (0, (1 << bits) - 1) if bits < 32 else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)


def _union(parts: list[Interval | None]) -> Interval | None:
    some = [part for part in parts if part is not None]
    return (min(low for low, _ in some), max(high for _, high in some)) if some else None


def _arithmetic(one: Instruction, values: list[Interval]) -> Interval | None:
    """The range of a result; None where it may be any number."""
    (a, b), (c, d) = values[0], values[-1]
    if one.op.endswith(("div", "rem")) and c == 0:
        c = 1  # nothing divides by 0
    match one.op:
        case "add":
            return a + c, b + d
        case "sub":
            return a - d, b - c
        case "mul":
            corners = [a * c, a * d, b * c, b * d]
            return min(corners), max(corners)
        case "udiv" | "sdiv" if a >= 0 and c > 0:
            return a // d, b // c
        case "urem" | "srem" if a >= 0 and c > 0:
            return 0, min(b, d - 1)
        case "srem" if c > 0:
            return -(d - 1), d - 1
        case "sdiv" if c > 0:
            return min(a, 0), max(b, 0)
        case "and" if c >= 0 or a >= 0:
            return 0, min(high for low, high in values if low >= 0)
        case "or" | "xor" if a >= 0 and c >= 0:
            return 0, (1 << max(b, d).bit_length()) - 1
        case "shl" if c == d and 0 <= c < 64:
            return a << c, b << c
        case "lshr" | "ashr" if c == d and a >= 0 and 0 <= c < 64:
            return a >> c, b >> c
        case "lshr" | "ashr" if a >= 0 and c >= 0:
            return 0, b
        case "ashr" if c == d and 0 <= c < 64:
            return a >> c, b >> c
        case "lshr" if c == d and 0 < c < 64:
            return 0, (1 << (64 - c)) - 1
        case "zext":
            return (a, b) if a >= 0 else (0, (1 << int(one.type[1:])) - 1)
        case "sext" | "freeze":
            if one.op == "sext" and one.type in ("i1", "i8", "i16"):
                bits = int(one.type[1:])
                return -(1 << (bits - 1)), (1 << (bits - 1)) - 1
            return a, b
        case "trunc":
            whole = _all_of(one.type_of_result)
            return (a, b) if whole[0] <= a and b <= whole[1] else None
    return None
