# SPDX-License-Identifier: Apache-2.0
"""Windows of one image compared with those around the same place of another one, as networks for optical flow do."""

from __future__ import annotations

from hybridize.base import dims
from hybridize.base.dtypes import int64, is_float
from hybridize.base.errors import ArgumentError, DTypeError, ShapeError
from hybridize.base.types import TensorType
from hybridize.ops.arithmetic import add, div, ge, mul, sub, where
from hybridize.ops.composite import composite
from hybridize.ops.contract import LARGEST, contract
from hybridize.ops.indexing import gather
from hybridize.ops.op import Operand, scalar, type_of
from hybridize.ops.slicing import iota, pad, slice
from hybridize.ops.views import broadcast, cast, full, like, reshape, sum, transpose, wide
from hybridize.ops.windows import window_sum


@composite("Correlation")
def correlation(
    data1: Operand,
    data2: Operand,
    kernel_size: int,
    max_displacement: int,
    stride1: int,
    stride2: int,
    pad_size: int,
    is_multiply: bool,
) -> Operand:
    """Return the mean product, or the mean difference, of windows of two images, for each displacement of the second.

    Args:
        data1: [n, c, h, w].
        data2: [n, c, h, w].
        kernel_size: rows and columns of a window, odd.
        max_displacement: how far windows of the second image lie from those of the first at most, in both directions.
        stride1: the distance of windows.
        stride2: the distance of displacements.
        pad_size: zeros around both images.
        is_multiply: products, else absolute differences.

    Returns:
        [n, d * d, y, x], with d displacements along an axis: from the left to the right, from above to below.

    Raises:
        ArgumentError E399: `kernel_size` is even.
        DTypeError E239: integers.
        ShapeError E173: the result, or where it reaches, is beyond 64 bits; E174: the images differ; E175: no window
            with its displacements fits.
    """
    first, second = type_of(data1), type_of(data2)
    if kernel_size % 2 == 0:
        raise ArgumentError("E399", f"Correlation with kernel_size={kernel_size}", help="kernel_size must be odd")
    if not is_float(first.dtype):
        raise DTypeError("E239", f"Correlation of {first}", help='cast it first: x.astype("float32")')
    if first.ndim != 4 or first.shape != second.shape:
        raise ShapeError("E174", f"Correlation of {first} and {second}", help="both are [n, c, h, w] of equal sizes")
    c = first.shape[1]
    reach = 2 * (max_displacement + kernel_size // 2)
    counts = []
    for axis, size in enumerate(first.shape[2:]):
        room = size + 2 * pad_size - reach
        if room < 1:
            raise ShapeError(
                "E175",
                f"Correlation of {first} with kernel_size={kernel_size}, max_displacement={max_displacement} and "
                f"pad_size={pad_size}: along axis {axis + 2}, {reach + 1} elements do not fit into "
                f"{dims.text(size + 2 * pad_size)}",
                help="make the displacement smaller, or the padding larger",
            )
        counts.append((room + stride1 - 1) // stride1)
    side = max_displacement // stride2
    # For windows of one element, only those of the result; else all, of which windows are added up.
    single = kernel_size == 1
    step = stride1 if single else 1
    pixels = [count if single else (count - 1) * stride1 + kernel_size for count in counts]
    shape = (first.shape[0], 2 * side + 1, 2 * side + 1, *pixels)
    reached = (dims.hint(size) + 2 * pad_size + stride1 + stride2 for size in first.shape[2:])
    if max(8 * dims.hint(dims.product(shape)), *reached) >= LARGEST:
        raise ShapeError(
            "E173",
            f"Correlation of {first} with max_displacement={max_displacement}, stride2={stride2} and "
            f"pad_size={pad_size}: an index or the result exceeds 64 bits",
            help="make the displacement and the padding smaller",
        )
    total = wide(first.dtype)
    x, y = cast(data1, total), cast(data2, total)
    compared = (_products if is_multiply else _differences)(
        x, y, pixels, step, max_displacement, stride2, side, pad_size
    )
    if not single:
        window, ones, none = (1, 1, kernel_size, kernel_size), (1, 1, stride1, stride1), (0,) * 4
        compared = window_sum(compared, window, ones, none, none)
    size = mul(full(c, type_of(compared)), like(kernel_size * kernel_size, compared))
    return cast(div(compared, size), first.dtype)


def _products(
    x: Operand, y: Operand, pixels: list[int], step: int, most: int, apart: int, side: int, around: int
) -> Operand:
    """Return the sums over channels of products, by displacements: [n, displacements, *pixels]."""
    n = type_of(x).shape[0]
    begin = most - around
    starts = tuple(_written(step, letter, "", 0, begin) for letter in "ij")
    moved = tuple(
        _written(step, letter, by, apart, begin - apart * side) for letter, by in (("i", "p"), ("j", "q"))
    )  # fmt: skip
    spec = f"nc{''.join(starts)},nc{''.join(moved)}->npqij"
    d = 2 * side + 1
    products = contract(spec, x, y, {"p": d, "q": d, "i": pixels[0], "j": pixels[1]})
    return reshape(products, (n, d * d, *pixels))


def _written(step: int, letter: str, other: str, apart: int, offset: int) -> str:
    more = f"+{apart}{other}" if other else ""
    return f"[{step}{letter}{more}{offset:+d}]"


def _differences(
    x: Operand, y: Operand, pixels: list[int], step: int, most: int, apart: int, side: int, around: int
) -> Operand:
    """Return the same of absolute differences, whose slope is 1 where there is none, as MXNet's."""
    n, c = type_of(x).shape[:2]
    zero, sides = scalar(0, type_of(x).dtype), (0, 0, around, around)
    x, y = (pad(each, zero, sides, sides) for each in (x, y))
    stops = tuple(most + (count - 1) * step + 1 for count in pixels)
    fixed = slice(x, (0, 0, most, most), (n, c, *stops), (1, 1, step, step))
    d = 2 * side + 1
    for axis, count in ((2, pixels[0]), (4, pixels[1])):
        y = gather(y, _moved((d, count), step, apart, most - apart * side), axis)
    shape = (n, c, d, pixels[0], d, pixels[1])
    mine = broadcast(reshape(fixed, (n, c, 1, pixels[0], 1, pixels[1])), shape)
    differences = sum(where(ge(mine, y), sub(mine, y), sub(y, mine)), (1,))
    return reshape(transpose(differences, (0, 1, 3, 2, 4)), (n, d * d, *pixels))


def _moved(shape: tuple[int, int], step: int, apart: int, begin: int) -> Operand:
    kind = TensorType(shape, int64)
    moved = mul(iota(shape, 0, int64), full(apart, kind))
    return add(add(moved, mul(iota(shape, 1, int64), full(step, kind))), full(begin, kind))
