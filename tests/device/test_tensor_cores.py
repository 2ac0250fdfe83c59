"""Products by tensor cores: of 16-bit floats, and of float32 where somebody says so. Factors are whole numbers that fit
into their bits, so that sums are exact, and equal the CPU's.
"""

import numpy as np
import pytest
from llvmlite.binding import parse_assembly

from hybridize import ops
from hybridize.base.config import CONFIG
from hybridize.base.dtypes import bfloat16, float16, float32, float64
from hybridize.base.frozen import changed
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.device.program import build_kernels
from hybridize.compiler.kernels import device_target
from hybridize.schedule.device import tiles
from tests.device.programs import SM_80, Run, graph_of, on_cpu
from tests.device.test_convolutions import plans, whole
from tests.schedule import goldens
from tests.schedule.goldens import each

TF32 = changed(SM_80, device=changed(SM_80.device, tf32=True))
UNITS = {"bf16": (bfloat16, SM_80), "f16": (float16, SM_80), "tf32": (float32, TF32)}


def of(dtype, *shapes):
    return [TensorType(shape, dtype) for shape in shapes]


def check(function, types, target, unit) -> str:
    """The text of a program by tensor cores, whose results are the CPU's."""
    graph, inputs = graph_of(function, *types), whole(types)
    program = build_kernels(graph, target)
    assert {one.grid.tile.unit for plan in plans(program) for one in plan.launches} == {unit}
    run = Run(program, inputs)
    for found, expected in zip(run.outputs(), on_cpu(graph, inputs), strict=True):
        np.testing.assert_array_equal(found, expected)
    return run.text


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("tile", tiles.WARP_TILES[1:], ids=lambda tile: f"{tile.m} x {tile.n}")
def test_products(tile, unit, monkeypatch):
    monkeypatch.setattr(tiles, "WARP_TILES", (tile,))
    dtype, target = UNITS[unit]
    text = check(each(ops.matmul), of(dtype, (70, 37), (37, 75)), target, unit)
    assert f"mma.sync.aligned.m16n8k{8 if unit == 'tf32' else 16}.row.col.f32.{unit}.{unit}.f32" in text
    assert ("ldmatrix" in text) == (unit != "tf32")
    assert "fma.rn.f32" not in text


@pytest.mark.parametrize("unit", UNITS)
def test_products_of_any_number_of_terms(unit):
    (dtype, target), terms = UNITS[unit], goldens.unknown(hint=64)
    program = build_kernels(graph_of(each(ops.matmul), *of(dtype, (70, terms), (terms, 75))), target)
    assert {one.grid.tile.unit for plan in plans(program) for one in plan.launches} == {unit}
    parse_assembly(program.module.text()).verify()


@pytest.mark.long
@pytest.mark.parametrize("unit", UNITS)
def test_large_tiles(unit, monkeypatch):
    monkeypatch.setattr(tiles, "WARP_TILES", tiles.WARP_TILES[:1])
    dtype, target = UNITS[unit]
    check(goldens.dense, of(dtype, (130, 50), (50, 140), (140,)), target, unit)


@pytest.mark.long
@pytest.mark.parametrize("transposed", [(False, True), (True, False)])
@pytest.mark.parametrize("unit", UNITS)
def test_transposed_operands_in_parts(unit, transposed):
    dtype, target = UNITS[unit]
    x, w = ((300, 20), (20, 300))[not transposed[0]], ((300, 40), (40, 300))[transposed[1]]
    check(lambda x, w: [ops.matmul(x, w, *transposed)], of(dtype, x, w), target, unit)


@pytest.mark.parametrize("unit", [pytest.param("tf32", marks=pytest.mark.long), "bf16"])
def test_convolutions(unit):
    dtype, target = UNITS[unit]
    check(goldens.convolved(1, 1), of(dtype, (2, 16, 9, 9), (17, 16, 3, 3)), target, unit)


def test_gates():
    shapes = [(16, 16), (64, 16), (16, 16), (64, 16), (64,), (16, 16)]
    (step, *_) = build_kernels(graph_of(goldens.lstm_step, *of(bfloat16, *shapes)), SM_80).schedule.steps
    assert {one.grid.tile.unit for one in step.plan.launches} == {"bf16"}


@pytest.mark.parametrize(
    ("dtype", "shapes"),
    [(float32, ((64, 64), (64, 64))), (float64, ((64, 64), (64, 64))), (bfloat16, ((64, 8), (8, 64)))],
    ids=["float32", "float64", "few terms"],
)
def test_all_others_are_fused_multiply_adds(dtype, shapes):
    program = build_kernels(graph_of(each(ops.matmul), *of(dtype, *shapes)), SM_80)
    assert {one.grid.tile.unit for plan in plans(program) for one in plan.launches} == {"fma"}
    assert "mma" not in program.ptx()


def test_float32_is_rounded_only_where_somebody_says_so(monkeypatch):
    assert device_target("sm_80") is SM_80
    monkeypatch.setattr(CONFIG, "tf32", True)
    assert device_target("sm_80") == TF32
    assert device_target("sm_86") == TF32


def test_factors_of_float32_are_rounded_to_eleven_bits():
    rng = np.random.default_rng(0)
    types = of(float32, (32, 48), (48, 64))
    x, w = (rng.standard_normal(one.shape).astype(np.float32) for one in types)
    (found,) = Run(build_kernels(graph_of(each(ops.matmul), *types), TF32), [x, w]).outputs()
    exact = x.astype(np.float64) @ w.astype(np.float64)
    error = np.abs(found - exact).max() / np.abs(exact).max()
    assert 2.0**-16 < error < 2.0**-9
