"""Loops by the residues of an index that is divided, and vectors along quotients: windows side by side, repetitions."""

import itertools
import re

import numpy
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridize import ops
from hybridize.base.dims import SizeScope
from hybridize.base.dtypes import bfloat16, float16, float32, float64, int32
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.program import build, scheduled
from hybridize.compiler import compile as compiled
from hybridize.machine.target import named_target
from hybridize.ops import composites, evaluate, make_graph, pullback
from hybridize.passes import PIPELINE
from hybridize.schedule import thresholds
from tests.schedule.tiles import LEVELS, SWEPT, graph_of


def some_numbers(shape, dtype=float32, seed=0):
    """Few different numbers, so that windows have equal elements; zeros of both signs, and NaN, among floats."""
    rng = numpy.random.default_rng((seed, *shape))
    if dtype == int32:
        return rng.integers(-3, 4, shape).astype(dtype)
    found = rng.choice(numpy.array([-2, -1, -0.0, 0, 1, 2, 3]), shape)
    found[rng.random(shape) < 0.02] = numpy.nan
    return found.astype(dtype)


def kernels(graph, level="avx512"):
    return [step.kernel for step in scheduled(graph, named_target(level)).steps if hasattr(step, "kernel")]


def of_pooling(shape, window, strides, low, high, kind="max", dtype=float32, rectified=True):
    """The graph of the gradient of a pooling behind a ReLU, and its inputs."""
    x = some_numbers(shape, dtype)

    def forward(x):
        y = composites.relu(x) if rectified else x
        made = ops.window_max if kind == "max" else ops.window_sum
        return [made(y, window, strides, low, high)]

    one = graph_of(forward, x)
    g = some_numbers(one.outputs[0].type.shape, dtype, 1)
    return graph_of(lambda x, g: pullback(one, [x], [g]), x, g), [x, g]


def check(graph, inputs, level, rtol=1e-6):
    for found, wanted in zip(compiled(graph, named_target(level)).run(inputs), evaluate(graph, inputs), strict=True):
        assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
        numpy.testing.assert_allclose(found.astype("f8"), wanted.astype("f8"), rtol=rtol, atol=rtol)


class Windows:
    """A random pooling, with lanes along windows or beside them."""

    def __init__(self, draw):
        def some(*of):
            return draw(st.sampled_from(of))

        self.kind = some("max", "max", "sum")
        self.dtype = some(float32, float32, float64, float16, bfloat16)
        channels = some(1, 3, 16, 17)
        self.last = draw(st.booleans())
        window = [some(1, 2, 2, 3, 4) for _ in range(2)]
        strides = [some(1, 2, 2, 3, size) for size in window]
        low = [some(0, 0, size // 2) for size in window]
        high = [some(0, before) for before in low]
        sizes = [draw(st.integers(size, 40)) for size in window]
        fields = [[1, *numbers, 1] if self.last else [1, 1, *numbers] for numbers in (window, strides)]
        sides = [[0, *numbers, 0] if self.last else [0, 0, *numbers] for numbers in (low, high)]
        self.shape = (some(1, 3), *sizes, channels) if self.last else (some(1, 3), channels, *sizes)
        self.fields = tuple(map(tuple, (*fields, *sides)))


windows = st.composite(lambda draw: Windows(draw))()


def check_windows(case, level):
    graph, inputs = of_pooling(case.shape, *case.fields, case.kind, case.dtype)
    check(graph, inputs, level, 2e-2 if case.dtype.itemsize == 2 else 1e-5)


@settings(max_examples=15, deadline=None)
@given(windows, st.sampled_from(LEVELS))
def test_gradients_of_poolings_are_their_reference(case, level):
    check_windows(case, level)


@pytest.mark.long
@settings(max_examples=1500, deadline=None)
@given(windows, st.sampled_from(LEVELS))
def test_thousands_of_gradients_of_poolings_are_their_reference(case, level):
    check_windows(case, level)


SHAPES = [(2, 3, 28, 28), (2, 3, 27, 29), (1, 2, 6, 7), (3, 1, 9, 64), (1, 1, 4, 130)]


@pytest.mark.parametrize("level", SWEPT)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("window", "stride", "padding"), [(2, 2, 0), (3, 3, 0), (3, 2, 1), (4, 2, 1), (2, 1, 0)])
def test_gradients_of_poolings_are_pytorchs(level, shape, window, stride, padding):
    """Where an element is the largest of several windows, first among equals, and where it is NaN."""
    fields = tuple((rest, rest, each, each) for each, rest in ((window, 1), (stride, 1), (padding, 0), (padding, 0)))
    graph, (x, g) = of_pooling(shape, *fields)
    g = numpy.random.default_rng(3).normal(size=g.shape).astype("f4")
    image = torch.tensor(x, requires_grad=True)
    pooled = torch.nn.functional.max_pool2d(torch.relu(image), window, stride, padding)
    (wanted,) = torch.autograd.grad(pooled, image, torch.tensor(g))
    (found,) = compiled(graph, named_target(level)).run([x, g])
    there = ~numpy.isnan(x)  # which of several NaN in a window takes the gradient is nobody's business
    near = torch.nn.functional.max_pool2d(torch.tensor(x).isnan().float(), 2 * window + 1, 1, window).numpy() == 0
    numpy.testing.assert_allclose(found[there & near], wanted.numpy()[there & near], rtol=1e-5, atol=1e-6)


def test_windows_side_by_side_find_their_largest_element_once():
    """Pixels in lanes share it between the lines of a window, channels in lanes between all of its elements."""
    lines, _ = of_pooling((8, 6, 28, 28), (1, 1, 2, 2), (1, 1, 2, 2), (0,) * 4, (0,) * 4, rectified=False)
    channels, _ = of_pooling((8, 28, 28, 16), (1, 2, 2, 1), (1, 2, 2, 1), (0,) * 4, (0,) * 4, rectified=False)
    for graph, stored, divided in (lines, 2, True), (channels, 4, False):
        (kernel,) = kernels(graph)
        assert [len(body.statements) for nest in kernel.nests for body in nest.bodies] == [stored]
        assert ("floordiv" in str(kernel)) == divided
        assert str(kernel).count(" le(") == 3


def test_what_a_loop_leaves_is_a_piece_of_its_own():
    graph, inputs = of_pooling((3, 7, 9, 16), (1, 2, 2, 1), (1, 2, 2, 1), (0,) * 4, (0,) * 4, rectified=False)
    (kernel,) = kernels(graph)
    turns = [len(body.statements) for nest in kernel.nests for body in nest.bodies]
    assert turns == [4, 1, 1]
    for level in LEVELS:
        check(graph, inputs, level)


def test_loops_that_share_nothing_stay_as_they_are():
    """Quotients of a row that is counted anew, and windows whose elements are too many."""
    x = some_numbers((6, 8, 5))
    graph = graph_of(lambda x: [ops.exp(ops.transpose(ops.reshape(x, (48, 5)), (1, 0)))], x)
    wide, _ = of_pooling((2, 40, 40, 16), (1, 5, 5, 1), (1, 5, 5, 1), (0,) * 4, (0,) * 4, rectified=False)
    for each in graph, wide:
        assert all(
            len(body.statements) == 1 for kernel in kernels(each) for nest in kernel.nests for body in nest.bodies
        )


@pytest.mark.parametrize("times", [2, 3, 4, 5])
@pytest.mark.parametrize("size", [1, 7, 8, 33, 64])
@pytest.mark.parametrize(
    "dtype",
    [float32, int32, *(pytest.param(one, marks=pytest.mark.long) for one in (float64, float16))],
)
def test_repeated_elements(times, size, dtype):
    x = some_numbers((3, size, size), dtype)

    def repeat(x):
        up = ops.broadcast(ops.reshape(x, (3, size, 1, size, 1)), (3, size, times, size, times))
        return [ops.neg(ops.reshape(up, (3, size * times, size * times)))]

    graph = graph_of(repeat, x)
    wanted = -x.repeat(times, 1).repeat(times, 2)
    for level in LEVELS:
        numpy.testing.assert_array_equal(compiled(graph, named_target(level)).run([x])[0], wanted)


@pytest.mark.parametrize(("level", "loads"), [("avx512", 0), ("avx2", 0)])
def test_vectors_along_quotients_are_loaded_and_shuffled(level, loads):
    """Nothing is gathered where the divisor divides the lanes; where it does not, the first turn alone is known."""
    graph, _ = of_pooling((8, 6, 28, 28), (1, 1, 2, 2), (1, 1, 2, 2), (0,) * 4, (0,) * 4)
    text = build(graph, named_target(level)).module.text()
    assert len(re.findall(r"call .*masked\.gather", text)) == loads
    assert "shufflevector" in text


def test_threads_change_no_bit_along_quotients(monkeypatch):
    monkeypatch.setattr(thresholds, "WORTH_US", 0.0)
    monkeypatch.setattr(thresholds, "RANGE_US", 1e-9)
    for size, times in itertools.product((1000, 4100), (2, 3, 4)):
        x = some_numbers((size,))
        graph = graph_of(
            lambda x, size=size, times=times: [
                ops.exp(ops.reshape(ops.broadcast(ops.reshape(x, (size, 1)), (size, times)), (size * times,)))
            ],
            x,
        )
        for level in LEVELS:
            target = named_target(level)
            found = compiled(graph, target, threads=2).run([x])[0]
            numpy.testing.assert_array_equal(found, compiled(graph, target, threads=1).run([x])[0])
            numpy.testing.assert_allclose(found, numpy.exp(x.repeat(times)), rtol=1e-5)


@pytest.mark.parametrize("unknown", ["n", "h", "w", "nhw"])
def test_one_program_for_all_sizes(unknown):
    scope = SizeScope()
    hints = {"n": 2, "h": 8, "w": 28}
    sizes = {axis: scope.symbol(size, low=2) if axis in unknown else size for axis, size in hints.items()}
    scope.capturing = False
    fields = (1, 1, 2, 2), (1, 1, 2, 2), (0,) * 4, (0,) * 4

    def run(x, g):
        numbers = ops.window_arg_max(x, *fields)
        return [ops.window_put(g, numbers, *fields, ops.type_of(x).shape)]

    def types(n, h, w):
        return [TensorType(shape, float32) for shape in ((n, 3, h, w), (n, 3, (h - 2) // 2 + 1, (w - 2) // 2 + 1))]

    graph = PIPELINE.run(make_graph(run, types(**sizes)))
    for level in LEVELS:
        program = compiled(graph, named_target(level))
        for now in ((2, 8, 28), (3, 2, 3), (2, 5, 37)):
            exact = [size if axis in unknown else hints[axis] for axis, size in zip(hints, now, strict=True)]
            inputs = [some_numbers(kind.shape) for kind in types(*exact)]
            wanted = evaluate(PIPELINE.run(make_graph(run, types(*exact))), inputs)
            numpy.testing.assert_array_equal(program.run(inputs)[0], wanted[0])
