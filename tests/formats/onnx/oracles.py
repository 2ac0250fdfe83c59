"""Small ONNX models, and their numbers by ONNX Runtime or the onnx package's reference beside ours."""

from __future__ import annotations

import numpy
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from hybridize import np
from hybridize.formats.onnx.read import program
from hybridize.gluon.imported_block import ImportedBlock

TYPES = {numpy.dtype(kind): number for kind, number in {
    "f4": TensorProto.FLOAT, "f8": TensorProto.DOUBLE, "f2": TensorProto.FLOAT16, "i4": TensorProto.INT32,
    "i8": TensorProto.INT64, "i1": TensorProto.INT8, "u1": TensorProto.UINT8, "?": TensorProto.BOOL,
    "i2": TensorProto.INT16, "u2": TensorProto.UINT16}.items()}  # fmt: skip


def info(name, dtype="f4", shape=None):
    """A declared value; sizes may be names."""
    return helper.make_tensor_value_info(name, TYPES[numpy.dtype(dtype)], shape)


def sequence(name, dtype="f4"):
    """A declared sequence of arrays."""
    return helper.make_tensor_sequence_value_info(name, TYPES[numpy.dtype(dtype)], None)


def graph_of(nodes, inputs, outputs, weights=None):
    """A graph of nodes; inputs and outputs are infos, weights arrays by name."""
    arrays = [numpy_helper.from_array(numpy.asarray(array), name) for name, array in (weights or {}).items()]
    return helper.make_graph(nodes, "model", inputs, outputs, arrays)


def model_of(nodes, inputs, outputs, weights=None, opset=17, functions=(), **domains):
    """A model; domains are versions of other operator sets, by name with _ for its dots."""
    sets = [helper.make_opsetid("", opset)]
    sets += [helper.make_opsetid(domain.replace("_", "."), version) for domain, version in domains.items()]
    graph = graph_of(nodes, inputs, outputs, weights)
    return helper.make_model(graph, opset_imports=sets, ir_version=10, functions=functions)


def node(op, inputs, outputs=("y",), **attributes):
    """A node; inputs and outputs are names, apart by blanks, `-` where one is left out."""
    names = [["" if name == "-" else name for name in (one.split() if isinstance(one, str) else one)]
             for one in (inputs, outputs)]  # fmt: skip
    return helper.make_node(op, *names, **attributes)


def runtime(model):
    """ONNX Runtime's function of feeds."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return lambda feeds: session.run(None, feeds)


def reference(model):
    """The onnx package's function of feeds."""
    evaluator = ReferenceEvaluator(model)
    return lambda feeds: evaluator.run(None, feeds)


def block_of(model):
    """The model as a block, not hybridized."""
    return ImportedBlock(program(model.SerializeToString(), "model.onnx"))


def ours(x):
    """An array of ours, or a sequence of them, for NumPy's."""
    return [ours(one) for one in x] if isinstance(x, list) else np.array(x, dtype=x.dtype)


def listed(result):
    """Results of a block as NumPy's arrays and lists of them."""

    def plain(x):
        return [plain(one) for one in x] if isinstance(x, list) else x.asnumpy()

    return [plain(one) for one in (result if isinstance(result, tuple) else (result,))]


def same(results, expected, **tolerance):
    """Compare what a block gives with what another did: types, shapes, numbers."""
    assert len(results) == len(expected)
    for y, wanted in zip(results, expected, strict=True):
        if isinstance(wanted, list):
            same(y, wanted, **tolerance)
            continue
        wanted = numpy.asarray(wanted)
        assert (y.shape, y.dtype) == (wanted.shape, wanted.dtype)
        if y.dtype.kind in "iub":
            numpy.testing.assert_array_equal(y, wanted)
        else:
            numpy.testing.assert_allclose(y, wanted, **{"rtol": 1e-5, "atol": 1e-6} | tolerance)


def agree(model, *batches, oracle=runtime, programs=None, **tolerance):
    """Compare a model with an oracle for each batch of feeds, imperatively and hybridized; return the block.

    Args:
        model: any.
        batches: feeds by name.
        oracle: `runtime` or `reference`.
        programs: how many are compiled for the batches; None: one for each up to two.
        tolerance: of floats.
    """
    expected_of = oracle(model)
    block = block_of(model)
    for compiled in (False, True):
        block.hybridize(compiled)
        for feeds in batches:
            arrays = {name: ours(x) for name, x in feeds.items()}
            same(listed(block(**arrays)), expected_of(feeds), **tolerance)
    assert block.cache_info().programs == (min(len(batches), 2) if programs is None else programs)
    return block
