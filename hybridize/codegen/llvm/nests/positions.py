# SPDX-License-Identifier: Apache-2.0
"""Address elements: indices and pointers in loops, each part computed in the outermost loop that knows it.

A `Positions` knows the register of every open axis, which axis is spread over the lanes of a vector, and what is
already computed in the loops around. Index vectors have 32 bits where the sizes allow.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field

from hybridize.base import dims
from hybridize.base.dims import Bounds, bounds, is_symbolic, proven, same
from hybridize.base.dtypes import DType
from hybridize.base.frozen import frozen, mutable
from hybridize.codegen.llvm.nests import memory
from hybridize.codegen.llvm.nests.memory import Width
from hybridize.codegen.llvm.text import Function, broadcast, is_number, vector
from hybridize.loops.expr import Axis, CallExpr, Const, Expr, Fold, Load, whole
from hybridize.loops.index import Index, Interner, Space, bit, children
from hybridize.machine.target import Target

SMALL = (1 << 31) - 1
"""Indices up to this fit 32 bits, which halves the work of index vectors."""


@frozen
class Array:
    """A buffer as the code sees it."""

    pointer: str
    dtype: DType
    per_lane: bool = False
    """True if each element is a vector, one value per lane of the row axis."""
    written: bool = False
    """True if the nest stores to it: what is read there belongs to one row."""
    table: bool = False
    """True if it holds numbers in the place of constants."""


@frozen
class Lane:
    """The axis spread over a vector; its register holds the index of the first lane."""

    axis: int
    width: Width
    aligned: int = 1
    """The index of the first lane is a multiple of this."""


@mutable
class OpenRow:
    """One index of an axis that several are open of: its register, the depth it was known at, what it gave rise to."""

    axis: int
    register: str
    depth: int
    known: dict[tuple[object, ...], str] = field(default_factory=dict)


class Positions(ABC):
    """Indices and pointers, written into `f`. `sizes` are those of the axes."""

    def __init__(self, f: Function, target: Target, arrays: Mapping[int, Array], sizes: Mapping[int, int]) -> None:
        self.f = f
        self.target = target
        self.arrays = arrays
        self.lane: Lane | None = None
        self.space: Space = Space(Interner(), sizes)
        self.axes: dict[int, str] = {}
        """Register, or number, of each open axis."""
        self.depth: dict[int, int] = {}
        self.rows = 0
        """Axes of the rows, as bits: what is read from a written array depends on them."""
        self.distances: Mapping[tuple[int, int], str] = {}
        """Registers of the bytes from one index of an axis to the next, by array and axis, in the place of coefficients
        that differ from call to call. A store where these are must be of columns in order.
        """
        self.row_lane: int | None = None
        """The row axis that is spread over lanes, where one is."""
        self.pinned: dict[int, int] = {}
        """Loads of what is stored in the same turn: they depend on all axes, as bits, of that turn."""
        self._scopes: list[dict[tuple[object, ...], str]] = [{}]
        self._last: dict[int, tuple[object, object, str]] = {}
        """The value that the last turn of a loop has stored in each array: scope, position and register."""
        self._free: dict[int, int] = {}
        self._keep: list[Expr] = []

    @abstractmethod
    def value(self, expr: Expr) -> str:
        """`expr` as a register: a vector if it varies along the lane axis, else a scalar."""

    @abstractmethod
    def settle(self, expr: Expr) -> None:
        """Compute what a deep expression is made of, innermost first."""

    # Dependence

    def free(self, expr: Expr) -> int:
        """Axes on which `expr` depends, as bits."""
        mask = self._free.get(id(expr))
        if mask is not None:
            return mask
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
        """Tell whether `expr` differs between the lanes."""
        return self.lane is not None and bool(self.free(expr) & bit(self.lane.axis))

    def per_lane_here(self, array: Array) -> bool:
        """Tell whether the elements of `array` are vectors here: not in a turn over a single row."""
        return array.per_lane and self.lane is not None and self.lane.axis == self.row_lane

    def depth_of(self, expr: Expr) -> int:
        """The innermost loop on which `expr` depends, counted from outside."""
        free = self.free(expr)
        if not free:
            return 0
        return max((depth for axis, depth in self.depth.items() if free & bit(axis)), default=0)

    # Loops

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Open a scope: a register that is computed inside is not used outside."""
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

    def row(self, axis: int, register: str) -> OpenRow:
        """One index of `axis`, to be opened where needed inside the current loops."""
        return OpenRow(axis, register, len(self._scopes))

    @contextmanager
    def at(self, row: OpenRow) -> Iterator[None]:
        """Open an axis at a row: what is computed here and now belongs to the row, and lasts as long as it."""
        self.axes[row.axis], self.depth[row.axis] = row.register, row.depth
        self._scopes.append(row.known)
        yield
        self._scopes.pop()
        del self.axes[row.axis], self.depth[row.axis]

    def hoist(self, roots: Iterable[Expr], axes: int) -> None:
        """Compute now what does not depend on `axes` (bits) below `roots`, before a loop over them begins."""
        seen: set[int] = set()
        for root in roots:
            self._hoist(root, axes, seen)

    def _hoist(self, expr: Expr, axes: int, seen: set[int]) -> None:
        if id(expr) in seen or isinstance(expr, Const | Axis) or self._is_number(expr):
            return
        seen.add(id(expr))
        if not self.free(expr) & axes and self.is_open(expr):
            self.settle(expr)
            self.value(expr)
            return
        if isinstance(expr, Load):
            self._hoist_pointer(expr, axes)
        for child in children(expr):
            self._hoist(child, axes, seen)

    def _is_number(self, expr: Expr) -> bool:
        """Tell whether `expr` is a number of a table: an operand in memory, as constants are, where it is used.

        Before a loop it would take a register, of which there are fewer than numbers.
        """
        return isinstance(expr, Load) and expr.operand in self.arrays and self.arrays[expr.operand].table

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
        atoms = [atom for atom, _ in address.terms if not self.free(atom) & axes]
        if atoms and all(self.is_open(atom) and (isinstance(atom, Axis) or not self.varies(atom)) for atom in atoms):
            self._pointer_part(load.operand, address, axes)

    def is_open(self, expr: Expr) -> bool:
        """Tell whether all axes that `expr` needs have a value here."""
        return all(axis in self.axes for axis in self._axes_of(expr))

    # Memo

    def copied(self, scalar: str, kind: str, lanes: int) -> str:
        """A scalar register in every lane of a vector."""
        return broadcast(self.f, scalar, kind, lanes)

    def remember(self, expr: Expr, result: str) -> None:
        """Take `result` for the value of `expr` inside the current loop."""
        lanes = self.lane.width.lanes if self.lane is not None and self.varies(expr) else 1
        self._scopes[-1][(id(expr), lanes)] = result
        self._keep.append(expr)

    def known(self, key: tuple[object, ...], make: Callable[[], str]) -> str:
        """The register under `key`, made now if no loop around has made it."""
        for scope in reversed(self._scopes):
            register = scope.get(key)
            if register is not None:
                return register
        result = make()
        self._scopes[-1][key] = result
        return result

    # The last turn of a loop, where it is written once and runs once

    def remember_last(self, operand: int, address: Expr, result: str) -> None:
        """`result` was stored in this turn."""
        position = self._position_of_last(address)
        if position is not None:
            self._last[operand] = *position, result
            self._keep.append(address)

    def stored_last(self, operand: int, address: Expr) -> str | None:
        """The register that a loop before this one, in the same turn of those around, has stored at its last turn."""
        scope, position, result = self._last.get(operand, (None, None, ""))
        here = self._position_of_last(address)
        return result if here is not None and here[0] is scope and here[1] == position else None

    def _position_of_last(self, address: Expr) -> tuple[object, object] | None:
        """The scope around the loop, and where its last turn reads or stores: equal for equal elements."""
        if self.lane is None or not self.lane.width.once:
            return None
        if self.depth[self.lane.axis] < max(self.depth.values()):
            return None  # a loop inside: what its turns store is not known after it
        axis, terms = self.lane.axis, address.terms if isinstance(address, Index) else ((address, 1),)
        atoms = (
            (
                ("lane" if atom.number == axis else atom.number) if isinstance(atom, Axis) else (id(atom),),
                dims.text(factor),
            )
            for atom, factor in terms
        )
        constant = dims.text(address.constant if isinstance(address, Index) else 0)
        position = self.axes[axis], self.lane.width.mask, frozenset(atoms), constant
        return self._scopes[self.depth[axis] - 1], position

    # Scalar positions

    def scalar_index(self, expr: Expr) -> str:
        """A sum of index terms as a scalar, the outermost loops' terms first."""
        if isinstance(expr, Axis):
            return self.axes[expr.number]
        assert isinstance(expr, Index)
        total: str | None = None if same(expr.constant, 0) else self.f.size(expr.constant)
        for atom, coefficient in sorted(expr.terms, key=lambda term: self.depth_of(term[0])):
            part = self.f.times(self.value(atom), coefficient)
            total = part if total is None else self.f.plus(total, part)
        return total or "0"

    def _first(self, atom: Expr) -> str:
        """An i64 expression as a scalar, the lane axis at its first index."""
        return self.axes[atom.number] if isinstance(atom, Axis) else self.value(atom)

    def _pointer_part(self, operand: int, address: Index, without: int) -> str:
        """Pointer to the element at `address`, terms that depend on the axes `without` left out."""
        atoms = tuple(id(atom) for atom, _ in address.terms if not self.free(atom) & without)
        key = ("pointer", operand, id(address), atoms)
        self._keep.append(address)
        return self.known(key, lambda: self._make_pointer(operand, address, without))

    def _make_pointer(self, operand: int, address: Index, without: int) -> str:
        terms = [term for term in address.terms if not self.free(term[0]) & without]
        array = self.arrays[operand]
        if not terms:
            return memory.element_pointer(self.f, array.pointer, array.dtype, self.f.size(address.constant))
        # The terms of the innermost loop are added to the pointer for all others, which was made outside that loop.
        # What depends on no axis is in that pointer: no term is in both.
        depths = {id(atom): self.depth_of(atom) for atom, _ in terms}
        innermost = max(depths.values())
        outer = without
        for atom, _ in terms:
            if depths[id(atom)] == innermost:
                outer |= self.free(atom)
        inner = [term for term in terms if self.free(term[0]) & outer]
        if inner and all(depths[id(atom)] == innermost for atom, _ in inner):
            base = self._pointer_part(operand, address, outer)
        else:
            inner = terms
            base = memory.element_pointer(self.f, array.pointer, array.dtype, self.f.size(address.constant))
        index = "0"
        for atom, coefficient in inner:
            distance = self._distance(operand, atom)
            if distance:
                base = self.f.multiple(base, self._first(atom), distance)
            else:
                index = self.f.plus(index, self.f.times(self._first(atom), coefficient))
        return memory.element_pointer(self.f, base, array.dtype, index)

    def _distance(self, operand: int, atom: Expr) -> str:
        """The register of a distance along an axis; empty where it is a coefficient."""
        return self.distances.get((operand, atom.number), "") if isinstance(atom, Axis) else ""

    def pointer(self, operand: int, address: Expr) -> str:
        """Pointer to an element, the lane axis at its first index."""
        array = self.arrays[operand]
        if isinstance(address, Index):
            return self._pointer_part(operand, address, 0)
        distance = self._distance(operand, address)
        if distance:
            return self.f.multiple(array.pointer, self._first(address), distance)
        return memory.element_pointer(self.f, array.pointer, array.dtype, self._first(address))

    def place(self, operand: int, address: Index, start: str, distance: int) -> None:
        """Take the element `distance` after the pointer `start` for that at `address` inside the current loop."""
        pointer = memory.element_pointer(self.f, start, self.arrays[operand].dtype, self.f.size(distance))
        self._scopes[-1][("pointer", operand, id(address), tuple(id(atom) for atom, _ in address.terms))] = pointer
        self._keep.append(address)

    # Vector positions

    def index_vector(self, expr: Expr, bits: int) -> str:
        """An i64 expression as a vector of `bits`-bit integers."""
        assert self.lane is not None
        lanes = self.lane.width.lanes
        key = ("index", id(expr), bits, lanes)
        self._keep.append(expr)
        return self.known(key, lambda: self._make_index(expr, bits, lanes))

    def _make_index(self, expr: Expr, bits: int, lanes: int) -> str:
        kind = f"i{bits}"
        if isinstance(expr, Const):
            return self._spread_index(self.f.size(whole(expr)), kind, lanes)
        if not self.varies(expr):
            return self._spread_index(self.value(expr), kind, lanes)
        if isinstance(expr, Axis):
            return self._affine_index([(expr, 1)], 0, bits, lanes)
        if isinstance(expr, Index):
            return self._affine_index(list(expr.terms), expr.constant, bits, lanes)
        if isinstance(expr, CallExpr) and expr.function == "floordiv" and isinstance(expr.args[1], Const):
            low, _ = self.limits(expr.args[0])
            if low >= 0 and proven(whole(expr.args[1])) and (bits == 64 or self.is_small(expr.args[0])):
                x, divisor = (self.index_vector(arg, bits) for arg in expr.args)
                if is_symbolic(whole(expr.args[1])):
                    return self.quotients(x, divisor, kind, lanes)
                return self.f.op(f"udiv {vector(kind, lanes)} {x}, {divisor}")
        value = self.value(expr)
        return value if bits == 64 else self.f.op(f"trunc {vector('i64', lanes)} {value} to {vector(kind, lanes)}")

    def quotients(self, x: str, divisor: str, kind: str, lanes: int) -> str:
        """Indices divided by a size that is not known: there is no such instruction for integers in vectors.

        As doubles they are exact, and so is the quotient once it is cut off, below 2^52: x / d is at least 1 / d below
        the next whole number, which is more than rounding adds.
        """
        of, floats = vector(kind, lanes), vector("double", lanes)
        numbers = [self.f.op(f"sitofp {of} {number} to {floats}") for number in (x, divisor)]
        return self.f.op(f"fptosi {floats} {self.f.op(f'fdiv {floats} {numbers[0]}, {numbers[1]}')} to {of}")

    def _spread_index(self, scalar: str, kind: str, lanes: int) -> str:
        if is_number(scalar):
            return f"splat ({kind} {scalar})"
        if kind == "i32":
            scalar = self.f.op(f"trunc i64 {scalar} to i32")
        return self.copied(scalar, kind, lanes)

    def _affine_index(self, terms: list[tuple[Expr, int]], constant: int, bits: int, lanes: int) -> str:
        assert self.lane is not None
        kind, scalar, moving = f"i{bits}", self.f.size(constant), []
        step = 0
        for atom, coefficient in terms:
            if isinstance(atom, Axis) and atom.number == self.lane.axis:
                scalar = self.f.plus(scalar, self.f.times(self.axes[atom.number], coefficient))
                step = coefficient
            elif self.varies(atom):
                moving.append((atom, coefficient))
            else:
                scalar = self.f.plus(scalar, self.f.times(self.value(atom), coefficient))
        steady = same(step, 0)
        total = None if scalar == "0" and (moving or not steady) else self._spread_index(scalar, kind, lanes)
        of = vector(kind, lanes)
        if not steady:
            steps = self.lane_steps(step, bits)
            total = steps if total is None else self.f.op(f"add {of} {total}, {steps}")
        for atom, coefficient in moving:
            part = self.index_vector(atom, bits)
            if not same(coefficient, 1):
                factor = self._spread_index(self.f.size(coefficient), kind, lanes)
                part = self.f.op(f"mul {of} {part}, {factor}")
            total = part if total is None else self.f.op(f"add {of} {total}, {part}")
        assert total is not None
        return total

    def lane_steps(self, step: int, bits: int) -> str:
        """0, step, 2 step, ... as a vector of `bits`-bit integers."""
        assert self.lane is not None
        lanes, kind = self.lane.width.lanes, f"i{bits}"
        if not is_symbolic(step):
            return f"<{', '.join(f'{kind} {lane * step}' for lane in range(lanes))}>"
        numbers = f"<{', '.join(f'{kind} {lane}' for lane in range(lanes))}>"
        factor = self._spread_index(self.f.size(step), kind, lanes)
        return self.f.op(f"mul {vector(kind, lanes)} {numbers}, {factor}")

    def lane_stride(self, address: Expr) -> int | None:
        """By how much the address moves from lane to lane; None where it moves unevenly."""
        assert self.lane is not None
        return self.stride(address, self.lane.axis)

    def stride(self, address: Expr, axis: int) -> int | None:
        """By how much the address moves from one index of `axis` to the next; None where it moves unevenly."""
        terms = address.terms if isinstance(address, Index) else ((address, 1),)
        stride = 0
        for atom, coefficient in terms:
            if isinstance(atom, Axis):
                stride += coefficient if atom.number == axis else 0
            elif self.free(atom) & bit(axis):
                return None
        return stride

    def lane_places(self, address: Expr) -> list[int] | None:
        """By how much each lane's address is beyond the first one's, where that is the same at every turn.

        So it is along quotients, as of windows that lie side by side, where the divisor divides where turns begin.
        """
        assert self.lane is not None
        places = [0] * self.lane.width.lanes
        for atom, coefficient in address.terms if isinstance(address, Index) else ((address, 1),):
            if not self.varies(atom):
                continue
            steps = self._lane_quotients(atom)
            if steps is None or is_symbolic(coefficient):
                return None
            places = [place + coefficient * step for place, step in zip(places, steps, strict=True)]
        return places

    def _lane_quotients(self, atom: Expr) -> list[int] | None:
        """The same of an axis, or of the quotient of a sum that has the axis of the lanes in it."""
        assert self.lane is not None
        lanes = range(self.lane.width.lanes)
        if isinstance(atom, Axis):
            return list(lanes)
        if not isinstance(atom, CallExpr) or atom.function != "floordiv" or not isinstance(atom.args[1], Const):
            return None
        divisor, x = whole(atom.args[1]), atom.args[0]
        terms, constant = (x.terms, x.constant) if isinstance(x, Index) else (((x, 1),), 0)
        if any(map(is_symbolic, (divisor, constant, *(by for _, by in terms)))) or divisor <= 0:
            return None
        step, begin = 0, constant
        for part, by in terms:
            if isinstance(part, Axis) and part.number == self.lane.axis:
                first = self.axes[part.number]
                if not is_number(first) and by * self.lane.aligned % divisor:
                    return None
                step, begin = by, begin + (by * int(first) if is_number(first) else 0)
            elif self.varies(part) or by % divisor:
                return None
        return [(begin + step * lane) // divisor - begin // divisor for lane in lanes]

    def pointer_of_first(self, operand: int, address: Expr) -> str:
        """Pointer to the element of the first lane, whatever its address depends on."""
        lane, self.lane = self.lane, None
        pointer = self.pointer(operand, address)
        self.lane = lane
        return pointer

    def is_small(self, expr: Expr) -> bool:
        """Tell whether an index fits 32 bits."""
        if not isinstance(expr, Index | Axis | Const):
            return False
        low, high = self.limits(expr)
        return low >= -SMALL and high <= SMALL

    def limits(self, expr: Expr) -> Bounds:
        """Smallest and largest value of an index, whatever the sizes."""
        low, high = self.space.bounds(expr)
        return bounds(low)[0], bounds(high)[1]
