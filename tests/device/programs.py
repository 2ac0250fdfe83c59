"""Programs of our own on the emulated device: every launch with the bytes that it may touch, results beside the CPU's."""

import functools
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from hybridize import ops
from hybridize.base.dtypes import BY_CODE
from hybridize.codegen.llvm.device.program import DeviceProgram, build_kernels
from hybridize.compiler import compile
from hybridize.graph import Graph
from hybridize.machine.target import named_target
from hybridize.passes import PIPELINE
from hybridize.runtime.device_notes import raise_noted
from hybridize.runtime.device_steps import DeviceLaunch, perform, work_of
from hybridize.runtime.plan import FLAG, NOTE_BYTES, Derivation, PlanStep, aligned_note, plain, sized
from hybridize.schedule.device.routines import scratch_on_device
from hybridize.schedule.steps import ContractionStep, LoopStep, RoutineStep, ScheduleStep
from tests.device.emulated import Emulated
from tests.device.memory import Span

SM_80 = named_target("sm_80")
CPU = named_target("avx2")


def graph_of(function, *types) -> Graph:
    return PIPELINE.run(ops.make_graph(function, types))


def on_cpu(graph: Graph, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    return compile(graph, CPU).run(inputs)


def on_device(graph: Graph, inputs: Sequence[np.ndarray], stable=()) -> list[np.ndarray]:
    return Run(build_kernels(graph, SM_80, stable), inputs).outputs()


@functools.lru_cache(maxsize=4)
def _text_of(program: DeviceProgram) -> str:
    """Return the PTX of a program, which tests run for several sizes."""
    return program.ptx()


class Run:
    """One program with its inputs, on a device of its own.

    `text` may be other PTX than the program's, also in several modules.
    """

    def __init__(
        self,
        program: DeviceProgram,
        inputs: Sequence[np.ndarray],
        sizes: Mapping[str, int] = {},
        text: str | Sequence[str] = "",
    ):
        self.program, self.inputs, self.sizes, self.text = program, inputs, sizes, text or _text_of(program)
        self.device = Emulated()

    def outputs(self) -> list[np.ndarray]:
        """The results; inputs are as before, and what was allocated is freed."""
        program = self.program
        modules = [self.device.load(text) for text in ([self.text] if isinstance(self.text, str) else self.text)]
        self.code = {name: module[name] for module in modules for name in module}
        plan = program.plan.at(self.sizes)
        where = {("input", k): self._put(array) for k, array in enumerate(self.inputs)}
        where["scratch", 0] = self._room(plan.scratch_bytes)
        for k, constant in enumerate(program.constants, len(self.inputs)):
            where["input", k] = self._put(constant)
        for one in plan.derivations:
            self._derive(one, where)
        where |= {("output", k): self._room(one.nbytes) for k, one in enumerate(plan.outputs)}
        if plan.notes:
            where[FLAG, 0] = self._room(plan.flag_bytes)
            self.device.copy_in(where[FLAG, 0], np.zeros(1, np.int64))
        self._perform(plan.steps, program.schedule.steps, where)
        if plan.notes:
            raise_noted(plan, lambda at, *of: self.device.copy_out(where[FLAG, 0] + at, np.empty(*of)))
        results = [np.empty(one.shape, BY_CODE[one.dtype]) for one in plan.outputs]
        for k, array in enumerate(results):
            self.device.copy_out(where["output", k], array)
        for k, array in enumerate(self.inputs):
            assert self.device.copy_out(where["input", k], np.empty_like(array)).tobytes() == array.tobytes()
        for at in where.values():
            self.device.free(at)
        self.device.close()
        return results

    def _put(self, array: np.ndarray) -> int:
        at = self._room(array.nbytes)
        self.device.copy_in(at, array)
        return at

    def _room(self, nbytes: int) -> int:
        return self.device.alloc(max(1, nbytes))

    def _derive(self, one: Derivation, where) -> None:
        """Make a derived constant, in memory of its own."""
        slot = len(self.inputs) + one.slot
        self.device.free(where["input", slot])
        where["input", slot] = self._room(one.nbytes)
        arrays = [self._put(array) for array in self.program.sources]
        own = {("output", 0): where["input", slot], ("scratch", 0): self._room(one.scratch_bytes)}
        for k, source in enumerate(one.sources):
            at = where["input", source.number] if source.kind == "input" else arrays[source.number]
            own["input", k] = at + source.offset
        (maker,) = (maker for maker in self.program.plan.makers if maker.function == one.function)
        derived = self.program.schedule.constants[one.slot]
        self._perform(maker.steps, derived.steps, own)
        for at in (*arrays, own["scratch", 0]):
            self.device.free(at)

    def _perform(self, steps: Sequence[PlanStep], scheduled: Sequence[ScheduleStep], where) -> None:
        reaches = {
            function: nbytes
            for step, one in zip(steps, scheduled, strict=True)
            for function, nbytes in _reaches(step, one)
        }
        perform(work_of(steps, where), self.device, lambda one: self._launch(one, reaches[one.launch.function]))

    def _launch(self, one: DeviceLaunch, reaches: Sequence[int]) -> None:
        launch = one.launch
        if launch.blocks == 0:
            return
        arguments = [
            Span(at, filled_size(nbytes, self.sizes)) for at, nbytes in zip(one.addresses, reaches, strict=True)
        ]
        self.device.launch(
            self.code[launch.function],
            (launch.blocks, 1, 1),
            launch.threads,
            launch.shared_bytes,
            [*arguments, *launch.sizes],
        )


def _reaches(step: PlanStep, scheduled: ScheduleStep) -> Iterator[tuple[str, list[int]]]:
    """The functions of a step, and of those within it, and the bytes that each may touch by each of its addresses."""
    for body, one in zip(step.region.bodies if step.region else (), scheduled.programs, strict=True):
        for inner, scheduled_inner in zip(body.steps, one.steps, strict=True):
            yield from _reaches(inner, scheduled_inner)
    for launch in step.launches:
        yield launch.function, bytes_of(scheduled)


def filled_size(nbytes: int, sizes: Mapping[str, int]) -> int:
    """The bytes of a call."""
    return sized(plain(nbytes), sizes)


def bytes_of(step: ScheduleStep) -> list[int]:
    """The bytes that a step may touch by each of its addresses."""
    match step:
        case LoopStep(kernel=kernel):
            return [param.size * param.dtype.itemsize for param in kernel.arguments]
        case ContractionStep(plan=plan, ending=ending):
            of = plan.elements.types.operand
            operands = [max(one.operands[side].elements for one in plan.launches) * of.itemsize for side in (0, 1)]
            parts = [plan.scratch_bytes] if plan.scratch_bytes else []
            return [*operands, *(param.size * param.dtype.itemsize for param in ending.params), *parts]
        case RoutineStep(outputs=outputs, inputs=inputs):
            assert SM_80.device is not None
            own = [scratch_on_device(step.routine, inputs, outputs, SM_80.device)[1]]
            if step.leaves_note:
                own += [NOTE_BYTES + sum(aligned_note(kind.nbytes) for kind in inputs[1:])]
            return [*(kind.nbytes for kind in (*outputs, *inputs)), *own]
    raise TypeError(type(step).__name__)
