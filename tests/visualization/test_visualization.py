"""Tables and drawings of expressions: the numbers of MXNet's documentation, and what a picture holds."""

import xml.etree.ElementTree as ElementTree

import pytest

from hybridize import gluon, sym, visualization, viz
from hybridize.errors import ArgumentError, WriteError
from tests.refusals import refusal


@pytest.fixture
def network():
    data = sym.var("data")
    hidden = sym.FullyConnected(data, num_hidden=128, name="fc1")
    hidden = sym.Activation(hidden, act_type="relu", name="relu1")
    other = sym.FullyConnected(hidden, num_hidden=10, name="fc2", no_bias=True)
    third = sym.FullyConnected(hidden, num_hidden=10, name="fc3")
    return other + third


def test_internals_have_shapes(network):
    internals = network.get_internals()
    arguments, outputs, _ = internals.infer_shape(data=(64, 784))
    assert len(outputs) == len(internals.list_outputs())
    assert dict(zip(internals.list_outputs(), outputs, strict=True))["relu1_output"] == (64, 128)
    assert arguments[1] == (128, 784)


def test_the_table(network, capsys):
    assert viz is visualization
    viz.print_summary(network, {"data": (64, 784)})
    lines = capsys.readouterr().out.splitlines()
    fields = {line.split(" ")[0]: line.split() for line in lines if "(" in line}
    assert fields["fc1"] == ["fc1", "(FullyConnected)", "(64,", "128)", "100480", "data"]  # 784 × 128 + 128
    assert fields["fc2"][-2:] == ["1280", "relu1"]
    assert fields["fc3"][-2:] == ["1290", "relu1"]
    assert f"Total params: {100480 + 1280 + 1290}" in lines
    assert all(len(line) <= 120 for line in lines)
    viz.print_summary(network)
    assert "Total params: 0" in capsys.readouterr().out


def test_the_drawing(network, tmp_path):
    picture = viz.plot_network(network, title="mlp", shape={"data": (64, 784)})
    root = ElementTree.fromstring(picture.svg())
    words = {text.strip() for one in root.iter() for text in [one.text or ""]}
    assert {"data", "fc1", "relu1", "fc2", "fc3", "FullyConnected", "(64, 128)"} <= words
    assert not any("weight" in word for word in words)
    path = picture.render(directory=str(tmp_path))
    assert path.endswith("mlp.svg")
    assert open(path, encoding="utf-8").read() == picture._repr_svg_()  # noqa: SIM115
    assert "fc1_weight" in viz.plot_network(network, hide_weights=False).svg()
    with refusal(WriteError, "E335"):
        picture.render(directory=str(tmp_path / "no"))
    with refusal(ArgumentError, r"net\.summary"):
        viz.plot_network(gluon.nn.Dense(2))
