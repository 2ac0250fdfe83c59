"""What the programs of this folder share: text and samples, of which a part is held out; steps that learn; a table."""

import argparse
import functools
import itertools
import pydoc_data.topics
import re
import sys
from typing import NamedTuple

import numpy
from rich.console import Console
from rich.progress import track
from rich.table import Table

from hybridize import autograd, gluon, hybridize, np

LETTERS = 96
"""Letters that are told apart: the printable ones of ASCII."""


@functools.cache
def text(held_out=False):
    """What `help()` shows of Python, with single spaces: nine tenths to learn from, or the tenth to be measured on.

    Topics quote each other: a paragraph stands once, where it is first, so that none is in both parts. Of each hundred
    the last ten are held out.
    """
    topics = re.sub(r"([^\w\s])\1{3,}", r"\1", "\n\n".join(pydoc_data.topics.topics.values()))  # without rulers
    paragraphs = dict.fromkeys(" ".join(paragraph.split()) for paragraph in topics.split("\n\n"))
    return " ".join(one for number, one in enumerate(paragraphs) if (number % 100 >= 90) == held_out)


def numbers_of(letters):
    """Numbers of letters; those that are not printable ASCII are spaces."""
    codes = numpy.frombuffer(letters.encode("ascii", "replace"), numpy.uint8).astype("i8") - 32
    return numpy.where((codes >= 0) & (codes < LETTERS - 1), codes, 0)


def letters_of(numbers):
    """The text of numbers."""
    return "".join(chr(int(number) + 32) for number in numbers)


def indented(letters):
    """Text in lines of 80 columns at most, two of them spaces."""
    return "\n".join(f"  {letters[first : first + 78]}" for first in range(0, len(letters), 78))


def pieces(count, batch, length):
    """Batches of random pieces of the text, [batch, length + 1]: each letter is to be told from those before it."""
    every = numbers_of(text())
    rng = numpy.random.default_rng(0)
    firsts = rng.integers(0, len(every) - length, (count, batch, 1))
    return [[np.array(every[first + numpy.arange(length + 1)], dtype="int64")] for first in firsts]


def pieces_held_out(length):
    """All of the text that is held out, one piece after the other, [pieces, length + 1]."""
    every = numbers_of(text(held_out=True))
    firsts = numpy.arange(0, len(every) - length, length)[:, None]
    return np.array(every[firsts + numpy.arange(length + 1)], dtype="int64")


def cost_of_letters(net, piece):
    """Nats a letter: of those after the first, each told from those before it in its piece."""
    return gluon.loss.SoftmaxCrossEntropyLoss()(net(piece[:, :-1]), piece[:, 1:]).mean()


def cost_of_pairs():
    """Nats a letter of the text that is held out to who knows only the letter before, and counted the others."""
    counts = numpy.full((LETTERS, LETTERS), 0.1)
    every = numbers_of(text())
    numpy.add.at(counts, (every[:-1], every[1:]), 1)
    every = numbers_of(text(held_out=True))
    return float(-numpy.log(counts / counts.sum(1, keepdims=True))[every[:-1], every[1:]].mean())


def samples(draw, steps, batch, held_out, key=tuple):
    """Batches of samples to learn from, and others, no two alike, that are drawn before and like none of these.

    Args:
        draw: gives a sample, of a random generator.
        held_out: how many others.
        key: samples of one key are alike.
    """
    rng, others = numpy.random.default_rng(0), {}
    while len(others) < held_out:
        sample = draw(rng)
        others.setdefault(key(sample), sample)
    drawn = (draw(rng) for _ in itertools.count())
    allowed = (sample for sample in drawn if key(sample) not in others)
    return [list(itertools.islice(allowed, batch)) for _ in range(steps)], list(others.values())


def learn(name, loss_of, trainer, batches, compiled):
    """Take a step for each batch, and return their losses.

    Args:
        name: what learns, for the progress bar, which is shown on terminals.
        loss_of: gives the loss of the arrays of a batch.
        trainer: updates the parameters.
        batches: lists of arrays.
        compiled: True for a step that is one program: forward, backward and update.
    """

    def step(*arrays):
        with autograd.record():
            loss = loss_of(*arrays)
        loss.backward()
        trainer.step(1)
        return loss

    run, console = hybridize(step) if compiled else step, Console(stderr=True)
    shown = track(batches, name, console=console, transient=True, disable=not console.is_terminal)
    return [float(run(*arrays)) for arrays in shown]


def learn_letters(name, net, size, batches, compiled):
    """The losses of all steps of a model of text, and the model."""
    net.initialize("xavier")
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": size.rate})
    return learn(name, functools.partial(cost_of_letters, net), trainer, batches, compiled), net


def tell_letters(models, train, size, prompt, writers):
    """Train models of text both ways, show how each goes on where a prompt ends, and end with a table.

    Args:
        models: their names.
        train: `train(name, size, batches, compiled)` gives the losses and the net.
        size: of nets, batches and steps, and the goal.
        prompt: text.
        writers: gives the generators of a net.
    """
    outcomes = [Outcome("letter before", None, "next letter", cost_of_pairs(), most=True)]
    batches, held_out = pieces(size.steps, size.batch, size.time), pieces_held_out(size.time)
    for name in models:
        net = both_ways(functools.partial(train, name, size), batches)
        for writer in writers(net, size):
            writer.hybridize()
            letters = writer(np.array(numbers_of(prompt)[None], dtype="int64"))[0].asnumpy().reshape(-1)
            print(f"{name}, {type(writer).__name__}:", indented(prompt + letters_of(letters)), sep="\n")
        cost = float(hybridize(cost_of_letters)(net, held_out))
        outcomes.append(Outcome(name, parameters(net), "next letter", cost, size.goal, most=True))
    end(outcomes)


def both_ways(train, batches):
    """Train with the step as one program, and raise unless its first losses are the imperative ones.

    Args:
        train: `train(batches, compiled)` gives the losses and the net.
        batches: one for each step.

    Returns:
        The net.
    """
    imperative, _ = train(batches[:5], compiled=False)
    losses, net = train(batches, compiled=True)
    numpy.testing.assert_allclose(losses[:5], imperative, rtol=2e-5)
    return net


def chosen(full, small, about):
    """The size that the command line asks for.

    Args:
        about: a program's docstring.
    """
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="a small net that learns for seconds")
    return small if parser.parse_args().small else full


def parameters(net):
    """How many numbers a net learns."""
    return sum(parameter.data().size for parameter in net.collect_params().values() if parameter.grad_req != "null")


class Outcome(NamedTuple):
    """A row of the table that ends a program."""

    model: str
    parameters: int | None
    what: str
    found: float
    goal: float | None = None
    """None where nothing is asked."""
    most: bool = False
    """Whether the goal is the most that may be found (nats), or the least (shares)."""

    def words(self):
        form, relation = ("{:.2f} nats", "<=") if self.most else ("{:.1%}", ">=")
        learned = "" if self.parameters is None else f"{self.parameters:,}"
        goal = "" if self.goal is None else f"{relation} {form.format(self.goal)}"
        return self.model, learned, self.what, form.format(self.found), goal

    def reached(self):
        return self.goal is None or (self.found <= self.goal if self.most else self.found >= self.goal)


def end(outcomes):
    """Show what was found, and leave the program: with an error where a goal is missed."""
    table = Table(
        "model", "parameters", "measured", "found", "goal", title="Of what training never saw", title_justify="left"
    )
    for outcome in outcomes:
        table.add_row(*outcome.words(), style=None if outcome.reached() else "bold red")
    Console().print(table)
    missed = [outcome.model for outcome in outcomes if not outcome.reached()]
    sys.exit(f"missed its goal: {', '.join(missed)}" if missed else 0)
