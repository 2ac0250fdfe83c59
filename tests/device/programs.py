"""Programs of our own on the emulated device: every launch with the bytes that it may touch, results beside the CPU's."""

from collections.abc import Mapping, Sequence

import numpy as np

from hybridize import ops
from hybridize.base.dtypes import BY_CODE
from hybridize.codegen.llvm.device.program import DeviceProgram, KernelLaunch, build_kernels
from hybridize.compiler import compile
from hybridize.graph import Graph
from hybridize.machine.target import named_target
from hybridize.passes import PIPELINE
from hybridize.runtime.plan import filled, plain, sized
from hybridize.schedule.steps import ContractionStep, Derived, LoopStep, ScheduleStep, Stable
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
        for number, launches in program.derivations:
            self._derive(code, constants[number], launches, where, len(self.inputs) + number)
        where |= {("output", k): self._room(one.nbytes) for k, one in enumerate(plan.outputs)}
        for launch in program.launches:
            self._launch(code, launch, steps[launch.step], where)
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

    def _derive(self, code, constant: Derived, launches, where, slot: int) -> None:
        own = {
            ("output", 0): where["input", slot],
            ("scratch", 0): self._room(constant.scratch_bytes),
            ("nowhere", 0): 0,
        }
        arrays = []
        for k, source in enumerate(constant.sources):
            if isinstance(source, Stable):
                own["input", k] = where["input", source.input] + source.offset * source.itemsize
            else:
                own["input", k] = self._put(source)
                arrays.append(own["input", k])
        for launch in launches:
            self._launch(code, launch, constant.steps[launch.step], own)
        for at in (*arrays, own["scratch", 0]):
            self.device.free(at)

    def _launch(self, code, launch: KernelLaunch, step: ScheduleStep, where) -> None:
        one = launch.at(self.sizes)
        if one.blocks == 0:
            return
        arguments = [
            Span(where[at.kind, at.slot] + at.offset, filled_size(nbytes, self.sizes))
            for at, nbytes in zip(one.arguments, bytes_of(step), strict=True)
        ]
        self.device.launch(code[one.function], (one.blocks, 1, 1), one.threads, 0, [*arguments, *one.sizes])


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
    raise TypeError(type(step).__name__)
