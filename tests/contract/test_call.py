"""The key of a call: arguments that are equal, and not the same to Python, have programs of their own."""

import math

import numpy
import pytest

from hybridize import hybridize, np
from hybridize.contract.call import Call


@pytest.mark.parametrize(
    ("x", "y", "alike"),
    [
        ({1: 2}, {1: 3}, True), ({1: 2}, {1.0: 2}, False), ({1: 2}, {True: 2}, False), ({0.0: 2}, {-0.0: 2}, False),
        ({(1, 2): 2}, {(1, 2): 2}, True), ({(1, 2): 2}, {(1, 2.0): 2}, False), ([{1: 2}], [{1.0: 2}], False),
        ({"a": 2, "b": 1}, {"b": 1, "a": 2}, False), (1j, 1j, True), (0j, -0j, False), (True, 1, False), (1, 2, True),
    ],
)  # fmt: skip
def test_keys(x, y, alike):
    keys = [Call.of((one,), {}).key for one in (x, y)]
    assert (keys[0] == keys[1]) is alike


def test_keys_of_dicts_and_complex_numbers_are_the_call_s():
    @hybridize
    def scaled(x, table):
        for key in table:
            return x * key

    x = np.array([3, 4], dtype="int32")
    for key in (1, 1.0, 2, 1, 1.0):
        found, expected = scaled(x, {key: None}), x * key
        assert found.dtype == expected.dtype
        numpy.testing.assert_array_equal(found, expected)

    @hybridize
    def signed(x, number):
        return x * math.copysign(1.0, number.imag)

    for number in (1 + 0j, complex(1, -0.0), 1 + 0j):
        numpy.testing.assert_array_equal(signed(x, number), signed.python_function(x, number))
