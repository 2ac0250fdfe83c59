# SPDX-License-Identifier: Apache-2.0
"""The code of the threads that programs share: compiled once, when the first program comes that has use for it."""

from __future__ import annotations

from functools import cache

from hybridize.runtime.pool import POOL


@cache
def _code() -> object:
    """The loaded module; kept for ever, as threads run it until the process ends."""
    from hybridize.codegen.llvm.engine import compile_module, host_target  # late: see the package
    from hybridize.codegen.llvm.pool import PARALLEL, SHUTDOWN, emit_pool

    loaded = compile_module(emit_pool(host_target()).text(), host_target())
    POOL.install(loaded.address(PARALLEL), loaded.address(SHUTDOWN))
    return loaded


def have_pool() -> bool:
    """Make sure that programs have threads, where this system has what they are made of; whether it has."""
    return POOL.possible() and _code() is not None
