# SPDX-License-Identifier: Apache-2.0
"""Normal forms: expressions that exist once, and index arithmetic that is affine wherever it can be.

    index = Index(constant, ((atom, coefficient), ...))      atom: Axis, floordiv by a number, or any other i64 expr

An `Interner` makes equal expressions the same object, so that comparing and memoising costs O(1) and an expression
that is used twice stays one. A `Space` adds the sizes of the axes, which decide what can be simplified: a remainder
within bounds, a comparison that always holds.

Coefficients, constants and sizes may be `Dim`s. Nothing here decides by comparing them, which would bind the program to
the sizes of one call: what is not proven for all sizes is left as it is.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from hybridize.base import dims
from hybridize.base.dims import FAR, Bounds, same
from hybridize.base.dtypes import DType, bool_, int64
from hybridize.base.frozen import frozen, mutable
from hybridize.base.memo import Memo
from hybridize.loops.expr import Axis, CallExpr, Cast, Const, Expr, Fold, FoldResult, Load, Select, whole
from hybridize.loops.functions import FUNCTIONS
from hybridize.loops.monoids import applied, monoid

_EXACT = {2: 1 << 11, 4: 1 << 24, 8: 1 << 53}
"""Up to where floats of so many bytes hold each whole number."""


@frozen(eq=False)
class Index(Expr):
    """An affine i64 expression: constant + sum of coefficient * atom; made by `Space.affine` only."""

    constant: int
    terms: tuple[tuple[Expr, int], ...]


def bit(axis: int) -> int:
    """The bit that stands for an axis in a set of free axes."""
    return 1 << (2 * axis if axis >= 0 else -2 * axis - 1)


@mutable
class Facts:
    """Facts that are computed once for each interned expression."""

    serial: int
    free: int
    """Set of the axes it depends on, as bits."""
    folds: bool
    """True if there is a Fold inside."""
    reads: bool
    """True if there is a Load inside."""
    size: int = 1
    """Parts it is made of, shared ones counted each time."""


def children(expr: Expr) -> tuple[Expr, ...]:
    """The expressions directly inside `expr`."""
    parts = CHILDREN.get(type(expr))
    return () if parts is None else parts(expr)


CHILDREN: dict[type[Expr], Callable[[Any], tuple[Expr, ...]]] = {
    Load: attrgetter("indices"),
    Index: lambda expr: tuple([atom for atom, _ in expr.terms]),
    CallExpr: attrgetter("args"),
    Select: attrgetter("condition", "then", "orelse"),
    Cast: lambda expr: (expr.x,),
    Fold: attrgetter("elements"),
    FoldResult: lambda expr: (expr.fold,),
}
"""The function that gives these, by the class; nothing for numbers and axes."""


def upward(root: Expr, indices: bool = True, folds: bool = True) -> list[Expr]:
    """Each expression below `root` once, after all that it is made of; optionally not inside indices, or folds.

    What recurses into expressions and remembers goes in this order first: they may be deep, and Python's stack is the
    user's as well.
    """
    done: set[Expr] = set()
    order: list[Expr] = []
    opened: list[Expr] = []
    stack: list[Expr | None] = [root]
    while stack:
        node = stack.pop()
        if node is None:  # all that the one below is made of has been
            order.append(opened.pop())
        elif node not in done:
            done.add(node)
            parts = CHILDREN.get(node.__class__)
            if parts is None or not (
                (indices or not isinstance(node, Load | Index)) and (folds or not isinstance(node, Fold))
            ):
                order.append(node)
                continue
            opened.append(node)
            stack.append(None)
            stack += parts(node)
    return order


class Interner:
    """Makes each distinct expression once. All children must come from the same interner."""

    def __init__(self) -> None:
        self._table: dict[tuple[object, ...], Expr] = {}
        self._facts: dict[int, Facts] = {}
        self._axes: dict[int, Axis] = {}
        self._numbers: dict[int, Const] = {}
        self.results: Memo = Memo()
        """Results that follow from expressions and sizes alone: places in buffers, axes that count rows."""

    def facts(self, expr: Expr) -> Facts:
        """Look up the facts of `expr`, which this interner has made."""
        return self._facts[id(expr)]

    def free(self, expr: Expr) -> int:
        """Axes that `expr` depends on, as bits."""
        return self._facts[id(expr)].free

    def _keep(self, key: tuple[object, ...], expr: Expr, children: tuple[Expr, ...]) -> Expr:
        free, folds, reads, size = 0, False, False, 1
        for child in children:
            facts = self._facts[id(child)]
            free |= facts.free
            folds |= facts.folds
            reads |= facts.reads
            size += facts.size
        self._table[key] = expr
        self._facts[id(expr)] = Facts(len(self._facts), free, folds, reads, min(size, 1 << 20))
        return expr

    def number(self, value: int) -> Const:
        """An i64 constant."""
        expr = self._numbers.get(value)
        if expr is None:
            expr = self._numbers[value] = Const(int64, value)
            self._facts[id(expr)] = Facts(len(self._facts), 0, False, False)
        return expr

    def const(self, dtype: DType, value: float | int | bool) -> Const:
        """A constant; values are compared by bits, so -0.0 and NaN keep themselves."""
        if dtype == int64:
            return self.number(whole(Const(dtype, value)))
        key = (Const, dtype.num, struct.pack("<d", value) if isinstance(value, float) else value)
        expr = self._table.get(key)
        if expr is None:
            expr = self._keep(key, Const(dtype, value), ())
        assert isinstance(expr, Const)
        return expr

    def axis(self, number: int) -> Axis:
        """An axis or fold variable."""
        expr = self._axes.get(number)
        if expr is None:
            expr = self._axes[number] = Axis(int64, number)
            self._facts[id(expr)] = Facts(len(self._facts), bit(number), False, False)
        return expr

    def load(self, dtype: DType, operand: int, indices: tuple[Expr, ...]) -> Expr:
        """A load."""
        key = (Load, dtype.num, operand, *map(id, indices))
        expr = self._table.get(key)
        if expr is None:
            expr = self._keep(key, Load(dtype, operand, indices), indices)
            self._facts[id(expr)].reads = True
        return expr

    def call(self, dtype: DType, function: str, args: tuple[Expr, ...]) -> Expr:
        """A call, as it is."""
        key = (function, dtype.num, *map(id, args))
        expr = self._table.get(key)
        return expr if expr is not None else self._keep(key, CallExpr(dtype, function, args), args)

    def select(self, condition: Expr, then: Expr, orelse: Expr) -> Expr:
        """A select, decided when its condition is known."""
        if isinstance(condition, Const):
            return then if condition.value else orelse
        if then is orelse:
            return then
        key = (Select, id(condition), id(then), id(orelse))
        expr = self._table.get(key)
        children = (condition, then, orelse)
        return expr if expr is not None else self._keep(key, Select(then.dtype, *children), children)

    def cast(self, x: Expr, dtype: DType) -> Expr:
        """A cast; nothing when it is so already."""
        if x.dtype == dtype:
            return x
        key = (Cast, dtype.num, id(x))
        expr = self._table.get(key)
        return expr if expr is not None else self._keep(key, Cast(dtype, x), (x,))

    def fold(self, dtype: DType, kind: str, size: int, variable: int, elements: tuple[Expr, ...]) -> Fold:
        """A fold."""
        key = (Fold, dtype.num, kind, size, variable, *map(id, elements))
        expr = self._table.get(key)
        if expr is None:
            expr = self._keep(key, Fold(dtype, kind, size, variable, elements), elements)
            facts = self._facts[id(expr)]
            facts.free &= ~bit(variable)
            facts.folds = True
        assert isinstance(expr, Fold)
        return expr

    def result(self, dtype: DType, fold: Fold, number: int) -> Expr:
        """A result of a fold."""
        if number == 0:
            return fold
        key = (FoldResult, dtype.num, id(fold), number)
        expr = self._table.get(key)
        return expr if expr is not None else self._keep(key, FoldResult(dtype, fold, number), (fold,))

    def index(self, constant: int, terms: tuple[tuple[Expr, int], ...]) -> Expr:
        """An affine expression, its terms sorted; the plainest form that says it."""
        if not terms:
            return self.number(constant)
        if same(constant, 0) and len(terms) == 1 and same(terms[0][1], 1):
            return terms[0][0]
        key = (Index, constant, *((id(atom), coefficient) for atom, coefficient in terms))
        expr = self._table.get(key)
        if expr is not None:
            return expr
        return self._keep(key, Index(int64, constant, terms), tuple(atom for atom, _ in terms))


class Space:
    """Index arithmetic over axes of known sizes; `ranges` maps the number of an axis to its size."""

    def __init__(self, interner: Interner, ranges: Mapping[int, int]) -> None:
        self.interner = interner
        self.ranges: dict[int, int] = dict(ranges)
        self._bounds: dict[int, Bounds] = {}
        self._next = -1

    def variable(self, size: int) -> int:
        """A fresh fold variable."""
        number, self._next = self._next, self._next - 1
        self.ranges[number] = size
        return number

    def axis(self, number: int) -> Expr:
        """The axis, or 0 where its size is 1."""
        return self.interner.number(0) if same(self.ranges.get(number, 0), 1) else self.interner.axis(number)

    # Affine sums

    def affine(self, parts: list[tuple[Expr, int]], constant: int = 0) -> Expr:
        """The sum of coefficient * expr over `parts`, plus `constant`."""
        terms: dict[int, tuple[Expr, int]] = {}
        for expr, factor in parts:
            if isinstance(expr, Const):
                constant += factor * whole(expr)
                continue
            inner = expr.terms if isinstance(expr, Index) else ((expr, 1),)
            if isinstance(expr, Index):
                constant += factor * expr.constant
            for atom, coefficient in inner:
                before = terms.get(id(atom))
                terms[id(atom)] = (atom, factor * coefficient + (before[1] if before else 0))
        summands = [term for term in terms.values() if not same(term[1], 0)]
        if len(summands) > 1:
            summands.sort(key=self._rank)
        return self.interner.index(constant, tuple(summands))

    def _rank(self, term: tuple[Expr, int]) -> tuple[int, int]:
        atom = term[0]
        return (0, atom.number) if isinstance(atom, Axis) else (1, self.interner.facts(atom).serial)

    def flat(self, indices: tuple[Expr, ...], shape: tuple[int, ...]) -> Expr:
        """The position in a C-contiguous buffer of `shape`."""
        return self.interner.results.of((shape, *map(id, indices)), lambda: self._flat(indices, shape))

    def _flat(self, indices: tuple[Expr, ...], shape: tuple[int, ...]) -> Expr:
        stride, parts = 1, []
        for index, size in zip(reversed(indices), reversed(shape), strict=True):
            if not same(size, 1):
                parts.append((index, stride))
            stride *= size
        return self.affine(parts)

    def divided(self, sizes: Sequence[int], index: Expr) -> list[Expr]:
        """The index along each of several axes, slowest first, that are counted as one."""
        indices: list[Expr] = []
        for number, size in enumerate(reversed(sizes)):
            last = number == len(sizes) - 1
            indices.append(index if last else self.mod(index, size))
            index = index if last else self.floordiv(index, size)
        return indices[::-1]

    def floordiv(self, x: Expr, divisor: int) -> Expr:
        """Floor of x / divisor, divisor > 0."""
        if same(divisor, 1):
            return x
        if isinstance(x, Const):
            return self.interner.number(whole(x) // divisor)
        constant, terms = (x.constant, x.terms) if isinstance(x, Index) else (0, ((x, 1),))
        divisible = [(atom, c, same(c % divisor, 0)) for atom, c in terms]
        quotient: list[tuple[Expr, int]] = [(atom, c // divisor) for atom, c, whole in divisible if whole]
        rest = [(atom, c) for atom, c, whole in divisible if not whole]
        remainder = self.affine(rest, constant % divisor)
        low, high = self.bounds(remainder)
        if not (_surely(low) and _surely(divisor - high - 1)):
            quotient.append((self._quotient(remainder, divisor), 1))
        return self.affine(quotient, constant // divisor)

    def _quotient(self, x: Expr, divisor: int) -> Expr:
        constant, terms = (x.constant, x.terms) if isinstance(x, Index) else (0, ((x, 1),))
        if any(dims.is_symbolic(number) for number in (divisor, constant, *(c for _, c in terms))):
            return self.interner.call(int64, "floordiv", (x, self.interner.number(divisor)))
        common = math.gcd(divisor, *(c for _, c in terms))
        if common > 1:
            # floor((g a + k) / (g b)) = floor((a + floor(k / g)) / b)
            reduced = self.affine([(atom, c // common) for atom, c in terms], constant // common)
            return self.floordiv(reduced, divisor // common)
        for least in sorted({abs(c) for _, c in terms}, reverse=True)[:-1]:
            # floor((g a + r) / (g b)) = floor(a / b) where 0 <= r < g: what is right of the divisor's place drops out.
            place = math.gcd(divisor, *(c for _, c in terms if abs(c) >= least))
            low, high = _numbers(
                self.bounds(self.affine([term for term in terms if abs(term[1]) < least], constant % place))
            )
            if place > 1 and low >= 0 and high < place:
                left = [(atom, c // place) for atom, c in terms if abs(c) >= least]
                return self.floordiv(self.affine(left, constant // place), divisor // place)
        if isinstance(x, CallExpr) and x.function == "floordiv" and isinstance(x.args[1], Const):
            return self.floordiv(x.args[0], divisor * whole(x.args[1]))
        return self.interner.call(int64, "floordiv", (x, self.interner.number(divisor)))

    def mod(self, x: Expr, divisor: int) -> Expr:
        """x - divisor * floor(x / divisor), so that remainders and quotients cancel."""
        return self.affine([(x, 1), (self.floordiv(x, divisor), -divisor)])

    # Bounds

    def bounds(self, expr: Expr) -> Bounds:
        """Smallest and largest value of an i64 expression, as far as it is known; may be dims."""
        known = self._bounds.get(id(expr))
        if known is None:
            known = self._bounds[id(expr)] = self._bounds_of(expr)
        return known

    def _bounds_of(self, expr: Expr) -> Bounds:
        match expr:
            case Const():
                return whole(expr), whole(expr)
            case Axis(number=number):
                size = self.ranges.get(number)
                if size is None:
                    return -FAR, FAR
                return 0, (size - 1 if dims.is_symbolic(size) else max(0, size - 1))
            case Index(constant=constant, terms=terms):
                low = high = constant
                for atom, coefficient in terms:
                    a, b = _multiplied(self.bounds(atom), coefficient)
                    low, high = _sum(low, a), _sum(high, b)
                return low, high
            case CallExpr(function="floordiv", args=(x, Const() as number)) if dims.proven(divisor := whole(number)):
                a, b = self.bounds(x)
                return (a // divisor if _is_bounded(a) else -FAR), (b // divisor if _is_bounded(b) else FAR)
            case CallExpr(function="max" | "min" as function, args=(x, y)):
                (a, b), (c, d) = _numbers(self.bounds(x)), _numbers(self.bounds(y))
                return (max(a, c), max(b, d)) if function == "max" else (min(a, c), min(b, d))
            case Select(then=x, orelse=y):
                (a, b), (c, d) = _numbers(self.bounds(x)), _numbers(self.bounds(y))
                return min(a, c), max(b, d)
            case Cast(x=x) if x.dtype == bool_:
                return 0, 1
            case Cast(x=x) if x.dtype.kind in "iu" and x.dtype.itemsize < 8:
                bits = 8 * x.dtype.itemsize
                return (0, (1 << bits) - 1) if x.dtype.kind == "u" else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        return -FAR, FAR

    def bounded(self, expr: Expr) -> bool:
        """Tell whether arithmetic on `expr` cannot wrap."""
        low, high = self.bounds(expr)
        return _is_bounded(low) and _is_bounded(high)

    # Simplified calls

    def call(self, dtype: DType, function: str, args: tuple[Expr, ...]) -> Expr:
        """A call in normal form."""
        if args[0].dtype == int64 and all(self.bounded(arg) for arg in args):
            expr = self._integer(function, args)
            if expr is not None:
                return expr
        elif args[0].dtype == bool_:
            return self._logic(dtype, function, args)
        elif FUNCTIONS[function].compares:
            whole_numbers = [self._whole(arg) for arg in args]
            x, y = whole_numbers if len(whole_numbers) == 2 else (None, None)
            if x is not None and y is not None:
                return self._compare(function, x, y)
        return self.interner.call(dtype, function, args)

    def _whole(self, expr: Expr) -> Expr | None:
        """The index that a cast makes another number of without rounding it, or that a constant is."""
        if isinstance(expr, Const) and expr.dtype.kind in "fiu" and not dims.is_symbolic(expr.value):
            exact = math.isfinite(expr.value) and expr.value == int(expr.value) and abs(expr.value) < _EXACT[8]
            return self.interner.number(int(expr.value)) if exact else None
        if not isinstance(expr, Cast) or expr.x.dtype != int64 or expr.dtype.kind not in "fi":
            return None
        low, high = _numbers(self.bounds(expr.x))
        most = _EXACT[expr.dtype.itemsize] if expr.dtype.kind == "f" else 1 << (8 * expr.dtype.itemsize - 1)
        return expr.x if self.bounded(expr.x) and -most < low and high < most else None

    def _integer(self, function: str, args: tuple[Expr, ...]) -> Expr | None:
        if FUNCTIONS[function].compares:
            return self._compare(function, *args)
        x, y = args[0], args[-1]
        match function:
            case "neg":
                return self.affine([(x, -1)])
            case "add":
                return self.affine([(x, 1), (y, 1)])
            case "sub":
                return self.affine([(x, 1), (y, -1)])
            case "mul" if isinstance(y, Const):
                return self.affine([(x, whole(y))])
            case "mul" if isinstance(x, Const):
                return self.affine([(y, whole(x))])
            case "floordiv" if isinstance(y, Const) and dims.proven(whole(y)):
                return self.floordiv(x, whole(y))
            case "mod" if isinstance(y, Const) and dims.proven(whole(y)):
                return self.mod(x, whole(y))
            case "max" | "min":
                return self._extreme(function, x, y)
        return None

    def _extreme(self, function: str, x: Expr, y: Expr) -> Expr | None:
        low, high = _numbers(self.bounds(self.affine([(x, 1), (y, -1)])))
        if low >= 0:
            return x if function == "max" else y
        if high <= 0:
            return y if function == "max" else x
        return None

    def _compare(self, function: str, x: Expr, y: Expr) -> Expr:
        difference = self.affine([(x, 1), (y, -1)])
        low, high = _numbers(self.bounds(difference))
        match function:
            case "lt":
                always, never = high < 0, low >= 0
            case "le":
                always, never = high <= 0, low > 0
            case "gt":
                always, never = low > 0, high <= 0
            case "ge":
                always, never = low >= 0, high < 0
            case "eq":
                always, never = low == high == 0, low > 0 or high < 0
            case _:
                always, never = low > 0 or high < 0, low == high == 0
        if always or never:
            return self.interner.const(bool_, always)
        return self.interner.call(bool_, function, (difference, self.interner.number(0)))

    def _logic(self, dtype: DType, function: str, args: tuple[Expr, ...]) -> Expr:
        known = [arg for arg in args if isinstance(arg, Const)]
        if known:
            other = args[-1] if args[0] is known[0] else args[0]
            match function:
                case "not":
                    return self.interner.const(bool_, not known[0].value)
                case "and":
                    return other if known[0].value else known[0]
                case "or":
                    return known[0] if known[0].value else other
        return self.interner.call(dtype, function, args)

    def remade(self, expr: Expr, parts: tuple[Expr, ...]) -> Expr:
        """`expr` with other expressions directly inside; as it is where they are the same."""
        interner = self.interner
        if all(part is child for part, child in zip(parts, children(expr), strict=True)):
            return expr
        match expr:
            case Load(dtype=dtype, operand=operand):
                return interner.load(dtype, operand, parts)
            case Index(constant=constant, terms=terms):
                return self.affine([(part, factor) for part, (_, factor) in zip(parts, terms, strict=True)], constant)
            case CallExpr(dtype=dtype, function=function):
                return interner.call(dtype, function, parts)
            case Select():
                return interner.select(*parts)
            case Cast(dtype=dtype):
                return interner.cast(parts[0], dtype)
            case Fold(dtype=dtype, kind=kind, size=size, variable=variable):
                return interner.fold(dtype, kind, size, variable, parts)
            case FoldResult(dtype=dtype, number=number):
                (fold,) = parts
                assert isinstance(fold, Fold)
                return interner.result(dtype, fold, number)
        raise TypeError(f"{type(expr).__name__} has no parts")

    # Substitution

    def rewrite(
        self,
        expr: Expr,
        axes: Mapping[int, Expr],
        load: Callable[[Load, tuple[Expr, ...]], Expr],
        variable: Callable[[Fold], int],
        memo: dict[int, Expr],
    ) -> Expr:
        """`expr` with axes replaced, loads handed to `load` with their new indices, and fold variables renamed."""
        result = memo.get(id(expr))
        if result is None:
            result = memo[id(expr)] = self._rewrite(expr, axes, load, variable, memo)
        return result

    def rewrite_deep(
        self,
        expr: Expr,
        axes: Mapping[int, Expr],
        load: Callable[[Load, tuple[Expr, ...]], Expr],
        variable: Callable[[Fold], int],
        memo: dict[int, Expr],
    ) -> Expr:
        """`rewrite` from the inside, for expressions of any depth; what a decided select leaves out stays unseen."""
        stack = [expr]
        while stack:
            node = stack[-1]
            missing = () if id(node) in memo else _missing(node, memo)
            if missing:
                stack += missing
            else:
                stack.pop()
                self.rewrite(node, axes, load, variable, memo)
        return memo[id(expr)]

    def _rewrite(
        self,
        expr: Expr,
        axes: Mapping[int, Expr],
        load: Callable[[Load, tuple[Expr, ...]], Expr],
        variable: Callable[[Fold], int],
        memo: dict[int, Expr],
    ) -> Expr:
        def again(x: Expr) -> Expr:
            result = memo.get(id(x))
            if result is None:
                result = memo[id(x)] = self._rewrite(x, axes, load, variable, memo)
            return result

        match expr:
            case CallExpr(dtype=dtype, function=function, args=args):
                return self.call(dtype, function, tuple([again(arg) for arg in args]))
            case Const(dtype=dtype, value=value):
                return self.interner.const(dtype, value)
            case Axis(number=number):
                replaced = axes.get(number)
                return self.axis(number) if replaced is None else replaced
            case Load(indices=indices):
                return load(expr, tuple([again(i) for i in indices]))
            case Index(constant=constant, terms=terms):
                return self.affine([(again(atom), coefficient) for atom, coefficient in terms], constant)
            case Select(condition=condition, then=then, orelse=orelse):
                decided = again(condition)
                if isinstance(decided, Const):
                    return again(then if decided.value else orelse)
                return self.interner.select(decided, again(then), again(orelse))
            case Cast(dtype=dtype, x=x):
                return self.interner.cast(again(x), dtype)
            case Fold():
                few = self._results_of_few(expr, axes, load, variable)
                if few is not None:
                    return self.interner.cast(few[0], expr.dtype)
                new, of_body = variable(expr), dict[int, Expr]()
                inner = {**axes, expr.variable: self.interner.axis(new)}
                elements = tuple(self.rewrite_deep(one, inner, load, variable, of_body) for one in expr.elements)
                return self.interner.fold(expr.dtype, expr.kind, expr.size, new, elements)
            case FoldResult(dtype=dtype, fold=fold, number=number):
                few = self._results_of_few(fold, axes, load, variable)
                if few is not None:
                    return self.interner.cast(few[number], dtype)
                folded = again(fold)
                assert isinstance(folded, Fold)
                return self.interner.result(dtype, folded, number)
        raise TypeError(f"{type(expr).__name__} is not an expression of the loop IR")

    def _results_of_few(
        self,
        fold: Fold,
        axes: Mapping[int, Expr],
        load: Callable[[Load, tuple[Expr, ...]], Expr],
        variable: Callable[[Fold], int],
    ) -> tuple[Expr, ...] | None:
        """The results of a fold of no or one element, without a fold; None for others."""
        reduction = monoid(fold)
        if same(fold.size, 0):
            if reduction.nests:
                return (self.interner.const(fold.dtype, reduction.empty[0]),)
            state = [self.interner.const(*pair) for pair in zip(reduction.accumulators, reduction.empty, strict=True)]
            return self._applied(reduction.results, state)
        if not same(fold.size, 1):
            return None
        first, memo = {**axes, fold.variable: self.interner.number(0)}, dict[int, Expr]()
        elements = tuple(self.rewrite(element, first, load, variable, memo) for element in fold.elements)
        if reduction.nests:
            return elements
        wide = [self.interner.cast(*pair) for pair in zip(elements, reduction.entering, strict=True)]
        return self._applied(reduction.results, self._applied(reduction.enter, wide))

    def _applied(self, formulas: Sequence[Expr], arguments: Sequence[Expr]) -> tuple[Expr, ...]:
        def make(part: Expr, parts: tuple[Expr, ...]) -> Expr:
            match part:
                case Const(dtype=dtype, value=value):
                    return self.interner.const(dtype, value)
                case CallExpr(dtype=dtype, function=function):
                    return self.call(dtype, function, parts)
            return self.interner.select(*parts)

        return applied(formulas, arguments, make)


def _missing(expr: Expr, memo: Mapping[int, Expr]) -> tuple[Expr, ...]:
    """Return the parts that must be rewritten before `expr`; a fold rewrites its own body."""
    if isinstance(expr, Fold):
        return ()
    parts = children(expr)
    if isinstance(expr, Select):
        decided = memo.get(id(expr.condition))
        parts = (expr.condition,) if decided is None else (expr.then, expr.orelse)
        if isinstance(decided, Const):
            parts = (expr.then if decided.value else expr.orelse,)
    return tuple(part for part in parts if id(part) not in memo)


def _is_bounded(bound: int) -> bool:
    return dims.is_symbolic(bound) or -FAR < bound < FAR


def _numbers(bounds: Bounds) -> Bounds:
    """Bounds that hold for all sizes, as ints."""
    return dims.bounds(bounds[0])[0], dims.bounds(bounds[1])[1]


def _surely(bound: int) -> bool:
    """Tell whether a bound is at least 0 whatever the sizes."""
    return dims.bounds(bound)[0] >= 0


def _sum(x: int, y: int) -> int:
    """The sum of two lower or two upper bounds, unknown where either is."""
    if dims.is_symbolic(x) or dims.is_symbolic(y):
        return x + y if _is_bounded(x) and _is_bounded(y) else (y if _is_bounded(x) else x)
    return max(-FAR, min(FAR, x + y))


def _multiplied(bounds: Bounds, factor: int) -> Bounds:
    """Bounds of an expression times a number."""
    low, high = bounds
    least, most = dims.bounds(factor)
    if least < 0 < most:
        return -FAR, FAR
    if most <= 0:
        low, high = high, low
    return _product(low, factor, most <= 0), _product(high, factor, most <= 0)


def _product(bound: int, factor: int, flip: bool) -> int:
    if _is_bounded(bound):
        product = bound * factor
        return product if dims.is_symbolic(product) else max(-FAR, min(FAR, product))
    return -bound if flip else bound
