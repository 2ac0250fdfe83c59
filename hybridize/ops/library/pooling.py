# SPDX-License-Identifier: Apache-2.0
"""Windows over the axes of images, of which each gives one number, and images cut into parts.

`pooling` is the layer, under MXNet's name and attributes; the others are what its attributes have no word for: any
padding behind, elements of windows that stand apart, positions of maxima, divisors of one's own, windows that begin
where data say.
"""

from __future__ import annotations

import itertools
import math
from builtins import max as max_of
from builtins import min as min_of
from collections.abc import Mapping, Sequence
from typing import Any

import numpy

from hybridize.base.dims import same
from hybridize.base.dtypes import bool_, int64, is_float
from hybridize.base.errors import ArgumentError, DTypeError, ShapeError
from hybridize.base.types import Shape, TensorType
from hybridize.ops.analysis import cbrt, sqrt
from hybridize.ops.arithmetic import (
    add,
    bit_and,
    bit_not,
    bit_or,
    div,
    eq,
    floor_div,
    le,
    max,
    min,
    mod,
    mul,
    sub,
    where,
)
from hybridize.ops.composite import composite
from hybridize.ops.composites import integer_quotient
from hybridize.ops.convolution import each_axis
from hybridize.ops.indexing import gather, take_along_axis
from hybridize.ops.interpolation import parts
from hybridize.ops.library.convolution_layers import LAYOUTS
from hybridize.ops.op import Operand, constant, scalar, type_of
from hybridize.ops.reductions import arg_max
from hybridize.ops.slicing import iota, slice
from hybridize.ops.slicing import pad as filled
from hybridize.ops.views import broadcast, cast, full, like, reshape, spread, sum, wide
from hybridize.ops.windows import window_arg_max, window_max, window_sum

Numbers = tuple[int, ...]

ORDERS = tuple(layout for layouts in LAYOUTS.values() for layout in layouts)
"""The orders of axes that there are: batch, channels, and one to three axes of windows."""
KINDS = ("max", "avg", "sum", "lp")
CONVENTIONS = ("valid", "full", "same")


def image_axes(layout: str) -> tuple[int, ...]:
    """Return the axes of a layout that are neither batch nor channels."""
    return tuple(axis for axis, letter in enumerate(layout) if letter not in "NC")


def _of_kind(pool_type: str, **_: Any) -> Mapping[str, object]:
    parameters = {"lp": "p_value", "avg": "count_include_pad"}
    return {name: None for kind, name in parameters.items() if kind != pool_type}


@composite("Pooling", _of_kind)
def pooling(
    x: Operand,
    kernel: Numbers,
    pool_type: str,
    global_pool: bool,
    pooling_convention: str,
    stride: Numbers,
    pad: Numbers,
    p_value: int | None,
    count_include_pad: bool,
    layout: str,
) -> Operand:
    """One number for each window of an image and channel.

    Args:
        x: [batch, channels, image...], or in another `layout`.
        kernel: the size of a window, for each axis of the image.
        pool_type: the largest element of a window, their mean, their sum, or the root of the sum of their powers.
        global_pool: one window over all the image; then kernel, stride, pad and convention do not matter.
        pooling_convention: which windows there are, besides the first, which begins `pad` before the image: those that
            end within the padding after it ("valid"), one more if that leaves out elements ("full"), or all that begin
            in the image or its padding ("same").
        stride: the distance of windows, for each axis.
        pad: elements before and after each axis, of which a window takes no notice but to count them.
        p_value: 1, 2 or 3, the power of "lp".
        count_include_pad: divide a sum by the size of its window within the padded image; else within the image.
        layout: one of `ORDERS`.

    Raises:
        ArgumentError E398: not a number for each axis; E399: no such layout, kind, convention or power.
        DTypeError E239: numbers that have no mean or root.
        ShapeError E176: the image has other axes, or does not hold a window.
    """
    axes = _checked(x, kernel, pool_type, global_pool, pooling_convention, stride, pad, p_value, layout)
    shape = type_of(x).shape
    if global_pool:
        kernel = stride = tuple(shape[axis] for axis in axes)
        low = high = (0,) * len(axes)
        for size in kernel:
            if size < 1:
                raise ShapeError("E176", f"Pooling of {type_of(x)}: an image without elements has no {pool_type}")
    else:
        low = pad
        beyond = {"valid": [1] * len(axes), "full": stride, "same": kernel}[pooling_convention]
        high = tuple(before + most - 1 for before, most in zip(pad, beyond, strict=True))
        _check_room(x, axes, kernel, pad)
    fields = tuple(
        _spread(numbers, axes, len(shape), rest) for numbers, rest in ((kernel, 1), (stride, 1), (low, 0), (high, 0))
    )
    if pool_type == "max":
        return window_max(x, *fields)
    dtype = type_of(x).dtype
    total = cast(x, wide(dtype))
    if pool_type == "lp":
        total = _power(total, p_value or 0)
    total = sum(total, axes) if global_pool else window_sum(total, *fields)
    if global_pool:
        total = reshape(total, tuple(1 if axis in axes else size for axis, size in enumerate(shape)))
    if pool_type == "lp":
        total = _root(total, p_value or 0)
    if pool_type == "avg":
        total = _mean(total, shape, axes, kernel, stride, low, high, pad if count_include_pad else None)
    return cast(total, dtype)


def means_of_windows(
    x: Operand,
    axes: Numbers,
    kernel: Numbers,
    stride: Numbers,
    pad: Numbers,
    high: Numbers,
    counted: bool,
    divisor: int | None = None,
) -> Operand:
    """The mean of each window.

    Args:
        x: any numbers; means of integers are cut off towards 0.
        axes: of the windows; the other numbers are one for each of them.
        kernel: the size of a window.
        stride: the distance of windows.
        pad: elements before each axis, and as many after it that count where `counted`.
        high: elements after each axis into which windows reach.
        counted: divide by the size of a window within the padded image, else within the image.
        divisor: divide all sums by this instead.
    """
    kind = type_of(x)
    fields = tuple(
        _spread(numbers, axes, kind.ndim, rest) for numbers, rest in ((kernel, 1), (stride, 1), (pad, 0), (high, 0))
    )
    total = window_sum(cast(x, wide(kind.dtype)), *fields)
    if divisor is not None:
        return cast(_quotient(total, like(divisor, total)), kind.dtype)
    mean = _mean(total, kind.shape, axes, kernel, stride, pad, high, pad if counted else None)
    return cast(mean, kind.dtype)


def maxima_of_windows(
    x: Operand, axes: Numbers, kernel: Numbers, stride: Numbers, pad: Numbers, high: Numbers, dilation: Numbers
) -> tuple[Operand, Operand]:
    """The largest element of each window, and its place in x: the first one's, counted over `axes` in row-major order.

    Args:
        x: any numbers.
        axes: of the windows, in order and the last ones of x; the other numbers are one for each of them.
        kernel: the elements of a window.
        stride: the distance of windows.
        pad: elements before each axis, of which windows take no notice.
        high: the same after it.
        dilation: the distance of elements of a window.
    """
    kind = type_of(x)
    if any(apart != 1 for apart in dilation):
        return _maxima_apart(x, axes, kernel, stride, pad, high, dilation)
    fields = tuple(
        _spread(numbers, axes, kind.ndim, rest) for numbers, rest in ((kernel, 1), (stride, 1), (pad, 0), (high, 0))
    )
    number = cast(window_arg_max(x, *fields), int64)
    return window_max(x, *fields), _place(number, kind.shape, axes, kernel, stride, pad, dilation)


def _place(
    number: Operand, shape: Shape, axes: Numbers, kernel: Numbers, stride: Numbers, pad: Numbers, dilation: Numbers
) -> Operand:
    """The place in the image of elements that have a number in their window."""
    kind = type_of(number)
    place: Operand | None = None
    rest = number
    inner = math.prod(kernel)
    for axis, window, step, before, apart in zip(axes, kernel, stride, pad, dilation, strict=True):
        inner = inner // window
        t = floor_div(rest, like(inner, rest))
        rest = sub(rest, mul(t, like(inner, rest)))
        begin = mul(iota(kind.shape, axis, int64), like(step, number))
        at = sub(add(begin, mul(t, like(apart, t))), like(before, t))
        place = at if place is None else add(mul(place, like(shape[axis], place)), at)
    assert place is not None
    return place


def _maxima_apart(
    x: Operand, axes: Numbers, kernel: Numbers, stride: Numbers, pad: Numbers, high: Numbers, dilation: Numbers
) -> tuple[Operand, Operand]:
    """The same for windows whose elements stand apart: one after the other is compared, over all windows at once."""
    kind = type_of(x)
    least = -math.inf if is_float(kind.dtype) else numpy.iinfo(kind.dtype).min
    low, behind = (_spread(numbers, axes, kind.ndim, 0) for numbers in (pad, high))
    padded = filled(x, scalar(least, kind.dtype), low, behind)
    inside_all = filled(full(True, TensorType(kind.shape, bool_)), scalar(False, bool_), low, behind)
    counts = tuple(
        (type_of(padded).shape[axis] - (window - 1) * apart - 1) // step + 1
        for axis, window, step, apart in zip(axes, kernel, stride, dilation, strict=True)
    )
    best: Operand | None = None
    for number, place in enumerate(itertools.product(*(range(window) for window in kernel))):
        starts = tuple(t * apart for t, apart in zip(place, dilation, strict=True))
        stops = tuple(a + (n - 1) * step + 1 for a, n, step in zip(starts, counts, stride, strict=True))
        limits = (
            _spread(starts, axes, kind.ndim, 0),
            tuple(dict(zip(axes, stops, strict=True)).get(k, size) for k, size in enumerate(kind.shape)),
            _spread(stride, axes, kind.ndim, 1),
        )
        part, inside = slice(padded, *limits), slice(inside_all, *limits)
        now = full(number, TensorType(type_of(part).shape, int64))
        if best is None:
            best, chosen, seen = part, now, inside
            continue
        more = bit_or(bit_not(seen), bit_and(bit_not(le(part, best)), eq(best, best)))
        beats = bit_and(inside, more)
        best, chosen, seen = where(beats, part, best), where(beats, now, chosen), bit_or(seen, inside)
    assert best is not None
    return best, _place(chosen, kind.shape, axes, kernel, stride, pad, dilation)


def even_parts(sizes: Shape, counts: Sequence[int]) -> Numbers | None:
    """Return the size of each part of axes cut into so many; None where they are not all as large."""
    if any(size % count for size, count in zip(sizes, counts, strict=True)):
        return None
    return tuple(size // count for size, count in zip(sizes, counts, strict=True))


def maxima_of_parts(x: Operand, axes: Numbers, counts: Numbers) -> tuple[Operand, Operand]:
    """The largest element of each part of the last axes, and its place: see `interpolation.parts`, `maxima_of_windows`.

    Args:
        x: any numbers.
        axes: the last ones of x.
        counts: of parts, for each of them.
    """
    kind = type_of(x)
    sizes = tuple(kind.shape[axis] for axis in axes)
    window, none = even_parts(sizes, counts), (0,) * len(axes)
    if window is not None:
        return maxima_of_windows(x, axes, window, window, none, none, (1,) * len(axes))
    places = numpy.zeros((1, 1), numpy.int64)
    for size, count in zip(sizes, counts, strict=True):
        # Parts are made equally long by repeating their last element, which changes no maximum and no first one.
        limits = parts(int(size), int(count))
        longest = max_of(stop - first for first, stop in limits)
        along = numpy.array([[min_of(first + t, stop - 1) for t in range(longest)] for first, stop in limits])
        joined = places[:, None, :, None] * int(size) + along[None, :, None, :]
        places = joined.reshape(len(places) * len(limits), -1)
    lead = kind.shape[: axes[0]]
    flat = reshape(x, (*lead, math.prod(sizes)))
    every = gather(flat, constant(places), len(lead))
    number = reshape(cast(arg_max(every, len(lead) + 1), int64), (*lead, len(places), 1))
    value = take_along_axis(every, number, len(lead) + 1)
    table = broadcast(constant(places), type_of(every).shape)
    at = take_along_axis(table, number, len(lead) + 1)
    shape = (*lead, *counts)
    return reshape(value, shape), reshape(at, shape)


def starts_by_numbers(number: Operand, size: int, count: int, window: int) -> Operand:
    """Return where windows along an axis begin, as [..., count] whole numbers: at distances that vary by one.

    Graham's fractional pooling, as PyTorch computes it: in the precision of the numbers.

    Args:
        number: [...], from 0 to 1, by which windows are shifted.
        size: of the axis; the last window ends where it does.
        count: of windows.
        window: the elements of one.
    """
    kind = type_of(number)
    shape = (*kind.shape, count)
    last = full(size - window, TensorType(shape, int64))
    if same(count, 1):
        return last
    shift = spread(number, shape, (kind.ndim,))
    step = div(like(size - window, shift), like(count - 1, shift))
    place = iota(shape, kind.ndim, int64)
    at = sub(cast(mul(add(cast(place, kind.dtype), shift), step), int64), cast(mul(shift, step), int64))
    return where(eq(place, like(count - 1, place)), last, at)


def maxima_from(x: Operand, starts: Sequence[Operand], kernel: Numbers) -> tuple[Operand, Operand]:
    """The largest element of windows that begin where data say, and its place: see `maxima_of_windows`.

    Args:
        x: [n, c, image...].
        starts: [n, c, count] for each axis of the image, within it.
        kernel: the size of a window.
    """
    kind, counts = type_of(x), tuple(type_of(one).shape[2] for one in starts)
    lead, sizes = kind.shape[:2], kind.shape[2:]
    shape = (*lead, *counts, math.prod(kernel))
    within = iota(shape, len(shape) - 1, int64)
    place: Operand | None = None
    for k, (begin, size) in enumerate(zip(starts, sizes, strict=True)):
        rest = tuple(axis for axis in range(2, len(shape)) if axis != 2 + k)
        t = mod(floor_div(within, like(math.prod(kernel[k + 1 :]), within)), like(kernel[k], within))
        at = add(spread(begin, shape, rest), t)
        place = at if place is None else add(mul(place, like(size, place)), at)
    assert place is not None
    flat = reshape(x, (*lead, math.prod(sizes)))
    every = reshape(take_along_axis(flat, reshape(place, (*lead, math.prod(shape[2:]))), 2), shape)
    number = reshape(cast(arg_max(every, len(shape) - 1), int64), (*shape[:-1], 1))
    value, at = (take_along_axis(one, number, len(shape) - 1) for one in (every, place))
    return reshape(value, shape[:-1]), reshape(at, shape[:-1])


def _checked(
    x: Operand,
    kernel: Numbers,
    pool_type: str,
    global_pool: bool,
    convention: str,
    stride: Numbers,
    pad: Numbers,
    p_value: int | None,
    layout: str,
) -> tuple[int, ...]:
    """Return the axes of the image, having checked the parameters."""
    for name, value, options in (
        ("layout", layout, ORDERS),
        ("pool_type", pool_type, KINDS),
        ("pooling_convention", convention, CONVENTIONS),
    ):
        if value not in options:
            raise ArgumentError("E399", f"Pooling with {name}={value!r}", help=f"one of {', '.join(options)}")
    if pool_type == "lp" and p_value not in (1, 2, 3):
        raise ArgumentError("E399", f"Pooling by 'lp' with p_value={p_value!r}", help="p_value must be 1, 2 or 3")
    axes, kind = image_axes(layout), type_of(x)
    if kind.ndim != len(layout):
        raise ShapeError("E176", f"Pooling of {kind} in layout {layout}", help=f"the input needs {len(layout)} axes")
    if kind.dtype == bool_ or (pool_type in ("avg", "lp") and not is_float(kind.dtype)):
        raise DTypeError("E239", f"Pooling of {kind} by {pool_type}", help='cast it first: x.astype("float32")')
    if not global_pool:
        for name, numbers, least in (("kernel", kernel, 1), ("stride", stride, 1), ("pad", pad, 0)):
            each_axis("Pooling", name, numbers, len(axes), default=0, least=least)
    return axes


def _check_room(x: Operand, axes: Numbers, kernel: Numbers, pad: Numbers) -> None:
    """Raise unless a window fits into the padded image, and holds one of its elements wherever it is."""
    kind = type_of(x)
    for axis, window, padding in zip(axes, kernel, pad, strict=True):
        if padding >= window:
            raise ShapeError(
                "E176",
                f"Pooling of {kind} with kernel={kernel} and pad={pad}: along axis {axis}, windows would hold nothing "
                "but padding",
                help="each number of pad must be smaller than that of kernel",
            )
        if kind.shape[axis] < 1 or kind.shape[axis] + 2 * padding < window:
            raise ShapeError(
                "E176",
                f"Pooling of {kind} with kernel={kernel} and pad={pad}: along axis {axis}, a window is larger than "
                "the padded image",
                help="use a smaller kernel, a larger pad, or a larger image",
            )


def _spread(numbers: Numbers, axes: Numbers, rank: int, rest: int) -> Numbers:
    """A number for each of all axes: those of `axes` are given."""
    by_axis = dict(zip(axes, numbers, strict=True))
    return tuple(by_axis.get(axis, rest) for axis in range(rank))


def _power(x: Operand, p: int) -> Operand:
    return x if p == 1 else mul(x, x) if p == 2 else mul(mul(x, x), x)


def _root(x: Operand, p: int) -> Operand:
    """The root; its slope at 0 is 0."""
    if p == 1:
        return x
    none = eq(x, like(0, x))
    safe = where(none, like(1, x), x)
    return where(none, x, sqrt(safe) if p == 2 else cbrt(safe))


def _mean(
    total: Operand,
    shape: Shape,
    axes: Numbers,
    kernel: Numbers,
    stride: Numbers,
    low: Numbers,
    high: Numbers,
    pad: Numbers | None,
) -> Operand:
    """Divide sums of windows by the number of elements; those of the padding count unless `pad` is None."""
    outer: Operand | None = None
    plain = 1
    for axis, window, step, before, after, padding in zip(
        axes, kernel, stride, low, high, pad or (0,) * len(axes), strict=True
    ):
        if before == after == 0 or (pad is not None and after == padding):
            plain *= window
            continue
        size = type_of(total).shape[axis]
        counts = _counts(size, shape[axis], window, step, before, padding if pad is not None else None)
        along = reshape(cast(counts, type_of(total).dtype), tuple(size if k == axis else 1 for k in range(len(shape))))
        along = broadcast(along, type_of(total).shape)
        outer = along if outer is None else mul(outer, along)
    if outer is None:
        return _quotient(total, like(plain, total))
    return _quotient(total, outer if plain == 1 else mul(outer, like(plain, outer)))


def _quotient(total: Operand, count: Operand) -> Operand:
    return div(total, count) if is_float(type_of(total).dtype) else integer_quotient(total, count)


def _counts(count: int, size: int, window: int, step: int, before: int, padding: int | None) -> Operand:
    """The number of elements of each of `count` windows along an axis, in the axis with so much padding or none."""
    numbers = TensorType((count,), int64)
    begin = sub(mul(iota((count,), 0, int64), full(step, numbers)), full(before, numbers))
    end = min(add(begin, full(window, numbers)), full(size + (padding or 0), numbers))
    return sub(end, begin if padding is not None else max(begin, full(0, numbers)))
