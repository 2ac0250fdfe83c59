# SPDX-License-Identifier: Apache-2.0
"""Arrays that are what a file holds, for as long as nobody writes them: other processes have the same elements."""

from __future__ import annotations

import weakref
from typing import Final

from hybridize.array.ndarray import ndarray
from hybridize.array.storage import Storage

_origins: Final[weakref.WeakKeyDictionary[Storage, str]] = weakref.WeakKeyDictionary()


def note_origin(array: ndarray, origin: str) -> None:
    """Say that an array holds what `origin` names: equal names mean equal elements, in any process."""
    _origins[array.storage] = origin


def origin_of(array: ndarray) -> str | None:
    """Return the name of what an array holds; None where that is not known, or somebody may have written it since."""
    return _origins.get(array.storage) if is_unwritten(array) else None


def is_unwritten(array: ndarray) -> bool:
    """Tell whether an array certainly holds what it was made with."""
    return not array.storage.version and not array.storage.exposed
