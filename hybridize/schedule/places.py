# SPDX-License-Identifier: Apache-2.0
"""Places: in whose memory each stored value lies, and at which of its elements (*aliasing*).

A value has memory of its own, which its home describes, or lies within another value's: a slice or a transpose shows
elements of its base, and a part of a concatenation is stored straight into the whole. Such a value has strides and an
offset in the memory of its *root*, the value at the end of the chain, so that it needs no copy.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

from hybridize.base.dims import hint, same
from hybridize.base.frozen import frozen
from hybridize.base.memo import Memo
from hybridize.base.types import Shape
from hybridize.graph import Value
from hybridize.loops.expr import Axis, Const, Expr, whole
from hybridize.loops.index import Index, Interner, Space
from hybridize.schedule.contraction.matrices import memory_order
from hybridize.schedule.homes import Home, in_order, is_contiguous, no_halo


@frozen
class View:
    """Elements of another value: the one at `Axis(0)`, `Axis(1)`, … lies where the base's at `indices` does."""

    base: Value
    indices: tuple[Expr, ...]


class Places:
    """The place of each value of a graph."""

    def __init__(self, interner: Interner, homes: Mapping[Value, Home], ordered: Iterable[Value]) -> None:
        self._interner = interner
        self._homes = dict(homes)
        self._chosen = homes.keys()
        """Values that lie otherwise than in the order of their axes, when they have memory of their own."""
        self._in_order: dict[Shape, Home] = {}
        self._views: dict[Value, View] = {}
        self._inside: dict[Value, list[Value]] = {}
        """The values that lie in each."""
        self._known: dict[Value, Home] = {}
        self._outlines: dict[Value, int] = {}
        self._numbers: dict[tuple[Hashable, ...], int] = {}
        """The outlines by what they stand for."""
        self._within = Memo()
        """The homes of views, by their shapes and what they view."""
        self.ordered: set[Value] = set(ordered)
        """Values that somebody reads or stores in the order of their axes, without gaps."""
        self.matrices: dict[Value, bool] = {}
        """Operands of products, which may lie in any way that these can read them; True where the matrices of a batch
        are one."""

    def __contains__(self, value: Value) -> bool:
        """Tell whether a value lies within another one's memory."""
        return value in self._views

    def views(self) -> Iterable[Value]:
        """The values that lie within others."""
        return self._views

    def base(self, value: Value) -> Value:
        """The value within which this one lies."""
        return self._views[value].base

    def root(self, value: Value) -> Value:
        """The value whose memory holds this one."""
        while value in self._views:
            value = self._views[value].base
        return value

    def own(self, value: Value) -> Home:
        """The home of a value in memory of its own."""
        home = self._homes.get(value)
        if home is None:
            shape = value.type.shape
            home = self._in_order.get(shape)
            if home is None:
                home = self._in_order[shape] = in_order(shape)
            self._homes[value] = home
        return home

    def home(self, value: Value) -> Home:
        """The home of a value in the memory of its root."""
        home = self._known.get(value)
        if home is None:
            view = self._views.get(value)
            place = self.own(value) if view is None else self.within(value, view)
            assert place is not None
            home = self._known[value] = place
        return home

    def outline(self, value: Value) -> int:
        """A number that is equal for values of equal types that lie equally in equal memory; all are placed."""
        number = self._outlines.get(value)
        if number is None:
            root, key = self.root(value), tuple[Hashable, ...]()
            if root is value and value not in self._chosen:
                key = value.type.shape, value.type.dtype.num
            else:
                key = value.type, root.type, self.home(value), self.own(root).elements
            number = self._outlines[value] = self._numbers.setdefault(key, len(self._numbers))
        return number

    def is_ordered(self, value: Value) -> bool:
        """Tell whether a value lies in the order of its axes, without gaps."""
        if value not in self._views and value not in self._chosen:
            return True
        return is_contiguous(self.home(value), value.type.shape)

    def is_dense(self, value: Value) -> bool:
        """Tell whether a value has memory of its own, in the order of its axes."""
        return value not in self._views and self.is_ordered(value)

    def address(self, space: Space, value: Value, indices: tuple[Expr, ...]) -> Expr:
        """The place of an element in the memory of the root."""
        home = self.home(value)
        if self.is_ordered(value):
            flat = space.flat(indices, value.type.shape)
            return flat if same(home.offset, 0) else space.affine([(flat, 1)], home.offset)
        return home.address(space, indices)

    def within(self, value: Value, view: View) -> Home | None:
        """The home that a value would have as a view; None where its places are not affine in its axes."""
        shape, base = value.type.shape, view.base
        key = shape, base.type.shape, self.home(base), tuple(map(id, view.indices))
        return self._within.of(key, lambda: self._home_within(shape, view))

    def _home_within(self, shape: Shape, view: View) -> Home | None:
        space = Space(self._interner, dict(enumerate(shape)))
        layout = strides_of(self.address(space, view.base, view.indices), shape)
        if layout is None:
            return None
        strides, offset = layout
        order = tuple(sorted(range(len(shape)), key=lambda axis: (-abs(hint(strides[axis])), axis)))
        return Home(strides, offset, self.home(view.base).elements, order, no_halo(shape))

    def put(self, value: Value, view: View) -> bool:
        """Have a value lie within another one, if it and all that lie within it then still can; else change nothing."""
        chain = self._chain(value)
        before = {one: self._known.pop(one) for one in chain if one in self._known}
        self._views[value] = view
        for one in chain:
            home = self.within(one, self._views[one])
            if home is None or not self._may_lie_at(one, home):
                del self._views[value]
                for moved in chain:
                    self._known.pop(moved, None)
                self._known.update(before)
                return False
            self._known[one] = home
        self._inside.setdefault(view.base, []).append(value)
        return True

    def _may_lie_at(self, value: Value, home: Home) -> bool:
        """Tell whether those that read a value can do so at a home."""
        if value in self.ordered and not is_contiguous(home, value.type.shape):
            return False
        merged = self.matrices.get(value)
        return merged is None or memory_order(home, value.type.shape, merged=merged) is not None

    def _chain(self, value: Value) -> list[Value]:
        """A value and those that lie within it, each after its base."""
        chain = [value]
        for base in chain:
            chain += self._inside.get(base, ())
        return chain


def strides_of(address: Expr, shape: Shape) -> tuple[tuple[int, ...], int] | None:
    """The stride of each axis in an address, and its offset; None if it is not affine in the axes."""
    strides: list[int] = [0] * len(shape)
    if isinstance(address, Const):
        return tuple(strides), whole(address)
    constant, terms = (address.constant, address.terms) if isinstance(address, Index) else (0, ((address, 1),))
    for atom, coefficient in terms:
        if not isinstance(atom, Axis) or not 0 <= atom.number < len(shape):
            return None
        strides[atom.number] = coefficient
    return tuple(strides), constant
