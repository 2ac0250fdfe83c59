"""Keys of arrays: what bools, floats and keys that do not fit do, imperatively and compiled."""

import numpy
import pytest

from hybridize.array import np
from hybridize.capture import Function

BOOLS = {
    "True": True,
    "False": False,
    "numpy": numpy.bool_(True),
    "before an integer": (True, 0),
    "behind an integer": (1, True),
    "behind an ellipsis": (..., True),
    "between": (slice(None), True, 1),
    "two": (True, True),
    "one is not": (True, False),
    "with a new axis": (None, True, 0),
    "with indices": (True, [1, 0, 1]),
    "with a slice": (slice(0, 1), True),
}


def stored(x, key):
    y = x * 1
    y[key] = 7.0
    return y


@pytest.mark.parametrize("backend", ["numpy", "llvm"])
@pytest.mark.parametrize("name", BOOLS)
def test_a_bool_adds_an_axis(name, backend):
    key = BOOLS[name]
    x = np.array([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
    for function in (lambda x: x[key], lambda x: stored(x, key)):
        found, expected = Function(function, backend=backend)(x), function(x)
        assert found.shape == expected.shape
        assert found.tolist() == expected.tolist()
    assert Function(lambda x: x[key], backend=backend)(x).tolist() == x.asnumpy()[key].tolist()


@pytest.mark.parametrize("key", [1.0, 0.0, numpy.float64(1), numpy.float32(0), "a", 1j, [1.0]])
def test_a_key_of_another_class_is_a_type_error(same, key):
    same(lambda: lambda x, k: x[k], ([1.0, 2.0], key))
    same(lambda: lambda x, k: stored(x, k), ([1.0, 2.0], key))
    same(lambda: lambda x: x[key], ([1.0, 2.0],))


def test_a_float_that_the_program_computes_is_no_key(same):
    same(lambda: lambda x: x[float(x.sum())], [0.0, 1.0])
    same(lambda: lambda x: x[int(x.sum())] * 1, [0.0, 1.0])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x[0, 0, 0],
        lambda x: x[0, 0][0],
        lambda x: x[7],
        lambda x: x[0, 0].item(3),
        lambda x: np.percentile(x[:0], 30),
        lambda x: np.take(x[:0], 0),
        lambda x: x[:0][np.array(0)],
    ],
)
def test_keys_that_do_not_fit_are_errors_of_one_class(function):
    found = []
    for call in (function, Function(function), Function(function, backend="numpy")):
        with pytest.raises(IndexError) as caught:
            call(np.array([[1.0, 2.0], [3.0, 4.0]]))
        found.append((type(caught.value), caught.value.code))
    assert len(set(found)) == 1, found
