"""Tests of programs, and samples of others, with arrays on a device: whatever fails there, no kernel and no number does."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
WRONG = {"Fault", "InternalError", "CodegenError", "VerificationError", "KeyError", "IndexError", "ZeroDivisionError"}
"""Errors that no call may end with, wherever it runs."""
DEFECT = re.compile(r"Mismatched elements|Arrays are not (almost )?equal|Not equal to tolerance|\bE[89]\d\d\b")
"""Words of wrong numbers, and codes of errors that say that hybridize is wrong."""
FILES = sorted(path.name for path in (ROOT / "tests/programs").glob("test_*.py"))
FOLDERS = {"capture": (), "gluon": ("on_devices", "model_zoo"), "autograd": ()}
"""Folders of which a sample of tests runs, and what is left out: tests of devices, and what takes hours in NumPy."""
SAMPLES = 10
"""Parts of a sample of a folder, which are one test in 29."""


def failures(tmp_path, *arguments, shard="") -> tuple[list[str], int]:
    """Run tests with their arrays on a device: what is wrong, and how many have passed."""
    noted = tmp_path / "failures"
    environment = {**os.environ, "HYBRIDIZE_FAILURES": str(noted), "HYBRIDIZE_SHARD": shard}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "tests.device.default_device", "-p", "no:cacheprovider", *arguments],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=7200, check=False,
    )  # fmt: skip
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None, done.stdout[-2000:] + done.stderr[-2000:]
    lines = noted.read_text().splitlines() if noted.exists() else []
    return [one for one in lines if one.split("\t")[0] in WRONG or DEFECT.search(one)], int(passed[1])


@pytest.mark.long
@pytest.mark.parametrize("file", FILES)
def test_of_programs(file, tmp_path):
    wrong, _ = failures(tmp_path, f"tests/programs/{file}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.long
@pytest.mark.parametrize("part", range(SAMPLES))
@pytest.mark.parametrize("folder", FOLDERS)
def test_of_others(folder, part, tmp_path):
    left_out = [f"--ignore=tests/{folder}/{name}" for name in FOLDERS[folder]]
    wrong, passed = failures(tmp_path, f"tests/{folder}", *left_out, shard=f"{part * 29 + 7}/290")
    assert not wrong, "\n".join(wrong)
    assert passed
