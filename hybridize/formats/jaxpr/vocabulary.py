# SPDX-License-Identifier: Apache-2.0
"""`JAXPR`: the vocabulary that the tables of rows fill, and how its attributes are read."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy

from hybridize.base.dtypes import DType, as_dtype, bool_, is_float
from hybridize.base.frozen import changed
from hybridize.formats.foreign.program import ForeignGraph
from hybridize.formats.foreign.vocabulary import Vocabulary
from hybridize.formats.foreign.walk import Application

JAXPR: Final = Vocabulary("JAX", "hybridize.formats.jaxpr.rows:JAXPR", idle=lambda *attribute: True)


def sizes(n: Application, name: str) -> tuple[Any, ...]:
    """Return an attribute that is a tuple of sizes, or of tuples of them; nothing is asked of those that are dims."""
    value = n.attributes.get(name)
    if not isinstance(value, tuple):
        n.fail(f"the attribute {name} must be sizes, it is {value!r}")
    return value


def dtype_of(n: Application, name: str) -> DType:
    """Return an attribute that is the name of a dtype."""
    return as_dtype(n.text(name))


def graph_of(n: Application, name: str) -> ForeignGraph:
    """Return an attribute that is a graph."""
    value = n.attributes.get(name)
    if not isinstance(value, ForeignGraph):
        n.fail(f"the attribute {name} must be a graph, it is {value!r}")
    return value


def least(kind: DType) -> Any:
    """Return the smallest number of a dtype, which is the maximum of none."""
    if kind == bool_:
        return False
    return -math.inf if is_float(kind) else numpy.iinfo(kind).min


def most(kind: DType) -> Any:
    """Return the largest number of a dtype, which is the minimum of none."""
    if kind == bool_:
        return True
    return math.inf if is_float(kind) else numpy.iinfo(kind).max


def of_any_shape(graph: ForeignGraph) -> ForeignGraph:
    """Return a program of scalars for arrays: without what it declares of its values."""
    nodes = tuple(
        changed(node, attributes={name: of_any_shape(one) if isinstance(one, ForeignGraph) else one
                                  for name, one in node.attributes.items()})
        for node in graph.nodes
    )  # fmt: skip
    return changed(graph, nodes=nodes, declared={})
