"""Special methods that give what they must not, metaclasses that answer every name, builtins that take no such argument.

Imperatively and compiled, the result or the exception is the same, with its text.
"""

import pytest

from hybridize.array import np
from hybridize.capture import Function


class Telling:
    """An object with one special method, which gives `value`."""


def told(name, value):
    return type("Telling", (Telling,), {name: lambda self, *args, **named: value})()


def branched(value):
    return 1 if value else 2


def indexed(value):
    return [1, 2, 3][value], range(5)[value]


GIVEN = {
    "__len__": ((len, bool, branched, lambda v: not v), (-1, 2.0, "a", 2**70, True, None, 3, 0)),
    "__bool__": ((bool, branched, lambda v: not v), (2, None, "x", True)),
    "__hash__": ((hash, lambda v: {v: 1}[v]), (1.5, None, "a", 3, 2**70)),
    "__str__": ((str, lambda v: f"{v!s}", lambda v: "%s" % v), (3, None, "a")),  # noqa: UP031
    "__repr__": ((repr, lambda v: f"{v!r}"), (3, None, "a")),
    "__format__": ((format, lambda v: f"{v}", lambda v: f"{v:>3}"), (3, None, "a")),
    "__index__": ((indexed, hex), (1.5, "a", 2)),
    "__int__": ((int,), (1.5, "a", None, 2)),
    "__float__": ((float,), (1, "a", None, 2.5)),
    "__complex__": ((complex,), (1, "a", 2j)),
    "__bytes__": ((bytes,), ("a", 3, b"a")),
    "__iter__": ((list, lambda v: [x for x in v]), (3, [1], None)),  # noqa: C416
    "__contains__": ((lambda v: 3 in v,), (2, None, "x", "")),
    "__dir__": ((dir,), (["b", "a"], ("c", "a"))),
    "__reversed__": ((reversed,), (7, [1])),
    "__round__": ((round, lambda v: round(v, 2)), (4, "a")),
    "__abs__": ((abs,), (4, "a")),
    "__add__": ((lambda v: v + 1,), (NotImplemented, 3)),
    "__radd__": ((lambda v: 1 + v,), (NotImplemented, 3)),
    "__lt__": ((lambda v: v < 1, lambda v: 1 > v), ("x", None, NotImplemented)),  # noqa: SIM300
}


def outcome(function, *args):
    try:
        found = function(*args)
    except Exception as error:
        return type(error), str(error)
    return type(found), repr(found)


@pytest.mark.parametrize("name", GIVEN)
def test_special_methods_that_give_nonsense(name):
    functions, values = GIVEN[name]
    for value in values:
        thing = told(name, value)
        for number, function in enumerate(functions):
            compiled = Function(lambda x, called=function, thing=thing: (called(thing), x)[0], backend="numpy")
            assert outcome(compiled, np.ones(1)) == outcome(function, thing), (value, number)


class Answering(type):
    """Has something for every name."""

    def __getattr__(cls, name):
        return len(name)


class Calling(type):
    def __getattr__(cls, name):
        return lambda *args, **named: name


class Denying(type):
    def __getattribute__(cls, name):
        if name.startswith("__hybridize") or name in ("__next__", "__dataclass_params__"):
            return 3
        return super().__getattribute__(name)


@pytest.mark.parametrize("meta", [Answering, Calling, Denying])
def test_a_metaclass_that_answers_every_name(meta):
    kind = meta("Thing", (), {"__init__": lambda self, value: setattr(self, "value", value), "other": 2.0})
    thing = kind(3.0)

    def program(x):
        made = kind(x)
        made.value = made.value + 1
        things = [thing, made]
        things.append(thing)
        return made.value * thing.value * thing.other, len(things), isinstance(thing, kind), bool(thing)

    x = np.array([1.0, 2.0])
    found, expected = Function(program, backend="numpy")(x), program(x)
    assert found[0].tolist() == expected[0].tolist() and found[1:] == expected[1:]
    thing.value = 4.0
    assert Function(program, backend="numpy")(x)[0].tolist() == program(x)[0].tolist()
    assert Function(lambda x, thing: x + 1, backend="numpy")(x, 1).tolist() == [2.0, 3.0]


CALLS = {
    "int": lambda x: int("11", base=2),
    "sum": lambda x: sum([1, 2], start=3),
    "str": lambda x: str(object="a"),  # noqa: UP018
    "str, encoding": lambda x: str(b"a", encoding="ascii"),
    "str, nothing": lambda x: str(thing="a"),
    "hasattr": lambda x: hasattr(x, name="a"),
    "getattr": lambda x: getattr(x, name="shape"),
    "setattr": lambda x: setattr(x, "a", value=3),
    "len": lambda x: len(),
    "len, two": lambda x: len([1], [2]),
    "len, keyword": lambda x: len(obj=[1]),
    "repr": lambda x: repr(obj=3),
    "isinstance": lambda x: isinstance(3),
    "isinstance, keyword": lambda x: isinstance(3, class_or_tuple=int),
    "range": lambda x: range(),
    "range, keyword": lambda x: range(stop=3),
    "bool": lambda x: bool(1, 2),
    "format": lambda x: format(),
    "hash": lambda x: hash(),
    "round": lambda x: round(2.567, ndigits=1),
    "pow": lambda x: pow(base=2, exp=3, mod=5),
    "complex": lambda x: complex(real=1, imag=2),
    "zip": lambda x: list(zip([1], [2, 3], strict=True)),
    "sorted": lambda x: sorted([2, 1], reverse=True, key=None),
    "max": lambda x: max([], default=3),
    "join": lambda x: ",".join([3]),
    "join of an argument": lambda x: ",".join(["a", len(x)]),
    "module": lambda x: type("Made", (), {}).__module__,
    "module that is given": lambda x: type("Made", (), {"__module__": "other"}).__module__,
}


@pytest.mark.parametrize("name", CALLS)
def test_arguments_of_builtins(name):
    assert outcome(Function(CALLS[name], backend="numpy"), np.ones(2)) == outcome(CALLS[name], np.ones(2))


def test_join_names_the_class_of_a_number():
    def program(n):
        return ",".join([n])

    assert outcome(Function(program, backend="numpy"), 3) == outcome(program, 3)
