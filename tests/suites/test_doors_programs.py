"""Programs of TensorFlow and Keras, saved in its environment, loaded here without it: against its own numbers.

make .tensorflow/.installed
python -m pytest -m long tests/suites/test_doors_programs.py
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".tensorflow" / "bin" / "python"
PROGRAMS = Path(__file__).parent / "doors" / "programs"
PARTS = 8
"""Each takes a minute or two; `-k 3-of-8` runs one of them."""


def lines(python, program, *arguments):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"}
    command = [python, PROGRAMS / program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return [line.split(maxsplit=1) for line in done.stdout.splitlines()]


@pytest.mark.long
@pytest.mark.parametrize("part", [f"{number}-of-{PARTS}" for number in range(PARTS)])
def test_saved_models_of_all_programs(part, tmp_path):
    names = sorted(name for _, name in lines(PYTHON, "tensorflow_programs.py", tmp_path, f"--part={part}"))
    differences = dict(lines(sys.executable, "compare.py", tmp_path))
    assert sorted(differences) == names and len(names) > 100 // PARTS
    assert {name: said for name, said in differences.items() if not said[0].isdigit() or not float(said) <= 1e-5} == {}
