"""What a call returns: arrays as keys, the very object or a new one, classes of containers: as imperatively."""

from collections import OrderedDict, defaultdict

import numpy
import pytest

from hybridize.array import ndarray, np
from hybridize.autograd import grad_of
from hybridize.base.errors import CaptureError
from hybridize.capture import Function

KEYED = {
    "a dict": lambda x: {x: 1},
    "of a new array": lambda x: {x + 1: x},
    "a tuple with an array": lambda x: {(x, 2): [x * 2]},
    "below a list": lambda x: [{x: x * 2}, 3],
    "an OrderedDict": lambda x: OrderedDict([(x, 1), (x * 2, 2)]),
    "a defaultdict": lambda x: defaultdict(list, {x: [x]}),
    "a set": lambda x: {x},
    "a frozenset": lambda x: frozenset([x + 1]),
    "nested": lambda x: {x: {x + 1: {x * 2}}},
}


def shown(value):
    """A value with its arrays as lists, in order."""
    if isinstance(value, ndarray):
        return value.tolist()
    if isinstance(value, dict):
        return type(value).__name__, [(shown(key), shown(part)) for key, part in value.items()]
    if isinstance(value, (list, tuple, set, frozenset)):
        return type(value).__name__, [shown(part) for part in value]
    return value


@pytest.mark.parametrize("backend", ["numpy", "llvm"])
@pytest.mark.parametrize("name", KEYED)
def test_arrays_are_keys_of_what_is_returned(name, backend):
    function, compiled = KEYED[name], Function(KEYED[name], backend=backend)
    for values in ([1.0, 2.0], [3.0, 4.0], [5.0, 6.0]):
        x = np.array(values)
        assert shown(compiled(x)) == shown(function(x))


def test_an_argument_that_is_a_key_is_the_very_array():
    x = np.array([1.0, 2.0])
    compiled = Function(lambda v: {v: v * 2})
    for _ in range(3):
        assert compiled(x)[x].tolist() == [2.0, 4.0]


VIEWS = {
    "itself": lambda x: x,
    "a slice of everything": lambda x: x[:],
    "an ellipsis": lambda x: x[...],
    "slices": lambda x: x[:, :],
    "reshape": lambda x: x.reshape(x.shape),
    "squeeze": lambda x: x.squeeze(),
    "transposed twice": lambda x: x.T.T,
    "broadcast": lambda x: np.broadcast_to(x, x.shape),
    "swapped": lambda x: x.swapaxes(0, 0),
    "asarray": lambda x: np.asarray(x),
    "astype": lambda x: x.astype("float32", copy=False),
    "detach": lambda x: x.detach(),
    "copy": lambda x: x.copy(),
    "plus": lambda x: +x,
    "written": lambda x: x.__iadd__(1.0),
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_result_is_the_very_argument_a_view_or_a_copy(name):
    function = VIEWS[name]
    x, compiled = np.ones((2, 3)), Function(VIEWS[name])
    for _ in range(3):
        found, expected = compiled(x), function(x)
        assert (found is x) == (expected is x)
        assert numpy.shares_memory(found._data, x._data) == numpy.shares_memory(expected._data, x._data)
        assert found.tolist() == x.tolist()


def test_views_of_everything_are_kept_outside():
    def kept(x):
        log.append(x[:])
        log.append(x)
        return x * 1

    log: list = []
    compiled = Function(kept)
    x = np.ones(2)
    for _ in range(3):
        compiled(x)
    assert [y is x for y in log] == [False, True] * 3
    x[:] = 5.0
    assert all(y.tolist() == [5.0, 5.0] for y in log)


def test_a_view_of_everything_is_written_and_differentiated():
    def function(x):
        y = x * 1
        z = y[:]
        z += 1
        y[...] *= 2
        return y, z, (y[:] * z).sum()

    found, expected = Function(function)(np.ones(3)), function(np.ones(3))
    assert shown(found) == shown(expected)
    loss = grad_of(lambda x: (x[:] * x[...]).sum())
    assert Function(loss)(np.ones(3)).tolist() == loss(np.ones(3)).tolist() == [2.0] * 3


class Doubling(list):
    def __getitem__(self, index):
        return list.__getitem__(self, index) * 2

    def __len__(self):
        return 1


class First(list):
    def __iter__(self):
        return iter([list.__getitem__(self, 0)])

    def total(self):
        return sum(self)


class Row(tuple):
    @property
    def last(self):
        return self[-1]

    def first(self):
        return self[0]


class Made(tuple):
    def __new__(cls, *items):
        return tuple.__new__(cls, items)


class Default(dict):
    def __missing__(self, key):
        return 7.0


class Fives(dict):
    def __getitem__(self, key):
        return 5.0


OF_CLASSES = {
    "items of a list": (lambda t: t[1] + len(t), lambda x: Doubling([1, x])),
    "methods of a list": (lambda t: t.total() + 1, lambda x: First([x, x])),
    "a loop over a list": (lambda t: [v + 1 for v in t], lambda x: First([x, x])),
    "members of a tuple": (lambda t: (t.first(), t.last * 2, len(t), t[0]), lambda x: Row((2, x))),
    "a tuple is returned": (lambda t: t, lambda x: Row((2, x))),
    "a list is returned in a dict": (lambda t: {"k": t}, lambda x: First([2, x])),
    "a part is returned": (lambda t: t[:1], lambda x: Row((x, 2))),
    "with a maker": (lambda t: (t, t[1] * 2), lambda x: Made(2, x)),
    "unpacked": (lambda t: [*t, 3], lambda x: Row((x, 2))),
    "their classes": (lambda t: (isinstance(t, Row), type(t) is Row, isinstance(t, tuple)), lambda x: Row((x,))),
    "nested": (lambda t: t["k"][0][1] * 2, lambda x: {"k": [Doubling([1, x])]}),
    "a dict": (lambda t: t["x"] * t["none"], lambda x: Default(x=x)),
    "items of a dict": (lambda t: t["x"] + 1, lambda x: Fives(x=x)),
    "a new tuple": (lambda t: Row((t, 1)), lambda x: x),
    "a new one with a maker": (lambda t: [Made(t * 2, t)], lambda x: x),
    "a new list": (lambda t: First([t, t + 1]), lambda x: x),
}


def shown_with_classes(value):
    """A value with the classes of its containers, read past what these say themselves."""
    if isinstance(value, ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return type(value), [shown_with_classes(part) for part in type(value).__mro__[-2].__iter__(value)]
    return {key: shown_with_classes(part) for key, part in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize("backend", ["numpy", "llvm"])
@pytest.mark.parametrize("name", OF_CLASSES)
def test_classes_that_are_lists_tuples_and_dicts(name, backend):
    function, make = OF_CLASSES[name]
    compiled = Function(lambda t: function(t), backend=backend)
    for values in ([1.0, 2.0], [3.0, 4.0], [5.0, 6.0]):
        found, expected = compiled(make(np.array(values))), function(make(np.array(values)))
        assert shown_with_classes(found) == shown_with_classes(expected)


def test_a_list_among_the_arguments_is_returned_itself():
    given = First([Row((1, np.ones(2)))])
    compiled = Function(lambda t: t)
    assert all(compiled(given) is given for _ in range(3))


def with_an_attribute(x):
    made = First([x])
    made.name = "n"
    return made


@pytest.mark.parametrize("function", [with_an_attribute, lambda x: Default(x=x), lambda x: log_of(x)])
def test_what_no_call_makes_again_is_refused(function):
    with pytest.raises(CaptureError, match="E423"):
        Function(lambda x: function(x))(np.ones(2))
    assert LOG == []


LOG: list = []


def log_of(x):
    LOG.append(Row((x, 1)))
    return x
