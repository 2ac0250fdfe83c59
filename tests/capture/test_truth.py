# SPDX-License-Identifier: Apache-2.0
"""Python's bools that data decides: `not x.any()`, `v in x`, `bool(x.any())` are no arrays, in a program as outside."""

import pytest

from hybridize import hybridize, np


def none_of(x):
    return not x.any()


@pytest.mark.parametrize(
    "function",
    [
        none_of,
        lambda x: bool(x.any()),
        lambda x: (1.0 in x, 1.0 not in x),
        lambda x: (none_of(x) is True, none_of(x) is False, none_of(x) is not True, none_of(x) is not False),
        lambda x: (none_of(x) is None, isinstance(none_of(x), bool)),
        lambda x: (-none_of(x), +none_of(x), ~none_of(x), abs(none_of(x))),
        lambda x: (none_of(x) + none_of(x), none_of(x) * none_of(x), none_of(x) - none_of(x), none_of(x) // 2),
        lambda x: (none_of(x) & none_of(x), none_of(x) | none_of(x), none_of(x) ^ True, none_of(x) == 1),
        lambda x: none_of(x) + 1.5,
        lambda x: none_of(x) * x,
        lambda x: (not (x.sum() > 1)) and none_of(x),
    ],
)
@pytest.mark.parametrize("values", [(0.0, 0.0), (1.0, 0.0)])
def test_a_bool_is_a_bool(function, values):
    def leaves(result):
        parts = result if isinstance(result, tuple) else (result,)
        return [(type(part), part.tolist() if hasattr(part, "tolist") else part) for part in parts]

    x = np.array(values)
    assert leaves(hybridize(function)(x)) == leaves(function(x))


def test_a_bool_that_a_loop_carries():
    def emptied(x):
        done = not x.any()
        while not done:
            x = x - 1
            done = not (x > 0).any()
        return x, done

    for values in ([3.0, 2.0], [0.0, 0.0]):
        x = np.array(values)
        (got, done), (wanted, truth) = hybridize(emptied)(x), emptied(x)
        assert got.tolist() == wanted.tolist()
        assert done is truth


def test_numbers_that_are_computed_in_a_branch_are_numbers_of_the_program():
    rows = [np.ones(2) * k for k in (1, 2, 3)]

    def function(x, n):
        if x.sum() > n * 2:
            x = x * rows[(n + 1) % 3]
        for row in x:
            if row > n // 2:
                x = x + rows[n % 3 - 1] * (n - 1)
        return x.reshape(n // 4 + 1, -1)

    fast = hybridize(function)
    for n in (1, 2, 3, 1, 2, 3):
        assert fast(np.array([1.0, 2.0]), n).tolist() == function(np.array([1.0, 2.0]), n).tolist()
