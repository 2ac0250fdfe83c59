"""`hybridize inspect` on MXNet's files."""

import json

import numpy
import pytest
from typer.testing import CliRunner

from hybridize.base.errors import LoadError
from hybridize.formats.mxnet.params import write_params
from hybridize.tools import contents
from hybridize.tools.application import application

SYMBOL = {
    "nodes": [
        {"op": "null", "name": "data", "inputs": []},
        {"op": "null", "name": "weight", "attrs": {"__shape__": "(2, 3)"}, "inputs": []},
        {"op": "FullyConnected", "name": "fc", "attrs": {"num_hidden": "2"}, "inputs": [[0, 0, 0], [1, 0, 0]]},
    ],
    "arg_nodes": [0, 1],
    "heads": [[2, 0, 0]],
    "attrs": {"mxnet_version": ["int", 10901]},
}


def test_symbol(tmp_path):
    path = tmp_path / "net-symbol.json"
    path.write_text(json.dumps(SYMBOL))
    inputs, operators = contents.tables(path)
    assert inputs.rows == [("data", ""), ("weight", "(2, 3)")]
    assert operators.rows == [("fc", "FullyConnected", "num_hidden=2")]
    assert operators.notes == ("1 FullyConnected", "mxnet_version 10901")


def test_parameters(tmp_path):
    path = tmp_path / "net-0000.params"
    write_params(path, {"arg:w": numpy.zeros((2, 3), "float32"), "arg:b": numpy.zeros((), "int64")}, np_shape=True)
    done = CliRunner().invoke(application, ["inspect", str(path)])
    assert done.exit_code == 0, done.output
    for text in ("arg:w", "f32[2,3]", "i64[]", "2 arrays, 32 bytes"):
        assert text in done.output


@pytest.mark.parametrize("text", ["{", "{}", '{"nodes": 3}', '{"nodes": [{"op": 1}]}', '{"nodes": [[]]}', "{" * 5000])
def test_malformed_symbol(tmp_path, text):
    path = tmp_path / "net-symbol.json"
    path.write_text(text)
    with pytest.raises(LoadError, match="E641"):
        contents.tables(path)


def test_truncated_parameters(tmp_path):
    path = tmp_path / "net-0000.params"
    write_params(path, {"w": numpy.zeros((2, 3), "float32")})
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(LoadError):
        contents.tables(path)


def test_file_that_is_not_there():
    done = CliRunner().invoke(application, ["inspect", "no-such-file"])
    assert done.exit_code == 2
    assert "no-such-file" in done.output
