# SPDX-License-Identifier: Apache-2.0
"""Images in other sizes, and elements between those of an image, where data say."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from hybridize import ops
from hybridize.base.dims import is_symbolic, same
from hybridize.base.dtypes import is_float
from hybridize.base.errors import CaptureError
from hybridize.base.types import Shape
from hybridize.ops import Operand, interpolation, type_of
from hybridize.ops.library import resizing as resized
from hybridize.ops.library import sampling
from hybridize.torch.functions.rules import expect
from hybridize.torch.functions.table import computes


def _sizes(input: Operand, rank: int, output_size: Any, scales: Sequence[Any]) -> tuple[Shape, Shape, list[Any]]:
    """Return the sizes of images, and those of the result, with the factor of each axis that was said."""
    shape = type_of(input).shape
    expect(len(shape) == rank + 2)
    factors: list[Any] = []
    for one in scales:
        factors += list(one) if isinstance(one, (list, tuple)) else [one]
    factors = factors if len(factors) == rank else [None] * rank
    expect(output_size is not None or None not in factors)
    if output_size is None:
        sizes = tuple(map(_scaled, shape[2:], factors))
    else:
        sizes = tuple(output_size) if isinstance(output_size, (list, tuple)) else (output_size,)
    expect(all(size > 0 for size in (*shape[2:], *sizes)))
    return shape[2:], sizes, factors


def _scaled(size: Any, factor: Any) -> Any:
    """Return a size times a factor, rounded down; of a symbol where the factor is whole."""
    if is_symbolic(size) and float(factor).is_integer():
        return size * int(factor)
    return int(int(size) * float(factor))


MOST_REPEATED = 8
"""The most times that PyTorch surely repeats each element as often as the next: it counts in float32."""


def _nearest(name: str, rank: int, middle: bool) -> None:
    @computes(f"nn.{name}", kinds="fu")
    def entry(input: Operand, output_size: Any = None, scale_factors: Any = None, *scales: Any) -> Operand:
        old, new, factors = _sizes(input, rank, output_size, (scale_factors, *scales))
        times = [count // size for size, count in zip(old, new, strict=True)]
        whole = (
            1 <= t <= MOST_REPEATED and same(t * size, count) and factor in (None, t)
            for t, size, count, factor in zip(times, old, new, factors, strict=True)
        )
        if all(whole):
            return resized.repeated_along(input, {2 + k: t for k, t in enumerate(times)})
        axes = enumerate(zip(old, new, factors, strict=True))
        evenly = rank == 2  # as PyTorch's kernels of images do, and those of one axis and three do not
        return resized.picked(
            input, {2 + k: interpolation.nearest(int(n), int(m), factor, middle, evenly) for k, (n, m, factor) in axes}
        )


def _between(name: str, rank: int, rows: Callable[[int, int, bool, float | None], list[interpolation.Row]]) -> None:
    @computes(f"nn.{name}", kinds="fu")
    def entry(
        input: Operand, output_size: Any = None, align_corners: bool = False, scale_factors: Any = None, *scales: Any
    ) -> Operand:
        if not is_float(type_of(input).dtype):
            kind = type_of(input)
            raise CaptureError("E422", f"interpolation of {kind} cannot be compiled", help="convert it: x.float()")
        old, new, factors = _sizes(input, rank, output_size, (scale_factors, *scales))
        axes = enumerate(zip(old, new, factors, strict=True))
        return resized.resized(
            input, {2 + k: rows(int(n), int(m), align_corners, factor) for k, (n, m, factor) in axes}
        )


def _smoothed(kernel: Callable[[float], float], reach: float) -> Callable[..., list[interpolation.Row]]:
    return functools.partial(interpolation.smoothed, kernel=kernel, reach=reach)


for _rank in (1, 2, 3):
    _nearest(f"upsample_nearest{_rank}d", _rank, False)
    _nearest(f"_upsample_nearest_exact{_rank}d", _rank, True)
for _rank, _name in enumerate(("linear1d", "bilinear2d", "trilinear3d"), 1):
    _between(f"upsample_{_name}", _rank, interpolation.linear)
_between("upsample_bicubic2d", 2, interpolation.cubic)
_between("_upsample_bilinear2d_aa", 2, _smoothed(interpolation.tent, 1))
_between("_upsample_bicubic2d_aa", 2, _smoothed(lambda distance: interpolation.keys(distance, -0.5), 2))


@computes("grid_sampler")
def _grid_sampler(
    input: Operand, grid: Operand, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Operand:
    of, by = type_of(input), type_of(grid)
    expect(of.dtype == by.dtype)
    expect(of.ndim in (4, 5) and by.ndim == of.ndim)
    expect(of.shape[0] == by.shape[0] and by.shape[-1] == of.ndim - 2)
    expect(interpolation_mode != 2 or of.ndim != 5)
    way, border = sampling.WAYS[interpolation_mode], sampling.BORDERS[padding_mode]
    samples = sampling.sampled(input, grid, way, border, align_corners)
    # No slope leads to the points, but torch's result is made of them: their gradient is 0, and not missing.
    return ops.bind(ops.After(), samples, grid)[0] if way == "nearest" else samples


@computes("affine_grid_generator")
def _affine_grid(theta: Operand, size: Sequence[Any], align_corners: bool) -> Operand:
    """Points of an image, from -1 to 1 along each axis, mapped by a matrix for each image."""
    return sampling.affine_grid(theta, tuple(size[2:]), align_corners)
