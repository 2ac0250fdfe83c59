"""Steps of a small residual network: imperatively, its net hybridized, the whole step compiled, and in PyTorch."""

import numpy
import pytest
import torch
from hybridize_bench import networks
from hybridize_bench.networks import Network
from hybridize_bench.peers import torch_networks
from hybridize_bench.peers.ours import Layers2D

from hybridize import autograd, gluon, hybridize, np
from hybridize.gluon import nn

STEPS = 5
KEPT = 0.9
"""Of the running statistics, by both layers' defaults."""


def residual():
    """A stem with pooling, a block whose shortcut is the input, one with a convolution, the mean, a dense layer."""
    net = Network((3, 17, 15))
    x = net.apply(networks.RELU, net.normalization(net.convolution(0, 16, 5, 2)))
    x = net.pool(networks.MAX_POOL, x, 3, 2, 1)
    for channels, stride in ((16, 1), (24, 2)):
        y = net.apply(networks.RELU, net.normalization(net.convolution(x, channels, 3, stride)))
        y = net.normalization(net.convolution(y, channels, 3))
        short = net.normalization(net.convolution(x, channels, 1, stride)) if stride == 2 else x
        x = net.apply(networks.RELU, net.apply(networks.ADD, y, short))
    net.dense(net.apply(networks.MEAN, x), 5)
    return net


BATCHES = (6, 6, 3, 6, 4)
"""Short ones among them: a program for one size, then one for all."""


def batches(network):
    rng = numpy.random.default_rng(3)
    return [(rng.standard_normal((count, *network.image)), rng.integers(0, 5, count)) for count in BATCHES]


OPTIMIZERS = {
    "sgd": ({"momentum": 0.9, "wd": 0.01}, torch.optim.SGD, {"momentum": 0.9, "weight_decay": 0.01}),
    "nag": ({"momentum": 0.9}, torch.optim.SGD, {"momentum": 0.9, "nesterov": True}),
    # MXNet adds epsilon before the bias of the second moment is corrected, PyTorch after that: here it is next to nothing.
    "adam": ({"epsilon": 1e-14}, torch.optim.Adam, {"eps": 1e-14}),
}
RATES = {"sgd": 0.05, "nag": 0.02, "adam": 1e-3}


def ours(name, compiled):
    """The losses of five steps, and the running statistics after them."""
    network = residual()
    net = Layers2D(network, network.arrays())
    net.cast("float64")
    if compiled == "net":
        net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), name, {"learning_rate": RATES[name], **OPTIMIZERS[name][0]})
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()

    def step(x, y):
        with autograd.record():
            loss = loss_of(net(x), y)
        loss.backward()
        trainer.step(len(x))
        return loss.mean()

    if compiled == "step":
        step = hybridize(step)
    losses = [float(step(np.array(x, dtype="float64"), np.array(y))) for x, y in batches(network)]
    norms = [getattr(net, f"part{number}") for number in range(len(network.layers))]
    norms = [norm for norm in norms if isinstance(norm, nn.BatchNorm)]
    return losses, [(norm.running_mean.data().asnumpy(), norm.running_var.data().asnumpy()) for norm in norms]


def theirs(name):
    """The same by PyTorch, with MXNet's meaning of the running variance: the biased one."""
    network = residual()
    net = torch_networks.module(network, network.arrays()).double().train()
    _, kind, options = OPTIMIZERS[name]
    optimizer = kind(net.parameters(), lr=RATES[name], **options)
    norms = [one for one in net.modules() if isinstance(one, torch.nn.BatchNorm2d)]
    variances = [norm.running_var.clone() for norm in norms]
    seen = [None] * len(norms)
    for number, norm in enumerate(norms):
        norm.register_forward_pre_hook(lambda _, xs, number=number: seen.__setitem__(number, xs[0].detach()))
    losses = []
    for x, y in batches(network):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(net(torch.from_numpy(x)), torch.from_numpy(y))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        for number, x in enumerate(seen):
            variances[number] = KEPT * variances[number] + (1 - KEPT) * x.var((0, 2, 3), unbiased=False)
    means = [norm.running_mean for norm in norms]
    return losses, [(mean.numpy(), variance.numpy()) for mean, variance in zip(means, variances, strict=True)]


WAYS = [(name, compiled) for name in OPTIMIZERS for compiled in ("imperative", "net", "step")]
SHORT = {("sgd", "imperative"), ("sgd", "net"), ("sgd", "step"), ("adam", "step")}
"""The formulas of optimizers are those of tests/optimizer; what is asked here is the net."""


@pytest.mark.parametrize(
    ("name", "compiled"), [pytest.param(*way, marks=[] if way in SHORT else [pytest.mark.long]) for way in WAYS]
)
def test_five_steps_are_pytorchs(name, compiled):
    (losses, statistics), (wanted, expected) = ours(name, compiled), theirs(name)
    assert len(losses) == STEPS
    numpy.testing.assert_allclose(losses, wanted, rtol=1e-6)
    assert len(statistics) == len(expected) == 6
    for found, one in zip(statistics, expected, strict=True):
        for a, b in zip(found, one, strict=True):
            numpy.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("compiled", [False, True])
def test_gradients_are_added_and_left_out(compiled):
    """grad_req by layer: two passes over one batch add up where "add" says so, and "null" has none."""
    network = residual()
    net = Layers2D(network, network.arrays())
    net.cast("float64")
    net.part0.collect_params().setattr("grad_req", "add")
    net.part1.gamma.grad_req = "null"
    x, y = batches(network)[0]
    x, y = np.array(x, dtype="float64"), np.array(y)
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()

    def gradients(x, y):
        with autograd.record():
            loss = loss_of(net(x), y)
        loss.backward()
        return loss.mean()

    run = hybridize(gradients) if compiled else gradients
    kept = net.part1.gamma.data().asnumpy().copy()
    run(x, y)
    once = net.part0.weight.grad().asnumpy().copy(), net.part1.beta.grad().asnumpy().copy()
    run(x, y)
    numpy.testing.assert_allclose(net.part0.weight.grad().asnumpy(), 2 * once[0], rtol=1e-7)
    numpy.testing.assert_allclose(net.part1.beta.grad().asnumpy(), once[1], rtol=1e-7)
    numpy.testing.assert_array_equal(net.part1.gamma.data().asnumpy(), kept)
