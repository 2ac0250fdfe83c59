"""Values that are made in pieces, and read at other elements by the kernel that makes them."""

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridize import hybridize, np

MADE = {
    "concatenation": lambda x, y: np.concatenate([x[2:], y[:2]], axis=0),
    "columns": lambda x, y: np.concatenate([y[:, 1:], x[:, :1]], axis=1),
    "padding": lambda x, y: np.pad(x[1:, 1:], ((1, 0), (0, 1))),
    "roll": lambda x, y: np.roll(x, 1, axis=0) + y,
}
READ = {
    "transposed": lambda b: b.T,
    "rows reversed": lambda b: b[::-1],
    "columns reversed": lambda b: b[:, ::-1],
    "both": lambda b: b.T[::-1] * 2,
    "shifted": lambda b: np.concatenate([b[1:], b[:1]], axis=0),
    "a row": lambda b: b[0],
}
JOINED = {
    "where": lambda y, b, c: np.where(y > b, y, c),
    "product": lambda y, b, c: y * b + c,
    "maximum": lambda y, b, c: np.maximum(y - b, c),
    "tanh": lambda y, b, c: np.tanh(c) - b,
}


def drawn(n, seed):
    return np.array(numpy.random.default_rng(seed).normal(size=(n, n)).astype("float32"))


@pytest.mark.parametrize("threads", [1, 2])
@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(sorted(MADE)),
    st.sampled_from(sorted(READ)),
    st.sampled_from(sorted(JOINED)),
    st.integers(3, 40),
    st.booleans(),
)
def test_they_are_whole_before_they_are_read_elsewhere(threads, made, read, joined, n, kept):
    def function(x, y):
        b = MADE[made](x, y)
        found = JOINED[joined](y, b, READ[read](b))
        return (found, b) if kept else found

    x, y = drawn(n, 0), drawn(n, 1)
    found, wanted = hybridize(function, threads=threads)(x, y), function(x, y)
    for one, other in zip(found if kept else [found], wanted if kept else [wanted], strict=True):
        numpy.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("read", sorted(READ))
def test_arguments_that_are_written_in_part(read):
    def function(x, y):
        y[:2] += x[-2:]
        return np.where(x > y, x, READ[read](y))

    for n in (3, 4, 33):
        x, ours, theirs = drawn(n, 0), drawn(n, 1), drawn(n, 1)
        numpy.testing.assert_allclose(hybridize(function)(x, ours).asnumpy(), function(x, theirs).asnumpy(), rtol=1e-5)
        numpy.testing.assert_array_equal(ours.asnumpy(), theirs.asnumpy())
