"""Objects that a function takes and returns: dataclasses, named tuples, namespaces, instances of plain classes."""

import types
from collections import namedtuple
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest

from hybridize.array import np
from hybridize.base.errors import CaptureError
from hybridize.capture import Function

VALUES = ([1.0, 3.0], [-1.0, -2.0], [0.5, 0.25])


@dataclass
class State:
    mean: Any
    count: int = 0
    parts: list = field(default_factory=list)


@dataclass(frozen=True)
class Batch:
    x: Any
    name: str
    weight: float = 2.0

    @property
    def scaled(self):
        return self.x * self.weight


@dataclass(frozen=True)
class Pair:
    first: Batch
    second: Any


class Plain:
    def __init__(self, x):
        self.x = x
        self.total = x.sum()


class Point(NamedTuple):
    x: Any
    y: Any


Named = namedtuple("Named", "a b")


def shown(value):
    """Objects as tuples of their classes and attributes, for comparisons."""
    if isinstance(value, (State, Batch, Pair, Plain, types.SimpleNamespace)):
        return type(value).__name__, {name: shown(part) for name, part in vars(value).items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(shown, value))
    return [shown(part) for part in value] if isinstance(value, list) else value


def on_a_branch(x):
    if x[0] > 0:
        return Batch(x, "one", 1.0)
    return Batch(x * 2, "one", 3.0)


def chosen(x):
    state = Batch(x, "a")
    if x[1] > 0:
        state = Batch(x + 1, "a", x.sum())
    return state.scaled


RESULTS = {
    "a dataclass": lambda x: State(x * 2, 3, [x, x + 1]),
    "a frozen one": lambda x: Batch(x + 1, "b"),
    "nested": lambda x: [Pair(Batch(x, "n", 0.5), {"k": x})],
    "a namespace": lambda x: types.SimpleNamespace(a=x, b=x.sum(), c="text"),
    "of a plain class": lambda x: Plain(x + 1),
    "named tuples": lambda x: Point(x, Named(x.sum(), 2)),
    "with text": lambda x: State(f"{x[0]}"),
    "on a branch": on_a_branch,
}


@pytest.mark.parametrize("backend", ["numpy", "llvm"])
@pytest.mark.parametrize("name", RESULTS)
def test_returned(name, backend):
    function = RESULTS[name]
    compiled = Function(function, backend=backend)
    for values in (*VALUES, *VALUES):
        found, expected = compiled(np.array(values)), function(np.array(values))
        assert repr(shown(found)) == repr(shown(expected))
    assert compiled(np.array(values)) is not found, "each call makes its own"


def test_chosen_by_data(same):
    same(lambda: chosen, *VALUES)


def test_frozen_dataclasses_are_arguments(same):
    def function(batch, pair):
        return batch.scaled + pair.first.x, batch.name, pair.second

    def run(x):
        return compiled(Batch(x, "b", 1.5), Pair(Batch(x, "p"), x))

    compiled = Function(function, backend="numpy")
    for values in VALUES:
        x = np.array(values)
        expected = function(Batch(x, "b", 1.5), Pair(Batch(x, "p"), x))
        assert repr(run(x)) == repr(expected)
    assert compiled.cache_info().captures == 1, "as arguments of their types, not by identity"


def test_refused():
    class Cyclic:
        def __init__(self, x):
            self.x, self.me = x, self

    for function in (lambda x: Cyclic(x), lambda x: KEPT.append(Cyclic(x))):
        with pytest.raises(CaptureError, match=r"E423|E432"):
            Function(function)(np.array([1.0]))
    assert not KEPT


KEPT: list = []


def test_outside_objects_are_returned_themselves():
    kept = State(1.0)
    assert Function(lambda x: (kept, x))(np.array([1.0]))[0] is kept


def test_files_have_no_classes():
    function = Function(lambda x: Batch(x, "b"))
    function(np.array([1.0]))
    with pytest.raises(CaptureError, match=r"E464.*Batch"):
        function.saved()
