"""The work of a plan, done at the host: what a device would do, by the functions of a processor."""

import ctypes

import pytest

from hybridize import ops
from hybridize.base.frozen import changed
from hybridize.runtime.device_steps import perform, work_of
from hybridize.runtime.plan import PlanAddress, PlanTable, each_step
from tests.codegen.test_scans import directions, layer
from tests.device.test_control import gradient, in_loops
from tests.runtime import plan_runner
from tests.runtime.test_dump import CASES, Case, built, executable


class Host:
    """The memory of this process as a device's."""

    def copy(self, to, source, nbytes):
        assert abs(to - source) >= nbytes, "bytes that overlap"
        ctypes.memmove(to, source, nbytes)

    def copy_out(self, address, array):
        ctypes.memmove(array.ctypes.data, address, array.nbytes)


def by_work(frame):
    """Run the steps of a frame; tables of numbers, which no device has, lie in memory."""
    bases = {base: at for base, at in frame.bases.items() if at is not None}
    steps = []
    for step in frame.steps:
        arguments = list(step.arguments)
        for k, one in enumerate(arguments):
            if isinstance(one, PlanTable):
                arguments[k] = PlanAddress("table", len(bases), 0)
                bases["table", len(bases)] = frame.runner.table(one)
        steps.append(changed(step, arguments=tuple(arguments)))
    perform(
        work_of(steps, bases),
        Host(),
        lambda one: frame.runner.call(one.launch.function, one.addresses, one.launch.sizes),
    )


LOOPS = {
    "a layer": lambda: layer(16, 32, 5),
    "a layer the other way": lambda: layer(3, 8, 4, reverse=True),
    "a layer of no turns": lambda: layer(3, 8, 0),
    "two directions": lambda: directions(2, 8, 5),
    "the gradient of a layer": gradient,
    "a scan in a scan": lambda: ops.make_graph(*in_loops(True)),
}
PLANS = {name: Case(graph) for name, graph in LOOPS.items()}
PLANS |= {name: case for name, case in CASES.items() if ("scan" in name or "loop" in name) and case.slots == 1}


@pytest.mark.parametrize("name", PLANS)
def test_the_work_of_a_processor_s_plan(name, monkeypatch):
    case = PLANS[name]
    made, loaded, arrays = built(case, monkeypatch)
    program = executable(made, loaded, 1)
    monkeypatch.setattr(plan_runner.Frame, "run", by_work)
    results = plan_runner.Runner(made.plan, loaded.address)(arrays, made.constants, made.sources)
    for one, other in zip(results, program.run(arrays), strict=True):
        assert one.tobytes() == other.tobytes()


def test_all_homes_of_state_are_among_them(monkeypatch):
    kinds = set()
    for name in LOOPS:
        made, _, _ = built(PLANS[name], monkeypatch)
        each_step(
            made.plan,
            lambda step: kinds.update(home.kind for home in (step.region.state if step.region else ())) or step,
        )
    assert kinds >= {"in place", "as left", "as found"}, kinds
