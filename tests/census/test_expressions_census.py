# SPDX-License-Identifier: Apache-2.0
"""Operators, indices and methods of arrays that `nd` makes, beside what MXNet 1.9.1 gave: imperatively and hybridized."""

import gzip
import json
import random
import runpy
from pathlib import Path

import numpy
import pytest

from hybridize import hybridize, nd
from hybridize.errors import HybridizeError
from tests.census import mxnet_calls
from tests.census.mxnet_exceptions import EXPRESSION_EXCEPTIONS
from tests.census.test_mxnet_census import check_imperatively, difference, excepted, imperative, listed, operands_of

FILE = Path(__file__).with_name(mxnet_calls.SURFACES["1.9.1-expressions"][2])
RESULTS = dict(map(json.loads, gzip.decompress(FILE.read_bytes()).splitlines()))
CALLS = [call for call in mxnet_calls.expressions() if not isinstance(RESULTS[mxnet_calls.key(call)], str)]


def differs(call, result):
    """Return what differs between a result and MXNet's, the class too; or None."""
    classes = {type(one) for one in listed(result)}
    return f"a result of {classes}" if classes != {nd.NDArray} else difference(call, result, RESULTS)


@numpy.errstate(all="ignore")
def test_imperatively_each_expression_gives_what_mxnet_gives():
    check_imperatively(CALLS, EXPRESSION_EXCEPTIONS, lambda call: differs(call, imperative(call, None)))


def check_hybridized(calls, folder):
    """Hold calls, 40 in a program, which stands in a file, as what has no source is not compiled."""
    calls = [call for call in calls if not excepted(call, EXPRESSION_EXCEPTIONS)]
    for start in range(0, len(calls), 40):
        part = calls[start : start + 40]
        path = folder / f"expressions_{start}.py"
        lines = [f"        (lambda x, y=None: {name})(*pairs[{at}])," for at, (name, _, _) in enumerate(part)]
        path.write_text(
            "\n".join(["import operator", "", "", "def program(pairs):", "    return [", *lines, "    ]", ""])
        )
        results = hybridize(runpy.run_path(str(path))["program"])([operands_of(call) for call in part])
        for call, result in zip(part, results, strict=True):
            assert differs(call, result) is None, mxnet_calls.key(call)


@numpy.errstate(all="ignore")
def test_hybridized_some_expressions_give_what_mxnet_gives(tmp_path):
    check_hybridized(CALLS[::9], tmp_path)


@pytest.mark.long
@numpy.errstate(all="ignore")
def test_hybridized_each_expression_gives_what_mxnet_gives(tmp_path):
    check_hybridized(CALLS, tmp_path)


MIXED = ("x.as_np_ndarray() + y", "np.maximum(x, y)", "x.as_np_ndarray() == y", "y.as_np_ndarray() * (x > y)", "x > y")


def drawn_program(draw, path):
    """Write a program of some expressions, each of two values that are there, and return it."""
    known, lines = ["x", "y"], []
    names = sorted({name for name, _, _ in CALLS if "operator" not in name and not name.startswith("[")})
    for number in range(5):
        lines.append(
            f"    v{number} = (lambda x, y: {draw.choice([*names, *MIXED * 8])})({draw.choice(known)}, {draw.choice(known)})"
        )
        known.append(f"v{number}")
    text = ["from hybridize import np", "", "", "def program(x, y):", *lines, f"    return [{', '.join(known[2:])}]"]
    path.write_text("\n".join([*text, ""]))
    return runpy.run_path(str(path))["program"]


@numpy.errstate(all="ignore")
@pytest.mark.filterwarnings("ignore")
def test_drawn_programs_give_what_python_gives(tmp_path):
    draw, ran = random.Random(7), 0
    for number in range(60):
        program = drawn_program(draw, tmp_path / f"drawn_{number}.py")
        dtype = draw.choice(["float32", "int32", "float64", "uint8"])
        x, y = (nd.array([[1, 2, 3], [4, 1, 2]], dtype=dtype), nd.array([[2, 1, 3], [1, 3, 2]], dtype=dtype))
        y = y.as_np_ndarray() if number % 5 == 0 else y
        try:
            expected = program(x, y)
        except (HybridizeError, AttributeError, TypeError):
            continue  # shapes that do not fit, methods of a list
        result = hybridize(program)(x, y)
        for one, other in zip(flat(expected), flat(result), strict=True):
            assert (type(one), one.dtype, one.shape) == (type(other), other.dtype, other.shape), number
            numpy.testing.assert_allclose(other.asnumpy(), one.asnumpy(), rtol=1e-4, atol=1e-5, err_msg=str(number))
        ran += 1
    assert ran > 15


def flat(results):
    return [leaf for one in results for leaf in flat(one)] if isinstance(results, (list, tuple)) else [results]
