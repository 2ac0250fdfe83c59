# SPDX-License-Identifier: Apache-2.0
"""Convolutions with bias as users call them: the composites `Convolution` and `Deconvolution`, MXNet's attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hybridize.base import dims
from hybridize.base.errors import ShapeError
from hybridize.base.types import TensorType
from hybridize.ops.arithmetic import add
from hybridize.ops.composite import composite
from hybridize.ops.convolution import convolution, transposed_convolution
from hybridize.ops.op import Operand, type_of
from hybridize.ops.views import broadcast, reshape

LAYOUTS = {1: ("NCW", "NWC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}
"""Channels first and channels last, by the number of axes of windows."""
Numbers = tuple[int, ...]
"""One for each axis of windows."""


def is_channels_last(layout: str) -> bool:
    """Tell whether the channels stand behind the pixels in a layout."""
    return layout.endswith("C")


def weight_shape(first: int, second: int, kernel: Sequence[int], layout: str) -> tuple[int, ...]:
    """Return the shape of a weight: [first, second, windows...], or, channels last, [first, windows..., second].

    Args:
        first: channels of the result; of a transposed convolution, of the input.
        second: the other channels, of one group.
        kernel: the sizes of a window.
        layout: of the input.
    """
    return (first, *kernel, second) if is_channels_last(layout) else (first, second, *kernel)


def padding_towards(
    x: TensorType, w: TensorType, wanted: Numbers, stride: Numbers, dilate: Numbers, layout: str
) -> tuple[Numbers, Numbers]:
    """Return `pad` and `adj` of the deconvolution whose result has the sizes wanted, as MXNet's `target_shape` does.

    Raises:
        ShapeError E175: there are fewer elements without any padding.
    """
    last = is_channels_last(layout)
    pixels, window = (kind.shape[1:-1] if last else kind.shape[2:] for kind in (x, w))
    pad, adj = [], []
    for size, taps, step, space, target in zip(pixels, window, stride, dilate, wanted, strict=True):
        whole = (size - 1) * step + (taps - 1) * space + 1
        if whole < target:
            raise ShapeError(
                "E175",
                f"deconvolution of {x} with weight {w} to target_shape={wanted}: there are {dims.text(whole)} elements "
                f"where {dims.text(target)} are asked for",
                help="use a larger stride or kernel",
            )
        over = whole - target
        pad.append((over + 1) // 2)
        adj.append(over % 2)
    return tuple(pad), tuple(adj)


def of_weight(weight: Operand, bias: Operand | None, layout: str = "", **_: Any) -> Mapping[str, object]:
    """Return the attributes of a convolution that its weight and bias say."""
    stored = type_of(weight).shape
    kernel = stored[1:-1] if is_channels_last(layout) else stored[2:]
    return {"kernel": kernel, "num_filter": stored[0], "no_bias": bias is None}


def _of_transposed(weight: Operand, num_group: int, layout: str, **rest: Any) -> Mapping[str, object]:
    filters = type_of(weight).shape[-1 if is_channels_last(layout) else 1] * num_group
    return {**of_weight(weight, layout=layout, **rest), "num_filter": filters}


@composite("Convolution", of_weight)
def convolution_layer(
    x: Operand,
    weight: Operand,
    bias: Operand | None,
    stride: Numbers,
    dilate: Numbers,
    pad: Numbers,
    num_group: int,
    layout: str,
) -> Operand:
    """Return the convolution of `x`, plus the bias of each channel of the result.

    Args:
        x: as `layout` says: [n, c, i...] or [n, i..., c].
        weight: [o, c / num_group, r...] or [o, r..., c / num_group].
        bias: [o], or None.
        stride: the distance of windows, one number for each axis, as the others.
        dilate: the distance of elements of a window.
        pad: zeros before and after each axis.
        num_group: the parts of c and o; each part of o sees one of c.
        layout: one of `LAYOUTS`.

    Raises:
        ShapeError E174, E175: operands or windows do not fit.
    """
    last = is_channels_last(layout)
    return with_bias("Convolution", convolution(x, weight, stride, pad, dilate, num_group, 1, last), bias, last)


@composite("Deconvolution", _of_transposed)
def deconvolution_layer(
    x: Operand,
    weight: Operand,
    bias: Operand | None,
    stride: Numbers,
    dilate: Numbers,
    pad: Numbers,
    adj: Numbers,
    num_group: int,
    layout: str,
) -> Operand:
    """Return the transposed convolution of `x`, plus the bias of each channel of the result.

    Args:
        x: as `layout` says: [n, c, i...] or [n, i..., c].
        weight: [c, o / num_group, r...] or [c, r..., o / num_group].
        bias: [o], or None.
        stride: the distance, in the result, of what neighbours in x give; one number for each axis, as the others.
        dilate: the distance of elements of a window.
        pad: elements of the result that are left out before and after each axis.
        adj: elements more at the end of each axis.
        num_group: the parts of c and o; each part of o sees one of c.
        layout: one of `LAYOUTS`.

    Raises:
        ShapeError E174, E175: operands do not fit, or nothing is left of an axis.
    """
    last = is_channels_last(layout)
    y = transposed_convolution(x, weight, stride, pad, dilate, num_group, adj, last)
    return with_bias("Deconvolution", y, bias, last)


def with_bias(name: str, y: Operand, bias: Operand | None, last: bool) -> Operand:
    """Add the bias of each channel, which are last or come behind the batch.

    Args:
        name: what is computed, for errors.
        y: images.
        bias: a number for each channel, or None.
        last: True if the channels are.

    Raises:
        ShapeError E174: there are not as many numbers as channels.
    """
    if bias is None:
        return y
    shape = type_of(y).shape
    axis = len(shape) - 1 if last else 1
    if type_of(bias).shape != (shape[axis],):
        raise ShapeError(
            "E174",
            f"{name} to {dims.text(shape[axis])} channels with a bias {type_of(bias)}",
            help=f"it must have the size {dims.text(shape[axis])}",
        )
    along = tuple(size if k == axis else 1 for k, size in enumerate(shape))
    return add(y, broadcast(reshape(bias, along), shape))
