# SPDX-License-Identifier: Apache-2.0
"""Operators of images: convolutions, pooling, padding by an image's own elements, other sizes, places that data say."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from hybridize import ops
from hybridize.base.dims import same
from hybridize.base.dtypes import is_float
from hybridize.base.errors import CaptureError
from hybridize.base.types import Shape, TensorType
from hybridize.ops import Operand, interpolation, type_of
from hybridize.ops.interpolation import Row
from hybridize.ops.library import padding, resizing, sampling
from hybridize.ops.library.convolution_layers import LAYOUTS, convolution_layer, deconvolution_layer
from hybridize.ops.library.pooling import (
    maxima_from,
    maxima_of_parts,
    maxima_of_windows,
    means_of_windows,
    pooling,
    starts_by_numbers,
)
from hybridize.torch.aten.registry import Types, aten

Numbers = tuple[int, ...]


def _each(given: Any, rank: int, default: int | None = None) -> Numbers:
    """A number for each axis of windows; nothing in a list is the default."""
    numbers = tuple(given) if isinstance(given, (list, tuple)) else (given,)
    if not numbers and default is not None:
        numbers = (default,)
    return numbers * rank if len(numbers) == 1 else numbers


@aten("convolution.default")
def _convolution(
    types: Types,
    x: Operand,
    weight: Operand,
    bias: Operand | None,
    stride: Sequence[int],
    pad: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> Operand:
    rank = type_of(x).ndim - 2
    steps, sides, apart = _each(stride, rank), _each(pad, rank), _each(dilation, rank)
    layout = LAYOUTS[rank][0]
    if transposed:
        more = _each(output_padding, rank)
        if any(added >= step and added >= between for added, step, between in zip(more, steps, apart, strict=True)):
            raise CaptureError(
                "E422",
                f"a transposed convolution with output_padding={more}, stride={steps} and dilation={apart}",
                help="output_padding is smaller than the stride or the dilation",
            )
        return deconvolution_layer(x, weight, bias, steps, apart, sides, more, groups, layout)
    return convolution_layer(x, weight, bias, steps, apart, sides, groups, layout)


# Pooling.


def _batched(function: Callable[..., Any], rank: int) -> Callable[..., Any]:
    """Give images without an axis of the batch one of size 1, and take it from the results."""

    @functools.wraps(function)
    def translate(types: Types, x: Operand, *arguments: Any, **keywords: Any) -> Any:
        if type_of(x).ndim == rank + 2:
            return function(types, x, *arguments, **keywords)
        wide = tuple(kind.with_shape((1, *kind.shape)) for kind in types)
        found = function(wide, ops.reshape(x, (1, *type_of(x).shape)), *arguments, **keywords)
        if not isinstance(found, tuple):
            return ops.reshape(found, types[0].shape)
        return tuple(ops.reshape(y, kind.shape) for y, kind in zip(found, types, strict=True))

    return translate


def _behind(types: Types, x: Operand, kernel: Numbers, stride: Numbers, pad: Numbers, dilation: Numbers) -> Numbers:
    """Return how far windows reach beyond the ends of axes, by how many of them PyTorch has."""
    sizes, counts = type_of(x).shape[2:], types[0].shape[2:]
    found = []
    for size, count, window, step, before, apart in zip(sizes, counts, kernel, stride, pad, dilation, strict=True):
        valid = (size + 2 * before - (window - 1) * apart - 1) // step + 1
        if same(count, valid):
            found.append(before)
            continue
        reach = (count - 1) * step + (window - 1) * apart + 1 - size - before
        found.append(reach if reach > 0 else 0)
    return tuple(found)


def _windows(
    types: Types, x: Operand, kernel: Any, stride: Any, pad: Any, dilation: Numbers
) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Return the size of windows, their distance, their size if none is given, and the padding before and after."""
    rank = len(dilation)
    window, sides = _each(kernel, rank), _each(pad, rank)
    steps = _each(stride, rank) if stride not in ([], (), None) else window
    return window, steps, sides, _behind(types, x, window, steps, sides, dilation)


def _maxima(rank: int) -> Callable[..., Any]:
    def translate(
        types: Types,
        x: Operand,
        kernel: Any,
        stride: Any = (),
        pad: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
    ) -> tuple[Operand, Operand]:
        apart = _each(dilation, rank)
        window, steps, sides, behind = _windows(types, x, kernel, stride, pad, apart)
        axes = tuple(range(2, rank + 2))
        values, places = maxima_of_windows(x, axes, window, steps, sides, behind, apart)
        if all(apart[k] == 1 and same(behind[k], sides[k]) for k in range(rank)):
            layout = LAYOUTS[rank][0]
            values = pooling(x, window, "max", False, "valid", steps, sides, None, True, layout)
        return values, places

    return translate


def _means(rank: int) -> Callable[..., Any]:
    def translate(
        types: Types,
        x: Operand,
        kernel: Any,
        stride: Any = (),
        pad: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Operand:
        window, steps, sides, behind = _windows(types, x, kernel, stride, pad, (1,) * rank)
        if divisor_override is None and all(map(same, behind, sides)):
            counted, layout = bool(count_include_pad), LAYOUTS[rank][0]
            return pooling(x, window, "avg", False, "valid", steps, sides, None, counted, layout)
        axes = tuple(range(2, rank + 2))
        return means_of_windows(
            x, axes, window, steps, sides, behind, bool(count_include_pad), divisor_override or None
        )

    return translate


def _none(kind: TensorType, x: Operand) -> Operand:
    """A result without elements, which is made of `x` all the same, whose gradient is 0."""
    return ops.bind(ops.After(), ops.full(0, kind), x)[0]


def _means_of_parts(types: Types, x: Operand, counts: Sequence[int]) -> Operand:
    if any(same(count, 0) for count in types[0].shape[2:]):
        return _none(types[0], x)
    return resizing.means_of_parts(x, types[0].shape[2:])


def _maxima_of_parts(types: Types, x: Operand, counts: Sequence[int]) -> tuple[Operand, Operand]:
    counted = types[0].shape[2:]
    if any(same(count, 0) for count in counted):
        return _none(types[0], x), ops.full(0, types[1])
    return maxima_of_parts(x, tuple(range(2, 2 + len(counted))), counted)


def _fractional(types: Types, x: Operand, kernel: Any, counts: Any, numbers: Operand) -> tuple[Operand, Operand]:
    """The random numbers of an image and channel are for its axes in order, but of two axes for the last one first."""
    sizes, counted = type_of(x).shape[2:], types[0].shape[2:]
    rank, window = len(sizes), _each(kernel, len(sizes))
    lead = type_of(x).shape[:2]
    starts = []
    for k in range(rank):
        column = rank - 1 - k if rank == 2 else k
        number = ops.slice(numbers, (0, 0, column), (*lead, column + 1), (1, 1, 1))
        starts.append(starts_by_numbers(ops.reshape(number, lead), sizes[k], counted[k], window[k]))
    return maxima_from(x, starts, window)


for _rank in (2, 3):
    aten(f"fractional_max_pool{_rank}d.default")(_batched(_fractional, _rank))
    aten(f"max_pool{_rank}d_with_indices.default")(_batched(_maxima(_rank), _rank))
    aten(f"avg_pool{_rank}d.default")(_batched(_means(_rank), _rank))
    # Whole, as PyTorch's own decomposition restrides what it makes of images in channels last.
    aten(f"adaptive_avg_pool{_rank}d.default", f"_adaptive_avg_pool{_rank}d.default")(_batched(_means_of_parts, _rank))
    aten(f"adaptive_max_pool{_rank}d.default")(_batched(_maxima_of_parts, _rank))


# Padding.


def _padded(mode: str) -> Callable[..., Operand]:
    def translate(types: Types, x: Operand, pad: Sequence[int]) -> Operand:
        last = type_of(x).ndim - 1
        for k in range(len(pad) // 2):
            before, after = pad[2 * k], pad[2 * k + 1]
            if before or after:
                x = _one_padded(x, last - k, before, after, mode)
        return x

    return translate


def _one_padded(x: Operand, axis: int, before: int, after: int, mode: str) -> Operand:
    """Padding below 0 leaves elements out: before others are put around what is left where it wraps, else after it."""
    shape = type_of(x).shape
    if (mode == "wrap" and (before < 0 or after < 0)) or (before <= 0 and after <= 0):
        starts = tuple(max(0, -before) if k == axis else 0 for k in range(len(shape)))
        stops = tuple(size - max(0, -after) if k == axis else size for k, size in enumerate(shape))
        x = ops.slice(x, starts, stops, (1,) * len(shape))
        before, after = max(0, before), max(0, after)
    elif before < 0 or after < 0:
        more = padding.padded(x, axis, max(0, before), max(0, after), mode)
        return _one_padded(more, axis, min(0, before), min(0, after), mode)
    return padding.padded(x, axis, before, after, mode) if before or after else x


aten("reflection_pad1d.default", "reflection_pad2d.default", "reflection_pad3d.default")(_padded("reflect"))
aten("replication_pad1d.default", "replication_pad2d.default", "replication_pad3d.default")(_padded("edge"))
aten("_pad_circular.default")(_padded("wrap"))


# Other sizes.


def _said(rank: int, given: Sequence[Any]) -> list[float | None]:
    """The scale of each axis, if it was said: one list, a number for each axis, or nothing."""
    numbers: list[float | None] = []
    for one in given:
        numbers += one if isinstance(one, (list, tuple)) else [one]
    return numbers if len(numbers) == rank else [None] * rank


def _some(sizes: Shape) -> Shape:
    """Return the sizes of an interpolated image, which has elements."""
    if any(same(size, 0) for size in sizes):
        raise CaptureError(
            "E422", f"interpolation to the sizes {sizes}", help="a larger scale_factor: sizes are from 1"
        )
    return sizes


def _nearest(middle: bool) -> Callable[..., Operand]:
    def translate(types: Types, x: Operand, size: Any, *given: Any) -> Operand:
        old, new = type_of(x).shape[2:], _some(types[0].shape[2:])
        scales = _said(len(new), given)
        times = [count // size for size, count in zip(old, new, strict=True)]
        whole = (
            1 <= t <= MOST_REPEATED and same(t * size, count) and scale in (None, t)
            for t, size, count, scale in zip(times, old, new, scales, strict=True)
        )
        if all(whole):
            return resizing.repeated_along(x, {2 + k: t for k, t in enumerate(times)})
        axes = enumerate(zip(old, new, scales, strict=True))
        evenly = len(new) == 2  # as PyTorch's kernels of images do, and those of one axis and three do not
        return resizing.picked(
            x, {2 + k: interpolation.nearest(int(n), int(m), scale, middle, evenly) for k, (n, m, scale) in axes}
        )

    return translate


MOST_REPEATED = 8
"""The most times that PyTorch surely repeats each element as often as the next: it counts in float32."""

Rows = Callable[[int, int, bool, float | None], list[Row]]


def _interpolated(rows: Rows) -> Callable[..., Operand]:
    def translate(types: Types, x: Operand, size: Any, corners: bool, *given: Any) -> Operand:
        if not is_float(type_of(x).dtype):
            raise CaptureError("E422", f"interpolation of {type_of(x)} cannot be compiled", help="x.float() before it")
        old, new = type_of(x).shape[2:], _some(types[0].shape[2:])
        axes = enumerate(zip(old, new, _said(len(new), given), strict=True))
        return resizing.resized(x, {2 + k: rows(int(n), int(m), corners, scale) for k, (n, m, scale) in axes})

    return translate


def _smoothed(kernel: Callable[[float], float], reach: float) -> Rows:
    return lambda size, count, corners, scale: interpolation.smoothed(size, count, corners, scale, kernel, reach)


def _keys(distance: float) -> float:
    return interpolation.keys(distance, -0.5)


def _named(translation: Callable[..., Operand], *names: str) -> None:
    aten(*(f"{name}.{overload}" for name in names for overload in ("default", "vec")))(translation)


_named(_nearest(False), "upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d")
_named(_nearest(True), "_upsample_nearest_exact1d", "_upsample_nearest_exact2d", "_upsample_nearest_exact3d")
_named(_interpolated(interpolation.linear), "upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d")
_named(_interpolated(interpolation.cubic), "upsample_bicubic2d")
_named(_interpolated(_smoothed(interpolation.tent, 1)), "_upsample_bilinear2d_aa")
_named(_interpolated(_smoothed(_keys, 2)), "_upsample_bicubic2d_aa")


@aten("grid_sampler_2d.default", "grid_sampler_3d.default")
def _grid_sampler(types: Types, x: Operand, grid: Operand, way: int, border: int, corners: bool) -> Operand:
    found = sampling.sampled(x, grid, sampling.WAYS[way], sampling.BORDERS[border], corners)
    if sampling.WAYS[way] == "nearest":
        # No slope leads to the points, but PyTorch's result is made of them: their gradient is 0, and not missing.
        return ops.bind(ops.After(), found, grid)[0]
    return found
