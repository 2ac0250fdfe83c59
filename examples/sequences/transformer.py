"""A Transformer encoder-decoder that sorts: digits are read in any order, and written in ascending order.

    pip install hybridize
    python examples/sequences/transformer.py [--small]

While training, the decoder sees the right digits before each place; afterwards it writes them one by one, from what it
has written itself. Measured are sequences that were drawn first: training never has their digits, in whatever order.
Exits with an error when the losses of a step that is one program are not the imperative ones, or when fewer sequences
than the goal are sorted right. `--small` takes seconds.
"""

import functools
from typing import NamedTuple

from hybridize import gluon, hybridize, np, random
from hybridize.gluon import nn

import reading

BEGIN, WORDS = 10, 11
"""Ten digits, and the word that a sequence begins with."""


class Size(NamedTuple):
    length: int
    units: int
    layers: int
    batch: int
    steps: int
    rate: float
    held_out: int
    goal: float
    """The part of the sequences at least."""


FULL = Size(length=8, units=64, layers=2, batch=64, steps=300, rate=2e-3, held_out=500, goal=0.95)
SMALL = Size(length=5, units=32, layers=1, batch=64, steps=300, rate=5e-3, held_out=200, goal=0.9)


class Sorter(gluon.HybridBlock):
    """As many layers that read as layers that write."""

    def __init__(self, size):
        super().__init__()
        self.length, options = size.length, {"dropout": 0.0, "pre_norm": True}
        self.embedding = nn.Embedding(WORDS, size.units)
        self.positions = nn.PositionalEncoding(size.units, max_length=size.length)
        self.encoder = nn.TransformerEncoder(size.layers, size.units, 4, 2 * size.units, **options)
        self.decoder = nn.TransformerDecoder(size.layers, size.units, 4, 2 * size.units, **options)
        self.scores = nn.Dense(WORDS, flatten=False, in_units=size.units)

    def read(self, digits):
        # No positions: what is sorted has no order of its own.
        return self.encoder(self.embedding(digits))

    def write(self, words, memory):
        """The scores after each of the words so far."""
        return self.scores(self.decoder(self.positions(self.embedding(words)), memory))

    def forward(self, digits, words):
        """The scores after each of the words [batch, time], which are the right ones."""
        return self.write(words, self.read(digits))

    def sort(self, digits):
        """The likeliest digit at each place."""
        memory = self.read(digits)
        words = np.full((len(digits), self.length + 1), BEGIN, dtype="int64")
        for place in range(self.length):
            words[:, place + 1] = self.write(words[:, :-1], memory)[:, place].argmax(axis=1)
        return words[:, 1:]


def sequences(size):
    """Batches of digits to learn from, and those to be measured on; the same digits in another order are no others."""
    return reading.samples(
        lambda rng: rng.integers(0, 10, size.length), size.steps, size.batch, size.held_out, lambda x: tuple(sorted(x))
    )


def arrays_of(sequences):
    """Digits [batch, time], and the words to write: begin, then the digits in ascending order."""
    words = [[BEGIN, *sorted(digits)] for digits in sequences]
    return [np.array(sequences, dtype="int64"), np.array(words, dtype="int64")]


def train(size, batches, compiled):
    """The losses of all steps, and the net."""
    random.seed(1)
    net = Sorter(size)
    net.initialize("xavier")
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": size.rate})
    loss = gluon.loss.SoftmaxCrossEntropyLoss()

    def loss_of(digits, words):
        return loss(net(digits, words[:, :-1]), words[:, 1:]).mean()

    return reading.learn("Transformer", loss_of, trainer, batches, compiled), net


def main(size):
    batches, new = sequences(size)
    net = reading.both_ways(functools.partial(train, size), [arrays_of(batch) for batch in batches])
    digits, words = arrays_of(new)
    right = float((hybridize(net.sort)(digits) == words[:, 1:]).all(axis=1).mean())
    what = f"{size.length} digits sorted"
    reading.end([reading.Outcome("Transformer", reading.parameters(net), what, right, size.goal)])


if __name__ == "__main__":
    main(reading.chosen(FULL, SMALL, __doc__))
