# SPDX-License-Identifier: Apache-2.0
"""Find the arrays of kernels that begin at a multiple of 16 bytes, where a thread may load or store as many at once.

Inputs, results, constants and scratch of a program do: the runtime copies an input that does not (see
`DeviceBuffer.aligned`). So does what lies a multiple of 16 bytes behind the start of one of them. In bodies of control
flow arrays may be slices of others: they do if slices have a multiple of 16 bytes, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hybridize.base.frozen import changed
from hybridize.loops.kernel import Param
from hybridize.machine.device import DeviceTarget
from hybridize.runtime.plan import ALIGNMENT
from hybridize.schedule.device import thresholds
from hybridize.schedule.device.contractions import BlockPlan
from hybridize.schedule.device.neighbours import factor_of
from hybridize.schedule.steps import NOWHERE, Address, ContractionStep, LoopStep, RegionStep, Schedule, ScheduleStep

_Aligned = Callable[[Address], bool]
"""Tells whether an address is a multiple of 16 bytes."""


def with_alignment(steps: Iterable[ScheduleStep], device: DeviceTarget) -> list[ScheduleStep]:
    """Return the steps of a program, whose kernels know which of their arrays begin at a multiple of 16 bytes."""
    return [_known(step, _in_program, device) for step in steps]


def _in_program(address: Address) -> bool:
    return address.kind != "nowhere" and _fits(address.offset)


def _fits(nbytes: int) -> bool:
    """Tell whether bytes are a multiple of 16, whatever the sizes of a call."""
    return factor_of(nbytes) % ALIGNMENT == 0


def _known(step: ScheduleStep, is_aligned: _Aligned, device: DeviceTarget) -> ScheduleStep:
    match step:
        case LoopStep(kernel=kernel):
            params = _params(kernel.params, step.arguments, is_aligned)
            return changed(step, kernel=changed(kernel, params=params))
        case ContractionStep(plan=BlockPlan() as plan):
            most = min(thresholds.MOST_NEIGHBOURS, max(1, device.at_once // plan.elements.types.operand.itemsize))
            x, w = (most if is_aligned(address) else 1 for address in step.addresses[:2])
            ending = changed(step.ending, params=_params(step.ending.params, step.addresses[2:], is_aligned))
            nbytes = device.at_once if step.workspace == NOWHERE or is_aligned(step.workspace) else 1
            launches = tuple(one.widened((x, w), ending, nbytes) for one in plan.launches)
            return changed(step, plan=changed(plan, launches=launches), ending=ending)
        case RegionStep():
            bodies = (_body(step, number, is_aligned, device) for number in range(len(step.bodies)))
            return changed(step, bodies=tuple(bodies))
    return step


def _params(params: Iterable[Param], addresses: Iterable[Address], is_aligned: _Aligned) -> tuple[Param, ...]:
    pairs = zip(params, addresses, strict=True)
    return tuple(changed(param, aligned=is_aligned(address)) for param, address in pairs)


def _body(step: RegionStep, number: int, is_aligned: _Aligned, device: DeviceTarget) -> Schedule:
    """A body of control flow, in the memory that the region hands it."""
    body, skip = step.bodies[number], int(step.control == "cond")
    outputs, inputs = step.addresses[: len(step.outputs)], step.addresses[len(step.outputs) + skip :]
    own = is_aligned(step.workspace) and _fits(step.scratch_offset)
    places = [one for one in step.addresses if one.kind != "nowhere"]
    # Slices, and places that state takes in turn, are so many of their own lengths behind one of these.
    moves = all(map(is_aligned, places)) and own and all(_fits(home.offset) for home in step.state)

    def is_at(address: Address) -> bool:
        k = address.slot
        if not _fits(address.offset):
            return False
        if address.kind == "scratch":
            return own
        if address.kind == "input" and k >= len(body.plan.inputs):
            return is_aligned(step.constants[number][k - len(body.plan.inputs)])
        if address.kind == "input" and k >= len(step.state) and k + skip not in step.stacked:
            return is_aligned(inputs[k])
        if step.control == "cond":
            return is_aligned(outputs[step.gives[k]])
        of = body.plan.inputs[k] if address.kind == "input" else body.plan.outputs[k]
        return moves and isinstance(of.nbytes, int) and _fits(of.nbytes)

    return changed(body, steps=tuple(_known(one, is_at, device) for one in body.steps))
