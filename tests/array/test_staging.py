"""Whoever is in charge of functions of arrays is a `Staging`; one that overrides nothing is imperative Python."""

import inspect
import itertools
import operator
import sys
from operator import setitem

import numpy
import pytest

from hybridize import autograd, np, npx
from hybridize.array.staging import ArrayTracer, Staging, staging
from hybridize.array.symbol import Symbol
from hybridize.autograd.tape import TAPE, Tape
from hybridize.base.errors import CaptureError, InternalError, StateError
from hybridize.base.types import TensorType
from hybridize.capture.trace.recording import Branch, Trace
from hybridize.ops import evaluate, make_graph
from hybridize.ops.op import ACTIVE, BOTTOM, interpreting
from hybridize.ops.tracing import GraphTracer

X = numpy.arange(6, dtype="float32").reshape(3, 2) - 2


def traced(function, *arrays):
    """Record a function of arrays, and what the graph gives for some."""
    tracer = ArrayTracer()

    def run(*operands):
        found = function(*(Symbol.of(tracer, operand) for operand in operands))
        return [x.operand() for x in (found if isinstance(found, tuple) else (found,))]

    graph = make_graph(run, [TensorType(x.shape, x.dtype) for x in arrays], tracer=tracer)
    return graph, evaluate(graph, arrays)


def test_the_bottom_is_imperative_and_the_tape_another():
    assert staging() is BOTTOM.value
    assert type(BOTTOM.value) is Staging
    with autograd.record():
        assert staging() is TAPE


@pytest.mark.parametrize("kind", [Tape, ArrayTracer, Trace, Branch])
def test_hooks_take_what_they_are_given_wherever_they_are_overridden(kind):
    """mypy lets `*arguments` stand for any parameters: nobody in charge writes that."""
    assert issubclass(kind, Staging)
    hooks = [name for name, part in inspect.getmembers(Staging, inspect.isfunction)]
    assert len(hooks) > 20
    for name in hooks:
        declared, own = (list(inspect.signature(getattr(one, name)).parameters.values()) for one in (Staging, kind))
        assert [x.name for x in own[: len(declared)]] == [x.name for x in declared], name
        assert all(x.default is not inspect.Parameter.empty for x in own[len(declared) :]), name


def test_formulas_are_recorded_with_what_python_is_around_them():
    def formula(x, y):
        rows, total = npx.foreach(lambda row, s: (row * s, s + 1), x, 2)
        return rows, npx.softmax(y * total) if y.ndim == 2 else y

    graph, (rows, total) = traced(formula, X, X)
    numpy.testing.assert_allclose(rows, X * numpy.array([[2], [3], [4]]))
    expected = numpy.exp(X * 5) / numpy.exp(X * 5).sum(-1, keepdims=True)
    numpy.testing.assert_allclose(total, expected, rtol=1e-5)
    assert "softmax" in graph.op_names()


def test_views_are_written_in_formulas():
    def formula(x):
        y = x + 0
        y.T[0] = 7
        return y

    _, (found,) = traced(formula, X)
    expected = X.copy()
    expected.T[0] = 7
    numpy.testing.assert_array_equal(found, expected)


OUTER = np.array([1.0, 2.0], dtype="float32")


@pytest.mark.parametrize(
    "read",
    [
        lambda x: x + OUTER,
        lambda x: npx.softmax(OUTER),
        lambda x: OUTER.T,
        lambda x: OUTER[0],
        lambda x: x * OUTER.detach(),
        lambda x: OUTER.asnumpy(),
        lambda x: np.concatenate([x, OUTER[None]]),
    ],
    ids=["operand", "function", "view", "item", "detach", "values", "list"],
)
def test_arrays_from_outside_are_refused_in_formulas(read):
    with pytest.raises(CaptureError, match=r"E412: f32\[2\] is read"):
        traced(read, X)


def test_gradients_are_refused_in_formulas():
    with pytest.raises(StateError, match="E545"):
        traced(lambda x: autograd.grad(x.sum(), [x])[0], X)
    with pytest.raises(StateError, match="E545"):
        traced(lambda x: autograd.value_and_grad(lambda y: y.sum())(x), X)


def test_who_knows_operands_alone_is_not_asked_about_arrays():
    with interpreting(GraphTracer()), pytest.raises(InternalError, match="E918: GraphTracer is in charge"):
        staging()


def interrupted(function, at, change):
    """Call a function while another thread changes ACTIVE after so many events; None if it is done before."""
    count = 0

    def look(frame, event, argument):
        nonlocal count
        if count == at:
            change()
        count += 1

    sys.setprofile(look)
    try:
        found = function()
    finally:
        sys.setprofile(None)
    return found if count > at + 1 else None


SHORT_WAYS = {
    "operator": lambda x: x * 2 + x,
    "function": lambda x: np.exp(x),
    "relu": npx.relu,
    "sigmoid": npx.sigmoid,
    "softmax": npx.softmax,
    "activation": lambda x: npx.activation(x, "tanh"),
    "fully_connected": lambda x: npx.fully_connected(x, np.ones((4, 2)), np.ones(4)),
    "batch_norm": lambda x: npx.batch_norm(x, np.ones(2), np.ones(2), np.zeros(2), np.ones(2), use_global_stats=False),
    "item": lambda x: x[1:],
    "reshape": lambda x: x.reshape(2, 3),
    "matmul": lambda x: x @ np.ones((2, 5)),
    "written": lambda x: setitem(x, 0, 7.0) or x,
    "in place": lambda x: operator.iadd(x, 1),
}


@pytest.mark.parametrize("name", SHORT_WAYS)
@pytest.mark.parametrize("begins", [True, False], ids=["begins", "ends"])
def test_another_thread_begins_or_ends_to_record_at_any_time(name, begins):
    """What is in charge of other threads is seen at once, but decides nothing in this one."""
    function = SHORT_WAYS[name]
    with autograd.train_mode():
        expected = function(np.array(X)).asnumpy()
        other = ArrayTracer()
        for at in itertools.count():
            x = np.array(X)
            if not begins:
                ACTIVE.append(other)
            try:
                change = (lambda: ACTIVE.append(other)) if begins else (lambda: ACTIVE.remove(other))
                found = interrupted(lambda x=x: function(x), at, change)
            finally:
                ACTIVE[:] = []
            if found is None:
                break
            numpy.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-6, atol=1e-6)
    assert at > 3
