# SPDX-License-Identifier: Apache-2.0
"""Plan contractions with windows: a register tile over a table of taps (*batch-reduce* product).

    out[rows][columns] = sum over taps t and terms k of x[row + table[t] + k] * w[t][k][columns]

A *tap* is one position of a window: one value of each summed axis but the innermost, whose terms lie a constant stride
apart in x. Rows are pixels along the innermost axis that x and the result share, a constant stride apart too; columns
are in vectors, from panels into which w was packed, `[group][panel][tap][term][column]`. Sums stay in registers over
all taps and terms. A convolution in a channels-last home is this with terms = channels; a product of matrices is one
tap.
"""

from __future__ import annotations

from hybridize.base.dims import hint, is_symbolic, product, text
from hybridize.base.dtypes import DType
from hybridize.base.frozen import frozen
from hybridize.machine.target import Target


@frozen
class TapAxis:
    """An axis of the contraction as the tile walks it."""

    axis: int
    """Its number among the axes of the contraction."""
    size: int
    x: int
    """Elements of x from one position to the next."""
    w: int = 0
    """Elements of w, as it is stored before it is packed."""


@frozen
class TapPanels:
    """Equal panels of columns beside each other."""

    start: int
    count: int
    vectors: int
    """Registers across a panel. The last columns of the last panel may not exist."""
    height: int
    """Rows of its tiles."""
    unroll: int
    """Terms that one turn of its tiles' loop sums."""


_CONSTANT_TAPS = 1024
"""Taps of a table that is text of the code. The gradient by a weight has one for each line of each image."""


@frozen
class TapPlan:
    """The tiling of one contraction with windows."""

    dtype: DType
    """Of the elements that are multiplied and summed."""
    lanes: int
    sizes: tuple[int, ...]
    """Of the axes of the result."""
    start: int
    """The first element of x."""
    groups: tuple[TapAxis, ...]
    """Axes that x, w and the result share."""
    outer: tuple[TapAxis, ...]
    """Axes of rows that are counted outside of the tiles, slowest first."""
    row: TapAxis
    column: TapAxis
    taps: tuple[TapAxis, ...]
    terms: tuple[TapAxis, ...]
    """Axes whose elements lie one after the other in x, counted as one; slowest first."""
    panels: tuple[TapPanels, ...]
    band: int
    """Values of the outer axes, counted as one, that every panel goes through before the next ones: so many keep x and
    the result near."""

    @property
    def tap_count(self) -> int:
        """Taps of the table."""
        return product(axis.size for axis in self.taps)

    @property
    def term_count(self) -> int:
        """Terms of a tap."""
        return product(axis.size for axis in self.terms)

    @property
    def columns(self) -> int:
        """Columns of the packed w, those among them that do not exist counted too."""
        return sum(part.count * part.vectors for part in self.panels) * self.lanes

    @property
    def packed_elements(self) -> int:
        """Elements of the packed w."""
        return product(axis.size for axis in self.groups) * self.columns * self.tap_count * self.term_count

    @property
    def table_bytes(self) -> int:
        """Scratch for the table; 0 where it is a constant of the code, which then may not be long."""
        known = not any(map(is_symbolic, (part for axis in self.taps for part in (axis.size, axis.x))))
        return 0 if known and self.tap_count <= _CONSTANT_TAPS else self.tap_count * 8

    @property
    def units(self) -> int:
        """Units of work that threads may share: values of the outer axes."""
        return product(axis.size for axis in self.outer)

    def __str__(self) -> str:
        def listed(axes: tuple[TapAxis, ...]) -> str:
            return " ".join(f"a{axis.axis}<{text(axis.size)}>*{_factor(axis.x)}" for axis in axes) or "-"

        lines = [
            f"taps {self.dtype.name}: x from {text(self.start)}, groups {listed(self.groups)}",
            f"  rows {listed((*self.outer, self.row))} in bands of {text(self.band)}",
            f"  sum over {listed(self.taps)} then {listed(self.terms)}",
        ]
        lines += [
            f"  columns a{self.column.axis} from {part.start}: {part.count} panels of {part.vectors} vectors of "
            f"{self.lanes}, tiles of {part.height} rows, {part.unroll} terms a turn"
            for part in self.panels
        ]
        return "\n".join(lines)


def _factor(x: int) -> str:
    return f"({text(x)})" if is_symbolic(x) else str(x)


_ROWS = {32: {1: 28, 2: 14, 3: 9, 4: 6}, 16: {1: 12, 2: 6, 3: 4}}
"""Tallest tiles by their width in vectors, whose sums and vectors of w LLVM keeps in so many registers; where there are
32, the element of x is a memory operand of the multiplication."""
_FAR_PIXELS = 4096
"""Bytes between rows from which on more than `_NEAR_ROWS` of them fall on too few lines of the first cache."""
_NEAR_ROWS = 7
_UNROLL = 4
"""Terms a turn where more than one pay. Measured with tiles of 14 rows and 2 vectors: 91 % of the multiply-adds of the
core with two terms, 95 % with four, 94 % with eight."""


def tap_panels(
    columns: int, rows: int, pixel_bytes: int, terms: int, lanes: int, target: Target
) -> tuple[TapPanels, ...]:
    """Choose panels and tiles for so many columns and rows that lie `pixel_bytes` apart."""
    vectors = -(-columns // lanes)
    best = min(
        (width for width in _ROWS[target.registers] if width <= vectors),
        key=lambda width: (_cost(vectors, width, rows, pixel_bytes, target), -width),
    )
    parts = [(0, vectors // best, best), (vectors // best * best, 1, vectors % best)]
    made = []
    for start, count, width in parts:
        if count and width:
            height = _height(width, rows, pixel_bytes, target)
            unroll = 1 if target.unroll == 1 else _UNROLL
            made.append(TapPanels(start * lanes, count, width, height, min(unroll, max(1, hint(terms)))))
    return tuple(made)


def _cost(vectors: int, width: int, rows: int, pixel_bytes: int, target: Target) -> float:
    """Cycles of one term of all rows and columns, about, and the calls of tiles that they take."""
    total = 0.0
    for count, wide in ((vectors // width, width), (1, vectors % width)):
        if wide:
            height = _height(wide, rows, pixel_bytes, target)
            tiles = -(-hint(rows) // height)
            total += count * tiles * (max(height * wide, height + wide, _LATENCY) / 2 + _CALL)
    return total


_LATENCY = 8
"""Sums that must be in flight: two multiplications start each cycle, and one takes four."""
_CALL = 0.05
"""Cycles by which a tile's beginning and end lengthen each of its terms."""


def _height(width: int, rows: int, pixel_bytes: int, target: Target) -> int:
    """Rows of a tile: of the fewest tiles of a line the lowest, so that rows done twice are few."""
    limit = _ROWS[target.registers].get(width, 1)
    if hint(pixel_bytes) >= _FAR_PIXELS:
        limit = min(limit, _NEAR_ROWS)
    count = max(1, hint(rows))
    if is_symbolic(rows):
        return min(limit, _NEAR_ROWS)
    tiles = -(-count // limit)
    return -(-count // tiles)
