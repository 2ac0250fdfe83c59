"""Schedules for a device, as the kernels that they become: results beside the CPU's, for each kind of kernel."""

import numpy as np
import pytest
from llvmlite.binding import parse_assembly

from hybridize import ops
from hybridize.base.dtypes import bfloat16, bool_, float16, float32, float64, int8, int32, int64, uint8
from hybridize.base.errors import DeviceError
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.device import program
from hybridize.codegen.llvm.device.program import build_kernels
from hybridize.ops import composites
from hybridize.schedule.device import tiles
from hybridize.schedule.device.tiles import TILES
from hybridize.schedule.kernel import EachBlock, EachThread, EachWarp
from hybridize.schedule.steps import LoopStep
from tests.device.programs import SM_80, Run, graph_of, on_cpu, on_device
from tests.refusals import refusal
from tests.schedule import goldens
from tests.schedule.goldens import each, f32, unknown


def drawn(*types: TensorType, seed=0, scale=1.0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    arrays = []
    for one in types:
        if one.dtype == bool_:
            arrays.append(rng.random(one.shape) < 0.1)
        elif one.dtype.kind in "iu":
            arrays.append(rng.integers(0, 100, one.shape).astype(one.dtype))
        else:
            arrays.append((rng.standard_normal(one.shape) * scale).astype(one.dtype))
    return arrays


def both(function, *types, scale=1.0):
    """Results of a device, and of the CPU."""
    graph, inputs = graph_of(function, *types), drawn(*types, scale=scale)
    return on_device(graph, inputs), on_cpu(graph, inputs)


def same_bits(function, *types, scale=1.0):
    for found, expected in zip(*both(function, *types, scale=scale), strict=True):
        assert found.tobytes() == expected.tobytes()


def near(function, *types, scale=1.0):
    for found, expected in zip(*both(function, *types, scale=scale), strict=True):
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-6)


def kinds(graph) -> set[type]:
    steps = build_kernels(graph, SM_80).schedule.steps
    return {type(axis.kind) for step in steps for nest in step.kernel.nests for axis in nest.rows}


def test_a_product_with_its_epilogue_has_the_bits_of_the_cpu():
    same_bits(goldens.dense, f32(70, 33), f32(33, 65), f32(65))


def test_the_softmax_of_a_product():
    near(goldens.weighted, f32(40, 20), f32(20, 150), f32(150))


@pytest.mark.parametrize("dtype", [float64, float16, bfloat16, int8, uint8, int32, int64], ids=str)
def test_products_of_each_dtype_have_the_bits_of_the_cpu(dtype):
    same_bits(lambda x, w: [ops.contract("mk,kn->mn", x, w)], TensorType((9, 21), dtype), TensorType((21, 40), dtype))


@pytest.mark.parametrize("transposed", [(False, True), (True, False), (True, True)])
def test_products_of_transposed_operands(transposed):
    x, w = ((33, 9), (9, 33))[not transposed[0]], ((33, 40), (40, 33))[transposed[1]]
    same_bits(lambda x, w: [ops.matmul(x, w, *transposed)], f32(*x), f32(*w))


def test_a_batch_of_products_of_which_one_operand_is_shared():
    same_bits(each(ops.matmul), f32(3, 9, 20), f32(3, 20, 17))
    same_bits(lambda x, w: [ops.contract("mk,bkn->bmn", x, w)], f32(9, 20), f32(3, 20, 17))


@pytest.mark.long
def test_heads_of_attention_are_read_and_stored_where_they_lie():
    near(goldens.attention_of_heads, f32(1, 384, 768), scale=0.3)


def test_causal_attention_computes_what_masks_hide():
    near(goldens.causal_attention, *[f32(2, 40, 16)] * 3)


def test_gates_of_a_cell_are_sums_of_one_tile():
    kinds = [(9, 12), (64, 12), (9, 16), (64, 16), (64,), (9, 16)]
    same_bits(goldens.lstm_step, *(f32(*shape) for shape in kinds))


@pytest.mark.parametrize("tile", TILES, ids=lambda tile: f"{tile.m} x {tile.n}")
def test_tiles_of_each_kind(tile, monkeypatch):
    monkeypatch.setattr(tiles, "TILES", (tile,))
    same_bits(goldens.dense, f32(130, 17), f32(17, 140), f32(140))


@pytest.mark.parametrize("tile", TILES, ids=lambda tile: f"{tile.m} x {tile.n}")
def test_threads_without_a_share_of_a_panel_read_nothing(tile, monkeypatch):
    """A tile that is full and the last: what is behind its panels is nobody's memory."""
    monkeypatch.setattr(tiles, "TILES", (tile,))
    for dtype in (float32, float16)[: 1 + (min(tile.m, tile.n) < 16)]:  # others of float16 are tensor cores'
        x, w = (TensorType((size, 32), dtype) for size in (tile.m, tile.n))
        same_bits(lambda x, w: [ops.matmul(x, w, False, True)], x, w)


@pytest.mark.parametrize(
    "types", [(f32(3, 700), f32(700, 6)), (f32(40, 1000), f32(1000, 33)), (f32(5, 512), f32(512, 9))], ids=str
)
def test_long_sums_of_few_tiles_are_cut_into_parts(types):
    near(each(ops.matmul), *types, scale=0.1)


@pytest.mark.parametrize(
    ("shape", "axis", "kind"),
    [((3, 300), 0, EachThread), ((40, 100), 1, EachWarp), ((5, 300), 1, EachBlock)],
    ids=["threads", "warps", "blocks"],
)
def test_rows_are_threads_warps_or_blocks(shape, axis, kind):
    function = goldens.softmax_over(axis)
    graph = graph_of(function, f32(*shape))
    assert kinds(graph) == {kind}
    near(function, f32(*shape))


@pytest.mark.parametrize(
    ("function", "shape", "waits"),
    [
        (goldens.symmetric, (4, 30, 30), True),
        (goldens.turned_softmax, (5, 10, 20), True),
        (goldens.turned_softmax, (4, 30, 40), False),  # as its warps do where they put their sums together
    ],
    ids=["a block", "a warp", "a fold of a block"],
)
def test_threads_wait_for_what_others_have_stored(function, shape, waits):
    (step,) = build_kernels(graph_of(function, f32(*shape)), SM_80).schedule.steps
    assert [body.waits for body in step.kernel.nests[0].bodies] == [False, waits]
    near(function, f32(*shape))


def test_several_folds_of_a_row_run_in_one_loop():
    same_bits(lambda x: [ops.arg_max(x, 1), ops.reduce_max(x, (1,))], f32(9, 100))
    near(goldens.statistics, f32(9, 100))


def test_folds_of_nan_and_of_signed_zeros():
    x = np.array([[0.0, -0.0, 1.0], [-0.0, 0.0, np.nan], [np.inf, np.nan, -np.inf]] * 20, np.float32).reshape(4, 45)
    for function in (ops.reduce_max, ops.reduce_min, ops.sum):
        graph = graph_of(lambda x, function=function: [function(x, (1,))], f32(4, 45))
        found, expected = on_device(graph, [x]), on_cpu(graph, [x])
        np.testing.assert_array_equal(found[0], expected[0])


def test_one_row_of_many_elements_is_one_block():
    near(goldens.softmax_over(0), f32(3000))


@pytest.mark.parametrize(
    ("shape", "axes"),
    [
        ((10000,), (0,)),
        ((3, 8200), (1,)),
        ((512, 40), (0,)),
        ((16, 3, 600), (0, 2)),
        ((2, 8209), (1,)),
        ((131, 40), (0,)),
        ((3, 2, 2801), (0, 2)),
    ],
    ids=str,
)
@pytest.mark.parametrize("function", [ops.sum, ops.reduce_max], ids=["sum", "max"])
def test_long_folds_of_few_rows_are_cut_into_parts(function, shape, axes):
    graph = graph_of(lambda x: [function(x, axes)], f32(*shape))
    (step,) = build_kernels(graph, SM_80).schedule.steps
    assert len(step.kernel.nests) == 2
    near(lambda x: [function(x, axes)], f32(*shape), scale=0.05)


def test_several_long_folds_have_the_same_parts():
    near(lambda x: [ops.sum(x, (1,)), ops.sum(ops.mul(x, x), (1,))], f32(2, 9000))
    near(lambda x: [composites.mean(ops.exp(x), (0, 1))], f32(30, 300))


@pytest.mark.parametrize(
    ("function", "shape"),
    [
        (lambda x: [ops.arg_max(x, 1)], (3, 9000)),
        (goldens.centred, (2, 9000)),
        (lambda x: [composites.softmax(x, 1)], (2, 9000)),
    ],
    ids=["a state of two", "a fold within others", "rows that are used again"],
)
def test_other_long_folds_stay_whole(function, shape):
    steps = build_kernels(graph_of(function, f32(*shape)), SM_80).schedule.steps
    assert all(len(step.kernel.nests) == 1 for step in steps)
    near(function, f32(*shape))


def test_what_a_step_keeps_of_rows_may_lie_in_scratch():
    types = f32(5, unknown())
    graph = graph_of(goldens.softmax_over(1), types)
    program = build_kernels(graph, SM_80)
    (step,) = (step for step in program.schedule.steps if isinstance(step, LoopStep))
    assert not step.kernel.locals
    for size in (2, 33, 700):
        (x,) = drawn(f32(5, size))
        (found,) = Run(program, [x], {"n0": size}).outputs()
        np.testing.assert_allclose(found.sum(1), 1, rtol=1e-5)
        exp = np.exp(x - x.max(1, keepdims=True))
        np.testing.assert_allclose(found, exp / exp.sum(1, keepdims=True), rtol=1e-5)


def test_products_of_any_size():
    rows = unknown()
    graph = graph_of(goldens.dense, f32(rows, 20), f32(20, 40), f32(40))
    program = build_kernels(graph, SM_80)
    for size in (2, 32, 33):
        inputs = drawn(f32(size, 20), f32(20, 40), f32(40))
        (found,) = Run(program, inputs, {"n0": size}).outputs()
        known = graph_of(goldens.dense, f32(size, 20), f32(20, 40), f32(40))
        np.testing.assert_allclose(found, on_cpu(known, inputs)[0], rtol=1e-5, atol=1e-5)


def test_products_of_any_number_of_terms():
    terms = unknown()
    program = build_kernels(graph_of(each(ops.matmul), f32(20, terms), f32(terms, 40)), SM_80)
    parse_assembly(program.module.text()).verify()
    for count in (2, 40):
        x, w = drawn(f32(20, count), f32(count, 40))
        (found,) = Run(program, [x, w], {"n0": count}).outputs()
        np.testing.assert_allclose(found, x @ w, rtol=1e-5, atol=1e-5)


def test_constants_that_are_derived_are_made_on_the_device():
    types = f32(16, 64), f32(48, 64), f32(48, 1)
    graph, inputs = graph_of(goldens.scaled_weight, *types), drawn(*types)
    assert build_kernels(graph, SM_80, (1, 2)).plan.derivations
    (found,), (expected,) = on_device(graph, inputs, (1, 2)), on_cpu(graph, inputs)
    assert found.tobytes() == expected.tobytes()


@pytest.mark.long
def test_the_gradient_of_attention():
    near(goldens.gradient_of_attention, *[f32(2, 9, 2, 8)] * 4)


def test_a_layer_norm_and_a_product():
    near(goldens.normal_then_dense, f32(20, 48), f32(48), f32(48), f32(48, 24))


def test_pointwise_results_have_the_bits_of_the_cpu():
    same_bits(lambda x, y: [ops.mul(composites.gelu(x), ops.exp(y))], f32(9, 100), f32(9, 100))


def test_kernels_that_are_alike_are_written_once():
    graph = graph_of(lambda x, y: [ops.exp(x), ops.exp(y)], f32(40), f32(40))
    program = build_kernels(graph, SM_80)
    assert [launch.function for step in program.plan.steps for launch in step.launches] == ["loops0", "loops0"]


@pytest.mark.parametrize("dtype", [float32, float64], ids=str)
def test_remainders_of_divisions_are_exact(dtype):
    rng = np.random.default_rng(0)
    info = np.finfo(dtype)
    special = [0.0, -0.0, 1.0, -3.0, np.inf, -np.inf, np.nan, info.max, info.tiny, info.smallest_subnormal, 7.5]
    x, y = (np.array(special, dtype) for _ in range(2))
    x, y = (part.reshape(-1) for part in np.meshgrid(x, y))
    far = rng.standard_normal((2, 400)).astype(dtype) * np.exp2(rng.integers(-40, 40, (2, 400))).astype(dtype)
    below = (rng.integers(1, 1000, (2, 100)) * info.smallest_subnormal).astype(dtype)
    x, y = (np.concatenate(parts).astype(dtype) for parts in zip((x, y), far, below, strict=True))
    graph = graph_of(lambda x, y: [ops.fmod(x, y)], *[TensorType(x.shape, dtype)] * 2)
    (found,) = on_device(graph, [x, y])
    with np.errstate(all="ignore"):
        expected = np.fmod(x, y)
    np.testing.assert_array_equal(found, expected)
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found)[numbers], np.signbit(expected)[numbers])


@pytest.mark.parametrize("function", [ops.sin, ops.cos, ops.tan], ids=lambda one: one.__name__)
def test_large_angles_are_turned_by_integers(function):
    rng = np.random.default_rng(0)
    far = rng.standard_normal(300) * np.exp2(rng.integers(15, 127, 300))
    near_turns = np.round(np.arange(1, 200) * np.pi / 2 * 2.0**18)
    special = [np.inf, -np.inf, np.nan, 2.0**20, -(2.0**20), 2.0**20 + 1, 16367173.0 * 2.0**72, 3e38, -3e38]
    x = np.concatenate([far, near_turns, special]).astype(np.float32)
    graph = graph_of(lambda x: [function(x)], TensorType(x.shape, float32))
    (found,) = on_device(graph, [x])
    (expected,) = on_cpu(graph, [x])
    np.testing.assert_allclose(found, expected, rtol=3e-7, atol=0)
    small = (rng.standard_normal(300) * 100).astype(np.float32)
    graph = graph_of(lambda x: [function(x)], TensorType(small.shape, float32))
    assert on_device(graph, [small])[0].tobytes() == on_cpu(graph, [small])[0].tobytes()


def test_kernels_of_many_arrays_are_of_a_later_version_or_refused(monkeypatch):
    monkeypatch.setattr(program, "_PARAMS", 3)
    monkeypatch.setattr(program, "_MOST_PARAMS", 4)
    versions = []
    for count in (2, 3):
        graph = graph_of(lambda *xs: [ops.concat(*xs, axis=0)], *[f32(2)] * count)
        text = build_kernels(graph, SM_80).ptx()
        versions.append(text.partition(".version ")[2][:3])
        inputs = drawn(*[f32(2)] * count)
        assert (on_device(graph, inputs)[0] == np.concatenate(inputs)).all()
    assert versions == ["7.0", "8.1"]
    graph = graph_of(lambda *xs: [ops.concat(*xs, axis=0)], *[f32(2)] * 4)
    with refusal(DeviceError, r"E705: a kernel of 5 arrays \(concat\), above 4, .*\nhelp: combine fewer"):
        build_kernels(graph, SM_80)
