"""The memory of an array is asked for by `array.buffer`: no room but `array` reaches for the slot in which it lies.

In `array` some files take elements at the host of arrays that they are given, which is refused of arrays on a device.
"""

import ast
from pathlib import Path

import pytest

from hybridize.array.ndarray import ndarray

PACKAGE = Path(__file__).parents[2] / "hybridize"
SLOTS = {"_data", "_content", *ndarray.__hybridize_slots__}


def reached(source: str) -> list[int]:
    """The lines where something reaches for the memory of an array."""
    return [node.lineno for node in reaching(source)]


def reaching(source: str) -> list[ast.expr]:
    """The expressions that reach for the memory of an array: an object's own attributes are no array's."""
    if not any(slot in source for slot in SLOTS):
        return []
    return [
        node
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


AT_THE_HOST = {
    "buffer.py": 2, "draws.py": 3, "functions/alignments.py": 1, "functions/creation.py": 1, "functions/dense.py": 10,
    "functions/elementwise.py": 12, "functions/indexing.py": 4, "functions/linear.py": 2, "functions/neural.py": 4,
    "functions/normalization.py": 7, "functions/reductions.py": 6, "functions/shapes.py": 3, "functions/ufuncs.py": 7,
    "nd_array.py": 1, "ndarray.py": 13, "operands.py": 1, "placing.py": 3, "protocols.py": 1,
}  # fmt: skip
"""How often a file of `array` uses `_data` of an object other than its own."""


def test_no_more_of_array_needs_elements_at_the_host():
    found = {}
    for path in (PACKAGE / "array").rglob("*.py"):
        lines = [node for node in reaching(path.read_text()) if getattr(node, "attr", None) == "_data"]
        if lines:
            found[path.relative_to(PACKAGE / "array").as_posix()] = len(lines)
    more = {name: number for name, number in found.items() if number > AT_THE_HOST.get(name, 0)}
    assert more == {}, "ask `_elements` to read, or `operand` to compute: `_data` of an array on a device is refused"
    fewer = {name: found.get(name, 0) for name, number in AT_THE_HOST.items() if found.get(name, 0) < number}
    assert fewer == {}, "write the smaller number into AT_THE_HOST"


def test_only_array_knows_where_memory_lies():
    assert {"_data", "_content", "_memory", "_storage"} == SLOTS
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
