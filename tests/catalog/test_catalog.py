"""Every op, every sample, every rule: one list, so that a new op is tested the day it is written."""

import inspect
import zlib
from functools import partial

import numpy
import pytest

from hybridize.base.dtypes import is_float, is_inexact
from hybridize.base.types import TensorType
from hybridize.compiler import compile as compiled
from hybridize.graph import Builder, Graph, parse, verify
from hybridize.ops import OPS, Effect, Op, While, effect_of, evaluate, full, interpreting, make_graph, pullback
from hybridize.ops.op import ReferenceInterpreter
from hybridize.passes import PIPELINE
from tests.catalog.samples import Sample, samples
from tests.folding import folded

IMPERATIVE = {"eig"}
"""Ops that no program holds: whether results are complex depends on the data. tests/array/test_linear.py: refused."""


def cases(fails: bool) -> list:
    return list(_cases(fails))


def _cases(fails: bool):
    for word, cls in OPS.items():
        for number, sample in enumerate(samples(cls)):
            if (sample.fails is not None) == fails:
                shapes = "-".join(str(typed(x)) for x in sample.inputs)
                yield pytest.param(sample, id=f"{word}.{number}({shapes})")


def maps(op: Op) -> bool:
    """Tell whether there is a rule for a new first axis of operands."""
    return op.by_element or type(op).mapped is not Op.mapped


def compiled_cases() -> list:
    """The cases of ops that machine code computes; the gradients of the others are held by tests/autograd."""
    return [case for case in _cases(fails=False) if case.values[0].op.word not in IMPERATIVE]


def typed(x) -> TensorType:
    return TensorType(x.shape, x.dtype)


def graph_of(sample: Sample, op: Op | None = None) -> Graph:
    builder = Builder()
    inputs = [builder.input(typed(x)) for x in sample.inputs]
    return builder.finish(builder.add(op or sample.op, inputs))


def close(found, wanted, sample: Sample):
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted, strict=True):
        assert typed(a) == typed(b)
        if is_inexact(a.dtype):
            a, b = (x.astype("c16" if x.dtype.kind == "c" else "f8") for x in (a, b))
            numpy.testing.assert_allclose(a, b, rtol=sample.rtol, atol=sample.atol)
        else:
            numpy.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("word", OPS)
def test_every_op_has_samples_that_work_and_says_what_it_is(word):
    assert any(sample.fails is None for sample in samples(OPS[word]))
    assert inspect.getdoc(OPS[word])


@folded("sample", cases(fails=True))
def test_inputs_that_must_fail(sample):
    with pytest.raises(sample.fails) as raised:
        sample.op.infer(*(typed(x) for x in sample.inputs))
    assert raised.value.code in str(raised.value)


@folded("sample", cases(fails=False))
def test_infer_is_the_type_of_the_reference(sample):
    inferred = sample.op.infer(*(typed(x) for x in sample.inputs))
    with numpy.errstate(all="ignore"):
        found = sample.op.reference(*sample.inputs)
    assert all(isinstance(x, numpy.ndarray) for x in found)
    assert tuple(typed(x) for x in found) == inferred


@folded("sample", cases(fails=False))
def test_eager_is_the_reference(sample):
    before = [x.copy() for x in sample.inputs]
    with numpy.errstate(all="ignore"):
        close(sample.op.eager(*sample.inputs), sample.op.reference(*sample.inputs), sample)
    for x, y in zip(sample.inputs, before, strict=True):
        numpy.testing.assert_array_equal(x, y)


@folded("sample", cases(fails=False))
def test_text_reads_back(sample):
    graph = verify(graph_of(sample))
    back = parse(str(graph), OPS)
    assert back == graph
    assert back.nodes[0].op == sample.op
    assert hash(back.nodes[0].op) == hash(sample.op)
    assert str(back) == str(graph)


@folded("sample", cases(fails=False))
def test_passes_keep_the_meaning(sample):
    graph = graph_of(sample)
    close(evaluate(PIPELINE.run(graph), sample.inputs), evaluate(graph, sample.inputs), sample)


@folded("sample", compiled_cases())
def test_machine_code_is_the_reference(sample):
    graph = graph_of(sample)
    close(compiled(graph).run(list(sample.inputs)), evaluate(graph, sample.inputs), sample)


def moved(x, position: int):
    """Another array of the same numbers."""
    if x.ndim > 1:
        return numpy.roll(x, position, 0)
    return numpy.asarray(x * (1 + position)).astype(x.dtype) if is_float(x.dtype) else x


def mappings(sample: Sample):
    """Which operands have the new axis: all of them, or one alone."""
    count = len(sample.inputs)
    choices = {(True,) * count} | {tuple(k == one for k in range(count)) for one in range(count)}
    return sorted(along for along in choices if any(along))


@pytest.mark.parametrize("length", [0, 3])
@folded("sample", [case for case in _cases(fails=False) if maps(case.values[0].op)])
def test_mapped_is_the_op_at_each_position(sample, length):
    op, inputs = sample.op, sample.inputs
    kinds = op.infer(*map(typed, inputs))
    for along in mappings(sample):
        shared = [op.shares and not one for one in along]
        with numpy.errstate(all="ignore"):
            rows = [[moved(x, k if one else 0) for k in range(length)] for x, one in zip(inputs, along, strict=True)]
            wanted = [op.reference(*operands) for operands in zip(*rows, strict=True)]
        given = [
            x if same else numpy.stack(row) if length else numpy.zeros((0, *x.shape), x.dtype)
            for x, row, same in zip(inputs, rows, shared, strict=True)
        ]
        flags = [not same for same in shared]
        graph = verify(make_graph(partial(op.mapped, length, flags), list(map(typed, given))))
        found = evaluate(graph, given)
        assert [typed(x) for x in found] == [kind.with_shape((length, *kind.shape)) for kind in kinds]
        for k in range(length):
            close([x[k] for x in found], wanted[k], sample)


def test_most_ops_have_a_rule_for_a_new_axis():
    """Those that have none: what reaches the world, control flow, draws, windows, linear algebra."""
    without = {
        word for word, cls in OPS.items() if cls.mapped is Op.mapped and cls.axes_named is None and not cls.by_element
    }
    assert without.isdisjoint(
        {"add", "where", "cast", "reshape", "sum", "contract", "matmul", "gather", "concat", "pad"}
    )


def differentiable(sample: Sample) -> list[int]:
    """The inputs to move; those of dtypes that cannot be moved finely are left out, as their rule is the same."""
    inputs = range(len(sample.inputs)) if sample.grad is None else sample.grad
    exact = [k for k in inputs if sample.inputs[k].dtype in ("f4", "f8")]
    return exact if effect_of(sample.op) is Effect.PURE and not isinstance(sample.op, While) else []


@folded("sample", [case for case in compiled_cases() if differentiable(case.values[0])])
def test_gradient_is_the_central_difference(sample):
    wanted = differentiable(sample)
    op, inputs = in_float64(sample)
    outputs = op.reference(*inputs)
    weights = [random_like(y, k) if is_float(y.dtype) else None for k, y in enumerate(outputs)]
    builder = Builder()
    graph = builder.finish(builder.add(op, [builder.input(typed(x)) for x in inputs]))
    with interpreting(ReferenceInterpreter()):
        found = pullback(graph, inputs, weights)

    def total() -> float:
        results = op.reference(*inputs)
        return float(sum((w * y).sum() for w, y in zip(weights, results, strict=True) if w is not None))

    for k in wanted:
        x, gradient = inputs[k], found[k] if found[k] is not None else numpy.zeros_like(inputs[k])
        assert typed(gradient) == typed(x)
        for place in numpy.ndindex(x.shape):
            centre, step = x[place], 1e-6
            x[place] = centre + step
            above = total()
            x[place] = centre - step
            slope = (above - total()) / (2 * step)
            x[place] = centre
            assert gradient[place] == pytest.approx(slope, rel=1e-5, abs=1e-6), f"input {k} at {place}"


@folded("sample", [case for case in cases(fails=False) if len(differentiable(case.values[0])) > 1])
def test_the_rule_for_some_operands_is_that_for_all(sample):
    with numpy.errstate(all="ignore"), interpreting(ReferenceInterpreter()):
        outputs = sample.op.reference(*sample.inputs)
        given = (tuple(random_like(y, k).astype(y.dtype) for k, y in enumerate(outputs)), outputs, *sample.inputs)
        whole = sample.op.vjp(*given)
        for place in differentiable(sample):
            found = sample.op.partial_vjp([number == place for number in range(len(whole))], *given)
            assert len(found) == len(whole)
            numpy.testing.assert_array_equal(found[place], whole[place])


@folded("sample", [case for case in compiled_cases() if differentiable(case.values[0])])
def test_machine_code_of_the_gradient_is_the_reference(sample):
    graph = graph_of(sample)
    kinds = [value.type for value in graph.inputs]

    def run(*xs):
        ones = [full(1, value.type) if is_float(value.type.dtype) else None for value in graph.outputs]
        found = pullback(graph, xs, ones)
        return [x for x in found if x is not None]

    gradient = make_graph(run, kinds)
    found, wanted = compiled(gradient).run(list(sample.inputs)), evaluate(gradient, sample.inputs)
    for x, y in zip(found, wanted, strict=True):
        numpy.testing.assert_allclose(x, y, rtol=1e-4, atol=1e-5)


def random_like(x, seed: int):
    return numpy.asarray(numpy.random.default_rng(zlib.crc32(repr(x.shape).encode()) + seed).uniform(0.5, 1.5, x.shape))


def in_float64(sample: Sample):
    """The op and its inputs with float64 in place of float32, sub-graphs included."""
    graph = graph_of(sample)
    wide = parse(str(graph).replace("f32", "f64"), OPS)
    inputs = [x.astype("f8").copy() if is_float(x.dtype) else x for x in sample.inputs]
    return wide.nodes[0].op, inputs
