# SPDX-License-Identifier: Apache-2.0
"""`ArrayLike`, the annotation of parameters to which a Python number is data."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

ArrayLike = Any
"""Annotates parameters of functions of arrays to which a Python number is data, not a size, an axis or a setting.

While capturing, such a number may be one that only the call knows; all others are numbers of the program.
"""


def data_parameters(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> frozenset[int]:
    """Tell which arguments of a call are data, by their numbers, those by keyword counted behind the others."""
    parameters = _annotated(getattr(function, "__func__", function))
    offset = 1 if hasattr(function, "__self__") and inspect.ismethod(function) else 0
    by_position = {k for k in range(len(args)) if k + offset in parameters}
    return frozenset(by_position | {len(args) + k for k, name in enumerate(kwargs) if name in parameters})


@lru_cache(maxsize=1024)
def _annotated(function: Callable[..., Any]) -> frozenset[int | str]:
    """Places and names of the parameters that are annotated so."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # of some functions in C nothing is known
        return frozenset()
    data = [(k, one.name) for k, one in enumerate(parameters) if "ArrayLike" in str(one.annotation)]
    return frozenset(part for pair in data for part in pair)
