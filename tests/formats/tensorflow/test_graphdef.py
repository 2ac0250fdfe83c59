"""SavedModels that are written here, node by node: what is refused, and how; order, names, repeated values."""

import random

import numpy
import pytest

from hybridize import load, np
from hybridize.base.errors import CaptureError, HybridizeError, LoadError
from hybridize.formats.tensorflow.messages import SCHEMAS
from hybridize.formats.wire import serialized
from tests.refusals import refusal

FLOAT, STRING, RESOURCE, INT = 1, 7, 20, 3


def message(kind, **fields):
    return serialized(fields, kind, SCHEMAS)


def attribute(**value):
    return value


def node(op, name, *inputs, **attributes):
    attributes = [message("NamedAttr", key=key, value=value) for key, value in attributes.items()]
    return {"name": name, "op": op, "input": list(inputs), "attr": attributes}


def const(name, values, dtype=INT, **tensor):
    shape = {"dim": [{"size": size} for size in numpy.shape(values)]}
    field = {FLOAT: "float", INT: "int"}[dtype]
    tensor = {"dtype": dtype, "shape": shape, field: numpy.ravel(values).tolist()} | tensor
    return node("Const", name, value={"tensor": tensor}, dtype={"type": dtype})


def function(name, nodes, result, inputs=(("x", FLOAT),), effects=None, output=FLOAT):
    arguments = [{"name": one, "type": dtype} for one, dtype in inputs]
    signature = {"name": name, "input": arguments, "output": [{"name": "y", "type": output}]}
    return {"signature": signature, "node": nodes, "ret": {"y": result}, "control_ret": effects or {}}


def written(folder, *functions, version=1, objects=True, bound=()):
    """A SavedModel whose object has the first function as a method, `run`."""
    run = functions[0]["signature"]["name"]
    nodes = [{"children": [{"id": 1, "name": "run"}]}, {"function": {"names": [run]}}, *bound]
    numbers = list(range(2, 2 + len(bound)))
    whole = {"node": [message("Object", **one) for one in nodes], "functions": {run: {"bound": numbers}}}
    library = {"function": [message("Function", **one) for one in functions]}
    graph = {"graph": {"library": library}, "info": {"tags": ["serve"]}} | ({"objects": whole} if objects else {})
    folder.mkdir(exist_ok=True)
    (folder / "saved_model.pb").write_bytes(message("SavedModel", version=version, meta_graphs=[graph]))
    return folder


def loaded(folder, nodes, result, *others, **options):
    return load(written(folder, function("f", nodes, result, **options), *others), signature="run")


def test_nodes_stand_in_any_order(tmp_path):
    nodes = [node("Neg", "last", "first:y:0"), node("Mul", "first", "x", "two:output:0"), const("two", 2.0, FLOAT)]
    assert float(loaded(tmp_path / "m", nodes, "last:y:0")(np.array(3.0))) == -6


def test_a_thousand_nodes_deep(tmp_path):
    nodes = [node("Neg", f"n{k}", f"n{k - 1}:y:0" if k else "x") for k in range(3000)]
    net = loaded(tmp_path / "m", nodes[::-1], "n2999:y:0")
    net.hybridize(False)
    assert float(net(np.array(3.0))) == 3


def test_the_last_number_of_a_constant_stands_for_the_rest(tmp_path):
    tensor = {"shape": {"dim": [{"size": 2}, {"size": 3}]}, "float": [1.0, 2.0]}
    nodes = [const("c", 0.0, FLOAT, **tensor), node("AddV2", "y", "x", "c:output:0")]
    assert loaded(tmp_path / "m", nodes, "y:z:0")(np.array(1.0)).asnumpy().tolist() == [[2, 3, 3], [3, 3, 3]]


def test_outputs_are_found_by_the_names_of_arguments(tmp_path):
    nodes = [
        const("k", 2),
        node("TopKV2", "t", "x", "k:output:0"),
        node("Cast", "y", "t:indices:0", DstT={"type": FLOAT}),
    ]
    assert loaded(tmp_path / "m", nodes, "y:y:0")(np.array([1.0, 5, 3])).asnumpy().tolist() == [1, 2]
    nodes = [const("axis", 0), node("Split", "t", "axis:output:0", "x", num_split={"i": 3})]
    assert loaded(tmp_path / "m", nodes, "t:output:2")(np.array([1.0, 5, 3])).asnumpy().tolist() == [3]


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        ([node("StringLength", "len", "x")], ["operator StringLength, node 'len'", "save a function of numbers"]),
        ([node("LookupTableFindV2", "find", "x")], ["LookupTableFindV2, node 'find'", "it has no tables"]),
        ([node("EagerPyFunc", "py", "x")], ["node 'py'", "Python inside of the graph"]),
        ([node("RaggedTensorToTensor", "ragged", "x")], ["node 'ragged'", "to_tensor"]),
        ([node("SparseTensorDenseMatMul", "sparse", "x")], ["node 'sparse'", "tf.sparse.to_dense"]),
        ([node("Switch", "while/Switch", "x")], ["node 'while/Switch'", "load the model with TensorFlow 2"]),
        ([node("NoSuchOperator", "odd", "x")], ["NoSuchOperator", "hybridize lacks NoSuchOperator"]),
    ],
)
def test_operators_without_a_row_are_refused_when_the_model_is_loaded(nodes, words, tmp_path):
    with pytest.raises(LoadError, match="E606") as error:
        loaded(tmp_path / "m", [*nodes, node("Neg", "y", nodes[0]["name"])], "y:y:0")
    assert all(word in str(error.value) for word in words), str(error.value)


def test_operators_that_nobody_needs_are_none(tmp_path):
    nodes = [node("NoSuchOperator", "odd", "x"), node("Neg", "y", "x")]
    assert float(loaded(tmp_path / "m", nodes, "y:y:0")(np.array(3.0))) == -3


@pytest.mark.parametrize(
    ("nodes", "result", "words"),
    [
        ([node("Neg", "a", "b:y:0"), node("Neg", "b", "a:y:0")], "a:y:0", "need each other"),
        ([node("Neg", "a", "lost:y:0")], "a:y:0", "there is no node 'lost'"),
        ([node("Neg", "a", "x")], "a:y:many", "is no output"),
        ([const("k", 2), node("TopKV2", "t", "x", "k:output:0")], "t:best:0", "TopKV2 has no output 'best'"),
        ([const("c", 0.0, FLOAT, shape={"dim": [{"size": 1 << 40}]}, float=[1.0])], "c:output:0", "elements"),
        ([const("c", 0.0, FLOAT, content=b"123")], "c:output:0", "has 3 bytes"),
    ],
)
def test_malformed_graphs_are_errors(nodes, result, words, tmp_path):
    with pytest.raises(LoadError, match="E601") as error:
        loaded(tmp_path / "m", nodes, result)
    assert words in str(error.value)


def test_a_missing_function_is_an_error(tmp_path):
    nodes = [node("PartitionedCall", "call", "x", f={"func": {"name": "g"}})]
    with pytest.raises(LoadError, match="no function 'g'"):
        loaded(tmp_path / "m", nodes, "call:output:0")


def test_a_function_that_calls_itself_is_an_error(tmp_path):
    nodes = [node("PartitionedCall", "call", "x", f={"func": {"name": "f"}})]
    with pytest.raises(LoadError, match="calls itself"):
        loaded(tmp_path / "m", nodes, "call:output:0")


def test_what_is_no_number_is_refused(tmp_path):
    with pytest.raises(LoadError, match="takes 'x', which is of type string"):
        loaded(tmp_path / "m", [node("Identity", "y", "x")], "y:output:0", inputs=[("x", STRING)])
    with pytest.raises(LoadError, match="gives 'y', which is of type string"):
        loaded(tmp_path / "m", [node("AsString", "y", "x")], "y:output:0", output=STRING)


@pytest.mark.parametrize(("kind", "words"), [("resource", "a hash table"), ("asset", "a file")])
def test_objects_that_are_no_variables_are_refused(kind, words, tmp_path):
    body = function("f", [node("Neg", "y", "x")], "y:y:0", inputs=[("x", FLOAT), ("table", RESOURCE)])
    with refusal(LoadError, words):
        load(written(tmp_path / "m", body, bound=[{kind: {}}]), signature="run")


def test_versions_are_checked(tmp_path):
    body = function("f", [node("Neg", "y", "x")], "y:y:0")
    with pytest.raises(LoadError, match="E602"):
        load(written(tmp_path / "m", body, version=2), signature="run")
    with pytest.raises(LoadError, match="written by TensorFlow 1"):
        load(written(tmp_path / "m", body, objects=False), signature="run")


def test_a_shape_that_is_data_is_refused_at_its_node(tmp_path):
    nodes = [node("Cast", "size", "x", DstT={"type": INT}), node("Reshape", "y", "x", "size:y:0")]
    net = loaded(tmp_path / "m", nodes, "y:output:0")
    with pytest.raises(CaptureError, match="E463") as error:
        net(np.array([1.0]))
    assert "node 'y'" in str(error.value) and "operator Cast, node 'size', computes from data" in str(error.value)


def test_damaged_models_are_errors_or_models(tmp_path):
    nodes = [const("two", 2.0, FLOAT), node("Mul", "a", "x", "two:output:0"), node("Softmax", "y", "a:z:0")]
    folder = written(tmp_path / "m", function("f", nodes, "y:softmax:0"))
    path = folder / "saved_model.pb"
    whole, chance = path.read_bytes(), random.Random(0)
    outcomes = set()
    for _ in range(400):
        data = bytearray(whole)
        for _ in range(chance.choice((1, 1, 3))):
            data[chance.randrange(len(data))] = chance.randrange(256)
        path.write_bytes(data[: chance.choice((len(data), chance.randrange(len(data))))])
        try:
            net = load(folder, signature="run")
            net.hybridize(False)
            net(np.ones((1, 2)))
            outcomes.add("ran")
        except HybridizeError as error:
            outcomes.add(error.code)
    assert {"ran", "E601"} <= outcomes
