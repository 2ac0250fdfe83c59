"""Larger nets: embeddings, attention, recurrence, at the sizes they were called with and at others."""

import numpy
import pytest

from hybridize import gluon, nd, np, npx, ops
from hybridize.array.operands import operand, result
from hybridize.codegen.llvm.engine import runnable
from hybridize.gluon import nn


def words(batch, length):
    draw = numpy.random.default_rng((batch, length))
    return np.array(draw.integers(0, 50, (batch, length)), dtype="int64")


class Attention(nn.HybridBlock):
    """Embedded words that look at each other, as in a transformer."""

    def __init__(self):
        super().__init__()
        self.embedding, self.norm, self.last = nn.Embedding(50, 32), nn.LayerNorm(), nn.LayerNorm()
        self.q, self.k, self.v = (nn.Dense(32, flatten=False) for _ in range(3))
        self.wide, self.narrow, self.out = (nn.Dense(n, flatten=False) for n in (128, 32, 5))
        self.act, self.drop = nn.GELU(), nn.Dropout(0.5)

    def forward(self, x):
        h = self.embedding(x)
        y = self.norm(h)
        scores = np.matmul(self.q(y), self.k(y).transpose(0, 2, 1)) * 0.2
        h = h + self.drop(np.matmul(npx.softmax(scores), self.v(y)))
        h = h + self.narrow(self.act(self.wide(self.last(h))))
        return npx.softmax(self.out(h.mean(axis=1)))


class Recurrence(nn.HybridBlock):
    """A state that goes through the rows of its input."""

    def __init__(self):
        super().__init__()
        self.step, self.gate = nn.Dense(24), nn.Dense(24)

    def forward(self, x):
        state = np.zeros((x.shape[1], 24))
        for row in range(x.shape[0]):
            both = np.concatenate([x[row], state], axis=1)
            gate = npx.sigmoid(self.gate(both))
            state = gate * state + (1 - gate) * np.tanh(self.step(both))
        return state


class Convolutions(nn.HybridBlock):
    """Two layers of convolutions, the second of windows that reach beyond the image, and a mean over its pixels."""

    def __init__(self):
        super().__init__()
        self.first = gluon.Parameter("first", shape=(16, 3, 3, 3), init="xavier")
        self.second = gluon.Parameter("second", shape=(16, 16, 3, 3), init="xavier")

    def forward(self, x):
        y = np.maximum(result(ops.convolution(operand(x), operand(self.first.data()), 2, 1)), 0)
        y = y + np.maximum(result(ops.convolution(operand(y), operand(self.second.data()), 1, 2, 2)), 0)
        return y.mean(axis=(2, 3))


def images(batch, width):
    return np.array(numpy.random.default_rng(width).standard_normal((batch, 3, 12, width)).astype("f4"))


def rows(length, batch):
    return np.array(numpy.random.default_rng(length).standard_normal((length, batch, 16)).astype("f4"))


NETS = {
    "attention": (Attention, [words(1, 6), words(3, 7)], [words(1, 6), words(2, 9), words(5, 30), words(64, 3)]),
    "convolutions": (Convolutions, [images(1, 14), images(3, 11)], [images(1, 14), images(2, 9), images(5, 40)]),
    "recurrence": (Recurrence, [rows(7, 3), rows(7, 4)], [rows(7, 3), rows(7, 2), rows(7, 33)]),
}


@pytest.mark.parametrize("case", NETS)
@pytest.mark.parametrize("weights", ["inside", "beside"])
def test_nets(library, case, weights):
    make, calls, others = NETS[case]
    net = make()
    net.initialize()
    net(calls[0])
    made = library(lambda data: net(data), *[(x,) for x in calls], weights=weights)
    beside = {"weights": str(made.files[-1])} if weights == "beside" else {}
    for level in runnable():
        model = made.create(processor=level, **beside)
        for x in others:
            found = model(x.asnumpy())
            assert not isinstance(found, str), found
            numpy.testing.assert_allclose(found[0], net(x).asnumpy(), rtol=1e-4, atol=1e-5)
        model.destroy()


def test_heads_of_detectors(library):
    """Boxes matched, the best ones kept, of any batch."""

    def boxes(batch):
        draw = numpy.random.default_rng(batch)
        places = draw.random((batch, 30, 2))
        classes, scores = draw.integers(0, 3, (batch, 30, 1)), draw.random((batch, 30, 1))
        return np.array(numpy.concatenate([classes, scores, places, places + 0.3], -1).astype("f4"))

    def head(x):
        found = nd.contrib.box_nms(x, 0.3, 0.1, 12, id_index=0)
        overlaps = nd.contrib.box_iou(found[0, :, 2:], x[0, :, 2:])
        return (found, *nd.contrib.bipartite_matching(overlaps, threshold=0.2))

    made = library(head, (boxes(1),), (boxes(3),))
    for level in runnable():
        model = made.create(processor=level)
        for batch in (1, 2, 5):
            x = boxes(batch)
            for found, wanted in zip(model(numpy.asarray(x)), head(x), strict=True):
                numpy.testing.assert_allclose(found, wanted.asnumpy(), rtol=1e-5, atol=1e-6)
        model.destroy()
