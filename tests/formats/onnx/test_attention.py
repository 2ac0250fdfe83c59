"""ONNX's attention in all its forms, rotations, caches and losses give the onnx package's numbers, for any batch."""

import sys

import numpy
import pytest

from hybridize import np
from hybridize.errors import LoadError
from tests.formats.onnx.oracles import agree, block_of, graph_of, info, model_of, node, reference, runtime

LONG = pytest.mark.long
RANDOM = numpy.random.RandomState(0)
TIME, SIZE = 4, 8


def floats(*shape, dtype="f4"):
    return RANDOM.uniform(-1, 1, shape).astype(dtype)


def check(
    names, shapes, outputs="y", opset=24, oracle=reference, kinds=None, weights=None, op="Attention", **attributes
):
    """Compare a node for two batches; shapes are by input, `n` the batch."""
    kinds = {name: (kinds or {}).get(name, "f4") for name in shapes}
    inputs = [info(name, kinds[name], list(shape)) for name, shape in shapes.items()]
    outs = [info(name) for name in outputs.split() if name != "-"]
    model = model_of([node(op, names, outputs, **attributes)], inputs, outs, weights, opset)
    feeds = []
    for batch in (2, 3, 5):
        sizes = {name: tuple(batch if size == "n" else size for size in shape) for name, shape in shapes.items()}
        feeds.append({name: floats(*shape) if kinds[name] == "f4" else RANDOM.randint(0, 2, shape).astype(kinds[name])
                      if kinds[name] == "?" else RANDOM.randint(1, 5, shape).astype(kinds[name])
                      for name, shape in sizes.items()})  # fmt: skip
    return agree(model, *feeds, oracle=oracle, rtol=1e-4)


def heads(query=4, groups=2, keys=5):
    return {"q": ("n", query, TIME, SIZE), "k": ("n", groups, keys, SIZE), "v": ("n", groups, keys, 6)}


def test_heads_share_keys():
    """As does a graph of other operators, by ONNX Runtime."""
    check("q k v", heads())
    check("q k v", heads(), oracle=runtime, opset=23, scale=0.3)


def test_flat_heads():
    shapes = {"q": ("n", TIME, 4 * SIZE), "k": ("n", 5, 2 * SIZE), "v": ("n", 5, 12)}
    check("q k v", shapes, q_num_heads=4, kv_num_heads=2)


@pytest.mark.parametrize("kind", ["f4", pytest.param("?", marks=LONG)])
def test_masks_hide_keys_and_causes_come_first(kind):
    """A mask is shorter than the keys: it hides the others. A query that sees nothing gives 0."""
    shapes = {**heads(), "m": ("n", 1, TIME, 3)}
    check("q k v m", shapes, kinds={"m": kind}, is_causal=1)


def test_keys_of_steps_before():
    shapes = {**heads(), "pk": ("n", 2, 3, SIZE), "pv": ("n", 2, 3, 6)}
    check("q k v - pk pv", shapes, "y k2 v2", is_causal=1)


def test_lengths_of_a_cache():
    check("q k v - - - l", {**heads(), "l": ("n",)}, kinds={"l": "i8"}, is_causal=1)


@pytest.mark.parametrize(
    "mode", [pytest.param(0, marks=LONG), pytest.param(1, marks=LONG), 2, pytest.param(3, marks=LONG)]
)
def test_what_attention_goes_through(mode):
    shapes = {**heads(), "m": (TIME, 5)}
    cap = {"softcap": 2.0} if mode else {}
    check("q k v m", shapes, "y - - s", qk_matmul_output_mode=mode, **cap)


@pytest.mark.parametrize("interleaved", [pytest.param(0, marks=LONG), 1])
def test_rotations_by_places(interleaved):
    caches = {"c": floats(16, 3), "s": floats(16, 3)}
    shapes = {"x": ("n", 2, TIME, SIZE), "p": ("n", TIME)}
    check("x c s p", shapes, kinds={"p": "i8"}, weights=caches, op="RotaryEmbedding", interleaved=interleaved,
          rotary_embedding_dim=6)  # fmt: skip


def test_rotations_of_flat_heads():
    shapes = {"x": ("n", TIME, 2 * SIZE), "c": ("n", TIME, 4), "s": ("n", TIME, 4)}
    check("x c s", shapes, op="RotaryEmbedding", num_heads=2)
    model = model_of([node("RotaryEmbedding", "x c s", num_heads=2)], [info("x"), info("c"), info("s")], [info("y")],
                     opset=23)  # fmt: skip
    with pytest.raises(LoadError, match="8 components turn by 3 angles"):
        block_of(model)(np.ones((2, 4, 16)), np.ones((2, 4, 3)), np.ones((2, 4, 3)))


@pytest.mark.parametrize("mode", [pytest.param("linear", marks=LONG), "circular"])
def test_steps_are_written_into_a_cache(mode):
    shapes = {"c": ("n", 2, 6, 3), "u": ("n", 2, 2, 3), "w": ("n",)}
    check("c u w", shapes, kinds={"w": "i8"}, op="TensorScatter", mode=mode)


@pytest.mark.parametrize(("reduction", "weighted"), [
    ("mean", True), ("none", False), pytest.param("mean", False, marks=LONG), pytest.param("sum", True, marks=LONG),
])  # fmt: skip
def test_losses_of_labels(reduction, weighted):
    weights = {"w": abs(floats(5))} if weighted else {}
    names = "x t w" if weighted else "x t"
    shapes = {"x": ("n", 5, 3), "t": ("n", 3)}
    for op, outputs in (("NegativeLogLikelihoodLoss", "y"), ("SoftmaxCrossEntropyLoss", "y logs")):
        check(names, shapes, outputs, 13, kinds={"t": "i8"}, weights=weights, op=op, reduction=reduction,
              ignore_index=2)  # fmt: skip


def test_gated_units():
    check("a b", {"a": ("n", 3), "b": ("n", 3)}, opset=28, op="SwiGLU", alpha=1.5)


def test_bodies_that_onnx_defines():
    shapes = {"x": ("n", 4, 6), "w": (4, 1, 3)}
    check("x w", shapes, "y state", 27, op="CausalConvWithState", activation="silu")
    shapes = {"q": ("n", 4, 6), "k": ("n", 4, 6), "v": ("n", 4, 4), "d": ("n", 4, 2), "b": ("n", 4, 2)}
    check("q k v - d b", shapes, "y state", 27, op="LinearAttention", q_num_heads=2, kv_num_heads=2)


def test_a_body_needs_the_onnx_package(monkeypatch):
    model = model_of([node("CausalConvWithState", "x w", "y s")], [info("x", "f4", ["n", 4, 6]), info("w", "f4", [4, 1, 3])],
                     [info("y"), info("s")], opset=27)  # fmt: skip
    block = block_of(model)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(LoadError, match="defined by the onnx package, which is not installed") as error:
        block(np.ones((2, 4, 6)), np.ones((4, 1, 3)))
    assert error.value.code == "E606"


@pytest.mark.parametrize("graphs", [True, pytest.param(False, marks=LONG)])
def test_graphs_change_scores_and_weights(graphs):
    one, two = (graph_of([node("Mul", f"{name} c", "t")], [info(name)], [info("t")], {"c": numpy.float32(number)})
                for name, number in (("s", 0.5), ("p", 2)))  # fmt: skip
    attributes = {"score_mod": one, "prob_mod": two} if graphs else {"scale": 0.3}
    own = node("FlexAttention", "q k v", domain="ai.onnx.preview", **attributes)
    shapes = heads()
    inputs = [info(name, "f4", list(shape)) for name, shape in shapes.items()]
    model = model_of([own], inputs, [info("y")], opset=26, ai_onnx_preview=1)
    feeds = [{name: floats(*(n if size == "n" else size for size in shape)) for name, shape in shapes.items()}
             for n in (2, 3, 5)]  # fmt: skip
    agree(model, *feeds, oracle=reference, rtol=1e-4)
