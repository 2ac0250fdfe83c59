# SPDX-License-Identifier: Apache-2.0
"""Elementwise ops: equal shapes and dtypes in, the same shape out, one scalar function per element.

A subclass is a row: behind its base stand its meaning, a NumPy function, and its slope, the gradient rule; in its body
which dtypes it takes, and what else differs from the base. Parameterless ops are equal when their classes are, so one
instance of each is enough.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import FLOATS, INTEGERS, DType, bool_, code, is_complex
from hybridize.base.errors import DTypeError, ShapeError
from hybridize.base.types import TensorType
from hybridize.loops.expr import Element, Expr, call
from hybridize.loops.functions import FUNCTIONS
from hybridize.ops.op import Op, Operand, current

FLOAT = frozenset(FLOATS)
SIGNED_NUMBER = frozenset((*FLOATS, *INTEGERS))
INTEGER = frozenset(INTEGERS)
BITS = INTEGER | {bool_}
ANY = SIGNED_NUMBER | {bool_}
_NAMES = {FLOAT: "floats", SIGNED_NUMBER: "numbers", INTEGER: "integers", BITS: "integers and bools", ANY: "anything"}

Gradient = Operand | None
UnaryFunction = Callable[[Operand], Operand]
BinaryFunction = Callable[[Operand, Operand], Operand]


def check_dtype(name: str, dtypes: frozenset[DType], *inputs: TensorType) -> None:
    """Raise where what is called so does not take the dtype of a real input: `of_complex` decides about the others."""
    for kind in inputs:
        if kind.dtype not in dtypes and not is_complex(kind.dtype):
            raise DTypeError("E221", f"{name} takes {_NAMES[dtypes]}, got {kind}", help="cast first: x.astype(...)")


def check_equal(op: Op, *inputs: TensorType) -> None:
    """Raise where the inputs of `op` differ in shape or dtype."""
    first = inputs[0]
    for kind in inputs[1:]:
        if kind is first or kind == first:
            continue
        if kind.dtype != first.dtype:
            raise DTypeError(
                "E222",
                f"{op.name} takes operands of one dtype, got {' and '.join(map(str, inputs))}",
                help=f"cast both to one dtype, such as {code(first.dtype)}",
            )
        raise ShapeError(
            "E141",
            f"{op.name} takes operands of one shape, got {' and '.join(map(str, inputs))}",
            help="broadcast both to one shape",
        )


class Elementwise(Op, abstract=True):
    """Base of the ops that a scalar function says whole."""

    by_element = True

    scalar: ClassVar[str]
    """Its name in `loops.functions.FUNCTIONS`."""
    meaning: ClassVar[Callable[..., Any]]
    """Its NumPy function."""
    takes: ClassVar[frozenset[DType]] = FLOAT
    rematerialised: ClassVar[bool]
    truth: ClassVar[bool]
    """True if the result is bool: of the scalar function."""

    slope: ClassVar[Callable[..., Any]]
    """The gradient rule: from the cotangent of the result, the result and the operands to the cotangents of these."""

    def __init_subclass__(
        cls,
        *,
        abstract: bool = False,
        meaning: Callable[..., Any] | None = None,
        slope: Callable[..., Any] | None = None,
        scalar: str = "",
    ) -> None:
        """Take the rules of a row, and register the class; its word in the loop IR is its name, or `scalar`."""
        for name, rule in (("meaning", meaning), ("slope", slope)):
            if rule is not None:
                setattr(cls, name, staticmethod(rule))
        if meaning is not None:
            cls.scalar = scalar or cls.__name__.lower()
        super().__init_subclass__(abstract=abstract)
        if not abstract:
            function = FUNCTIONS[cls.scalar]
            cls.rematerialised, cls.truth = not function.dear, function.truth

    @classmethod
    def _missing(cls) -> list[str]:
        known = getattr(cls, "scalar", None) in FUNCTIONS
        scalar = [] if known else ["scalar, a name of `loops.functions.FUNCTIONS`"]
        return super()._missing() + scalar + [rule for rule in ("meaning", "slope") if not hasattr(cls, rule)]

    def __hash__(self) -> int:
        return hash(type(self))

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def infer(self, *inputs: TensorType) -> tuple[TensorType, ...]:
        """The type of the inputs, which is one; or bools of that shape."""
        first = inputs[0]
        if first.dtype not in self.takes:
            check_dtype(self.name, self.takes, first)
        if len(inputs) > 1:
            check_equal(self, *inputs)
        return (first.with_dtype(bool_) if self.truth else first,)

    def reference(self, *inputs: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """The NumPy function."""
        y = type(self).meaning(*inputs)
        return (y if type(y) is numpy.ndarray else numpy.asarray(y),)

    def lower(self, *inputs: Element, types: tuple[TensorType, ...]) -> tuple[Element, ...]:
        """One call of the scalar function."""
        result = bool_ if self.truth else types[0].dtype

        def element(index: tuple[Expr, ...]) -> Expr:
            return call(self.scalar, *(x(index) for x in inputs), dtype=result)

        return (element,)


class Unary(Elementwise, abstract=True):
    """An elementwise op of one operand."""

    def vjp(self, g: tuple[Operand, ...], y: tuple[Operand, ...], x: Operand) -> tuple[Gradient, ...]:
        """By the slope."""
        return (type(self).slope(g[0], y[0], x),)


class Binary(Elementwise, abstract=True):
    """An elementwise op of two operands."""

    of_bools: ClassVar[str] = ""
    """The word of the op that it is between bools, as in NumPy: a sum is `or`, a product `and`; empty: it is itself."""

    def vjp(self, g: tuple[Operand, ...], z: tuple[Operand, ...], x: Operand, y: Operand) -> tuple[Gradient, ...]:
        """By the slope."""
        cotangents: tuple[Gradient, ...] = type(self).slope(g[0], z[0], x, y)
        return cotangents


def unary(op: type[Unary]) -> UnaryFunction:
    """The operand function of a unary op."""
    primitive = op()

    def apply(x: Operand) -> Operand:
        return current().bind(primitive, (x,))[0]

    return _named(apply, op)


def binary(op: type[Binary]) -> BinaryFunction:
    """The operand function of a binary op."""
    primitive = op()

    def apply(x: Operand, y: Operand) -> Operand:
        return current().bind(primitive, (x, y))[0]

    return _named(apply, op)


def _named(function: Callable[..., Operand], op: type[Elementwise]) -> Callable[..., Operand]:
    function.__name__ = function.__qualname__ = op().name
    function.__doc__ = op.__doc__
    return function
