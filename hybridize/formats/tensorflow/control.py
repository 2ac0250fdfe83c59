# SPDX-License-Identifier: Apache-2.0
"""Rows of TensorFlow with functions inside: calls, branches, loops."""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.formats.foreign.program import Call, ForeignGraph
from hybridize.formats.foreign.vocabulary import Application, Value
from hybridize.formats.tensorflow.vocabulary import TENSORFLOW


def function_of(n: Application, name: str) -> ForeignGraph:
    """Return the function that an attribute names."""
    call = n.attributes.get(name)
    if not isinstance(call, Call) or call.function not in n.walk.program.functions:
        n.fail(f"the attribute {name} must be a function of the model, it is {call!r}")
    return n.walk.program.functions[call.function]


@TENSORFLOW("PartitionedCall", "StatefulPartitionedCall", values=True)
def call(n: Application, *arguments: Value) -> Sequence[Value]:
    """The results of a function."""
    return tuple(n.walk.function(function_of(n, "f"), arguments, {}))
