# SPDX-License-Identifier: Apache-2.0
"""Numbers that are computed from sizes: `x / n ** 0.5` where `n` is not known before the call.

Python computes them in float64, outside of all tensors, and a tensor takes them in its own dtype, as any number.
"""

from __future__ import annotations

from hybridize.base.frozen import frozen
from hybridize.ops import Operand


@frozen
class SizeNumber:
    """A Python number that only a call knows."""

    operand: Operand
    """Without axes; of float64, int64 or bool, by its kind."""
    kind: type = float
    """float, int or bool."""
