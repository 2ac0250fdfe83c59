# SPDX-License-Identifier: Apache-2.0
"""`hybridize.nd`: arrays under MXNet 1's names and meanings (`nd.concat`, `nd.FullyConnected`, `nd.dot`, ...).

It is `F` of `hybrid_forward(F, x)` while a block runs imperatively; `hybridize.symbol` is the other face. Both have the
same functions: MXNet 1's names, which stand in one table, `array.legacy`, and `F.np` and `F.npx`. What they give are
`NDArray`s, whose operators and methods are MXNet 1's, too. What reads and writes files, and `nd.sparse`, are of the
room `sparse`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from hybridize.array import legacy, np, npx
from hybridize.array.nd_array import NDArray
from hybridize.base.loading import load_module
from hybridize.base.missing import missing
from hybridize.base.names import at, further
from hybridize.operator import Custom

newaxis = None

OF_FILES = ("save", "load", "load_frombuffer")
"""Functions of arrays and their files, which the other face of `F` has not."""


@cache
def _table() -> Mapping[str, Any]:
    """Make the table at the first look at it."""
    return {**legacy.table(), "Custom": Custom}


def __getattr__(name: str) -> Any:
    if name in OF_FILES:
        return getattr(load_module("hybridize.sparse.files"), name)
    if name == "sparse":
        return load_module("hybridize.sparse")
    if name == "cast_storage":
        return load_module("hybridize.sparse").cast_storage
    if name in _table():
        return _table()[name]
    place = further(__name__, name)
    if place is None:
        raise absent(__name__, name)
    return at(place)


def absent(module: str, name: str, own: Iterable[str] = ()) -> AttributeError:
    """Return the error for a name that one of the faces of `F` has not; `own` are the names that it alone has."""
    instead = {} if name.startswith("_") else {name: f"np.{name}"} if name in np.__all__ else {}
    instead |= {name: f"npx.{name}"} if name in npx.__all__ else {}
    return missing(module, name, [*_table(), *OF_FILES, *own], instead)


def __dir__() -> list[str]:
    return sorted({*__all__, *_table(), *OF_FILES, "cast_storage", "sparse"})


__all__ = ["NDArray", "newaxis", "np", "npx"]
