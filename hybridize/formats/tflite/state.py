# SPDX-License-Identifier: Apache-2.0
"""Variables of TFLite models: state of the program, with first values that the model's own graph computes at load."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.frozen import changed
from hybridize.formats.foreign.known import Handle, operand_of
from hybridize.formats.foreign.program import ForeignProgram, FunctionName
from hybridize.formats.foreign.vocabulary import Value
from hybridize.formats.foreign.walk import Application, Walk
from hybridize.formats.tflite.vocabulary import TFLITE


@TFLITE("VAR_HANDLE", values=True)
def handle(n: Application) -> Handle:
    """A variable."""
    container = n.attributes.get("container", "")
    return Handle("/".join(filter(None, (container, n.text("name", "")))))


def _named(n: Application, variable: Value) -> str:
    if not isinstance(variable, Handle):
        n.fail("its first input is no variable")
    return variable.name


@TFLITE("READ_VARIABLE", values=True)
def read_variable(n: Application, variable: Value) -> Value:
    """The present value of a variable."""
    name = _named(n, variable)
    if name not in n.walk.state:
        n.fail(
            f"the variable {name!r} has no value", help="the model sets it neither at its start nor before this node"
        )
    return n.walk.state[name]


@TFLITE("ASSIGN_VARIABLE", values=True)
def assign_variable(n: Application, variable: Value, value: Value) -> tuple[Value, ...]:
    """Give a variable another value."""
    n.walk.state[_named(n, variable)] = operand_of(value)
    return ()


@TFLITE("CALL_ONCE", values=True)
def call_once(n: Application) -> tuple[Value, ...]:
    """Nothing: what it calls gave the variables their first values when the model was loaded."""
    return ()


def first_values(program: ForeignProgram) -> ForeignProgram:
    """Return a program with its variables' first values: the graphs that it calls once are run.

    Raises:
        LoadError E603: there is a variable in a branch or a loop.
    """
    state: dict[str, Value] = dict(program.state)
    walk = Walk(program, state)
    for node in program.graph.nodes:
        if node.op == "CALL_ONCE":
            init = node.attributes["init"]
            walk.function(program.functions[init.function], (), {})
    firsts: dict[str, NDArray[Any]] = {name: numpy.asarray(value) for name, value in state.items()}
    _check_writes(program)
    return changed(program, state=firsts)


def _check_writes(program: ForeignProgram) -> None:
    """Refuse variables that are read or written in branches and loops."""
    inside = [one.function for node in program.graph.nodes for one in node.attributes.values()
              if isinstance(one, FunctionName) and node.op != "CALL_ONCE"]  # fmt: skip
    seen: set[str] = set()
    while inside:
        name = inside.pop()
        if name in seen:
            continue
        seen.add(name)
        for node in program.functions[name].nodes:
            if node.op == "VAR_HANDLE":
                n = Application(node, node.attributes, Walk(program), {})
                n.fail("a variable in a branch or a loop is not supported", help="read and write it outside")
            inside += [one.function for one in node.attributes.values() if isinstance(one, FunctionName)]
