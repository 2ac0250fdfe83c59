# SPDX-License-Identifier: Apache-2.0
"""`hybridize.nd`: arrays under MXNet 1's names and meanings (`nd.concat`, `nd.FullyConnected`, `nd.dot`, ...).

The names stand in one table, `array.legacy`, which the two faces of `F` share. There is one array class; it prints in
the style of `np`. `save` and `load` belong to the file formats.
"""

from __future__ import annotations

from typing import Any

from hybridize.array import legacy, np, npx
from hybridize.array.ndarray import ndarray

NDArray = ndarray
newaxis = None

_TABLE = legacy.table()


def __getattr__(name: str) -> Any:
    try:
        return _TABLE[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; np and npx have the rest") from None


def __dir__() -> list[str]:
    return sorted([*globals(), *_TABLE])


__all__ = ["NDArray", "ndarray", "newaxis", "np", "npx"]
