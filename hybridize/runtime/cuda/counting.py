# SPDX-License-Identifier: Apache-2.0
"""Count GPUs. NVIDIA's management library is asked: the driver, once it started, does not survive a fork."""

from __future__ import annotations

import os
from collections.abc import Iterator
from ctypes import byref, c_uint, c_void_p, create_string_buffer
from typing import Any

from hybridize import system
from hybridize.runtime.cuda.signatures import COUNTING, declared
from hybridize.system.interruptions import let_through


def count() -> int:
    """Return the number of GPUs that the driver would show to this process; 0 where nobody tells.

    `CUDA_VISIBLE_DEVICES` chooses among them as the driver does: by numbers, or by the beginnings of their names, up to
    the first that is none.
    """
    try:
        functions = declared(system.gpu_counter(), COUNTING)
    except (OSError, AttributeError) as error:
        let_through(error)
        return 0
    if functions["nvmlInit_v2"]():
        return 0
    try:
        number = c_uint()
        if functions["nvmlDeviceGetCount_v2"](byref(number)):
            return 0
        visible = os.environ.get("CUDA_VISIBLE_DEVICES")
        return number.value if visible is None else len(_chosen(visible, number.value, functions))
    finally:
        functions["nvmlShutdown"]()


def _chosen(visible: str, number: int, functions: dict[str, Any]) -> list[str]:
    """The entries of `CUDA_VISIBLE_DEVICES` that are GPUs; none where one stands there twice, as the driver has it."""
    chosen: list[str] = []
    for word in map(str.strip, visible.split(",")):
        if word.isdecimal():
            names = [word] * (int(word) < number)
        elif word.startswith("MIG-"):
            names = [word]  # a part of a GPU, of which the driver alone knows
        else:
            names = [name for name in _names(number, functions) if word and name.startswith(word)]
        if len(names) != 1:
            break
        chosen += names
    return chosen if len({*chosen}) == len(chosen) else []


def _names(number: int, functions: dict[str, Any]) -> Iterator[str]:
    for index in range(number):
        handle, name = c_void_p(), create_string_buffer(96)
        functions["nvmlDeviceGetHandleByIndex_v2"](index, byref(handle))
        if handle and functions["nvmlDeviceGetUUID"](handle, name, len(name)) == 0:
            yield name.value.decode(errors="replace")
