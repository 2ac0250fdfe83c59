"""Parts of one's own: a layer with parameters, a loss, a gradient that is not that of the formula, an initializer.

    pip install "hybridize[data]"
    python examples/training/custom_parts.py

They learn how far diabetes goes in a year, imperatively, then hybridized. Exits with an error when the losses of the
two differ, or when the error on patients not seen is more than that of always saying the mean, by a fifth.
"""

import numpy

from hybridize import autograd, gluon, init, np, random
from hybridize.gluon import data, nn

BATCH, EPOCHS = 32, 40


class Scaled(init.Initializer):
    """Numbers from a uniform distribution that becomes narrower with the number of inputs."""

    def _init_weight(self, name, array):
        bound = (6 / sum(array.shape)) ** 0.5
        array[:] = random.uniform(-bound, bound, size=array.shape)


class Gated(nn.HybridBlock):
    """A dense layer, each of whose outputs is opened and closed by another one: a * sigmoid(b)."""

    def __init__(self, units, in_units):
        super().__init__()
        self.weight = gluon.Parameter("weight", shape=(2 * units, in_units), init=Scaled())
        self.bias = gluon.Parameter("bias", shape=(2 * units,), init="zeros")
        self.units = units

    def forward(self, x):
        both = np.dot(x, self.weight.data().T) + self.bias.data()
        return both[:, : self.units] / (1 + np.exp(-both[:, self.units :]))


class LogCosh(gluon.loss.Loss):
    """Like the square near 0, like the absolute value far away, without a kink."""

    def __init__(self, weight=None, batch_axis=0):
        super().__init__(weight, batch_axis)

    def forward(self, predicted, label):
        error = abs(predicted - label.reshape(predicted.shape))
        return np.mean(error + np.log1p(np.exp(-2 * error)) - float(numpy.log(2)), axis=1)


class Reversed(autograd.Function):
    """Nothing forward, the negative gradient backward: what follows learns against what is before."""

    def forward(self, x):
        return x * 1

    def backward(self, gradient):
        return -gradient


def train(compiled=False, dtype="float32", epochs=EPOCHS):
    """The loss of every step, and the part of the variance of patients not seen that is not explained."""
    random.seed(6)
    (x, y), (other_x, other_y) = (one.read_many(slice(0, len(one))) for one in map(data.sets.diabetes, (True, False)))
    middle, width = y.mean(), y.std()
    x, y = x.astype(dtype), ((y - middle) / width).astype(dtype)
    net = nn.HybridSequential()
    net.add(Gated(16, in_units=10), nn.Dense(1, in_units=16))
    net.initialize()
    net.cast(dtype)
    if compiled:
        net.hybridize()
    loss_of = LogCosh()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.003, "wd": 0.01})
    losses = []
    for _ in range(epochs):
        for some_x, some_y in data.DataLoader(data.ArrayDataset(x, y), BATCH, shuffle=True):
            with autograd.record():
                loss = loss_of(net(some_x), some_y)
            loss.backward()
            trainer.step(len(some_x))
            losses.append(float(loss.mean()))
    guess = net(np.array(other_x.astype(dtype), dtype=dtype)).asnumpy()[:, 0] * width + middle
    return losses, float(((guess - other_y) ** 2).mean() / other_y.var())


def gradient_of_reversed():
    x = np.array([1.0, 2.0])
    x.attach_grad()
    with autograd.record():
        y = Reversed()(x * 3) * 5
    y.backward()
    return x.grad.asnumpy()


def main():
    imperative, unexplained = train()
    compiled, _ = train(compiled=True)
    numpy.testing.assert_allclose(compiled[:10], imperative[:10], rtol=1e-4)
    first, last = (sum(part) / 12 for part in (imperative[:12], imperative[-12:]))
    print(f"loss {first:.3f} -> {last:.3f}; {1 - unexplained:.0%} of the variance of patients not seen is explained")
    if unexplained > 0.8:
        raise SystemExit("less than a fifth is explained")
    numpy.testing.assert_array_equal(gradient_of_reversed(), [-15, -15])
    print("Compiled and imperative losses are the same.")


if __name__ == "__main__":
    main()
