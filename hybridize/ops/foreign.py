# SPDX-License-Identifier: Apache-2.0
"""`PythonCall`, a function of Python that a program calls while it runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import is_float
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType
from hybridize.graph import Graph, Node
from hybridize.loops.expr import Element, Routine
from hybridize.ops.op import Effect, Op, Operand, bind, type_of
from hybridize.ops.views import full
from hybridize.runtime import foreign
from hybridize.runtime.foreign import Callee


@frozen
class PythonCall(Op):
    """The results of a function of Python (`runtime.foreign`), called once for each time that the program comes there.

    Sizes of the results are numbers: a program is for those that the capture has seen.
    """

    title: str
    """The name that users know."""
    callee: str
    """The name by which the process finds it."""
    results: str
    """Types of the results, with that of the ticket, one after the other."""
    effect: ClassVar[Effect] = Effect.WORLD

    @property
    def types(self) -> tuple[TensorType, ...]:
        """Types of the results."""
        return tuple(map(TensorType.parse, self.results.split()))

    def infer(self, *inputs: TensorType) -> tuple[TensorType, ...]:
        return self.types

    def reference(self, *inputs: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        return tuple(foreign.call(self.callee, self.title, inputs, self.types))

    def vjp(self, g: tuple[Operand | None, ...], y: tuple[Operand, ...], *xs: Operand) -> tuple[Operand | None, ...]:
        return self.partial_vjp([True] * len(xs), g, y, *xs)

    def partial_vjp(self, wanted: Sequence[bool], *args: Any) -> tuple[Operand | None, ...]:
        g, y, *xs = args
        function = foreign.function_of(self.callee, self.title)
        wanted_inputs = tuple(k for k in function.learnt if wanted[k])
        pairs = list(zip(g, self.types, strict=True))
        heads = [full(0, kind) if one is None else one for one, kind in pairs if is_float(kind.dtype)]
        gradients: list[Operand | None] = [None] * len(xs)
        if wanted_inputs:
            callee = function.gradient(wanted_inputs)
            op = call_op(f"the gradient of {self.title}", callee, [type_of(xs[k]) for k in wanted_inputs])
            for k, one in zip(wanted_inputs, bind(op, *heads, *(y[-1:] if function.keeps else ()), *xs), strict=False):
                gradients[k] = one
        return tuple(gradients)

    def lower(self, *inputs: Element, types: tuple[TensorType, ...]) -> Routine:
        return Routine("foreign", (self.title, self.callee))


def call_op(title: str, callee: Callee, types: Sequence[TensorType]) -> PythonCall:
    """Return the op that calls a function whose results are of some types, of known sizes, ticket aside."""
    whole = [one.with_shape(tuple(map(int, one.shape))) for one in types]
    if callee.function.keeps:
        whole.append(TensorType((), numpy.dtype(numpy.int64)))
    return PythonCall(title, callee, " ".join(map(str, whole)))


def foreign_nodes(graph: Graph) -> Iterator[Node]:
    """List the calls of Python in a graph and the graphs inside."""
    for part in graph.nested():
        yield from (node for node in part.nodes if isinstance(node.op, PythonCall))
