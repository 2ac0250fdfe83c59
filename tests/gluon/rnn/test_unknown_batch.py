# SPDX-License-Identifier: Apache-2.0
"""States of an unknown batch, hybridized: MXNet 1's sizes of 0 are those of what the states are computed with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

from hybridize import autograd, gluon, hybridize, nd, np, sym
from hybridize.base.errors import HybridizeError, ShapeError

rnn = gluon.rnn


def _sequential() -> Any:
    cells = rnn.HybridSequentialRNNCell()
    for cell in (rnn.LSTMCell(3), rnn.ResidualCell(rnn.GRUCell(3)), rnn.ZoneoutCell(rnn.RNNCell(3), 0.2, 0.2)):
        cells.add(cell)
    return cells


LAYERS: dict[str, Callable[[], Any]] = {
    "LSTM": lambda: rnn.LSTM(3), "GRU": lambda: rnn.GRU(3, num_layers=2), "RNN": lambda: rnn.RNN(3, bidirectional=True),
    "NTC": lambda: rnn.LSTM(3, layout="NTC", bidirectional=True),
}  # fmt: skip
CELLS: dict[str, Callable[[], Any]] = {
    "LSTMCell": lambda: rnn.LSTMCell(3), "GRUCell": lambda: rnn.GRUCell(3), "RNNCell": lambda: rnn.RNNCell(3),
    "sequential": _sequential,
}  # fmt: skip


class _Net(gluon.HybridBlock):
    def __init__(self, layer: Any, use: Callable[[Any, Any, Any, Any], Any]) -> None:
        super().__init__()
        self.layer, self.use = layer, use
        self.unknown, self.given = True, len(type(layer).__name__) % 2 == 0

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        batch = 0 if self.unknown else x.shape[1 if self.layer.__class__.__name__ in ("LSTM", "GRU", "RNN") else 0]
        if getattr(self.layer, "_layout", "TNC") == "NTC" and not self.unknown:
            batch = x.shape[0]
        states = self.layer.begin_state(batch_size=batch, func=F.zeros if self.given else None)
        return self.use(F, self.layer, x, states)


def _called(F: Any, layer: Any, x: Any, states: Any) -> Any:
    return layer(x, states)[0]


def _unrolled(F: Any, cell: Any, x: Any, states: Any) -> Any:
    return cell.unroll(3, x, states, layout="NTC", merge_outputs=True)[0]


def _looped(F: Any, cell: Any, x: Any, states: Any) -> Any:
    return F.contrib.foreach(cell, x.swapaxes(0, 1), states)[0].swapaxes(0, 1)


CASES = [(make, _called, (5, 3, 4)) for make in LAYERS.values()] + [
    (make, use, shape)
    for make in CELLS.values()
    for use, shape in ((_called, (5, 4)), (_unrolled, (5, 3, 4)), (_looped, (5, 3, 4)))
]


@pytest.mark.parametrize(("make", "use", "shape"), CASES)
def test_the_batch_is_that_of_the_input(make: Any, use: Any, shape: tuple[int, ...]) -> None:
    net = _Net(make(), use)
    net.initialize()
    rng = numpy.random.default_rng(0)
    inputs = [nd.array(rng.normal(size=(shape[0] + more, *shape[1:]))) for more in (0, 0, 2)]
    if use is _called and len(shape) == 3:  # another batch, not other steps
        inputs = [nd.array(rng.normal(size=(shape[0], shape[1] + more, shape[2]))) for more in (0, 0, 2)]
    net.unknown = False
    expected = [net(x).asnumpy() for x in inputs]
    net.unknown = True
    with pytest.raises(ShapeError):  # as MXNet, imperatively
        net(inputs[0])
    net.hybridize()
    for x, y in zip(inputs, expected, strict=True):
        numpy.testing.assert_allclose(net(x).asnumpy(), y, rtol=2e-5, atol=1e-6)


def test_a_language_model_without_states_is_trained_hybridized() -> None:
    class Model(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            with self.name_scope():
                self.embedding, self.encoder = gluon.nn.Embedding(7, 4), rnn.LSTM(5, input_size=4)
                self.decoder = gluon.nn.Dense(7, flatten=False, in_units=5)

        def hybrid_forward(self, F: Any, tokens: Any, states: Any = None) -> Any:
            if not states:
                if F is not sym:
                    states = self.encoder.begin_state(batch_size=tokens.shape[1])
                else:
                    states = self.encoder.begin_state(batch_size=0, func=sym.zeros)
            y, states = self.encoder(self.embedding(tokens), states)
            return self.decoder(y), states

    def train(compiled: bool) -> list[float]:
        net, loss_of = Model(), gluon.loss.SoftmaxCrossEntropyLoss()
        net.initialize()
        rng = numpy.random.default_rng(1)
        for parameter in net.collect_params().values():
            parameter.set_data(nd.array(rng.normal(size=parameter.shape) * 0.3))
        if compiled:
            net.hybridize()
        trainer, losses = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5}), []
        for batch in (2, 2, 3):
            tokens = nd.array(rng.integers(0, 7, (6, batch)))
            states = None
            for part in (tokens[:3], tokens[3:]):
                with autograd.record():
                    y, states = net(part, states)
                    loss = loss_of(y, part).mean()
                loss.backward()
                trainer.step(1)
                losses.append(float(loss.asnumpy().sum()))
        return losses

    numpy.testing.assert_allclose(train(True), train(False), rtol=1e-5)


ELEMENTWISE: list[tuple[Callable[[Any, Any], Any], Callable[[Any], Any]]] = [
    (lambda F, x: F.zeros((0, 4)) + x, lambda x: x),
    (lambda F, x: x * F.ones(shape=(0, 4)), lambda x: x),
    (lambda F, x: F.full((0, 4), 7.0) - x, lambda x: 7 - x),
    (lambda F, x: F.elemwise_mul(F.ones(shape=(0, 4)), x), lambda x: x),
    (lambda F, x: F.where(x > 0, x, F.zeros((0, 4))), lambda x: numpy.maximum(x, 0)),
    (lambda F, x: F.zeros((0, 0)) + x, lambda x: x),
    (lambda F, x: F.broadcast_maximum(F.zeros((0, 4)), x), lambda x: numpy.maximum(x, 0)),
]


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize(("of", "meaning"), ELEMENTWISE)
def test_elementwise(of: Any, meaning: Any, batch: int) -> None:
    class Net(gluon.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return of(F, x)

    x, net = numpy.random.default_rng(0).normal(size=(batch, 4)).astype("float32"), Net()
    net.hybridize()
    for rows in (x, x, numpy.repeat(x, 2, 0)):
        y = net(nd.array(rows))
        assert y.shape == rows.shape
        numpy.testing.assert_allclose(y.asnumpy(), meaning(rows), rtol=1e-6)


@pytest.mark.parametrize(
    "function",
    [lambda x: np.zeros((0, 4)) + x, lambda x: nd.zeros((0, 3)) + x, lambda x: nd.zeros((0, 4)) * 2 + x],
)
def test_what_is_not_unknown_is_refused(function: Any) -> None:
    """NumPy's sizes of 0 are 0; others that are known do not fit; what is computed has the sizes that it has."""
    with pytest.raises(HybridizeError, match="do not broadcast"):
        hybridize(function)(np.ones((2, 4)))


@pytest.mark.parametrize("dim", [1, -1, 2, 0])
@pytest.mark.parametrize("make", ["zeros", "ones"])
def test_the_batch_is_that_of_what_it_is_joined_to(make: str, dim: int) -> None:
    class Net(gluon.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            first = getattr(F, make)((0, 3, 4) if dim == 1 else (0, 5, 2))
            return F.concat(first, x, dim=dim)

    net = Net()
    net.hybridize()
    for batch in (2, 2, 3, 7):
        x = numpy.random.default_rng(batch).normal(size=(batch, 5, 4)).astype("f4")
        if dim == 0:  # how many there are is not told along that axis
            with pytest.raises(ShapeError):
                net(nd.array(x))
            continue
        own = (batch, 3, 4) if dim == 1 else (batch, 5, 2)
        wanted = numpy.concatenate([getattr(numpy, make)(own, "f4"), x], dim)
        numpy.testing.assert_array_equal(net(nd.array(x)).asnumpy(), wanted)
