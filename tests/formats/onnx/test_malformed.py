"""Malformed models: errors, each at once, and no more memory than the file is worth."""

import os
from collections import Counter

import numpy
import pytest
from onnx import TensorProto, helper, numpy_helper

from hybridize import load
from hybridize.base.errors import HybridizeError, LoadError
from hybridize.formats.onnx.read import program
from tests.formats.mutants import SMALL, mutants, peak, verdicts, wrong
from tests.onnx_models import image_net, model, table
from tests.platforms.marks import forks, links
from tests.refusals import refusal

FLOAT = TensorProto.FLOAT
node = helper.make_node


def control_net():
    """A loop, a branch, a function, sizes, slices, and an array in a file beside it."""
    body = helper.make_graph(
        [node("Identity", ["go"], ["go_on"]), node("Mul", ["v", "w"], ["next"])], "body",
        [helper.make_tensor_value_info("k", TensorProto.INT64, []), helper.make_tensor_value_info("go", TensorProto.BOOL, []),
         helper.make_tensor_value_info("v", FLOAT, None)],
        [helper.make_tensor_value_info("go_on", TensorProto.BOOL, []), helper.make_tensor_value_info("next", FLOAT, None)],
    )  # fmt: skip
    sides = [
        helper.make_graph([node(op, ["l"], [op])], op, [], [helper.make_tensor_value_info(op, FLOAT, None)])
        for op in ("Relu", "Neg")
    ]
    nodes = [
        node("Loop", ["three", "", "x"], ["l"], body=body), node("ReduceSum", ["l"], ["sum"], keepdims=0),
        node("Greater", ["sum", "zero"], ["positive"]), node("If", ["positive"], ["i"], then_branch=sides[0], else_branch=sides[1]),
        node("Slice", ["i", "from", "to", "axis"], ["s"]), node("Halved", ["s"], ["h"], domain="own"),
        node("Transpose", ["h"], ["t"], perm=[1, 0]), node("Pad", ["t", "pads"], ["p"]), node("Softmax", ["p"], ["y"], axis=-1),
    ]  # fmt: skip
    half = helper.make_function(
        "own", "Halved", ["a"], ["b"], [node("Constant", [], ["two"], value_float=2.0), node("Div", ["a", "two"], ["b"])],
        [helper.make_opsetid("", 17)],
    )  # fmt: skip
    arrays = {
        "three": numpy.int64(3), "w": numpy.float32(0.5), "zero": numpy.float32(0), "from": numpy.array([1]),
        "to": numpy.array([3]), "axis": numpy.array([1]), "pads": numpy.array([0, 1, 0, 1]),
    }  # fmt: skip
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", FLOAT, [2, 4])], [helper.make_tensor_value_info("y", FLOAT, None)],
        [numpy_helper.from_array(numpy.asarray(array), name) for name, array in arrays.items()],
    )  # fmt: skip
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8, functions=[half])


MODELS = [one.SerializeToString() for one in (image_net(), table(), control_net())]


def tried(folder, count, seed):
    paths = []
    for number, data in enumerate(mutants(MODELS, count, seed)):
        paths.append(str(folder / f"{number}.onnx"))
        (folder / f"{number}.onnx").write_bytes(data)
    return verdicts(paths)


@forks
def test_broken_copies_are_refused_or_run(tmp_path):
    results = tried(tmp_path, 300, 0)
    assert not wrong(results)
    counts = Counter(verdict for verdict, _ in results.values())
    assert counts["refused"] > 150 and counts["right"] > 20, "the mutants try something"


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 21))
def test_twenty_thousand_broken_copies(tmp_path, seed):
    results = tried(tmp_path, 1000, seed)
    assert not wrong(results)
    assert Counter(verdict for verdict, _ in results.values())["time"] < 20


@forks
def test_what_is_whole_runs(tmp_path):
    for number, data in enumerate(MODELS):
        (tmp_path / f"{number}.onnx").write_bytes(data)
    assert [verdict for verdict, _ in verdicts([str(tmp_path / f"{k}.onnx") for k in range(3)]).values()] == [
        "right"
    ] * 3


# ------------------------------------------------------------------------------------------------ what has no order

X, Y = {"x": (FLOAT, [2, 3])}, {"y": (FLOAT, [2, 3])}


def unchecked(nodes, functions=(), arrays=(), inputs=X, outputs=Y):
    infos = [[helper.make_tensor_value_info(name, *kind) for name, kind in one.items()] for one in (inputs, outputs)]
    graph = helper.make_graph(nodes, "g", *infos, list(arrays))
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8, functions=functions).SerializeToString()


def function(name, *nodes):
    return helper.make_function(
        "own", name, ["a"], ["b"], list(nodes), [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    )


def own(name, *values):
    return node(name, values[:1], values[1:], domain="own")


@pytest.mark.parametrize(
    ("nodes", "functions", "message"),
    [
        ([node("Add", ["x", "y"], ["y"])], (), "the value 'y' is not there"),
        ([node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"]), node("Abs", ["b"], ["y"])], (), "'b' is not there"),
        ([node("Abs", ["a"], ["y"])], (), "the value 'a' is not there"),
        ([node("Relu", ["x"], ["y"]), node("Abs", ["x"], ["y"])], (), "the value 'y' is there already"),
        ([node("Relu", ["x"], ["x"]), node("Abs", ["x"], ["y"])], (), "the value 'x' is there already"),
        ([node("Relu", ["x"], ["z"])], (), "an output of .*: the value 'y' is not there"),
        ([node("Add", ["x"], ["y"])], (), "operator Add, node 'y' has 1 inputs, it takes 2"),
        ([node("Relu", ["x", "x"], ["y"])], (), "has 2 inputs, it takes 1"),
        ([node("Relu", [], ["y"])], (), "has 0 inputs, it takes 1"),
        ([own("Self", "x", "y")], [function("Self", own("Self", "a", "b"))], "the function 'own::Self' calls itself"),
        ([own("A", "x", "y")], [function("A", own("B", "a", "b")), function("B", own("A", "a", "b"))], "calls itself"),
        (
            [own("F0", "x", "y")],
            [*(function(f"F{k}", own(f"F{k + 1}", "a", "t"), own(f"F{k + 1}", "t", "b")) for k in range(39)),
             function("F39", node("Relu", ["a"], ["b"]))],
            "the model has 1,649,267,441,663 nodes",
        ),
    ],
)  # fmt: skip
def test_nodes_that_cannot_be_put_in_order(nodes, functions, message):
    with refusal(LoadError, f"E603: .*{message}"):
        program(unchecked(nodes, functions), "bad.onnx")


def test_functions_that_call_others_often_are_fine(tmp_path):
    functions = [*(function(f"F{k}", own(f"F{k + 1}", "a", "t"), own(f"F{k + 1}", "t", "b")) for k in range(5)),
                 function("F5", node("Neg", ["a"], ["b"]))]  # fmt: skip
    (tmp_path / "good.onnx").write_bytes(unchecked([own("F0", "x", "y")], functions))
    x = numpy.ones((2, 3), "f4")
    assert (load(tmp_path / "good.onnx")(x).asnumpy() == x).all()


def test_branches_in_branches_are_read_as_deep_as_messages_go():
    def nested(depth):
        inner = helper.make_graph(
            [node("Identity", ["x"], ["z0"])], "g", [], [helper.make_tensor_value_info("z0", FLOAT, None)]
        )
        for k in range(1, depth):
            branch = node("If", ["c"], [f"z{k}"], then_branch=inner, else_branch=inner)
            inner = helper.make_graph([branch], "g", [], [helper.make_tensor_value_info(f"z{k}", FLOAT, None)])
        return inner

    inputs = {**X, "c": (TensorProto.BOOL, [])}
    data = unchecked([node("If", ["c"], ["y"], then_branch=nested(6), else_branch=nested(6))], inputs=inputs)
    assert len(program(data, "deep.onnx").graph.nodes) == 1
    message = b""
    for _ in range(3000):  # a graph in an attribute of a node in a graph ..., by hand: the library writes no such thing
        message = _field(1, _field(4, b"If") + _field(5, _field(1, b"then_branch") + _field(6, message) + b"\xa0\1\5"))
    with pytest.raises(LoadError, match=r"E601: .*nested deeper"):
        program(unchecked([]) + _field(7, message), "deep.onnx")


def _field(number, content):
    def varint(value):
        return bytes([value & 127 | 128]) + varint(value >> 7) if value > 127 else bytes([value])

    return varint(number << 3 | 2) + varint(len(content)) + content


# ------------------------------------------------------------------------------------------------- sizes and places


@pytest.mark.parametrize(
    "dims", [[-4], [-2, -2], [1 << 62], [1 << 32, 1 << 32], [4194305, 4194305, 211106198978564], [4, 1 << 40]]
)
def test_sizes_that_no_array_has(dims):
    tensor = TensorProto(name="w", dims=dims, data_type=FLOAT, raw_data=bytes(16))
    with pytest.raises(LoadError, match="E601"):
        program(unchecked([node("Identity", ["w"], ["y"])], arrays=[tensor]), "bad.onnx")


@pytest.mark.parametrize(("kind", "code"), [(0, "E601"), (77, "E601"), (TensorProto.STRING, "E606"), (17, "E606")])
def test_types_that_no_input_has(kind, code):
    data = unchecked([node("Relu", ["x"], ["y"])], inputs={"x": (kind, [2])})
    with refusal(LoadError, f"{code}: .*the input 'x' is of"):
        program(data, "bad.onnx")


@links
@pytest.mark.parametrize(
    "entries",
    [
        {"location": "../outside.bin"}, {"location": "sub/../../outside.bin"}, {"location": "/etc/passwd"},
        {"location": "link.bin"}, {"location": "pipe"}, {"location": "sub"}, {"location": ""}, {},
        {"location": "w.bin\0/../../outside.bin"}, {"location": "nothing.bin"},
        {"location": "w.bin", "offset": "-64"}, {"location": "w.bin", "offset": str(1 << 64)},
        {"location": "w.bin", "offset": "abc"}, {"location": "w.bin", "length": "-1"},
        {"location": "w.bin", "length": "8"}, {"location": "w.bin", "offset": "4"},
    ],
)  # fmt: skip
def test_arrays_in_other_files_are_below_the_folder_and_whole(tmp_path, entries):
    folder = tmp_path / "model"
    (folder / "sub").mkdir(parents=True)
    numpy.ones(16, "f4").tofile(tmp_path / "outside.bin")
    numpy.zeros(16, "f4").tofile(folder / "w.bin")
    os.symlink(tmp_path / "outside.bin", folder / "link.bin")
    os.mkfifo(folder / "pipe")

    def written(entries):
        tensor = TensorProto(name="w", dims=[16], data_type=FLOAT, data_location=TensorProto.EXTERNAL)
        for key, value in entries.items():
            tensor.external_data.add(key=key, value=value)
        (folder / "m.onnx").write_bytes(unchecked([node("Identity", ["w"], ["y"])], arrays=[tensor], inputs={}))

    written({"location": "w.bin"})
    assert (load(folder / "m.onnx")().asnumpy() == 0).all()
    written(entries)
    with pytest.raises(HybridizeError, match=r"E60[01]"):
        load(folder / "m.onnx")


@pytest.mark.parametrize(("field", "value", "code"), [("ir_version", 999, "E602"), ("ir_version", -5, "E602"),
                                                      ("opset", 999, "E602"), ("opset", 0, "E602"), ("opset", -1, "E602")])  # fmt: skip
def test_versions_that_there_are_not(field, value, code):
    made = model([node("Relu", ["x"], ["y"])], X, Y, {})
    if field == "opset":
        made.opset_import[0].version = value
    else:
        made.ir_version = value
    with refusal(LoadError, code):
        program(made.SerializeToString(), "bad.onnx")


@pytest.mark.parametrize("data", [b"", b"\x08", bytes(4096), b"\xff" * 4096, b"hello world\n" * 100, b"\x80" * 64])
def test_what_is_no_model(data, tmp_path):
    with pytest.raises(LoadError, match="E601"):
        program(data, "bad.onnx")
    (tmp_path / "bad.onnx").write_bytes(data)
    with pytest.raises(HybridizeError):
        load(tmp_path / "bad.onnx")


@pytest.mark.parametrize("field", ["float_data", "double_data", "int64_data", "raw_data"])
def test_numbers_take_no_more_than_three_times_the_file(field):
    count = 1 << 18
    tensor = TensorProto(name="w", dims=[count], data_type=TensorProto.DOUBLE if field == "double_data" else FLOAT)
    if field == "raw_data":
        tensor.raw_data = bytes(4 * count)
    elif field == "int64_data":
        tensor.data_type = TensorProto.INT64
        tensor.int64_data.extend([1 << 60] * count)
    else:
        getattr(tensor, field).extend([0.1] * count)
    data = unchecked([node("Identity", ["w"], ["y"])], arrays=[tensor], inputs={})
    assert peak(program, data, "many.onnx") <= 3 * len(data) + SMALL


@pytest.mark.parametrize(
    "claim",
    [
        {"dims": [1 << 31], "raw_data": bytes(16)}, {"dims": [1 << 31], "float_data": [1.0]},
        {"dims": [1 << 15, 1 << 15]}, {"dims": [1] * 40, "raw_data": bytes(4)}, {"dims": [0, 1 << 62]},
        {"dims": [1 << 31, 1 << 31], "raw_data": b""},
    ],
)  # fmt: skip
def test_what_an_array_claims_takes_no_memory(claim):
    data = unchecked([node("Identity", ["w"], ["y"])], arrays=[TensorProto(name="w", data_type=FLOAT, **claim)])
    assert peak(refused, data) <= 3 * len(data) + SMALL


@pytest.mark.parametrize(("at", "code"), [(7, 2), (1, 2), (7, 1)])
def test_lengths_that_claim_gigabytes_take_no_memory(at, code):
    data = bytes([at << 3 | code]) + b"\xff\xff\xff\xff\x07" + bytes(64)
    assert peak(refused, MODELS[0] + data) <= 3 * len(MODELS[0]) + SMALL


def refused(data):
    with pytest.raises(LoadError, match=r"E60[13]"):
        program(data, "bad.onnx")


def test_shapes_that_claim_gigabytes_take_no_memory(tmp_path):
    nodes = [
        [node("ConstantOfShape", ["s"], ["y"])], [node("Expand", ["x", "s"], ["y"])], [node("Reshape", ["x", "s"], ["y"])],
        [node("Tile", ["x", "s"], ["y"])],
    ]  # fmt: skip
    sizes = numpy_helper.from_array(numpy.array([1 << 20, 1 << 20]), "s")
    for number, some in enumerate(nodes):
        path = tmp_path / f"{number}.onnx"
        path.write_bytes(unchecked(some, arrays=[sizes]))
        assert peak(load, path) <= 3 * path.stat().st_size + SMALL
    net = load(tmp_path / "2.onnx")
    with pytest.raises(HybridizeError, match=r"E104|E603"):
        net(numpy.ones((2, 3), "f4"))


def test_models_cut_short():
    data = MODELS[0]
    for end in range(0, len(data) - 1, 7):
        with pytest.raises(LoadError):
            program(data[:end], "bad.onnx")
