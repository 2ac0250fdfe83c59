"""Errors come from other processes as they were raised: class, code, words, line, notes."""

import copy
import multiprocessing
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import cloudpickle
import pytest

import hybridize
import hybridize.gluon.probability
from hybridize import errors, np
from hybridize.base.locations import SourceLoc
from hybridize.errors import HybridizeError, ShapeError
from hybridize.gluon import nn
from tests.refusals import refusal

WAYS = {
    "pickled": lambda one: pickle.loads(pickle.dumps(one)),
    "by protocol 2": lambda one: pickle.loads(pickle.dumps(one, 2)),
    "by cloudpickle": lambda one: pickle.loads(cloudpickle.dumps(one)),
    "copied": copy.copy,
    "copied deeply": copy.deepcopy,
}


def below(kind):
    for one in kind.__subclasses__():
        yield one
        yield from below(one)


CLASSES = [HybridizeError, *{one: None for one in below(HybridizeError) if one._home[0].startswith("hybridize.")}]


def test_all_are_tried():
    assert {getattr(errors, name) for name in errors.__all__} <= set(CLASSES)
    assert any(kind._home[0] != "hybridize.base.errors" for kind in CLASSES)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind._home[1])
def test_every_class(kind, way):
    error = kind.__new__(kind) if not issubclass(kind, OSError) else OSError.__new__(kind)
    HybridizeError.__init__(error, "E100", "what is wrong", help="what to do", loc=SourceLoc("gone.py", 7, "f"))
    error.add_note("a note")
    error.within = "Dense (net.0)"
    again = WAYS[way](error)
    assert type(again) is kind
    assert str(again) == str(error)
    for name in ("args", "code", "what", "help", "loc", "within", "__notes__"):
        assert getattr(again, name) == getattr(error, name)
    assert str(WAYS[way](again)) == str(error)


@pytest.mark.parametrize("way", WAYS)
def test_those_of_the_system_keep_its_number(way, tmp_path):
    with pytest.raises(errors.ReadError) as caught:
        hybridize.load(tmp_path / "absent")
    again = WAYS[way](caught.value)
    assert (again.errno, again.strerror, again.filename) == (2, "No such file or directory", str(tmp_path / "absent"))
    assert str(again) == str(caught.value)


def test_the_line_is_quoted_where_its_file_is_not(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(
        "import pickle, sys\nfrom hybridize import np\ntry:\n    np.ones((2, 3)).reshape(5)  # here\n"
        "except Exception as error:\n    sys.stdout.buffer.write(pickle.dumps(error))\n"
    )
    content = subprocess.run([sys.executable, path], capture_output=True, check=True).stdout
    path.unlink()
    again = pickle.loads(content)
    assert "program.py:4 in <module>:  np.ones((2, 3)).reshape(5)  # here" in str(again)
    assert again.loc.line == 4


def test_classes_of_users(monkeypatch):
    assert type(pickle.loads(pickle.dumps(Own("E100", "mine")))) is Own

    class Local(errors.ShapeError):
        """Nobody finds it."""

    again = pickle.loads(pickle.dumps(Local("E100", "mine")))
    assert type(again) is errors.ShapeError
    assert again.what == "mine"


class Own(errors.ShapeError):
    """Of this file."""


def fails(kind):
    if kind == "shape":
        return np.ones((2, 3)).reshape(5)
    return np.ones(3)[7]


@pytest.mark.parametrize(("kind", "wanted"), [("shape", errors.ShapeError), ("index", IndexError)])
def test_a_pool_raises_it(kind, wanted):
    with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool, refusal(wanted, "E1") as caught:
        pool.submit(fails, kind).result(60)
    assert f"{Path(__file__).name}" in str(caught.value)
    assert "in fails:  return np.ones" in str(caught.value)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("hybrid", [False, True], ids=["imperative", "hybridized"])
def test_those_that_left_blocks(way, hybrid):
    net = nn.HybridSequential()
    net.add(nn.Dense(3, in_units=2))
    net.initialize()
    net.hybridize(hybrid)
    with pytest.raises(ShapeError) as caught:
        net(np.ones((1, 5)))
    again = WAYS[way](caught.value)
    assert str(again) == str(caught.value)
    assert "'0' of HybridSequential" in again.within
