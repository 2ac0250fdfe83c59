"""Steps of training on `gpu(0)` beside the same steps on the CPU."""

import numpy

from hybridize import autograd, cpu, gluon, gpu, hybridize, np
from hybridize.gluon import nn

LOSS = gluon.loss.SoftmaxCrossEntropyLoss(sparse_label=False)


def perceptron():
    net = nn.HybridSequential()
    net.add(nn.Dense(12, activation="relu"), nn.Dense(4))
    return net


def with_dropout_and_norm():
    net = nn.HybridSequential()
    net.add(nn.Dense(12, activation="tanh"), nn.BatchNorm(), nn.Dropout(0.5), nn.Dense(4))
    return net


def convolutions():
    """A net over rows of six numbers, which are an image."""
    net = nn.HybridSequential()
    net.add(nn.HybridLambda(lambda x: x.reshape(-1, 1, 2, 3)), nn.Conv2D(4, 3, padding=1, activation="relu"))
    net.add(nn.BatchNorm(), nn.MaxPool2D(2, 1), nn.Flatten(), nn.Dense(4))
    return net


class Training:
    """A net, an optimizer and a batch on a device, the same on each."""

    def __init__(self, device, make=perceptron, rule="sgd", hybridized=True, **options):
        rng = numpy.random.default_rng(0)
        x, y = rng.standard_normal((8, 6)).astype("float32"), rng.dirichlet([1] * 4, 8).astype("float32")
        numpy.random.seed(0)
        np.random.seed(0)
        self.net = net = make()
        net.initialize()
        net(np.array(x))
        net.reset_ctx(device)
        net.hybridize(hybridized)
        self.trainer = gluon.Trainer(net.collect_params(), rule, options)
        self.x, self.y = np.array(x, ctx=device), np.array(y, ctx=device)

        @hybridize
        def step(x, y):
            with autograd.record():
                loss = LOSS(net(x), y)
            loss.backward()
            self.trainer.step(8)
            return loss.mean()

        self.step = step

    def in_one_call(self):
        return self.step(self.x, self.y)

    def in_turn(self, rows=8):
        with autograd.record():
            loss = LOSS(self.net(self.x[:rows]), self.y[:rows])
        loss.backward()
        self.trainer.step(rows)
        return loss.mean()

    def weights(self):
        return [one.data().asnumpy() for one in self.net.collect_params().values()]


def check(way, steps=3, *, apart=1e-6, **options):
    """Compare the losses of steps, and the weights after them, which may be a little apart."""
    here, there = (Training(device, **options) for device in (cpu(), gpu(0)))
    for number in range(steps):
        np.random.seed(number)
        expected = getattr(here, way)()
        np.random.seed(number)
        loss = getattr(there, way)()
        assert loss.device == gpu(0)
        numpy.testing.assert_allclose(loss.asnumpy(), expected.asnumpy(), rtol=1e-6)
    for expected, weight in zip(here.weights(), there.weights(), strict=True):
        numpy.testing.assert_allclose(weight, expected, rtol=1e-5, atol=apart)
    assert all(one.data().device == gpu(0) for one in there.net.collect_params().values())
