# SPDX-License-Identifier: Apache-2.0
"""Calls to try a program with where nobody gave one, and what the specification says of them.

    candidates(graph, count)              inputs that a program may take, from the likely to the bland
    reference(graph, arrays)              the outputs, by the NumPy backend
    invented(graph, count, state)         the first candidate that the program takes, with its outputs

Data is seeded: the same graph is tried with the same numbers everywhere.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy
from numpy.typing import NDArray

from hybridize.base import dims
from hybridize.base.dims import SizeSymbol
from hybridize.base.dtypes import is_float
from hybridize.base.types import TensorType
from hybridize.formats.saved import CheckedCall
from hybridize.graph import Graph, sizes_of
from hybridize.ops.evaluate import evaluate
from hybridize.system.interruptions import let_through

LIMIT = 1 << 20
"""Bytes of a sample's inputs, and of its outputs, that programs and files keep."""
_WIDE = 16
"""Sizes are tried up to here beyond the smallest."""

Array = NDArray[Any]
Sizes = Mapping[SizeSymbol, int]
# In quotes: NumPy loads its random module, 12 ms, when it is first asked for.
_Maker: TypeAlias = "Callable[[numpy.random.Generator, tuple[int, ...]], Any]"

_FLOATS: tuple[_Maker, ...] = (
    lambda draw, shape: draw.standard_normal(shape),
    lambda draw, shape: draw.uniform(0.25, 1.0, shape),  # roots, logarithms and quotients exist
    lambda _, shape: numpy.ones(shape),
    lambda _, shape: numpy.zeros(shape),
)
_INTEGERS: tuple[_Maker, ...] = (
    lambda draw, shape: draw.integers(0, 2, shape),  # an index into whatever has two elements
    lambda draw, shape: draw.integers(1, 3, shape),  # divisors
    lambda _, shape: numpy.ones(shape),
    lambda _, shape: numpy.zeros(shape),
)


def candidates(graph: Graph, count: int, sizes: Sizes | None = None) -> Iterator[tuple[Array, ...]]:
    """Inputs for the first `count` inputs of a graph: standard normal and small whole numbers, then blander ones.

    Args:
        graph: the program.
        count: how many of its inputs are arguments.
        sizes: of its symbols; None: those that it was captured at.
    """
    types = [exact_type(value.type, sizes) for value in graph.inputs[:count]]
    for floats, integers in zip(_FLOATS, _INTEGERS, strict=True):
        draw = numpy.random.default_rng(20260101)
        arrays = [(floats if is_float(kind.dtype) else integers)(draw, kind.shape) for kind in types]
        yield tuple(numpy.asarray(array).astype(kind.dtype) for array, kind in zip(arrays, types, strict=True))


def exact_type(kind: TensorType, sizes: Sizes | None = None) -> TensorType:
    """A type for these sizes; None: for those that its symbols were first seen with."""
    scope = kind.scope
    if scope is None:
        return kind
    known = sizes if sizes is not None else {one: one.hint for one in scope.symbols}
    return kind.with_shape(tuple(dims.value(size, known) for size in kind.shape))


def reference(graph: Graph, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """Outputs of a graph by the NumPy backend; what it prints is not heard.

    Raises:
        HybridizeError: the program refuses the call.
    """
    with contextlib.redirect_stdout(io.StringIO()):
        return tuple(numpy.array(output, order="C", copy=True) for output in evaluate(graph, arrays))


def invented(graph: Graph, count: int, state: Sequence[Array], sizes: Sizes | None = None) -> CheckedCall | None:
    """A call that the program takes, with its outputs; None where no candidate is one.

    Args:
        graph: the program.
        count: how many of its inputs are arguments.
        state: arrays for the other inputs.
        sizes: as in `candidates`.
    """
    for inputs in candidates(graph, count, sizes):
        try:
            return CheckedCall(inputs, reference(graph, (*inputs, *state)))
        except Exception as error:  # of any class: what the program raises for these numbers
            let_through(error)
    return None


def other_sizes(graph: Graph) -> list[dict[SizeSymbol, int]]:
    """Sizes that a program holds for besides those that it was captured at: the smallest, and one more of each."""
    if graph.scope is None:
        return []
    symbols = graph.scope.symbols
    hints = {one: one.hint for one in symbols}
    wanted = [{one: one.low for one in symbols}, {one: one.hint + 1 for one in symbols}]
    wanted += [{one: min(one.low + step, one.high) for one in symbols} for step in (1, 3, 5, _WIDE)]
    choices: list[dict[SizeSymbol, int]] = []
    for sizes in wanted:
        shapes = [exact_type(value.type, sizes).shape for value in graph.inputs]
        if sizes != hints and sizes not in choices and sizes_of(graph, shapes) == sizes:
            choices.append(sizes)
    return choices[:2]
