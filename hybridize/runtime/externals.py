# SPDX-License-Identifier: Apache-2.0
"""Functions of the process that machine code calls, by name: the mathematics library, the C library, CPython."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from hybridize.base.errors import CodegenError
from hybridize.base.interruptions import suppress


@cache
def address(name: str) -> int:
    """Return the address of the function `name` of this process.

    Raises:
        CodegenError E963: nowhere in this process.
    """
    for library in _libraries():
        try:
            function = getattr(library, name)
        except AttributeError:
            continue
        return int(ctypes.cast(function, ctypes.c_void_p).value or 0)
    raise CodegenError("E963", f"the module needs {name!r}, which is not defined in this process")


@cache
def _libraries() -> tuple[Any, ...]:
    """The process itself and, where Python was built without it, the mathematics library."""
    libraries = [ctypes.CDLL(None)]
    with suppress(OSError):  # another C library, which has its mathematics within
        libraries.append(ctypes.CDLL("libm.so.6"))
    return tuple(libraries)
