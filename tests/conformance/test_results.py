"""What a call returns: arrays as keys, the very object or a new one, classes of containers: as imperatively."""

from collections import OrderedDict, defaultdict

import pytest

from hybridize.array import ndarray, np
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
