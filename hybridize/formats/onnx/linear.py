# SPDX-License-Identifier: Apache-2.0
"""Rows of ONNX that multiply and add over axes or windows: products, convolutions, pooling, normalization."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dtypes import float64, is_float
from hybridize.base.types import Shape, same_shape
from hybridize.formats.foreign.arrays import aligned, same_pads
from hybridize.formats.foreign.walk import Application
from hybridize.formats.onnx.vocabulary import ONNX
from hybridize.ops import composites, solutions
from hybridize.ops.library.convolution_layers import LAYOUTS, convolution_layer, with_bias
from hybridize.ops.library.einstein import einsum
from hybridize.ops.library.norms import root
from hybridize.ops.library.pooling import maxima_of_windows, means_of_windows
from hybridize.ops.library.products import matrix_product
from hybridize.ops.op import Operand, type_of
from hybridize.ops.views import wide as widened

Pairs = tuple[tuple[Any, Any], ...]


@ONNX("MatMul")
def matmul(n: Application, x: Operand, y: Operand) -> Operand:
    """The product of matrices, as NumPy has it."""
    return matrix_product(x, y)


@ONNX("Gemm")
def gemm(n: Application, x: Operand, w: Operand, bias: Operand | None = None) -> Operand:
    """Return alpha x w + beta bias, each matrix transposed or not."""
    alpha, beta = n.number("alpha", 1.0), n.number("beta", 1.0)
    left, right = n.flag("transA"), n.flag("transB")
    if type_of(x).ndim != 2 or type_of(w).ndim != 2:
        n.fail(f"it multiplies matrices, not {type_of(x)} and {type_of(w)}")
    plain = right and not left and alpha == 1 and beta == 1
    if (
        plain
        and bias is not None
        and type_of(bias).ndim == 1
        and dims.same(type_of(bias).shape[0], type_of(w).shape[0])
    ):
        return composites.fully_connected(x, w, bias, False)
    dtype = type_of(x).dtype
    total = dtype if is_float(dtype) or (alpha == int(alpha) and beta == int(beta)) else float64
    y = ops.cast(ops.matmul(x, w, left, right), total)
    y = y if alpha == 1 else ops.mul(y, ops.like(alpha, y))
    if bias is None or beta == 0:
        return ops.cast(y, dtype)
    bias = ops.cast(bias, total)
    bias = bias if beta == 1 else ops.mul(bias, ops.like(beta, bias))
    return ops.cast(ops.add(y, aligned(bias, type_of(y).shape)), dtype)


@ONNX("Einsum")
def einstein(n: Application, *xs: Operand) -> Operand:
    """Einstein's sum."""
    return einsum(n.text("equation").replace(" ", ""), xs)


@ONNX("Det")
def determinant(n: Application, x: Operand) -> Operand:
    """The determinants of matrices."""
    dtype = type_of(x).dtype
    return ops.cast(ops.bind(solutions.Det(), ops.cast(x, widened(dtype)))[0], dtype)


# ------------------------------------------------------------------------------------------------------------- windows


def _numbers(n: Application, name: str, rank: int, default: int) -> tuple[int, ...]:
    numbers = n.integers(name, (default,) * rank)
    return numbers if len(numbers) == rank else (default,) * rank


def _pads(
    n: Application, sizes: Shape, kernel: Sequence[Any], strides: Sequence[int], dilations: Sequence[int]
) -> Pairs:
    """The elements before and after each axis, as `pads` or `auto_pad` says."""
    rank = len(sizes)
    auto = n.text("auto_pad", "NOTSET", ("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"))
    pads = n.integers("pads", (0,) * 2 * rank)
    if auto != "NOTSET" and any(pads):
        n.fail(f"it has both auto_pad={auto} and pads={list(pads)}", help="leave one of them out")
    if auto in ("NOTSET", "VALID"):
        if len(pads) != 2 * rank:
            n.fail(f"pads are {list(pads)} for {rank} axes")
        return tuple(zip(pads[:rank], pads[rank:], strict=True))
    pairs = same_pads(sizes, kernel, strides, dilations)
    return pairs if auto == "SAME_UPPER" else tuple((high, low) for low, high in pairs)


def check_kernel(n: Application, w: Operand) -> None:
    """Refuse windows of another shape than the weight has."""
    if n.has("kernel_shape") and not same_shape(n.integers("kernel_shape"), type_of(w).shape[2:]):
        n.fail(f"kernel_shape is {list(n.integers('kernel_shape'))}, the weight is {type_of(w)}")


@ONNX("Conv")
def convolution(n: Application, x: Operand, w: Operand, bias: Operand | None = None) -> Operand:
    """The convolution, plus a bias of each channel."""
    strides, pads, dilations, groups = windows_of(n, x, w)
    if all(dims.same(low, high) for low, high in pads):
        padding = tuple(low for low, _ in pads)
        layout = LAYOUTS[len(pads)][0]
        return convolution_layer(x, w, bias, strides, dilations, padding, groups, layout)
    return with_bias("Convolution", ops.convolution(x, w, strides, pads, dilations, groups), bias, False)


def windows_of(n: Application, x: Operand, w: Operand) -> tuple[Any, Any, Any, int]:
    """Return the strides, pads, dilations and the groups of a convolution."""
    shape, kernel = type_of(x).shape, type_of(w).shape[2:]
    rank = len(kernel)
    check_kernel(n, w)
    strides, dilations = _numbers(n, "strides", rank, 1), _numbers(n, "dilations", rank, 1)
    return strides, _pads(n, shape[2:], kernel, strides, dilations), dilations, n.integer("group", 1)


def _halves(over: Any, upper: bool) -> tuple[Any, Any]:
    """The elements to leave out before and after an axis; where some are missing, they are missing behind it."""
    if not dims.is_symbolic(over) and over < 0:
        return 0, over
    return (over // 2, over - over // 2) if upper else (over - over // 2, over // 2)


@ONNX("ConvTranspose")
def transposed_convolution(n: Application, x: Operand, w: Operand, bias: Operand | None = None) -> Operand:
    """The transposed convolution, plus a bias of each channel."""
    check_kernel(n, w)
    sizes, kernel = type_of(x).shape[2:], type_of(w).shape[2:]
    rank = len(kernel)
    strides, dilations = _numbers(n, "strides", rank, 1), _numbers(n, "dilations", rank, 1)
    more = _numbers(n, "output_padding", rank, 0)
    auto = n.text("auto_pad", "NOTSET")
    wanted: Sequence[Any] = n.integers("output_shape", ())
    if auto.startswith("SAME") and not wanted:
        wanted = [size * step for size, step in zip(sizes, strides, strict=True)]
    axes = zip(sizes, strides, kernel, dilations, more, strict=True)
    whole = [(size - 1) * step + (window - 1) * apart + 1 + extra for size, step, window, apart, extra in axes]
    pairs = [*_pads(n, sizes, kernel, strides, dilations)]
    if wanted:
        over = [size - target for size, target in zip(whole, wanted[-rank:], strict=True)]
        upper = auto == "SAME_UPPER"
        pairs = [_halves(one, upper) for one in over]
    y = ops.transposed_convolution(x, w, strides, tuple(pairs), dilations, n.integer("group", 1), more)
    return with_bias("Deconvolution", y, bias, False)


def _windows(n: Application, x: Operand) -> tuple[Any, ...]:
    """Axes, windows, steps, the elements before and after, and the distances in a window; ends as `ceil_mode` says."""
    shape = type_of(x).shape
    kernel = n.integers("kernel_shape")
    rank = len(kernel)
    strides, dilations = _numbers(n, "strides", rank, 1), _numbers(n, "dilations", rank, 1)
    pads = _pads(n, shape[2:], kernel, strides, dilations)
    highs = []
    for size, window, step, apart, (low, high) in zip(shape[2:], kernel, strides, dilations, pads, strict=True):
        if n.flag("ceil_mode"):
            room = size + low + high - (window - 1) * apart - 1
            count = -(-room // step) + 1
            if (count - 1) * step >= size + low:  # a window that would begin in the padding after
                count = count - 1
            high = dims.maximum(high, (count - 1) * step + (window - 1) * apart + 1 - size - low)
        highs.append(high)
    lows = tuple(low for low, _ in pads)
    return tuple(range(2, 2 + rank)), kernel, strides, lows, tuple(highs), dilations, tuple(high for _, high in pads)


@ONNX("MaxPool")
def max_pool(n: Application, x: Operand) -> Any:
    """The largest element of each window, and its place where that is wanted."""
    axes, kernel, strides, low, high, dilations, _ = _windows(n, x)
    wants_places, by_columns = len(n.node.outputs) > 1 and n.node.outputs[1], n.flag("storage_order")
    y, places = maxima_of_windows(x, axes, kernel, strides, low, high, dilations)
    return (y, _whole_places(x, places, by_columns)) if wants_places else y


def _whole_places(x: Operand, places: Operand, by_columns: bool) -> Operand:
    """Places in the whole array, row by row or column by column, from those in an image."""
    shape, out = type_of(x).shape, type_of(places).shape
    inner = math.prod(shape[2:])
    if by_columns and len(shape) == 4:
        height, width = (ops.like(size, places) for size in shape[2:])
        row, column = ops.floor_div(places, width), ops.mod(places, width)
        places = ops.add(ops.mul(column, height), row)
    image = ops.add(
        ops.mul(ops.iota(out, 0, type_of(places).dtype), ops.like(shape[1], places)),
        ops.iota(out, 1, type_of(places).dtype),
    )
    return ops.add(places, ops.mul(image, ops.like(inner, places)))


@ONNX("AveragePool")
def average_pool(n: Application, x: Operand) -> Operand:
    """The mean of each window."""
    axes, kernel, strides, low, high, dilations, after = _windows(n, x)
    counted = n.flag("count_include_pad")
    if any(step != 1 for step in dilations) or (counted and low != after):
        return _mean_by_convolution(x, kernel, strides, low, high, after, dilations, counted)
    return means_of_windows(x, axes, kernel, strides, low, high, counted)


def _mean_by_convolution(
    x: Operand, kernel: Any, strides: Any, low: Any, high: Any, after: Any, dilations: Any, counted: bool
) -> Operand:
    """Means of windows whose elements stand apart, or that count unequal padding: sums and counts by convolutions."""
    kind = type_of(x)
    images = ops.reshape(x, (kind.shape[0] * kind.shape[1], 1, *kind.shape[2:]))
    ones = ops.full(1, kind.with_shape((1, 1, *kernel)))
    total = ops.convolution(images, ones, strides, tuple(zip(low, high, strict=True)), dilations)
    inside = ops.full(1, kind.with_shape((1, 1, *kind.shape[2:])))
    pairs = tuple(zip(low, high, strict=True))
    if counted:
        wide = (0, 0, *low), (0, 0, *after)
        inside = ops.pad(inside, ops.scalar(1, kind.dtype), *wide)
        pairs = tuple((0, most - own) for most, own in zip(high, after, strict=True))
    count = ops.convolution(inside, ones, strides, pairs, dilations)
    y = ops.div(total, ops.broadcast(count, type_of(total).shape))
    return ops.reshape(y, (*kind.shape[:2], *type_of(y).shape[2:]))


@ONNX("LpPool")
def norm_pool(n: Application, x: Operand) -> Operand:
    """The norm of each window."""
    _, kernel, strides, low, high, dilations, _ = _windows(n, x)
    kind, order = type_of(x), n.integer("p", 2)
    size = ops.abs(x)
    powers = size if order == 1 else ops.mul(x, x) if order == 2 else ops.pow(size, ops.like(order, size))
    images = ops.reshape(powers, (kind.shape[0] * kind.shape[1], 1, *kind.shape[2:]))
    ones = ops.full(1, kind.with_shape((1, 1, *kernel)))
    total = ops.convolution(images, ones, strides, tuple(zip(low, high, strict=True)), dilations)
    return ops.reshape(root(total, order), (*kind.shape[:2], *type_of(total).shape[2:]))


@ONNX("GlobalAveragePool")
def global_average(n: Application, x: Operand) -> Operand:
    """The mean of each channel."""
    return _over_images(composites.mean, x)


@ONNX("GlobalMaxPool")
def global_max(n: Application, x: Operand) -> Operand:
    """The largest element of each channel."""
    return _over_images(ops.reduce_max, x)


def _over_images(fold: Any, x: Operand) -> Operand:
    shape = type_of(x).shape
    return ops.reshape(fold(x, tuple(range(2, len(shape)))), (*shape[:2], *[1] * (len(shape) - 2)))
