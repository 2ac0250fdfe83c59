# SPDX-License-Identifier: Apache-2.0
"""Matrices that contractions read from packed copies: frozen ones, inside of control flow too, and stable inputs."""

import gc

import numpy as np
import pytest

from hybridize.base.dtypes import BY_CODE
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import host_target, named_target
from hybridize.compiler import cache_clear, cache_info, compile
from hybridize.compiler.work import ENTRY_BYTES
from hybridize.graph import Builder
from hybridize.machine.arithmetic import Arithmetic
from hybridize.ops import Add, Cond, Matmul, Reshape, Scan, Slice, Transpose
from hybridize.ops.evaluate import evaluate
from hybridize.ops.op import bind1
from hybridize.ops.tracing import make_graph
from hybridize.schedule.contraction import Product, packing_pays

F4 = np.dtype(np.float32)
TARGETS = [None, named_target("avx2"), named_target("baseline")]
# Smaller integers multiply exactly in every dtype, so results are compared bit by bit.
RNG = np.random.default_rng(0)


def whole(shape, dtype=F4):
    return RNG.integers(-3, 4, shape).astype(dtype)


def types(*shapes, dtype=F4):
    return [TensorType(shape, dtype) for shape in shapes]


def product(m, n, k, *, transpose_w=True, dtype=F4, frozen=True, batch=()):
    """x @ w, w a constant or an input."""
    builder = Builder()
    x = builder.input(TensorType((*batch, m, k), dtype))
    w = whole((*batch, n, k) if transpose_w else (*batch, k, n), dtype)
    value = builder.constant(w) if frozen else builder.input(TensorType(w.shape, dtype))
    (y,) = builder.add(Matmul(False, transpose_w), [x, value])
    return builder.finish([y]), w


def check(graph, inputs, target=None, **options):
    program = compile(graph, target, **options)
    for found, wanted in zip(program.run(inputs), evaluate(graph, inputs), strict=True):
        np.testing.assert_array_equal(found, wanted)
    return program


@pytest.mark.parametrize("target", TARGETS, ids=["host", "avx2", "baseline"])
@pytest.mark.parametrize("dtype", ["f32", "f64", "bf16", "f16"])
@pytest.mark.parametrize("transpose_w", [True, False])
@pytest.mark.parametrize(("m", "n", "k"), [(9, 70, 40), (1, 33, 7), (30, 64, 128), (5, 10, 3)])
def test_frozen_matrices_give_the_same_result(target, dtype, transpose_w, m, n, k):
    graph, w = product(m, n, k, transpose_w=transpose_w, dtype=BY_CODE[dtype])
    check(graph, [whole((m, k), w.dtype)], target)


def test_only_the_packed_copy_is_kept():
    graph, w = product(64, 70, 40)
    program = check(graph, [whole((64, 40))])
    (pack,) = program.plan.derivations
    assert pack.nbytes >= w.nbytes
    assert program.constant_bytes == pack.nbytes
    assert program.held_bytes == pack.nbytes + w.nbytes + program.code_bytes
    assert not program.constants[0].size
    assert program.constants[pack.slot].ctypes.data % 64 == 0
    assert not program.constants[pack.slot].flags.writeable


def test_a_matrix_that_others_read_stays():
    builder = Builder()
    x = builder.input(TensorType((70, 40), F4))
    w = builder.constant(whole((70, 40)))
    (y,) = builder.add(Matmul(False, True), [x, w])
    (z,) = builder.add(Add(), [x, w])
    program = check(builder.finish([y, z]), [whole((70, 40))])
    assert [pack.slot for pack in program.plan.derivations] == [1]
    assert program.constants[0].shape == (70, 40)


def test_one_copy_serves_products_of_any_number_of_rows():
    builder = Builder()
    w = builder.constant(whole((70, 40)))
    outputs = []
    for m in (16, 64):
        outputs += builder.add(Matmul(False, True), [builder.input(TensorType((m, 40), F4)), w])
    program = check(builder.finish(outputs), [whole((16, 40)), whole((64, 40))])
    assert len(program.plan.derivations) == 1


def test_equal_layouts_share_a_function():
    builder = Builder()
    x = builder.input(TensorType((64, 40), F4))
    for _ in range(2):
        (x,) = builder.add(Matmul(False, True), [x, builder.constant(whole((40, 40)))])
    program = check(builder.finish([x]), [whole((64, 40))])
    first, second = program.plan.derivations
    assert first.function == second.function
    assert first.slot != second.slot


def test_batches_of_matrices():
    graph, _ = product(64, 70, 40, batch=(3,))
    assert check(graph, [whole((3, 64, 40))]).plan.derivations


def test_constants_of_bodies_and_what_bodies_are_given():
    x4, h, w = TensorType((64, 40), F4), TensorType((64, 40), F4), TensorType((40, 40), F4)
    inner = whole((40, 40))

    def step(h, x, w):
        return [bind1(Add(), bind1(Matmul(False, True), h, w), x)]

    body = make_graph(step, [h, x4, w])
    builder = Builder()
    start, xs, pred = (
        builder.input(h),
        builder.input(TensorType((3, 64, 40), F4)),
        builder.input(TensorType((), BY_CODE["bool"])),
    )
    value = builder.constant(inner)
    (last,) = builder.add(Scan(body, 3, False, 1), [start, xs, value])
    then = make_graph(lambda a, w: [bind1(Matmul(False, True), a, w)], [h, w])
    orelse = make_graph(lambda a, w: [a], [h, w])
    (y,) = builder.add(Cond(then, orelse), [pred, start, value])
    graph = builder.finish([last, y])
    inputs = [whole((64, 40)), whole((3, 64, 40)), np.array(True)]
    program = check(graph, inputs)
    assert len(program.plan.derivations) == 2
    assert not program.constants[0].size
    check(graph, [*inputs[:2], np.array(False)])


def test_stable_inputs_are_packed_by_run():
    graph, w = product(64, 70, 40, frozen=False)
    x = whole((64, 40))
    program = check(graph, [x, w], stable={1})
    (deriver,) = program.derivers
    assert (deriver.inputs, deriver.slot) == ((1,), 0)
    assert program.constant_bytes == 0
    check(graph, [x, w + 1], stable={1})
    assert not compile(graph).derivers
    copy = deriver.made({1: w})
    (y,) = program.run([x, np.zeros_like(w)], [copy])
    np.testing.assert_array_equal(y, x @ w.T)


def test_parts_of_stable_inputs():
    builder = Builder()
    x = builder.input(TensorType((16, 40), F4))
    w = builder.input(TensorType((3, 70, 40), F4))
    (part,) = builder.add(Slice((1, 0, 0), (2, 70, 40), (1, 1, 1)), [w])
    (part,) = builder.add(Reshape((70, 40)), [part])
    (part,) = builder.add(Transpose((1, 0)), [part])
    (y,) = builder.add(Matmul(False, False), [x, part])
    check(builder.finish([y]), [whole((16, 40)), whole((3, 70, 40))], stable={1})


def test_the_memory_of_the_graph_counts_too():
    cache_clear()
    graph, w = product(64, 70, 41)
    program = compile(graph)
    assert cache_info().bytes == program.held_bytes + ENTRY_BYTES > 2 * w.nbytes
    del program
    cache_clear()
    gc.collect()


def test_what_is_packed_is_what_was_measured():
    def pays(m, n, k, target=None, **options):
        wide = named_target("avx512")
        return packing_pays(Product(F4, m, n, k, **options), Arithmetic(F4, target or wide))

    assert not pays(1, 256, 512, transpose_w=True)  # bound by reading
    assert not pays(64, 2, 128, transpose_w=True)  # mostly empty panels
    assert pays(64, 256, 512, transpose_w=True)
    assert pays(2, 768, 3072, transpose_w=True)
    assert not pays(64, 256, 128)  # in place is as good
    assert pays(1, 10, 128)
    assert not pays(0, 10, 128)
    integers = np.dtype("i4")
    assert not packing_pays(Product(integers, 64, 256, 512, transpose_w=True), Arithmetic(integers, host_target()))
