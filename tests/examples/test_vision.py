"""The book's convolutional networks, on small images: each program compares its ways to run, and fails where they differ."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parents[2] / "examples" / "vision"
SMALL = {"nin": ["96"], "googlenet": ["32"]}


def test_all_programs_run():
    assert {path.stem for path in PROGRAMS.glob("*.py")} == set(SMALL)


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=pytest.mark.long if one == "googlenet" else ()) for one in SMALL]
)
def test_small_images(name, tmp_path):
    command = [sys.executable, PROGRAMS / f"{name}.py", *SMALL[name]]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the same." in done.stdout


@pytest.mark.long
@pytest.mark.parametrize("name", SMALL)
def test_images_of_the_book(name, tmp_path):
    """As they are run without arguments."""
    done = subprocess.run([sys.executable, PROGRAMS / f"{name}.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
