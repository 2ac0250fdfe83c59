# SPDX-License-Identifier: Apache-2.0
"""Names that NumPy has removed since scripts for MXNet 1 were written, and what they are called now."""

from __future__ import annotations

import numpy

_OLD = {
    "float": "builtins.float", "int": "builtins.int", "bool": "builtins.bool", "object": "builtins.object",
    "str": "builtins.str", "complex": "builtins.complex", "Inf": "inf", "Infinity": "inf", "infty": "inf",
    "PINF": "inf", "NaN": "nan", "NAN": "nan", "float_": "float64", "complex_": "complex128", "unicode_": "str_",
    "string_": "bytes_", "product": "prod", "cumproduct": "cumprod", "alltrue": "all", "sometrue": "any",
    "in1d": "isin",
    "row_stack": "vstack", "round_": "round", "trapz": "trapezoid", "longfloat": "longdouble",
}  # fmt: skip
"""By what they were called; the names of Python's own types stood for them."""


def renamed(path: str, owner: str) -> str | None:
    """Return the expression that takes the place of a name that this NumPy has not; None where nothing does.

    >>> renamed("numpy.Inf", "np"), renamed("numpy.float", "onp"), renamed("numpy.inf", "np")
    ('np.inf', 'float', None)

    Args:
        path: what the expression stands for.
        owner: how NumPy is called there.
    """
    module, _, name = path.rpartition(".")
    new = _OLD.get(name)
    if module != "numpy" or new is None or name in dir(numpy):
        return None
    return new.removeprefix("builtins.") if new.startswith("builtins.") else f"{owner}.{new}"
