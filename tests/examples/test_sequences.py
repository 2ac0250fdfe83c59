"""The programs over sequences: they reach what they say of what training never saw, and train alike both ways."""

import functools
import importlib
import re
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

from hybridize import gluon

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "examples" / "sequences"
MODELS = {
    "characters": ("RNN", "GRU", "LSTM"), "decoders": ("LLaMA", "GPT"), "translation": ("GRU with attention",),
    "transformer": ("Transformer",), "bert": ("BERT",),
}  # fmt: skip


@pytest.fixture
def program(monkeypatch):
    """Import a program, as it is started: beside what all of them read."""
    monkeypatch.syspath_prepend(str(PROGRAMS))
    yield importlib.import_module
    for name in (*MODELS, "reading"):
        sys.modules.pop(name, None)


def test_all_programs_are_tried():
    assert {path.stem for path in PROGRAMS.glob("*.py")} == {*MODELS, "reading"}


@pytest.mark.parametrize("count", [1, 78, 79, 160])
def test_what_a_net_writes_is_shown_in_lines_of_80_columns(count, program):
    lines = program("reading").indented("x" * count).splitlines()
    assert "".join(line.removeprefix("  ") for line in lines) == "x" * count
    assert max(map(len, lines)) <= 80


def reaches_its_goals(name, *arguments):
    """Which it checks itself: losses, accuracies, and that both ways to run a step give the same."""
    done = subprocess.run([sys.executable, PROGRAMS / f"{name}.py", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == "", "there is no progress bar but on a terminal"
    assert max(map(len, done.stdout.splitlines())) <= 80
    rows = [line for line in done.stdout.splitlines() if re.search(r"[<>]= \d", line)]
    assert all(any(f" {model} " in row for row in rows) for model in MODELS[name])


SLOW = {"characters", "translation"}
"""Of what nets learn here, the others have all kinds: layers of tests/gluon/rnn, attention, words."""


@pytest.mark.parametrize("name", [pytest.param(one, marks=[pytest.mark.long] if one in SLOW else []) for one in MODELS])
def test_small_nets_reach_their_goals(name):
    reaches_its_goals(name, "--small")


@pytest.mark.long
@pytest.mark.parametrize("name", MODELS)
def test_nets_reach_their_goals(name):
    reaches_its_goals(name)


@pytest.mark.parametrize("name", MODELS)
def test_nets_that_have_not_learned_fail(program, monkeypatch, name):
    module = program(name)
    held_out = module.reading.pieces_held_out
    monkeypatch.setattr(module.reading, "pieces_held_out", lambda length: held_out(length)[:50])
    monkeypatch.setattr(module.reading, "both_ways", lambda train, batches: train(batches[:1], compiled=False)[1])
    for one in (module, module.reading):
        monkeypatch.setattr(one, "hybridize", lambda function: function, raising=False)
    monkeypatch.setattr(gluon.HybridBlock, "hybridize", lambda block: None)
    with pytest.raises(SystemExit, match="missed its goal") as left:
        module.main(module.SMALL)
    assert all(model in left.value.code for model in MODELS[name])


def test_goals(program, capsys):
    """Of shares the least, of costs the most; what is not a number misses both."""
    reading = program("reading")
    for found, most, goal, code in (
        (0.9, False, 0.9, 0), (0.8, False, 0.9, 1), (2.0, True, 2.1, 0), (2.2, True, 2.1, 1),
        (numpy.nan, False, 0.9, 1), (numpy.nan, True, 2.1, 1), (0.1, False, None, 0),
    ):  # fmt: skip
        with pytest.raises(SystemExit) as left:
            reading.end([reading.Outcome("net", 1234, "what", found, goal, most)])
        assert bool(left.value.code) == code
        assert "1,234" in capsys.readouterr().out


def test_losses_that_differ_are_an_error(program):
    reading = program("reading")

    def train(batches, compiled, wrong):
        return [1.0 + wrong * compiled * (step == 4) for step, _ in enumerate(batches)], "net"

    assert reading.both_ways(functools.partial(train, wrong=0), range(9)) == "net"
    with pytest.raises(AssertionError):
        reading.both_ways(functools.partial(train, wrong=1e-3), range(9))


def test_text_that_is_held_out_is_not_learned_from(program):
    """Hardly a phrase of it, and no long one, though topics of the help quote each other."""
    reading = program("reading")
    learned, held_out = reading.text(), reading.text(held_out=True)
    assert 0.08 < len(held_out) / len(learned + held_out) < 0.12
    for length, most in ((60, 0.02), (150, 0.002)):
        parts = [held_out[at : at + length] for at in range(0, len(held_out) - length, length // 2)]
        assert sum(part in learned for part in parts) <= most * len(parts)


@pytest.mark.parametrize("size", ["FULL", "SMALL"])
@pytest.mark.parametrize(
    ("name", "key"), [("translation", tuple), ("transformer", lambda digits: tuple(sorted(digits)))]
)
def test_sequences_that_are_held_out_are_not_learned_from(program, name, key, size):
    module = program(name)
    size = getattr(module, size)
    batches, others = module.sequences(size)
    assert (len(batches), len(batches[0]), len(others)) == (size.steps, size.batch, size.held_out)
    others = {key(digits) for digits in others}
    assert len(others) == size.held_out
    assert others.isdisjoint(key(digits) for batch in batches for digits in batch)


def test_what_translates_writes_the_same_both_ways(program):
    """Of a net that has seen a few steps: greedily, imperatively and as one program, and the best of one beam."""
    module = program("translation")
    size = module.SMALL._replace(steps=15)
    batches, others = module.sequences(size)
    _, net = module.train(size, [module.arrays_of(batch, size.longest) for batch in batches], compiled=False)
    digits, lengths, _ = module.arrays_of(others[:20], size.longest)
    written = net.greedy(digits, lengths)
    assert (module.hybridize(net.greedy)(digits, lengths) == written).all()
    assert module.beams(net, digits, lengths).shape == written.shape


def test_what_sorts_writes_the_same_both_ways(program):
    module = program("transformer")
    size = module.SMALL._replace(steps=15)
    batches, others = module.sequences(size)
    _, net = module.train(size, list(map(module.arrays_of, batches)), compiled=False)
    digits, _ = module.arrays_of(others[:20])
    assert (module.hybridize(net.sort)(digits) == net.sort(digits)).all()


def net_of(module, name, model):
    """A net of full size that has taken a step."""
    size = module.FULL._replace(steps=1, batch=1)
    if name in ("characters", "decoders"):
        return module.train(model, size, module.reading.pieces(1, 1, 4), compiled=False)[1]
    if name == "bert":
        batches = list(module.pairs(module.words_of(size)[0], size, 1, 1))
    else:
        batch, longest = module.sequences(size)[0][0], (size.longest,) if name == "translation" else ()
        batches = [module.arrays_of(batch, *longest)]
    return module.train(size, batches, compiled=False)[1]


@pytest.mark.parametrize("name", MODELS)
def test_the_guide_says_how_large_nets_are_and_what_is_asked(program, name):
    module = program(name)
    page = (ROOT / "docs" / "guide" / "sequences.md").read_text()
    (row,) = re.findall(rf"^\| \[{name}\.py\].*$", page, re.MULTILINE)
    _, _, learned, _, found, asked = row.strip("| ").split(" | ")
    nets = [net_of(module, name, model) for model in MODELS[name]]
    assert re.findall(r"\d+,\d+", learned) == [f"{module.reading.parameters(net):,}" for net in nets]
    assert f"after {module.FULL.steps:,} steps" in found
    goals = [module.FULL.goal, module.SMALL.goal]
    form = "{:.2f} nats, {:.2f}" if goals[0] > 1 else "{:.0%}, {:.0%}"
    assert asked.replace(" %", "%") == form.format(*goals)
