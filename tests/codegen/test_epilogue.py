# SPDX-License-Identifier: Apache-2.0
"""Epilogues within tiles: which are there, and that they give the bits of those that sums reach through the buffer."""

import numpy as np
import pytest

from hybridize.base.dtypes import BY_CODE
from hybridize.base.types import TensorType
from hybridize.compiler import cache_clear, compile
from hybridize.graph import Builder
from hybridize.machine.target import named_target
from hybridize.ops import Add, Broadcast, Cast, Lt, Matmul, Max, Tanh, Transpose
from hybridize.ops.evaluate import evaluate
from hybridize.schedule.contraction import thresholds

TARGETS = ["avx512", "avx2", "baseline"]
BATCH, M, N, K = 2, 13, 160, 9
SHAPES = ((BATCH, M, K), (BATCH, K, N), (N,), (BATCH, M, N), (BATCH, N, M))


def one(builder, op, *operands):
    return builder.add(op, list(operands))[0]


def biased(builder, y, bias, *_):
    return one(builder, Add(), y, one(builder, Broadcast((BATCH, M, N)), bias))


def cut(builder, y, bias, residual, _):
    return one(builder, Max(), biased(builder, y, bias), residual)


def turned(builder, y, bias, residual, flipped):
    return one(builder, Add(), y, one(builder, Transpose((0, 2, 1)), flipped))


def compared(builder, y, bias, residual, _):
    return one(builder, Lt(), y, residual)


def shortened(builder, *values):
    return one(builder, Cast(BY_CODE["f16"]), cut(builder, *values))


def curved(builder, y, *_):
    return one(builder, Tanh(), y)


def graph(finish, dtype):
    """A product and what `finish` makes of it."""
    builder = Builder()
    x, w, *others = (builder.input(TensorType(shape, dtype)) for shape in SHAPES)
    return builder.finish([finish(builder, one(builder, Matmul(), x, w), *others)])


def program(graph, target):
    cache_clear()
    return compile(graph, named_target(target))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("finish", "code"),
    [
        *((finish, "f32") for finish in (biased, turned, compared, shortened)),
        (compared, "i8"),
        (turned, "bf16"),
        *((cut, code) for code in ("f32", "f64", "f16", "bf16", "i32")),
    ],
)
def test_light_ones_are_in_the_tiles(monkeypatch, finish, code, target):
    dtype = BY_CODE[code]
    rng = np.random.default_rng(0)
    whole = [rng.integers(-3, 4, shape).astype(dtype) for shape in SHAPES]
    any = [rng.standard_normal(shape).astype(dtype) for shape in SHAPES]
    made = graph(finish, dtype)
    inside = program(made, target)
    assert ".tile." in inside.llvm_text
    np.testing.assert_array_equal(inside.run(whole)[0], evaluate(made, whole)[0])  # small integers are exact
    monkeypatch.setattr(thresholds, "LIGHT", 0)
    outside = program(made, target)
    assert ".tile." not in outside.llvm_text
    assert inside.run(any)[0].tobytes() == outside.run(any)[0].tobytes()


def test_functions_are_not():
    assert ".tile." not in program(graph(curved, BY_CODE["f32"]), "avx512").llvm_text


def test_what_is_not_a_number_stays():
    """The cut of a sum that is not a number."""
    arrays = [np.zeros(shape, np.float32) for shape in SHAPES]
    arrays[2][[3, 70]] = np.nan
    (found,) = program(graph(cut, BY_CODE["f32"]), "avx512").run(arrays)
    assert np.isnan(found[..., [3, 70]]).all()
    assert np.isnan(found).sum() == 2 * BATCH * M


@pytest.mark.parametrize("code", ["f16", "bf16"])
@pytest.mark.parametrize("columns", [4, 8, 16])
@pytest.mark.parametrize("target", TARGETS)
def test_a_row_of_one_register_of_short_floats_is_stored_short(target, columns, code):
    """Nothing follows, and yet the sums, which are longer, are not the result."""
    builder = Builder()
    shapes = (1, 8), (8, columns), (1,)
    x, w, after = (builder.input(TensorType(shape, BY_CODE[code])) for shape in shapes)
    made = builder.finish([one(builder, Matmul(), x, w), one(builder, Tanh(), after)])
    arrays = [np.random.default_rng(0).integers(-3, 4, shape).astype(BY_CODE[code]) for shape in shapes]
    found = program(made, target).run(arrays)[0]
    np.testing.assert_array_equal(found, evaluate(made, arrays)[0])
