"""Several CPU devices, which are one memory: parts of a batch sum up as gradients of devices do in MXNet."""

import numpy
import pytest

import hybridize
from hybridize import autograd, gluon
from hybridize.array import np
from hybridize.gluon import nn
from hybridize.gluon.utils import split_and_load

DEVICES = [hybridize.cpu(0), hybridize.cpu(1)]


def trained(devices, hybridized=False, compiled=False, grad_req="write"):
    """Five steps over parts of batches, one for each device; the losses, and the weights in the end."""
    hybridize.random.seed(5)
    net = nn.HybridSequential()
    net.add(nn.Dense(6, activation="tanh"), nn.Dense(1))
    net.initialize(ctx=devices)
    net.collect_params().setattr("grad_req", grad_req)
    if hybridized:
        net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.05})
    generator = numpy.random.default_rng(2)

    def step(x, y):
        with autograd.record():
            parts = zip(split_and_load(x, devices), split_and_load(y, devices), strict=True)
            losses = [((net(a) - b) ** 2).sum() for a, b in parts]
        for loss in losses:
            loss.backward()
        trainer.step(8)
        if grad_req == "add":
            net.collect_params().zero_grad()
        return sum(losses[1:], losses[0])

    run = hybridize.hybridize(step) if compiled else step
    totals = []
    for _ in range(5):
        x, y = np.array(generator.normal(size=(8, 3))), np.array(generator.normal(size=(8, 1)))
        totals.append(float(run(x, y)))
    return totals, [p.data().asnumpy() for p in net.collect_params().values()]


@pytest.mark.parametrize("settings", [{}, {"hybridized": True}, {"compiled": True}, {"grad_req": "add"}], ids=str)
def test_parts_sum_up(settings):
    expected, weights = trained(DEVICES[:1])
    found, others = trained(DEVICES, **settings)
    assert found == pytest.approx(expected, rel=1e-4)
    for one, other in zip(weights, others, strict=True):
        assert other == pytest.approx(one, rel=1e-3, abs=1e-5)


def test_one_device_writes():
    one = gluon.Parameter("weight", shape=(1,))
    one.initialize(ctx=[hybridize.cpu(1)])
    assert not one.sums
    for _ in range(2):
        with autograd.record():
            loss = one.data().sum() * 3
        loss.backward()
    assert one.grad().item() == 3.0
    one.initialize(ctx=DEVICES, force_reinit=True)
    assert one.sums
    one.grad_req = "null"
    assert not one.sums
