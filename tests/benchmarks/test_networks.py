# SPDX-License-Identifier: Apache-2.0
"""The benchmark's networks: their sizes as published, and the same results in float64, in PyTorch and in Gluon."""

import dataclasses
import importlib

import numpy
import pytest
import torch
from hybridize_bench import bench, networks, training_workloads, workloads
from hybridize_bench.memory import planned
from hybridize_bench.networks import NETWORKS, Network, expected
from hybridize_bench.peers import ROWS, ours, torch_networks
from hybridize_bench.peers.ours import network_step_of
from hybridize_bench.training_workloads import NETWORK_TRAININGS, NetworkTraining
from hybridize_bench.workloads import Data

from hybridize import hybridize, np


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


TRAINED = NetworkTraining("small", every_kind, 6, 0.01)


def stepping(slow):
    """The rows that train networks, as parameters; those that take long to start are tested with what takes long."""
    return [
        pytest.param(row, id=row.name, marks=[pytest.mark.long] if row.slow_start and slow else [])
        for row in ROWS
        if "TRAIN_NET" in row.tables
    ]


@pytest.fixture
def threads_as_before():
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)


def losses(row, training, path):
    """What the row's training gives, made as the worker makes it."""
    module = importlib.import_module(f"hybridize_bench.peers.{row.module}")
    prepared = module.TRAIN_NET[row.mode](training, *training_workloads.read_network(training, str(path)))()
    return prepared.read(prepared.function(*prepared.arguments))


@pytest.mark.usefixtures("threads_as_before")
@pytest.mark.parametrize("make", [every_kind, averaged, networks.lenet])
@pytest.mark.parametrize("row", stepping(slow=True))
def test_all_learn_the_same(row, make, tmp_path):
    pytest.importorskip(row.package)
    training = dataclasses.replace(TRAINED, make=make)
    path = tmp_path / "data.npz"
    data = Data("TRAIN_NET", path, training_workloads.write_network(training, path))
    assert len(set(data.expected)) == training_workloads.CHECKED_OF_NETWORKS
    assert bench.disagreement(losses(row, training, path), data) == ""


def test_what_is_learnt_is_what_pytorch_finds_in_float64(tmp_path):
    path = tmp_path / "data.npz"
    wanted = training_workloads.write_network(TRAINED, path)
    weights, batches = training_workloads.read_network(TRAINED, str(path))
    net = torch_networks.module(TRAINED.make(), weights).double().train()
    optimizer = torch.optim.SGD(net.parameters(), lr=TRAINED.rate, momentum=TRAINED.momentum)
    found = []
    for x, y in batches[: training_workloads.CHECKED_OF_NETWORKS]:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(net(torch.from_numpy(x).double()), torch.from_numpy(y).long())
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    assert wanted == pytest.approx(found, rel=1e-9)


def test_another_training_of_a_network_is_found_out(tmp_path):
    """Half the rate changes the second loss, no momentum the third."""
    path = tmp_path / "data.npz"
    data = Data("TRAIN_NET", path, training_workloads.write_network(TRAINED, path))
    first, *_ = stepping(slow=False)
    for other in ({"rate": TRAINED.rate / 2}, {"momentum": 0.0}):
        found = losses(first.values[0], dataclasses.replace(TRAINED, **other), path)
        assert "wrong result" in bench.disagreement(found, data)


def test_a_network_in_training_does_its_products_thrice_but_for_the_images():
    net = Network((3, 4, 4))
    net.dense(net.convolution(0, 2, 3), 5)
    first, second = 2 * 3 * 9 * 16 * 2, 2 * 2 * 16 * 5
    assert (net.flops, net.training_flops) == (first + second, 2 * first + 3 * second)
    (demand,) = workloads.demands("train-lenet-64")
    assert demand.amount == 64 * networks.lenet().training_flops


def test_the_plan_of_a_networks_step(monkeypatch, tmp_path):
    """`train-memory` asks the worker for it, by the workload's table."""
    monkeypatch.setitem(NETWORK_TRAININGS, "train-lenet-64", dataclasses.replace(TRAINED, batch=2))
    data = workloads.write("train-lenet-64", tmp_path)
    arguments = workloads.read(data.table, "train-lenet-64", str(data.file))
    training, weights, batches = arguments
    step = hybridize(network_step_of(training, weights))
    assert planned(*arguments) == step.program(*map(np.array, batches[0])).memory.peak_bytes > 0
