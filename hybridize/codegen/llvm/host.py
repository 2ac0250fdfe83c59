# SPDX-License-Identifier: Apache-2.0
"""The host's part of a program, written from its plan alone: calls of functions in their order, and control flow.

    HostWriter(functions, target).block(f, steps, pointers, team).write(node)

Sizes of the plan are dims here, as registers are made of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hybridize.base.dims import Dim, Size
from hybridize.base.dtypes import BY_CODE
from hybridize.base.frozen import changed
from hybridize.codegen.llvm.bands import emit_band
from hybridize.codegen.llvm.calls import call, in_memory, needed
from hybridize.codegen.llvm.parallel import call_in_parallel, emit_body
from hybridize.codegen.llvm.pointers import PassedPointers, Pointers
from hybridize.codegen.llvm.regions import emit_region, emit_scans
from hybridize.codegen.llvm.safepoints import failed, some_failed
from hybridize.codegen.llvm.table import FunctionTable
from hybridize.codegen.llvm.tasks import emit_tasks
from hybridize.codegen.llvm.text import UNOPTIMISED, Function, Module, literal, llvm_type
from hybridize.machine.target import Target
from hybridize.runtime.plan import (
    Plan,
    PlanAddress,
    PlanArgument,
    PlanBand,
    PlanLaunch,
    PlanNode,
    PlanPacking,
    PlanRegion,
    PlanRolling,
    PlanScans,
    PlanShare,
    PlanStep,
    PlanStop,
    PlanTable,
    PlanTasks,
    steps_of,
)


class HostWriter:
    """The writer of a whole program: has what its blocks have in common."""

    def __init__(self, functions: FunctionTable, target: Target) -> None:
        self.functions = functions
        self.module: Module = functions.module
        self.target = target
        self.watched = False
        """True if loops that data ends have safepoints."""
        self.ends = False
        """True if a loop of known length that is written now may end where it is interrupted: so does the program."""
        self.dims: Mapping[str, Dim] = {}
        """The size symbols, by name."""

    def launch(self, name: str, turns: Size) -> PlanLaunch:
        """A call of a function that is written here, for the turns of a range."""
        launch = self.functions.launch(name)
        return changed(launch, turns=turns, sizes=tuple(self.dims[name] for name in launch.sizes))

    def block(self, f: Function, steps: Sequence[PlanStep], pointers: Pointers, team: PlanAddress | None) -> HostBlock:
        """The writer of steps into `f`, whose loops a team runs."""
        return HostBlock(self, f, steps, pointers, team)

    def body(self, f: Function, plan: Plan, pointers: Pointers) -> None:
        """Write all steps of a plan."""
        block = self.block(f, plan.steps, pointers, plan.team)
        for node in plan.order:
            block.write(node)

    def begin(self, plan: Plan, number: int) -> None:
        """Begin a node of the outermost program: behind one that writes over its inputs, it may have to stop."""
        stops = PlanStop(None) in plan.order[number + 1 : number + 2]
        self.ends = self.watched and not isinstance(plan.order[number], PlanTasks) and (stops or not plan.updates)


class HostBlock:
    """Writes the steps of a program, of a body, or of a task."""

    def __init__(
        self, host: HostWriter, f: Function, steps: Sequence[PlanStep], pointers: Pointers, team: PlanAddress | None
    ) -> None:
        self._host = host
        self._f = f
        self._steps = steps
        self._pointers = pointers
        self._team = team
        self._functions = host.functions

    def write(self, node: PlanNode) -> None:
        """Write one part of the order."""
        match node:
            case int():
                self.step(node)
            case PlanStop():
                self._stop(node)
            case PlanTasks():
                self._tasks(node)
            case PlanBand() | PlanRolling():
                self._band(node)
            case PlanScans():
                self._region([self._steps[number] for number in steps_of(node)])

    # Calls

    def _at(self, argument: PlanArgument) -> str:
        """The pointer to an argument."""
        if isinstance(argument, PlanAddress):
            return self._pointers.at(argument)
        return _table(self._functions, argument)

    def step(self, number: int, part: tuple[int, int] | None = None) -> None:
        """Write one step, all of it or, of a task, a part of its turns by index and count."""
        step = self._steps[number]
        if step.region is not None:
            self._region([step])
        elif step.launches:
            self._launch(step, [*map(self._at, step.arguments)], part)

    def _launch(self, step: PlanStep, args: Sequence[str], part: tuple[int, int] | None = None) -> None:
        """Call the functions of a step with these pointers: of those with turns all, or a part by index and count."""
        for launch in step.launches:
            if launch.turns is None or step.share is None:
                call(self._f, launch, args)
            elif part is None:
                self._in_parallel(launch, args, step.share)
            else:
                index, count = part
                first = len(args) - len(step.share.own)
                own = [self._f.at(arg, index * by) for arg, by in zip(args[first:], step.share.own, strict=True)]
                ends = [self._f.size(launch.turns * one // count) for one in (index, index + 1)]
                call(self._f, launch, [*args[:first], *own], ends)

    def _in_parallel(
        self, launch: PlanLaunch, args: Sequence[str], share: PlanShare, numbers: Sequence[str] = ()
    ) -> None:
        """Call a function of a range of turns through the team, with numbers before the range."""
        f, module = self._f, self._host.module
        body = self._functions.once(
            "body",
            f"body {launch.function} {share.own}",
            lambda body: emit_body(
                module, body, launch, pointers=len(args), strides=share.own, sized=bool(f.sizes), numbers=len(numbers)
            ),
        )
        self._run(body, args, launch.turns, share, numbers)

    def _run(
        self, body: str, pointers: Sequence[str], turns: Size, share: PlanShare, numbers: Sequence[str] = ()
    ) -> None:
        """Run all turns of a loop's body through the team."""
        call_in_parallel(self._f, self._of_team(), body, pointers=pointers, turns=turns, share=share, numbers=numbers)

    def _of_team(self) -> str:
        assert self._team is not None
        return self._pointers.at(self._team)

    # Several steps

    def _band(self, band: PlanBand | PlanRolling) -> None:
        """Steps block by block, after those that pack for them."""
        called: list[tuple[PlanStep, Sequence[Size]]]
        cut: tuple[object, ...]
        if isinstance(band, PlanBand):
            word, cut, own = "band", (band.block, band.rows, band.batch, band.in_turn), list(band.own)
            units = band.count if band.in_turn else band.batch * band.count
            called = [(self._steps[one.step], one.blocks) for one in band.steps]
        else:
            word, own, units = "rolling", [one.address for one in band.memories], band.parts
            cut = (band.parts, band.blocks, *((one.line_bytes, one.lines) for one in band.memories))
            steps = [self._steps[number] for number in steps_of(band)]
            called = [(step, [0] * len(step.arguments)) for step in steps]
        shared = dict.fromkeys(one for step, _ in called for one in in_memory(step) if one not in own)
        places = {address: number for number, address in enumerate((*shared, *own))}
        calls = [
            (step.launches[0], [(places[one], row) for one, row in zip(in_memory(step), rows, strict=True)])
            for step, rows in called
        ]
        name = self._functions.once(
            word, f"{cut!r} of {calls}", lambda name: emit_band(self._host.module, name, band, len(places), calls)
        )
        args = [self._pointers.at(address) for address in places]
        if isinstance(band, PlanBand) and band.in_turn:
            self._members(name, band, args)
        else:
            self._blocks(name, band, args, units)

    def _members(self, name: str, band: PlanBand, args: Sequence[str]) -> None:
        """The blocks of one member of the batch after the other, for each of which matrices are packed before."""
        f = self._f
        # Pointers are found before the loop, as later steps use them, too.
        packed = [
            (self._steps[one.step], one, [*map(self._at, self._steps[one.step].arguments)]) for one in band.packing
        ]
        if band.share is not None or any(step.share is not None for step, _, _ in packed):
            self._of_team()
        back: dict[str, Size] = {}
        with f.loop(0, band.batch) as turn:
            for step, one, (to, source) in packed:
                source = _of_member(f, source, turn.index, one)
                self._launch(step, [to, source])
                back[to] = -one.bytes
            moved = [f.at(arg, f.times(turn.index, back.get(arg, 0))) for arg in args]
            self._blocks(name, band, moved, band.count, [turn.index])

    def _blocks(
        self,
        name: str,
        band: PlanBand | PlanRolling,
        args: Sequence[str],
        units: Size,
        member: Sequence[str] = (),
    ) -> None:
        """Call the function of a band for all units."""
        launch = self._host.launch(name, units)
        if band.share is None:
            call(self._f, launch, args, [*member, "0", self._f.size(units)])
        else:
            self._in_parallel(launch, args, band.share, member)

    def _tasks(self, group: PlanTasks) -> None:
        """Steps beside each other."""
        f, host = self._f, self._host
        steps = [self._steps[number] for number in steps_of(group)]
        passed = tuple(dict.fromkeys(one for step in steps for one in needed(step, self._team)))
        tasks = []
        for task in group.tasks:
            tasks.append(f"{self._functions.prefix}.task{len(host.module.functions)}")
            own = Function(host.module, tasks[-1], [("ptr", "data")], attributes=UNOPTIMISED)
            if f.sizes:
                cell = own.on_entry(f"getelementptr ptr, ptr %data, i64 {len(passed)}", "cell of sizes")
                own.sizes = own.on_entry(f"load ptr, ptr {cell}, align 8", "sizes")
            block = host.block(own, self._steps, PassedPointers(own, passed), self._team)
            for number, index, count in task:
                block.step(number, (index, count))
        body = f"{self._functions.prefix}.tasks{len(host.module.functions)}"
        emit_tasks(host.module, body, tasks)
        args = [self._pointers.at(address) for address in passed]
        self._run(body, args, len(tasks), group.share)

    # Control flow

    def _region(self, steps: Sequence[PlanStep]) -> None:
        """Control flow, or scans in one loop."""
        f, host = self._f, self._host
        name = f"{self._functions.prefix}.region{len(host.module.functions)}"
        regions: list[PlanRegion] = [step.region for step in steps if step.region is not None]
        watched = host.target if host.ends or (host.watched and regions[0].control == "while") else None
        if len(regions) == 1:
            emit_region(host.module, name, regions[0], host.body, watched, sized=bool(f.sizes))
        else:
            emit_scans(host.module, name, regions, host.body, watched, sized=bool(f.sizes))
        args = [self._at(argument) for step in steps for argument in step.arguments]
        f.call(name, [f"ptr {arg}" for arg in (*args, *[f.sizes] * bool(f.sizes))])

    def _stop(self, stop: PlanStop) -> None:
        """End the program where an assertion does not hold, or a loop has been interrupted: nothing is written over an
        input then.
        """
        f = self._f
        if stop.condition is None and not self._host.watched:
            return
        end, following = f.fresh("failed"), f.fresh("held")
        if stop.condition is None:
            some = f.fresh("some")
            f.branch(some_failed(f, self._host.target), some, following, begin=some)
            f.branch(failed(f, self._host.target), end, following)
        else:
            condition = self._pointers.at(stop.condition)
            f.branch(f.op(f"icmp eq i8 {f.op(f'load i8, ptr {condition}')}, 0"), end, following)
        f.begin_block(end)
        f.do("ret void")
        f.begin_block(following)


def _table(functions: FunctionTable, table: PlanTable) -> str:
    """The constant that holds the numbers of a step."""
    dtype = BY_CODE[table.dtype]
    scalar = llvm_type(dtype)
    value = f"[{', '.join(f'{scalar} {literal(number, dtype)}' for number in table.numbers)}]"
    kind = f"[{len(table.numbers)} x {scalar}]"
    write = functions.module.constant
    return f"@{functions.once('numbers', f'{kind} {value}', lambda name: write(name, kind, value))}"


def _of_member(f: Function, pointer: str, member: str, packing: PlanPacking) -> str:
    """A pointer to the first member of a batch moved to another one, whose number counts all axes of the batch."""
    for place, (size, stride) in reversed([*enumerate(packing.members)]):
        index = f.op(f"urem i64 {member}, {f.size(size)}") if place else member
        pointer = f.at(pointer, f.times(index, stride))
        if place:
            member = f.op(f"udiv i64 {member}, {f.size(size)}")
    return pointer
