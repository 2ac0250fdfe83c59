"""A small BERT that is trained as the large one was: it tells hidden words, and whether two pieces follow each other.

    pip install hybridize
    python examples/sequences/bert.py

It reads Python's own help in words, the thousand most frequent ones by name. Of each pair of pieces a seventh of the
words is hidden, and half of the pairs are from two places. Exits with an error when the losses of a step that is one
program are not the imperative ones, or when fewer than a quarter of the hidden words are told right in the end (who
always says the most frequent one is right in a tenth).
"""

import re
import sys
from collections import Counter

import numpy

from hybridize import gluon, hybridize, np, random
from hybridize.gluon import nn

from reading import both_ways, learn, text

PIECE, BATCH, STEPS, UNITS = 16, 32, 600, 64
CLS, SEP, MASK, OTHER, FIRST = range(5)
"""Words with a meaning of their own; the others follow."""
KNOWN = 1000
HIDDEN = 5
"""Words that are hidden in a pair."""
GOAL = 0.25
LENGTH = 2 * PIECE + 3


class Bert(gluon.HybridBlock):
    """Embeddings of words, places and pieces, a Transformer encoder, and two outputs."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(FIRST + KNOWN, UNITS)
        self.pieces = nn.Embedding(2, UNITS)
        self.places = nn.LearnedPositionalEncoding(LENGTH, UNITS)
        self.norm = nn.LayerNorm(in_channels=UNITS)
        self.encoder = nn.TransformerEncoder(2, UNITS, 4, 4 * UNITS, dropout=0.0, activation="gelu", pre_norm=True)
        self.hidden = nn.HybridSequential()
        self.hidden.add(
            nn.Dense(UNITS, flatten=False, in_units=UNITS), nn.GELU(), nn.LayerNorm(in_channels=UNITS),
            nn.Dense(FIRST + KNOWN, flatten=False, in_units=UNITS),
        )  # fmt: skip
        self.follows = nn.Dense(2, in_units=UNITS)

    def forward(self, words, pieces, places):
        """The scores of the words at hidden places [batch, HIDDEN], and of whether the second piece follows."""
        y = self.encoder(self.norm(self.places(self.words(words) + self.pieces(pieces))))
        rows = np.expand_dims(np.arange(len(words)), 1)
        return self.hidden(y[rows, places]), self.follows(y[:, 0])


def vocabulary():
    """All words of the text as numbers: the frequent ones have one of their own."""
    words = re.findall(r"[a-z]+|[0-9]+|[^a-z0-9\s]", text().lower())
    numbers = {word: FIRST + k for k, (word, _) in enumerate(Counter(words).most_common(KNOWN))}
    return numpy.array([numbers.get(word, OTHER) for word in words])


def pairs(every, count, batch, seed=0):
    """Words, the piece each is of, hidden places, the words there, and 1 where the second piece follows the first."""
    rng = numpy.random.default_rng(seed)
    last = len(every) - 2 * PIECE
    for _ in range(count):
        follows = rng.integers(0, 2, batch)
        first = rng.integers(0, last, batch)
        second = numpy.where(follows, first + PIECE, rng.integers(0, last, batch))
        words = numpy.full((batch, LENGTH), SEP)
        words[:, 0] = CLS
        for row in range(batch):
            words[row, 1 : PIECE + 1] = every[first[row] : first[row] + PIECE]
            words[row, PIECE + 2 : -1] = every[second[row] : second[row] + PIECE]
        inside = numpy.r_[1 : PIECE + 1, PIECE + 2 : LENGTH - 1]
        places = numpy.stack([rng.choice(inside, HIDDEN, replace=False) for _ in range(batch)])
        labels = numpy.take_along_axis(words, places, 1)
        # As in the paper: most are masked, some are another word, some stay.
        chance = rng.random(places.shape)
        shown = numpy.where(chance < 0.1, rng.integers(FIRST, FIRST + KNOWN, places.shape), labels)
        numpy.put_along_axis(words, places, numpy.where(chance < 0.8, MASK, shown), 1)
        pieces = numpy.broadcast_to(numpy.arange(LENGTH) > PIECE + 1, words.shape)
        yield [np.array(array, dtype="int64") for array in (words, pieces, places, labels, follows)]


def train(compiled, steps):
    """The losses of all steps, and the net."""
    random.seed(1)
    net = Bert()
    net.initialize("xavier")
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 2e-3})
    loss = gluon.loss.SoftmaxCrossEntropyLoss()

    def loss_of(words, pieces, places, labels, follows):
        hidden, next_ = net(words, pieces, places)
        return loss(hidden, labels).mean() + loss(next_, follows).mean()

    return learn(loss_of, trainer, pairs(vocabulary(), steps, BATCH), compiled), net


def main():
    loss, net = both_ways(train, STEPS)
    every = vocabulary()
    ((words, pieces, places, labels, follows),) = pairs(every, 1, 500, seed=1)
    hidden, next_ = hybridize(net)(words, pieces, places)
    told = float((hidden.argmax(axis=2) == labels).mean())
    frequent = float((labels == int(numpy.bincount(every[every != OTHER]).argmax())).mean())
    print(f"loss {loss:.2f}")
    print(f"hidden words: {told:.1%} are told right; always the most frequent one: {frequent:.1%}")
    print(f"pieces that follow: {float((next_.argmax(axis=1) == follows).mean()):.1%} are told right")
    sys.exit(told < GOAL)


if __name__ == "__main__":
    main()
