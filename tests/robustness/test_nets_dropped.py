"""Nets of convolutions that come and go: what was packed and compiled for them goes with them, or is in a bounded cache."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.samples import sampled

SCRIPT = """
import gc, importlib, resource, sys, numpy
from hybridize import autograd, np
from hybridize.gluon import nn

FROZEN, LIMIT = sys.argv[1] == "frozen", 8 << 20
cache = importlib.import_module("hybridize.compiler.work").CACHE
cache.limit_bytes = LIMIT

def resident():
    gc.collect()
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()

x = np.array(numpy.ones((2, 64, 6, 6), "f4"))
sizes = []
for number in range(20):
    net = nn.HybridSequential()
    net.add(nn.Conv2D(1024, 3, padding=1), nn.GlobalAvgPool2D())
    net.initialize()
    net.hybridize(freeze=FROZEN)
    for _ in range(2):
        net(x)
    if not FROZEN:
        with autograd.record():
            loss = net(x).sum()
        loss.backward()
    del net
    assert cache.info().bytes <= LIMIT
    sizes.append(resident())
print(max(sizes[9:]) - sizes[8])
"""
NET = 2 * 4 * 1024 * 64 * 9
"""The bytes of one net: its weights, and their packed copy."""


@pytest.mark.parametrize("way", sampled(["trained", "frozen"], 2))
def test_twenty_nets_leave_memory_flat(way):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, way],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
        timeout=300,
        env=os.environ | {"HYBRIDIZE_CACHE": "0"},
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 3 * NET, f"{done.stdout} bytes more after eleven nets of {NET} each"
