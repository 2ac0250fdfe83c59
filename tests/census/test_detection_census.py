# SPDX-License-Identifier: Apache-2.0
"""Functions of boxes, regions and images beside what MXNet 1.9.1 gave, with gradients.

Imperatively, hybridized, as symbols, and from files of both: ours that MXNet could read, and those of symbols.
"""

import gzip
import json
from pathlib import Path

import numpy
import pytest

import hybridize
from hybridize import gluon, nd, sym
from tests.census import detection_calls, detectors

RESULTS = dict(map(json.loads, gzip.decompress(Path(detection_calls.FILE).read_bytes()).splitlines()))
CALLS = detection_calls.calls()
NAMES = sorted({name for name, _, _ in CALLS})


def arrays_of(key):
    return [numpy.frombuffer(bytes.fromhex(text), dtype).reshape(shape) for dtype, shape, text in RESULTS[key]]


def stored(call):
    return arrays_of(detection_calls.key(call))


def of_name(name):
    return [call for call in CALLS if call[0] == name]


def operands(call):
    return [detection_calls.array(number, *one) for number, one in enumerate(call[1])]


def function(call, face=nd):
    found = face
    for word in call[0].split("."):
        found = getattr(found, word)
    return lambda *arrays: found(*arrays, **call[2])


def listed(results):
    return list(results) if isinstance(results, (list, tuple)) else [results]


def check(found, wanted, call):
    assert len(found) == len(wanted), call
    for x, y in zip(found, wanted, strict=True):
        assert (x.dtype, x.shape) == (y.dtype, y.shape), call
        if x.dtype.kind == "f":
            numpy.testing.assert_allclose(x, y, rtol=1e-4, atol=2e-5 * max(1.0, abs(y).max()), err_msg=str(call))
        else:
            apart = abs(x.astype(int) - y.astype(int)).max()  # MXNet computes these with other last bits
            assert apart <= (call[0] in ("image.resize", "image.random_hue")), call


@pytest.mark.parametrize("name", NAMES)
def test_imperatively_with_gradients(name):
    for call in of_name(name):
        check(detection_calls.ran(call, hybridize, lambda x, dtype: nd.array(x, dtype=dtype)), stored(call), call)


SIZED_BY_DATA = "contrib.boolean_mask"


@pytest.mark.parametrize("name", [name for name in NAMES if name != SIZED_BY_DATA])
def test_hybridized(name):
    """All calls of a function in one program."""
    calls = of_name(name)
    arrays = [[nd.array(x, dtype=x.dtype) for x in operands(call)] for call in calls]

    def program(*xs):
        rest = iter(xs)
        return [listed(function(call)(*(next(rest) for _ in call[1]))) for call in calls]

    for call, found in zip(calls, hybridize.hybridize(program)(*(x for xs in arrays for x in xs)), strict=True):
        check([y.asnumpy() for y in found], stored(call)[: len(found)], call)


@pytest.mark.parametrize("name", [name for name in NAMES if name != SIZED_BY_DATA])
def test_as_files_of_symbols(name):
    for call in of_name(name):
        variables = [sym.var(f"x{number}") for number in range(len(call[1]))]
        expression = function(call, sym)(*variables)
        block = gluon.SymbolBlock(sym.load_json(expression.tojson()), variables)
        found = listed(block(*(nd.array(x, dtype=x.dtype) for x in operands(call))))
        assert len(expression.list_outputs()) == len(found)
        if len(found) > 1:
            (last,) = (
                expression[-1]
                .bind(args=dict(zip(["x0", "x1", "x2", "x3", "x4", "x5"], operands(call), strict=False)))
                .forward()
            )
            check([last.asnumpy()], stored(call)[len(found) - 1 : len(found)], call)
        check([y.asnumpy() for y in found], stored(call)[: len(found)], call)


@pytest.mark.filterwarnings("ignore:the net computes with the sizes of its inputs")
@pytest.mark.parametrize(
    "name",
    [pytest.param("ssd", marks=pytest.mark.long), "yolo", "faster", pytest.param("center", marks=pytest.mark.long)],
)
def test_heads_of_detectors(name, tmp_path):
    """Imperatively, hybridized, from our archive, and from MXNet's files."""
    make, shapes = detectors.nets(hybridize)[name]
    xs = [nd.array(x) for x in detectors.inputs_of(shapes)]
    net = make()
    detectors.initialize(net, hybridize, xs)
    results = [net(*xs)]
    net.hybridize()
    results += [net(*xs), net(*xs)]
    net.save(tmp_path / "net.hyb")
    results.append(hybridize.load(tmp_path / "net.hyb")(*xs))
    net.export(tmp_path / "net")
    files = (tmp_path / f"net{end}" for end in ("-symbol.json", "-0000.params"))
    symbol, weights = files
    results.append(gluon.SymbolBlock.imports(symbol, ["data"], weights if weights.exists() else None)(*xs))
    for found in results:
        check([y.asnumpy() for y in listed(found)], arrays_of(name), [name])
