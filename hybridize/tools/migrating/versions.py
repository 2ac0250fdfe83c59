# SPDX-License-Identifier: Apache-2.0
"""Questions for the version of MXNet: which of them hybridize answers in another way than their author meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from hybridize.tools.migrating import names

_SECOND = re.compile(r"2(\.|$)")
"""A number of MXNet's second generation, or its first digit."""


def remedy(node: ast.Compare | ast.Call, path: Callable[[ast.expr], str | None]) -> str | None:
    """Say what to do about an expression that asks for MXNet 2; None where it asks for nothing, or for MXNet 1.

    Args:
        node: a comparison, or a call such as `mx.__version__.startswith("2")`.
        path: tells what a name stands for.
    """
    parts = [one for one in ast.walk(node) if isinstance(one, ast.expr)]
    asks = any(isinstance(one, ast.Attribute) and path(one) in _NAMES for one in parts)
    constants = [str(one.value) for one in parts if isinstance(one, ast.Constant)]
    if asks and any(map(_SECOND.match, constants)):
        return f"{names.MXNET}.__version__ is MXNet 1's, and what MXNet 2 has is there as well: say which branch runs"
    return None


_NAMES = (f"{names.MXNET}.__version__", f"{names.MXNET}.libinfo.__version__")
