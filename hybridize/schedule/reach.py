# SPDX-License-Identifier: Apache-2.0
"""The reach of the rows of matrices, where masks are functions of the indices (*causal masks*).

A mask is true up to a column that grows with the row. Scores whose only readers ask the mask first are not computed
behind that column; weights are 0 there, so that their product with values stops at it. A row reaches up to column
`row + reach`, which no row of a block or tile passes by much.

What is left out changes no bit of what stays, as it is nothing but zeros that would be added, unless a value there is
not finite: 0 times infinity is NaN, and left out here.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable

from hybridize.base.dims import is_symbolic, same
from hybridize.base.frozen import frozen
from hybridize.graph import Value
from hybridize.loops.expr import Axis, CallExpr, Const, Expr, Fold, Load, Select
from hybridize.loops.functions import FUNCTIONS
from hybridize.loops.index import Index, children
from hybridize.schedule import thresholds
from hybridize.schedule.draft import Draft, Drafts, DraftStatement
from hybridize.schedule.grouping import FusionGroup


class Reaches:
    """Those of the matrices of one program."""

    def __init__(self, drafts: Drafts) -> None:
        self._grouping = drafts.grouping
        self._drafts = drafts

    def asked(self, value: Value) -> int | None:
        """Return how far the rows of a stored value are asked for; None where any element may be."""
        if value.type.ndim < 2 or not self._grouping.places.is_dense(value) or value in self._grouping.output_slots:
            return None
        reaches: list[int] = []
        for unit in self._grouping.readers.get(value, ()):
            if not isinstance(unit, FusionGroup) or any(
                self._grouping.places.root(stored) is value for stored in unit.materialised
            ):
                return None
            draft = self._drafts.of(unit)
            if value not in draft.buffers:
                return None
            key = draft.buffers.index(value), value.type.shape[-1]
            reach = draft.results.of((_asked_by, *key), functools.partial(_asked_by, draft, *key))
            if reach is None:
                return None
            reaches.append(reach)
        return reaches[0] if reaches and all(same(reaches[0], other) for other in reaches) else None

    def filled(self, value: Value) -> int | None:
        """Return how far the rows of a stored value are anything but 0; None where that is not known."""
        owner = self._grouping.owner.get(value)
        if value.type.ndim < 2 or not self._grouping.places.is_dense(value):
            return None
        if not isinstance(owner, FusionGroup) or owner.contraction is not None:
            return None
        draft = self._drafts.of(owner)
        if value not in draft.buffers:
            return None  # it has no elements
        key = draft.buffers.index(value), value.type.shape[-1]
        return draft.results.of((_filled, *key), lambda: _filled(draft, *key))


def _filled(draft: Draft, buffer: int, columns: int) -> int | None:
    """Return how far the rows of what a group stores are anything but 0."""
    statements = [one for one in draft.statements if one.buffer == buffer]
    at = None if len(statements) != 1 else _place(statements[0].index, columns)
    return None if at is None else _Weight(draft, at.row).reach(statements[0].value, at.column)


@frozen
class _Place:
    """An element of a matrix: its row and column, each counted by one axis."""

    row: Axis
    column: Axis


def _place(address: Expr, columns: int) -> _Place | None:
    """The row and column of an address in matrices of so many columns; None where they are no axes by themselves."""
    if not isinstance(address, Index) or same(columns, 1):
        return None
    row = [atom for atom, step in address.terms if same(step, columns)]
    column = [atom for atom, step in address.terms if same(step, 1)]
    if len(row) != 1 or len(column) != 1 or not same(address.constant, 0):
        return None
    of, at = row[0], column[0]
    return _Place(of, at) if isinstance(of, Axis) and isinstance(at, Axis) and of.number >= 0 else None


def _asked_by(draft: Draft, buffer: int, columns: int) -> int | None:
    """Return how far a group asks for the rows of what it reads."""
    stack: list[tuple[Expr, tuple[tuple[Expr, bool], ...]]] = [(one.value, ()) for one in draft.statements]
    stack += [(one.index, ()) for one in draft.statements]
    seen: set[tuple[int, ...]] = set()
    reach: int | None = None
    while stack:
        expr, conditions = stack.pop()
        key = (id(expr), *(id(condition) for condition, _ in conditions))
        if key in seen:
            continue
        seen.add(key)
        if len(seen) > thresholds.REACH_VISITS:
            return None
        if isinstance(expr, Load) and expr.operand == buffer:
            at = _place(expr.indices[0], columns)
            bound = (
                None
                if at is None
                else _first(limit(condition, at.row, at.column, is_true=yes) for condition, yes in conditions)
            )
            if bound is None or (reach is not None and not same(bound, reach)):
                return None
            reach = bound
        if isinstance(expr, Select):
            stack.append((expr.condition, conditions))
            stack.append((expr.then, (*conditions, (expr.condition, True))))
            stack.append((expr.orelse, (*conditions, (expr.condition, False))))
        else:
            stack += [(child, conditions) for child in children(expr)]
    return reach


def _first(limits: Iterable[int | None]) -> int | None:
    return next((one for one in limits if one is not None), None)


def limit(condition: Expr, row: Axis, column: Axis, *, is_true: bool) -> int | None:
    """The reach of rows in which a condition has this outcome: it never has it in a column from `row + reach` on."""
    if not isinstance(condition, CallExpr):
        return None
    name, args = condition.function, condition.args
    if name == "not":
        return limit(args[0], row, column, is_true=not is_true)
    if name == ("and" if is_true else "or"):
        return _first(limit(arg, row, column, is_true=is_true) for arg in args)
    outcomes = FUNCTIONS[name].outcomes
    if outcomes is None or not isinstance(args[0], Index) or args[1] is not _zero_of(args[1]):
        return None
    steps = {id(atom): step for atom, step in args[0].terms}
    if set(steps) != {id(row), id(column)}:
        return None
    by_row, by_column, more = steps[id(row)], steps[id(column)], args[0].constant
    less, equal, greater = (holds == is_true for holds in outcomes)
    if same(by_row, 1) and same(by_column, -1) and not less:
        return more + 1 if equal else more
    if same(by_row, -1) and same(by_column, 1) and not greater:
        return 1 - more if equal else -more
    return None


def _zero_of(expr: Expr) -> Expr | None:
    """The expression itself if it is the number 0."""
    return expr if isinstance(expr, Const) and not expr.value and not is_symbolic(expr.value) else None


class _Weight:
    """A weight of a group, which is 0 where its score is -infinity: what is known of its parts."""

    def __init__(self, draft: Draft, row: Axis) -> None:
        self._draft = draft
        self._row = row

    def reach(self, expr: Expr, column: Axis, depth: int = 0) -> int | None:
        """Return how far a row of this expression is anything but 0, or NaN where all of the row is."""
        if depth > thresholds.REACH_DEPTH:
            return None
        match expr:
            case Select(condition=condition, then=then, orelse=orelse):
                if _zero_of(orelse) is not None:
                    return limit(condition, self._row, column, is_true=True)
                return limit(condition, self._row, column, is_true=False) if _zero_of(then) is not None else None
            case CallExpr(function="div", args=(x, y)):
                return self.reach(x, column, depth + 1) if self._is_total(y, x, column) else None
            case CallExpr(function="mul", args=(x, y)):
                return _first(
                    self.reach(one, column, depth + 1)
                    for one, other in ((x, y), (y, x))
                    if _is_finite(other) or self._is_share(other, one, column)
                )
            case CallExpr(function="exp", args=(CallExpr(function="sub", args=(score, top)),)):
                reach = self._below(score, column)
                return reach if reach is not None and self._is_top(top, score, column, reach) else None
            case Load():
                element = self._row_element(expr, column)
                return None if element is None else self.reach(element[0], element[1], depth + 1)
        return None

    def _below(self, score: Expr, column: Axis) -> int | None:
        """Return how far a row of scores is anything but -infinity, or NaN."""
        match score:
            case Select(condition=condition, then=then, orelse=orelse):
                if _is_lowest(orelse):
                    return limit(condition, self._row, column, is_true=True)
                return limit(condition, self._row, column, is_true=False) if _is_lowest(then) else None
            case CallExpr(function="add", args=(x, y)):
                return _first((self._below(x, column), self._below(y, column)))
            case Load():
                element = self._row_element(score, column)
                return None if element is None else self._below(*element)
        return None

    def _is_top(self, top: Expr, score: Expr, column: Axis, reach: int) -> bool:
        """Tell whether -infinity less this is -infinity, or NaN together with all of the row.

        The largest of the row is -infinity where all of the row is, if each has an element that the mask leaves; or it
        is cut at a number.
        """
        top = self._of_row(top)
        if isinstance(top, CallExpr) and top.function == "max":
            for x, y in (top.args, top.args[::-1]):
                if isinstance(x, Const) and math.isfinite(x.value):
                    return self._is_fold("max", self._of_row(y), score, column)
            return False
        return not is_symbolic(reach) and reach >= 1 and self._is_fold("max", top, score, column)

    def _is_total(self, total: Expr, term: Expr, column: Axis) -> bool:
        """Tell whether 0 divided by this is 0, or NaN together with all of the row: their sum, or never 0 nor NaN."""
        total = self._of_row(total)
        match total:
            case Select(condition=CallExpr(function="gt", args=(x, least)), then=then, orelse=Const(value=value)):
                return then is x and _zero_of(least) is not None and bool(value)
        return self._is_fold("sum", total, term, column)

    def _is_share(self, share: Expr, term: Expr, column: Axis) -> bool:
        """Tell whether this is 1 divided by such a total."""
        share = self._of_row(share)
        return (
            isinstance(share, CallExpr)
            and share.function == "div"
            and isinstance(share.args[0], Const)
            and self._is_total(share.args[1], term, column)
        )

    def _is_fold(self, kind: str, fold: Expr, element: Expr, column: Axis) -> bool:
        """Tell whether an expression folds a row of this element."""
        if not isinstance(fold, Fold) or fold.kind != kind or len(fold.elements) != 1:
            return False
        space = self._draft.space
        variable = space.interner.axis(fold.variable)
        moved = space.rewrite(
            element,
            {column.number: variable},
            lambda load, indices: space.interner.load(load.dtype, load.operand, indices),
            lambda inner: inner.variable,
            {},
        )
        return moved is fold.body

    def _of_row(self, expr: Expr) -> Expr:
        """An expression for a number of a row: that which is stored, where the group stores it."""
        if isinstance(expr, Load):
            stored = self._stored(expr)
            if stored is not None and stored.index is expr.indices[0]:
                return stored.value
        return expr

    def _row_element(self, load: Load, column: Axis) -> tuple[Expr, Axis] | None:
        """The element of a row that the group keeps, at a column, and the axis that counts its columns."""
        stored = self._stored(load)
        if stored is None or load.operand not in self._draft.row_local or load.indices[0] is not column:
            return None
        return (stored.value, stored.index) if isinstance(stored.index, Axis) else None

    def _stored(self, load: Load) -> DraftStatement | None:
        """The only statement that stores what is loaded."""
        statements = [one for one in self._draft.statements if one.buffer == load.operand]
        return statements[0] if len(statements) == 1 else None


def _is_lowest(expr: Expr) -> bool:
    return isinstance(expr, Const) and expr.dtype.kind == "f" and expr.value == -math.inf


def _is_finite(expr: Expr) -> bool:
    """Tell whether an expression is one of some finite numbers."""
    if isinstance(expr, Select):
        return _is_finite(expr.then) and _is_finite(expr.orelse)
    return isinstance(expr, Const) and not is_symbolic(expr.value) and math.isfinite(expr.value)
