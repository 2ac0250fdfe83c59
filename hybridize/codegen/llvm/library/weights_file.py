# SPDX-License-Identifier: Apache-2.0
"""Know a file of weights that lies beside a library by its checksum; see `runtimes/weights_beside.h`."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

_PART = 1 << 20


def checksum(data: NDArray[Any]) -> int:
    """The sum, modulo 2^64, of w (2 i + 1) + rotl(w, 31) (4 i + 3) over all 64-bit words w, i counting from 0.

    Factors are odd, so that a change of one word always shows; each word goes in twice, as changes of the highest bits
    of two words would hide in a single sum. The bytes are a whole number of words.

    >>> checksum(numpy.array([1, 2, 0, 0, 0, 0, 0, 0], numpy.uint8)) == 0x201 * (1 + 3 * (1 << 31))
    True
    """
    words = data.view(numpy.uint64)
    total = 0
    for start in range(0, len(words), _PART):
        part = words[start : start + _PART]
        number = numpy.arange(start, start + len(part), dtype=numpy.uint64)
        turned = (part << numpy.uint64(31)) | (part >> numpy.uint64(33))
        total += int((part * (2 * number + 1) + turned * (4 * number + 3)).sum(dtype=numpy.uint64))
    return total % (1 << 64)
