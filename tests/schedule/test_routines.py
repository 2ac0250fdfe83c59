"""The scratch of routines: areas that do not overlap, laid out once by the schedule, of sizes that only calls know too."""

import itertools

import pytest

from hybridize import hybridize, np, ops
from hybridize.base.dims import SizeScope, value
from hybridize.base.dtypes import float32, float64, int8
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import host_target
from hybridize.loops.expr import Routine
from hybridize.ops.factors import QR, SVD, Eigh
from hybridize.passes import PIPELINE
from hybridize.passes.inline import Inline
from hybridize.schedule import schedule
from hybridize.schedule.routines import scratch_of
from hybridize.schedule.steps import RegionStep, RoutineStep


def applied(op):
    return lambda x: ops.bind(op, x)


ROUTINES = {
    "sort": (lambda x: [ops.sort(x, 0)], lambda n: TensorType((n, 3), float32)),
    "arg_sort": (lambda x: [ops.arg_sort(x, 0)], lambda n: TensorType((n, 3), float64)),
    "arg_sort of small keys": (lambda x: [ops.arg_sort(x, 1)], lambda n: TensorType((2, n), int8)),
    "qr": (applied(QR(False)), lambda n: TensorType((n, 4), float32)),
    "qr of wide ones": (applied(QR(False)), lambda n: TensorType((2, 4, n), float32)),
    "eigh": (applied(Eigh(False)), lambda n: TensorType((n, n), float32)),
    "svd": (applied(SVD(False)), lambda n: TensorType((n, 4), float64)),
    "svd of wide ones": (applied(SVD(False)), lambda n: TensorType((4, n), float32)),
}


def step_of(name, size):
    function, kind = ROUTINES[name]
    made = schedule(Inline()(ops.make_graph(function, [kind(size)])), host_target())
    (step,) = (step for step in made.steps if isinstance(step, RoutineStep))
    return made, step


@pytest.mark.parametrize("name", ROUTINES)
def test_areas_lie_one_after_the_other_and_are_aligned(name):
    made, step = step_of(name, 9)
    offsets = [offset for _, offset in step.scratch.offsets]
    assert len({area for area, _ in step.scratch.offsets}) == len(offsets)
    assert offsets[0] == 0
    assert all(one < other for one, other in itertools.pairwise([*offsets, step.scratch.nbytes]))
    itemsize = step.inputs[0].dtype.itemsize if step.routine.name == "qr" else 8
    assert all(offset % itemsize == 0 for offset in offsets)
    assert step.workspace.offset + step.scratch.nbytes <= made.scratch_bytes
    assert f"scratch {step.scratch.nbytes} bytes: {step.scratch.offsets[0][0]}+0" in str(step)


@pytest.mark.parametrize("name", ROUTINES)
def test_areas_of_a_size_that_is_not_known_are_those_of_each_size(name):
    scope = SizeScope()
    symbol = scope.symbol(9, low=5)
    (number,) = scope.symbols
    scope.capturing = False
    general = step_of(name, symbol)[1].scratch
    for size in (5, 9, 30):
        exact = step_of(name, size)[1].scratch
        assert value(general.nbytes, {number: size}) == exact.nbytes
        assert [(area, value(offset, {number: size})) for area, offset in general.offsets] == list(exact.offsets)
    assert not scope.conditions


def test_only_routines_of_the_table_have_scratch():
    kind = TensorType((3, 4), float32)
    for name in ("arg_max", "cum_sum", "scatter_nd", "cholesky", "lu", "standard_gamma", "print"):
        found = scratch_of(Routine(name, (0,)), (kind,), (kind,))
        assert (found.offsets, found.nbytes) == ((), 0)


def test_a_routine_within_a_loop_has_its_scratch_in_the_schedule_of_the_body():
    @hybridize
    def f(x):
        for _ in range(int(x.shape[0]) + 3):
            if x.sum() > 0:
                x = np.sort(x * 2.0 - 1.0)
        return x

    x = np.array([3.0, 1.0, 2.0])
    captured = f.program(x).capture.graph
    made = schedule(PIPELINE.run(captured), host_target())
    found = list(routines_in(made))
    assert [step.routine.name for step in found] == ["sort"] * len(found)
    assert found
    assert all(step.scratch == scratch_of(step.routine, step.inputs, step.outputs) for step in found)


def routines_in(made):
    for step in made.steps:
        if isinstance(step, RoutineStep):
            yield step
        for body in step.bodies if isinstance(step, RegionStep) else ():
            yield from routines_in(body)
