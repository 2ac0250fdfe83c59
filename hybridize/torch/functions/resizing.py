# SPDX-License-Identifier: Apache-2.0
"""Images in other sizes, and elements between those of an image, where data say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridize import ops
from hybridize.base.dims import is_symbolic
from hybridize.base.types import Shape, TensorType
from hybridize.ops import Operand, type_of
from hybridize.torch.functions.linear import einsum_of
from hybridize.torch.functions.operands import operand
from hybridize.torch.functions.rules import aten, expect
from hybridize.torch.functions.table import computes


def _sizes(name: str, input: Operand, rank: int, output_size: Any, scales: Sequence[Any]) -> tuple[Shape, list[Any]]:
    """Return the sizes of the result, and the factor of each axis that was said."""
    shape = type_of(input).shape
    expect(len(shape) == rank + 2)
    factors: list[Any] = []
    for one in scales:
        factors += list(one) if isinstance(one, (list, tuple)) else [one]
    factors = factors if len(factors) == rank else [None] * rank
    if output_size is not None:
        sizes = tuple(output_size) if isinstance(output_size, (list, tuple)) else (output_size,)
        return (*shape[:2], *sizes), factors
    expect(None not in factors)
    return (*shape[:2], *map(_scaled, shape[2:], factors)), factors


def _scaled(size: Any, factor: Any) -> Any:
    """Return a size times a factor, rounded down; of a symbol where the factor is whole."""
    if is_symbolic(size) and float(factor).is_integer():
        return size * int(factor)
    return int(int(size) * float(factor))


def _nearest(name: str, rank: int) -> None:
    @computes(f"nn.{name}", kinds="fu")
    def entry(input: Operand, output_size: Any = None, scale_factors: Any = None, *scales: Any) -> Operand:
        shape, factors = _sizes(name, input, rank, output_size, (scale_factors, *scales))
        return aten(f"{name}.vec", type_of(input).with_shape(shape), input, shape[2:], factors)


def _between(name: str, rank: int) -> None:
    @computes(f"nn.{name}", kinds="fu")
    def entry(
        input: Operand, output_size: Any = None, align_corners: bool = False, scale_factors: Any = None, *scales: Any
    ) -> Operand:
        shape, factors = _sizes(name, input, rank, output_size, (scale_factors, *scales))
        return aten(f"{name}.vec", type_of(input).with_shape(shape), input, shape[2:], align_corners, factors)


for _rank in (1, 2, 3):
    _nearest(f"upsample_nearest{_rank}d", _rank)
    _nearest(f"_upsample_nearest_exact{_rank}d", _rank)
for _name in ("upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d", "upsample_bicubic2d",
              "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"):  # fmt: skip
    _between(_name, int(next(letter for letter in _name if letter.isdigit())))


@computes("grid_sampler")
def _grid_sampler(
    input: Operand, grid: Operand, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Operand:
    of, by = type_of(input), type_of(grid)
    expect(of.dtype == by.dtype)
    expect(of.ndim in (4, 5) and by.ndim == of.ndim)
    expect(of.shape[0] == by.shape[0] and by.shape[-1] == of.ndim - 2)
    expect(interpolation_mode != 2 or of.ndim != 5)
    result = of.with_shape((*of.shape[:2], *by.shape[1:-1]))
    name = f"grid_sampler_{of.ndim - 2}d.default"
    return aten(name, result, input, grid, interpolation_mode, padding_mode, align_corners)


@computes("affine_grid_generator")
def _affine_grid(theta: Operand, size: Sequence[Any], align_corners: bool) -> Operand:
    """Points of an image, from -1 to 1 along each axis, mapped by a matrix for each image."""
    dtype = type_of(theta).dtype
    sizes = tuple(size[2:])
    columns = [_points(sizes, axis, TensorType(sizes, dtype), align_corners) for axis in reversed(range(len(sizes)))]
    ones = operand(1, dtype, sizes)
    points = ops.concat(*(ops.reshape(one, (*sizes, 1)) for one in (*columns, ones)), axis=len(sizes))
    letters = "hwd"[: len(sizes)]
    return einsum_of(f"{letters}k,nik->n{letters}i", points, theta)


def _points(sizes: Shape, axis: int, kind: TensorType, corners: bool) -> Operand:
    count = sizes[axis]
    if corners and count == 1:
        return operand(0, kind.dtype, kind.shape)
    number = ops.cast(ops.iota(sizes, axis, kind.dtype), kind.dtype)
    if not corners:
        number = ops.add(number, ops.like(0.5, number))
    whole = operand(count - 1 if corners else count, kind.dtype, kind.shape)
    return ops.sub(ops.div(ops.mul(number, ops.like(2, number)), whole), ops.like(1, number))
