"""MXNet's names for ONNX: symbols with parameters to models, and back."""

import importlib

import numpy
import onnx
import pytest

import hybridize
from hybridize import np, sym
from hybridize.base.errors import ArgumentError
from hybridize.gluon import nn
from hybridize.ndarray import load
from tests.formats.onnx.written import answers


def net_of(*batches):
    np.random.seed(4)
    net = nn.HybridSequential()
    net.add(nn.Conv2D(3, 3), nn.BatchNorm(), nn.Activation("relu"), nn.GlobalAvgPool2D(), nn.Dense(2))
    net.initialize(hybridize.init.Normal(0.3))
    net.hybridize()
    for batch in batches:
        net(np.ones((batch, 1, 6, 6)))
    return net


def close(found, wanted):
    numpy.testing.assert_allclose(found, wanted.asnumpy(), rtol=1e-4, atol=1e-6)


def test_symbol_and_parameters_from_files(tmp_path):
    net = net_of(1)
    symbol_file, params_file = net.export(tmp_path / "net")
    path = str(tmp_path / "model.onnx")
    found = hybridize.onnx.export_model(symbol_file, params_file, [(1, 1, 6, 6)], numpy.float32, path)
    assert found == path
    x = np.random.normal(size=(1, 1, 6, 6))
    close(answers(path, [x.asnumpy()])[0], net(x))
    (data,) = onnx.load(path).graph.input
    assert data.name == "data"
    assert [one.dim_value for one in data.type.tensor_type.shape.dim] == [1, 1, 6, 6]


def test_dynamic_sizes(tmp_path, capsys):
    net = net_of(1)
    symbol_file, params_file = net.export(tmp_path / "net")
    path = str(tmp_path / "model.onnx")
    hybridize.onnx.export_model(
        sym.load(symbol_file), load(params_file), in_shapes=[(1, 1, 6, 6)], onnx_file_path=path, dynamic=True,
        dynamic_input_shapes=[("batch", 1, 6, 6)], verbose=True,
    )  # fmt: skip
    assert "as expected" in capsys.readouterr().out
    for batch in (1, 4, 9):
        x = np.random.normal(size=(batch, 1, 6, 6))
        close(answers(path, [x.asnumpy()])[0], net(x))


def test_an_expression_of_two_inputs_keeps_their_names(tmp_path):
    a, b = sym.var("left"), sym.var("right")
    whole = sym.FullyConnected(a * 2 + b, num_hidden=3, name="fc")
    params = {"arg:fc_weight": np.random.normal(size=(3, 4)), "fc_bias": np.ones(3)}
    path = hybridize.onnx.export_model(whole, params, [(2, 4), (2, 4)], onnx_file_path=str(tmp_path / "two.model"))
    assert path.endswith("two.model")
    assert [one.name for one in onnx.load(path).graph.input] == ["left", "right"]
    x, y = numpy.ones((2, 4), "f4"), numpy.full((2, 4), 3, "f4")
    close(answers(path, [x, y])[0], np.dot(np.array(2 * x + y), params["arg:fc_weight"].T) + 1)


def test_a_net_that_was_called_needs_no_shapes(tmp_path):
    net = net_of(1, 2, 3)
    path = hybridize.onnx.export_model(net, onnx_file_path=tmp_path / "net.onnx", output_names=["scores"])
    assert [one.name for one in onnx.load(path).graph.output] == ["scores"]
    assert hybridize.onnx.get_model_metadata(path) == {
        "input_tensor_data": [("data", ("n0", 1, 6, 6))],
        "output_tensor_data": [("scores", ("n0", 2))],
    }


def test_a_function_is_called_with_the_shapes(tmp_path):
    total = hybridize.hybridize(lambda x, y: x @ y + 1)
    path = hybridize.onnx.export_model(
        total, in_shapes=[(2, 3), (3, 4)], onnx_file_path=tmp_path / "total.onnx", dynamic=True,
        dynamic_input_shapes=[(None, 3), (3, 4)],
    )  # fmt: skip
    x, y = np.random.normal(size=(7, 3)), np.random.normal(size=(3, 4))
    close(answers(path, [x.asnumpy(), y.asnumpy()])[0], total(x, y))


def test_shapes_are_asked_for(tmp_path):
    whole = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    with pytest.raises(ArgumentError, match="in_shapes must be a shape for each of data, fc_weight"):
        hybridize.onnx.export_model(whole, {"fc_bias": np.ones(3)}, onnx_file_path=str(tmp_path / "net.onnx"))
    with pytest.raises(ArgumentError, match="input_names are 2 names, the inputs are 1: data"):
        hybridize.onnx.export_model(net_of(2), onnx_file_path=tmp_path / "net.onnx", input_names=["a", "b"])
    assert not list(tmp_path.iterdir())


def test_models_as_blocks_and_as_symbols(tmp_path):
    net = net_of(1, 2, 3)
    path = hybridize.onnx.export_model(net, onnx_file_path=tmp_path / "net.onnx")
    x = np.random.normal(size=(1, 1, 6, 6))
    block = hybridize.onnx.import_to_gluon(path, ctx=None)
    close(block(x).asnumpy(), net(x))
    whole, arguments, states = hybridize.onnx.import_model(path)
    assert {*arguments, *states} <= {*whole.list_inputs()}
    names = [name for name in whole.list_inputs() if name not in {*arguments, *states}]
    assert names == ["data"]
    bound = whole.bind(args={"data": x, **arguments}, aux_states=states)
    close(bound.forward()[0].asnumpy(), net(x))


def test_paths_of_mxnet():
    for path in ("mx2onnx", "onnx2mx"):
        module = importlib.import_module(f"hybridize.contrib.onnx.{path}")
        assert module.export_model is hybridize.onnx.export_model
    assert hybridize.contrib.onnx.import_model is hybridize.onnx.import_model
