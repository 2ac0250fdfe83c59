# SPDX-License-Identifier: Apache-2.0
"""Arithmetic, comparison, choice and bits: the ops that every dtype family has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import bool_, is_complex, is_float, part_of
from hybridize.base.errors import DTypeError, ShapeError
from hybridize.base.types import TensorType
from hybridize.loops import expr as loops
from hybridize.loops.expr import Element
from hybridize.ops.cases import INFINITE, ONE, ZERO, sample_array
from hybridize.ops.elementwise import (
    ANY,
    BITS,
    INTEGER,
    SIGNED_NUMBER,
    Binary,
    Gradient,
    Unary,
    binary,
    check_equal,
    unary,
)
from hybridize.ops.op import OfComplex, Op, Operand, Sample, bind, bind1, type_of
from hybridize.ops.views import cast, like


class Neg(Unary):
    """-x"""

    of_complex = OfComplex.HOLOMORPHIC
    scalar, meaning, takes = "neg", numpy.negative, SIGNED_NUMBER

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return neg(g)


class Abs(Unary):
    """The absolute value; its slope at 0, and of NaN, is 0."""

    of_complex = OfComplex.RULED
    scalar, meaning, takes = "abs", numpy.absolute, SIGNED_NUMBER
    smooth = False

    def infer(self, *inputs: TensorType) -> tuple[TensorType, ...]:
        (kind,) = super().infer(*inputs)
        return (kind.with_dtype(part_of(kind.dtype)) if is_complex(kind.dtype) else kind,)

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        kind = type_of(x).dtype
        if not is_float(kind):
            return mul(cast(g, kind), sign(x))
        zero = like(0, x)
        return mul(g, sub(cast(gt(x, zero), kind), cast(lt(x, zero), kind)))


class Sign(Unary):
    """-1, 0 or 1; NaN of NaN."""

    of_complex = OfComplex.VALUED
    scalar, meaning, takes = "sign", numpy.sign, SIGNED_NUMBER

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return like(0, x)


class Not(Unary):
    """Each bit inverted; of bools, the logical not."""

    scalar, meaning, takes = "not", numpy.invert, BITS

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return None


class Add(Binary):
    """x + y; of bools, the logical or."""

    of_complex = OfComplex.HOLOMORPHIC
    scalar, meaning, takes = "add", numpy.add, ANY
    of_bools = "bit_or"

    def gradient(self, g: Operand, z: Operand, x: Operand, y: Operand) -> tuple[Gradient, Gradient]:
        return g, g


class Sub(Binary):
    """x - y"""

    of_complex = OfComplex.HOLOMORPHIC
    scalar, meaning, takes = "sub", numpy.subtract, SIGNED_NUMBER

    def gradient(self, g: Operand, z: Operand, x: Operand, y: Operand) -> tuple[Gradient, Gradient]:
        return g, neg(g)


class Mul(Binary):
    """x y; of bools, the logical and."""

    of_complex = OfComplex.HOLOMORPHIC
    scalar, meaning, takes = "mul", numpy.multiply, ANY
    of_bools = "bit_and"

    def gradient(self, g: Operand, z: Operand, x: Operand, y: Operand) -> tuple[Gradient, Gradient]:
        return mul(g, y), mul(g, x)

    def partial_vjp(self, wanted: Sequence[bool], *args: Any) -> tuple[Gradient, ...]:
        (g,), _, x, y = args
        return mul(g, y) if wanted[0] else None, mul(g, x) if wanted[1] else None


class Div(Binary):
    """x / y, of floats"""

    of_complex = OfComplex.HOLOMORPHIC
    scalar, meaning, second = "div", numpy.divide, (0.5, 2.0)

    def gradient(self, g: Operand, z: Operand, x: Operand, y: Operand) -> tuple[Gradient, Gradient]:
        return div(g, y), neg(mul(g, div(z, y)))

    def partial_vjp(self, wanted: Sequence[bool], *args: Any) -> tuple[Gradient, ...]:
        (g,), _, _, y = args
        return self.vjp(*args) if wanted[1] else (div(g, y), None)


class FloorDiv(Binary):
    """The largest integer not above x / y; 0 for an integer divided by 0."""

    scalar, meaning, takes, second = "floordiv", numpy.floor_divide, SIGNED_NUMBER, (0.6, 2.9)

    def gradient(self, g: Operand, z: Operand, x: Operand, y: Operand) -> tuple[Gradient, Gradient]:
        return like(0, x), like(0, y)


class Mod(Binary):
    """x - y floor(x / y), with the sign of y; 0 for an integer divided by 0."""

    scalar, meaning, takes, second = "mod", numpy.remainder, SIGNED_NUMBER, (0.6, 2.9)
    smooth = False

    def gradient(self, g: Operand, z: Operand, x: Operand, y: Operand) -> tuple[Gradient, Gradient]:
        return g, neg(mul(g, floor_div(x, y)))


class Max(Binary):
    """The larger of both, NaN where either is. At a tie the first has the gradient, as in MXNet."""

    of_complex = OfComplex.VALUED
    scalar, meaning, takes = "max", numpy.maximum, ANY
    of_bools = "bit_or"
    smooth = False

    def gradient(self, g: Operand, z: Operand, x: Operand, y: Operand) -> tuple[Gradient, Gradient]:
        return _chosen(g, lt(x, y))


class Min(Binary):
    """The smaller of both, NaN where either is. At a tie the first has the gradient, as in MXNet."""

    of_complex = OfComplex.VALUED
    scalar, meaning, takes = "min", numpy.minimum, ANY
    of_bools = "bit_and"
    smooth = False

    def gradient(self, g: Operand, z: Operand, x: Operand, y: Operand) -> tuple[Gradient, Gradient]:
        return _chosen(g, gt(x, y))


class FMax(Binary):
    """The larger of both, the other where one is NaN. At a tie the first has the gradient."""

    of_complex = OfComplex.VALUED
    scalar, meaning, takes = "fmax", numpy.fmax, ANY
    of_bools = "bit_or"
    smooth = False

    def gradient(self, g: Operand, z: Operand, x: Operand, y: Operand) -> tuple[Gradient, Gradient]:
        first, nothing = bit_or(ge(x, y), ne(y, y)), like(0, g)
        return where(first, g, nothing), where(first, nothing, g)


class FMin(Binary):
    """The smaller of both, the other where one is NaN. At a tie the first has the gradient."""

    of_complex = OfComplex.VALUED
    scalar, meaning, takes = "fmin", numpy.fmin, ANY
    of_bools = "bit_and"
    smooth = False

    def gradient(self, g: Operand, z: Operand, x: Operand, y: Operand) -> tuple[Gradient, Gradient]:
        first, nothing = bit_or(le(x, y), ne(y, y)), like(0, g)
        return where(first, g, nothing), where(first, nothing, g)


def _shared(g: Operand, first: Operand, tie: Operand) -> tuple[Gradient, Gradient]:
    """All of `g` to the one that was chosen, half of it to each at a tie; of integers, without halves, to the first."""
    nothing = like(0, g)
    if not is_float(type_of(g).dtype):
        first = bit_or(first, tie)
        return where(first, g, nothing), where(first, nothing, g)
    half = mul(g, like(0.5, g))
    return where(tie, half, where(first, g, nothing)), where(tie, half, where(first, nothing, g))


def _chosen(g: Operand, second: Operand) -> tuple[Gradient, Gradient]:
    """All of `g` to the second where that was chosen, else to the first."""
    nothing = like(0, g)
    return where(second, nothing, g), where(second, g, nothing)


class SharedMax(Max):
    """The larger of both, NaN where either is. At a tie both share the gradient, as in PyTorch."""

    def gradient(self, g: Operand, z: Operand, x: Operand, y: Operand) -> tuple[Gradient, Gradient]:
        return _shared(g, gt(x, y), eq(x, y))


class SharedMin(Min):
    """The smaller of both, NaN where either is. At a tie both share the gradient, as in PyTorch."""

    def gradient(self, g: Operand, z: Operand, x: Operand, y: Operand) -> tuple[Gradient, Gradient]:
        return _shared(g, lt(x, y), eq(x, y))


class BitAnd(Binary):
    """x and y, bit by bit"""

    scalar, meaning, takes = "and", numpy.bitwise_and, BITS

    def gradient(self, g: Operand, z: Operand, x: Operand, y: Operand) -> tuple[Gradient, Gradient]:
        return None, None


class BitOr(Binary):
    """x or y, bit by bit"""

    scalar, meaning, takes = "or", numpy.bitwise_or, BITS

    def gradient(self, g: Operand, z: Operand, x: Operand, y: Operand) -> tuple[Gradient, Gradient]:
        return None, None


class BitXor(Binary):
    """Either x or y, bit by bit"""

    scalar, meaning, takes = "xor", numpy.bitwise_xor, BITS

    def gradient(self, g: Operand, z: Operand, x: Operand, y: Operand) -> tuple[Gradient, Gradient]:
        return None, None


class ShiftLeft(Binary):
    """x with its bits moved up by y; 0 where y is not below the number of bits, or negative."""

    scalar, meaning, takes, second = "shl", numpy.left_shift, INTEGER, (0.0, 70.0)

    def gradient(self, g: Operand, z: Operand, x: Operand, y: Operand) -> tuple[Gradient, Gradient]:
        return None, None


class ShiftRight(Binary):
    """x with its bits moved down by y, the sign kept; 0 or -1 where y is negative or not below the number of bits."""

    scalar, meaning, takes, second = "shr", numpy.right_shift, INTEGER, (0.0, 70.0)

    def gradient(self, g: Operand, z: Operand, x: Operand, y: Operand) -> tuple[Gradient, Gradient]:
        return None, None


class Comparison(Binary, abstract=True):
    """Base of the ops that give bools."""

    of_complex = OfComplex.RULED
    takes = ANY

    def gradient(self, g: Operand, z: Operand, x: Operand, y: Operand) -> tuple[Gradient, Gradient]:
        return None, None

    @classmethod
    def samples(cls) -> Iterator[Sample]:
        """Ties too."""
        yield from super().samples()
        x = sample_array((2, 3))
        yield Sample((x, numpy.where(x > 0, x, -x)), cls())


class Eq(Comparison):
    """x == y"""

    scalar, meaning = "eq", numpy.equal


class Ne(Comparison):
    """x != y"""

    scalar, meaning = "ne", numpy.not_equal


class Lt(Comparison):
    """x < y"""

    scalar, meaning = "lt", numpy.less


class Le(Comparison):
    """x <= y"""

    scalar, meaning = "le", numpy.less_equal


class Gt(Comparison):
    """x > y"""

    scalar, meaning = "gt", numpy.greater


class Ge(Comparison):
    """x >= y"""

    scalar, meaning = "ge", numpy.greater_equal


class Where(Op):
    """`x` where `condition` (bool) holds, else `y`."""

    of_complex = OfComplex.HOLOMORPHIC
    by_element = True

    smooth = False

    def infer(self, condition: TensorType, x: TensorType, y: TensorType) -> tuple[TensorType, ...]:
        if condition.dtype != bool_:
            raise DTypeError("E224", f"where takes a condition of bools, got {condition}", help="compare it with 0")
        check_equal(self, x, y)
        if condition.shape != x.shape:
            raise ShapeError("E146", f"where takes operands of one shape, got {condition}, {x} and {y}")
        return (x,)

    def reference(self, condition: NDArray[Any], x: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        return (numpy.where(condition, x, y),)

    def vjp(
        self, g: tuple[Operand], z: tuple[Operand], condition: Operand, x: Operand, y: Operand
    ) -> tuple[Gradient, ...]:
        nothing = like(0, x)
        return None, where(condition, g[0], nothing), where(condition, nothing, g[0])

    def mapped(self, length: int, along: Sequence[bool], *xs: Operand) -> tuple[Operand, ...]:
        return bind(self, *xs)

    def lower(
        self, condition: Element, x: Element, y: Element, *, types: tuple[TensorType, ...]
    ) -> tuple[Element, ...]:
        return (lambda index: loops.select(condition(index), x(index), y(index)),)

    @classmethod
    def samples(cls) -> Iterator[Sample]:
        for dtype in sorted(ANY, key=str):
            x, y = sample_array((2, 3), dtype), sample_array((2, 3), dtype, seed=1)
            yield Sample((sample_array((2, 3), bool_, seed=2), x, y), cls())
        for shape in (ZERO, ONE, ()):
            yield Sample((sample_array(shape, bool_), sample_array(shape), sample_array(shape, seed=1)), cls())
        x = numpy.array(INFINITE, "f4")
        yield Sample((x > 0, x, x[::-1].copy()), cls(), grad=())
        x = sample_array((2, 3))
        yield Sample((x, x, x), cls(), fails=DTypeError)
        yield Sample((x > 0, x, x.astype("f8")), cls(), fails=DTypeError)
        yield Sample((x > 0, x, x[:1]), cls(), fails=ShapeError)
        yield Sample((x[:1] > 0, x, x), cls(), fails=ShapeError)


neg = unary(Neg)
abs = unary(Abs)
sign = unary(Sign)
bit_not = unary(Not)
add = binary(Add)
sub = binary(Sub)
mul = binary(Mul)
div = binary(Div)
floor_div = binary(FloorDiv)
mod = binary(Mod)
max = binary(Max)
min = binary(Min)
shared_max = binary(SharedMax)
shared_min = binary(SharedMin)
fmax = binary(FMax)
fmin = binary(FMin)
bit_and = binary(BitAnd)
bit_or = binary(BitOr)
bit_xor = binary(BitXor)
shift_left = binary(ShiftLeft)
shift_right = binary(ShiftRight)
eq = binary(Eq)
ne = binary(Ne)
lt = binary(Lt)
le = binary(Le)
gt = binary(Gt)
ge = binary(Ge)


def where(condition: Operand, x: Operand, y: Operand) -> Operand:
    """`x` where `condition` (bool) holds, else `y`."""
    return bind1(Where(), condition, x, y)
