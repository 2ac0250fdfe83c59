"""Functions run imperatively and compiled: equal, or refused at the user's own line."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy
import pytest

from hybridize.array import ndarray, np
from hybridize.base.errors import HybridizeError
from hybridize.base.nested import flatten
from hybridize.capture import Function
from tests.refusals import refusal


def fresh(value: Any) -> Any:
    """A copy of an argument: arrays from lists and NumPy, sharing nothing with other calls."""
    if isinstance(value, numpy.ndarray):
        return np.array(value, dtype=value.dtype)
    if isinstance(value, tuple):
        return tuple(fresh(part) for part in value)
    if isinstance(value, list) and value and isinstance(value[0], (int, float)):
        return np.array(value)
    if isinstance(value, list):
        return [fresh(part) for part in value]
    if isinstance(value, dict):
        return {key: fresh(part) for key, part in value.items()}
    return value


def assert_same(found: Any, expected: Any, where: str) -> None:
    """Structure, classes, dtypes, shapes exactly; floats up to rounding; NaN where NaN."""
    found_leaves, found_structure = flatten(found)
    leaves, structure = flatten(expected)
    assert found_structure == structure, f"{where}: {found_structure} for {structure}"
    for x, y in zip(found_leaves, leaves, strict=True):
        if isinstance(y, (ndarray, numpy.ndarray)):
            assert isinstance(x, (ndarray, numpy.ndarray)), f"{where}: {type(x)} for {type(y)}"
            assert x.dtype == y.dtype and x.shape == y.shape, f"{where}: {x.dtype}{x.shape} for {y.dtype}{y.shape}"
            x, y = numpy.asarray(x), numpy.asarray(y)
            if y.dtype.kind in "fV":
                numpy.testing.assert_allclose(x.astype("f8"), y.astype("f8"), rtol=2e-5, atol=1e-6, err_msg=where)
            else:
                numpy.testing.assert_array_equal(x, y, err_msg=where)
        else:
            assert type(x) is type(y), f"{where}: {x!r} for {y!r}"
            near = isinstance(y, float) and (abs(x - y) <= 1e-6 * abs(y) or x != x != y != y)
            assert x == y or near, f"{where}: {x!r} for {y!r}"


@pytest.fixture(params=["numpy", "llvm"])
def same(request: pytest.FixtureRequest) -> Callable[..., None]:
    """same(make, *calls): functions that `make` gives, one run by Python and one compiled, agree on every call, twice.

    Compared are results, arguments after the call, and what `make`'s second result, if any, says of the state.
    """

    def check(make: Callable[[], Any], *calls: Any, programs: int | None = None, options: Any = None) -> Function:
        made, other = make(), make()
        python, state = made if isinstance(made, tuple) else (made, lambda: None)
        inner, compiled_state = other if isinstance(other, tuple) else (other, lambda: None)
        compiled = Function(inner, backend=request.param, **(options or {}))
        for number, call in enumerate([*calls, *calls]):
            call = call if isinstance(call, tuple) else (call,)
            args, again = fresh(call), fresh(call)
            where = f"call {number}, {call}"
            try:
                expected = python(*args)
            except Exception as error:
                problem = error
            else:
                problem = None
            if problem is not None:
                with pytest.raises(type(problem)) as caught:
                    compiled(*again)
                if not isinstance(problem, HybridizeError):
                    assert type(caught.value) is type(problem), where
                    found, expected = str(caught.value), str(problem)
                    if isinstance(problem, AssertionError):  # pytest adds lines to those of the tests themselves
                        said = expected.partition("\n")[0]
                        found, expected = found.partition("\n")[0], "" if said.startswith("assert ") else said
                    assert found == expected, where
                    assert_same(compiled_state(), state(), f"state after {where}")
                continue
            assert_same(compiled(*again), expected, where)
            assert_same(again, args, f"arguments after {where}")
            assert_same(compiled_state(), state(), f"state after {where}")
        if programs is not None:
            assert compiled.cache_info().captures == programs
        return compiled

    return check


@pytest.fixture
def refused() -> Callable[..., HybridizeError]:
    """refused(function, *args, line=..., code=...): an error at the line of the function that ends with `# here`."""

    def check(function: Callable[..., Any], *args: Any, code: str, match: str = "") -> HybridizeError:
        with refusal(HybridizeError, match) as caught:
            Function(function, backend="numpy")(*fresh(args))
        error = caught.value
        assert error.code == code, str(error)
        lines, start = inspect.getsourcelines(function)
        (marked,) = [start + i for i, line in enumerate(lines) if line.rstrip().endswith("# here")]
        assert error.loc is not None
        assert (error.loc.file, error.loc.line) == (inspect.getsourcefile(function), marked), str(error)
        assert error.help
        return error

    return check
