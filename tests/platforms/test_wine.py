"""Python for Windows in Wine: the chapter. `make test-wine` runs all tests there, and keeps what each said."""

import subprocess
import sys

import pytest

from tests.platforms import wine


@pytest.mark.long
def test_the_chapter_passes_in_wine(system, monkeypatch):
    system("mmdebstrap", "unshare")
    if not wine.PREFIX.exists():
        wine.make()
    monkeypatch.setattr(wine, "RESULTS", wine.ROOT / "results_of_the_chapter")
    wine.RESULTS.unlink(missing_ok=True)
    assert wine.test([["tests/chapter"]]) == 0
    outcomes = {outcome for outcome, _ in wine.results(wine.RESULTS).values()}
    assert outcomes == {"passed"}


def test_wine_names_what_is_missing(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "tests.platforms.wine", "run", "python", "-V"],
        cwd=wine.CHECKOUT, env={"HYBRIDIZE_WINE": str(tmp_path), "PATH": ""}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode
    assert "tests.platforms.wine make makes it" in done.stderr
