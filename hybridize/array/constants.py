# SPDX-License-Identifier: Apache-2.0
"""Dtypes of `hybridize.np` that NumPy has not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy

from hybridize.base import dtypes

if TYPE_CHECKING:
    from hybridize.base.dtypes import DType


bfloat16: DType = dtypes.bfloat16
integer_dtypes: list[numpy.dtype[Any]] = [
    numpy.dtype(f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)
]
floating_dtypes: list[numpy.dtype[Any]] = [numpy.dtype(f"float{bits}") for bits in (16, 32, 64)]
numeric_dtypes: list[numpy.dtype[Any]] = [*integer_dtypes, *floating_dtypes]
boolean_dtypes: list[numpy.dtype[Any]] = [numpy.dtype("bool")]
"""MXNet's lists of dtypes, for tests that go through them."""
