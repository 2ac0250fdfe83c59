# SPDX-License-Identifier: Apache-2.0
"""`Hosted`, a part of a program that NumPy computes: machine code calls it by its way back into Python.

Complex numbers are NumPy's: kernels know none. `passes.HostComplex` makes the nodes that touch them such.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, ClassVar

from hybridize.base.dtypes import is_complex
from hybridize.base.errors import CaptureError, InternalError
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType
from hybridize.graph import Graph, Node, parse
from hybridize.loops.expr import Element, Routine
from hybridize.ops.composite import OfBody
from hybridize.ops.evaluate import evaluate
from hybridize.ops.op import OPS, Effect, OfComplex, Operand
from hybridize.runtime import hosted


@frozen
class Hosted(OfBody):
    """The results of `body`, computed by NumPy while a program runs, in the thread that calls the program."""

    title: str
    """The name that users know."""
    body: Graph

    effect: ClassVar[Effect] = Effect.HOST
    of_complex = OfComplex.RULED

    def vjp(self, *args: Any, **_: Any) -> tuple[Operand | None, ...]:
        """It is made of what was differentiated before."""
        raise InternalError("E910", f"{self.title}, which NumPy computes, was to be differentiated")

    def lower(self, *inputs: Element, types: tuple[TensorType, ...]) -> Routine:
        """A call back, with the graph as text.

        Raises:
            CaptureError E462: the graph holds large constants, which its text does not.
        """
        text = str(self.body)
        if "(sha256:" in text:
            raise CaptureError(
                "E462",
                f"{self.title} computes with complex numbers and a large constant inside a loop or branch",
                help="create the array outside the loop or branch",
            )
        return Routine("hosted", (self.title, repr(text)))


@lru_cache(maxsize=1024)
def _parsed(text: str) -> Graph:
    return parse(text, OPS)


def _computed(text: str, operands: hosted.Arrays) -> hosted.Arrays:
    return evaluate(_parsed(text), operands)


hosted.COMPUTE.fill(_computed)


def hosted_nodes(graph: Graph) -> Iterator[Node]:
    """List the nodes of a graph, and of the graphs inside, that NumPy computes: those that touch complex numbers."""
    for part in graph.nested():
        yield from (node for node in part.nodes if is_hosted(node))


def is_hosted(node: Node) -> bool:
    """Tell whether NumPy computes a node."""
    op: Any = node.op
    if op.effect is Effect.WORLD:
        return False
    for value in (*node.inputs, *node.outputs):
        if is_complex(value.type.dtype):
            return True
    return isinstance(op, Hosted)
