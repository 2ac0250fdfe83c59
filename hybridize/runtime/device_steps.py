# SPDX-License-Identifier: Apache-2.0
"""The steps of a plan as the work of a device, in order: launches, copies, and what the host has to ask and print.

    work_of(steps, bases)         each piece of work with its addresses; the answers to questions are sent back
    perform(work, device, launch) do it
    recorded(work, ...)           have it recorded as graphs
    work_size(steps)              how much there is, where data does not decide it

Control flow is loops of work: a scan has the work of its body once for each turn, with other addresses; a branch and a
while loop ask for one bool first. Nothing is copied from turn to turn, see `PlanState`.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy
from numpy.typing import NDArray

from hybridize.base.frozen import frozen
from hybridize.runtime.device_notes import print_noted
from hybridize.runtime.devices import Accelerator, DeviceGraph
from hybridize.runtime.plan import (
    CONDITION_BYTES,
    FLAG,
    Plan,
    PlanAddress,
    PlanArgument,
    PlanLaunch,
    PlanNote,
    PlanRegion,
    PlanReport,
    PlanState,
    PlanStep,
)

Base = tuple[str, int]
"""The kind and the slot of addresses."""
Bases = Mapping[Base, int]
"""The first address of the memory of each."""


@frozen
class DeviceLaunch:
    """One launch of a kernel."""

    step: PlanStep
    """The step that it is of."""
    launch: PlanLaunch
    addresses: Sequence[int]
    """Of the step's arguments."""


@frozen
class DeviceCopy:
    """Bytes of the device that go elsewhere; they do not overlap."""

    to: int
    source: int
    nbytes: int


@frozen
class Question:
    """A bool of the device that decides what comes next: it is sent back to whoever asks."""

    address: int


@frozen
class Report:
    """A print, which the host does before it asks for more."""

    note: PlanNote
    addresses: Sequence[int]
    """Of the operands."""
    flag: int
    """The address of the flag block; 0 for a program that asserts nothing."""


Work: TypeAlias = DeviceLaunch | DeviceCopy | Question | Report
Asking: TypeAlias = Generator[Work, "bool | None", None]
"""Work in order, which is sent the answer to each `Question`."""
WorkOfBody: TypeAlias = Callable[[Sequence[PlanStep], Bases], Asking]


def work_of(steps: Sequence[PlanStep], bases: Bases) -> Asking:
    """Iterate over the work of steps, of a plan whose sizes are numbers."""
    for step in steps:
        yield from work_of_step(step, bases, work_of)


def work_of_step(step: PlanStep, bases: Bases, work_of_body: WorkOfBody) -> Asking:
    """Iterate over the work of one step, that of bodies by `work_of_body`."""
    addresses = [_place(one, bases) for one in step.arguments]
    if step.region is not None:
        yield from _Region(step.region, addresses, bases, work_of_body).work()
    for launch in step.launches:
        if isinstance(launch, PlanReport):
            yield Report(launch.note, addresses, bases.get((FLAG, 0), 0))
        else:
            yield DeviceLaunch(step, launch, addresses)


def _place(address: PlanArgument, bases: Bases) -> int:
    assert isinstance(address, PlanAddress), "tables of numbers are a processor's"
    return 0 if address.kind == "nowhere" else bases[address.kind, address.slot] + address.offset


def perform(work: Asking, device: Accelerator, launch: Callable[[DeviceLaunch], None]) -> None:
    """Have a device do some work, in order; `launch` has it do a launch."""
    answer = None
    while True:
        try:
            one = work.send(answer)
        except StopIteration:
            return
        answer = None
        if isinstance(one, Question):
            answer = bool(_read(device, one.address, (1,), numpy.uint8)[0])
        elif isinstance(one, Report):
            print_noted(one.note, one.addresses, one.flag, functools.partial(_read, device))
        else:
            _do(one, device, launch)


def _read(device: Accelerator, address: int, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """Wait for an array of the device."""
    array = numpy.empty(shape, dtype)
    if array.nbytes:
        device.copy_out(address, array.reshape(-1).view(numpy.uint8))
    return array


def _do(one: DeviceLaunch | DeviceCopy, device: Accelerator, launch: Callable[[DeviceLaunch], None]) -> None:
    if isinstance(one, DeviceLaunch):
        launch(one)
    else:
        device.copy(one.to, one.source, one.nbytes)


def recorded(
    work: Asking,
    device: Accelerator,
    launch: Callable[[DeviceLaunch], None],
    most: int,
    spare: Sequence[DeviceGraph],
    name: str,
) -> list[DeviceGraph]:
    """Have a device record work without questions; returns the graphs that do it, one after the other.

    Args:
        work: what is recorded.
        device: which records it.
        launch: asks for a launch.
        most: launches and copies of a graph.
        spare: graphs that are changed to do this work.
        name: of the program, for errors.
    """
    graphs: list[DeviceGraph] = []
    before = iter(spare)
    for first in work:
        with device.capture(next(before, None)) as graph:
            for one in itertools.chain([first], itertools.islice(work, most - 1)):
                assert isinstance(one, (DeviceLaunch, DeviceCopy))
                _do(one, device, launch)
        graph.name = name
        graphs.append(graph)
    return graphs


def work_size(steps: Sequence[PlanStep]) -> int | None:
    """Count the launches and copies of steps, at most, of a plan whose sizes are numbers; None where data decides, or
    the host prints in between.
    """
    total = 0
    for step in steps:
        if any(isinstance(one, PlanReport) for one in step.launches):
            return None
        total += len(step.launches)
        if step.region is None:
            continue
        turn = work_size(step.region.bodies[-1].steps)
        if turn is None or step.region.control != "scan":
            return None
        total += step.region.length * turn + 2 * len(step.region.state)
    return total


class _Region:
    """Control flow with its addresses."""

    def __init__(self, region: PlanRegion, addresses: Sequence[int], bases: Bases, work_of_body: WorkOfBody) -> None:
        self.region, self._work_of_body = region, work_of_body
        rest = iter(addresses)
        self.outputs = [next(rest) for _ in region.outputs]
        self.inputs = [next(rest) for _ in region.inputs]
        constants = [[next(rest) for _ in body.constants] for body in region.bodies]
        self.workspace = next(rest)
        shared = {base: at for base, at in bases.items() if base[0] == FLAG}
        self._fixed: list[dict[Base, int]] = []
        """Of each body the addresses that are the same in all turns."""
        for body, own in zip(region.bodies, constants, strict=True):
            fixed = {**shared, ("scratch", 0): self.workspace + region.scratch_offset}
            self._fixed.append(fixed | {("input", k): at for k, at in enumerate(own, len(body.inputs))})

    def work(self) -> Asking:
        """Its work, whatever it is."""
        match self.region.control:
            case "cond":
                return self._branch()
            case "while":
                return self._repeat()
        return self._scan()

    def _body(self, number: int, inputs: Mapping[int, int], outputs: Sequence[int]) -> Asking:
        """The work of a body in one turn."""
        bases = self._fixed[number] | {("input", k): at for k, at in inputs.items()}
        bases |= {("output", k): at for k, at in enumerate(outputs)}
        return self._work_of_body(self.region.bodies[number].steps, bases)

    def _branch(self) -> Asking:
        truth = yield Question(self.inputs[0])
        outputs = [self.outputs[k] for k in self.region.gives]
        yield from self._body(0 if truth else 1, dict(enumerate(self.inputs[1:])), outputs)

    def _repeat(self) -> Asking:
        region = self.region
        flag = self.workspace + region.scratch_offset - CONDITION_BYTES
        yield from self._copies_in_place()
        fixed = self._resting()
        now = {k: self.inputs[k] for k, _ in self._of_kinds("by turns")}
        to = {k: self.outputs[k] for k in now}
        spare = {k: self.workspace + home.offset for k, home in self._of_kinds("by turns")}
        condition = _only_copied(region.bodies[0])
        while True:
            if condition is None:
                yield from self._body(0, fixed | now, [flag])
            truth = yield Question(flag if condition is None else (fixed | now)[condition])
            if not truth:
                break
            yield from self._body(1, fixed | now, [to.get(k, self.outputs[k]) for k in region.gives])
            now, to, spare = to, spare, to
        for k, at in now.items():
            if at != self.outputs[k]:
                yield from _copy(self.outputs[k], at, region.outputs[k].nbytes)
        yield from self._steady_results()

    def _scan(self) -> Asking:
        region, count = self.region, len(self.region.state)
        yield from self._copies_in_place()
        fixed = self._resting()
        fixed |= {k: self.inputs[k] for k in range(count, len(self.inputs)) if k not in region.stacked}
        now: dict[int, int] = {}
        for k, home in self._of_kinds("by turns", "as left", "as found"):
            now[k] = self.inputs[k]
            if home.kind == "as found" and region.length:
                now[k] = self._row(home.stack, region.length - 1 if region.reverse else 0)
                yield from _copy(now[k], self.inputs[k], region.inputs[k].nbytes)
        for turn in range(region.length):
            index = region.length - 1 - turn if region.reverse else turn
            to = {k: self._following(k, home, turn, index) for k, home in enumerate(region.state) if k in now}
            slices = {k: self.inputs[k] + index * region.inputs[k].slice_bytes for k in region.stacked}
            rows = [to[k] if k in to else self.outputs[k] if k < count else self._row(k, index) for k in region.gives]
            yield from self._body(0, fixed | now | slices, rows)
            now = to
        for k, at in now.items():
            if region.state[k].kind == "as left":
                if k not in region.unread:
                    yield from _copy(self.outputs[k], at, region.outputs[k].nbytes)
            elif not region.length:
                yield from _copy(self.outputs[k], self.inputs[k], region.outputs[k].nbytes)
        yield from self._steady_results()

    def _row(self, stack: int, index: int) -> int:
        """A slice of a stacked output."""
        nbytes: int = self.region.outputs[stack].slice_bytes
        return self.outputs[stack] + index * nbytes

    def _following(self, k: int, home: PlanState, turn: int, index: int) -> int:
        """The address at which a turn of a scan leaves a value of the state."""
        last = self.region.length - 1 - turn
        if home.kind == "as left":
            return self._row(home.stack, index)
        if home.kind == "by turns":  # so that the last turn writes the output
            other: int = self.workspace + home.offset
            return other if last % 2 else self.outputs[k]
        return self._row(home.stack, index + (-1 if self.region.reverse else 1)) if last else self.outputs[k]

    # State that never moves

    def _of_kinds(self, *kinds: str) -> list[tuple[int, PlanState]]:
        return [(k, home) for k, home in enumerate(self.region.state) if home.kind in kinds]

    def _resting(self) -> dict[int, int]:
        steady = {k: self.inputs[k] for k, _ in self._of_kinds("steady")}
        return steady | {k: self.outputs[k] for k, _ in self._of_kinds("in place")}

    def _copies_in_place(self) -> Iterator[DeviceCopy]:
        for k, _ in self._of_kinds("in place"):
            yield from _copy(self.outputs[k], self.inputs[k], self.region.inputs[k].nbytes)

    def _steady_results(self) -> Iterator[DeviceCopy]:
        for k, _ in self._of_kinds("steady"):
            if k not in self.region.unread:
                yield from _copy(self.outputs[k], self.inputs[k], self.region.outputs[k].nbytes)


def _only_copied(body: Plan) -> int | None:
    """The input that is the only output of a body, if that is all that it computes."""
    if len(body.steps) != 1 or body.steps[0].ops != ("copy",):
        return None
    _, source = body.steps[0].arguments
    if isinstance(source, PlanAddress) and source.kind == "input" and source.slot < len(body.inputs):
        return source.slot
    return None


def _copy(to: int, source: int, nbytes: Any) -> Iterator[DeviceCopy]:
    if nbytes:
        yield DeviceCopy(to, source, nbytes)
