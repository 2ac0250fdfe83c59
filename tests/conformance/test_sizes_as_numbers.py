"""Sizes that only a call knows, as Python's own numbers: what `x.shape[0]` is to the user's code, at every size."""

import contextlib

import numpy
import pytest

from hybridize.array import np
from hybridize.base.dims import Dim
from hybridize.base.errors import DTypeError
from hybridize.capture import Function
from tests.refusals import refusal

BACKENDS = pytest.mark.parametrize("backend", ["numpy", "llvm"])
DYNAMIC = pytest.mark.parametrize("dynamic", [None, True])


def ones(n, dtype="float32"):
    return np.array(numpy.ones((n, 2)), dtype=dtype)


def check(function, sizes, **options):
    compiled = Function(function, **options)
    for n in sizes:
        found, expected = compiled(ones(n)), function(ones(n))
        assert repr(found) == repr(expected), f"at {n}"


def far(x):
    n = x.shape[0]
    return n * n * n * n * 3, n * n * n * n * n % 7, n * 2654435761 * n * 7919 % 1000, n + 10**19 - 10**19


@BACKENDS
@DYNAMIC
@pytest.mark.parametrize("sizes", [(5, 7, 60000, 9, 70000), (60000, 70000, 5, 6)])
def test_what_sizes_make_may_need_more_than_64_bits(backend, dynamic, sizes):
    check(far, sizes, backend=backend, dynamic=dynamic)


def beyond(x):
    n = x.shape[0]
    return n**4 > 10**19, n**4 // 2 > 5 * 10**18, n < 2**63 - 1, n > 2**80, n**4 < 2**63, -(n**4) < -(2**62)


@BACKENDS
@DYNAMIC
def test_sizes_are_compared_with_numbers_of_any_length(backend, dynamic):
    check(beyond, (5, 60000, 7, 100000, 8), backend=backend, dynamic=dynamic)


def without_arithmetic(x):
    n = x.shape[0]
    try:
        return (
            n & 3,
            n | 3,
            n ^ 3,
            n << 1,
            n >> 1,
            ~n,
            3 & n,
            1 << n,
            round(n),
            round(n, -1),
            pow(n, 2, 5),
            (5).__eq__(n),
            n.__eq__(5),
            (2.5).__lt__(n),
            n.bit_length(),
        )
    except (TypeError, AttributeError):
        return "a size is no number"


@BACKENDS
@DYNAMIC
def test_sizes_have_every_operator_of_integers(backend, dynamic):
    check(without_arithmetic, (5, 7, 6, 12), backend=backend, dynamic=dynamic)


def as_keys(x):
    n, m = x.shape
    return {x.shape: 1, n: 2, (n, (m, "a")): 3}, {n, m, 3}


@BACKENDS
@DYNAMIC
def test_sizes_in_keys_and_sets_of_the_result_are_numbers(backend, dynamic):
    compiled = Function(as_keys, backend=backend, dynamic=dynamic)
    for n in (5, 7, 6):
        found, members = compiled(ones(n))
        assert (found, members) == as_keys(ones(n))
        assert all(type(x) is int for key in found for x in (key if type(key) is tuple else (key,)) if x != (2, "a"))
        assert {type(x) for x in members} == {int}


def plus_size(x):
    return x[:2] + x.shape[0]


def in_full(x):
    return np.full((2,), x.shape[0], dtype=x.dtype)


@BACKENDS
@DYNAMIC
@pytest.mark.parametrize("function", [plus_size, in_full])
def test_a_size_that_the_dtype_lacks_is_an_error(function, backend, dynamic):
    compiled = Function(function, backend=backend, dynamic=dynamic)
    for n in (5, 7, 255, 9):
        assert repr(compiled(ones(n, "uint8"))) == repr(function(ones(n, "uint8")))
    for n in (256, 300):
        with refusal(DTypeError, f"{n} is not a u8"):
            compiled(ones(n, "uint8"))
    assert repr(compiled(ones(8, "uint8"))) == repr(function(ones(8, "uint8")))


@BACKENDS
@pytest.mark.parametrize(
    ("dtype", "good", "bad"),
    [
        ("uint8", (0, 255), (-1, 256, 2**40)),
        ("int8", (-128, 127), (-129, 128)),
        ("int32", (-5, 2**31 - 1), (2**31,)),
        ("uint64", (0, 2**50), (-1, -(2**50))),
    ],
)
def test_a_number_that_the_dtype_lacks_is_an_error(dtype, good, bad, backend):
    def program(x, k):
        return x * 0 + k

    compiled = Function(program, backend=backend)
    for k in good:
        assert compiled(ones(2, dtype), k).asnumpy().tolist() == [[k, k]] * 2
        for other in bad:
            with refusal(DTypeError, f"{other} is no"):
                compiled(ones(2, dtype), other)


def caught(x):
    try:
        return np.zeros((x.shape[0] - 6, 2)).shape[0]
    except ValueError:
        return "none"


def suppressed(x):
    k = "none"
    with contextlib.suppress(ValueError, IndexError):
        k = (1, 2, 3, 4, 5, 6)[x.shape[0]]
    return k


@BACKENDS
@DYNAMIC
@pytest.mark.parametrize("function", [caught, suppressed])
def test_what_sizes_raise_and_the_function_catches(function, backend, dynamic):
    check(function, (5, 7, 6, 12, 3), backend=backend, dynamic=dynamic)


@BACKENDS
@DYNAMIC
def test_no_except_swallows_what_cannot_be_done_with_symbols(backend, dynamic, monkeypatch):
    """Whatever it is: here, as if sizes had no powers."""
    monkeypatch.setattr(Dim, "__pow__", None)

    def program(x):
        try:
            return x.shape[0] ** 2
        except TypeError:
            return "a size is no number"

    check(program, (5, 7, 6), backend=backend, dynamic=dynamic)


def arrays(x):
    n, m = x.shape
    given = x.sum(0)
    return (
        np.array(n),
        np.array(x.shape),
        np.array([[n, 1], [2, m]]),
        x + np.array(n, dtype="int64"),
        x[0] + [n, m],
        np.array([n, 0.5]),
        np.array([n > 5, m]),
        np.array([given[0], n]),
        np.array((n, m), dtype="int32"),
        np.full((2,), n),
        np.stack([np.array(n), np.array(m)]),
        np.maximum(n, x[0]),
        np.asarray(n),
    )


@BACKENDS
@DYNAMIC
def test_arrays_of_a_size(backend, dynamic):
    check(arrays, (5, 7, 6), backend=backend, dynamic=dynamic)


@BACKENDS
def test_arrays_of_a_number(backend):
    def program(x, k, r):
        return np.array(k), np.array([k, 2]), np.array([k, r]), np.array([[k], [x.sum()]]), x[0] + [k, 1], np.array(r)

    compiled = Function(program, backend=backend)
    for k, r in ((3, 0.5), (4, 2.5), (-1, 0.0)):
        assert repr(compiled(ones(2), k, r)) == repr(program(ones(2), k, r))
