"""A Transformer encoder-decoder that sorts: digits are read in any order, and written in ascending order.

    pip install hybridize
    python examples/sequences/transformer.py

While training, the decoder sees the right digits before each place; afterwards it writes them one by one, from what it
has written itself. Exits with an error when the losses of a step that is one program are not the imperative ones, or
when fewer than 95 % of sequences that it has never seen are sorted right.
"""

import sys

import numpy

from hybridize import gluon, hybridize, np, random
from hybridize.gluon import nn

from reading import both_ways, learn

LENGTH, BATCH, STEPS, UNITS = 8, 64, 300, 64
BEGIN, WORDS = 10, 11
"""Ten digits, and the word that a sequence begins with."""
GOAL = 0.95


class Sorter(gluon.HybridBlock):
    """Two layers that read, two that write."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, UNITS)
        self.positions = nn.PositionalEncoding(UNITS, max_length=LENGTH)
        self.encoder = nn.TransformerEncoder(2, UNITS, 4, 2 * UNITS, dropout=0.0, pre_norm=True)
        self.decoder = nn.TransformerDecoder(2, UNITS, 4, 2 * UNITS, dropout=0.0, pre_norm=True)
        self.scores = nn.Dense(WORDS, flatten=False, in_units=UNITS)

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
        words = np.full((len(digits), LENGTH + 1), BEGIN, dtype="int64")
        for place in range(LENGTH):
            words[:, place + 1] = self.write(words[:, :-1], memory)[:, place].argmax(axis=1)
        return words[:, 1:]


def sequences(count, batch, seed=0):
    """Digits [batch, time], and the words to write: begin, then the digits in ascending order."""
    rng = numpy.random.default_rng(seed)
    for _ in range(count):
        digits = rng.integers(0, 10, (batch, LENGTH))
        words = numpy.concatenate([numpy.full((batch, 1), BEGIN), numpy.sort(digits, axis=1)], axis=1)
        yield [np.array(digits, dtype="int64"), np.array(words, dtype="int64")]


def train(compiled, steps):
    """The losses of all steps, and the net."""
    random.seed(1)
    net = Sorter()
    net.initialize("xavier")
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 2e-3})
    loss = gluon.loss.SoftmaxCrossEntropyLoss()

    def loss_of(digits, words):
        return loss(net(digits, words[:, :-1]), words[:, 1:]).mean()

    return learn(loss_of, trainer, sequences(steps, BATCH), compiled), net


def main():
    loss, net = both_ways(train, STEPS)
    ((digits, words),) = sequences(1, 500, seed=1)
    right = float((hybridize(net.sort)(digits) == words[:, 1:]).all(axis=1).mean())
    print(f"loss {loss:.4f}, {right:.1%} of the sequences are sorted right")
    sys.exit(right < GOAL)


if __name__ == "__main__":
    main()
