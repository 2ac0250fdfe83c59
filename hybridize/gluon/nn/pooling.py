# SPDX-License-Identifier: Apache-2.0
"""Pooling layers: the largest or the mean element of windows over one to three axes, or of whole images."""

from __future__ import annotations

from typing import Any, ClassVar

from hybridize.array.functions import pooling
from hybridize.array.ndarray import ndarray
from hybridize.base.errors import ValueArgumentError
from hybridize.gluon.hybrid_block import HybridBlock
from hybridize.ops.convolution import each_axis


class _Pooling(HybridBlock):
    """Base of the layers: what they compute, and over how many axes."""

    _kind: ClassVar[str]
    _rank: ClassVar[int]
    _global: ClassVar[bool] = False

    def __init__(
        self,
        pool_size: Any = 2,
        strides: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        layout: str | None = None,
        count_include_pad: bool | None = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        letters = "DHW"[-self._rank :]
        layout = f"NC{letters}" if layout is None else layout
        if layout not in (f"NC{letters}", f"N{letters}C"):
            raise ValueArgumentError(
                "E345",
                f"{type(self).__name__}: layout must be 'NC{letters}' or 'N{letters}C', got {layout!r}",
            )
        name, rank = type(self).__name__, self._rank
        self._kernel = each_axis(name, "pool_size", pool_size, rank)
        self._stride = self._kernel if strides is None else each_axis(name, "strides", strides, rank)
        self._pad = each_axis(name, "padding", padding, rank, default=0, least=0)
        self._ceil_mode, self._layout, self._count_include_pad = bool(ceil_mode), layout, count_include_pad

    def _alias(self) -> str:
        return "pool"

    def forward(self, x: Any) -> ndarray:
        return pooling.pooling(
            x,
            kernel=self._kernel,
            stride=self._stride,
            pad=self._pad,
            pool_type=self._kind,
            pooling_convention="full" if self._ceil_mode else "valid",
            global_pool=self._global,
            count_include_pad=self._count_include_pad,
            layout=self._layout,
        )

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(size={self._kernel}, stride={self._stride}, padding={self._pad}, "
            f"ceil_mode={self._ceil_mode}, global_pool={self._global}, pool_type={self._kind}, "
            f"layout={self._layout})"
        )


class _MaxPool(_Pooling):
    _kind = "max"

    def __init__(
        self,
        pool_size: Any = 2,
        strides: Any = None,
        padding: Any = 0,
        layout: str | None = None,
        ceil_mode: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, ceil_mode, layout, None, **kwargs)


class _AvgPool(_Pooling):
    _kind = "avg"


class _GlobalPool(_Pooling):
    _global = True

    def __init__(self, layout: str | None = None, **kwargs: Any) -> None:
        super().__init__(1, None, 0, True, layout, None, **kwargs)


class MaxPool1D(_MaxPool):
    """The largest element of each window over one axis.

    Args:
        pool_size: size of a window, a number for each axis or one for all.
        strides: distance of windows; the size of one if it is None.
        padding: elements before and after each axis, which no window takes for the largest.
        layout: NCW, which is the default, or NWC.
        ceil_mode: one window more where elements would be left out.
    """

    _rank = 1


class AvgPool1D(_AvgPool):
    """The mean of each window over one axis.

    Args:
        pool_size: size of a window, a number for each axis or one for all.
        strides: distance of windows; the size of one if it is None.
        padding: elements before and after each axis.
        layout: NCW, which is the default, or NWC.
        ceil_mode: one window more where elements would be left out.
        count_include_pad: padding counts as elements that are 0.
    """

    _rank = 1

    def __init__(
        self,
        pool_size: Any = 2,
        strides: Any = None,
        padding: Any = 0,
        layout: str | None = None,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        **kwargs: Any,
    ) -> None:  # in MXNet's order
        super().__init__(pool_size, strides, padding, ceil_mode, layout, count_include_pad, **kwargs)


class MaxPool2D(_MaxPool):
    """The largest element of each window over two axes.

    Args:
        pool_size: size of a window, a number for each axis or one for all.
        strides: distance of windows; the size of one if it is None.
        padding: elements before and after each axis, which no window takes for the largest.
        layout: NCHW, which is the default, or NHWC.
        ceil_mode: one window more where elements would be left out.
    """

    _rank = 2


class AvgPool2D(_AvgPool):
    """The mean of each window over two axes.

    Args:
        pool_size: size of a window, a number for each axis or one for all.
        strides: distance of windows; the size of one if it is None.
        padding: elements before and after each axis.
        ceil_mode: one window more where elements would be left out.
        layout: NCHW, which is the default, or NHWC.
        count_include_pad: padding counts as elements that are 0.
    """

    _rank = 2


class MaxPool3D(_MaxPool):
    """The largest element of each window over three axes.

    Args:
        pool_size: size of a window, a number for each axis or one for all.
        strides: distance of windows; the size of one if it is None.
        padding: elements before and after each axis, which no window takes for the largest.
        ceil_mode: one window more where elements would be left out.
        layout: NCDHW, which is the default, or NDHWC.
    """

    _rank = 3

    def __init__(
        self,
        pool_size: Any = 2,
        strides: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        layout: str | None = None,
        **kwargs: Any,
    ) -> None:  # in MXNet's order
        super().__init__(pool_size, strides, padding, layout, ceil_mode, **kwargs)


class AvgPool3D(_AvgPool):
    """The mean of each window over three axes.

    Args:
        pool_size: size of a window, a number for each axis or one for all.
        strides: distance of windows; the size of one if it is None.
        padding: elements before and after each axis.
        ceil_mode: one window more where elements would be left out.
        layout: NCDHW, which is the default, or NDHWC.
        count_include_pad: padding counts as elements that are 0.
    """

    _rank = 3


class GlobalMaxPool1D(_GlobalPool):
    """The largest element of each channel of an image, one axis of size 1.

    Args:
        layout: NCW, which is the default, or NWC.
    """

    _kind, _rank = "max", 1


class GlobalAvgPool1D(_GlobalPool):
    """The mean of each channel of an image, one axis of size 1.

    Args:
        layout: NCW, which is the default, or NWC.
    """

    _kind, _rank = "avg", 1


class GlobalMaxPool2D(_GlobalPool):
    """The largest element of each channel of an image, two axes of size 1.

    Args:
        layout: NCHW, which is the default, or NHWC.
    """

    _kind, _rank = "max", 2


class GlobalAvgPool2D(_GlobalPool):
    """The mean of each channel of an image, two axes of size 1.

    Args:
        layout: NCHW, which is the default, or NHWC.
    """

    _kind, _rank = "avg", 2


class GlobalMaxPool3D(_GlobalPool):
    """The largest element of each channel of an image, three axes of size 1.

    Args:
        layout: NCDHW, which is the default, or NDHWC.
    """

    _kind, _rank = "max", 3


class GlobalAvgPool3D(_GlobalPool):
    """The mean of each channel of an image, three axes of size 1.

    Args:
        layout: NCDHW, which is the default, or NDHWC.
    """

    _kind, _rank = "avg", 3
