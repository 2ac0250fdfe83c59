# SPDX-License-Identifier: Apache-2.0
"""Cells whose products are convolutions: plain, long short-term memory and gated units, over one to three axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hybridize.array import np, npx
from hybridize.array.operands import completed
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.gluon.rnn.gates import GatedCell, MemoryCell, MixedCell, PlainCell
from hybridize.gluon.windowed import Numbers, Windowed
from hybridize.ops.library.convolution_layers import is_channels_last, weight_shape

if TYPE_CHECKING:
    from hybridize.gluon.parameter import Parameter


class ConvolutionalCell(GatedCell, Windowed):
    """Base of the cells.

    Args:
        input_shape: of a step's input without the batch: [channels, pixels...], or [pixels..., channels] where the
            channels are last in the layout; -1 channels: as many as the first input has.
        hidden_channels: of the state, which is the output.
        i2h_kernel: the windows over the input, one number for all axes or one for each, as the others.
        h2h_kernel: the windows over the state; odd, as the state keeps its size.
        i2h_pad: zeros before and after each axis of the input.
        i2h_dilate: the distance of elements of a window over the input.
        h2h_dilate: the same over the state.
        i2h_weight_initializer: initializer of `i2h_weight`, [gates hidden_channels, channels, window].
        h2h_weight_initializer: initializer of `h2h_weight`, [gates hidden_channels, hidden_channels, window].
        i2h_bias_initializer: initializer of `i2h_bias`.
        h2h_bias_initializer: initializer of `h2h_bias`.
        conv_layout: NCW, NCHW, NCDHW, or with the channels last.
        activation: name of an activation, or a function.
        prefix: start of the MXNet 1.x names of the parameters.
        params: `other.params`, to share the parameters of another cell.

    Raises:
        ArgumentError E331, E398: an argument is not what it may be.
    """

    def __init__(
        self,
        input_shape: Sequence[int],
        hidden_channels: int,
        i2h_kernel: Numbers,
        h2h_kernel: Numbers,
        i2h_pad: Numbers = 0,
        i2h_dilate: Numbers = 1,
        h2h_dilate: Numbers = 1,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        conv_layout: str | None = None,
        activation: Any = "tanh",
        prefix: str | None = None,
        params: Any = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        name = type(self).__name__
        self._layout = self._layout_of("conv_layout", conv_layout)
        self._activation = activation
        self._i2h_kernel = self._numbers("i2h_kernel", i2h_kernel)
        self._h2h_kernel = self._numbers("h2h_kernel", h2h_kernel)
        if any(size % 2 == 0 for size in self._h2h_kernel):
            what = f"h2h_kernel of {name} is odd along each axis, got {h2h_kernel}"
            raise ArgumentError("E331", what, help="the kernel must be odd, so that the state keeps its size")
        self._i2h_pad = self._numbers("i2h_pad", i2h_pad, 0)
        self._i2h_dilate = self._numbers("i2h_dilate", i2h_dilate)
        self._h2h_dilate = self._numbers("h2h_dilate", h2h_dilate)
        if len(input_shape) != self._rank + 1:
            what = f"input_shape of {name} has {self._rank + 1} numbers, got {input_shape}"
            raise ArgumentError("E331", what, help="give channels and pixels in the layout's order, without the batch")
        last = is_channels_last(self._layout)
        channels = input_shape[-1 if last else 0]
        self._pixels = tuple(input_shape[:-1] if last else input_shape[1:])
        self._hidden_channels = self._number("hidden_channels", hidden_channels)
        filters = self._gates * self._hidden_channels
        of_state = weight_shape(filters, self._hidden_channels, self._h2h_kernel, self._layout)
        self.i2h_weight: Parameter = self.params.deferred(
            "i2h_weight", self._input_weight(channels), i2h_weight_initializer
        )
        self.h2h_weight: Parameter = self.params.deferred("h2h_weight", of_state, h2h_weight_initializer)
        self.i2h_bias: Parameter = self.params.deferred("i2h_bias", (filters,), i2h_bias_initializer)
        self.h2h_bias: Parameter = self.params.deferred("h2h_bias", (filters,), h2h_bias_initializer)

    def _alias(self) -> str:
        return f"conv_{self._name_hint}"

    def infer_shape(self, x: Any, *others: Any) -> None:
        if isinstance(x, int):  # MXNet 2's infer_shape(layer, x, is_bidirect)
            x = others[0]
            if x.ndim <= self._rank:  # in a stack only the first cell is told, the others learn it in the first call
                return
        channels = x.shape[-1 if is_channels_last(self._layout) else -1 - self._rank]
        self.i2h_weight.complete(*self._input_weight(channels))

    def _input_weight(self, channels: int) -> tuple[int, ...]:
        return weight_shape(self._gates * self._hidden_channels, channels, self._i2h_kernel, self._layout)

    @property
    def _input_shape(self) -> tuple[int, ...]:
        """The shape of an input without the batch."""
        last = is_channels_last(self._layout)
        channels = (self.i2h_weight.shape or ())[-1 if last else 1]
        return (*self._pixels, channels) if last else (channels, *self._pixels)

    @property
    def _state_shape(self) -> tuple[int, ...]:
        """The shape of a state without the batch."""
        last = is_channels_last(self._layout)
        left = tuple(
            size + 2 * pad - dilate * (window - 1)
            for size, pad, dilate, window in zip(
                self._pixels, self._i2h_pad, self._i2h_dilate, self._i2h_kernel, strict=True
            )
        )
        return (*left, self._hidden_channels) if last else (self._hidden_channels, *left)

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        shape = (batch_size, *self._state_shape)
        return [{"shape": shape, "__layout__": self._layout} for _ in range(self._states)]

    def _products(self, x: Any, states: Any) -> tuple[Any, Any]:
        """Return the gates of the input and of the first state, with their biases.

        Raises:
            ArgumentError E331: there are more or fewer states.
            ShapeError E187: the input or a state is of another shape.
        """
        self._check_states(states)
        wanted = (*x.shape[:1], *self._state_shape)
        states = [completed(state, wanted) for state in states]
        if x.shape[1:] != self._input_shape or any(state.shape != wanted for state in states):
            types = ", ".join(str(state.type) for state in states)
            raise ShapeError(
                "E187",
                f"{type(self).__name__} of {x.type} with {types}",
                help=f"an input is [batch, {', '.join(map(str, self._input_shape))}], a state "
                f"[batch, {', '.join(map(str, self._state_shape))}]",
            )
        filters, windows = self._gates * self._hidden_channels, self._h2h_kernel
        by_input = npx.convolution(
            x, self.i2h_weight.data(), self.i2h_bias.data(), kernel=self._i2h_kernel, dilate=self._i2h_dilate,
            pad=self._i2h_pad, num_filter=filters, layout=self._layout,
        )  # fmt: skip
        pad = tuple(dilate * (size - 1) // 2 for dilate, size in zip(self._h2h_dilate, windows, strict=True))
        by_state = npx.convolution(
            states[0], self.h2h_weight.data(), self.h2h_bias.data(), kernel=windows, dilate=self._h2h_dilate,
            pad=pad, num_filter=filters, layout=self._layout,
        )  # fmt: skip
        return by_input, by_state

    def _parted(self, x: Any) -> list[Any]:
        return list(np.split(x, self._gates, axis=self._layout.index("C")))

    def __repr__(self) -> str:
        shape = self.i2h_weight.shape or ()
        inputs = shape[-1 if is_channels_last(self._layout) else 1]
        filters = self._gates * self._hidden_channels
        return f"{type(self).__name__}({inputs} -> {filters}, i2h_kernel={self._i2h_kernel}, {self._layout})"


class Conv1DRNNCell(PlainCell, ConvolutionalCell, rank=1):
    """Compute a step of plain recurrence whose products are convolutions over one axis; see `ConvolutionalCell`.

    >>> from hybridize import np
    >>> from hybridize.gluon import rnn
    >>> cell = rnn.Conv1DRNNCell((3, 8), hidden_channels=2, i2h_kernel=3, h2h_kernel=3, i2h_pad=1)
    >>> cell.initialize()
    >>> cell(np.ones((1, 3, 8)), cell.begin_state(batch_size=1))[0].shape
    (1, 2, 8)
    """


class Conv2DRNNCell(PlainCell, ConvolutionalCell, rank=2):
    """Compute a step of plain recurrence whose products are convolutions over two axes; see `ConvolutionalCell`.

    >>> from hybridize import np
    >>> from hybridize.gluon import rnn
    >>> cell = rnn.Conv2DRNNCell((3, 8, 8), hidden_channels=2, i2h_kernel=3, h2h_kernel=3, i2h_pad=1)
    >>> cell.initialize()
    >>> cell(np.ones((1, 3, 8, 8)), cell.begin_state(batch_size=1))[0].shape
    (1, 2, 8, 8)
    """


class Conv3DRNNCell(PlainCell, ConvolutionalCell, rank=3):
    """Compute a step of plain recurrence whose products are convolutions over three axes; see `ConvolutionalCell`.

    >>> from hybridize import np
    >>> from hybridize.gluon import rnn
    >>> cell = rnn.Conv3DRNNCell((3, 4, 4, 4), hidden_channels=2, i2h_kernel=3, h2h_kernel=3, i2h_pad=1)
    >>> cell.initialize()
    >>> cell(np.ones((1, 3, 4, 4, 4)), cell.begin_state(batch_size=1))[0].shape
    (1, 2, 4, 4, 4)
    """


class Conv1DLSTMCell(MemoryCell, ConvolutionalCell, rank=1):
    """Compute a step of long short-term memory whose products are convolutions over one axis; see `ConvolutionalCell`.

    >>> from hybridize import np
    >>> from hybridize.gluon import rnn
    >>> cell = rnn.Conv1DLSTMCell((3, 8), hidden_channels=2, i2h_kernel=3, h2h_kernel=3, i2h_pad=1)
    >>> cell.initialize()
    >>> cell(np.ones((1, 3, 8)), cell.begin_state(batch_size=1))[0].shape
    (1, 2, 8)
    """


class Conv2DLSTMCell(MemoryCell, ConvolutionalCell, rank=2):
    """Compute a step of long short-term memory whose products are convolutions over two axes; see `ConvolutionalCell`.

    >>> from hybridize import np
    >>> from hybridize.gluon import rnn
    >>> cell = rnn.Conv2DLSTMCell((3, 8, 8), hidden_channels=2, i2h_kernel=3, h2h_kernel=3, i2h_pad=1)
    >>> cell.initialize()
    >>> cell(np.ones((1, 3, 8, 8)), cell.begin_state(batch_size=1))[0].shape
    (1, 2, 8, 8)
    """


class Conv3DLSTMCell(MemoryCell, ConvolutionalCell, rank=3):
    """Compute a step of long short-term memory, with convolutions over three axes as products; see `ConvolutionalCell`.

    >>> from hybridize import np
    >>> from hybridize.gluon import rnn
    >>> cell = rnn.Conv3DLSTMCell((3, 4, 4, 4), hidden_channels=2, i2h_kernel=3, h2h_kernel=3, i2h_pad=1)
    >>> cell.initialize()
    >>> cell(np.ones((1, 3, 4, 4, 4)), cell.begin_state(batch_size=1))[0].shape
    (1, 2, 4, 4, 4)
    """


class Conv1DGRUCell(MixedCell, ConvolutionalCell, rank=1):
    """Compute a step of gated recurrent units whose products are convolutions over one axis; see `ConvolutionalCell`.

    >>> from hybridize import np
    >>> from hybridize.gluon import rnn
    >>> cell = rnn.Conv1DGRUCell((3, 8), hidden_channels=2, i2h_kernel=3, h2h_kernel=3, i2h_pad=1)
    >>> cell.initialize()
    >>> cell(np.ones((1, 3, 8)), cell.begin_state(batch_size=1))[0].shape
    (1, 2, 8)
    """


class Conv2DGRUCell(MixedCell, ConvolutionalCell, rank=2):
    """Compute a step of gated recurrent units whose products are convolutions over two axes; see `ConvolutionalCell`.

    >>> from hybridize import np
    >>> from hybridize.gluon import rnn
    >>> cell = rnn.Conv2DGRUCell((3, 8, 8), hidden_channels=2, i2h_kernel=3, h2h_kernel=3, i2h_pad=1)
    >>> cell.initialize()
    >>> cell(np.ones((1, 3, 8, 8)), cell.begin_state(batch_size=1))[0].shape
    (1, 2, 8, 8)
    """


class Conv3DGRUCell(MixedCell, ConvolutionalCell, rank=3):
    """Compute a step of gated recurrent units whose products are convolutions over three axes; see `ConvolutionalCell`.

    >>> from hybridize import np
    >>> from hybridize.gluon import rnn
    >>> cell = rnn.Conv3DGRUCell((3, 4, 4, 4), hidden_channels=2, i2h_kernel=3, h2h_kernel=3, i2h_pad=1)
    >>> cell.initialize()
    >>> cell(np.ones((1, 3, 4, 4, 4)), cell.begin_state(batch_size=1))[0].shape
    (1, 2, 4, 4, 4)
    """
