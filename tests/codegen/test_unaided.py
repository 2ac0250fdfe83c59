"""Functions of float64 without the C library: errors against 40 digits, special values as in C, bits of a device."""

import ctypes

import mpmath
import numpy as np
import pytest

from hybridize import ops
from hybridize.base.dtypes import float32, float64
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import compile_module, named_target
from hybridize.codegen.llvm.functions.unaided import UNAIDED
from hybridize.codegen.llvm.functions.vectors import Vectors
from hybridize.codegen.llvm.text import Function, Module
from tests.codegen.test_mathematics import REFERENCES
from tests.device.programs import graph_of, on_device

INF, NAN = np.inf, np.nan
OF_TWO = {"pow", "arctan2", "hypot", "logaddexp"}
EXACT = {
    "arcsin": mpmath.asin, "arccos": mpmath.acos, "arctan": mpmath.atan, "arcsinh": mpmath.asinh,
    "arccosh": mpmath.acosh, "arctanh": mpmath.atanh, "arctan2": mpmath.atan2, "pow": mpmath.power,
    "log2": lambda x: mpmath.log(x, 2), "hypot": lambda x, y: mpmath.sqrt(x * x + y * y),
    "gammaln": lambda x: mpmath.log(abs(mpmath.gamma(x))),
    "logaddexp": lambda x, y: max(x, y) + mpmath.log1p(mpmath.exp(-abs(x - y))),
}  # fmt: skip
RANGES = {
    "sinh": (-700, 700), "cosh": (-700, 700), "arcsin": (-1, 1), "arccos": (-1, 1), "arctanh": (-1, 1),
    "erfinv": (-1, 1), "erf": (-6, 6), "arccosh": (1, 50), "log1p": (-1, 9), "gammaln": (0, 60),
}  # fmt: skip
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 5e-324, -5e-324, 2e-308, -1e-20, 1e20, -1e20,
           1.7e308, -1.7e308, 709.8, -745.2, 710.5, -711.0, 2.0**53, INF, -INF, NAN]  # fmt: skip
MOST = 2.0
"""Units in the last place that a function may be off, as on a processor."""


def compiled(target):
    module = Module()
    for name, rule in UNAIDED.items():
        f = Function(module, f"k_{name}", [("ptr", "o"), ("ptr", "x"), ("ptr", "y"), ("i64", "n")], linkage="")
        with f.loop("0", "%n") as loop:
            places = [f.element(f"%{base}", loop.index, "double") for base in ("xy" if name in OF_TWO else "x")]
            args = [f.op(f"load double, ptr {place}, align 8") for place in places]
            value = rule(Vectors(f, float64, 1, target), *args)
            f.do(f"store double {value}, ptr {f.element('%o', loop.index, 'double')}, align 8")
    assert all(name.startswith("llvm.") for name in module.declarations), "it asks the C library"
    loaded = compile_module(module.text(), target)

    def run(name, *args):
        args = [np.ascontiguousarray(x, np.float64) for x in args]
        out = np.empty_like(args[0])
        call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_int64)(loaded.address(f"k_{name}"))
        call(out.ctypes.data, args[0].ctypes.data, args[-1].ctypes.data, out.size)
        return out

    return run


@pytest.fixture(scope="module")
def run():
    return compiled(named_target("avx2"))


def arguments(name, count, seed):
    rng = np.random.default_rng(seed)
    sizes = rng.uniform(-1, 1, (3, count))
    near = sizes[0] * 2.0 ** rng.uniform(-52, -1, count)
    x = np.concatenate([
        rng.uniform(*RANGES.get(name, (-50, 50)), count), sizes[1] * 10.0 ** rng.uniform(-300, 0, count),
        sizes[2] * 10.0 ** rng.uniform(-10, 300, count), near, 1 + near, -1 - near, 2 + near,
    ])  # fmt: skip
    if name in ("log2", "log10", "gammaln"):
        x = np.abs(x)
    if name != "pow":
        return [x, rng.permutation(x)] if name in OF_TWO else [x]
    x = np.abs(x)
    return [x, rng.uniform(-1, 1, x.size) * 700 / np.maximum(np.abs(np.log(x)), 1e-17)]


def error(name, found, args):
    """The largest error in units in the last place, and where; what is NaN or infinite must be so."""
    exact, worst = EXACT.get(name) or getattr(mpmath, name), (0.0, ())
    with mpmath.workdps(40):
        for value, *numbers in zip(found, *args, strict=True):
            try:
                right = exact(*(mpmath.mpf(float(x)) for x in numbers))
            except (ValueError, ZeroDivisionError):
                continue
            if isinstance(right, mpmath.mpc) or mpmath.isnan(right):
                assert np.isnan(value), (name, numbers)
                continue
            nearest = float(right)
            if np.isinf(nearest) or np.isinf(value):
                assert value == nearest, (name, numbers)
                continue
            scale = max(map(abs, (nearest, *(numbers if name == "logaddexp" else ()))))
            worst = max(worst, (float(abs(mpmath.mpf(float(value)) - right) / np.spacing(scale)), tuple(numbers)))
    return worst


@pytest.mark.parametrize("name", UNAIDED)
def test_errors(run, name):
    args = arguments(name, 8, 0)
    most, at = error(name, run(name, *args), args)
    assert most < MOST, at


@pytest.mark.long
@pytest.mark.parametrize("name", UNAIDED)
def test_errors_of_many(run, name):
    for seed in range(1, 4):
        args = arguments(name, 300, seed)
        most, at = error(name, run(name, *args), args)
        assert most < MOST, at


@pytest.mark.long
@pytest.mark.parametrize("name", UNAIDED)
def test_errors_without_fused_multiply_adds(name):
    args = arguments(name, 60, 5)
    found = compiled(named_target("baseline"))(name, *args)
    # Sums beyond 2^996 are divided into halves that are infinite.
    usual = np.all([(np.abs(x) < 1e290) for x in args], 0)
    most, at = error(name, found[usual], [x[usual] for x in args])
    assert most < MOST, at


@pytest.mark.parametrize("name", UNAIDED)
def test_special_values(run, name):
    x = np.array(SPECIAL)
    if name in OF_TWO:
        args = [part.reshape(-1) for part in np.meshgrid(x, x)]
    else:
        args = [x]
    found = run(name, *args)
    with np.errstate(all="ignore"):
        expected = np.asarray(REFERENCES[name](*args), np.float64)
    special = ~np.isfinite(expected) | (expected == 0)
    np.testing.assert_array_equal(found[special], expected[special])
    np.testing.assert_allclose(found[~special], expected[~special], rtol=3e-15)
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found)[numbers], np.signbit(expected)[numbers])


def test_angles_that_come_close_to_quarter_turns(run):
    # The float64 that is closest to one: 6381956970095103 2^797; others have many bits in common with pi / 2.
    x = [6381956970095103.0 * 2.0**797, 2.0**1023, 5.319372648326541416707296656673541083813475031793921822e255]
    x += [float(k) * np.pi / 2 for k in (1, 2, 3, 7, 22, 355, 104348, 1 << 19, 1 << 21, 1 << 30)]
    args = [np.array(x + [-one for one in x])]
    for name in ("sin", "cos", "tan"):
        most, at = error(name, run(name, *args), args)
        assert most < 1, (name, at)


@pytest.mark.parametrize("word", ["sin", "tan", "pow", "gammaln", "arcsinh", "erfinv", "log1p", "arctan2", "hypot"])
def test_a_device_has_the_bits(run, word):
    args = arguments(word, 6, 3)
    op = getattr(ops, word)
    graph = graph_of(lambda *xs: [op(*xs)], *[TensorType(x.shape, float64) for x in args])
    (found,) = on_device(graph, args)
    np.testing.assert_array_equal(found, run(word, *args))


def test_log_gamma_of_float32_on_a_device():
    x = np.concatenate([np.linspace(-6.4, 30, 60), [0.0, -2.0, INF, -INF, NAN, 1e-40, 3e38]]).astype(np.float32)
    (found,) = on_device(graph_of(lambda x: [ops.gammaln(x)], TensorType(x.shape, float32)), [x])
    with np.errstate(over="ignore"):
        expected = REFERENCES["gammaln"](x.astype(np.float64)).astype(np.float32)
    np.testing.assert_allclose(found, expected, rtol=1e-7)
