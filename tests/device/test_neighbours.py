"""Neighbours that a thread loads and stores at once: how many there are, the CPU's bits, and no address that is odd."""

import re

import numpy as np
import pytest

from hybridize import ops
from hybridize.base.dtypes import bfloat16, bool_, float16, float32, float64, int8, int32, int64, uint64
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.device.program import build_kernels
from hybridize.machine.target import named_target
from hybridize.ops import randomness
from hybridize.schedule.steps import ContractionStep, LoopStep, RegionStep
from tests.device.fault import Fault
from tests.device.programs import SM_80, Run, graph_of, on_cpu
from tests.schedule import goldens
from tests.schedule.goldens import each, f32, unknown

_VECTORS = re.compile(r"\t(ld|st)\.global\S*\.v(\d)\.b(\d+)")


def drawn(*types):
    rng = np.random.default_rng(0)
    return [(rng.standard_normal(one.shape) * 9).astype(one.dtype) for one in types]


def neighbours(program):
    """Of each launch of loops."""
    return [nest.neighbours for step in program.schedule.steps for nest in step.kernel.nests]


def widths(text):
    """Bytes of the loads and stores of vectors."""
    return {(way, int(count) * int(bits) // 8) for way, count, bits in _VECTORS.findall(text)}


LAST_BIT = {float16: 2.0**-10, bfloat16: 2.0**-7}
"""What the last bit of 1 is worth."""


def check(function, *types, tolerance=0.0):
    """Compare a device's results with the CPU's; returns the program and its text."""
    graph, inputs = graph_of(function, *types), drawn(*types)
    run = Run(build_kernels(graph, SM_80), inputs)
    for found, expected in zip(run.outputs(), on_cpu(graph, inputs), strict=True):
        if tolerance:
            np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
        else:
            assert found.tobytes() == expected.tobytes()
    return run.program, run.text


@pytest.mark.parametrize(
    ("dtype", "count", "nbytes"),
    [(float32, 4, 16), (float64, 2, 16), (int64, 2, 16), (int32, 4, 16), (float16, 8, 16), (bfloat16, 8, 16),
     (int8, 8, 8), (bool_, 8, 8)],
    ids=str,
)  # fmt: skip
def test_as_many_as_fit_into_16_bytes(dtype, count, nbytes):
    kind = TensorType((6, 24), dtype)
    program, text = check(lambda x, y: [ops.max(x, y)], kind, kind)
    assert neighbours(program) == [count]
    assert widths(text) == {("ld", nbytes), ("st", nbytes)}


@pytest.mark.parametrize(("source", "result"), [(float32, bfloat16), (float16, float32), (float32, bool_)], ids=str)
def test_the_wider_type_of_a_cast_decides(source, result):
    program, text = check(lambda x: [ops.cast(x, result)], TensorType((6, 24), source))
    assert neighbours(program) == [4]
    assert ("ld" if source == float32 else "st", 16) in widths(text)


SUITED = {
    "a broadcast": (lambda x, b: [ops.add(x, ops.broadcast(b, (6, 24)))], f32(6, 24), f32(24)),
    "a number of each row": (
        lambda x, b: [ops.add(x, ops.broadcast(ops.reshape(b, (6, 1)), (6, 24)))],
        f32(6, 24),
        f32(6),
    ),
    "a part of each row": (lambda x: [ops.neg(ops.slice(x, (0, 4), (6, 20), (1, 1)))], f32(6, 24)),
    "parts of a concatenation": (lambda x, y: [ops.neg(ops.concat(x, y, axis=1))], f32(6, 4), f32(6, 8)),
    "two results": (goldens.both, f32(6, 24)),
}
UNSUITED = {
    "other neighbours": (lambda x: [ops.transpose(x, (1, 0))], f32(8, 24)),
    "rows that begin anywhere": (lambda x, b: [ops.add(x, ops.broadcast(b, (6, 23)))], f32(6, 23), f32(23)),
    "a part that begins anywhere": (lambda x: [ops.neg(ops.slice(x, (0, 1), (6, 17), (1, 1)))], f32(6, 24)),
    "parts of another length": (lambda x, y: [ops.neg(ops.concat(x, y, axis=1))], f32(6, 3), f32(6, 8)),
    "each second one": (lambda x: [ops.neg(ops.slice(x, (0, 0), (6, 24), (1, 2)))], f32(6, 24)),
}


@pytest.mark.parametrize("name", SUITED)
def test_all_that_a_loop_touches_suits(name):
    program, text = check(*SUITED[name])
    assert set(neighbours(program)) == {4}
    assert widths(text) == {("ld", 16), ("st", 16)}


@pytest.mark.parametrize("name", UNSUITED)
def test_something_does_not_suit(name):
    program, text = check(*UNSUITED[name])
    assert 1 in neighbours(program)
    assert not widths(text)


def test_what_is_left_of_any_size_is_taken_one_by_one():
    program = build_kernels(graph_of(each(ops.neg), f32(unknown())), SM_80)
    assert neighbours(program) == [4]
    assert widths(program.ptx()) == {("ld", 16), ("st", 16)}
    for size in (2, 4, 7, 8, 1023, 1024, 1029):
        (x,) = drawn(f32(size))
        assert Run(program, [x], {"n0": size}).outputs()[0].tobytes() == (-x).tobytes()
    check(each(ops.neg), f32(1003))


@pytest.mark.parametrize(
    ("function", "shape"),
    [(goldens.softmax_over(1), (9, 100)), (goldens.softmax_over(1), (3, 700)), (goldens.statistics, (9, 100)),
     (goldens.sum_over(0, 1), (100, 100)), (goldens.softmax_over(0), (900,))],
    ids=["warps", "blocks", "several folds", "parts", "one row"],
)  # fmt: skip
def test_teams_take_neighbours_of_folds_and_of_loops(function, shape):
    program, text = check(function, f32(*shape), tolerance=1e-3)  # sums of hundreds
    assert neighbours(program)[0] == 4
    assert ("ld", 16) in widths(text)


def test_a_maximum_by_neighbours_has_the_bits_of_the_cpu():
    check(lambda x: [ops.arg_max(x, 1), ops.reduce_max(x, (1,))], f32(9, 512))


def test_four_random_numbers_are_one_block_of_philox():
    key, inputs = TensorType((2,), uint64), [np.array([7, 9], np.uint64)]
    graph = graph_of(lambda k: [randomness.random_bits(k, (1003,))], key)
    program = build_kernels(graph, SM_80)
    assert neighbours(program) == [4]
    assert Run(program, inputs).outputs()[0].tobytes() == on_cpu(graph, inputs)[0].tobytes()
    whole = graph_of(lambda k: [randomness.random_bits(k, (1024,))], key)
    assert build_kernels(whole, SM_80).ptx().count("mul.hi.u32") <= 20  # as many as for one


def test_long_work_is_for_single_elements():
    def long(x):
        for _ in range(7):
            x = ops.exp(ops.sin(x))
        return [x]

    assert neighbours(build_kernels(graph_of(long, f32(6, 24)), SM_80)) == [1]


def test_a_device_whose_threads_read_words_takes_one_element_at_a_time():
    program = build_kernels(graph_of(goldens.softmax_over(1), f32(9, 100)), named_target("webgpu"))
    assert neighbours(program) == [1]


# ----------------------------------------------------------------------------------------------------- where arrays are


def scan(size, length=3):
    """A running sum of rows of so many elements."""

    def turn(h, x, w):
        h = ops.add(h, ops.mul(x, w))
        return [h, ops.neg(h)]

    return goldens.scanned(turn, 1, length), f32(size), f32(length, size), f32(size)


def params_of_bodies(program):
    (step,) = (step for step in program.schedule.steps if isinstance(step, RegionStep))
    return [param for body in step.bodies for one in body.steps for param in one.kernel.params]


@pytest.mark.parametrize(("size", "is_aligned"), [(8, True), (6, False)])
def test_slices_of_a_scan_begin_at_multiples_of_their_length(size, is_aligned):
    program, text = check(*scan(size))
    w, *moving = sorted(params_of_bodies(program), key=lambda one: not one.aligned)
    assert w.aligned, "what is the same in all turns is where it was given"
    assert all(one.aligned == is_aligned for one in moving)
    assert widths(text) == ({("ld", 16), ("st", 16)} if is_aligned else {("ld", 16)})  # that of w


def test_a_part_of_a_value_that_begins_anywhere_is_read_one_by_one():
    def function(x, w):
        parts = [ops.slice(x, (k,), (k + 8,), (1,)) for k in (4, 5)]
        return [ops.add(ops.mul(part, w), ops.exp(part)) for part in parts]

    program, _ = check(function, f32(40), f32(8))
    assert sorted(neighbours(program)) == [1, 4]


def misplaced(monkeypatch, program, inputs, by):
    """Run a program over inputs that begin so many bytes later than they may."""
    room = Run._room
    monkeypatch.setattr(Run, "_room", lambda self, nbytes: room(self, nbytes + by) + by)
    return Run(program, inputs).outputs()


@pytest.mark.parametrize(
    ("function", "types"),
    [(goldens.both, [f32(300)]), (goldens.softmax_over(1), [f32(9, 100)]), (each(ops.matmul), [f32(33, 36), f32(36, 64)]),
     (each(ops.matmul), [TensorType((40, 72), float16), TensorType((72, 64), float16)])],
    ids=["threads", "teams", "a product", "halves"],
)  # fmt: skip
@pytest.mark.parametrize("by", [4, 8])
def test_an_array_that_begins_elsewhere_is_a_fault(monkeypatch, function, types, by):
    with pytest.raises(Fault, match="is not a multiple of"):
        misplaced(monkeypatch, build_kernels(graph_of(function, *types), SM_80), drawn(*types), by)


# ------------------------------------------------------------------------------------------------------------- products


def at_once(program):
    return [
        one.neighbours
        for step in program.schedule.steps
        if isinstance(step, ContractionStep)
        for one in step.plan.launches
    ]


PLAIN = (False, False)
QUICK = {(float32, PLAIN), (float32, (True, True)), (float16, PLAIN), (int8, PLAIN)}


@pytest.mark.parametrize(
    ("dtype", "transposed"),
    [
        pytest.param(dtype, transposed, marks=() if (dtype, transposed) in QUICK else pytest.mark.long)
        for dtype in (float32, float64, float16, bfloat16, int8)
        for transposed in (PLAIN, (False, True), (True, False), (True, True))
    ],
    ids=str,
)
def test_products_bring_16_bytes_of_operands_at_once(dtype, transposed):
    x, w = ((24, 40), (40, 24))[not transposed[0]], ((24, 72), (72, 24))[transposed[1]]
    count = min(8, 16 // dtype.itemsize)
    if dtype in (float16, bfloat16):  # tensor cores sum in an order of their own
        kinds = [TensorType(shape, dtype) for shape in (x, w)]
        program, text = check(lambda x, w: [ops.matmul(x, w, *transposed)], *kinds, tolerance=LAST_BIT[dtype])
        assert "cp.async.cg" in text
        assert ".trans" in text or transposed == (False, True)
        assert "ld.global.nc.b16" not in text
    else:
        program, _ = check(lambda x, w: [ops.matmul(x, w, *transposed)], TensorType(x, dtype), TensorType(w, dtype))
    assert at_once(program) == [(count, count)]


@pytest.mark.parametrize(
    ("x", "w", "expected"),
    [((40, 36), (36, 44), (4, 4)), ((40, 33), (33, 44), (1, 4)), ((40, 36), (36, 43), (4, 1)), ((40, 34), (34, 46), (2, 2))],
    ids=str,
)  # fmt: skip
def test_as_many_as_divide_rows_in_memory(x, w, expected):
    program, _ = check(each(ops.matmul), f32(*x), f32(*w))
    assert at_once(program) == [expected]


def test_convolutions_bring_what_no_border_parts():
    for shape, expected in (((32, 16, 1, 1), (4, 4)), ((32, 16, 3, 3), (4, 1))):
        border = shape[-1] // 2
        program, _ = check(
            goldens.convolved(1, border), f32(2, 16, 8, 8), f32(*shape), tolerance=1e-3
        )  # sums of hundreds
        assert at_once(program) == [expected]


def test_gates_are_brought_together():
    kinds = [(9, 12), (64, 12), (9, 16), (64, 16), (64,), (9, 16)]
    program, _ = check(goldens.lstm_step, *(f32(*shape) for shape in kinds), tolerance=1e-5)
    assert set(at_once(program)) == {(4, 4)}


def test_one_row_is_read_by_16_bytes():
    program, text = check(lambda x, w: [ops.matmul(x, w, False, True)], f32(1, 512), f32(256, 512), tolerance=1e-4)
    (step,) = program.schedule.steps
    assert isinstance(step, LoopStep)
    assert neighbours(program) == [4]
    assert ("ld", 16) in widths(text)
