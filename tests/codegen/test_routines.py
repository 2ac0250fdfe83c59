# SPDX-License-Identifier: Apache-2.0
"""Routines against NumPy: every dtype, axes in front, middle and end, NaN, ties, empty and single lines."""

import ctypes

import ml_dtypes
import numpy as np
import pytest

from hybridize.base.errors import CodegenError, StateError
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import compile_module, host_target, named_target
from hybridize.codegen.llvm.routines.emit import emit_routine
from hybridize.codegen.llvm.text import Module
from hybridize.loops.expr import Routine
from hybridize.ops.randomness import StandardGamma
from hybridize.ops.sorting import sorting_order
from hybridize.runtime import effects
from hybridize.schedule.routines import RoutineScratch, scratch_of

DTYPES = [np.bool_, np.int8, np.uint8, np.int32, np.uint64, np.int64, np.float16, ml_dtypes.bfloat16, np.float32,
          np.float64]  # fmt: skip
SHAPES = [((7,), 0), ((3, 37), 1), ((5, 37), 0), ((2, 9, 21), 1), ((4, 1), 1), ((1, 3), 0), ((0, 3), 1), ((3, 0), 0)]


def run(routine, inputs, outputs, target=None):
    """Compile and call a routine; returns fresh outputs of the given (shape, dtype)."""
    module = Module((target or host_target()).halves)
    types = [TensorType(x.shape, x.dtype) for x in inputs]
    out_types = [TensorType(shape, np.dtype(dtype)) for shape, dtype in outputs]
    laid_out = scratch_of(routine, types, out_types)
    name = emit_routine(module, routine, types, out_types, laid_out, target or host_target())
    assert emit_routine(module, routine, types, out_types, laid_out, target or host_target()) == name
    text = module.text().replace(f"define internal void @{name}", "define void @routine")
    loaded = compile_module(text, target or host_target())
    if f"@{effects.VARIABLE} =" in text:
        ctypes.c_void_p.from_address(loaded.address(effects.VARIABLE)).value = effects.address()
    results = [np.empty(t.shape, t.dtype) for t in out_types]
    scratch = np.full(laid_out.nbytes + 128, 0xA5, np.uint8)
    at = -(-scratch.ctypes.data // 64) * 64
    beyond = scratch[at - scratch.ctypes.data + laid_out.nbytes :]
    count = len(results) + len(inputs) + 1
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * count)(loaded.address("routine"))
    call(*(x.ctypes.data for x in [*results, *inputs]), at)
    assert (beyond == 0xA5).all(), "a routine writes beyond its scratch"
    return results


def data(shape, dtype, nan=False):
    rng = np.random.default_rng(3)
    x = np.asarray(rng.integers(-9 if np.dtype(dtype).kind != "u" else 0, 9, shape)).astype(dtype)
    if nan and x.size and np.dtype(dtype).kind not in "biu":
        flat = x.reshape(-1)
        flat[:: 1 + x.size // 3] = np.nan
    return x


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_running_totals(shape, axis, dtype):
    ufuncs = {"cum_sum": np.add, "cum_prod": np.multiply, "cum_max": np.maximum}
    for nan in (False, True):
        for name, ufunc in ufuncs.items():
            x = data(shape, dtype, nan)
            if name == "cum_prod":
                x = (x.astype(np.float64) % 3).astype(dtype)
            wide = x.astype(np.float32) if np.dtype(dtype).itemsize == 2 else x
            got = run(Routine(name, (axis,)), [x], [(shape, dtype)])[0]
            with np.errstate(all="ignore"):
                want = ufunc.accumulate(wide, axis=axis, dtype=wide.dtype).astype(dtype) if x.size else x
            np.testing.assert_array_equal(got.astype(np.float64), want.astype(np.float64))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("shape", "axis"), [*SHAPES, ((300,), 0)])
def test_sort_is_stable_and_nan_is_the_largest(shape, axis, dtype):
    for nan in (False, True):
        x = data(shape, dtype, nan)
        wide = x.astype(np.float32) if np.dtype(dtype).itemsize == 2 else x
        order = run(Routine("arg_sort", (axis, False)), [x], [(shape, np.int64)])[0]
        np.testing.assert_array_equal(order, np.argsort(wide, axis=axis, kind="stable"))
        values = run(Routine("sort", (axis, False)), [x], [(shape, dtype)])[0]
        bits = f"u{x.itemsize}"  # the very elements: -0 and 0 keep their order too
        np.testing.assert_array_equal(values.view(bits), np.take_along_axis(x, order, axis).view(bits))
        order = run(Routine("arg_sort", (axis, True)), [x], [(shape, np.int64)])[0]
        np.testing.assert_array_equal(order, sorting_order(x, axis, True))


@pytest.mark.parametrize("dtype", DTYPES)
def test_scatter(dtype):
    rng = np.random.default_rng(1)
    base = data((5, 4, 37), dtype)
    for depth in (1, 2, 3):
        where = np.stack([rng.integers(0, size, 11) for size in base.shape[:depth]], -1)
        updates = data((11, *base.shape[depth:]), dtype)
        at = tuple(where.T)
        want = base.copy()
        for k in range(11):
            want[tuple(a[k] for a in at)] = updates[k]
        got = run(Routine("scatter_nd", ("set",)), [base, where, updates], [(base.shape, dtype)])[0]
        np.testing.assert_array_equal(got, want)
        if np.dtype(dtype) == np.bool_:
            continue
        want = base.copy()
        np.add.at(want, at, updates)
        got = run(Routine("scatter_nd", ("add",)), [base, where, updates], [(base.shape, dtype)])[0]
        np.testing.assert_array_equal(got, want)


def test_a_wrong_index_stays_in_the_array():
    base, where = np.zeros(4, np.float32), np.array([[-7], [99]])
    got = run(Routine("scatter_nd", ("set",)), [base, where, np.ones(2, np.float32)], [((4,), np.float32)])[0]
    np.testing.assert_array_equal(got, [1, 0, 0, 1])


@pytest.mark.parametrize("level", ["avx2", "baseline"])
def test_other_targets(level):
    x = data((3, 37, 5), np.float16, True)
    target = named_target(level)
    got = run(Routine("sort", (1, False)), [x], [(x.shape, x.dtype)], target)[0]
    np.testing.assert_array_equal(got, np.sort(x, axis=1))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("level", ["host", "avx2", "baseline"])
def test_gamma_numbers_are_those_of_imperative_code_to_the_bit(level, dtype):
    target = host_target() if level == "host" else named_target(level)
    rng = np.random.default_rng(5)
    key = np.array([0xFEDCBA9876543210, 2**63 + 5], np.uint64)
    for count in (0, 1, 31, 64, 100_003):
        # Shapes near 1, where most candidates are refused, and from all magnitudes; and what is no shape.
        shapes = np.where(rng.random(count) < 0.5, 1 + rng.random(count), np.exp(rng.uniform(0, 60, count)))
        shapes = shapes.astype(dtype)
        shapes[5:31:4] = [0, -1, 1e-3, 1 / 3, np.inf, -np.inf, np.nan][: len(shapes[5:31:4])]
        got = run(Routine("standard_gamma"), [key, shapes], [((count,), dtype)], target)[0]
        np.testing.assert_array_equal(got.view(f"u{got.itemsize}") * ~np.isnan(got), expected(key, shapes))


def expected(key, shapes):
    found = StandardGamma().reference(key, shapes)[0]
    return found.view(f"u{found.itemsize}") * ~np.isnan(found)


def test_print_and_assert(capsys):
    x = np.array([[1.5, 2]], np.float32)
    run(Routine("print", ('line "one"\n{} then {}', "")), [x, np.array(3)], [])
    effects.raise_pending()
    assert capsys.readouterr().out == 'line "one"\n[[1.5 2. ]] then 3\n'
    run(Routine("assert", ("must hold", "")), [np.array([True, True])], [])
    effects.raise_pending()
    run(Routine("assert", ("must hold", "")), [np.array([True, False])], [])
    with pytest.raises(StateError, match="must hold"):
        effects.raise_pending()
    effects.raise_pending()


def test_unknown_routine():
    with pytest.raises(CodegenError, match="E955"):
        emit_routine(Module(), Routine("nothing"), (), (), RoutineScratch(), host_target())
