# SPDX-License-Identifier: Apache-2.0
"""The benchmark's networks: their sizes as published, and the same results in float64, in PyTorch and in Gluon."""

import numpy
import pytest
import torch

from hybridize.tools import networks
from hybridize.tools.networks import NETWORKS, Network, expected
from hybridize.tools.peers import ROWS, ours, torch_networks


@pytest.mark.parametrize(
    ("name", "products", "parameters"),
    [
        ("lenet-1", 416_520, 61_706),
        ("resnet18-1", 1_814_073_344, 11_689_512),
        ("mobilenet-v2-1", 300_774_272, 3_504_872),
        ("densenet121-1", 2_834_161_664, 7_978_856),
    ],
)
def test_sizes_are_those_of_the_papers(name, products, parameters):
    network = NETWORKS[name].make()
    assert network.flops == 2 * products
    learned = [layer.weights[:2] for layer in network.layers]
    assert sum(int(numpy.prod(shape)) for shapes in learned for shape in shapes) == parameters


def every_kind():
    """A network with a layer of each kind, none of its sizes even."""
    net = Network((3, 13, 11))
    x = net.apply(networks.RELU6, net.normalization(net.convolution(0, 8, 3, 2, bias=True)))
    y = net.convolution(x, 8, 3, groups=8)
    y = net.convolution(net.apply(networks.ADD, x, y), 6, 1)
    x = net.apply(networks.RELU, net.normalization(net.apply(networks.JOIN, x, y)))
    x = net.pool(networks.MAX_POOL, x, 3, 2, 1)
    x = net.pool(networks.AVERAGE_POOL, net.convolution(x, 5, 3), 2, 1)
    y = net.dense(x, 7)
    net.dense(net.apply(networks.RELU, y), 4)
    return net


def averaged():
    """A network that ends in the mean over its pixels."""
    net = Network((2, 5, 7))
    net.dense(net.apply(networks.MEAN, net.convolution(0, 3, 3)), 4)
    return net


@pytest.mark.parametrize("make", [every_kind, averaged, networks.lenet])
@pytest.mark.parametrize("batch", [1, 3])
def test_all_give_the_same(make, batch):
    network = make()
    weights, x = network.arrays(), network.input(batch)
    wanted = expected(network, weights, x)
    with torch.no_grad():
        theirs = torch_networks.module(network, weights)(torch.from_numpy(x)).numpy()
    prepared = ours.network(network, weights, x)()
    found = prepared.read(prepared.function(*prepared.arguments))
    scale = abs(wanted).max()
    assert abs(theirs - wanted).max() < 1e-5 * scale
    assert abs(found - wanted).max() < 1e-5 * scale


def squares():
    """A network of 3 × 3 windows over many channels."""
    net = Network((16, 12, 13))
    x = net.apply(networks.RELU, net.normalization(net.convolution(0, 24, 3)))
    net.dense(net.apply(networks.MEAN, net.convolution(x, 16, 3)), 4)
    return net


@pytest.mark.parametrize("mode", [row.mode for row in ROWS if row.module == "ours" and "NET" in row.tables])
def test_each_of_our_rows_is_what_it_says(mode):
    network = squares()
    weights, x = network.arrays(), network.input(2)
    wanted = expected(network, weights, x)
    prepared = ours.NET[mode](network, weights, x)()
    found = prepared.read(prepared.function(*prepared.arguments))
    assert abs(found - wanted).max() < 1e-5 * abs(wanted).max()
    kernels = prepared.function.program(*prepared.arguments).explain().kernels
    assert sum(kernel.kind == "winograd" for kernel in kernels) == (2 if mode == "winograd" else 0)
