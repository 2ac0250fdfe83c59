"""Scripts that write down what this tree does look at no other one."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("script", ["codegen/replay.py", "schedule/goldens.py", "schedule/test_products.py"])
def test_another_tree_is_not_written_down(script, tmp_path):
    """The script lies in a folder of its own, and finds this package."""
    copy = tmp_path / "tests" / script
    copy.parent.mkdir(parents=True)
    shutil.copy(ROOT / "tests" / script, copy)
    before = sorted(tmp_path.rglob("*"))
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(
        [sys.executable, copy, "--write"], env=environment, capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert ran.returncode == 1
    assert f"{copy.name} is of {tmp_path.resolve()}, and hybridize is imported from {ROOT.resolve()}" in ran.stderr
    assert sorted(tmp_path.rglob("*")) == before
