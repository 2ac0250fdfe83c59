"""Every function runs twice: imperatively, and as a graph that a small tracer records and `reference` evaluates."""

from collections.abc import Callable
from typing import Any

import numpy
import pytest

from hybridize.array import ndarray
from hybridize.array.staging import ArrayTracer
from hybridize.array.symbol import Symbol
from hybridize.base import nested
from hybridize.base.types import TensorType
from hybridize.ops.op import interpreting


class Tracer(ArrayTracer):
    """A tracer that lifts concrete arrays to inputs, and knows what was written."""

    def __init__(self) -> None:
        super().__init__()
        self.lifted: dict[int, tuple[ndarray, Symbol]] = {}

    def composite(self, label, attributes, function, operands):
        return tuple(function(*operands))

    def operand(self, array: ndarray):
        return self.lift(array).operand()

    def lift(self, array: ndarray) -> Symbol:
        if id(array) not in self.lifted:
            value = self.builder.input(TensorType(array.shape, array.dtype))
            self.lifted[id(array)] = array, Symbol.of(self, value)
        return self.lifted[id(array)][1]


def evaluated(graph, inputs: list[numpy.ndarray]) -> list[numpy.ndarray]:
    """The outputs of a graph, op by op by `reference`, types checked."""
    values = dict(zip(graph.inputs, inputs, strict=True)) | dict(graph.constants)
    for node in graph.nodes:
        outputs = node.op.reference(*(values[value] for value in node.inputs))
        for value, output in zip(node.outputs, outputs, strict=True):
            output = numpy.asarray(output)
            assert (output.shape, output.dtype) == (value.type.shape, value.type.dtype), node.op
            values[value] = output
    return [values[value] for value in graph.outputs]


def run_traced(function: Callable[..., Any], arrays: list[ndarray]) -> Any:
    """What `function` gives when traced and evaluated; writes go to the arrays."""
    tracer = Tracer()
    with interpreting(tracer):
        result = function(*(tracer.lift(array) for array in arrays))
        leaves, structure = nested.flatten(result)
        outputs = [leaf.operand() if isinstance(leaf, Symbol) else leaf for leaf in leaves]
        symbolic = [i for i, leaf in enumerate(leaves) if isinstance(leaf, Symbol)]
        states = [(array, symbol.operand()) for array, symbol in tracer.lifted.values()]
    graph = tracer.builder.finish([*(outputs[i] for i in symbolic), *(value for _, value in states)])
    values = evaluated(graph, [array.asnumpy() for array, _ in tracer.lifted.values()])
    for i, value in zip(symbolic, values, strict=False):
        outputs[i] = value
    for (array, _), value in zip(states, values[len(symbolic) :], strict=True):
        array._data[...] = value
    return nested.unflatten(structure, outputs)


def as_numpy(value: Any) -> Any:
    return value.asnumpy() if isinstance(value, ndarray) else value


@pytest.fixture
def both() -> Callable[..., Any]:
    """both(function, *numpy arrays): run in both modes, check results and written arguments, give the result."""

    def run(function: Callable[..., Any], *inputs: Any, rtol: float = 1e-6, atol: float = 1e-6) -> Any:
        eager, traced = ([ndarray(numpy.array(x)) for x in inputs] for _ in range(2))
        leaves, structure = nested.flatten(function(*eager))
        expected = [as_numpy(leaf) for leaf in leaves]
        found, other = nested.flatten(run_traced(function, traced))
        assert structure == other
        for want, got in zip([*expected, *map(as_numpy, eager)], [*found, *map(as_numpy, traced)], strict=True):
            numpy.testing.assert_allclose(got, want, rtol=rtol, atol=atol)
            assert numpy.asarray(got).dtype == numpy.asarray(want).dtype
            assert numpy.shape(got) == numpy.shape(want)
        return nested.unflatten(structure, expected)

    return run


@pytest.fixture
def trace() -> Callable[..., Any]:
    """trace(function, *numpy arrays): only the traced run."""
    return lambda function, *inputs: run_traced(function, [ndarray(numpy.array(x)) for x in inputs])
