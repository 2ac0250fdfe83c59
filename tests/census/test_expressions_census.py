# SPDX-License-Identifier: Apache-2.0
"""Operators, indices and methods of arrays that `nd` makes, beside what MXNet 1.9.1 gave: imperatively and hybridized."""

import gzip
import json
import runpy
from pathlib import Path

import numpy
import pytest

from hybridize import hybridize, nd
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
