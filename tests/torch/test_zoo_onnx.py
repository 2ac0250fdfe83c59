"""Architectures as ONNX models: ONNX Runtime gives what eager PyTorch gives, at batch sizes that nobody called it with."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
import torch
from torch.utils import _pytree as pytree

from hybridize import hybridize
from hybridize.base.errors import CaptureError
from tests.formats.onnx.written import answers
from tests.refusals import refusal
from tests.torch.test_zoo import made
from tests.torch.test_zoo_files import arrays, compared
from tests.torch.zoo import NETS

SAMPLES = ("mixer", "recurrent_with_attention")
"""Those that every run tests."""
REFUSED = {"FunnelModel": "sets attribute"}
"""Those that no file holds; this list may only become shorter."""


def called(name: str) -> tuple[Any, Any, Any]:
    """Return a network in evaluation, the same compiled and called with three batch sizes, and what makes arguments."""
    net, given = made(name)
    net.eval()
    fast = hybridize(net)
    with torch.no_grad():
        for batch in (1, 2, 3):
            args, kwargs = given(batch)
            fast(*args, **kwargs)
    return net, fast, given


def check(name: str, path: Any) -> None:
    net, fast, given = called(name)
    if name in REFUSED:
        with refusal(CaptureError, REFUSED[name]):
            fast.export(path, format="onnx")
        return
    exported = fast.export(path, format="onnx")
    assert "read back" in exported.checks[0]
    assert all("as expected" in line or "shapes fit" in line for line in exported.checks)
    file = exported.files[0]
    for batch in (1, 2, 4):
        args, kwargs = given(batch)
        with torch.no_grad():
            wanted = arrays(net(*args, **kwargs))
        inputs = [leaf.numpy() for leaf in pytree.tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
        compared([numpy.asarray(one) for one in answers(file, inputs)], wanted)


@pytest.mark.parametrize("name", SAMPLES)
def test_samples(name, tmp_path):
    check(name, tmp_path / "net")


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in NETS if name not in SAMPLES])
def test_architectures(name, tmp_path):
    check(name, tmp_path / "net")
