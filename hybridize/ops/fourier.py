# SPDX-License-Identifier: Apache-2.0
"""Discrete Fourier transforms along an axis, by NumPy's pocketfft.

Each is linear, so its gradient is the adjoint: the transform in the other direction, scaled as the given one is.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import complex_of, float32, float64, is_complex, is_float, part_of
from hybridize.base.errors import DTypeError, InternalError, ShapeError
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType
from hybridize.ops.arithmetic import mul
from hybridize.ops.complexes import real
from hybridize.ops.op import OfComplex, Op, Operand, bind1, constant, type_of
from hybridize.ops.views import Gradient, broadcast, check_axes, reshape

NORMS = {"backward": "forward", "ortho": "ortho", "forward": "backward"}
"""Words for the direction that divides by the length, each with that of the adjoint, which goes the other way."""


class _Transform(Op, abstract=True):
    """Base of the transforms along `axis`."""

    of_complex = OfComplex.RULED
    linear = True
    axis: int

    def _length(self, x: TensorType) -> int:
        """The size along the axis, which a program knows."""
        check_axes(self, (self.axis,), x)
        length = int(x.shape[self.axis])
        if not length:
            raise ShapeError("E188", f"{self.name} along axis {self.axis} of {x}: the axis is empty")
        return length

    def _refused(self, x: TensorType, takes: str) -> DTypeError:
        return DTypeError("E221", f"{self.name} takes {takes}, got {x}", help="cast first")

    def _with_length(self, x: TensorType, length: int) -> TensorType:
        shape = tuple(length if k == self.axis else int(size) for k, size in enumerate(x.shape))
        return x.with_shape(shape)

    def lower(self, *inputs: Any, **_: Any) -> Any:
        """It is hosted before anything is lowered."""
        raise InternalError("E911", f"{self.name} was not hosted")


@frozen
class Fourier(_Transform):
    """The transform of floats or complex numbers, or its inverse; `norm` says which of both divides by the length."""

    axes_named: ClassVar[tuple[str, ...]] = ("axis",)
    axis: int
    inverse: bool = False
    norm: str = "backward"

    def infer(self, x: TensorType) -> tuple[TensorType, ...]:
        if not is_complex(x.dtype) and x.dtype not in (float32, float64):
            raise self._refused(x, "float32, float64 or complex numbers")
        return (self._with_length(x, self._length(x)).with_dtype(complex_of(x.dtype)),)

    def reference(self, x: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        function = numpy.fft.ifft if self.inverse else numpy.fft.fft
        return (numpy.asarray(function(x, axis=self.axis, norm=self.norm), complex_of(x.dtype)),)  # type: ignore[arg-type]

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand) -> tuple[Gradient, ...]:
        gradient = bind1(Fourier(self.axis, not self.inverse, NORMS[self.norm]), g[0])
        return (real(gradient) if is_float(type_of(x).dtype) else gradient,)


@frozen
class RealFourier(_Transform):
    """The first half, n // 2 + 1, of the transform of n floats: the rest are its conjugates."""

    axes_named: ClassVar[tuple[str, ...]] = ("axis",)
    axis: int
    norm: str = "backward"

    def infer(self, x: TensorType) -> tuple[TensorType, ...]:
        if x.dtype not in (float32, float64):
            raise self._refused(x, "float32 or float64")
        return (self._with_length(x, self._length(x) // 2 + 1).with_dtype(complex_of(x.dtype)),)

    def reference(self, x: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        y = numpy.fft.rfft(x, axis=self.axis, norm=self.norm)  # type: ignore[arg-type]
        return (numpy.asarray(y, complex_of(x.dtype)),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand) -> tuple[Gradient, ...]:
        """The inverse counts all but the ends twice."""
        n = int(type_of(x).shape[self.axis])
        halved = _scaled_inside(g[0], self.axis, n, 0.5)
        return (bind1(InverseRealFourier(self.axis, n, NORMS[self.norm]), halved),)


@frozen
class InverseRealFourier(_Transform):
    """The `length` floats whose transform begins with n // 2 + 1 numbers; what must be real is."""

    axes_named: ClassVar[tuple[str, ...]] = ("axis",)
    axis: int
    length: int
    norm: str = "backward"

    def infer(self, x: TensorType) -> tuple[TensorType, ...]:
        if not is_complex(x.dtype):
            raise self._refused(x, "complex numbers")
        if self.length < 1 or self._length(x) != self.length // 2 + 1:
            raise ShapeError("E188", f"{self.name} to {self.length} numbers along axis {self.axis} of {x}")
        return (self._with_length(x, self.length).with_dtype(part_of(x.dtype)),)

    def reference(self, x: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        y = numpy.fft.irfft(x, self.length, axis=self.axis, norm=self.norm)  # type: ignore[arg-type]
        return (numpy.asarray(y, part_of(x.dtype)),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand) -> tuple[Gradient, ...]:
        gradient = bind1(RealFourier(self.axis, NORMS[self.norm]), g[0])
        return (_scaled_inside(gradient, self.axis, self.length, 2.0),)


def _scaled_inside(x: Operand, axis: int, n: int, by: float) -> Operand:
    """Half of a transform of n floats, all but those multiplied that are their own conjugates: at 0 and at n / 2."""
    kind = type_of(x)
    factors = numpy.full(n // 2 + 1, by, kind.dtype)
    factors[0] = 1
    if n % 2 == 0:
        factors[-1] = 1
    shape = tuple(n // 2 + 1 if k == axis else 1 for k in range(kind.ndim))
    return mul(x, broadcast(reshape(constant(factors), shape), kind.shape))
