# SPDX-License-Identifier: Apache-2.0
"""Rows of TensorFlow about variables: handles, what they hold now, and what is written.

A variable that is written holds another value from that node on: `Walk.state`. Whoever called the walk writes what the
variables hold at its end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from hybridize import ops
from hybridize.base.dtypes import bool_
from hybridize.formats.foreign.arrays import aligned, stretched
from hybridize.formats.foreign.known import Known, operand_of
from hybridize.formats.foreign.vocabulary import Application, Value
from hybridize.formats.tensorflow.shapes import gathered, points_of
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
    dtype = n.attributes.get("out_type")
    return Known.of(list(type_of(held(n, variable)).shape), *(() if dtype is None else (dtype,)))


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


@TENSORFLOW("ResourceGather", values=True)
def gather(n: Application, variable: Value, indices: Value) -> Operand:
    """The rows of a variable at indices; each of the batch has its own where there are axes of it."""
    return gathered(n, held(n, variable), operand_of(indices), 0)


@TENSORFLOW("ResourceGatherNd", values=True)
def gather_nd(n: Application, variable: Value, points: Value) -> Operand:
    """The elements or rows of a variable at points."""
    value = held(n, variable)
    return ops.gather_nd(value, points_of(n, operand_of(points), type_of(value).shape))


def _scattered(mode: str, rows: bool, sign: int = 1) -> Callable[..., tuple[()]]:
    def row(n: Application, variable: Value, at: Value, updates: Value) -> tuple[()]:
        points, base = operand_of(at), held(n, variable)
        if rows:
            points = ops.reshape(points, (*type_of(points).shape, 1))
        points = points_of(n, points, type_of(base).shape)
        inner = type_of(base).shape[type_of(points).shape[-1] :]
        values = aligned(operand_of(updates), (*type_of(points).shape[:-1], *inner))
        hold(n, variable, ops.scatter_nd(base, points, values if sign > 0 else ops.neg(values), mode))
        return ()

    return row


for _kind, _rows in (("", True), ("Nd", False)):
    for _way, _mode, _sign in (("Add", "add", 1), ("Sub", "add", -1), ("Update", "set", 1)):
        TENSORFLOW(f"ResourceScatter{_kind}{_way}", values=True)(_scattered(_mode, _rows, _sign))
        WRITES.add(f"ResourceScatter{_kind}{_way}")
