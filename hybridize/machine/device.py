# SPDX-License-Identifier: Apache-2.0
"""A GPU beside a processor: threads in blocks, memory that they share, a language of its own."""

from __future__ import annotations

from hybridize.base.frozen import frozen


@frozen
class DeviceTarget:
    """The facts about blocks of threads that schedule and code generation need of a GPU."""

    ptx: tuple[int, int] | None
    """The oldest version of PTX that knows the processor, which every later driver takes: code is of this version. None
    where code is WGSL."""
    warp: int = 32
    """Threads that run in step, and exchange registers."""
    threads: int = 1024
    """Threads of a block at most."""
    shared_bytes: int = 48 << 10
    """Memory that the threads of a block share, at most, without being asked for at the launch."""
    shuffles: bool = True
    """True if the threads of a warp exchange registers, and wait for each other alone."""
    copies: bool = True
    """True if elements go to shared memory without a register between, while threads do something else."""
    at_once: int = 16
    """Bytes of neighbouring elements that a thread loads or stores at once, at most."""
    together: int = 16
    """Terms of a product that are written one after the other: beyond, a loop. Fewer make shorter code."""
    float64: bool = True
    """True if there are numbers of 64 bits: else those within functions of float32 are pairs of words."""
    tensor_cores: bool = True
    """True if warps multiply small matrices of 16-bit floats."""
    tf32: bool = False
    """True if products of float32 may round their factors to 11 bits, as tensor cores take them."""
    exact: bool = True
    """False if the compiler of kernels may regroup sums and products, and take NaN for impossible."""

    @property
    def meeting(self) -> int:
        """Threads whose states of a fold meet without shared memory."""
        return self.warp if self.shuffles else 1
