# SPDX-License-Identifier: Apache-2.0
"""Complex numbers: their parts, and gradients that pass them.

The gradient of a real number L by z = x + iy is dL/dx + i dL/dy, as in PyTorch: a step against it makes L smaller. By a
function that has a complex derivative, dw = f'(z) dz, it passes as g_z = g_w conj(f'(z)); a rule that is written for
real numbers gives g f'(z), so it is given conj(g), and what it gives is conjugated (`pulled_back`).

Source: Kreutz-Delgado, The complex gradient operator and the CR-calculus, 2009.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import complex_of, float32, float64, is_complex, part_of
from hybridize.base.errors import DTypeError, InternalError, StateError
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType
from hybridize.ops.elementwise import Gradient, check_equal
from hybridize.ops.op import OfComplex, Op, Operand, bind1, type_of
from hybridize.ops.views import cast, like


class _OfComplex(Op, abstract=True):
    """Base of what takes complex numbers only, each element by itself."""

    of_complex = OfComplex.RULED
    by_element = True

    def infer(self, z: TensorType) -> tuple[TensorType, ...]:
        """The type of the parts."""
        if not is_complex(z.dtype):
            raise DTypeError("E243", f"{self.name} takes complex numbers, got {z}", help="cast it: x.astype(complex)")
        return (z.with_dtype(part_of(z.dtype)),)

    def lower(self, *inputs: Any, **_: Any) -> Any:
        """It is hosted before anything is lowered."""
        raise InternalError("E911", f"{self.name} was not hosted")


@frozen
class RealPart(_OfComplex):
    """The real part; in memory it is a part of the numbers."""

    linear = True

    def reference(self, z: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        return (z.real,)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], z: Operand) -> tuple[Gradient, ...]:
        return (cast(g[0], type_of(z).dtype),)


@frozen
class ImagPart(_OfComplex):
    """The imaginary part; in memory it is a part of the numbers."""

    linear = True

    def reference(self, z: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        return (z.imag,)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], z: Operand) -> tuple[Gradient, ...]:
        return (from_parts(like(0, g[0]), g[0]),)


@frozen
class Conj(_OfComplex):
    """The complex conjugate."""

    linear = True

    def infer(self, z: TensorType) -> tuple[TensorType, ...]:
        super().infer(z)
        return (z,)

    def reference(self, z: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        return (numpy.asarray(numpy.conj(z)),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], z: Operand) -> tuple[Gradient, ...]:
        return (conj(g[0]),)


@frozen
class FromParts(Op):
    """x + iy of floats."""

    of_complex = OfComplex.RULED
    by_element = linear = True

    def infer(self, x: TensorType, y: TensorType) -> tuple[TensorType, ...]:
        check_equal(self, x, y)
        if x.dtype not in (float32, float64):
            raise DTypeError("E221", f"{self.name} takes float32 or float64, got {x} and {y}", help="cast first")
        return (x.with_dtype(complex_of(x.dtype)),)

    def reference(self, x: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        z = numpy.empty(x.shape, complex_of(x.dtype))
        z.real, z.imag = x, y
        return (z,)

    def vjp(self, g: tuple[Operand], z: tuple[Operand], x: Operand, y: Operand) -> tuple[Gradient, ...]:
        return real(g[0]), imag(g[0])

    def lower(self, *inputs: Any, **_: Any) -> Any:
        """It is hosted before anything is lowered."""
        raise InternalError("E911", f"{self.name} was not hosted")


def real(z: Operand) -> Operand:
    """The real part; real numbers themselves."""
    return bind1(RealPart(), z) if is_complex(type_of(z).dtype) else z


def imag(z: Operand) -> Operand:
    """The imaginary part."""
    return bind1(ImagPart(), z)


def conj(z: Operand) -> Operand:
    """The complex conjugate; real numbers themselves."""
    return bind1(Conj(), z) if is_complex(type_of(z).dtype) else z


def from_parts(x: Operand, y: Operand) -> Operand:
    """x + iy of floats."""
    return bind1(FromParts(), x, y)


def pulled_back(
    op: Op, wanted: Sequence[bool] | None, g: tuple[Operand | None, ...], y: tuple[Operand, ...], *xs: Operand
) -> Sequence[Operand | None]:
    """Return the cotangents of the operands of an op by its rule, of complex numbers too.

    Args:
        op: what was done.
        wanted: the operands whose cotangents are asked for; None: all.
        g: cotangents of the results.
        y: the results.
        *xs: the operands.

    Raises:
        StateError E548: the op has no gradient for complex numbers.
    """
    if op.of_complex is OfComplex.VALUED and any(map(_is_complex, xs)):
        raise StateError(
            "E548",
            f"{op.name} of complex numbers has no gradient",
            help="treat its result as a constant: use x.detach() for its inputs, or autograd.pause() around it",
        )
    conjugated = op.of_complex is OfComplex.HOLOMORPHIC and any(one is not None and _is_complex(one) for one in g)
    if conjugated:
        g = tuple(None if one is None else conj(one) for one in g)
    gradients = op.vjp(g, y, *xs) if wanted is None else op.partial_vjp(wanted, g, y, *xs)
    return [None if one is None else conj(one) for one in gradients] if conjugated else gradients


def _is_complex(x: Operand) -> bool:
    return is_complex(x.dtype if type(x) is numpy.ndarray else type_of(x).dtype)
