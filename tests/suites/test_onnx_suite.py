"""The onnx package's own tests of its operators, by its interface of backends."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy
import onnx
import pytest
from onnx import TensorProto, helper

import hybridize
from hybridize.errors import ArgumentError, LoadError
from hybridize.onnx import backend
from tests.refusals import refusal

HERE = Path(__file__).parent / "onnx"
SLOW = {"averagepool", "lppool", "maxpool"}
"""Modules of the package that take a second to say what they expect; `tests/formats/onnx` has samples of theirs."""


@pytest.fixture(scope="module")
def suite():
    spec = importlib.util.spec_from_file_location("onnx_suite", HERE / "suite.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_one_of_each_operator_passes_or_is_in_the_ledger(suite):
    known, last = suite.ledger(), {}
    for case in suite.cases(suite.modules() - SLOW):
        if "_expanded" not in case.name:
            last[case.model.graph.node[-1].op_type] = case
    results = {suite.name_of(case): suite.outcome(case, compiled=False) for case in last.values()}
    wrong = {name: one.said for name, one in results.items() if (one == "passes") == (name in known)}
    assert len(results) >= 150
    assert wrong == {}, "strike what passes out of the ledger; what does not pass any more is a defect"


@pytest.mark.long
@pytest.mark.parametrize("way", ["", "--imperatively"])
def test_all_pass_but_those_of_the_ledger(suite, way):
    program = f"""
import sys
sys.path.insert(0, {str(HERE)!r})
import suite
known = suite.ledger()
results = {{suite.name_of(case): suite.outcome(case, {not way}) for case in suite.cases()}}
failed = {{name for name, one in results.items() if one != "passes"}}
print(suite.report(results))
print("new:", sorted((name, results[name].said[:200]) for name in failed - known.keys()))
print("passing:", sorted(known.keys() - failed - {{name for name in suite.DIFFERS}}))
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "new: []\npassing: []" in run.stdout, run.stdout[-3000:] + run.stderr[-2000:]


def test_nothing_differs_but_what_is_said(suite):
    assert not [line for line in suite.ledger().values() if line.startswith(("DIFFERS", "BREAKS"))]


def _scaled():
    node = helper.make_node("Mul", ["x", "s"], ["y"])
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n"]) for name in "xy")
    scale = helper.make_tensor("s", TensorProto.FLOAT, [], [3.0])
    return helper.make_model(helper.make_graph([node], "scaled", [x], [y], [scale]))


def test_a_backend_runs_models_and_nodes():
    assert isinstance(backend.Backend, type) and hybridize.onnx.Backend is backend.Backend
    x = numpy.arange(3, dtype="f4")
    prepared = backend.prepare(_scaled())
    for size in (3, 4, 5):
        (y,) = prepared.run([numpy.ones(size, "f4")])
        assert type(y) is numpy.ndarray and y.tolist() == [3.0] * size
    assert backend.run_model(_scaled(), {"x": x})[0].tolist() == [0, 3, 6]
    node = helper.make_node("Add", ["a", "a"], ["b"])
    assert backend.run_node(node, [x])[0].tolist() == [0, 2, 4]
    assert backend.supports_device("CPU") and not backend.supports_device("CUDA")
    assert backend.is_compatible(_scaled())
    strange = helper.make_model(helper.make_graph([helper.make_node("Strange", [], ["y"])], "g", [], []))
    assert not backend.is_compatible(strange)
    with refusal(LoadError, "operator Strange"):
        backend.prepare(strange)
    with refusal(ArgumentError, "takes 1 inputs, got 2"):
        prepared.run([x, x])
    with refusal(ArgumentError, "run on the CPU"):
        backend.prepare(_scaled(), "CUDA:0")


def test_inputs_that_say_shapes_are_part_of_the_program():
    node = helper.make_node("Reshape", ["x", "shape"], ["y"])
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [6])
    shape = helper.make_tensor_value_info("shape", TensorProto.INT64, [2])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [None, None])
    prepared = backend.prepare(helper.make_model(helper.make_graph([node], "g", [x, shape], [y])))
    data = numpy.arange(6, dtype="f4")
    for sizes in ([2, 3], [3, -1], [2, 3]):
        (result,) = prepared.run([data, numpy.array(sizes)])
        assert (result == data.reshape(sizes)).all()


def test_the_package_is_that_of_the_extra():
    assert tuple(map(int, onnx.__version__.split(".")[:2])) >= (1, 18)
