"""The command as a whole: what it prints, and how it ends."""

import subprocess
import sys
from pathlib import Path

import numpy
import pytest

import hybridize
from hybridize import np, npx
from hybridize.gluon import nn

COMMAND = Path(sys.executable).with_name("hybridize")


def command(*arguments, cwd=None):
    done = subprocess.run([COMMAND, *map(str, arguments)], cwd=cwd, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    at = tmp_path_factory.mktemp("saved")
    net, x = nn.Dense(2), np.ones((3, 4))
    net.initialize()
    net.hybridize()
    net(x)
    net.export(at / "net")
    soft = hybridize.hybridize(lambda x: npx.softmax(x))
    soft(x)
    soft(np.ones((9, 4)))
    soft.save(at / "soft")
    numpy.save(at / "x.npy", x.asnumpy())
    (at / "text.npy").write_text("text")
    numpy.savez(at / "all.npz", x=x.asnumpy())
    pair = hybridize.hybridize(lambda: (np.arange(3), np.ones((2,))))
    pair()
    pair.save(at / "pair")
    return at


def test_version():
    assert command("--version") == (0, f"hybridize {hybridize.__version__}\n", "")


def test_inspect_shows_sizes_that_are_not_known(folder):
    code, shown, _ = command("inspect", "soft", cwd=folder)
    assert code == 0
    assert "f32[3,4]" in shown
    assert "f32[n0,4]" in shown


def test_explain_writes_a_page(folder, tmp_path):
    code, _, errors = command("explain", "net", "--input", "x.npy", "--html", tmp_path / "net.html", cwd=folder)
    assert (code, errors) == (0, "")
    assert "<svg" in (tmp_path / "net.html").read_text()


def test_explain_names_no_line_of_another_program(folder):
    code, shown, errors = command("explain", "net", "--input", "x.npy", cwd=folder)
    assert (code, errors) == (0, "")
    assert "contraction" in shown
    assert ".py:" not in shown


def test_results_are_written(folder):
    assert command("run", "pair", "-o", "first.npy", cwd=folder) == (0, "", "")
    assert command("run", "pair", "-o", "all.npz", cwd=folder) == (0, "", "")
    assert numpy.load(folder / "first.npy").tolist() == [0, 1, 2]
    with numpy.load(folder / "all.npz") as found:
        assert [found[name].tolist() for name in found] == [[0, 1, 2], [1, 1]]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("bench", "--cpu", "4096", "mlp-1"), 2, "CPU 4096 is not one of"),
        (
            ("run", "net", "--input", "text.npy"),
            1,
            "text.npy is not a .npy file of numbers: it does not begin like one",
        ),
        (("run", "net", "--input", "all.npz"), 1, "all.npz is not a .npy file of numbers: it does not begin like one"),
        (("run", "net"), 1, "E333: the block takes data, got 0"),
        (("run", "net", "--input", "x.npy", "-o", "no/such.npy"), 1, "E335: cannot write"),
        (("run", "nothing", "--input", "x.npy"), 2, "nothing does not exist"),
        (("inspect", "text.npy"), 1, "E608"),
    ],
)
def test_mistakes_are_told_without_a_traceback(folder, arguments, code, said):
    ended, _, errors = command(*arguments, cwd=folder)
    assert ended == code
    assert said in errors
    assert "Traceback" not in errors
