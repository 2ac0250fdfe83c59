# SPDX-License-Identifier: Apache-2.0
"""Every op on the tape: the first gradient is the central difference of the op, the second that of the first."""

import zlib

import numpy
import pytest

from hybridize import autograd
from hybridize.array import wrap
from hybridize.array.operands import operand, result
from hybridize.autograd import nodes
from hybridize.base.dtypes import is_float
from hybridize.base.types import TensorType
from hybridize.graph import Builder, parse
from hybridize.ops import OPS, CumMax, Effect, While, effect_of
from hybridize.ops.matrices import Factor
from hybridize.ops.op import bind
from tests.catalog.samples import Sample, samples
from tests.folding import folded


def typed(x):
    return TensorType(x.shape, x.dtype)


def differentiable(sample: Sample) -> list[int]:
    inputs = range(len(sample.inputs)) if sample.grad is None else sample.grad
    exact = [k for k in inputs if sample.inputs[k].dtype in ("f4", "f8")]
    return exact if effect_of(sample.op) is Effect.PURE and not isinstance(sample.op, While) else []


def in_float64(sample: Sample):
    builder = Builder()
    graph = builder.finish(builder.add(sample.op, [builder.input(typed(x)) for x in sample.inputs]))
    wide = parse(str(graph).replace("f32", "f64"), OPS)
    return wide.nodes[0].op, [x.astype("f8").copy() if is_float(x.dtype) else x.copy() for x in sample.inputs]


def cases(small: bool = False):
    for word, cls in OPS.items():
        for number, sample in enumerate(() if issubclass(cls, Factor) else samples(cls)):  # see test_factors.py
            if sample.fails is None and differentiable(sample):
                if small and (not cls.smooth or sum(sample.inputs[k].size for k in differentiable(sample)) > 40):
                    continue
                yield pytest.param(sample, id=f"{word}.{number}")


def weights(y, seed=0):
    shape = repr(y.shape).encode()
    return numpy.asarray(numpy.random.default_rng(zlib.crc32(shape) + seed).uniform(0.5, 1.5, y.shape))


def applied(op, arrays):
    return [result(y) for y in bind(op, *(operand(x) for x in arrays))]


def arrays_of(inputs, wanted):
    arrays = [wrap(x.copy()) for x in inputs]
    for k in wanted:
        arrays[k].attach_grad()
    return arrays


def moved(inputs, k, function):
    """Central differences of a function of the inputs, at each element of one of them."""
    x = inputs[k]
    slopes = numpy.zeros(x.shape)
    for place in numpy.ndindex(x.shape):
        centre, step = x[place], 1e-6
        x[place] = centre + step
        above = function()
        x[place] = centre - step
        slopes[place] = (above - function()) / (2 * step)
        x[place] = centre
    return slopes


@folded("sample", list(cases()))
def test_the_gradient_is_the_central_difference(sample):
    op, inputs = in_float64(sample)
    wanted = differentiable(sample)
    arrays = arrays_of(inputs, wanted)
    with autograd.record():
        outputs = applied(op, arrays)
    heads = [(y, weights(y, n)) for n, y in enumerate(outputs) if is_float(y.dtype)]
    tracked = [(y, w) for y, w in heads if getattr(y, "_traced", None) is not None]
    if tracked:
        autograd.backward([y for y, _ in tracked], [wrap(w) for _, w in tracked])

    def total():
        found = op.reference(*inputs)
        return float(sum((w * y).sum() for w, y in zip((w for _, w in heads), filter(_is_float, found), strict=True)))

    for k in wanted:
        numpy.testing.assert_allclose(arrays[k].grad.asnumpy(), moved(inputs, k, total), rtol=1e-5, atol=1e-6)


def _is_float(y):
    return is_float(y.dtype)


@folded("sample", list(cases(small=True)))
def test_the_second_gradient_is_the_central_difference_of_the_first(sample):
    op, inputs = in_float64(sample)
    wanted = differentiable(sample)

    def first(arrays):
        """A number made of the gradients."""
        outputs = [y for y in applied(op, arrays) if _is_float(y) and getattr(y, "_traced", None) is not None]
        if not outputs:
            return None
        given = [wrap(weights(y, n)) for n, y in enumerate(outputs)]
        found = autograd.grad(outputs, [arrays[k] for k in wanted], given, create_graph=True)
        return sum((g * wrap(weights(g, 7))).sum() for g in found)

    def number():
        with autograd.record():
            return float(first(arrays_of(inputs, wanted)))

    arrays = arrays_of(inputs, wanted)
    with autograd.record():
        total = first(arrays)
    if total is None:
        return
    if getattr(total, "_traced", None) is not None:
        total.backward()
    for k in wanted:
        numpy.testing.assert_allclose(arrays[k].grad.asnumpy(), moved(inputs, k, number), rtol=1e-4, atol=1e-5)


def test_what_a_rule_reads_is_the_same_for_all_shapes():
    """The tape finds it once for each op, for whatever comes first, and lets go of the rest: sizes must not matter."""
    known = {}
    for word, cls in OPS.items():
        for sample in samples(cls):
            floats = [x.dtype.kind == "f" for x in sample.inputs]
            if sample.fails is not None or not any(floats) or word in ("print", "assert", "while"):
                continue
            op, inputs = sample.op, sample.inputs
            if any(x.size == 0 for x in inputs):
                continue  # where there is nothing, nothing is read
            with numpy.errstate(all="ignore"):
                outputs = op.reference(*inputs)
            for tracked in {
                tuple(floats),
                *(tuple(n == k and f for n, f in enumerate(floats)) for k in range(len(floats))),
            }:
                if not any(tracked):
                    continue
                if op.word == "qr" and op.complete and inputs[0].shape[-2] > inputs[0].shape[-1]:
                    continue  # columns that complete a basis are not determined: E393, as tests/autograd/test_linalg.py
                found = nodes._found(op, tracked, inputs, outputs)
                assert not op.linear or not any(found[0] + found[1]), f"{op} is not linear"
                key = (type(op) if type(op)._compared is type else op, tracked)
                assert known.setdefault(key, found) == found, f"{op} of {[x.shape for x in inputs]}"


def test_what_is_read_of_nothing_does_not_count_for_others():
    op = CumMax(1)
    nodes._reads.pop((op, (True,)), None)
    for data in (numpy.zeros((2, 0)), numpy.array([[1.0, 3.0, 2.0]])):
        x = wrap(data)
        x.attach_grad()
        with autograd.record():
            y = applied(op, [x])[0]
        y.backward()
    assert x.grad.tolist() == [[1, 2, 0]]
