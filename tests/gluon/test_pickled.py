# SPDX-License-Identifier: Apache-2.0
"""Arrays, parameters and nets that are copied, pickled, and sent to other processes, by multiprocessing and joblib."""

import copy
import io
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor

import joblib
import numpy
import pytest

from hybridize import autograd, gluon, load, np
from hybridize.gluon import Constant, Parameter, nn, rnn

WAYS = {
    "copied": copy.deepcopy,
    "pickled": lambda one: pickle.loads(pickle.dumps(one)),
    "by protocol 2": lambda one: pickle.loads(pickle.dumps(one, 2)),
    "by joblib": lambda one: joblib.load(io.BytesIO(dumped(one))),
}


def dumped(one):
    file = io.BytesIO()
    joblib.dump(one, file)
    return file.getvalue()


def net_of(hidden=300):
    net = nn.HybridSequential()
    net.add(nn.Dense(hidden, activation="relu"), nn.BatchNorm(), nn.Dropout(0.5), nn.Dense(2))
    return net


def x():
    return np.array(numpy.linspace(-1, 1, 12, dtype="f4").reshape(3, 4))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("hybrid", [False, True])
def test_nets_are_nets_of_their_own(way, hybrid):
    net = net_of()
    net.initialize()
    if hybrid:
        net.hybridize()
    expected = net(x()).asnumpy()
    again = WAYS[way](net)
    for _ in range(2):
        numpy.testing.assert_allclose(again(x()).asnumpy(), expected, rtol=1e-5, atol=1e-6)
    assert list(again.collect_params()) == list(net.collect_params())
    again[0].weight.set_data(-again[0].weight.data())
    numpy.testing.assert_allclose(net(x()).asnumpy(), expected, rtol=1e-5, atol=1e-6)
    assert not numpy.array_equal(again(x()).asnumpy(), expected)
    with autograd.record():
        loss = again(x()).sum()
    loss.backward()
    assert again[3].weight.grad().asnumpy().any()
    assert not net[3].weight.grad().asnumpy().any()


@pytest.mark.parametrize("way", WAYS)
def test_what_waits_for_its_shape_still_waits(way):
    net = net_of()
    net.initialize("ones")
    again = WAYS[way](net)
    numpy.testing.assert_allclose(again(x()).asnumpy(), net(x()).asnumpy(), rtol=1e-5)


@pytest.mark.parametrize("way", WAYS)
def test_shared_parameters_stay_shared(way):
    first = nn.Dense(4, in_units=4)
    net = nn.HybridSequential()
    net.add(first, nn.Dense(4, in_units=4, params=first.params))
    net.initialize()
    again = WAYS[way](net)
    assert again[0].weight is again[1].weight is not net[0].weight


@pytest.mark.parametrize("way", WAYS)
def test_parameters_and_arrays(way):
    one = Parameter("w", shape=(2, 3))
    one.initialize("ones")
    again = WAYS[way](one)
    again.data()[:] = 2
    assert one.data().asnumpy().sum() == 6
    constant = WAYS[way](Constant(np.arange(3)))
    constant.initialize()
    assert constant.data().tolist() == [0, 1, 2]
    for array in (np.arange(6).reshape(2, 3).T, np.ones(()), np.zeros((0, 3)), np.ones(3, dtype="bfloat16")):
        made = WAYS[way](array)
        assert (made.dtype, made.shape) == (array.dtype, array.shape)
        numpy.testing.assert_array_equal(made.asnumpy(), array.asnumpy())
        made[...] = 9
        assert not (array.asnumpy() == 9).any()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("hybrid", [False, True])
def test_nets_of_files_travel(way, hybrid, tmp_path):
    """Of MXNet's files and of ONNX."""
    net = net_of(5)
    net.initialize()
    net.hybridize()
    expected = net(x()).asnumpy()
    net.export(tmp_path / "net")
    net.export(tmp_path / "net", format="onnx")
    for file in ("net-symbol.json", "net.onnx"):
        one = load(tmp_path / file)
        if hybrid:
            one.hybridize()
            one(x())
        again = WAYS[way](one)
        assert again is not one and again.active == one.active
        numpy.testing.assert_allclose(again(x()).asnumpy(), expected, rtol=1e-5, atol=1e-6)
        for parameter in again.collect_params().values():
            parameter.data()[:] = 0
        numpy.testing.assert_allclose(one(x()).asnumpy(), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("way", WAYS)
def test_a_net_beside_its_trainer(way):
    """What two of them share they share in the copy, too; the state of the optimizer goes along."""
    net = nn.HybridSequential()
    net.add(nn.Dense(5, activation="relu"), nn.BatchNorm(), nn.Dense(2))
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.1})

    def trained(net, trainer):
        with autograd.record():
            loss = (net(x()) ** 2).sum()
        loss.backward()
        trainer.step(1)
        return loss.item()

    trained(net, trainer)
    pair = WAYS[way]([net, trainer])
    assert [trained(*pair) for _ in range(3)] == [trained(net, trainer) for _ in range(3)]


def test_options_of_a_hybridized_net_travel():
    net = net_of(5)
    net.initialize()
    net.hybridize(threads=1, dynamic=True)
    again = pickle.loads(pickle.dumps(net))
    again(x())
    assert (again._function.options.threads, again._function.options.dynamic) == (1, True)


def test_recurrent_nets_travel():
    net = rnn.LSTM(3, 2, input_size=4)
    net.initialize()
    steps = np.ones((5, 2, 4))
    again = pickle.loads(pickle.dumps(net))
    numpy.testing.assert_array_equal(again(steps).asnumpy(), net(steps).asnumpy())


def run(net, array):
    """Train a step, too: what came may be written."""
    found = net(array).asnumpy()
    for parameter in net.collect_params().values():
        parameter.data()[:] = 0
    return found, [parameter.data().asnumpy().any() for parameter in net.collect_params().values()]


def check_sent(net, found):
    for result, written in found:
        numpy.testing.assert_allclose(result, net(x()).asnumpy(), rtol=1e-4, atol=1e-6)
        assert not any(written)


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_processes_get_nets(method):
    net = net_of()
    net.initialize()
    net.hybridize()
    net(x())
    with ProcessPoolExecutor(1, multiprocessing.get_context(method)) as pool:
        check_sent(net, [pool.submit(run, net, x()).result(timeout=120)])


def test_joblib_sends_nets():
    """It sends arrays of more than a megabyte as read-only views of a file."""
    net = net_of(100_000)
    net.initialize()
    net(x())
    check_sent(net, joblib.Parallel(n_jobs=2)(joblib.delayed(run)(net, x()) for _ in range(2)))


def test_joblib_tells_arrays_apart_by_what_they_hold():
    assert joblib.hash(np.arange(4)) == joblib.hash(np.arange(4)) != joblib.hash(np.arange(4) + 1)


def test_views_of_a_file_are_copied(tmp_path):
    joblib.dump(np.arange(1_000_000), tmp_path / "array")
    again = joblib.load(tmp_path / "array", mmap_mode="r")
    again[0] = 7
    assert joblib.load(tmp_path / "array")[0] == 0
