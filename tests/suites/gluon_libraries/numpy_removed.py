# SPDX-License-Identifier: Apache-2.0
"""Puts back what NumPy and Python have removed since the libraries were written: not MXNet's, and not hybridize's."""

from __future__ import annotations

import builtins
import collections
import collections.abc
import inspect
from typing import Any

import numpy


def put_back() -> None:
    """Give NumPy and Python's own modules their former names."""
    names: dict[str, Any] = {name: getattr(builtins, name) for name in ("int", "float", "complex", "object")}
    names.update(str=str, float_=numpy.float64, complex_=numpy.complex128, unicode_=numpy.str_, string_=numpy.bytes_)
    names.update(NaN=numpy.nan, Inf=numpy.inf, PINF=numpy.inf, NINF=-numpy.inf, product=numpy.prod)
    names.update(in1d=numpy.isin, cumproduct=numpy.cumprod, alltrue=numpy.all, sometrue=numpy.any)
    for name, value in names.items():
        if name not in numpy.__dict__:
            setattr(numpy, name, value)
    if "arraysetops" not in numpy.lib.__dict__:
        numpy.lib.arraysetops = numpy
    for name in collections.abc.__all__:
        if not hasattr(collections, name):
            setattr(collections, name, getattr(collections.abc, name))
    if not hasattr(inspect, "getargspec"):
        inspect.getargspec = inspect.getfullargspec  # type: ignore[attr-defined]
