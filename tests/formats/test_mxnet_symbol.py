"""Graphs of MXNet executed, and ours written by MXNet's operators and read back."""

import inspect
import json
import random
from pathlib import Path

import numpy
import pytest
import torch

import hybridize.array  # noqa: F401 - installs the imperative interpreter
from hybridize import gluon, np, ops
from hybridize.base.dtypes import float32, float64, int64
from hybridize.base.errors import CaptureError, HybridizeError, LoadError
from hybridize.base.types import TensorType
from hybridize.formats.mxnet.attributes import parse_value
from hybridize.formats.mxnet.params import read_params
from hybridize.formats.mxnet.symbol import parse_symbol, read_symbol
from hybridize.formats.mxnet.write import symbol_json
from hybridize.ops import composites
from hybridize.ops.evaluate import evaluate
from hybridize.ops.library import columns, deformation, regions
from hybridize.ops.library.convolution_layers import convolution_layer, deconvolution_layer
from hybridize.ops.library.correlation import correlation
from hybridize.ops.op import constant
from hybridize.ops.tracing import make_graph
from hybridize.symbol.file_operators import function_of, parameters_of
from hybridize.symbol.stored import of_graph
from tests.formats.mxnet_made import MADE
from tests.formats.running import execute
from tests.refusals import refusal

FILES = Path(__file__).parent / "mxnet_files"
SIGNATURES = {}
for version in ("1_9_1", "2_0_0b1"):
    listed = json.loads((FILES / f"op_signatures_{version}.json").read_text())["ops"]
    SIGNATURES[version] = {
        name: {argument[0] for argument in op["args"]} | ({op["key_var_num_args"]} - {""})
        for op in listed
        for name in [op["name"], *op["aliases"]]
    }


@pytest.mark.parametrize("generation", ["v1_9_1_nd", "v1_9_1_np", "v2_0_0b1_np"])
def test_the_mlp_of_every_generation_computes_what_mxnet_computed(generation):
    folder = FILES / generation
    graph = read_symbol(folder / "my_mlp-symbol.json")
    feeds = {name.removeprefix("arg:"): value for name, value in read_params(folder / "my_mlp-0000.params").items()}
    feeds["data"] = numpy.load(folder / "my_mlp-input.npy")
    (got,) = execute(graph, feeds)
    numpy.testing.assert_allclose(got, numpy.load(folder / "my_mlp-output.npy"), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("scale", [1, 1e20])
def test_masked_scores_are_hidden_however_small_the_others_are(scale):
    seen = numpy.array([[True, False, True, False], [False] * 4, [True] * 4])
    scores = torch.tensor(X, dtype=torch.float64) * scale
    hidden = torch.where(torch.tensor(seen), scores, -torch.inf)
    wanted = torch.where(torch.tensor(seen), torch.log_softmax(hidden, -1), -torch.inf)
    numpy.testing.assert_allclose(run("masked_log_softmax", X * numpy.float32(scale), seen), wanted, rtol=1e-5)
    powers = torch.nan_to_num(torch.softmax(hidden, -1))
    numpy.testing.assert_allclose(run("masked_softmax", X * numpy.float32(scale), seen), powers, rtol=1e-5, atol=1e-7)


def test_operators_that_are_missing_are_named():
    text = (FILES / "v1_9_1_nd/foreachnet-symbol.json").read_text().replace('"tanh"', '"no_op"')
    with pytest.raises(LoadError, match=r"some.json: operator no_op, node 'fe_tanh0', is not supported"):
        of_graph(parse_symbol(text, "some.json"))


def applied(text):
    graph = parse_symbol(text, "text")
    shapes = {name: (4, 4) if "weight" in name else (3, 2, 4) for name in graph.variables}
    return execute(graph, {name: numpy.ones(shape, "f4") for name, shape in shapes.items()})


def test_graphs_in_nodes_are_checked():
    tree = json.loads((FILES / "v1_9_1_nd/foreachnet-symbol.json").read_text())
    (node,) = [one for one in tree["nodes"] if one["op"] == "_foreach"]
    body = node["subgraphs"]
    for change, said in (
        ({"subgraphs": []}, "has 0 graphs"),
        ({"attrs": {**node["attrs"], "in_data_locs": "[7]"}}, "of 4 inputs"),
        ({"attrs": {**node["attrs"], "remain_locs": "[1]"}}, "places of 3"),
        (
            {"subgraphs": [{**body[0], "nodes": [{**body[0]["nodes"][-1], "op": "no_op"}], "heads": [[0, 0]]}]},
            "no_op|entry",
        ),
    ):
        broken = {**tree, "nodes": [{**one, **change} if one is node else one for one in tree["nodes"]]}
        with refusal(LoadError, said):
            applied(json.dumps(broken))


def symbol(op, attributes=None, count=1, np_shape=False):
    names = "xyz"[:count]
    nodes = [{"op": "null", "name": name, "inputs": []} for name in names]
    nodes.append({"op": op, "name": "node", "attrs": attributes or {}, "inputs": [[i, 0] for i in range(count)]})
    attrs = {"is_np_shape": ["int", 1]} if np_shape else {}
    return parse_symbol(json.dumps({"nodes": nodes, "heads": [[count, 0]], "attrs": attrs}))


def run(op, *inputs, np_shape=False, **attributes):
    graph = symbol(op, {key: str(value) for key, value in attributes.items()}, len(inputs), np_shape)
    of_graph(graph)
    (result,) = execute(graph, dict(zip("xyz", inputs, strict=False)))
    return result


X = numpy.linspace(-2.5, 2.5, 12, dtype="f4").reshape(3, 4)
Y = numpy.linspace(1, 2, 12, dtype="f4").reshape(3, 4)
ROW, CUBE = X[:1], numpy.arange(24, dtype="f4").reshape(2, 3, 4)
I = numpy.array([[0, 2], [1, 9]], "f4")  # noqa: E741 - indices as MXNet keeps them: floats, one outside
SIGMOID = 1 / (1 + numpy.exp(-X))


def torched(function, *arrays, **arguments):
    """What PyTorch's function computes."""
    tensors = (torch.tensor(numpy.ascontiguousarray(array)) for array in arrays)
    return getattr(torch.nn.functional, function)(*tensors, **arguments).numpy()


MASKED = numpy.where(numpy.arange(3)[:, None] < [1, 3, 0, 9], X, 7).astype("f4")
HEADS = numpy.random.default_rng(5).normal(size=(3, 2, 12)).astype("f4")
PARTS = numpy.moveaxis(HEADS.reshape(3, 2, 2, 3, 2), 3, 0)
PAIRS = HEADS[:, :, 4:].reshape(3, 2, 2, 2, 2)
SCORES = numpy.random.default_rng(6).normal(size=(4, 3, 3)).astype("f4")


def soft(x, seen):
    """The softmax of what is seen, 0 elsewhere."""
    powers = numpy.where(seen, numpy.exp(x), 0)
    return powers / numpy.maximum(powers.sum(-1, keepdims=True), 1e-30)


IMAGE = numpy.random.default_rng(3).normal(size=(2, 4, 3, 3)).astype("f4")
WINDOWS = numpy.random.default_rng(4).normal(size=(4, 2, 2, 1)).astype("f4")


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "expected"),
    [
        ("exp", (X,), {}, numpy.exp(X)),
        ("_npi_absolute", (X,), {}, abs(X)),
        ("square", (X,), {}, X * X),
        ("round", (X,), {}, numpy.trunc(X + numpy.copysign(0.5, X))),
        ("rint", (numpy.float32([1.5, -1.5, 0.6]),), {}, [1, -2, 1]),
        ("elemwise_add", (X, Y), {}, X + Y),
        ("broadcast_sub", (X, ROW), {}, X - ROW),
        ("_npi_true_divide", (X, Y), {}, X / Y),
        ("_plus_scalar", (X,), {"scalar": 3}, X + 3),
        ("_rminus_scalar", (X,), {"scalar": "1"}, 1 - X),
        ("_rdiv_scalar", (Y,), {"scalar": 2.0}, 2 / Y),
        ("_npi_rpower_scalar", (X,), {"scalar": 2}, 2**X),
        ("_greater_scalar", (X,), {"scalar": 0}, (X > 0).astype("f4")),
        ("_npi_greater_scalar", (X,), {"scalar": 0}, X > 0),
        ("broadcast_equal", (X, ROW), {}, (X == ROW).astype("f4")),
        ("_npi_less", (X, Y), {}, X < Y),
        ("_maximum_scalar", (X,), {"scalar": 0.5}, numpy.maximum(X, 0.5)),
        ("clip", (X,), {"a_min": -1, "a_max": 1}, X.clip(-1, 1)),
        ("sum", (CUBE,), {"axis": "(0, 2)"}, CUBE.sum((0, 2))),
        ("sum", (X,), {}, X.sum().reshape(1)),
        ("sum", (CUBE,), {"axis": 1, "exclude": 1}, CUBE.sum((0, 2))),
        ("_npi_sum", (X,), {"axis": "None"}, X.sum()),
        ("mean", (X,), {"axis": -1, "keepdims": "True"}, X.mean(-1, keepdims=True)),
        ("max", (X,), {"axis": "()"}, X.max().reshape(1)),
        ("_npi_var", (X,), {"axis": 0}, X.var(0)),
        ("norm", (X,), {"axis": 1}, numpy.linalg.norm(X, axis=1)),
        ("argmax", (X,), {"axis": 1}, X.argmax(1).astype("f4")),
        ("_npi_argmax", (X,), {"axis": 0}, X.argmax(0)),
        ("cumsum", (X,), {"axis": 1}, X.cumsum(1)),
        ("where", (numpy.float32([1, 0, 1]), X, Y), {}, numpy.where([[1], [0], [1]], X, Y)),
        ("_npi_where_rscalar", (X > 0, X), {"scalar": 7}, numpy.where(X > 0, X, 7)),
        ("Reshape", (CUBE,), {"shape": "(0, -1)"}, CUBE.reshape(2, 12)),
        ("Reshape", (CUBE,), {"shape": "(-3, 0)"}, CUBE.reshape(6, 4)),
        ("Reshape", (CUBE,), {"shape": "(-2,)"}, CUBE),
        ("Reshape", (CUBE,), {"shape": "(0, 0, -4, 2, -1)"}, CUBE.reshape(2, 3, 2, 2)),
        ("Reshape", (CUBE,), {"shape": "(-1, 0)", "reverse": "True"}, CUBE.reshape(6, 4)),
        ("_npx_reshape", (CUBE,), {"newshape": "[-2, -1]"}, CUBE.reshape(2, 12)),
        ("_npx_reshape", (CUBE,), {"newshape": "[-5, -4]"}, CUBE.reshape(6, 4)),
        ("_npx_reshape", (ROW,), {"newshape": "(-3, -6, 2, -1)"}, ROW.reshape(2, 2)),
        ("transpose", (CUBE,), {}, CUBE.T),
        ("transpose", (CUBE,), {"axes": "(0, 2, 1)"}, CUBE.transpose(0, 2, 1)),
        ("SwapAxis", (CUBE,), {"dim1": 0, "dim2": 2}, CUBE.swapaxes(0, 2)),
        ("expand_dims", (X,), {"axis": -1}, X[..., None]),
        ("squeeze", (ROW,), {}, ROW[0]),
        ("Flatten", (CUBE,), {}, CUBE.reshape(2, 12)),
        ("reverse", (X,), {"axis": "1"}, X[:, ::-1]),
        ("Concat", (X, Y), {"num_args": 2, "dim": 0}, numpy.concatenate([X, Y])),
        ("stack", (X, Y), {"num_args": 2, "axis": 1}, numpy.stack([X, Y], 1)),
        ("slice", (CUBE,), {"begin": "(None, 1)", "end": "(None, 3)"}, CUBE[:, 1:3]),
        ("slice", (X,), {"begin": "0", "end": "1"}, X[:1]),
        ("slice", (X,), {"begin": "(2,)", "end": "(None,)", "step": "(-1,)"}, X[2::-1]),
        ("slice_axis", (X,), {"axis": 1, "begin": 1, "end": "None"}, X[:, 1:]),
        ("broadcast_axis", (ROW,), {"axis": "0", "size": "3"}, numpy.repeat(ROW, 3, 0)),
        ("broadcast_to", (ROW,), {"shape": "(3, 0)"}, numpy.repeat(ROW, 3, 0)),
        ("tile", (X,), {"reps": "(2, 1, 2)"}, numpy.tile(X, (2, 1, 2))),
        ("take", (X, I), {}, X[[[0, 2], [1, 2]]]),
        ("take", (X, I), {"axis": 1, "mode": "wrap"}, X[:, [[0, 2], [1, 1]]]),
        ("Embedding", (I, X), {"input_dim": 3, "output_dim": 4}, X[[[0, 2], [1, 2]]]),
        ("pick", (X, numpy.float32([0, 3, 1])), {}, X[[0, 1, 2], [0, 3, 1]]),
        ("one_hot", (numpy.float32([2, 0]),), {"depth": 3}, numpy.eye(3, dtype="f4")[[2, 0]]),
        ("dot", (X, Y.T.copy()), {}, X @ Y.T),
        ("dot", (X, Y), {"transpose_b": "True"}, X @ Y.T),
        ("dot", (X, Y), {"transpose_a": 1}, X.T @ Y),
        ("batch_dot", (CUBE, CUBE), {"transpose_b": "1"}, CUBE @ CUBE.swapaxes(1, 2)),
        ("_npi_matmul", (CUBE, X.T.copy()), {}, CUBE @ X.T),
        ("_npi_matmul", (X[0], X.T.copy()), {}, X[0] @ X.T),
        ("_linalg_gemm2", (X, Y), {"transpose_b": 1, "alpha": 2}, 2 * X @ Y.T),
        ("_npi_dot", (CUBE, X.T.copy()), {}, CUBE @ X.T),
        (
            "FullyConnected",
            (CUBE, numpy.ones((2, 12), "f4")),
            {"num_hidden": 2, "no_bias": 1},
            CUBE.reshape(2, 12) @ numpy.ones((12, 2)),
        ),
        ("FullyConnected", (CUBE, X, X[:, 0].copy()), {"num_hidden": 3, "flatten": "False"}, CUBE @ X.T + X[:, 0]),
        (
            "Convolution",
            (CUBE, CUBE[:, :, :2].copy()),
            {"kernel": "(2,)", "num_filter": 2, "no_bias": 1},
            torched("conv1d", CUBE, CUBE[:, :, :2]),
        ),
        (
            "Convolution",
            (IMAGE, WINDOWS, X[0]),
            {
                "kernel": "(2, 1)",
                "stride": "[2L, 1L]",
                "pad": "(1, 0)",
                "num_group": 2,
                "num_filter": "4",
                "layout": "None",
            },
            torched("conv2d", IMAGE, WINDOWS, X[0], stride=(2, 1), padding=(1, 0), groups=2),
        ),
        (
            "Convolution",
            (numpy.moveaxis(IMAGE, 1, -1).copy(), numpy.moveaxis(WINDOWS, 1, -1).copy(), X[0]),
            {"kernel": "(2, 1)", "num_filter": 4, "num_group": 2, "layout": "NHWC", "dilate": "(2, 1)", "workspace": 9},
            numpy.moveaxis(torched("conv2d", IMAGE, WINDOWS, X[0], dilation=(2, 1), groups=2), 1, -1),
        ),
        (
            "Deconvolution",
            (IMAGE, WINDOWS),
            {"kernel": "(2, 1)", "stride": "(2, 3)", "adj": "(1, 2)", "num_filter": 2, "pad": "(1, 0)"},
            torched("conv_transpose2d", IMAGE, WINDOWS, stride=(2, 3), output_padding=(1, 2), padding=(1, 0)),
        ),
        (
            "Deconvolution",
            (IMAGE, WINDOWS, X[0]),
            {
                "kernel": "(2, 1)",
                "stride": "(2, 2)",
                "target_shape": "(5, 4)",
                "num_filter": 4,
                "num_group": 2,
                "no_bias": 0,
            },
            torched("conv_transpose2d", IMAGE, WINDOWS, X[0], stride=2, padding=0, groups=2)[:, :, 1:, 1:],
        ),
        ("Pooling", (IMAGE,), {"kernel": "(2, 2)", "stride": "(2L, 2L)"}, torched("max_pool2d", IMAGE, kernel_size=2)),
        (
            "Pooling",
            (IMAGE,),
            {"kernel": "(2, 2)", "pad": "[1, 0]", "pool_type": "avg", "count_include_pad": "False", "cudnn_off": 1},
            torched("avg_pool2d", IMAGE, kernel_size=2, stride=1, padding=(1, 0), count_include_pad=False),
        ),
        (
            "Pooling_v1",
            (CUBE,),
            {"kernel": "(2,)", "stride": "(2,)", "pooling_convention": "full"},
            torched("max_pool1d", CUBE, kernel_size=2, ceil_mode=True),
        ),
        (
            "Pooling",
            (IMAGE,),
            {"pool_type": "avg", "global_pool": "True", "kernel": "(7, 7)", "p_value": "None"},
            IMAGE.mean((2, 3), keepdims=True),
        ),
        (
            "Pooling",
            (numpy.moveaxis(IMAGE, 1, -1).copy(),),
            {"kernel": "(2, 1)", "layout": "NHWC", "pool_type": "lp", "p_value": 2},
            numpy.moveaxis((IMAGE[:, :, :-1] ** 2 + IMAGE[:, :, 1:] ** 2) ** 0.5, 1, -1),
        ),
        (
            "UpSampling",
            (IMAGE,),
            {"scale": 2, "sample_type": "nearest", "num_args": 1},
            IMAGE.repeat(2, 2).repeat(2, 3),
        ),
        (
            "UpSampling",
            (IMAGE, IMAGE),
            {"scale": 3, "sample_type": "nearest", "num_args": 2, "multi_input_mode": "sum"},
            2 * IMAGE.repeat(3, 2).repeat(3, 3),
        ),
        (
            "UpSampling",
            (IMAGE, numpy.ones((IMAGE.shape[1], 1, 4, 4), "f4")),
            {"scale": 2, "sample_type": "bilinear", "num_args": 2, "num_filter": IMAGE.shape[1]},
            torched(
                "conv_transpose2d",
                IMAGE,
                numpy.ones((IMAGE.shape[1], 1, 4, 4), "f4"),
                stride=2,
                padding=1,
                groups=IMAGE.shape[1],
            ),
        ),
        (
            "Pad",
            (IMAGE,),
            {"mode": "edge", "pad_width": "(0, 0, 0, 0, 1, 0, 0, 2)"},
            numpy.pad(IMAGE, ((0, 0), (0, 0), (1, 0), (0, 2)), "edge"),
        ),
        (
            "Pad",
            (X,),
            {"mode": "constant", "pad_width": "(0, 1, 2, 0)", "constant_value": 2.5},
            numpy.pad(X, ((0, 1), (2, 0)), constant_values=2.5),
        ),
        (
            "_contrib_BilinearResize2D",
            (IMAGE,),
            {"height": 5, "scale_width": 2.0, "align_corners": "False"},
            torched("interpolate", IMAGE, size=(5, 6), mode="bilinear", align_corners=False),
        ),
        (
            "_contrib_AdaptiveAvgPooling2D",
            (IMAGE,),
            {"output_size": "(2,)"},
            torched("adaptive_avg_pool2d", IMAGE, output_size=2),
        ),
        ("Activation", (X,), {"act_type": "softrelu"}, numpy.log1p(numpy.exp(X))),
        ("sigmoid", (X,), {}, SIGMOID),
        ("_npx_relu", (X,), {}, X.clip(0)),
        ("LeakyReLU", (X,), {}, numpy.where(X > 0, X, X / 4)),
        ("LeakyReLU", (X,), {"act_type": "elu", "slope": 2}, numpy.where(X > 0, X, 2 * numpy.expm1(X))),
        ("softmax", (X,), {"temperature": 2}, numpy.exp(X / 2) / numpy.exp(X / 2).sum(-1, keepdims=True)),
        ("log_softmax", (X,), {"axis": 0}, X - numpy.log(numpy.exp(X).sum(0))),
        ("SoftmaxActivation", (X,), {}, numpy.exp(X) / numpy.exp(X).sum(-1, keepdims=True)),
        (
            "LayerNorm",
            (X, X[0], Y[0]),
            {},
            (X - X.mean(1, keepdims=True)) / numpy.sqrt(X.var(1, keepdims=True) + 1e-5) * X[0] + Y[0],
        ),
        ("L2Normalization", (X,), {}, X / numpy.linalg.norm(X, axis=1, keepdims=True)),
        ("Dropout", (X,), {"p": 0.5}, X),
        ("Cast", (X,), {"dtype": "int32"}, X.astype("i4")),
        ("_zeros", (), {"shape": "(2, 3)"}, numpy.zeros((2, 3))),
        ("SequenceMask", (X, numpy.float32([1, 3, 0, 9])), {"use_sequence_length": 1, "value": 7}, MASKED),
        (
            "SequenceMask",
            (X.T.copy(), numpy.float32([1, 3, 0, 9])),
            {"use_sequence_length": 1, "value": 7, "axis": 1},
            MASKED.T,
        ),
        ("SequenceMask", (X,), {}, X),
        ("SequenceLast", (X, numpy.float32([1, 3, 2, 3])), {"use_sequence_length": "True"}, X[[0, 2, 1, 2], range(4)]),
        ("SequenceLast", (X,), {"axis": 1}, X[:, -1]),
        (
            "SequenceReverse",
            (X, numpy.float32([1, 2, 0, 3])),
            {"use_sequence_length": 1},
            X[[[0, 1, 0, 2], [1, 0, 1, 1], [2, 2, 2, 0]], range(4)],
        ),
        ("SequenceReverse", (X,), {}, X[::-1]),
        ("_contrib_div_sqrt_dim", (X,), {}, X / 2),
        ("_contrib_arange_like", (X,), {"start": 1, "step": 0.5, "axis": 1}, [1, 1.5, 2, 2.5]),
        ("masked_softmax", (X, X > 0), {}, soft(X, X > 0)),
        ("masked_softmax", (X, X > 0), {"temperature": 2.0, "axis": 0}, soft(X.T / 2, X.T > 0).T),
        (
            "softmax",
            (X, numpy.int32([1, 4, 2])),
            {"use_length": 1},
            soft(X, numpy.arange(4) < numpy.array([[1], [4], [2]])),
        ),
        (
            "_contrib_interleaved_matmul_selfatt_qk",
            (HEADS,),
            {"heads": 2},
            numpy.einsum("tbhd,sbhd->bhts", *PARTS[:2]).reshape(4, 3, 3) / 2**0.5,
        ),
        (
            "_contrib_interleaved_matmul_selfatt_valatt",
            (HEADS, SCORES),
            {"heads": 2},
            numpy.einsum("bhts,sbhd->tbhd", SCORES.reshape(2, 2, 3, 3), PARTS[2]).reshape(3, 2, 4),
        ),
        (
            "_contrib_interleaved_matmul_encdec_qk",
            (HEADS[:, :, :4], HEADS[:, :, 4:]),
            {"heads": 2},
            numpy.einsum("tbhd,sbhd->bhts", HEADS[:, :, :4].reshape(3, 2, 2, 2), PAIRS[:, :, :, 0]).reshape(4, 3, 3)
            / 2**0.5,
        ),
        (
            "_contrib_interleaved_matmul_encdec_valatt",
            (HEADS[:, :, 4:], SCORES),
            {"heads": 2},
            numpy.einsum("bhts,sbhd->tbhd", SCORES.reshape(2, 2, 3, 3), PAIRS[:, :, :, 1]).reshape(3, 2, 4),
        ),
        ("_npi_full", (), {"shape": "[2]", "value": 3, "dtype": "int32"}, numpy.full(2, 3)),
        ("_arange", (), {"start": 1, "stop": 7, "step": 2}, [1, 3, 5]),
        ("ones_like", (X,), {}, numpy.ones((3, 4))),
        ("_npi_logical_and", (X, Y), {}, X.astype(bool)),
    ],
)
def test_operators_mean_what_they_mean_in_mxnet(op, inputs, attributes, expected):
    got = run(op, *(numpy.asarray(x) for x in inputs), **attributes)
    numpy.testing.assert_allclose(got, numpy.asarray(expected), rtol=2e-5, atol=1e-6)
    assert got.shape == numpy.asarray(expected).shape
    assert op in SIGNATURES["1_9_1"] or op in SIGNATURES["2_0_0b1"]


WITHOUT_EFFECT = frozenset(
    [
        "num_args",
        "ctx",
        "is_int",
        "penalty",
        "sparseness_target",
        "momentum",
        "workspace",
        "cudnn_tune",
        "cudnn_off",
        "sparse_grad",
        "ndev",
        "key",
        "min_calib_range",
        "max_calib_range",
        "keep_highest",
        "output_mean_var",
    ]
)
"""Attributes that change no value, or that are refused."""
REFUSED = {
    "_linspace": {"step", "repeat", "infer_range"}, "softmin": {"use_length"}, "GroupNorm": {"output_mean_var"},
    "Pooling": {"output_size"}, "_npi_mean": {"initial"},
    "_npi_full": {"value_type", "int_value", "uint_value", "double_value"},
}  # fmt: skip
"""Attributes that functions do not have, which files may have at their defaults only."""
OF_OTHERS = {"_contrib_AdaptiveAvgPooling2D"}
"""Operators of which MXNet says attributes that are another operator's."""
OPERATORS = sorted(
    {name for signatures in SIGNATURES.values() for name in signatures if parameters_of(name) is not None}
)
ARRAYS_OF = {
    name: [argument[0] for argument in op["args"] if "NDArray" in argument[1] or "Symbol" in argument[1]]
    for version in ("2_0_0b1", "1_9_1")
    for op in json.loads((FILES / f"op_signatures_{version}.json").read_text())["ops"]
    for name in [op["name"], *op["aliases"]]
}


def test_operators_take_the_arrays_and_the_attributes_that_they_take_in_mxnet():
    wrong = []
    for op in OPERATORS:
        takes, arrays = parameters_of(op), ARRAYS_OF[op]
        for signatures in SIGNATURES.values():
            missing = signatures.get(op, set()) - set(arrays) - (takes.attributes or set()) - WITHOUT_EFFECT - {"args"}
            if op not in OF_OTHERS and takes.attributes is not None and missing - REFUSED.get(op, set()):
                wrong.append(f"{op}: attributes {missing}")
        if takes.most != float("inf") and not takes.least <= len(arrays) <= takes.most:
            wrong.append(f"{op}: {arrays}, here {takes.least} to {takes.most}")
    assert not wrong, "\n".join(wrong)
    assert len(OPERATORS) > 300


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "what"),
    [
        ("FullyConnected", (X, Y), {"num_hidden": 9, "no_bias": 1}, "a weight f32"),
        ("FullyConnected", (X,), {"num_hidden": 9}, "takes 2 to 3 inputs, the file gives 1"),
        ("Convolution", (X, X), {"kernel": "(1,)", "num_filter": 3, "no_bias": 1}, "2 channel axes and 1 to 3 more"),
        ("Convolution", (IMAGE, WINDOWS), {"kernel": "(2, 1)", "num_filter": 4}, "no_bias is not set"),
        ("Convolution", (IMAGE, WINDOWS), {"kernel": "(2, 2)", "num_filter": 4, "no_bias": 1}, "a weight f32"),
        ("Convolution", (IMAGE, WINDOWS), {"num_filter": 4, "no_bias": 1, "layout": "NCW"}, "got 'NCW'"),
        ("Deconvolution", (IMAGE, WINDOWS), {"kernel": "(2, 1)", "num_filter": 3}, "num_filter=3"),
        ("Pooling", (X,), {"kernel": "(1,)"}, "3 to 5 axes"),
        ("Pooling", (IMAGE,), {}, "pooling without kernel"),
        ("Pooling", (IMAGE,), {"kernel": "(2, 2)", "layout": "NCW"}, "pooling with kernel"),
        ("Pooling", (IMAGE,), {"kernel": "(9, 9)"}, "larger than"),
        ("UpSampling", (IMAGE, X), {"scale": 2, "sample_type": "nearest"}, "batch, channels, height, width"),
        ("UpSampling", (IMAGE, IMAGE), {"scale": 2, "sample_type": "bilinear"}, "a weight"),
        ("Pad", (X,), {"mode": "edge", "pad_width": "(1, 1)"}, "pad_width"),
        ("_contrib_BilinearResize2D", (IMAGE,), {"mode": "nonsense"}, "nonsense"),
        ("Deconvolution", (IMAGE, WINDOWS), {"target_shape": "(9, 9)"}, "there are 4 elements where 9"),
        ("elemwise_add", (X, ROW), {}, "shapes differ"),
        ("Reshape", (X,), {"shape": "(5, 5)"}, "do not fit"),
        ("Reshape", (X,), {"shape": "(-7,)"}, "no code -7"),
        ("Cast", (X,), {"dtype": "float99"}, "float99"),
        ("Activation", (X,), {"act_type": "nonsense"}, "nonsense"),
        ("dot", (X, Y), {}, "inner sizes 4 and 3"),
        ("slice", (X,), {"begin": "(0,)", "end": "(1, 2)"}, "begin=.*end="),
        ("clip", (X,), {"a_min": "(low", "a_max": 1}, "a_min cannot be read"),
        ("GroupNorm", (X, X[0], X[0]), {"output_mean_var": "True"}, "output_mean_var"),
        ("SliceChannel", (X,), {"num_outputs": 3}, "not a multiple of 3"),
    ],
)
def test_nodes_that_cannot_be_applied_are_named(op, inputs, attributes, what):
    with refusal(HybridizeError, rf"operator {op}, node 'node'(.|\n)*{what}"):
        run(op, *inputs, **attributes)


def default_in_mxnet(kind):
    """Return the default of an attribute, as a value; the text itself where it is none."""
    text = kind.partition("default=")[2].strip("'")
    try:
        return parse_value(text)
    except ValueError:
        return text


NONE_MEANS_IT = {"dtype", "is_int", "no_bias", "temperature", "dim"}
"""Attributes whose default here is None, which functions take for MXNet's."""


def test_attributes_that_a_file_leaves_out_have_mxnets_defaults():
    listed = {
        name: op
        for version in ("2_0_0b1", "1_9_1")
        for op in json.loads((FILES / f"op_signatures_{version}.json").read_text())["ops"]
        for name in [op["name"], *op["aliases"]]
    }
    wrong = []
    for op in OPERATORS:
        ours = inspect.signature(function_of(op)).parameters
        for name, kind in listed[op]["args"]:
            if "default=" not in kind or name not in ours or op in OF_OTHERS:
                continue
            wanted, found = default_in_mxnet(kind), ours[name].default
            same = str(found) == str(wanted) or (not found and not wanted and found is not ours[name].empty)
            same = (
                same or (name in NONE_MEANS_IT and found in (None, 1.0)) or found is ours[name].empty
            )  # refused where missing
            if not same and not (wanted not in (None, ()) and numpy.allclose(found, wanted, atol=1e-7)):
                wrong.append(f"{op}.{name}: {found!r}, MXNet {wanted!r}")
    assert not wrong, "\n".join(wrong)


def test_every_operator_is_refused_with_fewer_inputs_than_it_takes():
    """When the file is loaded, not when the net is called; with more of them, too."""
    for op in OPERATORS:
        takes = parameters_of(op)
        for count in range(4):
            graph = symbol(
                op,
                {**dict.fromkeys(takes.required, "1"), **({"no_bias": "1"} if "bias" in ARRAYS_OF[op] else {})},
                count,
            )
            found = next(len(node.inputs) for node in graph.nodes if node.op == op)  # with states that old files lack
            if takes.least <= found <= takes.most:
                of_graph(graph)
                continue
            with refusal(LoadError, rf"E603: .*{op}, node 'node', takes"):
                of_graph(graph)
    assert (parameters_of("Dropout").least, parameters_of("Dropout").most) == (1, 1)


def test_splits_have_several_outputs():
    tree = {
        "nodes": [
            {"op": "null", "name": "x"},
            {"op": "SliceChannel", "name": "s", "attrs": {"num_outputs": "2", "axis": "1"}, "inputs": [[0, 0]]},
            {"op": "_split_v2", "name": "t", "attrs": {"indices": "(0, 1)", "axis": "0"}, "inputs": [[0, 0]]},
        ],
        "heads": [[1, 1], [2, 0], [2, 1]],
    }
    right, first, rest = execute(parse_symbol(json.dumps(tree)), {"x": X})
    for got, want in ((right, X[:, 2:]), (first, X[:1]), (rest, X[1:])):
        numpy.testing.assert_array_equal(got, want)


def test_labels_of_loss_layers_may_be_missing():
    graph = symbol("SoftmaxOutput", count=2)
    (got,) = execute(graph, {"x": X})
    numpy.testing.assert_allclose(got.sum(-1), numpy.ones(3), rtol=1e-6)
    with pytest.raises(HybridizeError, match="node 'node': expected an array"):
        execute(symbol("elemwise_add", count=2), {"x": X})


# ---------------------------------------------------------------------------------------------------------- writing


def mlp(x, weight, bias, gamma, beta):
    y = composites.relu(composites.fully_connected(x, weight, bias, True))
    y = composites.layer_norm(y, gamma, beta, 1, 1e-5)
    return (composites.softmax(composites.gelu(y, "tanh"), 1),)


def arithmetic(x, y):
    row = ops.broadcast(ops.reshape(ops.slice(y, (0, 0), (1, 4), (1, 1)), (4,)), (3, 4))
    two = ops.broadcast(constant(numpy.float32(2)), (3, 4))
    z = ops.add(ops.mul(x, two), ops.sub(two, row))
    z = ops.where(ops.gt(z, two), z, ops.div(row, two))
    return ops.max(z, ops.broadcast(constant(numpy.arange(4, dtype="f4")), (3, 4))), ops.neg(ops.exp(row))


def shapes(x, y):
    z = ops.concat(ops.transpose(x, (1, 0)), ops.reshape(y, (4, 3)), axis=1)
    z = ops.slice(z, (3, 0), (-1, 6), (-2, 1))
    total = ops.reshape(ops.sum(z, (1,)), (2, 1))
    return ops.cast(ops.add(z, ops.broadcast(total, (2, 6))), float32), ops.arg_max(z, 1), ops.cum_sum(z, 0)


def products(x, y):
    cube = ops.broadcast(ops.reshape(y, (1, 3, 4)), (2, 3, 4))
    return (
        ops.matmul(x, ops.transpose(y, (1, 0)), False, False),
        ops.matmul(cube, cube, True, False),
        composites.embedding(ops.cast(ops.gt(x, y), int64), y),
        ops.prod(cube, (0, 2)),
    )


def scalars(x, y):
    total = ops.sum(ops.mul(x, y), (0, 1))
    moved = ops.sub(ops.broadcast(total, (3, 4)), ops.broadcast(ops.reshape(total, (1, 1)), (3, 4)))
    return ops.neg(total), ops.add(x, moved), composites.leaky_relu(x, None, "elu", 0.5), ops.sigmoid(y)


def truths(x, y):
    """Comparisons of several dtypes, put together; what has no bools in the file."""
    whole = ops.cast(ops.mul(x, ops.broadcast(constant(numpy.float32(3)), (3, 4))), int64)
    half = ops.gt(ops.cast(x, float64), ops.cast(y, float64))
    both = ops.bit_and(ops.le(x, y), ops.gt(whole, ops.broadcast(constant(numpy.int64(0)), (3, 4))))
    some = ops.bit_or(both, ops.bit_xor(half, ops.broadcast(constant(numpy.array(True)), (3, 4))))
    row = ops.broadcast(ops.any(ops.bit_not(both), (0,)), (3, 4))
    chosen = ops.bit_and(row, ops.broadcast(constant(numpy.array([True, False, True, True])), (3, 4)))
    one, none = (ops.broadcast(constant(numpy.int64(number)), (3, 4)) for number in (1, 0))
    return (
        ops.where(some, one, none),
        ops.where(chosen, x, y),
        ops.cast(ops.all(ops.max(both, half), (0, 1)), float32),
        ops.bit_not(whole),
        ops.gather(x, constant(numpy.array(2)), 0),
        ops.gather(x, constant(numpy.array(1)), 1),
        ops.where(row, ops.cast(row, float32), ops.broadcast(constant(numpy.float32(2)), (3, 4))),
    )


def ordered(x, y):
    """Orders, and elements at places."""
    first = ops.slice(ops.arg_sort(x, 1, True), (0, 0), (3, 2), (1, 1))
    points = constant(numpy.array([[0, 3], [2, 1]]))
    columns = ops.take_along_axis(y, ops.arg_sort(x, 0, False), 0)
    return (
        ops.take_along_axis(x, first, 1),
        ops.cast(first, float32),
        ops.sort(y, 0, True),
        ops.gather_nd(x, points),
        columns,
    )


def counted(x, y):
    """Indices along axes of arrays, and of arrays that there are not."""
    rows, columns = ops.iota((3, 4), 0, int64), ops.iota((3, 4), 1, int64)
    lower = ops.where(ops.ge(rows, columns), x, y)
    far = ops.add(ops.cast(ops.iota((7,), 0, int64), float32), ops.broadcast(ops.sum(x, (0, 1)), (7,)))
    return lower, far, ops.mul(x, ops.broadcast(ops.iota((4,), 0, float32), (3, 4)))


def typed(function, *shapes):
    return make_graph(function, [TensorType(shape, float32) for shape in shapes])


def images(x, weight, bias, back):
    y = convolution_layer(x, weight, bias, (2, 1), (1, 2), (1, 0), 2, "NCHW")
    y = composites.relu(y)
    return (deconvolution_layer(y, back, None, (2, 2), (1, 1), (1, 0), (1, 0), 2, "NCHW"),)


def images_last(x, weight, back):
    y = convolution_layer(x, weight, None, (1, 1), (1, 1), (1, 1), 1, "NHWC")
    return (deconvolution_layer(y, back, None, (1, 2), (1, 1), (0, 0), (0, 0), 1, "NHWC"),)


def bent(x, offset, mask, weight, bias):
    numbers = ((2, 1), (1, 1), (1, 0), 2, 1)
    y = deformation.deformable_convolution(x, offset, weight, bias, *numbers)
    return (ops.add(y, deformation.modulated_deformable_convolution(x, offset, mask, weight, None, *numbers)),)


def sampled(x, theta):
    grid = deformation.grid_generator(theta, "affine", (3, 4))
    windows = columns.im2col(deformation.bilinear_sampler(x, grid), (2, 2), (1, 1), (1, 2), (0, 1))
    turned = deformation.spatial_transformer(
        columns.col2im(windows, (3, 4), (2, 2), (1, 1), (1, 2), (0, 1)), theta, (5, 2)
    )
    return (columns.local_response_norm(turned, 0.3, 0.75, 1.5, 3),)


def detected(x, y):
    rois = constant(numpy.array([[0, 0, 1, 3, 4], [1, 0.5, 0, 2, 2.5]], "f4"))
    found = ops.add(
        regions.roi_pooling(x, rois, (2, 2), 0.5), regions.roi_align(x, rois, (2, 2), 1.0, 2, False, True)
    )  # fmt: skip
    found = ops.sum(found, (0,)), ops.sum(regions.roi_align(x, rois, (2, 1), 1.0, -1, True, False), (1, 2, 3))
    return (*found, correlation(x, y, 3, 2, 2, 1, 2, True), correlation(x, y, 1, 1, 1, 1, 0, False))


RENAMED = {
    "_contrib_DeformableConvolution": "_npx_deformable_convolution",
    "_contrib_ModulatedDeformableConvolution": "_npx_modulated_deformable_convolution",
}
"""What 1.x and 2.0 call by other names: files have those of 1.x."""
GRAPHS = {
    "bent": typed(bent, (2, 4, 5, 5), (2, 12, 3, 4), (2, 6, 3, 4), (6, 2, 3, 2), (6,)),
    "detected": typed(detected, (2, 4, 5, 5), (2, 4, 5, 5)),
    "sampled": typed(sampled, (2, 6, 4, 5), (2, 6)),
    "images": make_graph(
        images, [TensorType(shape, float32) for shape in ((2, 4, 5, 5), (6, 2, 3, 2), (6,), (6, 2, 2, 2))]
    ),
    "images last": make_graph(
        images_last, [TensorType(shape, float32) for shape in ((2, 5, 5, 3), (4, 2, 2, 3), (4, 1, 2, 3))]
    ),
    "mlp": typed(mlp, (3, 4), (5, 4), (5,), (5,), (5,)),
    **{f.__name__: typed(f, (3, 4), (3, 4)) for f in (arithmetic, shapes, products, scalars, truths, counted, ordered)},
}


@pytest.mark.parametrize("name", GRAPHS)
def test_what_is_written_computes_the_same_when_read(name):
    graph = GRAPHS[name]
    draw = numpy.random.default_rng(0)
    inputs = [draw.normal(size=value.type.shape).astype("f4") for value in graph.inputs]
    names = ["data0", *(f"weight{i}" for i in range(1, len(inputs)))]
    file = symbol_json(graph, names, len(graph.outputs), {"hybridize_note": "some text"})
    again = parse_symbol(file.text)
    of_graph(again)
    assert again.attributes["hybridize_note"] == "some text"
    got = execute(again, {**dict(zip(names, inputs, strict=True)), **file.constants})
    for found, expected in zip(got, evaluate(graph, inputs), strict=True):
        numpy.testing.assert_allclose(found.reshape(expected.shape), expected, rtol=1e-5, atol=1e-6)
        assert (found.shape, found.dtype) == (expected.shape or (1,), expected.dtype)


@pytest.mark.parametrize("version", SIGNATURES)
@pytest.mark.parametrize("name", GRAPHS)
def test_written_files_use_only_operators_and_attributes_that_mxnet_knows(name, version):
    graph = GRAPHS[name]
    names = [f"w{i}" for i in range(len(graph.inputs))]
    tree = json.loads(symbol_json(graph, names, len(graph.outputs)).text)
    for node in tree["nodes"]:
        if node["op"] != "null":
            op = node["op"] if version.startswith("1") else RENAMED.get(node["op"], node["op"])
            assert op in SIGNATURES[version]
            assert set(node.get("attrs", {})) <= SIGNATURES[version][op], node
    assert "is_np_shape" not in tree["attrs"], "such files load under 1.x's shapes and under NumPy's"


def test_the_batch_may_change():
    file = symbol_json(GRAPHS["mlp"], ["data", "w", "b", "g", "h"], 1)
    draw = numpy.random.default_rng(0)
    parameters = {n: draw.normal(size=s).astype("f4") for n, s in (("w", (5, 4)), ("b", 5), ("g", 5), ("h", 5))}
    (got,) = execute(parse_symbol(file.text), {"data": numpy.ones((7, 4), "f4"), **parameters, **file.constants})
    assert got.shape == (7, 5)


def test_what_mxnet_cannot_say_is_refused_with_a_remedy():
    graph = make_graph(lambda x: (ops.cum_max(x, 0),), [TensorType((2,), float32)])
    with pytest.raises(CaptureError, match=r"cum_max has no counterpart(.|\n)*archive"):
        symbol_json(graph, ["data"], 1)
    graph = make_graph(lambda x: (x, ops.neg(x)), [TensorType((2,), float32)])
    with pytest.raises(CaptureError, match="writes"):
        symbol_json(graph, ["data"], 1)
    kinds = [TensorType((1, 5, 2), float32), TensorType((2, 2, 2), float32)]
    for layer, more in ((convolution_layer, ()), (deconvolution_layer, ((0,),))):
        graph = make_graph(lambda x, w, f=layer, m=more: [f(x, w, None, (1,), (1,), (0,), *m, 1, "NWC")], kinds)
        with pytest.raises(CaptureError, match="contract has no counterpart"):
            symbol_json(graph, ["data", "weight"], 1)
    with pytest.raises(CaptureError, match="the name 'data'"):
        symbol_json(GRAPHS["scalars"], ["data", "data"], 4)


def test_constants_do_not_take_the_names_of_parameters():
    file = symbol_json(GRAPHS["arithmetic"], ["data", "constant0"], 2)
    assert file.constants.keys() == {"constant1"}


def test_damaged_graphs_never_crash():
    draw = random.Random(0)
    folder = FILES / "v1_9_1_nd"
    data = (folder / "my_mlp-symbol.json").read_bytes()
    feeds = {name.removeprefix("arg:"): value for name, value in read_params(folder / "my_mlp-0000.params").items()}
    feeds["data"] = numpy.load(folder / "my_mlp-input.npy")
    texts = json.dumps(json.loads(symbol_json(GRAPHS["shapes"], ["data0", "data"], 3).text)).encode()
    for original in (data, texts):
        for _ in range(300):
            wrong = bytearray(original)
            wrong[draw.randrange(len(wrong))] = draw.choice(b'0123456789-"()[],Tn')
            try:
                graph = parse_symbol(bytes(wrong))
                of_graph(graph)
                execute(graph, {**feeds, "data0": feeds["data"][:3, :4], "data": feeds["data"]})
            except HybridizeError:
                continue


@pytest.mark.filterwarnings("ignore:the net computes with the sizes of its inputs")
@pytest.mark.parametrize("name", MADE)
def test_operations_that_operators_make_together_come_back(name, tmp_path):
    make, (xs,) = MADE[name]
    net, arrays = make(), [np.array(x, dtype=x.dtype) for x in xs]
    net.initialize()
    net.hybridize()
    wanted = net(*arrays).asnumpy()
    net.export(tmp_path / "net")
    names = ["data"] if len(xs) == 1 else [f"data{number}" for number in range(len(xs))]
    weights = tmp_path / "net-0000.params"
    imported = gluon.SymbolBlock.imports(tmp_path / "net-symbol.json", names, weights if weights.exists() else None)
    numpy.testing.assert_allclose(imported(*arrays).asnumpy(), wanted, rtol=1e-5)
