# SPDX-License-Identifier: Apache-2.0
"""Rows that several frameworks have under the same names of attributes."""

from __future__ import annotations

from collections.abc import Callable

import numpy

from hybridize.base.dtypes import int64
from hybridize.base.errors import CaptureError
from hybridize.formats.foreign.arrays import running
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.vocabulary import Value
from hybridize.formats.foreign.walk import Application
from hybridize.ops.op import Operand, type_of


def running_row(run: Callable[..., Operand], empty: float) -> Callable[..., Operand]:
    """Return the row of running sums or products along an axis that is known; see `running`."""

    def row(n: Application, x: Operand, axis: Known) -> Operand:
        along = n.axis_of(int(axis.item()), type_of(x).ndim)
        return running(x, along, run, empty, n.flag("exclusive"), n.flag("reverse"))

    return row


def known_places(n: Application, condition: Value, choice: str) -> Known:
    """The places of what is true, whose number must be known; `choice` is the function to call instead.

    Raises:
        CaptureError E463: only data say how many there are.
    """
    if not isinstance(condition, Known):
        raise CaptureError(
            "E463", f"{n.place} gives as many places as data say: shapes are part of a program",
            help=f"use {choice}, or multiply by the condition",
        )  # fmt: skip
    return Known(numpy.argwhere(condition.pinned()).astype(int64), int64)
