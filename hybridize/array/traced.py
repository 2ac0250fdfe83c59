# SPDX-License-Identifier: Apache-2.0
"""The history of an array while operations are recorded, and the variable that takes its gradient.

An `ndarray` has at most one `Traced`, in its slot `_traced`. While a tape is in charge it is also the operand that the
array is: `ops` computes with its `data`, and the tape finds by its `edge` whom to tell of the gradient.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Collection, Iterable
from typing import Any, Final, NoReturn

from numpy.typing import NDArray

from hybridize.array.storage import Storage
from hybridize.base.errors import StateError
from hybridize.base.frozen import frozen
from hybridize.base.locations import SourceLoc, user_location


class Variable:
    """The receiver of an array's gradient, which `attach_grad` makes."""

    __slots__ = ("__weakref__", "device", "fresh", "grad", "req", "type")

    def __init__(self, type: Any, req: str) -> None:
        self.type: Any = type
        """Of the array."""
        self.req: str = req
        """`write` or `add`."""
        self.grad: Any = None
        """The buffer, an `ndarray`; made when first asked for or written."""
        self.fresh: bool = False
        """True if a backward pass has written it since somebody cleared this."""
        self.device: Any = None
        """The device of the array, and of the buffer; None: `cpu(0)`."""


class Traced:
    """The history of one array, or of an operand on its way to become one."""

    __slots__ = ("base", "data", "edge", "owner", "seen", "steps", "storage", "variable", "version")

    def __init__(self, data: NDArray[Any], edge: Any = None, storage: Storage | None = None, version: int = 0) -> None:
        self.data: NDArray[Any] = data
        self.edge: Any = edge
        """The receiver of the gradient: (node, number of the output), a `Variable`, or None for a constant."""
        self.storage: Storage | None = storage
        """The storage that counts writes to `data`; None if nobody can write, as no array has the buffer."""
        self.version: int = version
        """Of the storage when the history was that of the values in `data`."""
        self.owner: bool = storage is not None
        """True if an array is this one's."""
        self.variable: Variable | None = None
        """The receiver of the gradient, for arrays that are marked."""
        self.base: Any = None
        """The array of which this is a view, made while recording."""
        self.steps: tuple[Any, ...] = ()
        """The ops that make the view."""


@frozen
class Release:
    """The end of a backward pass that let go of what was recorded: later recordings take its arrays as constants."""

    at: SourceLoc | None
    """The user's line."""
    variables: tuple[weakref.ref[Variable], ...]
    """Those whose gradients it has computed."""

    @staticmethod
    def of(points: Iterable[Any]) -> Release:
        """Make that of a pass which ends now, and whose gradients have arrived at some points."""
        return Release(user_location(), tuple([weakref.ref(point) for point in points if type(point) is Variable]))

    def reaches(self, variable: Any) -> bool:
        """Tell whether the pass has computed the gradient of a variable."""
        return any(ref() is variable for ref in self.variables)

    def missed(self, arrived: Collection[Any]) -> bool:
        """Tell whether one of its variables is not among those where gradients of a later pass have arrived."""
        return any(variable is not None and variable not in arrived for variable in (ref() for ref in self.variables))


class _Released:
    """The releases of all passes: the number of the last, and the constants that recordings have read since."""

    number = 0
    constants: tuple[tuple[Storage | None, Release, SourceLoc | None], ...] = ()
    """Storages that the next nodes may read, the passes that freed their graphs, and the lines of the reads."""


RELEASED = _Released()
_LAST = 16


def released(node: Any) -> Any:
    """Return a node behind `node`, or that itself, whose values a pass let go; None where a way to a variable is left.

    What was computed beside that pass of what it has freed (the last state of a layer whose sequence made the loss)
    has a history that leads nowhere else.
    """
    gone, seen, todo = None, {node}, [node]
    while todo:
        one = todo.pop()
        if one.freed:
            gone = one
        elif one.live >= RELEASED.number or hasattr(one.rule, "sweep") or Variable in map(type, one.edges):
            if node.live < RELEASED.number:
                node.live = RELEASED.number
            return None
        else:
            below = {edge[0] for edge in one.edges if edge is not None} - seen
            seen |= below
            todo += below
    return gone


def constant(traced: Traced, by: Release) -> Traced:
    """The operand that an array of a freed graph is to a recording."""
    RELEASED.constants = (*RELEASED.constants[1 - _LAST :], (traced.storage, by, user_location()))
    return Traced(traced.data, None, traced.storage, traced.version)


class LostHistory:
    """The node in the place of a history that stayed in a call: of an array that a compiled function recorded.

    The calls of a program keep no tape. What they computed while recording inside, and left outside, has a history
    imperatively: a backward pass that comes to it is refused, where it would drop a gradient.

    Where a pass inside of the call has freed what was recorded, the array is a constant to later recordings, and no
    such node is made.
    """

    __slots__ = ("__weakref__", "edges", "number", "private", "retained")

    freed: Final = None
    live: Final = math.inf
    """There is a way from here, however many passes have let go of what they went through."""
    constants: Final = ()

    def __init__(self) -> None:
        self.number: int = 0
        """Before those of all nodes of a tape."""
        self.edges: tuple[Any, ...] = ()
        self.retained: dict[int, Variable] | None = None
        """The variable that `attach_grad` has made of the array since."""
        self.private: bool = False

    @property
    def outputs(self) -> list[Any]:
        """The edge that leads to it."""
        return [(self, 0)]

    def history(self, data: NDArray[Any], storage: Storage, version: int) -> Traced:
        """Make the history of one array that has lost its own, with a node of its own."""
        return Traced(data, (LostHistory(), 0), storage, version)

    def mark(self, array: Any) -> None:
        """Mark an array, which need not be new, as one that has lost what its elements were computed of just now."""
        array._traced = self.history(array._content, array.storage, array.storage.version)

    def release(self, where: Any) -> None:
        """Nothing is kept."""

    def check(self) -> NoReturn:
        """Refuse to go back any further.

        Raises:
            StateError E558: always.
        """
        raise StateError(
            "E558", "a backward pass comes to an array that a compiled function computed while recording inside, in an "
            "earlier call: what it recorded there is not kept",
            help="call backward in that call, store x.detach() outside, or record around the call",
        )  # fmt: skip


LOST: Final = LostHistory()
"""Marks an array as one whose history stayed in a call."""
OVERWRITTEN: Final = LostHistory()
"""Such an array, or rather what was written to it while nothing was recorded: which history it has is not clear."""
