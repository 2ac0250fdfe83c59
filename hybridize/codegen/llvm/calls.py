# SPDX-License-Identifier: Apache-2.0
"""The one writer of calls of a plan's functions, and what code around them must have at hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hybridize.codegen.llvm.text import Function
from hybridize.runtime.plan import Plan, PlanAddress, PlanBand, PlanLaunch, PlanRolling, PlanStep, steps_of


def call(f: Function, launch: PlanLaunch, args: Iterable[str], ends: Sequence[str] = ()) -> None:
    """Call a function with pointers and, where it runs a range of turns, the ends of that."""
    numbers = [*ends, *(f.size(size) for size in launch.sizes)]
    f.do(
        f"call void @{launch.function}({', '.join([*(f'ptr {arg}' for arg in args), *(f'i64 {x}' for x in numbers)])})"
    )


def addresses_of(plan: Plan) -> Iterator[PlanAddress]:
    """Iterate over the addresses that code around a plan's steps must have at hand."""
    for node in plan.order:
        own: tuple[PlanAddress, ...] = ()
        if isinstance(node, PlanBand):
            own = node.own
        elif isinstance(node, PlanRolling):
            own = tuple(one.address for one in node.memories)
        packing = {one.step for one in node.packing} if isinstance(node, PlanBand) else set[int]()
        shared = isinstance(node, PlanBand | PlanRolling) and node.share is not None
        for number in steps_of(node):
            yield from needed(plan.steps[number], plan.team)
            if number not in packing:
                yield from own
                if shared and plan.team is not None:
                    yield plan.team


def needed(step: PlanStep, team: PlanAddress | None) -> Iterator[PlanAddress]:
    """The addresses that a step is called with, and by."""
    if step.launches or step.region is not None:
        yield from in_memory(step)
        if step.share is not None and team is not None:
            yield team


def in_memory(step: PlanStep) -> list[PlanAddress]:
    """Return those of the arguments of a step that are in memory."""
    return [argument for argument in step.arguments if isinstance(argument, PlanAddress)]
