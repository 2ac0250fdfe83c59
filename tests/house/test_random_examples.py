"""Random tests: the same examples in `make test`, new ones in `make test-long`, and time enough for each of them."""

from pathlib import Path

import pytest

CONFTEST = Path(__file__).parents[1] / "conftest.py"
BODY = """import hypothesis
import pytest

def check(new):
    settings = hypothesis.settings()
    assert settings.deadline is None
    assert settings.derandomize is not new

def test_short():
    check(new=False)

@pytest.mark.long
def test_long():
    check(new=True)
"""


@pytest.mark.parametrize("in_ci", [False, True], ids=["at home", "in CI"])  # where hypothesis has settings of its own
@pytest.mark.parametrize("chosen", ["not long", "long"])
def test_examples_have_time_and_only_long_ones_are_new(chosen, in_ci, pytester, monkeypatch):
    for variable in ("CI", "GITHUB_ACTIONS"):
        monkeypatch.setenv(variable, "true") if in_ci else monkeypatch.delenv(variable, raising=False)
    pytester.makeconftest(CONFTEST.read_text())
    pytester.makeini("[pytest]\nmarkers = long: minutes")
    pytester.makepyfile(BODY)
    pytester.runpytest_subprocess("-m", chosen).assert_outcomes(passed=1, deselected=1)
