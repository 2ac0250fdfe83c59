# SPDX-License-Identifier: Apache-2.0
"""Ops that reach the world: printing and asserting while a program runs, in the program's order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from numpy.typing import NDArray

from hybridize.base.dtypes import bool_
from hybridize.base.errors import AssertionFailed, DTypeError, LinAlgError, OutOfBoundsError, ValueArgumentError
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType
from hybridize.graph import nodes_inside
from hybridize.loops.expr import Element, Routine
from hybridize.ops.op import Effect, OfComplex, Op, Operand
from hybridize.runtime.effects import perform


@frozen
class Print(Op):
    """Write `format` to the standard output, each {} replaced by an operand; or what `recipe` makes of them."""

    of_complex = OfComplex.RULED
    format: str
    recipe: str = ""
    """See `runtime.effects.perform`; then `format` is for those who do not know recipes."""
    effect: ClassVar[Effect] = Effect.WORLD

    def infer(self, *inputs: TensorType) -> tuple[TensorType, ...]:
        return ()

    def reference(self, *inputs: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        perform("print", self.format, self.recipe, list(inputs))
        return ()

    def vjp(self, g: tuple[()], y: tuple[()], *xs: Operand) -> tuple[Operand | None, ...]:
        return (None,) * len(xs)

    def lower(self, *inputs: Element, types: tuple[TensorType, ...]) -> Routine:
        return Routine("print", (self.format, self.recipe))


@frozen
class Assert(Op):
    """Stop the program with `message` unless all elements of the first operand (bool) are true; or by an exception."""

    message: str
    recipe: str = ""
    """The exception: see `runtime.effects.perform`; then `message` is for those who do not know recipes."""
    effect: ClassVar[Effect] = Effect.WORLD
    kind: ClassVar[str] = "assert"
    """The word by which `runtime.effects` chooses the exception."""
    raises: ClassVar[type[Exception]] = AssertionFailed
    """The class of the exception, where no recipe says."""

    def infer(self, condition: TensorType, *inputs: TensorType) -> tuple[TensorType, ...]:
        if condition.dtype != bool_:
            raise DTypeError("E233", f"assert takes bools, got {condition}", help="compare with 0: x != 0")
        return ()

    def reference(self, condition: NDArray[Any], *inputs: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        perform(self.kind, self.message, self.recipe, [condition, *inputs])
        return ()

    def vjp(self, g: tuple[()], y: tuple[()], *xs: Operand) -> tuple[Operand | None, ...]:
        return (None,) * len(xs)

    def lower(self, *inputs: Element, types: tuple[TensorType, ...]) -> Routine:
        return Routine(self.kind, (self.message, self.recipe))


@frozen
class Bounds(Assert):
    """Stop the program with `message`, as an `IndexError`, unless all elements of the first operand (bool) are true."""

    kind: ClassVar[str] = "bounds"
    raises: ClassVar[type[Exception]] = OutOfBoundsError


@frozen
class Solvable(Assert):
    """Stop the program with `message`, as NumPy's `LinAlgError`, unless all elements of the operand (bool) are true."""

    kind: ClassVar[str] = "solvable"
    raises: ClassVar[type[Exception]] = LinAlgError


@frozen
class Permitted(Assert):
    """Stop the program with `message`, as a `ValueError`, unless all elements of the operand (bool) are true."""

    kind: ClassVar[str] = "permitted"
    raises: ClassVar[type[Exception]] = ValueArgumentError


def raised_by(op: Any) -> Iterator[type[Exception]]:
    """List the classes of the exceptions without a recipe that an op may raise when a program runs."""
    for each in (op, *(node.op for node in nodes_inside(op))):
        if isinstance(each, Assert) and not each.recipe:
            yield each.raises
