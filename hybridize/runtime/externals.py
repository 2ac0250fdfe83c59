# SPDX-License-Identifier: Apache-2.0
"""Functions of the process that machine code calls, by name: the mathematics library, the C library, CPython."""

from __future__ import annotations

from functools import cache

from hybridize import system
from hybridize.base.errors import CodegenError


@cache
def address(name: str) -> int:
    """Return the address of the function `name` of this process.

    Raises:
        CodegenError E963: nowhere in this process.
    """
    place = system.function_address(name)
    if not place:
        raise CodegenError("E963", f"the module needs {name!r}, which is not defined in this process")
    return place
