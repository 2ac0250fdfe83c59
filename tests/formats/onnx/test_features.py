"""What `ai.onnx.ml` does to columns, against ONNX Runtime, for sizes of the batch that come later."""

import numpy
import onnx
import onnxruntime
import pytest
from onnx import helper

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


X = [("x", "f4", ["n", COLUMNS])]


NUMBERS = numpy.random.default_rng(3).normal(size=15).tolist()


@pytest.mark.parametrize(
    ("op", "outputs", "kind", "attributes"),
    [
        ("Imputer", 1, "f4", {"imputed_value_floats": NUMBERS[:5], "replaced_value_float": float("nan")}),
        ("Imputer", 1, "i8", {"imputed_value_int64s": [7], "replaced_value_int64": 2}),
        ("LabelEncoder", 1, "i8", {"keys_int64s": [0, 1, 2], "values_floats": [0.5, 1.5, 2.5], "default_float": -3.0}),
        ("LabelEncoder", 1, "f4", {"keys_floats": [0.0, 0.5, 1.0], "values_int64s": [7, 8, 9], "default_int64": -2}),
        ("FeatureVectorizer", 1, "f4", {"inputdimensions": [COLUMNS]}),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)  # fmt: skip
def test_features(op, outputs, kind, attributes):
    version = 2 if op == "LabelEncoder" else 1
    missing = op == "Imputer" and kind == "f4"
    model = model_of(op, [("x", kind, ["n", COLUMNS])], outputs, version, **attributes)
    compare(model, rows(numpy.random.default_rng(1), kind, missing))


def test_columns_by_their_places():
    model = model_of("ArrayFeatureExtractor", [*X, ("p", "i8", [2])], version=1)
    rng = numpy.random.default_rng(1)
    compare(model, ({**feeds, "p": numpy.array([3, 0])} for feeds in rows(rng)))


def test_labels_that_are_strings_are_refused():
    model = model_of("LabelEncoder", X, version=2, keys_floats=[0.0, 1.0], values_strings=["a", "b"])
    block = ImportedBlock(program(model.SerializeToString(), "m.onnx"))
    with refusal(LoadError, "its values are strings"):
        block(np.zeros((1, COLUMNS)))
