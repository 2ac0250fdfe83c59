# SPDX-License-Identifier: Apache-2.0
"""Checks of `torch.distributions`, whose own Python runs as it is, and branches on data there."""

from __future__ import annotations

from typing import Any

from hybridize.array.symbol import Symbol
from hybridize.capture.convert import statements as convert
from hybridize.capture.python.router import library_router
from hybridize.capture.trace.recording import active_trace
from hybridize.ops import Operand
from hybridize.torch.functions.reductions import all_of
from hybridize.torch.functions.table import computes


@computes("torch._is_all_true")
def _is_all_true(input: Operand) -> bool:
    """Return what those who ask branch on: true, or the call of the program raises what they would."""
    trace = active_trace()
    function: Any = _check
    check: Any = convert.converted(function, library_router(function))
    check(Symbol.of(trace, all_of(input)))
    return True


def _check(valid: Any) -> None:
    if not valid:
        raise ValueError(
            "a parameter or a value of a distribution was expected to satisfy its constraint, but is invalid; "
            "validate_args=False goes without this check"
        )
