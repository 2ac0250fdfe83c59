# SPDX-License-Identifier: Apache-2.0
"""Lower each node by itself: its lowering evaluated at its own axes, in normal form, and its reads.

A `Load` of a local expression names one of the node's operands, with one index per axis of that operand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridize.base.dims import hint, same
from hybridize.base.errors import CodegenError
from hybridize.base.frozen import changed, frozen
from hybridize.base.memo import Memo
from hybridize.base.types import Shape, TensorType
from hybridize.graph import Node
from hybridize.loops import expr as expressions
from hybridize.loops.contraction import Contraction, element
from hybridize.loops.functions import FUNCTIONS
from hybridize.loops.index import Index, Interner, Space, children
from hybridize.loops.measure import walk
from hybridize.machine.arithmetic import Arithmetic
from hybridize.machine.target import Target
from hybridize.schedule.contraction.arrangement import Arrangement, arrangement
from hybridize.schedule.contraction.matrices import MatrixProduct, matrix_product
from hybridize.schedule.contraction.views import through
from hybridize.schedule.device.contractions import ImplicitProduct, block_product


@frozen
class LocalLoad:
    """One load of a local expression."""

    load: expressions.Load
    operand: int
    indices: tuple[expressions.Expr, ...]
    folds: tuple[expressions.Fold, ...]
    """Folds around the load, outermost first."""
    identity: bool
    """True if the indices are the node's own axes."""


@frozen
class Local:
    """One output of a node as an expression of its own index."""

    type: TensorType
    expr: expressions.Expr
    reads: tuple[LocalLoad, ...]
    cost: int
    """Of one element, in additions, at the sizes of the call that is compiled; 0 for a view."""
    folds: bool
    choices: int
    """Selects in it by index alone, as of concatenations: loops without them are faster."""


Tiled = MatrixProduct | Arrangement | ImplicitProduct
Lowered = tuple[Local, ...] | Tiled | expressions.Routine | expressions.Region


class Lowerings:
    """Lowers nodes; equal ops on equal types are lowered once."""

    def __init__(self, interner: Interner, target: Target) -> None:
        self.interner = interner
        self.target = target
        self.results: Memo = Memo()
        """Results that follow from parts of the program alone, by these."""
        self._known: dict[Any, Lowered] = {}
        self._of: dict[Node, Lowered] = {}

    def of(self, node: Node) -> Lowered:
        """The lowering of `node`."""
        lowered = self._of.get(node)
        if lowered is None:
            lowered = self._of[node] = self._alike(node)
        return lowered

    def _alike(self, node: Node) -> Lowered:
        types = tuple([value.type for value in node.inputs])
        key = (node.op, types)
        lowering = self._known.get(key)
        if lowering is None:
            lowering = self._known[key] = self._lower(node, types)
        return lowering

    def tiled(self, contraction: Contraction, shapes: tuple[Shape, Shape]) -> Tiled | None:
        """The kind of tiles that suit a contraction; None where it is a loop of folds, which others can join."""
        if all(same(size, 1) for size in contraction.sizes[contraction.rank :]):
            return None
        if self.target.device is not None:
            return block_product(contraction, shapes)
        lanes = Arithmetic(contraction.precision.accumulate, self.target).lanes
        return matrix_product(contraction, shapes) or arrangement(contraction, shapes, lanes)

    def through(self, tiled: Tiled, side: int, load: expressions.Load, base: TensorType) -> Tiled | None:
        """A contraction that reads the base of a view for an operand, an element of which is `load`; None if it cannot.

        `side` counts the operands in the order in which the tiles take them.
        """
        key = ("through", id(tiled), side, id(load), base)
        return self.results.of(key, lambda: (tiled, self._through(tiled, side, load, base)))[1]

    def _through(self, tiled: Tiled, side: int, load: expressions.Load, base: TensorType) -> Tiled | None:
        one = tiled.contraction
        subscripts = through((one.x, one.w)[side], one.sizes, tiled.shapes[side], load.indices, base.shape)
        if subscripts is None:
            return None
        shapes = (base.shape, tiled.shapes[1]) if side == 0 else (tiled.shapes[0], base.shape)
        composed = changed(one, x=subscripts) if side == 0 else changed(one, w=subscripts)
        return self.tiled(composed, shapes)

    def copy(self, operand: int, type: TensorType) -> Local:
        """An operand as it is."""
        return self._local(_element(operand, type), type)

    def _lower(self, node: Node, types: tuple[TensorType, ...]) -> Lowered:
        elements = [_element(k, type) for k, type in enumerate(types)]
        lowered = node.op.lower(*elements, types=types)  # type: ignore[attr-defined]
        if isinstance(lowered, Contraction):
            tiled = self.tiled(lowered, (types[0].shape, types[1].shape))
            if tiled is not None:
                return tiled
            lowered = (element(lowered, elements[0], elements[1], types),)
        if isinstance(lowered, expressions.Routine | expressions.Region):
            return lowered
        if len(lowered) != len(node.outputs):
            raise CodegenError("E957", f"{node.op.name} lowers to {len(lowered)} values, not {len(node.outputs)}")
        return tuple(self._local(element, value.type) for element, value in zip(lowered, node.outputs, strict=True))

    def _local(self, element: Any, type: TensorType) -> Local:
        space = Space(self.interner, dict(enumerate(type.shape)))
        axes = tuple(space.axis(k) for k in range(type.ndim))
        expr = element(tuple(expressions.Axis(space.axis(0).dtype, k) for k in range(type.ndim)) if axes else ())
        normal = space.rewrite(
            expr,
            {},
            lambda load, indices: self.interner.load(load.dtype, load.operand, indices),
            lambda fold: space.variable(fold.size),
            {},
        )
        reads, cost = _collected(normal, axes)
        facts = self.interner.facts
        choices = sum(isinstance(part, expressions.Select) and not facts(part.condition).reads for part in walk(normal))
        return Local(type, normal, reads, cost, self.interner.facts(normal).folds, choices)


def _element(operand: int, type: TensorType) -> Any:
    def element(indices: Sequence[expressions.Expr]) -> expressions.Expr:
        return expressions.Load(type.dtype, operand, tuple(indices))

    return element


def _collected(root: expressions.Expr, axes: tuple[expressions.Expr, ...]) -> tuple[tuple[LocalLoad, ...], int]:
    """The loads below `root`, and the cost of one element, folds counted by their length."""
    reads: list[LocalLoad] = []
    cost, seen = 0, set[int]()
    stack: list[tuple[expressions.Expr, tuple[expressions.Fold, ...], int]] = [(root, (), 1)]
    while stack:
        expr, folds, times = stack.pop()
        if id(expr) in seen:
            continue
        seen.add(id(expr))
        match expr:
            case expressions.Load(operand=operand, indices=indices):
                identity = len(indices) == len(axes) and all(a is b for a, b in zip(indices, axes, strict=True))
                reads.append(LocalLoad(expr, operand, indices, folds, identity))
            case expressions.CallExpr(function=function, args=args):
                index = isinstance(args[0], expressions.Axis | Index) and expr.dtype.kind == "i"
                cost += 0 if index else FUNCTIONS[function].cost * times
            case expressions.Select() | expressions.Cast():
                cost += times
            case expressions.Fold(size=size):
                times = times * hint(size)
                cost += times
                folds = (*folds, expr)
        stack += [(child, folds, times) for child in reversed(children(expr))]
    return tuple(reads), cost
