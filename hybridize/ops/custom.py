# SPDX-License-Identifier: Apache-2.0
"""`CustomGradient`, a part of a graph whose gradient is not that of the operations it is made of; and `After`."""

from __future__ import annotations

from typing import Any, ClassVar

from numpy.typing import NDArray

from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType
from hybridize.graph import Graph
from hybridize.loops.expr import Element
from hybridize.ops.composite import OfBody
from hybridize.ops.gradient import apply
from hybridize.ops.op import OfComplex, Op, Operand
from hybridize.ops.views import full


@frozen
class After(Op):
    """`x`, but not before `y` is there: what is computed of it is not what was computed of `x` earlier."""

    axes_named: ClassVar[tuple[str, ...]] = ()
    of_complex = OfComplex.HOLOMORPHIC

    def infer(self, x: TensorType, y: TensorType) -> tuple[TensorType, ...]:
        return (x,)

    def reference(self, x: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        return (x,)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], *xs: Operand) -> tuple[Operand | None, ...]:
        return (g[0], None)

    def lower(self, x: Element, y: Element, *, types: tuple[TensorType, ...]) -> tuple[Element, ...]:
        return (x,)


@frozen
class CustomGradient(OfBody):
    """The results of `body`; the gradients of the operands `wrt` are the results of `back`.

    The first `results` outputs are the ones that are differentiated, the others are kept for `back` and are constants.
    An input of `back` is, by its number in `reads`: a cotangent of these results, an output, or an operand.
    """

    title: str
    body: Graph
    back: Graph
    results: int
    reads: tuple[int, ...]
    wrt: tuple[int, ...]

    def vjp(self, g: tuple[Operand | None, ...], y: tuple[Operand, ...], *xs: Operand) -> tuple[Operand | None, ...]:
        pairs = zip(g[: self.results], self.body.outputs, strict=False)
        pool = [*(full(0, value.type) if one is None else one for one, value in pairs), *y, *xs]
        gradients: list[Operand | None] = [None] * len(xs)
        for number, gradient in zip(self.wrt, apply(self.back, [pool[k] for k in self.reads]), strict=True):
            gradients[number] = gradient
        return tuple(gradients)
