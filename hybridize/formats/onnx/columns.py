# SPDX-License-Identifier: Apache-2.0
"""Rows of the domain ai.onnx.ml about columns of features: chosen, joined, filled; and support vectors."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize import ops
from hybridize.base.dtypes import float32, is_float
from hybridize.formats.foreign.arrays import aligned, taken
from hybridize.formats.foreign.vocabulary import Application
from hybridize.formats.onnx.vocabulary import ONNX
from hybridize.ops.op import Operand, type_of

_DOMAIN: Final = "ai.onnx.ml::"
ONNX.remedies |= {
    f"{_DOMAIN}ZipMap": "dictionaries are no arrays (convert the model with the option zipmap=False)",
    f"{_DOMAIN}CategoryMapper": "text is no array (encode it outside of the model)",
    f"{_DOMAIN}DictVectorizer": "dictionaries are no arrays (give the model an array)",
}


@ONNX(f"{_DOMAIN}ArrayFeatureExtractor")
def chosen_columns(n: Application, x: Operand, columns: Operand) -> Operand:
    """The columns of these numbers."""
    x = ops.reshape(x, (1, *type_of(x).shape)) if type_of(x).ndim == 1 else x
    return taken(x, ops.reshape(columns, (type_of(columns).size,)), type_of(x).ndim - 1)


@ONNX(f"{_DOMAIN}FeatureVectorizer")
def joined_columns(n: Application, *xs: Operand) -> Operand:
    """Arrays of columns beside each other, as floats."""
    columns = []
    for x in xs:
        shape = type_of(x).shape
        flat = (shape[0], math.prod(shape[1:])) if len(shape) > 1 else (1, *shape)
        columns.append(ops.cast(ops.reshape(x, flat), float32))
    return ops.concat(*columns, axis=1)


@ONNX(f"{_DOMAIN}Imputer")
def filled_columns(n: Application, x: Operand) -> Operand:
    """Numbers in place of one that stands for none, NaN as a rule: one for each column or for all."""
    kind = type_of(x)
    word = "float" if is_float(kind.dtype) else "int64"
    values = numpy.asarray(n.attributes.get(f"imputed_value_{word}s", ()), kind.dtype)
    absent = n.attributes.get(f"replaced_value_{word}", 0)
    if not values.size:
        n.fail(f"the attribute imputed_value_{word}s is missing")
    is_absent = ops.isnan(x) if absent != absent else ops.eq(x, ops.like(absent, x))
    return ops.where(is_absent, aligned(ops.constant(values), kind.shape), x)


def _kernel(n: Application, x: Operand, vectors: NDArray[Any]) -> Operand:
    """The kernel of each row of `x` and each of `vectors`: [rows, vectors]."""
    gamma, constant, degree = (*n.numbers("kernel_params", (0.0, 0.0, 0.0)), 0.0, 0.0, 0.0)[:3]
    word = n.text("kernel_type", "LINEAR", ("LINEAR", "POLY", "RBF", "SIGMOID"))
    products = ops.matmul(x, ops.constant(vectors), False, True)
    if word == "LINEAR":
        return products
    if word == "RBF":
        shape = (*type_of(products).shape, vectors.shape[1])
        apart = ops.sub(ops.spread(x, shape, (1,)), aligned(ops.constant(vectors), shape))
        return ops.exp(ops.mul(ops.like(-gamma, products), ops.sum(ops.mul(apart, apart), (2,))))
    inner = ops.add(ops.mul(ops.like(gamma, products), products), ops.like(constant, products))
    return ops.tanh(inner) if word == "SIGMOID" else ops.pow(inner, ops.like(degree, inner))


@ONNX(f"{_DOMAIN}SVMRegressor")
def support_vectors(n: Application, x: Operand) -> Operand:
    """Sums of kernels of support vectors, plus a constant: of each row, [rows, 1]."""
    x = ops.cast(x, float32)
    count = n.integer("n_supports", 0)
    coefficients, rho = numpy.asarray(n.numbers("coefficients"), float32), n.numbers("rho")[0]
    if count:
        vectors = numpy.asarray(n.numbers("support_vectors"), float32)
        if vectors.size % count or coefficients.size != count:
            n.fail(f"{vectors.size} numbers are no {count} support vectors, or have {coefficients.size} coefficients")
        kernel = _kernel(n, x, vectors.reshape(count, -1))
        y = ops.matmul(kernel, ops.constant(coefficients.reshape(count, 1)))
    else:
        y = ops.matmul(x, ops.constant(coefficients.reshape(-1, 1)))
    y = ops.add(y, ops.like(rho, y))
    if n.flag("one_class"):
        return ops.where(ops.gt(y, ops.like(0, y)), ops.like(1, y), ops.like(-1, y))
    return y
