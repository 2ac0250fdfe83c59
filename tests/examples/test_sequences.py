"""The programs over sequences: they reach what they say, and train alike imperatively and hybridized."""

import importlib
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

PROGRAMS = Path(__file__).parents[2] / "examples" / "sequences"
NAMES = ("characters", "translation", "transformer", "bert", "decoders")
LONG = pytest.mark.long
VARIANTS = [
    ("characters", ("LSTM",)), ("translation", ()), ("transformer", ()), ("bert", ()), ("decoders", ("LLaMA",)),
    *(pytest.param(*one, marks=LONG) for one in (("characters", ("RNN",)), ("characters", ("GRU",)), ("decoders", ("GPT",)))),
]  # fmt: skip


@pytest.fixture
def program(monkeypatch):
    """Import a program, as it is started: beside what all of them read."""
    monkeypatch.syspath_prepend(str(PROGRAMS))
    yield importlib.import_module
    for name in (*NAMES, "reading"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(("name", "which"), VARIANTS, ids=lambda one: one if isinstance(one, str) else "".join(one))
def test_steps_give_the_imperative_losses(program, name, which):
    module = program(name)
    imperative, _ = module.train(*which, compiled=False, steps=4)
    losses, _ = module.train(*which, compiled=True, steps=4)
    numpy.testing.assert_allclose(losses, imperative, rtol=2e-5)


def test_what_translates_writes_the_same_both_ways(program):
    """Of a net that has seen a few steps: greedily, imperatively and as one program, and the best of one beam."""
    module = program("translation")
    _, net = module.train(compiled=True, steps=30)
    ((digits, lengths, _),) = module.sequences(1, 20, seed=1)
    written = net.greedy(digits, lengths)
    assert (module.hybridize(net.greedy)(digits, lengths) == written).all()
    assert module.beams(net, digits, lengths).shape == written.shape


def test_what_sorts_writes_the_same_both_ways(program):
    module = program("transformer")
    _, net = module.train(compiled=True, steps=30)
    ((digits, _),) = module.sequences(1, 20, seed=1)
    assert (module.hybridize(net.sort)(digits) == net.sort(digits)).all()


@LONG
@pytest.mark.parametrize("name", NAMES)
def test_programs_reach_their_goal(name):
    """Which they check themselves: losses, accuracies, and that both ways to run a step give the same."""
    done = subprocess.run([sys.executable, PROGRAMS / f"{name}.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
