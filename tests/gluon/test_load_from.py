# SPDX-License-Identifier: Apache-2.0
"""Weights of other libraries in a net: NumPy, safetensors and PyTorch state dicts, by a map of names, with a report."""

import numpy
import pytest
import torch
from safetensors.numpy import save_file

from hybridize import np
from hybridize.errors import ArgumentError, LoadError
from hybridize.gluon import nn, rnn
from tests.refusals import refusal


def net_of(*layers):
    net = nn.HybridSequential()
    net.add(*layers)
    return net


def convolutional():
    theirs = torch.nn.Sequential()
    theirs.add_module("features", torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4)))
    theirs.add_module("head", torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(4 * 36, 5)))
    with torch.no_grad():
        for each in theirs.state_dict().values():
            if each.dtype == torch.float32:
                each.uniform_(0.1, 0.9)
    return theirs.eval()


NAMES = {"features.0": "0", "features.1": "1", "head.2": "3"}


def ours():
    return net_of(nn.Conv2D(4, 3), nn.BatchNorm(), nn.Activation("relu"), nn.Dense(5))


@pytest.mark.parametrize("way", ["module", "state dict", "npz", "safetensors", "function"])
def test_a_torch_network(way, tmp_path):
    theirs, net = convolutional(), ours()
    source, names = theirs, NAMES
    if way == "state dict":
        source = theirs.state_dict()
    elif way in ("npz", "safetensors"):
        arrays = {name: tensor.numpy() for name, tensor in theirs.state_dict().items()}
        source = tmp_path / f"weights.{way}"
        numpy.savez(source, **arrays) if way == "npz" else save_file(arrays, source)
    elif way == "function":
        names = lambda name: name.replace("features.", "").replace("head.2", "3")  # noqa: E731
    report = net.load_from(source, names)
    assert report.names("loaded") == list(net.collect_params())
    assert report.names("left out") == ["features.1.num_batches_tracked"]
    x = numpy.random.default_rng(0).normal(size=(2, 3, 8, 8)).astype("f4")
    expected = theirs(torch.tensor(x)).detach().numpy()
    for _ in range(2):
        numpy.testing.assert_allclose(net(np.array(x)).asnumpy(), expected, rtol=1e-5, atol=1e-5)
        net.hybridize()


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (lambda: torch.nn.LSTM(4, 6, 2, bidirectional=True), lambda: rnn.LSTM(6, 2, bidirectional=True)),
        (lambda: torch.nn.GRU(4, 5, 2), lambda: rnn.GRU(5, 2)),
        (lambda: torch.nn.RNN(4, 5, nonlinearity="relu"), lambda: rnn.RNN(5, activation="relu")),
        (lambda: torch.nn.LSTM(4, 6, proj_size=3), lambda: rnn.LSTM(6, projection_size=3)),
    ],
    ids=["lstm", "gru", "rnn", "projected"],
)
def test_recurrent_layers(theirs, ours):
    theirs, ours = theirs(), ours()
    report = ours.load_from(theirs)
    assert set(report.names("loaded")) == set(ours.collect_params())
    x = numpy.random.default_rng(0).normal(size=(7, 3, 4)).astype("f4")
    expected = theirs(torch.tensor(x))[0].detach().numpy()
    numpy.testing.assert_allclose(ours(np.array(x)).asnumpy(), expected, rtol=1e-5, atol=1e-5)


def test_embeddings_norms_and_cells():
    theirs = torch.nn.ModuleDict(
        {"e": torch.nn.Embedding(7, 3), "n": torch.nn.LayerNorm(3), "c": torch.nn.LSTMCell(3, 4)}
    )

    class Net(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.e, self.n, self.c = nn.Embedding(7, 3), nn.LayerNorm(), rnn.LSTMCell(4)

    net = Net()
    report = net.load_from(theirs)
    assert not report.names("missing") + report.names("extra")
    numpy.testing.assert_array_equal(net.n.gamma.data().asnumpy(), theirs["n"].weight.detach().numpy())
    numpy.testing.assert_array_equal(net.c.i2h_weight.data().asnumpy(), theirs["c"].weight_ih.detach().numpy())


def test_the_report_is_a_table_of_80_columns():
    net = net_of(nn.Dense(3, in_units=2), nn.Dense(2, in_units=3))
    net.initialize()
    long = "a_very.long_name.of_something.that_is_not_there.weight"
    arrays = {"0.weight": numpy.ones((3, 2)), "bias": numpy.ones(3, "f4"), long: numpy.ones(1), "gone": numpy.ones(1)}
    report = net.load_from(
        arrays, {"bias": "0.bias", "gone": None}, allow_missing=True, ignore_extra=True, cast_dtype=True
    )
    lines = str(report).splitlines()
    assert max(map(len, lines)) == 80
    assert lines[3:-3] == [
        "0.weight                   0.weight                   (3, 2)          cast",
        "0.bias                     bias                       (3,)            loaded",
        "1.weight                                              (2, 3)          missing",
        "1.bias                                                (2,)            missing",
        "                           ...hat_is_not_there.weight (1,)            extra",
        "                           gone                       (1,)            left out",
    ]
    assert lines[-2] == "1 cast, 1 loaded, 2 missing, 1 extra, 1 left out: the dict"
    assert repr(report) == str(report)


def test_half_floats_of_torch():
    net = nn.Dense(2, in_units=3, use_bias=False, dtype="bfloat16")
    weight = torch.arange(6).reshape(2, 3).to(torch.bfloat16)
    net.load_from({"weight": weight})
    numpy.testing.assert_array_equal(net.weight.data().asnumpy().astype("f4"), weight.float().numpy())


@pytest.mark.parametrize(
    ("arrays", "names", "kind", "said"),
    [
        ({"weight": numpy.ones((3, 2), "f4")}, None, LoadError, "E610.*'bias' is missing in the dict(.|\n)*names="),
        ({"w": numpy.ones((3, 2), "f4")}, None, LoadError, "E610.*arrays for no parameter are 'w'"),
        ({"weight": numpy.ones((3, 2), "f4"), "bias": numpy.ones(3, "f4"), "x": numpy.ones(1)}, None, LoadError,
         "E611.*'x' of the dict"),
        ({"weight": numpy.ones((2, 3), "f4"), "bias": numpy.ones(3, "f4")}, None, LoadError, "E613.*shape"),
        ({"weight": numpy.ones((3, 2), "f4"), "bias": numpy.ones(3)}, None, LoadError, "E613.*dtype"),
        ({"weight": numpy.ones((3, 2), "f4"), "bias": {"x": numpy.ones(3)}}, None, LoadError, "E612.*'bias' is dict"),
        ({"weight": numpy.ones((3, 2), complex), "bias": numpy.ones(3)}, None, LoadError, "E612.*complex128"),
        ({"a": numpy.ones(3, "f4"), "b": numpy.ones(3, "f4")}, {"a": "bias", "b": "bias"}, ArgumentError,
         "E324.*'a' and 'b' both go to the parameter 'bias'"),
        ({"weight": numpy.ones((3, 2), "f4")}, [("a", "b")], ArgumentError, "E324.*dict or a function"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_and_changes_nothing(arrays, names, kind, said):
    net = nn.Dense(3, in_units=2)
    net.initialize("zeros")
    with refusal(kind, said):
        net.load_from(arrays, names)
    assert not net.weight.data().asnumpy().any()


def test_files_that_are_no_weights(tmp_path):
    net = nn.Dense(3, in_units=2)
    torch.save({"weight": torch.ones(3, 2)}, tmp_path / "w.pt")
    with refusal(LoadError, r"E611(.|\n)*torch.load\(path, weights_only=True\)"):
        net.load_from(tmp_path / "w.pt")
    with refusal(LoadError, "E600"):
        net.load_from(tmp_path / "none.npz")


def test_names_are_replaced_by_their_longest_part():
    net = net_of(nn.Dense(1, in_units=1), nn.Dense(1, in_units=1))
    arrays = {f"a.{k}.weight": numpy.full((1, 1), k, "f4") for k in (0, 1)}
    arrays |= {f"a.{k}.bias": numpy.full(1, k, "f4") for k in (0, 1)}
    net.load_from(arrays, {"a": "", "a.1": "0", "a.0": "1"})
    assert [float(p.data().reshape(-1)[0]) for p in net.collect_params().values()] == [1, 1, 0, 0]


def test_shared_parameters_are_loaded_by_one_name():
    first = nn.Dense(2, in_units=2)
    net = net_of(first, nn.Dense(2, in_units=2, params=first.params))
    report = net.load_from({"0.weight": numpy.eye(2, dtype="f4"), "0.bias": numpy.zeros(2, "f4")})
    assert report.names("missing") == []
    numpy.testing.assert_array_equal(net[1].weight.data().asnumpy(), numpy.eye(2))
