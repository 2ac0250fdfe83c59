"""The benchmark of the PyTorch door: calls are measured against the kernels that they run."""

import math
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def torch_door(monkeypatch):
    monkeypatch.syspath_prepend(str(HERE))
    import torch_door

    yield torch_door
    for name in ("torch_door", "torch_modules", "paired"):
        sys.modules.pop(name, None)


def test_all_calls_are_measured(torch_door):
    found = torch_door.calls(rounds=1)
    assert set(found) == set(torch_door.CALLS)
    assert all(map(math.isfinite, found.values()))
