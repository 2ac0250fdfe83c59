"""Guards: when values are the same, what containers hold, and the functions made of them."""

import math
from collections import OrderedDict, defaultdict, deque
from types import CellType, SimpleNamespace

import numpy
import pytest

from hybridize.contract.guards import (
    AttributeGuard,
    CellGuard,
    GlobalGuard,
    ItemGuard,
    WholeGuard,
    checker,
    frozen,
    same,
    unchanged,
    watches,
)
from hybridize.runtime.entry import Look


@pytest.mark.parametrize(
    ("x", "y", "equal"),
    [
        (1, 1, True), (1, 1.0, False), (1, True, False), (0.0, -0.0, False), (math.nan, math.nan, True), (1.5, 1.5, True),
        ("a" * 50, "a" * 50, True), ((1, (2, "x")), (1, (2, "x")), True), ((1, 2), (1, 2.0), False), ((1,), (1, 1), False),
        (None, None, True), ([1], [1], False), (int, int, True), (10**30, 10**30, True), (slice(1, 2), slice(1, 2), True),
        (numpy.float32(1), numpy.float32(1), True), (numpy.float32(1), numpy.float64(1), False), (b"a", b"a", True),
    ],
)  # fmt: skip
def test_same(x, y, equal):
    assert same(x, y) is equal


@pytest.mark.parametrize(
    ("make", "change"),
    [
        (lambda: [1, [2, {"a": 3}]], lambda c: c[1][1].update(a=4)),
        (lambda: {"a": 1, "b": 2}, lambda c: c.update(c=1)),
        (lambda: {"a": 1, "b": 2}, lambda c: c.update(a=c.pop("a"))),  # order
        (lambda: {1, 2}, lambda c: c.add(3)),
        (lambda: deque([1, 2]), lambda c: c.rotate()),
        (lambda: OrderedDict(a=1), lambda c: c.clear()),
        (lambda: defaultdict(list, a=[1]), lambda c: c["b"]),
        (lambda: [numpy.zeros(3)], lambda c: c[0].fill(1)),
        (lambda: ([], 1), lambda c: c[0].append(1)),
    ],
)
def test_containers(make, change):
    container = make()
    then = frozen(container)
    assert unchanged(container, then)
    change(container)
    assert not unchanged(container, then)


def test_a_container_in_itself():
    loop = [1]
    loop.append(loop)
    then = frozen(loop)
    assert unchanged(loop, then)
    loop[0] = 2
    assert not unchanged(loop, then)


def guards_and_changes():
    names, space, items, cell, whole = {"a": 1.0}, SimpleNamespace(b="x"), {"k": 2}, CellType(print), [1, 2]
    return [
        (GlobalGuard(names, "a", 1.0, None), lambda: names.update(a=2.0), lambda: names.pop("a")),
        (AttributeGuard(space, "b", "x", None), lambda: setattr(space, "b", "y"), lambda: delattr(space, "b")),
        (ItemGuard(items, "k", 2, None), lambda: items.update(k=3), lambda: items.pop("k")),
        (ItemGuard(whole, 1, 2, None), lambda: whole.__setitem__(1, 5), lambda: whole.clear()),
        (
            CellGuard(cell, "c", print, None),
            lambda: setattr(cell, "cell_contents", len),
            lambda: delattr(cell, "cell_contents"),
        ),
    ]


@pytest.mark.parametrize("number", range(5))
def test_each_guard(number):
    for step in (1, 2):
        row = guards_and_changes()[number]
        guard = row[0]
        holds = checker([guard])
        assert guard.holds()
        assert holds()
        row[step]()
        assert not guard.holds()
        assert not holds()
        assert guard.what() in guard.change()


def test_no_guards_no_check():
    assert checker([]) is None
    assert watches([]) == []


def test_the_entry_looks_at_objects_itself():
    names, cell, whole = {"f": print, "n": 3.5}, CellType(len), [1]
    guards = [
        GlobalGuard(names, "f", print, None), GlobalGuard(names, "n", 3.5, None), CellGuard(cell, "c", len, None),
        WholeGuard(whole, "whole", None),
    ]  # fmt: skip
    found = watches(guards)
    assert [watch.look for watch in found] == [Look.ITEM, Look.CELL, Look.CALL]
    assert found[-1].owner() is True
    names["n"] = 4.5
    assert found[-1].owner() is False
    names["n"] = 7.0 / 2
    assert found[-1].owner() is True, "equal numbers, though another object"
    whole.append(2)
    assert found[-1].owner() is False
    assert guards[-1].change() == "the content of whole has changed; it is [1, 2]"
