# SPDX-License-Identifier: Apache-2.0
"""`match`: what a pattern takes from its subject, and from the names it tells, is guarded like every other read."""

import types
from dataclasses import dataclass

import numpy
import pytest

from hybridize import hybridize
from hybridize.array import np
from hybridize.base.errors import CaptureError


@dataclass
class Leaf:
    value: object


@dataclass
class Pair:
    left: object
    right: object


class Open:
    """An object whose attributes are set by each test."""

    def __init__(self, **attributes):
        vars(self).update(attributes)


class Scaled:
    def __init__(self, by):
        self.by = by

    @property
    def twice(self):
        return self.by * 2


class Count(int):
    """A positional pattern of it is the number itself."""


def evaluated(tree, x):
    match tree:
        case Leaf(value=int() as number):
            return x * number
        case Leaf(value=str()):
            return x * 0.0
        case Leaf(value=array):
            return x + array
        case Pair(left=left, right=right):
            return evaluated(left, x) + evaluated(right, x)
    return -x


def positional(tree, x):
    match tree:
        case Pair(1, other):
            return x * other
        case Pair(Leaf(inner), 2 | 3 as other):
            return x * inner + other
        case Pair(left, [first, *_]):
            return x * left + first
    return -x


def tagged(subject, x):
    match subject:
        case Open(kind="add", by=by) | Open(kind="shift", offset=by):
            return x + by
        case Open(kind="scale", by=by) if by > 2:
            return x * by
        case types.SimpleNamespace(by=by):
            return x - by
        case Scaled(twice=4):
            return x * 4
        case Scaled(twice=twice):
            return x / twice
        case Count(number, unit="m"):
            return x * number
        case Count(number):
            return x + number
        case object(marker=marker):
            return x * marker
    return -x


def _set(owner, name, value):
    return lambda: setattr(owner, name, value)


def agree(function, *args, steps):
    """Compare imperative and hybridized calls, two after each step, which changes something outside."""
    compiled = hybridize(function)
    for step in [lambda: None, *steps]:
        step()
        for _ in range(2):
            numpy.testing.assert_array_equal(compiled(*args), function(*args))


X = np.array([1.0, 2.0])


def test_attributes_that_a_pattern_names_are_guarded():
    tree = Pair(Leaf(2), Pair(Leaf(3), Leaf(np.array([5.0, 6.0]))))
    steps = [
        _set(tree.left, "value", 20),
        _set(tree, "left", Leaf(7)),
        _set(tree.left, "value", "text"),
        _set(tree.right.right, "value", np.array([8.0, 9.0])),
        _set(tree.right.right, "value", np.array([1.0, 3.0])),
        _set(tree.right.right, "value", 2.5),
        _set(tree.right.right, "value", 4.5),
        _set(tree.right, "left", None),
        _set(tree.right, "__class__", Leaf),
    ]
    tree.right.value = 4.0
    agree(evaluated, tree, X, steps=steps)


def test_attributes_by_position_and_the_names_of_the_positions_are_guarded():
    tree = Pair(1, 2)
    leaf = Leaf(4)
    content = [1.0, 2.0]
    agree(
        positional, tree, X,
        steps=[
            _set(tree, "right", 3),
            _set(Pair, "__match_args__", ("right", "left")),
            _set(tree, "right", 1),
            _set(Pair, "__match_args__", ("left", "right")),
            _set(tree, "left", leaf),
            _set(tree, "right", 2),
            _set(leaf, "value", 5),
            _set(leaf, "value", 6),
            _set(tree, "left", 0.5),
            _set(tree, "right", content),
            lambda: content.__setitem__(0, 9.0),
            _set(tree, "right", 7),
        ],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("subject", "changes"),
    [
        (Open(kind="add", by=1.0, offset=2.0), [("by", 3.0), ("kind", "shift"), ("offset", 4.0), ("kind", "none")]),
        (Open(kind="scale", by=3.0), [("by", 1.0), ("by", 5.0), ("by", np.array(7.0)), ("marker", 3.0)]),
        (types.SimpleNamespace(by=1.0), [("by", 2.0), ("by", np.array([3.0, 4.0])), ("by", 5)]),
        (Scaled(2), [("by", 3), ("by", 4), ("by", 2)]),
        (Count(3), [("unit", "m"), ("unit", "s"), ("unit", "m")]),
        (Open(), [("marker", 2.0), ("marker", 3.0), ("kind", "add"), ("by", 1.0)]),
    ],
)  # fmt: skip
def test_attributes_of_every_kind_of_object_are_guarded(subject, changes):
    for name, value in changes:
        agree(tagged, subject, X, steps=[_set(subject, name, value)])
    compiled = hybridize(tagged)
    for name, value in [*changes, *changes]:
        setattr(subject, name, value)
        numpy.testing.assert_array_equal(compiled(subject, X), tagged(subject, X))


def test_attributes_of_the_class_are_guarded():
    class Kind:
        by = 1

    thing = Kind()

    def function(x):
        match thing:
            case Kind(by=1):
                return x
            case Kind(by=by):
                return x * by
        return -x

    agree(
        function, X, steps=[_set(Kind, "by", 2), _set(Kind, "by", 3), _set(thing, "by", 1), lambda: delattr(Kind, "by")]
    )


def test_dotted_names_of_values_are_guarded_and_read_only_when_they_are_tried():
    class Names:
        A = 1

    def function(x, key, table):
        match key:
            case 0:
                return -x
            case Names.A:
                return x
            case Names.Missing:
                return x * 2
        return x * 3

    def keyed(x, key, table):
        match table:
            case {Names.A: found}:
                return x * found
        return -x

    for one in (function, keyed):
        Names.A, Names.Missing = 1, 4
        agree(
            one, X, 1, {1: 5.0, 2: 6.0}, steps=[_set(Names, "A", n) for n in (5, 2, 1, 7)] + [_set(Names, "Missing", 1)]
        )
    del Names.Missing
    Names.A = 1
    agree(function, X, 0, {}, steps=[])
    agree(function, X, 1, {}, steps=[])
    with pytest.raises(AttributeError, match="Missing"):
        hybridize(function)(X, 2, {})


def test_an_attribute_that_is_written_before_is_matched_as_written():
    leaf = Leaf(1)

    def function(x):
        leaf.value = x * 2
        match leaf:
            case Leaf(int()):
                return x
            case Leaf(value):
                return value + 1

    for _ in range(2):
        numpy.testing.assert_array_equal(hybridize(function)(X), X * 2 + 1)
        numpy.testing.assert_array_equal(leaf.value, X * 2)


def test_patterns_that_ask_for_too_much_raise_as_python_does():
    def many(x):
        match Leaf(1):
            case Leaf(_, _):
                return x

    def no_class(x):
        match 1:
            case agree():
                return x

    for function in (many, no_class):
        with pytest.raises(TypeError) as expected:
            function(X)
        with pytest.raises(TypeError) as found:
            hybridize(function)(X)
        assert str(found.value) == str(expected.value)


def leaving(x, key):
    total = x * 0.0
    for number in range(3):
        match (number, key):
            case (0, _) if x.sum() > 100:
                break
            case (1, _) if x.sum() < -100:
                continue
            case (n, str()) if (least := x.min()) > 1:
                return total + least * n
            case (n, k) if k == 3 and x.max() > 50:
                total = total + k
            case (2, [first, *_]):
                return total + first
        total = total + x
    return total


def staying(x, key):
    found = x
    match key:
        case 0 if x.sum() > 0:
            found = x * 2
        case 0 | 1 if x.sum() < -5:
            found = x * 3
        case Leaf(value) as leaf if value > x.max():
            found = x * leaf.value
        case other if other == 7 and x.sum() > 0:
            found = x + other
        case (int() | _) as other if x.sum() == 0:
            found = x + 100
        case 1:
            found = -x
    return found + 1


def binding(x, key):
    match [x + 1, x - 1, key]:
        case [kept, _, other] if x.sum() > 0:
            factor = x.max()
        case [_, kept, other] if (factor := x.max() + 5) > 4:
            pass
        case [*several, other]:
            factor, kept = x.min(), several[0] + several[1]
    return x * factor + kept, other


@pytest.mark.parametrize("function", [leaving, staying, binding])
@pytest.mark.parametrize("key", [0, 1, 3, 7, "text", [4.0], Leaf(2.0)], ids=str)
def test_guards_of_cases_and_branches_in_cases_may_depend_on_data(function, key):
    compiled = hybridize(function)
    every = [[1.0, 2.0], [2.0, 3.0], [-1.5, 1.0], [-1.0, 1.0], [-3.0, -4.0], [60.0, 61.0], [-100.0, -1.0], [0.5, 55.0]]
    for values in every:
        x = np.array(values)
        found, expected = compiled(x, key), function(x, key)
        if isinstance(expected, tuple):
            assert found[1] == expected[1]
            found, expected = found[0], expected[0]
        numpy.testing.assert_array_equal(found, expected, err_msg=str(values))


def test_a_return_in_a_case_may_be_in_a_branch_that_depends_on_data():
    def function(x):
        match x.shape:
            case (2,):
                if x.sum() > 0:
                    return x
        return -x

    compiled = hybridize(function)
    for x in (X, -X, np.ones(3)):
        numpy.testing.assert_array_equal(compiled(x), function(x))


def test_a_guard_in_a_generator_may_depend_on_data_where_the_match_does_not_yield():
    def items(x):
        match x.shape:
            case (2,) if x.sum() > 0:
                y = x
            case (_,):
                y = -x * 3
        yield y
        yield x

    compiled = hybridize(lambda x: sum(items(x)))
    for x in (X, -X, np.ones(3)):
        numpy.testing.assert_array_equal(compiled(x), sum(items(x)))


def test_a_guard_of_a_case_that_yields_is_refused_with_a_remedy_where_it_depends_on_data():
    def items(x):
        match x.shape:
            case (_,) if x.sum() > 0:
                yield x
            case (_,):
                yield -x

    def remedied(x):
        match x.shape:
            case (_,):
                yield np.where(x.sum() > 0, x, -x)

    with pytest.raises(CaptureError, match="guard of a case that yields") as refused:
        hybridize(lambda x: sum(items(x)))(X)
    assert refused.value.code == "E401"
    assert "np.where" in str(refused.value)
    for x in (X, -X):
        numpy.testing.assert_array_equal(hybridize(lambda x: sum(remedied(x)))(x), sum(items(x)))
