# SPDX-License-Identifier: Apache-2.0
"""What capturing writes is undone: by a refusal all of it, exactly, and by a loop that is recorded again its round."""

from __future__ import annotations

import collections
import operator
import types
from typing import Any

import pytest

from hybridize import hybridize, np, npx
from hybridize.errors import CaptureError

X = np.array([1.0, 2.0])
OUTER: Any = "before"


class Owner:
    """What holds all that is written."""

    shared: Any = None

    def __init__(self) -> None:
        array = np.ones(3)
        self.first, self.last = 1, 2
        self.list = [array, 1, 2]
        self.dict = {1: array, "b": 2, "c": 3}
        self.ordered = collections.OrderedDict(a=1, b=array, c=3)
        self.default = collections.defaultdict(list, a=[array], b=[])
        self.set = {1, 2, 3}
        self.deque = collections.deque([array, 1, 2], maxlen=3)
        self.nested = {"inner": [array, {"k": array}]}
        Owner.shared = {"a": array}
        self.variable, self.set_variable = _variable(array)


def _variable(value: Any) -> tuple[Any, Any]:
    def get() -> Any:
        return value

    def put(new: Any) -> None:
        nonlocal value
        value = new

    return get, put


class Derived(Owner):
    """A class that finds a container in another one."""


def _delete(o: Any, x: Any) -> None:
    del o.first
    o.first = x


def _sets_a_global(o: Any, x: Any) -> None:
    global OUTER
    OUTER = x


def _all_keys(o: Any, x: Any) -> None:
    for key in list(o.dict):
        o.dict[key] = x


WRITES: dict[str, Any] = {
    "list.append": lambda o, x: o.list.append(x),
    "list.pop": lambda o, x: o.list.pop(),
    "list.insert": lambda o, x: list.insert(o.list, 0, x),
    "list slice": lambda o, x: operator.setitem(o.list, slice(0, 1), [x, x]),
    "list +=": lambda o, x: operator.iadd(o.list, [x]),
    "list.reverse": lambda o, x: o.list.reverse(),
    "list item": lambda o, x: operator.setitem(o.list, 0, x),
    "dict item": lambda o, x: operator.setitem(o.dict, "b", x),
    "dict new item": lambda o, x: operator.setitem(o.dict, 7, x),
    "dict |=": lambda o, x: operator.ior(o.dict, {"b": x, "n": x}),
    "dict.pop": lambda o, x: o.dict.pop(1, None),
    "dict.setdefault": lambda o, x: o.dict.setdefault("n", x),
    "dict.clear": lambda o, x: o.dict.clear(),
    "all keys of a dict": _all_keys,
    "OrderedDict.move_to_end": lambda o, x: o.ordered.move_to_end("a"),
    "OrderedDict.popitem": lambda o, x: o.ordered.update(d=o.ordered.pop("a", x)),
    "defaultdict item": lambda o, x: operator.setitem(o.default, "a", [x]),
    "defaultdict of lists": lambda o, x: o.default["a"].append(x),
    "set.add": lambda o, x: o.set.add(9),
    "set.discard": lambda o, x: o.set.discard(2),
    "set ^=": lambda o, x: operator.ixor(o.set, {1, 8}),
    "deque.append": lambda o, x: o.deque.append(x),
    "deque.rotate": lambda o, x: o.deque.rotate(1),
    "nested": lambda o, x: (o.nested["inner"][1].update(k=x), o.nested["inner"].append(x)),
    "of a class": lambda o, x: operator.ior(Derived.shared, {"b": x}),
    "attribute": lambda o, x: setattr(o, "first", x),
    "new attribute": lambda o, x: setattr(o, "fresh", x),
    "deleted attribute": _delete,
    "attributes as a dict": lambda o, x: (setattr(o, "first", x), operator.setitem(vars(o), "last", x)),
    "dict of attributes": lambda o, x: (operator.setitem(vars(o), "last", x), setattr(o, "first", x)),
    "attribute of a class": lambda o, x: setattr(Derived, "own", x),
    "variable of a function": lambda o, x: o.set_variable(x),
    "global": _sets_a_global,
}


def breaks(o: Any, x: Any, write: Any) -> Any:
    for i in range(3):
        write(o, x)
        if x.sum() > i:
            break
    return x


def continues(o: Any, x: Any, write: Any) -> Any:
    for _ in range(3):
        write(o, x)
        if x.sum() > 1:
            continue
        x = x + 1
        if x.sum() > 5:
            break
    return x


def breaks_out_of_rows(o: Any, x: Any, write: Any) -> Any:
    for row in x:
        write(o, row)
        if row > 0:
            break
    return x


def returns_out_of_two_loops(o: Any, x: Any, write: Any) -> Any:
    for i in range(2):
        write(o, x)
        for k in range(2):
            write(o, x)
            if x.sum() > i + k:
                return x
    return -x


def loops_while(o: Any, x: Any, write: Any) -> Any:
    n = 0
    while n < 3:
        n += 1
        write(o, x)
        if x.sum() > n:
            break
    return x


def writes_before_and_in_the_loop(o: Any, x: Any, write: Any) -> Any:
    write(o, x)
    return breaks(o, x, write)


def writes_in_a_branch(o: Any, x: Any, write: Any) -> Any:
    write(o, x)
    if x.sum() > 0:
        write(o, x)
    return x


def writes_in_a_function(o: Any, x: Any, write: Any) -> Any:
    def act() -> None:
        write(o, x)

    for i in range(2):
        act()
        if x.sum() > i:
            break
    return x


def writes_in_cond(o: Any, x: Any, write: Any) -> Any:
    write(o, x)
    return npx.cond(x.sum() > 0, lambda: (write(o, x), x)[1], lambda: -x)


def writes_and_asks_for_a_value(o: Any, x: Any, write: Any) -> Any:
    for i in range(1):  # recorded twice
        write(o, x)
        if x.sum() > i:
            break
    write(o, x)
    return x.asnumpy()


REFUSED = [
    breaks, continues, breaks_out_of_rows, returns_out_of_two_loops, loops_while, writes_before_and_in_the_loop,
    writes_in_a_branch, writes_in_a_function, writes_in_cond, writes_and_asks_for_a_value,
]  # fmt: skip


def described(value: Any) -> Any:
    """All that an object holds, in order, by identity."""
    if isinstance(value, dict):
        return type(value), id(value), [(key, described(part)) for key, part in value.items()]
    if isinstance(value, (list, collections.deque)):
        return type(value), id(value), list(map(described, value))
    if isinstance(value, set):
        return type(value), id(value), sorted(value)
    if isinstance(value, Owner):
        shared = [described(dict(vars(kind))) for kind in (Owner, Derived)]
        return described(vars(value)), [part[2] for part in shared], id(value.variable()), id(OUTER)
    return id(value), str(value) if isinstance(value, np.ndarray) else None


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("body", REFUSED, ids=lambda body: body.__name__)
def test_a_refused_capture_leaves_all_as_it_was(body, name):
    owner, write = Derived(), WRITES[name]
    before = described(owner)
    with pytest.raises(CaptureError):
        hybridize(lambda x: body(owner, x, write), backend="numpy")(X)
    assert described(owner) == before


@pytest.mark.parametrize("name", WRITES)
def test_a_round_that_is_recorded_again_is_written_once(name):
    """A loop of one round, which data may end early, becomes one of the graph in vain, and is recorded anew."""

    def body(o: Any, x: Any) -> Any:
        for i in range(1):
            WRITES[name](o, x)
            if x.sum() > i:
                break
        return x

    def content(o: Any) -> str:
        held = {key: part for key, part in vars(o).items() if not isinstance(part, types.FunctionType)}
        return str([held, Owner.shared, getattr(Derived, "own", None), o.variable(), OUTER])

    found = []
    for compiled in (False, True):
        owner = Derived()
        step = hybridize(lambda x: body(owner, x), backend="numpy") if compiled else lambda x: body(owner, x)  # noqa: B023
        try:
            found.append([(step(X), content(owner))[1] for _ in range(2)])
        finally:
            globals()["OUTER"] = "before"
            if "own" in vars(Derived):
                del Derived.own  # type: ignore[attr-defined]
    assert found[1] == found[0]
