# SPDX-License-Identifier: Apache-2.0
"""From a draft to a kernel: axes merged where memory is in order, an axis for vectors chosen, pieces split.

Merging: axes a (slower) and b are one axis where every index expression that has either has coefficient(a) =
coefficient(b) * size(b). Splitting: a loop whose body selects by comparing one axis with a number becomes one loop
per outcome, which is how concatenation and padding cost nothing.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

from hybridize.base import dims
from hybridize.base.dims import is_symbolic, product, same
from hybridize.base.frozen import frozen
from hybridize.loops.expr import Axis, CallExpr, Const, Expr, Fold, Load, Select, whole
from hybridize.loops.functions import FUNCTIONS
from hybridize.loops.index import Index, Interner, Space, bit, children
from hybridize.loops.kernel import Param, Statement
from hybridize.loops.measure import walk, weight
from hybridize.loops.monoids import inner, monoid
from hybridize.machine.target import Target
from hybridize.schedule import thresholds
from hybridize.schedule.device.nests import nests_of
from hybridize.schedule.draft import Draft, DraftStatement
from hybridize.schedule.kernel import Kernel, Nest
from hybridize.schedule.nests import Nests
from hybridize.schedule.online import in_one_pass
from hybridize.schedule.quotients import by_quotients
from hybridize.schedule.residues import by_residues
from hybridize.schedule.siblings import share_loops
from hybridize.schedule.together import LoopedStatement, rewritten, together
from hybridize.schedule.vectors import lanes_for, typical


@frozen
class Numbering:
    """Numbers for the buffers of a draft: params, of which several buffers may share one, or row-local ones."""

    params: tuple[Param, ...]
    locals: tuple[Param, ...]
    buffers: Mapping[int, int]

    @property
    def key(self) -> tuple[Hashable, ...]:
        """Equal for equal numberings."""
        return self.params, self.locals, tuple(self.buffers.items())


def finish(draft: Draft, numbering: Numbering, target: Target, threads: int = 1) -> Kernel:
    """The kernel of a draft, of which so many threads may have something to do; one for equal drafts."""
    key = (finish, numbering.key, target, threads)
    return draft.results.of(key, lambda: _finished(draft, numbering, target, threads))


def _finished(draft: Draft, numbering: Numbering, target: Target, threads: int) -> Kernel:
    builder = nests_of(target, numbering.params, numbering.locals, draft.space.interner)
    if draft.group.rows:
        nests = _row_nests(draft, draft.statements, numbering, builder, threads=threads)
    else:
        nests = []
        for _, run in itertools.groupby(draft.statements, key=lambda statement: statement.inner):
            statements = list(run)
            if any(draft.space.interner.facts(statement.value).folds for statement in statements):
                nests += _row_nests(draft, statements, numbering, builder, threads=threads)
            else:
                nests += _element_nests(draft, statements, numbering, builder)
    return builder.kernel(numbering.params, numbering.locals, nests)


def finish_rows(draft: Draft, rows: tuple[int, ...], numbering: Numbering, target: Target) -> Kernel:
    """The kernel of a draft as one nest, the rows of which these axes count, slowest first: each row by itself."""

    def make() -> Kernel:
        builder = Nests(target, (*numbering.params, *numbering.locals), draft.space.interner)
        nests = _row_nests(draft, draft.statements, numbering, builder, rows)
        return Kernel(numbering.params, numbering.locals, tuple(nests))

    return draft.results.of((finish_rows, rows, numbering.key, target), make)


def suits_rows(draft: Draft, rows: tuple[int, ...], target: Target) -> bool:
    """Tell whether a draft of elementwise statements runs as well row by row: in full vectors along memory."""
    lanes = target.lanes(4)
    return draft.results.of((suits_rows, rows, lanes), lambda: _has_full_rows(draft, rows, lanes))


def _has_full_rows(draft: Draft, rows: tuple[int, ...], lanes: int) -> bool:
    space = draft.space
    for statement in draft.statements:
        inner = _inner(statement, rows, space, forms_of([statement.index, statement.value]))
        if not inner or _suits(statement.index, inner[-1][-1], space) != 2:
            return False
        if typical(_extent(inner[-1], space.ranges)) < lanes:
            return False
    return True


# Merging of axes


Form = Mapping[int, int]
"""Coefficients of the axes in one index expression."""


def forms_of(roots: Iterable[Expr]) -> list[Form]:
    """The axes' coefficients in each index expression below `roots`."""
    forms: list[Form] = []
    seen: set[int] = set()
    stack = list(roots)
    while stack:
        expr = stack.pop()
        if id(expr) in seen:
            continue
        seen.add(id(expr))
        if isinstance(expr, Index):
            forms.append({atom.number: c for atom, c in expr.terms if isinstance(atom, Axis)})
            stack += [atom for atom, _ in expr.terms if not isinstance(atom, Axis)]
        elif isinstance(expr, Axis):
            forms.append({expr.number: 1})
        else:
            stack += children(expr)
    return forms


def merge(axes: Sequence[int], sizes: Mapping[int, int], forms: Sequence[Form]) -> list[tuple[int, ...]]:
    """Runs of `axes` (slowest first) that can be counted as one axis."""
    runs: list[list[int]] = []
    for axis in axes:
        if runs and all(_in_order(form, runs[-1], axis, sizes) for form in forms):
            runs[-1].append(axis)
        else:
            runs.append([axis])
    return [tuple(run) for run in runs]


def _in_order(form: Form, run: Sequence[int], fast: int, sizes: Mapping[int, int]) -> bool:
    return same(form.get(run[-1], 0), form.get(fast, 0) * sizes[fast])


def _extent(run: Iterable[int], sizes: Mapping[int, int]) -> int:
    return product(sizes[axis] for axis in run)


def _substitution(runs: Sequence[tuple[int, ...]], interner: Interner, start: int) -> dict[int, Expr]:
    """Each run becomes one axis, numbered from `start`: its fastest member counts the whole run."""
    mapping: dict[int, Expr] = {}
    for number, run in enumerate(runs, start):
        for axis in run[:-1]:
            mapping[axis] = interner.number(0)
        mapping[run[-1]] = interner.axis(number)
    return mapping


class Variables:
    """Numbers for the folds of a nest: a fold of the draft has one, wherever it is met, so that equal folds are one."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, int], int] = {}

    def number(self, origin: str, variable: int, size: int, space: Space) -> int:
        """The number in place of a variable of the draft, or in place of nested ones that became one."""
        number = self._numbers.setdefault((origin, variable), -1 - len(self._numbers))
        space.ranges[number] = size
        return number


class _Rewriting:
    """Moves expressions of a draft into a kernel's axes and buffers."""

    def __init__(
        self,
        interner: Interner,
        ranges: Mapping[int, int],
        mapping: dict[int, Expr],
        numbering: Numbering,
        variables: Variables,
    ) -> None:
        self.space = Space(interner, ranges)
        self._variables = variables
        self._mapping = mapping
        self._numbering = numbering
        self._memo: dict[int, Expr] = {}

    def __call__(self, expr: Expr) -> Expr:
        return self.space.rewrite_deep(expr, self._mapping, self._load, self._variable, self._memo)

    def _load(self, load: Load, indices: tuple[Expr, ...]) -> Expr:
        operand = self._numbering.buffers.get(load.operand, load.operand)
        return self.space.interner.load(load.dtype, operand, indices)

    def _variable(self, fold: Fold) -> int:
        return self._variables.number("draft", fold.variable, fold.size, self.space)


# Elementwise nests


def _element_nests(
    draft: Draft, statements: Sequence[DraftStatement], numbering: Numbering, nests: Nests
) -> list[Nest]:
    """Statements over the same axes, without folds: one nest, or one per piece."""
    space, sizes = draft.space, draft.space.ranges
    roots = [expr for statement in statements for expr in (statement.index, statement.value)]
    runs = merge([a for a in statements[0].inner if not same(sizes[a], 1)], sizes, forms_of(roots))
    runs = _lane_last(runs, statements, space)
    extents = [_extent(run, sizes) for run in runs]
    substitution = _substitution(runs, space.interner, 0)
    rewriting = _Rewriting(space.interner, dict(enumerate(extents)), substitution, numbering, Variables())
    moved = [
        LoopedStatement(tuple(extents), Statement(numbering.buffers[s.buffer], rewriting(s.index), rewriting(s.value)))
        for s in statements
    ]
    turned = by_quotients(moved, space.interner, nests.vectors)
    if turned is not None:
        moved, extents = turned, list(turned[0].sizes)
    groups = together(moved)
    # A statement that reads another element of what an earlier one stores waits for all pieces of that one.
    pieces = [
        [part for piece in split(group, extents, space.interner) for part in by_residues(piece, space.interner)]
        for group in groups
    ]
    if all(len(group) == 1 and len(group[0]) == len(parts) for group, parts in zip(pieces, groups, strict=True)):
        return nests.nests((), moved)
    if nests.target.device is not None:  # pieces of one size are one launch
        return [nest for group in pieces for nest in nests.nests((), [one for piece in group for one in piece])]
    return [nest for group in pieces for piece in group for nest in nests.nests((), piece)]


def _lane_last(
    runs: list[tuple[int, ...]], statements: Sequence[DraftStatement], space: Space
) -> list[tuple[int, ...]]:
    """The runs with the one last along which most of memory is in order."""
    if len(runs) < 2:
        return runs
    best = max(
        range(len(runs)),
        key=lambda k: (
            _contiguous(runs[k][-1], statements, space) * min(8, typical(_extent(runs[k], space.ranges))),
            k,
        ),
    )
    return [run for k, run in enumerate(runs) if k != best] + [runs[best]]


def _contiguous(axis: int, statements: Sequence[DraftStatement], space: Space) -> int:
    """Score how well vectors along `axis` suit the loads and stores; 0 is worst."""
    score, seen = 1, set[int]()
    stack: list[Expr] = []
    for statement in statements:
        score += 3 * _suits(statement.index, axis, space)
        stack.append(statement.value)
    while stack:
        expr = stack.pop()
        if id(expr) in seen:
            continue
        seen.add(id(expr))
        if isinstance(expr, Load):
            score += _suits(expr.indices[0], axis, space)
        stack += children(expr)
    return score


def _suits(address: Expr, axis: int, space: Space) -> int:
    """2 where consecutive values of `axis` are consecutive in memory, 1 where it does not matter, 0 for a gather."""
    if not space.interner.free(address) & bit(axis):
        return 1
    terms = address.terms if isinstance(address, Index) else ((address, 1),)
    inside = [c for atom, c in terms if isinstance(atom, Axis) and atom.number == axis]
    nested = any(space.interner.free(atom) & bit(axis) for atom, _ in terms if not isinstance(atom, Axis))
    return 2 if not nested and len(inside) == 1 and (same(inside[0], 1) or same(inside[0], -1)) else 0


def split(
    statements: Sequence[LoopedStatement], extents: Sequence[int], interner: Interner
) -> list[tuple[LoopedStatement, ...]]:
    """The statements as pieces within which comparisons of an axis with a number always have one outcome."""
    whole = [tuple(statements)]
    if any(same(extent, 0) for extent in extents):
        return []
    cuts: dict[int, list[int]] = {}
    for axis, point in _cuts([s.statement.value for s in statements]):
        cuts[axis] = _with_cut(cuts.get(axis, []), point, extents[axis])
    pieces = 1
    for points in cuts.values():
        pieces *= len(points) + 1
    if pieces == 1 or (pieces > thresholds.PIECES and len(cuts) > 1):
        return whole
    borders = [[0, *cuts.get(axis, ()), extent] for axis, extent in enumerate(extents)]
    return [
        _piece(statements, box, interner)
        for box in itertools.product(*(list(itertools.pairwise(border)) for border in borders))
    ]


def _with_cut(points: list[int], point: int, extent: int) -> list[int]:
    """Cuts in order and one more, if it is known to lie within the axis and on which side of each other one."""
    if not dims.proven(point) or not dims.proven(extent - point):
        return points
    place = bisect.bisect_left(points, True, key=lambda other: dims.proven(other - point, 0))
    before, after = points[:place], points[place:]
    apart = all(dims.proven(point - other) for other in before[-1:]) and all(
        dims.proven(other - point) for other in after[:1]
    )
    return [*before, point, *after] if apart else points


def _piece(
    statements: Sequence[LoopedStatement], box: Sequence[tuple[int, int]], interner: Interner
) -> tuple[LoopedStatement, ...]:
    """The statements over the part of their axes in `box`, counted from 0."""
    sizes = tuple(stop - start for start, stop in box)
    return tuple(rewritten(statements, sizes, {axis: (start, 1) for axis, (start, _) in enumerate(box)}, interner))


def _cuts(roots: Sequence[Expr]) -> Iterable[tuple[int, int]]:
    """(axis, first index of the second part) of each comparison of one axis with a number that a select asks."""
    seen: set[tuple[int, bool]] = set()
    stack: list[tuple[Expr, bool]] = [(root, False) for root in roots]
    while stack:
        expr, is_condition = stack.pop()
        if (id(expr), is_condition) in seen:
            continue
        seen.add((id(expr), is_condition))
        if isinstance(expr, Select):
            stack += [(expr.condition, True), (expr.then, False), (expr.orelse, False)]
            continue
        if is_condition and isinstance(expr, CallExpr) and len(expr.args) == 2:
            yield from _cut(expr)
        stack += [(child, is_condition and expr.dtype.kind == "b") for child in children(expr)]


def _cut(comparison: CallExpr) -> Iterable[tuple[int, int]]:
    x, zero = comparison.args
    if not isinstance(zero, Const) or zero.dtype.kind != "i" or not same(whole(zero), 0):
        return
    if not FUNCTIONS[comparison.function].compares:
        return
    match x:
        case Axis(number=number):
            coefficient, constant = 1, 0
        case Index(constant=constant, terms=((Axis(number=number), coefficient),)):
            pass
        case _:
            return
    if number < 0 or dims.is_symbolic(coefficient) or (dims.is_symbolic(constant) and abs(coefficient) != 1):
        return
    # coefficient * i + constant is 0 at the root, which lies between two indices or on one.
    below, above = -constant // coefficient, -(constant // coefficient)
    if comparison.function in ("eq", "ne"):
        points = [below, below + 1] if below == above else []
    else:
        strict = comparison.function in ("lt", "ge")
        points = [above if strict == (coefficient > 0) else below + 1]
    for point in points:
        yield number, point


# Row nests


def _row_nests(
    draft: Draft,
    statements: Sequence[DraftStatement],
    numbering: Numbering,
    nests: Nests,
    apart: tuple[int, ...] | None = None,
    threads: int = 1,
) -> list[Nest]:
    """Statements that share their rows, with folds; the axes that count the rows are given where each row is apart."""
    space, sizes = draft.space, draft.space.ranges
    roots = [expr for statement in statements for expr in (statement.index, statement.value)]
    forms = forms_of(roots)
    rows = [axis for axis in draft.group.rows or () if not same(sizes[axis], 1)]
    runs = merge(rows, sizes, forms) if apart is None else [(axis,) for axis in apart]
    extents = tuple(_extent(run, sizes) for run in runs)
    outer = _substitution(runs, space.interner, 0)
    lane = _row_lane(runs, statements, space, nests.target) if apart is None else None
    moved: Sequence[LoopedStatement] = []
    spaces, variables = list[Space](), Variables()
    for statement in statements:
        inner = _inner(statement, () if apart is None else apart, space, forms)
        inner_extents = tuple(_extent(run, sizes) for run in inner)
        rewriting = _Rewriting(
            space.interner,
            dict(enumerate((*extents, *inner_extents))),
            {**outer, **_substitution(inner, space.interner, len(runs))},
            numbering,
            variables,
        )
        value = merge_folds(rewriting(statement.value), rewriting.space, variables)
        stored = Statement(numbering.buffers[statement.buffer], rewriting(statement.index), value)
        moved = [*moved, LoopedStatement(inner_extents, stored)]
        spaces.append(rewriting.space)
    moved = in_one_pass(nests.target, len(extents), moved, spaces, lane)
    if lane is None:
        return nests.nests(extents, share_loops(nests, len(extents), moved, spaces), apart=apart is not None)
    values = [one.statement.value for one in moved]
    # Loops come one after the other: the heaviest one has all registers for itself.
    cost = max(map(_cost, values))
    width = _row_lanes(nests.vectors.base(*values), cost, extents[lane], threads, nests.target)
    return nests.nests(extents, share_loops(nests, len(extents), moved, spaces, lane, width), lane, width)


def _row_lanes(base: int, cost: int, size: int, threads: int, target: Target) -> int:
    """Lanes of rows that lie beside each other in memory, and of which each has a loop.

    Of each line of memory, and of the one beside it that comes along, as much as can be is read at once, not in one
    loop after the other: batch norm of 64 channels, 25 MB, takes half of the time in 64 lanes, of 96 channels in 128.
    """
    lanes = lanes_for(base, cost, size)
    if target.device is not None:
        return 1
    if is_symbolic(size) or cost > thresholds.MIDDLING_WEIGHT:
        return lanes
    most = base * thresholds.LINE_REGISTERS
    if target.adds_in_place and cost > thresholds.VECTOR_WEIGHTS_IN_PLACE[0]:
        most //= 2
    while most > lanes and (most >= 2 * size or (threads > thresholds.HALVING_THREADS and most * threads > size)):
        most //= 2
    return most


def _cost(value: Expr) -> int:
    """The instructions of an element of a statement, and of a term of its folds."""
    folds = [node for node in walk(value) if isinstance(node, Fold)]
    terms = weight(value, *(part for fold in folds for part in fold.elements))
    return terms + sum(monoid(fold).weight for fold in folds)


def _inner(
    statement: DraftStatement, rows: tuple[int, ...], space: Space, forms: Sequence[Form]
) -> list[tuple[int, ...]]:
    """The inner loops of a statement; without those axes that count its `rows`, vectors along memory last."""
    sizes = space.ranges
    inner = merge([a for a in statement.inner if not same(sizes[a], 1) and a not in rows], sizes, forms)
    return _lane_last(inner, [statement], space)


def _row_lane(
    runs: Sequence[tuple[int, ...]], statements: Sequence[DraftStatement], space: Space, target: Target
) -> int | None:
    """The row axis to put in vectors, where memory is in order along it rather than along folds and inner axes."""
    accesses, sizes = _accesses(statements, space)
    inner = sum(weight * (1 if lane is None else _suits(address, lane, space)) for address, lane, weight in accesses)
    best, best_score = None, inner
    lanes = target.lanes(4)
    for k, run in enumerate(runs):
        extent = typical(_extent(run, space.ranges))
        score = sum(weight * _suits(address, run[-1], space) for address, _, weight in accesses)
        # Short folds of many rows: a gather per term is still better than vectors that are mostly empty.
        short = bool(sizes) and max(sizes) * 2 <= lanes <= extent and k == len(runs) - 1
        if extent * 2 > lanes and (score > best_score or (short and best is None)):
            best, best_score = k, max(score, best_score)
    return best


def _accesses(
    statements: Sequence[DraftStatement], space: Space
) -> tuple[list[tuple[Expr, int | None, int]], list[int]]:
    """(address, innermost axis or fold variable, weight) of each access, and the sizes of those innermost ones."""
    accesses: list[tuple[Expr, int | None, int]] = []
    sizes: list[int] = []
    seen: set[int] = set()
    stack: list[tuple[Expr, int | None]] = []
    for statement in statements:
        lane = statement.inner[-1] if statement.inner else None
        accesses.append((statement.index, lane, 1 if lane is None else 2 * thresholds.INNER_WEIGHT))
        stack.append((statement.value, lane))
        if lane is not None:
            sizes.append(typical(space.ranges[lane]))
    while stack:
        expr, lane = stack.pop()
        if id(expr) in seen:
            continue
        seen.add(id(expr))
        if isinstance(expr, Load):
            accesses.append((expr.indices[0], lane, 1 if lane is None else thresholds.INNER_WEIGHT))
        if isinstance(expr, Fold):
            lane = expr.variable
            if not any(isinstance(part, Fold) for part in expr.elements):
                sizes.append(typical(expr.size))
        stack += [(child, lane) for child in children(expr)]
    return accesses, sizes


def merge_folds(expr: Expr, space: Space, variables: Variables) -> Expr:
    """Nested folds of one kind as one fold where memory is in order."""
    memo: dict[int, Expr] = {}

    def again(x: Expr) -> Expr:
        result = memo.get(id(x))
        if result is None:
            result = memo[id(x)] = _merge_fold(x, again, space, variables)
        return result

    return again(expr) if space.interner.facts(expr).folds else expr


def _merge_fold(expr: Expr, again: Callable[[Expr], Expr], space: Space, variables: Variables) -> Expr:
    interner = space.interner
    if not interner.facts(expr).folds:
        return expr
    if not isinstance(expr, Fold):
        return space.remade(expr, tuple(map(again, children(expr))))
    within = inner(expr)
    if within is not None:
        variable, forms = expr.variable, forms_of(within.elements)
        if all(_in_order(form, [variable], within.variable, {within.variable: within.size}) for form in forms):
            size = expr.size * within.size
            number = variables.number("merged", variable, size, space)
            mapping: dict[int, Expr] = {variable: interner.number(0), within.variable: interner.axis(number)}
            body = space.rewrite(
                within.body,
                mapping,
                lambda load, indices: interner.load(load.dtype, load.operand, indices),
                lambda fold: fold.variable,
                {},
            )
            merged = interner.fold(expr.dtype, expr.kind, size, number, (body,))
            return _merge_fold(merged, again, space, variables)
    return interner.fold(expr.dtype, expr.kind, expr.size, expr.variable, tuple(map(again, expr.elements)))
