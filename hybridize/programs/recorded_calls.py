# SPDX-License-Identifier: Apache-2.0
"""Copies of the arguments of calls, which become samples of the files that are made of a program."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.array.buffer import content_of, host_copy
from hybridize.array.ndarray import ndarray
from hybridize.base.types import TensorType
from hybridize.contract.call import Call
from hybridize.formats import sampling


def recorded(call: Call) -> tuple[Any, ...] | None:
    """Copies of the leaves of a call; None where they are too large to keep, or not there."""
    arrays = [content_of(leaf) for leaf in call.leaves if isinstance(leaf, ndarray)]
    complete = all(leaf is not None for leaf, kind in zip(call.leaves, call.kinds, strict=True) if _is_input(kind))
    if not complete or sum(array.nbytes for array in arrays) > sampling.LIMIT:
        return None
    return tuple(copied(host_copy(leaf)) if isinstance(leaf, ndarray) else leaf for leaf in call.leaves)


def _is_input(kind: Any) -> bool:
    """Tell whether a part of a key is an array or a number that is data."""
    return isinstance(kind, (TensorType, type))


def copied(array: NDArray[Any]) -> NDArray[Any]:
    """Copy an array, row by row."""
    return numpy.array(array, order="C", copy=True)
