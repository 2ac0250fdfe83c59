# SPDX-License-Identifier: Apache-2.0
"""MXNet's `engine`: how many operations its engine takes at once, a number that is remembered and changes nothing.

A call returns when its result is there. What runs many operations as one is a compiled program: `hybridize(function)`.
"""

from __future__ import annotations

from types import TracebackType

from hybridize.base.errors import ArgumentError
from hybridize.base.missing import refuses

_size = [15]
"""MXNet's default."""


def set_bulk_size(size: int) -> int:
    """Remember how many operations MXNet would take at once.

    Args:
        size: a number of operations.

    Returns:
        The number before.

    Raises:
        ArgumentError E300: it is no number.
    """
    if not isinstance(size, int):
        raise ArgumentError("E300", f"the size of a bulk is a number of operations, got {size!r}")
    before, _size[0] = _size[0], size
    return before


class BulkScope:
    """The length of a `with` block in which another number is remembered."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._before: list[int] = []

    def __enter__(self) -> BulkScope:
        self._before.append(set_bulk_size(self._size))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        set_bulk_size(self._before.pop())


def bulk(size: int) -> BulkScope:
    """A `with` block in which MXNet would take so many operations at once; the results are the same.

    >>> with bulk(10):
    ...     set_bulk_size(10)
    10
    """
    return BulkScope(size)


__getattr__ = refuses(__name__, globals())
