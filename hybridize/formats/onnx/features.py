# SPDX-License-Identifier: Apache-2.0
"""Rows of the domain ai.onnx.ml for what is done to columns: missing numbers, choices, labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize import ops
from hybridize.base.dtypes import float32, int64, is_float
from hybridize.formats.foreign.arrays import aligned, taken
from hybridize.formats.foreign.vocabulary import Application
from hybridize.formats.onnx.vocabulary import ONNX
from hybridize.ops.op import Operand, type_of


@ONNX("ai.onnx.ml::Imputer")
def imputer(n: Application, x: Operand) -> Operand:
    """Columns with numbers in place of one that stands for what is missing."""
    of_floats = is_float(type_of(x).dtype)
    values: Sequence[float] = n.numbers("imputed_value_floats") if of_floats else n.integers("imputed_value_int64s")
    old = n.number("replaced_value_float", 0.0) if of_floats else n.integer("replaced_value_int64", 0)
    missing = ops.isnan(x) if math.isnan(old) else ops.eq(x, ops.like(old, x))
    new = aligned(ops.constant(numpy.array(values, type_of(x).dtype)), type_of(x).shape)
    return ops.where(missing, new, x)


@ONNX("ai.onnx.ml::ArrayFeatureExtractor")
def chosen_columns(n: Application, x: Operand, places: Operand) -> Operand:
    """The elements at places along the last axis."""
    kind = type_of(x)
    x = ops.reshape(x, (1, *kind.shape)) if kind.ndim == 1 else x
    return taken(x, ops.reshape(places, (type_of(places).size,)), type_of(x).ndim - 1)


@ONNX("ai.onnx.ml::FeatureVectorizer")
def joined_columns(n: Application, *xs: Operand) -> Operand:
    """Columns beside each other, as float32."""
    rows = [ops.reshape(x, (*type_of(x).shape, 1)) if type_of(x).ndim == 1 else x for x in xs]
    return ops.concat(*(ops.cast(x, float32) for x in rows), axis=1)


@ONNX("ai.onnx.ml::LabelEncoder")
def label_encoder(n: Application, x: Operand) -> Operand:
    """Numbers by those that they stand for."""
    dtype = type_of(x).dtype
    keys = _table(n, "keys", ("int64s", "floats"))
    values = _table(n, "values", ("int64s", "floats"))
    default: Any = -1 if values.dtype == int64 else -0.0
    if n.has("default_tensor"):
        default = n.array("default_tensor").reshape(-1)[0].item()
    elif n.has("default_int64" if values.dtype == int64 else "default_float"):
        default = n.number("default_int64" if values.dtype == int64 else "default_float")
    shape = (*type_of(x).shape, len(keys))
    wide = ops.spread(x, shape, (len(shape) - 1,))
    table = ops.constant(keys.astype(dtype))
    same = ops.eq(wide, aligned(table, shape))
    if is_float(dtype):
        same = ops.bit_or(same, ops.bit_and(ops.isnan(wide), ops.isnan(aligned(table, shape))))
    value = ops.gather(ops.constant(values), ops.arg_max(ops.cast(same, int64), len(shape) - 1), 0)
    return ops.where(ops.any(same, (len(shape) - 1,)), value, ops.like(default, value))


def _table(n: Application, name: str, kinds: Sequence[str]) -> NDArray[Any]:
    """An attribute that is a list of numbers of one of some kinds, or a tensor."""
    if n.has(f"{name}_tensor") and n.array(f"{name}_tensor").dtype != object:
        return n.array(f"{name}_tensor").reshape(-1)
    for kind in kinds:
        if n.has(f"{name}_{kind}"):
            return numpy.array(n.numbers(f"{name}_{kind}"), int64 if kind == "int64s" else float32)
    n.fail(f"its {name} are strings, which are not supported")
