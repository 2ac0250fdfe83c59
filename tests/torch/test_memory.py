"""Modules that are made, compiled, called and dropped leave nothing; weights are there once, beside packed copies."""

import gc
import weakref
from pathlib import Path

import pytest
import torch
from torch import nn

from hybridize import hybridize

MODULES = 100


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(width, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Linear(width, 4))
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return {"y": self.layers(x)}


def used(width):
    """What a module and its programs leave: weak references to all that should go."""
    net = Net(width)
    fast = hybridize(net)
    for rows in (3, 3, 5):
        fast(torch.randn(rows, width))["y"].sum().backward()
    net.eval()
    with torch.no_grad():
        for _ in range(2):
            fast(torch.randn(3, width))
    kept = [net, fast, net.layers[0], net.layers[0].weight, *fast.programs()]
    assert len(kept) >= 6
    return [weakref.ref(one) for one in kept]


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def test_dropped_modules_leave_nothing():
    found = used(16)
    gc.collect()
    assert [one() for one in found] == [None] * len(found)
    used(16)
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(2):
        used(16)
    gc.collect()
    assert len(gc.get_objects()) - before < 100


@pytest.mark.long
def test_memory_is_flat_over_a_hundred_modules():
    for _ in range(MODULES // 10):  # caches and the allocator's own fill
        used(512)
    gc.collect()
    before = resident()
    for _ in range(MODULES):
        used(512)
        gc.collect()
    assert resident() - before < 4 << 20, "each has 1 MiB of weights"


@pytest.mark.parametrize("gradients", [False, True])
def test_weights_are_there_once_beside_packed_copies(gradients):
    net = nn.Sequential(nn.Linear(2048, 2048, bias=False), nn.Linear(2048, 2048, bias=False))
    size = sum(parameter.nbytes for parameter in net.parameters())
    fast, x = hybridize(net), torch.randn(2, 2048)
    small = hybridize(nn.Linear(8, 8))
    with torch.set_grad_enabled(gradients):
        small(torch.randn(2, 8)), small(torch.randn(2, 8))  # the compiler is loaded
        gc.collect()
        before = resident()
        for _ in range(3):
            fast(x)
        gc.collect()
        assert resident() - before < 1.25 * size + (24 << 20)
