# SPDX-License-Identifier: Apache-2.0
"""The memory of routines: what they write over, the areas that each works in besides, and where these lie.

A routine that has no row in the table of areas works in its outputs alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from hybridize.base.dims import text
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType
from hybridize.loops.expr import Routine

Types = Sequence[TensorType]
Areas = Sequence[tuple[str, int]]
"""Names of areas and their bytes, in the order in which they lie."""


@frozen
class RoutineScratch:
    """The areas of a routine's scratch, one after the other."""

    offsets: tuple[tuple[str, int], ...] = ()
    """Names of the areas, and their first bytes."""
    nbytes: int = 0

    @property
    def areas(self) -> Iterator[tuple[str, int]]:
        """Names of the areas, and their bytes."""
        ends = [*(offset for _, offset in self.offsets[1:]), self.nbytes]
        for (name, offset), end in zip(self.offsets, ends, strict=True):
            yield name, end - offset

    def __str__(self) -> str:
        areas = ", ".join(f"{name}+{text(offset)}" for name, offset in self.offsets)
        return f"scratch {text(self.nbytes)} bytes: {areas}"


WRITE_OVER: Final = frozenset({"scatter_nd", "update_at"})
"""Routines whose result is their first operand but for some elements. Where both lie at one address they write those
alone; the other operands lie elsewhere then."""


def scratch_of(routine: Routine, inputs: Types, outputs: Types) -> RoutineScratch:
    """Lay out the scratch of a routine for operands of these types."""
    layout = _AREAS.get(routine.name)
    return RoutineScratch() if layout is None else laid_out(layout(routine, inputs, outputs))


def laid_out(areas: Iterable[tuple[str, int]]) -> RoutineScratch:
    """Lay out areas, names and bytes, one after the other."""
    offsets, end = [], 0
    for name, nbytes in areas:
        offsets.append((name, end))
        end += nbytes
    return RoutineScratch(tuple(offsets), end)


def _sort(routine: Routine, inputs: Types, outputs: Types) -> Areas:
    """Two copies of a line, between which runs are merged; for `arg_sort` of the elements' numbers, too.

    Keys take whole words, so that the numbers behind them are aligned.
    """
    (kind,) = inputs
    n = kind.shape[routine.parameters[0]]
    keys = n * max(8, kind.dtype.itemsize)
    areas = [("keys", keys), ("other keys", keys)]
    return [*areas, ("numbers", n * 8), ("other numbers", n * 8)] if routine.name == "arg_sort" else areas


def _qr(routine: Routine, inputs: Types, outputs: Types) -> Areas:
    """The columns of x and of q as lines, and a number for each reflection."""
    (kind,) = inputs
    m, n = kind.shape[-2:]
    itemsize = kind.dtype.itemsize
    return [
        ("columns", n * m * itemsize),
        ("basis", outputs[0].shape[-1] * m * itemsize),
        ("factors", n * itemsize),
    ]


def _eigh(routine: Routine, inputs: Types, outputs: Types) -> Areas:
    """In float64: the matrix, its vectors, both diagonals of the tridiagonal one, reflections, a line."""
    n = inputs[0].shape[-1]
    square = [("matrix", 8 * n * n), ("vectors", 8 * n * n)]
    return [*square, *((name, 8 * n) for name in ("diagonal", "beside", "factors", "line"))]


def _svd(routine: Routine, inputs: Types, outputs: Types) -> Areas:
    """In float64: the lines that are made orthogonal, the rotations, the values."""
    (tall,) = routine.parameters
    rows, columns = outputs[0 if tall else 2].shape[-2:]
    k = outputs[1].shape[-1]
    return [("lines", 8 * rows * columns), ("rotations", 8 * k * k), ("values", 8 * k)]


_AREAS: Mapping[str, Callable[[Routine, Types, Types], Areas]] = {
    "sort": _sort,
    "arg_sort": _sort,
    "qr": _qr,
    "eigh": _eigh,
    "svd": _svd,
}
