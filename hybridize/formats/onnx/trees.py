# SPDX-License-Identifier: Apache-2.0
"""Rows of the domain ai.onnx.ml: ensembles of trees, linear models, and what is done to columns before them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize import ops
from hybridize.base.dtypes import float32, int64, is_float
from hybridize.formats.foreign.arrays import aligned
from hybridize.formats.foreign.walk import Application
from hybridize.formats.onnx.vocabulary import ONNX
from hybridize.ops import composites
from hybridize.ops.library.norms import norm
from hybridize.ops.library.trees import COMPARISONS, MEMBER, Forest, leaves_of
from hybridize.ops.op import Operand, type_of

_DOMAIN: Final = "ai.onnx.ml::"
_MODES: Final = ("LEQ", "LT", "GTE", "GT", "EQ", "NEQ", "MEMBER")
_LEAF: Final = "BRANCH_LEAF"


def _floats(x: Operand) -> Operand:
    return x if is_float(type_of(x).dtype) else ops.cast(x, float32)


# ---------------------------------------------------------------------------------------------------- after a model


def _softmax_but_zeros(x: Operand, axis: int) -> Operand:
    """The softmax of what is not 0, and 0."""
    none = ops.eq(x, ops.like(0, x))
    top = ops.spread(ops.reduce_max(x, (axis,)), type_of(x).shape, (axis,))
    powers = ops.where(none, ops.like(0, x), ops.exp(ops.sub(x, top)))
    total = ops.spread(ops.sum(powers, (axis,)), type_of(x).shape, (axis,))
    return ops.div(powers, ops.where(ops.eq(total, ops.like(0, total)), ops.like(1, total), total))


def _probit(x: Operand) -> Operand:
    y = ops.erfinv(ops.sub(ops.mul(ops.like(2, x), x), ops.like(1, x)))
    return ops.mul(ops.like(2**0.5, y), y)


_AFTER: Final[Mapping[str, Callable[[Operand], Operand]]] = {
    "NONE": lambda x: x, "SOFTMAX": lambda x: composites.softmax(x, 1), "LOGISTIC": ops.sigmoid,
    "SOFTMAX_ZERO": lambda x: _softmax_but_zeros(x, 1), "PROBIT": _probit,
}  # fmt: skip


def _after(n: Application, words: Sequence[str] = tuple(_AFTER)) -> str:
    return n.text("post_transform", "NONE", words)


def _labels(n: Application, name: str) -> NDArray[Any]:
    """The numbers of the classes."""
    words = n.attributes.get("classlabels_strings")
    if not words and n.attributes.get(name):
        return numpy.asarray(n.integers(name), int64)
    n.fail("classes whose names are words are not supported", help="number them")


def _two(n: Application, score: Operand, labels: NDArray[Any], positive: bool, after: str) -> tuple[Operand, Operand]:
    """The class and the scores of two classes of which one has a score [rows, 1].

    Args:
        n: the node.
        score: of the second class.
        labels: of the two.
        positive: the score is a probability.
        after: what is done to the scores.
    """
    level = 0.5 if positive else 0.0
    chosen = ops.cast(ops.gt(score, ops.like(level, score)), int64)
    label = ops.gather(ops.constant(labels), ops.reshape(chosen, type_of(score).shape[:1]), 0)
    if after == "PROBIT":
        score = _probit(score)
    if positive:
        other = ops.sub(ops.like(1, score), score)
    else:
        other = ops.neg(score)
        score, other = (ops.sigmoid(one) if after == "LOGISTIC" else one for one in (score, other))
    return label, ops.concat(other, score, axis=1)


# ------------------------------------------------------------------------------------------------------------ trees


@ONNX(f"{_DOMAIN}TreeEnsemble")
def ensemble(n: Application, x: Operand) -> Operand:
    """Weights of leaves, added over the trees, each for one target."""
    words = numpy.array([*_MODES, "?"])[numpy.minimum(n.array("nodes_modes"), len(_MODES))]
    count = len(words)
    yes, no = (numpy.asarray(n.integers(f"nodes_{side}nodeids"))
               + count * numpy.asarray(n.integers(f"nodes_{side}leafs")) for side in ("true", "false"))  # fmt: skip
    weights, targets = n.array("leaf_weights"), numpy.asarray(n.integers("leaf_targetids"))
    missing = numpy.asarray(n.integers("nodes_missing_value_tracks_true", (0,) * count), bool)
    roots = numpy.asarray(n.integers("tree_roots"))
    features = numpy.asarray(n.integers("nodes_featureids"))
    values = n.attributes.get("membership_values")
    members = _members(n, words, values) if MEMBER in words and values is not None else None
    forest = Forest(roots, features, n.array("nodes_splits"), words, yes, no, missing, len(weights), members)
    forest = _checked(n, forest)
    how, after = ("AVERAGE", "SUM", "MIN", "MAX")[n.integer("aggregate_function", 1)], n.integer("post_transform", 0)
    if after in (1, 2):
        n.fail(f"post_transform={after} is one thing to ONNX and another to ONNX Runtime: softmax or logistic",
               help="apply it by an operator of its own")  # fmt: skip
    rows = numpy.arange(len(weights)), targets
    y = _joined(n, x, forest, rows, weights, n.integer("n_targets", 1), how)
    return _AFTER[{3: "SOFTMAX_ZERO", 4: "PROBIT"}.get(after, "NONE")](y)


def _members(n: Application, words: NDArray[Any], values: NDArray[Any]) -> NDArray[Any]:
    """Of each node the numbers that a value may be one of; in the file those of one node end with NaN."""
    places = numpy.flatnonzero(words == MEMBER)
    ends = numpy.flatnonzero(numpy.isnan(values))
    if len(ends) != len(places):
        n.fail(f"there are numbers for {len(ends)} nodes, and {len(places)} that compare with several")
    sets = [values[start:end] for start, end in zip([0, *(ends + 1)], ends, strict=False)]
    table = numpy.full((len(words), max(map(len, sets))), numpy.nan, values.dtype)
    for place, numbers in zip(places, sets, strict=True):
        table[place, : len(numbers)] = numbers
    return table


def _checked(n: Application, forest: Forest) -> Forest:
    """A forest all of whose numbers are of something.

    Raises:
        LoadError E603: they are not, or nodes compare in a way that is not supported.
    """
    other = set(forest.comparisons.tolist()) - COMPARISONS - ({MEMBER} if forest.members is not None else set())
    if other:
        n.fail(f"nodes that compare by {', '.join(sorted(other))} are not supported")
    count = len(forest.features)
    sizes = {len(one) for one in (forest.splits, forest.comparisons, forest.yes, forest.no, forest.missing)}
    ends = [one for one in (forest.roots, forest.yes, forest.no) if one.size]
    if sizes - {count} or not len(forest.roots) or any(
        one.min() < 0 or one.max() >= count + forest.leaves for one in ends
    ) or (count and forest.features.min() < 0):  # fmt: skip
        n.fail("its trees are not of one piece")
    return forest


def _joined(
    n: Application, x: Operand, forest: Forest, places: Any, weights: NDArray[Any], targets: int, how: str
) -> Operand:
    """Return the sums of the leaves of all trees for each target, [rows, targets].

    Args:
        n: the node.
        x: [rows, columns].
        forest: the trees.
        places: the leaf and the target of each weight.
        weights: of leaves.
        targets: their number.
        how: weights of one target are joined.
    """
    x = _floats(x)
    if forest.features.size and not type_of(x).shape[1] > forest.features.max():
        n.fail(f"its trees compare {forest.features.max() + 1} columns, the input is {type_of(x)}")
    empty = {"MIN": numpy.inf, "MAX": -numpy.inf}.get(how, 0.0)
    table = numpy.full((forest.leaves, targets), empty, type_of(x).dtype)
    {"MIN": numpy.minimum, "MAX": numpy.maximum}.get(how, numpy.add).at(table, places, weights.astype(table.dtype))
    each = ops.gather(ops.constant(table), leaves_of(x, forest), 0)
    y = {"MIN": ops.reduce_min, "MAX": ops.reduce_max}.get(how, ops.sum)(each, (0,))
    return ops.div(y, ops.like(len(forest.roots), y)) if how == "AVERAGE" else y


def _floats_of(n: Application, name: str) -> NDArray[Any]:
    """An attribute that is floats, or under another name an array of doubles."""
    if n.has(f"{name}_as_tensor"):
        return n.array(f"{name}_as_tensor")
    return numpy.asarray(n.numbers(name, ()), float32)


def _numbered_forest(n: Application, kind: str) -> tuple[Forest, Any]:
    """The trees of a node that numbers nodes in each tree, and the leaf and the target of each weight."""
    trees, numbers = (numpy.asarray(n.integers(f"nodes_{name}")) for name in ("treeids", "nodeids"))
    words = [str(word).removeprefix("BRANCH_") for word in n.attributes.get("nodes_modes", ())]
    inner = numpy.array([word != "LEAF" for word in words], bool)
    count = int(inner.sum())
    order = numpy.where(inner, numpy.cumsum(inner) - 1, count + numpy.cumsum(~inner) - 1)
    place = {pair: int(number) for pair, number in zip(zip(trees.tolist(), numbers.tolist(), strict=True), order,
                                                        strict=False)}  # fmt: skip
    try:
        yes, no = ([place[tree, number] for tree, number, own in zip(
            trees.tolist(), n.integers(f"nodes_{side}nodeids"), inner, strict=True) if own]
            for side in ("true", "false"))  # fmt: skip
        leaves = [place[pair] - count for pair in zip(n.integers(f"{kind}_treeids"), n.integers(f"{kind}_nodeids"),
                                                      strict=True)]  # fmt: skip
        pointed = {*yes, *no}
        roots = [int(order[k]) for k in numpy.unique(trees, return_index=True)[1]]
        missing = n.integers("nodes_missing_value_tracks_true", (0,) * len(words)) or (0,) * len(words)
        forest = Forest(
            numpy.array(roots), numpy.asarray(n.integers("nodes_featureids"))[inner],
            _floats_of(n, "nodes_values")[inner], numpy.array(words)[inner], numpy.array(yes, int),
            numpy.array(no, int), numpy.asarray(missing, bool)[inner], len(words) - count,
        )  # fmt: skip
    except (KeyError, ValueError, IndexError):
        n.fail("its trees are not of one piece")
    if any(root in pointed for root in roots) or min(leaves, default=0) < 0:
        n.fail("the first node of a tree is not its root, or a node that compares has a weight")
    return _checked(n, forest), (numpy.array(leaves), numpy.asarray(n.integers(f"{kind}_ids")))


@ONNX(f"{_DOMAIN}TreeEnsembleRegressor")
def ensemble_of_targets(n: Application, x: Operand) -> Operand:
    """Weights of leaves, joined over the trees, for several targets."""
    forest, places = _numbered_forest(n, "target")
    how = n.text("aggregate_function", "SUM", ("AVERAGE", "SUM", "MIN", "MAX"))
    y = _joined(n, x, forest, places, _floats_of(n, "target_weights"), n.integer("n_targets"), how)
    return ops.cast(_AFTER[_after(n)](_with_base(n, y)), float32)


def _with_base(n: Application, y: Operand) -> Operand:
    base = _floats_of(n, "base_values")
    if not base.size:
        return y
    return ops.add(y, aligned(ops.constant(base.astype(type_of(y).dtype)), type_of(y).shape))


@ONNX(f"{_DOMAIN}TreeEnsembleClassifier")
def ensemble_of_classes(n: Application, x: Operand) -> tuple[Operand, ...]:
    """The class with the most weight in the leaves, and the weights of all."""
    forest, (leaves, classes) = _numbered_forest(n, "class")
    labels, weights, after = _labels(n, "classlabels_int64s"), _floats_of(n, "class_weights"), _after(n)
    if len(labels) == 2 and len(set(classes.tolist())) == 1:
        score = _joined(n, x, forest, (leaves, numpy.zeros_like(classes)), weights, 1, "SUM")
        score = ops.cast(_with_base(n, score), float32)
        return _two(n, score, labels, bool((weights >= 0).all()), after)
    scores = ops.cast(_with_base(n, _joined(n, x, forest, (leaves, classes), weights, len(labels), "SUM")), float32)
    return ops.gather(ops.constant(labels), ops.arg_max(scores, 1), 0), _AFTER[after](scores)


# --------------------------------------------------------------------------------------------------- other models


def _constants(n: Application, name: str, x: Operand) -> Operand:
    """Floats of a node, as an operand of the type of an array."""
    return ops.constant(numpy.asarray(n.numbers(name), type_of(x).dtype))


@ONNX(f"{_DOMAIN}Scaler")
def scaled(n: Application, x: Operand) -> Operand:
    """(x - offset) scale, of each column or all."""
    x = ops.cast(x, float32)
    shape = type_of(x).shape
    return ops.mul(ops.sub(x, aligned(_constants(n, "offset", x), shape)), aligned(_constants(n, "scale", x), shape))


@ONNX(f"{_DOMAIN}Normalizer")
def normalized(n: Application, x: Operand) -> Operand:
    """Rows by their norm: the largest number, the sum of sizes, or the root of the sum of squares."""
    x = ops.cast(x, float32)
    word, axis = n.text("norm", "MAX", ("MAX", "L1", "L2")), type_of(x).ndim - 1
    size = ops.reduce_max(x, (axis,)) if word == "MAX" else norm(x, 1 if word == "L1" else 2, (axis,))
    size = ops.spread(size, type_of(x).shape, (axis,))
    return ops.div(x, ops.where(ops.eq(size, ops.like(0, size)), ops.like(1, size), size))


def _linear(n: Application, x: Operand, count: int) -> Operand:
    """Products with the coefficients of so many targets, plus intercepts."""
    x = ops.cast(x, float32)
    weights = numpy.asarray(n.numbers("coefficients"), float32)
    if weights.size % count:
        n.fail(f"there are {weights.size} coefficients for {count} targets")
    y = ops.matmul(x, ops.constant(weights.reshape(count, -1)), False, True)
    return ops.add(y, aligned(_constants(n, "intercepts", y), type_of(y).shape)) if n.has("intercepts") else y


@ONNX(f"{_DOMAIN}LinearRegressor")
def regression(n: Application, x: Operand) -> Operand:
    """Linear functions of the columns."""
    return _AFTER[_after(n)](_linear(n, x, n.integer("targets", 1)))


@ONNX(f"{_DOMAIN}LinearClassifier")
def linear_classes(n: Application, x: Operand) -> tuple[Operand, ...]:
    """The class of the largest linear function of the columns, and all of them."""
    labels, after = _labels(n, "classlabels_ints"), _after(n)
    count = len(n.numbers("intercepts")) if n.has("intercepts") else len(labels)
    scores = _linear(n, x, count)
    if count == 1 and len(labels) == 2:
        return _two(n, scores, labels, False, after)
    return ops.gather(ops.constant(labels), ops.arg_max(scores, 1), 0), _AFTER[after](scores)


@ONNX(f"{_DOMAIN}Binarizer")
def binarized(n: Application, x: Operand) -> Operand:
    """1 above a number, else 0."""
    return ops.cast(ops.gt(x, ops.like(n.number("threshold", 0.0), x)), type_of(x).dtype)
