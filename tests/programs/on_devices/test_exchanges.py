"""A step of training gives weights other memory, while another thread has read where they were and has yet to ask."""

import numpy
import pytest

from hybridize import autograd, gluon, gpu, hybridize, init, np
from hybridize.runtime import devices

X = numpy.arange(12, dtype="float32").reshape(4, 3)


@pytest.fixture
def net():
    net = gluon.nn.Dense(2, in_units=3, use_bias=False)
    net.initialize(init.One(), ctx=gpu(0))
    return net


@pytest.fixture
def step(net):
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1})

    @hybridize
    def step(x):
        with autograd.record():
            loss = net(x).sum()
        loss.backward()
        trainer.step(1)
        return loss

    for _ in range(3):  # so that nothing is compiled later
        step(np.array(X, ctx=gpu(0)))
    return step


READERS = {
    "a program": ("launch", lambda net, x: hybridize(lambda z: net(z))),
    "an operation": ("launch", lambda net, x: lambda z: net.weight.data() * 2),
    "a constant that is derived": ("launch", lambda net, x: hybridize(lambda z: net.weight.data().T @ z[:2] + 1)),
    "the host": ("copy_out", lambda net, x: lambda z: net.weight.data()),
    "a copy": ("copy", lambda net, x: lambda z: net.weight.data().copy()),
    "another device": ("copy_from", lambda net, x: lambda z: net.weight.data().as_in_ctx(gpu(1))),
}


@pytest.mark.parametrize("name", READERS)
def test_memory_stays_until_the_work_on_it_is_asked_for(monkeypatch, net, step, name):
    method, make = READERS[name]
    x, other = np.array(X, ctx=gpu(0)), np.array(-X, ctx=gpu(0))
    read = make(net, x)
    step(other)
    expected = [read(x).asnumpy() for _ in range(3)][-1]
    step(other)
    now = read(x).asnumpy()
    assert (now != expected).any()
    device = devices.opened(1 if method == "copy_from" else 0)
    original, steps = getattr(device, method), []

    def late(*args):
        if not steps:
            steps.append(None)
            for _ in range(2):
                step(other)
        return original(*args)

    monkeypatch.setattr(device, method, late)
    assert (read(x).asnumpy() == now).all() and steps
    assert (read(x).asnumpy() != now).any()
