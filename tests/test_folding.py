"""Cases that share a test: all of them run, and those that fail are named."""

import numpy
import pytest

from tests.folding import folded, initial

CASES = [pytest.param(x, id=name) for name, x in [("add.0", 1), ("add.1", -1), ("add.2", -2), ("sub.0", 3)]]


def test_every_case_runs_and_those_that_fail_are_named(tmp_path):
    seen = []

    @folded("x", CASES)
    def positive(x, tmp_path):
        seen.append((x, numpy.random.rand()))
        assert x > 0
        assert tmp_path.exists()

    (mark,) = positive.pytestmark
    groups = {one.id: one.values[0] for one in mark.args[1]}
    assert list(groups) == ["add", "sub"]
    with pytest.raises(ExceptionGroup, match=r"2 of 3 cases: add\.1, add\.2"):
        positive(groups["add"], tmp_path=tmp_path)
    positive(groups["sub"], tmp_path=tmp_path)
    assert [x for x, _ in seen] == [1, -1, -2, 3]
    assert len({drawn for _, drawn in seen}) == 1, "each draws the same numbers"


def test_what_should_have_raised_is_a_failure():
    @folded("x", CASES)
    def raising(x):
        with pytest.raises(ZeroDivisionError):
            1 / x

    (mark,) = raising.pytestmark
    with pytest.raises(BaseExceptionGroup, match="3 of 3 cases"):
        raising(mark.args[1][0].values[0])


def test_groups_by_the_first_letter():
    assert [initial(name) for name in ("Add", "np.add", "np.linalg._inv", "__")] == [
        "a",
        "np.a",
        "np.linalg.i",
        "other",
    ]
