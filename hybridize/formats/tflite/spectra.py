# SPDX-License-Identifier: Apache-2.0
"""Rows of TFLite with complex numbers: spectra as two arrays of floats, so that they are machine code and can be saved.

A walk's value that is a `Spectrum` is what `RFFT2D` gives; views of it are those of both parts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridize import ops
from hybridize.base.frozen import frozen
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.walk import Application
from hybridize.formats.tflite import shapes
from hybridize.formats.tflite.vocabulary import TFLITE
from hybridize.ops.complexes import from_parts, imag, real
from hybridize.ops.library.signals import spectrum
from hybridize.ops.op import Operand, type_of


@frozen(eq=False)
class Spectrum:
    """Complex numbers as two arrays."""

    real: Operand
    imag: Operand


@TFLITE("RFFT2D", known=(1,))
def real_fourier(n: Application, x: Operand, sizes: Known) -> Spectrum:
    """The first half of the Fourier transform of the last two axes, cut or filled with zeros to given sizes."""
    shape = type_of(x).shape
    height, width = (int(size) for size in sizes.list())
    y = spectrum(ops.reshape(x, (*shape, 1)), len(shape) - 1, width, onesided=True)
    y = spectrum(y, len(shape) - 2, height) if height > 1 else ops.part(y, len(shape) - 2, 0, 1)
    whole = type_of(y).shape[:-1]
    return Spectrum(*(ops.reshape(ops.part(y, len(shape), k, k + 1), whole) for k in (0, 1)))


def _of_parts(of_both: Callable[..., Any], of_complex: Callable[..., Any]) -> Callable[..., Any]:
    return lambda n, z: of_both(z.real, z.imag) if isinstance(z, Spectrum) else of_complex(z)


PARTS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "COMPLEX_ABS": (ops.hypot, ops.abs), "REAL": (lambda re, im: re, real), "IMAG": (lambda re, im: im, imag),
    "COMPLEX": (from_parts, lambda z: z),
}  # fmt: skip
"""Operators of complex numbers, as functions of both parts and of one array; the last one makes outputs whole."""
for _name, _functions in PARTS.items():
    TFLITE(_name, folds=False)(_of_parts(*_functions))


def _of_each(row: Callable[..., Any]) -> Callable[..., Any]:
    """Return a row of arrays as one of spectra, too."""

    def apply(n: Application, z: Any, *others: Any) -> Any:
        if isinstance(z, Spectrum):
            return Spectrum(row(n, z.real, *others), row(n, z.imag, *others))
        return row(n, z, *others)

    return apply


VIEWS: dict[str, Callable[..., Any]] = {
    "RESHAPE": shapes.reshape, "SQUEEZE": shapes.squeeze, "EXPAND_DIMS": shapes.expand_dims,
    "TRANSPOSE": shapes.transpose, "SLICE": shapes.slice, "STRIDED_SLICE": shapes.strided_slice,
}  # fmt: skip
"""Operators that move elements, complex ones too: of a spectrum, those of both parts."""
for _name, _row in VIEWS.items():
    TFLITE(_name + "[complex]", known=(1, 2, 3))(_of_each(_row))
