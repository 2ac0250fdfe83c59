# SPDX-License-Identifier: Apache-2.0
"""The table of translations, and the words that translations are written with."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from hybridize import ops
from hybridize.base.dims import is_symbolic
from hybridize.base.dtypes import DType, bool_, is_float
from hybridize.base.types import TensorType
from hybridize.formats.torch_export.size_numbers import SizeNumber
from hybridize.ops import Operand, type_of

Types = tuple[TensorType, ...]
Translation = Callable[..., Any]

TABLE: dict[str, Translation] = {}


def aten(*names: str) -> Callable[[Translation], Translation]:
    """Register a translation under `aten.<name>`."""

    def register(function: Translation) -> Translation:
        for name in names:
            TABLE[f"aten.{name}"] = function
        return function

    return register


def operand(x: Any, dtype: DType, shape: Sequence[int] = ()) -> Operand:
    """A tensor or number as an operand of the given dtype, broadcast to `shape`."""
    if isinstance(x, SizeNumber):
        x = x.operand
    elif is_symbolic(x):
        x = ops.size_of(x)
    elif isinstance(x, (bool, int, float)):
        if type(x) is float and dtype.kind in "iu":
            x = int(x) if math.isfinite(x) else 0
        x = ops.scalar(_around(x, dtype) if type(x) is int and dtype.kind in "iu" else x, dtype)
    x = ops.cast(x, dtype)
    return ops.broadcast(x, tuple(shape))


def _around(x: int, dtype: DType) -> int:
    """Return the integer of a dtype that has the same last bits, as PyTorch takes what is beyond its ends."""
    limits = numpy.iinfo(dtype)
    low, count = int(limits.min), int(limits.max) - int(limits.min) + 1
    return (x - low) % count + low


def common(*xs: Any) -> DType:
    """The dtype PyTorch compares or combines in: tensors decide, numbers only lift the kind."""
    dtypes = [type_of(x).dtype for x in xs if not isinstance(x, (bool, int, float, SizeNumber))]
    shared = numpy.result_type(*dtypes) if len(set(dtypes)) > 1 else dtypes[0]
    kinds = [x.kind if isinstance(x, SizeNumber) else type(x) for x in xs]
    if float in kinds and not is_float(shared):
        return numpy.dtype(numpy.float32)
    if shared == bool_ and int in kinds:
        return numpy.dtype(numpy.int64)
    return numpy.dtype(shared)


def axes_of(axes: int | Sequence[int] | None, ndim: int) -> tuple[int, ...]:
    """Axes as they come, or all of them, counted from the first one and in order."""
    if axes is None or (not isinstance(axes, int) and not axes):
        return tuple(range(ndim))
    return tuple(sorted(axis % ndim for axis in ([axes] if isinstance(axes, int) else axes)))
