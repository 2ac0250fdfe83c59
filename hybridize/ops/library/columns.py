# SPDX-License-Identifier: Apache-2.0
"""Windows of images as columns of a matrix and back (im2col, col2im), and sums over windows of channels (LRN)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

from hybridize.base import dims
from hybridize.base.dtypes import is_float
from hybridize.base.errors import ArgumentError, DTypeError, ShapeError
from hybridize.base.types import Shape, TensorType
from hybridize.ops.arithmetic import add, mul
from hybridize.ops.composite import composite
from hybridize.ops.convolution import windows_along
from hybridize.ops.op import Operand, scalar, type_of
from hybridize.ops.powers import pow
from hybridize.ops.slicing import concat, pad, slice, update_slice
from hybridize.ops.views import cast, full, like, reshape, wide
from hybridize.ops.windows import window_sum

Numbers = tuple[int, ...]
"""One for each axis of windows."""


@composite("im2col")
def im2col(x: Operand, kernel: Numbers, stride: Numbers, dilate: Numbers, padding: Numbers) -> Operand:
    """Return the windows of [n, c, i...] as columns: [n, c * elements of a window, windows].

    Raises:
        ShapeError E175: a window does not fit into the image with its padding.
    """
    kind = type_of(x)
    sizes = _counts("im2col", kind, kind.shape[2:], kernel, stride, dilate, padding)
    n, c = kind.shape[:2]
    around = pad(x, scalar(0, kind.dtype), (0, 0, *padding), (0, 0, *padding))
    parts = []
    for starts, stops in _taps(sizes, kernel, stride, dilate):
        part = slice(around, (0, 0, *starts), (n, c, *stops), (1, 1, *stride))
        parts.append(reshape(part, (n, c, 1, *sizes)))
    return reshape(concat(*parts, axis=2), (n, c * len(parts), math.prod(sizes)))


@composite("col2im")
def col2im(
    x: Operand, output_size: Numbers, kernel: Numbers, stride: Numbers, dilate: Numbers, padding: Numbers
) -> Operand:
    """Add up columns [n, c * elements of a window, windows] where their elements were in an image [n, c, *output_size].

    Raises:
        ShapeError E174: there are other columns than windows; E175: a window does not fit.
    """
    kind = type_of(x)
    sizes = _counts("col2im", kind, output_size, kernel, stride, dilate, padding)
    taps = list(_taps(sizes, kernel, stride, dilate))
    if kind.ndim != 3 or kind.shape[1] % len(taps) or kind.shape[2] != math.prod(sizes):
        raise ShapeError(
            "E174",
            f"col2im of {kind} to output_size={output_size} with kernel={kernel}",
            help=f"it is [batch, channels * {len(taps)}, {dims.text(math.prod(sizes))}], a column for each window",
        )
    n, c = kind.shape[0], kind.shape[1] // len(taps)
    around = tuple(size + 2 * side for size, side in zip(output_size, padding, strict=True))
    columns = reshape(x, (n, c, len(taps), *sizes))
    rank, total = len(sizes), None
    for number, (starts, stops) in enumerate(taps):
        part = slice(columns, (0, 0, number, *(0,) * rank), (n, c, number + 1, *sizes), (1,) * (3 + rank))
        base = full(0, TensorType((n, c, *around), kind.dtype))
        part = reshape(part, (n, c, *sizes))
        placed = update_slice(base, part, (0, 0, *starts), (n, c, *stops), (1, 1, *stride))
        total = placed if total is None else add(total, placed)
    assert total is not None
    inner = tuple(side + size for side, size in zip(padding, output_size, strict=True))
    return slice(total, (0, 0, *padding), (n, c, *inner), (1,) * (2 + rank))


def _taps(sizes: Shape, kernel: Numbers, stride: Numbers, dilate: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
    """For each element of a window, the first and the end of its places in the padded image."""
    for place in itertools.product(*map(range, kernel)):
        starts = tuple(k * space for k, space in zip(place, dilate, strict=True))
        yield (
            starts,
            tuple(first + (size - 1) * step + 1 for first, size, step in zip(starts, sizes, stride, strict=True)),
        )


def _counts(
    name: str, kind: TensorType, pixels: Shape, kernel: Numbers, stride: Numbers, dilate: Numbers, padding: Numbers
) -> Shape:
    """Return the number of windows along each axis."""
    return tuple(
        windows_along(lambda: f"{name} of {kind} with kernel={kernel}", 2 + axis, size + 2 * side, taps, step, space)
        for axis, (size, taps, step, space, side) in enumerate(
            zip(pixels, kernel, stride, dilate, padding, strict=True)
        )
    )


@composite("LRN")
def local_response_norm(x: Operand, alpha: float, beta: float, knorm: float, nsize: int) -> Operand:
    """Divide by (knorm + alpha / nsize * sum of squares of nsize channels around each)**beta.

    Args:
        x: [n, c, i...].
        alpha: weight of the squares.
        beta: exponent.
        knorm: what is added to the squares.
        nsize: the number of channels, odd.

    Raises:
        ArgumentError E399: `nsize` is even, or below 1.
        DTypeError E239: integers.
        ShapeError E182: there are no channels.
    """
    kind = type_of(x)
    if nsize < 1 or nsize % 2 == 0:
        raise ArgumentError("E399", f"LRN with nsize={nsize}", help="nsize must be odd: equally many on either side")
    if not is_float(kind.dtype):
        raise DTypeError("E239", f"LRN of {kind}", help='cast it first: x.astype("float32")')
    if kind.ndim < 2:
        raise ShapeError("E182", f"LRN of {kind}", help="the input is [batch, channels, image...]")
    y = cast(x, wide(kind.dtype))
    rest = kind.ndim - 2
    side, none = nsize // 2, (0,) * rest
    window, ones = (1, nsize, *(1,) * rest), (1,) * kind.ndim
    total = window_sum(mul(y, y), window, ones, (0, side, *none), (0, side, *none))
    base = add(mul(total, like(alpha / nsize, total)), like(knorm, total))
    return cast(mul(y, pow(base, like(-beta, base))), kind.dtype)
