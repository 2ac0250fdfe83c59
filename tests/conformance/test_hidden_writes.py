"""Writes that go through functions, and code that looks at its own names: as imperatively, or refused at the line."""

import heapq
import importlib.util
import operator
import types

import pytest

from hybridize import hybridize
from hybridize.array import np
from hybridize.array.symbol import Symbol
from hybridize.base.errors import ArgumentError, CaptureError
from hybridize.capture import Function
from tests.refusals import refusal


class Scaled:
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value * 10)


class Through:
    def __setattr__(self, name, value):
        super().__setattr__(name, value)


class Plain:
    pass


class World:
    def __init__(self):
        self.list, self.dict, self.set = [np.array([1.0])], {"a": np.array([1.0])}, {1}
        self.scaled, self.through, self.plain = Scaled(), Through(), Plain()

    def state(self):
        def shown(value):
            assert type(value) is not Symbol
            return value.tolist() if hasattr(value, "tolist") else value

        owners = [vars(one) for one in (self.scaled, self.through, self.plain)]
        containers = [*owners, self.dict, self.list, sorted(self.set)]
        return [[(k, shown(v)) for k, v in (c.items() if isinstance(c, dict) else enumerate(c))] for c in containers]


def doing(function):
    return lambda world: lambda x: (function(world, x), sum(world.list))[1]


WRITES = {
    "iadd of a list": doing(lambda w, x: operator.iadd(w.list, [x])),
    "iconcat": doing(lambda w, x: operator.iconcat(w.list, [x, x])),
    "ior of a dict": doing(lambda w, x: operator.ior(w.dict, {"k": x})),
    "ior of a set": doing(lambda w, x: operator.ior(w.set, {2})),
    "setitem": doing(lambda w, x: operator.setitem(w.dict, "a", x * 3)),
    "setitem of a list": doing(lambda w, x: operator.setitem(w.list, 0, x)),
    "delitem": doing(lambda w, x: (operator.setitem(w.dict, "b", x), operator.delitem(w.dict, "b"))),
    "append by the class": doing(lambda w, x: list.append(w.list, x)),
    "setitem by the class": doing(lambda w, x: dict.__setitem__(w.dict, "z", x)),
    "own __setattr__": doing(lambda w, x: setattr(w.scaled, "b", x * 2)),
    "own __setattr__ by statement": doing(lambda w, x: w.scaled.__setattr__("c", x)),
    "super().__setattr__": doing(lambda w, x: setattr(w.through, "b", x * 2)),
    "object.__setattr__": doing(lambda w, x: object.__setattr__(w.plain, "b", x + 1)),
    "in place on an array": doing(lambda w, x: operator.iadd(w.list[0], x)),
}


@pytest.mark.parametrize("name", WRITES)
def test_writes_through_functions(name):
    worlds = World(), World()
    plain = WRITES[name](worlds[0])
    compiled = Function(WRITES[name](worlds[1]), backend="numpy")
    for value in (2.0, 5.0, 7.0):
        results = []
        for function in (plain, compiled):
            try:
                results.append(function(np.array([value])).tolist())
            except KeyError as error:
                results.append(repr(error))
        assert results[0] == results[1]
        assert worlds[0].state() == worlds[1].state()


def test_functions_that_change_their_arguments_are_refused():
    queue = [3.0, 5.0]
    for function in (lambda x: (heapq.heappush(queue, 1.0), x)[1], lambda x: (heapq.heappop(queue), x)[1]):
        with pytest.raises(CaptureError, match=r"E431.*heap"):
            Function(function)(np.array([1.0]))
        assert queue == [3.0, 5.0]
    own = Function(lambda x: x * heapq.heappop([3.0, 1.0]))
    assert own(np.array([2.0])).tolist() == [6.0]


FACTOR = 2.0


def test_globals_is_what_the_module_holds(monkeypatch):
    import sys

    module, owner = sys.modules[__name__], Plain()
    functions = [
        lambda x: x * globals()["FACTOR"] if "FACTOR" in globals() else x,
        lambda x: x * vars(module)["FACTOR"],
        lambda x: x * vars(owner)["factor"],
        lambda x: x * owner.__dict__["factor"],
        lambda x: x * sum(vars(owner).values()),
    ]
    compiled = [Function(one, backend="numpy") for one in functions]
    x = np.array([1.0])
    for value in (2.0, 7.0, 9.0):
        monkeypatch.setattr(module, "FACTOR", value)
        owner.factor = value
        for number, one in enumerate(compiled):
            assert one(x).tolist() == [value], number


@pytest.mark.parametrize(
    "function",
    [
        lambda x: eval("x * 2"),
        lambda x: exec("1 + 1"),
        lambda x: x * len(globals()),
        lambda x: globals()["MISSING"],
        lambda x: globals().update(FACTOR=3),
    ],
)
def test_what_looks_into_its_own_names_is_refused(function):
    with pytest.raises((CaptureError, AttributeError)) as found:
        Function(function)(np.array([1.0]))
    assert "Symbol" not in str(found.value)


def test_functions_without_results_are_refused_at_once():
    async def waiting(x):
        return x

    def yielding(x):
        yield x

    async def both(x):
        yield x

    for function, what in ((waiting, "coroutine"), (yielding, "generator"), (both, "asynchronous generator")):
        with refusal(ArgumentError, rf"E355.*{what}"):
            hybridize(function)


def test_a_source_that_was_edited_is_named(tmp_path):
    path = tmp_path / "edited.py"
    path.write_text("def f(x):\n    if x.sum() > 0:\n        return x * 2\n    return x\n")
    spec = importlib.util.spec_from_file_location("edited", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    path.write_text("def g(x):\n    return x\n\n\ndef f(x):\n    return x * 3\n")
    with pytest.raises(CaptureError, match=r"E411.*its source in .*edited.py is not what was imported"):
        Function(module.f)(np.array([1.0]))


class Entered:
    def __init__(self, place, number):
        self.place, self.number = place, number

    def __enter__(self):
        self.place.opened = self.number
        return self.number

    def __exit__(self, *error):
        self.place.closed = self.number


def a_generator_of_everything():
    place, log, table = types.SimpleNamespace(count=0), [], {}

    def parts(x, n):
        """With statements of all kinds, suspended or not, that write."""
        total = 0
        for i, (factor, place.last) in enumerate([(1, x), (2, x * 2)]):
            place.count += 1
            table[i] = x.sum()
            if i >= n:
                return
            try:
                y = x * [1.0, 2.0, 3.0][i + n]
            except IndexError:
                y = x
            finally:
                log.append(x[0])
            if x[0] > 1:  # data
                z = y * 2
            else:
                z = y + factor
            with Entered(place, i) as entered:
                total += entered
                place.sent = yield z + total
            while total < 5:
                total += 1
                if total == 3:
                    continue
                if total == 4:
                    break
                match i:
                    case 0:
                        yield x
                    case _:
                        place.total = total
            else:
                yield x * 100
        yield from (v * 2 for v in [x, x])

    def nothing(x):
        return
        yield x

    def step(x, n):
        return list(parts(x, n)), list(nothing(x))

    return step, lambda: (vars(place), list(log), dict(table))


def test_writes_in_generators(same):
    calls = [(values, n) for values in ([1.0, 2.0], [2.0, 3.0], [0.0, 1.0]) for n in (0, 1, 2, 3)]
    same(a_generator_of_everything, *calls)
