# SPDX-License-Identifier: Apache-2.0
"""A kernel is what each element is; how its axes run is apart from that, and changes nothing of it."""

import ctypes

import numpy
import pytest

from hybridize import ops
from hybridize.base.frozen import changed
from hybridize.codegen.llvm.engine import compile_module, host_target
from hybridize.codegen.llvm.nests.kernels import emit_kernel
from hybridize.codegen.llvm.text import Module
from hybridize.machine.target import named_target
from hybridize.ops import composites, make_graph
from hybridize.passes import PIPELINE
from hybridize.schedule import schedule
from hybridize.schedule.kernel import Body, LoopAxis, Nest, Plain
from hybridize.schedule.steps import LoopStep
from tests.schedule.goldens import f32

GRAPHS = {
    "elements": (lambda x, y: [ops.add(ops.tanh(x), y), ops.mul(x, y)], [f32(33, 21)] * 2),
    "a copy": (lambda x: [ops.slice(x, (1, 2), (30, 18), (1, 1))], [f32(33, 21)]),
    "turned": (lambda x, y: [ops.mul(ops.transpose(x, (1, 0)), y)], [f32(40, 24), f32(24, 40)]),
    "rows": (lambda x: [composites.softmax(x, 1)], [f32(19, 37)]),
    "columns": (lambda x: [ops.sum(x, (0,))], [f32(70, 40)]),
    "short rows": (lambda x: [ops.sum(x, (1,))], [f32(50, 6)]),
}


def kernels(name, target):
    function, types = GRAPHS[name]
    return [
        step.kernel
        for step in schedule(PIPELINE.run(make_graph(function, types)), target).steps
        if isinstance(step, LoopStep)
    ]


def alone(kernel):
    """The kernel with no decision of how it runs: one element after the other."""
    nests = []
    for nest in kernel.nests:
        bodies = tuple(Body(tuple(map(LoopAxis, body.sizes)), body.statements) for body in nest.bodies)
        nests.append(Nest(tuple(LoopAxis(axis.size) for axis in nest.rows), bodies))
    return changed(kernel, nests=tuple(nests))


def run(kernel, target, arrays):
    module = Module(target.halves)
    emit_kernel(module, "kernel", kernel, target)
    loaded = compile_module(module.text().replace("define internal void @kernel(", "define void @kernel("), target)
    buffers = [numpy.zeros(param.size, param.dtype) for param in kernel.params]
    for buffer, array, param in zip(buffers, arrays, kernel.params, strict=True):
        buffer[...] = 0 if param.written else array
    locals_ = [numpy.zeros(param.size, param.dtype) for param in kernel.locals]
    pointers = [one.ctypes.data for one in (*buffers, *locals_)]
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(pointers))(loaded.address("kernel"))(*pointers)
    return buffers


@pytest.mark.parametrize("name", ["elements", "turned"])
def test_what_each_element_is_has_no_machine(name):
    """Lanes and tiles are no part of it, in which machines differ."""
    of = [kernels(name, named_target(target)) for target in ("avx512", "avx2", "baseline")]
    assert len({str([*map(str, some)]) for some in of}) == len(of)
    assert len({str([str(alone(kernel)) for kernel in some]) for some in of}) == 1


@pytest.mark.parametrize("name", GRAPHS)
def test_kernels_run_without_any_decision(name):
    target = host_target()
    rng = numpy.random.default_rng(0)
    for kernel in kernels(name, target):
        arrays = [rng.integers(-4, 5, param.size).astype(param.dtype) for param in kernel.params]
        other = alone(kernel)
        assert all(isinstance(axis.kind, Plain) for nest in other.nests for axis in nest.rows)
        for one, two in zip(run(kernel, target, arrays), run(other, target, arrays), strict=True):
            numpy.testing.assert_allclose(one, two, rtol=2e-6, atol=1e-6)
