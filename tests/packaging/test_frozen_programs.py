# SPDX-License-Identifier: Apache-2.0
"""Programs that PyInstaller or cx_Freeze froze, run where their sources are not: right, or told what is missing.

And modules that Nuitka compiled, whose functions have no bytecode: nets run, functions are refused.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hybridize
from hybridize.formats import checking
from hybridize.formats.library import cross
from hybridize.tools import freezing

CHECKOUT = str(Path(hybridize.__file__).parents[1])
FREEZERS = Path(CHECKOUT, ".freezers/bin/python")
"""Python beside the tools that freeze: `make test-long` makes it."""

MODULE = """
def branch(x):
    if x.sum() > 0:
        return x * 2
    return x - 1
"""

PROGRAM = """
import sys
from hybridize import autograd, gluon, hybridize, load, np
from hybridize.gluon import nn
from model.parts import branch

def told(name, call):
    try:
        print(name, "right" if call() else "wrong")
    except Exception as error:
        print(name, str(error).replace(chr(10), " "))

x = np.ones((2, 3))
net = nn.HybridSequential()
net.add(nn.Dense(4, activation="relu"), nn.BatchNorm(), nn.Dense(2))
net.initialize()
expected = net(x)
net.hybridize()
told("net", lambda: abs(net(x) - expected).max() < 1e-6)
trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 1e-2})
loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()

@hybridize
def train(x, y):
    with autograd.record():
        loss = loss_fn(net(x), y)
    loss.backward()
    trainer.step(len(x))
    return loss.mean()

losses = [float(train(x, np.array([0, 1]))) for _ in range(3)]
told("step", lambda: losses[-1] <= losses[0] + 1e-3)
told("lambda", lambda: hybridize(lambda x: np.exp(x))(x).sum() > 16)
told("export", lambda: "this program is frozen" in str(net.export("net", format="library")))
told("pair", lambda: bool(net.export("net")) and gluon.SymbolBlock.imports("net-symbol.json", ["data"], "net-0000.params")(x).shape == (2, 2))
told("branch", lambda: hybridize(branch)(x).sum() == 12 and hybridize(branch)(-x).sum() == -12)
"""


def test_an_export_of_a_frozen_program_starts_it_no_second_time(monkeypatch, tmp_path):
    """`sys.executable` is the program there: the check of a library would run it again, which would export again."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    started = []
    monkeypatch.setattr(checking.subprocess, "run", lambda command, **_: started.append(command))
    double = hybridize.hybridize(lambda x: x * 2)
    double(hybridize.np.ones(3))
    report = str(double.export(str(tmp_path / "twice"), format="object"))
    assert "not run: this program is frozen" in report and not started
    assert (cross.zig() or [""])[0] != sys.executable


def freeze(tool, folder, data):
    source = folder / "source"
    (source / "model").mkdir(parents=True)
    (source / "app.py").write_text(PROGRAM)
    (source / "model/__init__.py").write_text("")
    (source / "model/parts.py").write_text(MODULE)
    environment = {**os.environ, "PYTHONPATH": CHECKOUT}
    if tool == "cx_Freeze":
        (source / "setup.py").write_text(
            "from cx_Freeze import setup\n"
            "options = {'packages': ['hybridize'], 'excludes': ['torch', 'tensorflow', 'jax'], 'build_exe': 'dist/app'}\n"
            "setup(name='app', version='1', executables=['app.py'], options={'build_exe': options})\n"
        )
        command = [FREEZERS, "setup.py", "build_exe"]
    else:
        command = [
            FREEZERS, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN", f"--{tool}", "--paths", CHECKOUT,
            "--exclude-module", "torch", "--exclude-module", "tensorflow", "--exclude-module", "jax",
            "--additional-hooks-dir", freezing.hook_folders()[0], "app.py",
        ]  # fmt: skip
        command[-1:-1] = ["--add-data", "model/parts.py:model"] * data
    subprocess.run(command, cwd=source, env=environment, check=True, capture_output=True, timeout=900)
    built = source.rename(folder / "moved") / "dist/app"
    return built if built.is_file() else built / "app"


@pytest.mark.long
@pytest.mark.parametrize(
    ("tool", "data"), [("onedir", False), ("onedir", True), ("onefile", True), ("cx_Freeze", False)]
)
def test_a_frozen_program(tool, data, tmp_path):
    if not FREEZERS.exists():
        pytest.skip("make test-long installs the tools")
    program = freeze(tool, tmp_path, data)
    work = tmp_path / "work"
    work.mkdir()
    variables = {"PATH": os.environ["PATH"], "HYBRIDIZE_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run([program], cwd=work, env=variables, capture_output=True, text=True, timeout=300, check=False)
    *lines, last = done.stdout.splitlines()
    assert lines == [f"{name} right" for name in ("net", "step", "lambda", "export", "pair")], done.stdout + done.stderr
    if data:
        assert last == "branch right"
    else:
        assert "E401" in last and "as this program is frozen" in last and "add the file to what is frozen" in last


COMPILED = """
from hybridize import gluon, hybridize, np
from hybridize.gluon import nn

class Own(gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        self.inner = nn.Dense(3)

    def forward(self, x):
        return self.inner(x) * 2

def plain(x):
    return np.exp(x) + 1

def told(name, call):
    try:
        print(name, "right" if call() else "wrong")
    except Exception as error:
        print(name, str(error).replace(chr(10), " "))

x = np.ones((2, 3))
net = nn.HybridSequential()
net.add(nn.Dense(4, activation="relu"), nn.BatchNorm(), nn.Dense(2))
own = Own()
for one in (net, own):
    one.initialize()
expected, theirs = net(x), own(x)
net.hybridize()
own.hybridize()
told("net", lambda: abs(net(x) - expected).max() < 1e-6)
told("export", lambda: bool(net.export("net")))
told("own", lambda: abs(own(x) - theirs).max() < 1e-6)
told("plain", lambda: hybridize(plain)(x))
told("method", lambda: hybridize(own.forward)(x))
"""


@pytest.mark.long
@pytest.mark.skipif(shutil.which("cc") is None, reason="Nuitka needs a C compiler")
def test_a_module_that_nuitka_compiled(tmp_path):
    if not FREEZERS.exists():
        pytest.skip("make test-long installs the tools")
    source = tmp_path / "model.py"
    source.write_text(COMPILED)
    environment = {**os.environ, "PYTHONPATH": CHECKOUT, "HYBRIDIZE_CACHE_DIR": str(tmp_path / "cache")}
    command = [FREEZERS, "-m", "nuitka", "--module", "--remove-output", source]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True, timeout=900)
    source.unlink()
    command = [FREEZERS, "-c", "import model; print(type(model.plain).__name__)"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    *right, own, plain, method, kind = done.stdout.splitlines()
    assert right == ["net right", "export right"] and kind == "compiled_function", done.stdout + done.stderr
    for name, line in (("forward", own), ("plain", plain), ("forward", method)):
        assert f"E403: {name}() is a compiled_function: a tool has compiled it to machine code" in line
        assert "leave its module out of what the tool compiles" in line
