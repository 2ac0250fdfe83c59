"""Programs of our own on the emulated device: every launch with the bytes that it may touch, results beside the CPU's."""

from collections.abc import Mapping, Sequence

import numpy as np

from hybridize import ops
from hybridize.base.dtypes import BY_CODE
from hybridize.codegen.llvm.device.program import DeviceProgram, build_kernels
from hybridize.compiler import compile
from hybridize.graph import Graph
from hybridize.machine.target import named_target
from hybridize.passes import PIPELINE
from hybridize.runtime.plan import Derivation, PlanStep, filled, plain, sized
from hybridize.schedule.device.routines import units_of
from hybridize.schedule.steps import NOWHERE, ContractionStep, Derived, LoopStep, RoutineStep, ScheduleStep
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


class Run:
    """One program with its inputs, on a device of its own. `text` may be other PTX than the program's."""

    def __init__(self, program: DeviceProgram, inputs: Sequence[np.ndarray], sizes: Mapping[str, int] = {}, text=""):
        self.program, self.inputs, self.sizes, self.text = program, inputs, sizes, text or program.ptx()
        self.device = Emulated()

    def outputs(self) -> list[np.ndarray]:
        """The results; inputs are as before, and what was allocated is freed."""
        program, steps = self.program, self.program.schedule.steps
        code = self.device.load(self.text)
        plan = filled(program.plan, self.sizes)
        where = {("input", k): self._put(array) for k, array in enumerate(self.inputs)}
        where["scratch", 0], where["nowhere", 0] = self._room(plan.scratch_bytes), 0
        constants = program.schedule.constants
        for k, constant in enumerate(constants, len(self.inputs)):
            where["input", k] = (
                self._room(constant.type.nbytes) if isinstance(constant, Derived) else self._put(constant)
            )
        for one in plan.derivations:
            self._derive(code, one, constants[one.slot], where)
        where |= {("output", k): self._room(one.nbytes) for k, one in enumerate(plan.outputs)}
        for step, planned in zip(steps, plan.steps, strict=True):
            self._launch(code, planned, step, where)
        results = [np.empty(one.shape, BY_CODE[one.dtype]) for one in plan.outputs]
        for k, array in enumerate(results):
            self.device.copy_out(where["output", k], array)
        for k, array in enumerate(self.inputs):
            assert self.device.copy_out(where["input", k], np.empty_like(array)).tobytes() == array.tobytes()
        for at in where.values():
            if at:
                self.device.free(at)
        self.device.close()
        return results

    def _put(self, array: np.ndarray) -> int:
        at = self._room(array.nbytes)
        self.device.copy_in(at, array)
        return at

    def _room(self, nbytes: int) -> int:
        return self.device.alloc(max(1, nbytes))

    def _derive(self, code, one: Derivation, constant: Derived, where) -> None:
        own = {
            ("output", 0): where["input", len(self.inputs) + one.slot],
            ("scratch", 0): self._room(one.scratch_bytes),
            ("nowhere", 0): 0,
        }
        arrays = []
        for k, source in enumerate(one.sources):
            if source.kind == "input":
                own["input", k] = where["input", source.number] + source.offset
            else:
                own["input", k] = self._put(self.program.sources[source.number])
                arrays.append(own["input", k])
        (maker,) = (maker for maker in self.program.plan.makers if maker.function == one.function)
        for step, planned in zip(constant.steps, maker.steps, strict=True):
            self._launch(code, planned, step, own)
        for at in (*arrays, own["scratch", 0]):
            self.device.free(at)

    def _launch(self, code, planned: PlanStep, step: ScheduleStep, where) -> None:
        arguments = [
            Span(where[at.kind, at.slot] + at.offset, filled_size(nbytes, self.sizes))
            for at, nbytes in zip(planned.arguments, bytes_of(step), strict=True)
        ]
        for one in planned.launches:
            if one.blocks:
                function = code[one.function]
                self.device.launch(
                    function, (one.blocks, 1, 1), one.threads, one.shared_bytes, [*arguments, *one.sizes]
                )


def filled_size(nbytes: int, sizes: Mapping[str, int]) -> int:
    """The bytes of a call."""
    return sized(plain(nbytes), sizes)


def bytes_of(step: ScheduleStep) -> list[int]:
    """The bytes that a step may touch by each of its addresses."""
    match step:
        case LoopStep(kernel=kernel):
            return [param.size * param.dtype.itemsize for param in kernel.arguments]
        case ContractionStep(plan=plan, ending=ending):
            of = plan.product
            operands = [
                _reach(of.batch, shared, rows, row, columns, strides) * of.dtype.itemsize
                for shared, rows, row, columns, strides in (
                    (
                        of.shared_x,
                        *((of.k, of.x_row, of.m) if of.transpose_x else (of.m, of.x_row, of.k)),
                        of.x_strides,
                    ),
                    (
                        of.shared_w,
                        *((of.n, of.w_row, of.k) if of.transpose_w else (of.k, of.w_row, of.n)),
                        of.w_strides,
                    ),
                )
            ]
            return [*operands, *(param.size * param.dtype.itemsize for param in ending.params)]
        case RoutineStep(routine=routine, outputs=outputs, inputs=inputs, scratch=scratch):
            own = [] if step.workspace == NOWHERE else [scratch.nbytes * units_of(routine, inputs, outputs)]
            return [*(kind.nbytes for kind in (*outputs, *inputs)), *own]
    raise TypeError(type(step).__name__)


def _reach(batch, shared, rows, row, columns, strides) -> int:
    """The elements from the first to the last one of an operand."""
    if strides is None:
        return (1 if shared else batch) * rows * columns
    return (rows - 1) * row + columns + sum((size - 1) * stride for size, stride in strides.members)
