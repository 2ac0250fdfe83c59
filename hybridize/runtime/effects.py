# SPDX-License-Identifier: Apache-2.0
"""Run-time effects of programs: machine code calls back to print, or to say that an assertion does not hold.

    void effect(ptr note, ptr operands)

`note` is a zero-terminated text made when the program was compiled, one field per line: `print`, `assert` or
`bounds`, the message as a Python literal, then the type of each operand. `operands` points to their buffers. An
exception cannot travel through machine code: it is kept for this thread and raised by `Executable.run` when the program
has ended, before anything is committed.
"""

from __future__ import annotations

import ast
import ctypes
import threading
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.errors import AssertionFailed, OutOfBoundsError
from hybridize.base.types import TensorType

VARIABLE = "hybridize_effect"
"""The module variable that holds the address of `effect`; set when the module has been loaded."""


class _Raised(threading.local):
    first: BaseException | None = None


_raised = _Raised()


def note(kind: str, message: str, types: tuple[TensorType, ...]) -> str:
    """The text that tells `effect` what to do."""
    return "\n".join([kind, repr(message), *map(str, types)])


def _operands(types: list[str], pointers: int) -> list[NDArray[Any]]:
    arrays = []
    for number, text in enumerate(types):
        type_ = TensorType.parse(text)
        address = ctypes.c_void_p.from_address(pointers + 8 * number).value or 0
        data = ctypes.string_at(address, type_.nbytes)
        arrays.append(numpy.frombuffer(data, type_.dtype).reshape(type_.shape))
    return arrays


def perform(kind: str, message: str, operands: list[NDArray[Any]]) -> None:
    """Print the message with the operands in it, or raise what a failed assertion raises.

    Raises:
        AssertionFailed E520: kind is `assert` and the first operand is not true throughout.
        OutOfBoundsError E110: the same for `bounds`.
    """
    if kind == "print":
        print(message.format(*operands))
        return
    condition, *others = operands
    if not condition.all():
        if kind == "bounds":
            raise OutOfBoundsError("E110", message)
        raise AssertionFailed("E520", message.format(*others) if others else message)


def _effect(text: int, pointers: int) -> None:
    if _raised.first is not None:
        return
    try:
        kind, message, *types = ctypes.string_at(text).decode().split("\n")
        perform(kind, ast.literal_eval(message), _operands(types, pointers))
    except BaseException as problem:
        _raised.first = problem


_callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(_effect)


def address() -> int:
    """The address of `effect`; it takes the GIL by itself."""
    return ctypes.cast(_callback, ctypes.c_void_p).value or 0


def raise_pending() -> None:
    """Raise what an effect of this thread left behind."""
    problem, _raised.first = _raised.first, None
    if problem is not None:
        raise problem
