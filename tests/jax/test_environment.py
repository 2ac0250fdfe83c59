"""The door's tests in the environment that has JAX, `make .jax/.installed`."""

import os
import subprocess
from pathlib import Path

import pytest

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
PYTHON = ROOT / ".jax" / "bin" / "python"


@pytest.mark.long
@pytest.mark.parametrize(
    "file", sorted(path.name for path in HERE.glob("test_*.py") if path.name != Path(__file__).name)
)
def test_the_door_where_jax_is(file):
    done = subprocess.run(
        [PYTHON, "-m", "pytest", f"tests/jax/{file}", "-q", "--no-header", "-p", "no:cacheprovider", "-m", ""],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, f"{done.stdout[-20000:]}\n{done.stderr[-4000:]}"
