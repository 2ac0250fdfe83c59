# SPDX-License-Identifier: Apache-2.0
"""Rows of `ai.onnx.ml`, by which scikit-learn, LightGBM and XGBoost are exported: trees, linear models, features."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize import ops
from hybridize.base.dtypes import float32, int64, is_float
from hybridize.base.errors import ShapeError
from hybridize.formats.foreign.arrays import aligned, taken
from hybridize.formats.foreign.vocabulary import Application
from hybridize.formats.onnx.vocabulary import ONNX
from hybridize.ops import composites
from hybridize.ops.library.norms import norm
from hybridize.ops.library.trees import FOLDS, TESTS, Trees, scores
from hybridize.ops.op import Operand, type_of

_BRANCHES = {f"BRANCH_{name.upper()}": number for number, name in enumerate(TESTS)}
_TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")


def _floats(x: Operand) -> Operand:
    return x if is_float(type_of(x).dtype) else ops.cast(x, float32)


def _transformed(n: Application, y: Operand) -> Operand:
    """Scores [n, targets] as the attribute `post_transform` says."""
    way = n.attributes.get("post_transform", "NONE")
    way = _TRANSFORMS[way] if isinstance(way, int) and way < len(_TRANSFORMS) else way
    match way:
        case "NONE":
            return y
        case "SOFTMAX":
            return composites.softmax(y, 1)
        case "SOFTMAX_ZERO":
            none = ops.eq(y, ops.like(0, y))
            powers = ops.where(none, ops.like(0, y), composites.softmax(y, 1))
            return ops.div(powers, ops.spread(ops.sum(powers, (1,)), type_of(y).shape, (1,)))
        case "LOGISTIC":
            return ops.sigmoid(y)
        case "PROBIT":
            return ops.mul(ops.erfinv(ops.sub(ops.mul(ops.like(2, y), y), ops.like(1, y))), ops.like(math.sqrt(2), y))
    n.fail(f"the attribute post_transform is {way!r}", help=f"it may be {', '.join(_TRANSFORMS)}")


# --------------------------------------------------------------------------------------------------------------- trees


def _numbers(n: Application, name: str) -> NDArray[Any]:
    """An attribute that is a list of numbers, or a tensor under another name."""
    tensor = f"{name}_as_tensor"
    return n.array(tensor).reshape(-1) if n.has(tensor) else numpy.array(n.numbers(name, ()), "f4")


def _checked(n: Application, trees: Trees, x: Operand) -> Trees:
    """The trees, if their nodes are there, and the columns that they look at."""
    count, columns = len(trees.passing), type_of(x).shape[1]
    for places in (trees.roots, trees.passing, trees.failing):
        if not len(places) or places.min() < 0 or places.max() >= count:
            n.fail("a tree leads to a node that is not there")
    inner = trees.features[trees.passing != numpy.arange(count)]
    if inner.size and not (inner.min() >= 0 and inner.max() < columns):
        n.fail(f"a tree looks at column {inner.max()} of {type_of(x)}")
    try:
        trees.depth  # noqa: B018 - of trees that end
    except ShapeError as error:
        n.fail(error.what)
    return trees


@ONNX("ai.onnx.ml::TreeEnsemble")
def trees(n: Application, x: Operand) -> Operand:
    """The sums of the leaves that each row comes to."""
    x = _floats(x)
    modes = n.array("nodes_modes").reshape(-1)
    splits = n.array("nodes_splits").reshape(-1)
    count, weights = len(modes), n.array("leaf_weights").reshape(-1)
    if modes.size and modes.max() >= len(TESTS):
        n.fail("a node asks whether a feature is in a set (BRANCH_MEMBER), which is not supported")
    leaves = numpy.arange(count, count + len(weights))

    def successors(name: str) -> NDArray[Any]:
        places = numpy.array(n.integers(f"nodes_{name}nodeids"))
        return numpy.concatenate([places + count * numpy.array(n.integers(f"nodes_{name}leafs")), leaves])

    def padded(values: Any, dtype: Any) -> NDArray[Any]:
        return numpy.concatenate([numpy.asarray(values, dtype), numpy.zeros(len(weights), dtype)])

    table = numpy.zeros((count + len(weights), n.integer("n_targets")), weights.dtype)
    table[leaves, list(n.integers("leaf_targetids"))] = weights
    missing = n.integers("nodes_missing_value_tracks_true", (0,) * count)
    ensemble = Trees(
        numpy.array(n.integers("tree_roots")), padded(n.integers("nodes_featureids"), "i8"),
        padded(splits, splits.dtype), padded(modes, "i8"), padded(missing, bool), successors("true"),
        successors("false"), table,
    )  # fmt: skip
    fold = ("average", "sum", "min", "max")[n.integer("aggregate_function", 1)]
    return _transformed(n, scores(x, _checked(n, ensemble, x), fold))


def _listed(n: Application, x: Operand, of: str, targets: int, ids: str) -> Trees:
    """The trees of operators before version 5: nodes by the numbers of their trees and their own.

    Args:
        n: the node.
        x: its input.
        of: `target` or `class`, in the names of attributes.
        targets: their number.
        ids: the attribute that says which one a weight is for.
    """
    owners = list(zip(n.integers("nodes_treeids"), n.integers("nodes_nodeids"), strict=True))
    place = {owner: number for number, owner in enumerate(owners)}
    words = n.attributes.get("nodes_modes", ())
    count = len(owners)
    if len(words) != count or any(word != "LEAF" and word not in _BRANCHES for word in words):
        n.fail("the attribute nodes_modes has other words than those of comparisons of ONNX")
    leaf = numpy.array([word == "LEAF" for word in words])

    def successors(name: str) -> NDArray[Any]:
        pairs = zip(owners, n.integers(f"nodes_{name}nodeids"), strict=True)
        found = [place.get((tree, number), -1) for (tree, _), number in pairs]
        return numpy.where(leaf, numpy.arange(count), found)

    passing, failing = successors("true"), successors("false")
    later = {*passing[~leaf].tolist(), *failing[~leaf].tolist()}
    roots = numpy.array([number for number in range(count) if number not in later])
    weights = _numbers(n, f"{of}_weights")
    table = numpy.zeros((count, targets), weights.dtype)
    rows = [
        place.get(owner, -1) for owner in zip(n.integers(f"{of}_treeids"), n.integers(f"{of}_nodeids"), strict=True)
    ]
    columns = n.integers(ids)
    if rows and (min(rows) < 0 or max(columns) >= targets):
        n.fail("a weight is of a node or a target that is not there")
    numpy.add.at(table, (rows, list(columns)), weights)
    tests = numpy.array([_BRANCHES.get(word, 0) for word in words])
    missing = numpy.array(n.integers("nodes_missing_value_tracks_true", (0,) * count), bool)
    features = numpy.where(leaf, 0, n.integers("nodes_featureids"))
    return _checked(n, Trees(roots, features, _numbers(n, "nodes_values"), tests, missing, passing, failing, table), x)


def _based(n: Application, y: Operand) -> Operand:
    """Scores, and the values that they start from."""
    base = _numbers(n, "base_values")
    return y if not base.size else ops.add(y, aligned(ops.constant(base.astype(type_of(y).dtype)), type_of(y).shape))


@ONNX("ai.onnx.ml::TreeEnsembleRegressor")
def tree_regressor(n: Application, x: Operand) -> Operand:
    """The sums of the leaves that each row comes to."""
    x = _floats(x)
    ensemble = _listed(n, x, "target", n.integer("n_targets", 1), "target_ids")
    fold = n.text("aggregate_function", "SUM", tuple(map(str.upper, FOLDS))).lower()
    return _transformed(n, _based(n, scores(x, ensemble, fold)))


@ONNX("ai.onnx.ml::TreeEnsembleClassifier")
def tree_classifier(n: Application, x: Operand) -> tuple[Operand, Operand]:
    """The class of each row, and the scores of all classes."""
    x = _floats(x)
    labels = _labels(n, "classlabels_int64s")
    ids = n.integers("class_ids")
    single = len(labels) == 2 and len(set(ids)) == 1
    ensemble = _listed(n, x, "class", len(labels), "class_ids")
    y = scores(x, ensemble, "sum")
    if not single:
        y = _based(n, y)
        return _named(labels, ops.arg_max(y, 1)), _transformed(n, y)
    base = _numbers(n, "base_values")
    y = ops.part(y, 1, ids[0], ids[0] + 1)
    y = ops.add(y, ops.like(base[-1].item(), y)) if base.size else y
    return _of_two(n, y, labels, bool((_numbers(n, "class_weights") >= 0).all()))


def _of_two(n: Application, y: Operand, labels: Sequence[int], positive: bool) -> tuple[Operand, Operand]:
    """The one of two classes that one score [n, 1] is for or against, and the scores of both.

    Args:
        n: the node.
        y: the score of the second class.
        labels: of both.
        positive: the score is a probability.
    """
    kind = type_of(y)
    second = ops.gt(y, ops.like(0.5 if positive else 0, y))
    label = _named(labels, ops.reshape(ops.cast(second, int64), kind.shape[:1]))
    if n.attributes.get("post_transform", "NONE") == "PROBIT":
        return label, _transformed(n, y)
    if positive:
        return label, ops.concat(ops.sub(ops.like(1, y), y), y, axis=1)
    both = ops.concat(ops.neg(y), y, axis=1)
    return label, ops.sigmoid(both) if n.attributes.get("post_transform") == "LOGISTIC" else both


def _labels(n: Application, name: str) -> tuple[int, ...]:
    labels = n.integers(name, ())
    if not labels:
        n.fail(
            "its classes are strings, which are not supported", help="export the model with classes that are numbers"
        )
    return labels


def _named(labels: Sequence[int], place: Operand) -> Operand:
    """The labels of classes at places."""
    if tuple(labels) == tuple(range(len(labels))):
        return ops.cast(place, int64)
    return ops.gather(ops.constant(numpy.array(labels, int64)), place, 0)


# --------------------------------------------------------------------------------------------------------------- lines


def _lines(n: Application, x: Operand, count: int) -> Operand:
    """Products with the coefficients, plus the intercepts."""
    weights = numpy.array(n.numbers("coefficients"), "f4").reshape(count, -1)
    y = ops.matmul(ops.cast(x, float32), ops.constant(weights), False, True)
    offsets = n.numbers("intercepts", ())
    return ops.add(y, aligned(ops.constant(numpy.array(offsets, "f4")), type_of(y).shape)) if offsets else y


@ONNX("ai.onnx.ml::LinearRegressor")
def linear_regressor(n: Application, x: Operand) -> Operand:
    """Products with the coefficients, plus the intercepts."""
    return _transformed(n, _lines(n, x, n.integer("targets", 1)))


@ONNX("ai.onnx.ml::LinearClassifier")
def linear_classifier(n: Application, x: Operand) -> tuple[Operand, Operand]:
    """The class of each row, and the scores of all classes."""
    labels = _labels(n, "classlabels_ints")
    columns = type_of(x).shape[1]
    y = _lines(n, x, len(n.numbers("coefficients")) // int(columns))
    if type_of(y).shape[1] == 1:
        return _of_two(n, y, labels, False)
    return _named(labels, ops.arg_max(y, 1)), _transformed(n, y)


# ------------------------------------------------------------------------------------------------------------ features


@ONNX("ai.onnx.ml::Scaler")
def scaler(n: Application, x: Operand) -> Operand:
    """Columns less their offsets, times their scales."""
    x = ops.cast(x, float32)
    offset, scale = (ops.constant(numpy.array(n.numbers(name), "f4")) for name in ("offset", "scale"))
    shape = type_of(x).shape
    return ops.mul(ops.sub(x, aligned(offset, shape)), aligned(scale, shape))


@ONNX("ai.onnx.ml::Normalizer")
def normalizer(n: Application, x: Operand) -> Operand:
    """Rows divided by their norm; those of zeros stay."""
    way = n.text("norm", "MAX", ("MAX", "L1", "L2"))
    x, last = ops.cast(x, float32), type_of(x).ndim - 1
    length = norm(x, {"MAX": math.inf, "L1": 1, "L2": 2}[way], (last,))
    length = ops.where(ops.eq(length, ops.like(0, length)), ops.like(1, length), length)
    return ops.div(x, ops.spread(length, type_of(x).shape, (last,)))


@ONNX("ai.onnx.ml::Imputer")
def imputer(n: Application, x: Operand) -> Operand:
    """Columns with numbers in place of one that stands for what is missing."""
    of_floats = is_float(type_of(x).dtype)
    values: Sequence[float] = n.numbers("imputed_value_floats") if of_floats else n.integers("imputed_value_int64s")
    old = n.number("replaced_value_float", 0.0) if of_floats else n.integer("replaced_value_int64", 0)
    missing = ops.isnan(x) if math.isnan(old) else ops.eq(x, ops.like(old, x))
    new = aligned(ops.constant(numpy.array(values, type_of(x).dtype)), type_of(x).shape)
    return ops.where(missing, new, x)


@ONNX("ai.onnx.ml::Binarizer")
def binarizer(n: Application, x: Operand) -> Operand:
    """One where a number is above the threshold, else zero."""
    return ops.cast(ops.gt(x, ops.like(n.number("threshold", 0.0), x)), type_of(x).dtype)


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
