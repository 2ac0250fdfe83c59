# SPDX-License-Identifier: Apache-2.0
"""The history of an array while operations are recorded, and the variable that takes its gradient.

An `ndarray` has at most one `Traced`, in its slot `_traced`. While a tape is in charge it is also the operand that the
array is: `ops` computes with its `data`, and the tape finds by its `edge` whom to tell of the gradient.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from hybridize.array.storage import Storage


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
