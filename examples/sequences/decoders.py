"""Small language models that read Python's own help, letter by letter, and go on where a prompt ends.

    pip install hybridize
    python examples/sequences/decoders.py [--small]

A LLaMA and a GPT of some hundred thousand parameters. A letter, out of 96, costs 4.6 nats when nothing is known.
Measured is a tenth of the text that is held out: no paragraph of it is in what is learned from. Exits with an error
when the losses of a step that is one program are not the imperative ones, or when a letter costs more than the goal.
`--small` takes seconds.
"""

from typing import NamedTuple

from hybridize import random
from hybridize.gluon.generation import BeamSearch, SequenceSampler
from hybridize.gluon.model_zoo.text import GPT, Llama

import reading


class Size(NamedTuple):
    units: int
    layers: int
    time: int
    batch: int
    steps: int
    rate: float
    goal: float
    """Nats a letter at most."""


FULL = Size(units=64, layers=2, time=64, batch=16, steps=600, rate=3e-3, goal=2.0)
SMALL = Size(units=32, layers=1, time=16, batch=32, steps=400, rate=1e-2, goal=2.5)
MODELS = {
    "LLaMA": lambda size: Llama(reading.LETTERS, size.units, size.layers, 4, 2, max_length=2 * size.time),
    "GPT": lambda size: GPT(reading.LETTERS, size.units, size.layers, 4, max_length=2 * size.time),
}


def train(name, size, batches, compiled):
    """The losses of all steps, and the net."""
    random.seed(1)
    return reading.learn_letters(name, MODELS[name](size), size, batches, compiled)


def writers(net, size):
    """What goes on where a prompt ends."""
    return SequenceSampler(net, size.time, temperature=0.7, top_p=0.9), BeamSearch(net, size.time)


def main(size):
    reading.tell_letters(MODELS, train, size, "The name of the ", writers)


if __name__ == "__main__":
    main(reading.chosen(FULL, SMALL, __doc__))
