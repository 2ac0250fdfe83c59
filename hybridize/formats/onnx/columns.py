# SPDX-License-Identifier: Apache-2.0
"""Rows of the domain ai.onnx.ml about columns of features: chosen, joined, filled; and support vectors."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize import ops
from hybridize.base.dtypes import float32, int64, is_float
from hybridize.base.errors import ArgumentError
from hybridize.base.types import TensorType
from hybridize.formats.foreign.arrays import aligned, taken
from hybridize.formats.foreign.walk import Application
from hybridize.formats.onnx.trees import _AFTER, _after, _labels
from hybridize.formats.onnx.vocabulary import ONNX
from hybridize.ops import bind
from hybridize.ops.library.couplings import coupled
from hybridize.ops.op import Operand, type_of
from hybridize.runtime.recipes import recipe_of_error

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


@ONNX(f"{_DOMAIN}OneHotEncoder")
def encoded_columns(n: Application, x: Operand) -> Operand:
    """One where a number is that of a category, along a new axis of all of them; zeros elsewhere."""
    if not n.has("cats_int64s"):
        n.fail("its categories are strings, which are not supported")
    categories = ops.constant(numpy.asarray(n.integers("cats_int64s"), int64))
    shape = (*type_of(x).shape, type_of(categories).shape[0])
    last = (len(shape) - 1,)
    same = ops.eq(ops.spread(ops.cast(x, int64), shape, last), aligned(categories, shape))
    if not n.flag("zeros", True):
        failure = ArgumentError("E323", f"{n.place}: the input has numbers that are no category")
        every = tuple(range(len(shape) - 1))
        bind(ops.Assert(str(failure), repr(recipe_of_error(failure))), ops.all(ops.any(same, last), every))
    return ops.cast(same, float32)


@ONNX(f"{_DOMAIN}FeatureVectorizer")
def joined_columns(n: Application, *xs: Operand) -> Operand:
    """Arrays of columns beside each other, as floats: so many of each, zeros where there are fewer."""
    columns = []
    wanted = n.integers("inputdimensions", ()) or (None,) * len(xs)
    for x, count in zip(xs, wanted, strict=True):
        shape = type_of(x).shape
        flat = (shape[0], math.prod(shape[1:])) if len(shape) > 1 else (1, *shape)
        x = ops.cast(ops.reshape(x, flat), float32)
        if count is not None and flat[1] != count:
            x = ops.part(x, 1, 0, count) if flat[1] > count else ops.pad(
                x, ops.scalar(0, float32), (0, 0), (0, count - flat[1]))  # fmt: skip
        columns.append(x)
    return ops.concat(*columns, axis=1)


@ONNX(f"{_DOMAIN}Imputer")
def filled_columns(n: Application, x: Operand) -> Operand:
    """Numbers in place of one that stands for none, NaN as a rule: one for each column or for all."""
    kind = type_of(x)
    word = "float" if is_float(kind.dtype) else "int64"
    numbers = {word: (n.attributes.get(f"imputed_value_{word}s", ()), n.attributes.get(f"replaced_value_{word}", 0))
               for word in ("float", "int64")}  # fmt: skip
    values, absent = numpy.asarray(numbers[word][0], kind.dtype), numbers[word][1]
    if not values.size:
        n.fail(f"the attribute imputed_value_{word}s is missing")
    is_absent = ops.isnan(x) if absent != absent else ops.eq(x, ops.like(absent, x))
    return ops.where(is_absent, aligned(ops.constant(values), kind.shape), x)


Kernels = Callable[[Operand, NDArray[Any]], Operand]


def _kernels(n: Application) -> Kernels:
    """The kernel that a node names, of each row of an array and each of some vectors: [rows, vectors]."""
    word = n.text("kernel_type", "LINEAR", ("LINEAR", "POLY", "RBF", "SIGMOID"))
    return functools.partial(_kernel, word, n.numbers("kernel_params", ()))


def _kernel(word: str, numbers: Sequence[float], x: Operand, vectors: NDArray[Any]) -> Operand:
    gamma, constant, degree = (*numbers, 0.0, 0.0, 0.0)[:3]
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
    kernels, count = _kernels(n), n.integer("n_supports", 0)
    n.text("post_transform", "NONE", ("NONE",))  # which ONNX Runtime leaves out, and ONNX does not
    coefficients, rho = numpy.asarray(n.numbers("coefficients"), float32), n.numbers("rho")[0]
    if count:
        vectors = numpy.asarray(n.numbers("support_vectors"), float32)
        if vectors.size % count or coefficients.size != count:
            n.fail(f"{vectors.size} numbers are no {count} support vectors, or have {coefficients.size} coefficients")
        kernel = kernels(x, vectors.reshape(count, -1))
        y = ops.matmul(kernel, ops.constant(coefficients.reshape(count, 1)))
    else:
        y = ops.matmul(x, ops.constant(coefficients.reshape(-1, 1)))
    y = ops.add(y, ops.like(rho, y))
    if n.flag("one_class"):
        return ops.where(ops.gt(y, ops.like(0, y)), ops.like(1, y), ops.like(-1, y))
    return y


@ONNX(f"{_DOMAIN}SVMClassifier")
def classes_by_support_vectors(n: Application, x: Operand) -> tuple[Operand, ...]:
    """The class, and a score for each class or, without probabilities, for each two: of each row."""
    labels, after = _labels(n, "classlabels_ints"), _after(n)
    count, sizes = len(labels), n.integers("vectors_per_class", ())
    x = ops.reshape(x, (1, *type_of(x).shape)) if type_of(x).ndim == 1 else x
    x = ops.cast(x, float32)
    coefficients, rho = (numpy.asarray(n.numbers(name), float32) for name in ("coefficients", "rho"))
    kernels = _kernels(n)
    if not sum(sizes):
        scores = ops.matmul(x, ops.constant(coefficients.reshape(count, -1)), False, True)
        scores = ops.add(scores, ops.like(float(rho[0]), scores))
        best = ops.arg_max(scores, 1)
        if count == 2:
            level = 0.5 if (coefficients >= 0).all() else 0.0
            top = ops.reduce_max(scores, (1,))
            sure = (ops.ge if level else ops.gt)(top, ops.like(level, top))
            best = ops.where(sure, ops.like(1, best), best)
        return ops.gather(ops.constant(labels), best, 0), _AFTER[after](scores)
    pairs = list(itertools.combinations(range(count), 2))
    vectors, a, b = (numpy.asarray(n.numbers(name, ()), float32) for name in ("support_vectors", "prob_a", "prob_b"))
    if len(sizes) != count or vectors.size % sum(sizes) or coefficients.size != (count - 1) * sum(sizes) or (
        len(pairs) != rho.size or a.size != b.size or a.size not in (0, len(pairs))
    ):  # fmt: skip
        n.fail(f"its numbers are not those of {count} classes with {', '.join(map(str, sizes))} support vectors")
    kernel = kernels(x, vectors.reshape(sum(sizes), -1))
    scores = ops.matmul(kernel, ops.constant(_of_pairs(coefficients.reshape(count - 1, -1), sizes)), False, True)
    shape = type_of(scores).shape
    scores = ops.add(scores, aligned(ops.constant(rho), shape))
    each = numpy.eye(count, dtype=float32)
    first, second = (each[[pair[side] for pair in pairs]] for side in (0, 1))
    wins = ops.cast(ops.gt(scores, ops.like(0, scores)), float32)
    votes = ops.matmul(wins, ops.constant(first - second))
    best = ops.arg_max(ops.add(votes, aligned(ops.constant(second.sum(0)), type_of(votes).shape)), 1)
    label = ops.gather(ops.constant(labels), best, 0)
    if a.size:
        a, b = (aligned(ops.constant(one), shape) for one in (a, b))
        r = ops.sigmoid(ops.neg(ops.add(ops.mul(scores, a), b)))
        r = ops.min(ops.max(r, ops.like(1e-7, r)), ops.like(1 - 1e-7, r))
        places = numpy.full((count, count), 2 * len(pairs))  # of r, of 1 - r behind it, and 0 behind that
        for number, (i, j) in enumerate(pairs):
            places[i, j], places[j, i] = number, number + len(pairs)
        both = ops.concat(r, ops.sub(ops.like(1, r), r), ops.full(0, TensorType((shape[0], 1), float32)), axis=1)
        return label, _AFTER[after](coupled(ops.gather(both, ops.constant(places), 1)))
    if count > 2:
        return label, _AFTER[after](scores)
    if after == "PROBIT":
        n.fail("one score after PROBIT is not supported")
    scores = ops.sigmoid(scores) if after == "LOGISTIC" else scores
    other = ops.neg(scores) if after == "NONE" else ops.sub(ops.like(1, scores), scores)
    return label, ops.concat(other, scores, axis=1)


def _of_pairs(coefficients: NDArray[Any], sizes: Sequence[int]) -> NDArray[Any]:
    """Coefficients for each pair of classes, [pairs, vectors], of those for each class but one, [classes - 1, vectors].

    A vector has one for each other class, those after its own one row earlier.
    """
    ends = numpy.cumsum(sizes)
    rows = []
    for i, j in itertools.combinations(range(len(sizes)), 2):
        row = numpy.zeros(ends[-1], coefficients.dtype)
        for own, other in ((i, j - 1), (j, i)):
            part = slice(ends[own] - sizes[own], ends[own])
            row[part] = coefficients[other, part]
        rows.append(row)
    return numpy.stack(rows)


@ONNX(f"{_DOMAIN}LabelEncoder")
def label_encoder(n: Application, x: Operand) -> Operand:
    """Numbers by those that they stand for."""
    dtype = type_of(x).dtype
    keys = _table(n, "keys", ("int64s", "floats"))
    values = _table(n, "values", ("int64s", "floats"))
    whole, fraction = n.integer("default_int64", -1), n.number("default_float", -0.0)
    default: Any = whole if values.dtype == int64 else fraction
    if n.has("default_tensor"):
        default = n.array("default_tensor").reshape(-1)[0].item()
    shape = (*type_of(x).shape, len(keys))
    wide = ops.spread(x, shape, (len(shape) - 1,))
    table = ops.constant(keys.astype(dtype))
    same = ops.eq(wide, aligned(table, shape))
    if is_float(dtype) and n.node.version >= 4:  # NaN is a key from there on
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
