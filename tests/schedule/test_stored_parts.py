"""Epilogues that store several values of which one is made of another, where the last one lies within a larger value."""

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hybridize
from hybridize import np

CELLS = {
    1: lambda z, c: np.tanh(z) + c,
    2: lambda z, c: np.tanh(z[:, : z.shape[1] // 2]) * z[:, z.shape[1] // 2 :] + c,
    4: lambda z, c: sum(np.tanh(one) for one in np.split(z, 4, axis=1)) * 0.5 + c,
}


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(sorted(CELLS)), st.integers(1, 12), st.sampled_from([3, 16, 40]), st.booleans())
def test_a_state_and_what_is_stacked_of_it(gates, rows, width, ends):
    def steps(x, w, h, c, join):
        found = []
        for t in range(4):
            c = CELLS[gates](x[t] + np.dot(h, w), c)
            h = np.tanh(c) * 0.5
            found.append(h)
        return (join(found), c) if ends else (join(found),)

    rng = numpy.random.default_rng(rows)
    shapes = ((4, rows, width * gates), (width, width * gates), (rows, width), (rows, width))
    arrays = [np.array(rng.standard_normal(shape).astype(numpy.float32)) for shape in shapes]
    for join in (np.stack, np.concatenate, lambda found: np.concatenate(found, axis=1)):
        compiled = hybridize.hybridize(lambda x, w, h, c, join=join: steps(x, w, h, c, join))
        for found, wanted in zip(compiled(*arrays), steps(*arrays, join), strict=True):
            numpy.testing.assert_allclose(found.asnumpy(), wanted.asnumpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("rows", [1, 2, 17])
def test_a_value_stored_beside_what_is_made_of_it_within_a_larger_one(rows):
    @hybridize.hybridize
    def parts(x, w, y):
        c = np.tanh(np.dot(x, w))
        return np.concatenate([c * 2, y]), c

    rng = numpy.random.default_rng(1)
    x, w, y = (rng.standard_normal(shape).astype(numpy.float32) for shape in ((rows, 9), (9, 48), (2, 48)))
    joined, c = parts(*map(np.array, (x, w, y)))
    exact = numpy.tanh(x.astype(float) @ w)
    numpy.testing.assert_allclose(c.asnumpy(), exact, rtol=1e-5, atol=1e-5)
    numpy.testing.assert_allclose(joined.asnumpy(), numpy.concatenate([exact * 2, y]), rtol=1e-5, atol=1e-5)
