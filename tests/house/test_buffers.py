"""The memory of an array is asked for by `array.buffer`: no room but `array` reaches for the slot in which it lies."""

import ast
from pathlib import Path

import pytest

from hybridize.array.ndarray import ndarray

PACKAGE = Path(__file__).parents[2] / "hybridize"
SLOTS = {"_data", *ndarray.__hybridize_slots__}


def reached(source: str) -> list[int]:
    """The lines where something reaches for the memory of an array: an object's own attributes are no array's."""
    if not any(slot in source for slot in SLOTS):
        return []
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if (
            isinstance(node, ast.Attribute)
            and node.attr in SLOTS
            and not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))
        )
        or (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("getattr", "setattr", "hasattr", "attrgetter")
            and any(isinstance(one, ast.Constant) and one.value in SLOTS for one in node.args)
        )
    ]


def test_only_array_knows_where_memory_lies():
    assert {"_data", "_memory", "_storage"} == SLOTS
    paths = [path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] != "array"]
    assert {str(path): lines for path in paths if (lines := reached(path.read_text()))} == {}


@pytest.mark.parametrize(
    "source",
    [
        "x._data.shape",
        "self.array._data[...] = 0",
        "f(x[0])._memory",
        "x._storage.touch()",
        "getattr(x, '_data', None)",
        "attrgetter('_memory')",
    ],
)
def test_such_reaching_is_seen(source):
    assert reached(source) == [1]


def test_attributes_of_its_own_are_the_objects():
    assert reached("class Records:\n  def __init__(self, data):\n    self._data = data") == []
