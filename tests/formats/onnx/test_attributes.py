"""Attributes of nodes: each is read by the row of its operator, or has no effect for a reason that stands in a table."""

import importlib.util
from collections import defaultdict
from pathlib import Path

import numpy
import onnx
import pytest
from onnx import defs, helper
from onnxruntime.capi import onnxruntime_pybind11_state as runtime

from hybridize import load
from hybridize.errors import HybridizeError, LoadError
from hybridize.formats.onnx import read
from hybridize.formats.onnx.rows import ONNX
from hybridize.formats.onnx.vocabulary import IDLE
from tests.formats.onnx.oracles import agree, info, model_of, node
from tests.refusals import refusal

SUITE = Path(__file__).parents[2] / "suites" / "onnx" / "suite.py"
SLOW = {"averagepool", "lppool", "maxpool"}
RANDOM = numpy.random.RandomState(1)


def suite():
    spec = importlib.util.spec_from_file_location("onnx_suite", SUITE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def floats(*shape):
    return RANDOM.randn(*shape).astype("f4")


def filled(model):
    """The model with each attribute written down that a node leaves to its default."""
    whole = onnx.ModelProto()
    whole.CopyFrom(model)
    main = {one.domain: one.version for one in whole.opset_import}
    functions = [(one, main | {of.domain: of.version for of in one.opset_import}) for one in whole.functions]
    waiting = [(whole.graph, main), *functions]
    while waiting:
        graph, versions = waiting.pop()
        for one in graph.node:
            waiting += [(attribute.g, versions) for attribute in one.attribute if attribute.HasField("g")]
            if not defs.has(one.op_type, one.domain):
                continue
            schema = defs.get_schema(one.op_type, versions[one.domain], one.domain)
            names = {attribute.name for attribute in one.attribute}
            one.attribute.extend(
                attribute.default_value
                for attribute in schema.attributes.values()
                if attribute.name not in names and attribute.default_value.name
            )
    return whole


def wrong_ones(of, cases):
    """Tests of the onnx package that do not pass with all attributes written down, and did without."""
    known, wrong = of.ledger(), {}
    for case in cases:
        case.model = filled(case.model)
        result = of.outcome(case, compiled=False)
        if result != "passes" and of.name_of(case) not in known:
            wrong[of.name_of(case)] = result.said
    return wrong


def test_attributes_that_are_their_defaults_change_nothing():
    of, last = suite(), {}
    for case in of.cases(of.modules() - SLOW):
        if "_expanded" not in case.name:
            last[case.model.graph.node[-1].op_type, len(case.model.graph.node[-1].input)] = case
    assert len(last) >= 200
    assert wrong_ones(of, last.values()) == {}


@pytest.mark.long
def test_attributes_that_are_their_defaults_change_nothing_anywhere():
    of = suite()
    assert wrong_ones(of, of.cases()) == {}


def test_what_has_no_effect_is_an_attribute():
    schemas = defaultdict(set)
    for one in (*defs.get_all_schemas_with_history(), *runtime.get_all_operator_schema()):
        schemas[f"{one.domain}::{one.name}".removeprefix("::")] |= set(one.attributes)
    for name in IDLE:
        op, _, attribute = name.rpartition(".")
        assert attribute in schemas[op] and op in ONNX.operators(), name


@pytest.mark.parametrize(
    ("op", "inputs", "more"),
    [("Relu", "x", {}), ("LeakyRelu", "x", {"alpha": 0.5}), ("Gemm", "x x", {"transB": 1}), ("Identity", "x", {})],
)
def test_unknown_attributes_are_refused(op, inputs, more):
    one = node(op, inputs, ["y"], name="it", **more)
    one.attribute.append(helper.make_attribute("slope", 0.25))
    model = model_of([one], [info("x", "f4", [3, 3])], [info("y", "f4", [3, 3])])
    with refusal(LoadError, f"E603.*operator {op}, node 'it' has the attribute slope(.|\n)*leave it out"):
        load_bytes(model)(floats(3, 3))


def load_bytes(model):
    from hybridize.gluon.imported_block import ImportedBlock

    return ImportedBlock(read.program(model.SerializeToString(), "model.onnx"))


def test_unknown_attributes_of_calls_and_inside_of_branches_are_refused(tmp_path):
    body = helper.make_function(
        "own", "Twice", ["a"], ["b"], [helper.make_node("Add", ["a", "a"], ["b"])],
        [helper.make_opsetid("", 17)], ["by"])  # fmt: skip
    x, y = info("x", "f4", [3]), info("y", "f4", [3])
    for more, word in (({"by": 1}, ""), ({"by": 1, "times": 2}, "times")):
        graph = helper.make_graph([helper.make_node("Twice", ["x"], ["y"], domain="own", **more)], "g", [x], [y])
        sets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
        path = tmp_path / f"calls{len(more)}.onnx"
        onnx.save(helper.make_model(graph, functions=[body], opset_imports=sets, ir_version=9), path)
        if not word:
            assert (load(path)(numpy.ones(3, "f4")) == 2).all()
            continue
        with refusal(LoadError, f"E603.*has the attribute {word},"):
            load(path)(numpy.ones(3, "f4"))

    def branch(name, more):
        return helper.make_graph([helper.make_node("Neg", ["x"], [name], **more)], name, [], [info(name, "f4", [3])])

    chosen = helper.make_node("If", ["c"], ["y"], then_branch=branch("t", {}), else_branch=branch("e", {"odd": 1}))
    net = load_bytes(model_of([chosen], [info("c", "?", []), x], [y]))
    assert (net(numpy.array(True), numpy.ones(3, "f4")) == -1).all()
    with refusal(HybridizeError, "operator Neg, node 'e' has the attribute odd"):
        net(numpy.array(False), numpy.ones(3, "f4"))


@pytest.mark.parametrize("counts", [[4, 4], [2, 4], [4, 6], [5, 3]])
def test_so_many_columns_are_joined(counts):
    joined = model_of(
        [node("FeatureVectorizer", "x z", ["y"], domain="ai.onnx.ml", inputdimensions=counts)],
        [info("x", "f4", ["n", 4]), info("z", "f4", ["n", 4])], [info("y", "f4", ["n", sum(counts)])], ai_onnx_ml=1,
    )  # fmt: skip
    agree(joined, *[{"x": floats(rows, 4), "z": floats(rows, 4)} for rows in (2, 3)])


def test_support_vectors_have_no_functions_behind_them():
    more = {"coefficients": [0.1, 0.2], "rho": [0.5], "post_transform": "LOGISTIC"}
    model = model_of([node("SVMRegressor", "x", ["y"], domain="ai.onnx.ml", **more)],
                     [info("x", "f4", ["n", 2])], [info("y", "f4", ["n", 1])], ai_onnx_ml=1)  # fmt: skip
    with refusal(LoadError, "E603.*post_transform is 'LOGISTIC'(.|\n)*it may be NONE"):
        load_bytes(model)(floats(3, 2))


@pytest.mark.parametrize(("op", "gates"), [("RNN", 1), ("GRU", 3), ("LSTM", 4)])
def test_the_size_of_a_state_is_that_of_the_weights(op, gates):
    arrays = {"w": floats(1, gates * 4, 3), "r": floats(1, gates * 4, 4)}

    def model(**more):
        return model_of([node(op, "x w r", ["y"], **more)], [info("x", "f4", [2, 1, 3])],
                        [info("y", "f4", [2, 1, 1, 4])], arrays)  # fmt: skip

    agree(model(hidden_size=4), {"x": floats(2, 1, 3)})
    with refusal(LoadError, "E603.*hidden_size is 5, the weights are of 4"):
        load_bytes(model(hidden_size=5))(floats(2, 1, 3))


def test_one_direction_takes_the_first_of_onnx_two_activations():
    model = model_of([node("RNN", "x w r", ["y"], hidden_size=4, activations=["Relu", "Tanh"])],
                     [info("x", "f4", [2, 1, 3])], [info("y", "f4", [2, 1, 1, 4])],
                     {"w": floats(1, 4, 3), "r": floats(1, 4, 4)})  # fmt: skip
    agree(model, {"x": floats(2, 1, 3)})


def test_two_ways_to_say_padding_are_refused():
    more = {"auto_pad": "SAME_UPPER", "kernel_shape": [3, 3]}

    def model(pads):
        return model_of([node("MaxPool", "x", ["y"], pads=[pads] * 4, **more)], [info("x", "f4", [1, 2, 5, 5])],
                        [info("y", "f4", [1, 2, 5, 5])])  # fmt: skip

    assert load_bytes(model(0))(floats(1, 2, 5, 5)).shape == (1, 2, 5, 5)
    with refusal(LoadError, "E603.*both auto_pad=SAME_UPPER and pads="):
        load_bytes(model(1))(floats(1, 2, 5, 5))
