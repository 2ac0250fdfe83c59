"""The tests of arrays once more, with arrays on a device: what runs there says what these files say of the host."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ELSEWHERE = {
    "test_as_numpy.py": ["test_a_copy_to_a_device"], "test_creation.py": ["test_a_copy_unless_asked", "test_python_conversions"],
}  # fmt: skip
"""Tests that ask for an array at the host, or for a process without devices."""
OWN = {
    "test_device_arrays.py",
    "test_devices.py",
    "test_on_devices.py",
    "test_tracebacks.py",
    "test_numpy_census.py",
    Path(__file__).name,
}
"""Files about devices, about the process, or without arrays."""


@pytest.mark.long
@pytest.mark.parametrize("name", sorted({path.name for path in HERE.glob("test_*.py")} - OWN))
def test_a_file_says_the_same_of_a_device(name):
    left_out = [f"--deselect=tests/array/{name}::{test}" for test in ELSEWHERE.get(name, ())]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.device.default_device", "-q", "-m", "not long", "--tb=short", f"tests/array/{name}", *left_out],
        cwd=HERE.parents[1],
        env={**os.environ, "PYTHONPATH": str(HERE.parents[1])},
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert " passed" in done.stdout, "nothing of the file runs on a device"
