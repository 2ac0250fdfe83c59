"""The tests of arrays once more, with arrays on a device: what runs there says what these files say of the host."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ELSEWHERE = {
    "test_as_numpy.py": ["test_a_copy_to_a_device"],
    "test_bad_arguments.py": ["test_two_matrices[vecdot]"],
    "test_creation.py": ["test_a_copy_unless_asked", "test_python_conversions"],
    "test_protocols.py": ["test_dlpack_both_ways"],
    "test_single.py": ["test_what_the_program_cannot_take_is_computed_otherwise", "test_any_count_of_rows_is_one_program_from_the_second_on"],
    "test_windows.py": [
        "test_large_ones_run_programs_forward_and_backward", "test_any_batch_is_one_program_from_the_second_on",
        "test_operands_that_are_strided_or_read_only", "test_the_oldest_programs_go",
    ],
}  # fmt: skip
"""Tests that ask for an array at the host, a process without devices, complex numbers, or the host's programs of a layer."""
OWN = {
    "test_device_arrays.py",
    "test_devices.py",
    "test_on_devices.py",
    "test_tracebacks.py",
    "test_numpy_census.py",
    Path(__file__).name,
}
"""Files about devices, about the process, or without arrays."""
FILES = sorted({path.name for path in HERE.glob("test_*.py")} - OWN)
PARTS = 12
"""Processes, each of which runs every twelfth file: starting one takes as long as the tests of a small file."""


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_files_say_the_same_of_a_device(part):
    files = FILES[part::PARTS]
    left_out = [f"--deselect=tests/array/{name}::{test}" for name in files for test in ELSEWHERE.get(name, ())]
    paths = [f"tests/array/{name}" for name in files]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.device.default_device", "-q", "-rp", "-m", "not long", "--tb=short", *paths, *left_out],
        cwd=HERE.parents[1],
        env={**os.environ, "PYTHONPATH": str(HERE.parents[1])},
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    run = set(re.findall(r"^PASSED tests/array/(\w+\.py)::", done.stdout, re.MULTILINE))
    assert run == set(files), f"nothing of {set(files) - run} runs on a device"
