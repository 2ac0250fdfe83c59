# SPDX-License-Identifier: Apache-2.0
"""Pooling layers: the largest or the mean element of windows over one to three axes, or of whole images."""

from __future__ import annotations

from typing import Any, ClassVar

from hybridize.array.functions import pooling
from hybridize.array.ndarray import ndarray
from hybridize.base.errors import ValueArgumentError
from hybridize.gluon.operator_keywords import OperatorKeywords
from hybridize.gluon.windowed import Windowed
from hybridize.ops.library.convolution_layers import LAYOUTS


class _Pooling(Windowed):
    """Base of the layers: what they compute, and over how many axes."""

    _name_hint = "pool"
    _repr_form = (
        "size={0._kernel}, stride={0._stride}, padding={0._pad}, ceil_mode={0._ceil_mode}, global_pool={0._global}, "
        "pool_type={0._kind}, layout={0._layout}"
    )
    _kwargs = OperatorKeywords(
        kernel="_kernel", stride="_stride", pad="_pad", global_pool="_global", pool_type="_kind", layout="_layout",
        pooling_convention="_convention", count_include_pad="_count_include_pad",
    )  # fmt: skip
    _kind: ClassVar[str]
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
        layouts = LAYOUTS[self._rank]
        layout = layouts[0] if layout is None else layout
        if layout not in layouts:
            known = " or ".join(map(repr, layouts))
            raise ValueArgumentError("E345", f"{type(self).__name__}: layout must be {known}, got {layout!r}")
        self._kernel = self._numbers("pool_size", pool_size)
        self._stride = self._kernel if strides is None else self._numbers("strides", strides)
        self._pad = self._numbers("padding", padding, 0)
        self._ceil_mode, self._layout, self._count_include_pad = bool(ceil_mode), layout, count_include_pad

    @property
    def _convention(self) -> str:
        """MXNet's word for how the number of windows is rounded."""
        return "full" if self._ceil_mode else "valid"

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


class _GlobalMaxPool(_GlobalPool):
    _kind = "max"


class _GlobalAvgPool(_GlobalPool):
    _kind = "avg"


class MaxPool1D(_MaxPool, rank=1):
    """Return the largest element of each window over one axis.

    Args:
        pool_size: size of a window, a number for each axis or one for all.
        strides: distance of windows; the size of one if it is None.
        padding: elements before and after each axis, which no window takes for the largest.
        layout: NCW, which is the default, or NWC.
        ceil_mode: one window more where elements would be left out.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> nn.MaxPool1D(2)(np.array([[[1.0, 5.0, 2.0, 3.0]]]))
    array([[[5., 3.]]])
    """


class AvgPool1D(_AvgPool, rank=1):
    """Return the mean of each window over one axis.

    Args:
        pool_size: size of a window, a number for each axis or one for all.
        strides: distance of windows; the size of one if it is None.
        padding: elements before and after each axis.
        layout: NCW, which is the default, or NWC.
        ceil_mode: one window more where elements would be left out.
        count_include_pad: padding counts as elements that are 0.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> nn.AvgPool1D(2)(np.array([[[1.0, 5.0, 2.0, 3.0]]]))
    array([[[3. , 2.5]]])
    """

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


class MaxPool2D(_MaxPool, rank=2):
    """Return the largest element of each window over two axes.

    Args:
        pool_size: size of a window, a number for each axis or one for all.
        strides: distance of windows; the size of one if it is None.
        padding: elements before and after each axis, which no window takes for the largest.
        layout: NCHW, which is the default, or NHWC.
        ceil_mode: one window more where elements would be left out.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> nn.MaxPool2D(3, strides=2, padding=1)(np.ones((1, 3, 8, 8))).shape
    (1, 3, 4, 4)
    """


class AvgPool2D(_AvgPool, rank=2):
    """Return the mean of each window over two axes.

    Args:
        pool_size: size of a window, a number for each axis or one for all.
        strides: distance of windows; the size of one if it is None.
        padding: elements before and after each axis.
        ceil_mode: one window more where elements would be left out.
        layout: NCHW, which is the default, or NHWC.
        count_include_pad: padding counts as elements that are 0.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> nn.AvgPool2D(2)(np.ones((1, 3, 8, 8))).shape
    (1, 3, 4, 4)
    """


class MaxPool3D(_MaxPool, rank=3):
    """Return the largest element of each window over three axes.

    Args:
        pool_size: size of a window, a number for each axis or one for all.
        strides: distance of windows; the size of one if it is None.
        padding: elements before and after each axis, which no window takes for the largest.
        ceil_mode: one window more where elements would be left out.
        layout: NCDHW, which is the default, or NDHWC.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> nn.MaxPool3D(2)(np.ones((1, 3, 4, 4, 4))).shape
    (1, 3, 2, 2, 2)
    """

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


class AvgPool3D(_AvgPool, rank=3):
    """Return the mean of each window over three axes.

    Args:
        pool_size: size of a window, a number for each axis or one for all.
        strides: distance of windows; the size of one if it is None.
        padding: elements before and after each axis.
        ceil_mode: one window more where elements would be left out.
        layout: NCDHW, which is the default, or NDHWC.
        count_include_pad: padding counts as elements that are 0.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> nn.AvgPool3D(2)(np.ones((1, 3, 4, 4, 4))).shape
    (1, 3, 2, 2, 2)
    """


class GlobalMaxPool1D(_GlobalMaxPool, rank=1):
    """Return the largest element of each channel. The axis that it reduces keeps size 1.

    Args:
        layout: NCW, which is the default, or NWC.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> nn.GlobalMaxPool1D()(np.ones((2, 3, 5))).shape
    (2, 3, 1)
    """


class GlobalAvgPool1D(_GlobalAvgPool, rank=1):
    """Return the mean of each channel. The axis that it reduces keeps size 1.

    Args:
        layout: NCW, which is the default, or NWC.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> nn.GlobalAvgPool1D()(np.ones((2, 3, 5))).shape
    (2, 3, 1)
    """


class GlobalMaxPool2D(_GlobalMaxPool, rank=2):
    """Return the largest element of each channel. The two axes that it reduces keep size 1.

    Args:
        layout: NCHW, which is the default, or NHWC.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> nn.GlobalMaxPool2D()(np.ones((2, 3, 5, 5))).shape
    (2, 3, 1, 1)
    """


class GlobalAvgPool2D(_GlobalAvgPool, rank=2):
    """Return the mean of each channel. The two axes that it reduces keep size 1.

    Args:
        layout: NCHW, which is the default, or NHWC.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> nn.GlobalAvgPool2D()(np.ones((2, 3, 5, 5))).shape
    (2, 3, 1, 1)
    """


class GlobalMaxPool3D(_GlobalMaxPool, rank=3):
    """Return the largest element of each channel. The three axes that it reduces keep size 1.

    Args:
        layout: NCDHW, which is the default, or NDHWC.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> nn.GlobalMaxPool3D()(np.ones((2, 3, 5, 5, 5))).shape
    (2, 3, 1, 1, 1)
    """


class GlobalAvgPool3D(_GlobalAvgPool, rank=3):
    """Return the mean of each channel. The three axes that it reduces keep size 1.

    Args:
        layout: NCDHW, which is the default, or NDHWC.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> nn.GlobalAvgPool3D()(np.ones((2, 3, 5, 5, 5))).shape
    (2, 3, 1, 1, 1)
    """
