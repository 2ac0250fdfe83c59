"""PyTorch's DistributedDataParallel around hybridized modules."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent / "modules.py"


@pytest.mark.parametrize(
    "cases",
    [
        ("sums", "no_sync"),
        pytest.param(("unused", "static", "views", "hook", "buffers", "refusals"), marks=pytest.mark.long),
        pytest.param(("adam",), marks=pytest.mark.long),
    ],
    ids=" ".join,
)
def test_gradients_are_those_of_the_module_without_us(cases):
    torchrun = Path(sys.executable).parent / "torchrun"
    command = [torchrun, "--nproc-per-node", "2", PROGRAM, *cases]
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
