"""GoogLeNet: Inception blocks, whose branches see the same image through windows of several sizes.

    python examples/vision/googlenet.py [SIDE]

`nn.HybridConcurrent` (`HybridConcatenate` in MXNet 2.x) puts branches side by side, so that the block is a chain of
layers as any other. Runs the network on an image of 96 x 96 pixels (or SIDE), imperatively, hybridized, and read back
from the files that it writes. Exits with an error when a result differs.
"""

import os
import sys
import tempfile
import time

import numpy

from hybridize import init, np, random
from hybridize.gluon import SymbolBlock, nn


def chain(*layers):
    net = nn.HybridSequential()
    net.add(*layers)
    return net


def convolution(channels, size, strides=1):
    """A convolution that keeps height and width, but for its strides."""
    return nn.Conv2D(channels, kernel_size=size, strides=strides, padding=size // 2, activation="relu")


def pooling():
    """Maxima that halve height and width."""
    return nn.MaxPool2D(pool_size=3, strides=2, padding=1)


def inception(one, three, five, pooled):
    """Windows of 1, 3 and 5 pixels, and maxima; pairs are the channels of a pointwise convolution, and after it."""
    block = nn.HybridConcurrent(axis=1)
    block.add(
        convolution(one, 1),
        chain(convolution(three[0], 1), convolution(three[1], 3)),
        chain(convolution(five[0], 1), convolution(five[1], 5)),
        chain(nn.MaxPool2D(pool_size=3, strides=1, padding=1), convolution(pooled, 1)),
    )
    return block


def googlenet(classes=10):
    """Five stages, nine Inception blocks."""
    net = chain(
        chain(convolution(64, 7, strides=2), pooling()),
        chain(convolution(64, 1), convolution(192, 3), pooling()),
        chain(inception(64, (96, 128), (16, 32), 32), inception(128, (128, 192), (32, 96), 64), pooling()),
        chain(
            inception(192, (96, 208), (16, 48), 64),
            inception(160, (112, 224), (24, 64), 64),
            inception(128, (128, 256), (24, 64), 64),
            inception(112, (144, 288), (32, 64), 64),
            inception(256, (160, 320), (32, 128), 128),
            pooling(),
        ),
        chain(
            inception(256, (160, 320), (32, 128), 128),
            inception(384, (192, 384), (48, 128), 128),
            nn.GlobalAvgPool2D(),
        ),
        nn.Dense(classes),
    )
    net.initialize(init.Xavier())
    return net


def seconds(net, x):
    start = time.perf_counter()
    net(x).asnumpy()
    return time.perf_counter() - start


def main(side=96):
    random.seed(3)
    net, x = googlenet(), np.random.normal(size=(1, 1, side, side))
    expected = net(x).asnumpy()
    before = seconds(net, x)
    net.hybridize()
    found = net(x).asnumpy()
    print(f"imperative {before * 1e3:.1f} ms, hybridized {seconds(net, x) * 1e3:.1f} ms")
    with tempfile.TemporaryDirectory() as folder:
        symbol, parameters = net.export(os.path.join(folder, "googlenet"))
        again = SymbolBlock.imports(symbol, ["data"], parameters)(x).asnumpy()
    for result in (found, again):
        numpy.testing.assert_allclose(result, expected, atol=1e-4 * abs(expected).max())
    print(f"{len(net.program(x).kernels)} kernels. All results are the same.")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
