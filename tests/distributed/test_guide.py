"""docs/guide/many-machines.md, played: its program, by its command."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "guide" / "many-machines.md").read_text()
PROGRAM, PARTS, RESUMING = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
INSTALL, START = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)


def started(folder, program, command=START):
    """What a program prints in a folder, by a command that names it train.py."""
    (folder / "train.py").write_text(program)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    result = subprocess.run(
        command, shell=True, cwd=folder, capture_output=True, text=True, timeout=120, env=os.environ | {"PATH": path}
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return [float(one) for one in re.findall(r"loss (.*)", result.stdout)]


def altered(old, new):
    assert old in PROGRAM
    return PROGRAM.replace(old, new)


@pytest.mark.long
def test_the_training_and_its_resumption(tmp_path):
    losses = started(tmp_path, PROGRAM)
    assert len(losses) == 3
    assert losses[0] > losses[2]
    resumed = started(tmp_path, altered("samples = ", RESUMING + "\nsamples = "))
    assert len(resumed) == 3
    assert resumed[2] < losses[0]
    assert len(started(tmp_path, PROGRAM, "python train.py")) == 3


@pytest.mark.long
def test_the_same_bits(tmp_path):
    files = []
    text = altered("kvstore=kv", "kvstore=kv, deterministic=True").replace("net.initialize()\n", "")
    devices, initialize, split = PARTS.splitlines()
    text = text.replace("trainer = ", f"hz.random.seed(1)\n{devices}\n{initialize}\ntrainer = ")
    text = text.replace("loss = loss_of(net(x), y)", "losses = [loss_of(net(x), y) for x, y in zip(xs, ys)]")
    text = text.replace("    with autograd", f"    {split}\n    {split.replace('x', 'y')}\n    with autograd")
    text = text.replace("    loss.backward()", "    autograd.backward(losses)").replace(
        "loss.mean()", "losses[0].mean()"
    )
    text = text.replace(
        "for x, y in loader:",
        "for k in range(0, 640, 64):\n"
        "        x, y = samples[k + kv.rank * 64 // kv.num_workers : k + (kv.rank + 1) * 64 // kv.num_workers]",
    )
    for ranks in (1, 2, 4):
        started(tmp_path, text, f"mpirun -n {ranks} python train.py")
        files.append((tmp_path / "net.params").read_bytes())
    assert files[0] == files[1] == files[2]


def test_the_extra_that_the_page_installs_is_there():
    assert INSTALL == 'pip install "hybridize[mpi]"\n'
    project = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    assert re.search(r'^mpi = \["mpi4py', project, re.MULTILINE)
