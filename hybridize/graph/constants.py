# SPDX-License-Identifier: Apache-2.0
"""Constants that hold one number: as a scalar they cost no memory and no load, and rules see through them."""

from __future__ import annotations

from typing import Any

import numpy

from hybridize.graph.ir import Array

LITERAL_ELEMENTS = 1 << 16
"""Constants beyond this many elements are not looked at for being one number."""


def one_number(array: Array, most: int) -> Any:
    """Return the element that all elements of a constant are, bit for bit, as a scalar of NumPy's.

    Returns:
        None where they differ, where there is none, and where there are more than `most`: nobody looks at those. None
        of complex numbers, too, which kernels do not know.
    """
    if not 0 < array.size <= most or array.dtype.kind == "c":
        return None
    flat = array.reshape(-1)
    bits = flat.view(numpy.dtype(f"u{array.dtype.itemsize}"))  # 0.0 is not -0.0, and NaN is itself
    if bits[0] != bits[-1] or (array.size > 2 and not (bits == bits[0]).all()):
        return None
    return flat[0]
