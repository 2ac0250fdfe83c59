"""The chapter's tests with `gpu(0)` as the present device, in a process of their own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
ELSEWHERE = "test_export_and_imports"
"""Imports on the CPU unless it says ctx=, as in MXNet, whichever device is the present one."""


@pytest.mark.long
def test_the_chapter():
    plugin = "tests.device.default_device"
    command = [sys.executable, "-m", "pytest", "-q", "-p", plugin, "tests/chapter", "-k", f"not {ELSEWHERE}"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
    assert "33 passed, 1 deselected" in run.stdout
