"""A small BERT that is trained as the large one was: it tells hidden words, and whether two pieces follow each other.

    pip install hybridize
    python examples/sequences/bert.py [--small]

It reads Python's own help in words, the thousand most frequent ones by name. Of each pair of pieces a seventh of the
words is hidden, and half of the pairs are from two places. Measured are pairs of a tenth of the text that is held out:
no paragraph of it is in what is learned from, and words count that are masked and have a name. Exits with an error when
the losses of a step that is one program are not the imperative ones, or when fewer hidden words, or pairs, than the
goals are told right. `--small` takes seconds; its words are letters, and of pairs nothing is asked.
"""

import functools
import re
from collections import Counter
from typing import NamedTuple

import numpy

from hybridize import gluon, hybridize, np, random
from hybridize.gluon import nn

import reading

CLS, SEP, MASK, OTHER, FIRST = range(5)
"""Words with a meaning of their own; the others follow."""


class Size(NamedTuple):
    word: str
    """A pattern."""
    known: int
    """Words that are told apart."""
    piece: int
    hidden: int
    """Words that are hidden in a pair of pieces."""
    units: int
    layers: int
    batch: int
    steps: int
    rate: float
    held_out: int
    """Pairs to be measured on."""
    goal: float
    """The part of the hidden words at least."""
    goal_of_pairs: float | None
    """The part of the pairs at least, if that is asked."""

    def length(self):
        return 2 * self.piece + 3


FULL = Size(
    r"[a-z]+|[0-9]+|[^a-z0-9\s]", known=1000, piece=16, hidden=5, units=64, layers=2, batch=32, steps=4000, rate=2e-3,
    held_out=4000, goal=0.25, goal_of_pairs=0.6,
)  # fmt: skip
SMALL = Size(
    ".", known=60, piece=5, hidden=2, units=64, layers=1, batch=32, steps=500, rate=3e-3,
    held_out=1000, goal=0.22, goal_of_pairs=None,
)  # fmt: skip


class Bert(gluon.HybridBlock):
    """Embeddings of words, places and pieces, a Transformer encoder, and two outputs."""

    def __init__(self, size):
        super().__init__()
        units, words = size.units, FIRST + size.known
        self.words = nn.Embedding(words, units)
        self.pieces = nn.Embedding(2, units)
        self.places = nn.LearnedPositionalEncoding(size.length(), units)
        self.norm = nn.LayerNorm(in_channels=units)
        options = {"dropout": 0.0, "activation": "gelu", "pre_norm": True}
        self.encoder = nn.TransformerEncoder(size.layers, units, 4, 4 * units, **options)
        self.hidden = nn.HybridSequential()
        self.hidden.add(
            nn.Dense(units, flatten=False, in_units=units), nn.GELU(), nn.LayerNorm(in_channels=units),
            nn.Dense(words, flatten=False, in_units=units),
        )  # fmt: skip
        self.follows = nn.Dense(2, in_units=units)

    def forward(self, words, pieces, places):
        """The scores of the words at hidden places [batch, hidden], and of whether the second piece follows."""
        y = self.encoder(self.norm(self.places(self.words(words) + self.pieces(pieces))))
        rows = np.expand_dims(np.arange(len(words)), 1)
        return self.hidden(y[rows, places]), self.follows(y[:, 0])


def words_of(size):
    """The words to learn from and those that are held out, as numbers: frequent ones of the first have their own."""
    parts = [re.findall(size.word, reading.text(held_out).lower()) for held_out in (False, True)]
    numbers = {word: FIRST + k for k, (word, _) in enumerate(Counter(parts[0]).most_common(size.known))}
    return [numpy.array([numbers.get(word, OTHER) for word in words]) for words in parts]


def pairs(every, size, count, batch):
    """Words, the piece each is of, hidden places, the words there, and 1 where the second piece follows the first."""
    rng = numpy.random.default_rng(0)
    piece, length = size.piece, size.length()
    last, inside = len(every) - 2 * piece, numpy.r_[1 : piece + 1, piece + 2 : length - 1]
    for _ in range(count):
        follows = rng.integers(0, 2, batch)
        first = rng.integers(0, last, batch)
        second = numpy.where(follows, first + piece, rng.integers(0, last, batch))
        words = numpy.full((batch, length), SEP)
        words[:, 0] = CLS
        words[:, 1 : piece + 1] = every[first[:, None] + numpy.arange(piece)]
        words[:, piece + 2 : -1] = every[second[:, None] + numpy.arange(piece)]
        places = rng.permuted(numpy.tile(inside, (batch, 1)), axis=1)[:, : size.hidden]
        labels = numpy.take_along_axis(words, places, 1)
        # As in the paper: most are masked, some are another word, some stay.
        chance = rng.random(places.shape)
        shown = numpy.where(chance < 0.1, rng.integers(FIRST, FIRST + size.known, places.shape), labels)
        numpy.put_along_axis(words, places, numpy.where(chance < 0.8, MASK, shown), 1)
        pieces = numpy.broadcast_to(numpy.arange(length) > piece + 1, words.shape)
        yield [np.array(array, dtype="int64") for array in (words, pieces, places, labels, follows)]


def train(size, batches, compiled):
    """The losses of all steps, and the net."""
    random.seed(1)
    net = Bert(size)
    net.initialize("xavier")
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": size.rate})
    loss = gluon.loss.SoftmaxCrossEntropyLoss()

    def loss_of(words, pieces, places, labels, follows):
        hidden, next_ = net(words, pieces, places)
        return loss(hidden, labels).mean() + loss(next_, follows).mean()

    return reading.learn("BERT", loss_of, trainer, batches, compiled), net


def main(size):
    training, held_out = words_of(size)
    net = reading.both_ways(functools.partial(train, size), list(pairs(training, size, size.steps, size.batch)))
    ((words, pieces, places, labels, follows),) = pairs(held_out, size, 1, size.held_out)
    hidden, next_ = hybridize(net)(words, pieces, places)
    # Neither words that are shown, nor rare ones, which have one number: who tells these knows little.
    asked = (numpy.take_along_axis(words.asnumpy(), places.asnumpy(), 1) == MASK) & (labels.asnumpy() != OTHER)
    labels, told = labels.asnumpy()[asked], hidden.argmax(axis=2).asnumpy()[asked]
    frequent = numpy.bincount(training[training != OTHER]).argmax()
    pairs_right, learned = float((next_.argmax(axis=1) == follows).mean()), reading.parameters(net)
    reading.end([
        reading.Outcome("most frequent", None, "hidden words", (labels == frequent).mean()),
        reading.Outcome("BERT", learned, "hidden words", (labels == told).mean(), size.goal),
        reading.Outcome("BERT", learned, "whether pieces follow", pairs_right, size.goal_of_pairs),
    ])  # fmt: skip


if __name__ == "__main__":
    main(reading.chosen(FULL, SMALL, __doc__))
