"""Steps of real nets on a device: threads share long folds, and kernels fit into registers."""

import pytest

from hybridize import hybridize
from hybridize import np as hnp
from hybridize.base.dims import hint, product
from hybridize.codegen.llvm.device.program import build_kernels
from hybridize.loops.expr import Fold
from hybridize.loops.kernel import roots_of
from hybridize.loops.measure import walk
from hybridize.loops.monoids import nested
from hybridize.machine.target import named_target
from hybridize.passes import PIPELINE
from hybridize.schedule import schedule
from hybridize.schedule.steps import ContractionStep, LoopStep
from tests.device import ptxas
from tests.device.nets import NETS
from tests.device.programs import SM_80
from tests.device.test_training import step_of

MOST = 64
"""Terms that a thread may fold alone."""


def graphs(name: str):
    """The graphs of a step of training, and of a net forward, as they are scheduled."""
    make, shape = NETS[name]
    net = make()
    training, _ = step_of(net, shape)
    forward = hybridize(lambda x: net(x))
    forward(hnp.zeros(shape))
    return [PIPELINE.run(graph) for graph in (training, forward.programs()[0].captured)]


def folds_of_one_thread(program):
    """The terms of each fold that no other threads share, in launches of loops."""
    for step in program.steps:
        for nest in step.kernel.nests if isinstance(step, LoopStep) else ():
            statements = [statement for body in nest.bodies for statement in body.statements]
            folds = [node for node in walk(*roots_of(statements)) if isinstance(node, Fold)]
            inner = {variable for fold in folds for variable, _ in nested(fold)[0][1:]}
            for fold in folds:
                if fold.variable not in inner and fold.variable not in nest.teams:
                    yield hint(product(size for _, size in nested(fold)[0]))


LARGE = [pytest.mark.long]


@pytest.mark.parametrize("name", [pytest.param(name, marks=LARGE if name == "ResNet-18" else []) for name in NETS])
def test_no_thread_folds_many_terms_alone(name):
    for graph in graphs(name):
        program = schedule(graph, SM_80)
        assert any(isinstance(step, ContractionStep) for step in program.steps)
        assert max(folds_of_one_thread(program), default=0) <= MOST


@pytest.mark.long
@ptxas.installed
@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
@pytest.mark.parametrize("name", NETS)
def test_no_kernel_of_a_net_spills(name, arch, tmp_path):
    for graph in graphs(name):
        used = ptxas.assembled(build_kernels(graph, named_target(arch)).ptx(), arch, tmp_path)
        assert {kernel: one for kernel, one in used.items() if one.spilled} == {}
