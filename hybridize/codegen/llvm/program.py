# SPDX-License-Identifier: Apache-2.0
"""A scheduled graph as one LLVM module.

    build(graph, target, name) -> Built        @name(ptr inputs, ptr outputs, ptr scratch), see `runtime.plan`

Equal kernels, contractions and routines are written once, however many steps call them.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable, Collection, Mapping, Sequence

import numpy

from hybridize.base.digests import digest
from hybridize.base.dims import Size, same
from hybridize.base.dtypes import DType
from hybridize.base.frozen import frozen
from hybridize.base.memo import Memo
from hybridize.codegen.llvm.bands import emit_band
from hybridize.codegen.llvm.contraction.step import emit_contraction
from hybridize.codegen.llvm.nests.kernels import emit_kernel, emit_rows
from hybridize.codegen.llvm.parallel import call_in_parallel, emit_body
from hybridize.codegen.llvm.pointers import PassedPointers, Pointers, ProgramPointers
from hybridize.codegen.llvm.prepare import emit_prepare
from hybridize.codegen.llvm.regions import WriteBody, emit_region, emit_scans
from hybridize.codegen.llvm.routines.emit import emit_routine
from hybridize.codegen.llvm.safepoints import failed, some_failed
from hybridize.codegen.llvm.tasks import emit_tasks
from hybridize.codegen.llvm.text import UNOPTIMISED, Function, Module, at, literal, llvm_type, times
from hybridize.graph import Graph
from hybridize.graph.ir import Array
from hybridize.loops.kernel import Kernel
from hybridize.machine.target import Target
from hybridize.runtime.plan import PREPARE, Derivation, Plan, PlanSource
from hybridize.schedule import Schedule, schedule
from hybridize.schedule.contraction.lanes import LanePlan
from hybridize.schedule.contraction.plan import ProductPlan
from hybridize.schedule.parallel import Split
from hybridize.schedule.steps import (
    Address,
    Band,
    Constant,
    ContractionStep,
    Derived,
    LoopStep,
    RegionStep,
    RoutineStep,
    ScheduleStep,
    SharedStep,
    Stable,
)
from hybridize.schedule.tasks import TaskGroup, TaskPart

SMALL = 1 << 18
"""Bytes of a derived constant that plain code makes in less time than LLVM takes for better code: some 60 us, 2 ms for
each function (measured, Zen 4).
"""


@frozen(eq=False)
class Built:
    """A program as text, with what the runtime keeps."""

    module: Module
    plan: Plan
    constants: tuple[Array, ...]
    """In slot order, after the inputs: the graph's own, those of sub-graphs; empty ones for what is derived."""
    sources: tuple[Array, ...]
    """The constants that the plan's derivations read, by number."""


def scheduled(
    graph: Graph,
    target: Target,
    stable: Collection[int] = (),
    slots: int = 1,
    updates: Mapping[int, int] | None = None,
) -> Schedule:
    """The schedule that `build` writes.

    The inputs numbered `stable` are the same at most calls: what is computed of them alone is derived once for each
    version, and matrices are packed, where that pays. Up to `slots` threads
    share steps that are worth it. `updates` are as in `schedule`.
    """
    known = {number: Stable(number, 0, graph.inputs[number].type.dtype.itemsize) for number in stable}
    return schedule(graph, target, slots, known, updates)


def build(
    graph: Graph,
    target: Target,
    name: str = "program",
    stable: Collection[int] = (),
    emitter_of: Callable[[Module, Target, str], Emitter] | None = None,
    slots: int = 1,
    updates: Mapping[int, int] | None = None,
    interruptible: bool = True,
) -> Built:
    """Schedule `graph` and write it as the exported function `name`.

    `emitter_of` makes another writer than `Emitter`; an `interruptible` program is run by CPython; the others are as in
    `scheduled`.
    """
    program = scheduled(graph, target, stable, slots, updates)
    module = Module(target.halves)
    emitter = (emitter_of or Emitter)(module, target, name)
    scope = graph.scope
    emitter.sized = scope is not None
    emitter.watched = interruptible
    names = emitter.program(name, program, linkage="")
    if scope is not None:
        outputs = [value.type for value in graph.outputs]
        emit_prepare(module, PREPARE, scope, outputs, program.scratch_bytes, program.work)
    steps = tuple(
        dataclasses.replace(step, name=step_name) for step, step_name in zip(program.plan.steps, names, strict=True)
    )
    sources: list[Array] = []
    derivations = tuple(
        emitter.derive(slot, constant, sources)
        for slot, constant in enumerate(program.constants)
        if isinstance(constant, Derived)
    )
    constants = tuple(map(_array, program.constants))
    # Last: whatever the code relies on has been assumed by now.
    sizes = () if scope is None else tuple(scope.lines())
    plan = dataclasses.replace(program.plan, steps=steps, derivations=derivations, sizes=sizes)
    return Built(module, plan, constants, tuple(sources))


def _array(constant: Constant) -> Array:
    """A constant as it is given; nothing, where it is made."""
    return constant if isinstance(constant, numpy.ndarray) else numpy.empty(0, numpy.uint8)


class Emitter:
    """Writes programs into a module, sharing functions between equal steps."""

    def __init__(self, module: Module, target: Target, prefix: str) -> None:
        self.module = module
        self.target = target
        self.prefix = prefix
        self.sized = False
        """True if there are size symbols: a pointer to their values follows the constants in the array of inputs."""
        self.watched = False
        """True if loops that data ends have safepoints."""
        self._written: dict[str, str] = {}
        self._functions = Memo()
        """Those of contractions, by their decisions: text is only made of new ones."""
        self._kernels: dict[int, tuple[Kernel, str]] = {}
        """Kernels and their functions, by identity."""
        self._seldom = False
        """True while what is written runs once for each version of a constant of few bytes."""
        self._part: tuple[Function, TaskPart] | None = None
        """The function of the task that is written, and the part of the step there."""

    def program(self, name: str, scheduled: Schedule, linkage: str = "internal") -> list[str]:
        """Write `void name(ptr inputs, ptr outputs, ptr scratch)`; returns the function each step calls."""
        f = self._function(name, linkage)
        if self.sized:
            f.use_sizes("%inputs", len(scheduled.plan.inputs) + len(scheduled.constants))
        return self._steps(f, scheduled.steps, ProgramPointers(f), bool(scheduled.plan.updates), scheduled.groups)

    def _function(self, name: str, linkage: str) -> Function:
        params = [("ptr", "inputs"), ("ptr", "outputs"), ("ptr", "scratch")]
        return Function(self.module, name, params, linkage=linkage, attributes=UNOPTIMISED)

    def _steps(
        self,
        f: Function,
        all_steps: Sequence[ScheduleStep],
        pointers: Pointers,
        updates: bool,
        groups: Sequence[TaskGroup] = (),
    ) -> list[str]:
        """Call all steps; returns the function of each. A program that `updates` ends where it has failed."""
        names: list[str] = []
        for group in groups:
            names += self._in_turn(f, all_steps[len(names) : group.first], updates, pointers)
            names += self.group(f, group, all_steps, pointers)
        names += self._in_turn(f, all_steps[len(names) :], updates, pointers)
        return names

    def _in_turn(self, f: Function, steps: Sequence[ScheduleStep], updates: bool, pointers: Pointers) -> list[str]:
        """Call steps one after the other."""
        names = []
        for shared, some in itertools.groupby(steps, key=lambda step: step.together):
            if isinstance(shared, int):
                names += self.scans(f, [step for step in some if isinstance(step, RegionStep)], pointers)
                continue
            if shared is not None:
                names += self.band(f, shared, [step for step in some if isinstance(step, SharedStep)], pointers)
                continue
            for step in some:
                names.append(self.step(f, step, pointers))
                if updates and (step.asserts or step.interruptible):
                    self._stop(f, step, pointers)
        return names

    def group(self, f: Function, group: TaskGroup, steps: Sequence[ScheduleStep], pointers: Pointers) -> list[str]:
        """Run steps beside each other; returns the function of each."""
        assert group.split is not None
        names: dict[int, str] = {}
        tasks = []
        addresses = tuple(
            dict.fromkeys(
                address
                for step in steps[group.first : group.last + 1]
                if not step.is_empty
                for address in step.pointers()
            )
        )
        for task in group.tasks:
            tasks.append(f"{self.prefix}.task{len(self.module.functions)}")
            own = Function(self.module, tasks[-1], [("ptr", "data")], attributes=UNOPTIMISED)
            if f.sizes:
                cell = own.on_entry(f"getelementptr ptr, ptr %data, i64 {len(addresses)}", "cell of sizes")
                own.sizes = own.on_entry(f"load ptr, ptr {cell}, align 8", "sizes")
            within = PassedPointers(own, addresses)
            for part in task:
                self._part = own, part
                names[part.step] = self.step(own, steps[part.step], within)
        body = f"{self.prefix}.tasks{len(self.module.functions)}"
        emit_tasks(self.module, body, tasks)
        team = pointers.at(Address("input", group.split.team, 0))
        call_in_parallel(f, team, body, [pointers.at(address) for address in addresses], len(tasks), group.split)
        return [names[number] for number in range(group.first, group.last + 1)]

    def _stop(self, f: Function, step: ScheduleStep, pointers: Pointers) -> None:
        """End the program where an assertion does not hold, or a loop has been interrupted: nothing is written over an
        input then.
        """
        end, following = f.fresh("failed"), f.fresh("held")
        if step.interruptible:
            if not self.watched:
                return
            some = f.fresh("some")
            f.branch(some_failed(f, self.target), some, following, begin=some)
            f.branch(failed(f, self.target), end, following)
        else:
            condition = pointers.at(step.addresses[0])
            f.branch(f.op(f"icmp eq i8 {f.op(f'load i8, ptr {condition}')}, 0"), end, following)
        f.begin_block(end)
        f.do("ret void")
        f.begin_block(following)

    def step(self, f: Function, step: ScheduleStep, pointers: Pointers) -> str:
        """Call what `step` says; returns the name of the function."""
        match step:
            case LoopStep(addresses=addresses):
                return self._loops(f, step, [pointers.at(address) for address in addresses], pointers)
            case ContractionStep():
                return self._contraction(f, step, pointers)
            case RoutineStep(routine=routine, inputs=inputs, outputs=outputs, scratch=scratch):
                name = emit_routine(self.module, routine, inputs, outputs, scratch, self.target)
                self._call(f, name, [pointers.at(address) for address in step.arguments])
                return name
            case RegionStep():
                return self._region(f, step, pointers)

    def _loops(self, f: Function, step: LoopStep, args: list[str], pointers: Pointers) -> str:
        """Call a kernel with these pointers; returns the name of the function."""
        if step.is_empty:
            return ""
        if step.numbers:
            args.insert(len(step.kernel.params) - 1, self._table(step.kernel.params[-1].dtype, step.numbers))
        if step.split is not None:
            return self._shared(f, step.kernel, args, step.split, pointers)
        name = self._kernel(step.kernel)
        self._call(f, name, args)
        return name

    def _region(self, f: Function, step: RegionStep, pointers: Pointers) -> str:
        name = f"{self.prefix}.region{len(self.module.functions)}"
        watched = self.target if self.watched else None
        emit_region(self.module, name, step, self._body(step), watched, sized=bool(f.sizes))
        self._call(f, name, [*self._handed(step, pointers), *[f.sizes] * bool(f.sizes)])
        return name

    def scans(self, f: Function, steps: Sequence[RegionStep], pointers: Pointers) -> list[str]:
        """Run scans in one loop; returns the function of each."""
        name = f"{self.prefix}.region{len(self.module.functions)}"
        emit_scans(self.module, name, steps, [self._body(step) for step in steps], sized=bool(f.sizes))
        args = [arg for step in steps for arg in self._handed(step, pointers)]
        self._call(f, name, [*args, *[f.sizes] * bool(f.sizes)])
        return [name for _ in steps]

    def _body(self, step: RegionStep) -> WriteBody:
        """The writer of calls of the steps of a region's bodies."""

        def write(f: Function, number: int, pointers: Pointers) -> None:
            body = step.bodies[number]
            self._steps(f, body.steps, pointers, False, body.groups)

        return write

    def _handed(self, step: RegionStep, pointers: Pointers) -> list[str]:
        """The arguments of a region's function."""
        constants = (address for one in step.constants for address in one)
        return [pointers.at(address) for address in (*step.addresses, *constants, step.workspace)]

    def _kernel(self, kernel: Kernel) -> str:
        """The function of a kernel; many steps may run the very same one, which is printed once then."""
        known = self._kernels.get(id(kernel))
        if known is None or self.module.functions[known[1]].seldom:
            name = self._once("loops", str(kernel), lambda name: emit_kernel(self.module, name, kernel, self.target))
            known = self._kernels[id(kernel)] = kernel, name
        return known[1]

    def _table(self, dtype: DType, numbers: tuple[float, ...]) -> str:
        """The constant that holds the numbers of a step."""
        scalar = llvm_type(dtype)
        value = f"[{', '.join(f'{scalar} {literal(number, dtype)}' for number in numbers)}]"
        kind = f"[{len(numbers)} x {scalar}]"
        name = self._once("numbers", f"{kind} {value}", lambda name: self.module.constant(name, kind, value))
        return f"@{name}"

    def _shared(self, f: Function, kernel: Kernel, args: Sequence[str], split: Split, pointers: Pointers) -> str:
        """Call a kernel nest by nest, or some together, in loops shared by threads; returns the first function."""
        names, before = [], 0
        for loop in split.loops:
            count = 1 if loop is None else loop.nests
            part = Kernel(kernel.params, kernel.locals, kernel.nests[before : before + count])
            before += count
            if loop is None:
                names.append(self._kernel(part))
                self._call(f, names[-1], args)
                continue
            write = functools.partial(emit_kernel, self.module, kernel=part, target=self.target, shared=loop)
            names.append(self._once("loops", f"{loop} of {part}", write))
            self._in_parallel(f, names[-1], args, loop.turns, split, pointers)
        return names[0]

    def _in_parallel(
        self, f: Function, name: str, args: Sequence[str], turns: int, split: Split, pointers: Pointers
    ) -> None:
        """Call a ranged function through the team of the program, or in a task, for its part of the turns."""
        if self._part is not None and self._part[0] is f:
            part = self._part[1]
            first = len(args) - len(split.strides)
            own = [at(f, arg, part.index * by) for arg, by in zip(args[first:], split.strides, strict=True)]
            ends = [f.size(turns * index // part.count) for index in (part.index, part.index + 1)]
            f.call(name, [*(f"ptr {arg}" for arg in (*args[:first], *own)), *(f"i64 {end}" for end in ends)])
            return
        body = self._once(
            "body",
            f"body {name} {split.strides}",
            lambda body: emit_body(self.module, body, name, len(args), split.strides, bool(f.sizes)),
        )
        call_in_parallel(f, pointers.at(Address("input", split.team, 0)), body, args, turns, split)

    def band(self, f: Function, band: Band, steps: Sequence[SharedStep], pointers: Pointers) -> list[str]:
        """Run steps block by block, after those that pack for them; returns the function of each."""
        packing = [(step, step.part.members) for step in steps if step.part is not None and step.part.packs]
        calls, called = [], [(step, step.part.local) for step in steps if step.part is not None and not step.part.packs]
        shared = dict.fromkeys(one for step, _ in called for one in step.arguments if one not in band.own)
        places = {address: number for number, address in enumerate((*shared, *band.own))}
        for step, local in called:
            pairs = zip(step.arguments, local, strict=True)
            calls.append((self._ranged(step), [(places[address], row) for address, row in pairs]))
        names = [name for name, _ in calls]
        name = self._once(
            band.cut.word,
            f"{band.cut!r} {band.units!r} of {calls}",
            lambda name: emit_band(self.module, name, band, len(places), calls),
        )
        args = [pointers.at(address) for address in places]
        if not packing:
            self._blocks(f, name, band, args, pointers)
            return names
        # Pointers are found before the loop, as later steps use them, too.
        packed = [(step, members, [*map(pointers.at, step.addresses)]) for step, members in packing]
        for split in (band.split, *(step.split for step, _ in packing)):
            if split is not None:
                pointers.at(Address("input", split.team, 0))
        before: list[str] = []
        back: dict[str, Size] = {}
        _, _, batch = band.cut.extent
        with f.loop(0, batch) as turn:
            for step, members, (to, source) in packed:
                assert isinstance(step, LoopStep)
                source = _of_member(f, source, turn.index, members)
                before.append(self._loops(f, step, [to, source], pointers))
                param = step.kernel.params[0]
                back[to] = -param.size * param.dtype.itemsize
            number = f.op(f"inttoptr i64 {turn.index} to ptr")
            moved = [at(f, arg, times(f, turn.index, back.get(arg, 0))) for arg in args]
            self._blocks(f, name, band, [number, *moved], pointers)
        return [*before, *names]

    def _blocks(self, f: Function, name: str, band: Band, args: Sequence[str], pointers: Pointers) -> None:
        """Call the function of a band for all units."""
        if band.split is None:
            f.call(name, [*(f"ptr {arg}" for arg in args), "i64 0", f"i64 {f.size(band.units)}"])
        else:
            self._in_parallel(f, name, args, band.units, band.split, pointers)

    def _ranged(self, step: SharedStep) -> str:
        """The function that runs some rows of a step, or some of its units."""
        if isinstance(step, ContractionStep):
            return self._tiles(step, ranged=True)
        assert isinstance(step, LoopStep)
        kernel = step.kernel
        return self._once("loops", f"rows of {kernel}", lambda name: emit_rows(self.module, name, kernel, self.target))

    def _contraction(self, f: Function, step: ContractionStep, pointers: Pointers) -> str:
        """Call the function of a contraction, or have threads call it for ranges of its units."""
        if same(step.out.size, 0):
            return ""
        name = self._tiles(step, ranged=step.split is not None)
        args = [pointers.at(address) for address in step.arguments]
        if step.split is None:
            self._call(f, name, args)
        else:
            self._in_parallel(f, name, args, step.plan.units, step.split, pointers)
        return name

    def _tiles(self, step: ContractionStep, *, ranged: bool) -> str:
        """The function of a contraction, of a range of its units where that is asked for."""
        return self._functions.of((step.plan, step.ending, ranged), lambda: self._new_tiles(step, ranged=ranged))

    def _new_tiles(self, step: ContractionStep, *, ranged: bool) -> str:
        """`_tiles`, found by text: epilogues over expressions of other programs may be equal, too."""
        plan, words = step.plan, f"{step.ending}{' ranged' if ranged else ''}"
        kind, key = ("lanes" if isinstance(plan, LanePlan) else "taps"), f"{plan!r} {words}"
        if isinstance(plan, ProductPlan):
            kind, key = "product", f"{plan.product} {plan.product.prologue} {words}{plan.blocks or ''}"
        write = functools.partial(emit_contraction, self.module, step=step, target=self.target, ranged=ranged)
        return self._once(kind, key, write)

    def derive(self, slot: int, derived: Derived, arrays: list[Array]) -> Derivation:
        """Write the program that makes a derived constant; returns what the plan says of it.

        Args:
            slot: its position among the constants.
            derived: the constant.
            arrays: those that derivations read, to which its own are added.
        """
        name = self._once("derive", f"derive {derived.key}", lambda name: self._derivation(name, derived))
        key = f"{self.target.name} {derived.key}"
        sources = []
        for source in derived.sources:
            if isinstance(source, Stable):
                sources.append(PlanSource("input", source.input, source.offset * source.itemsize))
                continue
            assert isinstance(source, numpy.ndarray), "what is the same in all turns of a loop is made before the loop"
            number = next((number for number, array in enumerate(arrays) if array is source), len(arrays))
            if number == len(arrays):
                arrays.append(source)
            sources.append(PlanSource("constant", number, 0))
            if any(isinstance(one, Stable) for one in derived.sources):  # others may make it of other arrays
                key += digest(numpy.ascontiguousarray(source).reshape(-1).view(numpy.uint8).data).hex()
        layout = digest(key.encode()).hex()
        nbytes, scratch = derived.type.nbytes, derived.scratch_bytes
        return Derivation(
            slot=slot,
            function=name,
            nbytes=nbytes,
            layout=layout,
            sources=tuple(sources),
            scratch_bytes=scratch,
            ops=derived.ops,
        )

    def _derivation(self, name: str, derived: Derived) -> None:
        """A program of its own, which the runtime calls; it knows no sizes of calls."""
        sized, self.sized, watched, self.watched = self.sized, False, self.watched, False
        self._seldom = derived.type.nbytes <= SMALL
        f = self._function(name, "")
        self._steps(f, derived.steps, ProgramPointers(f), updates=False)
        f.do("ret void")
        self.sized, self.watched, self._seldom = sized, watched, False

    def _once(self, kind: str, key: str, write: Callable[[str], object]) -> str:
        """Write a function unless an equal one is there; returns its name."""
        name = self._written.get(key)
        known = name is not None
        if name is None:
            name = self._written[key] = f"{self.prefix}.{kind}{len(self._written)}"
            write(name)
        function = self.module.functions.get(name)
        if function is not None:
            function.seldom = self._seldom and (function.seldom or not known)
        return name

    def _call(self, f: Function, name: str, args: Sequence[str]) -> None:
        f.call(name, [f"ptr {arg}" for arg in args])


def _of_member(f: Function, pointer: str, member: str, members: Sequence[tuple[Size, Size]]) -> str:
    """A pointer to the first member of a batch moved to another one, whose number counts all axes of the batch."""
    for place, (size, stride) in reversed([*enumerate(members)]):
        index = f.op(f"urem i64 {member}, {f.size(size)}") if place else member
        pointer = at(f, pointer, times(f, index, stride))
        if place:
            member = f.op(f"udiv i64 {member}, {f.size(size)}")
    return pointer
