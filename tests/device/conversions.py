# SPDX-License-Identifier: Apache-2.0
"""`cvt`: from each type to each, with its rounding, clamping and NaN."""

from __future__ import annotations

import numpy as np

from tests.device.assembly import Type
from tests.device.floats import Function, canonical

_WHOLE = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}


def _to_integer(to: Type, source: Type, mode: str) -> Function:
    """Return a conversion that clamps; NaN is 0, or the number with the highest bit where one type has 64 bits."""
    whole, limits = _WHOLE[mode], np.iinfo(to.dtype)
    high_bit = np.array(1 << (8 * to.nbytes - 1), f"u{to.nbytes}").view(to.dtype)[()]
    nan = high_bit if source.nbytes == 8 or to.nbytes == 8 else to.dtype.type(0)

    def converted(x: np.ndarray) -> np.ndarray:
        near = whole(x.astype(np.float64))
        inside = (
            (near >= float(limits.min))
            & (near <= float(limits.max))
            & (near < 2.0 ** (8 * to.nbytes - (to.kind == "s")))
        )
        result = np.where(inside, near, 0).astype(to.dtype)
        result = np.where(near < float(limits.min), to.dtype.type(limits.min), result)
        result = np.where(~inside & (near > 0), to.dtype.type(limits.max), result)
        return np.where(np.isnan(near), nan, result)

    return converted


def tf32(x: np.ndarray) -> np.ndarray:
    """Round float32 to 11 bits, ties away from zero."""
    near = (x.view(np.uint32) + np.uint32(0x1000)) & np.uint32(0xFFFFE000)
    return np.where(np.isnan(x), np.uint32(0x7FFFFFFF), near)


def conversion(to: Type, source: Type, modifiers: tuple[str, ...]) -> Function:
    """Return the conversion of one operand."""
    mode = next(iter(modifiers), "")
    if to.kind == "tf":
        return tf32
    if to.kind in ("u", "s", "b"):
        return _to_integer(to, source, mode) if source.kind == "f" else lambda x: x.astype(to.dtype)
    if mode in _WHOLE:
        return lambda x: canonical(_WHOLE[mode](x).astype(to.dtype))
    return lambda x: canonical(x.astype(to.dtype))
