# SPDX-License-Identifier: Apache-2.0
"""Rows of TensorFlow about variables: handles, what they hold now, and what is written.

A variable that is written holds another value from that node on: `Walk.state`. Whoever called the walk writes what the
variables hold at its end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from hybridize import ops
from hybridize.base.dtypes import bool_, int32
from hybridize.formats.foreign.arrays import stretched
from hybridize.formats.foreign.known import Known, operand_of
from hybridize.formats.foreign.vocabulary import Value
from hybridize.formats.foreign.walk import Application
from hybridize.formats.tensorflow.vocabulary import TENSORFLOW, Handle
from hybridize.ops.op import Operand, type_of

WRITES: Final = {"AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp"}
"""Operators that write the variable which is their first input."""


@TENSORFLOW("VarHandleOp", values=True)
def handle(n: Application) -> Handle:
    """A variable, by its name."""
    return Handle(n.text("shared_name"))


def held(n: Application, variable: Value) -> Operand:
    """Return what a variable holds now."""
    return operand_of(n.walk.state[_name(n, variable)])


def hold(n: Application, variable: Value, value: Value) -> None:
    """Let a variable hold another value."""
    n.walk.state[_name(n, variable)] = value


def _name(n: Application, variable: Value) -> str:
    if not isinstance(variable, Handle) or variable.name not in n.walk.state:
        n.fail("its resource is no variable of the model", help="save a function of tensors and variables")
    return variable.name


@TENSORFLOW("ReadVariableOp", values=True)
def read(n: Application, variable: Value) -> Operand:
    """The value that a variable holds."""
    return held(n, variable)


@TENSORFLOW("VariableShape", values=True)
def shape(n: Application, variable: Value) -> Known:
    """The sizes of a variable."""
    return Known.of(list(type_of(held(n, variable)).shape), n.attributes.get("out_type", int32))


@TENSORFLOW("VarIsInitializedOp", values=True)
def initialized(n: Application, variable: Value) -> Known:
    """True: the variables of a saved model have values."""
    _name(n, variable)
    return Known.of(True, bool_)


@TENSORFLOW("DisableCopyOnRead", values=True)
def nothing(n: Application, variable: Value) -> tuple[()]:
    """Say how TensorFlow is to keep a variable."""
    return ()


@TENSORFLOW("AssignVariableOp", values=True)
def assign(n: Application, variable: Value, value: Value) -> tuple[()]:
    """Let a variable hold a value."""
    value, before = operand_of(value), type_of(held(n, variable))
    kind = type_of(value)
    if kind.dtype != before.dtype or kind.ndim != before.ndim:
        n.fail(f"the variable {variable.name!r} is {before}, and is assigned {kind}")
    hold(n, variable, value)
    return ()


def _changed(function: Callable[[Operand, Operand], Operand]) -> Callable[..., tuple[()]]:
    def row(n: Application, variable: Value, value: Value) -> tuple[()]:
        hold(n, variable, function(*stretched(held(n, variable), operand_of(value))))
        return ()

    return row


TENSORFLOW("AssignAddVariableOp", values=True)(_changed(ops.add))
TENSORFLOW("AssignSubVariableOp", values=True)(_changed(ops.sub))
