"""The tests of WebGPU in the environment that has the package wgpu, `make .webgpu/.installed`, on Mesa's lavapipe."""

import os
import subprocess
from pathlib import Path

import pytest

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
PYTHON = ROOT / ".webgpu" / "bin" / "python"
DRIVERS = Path("/usr/share/vulkan/icd.d")
LAVAPIPE = str(next(DRIVERS.glob("lvp_icd.*.json"), DRIVERS / "lvp_icd.json"))
"""Mesa's driver of the processor as a GPU, for Vulkan."""


@pytest.mark.long
@pytest.mark.parametrize(
    "file", sorted(path.name for path in HERE.glob("test_*.py") if path.name != Path(__file__).name)
)
def test_where_wgpu_is(file, system):
    system(LAVAPIPE)
    done = subprocess.run(
        [PYTHON, "-m", "pytest", f"tests/webgpu/{file}", "-q", "--no-header", "-p", "no:cacheprovider", "-m", ""],
        cwd=ROOT, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "VK_DRIVER_FILES": LAVAPIPE, "VK_ICD_FILENAMES": LAVAPIPE},
    )  # fmt: skip
    assert done.returncode == 0, f"{done.stdout[-20000:]}\n{done.stderr[-4000:]}"
