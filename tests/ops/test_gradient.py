"""Reverse mode through graphs: recorded, compiled, twice, through control flow; and what has no gradient."""

import numpy
import pytest

from hybridize import ops
from hybridize.base.errors import StateError
from hybridize.base.types import TensorType
from hybridize.compiler import compile as compiled
from hybridize.graph import Graph, verify
from hybridize.ops import ReferenceInterpreter, composites, evaluate, interpreting, make_graph, pullback
from hybridize.ops.gradient import apply
from hybridize.passes import PIPELINE

F4, F8 = numpy.dtype("f4"), numpy.dtype("f8")
ROW = TensorType((3,), F8)


def gradient_of(graph: Graph) -> Graph:
    """The graph of the cotangents of float inputs, where all outputs have cotangents of one."""

    def run(*xs):
        ones = [ops.full(1, value.type) for value in graph.outputs]
        found = pullback(graph, xs, ones)
        return [g for g, value in zip(found, graph.inputs, strict=True) if value.type.dtype in (F4, F8)]

    return verify(make_graph(run, [value.type for value in graph.inputs]))


def slopes(graph: Graph, inputs, k):
    """Central differences of the sum of all outputs by input k."""
    result = numpy.zeros_like(inputs[k])
    for place in numpy.ndindex(result.shape):
        sums = []
        for step in (1e-6, -1e-6):
            moved = [x.copy() for x in inputs]
            moved[k][place] += step
            sums.append(sum(y.sum() for y in evaluate(graph, moved)))
        result[place] = (sums[0] - sums[1]) / 2e-6
    return result


def check(graph: Graph, inputs):
    """Evaluated, optimised and compiled, the gradient is the central difference."""
    gradient = gradient_of(graph)
    found = evaluate(gradient, inputs)
    floats = [k for k, x in enumerate(inputs) if x.dtype == F8]
    for k, g in zip(floats, found, strict=True):
        numpy.testing.assert_allclose(g, slopes(graph, inputs, k), rtol=1e-5, atol=1e-7)
    for other in (evaluate(PIPELINE.run(gradient), inputs), compiled(gradient).run(inputs)):
        for g, wanted in zip(other, found, strict=True):
            numpy.testing.assert_allclose(g, wanted, rtol=1e-10, atol=1e-12)


def test_a_network():
    kinds = [TensorType(shape, F8) for shape in ((2, 5), (4, 5), (4,), (4,), (4,))]

    def net(x, w, b, gamma, beta):
        h = composites.relu(composites.fully_connected(x, w, b))
        return [composites.log_softmax(composites.layer_norm(h, gamma, beta, 1), 1)]

    generator = numpy.random.default_rng(3)
    check(make_graph(net, kinds), [generator.uniform(0.1, 1.5, kind.shape) for kind in kinds])


def test_a_value_read_twice_and_an_input_returned():
    graph = make_graph(lambda x, y: [ops.mul(x, ops.sin(x)), x, ops.mul(x, y)], (ROW, ROW))
    check(graph, [numpy.array([0.3, 1.0, -2.0]), numpy.array([1.0, 2.0, 3.0])])


def test_scan_of_a_recurrent_cell():
    kinds = (ROW, TensorType((), numpy.dtype("i8")), TensorType((5, 3), F8), ROW, TensorType((), numpy.dtype("i8")))

    def step(h, n, x, w, stride):
        after = ops.tanh(ops.add(ops.mul(h, w), x))
        return [after, ops.add(n, stride), ops.mul(after, ops.cast(ops.broadcast(n, (3,)), F8)), n]

    body = make_graph(step, (ROW, kinds[1], ROW, ROW, kinds[1]))
    generator = numpy.random.default_rng(4)
    floats = [generator.uniform(-1, 1, kind.shape) for kind in kinds]
    inputs = [floats[0], numpy.array(1), floats[2], floats[3], numpy.array(2)]
    for reverse in (False, True):
        op = ops.Scan(body, 5, reverse, 2)
        check(make_graph(lambda *xs, op=op: [ops.bind(op, *xs)[k] for k in (0, 2)], kinds), inputs)


def test_cond_inside_scan_inside_cond():
    branch = make_graph(lambda x: [ops.mul(x, x)], (ROW,))
    other = make_graph(lambda x: [ops.sin(x)], (ROW,))

    def step(h, x):
        (y,) = ops.bind(ops.Cond(branch, other), ops.gt(ops.sum(x, (0,)), ops.scalar(0, F8)), x)
        return [ops.add(h, y)]

    scan = ops.Scan(make_graph(step, (ROW, ROW)), 4, False, 1)
    outer = ops.Cond(
        make_graph(lambda h, xs: list(ops.bind(scan, h, xs)), (ROW, TensorType((4, 3), F8))),
        make_graph(lambda h, xs: [ops.sum(xs, (0,))], (ROW, TensorType((4, 3), F8))),
    )
    graph = make_graph(
        lambda p, h, xs: list(ops.bind(outer, p, h, xs)),
        (TensorType((), numpy.dtype("?")), ROW, TensorType((4, 3), F8)),
    )
    xs = numpy.random.default_rng(5).uniform(-1, 1, (4, 3))
    for truth in (True, False):
        check(graph, [numpy.array(truth), numpy.array([0.1, 0.2, 0.3]), xs])


def test_the_second_derivative():
    graph = make_graph(lambda x: [ops.mul(ops.sin(x), ops.exp(x))], (ROW,))
    twice = gradient_of(gradient_of(graph))
    x = numpy.array([0.3, 1.0, -2.0])
    numpy.testing.assert_allclose(evaluate(twice, [x])[0], 2 * numpy.cos(x) * numpy.exp(x))
    numpy.testing.assert_allclose(compiled(twice).run([x])[0], 2 * numpy.cos(x) * numpy.exp(x))


def test_no_cotangent_arrives_where_none_leaves():
    kinds = (ROW, ROW, TensorType((3,), numpy.dtype("i8")))
    graph = make_graph(lambda x, y, n: [ops.stop_gradient(x), ops.sin(y), ops.add(n, n)], kinds)
    x, n = numpy.ones(3), numpy.ones(3, "i8")
    with interpreting(ReferenceInterpreter()):
        assert pullback(graph, [x, x, n], [None, None, None]) == (None, None, None)
        found = pullback(graph, [x, x, n], [x, x, None])
    assert found[0] is None
    assert found[2] is None
    numpy.testing.assert_allclose(found[1], numpy.cos(x))


def test_a_while_loop_has_no_gradient_and_says_so():
    cond = make_graph(lambda x: [ops.lt(ops.sum(x, (0,)), ops.scalar(9, F8))], (ROW,))
    op = ops.While(cond, make_graph(lambda x: [ops.add(x, x)], (ROW,)))
    graph = make_graph(lambda x: list(ops.bind(op, x)), (ROW,))
    with pytest.raises(StateError, match=r"E521: a while loop has no gradient[\s\S]*help: loop over a range"):
        gradient_of(graph)
    stopped = make_graph(lambda x: [ops.stop_gradient(ops.bind(op, x)[0]), ops.sin(x)], (ROW,))
    x = numpy.array([5.0, 6.0, 7.0])
    numpy.testing.assert_allclose(evaluate(gradient_of(stopped), [x])[0], numpy.cos(x))


def test_the_gradient_of_a_network_is_a_small_graph():
    """Recomputed forward values are met by the pass that computes equal things once."""
    kinds = [TensorType(shape, F4) for shape in ((8, 16), (16, 16), (16,))]
    graph = make_graph(lambda x, w, b: [composites.relu(composites.fully_connected(x, w, b))], kinds)

    def both(*xs):
        return [*apply(graph, xs), *pullback(graph, xs, [ops.full(1, graph.outputs[0].type)])]

    names = PIPELINE.run(make_graph(both, kinds)).op_names()
    assert names.count("matmul") == 3
