"""The slow meaning of kernels, the machine code and the ops' own specification agree."""

import importlib.util
import sys
from pathlib import Path

import numpy
import pytest

from hybridize.base.dtypes import BY_CODE
from hybridize.codegen.llvm.engine import host_target
from hybridize.codegen.llvm.program import scheduled as schedule
from hybridize.ops.evaluate import evaluate
from hybridize.schedule.steps import Derived, LoopStep
from tests.loops.interpret import interpret

# The generator of random graphs is the fuzz test's own; test folders are no package.
_path = Path(__file__).parents[1] / "fuzz" / "test_random_graphs.py"
_spec = importlib.util.spec_from_file_location("random_graphs", _path)
random_graphs = importlib.util.module_from_spec(_spec)
sys.modules["random_graphs"] = random_graphs
_spec.loader.exec_module(random_graphs)


def interpreted(made, inputs):
    """Run a schedule of loops only by the interpreter, what is derived of constants first."""
    outputs = [numpy.zeros(b.shape, BY_CODE[b.dtype]) for b in made.plan.outputs]
    constants = [one if isinstance(one, numpy.ndarray) else derived(one) for one in made.constants]
    run(made.steps, [*inputs, *constants], outputs, made.plan.scratch_bytes)
    return outputs


def derived(constant):
    made = numpy.zeros(constant.type.shape, constant.type.dtype)
    run(constant.steps, constant.sources, [made], constant.scratch_bytes)
    return made


def run(steps, inputs, outputs, scratch_bytes):
    memory = {("input", k): numpy.array(x, order="C") for k, x in enumerate(inputs)}
    memory |= {("output", k): x for k, x in enumerate(outputs)}
    memory["scratch", 0] = numpy.zeros(scratch_bytes, numpy.uint8)
    for step in steps:
        buffers = []
        for address, param in zip(step.addresses, step.kernel.params, strict=False):
            raw = memory[address.kind, address.slot].reshape(-1).view(numpy.uint8)
            buffers.append(raw[address.offset : address.offset + param.size * param.dtype.itemsize].view(param.dtype))
        if step.numbers:
            buffers.append(numpy.array(step.numbers, step.kernel.params[-1].dtype))
        interpret(step.kernel.elements, buffers)


def check(seed):
    """Whether the graph of this seed is loops alone, and small; then it must agree."""
    graph, inputs, exact = random_graphs.random_graph(seed)
    made = schedule(random_graphs.inline(graph), host_target())
    steps = [*made.steps, *(step for one in made.constants if isinstance(one, Derived) for step in one.steps)]
    if not all(isinstance(step, LoopStep) for step in steps) or made.plan.flops > 40_000:
        return False
    for k, (found, wanted) in enumerate(zip(interpreted(made, inputs), evaluate(graph, inputs), strict=True)):
        if k in exact:
            assert ((found == wanted) | ((found != found) & (wanted != wanted))).all(), f"seed {seed}\n{graph}"
        else:
            random_graphs.close(wanted, found, random_graphs.tolerance(graph), f"seed {seed}\n{graph}")
    return True


@pytest.mark.parametrize("block", range(6))
def test_kernels_mean_what_the_ops_mean(block):
    assert sum(check(seed) for seed in range(5000 + 10 * block, 5010 + 10 * block)) >= 3
