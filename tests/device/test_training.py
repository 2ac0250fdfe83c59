"""Whole steps of training, forward, backward and update, as kernels of a device: the CPU's loss and new weights."""

import numpy as np
import pytest

from hybridize import autograd, gluon, hybridize
from hybridize import np as hnp
from hybridize.codegen.llvm.device.program import build_kernels
from hybridize.gluon import nn
from hybridize.passes import PIPELINE
from tests.device.programs import SM_80, Run, on_cpu


def step_of(net, shape, classes=10):
    """The graph of a step of training, and inputs for it. Labels are rows of probabilities: numbers of classes would be
    checked by an assertion, which has no code on a device yet.
    """
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


def check(net, shape) -> None:
    graph, inputs = step_of(net, shape)
    program = build_kernels(PIPELINE.run(graph), SM_80)
    for found, expected in zip(Run(program, inputs).outputs(), on_cpu(graph, inputs), strict=True):
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-6)


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
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(6, 5, padding=2, activation="sigmoid"), nn.AvgPool2D(2, 2), nn.Conv2D(16, 5, activation="sigmoid"),
        nn.AvgPool2D(2, 2), nn.Flatten(), nn.Dense(120, activation="sigmoid"), nn.Dense(84, activation="sigmoid"),
        nn.Dense(10),
    )  # fmt: skip
    check(net, (2, 1, 28, 28))


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
