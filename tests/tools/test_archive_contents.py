"""`hybridize inspect` on our own archive."""

import io

import numpy
import pytest
from rich.console import Console

from hybridize import np
from hybridize.base.dtypes import float32
from hybridize.base.errors import LoadError
from hybridize.base.nested import flatten
from hybridize.base.types import TensorType
from hybridize.capture import Function
from hybridize.formats.archive import write_archive
from hybridize.formats.archive.container import opened
from hybridize.formats.saved import ARRAY, SavedProgram, SavedSignature
from hybridize.graph import Builder
from hybridize.ops import Add
from hybridize.tools import contents


def test_signatures_and_weights(tmp_path):
    builder = Builder()
    x, w = builder.input(TensorType((2, 3), float32), "x"), builder.input(TensorType((2, 3), float32), "w")
    graph = builder.finish(builder.add(Add(), (x, w)))
    arguments, result = flatten(((0,), {}))[1], flatten(0)[1]
    signature = SavedSignature(graph, arguments, (ARRAY,), result, (ARRAY,), state=("weight",))
    path = tmp_path / "function"
    write_archive(path, SavedProgram("sum", (signature,), {"weight": numpy.zeros((2, 3), "float32")}))
    parts, shown, codes, weights = contents.tables(path, full=True)
    assert parts.title == "function: archive of version 2"
    assert {row[0]: row[2] for row in parts.rows}.items() >= {
        ("weight:weight", "whole"),
        ("hybridize:graph:0", "whole"),
    }
    assert [row[0] for row in codes.rows] == ["signature 1", "entry"]
    assert {row[2] for row in codes.rows} == {"runs"}
    assert shown.title == "sum, signature 1 of 1"
    assert [row[0] for row in shown.rows] == ["input", "input", "output"]
    assert shown.rows[1][1] == "weight"
    assert all(row[2] == "f32[2,3]" for row in shown.rows)
    assert shown.notes == ("1 add",)
    assert weights.rows == [("weight", "f32[2,3]", "24")]


def test_ranges_samples_and_the_lines_of_the_user(tmp_path):
    def function(x):
        y = np.tanh(x) + 1
        return y * 2

    fast = Function(function)
    first = function.__code__.co_firstlineno
    for rows in (2, 3, 4):
        fast(np.ones((rows, 3)))
    fast.save(tmp_path / "f", targets=("aarch64",))
    _, exact, general, codes, *_ = contents.tables(tmp_path / "f", full=True)
    assert f"written in {__file__}: {first + 1}-{first + 2}" in exact.notes
    assert "sizes: n0 in 1.. like 3" in general.notes
    assert "1 sample: calls with their results" in general.notes
    assert [row[1:3] for row in codes.rows] == [("aarch64", "no: for Linux on aarch64")] * 3


def test_damage_is_shown(tmp_path):
    fast = Function(lambda x: x + np.arange(100))
    fast(np.ones(100))
    fast.save(tmp_path / "f")
    data = bytearray((tmp_path / "f").read_bytes())
    place = opened(str(tmp_path / "f")).entries["hybridize:graph:0"].start
    data[place + 10] ^= 1
    (tmp_path / "f").write_bytes(bytes(data))
    (parts,) = contents.tables(tmp_path / "f")
    assert [row[0] for row in parts.rows if row[2] == "damaged"] == ["hybridize:graph:0"]
    assert parts.notes[-1].startswith("damaged: hybridize:graph:0")


def test_a_file_of_something_else(tmp_path):
    path = tmp_path / "something"
    path.write_bytes(b"something else")
    with pytest.raises(LoadError):
        contents.tables(path)


def test_a_page_says_what_there_is(tmp_path):
    """The kinds of parts, a line for each program, and the first of what there is much of."""
    weights = [np.ones((3, 3)) * k for k in range(12)]

    def function(x, y):
        for weight in weights:
            x = x @ weight
        return x, y

    fast = Function(function)
    for rows in (2, 3):
        fast(np.ones((rows, 3)), np.ones(1))
    fast.save(tmp_path / "f")
    parts, signatures, codes, held = contents.tables(tmp_path / "f")
    assert dict(row[:2] for row in parts.rows)["weights"] == "12"
    assert any("all are whole" in note for note in parts.notes)
    assert [row[1:] for row in signatures.rows] == [
        ("x: f32[2,3], y: f32[1]", "f32[2,3], f32[1]", "as they stand"),
        ("x: f32[n0,3], y: f32[1]", "f32[n0,3], f32[1]", "n0 in 1.. like 3"),
    ]
    assert len(held.rows) == contents.PAGE
    assert held.notes[-1] == "4 more rows: --full"
    console = Console(file=io.StringIO(), width=80)
    for table in (parts, signatures, codes, held):
        table.show(console)
    assert len(console.file.getvalue().splitlines()) < 60
    full = contents.tables(tmp_path / "f", full=True)
    assert len(full[-1].rows) == 12
    assert len(full[0].rows) > 20
