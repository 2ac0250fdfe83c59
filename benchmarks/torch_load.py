# SPDX-License-Identifier: Apache-2.0
"""A deployed encoder, from its file to its first result in a new process, beside ONNX Runtime: time and memory.

    python benchmarks/torch_load.py [--rounds 5] [--markdown]

The encoder is like MiniLM (6 layers of 384, 12 heads, 1536 within, 30522 words), with random weights, for any number
of words; it is run on 64. Ours is what `save` writes of the hybridized module; the other is the same module by
`torch.onnx.export`. Each process has imported NumPy and the runtime when its clock starts; `whole process` counts that
too.
Ways take turns, on one thread; files are in the page cache.
"""

from __future__ import annotations

import compileall
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from paired import parser, run_on, table

import hybridize

LOADS = {
    "hybridize": (
        "from hybridize import load",
        "result = load(file, images=True)(ids, mask)",
    ),
    "hybridize, frozen": (
        "from hybridize import load",
        "result = load(file, images=True)(ids, mask)",
    ),
    "ONNX Runtime": (
        "import onnxruntime",
        "options = onnxruntime.SessionOptions()\n"
        "options.intra_op_num_threads = 1\n"
        "session = onnxruntime.InferenceSession(file, options, providers=['CPUExecutionProvider'])\n"
        "result = session.run(None, {'ids': ids, 'mask': mask})[0]",
    ),
}
"""What a process imports, and what it does in its time."""
FILES = {"hybridize": "minilm.hyb", "hybridize, frozen": "minilm_frozen.hyb", "ONNX Runtime": "minilm.onnx"}
PROCESS = """
import json, sys, time
import numpy
{imports}
file, folder = sys.argv[1:]
ids, mask = (numpy.load(folder + "/" + name + ".npy") for name in ("ids", "mask"))
begin = time.perf_counter()
{load}
seconds = time.perf_counter() - begin
with open("/proc/self/status") as status:
    resident = next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) * 1024
numpy.testing.assert_allclose(numpy.asarray(result), numpy.load(folder + "/expected.npy"), rtol=1e-3, atol=1e-5)
assert "llvmlite" not in sys.modules
print(json.dumps([seconds, resident]))
"""
"""A process: Python for `-c`."""


def write(folder: Path) -> None:
    """Write what the processes load, and what has to come out."""
    import numpy
    import torch
    from torch_modules import MiniLM

    from hybridize import hybridize

    net = MiniLM().eval()
    ids, mask = torch.randint(0, 30522, (1, 64)), torch.ones(1, 64, dtype=torch.int64)
    with torch.no_grad():
        for name, array in (("ids", ids), ("mask", mask), ("expected", net(ids, mask))):
            numpy.save(folder / f"{name}.npy", array.numpy())
        for way, freeze in (("hybridize", False), ("hybridize, frozen", True)):
            fast = hybridize(net, dynamic=True, freeze=freeze)
            fast(ids, mask)
            fast.save(folder / FILES[way])
        torch.onnx.export(
            net, (ids, mask), folder / FILES["ONNX Runtime"], input_names=["ids", "mask"], output_names=["embedding"],
            dynamic_axes={name: {0: "batch", 1: "words"} for name in ("ids", "mask")}, opset_version=17, dynamo=False,
        )  # fmt: skip


def started(way: str, folder: Path) -> tuple[float, float, float]:
    """Seconds from the file to the first result, those of the whole process, and bytes resident after that result."""
    imports, load = LOADS[way]
    environment = {**os.environ, "HYBRIDIZE_CACHE": "0", "HYBRIDIZE_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-c", PROCESS.format(imports=imports, load=load), str(folder / FILES[way]), str(folder)]
    begin = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    whole = time.perf_counter() - begin
    seconds, resident = json.loads(done.stdout)
    return seconds, whole, resident


def main() -> None:
    options = parser(__doc__, rounds=5).parse_args()
    run_on(options.cpu)
    compileall.compile_dir(Path(hybridize.__file__).parent, quiet=2)  # as installed packages are
    samples: dict[str, list[tuple[float, float, float]]] = {way: [] for way in LOADS}
    with tempfile.TemporaryDirectory() as folder:
        writing = [sys.executable, "-W", "ignore", "-c", "import sys; from pathlib import Path; import torch_load; "]
        writing[-1] += "torch_load.write(Path(sys.argv[1]))"
        subprocess.run([*writing, folder], check=True, cwd=Path(__file__).parent, capture_output=True)
        for turn in range(options.rounds + 1):
            for way in LOADS:
                found = started(way, Path(folder))
                if turn:  # the first fills the page cache
                    samples[way].append(found)
    figures, rows = {}, []
    for way, found in samples.items():
        columns = [[one[k] for one in found] for k in range(3)]
        peers = [[one[k] for one in samples["ONNX Runtime"]] for k in range(3)]
        ratios = [
            statistics.median(a / b for a, b in zip(*pair, strict=True)) for pair in zip(columns, peers, strict=True)
        ]
        seconds, whole, resident = (statistics.median(column) for column in columns)
        rows.append(
            (
                way,
                f"{1e3 * seconds:.0f} ms",
                f"{ratios[0]:.2f}",
                f"{1e3 * whole:.0f} ms",
                f"{ratios[1]:.2f}",
                f"{resident / 1e6:.0f} MB",
                f"{ratios[2]:.2f}",
            )
        )
        if way != "ONNX Runtime":
            for name, ratio in zip(("time", "whole process", "resident"), ratios, strict=True):
                figures[f"{way}: {name} ÷ ONNX Runtime"] = ratio
    table(("row", "first result", "÷", "whole process", "÷", "resident", "÷"), rows, options.markdown, ("row",))
    if options.figures:
        options.figures.write_text(json.dumps(figures))


if __name__ == "__main__":
    main()
