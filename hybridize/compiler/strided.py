# SPDX-License-Identifier: Apache-2.0
"""Copies between views of a device's memory: one kernel for each number of axes and width of elements."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy

from hybridize.base.loading import load_module
from hybridize.compiler.kernels import device_target, text_of
from hybridize.runtime.device_buffers import STRIDED, DeviceBuffer

_UNITS = {width: numpy.dtype(f"uint{8 * width}") for width in (1, 2, 4, 8)}
"""The type that is copied, by the bytes of an element."""
_LOADED: WeakKeyDictionary[Any, dict[Any, Any]] = WeakKeyDictionary()

Axis = tuple[int, int, int]
"""A size, and the distance of neighbours where they are read and where they are written."""


def copy_strided(source: DeviceBuffer, to: DeviceBuffer) -> None:
    """Copy all elements of a view to another one of its shape and dtype, on one device; none lies in both."""
    axes = [*zip(to.shape, source.strides, to.strides, strict=True)]
    width = to.itemsize
    if width not in _UNITS:
        axes.append((width // 8, 8, 8))
        width = 8
    merged = [(size, read // width, write // width) for size, read, write in _merged(axes)]
    gpu = to.accelerator
    known = _LOADED.setdefault(gpu, {})
    key = len(merged), width
    if key not in known:
        code = _kernel(*key, gpu.arch)
        known[key] = code, gpu.load(text_of(code.module, device_target(gpu.arch)))[code.function]
    code, function = known[key]
    numbers = {f"{name}{axis}": one[k] for axis, one in enumerate(merged) for k, name in enumerate("nrw")}
    blocks = -(-to.size * to.itemsize // width // code.threads)
    gpu.launch(
        function,
        (blocks, 1, 1),
        code.threads,
        0,
        [source.address, to.address, *(numbers[name] for name in code.numbers)],
    )


@functools.cache
def _kernel(axes: int, width: int, arch: str) -> Any:
    copies = load_module("hybridize.codegen.llvm.device.copies")
    return copies.copy_kernel(axes, _UNITS[width], device_target(arch))


def _merged(axes: Sequence[Axis]) -> list[Axis]:
    """The axes in the order in which elements are written, neighbours as one where they are one after the other."""
    merged: list[Axis] = []
    for size, read, write in sorted((one for one in axes if one[0] != 1), key=lambda one: -abs(one[2])):
        if merged and merged[-1][1:] == (read * size, write * size):
            merged[-1] = merged[-1][0] * size, read, write
        else:
            merged.append((size, read, write))
    return merged or [(1, 0, 0)]


STRIDED.fill(copy_strided)
