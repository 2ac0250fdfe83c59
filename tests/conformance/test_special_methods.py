# SPDX-License-Identifier: Apache-2.0
"""Methods of the user's that Python calls by itself: what they read is guarded, what they do is done at each call.

PYTEST_DONT_REWRITE: pytest's own form of `assert a or b` asks `a` for its truth twice, where Python asks once.
"""

import bisect
import collections
import collections.abc
import contextlib
import copy
import dataclasses
import functools
import heapq
import itertools
import math
import operator
import pprint
import types

import numpy
import pytest

from hybridize import hybridize
from hybridize.array import np
from hybridize.array.symbol import Symbol
from hybridize.base.errors import CaptureError
from tests.refusals import refusal

SCALE = 2.0
log = []


class Vec:
    """Each of its methods reads a global and leaves a trace."""

    def __init__(self, v):
        self.v = v

    def _did(self, name):
        log.append(name)
        return SCALE

    def __neg__(self):
        return Vec(-self.v * self._did("neg"))

    def __pos__(self):
        return Vec(self.v * self._did("pos"))

    def __invert__(self):
        return Vec(self.v * self._did("invert"))

    def __abs__(self):
        return Vec(abs(self.v) * self._did("abs"))

    def __round__(self, digits=0):
        return Vec(self.v * self._did("round") + digits)

    def __floor__(self):
        return Vec(self.v * self._did("floor"))

    def __trunc__(self):
        return Vec(self.v * self._did("trunc"))

    def __call__(self, x):
        return self.v * x * self._did("call")

    def __bool__(self):
        return self._did("bool") > 3

    def __len__(self):
        return int(self._did("len"))

    def __float__(self):
        return self._did("float")

    def __int__(self):
        return int(self._did("int"))

    def __index__(self):
        return int(self._did("index")) // 3

    def __complex__(self):
        return complex(self._did("complex"), 1.0)

    def __hash__(self):
        return int(self._did("hash"))

    def __contains__(self, x):
        return self._did("contains") > x

    def __iter__(self):
        yield self.v * self._did("iter")
        yield self.v * 3

    def __reversed__(self):
        yield self.v * self._did("reversed")

    def __getitem__(self, key):
        return self.v * self._did("getitem") + key

    def __setitem__(self, key, value):
        self.v = self.v * self._did("setitem") + value * key

    def __delitem__(self, key):
        self.v = self.v * self._did("delitem")

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return self.v * self._did(name)

    def __enter__(self):
        return self.v * self._did("enter")

    def __exit__(self, *error):
        self._did("exit")

    def __divmod__(self, other):
        return self.v * self._did("divmod"), other


def _operators(cls):
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift",
                 "rshift", "lt", "le", "gt", "ge", "eq", "ne"):  # fmt: skip

        def method(self, other, name=name):
            return Vec(self.v * self._did(name) + getattr(other, "v", other))

        def reflected(self, other, name=name):
            return Vec(self.v * self._did(f"r{name}") - other)

        def changed(self, other, name=name):
            self.v = self.v * self._did(f"i{name}") + other
            return self

        setattr(cls, f"__{name}__", method)
        if name not in ("lt", "le", "gt", "ge", "eq", "ne"):
            setattr(cls, f"__r{name}__", reflected)
            setattr(cls, f"__i{name}__", changed)


_operators(Vec)


class Base:
    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        log.append("Base.add")
        return self.v * SCALE

    def __radd__(self, other):
        log.append("Base.radd")
        return -self.v * SCALE


class Derived(Base):
    def __radd__(self, other):
        log.append("Derived.radd")
        return self.v * SCALE * 7

    def __sub__(self, other):
        log.append("Derived.sub")
        return NotImplemented


class Taken:
    def __init__(self, v):
        self.v = v

    def __rsub__(self, other):
        log.append("Taken.rsub")
        return self.v * SCALE

    def __lt__(self, other):
        return NotImplemented

    def __gt__(self, other):
        log.append("Taken.gt")
        return SCALE > 3


@functools.total_ordering
class Ranked:
    def __init__(self, v):
        self.v = v

    def __lt__(self, other):
        log.append("lt")
        return self.v * SCALE < other.v

    def __eq__(self, other):
        log.append("eq")
        return self.v == other.v


class Steps:
    def __init__(self, v):
        self.v, self.left = v, 3

    def __iter__(self):
        log.append("iter")
        return self

    def __next__(self):
        log.append("next")
        if not self.left:
            raise StopIteration
        self.left -= 1
        return self.v * SCALE


class Old:
    """A sequence without an iterator."""

    def __getitem__(self, key):
        log.append(key)
        if key > 2:
            raise IndexError(key)
        return key * SCALE


class Table(collections.abc.Mapping):
    def __init__(self, items):
        self.items_ = items

    def __getitem__(self, key):
        log.append(key)
        return self.items_[key] * SCALE

    def __iter__(self):
        log.append("iter")
        return iter(self.items_)

    def __len__(self):
        log.append("len")
        return len(self.items_)


class Row(collections.abc.Sequence):
    def __getitem__(self, key):
        log.append(key)
        return [1.0, 2.0, 3.0][key] * SCALE

    def __len__(self):
        log.append("len")
        return 3


class Typed(type):
    def __call__(cls, *args):
        log.append("call")
        made = super().__call__(*args)
        made.v = made.v * SCALE
        return made

    def __len__(cls):
        log.append("len")
        return int(SCALE)

    def __getitem__(cls, key):
        log.append("getitem")
        return key * SCALE

    def __contains__(cls, key):
        return key < SCALE


class Made(metaclass=Typed):
    def __init__(self, v):
        self.v = v


class New:
    def __new__(cls, v):
        log.append("new")
        made = super().__new__(cls)
        made.scaled = v * SCALE
        return made

    def __init__(self, v):
        log.append("init")
        self.v = v


class Listed(list):
    def __init__(self, *items):
        super().__init__(items)
        log.append(len(self))
        self.scale = SCALE


@dataclasses.dataclass
class Point:
    x: object
    y: float = 1.0
    items: list = dataclasses.field(default_factory=lambda: [log.append("factory") or 0.0, SCALE])
    extra: dataclasses.InitVar[float] = 3.0
    total: object = dataclasses.field(init=False)

    def __post_init__(self, extra):
        log.append("post")
        self.total = self.x * SCALE + extra


@dataclasses.dataclass(frozen=True)
class Frozen:
    x: object
    scale: float = dataclasses.field(default_factory=lambda: SCALE)


@dataclasses.dataclass(slots=True, kw_only=True)
class Slotted:
    x: object
    y: float = 4.0

    def __post_init__(self):
        self.x = self.x * SCALE


@dataclasses.dataclass
class State:
    step: int
    w: object


class Scaled:
    """A descriptor."""

    def __set_name__(self, owner, name):
        self.name = f"_{name}"

    def __get__(self, owner, kind):
        log.append("get")
        return getattr(owner, self.name) * SCALE

    def __set__(self, owner, value):
        log.append("set")
        setattr(owner, self.name, value)

    def __delete__(self, owner):
        log.append("delete")
        setattr(owner, self.name, 1.0)


class Described:
    x = Scaled()


class Watched:
    def __init__(self, v):
        object.__setattr__(self, "v", v)

    def __getattribute__(self, name):
        if name == "v":
            log.append(name)
            return object.__getattribute__(self, "v") * SCALE
        return super().__getattribute__(name)

    def __setattr__(self, name, value):
        log.append(f"set {name}")
        super().__setattr__(name, value * SCALE)


class Copied:
    def __init__(self, v):
        self.v = v

    def __copy__(self):
        log.append("copy")
        return Copied(self.v * SCALE)

    def __deepcopy__(self, memo):
        log.append("deepcopy")
        return Copied(copy.deepcopy(self.v, memo) * SCALE)


class Told:
    def __init__(self, v):
        self.v = v

    def __repr__(self):
        log.append("repr")
        return f"Told({self.v!r}, {SCALE})"

    def __str__(self):
        log.append("str")
        return f"told {self.v} {SCALE}"

    def __format__(self, spec):
        log.append(spec)
        return f"{self.v}{spec}{SCALE}"


class Shown:
    """Says what it is once, for all kinds of text."""

    def __init__(self, v):
        self.v = v

    def __repr__(self):
        log.append("repr")
        return f"Shown({self.v})"


Pair = collections.namedtuple("Pair", "first second")


class Manager:
    def __enter__(self):
        log.append("enter")
        return SCALE

    def __exit__(self, *error):
        log.append("exit")
        return True


@contextlib.contextmanager
def managed():
    log.append("enter")
    yield SCALE
    log.append("exit")


state = State(1, np.ones(2))


def _augmented(name):
    def change(x):
        v = Vec(x)
        v = getattr(operator, f"i{name}")(v, 2.0)
        return v.v

    return change


def _iadd(x):
    v = Vec(x)
    v += 2.0
    v **= 2.0
    v @= 3.0
    return v.v


def _items_set(x):
    v = Vec(x)
    v[2] = 3.0
    del v[1]
    v[1] += 1.0
    return v.v


def _described(x):
    d = Described()
    d.x = x
    first = d.x
    del d.x
    return first + d.x


def _watched(x):
    w = Watched(x)
    before = w.v
    w.v = x
    return before + w.v


def _with(make):
    def entered(x):
        with make() as scale:
            return x * scale

    return entered


def _stacked(x):
    with contextlib.ExitStack() as stack:
        scale = stack.enter_context(Manager())
        stack.enter_context(managed())
        stack.callback(log.append, "callback")
    return x * scale


def _looped(make):
    def loop(x):
        total = x
        for item in make(x):
            total = total * 2 + item
        return total

    return loop


def _looped_early(x):
    for item in Steps(x):
        if SCALE > 3:
            return item
    return x


def _yields(x):
    def generate():
        yield from Steps(x)

    return sum(generate())


def _unpacked(x):
    first, second, last = Steps(x)
    *some, more = Old()
    (a, b), c = Vec(x), 3.0
    return first + second + last * 2 + a + b + c + sum(some) + more


def _asserted(x):
    assert Vec(x) or SCALE < 3
    return x


CASES = {
    "-v": lambda x: (-Vec(x)).v,
    "+v": lambda x: (+Vec(x)).v,
    "~v": lambda x: (~Vec(x)).v,
    "v + w": lambda x: (Vec(x) + Vec(x * 3)).v,
    "v - w": lambda x: (Vec(x) - Vec(x * 3)).v,
    "v * w": lambda x: (Vec(x) * Vec(x * 3)).v,
    "v / w": lambda x: (Vec(x) / Vec(x * 3)).v,
    "v // w": lambda x: (Vec(x) // Vec(x * 3)).v,
    "v % w": lambda x: (Vec(x) % Vec(x * 3)).v,
    "v ** w": lambda x: (Vec(x) ** Vec(x * 3)).v,
    "v @ w": lambda x: (Vec(x) @ Vec(x * 3)).v,
    "v & w": lambda x: (Vec(x) & Vec(x * 3)).v,
    "v | w": lambda x: (Vec(x) | Vec(x * 3)).v,
    "v ^ w": lambda x: (Vec(x) ^ Vec(x * 3)).v,
    "v << w": lambda x: (Vec(x) << Vec(x * 3)).v,
    "v >> w": lambda x: (Vec(x) >> Vec(x * 3)).v,
    "v < w": lambda x: (Vec(x) < Vec(x * 3)).v,
    "v <= w": lambda x: (Vec(x) <= Vec(x * 3)).v,
    "v > w": lambda x: (Vec(x) > Vec(x * 3)).v,
    "v >= w": lambda x: (Vec(x) >= Vec(x * 3)).v,
    "v == w": lambda x: (Vec(x) == Vec(x * 3)).v,
    "v != w": lambda x: (Vec(x) != Vec(x * 3)).v,
    "2 + v": lambda x: (2.0 + Vec(x)).v,
    "2 // v": lambda x: (2.0 // Vec(x)).v,
    "2 % v": lambda x: (2.0 % Vec(x)).v,
    "2 ** v": lambda x: (2.0**Vec(x)).v,
    "2 & v": lambda x: (2 & Vec(x)).v,
    "2 << v": lambda x: (2 << Vec(x)).v,
    "2 < v": lambda x: (Vec(x) > 2.0).v,
    "x + v": lambda x: (x + Vec(x)).v,
    "x @ v": lambda x: (x @ Vec(x)).v,
    "x < v": lambda x: (x < Vec(x)).v,
    "[1] + v": lambda x: ([1.0][0] + Vec(x)).v,
    **{
        f"operator.i{name}": _augmented(name)
        for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift",
                     "rshift")
    },
    "v += 2": _iadd,
    "operator.add": lambda x: operator.add(Vec(x), 1.0).v,
    "operator.lt": lambda x: operator.lt(Vec(x), 1.0).v,
    "operator.neg": lambda x: operator.neg(Vec(x)).v,
    "a subclass first": lambda x: Base(x) + Derived(x * 3),
    "the same class": lambda x: Derived(x) + Derived(x * 3),
    "NotImplemented": lambda x: Derived(x) - Taken(x * 3),
    "NotImplemented <": lambda x: x if Taken(x) < Taken(x) else -x,
    "total ordering": lambda x: x if Ranked(2) <= Ranked(5) else -x,
    "total ordering >=": lambda x: x if Ranked(2) >= Ranked(5) else -x,
    "not equal": lambda x: x if Ranked(2) != Ranked(5) else -x,
    "abs": lambda x: abs(Vec(x)).v,
    "round": lambda x: round(Vec(x), 2).v,
    "floor": lambda x: math.floor(Vec(x)).v,
    "trunc": lambda x: math.trunc(Vec(x)).v,
    "divmod": lambda x: divmod(Vec(x), 3)[0],
    "pow": lambda x: pow(Vec(x), 3).v,
    "call": lambda x: Vec(x)(3),
    "bool": lambda x: x if Vec(x) else -x,
    "not": lambda x: x if not Vec(x) else -x,
    "and": lambda x: (Vec(x) and Vec(x * 3)).v,
    "bool()": lambda x: x * bool(Vec(x)),
    "any": lambda x: x * any([Vec(x), Vec(x)]),
    "assert": _asserted,
    "len": lambda x: x * len(Vec(x)),
    "float": lambda x: x * float(Vec(x)),
    "int": lambda x: x * int(Vec(x)),
    "complex": lambda x: x * complex(Vec(x)).real,
    "index": lambda x: x * [5.0, 6.0][Vec(x)],
    "hash": lambda x: x * hash(Vec(x)),
    "in": lambda x: x if 3 in Vec(x) else -x,
    "not in": lambda x: x if 3 not in Vec(x) else -x,
    "in steps": lambda x: x if SCALE in Old() else -x,
    "for": _looped(Vec),
    "for, next": _looped(Steps),
    "for, items": _looped(lambda x: Old()),
    "for, left": _looped_early,
    "comprehension": lambda x: sum([item * 2 for item in Steps(x)]),
    "list": lambda x: sum(list(Steps(x))),
    "sum": lambda x: sum([Vec(x), Vec(x), Vec(x)]).v,
    "zip": lambda x: sum(a * b for a, b in zip(Steps(x), Old(), strict=True)),
    "yield from": _yields,
    "unpacking": _unpacked,
    "arguments": lambda x: max(*Old(), 1.0) * x,
    "display": lambda x: sum([*Steps(x), *Old()]),
    "next": lambda x: next(Steps(x)) + next(iter(Steps(x))),
    "reversed": lambda x: next(iter(reversed(Vec(x)))),
    "getitem": lambda x: Vec(x)[3],
    "items set": _items_set,
    "getattr": lambda x: Vec(x).other,
    "with": lambda x: _with(lambda: Vec(x))(x),
    "with a manager": _with(Manager),
    "with a generator": _with(managed),
    "exit stack": _stacked,
    "mapping": lambda x: Table({"a": 1.0}).get("a", 3.0) * x,
    "mapping, missing": lambda x: Table({"a": 1.0}).get("b", 3.0) * x,
    "mapping, items": lambda x: sum(v for _, v in Table({"a": 1.0, "b": 2.0}).items()) * x,
    "mapping, in": lambda x: x if "a" in Table({"a": 1.0}) else -x,
    "sequence": lambda x: sum(Row()) * x + Row().index(2 * SCALE) + len(Row()),
    "sequence, in": lambda x: x if 4.0 in Row() else -x,
    "metaclass call": lambda x: Made(x).v,
    "metaclass len": lambda x: x * len(Made),
    "metaclass item": lambda x: Made[x],
    "metaclass in": lambda x: x if 3 in Made else -x,
    "new": lambda x: New(x).scaled + New(x).v,
    "list subclass": lambda x: Listed(x, x * 2)[1] * Listed(x).scale,
    "dataclass": lambda x: Point(x).total * Point(x).items[1],
    "dataclass, given": lambda x: Point(x, 2.0, items=[4.0], extra=5.0).total + Point(x, 2.0, [4.0]).y,
    "dataclass, frozen": lambda x: Frozen(x).x * Frozen(x).scale,
    "dataclass, slots": lambda x: Slotted(x=x).x + Slotted(x=x).y,
    "dataclass, equal": lambda x: x if State(1, Ranked(2)) == State(1, Ranked(2)) else -x,
    "replace": lambda x: dataclasses.replace(state, w=state.w * x).w * dataclasses.replace(state, w=x).step,
    "asdict": lambda x: dataclasses.asdict(State(1, x))["w"] * 2,
    "astuple": lambda x: dataclasses.astuple(State(1, [x]))[1][0] * 2,
    "descriptor": _described,
    "getattribute": _watched,
    "copy": lambda x: copy.copy(Copied(x)).v,
    "deepcopy": lambda x: copy.deepcopy([Copied(x)])[0].v,
    "copy of a plain one": lambda x: copy.copy(Base(x)).v * copy.copy(state).w,
    "deepcopy of a plain one": lambda x: copy.deepcopy(Base([x, SCALE])).v[0] * SCALE,
    "map": lambda x: list(map(New, [x, x * 2]))[1].scaled,
    "starmap": lambda x: list(itertools.starmap(New, [(x,), (x * 2,)]))[1].scaled,
    "accumulate": lambda x: list(itertools.accumulate([Vec(x), Vec(x)]))[1].v,
    "reduce": lambda x: functools.reduce(operator.mul, [Vec(x), Vec(x)]).v,
    "max by key": lambda x: max([x, x * 2], key=lambda y: [log.append("key"), SCALE][1]),
    "sorted": lambda x: x * sorted([Ranked(3), Ranked(2)])[0].v,
    "max": lambda x: x * max([Ranked(3), Ranked(2)]).v,
    "min": lambda x: x * min(Ranked(3), Ranked(2)).v,
    "sort": lambda x: x * _sorted([Ranked(3), Ranked(2)])[0].v,
    "sorted by key": lambda x: x * sorted([3.0, 2.0], key=Ranked)[0],
}  # fmt: skip


def _sorted(items):
    items.sort()
    return items


def _play(call):
    global SCALE
    SCALE = 2.0
    log.clear()
    state.step, state.w = 1, np.array([1.0, 2.0])
    found = []
    for number in range(4):
        found.append(call(np.array([1.0, 2.0 + number])))
        if number == 1:
            SCALE, state.step, state.w = 5.0, 3, np.array([3.0, 4.0])
    return found, list(log)


TEXTS = {
    "f-string": lambda x: f"{Told(x)} and {Shown(x)}",
    "format": lambda x: f"{Told(x):abc} {Shown(x)!s}",
    "conversions": lambda x: f"{Told(x)!r} {Told(x)!s} {Shown(x)!r}",
    "str": lambda x: str(Told(x)) + str(Shown(x)),
    "repr": lambda x: repr(Told(x)) + repr(Shown(x)),
    "format()": lambda x: format(Told(x), "z"),
    "list": lambda x: f"{[Told(x), (Shown(x),), {'a': Shown(1)}]}",
    "%s": lambda x: "%s %r %%" % (Told(x), Told(x)),  # noqa: UP031
    "%s of one": lambda x: "%s" % Shown(x),  # noqa: UP031
    "str.format": lambda x: "{} {1!r} {0.v} {k:>3}".replace("{}", "{0}").format(Told(x), Shown(x), k=Told(x)),
    "join": lambda x: ", ".join(map(str, [Told(x), Shown(x)])),
    "join of a generator": lambda x: ", ".join(str(one) for one in [Told(x), Shown(x)]),
    "dataclass": lambda x: f"{State(1, x)}",
    "dataclass with one": lambda x: repr(State(1, Told(x))),
    "named tuple": lambda x: str(Pair(x, Told(2.0))),
    "without data": lambda x: f"{Told(1.0)}",
}


@pytest.mark.parametrize("name", TEXTS)
def test_text_of_objects_is_made_at_each_call(name):
    assert _play(hybridize(TEXTS[name])) == _play(TEXTS[name])


def test_objects_are_printed_at_each_call(capsys):
    def show(x):
        print(Told(x), [Shown(x)], State(1, x))

    expected = _play(show), capsys.readouterr()
    assert (_play(hybridize(show)), capsys.readouterr()) == expected


@pytest.mark.parametrize("name", CASES)
def test_a_special_method_does_at_each_call_what_python_does(name):
    expected, done = _play(CASES[name])
    found, did = _play(hybridize(CASES[name]))
    for got, want in zip(found, expected, strict=True):
        numpy.testing.assert_allclose(numpy.asarray(got), numpy.asarray(want), rtol=1e-5)
        assert type(got) is type(want)
    assert did == done
    assert name in _SILENT or done or expected[0].asnumpy().tolist() != expected[3].asnumpy().tolist()


_SILENT = frozenset({"astuple", "asdict"})


class Kept:
    """Its methods read a global, and do nothing."""

    def __init__(self, v):
        self.v = v

    def __lt__(self, other):
        return self.v < other.v * SCALE

    def __eq__(self, other):
        return self.v * SCALE == other.v

    def __hash__(self):
        return 1

    def __repr__(self):
        return f"Kept({self.v})"


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * bisect.bisect([Kept(1), Kept(2)], Kept(3)),
        lambda x: x * heapq.nsmallest(1, [Kept(4), Kept(3)])[0].v,
        lambda x: x * len(set([Kept(1), Kept(5), Kept(25)])),  # noqa: C405
    ],
    ids=["bisect", "heapq", "set"],
)
def test_methods_that_python_s_library_calls_as_they_are_are_guarded(function):
    assert [x.tolist() for x in _play(hybridize(function))[0]] == [x.tolist() for x in _play(function)[0]]


@pytest.mark.parametrize(
    ("function", "code"),
    [
        (lambda x: x * bisect.bisect([Ranked(1), Ranked(2)], Ranked(3)), "E431"),
        (lambda x: x * heapq.nsmallest(1, [Ranked(4), Ranked(3)])[0].v, "E431"),
        (lambda x: pprint.pprint(Told(x)), "E424"),
        (lambda x: pprint.pprint([x]), "E424"),
    ],
    ids=["bisect", "heapq", "pprint", "pprint of an array"],
)
def test_methods_that_cannot_be_followed_are_refused_at_the_line(function, code):
    log.clear()
    with refusal(CaptureError, code) as refused:
        hybridize(function)(np.array([1.0, 2.0]))
    assert refused.value.loc is not None and refused.value.loc.function == "<lambda>"
    assert not log


def _attributes(value):
    parts = value if isinstance(value, (list, tuple)) else vars(value).values()
    for part in parts:
        if hasattr(part, "__dict__") or isinstance(part, (list, tuple)):
            yield from _attributes(part)
        else:
            yield part


@pytest.mark.parametrize(
    "function",
    [
        lambda x: Vec(x) + Vec(x),
        lambda x: sum([Vec(x)], Vec(x * 2)),
        lambda x: list(map(New, [x])),
        lambda x: list(itertools.starmap(New, [(x,)])),
        lambda x: copy.copy(Base(x)),
        lambda x: copy.deepcopy(Base([x, 1.0])),
        lambda x: dataclasses.replace(state, w=x * 2),
        lambda x: Point(x),
        lambda x: Frozen(x),
        lambda x: Made(x),
        lambda x: (New(x), [Vec(x)]),
    ],
    ids=["+", "sum", "map", "starmap", "copy", "deepcopy", "replace", "dataclass", "frozen", "metaclass", "nested"],
)
def test_objects_that_are_returned_hold_arrays(function):
    compiled = hybridize(function)
    for _ in range(3):
        expected, found = function(np.array([1.0, 2.0])), compiled(np.array([1.0, 2.0]))
        assert type(found) is type(expected)
        parts = list(_attributes(found))
        assert not any(isinstance(part, Symbol) for part in parts)
        for got, want in zip(parts, _attributes(expected), strict=True):
            numpy.testing.assert_allclose(numpy.asarray(got), numpy.asarray(want))


class Speaking:
    """An object whose operators no program can follow, should anything call them."""

    def __init__(self, value):
        self.value = value

    def __add__(self, other):
        return Speaking(self.value + (other.value if isinstance(other, Speaking) else other))

    def __eq__(self, other):
        return isinstance(other, Speaking) and self.value is other.value

    def __hash__(self):
        return 7


@pytest.mark.parametrize(
    "use",
    [
        lambda a, b: [one.value for one in reversed([a, b])],
        lambda a, b: functools.partial(lambda one: one.value, a)(),
        lambda a, b: types.SimpleNamespace(one=a).one.value,
        lambda a, b: [one.value for one in dict(a=a, b=b).values()],  # noqa: C408
        lambda a, b: [one.value for one in dict([("a", a), ("b", b)]).values()],  # noqa: C406
        lambda a, b: {**dict(a=a), "b": b}["a"].value,  # noqa: C408
        lambda a, b: collections.OrderedDict(a=a)["a"].value,
        lambda a, b: collections.defaultdict(list, a=[a, b])["a"][1].value,
        lambda a, b: [one.value for one, _ in zip([a, b], itertools.repeat(a), strict=False)],
    ],
)
def test_functions_that_call_nothing_of_objects_they_hold_are_called(use):
    def function(x):
        return use(Speaking(x), Speaking(x + 1))

    assert repr(hybridize(function)(np.ones(1))) == repr(function(np.ones(1)))


# ------------------------------------------------------------------------------- classes that give attributes by code


SETTERS = {
    "nothing": lambda kind: None,
    "a property without setter": lambda kind: setattr(kind, "p", property(lambda self: 7.0)),
    "another setter": lambda kind: setattr(
        kind, "p", property(lambda self: self.v, lambda self, value: setattr(self, "v", value * 3))
    ),
    "no property": lambda kind: delattr(kind, "p") if "p" in vars(kind) else None,
    "a value": lambda kind: setattr(kind, "p", 5.0),
    "a descriptor": lambda kind: setattr(kind, "p", Tripled()),
    "another method of the descriptor": lambda kind: setattr(
        Passing, "__set__", lambda self, o, value: o.hear(value * 5)
    ),
    "__setattr__": lambda kind: setattr(
        kind, "__setattr__", lambda self, name, value: object.__setattr__(self, name, value * 2)
    ),
    "a property where there was none": lambda kind: setattr(
        kind, "w", property(lambda self: vars(self)["w"] * 10, lambda self, value: vars(self).update(w=value + 1))
    ),
}


class Tripled:
    def __get__(self, owner, kind=None):
        return owner.v * 3

    def __set__(self, owner, value):
        owner.v = value * 3


class Passing:
    def __get__(self, owner, kind=None):
        return owner.v

    def __set__(self, owner, value):
        owner.v = value


@pytest.mark.parametrize("change", SETTERS)
@pytest.mark.parametrize("member", ["property", "descriptor", "__setattr__"])
@pytest.mark.parametrize("reads", [False, True])
def test_attributes_are_set_as_the_class_sets_them_now(change, member, reads, monkeypatch):
    def told(verb):
        monkeypatch.setattr(Passing, "__set__", Passing.__set__)

        class Held:
            v = w = 1.0

            def hear(self, value):
                self.v = value

            if member == "property":

                @property
                def p(self):
                    return self.v

                @p.setter
                def p(self, value):
                    self.v = value

            elif member == "descriptor":
                p = Passing()
            else:

                def __setattr__(self, name, value):
                    object.__setattr__(self, name, value + 1)

        held = Held()

        def f(x):
            if reads:
                x = x * held.v
            held.w = x * 2
            held.p = x
            return held.w + held.v

        program, results = verb(f), []

        def call():
            try:
                results.append(repr(program(np.ones(2))))
            except Exception as error:
                results.append(repr(error))
            results.append(repr(sorted(vars(held).items())))

        call()
        call()
        SETTERS[change](Held)
        call()
        call()
        monkeypatch.undo()
        return results

    assert told(hybridize) == told(lambda f: f)
