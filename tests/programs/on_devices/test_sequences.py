"""Recurrent nets and a Transformer trained on a device, step after step: the CPU's losses and weights."""

import pytest

from hybridize import gpu, np
from hybridize.gluon import nn, rnn
from tests.device.test_training import TransformerBlock
from tests.device.trained import check


class OfTurns(nn.HybridBlock):
    """A net over rows of 3 turns of 2 numbers each."""

    def __init__(self, *blocks):
        super().__init__()
        self.blocks = nn.HybridSequential()
        self.blocks.add(*blocks, nn.Dense(4))

    def forward(self, x):
        return self.blocks(x.reshape(-1, 3, 2))


class ByHand(nn.HybridBlock):
    """A recurrent layer as a loop of Python, with a mask for each turn."""

    def __init__(self):
        super().__init__()
        self.first, self.state, self.out = nn.Dense(8), nn.Dense(8), nn.Dense(4)
        self.drop = nn.Dropout(0.25)

    def forward(self, x):
        state = np.zeros((x.shape[0], 8), ctx=x.ctx)
        for turn in x.reshape(-1, 3, 2).transpose(1, 0, 2):
            state = np.tanh(self.first(turn) + self.state(self.drop(state)))
        return self.out(state)


NETS = {
    "an lstm": lambda: OfTurns(rnn.LSTM(8, layout="NTC")),
    "a gru of two layers": lambda: OfTurns(rnn.GRU(8, num_layers=2, dropout=0.25, layout="NTC")),
    "two directions": lambda: OfTurns(rnn.LSTM(8, bidirectional=True, layout="NTC")),
    "by hand": ByHand,
    "a transformer": lambda: OfTurns(nn.Dense(8, flatten=False), TransformerBlock(8, 2)),
}


def test_a_step_of_a_recurrent_net_in_one_call():
    check("in_one_call", steps=2, make=NETS["an lstm"], learning_rate=0.1, momentum=0.9)


@pytest.mark.long
@pytest.mark.parametrize("way", ["in_one_call", "in_turn"])
@pytest.mark.parametrize("name", NETS)
def test_steps_of_training(name, way):
    check(way, steps=4, make=NETS[name], learning_rate=0.1, momentum=0.9)


@pytest.mark.long
def test_a_recurrent_net_with_adam():
    check("in_one_call", steps=4, make=NETS["an lstm"], rule="adam", learning_rate=0.01)


def test_a_cell_begins_on_the_device_of_its_sequence():
    cell = rnn.RNNCell(3, input_size=2)
    cell.initialize(ctx=gpu(0))
    outputs, states = cell.unroll(2, np.ones((1, 2, 2), ctx=gpu(0)), merge_outputs=True)
    assert outputs.ctx == states[0].ctx == gpu(0)
