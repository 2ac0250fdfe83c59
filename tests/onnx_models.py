"""Small models of ONNX, made by the onnx package: what tests of loaded models have in common."""

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper


def model(nodes, inputs, outputs, arrays, **more):
    """Write down a model; inputs and outputs are `name: (type, sizes)`."""
    infos = [[helper.make_tensor_value_info(name, *kind) for name, kind in one.items()] for one in (inputs, outputs)]
    weights = [numpy_helper.from_array(numpy.asarray(array), name) for name, array in arrays.items()]
    graph = helper.make_graph(nodes, "net", *infos, weights, **more)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="ours")
    onnx.checker.check_model(made)
    return made


def image_net():
    """A convolution, batch norm, and a layer over sizes that the file computes."""
    rng = numpy.random.default_rng(0)
    shapes = {"w": (4, 3, 3, 3), "b": (4,), "scale": (4,), "shift": (4,), "mean": (4,), "head": (5, 4), "bias": (5,)}
    arrays = {name: rng.normal(size=shape).astype("f4") * 0.5 for name, shape in shapes.items()}
    arrays |= {"var": rng.uniform(0.5, 1, 4).astype("f4"), "one": numpy.array([0]), "last": numpy.array([-1])}
    node = helper.make_node
    nodes = [
        node("Conv", ["x", "w", "b"], ["c"], "/conv/Conv", pads=[1, 1, 1, 1]),
        node("BatchNormalization", ["c", "scale", "shift", "mean", "var"], ["n"], "/bn"),
        node("Relu", ["n"], ["r"]),
        node("GlobalAveragePool", ["r"], ["p"]),
        node("Shape", ["x"], ["s"]),
        node("Gather", ["s", "one"], ["batch"]),
        node("Concat", ["batch", "last"], ["sizes"], axis=0),
        node("Reshape", ["p", "sizes"], ["f"], "/flatten"),
        node("Gemm", ["f", "head", "bias"], ["y"], "/head/Gemm", transB=1),
    ]
    kinds = {"x": (TensorProto.FLOAT, ["batch", 3, "h", "w"])}, {"y": (TensorProto.FLOAT, ["batch", 5])}
    return model(nodes, *kinds, arrays)


def table():
    """Rows of a table, scaled by a number that is an input, too."""
    node = helper.make_node
    nodes = [node("Gather", ["rows", "i"], ["g"], "/embed/Gather"), node("Mul", ["g", "by"], ["y"])]
    kinds = {"i": (TensorProto.INT64, ["n"]), "by": (TensorProto.FLOAT, [])}, {"y": (TensorProto.FLOAT, ["n", 3])}
    return model(nodes, *kinds, {"rows": numpy.arange(15, dtype="f4").reshape(5, 3)})
