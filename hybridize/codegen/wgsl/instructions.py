# SPDX-License-Identifier: Apache-2.0
"""The names of LLVM's types, numbers, operators and functions in WGSL.

Integers of fewer than 32 bits are `i32` registers that hold them without a sign; those of 64 bits are `i32` where they
fit, else pairs of words. A float64 is the pair of words that its bits are.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from enum import Enum
from typing import Final


class RegisterForm(Enum):
    """The type of a register."""

    BOOL = "bool"
    INT = "i32"
    WIDE = "vec2<u32>"
    FLOAT = "f32"
    DOUBLE = "vec2<u32> "


OPERATORS: Final[Mapping[str, str]] = {
    "add": "+", "sub": "-", "mul": "*", "udiv": "/", "sdiv": "/", "urem": "%", "srem": "%", "and": "&", "or": "|",
    "xor": "^", "fadd": "+", "fsub": "-", "fmul": "*", "fdiv": "/",
}  # fmt: skip
FLOAT_CALLS: Final[Mapping[str, Mapping[str, str]]] = {
    "float": {
        "fma": "fma", "fmuladd": "fma", "fabs": "abs_", "sqrt": "sqrt", "floor": "floor", "ceil": "ceil",
        "trunc": "trunc", "rint": "round", "copysign": "sign_", "arithmetic.fence": "fixed_",
    },
    "double": {
        "fma": "d_fma_", "fmuladd": "d_fma_", "fabs": "d_abs_", "sqrt": "d_sqrt_", "floor": "d_floor_",
        "ceil": "d_ceil_", "trunc": "d_trunc_", "rint": "d_rint_", "arithmetic.fence": "",
    },
}  # fmt: skip


def form_of(type: str, *, narrow: bool) -> RegisterForm:
    """The form of a type; `narrow`: an integer of 64 bits fits 32."""
    if type == "i1":
        return RegisterForm.BOOL
    if type == "i64":
        return RegisterForm.INT if narrow else RegisterForm.WIDE
    return {"float": RegisterForm.FLOAT, "double": RegisterForm.DOUBLE}.get(type, RegisterForm.INT)


def zero(form: RegisterForm) -> str:
    """Nothing."""
    return {RegisterForm.BOOL: "false", RegisterForm.INT: "0", RegisterForm.FLOAT: "0.0f"}.get(
        form, "vec2<u32>(0u, 0u)"
    )


def literal(number: str, type: str, form: RegisterForm) -> str:
    """A constant."""
    if number in ("poison", "undef", "zeroinitializer"):
        return zero(form)
    if form is RegisterForm.BOOL:
        return {"1": "true", "0": "false"}.get(number, number)
    if type in ("float", "double"):
        value = real(number)
        if type == "double":
            low, high = struct.unpack("<II", struct.pack("<d", value))
            return f"vec2<u32>({low}u, {high}u)"
        bits = struct.unpack("<I", struct.pack("<f", value))[0]
        is_plain = value > 0 and 2.0**-126 <= value < float("inf")
        return f"{value!r}f" if is_plain or bits == 0 else f"float_({bits}u)"
    value = int({"true": "1", "false": "0"}.get(number, number))
    if form is RegisterForm.WIDE:
        value &= (1 << 64) - 1
        return f"vec2<u32>({value & 0xFFFFFFFF}u, {value >> 32}u)"
    bits = 32 if type == "i64" else int(type[1:])
    value &= (1 << bits) - 1
    value -= (1 << 32) if value >> 31 else 0
    return str(value) if value >= 0 else f"({value})"


def real(number: str) -> float:
    """The value of a constant of floats, which is a number or the bits of a float64."""
    if not number.startswith("0x"):
        return float(number)
    value: float = struct.unpack(">d", bytes.fromhex(number[2:].rjust(16, "0")))[0]
    return value


def masked(text: str, type: str) -> str:
    """A result of the bits that its type has."""
    return f"({text}) & {255 if type == 'i8' else 65535}" if type in ("i8", "i16") else text


def signed(text: str, type: str) -> str:
    """An integer of fewer than 32 bits with its sign."""
    shift = {"i8": 24, "i16": 16}.get(type)
    return f"(({text} << {shift}u) >> {shift}u)" if shift else text
