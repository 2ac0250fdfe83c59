# ruff: noqa: RUF005, C416, B905
"""What Python refuses, by the class of a value: the same error, imperatively and compiled, that names no symbol."""

import itertools

import pytest

from hybridize.array import np
from hybridize.base.errors import ArgumentError, CaptureError
from hybridize.capture import Function

V, M, S = [1.0, 2.0, 3.0], [[1.0, 2.0], [3.0, 4.0]], 2.0

OF_ARRAYS = {
    "+ None": lambda v: v + None,
    "str +": lambda v: "a" + v,
    "tuple +": lambda v: (1, 2) + v,
    "< None": lambda v: v < None,
    "@ None": lambda v: v @ None,
    "** None": lambda v: v**None,
    "& a float": lambda v: v & 1.5,
    "call": lambda v: v(),
    "attribute": lambda v: v.nothing,
    "float": lambda v: float(v),
    "int": lambda v: int(v),
    "truth": lambda v: 1 if v else 2,
    "range": lambda v: range(v),
    "an index of a list": lambda v: [1, 2, 3][v],
    "sorted": lambda v: sorted([v, v + 1]),
    "unpacked": lambda v: [a for a, b in v],
    "element + None": lambda v: v[0] + None,
    "length of an element": lambda v: len(v[0]),
    "loop over an element": lambda v: [w for w in v[0]],
    "index of an element": lambda v: v[0][0],
    "written None": lambda v: v.__setitem__(0, None),
    "written text": lambda v: v.__setitem__(0, "a"),
    "exp": lambda v: np.exp("a"),
    "axis": lambda v: v.sum(axis=3),
    "keyword": lambda v: v.sum(nothing=3),
    "shape": lambda v: v.reshape(2),
    "joined": lambda v: ",".join(v),
    "percentile of nothing": lambda v: np.percentile(v[:0], 30),
    "max of nothing": lambda v: v[:0].max(),
    "item": lambda v: v.item(),
}
OF_NUMBERS = {
    "+ None": lambda k: k + None,
    "None +": lambda k: None + k,
    "+ str": lambda k: k + "a",
    "str +": lambda k: "a" + k,
    "+ list": lambda k: k + [1],
    "list +": lambda k: [1] + k,
    "- dict": lambda k: k - {},
    "< None": lambda k: k < None,
    "< str": lambda k: k < "a",
    ">= list": lambda k: k >= [1],
    "[]": lambda k: k[0],
    "[:]": lambda k: k[:],
    "length": lambda k: len(k),
    "loop": lambda k: [w for w in k],
    "call": lambda k: k(),
    "in": lambda k: 1 in k,
    "attribute": lambda k: k.nothing,
    "unpacked": lambda k: (lambda a, b: a)(*k),
    "zip": lambda k: list(zip(k, [1])),
}
OF_FLOATS = {
    "&": lambda k: k & 1,
    "| a float": lambda k: 1 | k,
    "<<": lambda k: k << 2,
    "range": lambda k: range(k),
    "times text": lambda k: "a" * k,
}


def errors(function, make):
    """The classes and texts of the errors that a function gives imperatively and compiled."""
    for call in (function, Function(function), Function(function, backend="numpy")):
        with pytest.raises(Exception) as caught:
            call(make())
        yield type(caught.value), getattr(caught.value, "code", str(caught.value))


@pytest.mark.parametrize("name", OF_ARRAYS)
def test_of_arrays(name):
    found = list(errors(OF_ARRAYS[name], lambda: np.array(V)))
    assert len(set(found)) == 1, found


@pytest.mark.parametrize("name", OF_NUMBERS)
@pytest.mark.parametrize("make", [lambda: 2, lambda: 2.0], ids=["int", "float"])
def test_of_numbers(name, make):
    found = list(errors(OF_NUMBERS[name], make))
    assert len({kind for kind, _ in found}) == 1, found
    assert all("ndarray" not in text and "Symbol" not in text for _, text in found)
    if name != "unpacked":
        assert len(set(found)) == 1, found


@pytest.mark.parametrize("name", {**OF_NUMBERS, **OF_FLOATS})
def test_of_numbers_out_of_arrays(name):
    function = {**OF_NUMBERS, **OF_FLOATS}[name]
    found = list(errors(lambda v: function(float(v[1])), lambda: np.array(V)))
    assert len({kind for kind, _ in found}) == 1, found
    assert all("ndarray" not in text and "Symbol" not in text for _, text in found)


class WithReflected:
    def __radd__(self, other):
        return "mine"

    def __gt__(self, other):
        return "greater"


def test_methods_of_the_other_class_are_asked_first():
    other = WithReflected()
    for call in (lambda k: k + other, lambda k: k < other, lambda k: float(k) + other):
        assert Function(call)(2.0) == call(2.0)
    assert Function(lambda v: float(v[0]) + other)(np.array(V)) == "mine"


def test_no_number_is_a_list(same):
    same(lambda: lambda v, k: (k == [2.0], k != (2.0,), k == {}, float(v[0]) == [1.0], k == "a"), (V, 2.0), (V, 1))


def returns_a_list_that_holds_itself(x):
    parts = [x]
    parts.append(parts)
    return parts


def keeps_a_dict_that_holds_itself(x):
    parts = {"x": x}
    parts["self"] = parts
    KEPT.append(parts)
    return x


def changes_it_in_a_branch(x):
    parts = [x]
    parts.append(parts)
    if x[0] > 0:
        parts.append(1)
    return x


KEPT: list = []


@pytest.mark.parametrize(
    "function", [returns_a_list_that_holds_itself, keeps_a_dict_that_holds_itself, changes_it_in_a_branch]
)
def test_what_holds_itself_is_refused(function):
    with pytest.raises(CaptureError, match="E432") as caught:
        Function(function)(np.array(V))
    assert caught.value.loc is not None
    assert caught.value.loc.file == __file__
    assert KEPT == []


def test_an_argument_that_holds_itself_is_refused():
    parts: list = [2.0]
    parts.append(parts)
    table: dict = {}
    table["self"] = table
    for given in (parts, table, (1, [table])):
        with pytest.raises(ArgumentError, match="E311") as caught:
            Function(lambda parts, x: x * 2)(given, np.array(V))
        assert caught.value.loc is not None
        assert caught.value.loc.file == __file__


def test_a_list_inside_that_holds_itself_is_read(same):
    def function(x):
        parts = [x]
        parts.append(parts)
        return parts[1][1][0] * 2

    same(lambda: function, V)


def grows(x, n):
    if x[0] > n:
        return grows(x, n + 1)
    return x


def test_a_function_that_calls_itself_without_end_is_told_as_such():
    with pytest.raises(CaptureError, match="E447") as caught:
        Function(grows)(np.array(V), 1)
    assert caught.value.loc is not None
    assert caught.value.loc.file == __file__


def numbers():
    number = 0
    while True:
        yield number
        number += 1


ENDLESS = {
    "count": itertools.count,
    "cycle": lambda: itertools.cycle([1, 2]),
    "repeat": lambda: itertools.repeat(3),
    "zip": lambda: zip(itertools.count(), itertools.count(1)),
    "enumerate": lambda: enumerate(itertools.repeat(2)),
    "iter": lambda: iter(int, 1),
    "generator": numbers,
    "list": lambda: [1.0] * 5000,
}


@pytest.mark.parametrize("name", ENDLESS)
def test_a_loop_over_what_does_not_end_that_data_ends(name, refused):
    """It is not said to be a function that calls itself."""
    items = ENDLESS[name]

    def function(x):
        for item in items():
            x = x * 0.5
            if x.sum() < 1e-4:  # here
                return x, item
        return x, 0

    error = refused(function, np.array(V), code="E445", match="a loop whose end depends on data")
    assert "while True" in error.help
