# SPDX-License-Identifier: Apache-2.0
"""Branches around nothing but reads and arithmetic, written without a branch: the result is chosen afterwards.

    if inside { x = a[i] } else { x = 0 }       becomes     x = inside ? a[i] : 0

A read beyond an array gives any number in WebGPU, and nothing else happens. Tiles of products bring each element by
such a branch: without them a kernel is half as long, and drivers compile it in a fraction of the time.
"""

from __future__ import annotations

from typing import Final

from hybridize.base.frozen import changed
from hybridize.codegen.wgsl.reading import BasicBlock, Instruction, KernelReading
from hybridize.schedule.device import thresholds

_FREE: Final = frozenset((
    "add", "sub", "mul", "shl", "lshr", "ashr", "and", "or", "xor", "fadd", "fsub", "fmul", "icmp", "fcmp", "fneg",
    "zext", "sext", "trunc", "bitcast", "sitofp", "uitofp", "getelementptr", "load", "select", "extractelement",
    "insertelement", "freeze",
))  # fmt: skip


def flattened(reading: KernelReading) -> KernelReading:
    """A function without such branches; the blocks of the one that is given change."""
    blocks = dict(reading.blocks)
    again = True
    while again:
        again = False
        before: dict[str, list[str]] = {label: [] for label in blocks}
        for label, block in blocks.items():
            for way in block.ways:
                before[way].append(label)
        for label in list(blocks):
            while label in blocks and _joins(blocks, before, label):
                again = True
    return changed(reading, blocks=blocks)


def _joins(blocks: dict[str, BasicBlock], before: dict[str, list[str]], label: str) -> bool:
    """Join a block with the two behind it, if they are such a branch; tell whether they are."""
    block = blocks[label]
    if len(block.ways) != 2:
        return False
    for number, way in enumerate(block.ways):
        inside, after = blocks[way], block.ways[1 - number]
        if before[way] != [label] or inside.ways != (after,) or sorted(before[after]) != sorted([label, way]):
            continue
        if len(inside.instructions) > thresholds.WGSL_IN_VAIN or any(
            one.op not in _FREE for one in inside.instructions
        ):
            continue
        rest = blocks[after]
        phis = [one for one in rest.instructions if one.op == "phi"]
        if any(one.type == "ptr" for one in phis):
            continue
        block.instructions += inside.instructions
        block.instructions += [_chosen(one, block.condition, way, label, holds=number == 0) for one in phis]
        block.instructions += rest.instructions[len(phis) :]
        block.condition, block.ways = rest.condition, rest.ways
        del blocks[way], blocks[after]
        for following in rest.ways:
            before[following] = [label if one == after else one for one in before[following]]
            target = blocks[following]
            target.instructions = [_from(one, after, label) for one in target.instructions]
        return True
    return False


def _chosen(phi: Instruction, condition: str, inside: str, outside: str, *, holds: bool) -> Instruction:
    """A phi as a choice: what comes from within the branch where the condition `holds` there."""
    then, orelse = (phi.operands[phi.places.index(place)] for place in (inside, outside))
    pair = (then, orelse) if holds else (orelse, then)
    return Instruction(phi.result, "select", phi.type, (condition, *pair), types=("i1",))


def _from(one: Instruction, old: str, new: str) -> Instruction:
    if one.op != "phi" or old not in one.places:
        return one
    return changed(one, places=tuple(new if place == old else place for place in one.places))
