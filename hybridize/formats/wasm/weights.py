# SPDX-License-Identifier: Apache-2.0
"""The weights of a file: the bytes of arrays, equal ones once, whatever reads them."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.digests import digest
from hybridize.runtime.buffers import dense


class ModuleWeights:
    """Bytes of arrays one after the other, equal ones once."""

    def __init__(self) -> None:
        self.parts: list[memoryview] = []
        self.end = 0
        self._ranges: dict[bytes, tuple[int, int]] = {}

    def range_of(self, array: NDArray[Any]) -> tuple[int, int]:
        """Return the offset and the length of an array's bytes, which are added if they are not there."""
        content = dense(array).reshape(-1).view(numpy.uint8).data
        key = digest(content)
        if key not in self._ranges:
            self._ranges[key] = (self.end, len(content))
            self.parts.append(content)
            self.end += len(content)
        return self._ranges[key]
