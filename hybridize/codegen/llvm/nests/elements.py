# SPDX-License-Identifier: Apache-2.0
"""Expressions of the loop IR as code: scalars outside, vectors along one axis inside, each computed once per loop.

What does not vary along the lane axis is computed as a scalar and copied to all lanes. A fold is a plain loop over
vectors where it varies along the lane axis; else its own innermost variable is spread over vectors.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from types import MappingProxyType

from hybridize.base import dims
from hybridize.base.dims import same
from hybridize.base.dtypes import DType, bool_, int32, int64
from hybridize.base.errors import CodegenError
from hybridize.codegen.llvm.functions.table import (
    combine,
    compare_integers,
    constant,
    emit_call,
    emit_cast,
    narrowed,
    register,
    select,
)
from hybridize.codegen.llvm.nests import memory
from hybridize.codegen.llvm.nests.counted import whole_steps
from hybridize.codegen.llvm.nests.memory import Width
from hybridize.codegen.llvm.nests.positions import SMALL, Array, Lane, OpenRow, Positions
from hybridize.codegen.llvm.text import Function, vector
from hybridize.loops.expr import Axis, CallExpr, Cast, Const, Expr, Fold, Load, Select, nested, whole
from hybridize.loops.functions import FUNCTIONS
from hybridize.loops.index import Index, bit, identity, upward
from hybridize.loops.kernel import FoldLanes, Lanes
from hybridize.machine.target import Target

BLOCK = 32
"""Additions in a row before a sum moves on to the next level; keeps the error of long sums near that of pairs."""


MANY = 2048
"""Turns that a fold is made for where their number is not known before the call: fewer take no harm, more little."""

DEEP = 24
"""Parts of an expression beyond which it is computed from the inside."""


class Elements(Positions):
    """Writes values of expressions, stores and folds; `folds` are the vectors of folds to one number, by variable."""

    def __init__(
        self,
        f: Function,
        target: Target,
        arrays: Mapping[int, Array],
        sizes: Mapping[int, int],
        folds: Mapping[int, FoldLanes] = MappingProxyType({}),
    ) -> None:
        super().__init__(f, target, arrays, sizes)
        self._folds = folds
        self.few = False
        """True within code for short rows."""

    # Values

    def value(self, expr: Expr) -> str:
        """`expr` as a register: a vector if it varies along the lane axis, else a scalar."""
        lanes = self.lane.width.lanes if self.lane is not None and self.varies(expr) else 1
        return self.known((id(expr), lanes), lambda: self._value(expr, lanes))

    def settle(self, expr: Expr) -> None:
        """Compute what a deep expression is made of, innermost first, so that `value` need not recurse into it."""
        parts = upward(expr, indices=False, folds=False)
        if len(parts) > DEEP:
            for part in parts:
                if not isinstance(part, Const | Axis | Index):
                    self.value(part)

    def spread(self, expr: Expr) -> str:
        """`expr` in every lane."""
        if self.lane is None:
            return self.value(expr)
        lanes = self.lane.width.lanes
        if isinstance(expr, Const) and not dims.is_symbolic(expr.value):
            return constant(expr.value, expr.dtype, lanes)
        if self.varies(expr):
            return self.value(expr)
        scalar = self.value(expr)
        return self.known((id(expr), lanes), lambda: self.copied(scalar, register(expr.dtype, 1), lanes))

    def _value(self, expr: Expr, lanes: int) -> str:
        match expr:
            case Const(value=value, dtype=dtype):
                return self.f.size(whole(expr)) if dims.is_symbolic(value) else constant(value, dtype, lanes)
            case Axis() | Index():
                return self.index_vector(expr, 64) if lanes > 1 else self.scalar_index(expr)
            case Load():
                return self._load(expr, lanes)
            case Cast(dtype=dtype, x=x):
                return self._cast(x, dtype, lanes)
            case Select(condition=condition, then=then, orelse=orelse, dtype=dtype):
                if lanes > 1 and not self.varies(condition):
                    flag = self.value(condition)
                    kind = register(dtype, lanes)
                    return self.f.op(f"select i1 {flag}, {kind} {self.spread(then)}, {kind} {self.spread(orelse)}")
                parts = [self._in(lanes, part) for part in (condition, then, orelse)]
                return select(self.f, parts[0], parts[1], parts[2], dtype, lanes)
            case CallExpr():
                return self._call(expr, lanes)
            case Fold():
                return self._narrowed_fold(expr, lanes)
        raise CodegenError("E956", f"{type(expr).__name__} is not an expression of the loop IR")

    def _in(self, lanes: int, expr: Expr) -> str:
        return self.spread(expr) if lanes > 1 else self.value(expr)

    def _call(self, call: CallExpr, lanes: int) -> str:
        f, args = self.f, call.args
        dtype = args[0].dtype
        if dtype == int64 and lanes > 1:
            small = self._small_call(call, lanes)
            if small is not None:
                return small
        if (
            call.function == "floordiv"
            and dtype == int64
            and isinstance(args[1], Const)
            and dims.proven(whole(args[1]))
        ):
            low, _ = self.limits(args[0])
            if low >= 0:
                kind = register(dtype, lanes)
                if lanes > 1 and dims.is_symbolic(whole(args[1])):
                    return self.quotients(self._in(lanes, args[0]), self._in(lanes, args[1]), "i64", lanes)
                return f.op(f"udiv {kind} {self._in(lanes, args[0])}, {self._in(lanes, args[1])}")
        if call.function == "popcount" and call.dtype != dtype:
            count = emit_call(f, "popcount", [self._in(lanes, args[0])], dtype, dtype, lanes, self.target)
            return emit_cast(f, count, dtype, call.dtype, lanes)
        values = [self._in(lanes, arg) for arg in args]
        return emit_call(f, call.function, values, dtype, call.dtype, lanes, self.target)

    def _small_call(self, call: CallExpr, lanes: int) -> str | None:
        """A comparison of index vectors, in 32 bits where they fit."""
        if not FUNCTIONS[call.function].compares or not all(self.is_small(arg) for arg in call.args):
            return None
        x, y = (self.index_vector(arg, 32) for arg in call.args)
        return compare_integers(self.f, call.function, x, y, vector("i32", lanes))

    def _cast(self, x: Expr, dtype: DType, lanes: int) -> str:
        if lanes > 1 and x.dtype == int64 and isinstance(x, Index | Axis) and self.is_small(x) and dtype != bool_:
            value = self.index_vector(x, 32)
            if dtype.kind in "iu" and dtype.itemsize == 4:
                return value
            return emit_cast(self.f, value, int32, dtype, lanes)
        return emit_cast(self.f, self._in(lanes, x), x.dtype, dtype, lanes)

    def _load(self, load: Load, lanes: int) -> str:
        array, address = self.arrays[load.operand], load.indices[0]
        if self.per_lane_here(array):
            return memory.load(self.f, self._row_pointer(load.operand, address), array.dtype, Width(lanes))
        if array.table:
            return memory.load_number(self.f, self.pointer(load.operand, address), array.dtype)
        if lanes == 1 or self.lane is None:
            return memory.load(self.f, self.pointer(load.operand, address), array.dtype, Width(1))
        width = self.lane.width
        stride = self.lane_stride(address)
        if stride is not None and same(stride, 1):
            stored = self.stored_last(load.operand, address)
            return stored or memory.load(self.f, self.pointer(load.operand, address), array.dtype, width)
        if stride is not None and same(stride, -1):
            return memory.load_reversed(self.f, self.pointer(load.operand, address), array.dtype, width)
        if stride is not None:
            base = self.pointer(load.operand, address)
            bits = 64 if dims.is_symbolic(stride) or abs(stride) * lanes > SMALL else 32
            return memory.gather(self.f, base, array.dtype, self.lane_steps(stride, bits), f"i{bits}", width)
        bits = 32 if self._fits(address) else 64
        return memory.gather(self.f, array.pointer, array.dtype, self.index_vector(address, bits), f"i{bits}", width)

    def _fits(self, address: Expr) -> bool:
        low, high = self.limits(address)
        return low >= 0 and high <= SMALL

    def _row_pointer(self, operand: int, address: Expr) -> str:
        """Return a pointer to the lanes of an element of a per-lane row."""
        assert self.lane is not None
        array = self.arrays[operand]
        index = self.times(self.value(address), self.lane.width.lanes)
        return memory.element_pointer(self.f, array.pointer, array.dtype, index)

    def store(self, operand: int, address: Expr, value: Expr) -> str:
        """Store `value` at `address` of an array; returns its register."""
        array = self.arrays[operand]
        self.settle(value)
        self.forget_last(operand)
        if self.lane is None:
            result = self.value(value)
            memory.store(self.f, result, self.pointer(operand, address), array.dtype, Width(1))
            return result
        result = self.spread(value)
        width = self.lane.width
        if self.per_lane_here(array):
            memory.store(self.f, result, self._row_pointer(operand, address), array.dtype, Width(width.lanes))
            return result
        stride = self.lane_stride(address)
        if stride is not None and same(stride, 1):
            memory.store(self.f, result, self.pointer(operand, address), array.dtype, width)
            self.remember_last(operand, address, result)
        else:
            bits = 32 if self._fits(address) else 64
            indices = self.index_vector(address, bits)
            memory.scatter(self.f, result, array.pointer, array.dtype, indices, f"i{bits}", width)
        return result

    # Folds

    def _narrowed_fold(self, fold: Fold, lanes: int) -> str:
        """A fold; sums of 16-bit floats are rounded once, at the end."""
        result = self._vertical(fold, lanes) if lanes > 1 else self._horizontal(fold)
        return narrowed(self.f, result, fold.dtype, lanes)

    def chain(self, fold: Fold) -> tuple[list[tuple[int, int]], Expr]:
        """Variables and sizes of directly nested folds of one kind, outermost first, and the innermost body."""
        chain, body = nested(fold)
        for variable, size in chain:
            self.space.ranges[variable] = size
        return chain, body

    def _vertical(self, fold: Fold, lanes: int) -> str:
        """A fold in each lane: a plain loop over vectors."""
        chain, body = self.chain(fold)
        start = constant(identity(fold.kind, fold.dtype), fold.dtype, lanes)
        return self._loops(fold, chain, start, lanes, lambda total: self._step(fold, total, body, lanes), [body])

    def _step(self, fold: Fold, total: str, body: Expr, lanes: int) -> str:
        self.settle(body)
        value = self._in(lanes, body)
        return combine(self.f, fold.kind, total, value, fold.dtype, lanes, self.target)

    def _loops(
        self,
        fold: Fold,
        chain: Sequence[tuple[int, int]],
        start: str,
        lanes: int,
        turn: Callable[[str], str],
        roots: list[Expr],
    ) -> str:
        """Loop over the variables of `chain`, carrying a total; `turn(total)` writes the innermost body."""
        if not chain:
            return turn(start)
        (variable, size), rest = chain[0], chain[1:]
        self.hoist(roots, _bits(chain))

        def body(total: str, index: str) -> str:
            with self.bound(variable, index):
                return self._loops(fold, rest, total, lanes, turn, roots)

        return self._blocked(fold, [start], lanes, size, 1, lambda totals, index: [body(totals[0], index)])[0]

    def _blocked(
        self,
        fold: Fold,
        starts: list[str],
        lanes: int,
        stop: int | str,
        step: int,
        body: Callable[[list[str], str], list[str]],
    ) -> list[str]:
        """`for index in range(0, stop, step): totals = body(totals, index)`; long sums in levels of short ones."""
        kind = register(fold.dtype, lanes)
        zeros = [constant(identity(fold.kind, fold.dtype), fold.dtype, lanes)] * len(starts)

        def level(first: str | int, last: str | int, totals: list[str], span: int) -> list[str]:
            with self.f.loop(first, last, span, [(kind, total) for total in totals]) as loop:
                if span == step:
                    loop.following = body(loop.values, loop.index)
                else:
                    end = self.f.op(f"add i64 {loop.index}, {span}")
                    end = self.f.op(f"call i64 {self.smin()}(i64 {end}, i64 {last})")
                    parts = level(loop.index, end, zeros, span // BLOCK)
                    loop.following = [
                        combine(self.f, fold.kind, total, part, fold.dtype, lanes, self.target)
                        for total, part in zip(loop.values, parts, strict=True)
                    ]
            return loop.results

        if isinstance(stop, str) or dims.is_symbolic(stop):
            last = stop if isinstance(stop, str) else self.f.size(stop)
            return level(0, last, starts, step * levels(fold, MANY))
        if stop <= step:
            return body(starts, "0") if stop > 0 else starts
        return level(0, stop, starts, step * levels(fold, -(-stop // step)))

    def smin(self) -> str:
        """The function that gives the lesser of two indices."""
        return self.f.module.declare("llvm.smin.i64", "i64", ["i64", "i64"])

    def _horizontal(self, fold: Fold) -> str:
        """A fold to a scalar, one of its variables spread over vectors."""
        chain, body = self.chain(fold)
        spread = self._folds.get(fold.variable)
        if spread is None:
            self.hoist([body], _bits(chain))
            start = constant(identity(fold.kind, fold.dtype), fold.dtype, 1)
            return self._loops(fold, chain, start, 1, lambda total: self._step(fold, total, body, 1), [body])
        variable, lanes = spread.variable, self._lanes_of(spread)
        outer = [link for link in chain if link[0] != variable]
        size = dict(chain)[variable]
        self.hoist([body], _bits([*outer, (variable, size)]))
        if dims.is_symbolic(size):
            return self._counted(fold, body, (outer, (variable, size)), lanes)
        zero = constant(identity(fold.kind, fold.dtype), fold.dtype, lanes.step)

        def inner(total: str) -> str:
            self.hoist([body], bit(variable))
            return self._spread_fold(fold, body, (variable, size), lanes, [(total, nullcontext)])[0]

        total = self._loops(fold, outer, zero, lanes.step, inner, [body])
        return self.across(fold.kind, total, fold.dtype, lanes.step)

    def _lanes_of(self, spread: FoldLanes) -> Lanes:
        return spread.few if self.few and spread.few is not None else spread.lanes

    def _spread_fold(
        self,
        fold: Fold,
        body: Expr,
        over: tuple[int, int],
        vectors: Lanes,
        runs: Sequence[tuple[str, Callable[[], AbstractContextManager[None]]]],
    ) -> list[str]:
        """Vectors of totals over a variable that is spread over lanes, for runs that begin at (total, row) each."""
        (variable, size), lanes = over, vectors.step

        def step(totals: list[str], index: str, width: Width) -> list[str]:
            following = []
            for total, (_, row) in zip(totals, runs, strict=True):
                with row():
                    following.append(self._lane_step(fold, total, body, variable, index, width))
            return following

        whole = size // lanes * lanes
        totals = [total for total, _ in runs]
        totals = self._blocked(fold, totals, lanes, whole, lanes, lambda t, index: step(t, index, Width(lanes)))
        return step(totals, str(whole), Width.first(size - whole, vectors.rest)) if vectors.rest else totals

    def _counted(
        self, fold: Fold, body: Expr, chain: tuple[list[tuple[int, int]], tuple[int, int]], vectors: Lanes
    ) -> str:
        """A fold to a scalar, its last variable spread over vectors, the size of which is not known."""
        outer, (variable, size) = chain
        over = (0, size - 1) if vectors.always else (0, size)
        first, last = vectors.step, vectors.rest or vectors.whole[-1]

        def step(total: str, index: str, width: Width) -> str:
            return self._lane_step(fold, total, body, variable, index, width)

        def inner(total: str) -> str:
            self.hoist([body], bit(variable))
            lanes, end = first, "0"
            for width in vectors.whole:
                if width != lanes:
                    total = self.across(fold.kind, total, fold.dtype, lanes, width)
                following = whole_steps(self.f, over, width)
                if width == first:

                    def turn(totals: list[str], index: str, lanes: int = width) -> list[str]:
                        return [step(totals[0], index, Width(lanes))]

                    (total,) = self._blocked(fold, [total], width, following, width, turn)
                else:
                    with self.f.loop(end, following, width, [(register(fold.dtype, width), total)]) as loop:
                        loop.following = [step(loop.values[0], loop.index, Width(width))]
                    total = loop.results[0]
                lanes, end = width, following
            if vectors.always:
                return step(total, end, Width.last(self.f, size, last))
            if not vectors.rest:
                return total
            with self.f.loop(end, self.f.size(size), last, [(register(fold.dtype, last), total)]) as loop:
                loop.following = [step(loop.values[0], loop.index, Width.counted(self.f, size, last))]
            return loop.results[0]

        zero = constant(identity(fold.kind, fold.dtype), fold.dtype, first)
        total = self._loops(fold, outer, zero, last, inner, [body])
        return self.across(fold.kind, total, fold.dtype, last)

    def fold_rows(self, fold: Fold, rows: Sequence[OpenRow]) -> None:
        """Compute a fold to a scalar, without folds directly inside, for several rows in the turns of one loop."""
        ((variable, size),), body = self.chain(fold)
        for row in rows:
            with self.at(row):
                self.hoist([body], bit(variable))
        spread = self._folds.get(variable)
        vectors = Lanes((1,)) if spread is None else spread.lanes
        lanes = vectors.step
        zero = constant(identity(fold.kind, fold.dtype), fold.dtype, lanes)
        runs = [(zero, functools.partial(self.at, row)) for row in rows]
        for row, total in zip(rows, self._spread_fold(fold, body, (variable, size), vectors, runs), strict=True):
            with self.at(row):
                self.remember(fold, narrowed(self.f, self.across(fold.kind, total, fold.dtype, lanes), fold.dtype, 1))

    def _lane_step(self, fold: Fold, total: str, body: Expr, variable: int, index: str, width: Width) -> str:
        lanes = width.lanes
        with self.bound(variable, index, Lane(variable, width)):
            self.settle(body)
            value = self.spread(body)
            if width.mask is not None:
                none = constant(identity(fold.kind, fold.dtype), fold.dtype, lanes)
                value = memory.only_active(self.f, value, none, register(fold.dtype, lanes), width)
            return combine(self.f, fold.kind, total, value, fold.dtype, lanes, self.target)

    def across(self, kind: str, total: str, dtype: DType, lanes: int, left: int = 1) -> str:
        """Fold the lanes of a vector into a scalar, or a vector of fewer, halves first."""
        while lanes > left:
            half = lanes // 2
            wide = register(dtype, lanes)
            parts = []
            for start in (0, half):
                order = ", ".join(f"i32 {lane}" for lane in range(start, start + half))
                shuffled = f"shufflevector {wide} {total}, {wide} poison, <{half} x i32> <{order}>"
                parts.append(self.f.op(shuffled))
            if half == 1:
                parts = [self.f.op(f"extractelement <1 x {register(dtype, 1)}> {part}, i64 0") for part in parts]
            total = combine(self.f, kind, parts[0], parts[1], dtype, half, self.target)
            lanes = half
        return total


def levels(fold: Fold, turns: int) -> int:
    """Return the number of turns of a fold to sum apart, 1 or a power of `BLOCK`, where that keeps it accurate."""
    span = 1
    if fold.kind == "sum" and fold.dtype.kind not in "biu":
        while turns > span * BLOCK * 2:
            span *= BLOCK
    return span


def _bits(chain: Iterable[tuple[int, int]]) -> int:
    bits = 0
    for variable, _ in chain:
        bits |= bit(variable)
    return bits
