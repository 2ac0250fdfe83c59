"""Checkpoints: an expression and its parameters in two files, of MXNet's, of ours, of nets."""

import numpy
import pytest

from hybridize import callback, cpu, gluon, model, nd, np, sym
from hybridize.errors import ArgumentError, LoadError
from hybridize.gluon import nn
from tests.refusals import refusal


def test_there_and_back(tmp_path):
    data = sym.var("data")
    y = sym.BatchNorm(sym.FullyConnected(data, num_hidden=3, name="fc"), name="bn", fix_gamma=False)
    executor = y.simple_bind(data=(2, 4), grad_req="null")
    for array in executor.arg_arrays:
        array[...] = np.random.normal(0, 1, array.shape)
    arguments = {name: array for name, array in executor.arg_dict.items() if name != "data"}
    states = {"bn_moving_mean": np.array([1.0, 2.0, 3.0]), "bn_moving_var": np.array([1.0, 4.0, 9.0])}
    executor.copy_params_from(states)
    model.save_checkpoint(tmp_path / "net", 7, y, arguments, states)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["net-0007.params", "net-symbol.json"]
    symbol, args, auxs = model.load_checkpoint(tmp_path / "net", 7)
    assert (args.keys(), auxs.keys()) == (arguments.keys(), states.keys())
    again = symbol.bind(args={"data": executor.arg_dict["data"], **args}, aux_states=auxs)
    numpy.testing.assert_array_equal(again.forward()[0], executor.forward()[0])
    block = gluon.SymbolBlock.imports(f"{tmp_path}/net-symbol.json", ["data"], f"{tmp_path}/net-0007.params")
    numpy.testing.assert_allclose(block(executor.arg_dict["data"]), executor.forward()[0], rtol=1e-6)
    callback.do_checkpoint(tmp_path / "each", 2)(0, y, arguments, states)
    callback.do_checkpoint(tmp_path / "each", 2)(1, y, arguments, states)
    assert [path.name for path in tmp_path.glob("each-*.params")] == ["each-0002.params"]


def test_what_a_net_exports(tmp_path):
    net = nn.HybridSequential()
    net.add(nn.Dense(3, in_units=4), nn.BatchNorm(in_channels=3))
    net.initialize()
    net.hybridize()
    x = np.random.normal(0, 1, (2, 4))
    expected = net(x)
    net.export(tmp_path / "net", 3)
    symbol, args, auxs = model.load_checkpoint(tmp_path / "net", 3)
    (found,) = symbol.bind(args={"data": x, **args}, aux_states=auxs, grad_req="null").forward()
    numpy.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_what_is_refused(tmp_path):
    with refusal(ArgumentError, "got Dense(.|\n)*net.export"):
        model.save_checkpoint(tmp_path / "net", 0, nn.Dense(2), {}, {})
    nd.save(tmp_path / "net-0001.params", {"weight": np.ones(2)})
    with refusal(LoadError, "'weight' is the parameter neither"):
        model.load_params(tmp_path / "net", 1)
    with pytest.raises(LoadError, match="No such file"):
        model.load_params(tmp_path / "net", 2)
    with refusal(AttributeError, "gluon.Trainer"):
        model.FeedForward  # noqa: B018


class Branches(gluon.HybridBlock):
    """A net of the first generation with layers of its own, running statistics and a parameter that two layers share."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.first = nn.Dense(3, in_units=3)
            self.second = nn.Dense(3, in_units=3, params=self.first.params)
            self.norm = nn.BatchNorm(in_channels=3)
            self.scale = self.params.get("scale", shape=(3,), init="ones")

    def hybrid_forward(self, F, x, scale):
        return F.broadcast_mul(self.norm(self.second(self.first(x))), scale)


def layers(**kwargs):
    net = nn.HybridSequential(**kwargs)
    with net.name_scope():
        net.add(nn.Dense(3, in_units=3), nn.BatchNorm(in_channels=3))
    return net


@pytest.mark.parametrize("make", [Branches, layers])
@pytest.mark.parametrize("prefix", [None, "net_"])
def test_exported_parameters_have_the_keys_of_the_net(make, prefix, tmp_path):
    """Names, as MXNet 1 writes them, which programs look up: `arg_params["net_dense0_weight"]`."""
    net = make() if prefix is None else make(prefix=prefix)
    net.initialize()
    net.hybridize()
    x = nd.ones((2, 3))
    y = net(x)
    net.export(str(tmp_path / "net"))
    symbol, arguments, states = model.load_checkpoint(str(tmp_path / "net"), 0)
    assert {*arguments, *states} == set(net.collect_params())
    assert {*symbol.list_arguments()} == {"data", *arguments}
    assert {one.rpartition("running")[2] for one in states} == {"_mean", "_var"}
    assert all(name.startswith(net.prefix) for name in (*arguments, *states))
    result = symbol.bind(cpu(), {"data": x, **arguments}, aux_states=states).forward()[0]
    numpy.testing.assert_allclose(result.asnumpy(), y.asnumpy(), rtol=1e-5, atol=1e-6)
    again = make() if prefix is None else make(prefix=prefix)
    again.load_parameters(str(tmp_path / "net-0000.params"))
    numpy.testing.assert_allclose(again(x).asnumpy(), y.asnumpy(), rtol=1e-5, atol=1e-6)
