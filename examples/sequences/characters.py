"""Character language models: an RNN, a GRU and an LSTM read Python's own help, and go on where a prompt ends.

    pip install hybridize
    python examples/sequences/characters.py [--small]

A letter, out of 96, costs 4.6 nats when nothing is known. Measured is a tenth of the text that is held out: no
paragraph of it is in what is learned from. Its pieces begin without a memory. Exits with an error when the losses of a
step that is one program are not the imperative ones, or when a letter costs more than the goal. `--small` takes
seconds.
"""

from typing import NamedTuple

from hybridize import gluon, np, random
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
    return reading.learn_letters(name, CharacterModel(LAYERS[name], size.units), size, batches, compiled)


def writers(net, size):
    """What goes on where a prompt ends."""
    return [SequenceSampler(Recurrent(net.step, net.begin_state), 60, temperature=0.5)]


def main(size):
    reading.tell_letters(LAYERS, train, size, "The value of ", writers)


if __name__ == "__main__":
    main(reading.chosen(FULL, SMALL, __doc__))
