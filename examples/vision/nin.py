"""NiN, a network in network: dense layers at every pixel, and no dense layer at the end.

    python examples/vision/nin.py [SIDE]

Runs it on images of 224 x 224 pixels (or SIDE), imperatively and hybridized, then takes one step of training in both
ways. Exits with an error when a result differs.
"""

import sys
import time

import numpy

from hybridize import autograd, gluon, init, np, random
from hybridize.gluon import nn


def nin_block(channels, kernel_size, strides, padding):
    """A convolution, and two of one pixel: a dense layer with a hidden one, the same at each pixel."""
    block = nn.HybridSequential()
    block.add(nn.Conv2D(channels, kernel_size, strides, padding, activation="relu"))
    block.add(
        nn.Conv2D(channels, kernel_size=1, activation="relu"), nn.Conv2D(channels, kernel_size=1, activation="relu")
    )
    return block


def nin(classes=10):
    """Four blocks; the means of the last one's channels are the numbers of the classes."""
    net = nn.HybridSequential()
    net.add(nin_block(96, 11, strides=4, padding=0), nn.MaxPool2D(pool_size=3, strides=2))
    net.add(nin_block(256, 5, strides=1, padding=2), nn.MaxPool2D(pool_size=3, strides=2))
    net.add(nin_block(384, 3, strides=1, padding=1), nn.MaxPool2D(pool_size=3, strides=2))
    net.add(nn.Dropout(0.5), nin_block(classes, 3, strides=1, padding=1), nn.GlobalAvgPool2D(), nn.Flatten())
    net.initialize(init.Xavier())
    return net


def losses_of_two_steps(net, x, labels):
    """Train for a step; the loss before and after."""
    random.seed(5)  # of the dropout
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01})
    loss_of, losses = gluon.loss.SoftmaxCrossEntropyLoss(), []
    for _ in range(2):
        with autograd.record():
            loss = loss_of(net(x), labels)
        loss.backward()
        trainer.step(len(x))
        losses.append(float(loss.mean()))
    return losses


def main(side=224):
    random.seed(3)
    net, x = nin(), np.random.normal(size=(2, 3, side, side))
    results, losses = [], []
    net(x)  # tells the shapes of the weights
    start = {name: parameter.data().copy() for name, parameter in net.collect_params().items()}
    for hybridized in (False, True):
        net.load_dict(start)
        net.hybridize(hybridized)
        results.append(net(x).asnumpy())
        began = time.perf_counter()
        net(x).asnumpy()
        seconds = time.perf_counter() - began
        losses.append(losses_of_two_steps(net, x, np.array([3, 7])))
        name = "hybridized" if hybridized else "imperative"
        print(f"{name}: {seconds * 1e3:.1f} ms, loss {losses[-1][0]:.4f} -> {losses[-1][1]:.4f}")
    numpy.testing.assert_allclose(results[1], results[0], atol=1e-4 * abs(results[0]).max())
    numpy.testing.assert_allclose(losses[1], losses[0], rtol=1e-3)
    print("All results are the same.")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
