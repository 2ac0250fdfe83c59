"""Corners of the scalar functions: what NumPy says, or what the table of functions promises where NumPy does not."""

import llvmlite.binding
import numpy
import pytest

from hybridize import ops
from hybridize.base.dtypes import FLOATS, INTEGERS, bool_
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import compile_module, host_target, named_target
from hybridize.codegen.llvm.functions.table import emit_call, register
from hybridize.codegen.llvm.program import build
from hybridize.codegen.llvm.text import Function, Module
from hybridize.loops.functions import FUNCTIONS, Kind
from hybridize.runtime.executable import Executable

TARGETS = ["avx512", "avx2", "baseline"]
LENGTHS = [1, 40]
"""Scalar code, and vectors with a rest."""


def run(function, *arrays, target="avx512"):
    graph = ops.make_graph(lambda *xs: [function(*xs)], [TensorType(x.shape, x.dtype) for x in arrays])
    built = build(graph, named_target(target))
    loaded = compile_module(built.module.text(), named_target(target))
    return Executable(loaded, loaded.address("program"), built.plan, built.constants, built.sources).run(list(arrays))[
        0
    ]


def pairs(xs, ys, dtype, length):
    grid = [g.reshape(-1) for g in numpy.meshgrid(numpy.array(xs, dtype), numpy.array(ys, dtype))]
    return [numpy.resize(g, (max(1, length // g.size) * g.size,) if length > 1 else g.size) for g in grid]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_of_the_table_has_an_emitter_for_what_it_takes(name):
    function, target = FUNCTIONS[name], host_target()
    module = Module(target.halves)
    floats = function.kind in (Kind.FLOATS, Kind.NUMBERS, Kind.TRUTH)
    integers = function.kind in (Kind.INTEGERS, Kind.NUMBERS) or function.compares
    for dtype in (*FLOATS * floats, *INTEGERS * integers):
        for lanes in (1, target.lanes(dtype.itemsize)):
            result = bool_ if function.truth else dtype
            kind = register(dtype, lanes)
            params = [(kind, f"x{number}") for number in range(function.arity)]
            f = Function(module, f"{name}.{dtype.name}.{lanes}", params, returns=register(result, lanes), linkage="")
            found = emit_call(f, name, [f"%{param}" for _, param in params], dtype, result, lanes, target)
            f.do(f"ret {register(result, lanes)} {found}")
    assert module.functions
    llvmlite.binding.parse_assembly(module.text()).verify()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u4", "u8"])
def test_integer_division_by_zero_is_zero_and_the_least_by_minus_one_wraps(dtype, target):
    info = numpy.iinfo(dtype)
    x, y = pairs(
        [info.min, -7 if info.min else 7, -1 if info.min else 1, 0, 1, 9, info.max],
        [0, 1, -1 if info.min else 2, 3, info.max],
        dtype,
        40,
    )
    with numpy.errstate(all="ignore"):
        quotient, remainder = numpy.floor_divide(x, y), numpy.remainder(x, y)
    assert (run(ops.floor_div, x, y, target=target) == quotient).all()
    assert (run(ops.mod, x, y, target=target) == remainder).all()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_float_remainders_follow_numpy(dtype, target):
    corners = [0.0, -0.0, 1.0, -1.0, 0.1, -0.1, 7.5, -7.5, numpy.inf, -numpy.inf, numpy.nan, 1e30]
    x, y = pairs(corners, corners, dtype, 1)
    with numpy.errstate(all="ignore"):
        for ours, theirs in [(ops.mod, numpy.remainder), (ops.floor_div, numpy.floor_divide), (ops.fmod, numpy.fmod)]:
            numpy.testing.assert_array_equal(run(ours, x, y, target=target), theirs(x, y))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_extremes_hand_nan_on_and_fmax_does_not(dtype, target):
    corners = [0.0, 1.0, -1.0, numpy.inf, -numpy.inf, numpy.nan]
    x, y = pairs(corners, corners, dtype, 1)
    for ours, theirs in [
        (ops.max, numpy.maximum),
        (ops.min, numpy.minimum),
        (ops.fmax, numpy.fmax),
        (ops.fmin, numpy.fmin),
    ]:
        numpy.testing.assert_array_equal(run(ours, x, y, target=target), theirs(x, y))


@pytest.mark.parametrize("target", TARGETS)
def test_a_maximum_over_an_axis_hands_nan_on(target):
    x = numpy.random.standard_normal((5, 70)).astype("f4")
    x[1, 0] = x[2, 69] = x[3, 33] = numpy.nan
    for axes in [(0,), (1,), (0, 1)]:
        found = run(lambda x, axes=axes: ops.reduce_max(x, axes), x, target=target)
        numpy.testing.assert_array_equal(found, numpy.max(x, axis=axes))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
@pytest.mark.parametrize("source", ["f2", "f4", "f8"])
def test_conversion_to_integers_saturates_and_nan_is_zero(source, dtype, target):
    info = numpy.iinfo(dtype)
    edges = [
        sign * numpy.nextafter(float(bound), toward)
        for bound in (info.min, info.max)
        for sign in (1, -1)
        for toward in (float(bound), -numpy.inf, numpy.inf)
    ]
    corners = [numpy.nan, numpy.inf, -numpy.inf, 0.9, -0.9, -0.0, 1.9, -1.9, 3e4, -3e4, *edges]
    with numpy.errstate(over="ignore"):
        x = numpy.resize(numpy.array(corners, source), 67)
    wanted = [
        0 if v != v else info.max if v > info.max else info.min if v < info.min else int(v)
        for v in x.astype("f8").tolist()
    ]
    assert run(lambda x: ops.cast(x, numpy.dtype(dtype)), x, target=target).tolist() == wanted


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_rounding_keeps_the_sign_of_zero_and_what_is_not_finite(dtype, target):
    halves = numpy.arange(-12, 13) / 4
    edges = [2.0**23 - 0.5, 2.0**23 + 1, 2.0**52 - 0.5, 2.0**52 + 1, 1e-40, 1e30, 0.49999997, 0.49999999999999994]
    corners = [*halves, *edges, *numpy.negative(edges), -0.0, numpy.nan, numpy.inf, -numpy.inf]
    with numpy.errstate(over="ignore"):
        x = numpy.resize(numpy.array(corners, dtype), 83)
    rules = {ops.floor: numpy.floor, ops.ceil: numpy.ceil, ops.trunc: numpy.trunc, ops.round: numpy.rint}
    for ours, theirs in rules.items():
        found = run(ours, x, target=target)
        numpy.testing.assert_array_equal(found, theirs(x))
        numpy.testing.assert_array_equal(numpy.signbit(found), numpy.signbit(theirs(x)))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", ["i4", "u1", "i8"])
def test_shifts_beyond_the_width_leave_nothing(dtype, target):
    bits = 8 * numpy.dtype(dtype).itemsize
    x, y = pairs([-9 if dtype[0] == "i" else 9, 1, 100], [0, 1, bits - 1, bits, bits + 3], dtype, 40)
    left = [0 if s >= bits else (int(v) << int(s)) % 2**bits for v, s in zip(x, y, strict=True)]
    right = [int(v) >> min(int(s), bits - 1) if v < 0 or s < bits else 0 for v, s in zip(x, y, strict=True)]
    assert (run(ops.shift_left, x, y, target=target) == numpy.array(left, f"u{bits // 8}").astype(dtype)).all()
    assert (run(ops.shift_right, x, y, target=target) == numpy.array(right).astype(dtype)).all()


@pytest.mark.parametrize("target", TARGETS)
def test_sixteen_bit_floats_round_after_every_operation(target):
    import ml_dtypes

    for kind in (numpy.dtype("f2"), numpy.dtype(ml_dtypes.bfloat16)):
        x = (numpy.random.standard_normal(67) * 3).astype(kind)
        y = numpy.random.standard_normal(67).astype(kind)
        found = run(lambda x, y: ops.sub(ops.mul(ops.add(x, y), y), x), x, y, target=target)
        assert (found == ((x + y) * y - x)).all()
        big = numpy.full(5, 60000, "f4").astype(kind)
        found = run(lambda x: ops.mul(ops.add(x, x), ops.like(0.5, x)), big, target=target)
        with numpy.errstate(over="ignore"):
            numpy.testing.assert_array_equal(found.astype("f4"), ((big + big) * kind.type(0.5)).astype("f4"))
