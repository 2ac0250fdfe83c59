# SPDX-License-Identifier: Apache-2.0
"""The code of the threads that programs share: compiled once, when the first program comes that has use for it."""

from __future__ import annotations

from hybridize.base.once import once
from hybridize.compiler.host import process_module
from hybridize.runtime.pool import PARALLEL, POOL, SHUTDOWN


@once
def _code() -> object:
    """The loaded module; kept for ever, as threads run it until the process ends."""
    loaded = process_module("pool")
    POOL.install(loaded.address(PARALLEL), loaded.address(SHUTDOWN))
    return loaded


def have_pool() -> bool:
    """Make sure that programs have threads, where this system has what they are made of; whether it has."""
    return POOL.possible() and _code() is not None
