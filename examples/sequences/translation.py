"""Sequence to sequence: numbers are read from left to right and written from right to left, with attention.

    pip install hybridize
    python examples/sequences/translation.py [--small]

A bidirectional GRU reads some digits; a GRU cell writes them in reverse order, and looks at what was read by additive
attention. Measured are sequences that were drawn first, and that training never has; they are written greedily and by
beam search. Exits with an error when the losses of a step that is one program are not the imperative ones, or when
fewer sequences than the goal are right. `--small` takes seconds.
"""

import functools
from typing import NamedTuple

import numpy

from hybridize import gluon, hybridize, np, npx, random
from hybridize.gluon import nn, rnn
from hybridize.gluon.generation import BeamSearch, Recurrent

import reading

BEGIN, END, WORDS = 10, 11, 12
"""Ten digits, and two words more."""
SHORTEST = 3


class Size(NamedTuple):
    longest: int
    units: int
    batch: int
    steps: int
    rate: float
    held_out: int
    goal: float
    """The part of the sequences at least."""


FULL = Size(longest=10, units=64, batch=64, steps=400, rate=3e-3, held_out=500, goal=0.95)
SMALL = Size(longest=5, units=32, batch=32, steps=200, rate=1e-2, held_out=200, goal=0.9)


class Translator(gluon.HybridBlock):
    """An encoder, a decoder's cell, and the attention of its state to what was read."""

    def __init__(self, size):
        super().__init__()
        units = size.units
        self.embedding = nn.Embedding(WORDS, units)
        self.encoder = rnn.GRU(units // 2, layout="NTC", bidirectional=True, input_size=units, use_sequence_length=True)
        self.cell = rnn.GRUCell(units, input_size=2 * units)
        self.key = nn.Dense(units, flatten=False, in_units=units)
        self.query = nn.Dense(units, in_units=units)
        self.energy = nn.Dense(1, flatten=False, in_units=units)
        self.scores = nn.Dense(WORDS, in_units=2 * units)

    def read(self, digits, lengths):
        """What a step needs: the state, what was read, its keys, the lengths."""
        memory = self.encoder(self.embedding(digits), None, lengths)
        return [memory.mean(axis=1), memory, self.key(memory), lengths]

    def step(self, words, states):
        """The scores of the next word after one word of each row, and the states after it."""
        state, memory, keys, lengths = states
        energy = self.energy(np.tanh(keys + np.expand_dims(self.query(state), 1)))[:, :, 0]
        seen = np.arange(memory.shape[1]) < np.expand_dims(lengths, 1)
        weights = npx.masked_softmax(energy, seen)
        context = (np.expand_dims(weights, 2) * memory).sum(axis=1)
        output, [state] = self.cell(np.concatenate([self.embedding(words), context], axis=1), [state])
        return self.scores(np.concatenate([output, context], axis=1)), [state, memory, keys, lengths]

    def forward(self, digits, lengths, words):
        """The scores after each of the words [batch, time], which are the right ones."""
        states, scores = self.read(digits, lengths), []
        for t in range(words.shape[1]):
            found, states = self.step(words[:, t], states)
            scores.append(found)
        return np.stack(scores, axis=1)

    def greedy(self, digits, lengths):
        """The likeliest word at each step, as many as there may be."""
        states, word, written = self.read(digits, lengths), np.full(digits.shape[:1], BEGIN, dtype="int64"), []
        for _ in range(digits.shape[1] + 1):
            scores, states = self.step(word, states)
            word = np.where(word == END, END, scores.argmax(axis=1).astype("int64"))
            written.append(word)
        return np.stack(written, axis=1)


def sequences(size):
    """Batches of digits to learn from, three to the longest, and those to be measured on."""

    def draw(rng):
        return rng.integers(0, 10, rng.integers(SHORTEST, size.longest + 1))

    return reading.samples(draw, size.steps, size.batch, size.held_out)


def arrays_of(sequences, longest):
    """Digits [batch, time], their lengths, and the words to write: begin, the digits in reverse, end, and more ends."""
    digits = numpy.zeros((len(sequences), longest), "int64")
    words = numpy.full((len(sequences), longest + 2), END)
    words[:, 0] = BEGIN
    for row, sequence in enumerate(sequences):
        digits[row, : len(sequence)] = sequence
        words[row, 1 : len(sequence) + 1] = sequence[::-1]
    return [np.array(array, dtype="int64") for array in (digits, list(map(len, sequences)), words)]


def train(size, batches, compiled):
    """The losses of all steps, and the net."""
    random.seed(1)
    net = Translator(size)
    net.initialize("xavier")
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": size.rate})
    loss = gluon.loss.SoftmaxCrossEntropyLoss()

    def loss_of(digits, lengths, words):
        return loss(net(digits, lengths, words[:, :-1]), words[:, 1:]).mean()

    return reading.learn("GRU with attention", loss_of, trainer, batches, compiled), net


def beams(net, digits, lengths):
    """The best of four sequences of each row."""
    states, most = hybridize(net.read)(digits, lengths), digits.shape[1] + 1
    search = BeamSearch(Recurrent(net.step, lambda rows: states), most, beams=4, stop_tokens=END, pad_token=END)
    return search(np.full((len(digits), 1), BEGIN, dtype="int64"))[0][:, 0]


def main(size):
    batches, new = sequences(size)
    net = reading.both_ways(functools.partial(train, size), [arrays_of(batch, size.longest) for batch in batches])
    digits, lengths, words = arrays_of(new, size.longest)
    outcomes = []
    for how, found in (("greedily", hybridize(net.greedy)(digits, lengths)), ("by beams", beams(net, digits, lengths))):
        right = float((found == words[:, 1:]).all(axis=1).mean())
        outcomes.append(
            reading.Outcome("GRU with attention", reading.parameters(net), f"reversed {how}", right, size.goal)
        )
    reading.end(outcomes)


if __name__ == "__main__":
    main(reading.chosen(FULL, SMALL, __doc__))
