# SPDX-License-Identifier: Apache-2.0
"""Elementary functions against float64: dense sweeps in ulp, special values, every target, any number of lanes."""

import ctypes
import math
import os

import numpy as np
import pytest

from hybridize.codegen.llvm.engine import compile_module, host_target, named_target
from hybridize.codegen.llvm.functions.float32 import EMITTERS
from hybridize.codegen.llvm.text import Function, Module, llvm_type

INF, NAN = np.inf, np.nan


def _each(function, pole=NAN):
    def safe(x):
        try:
            return function(x)
        except OverflowError:
            return INF
        except ValueError:
            return pole

    ufunc = np.frompyfunc(safe, 1, 1)
    return lambda x: ufunc(x).astype(np.float64)


def _erfinv(x):
    """Bisection on math.erf / math.erfc: slow, obvious."""
    if math.isnan(x) or abs(x) > 1:
        return NAN
    if abs(x) == 1 or x == 0:
        return x * INF if x else x
    low, high = 0.0, 6.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if math.erfc(middle) > 1 - abs(x) else (low, middle)
    guess = math.copysign((low + high) / 2, x)
    # erfc is flat near 0: two Newton steps on erf there.
    for _ in range(2):
        if abs(x) < 0.5:
            guess -= (math.erf(guess) - x) * math.sqrt(math.pi) / 2 * math.exp(guess * guess)
    return guess


def _sigmoid(x):
    return np.exp(-np.logaddexp(0, -np.asarray(x, np.float64)))


REFERENCES = {
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2, "log10": np.log10,
    "log1p": np.log1p, "tanh": np.tanh, "sigmoid": _sigmoid, "erf": _each(math.erf), "sin": np.sin, "cos": np.cos,
    "tan": np.tan, "sinh": np.sinh, "cosh": np.cosh, "pow": np.power, "rsqrt": lambda x: 1 / np.sqrt(x),
    "cbrt": np.cbrt, "arctan": np.arctan, "arcsin": np.arcsin, "arccos": np.arccos, "arctan2": np.arctan2,
    "hypot": np.hypot, "logaddexp": np.logaddexp, "arcsinh": np.arcsinh, "arccosh": np.arccosh,
    "arctanh": np.arctanh, "erfinv": _each(_erfinv), "gammaln": _each(math.lgamma, INF), "gamma": _each(math.gamma),
}  # fmt: skip
BINARY = {"pow", "arctan2", "hypot", "logaddexp"}
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 1e-45, -1e-45, 1e-38, -1e-38, 1e-20, 1e20, -1e20,
           3.4e38, -3.4e38, 88.7, 88.73, 104.0, -87.5, -103.0, -104.5, 127.99, 128.0, -149.0, -150.5, INF, -INF,
           NAN]  # fmt: skip


def kernels(names, dtype, lanes, target):
    """One function `void name(ptr out, ptr x, ptr y, i64 n)` for each name; n is a multiple of lanes."""
    module = Module()
    memory = llvm_type(dtype, lanes)
    for name in names:
        f = Function(module, f"k_{name}", [("ptr", "o"), ("ptr", "x"), ("ptr", "y"), ("i64", "n")], linkage="")
        with f.loop(0, "%n", lanes) as loop:
            places = [f.op(f"getelementptr {llvm_type(dtype)}, ptr %{p}, i64 {loop.index}") for p in "oxy"]
            args = [f.op(f"load {memory}, ptr {place}, align 2") for place in places[1 : 3 if name in BINARY else 2]]
            result = EMITTERS[name](f, args, dtype, lanes, target)
            f.do(f"store {memory} {result}, ptr {places[0]}, align 2")
        f.do("ret void")
    loaded = compile_module(module.text(), target)

    def run(name, *args):
        size = -(-len(args[0]) // lanes) * lanes
        padded = [np.resize(arg.astype(dtype), size) for arg in args]
        out = np.empty(size, dtype)
        call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_int64)(loaded.address(f"k_{name}"))
        call(out.ctypes.data, padded[0].ctypes.data, padded[-1].ctypes.data, size)
        return out[: len(args[0])]

    return run


@pytest.fixture(scope="module")
def host32():
    target = host_target()
    return kernels(EMITTERS, np.dtype(np.float32), target.lanes(4), target)


def sweep(name, dtype=np.float32, count=60000):
    rng = np.random.default_rng(7)
    ranges = {
        "exp": (-104, 89),
        "exp2": (-150, 128),
        "expm1": (-20, 89),
        "tanh": (-12, 12),
        "sigmoid": (-104, 104),
        "erf": (-5, 5),
        "sin": (-2000, 2000),
        "cos": (-2000, 2000),
        "tan": (-2000, 2000),
        "sinh": (-89, 89),
        "cosh": (-89, 89),
        "arcsin": (-1, 1),
        "arccos": (-1, 1),
        "arctanh": (-1, 1),
        "erfinv": (-1, 1),
        "arccosh": (1, 50),
        "log1p": (-1, 5),
        "gammaln": (-20, 100),
        "gamma": (-20, 35),
    }
    if name in ("erf", "erfinv", "gammaln", "gamma"):
        count = 4000
    low, high = ranges.get(name, (-50, 50))
    uniform = rng.uniform(low, high, count)
    tiny = rng.uniform(-1, 1, count) * 10.0 ** rng.uniform(-40, 0, count)
    wide = rng.uniform(-1, 1, count) * 10.0 ** rng.uniform(-10, 38, count)
    x = np.concatenate([uniform, tiny, wide, 1 + tiny]).astype(dtype)
    if name in ("log", "log2", "log10", "rsqrt"):
        x = np.abs(x)
    if name == "pow":
        x = np.concatenate([np.abs(uniform), np.abs(tiny), np.abs(wide), uniform]).astype(dtype)
        y = np.concatenate([rng.uniform(-20, 20, 3 * count), rng.integers(-9, 9, count)]).astype(dtype)
        return [x, y]
    if name in BINARY:
        return [x, rng.permutation(x)]
    return [x]


def ulps(got, want, scale=None):
    """Largest distance in units in the last place of the exact value; NaN and infinity must coincide."""
    dtype = got.dtype
    rounded = want.astype(dtype)
    special = ~np.isfinite(rounded)
    close = np.isfinite(want) & np.isinf(rounded)  # on the edge of overflow either may be right
    edge = np.abs(want) < float(np.finfo(dtype).max) * (1 + 1e-6)
    wrong = special & ~(close & edge) & ~((got == rounded) | (np.isnan(got) & np.isnan(rounded)))
    if wrong.any():
        return np.inf, int(np.flatnonzero(wrong)[0])
    finite = ~special & np.isfinite(got) & np.isfinite(want)
    if (~finite & ~special & ~np.isinf(got)).any():
        return np.inf, int(np.flatnonzero(~finite & ~special)[0])
    unit = np.spacing(np.maximum(np.abs(rounded if scale is None else scale), np.finfo(dtype).tiny).astype(dtype))
    error = np.where(finite, np.abs(np.where(finite, got, 0) - np.where(finite, want, 0)) / unit, 0)
    return float(error.max()), int(error.argmax())


def measure(run, name, args):
    with np.errstate(all="ignore"):
        want = REFERENCES[name](*(arg.astype(np.float64) for arg in args))
        scale = np.maximum(np.abs(args[0]), np.maximum(np.abs(args[1]), 1)) if name == "logaddexp" else None
        return ulps(run(name, *args), want, scale)


@pytest.mark.parametrize("name", sorted(EMITTERS))
def test_float32_sweep(host32, name):
    args = sweep(name)
    error, at = measure(host32, name, args)
    print(f"{name:10s} {error:6.2f} ulp at {[arg[at] for arg in args]}")
    assert error <= 2, [arg[at] for arg in args]


@pytest.mark.parametrize("name", sorted(EMITTERS))
def test_special_values(host32, name):
    special = np.array(SPECIAL, np.float32)
    args = [a.ravel() for a in np.meshgrid(special, special)] if name in BINARY else [special]
    got = host32(name, *args)
    with np.errstate(all="ignore"):
        want = REFERENCES[name](*(arg.astype(np.float64) for arg in args)).astype(np.float32)
    if name == "gamma":  # Python raises at poles; C gives infinity at +-0, as IEEE 754 suggests
        want = np.where(args[0] == 0, np.copysign(INF, args[0]), want)
    for k in range(len(got)):
        case = (name, [arg[k] for arg in args], got[k], want[k])
        assert np.isnan(got[k]) == np.isnan(want[k]), case
        if not np.isnan(want[k]):
            assert np.signbit(got[k]) == np.signbit(want[k]), case
            assert got[k] == want[k] or abs(float(got[k]) - float(want[k])) <= max(abs(want[k]) * 3e-7, 3e-45), case


@pytest.mark.parametrize("level", ["avx512", "avx2", "baseline"])
def test_other_targets_and_lanes(level):
    target = named_target(level)
    if not _runs(target):
        pytest.skip(f"this machine has no {level}")
    for lanes in (1, target.lanes(4)):
        run = kernels(EMITTERS, np.dtype(np.float32), lanes, target)
        for name in EMITTERS:
            args = [arg[::97] for arg in sweep(name)]
            error, at = measure(run, name, args)
            assert error <= 3, (level, lanes, name, [arg[at] for arg in args])


def _runs(target):
    here = host_target()
    order = ["baseline", "avx2", "avx512"]
    return order.index(target.name) <= order.index(here.name)


def test_float64():
    run = kernels(EMITTERS, np.dtype(np.float64), 8, host_target())
    for name in EMITTERS:
        args = [arg[::7] for arg in sweep(name, np.float64)]
        with np.errstate(all="ignore"):
            want = REFERENCES[name](*args)
        got = run(name, *args)
        atol = 1e-14 if name in ("logaddexp", "gammaln") else 0  # they cancel: the first both here and in NumPy
        np.testing.assert_allclose(got, want, rtol=3e-13 if name == "erfinv" else 4e-15, atol=atol, err_msg=name)


@pytest.mark.parametrize("lanes", [1, 8])
@pytest.mark.parametrize("name", ["exp", "exp2", "expm1", "tanh", "sigmoid", "log", "cbrt"])
def test_float64_vectors_against_long_double(name, lanes):
    run = kernels([name], np.dtype(np.float64), lanes, host_target())
    rng = np.random.default_rng(5)
    tiny = rng.uniform(-1, 1, 20000) * 10.0 ** rng.uniform(-320, 0, 20000)
    x = np.concatenate([rng.uniform(-745, 709, 20000), rng.uniform(-2, 2, 20000), tiny])
    x = np.abs(x) * 10.0 ** rng.uniform(-300, 300, x.size) if name == "log" else x
    wide = x.astype(np.longdouble)
    with np.errstate(all="ignore"):
        want = 1 / (1 + np.exp(-wide)) if name == "sigmoid" else REFERENCES[name](wide)
        got = run(name, x)
        unit = np.spacing(np.maximum(np.abs(want.astype(np.float64)), np.finfo(np.float64).tiny))
        error = np.where(np.isfinite(want), np.abs(got - want) / unit, 0)
    print(f"f64 {name:8s} {error.max():.2f} ulp at {x[error.argmax()]}")
    assert error.max() <= 2
    special = np.array(
        [0.0, -0.0, np.inf, -np.inf, np.nan, 710.0, 720.0, -750.0, 1e300, -1e300, 1080.0, -1080.0, 5e-324]
    )
    with np.errstate(all="ignore"):
        want = REFERENCES[name](special)
        np.testing.assert_allclose(run(name, special), want, rtol=1e-15)


@pytest.mark.parametrize("level", ["avx512", "avx2", "baseline"])
def test_gamma_of_float64(level):
    mpmath = pytest.importorskip("mpmath")
    target = named_target(level)
    if not _runs(target):
        pytest.skip(f"this machine has no {level}")
    run = kernels(["gamma"], np.dtype(np.float64), target.lanes(8), target)
    rng = np.random.default_rng(3)
    ranges = [(0, 1), (0.5, 3), (2, 10), (7, 30), (20, 171.6), (-1, 0), (-5, 0), (-170, 0), (-1e-6, 1e-6)]
    x = np.concatenate([rng.uniform(low, high, 100) for low, high in ranges] + [[2.0**-1023, -(2.0**-1022), -0.5]])
    with mpmath.workdps(40):
        want = [mpmath.gamma(mpmath.mpf(float(argument))) for argument in x]
        error = [abs(mpmath.mpf(float(y)) - z) / math.ulp(float(z)) for y, z in zip(run("gamma", x), want, strict=True)]
    assert max(error) <= 1.5, x[error.index(max(error))]
    whole = np.arange(1.0, 172.0)
    np.testing.assert_array_equal(run("gamma", whole), [float(math.factorial(int(n) - 1)) for n in whole])
    special = np.array([0.0, -0.0, INF, -INF, NAN, -1.0, -170.0, -1e300, 171.7, 1e308, 5e-324, -5e-324])
    np.testing.assert_array_equal(run("gamma", special), [INF, -INF, INF, NAN, NAN, NAN, NAN, NAN, INF, INF, INF, -INF])
    vanishing = run("gamma", np.array([-184.5, -185.5, -1e5 - 0.5, -200.3]))
    np.testing.assert_array_equal(np.signbit(vanishing), [True, False, True, True])
    np.testing.assert_array_equal(vanishing, 0)


def test_powers_of_two_are_exact(host32):
    n = np.arange(-149, 128)
    x = np.ldexp(np.float32(1), n)
    np.testing.assert_array_equal(host32("exp2", n.astype(np.float32)), x)
    np.testing.assert_array_equal(host32("log2", x), n.astype(np.float32))
    cubes = np.arange(1, 200, dtype=np.float32) ** 3
    np.testing.assert_array_equal(host32("cbrt", cubes), np.arange(1, 200, dtype=np.float32))


def test_far_arguments_of_circular_functions(host32):
    x = np.float32(2.0) ** np.arange(15, 127, 0.37).astype(np.float32)
    for name in ("sin", "cos", "tan"):
        np.testing.assert_allclose(host32(name, x), REFERENCES[name](x.astype(np.float64)), rtol=3e-7, atol=1e-7)


def _all_of_torch():
    """float64 functions over arrays; the one for gamma by its logarithm and sign."""
    torch = pytest.importorskip("torch")

    def over_arrays(function):
        return lambda x: function(torch.from_numpy(x)).numpy()

    names = [name for name in EMITTERS if name not in BINARY and name not in ("cbrt", "gamma", "gammaln")]
    found = {name: over_arrays(getattr(torch.special if name in ("erf", "erfinv") else torch, name)) for name in names}
    logarithm = over_arrays(torch.lgamma)
    found["gamma"] = lambda x: np.exp(logarithm(x)) * np.where((x < 0) & (np.floor(x) % 2 != 0), -1, 1)
    return {**found, "cbrt": np.cbrt, "gammaln": logarithm}


EVERY = int(os.environ.get("HYBRIDIZE_EVERY", "251"))
"""Of the numbers of float32 the long test takes each so-many-th; 1 takes all 2^32, minutes for each function."""


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(set(EMITTERS) - BINARY))
def test_every_number_of_float32(host32, name):
    reference, step = _all_of_torch()[name], EVERY << 20
    for start in range(0, 1 << 32, step):
        x = np.arange(start, min(start + step, 1 << 32), EVERY, dtype=np.uint64).astype(np.uint32).view(np.float32)
        with np.errstate(all="ignore"):
            if name in ("gamma", "gammaln"):  # what C asks for at poles is among the special values
                x = np.where((x <= 0) & (x == np.floor(x)), np.float32(1), x)
            error, at = ulps(host32(name, x), reference(x.astype(np.float64)))
        assert error <= 2, (name, x[at])
