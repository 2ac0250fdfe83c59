"""Type checkers and editors understand a user's program: no error, no `Any` in results (`typical.py`)."""

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import jedi
import pytest

import hybridize
from hybridize import gluon, np
from hybridize.gluon import nn, rnn

ROOT = Path(hybridize.__file__).parents[1]
TYPICAL = Path(__file__).with_name("typical.py")
PYRIGHT = shutil.which("pyright", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))
NEEDS_PYRIGHT = pytest.mark.skipif(PYRIGHT is None, reason="needs pyright, of the extra [dev]")
NEEDS_MYPY = pytest.mark.skipif(find_spec("mypy") is None, reason="needs mypy, of the extra [dev]")
ENVIRONMENT = {**os.environ, "MYPYPATH": str(ROOT), "PYTHONPATH": str(ROOT)}


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=ENVIRONMENT, check=False)


@NEEDS_MYPY
def test_mypy_finds_no_error():
    done = run(sys.executable, "-m", "mypy", str(TYPICAL))
    assert done.returncode == 0, done.stdout


@NEEDS_PYRIGHT
@pytest.mark.long
def test_pyright_finds_no_error():
    done = run(PYRIGHT, "--pythonpath", sys.executable, "--outputjson", str(TYPICAL))
    report = json.loads(done.stdout)
    assert report["summary"]["filesAnalyzed"] == 1
    assert report["generalDiagnostics"] == []


@NEEDS_MYPY
@pytest.mark.long
def test_checkers_find_errors_at_all(tmp_path):
    """A type that is no longer known would pass every assertion about it if errors were not seen."""
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        TYPICAL.read_text(encoding="utf-8").replace("assert_type(net(x), np.ndarray)", "assert_type(net(x), int)")
    )
    done = run(sys.executable, "-m", "mypy", str(wrong))
    assert 'Expression is of type "ndarray", not "int"' in done.stdout
    if PYRIGHT is not None:
        done = run(PYRIGHT, "--pythonpath", sys.executable, str(wrong))
        assert '"assert_type" mismatch: expected "int" but received "ndarray"' in done.stdout


PROGRAM = """
from hybridize import autograd, gluon, np, npx
from hybridize.gluon import nn, rnn
class Net(nn.HybridBlock):
    def __init__(self):
        super().__init__()
        self.out = nn.Dense(2)
    def forward(self, x):
        return self.out(x)
class Two(nn.Block):
    def forward(self, x):
        return x, [x]
net = nn.HybridSequential()
dense = nn.Dense(3)
x = np.ones((2, 3))
y = dense(x)
"""


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("y.", {"sum", "reshape", "backward"}),
        ("net(x).", {"sum", "reshape", "backward"}),
        ("nn.Sequential()(x).", {"sum", "reshape", "backward"}),
        ("Net()(x).", {"sum", "reshape", "backward"}),
        ("Net().out(x).", {"sum", "reshape", "backward"}),
        ("Two()(x)[1].", {"append", "sort"}),
        ("rnn.LSTM(8)(x).", {"sum", "reshape", "backward"}),
        ("gluon.loss.L2Loss()(x, x).", {"sum", "reshape", "backward"}),
        ("net.load_from('x').", {"rows", "names"}),
        ("np.tanh(x).", {"sum", "shape"}),
        ("npx.softmax(x).", {"sum", "shape"}),
        ("x.sum().", {"reshape", "backward"}),
        ("net.", {"hybridize", "initialize", "export", "collect_params", "save_parameters"}),
        ("np.", {"tanh", "random", "linalg", "concatenate"}),
        ("np.random.", {"normal", "randint"}),
        ("gluon.", {"Trainer", "nn", "loss", "data"}),
        ("autograd.", {"record", "backward", "grad"}),
    ],
)
def test_jedi_completes(line, names):
    """As most editors without Pyright do."""
    script = jedi.Script(PROGRAM + line, project=jedi.Project(ROOT, added_sys_path=[str(ROOT)]))
    found = {one.name for one in script.complete(len((PROGRAM + line).splitlines()), len(line))}
    assert names <= found, sorted(names - found)


@pytest.mark.parametrize("line", ["dense(x).", "net(x).", "loss_fn(x, x).", "lstm(x).", "x.sum()."])
def test_jedi_completes_in_a_session(line):
    """As IPython does, beside the objects themselves."""
    session = {"net": nn.HybridSequential(), "dense": nn.Dense(3), "lstm": rnn.LSTM(8), "x": np.ones((2, 3))}
    session["net"].add(session["dense"])
    session["loss_fn"] = gluon.loss.L2Loss()
    found = {one.name for one in jedi.Interpreter(line, [session]).complete()}
    assert {"sum", "reshape", "copy"} <= found, sorted(found)


@NEEDS_PYRIGHT
@pytest.mark.long
def test_public_names_have_types():
    """Of all names of the package, its own rooms among them."""
    done = run(
        PYRIGHT, "--pythonpath", sys.executable, "--verifytypes", "hybridize", "--ignoreexternal", "--outputjson"
    )
    report = json.loads(done.stdout)["typeCompleteness"]
    assert report["completenessScore"] >= LEAST


LEAST = 0.99
"""The share of names, those of the inner rooms among them, whose types are known; users' names are asked above."""
