# SPDX-License-Identifier: Apache-2.0
"""Contractions whose indices are divided run as tiles, phase by phase: they are PyTorch's, on every target, and no loop
of folds.
"""

import numpy
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import hybridize as hy
from hybridize import autograd, np, ops
from hybridize.array.operands import operand, result
from hybridize.base.dims import SizeScope
from hybridize.base.dtypes import float32, int64
from hybridize.base.precision import default_precision
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import runnable
from hybridize.codegen.llvm.program import scheduled
from hybridize.compiler import compile as compiled
from hybridize.loops.contraction import Contraction, plain, reference, subscript
from hybridize.machine.target import named_target
from hybridize.ops import evaluate, make_graph, pullback
from hybridize.schedule.contraction.arrangement import arrangement
from hybridize.schedule.contraction.phases import phases
from hybridize.schedule.steps import ContractionStep

LEVELS = [
    pytest.param(name, marks=pytest.mark.skipif(name not in runnable(), reason=f"this machine does not run {name}"))
    for name in ("avx512", "avx2", "baseline")
]


def numbers(shape, seed=0):
    return numpy.random.default_rng(seed + sum(shape)).uniform(-1, 1, shape).astype("float32")


def typed(x) -> TensorType:
    return TensorType(x.shape, x.dtype)


def is_in_tiles(steps) -> bool:
    """Tell whether every contraction of a plan is computed in tiles."""
    of = [step for step in steps if "contract" in step.ops]
    return bool(of) and all(step.kind == "contraction" for step in of)


# Arithmetic


@st.composite
def divided(draw):
    """A contraction of one or two axes with windows whose indices are divided, and shapes of its operands."""
    count = draw(st.integers(1, 2))
    coefficient = st.sampled_from((1, 1, 2, 3, 4, -1, -2))
    sizes = [draw(st.integers(1, 3)), *(draw(st.integers(1, 7)) for _ in range(count))]
    inner = [draw(st.integers(1, 2)), *(draw(st.integers(1, 5)) for _ in range(count))]
    rank = len(sizes)
    x, w, shape = [plain(rank)], [plain(0), plain(rank)], [inner[0]]
    for axis in range(count):
        terms = [(1 + axis, draw(coefficient))]
        if draw(st.integers(0, 5)):
            terms.append((rank + 1 + axis, draw(coefficient)))
        x.append(subscript(terms, draw(st.integers(-4, 4)), draw(st.sampled_from((1, 2, 3, 4, 6)))))
        w.append(plain(rank + 1 + axis))
        shape.append(draw(st.integers(1, 6)))
    contraction = Contraction((*sizes, *inner), rank, tuple(x), tuple(w), default_precision(int64))
    return contraction, tuple(shape), (sizes[0], *inner)


@settings(max_examples=200, deadline=None)
@given(divided(), st.integers(0, 99))
def test_phases_store_every_element_of_the_contraction_once(case, seed):
    contraction, *shapes = case
    parts = phases(contraction)
    if parts is None:
        return  # an element is a sum over several phases, or they are too many
    rng = numpy.random.default_rng(seed)
    x, w = (rng.integers(-9, 10, shape, dtype=numpy.int64) for shape in shapes)
    out, times = (numpy.zeros(contraction.shape, numpy.int64) for _ in range(2))
    for part in parts:
        assert all(index.divisor == 1 for index in part.contraction.x)
        at = tuple(slice(first, None, step) for step, first in part.places[: contraction.rank])
        assert out[at].shape == part.contraction.shape
        out[at] = reference(part.contraction, x, w)
        times[at] += 1
    numpy.testing.assert_array_equal(times, 1)
    numpy.testing.assert_array_equal(out, reference(contraction, x, w))


def test_what_is_no_phase_of_one_contraction_stays_whole():
    def of(*terms, offset=0, divisor=1, sizes=(8, 4, 5)):
        x = (plain(2), subscript(terms, offset, divisor))
        return Contraction(sizes, 1, x, (plain(1), plain(2)), default_precision(float32))

    assert [part.contraction for part in phases(of((0, 1), (1, -1)))] == [of((0, 1), (1, -1))]
    assert len(phases(of((0, 1), (1, -1), divisor=4))) == 4
    assert len(phases(of((0, 2), (1, -1), divisor=4))) == 2
    assert len(phases(of((0, 1), (1, -1), divisor=4, sizes=(3, 4, 5)))) == 3
    assert phases(of((0, 2), (1, 1), divisor=3, sizes=(40, 4, 5))) is not None
    assert len(phases(of((0, 1), divisor=33, sizes=(40, 4, 5)))) == 33
    assert phases(of((0, 1), divisor=2000, sizes=(4000, 4, 5))) is None  # as long a table
    assert phases(of((0, 2), (1, 2), (2, 1), divisor=2)) is not None
    assert phases(of((0, 1), (1, 1), (2, 1), divisor=2)) is None  # odd and even terms of either sum
    size = SizeScope().symbol(9)
    assert phases(of((0, 1), (1, -1), divisor=2, sizes=(8, size, 5))) is None
    assert len(phases(of((0, 1), (1, -1), divisor=2, sizes=(size, 4, 5)))) == 2


def test_one_halo_serves_all_phases():
    """[(i - r + 1)/2] with three r reads -1 for no i, and one beyond the end for the last."""
    x = (plain(0), plain(3), subscript(((2, 1), (4, -1)), 1, 2))
    contraction = Contraction((2, 16, 8, 4, 3), 3, x, (plain(3), plain(1), plain(4)), default_precision(float32))
    found = arrangement(contraction, ((2, 4, 4), (4, 16, 3)), 16)
    assert found.halo == ((0, 0), (0, 0), (0, 1))
    assert [part.contraction.sizes for part in found.phases] == [(2, 16, 4, 4, 1), (2, 16, 4, 4, 2)]


# Programs

TRANSPOSED = [
    # of x, [c, o / groups, r...] of w, stride, padding, dilation, output padding, groups
    ((2, 16, 9), (16, 24, 4), 2, 1, 1, 0, 1),
    ((2, 16, 9), (16, 24, 3), 3, 0, 2, 2, 1),
    ((1, 8, 5), (8, 16, 2), 4, 0, 1, 1, 1),
    ((2, 16, 5, 6), (16, 24, 3, 3), 2, 1, 1, 1, 1),
    ((2, 16, 5, 6), (16, 12, 4, 3), 2, 2, 1, 0, 2),
    ((1, 8, 4, 4), (8, 16, 1, 1), 2, 0, 1, 1, 1),
    ((1, 4, 3, 4, 3), (4, 16, 3, 2, 3), 2, 1, 1, 1, 1),
]


def by_torch(x, w, stride, padding, dilation, extra, groups):
    function = {3: torch.conv_transpose1d, 4: torch.conv_transpose2d, 5: torch.conv_transpose3d}[x.ndim]
    return function(torch.tensor(x), torch.tensor(w), None, stride, padding, extra, groups, dilation).numpy()


def transposed(x, w, stride, padding, dilation, extra, groups):
    """The graph of a transposed convolution with an epilogue, its operands, and what PyTorch says."""
    window = w.shape[2:]
    inputs, outputs = w.shape[0], w.shape[1] * groups
    turned = w.reshape(groups, inputs // groups, outputs // groups, *window).swapaxes(1, 2)
    turned = turned.reshape(outputs, inputs // groups, *window)
    turned = turned[(..., *(slice(None, None, -1),) * len(window))].copy()
    reach = [dilation * (size - 1) - padding for size in window]
    wanted = abs(by_torch(x, w, stride, padding, dilation, extra, groups))
    more = numbers(wanted.shape, seed=3)

    def function(x, w, more):
        y = ops.convolution(
            x, w, padding=[(one, one + extra) for one in reach], dilation=dilation, groups=groups, x_dilation=stride
        )
        return [ops.add(ops.abs(y), more)]

    operands = [x, turned, more]
    return make_graph(function, [typed(each) for each in operands]), operands, wanted + more


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("x", "w", "stride", "padding", "dilation", "extra", "groups"), TRANSPOSED)
def test_transposed_convolutions_are_pytorchs(level, x, w, stride, padding, dilation, extra, groups):
    graph, operands, wanted = transposed(numbers(x), numbers(w, 1), stride, padding, dilation, extra, groups)
    program = compiled(graph, named_target(level))
    assert is_in_tiles(program.plan.steps)
    numpy.testing.assert_allclose(program.run(operands)[0], wanted, rtol=1e-4, atol=1e-4)


STRIDED = [
    ((2, 16, 11), (24, 16, 3), 2, 1, 1, 1),
    ((2, 16, 13), (24, 16, 3), 3, 2, 2, 1),
    ((2, 16, 9, 8), (24, 16, 3, 3), 2, 1, 1, 1),
    ((2, 32, 8, 9), (24, 16, 3, 3), 2, 1, 1, 2),
    ((1, 16, 8, 8), (24, 16, 1, 1), 2, 0, 1, 1),
    ((1, 8, 6, 7, 6), (8, 8, 2, 3, 2), 2, 1, 1, 1),
]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("x", "w", "stride", "padding", "dilation", "groups"), STRIDED)
def test_gradients_of_strided_convolutions_are_pytorchs(level, x, w, stride, padding, dilation, groups):
    x, w = numbers(x), numbers(w, 1)
    forward = {3: torch.conv1d, 4: torch.conv2d, 5: torch.conv3d}[x.ndim]
    tx = torch.tensor(x, requires_grad=True)
    y = forward(tx, torch.tensor(w), None, stride, padding, dilation, groups)
    g = numbers(tuple(y.shape), 2)
    (wanted,) = torch.autograd.grad(y, [tx], torch.tensor(g))

    def convolved(x, w):
        return [ops.convolution(x, w, stride, padding, dilation, groups)]

    graph = make_graph(convolved, [typed(x), typed(w)])
    slope = make_graph(lambda x, w, g: pullback(graph, [x, w], [g])[:1], [typed(x), typed(w), typed(g)])
    program = compiled(slope, named_target(level))
    assert is_in_tiles(program.plan.steps)
    numpy.testing.assert_allclose(program.run([x, w, g])[0], wanted.numpy(), rtol=1e-4, atol=1e-4)


SPECS = [
    ("nc[(i-r+1)/2],ocr->noi", (2, 8, 6), (16, 8, 3), {"i": 12}, 2),
    ("ocr,nc[(i-r+1)/2]->noi", (16, 8, 3), (2, 8, 6), {"i": 12}, 2),
    ("nc[(i-2r+j)/3],ocrj->noi", (2, 8, 6), (16, 8, 3, 1), {"i": 12}, 3),
    ("nc[(i-r+1)/2][(k+r)/3],ocr->noik", (2, 8, 6, 5), (16, 8, 3), {"i": 7, "k": 9}, 6),
    ("c[i/2],oc->oi", (8, 6), (16, 8), {"i": 11}, 2),
    ("nci,no[(s-i+1)/2]->cos", (2, 16, 6), (2, 4, 5), {"s": 5}, 2),
]


@pytest.mark.parametrize("dtype", ["float16", "float64", "int8"])
@pytest.mark.parametrize(("spec", "x", "w", "sizes", "count"), SPECS)
def test_any_divided_indices_of_any_dtype(spec, x, w, sizes, count, dtype):
    x, w = ((5 * numbers(shape)).astype(dtype) for shape in (x, w))
    graph = make_graph(lambda x, w: [ops.contract(spec, x, w, sizes)], [typed(x), typed(w)])
    program = compiled(graph)
    assert is_in_tiles(program.plan.steps)
    assert sum(step.kind == "contraction" for step in program.plan.steps) == 1
    (plan,) = (
        step.plan for step in scheduled(graph, named_target("avx512")).steps if isinstance(step, ContractionStep)
    )
    remainders = {
        tuple(
            part.firsts[axis.axis] % axis.step for axis in sorted((tiles.row, *tiles.outer), key=lambda axis: axis.axis)
        )
        for tiles in plan.tiles
        for part in tiles.parts
    }
    assert len(remainders) == count
    tolerance = 1e-2 if dtype == "float16" else 1e-9
    numpy.testing.assert_allclose(program.run([x, w])[0], evaluate(graph, [x, w])[0], rtol=tolerance, atol=tolerance)


def test_threads_change_no_bit():
    graph, operands, wanted = transposed(numbers((8, 32, 24, 24)), numbers((32, 32, 3, 3), 1), 2, 1, 1, 1, 1)
    alone, together = compiled(graph, threads=1), compiled(graph, threads=2)
    shared = [step for step in together.plan.steps if step.kind == "contraction"]
    assert len(shared) == 1
    assert all(step.share.threads == 2 for step in shared)
    found = together.run(operands)[0]
    numpy.testing.assert_array_equal(found, alone.run(operands)[0])
    numpy.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)


def test_elements_that_no_term_reaches_are_zero_whatever_the_operands_hold():
    x, w = numpy.full((1, 8, 4), numpy.inf, "float32"), numpy.full((8, 16, 1), numpy.nan, "float32")
    graph, operands, _ = transposed(x, w, 2, 0, 1, 1, 1)
    operands[2][...] = 0
    found = compiled(graph).run(operands)[0]
    numpy.testing.assert_array_equal(found[..., 1::2], 0)
    assert numpy.isnan(found[..., ::2]).all()


def test_phases_read_their_taps_of_one_packed_constant():
    graph, *_ = transposed(numbers((2, 16, 5, 6)), numbers((16, 24, 4, 4), 1), 2, 1, 1, 0, 1)
    found = scheduled(graph, named_target("avx512"), stable=[1])
    sizes = [made.type.size for made in found.constants if type(made).__name__ == "Derived"]
    assert sizes == [4 * 4 * 16 * 32]


@pytest.mark.parametrize(("stride", "padding", "window"), [(2, 1, 3), (3, 0, 3), (3, 0, 1), (4, 1, 2)])
def test_sizes_that_only_calls_know(stride, padding, window):
    """Strided convolutions and their gradients: one program for all sizes, in tiles."""
    w = np.array(numbers((16, 24, window, window), 1))

    def run(x):
        with autograd.record():
            y = result(ops.convolution(operand(x), operand(w), stride, padding))
            total = (y**2).sum()
        return y, *autograd.grad(total, [x])

    x = np.array(numbers((2, 24, 19, 20)))
    function = hy.hybridize(run, dynamic=True)
    for n, size in ((2, 19), (3, 18), (2, 23), (1, window + 1), (1, 32)):  # of few rows, phases have none
        x = np.array(numbers((n, 24, size, size + 1)))
        x.attach_grad()
        tx = torch.tensor(x.asnumpy(), requires_grad=True)
        ty = torch.conv2d(tx, torch.tensor(w.asnumpy()), None, stride, padding)
        (slope,) = torch.autograd.grad((ty**2).sum(), [tx])
        y, g = function(x)
        numpy.testing.assert_allclose(y.asnumpy(), ty.detach().numpy(), rtol=1e-4, atol=1e-4)
        numpy.testing.assert_allclose(g.asnumpy(), slope.numpy(), rtol=1e-4, atol=1e-3)
    assert "n0" in str(function.program(x).schedule())
    assert is_in_tiles(function.program(x).kernels)
