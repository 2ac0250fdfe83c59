"""Character language models: an RNN, a GRU and an LSTM read Python's own help, and go on where a prompt ends.

    pip install hybridize
    python examples/sequences/characters.py [--small]

A letter, out of 96, costs 4.6 nats when nothing is known. Measured is a tenth of the text that is held out: no
paragraph of it is in what is learned from. Its pieces begin without a memory. Exits with an error when the losses of a
step that is one program are not the imperative ones, or when a letter costs more than the goal. `--small` takes
seconds.
"""

import functools
from typing import NamedTuple

from hybridize import gluon, hybridize, np, random
from hybridize.gluon import nn, rnn
from hybridize.gluon.generation import Recurrent, SequenceSampler

import reading


class Size(NamedTuple):
    units: int
    time: int
    batch: int
    steps: int
    rate: float
    goal: float
    """Nats a letter at most."""


FULL = Size(units=128, time=32, batch=32, steps=400, rate=5e-3, goal=2.1)
SMALL = Size(units=48, time=16, batch=32, steps=250, rate=1e-2, goal=2.5)
LAYERS = {"RNN": rnn.RNN, "GRU": rnn.GRU, "LSTM": rnn.LSTM}


class CharacterModel(gluon.HybridBlock):
    """An embedding of letters, a recurrent layer, and the scores of the next letter."""

    def __init__(self, layer, units):
        super().__init__()
        self.units = units
        self.embedding = nn.Embedding(reading.LETTERS, 32)
        self.layer = layer(units, layout="NTC", input_size=32)
        self.scores = nn.Dense(reading.LETTERS, flatten=False, in_units=units)

    def forward(self, letters):
        """The scores after each letter of [batch, time]."""
        return self.scores(self.layer(self.embedding(letters)))

    def begin_state(self, batch):
        return [np.zeros((batch, self.units)) for _ in self.layer.begin_state(batch)]

    def step(self, letters, states):
        """The scores after one letter of each row, and the states after it."""
        y, after = self.layer(self.embedding(letters)[:, None], [state[None] for state in states])
        return self.scores(y[:, 0]), [state[0] for state in after]


def train(name, size, batches, compiled):
    """The losses of all steps, and the net."""
    random.seed(1)
    net = CharacterModel(LAYERS[name], size.units)
    net.initialize("xavier")
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": size.rate})
    return reading.learn(name, functools.partial(reading.cost_of_letters, net), trainer, batches, compiled), net


def main(size):
    outcomes = [reading.Outcome("letter before", None, "next letter", reading.cost_of_pairs(), most=True)]
    batches = reading.pieces(size.steps, size.batch, size.time)
    held_out = reading.pieces_held_out(size.time)
    prompt = "The value of "
    for name in LAYERS:
        net = reading.both_ways(functools.partial(train, name, size), batches)
        writer = SequenceSampler(Recurrent(net.step, net.begin_state), 60, temperature=0.5)
        writer.hybridize()
        letters = writer(np.array(reading.numbers_of(prompt)[None], dtype="int64"))[0].asnumpy().reshape(-1)
        print(f"{name:4} {prompt}{reading.letters_of(letters)}")
        cost = float(hybridize(reading.cost_of_letters)(net, held_out))
        outcomes.append(reading.Outcome(name, reading.parameters(net), "next letter", cost, size.goal, most=True))
    reading.end(outcomes)


if __name__ == "__main__":
    main(reading.chosen(FULL, SMALL, __doc__))
