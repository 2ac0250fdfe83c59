# SPDX-License-Identifier: Apache-2.0
"""The code of the threads that programs share: compiled once, when the first program comes that has use for it."""

from __future__ import annotations

from hybridize.base.loading import LOADING
from hybridize.base.once import once
from hybridize.compiler.host import process_module
from hybridize.machine.target import Target
from hybridize.runtime.pool import PARALLEL, POOL, SHUTDOWN


@once
def _code() -> object:
    """The loaded module; kept for ever, as threads run it until the process ends.

    Plainly generated: the first program that is shared waits for it, and what it does takes no time beside loops that
    pay to be shared.
    """
    loaded = process_module("pool", _text, level=0)
    POOL.install(loaded.address(PARALLEL), loaded.address(SHUTDOWN))
    return loaded


def _text(target: Target) -> str:
    with LOADING:
        from hybridize.codegen.llvm.process.pool import emit_pool  # late: see the package

    return emit_pool(target).text()


def have_pool() -> bool:
    """Make sure that programs have threads, where this system has what they are made of; whether it has."""
    return POOL.possible() and _code() is not None
