"""Applying ops: the stack of interpreters, recording, the NumPy backend, composites as nodes."""

from __future__ import annotations

import threading

import numpy
import pytest

from hybridize import ops
from hybridize.base.errors import ArgumentError, InternalError
from hybridize.base.types import TensorType
from hybridize.graph import Builder
from hybridize.ops import (
    OPS,
    GraphTracer,
    ReferenceInterpreter,
    composite,
    composites,
    evaluate,
    interpreting,
    make_graph,
)
from hybridize.ops.op import ACTIVE, capturing, current, imperatively, snake

KIND = TensorType((2, 3), numpy.dtype("f4"))


def test_words():
    assert [snake(name) for name in ("LayerNorm", "FMax", "GatherND", "Exp2", "Log10")] == [
        "layer_norm",
        "fmax",
        "gather_nd",
        "exp2",
        "log10",
    ]
    assert all(cls.word == snake(cls.__name__) == word for word, cls in OPS.items())


def test_parameterless_ops_are_equal_by_class_only():
    assert ops.Add() == ops.Add()
    assert hash(ops.Add()) == hash(ops.Add())
    assert ops.Add() != ops.Sub()
    assert ops.Reshape((2, 3)) != ops.Broadcast((2, 3))
    assert ops.Reshape((2, 3)) == ops.Reshape((2, 3))


def test_interpreters_form_a_stack_of_the_thread():
    recorder = GraphTracer()
    seen = []
    with interpreting(recorder):
        assert current() is recorder
        assert capturing()
        assert ACTIVE
        thread = threading.Thread(target=lambda: seen.append(capturing()))
        thread.start()
        thread.join()
        with imperatively():
            assert not capturing()
        assert current() is recorder
    assert not capturing()
    assert seen == [False]


def test_the_stack_is_put_back_after_an_error():
    with pytest.raises(KeyError), interpreting(GraphTracer()):
        raise KeyError
    assert not capturing()
    assert not ACTIVE


def test_recording_and_evaluating():
    graph = make_graph(lambda x, y: [ops.mul(ops.sin(x), y), ops.sum(x, (0,))], (KIND, KIND), ("x", "y"))
    assert graph.op_names() == ["sin", "mul", "sum"]
    x, y = numpy.random.rand(2, 2, 3).astype("f4")
    product, total = evaluate(graph, [x, y])
    numpy.testing.assert_array_equal(product, numpy.sin(x) * y)
    numpy.testing.assert_array_equal(total, x.sum(0))


def test_evaluate_refuses_other_inputs():
    graph = make_graph(lambda x: [x], (KIND,))
    with pytest.raises(ArgumentError, match=r"E341.*inputs \(f32\[2,3\]\) got \(f64\[2,3\]\)"):
        evaluate(graph, [numpy.zeros((2, 3))])
    with pytest.raises(ArgumentError, match="E341"):
        evaluate(graph, [])


def test_evaluate_gives_an_input_twice_and_drops_what_is_unused():
    graph = make_graph(lambda x: [x, x, ops.sin(x), ops.cos(x)][:2], (KIND,))
    x = numpy.ones((2, 3), "f4")
    assert [y is x for y in evaluate(graph, [x])] == [True, True]


def test_evaluate_warns_of_nothing():
    graph = make_graph(lambda x: [ops.log(x), ops.div(x, x)], (KIND,))
    with numpy.errstate(all="raise"):
        for y in evaluate(graph, [numpy.zeros((2, 3), "f4")]):
            assert not numpy.isfinite(y).any()


@composite("Blend")
def blend(x: ops.Operand, y: ops.Operand | None = None, amount: float = 0.5):
    return ops.mul(x, ops.like(amount, x)) if y is None else ops.add(x, y)


def test_composites_are_one_node_when_recorded_and_plain_calls_otherwise():
    one = make_graph(lambda x, y: [blend(x, y, amount=2.0)], (KIND, KIND))
    assert one.op_names() == ["Blend"]
    assert one.nodes[0].op.attributes == (("amount", 2.0),)
    assert one.nodes[0].op.body.op_names() == ["add"]
    two = make_graph(lambda x: [blend(x)], (KIND,))
    assert two.nodes[0].op.body.op_names() == ["broadcast", "mul"]
    with interpreting(ReferenceInterpreter()):
        x = numpy.ones((2, 3), "f4")
        numpy.testing.assert_array_equal(blend(x), x / 2)
        numpy.testing.assert_array_equal(evaluate(two, [x])[0], x / 2)


def test_a_function_of_no_operands_is_no_composite():
    with pytest.raises(InternalError, match="E912"):
        composite("Nothing")(lambda x: x)


def test_composites_say_what_mxnet_files_need():
    attributes = {}

    def run(x, w, b, key, rows):
        y = composites.fully_connected(x, w, b, flatten=False)
        for step in (
            lambda y: composites.activation(y, "tanh"),
            lambda y: composites.leaky_relu(y, None, "elu", 0.1),
            lambda y: composites.gelu(y),
            lambda y: composites.softmax(y, 1),
            lambda y: composites.log_softmax(y, 1),
            lambda y: composites.layer_norm(y, b, b, 1, 1e-3),
            lambda y: composites.dropout(y, key, 0.25),
            composites.flatten,
            composites.relu,
        ):
            y = step(y)
        return [y, composites.embedding(rows, w), composites.one_hot(rows, 7)]

    kinds = ["f32[2,3]", "f32[4,3]", "f32[4]", "u64[2]", "i64[5]"]
    graph = make_graph(run, [TensorType.parse(kind) for kind in kinds])
    for node in graph.nodes:
        attributes.setdefault(node.op.name, dict(node.op.attributes))
    assert attributes == {
        "FullyConnected": {"num_hidden": 4, "no_bias": False, "flatten": False},
        "Activation": {"act_type": "tanh"},
        "LeakyReLU": {"act_type": "elu", "slope": 0.1},
        "softmax": {"axis": 1},
        "log_softmax": {"axis": 1},
        "LayerNorm": {"axis": 1, "eps": 1e-3},
        "Dropout": {"p": 0.25},
        "Flatten": {},
        "relu": {},
        "Embedding": {"input_dim": 4, "output_dim": 3},
        "one_hot": {"depth": 7, "on_value": 1.0, "off_value": 0.0, "dtype": numpy.dtype("f4")},
    }


def test_a_composite_is_inlined_before_it_is_lowered():
    graph = make_graph(lambda x: [blend(x)], (KIND,))
    with pytest.raises(InternalError, match="E911"):
        graph.nodes[0].op.lower(types=(KIND,))


def test_graphs_of_composites_do_not_share_values():
    builder = Builder()
    x = builder.input(KIND)
    graph = make_graph(lambda x: [blend(blend(x))], (KIND,))
    (y,) = builder.inline(graph, [x])
    (z,) = builder.inline(graph, [y])
    assert len({x, y, z}) == 3


def test_graphs_and_effects_inside_are_told_by_the_op():
    """Each parameter that is a graph counts, at any depth; tuples and texts do not."""
    said = make_graph(lambda x: [ops.bind(ops.Print("{}"), x), x][1:], (KIND,))
    quiet = make_graph(lambda x: [x], (KIND,))
    assert ops.effect_of(ops.Print("{}")) is ops.Effect.WORLD
    for inner, effect in ((said, ops.Effect.WORLD), (quiet, ops.Effect.PURE)):
        scan = ops.Scan(inner, 2, num_carry=1)
        deeper = ops.Composite("twice", (("times", 2),), make_graph(lambda x, scan=scan: ops.bind(scan, x), (KIND,)))
        outer = ops.Cond(make_graph(lambda x, op=deeper: ops.bind(op, x), (KIND,)), quiet)
        assert list(outer.graphs) == ["then", "orelse"]
        assert [list(op.graphs) for op in (scan, deeper, ops.Add())] == [["body"], ["body"], []]
        assert [ops.effect_of(op) for op in (scan, deeper, outer)] == [effect] * 3
        assert list(quiet.nested()) == [quiet]
        assert len(list(outer.then.nested())) == 3
