"""Control flow as machine code: state, constants, effects, nesting, memory."""

import numpy

from hybridize import ops
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import host_target
from hybridize.codegen.llvm.program import build
from hybridize.compiler import compile
from hybridize.ops.evaluate import evaluate

F4 = TensorType((5,), numpy.dtype("f4"))
I8 = TensorType((), numpy.dtype("i8"))


def check(graph, *inputs):
    inputs = [numpy.asarray(x, value.type.dtype) for x, value in zip(inputs, graph.inputs, strict=True)]
    found = compile(graph).run(inputs)
    for x, y in zip(found, evaluate(graph, inputs), strict=True):
        numpy.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-6)
    return found


def repeat(times, body, types):
    """A while loop over (counter, *state)."""
    cond = ops.make_graph(lambda n, *xs: [ops.lt(n, ops.like(times, n))], (I8, *types))
    whole = ops.make_graph(lambda n, *xs: [ops.add(n, ops.like(1, n)), *body(*xs)], (I8, *types))
    return ops.While(cond, whole)


def test_state_that_a_body_exchanges_is_not_overwritten_early():
    op = repeat(3, lambda x, y: [y, ops.add(x, y)], (F4, F4))
    graph = ops.make_graph(lambda x, y: ops.bind(op, ops.full(0, I8), x, y)[1:], (F4, F4))
    check(graph, numpy.arange(5), numpy.ones(5))


def test_a_loop_that_never_runs_gives_its_state():
    op = repeat(0, lambda x: [ops.neg(x)], (F4,))
    check(ops.make_graph(lambda x: ops.bind(op, ops.full(0, I8), x)[1:], (F4,)), numpy.arange(5))


def test_state_that_never_changes_is_not_copied_each_turn():
    table = TensorType((1000, 5), numpy.dtype("f4"))
    op = repeat(4, lambda x, t: [ops.add(x, ops.sum(t, (0,))), t], (F4, table))
    graph = ops.make_graph(lambda x, t: ops.bind(op, ops.full(0, I8), x, t)[1:2], (F4, table))
    check(graph, numpy.zeros(5), numpy.ones((1000, 5)))
    assert build(graph, host_target()).plan.scratch_bytes < table.nbytes


def test_constants_of_bodies_are_handed_in():
    first, second = (numpy.random.standard_normal(5).astype("f4") for _ in range(2))
    then = ops.make_graph(lambda x: [ops.mul(x, ops.constant(first))], (F4,))
    orelse = ops.make_graph(lambda x: [ops.mul(x, ops.constant(second))], (F4,))
    kind = TensorType((), numpy.dtype("?"))
    graph = ops.make_graph(lambda p, x: ops.bind(ops.Cond(then, orelse), p, x), (kind, F4))
    check(graph, True, numpy.arange(5))
    check(graph, False, numpy.arange(5))


def test_loops_within_branches_within_loops():
    inner = repeat(2, lambda x: [ops.tanh(x)], (F4,))
    then = ops.make_graph(lambda x: ops.bind(inner, ops.full(0, I8), x)[1:], (F4,))
    orelse = ops.make_graph(lambda x: [ops.neg(x)], (F4,))

    def turn(x):
        positive = ops.gt(ops.sum(x, (0,)), ops.full(0, TensorType((), F4.dtype)))
        return ops.bind(ops.Cond(then, orelse), positive, x)

    graph = ops.make_graph(lambda x: ops.bind(repeat(5, turn, (F4,)), ops.full(0, I8), x)[1:], (F4,))
    check(graph, numpy.arange(5))
    check(graph, -numpy.arange(5))


def test_a_scan_of_no_steps_and_in_reverse():
    body = ops.make_graph(lambda a, x: [ops.add(a, x), ops.mul(a, x)], (F4, F4))
    for length in (0, 1, 6):
        stacked = TensorType((length, 5), F4.dtype)
        for reverse in (False, True):
            op = ops.Scan(body, length, reverse, 1)
            graph = ops.make_graph(lambda a, x, op=op: ops.bind(op, a, x), (F4, stacked))
            check(graph, numpy.ones(5), numpy.random.standard_normal((length, 5)))


def test_a_recurrent_layer_is_one_region_with_products_inside():
    w = numpy.random.standard_normal((8, 8)).astype("f4") / 8
    state, rows = TensorType((3, 8), F4.dtype), TensorType((7, 3, 8), F4.dtype)

    def step(h, x):
        after = ops.tanh(ops.add(ops.matmul(h, ops.constant(w), False, True), x))
        return [after, after]

    op = ops.Scan(ops.make_graph(step, (state, state)), 7, False, 1)
    graph = ops.make_graph(lambda h, x: ops.bind(op, h, x), (state, rows))
    check(graph, numpy.zeros((3, 8)), numpy.random.standard_normal((7, 3, 8)))
    assert [step.kind for step in build(graph, host_target()).plan.steps] == ["region"]


def test_effects_happen_in_the_order_of_the_program(capfd):
    body = ops.make_graph(lambda x: [_said("turn {}", x)], (I8,))
    cond = ops.make_graph(lambda n: [ops.lt(n, ops.like(3, n))], (I8,))

    def program(n):
        ops.bind(ops.Print("first {}"), n)
        (after,) = ops.bind(ops.While(cond, body), n)
        ops.bind(ops.Print("last {}"), after)
        return [after]

    compile(ops.make_graph(program, (I8,))).run([numpy.asarray(1)])
    assert capfd.readouterr().out.split("\n")[:4] == ["first 1", "turn 1", "turn 2", "last 3"]


def _said(text, x):
    ops.bind(ops.Print(text), x)
    return ops.add(x, ops.like(1, x))
