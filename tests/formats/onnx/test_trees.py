"""Ensembles of trees and linear models of ai.onnx.ml give ONNX Runtime's numbers, for any number of rows."""

import numpy
import pytest
from onnx import numpy_helper

from hybridize import np
from hybridize.errors import LoadError
from tests.formats.onnx.oracles import agree, block_of, info, model_of, node

LONG = pytest.mark.long
RANDOM = numpy.random.RandomState(0)
COLUMNS, TREES, DEPTH = 4, 5, 3
INNER = 2**DEPTH - 1


def rows(count, dtype="f4"):
    x = RANDOM.uniform(-1, 1, (count, COLUMNS)).astype(dtype)
    x[0, 0] = numpy.nan
    return x


def model(op, outputs, version=3, dtype="f4", **attributes):
    nodes = [node(op, "x", [one.name for one in outputs], domain="ai.onnx.ml", **attributes)]
    return model_of(nodes, [info("x", dtype, ["n", COLUMNS])], outputs, ai_onnx_ml=version)


def trees(kind, targets, weights):
    """Full trees of one depth; each of their leaves has a weight for every one of the targets."""
    ids = [(tree, number) for tree in range(TREES) for number in range(2 * INNER + 1)]
    inner = [number < INNER for _, number in ids]
    leaves = [pair for pair, own in zip(ids, inner, strict=True) if not own for _ in targets]
    modes = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT"]
    return {
        "nodes_treeids": [tree for tree, _ in ids], "nodes_nodeids": [number for _, number in ids],
        "nodes_featureids": [number % COLUMNS for _, number in ids],
        "nodes_values": RANDOM.uniform(-1, 1, len(ids)).tolist(),
        "nodes_modes": [modes[tree % 4] if own else "LEAF" for (tree, _), own in zip(ids, inner, strict=True)],
        "nodes_truenodeids": [2 * number + 1 if own else 0 for (_, number), own in zip(ids, inner, strict=True)],
        "nodes_falsenodeids": [2 * number + 2 if own else 0 for (_, number), own in zip(ids, inner, strict=True)],
        "nodes_missing_value_tracks_true": [number % 2 if own else 0 for (_, number), own in zip(ids, inner, strict=True)],
        f"{kind}_treeids": [tree for tree, _ in leaves], f"{kind}_nodeids": [number for _, number in leaves],
        f"{kind}_ids": [target for tree, number in ids if number >= INNER for target in targets],
        f"{kind}_weights": weights(len(leaves)).tolist(),
    }  # fmt: skip


def signed(count):
    return RANDOM.uniform(-1, 1, count)


@pytest.mark.parametrize(
    "how",
    [pytest.param("SUM", marks=LONG), pytest.param("AVERAGE", marks=LONG), pytest.param("MIN", marks=LONG), "MAX"],
)
def test_targets(how):
    attributes = trees("target", [0, 1], signed)
    one = model("TreeEnsembleRegressor", [info("y")], n_targets=2, aggregate_function=how, base_values=[0.5, -0.25],
                **attributes)  # fmt: skip
    agree(one, *({"x": rows(count)} for count in (3, 5, 2)))


@pytest.mark.parametrize("after", ["SOFTMAX", pytest.param("NONE", marks=LONG), pytest.param("LOGISTIC", marks=LONG)])
def test_classes(after):
    attributes = trees("class", [0, 1, 2], signed)
    one = model("TreeEnsembleClassifier", [info("label", "i8"), info("scores")], classlabels_int64s=[7, 3, 9],
                post_transform=after, **attributes)  # fmt: skip
    agree(one, *({"x": rows(count)} for count in (3, 5, 2)))


@pytest.mark.parametrize(("after", "weights"), [
    ("NONE", lambda count: RANDOM.uniform(0, 0.2, count)), pytest.param("NONE", signed, marks=LONG),
    pytest.param("LOGISTIC", signed, marks=LONG),
])  # fmt: skip
def test_two_classes_of_one_score(after, weights):
    attributes = trees("class", [0], weights)
    one = model("TreeEnsembleClassifier", [info("label", "i8"), info("scores")], classlabels_int64s=[0, 1],
                post_transform=after, **attributes)  # fmt: skip
    agree(one, *({"x": rows(count)} for count in (8, 5, 2)))


@pytest.mark.parametrize("members", [False, True])
def test_trees_of_doubles(members):
    """The form of operator set 5: leaves apart, roots by number; some nodes ask for one of several numbers."""
    inner, leaves = TREES * INNER, TREES * (INNER + 1)
    number = numpy.arange(INNER)
    last = number >= INNER // 2
    sides = {}
    for side, name in ((1, "true"), (2, "false")):
        child = 2 * number + side
        sides[f"nodes_{name}leafs"] = numpy.tile(last, TREES).astype(int).tolist()
        sides[f"nodes_{name}nodeids"] = numpy.concatenate(
            [numpy.where(last, child - INNER + tree * (INNER + 1), child + tree * INNER) for tree in range(TREES)]
        ).tolist()
    tensors = {
        "nodes_splits": RANDOM.uniform(-1, 1, inner), "leaf_weights": RANDOM.uniform(-1, 1, leaves),
        "nodes_modes": numpy.zeros(inner, "u1"),
    }  # fmt: skip
    if members:
        tensors["nodes_modes"][::3] = 6
        sets = [[*RANDOM.randint(0, 4, 1 + k % 3), numpy.nan] for k in range(len(tensors["nodes_modes"][::3]))]
        tensors["membership_values"] = numpy.array([x for one in sets for x in one], "f8")
    one = model(
        "TreeEnsemble", [info("y", "f8")], 5, "f8", tree_roots=[tree * INNER for tree in range(TREES)], n_targets=2,
        nodes_featureids=[k % COLUMNS for k in range(inner)], leaf_targetids=[k % 2 for k in range(leaves)],
        nodes_missing_value_tracks_true=[k % 2 for k in range(inner)], post_transform=3, **sides,
        **{name: numpy_helper.from_array(array, name) for name, array in tensors.items()},
    )  # fmt: skip
    feeds = [
        RANDOM.randint(0, 4, (count, COLUMNS)).astype("f8") if members else rows(count, "f8") for count in (3, 5, 2)
    ]
    agree(one, *({"x": x} for x in feeds), rtol=1e-12)


def test_trees_that_are_none_are_refused():
    attributes = trees("target", [0], signed)
    attributes["nodes_truenodeids"][0] = 99
    with pytest.raises(LoadError, match="its trees are not of one piece") as error:
        block_of(model("TreeEnsembleRegressor", [info("y")], n_targets=1, **attributes))(np.zeros((2, COLUMNS)))
    assert error.value.code == "E603"
    attributes["nodes_truenodeids"][0] = 0
    with pytest.raises(LoadError, match="is not its root"):
        block_of(model("TreeEnsembleRegressor", [info("y")], n_targets=1, **attributes))(np.zeros((2, COLUMNS)))


def whole(count):
    return numpy.nan_to_num(rows(count))


def test_linear_models_and_columns():
    numbers = {"coefficients": signed(3 * COLUMNS).tolist(), "intercepts": signed(3).tolist()}
    models = [
        model("LinearRegressor", [info("y")], 1, targets=3, **numbers),
        model("LinearClassifier", [info("label", "i8"), info("scores")], 1, classlabels_ints=[4, 2, 3],
              post_transform="SOFTMAX", **numbers),
        model("Scaler", [info("y")], 1, scale=signed(COLUMNS).tolist(), offset=[0.5] * COLUMNS),
        *(model("Normalizer", [info("y")], 1, norm=word) for word in ("MAX", "L1", "L2")),
        model("Binarizer", [info("y")], 1, threshold=0.25),
    ]  # fmt: skip
    for one in models:
        agree(one, *({"x": whole(count)} for count in (3, 5, 2)))
