"""The programs over sequences: they reach what they say, and train alike imperatively and hybridized."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

PROGRAMS = Path(__file__).parents[2] / "examples" / "sequences"


def program(name):
    spec = importlib.util.spec_from_file_location(f"sequences_{name}", PROGRAMS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.long
def test_decoders_reach_their_goal():
    """Which the program checks itself: losses, and that both ways to run a step give the same."""
    done = subprocess.run([sys.executable, PROGRAMS / "decoders.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("loss") == 2


@pytest.mark.parametrize("name", ["LLaMA", "GPT"])
def test_a_step_of_a_decoder_gives_the_imperative_losses(name):
    decoders = program("decoders")
    imperative, _ = decoders.train(name, compiled=False, steps=4)
    losses, _ = decoders.train(name, steps=4)
    numpy.testing.assert_allclose(losses, imperative, rtol=2e-5)
    assert losses[-1] < losses[0]
