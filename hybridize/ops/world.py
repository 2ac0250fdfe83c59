# SPDX-License-Identifier: Apache-2.0
"""Ops that reach the world: printing and asserting while a program runs, in the program's order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from numpy.typing import NDArray

from hybridize.base.dtypes import bool_
from hybridize.base.errors import DTypeError
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType
from hybridize.graph import nodes_inside
from hybridize.loops.expr import Element, Routine
from hybridize.ops.op import Effect, OfComplex, Op
from hybridize.runtime.effects import RAISES, perform


@frozen
class Message(Op, abstract=True):
    """Base of the ops without results: what they say of their operands is printed or raised by `runtime.effects`."""

    effect: ClassVar[Effect] = Effect.WORLD
    differentiable = False
    kind: ClassVar[str]
    """The word by which `runtime.effects.perform` chooses."""

    @property
    def _words(self) -> tuple[str, str]:
        fields: tuple[str, ...] = self.__match_args__
        message, recipe = (getattr(self, one) for one in fields)
        return message, recipe

    def infer(self, *inputs: TensorType) -> tuple[TensorType, ...]:
        return ()

    def reference(self, *inputs: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        perform(self.kind, *self._words, list(inputs))
        return ()

    def lower(self, *inputs: Element, types: tuple[TensorType, ...]) -> Routine:
        return Routine(self.kind, self._words)


@frozen
class Print(Message):
    """Write `format` to the standard output, each {} replaced by an operand; or what `recipe` makes of them."""

    of_complex = OfComplex.RULED
    format: str
    recipe: str = ""
    """See `runtime.effects.perform`; then `format` is for those who do not know recipes."""
    kind = "print"


@frozen
class Assert(Message):
    """Stop the program with `message` unless all elements of the first operand (bool) are true; or by an exception."""

    message: str
    recipe: str = ""
    """The exception: see `runtime.effects.perform`; then `message` is for those who do not know recipes."""
    kind = "assert"

    @property
    def raises(self) -> type[Exception]:
        """The class of the exception, where no recipe says."""
        return RAISES[self.kind][0]

    def infer(self, *inputs: TensorType) -> tuple[TensorType, ...]:
        if inputs[0].dtype != bool_:
            raise DTypeError("E233", f"assert takes bools, got {inputs[0]}", help="compare with 0: x != 0")
        return ()


@frozen
class Bounds(Assert):
    """Stop the program with `message`, as an `IndexError`, unless all elements of the first operand (bool) are true."""

    kind = "bounds"


@frozen
class Solvable(Assert):
    """Stop the program with `message`, as NumPy's `LinAlgError`, unless all elements of the operand (bool) are true."""

    kind = "solvable"


@frozen
class Permitted(Assert):
    """Stop the program with `message`, as a `ValueError`, unless all elements of the operand (bool) are true."""

    kind = "permitted"


def raised_by(op: Any) -> Iterator[type[Exception]]:
    """List the classes of the exceptions without a recipe that an op may raise when a program runs."""
    for each in (op, *(node.op for node in nodes_inside(op))):
        if isinstance(each, Assert) and not each.recipe:
            yield each.raises
