"""Convolutions with few outputs: lanes are pixels of a line, or images, and elements of w are broadcast.

In the gradient by w these lanes are summed over.
"""

import math

import numpy
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridize import ops
from hybridize.base.dims import SizeScope
from hybridize.base.dtypes import float16, float32, float64
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.program import scheduled
from hybridize.compiler import compile as compiled
from hybridize.machine.target import named_target
from hybridize.ops import composites, evaluate, make_graph, pullback
from hybridize.passes import PIPELINE
from hybridize.schedule import thresholds
from hybridize.schedule.steps import ContractionStep, LoopStep
from tests.schedule.tiles import LEVELS, SWEPT, Convolved, compare, graph_of, lane_plans, loop_of_lanes, numbers


def broadcast_plans(graph, level="avx512"):
    return [plan for plan in lane_plans(graph, level) if plan.is_broadcast]


def summed_plans(graph):
    return [plan for plan in lane_plans(graph) if plan.is_summed]


class FewOutputs(Convolved):
    """A random convolution with few outputs, its gradients, or two of them whose first result is read twice."""

    longest = 40

    def draw_form(self, some):
        rank = self.rank
        self.groups = some(1, 1, 1, 1, 2, 3)
        self.channels = some(1, 3, 6, 16, 17) if self.groups == 1 else self.groups * some(1, 2)
        self.outputs = self.groups * some(1, 2, 3, 6, 7)
        self.batch = some(0, 1, 1, 2, 16, 17, 31)
        self.steps = (*(some(1, 1, 2) for _ in range(rank - 1)), some(1, 1, 1, 2))
        self.sides = tuple(some((0, 0), (1, 1), (2, 2), (2, 0), (0, 3), (-1, 1)) for _ in range(rank))

    def shape_of_v(self):
        return 4, self.outputs, *[3] * self.rank

    def chain(self, x, w, v):
        y = composites.relu(self.convolved(x, w))
        z = ops.convolution(ops.min(y, ops.like(6, y)), v, 1, 1)
        return [z, ops.add(y, ops.like(1, y))]


convolutions = st.composite(lambda draw: FewOutputs(draw))()


@settings(max_examples=15, deadline=None)
@given(convolutions, st.sampled_from(LEVELS), st.booleans())
def test_convolutions_with_few_outputs_and_gradients_are_their_reference(case, level, stable):
    case.check(level, stable)


@pytest.mark.long
@settings(max_examples=1500, deadline=None)
@given(convolutions, st.sampled_from(LEVELS), st.booleans())
def test_thousands_of_convolutions_with_few_outputs_are_their_reference(case, level, stable):
    case.check(level, stable)


SHAPES = [
    # x, outputs, taps, stride, padding, dilation, and whether forward and the gradient by x have such tiles
    ((1, 1, 28, 28), 6, (5, 5), 1, 2, 1, (True, True)),
    ((2, 3, 9, 19), 4, (3, 3), 1, 1, 1, (True, True)),
    ((1, 16, 12, 33), 3, (3, 3), 1, 2, 2, (True, False)),
    ((64, 3, 6, 5), 6, (3, 3), 1, 1, 1, (True, False)),
    ((31, 1, 7, 9), 3, (3, 3), 2, 1, 1, (True, False)),
    ((16, 17, 4, 4), 1, (3, 3), 1, 1, 1, (True, False)),
    ((2, 6, 14, 14), 16, (5, 5), 1, 0, 1, (False, True)),
    ((32, 3, 9, 9), 16, (5, 5), 1, 0, 1, (False, True)),
    ((31, 3, 6, 7), 3, (4, 5), 1, (2, 3), 1, (True, False)),
    ((31, 3, 5, 6), 2, (3, 3), 1, 2, 2, (True, False)),
    ((3, 5, 45), 2, (7,), 1, 3, 1, (True, True)),
    ((1, 3, 5, 6, 30), 5, (3, 3, 3), (2, 1, 1), 1, 1, (True, True)),
]


@pytest.mark.parametrize("level", SWEPT)
@pytest.mark.parametrize(("shape", "outputs", "taps", "stride", "padding", "dilation", "tiled"), SHAPES)
def test_values_and_gradients_are_pytorchs(level, shape, outputs, taps, stride, padding, dilation, tiled):
    x, w = numbers(shape), numbers((outputs, shape[1], *taps), seed=1)
    forward = (torch.conv1d, torch.conv2d, torch.conv3d)[len(taps) - 1]
    operands = [torch.tensor(each, requires_grad=True) for each in (x, w)]
    y = forward(*operands, None, stride, padding, dilation)
    g = numbers(tuple(y.shape), seed=2)
    wanted = [y.detach(), *torch.autograd.grad(y, operands, torch.tensor(g))]
    one = graph_of(lambda x, w: [ops.convolution(x, w, stride, padding, dilation)], x, w)
    for is_tiled, number in zip(tiled, (0, 1), strict=True):
        of = one if number == 0 else graph_of(lambda x, w, g: pullback(one, [x, w], [g])[:1], x, w, g)
        if level == "avx512":
            assert len(broadcast_plans(of)) == is_tiled, number
    graph = graph_of(
        lambda x, w, g: [ops.convolution(x, w, stride, padding, dilation), *pullback(one, [x, w], [g])], x, w, g
    )
    for found, expected in zip(compiled(graph, named_target(level)).run([x, w, g]), wanted, strict=True):
        compare(found, expected.numpy(), float32)


def by_weight(shape, outputs, taps, dtype=float32, stride=1, padding=0, dilation=1, epilogue=None):
    """The graph of a gradient by a weight, and its inputs."""
    x, w = numbers(shape, dtype), numbers((outputs, shape[1], *taps), dtype, 1)
    one = graph_of(lambda x, w: [ops.convolution(x, w, stride, padding, dilation)], x, w)
    g = numbers(one.outputs[0].type.shape, dtype, 2)

    def run(x, w, g):
        y = pullback(one, [x, w], [g])[1]
        return [y if epilogue is None else epilogue(y, w)]

    return graph_of(run, x, w, g), [x, w, g]


WEIGHTS = [
    ((64, 1, 28, 28), 6, (5, 5), {"padding": 2}),
    ((2, 3, 20, 33), 4, (3, 3), {"padding": (1, 0)}),
    ((17, 1, 9, 13), 3, (3, 3), {"padding": 1}),
    ((3, 2, 12, 48), 1, (3, 3), {"dilation": 2}),
    ((4, 3, 9, 100), 3, (3, 3), {"padding": 1}),
    ((64, 3, 9, 5), 3, (3, 3), {"padding": 1}),
    ((2, 1, 5, 12, 29), 2, (3, 3, 3), {"stride": (1, 2, 1)}),
]


@pytest.mark.parametrize("level", SWEPT)
@pytest.mark.parametrize(("shape", "outputs", "taps", "more"), WEIGHTS)
@pytest.mark.parametrize("dtype", [float32, float64, float16])
def test_gradients_by_a_weight_add_up_lanes(level, shape, outputs, taps, more, dtype):
    graph, inputs = by_weight(shape, outputs, taps, dtype, **more)
    if level == "avx512" and dtype == float32:
        assert len(summed_plans(graph)) == 1
    compare(compiled(graph, named_target(level)).run(inputs)[0], evaluate(graph, inputs)[0], dtype)


@pytest.mark.parametrize("is_long", [False, True])
def test_added_up_lanes_have_epilogues(is_long):
    """A step along the gradient, or something longer, which is written once for the rows of a tile."""

    def epilogue(y, w):
        y = ops.sub(w, ops.mul(y, ops.like(0.125, y)))
        return ops.tanh(ops.exp(ops.neg(y))) if is_long else y

    graph, inputs = by_weight((8, 1, 28, 28), 6, (5, 5), padding=2, epilogue=epilogue)
    assert summed_plans(graph)
    for level in LEVELS:
        compare(compiled(graph, named_target(level)).run(inputs)[0], evaluate(graph, inputs)[0], float32)


def test_threads_change_no_bit_of_added_up_lanes(monkeypatch):
    monkeypatch.setattr(thresholds, "WORTH_US", 0.0)
    monkeypatch.setattr(thresholds, "RANGE_US", 1e-9)
    graph, inputs = by_weight((8, 1, 28, 28), 6, (5, 5), padding=2)
    alone, together = compiled(graph, threads=1), compiled(graph, threads=2)
    assert [step.share.threads for step in together.plan.steps if step.kind == "contraction"] == [2]
    numpy.testing.assert_array_equal(together.run(inputs)[0], alone.run(inputs)[0])


@pytest.mark.parametrize("unknown", ["n", "h", "w", "nhw"])
def test_added_up_lanes_of_any_size(unknown):
    scope = SizeScope()
    hints = {"n": 4, "h": 12, "w": 28}
    sizes = {axis: scope.symbol(size, low=3) if axis in unknown else size for axis, size in hints.items()}
    scope.capturing = False
    spec = "nc[y+r][x+s],noyx->ocrs"

    def run(x, g):
        return [ops.contract(spec, x, g, {"r": 3, "s": 3})]

    def types(n, h, w):
        return [TensorType(shape, float32) for shape in ((n, 2, h, w), (n, 3, h - 2, w - 2))]

    graph = PIPELINE.run(make_graph(run, types(**sizes)))
    assert summed_plans(graph)
    for level in LEVELS:
        program = compiled(graph, named_target(level))
        for now in ((4, 12, 28), (3, 3, 3), (7, 5, 19), (5, 30, 18)):
            exact = [size if axis in unknown else hints[axis] for axis, size in zip(hints, now, strict=True)]
            inputs = [numbers(kind.shape, float32, 5) for kind in types(*exact)]
            wanted = evaluate(PIPELINE.run(make_graph(run, types(*exact))), inputs)
            compare(program.run(inputs)[0], wanted[0], float32)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("unknown", ["n", "hw", "c", "nchw", "o"])
def test_one_program_for_all_sizes(level, unknown):
    scope = SizeScope()
    hints = {"n": 2, "c": 3, "h": 9, "w": 28, "o": 5}
    sizes = {axis: scope.symbol(size) if axis in unknown else size for axis, size in hints.items()}
    scope.capturing = False

    def run(x, w, b):
        y = ops.convolution(x, w, 1, 1)
        bias = ops.broadcast(ops.reshape(b, (*ops.type_of(b).shape, 1, 1)), ops.type_of(y).shape)
        return [composites.relu(ops.add(y, bias))]

    def types(n, c, h, w, o):
        return [TensorType(shape, float32) for shape in ((n, c, h, w), (o, c, 3, 3), (o,))]

    graph = PIPELINE.run(make_graph(run, types(**sizes)))
    assert level != "avx512" or len(broadcast_plans(graph, level)) == 1
    program = compiled(graph, named_target(level))
    for now in ((2, 3, 9, 28, 5), (2, 2, 2, 2, 2), (5, 6, 3, 47, 17), (3, 17, 2, 3, 2)):
        exact = {axis: size if axis in unknown else hints[axis] for axis, size in zip(hints, now, strict=True)}
        inputs = [numbers(kind.shape, float32, 5) for kind in types(**exact)]
        wanted = evaluate(PIPELINE.run(make_graph(run, types(**exact))), inputs)
        compare(program.run(inputs)[0], wanted[0], float32)


@pytest.mark.parametrize("shape", [(2, 3, 40, 30), (1, 3, 9, 80), (64, 3, 9, 6)])
def test_threads_change_no_bit(shape, monkeypatch):
    monkeypatch.setattr(thresholds, "WORTH_US", 0.0)
    monkeypatch.setattr(thresholds, "RANGE_US", 1e-9)
    x, w = numbers(shape), numbers((5, 3, 3, 3), seed=1)
    graph = graph_of(lambda x, w: [ops.convolution(x, w, 1, 1)], x, w)
    alone, together = compiled(graph, threads=1), compiled(graph, threads=2)
    assert [step.share.threads for step in together.plan.steps if step.kind == "contraction"] == [2]
    found = together.run([x, w])[0]
    numpy.testing.assert_array_equal(found, alone.run([x, w])[0])
    compare(found, evaluate(graph, [x, w])[0], float32)


@pytest.mark.parametrize("is_long", [False, True])
def test_epilogues_of_any_length(is_long):
    x, w, b = numbers((2, 3, 9, 30)), numbers((4, 3, 3, 3), seed=1), numbers((2, 4, 9, 30), seed=2)

    def run(x, w, b):
        y = ops.convolution(x, w, 1, 1)
        return [ops.add(ops.tanh(y) if is_long else y, b), ops.mul(y, b)]

    graph = graph_of(run, x, w, b)
    assert broadcast_plans(graph)
    for found, wanted in zip(compiled(graph).run([x, w, b]), evaluate(graph, [x, w, b]), strict=True):
        compare(found, wanted, float32)


def test_images_without_padding_are_read_as_they_lie():
    """Where windows leave the image above and below only, it is cut into parts; beside the lanes, it is copied."""
    x, w = numbers((2, 1, 28, 28)), numbers((6, 1, 5, 5), seed=1)
    for sides, steps in (((0, 0), (0, 0)), 1), (((2, 2), (0, 0)), 1), (((0, 0), (2, 2)), 2):
        graph = graph_of(lambda x, w, sides=sides: [ops.convolution(x, w, 1, sides)], x, w)
        made = scheduled(graph, named_target("avx512")).steps
        assert [type(step) for step in made] == [LoopStep, ContractionStep][2 - steps :]
        compare(compiled(graph).run([x, w])[0], evaluate(graph, [x, w])[0], float32)


def test_a_chain_of_few_channels_converts_nothing():
    """Values between convolutions lie in the order of their axes, with the halo of their reader."""
    x, w, v = numbers((1, 3, 28, 28)), numbers((6, 3, 3, 3), seed=1), numbers((4, 6, 3, 3), seed=2)
    graph = graph_of(lambda x, w, v: [ops.convolution(composites.relu(ops.convolution(x, w)), v, 1, 1)], x, w, v)
    steps = scheduled(graph, named_target("avx512"), (1, 2)).steps
    assert [step.provenance.ops[0] for step in steps] == ["border", "contract", "contract"]
    compare(compiled(graph).run([x, w, v])[0], evaluate(graph, [x, w, v])[0], float32)


def under_large_windows(batch=16, channels=3, outputs=16, size=6, taps=4, sides=0):
    """The graph of the gradient by images that hardly exceed their windows, and its inputs."""
    x, w = numbers((batch, channels, size, size)), numbers((outputs, channels, taps, taps), seed=1)
    one = graph_of(lambda x, w: [ops.convolution(x, w, 1, sides)], x, w)
    g = numbers(one.outputs[0].type.shape, seed=2)
    return graph_of(lambda x, w, g: pullback(one, [x, w], [g])[:1], x, w, g), [x, w, g]


def products(plan):
    """Multiply-adds of vectors."""
    boxes = (part.sizes for tiles in plan.tiles for part in tiles.parts)
    return sum(math.prod(size for axis, size in enumerate(box) if axis != plan.lane) for box in boxes) * plan.vectors


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("batch", "size", "taps", "sides"), [(64, 14, 5, 0), (31, 8, 3, 0), (48, 9, 5, 1)])
def test_images_in_lanes_leave_out_what_lies_outside(level, batch, size, taps, sides):
    """No products with the zeros of a halo, and few kinds of tiles; what is not finite stays where windows see it."""
    graph, inputs = under_large_windows(batch, size=size, taps=taps, sides=sides)
    if level == "avx512":
        (plan,) = broadcast_plans(graph)
        seen = [sum(0 <= i + sides - r <= size + 2 * sides - taps for r in range(taps)) for i in range(size)]
        assert plan.lane == 0
        assert products(plan) == 3 * 16 * sum(seen) ** 2 * plan.vectors
        assert len(plan.tiles) <= 6 < sum(len(tiles.parts) for tiles in plan.tiles)
        first = scheduled(graph, named_target(level)).steps[0]
        assert [len(nest.bodies) for nest in first.kernel.nests] == [1], "a copy without zeros around it"
    x, w, g = inputs
    g[0, 0, 0, 0], g[1, 1, -1, 0], g[2, 2, 0, -1], g[3] = numpy.nan, numpy.inf, -numpy.inf, -0.0
    image = torch.tensor(x, requires_grad=True)
    wanted = torch.autograd.grad(torch.conv2d(image, torch.tensor(w), None, 1, sides), image, torch.tensor(g))[
        0
    ].numpy()
    found = compiled(graph, named_target(level)).run([x, w, g])[0]
    numpy.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)
    assert numpy.isfinite(found[3:]).all()


@pytest.mark.parametrize("level", LEVELS)
def test_a_halo_that_is_there_is_left_out_where_much_lies_there(level):
    """The second convolution reads what the first one stores with a halo: images under a small and a large window."""
    for size, taps, sides, parts in (7, 3, 1, 1), (9, 9, 4, 81):
        x, w, v = numbers((16, 3, size, size)), numbers((6, 3, 3, 3), seed=1), numbers((7, 6, taps, taps), seed=2)
        graph = graph_of(
            lambda x, w, v, sides=sides: [ops.convolution(composites.relu(ops.convolution(x, w, 1, 1)), v, 1, sides)],
            *(x, w, v),
        )
        if level == "avx512":
            _, second = broadcast_plans(graph)
            assert [second.lane, sum(len(tiles.parts) for tiles in second.tiles)] == [0, parts]
        compare(compiled(graph, named_target(level)).run([x, w, v])[0], evaluate(graph, [x, w, v])[0], float32)


def test_threads_change_no_bit_of_many_parts(monkeypatch):
    monkeypatch.setattr(thresholds, "WORTH_US", 0.0)
    monkeypatch.setattr(thresholds, "RANGE_US", 1e-9)
    graph, inputs = under_large_windows()
    alone, together = compiled(graph, threads=1), compiled(graph, threads=2)
    assert [step.share.threads for step in together.plan.steps if step.kind == "contraction"] == [2]
    numpy.testing.assert_array_equal(together.run(inputs)[0], alone.run(inputs)[0])


@pytest.mark.parametrize(
    ("of", "level", "shape", "outputs", "taps"),
    [
        ("x", "avx512", (1, 1, 28, 28), 6, 5),
        ("x", "avx512", (2, 3, 30, 64), 4, 3),
        ("x", "avx512", (64, 3, 9, 6), 6, 3),
        ("x", "avx512", (1, 16, 20, 64), 2, 3),
        ("x", "avx2", (1, 1, 28, 28), 3, 5),
        ("w", "avx512", (64, 1, 28, 28), 6, 5),
        ("w", "avx512", (4, 3, 30, 64), 3, 3),
        ("w", "avx2", (4, 1, 30, 32), 3, 5),
        ("x", "avx2", (2, 3, 30, 64), 4, 3),
        ("x", "avx2", (1, 16, 20, 64), 2, 3),
    ],
)
def test_loops_keep_their_sums_in_registers(of, level, shape, outputs, taps):
    """By counting instructions: no register is spilled, and few instructions that are no multiply-add."""
    if of == "w":
        graph, _ = by_weight(shape, outputs, (taps, taps), padding=taps // 2)
    else:
        types = [TensorType(shape, float32), TensorType((outputs, shape[1], taps, taps), float32)]
        graph = PIPELINE.run(make_graph(lambda x, w: [ops.convolution(x, w, 1, taps // 2)], types))
    body, products = loop_of_lanes(graph, level, (1,))
    assert products >= 20
    assert len(body) <= 2.1 * products
