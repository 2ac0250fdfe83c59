# SPDX-License-Identifier: Apache-2.0
"""Find the sizes of its inputs that a net computes with. A file in MXNet's format holds the graph of one call, no
sizes.

    x / x.shape[0]        the graph divides by 2: right for batches of 2, silently wrong for others
    dense(x) + 1          the same graph for every batch

Found by capturing again with one axis longer, by one and a few times as long, or all axes of its size where they go
together: where that gives another graph, the size is part of the computation.
"""

from __future__ import annotations

import contextlib
import io
import itertools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy

from hybridize.array.nd_array import classed
from hybridize.array.ndarray import wrap
from hybridize.base.dims import hint
from hybridize.base.frozen import changed
from hybridize.base.types import TensorType
from hybridize.capture import Function
from hybridize.contract.call import Call
from hybridize.contract.captured import Captured
from hybridize.formats.saved import SavedSignature
from hybridize.programs.saving import saved
from hybridize.system.interruptions import let_through


def with_sizes(function: Function, captured: Captured) -> Captured:
    """A captured program of known sizes: itself, or captured again for the sizes that it was first compiled at."""
    if captured.graph.scope is None:
        return captured
    return _captured(function, captured.call, lambda n, _: hint(n))


def signature_of(captured: Captured, names: dict[int, str]) -> SavedSignature:
    """A captured program as files hold it."""
    stub: Any = SimpleNamespace(capture=captured)
    return saved("", [stub], (), {}, names).signatures[0]


def bound_axes(
    function: Function, captured: Captured, names: dict[int, str], drawn: Callable[[SavedSignature], Any]
) -> tuple[dict[int, list[int]], bool]:
    """Axes of the array arguments, by their position, that must have the size that they have in a program.

    The second result says whether other sizes are possible there, and give another graph.

    Args:
        function: of a net.
        captured: one of its programs, of known sizes.
        names: of the arrays that it reads from outside, by identity.
        drawn: what would be written of it; compared by equality.
    """

    def written(captured: Captured) -> Any:
        return drawn(signature_of(captured, names))

    def with_other(other: int, size: int, axis: int | None) -> Any:
        """Return what would be written with another size of an axis, or of all; None if it cannot be called."""
        try:
            with contextlib.redirect_stdout(io.StringIO()):  # the user's prints were seen
                return written(
                    _captured(function, captured.call, lambda n, i: other if n == size and axis in (i, None) else n)
                )
        except Exception as error:
            let_through(error)
            return None

    expected = written(captured)
    types = [kind for kind in captured.call.kinds if isinstance(kind, TensorType)]
    bound: dict[int, list[int]] = {}
    silent = False
    for axis, size in sorted({(axis, size) for kind in types for axis, size in enumerate(kind.shape)}):
        others: list[Any] = []
        for other in _others(size, {other for kind in types for other in kind.shape}):
            variant = with_other(other, size, axis)
            if variant is None and any(size in (*kind.shape[:axis], *kind.shape[axis + 1 :]) for kind in types):
                # The batch, say, which is another axis of a state than of the data, and is longer in all of them.
                variant = expected if with_other(other, size, None) == expected else None
            others.append(variant)
            if variant not in (None, expected) or others.count(expected) == 2:
                break
        silent |= others[0] is not None and others[-1] not in (None, expected)
        if expected not in others or others[-1] not in (None, expected):
            for position, kind in enumerate(types):
                if kind.shape[axis : axis + 1] == (size,):
                    bound.setdefault(position, []).append(axis)
    return bound, silent


def _others(size: int, sizes: set[int]) -> list[int]:
    """Sizes to try instead of one, none that an array has: axes of one size cannot be told apart.

    Two are multiples: half of a size, rounded down, is half of the next one, too; and a net may take even sizes only.
    """
    more = next(other for other in itertools.count(size + 1, 2) if other not in sizes)
    multiples = (other for other in itertools.count(2 * size, size) if other not in sizes) if size else iter((0,))
    return list(dict.fromkeys((more, *itertools.islice(multiples, 2))))


def _captured(function: Function, call: Call, resize: Callable[..., int]) -> Captured:
    """Capture a call with arrays of other sizes, where they were: `resize` is given each size and its axis."""
    leaves: list[Any] = []
    kinds: list[Any] = []
    for position, (leaf, kind) in enumerate(zip(call.leaves, call.kinds, strict=True)):
        if isinstance(kind, TensorType):
            shape = tuple(resize(n, i) for i, n in enumerate(kind.shape))
            leaf = classed(wrap(numpy.zeros(shape, kind.dtype)), position in call.of_nd)
            kind = leaf.type
        leaves.append(leaf)
        kinds.append(kind)
    with call.place(leaves):
        return function.captured(changed(call, leaves=leaves, kinds=tuple(kinds)))
