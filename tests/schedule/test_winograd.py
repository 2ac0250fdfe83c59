"""Convolutions by fewer products (Winograd's algorithm): when, and that they are right as far as float32 goes."""

import re
from fractions import Fraction

import numpy
import pytest

from hybridize import ops
from hybridize.base.dims import SizeScope
from hybridize.base.dtypes import float32, float64
from hybridize.base.frozen import changed
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.objects import assembly
from hybridize.codegen.llvm.program import build, scheduled
from hybridize.compiler import compile as compiled
from hybridize.machine.target import named_target
from hybridize.ops import evaluate, make_graph
from hybridize.ops.convolution import convolution
from hybridize.ops.op import bind1
from hybridize.schedule import thresholds
from hybridize.schedule.contraction.winograd import WinogradPlan, linear_program, transforms
from hybridize.schedule.steps import ContractionStep, Derived

POINTS = [(0, 1, -1), (0, 1, -1, Fraction(1, 2), -2), (0, 1, -1, 2, -2), (0, 1, -1, 2, -2, Fraction(1, 2), -3)]
ERROR = {4: 4e-6, 2: 1e-6}
"""The largest error, as a part of the largest result, that F(m, 3) may have."""


def permitted(function, kinds):
    """The graph of a function, its contractions as `hybridize(winograd=True)` records them."""
    graph = make_graph(function, kinds)
    nodes = [changed(node, op=ops.by_winograd(node.op)) for node in graph.nodes]
    EXACT[id(graph.inputs[0])] = function
    return changed(graph, nodes=tuple(nodes))


EXACT = {}
"""The functions of graphs, by the first input of each."""


def net(x, w, *more, dtype=float32, end=None, **how):
    """The graph of a convolution of these shapes."""

    def function(x, w, *more):
        y = convolution(x, w, **how)
        return [end(y, *more) if end else y]

    return permitted(function, [TensorType(shape, dtype) for shape in (x, w, *more)])


def drawn(graph):
    rng = numpy.random.default_rng(0)
    return [(0.3 * rng.normal(size=value.type.shape)).astype(value.type.dtype) for value in graph.inputs]


def plans(graph, target="avx512", stable=(1,), slots=1):
    steps = scheduled(graph, named_target(target), stable, slots).steps
    return [step.plan for step in steps if isinstance(step, ContractionStep)]


def pixels(graph, **how):
    """m of each convolution by Winograd's algorithm, 0 of others."""
    return [plan.pixels if isinstance(plan, WinogradPlan) else 0 for plan in plans(graph, **how)]


def exact(graph, inputs):
    """The results, computed in float64."""
    wide = make_graph(EXACT[id(graph.inputs[0])], [TensorType(x.shape, float64) for x in inputs])
    return evaluate(wide, [x.astype("f8") for x in inputs])


def check(graph, inputs, m, target="avx512", **how):
    found = compiled(graph, named_target(target), stable=(1,), **how).run(inputs)
    for y, wanted in zip(found, exact(graph, inputs), strict=True):
        assert y.shape == wanted.shape
        assert abs(y - wanted).max() <= ERROR[m] * abs(wanted).max()
    return found


@pytest.mark.parametrize("points", POINTS)
def test_transforms_multiply_polynomials(points):
    """By fractions: the matrices give the correlation exactly, and their programs compute the matrices."""
    of = transforms(tuple(map(Fraction, points)))
    m = len(points) - 1
    x, w = [Fraction(3 * k * k - 7 * k + 2) for k in range(m + 2)], [Fraction(2), Fraction(-5), Fraction(3)]

    def applied(matrix, vector):
        program, values = linear_program(matrix), list(vector)
        for step in program.steps:
            values.append(step.left * values[step.a] + step.right * values[step.b])
        for factor in (step.left for step in program.steps):
            assert factor.denominator & (factor.denominator - 1) == 0  # exact in binary
        return [values[k] for k in program.outputs]

    products = [a * b for a, b in zip(applied(of.x, x), [sum(map(_times, row, w)) for row in of.w], strict=True)]
    assert applied(of.out, products) == [sum(w[r] * x[i + r] for r in range(3)) for i in range(m)]


def _times(a, b):
    return a * b


SHAPES = [
    ((1, 64, 56, 56), 64, 1, 4),
    ((2, 17, 13, 21), 35, 1, 4),
    ((3, 32, 14, 14), 16, 0, 4),
    ((1, 33, 10, 11), 17, 2, 4),
    ((1, 32, 8, 8), 16, 0, 2),
    ((2, 16, 6, 6), 128, 1, 2),
]


@pytest.mark.parametrize("target", ["avx512", "avx2", "baseline"])
@pytest.mark.parametrize(("x", "columns", "padding", "m"), SHAPES)
def test_results_are_those_of_the_convolution(x, columns, padding, m, target):
    graph = net(x, (columns, x[1], 3, 3), padding=padding)
    assert pixels(graph, target=target) == [m]
    check(graph, drawn(graph), m, target)


LAYERS = [
    ((1, 64, 56, 56), (64, 64, 3, 3), 4),
    ((1, 128, 28, 28), (128, 128, 3, 3), 4),
    ((1, 256, 14, 14), (256, 256, 3, 3), 4),
    ((1, 512, 7, 7), (512, 512, 3, 3), 0),  # weights come from afar for few tiles
    ((1, 32, 6, 6), (32, 32, 3, 3), 2),  # most of a larger tile would be cut
    ((1, 32, 3, 3), (32, 32, 3, 3), 0),
    ((1, 8, 56, 56), (64, 8, 3, 3), 0),  # few channels
    ((1, 64, 56, 56), (8, 64, 3, 3), 0),
    ((1, 64, 56, 56), (64, 64, 5, 5), 0),
    ((1, 64, 56, 56), (64, 64, 3, 1), 0),
    ((1, 64, 56), (64, 64, 3), 0),
    ((1, 64, 8, 8, 8), (64, 64, 3, 3, 3), 0),
]


@pytest.mark.parametrize(("x", "w", "m"), LAYERS)
def test_shapes_decide(x, w, m):
    assert pixels(net(x, w, padding=1)) == [m]


@pytest.mark.parametrize("how", [{"strides": 2}, {"dilation": 2}, {"groups": 2}, {"x_dilation": 2}, {"dtype": float64}])
def test_other_convolutions_are_direct(how):
    w = (64, 64 // how.get("groups", 1), 3, 3)
    assert pixels(net((1, 64, 28, 28), w, padding=1, **how)) == [0]


def test_what_is_not_permitted_is_direct():
    kinds = [TensorType((1, 64, 28, 28), float32), TensorType((64, 64, 3, 3), float32)]

    def function(x, w):
        return [convolution(x, w, padding=1)]

    assert pixels(make_graph(function, kinds)) == [0]
    assert pixels(permitted(function, kinds)) == [4]


def test_weights_of_the_call_are_transformed_where_many_tiles_share_them():
    few, many = (net((n, 32, 14, 14), (32, 32, 3, 3), padding=1) for n in (1, 16))
    assert pixels(few, stable=()) == [0]
    assert pixels(many, stable=()) == [4]
    inputs = drawn(many)
    (found,), (wanted,) = compiled(many).run(inputs), exact(many, inputs)
    assert abs(found - wanted).max() <= ERROR[4] * abs(wanted).max()


LAYERS_OF_A_STEP = [(64, 56, 4), (128, 28, 4), (256, 14, 4), (512, 7, 0)]


@pytest.mark.parametrize(("channels", "size", "m"), LAYERS_OF_A_STEP)
def test_weights_that_steps_of_training_change(channels, size, m):
    """Those of ResNet-18's layers for a batch of 8."""
    graph = net((8, channels, size, size), (channels, channels, 3, 3), padding=1)
    assert pixels(graph, stable=()) == [m]


@pytest.mark.parametrize("target", ["avx512", "avx2", "baseline"])
@pytest.mark.parametrize("m", [4, 2])
def test_transformed_weights(target, m):
    """Each element is read once for all values of its window, and these are those of the matrix, rounded once."""
    size = 14 if m == 4 else 6
    graph = net((2, 17, size, size), (35, 17, 3, 3), padding=1)
    (derived,) = (one for one in scheduled(graph, named_target(target), (1,)).constants if isinstance(one, Derived))
    (step,) = derived.steps
    assert str(step.kernel).count("= b1[") == 9 * len(step.kernel.nests)
    (plan,) = plans(graph, target)
    x, w = drawn(graph)
    w[3] *= 1e30
    (made,) = (deriver.made([x, w]) for deriver in compiled(graph, named_target(target), stable=(1,)).derivers)
    of = numpy.array([[float(value) for value in row] for row in plan.transforms.w])
    wanted = numpy.einsum("ir,ocrs,js->ijco", of, w.astype("f8"), of)
    panels, start = [], 0
    for part in plan.products.panels:
        width = part.vectors * plan.lanes
        panels += [(first, width) for first in range(start, start + part.count * width, width)]
        start += part.count * width
    values = made.view("f4").reshape(len(of), len(of), -1)
    for first, width in panels:
        block = values[:, :, first * 17 : (first + width) * 17].reshape(len(of), len(of), 17, width)
        there = min(width, 35 - first)
        numpy.testing.assert_allclose(block[..., :there], wanted[..., first : first + there], rtol=2e-7, atol=1e-10)
        assert not block[..., there:].any()


def biased(y, b, residual):
    kind = ops.type_of(y)
    b = ops.broadcast(ops.reshape(b, (1, ops.type_of(b).shape[0], 1, 1)), kind.shape)
    return ops.max(ops.add(ops.add(y, b), residual), ops.full(0.0, kind))


def curved(y, b, residual):
    return ops.mul(ops.sigmoid(biased(y, b, residual)), ops.exp(ops.mul(residual, ops.full(0.25, ops.type_of(y)))))


@pytest.mark.parametrize("end", [biased, curved])
@pytest.mark.parametrize(("size", "target"), [((12, 16), "avx512"), ((13, 9), "avx512"), ((13, 9), "avx2")])
def test_epilogues(end, size, target):
    shape = (2, 24, *size)
    graph = net((2, 16, *size), (24, 16, 3, 3), (24,), shape, padding=1, end=end)
    assert pixels(graph, target=target)[0]
    steps = scheduled(graph, named_target(target), (1,)).steps
    assert sum(isinstance(step, ContractionStep) for step in steps) == 1
    assert "add" in next(step for step in steps if isinstance(step, ContractionStep)).provenance.ops
    check(graph, drawn(graph), 4, target)


def test_layers_follow_each_other():
    """What lies between is channels last and has a halo."""

    def function(x, *weights):
        for w in weights:
            x = convolution(x, w, padding=1)
            x = ops.max(x, ops.full(0.0, ops.type_of(x)))
        return [x]

    shapes = [(2, 16, 13, 18), (24, 16, 3, 3), (17, 24, 3, 3), (32, 17, 3, 3)]
    graph = permitted(function, [TensorType(shape, float32) for shape in shapes])
    assert pixels(graph, stable=(1, 2, 3)) == [4, 4, 4]
    inputs = drawn(graph)
    (found,), (wanted,) = compiled(graph, stable=(1, 2, 3)).run(inputs), exact(graph, inputs)
    assert abs(found - wanted).max() <= 2 * ERROR[4] * abs(wanted).max()


@pytest.mark.parametrize("low", [1, 2])
def test_any_number_of_images(low):
    scope = SizeScope()
    n = scope.symbol(9, low=low)
    graph = net((n, 16, 13, 8), (24, 16, 3, 3), padding=1)
    scope.capturing = False
    assert pixels(graph) == [4]
    executable = compiled(graph, named_target("avx512"), stable=(1,))
    rng = numpy.random.default_rng(0)
    w = rng.normal(size=(24, 16, 3, 3)).astype("f4")
    for count in (2, 3, 9, 20):
        x = rng.normal(size=(count, 16, 13, 8)).astype("f4")
        (found,) = executable.run([x, w])
        (wanted,) = exact(net(x.shape, w.shape, padding=1), [x, w])
        assert abs(found - wanted).max() <= ERROR[4] * abs(wanted).max()


def test_any_height_and_width():
    scope = SizeScope()
    height, width = (scope.symbol(size, low=2) for size in (14, 20))
    graph = net((1, 16, height, width), (24, 16, 3, 3), padding=1)
    scope.capturing = False
    assert pixels(graph) == [2]  # nothing says that there are four rows
    executable = compiled(graph, named_target("avx512"), stable=(1,))
    rng = numpy.random.default_rng(0)
    w = rng.normal(size=(24, 16, 3, 3)).astype("f4")
    for size in ((2, 2), (3, 17), (14, 20), (31, 5)):
        x = rng.normal(size=(1, 16, *size)).astype("f4")
        (found,) = executable.run([x, w])
        (wanted,) = exact(net(x.shape, w.shape, padding=1), [x, w])
        assert abs(found - wanted).max() <= ERROR[2] * abs(wanted).max()


def test_threads_give_the_same_bits(monkeypatch):
    monkeypatch.setattr(thresholds, "WORTH_US", 0.0)
    graph = net((3, 32, 29, 27), (40, 32, 3, 3), padding=1)
    (plan,) = plans(graph, slots=4)
    assert plan.units > 4 and plan.is_cut
    inputs = drawn(graph)
    alone, shared = (compiled(graph, named_target("avx512"), stable=(1,), threads=n).run(inputs) for n in (1, 4))
    numpy.testing.assert_array_equal(alone[0], shared[0])


@pytest.mark.parametrize("images", [1, 3])
def test_operands_that_are_views(images):
    """Channels last outside, some of the images, some of the weights: what is read is the inputs."""

    def function(x, w):
        x = ops.transpose(ops.slice(x, (1, 0, 0, 0), (1 + images, 14, 13, 24), (1, 1, 1, 1)), (0, 3, 1, 2))
        w = ops.slice(w, (0, 4, 0, 0), (20, 28, 3, 3), (1, 1, 1, 1))
        return [ops.transpose(convolution(x, w, padding=1), (0, 2, 3, 1))]

    graph = permitted(function, [TensorType((4, 14, 13, 24), float32), TensorType((24, 30, 3, 3), float32)])
    assert pixels(graph) == [4]
    check(graph, drawn(graph), 4)


def test_gradients_by_x_too():
    spec, sizes = "no[y-r+1][x-s+1],ocrs->ncyx", {"y": 28, "x": 28}
    kinds = [TensorType((2, 32, 28, 28), float32), TensorType((32, 16, 3, 3), float32)]
    graph = permitted(lambda g, w: [ops.contract(spec, g, w, sizes)], kinds)
    assert pixels(graph) == [4]
    check(graph, drawn(graph), 4)


def test_vjp_hands_the_permission_on():
    kinds = [TensorType(shape, float32) for shape in ((2, 16, 28, 28), (32, 16, 3, 3), (2, 32, 28, 28))]

    def function(x, w, g):
        spec = ops.Contract("ae[c+f-1][d+g-1],befg->abcd", (28, 28))
        op = ops.by_winograd(spec)
        return [one for one in op.vjp((g,), (bind1(op, x, w),), x, w) if one is not None]

    graph = make_graph(function, kinds)
    assert {node.op.name for node in graph.nodes} == {"winograd_contract"}
    assert pixels(graph) == [4, 4, 0]  # forward, by x, by w


def test_transforms_are_straight_lines_of_what_the_plan_counts():
    """By counting instructions: 12 programs of 17 operations for x, 10 of 12 and the epilogue for the result."""
    graph, target = net((1, 64, 56, 56), (64, 64, 3, 3), padding=1), named_target("avx512")
    text = assembly(build(graph, target, stable=(1,)).module.text(), target)
    found = {}
    for name, body in re.findall(r"^(program[\w.]*):\n(.*?)^\.Lfunc_end", text, re.MULTILINE | re.DOTALL):
        vectors = [line for line in body.splitlines() if re.match(r"\tv(add|sub|mul|fn?m)", line)]
        stored = [line for line in body.splitlines() if re.match(r"\tv\w+\t%zmm\d+, .*%[re]sp", line)]
        found[name.rpartition(".")[2] if "line" not in name else "products"] = len(vectors), len(stored)
    assert found["x"][0] == 12 * 17 and found["x"][1] <= 16
    assert found["whole"][0] == 10 * 12 and found["whole"][1] <= 8
    assert found["products"][1] == 0


def any_convolution(seed):
    """A random convolution, or the gradient of one, chained with another; what tiles see in many ways."""
    rng = numpy.random.default_rng(seed)
    channels, columns = (int(rng.integers(16, 50)) for _ in range(2))
    size = [int(rng.integers(5, 15)) for _ in range(2)]
    padding = [tuple(int(side) for side in rng.integers(-1, 4, 2)) for _ in range(2)]
    w = (columns, channels, 3, 3)

    def function(x, w, b):
        y = convolution(x, w, padding=padding)
        if rng_of_end < 0.5:
            kind = ops.type_of(y)
            y = ops.max(ops.mul(y, ops.broadcast(ops.reshape(b, (1, columns, 1, 1)), kind.shape)), ops.neg(y))
        if back:
            y = convolution(y, ops.transpose(w, (1, 0, 2, 3)), padding=1)
        return [y]

    rng_of_end, back = rng.random(), bool(rng.random() < 0.3)
    shapes = (int(rng.integers(1, 4)), channels, *size), w, (columns,)
    graph = permitted(function, [TensorType(shape, float32) for shape in shapes])
    return graph, str(rng.choice(["avx512", "avx2", "baseline"])), int(rng.integers(1, 4))


def check_any(seed):
    graph, target, threads = any_convolution(seed)
    inputs = drawn(graph)
    (found,) = compiled(graph, named_target(target), stable=(1,), threads=threads).run(inputs)
    (wanted,) = exact(graph, inputs)
    assert abs(found - wanted).max() <= 2 * ERROR[4] * abs(wanted).max()
    return pixels(graph, target=target)


def test_any_convolution(monkeypatch):
    monkeypatch.setattr(thresholds, "WORTH_US", 1.0)
    found = [m for seed in range(6) for m in check_any(seed)]
    assert {2, 4} <= set(found)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 400))
def test_many_convolutions(seed, monkeypatch):
    monkeypatch.setattr(thresholds, "WORTH_US", 1.0)
    check_any(seed)
