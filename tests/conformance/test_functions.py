"""Every public function, over dtypes and layouts: imperative = compiled = the NumPy backend, and NumPy's own answer.

The calls stand in `functions.txt`. Many of them are one hybridized function here, so that there are few programs.
What raises imperatively (bits of floats, an axis that is not there) is left out for that dtype.
"""

import linecache
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy
import pytest

from hybridize import nd
from hybridize.array import ndarray, np, npx
from hybridize.array.ndarray import wrap
from hybridize.base.nested import flatten
from hybridize.capture import Function

BFLOAT16 = numpy.dtype(ml_dtypes.bfloat16)
DTYPES = {
    name: numpy.dtype(name) for name in ("float32", "float64", "float16", "int32", "int64", "int8", "uint8", "bool")
}
DTYPES["bfloat16"] = BFLOAT16
EPSILON = {numpy.dtype("f2"): 2.0**-10, BFLOAT16: 2.0**-7, numpy.dtype("f4"): 2.0**-23, numpy.dtype("f8"): 2.0**-52}
NAMES = ["x", "y", "p", "v", "c", "s", "e", "o", "t", "b", "i"]
"""Ends and NaN, plain, positive [3,5]; [5]; [3,1]; []; [0,5]; [1,1]; [2,3,4]; bools, indices [3,5]."""
CHUNK = 150

# Where we mean to differ from NumPy: integers give float32 there (docs: promotion), or NumPy has no answer.
OURS = (
    "reciprocal", "dot", "matmul", "@", "inner", "vdot", "tensordot", "einsum", "max(y, initial", "fabs", "rint", "sin",
    "cos", "tan", "sinc", "1.5 ** y", "around(x, -1)", "trapezoid(y, x=v)", "mean(x", "mean(t", "mean(b", "nanmean",
)  # fmt: skip
# Sums that cancel: the error is one of the terms.
CANCELLING = ("mean(x", "average", "x.mean", "std(x", "var(x")


@cache
def calls(group: str) -> list[str]:
    lists: dict[str, list[str]] = {}
    found: list[str] = []
    section = ""
    for line in Path(__file__).with_name("functions.txt").read_text().splitlines():
        head, _, rest = line.partition(": ")
        if line.startswith("== "):
            section = line[3:]
        elif head.isidentifier() and rest:
            lists[head] = rest.split()
        elif line and not line.startswith("#") and section == group:
            spread = next((name for name in lists if f"{{{name}}}" in line), None)
            found += [line.replace(f"{{{spread}}}", one) for one in lists[spread]] if spread else [line]
    return list(dict.fromkeys(found))


def inputs(dtype: Any) -> dict[str, Any]:
    draw = numpy.random.default_rng(0)
    shapes = {"x": (3, 5), "y": (3, 5), "v": (5,), "c": (3, 1), "t": (2, 3, 4)}
    if dtype.kind == "b":
        arrays = {name: draw.random(shape) < 0.5 for name, shape in shapes.items()} | {"p": draw.random((3, 5)) < 0.5}
    elif dtype.kind in "iu":
        ends = numpy.iinfo(dtype)
        arrays = {name: draw.integers(max(-5, ends.min), 6, shape) for name, shape in shapes.items()}
        arrays["x"][0, :2] = ends.max, ends.min
        arrays["y"][2, 2] = arrays["x"][1, 1] = 0
        arrays["y"][0, 1] = -1 if ends.min else ends.max
        arrays |= {"p": draw.integers(1, 5, (3, 5)), "v": draw.integers(0, 6, 5)}
    else:
        arrays = {name: draw.normal(size=shape) for name, shape in shapes.items()}
        arrays["x"] *= 2
        arrays["x"][0] = [numpy.nan, numpy.inf, -numpy.inf, 0.0, -0.0]
        arrays["x"][1, :3] = [1, -1, 0.5]
        arrays["y"][0, 3:] = [-0.0, 2.0]
        arrays["p"] = draw.uniform(0.1, 4, (3, 5))
    arrays |= {
        "s": numpy.array(1.5 if dtype.kind not in "iub" else 1),
        "e": numpy.zeros((0, 5)),
        "o": numpy.array([[2]]),
    }
    arrays = {name: numpy.asarray(array).astype(dtype) for name, array in arrays.items()}
    return arrays | {"b": draw.random((3, 5)) < 0.5, "i": numpy.arange(15).reshape(3, 5) * 7 % 11}


LAYOUTS = {
    "transposed": lambda a: a.T.copy().T,
    "reversed": lambda a: numpy.flip(numpy.flip(a).copy()) if a.ndim else a.copy(),
    "strided": lambda a: numpy.repeat(a, 2, axis=-1)[..., ::2] if a.ndim else a.copy(),
}


def ours(arrays: dict[str, Any], layout: Any = numpy.copy) -> dict[str, Any]:
    return {name: wrap(layout(array)) for name, array in arrays.items()}


def evaluated(call: str, arrays: dict[str, Any], module: Any = np) -> Any:
    names = {"m": module, "np": np, "npx": npx, "nd": nd}
    return eval(call, names, dict(arrays))


def grouped(some: list[str]) -> Any:
    """A function that returns the results of all calls, which `inspect` can read."""
    lines = [
        f"def group({', '.join(NAMES)}):",
        "    m = np",
        "    return [",
        *(f"        {call}," for call in some),
        "    ]",
    ]
    source = "\n".join(lines) + "\n"
    file = f"<group {hash(source)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    names: dict[str, Any] = {"np": np, "npx": npx, "nd": nd, "__name__": "functions"}
    exec(compile(source, file, "exec"), names)
    return names["group"]


def data(leaf: Any) -> Any:
    return leaf.asnumpy() if isinstance(leaf, ndarray) else numpy.asarray(leaf)


def difference(found: Any, expected: Any, ulps: float, *, types: bool = True, floor: float = 1.0) -> str:
    """What differs between two results, empty for nothing."""
    one, other = (list(map(data, flatten(result)[0])) for result in (found, expected))
    if len(one) != len(other):
        return f"{len(one)} results for {len(other)}"
    for x, y in zip(one, other, strict=True):
        if x.shape != y.shape or (types and x.dtype != y.dtype):
            return f"{x.dtype}{x.shape} for {y.dtype}{y.shape}"
        if x.dtype not in EPSILON:
            if not (x == y).all():
                return f"{x.tolist()} for {y.tolist()}"
            continue
        epsilon = max(EPSILON[x.dtype], EPSILON.get(y.dtype, 0))
        a, b = x.astype("f8"), y.astype("f8")
        with numpy.errstate(invalid="ignore"):
            near = abs(a - b) <= ulps * epsilon * numpy.maximum(abs(b), floor)
        same = numpy.where(numpy.isfinite(a) & numpy.isfinite(b), near, (a == b) | (numpy.isnan(a) & numpy.isnan(b)))
        if not same.all():
            return f"{a[~same].tolist()} for {b[~same].tolist()}"
    return ""


def cases(group: str, dtype: str) -> list[tuple[str, Any]]:
    """The calls that work imperatively, with their results."""
    arrays = ours(inputs(DTYPES[dtype]))
    found = []
    for call in calls(group):
        if dtype == "bool" and "index_add" in call:
            continue  # refused in programs, where NumPy adds bools
        try:
            found.append((call, evaluated(call, arrays)))
        except (TypeError, ValueError, IndexError, AttributeError):
            continue
    return found


GROUPS = ("elementwise", "reductions", "shapes", "linear", "neural", "legacy")


@pytest.fixture(autouse=True)
def quiet() -> Any:
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


EACH_KIND = {"float32", "int32", "bool"}
"""A dtype of each kind; the others are long."""


@pytest.mark.parametrize(
    "dtype", [pytest.param(one, marks=[] if one in EACH_KIND else [pytest.mark.long]) for one in DTYPES]
)
@pytest.mark.parametrize("group", GROUPS)
def test_compiled_is_imperative(group: str, dtype: str) -> None:
    known = cases(group, dtype)
    assert len(known) > 0.6 * len(calls(group)), "most calls work for every dtype"
    args = [ours(inputs(DTYPES[dtype]))[name] for name in NAMES]
    wrong = []
    for start in range(0, len(known), CHUNK):
        part = known[start : start + CHUNK]
        function = grouped([call for call, _ in part])
        for backend in ("llvm", "numpy") if dtype in ("float32", "int32", "bool") else ("llvm",):
            for (call, expected), found in zip(part, Function(function, backend=backend)(*args), strict=True):
                large = max(abs(float(numpy.iinfo(DTYPES[dtype]).min)), 1e3) if DTYPES[dtype].kind in "iu" else 8.0
                said = difference(found, expected, 16, floor=large if any(one in call for one in CANCELLING) else 1.0)
                wrong += [f"{backend}: {call}: {said}"] if said else []
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("dtype", ["float32", "int64"])
@pytest.mark.parametrize("group", GROUPS)
def test_layouts(group: str, dtype: str) -> None:
    arrays = inputs(DTYPES[dtype])
    wrong = []
    for call, expected in cases(group, dtype):
        for name, layout in LAYOUTS.items():
            said = difference(evaluated(call, ours(arrays, layout)), expected, 16, floor=2.0**32)
            wrong += [f"{name}: {call}: {said}"] if said else []
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "int8", "uint8", "bool"])
@pytest.mark.parametrize("group", ["elementwise", "reductions", "shapes", "linear"])
def test_numpy_says_the_same(group: str, dtype: str) -> None:
    arrays = inputs(DTYPES[dtype])
    wrong = []
    for call, found in cases(group, dtype):
        small = DTYPES[dtype].itemsize < 4
        if "astype(" in call or (DTYPES[dtype].kind in "iub" and any(one in call for one in OURS)):
            continue
        try:
            expected = evaluated(call, arrays, numpy)
        except (TypeError, ValueError, IndexError, AttributeError):
            continue
        if "argsort(y, axis=None" in call or "dtype='int" in call:
            continue
        said = difference(found, expected, 64, types=False, floor=8.0)
        wrong += [f"{call}: {said}"] if said and not small else []
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("dtype", ["float32", "int32"])
@pytest.mark.parametrize("group", ["elementwise", "reductions", "shapes", "linear"])
def test_results_are_views_where_numpy_says_so(group: str, dtype: str) -> None:
    def written(module: Any, arrays: dict[str, Any], call: str) -> list[str]:
        for leaf in flatten(evaluated(call, arrays, module))[0]:
            if isinstance(leaf, (ndarray, numpy.ndarray)) and leaf.size and leaf.dtype != bool:
                leaf[...] = 77
        before = inputs(DTYPES[dtype])
        return [name for name in NAMES if data(arrays[name]).tobytes() != before[name].tobytes()]

    for call, _ in cases(group, dtype):
        if call in ("y[1, 3]", "s[()]", "m.einsum('ii->i', y[:, :3])"):  # NumPy gives a scalar; we a view; a copy
            continue
        try:
            theirs = written(numpy, inputs(DTYPES[dtype]), call)
            mine = written(np, ours(inputs(DTYPES[dtype])), call)
        except (TypeError, ValueError, IndexError, AttributeError):
            continue
        assert mine == theirs, call


def longer(arrays: dict[str, Any], by: int) -> dict[str, Any]:
    """The arrays with every axis longer, but those of size 0 and 1."""
    shapes = {name: tuple(size + by if size > 1 else size for size in array.shape) for name, array in arrays.items()}
    return {name: numpy.resize(array, shapes[name]).astype(array.dtype) for name, array in arrays.items()}


@pytest.mark.long
@pytest.mark.parametrize("backend", ["numpy", "llvm"])
@pytest.mark.parametrize("group", GROUPS)
def test_other_sizes(group: str, backend: str) -> None:
    """One call a function, so that each is captured with symbols: right for the sizes at hand and for others."""
    inputs_of_sizes = [longer(inputs(DTYPES["float32"]), by) for by in (0, 2, 5)]
    wrong, symbolic = [], 0
    for call in calls(group):
        function = grouped([call])
        compiled = Function(function, backend=backend)
        for arrays in inputs_of_sizes:
            args = [ours(arrays)[name] for name in NAMES]
            try:
                expected = function(*args)
            except (TypeError, ValueError, IndexError, AttributeError):
                break
            said = difference(compiled(*args), expected, 64, floor=8.0)
            wrong += [f"{call}: {said}"] if said else []
        symbolic += any(program.captured.scope is not None for program in compiled.programs())
    assert not wrong, "\n".join(wrong)
    assert symbolic > 0.6 * len(calls(group))
