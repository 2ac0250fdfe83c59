# SPDX-License-Identifier: Apache-2.0
"""Shapes as torch's own Python computes them, where only a call knows their sizes.

`torch.Size` and `torch.broadcast_shapes` ask for numbers, which would make a program for each size. What a program
calls of them is here; and what calls them in `torch.distributions` is converted like code of the user's.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch.distributions import TransformedDistribution

from hybridize.base import dims
from hybridize.base.dims import is_symbolic
from hybridize.capture.convert import statements as convert
from hybridize.capture.python.router import library_router
from hybridize.torch.tensors import sizes

_METHODS = ("forward_shape", "inverse_shape")
"""Methods of transforms that compute shapes of shapes."""


def broadcast_shapes(*shapes: Any) -> Any:
    """Return the shape that shapes stretch to together.

    Raises:
        RuntimeError: they do not, as in torch.
    """
    sequences = [shape if isinstance(shape, (tuple, list)) else (shape,) for shape in shapes]
    extent = (
        dims.broadcast(*map(tuple, sequences))
        if any(is_symbolic(size) for shape in sequences for size in shape)
        else None
    )
    known: Any = torch.broadcast_shapes
    return known(*shapes) if extent is None else sizes(extent)


def size(numbers: Iterable[Any] = ()) -> Any:
    """Return `torch.Size(numbers)`, of which some may be known to calls only."""
    return sizes(tuple(numbers))


def shape_call(function: Any) -> Callable[..., Any] | None:
    """Return what a program calls for a method of `torch.distributions` that computes shapes; None for all else."""
    inside: Any = getattr(function, "__func__", None)
    if not str(getattr(inside, "__module__", "")).startswith("torch.distributions."):
        return None
    if inside is not TransformedDistribution.__init__ and inside.__name__ not in _METHODS:
        return None
    twin: Any = convert.converted(inside, library_router(inside))
    return None if twin is None else functools.partial(twin, function.__self__)
