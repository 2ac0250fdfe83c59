# SPDX-License-Identifier: Apache-2.0
"""Plan convolutions with 3 × 3 windows by fewer products (*Winograd's algorithm*, after Toom and Cook).

F(m, 3) computes m × m pixels of the result from (m + 2) × (m + 2) of x. Rows of x and of w are polynomials; their
product is known by its values at m + 2 *points*, infinity one of them, so that m + 2 multiplications do what takes 3 m:

    out = A^t ((G w G^t) * (B^t x B)) A        36 products for 16 pixels where the sum itself takes 144

`*` multiplies position by position, and sums over channels: for each of the (m + 2)² positions, a product of matrices
[tiles, channels] × [channels, columns]. So there are three steps for a block of tiles, which stays in the second-level
cache: tiles of x are transformed into [position][tile][channel], the products are a contraction over taps like others
(of one tap, with positions for groups), and what they make, [position][tile][column], is transformed into pixels, of
which each goes through the epilogue. w is transformed when it is packed, in float64.

The last tile along an axis begins where it ends with the result. It stores only what the tile before it has not, so
that every element has one value, whoever computes the blocks.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from hybridize.base.dims import bounds, hint, known, product, same, text
from hybridize.base.dtypes import DType, bool_, float32, float64, int64
from hybridize.base.frozen import frozen
from hybridize.base.memo import remembered
from hybridize.base.precision import default_precision
from hybridize.loops.contraction import Contraction, Subscript, plain
from hybridize.loops.expr import Expr
from hybridize.loops.index import Interner, Space
from hybridize.loops.kernel import Param, Statement
from hybridize.machine.arithmetic import Arithmetic
from hybridize.machine.target import Target
from hybridize.schedule.contraction import thresholds
from hybridize.schedule.contraction.arrangement import Arrangement, arrangement, suits, tap_plan
from hybridize.schedule.contraction.ending import Ending, plain_ending
from hybridize.schedule.contraction.plan import ContractionPlan
from hybridize.schedule.contraction.taps import TapAxis, TapPlan
from hybridize.schedule.homes import Home, no_halo, ordered
from hybridize.schedule.kernel import Kernel
from hybridize.schedule.nests import Nests
from hybridize.schedule.together import LoopedStatement

TAPS = 3
"""Elements of a window along each of its axes."""
_HALF = Fraction(1, 2)
_POINTS: dict[int, tuple[Fraction, ...]] = {
    2: (Fraction(0), Fraction(1), Fraction(-1)),
    4: (Fraction(0), Fraction(1), Fraction(-1), _HALF, Fraction(-2)),
}
"""Points by m, infinity left out. The largest error of F(4, 3) is 2.4e-6 of the largest result with these, and 6e-6
with ±1 and ±2, whose transforms take fewer operations."""


# The transforms

Matrix = tuple[tuple[Fraction, ...], ...]


@frozen
class Transforms:
    """The matrices of F(m, 3), in fractions."""

    x: Matrix
    """B^t: values of a row of x at the points, times what makes its numbers whole."""
    w: Matrix
    """G: values of a row of w, divided by that."""
    out: Matrix
    """A^t: pixels of the values of the product."""


@functools.cache
def transforms(points: tuple[Fraction, ...], taps: int = TAPS) -> Transforms:
    """Make the matrices of F(m, taps) for its points, which are m + taps - 2."""
    m = len(points) + 2 - taps
    infinity = [Fraction(int(j == taps - 1)) for j in range(taps)]
    out = [[point**i for point in points] + [Fraction(int(i == m - 1))] for i in range(m)]
    x, w = [], []
    for i, point in enumerate(points):
        others = [other for k, other in enumerate(points) if k != i]
        row = [value / math.prod((point - other for other in others), start=Fraction(1)) for value in _monic(others)]
        whole = Fraction(math.lcm(*(value.denominator for value in row)), math.gcd(*(value.numerator for value in row)))
        x.append([*(value * whole for value in row), Fraction(0)])
        w.append([point**j / whole for j in range(taps)])
    return Transforms(_matrix([*x, _monic(points)]), _matrix([*w, infinity]), _matrix(out))


def _monic(roots: Sequence[Fraction]) -> list[Fraction]:
    """The coefficients of the polynomial with these roots, the lowest first."""
    coefficients = [Fraction(1)]
    for root in roots:
        shifted, scaled = [Fraction(0), *coefficients], [*(root * value for value in coefficients), Fraction(0)]
        coefficients = [a - b for a, b in zip(shifted, scaled, strict=True)]
    return coefficients


def _matrix(rows: Sequence[Sequence[Fraction]]) -> Matrix:
    return tuple(map(tuple, rows))


@frozen
class LinearStep:
    """A value that is `left * a + right * b` of two before it; `right` is 0 where it is a multiple of one."""

    left: Fraction
    a: int
    right: Fraction
    b: int


@frozen
class LinearProgram:
    """A matrix times a vector as steps: values 0, 1, ... are the vector, those after it the steps'."""

    inputs: int
    steps: tuple[LinearStep, ...]
    outputs: tuple[int, ...]
    """The value that each row of the matrix gives."""

    @property
    def operations(self) -> int:
        """Additions, multiplications, and both in one."""
        return sum(1 + (abs(step.left) != 1 and abs(step.right) not in (0, 1)) for step in self.steps)


@functools.cache
def linear_program(matrix: Matrix) -> LinearProgram:
    """Find steps for a matrix: sums of two terms that most rows share come first (*common subexpressions*)."""
    rows = [{k: value for k, value in enumerate(row) if value} for row in matrix]
    inputs, steps = len(matrix[0]), list[LinearStep]()
    while any(len(row) > 1 for row in rows):
        counts = Counter((i, j, row[j] / row[i]) for row in rows for i in sorted(row) for j in sorted(row) if i < j)
        (i, j, ratio), _ = max(counts.items(), key=lambda one: (one[1], abs(one[0][2]) == 1, -one[0][1], -one[0][0]))
        sharing = [row for row in rows if i in row and j in row and row[j] / row[i] == ratio]
        # A row that is this alone takes it as it is, and others multiples of that: all are exact in binary.
        left = next((row[i] for row in sharing if len(row) == 2), _left_factor(ratio))
        new = inputs + len(steps)
        steps.append(LinearStep(left, i, left * ratio, j))
        for row in sharing:
            row[new] = row.pop(i) / left
            del row[j]
    outputs = []
    for row in rows:
        ((value, factor),) = row.items()
        if factor != 1:
            steps.append(LinearStep(factor, value, Fraction(0), value))
            value = inputs + len(steps) - 1
        outputs.append(value)
    return LinearProgram(inputs, tuple(steps), tuple(outputs))


def _left_factor(ratio: Fraction) -> Fraction:
    """The first factor of two in a ratio that are exact in binary, one of them 1 where that can be."""
    if ratio.denominator & (ratio.denominator - 1) == 0:
        return Fraction(1)
    return 1 / ratio if abs(ratio.numerator) & (abs(ratio.numerator) - 1) == 0 else Fraction(ratio.denominator)


# The plan


@frozen
class WinogradPlan(ContractionPlan):
    """The plan of one convolution by F(m, 3).

    Tiles that store all of their pixels store as `stores` says; those that are cut have the epilogue in a loop over
    pixels. Channels, or columns, are transformed `lanes` at once.
    """

    points: tuple[Fraction, ...]
    images: tuple[TapAxis, ...]
    """Axes of the result along which windows do not move, slowest first."""
    down: TapAxis
    across: TapAxis
    column: int
    """The axis of the result that w has."""
    start: int
    """The element of x where the first window begins."""
    channels: int
    tiles: int
    """Of a block."""
    products: TapPlan
    """Of the axes position, tile, column | channel."""

    @property
    def pixels(self) -> int:
        """Pixels of a tile of the result along an axis: m."""
        return len(self.points) + 2 - TAPS

    @property
    def reach(self) -> int:
        """Pixels of x that a tile reads along an axis."""
        return self.pixels + TAPS - 1

    @property
    def transforms(self) -> Transforms:
        """The matrices."""
        return transforms(self.points)

    @property
    def grid(self) -> tuple[int, int]:
        """Tiles of an image, down and across."""
        return _tiles(self.down.size, self.pixels), _tiles(self.across.size, self.pixels)

    @property
    def tile_count(self) -> int:
        """Tiles of all images."""
        return product(axis.size for axis in self.images) * product(self.grid)

    @property
    def is_cut(self) -> bool:
        """True if tiles may store less than all of their pixels."""
        return not all(same(axis.size % self.pixels, 0) for axis in (self.down, self.across))

    @property
    def units(self) -> int:
        # Blocks of tiles.
        return _tiles(self.tile_count, self.tiles)

    @property
    def transformed(self) -> Home:
        """The home of a block's transformed x."""
        return _stacked(self.reach**2, self.tiles, self.channels, self.lanes)

    @property
    def summed(self) -> Home:
        """The home of a block's products."""
        return _stacked(self.reach**2, self.tiles, self.sizes[self.column], self.lanes)

    @property
    def packed_elements(self) -> int:
        """Elements of the transformed w."""
        return self.products.packed_elements

    @property
    def offsets(self) -> tuple[int, int, int]:
        """Bytes of scratch before the transformed x, before the products, and before their own scratch."""
        itemsize = self.elements.itemsize
        first = self.transformed.elements * itemsize
        return 0, first, first + self.summed.elements * itemsize

    @property
    def scratch_bytes(self) -> int:
        return self.offsets[2] + self.products.scratch_bytes

    def __str__(self) -> str:
        m, (down, across) = self.pixels, self.grid
        points = ", ".join(map(str, self.points))
        counts = [linear_program(matrix).operations for matrix in (self.transforms.x, self.transforms.out)]
        images = "".join(f" a{axis.axis}<{text(axis.size)}>*{text(axis.x)}" for axis in self.images)
        rows = [f"a{axis.axis}<{text(axis.size)}>*{text(axis.x)}" for axis in (self.down, self.across)]
        lines = [
            f"F({m},{TAPS}): points {points}, inf; {' '.join(rows)} of{images or ' one image'}, "
            f"x from {text(self.start)}",
            f"  {text(down)} x {text(across)} tiles of {m} x {m} pixels{', cut at the ends' if self.is_cut else ''}; "
            f"{text(self.units)} blocks of {self.tiles}, stores {self.stores}",
            f"  transforms of {self.reach} numbers: {counts[0]} operations for x, {counts[1]} for the result",
            *(f"  {line}" for line in str(self.products).splitlines()),
        ]
        return "\n".join(lines)


def _tiles(size: int, of: int) -> int:
    return (size + (of - 1)) // of


def _stacked(positions: int, tiles: int, columns: int, lanes: int) -> Home:
    """The home of [position][tile][column], columns rounded up to vectors."""
    width = -(-columns // lanes) * lanes
    apart = tiles * width + thresholds.POSITION_GAP
    return Home((apart, width, 1), 0, positions * apart, (0, 1, 2), no_halo((positions, tiles, columns)))


@frozen
class WinogradReading:
    """The home in which tiles read x, and their plan."""

    home: Home
    copied: bool
    """True if x is brought there first."""
    plan: WinogradPlan


@frozen
class _Windows:
    """A contraction found to be a convolution with 3 × 3 windows."""

    images: tuple[int, ...]
    down: int
    across: int
    column: int
    channel: int
    taps: tuple[int, int]
    """The axes of the window."""
    turned: tuple[bool, bool]
    """True where they go against x, as in a gradient."""


def _windows(arranged: Arrangement) -> _Windows | None:
    """Find a convolution with 3 × 3 windows, not strided, dilated or grouped; None where it is none."""
    contraction = arranged.contraction
    if (
        not arranged.has_panels
        or arranged.groups
        or len(arranged.phases) != 1
        or len(arranged.sums) != 3
        or len(arranged.windows) != 2
    ):
        return None
    if not known((*contraction.sizes[contraction.rank :], contraction.sizes[arranged.column])):
        return None
    rank, windows = contraction.rank, []
    for index in arranged.windows:
        rows = [term for term in index.terms if term[0] < rank]
        sums = [term for term in index.terms if term[0] >= rank]
        one = len(rows) == len(sums) == 1 and same(rows[0][1], 1) and same(index.divisor, 1)
        if not one or not (same(sums[0][1], 1) or same(sums[0][1], -1)):
            return None
        if contraction.sizes[sums[0][0]] != TAPS:
            return None
        windows.append((rows[0][0], sums[0][0], same(sums[0][1], -1)))
    (down, first, back), (across, second, left) = windows
    others = _axes([index for index in contraction.x if index not in arranged.windows])
    (channel,) = (axis for axis in arranged.sums if axis not in (first, second)) if first != second else (None,)
    images = tuple(axis for axis in arranged.rows if axis not in (down, across))
    if down == across or channel is None or others is None or not {channel} <= others <= {channel, *images}:
        return None
    if _axes(contraction.w) != {arranged.column, *arranged.sums}:
        return None
    return _Windows(
        images=images, down=down, across=across, column=arranged.column, channel=channel, taps=(first, second),
        turned=(back, left),
    )  # fmt: skip


def _axes(subscripts: Sequence[Subscript]) -> set[int] | None:
    """The axes that an operand is read along, each by itself; None where it is read otherwise.

    An index that depends on none is that of an axis of size 1, or of one that a view has cut off.
    """
    axes: set[int] = set()
    for index in subscripts:
        one = len(index.terms) <= 1 and all(same(factor, 1) for _, factor in index.terms) and same(index.divisor, 1)
        if not one or not axes.isdisjoint(index.axes):
            return None
        axes.update(index.axes)
    return axes


def _outputs(arranged: Arrangement, windows: _Windows, stable: bool, target: Target) -> int | None:
    """Choose m; None where tiles over taps are faster. `stable` is True if w is transformed once for many calls."""
    sizes = arranged.contraction.sizes
    channels, columns = sizes[windows.channel], sizes[windows.column]
    if channels < thresholds.WINOGRAD_CHANNELS or columns < thresholds.WINOGRAD_CHANNELS:
        return None
    images = product(hint(sizes[axis]) for axis in windows.images)
    down, across = hint(sizes[windows.down]), hint(sizes[windows.across])
    lanes, pairs = Arithmetic(float32, target).lanes, channels * columns
    for m in (4, 2):
        if any(bounds(sizes[axis])[0] < m for axis in (windows.down, windows.across)):
            continue
        tiles, positions = images * _tiles(down, m) * _tiles(across, m), (m + TAPS - 1) ** 2
        direct = TAPS * TAPS * images * down * across
        if direct < thresholds.WINOGRAD_TIMES[m] * positions * tiles:
            continue
        nbytes = positions * pairs * float32.itemsize
        cycles = positions * tiles * pairs // (lanes * thresholds.PRODUCT_VECTORS)
        near = nbytes <= target.l2_bytes or (
            tiles >= thresholds.WINOGRAD_TILES if m == 4 else 2 * nbytes < cycles * thresholds.L3_BYTES
        )
        saved = (direct - positions * tiles) * pairs // (lanes * thresholds.PRODUCT_VECTORS)
        if near and (stable or 2 * thresholds.TRANSFORM_CYCLES * positions * pairs < saved):
            return m
    return None


@remembered
def winograd_reading(
    arranged: Arrangement, home: Home, dtypes: tuple[DType, DType], target: Target, *, stable: bool
) -> WinogradReading | None:
    """Plan a contraction, whose x lies in a home, by Winograd's algorithm; None where it may not be or does not pay.

    Args:
        arranged: the contraction.
        home: of x.
        dtypes: of x and of w.
        target: the machine.
        stable: w is transformed once for many calls.
    """
    contraction = arranged.contraction
    if not contraction.winograd or not all(one == float32 for one in (*dtypes, contraction.precision.accumulate)):
        return None
    windows = _windows(arranged)
    m = None if windows is None else _outputs(arranged, windows, stable, target)
    if windows is None or m is None:
        return None
    (channel,) = (k for k, index in enumerate(contraction.x) if windows.channel in index.axes)
    near = suits(arranged, home, target) and home.covers(arranged.halo) and same(home.strides[channel], 1)
    where = home if near else ordered(arranged.shapes[0], arranged.operand_order(), arranged.halo)
    if not same(where.strides[channel], 1):
        return None
    return WinogradReading(where, not near, _plan(arranged, windows, where, m, target))


def _plan(arranged: Arrangement, windows: _Windows, x: Home, m: int, target: Target) -> WinogradPlan:
    contraction = arranged.contraction
    sizes, lanes = contraction.sizes, Arithmetic(float32, target).lanes

    def axis(number: int) -> TapAxis:
        steps = zip(contraction.x, x.strides, strict=True)
        return TapAxis(number, sizes[number], sum((index.coefficient(number) * step for index, step in steps), 0))

    start = x.offset
    for index, step in zip(contraction.x, x.strides, strict=True):
        back = any(tap in index.axes and turned for tap, turned in zip(windows.taps, windows.turned, strict=True))
        start = start + (index.offset - (TAPS - 1) * back) * step
    images = sorted(map(axis, windows.images), key=lambda one: -abs(hint(one.x)))
    grid = _tiles(sizes[windows.down], m), _tiles(sizes[windows.across], m)
    count = product(one.size for one in images) * product(grid)
    channels, columns, positions = sizes[windows.channel], sizes[windows.column], (m + TAPS - 1) ** 2
    tiles = _block(hint(count), channels, columns, positions, target)
    products = Contraction(
        (positions, tiles, columns, channels), 3, (plain(0), plain(1), plain(3)), (plain(0), plain(3), plain(2)),
        default_precision(float32),
    )  # fmt: skip
    shapes = (positions, tiles, channels), (positions, channels, columns)
    inner = arrangement(products, shapes, lanes)
    assert inner is not None, "products of matrices have rows and columns"
    tiled = tap_plan(inner, inner.phases, _stacked(positions, tiles, channels, lanes), target)
    return WinogradPlan(
        elements=tiled.elements, lanes=lanes, sizes=contraction.shape, stores="results", points=_POINTS[m],
        images=tuple(images), down=axis(windows.down), across=axis(windows.across), column=windows.column,
        start=start, channels=channels, tiles=tiles, products=tiled,
    )  # fmt: skip


def _block(tiles: int, channels: int, columns: int, positions: int, target: Target) -> int:
    """Choose the tiles of a block: what lies between the steps fills half of the second-level cache at most."""
    each = (channels + columns) * positions * float32.itemsize
    near = channels * columns * positions * float32.itemsize <= target.l2_bytes
    limit = max(1 if near else thresholds.WINOGRAD_TILES, target.l2_bytes // 2 // each)
    limit = min(limit, thresholds.WINOGRAD_BLOCK_TILES) if near else limit
    blocks = -(-tiles // limit)
    return -(-tiles // blocks)


# Kernels, and what products store


def products_ending(plan: WinogradPlan) -> Ending:
    """The ending of a block's products: sums are stored as they are."""
    sizes = plan.reach**2, plan.tiles, plan.sizes[plan.column]
    space = Space(Interner(), dict(enumerate(sizes)))
    place = plan.summed.address(space, tuple(map(space.axis, range(3))))
    return plain_ending(space, plan.elements.dtype, plan.summed.elements, place)


@remembered
def transformed_weights(
    arranged: Arrangement, plan: WinogradPlan, source: tuple[Home, DType], machine: Target
) -> Kernel:
    """Transform the second operand, param 1, into the panels of the products, param 0.

    It is computed in float64 and rounded once. All values of a window are made in one turn, in vectors of columns: a
    step of the transform is taken once, and each element of w is read once.
    """
    contraction, products, (home, of) = arranged.contraction, plan.products, source
    windows = _windows(arranged)
    assert windows is not None
    interner, program = Interner(), linear_program(plan.transforms.w)
    params = (Param(products.elements.dtype, plan.packed_elements, True), Param(of, home.elements, False))
    nests, loops = Nests(machine, params, interner), []
    for part in products.panels:
        width = part.vectors * products.lanes
        sizes = (part.count, plan.channels, width)
        space = Space(interner, dict(enumerate(sizes)))
        panel, channel, lane = (space.axis(axis) for axis in range(3))
        column = space.affine([(panel, width), (lane, 1)], part.start)
        ragged = not same(products.column.size, part.start + part.count * width) and part is products.panels[-1]
        inside: Expr = column
        if ragged:
            inside = interner.call(int64, "min", (column, interner.number(products.column.size - 1)))
        at: dict[int, Expr] = {windows.column: inside, windows.channel: channel}
        window = []
        for down in range(TAPS):
            row: list[Expr] = []
            for across in range(TAPS):
                for axis, tap, turned in zip(windows.taps, (down, across), windows.turned, strict=True):
                    at[axis] = interner.number(TAPS - 1 - tap if turned else tap)
                place = home.address(space, [_index(space, index, at) for index in contraction.w])
                row.append(interner.cast(interner.load(of, 1, (place,)), float64))
            window.append(row)
        columns = [_applied(interner, program, [row[across] for row in window]) for across in range(TAPS)]
        statements = []
        for i in range(plan.reach):
            for j, value in enumerate(_applied(interner, program, [values[i] for values in columns])):
                element = interner.cast(value, products.elements.dtype)
                if ragged:
                    exists = interner.call(bool_, "lt", (column, interner.number(products.column.size)))
                    element = interner.select(exists, element, interner.const(products.elements.dtype, 0.0))
                stored = space.affine(
                    [(panel, width * plan.channels), (channel, width), (lane, 1)],
                    ((i * plan.reach + j) * products.columns + part.start) * plan.channels,
                )
                statements.append(LoopedStatement(sizes, Statement(0, stored, element)))
        loops.append(nests.nest(statements))
    return Kernel(params, (), tuple(loops))


def _applied(interner: Interner, program: LinearProgram, vector: Sequence[Expr]) -> list[Expr]:
    """The values of a program, in float64."""
    values = list(vector)
    for step in program.steps:
        one = _multiple(interner, step.left, values[step.a])
        if step.right:
            word = "sub" if step.right == -1 else "add"
            other = values[step.b] if step.right == -1 else _multiple(interner, step.right, values[step.b])
            one = interner.call(float64, word, (one, other))
        values.append(one)
    return [values[output] for output in program.outputs]


def _multiple(interner: Interner, factor: Fraction, value: Expr) -> Expr:
    if factor == 1:
        return value
    return interner.call(float64, "mul", (interner.const(float64, float(factor)), value))


def _index(space: Space, index: Subscript, at: dict[int, Expr]) -> Expr:
    return space.affine([(at[axis], coefficient) for axis, coefficient in index.terms], index.offset)
