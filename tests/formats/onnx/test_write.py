"""Nets, functions, modules and loaded files as ONNX models: what others compute by them, and what they look like."""

import os
import sys

import numpy
import onnx
import pytest

import hybridize
from hybridize import np, npx
from hybridize.base.comparison import difference
from hybridize.base.errors import ArgumentError, CaptureError, VerificationError
from hybridize.formats.onnx import words, write
from hybridize.gluon import nn, rnn
from hybridize.gluon.model_zoo import vision
from hybridize.gluon.nn import HybridBlock
from hybridize.ops import Add
from tests.formats.onnx.written import answers, session
from tests.refusals import refusal


def called(net, *batches, shape):
    """A net that was called with some batch sizes."""
    np.random.seed(3)
    net.initialize(hybridize.init.Normal(0.3))
    net.hybridize()
    for batch in batches:
        net(images(batch, shape))
    return net


def images(batch, shape):
    return np.random.normal(size=tuple(batch if size is None else size for size in shape))


def exported(net, path, **options):
    """Export a net; return the file, whose checks must have been made."""
    found = net.export(path, format="onnx", **options)
    assert any("ONNX Runtime" in line and "as expected" in line for line in found.checks), found.checks
    assert any("operators, types and shapes fit" in line for line in found.checks)
    return found.files[0]


def same(file, net, *inputs):
    results = net(*inputs)
    results = results if isinstance(results, (list, tuple)) else [results]
    found = answers(file, [x.asnumpy() for x in inputs])
    assert len(found) == len(results)
    for one, other in zip(found, results, strict=True):
        assert not difference(numpy.asarray(one), other.asnumpy()), "by more than rounding"


def operators(file):
    return [node.op_type for node in onnx.load(file).graph.node]


def mlp():
    net = nn.HybridSequential()
    net.add(nn.Dense(32, activation="relu"), nn.Dense(16, activation="tanh"), nn.Dense(2))
    return net


def lenet():
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(6, 5, padding=2, activation="sigmoid"), nn.AvgPool2D(2, 2), nn.Conv2D(16, 5, activation="relu"),
        nn.MaxPool2D(2, 2), nn.Flatten(), nn.Dense(20, activation="sigmoid"), nn.BatchNorm(), nn.Dense(10),
    )  # fmt: skip
    return net


class Attention(HybridBlock):
    """A layer of a transformer."""

    def __init__(self, width=16, heads=2):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Dense(3 * width, flatten=False), nn.Dense(width, flatten=False)
        self.first, self.second = nn.LayerNorm(), nn.LayerNorm()
        self.wide, self.narrow = nn.Dense(2 * width, flatten=False), nn.Dense(width, flatten=False)
        self.gelu = nn.GELU()

    def forward(self, x):
        batch, steps, width = x.shape
        parts = self.qkv(self.first(x)).reshape(batch, steps, 3, self.heads, width // self.heads)
        q, k, v = (parts[:, :, number].transpose(0, 2, 1, 3) for number in range(3))
        scores = np.matmul(q, k.transpose(0, 1, 3, 2)) / (width // self.heads) ** 0.5
        mixed = np.matmul(npx.softmax(scores, axis=-1), v).transpose(0, 2, 1, 3).reshape(batch, steps, width)
        x = x + self.out(mixed)
        return x + self.narrow(self.gelu(self.wide(self.second(x))))


NETS = {
    "mlp": (mlp, (None, 12)),
    "lenet": (lenet, (None, 1, 16, 16)),
    "attention": (Attention, (None, 5, 16)),
    "lstm": (lambda: rnn.LSTM(5, 2, bidirectional=True), (4, None, 3)),
    "gru": (lambda: rnn.GRU(5, layout="NTC"), (None, 4, 3)),
    "rnn": (lambda: rnn.RNN(5, activation="relu"), (4, None, 3)),
}


@pytest.mark.parametrize("name", NETS)
def test_nets_at_batch_sizes_that_nobody_called_them_with(name, tmp_path):
    make, shape = NETS[name]
    net = called(make(), 1, 2, 3, shape=shape)
    file = exported(net, tmp_path / "net")
    for batch in (1, 3, 5):
        same(file, net, images(batch, shape))


@pytest.mark.long
@pytest.mark.parametrize("name", ["resnet18_v1", "resnet18_v2", "mobilenet0.25", "mobilenetv2_0.25", "squeezenet1.1"])
def test_the_model_zoo(name, tmp_path):
    size = 224 if name.startswith("squeeze") else 64
    net = called(vision.get_model(name, classes=10), 1, 2, 3, shape=(None, 3, size, size))
    file = exported(net, tmp_path / name)
    for batch in (1, 4):
        same(file, net, images(batch, (None, 3, size, size)))


def test_layers_are_the_operators_that_users_know(tmp_path):
    file = exported(called(lenet(), 1, 2, 3, shape=(None, 1, 16, 16)), tmp_path / "net")
    assert operators(file) == [
        "Conv", "Sigmoid", "AveragePool", "Conv", "Relu", "MaxPool", "Reshape", "Gemm", "Sigmoid", "BatchNormalization",
        "Gemm",
    ]  # fmt: skip
    model = onnx.load(file)
    assert {one.name for one in model.graph.initializer} >= {"0.weight", "0.bias", "6.running_mean", "7.weight"}
    (data,) = model.graph.input
    assert data.name == "data"
    assert data.type.tensor_type.shape.dim[0].dim_param
    assert [dim.dim_value for dim in data.type.tensor_type.shape.dim[1:]] == [1, 16, 16]
    assert model.opset_import[0].version == 21
    assert model.ir_version == 10


def test_a_layer_without_a_counterpart_is_one_function_of_the_model(tmp_path):
    class Masked(HybridBlock):
        def forward(self, x, mask):
            return npx.masked_softmax(npx.masked_softmax(x, mask, axis=-1), mask, axis=-1)

    net = Masked()
    net.hybridize()
    x, mask = np.random.normal(size=(2, 5)), np.array([[1, 1, 0, 1, 0], [0, 1, 1, 1, 1]], "bool")
    net(x, mask)
    file = exported(net, tmp_path / "net")
    model = onnx.load(file)
    assert [(node.domain, node.op_type) for node in model.graph.node] == [("hybridize", "masked_softmax")] * 2
    assert [one.name for one in model.functions] == ["masked_softmax"]
    same(file, net, x, mask)


def test_functions_with_loops_and_branches(tmp_path):
    @hybridize.hybridize
    def halve(x, limit):
        steps = 0
        while np.abs(x).max() > limit:
            x = x / 2
            steps = steps + 1
        return x, steps

    @hybridize.hybridize
    def chosen(x):
        if x.sum() > 0:
            return x * 2, x.max()
        return -x, x.min()

    @hybridize.hybridize
    def running(x):
        return npx.foreach(lambda row, total: (row * total, total + row), x, np.zeros(x.shape[1:]))[0]

    x = np.array([1000.0, -500.0])
    halve(x, np.array(1.0))
    file = exported(halve, tmp_path / "halve")
    assert "Loop" in operators(file)
    assert [one.name for one in session(file).get_inputs()] == ["x", "limit"]
    for limit in (1.0, 300.0, 1e9):
        found, steps = answers(file, [x.asnumpy(), numpy.float32(limit)])
        wanted, count = halve(x, np.array(limit))
        numpy.testing.assert_array_equal(found, wanted.asnumpy())
        assert steps == count
    for sign in (1, -1):
        chosen(sign * x)
    file = exported(chosen, tmp_path / "chosen")
    assert "If" in operators(file)
    for sign in (1, -1):
        same(file, chosen, sign * x)
    rows = np.random.normal(size=(4, 3))
    running(rows)
    file = exported(running, tmp_path / "running")
    assert "Scan" in operators(file)
    same(file, running, rows)


def test_sizes_that_are_computed_from_those_of_the_call(tmp_path):
    @hybridize.hybridize
    def windows(x):
        n = x.shape[0]
        pairs = x[: n // 2 * 2].reshape(n // 2, 2, x.shape[1])
        return pairs.mean(axis=1), np.concatenate([x[1:], np.arange(n).reshape(n, 1) + x], axis=0), x[::-1][: n - 1]

    for rows in (4, 6, 8):
        windows(np.random.normal(size=(rows, 3)))
    file = exported(windows, tmp_path / "windows")
    for rows in (4, 7, 10):
        same(file, windows, np.random.normal(size=(rows, 3)))


def test_sizes_that_the_program_was_not_captured_for_make_the_model_fail(tmp_path):
    @hybridize.hybridize
    def scaled(x):
        return x * 2 if x.shape[0] > 4 else x * 3

    for rows in (6, 7):
        scaled(np.ones((rows, 2)))
    found = scaled.export(tmp_path / "scaled", format="onnx")
    assert "sizes: n0 from 5" in found.fixed
    same(found.files[0], scaled, np.ones((9, 2)))
    with pytest.raises(Exception, match="the model is for n0 from 5"):
        answers(found.files[0], [numpy.ones((3, 2), "f4")])


def test_assertions_make_the_model_fail(tmp_path):
    @hybridize.hybridize
    def root(x):
        assert (x >= 0).all(), "x has negative numbers"
        return np.sqrt(x)

    root(np.ones(3))
    file = exported(root, tmp_path / "root")
    same(file, root, np.array([4.0, 9.0, 0.0]))
    with pytest.raises(Exception, match="x has negative numbers"):
        answers(file, [numpy.array([1, -1, 1], "f4")])


@pytest.mark.parametrize("opset", [13, 15, 17, 18, 23, 25])
def test_other_operator_sets(opset, tmp_path):
    net = called(Attention(), 1, 2, 3, shape=(None, 5, 16))
    found = net.export(tmp_path / "net", format="onnx", opset=opset)
    model = onnx.load(found.files[0])
    assert model.opset_import[0].version == opset
    assert ("LayerNormalization" in operators(found.files[0])) == (opset >= 17)
    same(found.files[0], net, images(4, (None, 5, 16)))


def test_an_unknown_operator_set(tmp_path):
    net = called(mlp(), 2, shape=(None, 12))
    for opset in (12, 26, "21", True):
        with pytest.raises(ArgumentError, match="E337"):
            net.export(tmp_path / "net", format="onnx", opset=opset)
    with pytest.raises(ArgumentError, match="it has opset"):
        net.export(tmp_path / "net", format="onnx", targets="baseline")
    assert not list(tmp_path.iterdir())


def test_large_weights_lie_beside_the_model(tmp_path, monkeypatch):
    monkeypatch.setattr(write, "LARGEST", 1000)
    net = called(nn.Dense(64), 1, 2, 3, shape=(None, 30))
    found = net.export(tmp_path / "net.onnx", format="onnx")
    assert [os.path.basename(file) for file in found.files] == ["net.onnx", "net.onnx.data"]
    assert (tmp_path / "net.onnx").stat().st_size < 2000
    same(found.files[0], net, images(5, (None, 30)))


@hybridize.hybridize
def noisy(x):
    return x + np.random.normal(size=x.shape)


@hybridize.hybridize
def factored(x):
    return np.linalg.cholesky(x)


@hybridize.hybridize
def spectrum(x):
    return np.abs(np.fft.fft(x))


@hybridize.hybridize
def talking(x):
    print("the sum is", x.sum())
    return x


@pytest.mark.parametrize(
    ("function", "what", "line"),
    [
        (noisy, "random numbers have", "np.random.normal"),
        (factored, "the operation cholesky has", "np.linalg.cholesky"),
        (spectrum, "computes with complex numbers", "np.fft.fft"),
        (talking, "the operation print has", "print("),
    ],
)
def test_what_has_no_counterpart_is_refused_at_its_line(function, what, line, tmp_path):
    function(np.eye(3))
    with refusal(CaptureError, what) as raised:
        function.export(tmp_path / "model", format="onnx")
    assert raised.value.code == ("E450" if function is spectrum else "E466")  # no file of ours holds complex numbers
    assert line in str(raised.value)
    assert not list(tmp_path.iterdir())


def test_a_wrong_word_is_found_before_anything_is_written(tmp_path, monkeypatch):
    monkeypatch.setitem(words.BINARY, Add, "Sub")
    function = hybridize.hybridize(lambda x: x + 1)
    function(np.ones(3))
    with pytest.raises(VerificationError, match="E810"):
        function.export(tmp_path / "model", format="onnx")
    assert not list(tmp_path.iterdir())


def test_several_signatures_are_the_widest_one(tmp_path):
    net = called(mlp(), 1, 2, 3, shape=(None, 12))
    net(np.ones((2, 3, 4)))  # Dense flattens
    found = net.export(tmp_path / "net", format="onnx")
    assert "(f32[n0,12])" in found.left_out
    archive = tmp_path / "archive"
    net.save(archive)
    loaded = hybridize.load(archive)
    again = loaded.export(tmp_path / "again", format="onnx")
    assert "as expected" in again.checks[-1]


def test_a_loaded_model_is_written_again(tmp_path):
    net = called(lenet(), 1, 2, 3, shape=(None, 1, 16, 16))
    first = exported(net, tmp_path / "net")
    block = hybridize.load(first)
    for batch in (1, 2, 3):
        block(images(batch, (None, 1, 16, 16)))
    second = exported(block, tmp_path / "again")
    assert operators(second) == operators(first)
    same(second, net, images(5, (None, 1, 16, 16)))


def test_nothing_is_in_the_file_that_no_result_needs(tmp_path):
    file = exported(called(rnn.LSTM(5), 1, 2, 3, shape=(4, None, 3)), tmp_path / "net")
    model = onnx.load(file)
    read = {name for node in model.graph.node for name in node.input}
    assert {one.name for one in model.graph.initializer} <= read
    assert "l0_i2h_weight_iofc" in read
    assert all(node.name for node in model.graph.node)


def test_without_the_packages_the_reader_alone_checks(tmp_path, monkeypatch):
    net = called(mlp(), 1, 2, 3, shape=(None, 12))
    for package in ("onnx", "onnxruntime"):
        monkeypatch.setitem(sys.modules, package, None)
    checks = net.export(tmp_path / "net", format="onnx").checks
    assert "as expected" in checks[0]
    assert "net.onnx: not checked by the onnx package: it is not installed" in checks
    assert "net.onnx: not run by ONNX Runtime: it is not installed" in checks
