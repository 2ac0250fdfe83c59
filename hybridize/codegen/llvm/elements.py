# SPDX-License-Identifier: Apache-2.0
"""Expressions of the loop IR as code: scalars outside, vectors along one axis inside, each computed once per loop.

An `Elements` writes into one function. It knows the register of every open axis, which axis is spread over the lanes
of a vector, and what is already computed in the loops around. What does not vary along the lane axis is computed as a
scalar and copied to all lanes; `hoist` computes what does not depend on a loop before the loop begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from hybridize.base.dtypes import DType, bool_, int32, int64
from hybridize.base.errors import CodegenError
from hybridize.codegen.llvm import memory
from hybridize.codegen.llvm.functions import (
    combine,
    constant,
    emit_call,
    emit_cast,
    narrowed,
    register,
    select,
)
from hybridize.codegen.llvm.memory import Width
from hybridize.codegen.llvm.text import Function, vector
from hybridize.codegen.target import Target
from hybridize.loops.expr import Axis, Call, Cast, Const, Expr, Fold, Load, Select
from hybridize.loops.index import Index, Interner, Space, bit, children, identity
from hybridize.loops.measure import lanes_for, weight, widest

SMALL = (1 << 31) - 1
"""Indices up to this fit 32 bits, which halves the work of index vectors."""
BLOCK = 32
"""Additions in a row before a sum moves on to the next level; keeps the error of long sums near that of pairs."""


@dataclass(frozen=True, slots=True)
class Array:
    """A buffer as the code sees it."""

    pointer: str
    dtype: DType
    per_lane: bool = False
    """Whether each element is a vector, one value per lane of the row axis."""
    written: bool = False
    """Whether the nest stores to it: what is read there belongs to one row."""


@dataclass(frozen=True, slots=True)
class Lane:
    """The axis spread over a vector; its register holds the index of the first lane."""

    axis: int
    width: Width


class Elements:
    """Writes expressions into `f`. `sizes` are those of the axes."""

    def __init__(self, f: Function, target: Target, arrays: Mapping[int, Array], sizes: Mapping[int, int]) -> None:
        self.f = f
        self.target = target
        self.arrays = arrays
        self.lane: Lane | None = None
        self.space = Space(Interner(), sizes)
        self.axes: dict[int, str] = {}
        """Register, or number, of each open axis."""
        self.depth: dict[int, int] = {}
        self.rows = 0
        """Axes of the rows, as bits: what is read from a written array depends on them."""
        self.row_lane: int | None = None
        """The row axis that is spread over lanes, where one is."""
        self.pinned: dict[int, int] = {}
        """Loads of what is stored in the same turn: they depend on all axes, as bits, of that turn."""
        self._scopes: list[dict[tuple[object, ...], str]] = [{}]
        self._free: dict[int, int] = {}
        self._keep: list[Expr] = []

    # Dependence

    def free(self, expr: Expr) -> int:
        """Axes on which `expr` depends, as bits."""
        found = self._free.get(id(expr))
        if found is not None:
            return found
        free = 0
        for child in children(expr):
            free |= self.free(child)
        if isinstance(expr, Axis):
            free = bit(expr.number)
        elif isinstance(expr, Fold):
            free &= ~bit(expr.variable)
        elif isinstance(expr, Load) and expr.operand in self.arrays and self.arrays[expr.operand].written:
            free |= self.rows | self.pinned.get(id(expr), 0)
        self._free[id(expr)] = free
        self._keep.append(expr)
        return free

    def varies(self, expr: Expr) -> bool:
        """Whether `expr` differs between the lanes."""
        return self.lane is not None and bool(self.free(expr) & bit(self.lane.axis))

    def _per_lane(self, array: Array) -> bool:
        """Whether the elements of `array` are vectors here: not in a turn over a single row."""
        return array.per_lane and self.lane is not None and self.lane.axis == self.row_lane

    def _depth_of(self, expr: Expr) -> int:
        free = self.free(expr)
        return max((depth for axis, depth in self.depth.items() if free & bit(axis)), default=0)

    # Loops

    @contextmanager
    def scope(self) -> Iterator[None]:
        """What is computed inside is not used outside."""
        self._scopes.append({})
        yield
        self._scopes.pop()

    @contextmanager
    def bound(self, axis: int, register: str, lane: Lane | None = None) -> Iterator[None]:
        """Open an axis: inside, its index is `register`, spread over `lane` if given."""
        before = self.lane, self.axes.get(axis), self.depth.get(axis)
        self.axes[axis] = register
        self.depth[axis] = len(self._scopes)
        if lane is not None:
            self.lane = lane if lane.width.lanes > 1 else None
        with self.scope():
            yield
        self.lane = before[0]
        del self.axes[axis], self.depth[axis]
        if before[1] is not None and before[2] is not None:
            self.axes[axis], self.depth[axis] = before[1], before[2]

    def hoist(self, roots: Iterable[Expr], axes: int) -> None:
        """Compute now what does not depend on `axes` (bits) below `roots`, before a loop over them begins."""
        seen: set[int] = set()
        for root in roots:
            self._hoist(root, axes, seen)

    def _hoist(self, expr: Expr, axes: int, seen: set[int]) -> None:
        if id(expr) in seen or isinstance(expr, Const | Axis):
            return
        seen.add(id(expr))
        if not self.free(expr) & axes and self._open(expr):
            self.value(expr)
            return
        if isinstance(expr, Load):
            self._hoist_pointer(expr, axes)
        for child in children(expr):
            self._hoist(child, axes, seen)

    def _axes_of(self, expr: Expr) -> Iterable[int]:
        free = self.free(expr)
        number = 0
        while free:
            if free & 1:
                yield number // 2 if number % 2 == 0 else -(number + 1) // 2
            free >>= 1
            number += 1

    def _hoist_pointer(self, load: Load, axes: int) -> None:
        """The part of an address that the loop does not change."""
        address = load.indices[0]
        if not isinstance(address, Index) or load.operand not in self.arrays:
            return
        kept = [atom for atom, _ in address.terms if not self.free(atom) & axes]
        if kept and all(self._open(atom) and (isinstance(atom, Axis) or not self.varies(atom)) for atom in kept):
            self._pointer_part(load.operand, address, axes)

    def _open(self, expr: Expr) -> bool:
        """Whether all axes that `expr` needs have a value here."""
        return all(axis in self.axes for axis in self._axes_of(expr))

    # Values

    def value(self, expr: Expr) -> str:
        """`expr` as a register: a vector if it varies along the lane axis, else a scalar."""
        lanes = self.lane.width.lanes if self.lane is not None and self.varies(expr) else 1
        return self._known((id(expr), lanes), lambda: self._value(expr, lanes))

    def spread(self, expr: Expr) -> str:
        """`expr` in every lane."""
        if self.lane is None:
            return self.value(expr)
        lanes = self.lane.width.lanes
        if isinstance(expr, Const):
            return constant(expr.value, expr.dtype, lanes)
        if self.varies(expr):
            return self.value(expr)
        scalar = self.value(expr)
        return self._known((id(expr), lanes), lambda: self.copied(scalar, register(expr.dtype, 1), lanes))

    def copied(self, scalar: str, kind: str, lanes: int) -> str:
        """A scalar register in every lane of a vector."""
        wide = vector(kind, lanes)
        first = self.f.op(f"insertelement {wide} poison, {kind} {scalar}, i64 0")
        return self.f.op(f"shufflevector {wide} {first}, {wide} poison, <{lanes} x i32> zeroinitializer")

    def remember(self, expr: Expr, result: str) -> None:
        """Take `result` for the value of `expr` inside the current loop."""
        lanes = self.lane.width.lanes if self.lane is not None and self.varies(expr) else 1
        self._scopes[-1][(id(expr), lanes)] = result
        self._keep.append(expr)

    def _known(self, key: tuple[object, ...], make: Callable[[], str]) -> str:
        for scope in reversed(self._scopes):
            found = scope.get(key)
            if found is not None:
                return found
        result = make()
        self._scopes[-1][key] = result
        return result

    def _value(self, expr: Expr, lanes: int) -> str:
        match expr:
            case Const(value=value, dtype=dtype):
                return constant(value, dtype, lanes)
            case Axis() | Index():
                return self._index(expr, 64) if lanes > 1 else self._scalar_index(expr)
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
            case Call():
                return self._call(expr, lanes)
            case Fold():
                return self._narrowed_fold(expr, lanes)
        raise CodegenError("E951", f"{type(expr).__name__} is no expression of the loop IR")

    def _in(self, lanes: int, expr: Expr) -> str:
        return self.spread(expr) if lanes > 1 else self.value(expr)

    def _call(self, call: Call, lanes: int) -> str:
        f, args = self.f, call.args
        dtype = args[0].dtype
        if dtype == int64 and lanes > 1:
            small = self._small_call(call, lanes)
            if small is not None:
                return small
        if call.function == "floordiv" and dtype == int64 and isinstance(args[1], Const) and int(args[1].value) > 0:
            low, _ = self.space.bounds(args[0])
            if low >= 0:
                kind = register(dtype, lanes)
                return f.op(f"udiv {kind} {self._in(lanes, args[0])}, {constant(args[1].value, dtype, lanes)}")
        if call.function == "popcount" and call.dtype != dtype:
            count = emit_call(f, "popcount", [self._in(lanes, args[0])], dtype, dtype, lanes, self.target)
            return emit_cast(f, count, dtype, call.dtype, lanes)
        values = [self._in(lanes, arg) for arg in args]
        return emit_call(f, call.function, values, dtype, call.dtype, lanes, self.target)

    def _small_call(self, call: Call, lanes: int) -> str | None:
        """A comparison of index vectors, in 32 bits where they fit."""
        if call.dtype != bool_ or not all(self._is_small(arg) for arg in call.args):
            return None
        word = {"eq": "eq", "ne": "ne", "lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge"}.get(call.function)
        if word is None:
            return None
        x, y = (self._index(arg, 32) for arg in call.args)
        return self.f.op(f"icmp {word} {vector('i32', lanes)} {x}, {y}")

    def _is_small(self, expr: Expr) -> bool:
        if not isinstance(expr, Index | Axis | Const):
            return False
        low, high = self.space.bounds(expr)
        return low >= -SMALL and high <= SMALL

    def _cast(self, x: Expr, dtype: DType, lanes: int) -> str:
        if lanes > 1 and x.dtype == int64 and isinstance(x, Index | Axis) and self._is_small(x) and dtype != bool_:
            value = self._index(x, 32)
            if dtype.kind in "iu" and dtype.itemsize == 4:
                return value
            return emit_cast(self.f, value, int32, dtype, lanes)
        return emit_cast(self.f, self._in(lanes, x), x.dtype, dtype, lanes)

    # Scalar positions

    def _scalar_index(self, expr: Expr) -> str:
        if isinstance(expr, Axis):
            return self.axes[expr.number]
        assert isinstance(expr, Index)
        total: str | None = None if not expr.constant else str(expr.constant)
        for atom, coefficient in sorted(expr.terms, key=lambda term: self._depth_of(term[0])):
            part = self._times(self.value(atom), coefficient)
            total = part if total is None else self._plus(total, part)
        return total or "0"

    def _first(self, atom: Expr) -> str:
        """An i64 expression as a scalar, the lane axis at its first index."""
        return self.axes[atom.number] if isinstance(atom, Axis) else self.value(atom)

    def _times(self, value: str, factor: int) -> str:
        if _is_number(value):
            return str(int(value) * factor)
        return value if factor == 1 else self.f.op(f"mul i64 {value}, {factor}")

    def _plus(self, x: str, y: str) -> str:
        if _is_number(x) and _is_number(y):
            return str(int(x) + int(y))
        if x == "0" or y == "0":
            return y if x == "0" else x
        return self.f.op(f"add i64 {x}, {y}")

    def _pointer_part(self, operand: int, address: Index, without: int) -> str:
        """Pointer to the element at `address`, terms that depend on the axes `without` left out."""
        kept = tuple(id(atom) for atom, _ in address.terms if not self.free(atom) & without)
        key = ("pointer", operand, id(address), kept)
        self._keep.append(address)
        return self._known(key, lambda: self._make_pointer(operand, address, without))

    def _make_pointer(self, operand: int, address: Index, without: int) -> str:
        terms = [term for term in address.terms if not self.free(term[0]) & without]
        array = self.arrays[operand]
        if not terms:
            return memory.element_pointer(self.f, array.pointer, array.dtype, str(address.constant))
        # The term of the innermost loop is added to the pointer for all others, which was made outside that loop.
        innermost = max(terms, key=lambda term: self._depth_of(term[0]))
        depth = self._depth_of(innermost[0])
        inner = [term for term in terms if self._depth_of(term[0]) == depth]
        outer = without
        for atom, _ in inner:
            outer |= self.free(atom)
        apart = not any(self.free(atom) & outer for atom, _ in terms if self._depth_of(atom) != depth)
        if apart and outer != without:
            base = self._pointer_part(operand, address, outer)
        else:
            inner, base = terms, memory.element_pointer(self.f, array.pointer, array.dtype, str(address.constant))
        index = "0"
        for atom, coefficient in inner:
            index = self._plus(index, self._times(self._first(atom), coefficient))
        return memory.element_pointer(self.f, base, array.dtype, index)

    def pointer(self, operand: int, address: Expr) -> str:
        """Pointer to an element, the lane axis at its first index."""
        array = self.arrays[operand]
        if isinstance(address, Index):
            return self._pointer_part(operand, address, 0)
        return memory.element_pointer(self.f, array.pointer, array.dtype, self._first(address))

    # Vector positions

    def _index(self, expr: Expr, bits: int) -> str:
        """An i64 expression as a vector of `bits`-bit integers."""
        assert self.lane is not None
        lanes = self.lane.width.lanes
        key = ("index", id(expr), bits, lanes)
        self._keep.append(expr)
        return self._known(key, lambda: self._make_index(expr, bits, lanes))

    def _make_index(self, expr: Expr, bits: int, lanes: int) -> str:
        kind = f"i{bits}"
        if isinstance(expr, Const):
            return f"splat ({kind} {expr.value})"
        if not self.varies(expr):
            return self._spread_index(self.value(expr), kind, lanes)
        if isinstance(expr, Axis):
            return self._affine_index([(expr, 1)], 0, bits, lanes)
        if isinstance(expr, Index):
            return self._affine_index(list(expr.terms), expr.constant, bits, lanes)
        if isinstance(expr, Call) and expr.function == "floordiv" and isinstance(expr.args[1], Const):
            low, _ = self.space.bounds(expr.args[0])
            if low >= 0 and int(expr.args[1].value) > 0 and (bits == 64 or self._is_small(expr.args[0])):
                x = self._index(expr.args[0], bits)
                return self.f.op(f"udiv {vector(kind, lanes)} {x}, splat ({kind} {expr.args[1].value})")
        value = self.value(expr)
        return value if bits == 64 else self.f.op(f"trunc {vector('i64', lanes)} {value} to {vector(kind, lanes)}")

    def _spread_index(self, scalar: str, kind: str, lanes: int) -> str:
        if _is_number(scalar):
            return f"splat ({kind} {scalar})"
        if kind == "i32":
            scalar = self.f.op(f"trunc i64 {scalar} to i32")
        return self.copied(scalar, kind, lanes)

    def _affine_index(self, terms: list[tuple[Expr, int]], constant: int, bits: int, lanes: int) -> str:
        assert self.lane is not None
        kind, scalar, moving = f"i{bits}", str(constant), []
        step = 0
        for atom, coefficient in terms:
            if isinstance(atom, Axis) and atom.number == self.lane.axis:
                scalar = self._plus(scalar, self._times(self.axes[atom.number], coefficient))
                step = coefficient
            elif self.varies(atom):
                moving.append((atom, coefficient))
            else:
                scalar = self._plus(scalar, self._times(self.value(atom), coefficient))
        total = None if scalar == "0" and (moving or step) else self._spread_index(scalar, kind, lanes)
        of = vector(kind, lanes)
        if step:
            steps = f"<{', '.join(f'{kind} {lane * step}' for lane in range(lanes))}>"
            total = steps if total is None else self.f.op(f"add {of} {total}, {steps}")
        for atom, coefficient in moving:
            part = self._index(atom, bits)
            if coefficient != 1:
                part = self.f.op(f"mul {of} {part}, splat ({kind} {coefficient})")
            total = part if total is None else self.f.op(f"add {of} {total}, {part}")
        assert total is not None
        return total

    def _lane_stride(self, address: Expr) -> int | None:
        """By how much the address moves from lane to lane; None where it moves unevenly."""
        assert self.lane is not None
        terms = address.terms if isinstance(address, Index) else ((address, 1),)
        stride = 0
        for atom, coefficient in terms:
            if isinstance(atom, Axis):
                stride += coefficient if atom.number == self.lane.axis else 0
            elif self.varies(atom):
                return None
        return stride

    def _load(self, load: Load, lanes: int) -> str:
        array, address = self.arrays[load.operand], load.indices[0]
        if self._per_lane(array):
            return memory.load(self.f, self._row_pointer(load.operand, address), array.dtype, Width(lanes))
        if lanes == 1 or self.lane is None:
            return memory.load(self.f, self.pointer(load.operand, address), array.dtype, Width(1))
        width = self.lane.width
        stride = self._lane_stride(address)
        if stride == 1:
            return memory.load(self.f, self.pointer(load.operand, address), array.dtype, width)
        if stride == -1:
            return memory.load_reversed(self.f, self.pointer(load.operand, address), array.dtype, width)
        if stride is not None:
            base = self.pointer(load.operand, address)
            steps = f"<{', '.join(f'i32 {lane * stride}' for lane in range(lanes))}>"
            if abs(stride) * lanes <= SMALL:
                return memory.gather(self.f, base, array.dtype, steps, "i32", width)
        bits = 32 if self._fits(address) else 64
        return memory.gather(self.f, array.pointer, array.dtype, self._index(address, bits), f"i{bits}", width)

    def _fits(self, address: Expr) -> bool:
        low, high = self.space.bounds(address)
        return low >= 0 and high <= SMALL

    def _row_pointer(self, operand: int, address: Expr) -> str:
        """Where the lanes of an element of a per-lane row are."""
        assert self.lane is not None
        array = self.arrays[operand]
        index = self._times(self.value(address), self.lane.width.lanes)
        return memory.element_pointer(self.f, array.pointer, array.dtype, index)

    def store(self, operand: int, address: Expr, value: Expr) -> str:
        """Store `value` at `address` of an array; returns its register."""
        array = self.arrays[operand]
        if self.lane is None:
            result = self.value(value)
            memory.store(self.f, result, self.pointer(operand, address), array.dtype, Width(1))
            return result
        result = self.spread(value)
        width = self.lane.width
        if self._per_lane(array):
            memory.store(self.f, result, self._row_pointer(operand, address), array.dtype, Width(width.lanes))
            return result
        stride = self._lane_stride(address)
        if stride == 1:
            memory.store(self.f, result, self.pointer(operand, address), array.dtype, width)
        else:
            bits = 32 if self._fits(address) else 64
            indices = self._index(address, bits)
            memory.scatter(self.f, result, array.pointer, array.dtype, indices, f"i{bits}", width)
        return result

    # Folds

    def _narrowed_fold(self, fold: Fold, lanes: int) -> str:
        """A fold; sums of 16-bit floats are rounded once, at the end."""
        result = self._vertical(fold, lanes) if lanes > 1 else self._horizontal(fold)
        return narrowed(self.f, result, fold.dtype, lanes)

    def _chain(self, fold: Fold) -> tuple[list[tuple[int, int]], Expr]:
        """Variables and sizes of directly nested folds of one kind, outermost first, and the innermost body."""
        chain = [(fold.variable, fold.size)]
        body = fold.body
        while isinstance(body, Fold) and body.kind == fold.kind and body.dtype == fold.dtype:
            chain.append((body.variable, body.size))
            body = body.body
        for variable, size in chain:
            self.space.ranges[variable] = size
        return chain, body

    def _vertical(self, fold: Fold, lanes: int) -> str:
        """A fold in each lane: a plain loop over vectors."""
        chain, body = self._chain(fold)
        start = constant(identity(fold.kind, fold.dtype), fold.dtype, lanes)
        return self._loops(fold, chain, start, lanes, lambda total: self._step(fold, total, body, lanes), [body])

    def _step(self, fold: Fold, total: str, body: Expr, lanes: int) -> str:
        value = self._in(lanes, body)
        return combine(self.f, fold.kind, total, value, fold.dtype, lanes, self.target)

    def _loops(
        self, fold: Fold, chain: Sequence[tuple[int, int]], start: str, lanes: int, turn: Callable[[str], str],
        roots: list[Expr],
    ) -> str:  # fmt: skip
        """Loop over the variables of `chain`, carrying a total; `turn(total)` writes the innermost body."""
        if not chain:
            return turn(start)
        (variable, size), rest = chain[0], chain[1:]
        self.hoist(roots, _bits(chain))

        def body(total: str, index: str) -> str:
            with self.bound(variable, index):
                return self._loops(fold, rest, total, lanes, turn, roots)

        return self.blocked(fold, start, lanes, size, 1, body)

    def blocked(self, fold: Fold, start: str, lanes: int, stop: int, step: int, body: Callable[[str, str], str]) -> str:
        """`for index in range(0, stop, step): total = body(total, index)`; long sums in levels of short ones."""
        kind = register(fold.dtype, lanes)
        zero = constant(identity(fold.kind, fold.dtype), fold.dtype, lanes)

        def level(first: str | int, last: str | int, total: str, span: int) -> str:
            if span == step:
                with self.f.loop(first, last, step, [(kind, total)]) as loop:
                    loop.following = [body(loop.values[0], loop.index)]
                return loop.results[0]
            with self.f.loop(first, last, span, [(kind, total)]) as loop:
                end = self.f.op(f"add i64 {loop.index}, {span}")
                end = self.f.op(f"call i64 {self._smin()}(i64 {end}, i64 {last})")
                part = level(loop.index, end, zero, span // BLOCK)
                loop.following = [combine(self.f, fold.kind, loop.values[0], part, fold.dtype, lanes, self.target)]
            return loop.results[0]

        if stop <= step:
            return body(start, "0") if stop > 0 else start
        span = step
        if fold.kind == "sum" and fold.dtype.kind not in "biu":
            while stop > span * BLOCK * 2:
                span *= BLOCK
        return level(0, stop, start, span)

    def _smin(self) -> str:
        return self.f.module.declare("llvm.smin.i64", "i64", ["i64", "i64"])

    def _horizontal(self, fold: Fold) -> str:
        """A fold to a scalar, its innermost variable spread over vectors."""
        chain, body = self._chain(fold)
        outer, (variable, size) = self._lane_last(chain, body)
        self.hoist([body], _bits(chain))
        lanes = lanes_for(self.target.lanes(widest(body, fold)), weight(body), size)
        if lanes == 1:
            start = constant(identity(fold.kind, fold.dtype), fold.dtype, 1)
            return self._loops(fold, chain, start, 1, lambda total: self._step(fold, total, body, 1), [body])
        main = size // lanes * lanes
        zero = constant(identity(fold.kind, fold.dtype), fold.dtype, lanes)

        def inner(total: str) -> str:
            self.hoist([body], bit(variable))
            total = self.blocked(
                fold, total, lanes, main, lanes, lambda t, i: self._lane_step(fold, t, body, variable, i, Width(lanes))
            )
            if size > main:
                width = Width.first(size - main, lanes)
                total = self._lane_step(fold, total, body, variable, str(main), width)
            return total

        total = self._loops(fold, outer, zero, lanes, inner, [body])
        return self.across(fold.kind, total, fold.dtype, lanes)

    def _lane_last(self, chain: list[tuple[int, int]], body: Expr) -> tuple[list[tuple[int, int]], tuple[int, int]]:
        """The chain with the variable last along which loads are in order."""
        if len(chain) == 1:
            return [], chain[0]
        scores = {variable: 0 for variable, _ in chain}
        seen: set[int] = set()
        stack = [body]
        while stack:
            expr = stack.pop()
            if id(expr) in seen:
                continue
            seen.add(id(expr))
            if isinstance(expr, Load):
                address = expr.indices[0]
                terms = address.terms if isinstance(address, Index) else ((address, 1),)
                for atom, coefficient in terms:
                    if isinstance(atom, Axis) and atom.number in scores and coefficient == 1:
                        scores[atom.number] += 1
            stack += children(expr)
        best = max(range(len(chain)), key=lambda k: (scores[chain[k][0]] * min(16, chain[k][1]), k))
        return [link for k, link in enumerate(chain) if k != best], chain[best]

    def _lane_step(self, fold: Fold, total: str, body: Expr, variable: int, index: str, width: Width) -> str:
        lanes = width.lanes
        with self.bound(variable, index, Lane(variable, width)):
            value = self.spread(body)
            if width.mask is not None:
                none = constant(identity(fold.kind, fold.dtype), fold.dtype, lanes)
                value = select(self.f, width.mask, value, none, fold.dtype, lanes)
            return combine(self.f, fold.kind, total, value, fold.dtype, lanes, self.target)

    def across(self, kind: str, total: str, dtype: DType, lanes: int) -> str:
        """Fold the lanes of a vector into a scalar, halves first."""
        while lanes > 1:
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


def _bits(chain: Iterable[tuple[int, int]]) -> int:
    bits = 0
    for variable, _ in chain:
        bits |= bit(variable)
    return bits


def _is_number(text: str) -> bool:
    return text.lstrip("-").isdigit()
