"""What the verifier finds, and how it says it."""

import numpy
import pytest

from hybridize import ops
from hybridize.base.dims import parse_scope
from hybridize.base.errors import GraphError
from hybridize.base.types import TensorType
from hybridize.graph import Builder, Graph, Node, Value, verify
from hybridize.ops import make_graph
from hybridize.ops.op import bind, bind1
from tests.refusals import refusal

KIND = TensorType((2, 3), numpy.dtype("f4"))


def good() -> Graph:
    return make_graph(lambda x: [ops.sin(ops.add(x, ops.constant(numpy.ones((2, 3), "f4"))))], (KIND,))


def test_a_good_graph_is_returned():
    graph = good()
    assert verify(graph) is graph


def broken(**changes) -> Graph:
    graph = good()
    parts = {"inputs": graph.inputs, "nodes": graph.nodes, "outputs": graph.outputs, "constants": graph.constants}
    return Graph(**(parts | {name: change(graph) for name, change in changes.items()}))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"nodes": lambda g: g.nodes[::-1]}, "node 0, sin: an input is not defined"),
        ({"nodes": lambda g: g.nodes + g.nodes[:1]}, "defined twice"),
        ({"nodes": lambda g: g.nodes[:1]}, "an output is not defined"),
        ({"inputs": lambda g: ()}, "an input is not defined"),
        ({"inputs": lambda g: g.inputs * 2}, "defined twice"),
        ({"outputs": lambda g: (Value(KIND),)}, "an output is not defined"),
        ({"constants": lambda g: {}}, "an input is not defined"),
        ({"constants": lambda g: {v: numpy.ones(6, "f4") for v in g.constants}}, "is not held as such"),
        (
            {"nodes": lambda g: (Node(g.nodes[0].op, g.nodes[0].inputs, (Value(KIND.with_shape((6,))),)),)},
            r"outputs are f32\[6\], but the op infers f32\[2,3\]",
        ),
        ({"nodes": lambda g: (Node(ops.Reshape((7,)), g.inputs, (Value(KIND),)), *g.nodes)}, "node 0, reshape: .*E144"),
    ],
)
def test_what_is_found(changes, message):
    with refusal(GraphError, message):
        verify(broken(**changes), after="some_pass")


def test_sizes_are_those_of_the_inputs():
    """Nothing tells a call the numbers of another program's symbols, also inside of a graph without symbols."""

    def stretched() -> tuple[TensorType, ops.Broadcast]:
        _, symbols = parse_scope(["n0 in 1.. like 3"])
        return TensorType((symbols["n0"],), KIND.dtype), ops.Broadcast((symbols["n0"],))

    number = TensorType((), KIND.dtype)
    kind, broadcast = stretched()
    own = make_graph(lambda x, y: [ops.add(bind1(broadcast, x), y)], (number, kind))
    assert verify(own) is own
    for first in (number, kind):
        graph = make_graph(lambda x, y: [x, bind1(stretched()[1], y)], (first, number))
        with refusal(GraphError, r"node 0, broadcast: a size of f32\[n0\] is of another program"):
            verify(graph)
    inner = make_graph(lambda x: [bind1(broadcast, x)], (number,))
    with refusal(GraphError, "of another program"):
        verify(make_graph(lambda x: list(bind(ops.Composite("stretched", (), inner), x)), (number,)))


def test_the_message_names_the_pass_and_holds_the_graph():
    with pytest.raises(GraphError) as raised:
        verify(broken(inputs=lambda g: g.inputs * 2), after="some_pass")
    assert "(after some_pass)" in str(raised.value)
    assert "sin" in str(raised.value)


def test_sub_graphs_are_verified():
    bad = broken(constants=lambda g: {})
    op = ops.Composite("bad", (), bad)
    builder = Builder()
    graph = builder.finish(builder.add(op, [builder.input(KIND)]))
    with pytest.raises(GraphError, match="an input is not defined"):
        verify(graph)
