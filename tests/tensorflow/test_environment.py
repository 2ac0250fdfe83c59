"""The tests of `live` in TensorFlow's environment."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".tensorflow" / "bin" / "python"


@pytest.mark.long
@pytest.mark.parametrize("file", sorted(path.name for path in (Path(__file__).parent / "live").glob("test_*.py")))
def test_the_door_in_its_environment(file):
    done = subprocess.run(
        [PYTHON, "-m", "pytest", f"tests/tensorflow/live/{file}", "-q", "--no-header", "-p", "no:cacheprovider"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{done.stdout[-20000:]}\n{done.stderr[-4000:]}"
