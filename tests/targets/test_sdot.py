"""Products of bytes where the processor has `sdot`: the instructions of the loops, and integers in an emulator."""

import dataclasses
import itertools

import numpy
import pytest

from hybridize import ops
from hybridize.base.dtypes import int8, uint8
from hybridize.base.types import TensorType
from hybridize.codegen.llvm import engine
from hybridize.codegen.llvm.objects import assembly
from hybridize.codegen.llvm.program import build
from hybridize.machine.target import named_target
from hybridize.ops import evaluate
from hybridize.passes import PIPELINE
from tests.schedule.test_fours import KINDS, TYPES, WINDOWS, convolved, graphs_of, less, product, some_bytes, turned
from tests.targets.loops import innermost
from tests.targets.test_aarch64 import emulated

TARGET = named_target("aarch64-linux")
DOTS = dataclasses.replace(TARGET, features=f"{TARGET.features},+dotprod")


def quantized(function, x, w):
    kinds = [TensorType(x, uint8), TensorType(w, int8)]
    return PIPELINE.run(ops.make_graph(lambda x, w: [function(less(x, 3), less(w, None))], kinds))


def code(graph, target, stable=(1,)):
    return assembly(build(graph, target, stable=stable).module.text(), target)


TILES = {
    "a product": (quantized(product, (64, 512), (512, 256)), 6 * 4 * 4, 0.87),
    "w by columns": (quantized(turned, (300, 512), (256, 512)), 6 * 4 * 4, 0.87),
    "a window": (quantized(convolved(1, 1, 1), (1, 64, 28, 28), (64, 64, 3, 3)), 7 * 3 * 4, 0.86),
}


@pytest.mark.parametrize("name", TILES)
def test_tiles_are_dot_products_by_lane(name):
    graph, count, share = TILES[name]
    loop = max(innermost(code(graph, DOTS)), key=lambda loop: loop.products)
    assert loop.products == loop.count("sdot") == count
    assert loop.share >= share
    assert not loop.spills
    assert not loop.count("dup", "ld1r", "mov\tv")


def test_code_for_every_processor_has_none():
    graph, *_ = TILES["a product"]
    assert "sdot" not in code(graph, TARGET)
    assert "sdot" in code(graph, DOTS)


def test_loops_spill_nothing():
    shapes = [(1, 64, 40), (3, 9, 7), (7, 33, 17), (13, 130, 29)]
    graphs = [quantized(product, (m, k), (k, n)) for m, k, n in shapes]
    graphs += [quantized((KINDS | WINDOWS)[name][0], *(KINDS | WINDOWS)[name][1:]) for name in ("batch", "groups")]
    for graph, stable in itertools.product(graphs, ((), (1,))):
        assert not [loop.spills for loop in innermost(code(graph, DOTS, stable)) if loop.products and loop.spills]


@pytest.mark.parametrize("llvm", [{"neon": True}, {"neon": True, "dotprod": False}, {"neon": True, "dotprod": True}])
@pytest.mark.parametrize("flags", ["asimd", "asimd asimddp"])
def test_hosts_have_it_where_llvm_or_the_system_says_so(monkeypatch, llvm, flags):
    class Binding:
        get_host_cpu_name = staticmethod(lambda: "generic")
        get_host_cpu_features = staticmethod(lambda: llvm)

    monkeypatch.setattr(engine, "binding", lambda: Binding)
    monkeypatch.setattr(engine, "runnable", lambda: ("aarch64",))
    monkeypatch.setattr(engine, "processor_features", lambda: frozenset(flags.split()))
    host = engine.host_target.__wrapped__()
    assert host.dots_bytes == (llvm.get("dotprod", False) or "asimddp" in flags)


@emulated
@pytest.mark.long
@pytest.mark.parametrize("processor", ["cortex-a76", "neoverse-n1", "cortex-a72"])
def test_integers_are_the_references(programs, monkeypatch, processor):
    """All kinds, types and edge values, on processors that have the instruction, and on one that has not."""
    monkeypatch.setenv("QEMU_CPU", processor)
    jobs = []
    for (function, *shapes), types in itertools.product((KINDS | WINDOWS).values(), TYPES):
        symmetric = 128 if types[1] == uint8 else None
        for edges, zero in ((True, numpy.iinfo(types[0]).max), (False, numpy.iinfo(types[0]).min)):
            x, w = (some_bytes(shape, dtype, edges) for shape, dtype in zip(shapes, types, strict=True))
            jobs.append(graphs_of(function, x, w, (numpy.asarray(zero, types[0]), symmetric))[::2])
    x, w = some_bytes((5, 31), uint8), some_bytes((31, 9), uint8)
    jobs += [graphs_of(product, x, w, (numpy.asarray(one, "u1"), numpy.asarray(255 - one, "u1")))[::2]
             for one in (0, 1, 127, 128, 254, 255)]  # fmt: skip
    found = programs(jobs, TARGET if processor == "cortex-a72" else DOTS).in_c()
    for (graph, inputs), outputs in zip(jobs, found, strict=True):
        numpy.testing.assert_array_equal(outputs[0], evaluate(graph, inputs)[0])
