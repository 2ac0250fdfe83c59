# SPDX-License-Identifier: Apache-2.0
"""A machine as plain data. Two equal targets give byte-equal code."""

from __future__ import annotations

from hybridize.base.frozen import frozen


@frozen
class Target:
    """What codegen must know of a machine."""

    name: str
    """avx512, avx2 or baseline."""
    triple: str
    cpu: str
    """LLVM's name of the processor; empty for the generic one."""
    features: str
    """LLVM's feature string, as in `+avx2,+fma`."""
    vector_bytes: int
    """Width of a vector register, in bytes."""
    registers: int
    """Number of vector registers."""
    fma: bool
    """Whether a fused multiply-add is one instruction."""
    l1_bytes: int = 32 << 10
    l2_bytes: int = 1 << 20

    def lanes(self, itemsize: int) -> int:
        """Elements of `itemsize` bytes in one vector register."""
        return max(1, self.vector_bytes // itemsize)
