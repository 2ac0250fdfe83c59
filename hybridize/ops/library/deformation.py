# SPDX-License-Identifier: Apache-2.0
"""Images read at places that are data: between pixels, by grids and affine maps, by convolutions whose windows bend.

A place is a row and a column, in pixels, and need not be whole: what is read there is interpolated between the four
nearest pixels (bilinear sampling). Gradients reach the image and the places.
"""

from __future__ import annotations

import numpy

from hybridize.base import dims
from hybridize.base.dtypes import int64
from hybridize.base.errors import ShapeError
from hybridize.base.frozen import frozen
from hybridize.base.types import Shape, TensorType
from hybridize.ops.analysis import isfinite
from hybridize.ops.arithmetic import add, bit_and, div, ge, lt, min, mul, sub, where
from hybridize.ops.composite import composite
from hybridize.ops.contract import contract
from hybridize.ops.convolution import windows_along
from hybridize.ops.library.convolution_layers import of_weight, with_bias
from hybridize.ops.library.sampling import interpolated, reader
from hybridize.ops.op import Operand, constant, type_of
from hybridize.ops.slicing import concat, iota, slice
from hybridize.ops.views import broadcast, cast, full, like, reshape, wide

_BEYOND = -2
"""A place that is no number is where no neighbour is a pixel."""
Pair = tuple[int, int]
"""Of rows and of columns."""


def _at(x: Operand, rows: Operand, columns: Operand) -> Operand:
    """Return `x` [n, c, h, w] at places [n, p]: [n, c, p]; what lies beyond the pixels is 0."""
    height, width = type_of(x).shape[2:]
    if dims.same(height * width, 0):
        raise ShapeError("E182", f"an image {type_of(x)} has no pixels to sample", help="give larger images")
    places = [where(isfinite(place), place, like(_BEYOND, place)) for place in (rows, columns)]
    return interpolated(reader(x, type_of(rows).shape[1:], True), places)


def _for_channels(x: Operand, shape: Shape) -> Operand:
    """The same [n, p] for every channel."""
    n, p = type_of(x).shape
    return broadcast(reshape(x, (n, 1, p)), shape)


@composite("BilinearSampler")
def bilinear_sampler(x: Operand, grid: Operand) -> Operand:
    """Images [n, c, h, w] at the places of a grid [n, 2, y, x], columns before rows: [n, c, y, x].

    Places go from -1, the first pixel, to 1, the last one. What lies beyond is 0.

    Raises:
        ShapeError E182: they do not fit together.
    """
    kind, places = type_of(x), type_of(grid)
    if kind.ndim != 4 or places.ndim != 4 or places.shape[1] != 2 or places.shape[0] != kind.shape[0]:
        raise ShapeError(
            "E182",
            f"BilinearSampler of {kind} at {places}",
            help="images are [batch, channels, height, width]; the grid is [batch, 2, height, width], columns first, "
            "then rows",
        )
    n, c, h, w = kind.shape
    _, _, rows, columns = places.shape
    total = wide(kind.dtype)

    def pixels(which: int, size: int) -> Operand:
        part = slice(grid, (0, which, 0, 0), (n, which + 1, rows, columns), (1, 1, 1, 1))
        place = cast(reshape(part, (n, rows * columns)), total)
        return mul(add(place, like(1, place)), div(full(size - 1, type_of(place)), like(2, place)))

    samples = _at(cast(x, total), pixels(1, h), pixels(0, w))
    return cast(reshape(samples, (n, c, rows, columns)), kind.dtype)


@composite("GridGenerator")
def grid_generator(data: Operand, transform_type: str, target_shape: Pair) -> Operand:
    """The grid of an affine map, or of a flow, as `bilinear_sampler` takes it: [n, 2, h, w].

    Args:
        data: "affine": [n, 6], of each image the rows of a matrix [2, 3], by which (column, row, 1) is multiplied;
            "warp": [n, 2, h, w], by how many pixels each place is moved.
        transform_type: "affine" or "warp".
        target_shape: h and w of "affine".

    Raises:
        ShapeError E182: the data have another shape.
    """
    kind = type_of(data)
    total = wide(kind.dtype)
    x = cast(data, total)
    if transform_type == "affine":
        if kind.ndim != 2 or kind.shape[1] != 6:
            raise ShapeError("E182", f"GridGenerator by 'affine' of {kind}", help="give [batch, 6], 2 × 3 matrices")
        h, w = target_shape
        points = TensorType((1, h, w), total)
        base = concat(_from_minus_one(points, 2), _from_minus_one(points, 1), full(1, points), axis=0)
        theta = reshape(x, (kind.shape[0], 2, 3))
        grid = contract("nij,jp->nip", theta, reshape(base, (3, h * w)), {})
        return cast(reshape(grid, (kind.shape[0], 2, h, w)), kind.dtype)
    if kind.ndim != 4 or kind.shape[1] != 2:
        raise ShapeError(
            "E182",
            f"GridGenerator by 'warp' of {kind}",
            help="the input is [batch, 2, height, width], columns first, then rows",
        )
    n, _, h, w = kind.shape
    parts = []
    for which, axis in ((0, 3), (1, 2)):
        moved = slice(x, (0, which, 0, 0), (n, which + 1, h, w), (1, 1, 1, 1))
        last = full(dims.maximum(kind.shape[axis] - 1, 1), type_of(moved))
        scaled = div(mul(moved, like(2, moved)), last)
        parts.append(add(scaled, _from_minus_one(type_of(moved), axis)))
    return cast(concat(*parts, axis=1), kind.dtype)


def _from_minus_one(kind: TensorType, axis: int) -> Operand:
    """Numbers from -1 to 1 along an axis."""
    last = full(dims.maximum(kind.shape[axis] - 1, 1), kind)
    numbers = cast(iota(kind.shape, axis, int64), kind.dtype)
    return sub(div(mul(numbers, like(2, numbers)), last), like(1, numbers))


@composite("SpatialTransformer", lambda **_: {"transform_type": "affine", "sampler_type": "bilinear"})
def spatial_transformer(x: Operand, loc: Operand, target_shape: Pair) -> Operand:
    """Images [n, c, h, w] seen through affine maps `loc` [n, 6]: [n, c, *target_shape].

    Raises:
        ShapeError E182: they do not fit together.
    """
    return bilinear_sampler(x, grid_generator(loc, "affine", target_shape))


@composite("_contrib_DeformableConvolution", of_weight)
def deformable_convolution(
    x: Operand,
    offset: Operand,
    weight: Operand,
    bias: Operand | None,
    stride: Pair,
    dilate: Pair,
    pad: Pair,
    num_group: int,
    num_deformable_group: int,
) -> Operand:
    """A convolution of which each element of each window lies where `offset` moves it.

    Args:
        x: [n, c, h, w].
        offset: [n, 2 num_deformable_group r s, y, x]: by how many pixels each of the r s elements of a window is moved,
            its row and its column, for each part of the channels.
        weight: [o, c / num_group, r, s].
        bias: [o], or None.
        stride: the distance of windows.
        dilate: the distance of elements of a window.
        pad: zeros before and after each axis: what is beyond the pixels is 0.
        num_group: the parts of c and o; each part of o sees one of c.
        num_deformable_group: the parts of c that share their offsets.

    Raises:
        ShapeError E174: operands do not fit; E175: a window does not fit into an image.
    """
    form = _Windows("deformable convolution", stride, dilate, pad, num_group, num_deformable_group)
    return _deformed(form, x, offset, None, weight, bias)


@composite("_contrib_ModulatedDeformableConvolution", of_weight)
def modulated_deformable_convolution(
    x: Operand,
    offset: Operand,
    mask: Operand,
    weight: Operand,
    bias: Operand | None,
    stride: Pair,
    dilate: Pair,
    pad: Pair,
    num_group: int,
    num_deformable_group: int,
) -> Operand:
    """The same, each element of each window multiplied by one of `mask` [n, num_deformable_group r s, y, x].

    Between the outermost pixels and one pixel further out it falls to 0, where the other one is 0 already.
    """
    form = _Windows("modulated deformable convolution", stride, dilate, pad, num_group, num_deformable_group)
    return _deformed(form, x, offset, mask, weight, bias)


@frozen
class _Windows:
    """The windows of a convolution before they are bent, and its name, for errors."""

    name: str
    stride: Pair
    dilate: Pair
    pad: Pair
    groups: int
    parts: int
    """Of the channels, each with offsets of its own."""


def _deformed(
    form: _Windows, x: Operand, offset: Operand, mask: Operand | None, weight: Operand, bias: Operand | None
) -> Operand:
    kind = type_of(x)
    sizes = _checked(form, x, offset, mask, weight)
    groups, parts = form.groups, form.parts
    n, c, h, w = kind.shape
    o, _, r, s = type_of(weight).shape
    taps, pixels, total = r * s, sizes[0] * sizes[1], wide(kind.dtype)
    moved = reshape(cast(offset, total), (n, parts, taps, 2, *sizes))
    places = []
    for which, size in enumerate(kind.shape[2:]):
        part = slice(moved, (0, 0, 0, which, 0, 0), (n, parts, taps, which + 1, *sizes), (1,) * 6)
        part = reshape(part, (n, parts, taps, *sizes))
        step = numpy.indices((int(r), int(s)))[which].reshape(1, 1, -1, 1, 1) * form.dilate[which]
        first = iota((1, 1, 1, sizes[0], 1) if which == 0 else (1, 1, 1, 1, sizes[1]), 3 + which, int64)
        begin = sub(mul(first, full(form.stride[which], type_of(first))), full(form.pad[which], type_of(first)))
        whole = (1, 1, taps, *sizes)
        place = add(broadcast(constant(step), whole), broadcast(begin, whole))
        place = add(broadcast(cast(place, total), (n, parts, taps, *sizes)), part)
        places.append((reshape(place, (n * parts, taps * pixels)), size))
    image = reshape(cast(x, total), (n * parts, c // parts, h, w))
    if mask is None:  # beyond the outermost pixels there is nothing, up to the last one the image goes on
        inside: Operand | None = None
        nearest = []
        for place, size in places:
            end = full(size, type_of(place))
            one = bit_and(ge(place, like(0, place)), lt(place, end))
            inside = one if inside is None else bit_and(inside, one)
            nearest.append(min(place, sub(end, like(1, place))))
        samples = _at(image, *nearest)
        assert inside is not None
        samples = where(_for_channels(inside, type_of(samples).shape), samples, like(0, samples))
    else:
        samples = _at(image, *(place for place, _ in places))
        factor = reshape(cast(mask, total), (n * parts, taps * pixels))
        samples = mul(samples, _for_channels(factor, type_of(samples).shape))
    terms = c // groups * taps
    y = contract(
        "ngkp,gok->ngop",
        reshape(samples, (n, groups, terms, pixels)),
        reshape(cast(weight, total), (groups, o // groups, terms)),
        {},
    )
    return with_bias(form.name, cast(reshape(y, (n, o, *sizes)), kind.dtype), bias, False)


def _checked(form: _Windows, x: Operand, offset: Operand, mask: Operand | None, weight: Operand) -> Shape:
    """Return height and width of the result."""
    kind, stored = type_of(x), type_of(weight)
    groups, parts = form.groups, form.parts
    what = f"{form.name} of {kind} with weight {stored}"
    if kind.ndim != 4 or stored.ndim != 4:
        raise ShapeError("E174", what, help="images [n, c, h, w] and a weight [o, c / groups, r, s]")
    n, c, h, w = kind.shape
    o, inner, r, s = stored.shape
    if c % groups or o % groups or c // groups != inner or c % parts:
        raise ShapeError(
            "E174",
            f"{what} in {groups} groups, {parts} parts of the channels with offsets of their own",
            help="groups divide both numbers of channels, the parts those of x, and the weight is "
            "[o, c / groups, r, s]",
        )
    numbers = enumerate(zip((h, w), (r, s), form.stride, form.dilate, form.pad, strict=True), 2)
    sizes = tuple(
        windows_along(lambda: what, axis, size + 2 * side, taps, step, space)
        for axis, (size, taps, step, space, side) in numbers
    )
    for operand, count, name in ((offset, 2 * parts * r * s, "offsets"), (mask, parts * r * s, "a mask")):
        if operand is not None and type_of(operand).shape != (n, count, *sizes):
            wanted = TensorType((n, count, *sizes), type_of(operand).dtype)
            raise ShapeError("E174", f"{what} and {name} {type_of(operand)}", help=f"it must be {wanted}")
    return sizes
