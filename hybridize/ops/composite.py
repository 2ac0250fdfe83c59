# SPDX-License-Identifier: Apache-2.0
"""`Composite`: what users know as one op, kept as one node with its body; and the decorator that makes functions such.
`OfBody` is the base of the ops whose results are those of a graph.

    @composite("softmax")
    def softmax(x: Operand, axis: int = -1) -> Operand: ...

runs its body where everything is computed at once, and asks the interpreter in charge (`Interpreter.composite`)
otherwise, which may make one node of the call. Which parameters are operands is read from the annotations.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy
from numpy.typing import NDArray

from hybridize.base.errors import DTypeError, GraphError, InternalError
from hybridize.base.frozen import frozen
from hybridize.base.spans import LISTENERS, OPERATION, span
from hybridize.base.types import TensorType
from hybridize.graph import Graph
from hybridize.ops.evaluate import evaluate
from hybridize.ops.gradient import pullback
from hybridize.ops.op import ACTIVE, OfComplex, Op, Operand, capturing, current, type_of

Attributes = tuple[tuple[str, object], ...]
_Function = TypeVar("_Function", bound=Callable[..., Any])


@frozen
class OfBody(Op, abstract=True):
    """Base of the ops: their results are those of `body`."""

    if TYPE_CHECKING:

        @property
        def title(self) -> str:
            """The name that users know."""

        @property
        def body(self) -> Graph:
            """The graph."""

    def infer(self, *inputs: TensorType) -> tuple[TensorType, ...]:
        wanted = tuple([value.type for value in self.body.inputs])
        if inputs != wanted:
            got, takes = (", ".join(map(str, kinds)) for kinds in (inputs, wanted))
            raise GraphError("E906", f"{self.title} takes ({takes}), got ({got})")
        return tuple([value.type for value in self.body.outputs])

    def reference(self, *inputs: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        return tuple(evaluate(self.body, inputs))

    def lower(self, *inputs: Any, **_: Any) -> Any:
        """It is inlined before anything is lowered, unless a class says otherwise."""
        raise InternalError("E911", f"{self.title}, a {self.word}, was not inlined")


@frozen
class Composite(OfBody):
    """A named sub-graph: its label and attributes are the users' (and MXNet's), its meaning is the body alone."""

    of_complex = OfComplex.RULED
    label: str
    attributes: Attributes
    body: Graph

    @property
    def name(self) -> str:
        """The label."""
        return self.label

    @property
    def title(self) -> str:
        """The same."""
        return self.label

    def vjp(self, g: tuple[Operand | None, ...], y: tuple[Operand, ...], *xs: Operand) -> tuple[Operand | None, ...]:
        return pullback(self.body, xs, g)


class CompositeBody:
    """A function of operands under names, its other parameters being what they are."""

    __slots__ = ("_function", "_names", "_rest")

    def __init__(self, function: Callable[..., Any], names: tuple[str, ...], rest: Mapping[str, object]) -> None:
        self._function, self._names, self._rest = function, names, rest

    def __call__(self, *operands: Operand) -> tuple[Operand, ...]:
        result = self._function(**dict(zip(self._names, operands, strict=True)), **self._rest)
        return result if isinstance(result, tuple) else (result,)

    @property
    def key(self) -> tuple[Hashable, ...] | None:
        """Equal for functions that do the same; None where a parameter is more than numbers and words."""
        rest = tuple([(name, _plain(value)) for name, value in self._rest.items()])
        return None if None in [value for _, value in rest] else (self._function, self._names, rest)


def _plain(value: object) -> Hashable:
    """Tell a value from all others that a program can be made of, 1 from 1.0 and 0.0 from -0.0; None for some."""
    if type(value) is tuple:
        parts = tuple(map(_plain, value))
        return None if None in parts else parts
    if value is None or type(value) in (bool, int, str):
        return type(value), value
    if type(value) is float:
        return float, value.hex()
    return ("dtype", value.str, value.num) if isinstance(value, numpy.dtype) else None


def composite(
    label: str, attributes: Callable[..., Mapping[str, object]] | None = None
) -> Callable[[_Function], _Function]:
    """Make an operand function one op to its users.

    Args:
        label: its name, MXNet's where that has one.
        attributes: from the function's arguments, what files say of it besides the parameters that are no operands, or
            instead of them; None leaves one out.
    """

    def decorate(function: _Function) -> _Function:
        signature = inspect.signature(function)
        names = list(signature.parameters)
        defaults = {name: p.default for name, p in signature.parameters.items() if p.default is not p.empty}
        operands = [name for name, p in signature.parameters.items() if "Operand" in str(p.annotation)]
        others = [name for name in names if name not in operands]
        if not operands:
            raise InternalError("E912", f"{function.__name__} names no parameter an Operand, so it is not a composite")
        if any(p.kind is not p.POSITIONAL_OR_KEYWORD for p in signature.parameters.values()):
            raise InternalError("E912", f"{function.__name__} has parameters that go by position or by name alone")

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if not ACTIVE or not capturing():
                for one in (*args, *kwargs.values()):
                    if getattr(getattr(one, "dtype", None), "kind", "") == "c":
                        raise _of_real(label, (one,))
                return span(OPERATION, label, function, *args, **kwargs) if LISTENERS else function(*args, **kwargs)
            arguments = defaults | dict(zip(names, args)) | kwargs  # noqa: B905 - those left have defaults
            if (
                len(arguments) != len(names)
                or len(args) > len(names)
                or not kwargs.keys().isdisjoint(names[: len(args)])
            ):
                signature.bind(*args, **kwargs)  # says what is wrong
            values = {name: arguments[name] for name in operands if arguments[name] is not None}
            rest = {name: arguments[name] for name in names if name not in values}
            own = {} if attributes is None else attributes(**arguments)
            parameters = {name: value for name, value in own.items() if value is not None}
            parameters |= {name: rest[name] for name in others if name not in own}

            results = composed(label, parameters, CompositeBody(function, tuple(values), rest), tuple(values.values()))
            return results[0] if len(results) == 1 else results

        return cast(_Function, call)

    return decorate


def _of_real(label: str, operands: Sequence[Operand]) -> DTypeError:
    kinds = " and ".join(str(type_of(one)) for one in operands)
    return DTypeError("E242", f"{label} takes real numbers, got {kinds}", help="use x.real, x.imag or np.abs(x)")


def composed(
    label: str,
    attributes: Mapping[str, object],
    function: Callable[..., Sequence[Operand]],
    operands: Sequence[Operand],
) -> tuple[Operand, ...]:
    """Apply a function of any number of operands that is one op to its users, as `composite` does one of a few."""
    interpreter = current()
    for one in operands:
        if interpreter.type_of(one).dtype.kind == "c":
            raise _of_real(label, operands)
    if not ACTIVE or not capturing():
        return tuple(span(OPERATION, label, function, *operands) if LISTENERS else function(*operands))
    return tuple(interpreter.composite(label, tuple(attributes.items()), function, tuple(operands)))
