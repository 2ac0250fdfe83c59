"""Rows of ONNX whose results are known while a program is made, that draw random numbers, or that are refused."""

import numpy
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import hybridize
from hybridize.array import np
from hybridize.errors import CaptureError, LoadError
from hybridize.formats.onnx.read import program
from hybridize.gluon.imported_block import ImportedBlock
from tests.refusals import refusal


def block_of(nodes, inputs, outputs, constants=(), opset=20):
    """A compiled model; nodes are (operator, inputs, outputs, attributes), with names apart by blanks."""
    made = [helper.make_node(op, names.split(), results.split(), **more) for op, names, results, more in nodes]
    ports = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(numpy.dtype(kind)), shape)
             for name, kind, shape in inputs]  # fmt: skip
    arrays = [numpy_helper.from_array(numpy.asarray(array), name) for name, array in constants]
    graph = helper.make_graph(made, "g", ports, [onnx.ValueInfoProto(name=name) for name in outputs.split()], arrays)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    block = ImportedBlock(program(model.SerializeToString(), "m.onnx"))
    block.hybridize()
    return block


X = ("x", "f4", ["n", 3])


def test_places_and_sizes_of_known_arrays_are_known():
    """TorchScript writes the places of ones in a shape of ones so."""
    nodes = [
        ("ConstantOfShape", "two", "ones", {"value": numpy_helper.from_array(numpy.array([1], "i8"))}),
        ("NonZero", "ones", "places", {}),
        ("Transpose", "places", "column", {}),
        ("Squeeze", "column axis", "axes", {}),
        ("Unsqueeze", "x axes", "y", {}),
    ]
    block = block_of(nodes, [X], "y", [("two", [2]), ("axis", [1])])
    for n in (2, 3, 4):
        assert block(np.ones((n, 3))).shape == (1, 1, n, 3)
    assert len(block._function.programs()) == 2


def test_unique_of_known_numbers():
    nodes = [("Unique", "c", "values first back counts", {"sorted": 0}), ("Add", "x values", "y", {})]
    block = block_of(nodes, [X], "y first back counts", [("c", numpy.array([2, 1, 2, 3], "f4"))])
    y, first, back, counts = block(np.zeros((1, 3)))
    assert y.tolist() == [[2, 1, 3]] and first.tolist() == [0, 1, 3]
    assert back.tolist() == [0, 1, 0, 2] and counts.tolist() == [2, 1, 1]


def test_ranges_of_sizes_serve_all_of_them():
    nodes = [
        ("Shape", "x", "size", {"end": 1}),
        ("Squeeze", "size", "stop", {}),
        ("Range", "zero stop one", "numbers", {}),
        ("Cast", "numbers", "floats", {"to": TensorProto.FLOAT}),
        ("Unsqueeze", "floats one_axis", "column", {}),
        ("Add", "x column", "y", {}),
    ]
    block = block_of(nodes, [X], "y", [("zero", numpy.array(0)), ("one", numpy.array(1)), ("one_axis", [1])])
    for n in (2, 5, 3):
        assert block(np.zeros((n, 3))).tolist() == [[k] * 3 for k in range(n)]
    assert len(block._function.programs()) == 2


def test_sizes_that_meet_data_serve_all_of_them():
    """A sum divided by the number of its elements, and a shape put together of two others'."""
    nodes = [
        ("Size", "x", "count", {}),
        ("Cast", "count", "floats", {"to": TensorProto.FLOAT}),
        ("ReduceSum", "x", "total", {"keepdims": 0}),
        ("Div", "total floats", "mean", {}),
        ("Shape", "x", "sizes", {}),
        ("Gather", "sizes zero", "rows", {"axis": 0}),
        ("Mul", "rows two", "double", {}),
        ("Concat", "double minus", "shape", {"axis": 0}),
        ("Concat", "x x", "both", {"axis": 0}),
        ("Reshape", "both shape", "y", {}),
    ]
    constants = [("zero", [0]), ("two", [2]), ("minus", [-1])]
    block = block_of(nodes, [X], "mean y", constants)
    for n in (2, 5, 3):
        mean, y = block(np.ones((n, 3)))
        assert mean == 1 and y.shape == (2 * n, 3)
    assert len(block._function.programs()) == 2


@pytest.mark.parametrize("op", ["NonZero", "Unique"])
def test_results_whose_size_is_data_are_refused(op):
    block = block_of([(op, "x", "y", {})], [X], "y")
    with refusal(CaptureError, "needs to know"):
        block(np.ones((2, 3)))


def test_whole_numbers_that_say_shapes_are_part_of_the_program():
    nodes = [("Concat", "rows minus", "shape", {"axis": 0}), ("Reshape", "x shape", "y", {}),
             ("Compress", "x mask", "z", {"axis": 1})]  # fmt: skip
    inputs = [X, ("rows", "i8", [1]), ("mask", "?", [3])]
    block = block_of(nodes, inputs, "y z", [("minus", [-1])])
    x, mask = np.arange(6).reshape(2, 3), np.array([True, False, True], dtype="bool")
    for rows in (3, 6, 3):
        y, z = block(x, np.array([rows], dtype="int64"), mask)
        assert y.shape == (rows, 6 // rows) and z.tolist() == [[0, 2], [3, 5]]
    assert len(block._function.programs()) == 2
    y, z = block(x, np.array([2], dtype="int64"), np.array([True, True, True], dtype="bool"))
    assert y.shape == (2, 3) and z.shape == (2, 3)
    block.hybridize(active=False)
    assert block(x, np.array([1], dtype="int64"), mask)[0].shape == (1, 6)


def test_random_numbers_are_those_of_our_generator():
    nodes = [
        ("RandomNormalLike", "x", "a", {"mean": 3.0, "scale": 2.0}),
        ("RandomUniformLike", "x", "b", {"low": -1.0, "high": 3.0, "dtype": TensorProto.DOUBLE}),
        ("RandomNormal", "", "c", {"shape": [40, 50], "seed": 1.0}),
        ("RandomUniform", "", "d", {"shape": [40, 50], "dtype": TensorProto.FLOAT16}),
        ("Bernoulli", "p", "e", {"dtype": TensorProto.INT32}),
        ("Multinomial", "logits", "f", {"sample_size": 4000}),
        ("Dropout", "x half yes", "g mask", {}),
    ]
    constants = [
        ("p", numpy.full((50, 60), 0.25, "f4")),
        ("logits", numpy.log(numpy.array([[0.2, 0.3, 0.5]], "f4"))),
        ("half", numpy.array(0.25, "f4")),
        ("yes", numpy.array(True)),
    ]
    block = block_of(nodes, [("x", "f4", ["n", 50])], "a b c d e f g mask", constants)
    hybridize.array.np.random.seed(7)
    results = block(np.ones((40, 50)))
    a, b, c, d, e, f, g, mask = (one.asnumpy() for one in results)
    assert abs(a.mean() - 3) < 0.2 and abs(a.std() - 2) < 0.1 and a.dtype == "f4"
    assert b.dtype == "f8" and -1 <= b.min() < -0.98 and 2.98 < b.max() < 3
    assert abs(c.mean()) < 0.1 and abs(c.std() - 1) < 0.05
    assert d.dtype == "f2" and d.min() >= 0 and d.max() <= 1 and abs(d.mean() - 0.5) < 0.03
    assert e.dtype == "i4" and abs(e.mean() - 0.25) < 0.03 and set(numpy.unique(e)) == {0, 1}
    assert f.dtype == "i4" and numpy.abs(numpy.bincount(f[0]) / 4000 - [0.2, 0.3, 0.5]).max() < 0.04
    assert abs(mask.mean() - 0.75) < 0.04 and (g == numpy.where(mask, numpy.float32(1 / 0.75), 0)).all()
    again = block(np.ones((40, 50)))
    assert (again[0].asnumpy() != a).any()
    hybridize.array.np.random.seed(7)
    assert (block(np.ones((40, 50)))[0].asnumpy() == a).all()
    block.hybridize(active=False)
    hybridize.array.np.random.seed(7)
    numpy.testing.assert_allclose(block(np.ones((40, 50)))[0].asnumpy(), a, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("op", "names", "more", "opset", "said"),
    [
        ("RoiAlign", "image rois which", {"mode": "max"}, 16, "the mode is max"),
        ("ReverseSequence", "image which", {"time_axis": 2, "batch_axis": 0}, 10, "axes of time and batch"),
        ("BatchNormalization", "image one one one one", {"spatial": 0}, 8, "spatial is 0"),
        ("Cast", "image", {"to": TensorProto.FLOAT8E5M2}, 20, "float8e5m2 is not supported"),
        ("Resize", "image", {"mode": "lanczos"}, 20, "it may be nearest, linear, cubic"),
        ("LRN", "image", {}, 13, "attribute size is missing"),
    ],
)
def test_what_no_row_takes_is_refused(op, names, more, opset, said):
    inputs = [("image", "f4", [1, 1, 4, 4]), ("rois", "f4", [1, 4]), ("which", "i8", [1]), ("one", "f4", [1])]
    taken = [one for one in inputs if one[0] in names.split()]
    block = block_of([(op, names, "y", more)], taken, "y", opset=opset)
    with refusal(LoadError, said):
        block(**{name: np.ones(shape, dtype=kind) for name, kind, shape in taken})


NARROW = ["FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ", "UINT4", "INT4", "FLOAT4E2M1", "FLOAT8E8M0",
          "UINT2", "INT2"]  # fmt: skip


@pytest.mark.parametrize("name", NARROW)
@pytest.mark.parametrize("raw", [True, False])
def test_weights_of_narrow_types_are_read_as_wider_ones(name, raw):
    number = getattr(TensorProto, name)
    dtype = helper.tensor_dtype_to_np_dtype(number)
    unsigned = name[0] == "U" or name == "FLOAT8E8M0"
    weight = numpy.array([2, 1, 2, 1, 3, 1, 2] if unsigned else [0, 1, -2, 1, -1, 1, -1.5], "f4").reshape(7, 1)
    weight = weight.astype(dtype)
    tensor = numpy_helper.from_array(weight, "w")
    if not raw:
        data = list(tensor.raw_data)
        tensor = TensorProto(name="w", data_type=number, dims=[7, 1], int32_data=data)
    nodes = [helper.make_node("Cast", ["w"], ["v"], to=1), helper.make_node("Mul", ["v", "x"], ["y"])]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])
    graph = helper.make_graph(nodes, "g", [x], [onnx.ValueInfoProto(name="y")], [tensor])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)])
    block = ImportedBlock(program(model.SerializeToString(), "m.onnx"))
    assert (block(np.array([2.0])).asnumpy() == weight.astype("f4") * 2).all()
    model.graph.node[0].CopyFrom(helper.make_node("Identity", ["w"], ["v"]))
    with refusal(LoadError, f"'w' is of {name.lower()}"):
        program(model.SerializeToString(), "m.onnx")


@pytest.mark.parametrize(
    ("op", "said"),
    [
        ("NonMaxSuppression", "nd.contrib.box_nms"),
        ("StringConcat", "strings are no numbers"),
        ("ImageDecoder", "imdecode"),
    ],
)
def test_operators_that_are_refused_have_a_remedy(op, said):
    with refusal(LoadError, f"operator {op}") as raised:
        block_of([(op, "x", "y", {})], [X], "y")
    assert said in raised.value.help


def test_folds_of_no_axes_do_what_else_they_do():
    """`ReduceSumSquare` squares; no element is added to another."""
    means = {
        "L1": numpy.abs, "L2": numpy.abs, "SumSquare": numpy.square, "LogSumExp": numpy.array, "Max": numpy.array,
        "Mean": numpy.array, "Min": numpy.array, "Prod": numpy.array, "Sum": numpy.array,
        "LogSum": lambda x: numpy.log(numpy.abs(x)),
    }  # fmt: skip
    nodes = [("Abs", "x", "a", {})]
    nodes += [(f"Reduce{word}", "ax"[word != "LogSum"], word, {"noop_with_empty_axes": 1}) for word in means]
    block = block_of(nodes, [X], " ".join(means))
    for n in (2, 4, 3):
        x = numpy.random.default_rng(n).normal(size=(n, 3)).astype("f4")
        for y, mean in zip(block(np.array(x)), means.values(), strict=True):
            numpy.testing.assert_allclose(y.asnumpy(), mean(x), rtol=1e-5, atol=1e-6)
