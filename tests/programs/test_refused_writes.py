# SPDX-License-Identifier: Apache-2.0
"""A call that raises leaves state as it was, wherever its program checks: before, between or after writes in place."""

import numpy
import pytest

from hybridize import hybridize, np, npx
from hybridize.runtime.plan import PlanStop

FINE, BAD = (0.25, 0.5, 0.5), (1.0, 1.0, 1.0)


def asserted(x, w):
    npx.assert_(x.sum() < 3, "large")  # noqa: PT009


def asserted_by_python(x, w):
    assert x.sum() < 3, "large"


def asserted_of_all(x, w):
    npx.assert_(x < 1, "large")  # noqa: PT009


def asserted_of_state(x, w):
    npx.assert_((w * x[0]).max() < 7, "large")  # noqa: PT009


def raised(x, w):
    if x.sum() >= 3:
        raise ValueError("large")


def asserted_in_a_branch(x, w):
    if x[0] > 0:
        npx.assert_(x.sum() < 3, "large")  # noqa: PT009


def asserted_in_a_scan(x, w):
    for row in np.ones((30, 3)):
        npx.assert_((row * x).sum() < 3, "large")  # noqa: PT009


def asserted_in_a_while(x, w):
    k = x[0] * 0
    while k < 5:
        k = k + 1
        npx.assert_(x.sum() < 3, "large")  # noqa: PT009


def an_index(x, w):
    return x[x.sum() * 2]


def an_index_in_a_branch(x, w):
    y = x[0]
    if x[0] > 0:
        y = x[x.sum() * 2]
    return y


def an_index_in_a_scan(x, w):
    total = x[0]
    for row in np.ones((30, 3)):
        total = total + x[x.sum() * 2 * row[0]]
    return total


def a_singular_matrix(x, w):
    return np.linalg.inv(np.eye(2) * (3 - x.sum()))


def a_division(x, w):
    return x * (5 // int(3 - x.sum()))


CHECKS = [
    asserted, asserted_by_python, asserted_of_all, asserted_of_state, raised, asserted_in_a_branch, asserted_in_a_scan,
    asserted_in_a_while, an_index, an_index_in_a_branch, an_index_in_a_scan, a_singular_matrix, a_division,
]  # fmt: skip


def step_of(check, where, w, v):
    """A function that writes `w` and `v`, and checks at a place of three."""

    def step(x):
        result = check(x, w) if where == "before" else None
        w[...] = w * 2
        result = check(x, w) if where == "between" else result
        v[...] = v + w * w.sum()
        result = check(x, w) if where == "after" else result
        return x if result is None else result

    return hybridize(step)


def state_stays(check, where, size):
    w, v = np.ones(size), np.ones(size)
    step = step_of(check, where, w, v)
    fine, bad = np.array(FINE), np.array(BAD)
    for _ in range(3):
        step(fine)
    expected = [w.asnumpy().copy(), v.asnumpy().copy()]
    assert (expected[0] == 8).all()
    for _ in range(2):
        with pytest.raises(Exception, match=r"large|bounds|[Ss]ingular|zero"):
            step(bad)
        for one, value in zip((w, v), expected, strict=True):
            numpy.testing.assert_array_equal(one.asnumpy(), value)
    step(fine)
    assert (w.asnumpy() == 16).all()


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_state_stays_where_a_call_raises_between_its_writes(check):
    state_stays(check, "between", 4)


@pytest.mark.long
@pytest.mark.parametrize("size", [4, 300_000])
@pytest.mark.parametrize("where", ["before", "between", "after"])
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_state_stays_wherever_a_call_raises(check, where, size):
    """Large arrays are written by several threads."""
    state_stays(check, where, size)


@pytest.mark.parametrize("where", ["before", "between", "after"])
def test_what_is_written_in_place_is_written_behind_the_last_check(where):
    w, v = np.ones(4), np.ones(4)
    step = step_of(asserted, where, w, v)
    step(np.array(FINE))
    plan = step.program(np.array(FINE))._runs.executable.plan
    assert plan.updates, "an assertion of one bool is no reason to copy state"
    written = {output for output, _ in plan.updates}
    stops = [at for at, node in enumerate(plan.order) if isinstance(node, PlanStop)]
    writes = [
        at
        for at, node in enumerate(plan.order)
        if isinstance(node, int)
        and any(address.kind == "output" and address.slot in written for address in plan.steps[node].writes)
    ]
    assert stops and writes and max(stops) < min(writes)
