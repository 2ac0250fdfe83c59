"""LeNet on handwritten digits.

    pip install "hybridize[data]"
    python examples/vision/lenet.py [SIDE] [EPOCHS]

The digits are those of scikit-learn, drawn larger: 28 x 28 pixels where no other SIDE is given. Trains imperatively and
hybridized. Exits with an error when the losses of the first steps differ, or when, after six epochs or more, fewer than
95 % of the digits that were not seen are told right.
"""

import sys
import time

import numpy

from hybridize import autograd, gluon, init, random
from hybridize.gluon import data, nn

BATCH, GOAL = 64, 0.95


def lenet():
    """Two convolutions, each followed by maxima of 2 x 2 pixels, and three dense layers."""
    net = nn.HybridSequential()
    net.add(nn.Conv2D(6, kernel_size=5, padding=2, activation="relu"), nn.MaxPool2D(pool_size=2, strides=2))
    net.add(nn.Conv2D(16, kernel_size=5, activation="relu"), nn.MaxPool2D(pool_size=2, strides=2))
    net.add(nn.Dense(120, activation="relu"), nn.Dense(84, activation="relu"), nn.Dense(10))
    net.initialize(init.Xavier())
    return net


def drawn_larger(pixels, side):
    """An image [1, side, side] of one of 64 pixels: each pixel is the one that lies there in the small image."""
    nearest = numpy.arange(side) * 8 // side
    return pixels.reshape(1, 8, 8)[:, nearest][:, :, nearest]


def train(hybridized, side, epochs):
    """The losses of all steps, and the share of digits not seen that are told right."""
    random.seed(3)
    training, testing = (
        data.sets.digits(part).transform_first(lambda x: drawn_larger(x, side), lazy=False) for part in (True, False)
    )
    net = lenet()
    if hybridized:
        net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 2e-3})
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    losses = []
    for _ in range(epochs):
        for x, y in data.DataLoader(training, BATCH, shuffle=True):
            with autograd.record():
                loss = loss_of(net(x), y)
            loss.backward()
            trainer.step(len(x))
            losses.append(float(loss.mean()))
    metric = gluon.metric.Accuracy()
    for x, y in data.DataLoader(testing, 256):
        metric.update(y, net(x))
    return losses, metric.get()[1]


def main(side=28, epochs=6):
    first = None
    for hybridized in (False, True):
        start = time.perf_counter()
        losses, right = train(hybridized, side, epochs)
        seconds = time.perf_counter() - start
        first = first or losses
        numpy.testing.assert_allclose(losses[:10], first[:10], rtol=1e-3)
        name = "hybridized" if hybridized else "imperative"
        print(f"{name}: loss {losses[0]:.3f} -> {losses[-1]:.4f}, {right:.1%} right, {seconds:.1f} s")
        if epochs >= 6 and right < GOAL:
            raise SystemExit(f"fewer than {GOAL:.0%} are right")
    print("Imperative and hybridized losses are the same.")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
