"""Character language models: an RNN, a GRU and an LSTM read Python's own help, and go on where a prompt ends.

    pip install hybridize
    python examples/sequences/characters.py

A letter, out of 96, costs 4.6 nats when nothing is known. Exits with an error when the losses of a step that is one
program are not the imperative ones, or when a letter costs more than 2.1 nats in the end.
"""

import sys

from hybridize import gluon, np, random
from hybridize.gluon import nn, rnn
from hybridize.gluon.generation import Recurrent, SequenceSampler

from reading import LETTERS, both_ways, learn, letters_of, numbers_of, pieces

TIME, BATCH, STEPS, UNITS = 32, 32, 400, 128
GOAL = 2.1
LAYERS = {"RNN": rnn.RNN, "GRU": rnn.GRU, "LSTM": rnn.LSTM}


class CharacterModel(gluon.HybridBlock):
    """An embedding of letters, a recurrent layer, and the scores of the next letter."""

    def __init__(self, layer):
        super().__init__()
        self.embedding = nn.Embedding(LETTERS, 32)
        self.layer = layer(UNITS, layout="NTC", input_size=32)
        self.scores = nn.Dense(LETTERS, flatten=False, in_units=UNITS)

    def forward(self, letters):
        """The scores after each letter of [batch, time]."""
        return self.scores(self.layer(self.embedding(letters)))

    def begin_state(self, batch):
        return [np.zeros((batch, UNITS)) for _ in self.layer.begin_state(batch)]

    def step(self, letters, states):
        """The scores after one letter of each row, and the states after it."""
        y, after = self.layer(self.embedding(letters)[:, None], [state[None] for state in states])
        return self.scores(y[:, 0]), [state[0] for state in after]


def train(name, compiled, steps):
    """The losses of all steps, and the net."""
    random.seed(1)
    net = CharacterModel(LAYERS[name])
    net.initialize("xavier")
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 5e-3})
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    batches = pieces(steps, BATCH, TIME)
    return learn(lambda piece: loss(net(piece[:, :-1]), piece[:, 1:]).mean(), trainer, batches, compiled), net


def main():
    failed = False
    prompt = "The value of "
    for name in LAYERS:
        cost, net = both_ways(lambda compiled, steps, name=name: train(name, compiled, steps), STEPS)
        writer = SequenceSampler(Recurrent(net.step, net.begin_state), 60, temperature=0.5)
        writer.hybridize()
        letters = writer(np.array(numbers_of(prompt)[None], dtype="int64"))[0].asnumpy().reshape(-1)
        print(f"{name:4} {cost:.2f} nats a letter\n     {prompt}{letters_of(letters)}")
        failed |= cost > GOAL
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
