"""docs/guide/many-machines.md, played: its program, by its commands."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "guide" / "many-machines.md").read_text()
PROGRAM, PARTS, RESUMING = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
INSTALL, STARTS = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
START, TORCHRUN = STARTS.splitlines()


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
@pytest.mark.parametrize("command", [START, TORCHRUN])
def test_the_training_and_its_resumption(tmp_path, command):
    losses = started(tmp_path, PROGRAM, command)
    assert len(losses) == 3
    assert losses[0] > losses[2]
    (tmp_path / "2.states").unlink()  # as after a fault between the two files
    again = altered("for epoch in range(3)", f"{RESUMING}\nfor epoch in range(last + 1, 4)")
    resumed = started(tmp_path, again, command)
    assert len(resumed) == 2
    assert resumed[1] < losses[0]
    assert sorted(file.name for file in tmp_path.glob("*.states")) == ["0.states", "1.states", "2.states", "3.states"]


@pytest.mark.long
def test_the_training_of_one_process_and_without_waiting(tmp_path):
    assert len(started(tmp_path, PROGRAM, "python train.py")) == 3
    text = (
        altered("dist_sync", "dist_async")
        .replace("@hz.hybridize\n", "")
        .replace("        trainer.save_states", "        # ")
    )
    losses = started(tmp_path, text)
    assert len(losses) == 3
    assert losses[0] > losses[2]


@pytest.mark.long
def test_two_machines(tmp_path):
    """The command for several machines, run twice on this one."""
    (command,) = re.findall(r"`(torchrun --nnodes.*?)`", PAGE)
    assert "--nproc-per-node 4" in command
    command = command.replace("--nproc-per-node 4", "--nproc-per-node 1").replace("first:29400", "localhost:29417")
    losses = started(tmp_path, PROGRAM, f"{command} & {command}; wait")
    assert len(losses) == 3


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
        files.append((tmp_path / "2.params").read_bytes())
    started(tmp_path, text, TORCHRUN)
    files.append((tmp_path / "2.params").read_bytes())
    assert len(set(files)) == 1


def test_the_extra_that_the_page_installs_is_there():
    assert INSTALL == 'pip install "hybridize[mpi]"\n'
    project = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    assert re.search(r'^mpi = \["mpi4py', project, re.MULTILINE)
