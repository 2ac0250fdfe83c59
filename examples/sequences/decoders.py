"""Small language models that read Python's own help, letter by letter, and go on where a prompt ends.

    pip install hybridize
    python examples/sequences/decoders.py [--small]

A LLaMA and a GPT of some hundred thousand parameters. A letter, out of 96, costs 4.6 nats when nothing is known.
Measured is a tenth of the text that is held out: no paragraph of it is in what is learned from. Exits with an error
when the losses of a step that is one program are not the imperative ones, or when a letter costs more than the goal.
`--small` takes seconds.
"""

import functools
from typing import NamedTuple

from hybridize import gluon, hybridize, np, random
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
    net = MODELS[name](size)
    net.initialize("xavier")
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": size.rate})
    return reading.learn(name, functools.partial(reading.cost_of_letters, net), trainer, batches, compiled), net


def main(size):
    outcomes = [reading.Outcome("letter before", None, "next letter", reading.cost_of_pairs(), most=True)]
    batches = reading.pieces(size.steps, size.batch, size.time)
    held_out = reading.pieces_held_out(size.time)
    prompt = "The name of the "
    for name in MODELS:
        net = reading.both_ways(functools.partial(train, name, size), batches)
        for generator in (SequenceSampler(net, size.time, temperature=0.7, top_p=0.9), BeamSearch(net, size.time)):
            generator.hybridize()
            letters = generator(np.array(reading.numbers_of(prompt)[None], dtype="int64"))[0].asnumpy().reshape(-1)
            print(f"{name}, {type(generator).__name__}:\n  {prompt}{reading.letters_of(letters)}")
        cost = float(hybridize(reading.cost_of_letters)(net, held_out))
        outcomes.append(reading.Outcome(name, reading.parameters(net), "next letter", cost, size.goal, most=True))
    reading.end(outcomes)


if __name__ == "__main__":
    main(reading.chosen(FULL, SMALL, __doc__))
