# SPDX-License-Identifier: Apache-2.0
"""Arrays of floats as indices, and lists of bools as arrays, as the table of differences in the guide says."""

import numpy
import pytest

from hybridize import hybridize, np, npx

X = [1.0, 2.0, 3.0]


@pytest.mark.parametrize("compiled", [False, True], ids=["imperatively", "hybridized"])
def test_floats_are_indices_without_their_fractions(compiled):
    wrap = hybridize if compiled else lambda function: function
    x, i = np.array(X), np.array([0.9, 1.9, -1.2])
    for take in (lambda x, i: x[i], lambda x, i: np.take(x, i)):
        assert wrap(take)(x, i).tolist() == [1.0, 2.0, 3.0]
    assert wrap(lambda x, i: x[i])(x, np.array(1.7)).item() == 2.0
    assert wrap(lambda x, i: npx.pick(x, i))(np.array([X]), np.array([1.7])).tolist() == [2.0]
    with pytest.raises(IndexError, match="E110"):
        wrap(lambda x, i: x[i])(x, np.array([float("nan")]))
    with pytest.raises(TypeError, match="E204"):
        wrap(lambda x: x[1.0])(x)


def test_a_list_of_bools_is_an_array_of_floats_and_an_index_that_is_a_mask():
    x, mask = np.array(X), [True, False, True]
    assert np.array(mask).dtype == numpy.float32
    assert x[np.array(mask)].tolist() == [2.0, 1.0, 2.0]
    for one in (mask, np.array(mask, dtype=bool), np.array(numpy.array(mask)), x != 2.0):
        assert x[one].tolist() == [1.0, 3.0]
