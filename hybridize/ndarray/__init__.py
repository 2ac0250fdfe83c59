# SPDX-License-Identifier: Apache-2.0
"""`F` of `hybrid_forward(F, x)` while a block runs imperatively; `hybridize.symbol` is the other face.

Both have the same functions: MXNet 1's names, and `F.np` and `F.npx`. Only the module's own name tells them apart.
"""

from __future__ import annotations

from typing import Any

from hybridize import nd
from hybridize.array import np, npx
from hybridize.array.ndarray import ndarray

NDArray = ndarray


def __getattr__(name: str) -> Any:
    try:
        return getattr(nd, name)
    except AttributeError:
        raise nd.absent(__name__, name) from None


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(nd)})


__all__ = ["NDArray", "ndarray", "np", "npx"]
