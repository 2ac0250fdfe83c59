# SPDX-License-Identifier: Apache-2.0
"""MXNet's `engine`: calls that return before they are done, and how many operations MXNet would take at once.

    with engine.asynchronous():
        for x, y in batches():      # NumPy prepares the next batch while the step of the last one runs
            losses.append(step(x, y))

A call of a compiled program then returns at once; its program runs in another thread, after those of earlier calls.
Whoever reads a result, or memory that a program is still to write, waits for it: `x.asnumpy()`, `print(x)`, `x + 1`,
`float(x)`. Whoever writes to memory that a program is still to read waits, too. So values are the same; only errors
come later: what a program finds wrong (an index out of bounds, an `assert` of data) is raised where somebody waits for
the call, and names its line.

`MXNET_ENGINE_TYPE=ThreadedEngine` (or `ThreadedEnginePerDevice`) turns it on for a whole process; `NaiveEngine` is the
default here: a call returns when its result is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from hybridize.array.pending import QUEUE
from hybridize.array.pending import set_asynchronous as set_asynchronous
from hybridize.base.access import ACCESS
from hybridize.base.errors import ArgumentError
from hybridize.base.names import refuses
from hybridize.system.interruptions import let_through

_size = [15]
"""MXNet's default."""


def is_asynchronous() -> bool:
    """Tell whether calls of compiled programs return before they are done.

    >>> from hybridize import engine
    >>> engine.is_asynchronous()
    False
    """
    return ACCESS.queue is not None


@contextmanager
def asynchronous(on: bool = True, pending: int | None = None) -> Iterator[None]:
    """Let calls of compiled programs return at once, for the length of a `with` block; at its end all have run.

    Args:
        on: False for the contrary: calls return when they are done.
        pending: how many calls may wait, 16 by default. A further call blocks until there is room. Each waiting call
            keeps the memory that it reads and writes.

    Raises:
        ValueArgumentError E353: `pending` is no integer from 1 on.
        StateError E590: a program that this thread runs has called this.
        Exception: an error of a call, at the end of the block, if nothing has raised it before. If the block itself
            raises an error, that has a note about it.

    >>> from hybridize import engine
    >>> with engine.asynchronous():
    ...     engine.is_asynchronous()
    True
    """
    limit = QUEUE.limit
    before = set_asynchronous(on, pending)
    try:
        yield
    except BaseException as error:
        try:
            QUEUE.wait_all()
        except Exception as other:
            let_through(other)
            if other is not error:
                error.add_note(f"besides, an asynchronous call failed: {type(other).__name__}: {other}")
        raise
    else:
        QUEUE.wait_all()
    finally:
        set_asynchronous(before, limit)


def set_bulk_size(size: int) -> int:
    """Remember how many operations MXNet would take at once: the number changes nothing here.

    What runs many operations as one is a compiled program: `hybridize(function)`.

    Args:
        size: a number of operations.

    Returns:
        The number before.

    Raises:
        ArgumentError E300: it is no number.

    >>> from hybridize import engine
    >>> before = engine.set_bulk_size(10)
    >>> engine.set_bulk_size(before)
    10
    """
    if not isinstance(size, int):
        raise ArgumentError("E300", f"the size of a bulk is a number of operations, got {size!r}")
    before, _size[0] = _size[0], size
    return before


class BulkScope:
    """Remember another number of operations inside a `with` block.

    Args:
        size: the number of operations.

    >>> from hybridize import engine
    >>> with engine.bulk(10) as scope:
    ...     isinstance(scope, engine.BulkScope), engine.set_bulk_size(10)
    (True, 10)
    """

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
    """Return a `with` block in which MXNet would run so many operations at once. The results are the same.

    Args:
        size: the number of operations.

    >>> from hybridize import engine
    >>> with engine.bulk(10):
    ...     engine.set_bulk_size(10)
    10
    """
    return BulkScope(size)


__getattr__: Callable[[str], Any] = refuses(__name__, globals())
