"""`hybridize inspect` on our own archive."""

import numpy
import pytest

from hybridize.base.dtypes import float32
from hybridize.base.errors import LoadError
from hybridize.base.nested import flatten
from hybridize.base.types import TensorType
from hybridize.formats.archive import write_archive
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
    shown, weights = contents.tables(path)
    assert shown.title == "sum, signature 1 of 1"
    assert [row[0] for row in shown.rows] == ["input", "input", "output"]
    assert shown.rows[1][1] == "weight"
    assert all(row[2] == "f32[2,3]" for row in shown.rows)
    assert shown.notes == ("1 add",)
    assert weights.rows == [("weight", "f32[2,3]", "24")]


def test_a_file_of_something_else(tmp_path):
    path = tmp_path / "something"
    path.write_bytes(b"something else")
    with pytest.raises(LoadError):
        contents.tables(path)
