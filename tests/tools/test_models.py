"""Models of other frameworks on the command line: inspect, run, explain, compile."""

import numpy
import onnx
import onnxruntime
import pytest

from hybridize.base.errors import LoadError, StateError
from hybridize.tools import compile_command, contents, saved_files
from tests.onnx_models import image_net


@pytest.fixture
def file(tmp_path):
    onnx.save(image_net(), tmp_path / "net.onnx")
    return tmp_path / "net.onnx"


@pytest.fixture
def images(tmp_path):
    numpy.save(tmp_path / "x.npy", numpy.random.default_rng(0).normal(size=(2, 3, 8, 8)).astype("f4"))
    return tmp_path / "x.npy"


def test_inspect_shows_ports_operators_and_weights(file):
    ports, operators, weights = contents.tables(file)
    assert ports.title == "net.onnx: model of ONNX"
    assert ports.rows == [("in", "x", "f32[batch,3,h,w]"), ("out", "y", "f32[batch,5]")]
    assert ports.notes == ("producer: ours", "operator set: ai.onnx 17", "graph: net")
    assert ("Conv", "1") in operators.rows and operators.notes == ("9 nodes", "1 more rows: --full")
    assert ("w", "f32[4,3,3,3]", "432") in weights.rows and weights.notes == ("8 arrays, 612 bytes",)


def test_inspect_names_all_operators_that_are_not_supported(file):
    model = onnx.load(file)
    for node in model.graph.node[:3]:
        node.domain, node.op_type = "evil", "Own"
    model.opset_import.append(onnx.helper.make_opsetid("evil", 1))
    onnx.save(model, file)
    with pytest.raises(LoadError, match=r"(?s)E606: net\.onnx: operator evil::Own.*lacks evil::Own \(3\)"):
        contents.tables(file)


def test_run_and_explain(file, images):
    (y,) = saved_files.run(file, [images])
    expected = onnxruntime.InferenceSession(file).run(None, {"x": numpy.load(images)})[0]
    assert numpy.allclose(y, expected, atol=1e-5)
    assert "/conv/Conv" in str(saved_files.explain(file, [images]))


def test_compile_leaves_named_sizes_open(file, tmp_path):
    export, notes = compile_command.exported(
        str(file), ["f32[n,3,8,8]"], "object", str(tmp_path / "compiled"), tell=lambda text: None, options={}
    )
    assert not notes and all("as expected" in line for line in export.checks)
    assert (tmp_path / "compiled.o").exists()


def test_compile_asks_for_what_the_file_leaves_open(file, tmp_path):
    arguments = [str(file), [], "archive", str(tmp_path / "compiled")]
    with pytest.raises(StateError, match=r'E506: (?s:.*)as in --input "f32\[batch,3,h,w\]"'):
        compile_command.exported(*arguments, tell=lambda text: None, options={})
    model = onnx.load(file)
    for axis, size in enumerate((1, 3, 8, 8)):
        model.graph.input[0].type.tensor_type.shape.dim[axis].dim_value = size
    onnx.save(model, file)
    export, _ = compile_command.exported(*arguments, tell=lambda text: None, options={})
    assert any("f32[1,3,8,8]" in line for line in export.checks)
