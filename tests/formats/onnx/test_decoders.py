"""Weights of few bits and attention with a cache, of com.microsoft, give ONNX Runtime's numbers as a text grows."""

import numpy
import pytest

from hybridize.errors import LoadError
from tests.formats.onnx.oracles import agree, block_of, info, listed, model_of, node, ours, runtime

LONG = pytest.mark.long
RANDOM = numpy.random.RandomState(0)
HEADS, GROUPS, SIZE = 4, 2, 16
INNER = (HEADS + 2 * GROUPS) * SIZE


def floats(*shape):
    return RANDOM.uniform(-1, 1, shape).astype("f4")


@pytest.mark.parametrize(
    ("bits", "inner", "zeros"),
    [
        (4, 40, None), (4, 48, "u1"), pytest.param(8, 48, "u1", marks=LONG), pytest.param(2, 64, "u1", marks=LONG),
        pytest.param(4, 48, "f4", marks=LONG),
    ],
)  # fmt: skip
def test_weights_of_few_bits(bits, inner, zeros):
    """A row ends with a block that is not full, and its zeros with half a byte."""
    blocks = -(-inner // 16)
    weights = {"w": RANDOM.randint(0, 256, (5, blocks, 2 * bits)).astype("u1"), "s": floats(5, blocks)}
    if zeros == "u1":
        weights["z"] = RANDOM.randint(0, 256, (5, -(-blocks * bits // 8))).astype("u1")
    elif zeros:
        weights["z"] = floats(5, blocks)
    weights["b"] = floats(5)
    names = f"x w s {'z' if zeros else '-'} - b"
    own = node("MatMulNBits", names, domain="com.microsoft", K=inner, N=5, bits=bits, block_size=16, accuracy_level=0)
    model = model_of([own], [info("x", "f4", ["n", 3, inner])], [info("y")], weights, com_microsoft=1)
    agree(model, *[{"x": floats(n, 3, inner)} for n in (2, 3, 5)], rtol=1e-4, atol=1e-4)


def attention(packed=False, biased=False, **attributes):
    """A layer of attention whose length is that of a mask of all steps, as models of language have it."""
    tables = {"c": floats(32, SIZE // 2), "s": floats(32, SIZE // 2)} if attributes.get("do_rotary") else {}
    last = (["c", "s"] if tables else ["-", "-"]) + (["-", "a"] if biased else [])
    nodes = [
        node("Shape", "mask", "sizes"), node("Gather", "sizes one", "all"), node("Cast", "all", "total", to=6),
        node("ReduceSum", "mask axis", "sums", keepdims=0), node("Sub", "sums one", "ends"),
        node("Cast", "ends", "last", to=6),
        node("GroupQueryAttention", ["q", *("--" if packed else "kv"), "pk", "pv", "last", "total", *last], "y k2 v2",
             domain="com.microsoft", num_heads=HEADS, kv_num_heads=GROUPS, **attributes),
    ]  # fmt: skip
    nodes[-1].input[:] = ["" if name == "-" else name for name in nodes[-1].input]
    inputs = {"q": ["b", "t", INNER if packed else HEADS * SIZE], "pk": ["b", GROUPS, "p", SIZE],
              "pv": ["b", GROUPS, "p", SIZE]}  # fmt: skip
    inputs |= {} if packed else {name: ["b", "t", GROUPS * SIZE] for name in "kv"}
    inputs |= {"a": [1, 1, "t", "n"]} if biased else {}
    weights = {"one": numpy.array(1), "axis": numpy.array([1]), **tables}
    ports = [info(name, "f4", shape) for name, shape in inputs.items()]
    return model_of(nodes, [info("mask", "i8", ["b", "n"]), *ports], [info("y"), info("k2"), info("v2")], weights,
                    com_microsoft=1), inputs  # fmt: skip


def feeds(inputs, batch, time, past):
    sizes = {"b": batch, "t": time, "p": past, "n": past + time}
    drawn = {name: floats(*(sizes.get(size, size) for size in shape)) for name, shape in inputs.items()}
    return {"mask": numpy.ones((batch, past + time), "i8"), **drawn}


@pytest.mark.parametrize("more", [
    {"do_rotary": 1, "rotary_interleaved": 1, "local_window_size": 3},
    *(pytest.param(more, marks=LONG) for more in (
        {}, {"do_rotary": 1, "packed": True}, {"softcap": 2.0, "scale": 0.3}, {"biased": True})),
])  # fmt: skip
def test_attention_in_groups(more):
    """Of a first call; of one step behind others, and of several."""
    model, inputs = attention(**more)
    tolerance = {"rtol": 1e-4, "atol": 1e-5}
    agree(model, *[feeds(inputs, 2, n, 0) for n in (4, 5, 7)], **tolerance)
    agree(model, *[feeds(inputs, 2, 1, n) for n in (4, 5, 7)], **tolerance)
    agree(model, *[feeds(inputs, 1, 3, n) for n in (4, 5)], **tolerance)


def test_a_text_grows_by_two_programs():
    model, inputs = attention(packed=True, do_rotary=1)
    block, theirs = block_of(model), runtime(model)
    block.hybridize()
    own = other = [numpy.zeros((1, GROUPS, 0, SIZE), "f4")] * 2
    for time in (4, 1, 1, 1, 1):
        fed = feeds(inputs, 1, time, own[0].shape[2])
        y, *own = listed(
            block(**{name: ours(x) for name, x in (fed | dict(zip(("pk", "pv"), own, strict=True))).items()})
        )
        wanted, *other = theirs(fed | dict(zip(("pk", "pv"), other, strict=True)))
        numpy.testing.assert_allclose(y, wanted, rtol=1e-4, atol=1e-5)
    assert block.cache_info().programs == 2


def test_sequences_of_several_lengths():
    """Each is written behind its own last step; what lies behind its end is not said."""
    model, inputs = attention(do_rotary=1)
    block, theirs = block_of(model), runtime(model)
    fed = feeds(inputs, 2, 1, 5)
    fed["mask"][1, 4:] = 0
    (y, keys, values), wanted = listed(block(**{name: ours(x) for name, x in fed.items()})), theirs(fed)
    numpy.testing.assert_allclose(y, wanted[0], rtol=1e-4, atol=1e-5)
    for one, expected in ((keys, wanted[1]), (values, wanted[2])):
        numpy.testing.assert_allclose(one[0], expected[0], rtol=1e-5, atol=1e-6)
        numpy.testing.assert_allclose(one[1, :, :4], expected[1, :, :4], rtol=1e-5, atol=1e-6)


def test_what_is_not_there_is_refused():
    model, inputs = attention(smooth_softmax=1)
    with pytest.raises(LoadError, match=r"E603.*sinks of attention"):
        block_of(model)(**{name: ours(x) for name, x in feeds(inputs, 1, 1, 2).items()})
