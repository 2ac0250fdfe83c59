# SPDX-License-Identifier: Apache-2.0
"""Every function of `nd` and `sym` beside what MXNet 1.9.1 gave: imperatively, hybridized, and from a file."""

import gzip
import json
import operator
import re
from pathlib import Path

import numpy
import pytest

from hybridize import gluon, hybridize, nd, sym
from tests.census import mxnet_calls
from tests.census.mxnet_exceptions import EXCEPTIONS, FLOAT32_CONSTANTS

FILE = Path(__file__).with_name("mxnet_1_9_1.json.gz")
RESULTS = dict(map(json.loads, gzip.decompress(FILE.read_bytes()).splitlines()))
CALLS = [call for call in mxnet_calls.calls() if not isinstance(RESULTS[mxnet_calls.key(call)], str)]
SOME = CALLS[::9]
TOLERANCE = {"float64": 1e-9, "float32": 1e-5, "float16": 2e-2}
CREATORS = ("zeros", "ones", "full", "arange", "eye", "linspace")


def function_of(name, face=nd):
    return mxnet_calls.function_of(face, name)


def operands_of(call, dtype=None, array=nd.array):
    return [array(mxnet_calls.array(*one), dtype=dtype or one[0]) if isinstance(one, tuple) else one for one in call[1]]


def imperative(call, face=nd, array=nd.array):
    operands = operands_of(call, array=array)
    result = function_of(call[0], face)(*operands, **call[2])
    return mxnet_calls.seen(call[0], result, [one for one in operands if hasattr(one, "asnumpy")])


def listed(result):
    return list(result) if isinstance(result, (list, tuple)) else [result]


def stored(call, results=RESULTS):
    return [
        numpy.frombuffer(bytes.fromhex(one["bytes"]), one["dtype"]).reshape(one["shape"])
        for one in listed(results[mxnet_calls.key(call)])
    ]


def undefined(call, dtype):
    """True where the value is one that no integer of the dtype is: C leaves open what becomes of it."""
    limits = numpy.iinfo(dtype)
    call = ("identity", *call[1:]) if call[0] == "cast" else call
    try:
        (value,) = (one.asnumpy() for one in listed(function_of(call[0])(*operands_of(call, "float64"), **{
            word: one for word, one in call[2].items() if word != "dtype"
        })))  # fmt: skip
    except Exception:
        return False
    return ~((value > float(limits.min) - 1) & (value < float(limits.max) + 1))


def difference(call, result, results=RESULTS):
    """Return what differs between a result and MXNet's, or None."""
    wanted = stored(call, results)
    found = [one.asnumpy() for one in listed(result)]
    if len(found) != len(wanted):
        return f"{len(found)} results, MXNet {len(wanted)}"
    tolerances = [TOLERANCE.get(one[0], 0.0) for one in call[1] if isinstance(one, tuple)]
    for x, y in zip(found, wanted, strict=True):
        if (x.dtype, x.shape) != (y.dtype, y.shape):
            return f"{x.dtype}{list(x.shape)}, MXNet {y.dtype}{list(y.shape)}"
        tolerance = max([TOLERANCE.get(x.dtype.name, 0.0), *tolerances]) if x.dtype.kind == "f" else 0.0
        tolerance = max(tolerance, 2e-6) if call[0] in FLOAT32_CONSTANTS and tolerance else tolerance
        same = numpy.isclose(x, y, rtol=tolerance, atol=tolerance / 10, equal_nan=True)
        if not same.all() and x.dtype.kind in "iu":
            same |= undefined(call, x.dtype)
        if not same.all():
            return f"{x[~same][:4]}, MXNet {y[~same][:4]}"
    return None


def excepted(call, exceptions=EXCEPTIONS):
    return next((pattern for pattern in exceptions if re.match(pattern, mxnet_calls.key(call))), None)


def check_imperatively(calls, exceptions, differs):
    """Hold calls against the stored results: what differs is in a row of the table, and each row differs."""
    wrong, used = [], set()
    for call in calls:
        try:
            found = differs(call)
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
        if found and excepted(call, exceptions):
            used.add(excepted(call, exceptions))
        elif found:
            wrong.append(f"{mxnet_calls.key(call)}: {found}")
    assert not wrong, "\n".join(wrong[:40])
    assert used == set(exceptions), "these no longer differ"


@numpy.errstate(all="ignore")
def test_imperatively_each_call_gives_what_mxnet_gives():
    check_imperatively(CALLS, EXCEPTIONS, lambda call: difference(call, imperative(call)))


def hybridized(calls, face=nd, array=nd.array):
    """Return the results of calls in one program."""
    arrays = [[one for one in operands_of(call, array=array) if hasattr(one, "asnumpy")] for call in calls]

    def program(*given):
        rest, found = iter(given), []
        for name, operands, attributes in calls:
            values = [next(rest) if isinstance(one, tuple) else one for one in operands]
            result = function_of(name, face)(*values, **attributes)
            found.append(mxnet_calls.seen(name, result, [one for one in values if hasattr(one, "shape")]))
        return found

    return hybridize(program)(*(one for several in arrays for one in several))


def same(x, y):
    """Tell whether results agree: of what C leaves open, too, since both are ours."""
    x, y = (numpy.concatenate([one.asnumpy().astype("f8").ravel() for one in listed(z)]) for z in (x, y))
    return x.shape == y.shape and numpy.allclose(x, y, rtol=2e-2, atol=2e-3, equal_nan=True)


def check_hybridized(calls):
    calls = [call for call in calls if call[0] != "contrib.boolean_mask" and not excepted(call)]
    for start in range(0, len(calls), 40):
        part = calls[start : start + 40]
        for call, result in zip(part, hybridized(part), strict=True):
            assert difference(call, result) is None, mxnet_calls.key(call)


def from_file(call):
    """Return the result of a call that was written as MXNet's file and is read from it."""
    variables = [sym.var(f"x{number}") for number, one in enumerate(call[1]) if isinstance(one, tuple)]
    rest = iter(variables)
    values = [next(rest) if isinstance(one, tuple) else one for one in call[1]]
    expression = function_of(call[0], sym)(*values, **call[2])
    block = gluon.SymbolBlock(sym.load_json(expression.tojson()), variables)
    return block(*(one for one in operands_of(call) if hasattr(one, "asnumpy")))


UNWRITTEN = r"contrib\.(boolean_mask|index_copy|index_array)|moments|.*_update|multi_|all_finite"
"""Functions that are several operators, or whose results have sizes that only values tell."""


def check_files(calls):
    for call in calls:
        if not excepted(call) and not re.match(UNWRITTEN, call[0]) and any(isinstance(one, tuple) for one in call[1]):
            assert difference(call, from_file(call)) is None, mxnet_calls.key(call)


OF_OPERATORS = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "modulo": operator.mod, "power": operator.pow, "equal": operator.eq, "not_equal": operator.ne,
    "greater": operator.gt, "greater_equal": operator.ge, "lesser": operator.lt, "lesser_equal": operator.le,
}  # fmt: skip
"""Functions of `nd` that are operators of expressions."""


@numpy.errstate(all="ignore")
def test_operators_of_expressions_give_what_mxnet_gives():
    calls = [call for call in CALLS if call[0] in OF_OPERATORS and not excepted(call)][::3]
    assert {call[0] for call in calls} == {*OF_OPERATORS}
    for start in range(0, len(calls), 60):
        part, values, results = calls[start : start + 60], {}, []
        for at, call in enumerate(part):
            names = [f"x{at}_{place}" if isinstance(one, tuple) else one for place, one in enumerate(call[1])]
            arrays = iter(one for one in operands_of(call) if hasattr(one, "asnumpy"))
            values |= {name: next(arrays) for name in names if isinstance(name, str)}
            results.append(OF_OPERATORS[call[0]](*(sym.var(one) if isinstance(one, str) else one for one in names)))
        expression = sym.Group(results)
        for one in (expression, sym.load_json(expression.tojson())):
            for call, result in zip(part, one.eval(**values), strict=True):
                assert difference(call, result) is None, mxnet_calls.key(call)


@numpy.errstate(all="ignore")
def test_hybridized_some_calls_give_what_mxnet_gives():
    check_hybridized(SOME)


@pytest.mark.long
@numpy.errstate(all="ignore")
def test_hybridized_each_call_gives_what_mxnet_gives():
    check_hybridized(CALLS)


@numpy.errstate(all="ignore")
def test_from_a_file_some_calls_give_what_mxnet_gives():
    check_files(SOME)


@pytest.mark.long
@numpy.errstate(all="ignore")
def test_from_a_file_each_call_gives_what_mxnet_gives():
    check_files(CALLS)
