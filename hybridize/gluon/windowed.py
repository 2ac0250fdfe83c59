# SPDX-License-Identifier: Apache-2.0
"""The base of layers over one, two or three axes: a class for each number of axes, numbers for each axis, layouts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from hybridize.gluon.checking import check_choice
from hybridize.gluon.hybrid_block import HybridBlock
from hybridize.ops.convolution import each_axis
from hybridize.ops.library.convolution_layers import LAYOUTS

Numbers = int | Sequence[int]
"""One number for all axes of windows, or one for each."""


class Windowed(HybridBlock):
    """A layer whose classes differ by the number of axes of an image: `class Conv2D(_Convolution, rank=2)`."""

    _rank: ClassVar[int]

    def __init_subclass__(cls, rank: int | None = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if rank is not None:
            cls._rank = rank

    def _numbers(self, keyword: str, numbers: Numbers, least: int = 1) -> tuple[int, ...]:
        """Return a number for each axis, `least` or more; where none is given, `least`."""
        return each_axis(type(self).__name__, keyword, numbers, self._rank, least, least)

    def _number(self, keyword: str, number: int) -> int:
        """Return a whole number from 1."""
        return each_axis(type(self).__name__, keyword, number, 1)[0]

    def _layout_of(self, keyword: str, layout: str | None) -> str:
        """Return a layout of as many axes, which is the one with the channels first where none is given."""
        layouts = LAYOUTS[self._rank]
        layout = layouts[0] if layout is None else layout
        check_choice(self, keyword, layout, layouts, "channels come behind the batch, or last")
        return layout
