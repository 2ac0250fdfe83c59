"""Recurrent layers in MXNet's files, of both generations, read and written; parameters under all of their names."""

from __future__ import annotations

import json
from pathlib import Path

import numpy
import pytest

from hybridize import gluon, np
from hybridize.errors import HybridizeError, LoadError
from hybridize.formats import mxnet
from hybridize.gluon import SymbolBlock, nn, rnn
from tests.refusals import refusal

FILES = Path(__file__).parent / "mxnet_files"
VERSIONS = ["v1_9_1_nd", "v2_0_0b1_np"]
MODES = pytest.mark.parametrize("compiled", [False, True], ids=["imperatively", "hybridized"])


class LSTMNet(gluon.HybridBlock):
    """The net of the files."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.emb = nn.Embedding(50, 16)
            self.lstm = rnn.LSTM(24, 2, bidirectional=True, layout="NTC")
            self.out = nn.Dense(5, flatten=False)

    def forward(self, x):
        return self.out(self.lstm(self.emb(x)))


def near(found, expected):
    numpy.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-4, atol=1e-5)


def stored(version):
    x, y = (numpy.load(FILES / version / f"lstmnet-{what}.npy") for what in ("input", "output"))
    return np.array(x), y


@MODES
@pytest.mark.parametrize("version", VERSIONS)
def test_graphs_give_mxnets_output_for_any_batch(version, compiled):
    """1.x says states of no batch, 2.x those of the batch that it met."""
    stem = FILES / version / "lstmnet"
    block = SymbolBlock.imports(f"{stem}-symbol.json", ["data"], f"{stem}-0000.params")
    block.hybridize(compiled)
    x, y = stored(version)
    near(block(x), y)
    near(block(np.concatenate([x, x]))[len(x) :], y)
    near(block(x[:1]), y[:1])


@MODES
@pytest.mark.parametrize("file", ["lstmnet.gluon.params", "lstmnet-0000.params"])
@pytest.mark.parametrize("version", VERSIONS)
def test_parameters_of_all_names(version, file, compiled):
    net = LSTMNet(prefix="lstmnet_")
    net.load_parameters(FILES / version / file)
    net.hybridize(compiled)
    x, y = stored(version)
    near(net(x), y)


def test_the_joined_parameters_of_a_graph_are_not_copied():
    stem = FILES / VERSIONS[0] / "lstmnet"
    block = SymbolBlock.imports(f"{stem}-symbol.json", ["data"], f"{stem}-0000.params")
    block.hybridize()
    x, _ = stored(VERSIONS[0])
    names = block.program(x).optimized.op_names()
    assert names.count("concat") == 2  # of two directions, in two layers
    assert "slice" not in names


def test_saved_as_mxnet_1_names_them(tmp_path):
    nets = {
        ("_unfused.0.l_cell.", "_unfused.0.r_cell."): rnn.GRU(3, bidirectional=True, input_size=2),
        ("_unfused.0.", "_unfused.1."): rnn.RNN(3, 2, input_size=2),
        ("_unfused.0.",): rnn.LSTM(3, projection_size=2, input_size=2),
    }
    for starts, layer in nets.items():
        layer.initialize()
        layer.save_parameters(tmp_path / "p")
        names = list(mxnet.read_params(tmp_path / "p"))
        assert len(names) == len(layer.collect_params())
        assert {start for start in starts if any(name.startswith(start) for name in names)} == set(starts)
        assert all(name.startswith(starts) for name in names)
    other = rnn.LSTM(3, projection_size=2, input_size=2)
    other.load_parameters(tmp_path / "p")
    for name, parameter in other.collect_params().items():
        assert (parameter.data() == layer.collect_params()[name].data()).all()


def test_two_vectors_of_one_file(tmp_path):
    """MXNet 2.x's files hold one for each layer."""
    net = nn.HybridSequential()
    net.add(rnn.GRU(3), rnn.LSTM(2))
    rng = numpy.random.default_rng(0)
    packed = {"0.rnn_param": rng.normal(size=3 * 3 * (5 + 3 + 2)), "1.rnn_param": rng.normal(size=4 * 2 * (3 + 2 + 2))}
    mxnet.write_params(tmp_path / "p", {name: x.astype("f4") for name, x in packed.items()})
    net.load_parameters(tmp_path / "p")
    assert net[0].l0_i2h_weight.shape == (9, 5)
    found = numpy.concatenate([one.data().asnumpy().reshape(-1) for one in net[1].collect_params().values()])
    numpy.testing.assert_allclose(found, packed["1.rnn_param"], rtol=1e-6)
    mxnet.write_params(tmp_path / "p", {"0.rnn_param": numpy.ones(7, "f4"), "1.rnn_param": numpy.ones(56, "f4")})
    with pytest.raises(LoadError, match=r"0\.rnn_param of shape \(7,\)"):
        net.load_parameters(tmp_path / "p")


LAYERS = {
    "lstm": lambda: rnn.LSTM(4, 2, bidirectional=True, layout="NTC", dropout=0.3),
    "gru": lambda: rnn.GRU(4),
    "relu": lambda: rnn.RNN(4, 2),
    "projected": lambda: rnn.LSTM(4, projection_size=3, state_clip_min=-1, state_clip_max=0.5),
}


@pytest.mark.parametrize("name", LAYERS)
def test_exported_and_read_again(name, tmp_path):
    net = LAYERS[name]()
    net.initialize()
    net.hybridize()
    x = np.array(numpy.random.default_rng(0).normal(size=(3, 5, 2)))
    expected = net(x).asnumpy()
    net.export(tmp_path / "net")
    tree = json.loads((tmp_path / "net-symbol.json").read_text())
    (node,) = (node for node in tree["nodes"] if node["op"] == "RNN")
    assert (node["attrs"]["state_size"], node["attrs"]["state_outputs"]) == ("4", "True")
    assert node["attrs"].get("projection_size") == ("3" if name == "projected" else None)
    assert float(node["attrs"]["p"]) == (0.3 if name == "lstm" else 0)
    assert sum(node["op"] == "_rnn_param_concat" for node in tree["nodes"]) == 1
    rows = tree["node_row_ptr"]
    assert rows[-1] == len(tree["nodes"]) + (2 if node["attrs"]["mode"] == "lstm" else 1)
    block = SymbolBlock.imports(tmp_path / "net-symbol.json", ["data"], tmp_path / "net-0000.params")
    near(block(x), expected)
    other = np.array(numpy.random.default_rng(1).normal(size=(7, 6, 2)))
    near(block(other), net(other).asnumpy())


def test_states_and_lengths_are_exported(tmp_path):
    class Net(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.layer = rnn.LSTM(4, use_sequence_length=True)

        def forward(self, x, state, cell, lengths):
            y, last = self.layer(x, [state, cell], lengths)
            return y, last[0], last[1]

    net = Net()
    net.initialize()
    net.hybridize()
    rng = numpy.random.default_rng(0)
    given = [np.array(rng.normal(size=shape)) for shape in ((5, 3, 2), (1, 3, 4), (1, 3, 4))]
    given.append(np.array([5, 0, 3], dtype="float32"))
    expected = net(*given)
    net.export(tmp_path / "net")
    block = SymbolBlock.imports(
        tmp_path / "net-symbol.json", [f"data{k}" for k in range(4)], tmp_path / "net-0000.params"
    )
    for found, y in zip(block(*given), expected, strict=True):
        near(found, y.asnumpy())


def test_begin_states_of_a_net_are_of_any_batch(tmp_path):
    class Net(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.layer = rnn.GRU(4)

        def forward(self, x):
            return self.layer(x, self.layer.begin_state(x.shape[1]))[0]

    net = Net()
    net.initialize()
    net.hybridize()
    net(np.ones((5, 3, 2)))
    net.export(tmp_path / "net")
    block = SymbolBlock.imports(tmp_path / "net-symbol.json", ["data"], tmp_path / "net-0000.params")
    x = np.array(numpy.random.default_rng(0).normal(size=(2, 7, 2)))
    near(block(x), net(x).asnumpy())


def graph_of(tmp_path, **attributes):
    """A file with one `RNN`."""
    said = {"mode": "gru", "state_size": "2", "num_layers": "1", **attributes}
    nodes = [{"op": "null", "name": name, "inputs": []} for name in ("data", "parameters")]
    nodes.append({"op": "RNN", "name": "rnn", "attrs": said, "inputs": [[0, 0, 0], [1, 0, 0]]})
    tree = {"nodes": nodes, "arg_nodes": [0, 1], "heads": [[2, 0, 0]]}
    (tmp_path / "net-symbol.json").write_text(json.dumps(tree))
    mxnet.write_params(tmp_path / "net-0000.params", {"arg:parameters": numpy.ones(3 * 2 * (2 + 2 + 2), "f4")})
    return SymbolBlock.imports(tmp_path / "net-symbol.json", ["data"], tmp_path / "net-0000.params")


def test_bad_graphs(tmp_path):
    assert graph_of(tmp_path)(np.ones((3, 1, 2))).shape == (3, 1, 2)
    with pytest.raises(HybridizeError, match="has no mode"):
        graph_of(tmp_path, mode="rnn")(np.ones((3, 1, 2)))
    with refusal(LoadError, "state_size"):
        graph_of(tmp_path, state_size="two")(np.ones((3, 1, 2)))
    with pytest.raises(Exception, match="E186"):
        graph_of(tmp_path, num_layers="2")(np.ones((3, 1, 2)))
