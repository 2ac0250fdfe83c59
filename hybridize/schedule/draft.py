# SPDX-License-Identifier: Apache-2.0
"""A group's decisions carried out: one statement per value it stores or keeps, as expressions over the group's axes.

Loads name buffers of the draft by number; which of them share memory is not decided yet.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from hybridize.base.dims import same
from hybridize.base.frozen import frozen
from hybridize.base.memo import Memo
from hybridize.graph import Node, Value
from hybridize.loops.expr import Expr, Fold, Load
from hybridize.loops.index import children
from hybridize.schedule.contraction.ending import ACCUMULATED
from hybridize.schedule.grouping import FusionGroup, Grouping, Pattern, fold_variable, radix
from hybridize.schedule.lower import Local, LocalLoad

if TYPE_CHECKING:
    from hybridize.loops.index import Space


@frozen
class DraftStatement:
    """buffer[index] = value for each index of `inner`, axes or variables of the group, slowest first."""

    buffer: int
    inner: tuple[int, ...]
    index: Expr
    value: Expr


class Draft:
    """The statements of one group. `buffers` are stored values, or values kept in a row.

    Drafts of equal groups have the very same statements and space, and share what is made of them.
    """

    def __init__(self, group: FusionGroup, grouping: Grouping) -> None:
        self.group = group
        self.space: Space = group.space
        self.buffers: list[Value] = []
        self.row_local: set[int] = set()
        """Numbers of the buffers that are rows."""
        self.statements: list[DraftStatement] = []
        self.results: Memo = Memo()
        """All that is made of this and of equal drafts."""
        self._grouping = grouping
        self._interner = grouping.interner
        self._numbers: dict[Value, int] = {}
        self._known: dict[tuple[int, ...], Expr] = {}
        self._members = {value: (node, local) for value, node, local in group.members}

    @functools.cached_property
    def _values(self) -> dict[int, Value]:
        """The values that loads among patterns name."""
        return {number: value for value, number in self._grouping.numbers.items()}

    def write(self) -> None:
        """Make the statements."""
        group = self.group
        for value, node, local in reversed(group.members):
            if value in group.materialised or value in group.row_local:
                self._state(value, node, local)
            else:
                for pattern in self._grouping.uses[value][group].values():
                    self._inlined(value, pattern)

    def copy(self, other: Draft, buffers: list[Value]) -> None:
        """Take the statements of an equal group, whose buffers are these values here."""
        self.buffers, self.row_local, self.space = buffers, other.row_local, other.space
        self.statements, self.results = other.statements, other.results

    def _state(self, value: Value, node: Node, local: Local) -> None:
        stored = value in self.group.materialised
        pattern = (self.group.materialised if stored else self.group.row_local)[value]
        expr = self._compute(value, node, local, pattern)
        resolved = self._resolve(pattern)
        if same(value.type.size, 0):
            return
        axes = radix(self.space, self.space.flat(resolved, value.type.shape), value.type.size)
        assert axes is not None
        rows = self.group.rows or ()
        inner = tuple(axis for axis in axes if axis not in rows)
        number = self._buffer(value)
        if not stored:
            self.row_local.add(number)
        index = self._element_index(value, number, resolved)
        self.statements.append(DraftStatement(number, inner, index, expr))

    def _buffer(self, value: Value) -> int:
        """Number of the buffer in which `value` is stored: the memory of its root."""
        root = self._grouping.places.root(value)
        number = self._numbers.get(root)
        if number is None:
            number = self._numbers[root] = len(self.buffers)
            self.buffers.append(root)
        return number

    def _element_index(self, value: Value, number: int, indices: Pattern) -> Expr:
        if number in self.row_local:
            return self._within_row(value, self.space.flat(indices, value.type.shape))
        return self._grouping.places.address(self.space, value, indices)

    def _within_row(self, value: Value, flat: Expr) -> Expr:
        """The part of a flat index that counts within a row, close together."""
        axes = radix(self.space, flat, value.type.size)
        assert axes is not None
        parts, stride = [], 1
        for axis in reversed([axis for axis in axes if axis not in (self.group.rows or ())]):
            parts.append((self.space.axis(axis), stride))
            stride *= self.space.ranges[axis]
        return self.space.affine(parts)

    def _inlined(self, value: Value, pattern: Pattern) -> Expr:
        """The element of `value` at `pattern`."""
        key = (id(value), *map(id, pattern))
        element = self._known.get(key)
        if element is None:
            node, local = self._members[value]
            element = self._known[key] = self._compute(value, node, local, pattern)
        return element

    def _compute(self, value: Value, node: Node, local: Local, pattern: Pattern) -> Expr:
        reads = {id(read.load): read for read in local.reads}

        def load(load: Load, indices: Pattern) -> Expr:
            return self._access(value, node, pattern, reads[id(load)], indices)

        def variable(fold: Fold) -> int:
            return fold_variable(self.group, value, pattern, fold)

        axes = dict(enumerate(self._resolve(pattern)))
        return self.space.rewrite(local.expr, axes, load, variable, {})

    def _access(self, value: Value, node: Node, pattern: Pattern, read: LocalLoad, indices: Pattern) -> Expr:
        """An operand of `value` at `indices`."""
        operand = node.inputs[read.operand]
        if operand in self._grouping.literals:
            return self._grouping.literals[operand]
        if self._is_inlined(operand):
            return self._inlined(operand, self._grouping.compose(self.group, value, node, pattern, read))
        return self._stored(operand, indices)

    def _is_inlined(self, value: Value) -> bool:
        """Tell whether the group computes `value` where it is read, without a buffer."""
        return value in self._members and value not in self.group.materialised and value not in self.group.row_local

    def _stored(self, operand: Value, indices: Pattern) -> Expr:
        if operand is self.group.contraction:
            position = self.space.flat(indices, operand.type.shape)
            return self._interner.load(operand.type.dtype, ACCUMULATED, (position,))
        number = self._buffer(operand)
        return self._interner.load(operand.type.dtype, number, (self._element_index(operand, number, indices),))

    def _resolve(self, pattern: Pattern) -> Pattern:
        """`pattern` with loads of index data, which name values, replaced by what they load."""
        if not any(self._interner.facts(index).reads for index in pattern):
            return pattern

        def load(load: Load, indices: Pattern) -> Expr:
            operand = self._values[load.operand]
            if (
                operand in self._members
                and operand not in self.group.materialised
                and operand not in self.group.row_local
            ):
                return self._inlined(operand, load.indices)
            return self._stored(operand, indices)

        memo: dict[int, Expr] = {}
        return tuple(self.space.rewrite(index, {}, load, lambda fold: fold.variable, memo) for index in pattern)

    # ------------------------------------------------------------------------------------------------------- questions

    def in_place(self, target: int) -> list[int]:
        """Buffers that `target` may take the memory of: read only at the element that is then stored."""
        statements = [statement for statement in self.statements if statement.buffer == target]
        if len(self.statements) != 1 or len(statements) != 1 or self.group.rows:
            return []
        indices: dict[int, set[int]] = {}
        _loads(statements[0].value, indices, set())
        wanted = {id(statements[0].index)}
        return [number for number, places in indices.items() if places == wanted and number not in self.row_local]

    def elements(self, number: int) -> int:
        """Elements of the memory of a buffer."""
        return self._grouping.places.own(self.buffers[number]).elements

    def read_patterns(self, value: Value) -> list[Pattern]:
        """The patterns at which the group reads a value."""
        return list(self._grouping.uses[value][self.group].values())

    def read_buffers(self) -> set[int]:
        """Numbers of the buffers that are read."""
        indices: dict[int, set[int]] = {}
        seen: set[int] = set()
        for statement in self.statements:
            _loads(statement.value, indices, seen)
        return set(indices)


class Drafts:
    """Those of the groups of one program, each made once."""

    def __init__(self, grouping: Grouping) -> None:
        self.grouping = grouping
        self._drafts: dict[FusionGroup, Draft] = {}
        self._firsts: dict[tuple[Hashable, ...], tuple[Draft, _Form] | None] = {}
        """Drafts that nobody was compared with yet, by a part of their forms that costs little."""
        self._alike: dict[tuple[Hashable, ...], tuple[Draft, _Form]] = {}
        """The first draft of equal groups, by their form."""

    def of(self, group: FusionGroup) -> Draft:
        """The draft of a group; all groups are decided."""
        draft = self._drafts.get(group)
        if draft is None:
            draft = self._drafts[group] = self._made(group)
        return draft

    def _made(self, group: FusionGroup) -> Draft:
        draft, form = Draft(group, self.grouping), _Form(group, self.grouping)
        outline = group.shape, group.rows, *self._parts(group)
        is_new = outline not in self._firsts
        if not is_new:
            first = self._firsts[outline]
            if first is not None:
                self._alike.setdefault(first[1].key, first)
                self._firsts[outline] = None
            known = self._alike.get(form.key) if form.key else None
            if known is not None:
                values, numbers = list(form.numbers), known[1].numbers
                draft.copy(known[0], [values[numbers[value]] for value in known[0].buffers])
                return draft
        before = len(draft.space.ranges)
        draft.write()
        is_whole = before == len(draft.space.ranges)  # else the space of another group would lack a variable
        if is_new:
            self._firsts[outline] = (draft, form) if is_whole else None
        elif is_whole:
            self._alike[form.key] = draft, form
        return draft

    def _parts(self, group: FusionGroup) -> list[int]:
        """The expressions of a group, and the numbers in them, by their identities."""
        literals, parts = self.grouping.literals, list[int]()
        for _, node, local in group.members:
            parts.append(id(local))
            parts += [id(literals[value]) for value in node.inputs if value in literals]
        return parts


class _Form:
    """All that a draft is made of, the values by numbers in the order in which they are met.

    Expressions of one program are equal where they are the same, so that groups of equal keys have equal drafts.
    """

    def __init__(self, group: FusionGroup, grouping: Grouping) -> None:
        self.numbers: dict[Value, int] = {}
        self._group, self._grouping = group, grouping

    @functools.cached_property
    def key(self) -> tuple[Hashable, ...]:
        """Equal for equal groups; nothing where data are indices, since loads name values of the whole program."""
        group, facts, inlined = self._group, self._grouping.interner.facts, self._inlined
        parts: list[Hashable] = []
        seen: set[int] = set()  # indices without loads
        for value, node, local in reversed(group.members):
            patterns = self._patterns(value)
            parts += [self._operand(value), id(local), len(patterns)]
            for pattern in patterns:
                places = [*map(id, pattern)]
                if not seen.issuperset(places):
                    if any(facts(index).reads for index in pattern):
                        return ()
                    seen.update(places)
                parts += places
            for read in local.reads:
                operand = node.inputs[read.operand]
                if operand in inlined:
                    parts.append(self.numbers.setdefault(operand, len(self.numbers)))
                else:
                    parts.append(self._operand(operand))
        numbers = {id(value): number for value, number in self.numbers.items()}
        for (value_id, *rest), number in group.variables.items():
            if value_id not in numbers:
                return ()
            parts += [numbers[value_id], *rest, number]
        return group.shape, group.rows, tuple(group.space.ranges.items()), *parts

    def _patterns(self, value: Value) -> Sequence[Pattern]:
        """The patterns at which the group computes a value."""
        for patterns in (self._group.materialised, self._group.row_local):
            if value in patterns:
                return (patterns[value],)
        return tuple(self._grouping.uses[value][self._group].values())

    @functools.cached_property
    def _inlined(self) -> set[Value]:
        """Values that are computed where they are read."""
        group = self._group
        return {value for value, _, _ in group.members} - group.materialised.keys() - group.row_local.keys()

    def _operand(self, value: Value) -> Hashable:
        """A value by its number and, where it is stored, by how it lies."""
        literal = self._grouping.literals.get(value)
        if literal is not None:
            return "number", id(literal)
        number = self.numbers.setdefault(value, len(self.numbers))
        if value in self._inlined:
            return number
        if value is self._group.contraction:
            return "sum", value.type
        places, role = self._grouping.places, "row" if value in self._group.row_local else "stored"
        root = places.root(value)
        return role, number, self.numbers.setdefault(root, len(self.numbers)), places.outline(value)


def _loads(expr: Expr, indices: dict[int, set[int]], seen: set[int]) -> None:
    if id(expr) in seen:
        return
    seen.add(id(expr))
    if isinstance(expr, Load):
        indices.setdefault(expr.operand, set()).add(id(expr.indices[0]))
    for child in children(expr):
        _loads(child, indices, seen)
