# SPDX-License-Identifier: Apache-2.0
"""`JAXPR`: the vocabulary that the tables of rows fill, and how its attributes are read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

import numpy

from hybridize.base.dtypes import DType, as_dtype, bool_, is_float
from hybridize.base.frozen import changed
from hybridize.formats.foreign.program import ForeignGraph
from hybridize.formats.foreign.vocabulary import Vocabulary
from hybridize.formats.foreign.walk import Application

_IDLE: Final = {
    "what JAX notes of calls and of rules, which it has applied":
        "name attributes version inline donated_invars keep_unused compiler_options_kvs policy prevent_cse "
        "differentiated in_tree out_tree out_trees rule jvp_jaxpr_fun jvp_jaxpr_thunk symbolic_zeros "
        "custom_jvp_call.num_consts computation branches_platforms pvary.axes",
    "where arrays lie, and on which devices":
        "sharding out_sharding in_shardings out_shardings layout in_layouts out_layouts ctx_mesh context_mesh mesh "
        "resource_env unconstrained_dims memory_space devices srcs copy_semantics",
    "how precise a result is at least, and ours is no less": "precision accuracy approx_top_k.recall_target",
    "how a device computes it":
        "unroll linear _split_transpose algorithm implementation use_magma approx_top_k.reduction_input_size_override",
    "of real numbers it changes nothing, and others are refused": "triangular_solve.conjugate_a",
    "ours keeps the order of equal ones, and has eigenvalues in order": "is_stable sort_eigenvalues",
    "operands have their types themselves": "weak_type input_dtype",
}  # fmt: skip
IDLE: Final[Mapping[str, str]] = {name: reason for reason, names in _IDLE.items() for name in names.split()}
"""Parameters that change nothing of what a call computes here, of all primitives or of one, each with the reason."""


def _idle(op: str, name: str, value: Any) -> bool:
    return value is None or value == () or name in IDLE or f"{op}.{name}" in IDLE


JAXPR: Final = Vocabulary("JAX", "hybridize.formats.jaxpr.rows:JAXPR", idle=_idle)


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
