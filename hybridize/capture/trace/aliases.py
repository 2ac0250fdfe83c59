# SPDX-License-Identifier: Apache-2.0
"""May-alias: arrays, lists and dicts that are one or several, depending on data, and the writes that are refused then.

After `y = a if c else b` the graph has a value for `y`, but nobody knows whose memory it is. As long as the function
holds both `y` and `a`, a write to either might have to be seen through the other; so it is refused. Where nobody holds
the other one any more, a write is an ordinary one; and reading costs nothing.
"""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable, Collection, Iterable
from dataclasses import field
from typing import Any

from hybridize.array.symbol import Cell
from hybridize.base.errors import CaptureError
from hybridize.base.frozen import mutable
from hybridize.base.members import has_class_member
from hybridize.capture.outside.world import World
from hybridize.capture.trace.carried import CarriedNumber
from hybridize.capture.trace.scope import GraphScope

_Partner = tuple["weakref.ref[GraphScope]", "weakref.ref[Cell]"]


@mutable(eq=False)
class OpenCopies:
    """Cells of which one is a copy of another in this call, and a view of it in calls of other sizes."""

    cells: weakref.WeakSet[Cell] = field(default_factory=weakref.WeakSet)
    open: list[Callable[[], object]] = field(default_factory=list)
    """Functions that let the program hold only where a copy is one."""

    def decide(self) -> None:
        """Let the program hold only where they are several arrays."""
        while self.open:
            self.open.pop()()


@mutable
class ChangesSince:
    """Changes since a point to which somebody may have to go back."""

    since: int
    """The number of the first object that the program made after it."""
    containers: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    """Containers, and what they held."""
    lasts: bool = False
    """True if an object from before it was changed in a way that nobody can take back."""


class Aliases:
    """The objects of one capture that may be the same, depending on data."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.watches: list[ChangesSince] = []
        """Of those who may have to undo what is being recorded."""
        self._gone_on: dict[int, GraphScope | None] = {}
        """By the identity of an iterator: the branch where alone it is known how far it has gone; None if nowhere."""
        self._carried: weakref.WeakKeyDictionary[Cell, CarriedNumber | None] = weakref.WeakKeyDictionary()
        """Cells that a loop of the graph carries: they cannot be written, as at first they are an array from before, or
        a number."""
        self._carried_containers: dict[int, Any] = {}
        """The same of lists and dicts."""
        self._twins: dict[int, tuple[Any, list[Any]]] = {}
        """By identity: a list or dict, and those that it may be, depending on data."""
        self._partners: weakref.WeakKeyDictionary[Cell, dict[tuple[int, int], _Partner]] = weakref.WeakKeyDictionary()
        """Cells that may be one array or several, depending on data: while two are in use neither can be written."""
        self._copies: weakref.WeakKeyDictionary[Cell, OpenCopies] = weakref.WeakKeyDictionary()
        """Cells that are several arrays in this call, and may be one in calls of other sizes."""

    # ------------------------------------------------------------------------------------------------------- arrays

    def carry(self, cell: Cell, is_number: bool, before: Cell | None, body: GraphScope) -> None:
        """Hear of a cell that the body of a loop carries, a number before the loop, or an array."""
        around = None if before is None else self._carried.get(before)
        number = is_number or around is not None
        self._carried[cell] = CarriedNumber(cell.value, body, around) if number else None

    def carried_number(self, cell: Cell) -> CarriedNumber | None:
        """Return what a loop carries in a cell, if it is a number at first."""
        return self._carried.get(cell)

    def check_carried(self, cell: Cell, arrays: set[Cell], others: set[Cell], body: GraphScope) -> None:
        """Refuse writes to what a loop carries where they would be seen by another name.

        Args:
            cell: what the loop carries.
            arrays: those that it may be: from before the loop, or left in it by a round.
            others: those that anything else may be of which a round reads what the one before has left.
            body: the body.

        Raises:
            CaptureError E441: they would be, in some round.
        """
        number = self._carried.get(cell)
        if number is None or number.refusal is None:
            return
        own = all(body.is_own(one.value) or self._carried.get(one) is not None for one in arrays)
        if not own or not arrays.isdisjoint(others) or number.is_read():
            raise self._world.program.refusing(number.refusal)

    def reached(self, cells: set[Cell]) -> set[Cell]:
        """Return cells, and those that may be the same arrays."""
        return cells.union(other for cell in cells for _, other in self._sharing(cell))

    def may_share(self, cell: Cell, others: Iterable[Cell], at: GraphScope) -> None:
        """Say that an array may be, depending on data, the same as others, from here on in a branch."""
        known: dict[int, Cell] = {}
        for other in others:  # what may be the same as one of them may be the same as this one
            known[id(other)] = other
            known |= {id(further): further for _, further in self._sharing(other)}
        known.pop(id(cell), None)
        for one in (cell, *known.values()):
            self._decide(one)
        scope = weakref.ref(at)
        for other in known.values():
            for one, another in ((cell, other), (other, cell)):
                self._partners.setdefault(one, {})[id(at), id(another)] = (scope, weakref.ref(another))

    def copied(self, cell: Cell, copy: Cell, decide: Callable[[], object], at: GraphScope) -> None:
        """Hear of a copy of a cell that in calls of other sizes is a view, a reshape of a transposed axis of size 1.

        Nobody can tell until one of them is written, or both are left outside; values are the same. Where more is in
        play already, data or a branch, the program holds where it is a copy only.
        """
        if at.parent is not None or cell in self._partners or cell in self._carried:
            decide()
            return
        copies = self._copies.setdefault(cell, OpenCopies())
        copies.cells.update((cell, copy))
        copies.open.append(decide)
        self._copies[copy] = copies

    def leave(self, cells: Iterable[Cell]) -> None:
        """Hear of all cells that somebody outside has after a call: several of them are several arrays."""
        outside = set(cells)
        for copies in {id(one): one for one in map(self._copies.get, outside) if one is not None}.values():
            if len(outside.intersection(copies.cells)) > 1:
                copies.decide()

    def _decide(self, cell: Cell) -> None:
        copies = self._copies.get(cell)
        if copies is not None:
            copies.decide()

    def origins(self, cell: Cell, at: GraphScope) -> list[Cell]:
        """Return the arrays in use that this one may be here, depending on data."""
        if cell not in self._partners:
            return []
        around: GraphScope | None = at
        chain = set()
        while around is not None:
            chain.add(around)
            around = around.parent
        return [other for scope, other in self._sharing(cell) if scope in chain and not self._is_over(other)]

    def _is_over(self, cell: Cell) -> bool:
        """Tell whether a copy of what a loop carries in a cell was written, after which nobody reads the cell."""
        number = self._carried.get(cell)
        return number is not None and number.refusal is not None

    def check_write(self, cell: Cell, at: GraphScope) -> None:
        """Refuse a write to an array that may be another one, which is in use.

        Raises:
            CaptureError E441: it may.
        """
        self._decide(cell)
        if cell in self._carried:
            raise self.refusing_write()
        if self.origins(cell, at):
            self._forget()
            if self.origins(cell, at):
                raise self.refusing_write()

    def may_be_one(self, cell: Cell, other: Cell, at: GraphScope) -> bool:
        """Tell whether two arrays may be one object or not, depending on data."""
        return cell in self._carried or other in self._carried or any(one is other for one in self.origins(cell, at))

    def check_compared(self, cell: Cell, other: Cell, at: GraphScope) -> None:
        """Refuse to tell whether two arrays are one object where data decides that.

        Raises:
            CaptureError E441: it does.
        """
        if self.may_be_one(cell, other, at):
            raise self._world.program.refusal(
                "E441", "data decides whether two arrays are one object",
                help="compare the condition itself, or use x.copy() in one branch, which is never the same object",
            )  # fmt: skip

    def refusing_write(self) -> CaptureError:
        """Refuse a write to an array that may be another one."""
        return self._world.program.refusing(self.refused_write())

    def refused_write(self) -> CaptureError:
        """Make the error for a write, at this line, to an array that may be another one."""
        return CaptureError(
            "E441", "a write to an array that may be the same object as another one, depending on data",
            help="create a new array: x = x + 1 instead of x += 1", loc=self._world.program.location(),
        )  # fmt: skip

    def _sharing(self, cell: Cell) -> list[tuple[GraphScope, Cell]]:
        """The cells in use that may be the same array as this one, each with the branch where that is so."""
        partners = self._partners.get(cell)
        if partners is None:
            return []
        cells: list[tuple[GraphScope, Cell]] = []
        for key, (scope, reference) in list(partners.items()):
            at, other = scope(), reference()
            if at is None or other is None:
                del partners[key]
            else:
                cells.append((at, other))
        return cells

    # --------------------------------------------------------------------------------------------- lists and dicts

    def carry_containers(self, containers: Iterable[Any]) -> None:
        """Hear of lists and dicts that a loop of the graph carries."""
        self._carried_containers.update((id(one), one) for one in containers)

    def may_be(self, containers: Collection[Any]) -> None:
        """Say that lists or dicts may be one or several, depending on data."""
        for container in containers:
            self._twins.setdefault(id(container), (container, []))[1].extend(
                other for other in containers if other is not container
            )

    def watch(self) -> ChangesSince:
        """Watch changes from here on, until `unwatch`; return where they come to stand."""
        self.watches.append(ChangesSince(next(self._world.numbers)))
        return self.watches[-1]

    def unwatch(self, watch: ChangesSince) -> None:
        """Watch no longer."""
        self.watches[:] = [one for one in self.watches if one is not watch]

    def is_from_before(self, owner: Any, at: GraphScope) -> bool:
        """Tell whether the program has made an object before the branch in charge, or before a point to go back to."""
        entry = self._world.fresh.get(id(owner))
        if entry is None:
            return False
        return entry[1] is not at or any(entry[2] < watch.since for watch in self.watches)

    def lasts(self, owner: Any, at: GraphScope) -> bool:
        """Hear of a change to an object of the program that nobody can take back; return whether it can be made here.

        It cannot in a branch that is not the object's own, whose other side may not make it.
        """
        entry = self._world.fresh.get(id(owner))
        if entry is not None and at.parent is not None and entry[1] is not at:
            return False
        self._last(-1 if entry is None else entry[2])
        return True

    def _last(self, number: int) -> None:
        for watch in self.watches:
            watch.lasts = watch.lasts or number < watch.since

    def goes_on(self, iterator: Any, at: GraphScope) -> bool:
        """Hear that an iterator of the program's goes on; return whether it is known how far it has gone already.

        After it has gone on in a branch, that is known in this branch only; in a loop of the graph it never is.
        """
        _, home, number = self._world.fresh[id(iterator)]
        self._last(number)
        known = self._gone_on.get(id(iterator), home)
        around: GraphScope | None = at
        while around is not None and around is not known:
            around = None if around.repeats else around.parent
        self._gone_on[id(iterator)] = None if around is None else at
        return around is not None

    def is_iterator(self, iterable: Any) -> bool:
        """Tell whether a loop goes through an iterator that the program has made, and may hold elsewhere."""
        return id(iterable) in self._world.fresh and has_class_member(type(iterable), "__next__")

    def changes(self, container: Any, at: GraphScope) -> None:
        """Hear that a container is to be changed; refuse it where it may be another one too, which anybody has.

        Raises:
            CaptureError E441: somebody has.
        """
        self._check_change(container, at)
        for watch in self.watches:
            watch.containers.setdefault(id(container), (container, container.copy()))

    def _check_change(self, container: Any, at: GraphScope) -> None:
        if id(container) not in self._carried_containers:
            _, twins = self._twins.get(id(container), (None, []))
            if not any(self._is_used(twin, at) for twin in twins):
                return
            self._forget()
            if not any(self._is_used(twin, at) for twin in twins):
                return
        raise self._world.program.refusal(
            "E441",
            f"a change to a {type(container).__name__} that may be the same object as another one, depending on data",
            help=f"create a new {type(container).__name__} instead",
        )  # fmt: skip

    def _is_used(self, container: Any, at: GraphScope) -> bool:
        """Tell whether anybody but this capture's own books holds a list or dict."""
        key = id(container)
        books = 3 + (key in self._world.fresh)  # the argument, the call, its own entry among the twins
        books += sum(one is container for _, others in self._twins.values() for one in others)
        books += sum(key in watch.containers for watch in self.watches)
        around: GraphScope | None = at
        while around is not None:
            books += key in around.containers
            around = around.parent
        return sys.getrefcount(container) > books + 1  # and the loop of the caller

    def _forget(self) -> None:
        """Let go of what nobody else holds."""
        fresh = self._world.fresh
        for key in list(fresh):
            if sys.getrefcount(fresh[key][0]) <= 2:  # of the entry, and of the call
                del fresh[key]
                self._gone_on.pop(key, None)
        gc.collect()
