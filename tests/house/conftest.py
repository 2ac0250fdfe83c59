"""The folder in which examples run: it has the files that they read, and takes those that they write."""

import gc
import os
import zipfile
from pathlib import Path

import numpy
import pytest

from hybridize import d2l, init, metric, optimizer
from tests.formats.tflite.writer import doubling
from tests.house.sources import syntax

RUN = "test_doctests.py", "test_imports.py", "test_results.py"
if os.name == "nt":  # source is the same on all systems; its rules are checked on one
    collect_ignore = [path.name for path in Path(__file__).parent.glob("test_*.py") if path.name not in RUN]


@pytest.fixture(autouse=True)
def uncollected():
    """Let no collection look through what is parsed, which takes four times as long as to parse it."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture(scope="package", autouse=True)
def parsed():
    """Leave no syntax to the collections of other tests."""
    yield
    syntax.cache_clear()


@pytest.fixture
def folder_of_examples(tmp_path, monkeypatch):
    """Go to a folder with a TFLite model, beside one with two of the book's files, which are not the published ones."""
    here, data = tmp_path / "here", tmp_path / "data"
    here.mkdir()
    data.mkdir()
    signature = {
        "inputs": [{"name": "x", "tensor": 0}],
        "outputs": [{"name": "y", "tensor": 1}],
        "key": "serving_default",
    }
    (here / "model.tflite").write_bytes(doubling("f4", signatures=[signature]))
    numpy.savetxt(data / "airfoil_self_noise.dat", numpy.random.default_rng(0).random((20, 6)), delimiter="\t")
    with zipfile.ZipFile(data / "fra-eng.zip", "w") as packed:
        packed.writestr("fra-eng/fra.txt", "Go.\tVa !\n")
    for name in ("airfoil", "fra-eng"):
        monkeypatch.setitem(d2l.DATA_HUB, name, (d2l.DATA_HUB[name][0], None))  # of any content
    for registry in (init.base._REGISTRY, metric.base._REGISTRY):  # examples add classes
        monkeypatch.setattr(registry, "_classes", dict(registry._known()))
    monkeypatch.setattr(optimizer.Optimizer, "opt_registry", dict(optimizer.Optimizer.opt_registry))
    monkeypatch.chdir(here)
