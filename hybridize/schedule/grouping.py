# SPDX-License-Identifier: Apache-2.0
"""Fuse: decide which values are materialised, and in which kernel each one is computed.

Nodes are visited from last to first, so that every reader of a value is placed before the value is. A group is one
kernel in the making; it knows at which of its own indices each value is read (a pattern). A value is

    inlined   into the only group that reads it, at one pattern (or at several where it is cheap),
    a row     of that group: read several times by one row and costly, it is kept in a short array,
    joined    to a group that reads it: stored by that kernel on the way, because others want it too,
    a root    of a group of its own otherwise.

A fold is inlined only where all it is read at is the row it belongs to; that makes row kernels of softmax and
layer norm. A stored view lies where its base does, and what a stored concatenation is made of is stored straight into
it (see `places`). The last group that reads a contraction at its own index becomes the contraction's epilogue.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Any

from hybridize.base.dims import hint, product, same
from hybridize.base.frozen import changed, frozen, mutable
from hybridize.base.types import surely_same
from hybridize.graph import Graph, Node, Value
from hybridize.loops.expr import Axis, Const, Expr, Fold, Load, Region, whole
from hybridize.loops.index import Index, Space, bit
from hybridize.machine.target import Target
from hybridize.ops import Effect, effect_of
from hybridize.schedule import thresholds
from hybridize.schedule.contraction import Product, gates_fit
from hybridize.schedule.contraction.arrangement import Arrangement, reading
from hybridize.schedule.contraction.matrices import MatrixProduct, memory_order
from hybridize.schedule.contraction.product import as_row
from hybridize.schedule.device.contractions import ImplicitProduct
from hybridize.schedule.gates import Gates, find_gates
from hybridize.schedule.homes import Home, in_order, is_contiguous
from hybridize.schedule.lower import Local, LocalLoad, Lowerings, Tiled
from hybridize.schedule.places import Places, View
from hybridize.schedule.walks import WalkFinder

if TYPE_CHECKING:
    from hybridize.loops.index import Interner


Pattern = tuple[Expr, ...]
"""Indices at which a group reads a value, one per axis of the value."""


@mutable(eq=False)
class FusionGroup:
    """One kernel in the making."""

    space: Space
    shape: tuple[int, ...]
    rows: tuple[int, ...] | None = None
    """Axes that count the rows, once a fold has joined."""
    cost: int = 0
    recomputed: int = 0
    contraction: Value | None = None
    members: list[tuple[Value, Node, Local]] = field(default_factory=list)
    """Values computed here, last first."""
    materialised: dict[Value, Pattern] = field(default_factory=dict)
    """Values this group stores, and the pattern at which it computes them."""
    row_local: dict[Value, Pattern] = field(default_factory=dict)
    """Values that are row-local: kept in a short array while one row is computed."""
    variables: dict[tuple[int, ...], int] = field(default_factory=dict)
    """Fold variables of this group by value, pattern and variable of the local expression."""
    nodes: set[int] = field(default_factory=set)
    first: int = 1 << 60
    last: int = -1
    """Positions of the first node that this group stores a value of, and of the last node that it computes."""

    def add(self, value: Value, node: Node, local: Local, position: int) -> None:
        """Take a value in."""
        self.members.append((value, node, local))
        self.nodes.add(position)
        self.last = max(self.last, position)
        if value in self.materialised:  # what is computed here alone leads nowhere else
            self.first = min(self.first, position)


class NodeStep:
    """A node that is a step of its own: a contraction, routine or region."""

    __slots__ = ("effect", "epilogue", "first", "following", "last", "node", "operands", "product", "tiled")
    first: int
    last: int

    def __init__(self, node: Node, position: int, effect: bool) -> None:
        self.node: Node = node
        self.operands: tuple[Value, ...] = node.inputs
        """The values it reads: the node's inputs, or what they are transposes of."""
        self.tiled: Tiled | None = None
        """For a contraction: its kind of tiles, views of its operands composed into its index maps."""
        self.effect: bool = effect
        self.following: NodeStep | None = None
        """The next step with an effect: it must come later."""
        self.epilogue: FusionGroup | None = None
        self.product: Product | None = None
        """Of matrices: its sizes, and the gates that make an element of the epilogue."""
        self.first = self.last = position


Unit = FusionGroup | NodeStep


class Grouping:
    """The decisions for one graph."""

    def __init__(
        self,
        graph: Graph,
        lowerings: Lowerings,
        literals: Mapping[Value, Const],
        last: Iterable[Value] = (),
        homes: Mapping[Value, Home] | None = None,
    ) -> None:
        self.graph = graph
        self.homes: Mapping[Value, Home] = homes or {}
        """Of values that do not lie in the order of their axes."""
        self.places: Places = Places(lowerings.interner, self.homes, _read_in_order(graph, lowerings, self.homes))
        """In whose memory each stored value lies."""
        self.last: set[Value] = set(last)
        """Values to be stored as late as can be, because they take the place of others."""
        self.numbers: dict[Value, int] = {}
        self.lowerings = lowerings
        self.interner: Interner = lowerings.interner
        self.literals = literals
        """Constants that are one number: they need no storage."""
        self.groups: list[FusionGroup] = []
        self.steps: list[NodeStep] = []
        self.uses: dict[Value, dict[FusionGroup, dict[tuple[int, ...], Pattern]]] = {}
        self.readers: dict[Value, set[Unit]] = {}
        """Units that read a stored value."""
        self.output_slots: dict[Value, list[int]] = {}
        """Outputs of the graph that a value is to be found in."""
        self.owner: dict[Value, Unit] = {}
        """The unit that stores each value."""
        self._effect: NodeStep | None = None
        self._ends = [-1] * (len(graph.nodes) + 1)
        """A Fenwick tree: the greatest end of the units that begin up to a position."""
        self.producer: dict[Value, tuple[int, Node]] = {}
        for position, node in enumerate(graph.nodes):
            for value in node.outputs:
                self.producer[value] = (position, node)
        self._counted = self._of_indices()
        """Values that are quickly computed of indices and numbers alone, as masks are."""
        self._walks = WalkFinder(self.producer, lowerings, literals)
        self.counts: dict[Value, int] = graph.uses()
        """The reads of each value, as an output too."""
        self.finishing: set[Value] = self._finishing()
        """Values that an epilogue can give: a contraction is all but read for them."""
        for slot, value in enumerate(graph.outputs):
            self.output_slots.setdefault(value, []).append(slot)
        for position in range(len(graph.nodes) - 1, -1, -1):
            self._visit(position, graph.nodes[position])

    def _of_indices(self) -> dict[Value, int]:
        """The values that no memory is read for, with what an element costs."""
        costs: dict[Value, int] = {}
        for node in self.graph.nodes:
            lowered = self.lowerings.of(node)
            if not isinstance(lowered, tuple):
                continue
            # Not by a difference of sets, which goes over all literals for each node.
            read = {value for value in node.inputs if value not in self.literals}
            for value, local in zip(node.outputs, lowered, strict=True):
                if not local.folds and read <= costs.keys():
                    cost = local.cost + sum(costs[one] for one in read)
                    if cost <= thresholds.INDEX_OPS:
                        costs[value] = cost
        return costs

    def _finishing(self) -> set[Value]:
        values: set[Value] = set()
        for node in self.graph.nodes:
            lowered = self.lowerings.of(node)
            if isinstance(lowered, Tiled):
                values.update(node.outputs)
            elif isinstance(lowered, tuple) and len(lowered) == 1 and not lowered[0].folds:
                sources = [node.inputs[read.operand] for read in lowered[0].reads if read.identity]
                if any(source in values and self.counts[source] == 1 for source in sources):
                    values.add(node.outputs[0])
        return values

    # Visits

    def _visit(self, position: int, node: Node) -> None:
        lowered = self.lowerings.of(node)
        if isinstance(lowered, tuple):
            for value, local in zip(node.outputs, lowered, strict=True):
                self._decide(position, node, value, local)
            return
        step = NodeStep(node, position, effect_of(node.op) is not Effect.PURE)
        if step.effect:
            step.following, self._effect = self._effect, step
        self.steps.append(step)
        self._note_span(step)
        unchanged = invariant_state(node, lowered) if isinstance(lowered, Region) else ()
        for k, value in enumerate(node.outputs):
            if k in unchanged and value not in self.output_slots:
                self._forward_invariant(value, node.inputs[k])
                continue
            self.owner[value] = step
            for group in self.uses.get(value, {}):
                self.readers.setdefault(value, set()).add(group)
        if isinstance(lowered, Tiled):
            self._compose_views(step, lowered)
            if isinstance(step.tiled, MatrixProduct):
                step.product = step.tiled.product
            step.epilogue = self._epilogue(step, node.outputs[0])
            if step.epilogue is not None:
                step.epilogue.contraction = node.outputs[0]
                step.last = max(step.last, step.epilogue.last)
                self._note_span(step)
        for value in step.operands:
            self._add_reader(value, step)

    def _forward_invariant(self, value: Value, base: Value) -> None:
        """State that a loop never changes stays where it was."""
        identity = tuple(self.interner.axis(axis) for axis in range(value.type.ndim))
        placed = self.places.put(value, View(base, identity))
        assert placed, "a loop reads its state in the order of its axes"
        for unit in (*self.readers.get(value, ()), *self.uses.get(value, ())):
            self._add_reader(base, unit)

    def _compose_views(self, step: NodeStep, tiled: Tiled) -> None:
        """Let a contraction read the bases of views, as they lie."""
        operands = list(step.operands[:2])
        if isinstance(tiled, Arrangement | ImplicitProduct) and tiled.swapped:
            operands.reverse()
        for side in range(2):
            at, of = tiled, operands[side]
            stored = False
            while True:
                # What has a home with zeros around it is stored there, unless all of it can be read where it lies.
                stored = stored or (side == 0 and _needs_halo(at) and of in self.homes)
                pair = self._composed(at, of, side)
                if pair is None:
                    break
                at, of = pair
                if not self._can_store(at, step.node.outputs[0]):
                    break
                if not stored or self._is_read_as_it_lies(at, of, operands[1]):
                    tiled, operands[side] = at, of
        step.tiled, step.operands = tiled, (*operands, *step.operands[2:])
        if isinstance(tiled, MatrixProduct):
            self._note_matrices(tiled, operands)

    def _can_store(self, tiled: Tiled, result: Value) -> bool:
        """Tell whether tiles store a result at its home: rows of a whole batch may be those of no one matrix there."""
        if not isinstance(tiled, MatrixProduct):
            return True
        return memory_order(self.places.home(result), result.type.shape, merged=tiled.is_merged) is not None

    def _note_matrices(self, of: MatrixProduct, operands: Sequence[Value]) -> None:
        """Note how the operands of a product of matrices may lie.

        A weight is best in order, as it is packed: a single second matrix that is given.
        """
        x, w = operands
        is_batch = of.batch_axes and not of.shared_w
        self.places.matrices[x] = of.is_merged or self.places.matrices.get(x, False)
        if is_batch or self._is_computed(w):
            self.places.matrices[w] = self.places.matrices.get(w, False)
        else:
            self.places.ordered.add(w)

    def _is_computed(self, value: Value) -> bool:
        """Tell whether a value shows elements of one that the program computes."""
        while value in self.producer:
            node = self.producer[value][1]
            lowered = self.lowerings.of(node)
            expr = lowered[node.outputs.index(value)].expr if isinstance(lowered, tuple) else None
            if not isinstance(expr, Load):
                return True
            value = node.inputs[expr.operand]
        return False

    def _is_read_as_it_lies(self, tiled: Tiled, x: Value, w: Value) -> bool:
        """Tell whether tiles read an input or a constant of the program, the first operand, without a copy."""
        if x in self.producer or not isinstance(tiled, Arrangement):
            return False
        first, second = ((in_order(value.type.shape), value.type.dtype) for value in (x, w))
        return not reading(tiled, first, second, self.lowerings.target).copied

    def _composed(self, tiled: Tiled, view: Value, side: int) -> tuple[Tiled, Value] | None:
        """The contraction with the base of a view for an operand, if the same kind of tiles computes it."""
        entry = self.producer.get(view)
        lowered = None if entry is None else self.lowerings.of(entry[1])
        if entry is None or view in self.output_slots or not isinstance(lowered, tuple):
            return None
        expr = lowered[entry[1].outputs.index(view)].expr
        if not isinstance(expr, Load):
            return None
        base = entry[1].inputs[expr.operand]
        if base.type.dtype != view.type.dtype:
            return None
        if isinstance(tiled, MatrixProduct) and not self.places.is_ordered(base):
            return None  # its tiles read matrices in the order of their axes
        again = self.lowerings.through(tiled, side, expr, base.type)
        return (again, base) if again is not None and _is_like(tiled, again) else None

    def _add_reader(self, value: Value, unit: Unit) -> None:
        self.readers.setdefault(value, set()).add(unit)

    def _decide(self, position: int, node: Node, value: Value, local: Local) -> None:
        uses = self.uses.get(value, {})
        hard = value in self.output_slots or value in self.places or bool(self.readers.get(value))
        if not uses and not hard:
            return
        if not hard and value in self.finishing:
            self._unite(value)
        aliased = hard and self._make_alias(node, value, local)
        if aliased and not uses:
            return
        if (aliased or not hard) and self._inline(position, node, value, local, uses):
            return
        if aliased or self._make_alias(node, value, local):
            for group in uses:
                self._add_reader(self.places.base(value), group)
            return
        if self._place_parts(position, node, value, uses):
            return
        if same(value.type.size, 0) or not (
            self._join(position, node, value, local, uses) or self._fold_beside(position, node, value, local, uses)
        ):
            self._root(position, node, value, local)
        for group in uses:
            if self.owner[value] is not group:
                self._add_reader(value, group)

    # Concatenations

    def _place_parts(self, position: int, node: Node, value: Value, uses: Iterable[FusionGroup]) -> bool:
        """Have the operands of a stored concatenation lie within it, each stored straight there, if that pays.

        It pays if an operand is stored anyway, and the elements of each part that lie one after the other fill a vector
        at least. Operands that cannot lie there are copied there.
        """
        op: Any = node.op
        axis, shape = op.joined_along, value.type.shape
        if axis is None or value in self.last or same(value.type.size, 0):
            return False
        order = self.places.home(value).order
        at = order.index(axis)
        slowest = all(same(shape[one], 1) for one in order[:at])
        run = product(shape[one] for one in order[at + 1 :])
        lanes = self.lowerings.target.lanes(value.type.dtype.itemsize)
        operands = [(k, one) for k, one in enumerate(node.inputs) if not same(one.type.size, 0)]
        if not slowest and any(hint(one.type.shape[axis] * run) < lanes for _, one in operands):
            return False
        if not any(self._is_stored_anyway(one) for _, one in operands):
            return False
        readers = self.readers.setdefault(value, set())
        readers.update(uses)
        space, start = Space(self.interner, dict(enumerate(shape))), 0
        for k, operand in operands:
            axes: list[Expr] = [self.interner.axis(number) for number in range(len(shape))]
            axes[axis] = space.affine([(axes[axis], 1)], start)
            start = start + operand.type.shape[axis]
            view = View(value, tuple(axes))
            part = operand
            if not (self._may_lie(operand, order) and self.places.put(operand, view)):
                part = Value(operand.type, operand.name)
                placed = self.places.put(part, view)
                assert placed, "a part of an array is affine in its axes"
                self._root(position, node, part, self.lowerings.copy(k, operand.type))
            for reader in readers:
                self._add_reader(part, reader)
        return True

    def _is_stored_anyway(self, value: Value) -> bool:
        """Tell whether a value would not be computed where it is read: others want it, or a contraction or fold ends in
        it.
        """
        if value not in self.producer:
            return False
        node = self.producer[value][1]
        op: Any = node.op
        lowered = self.lowerings.of(node)
        if not isinstance(lowered, tuple):
            return True
        local = lowered[node.outputs.index(value)]
        wanted = bool(self.uses.get(value) or self.readers.get(value) or value in self.output_slots)
        if local.folds or op.joined_along is not None or (local.cost > 0 and wanted):
            return True
        return local.cost > 0 and any(map(self._ends_in_store, self._elements_of(value)))

    def _ends_in_store(self, value: Value) -> bool:
        """Tell whether a contraction or a fold gives a value."""
        if value not in self.producer:
            return False
        node = self.producer[value][1]
        lowered = self.lowerings.of(node)
        if not isinstance(lowered, tuple):
            return isinstance(lowered, Tiled)
        return bool(lowered[node.outputs.index(value)].folds)

    def _elements_of(self, value: Value) -> Iterable[Value]:
        """The values that only a value's own elementwise expression reads, each after all that read it.

        A value may be read several times, as a ReLU reads what it tests and may give.
        """
        reads = {value: self.counts[value]}
        front = [value]
        while front:
            one = front.pop()
            if one is not value:
                yield one
            node = self.producer[one][1] if one in self.producer else None
            lowered = () if node is None else self.lowerings.of(node)
            if node is None or not isinstance(lowered, tuple) or lowered[node.outputs.index(one)].folds:
                continue
            for other in node.inputs:
                reads[other] = reads.get(other, 0) + 1
                if reads[other] == self.counts[other]:
                    front.append(other)

    def _may_lie(self, value: Value, order: tuple[int, ...]) -> bool:
        """Tell whether a value may be stored within another one whose axes lie in this order."""
        if value not in self.producer or value in self.output_slots or value in self.places or value in self.literals:
            return False
        home = self.homes.get(value)
        if home is not None and (home.has_halo or home.order != order):
            return False
        node = self.producer[value][1]
        lowered = self.lowerings.of(node)
        if isinstance(lowered, tuple):
            return not isinstance(lowered[node.outputs.index(value)].expr, Load)
        return not isinstance(lowered, Region) or node.outputs.index(value) not in invariant_state(node, lowered)

    def _make_alias(self, node: Node, value: Value, local: Local) -> bool:
        """Have a stored view lie where what it views does."""
        view = _view_of(node, local)
        if view is None or view.base in self.literals or value in self.places:
            return False
        base = view.base
        home = self.places.within(value, view)
        if home is None:
            return False
        if value in self.homes and not _serves(home, self.homes[value], value):
            return False
        if value in self.output_slots:
            whole = same(home.offset, 0) and same(base.type.size, value.type.size)
            whole = whole and is_contiguous(home, value.type.shape)
            if not whole or base not in self.producer or base in self.places:
                return False
            if base in self.homes and self.homes[base].has_halo:
                return False
        if not self.places.put(value, view):
            return False
        for unit in self.readers.get(value, ()):
            self._add_reader(base, unit)
        if value in self.output_slots:
            self.places.ordered.update([value] if base in self.homes else [value, base])
            self.output_slots.setdefault(base, []).extend(self.output_slots.pop(value))
        return True

    def _inline(
        self,
        position: int,
        node: Node,
        value: Value,
        local: Local,
        uses: Mapping[FusionGroup, Mapping[tuple[int, ...], Pattern]],
    ) -> bool:
        """Compute the value where it is read, if that is worth it; else change nothing."""
        if len(uses) > 1 and not (local.cost == 0 or value in self._counted):
            trivial = local.cost <= 1 and len(local.reads) <= 1
            if not (trivial and all(len(patterns) == 1 for patterns in uses.values())):
                return False
        admissions = []
        for group, patterns in uses.items():
            admission = self._admit(group, value, local, tuple(patterns.values()))
            if admission is None:
                return False
            admissions.append(admission)
        for (group, patterns), admitted in zip(uses.items(), admissions, strict=True):
            if admitted.row_local:
                group.row_local[value] = admitted.pattern
            if admitted.rows is not None:
                group.rows = admitted.rows
            computed = [admitted.pattern] if admitted.row_local else list(patterns.values())
            if len(computed) > 1 and not admitted.once:
                group.recomputed += local.cost * (len(computed) - 1)
            self._take(group, position, node, value, local, computed)
        return True

    def _take(
        self, group: FusionGroup, position: int, node: Node, value: Value, local: Local, patterns: list[Pattern]
    ) -> None:
        """Compute `value` in `group` at `patterns`, and note at which patterns its operands are read there."""
        group.add(value, node, local, position)
        self._note_span(group)
        group.cost += _cost_of(local) * len(patterns)
        for pattern in patterns:
            for read in local.reads:
                operand = node.inputs[read.operand]
                if operand in self.literals:
                    continue
                read_at = pattern if read.identity else self.compose(group, value, node, pattern, read)
                uses = self.uses.get(operand)
                if uses is None:
                    uses = self.uses[operand] = {}
                uses.setdefault(group, {})[tuple(map(id, read_at))] = read_at

    def compose(self, group: FusionGroup, value: Value, node: Node, pattern: Pattern, read: LocalLoad) -> Pattern:
        """Return the indices at which `group` reads an operand of `value` when it computes `value` at `pattern`.

        Loads among the indices (of index data) name values by their number.
        """
        if read.identity:
            return pattern
        axes: dict[int, Expr] = dict(enumerate(pattern))
        numbers = [fold_variable(group, value, pattern, fold) for fold in read.folds]
        axes |= {fold.variable: self.interner.axis(number) for fold, number in zip(read.folds, numbers, strict=True)}
        facts = self.interner.facts
        if any(facts(index).reads or facts(index).folds for index in read.indices):
            return self._composed_of_data(group, value, node, pattern, read, axes)
        key = (id(read), tuple(group.space.ranges.items()), *map(id, pattern), *numbers)
        return self.lowerings.results.of(key, lambda: _moved(read.indices, group.space, axes))

    def _composed_of_data(
        self,
        group: FusionGroup,
        value: Value,
        node: Node,
        pattern: Pattern,
        read: LocalLoad,
        axes: Mapping[int, Expr],
    ) -> Pattern:
        """The same where data are indices, or something is added up for one."""

        def load(load: Load, indices: Pattern) -> Expr:
            operand = node.inputs[load.operand]
            number = self.numbers.setdefault(operand, len(self.numbers))
            return self.literals.get(operand) or self.interner.load(load.dtype, number, indices)

        def variable(fold: Fold) -> int:
            return fold_variable(group, value, pattern, fold)

        memo: dict[int, Expr] = {}
        return tuple(group.space.rewrite(index, axes, load, variable, memo) for index in read.indices)

    def _root(self, position: int, node: Node, value: Value, local: Local) -> None:
        """Begin a group that stores `value`."""
        space = Space(self.interner, dict(enumerate(value.type.shape)))
        group = FusionGroup(space, value.type.shape)
        pattern = tuple(space.axis(k) for k in range(value.type.ndim))
        if local.folds:
            group.rows = tuple(range(value.type.ndim))
        group.materialised[value] = pattern
        self.groups.append(group)
        self.owner[value] = group
        self._take(group, position, node, value, local, [pattern])

    def _join(
        self,
        position: int,
        node: Node,
        value: Value,
        local: Local,
        uses: Mapping[FusionGroup, Mapping[tuple[int, ...], Pattern]],
    ) -> bool:
        """Store `value` in a group that reads it anyway."""
        for group, patterns in uses.items():
            if group.contraction is not None or group.cost + _cost_of(local) > thresholds.KERNEL_COST:
                continue
            if len(group.members) >= thresholds.KERNEL_OPS:
                continue  # nothing more is computed there in registers: it would store each value of a long chain
            if local.choices and group.rows is not None:
                continue
            if value in self.finishing and group.rows is not None:
                continue  # as an epilogue it saves more than as a part of these rows
            if local.folds:
                rows = self._row_of(group, value, tuple(patterns.values()))
                if rows is None:
                    continue
                pattern = next(iter(patterns.values()))
            else:
                rows = group.rows
                covering = self._covering(group, value, tuple(patterns.values()))
                if covering is None:
                    continue
                pattern = covering
            others = {unit for unit in uses if unit is not group} | self.readers.get(value, set())
            if others and not self.last.isdisjoint(group.materialised):
                continue  # they would have to wait for what is to come last
            if others and self._reaches(others, group):
                continue
            group.rows = rows
            group.materialised[value] = pattern
            self.owner[value] = group
            self._take(group, position, node, value, local, [pattern])
            return True
        return False

    def _fold_beside(self, position: int, node: Node, value: Value, local: Local, uses: Iterable[FusionGroup]) -> bool:
        """Store a fold in a group of rows that folds the same elements, though neither needs the other."""
        if not local.folds or value in self.last:
            return False
        others, walks = {*uses, *self.readers.get(value, ())}, self._walks.of_fold(node, local)
        for group in self.groups:
            if group.contraction is not None or not surely_same(group.shape, value.type.shape):
                continue
            if group.rows is None or _counting(group.rows, group.shape) != _counting(
                range(value.type.ndim), group.shape
            ):
                continue
            if group.cost + _cost_of(local) > thresholds.KERNEL_COST or len(group.members) >= thresholds.KERNEL_OPS:
                continue
            if walks.keys().isdisjoint(self._walks.of_reads(self._folded(group), group.space.ranges)):
                continue
            if others and not self.last.isdisjoint(group.materialised):
                continue  # as where a group joins what it reads
            if others and self._reaches(others, group):
                continue
            pattern = tuple(group.space.axis(k) for k in range(value.type.ndim))
            group.materialised[value] = pattern
            self.owner[value] = group
            self._take(group, position, node, value, local, [pattern])
            return True
        return False

    def _folded(self, group: FusionGroup) -> Iterable[tuple[Value, Pattern]]:
        """The operands of a group's folds, with the patterns at which they are read."""
        for _, node, local in group.members:
            for read in local.reads if local.folds else ():
                operand = node.inputs[read.operand]
                for pattern in self.uses.get(operand, {}).get(group, {}).values():
                    yield operand, pattern

    def _reaches(self, starts: Iterable[Unit], goal: FusionGroup) -> bool:
        """Tell whether `goal` depends on one of `starts`, however indirectly: fusing across them would make a cycle.

        The units nearest before its end are looked at first, those behind it last: most paths are short.
        """

        def entry(unit: Unit) -> tuple[bool, int, int, Unit]:
            return unit.first > goal.last, -unit.first, id(unit), unit

        seen = set(starts)
        front = [entry(unit) for unit in seen]
        heapify(front)
        latest: int | None = None
        while front:
            unit = heappop(front)[-1]
            if unit is goal:
                return True
            following: list[Unit | None] = [unit.epilogue] if isinstance(unit, NodeStep) else []
            if unit.first > goal.last and latest is None:
                latest = self._latest(goal)
            if latest is None or unit.first <= latest:
                if isinstance(unit, NodeStep):
                    following.append(unit.following)
                for value in _results(unit):
                    following.extend(self.readers.get(value, ()))
                    following.extend(self.uses.get(value, ()))
            for one in following:
                if one is not None and one not in seen:
                    seen.add(one)
                    heappush(front, entry(one))
        return False

    def _note_span(self, unit: Unit) -> None:
        """Note where a unit begins and ends, whenever it has grown."""
        at = unit.first + 1
        while at < len(self._ends) and self._ends[at] < unit.last:  # what is above it knows no less
            self._ends[at] = unit.last
            at += at & -at

    def _latest(self, goal: FusionGroup) -> int:
        """The last position that may lead to a group: a unit that begins before its end may itself end later."""
        before, latest = -1, goal.last
        while latest != before:
            before = at = latest
            at += 1
            while at:
                latest = max(latest, self._ends[at])
                at &= at - 1
        return latest

    # Admission

    def _admit(self, group: FusionGroup, value: Value, local: Local, patterns: tuple[Pattern, ...]) -> Admission | None:
        """Decide how `group` would compute `value` at `patterns`; None if it must not."""
        if local.choices and group.rows is not None:
            return None  # the loops of rows are not split
        if local.folds:
            rows = None if group.contraction is not None else self._row_of(group, value, patterns)
            return None if rows is None else Admission(rows, False, patterns[0])
        if local.cost == 0:
            facts, most = self.interner.facts, thresholds.VIEW_PARTS
            plain = all(facts(index).size <= most for pattern in patterns for index in pattern)
            few = len(patterns) <= 8 or self._gates(group, value, patterns) is not None
            return Admission(None, False, patterns[0]) if few and plain else None
        if (
            group.cost + local.cost * len(patterns) > thresholds.KERNEL_COST
            or len(group.members) >= thresholds.KERNEL_OPS
        ):
            return None
        if len(patterns) == 1:
            fits = local.cost <= 2 or self._repeated(group, patterns[0]) <= 2
            return Admission(None, False, patterns[0]) if fits else None
        if group.rows is None and self._gates(group, value, patterns) is not None:
            return Admission(None, False, patterns[0], once=True)
        if len(patterns) <= 3 and local.cost <= 3 and group.recomputed + local.cost * len(patterns) <= 8:
            return Admission(None, False, patterns[0])
        if group.rows is None or group.contraction is not None:
            return None
        pattern = self._covering(group, value, patterns)
        if pattern is None:
            return None
        along = len(group.shape) - 1 not in (group.rows or ())
        if self._row_bytes(group, value) <= row_limit(self.lowerings.target, along):
            return Admission(None, True, pattern)
        again = local.cost * (len(patterns) - 1)
        return Admission(None, False, patterns[0]) if group.recomputed + again <= thresholds.AGAIN_COST else None

    def _reads_where_stored(self, group: FusionGroup, value: Value) -> bool:
        """Tell whether a group reads what it stores only at the element that it is computing."""
        stored = group.materialised[value]
        return all(
            all(index is own for index, own in zip(pattern, stored, strict=True))
            for pattern in self.uses.get(value, {}).get(group, {}).values()
        )

    def _row_bytes(self, group: FusionGroup, value: Value) -> int:
        rows = product(hint(group.shape[axis]) for axis in group.rows or ())
        return hint(value.type.nbytes) // max(1, rows)

    def _row_of(self, group: FusionGroup, value: Value, patterns: tuple[Pattern, ...]) -> tuple[int, ...] | None:
        """The axes that count rows if `value`, a fold, is to be computed once per row; None where it cannot."""
        if len(patterns) != 1:
            return None
        axes = radix(group.space, group.space.flat(patterns[0], value.type.shape), value.type.size)
        if axes is None or any(axis < 0 for axis in axes):
            return None
        rows = tuple(sorted(axes))
        # Axes of size 1 count nothing: leave them out on both sides.
        if group.rows is not None:
            return group.rows if rows == _counting(group.rows, group.shape) else None
        return rows if self._within_rows(group, rows) else None

    def _within_rows(self, group: FusionGroup, rows: tuple[int, ...]) -> bool:
        """Tell whether each row reads only its own part of what a group stores: other rows may not be computed yet.

        What was stored before there were rows was computed as a whole before anything read it.
        """
        return all(
            self._covering(group, value, (pattern, *self.uses.get(value, {}).get(group, {}).values()), rows) is not None
            for value, pattern in group.materialised.items()
        )

    def _covering(
        self, group: FusionGroup, value: Value, patterns: tuple[Pattern, ...], rows_of: tuple[int, ...] | None = None
    ) -> Pattern | None:
        """A pattern that, run over all rows and its own inner axes, computes each element of `value` once.

        All patterns must read the same row. None where they do not. `rows_of`: rows that the group has not yet.
        """
        rows = set(_counting(rows_of or group.rows or (), group.shape))
        shapes = set()
        best: Pattern | None = None
        for pattern in patterns:
            flat = group.space.flat(pattern, value.type.shape)
            axes = radix(group.space, flat, value.type.size)
            if axes is None or not rows <= set(axes):
                return None
            coefficients = coefficients_of(flat)
            row_part = frozenset((a, coefficients[a]) for a in axes if a in rows)
            inner = frozenset((coefficients[a], group.space.ranges[a]) for a in axes if a not in rows)
            shapes.add((row_part, inner))
            own = all(a >= 0 for a in axes)
            if best is None or own:
                best = pattern
        return best if len(shapes) == 1 else None

    def _repeated(self, group: FusionGroup, pattern: Pattern) -> int:
        """Estimate how many times each element would be recomputed at `pattern`, loop-invariant code being hoisted."""
        free = 0
        for index in pattern:
            free |= self.interner.free(index)
        if any(free & bit(variable) for variable in group.variables.values()):
            loops = list(group.rows or ())
        else:
            homes = [self.homes.get(value) for value in group.materialised]
            order = homes[0].order if homes and homes[0] else range(len(group.shape))  # loops run as it lies
            inner = [a for a in order if a not in (group.rows or ())]
            loops = [*(group.rows or ()), *inner]
            while loops and not free & bit(loops[-1]):
                loops.pop()
        times = 1
        for axis in loops:
            if not free & bit(axis):
                times *= hint(group.shape[axis])
        return times

    def _gates(self, group: FusionGroup, value: Value, patterns: Iterable[Pattern]) -> Gates | None:
        """The gates that patterns are of: parts of a value's columns, each of which one element of a group reads."""
        reads = [group.space.flat(pattern, value.type.shape) for pattern in patterns]
        return find_gates(group.space, group.shape, reads, value.type.size)

    def _epilogue(self, step: NodeStep, value: Value) -> FusionGroup | None:
        """The group that may finish the elements of a contraction as they are computed.

        Where it takes several sums for each, a product is told of its gates.
        """
        uses = self.uses.get(value, {})
        if value in self.output_slots or value in self.places or not uses or same(value.type.size, 0):
            return None
        if not self.readers.get(value, set()) <= set(uses):
            return None
        if step.product is not None:
            self._unite(value)
        if len(uses) != 1:
            return None
        group, patterns = next(iter(uses.items()))
        if group.rows is not None or group.contraction is not None or group.row_local:
            return None
        if not all(self._reads_where_stored(group, stored) for stored in group.materialised):
            return None
        if step.product is None:
            return group if self._finishes_each(group, value, patterns.values()) else None
        if not any(self.takes_sums(step, stored) for stored in group.materialised):
            return None
        gates = self._gates(group, value, patterns.values())
        if gates is not None:
            return group if self._take_gates(step, step.product, gates) else None
        (pattern, *others) = patterns.values()
        flat = group.space.flat(pattern, value.type.shape)
        identity = group.space.flat(tuple(group.space.axis(k) for k in range(len(group.shape))), group.shape)
        whole = not others and same(product(group.shape), value.type.size) and flat is identity
        return group if whole else None

    def takes_sums(self, step: NodeStep, value: Value) -> bool:
        """Tell whether tiles of matrices store a value: one with memory of its own, in the order of its axes or, of
        the result's shape, with rows of matrices close together.
        """
        if self.places.is_dense(value):
            return True
        if value in self.places or not isinstance(step.tiled, MatrixProduct) or step.product is None:
            return False
        if step.product.gates > 1 or not surely_same(value.type.shape, step.tiled.contraction.shape):
            return False
        layout = memory_order(self.places.home(value), value.type.shape, merged=step.tiled.is_merged)
        return layout is not None and not layout.turned

    def _unite(self, value: Value) -> None:
        """Make one group of those that read gates of a value, so that a product has them all (*horizontal fusion*)."""
        uses = self.uses[value]
        group, *others = uses
        patterns = {key: pattern for by_key in uses.values() for key, pattern in by_key.items()}
        if not others or not all(self._alike(group, other) for other in others):
            return
        if (
            sum(one.cost for one in uses) > thresholds.KERNEL_COST
            or self._gates(group, value, patterns.values()) is None
        ):
            return
        if any(self._reaches([one for one in uses if one is not other], other) for other in uses):
            return
        for other in others:
            self._absorb(group, other)

    def _alike(self, group: FusionGroup, other: FusionGroup) -> bool:
        """Tell whether two groups go over equal axes, element by element, and may do so together."""
        return (
            len(group.shape) == len(other.shape)
            and all(map(same, group.shape, other.shape))
            and all(self._is_plain(one) for one in (group, other))
        )

    def _is_plain(self, group: FusionGroup) -> bool:
        """Tell whether a group only computes elements, which nothing waits for to come last."""
        return (
            group.rows is None
            and group.contraction is None
            and not group.row_local
            and not group.variables
            and self.last.isdisjoint(group.materialised)
            and all(member in self.producer for member, _, _ in group.members)
        )

    def _absorb(self, group: FusionGroup, other: FusionGroup) -> None:
        """Have one group compute what another one does."""
        group.members += other.members
        group.members.sort(key=lambda member: self.producer[member[0]][0], reverse=True)
        group.materialised |= other.materialised
        group.cost += other.cost
        group.recomputed += other.recomputed
        group.nodes |= other.nodes
        group.first, group.last = min(group.first, other.first), max(group.last, other.last)
        self._note_span(group)
        for uses in self.uses.values():
            if other in uses:
                patterns = uses.pop(other)
                uses[group] = {**uses.get(group, {}), **patterns}
        for readers in self.readers.values():
            if other in readers:
                readers.remove(other)
                readers.add(group)
        for value in other.materialised:
            self.owner[value] = group
        self.groups.remove(other)

    def _finishes_each(self, group: FusionGroup, value: Value, patterns: Iterable[Pattern]) -> bool:
        """Tell whether a group reads each element of a value once, in any order."""
        (pattern, *others) = patterns
        axes = radix(group.space, group.space.flat(pattern, value.type.shape), value.type.size)
        own = axes is not None and all(axis >= 0 for axis in axes)
        return own and not others and same(product(group.shape), value.type.size)

    def _take_gates(self, step: NodeStep, product: Product, gates: Gates) -> bool:
        """Have a product computed with its gates side by side, if that can be."""
        operands = step.operands
        if same(product.n, 1):
            product, operands = as_row(product), operands[::-1]  # of one column, which has no prologue
        product = changed(product, gates=gates.count)
        if not same(product.n, gates.count * gates.columns):
            return False
        if not gates_fit(product, product.arithmetic(self.lowerings.target)):
            return False
        step.product, step.operands = product, operands
        self.places.ordered.update(operands)  # gates lie beside each other in order only
        return True


def _moved(indices: Pattern, space: Space, axes: Mapping[int, Expr]) -> Pattern:
    """Indices over other axes; there are neither loads nor folds in them."""

    def load(load: Load, indices: Pattern) -> Expr:
        return space.interner.load(load.dtype, load.operand, indices)

    memo: dict[int, Expr] = {}
    return tuple(space.rewrite(index, axes, load, lambda fold: fold.variable, memo) for index in indices)


@frozen
class Admission:
    """A decision to compute a value within a group: at which pattern, and whether it is row-local."""

    rows: tuple[int, ...] | None
    row_local: bool
    pattern: Pattern
    once: bool = False
    """True if several patterns are of different elements, so that none is computed twice."""


def row_limit(target: Target, along: bool) -> int:
    """Return the bytes of a row that stay near until it is read again; `along` if it lies along memory, by itself."""
    if target.device is not None:
        return target.device.shared_bytes // thresholds.SHARED_ROW_SHARE
    return max(thresholds.ROW_BYTES, target.l2_bytes // thresholds.ROW_SHARE) if along else thresholds.ROW_BYTES


def _counting(axes: Iterable[int], shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(axis for axis in axes if not same(shape[axis], 1)))


def _results(unit: Unit) -> Iterable[Value]:
    return unit.materialised if isinstance(unit, FusionGroup) else unit.node.outputs


def _cost_of(local: Local) -> int:
    """Cost that counts against the size of a kernel: a fold's body once, whatever its length."""
    return local.cost if not local.folds else 8


def coefficients_of(flat: Expr) -> dict[int, int]:
    """Coefficient of each axis in an affine expression."""
    if isinstance(flat, Axis):
        return {flat.number: 1}
    if isinstance(flat, Index):
        return {atom.number: c for atom, c in flat.terms if isinstance(atom, Axis)}
    return {}


def radix(space: Space, flat: Expr, size: int) -> tuple[int, ...] | None:
    """The axes, slowest first, of which `flat` is the mixed-radix number that takes each value in 0..size-1 once."""
    key = radix, id(flat), size, tuple(space.ranges.items())
    return space.interner.results.of(key, lambda: _radix(space, flat, size))


def _radix(space: Space, flat: Expr, size: int) -> tuple[int, ...] | None:
    if isinstance(flat, Const):
        return () if same(whole(flat), 0) and same(size, 1) else None
    if isinstance(flat, Index) and (
        not same(flat.constant, 0) or not all(isinstance(atom, Axis) for atom, _ in flat.terms)
    ):
        return None
    if not isinstance(flat, Index | Axis):
        return None
    left = coefficients_of(flat)
    ordered: list[int] = []
    expected = 1
    while left:
        axis = next((axis for axis, coefficient in left.items() if same(coefficient, expected)), None)
        if axis is None:
            return None
        del left[axis]
        ordered.append(axis)
        expected *= space.ranges[axis]
    return tuple(reversed(ordered)) if same(expected, size) else None


def fold_variable(group: FusionGroup, value: Value, pattern: Pattern, fold: Fold) -> int:
    """The group's own variable for a fold of `value` at `pattern`."""
    key = (id(value), *map(id, pattern), fold.variable)
    number = group.variables.get(key)
    if number is None:
        number = group.variables[key] = group.space.variable(fold.size)
    return number


def carried_state(node: Node, region: Region) -> int:
    """Return the number of a region's inputs that are loop-carried."""
    return {"cond": 0, "while": len(node.inputs), "scan": getattr(node.op, "num_carry", 0)}[region.kind]


def invariant_state(node: Node, region: Region) -> tuple[int, ...]:
    """The state that the body of a loop hands on as it is."""
    body = region.graphs[-1]
    return tuple(k for k in range(carried_state(node, region)) if body.outputs[k] is body.inputs[k])


def _view_of(node: Node, local: Local) -> View | None:
    """Return the base of a value that only shows elements of it, and which ones."""
    if not isinstance(local.expr, Load) or len(local.reads) != 1 or same(local.type.size, 0):
        return None
    base = node.inputs[local.expr.operand]
    return View(base, local.expr.indices) if base.type.dtype == local.type.dtype else None


def _serves(home: Home, wish: Home, value: Value) -> bool:
    """Tell whether a view's home is as good as the one that was chosen for it: the same fastest axis, no halo."""
    last = next((axis for axis in reversed(wish.order) if not same(value.type.shape[axis], 1)), None)
    return not wish.has_halo and (last is None or same(home.strides[last], 1))


def _is_like(tiled: Tiled, other: Tiled) -> bool:
    """Tell whether the same kind of tiles computes two contractions."""
    if isinstance(tiled, Arrangement) and isinstance(other, Arrangement):
        return tiled.is_like(other)
    if isinstance(tiled, ImplicitProduct) and isinstance(other, ImplicitProduct):
        return tiled.is_like(other)
    return type(tiled) is type(other)


def _needs_halo(tiled: Tiled) -> bool:
    return isinstance(tiled, Arrangement) and tiled.needs_halo


def _read_in_order(graph: Graph, lowerings: Lowerings, homes: Mapping[Value, Home]) -> Iterable[Value]:
    """The values that routines and regions read and store, and products store without a home: as dense arrays."""
    for node in graph.nodes:
        lowered = lowerings.of(node)
        if isinstance(lowered, MatrixProduct):
            yield from (value for value in node.outputs if value not in homes)
        elif not isinstance(lowered, tuple | Arrangement | ImplicitProduct):
            yield from node.inputs
            yield from node.outputs
