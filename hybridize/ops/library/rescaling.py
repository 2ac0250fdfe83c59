# SPDX-License-Identifier: Apache-2.0
"""An axis sampled at other places, by any choice of coordinates, rounding and kernel: ONNX's `Resize`.

    form = Sampling("linear", "half_pixel")
    y = rescaled(x, axis=2, count=2 * height, scale=2.0, form=form)

Of sizes that are known, the places are tables (`resampling`); of others, the program computes them, so that one program
serves all sizes.
"""

from __future__ import annotations

import builtins
import functools
from collections.abc import Mapping
from typing import Any, Final

import numpy

from hybridize.base import dims
from hybridize.base.dtypes import DType, float32, int64, is_float
from hybridize.base.errors import ShapeError
from hybridize.base.frozen import changed, frozen
from hybridize.base.types import TensorType
from hybridize.ops.analysis import ceil, floor
from hybridize.ops.arithmetic import abs, add, bit_and, bit_or, div, ge, gt, le, lt, max, min, mul, sub, where
from hybridize.ops.indexing import gather
from hybridize.ops.library.resizing import picked, repeated_along, resized
from hybridize.ops.op import Operand, ReferenceInterpreter, interpreting, type_of
from hybridize.ops.slicing import iota
from hybridize.ops.views import broadcast, cast, full, like, reshape, wide

KERNELS: Final = ("nearest", "linear", "cubic")
PLACES: Final = (
    "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize",
    "tf_half_pixel_for_nn",
)  # fmt: skip
ROUNDINGS: Final = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
_SHIFTING: Final = ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "asymmetric")
"""Places that move by a whole element as the result moves by a whole scale, wherever the axis ends."""


@frozen
class Sampling:
    """The way in which an axis is sampled."""

    kernel: str = "nearest"
    """One of `KERNELS`."""
    places: str = "half_pixel"
    """One of `PLACES`: where in the operand an element of the result lies."""
    rounding: str = "round_prefer_floor"
    """One of `ROUNDINGS`, of the kernel "nearest"."""
    slope: float = -0.75
    """Of Keys' kernel, "cubic"."""
    inside: bool = False
    """True if elements beyond the axis have no weight, and the others more; they are the last one's otherwise."""
    smooth: bool = False
    """True if the kernel grows as the axis shrinks (antialiasing)."""


@frozen
class Extent:
    """The new size of an axis, and how it is sampled."""

    count: Any
    """Of the elements of the result; a number or a dim."""
    scale: float | None = None
    """By how much the axis grows, which may differ from count / size; None: it does not."""
    region: tuple[float, float] = (0.0, 1.0)
    """Of "tf_crop_and_resize", the part of the axis, from 0 to 1, that the result spans."""


def rescaled(x: Operand, axes: Mapping[int, Extent], form: Sampling, beyond: float | None = None) -> Operand:
    """Return `x` with other numbers of elements along some axes, sampled from those that it has.

    Args:
        x: numbers of any type; sums of integers are cut off.
        axes: the new size of each axis that changes.
        form: the way.
        beyond: what stands where a place is beyond an axis; None: what the kernel gives.

    Raises:
        ShapeError E125: an axis is empty, or would become so long that there is no room.
    """
    kind = type_of(x)
    if any(not dims.is_symbolic(kind.shape[axis]) and kind.shape[axis] < 1 for axis in axes):
        raise ShapeError("E125", f"resizing of {kind}", help="there must be an element to repeat")
    nearest = form.kernel == "nearest"
    total = wide(kind.dtype) if is_float(kind.dtype) else float32
    tables = {axis: _Table(form, kind.shape[axis], one.count, one.scale, one.region, float32 if nearest else total)
              for axis, one in axes.items()}  # fmt: skip
    y = x if nearest else cast(x, total)
    for axis in sorted(tables, key=lambda axis: tables[axis].growth_hint):
        table = tables[axis]
        if not table.known:
            y = _by_gathers(y, axis, table)
        elif nearest:
            y = picked(y, {axis: table.rows[0][0].tolist()})
        else:
            places, weights = (numpy.stack(part, 1).tolist() for part in zip(*table.rows, strict=True))
            y = resized(y, {axis: list(zip(places, weights, strict=True))})
    y = cast(y, kind.dtype)
    if beyond is None:
        return y
    for axis, table in tables.items():
        place = table.places()
        outside = bit_or(lt(place, like(0, place)), gt(place, like(kind.shape[axis] - 1, place)))
        y = where(_along(outside, y, axis), like(beyond, y), y)
    return y


def _along(x: Operand, like_: Operand, axis: int) -> Operand:
    shape = type_of(like_).shape
    return broadcast(reshape(x, tuple(size if k == axis else 1 for k, size in enumerate(shape))), shape)


def _by_gathers(x: Operand, axis: int, table: _Table) -> Operand:
    if table.repeats():
        return repeated_along(x, {axis: int(table.scale or 1)})
    terms = table.terms()
    if table.form.kernel == "nearest":
        return gather(x, terms[0][0], axis)
    parts = [(gather(x, places, axis), weights) for places, weights in terms]
    return functools.reduce(add, [mul(part, _along(weights, part, axis)) for part, weights in parts])


@frozen
class _Table:
    """Places and weights of the terms of each sum."""

    form: Sampling
    size: Any
    count: Any
    scale: float | None
    region: tuple[float, float]
    dtype: DType

    @property
    def known(self) -> bool:
        """True if the places are known before the call."""
        return dims.known((self.size, self.count))

    @property
    def growth_hint(self) -> float:
        """By how much the axis grows, about: axes that shrink most come first."""
        return dims.hint(self.count) / dims.hint(self.size)

    @property
    def rows(self) -> list[tuple[Any, Any]]:
        """The terms as arrays, where they are known."""
        with interpreting(ReferenceInterpreter()):
            return [(numpy.asarray(at), numpy.asarray(by)) for at, by in self.terms()]

    def repeats(self) -> bool:
        """Tell whether the nearest elements of a whole scale are each one as often as the scale says."""
        form, scale = self.form, self.scale
        if form.kernel != "nearest" or scale is None or scale != int(scale) or form.places not in _SHIFTING:
            return False
        times = int(scale)
        places = changed(self, size=4, count=4 * times).rows[0][0]
        return bool((places == numpy.arange(4 * times) // times).all())

    def number(self, value: Any) -> Operand:
        """A number of each element of the result."""
        return full(value, TensorType((self.count,), self.dtype))

    def growth(self) -> Operand:
        """By how much the axis grows."""
        return self.number(self.scale) if self.scale else div(self.number(self.count), self.number(self.size))

    def places(self) -> Operand:
        """Return the places in the operand of the elements of the result, not rounded."""
        number, size, count = self.number, self.size, self.count
        index = cast(iota((count,), 0, int64), self.dtype)
        half = number(0.5)
        way = self.form.places
        match way:
            case "align_corners":
                if count == 1:
                    return number(0)
                return div(mul(index, number(size - 1)), number(count - 1))
            case "asymmetric":
                return div(index, self.growth())
            case "tf_half_pixel_for_nn":
                return div(add(index, half), self.growth())
            case "tf_crop_and_resize":
                begin, end = self.region
                if count == 1:
                    return mul(number(0.5 * (begin + end)), number(size - 1))
                step = div(mul(number(end - begin), number(size - 1)), number(count - 1))
                return add(mul(number(begin), number(size - 1)), mul(index, step))
        if way == "pytorch_half_pixel" and count == 1:
            return number(0)
        place = div(add(index, half), self.growth())
        if way == "half_pixel_symmetric":
            part = div(number(count), mul(self.growth(), number(size)))
            place = add(mul(mul(number(size), half), sub(number(1), part)), place)
        return sub(place, half)

    def terms(self) -> list[tuple[Operand, Operand]]:
        """Return the places, in the axis, and the weights of each term."""
        place, form = self.places(), self.form
        if form.kernel == "nearest":
            return [(self._index(_rounded(place, form.rounding)), self.number(1))]
        low = floor(place)
        share = sub(place, low)
        reach, shrink = {"linear": 1, "cubic": 2}[form.kernel], 1.0
        if form.smooth:
            shrink = builtins.min(1.0, self.scale or float(int(self.count)) / float(int(self.size)))
        first = int(numpy.floor(-reach / shrink)) + 1
        indices, weights = [], []
        for step in range(first, 2 - first):
            distance = abs(mul(sub(self.number(step), share), self.number(shrink)))
            weight = _tent(distance) if form.kernel == "linear" else _keys(distance, form.slope)
            index = add(low, self.number(step))
            if form.inside:
                within = bit_and(ge(index, self.number(0)), le(index, self.number(self.size - 1)))
                weight = where(within, weight, self.number(0))
            indices.append(self._index(index))
            weights.append(weight)
        if form.inside or form.smooth:
            total = functools.reduce(add, weights)
            weights = [div(weight, total) for weight in weights]
        return list(zip(indices, weights, strict=True))

    def _index(self, place: Operand) -> Operand:
        return cast(max(min(place, self.number(self.size - 1)), self.number(0)), int64)


def _rounded(place: Operand, way: str) -> Operand:
    half = like(0.5, place)
    match way:
        case "round_prefer_floor":
            return ceil(sub(place, half))
        case "round_prefer_ceil":
            return floor(add(place, half))
        case "floor":
            return floor(place)
    return ceil(place)


def _tent(x: Operand) -> Operand:
    return max(sub(like(1, x), x), like(0, x))


def _keys(x: Operand, slope: float) -> Operand:
    """The weight of an element at a distance in Keys' cubic interpolation."""
    near = add(mul(mul(sub(mul(like(slope + 2, x), x), like(slope + 3, x)), x), x), like(1, x))
    far = sub(mul(mul(add(mul(sub(x, like(5, x)), x), like(8, x)), x), like(slope, x)), like(4 * slope, x))
    return where(le(x, like(1, x)), near, where(lt(x, like(2, x)), far, like(0, x)))
