"""Nets whose steps have to suit a device: a perceptron, LeNet, ResNet-18, a cell of an LSTM, a layer of a GRU, a block
of a Transformer.
"""

from hybridize import gluon, npx
from hybridize import np as hnp
from hybridize.gluon import nn


def perceptron():
    net = nn.HybridSequential()
    net.add(nn.Dense(256, activation="relu"), nn.Dense(10))
    return net


def lenet():
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(6, 5, padding=2, activation="sigmoid"), nn.AvgPool2D(2, 2), nn.Conv2D(16, 5, activation="sigmoid"),
        nn.AvgPool2D(2, 2), nn.Flatten(), nn.Dense(120, activation="sigmoid"), nn.Dense(84, activation="sigmoid"),
        nn.Dense(10),
    )  # fmt: skip
    return net


class Residual(nn.HybridBlock):
    def __init__(self, channels, strides=1, projects=False):
        super().__init__()
        self.one, self.two = nn.Conv2D(channels, 3, strides, 1), nn.Conv2D(channels, 3, padding=1)
        self.first, self.second = nn.BatchNorm(), nn.BatchNorm()
        self.around = nn.Conv2D(channels, 1, strides) if projects else None

    def forward(self, x):
        y = self.second(self.two(npx.relu(self.first(self.one(x)))))
        return npx.relu(y + (x if self.around is None else self.around(x)))


def resnet():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(64, 7, 2, 3), nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D(3, 2, 1))
    for number, channels in enumerate((64, 128, 256, 512)):
        net.add(Residual(channels, 2 if number else 1, number > 0), Residual(channels))
    net.add(nn.GlobalAvgPool2D(), nn.Flatten(), nn.Dense(10))
    return net


class Attention(nn.HybridBlock):
    """Heads that attend to all turns, or to what came before."""

    def __init__(self, units, heads, is_causal=False):
        super().__init__()
        self.heads, self.is_causal = heads, is_causal
        self.q, self.k, self.v, self.out = (nn.Dense(units, flatten=False) for _ in range(4))

    def split(self, x):
        batch, length, units = x.shape
        return x.reshape(batch, length, self.heads, units // self.heads).transpose(0, 2, 1, 3)

    def forward(self, x):
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        scores = hnp.matmul(q, k.transpose(0, 1, 3, 2)) / q.shape[-1] ** 0.5
        if self.is_causal:
            scores = hnp.where(hnp.tril(hnp.ones((x.shape[1], x.shape[1]))) > 0, scores, -1e9)
        return self.out(hnp.matmul(npx.softmax(scores, axis=-1), v).transpose(0, 2, 1, 3).reshape(x.shape))


class TransformerBlock(nn.HybridBlock):
    def __init__(self, units, heads, hidden):
        super().__init__()
        self.attention = Attention(units, heads)
        self.first, self.second = nn.LayerNorm(), nn.LayerNorm()
        self.one, self.two = nn.Dense(hidden, activation="relu", flatten=False), nn.Dense(units, flatten=False)

    def forward(self, x):
        x = self.first(x + self.attention(x))
        return self.second(x + self.two(self.one(x)))


def transformer():
    net = nn.HybridSequential()
    net.add(TransformerBlock(256, 8, 1024), nn.Flatten(), nn.Dense(10))
    return net


class Cell(nn.HybridBlock):
    def __init__(self, units):
        super().__init__()
        self.units, self.cell = units, gluon.rnn.LSTMCell(units)

    def forward(self, x):
        state = hnp.zeros((x.shape[0], self.units))
        return self.cell(x, [state, state])[0]


def lstm():
    net = nn.HybridSequential()
    net.add(Cell(256), nn.Dense(10))
    return net


def gru():
    net = nn.HybridSequential()
    net.add(gluon.rnn.GRU(256, layout="NTC"), nn.Flatten(), nn.Dense(10))
    return net


NETS = {
    "a perceptron": (perceptron, (64, 784)),
    "LeNet": (lenet, (64, 1, 28, 28)),
    "ResNet-18": (resnet, (2, 3, 64, 64)),
    "a cell of an LSTM": (lstm, (32, 128)),
    "a layer of a GRU": (gru, (32, 6, 128)),
    "a block of a Transformer": (transformer, (2, 128, 256)),
}
"""By name, the net and the shape of its input."""
