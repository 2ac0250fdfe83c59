"""Architectures with random weights: the door gives what eager PyTorch gives, each by programs of our own capture."""

from __future__ import annotations

import time
from typing import Any

import pytest
import torch
from torch.utils import _pytree as pytree

from hybridize import hybridize
from tests.torch.zoo import IMAGES, NETS

SAMPLES = ("dlrm", "experts_by_masks", "vae")
"""Those that every run tests."""


def most_programs(batch: int) -> int:
    """Return how many programs may be there after calls of batches up to this one, the first of two."""
    return min(batch - 1, 2)


def made(name: str) -> tuple[torch.nn.Module, Any]:
    torch.manual_seed(0)
    return NETS[name]()


def compared(found: Any, wanted: Any, tolerance: float = 1e-4) -> None:
    """Check that results are of the same classes and, as far as they are numbers, the same."""
    ours, spec = pytree.tree_flatten(found)
    theirs, expected = pytree.tree_flatten(wanted)
    assert type(found) is type(wanted)
    assert spec == expected
    for one, other in zip(ours, theirs, strict=True):
        assert type(one) is type(other)
        if not isinstance(other, torch.Tensor):
            assert one == other
            continue
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        if other.is_floating_point():
            scale = max(1.0, other.detach().abs().max().item())
            torch.testing.assert_close(one / scale, other / scale, rtol=tolerance, atol=tolerance)
        else:
            torch.testing.assert_close(one, other)


def predicted(name: str) -> str:
    """Five equal calls are one program, and calls of all batch sizes one more."""
    net, given = made(name)
    net.eval()
    fast = hybridize(net)
    with torch.no_grad():
        began = time.perf_counter()
        for number, batch in enumerate((2, 2, 2, 2, 2, 3, 4, 5)):
            args, kwargs = given(batch)
            wanted = net(*args, **kwargs)
            found = fast(*args, **kwargs)
            if number == 0:
                first = time.perf_counter() - began
            compared(found, wanted)
            assert fast.cache_info()["programs"] <= most_programs(batch), batch
    return f"{first:.1f} s to capture"


def total(result: Any) -> torch.Tensor:
    """A number of all that has gradients in a result."""
    parts = [one for one in pytree.tree_leaves(result) if isinstance(one, torch.Tensor) and one.requires_grad]
    return sum(
        (p * torch.linspace(-1, 1, p.numel(), dtype=p.dtype).reshape(p.shape)).sum() if p.ndim else p for p in parts
    )


def trained(name: str) -> str:
    """Results and gradients with the net in training, and what it keeps of the data."""
    net, given = made(name)
    twin, _ = made(name)
    for one in (net, twin):
        one.train()
        for part in one.modules():
            if isinstance(part, torch.nn.Dropout):
                part.p = 0.0
            if hasattr(part, "drop_prob"):  # of whole paths
                part.drop_prob = 0.0
        if name in IMAGES:  # gradients of convolutions before norms of few numbers are mostly rounding in half of that
            one.double()
    fast = hybridize(net)
    torch.manual_seed(1)
    for _number, batch in enumerate((2, 2, 3, 4)):
        args, kwargs = given(batch)
        net.zero_grad(), twin.zero_grad()
        found = fast(*args, **kwargs)
        wanted = twin(*args, **kwargs)
        compared(found, wanted)
        total(found).backward()
        total(wanted).backward()
        most = max(p.grad.abs().max().item() for p in twin.parameters() if p.grad is not None)
        for (at, ours), theirs in zip(net.named_parameters(), twin.parameters(), strict=True):
            assert (ours.grad is None) == (theirs.grad is None), at
            if theirs.grad is not None:
                scale = max(theirs.grad.abs().max().item(), 1e-2 * most)
                torch.testing.assert_close(ours.grad / scale, theirs.grad / scale, rtol=1e-3, atol=1e-3, msg=at)
        assert fast.cache_info()["programs"] <= most_programs(batch), batch
    for (at, ours), theirs in zip(net.named_buffers(), twin.buffers(), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-4, msg=at)
    return ""


@pytest.mark.parametrize("name", SAMPLES)
def test_samples(name):
    predicted(name)
    trained(name)


@pytest.mark.long
@pytest.mark.parametrize("name", NETS)
def test_prediction(name):
    predicted(name)


@pytest.mark.long
@pytest.mark.parametrize("name", NETS)
def test_training(name):
    trained(name)
