"""Sizes of axes other than the batch that calls choose: steps, keys of steps before, signals, images; one program."""

import numpy
import pytest

from tests.formats.onnx.oracles import agree, graph_of, info, model_of, node, reference, runtime

pytestmark = pytest.mark.long
RANDOM = numpy.random.RandomState(0)


def floats(*shape):
    return RANDOM.uniform(-1, 1, shape).astype("f4")


def whole(low, high, *shape, dtype="i8"):
    return RANDOM.randint(low, high, shape).astype(dtype)


def ports(**shapes):
    """Inputs by name: their sizes, apart by blanks, with a dtype before a colon where it is not f4."""
    pairs = {name: shape.split(":") if ":" in shape else ("f4", shape) for name, shape in shapes.items()}
    return [info(name, dtype, [int(size) if size.isdigit() else size for size in shape.split()])
            for name, (dtype, shape) in pairs.items()]  # fmt: skip


def of(op, names, outputs, inputs, weights=None, opset=17, **attributes):
    domain = {"com_microsoft": 1} if attributes.get("domain") else {}
    outs = [info(name) for name in outputs.split()]
    return model_of([node(op, names, outputs, **attributes)], inputs, outs, weights, opset, **domain)


def test_keys_of_steps_before():
    model = of("Attention", "q k v - pk pv", "y k2 v2",
               ports(q="1 2 1 4", k="1 2 1 4", v="1 2 1 4", pk="1 2 p 4", pv="1 2 p 4"), opset=23, is_causal=1)  # fmt: skip
    own = {name: floats(1, 2, 1, 4) for name in "qkv"}
    agree(model, *(own | {"pk": floats(1, 2, p, 4), "pv": floats(1, 2, p, 4)} for p in (2, 3, 5, 7)), oracle=reference,
          rtol=1e-4)  # fmt: skip
    model = of("MultiHeadAttention", "q k v - p - pk pv", "y k2 v2",
               ports(q="b 1 8", k="b 1 8", v="b 1 8", p="i4:b t", pk="b 2 s 4", pv="b 2 s 4"), num_heads=2,
               domain="com.microsoft")  # fmt: skip
    own = {name: floats(2, 1, 8) for name in "qkv"}
    agree(model, *(own | {"pk": floats(2, 2, s, 4), "pv": floats(2, 2, s, 4), "p": numpy.ones((2, s + 1), "i4")}
                   for s in (3, 5, 4)), rtol=1e-4)  # fmt: skip


def test_queries_and_masks():
    model = of(
        "Attention", "q k v m", "y", ports(q="b 2 t 4", k="b 2 t 4", v="b 2 t 4", m="t t"), opset=23, is_causal=1
    )
    agree(model, *({name: floats(2, 2, t, 4) for name in "qkv"} | {"m": floats(t, t)} for t in (3, 5, 4)),
          oracle=reference, rtol=1e-4)  # fmt: skip
    model = of("Attention", "q k v - - - l", "y", ports(q="b 2 t 4", k="b 2 s 4", v="b 2 s 4", l="i8:b"), opset=24,
               is_causal=1)  # fmt: skip
    agree(model, *({"q": floats(2, 2, 3, 4), "k": floats(2, 2, s, 4), "v": floats(2, 2, s, 4), "l": numpy.array([3, s])}
                   for s in (6, 8, 9)), oracle=reference, rtol=1e-4)  # fmt: skip
    model = of("RotaryEmbedding", "x c s p", "y", ports(x="b 2 t 4", p="i8:b t"), {"c": floats(32, 2), "s": floats(32, 2)},
               opset=23)  # fmt: skip
    agree(model, *({"x": floats(2, 2, t, 4), "p": whole(0, 32, 2, t)} for t in (3, 5, 4)), oracle=reference)


@pytest.mark.parametrize(("op", "gates"), [("LSTM", 4), ("GRU", 3), ("RNN", 1)])
def test_steps(op, gates):
    weights = {"w": floats(2, gates * 4, 3), "r": floats(2, gates * 4, 4), "b": floats(2, gates * 8)}
    model = of(op, "x w r b l", "y yh", ports(x="t n 3", l="i4:n"), weights, hidden_size=4, direction="bidirectional")
    agree(model, *({"x": floats(t, 2, 3), "l": numpy.array([t, t - 1], "i4")} for t in (4, 6, 5)))


def test_steps_of_scans():
    body = graph_of(
        [node("Add", "s x", "u"), node("Identity", "u", "y")], [info("s"), info("x")], [info("u"), info("y")]
    )
    model = of("Scan", "start x", "last y", ports(start="n", x="t n"), body=body, num_scan_inputs=1)
    agree(model, *({"start": floats(3), "x": floats(t, 3)} for t in (4, 7, 5)))


def test_signals_and_images():
    model = of("STFT", "x step w", "y", ports(x="2 k 1"), {"w": floats(8), "step": numpy.array(3)})
    agree(model, *({"x": floats(2, k, 1)} for k in (20, 31, 25)), oracle=reference, rtol=1e-4, atol=1e-5)
    weights = {"w": whole(0, 256, 4, 2, 3, 3, dtype="u1"), "zx": numpy.array(7, "u1"), "zw": numpy.array(100, "u1")}
    model = model_of(
        [node("ConvInteger", "x w zx zw", pads=[1, 1, 1, 1])], ports(x="u1:n 2 h w"), [info("y", "i4")], weights
    )
    agree(model, *({"x": whole(0, 256, 1, 2, h, h + 1, dtype="u1")} for h in (6, 9, 8)), oracle=runtime)


def test_caches_and_classes():
    model = of("TensorScatter", "c u w", "y", ports(c="n 2 m 3", u="n 2 t 3", w="i8:n"), opset=24)
    agree(model, *({"c": floats(2, 2, m, 3), "u": floats(2, 2, 2, 3), "w": numpy.array([0, 1])} for m in (5, 7, 6)),
          oracle=reference)  # fmt: skip
    model = of("SoftmaxCrossEntropyLoss", "x t", "y", ports(x="n 5 k", t="i8:n k"), opset=13)
    agree(model, *({"x": floats(2, 5, k), "t": whole(0, 5, 2, k)} for k in (3, 5, 4)), oracle=reference)
