"""Contractions whose lanes both operands have, depthwise convolutions above all: tiles of vectors over a window."""

import itertools

import numpy
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridize import gluon, np, ops
from hybridize.array.operands import operand, result
from hybridize.base.dims import SizeScope
from hybridize.base.dtypes import float32, float64
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.program import scheduled
from hybridize.compiler import compile as compiled
from hybridize.machine.target import named_target
from hybridize.ops import composites, evaluate, make_graph, pullback
from hybridize.passes import PIPELINE
from hybridize.schedule import thresholds
from hybridize.schedule.contraction.lanes import tile_of
from hybridize.schedule.steps import ContractionStep, LoopStep
from tests.schedule.tiles import LEVELS, SWEPT, Convolved, compare, graph_of, lane_plans, loop_of_lanes, numbers


class Depthwise(Convolved):
    """A random depthwise convolution, its gradients, or such one between pointwise ones."""

    def draw_form(self, some):
        self.groups = self.channels = self.outputs = some(1, 3, 4, 5, 8, 16, 17, 33, 48)
        self.batch = some(0, 1, 1, 2, 3)
        self.steps = tuple(some(1, 1, 2, 3) for _ in range(self.rank))
        self.sides = tuple(some((0, 0), (1, 1), (1, 1), (2, 0), (0, 3), (-1, 1)) for _ in range(self.rank))

    def shape_of_v(self):
        return self.channels, self.channels, *[1] * self.rank

    def chain(self, x, w, v):
        y = self.convolved(composites.relu(ops.convolution(x, v, 1, 0)), w)
        return [ops.convolution(ops.min(y, ops.like(6, y)), v, 1, 0)]


depthwise = st.composite(lambda draw: Depthwise(draw))()


@settings(max_examples=15, deadline=None)
@given(depthwise, st.sampled_from(LEVELS), st.booleans())
def test_depthwise_convolutions_and_gradients_are_their_reference(case, level, stable):
    case.check(level, stable)


@pytest.mark.long
@settings(max_examples=1500, deadline=None)
@given(depthwise, st.sampled_from(LEVELS), st.booleans())
def test_thousands_of_depthwise_convolutions_are_their_reference(case, level, stable):
    case.check(level, stable)


SHAPES = [
    # batch, channels, sizes, taps, stride, padding, dilation
    (2, 32, (9, 11), (3, 3), 1, 1, 1),
    (1, 17, (8, 9), (3, 3), 2, 1, 1),
    (3, 33, (11,), (5,), 1, 2, 1),
    (1, 16, (6, 5, 7), (3, 3, 3), 1, 1, 1),
    (2, 24, (12, 10), (3, 3), 1, 2, 2),
    (1, 16, (13, 9), (5, 5), 3, 2, 1),
]


@pytest.mark.parametrize("level", SWEPT)
@pytest.mark.parametrize(("batch", "channels", "sizes", "taps", "stride", "padding", "dilation"), SHAPES)
def test_values_and_gradients_are_pytorchs(level, batch, channels, sizes, taps, stride, padding, dilation):
    x, w = numbers((batch, channels, *sizes)), numbers((channels, 1, *taps), seed=1)
    forward = (torch.conv1d, torch.conv2d, torch.conv3d)[len(sizes) - 1]
    operands = [torch.tensor(each, requires_grad=True) for each in (x, w)]
    y = forward(*operands, None, stride, padding, dilation, channels)
    g = numbers(tuple(y.shape), seed=2)
    wanted = [y.detach(), *torch.autograd.grad(y, operands, torch.tensor(g))]

    def convolved(x, w):
        return ops.convolution(x, w, stride, padding, dilation, channels)

    one = graph_of(lambda x, w: [convolved(x, w)], x, w)
    graph = graph_of(lambda x, w, g: [convolved(x, w), *pullback(one, [x, w], [g])], x, w, g)
    assert len(lane_plans(graph, level)) == 3
    for found, expected in zip(compiled(graph, named_target(level)).run([x, w, g]), wanted, strict=True):
        compare(found, expected.numpy(), float32)


@pytest.mark.parametrize("which", [0, 1])
def test_gradients_are_finite_differences(which):
    x, w = numbers((2, 8, 5, 6), float64), numbers((8, 1, 3, 3), float64, 1)
    one = graph_of(lambda x, w: [ops.convolution(x, w, (2, 1), 1, 1, 8)], x, w)
    g = numbers(one.outputs[0].type.shape, float64, 2)
    graph = graph_of(lambda x, w, g: pullback(one, [x, w], [g]), x, w, g)
    slope = compiled(graph).run([x, w, g])[which]
    forward = compiled(one)
    along = numbers((x, w)[which].shape, float64, 3)
    step = 1e-6
    ends = [
        forward.run([each + sign * step * along if k == which else each for k, each in enumerate((x, w))])[0]
        for sign in (1, -1)
    ]
    numpy.testing.assert_allclose((slope * along).sum(), ((ends[0] - ends[1]) * g).sum() / (2 * step), rtol=1e-6)


def test_images_that_lie_channels_last_are_read_as_they_lie():
    """By parts of the result that see the same of the window; nothing beside the operand is read."""
    x, w = numbers((1, 30, 31, 32)), numbers((3, 3, 32), seed=1)
    sizes = {"y": 30, "x": 31}
    graph = graph_of(lambda x, w: [ops.contract("n[y+r-1][x+s-1]c,rsc->nyxc", x, w, sizes)], x, w)
    steps = scheduled(graph, named_target("avx512")).steps
    assert [type(step) for step in steps] == [ContractionStep]
    assert sum(len(tiles.parts) for tiles in steps[0].plan.tiles) == 9
    compare(compiled(graph).run([x, w])[0], evaluate(graph, [x, w])[0], float32)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("unknown", ["n", "hw", "c", "nhwc"])
def test_one_program_for_all_sizes(level, unknown):
    scope = SizeScope()
    hints = (4, 14, 15, 32)
    sizes = [scope.symbol(hint) if axis in unknown else hint for axis, hint in zip("nhwc", hints, strict=True)]
    scope.capturing = False

    def run(x, w, b):
        _, h, width, _ = ops.type_of(x).shape
        y = ops.contract("n[y+r-1][x+s-1]c,rsc->nyxc", x, w, {"y": h, "x": width})
        return [composites.relu(ops.add(y, ops.broadcast(b, ops.type_of(y).shape)))]

    def types(n, h, w, c):
        return [TensorType(shape, float32) for shape in ((n, h, w, c), (3, 3, c), (c,))]

    graph = PIPELINE.run(make_graph(run, types(*sizes)))
    assert len(lane_plans(graph, level)) == 1
    program = compiled(graph, named_target(level))
    for now in ((2, 14, 15, 32), (3, 2, 3, 17), (5, 9, 30, 3), (2, 3, 2, 33)):
        exact = [size if axis in unknown else hint for axis, size, hint in zip("nhwc", now, hints, strict=True)]
        inputs = [numbers(kind.shape, float32, 5) for kind in types(*exact)]
        wanted = evaluate(PIPELINE.run(make_graph(run, types(*exact))), inputs)
        compare(program.run(inputs)[0], wanted[0], float32)


@pytest.mark.parametrize("kind", ["forward", "by w"])
def test_threads_change_no_bit(kind, monkeypatch):
    monkeypatch.setattr(thresholds, "WORTH_US", 0.0)
    monkeypatch.setattr(thresholds, "RANGE_US", 1e-9)
    x, w = numbers((2, 80, 20, 21)), numbers((80, 1, 3, 3), seed=1)
    one = graph_of(lambda x, w: [ops.convolution(x, w, 1, 1, 1, 80)], x, w)
    g = numbers(one.outputs[0].type.shape, seed=2)
    graph = one if kind == "forward" else graph_of(lambda x, w, g: pullback(one, [x, w], [g])[1:], x, w, g)
    inputs = [x, w] if kind == "forward" else [x, w, g]
    alone, together = compiled(graph, threads=1), compiled(graph, threads=2)
    assert [step.share.threads for step in together.plan.steps if step.kind == "contraction"] == [2]
    found = together.run(inputs)[0]
    numpy.testing.assert_array_equal(found, alone.run(inputs)[0])
    compare(found, evaluate(graph, inputs)[0], float32)


@pytest.mark.parametrize("is_long", [False, True])
def test_epilogues_of_any_length(is_long):
    """A hyperbolic tangent is written once for the rows of a tile, whose sums wait."""
    x, w, b = numbers((2, 16, 9, 10)), numbers((16, 1, 3, 3), seed=1), numbers((2, 16, 9, 10), seed=2)

    def run(x, w, b):
        y = ops.convolution(x, w, 1, 1, 1, 16)
        return [ops.add(ops.tanh(y) if is_long else y, b), ops.mul(y, b)]

    graph = graph_of(run, x, w, b)
    for found, wanted in zip(compiled(graph).run([x, w, b]), evaluate(graph, [x, w, b]), strict=True):
        compare(found, wanted, float32)


# Layouts


class Inverted(gluon.HybridBlock):
    """Two inverted residuals, the first with a residual, and a pointwise convolution before and after."""

    def __init__(self, stride):
        super().__init__()
        self.stride = stride
        shapes = {"stem": (16, 3, 1, 1), "expand": (32, 16, 1, 1), "depth": (32, 1, 3, 3), "project": (16, 32, 1, 1)}
        for name, shape in shapes.items():
            setattr(self, name, gluon.Parameter(name, shape=shape, init="xavier"))

    def forward(self, x):
        def convolved(x, weight, *rest):
            return result(ops.convolution(operand(x), operand(weight.data()), *rest))

        def inverted(x, stride):
            y = np.clip(convolved(x, self.expand, 1, 0), 0, 6)
            y = np.clip(convolved(y, self.depth, stride, 1, 1, 32), 0, 6)
            return convolved(y, self.project, 1, 0)

        x = convolved(x, self.stem, 1, 0)
        x = x + inverted(x, 1)
        return inverted(x, self.stride).mean(axis=(2, 3))


@pytest.mark.parametrize("stride", [1, 2])
def test_inverted_residuals_lie_channels_last_throughout(stride):
    np.random.seed(3)
    net = Inverted(stride)
    net.initialize()
    x = np.array(numbers((2, 3, 12, 14)))
    wanted = net(x).asnumpy()
    net.hybridize()
    numpy.testing.assert_allclose(net(x).asnumpy(), wanted, rtol=1e-4, atol=1e-5)
    program = net.program(x)
    assert program.fallbacks == ()
    schedule = program.schedule()
    assert schedule.count("lanes float32") == 2
    # Zeros around what windows read: no operand is copied, and no result turned.
    assert {word: count for word, count, _ in program.explain().conversions} == {"border": 2}


def test_a_value_that_others_read_too_is_stored_with_its_halo():
    """A residual around a depthwise convolution: what both read is one value, and no step copies it."""
    x, v, w = numbers((1, 8, 9, 9)), numbers((32, 8, 1, 1), seed=1), numbers((32, 1, 3, 3), seed=2)

    def run(x, v, w):
        y = composites.relu(ops.convolution(x, v, 1, 0))
        return [ops.sum(ops.add(ops.convolution(y, w, 1, 1, 1, 32), y), (2, 3))]

    graph = graph_of(run, x, v, w)
    steps = scheduled(graph, named_target("avx512"), (1, 2)).steps
    found = [step.provenance.ops for step in steps if isinstance(step, LoopStep)]
    assert found[0] == ("border",)
    assert len(found) == 2
    assert "sum" in found[1]
    compare(compiled(graph).run([x, v, w])[0], evaluate(graph, [x, v, w])[0], float32)


# Code


def window(size, taps, stride=1):
    """What `tile_of` asks for of a convolution of an image: rows n, y, x; sums c, r, s."""
    axes = [(1, 0, 0), (0, stride, 0), (0, 0, stride), (0, 0, 0), (0, 1, 0), (0, 0, 1)]
    of_w = [(0, 0)] * 4 + [(1, 0), (0, 1)]
    sizes = tuple((each, False) for each in (1, size, size, 1, taps, taps))
    return sizes, tuple(zip(axes, of_w, strict=True)), 3


@pytest.mark.parametrize(("size", "taps", "stride"), [*itertools.product((7, 14, 28), (3, 5), (1, 2)), (112, 3, 1)])
@pytest.mark.parametrize("registers", [13, 29])
def test_boxes_of_tiles_fit_registers_and_load_less_than_they_multiply(size, taps, stride, registers):
    n, y, x, c, r, s = tile_of(*window(size, taps, stride), registers)
    assert (n, c) == (1, 1)
    sums, w = y * x, r * s
    assert sums + w <= registers
    loads = ((y - 1) * stride + r) * ((x - 1) * stride + s) if stride <= min(r, s) else y * x * r * s
    assert loads + w < (0.95 if stride == 1 else 1.6) * sums * w


def test_a_tile_of_a_large_image_is_two_by_four():
    assert tile_of(*window(28, 3), 29) == (1, 2, 4, 1, 3, 3)


@pytest.mark.parametrize("level", ["avx512", "avx2"])
@pytest.mark.parametrize(
    ("channels", "size", "stride", "taps"),
    [(192, 28, 1, 3), (32, 112, 1, 3), (144, 56, 2, 3), (960, 7, 1, 3), (96, 14, 1, 5)],
)
def test_loops_keep_their_sums_in_registers(level, channels, size, stride, taps):
    """By counting instructions: no register is spilled, and few instructions that are no multiply-add."""
    x, v = TensorType((1, channels, size, size), float32), TensorType((channels, channels, 1, 1), float32)

    def run(x, v, w):
        y = ops.convolution(ops.convolution(x, v, 1, 0), w, stride, taps // 2, 1, channels)
        return [ops.convolution(composites.relu(y), v, 1, 0)]

    graph = PIPELINE.run(make_graph(run, [x, v, TensorType((channels, 1, taps, taps), float32)]))
    body, products = loop_of_lanes(graph, level, (1, 2))
    assert products >= 20
    # Loads, and where all sums are one turn, their beginnings, the cut and the stores.
    assert len(body) <= (2.4 if products > 60 else 1.8) * products
