"""Programs of TensorFlow and Keras, saved in its environment, loaded here without it: against its own numbers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".tensorflow" / "bin" / "python"
PROGRAMS = Path(__file__).parent / "doors" / "programs"


@pytest.mark.long
def test_saved_models_of_all_programs(tmp_path):
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    subprocess.run([PYTHON, PROGRAMS / "tensorflow_programs.py", tmp_path], check=True, env=environment)
    done = subprocess.run(
        [sys.executable, PROGRAMS / "compare.py", tmp_path], env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    lines = [line.split() for line in done.stdout.splitlines()]
    wrong = [line for line in lines if len(line) != 2 or float(line[1]) > 1e-5]
    assert len(lines) > 100 and wrong == []
