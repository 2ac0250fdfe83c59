"""Architectures as files: C libraries and archives give what eager PyTorch gives, without PyTorch where they run."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from torch.utils import _pytree as pytree

from hybridize import hybridize
from hybridize.base.types import TensorType
from hybridize.formats.checking import run_library
from tests.torch.test_zoo import made
from tests.torch.zoo import NETS

SAMPLES = ("vae",)
"""Those that every run tests."""
READER = """
import pickle, sys
import numpy
from hybridize import load
from hybridize.base.nested import flatten

folder = sys.argv[1]
args, kwargs = pickle.load(open(folder + "/call", "rb"))
found = load(folder + "/archive", images=True)(*args, **kwargs)
assert "torch" not in sys.modules
pickle.dump([numpy.asarray(leaf) for leaf in flatten(found)[0] if leaf is not None], open(folder + "/found", "wb"))
"""


def called(name: str) -> tuple[Any, Any, Any]:
    """Return a network in evaluation, the same compiled and called with two batch sizes, and what makes arguments."""
    net, given = made(name)
    net.eval()
    fast = hybridize(net)
    with torch.no_grad():
        for batch in (2, 3):
            args, kwargs = given(batch)
            fast(*args, **kwargs)
    return net, fast, given


def arrays(value: Any) -> list[Any]:
    return [leaf.numpy() for leaf in pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def compared(found: list[Any], wanted: list[Any]) -> None:
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        scale = max(1.0, float(numpy.abs(other).max())) if other.dtype.kind == "f" else 1
        numpy.testing.assert_allclose(one / scale, other / scale, rtol=1e-4, atol=1e-4)


def as_files(name: str, folder: Path) -> None:
    """A library is run by a process that knows C's functions only, an archive by one without PyTorch.

    Both get a batch of a size that was not there before they were written.
    """
    net, fast, given = called(name)
    written = fast.export(folder / "model", format="library")
    assert written.checks
    assert [line for line in written.checks if "as expected" not in line] == []
    args, kwargs = given(4)
    with torch.no_grad():
        wanted = arrays(net(*args, **kwargs))
    inputs = tuple(numpy.ascontiguousarray(one) for one in arrays((args, kwargs)))
    types = [TensorType(one.shape, one.dtype) for one in wanted]
    (answer,) = run_library(str(folder / "libmodel.so"), "model", [inputs], types)
    assert answer.code == 0, answer.text
    compared(list(answer.outputs), wanted)

    fast.save(folder / "archive")
    call = pytree.tree_map(lambda leaf: leaf.numpy() if isinstance(leaf, torch.Tensor) else leaf, (args, kwargs))
    (folder / "call").write_bytes(pickle.dumps(call))
    subprocess.run([sys.executable, "-c", READER, str(folder)], check=True, timeout=300)
    compared(pickle.loads((folder / "found").read_bytes()), wanted)


@pytest.mark.parametrize("name", SAMPLES)
def test_samples(name, tmp_path):
    as_files(name, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("name", NETS)
def test_files(name, tmp_path):
    as_files(name, tmp_path)
