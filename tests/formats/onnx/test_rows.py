"""Each row of ONNX against ONNX Runtime, or onnx's own reference: imperatively, compiled, and for a size of the batch
that comes later without another program."""

import importlib.util
import sys
from pathlib import Path

import numpy
import onnx
import pytest
from onnx import helper, numpy_helper

from hybridize import autograd
from hybridize.array import np
from hybridize.formats.onnx.read import program
from hybridize.formats.onnx.rows import ONNX
from hybridize.gluon.imported_block import ImportedBlock


def _module(name):
    spec = importlib.util.spec_from_file_location(f"onnx_{name}", Path(__file__).with_name(f"{name}.py"))
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


samples = _module("samples")


def model_of(group):
    """The model of nodes with the same inputs, whose sizes `n` are free."""
    first, inputs, constants, names = group[0], [], [], []
    for number, kind in enumerate(first.inputs):
        name = "" if kind is None else f"x{number}"
        names.append(name)
        if isinstance(kind, numpy.ndarray):
            constants.append(numpy_helper.from_array(kind, name))
        elif kind is not None:
            array = samples.drawn(kind, 2, numpy.random.default_rng(0))
            sizes = [size for size in kind[kind.index("[") + 1 : -1].split(",") if size]
            shape = [int(size) if size.isdigit() else f"d{size}" for size in sizes]
            inputs.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), shape))
    nodes = []
    for count, one in enumerate(group):
        outputs = [f"y{count}_{number}" for number in range(one.outputs)]
        nodes.append(helper.make_node(one.op, names, outputs, domain=one.domain, **one.attributes))
    types = [onnx.ValueInfoProto(name=name) for node in nodes for name in node.output]
    graph = helper.make_graph(nodes, "sample", inputs, types, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid(first.domain, first.opset)], ir_version=8)


def wanted(model, feeds):
    """The outputs by ONNX Runtime; by onnx's reference where it cannot."""
    import onnxruntime

    typed = onnx.shape_inference.infer_shapes(model)
    try:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(typed.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return session.run(None, feeds)
    except Exception:
        from onnx.reference import ReferenceEvaluator

        return ReferenceEvaluator(model).run(None, feeds)


def groups():
    """Samples that may share a model: their inputs are the same, and data alone."""
    together = {}
    for one in samples.SAMPLES:
        apart = any(not isinstance(kind, str) for kind in one.inputs) or one.programs != 2
        key = one.name if apart else (one.inputs, one.opset, one.domain, one.tolerance)
        together.setdefault(key, []).append(one)
    seen = set()
    for group in together.values():
        first = not seen.issuperset(one.op for one in group)
        name = ",".join(one.op for one in group[1:])[:60] + group[0].name
        yield pytest.param(group, id=name, marks=[] if first else [pytest.mark.long])
        seen.update(one.op for one in group)


@pytest.mark.parametrize("group", groups())
def test_rows_give_the_numbers_of_others_for_all_sizes(group):
    model, kinds, programs = model_of(group), group[0].inputs, group[0].programs
    plain, compiled = (ImportedBlock(program(model.SerializeToString(), "sample.onnx")) for _ in range(2))
    compiled.hybridize()
    rng = numpy.random.default_rng(1)
    owners = [one.op for one in group for _ in range(one.outputs)]
    for number, n in enumerate((3, 5, 4) if programs > 1 else (1,)):
        feeds = {f"x{k}": samples.drawn(kind, n, rng) for k, kind in enumerate(kinds) if isinstance(kind, str)}
        arrays = {name: np.array(x, dtype=x.dtype) for name, x in feeds.items()}
        expected = wanted(model, feeds)
        for block in (plain, compiled) if number == 0 else (compiled,):
            results = block(**arrays)
            results = results if isinstance(results, tuple) else (results,)
            for op, one, other in zip(owners, results, expected, strict=True):
                assert (one.dtype, one.shape) == (other.dtype, other.shape), op
                tolerance = group[0].tolerance
                numpy.testing.assert_allclose(one.asnumpy(), other, rtol=tolerance, atol=tolerance, err_msg=op)
    if any(isinstance(kind, str) and "n" in kind for kind in kinds):
        assert len(compiled._function.programs()) == programs, "one for the first sizes, one for all others"


FLAT = {"EyeLike", "Hardmax"}
"""Operators of floats that no slope leads through."""


@pytest.mark.long
@pytest.mark.parametrize("sample", samples.SAMPLES, ids=lambda one: one.name)
def test_slopes_of_rows_are_those_of_differences(sample):
    rng = numpy.random.default_rng(1)
    n = 3 if sample.programs > 1 else 1
    feeds = {f"x{k}": samples.drawn(kind, n, rng) for k, kind in enumerate(sample.inputs) if isinstance(kind, str)}
    slopes = [name for name, x in feeds.items() if x.dtype == "f4"]
    blocks = [ImportedBlock(program(model_of([sample]).SerializeToString(), "sample.onnx")) for _ in range(2)]
    blocks[1].hybridize()

    def first(block, feeds):
        results = block(**{name: np.array(x, dtype=x.dtype) for name, x in feeds.items()})
        return results[0] if isinstance(results, tuple) else results

    y = first(blocks[0], feeds)
    if sample.op in FLAT or y.dtype.kind != "f" or not slopes:
        pytest.skip("nothing has a slope")
    weights = rng.standard_normal(y.shape).astype("f4")
    found = []
    for block in blocks:
        arrays = {name: np.array(x, dtype=x.dtype) for name, x in feeds.items()}
        for name in slopes:
            arrays[name].attach_grad()
        with autograd.record():
            results = block(**arrays)
            total = ((results[0] if isinstance(results, tuple) else results) * np.array(weights)).sum()
        total.backward()
        found.append([arrays[name].grad.asnumpy() for name in slopes])
    for one, other in zip(*found, strict=True):
        numpy.testing.assert_allclose(one, other, rtol=2e-3, atol=2e-3)
    step, name = rng.standard_normal(feeds[slopes[0]].shape) * 1e-3, slopes[0]
    ends = [first(blocks[0], feeds | {name: (feeds[name] + sign * step).astype("f4")}).asnumpy() for sign in (1, -1)]
    difference = ((ends[0].astype("f8") - ends[1]) * weights).sum() / 2e-3
    slope = (found[0][0].astype("f8") * step).sum() / 1e-3
    assert abs(difference - slope) <= 2e-2 * max(1, abs(difference), abs(slope))


TABLES = ("elementwise", "images", "indexing", "linear", "normalization", "reductions", "shapes")
ELSEWHERE = {
    "Constant",
    "Range",
    "NonZero",
    "Unique",
    "Scatter",
    "SimplifiedLayerNormalization",
    "com.microsoft::Trilu",
}
"""Operators of these tables that other tests have."""


def test_each_row_has_a_sample():
    tested = {one.op for one in samples.SAMPLES}
    rows = {op for op, rows in ONNX.operators().items() for row in rows if _table_of(row.function) in TABLES}
    assert sorted(rows - tested - ELSEWHERE) == []


def _table_of(function):
    return function.__module__.rpartition(".")[2]
