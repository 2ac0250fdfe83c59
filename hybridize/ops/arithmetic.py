# SPDX-License-Identifier: Apache-2.0
"""Arithmetic, comparison, choice and bits: the ops that every dtype family has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import bool_, is_complex, is_float, part_of
from hybridize.base.errors import DTypeError, ShapeError
from hybridize.base.types import TensorType
from hybridize.loops import expr as loops
from hybridize.loops.expr import Element
from hybridize.ops import elementwise
from hybridize.ops.elementwise import ANY, BITS, INTEGER, SIGNED_NUMBER
from hybridize.ops.op import OfComplex, Op, Operand, bind1, type_of
from hybridize.ops.views import cast, like

if TYPE_CHECKING:
    pass


class Neg(elementwise.Unary, meaning=numpy.negative, slope=lambda g, y, x: neg(g)):
    """-x"""

    of_complex = OfComplex.HOLOMORPHIC
    takes = SIGNED_NUMBER


def _slope_of_absolute(g: Operand, y: Operand, x: Operand) -> elementwise.Gradient:
    """The slope at 0, and of NaN, is 0."""
    kind, zero = type_of(x).dtype, like(0, x)
    if not is_float(kind):
        return mul(cast(g, kind), sign(x))
    return mul(g, sub(cast(gt(x, zero), kind), cast(lt(x, zero), kind)))


class Abs(elementwise.Unary, meaning=numpy.absolute, slope=_slope_of_absolute):
    """The absolute value; its slope at 0, and of NaN, is 0."""

    of_complex = OfComplex.RULED
    takes = SIGNED_NUMBER
    smooth = False

    def infer(self, *inputs: TensorType) -> tuple[TensorType, ...]:
        (kind,) = super().infer(*inputs)
        return (kind.with_dtype(part_of(kind.dtype)) if is_complex(kind.dtype) else kind,)


class Sign(elementwise.Unary, meaning=numpy.sign, slope=lambda g, y, x: like(0, x)):
    """-1, 0 or 1; NaN of NaN."""

    of_complex = OfComplex.VALUED
    takes = SIGNED_NUMBER


class Not(elementwise.Unary, meaning=numpy.invert, slope=lambda g, y, x: None):
    """Each bit inverted; of bools, the logical not."""

    takes = BITS


class Add(elementwise.Binary, meaning=numpy.add, slope=lambda g, z, x, y: (g, g)):
    """x + y; of bools, the logical or."""

    of_complex = OfComplex.HOLOMORPHIC
    takes = ANY
    of_bools = "bit_or"


class Sub(elementwise.Binary, meaning=numpy.subtract, slope=lambda g, z, x, y: (g, neg(g))):
    """x - y"""

    of_complex = OfComplex.HOLOMORPHIC
    takes = SIGNED_NUMBER


class Mul(elementwise.Binary, meaning=numpy.multiply, slope=lambda g, z, x, y: (mul(g, y), mul(g, x))):
    """x y; of bools, the logical and."""

    of_complex = OfComplex.HOLOMORPHIC
    takes = ANY
    of_bools = "bit_and"

    def partial_vjp(self, wanted: Sequence[bool], *args: Any) -> tuple[elementwise.Gradient, ...]:
        (g,), _, x, y = args
        return mul(g, y) if wanted[0] else None, mul(g, x) if wanted[1] else None


class Div(elementwise.Binary, meaning=numpy.divide, slope=lambda g, z, x, y: (div(g, y), neg(mul(g, div(z, y))))):
    """x / y, of floats"""

    of_complex = OfComplex.HOLOMORPHIC

    def partial_vjp(self, wanted: Sequence[bool], *args: Any) -> tuple[elementwise.Gradient, ...]:
        (g,), _, _, y = args
        return self.vjp(*args) if wanted[1] else (div(g, y), None)


class FloorDiv(elementwise.Binary, meaning=numpy.floor_divide, slope=lambda g, z, x, y: (like(0, x), like(0, y))):
    """The largest integer not above x / y; 0 for an integer divided by 0."""

    takes = SIGNED_NUMBER


class Mod(elementwise.Binary, meaning=numpy.remainder, slope=lambda g, z, x, y: (g, neg(mul(g, floor_div(x, y))))):
    """x - y floor(x / y), with the sign of y; 0 for an integer divided by 0."""

    takes = SIGNED_NUMBER
    smooth = False


class Max(elementwise.Binary, meaning=numpy.maximum, slope=lambda g, z, x, y: _divided(g, lt(x, y))[::-1]):
    """The larger of both, NaN where either is. At a tie the first has the gradient, as in MXNet."""

    of_complex = OfComplex.VALUED
    takes = ANY
    of_bools = "bit_or"
    smooth = False


class Min(elementwise.Binary, meaning=numpy.minimum, slope=lambda g, z, x, y: _divided(g, gt(x, y))[::-1]):
    """The smaller of both, NaN where either is. At a tie the first has the gradient, as in MXNet."""

    of_complex = OfComplex.VALUED
    takes = ANY
    of_bools = "bit_and"
    smooth = False


class FMax(elementwise.Binary, meaning=numpy.fmax, slope=lambda g, z, x, y: _divided(g, bit_or(ge(x, y), ne(y, y)))):
    """The larger of both, the other where one is NaN. At a tie the first has the gradient."""

    of_complex = OfComplex.VALUED
    takes = ANY
    of_bools = "bit_or"
    smooth = False


class FMin(elementwise.Binary, meaning=numpy.fmin, slope=lambda g, z, x, y: _divided(g, bit_or(le(x, y), ne(y, y)))):
    """The smaller of both, the other where one is NaN. At a tie the first has the gradient."""

    of_complex = OfComplex.VALUED
    takes = ANY
    of_bools = "bit_and"
    smooth = False


def _divided(g: Operand, first: Operand) -> tuple[elementwise.Gradient, elementwise.Gradient]:
    """All of `g` to the first where that was chosen, else to the second."""
    nothing = like(0, g)
    return where(first, g, nothing), where(first, nothing, g)


def _shared(g: Operand, first: Operand, tie: Operand) -> tuple[elementwise.Gradient, elementwise.Gradient]:
    """All of `g` to the one that was chosen, half of it to each at a tie; of integers, without halves, to the first."""
    if not is_float(type_of(g).dtype):
        return _divided(g, bit_or(first, tie))
    half = mul(g, like(0.5, g))
    whole, other = _divided(g, first)
    return where(tie, half, whole), where(tie, half, other)


class SharedMax(Max, slope=lambda g, z, x, y: _shared(g, gt(x, y), eq(x, y))):
    """The larger of both, NaN where either is. At a tie both share the gradient, as in PyTorch."""


class SharedMin(Min, slope=lambda g, z, x, y: _shared(g, lt(x, y), eq(x, y))):
    """The smaller of both, NaN where either is. At a tie both share the gradient, as in PyTorch."""


class BitAnd(elementwise.Binary, scalar="and", meaning=numpy.bitwise_and, slope=lambda g, z, x, y: (None, None)):
    """x and y, bit by bit"""

    takes = BITS


class BitOr(elementwise.Binary, scalar="or", meaning=numpy.bitwise_or, slope=lambda g, z, x, y: (None, None)):
    """x or y, bit by bit"""

    takes = BITS


class BitXor(elementwise.Binary, scalar="xor", meaning=numpy.bitwise_xor, slope=lambda g, z, x, y: (None, None)):
    """Either x or y, bit by bit"""

    takes = BITS


class ShiftLeft(elementwise.Binary, scalar="shl", meaning=numpy.left_shift, slope=lambda g, z, x, y: (None, None)):
    """x with its bits moved up by y; 0 where y is not below the number of bits, or negative."""

    takes = INTEGER


class ShiftRight(elementwise.Binary, scalar="shr", meaning=numpy.right_shift, slope=lambda g, z, x, y: (None, None)):
    """x with its bits moved down by y, the sign kept; 0 or -1 where y is negative or not below the number of bits."""

    takes = INTEGER


class Comparison(elementwise.Binary, abstract=True, slope=lambda g, z, x, y: (None, None)):
    """Base of the ops that give bools."""

    of_complex = OfComplex.RULED
    takes = ANY


class Eq(Comparison, meaning=numpy.equal):
    """x == y"""


class Ne(Comparison, meaning=numpy.not_equal):
    """x != y"""


class Lt(Comparison, meaning=numpy.less):
    """x < y"""


class Le(Comparison, meaning=numpy.less_equal):
    """x <= y"""


class Gt(Comparison, meaning=numpy.greater):
    """x > y"""


class Ge(Comparison, meaning=numpy.greater_equal):
    """x >= y"""


class Where(Op):
    """`x` where `condition` (bool) holds, else `y`."""

    of_complex = OfComplex.HOLOMORPHIC
    by_element = True

    smooth = False

    def infer(self, condition: TensorType, x: TensorType, y: TensorType) -> tuple[TensorType, ...]:
        if condition.dtype != bool_:
            raise DTypeError("E224", f"where takes a bool condition, got {condition}", help="compare with 0: x != 0")
        elementwise.check_equal(self, x, y)
        if condition.shape != x.shape:
            raise ShapeError("E146", f"where takes operands of one shape, got {condition}, {x} and {y}")
        return (x,)

    def reference(self, condition: NDArray[Any], x: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        return (numpy.where(condition, x, y),)

    def vjp(
        self, g: tuple[Operand], z: tuple[Operand], condition: Operand, x: Operand, y: Operand
    ) -> tuple[elementwise.Gradient, ...]:
        nothing = like(0, x)
        return None, where(condition, g[0], nothing), where(condition, nothing, g[0])

    def lower(
        self, condition: Element, x: Element, y: Element, *, types: tuple[TensorType, ...]
    ) -> tuple[Element, ...]:
        return (lambda index: loops.select(condition(index), x(index), y(index)),)


neg: elementwise.UnaryFunction = elementwise.unary(Neg)
abs: elementwise.UnaryFunction = elementwise.unary(Abs)
sign: elementwise.UnaryFunction = elementwise.unary(Sign)
bit_not: elementwise.UnaryFunction = elementwise.unary(Not)
add: elementwise.BinaryFunction = elementwise.binary(Add)
sub: elementwise.BinaryFunction = elementwise.binary(Sub)
mul: elementwise.BinaryFunction = elementwise.binary(Mul)
div: elementwise.BinaryFunction = elementwise.binary(Div)
floor_div: elementwise.BinaryFunction = elementwise.binary(FloorDiv)
mod: elementwise.BinaryFunction = elementwise.binary(Mod)
max: elementwise.BinaryFunction = elementwise.binary(Max)
min: elementwise.BinaryFunction = elementwise.binary(Min)
shared_max: elementwise.BinaryFunction = elementwise.binary(SharedMax)
shared_min: elementwise.BinaryFunction = elementwise.binary(SharedMin)
fmax: elementwise.BinaryFunction = elementwise.binary(FMax)
fmin: elementwise.BinaryFunction = elementwise.binary(FMin)
bit_and: elementwise.BinaryFunction = elementwise.binary(BitAnd)
bit_or: elementwise.BinaryFunction = elementwise.binary(BitOr)
bit_xor: elementwise.BinaryFunction = elementwise.binary(BitXor)
shift_left: elementwise.BinaryFunction = elementwise.binary(ShiftLeft)
shift_right: elementwise.BinaryFunction = elementwise.binary(ShiftRight)
eq: elementwise.BinaryFunction = elementwise.binary(Eq)
ne: elementwise.BinaryFunction = elementwise.binary(Ne)
lt: elementwise.BinaryFunction = elementwise.binary(Lt)
le: elementwise.BinaryFunction = elementwise.binary(Le)
gt: elementwise.BinaryFunction = elementwise.binary(Gt)
ge: elementwise.BinaryFunction = elementwise.binary(Ge)


def where(condition: Operand, x: Operand, y: Operand) -> Operand:
    """`x` where `condition` (bool) holds, else `y`."""
    return bind1(Where(), condition, x, y)
