"""Python numbers among the arguments of which the program needs only what many have in common."""

from __future__ import annotations

import pytest

from hybridize import hybridize, np


def test_a_remainder_is_a_condition_not_the_number():
    def every_third(x, step):
        if (step + 1) % 3 == 0:
            x = x * 2
        if not step // 4 % 2:
            x = x - 7
        return x + step % 4

    compiled = hybridize(every_third)
    x = np.array([1.0, 2.0], dtype="float64")
    for step in [*range(-30, 30), 2**40, -(2**40) - 1, 2**53 + 1, 2**63 - 1, -(2**63)]:
        assert compiled(x, step).tolist() == every_third(x, step).tolist(), step
    assert compiled.cache_info().captures <= 4 + 3  # numbers beyond 2**53 are Python's


def test_an_index_that_is_a_remainder_has_a_program_for_each():
    def turn(x, step):
        return x[step % 3] + step

    compiled = hybridize(turn)
    x = np.array([1.0, 2.0, 4.0], dtype="float64")
    for step in range(-7, 14):
        assert float(compiled(x, step)) == float(turn(x, step))
    assert compiled.cache_info().captures == 3


def test_remainders_by_an_argument():
    def due(x, step, every):
        return x if step % every == 0 else -x

    compiled = hybridize(due)
    x = np.array(1.0)
    for step, every in [(0, 3), (1, 3), (4, 2), (7, 5), (8, -4), (9, -4), (-9, 3)]:
        assert float(compiled(x, step, every)) == float(due(x, step, every))
    assert compiled.cache_info().captures == 2
    with pytest.raises(ZeroDivisionError):
        compiled(x, 5, 0)
    assert float(compiled(x, 5, 5)) == 1.0
    assert compiled.cache_info().captures == 2
