# SPDX-License-Identifier: Apache-2.0
"""Convolutional layers over one, two and three axes, and transposed ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hybridize.array.functions import convolution
from hybridize.array.ndarray import ndarray
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.gluon.checking import check_count
from hybridize.gluon.nn.activations import activation_of
from hybridize.gluon.operator_keywords import OperatorKeywords
from hybridize.gluon.parameter import UNKNOWN, Parameter
from hybridize.gluon.windowed import Numbers, Windowed
from hybridize.ops.library.convolution_layers import is_channels_last, weight_shape

if TYPE_CHECKING:
    from hybridize.gluon.nn.activations import Activation


class Convolving(Windowed):
    """The base of layers that convolve: numbers of channels, windows, groups, and the activation of the result."""

    def __init__(
        self,
        channels: int,
        kernel_size: Numbers,
        strides: Numbers,
        padding: Numbers,
        dilation: Numbers,
        groups: int,
        activation: str | None,
        in_channels: int,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        name = type(self).__name__
        self._channels = check_count(self, "channels", channels, "only in_channels may be left open")
        if kernel_size is None:
            raise ArgumentError("E331", f"{name} needs a kernel_size", help="kernel_size is a number, or one per axis")
        self._kernel = self._numbers("kernel_size", kernel_size)
        self._strides = self._numbers("strides", strides)
        self._padding = self._numbers("padding", padding, 0)
        self._dilation = self._numbers("dilation", dilation)
        self._groups = self._number("groups", groups)
        if channels % self._groups or in_channels % self._groups:
            text = f"from {in_channels} to {channels}" if in_channels else f"to {channels}"
            what = f"{name} {text} channels in {groups} groups"
            raise ArgumentError("E331", what, help="groups must divide the numbers of input and output channels")
        self.act: Activation | None = activation_of(self, activation)

    def _channels_of(self, x: Any, layout: str) -> int:
        """Return the number of channels of an input, having checked that it has the axes, and is parted into groups."""
        name = type(self).__name__
        if x.ndim != self._rank + 2:
            raise ShapeError(
                "E174",
                f"{name} needs an input of {self._rank + 2} axes ({layout}), got {x.type}",
                help="np.expand_dims(x, 0) makes a batch of one input",
            )
        channels: int = x.shape[layout.index("C")]
        if channels % self._groups:
            raise ShapeError(
                "E174",
                f"{name} in {self._groups} groups of an input {x.type} ({layout})",
                help=f"the {channels} channels must be a multiple of the number of groups",
            )
        return channels

    def _applied(
        self, function: Any, inputs: Sequence[Any], weight: Parameter, bias: Parameter | None, **more: Any
    ) -> Any:
        """Call a function of inputs, a weight and a bias with what windows are."""
        return function(
            *inputs,
            weight.data(),
            None if bias is None else bias.data(),
            kernel=self._kernel,
            stride=self._strides,
            dilate=self._dilation,
            pad=self._padding,
            no_bias=bias is None,
            **more,
        )

    def _activated(self, y: Any) -> Any:
        return y if self.act is None else self.act(y)


class _Convolution(Convolving):
    """The base of the layers: arguments, and parameters whose channels the first input may tell.

    `weight` is [channels, in_channels / groups, window...]; [channels, window..., in_channels / groups] where the
    channels are last.
    """

    _name_hint = "conv"
    _operands = "weight bias?"
    _operation: Callable[..., Any] = staticmethod(convolution.convolution)
    _more: Mapping[str, Any] = {}
    """Arguments of the function besides those of all convolutions."""
    _op_name = "Convolution"
    _kwargs = OperatorKeywords(
        kernel="_kernel", stride="_strides", dilate="_dilation", pad="_padding", num_filter="_channels",
        num_group="_groups", no_bias="_no_bias", layout="_layout", adj="_adj",
    )  # fmt: skip

    def __init__(
        self,
        channels: int,
        kernel_size: Numbers,
        strides: Numbers = 1,
        padding: Numbers = 0,
        dilation: Numbers = 1,
        groups: int = 1,
        layout: str | None = None,
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(channels, kernel_size, strides, padding, dilation, groups, activation, in_channels, **kwargs)
        self._layout = self._layout_of("layout", layout)
        self.weight: Parameter = self.params.deferred("weight", self._weight_shape(in_channels), weight_initializer)
        self.bias: Parameter | None = self.params.deferred("bias", (channels,), bias_initializer) if use_bias else None

    def _weight_shape(self, in_channels: int) -> tuple[int, ...]:
        """Return the shape of the weight; 0 channels are not known yet."""
        return weight_shape(self._channels, in_channels // self._groups, self._kernel, self._layout)

    def infer_shape(self, x: Any) -> None:
        self.weight.complete(*self._weight_shape(self._channels_of(x, self._layout)))

    def forward(self, x: Any) -> ndarray:
        windows = {"num_filter": self._channels, "num_group": self._groups, "layout": self._layout, **self._more}
        return self._activated(self._applied(self._operation, (x,), self.weight, self.bias, **windows))

    @property
    def _in_channels(self) -> int:
        """The number of channels of the input; 0: not known yet."""
        return self._channels_of_weight()

    @_in_channels.setter
    def _in_channels(self, count: int) -> None:
        """Say what the weight's shape does not; programs for MXNet set both, and the shape is what counts."""
        if not self.weight.shape_is_known:
            self.weight.shape = self._weight_shape(count)

    def _channels_of_weight(self) -> int:
        shape = self.weight.shape or (UNKNOWN,) * 2
        size = shape[-1 if is_channels_last(self._layout) else 1]
        return 0 if size == UNKNOWN else size * self._groups

    @property
    def _no_bias(self) -> bool:
        return self.bias is None

    @property
    def _adj(self) -> Any:
        """The output padding of transposed layers."""
        return self._more.get("adj")

    def _shown(self) -> list[str]:
        """Return the settings that `repr` shows besides those of all layers."""
        return []

    def __repr__(self) -> str:
        rank = self._rank
        shown = [f"kernel_size={self._kernel}", f"stride={self._strides}"]
        if any(self._padding):
            shown.append(f"padding={self._padding}")
        if self._dilation != (1,) * rank:
            shown.append(f"dilation={self._dilation}")
        shown += self._shown()
        if self._groups != 1:
            shown.append(f"groups={self._groups}")
        if self.bias is None:
            shown.append("bias=False")
        if self.act is not None:
            shown.append(str(self.act))
        return f"{type(self).__name__}({self._in_channels or None} -> {self._channels}, {', '.join(shown)})"


class _Transposed(_Convolution):
    """The base of the transposed layers, whose weight begins with the channels of the input."""

    _operation = staticmethod(convolution.deconvolution)
    _op_name = "Deconvolution"

    def __init__(
        self,
        channels: int,
        kernel_size: Numbers,
        strides: Numbers = 1,
        padding: Numbers = 0,
        output_padding: Numbers = 0,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(channels, kernel_size, strides, padding, *args, **kwargs)
        edges = self._numbers("output_padding", output_padding, 0)
        self._more = {"adj": edges}
        steps = zip(edges, self._strides, self._dilation, strict=True)
        if any(more >= max(stride, dilation) for more, stride, dilation in steps):
            what = f"{type(self).__name__} with output_padding={output_padding!r} and strides={self._strides}"
            raise ArgumentError("E331", what, help="output_padding must be less than the stride or the dilation")

    def _weight_shape(self, in_channels: int) -> tuple[int, ...]:
        return weight_shape(in_channels, self._channels // self._groups, self._kernel, self._layout)

    def _channels_of_weight(self) -> int:
        size = (self.weight.shape or (UNKNOWN,))[0]
        return 0 if size == UNKNOWN else size

    def _shown(self) -> list[str]:
        return [f"output_padding={self._more['adj']}"] if any(self._more["adj"]) else []


class Conv1D(_Convolution, rank=1):
    """Convolve an input [batch, channels, width] (NCW) with windows over one axis, and add a bias.

    Like most networks, the layer computes the correlation: it does not mirror the windows.

    Args:
        channels: number of channels of the result.
        kernel_size: the size of a window, one number for all axes or one for each, as the others.
        strides: the distance of windows.
        padding: zeros before and after each axis.
        dilation: the distance of elements of a window.
        groups: the parts of the channels; each part of the result sees one of the input.
        layout: NCW, which is the default, or NWC, where windows stand between the two numbers of the weight.
        activation: name of an activation, or None.
        use_bias: whether there is a bias.
        weight_initializer: initializer of `weight`, [channels, in_channels / groups, window].
        bias_initializer: initializer of `bias`, [channels].
        in_channels: number of channels of the input; 0: taken from the first input.

    Raises:
        ArgumentError E331, E398: an argument is not what it may be.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> layer = nn.Conv1D(8, 3, padding=1)
    >>> layer.initialize()
    >>> layer(np.ones((2, 3, 10))).shape, layer.weight.shape
    ((2, 8, 10), (8, 3, 3))
    """


class Conv2D(_Convolution, rank=2):
    """Convolve an input [batch, channels, height, width] (NCHW) with windows over two axes, and add a bias.

    Like most networks, the layer computes the correlation: it does not mirror the windows.

    Args:
        channels: number of channels of the result.
        kernel_size: the size of a window, one number for all axes or one for each, as the others.
        strides: the distance of windows.
        padding: zeros before and after each axis.
        dilation: the distance of elements of a window.
        groups: the parts of the channels; each part of the result sees one of the input.
        layout: NCHW, which is the default, or NHWC, where windows stand between the two numbers of the weight.
        activation: name of an activation, or None.
        use_bias: whether there is a bias.
        weight_initializer: initializer of `weight`, [channels, in_channels / groups, window].
        bias_initializer: initializer of `bias`, [channels].
        in_channels: number of channels of the input; 0: taken from the first input.

    Raises:
        ArgumentError E331, E398: an argument is not what it may be.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> layer = nn.Conv2D(8, kernel_size=3, strides=2, padding=1)
    >>> layer.initialize()
    >>> layer(np.ones((2, 3, 10, 10))).shape, layer.weight.shape
    ((2, 8, 5, 5), (8, 3, 3, 3))
    """


class Conv3D(_Convolution, rank=3):
    """Convolve an input [batch, channels, depth, height, width] (NCDHW) with windows over three axes, and add a bias.

    Like most networks, the layer computes the correlation: it does not mirror the windows.

    Args:
        channels: number of channels of the result.
        kernel_size: the size of a window, one number for all axes or one for each, as the others.
        strides: the distance of windows.
        padding: zeros before and after each axis.
        dilation: the distance of elements of a window.
        groups: the parts of the channels; each part of the result sees one of the input.
        layout: NCDHW, which is the default, or NDHWC, where windows stand between the two numbers of the weight.
        activation: name of an activation, or None.
        use_bias: whether there is a bias.
        weight_initializer: initializer of `weight`, [channels, in_channels / groups, window].
        bias_initializer: initializer of `bias`, [channels].
        in_channels: number of channels of the input; 0: taken from the first input.

    Raises:
        ArgumentError E331, E398: an argument is not what it may be.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> layer = nn.Conv3D(8, 3, padding=1)
    >>> layer.initialize()
    >>> layer(np.ones((1, 3, 4, 5, 6))).shape
    (1, 8, 4, 5, 6)
    """


class Conv1DTranspose(_Transposed, rank=1):
    """Apply a transposed convolution over one axis, and add a bias.

    It is the gradient of `Conv1D` by its input, as a layer.

    Args:
        channels: number of channels of the result.
        kernel_size: the size of a window, one number for all axes or one for each, as the others.
        strides: the distance, in the result, of what neighbours in the input give.
        padding: elements of the result that are left out before and after each axis.
        output_padding: elements more at the end of each axis of the result.
        dilation: the distance of elements of a window.
        groups: the parts of the channels; each part of the result sees one of the input.
        layout: NCW, which is the default, or NWC, where windows stand between the two numbers of the weight.
        activation: name of an activation, or None.
        use_bias: whether there is a bias.
        weight_initializer: initializer of `weight`, [in_channels, channels / groups, window].
        bias_initializer: initializer of `bias`, [channels].
        in_channels: number of channels of the input; 0: taken from the first input.

    Raises:
        ArgumentError E331, E398: an argument is not what it may be.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> layer = nn.Conv1DTranspose(8, 4, strides=2, padding=1)
    >>> layer.initialize()
    >>> layer(np.ones((1, 3, 5))).shape
    (1, 8, 10)
    """


class Conv2DTranspose(_Transposed, rank=2):
    """Apply a transposed convolution over two axes, and add a bias.

    It is the gradient of `Conv2D` by its input, as a layer.

    Args:
        channels: number of channels of the result.
        kernel_size: the size of a window, one number for all axes or one for each, as the others.
        strides: the distance, in the result, of what neighbours in the input give.
        padding: elements of the result that are left out before and after each axis.
        output_padding: elements more at the end of each axis of the result.
        dilation: the distance of elements of a window.
        groups: the parts of the channels; each part of the result sees one of the input.
        layout: NCHW, which is the default, or NHWC, where windows stand between the two numbers of the weight.
        activation: name of an activation, or None.
        use_bias: whether there is a bias.
        weight_initializer: initializer of `weight`, [in_channels, channels / groups, window].
        bias_initializer: initializer of `bias`, [channels].
        in_channels: number of channels of the input; 0: taken from the first input.

    Raises:
        ArgumentError E331, E398: an argument is not what it may be.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> layer = nn.Conv2DTranspose(8, 4, strides=2, padding=1)
    >>> layer.initialize()
    >>> layer(np.ones((1, 3, 5, 5))).shape
    (1, 8, 10, 10)
    """


class Conv3DTranspose(_Transposed, rank=3):
    """Apply a transposed convolution over three axes, and add a bias.

    It is the gradient of `Conv3D` by its input, as a layer.

    Args:
        channels: number of channels of the result.
        kernel_size: the size of a window, one number for all axes or one for each, as the others.
        strides: the distance, in the result, of what neighbours in the input give.
        padding: elements of the result that are left out before and after each axis.
        output_padding: elements more at the end of each axis of the result.
        dilation: the distance of elements of a window.
        groups: the parts of the channels; each part of the result sees one of the input.
        layout: NCDHW, which is the default, or NDHWC, where windows stand between the two numbers of the weight.
        activation: name of an activation, or None.
        use_bias: whether there is a bias.
        weight_initializer: initializer of `weight`, [in_channels, channels / groups, window].
        bias_initializer: initializer of `bias`, [channels].
        in_channels: number of channels of the input; 0: taken from the first input.

    Raises:
        ArgumentError E331, E398: an argument is not what it may be.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> layer = nn.Conv3DTranspose(8, 4, strides=2, padding=1)
    >>> layer.initialize()
    >>> layer(np.ones((1, 3, 2, 3, 4))).shape
    (1, 8, 4, 6, 8)
    """
