"""Graphs as text: printed, read back, hashed; and what the reader refuses."""

import math
import time
from contextlib import suppress

import ml_dtypes
import numpy
import pytest

from hybridize import ops
from hybridize.base.dtypes import CODES
from hybridize.base.errors import GraphError, HybridizeError
from hybridize.base.types import TensorType
from hybridize.graph import Builder, parse
from hybridize.graph.text import digest
from hybridize.ops import OPS, composites, make_graph
from tests.platforms.pace import SLOWER
from tests.refusals import refusal

F4 = numpy.dtype("f4")


def test_the_text_of_a_small_graph():
    graph = make_graph(
        lambda x, b: [ops.add(x, ops.broadcast(b, (2, 3)))],
        (TensorType((2, 3), F4), TensorType((3,), F4)),
        ("data", 'the "bias"'),
    )
    assert str(graph) == (
        'graph(%0 "data": f32[2,3], %1 "the \\"bias\\"": f32[3]) {\n'
        "  %2: f32[2,3] = broadcast(%1, shape=(2, 3))\n"
        "  %3: f32[2,3] = add(%0, %2)\n"
        "  return %3\n"
        "}"
    )
    back = parse(str(graph), OPS)
    assert [value.name for value in back.inputs] == ["data", 'the "bias"']
    assert back == graph


def test_composites_print_their_label_attributes_and_body():
    kinds = (TensorType((2, 3), F4), TensorType((4, 3), F4))
    graph = make_graph(lambda x, w: [composites.fully_connected(x, w)], kinds)
    assert "composite FullyConnected(%0, %1, num_hidden=4, no_bias=True, flatten=True, body=graph(" in str(graph)
    assert graph.op_names() == ["FullyConnected"]
    back = parse(str(graph), OPS)
    assert back == graph
    assert back.nodes[0].op.attributes == (("num_hidden", 4), ("no_bias", True), ("flatten", True))


@pytest.mark.parametrize("dtype", CODES, ids=CODES.get)
def test_constants_of_every_dtype_read_back_to_the_bit(dtype):
    extremes = [0, 1]
    if dtype.kind == "f" or dtype == ml_dtypes.bfloat16:
        limits = ml_dtypes.finfo(dtype)
        extremes = [0.0, -0.0, 1 / 3, math.inf, -math.inf, float(limits.max), float(limits.smallest_subnormal)]
    elif dtype.kind in "iu":
        extremes = [0, numpy.iinfo(dtype).max, numpy.iinfo(dtype).min]
    builder = Builder()
    values = [builder.constant(numpy.array(extremes, dtype)), builder.constant(numpy.array(extremes[-1], dtype))]
    graph = builder.finish(values)
    back = parse(str(graph), OPS)
    for x, y in zip(graph.constants.values(), back.constants.values(), strict=True):
        assert x.dtype == y.dtype
        assert x.tobytes() == y.tobytes()


def test_nan_reads_back():
    builder = Builder()
    graph = builder.finish(
        [builder.constant(numpy.array([math.nan, 1], F4)), builder.constant(numpy.zeros((0, 2), F4))]
    )
    back = parse(str(graph), OPS)
    assert back == graph
    assert numpy.isnan(next(iter(back.constants.values()))[0])


def test_large_constants_stand_by_their_digest():
    array = numpy.arange(1000, dtype=F4)
    builder = Builder()
    graph = builder.finish([builder.constant(array)])
    assert "1000" in str(graph)
    assert len(str(graph)) < 200
    back = parse(str(graph), OPS, {digest(array): array})
    assert back == graph
    with pytest.raises(GraphError, match="E903"):
        parse(str(graph), OPS)
    with pytest.raises(GraphError, match="E903"):
        parse(str(graph), OPS, {digest(array): array[:3]})


def test_names_are_no_part_of_what_a_graph_is():
    kind = TensorType((2,), F4)
    one = make_graph(lambda x: [ops.sin(x)], (kind,), ("a",))
    two = make_graph(lambda x: [ops.sin(x)], (kind,), ("b",))
    three = make_graph(lambda x: [ops.cos(x)], (kind,), ("a",))
    assert one == two
    assert hash(one) == hash(two)
    assert str(one) != str(two)
    assert one != three


def test_constants_tell_graphs_apart():
    def of(value):
        builder = Builder()
        return builder.finish([builder.constant(numpy.asarray(value))])

    assert of(0.0) != of(-0.0)
    assert of(numpy.zeros(100)) != of(numpy.zeros((10, 10)))
    assert of(numpy.zeros(100)) != of(numpy.zeros(100, "i8"))
    assert of(numpy.zeros(100)) == of(numpy.zeros(100))


def test_a_graph_without_inputs_or_outputs():
    graph = Builder().finish([])
    assert str(graph) == "graph() {\n  return\n}"
    assert parse(str(graph), OPS) == graph


GOOD = """graph(%0: f32[2,3]) {
  %1: f32[2,3] = sin(%0)
  return %1
}"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("sin", "sinus", "line 2 .*no op is called sinus"),
        ("%1: f32[2,3] = sin(%0)", "%1: f32[2,3] = sin(%7)", "line 2 .*%7 is used before"),
        ("%1: f32[2,3] =", "%1: f32[3,2] =", r"line 2 .*sin gives f32\[2,3\], not f32\[3,2\]"),
        ("%1: f32[2,3] =", "%0: f32[2,3] =", "%0 is defined twice"),
        ("%1: f32[2,3] =", "%1: f99[2,3] =", "E901"),
        ("sin(%0)", "sin(%0, angle=1)", "line 2 .*angle"),
        ("sin(%0)", "reshape(%0, shape=(2, 3)", "line 3"),
        ("sin(%0)", "reshape(%0, shape=$)", r"'\$"),
        ("sin(%0)", "reshape(%0, shape=(2, oops))", "'oops' is not a literal"),
        ("sin(%0)", "constant([1.0, 2.0])", "a constant"),
        ("return %1\n}", "return %1", "expected '}'"),
        ("return %1\n}", "return %1\n} }", "'}' after the end"),
        ("sin(%0)", "reshape(%0, shape=[2, 3])", r"shape=\[2, 3\] is not a Shape"),
        ("sin(%0)", "sum(%0, axes=(0.5,))", "axes"),
        ("sin(%0)", "cast(%0, dtype=2)", "dtype"),
        ("sin(%0)", "concat(axis=0)", "IndexError"),
        ("sin(%0)", "composite f(%0, body=2)", "body"),
        ("sin(%0)", "reshape(%0, shape=" + "(" * 5000, "RecursionError"),
        ("sin(%0)", "concat(%0, axis=" + "9" * 5000, "ValueError"),
        ("graph(", "grape(", "expected 'graph'"),
        (GOOD, "", "expected 'graph'"),
        ("f32[2,3])", "f32[99999999999999999999,3])", "E"),
    ],
)
def test_text_that_is_no_graph(old, new, message):
    with refusal(GraphError, message):
        parse(GOOD.replace(old, new), OPS)


def test_an_op_that_does_not_take_its_operands_says_so():
    with pytest.raises(ValueError, match="E144"):
        parse(GOOD.replace("sin(%0)", "reshape(%0, shape=(7,))"), OPS)


def test_no_text_crashes_the_reader():
    """Any cut, and any changed character, is read or refused by an error of ours."""
    kinds = (TensorType((2, 3), F4), TensorType((4, 3), F4))
    graph = make_graph(lambda x, w: [composites.softmax(composites.fully_connected(x, w), 1)], kinds, ("x", "w"))
    text = str(graph)
    generator = numpy.random.default_rng(0)
    for place in range(len(text)):
        for changed in (text[:place], text[:place] + chr(generator.integers(32, 127)) + text[place + 1 :]):
            with suppress(HybridizeError):
                parse(changed, OPS)


def test_printing_is_fast():
    kind = TensorType((32, 64), F4)

    def long(x):
        for k in range(1000):
            x = ops.add(x, x) if k % 2 else ops.reshape(ops.transpose(x, (1, 0)), (32, 64))
        return [x]

    graph = make_graph(long, (kind,))
    times = []
    for _ in range(5):
        start = time.thread_time()
        graph.__dict__.pop("text", None)
        assert str(graph)
        times.append(time.thread_time() - start)
    assert min(times) < 0.05 * SLOWER
