"""Strides of views and spans of slices are NumPy's."""

import itertools
import math

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridize.array.layouts import may_be_view, reshaped, row_major, span
from hybridize.base import dims
from hybridize.base.dims import SizeScope

shapes = st.lists(st.sampled_from([0, 1, 1, 2, 2, 3, 4]), max_size=4).map(tuple)


def factored(total, draw):
    """Sizes whose product is `total`."""
    sizes = []
    while total > 1:
        size = draw(st.sampled_from([d for d in range(1, total + 1) if total % d == 0]))
        sizes.append(size)
        total //= size
        if len(sizes) > 5:
            return (*sizes, total)
    return tuple(sizes)


@given(st.data())
@settings(max_examples=400, deadline=None)
def test_a_reshape_is_a_view_where_numpy_gives_one(data):
    shape = data.draw(shapes)
    base = numpy.zeros(tuple(size * 2 for size in shape), numpy.int8)
    key = tuple(
        slice(0, size * by, by)
        for size, by in zip(shape, data.draw(st.lists(st.sampled_from([1, 2]), min_size=4)), strict=False)
    )
    order = data.draw(st.permutations(range(len(shape))))
    view = (base[key] if data.draw(st.booleans()) else numpy.zeros(shape, numpy.int8)).transpose(order)
    wanted = factored(math.prod(shape), data.draw) if math.prod(shape) else (0, 3)
    found = reshaped(view.shape, view.strides, wanted)
    try:
        expected = view.reshape(wanted, copy=False)
    except ValueError:
        assert found is None
        return
    assert found is not None
    if view.size:
        pairs = zip(found, expected.strides, wanted, strict=True)
        assert all(mine == yours for mine, yours, size in pairs if size != 1)


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_a_reshape_of_sizes_that_are_not_known(data):
    """A view for all sizes that are left is one of NumPy's at each of them; a copy in this call is one in this call."""
    scope = SizeScope()
    names = [scope.symbol(data.draw(st.integers(2, 5)), low=1) for _ in range(2)]
    old = data.draw(st.lists(st.sampled_from([*names, *names, 1, 2, 3]), min_size=1, max_size=4))
    order = data.draw(st.permutations(range(len(old))))
    shape, strides = ([part[k] for k in order] for part in (old, row_major(tuple(old))))
    cuts = [0, *sorted(data.draw(st.sets(st.integers(1, len(old)), max_size=3))), len(old)]
    wanted = tuple(math.prod(shape[i:j]) for i, j in itertools.pairwise(cuts))
    is_view = may_be_view(tuple(shape), tuple(strides), wanted)
    found = reshaped(tuple(shape), tuple(strides), wanted)
    assert (found is None) == (not is_view)
    for sizes in itertools.product(range(1, 6), repeat=2):
        known = dict(zip(scope.symbols, sizes, strict=True))
        if not scope.holds(known):
            continue
        view = numpy.zeros([dims.value(size, known) for size in old]).transpose(order)
        try:
            expected = view.reshape([dims.value(size, known) for size in wanted], copy=False)
        except ValueError:
            assert found is None
            continue
        assert found is not None
        pairs = zip(found, expected.strides, expected.shape, strict=True)
        assert all(8 * dims.value(mine, known) == yours for mine, yours, size in pairs if size != 1)


def test_what_is_asked_of_sizes_that_may_be_one():
    """A view whatever they are, and a copy unless one of them is 1: of that one alone it is asked."""
    scope = SizeScope()
    n, m = scope.symbol(9, low=1), scope.symbol(5, low=1)
    shape = (n, m, 4)
    assert may_be_view(shape, row_major(shape), (n * m, 4))
    assert may_be_view(shape, row_major(shape), (n, m * 4))
    assert may_be_view(shape, row_major(shape), (n, 1, m, 2, 2))
    turned = (n, 3, m, 4), (12 * m, 4, 12, 1)
    assert may_be_view(*turned, (n, 3, m * 4)) is None
    assert scope.lines() == ["n0 in 1.. like 9", "n1 in 1.. like 5"]
    assert reshaped(*turned, (n, 3 * m, 4)) is None
    assert scope.lines() == ["n0 in 1.. like 9", "n1 in 2.. like 5"]


def test_row_major():
    assert row_major((2, 3, 4)) == (12, 4, 1)
    assert row_major(()) == ()


@given(*[st.none() | st.integers(-9, 9)] * 2, st.none() | st.integers(-4, 4).filter(bool), st.integers(0, 7))
def test_spans_are_those_of_python(start, stop, step, length):
    first, count, by = span(slice(start, stop, step), length)
    taken = range(*slice(start, stop, step).indices(length))
    assert [first + i * by for i in range(count)] == list(taken)


def test_spans_of_any_length():
    scope = SizeScope()
    n = scope.symbol(9)
    assert span(slice(None), n) == (0, n, 1)
    assert span(slice(1, -1), n + 1) == (1, n - 1, 1)
    assert span(slice(None, None, -1), n) == (n - 1, n, -1)
    assert span(slice(n // 2, None), n) == (n // 2, n - n // 2, 1)
    assert scope.lines() == ["n0 in 2.. like 9"]
    with pytest.raises(ValueError, match="zero"):
        span(slice(None, None, 0), 3)
