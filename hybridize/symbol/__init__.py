# SPDX-License-Identifier: Apache-2.0
"""`F` of `hybrid_forward(F, x)` while a block is compiled, and symbolic expressions written by hand.

    a, b = sym.var("a"), sym.var("b")
    program = (a + b).compile(a=(2, 3), b=(2, 3))

The functions are those of `hybridize.ndarray`: MXNet 1's names, and `F.np` and `F.npx`. On variables they make untyped
expressions; types come with `compile` or `infer_shape`.
"""

from __future__ import annotations

from typing import Any

from hybridize import nd
from hybridize.array import np, npx
from hybridize.array.symbol import Symbol
from hybridize.symbol.expression import Expression, var

Variable = var


def __getattr__(name: str) -> Any:
    if name in nd.OF_FILES:
        raise nd.absent(__name__, name)
    try:
        return getattr(nd, name)
    except AttributeError:
        raise nd.absent(__name__, name) from None


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(nd)} - {*nd.OF_FILES})


__all__ = ["Expression", "Symbol", "Variable", "np", "npx", "var"]
