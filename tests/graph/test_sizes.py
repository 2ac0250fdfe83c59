"""Graphs of sizes that are not known: text, fingerprint, and what they are for given sizes."""

import numpy
import pytest

from hybridize import ops
from hybridize.base.dims import SizeScope
from hybridize.base.errors import ArgumentError, GraphError
from hybridize.base.types import TensorType
from hybridize.graph import exact, is_exact, parse, sizes_of, verify, with_sizes
from hybridize.ops import OPS
from hybridize.ops.composites import mean, softmax
from hybridize.ops.evaluate import evaluate
from hybridize.ops.tracing import make_graph

F32 = numpy.dtype("f4")

TEXT = """\
sizes("n0 in 3..64 like 9", "n1 in 2.. like 5", "n0-n1 > 0")
graph(%0: f32[n0,n1], %1: f32[n1]) {
  %2: f32[n0*n1] = reshape(%0, shape=(<n0*n1>,))
  %3: f32[n0-1,n1] = slice(%0, starts=(0, 0), stops=(<n0-1>, <n1>), steps=(1, 1))
  %4: i64[] = size_of(size=<2*n0>)
  return %2, %3, %4
}"""


def test_text_is_read_back():
    graph = parse(TEXT, OPS)
    assert str(verify(graph)) == TEXT
    assert parse(str(graph), OPS).fingerprint == graph.fingerprint
    assert parse(TEXT.replace("3..64", "3..65"), OPS).fingerprint != graph.fingerprint


@pytest.mark.parametrize(
    ("old", "new"),
    [("n0 in 3..64", "k in 3..64"), ("<2*n0>", "<2*n9>"), ('"n0-n1 > 0"', '"n0-n1 > 1"'), ("sizes(", "size(")],
)
def test_what_is_no_text(old, new):
    with pytest.raises(GraphError):
        parse(TEXT.replace(old, new), OPS)


def test_given_sizes():
    graph = parse(TEXT, OPS)
    sizes = sizes_of(graph, [(4, 3), (3,)])
    small = with_sizes(graph, sizes)
    assert small.scope is None
    assert [str(value.type) for value in verify(small).outputs] == ["f32[12]", "f32[3,3]", "i64[]"]
    assert [str(value.type) for value in with_sizes(graph).inputs] == ["f32[9,5]", "f32[5]"]
    assert with_sizes(small) is small
    assert sizes_of(graph, [(4, 3), (4,)]) is None, "n1 is 3 and 4"
    assert sizes_of(graph, [(2, 1), (1,)]) is None, "out of range"
    assert sizes_of(graph, [(4, 5), (5,)]) is None, "the condition"
    assert sizes_of(graph, [(4, 3)]) is None
    slicing = graph.nodes[1].op
    assert not is_exact(slicing)
    assert exact(slicing, sizes) == ops.Slice((0, 0), (3, 3), (1, 1))


def test_a_symbol_of_no_input_holds_for_nothing():
    graph = parse(TEXT.replace('"n0-n1 > 0"', '"n2 in 2.. like 3"'), OPS)
    assert sizes_of(graph, [(4, 3), (3,)]) is None


def test_the_reference_takes_any_size():
    scope = SizeScope()
    n = scope.symbol(9)
    graph = make_graph(lambda x: [softmax(x, 1), mean(x, (0,))], [TensorType((n, 4), F32)])
    scope.capturing = False
    assert str(parse(str(graph), OPS)) == str(graph)
    for rows in (2, 9, 30):
        x = numpy.random.normal(size=(rows, 4)).astype("f4")
        powers = numpy.exp(x - x.max(1, keepdims=True))
        found = evaluate(graph, [x])
        numpy.testing.assert_allclose(found[0], powers / powers.sum(1, keepdims=True), 1e-5)
        numpy.testing.assert_allclose(found[1], x.mean(0), 1e-4, 1e-6)
    with pytest.raises(ArgumentError, match="E341"):
        evaluate(graph, [numpy.ones((1, 4), "f4")])
