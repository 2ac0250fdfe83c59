"""`np` gives NumPy's numbers: every function, dtype and kind of number beside arrays, imperatively and hybridized."""

import importlib.util

import pytest

import hybridize
from hybridize.errors import CaptureError
from tests.array import numpy_census as names
from tests.census import numbers
from tests.census.number_exceptions import EXCEPTIONS


def unexpected(found: dict[str, str]) -> dict[str, str]:
    """What differs and is in no row."""
    return {text: reason for text, reason in found.items() if not any(row.search(text) for row in EXCEPTIONS)}


@pytest.mark.parametrize("dtype", ["float64", "int8"])
def test_numbers_are_numpys(dtype):
    assert not unexpected(numbers.differences(dtype))


@pytest.mark.long
@pytest.mark.parametrize("dtype", numbers.DTYPES)
def test_numbers_of_every_dtype_are_numpys(dtype):
    assert not unexpected(numbers.differences(dtype))


@pytest.mark.long
def test_every_exception_is_one():
    found = [text for dtype in numbers.DTYPES for text in numbers.differences(dtype)]
    assert [row.pattern for row in EXCEPTIONS if not any(map(row.search, found))] == []


PROMOTED = [
    "searchsorted",
    "digitize",
    "interp",
    "isin",
    "isclose",
    "allclose",
    "array_equal",
    "array_equiv",
    "insert",
    "append",
    "diff",
    "ediff1d",
    "average",
    "trapezoid",
    "cov",
    "corrcoef",
    "polyval",
    "polyadd",
    "polysub",
    "polymul",
    "polyint",
    "polyfit",
    "convolve",
    "correlate",
    "gradient",
    "dot",
    "inner",
    "outer",
    "kron",
    "tensordot",
    "vdot",
    "vecdot",
    "matvec",
    "einsum",
    "cross",
    "concatenate",
    "stack",
    "vstack",
    "hstack",
    "dstack",
    "column_stack",
    "block",
    "put",
    "putmask",
    "place",
    "copyto",
    "choose",
    "select",
    "piecewise",
    "linspace",
    "geomspace",
    "ldexp",
    "float_power",
    "logaddexp2",
    "nextafter",
    "heaviside",
    "items",
    "clip",
    "where",
]
"""Functions whose arguments compute together."""


def programs(tmp_path, texts: dict[str, list[str]], arrays):
    """A module with a program for each function, which gives the results of all of its texts."""
    lines = ["import numpy", "from hybridize import np", "from tests.array.numpy_census import done", ""]
    lines += ["def inplace(function, x, y):", "    function(x, y)", "    return x", ""]
    for name, calls in texts.items():
        lines += [f"def {name}({', '.join(arrays)}):", f"    return ({', '.join(calls)},)", ""]
    path = tmp_path / "programs.py"
    path.write_text("\n".join(lines))
    spec = importlib.util.spec_from_file_location("programs", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def alone(tmp_path, calls, arrays, ours):
    """The calls that a program takes, and their results, from a program for each call."""
    module = programs(tmp_path, {f"call_{k}": [text] for k, (_, text) in enumerate(calls)}, arrays)
    taken, results = [], []
    for k, call in enumerate(calls):
        try:
            results += names.plain(hybridize.hybridize(getattr(module, f"call_{k}"))(*ours))
        except CaptureError:
            continue
        taken.append(call)
    assert taken
    return taken, results


def hybridized(tmp_path, dtype: str, chosen, kinds) -> dict[str, str]:
    """What differs between NumPy and programs: one for each function."""
    arrays, texts, wanted = numbers.data(dtype), {}, {}
    for name, base in numbers.calls():
        if name not in chosen or "stored(" in base:
            continue
        for kind in kinds:
            for text in [base] if kind is None else numbers.beside(base, kind):
                try:
                    wanted[text] = numbers.expected(text, arrays)
                    numbers.evaluated(
                        text, hybridize.np, {n: hybridize.np.array(x, dtype=x.dtype) for n, x in arrays.items()}
                    )
                except Exception:
                    continue  # the imperative census says what is wrong
                texts.setdefault(f"of_{name.replace(' ', '_')}", []).append((kind, text))
    module, found = programs(tmp_path, {name: [t for _, t in calls] for name, calls in texts.items()}, arrays), {}
    ours = [hybridize.np.array(x, dtype=x.dtype) for x in arrays.values()]
    for name, calls in texts.items():
        try:
            results = names.plain(hybridize.hybridize(getattr(module, name))(*ours))
        except CaptureError:  # a size is data
            calls, results = alone(tmp_path, calls, arrays, ours)
        for (kind, text), result in zip(calls, results, strict=True):
            close = name.removeprefix("of_") in numbers.ELEMENTS
            kind_of_call = numbers._dtype_of_call(text, dtype)
            reason = numbers.difference(result, *wanted[text], close, kind_of_call)
            if reason is not None:
                found[f"{dtype} {kind or 'arrays'}: {text}"] = reason
    return found


@pytest.mark.filterwarnings("ignore")
def test_programs_round_a_number_once(tmp_path):
    """0.3 beside float64 arrays, of all functions whose arguments compute together."""
    assert not unexpected(hybridized(tmp_path, "float64", PROMOTED, ("float", "list")))


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", numbers.DTYPES[:-1])
def test_programs_give_numpys_numbers(tmp_path, dtype):
    assert not unexpected(hybridized(tmp_path, dtype, PROMOTED, (None, *numbers.NUMBERS)))
