# SPDX-License-Identifier: Apache-2.0
"""Contractions by index maps: sums of products of elements of two operands.

    out[i0, ..., i(rank-1)] = sum over i(rank), ... of x[subscripts of x] * w[subscripts of w]

The axes of a contraction are counted from 0, those of the result first. A subscript is affine in them, divided by a
whole number; where it is no whole number or outside of the operand, the element is 0. Matrix products, einsums of two
operands, convolutions and correlations, transposed or dilated or grouped, are all of this form, and so are their
gradients: `by_x` and `by_w` solve the subscripts of an operand for axes of the contraction.

    convolution       x[n, c, s*y + d*r - p]  w[o, c, r]              -> [n, o, y]
    its gradient by x g[n, o, (i - d*r + p) / s]  w[o, c, r]          -> [n, c, i]
    its gradient by w x[n, c, s*y + d*r - p]  g[n, o, y]              -> [o, c, r]

Sizes, offsets and coefficients may be `Dim`s. Nothing here decides by comparing them: see `loops.index`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any

import numpy
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from hybridize.base import dims
from hybridize.base.dims import Size, same
from hybridize.base.errors import InternalError
from hybridize.base.frozen import changed, frozen
from hybridize.base.precision import Precision
from hybridize.base.types import Shape, TensorType
from hybridize.loops import expr as loops
from hybridize.loops.expr import Element, Expr, Fold

Term = tuple[int, int]
"""An axis of a contraction, and its coefficient."""


@frozen
class Subscript:
    """The index along one axis of an operand: (sum of coefficient * axis + offset) / divisor.

    The element is 0 where that is no whole number, or outside of the operand. `subscript` makes them in normal form.
    """

    terms: tuple[Term, ...]
    """By axes, each once; coefficients may be negative, none is 0."""
    offset: int = 0
    divisor: int = 1

    @property
    def axis(self) -> int | None:
        """The axis of the contraction that the index is; None where it is anything else."""
        if len(self.terms) != 1 or not same(self.offset, 0) or not same(self.divisor, 1):
            return None
        axis, coefficient = self.terms[0]
        return axis if same(coefficient, 1) else None

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes of the contraction that the index depends on."""
        return tuple(axis for axis, _ in self.terms)

    def coefficient(self, axis: int) -> int:
        """The coefficient of an axis, 0 where the index does not depend on it."""
        return next((coefficient for other, coefficient in self.terms if other == axis), 0)


def plain(axis: int) -> Subscript:
    """The index that is an axis of the contraction."""
    return Subscript(((axis, 1),))


def subscript(terms: Iterable[Term], offset: int = 0, divisor: int = 1) -> Subscript:
    """Return a subscript in normal form: terms by axes, no common factor, a divisor above 0."""
    total: dict[int, int] = {}
    for axis, coefficient in terms:
        total[axis] = total.get(axis, 0) + coefficient
    coefficients = {axis: total[axis] for axis in sorted(total) if not same(total[axis], 0)}
    if dims.bounds(divisor)[1] < 0:
        coefficients, offset, divisor = (
            {axis: -coefficient for axis, coefficient in coefficients.items()},
            -offset,
            -divisor,
        )
    if dims.known((*coefficients.values(), offset, divisor)):
        common = math.gcd(*coefficients.values(), offset, divisor)
        coefficients = {axis: coefficient // common for axis, coefficient in coefficients.items()}
        offset, divisor = offset // common, divisor // common
    return Subscript(tuple(coefficients.items()), offset, divisor)


@frozen
class Contraction:
    """A sum of products of elements of two operands, by index maps.

    `Contraction((m, n, k), 2, (plain(0), plain(2)), (plain(2), plain(1)), default_precision(float32))` is a matrix
    product.
    """

    sizes: tuple[int, ...]
    """Of all axes, those of the result first."""
    rank: int
    """The number of axes of the result; the others are summed over."""
    x: tuple[Subscript, ...]
    """One for each axis of the first operand."""
    w: tuple[Subscript, ...]
    precision: Precision
    winograd: bool = False
    """True if a convolution may be computed by fewer products, whose sums round otherwise (Winograd's algorithm)."""
    integers: int = 1
    """Numbers in each element: two integers of 16 bits in an int32, or four of 8, whose products are added."""

    @property
    def shape(self) -> Shape:
        """Sizes of the result."""
        return self.sizes[: self.rank]


class Role(Enum):
    """The part that an axis of a contraction plays, by the operands that depend on it."""

    BATCH = "batch"
    """In both operands and in the result."""
    ROW = "row"
    """In the first operand and in the result."""
    COLUMN = "column"
    """In the second operand and in the result."""
    SUM = "sum"
    """Not in the result; in both operands, or in one of them."""


def axes_of(subscripts: Iterable[Subscript]) -> frozenset[int]:
    """The axes of a contraction that an operand depends on."""
    return frozenset(axis for each in subscripts for axis in each.axes)


def roles(contraction: Contraction) -> tuple[Role, ...]:
    """The role of each axis; an axis of the result that no operand depends on is a row."""
    x, w = axes_of(contraction.x), axes_of(contraction.w)
    kinds = []
    for axis in range(len(contraction.sizes)):
        if axis >= contraction.rank:
            kinds.append(Role.SUM)
        elif axis in w:
            kinds.append(Role.BATCH if axis in x else Role.COLUMN)
        else:
            kinds.append(Role.ROW)
    return tuple(kinds)


# Bounds


def extent(index: Subscript, sizes: Sequence[int]) -> tuple[Size, Size] | None:
    """The smallest and largest value of (sum of coefficient * axis + offset), before the division.

    None where the sign of a coefficient is not known.
    """
    low = high = index.offset
    for axis, coefficient in index.terms:
        least, most = dims.bounds(coefficient)
        if least >= 0:
            high = high + coefficient * (sizes[axis] - 1)
        elif most <= 0:
            low = low + coefficient * (sizes[axis] - 1)
        else:
            return None
    return low, high


def _guards(index: Subscript, sizes: Sequence[int], size: int) -> tuple[bool, bool, bool]:
    """Tell of an index whether it may be below the operand, beyond its end, and between two elements."""
    if index.axis is not None and same(sizes[index.axis], size):
        return False, False, False
    span = extent(index, sizes)
    between = not same(index.divisor, 1)
    if span is None:
        return True, True, between
    low, high = span
    return not dims.proven(low, 0), not dims.proven((size - 1) * index.divisor - high, 0), between


def outside(subscripts: Sequence[Subscript], sizes: Sequence[int], shape: Shape) -> tuple[bool, ...]:
    """Tell for each axis of an operand whether an index along it may be where the operand has no element."""
    return tuple(any(_guards(index, sizes, size)) for index, size in zip(subscripts, shape, strict=True))


# Meaning


def reference(contraction: Contraction, x: NDArray[Any], w: NDArray[Any]) -> NDArray[Any]:
    """Compute a contraction of known sizes by `numpy.einsum` over views: plain, not fast."""
    if 0 in contraction.sizes:
        return numpy.zeros(contraction.shape, contraction.precision.result)
    if contraction.integers > 1:
        return reference(*_opened(contraction, x, w))
    left, right = _view(contraction, contraction.x, x), _view(contraction, contraction.w, w)
    numbers = {axis: number for number, axis in enumerate(sorted({*left[1], *right[1]}))}
    sublists = [[numbers[axis] for axis in axes] for _, axes in (left, right)]
    out = [numbers[axis] for axis in range(contraction.rank)]
    sums: Any = numpy.einsum(left[0], sublists[0], right[0], sublists[1], out)
    return numpy.asarray(sums, contraction.precision.accumulate).astype(contraction.precision.result, copy=False)


def product(contraction: Contraction, x: NDArray[Any], w: NDArray[Any]) -> NDArray[Any]:
    """Compute a contraction of known sizes as a batch of matrix products, of copies in order."""
    if 0 in contraction.sizes:
        return numpy.zeros(contraction.shape, contraction.precision.result)
    if contraction.integers > 1:
        return product(*_opened(contraction, x, w))
    rank, sizes = contraction.rank, contraction.sizes
    left = _summed(*_view(contraction, contraction.x, x), axes_of(contraction.w), rank)
    right = _summed(*_view(contraction, contraction.w, w), axes_of(contraction.x), rank)
    batch = [axis for axis in left[1] if axis in right[1] and axis < rank]
    inner = [axis for axis in left[1] if axis in right[1] and axis >= rank]
    rows = [axis for axis in left[1] if axis not in right[1]]
    columns = [axis for axis in right[1] if axis not in left[1]]
    axes = [*batch, *rows, *columns]
    out = numpy.empty(contraction.shape, contraction.precision.result)
    # A window is copied as often as it is wide: large operands part by part, along an axis that the other one lacks.
    larger = 0 if left[0].size >= right[0].size else 1
    along = (rows, columns)[larger]
    cut = max(along, key=sizes.__getitem__) if along else -1
    step = max(1, sizes[cut] * _MOST // max(_MOST, (left, right)[larger][0].size)) if along else 1
    for start in range(0, sizes[cut] if along else 1, step):
        x, w = (
            view[tuple(slice(start, start + step) if axis == cut else slice(None) for axis in of)]
            for view, of in (left, right)
        )
        y = numpy.matmul(_arranged(x, left[1], batch, rows, inner), _arranged(w, right[1], batch, inner, columns))
        lengths = [min(step, sizes[axis] - start) if axis == cut else sizes[axis] for axis in axes]
        y = y.reshape(lengths).transpose([axes.index(axis) for axis in range(rank)])
        out[tuple(slice(start, start + step) if axis == cut else slice(None) for axis in range(rank))] = y
    return out


def _opened(
    contraction: Contraction, x: NDArray[Any], w: NDArray[Any]
) -> tuple[Contraction, NDArray[Any], NDArray[Any]]:
    """Return a contraction of several integers as one of single ones, with one more axis that is summed over."""
    last, count = plain(len(contraction.sizes)), contraction.integers
    singles = changed(
        contraction, sizes=(*contraction.sizes, count), x=(*contraction.x, last), w=(*contraction.w, last), integers=1
    )
    dtype = f"<i{4 // count}"
    first, second = (numpy.ascontiguousarray(one).reshape(*one.shape, 1).view(dtype) for one in (x, w))
    return singles, first, second


_MOST = 1 << 22
"""Elements of an operand that are copied at once."""


def _arranged(view: NDArray[Any], of: list[int], *parts: list[int]) -> NDArray[Any]:
    """An operand as an array of three axes, each of several axes of the contraction."""
    order = [of.index(axis) for part in parts for axis in part]
    lengths = [math.prod(view.shape[of.index(axis)] for axis in part) for part in parts]
    return view.transpose(order).reshape(lengths)


def _summed(view: NDArray[Any], axes: list[int], other: frozenset[int], rank: int) -> tuple[NDArray[Any], list[int]]:
    """An operand summed over the axes that neither the other one nor the result has."""
    gone = tuple(k for k, axis in enumerate(axes) if axis >= rank and axis not in other)
    if not gone:
        return view, axes
    return numpy.asarray(view.sum(gone, view.dtype)), [axis for k, axis in enumerate(axes) if k not in gone]


def _view(
    contraction: Contraction, subscripts: Sequence[Subscript], array: NDArray[Any]
) -> tuple[NDArray[Any], list[int]]:
    """Return an operand as an array of one axis for each axis of the contraction that it depends on, and these.

    The operand is spread and padded with zeros where indices leave it; then each axis is a stride.
    """
    sizes = contraction.sizes
    array = array.astype(contraction.precision.accumulate, copy=False)
    lengths, source, target, first = [], [], [], []
    leaves = False
    for index, size in zip(subscripts, array.shape, strict=True):
        span = extent(index, sizes)
        if span is None:
            raise InternalError("E968", f"a contraction of sizes that are not known, {contraction}, is not computed")
        (low, high), by = span, index.divisor
        if any(_guards(index, sizes, size)):
            leaves = True
        else:
            low, high = 0, size - 1
        begin, end = max(0, -(-low // by)), min(size - 1, high // by)
        lengths.append(high - low + 1)
        source.append(slice(begin, max(begin, end + 1)))
        target.append(slice(begin * by - low, max(begin, end + 1) * by - low, by) if begin <= end else slice(0, 0))
        first.append(index.offset - low)
    if leaves:
        spread = numpy.zeros(lengths, array.dtype)
        spread[tuple(target)] = array[tuple(source)]
        array = spread
    axes = sorted(axes_of(subscripts))
    strides = [
        sum(index.coefficient(axis) * stride for index, stride in zip(subscripts, array.strides, strict=True))
        for axis in axes
    ]
    begin_at = array[tuple(slice(start, None) for start in first)]
    return as_strided(begin_at, [sizes[axis] for axis in axes], strides, writeable=False), axes


def element(contraction: Contraction, x: Element, w: Element, types: Sequence[TensorType]) -> Element:
    """Return the element of a contraction: a fold for each axis that is summed over, of products of elements.

    The variable of axis k is -(1 + k).
    """
    sizes, rank = contraction.sizes, contraction.rank

    def at(index: tuple[Expr, ...]) -> Expr:
        # An axis of one term is no fold.
        summed = (loops.index(0) if same(sizes[axis], 1) else loops.axis(-1 - axis) for axis in range(rank, len(sizes)))
        axes = (*index, *summed)
        factors = [
            loops.cast(_element(subscripts, operand, kind, axes, sizes), contraction.precision.accumulate)
            for subscripts, operand, kind in ((contraction.x, x, types[0]), (contraction.w, w, types[1]))
        ]
        several = contraction.integers > 1
        body = _sum_of_products(factors, contraction.integers) if several else loops.call("mul", *factors)
        for axis in reversed(range(rank, len(sizes))):
            if not same(sizes[axis], 1):
                body = Fold(contraction.precision.accumulate, "sum", sizes[axis], -1 - axis, (body,))
        return loops.cast(body, contraction.precision.result)

    return at


def _sum_of_products(factors: Sequence[Expr], count: int) -> Expr:
    """The sum of the products of so many integers in two elements, the lowest first."""
    bits = 32 // count
    down = loops.const(32 - bits, factors[0].dtype)
    total: Expr | None = None
    for number in range(count):
        up = loops.const(32 - bits * (number + 1), factors[0].dtype)
        sides = (one if number == count - 1 else loops.call("shl", one, up) for one in factors)
        product = loops.call("mul", *(loops.call("shr", one, down) for one in sides))
        total = product if total is None else loops.call("add", total, product)
    assert total is not None, "an element has integers"
    return total


def _element(
    subscripts: Sequence[Subscript], operand: Element, kind: TensorType, axes: Sequence[Expr], sizes: Sequence[int]
) -> Expr:
    """The element of an operand, 0 where there is none; what is read is always within bounds."""
    if any(same(size, 0) for size in kind.shape):
        return loops.const(0, kind.dtype)
    inside: list[Expr] = []
    indices = []
    for index, size in zip(subscripts, kind.shape, strict=True):
        below, beyond, between = _guards(index, sizes, size)
        whole: Expr = loops.index(index.offset)
        for axis, coefficient in index.terms:
            whole = loops.add(loops.mul(axes[axis], loops.index(coefficient)), whole)
        part = whole
        if between:
            part = loops.call("floordiv", whole, loops.index(index.divisor))
            inside.append(loops.call("eq", loops.mul(part, loops.index(index.divisor)), whole))
        if below:
            inside.append(loops.call("ge", part, loops.index(0)))
        if beyond:
            inside.append(loops.call("lt", part, loops.index(size)))
            part = loops.call("min", part, loops.index(size - 1))
        indices.append(loops.call("max", part, loops.index(0)) if below else part)
    value = operand(tuple(indices))
    if not inside:
        return value
    condition = inside[0]
    for more in inside[1:]:
        condition = loops.call("and", condition, more)
    return loops.select(condition, value, loops.const(0, kind.dtype))


# Gradients


@frozen
class ContractionGradient:
    """The gradient of a contraction by one of its operands: a contraction of the result's cotangent and the other one.

    The cotangent stands in the place of the operand that the gradient is by. `stretched`: sizes of axes that it is
    given behind its own, along which it repeats: an index along one of them that is outside makes the product 0.
    `spread`: axes of the operand that the contraction lacks, as the gradient is the same all along them.
    """

    contraction: Contraction
    stretched: tuple[int, ...]
    spread: tuple[int, ...]


def by_x(contraction: Contraction, shapes: tuple[Shape, Shape]) -> ContractionGradient:
    """The gradient by the first operand: a contraction of (cotangent, w)."""
    return _Solution(contraction, contraction.x, shapes[0], contraction.w, shapes[1]).gradient(first=True)


def by_w(contraction: Contraction, shapes: tuple[Shape, Shape]) -> ContractionGradient:
    """The gradient by the second operand: a contraction of (x, cotangent)."""
    return _Solution(contraction, contraction.w, shapes[1], contraction.x, shapes[0]).gradient(first=False)


class _Solution:
    """Solves the subscripts of an operand for axes of the contraction.

    Axis k of the operand becomes axis n + k, where n is the number of axes of the contraction; each takes the place of
    one of those in turn.
    """

    def __init__(
        self, contraction: Contraction, of: tuple[Subscript, ...], shape: Shape, other: tuple[Subscript, ...], by: Shape
    ) -> None:
        self.contraction = contraction
        self.shape = shape
        self.count = len(contraction.sizes)
        self.sizes: list[int] = [*contraction.sizes, *shape]
        self.of = list(of)
        self.cotangent = [plain(axis) for axis in range(contraction.rank)]
        self.cotangent_shape: list[int] = list(contraction.shape)
        self.other = list(other)
        self.other_shape = by

    def gradient(self, first: bool) -> ContractionGradient:
        """The gradient, its cotangent the first or the second operand."""
        for axis in sorted(range(len(self.of)), key=lambda axis: self.of[axis].axis is None):
            self._solve(axis)
        self._shorten()
        used = axes_of((*self.cotangent, *self.other))
        new = [self.count + axis for axis in range(len(self.of))]
        result_axes = [axis for axis in new if axis in used]
        order = [*result_axes, *sorted(used.difference(new))]
        numbers = {axis: number for number, axis in enumerate(order)}
        cotangent, other = (
            tuple(
                subscript([(numbers[axis], c) for axis, c in each.terms], each.offset, each.divisor) for each in operand
            )
            for operand in (self.cotangent, self.other)
        )
        contraction = changed(
            self.contraction,
            sizes=tuple(self.sizes[axis] for axis in order),
            rank=len(result_axes),
            x=cotangent if first else other,
            w=other if first else cotangent,
        )
        spread = tuple(axis for axis in range(len(self.of)) if self.count + axis not in used)
        return ContractionGradient(contraction, tuple(self.cotangent_shape[self.contraction.rank :]), spread)

    def _solve(self, position: int) -> None:
        """Put the operand's axis at `position` in the place of an axis of the contraction."""
        index, new = self.of[position], self.count + position
        # Axes that new ones have taken the place of are gone from all subscripts.
        candidates = [axis for axis, c in index.terms if axis < self.count and 0 not in _signs(c)]
        if not candidates:
            if any(axis < self.count for axis in index.axes):
                raise InternalError("E969", f"no axis of {index} has a coefficient whose sign is known")
            # What is left is a condition: an axis of size 1 has elements at index 0 only.
            self._stretch(subscript([*index.terms, (new, -index.divisor)], index.offset), 1)
            return
        anchors = [axis for axis in candidates if self._is_held(axis, index, position)]
        moving = {axis: dims.hint(self.sizes[new]) if _moves_by_one(index, axis) else 0 for axis in candidates}
        axis = max(
            anchors or candidates,
            key=lambda axis: (self._suits(axis, moving[axis]), dims.hint(self.sizes[axis]), -axis),
        )
        if not anchors:
            self._stretch(plain(axis), self.sizes[axis])
        value = _solved(index, axis, new)
        for operand in (self.of, self.cotangent, self.other):
            operand[:] = [_substituted(each, axis, value) for each in operand]

    def _is_held(self, axis: int, index: Subscript, position: int) -> bool:
        """Tell whether an axis is kept to its size without more ado, whatever takes its place."""
        if axis < self.contraction.rank:
            return True  # the cotangent has it
        if index.axis == axis and same(self.sizes[axis], self.shape[position]):
            return True
        return any(
            each.axis == axis and same(self.sizes[axis], size)
            for each, size in zip(self.other, self.other_shape, strict=True)
        )

    def _stretch(self, index: Subscript, size: int) -> None:
        self.cotangent.append(index)
        self.cotangent_shape.append(size)

    def _shorten(self) -> None:
        """Count sums on the operand that has fewer elements along their axis.

        An axis that one operand is read at plainly, and the other at every third element say, is the other's axis: it
        is a third as long, and the first operand is read at a multiple of it. Not where both would have windows then.
        """
        cotangent = (self.cotangent, self.cotangent_shape)
        other = (self.other, self.other_shape)
        for axis in range(self.count):
            for (here, lengths), (there, others) in ((cotangent, other), (other, cotangent)):
                at = [k for k, each in enumerate(here) if axis in each.axes]
                whole = [k for k, each in enumerate(there) if axis in each.axes]
                if len(at) != 1 or len(whole) != 1 or there[whole[0]].axis != axis:
                    continue
                index = here[at[0]]
                unit = any(same(index.coefficient(axis), one) for one in (1, -1))
                shorter = dims.hint(lengths[at[0]]) < dims.hint(self.sizes[axis])
                if not unit or not shorter or not same(self.sizes[axis], others[whole[0]]):
                    continue
                mixed = any(len(each.terms) > 1 for k, each in enumerate(here) if k != at[0])
                if mixed or not self._are_columns(here, there):
                    continue
                there[whole[0]], here[at[0]] = _solved(index, axis, axis), plain(axis)
                self.sizes[axis] = lengths[at[0]]
                break

    def _suits(self, axis: int, moving: int) -> bool:
        """Tell whether the operand that is read along an axis plainly may have a window there instead.

        Only one of the operands may have windows. If it is the cotangent, columns may lie along the axis that its
        window then moves by, which has `moving` indices.
        """
        operands = (self.cotangent, self.other)
        plainly = [any(each.axis == axis for each in operand) for operand in operands]
        if plainly[0] == plainly[1]:
            return True
        holder, other = operands if plainly[0] else reversed(operands)
        windows = any(len(each.terms) > 1 for each in other)
        return not windows and self._are_columns(other, holder, moving if plainly[0] else 0)

    def _are_columns(self, operand: list[Subscript], other: list[Subscript], moving: int = 0) -> bool:
        """Tell whether one operand, the other having windows, has columns enough.

        Columns are an axis of the result that the operand without windows has alone, or that both have, or `moving`
        indices of one that the other has alone. Half as many as the other one would have are worth the shorter sums.
        """
        columns = max(self._columns(operand, other), self._shared(operand, other), moving)
        return 2 * columns >= min(_ENOUGH, self._columns(other, operand))

    def _shared(self, operand: list[Subscript], other: list[Subscript]) -> int:
        """The most indices of an axis of the result that both operands have, as it is."""
        both = {each.axis for each in operand} & {each.axis for each in other}
        return max((dims.hint(self.sizes[axis]) for axis in both if axis is not None and axis >= self.count), default=0)

    def _columns(self, operand: list[Subscript], other: list[Subscript]) -> int:
        """The most indices of an axis of the result that one operand alone has, as it is."""
        own = {each.axis for each in operand if each.axis is not None and each.axis >= self.count} - axes_of(other)
        return max((dims.hint(self.sizes[axis]) for axis in own), default=0)


_ENOUGH = 16
"""Sums beside each other that one factor serves. The formula that has so many is good on any machine, which may do them
at once; one that has more is no better, if its sums are longer."""


def _moves_by_one(index: Subscript, axis: int) -> bool:
    """Tell whether an index moves by one element with an axis, and the other way round."""
    return same(index.divisor, 1) and same(index.coefficient(axis), 1)


def _signs(coefficient: int) -> range:
    """The signs that a coefficient may have."""
    low, high = dims.bounds(coefficient)
    return range(-1 if low < 0 else 0 if low == 0 else 1, (1 if high > 0 else 0 if high == 0 else -1) + 1)


def _solved(index: Subscript, axis: int, new: int) -> Subscript:
    """Solve `index = new` for an axis: (divisor * new - the other terms - offset) / its coefficient."""
    rest = [(other, -coefficient) for other, coefficient in index.terms if other != axis]
    return subscript([(new, index.divisor), *rest], -index.offset, index.coefficient(axis))


def _substituted(index: Subscript, axis: int, value: Subscript) -> Subscript:
    """`index` with `value` in the place of an axis."""
    coefficient = index.coefficient(axis)
    if same(coefficient, 0):
        return index
    rest = [(other, c * value.divisor) for other, c in index.terms if other != axis]
    terms = [(other, c * coefficient) for other, c in value.terms]
    return subscript(
        [*terms, *rest],
        coefficient * value.offset + index.offset * value.divisor,
        index.divisor * value.divisor,
    )
