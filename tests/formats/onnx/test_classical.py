"""Trees, linear models and features of `ai.onnx.ml` against ONNX Runtime, for sizes of the batch that come later."""

import numpy
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper

from hybridize.array import np
from hybridize.errors import LoadError
from hybridize.formats.onnx.read import program
from hybridize.gluon.imported_block import ImportedBlock
from tests.refusals import refusal

COLUMNS = 5


def model_of(op, inputs, outputs=1, version=3, **attributes):
    """A model of one node."""
    node = helper.make_node(op, [name for name, *_ in inputs], [f"y{k}" for k in range(outputs)], domain="ai.onnx.ml",
                            **attributes)  # fmt: skip
    ports = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(numpy.dtype(kind)), shape)
             for name, kind, shape in inputs]  # fmt: skip
    graph = helper.make_graph([node], "g", ports, [onnx.ValueInfoProto(name=name) for name in node.output])
    sets = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", version)]
    return helper.make_model(graph, opset_imports=sets, ir_version=8)


def compare(model, draws, tolerance=1e-5):
    """Compare a model with ONNX Runtime's numbers for arrays of several sizes; two programs serve all of them."""
    typed = onnx.shape_inference.infer_shapes(model)
    session = onnxruntime.InferenceSession(typed.SerializeToString(), providers=["CPUExecutionProvider"])
    plain, compiled = (ImportedBlock(program(model.SerializeToString(), "m.onnx")) for _ in range(2))
    compiled.hybridize()
    for number, feeds in enumerate(draws):
        wanted = session.run(None, feeds)
        arrays = {name: np.array(x, dtype=x.dtype) for name, x in feeds.items()}
        for block in (plain, compiled) if number == 0 else (compiled,):
            results = block(**arrays)
            results = results if isinstance(results, tuple) else (results,)
            for one, other in zip(results, wanted, strict=True):
                assert (one.dtype, one.shape) == (other.dtype, other.shape)
                numpy.testing.assert_allclose(one.asnumpy(), other, rtol=tolerance, atol=tolerance)
    assert len(compiled._function.programs()) == 2


def rows(rng, kind="f4", missing=False):
    """Arrays [n, 5] of three sizes."""
    for n in (3, 40, 7):
        x = rng.integers(-4, 5, (n, COLUMNS)) / 2  # so that some are equal to numbers that nodes compare with
        if missing:
            x[rng.random(x.shape) < 0.2] = numpy.nan
        yield {"x": x.astype(kind)}


MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]


def grown(rng, trees, of, targets, ids=None, modes=MODES, positive=False):
    """Attributes of random trees of the operators before version 5; `of` is `target` or `class`."""
    nodes, leaves = [], []
    for tree in range(trees):
        waiting, count = [(0, 0)], 1
        while waiting:
            number, depth = waiting.pop()
            if depth == 4 or (depth and rng.random() < 0.3):
                nodes.append((tree, number, "LEAF", 0, 0.0, 0, 0, 0))
                chosen = ids or range(targets)
                leaves += [(tree, number, k, abs(rng.normal()) / 9 if positive else rng.normal()) for k in chosen]
            else:
                nodes.append((tree, number, str(rng.choice(modes)), int(rng.integers(COLUMNS)),
                              float(rng.integers(-4, 5) / 2), count, count + 1, int(rng.random() < 0.5)))  # fmt: skip
                waiting += [(count, depth + 1), (count + 1, depth + 1)]
                count += 2
    names = [
        "treeids",
        "nodeids",
        "modes",
        "featureids",
        "values",
        "truenodeids",
        "falsenodeids",
        "missing_value_tracks_true",
    ]
    attributes = {f"nodes_{name}": list(part) for name, part in zip(names, zip(*nodes, strict=True), strict=True)}
    words = (f"{of}_treeids", f"{of}_nodeids", f"{of}_ids", f"{of}_weights")
    return attributes | {word: list(part) for word, part in zip(words, zip(*leaves, strict=True), strict=True)}


X = [("x", "f4", ["n", COLUMNS])]


@pytest.mark.parametrize(
    ("targets", "more"),
    [
        (1, {}),
        (3, {"base_values": [0.5, -1.0, 2.0], "post_transform": "SOFTMAX"}),
        (2, {"aggregate_function": "AVERAGE", "post_transform": "LOGISTIC"}),
        (1, {"aggregate_function": "MAX"}),
    ],
)
def test_regression_by_trees(targets, more):
    rng = numpy.random.default_rng(targets)
    attributes = grown(rng, 4, "target", targets)
    compare(model_of("TreeEnsembleRegressor", X, n_targets=targets, **attributes, **more), rows(rng, missing=True))


@pytest.mark.parametrize(
    ("labels", "more"),
    [
        ([0, 1, 2], {"post_transform": "SOFTMAX"}),
        ([5, -1, 7], {}),
        ([0, 1], {"ids": [0], "post_transform": "LOGISTIC"}),
        ([3, 4], {"ids": [0], "positive": True}),
        ([0, 1], {"ids": [0], "base_values": [0.3]}),
    ],
)
def test_classes_by_trees(labels, more):
    rng = numpy.random.default_rng(len(labels))
    own = {name: more.pop(name) for name in ("ids", "positive") if name in more}
    attributes = grown(rng, 3, "class", len(labels), modes=MODES[:1], **own)
    model = model_of("TreeEnsembleClassifier", X, 2, classlabels_int64s=labels, **attributes, **more)
    compare(model, rows(rng))


def _ensemble(modes, **more):
    """One tree of three nodes and four leaves."""
    tensors = {
        "nodes_splits": numpy.array([0.5, -0.5, 1.0], "f8"), "nodes_modes": numpy.array(modes, "u1"),
        "leaf_weights": numpy.array([1.0, 2.0, 4.0, 8.0], "f8"),
    }  # fmt: skip
    return {
        **{name: numpy_helper.from_array(array, name) for name, array in tensors.items()},
        "tree_roots": [0], "nodes_featureids": [0, 1, 2], "nodes_truenodeids": [1, 0, 2], "nodes_trueleafs": [0, 1, 1],
        "nodes_falsenodeids": [2, 1, 3], "nodes_falseleafs": [0, 1, 1], "leaf_targetids": [0, 1, 0, 1], "n_targets": 2,
        **more,
    }  # fmt: skip


@pytest.mark.parametrize("fold", [0, 1])
def test_trees_of_version_5(fold):
    x = [("x", "f8", ["n", COLUMNS])]
    model = model_of("TreeEnsemble", x, version=5, aggregate_function=fold, **_ensemble([0, 3, 2]))
    compare(model, rows(numpy.random.default_rng(0), "f8", missing=True))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"nodes_featureids": [0, 9, 2]}, "column 9"),
        ({"nodes_truenodeids": [1, 0, 9]}, "a node that is not there"),
        ({"tree_roots": [-1]}, "a node that is not there"),
    ],
)
def test_trees_that_lead_nowhere_are_refused(change, said):
    model = model_of("TreeEnsemble", [("x", "f8", [1, COLUMNS])], version=5, **_ensemble([0, 0, 0]) | change)
    with refusal(LoadError, said):
        ImportedBlock(program(model.SerializeToString(), "m.onnx"))(np.zeros((1, COLUMNS), dtype="float64"))


def test_sets_and_circles_of_trees_are_refused():
    for change, said in (({}, "BRANCH_MEMBER"), ({"nodes_trueleafs": [0, 0, 1]}, "circle")):
        attributes = _ensemble([6 if not change else 0, 0, 0], **change)
        model = model_of("TreeEnsemble", [("x", "f8", [1, COLUMNS])], version=5, **attributes)
        with refusal(LoadError, said):
            ImportedBlock(program(model.SerializeToString(), "m.onnx"))(np.zeros((1, COLUMNS), dtype="float64"))


NUMBERS = numpy.random.default_rng(3).normal(size=15).tolist()


@pytest.mark.parametrize(
    ("op", "outputs", "kind", "attributes"),
    [
        ("LinearRegressor", 1, "f4", {"coefficients": NUMBERS[:10], "intercepts": [0.5, 1.0], "targets": 2}),
        ("LinearClassifier", 2, "f4", {"coefficients": NUMBERS, "intercepts": NUMBERS[:3], "post_transform": "SOFTMAX",
                                       "classlabels_ints": [4, 5, 6]}),
        ("LinearClassifier", 2, "f4", {"coefficients": NUMBERS[:5], "intercepts": [0.1], "post_transform": "LOGISTIC",
                                       "classlabels_ints": [0, 1]}),
        ("Scaler", 1, "f4", {"offset": NUMBERS[:5], "scale": NUMBERS[5:10]}),
        ("Scaler", 1, "i8", {"offset": [1.0], "scale": [0.5]}),
        ("Normalizer", 1, "f4", {"norm": "L2"}),
        ("Normalizer", 1, "f4", {"norm": "L1"}),
        ("Imputer", 1, "f4", {"imputed_value_floats": NUMBERS[:5], "replaced_value_float": float("nan")}),
        ("Imputer", 1, "i8", {"imputed_value_int64s": [7], "replaced_value_int64": 2}),
        ("Binarizer", 1, "f4", {"threshold": 0.5}),
        ("LabelEncoder", 1, "i8", {"keys_int64s": [0, 1, 2], "values_floats": [0.5, 1.5, 2.5], "default_float": -3.0}),
        ("LabelEncoder", 1, "f4", {"keys_floats": [0.0, 0.5, 1.0], "values_int64s": [7, 8, 9], "default_int64": -2}),
        ("FeatureVectorizer", 1, "f4", {"inputdimensions": [COLUMNS]}),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)  # fmt: skip
def test_features_and_linear_models(op, outputs, kind, attributes):
    version = 2 if op == "LabelEncoder" else 1
    missing = op == "Imputer" and kind == "f4"
    model = model_of(op, [("x", kind, ["n", COLUMNS])], outputs, version, **attributes)
    compare(model, rows(numpy.random.default_rng(1), kind, missing))


def test_columns_by_their_places():
    model = model_of("ArrayFeatureExtractor", [*X, ("p", "i8", [2])], version=1)
    rng = numpy.random.default_rng(1)
    compare(model, ({**feeds, "p": numpy.array([3, 0])} for feeds in rows(rng)))


def test_classes_that_are_strings_are_refused():
    attributes = {"coefficients": NUMBERS[:5], "classlabels_strings": ["a", "b"]}
    block = ImportedBlock(program(model_of("LinearClassifier", X, 2, 1, **attributes).SerializeToString(), "m.onnx"))
    with refusal(LoadError, "classes that are numbers"):
        block(np.zeros((1, COLUMNS)))
