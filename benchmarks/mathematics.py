# SPDX-License-Identifier: Apache-2.0
"""How accurate and how fast each scalar function is: writes docs/internals/mathematics.md.

    python benchmarks/mathematics.py [--only NAME] [--stdout]

Errors are in units in the last place of the exact result: in float32 against PyTorch in float64, over every `STRIDE`th
of the 2^32 numbers (pairs of random ones for functions of two); in float64 against mpmath with 40 digits, over random
numbers of all sizes. Speed is that of a loop over 32,768 numbers, on one core; the least of many short samples.
"""

from __future__ import annotations

import argparse
import ctypes
import math
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath
import numpy
import torch
from numpy.typing import NDArray

from hybridize.codegen.llvm.engine import compile_image, host_target
from hybridize.codegen.llvm.functions.float32 import EMITTERS
from hybridize.codegen.llvm.functions.unaided import UNAIDED
from hybridize.codegen.llvm.functions.vectors import Vectors
from hybridize.codegen.llvm.text import Function, Module, llvm_type
from hybridize.loops.functions import FUNCTIONS, Kind
from hybridize.runtime.image import Loaded

STRIDE = 509
SAMPLES = 3000
LENGTH = 1 << 15
LANES = {"f4": 16, "f8": 8}
PAGE = Path(__file__).parents[1] / "docs" / "internals" / "mathematics.md"
Floats = NDArray[Any]

USUAL = {
    "exp": (-80, 80), "exp2": (-100, 100), "expm1": (-20, 80), "tanh": (-4, 4), "sigmoid": (-20, 20), "erf": (-4, 4),
    "sinh": (-20, 20), "cosh": (-20, 20), "arcsin": (-1, 1), "arccos": (-1, 1), "arctanh": (-1, 1), "erfinv": (-1, 1),
    "arccosh": (1, 50), "log1p": (-0.9, 9), "gammaln": (0.1, 30), "gamma": (0.1, 30), "pow": (0.1, 10),
}  # fmt: skip
"""Where arguments usually lie; speed is measured there. Others: 0.1 to 50."""
EXACT: dict[str, Any] = {
    "arcsin": mpmath.asin, "arccos": mpmath.acos, "arctan": mpmath.atan, "arcsinh": mpmath.asinh,
    "arccosh": mpmath.acosh, "arctanh": mpmath.atanh, "arctan2": mpmath.atan2, "gammaln": mpmath.loggamma,
    "exp2": lambda x: mpmath.power(2, x), "log2": lambda x: mpmath.log(x, 2), "pow": mpmath.power,
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)), "rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
    "logaddexp": lambda x, y: max(x, y) + mpmath.log1p(mpmath.exp(-abs(x - y))),
}  # fmt: skip
WIDE: dict[str, Any] = {
    "gammaln": torch.lgamma, "cbrt": lambda x: torch.from_numpy(numpy.cbrt(x.numpy())),
    "gamma": lambda x: torch.lgamma(x).exp() * torch.where((x < 0) & (x.floor() % 2 != 0), -1.0, 1.0),
    "logaddexp": torch.logaddexp, "pow": torch.pow,
}  # fmt: skip


def main() -> None:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", help="one function, to the terminal")
    parser.add_argument("--stdout", action="store_true", help="write nothing")
    options = parser.parse_args()
    mpmath.mp.dps = 40
    torch.set_num_threads(1)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    names = [options.only] if options.only else sorted(EMITTERS)
    rows = [row(name) for name in names]
    if options.only or options.stdout:
        print("\n".join(rows))
    else:
        PAGE.write_text(page(rows))


def page(rows: list[str]) -> str:
    """The whole page."""
    others = sorted(one.name for one in FUNCTIONS.values() if one.kind is Kind.FLOATS and one.name not in EMITTERS)
    by_lane = {code: ", ".join(f"`{name}`" for name in sorted(EMITTERS) if calls_library(name, code)) for code in LANES}
    return (
        f"""# Elementary functions

`python benchmarks/mathematics.py` writes this page; do not edit it. Measured on {machine()}, target
`{host_target().name}`.

`error` is the largest error, in units in the last place. NaN, infinities and signs of zero are as in C. Arguments:

- float32: every {STRIDE}th of all numbers, including subnormal numbers (`HYBRIDIZE_EVERY=1 make test-long` tries all);
- float64: {SAMPLES:,} random numbers, compared with 40 digits;
- `logaddexp`: in units of the greatest of its operands and its result.

Speed is in nanoseconds per element, for hybridize and PyTorch; `-` if PyTorch has no such function.
Half floats compute as float32.

Some functions call the C library lane by lane, and have its accuracy and its speed:

- in float32: {by_lane["f4"]};
- in float64: {by_lane["f8"]}.

Correctly rounded instructions of the machine are not in the table: {", ".join(others)}.

| function | f32 error | at | f32 ns | torch | f64 error | f64 ns | torch |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""
        + "\n".join(rows)
        + "\n"
        + on_a_gpu()
    )


def on_a_gpu() -> str:
    """The part about what has no C library."""
    errors = {name: error64(name, kernel(name, numpy.dtype("f8"), UNAIDED[name]))[0] for name in sorted(UNAIDED)}
    rows = "\n".join(f"| `{name}` | {error:.2f} |" for name, error in errors.items())
    return f"""
## On a GPU

A GPU has no C library, so these functions have code of their own there (`codegen/llvm/functions/unaided.py`). Their
last bit may differ from a processor's. So may that of `gammaln` in float32, and of `sin`, `cos` and `tan` in float32
beyond 2^20. All other functions have the bits of a processor. Errors are those of the same code on a processor.
Beside the zeros of `gammaln` to the left of 0 its error is 2^-58, whatever its value.

| function | f64 error |
| --- | --- |
{rows}
"""


def calls_library(name: str, code: str) -> bool:
    """Whether a function calls the C library for arguments of ordinary size."""
    if code == "f4" and name in ("sin", "cos", "tan"):
        return False  # beyond 2^20 alone
    module, dtype, lanes = Module(), numpy.dtype(code), LANES[code]
    f = Function(module, "run", [(llvm_type(dtype, lanes), "x"), (llvm_type(dtype, lanes), "y")], linkage="")
    EMITTERS[name](f, ["%x", "%y"][: FUNCTIONS[name].arity], dtype, lanes, host_target())
    return any("." not in function for function in module.declarations)


def machine() -> str:
    """The processor, as Linux calls it."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "an unknown machine")


def row(name: str) -> str:
    """One function: errors and speeds."""
    cells = [f"`{name}`"]
    for dtype in (numpy.dtype("f4"), numpy.dtype("f8")):
        run = kernel(name, dtype)
        error, at = error32(name, run) if dtype.itemsize == 4 else error64(name, run)
        cells += [f"{error:.2f}", at] if dtype.itemsize == 4 else [f"{error:.2f}"]
        cells += speeds(name, run, dtype)
    return f"| {' | '.join(cells)} |"


def kernel(name: str, dtype: Any, rule: Callable[..., str] | None = None) -> Callable[..., Floats]:
    """The function over arrays whose length divides into vectors; or what a `rule` writes for one number."""
    target, arity = host_target(), FUNCTIONS[name].arity
    lanes = 1 if rule else target.lanes(dtype.itemsize)
    module, kind = Module(), llvm_type(dtype, lanes)
    f = Function(module, "run", [("ptr", "o"), ("ptr", "x"), ("ptr", "y"), ("i64", "n")], linkage="")
    with f.loop(0, "%n", lanes) as loop:
        places = [f.op(f"getelementptr {llvm_type(dtype)}, ptr %{p}, i64 {loop.index}") for p in "oxy"]
        args = [f.op(f"load {kind}, ptr {place}, align 8") for place in places[1 : arity + 1]]
        if rule:
            result = rule(Vectors(f, dtype, 1, target), *args)
        else:
            result = EMITTERS[name](f, args, dtype, lanes, target)
        f.do(f"store {kind} {result}, ptr {places[0]}, align 8")
    f.do("ret void")
    loaded = Loaded(compile_image(module.text(), target))
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_int64)(loaded.address("run"))

    def run(*args: Floats, out: Floats | None = None) -> Floats:
        result = numpy.empty_like(args[0]) if out is None else out
        call(*(array.__array_interface__["data"][0] for array in (result, args[0], args[-1])), len(result))
        return result

    run.owner = loaded  # type: ignore[attr-defined]
    return run


def error32(name: str, run: Callable[..., Floats]) -> tuple[float, str]:
    """The largest error in float32, and where."""
    found, worst = 0.0, ""
    for x in chunks(name):
        with numpy.errstate(all="ignore"):
            exact = wide(name)(*(torch.from_numpy(a.astype("f8")) for a in x)).numpy()
            got, rounded = run(*x).astype("f8"), exact.astype("f4")
            scale = numpy.abs(rounded)
            if name == "logaddexp":
                scale = numpy.maximum(scale, numpy.maximum(numpy.abs(x[0]), numpy.abs(x[1])))
            unit = numpy.spacing(numpy.maximum(scale, numpy.finfo("f4").tiny).astype("f4")).astype("f8")
            error = numpy.abs(got - exact) / unit
        # On the edge of overflow either is right; NaN and infinity are the tests' business.
        error = numpy.where(numpy.isfinite(rounded) & numpy.isfinite(got), error, 0)
        k = int(error.argmax())
        if error[k] > found:
            found, worst = float(error[k]), ", ".join(f"{a[k]:.6g}" for a in x)
    return found, worst


def wide(name: str) -> Callable[..., Any]:
    """The function in float64, over torch tensors."""
    return WIDE[name] if name in WIDE else getattr(torch.special if name in ("erf", "erfinv") else torch, name)


def chunks(name: str) -> list[list[Floats]]:
    """Arguments in float32."""
    if FUNCTIONS[name].arity == 1:
        bits = numpy.arange(0, 1 << 32, STRIDE, dtype=numpy.uint64).astype(numpy.uint32)
        bits = bits[: len(bits) // LENGTH * LENGTH]
        return [[part.view("f4")] for part in numpy.array_split(bits, 8)] if len(bits) % 8 == 0 else [[bits.view("f4")]]
    generator = numpy.random.default_rng(1)
    size = LENGTH * 32
    x = generator.uniform(-1, 1, size) * 10.0 ** generator.uniform(-12, 12, size)
    y = generator.uniform(-1, 1, size) * 10.0 ** generator.uniform(-2, 2, size)
    x = numpy.abs(x) if name == "pow" else x
    y = y if name == "pow" else generator.permutation(x)
    return [[x.astype("f4"), y.astype("f4")]]


def error64(name: str, run: Callable[..., Floats]) -> tuple[float, str]:
    """The largest error in float64."""
    generator = numpy.random.default_rng(2)
    low, high = USUAL.get(name, (0.1, 50))
    size = SAMPLES // 16 * 16
    args = [generator.uniform(low, high, size) for _ in range(FUNCTIONS[name].arity)]
    args[0][: size // 3] *= 10.0 ** generator.uniform(-12, 0, size // 3)
    inside = (args[0] >= 1) if name == "arccosh" else numpy.isfinite(args[0])
    got, worst, at = run(*args), 0.0, ""
    for k in numpy.flatnonzero(inside & numpy.isfinite(got)):
        point = [mpmath.mpf(float(a[k])) for a in args]
        exact = EXACT[name](*point) if name in EXACT else getattr(mpmath, name)(*point)
        scale = max(abs(exact), *map(abs, point)) if name == "logaddexp" else abs(exact)
        unit = math.ulp(max(float(scale), 2.0**-1022))
        error = float(abs(mpmath.mpf(float(got[k])) - exact) / unit)
        if error > worst:
            worst, at = error, f"{args[0][k]:.6g}"
    return worst, at


def speeds(name: str, run: Callable[..., Floats], dtype: Any) -> list[str]:
    """Nanoseconds per element, ours and PyTorch's."""
    generator = numpy.random.default_rng(3)
    args = [generator.uniform(*USUAL.get(name, (0.1, 50)), LENGTH).astype(dtype) for _ in range(FUNCTIONS[name].arity)]
    out = numpy.empty(LENGTH, dtype)
    cells = [f"{least(lambda: run(*args, out=out)):.2f}"]
    if name in ("cbrt", "gamma"):
        return [*cells, "-"]
    tensors, target = [torch.from_numpy(a) for a in args], torch.from_numpy(out)
    function = wide(name)
    with torch.inference_mode():
        return [*cells, f"{least(lambda: function(*tensors, out=target)):.2f}"]


def least(call: Callable[[], Any], seconds: float = 0.15) -> float:
    """Nanoseconds per element of the quickest call; of calls one at a time, so that some meet a quiet machine."""
    best, end = math.inf, time.perf_counter() + seconds
    while (start := time.perf_counter()) < end:
        call()
        best = min(best, time.perf_counter() - start)
    return best / LENGTH * 1e9


if __name__ == "__main__":
    main()
