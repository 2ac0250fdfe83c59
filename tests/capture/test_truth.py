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


def written_after_and(m):
    if m[0] and m[1]:
        m[0] = False
    return m


def written_after_or(m):
    if m[0] or not (m[1] and m[2]):
        m[1] = m[2]
    else:
        m[2] = m[0]
    return m


def written_in_a_loop(m):
    while m[0] and m[1]:
        m[0] = False
    return m


def written_after_a_conditional(m):
    n = 1 if m[0] and m[2] else 2
    m[2] = not m[2]
    return m, n


def named_right_of_and(m):
    if m.any() and (count := m.sum()) < 3:
        return count
    return m.sum() * 10


def named_right_of_or(m):
    count = m[0] * 1
    if m[1] or ((count := m.sum()) < 2 and count > 0):
        count = count + 5
    else:
        count = count * 7
    return count


def named_within_not(m):
    count = m.sum() * 0
    if not (m[0] and (count := m.sum()) > 1):
        count = count - 1
    return count


def named_in_a_loop(m):
    i, total = 0, m.sum() * 0
    while i < 3 and (one := m[i]):
        if total > 1:
            break
        total = total + one
        i += 1
        if m[1]:
            continue
        total = total + 10
    return total, i


def named_in_a_loop_with_else(m):
    i = 0
    while i < 3 and m[i]:
        i += 1
    else:
        i = i + 10
    return i


TESTED = [
    written_after_and, written_after_or, written_in_a_loop, written_after_a_conditional, named_right_of_and,
    named_right_of_or, named_within_not, named_in_a_loop, named_in_a_loop_with_else,
]  # fmt: skip


@pytest.mark.parametrize("function", TESTED, ids=lambda function: function.__name__)
def test_what_is_only_tested_is_no_array_that_anybody_holds(function):
    """Operands of `and`, `or` and `not` in a test may be written after it, and may bind names, whoever decides."""
    compiled = hybridize(function)
    for bits in range(8):
        values = [bool(bits >> k & 1) for k in range(3)]
        expected = function(np.array(values, dtype="bool"))
        got = compiled(np.array(values, dtype="bool"))
        assert repr(got) == repr(expected), values
