"""Programs of our own in the styles of the libraries: what they have in common, without any of them installed."""

import mxnet as mx
from mxnet import gluon
from mxnet.gluon import nn, rnn
from mxnet.gluon.block import HybridBlock
from rules import Rule, numbers, stages


def _unit(channels, stride, prefix):
    unit = nn.HybridSequential(prefix=prefix)
    with unit.name_scope():
        unit.add(nn.Conv2D(channels, 3, stride, 1, use_bias=False), nn.BatchNorm(epsilon=1e-5), nn.Activation("relu"))
        unit.add(nn.Conv2D(channels, 3, 1, 1, use_bias=False), nn.BatchNorm())
    return unit


class Residual(HybridBlock):
    """Of a zoo of images: two convolutions and a shortcut that may be pooled, gates of channels."""

    def __init__(self, channels, stride=1, **kwargs):
        super().__init__(**kwargs)
        self.stride = stride
        with self.name_scope():
            self.body = _unit(channels, stride, "body_")
            self.gate = nn.HybridSequential(prefix="gate_")
            with self.gate.name_scope():
                self.gate.add(nn.Dense(channels // 2, use_bias=False), nn.Activation("relu"))
                self.gate.add(nn.Dense(channels, use_bias=False), nn.Activation("sigmoid"))

    def hybrid_forward(self, F, x):
        y = self.body(x)
        gate = self.gate(F.contrib.AdaptiveAvgPooling2D(y, output_size=1))
        y = F.broadcast_mul(y, F.expand_dims(F.expand_dims(gate, axis=2), axis=2))
        if self.stride > 1:
            x = F.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type="avg", count_include_pad=False)
            x = F.concat(x, F.zeros_like(x), dim=1)
        return F.LeakyReLU(x + y, act_type="leaky", slope=0.1)


def images():
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(
            nn.Conv2D(8, 3, padding=1), Residual(8), Residual(16, 2), nn.GlobalAvgPool2D(), nn.Flatten(), nn.Dense(5)
        )
    net.initialize(Rule())
    return stages(net, numbers((2, 3, 16, 16)))


class Heads(HybridBlock):
    """Of a detector: boxes and classes of two scales, transposed, flattened and joined, beside anchors."""

    def __init__(self, classes, **kwargs):
        super().__init__(**kwargs)
        self.classes = classes
        with self.name_scope():
            self.scales, self.kinds, self.boxes = (nn.HybridSequential() for _ in range(3))
            for channels in (8, 12):
                self.scales.add(nn.Conv2D(channels, 3, 2, 1, activation="relu"))
                self.kinds.add(nn.Conv2D(4 * (classes + 1), 3, 1, 1))
                self.boxes.add(nn.Conv2D(4 * 4, 3, 1, 1))

    def hybrid_forward(self, F, x):
        kinds, boxes, anchors = [], [], []
        for scale, kind, box in zip(self.scales, self.kinds, self.boxes):
            x = scale(x)
            kinds.append(F.flatten(F.transpose(kind(x), axes=(0, 2, 3, 1))))
            boxes.append(F.flatten(F.transpose(box(x), axes=(0, 2, 3, 1))))
            anchors.append(F.contrib.MultiBoxPrior(x, sizes=(0.2, 0.4), ratios=(1, 2, 0.5)))
        kinds = F.reshape(F.concat(*kinds, dim=1), shape=(0, -1, self.classes + 1))
        boxes = F.reshape(F.concat(*boxes, dim=1), shape=(0, -1, 4))
        return F.softmax(kinds, axis=-1), boxes, F.concat(*anchors, dim=1)


def detector():
    net = Heads(3)
    net.initialize(Rule())
    return stages(net, numbers((2, 3, 24, 24)))


class Forecast(HybridBlock):
    """Of a library of series: lags beside embeddings, scaled by a mean, unrolled through cells, a likelihood."""

    def __init__(self, steps, cells, categories, **kwargs):
        super().__init__(**kwargs)
        self.steps = steps
        with self.name_scope():
            self.cells = rnn.HybridSequentialRNNCell()
            for _ in range(2):
                self.cells.add(rnn.LSTMCell(hidden_size=cells))
            self.embedding = nn.Embedding(categories, 3)
            self.mean, self.deviation = nn.Dense(1, flatten=False), nn.Dense(1, flatten=False)

    def hybrid_forward(self, F, target, observed, category):
        total = F.broadcast_mul(target.abs(), observed).sum(axis=1)
        scale = F.maximum(total / F.maximum(observed.sum(axis=1), 1.0), 1e-3)
        scaled = F.broadcast_div(target, scale.expand_dims(axis=1))
        lags = [F.slice_axis(scaled, axis=1, begin=3 - lag, end=-lag).expand_dims(axis=2) for lag in (1, 2, 3)]
        static = self.embedding(category).expand_dims(axis=1).repeat(axis=1, repeats=self.steps)
        inputs = F.concat(*lags, static, dim=-1)
        outputs, _ = self.cells.unroll(length=self.steps, inputs=inputs, layout="NTC", merge_outputs=True)
        mean = F.squeeze(self.mean(outputs), axis=-1)
        deviation = F.Activation(F.squeeze(self.deviation(outputs), axis=-1), act_type="softrelu") + 1e-2
        value = F.slice_axis(scaled, axis=1, begin=3, end=None)
        return 0.5 * F.square((value - mean) / deviation) + F.log(deviation), mean


def forecast():
    net = Forecast(9, 6, 4)
    net.initialize(Rule())
    observed = mx.nd.array([[1] * 12, [1] * 9 + [0] * 3])
    return stages(net, numbers((2, 12), 5), observed, mx.nd.array([1, 3]))


class Attention(HybridBlock):
    """Of a library of language: masked self-attention of several heads, a feed-forward part, layer norms, positions."""

    def __init__(self, units, heads, **kwargs):
        super().__init__(**kwargs)
        self.units, self.heads = units, heads
        with self.name_scope():
            self.queries, self.keys, self.values, self.out = (
                nn.Dense(units, flatten=False, use_bias=False, prefix=word) for word in ("q_", "k_", "v_", "o_")
            )
            self.norm, self.wide, self.narrow = nn.LayerNorm(), nn.Dense(2 * units, flatten=False), None
            self.narrow = nn.Dense(units, flatten=False)
            self.position = self.params.get("position", shape=(16, units), init=Rule())

    def _parted(self, F, x):
        x = F.reshape(x, shape=(0, 0, self.heads, -1))
        return F.reshape(F.transpose(x, axes=(0, 2, 1, 3)), shape=(-1, 0, 0), reverse=True)

    def hybrid_forward(self, F, x, lengths, position):
        steps = F.contrib.arange_like(x, axis=1)
        x = F.broadcast_add(x, F.expand_dims(F.Embedding(steps, position, 16, self.units), axis=0))
        q, k, v = (self._parted(F, layer(x)) for layer in (self.queries, self.keys, self.values))
        scores = F.batch_dot(q, k, transpose_b=True) / (self.units // self.heads) ** 0.5
        mask = F.broadcast_lesser(F.reshape(steps, shape=(1, -1)), F.reshape(lengths, shape=(-1, 1)))
        mask = F.repeat(F.expand_dims(mask, axis=1), self.heads, axis=0)
        weights = F.softmax(F.broadcast_add(scores, (1 - mask) * -1e9), axis=-1)
        y = F.reshape(F.batch_dot(weights, v), shape=(-1, self.heads, 0, 0), reverse=True)
        y = F.reshape(F.transpose(y, axes=(0, 2, 1, 3)), shape=(0, 0, -1))
        y = self.norm(x + self.out(y))
        return y + self.narrow(F.LeakyReLU(self.wide(y), act_type="gelu"))


def language():
    net = Attention(8, 2)
    net.initialize(Rule())
    return stages(net, numbers((2, 5, 8)), mx.nd.array([5, 3]))


def book():
    """Of the book: a state that is detached between batches, gradients clipped by hand, plain descent."""
    inputs, hidden, outputs = numbers((3, 4)), numbers((4, 4), 0.5), numbers((4, 2))
    weights = [inputs, hidden, outputs]
    for one in weights:
        one.attach_grad()
    state, losses = mx.nd.zeros((2, 4)), []
    for batch in range(4):
        state = state.detach()
        with mx.autograd.record():
            loss = 0
            for step in range(3):
                state = mx.nd.tanh(mx.nd.dot(numbers((2, 3), step + batch + 1), inputs) + mx.nd.dot(state, hidden))
                loss = loss + gluon.loss.L2Loss()(mx.nd.dot(state, outputs), mx.nd.ones((2, 2))).mean()
        loss.backward()
        norm = sum((one.grad**2).sum() for one in weights).sqrt().asscalar()
        for one in weights:
            one[:] = one - 0.1 * min(1.0, 1.0 / norm) * one.grad
        losses.append(loss.asscalar())
    from rules import signature

    return {"losses": signature(losses), "weights": signature(*weights)}


PROGRAMS = {
    "images": (images,),
    "detector": (detector,),
    "forecast": (forecast,),
    "language": (language,),
    "book": (book,),
}
