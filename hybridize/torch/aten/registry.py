# SPDX-License-Identifier: Apache-2.0
"""The table of translations, and the words that translations are written with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hybridize.base.types import TensorType

Types = tuple[TensorType, ...]
Translation = Callable[..., Any]

TABLE: dict[str, Translation] = {}


def aten(*names: str) -> Callable[[Translation], Translation]:
    """Register a translation under `aten.<name>`."""

    def register(function: Translation) -> Translation:
        for name in names:
            TABLE[f"aten.{name}"] = function
        return function

    return register


def axes_of(axes: int | Sequence[int] | None, ndim: int) -> tuple[int, ...]:
    """Axes as they come, or all of them, counted from the first one and in order."""
    if axes is None or (not isinstance(axes, int) and not axes):
        return tuple(range(ndim))
    return tuple(sorted(axis % ndim for axis in ([axes] if isinstance(axes, int) else axes)))
