"""Convolutional networks on handwritten digits: LeNet, and a small ResNet with batch normalization.

    pip install "hybridize[data]"
    python examples/training/convolutions.py

Each is trained imperatively, then with the whole step as one program: forward, backward, update, running statistics.
The last batch of an epoch is a short one. Exits with an error when the losses of both ways differ, or when fewer than
95 % of the test digits are told right.
"""

import time

import numpy

from hybridize import autograd, gluon, hybridize, init, npx, random
from hybridize.gluon import data, nn

BATCH = 64
GOAL = 0.95


def lenet():
    """LeNet for images of 8 x 8: two convolutions with their pooling, three dense layers."""
    net = nn.HybridSequential()
    net.add(nn.Conv2D(6, kernel_size=3, padding=1, activation="relu"), nn.MaxPool2D(pool_size=2, strides=2))
    net.add(nn.Conv2D(16, kernel_size=3, padding=1, activation="relu"), nn.AvgPool2D(pool_size=2, strides=2))
    net.add(nn.Dense(120, activation="relu"), nn.Dense(84, activation="relu"), nn.Dense(10))
    return net


class Residual(nn.HybridBlock):
    """Two normalized convolutions, and the input beside them."""

    def __init__(self, channels, strides=1):
        super().__init__()
        self.first = nn.Conv2D(channels, kernel_size=3, strides=strides, padding=1, use_bias=False)
        self.second = nn.Conv2D(channels, kernel_size=3, padding=1, use_bias=False)
        self.norms = nn.BatchNorm(), nn.BatchNorm()
        for norm in self.norms:
            self.register_child(norm)
        self.short = nn.Conv2D(channels, kernel_size=1, strides=strides, use_bias=False) if strides > 1 else None

    def forward(self, x):
        y = npx.relu(self.norms[0](self.first(x)))
        y = self.norms[1](self.second(y))
        return npx.relu(y + (x if self.short is None else self.short(x)))


def resnet():
    """A convolution, two residual blocks, the mean over the pixels, a dense layer."""
    net = nn.HybridSequential()
    net.add(nn.Conv2D(16, kernel_size=3, padding=1, use_bias=False), nn.BatchNorm(), nn.Activation("relu"))
    net.add(Residual(16), Residual(32, strides=2), nn.GlobalAvgPool2D(), nn.Dense(10))
    return net


NETS = {"LeNet": (lenet, 20, 0.1), "ResNet": (resnet, 6, 0.05)}
"""The net, epochs, the learning rate."""


def digits(train, dtype="float32"):
    """Scikit-learn's digits as images of one channel."""
    as_image = lambda x: numpy.asarray(x, dtype).reshape(1, 8, 8)  # noqa: E731
    return data.sets.digits(train).transform_first(as_image, lazy=False)


def accuracy(net, loader):
    metric = gluon.metric.Accuracy()
    for x, y in loader:
        metric.update(y, net(x))
    return metric.get()[1]


def train(name, compiled=False, dtype="float32", epochs=None):
    """The loss of every step, the accuracy on digits not seen, and seconds an epoch."""
    random.seed(3)
    make, all_epochs, rate = NETS[name]
    net = make()
    net.initialize(init.Xavier())
    net.cast(dtype)
    loader = data.DataLoader(digits(True, dtype), BATCH, shuffle=True)
    net(next(iter(loader))[0])  # the first batch tells the numbers of channels
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": rate, "momentum": 0.9})
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()

    def step(x, y):
        with autograd.record():
            loss = loss_of(net(x), y)
        loss.backward()
        trainer.step(len(x))
        return loss.mean()

    if compiled:
        step = hybridize(step)
    losses, start = [], time.perf_counter()
    for _ in range(epochs or all_epochs):
        losses += [float(step(x, y)) for x, y in loader]
    seconds = (time.perf_counter() - start) / (epochs or all_epochs)
    return losses, accuracy(net, data.DataLoader(digits(False, dtype), 256)), seconds


def main():
    for name in NETS:
        first = None
        for compiled in (False, True):
            losses, right, seconds = train(name, compiled)
            first = first or losses
            numpy.testing.assert_allclose(losses[:10], first[:10], rtol=1e-3)
            how = "one program" if compiled else "imperative"
            last = sum(losses[-20:]) / 20
            print(f"{name:6} {how:11} loss {losses[0]:.3f} -> {last:.4f}, {right:.1%} right, {seconds:.2f} s an epoch")
            if right < GOAL:
                raise SystemExit(f"fewer than {GOAL:.0%} are right")
    print("Compiled and imperative losses are the same.")


if __name__ == "__main__":
    main()
