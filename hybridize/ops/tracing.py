# SPDX-License-Identifier: Apache-2.0
"""The plainest recording interpreter: operands are graph values, `bind` adds a node.

For graphs made by programs (importers, gradient rules, rewrite rules, bodies of composites). What a user's Python
needs beyond it (views, writes, guards, control flow) is `capture`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import NDArray

from hybridize.base.locations import SourceLoc
from hybridize.base.types import TensorType
from hybridize.graph import Builder, Graph, Value
from hybridize.ops.composite import Attributes, Composite
from hybridize.ops.op import Op, Operand, interpreting


class GraphTracer:
    """An interpreter that adds nodes to `builder`; `loc` is the source line given to them."""

    def __init__(self, builder: Builder | None = None, loc: SourceLoc | None = None) -> None:
        self.builder: Builder = Builder() if builder is None else builder
        self.loc = loc

    def bind(self, op: Op, operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
        """Add a node."""
        return self.builder.add(op, operands, self.loc)

    def type_of(self, operand: Operand) -> TensorType:
        """Type of a graph value."""
        kind: TensorType = operand.type
        return kind

    def constant(self, array: NDArray[Any]) -> Value:
        """Add a constant."""
        return self.builder.constant(array)

    def composite(
        self,
        label: str,
        attributes: Attributes,
        function: Callable[..., Sequence[Operand]],
        operands: Sequence[Operand],
    ) -> tuple[Operand, ...]:
        """Add one node whose body is what `function` does to operands of these types."""
        body = make_graph(function, [value.type for value in operands])
        return self.bind(Composite(label, attributes, body), tuple(operands))


def make_graph(
    function: Callable[..., Sequence[Operand]],
    types: Sequence[TensorType],
    names: Sequence[str] = (),
    *,
    tracer: GraphTracer | None = None,
) -> Graph:
    """Run `function` on graph values of the given types and return the graph of what it did.

    Args:
        function: of operands.
        types: of the inputs.
        names: of the inputs, as far as they have any.
        tracer: a new one that is in charge meanwhile; where None is given, one that knows nothing but operands.
    """
    recorder = GraphTracer() if tracer is None else tracer
    inputs = [recorder.builder.input(type, names[i] if i < len(names) else "") for i, type in enumerate(types)]
    with interpreting(recorder):
        outputs = function(*inputs)
    return recorder.builder.finish(outputs)
