# SPDX-License-Identifier: Apache-2.0
"""Memory over time: calls of random sizes, threads that share steps, programs that come and go and lie on the disk."""

import os
import subprocess
import sys

import pytest

SECONDS = float(os.environ.get("HYBRIDIZE_SOAK_S", "180"))
"""How long the long test runs."""
ALLOWED_BYTES = 8 << 20
"""Growth of what is resident; what leaks with each call or program is far more after a minute."""

PROGRAM = """
import gc, sys, time
import numpy
import hybridize
from hybridize import compiler, np, npx
from hybridize.gluon import nn

end = time.monotonic() + float(sys.argv[1])
draw = numpy.random.default_rng(int(sys.argv[2]))
hybridize.set_num_threads(2)

net = nn.HybridSequential()
net.add(nn.Dense(64, activation="relu"), nn.LayerNorm(), nn.Dense(10))
net.initialize()
net.hybridize()

@hybridize.hybridize
def attention(x, y):
    return npx.softmax(x @ y.T, axis=-1) @ y, (x + 1).sum(axis=0)

def fresh(number):
    return hybridize.hybridize(lambda x: (np.tanh(x) * number).sum(axis=1))

def right(found, wanted):
    assert numpy.allclose(found.asnumpy(), wanted, rtol=1e-3, atol=1e-3)

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

def turn():
    m, n = (int(size) for size in draw.integers(1, 800, 2))
    x, y = (draw.standard_normal((rows, 32)).astype("float32") for rows in (m, n))
    net(np.array(x))
    found, total = attention(np.array(x), np.array(y))
    right(total, (x.astype("f8") + 1).sum(0))
    scores = numpy.exp(x @ y.T)
    right(found, scores / scores.sum(1, keepdims=True) @ y)
    number = int(draw.integers(20))
    function = fresh(number)
    for size in (5, 900, int(draw.integers(2, 3000))):  # programs for many sizes are kept with those they were made at
        z = draw.standard_normal((int(size), 70)).astype("float32")
        right(function(np.array(z)), (numpy.tanh(z) * number).sum(1))
    if draw.random() < 0.1:
        compiler.cache_clear()  # what is wanted again comes from the disk

turns, sizes = 0, []
start = time.monotonic()
while time.monotonic() < end:
    turn()
    turns += 1
    gc.collect()
    sizes.append((time.monotonic() - start, resident()))
late = [size for at, size in sizes if at > 0.9 * (end - start)]
early = [size for at, size in sizes if at > 0.3 * (end - start)][: len(late)]
info = compiler.cache_info()
print(turns, max(late) - max(early), max(late), info.disk.hits)
print(info.disk.problem)
"""


def soak(seconds: float, folder: str) -> tuple[int, int]:
    """Turns, and bytes by which the process has grown since a third of the time."""
    environment = {**os.environ, "HYBRIDIZE_CACHE": "1", "HYBRIDIZE_CACHE_DIR": folder}
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(seconds), "1"],
        capture_output=True,
        text=True,
        env=environment,
        timeout=seconds + 120,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    numbers, problem = ended.stdout.splitlines()
    turns, growth, resident, hits = map(int, numbers.split())
    assert hits or problem, "nothing came from the disk, and nobody says why"
    print(
        f"{turns} turns in {seconds:.0f} s, {resident >> 20} MiB resident, {growth >> 10} KiB more than at a third, "
        f"{hits} programs from the disk {problem}"
    )
    return turns, growth


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="what is resident is read from /proc")
@pytest.mark.long
def test_memory_stays_flat(tmp_path):
    turns, growth = soak(SECONDS, str(tmp_path))
    assert turns > 10
    assert growth < ALLOWED_BYTES
