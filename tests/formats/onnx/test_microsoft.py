"""Operators of com.microsoft, which ONNX Runtime's optimizer and quantizer write, give ONNX Runtime's numbers."""

import numpy
import pytest

from hybridize.errors import LoadError
from hybridize.formats.onnx.rows import ONNX
from tests.formats.onnx.oracles import agree, block_of, info, listed, model_of, node, ours, runtime

LONG = pytest.mark.long
RANDOM = numpy.random.RandomState(0)
SIZE = 8


def floats(*shape):
    return RANDOM.uniform(-1, 1, shape).astype("f4")


def check(op, names, shapes, outputs="y", weights=None, kinds=None, rtol=1e-4, **attributes):
    """Compare a node for two batches; shapes are by input, `n` the batch."""
    kinds = {name: (kinds or {}).get(name, "f4") for name in shapes}
    inputs = [info(name, kinds[name], list(shape)) for name, shape in shapes.items()]
    outs = [info(name, "i4" if name == "counts" else "f4") for name in outputs.split() if name != "-"]
    own = node(op, names, outputs, domain="com.microsoft", **attributes)
    model = model_of([own], inputs, outs, weights, com_microsoft=1)
    feeds = []
    for batch in (2, 3, 5):
        sizes = {name: tuple(batch if size == "n" else size for size in shape) for name, shape in shapes.items()}
        feeds.append({name: floats(*shape) if kinds[name] == "f4" else RANDOM.randint(0, 3, shape).astype(kinds[name])
                      for name, shape in sizes.items()})  # fmt: skip
    return agree(model, *feeds, rtol=rtol, atol=1e-5)


@pytest.mark.parametrize(
    "op", ["QuickGelu", "FastGelu", pytest.param("Gelu", marks=LONG), pytest.param("BiasGelu", marks=LONG)]
)
def test_gelus(op):
    biased = {"weights": {"b": floats(SIZE)}} if op in ("BiasGelu", "FastGelu") else {}
    check(op, "x b" if biased else "x", {"x": ("n", SIZE)}, **biased)


@pytest.mark.parametrize("activation", [
    {"activation": "Relu"}, {"activation": "LeakyRelu", "activation_params": [0.2]},
    pytest.param({"activation": "Clip", "activation_params": [-0.1, 0.5]}, marks=LONG),
    pytest.param({"activation": "Sigmoid"}, marks=LONG),
])  # fmt: skip
def test_convolutions_with_a_sum_and_an_activation(activation):
    weights = {"w": floats(4, 2, 3, 3), "b": floats(4)}
    shapes = {"x": ("n", 2, 5, 5), "z": ("n", 4, 5, 5)}
    check("FusedConv", "x w b z", shapes, weights=weights, pads=[1, 1, 1, 1], **activation)


def test_products_with_a_factor():
    check("FusedMatMul", "x z", {"x": ("n", 4, 3), "z": ("n", 5, 4)}, transA=1, transB=1, alpha=0.5)


def test_norms_of_sums():
    shapes = {"x": ("n", 3, SIZE), "s": ("n", 3, SIZE)}
    weights = {"g": floats(SIZE), "b": floats(SIZE), "more": floats(SIZE)}
    check("SkipLayerNormalization", "x s g b more", shapes, "y - - total", weights, epsilon=1e-5)
    del weights["b"]
    check("SkipSimplifiedLayerNormalization", "x s g more", shapes, "y - - total", weights, epsilon=1e-5)


def test_embeddings():
    weights = {"words": floats(9, SIZE), "places": floats(6, SIZE), "segments": floats(3, SIZE), "g": floats(SIZE),
               "b": floats(SIZE)}  # fmt: skip
    shapes = {"w": ("n", 4), "s": ("n", 4)}
    check("EmbedLayerNormalization", "w s words places segments g b", shapes, "y counts", weights,
          {"w": "i4", "s": "i4"})  # fmt: skip


def test_attention_of_several_heads():
    shapes = {"q": ("n", 4, SIZE), "k": ("n", 5, SIZE), "v": ("n", 5, SIZE), "p": ("n", 5), "a": ("n", 2, 4, 5)}
    weights = {"b": floats(3 * SIZE)}
    check("MultiHeadAttention", "q k v b p a", shapes, weights=weights, kinds={"p": "i4"}, num_heads=2)
    shapes = {"q": ("n", 3, SIZE), "k": ("n", 3, SIZE), "v": ("n", 3, SIZE), "pk": ("n", 2, 2, 4), "pv": ("n", 2, 2, 4)}
    check("MultiHeadAttention", "q k v - - - pk pv", shapes, "y k2 v2", num_heads=2, unidirectional=1)


def test_attention_of_one_array():
    weights = {"w": floats(SIZE, 3 * SIZE), "b": floats(3 * SIZE)}
    check("Attention", "x w b p", {"x": ("n", 4, SIZE), "p": ("n", 4)}, weights=weights, kinds={"p": "i4"}, num_heads=2)
    shapes = {"x": ("n", 3, SIZE), "past": (2, "n", 2, 2, 4)}
    check("Attention", "x w b - past", shapes, "y present", weights, num_heads=2, unidirectional=1)


def test_products_with_an_activation():
    weights = {"w": floats(5, 3), "b": floats(5)}
    check(
        "FusedGemm", "x w b", {"x": ("n", 3)}, weights=weights, transB=1, activation="LeakyRelu", activation_alpha=0.3
    )


@pytest.mark.parametrize(("op", "count", "attributes"), [
    ("QLinearAdd", 2, {}), pytest.param("QLinearMul", 2, {}, marks=LONG), ("QLinearSigmoid", 1, {}),
    pytest.param("QLinearLeakyRelu", 1, {"alpha": 0.25}, marks=LONG),
    pytest.param("QLinearGlobalAveragePool", 1, {}, marks=LONG), ("QLinearAveragePool", 1, {"kernel_shape": [2, 2]}),
    ("QLinearSoftmax", 1, {"opset": 13, "axis": 1}), ("QLinearSoftmax", 1, {"opset": 12, "axis": 1}),
    ("QLinearConcat", -2, {"axis": 1}),
])  # fmt: skip
def test_functions_of_integers(op, count, attributes):
    """A result half way between two integers may be either, and ONNX Runtime's softmax is one of whole numbers."""
    share = 0.1 if op == "QLinearSoftmax" else 0.02
    weights = {"sa": numpy.float32(0.031), "za": numpy.array(120, "u1"), "sb": numpy.float32(0.017),
               "zb": numpy.array(9, "u1"), "s": numpy.float32(0.0043), "z": numpy.array(100, "u1")}  # fmt: skip
    names = {1: "a sa za s z", 2: "a sa za b sb zb s z", -2: "s z a sa za b sb zb"}[count]
    inputs = ["a", "b"][: abs(count)]
    used = {name: array for name, array in weights.items() if name in names.split()}
    own = node(op, names, domain="com.microsoft", **attributes)
    model = model_of([own], [info(name, "u1", ["n", 3, 4, 5]) for name in inputs], [info("y", "u1")], used,
                     com_microsoft=1)  # fmt: skip
    expected_of, block = runtime(model), block_of(model)
    for compiled in (False, True):
        block.hybridize(compiled)
        for n in (2, 3, 5):
            feeds = {name: RANDOM.randint(0, 256, (n, 3, 4, 5)).astype("u1") for name in inputs}
            y, wanted = listed(block(**{name: ours(x) for name, x in feeds.items()}))[0], expected_of(feeds)[0]
            assert (y.shape, y.dtype) == (wanted.shape, wanted.dtype)
            apart = abs(y.astype(int) - wanted.astype(int))
            assert apart.max() <= 1 and (apart > 0).mean() < share
    assert block.cache_info().programs == 2


def test_a_choice_between_integers_of_two_scales():
    weights = {"sa": numpy.float32(0.031), "za": numpy.array(120, "u1"), "sb": numpy.float32(0.017),
               "zb": numpy.array(9, "u1"), "s": numpy.float32(0.023), "z": numpy.array(100, "u1")}  # fmt: skip
    own = node("QLinearWhere", "c a sa za b sb zb s z", domain="com.microsoft")
    inputs = [info("c", "?", ["n", 1, 5]), info("a", "u1", ["n", 4, 5]), info("b", "u1", [5])]
    model = model_of([own], inputs, [info("y", "u1")], weights, com_microsoft=1)
    feeds = [{"c": RANDOM.randint(0, 2, (n, 1, 5)).astype(bool), "a": RANDOM.randint(0, 256, (n, 4, 5)).astype("u1"),
              "b": RANDOM.randint(0, 256, 5).astype("u1")} for n in (2, 3, 5)]  # fmt: skip
    agree(model, *feeds, atol=1)


@pytest.mark.parametrize("floats_out", [True, False])
def test_products_of_integers(floats_out):
    weights = {"sa": numpy.float32(0.031), "za": numpy.array(120, "u1"), "w": whole(5, 4), "sw": abs(floats(5)) / 50,
               "zw": numpy.zeros(5, "i1"), "b": RANDOM.randint(-99, 99, 5).astype("i4")}  # fmt: skip
    if not floats_out:
        weights |= {"s": numpy.float32(0.05), "z": numpy.array(7, "u1")}
    own = node("QGemm", " ".join(["x", *weights]), domain="com.microsoft", transB=1, alpha=0.5)
    model = model_of([own], [info("x", "u1", ["n", 4])], [info("y", "f4" if floats_out else "u1")], weights,
                     com_microsoft=1)  # fmt: skip
    agree(model, *[{"x": RANDOM.randint(0, 256, (n, 4)).astype("u1")} for n in (2, 3, 5)])


def test_integers_of_sixteen_bits():
    weights = {"s": numpy.float32(0.0003), "z": numpy.array(-20, "i2")}
    nodes = [node("QuantizeLinear", "x s z", "q", domain="com.microsoft"),
             node("DequantizeLinear", "q s z", domain="com.microsoft")]  # fmt: skip
    model = model_of(nodes, [info("x", "f4", ["n", 4])], [info("y")], weights, com_microsoft=1)
    agree(model, *[{"x": 20 * floats(n, 4)} for n in (2, 3, 5)])


def test_attention_of_integers():
    weights = {"w": whole(SIZE, 3 * SIZE), "b": floats(3 * SIZE), "sx": numpy.float32(0.02), "sw": numpy.float32(0.01),
               "zx": numpy.array(3, "u1"), "zw": numpy.array(0, "i1")}  # fmt: skip
    shapes = {"x": ("n", 4, SIZE), "p": ("n", 4)}
    check("QAttention", "x w b sx sw p zx zw", shapes, weights=weights, kinds={"x": "u1", "p": "i4"}, num_heads=2)


@pytest.mark.parametrize("more", [{}, {"num_heads": 2, "rotary_embedding_dim": 4, "interleaved": 1}])
def test_rotations_by_places(more):
    pairs = 2 if more else 4
    tables = {"c": floats(9, pairs), "s": floats(9, pairs)}
    check("RotaryEmbedding", "x p c s", {"x": ("n", 3, 16), "p": ("n", 3)}, weights=tables, kinds={"p": "i8"}, **more)
    first = {**tables, "p": numpy.array([4])}
    check("RotaryEmbedding", "x p c s", {"x": ("n", 3, 16)}, weights=first, **more)
    check("RotaryEmbedding", "x p c s", {"x": ("n", 2, 3, 8)}, weights=first, **more)


def test_triangles_inverses_and_distances():
    check("Trilu", "x", {"x": ("n", 4, 4)}, upper=0)
    check("Inverse", "x", {"x": ("n", 2, 2)}, rtol=1e-3)
    for metric in ("euclidean", "sqeuclidean"):
        check("CDist", "x z", {"x": ("n", 3), "z": (4, 3)}, metric=metric)


def whole(*shape):
    return RANDOM.randint(-128, 128, shape).astype("i1")


def test_products_of_floats_with_integers():
    """Floats become integers by a scale of their own."""
    weights = {"w": whole(SIZE, 5), "s": abs(floats(5)) / 50, "z": whole(5), "b": floats(5)}
    check("DynamicQuantizeMatMul", "x w s z b", {"x": ("n", 3, SIZE)}, weights=weights)
    weights = {"w": whole(SIZE, 5), "sx": numpy.float32(0.02), "sw": numpy.float32(0.01), "b": floats(5)}
    check("MatMulIntegerToFloat", "x w sx sw - - b", {"x": ("n", SIZE)}, weights=weights, kinds={"x": "u1"})


@pytest.mark.parametrize("direction", [pytest.param("forward", marks=LONG), "bidirectional"])
def test_lstms_of_integers(direction):
    """States become integers at each step."""
    count, inputs, size = 1 + (direction == "bidirectional"), 3, 4
    weights = {
        "w": whole(count, inputs, 4 * size), "r": whole(count, size, 4 * size), "b": floats(count, 8 * size),
        "sw": abs(floats(count)) / 50, "zw": numpy.zeros(count, "i1"), "sr": abs(floats(count)) / 50,
        "zr": numpy.zeros(count, "i1"),
    }  # fmt: skip
    check("DynamicQuantizeLSTM", "x w r b - - - - sw zw sr zr", {"x": (5, "n", inputs)}, "y yh yc", weights,
          hidden_size=size, direction=direction)  # fmt: skip


def test_what_no_row_takes_is_refused():
    model = model_of([node("FusedConv", "x w", domain="com.microsoft", activation="Sin")],
                     [info("x", "f4", [1, 2, 5, 5])], [info("y")], {"w": floats(4, 2, 3, 3)}, com_microsoft=1)  # fmt: skip
    with pytest.raises(LoadError, match="the attribute activation is 'Sin'"):
        block_of(model)(RANDOM.uniform(size=(1, 2, 5, 5)).astype("f4"))
    assert ONNX.find("com.microsoft::GreedySearch", 1) is None
    assert "ORT_ENABLE_EXTENDED" in ONNX.remedy("com.microsoft.nchwc::Conv")
