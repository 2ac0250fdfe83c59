# SPDX-License-Identifier: Apache-2.0
"""Find prologues: light expressions of stable values that a contraction reads second, and that tiles can compute.

    y = x (cast(w) * s)        becomes        y = contraction(x, w, s), whose tiles convert and scale what they load
                               or             y = contraction(x, w) * s, where s does not depend on what is summed over

What is computed so is no constant that calls would read instead: that would be larger than what it is made of. A factor
behind the sum takes no instruction of the loop; its products are rounded once for each sum, not for each term.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from hybridize.base.dims import known, same
from hybridize.base.dtypes import bool_, float32, float64
from hybridize.base.frozen import frozen
from hybridize.base.types import Shape, TensorType
from hybridize.graph import Graph, Node, OpLike, Value
from hybridize.loops.contraction import Contraction
from hybridize.loops.expr import Axis, CallExpr, Const, Element, Expr, Load, call
from hybridize.loops.index import Index, Space, children
from hybridize.loops.kernel import Param
from hybridize.loops.measure import walk
from hybridize.machine.arithmetic import converts_quickly
from hybridize.ops import Effect, Op, Reshape
from hybridize.schedule import thresholds
from hybridize.schedule.contraction import Product
from hybridize.schedule.contraction import thresholds as tiles
from hybridize.schedule.contraction.arrangement import Arrangement
from hybridize.schedule.contraction.ending import ACCUMULATED
from hybridize.schedule.contraction.matrices import MatrixProduct
from hybridize.schedule.contraction.prologue import BATCH, COLUMN, TERM, Prologue
from hybridize.schedule.lower import Lowerings


@frozen(eq=False)
class PrologueOp:
    """A contraction that reads the operands of a light expression in the place of its second operand."""

    op: OpLike
    contraction: Contraction
    second: TensorType
    """Of the second operand of `op`."""
    value: Expr
    """An element of it, over its axes: loads are of operand -1, which has its shape, and of those behind it from 0."""

    effect = Effect.PURE

    @property
    def name(self) -> str:
        """That of the contraction."""
        return self.op.name

    @property
    def graphs(self) -> Mapping[str, Graph]:
        """None are inside."""
        return {}

    def infer(self, *inputs: TensorType) -> tuple[TensorType, ...]:
        """Types of the outputs."""
        return self.op.infer(inputs[0], self.second)

    def lower(self, *_: Any, types: tuple[TensorType, ...]) -> Contraction:
        """The contraction, whose second operand lies as `second` would."""
        return self.contraction


@frozen(eq=False)
class ScaledOp:
    """The results of a contraction times factors that its second operand was multiplied by, element by element."""

    factors: tuple[Expr, ...]
    """Over the axes of the result: loads are of flat operands, whose numbers begin at 1."""

    effect = Effect.PURE

    @property
    def name(self) -> str:
        """That of the product that it takes the place of."""
        return "mul"

    @property
    def joined_along(self) -> None:
        """It joins no operands."""
        return

    @property
    def graphs(self) -> Mapping[str, Graph]:
        """None are inside."""
        return {}

    def infer(self, *inputs: TensorType) -> tuple[TensorType, ...]:
        """Types of the outputs."""
        return inputs[:1]

    def lower(self, *inputs: Element, types: tuple[TensorType, ...]) -> tuple[Element, ...]:
        """The product, from the innermost factor on; asked for at the axes of the result."""

        def element(index: tuple[Expr, ...]) -> Expr:
            value = inputs[0](index)
            for factor in self.factors:
                value = call("mul", value, factor)
            return value

        return (element,)


@frozen(eq=False)
class Prologues:
    """A graph whose contractions have prologues."""

    graph: Graph
    constants: frozenset[Value]
    """Operands of prologues that are not light themselves: stable, and worth being computed once."""
    made_of: Mapping[Node, tuple[Node, ...]]
    """The nodes that each contraction stands for, as the program says them."""


def prologues(
    graph: Graph, is_stable: Callable[[Value], bool], literal: Callable[[Value], Const | None], lowerings: Lowerings
) -> Prologues:
    """Give contractions prologues where these make few bits more.

    Args:
        graph: optimised.
        is_stable: tells whether a value depends on constants and stable inputs alone.
        literal: the number that a constant is, if it is one.
        lowerings: of its nodes.
    """
    return _Prologues(graph, is_stable, literal, lowerings).result()


class _Prologues:
    def __init__(
        self,
        graph: Graph,
        is_stable: Callable[[Value], bool],
        literal: Callable[[Value], Const | None],
        lowerings: Lowerings,
    ) -> None:
        self._graph, self._is_stable, self._literal, self._lowerings = graph, is_stable, literal, lowerings
        self._makers = {value: node for node in graph.nodes for value in node.outputs}
        self._nodes: list[Node] = []
        self._constants: list[Value] = []
        self._made_of: dict[Node, tuple[Node, ...]] = {}

    def result(self) -> Prologues:
        """As `prologues` gives it."""
        graph = self._graph
        for node in graph.nodes:
            self._nodes.append((self._suits(node) and self._with_prologue(node)) or node)
        if not self._made_of:
            return Prologues(graph, frozenset(), {})
        again = Graph(graph.inputs, tuple(self._nodes), graph.outputs, graph.constants)
        return Prologues(again, frozenset(self._constants), self._made_of)

    def _suits(self, node: Node) -> bool:
        """Tell whether tiles of a node can have a prologue, and its second operand is computed of stable values."""
        if len(node.inputs) != 2 or self._is_stable(node.inputs[0]) or not self._is_stable(node.inputs[1]):
            return False
        if node.inputs[1] not in self._makers:
            return False
        tiled = self._lowerings.of(node)
        if isinstance(tiled, Arrangement):
            return not tiled.swapped and tiled.has_panels and known(node.inputs[1].type.shape)
        if not isinstance(tiled, MatrixProduct) or tiled.contraction.precision.operand == bool_:
            return False
        *_, n, k = tiled.contraction.sizes
        batch = () if tiled.shared_w else tiled.contraction.shape[:-2]
        return known((n, k, *batch)) and n >= tiles.FEW_COLUMNS and k > 0

    def _is_of_fewer_bits(self, w: Value) -> bool:
        """Tell whether a value is made of one as large of a shorter type, by a few steps."""
        front = [w]
        for value in front:  # which grows
            if value.type.dtype.itemsize < w.type.dtype.itemsize and same(value.type.size, w.type.size):
                return True
            if value in self._makers and len(front) <= thresholds.PROLOGUE_COST:
                front += self._makers[value].inputs
        return False

    def _with_prologue(self, node: Node) -> Node | None:
        """A contraction with a prologue; None where its second operand is no light expression."""
        if not self._is_of_fewer_bits(node.inputs[1]):
            return None
        w, light = node.inputs[1], _Expression(self._makers, self._is_stable, self._literal, self._lowerings)
        value = light.of(w)
        main = light.main
        if main is None or not light.is_light or not converts_quickly(main.type.dtype, self._lowerings.target):
            return None
        others = [leaf for leaf in light.leaves if leaf is not main]
        small = thresholds.PROLOGUE_ELEMENTS * sum(leaf.type.size for leaf in others) <= w.type.size
        if not small or main.type.nbytes + sum(leaf.type.nbytes for leaf in others) >= w.type.nbytes:
            return None
        tiled = self._lowerings.of(node)
        assert isinstance(tiled, MatrixProduct | Arrangement)
        factors = list[Expr]()
        if _multiplies_as_it_sums(node, tiled.contraction):
            value, factors = _split(value, tiled.contraction, light.leaves[main])
        if isinstance(tiled, Arrangement) and not _is_of_result(value, tiled.contraction, light.leaves[main]):
            return None
        inside = [leaf for leaf in others if light.leaves[leaf] in _operands(value)]
        numbers = {light.leaves[leaf]: number for number, leaf in enumerate((main, *inside), ACCUMULATED)}
        space = Space(self._lowerings.interner, dict(enumerate(w.type.shape)))
        value = space.rewrite_deep(value, {}, self._loads(numbers), lambda fold: fold.variable, {})
        self._constants += [leaf for leaf in (main, *others) if leaf in self._makers]
        if main.type.shape != w.type.shape:
            main = self._reshaped(main, w.type.shape)
        op = PrologueOp(node.op, tiled.contraction, w.type, value)
        outputs = tuple(Value(one.type) for one in node.outputs) if factors else node.outputs
        again = Node(op, (node.inputs[0], main, *inside), outputs, node.loc)
        self._made_of[again] = (*(one for one in self._graph.nodes if one in light.nodes), node)
        if not factors:
            return again
        self._nodes.append(again)
        return self._scaled(again, node, tiled.contraction, factors, light.leaves)

    def _loads(self, numbers: Mapping[int, int]) -> Callable[[Load, tuple[Expr, ...]], Expr]:
        """Loads of the same elements of operands that have other numbers."""

        def load(load: Load, indices: tuple[Expr, ...]) -> Expr:
            return self._lowerings.interner.load(load.dtype, numbers[load.operand], indices)

        return load

    def _scaled(
        self,
        sums: Node,
        node: Node,
        contraction: Contraction,
        factors: Sequence[Expr],
        leaves: Mapping[Value, int],
    ) -> Node:
        """The results of `node`: sums times factors, which are over the axes of its second operand."""
        used = {number for factor in factors for number in _operands(factor)}
        operands = [leaf for leaf, number in leaves.items() if number in used]
        numbers = {leaves[leaf]: number for number, leaf in enumerate(operands, 1)}
        space = Space(self._lowerings.interner, dict(enumerate(contraction.shape)))
        axes = {
            k: space.axis(index.axis)
            for k, index in enumerate(contraction.w)
            if index.axis is not None and index.axis < contraction.rank
        }
        load = self._loads(numbers)
        over = tuple(space.rewrite_deep(factor, axes, load, lambda fold: fold.variable, {}) for factor in factors)
        flat = [leaf if leaf.type.ndim == 1 else self._reshaped(leaf, (leaf.type.size,)) for leaf in operands]
        return Node(ScaledOp(over), (*sums.outputs, *flat), node.outputs, node.loc)

    def _reshaped(self, value: Value, shape: Shape) -> Value:
        """A value in another shape."""
        op: Op = Reshape(shape)
        view = Value(TensorType(shape, value.type.dtype))
        self._nodes.append(Node(op, (value,), (view,)))
        return view


class _Expression:
    """A stable value as an expression of the values that it is made of by light steps alone (*leaves*)."""

    def __init__(
        self,
        makers: Mapping[Value, Node],
        is_stable: Callable[[Value], bool],
        literal: Callable[[Value], Const | None],
        lowerings: Lowerings,
    ) -> None:
        self._makers, self._is_stable, self._literal, self._lowerings = makers, is_stable, literal, lowerings
        self.leaves: dict[Value, int] = {}
        self.nodes: dict[Node, None] = {}
        """Those that compute it."""
        self.main: Value | None = None
        """The leaf of which each element has one at its own place."""
        self.is_light = False

    def of(self, value: Value) -> Expr:
        """The element of a value at its axes."""
        shape = value.type.shape
        self._space = space = Space(self._lowerings.interner, dict(enumerate(shape)))
        axes = tuple(space.axis(axis) for axis in range(len(shape)))
        expr = self._element(value, axes)
        whole = space.flat(axes, shape)
        loads = [node for node in walk(expr) if isinstance(node, Load)]
        mains = {load.operand for load in loads if load.indices[0] is whole}
        numbers = {number: leaf for leaf, number in self.leaves.items()}
        if len(mains) == 1 and isinstance(whole, Index):
            self.main = numbers[mains.pop()]
            beside = [load for load in loads if load.operand == self.leaves[self.main] and load.indices[0] is not whole]
            self.is_light = not beside and same(self.main.type.size, value.type.size)
        return expr

    def _element(self, value: Value, indices: tuple[Expr, ...]) -> Expr:
        number = self._literal(value)
        if number is not None:
            return number
        node = self._makers.get(value)
        lowered = None if node is None or not self._is_stable(value) else self._lowerings.of(node)
        if node is None or not isinstance(lowered, tuple) or not self._is_cheap(node, value):
            return self._loaded(value, indices)
        local = lowered[node.outputs.index(value)]
        self.nodes.setdefault(node)

        def load(load: Load, at: tuple[Expr, ...]) -> Expr:
            return self._element(node.inputs[load.operand], at)

        return self._space.rewrite(local.expr, dict(enumerate(indices)), load, lambda fold: fold.variable, {})

    def _loaded(self, value: Value, indices: tuple[Expr, ...]) -> Expr:
        number = self.leaves.setdefault(value, len(self.leaves))
        flat = self._space.flat(indices, value.type.shape)
        return self._lowerings.interner.load(value.type.dtype, number, (flat,))

    def _is_cheap(self, node: Node, value: Value) -> bool:
        """Tell whether one more step is light, too."""
        lowered = self._lowerings.of(node)
        assert isinstance(lowered, tuple)
        local = lowered[node.outputs.index(value)]
        cost = sum(of.cost for one in self.nodes for of in self._locals(one))
        return not (local.folds or local.choices) and cost + local.cost <= thresholds.PROLOGUE_COST

    def _locals(self, node: Node) -> Any:
        return self._lowerings.of(node)


def _outside(value: Expr, main: int) -> Iterator[Expr]:
    """The parts of an expression, but those of the index of operand `main`."""
    front: list[Expr] = [value]
    for node in front:  # which grows
        yield node
        if not isinstance(node, Load) or node.operand != main:
            front += children(node)


def _is_of_result(value: Expr, contraction: Contraction, main: int) -> bool:
    """Tell whether a prologue depends on axes of the result alone, as tiles over taps do not know those of sums."""
    axes = {contraction.w[node.number].axis for node in _outside(value, main) if isinstance(node, Axis)}
    return all(axis is not None and axis < contraction.rank for axis in axes)


def _operands(value: Expr) -> set[int]:
    """The numbers of the operands that an expression reads."""
    return {node.operand for node in walk(value) if isinstance(node, Load)}


def _multiplies_as_it_sums(node: Node, contraction: Contraction) -> bool:
    """Tell whether a factor may be multiplied by behind the sum: it is no coarser than the sum, and has its type."""
    types = (node.inputs[1].type.dtype, contraction.precision.accumulate, node.outputs[0].type.dtype)
    return types[0] in (float32, float64) and len(set(types)) == 1


def _split(value: Expr, contraction: Contraction, main: int) -> tuple[Expr, list[Expr]]:
    """Take factors that are the same for all terms of a sum off a prologue: what is left, and these, innermost first.

    What is left reads operand `main`.
    """
    factors = list[Expr]()
    while isinstance(value, CallExpr) and value.function == "mul":
        reads = [main in _operands(arg) for arg in value.args]
        if all(reads):
            break
        factor, rest = value.args[reads.index(False)], value.args[reads.index(True)]
        if not _is_of_result(factor, contraction, main):
            break
        factors.insert(0, factor)
        value = rest
    return value, factors


def prologue_of_taps(op: PrologueOp, operands: Sequence[Value], first: int, lowerings: Lowerings) -> Prologue:
    """The prologue of a contraction over taps, over the axes of its result; `operands` are those behind x, and loads of
    all but the first of them have numbers from `first` on.
    """
    contraction, interner = op.contraction, lowerings.interner
    space = Space(interner, dict(enumerate(contraction.sizes)))
    places = (index.axis for index in contraction.w)
    axes = {k: interner.number(0) if axis is None else space.axis(axis) for k, axis in enumerate(places)}
    return _over(op, operands, space, axes, first)


def prologue_of(op: PrologueOp, operands: Sequence[Value], product: Product, lowerings: Lowerings) -> Prologue:
    """The prologue of a product of matrices, over its batch, columns and terms; `operands` are those behind x."""
    contraction, interner = op.contraction, lowerings.interner
    *batch, _, column, term = range(len(contraction.sizes))
    space = Space(interner, {BATCH: product.batch, COLUMN: product.n, TERM: product.k})
    places: dict[int, Expr] = {column: space.axis(COLUMN), term: space.axis(TERM)}
    left = space.axis(BATCH)
    for axis in reversed(batch):
        places[axis] = space.mod(left, contraction.sizes[axis])
        left = space.floordiv(left, contraction.sizes[axis])
    zero = interner.number(0)
    axes = {k: zero if index.axis is None else places[index.axis] for k, index in enumerate(contraction.w)}

    return _over(op, operands, space, axes)


def _over(
    op: PrologueOp, operands: Sequence[Value], space: Space, axes: Mapping[int, Expr], first: int = 0
) -> Prologue:
    """A prologue over other axes."""

    def load(load: Load, indices: tuple[Expr, ...]) -> Expr:
        number = load.operand + first if load.operand >= 0 else load.operand
        return space.interner.load(load.dtype, number, indices)

    value = space.rewrite_deep(op.value, axes, load, lambda fold: fold.variable, {})
    main, *others = operands
    params = tuple(Param(one.type.dtype, one.type.size, False) for one in others)
    return Prologue(main.type.dtype, value, params)
