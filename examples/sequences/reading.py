"""What the programs of this folder read: the text that Python's `help()` shows, as numbers, and steps that learn."""

import pydoc_data.topics

import numpy

from hybridize import autograd, hybridize, np

LETTERS = 96
"""Letters that are told apart: the printable ones of ASCII."""


def text():
    """All topics of `help()`, one after the other, with single spaces."""
    return " ".join(" ".join(pydoc_data.topics.topics.values()).split())


def numbers_of(letters):
    """Numbers of letters; those that are not printable ASCII are spaces."""
    codes = numpy.frombuffer(letters.encode("ascii", "replace"), numpy.uint8).astype("i8") - 32
    return numpy.where((codes >= 0) & (codes < LETTERS - 1), codes, 0)


def letters_of(numbers):
    """The text of numbers."""
    return "".join(chr(int(number) + 32) for number in numbers)


def pieces(count, batch, length):
    """Random pieces of the text, [batch, length + 1]: each letter is to be told from those before it."""
    every = numbers_of(text())
    rng = numpy.random.default_rng(0)
    for _ in range(count):
        first = rng.integers(0, len(every) - length - 1, batch)
        yield [np.array(numpy.stack([every[at : at + length + 1] for at in first]), dtype="int64")]


def learn(loss_of, trainer, batches, compiled):
    """Take a step for each batch, and return their losses.

    Args:
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

    run = hybridize(step) if compiled else step
    return [float(run(*arrays)) for arrays in batches]


def both_ways(train, steps):
    """Train with the step as one program, and tell whether the first losses are the imperative ones.

    Args:
        train: `train(compiled, steps)` gives the losses and the net.
        steps: how many.

    Returns:
        The mean of the last losses, and the net.
    """
    imperative, _ = train(False, 5)
    losses, net = train(True, steps)
    numpy.testing.assert_allclose(losses[:5], imperative, rtol=1e-4)
    return sum(losses[-20:]) / len(losses[-20:]), net
