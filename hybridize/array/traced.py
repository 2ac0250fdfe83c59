# SPDX-License-Identifier: Apache-2.0
"""The history of an array while operations are recorded, and the variable that takes its gradient.

An `ndarray` has at most one `Traced`, in its slot `_traced`. While a tape is in charge it is also the operand that the
array is: `ops` computes with its `data`, and the tape finds by its `edge` whom to tell of the gradient.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn

from numpy.typing import NDArray

from hybridize.array.storage import Storage
from hybridize.base.errors import StateError


class Variable:
    """The receiver of an array's gradient, which `attach_grad` makes."""

    __slots__ = ("__weakref__", "fresh", "grad", "req", "type")

    def __init__(self, type: Any, req: str) -> None:
        self.type = type
        """Of the array."""
        self.req = req
        """`write` or `add`."""
        self.grad: Any = None
        """The buffer, an `ndarray`; made when first asked for or written."""
        self.fresh = False
        """True if a backward pass has written it since somebody cleared this."""


class Traced:
    """The history of one array, or of an operand on its way to become one."""

    __slots__ = ("base", "data", "edge", "owner", "seen", "steps", "storage", "variable", "version")

    def __init__(self, data: NDArray[Any], edge: Any = None, storage: Storage | None = None, version: int = 0) -> None:
        self.data = data
        self.edge = edge
        """The receiver of the gradient: (node, number of the output), a `Variable`, or None for a constant."""
        self.storage = storage
        """The storage that counts writes to `data`; None if nobody can write, as no array has the buffer."""
        self.version = version
        """Of the storage when the history was that of the values in `data`."""
        self.owner = storage is not None
        """True if an array is this one's."""
        self.variable: Variable | None = None
        """The receiver of the gradient, for arrays that are marked."""
        self.base: Any = None
        """The array of which this is a view, made while recording."""
        self.steps: tuple[Any, ...] = ()
        """The ops that make the view."""


class LostHistory:
    """The node in the place of a history that stayed in a call: of an array that a compiled function recorded.

    The calls of a program keep no tape. What they computed while recording inside, and left outside, has a history
    imperatively: a backward pass that comes to it is refused, where it would drop a gradient.

    Args:
        freed: a backward pass inside of the call has gone through it.
    """

    __slots__ = ("__weakref__", "edges", "freed", "number", "private", "retained")

    def __init__(self, freed: bool) -> None:
        self.freed = freed
        self.number = 0
        """Before those of all nodes of a tape."""
        self.edges: tuple[Any, ...] = ()
        self.retained: dict[int, Variable] | None = None
        """The variable that `attach_grad` has made of the array since."""
        self.private = False

    @property
    def outputs(self) -> list[Any]:
        """The edge that leads to it."""
        return [(self, 0)]

    def history(self, data: NDArray[Any], storage: Storage, version: int) -> Traced:
        """Make the history of one array that has lost its own, with a node of its own."""
        return Traced(data, (LostHistory(self.freed), 0), storage, version)

    def mark(self, array: Any) -> None:
        """Mark an array, which need not be new, as one that has lost what its elements were computed of just now."""
        array._traced = self.history(array._data, array.storage, array.storage.version)

    def release(self, where: Any) -> None:
        """Nothing is kept."""

    def check(self) -> NoReturn:
        """Refuse to go back any further.

        Raises:
            StateError E541, E558: a backward pass has freed what was recorded; the call has kept nothing of it.
        """
        if self.freed:
            raise StateError(
                "E541", "the graph of an array that a compiled function computed was freed by a backward pass inside "
                "of that call",
                help="record again, or store x.detach() outside",
            )  # fmt: skip
        raise StateError(
            "E558", "a backward pass comes to an array that a compiled function computed while recording inside, in an "
            "earlier call: what it recorded there is not kept",
            help="call backward in that call, store x.detach() outside, or record around the call",
        )  # fmt: skip


LOST: Final = LostHistory(False)
"""Marks an array as one whose history stayed in a call."""
FREED: Final = LostHistory(True)
"""The same where a backward pass has gone through it there."""
OVERWRITTEN: Final = LostHistory(False)
"""Such an array, or rather what was written to it while nothing was recorded: which history it has is not clear."""
