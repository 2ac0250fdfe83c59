# SPDX-License-Identifier: Apache-2.0
"""Read a function's LLVM IR as data: blocks of instructions with their types and operands.

It reads what the writers of `codegen.llvm` write, no more: an instruction that it does not know is a defect (E980).
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import Final

from hybridize.base.errors import CodegenError
from hybridize.base.frozen import frozen, mutable
from hybridize.codegen.llvm.text import Function

_TYPE: Final = r"(<\d+ x [\w ()]+>|\[\d+ x [\w ()]+\]|\w+)"
_VALUE: Final = r"((?:addrspacecast|splat|bitcast) \((?:[^()]|\([^()]*\))*\)|<[^>]*>|[^\s,()]+)"
_FLAGS: Final = re.compile(
    r"\b(nuw|nsw|exact|disjoint|nneg|inbounds|samesign|fast|contract|reassoc|nnan|ninf|nsz|afn|arcp|volatile"
    r"|range\([^()]*\)|tail|notail) "
)
_END: Final = re.compile(r"(, align \d+|, ![\w.]+ !\{\}|, ![\w.]+ !\d+)+$")
_FORMS: Final = {
    word: re.compile(text)
    for words, text in (
        (
            "add sub mul udiv sdiv urem srem shl lshr ashr and or xor fadd fsub fmul fdiv frem",
            rf"(?P<op>\w+) {_TYPE} {_VALUE}, {_VALUE}",
        ),
        ("icmp fcmp", rf"(?P<op>\w+) (?P<word>\w+) {_TYPE} {_VALUE}, {_VALUE}"),
        ("fneg freeze", rf"(?P<op>\w+) {_TYPE} {_VALUE}"),
        (
            "zext sext trunc bitcast fptrunc fpext sitofp uitofp fptosi fptoui",
            rf"(?P<op>\w+) {_TYPE} {_VALUE} to {_TYPE}",
        ),
        ("getelementptr", rf"(?P<op>\w+) {_TYPE}, ptr {_VALUE}, i(?:32|64) {_VALUE}"),
        ("load", rf"(?P<op>\w+) {_TYPE}, ptr {_VALUE}"),
        ("store", rf"(?P<op>\w+) {_TYPE} {_VALUE}, ptr {_VALUE}"),
        ("select", rf"(?P<op>\w+) {_TYPE} {_VALUE}, {_TYPE} {_VALUE}, {_TYPE} {_VALUE}"),
        ("extractelement", rf"(?P<op>\w+) {_TYPE} {_VALUE}, i(?:32|64) {_VALUE}"),
        ("insertelement", rf"(?P<op>\w+) {_TYPE} {_VALUE}, {_TYPE} {_VALUE}, i(?:32|64) {_VALUE}"),
        ("alloca", rf"(?P<op>\w+) {_TYPE}(?:, i(?:32|64) (\d+))?"),
    )
    for word in words.split()
}
_CALL: Final = re.compile(rf"call {_TYPE} @([\w.$-]+)\((.*)\)(?: #\d+)?")
_ARGUMENT: Final = re.compile(rf"{_TYPE}(?: (?:noundef|noalias|nocapture|readonly))* {_VALUE}")
_PHI: Final = re.compile(rf"phi {_TYPE} (.*)")
_INCOMING: Final = re.compile(rf"\[ {_VALUE}, %([\w.]+) \]")
_BRANCH: Final = re.compile(r"br (?:label %([\w.]+)|i1 (\S+), label %([\w.]+), label %([\w.]+))")
_HEAD: Final = re.compile(r"define .*?@([\w.$-]+)\((.*)\) .*\{")
_PARAM: Final = re.compile(r"(\w+)[^,%]*%([\w.]+)")


@frozen
class Instruction:
    """One instruction: its result, what it does, on which values of which types."""

    result: str
    """Its register; empty where it has none."""
    op: str
    type: str
    """Of the first operand; of a load the element, of a phi or a call the result."""
    operands: tuple[str, ...] = ()
    word: str = ""
    """Of a comparison its relation; of a conversion the new type; of a call the function."""
    types: tuple[str, ...] = ()
    """Of a call's arguments."""
    places: tuple[str, ...] = ()
    """Of a phi the blocks that its operands come from."""

    @property
    def type_of_result(self) -> str:
        """The type of the register."""
        if self.op in ("icmp", "fcmp"):
            return "i1"
        if self.op in ("getelementptr", "alloca"):
            return "ptr"
        if self.op == "extractelement":
            return lanes_of(self.type)[1]
        return self.word if self.op in _CONVERSIONS else self.type


@mutable
class BasicBlock:
    """Instructions without a branch between them, and where they lead."""

    label: str
    instructions: list[Instruction] = field(default_factory=list)
    condition: str = ""
    """Chooses between two ways on."""
    ways: tuple[str, ...] = ()
    """None at the end of the function."""


@frozen
class KernelReading:
    """A function as data."""

    name: str
    params: tuple[tuple[str, str], ...]
    """(type, name) each."""
    blocks: dict[str, BasicBlock]
    """In the order of the text, the first one is where it begins."""
    signed: frozenset[str] = frozenset()
    """The params that may be negative numbers."""


_CONVERSIONS: Final = frozenset(
    ["zext", "sext", "trunc", "bitcast", "fptrunc", "fpext", "sitofp", "uitofp", "fptosi", "fptoui"]
)


def lanes_of(type: str) -> tuple[int, str]:
    """The number of elements of a vector type, and the type of one; 1 and itself for others."""
    match = re.fullmatch(r"<(\d+) x (.+)>", type)
    return (int(match[1]), match[2]) if match else (1, type)


def read_function(function: Function) -> KernelReading:
    """Read a function that has been written."""
    head, *lines = function.text().splitlines()
    match = _HEAD.match(head)
    assert match is not None
    params = tuple((one[1], one[2]) for one in _PARAM.finditer(match[2]))
    blocks: dict[str, BasicBlock] = {}
    block = BasicBlock("")
    for line in lines:
        if line == "}":
            break
        if not line.startswith(" "):
            block = blocks[line[:-1]] = BasicBlock(line[:-1])
            continue
        _read_line(line.strip(), block)
    symbols = function.symbols.values()
    signed = frozenset(f"symbol.{one.number}" for one in symbols if one.low < 0)
    return KernelReading(match[1], params, blocks, signed)


def _read_line(line: str, block: BasicBlock) -> None:
    way = _BRANCH.fullmatch(line)
    if way is not None:
        block.condition = way[2] or ""
        block.ways = (way[1],) if way[1] else (way[3], way[4])
        if len(set(block.ways)) == 1:
            block.condition, block.ways = "", block.ways[:1]
    elif not line.startswith("ret "):
        block.instructions.append(_instruction(line))


def _instruction(line: str) -> Instruction:
    result, equals, text = line.partition(" = ")
    if not equals:
        result, text = "", line
    text = _END.sub("", _FLAGS.sub("", text))
    op = text.partition(" ")[0]
    if op == "call":
        match = _CALL.fullmatch(text)
        if match is not None:
            pairs = [(one[1], one[2]) for one in _ARGUMENT.finditer(match[3])]
            return Instruction(
                result, op, match[1], tuple(x for _, x in pairs), match[2], tuple(kind for kind, _ in pairs)
            )
    elif op == "phi":
        match = _PHI.fullmatch(text)
        if match is not None:
            pairs = [(one[1], one[2]) for one in _INCOMING.finditer(match[2])]
            places = tuple(place for _, place in pairs)
            return Instruction(result, op, match[1], tuple(x for x, _ in pairs), places=places)
    elif op in _FORMS:
        match = _FORMS[op].fullmatch(text)
        if match is not None:
            return _of_form(result, op, match)
    raise CodegenError("E980", f"the writer of WGSL does not know {line!r}")


def _of_form(result: str, op: str, match: re.Match[str]) -> Instruction:
    parts = [one for one in match.groups() if one is not None][1:]
    if op in ("icmp", "fcmp"):
        return Instruction(result, op, parts[1], tuple(parts[2:]), parts[0])
    if op in _CONVERSIONS:
        return Instruction(result, op, parts[0], (parts[1],), parts[2])
    if op == "select":
        return Instruction(result, op, parts[2], (parts[1], parts[3], parts[5]), types=(parts[0],))
    if op == "insertelement":
        return Instruction(result, op, parts[0], (parts[1], parts[3], parts[4]))
    return Instruction(result, op, parts[0], tuple(parts[1:]))
