"""`hybridize.onnx.InferenceSession` beside ONNX Runtime's: the same script, two imports."""

import numpy
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

import hybridize.onnx as ours
from hybridize.base.errors import ArgumentError, DTypeError, LoadError, ShapeError
from tests.onnx_models import image_net, model, table


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "net.onnx"
    onnx.save(image_net(), path)
    return path


def session(runtime, source):
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.execution_mode = runtime.ExecutionMode.ORT_SEQUENTIAL
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return runtime.InferenceSession(source, sess_options=options, providers=["CPUExecutionProvider"])


def test_a_script_gives_the_same_under_either_import(file):
    x = numpy.random.default_rng(0).normal(size=(2, 3, 8, 8)).astype("f4")
    seen = []
    for runtime in (onnxruntime, ours):
        for source in (str(file), file, file.read_bytes()):
            one = session(runtime, source)
            (name,) = [port.name for port in one.get_inputs()]
            (y,) = one.run(None, {name: x})
            (again,) = one.run(["y"], {"x": x}, runtime.RunOptions())
            assert type(y) is numpy.ndarray and (y == again).all()
            ports = [(port.name, port.type, port.shape) for port in (*one.get_inputs(), *one.get_outputs())]
            notes = one.get_modelmeta()
            seen.append(
                (y, ports, one.get_providers(), notes.producer_name, notes.graph_name, notes.custom_metadata_map)
            )
    for y, *facts in seen[1:]:
        assert numpy.allclose(y, seen[0][0], atol=1e-5)
        assert facts == list(seen[0][1:])
    assert seen[0][1] == [("x", "tensor(float)", ["batch", 3, "h", "w"]), ("y", "tensor(float)", ["batch", 5])]
    assert str(session(ours, file).get_inputs()[0]) == str(session(onnxruntime, file).get_inputs()[0])
    assert "CPUExecutionProvider" in ours.get_available_providers() and ours.get_device() == "CPU"


def test_threads_are_those_of_the_options(file):
    assert session(ours, file).block._function.options.threads == 1
    assert ours.InferenceSession(file).block._function.options.threads is None


def test_types_are_named_as_in_onnx_runtime():
    kinds = [TensorProto.FLOAT16, TensorProto.DOUBLE, TensorProto.INT64, TensorProto.UINT8, TensorProto.BOOL,
             TensorProto.INT32, TensorProto.FLOAT]  # fmt: skip
    nodes = [helper.make_node("Identity", [f"x{k}"], [f"y{k}"]) for k in range(len(kinds))]
    sides = [{f"{word}{k}": (kind, ["n"]) for k, kind in enumerate(kinds)} for word in "xy"]
    content = model(nodes, *sides, {}).SerializeToString()
    named = [[port.type for port in one.InferenceSession(content).get_inputs()] for one in (onnxruntime, ours)]
    assert named[0] == named[1] and named[0][:2] == ["tensor(float16)", "tensor(double)"]


def test_results_are_the_callers_own():
    content = model([helper.make_node("Identity", ["x"], ["y"])], {"x": (TensorProto.FLOAT, ["n"])},
                    {"y": (TensorProto.FLOAT, ["n"])}, {}).SerializeToString()  # fmt: skip
    one, x = ours.InferenceSession(content), numpy.arange(4, dtype="f4")
    for _ in range(3):
        (y,) = one.run(None, {"x": x})
        y[:] = 7
        assert (x == numpy.arange(4)).all()
    (first,), (second,) = one.run(None, {"x": x}), one.run(None, {"x": x[::2]})
    assert (first == x).all() and (second == x[::2]).all()


def test_outputs_are_chosen_by_name_and_numbers_are_inputs():
    content = table().SerializeToString()
    one = ours.InferenceSession(content)
    theirs = onnxruntime.InferenceSession(content)
    feeds = {"by": numpy.array(2, "f4"), "i": numpy.array([4, 0])}
    assert (one.run(["y"], feeds)[0] == theirs.run(["y"], feeds)[0]).all()
    assert (one.run([], {"i": [4, 0], "by": 2})[0] == theirs.run(None, feeds)[0]).all()


def test_wrong_feeds_are_refused_by_the_names_of_the_file(file):
    one, x = ours.InferenceSession(file), numpy.ones((1, 3, 4, 4), "f4")
    with pytest.raises(ArgumentError, match=r"E333: net\.onnx takes x: .*; x is missing"):
        one.run(None, {})
    with pytest.raises(ArgumentError, match=r"E333: .*got z=; x is missing"):
        one.run(None, {"z": x})
    with pytest.raises(ArgumentError, match=r"(?s)E333: the model has no output 'q'.*it has y"):
        one.run(["q"], {"x": x})
    with pytest.raises(DTypeError, match="E210"):
        one.run(None, {"x": x.astype("f8")})
    with pytest.raises(ShapeError, match="E120"):
        one.run(None, {"x": x[0]})
    with pytest.raises(LoadError):
        ours.InferenceSession(b"no model")


def test_what_sessions_lack_says_what_to_use(file):
    one = ours.InferenceSession(file)
    with pytest.raises(AttributeError, match=r"E364: a session has no 'io_binding'(.|\n)*run\(names"):
        one.io_binding()
    with pytest.raises(AttributeError, match=r"^'InferenceSession' object has no attribute 'nothing'$"):
        one.nothing  # noqa: B018


def test_inputs_have_any_names():
    nodes = [helper.make_node("Sub", ["self", "class"], ["return"])]
    ports = {name: (TensorProto.FLOAT, ["n"]) for name in ("self", "class")}
    content = model(nodes, ports, {"return": (TensorProto.FLOAT, ["n"])}, {}).SerializeToString()
    feeds = {"class": numpy.ones(2, "f4"), "self": numpy.arange(2, dtype="f4")}
    assert ours.InferenceSession(content).run(["return"], feeds)[0].tolist() == [-1, 0]
