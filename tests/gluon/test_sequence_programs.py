"""Attention as courses and books write it by hand, with `np` and `npx` alone: the same imperatively and hybridized."""

import math

import numpy
import pytest
import torch

from hybridize import autograd, gluon, np, npx
from hybridize.gluon import nn


def blanked(x, count, value=0):
    """Rows of a table with what follows their count replaced."""
    longest = x.shape[1]
    keep = np.arange(longest, dtype=np.float32)[None, :] < count[:, None]
    x[~keep] = value
    return x


def softmax_within(scores, count):
    """A softmax over the last axis, of the first elements only; counts by example or by row."""
    if count is None:
        return npx.softmax(scores)
    shape = scores.shape
    count = count.repeat(shape[1]) if count.ndim == 1 else count.reshape(-1)
    flat = npx.sequence_mask(scores.reshape(-1, shape[-1]), count, True, value=-1e6, axis=1)
    return npx.softmax(flat).reshape(shape)


class Additive(nn.HybridBlock):
    def __init__(self, hidden, rate, **kwargs):
        super().__init__(**kwargs)
        self.for_keys = nn.Dense(hidden, use_bias=False, flatten=False)
        self.for_queries = nn.Dense(hidden, use_bias=False, flatten=False)
        self.score = nn.Dense(1, use_bias=False, flatten=False)
        self.dropout = nn.Dropout(rate)

    def forward(self, queries, keys, values, count):
        queries, keys = self.for_queries(queries), self.for_keys(keys)
        both = np.tanh(np.expand_dims(queries, axis=2) + np.expand_dims(keys, axis=1))
        scores = np.squeeze(self.score(both), axis=-1)
        self.weights = softmax_within(scores, count)
        return npx.batch_dot(self.dropout(self.weights), values)


class ScaledProducts(nn.HybridBlock):
    def __init__(self, rate, **kwargs):
        super().__init__(**kwargs)
        self.dropout = nn.Dropout(rate)

    def forward(self, queries, keys, values, count=None):
        size = queries.shape[-1]
        scores = npx.batch_dot(queries, keys, transpose_b=True) / math.sqrt(size)
        self.weights = softmax_within(scores, count)
        return npx.batch_dot(self.dropout(self.weights), values)


class Heads(nn.HybridBlock):
    def __init__(self, hidden, heads, rate, bias=False, **kwargs):
        super().__init__(**kwargs)
        self.heads = heads
        self.attention = ScaledProducts(rate)
        self.q = nn.Dense(hidden, use_bias=bias, flatten=False)
        self.k = nn.Dense(hidden, use_bias=bias, flatten=False)
        self.v = nn.Dense(hidden, use_bias=bias, flatten=False)
        self.o = nn.Dense(hidden, use_bias=bias, flatten=False)

    def apart(self, x):
        x = x.reshape(x.shape[0], x.shape[1], self.heads, -1)
        x = x.transpose(0, 2, 1, 3)
        return x.reshape(-1, x.shape[2], x.shape[3])

    def together(self, x):
        x = x.reshape(-1, self.heads, x.shape[1], x.shape[2])
        x = x.transpose(0, 2, 1, 3)
        return x.reshape(x.shape[0], x.shape[1], -1)

    def forward(self, queries, keys, values, count):
        queries, keys, values = self.apart(self.q(queries)), self.apart(self.k(keys)), self.apart(self.v(values))
        if count is not None:
            count = count.repeat(self.heads, axis=0)
        return self.o(self.together(self.attention(queries, keys, values, count)))


class Positions(nn.HybridBlock):
    def __init__(self, hidden, rate, longest=100):
        super().__init__()
        self.dropout = nn.Dropout(rate)
        self.table = np.zeros((1, longest, hidden))
        angle = np.arange(longest).reshape(-1, 1) / np.power(10000, np.arange(0, hidden, 2) / hidden)
        self.table[:, :, 0::2] = np.sin(angle)
        self.table[:, :, 1::2] = np.cos(angle)

    def forward(self, x):
        x = x + self.table[:, : x.shape[1], :].as_in_ctx(x.ctx)
        return self.dropout(x)


class Feeding(nn.HybridBlock):
    def __init__(self, hidden, outputs):
        super().__init__()
        self.one = nn.Dense(hidden, flatten=False, activation="relu")
        self.two = nn.Dense(outputs, flatten=False)

    def forward(self, x):
        return self.two(self.one(x))


class AddAndNormalize(nn.HybridBlock):
    def __init__(self, rate):
        super().__init__()
        self.dropout = nn.Dropout(rate)
        self.norm = nn.LayerNorm()

    def forward(self, x, y):
        return self.norm(self.dropout(y) + x)


class EncoderBlock(nn.HybridBlock):
    def __init__(self, hidden, inner, heads, rate):
        super().__init__()
        self.attention = Heads(hidden, heads, rate)
        self.first = AddAndNormalize(rate)
        self.feeding = Feeding(inner, hidden)
        self.second = AddAndNormalize(rate)

    def forward(self, x, count):
        y = self.first(x, self.attention(x, x, x, count))
        return self.second(y, self.feeding(y))


class Encoder(nn.HybridBlock):
    def __init__(self, words, hidden, inner, heads, layers, rate):
        super().__init__()
        self.hidden = hidden
        self.embedding = nn.Embedding(words, hidden)
        self.positions = Positions(hidden, rate)
        self.blocks = nn.HybridSequential()
        for _ in range(layers):
            self.blocks.add(EncoderBlock(hidden, inner, heads, rate))

    def forward(self, x, count):
        x = self.positions(self.embedding(x) * math.sqrt(self.hidden))
        self.weights = [None] * len(self.blocks)
        for i, block in enumerate(self.blocks):
            x = block(x, count)
            self.weights[i] = block.attention.attention.weights
        return x


class CausalBlock(nn.HybridBlock):
    """The mask is written by hand, of the sizes of the input; lengths by row while training, none later."""

    def __init__(self, hidden, heads):
        super().__init__()
        self.attention = Heads(hidden, heads, 0.0)

    def forward(self, x):
        steps = x.shape[1]
        if autograd.is_training():
            count = np.tile(np.arange(1, steps + 1), (x.shape[0], 1))
        else:
            count = None
        return self.attention(x, x, x, count)


class MaskedLoss(gluon.loss.SoftmaxCELoss):
    def forward(self, found, label, count):
        weights = np.expand_dims(np.ones_like(label), axis=-1)
        weights = npx.sequence_mask(weights, count, True, axis=1)
        return super().forward(found, label, weights)


def drawn(*shape, seed=0):
    return np.array(numpy.random.default_rng((seed, *shape)).normal(size=shape).astype("f4"))


COUNT = np.array([2, 3])
ROWS = np.array([[1, 3, 5, 2], [4, 2, 1, 5]])
PROGRAMS = {
    "additive": (lambda: Additive(8, 0.1), lambda: (drawn(2, 1, 20), drawn(2, 10, 2), drawn(2, 10, 4), np.array([2, 6]))),
    "products": (lambda: ScaledProducts(0.5), lambda: (drawn(2, 1, 2), drawn(2, 10, 2), drawn(2, 10, 4), np.array([2, 6]))),
    "products, no lengths": (lambda: ScaledProducts(0.5), lambda: (drawn(2, 3, 2), drawn(2, 5, 2), drawn(2, 5, 4))),
    "heads": (lambda: Heads(20, 5, 0.5), lambda: (drawn(2, 4, 20), drawn(2, 6, 20, seed=1), drawn(2, 6, 20, seed=2), COUNT)),
    "heads, by row": (lambda: Heads(20, 5, 0.5, True), lambda: (drawn(2, 4, 20), drawn(2, 5, 20), drawn(2, 5, 20), ROWS)),
    "positions": (lambda: Positions(20, 0.0), lambda: (drawn(2, 7, 20),)),
    "block": (lambda: EncoderBlock(24, 48, 8, 0.5), lambda: (drawn(2, 30, 24), np.array([3, 2]))),
    "encoder": (lambda: Encoder(50, 24, 48, 8, 2, 0.5), lambda: (np.arange(60).reshape(2, 30) % 50, np.array([3, 2]))),
    "causal": (lambda: CausalBlock(8, 2), lambda: (drawn(2, 6, 8),)),
}  # fmt: skip


SHORT = {"additive", "heads, by row", "encoder", "causal"}


@pytest.mark.parametrize(
    "name", [one if one in SHORT else pytest.param(one, marks=pytest.mark.long) for one in PROGRAMS]
)
def test_the_same_imperatively_and_hybridized(name):
    make, arguments = PROGRAMS[name]
    net = make()
    net.initialize()
    wanted = net(*arguments()).asnumpy()
    net.hybridize()
    numpy.testing.assert_allclose(net(*arguments()).asnumpy(), wanted, rtol=1e-5, atol=1e-6)
    assert net.program(*arguments()).fallbacks == ()


@pytest.mark.parametrize(
    "name", ["heads", *(pytest.param(one, marks=pytest.mark.long) for one in ("additive", "block", "causal"))]
)
def test_gradients_and_training(name):
    """Dropout aside, losses and parameters of three steps."""
    make, arguments = PROGRAMS[name]
    found = []
    for compiled in (False, True):
        net = make()
        for block in _blocks(net):
            if isinstance(block, nn.Dropout):
                block._rate = 0.0
        net.initialize(initializer())
        net(*arguments())
        if compiled:
            net.hybridize()
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
        losses = []
        for _ in range(3):
            with autograd.record():
                y = net(*arguments())
                loss = (y * np.cos(np.arange(y.size)).reshape(y.shape)).mean()
            loss.backward()
            trainer.step(1)
            losses.append(float(loss))
        found.append((losses, [p.data().asnumpy() for p in net.collect_params().values()]))
    numpy.testing.assert_allclose(found[1][0], found[0][0], rtol=1e-4)
    for ours, wanted in zip(found[1][1], found[0][1], strict=True):
        numpy.testing.assert_allclose(ours, wanted, rtol=1e-3, atol=1e-4)


def initializer():
    """The same numbers each time."""
    numpy.random.seed(1)
    npx.seed(1)
    return "xavier"


def _blocks(net):
    yield net
    for child in net._children.values():
        yield from _blocks(child)


@pytest.mark.long
def test_one_program_for_all_lengths():
    net = Encoder(50, 16, 32, 4, 1, 0.0)
    net.initialize()
    net(np.zeros((2, 3)), np.array([1, 1]))
    plain = Encoder(50, 16, 32, 4, 1, 0.0)
    plain.share_parameters(net.collect_params())
    net.hybridize()
    random = numpy.random.default_rng(0)
    for batch, time in random.integers(1, 40, (40, 2)):
        words, count = np.array(random.integers(0, 50, (batch, time))), np.array(random.integers(1, time + 1, batch))
        numpy.testing.assert_allclose(net(words, count).asnumpy(), plain(words, count).asnumpy(), rtol=1e-4, atol=1e-5)
    assert net.cache_info().programs <= 4


def test_rows_are_blanked():
    x = np.array([[1, 2, 3], [4, 5, 6]])
    assert blanked(x, np.array([1, 2])).tolist() == [[1, 0, 0], [4, 5, 0]]
    y = np.ones((2, 3, 4))
    assert (
        blanked(y, np.array([1, 2]), value=-1).asnumpy() == numpy.where([[[1], [0], [0]], [[1], [1], [0]]], 1, -1)
    ).all()


@pytest.mark.parametrize("compiled", [False, True])
def test_masked_loss(compiled):
    loss = MaskedLoss()
    if compiled:
        loss.hybridize()
    found, label = drawn(3, 4, 10), np.array([[1, 2, 3, 4]] * 3)
    counts = [4, 2, 0]
    values = loss(found, label, np.array(counts)).asnumpy()
    each = torch.nn.functional.cross_entropy(
        torch.tensor(found.asnumpy()).swapaxes(1, 2), torch.tensor(label.asnumpy()).long(), reduction="none"
    ).numpy()
    wanted = (each * (numpy.arange(4) < numpy.array(counts)[:, None])).mean(1)
    numpy.testing.assert_allclose(values, wanted, rtol=1e-5, atol=1e-6)


def test_a_hand_written_net_and_ours():
    """The heads above with the weights of `nn.MultiHeadAttention`."""
    theirs, ours = Heads(20, 5, 0.0, True), nn.MultiHeadAttention(20, 5)
    for net in (theirs, ours):
        net.initialize()
    query, key = drawn(2, 4, 20), drawn(2, 6, 20, seed=1)
    theirs(query, key, key, COUNT)
    ours(query, key)
    for mine, given in zip(
        (ours.q_proj, ours.k_proj, ours.v_proj, ours.out_proj), (theirs.q, theirs.k, theirs.v, theirs.o), strict=True
    ):
        mine.weight.set_data(given.weight.data())
        mine.bias.set_data(given.bias.data())
    numpy.testing.assert_allclose(
        ours(query, key, valid_length=COUNT).asnumpy(), theirs(query, key, key, COUNT).asnumpy(), rtol=1e-5, atol=1e-6
    )
