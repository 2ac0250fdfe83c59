"""Objects that a function makes and keeps outside, or returns with what is outside: each call makes its own."""

import copy
from collections import deque, namedtuple
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from hybridize.array import ndarray, np
from hybridize.capture import Function

Step = namedtuple("Step", "state reward")


@dataclass
class Sample:
    x: Any
    name: str = "a"
    parts: list = field(default_factory=list)


@dataclass(frozen=True)
class Fixed:
    x: Any


class Plain:
    def __init__(self, x):
        self.x, self.total = x, x.sum()


class World:
    def __init__(self):
        self.log, self.last, self.table, self.recent = [], None, {}, deque(maxlen=2)


def a_tuple(w, x):
    w.log.append((x.sum(), x.mean()))
    return w.log[-1]


def a_tuple_of_a_variable(w, x):
    t = (x.sum(), (x.mean(), 1))
    w.log.append(t)
    return t, w.log[-1][1][0]


def a_tuple_in_an_attribute(w, x):
    w.last = (x + 1, "b")
    return w.last[0] * 2, w.last


def named_tuples(w, x):
    w.log.append(Step(x.sum(), 1))
    w.recent.append(Step(2, x))
    w.table["k"] = Step(Step(x, 1), 2)
    return w.log[-1].state + w.table["k"].state.state


def dataclasses_everywhere(w, x):
    w.log.append(Sample(x.sum(), parts=[x, Step(1, x * 2)]))
    w.recent.extend([Fixed(x), Sample(1)])
    w.table["k"] = Plain(x)
    w.last = SimpleNamespace(y=x * 3, inner=Fixed((x, 1)))
    return w.last.y + w.table["k"].total


def changed_afterwards(w, x):
    sample = Sample(x)
    w.log.append(sample)
    sample.x = x * 2
    sample.parts.append(x.sum())
    return w.log[-1].x


def constants(w, x):
    w.log.append(Step(2, 1))
    w.log.append(Sample(2))
    return x


def kept_and_returned(w, x):
    sample = Sample(x * 2)
    w.log.append(sample)
    w.last = sample
    return sample, [sample, w.last]


def twice_in_the_result(w, x):
    sample = Sample(x * 2)
    return sample, {"again": sample}


def a_view_is_kept(w, x):
    y = x * 2
    w.log.append(Sample(y[1:]))
    w.last = Step(y, y[:1])
    return y


def an_argument_is_kept(w, x):
    w.log.append(Fixed(x))
    return x


KEEPING = [
    a_tuple, a_tuple_of_a_variable, a_tuple_in_an_attribute, named_tuples, dataclasses_everywhere, changed_afterwards,
    constants, kept_and_returned, twice_in_the_result, a_view_is_kept, an_argument_is_kept,
]  # fmt: skip


def shown(value, met):
    """A value with the classes of what is in it, and the number of each object in the order in which they are met."""
    if isinstance(value, (int, float, str, type(None))):
        return value
    if isinstance(value, (tuple, list, deque)):
        return type(value).__name__, [shown(part, met) for part in value]
    number = met.setdefault(id(value), len(met))
    if isinstance(value, ndarray):
        return number, str(value.dtype), value.tolist()
    held = value if isinstance(value, dict) else vars(value)
    return number, type(value).__name__, {name: shown(part, met) for name, part in held.items()}


@pytest.mark.parametrize("function", KEEPING)
def test_each_call_keeps_objects_of_its_own(function):
    worlds = World(), World()
    compiled = Function(lambda x: function(worlds[1], x))
    results = [], []
    for values in ([1.0, 2.0], [3.0, 5.0], [-1.0, 0.0]):
        x = np.array(values)
        results[0].append(function(worlds[0], x.copy()))
        results[1].append(compiled(x.copy()))
        found = [shown([result, world], {}) for result, world in zip(results, worlds, strict=True)]
        assert found[1] == found[0]


def test_views_that_are_kept_are_views():
    world = World()
    y = Function(lambda x: a_view_is_kept(world, x))(np.ones(3))
    y[...] = 7
    assert world.log[0].x.tolist() == [7, 7] and world.last.reward.tolist() == [7] and world.last.state is y


class Model:
    def __init__(self):
        self.history, self.parts = [], {}

    def fit(self, x):
        self.mean = x.mean(axis=0)
        self.history.append(self.mean.sum())
        self.parts["last"] = x
        return self

    def scaled(self, x):
        return (self.fit(x), x - self.mean)

    def predict(self, x):
        return self.fit(x).mean * 2


@pytest.mark.parametrize("method", ["fit", "scaled", "predict"])
def test_a_method_that_sets_attributes_may_return_the_object(method):
    models = Model(), Model()
    compiled = Function(getattr(models[1], method))
    for values in ([[1.0, 2.0], [3.0, 4.0]], [[0.0, 0.0], [1.0, 1.0]], [[5.0, 2.0], [3.0, 4.0]]):
        x = np.array(values)
        expected, found = getattr(models[0], method)(x.copy()), compiled(x.copy())
        assert shown([expected, models[0]], {}) == shown([found, models[1]], {})
    assert compiled.cache_info().programs == 1
    assert method != "fit" or found is models[1]


def test_objects_that_are_kept_can_be_copied():
    world = World()
    Function(lambda x: dataclasses_everywhere(world, x))(np.ones(2))
    assert shown(copy.deepcopy(world.log), {}) == shown(world.log, {})
