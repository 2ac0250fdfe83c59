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
from hybridize.codegen.llvm.functions import table
from hybridize.codegen.llvm.nests import memory
from hybridize.codegen.llvm.nests.counted import whole_steps
from hybridize.codegen.llvm.nests.folding import Folding, State
from hybridize.codegen.llvm.nests.memory import Width
from hybridize.codegen.llvm.nests.positions import SMALL, Array, Lane, OpenRow, Positions
from hybridize.codegen.llvm.text import Function, vector
from hybridize.loops.expr import Axis, CallExpr, Cast, Const, Expr, Fold, FoldResult, Load, Select, whole
from hybridize.loops.functions import FUNCTIONS
from hybridize.loops.index import Index, bit, upward
from hybridize.loops.monoids import nested
from hybridize.machine.target import Target
from hybridize.schedule import thresholds
from hybridize.schedule.kernel import FoldLanes, FoldLevels, Lanes


class Elements(Positions):
    """Writes values of expressions, stores and folds; `folds` are the vectors of folds to one number, by variable,
    `levels` the order of long sums.
    """

    def __init__(
        self,
        f: Function,
        target: Target,
        arrays: Mapping[int, Array],
        sizes: Mapping[int, int],
        folds: Mapping[int, FoldLanes] = MappingProxyType({}),
        levels: Mapping[int, FoldLevels] = MappingProxyType({}),
    ) -> None:
        super().__init__(f, target, arrays, sizes)
        self._folds = folds
        self._levels = levels
        self.siblings: Mapping[int, Sequence[Fold]] = {}
        """The folds that run in one loop, by their variable, where they are several."""
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
        if len(parts) > thresholds.DEEP_PARTS:
            for part in parts:
                if not isinstance(part, Const | Axis | Index):
                    self.value(part)

    def spread(self, expr: Expr) -> str:
        """`expr` in every lane."""
        if self.lane is None:
            return self.value(expr)
        lanes = self.lane.width.lanes
        if isinstance(expr, Const) and not dims.is_symbolic(expr.value):
            return table.constant(expr.value, expr.dtype, lanes)
        if self.varies(expr):
            return self.value(expr)
        scalar = self.value(expr)
        return self.known((id(expr), lanes), lambda: self.copied(scalar, table.register(expr.dtype, 1), lanes))

    def _value(self, expr: Expr, lanes: int) -> str:
        match expr:
            case Const(value=value, dtype=dtype):
                return self.f.size(whole(expr)) if dims.is_symbolic(value) else table.constant(value, dtype, lanes)
            case Axis() | Index():
                return self.index_vector(expr, 64) if lanes > 1 else self.scalar_index(expr)
            case Load():
                return self._load(expr, lanes)
            case Cast(dtype=dtype, x=x):
                return self._cast(x, dtype, lanes)
            case Select(condition=condition, then=then, orelse=orelse, dtype=dtype):
                if lanes > 1 and not self.varies(condition):
                    flag = self.value(condition)
                    kind = table.register(dtype, lanes)
                    return self.f.op(f"select i1 {flag}, {kind} {self.spread(then)}, {kind} {self.spread(orelse)}")
                parts = [self._in(lanes, part) for part in (condition, then, orelse)]
                return table.select(self.f, parts[0], parts[1], parts[2], dtype, lanes)
            case CallExpr():
                return self._call(expr, lanes)
            case Fold():
                return self._fold(expr, lanes)
            case FoldResult(fold=fold, number=number):
                self._in(lanes, fold)
                return table.narrowed(self.f, self._result(fold, number, lanes), expr.dtype, lanes)
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
                kind = table.register(dtype, lanes)
                if lanes > 1 and dims.is_symbolic(whole(args[1])):
                    return self.quotients(self._in(lanes, args[0]), self._in(lanes, args[1]), "i64", lanes)
                return f.op(f"udiv {kind} {self._in(lanes, args[0])}, {self._in(lanes, args[1])}")
        if call.function == "popcount" and call.dtype != dtype:
            count = table.emit_call(
                f,
                "popcount",
                [self._in(lanes, args[0])],
                arg_dtype=dtype,
                result_dtype=dtype,
                lanes=lanes,
                target=self.target,
            )
            return table.emit_cast(f, count, dtype, call.dtype, lanes)
        values = [self._in(lanes, arg) for arg in args]
        return table.emit_call(
            f, call.function, values, arg_dtype=dtype, result_dtype=call.dtype, lanes=lanes, target=self.target
        )

    def _small_call(self, call: CallExpr, lanes: int) -> str | None:
        """A comparison of index vectors, in 32 bits where they fit."""
        if not FUNCTIONS[call.function].compares or not all(self.is_small(arg) for arg in call.args):
            return None
        x, y = (self.index_vector(arg, 32) for arg in call.args)
        return table.compare_integers(self.f, call.function, x, y, vector("i32", lanes))

    def _cast(self, x: Expr, dtype: DType, lanes: int) -> str:
        if lanes > 1 and x.dtype == int64 and isinstance(x, Index | Axis) and self.is_small(x) and dtype != bool_:
            value = self.index_vector(x, 32)
            if dtype.kind in "iu" and dtype.itemsize == 4:
                return value
            return table.emit_cast(self.f, value, int32, dtype, lanes)
        return table.emit_cast(self.f, self._in(lanes, x), x.dtype, dtype, lanes)

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
        if stride is not None and not dims.is_symbolic(stride) and 2 <= stride <= thresholds.STRIDED_ELEMENTS:
            return memory.load_strided(self.f, self.pointer(load.operand, address), array.dtype, stride, width)
        if stride is not None:
            base = self.pointer(load.operand, address)
            bits = 64 if dims.is_symbolic(stride) or abs(stride) * lanes > SMALL else 32
            return memory.gather(self.f, base, array.dtype, self.lane_steps(stride, bits), f"i{bits}", width)
        places = self.lane_places(address) if width.mask is None or width.active >= 0 else None
        if places is not None and memory.are_near(places, width):
            return memory.load_near(self.f, self.pointer_of_first(load.operand, address), array.dtype, places, width)
        bits = 32 if self._fits(address) else 64
        return memory.gather(self.f, array.pointer, array.dtype, self.index_vector(address, bits), f"i{bits}", width)

    def _fits(self, address: Expr) -> bool:
        low, high = self.limits(address)
        return low >= 0 and high <= SMALL

    def _row_pointer(self, operand: int, address: Expr) -> str:
        """Return a pointer to the lanes of an element of a per-lane row."""
        assert self.lane is not None
        array = self.arrays[operand]
        index = self.f.times(self.value(address), self.lane.width.lanes)
        return memory.element_pointer(self.f, array.pointer, array.dtype, index)

    def store(self, operand: int, address: Expr, value: Expr) -> str:
        """Store `value` at `address` of an array; returns its register."""
        array = self.arrays[operand]
        self.settle(value)
        self._last.pop(operand, None)  # which may be another element
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
            memory.scatter(
                self.f, result, array.pointer, dtype=array.dtype, indices=indices, index_type=f"i{bits}", width=width
            )
        return result

    # Folds

    def _fold(self, fold: Fold, lanes: int) -> str:
        """A fold, and those that run in the same loop."""
        folding = self.folding(fold)
        state = self._vertical(folding, lanes) if lanes > 1 else self._horizontal(folding)
        self.remember_results(folding, state, lanes)
        return self._scopes[-1][(id(fold), lanes)]

    def folding(self, fold: Fold) -> Folding:
        """The folds of one loop, `fold` among them."""
        return Folding(self.f, self.target, self.siblings.get(fold.variable, (fold,)))

    def remember_results(self, folding: Folding, state: State, lanes: int) -> None:
        """Take the results of a last state for the values of folds in the current loop.

        Results of 16-bit floats are rounded once, here.
        """
        known = self._scopes[-1]
        for fold, results in zip(folding.folds, folding.results(state, lanes), strict=True):
            known[(id(fold), lanes)] = table.narrowed(self.f, results[0], fold.dtype, lanes)
            known.update({("result", id(fold), number, lanes): result for number, result in enumerate(results)})
            self._keep.append(fold)

    def _result(self, fold: Fold, number: int, lanes: int) -> str:
        """A result of a fold that is known."""
        key = ("result", id(fold), number, lanes)
        return next(scope[key] for scope in reversed(self._scopes) if key in scope)

    def chain(self, folding: Folding) -> tuple[list[tuple[int, int]], list[tuple[Expr, ...]]]:
        """Variables and sizes of directly nested folds of one kind, outermost first, and each innermost element."""
        chains = [nested(fold) for fold in folding.folds]
        for variable, size in chains[0][0]:
            self.space.ranges[variable] = size
        return chains[0][0], [elements for _, elements in chains]

    def _vertical(self, folding: Folding, lanes: int) -> State:
        """Folds in each lane: a plain loop over vectors."""
        chain, elements = self.chain(folding)

        def turn(state: State) -> State:
            return self._step(folding, state, elements, lanes)

        return self._loops(folding, chain, folding.empty(lanes), lanes, turn, _roots(elements))

    def _step(self, folding: Folding, state: State, elements: Sequence[Sequence[Expr]], lanes: int) -> State:
        values = []
        for element in elements:
            for part in element:
                self.settle(part)
            values.append([self._in(lanes, part) for part in element])
        return folding.stepped(state, values, lanes)

    def _loops(
        self,
        folding: Folding,
        chain: Sequence[tuple[int, int]],
        start: State,
        lanes: int,
        turn: Callable[[State], State],
        roots: list[Expr],
    ) -> State:
        """Loop over the variables of `chain`, carrying a state; `turn(state)` writes what is innermost."""
        if not chain:
            return turn(start)
        (variable, size), rest = chain[0], chain[1:]
        self.hoist(roots, _bits(chain))

        def body(state: State, index: str) -> State:
            with self.bound(variable, index):
                return self._loops(folding, rest, state, lanes, turn, roots)

        steps = self.steps(folding, variable)
        return self._blocked(folding, [start], lanes, size, steps, lambda states, index: [body(states[0], index)])[0]

    def steps(self, folding: Folding, variable: int, lanes: int = 1, terms: int = 1) -> tuple[int, ...]:
        """The steps of the loops over a variable, outermost first: blocks of long sums, then turns of `terms`, or of
        vectors of `lanes`.
        """
        levels = self._levels.get(variable) if folding.levelled else None
        blocks = () if levels is None else levels.turns if lanes == 1 else levels.vectors
        step = lanes * terms
        return (*(block * step for block in blocks), step)

    def _blocked(
        self,
        folding: Folding,
        starts: Sequence[State],
        lanes: int,
        stop: int | str,
        steps: Sequence[int],
        body: Callable[[list[State], str], list[State]],
    ) -> list[State]:
        """`for index in range(0, stop, steps[-1]): states = body(states, index)`; long sums in levels of short ones."""
        types, zeros = folding.types(lanes), [folding.empty(lanes)] * len(starts)

        def level(first: str | int, last: str | int, states: Sequence[State], steps: Sequence[int]) -> list[State]:
            carry = [pair for state in states for pair in zip(types, state, strict=True)]
            (step, *inner) = steps
            with self.f.loop(first, last, step, carry) as loop:
                values = _parts(loop.values, len(types))
                if inner:
                    end = self.f.op(f"add i64 {loop.index}, {step}")
                    end = self.f.smin(end, last)
                    parts = level(loop.index, end, zeros, inner)
                    pairs = zip(values, parts, strict=True)
                    following = [folding.combined(state, part, lanes) for state, part in pairs]
                else:
                    following = body(values, loop.index)
                loop.following = [total for state in following for total in state]
            return _parts(loop.results, len(types))

        if isinstance(stop, str) or dims.is_symbolic(stop):
            last = stop if isinstance(stop, str) else self.f.size(stop)
            return level(0, last, starts, steps)
        if stop <= steps[-1]:
            return body(list(starts), "0") if stop > 0 else list(starts)
        return level(0, stop, starts, steps)

    def _horizontal(self, folding: Folding) -> State:
        """Folds to scalars, one of their variables spread over vectors."""
        chain, elements = self.chain(folding)
        roots, spread = _roots(elements), self._folds.get(chain[0][0])
        if spread is None:
            self.hoist(roots, _bits(chain))

            def turn(state: State) -> State:
                return self._step(folding, state, elements, 1)

            return self._loops(folding, chain, folding.empty(1), 1, turn, roots)
        variable, lanes = spread.variable, spread.few if self.few and spread.few is not None else spread.lanes
        outer = [link for link in chain if link[0] != variable]
        size = dict(chain)[variable]
        self.hoist(roots, _bits([*outer, (variable, size)]))
        if dims.is_symbolic(size):
            return self._counted(folding, elements, (outer, (variable, size)), lanes)

        def inner(state: State) -> State:
            self.hoist(roots, bit(variable))
            return self._spread_fold(folding, elements, (variable, size), lanes, [(state, nullcontext)])[0]

        state = self._loops(folding, outer, folding.empty(lanes.step), lanes.step, inner, roots)
        return folding.across(state, lanes.step)

    def _spread_fold(
        self,
        folding: Folding,
        elements: Sequence[Sequence[Expr]],
        over: tuple[int, int],
        vectors: Lanes,
        runs: Sequence[tuple[State, Callable[[], AbstractContextManager[None]]]],
    ) -> list[State]:
        """Vectors of states over a variable that is spread over lanes, for runs that begin at (state, row) each."""
        (variable, size), lanes = over, vectors.step

        def step(states: Sequence[State], index: str, width: Width) -> list[State]:
            following = []
            for state, (_, row) in zip(states, runs, strict=True):
                with row():
                    following.append(self._lane_step(folding, state, elements, variable, index, width))
            return following

        whole = size // lanes * lanes
        states = [state for state, _ in runs]
        steps = self.steps(folding, variable, lanes)
        states = self._blocked(folding, states, lanes, whole, steps, lambda s, index: step(s, index, Width(lanes)))
        return step(states, str(whole), Width.first(size - whole, vectors.rest)) if vectors.rest else states

    def _counted(
        self,
        folding: Folding,
        elements: Sequence[Sequence[Expr]],
        chain: tuple[list[tuple[int, int]], tuple[int, int]],
        vectors: Lanes,
    ) -> State:
        """Folds to scalars, their last variable spread over vectors, the size of which is not known."""
        outer, (variable, size) = chain
        over = (0, size - 1) if vectors.always else (0, size)
        first, last = vectors.step, vectors.rest or vectors.whole[-1]
        roots = _roots(elements)

        def step(state: State, index: str, width: Width) -> State:
            return self._lane_step(folding, state, elements, variable, index, width)

        def narrow_loop(state: State, start: str, stop: str, lanes: int, width: Callable[[], Width]) -> State:
            carry = list(zip(folding.types(lanes), state, strict=True))
            with self.f.loop(start, stop, lanes, carry) as loop:
                loop.following = step(loop.values, loop.index, width())
            return loop.results

        def inner(state: State) -> State:
            self.hoist(roots, bit(variable))
            lanes, end = first, "0"
            for width in vectors.whole:
                if width != lanes:
                    state = folding.across(state, lanes, width)
                following = whole_steps(self.f, over, width)
                if width == first:

                    def turn(states: list[State], index: str, lanes: int = width) -> list[State]:
                        return [step(states[0], index, Width(lanes))]

                    steps = self.steps(folding, variable, width)
                    (state,) = self._blocked(folding, [state], width, following, steps, turn)
                else:
                    state = narrow_loop(state, end, following, width, functools.partial(Width, width))
                lanes, end = width, following
            if vectors.always:
                return step(state, end, Width.last(self.f, size, last))
            if not vectors.rest:
                return state
            return narrow_loop(state, end, self.f.size(size), last, lambda: Width.counted(self.f, size, last))

        return folding.across(self._loops(folding, outer, folding.empty(first), last, inner, roots), last)

    def fold_rows(self, fold: Fold, rows: Sequence[OpenRow]) -> None:
        """Compute folds of one loop, without folds directly inside, for several rows in the turns of that loop."""
        folding = self.folding(fold)
        ((variable, size),), elements = self.chain(folding)
        for row in rows:
            with self.at(row):
                self.hoist(_roots(elements), bit(variable))
        spread = self._folds.get(variable)
        vectors = Lanes((1,)) if spread is None else spread.lanes
        lanes = vectors.step
        runs = [(folding.empty(lanes), functools.partial(self.at, row)) for row in rows]
        for row, state in zip(rows, self._spread_fold(folding, elements, (variable, size), vectors, runs), strict=True):
            with self.at(row):
                self.remember_results(folding, folding.across(state, lanes), 1)

    def _lane_step(
        self,
        folding: Folding,
        state: State,
        elements: Sequence[Sequence[Expr]],
        variable: int,
        index: str,
        width: Width,
    ) -> State:
        with self.bound(variable, index, Lane(variable, width)):
            values = []
            for element in elements:
                for part in element:
                    self.settle(part)
                values.append([self.spread(part) for part in element])
            return folding.stepped(state, folding.only_active(values, width), width.lanes)


def _roots(elements: Iterable[Iterable[Expr]]) -> list[Expr]:
    return [part for element in elements for part in element]


def _parts(registers: Sequence[str], size: int) -> list[State]:
    """Cut registers into states of one size."""
    return [list(registers[first : first + size]) for first in range(0, len(registers), size)]


def _bits(chain: Iterable[tuple[int, int]]) -> int:
    bits = 0
    for variable, _ in chain:
        bits |= bit(variable)
    return bits
