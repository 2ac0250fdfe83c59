"""The door's tests in the environment that has JAX, `make .jax/.installed`."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".jax" / "bin" / "python"


@pytest.mark.long
def test_the_door_where_jax_is():
    done = subprocess.run(
        [PYTHON, "-m", "pytest", "tests/jax", "-q", "--no-header", "-p", "no:cacheprovider", "-m", "long or not long",
         "--ignore", "tests/jax/test_environment.py"],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, f"{done.stdout[-20000:]}\n{done.stderr[-4000:]}"
