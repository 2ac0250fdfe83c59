# SPDX-License-Identifier: Apache-2.0
"""Rows of TensorFlow that call functions: the bodies in their places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridize.formats.foreign.known import Known, operand_of
from hybridize.formats.foreign.program import ForeignGraph, FunctionName
from hybridize.formats.foreign.vocabulary import Value
from hybridize.formats.foreign.walk import Application
from hybridize.formats.tensorflow.vocabulary import TENSORFLOW
from hybridize.ops.custom import CustomGradient
from hybridize.ops.op import bind, type_of
from hybridize.ops.tracing import make_graph


def function_of(n: Application, name: str) -> ForeignGraph:
    """Return the function that an attribute names."""
    return named(n, n.attributes.get(name))


def named(n: Application, call: Any) -> ForeignGraph:
    """Return the function that a value of an attribute names."""
    if not isinstance(call, FunctionName) or call.function not in n.walk.program.functions:
        n.fail(f"it calls {call!r}, which is no function of the model")
    return n.walk.program.functions[call.function]


@TENSORFLOW("PartitionedCall", "StatefulPartitionedCall", values=True)
def call(n: Application, *arguments: Value) -> Sequence[Value]:
    """The results of a function."""
    return tuple(n.walk.function(function_of(n, "f"), arguments, {}))


@TENSORFLOW("IdentityN", values=True)
def identities(n: Application, *xs: Value) -> Sequence[Value]:
    """The values themselves; where the node names a gradient of its own, the gradients of ours are by that."""
    if not n.has("gradient"):
        return xs
    rule, wrt = function_of(n, "gradient"), n.integers("wrt", ())
    count = len(n.attributes["T"])  # inputs behind these are values that the rule reads
    if all(isinstance(xs[k], Known) for k in wrt):
        return xs[:count]
    operands = [operand_of(x) for x in xs]
    types = [type_of(x) for x in operands]
    body = make_graph(lambda *inputs: list(inputs[:count]), types)
    back = n.walk.body(rule, types, (), {})
    reads = (*range(count), *range(3 * count, 2 * count + len(xs)))
    results = bind(CustomGradient(n.node.name, body, back, count, reads, wrt), *operands)
    return tuple(x if isinstance(x, Known) else y for x, y in zip(xs, results, strict=False))
