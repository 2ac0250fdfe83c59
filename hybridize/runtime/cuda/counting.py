# SPDX-License-Identifier: Apache-2.0
"""Count GPUs, and say what they are. NVIDIA's management library is asked: the driver, once it started, does not
survive a fork.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import byref, c_int, c_uint, c_void_p, create_string_buffer
from typing import Any, Final

from hybridize import system
from hybridize.runtime.cuda.signatures import COUNTING, declared
from hybridize.system.interruptions import let_through

OLDEST: Final = 80
"""The architecture of the oldest GPUs that kernels are written for."""
_TEXT_BYTES: Final = 96
"""As many as any text of the library needs."""


def count() -> int:
    """Return the number of GPUs that the driver would show to this process; 0 where nobody tells.

    `CUDA_VISIBLE_DEVICES` chooses among them as the driver does: by numbers, or by the beginnings of their names, up to
    the first that is none.
    """
    with _asked() as functions:
        return len(_visible(functions)) if functions else 0


def described() -> list[tuple[str, str]]:
    """Return the names and architectures, as `sm_90`, of the GPUs that the driver would show to this process, in the
    order of their slots, which is the driver's with `CUDA_DEVICE_ORDER=PCI_BUS_ID`; an architecture that nobody tells
    is empty.
    """
    with _asked() as functions:
        return [_described(functions, word) for word in _visible(functions)] if functions else []


def build() -> str:
    """Return the release of NVIDIA's driver; empty where nobody tells."""
    with _asked() as functions:
        return _text(functions["nvmlSystemGetDriverVersion"]) if functions else ""


@contextmanager
def _asked() -> Iterator[dict[str, Any]]:
    """The functions of the library in the body of a `with`; none where it is not there, or does not start."""
    try:
        functions = declared(system.gpu_counter(), COUNTING)
    except (OSError, AttributeError) as error:
        let_through(error)
        functions = {}
    if not functions or functions["nvmlInit_v2"]():
        yield {}
        return
    try:
        yield functions
    finally:
        functions["nvmlShutdown"]()


def _text(function: Any, *args: Any) -> str:
    """The text that a function gives; empty where it gives none."""
    text = create_string_buffer(_TEXT_BYTES)
    return text.value.decode(errors="replace") if function(*args, text, len(text)) == 0 else ""


def _visible(functions: dict[str, Any]) -> list[str]:
    """The GPUs that this process may see, by numbers or names."""
    number = c_uint()
    if functions["nvmlDeviceGetCount_v2"](byref(number)):
        return []
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is None:
        return [str(index) for index in range(number.value)]
    return _chosen(visible, number.value, functions)


def _chosen(visible: str, number: int, functions: dict[str, Any]) -> list[str]:
    """The entries of `CUDA_VISIBLE_DEVICES` that are GPUs; none where one stands there twice, as the driver has it."""
    chosen: list[str] = []
    for word in map(str.strip, visible.split(",")):
        if word.isdecimal():
            names = [word] * (int(word) < number)
        elif word.startswith("MIG-"):
            names = [word]  # a part of a GPU, of which the driver alone knows
        else:
            names = [str(index) for index, name in _names(number, functions) if word and name.startswith(word)]
        if len(names) != 1:
            break
        chosen += names
    return chosen if len({*chosen}) == len(chosen) else []


def _names(number: int, functions: dict[str, Any]) -> Iterator[tuple[int, str]]:
    for index in range(number):
        name = _text(functions["nvmlDeviceGetUUID"], _handle(functions, index))
        if name:
            yield index, name


def _handle(functions: dict[str, Any], index: int) -> c_void_p:
    handle = c_void_p()
    functions["nvmlDeviceGetHandleByIndex_v2"](index, byref(handle))
    return handle


def _described(functions: dict[str, Any], word: str) -> tuple[str, str]:
    if not word.isdecimal():
        return word, ""
    handle, major, minor = _handle(functions, int(word)), c_int(), c_int()
    name = _text(functions["nvmlDeviceGetName"], handle) or f"GPU {word}"
    if functions["nvmlDeviceGetCudaComputeCapability"](handle, byref(major), byref(minor)):
        return name, ""
    return name, f"sm_{major.value}{minor.value}"
