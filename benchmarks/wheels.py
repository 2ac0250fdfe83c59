"""A model as a wheel beside ONNX Runtime and PyTorch: a process that computes one result, and what it holds in memory.

    python benchmarks/wheels.py

LeNet, one image. Each way runs in processes of its own, in turn; the table has the smallest CPU time (of all threads)
and the median of the largest resident memory, each above an interpreter that does nothing, and the bytes installed.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy

import hybridize
from hybridize import np
from hybridize.gluon import nn

RUNS = 9
PROGRAMS = {
    "nothing": "pass",
    "wheel, no NumPy": """
import array, sys
sys.path.insert(0, "unpacked")
import lenet
lenet.run(memoryview(array.array("f", bytes(4 * 784))).cast("B").cast("f", (1, 1, 28, 28)))
""",
    "wheel, NumPy": """
import sys
sys.path.insert(0, "unpacked")
import numpy
import lenet
lenet.run(numpy.zeros((1, 1, 28, 28), "f4"))
""",
    "ONNX Runtime": """
import numpy, onnxruntime
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
session = onnxruntime.InferenceSession("lenet.onnx", options, providers=["CPUExecutionProvider"])
session.run(None, {session.get_inputs()[0].name: numpy.zeros((1, 1, 28, 28), "f4")})
""",
    "torch": """
import torch
torch.set_num_threads(1)
from torch import nn
net = nn.Sequential(
    nn.Conv2d(1, 6, 5, padding=2), nn.Sigmoid(), nn.AvgPool2d(2), nn.Conv2d(6, 16, 5), nn.Sigmoid(), nn.AvgPool2d(2),
    nn.Flatten(), nn.Linear(400, 120), nn.Sigmoid(), nn.Linear(120, 84), nn.Sigmoid(), nn.Linear(84, 10),
)
with torch.no_grad():
    net(torch.zeros(1, 1, 28, 28))
""",
}


def get_net():
    hybridize.random.seed(0)
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(6, 5, padding=2, activation="sigmoid"), nn.AvgPool2D(2, 2), nn.Conv2D(16, 5, activation="sigmoid"),
        nn.AvgPool2D(2, 2), nn.Dense(120, activation="sigmoid"), nn.Dense(84, activation="sigmoid"), nn.Dense(10),
    )  # fmt: skip
    net.initialize()
    net.hybridize()
    net(np.zeros((1, 1, 28, 28)))
    return net


TELL = """
with open("/proc/self/status") as file:
    print(*(line.split()[1] for line in file if line.startswith("VmHWM")))
"""


def run(program, folder):
    """The CPU time of a process in milliseconds, and its largest resident memory in megabytes."""
    child = subprocess.Popen([sys.executable, "-c", program + TELL], cwd=folder, stdout=subprocess.PIPE, text=True)
    said = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, program
    return (usage.ru_utime + usage.ru_stime) * 1e3, int(said) / 1e3


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        net = get_net()
        exported = net.export(folder / "lenet", format="wheel")
        net.export(folder / "lenet", format="onnx")
        with zipfile.ZipFile(exported.files[0]) as archive:
            archive.extractall(folder / "unpacked")
        weights = sum(parameter.data().asnumpy().nbytes for parameter in net.collect_params().values())
        installed = sum(file.stat().st_size for file in (folder / "unpacked").rglob("*") if file.is_file())
        print(f"installed: {installed:,} bytes, of them weights {weights:,}")
        found = {title: [] for title in PROGRAMS}
        for _ in range(RUNS):
            for title, program in PROGRAMS.items():
                found[title].append(run(program, folder))
        times = {title: min(time for time, _ in pairs) for title, pairs in found.items()}
        memory = {title: statistics.median(size for _, size in pairs) for title, pairs in found.items()}
        print(f"interpreter alone: {times['nothing']:.1f} ms, {memory['nothing']:.1f} MB")
        for title in list(PROGRAMS)[1:]:
            extra = numpy.subtract((times[title], memory[title]), (times["nothing"], memory["nothing"]))
            print(f"{title:16}  {extra[0]:7.1f} ms  {extra[1]:7.1f} MB")


if __name__ == "__main__":
    main()
