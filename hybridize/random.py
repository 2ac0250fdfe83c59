# SPDX-License-Identifier: Apache-2.0
"""Random numbers by MXNet's module: NumPy's functions, and with `shape=` those of `nd.random`, which are MXNet 1's."""

from __future__ import annotations

from functools import cache, wraps
from typing import Any

from hybridize.array import legacy_random
from hybridize.array import random as numpys
from hybridize.array.nd_array import as_nd

_ONLY_LEGACY = ("shape", "get_prob")
"""Keywords that NumPy's functions have not."""
_BOTH = (
    "exponential", "gamma", "generalized_negative_binomial", "multinomial", "negative_binomial", "normal", "poisson",
    "randint", "uniform",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    return _either(name) if name in _BOTH else getattr(numpys, name)


@cache
def _either(name: str) -> Any:
    legacy = legacy_random.FUNCTIONS[name]
    own = getattr(numpys, name) if hasattr(numpys, name) else legacy

    @wraps(own)
    def call(*args: Any, **kwargs: Any) -> Any:
        return own(*args, **kwargs) if kwargs.keys().isdisjoint(_ONLY_LEGACY) else as_nd(legacy(*args, **kwargs))

    return call


def __dir__() -> list[str]:
    return sorted({*dir(numpys), *_BOTH})
