"""Sequence to sequence: numbers are read from left to right and written from right to left, with attention.

    pip install hybridize
    python examples/sequences/translation.py

A bidirectional GRU reads up to ten digits; a GRU cell writes them in reverse order, and looks at what was read by
additive attention. Then it writes digits that it has never seen, greedily and by beam search. Exits with an error when
the losses of a step that is one program are not the imperative ones, or when fewer than 95 % of the sequences are
right.
"""

import sys

import numpy

from hybridize import gluon, hybridize, np, npx, random
from hybridize.gluon import nn, rnn
from hybridize.gluon.generation import BeamSearch, Recurrent

from reading import both_ways, learn

LONGEST, BATCH, STEPS, UNITS = 10, 64, 400, 64
BEGIN, END, WORDS = 10, 11, 12
"""Ten digits, and two words more."""
GOAL = 0.95


class Translator(gluon.HybridBlock):
    """An encoder, a decoder's cell, and the attention of its state to what was read."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, UNITS)
        self.encoder = rnn.GRU(UNITS // 2, layout="NTC", bidirectional=True, input_size=UNITS, use_sequence_length=True)
        self.cell = rnn.GRUCell(UNITS, input_size=2 * UNITS)
        self.key = nn.Dense(UNITS, flatten=False, in_units=UNITS)
        self.query = nn.Dense(UNITS, in_units=UNITS)
        self.energy = nn.Dense(1, flatten=False, in_units=UNITS)
        self.scores = nn.Dense(WORDS, in_units=2 * UNITS)

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


def sequences(count, batch, seed=0):
    """Digits [batch, time], their lengths, and the words to write: begin, the digits in reverse, end, and more ends."""
    rng = numpy.random.default_rng(seed)
    for _ in range(count):
        lengths = rng.integers(1, LONGEST + 1, batch)
        digits = rng.integers(0, 10, (batch, LONGEST))
        words = numpy.full((batch, LONGEST + 2), END)
        words[:, 0] = BEGIN
        for row, length in enumerate(lengths):
            words[row, 1 : length + 1] = digits[row, :length][::-1]
            digits[row, length:] = 0
        yield [np.array(digits, dtype="int64"), np.array(lengths, dtype="int64"), np.array(words, dtype="int64")]


def train(compiled, steps):
    """The losses of all steps, and the net."""
    random.seed(1)
    net = Translator()
    net.initialize("xavier")
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 3e-3})
    loss = gluon.loss.SoftmaxCrossEntropyLoss()

    def loss_of(digits, lengths, words):
        return loss(net(digits, lengths, words[:, :-1]), words[:, 1:]).mean()

    return learn(loss_of, trainer, sequences(steps, BATCH), compiled), net


def beams(net, digits, lengths):
    """The best of four sequences of each row."""
    states = hybridize(net.read)(digits, lengths)
    search = BeamSearch(Recurrent(net.step, lambda rows: states), LONGEST + 1, beams=4, stop_tokens=END, pad_token=END)
    return search(np.full((len(digits), 1), BEGIN, dtype="int64"))[0][:, 0]


def main():
    loss, net = both_ways(train, STEPS)
    ((digits, lengths, words),) = sequences(1, 500, seed=1)
    print(f"loss {loss:.4f}")
    failed = False
    for name, found in (("greedy", hybridize(net.greedy)(digits, lengths)), ("beams", beams(net, digits, lengths))):
        right = float((found == words[:, 1:]).all(axis=1).mean())
        print(f"{name:6} {right:.1%} of the sequences are right")
        failed |= right < GOAL
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
