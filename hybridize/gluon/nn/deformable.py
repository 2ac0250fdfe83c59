# SPDX-License-Identifier: Apache-2.0
"""Convolutions whose windows bend: a convolution of the image says where each element of each window lies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from hybridize.array import npx
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.gluon.hybrid_block import HybridBlock
from hybridize.gluon.nn.activations import Activation
from hybridize.gluon.parameter import UNKNOWN, Parameter
from hybridize.ops.convolution import each_axis

Numbers = int | Sequence[int]
"""One number for both axes of windows, or one for each."""


class DeformableConvolution(HybridBlock):
    """Convolution of images [n, c, h, w] whose windows bend, plus a bias.

    Where each element of each window lies is computed from the image, by a convolution with the same windows whose
    parameters are `offset_weight` and `offset_bias`. These begin as zeros: then the layer is a `Conv2D`.

    Args:
        channels: number of channels of the result.
        kernel_size: the size of a window, one number for both axes or one for each, as the others.
        strides: the distance of windows.
        padding: zeros before and after each axis.
        dilation: the distance of elements of a window.
        groups: the parts of the channels; each part of the result sees one of the input.
        num_deformable_group: the parts of the input's channels that have offsets of their own.
        layout: NCHW.
        use_bias: whether there is a bias.
        in_channels: number of channels of the input; 0: taken from the first input.
        activation: name of an activation, or None.
        weight_initializer: initializer of `deformable_conv_weight`, [channels, in_channels / groups, window...].
        bias_initializer: initializer of `deformable_conv_bias`, [channels].
        offset_weight_initializer: initializer of `offset_weight`.
        offset_bias_initializer: initializer of `offset_bias`.
        offset_use_bias: whether the convolution of offsets has a bias.
        op_name: accepted for MXNet.
        adj: accepted for MXNet.

    Raises:
        ArgumentError E331: an argument that is not one of these; E398: a number that is missing or too small.
    """

    offset_weight: Parameter
    offset_bias: Parameter | None
    deformable_conv_weight: Parameter
    deformable_conv_bias: Parameter | None

    _each = 2
    """Numbers that the convolution of offsets gives for each element of a window."""

    def __init__(
        self,
        channels: int,
        kernel_size: Numbers = (1, 1),
        strides: Numbers = (1, 1),
        padding: Numbers = (0, 0),
        dilation: Numbers = (1, 1),
        groups: int = 1,
        num_deformable_group: int = 1,
        layout: str = "NCHW",
        use_bias: bool = True,
        in_channels: int = 0,
        activation: str | None = None,
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        offset_weight_initializer: Any = "zeros",
        offset_bias_initializer: Any = "zeros",
        offset_use_bias: bool = True,
        op_name: str | None = None,
        adj: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        name = type(self).__name__
        if not isinstance(channels, (int, numpy.integer)) or channels <= 0:
            what = f"channels of {name} must be a positive integer, got {channels!r}"
            raise ArgumentError("E331", what, help="only in_channels may be left open")
        if layout != "NCHW":
            what = f"layout of {name} must be 'NCHW', got {layout!r}"
            raise ArgumentError("E331", what, help="turn the image: np.moveaxis(x, -1, 1)")
        self._channels, self._groups, self._parts = int(channels), groups, num_deformable_group
        self._kernel = each_axis(name, "kernel_size", kernel_size, 2)
        self._strides = each_axis(name, "strides", strides, 2)
        self._padding = each_axis(name, "padding", padding, 2, 0, 0)
        self._dilation = each_axis(name, "dilation", dilation, 2)
        each_axis(name, "groups", groups, 1)
        each_axis(name, "num_deformable_group", num_deformable_group, 1)
        if channels % groups or in_channels % groups or in_channels % num_deformable_group:
            what = f"{name} from {in_channels or 'any number of'} to {channels} channels in {groups} groups"
            help = f"groups divide both numbers of channels, and num_deformable_group={num_deformable_group} the first"
            raise ArgumentError("E331", what, help=help)
        self._offsets = self._each * num_deformable_group * self._kernel[0] * self._kernel[1]
        shapes = self._shapes(in_channels)
        for key, used, init in (
            ("offset_weight", True, offset_weight_initializer),
            ("offset_bias", offset_use_bias, offset_bias_initializer),
            ("deformable_conv_weight", True, weight_initializer),
            ("deformable_conv_bias", use_bias, bias_initializer),
        ):
            made = self.params.get(key, shape=shapes[key], init=init, allow_deferred_init=True) if used else None
            setattr(self, key, made)
        self.act = None
        if activation is not None:
            with self.name_scope():
                self.act = Activation(activation)

    def _alias(self) -> str:
        return type(self).__name__.lower()

    def _shapes(self, in_channels: int) -> dict[str, tuple[int, ...]]:
        """Return the shapes of the parameters; 0 channels are not known yet."""
        return {
            "offset_weight": (self._offsets, in_channels, *self._kernel),
            "offset_bias": (self._offsets,),
            "deformable_conv_weight": (self._channels, in_channels // self._groups, *self._kernel),
            "deformable_conv_bias": (self._channels,),
        }

    def infer_shape(self, x: Any) -> None:
        name = type(self).__name__
        if x.ndim != 4:
            raise ShapeError(
                "E174",
                f"{name} needs an input of 4 axes (NCHW), got {x.type}",
                help="np.expand_dims(x, 0) makes a batch",
            )
        if x.shape[1] % self._groups or x.shape[1] % self._parts:
            what = f"{name} in {self._groups} groups, {self._parts} of them with offsets of their own, of {x.type}"
            raise ShapeError("E174", what, help=f"both numbers divide the {x.shape[1]} channels")
        shapes = self._shapes(x.shape[1])
        self.offset_weight.complete(*shapes["offset_weight"])
        self.deformable_conv_weight.complete(*shapes["deformable_conv_weight"])

    def _offset(self, x: Any) -> Any:
        """Return what the convolution of offsets gives."""
        bias = self.offset_bias
        return npx.convolution(
            x,
            self.offset_weight.data(),
            None if bias is None else bias.data(),
            kernel=self._kernel,
            stride=self._strides,
            dilate=self._dilation,
            pad=self._padding,
            num_filter=self._offsets,
            no_bias=bias is None,
        )

    def _convolved(self, function: Any, x: Any, *places: Any) -> Any:
        bias = self.deformable_conv_bias
        y = function(
            x,
            *places,
            self.deformable_conv_weight.data(),
            None if bias is None else bias.data(),
            kernel=self._kernel,
            stride=self._strides,
            dilate=self._dilation,
            pad=self._padding,
            num_filter=self._channels,
            num_group=self._groups,
            num_deformable_group=self._parts,
            no_bias=bias is None,
        )
        return y if self.act is None else self.act(y)

    def forward(self, x: Any) -> Any:
        return self._convolved(npx.deformable_convolution, x, self._offset(x))

    def __repr__(self) -> str:
        shown = f"kernel_size={self._kernel}, stride={self._strides}, padding={self._padding}"
        size = (self.offset_weight.shape or (UNKNOWN, UNKNOWN))[1]
        inputs = None if size == UNKNOWN else size
        return f"{type(self).__name__}({inputs} -> {self._channels}, {shown})"


class ModulatedDeformableConvolution(DeformableConvolution):
    """The same, each element of each window multiplied by a number between 0 and 2, computed from the image as well."""

    _each = 3

    def forward(self, x: Any) -> Any:
        found = self._offset(x)
        count = self._offsets // 3 * 2
        mask = npx.sigmoid(found[:, count:]) * 2
        return self._convolved(npx.modulated_deformable_convolution, x, found[:, :count], mask)
