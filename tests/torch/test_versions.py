"""The door's tests in other environments: HYBRIDIZE_TORCH_PYTHON names their interpreters, with `:` between several.

Each has another version of torch, and what the tests need besides: NumPy, llvmlite, ml_dtypes, pytest and hypothesis.
"""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OTHERS = [path for path in os.environ.get("HYBRIDIZE_TORCH_PYTHON", "").split(os.pathsep) if path]
THIS_ENVIRONMENT = ("test_versions.py", "test_timm.py", "test_zoo.py")
"""Files that ask for packages of this environment, or are this one."""


@pytest.mark.long
@pytest.mark.parametrize("python", OTHERS)
def test_the_door_in_another_environment(python):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("HYBRIDIZE_TORCH_PYTHON")
    version = subprocess.run([python, "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True)
    assert version.returncode == 0, version.stderr
    left_out = [f"--ignore=tests/torch/{name}" for name in THIS_ENVIRONMENT]
    done = subprocess.run(
        [python, "-m", "pytest", "tests/torch", "-q", "--no-header", "-p", "no:cacheprovider", *left_out],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"torch {version.stdout.strip()}\n{done.stdout[-20000:]}\n{done.stderr[-4000:]}"
