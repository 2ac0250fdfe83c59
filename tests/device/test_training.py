"""Whole steps of training, forward, backward and update, as kernels of a device: the CPU's loss and new weights."""

import numpy as np
import pytest

from hybridize import autograd, gluon, hybridize, npx
from hybridize import np as hnp
from hybridize.codegen.llvm.device.program import DeviceProgram, build_kernels
from hybridize.gluon import nn, rnn
from hybridize.passes import PIPELINE
from hybridize.schedule.steps import ContractionStep, RegionStep
from tests.device.nets import Attention, lenet
from tests.device.programs import SM_80, Run, on_cpu


def step_of(net, shape, classes=10):
    """The graph of a step of training, and inputs for it. Labels are rows of probabilities, for which any numbers will do."""
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss(sparse_label=False)

    @hybridize
    def train(x, y):
        with autograd.record():
            loss = loss_of(net(x), y)
        loss.backward()
        trainer.step(len(x))
        return loss.mean()

    x = hnp.random.normal(size=shape)
    net(x)
    train(x, hnp.ones((shape[0], classes)) / classes)
    graph = train.programs()[0].captured
    rng = np.random.default_rng(0)
    inputs = [(rng.standard_normal(one.type.shape) * 0.3).astype(one.type.dtype) for one in graph.inputs]
    return graph, inputs


def check(net, shape, tolerance=2e-5) -> DeviceProgram:
    """Compare loss and new weights. A CPU sums dots in vectors, so a training step differs in the last bits."""
    graph, inputs = step_of(net, shape)
    program = build_kernels(PIPELINE.run(graph), SM_80)
    found, expected = Run(program, inputs).outputs(), on_cpu(graph, inputs)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-6, atol=1e-6)
    for one, other in zip(found[1:], expected[1:], strict=True):
        # What nearly cancels is as near as the numbers that it is a sum of.
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=2e-6 * max(1, np.abs(other).max()))
    return program


def dense(*units):
    net = nn.HybridSequential()
    for one in units[:-1]:
        net.add(nn.Dense(one, activation="relu"))
    net.add(nn.Dense(units[-1]))
    return net


def test_a_perceptron():
    check(dense(24, 10), (9, 20))


@pytest.mark.long
def test_a_perceptron_of_three_layers():
    check(dense(64, 32, 10), (32, 48))


@pytest.mark.long
def test_lenet():
    check(lenet(), (2, 1, 28, 28))


@pytest.mark.long
def test_a_residual_net_with_batch_norm():
    class Block(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.one = nn.Conv2D(4, 3, padding=1)
            self.norm = nn.BatchNorm()
            self.two = nn.Conv2D(4, 3, padding=1)

        def forward(self, x):
            return x + self.two(hnp.maximum(self.norm(self.one(x)), 0))

    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, padding=1), Block(), nn.MaxPool2D(2, 2), nn.GlobalAvgPool2D(), nn.Flatten(), nn.Dense(10))
    check(net, (3, 2, 10, 10))


# Sequences


class Recurrent(nn.HybridBlock):
    """A layer over turns, and one of what it gives last."""

    def __init__(self, layer):
        super().__init__()
        self.layer, self.out = layer, nn.Dense(10)

    def forward(self, x):
        return self.out(self.layer(x)[:, -1])


def scans_of(program) -> list[RegionStep]:
    return [step for step in program.schedule.steps if isinstance(step, RegionStep)]


def check_recurrent(layer, scans, shape=(3, 5, 6)) -> None:
    """Forward and backward are scans of the same number of turns."""
    found = scans_of(check(Recurrent(layer), shape, tolerance=1e-5))
    assert [step.length for step in found] == [shape[1]] * scans
    assert sum(step.reverse for step in found) == scans // 2


def test_an_lstm():
    check_recurrent(rnn.LSTM(8, layout="NTC"), 2)


@pytest.mark.long
@pytest.mark.parametrize("kind", [rnn.GRU, rnn.RNN, rnn.LSTM])
@pytest.mark.parametrize(
    "options", [{}, {"num_layers": 2}, {"bidirectional": True}, {"num_layers": 2, "bidirectional": True}], ids=str
)
def test_recurrent_layers(kind, options):
    scans = 2 * options.get("num_layers", 1) * (2 if options.get("bidirectional") else 1)
    check_recurrent(kind(8, layout="NTC", **options), scans)


@pytest.mark.long
def test_a_large_lstm_has_a_product_with_its_cell_in_each_turn():
    graph, inputs = step_of(Recurrent(rnn.LSTM(32, layout="NTC")), (16, 4, 24))
    program = build_kernels(PIPELINE.run(graph), SM_80)
    forward = next(step for step in scans_of(program) if not step.reverse)
    (product,) = (step for step in forward.bodies[0].steps if isinstance(step, ContractionStep))
    assert [one.grid.gates for one in product.plan.launches] == [4]
    for found, expected in zip(Run(program, inputs).outputs(), on_cpu(graph, inputs), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


class OfLengths(nn.HybridBlock):
    """A recurrent layer over sequences of different lengths, which a mask ends."""

    def __init__(self):
        super().__init__()
        self.layer, self.out = rnn.LSTM(8), nn.Dense(10)

    def forward(self, x):
        lengths = hnp.clip(hnp.floor(hnp.abs(x[0, :, 0]) * 20), 1, x.shape[0])
        y = npx.sequence_mask(self.layer(x), lengths, use_sequence_length=True)
        return self.out(y.sum(axis=0) / lengths.reshape(-1, 1))


@pytest.mark.long
def test_sequences_of_different_lengths():
    check(OfLengths(), (4, 4, 6), tolerance=1e-5)


class TransformerBlock(nn.HybridBlock):
    def __init__(self, units, heads):
        super().__init__()
        self.before, self.between, self.drop = nn.LayerNorm(), nn.LayerNorm(), nn.Dropout(0.25)
        self.attention = Attention(units, heads, is_causal=True)
        self.wide, self.narrow = nn.Dense(4 * units, flatten=False), nn.Dense(units, flatten=False)

    def forward(self, x):
        x = x + self.drop(self.attention(self.before(x)))
        return x + self.drop(self.narrow(npx.leaky_relu(self.wide(self.between(x)), act_type="gelu")))


def transformer(blocks, units, heads):
    net = nn.HybridSequential()
    net.add(*(TransformerBlock(units, heads) for _ in range(blocks)), nn.Dense(10))
    return net


@pytest.mark.long
def test_a_transformer():
    check(transformer(1, 8, 2), (2, 4, 8), tolerance=1e-5)


@pytest.mark.long
def test_a_transformer_of_two_blocks():
    check(transformer(2, 32, 4), (3, 12, 32))
