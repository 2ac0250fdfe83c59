# SPDX-License-Identifier: Apache-2.0
"""A scheduled graph as one LLVM module.

    build(graph, target, name) -> Built        @name(ptr inputs, ptr outputs, ptr scratch), see `runtime.plan`

Equal kernels, contractions and routines are written once, however many steps call them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from hybridize.base.dims import SizeScope
from hybridize.base.frozen import changed, frozen
from hybridize.codegen.llvm.derivations import array_of, derivation
from hybridize.codegen.llvm.host import HostWriter
from hybridize.codegen.llvm.kernels import StepFunctions
from hybridize.codegen.llvm.pointers import ProgramPointers
from hybridize.codegen.llvm.prepare import emit_prepare
from hybridize.codegen.llvm.table import FunctionTable
from hybridize.codegen.llvm.text import UNOPTIMISED, Function, Module
from hybridize.graph import Graph
from hybridize.graph.ir import Array
from hybridize.machine.target import Target
from hybridize.runtime.plan import (
    PREPARE,
    Derivation,
    Plan,
    PlanMaker,
    PlanStep,
    filled,
    steps_of,
)
from hybridize.schedule import Schedule, schedule, thresholds
from hybridize.schedule.launches import planned, running_order
from hybridize.schedule.steps import Derived, ScheduleStep, Stable


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
    host_of: Callable[[FunctionTable, Target], HostWriter] | None = None,
    slots: int = 1,
    updates: Mapping[int, int] | None = None,
    interruptible: bool = True,
) -> Built:
    """Schedule `graph` and write it as the exported function `name`.

    `host_of` makes another writer than `HostWriter`; an `interruptible` program is run by CPython; the others are as in
    `scheduled`.
    """
    program = scheduled(graph, target, stable, slots, updates)
    module = Module(target.halves)
    functions = FunctionTable(module, name)
    scope = graph.scope
    writer = _Writer(functions, target)
    host = (host_of or HostWriter)(functions, target)
    host.watched = interruptible
    steps = writer.program(name, program, host, scope)
    if scope is not None:
        outputs = [value.type for value in graph.outputs]
        emit_prepare(module, PREPARE, scope, outputs, program.scratch_bytes, program.work)
    sources: list[Array] = []
    derivations = tuple(
        writer.derive(slot, constant, sources)
        for slot, constant in enumerate(program.constants)
        if isinstance(constant, Derived)
    )
    constants = tuple(map(array_of, program.constants))
    # Last: whatever the code relies on has been assumed by now.
    sizes = () if scope is None else tuple(scope.lines())
    makers = tuple(writer.makers.values())
    plan = changed(program.plan, steps=steps, derivations=derivations, sizes=sizes, makers=makers)
    return Built(module, plan, constants, tuple(sources))


class _Writer:
    """Writes programs: the functions of steps, the plan of these and, of that alone, what calls them."""

    def __init__(self, functions: FunctionTable, target: Target) -> None:
        self._functions = functions
        self._of_steps = StepFunctions(functions, target)
        self._target = target
        self.makers: dict[str, PlanMaker] = {}

    def program(self, name: str, program: Schedule, host: HostWriter, scope: SizeScope | None) -> tuple[PlanStep, ...]:
        """Write `void name(ptr inputs, ptr outputs, ptr scratch)`; returns the steps with their functions."""
        f = self._function(name)
        if scope is not None:
            f.use_sizes("%inputs", len(program.plan.inputs) + len(program.constants))
            host.dims = {one.name: scope.dim(one) for one in scope.symbols}
        return self._steps(f, host, program.steps, program.plan)

    def _function(self, name: str) -> Function:
        params = [("ptr", "inputs"), ("ptr", "outputs"), ("ptr", "scratch")]
        return Function(self._functions.module, name, params, linkage="", attributes=UNOPTIMISED)

    def _steps(self, f: Function, host: HostWriter, steps: Sequence[ScheduleStep], plan: Plan) -> tuple[PlanStep, ...]:
        """Write each step's functions, then the host's calls of them."""
        complete: list[PlanStep] = []
        known: list[PlanStep] = []
        sizes = host.dims
        block = host.block(f, known, ProgramPointers(f), plan.team)
        for at, node in enumerate(plan.order):
            host.begin(plan, at)
            for number in steps_of(node):
                complete.append(self._of_steps.step(steps[number], plan.steps[number]))
                known.append(filled(complete[-1], sizes) if sizes else complete[-1])
            block.write(filled(node, sizes) if sizes else node)
        return tuple(complete)

    def derive(self, slot: int, derived: Derived, arrays: list[Array]) -> Derivation:
        """Write the program that makes a derived constant; returns what the plan says of it.

        Args:
            slot: its position among the constants.
            derived: the constant.
            arrays: those that derivations read, to which its own are added.
        """
        name = self._functions.once("derive", f"derive {derived.key}", lambda name: self._derivation(name, derived))
        return derivation(slot, derived, name, arrays, self._target)

    def _derivation(self, name: str, derived: Derived) -> None:
        """A program of its own, which the runtime calls; it knows no sizes of calls."""
        self._functions.seldom = derived.type.nbytes <= thresholds.PLAIN_BYTES
        f = self._function(name)
        order = running_order(derived.steps)
        plan = Plan((), (), (), 0, tuple(planned(step, 0) for step in derived.steps), order=order)
        self.makers[name] = PlanMaker(
            name, self._steps(f, HostWriter(self._functions, self._target), derived.steps, plan), order
        )
        f.do("ret void")
        self._functions.seldom = False
