# SPDX-License-Identifier: Apache-2.0
"""A plan as text, one fact a line: all that is needed to run it, besides its functions and the arrays of a call.

What is within something stands further to the right. Words of a line are separated by blanks, lists by commas, sizes
are as `base.dims` writes them; texts that may hold anything are JSON.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from hybridize.runtime.plan import (
    Buffer,
    Derivation,
    KernelLaunch,
    Plan,
    PlanBand,
    PlanMaker,
    PlanNode,
    PlanRegion,
    PlanRolling,
    PlanScans,
    PlanShare,
    PlanStep,
    PlanStop,
    PlanTasks,
)


def text(plan: Plan) -> str:
    """Write a plan."""
    return "\n".join(_plan(plan))


def _plan(plan: Plan) -> Iterator[str]:
    yield from (f"size {line}" for line in plan.sizes)
    for word, buffers in (("input", plan.inputs), ("constant", plan.constants), ("output", plan.outputs)):
        yield from (f"{word} {_buffer(buffer)}" for buffer in buffers)
    yield f"scratch {plan.scratch_bytes}"
    yield from (f"team {slot}" for slot in plan.teams)
    yield from (f"update output{output} over input{number}" for output, number in plan.updates)
    yield from (f"layout {count} {json.dumps(layout)}" for layout, count in plan.layouts)
    yield from map(_derivation, plan.derivations)
    yield from _steps(plan.steps, plan.order)
    for maker in plan.makers:
        yield from _maker(maker)


def _steps(steps: Sequence[PlanStep], order: Iterable[PlanNode]) -> Iterator[str]:
    for number, step in enumerate(steps):
        yield from _step(number, step)
    for node in order:
        yield from _node(node)


def _buffer(buffer: Buffer) -> str:
    return f"{buffer} {buffer.nbytes}"


def _derivation(one: Derivation) -> str:
    sources = ",".join(f"{source.kind}{source.number}+{source.offset}" for source in one.sources)
    return (
        f"derive {one.slot} by {one.function} of {sources or '-'} bytes {one.nbytes} scratch {one.scratch_bytes} "
        f"layout {json.dumps(one.layout)} ops {json.dumps(one.ops)}"
    )


def _maker(maker: PlanMaker) -> Iterator[str]:
    yield f"maker {maker.function}"
    yield from _within(_steps(maker.steps, maker.order))


def _step(number: int, step: PlanStep) -> Iterator[str]:
    shape = ",".join(map(str, step.shape))
    yield f"step {number} {step.kind} [{shape}] bytes {step.bytes} flops {step.flops}"
    yield f"  ops {json.dumps(step.ops)}"
    yield f"  lines {json.dumps(step.lines)}"
    yield from (f"  {way} {argument}" for way, argument in zip(step.access, step.arguments, strict=True))
    for launch in step.launches:
        turns = "" if launch.turns is None else f" turns {launch.turns}"
        sizes = f" sizes {','.join(map(str, launch.sizes))}" if launch.sizes else ""
        grid = f" blocks {launch.blocks} threads {launch.threads}" if isinstance(launch, KernelLaunch) else ""
        yield f"  call {launch.function}{turns}{grid}{sizes}"
    if step.share is not None:
        yield f"  {_share(step.share)}"
    if step.region is not None:
        yield from _within(_region(step.region))


def _share(share: PlanShare) -> str:
    own = ",".join(map(str, share.own)) or "-"
    return f"share own {own} bytes {share.bytes} flops {share.flops} wakes {int(share.wakes)} threads {share.threads}"


def _region(region: PlanRegion) -> Iterator[str]:
    yield (
        f"region {region.control} length {region.length} reverse {int(region.reverse)} "
        f"scratch {region.scratch_offset} acts {int(region.acts)}"
    )
    yield from (f"  output {_buffer(buffer)}" for buffer in region.outputs)
    yield from (f"  input {_buffer(buffer)}" for buffer in region.inputs)
    for word, numbers in (("gives", region.gives), ("stacked", region.stacked), ("unread", region.unread)):
        yield f"  {word} {_numbers(numbers)}"
    yield from (f"  state {state}" for state in region.state)
    for body in region.bodies:
        yield "  body"
        yield from _within(_plan(body), 4)


def _node(node: PlanNode) -> Iterator[str]:
    match node:
        case int():
            yield f"run {node}"
        case PlanStop(condition=condition):
            yield f"stop {'failed' if condition is None else condition}"
        case PlanScans(first=first, last=last):
            yield f"scans {first} {last}"
        case PlanTasks():
            yield f"tasks {node.first} {node.last}"
            yield f"  {_share(node.share)}"
            for task in node.tasks:
                yield f"  task {' '.join(f'{step}:{index}/{count}' for step, index, count in task)}"
        case PlanBand():
            yield from _band(node)
        case PlanRolling():
            yield from _rolling(node)


def _band(band: PlanBand) -> Iterator[str]:
    turn = int(band.in_turn)
    yield f"band block {band.block} rows {band.rows} count {band.count} batch {band.batch} in turn {turn}"
    for one in band.packing:
        members = " ".join(f"{size},{stride}" for size, stride in one.members)
        yield f"  packing {one.step} bytes {one.bytes} members {members}"
    yield from (f"  rows of {rows.step} by {_numbers(rows.blocks)}" for rows in band.steps)
    yield from (f"  own {address}" for address in band.own)
    if band.share is not None:
        yield f"  {_share(band.share)}"


def _rolling(band: PlanRolling) -> Iterator[str]:
    yield f"rolling {band.first} {band.last} size {band.size} units {band.units} parts {band.parts}"
    yield from (f"  memory {one.address} line {one.line_bytes} lines {one.lines}" for one in band.memories)
    yield from (f"  block {_numbers(block)}" for block in band.blocks)
    if band.share is not None:
        yield f"  {_share(band.share)}"


def _numbers(numbers: Iterable[object]) -> str:
    return ",".join(map(str, numbers)) or "-"


def _within(lines: Iterable[str], depth: int = 2) -> Iterator[str]:
    yield from (textwrap.indent(line, " " * depth) for line in lines)
