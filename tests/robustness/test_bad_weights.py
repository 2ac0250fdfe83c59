# SPDX-License-Identifier: Apache-2.0
"""MXNet's files and safetensors, damaged by the thousand: an error within a second and little memory, never a crash."""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy
import pytest
from safetensors.numpy import save_file

from hybridize import np
from hybridize.errors import LoadError
from hybridize.formats.mxnet.symbol import parse_symbol
from hybridize.gluon import SymbolBlock
from tests.refusals import refusal

HERE = Path(__file__).parent
FILES = HERE.parent / "formats" / "mxnet_files"
KINDS = {
    "parameters": [p for p in FILES.rglob("*") if p.suffix in (".params", ".npz", ".v0") and p.stat().st_size < 20_000],
    "graphs": [p for p in FILES.rglob("*.json") if "signatures" not in p.name],
}


def read_damaged(count, seed, paths):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(HERE / "reading_bad_files.py"), str(count), str(seed), *map(str, paths)],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(HERE.parents[1])},
    )  # fmt: skip
    assert done.returncode == 0, f"signal or error {done.returncode}: {done.stderr[-2000:]}"
    found = json.loads(done.stdout)
    assert found["wrong"] == []
    assert found["longest"] < 1
    assert found["refused"] + found["sound"] == count * len(paths)
    assert found["refused"] > found["sound"] / 4, "the mutations do damage"


@pytest.fixture
def tensors(tmp_path):
    arrays = {"a": numpy.arange(6, dtype="f4").reshape(2, 3), "b": numpy.ones(3, "i8"), "c": numpy.array(True)}
    save_file(arrays, tmp_path / "x.safetensors", {"format": "np"})
    return [tmp_path / "x.safetensors"]


@pytest.mark.parametrize("kind", [*KINDS, "safetensors"])
def test_damaged_files_are_refused_in_time(kind, tensors):
    read_damaged(150, 0, sorted(KINDS[kind]) if kind in KINDS else tensors)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 4))
@pytest.mark.parametrize("kind", [*KINDS, "safetensors"])
def test_damaged_files_are_refused_by_the_thousand(kind, seed, tensors):
    read_damaged(4000, seed, sorted(KINDS[kind]) if kind in KINDS else tensors)


def graph_of(nodes):
    return parse_symbol(json.dumps({"nodes": nodes, "heads": [[len(nodes) - 1, 0]]}), "some.json")


DATA = {"op": "null", "name": "data", "inputs": []}


@pytest.mark.parametrize("op", ["no_such_op", "_npx_no_such_op", "Custom", "", "Null", "FullyConnected "])
def test_unknown_operators_are_refused_by_name_and_node(op):
    nodes = [DATA, {"op": op, "name": "the node", "attrs": {}, "inputs": [[0, 0]]}]
    with refusal(LoadError, rf"E606: some.json: operator {op}, node 'the node', is not supported"):
        SymbolBlock(graph_of(nodes), ["data"])


def test_a_value_of_a_million_numbers_is_refused_at_once():
    text = "(" + "1," * 500_000 + ")"
    nodes = [DATA, {"op": "Reshape", "name": "r", "attrs": {"shape": text}, "inputs": [[0, 0]]}]
    with refusal(LoadError, "E603.*operator Reshape, node 'r': shape cannot be read") as caught:
        SymbolBlock(graph_of(nodes), ["data"])(np.ones(3))
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("token", [-1, 50, 1 << 40, numpy.nan])
@pytest.mark.parametrize("hybrid", [False, True])
def test_tokens_out_of_range_are_as_in_mxnet_or_an_error(token, hybrid):
    """MXNet's Embedding clips: a model of its files gives what it gave there, and never reads outside of its table."""
    stem = FILES / "v1_9_1_nd/lstmnet"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        net = SymbolBlock.imports(f"{stem}-symbol.json", ["data"], f"{stem}-0000.params")
    if hybrid:
        net.hybridize()
    x = numpy.load(f"{stem}-input.npy")
    clipped, wild = x.copy(), x.copy()
    clipped[0, 0], wild[0, 0] = (0 if token < 0 or token != token else 49), token
    numpy.testing.assert_allclose(net(np.array(wild)).asnumpy(), net(np.array(clipped)).asnumpy(), rtol=1e-5)
