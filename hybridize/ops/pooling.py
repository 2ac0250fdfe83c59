# SPDX-License-Identifier: Apache-2.0
"""Pooling, under MXNet's name and attributes: windows over the axes of an image, of which each gives one number."""

from __future__ import annotations

from collections.abc import Mapping

from hybridize.base.dtypes import bfloat16, bool_, float16, float32, int64, is_float
from hybridize.base.errors import ArgumentError, DTypeError, ShapeError
from hybridize.base.types import Shape, TensorType
from hybridize.ops.analysis import cbrt, sqrt
from hybridize.ops.arithmetic import add, div, eq, max, min, mul, sub, where
from hybridize.ops.composite import composite
from hybridize.ops.convolution import each_axis
from hybridize.ops.convolution_layers import LAYOUTS
from hybridize.ops.op import Operand, type_of
from hybridize.ops.slicing import iota
from hybridize.ops.views import broadcast, cast, full, like, reshape, sum
from hybridize.ops.windows import window_max, window_sum

Numbers = tuple[int, ...]

ORDERS = tuple(layout for layouts in LAYOUTS.values() for layout in layouts)
"""The orders of axes that there are: batch, channels, and one to three axes of windows."""
KINDS = ("max", "avg", "sum", "lp")
CONVENTIONS = ("valid", "full", "same")


def image_axes(layout: str) -> tuple[int, ...]:
    """Return the axes of a layout that are neither batch nor channels."""
    return tuple(axis for axis, letter in enumerate(layout) if letter not in "NC")


def _attributes(
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
) -> Mapping[str, object]:
    found: dict[str, object] = {
        "kernel": kernel,
        "pool_type": pool_type,
        "global_pool": global_pool,
        "pooling_convention": pooling_convention,
        "stride": stride,
        "pad": pad,
        "layout": layout,
    }
    if pool_type == "lp":
        found["p_value"] = p_value
    if pool_type == "avg":
        found["count_include_pad"] = count_include_pad
    return found


@composite("Pooling", _attributes)
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
    wide = cast(x, float32) if dtype in (float16, bfloat16) else x
    if pool_type == "lp":
        wide = _power(wide, p_value or 0)
    total = sum(wide, axes) if global_pool else window_sum(wide, *fields)
    if global_pool:
        total = reshape(total, tuple(1 if axis in axes else size for axis, size in enumerate(shape)))
    if pool_type == "lp":
        total = _root(total, p_value or 0)
    if pool_type == "avg":
        total = _mean(total, shape, axes, kernel, stride, low, high, pad if count_include_pad else None)
    return cast(total, dtype)


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
        raise ArgumentError("E399", f"Pooling of pool_type 'lp' with p_value={p_value!r}", help="it is 1, 2 or 3")
    axes, kind = image_axes(layout), type_of(x)
    if kind.ndim != len(layout):
        raise ShapeError("E176", f"Pooling of {kind} in the layout {layout}", help=f"it has {len(layout)} axes")
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
                help="each number of pad is smaller than that of kernel",
            )
        if kind.shape[axis] < 1 or kind.shape[axis] + 2 * padding < window:
            raise ShapeError(
                "E176",
                f"Pooling of {kind} with kernel={kernel} and pad={pad}: along axis {axis}, a window is larger than "
                "the padded image",
                help="make kernel smaller or pad larger, or give a larger image",
            )


def _spread(numbers: Numbers, axes: Numbers, rank: int, rest: int) -> Numbers:
    """A number for each of all axes: those of `axes` are given."""
    given = dict(zip(axes, numbers, strict=True))
    return tuple(given.get(axis, rest) for axis in range(rank))


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
        return div(total, like(plain, total))
    return div(total, outer if plain == 1 else mul(outer, like(plain, outer)))


def _counts(count: int, size: int, window: int, step: int, before: int, padding: int | None) -> Operand:
    """The number of elements of each of `count` windows along an axis, in the axis with so much padding or none."""
    numbers = TensorType((count,), int64)
    begin = sub(mul(iota((count,), 0, int64), full(step, numbers)), full(before, numbers))
    end = min(add(begin, full(window, numbers)), full(size + (padding or 0), numbers))
    return sub(end, begin if padding is not None else max(begin, full(0, numbers)))
