"""16-bit floats are converted as NumPy does it, one at a time and in vectors, with instructions for it and without."""

import ctypes

import ml_dtypes
import numpy as np
import pytest

from hybridize import compiler, ops
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import compile_module, runnable
from hybridize.codegen.llvm.functions.table import emit_cast
from hybridize.codegen.llvm.nests.memory import Width, element_pointer, load, store
from hybridize.codegen.llvm.text import Function, Module
from hybridize.machine.target import named_target

DTYPES = {
    "half": np.dtype("f2"), "bfloat": np.dtype(ml_dtypes.bfloat16), "float": np.dtype("f4"), "double": np.dtype("f8"),
}  # fmt: skip
PAIRS = [(a, b) for a in DTYPES for b in DTYPES if a != b and b != "double"]
EDGES = [65519.99, 65520, np.inf, -np.inf, np.nan, 0, -0.0, 2**-25, 1.5 * 2**-25, 2**-24, 1 + 2**-11, 1 + 2**-9, 3.4e38]


def emit(module, a, b):
    """`void a.b(ptr out, ptr x, i64 n)`: in vectors of four, the rest one by one."""
    f = Function(module, f"{a}.{b}", [("ptr", "out"), ("ptr", "x"), ("i64", "n")], linkage="")
    whole = f.op("and i64 %n, -4")
    for start, stop, lanes in (("0", whole, 4), (whole, "%n", 1)):
        with f.loop(start, stop, lanes) as loop:
            value = load(f, element_pointer(f, "%x", DTYPES[a], loop.index), DTYPES[a], Width(lanes))
            value = emit_cast(f, value, DTYPES[a], DTYPES[b], lanes)
            store(f, value, element_pointer(f, "%out", DTYPES[b], loop.index), DTYPES[b], Width(lanes))
    f.do("ret void")


def numbers(dtype):
    if dtype.itemsize == 2:
        return np.arange(65536, dtype=np.uint16).view(dtype)
    rng = np.random.default_rng(0)
    wide = rng.standard_normal(3000) * np.exp(rng.uniform(-20, 12, 3000))
    huge = rng.standard_normal(1000) * np.exp2(rng.uniform(-149, 127, 1000))
    # SideBySide the middle between two bfloat16s it shows whether a float64 became a float32 on its way.
    middles = np.outer([0.0423583984375, 0.01678466796875, 0.736328125], [1 - 2**-30, 1, 1 + 2**-30]).ravel()
    return np.concatenate([wide, huge, middles, EDGES, np.asarray(EDGES) * (1 + 2**-40)]).astype(dtype)


@pytest.mark.parametrize("name", runnable())
def test_conversions_are_those_of_numpy(name):
    target = named_target(name)
    module = Module(target.halves)
    for a, b in PAIRS:
        emit(module, a, b)
    loaded = compile_module(module.text(), target)
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
    for a, b in PAIRS:
        x = numbers(DTYPES[a])
        with np.errstate(all="ignore"):
            expected = x.astype(DTYPES[b])
        for part in (slice(0, None), slice(1, 4), slice(-3, None)):
            given = np.ascontiguousarray(x[part])
            found = np.empty(given.shape, DTYPES[b])
            kind(loaded.address(f"{a}.{b}"))(found.ctypes.data, given.ctypes.data, len(given))
            same = (found == expected[part]) & (np.signbit(found) == np.signbit(expected[part]))
            assert (same | (np.isnan(found) & np.isnan(expected[part]))).all(), (a, b)


@pytest.mark.parametrize("name", runnable())
@pytest.mark.parametrize("size", [1, 3, 40])
def test_the_sign_of_a_float16_that_was_a_float64(size, name):
    """LLVM's copysign takes the sign before the conversion, and so asks a library for a float64 as a float16."""
    narrow = [DTYPES["float"], DTYPES["half"]]
    x, y = np.full(size, 2.5), np.resize([-0.0, 3.0, -4.0], size)

    def program(x, y):
        for dtype in narrow:
            x, y = ops.cast(x, dtype), ops.cast(y, dtype)
        return [ops.copysign(x, y)]

    graph = ops.make_graph(program, [TensorType(x.shape, x.dtype)] * 2)
    (found,) = compiler.compile(graph, named_target(name)).run([x, y])
    assert found.tobytes() == np.copysign(x, y).astype("f2").tobytes()
