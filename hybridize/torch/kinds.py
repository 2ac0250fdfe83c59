# SPDX-License-Identifier: Apache-2.0
"""Tensors of the types that `compile` is given."""

from __future__ import annotations

import torch

from hybridize.base.errors import ArgumentError, GraphError
from hybridize.base.types import TensorType
from hybridize.formats import sampling
from hybridize.graph import Graph, Value
from hybridize.torch.memory import as_tensor


def example(spec: str) -> torch.Tensor:
    """A tensor of a type such as `f32[2,3]`: standard normal numbers, or zeros and ones.

    Raises:
        ArgumentError E347: the text is no type.
    """
    try:
        kind = TensorType.parse(spec)
    except GraphError as error:
        raise ArgumentError("E347", f"compile: {error.what}", help=error.help) from None
    (array,) = next(sampling.candidates(Graph((Value(kind),), (), ()), 1))
    return as_tensor(array)
