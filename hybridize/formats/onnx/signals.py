# SPDX-License-Identifier: Apache-2.0
"""Rows of ONNX for signals: Fourier transforms, windows, bands of pitch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridize import ops
from hybridize.base.dtypes import DType
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.walk import Application
from hybridize.formats.onnx.messages import DTYPES, FLOAT, NAMES
from hybridize.formats.onnx.vocabulary import ONNX
from hybridize.ops.library.signals import cosine_window, frames, mel_weights, spectrum
from hybridize.ops.op import Operand, type_of
from hybridize.ops.views import wide


def _transform(n: Application, x: Operand, axis: int, length: Known | None) -> Operand:
    kind = type_of(x)
    axis = n.axis_of(axis, kind.ndim)
    inverse, onesided = n.flag("inverse"), n.flag("onesided")
    whole: Any = 2 * (kind.shape[axis] - 1) if inverse and onesided else kind.shape[axis]
    size = int(whole if length is None else length.item())
    return ops.cast(spectrum(ops.cast(x, wide(kind.dtype)), axis, size, inverse, onesided), kind.dtype)


@ONNX("DFT", until=19, known=(1,))
def transform_along_attribute(n: Application, x: Operand, length: Known | None = None) -> Operand:
    """The discrete Fourier transform, or its inverse."""
    return _transform(n, x, n.integer("axis", 1), length)


@ONNX("DFT", since=20, known=(1, 2))
def transform(n: Application, x: Operand, length: Known | None = None, axis: Known | None = None) -> Operand:
    """The discrete Fourier transform, or its inverse."""
    return _transform(n, x, -2 if axis is None else int(axis.item()), length)


@ONNX("STFT", known=(1, 3))
def short_time_transform(
    n: Application, x: Operand, step: Known, window: Operand | None = None, length: Known | None = None
) -> Operand:
    """The transforms of parts of a signal, each some steps after the one before."""
    of = type_of(x)
    size = int(length.item() if length is not None else of.shape[1] if window is None else type_of(window).shape[0])
    parts = frames(ops.cast(x, wide(of.dtype)), size, int(step.item()), window)
    return ops.cast(spectrum(parts, 2, size, False, n.flag("onesided", True)), of.dtype)


def _output_dtype(n: Application) -> DType:
    number = n.integer("output_datatype", FLOAT)
    if number not in DTYPES:
        n.fail(f"numbers of {NAMES.get(number, number)} are not supported")
    return DTYPES[number]


def _window(*coefficients: float) -> Callable[..., Operand]:
    return lambda n, size: cosine_window(size.item(), coefficients, n.flag("periodic", True), _output_dtype(n))


ONNX("HannWindow", known=(0,))(_window(0.5, 0.5))
ONNX("HammingWindow", known=(0,))(_window(25 / 46, 21 / 46))
ONNX("BlackmanWindow", known=(0,))(_window(0.42, 0.5, 0.08))


@ONNX("MelWeightMatrix", known=(0, 1, 2, 3, 4))
def mel_bands(n: Application, *numbers: Known) -> Operand:
    """The share of each frequency in each band of pitch."""
    bands, length, rate, low, high = (one.pinned().item() for one in numbers)
    return ops.cast(ops.constant(mel_weights(bands, length, rate, low, high)), _output_dtype(n))
