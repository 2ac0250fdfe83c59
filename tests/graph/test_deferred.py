"""Graphs that are read when somebody looks inside."""

import threading

import pytest

from hybridize.base.dtypes import float32
from hybridize.base.errors import GraphError, LoadError
from hybridize.base.types import TensorType
from hybridize.graph import Deferred, Graph, Value, parse, verify
from hybridize.ops import OPS

TEXT = """graph(%0 "x": f32[2,3]) {
  %1: f32[2,3] = exp(%0)
  return %1
}"""


def deferred(read=None):
    inputs = (Value(TensorType((2, 3), float32), "x"),)
    calls = []

    def reading():
        calls.append(1)
        return (read or parse)(TEXT, OPS, {}, inputs)

    return Deferred(inputs, reading), inputs, calls


def test_inputs_and_sizes_are_known_without_reading():
    graph, inputs, calls = deferred()
    assert isinstance(graph, Graph)
    assert graph.inputs is inputs
    assert graph.scope is None
    assert not calls


def test_it_is_read_once_and_then_a_graph():
    graph, inputs, calls = deferred()
    threads = [threading.Thread(target=lambda: graph.nodes) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 1
    assert type(graph) is Graph
    assert graph.nodes[0].inputs == inputs, "the very inputs that were there before"
    assert verify(graph).text == TEXT
    assert graph == parse(TEXT, OPS)


def test_printing_and_comparing_read_it():
    assert str(deferred()[0]) == TEXT
    assert deferred()[0].fingerprint == parse(TEXT, OPS).fingerprint


def test_what_cannot_be_read_says_so_each_time():
    def damaged(*_):
        raise LoadError("E614", "damaged")

    graph, _, calls = deferred(damaged)
    for _ in range(2):
        with pytest.raises(LoadError):
            graph.outputs  # noqa: B018
    assert len(calls) == 2


def test_other_inputs_are_refused():
    other = (Value(TensorType((2, 4), float32), "x"),)
    with pytest.raises(GraphError, match=r"E903(.|\n)*f32\[2,3\]"):
        parse(TEXT, OPS, {}, other)
