# SPDX-License-Identifier: Apache-2.0
"""Rows of ONNX's operators that are functions of others: their bodies come from the onnx package, if it is there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridize.base import dims
from hybridize.base.errors import LoadError
from hybridize.base.loading import LOADING
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.program import ForeignGraph
from hybridize.formats.foreign.vocabulary import Value
from hybridize.formats.foreign.walk import Application
from hybridize.formats.onnx.graphs import of_function
from hybridize.formats.onnx.messages import NUMBERS, SCHEMAS
from hybridize.formats.onnx.vocabulary import ONNX
from hybridize.formats.wire import parse
from hybridize.ops.op import type_of


@ONNX("LinearAttention", "CausalConvWithState", values=True, folds=False)
def by_its_body(n: Application, *values: Value) -> tuple[Value, ...]:
    """The results of the body that ONNX defines the operator by."""
    body = _body(n, [None if x is None else x.type if isinstance(x, Known) else type_of(x) for x in values])
    return tuple(n.walk.function(body, values, n.attributes))


def _body(n: Application, kinds: Sequence[Any]) -> ForeignGraph:
    """The body of a node's operator for inputs of these types.

    Raises:
        LoadError E606: the onnx package is not there, or it has no body for the node.
    """
    try:
        with LOADING:  # late: few models need the package
            from onnx import TypeProto, defs, helper
    except ImportError:
        raise LoadError("E606", f"{n.place}: its body is defined by the onnx package, which is not installed",
                        help="pip install onnx") from None  # fmt: skip
    domain, _, name = n.node.op.rpartition("::")
    node = helper.make_node(name, n.node.inputs, n.node.outputs, domain=domain, **_plain(n))
    types = [TypeProto() if kind is None else helper.make_tensor_type_proto(
        NUMBERS[kind.dtype], [dims.text(size) if dims.is_symbolic(size) else size for size in kind.shape])
        for kind in kinds]  # fmt: skip
    try:
        schema = defs.get_schema(name, n.node.version, domain)
    except defs.SchemaError:
        raise LoadError("E606", f"{n.place}: the onnx package that is installed does not know it",
                        help="pip install --upgrade onnx") from None  # fmt: skip
    data = schema.get_context_dependent_function(node.SerializeToString(), [kind.SerializeToString() for kind in types])
    if not data:
        raise LoadError("E606", f"{n.place}: the onnx package has no body for it")
    return of_function(parse(memoryview(data), "Function", SCHEMAS, n.place), n.place)


def _plain(n: Application) -> dict[str, Any]:
    """The attributes of a node as Python's, which the onnx package takes."""
    for name, one in n.attributes.items():
        if not isinstance(one, (int, float, str, tuple)):
            n.fail(f"the attribute {name} of an operator that is defined by a body must be numbers or words")
    return dict(n.attributes)
