# SPDX-License-Identifier: Apache-2.0
"""Several outputs of one compiled call: what is behind each, and gradients by an output that others are computed of."""

import numpy
import pytest

from hybridize import autograd, disabled, errors, np, npx, random
from hybridize.gluon import HybridBlock, Parameter, Trainer, nn
from hybridize.verb import hybridize

X = numpy.random.default_rng(0).uniform(-1, 1, (4, 3))


class Layers(HybridBlock):
    """Gives what is between its layers, too."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.third = nn.Dense(5, in_units=3), nn.Dense(4, in_units=5), nn.Dense(2, in_units=4)
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        a = np.tanh(self.drop(self.first(x)))
        b = np.exp(0.3 * self.second(a))
        return a, b, self.third(b), b[1:], npx.stop_gradient(b)


HEADS = {
    "the last": lambda a, b, c, d, e: (c**2).sum(),
    "all": lambda a, b, c, d, e: (a**3).sum() + (b * e).sum() + (c * c).sum() + d.sum() * 2,
    "a view": lambda a, b, c, d, e: (d**2).sum(),
    "the wanted ones": lambda a, b, c, d, e: (a**2).sum() + (b**2).sum(),
    "a constant": lambda a, b, c, d, e: (c * e.sum()).sum(),
}


def made(compiled, **options):
    random.seed(1)
    net = Layers()
    net.initialize("xavier")
    net.hybridize(compiled, **options)
    random.seed(2)
    return net


def compared(call, **options):
    found, wanted = call(made(True, **options)), call(made(False))
    assert any(numpy.any(w != 0) for w in wanted)
    for f, w in zip(found, wanted, strict=True):
        numpy.testing.assert_allclose(f, w, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("head", HEADS)
def test_gradients_by_outputs_that_others_are_computed_of(head):
    def call(net):
        with autograd.record():
            outputs = net(np.array(X, "float32"))
            loss = HEADS[head](*outputs)
        found = [g.asnumpy() for g in autograd.grad(loss, list(outputs[:2]), retain_graph=True)]
        found += [g.asnumpy() for g in autograd.grad(loss, outputs[1], retain_graph=True)]
        loss.backward()
        return [*found, net.first.weight.grad().asnumpy(), net.third.weight.grad().asnumpy()]

    compared(call)


@pytest.mark.parametrize("options", [{"backend": "numpy"}, {"verify": "outputs"}, {"dynamic": True}], ids=str)
def test_attached_outputs_beside_weights(options):
    def call(net):
        for batch in (4, 2):
            with autograd.record():
                a, b, c, *_ = net(np.array(X[:batch], "float32"))
                a.attach_grad()
                b.attach_grad("add")
                loss = (c**2).sum() + (a * a).sum()
            loss.backward()
        return [a.grad.asnumpy(), b.grad.asnumpy(), net.first.weight.grad().asnumpy()]

    compared(call, **options)


def test_gradients_of_gradients_by_outputs():
    def call(net):
        with autograd.record(train_mode=False):
            a, _, c, *_ = net(np.array(X, "float32"))
            (slope,) = autograd.grad((c**3).sum(), [a], create_graph=True)
            penalty = (slope**2).sum()
        penalty.backward()
        return [slope.asnumpy(), net.third.weight.grad().asnumpy(), net.first.weight.grad().asnumpy()]

    compared(call)


def test_weights_that_were_overwritten_are_not_used():
    net = made(True)
    with autograd.record():
        a, _, c, *_ = net(np.array(X, "float32"))
        loss = (c**2).sum()
    net.third.weight.set_data(net.third.weight.data() * 2)
    with pytest.raises(errors.StateError, match="E542"):
        autograd.grad(loss, a)


class Averages(HybridBlock):
    """Normalizes by hand, and keeps moving averages as attributes: as books do."""

    def __init__(self):
        super().__init__()
        self.gamma = Parameter("gamma", shape=(3,), init="ones")
        self.mean, self.var = np.zeros(3), np.ones(3)

    def forward(self, x):
        if not autograd.is_training():
            return (x - self.mean) / np.sqrt(self.var + 1e-5) * self.gamma.data()
        mean = x.mean(axis=0)
        var = ((x - mean) ** 2).mean(axis=0)
        self.mean = 0.9 * self.mean + 0.1 * mean
        self.var = 0.9 * self.var + 0.1 * var
        return (x - mean) / np.sqrt(var + 1e-5) * self.gamma.data()


@pytest.mark.parametrize("way", ["net", "step"])
def test_moving_averages_kept_while_recording(way):
    def trained(compiled):
        random.seed(3)
        net = nn.HybridSequential()
        net.add(nn.Dense(3, in_units=3, activation="tanh"), Averages(), nn.Dense(2, in_units=3))
        net.initialize("xavier")
        trainer = Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})

        def step(x):
            with autograd.record():
                loss = (net(x) ** 2).mean()
            loss.backward()
            trainer.step(1)
            return loss

        if compiled and way == "net":
            net.hybridize()
        if compiled and way == "step":
            step = hybridize(step)
        x = np.array(X, "float32")
        losses = [step(x).item() for _ in range(4)]
        return [losses, net[1].mean.asnumpy(), net[1].var.asnumpy(), net(x).asnumpy(), net[0].weight.data().asnumpy()]

    for f, w in zip(trained(True), trained(False), strict=True):
        numpy.testing.assert_allclose(f, w, rtol=1e-4, atol=1e-6)


def test_an_output_leads_to_what_it_was_computed_of_alone():
    @hybridize
    def both(x, y):
        return x * 2, x * y, y * 3

    def call():
        x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
        x.attach_grad()
        y.attach_grad()
        with autograd.record():
            before = np.exp(y)  # freed by the first pass
            first = before.sum()
            one, _, _ = both(x, before)
            total = one.sum()
        first.backward()
        total.backward()
        return x.grad.tolist()

    assert call() == [2.0, 2.0]
    with disabled():
        assert call() == [2.0, 2.0]


def test_what_was_freed_is_missed_where_an_output_needs_it():
    both = hybridize(lambda x, y: (x * 2, x * y))
    x = np.array([1.0, 2.0])
    x.attach_grad()
    with autograd.record():
        before = np.exp(x)
        first = before.sum()
        _, two = both(x, before)
    first.backward()
    with pytest.raises(errors.StateError, match="E541"):
        two.backward()
