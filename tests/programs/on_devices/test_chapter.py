"""The chapter's tests with `gpu(0)` as the present device, in a process of their own."""

import os
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

from hybridize import gpu
from hybridize.array import np
from hybridize.gluon import SymbolBlock, nn

ROOT = Path(__file__).parents[3]
PLUGIN = """
import pytest

import hybridize


@pytest.fixture(autouse=True)
def on_a_device(two_gpus):
    with hybridize.gpu(0):
        yield
"""
ELSEWHERE = "test_export_and_imports"
"""Imports on the CPU unless it says ctx=, as in MXNet, whichever device is the present one."""


@pytest.mark.long
def test_the_chapter(tmp_path):
    (tmp_path / "on_a_device.py").write_text(PLUGIN)
    paths = os.pathsep.join([str(ROOT), str(tmp_path)])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "on_a_device", "tests/chapter", "-k", f"not {ELSEWHERE}"]
    run = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout
    assert "33 passed, 1 deselected" in run.stdout


def test_an_exported_net_is_imported_on_a_device(tmp_path):
    net = nn.HybridSequential()
    net.add(nn.Dense(8, activation="relu"), nn.Dense(2))
    net.initialize(ctx=gpu(0))
    net.hybridize()
    x = np.ones((1, 5), ctx=gpu(0))
    expected = net(x).asnumpy()
    net.export(str(tmp_path / "net"))
    again = SymbolBlock.imports(f"{tmp_path}/net-symbol.json", ["data"], f"{tmp_path}/net-0000.params", ctx=gpu(0))
    assert again(x).device == gpu(0)
    numpy.testing.assert_array_equal(again(x).asnumpy(), expected)
