"""Layers as operators of ONNX, or functions of the model: attributes, layouts and windows of all kinds."""

import numpy
import onnx
import pytest

import hybridize
from hybridize import np
from hybridize.base.dtypes import bool_, float32, int64
from hybridize.base.types import TensorType
from hybridize.formats.onnx.layers import LAYERS
from hybridize.formats.onnx.write import read_back
from hybridize.ops import composites, evaluate, make_graph
from hybridize.ops.library import attention, gates, pooling
from hybridize.ops.library.convolution_layers import convolution_layer, deconvolution_layer
from hybridize.ops.library.rnn import RecurrentStack, rnn
from hybridize.symbol import stored
from tests.folding import folded
from tests.formats import test_mxnet_symbol as mxnet
from tests.formats.onnx.written import answers, written

IMAGE, LAST, VOLUME, LINE = (2, 4, 7, 6), (2, 7, 6, 4), (2, 4, 5, 4, 6), (2, 4, 9)


def pools(shape, layout, kernel, kind="max", **options):
    """A pooling, and the shape it is of."""
    rank = len(kernel)
    settings = {
        "global_pool": False, "pooling_convention": "valid", "stride": (1,) * rank, "pad": (0,) * rank,
        "p_value": 2, "count_include_pad": True, **options,
    }  # fmt: skip

    def function(x):
        return [pooling.pooling(x, kernel, kind, layout=layout, **settings)]

    return function, shape


def recurrent(mode, layers=1, both=False, states=False, lengths=False, biased=True):
    stack = RecurrentStack(mode, 3, layers, both, biased=biased)
    shapes = [shape for _, shape in stack.parts(5)]
    begins = [(layers * stack.directions, 2, size) for size in stack.state_sizes] if states else []

    def function(x, *rest):
        weights, starts = rest[: len(shapes)], rest[len(shapes) : len(shapes) + len(begins)]
        return list(rnn(stack, x, weights, starts, rest[-1] if lengths else None))

    return function, (4, 2, 5), *shapes, *begins, *([TensorType((2,), int64)] if lengths else [])


CASES = {
    # label: function, shapes (or types); operators of the main graph
    "dense of rows": (lambda x, w, b: [composites.fully_connected(x, w, b, False)], (2, 3, 4), (5, 4), (5,), "MatMul"),
    "dense, flat": (lambda x, w: [composites.fully_connected(x, w, None, True)], (2, 3, 4), (5, 12), "Gemm"),
    "conv": (lambda x, w, b: [convolution_layer(x, w, b, (2, 1), (1, 2), (1, 0), 2, "NCHW")], IMAGE, (6, 2, 3, 2), (6,), "Conv"),
    "conv, channels last": (lambda x, w: [convolution_layer(x, w, None, (1, 2), (1, 1), (1, 1), 1, "NHWC")], LAST, (5, 3, 2, 4), "Conv"),
    "conv of lines": (lambda x, w: [convolution_layer(x, w, None, (2,), (1,), (2,), 4, "NCW")], LINE, (8, 1, 3), "Conv"),
    "conv of volumes": (lambda x, w: [convolution_layer(x, w, None, (1, 1, 2), (1, 1, 1), (0, 1, 1), 1, "NCDHW")], VOLUME, (3, 4, 2, 3, 3), "Conv"),
    "transposed": (lambda x, w, b: [deconvolution_layer(x, w, b, (2, 3), (1, 1), (1, 0), (1, 2), 2, "NCHW")], IMAGE, (4, 3, 3, 3), (6,), "ConvTranspose"),
    "transposed, last": (lambda x, w: [deconvolution_layer(x, w, None, (2, 2), (1, 1), (0, 0), (0, 0), 1, "NHWC")], LAST, (4, 2, 2, 3), "ConvTranspose"),
    "maxima": (*pools(IMAGE, "NCHW", (3, 2), stride=(2, 2), pad=(1, 0)), "MaxPool"),
    "maxima, full": (*pools(IMAGE, "NCHW", (2, 3), stride=(2, 3), pooling_convention="full"), "MaxPool"),
    "maxima, same": (*pools(LINE, "NCW", (3,), stride=(2,), pooling_convention="same"), "MaxPool"),
    "maxima, last": (*pools(LAST, "NHWC", (2, 2)), "MaxPool"),
    "means": (*pools(IMAGE, "NCHW", (3, 3), "avg", pad=(1, 1)), "AveragePool"),
    "means of what is there": (*pools(IMAGE, "NCHW", (3, 3), "avg", pad=(1, 1), count_include_pad=False), "AveragePool"),
    "means, full": (*pools(IMAGE, "NCHW", (2, 2), "avg", stride=(2, 4), pooling_convention="full"), "hybridize.Pooling"),
    "means of all": (*pools(VOLUME, "NCDHW", (1, 1, 1), "avg", global_pool=True), "GlobalAveragePool"),
    "maxima of all, last": (*pools(LAST, "NHWC", (1, 1), global_pool=True), "GlobalMaxPool"),
    "lengths of windows": (*pools(IMAGE, "NCHW", (2, 2), "lp", stride=(2, 2)), "LpPool"),
    "sums": (*pools(IMAGE, "NCHW", (2, 2), "sum", stride=(2, 1)), "hybridize.Pooling"),
    "batch norm": (lambda x, *p: [composites.batch_norm(x, *p, 1, 1e-3)], IMAGE, *[(4,)] * 4, "BatchNormalization"),
    "batch norm, last": (lambda x, *p: [composites.batch_norm(x, *p, 3, 1e-3, fix_gamma=True)], LAST, *[(4,)] * 4, "BatchNormalization"),
    "batch norm of a batch": (lambda x, *p: composites.batch_norm_of_batch(x, *p, 1), IMAGE, (4,), (4,), "hybridize.BatchNorm"),
    "layer norm": (lambda x, *p: [composites.layer_norm(x, *p, 2)], (2, 3, 5), (5,), (5,), "LayerNormalization"),
    "layer norm in the middle": (lambda x, *p: [composites.layer_norm(x, *p, 1)], (2, 3, 5), (3,), (3,), "hybridize.LayerNorm"),
    "group norm": (lambda x, *p: [composites.group_norm(x, *p, 2)], IMAGE, (4,), (4,), "GroupNormalization"),
    "instance norm": (lambda x, *p: [composites.instance_norm(x, *p)], IMAGE, (4,), (4,), "InstanceNormalization"),
    "rms norm": (lambda x, *p: [gates.rms_norm(x, *p, axes=(2,))], (2, 3, 5), (5,), "hybridize.rms_norm"),
    "softmax": (lambda x: [composites.softmax(x, 1)], (2, 3, 5), "Softmax"),
    "log softmax": (lambda x: [composites.log_softmax(x, 0)], (2, 3), "LogSoftmax"),
    "gelu": (lambda x: [composites.gelu(x)], (3, 4), "Gelu"),
    "gelu by tanh": (lambda x: [composites.gelu(x, "tanh")], (3, 4), "Gelu"),
    **{f"activation {word}": (lambda x, word=word: [composites.activation(x, word)], (3, 4), operator) for word, operator in {
        "relu": "Relu", "sigmoid": "Sigmoid", "tanh": "Tanh", "softrelu": "Softplus", "softsign": "Softsign",
        "log_sigmoid": "Neg", "mish": "Mish", "silu": "Sigmoid", "gelu": "Gelu"}.items()},
    **{f"leaky {word}": (lambda x, word=word: [composites.leaky_relu(x, None, word, 0.3)], (3, 4), operator) for word, operator in {
        "leaky": "LeakyRelu", "elu": "Elu", "selu": "Selu", "gelu": "Gelu"}.items()},
    "relu of bools": (lambda x: [composites.relu(x)], TensorType((3,), bool_), "Max"),
    "prelu": (lambda x, g: [composites.leaky_relu(x, g, "prelu")], IMAGE, (4,), "PRelu"),
    "prelu of one slope": (lambda x, g: [composites.leaky_relu(x, g, "prelu")], (3, 4), (1,), "PRelu"),
    "flatten": (lambda x: [composites.flatten(x)], (2, 3, 4), "Flatten"),
    "masked softmax": (lambda x, m: [attention.masked_softmax(x, composites.gt(m, composites.like(0, m)), 1)], (3, 4), (3, 4), "hybridize.masked_softmax"),
    "attention": (lambda q, k, v: [attention.attention(q, k, v, causal=True)], *[(2, 2, 3, 4)] * 3, "hybridize.scaled_dot_product_attention"),
    "gated": (lambda x: [gates.glu(x, 1, "silu")], (2, 6), "hybridize.glu"),
    "lstm": (*recurrent("lstm", 2, True, True), "LSTM"),
    "lstm with lengths": (*recurrent("lstm", lengths=True), "LSTM"),
    "gru": (*recurrent("gru", 1, True, True), "GRU"),
    "gru without biases": (*recurrent("gru", biased=False), "GRU"),
    "rnn": (*recurrent("rnn_relu", 2), "RNN"),
    "rnn by tanh": (*recurrent("rnn_tanh", states=True), "RNN"),
}  # fmt: skip


def check(graph, path, seed=0):
    """Write a graph; its results in ONNX Runtime and by our reader are those that its ops mean."""
    draw = numpy.random.default_rng(seed)
    inputs = [
        (draw.uniform(0.2, 1.0, value.type.shape) if value.type.dtype == float32 else draw.integers(1, 4, value.type.shape))
        .astype(value.type.dtype) * value.type.dtype.type(-1 if k % 2 and value.type.dtype == float32 and len(graph.inputs) < 4 else 1)
        for k, value in enumerate(graph.inputs)
    ]  # fmt: skip
    file = written(graph, path)
    wanted = evaluate(graph, inputs)
    for results in (answers(file, inputs), read_back(file, [inputs])[0]):
        for found, expected in zip(results, wanted, strict=True):
            assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
            numpy.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6)
    return {f"{node.domain}.{node.op_type}".removeprefix(".") for node in onnx.load(file).graph.node}


@folded("name", [pytest.param(name, id=name) for name in CASES], by=lambda name: "layers")
def test_layers(name, tmp_path):
    function, *shapes, operator = CASES[name]
    types = [shape if isinstance(shape, TensorType) else TensorType(shape, float32) for shape in shapes]
    assert operator in check(make_graph(function, types), tmp_path / "layer.onnx")


def test_every_layer_of_the_table_is_tested():
    labels = {
        node.op.name
        for function, *shapes, _ in CASES.values()
        for node in make_graph(
            function, [one if isinstance(one, TensorType) else TensorType(one, float32) for one in shapes]
        ).nodes
    }
    assert set(LAYERS) - labels <= {"Dropout", "Embedding", "LRN", "relu"}  # of GRAPHS, and refused


@folded("name", [pytest.param(name, id=name) for name in mxnet.GRAPHS], by=lambda name: "graphs")
def test_graphs_that_mxnets_files_hold(name, tmp_path):
    check(mxnet.GRAPHS[name], tmp_path / "graph.onnx")


MXNETS = mxnet.test_operators_mean_what_they_mean_in_mxnet.pytestmark[0].args[1]


@pytest.mark.long
@pytest.mark.parametrize("number", range(len(MXNETS)))
def test_operators_of_mxnet(number, tmp_path):
    op, inputs, attributes, _ = MXNETS[number]
    graph = mxnet.symbol(op, {key: str(value) for key, value in attributes.items()}, len(inputs))
    replay = stored.of_graph(graph)._replay()
    function = hybridize.hybridize(lambda *xs: replay(*xs), backend="numpy")
    arrays = [np.array(x, dtype=numpy.asarray(x).dtype) for x in inputs]
    function(*arrays)
    found = function.export(tmp_path / "op", format="onnx")
    assert "as expected" in found.checks[-1] or "has no code" in found.checks[-1]
