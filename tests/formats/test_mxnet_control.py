"""Loops and branches in MXNet's files: written, and read back."""

import json
import warnings

import numpy
import pytest

from hybridize import gluon, np
from hybridize.base.errors import CaptureError
from hybridize.base.nested import flatten
from tests.formats.mxnet_control import CONTROL, Body
from tests.formats.test_mxnet_symbol import SIGNATURES


def results(net, xs):
    return [y.asnumpy() for y in flatten(net(*map(np.array, xs)))[0]]


def close(found, expected):
    for y, z in zip(found, expected, strict=True):
        assert y.shape == z.shape
        assert y.dtype == z.dtype
        numpy.testing.assert_allclose(y, z, rtol=2e-5, atol=1e-5)


@pytest.mark.filterwarnings("ignore:the net computes with the sizes of its inputs")
@pytest.mark.parametrize("name", CONTROL)
def test_the_three_ways_agree(name, tmp_path):
    make, calls = CONTROL[name]
    net = make()
    net.initialize()
    expected = [results(net, xs) for xs in calls]
    net.hybridize()
    for xs, ys in zip(calls, expected, strict=True):
        close(results(net, xs), ys)
    files = net.export(tmp_path / "net")
    names = ["data"] if len(calls[0]) == 1 else [f"data{number}" for number in range(len(calls[0]))]
    again = gluon.SymbolBlock.imports(files[0], names, files[1])
    for _ in range(2):
        for xs, ys in zip(calls, expected, strict=True):
            close(results(again, xs), ys)
        again.hybridize()
    for version in SIGNATURES:
        for node in every(json.loads((tmp_path / "net-symbol.json").read_text())):
            assert node["op"] in SIGNATURES[version]
            assert set(node.get("attrs", {})) <= SIGNATURES[version][node["op"]], node


def every(tree):
    """The nodes of a graph that are operators, with those of the graphs inside."""
    for node in tree["nodes"]:
        if node["op"] != "null":
            yield node
        for inner in node.get("subgraphs", ()):
            yield from every(inner)
