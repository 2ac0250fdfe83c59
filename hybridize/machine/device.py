# SPDX-License-Identifier: Apache-2.0
"""A GPU beside a processor: threads in blocks, memory that they share, a language of its own."""

from __future__ import annotations

from hybridize.base.frozen import frozen


@frozen
class DeviceTarget:
    """The facts about blocks of threads that schedule and code generation need of a GPU."""

    ptx: tuple[int, int]
    """The oldest version of PTX that knows the processor, which every later driver takes: code is of this version."""
    warp: int = 32
    """Threads that run in step, and exchange registers."""
    threads: int = 1024
    """Threads of a block at most."""
    shared_bytes: int = 48 << 10
    """Memory that the threads of a block share, at most, without being asked for at the launch."""
    tf32: bool = False
    """True if products of float32 may round their factors to 11 bits, as tensor cores take them."""
