# SPDX-License-Identifier: Apache-2.0
"""Bounds of how far two right computations may be apart: where a sum cancels, rounding is large beside what is left."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.comparison import difference
from hybridize.base.dtypes import is_float
from hybridize.base.types import TensorType
from hybridize.graph import Graph, Value, sizes_of, with_sizes
from hybridize.ops import Cond, Scan, While
from hybridize.ops.control import Control
from hybridize.ops.elementwise import Elementwise
from hybridize.ops.evaluate import evaluate
from hybridize.passes import Inline

Buffer = NDArray[Any]
Draw = Callable[..., Any]
_EPS = {2: 2.0**-8, 4: 2.0**-24, 8: 2.0**-53}
"""Half an ulp of 1, by the bytes of an element; of the shortest floats of two bytes."""
_FACTOR = 16.0
_TRIES = 4


def local(op: Any, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> list[Buffer | None]:
    """For each result of an operation of these inputs, how far another computation of it may be away, absolutely.

    Compiled code may keep what is between two operations unrounded: so inputs count as known to half an ulp. Of
    integers and booleans it is how far they change where an input does by that much.
    """
    with numpy.errstate(all="ignore"):
        if isinstance(op, Control):
            return list(_moved(lambda draw: _ran(op, inputs, draw), outputs))
        if not isinstance(op, Elementwise):
            return [None if terms is None else _FACTOR * terms for terms in _terms(op, inputs, outputs)]
        slacks: list[Any] = [0.0 for _ in outputs]
        for position, x in enumerate(inputs):
            if not is_float(x.dtype):
                continue
            for direction in (1, -1):
                nudged = [*inputs[:position], _nudged(x, direction), *inputs[position + 1 :]]
                for number, (y, other) in enumerate(zip(outputs, op.reference(*nudged), strict=True)):
                    slacks[number] = slacks[number] + _apart(other, y)
        return [numpy.nan_to_num(4 * slack) for slack in slacks]


def _nudged(x: Buffer, direction: Any) -> Buffer:
    with numpy.errstate(all="ignore"):
        exact = x.astype(numpy.float64)
        nudged: Buffer = (exact + exact * direction * 2 * _EPS[x.dtype.itemsize]).astype(x.dtype)
    return nudged


def _apart(x: Buffer, y: Buffer) -> Buffer:
    with numpy.errstate(all="ignore"):
        apart: Buffer = numpy.abs(x.astype(numpy.float64) - y.astype(numpy.float64))
    return apart


def _terms(op: Any, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> list[Buffer | None]:
    """Half an ulp of the sum of what is added up, without signs, and the error of the result; None without a sum.

    NumPy adds along outer axes one element after the other: of many that are alike, each is rounded the same way.
    """
    if not op.sums or not is_float(outputs[0].dtype):
        return [None] * len(outputs)
    exact = [x.astype(numpy.float64) if is_float(x.dtype) else x for x in inputs]
    (terms,) = op.reference(*op.met(*(numpy.abs(x) if is_float(x.dtype) else x for x in exact)))
    error = _apart(outputs[0], *op.reference(*exact))
    step = _EPS[outputs[0].dtype.itemsize] * numpy.abs(terms.astype(numpy.float64))
    return [step + numpy.where(numpy.isfinite(error), error, 0.0)]


class Rounding:
    """The bounds of how far two right computations of one call of a graph may be apart.

    Args:
        graph: the program.
        inputs: of the call.
        expected: its outputs, or the first of them.
    """

    expected: Sequence[Buffer]
    graph: Graph
    inputs: Sequence[Buffer]

    def __init__(self, graph: Graph, inputs: Sequence[Buffer], expected: Sequence[Buffer]) -> None:
        self.graph, self.inputs, self.expected = graph, inputs, expected

    @cached_property
    def slack(self) -> list[Buffer]:
        """For each output how far it may be away where something cancels; that takes as long as many calls.

        Seen from what the graph itself gives: where something else is expected, that is no rounding.
        """
        with contextlib.redirect_stdout(io.StringIO()):  # what the program prints was heard already
            outputs = evaluate(self.graph, list(map(numpy.asarray, self.inputs)))
            return whole(self.graph, self.inputs, outputs[: len(self.expected)])

    def problems(
        self, outputs: Sequence[Buffer], precisions: Sequence[int] | None = None, error: float = 0.0
    ) -> list[str]:
        """Describe how each output differs from what is expected by more than rounding; empty if it does not.

        Args:
            outputs: of another computation.
            precisions: of each; see `base.comparison.difference`.
            error: of float32 and shorter, the absolute one that functions of the other computation have.
        """
        least = [8] * len(self.expected) if precisions is None else precisions
        three = list(zip(outputs, self.expected, least, strict=True))
        short = [is_float(y.dtype) and y.dtype.itemsize <= 4 for y in self.expected]
        errors = [numpy.asarray(error if one else 0.0) for one in short]
        texts = [difference(x, y, slack, precision) for (x, y, precision), slack in zip(three, errors, strict=True)]
        if not any(texts):
            return texts
        slacks = [slack + more for slack, more in zip(self.slack, errors, strict=True)]
        return [difference(x, y, slack, precision) for (x, y, precision), slack in zip(three, slacks, strict=True)]


def whole(graph: Graph, inputs: Sequence[Buffer], expected: Sequence[Buffer]) -> list[Buffer]:
    """The same for the first outputs of a graph: how far they move when every operation rounds differently."""
    graph = Inline()(graph)
    arrays = [numpy.asarray(x) for x in inputs]
    if graph.scope is not None:
        graph = with_sizes(graph, sizes_of(graph, [x.shape for x in arrays]) or {})
    return _moved(lambda draw: _shaken(graph, arrays, draw)[: len(expected)], expected)


def _moved(run: Callable[[Draw], Sequence[Buffer]], expected: Sequence[Buffer]) -> list[Buffer]:
    """Measure how far results move when every operation rounds differently."""
    slacks: list[Any] = [0.0 for _ in expected]
    for attempt in range(_TRIES):
        rng = numpy.random.default_rng(attempt)  # normal numbers: of draws among a few, some would move nothing
        for number, (y, other) in enumerate(zip(expected, run(rng.standard_normal), strict=True)):
            slacks[number] = numpy.fmax(slacks[number], _apart(other, y))
    return [numpy.nan_to_num(_FACTOR * slack) for slack in slacks]


def _shaken(graph: Graph, arrays: Sequence[Buffer], draw: Draw) -> list[Buffer]:
    """The outputs of a graph each of whose operations is off by half an ulp or so."""
    values: dict[Value, Buffer] = dict(zip(graph.inputs, arrays, strict=True))
    values.update(graph.constants)
    with numpy.errstate(all="ignore"):
        for node in graph.nodes:
            op: Any = node.op
            arguments = [values[value] for value in node.inputs]
            results = _ran(op, arguments, draw)
            for value, y, terms in zip(node.outputs, results, _terms(op, arguments, results), strict=True):
                if is_float(y.dtype) and not (op.view or op.moves):  # which round nothing: an exponent of 2 stays 2
                    exact = y.astype(numpy.float64)
                    step = _EPS[y.dtype.itemsize] * numpy.abs(exact) if terms is None else terms
                    y = (exact + step * draw(y.shape)).astype(y.dtype)
                values[value] = y
    return [values[value] for value in graph.outputs]


def _ran(op: Any, arguments: Sequence[Buffer], draw: Draw) -> Sequence[Buffer]:
    """The results of an operation, those inside of it off likewise."""
    match op:
        case Cond():
            return _shaken(op.then if arguments[0] else op.orelse, arguments[1:], draw)
        case While():
            now = list(arguments)
            while evaluate(op.cond, now)[0]:
                now = _shaken(op.body, now, draw)
            return now
        case Scan():
            return _scanned(op, arguments, draw)
    results: Sequence[Buffer] = op.reference(*arguments)
    return results


def _scanned(op: Scan, arguments: Sequence[Buffer], draw: Draw) -> Sequence[Buffer]:
    stacked = op.stacked([TensorType(x.shape, x.dtype) for x in arguments])
    state, rows = list(arguments[: op.num_carry]), op.reference(*arguments)[op.num_carry :]
    steps = range(op.length)
    for i in reversed(steps) if op.reverse else steps:
        rest = [x[i] if k in stacked else x for k, x in enumerate(arguments) if k >= op.num_carry]
        results = _shaken(op.body, [*state, *rest], draw)
        state = results[: op.num_carry]
        for y, part in zip(rows, results[op.num_carry :], strict=True):
            y[i] = part
    return [*state, *rows]
