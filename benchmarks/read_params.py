# SPDX-License-Identifier: Apache-2.0
"""Reading 100 MB of weights: time, memory, and how often they are copied.

    python benchmarks/read_params.py [--rounds 7] [--megabytes 100] [--markdown]

The file is 25 dense layers of equal size, as MXNet 1.x (`.params`) and 2.x (`.npz`) write it, and as safetensors. Each
way of reading is done in processes of its own, in turns; the file is in the page cache. `copies` is the memory of the
process's own that reading takes (anonymous pages, at their peak), over the size of the weights: 1 is the parameters
themselves, 2 would be a second copy beside them. Pages of the file, which the system shares, are not among it.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import hybridize

LAYERS = 25
NET = """
net = nn.HybridSequential()
net.add(*(nn.Dense({side}, in_units={side}, use_bias=False) for _ in range({layers})))
"""
WAYS = {
    "net.load_parameters(.params)": ("", "net.load_parameters(folder + '/x.params')"),
    "the same, initialized before": ("net.initialize()", "net.load_parameters(folder + '/x.params')"),
    "net.load_parameters(.npz)": ("", "net.load_parameters(folder + '/x.npz')"),
    "net.load_from(safetensors)": ("", "net.load_from(folder + '/x.safetensors')"),
    "nd.load(.params)": ("nd.load", "found = nd.load(folder + '/x.params')"),
    "npx.load(.npz)": ("nd.load", "found = npx.load(folder + '/x.npz')"),
}
"""What a process does before its clock starts, and then."""
PROCESS = """
import json, sys, threading, time
from hybridize import nd, npx
from hybridize.gluon import nn
folder = sys.argv[1]
{net}
def own():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon")) * 1024
{before}
start = peak = own()
reading = len(sys.argv) > 2
def watch():
    global peak
    while reading:
        peak = max(peak, own())
        time.sleep(0.0005)
watcher = threading.Thread(target=watch)
if reading:
    watcher.start()
begin = time.perf_counter()
{read}
seconds = time.perf_counter() - begin
peak = max(peak, own())
reading = False
print(json.dumps([seconds, peak - start]))
"""
"""A process: Python for `-c`. With a second argument its memory is watched, which takes time."""


def write(folder: Path, side: int) -> None:
    """Write the weights in the three forms."""
    import numpy
    from safetensors.numpy import save_file

    from hybridize import np, npx
    from hybridize.formats.mxnet import write_params

    draw = numpy.random.default_rng(0)
    arrays = {f"{k}.weight": draw.standard_normal((side, side), dtype="f4") for k in range(LAYERS)}
    write_params(folder / "x.params", arrays)
    npx.savez(folder / "x.npz", **{name: np.array(array) for name, array in arrays.items()})
    save_file(arrays, folder / "x.safetensors")


def started(way: str, folder: Path, side: int, watched: bool) -> tuple[float, int]:
    """Seconds that reading takes in a new process, and bytes of its own memory beyond what it had."""
    before, read = WAYS[way]
    code = PROCESS.format(net=NET.format(side=side, layers=LAYERS), before=before, read=read)
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder), *["watched"] * watched],
        env={**os.environ, "PYTHONPATH": str(Path(hybridize.__file__).parents[1])},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    seconds, memory = json.loads(done.stdout)
    return seconds, memory


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--megabytes", type=float, default=100)
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    side = round((options.megabytes * 1e6 / LAYERS / 4) ** 0.5)
    size = side * side * 4 * LAYERS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, side)
        times: dict[str, list[float]] = {way: [] for way in WAYS}
        for _ in range(options.rounds):
            for way in WAYS:
                times[way].append(started(way, folder, side, False)[0])
        copies = {way: started(way, folder, side, True)[1] / size for way in WAYS}
    row = "| {} | {} | {} | {} |" if options.markdown else "{:32} {:>10} {:>10} {:>8}"
    print(row.format("way", "median ms", "least ms", "copies"))
    if options.markdown:
        print("| --- | --- | --- | --- |")
    for way, found in times.items():
        least, median = min(found) * 1e3, statistics.median(found) * 1e3
        print(row.format(way, f"{median:.0f}", f"{least:.0f}", f"{copies[way]:.2f}"))


if __name__ == "__main__":
    main()
