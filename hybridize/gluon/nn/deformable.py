# SPDX-License-Identifier: Apache-2.0
"""Convolutions whose windows bend: a convolution of the image says where each element of each window lies."""

from __future__ import annotations

from typing import Any

from hybridize.array.functions import convolution, neural, sampling
from hybridize.array.ndarray import ndarray
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.gluon.checking import check_choice
from hybridize.gluon.nn.convolution import Convolving
from hybridize.gluon.operator_keywords import OperatorKeywords
from hybridize.gluon.parameter import UNKNOWN, Parameter
from hybridize.gluon.windowed import Numbers


class DeformableConvolution(Convolving, rank=2):
    """Convolve images [n, c, h, w] with windows whose elements move, and add a bias.

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

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> layer = nn.DeformableConvolution(8, kernel_size=(3, 3), padding=(1, 1))
    >>> layer.initialize()
    >>> layer(np.ones((1, 3, 6, 6))).shape
    (1, 8, 6, 6)
    """

    offset_weight: Parameter
    offset_bias: Parameter | None
    deformable_conv_weight: Parameter
    deformable_conv_bias: Parameter | None

    _operands = "offset_weight deformable_conv_weight offset_bias? deformable_conv_bias?"
    _op_name = "DeformableConvolution"
    _layout = "NCHW"
    _windows = {
        "kernel": "_kernel", "stride": "_strides", "dilate": "_dilation", "pad": "_padding", "layout": "_layout",
    }  # fmt: skip
    _kwargs_offset = OperatorKeywords(**_windows, num_filter="_offsets", no_bias="_no_offset_bias")
    _kwargs_deformable_conv = OperatorKeywords(
        **_windows, num_filter="_channels", num_group="_groups", num_deformable_group="_parts", no_bias="_no_bias"
    )
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
        super().__init__(channels, kernel_size, strides, padding, dilation, groups, activation, in_channels, **kwargs)
        name = type(self).__name__
        check_choice(self, "layout", layout, ("NCHW",), "turn the image: np.moveaxis(x, -1, 1)")
        self._parts = self._number("num_deformable_group", num_deformable_group)
        if in_channels % self._parts:
            what = f"{name} from {in_channels} channels, {num_deformable_group} parts with offsets of their own"
            raise ArgumentError("E331", what, help="in_channels must be a multiple of the number of groups")
        self._offsets = self._each * self._parts * self._kernel[0] * self._kernel[1]
        shapes = self._shapes(in_channels)
        for key, used, init in (
            ("offset_weight", True, offset_weight_initializer),
            ("offset_bias", offset_use_bias, offset_bias_initializer),
            ("deformable_conv_weight", True, weight_initializer),
            ("deformable_conv_bias", use_bias, bias_initializer),
        ):
            setattr(self, key, self.params.deferred(key, shapes[key], init) if used else None)

    @property
    def _no_offset_bias(self) -> bool:
        return self.offset_bias is None

    @property
    def _no_bias(self) -> bool:
        return self.deformable_conv_bias is None

    def _shapes(self, in_channels: int) -> dict[str, tuple[int, ...]]:
        """Return the shapes of the parameters; 0 channels are not known yet."""
        return {
            "offset_weight": (self._offsets, in_channels, *self._kernel),
            "offset_bias": (self._offsets,),
            "deformable_conv_weight": (self._channels, in_channels // self._groups, *self._kernel),
            "deformable_conv_bias": (self._channels,),
        }

    def infer_shape(self, x: Any) -> None:
        channels = self._channels_of(x, "NCHW")
        if channels % self._parts:
            what = f"{type(self).__name__} of an input {x.type}, {self._parts} parts with offsets of their own"
            raise ShapeError("E174", what, help=f"the {channels} channels must be a multiple of num_deformable_group")
        shapes = self._shapes(channels)
        self.offset_weight.complete(*shapes["offset_weight"])
        self.deformable_conv_weight.complete(*shapes["deformable_conv_weight"])

    def _offset(self, x: Any) -> Any:
        """Return what the convolution of offsets gives."""
        return self._applied(
            convolution.convolution, (x,), self.offset_weight, self.offset_bias, num_filter=self._offsets
        )

    def _convolve(self, function: Any, *inputs: Any) -> Any:
        y = self._applied(
            function,
            inputs,
            self.deformable_conv_weight,
            self.deformable_conv_bias,
            num_filter=self._channels,
            num_group=self._groups,
            num_deformable_group=self._parts,
        )
        return self._activated(y)

    def forward(self, x: Any) -> ndarray:
        return self._convolve(sampling.deformable_convolution, x, self._offset(x))

    def __repr__(self) -> str:
        shown = f"kernel_size={self._kernel}, stride={self._strides}, padding={self._padding}"
        size = (self.offset_weight.shape or (UNKNOWN, UNKNOWN))[1]
        inputs = None if size == UNKNOWN else size
        return f"{type(self).__name__}({inputs} -> {self._channels}, {shown})"


class ModulatedDeformableConvolution(DeformableConvolution):
    """Apply `DeformableConvolution`, with a factor between 0 and 2 for each element of each window.

    A second convolution computes these factors from the image.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> layer = nn.ModulatedDeformableConvolution(8, kernel_size=(3, 3), padding=(1, 1))
    >>> layer.initialize()
    >>> layer(np.ones((1, 3, 6, 6))).shape
    (1, 8, 6, 6)
    """

    _op_name = "ModulatedDeformableConvolution"
    _each = 3

    def forward(self, x: Any) -> ndarray:
        predictions = self._offset(x)
        count = self._offsets // 3 * 2
        mask = neural.sigmoid(predictions[:, count:]) * 2
        return self._convolve(sampling.modulated_deformable_convolution, x, predictions[:, :count], mask)
