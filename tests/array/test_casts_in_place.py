# SPDX-License-Identifier: Apache-2.0
"""What operators in place and `out=` store: casts within a kind of numbers, as NumPy; all else is an error."""

import itertools
import operator

import numpy
import pytest

from hybridize import hybridize, np

OPERATORS = [
    "iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "iand", "ior", "ixor", "ilshift", "irshift",
]  # fmt: skip
DTYPES = ["bool", "uint8", "uint32", "int8", "int32", "int64", "float16", "float32", "float64"]
UFUNCS = ["add", "subtract", "multiply", "floor_divide", "remainder", "power", "maximum", "bitwise_and", "left_shift"]


def _values(module, dtype):
    return module.array([True, True, True] if dtype == "bool" else [1, 2, 3], dtype=dtype)


def _outcome(call, *args):
    """The dtype and elements of a result; or "error"."""
    try:
        found = call(*args)
    except TypeError:
        return "error"
    data = found if isinstance(found, numpy.ndarray) else found.asnumpy()
    return data.dtype.name, numpy.asarray(data, "f8").round(2).tolist()


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_in_place_stores_what_numpy_stores(name):
    apply = getattr(operator, name)
    for target, other in itertools.product(DTYPES, DTYPES):
        expected = _outcome(apply, _values(numpy, target), _values(numpy, other))
        assert _outcome(apply, _values(np, target), _values(np, other)) == expected, (target, other)


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_in_place_of_a_program_does(name):
    """One pair of each two kinds: bools, unsigned and signed integers, floats."""
    apply = getattr(operator, name)
    compiled = hybridize(lambda x, y: apply(x, y))
    for target, other in itertools.product(("bool", "uint8", "int32", "float32"), repeat=2):
        expected = _outcome(apply, _values(numpy, target), _values(numpy, other))
        assert _outcome(compiled, _values(np, target), _values(np, other)) == expected, (target, other)


@pytest.mark.parametrize("name", UFUNCS)
def test_out_takes_what_numpy_lets_it_take(name):
    reference, function = getattr(numpy, name), getattr(np, name)
    numbers = ("uint8", "int8", "int64", "float32")
    for target, other in itertools.product(("bool", *numbers), numbers):
        expected = _outcome(lambda x, out: reference(x, x, out=out), _values(numpy, other), _values(numpy, target))
        for apply in (lambda x, out: function(x, x, out=out), hybridize(lambda x, out: function(x, x, out=out))):
            assert _outcome(apply, _values(np, other), _values(np, target)) == expected, (target, other)
