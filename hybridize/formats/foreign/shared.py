# SPDX-License-Identifier: Apache-2.0
"""Rows that several frameworks have under the same names of attributes."""

from __future__ import annotations

from collections.abc import Callable

from hybridize.formats.foreign.arrays import running
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.walk import Application
from hybridize.ops.op import Operand, type_of


def running_row(run: Callable[..., Operand], empty: float) -> Callable[..., Operand]:
    """Return the row of running sums or products along an axis that is known; see `running`."""

    def row(n: Application, x: Operand, axis: Known) -> Operand:
        along = n.axis_of(int(axis.item()), type_of(x).ndim)
        return running(x, along, run, empty, n.flag("exclusive"), n.flag("reverse"))

    return row
