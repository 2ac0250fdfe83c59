# SPDX-License-Identifier: Apache-2.0
"""Rows of TensorFlow that call functions: the bodies in their places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridize.formats.foreign.program import ForeignGraph, FunctionName
from hybridize.formats.foreign.vocabulary import Value
from hybridize.formats.foreign.walk import Application
from hybridize.formats.tensorflow.vocabulary import TENSORFLOW


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
