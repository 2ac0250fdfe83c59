"""Builtins over elements, comprehensions with conditions on data, `and` and `or` of values: as imperatively."""

import bisect
import functools
import heapq

import pytest

from hybridize import autograd
from hybridize.array import np
from hybridize.base.errors import AssertionFailed
from hybridize.capture import Function

VALUES = ([1.0, 3.0], [-1.0, -2.0], [0.5, -0.25], [2.0, 0.0], [0.0, 2.0], [3.0, 3.0])
MANY = [0.5, -1.0, 7.0, 2.0, 7.0, -3.0] * 4
NAN = float("nan")


def sum_of_selected(x):
    return sum(v * 2 for v in x if v > 0) + x[0] * 0


def sum_of_a_list(x):
    return sum([v for v in x if v > 0 if v < 2.5], x[0] * 0)


def nested(x):
    return sum(v * w for v in x for w in x if v > w) + x[0] * 0


def python_and_data(x):
    return sum(x[i] for i in range(2) if i != 5 if x[i] > 0) + x[0] * 0


def count(x):
    return sum(1 for v in x if v > 0), len([v for v in x if v > 0]), [v > 0 for v in x if v > 0].count(True)


def selected_is_empty(x):
    positive = [v for v in x if v > 0]
    return 1 if positive else 2


def in_a_selection(x):
    return x[1] in [v for v in x if v > 0], 3.0 in tuple(v for v in x if v > 1)


def best_of_selected(x):
    return max((v for v in x if v > 0), default=x[0] * 0 - 1), min([v for v in x if v < 0], default=x[1] * 0)


def best_of_perhaps_nothing(x):
    return max(v for v in x if v > 1)


FUNCTIONS = [
    sum_of_selected, sum_of_a_list, nested, python_and_data, count, selected_is_empty, in_a_selection, best_of_selected,
    best_of_perhaps_nothing,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_comprehensions_with_conditions_on_data(same, function):
    same(lambda: function, *VALUES)


EXPRESSIONS = {
    "max of an array": lambda x: max(x),
    "min of an array": lambda x: min(x),
    "max of a list": lambda x: max([x[0], x[1], x[0] * 2]),
    "max by a key": lambda x: max([x[0], x[1]], key=lambda v: -v),
    "argmax by a key": lambda x: max(range(2), key=lambda i: x[i]),
    "max with a number": lambda x: max(x[0], 1.5) + x[0] * 0,
    "any of a generator": lambda x: any(v > 1 for v in x),
    "any of a list": lambda x: any([False, x[0] > 0, x[1] > 5]),
    "any of an array": lambda x: any(x),
    "any of Python": lambda x: any([x[0] > 100, True]),
    "any of selected": lambda x: any(v > 1 for v in x if v < 2.5),
    "all of a generator": lambda x: all(v > 0 for v in x),
    "all of an array": lambda x: all(x),
    "all of Python": lambda x: all([x[0] > 0, False]),
    "all of selected": lambda x: all(v > 1 for v in x if v > 0),
    "not any": lambda x: 1 if not any(v > 1 for v in x) else 2,
    "sum": lambda x: sum(x),
    "sorted": lambda x: sorted(x),
    "sorted in reverse": lambda x: sorted([x[1], x[0], x[1] * 2], reverse=True),
    "in a tuple": lambda x: x[0] in (0.0, 2.0),
    "not in a list": lambda x: 1 if x[0] not in [0.5, x[1]] else 2,
    "a number in a list of elements": lambda x: 3.0 in [x[0], x[1]],
    "in what is none of its kind": lambda x: x[0] in ("text", None, 2.0),
    "and of two types": lambda x: 1 if x[0] > 0 and x[1] else 2,
    "and of three types": lambda x: 1 if x[0] > 0 and x[1] and (x > 2).sum() else 2,
    "or of two types": lambda x: 1 if x[0] > 0 or x[1] or (x > 2).sum() else 2,
    "not of two types": lambda x: not (x[0] > 0 and x[1]),
    "bool of two types": lambda x: bool(x[0] > 0 and x[1]),
    "c and a or b": lambda x: (x[0] > 0 and x[1]) or x[0] * 10,
    "c and d and a or b": lambda x: (x[0] > 0 and x[1] > 0 and x[0] + 1) or x[1],
    "c or a and b": lambda x: 1 if (x[0] > 1 or x[1]) and x[0] else 2,
    "(c or a) and b": lambda x: (not x[0] > 0 or x[1]) and x[0] * 3,
    "and of arrays": lambda x: x[0] and x[1],
    "or of arrays": lambda x: x[0] or x[1],
    "chosen by two types": lambda x: x * 2 if x[0] > 0 and x[1] else x,
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expressions(same, name):
    same(lambda: EXPRESSIONS[name], *VALUES)


@pytest.mark.parametrize("name", ["max of an array", "min of an array", "any of an array", "all of an array"])
@pytest.mark.parametrize("values", [MANY, [NAN, *MANY], [*MANY, NAN, 9.0], [NAN] * 20])
def test_of_many_elements(same, name, values):
    same(lambda: EXPRESSIONS[name], values)


def loss(name):
    return lambda x: EXPRESSIONS[name](x) * 3


@pytest.mark.parametrize("values", [[1.0, 3.0], [-1.0, 2.0], [5.0, -2.0]])
@pytest.mark.parametrize("name", ["max of an array", "min of an array", "c and a or b", "sum", "max by a key"])
def test_gradients(name, values):
    found = []
    for function in (loss(name), Function(loss(name))):
        x = np.array(values)
        x.attach_grad()
        with autograd.record():
            y = function(x)
        y.backward()
        found.append(x.grad.asnumpy().tolist())
    assert found[0] == found[1]


@pytest.mark.parametrize("values", [[1.0, 3.0], [-1.0, 2.0], [5.0, -2.0]])
def test_gradients_through_what_is_selected(values):
    def squares(x):
        return sum(np.log(v) * v for v in x if v > 0)

    found = []
    for function in (squares, Function(squares)):
        x = np.array(values)
        x.attach_grad()
        with autograd.record():
            y = function(x)
        y.backward()
        found.append(x.grad.asnumpy().tolist())
    assert found[0] == pytest.approx(found[1])


SORTED = {
    "numbers": lambda x: sorted(x.tolist()),
    "numbers in reverse": lambda x: sorted(x.tolist(), reverse=True),
    "numbers of one array each": lambda x: sorted([float(x[1]) * 0.1, float(x[0]) * 0.1]),
    "integers": lambda x: sorted(x.astype("int64").tolist()),
    "bools": lambda x: sorted([bool(v > 0) for v in x]),
    "elements": lambda x: sorted(x, reverse=True),
}


@pytest.mark.parametrize("name", SORTED)
def test_sorted_elements_have_the_class_and_order_of_pythons(same, name):
    same(lambda: SORTED[name], *VALUES, [0.0, -0.0], [-0.0, 0.0])


@pytest.mark.parametrize("backend", ["numpy", "llvm"])
def test_zeros_keep_their_order_when_sorted(backend):
    function = lambda x: sorted(x.tolist(), reverse=True)  # noqa: E731
    found = Function(function, backend=backend)(np.array([0.0, -0.0, 1.0]))
    assert repr(found) == repr(function(np.array([0.0, -0.0, 1.0]))) == "[1.0, 0.0, -0.0]"


@pytest.mark.parametrize("backend", ["numpy", "llvm"])
@pytest.mark.parametrize("function", [sorted, lambda x: sorted(x.tolist()), lambda x: sorted(x, reverse=True)])
def test_an_order_with_a_nan_in_it_is_refused(backend, function):
    compiled = Function(lambda x: function(x), backend=backend)
    assert [float(v) for v in compiled(np.array([1.0, 0.5]))] == [float(v) for v in function(np.array([1.0, 0.5]))]
    with pytest.raises(AssertionFailed, match=r"E520: sorted\(\)"):
        compiled(np.array([1.0, NAN]))


DIRECTION = 1


class Compares:
    sign = 1

    def __call__(self, x, y):
        return self.sign * (x - y)


COMPARES = Compares()
BY_FUNCTION = functools.cmp_to_key(lambda x, y: DIRECTION * (x - y))
BY_OBJECT = functools.cmp_to_key(COMPARES)


def in_place(key):
    numbers = [2, 3, 1]
    numbers.sort(key=key)
    return numbers


BY_COMPARISON = {
    "sorted": lambda key: sorted([2, 3, 1], key=key),
    "sorted in reverse": lambda key: sorted([2, 3, 1], key=key, reverse=True),
    "in place": in_place,
    "max and min": lambda key: (max([2, 3, 1], key=key), min(2, 3, 1, key=key)),
    "none and one": lambda key: (sorted([], key=key), sorted([4], key=key)),
    "heapq": lambda key: heapq.nlargest(2, [2, 3, 1], key=key),
    "bisect": lambda key: bisect.bisect(sorted([2, 3, 1], key=key), key(2), key=key),
    "keys themselves": lambda key: (key(1) < key(2), key(2) == key(2), key(3).obj, key(obj=4).obj),
    "inside of a key": lambda key: sorted([2, 3, 1], key=lambda number: key(-number)),
    "made here": lambda key: sorted([2, 3, 1], key=functools.cmp_to_key(lambda x, y: DIRECTION * (y - x))),
}


@pytest.mark.parametrize("name", BY_COMPARISON)
@pytest.mark.parametrize("key", [BY_FUNCTION, BY_OBJECT])
def test_keys_made_of_a_comparison(name, key, monkeypatch):
    """What the comparison reads is guarded, though `cmp_to_key` shows it to nobody."""
    order = BY_COMPARISON[name]
    compiled = Function(lambda x: (order(key), x + 1), backend="numpy")
    for sign in (1, -1):
        monkeypatch.setitem(globals(), "DIRECTION", sign)
        monkeypatch.setattr(COMPARES, "sign", sign)
        assert compiled(np.ones(1))[0] == order(key)
