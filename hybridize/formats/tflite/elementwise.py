# SPDX-License-Identifier: Apache-2.0
"""Rows of TFLite that compute element by element: arithmetic, comparisons, activations, casts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridize import ops
from hybridize.base.dtypes import bool_
from hybridize.formats.foreign.arrays import elementwise, folded, logical_not, quotient, selected, squared_difference
from hybridize.formats.foreign.walk import Application
from hybridize.formats.tflite.vocabulary import TFLITE
from hybridize.ops import composites
from hybridize.ops.op import Operand, type_of


def limited(x: Operand, low: float | None, high: float | None) -> Operand:
    """Return numbers moved between two."""
    x = x if low is None else ops.max(x, ops.like(low, x))
    return x if high is None else ops.min(x, ops.like(high, x))


LIMITS: dict[int, tuple[float | None, float | None]] = {1: (0, None), 2: (-1, 1), 3: (0, 6)}
"""The ends of fused activations, by number: RELU, RELU_N1_TO_1, RELU6."""


def activated(n: Application, y: Operand) -> Operand:
    """Return a result with the activation that is an attribute of its operator."""
    number = n.integer("activation", 0)
    if number == 4:
        return ops.tanh(y)
    if number and number not in LIMITS:
        n.fail(f"the fused activation {number} is not supported")
    return limited(y, *LIMITS[number]) if number else y


def _hard_swish(x: Operand) -> Operand:
    return ops.mul(x, ops.mul(limited(ops.add(x, ops.like(3, x)), 0, 6), ops.like(1 / 6, x)))


TFLITE.plain({
    "ABS": ops.abs, "CEIL": ops.ceil, "COS": ops.cos, "EXP": ops.exp, "FLOOR": ops.floor, "LOG": ops.log,
    "LOGISTIC": ops.sigmoid, "NEG": ops.neg, "ROUND": ops.round, "RSQRT": ops.rsqrt, "SIGN": ops.sign, "SIN": ops.sin,
    "SQRT": ops.sqrt, "TANH": ops.tanh,
    "SQUARE": lambda x: ops.mul(x, x), "LOGICAL_NOT": logical_not,
    "ZEROS_LIKE": lambda x: ops.full(0, type_of(x)), "DENSIFY": lambda x: x, "HARD_SWISH": _hard_swish,
    "RELU": composites.relu, "RELU6": lambda x: limited(x, 0, 6), "RELU_N1_TO_1": lambda x: limited(x, -1, 1),
    "RELU_0_TO_1": lambda x: limited(x, 0, 1),
    "ELU": lambda x: ops.where(ops.lt(x, ops.like(0, x)), ops.expm1(x), x),
    "PRELU": elementwise(lambda x, slope: ops.where(ops.lt(x, ops.like(0, x)), ops.mul(x, slope), x)),
    "MAXIMUM": elementwise(ops.max), "MINIMUM": elementwise(ops.min), "POW": elementwise(ops.pow),
    "FLOOR_DIV": elementwise(ops.floor_div), "FLOOR_MOD": elementwise(ops.mod), "ATAN2": elementwise(ops.arctan2),
    "SQUARED_DIFFERENCE": elementwise(squared_difference), "ADD_N": folded(ops.add),
    "EQUAL": elementwise(ops.eq), "NOT_EQUAL": elementwise(ops.ne), "LESS": elementwise(ops.lt),
    "LESS_EQUAL": elementwise(ops.le), "GREATER": elementwise(ops.gt), "GREATER_EQUAL": elementwise(ops.ge),
    "LOGICAL_AND": elementwise(ops.bit_and), "LOGICAL_OR": elementwise(ops.bit_or),
    "BITWISE_XOR": elementwise(ops.bit_xor), "RIGHT_SHIFT": elementwise(ops.shift_right),
    "SELECT_V2": elementwise(ops.where),
})  # fmt: skip


def _fused(function: Callable[..., Operand]) -> Callable[..., Operand]:
    return lambda n, x, y: activated(n, elementwise(function)(x, y))


for _name, _function in {"ADD": ops.add, "SUB": ops.sub, "MUL": ops.mul, "DIV": quotient}.items():
    TFLITE(_name)(_fused(_function))


@TFLITE("SELECT")
def select(n: Application, condition: Operand, x: Operand, y: Operand) -> Operand:
    """An element of one array or the other; a condition of one axis chooses rows."""
    return selected(condition, x, y)


@TFLITE("CAST", "DEQUANTIZE")
def cast(n: Application, x: Operand) -> Operand:
    """An array as another type; short floats are widened."""
    dtype = n.attributes["types"][0]
    if dtype is None:
        n.fail("its result has no type of numbers")
    return ops.ne(x, ops.like(0, x)) if dtype == bool_ and type_of(x).dtype != bool_ else ops.cast(x, dtype)


@TFLITE("LEAKY_RELU")
def leaky_relu(n: Application, x: Operand) -> Operand:
    """X, and a part of it where it is negative."""
    return ops.where(ops.lt(x, ops.like(0, x)), ops.mul(x, ops.like(n.number("alpha", 0.0), x)), x)


@TFLITE("GELU")
def gelu(n: Application, x: Operand) -> Operand:
    """X Phi(x)."""
    return composites.gelu(x, "tanh" if n.flag("approximate") else "erf")


@TFLITE("SOFTMAX")
def softmax(n: Application, x: Operand) -> Operand:
    """The softmax of the last axis, of numbers times `beta`."""
    beta = n.number("beta", 0.0)
    return composites.softmax(x if beta == 1 else ops.mul(x, ops.like(beta, x)), type_of(x).ndim - 1)


@TFLITE("LOG_SOFTMAX")
def log_softmax(n: Application, x: Operand) -> Any:
    """The logarithm of the softmax of the last axis."""
    return composites.log_softmax(x, type_of(x).ndim - 1)
