"""A monitor sees each layer's results and each parameter, of nets as they run and of executors, when it is its turn."""

import logging

import numpy
import pytest

import hybridize
from hybridize import autograd, gluon, monitor, np, sym
from hybridize.errors import ArgumentError, CaptureError, HybridizeError
from hybridize.gluon import nn
from tests.refusals import refusal


def net_of(hybridized):
    net = nn.HybridSequential()
    net.add(nn.Dense(3, activation="relu", in_units=4), nn.Dropout(0.5), nn.Dense(2, in_units=3))
    net.initialize()
    if hybridized:
        net.hybridize()
    return net


@pytest.mark.parametrize("hybridized", [False, True])
def test_layers_of_a_net(hybridized):
    net, x = net_of(hybridized), np.random.normal(0, 1, (5, 4))
    expected = net(x)
    watched = monitor.Monitor(2, stat_func=np.mean)
    watched.install(net)
    seen = []
    for _ in range(3):
        watched.tic()
        numpy.testing.assert_allclose(net(x), expected, rtol=1e-5, atol=1e-7)
        seen.append(watched.toc())
    numpy.testing.assert_array_equal(net(x), expected)
    assert [len(one) > 0 for one in seen] == [True, False, True]
    assert [step for step, _, _ in seen[2]] == [3] * len(seen[2])
    found = {name: float(text) for _, name, text in seen[0]}
    inner = net[0](x)
    assert found["0_output"] == pytest.approx(float(inner.mean()), rel=1e-5)
    assert found["1_output"] == pytest.approx(found["0_output"])  # no dropout: nobody trains
    assert found["output"] == pytest.approx(found["2_output"]) == pytest.approx(float(expected.mean()), rel=1e-5)
    assert found["2.weight"] == pytest.approx(float(net[2].weight.data().mean()), rel=1e-5)
    assert {"0.weight", "0.bias", "2.bias"} <= found.keys()


def test_training_goes_on_as_it_did():
    x, y = np.random.normal(0, 1, (8, 4)), np.array([0, 1] * 4)
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    results = []
    for watches in (False, True):
        hybridize.random.seed(3)
        net = nn.HybridSequential()
        net.add(nn.Dense(3, in_units=4), nn.Dense(2, in_units=3))
        net.initialize(hybridize.init.Xavier())
        net.hybridize()
        trainer = gluon.Trainer(net.collect_params(), "adam")
        watched = monitor.Monitor(2)
        watched.install(net)
        for _ in range(4):
            if watches:
                watched.tic()
            with autograd.record():
                value = loss(net(x), y)
            value.backward()
            trainer.step(8)
            if watches:
                watched.toc()
        results.append([p.data().asnumpy() for p in net.collect_params().values()])
    for one, other in zip(*results, strict=True):
        numpy.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


def test_executors(caplog):
    data = sym.var("data")
    first = sym.FullyConnected(data, num_hidden=3, name="fc1")
    y = sym.FullyConnected(sym.Activation(first, act_type="relu", name="act"), num_hidden=2, name="fc2")
    executor = y.simple_bind(data=(4, 5))
    for array in executor.arg_arrays:
        array[...] = np.random.normal(0, 1, array.shape)
    expected = executor.forward(is_train=True)[0].copy()
    executor.backward(np.ones((4, 2)))
    gradient = executor.grad_dict["fc1_weight"].copy()
    watched = monitor.Monitor(1, pattern=".*output|fc1_weight", sort=True)
    watched.install(executor)
    watched.tic()
    (found,) = executor.forward(is_train=True)
    executor.backward(np.ones((4, 2)))
    rows = watched.toc()
    numpy.testing.assert_allclose(found, expected, rtol=1e-6)
    numpy.testing.assert_allclose(executor.grad_dict["fc1_weight"], gradient, rtol=1e-5)
    assert [name for _, name, _ in rows] == ["act_output", "fc1_output", "fc1_weight", "fc2_output"]
    assert float(rows[3][2]) == pytest.approx(numpy.sqrt((expected.asnumpy() ** 2).mean()), rel=1e-5)
    heard = []
    executor.set_monitor_callback(lambda name, array: heard.append((name, array.shape)), monitor_all=True)
    executor.forward()
    assert ("data", (4, 5)) in heard
    assert ("fc1_output", (4, 3)) in heard
    caplog.set_level(logging.INFO)
    watched.install(executor)
    watched.tic()
    executor.forward()
    watched.toc_print()
    assert any("act_output" in record.getMessage() for record in caplog.records)


def test_what_is_refused():
    with refusal(HybridizeError, "interval"):
        monitor.Monitor(0)
    with refusal(ArgumentError, "a block or an executor, got int"):
        monitor.Monitor(1).install(3)
    net, x = net_of(True), np.ones((1, 4))
    watched = monitor.Monitor(1, stat_func=lambda x: "text")
    watched.install(net)
    watched.tic()
    net(x)
    with refusal(ArgumentError, "an array or a list of them"):
        watched.toc()

    def function(x):
        watched.tic()
        return x

    with pytest.raises(CaptureError, match="E407"):
        hybridize.hybridize(function)(x)
