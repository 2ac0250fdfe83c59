# SPDX-License-Identifier: Apache-2.0
"""Ops as formulas of others, for formats that have no word for them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from hybridize import ops
from hybridize.ops.views import like


def _log_add_exp(x: Any, y: Any) -> Any:
    apart = ops.abs(ops.sub(x, y))
    larger = ops.add(ops.max(x, y), ops.log1p(ops.exp(ops.neg(apart))))
    return ops.where(ops.eq(x, y), ops.add(x, like(math.log(2), x)), larger)  # of two infinities, too


FORMULAS: Final[dict[type, Callable[..., Any]]] = {
    ops.Exp2: lambda x: ops.pow(like(2, x), x),
    ops.Isfinite: lambda x: ops.lt(ops.abs(x), like(math.inf, x)),
    ops.LogAddExp: _log_add_exp,
}
"""By op, a function of operands."""
