# SPDX-License-Identifier: Apache-2.0
"""Graphs of convolutions, einsums and what stands around them, whose values lie in homes: against NumPy, at all levels."""

import math

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridize import ops
from hybridize.base.dims import SizeScope
from hybridize.base.dtypes import bfloat16, bool_, float16, float32, float64, int32
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import compile_module, runnable
from hybridize.codegen.llvm.program import build
from hybridize.compiler import compile as compiled
from hybridize.compiler.pool import have_pool
from hybridize.machine.target import named_target
from hybridize.ops import composites, evaluate, make_graph
from hybridize.passes import PIPELINE
from hybridize.runtime.executable import Executable
from hybridize.runtime.pool import POOL
from hybridize.schedule import thresholds

TARGETS = runnable()
DTYPES = (float32, float32, float32, float64, float16, bfloat16, int32)
TOLERANCE = {float32: 2e-4, float64: 1e-10, float16: 2e-2, bfloat16: 1e-1, int32: 0}


def numbers(shape, dtype, seed):
    rng = numpy.random.default_rng((seed, *shape))
    found = rng.integers(-3, 4, shape) if dtype == int32 else rng.uniform(-1, 1, shape)
    return numpy.asarray(found).astype(dtype)


class Network:
    """A random network over images: functions of a list of values, one after the other; inputs as they are asked for."""

    def __init__(self, draw):
        self.draw = draw
        self.dtype = draw(st.sampled_from(DTYPES))
        self.rank = draw(st.sampled_from((1, 2, 2, 2, 3)))
        self.batch = draw(st.sampled_from((0, 1, 1, 2, 2, 3)))
        self.types = []
        self.frozen = draw(st.booleans())
        self.constants = []
        self.steps = []
        self.shapes = []
        channels = draw(st.sampled_from((1, 2, 3, 4, 8, 16, 17)))
        self.image = (self.batch, channels, *(draw(st.integers(1, 9)) for _ in range(self.rank)))
        self.input(self.image)
        for _ in range(draw(st.integers(1, 6))):
            self.grow()
        last = len(self.shapes) - 1
        self.outputs = sorted({last, *(draw(st.lists(st.integers(0, last), max_size=2)))})

    def input(self, shape):
        """A value that the call gives; returns its number among the values."""
        self.types.append(TensorType(tuple(shape), self.dtype))
        number = len(self.types) - 1
        return self.step(lambda values, inputs: inputs[number], shape)

    def weight(self, shape):
        """A value that the call gives, or a constant."""
        if not self.frozen or self.draw(st.booleans()):
            return self.input(shape)
        array = numbers(shape, self.dtype, 100 + len(self.steps))
        return self.step(lambda values, inputs: ops.constant(array), shape)

    def step(self, function, shape):
        self.steps.append(function)
        self.shapes.append(tuple(shape))
        return len(self.shapes) - 1

    def grow(self):
        kinds = ("convolve", "convolve", "convolve", "bend", "bend", "add", "add", "norm", "view", "mean", "softmax", "join",
                 "flatten", "product", "scores", "einsum")  # fmt: skip
        getattr(self, self.draw(st.sampled_from(kinds)))()

    def images(self):
        return [n for n, shape in enumerate(self.shapes) if len(shape) == self.rank + 2]

    def pick(self, like=None):
        of = [n for n in self.images() if like is None or self.shapes[n] == like]
        return self.draw(st.sampled_from(of[-4:] if self.draw(st.booleans()) else of))

    def convolve(self):
        draw, x = self.draw, self.pick()
        shape = self.shapes[x]
        channels = shape[1]
        divisors = [g for g in range(1, channels + 1) if channels % g == 0]
        groups = draw(st.sampled_from((1, 1, 1, *divisors)))
        out = groups * draw(st.sampled_from((1, 2, 3, 4, 8, 16, 17, 33) if groups == 1 else (1, 2, 4, 8)))
        taps, steps, spaces, sides = [], [], [], []
        for size in shape[2:]:
            space = draw(st.sampled_from((1, 1, 1, 2)))
            side = draw(st.sampled_from(((0, 0), (1, 1), (1, 1), (2, 0), (0, 3), (-1, 1), (2, -1), (0, 0))))
            room = size + sum(side)
            tap = draw(st.sampled_from((1, 2, 3, 3, 5)))
            if (tap - 1) * space + 1 > room:
                tap, space, side = 1, 1, side if room >= 1 else (0, 0)
            if size + sum(side) < 1:
                return
            taps.append(tap)
            spaces.append(space)
            sides.append(side)
            steps.append(draw(st.sampled_from((1, 1, 1, 2, 3))))
        w = self.weight((out, channels // groups, *taps))
        after = [
            (size + sum(side) - (tap - 1) * space - 1) // step + 1
            for size, side, tap, space, step in zip(shape[2:], sides, taps, spaces, steps, strict=True)
        ]
        self.step(
            lambda v, _: ops.convolution(v[x], v[w], tuple(steps), tuple(sides), tuple(spaces), groups),
            (shape[0], out, *after),
        )

    def bend(self):
        x = self.pick()
        bends = [composites.relu, ops.neg, ops.abs, lambda a: ops.mul(a, a), lambda a: ops.max(a, ops.like(1, a))]
        bend = self.draw(st.sampled_from(bends))
        self.step(lambda v, _: bend(v[x]), self.shapes[x])

    def add(self):
        x = self.pick()
        y = self.pick(self.shapes[x]) if self.draw(st.booleans()) else self.weight(self.shapes[x])
        how = self.draw(st.sampled_from((ops.add, ops.sub, ops.max)))
        self.step(lambda v, _: how(v[x], v[y]), self.shapes[x])

    def norm(self):
        x = self.pick()
        shape = self.shapes[x]
        scale = self.weight((shape[1],))
        wide = (1, shape[1], *(1,) * self.rank)
        self.step(lambda v, _: ops.add(v[x], ops.broadcast(ops.reshape(v[scale], wide), shape)), shape)

    def view(self):
        draw, x = self.draw, self.pick()
        shape = self.shapes[x]
        kind = draw(st.sampled_from(("flip", "slice", "turn", "broadcast")))
        axis = draw(st.integers(1, len(shape) - 1))
        if kind == "flip":
            self.step(lambda v, _: ops.flip(v[x], axis), shape)
        elif kind == "slice" and shape[axis] > 1:
            start, by = draw(st.integers(0, shape[axis] - 1)), draw(st.sampled_from((1, 2)))
            starts = tuple(start if a == axis else 0 for a in range(len(shape)))
            steps = tuple(by if a == axis else 1 for a in range(len(shape)))
            after = tuple(-(-(size - start) // by) if a == axis else size for a, size in enumerate(shape))
            self.step(lambda v, _: ops.slice(v[x], starts, shape, steps), after)
        elif kind == "turn":
            axes = (0, *draw(st.permutations(range(1, len(shape)))))
            self.step(lambda v, _: ops.transpose(v[x], axes), tuple(shape[a] for a in axes))
        elif kind == "broadcast":
            small = tuple(1 if a == axis else size for a, size in enumerate(shape))
            y = self.weight(small)
            self.step(lambda v, _: ops.broadcast(v[y], shape), shape)

    def mean(self):
        x = self.pick()
        shape = self.shapes[x]
        pixels = tuple(range(2, len(shape)))
        self.step(
            lambda v, _: ops.broadcast(ops.reshape(ops.sum(v[x], pixels), (*shape[:2], *(1,) * self.rank)), shape),
            shape,
        )

    def softmax(self):
        x = self.pick()
        if self.dtype == int32:
            return
        self.step(lambda v, _: composites.softmax(v[x], 1), self.shapes[x])

    def join(self):
        x = self.pick()
        shape = self.shapes[x]
        axis = self.draw(st.integers(1, len(shape) - 1))
        y = self.pick(shape) if self.draw(st.booleans()) else self.weight(shape)
        after = tuple(2 * size if a == axis else size for a, size in enumerate(shape))
        if math.prod(after) <= 20000:
            self.step(lambda v, _: ops.concat(v[x], v[y], axis=axis), after)

    def flatten(self):
        x = self.pick()
        shape = self.shapes[x]
        rest = math.prod(shape[1:])
        w = self.weight((rest, self.draw(st.sampled_from((1, 5, 16, 19)))))
        self.step(
            lambda v, _: ops.matmul(ops.reshape(v[x], (shape[0], rest)), v[w], False, False),
            (shape[0], self.shapes[w][1]),
        )

    def product(self):
        """Matrices of the last two axes, turned or not, and what finishes their elements."""
        draw, x = self.draw, self.pick()
        shape = self.shapes[x]
        turned = draw(st.booleans())
        axes = (*range(len(shape) - 2), *((-1 + len(shape), -2 + len(shape)) if turned else range(len(shape))[-2:]))
        rows, inner = (shape[a] for a in axes[-2:])
        columns = draw(st.sampled_from((1, 3, 16, 20)))
        w = self.weight((*shape[:-2], columns, inner))
        after = (*shape[:-2], rows, columns)
        self.step(lambda v, _: ops.matmul(ops.transpose(v[x], axes), v[w], False, True), after)
        if draw(st.booleans()):
            y, made = self.weight(after), len(self.shapes) - 2
            self.step(lambda v, _: ops.add(v[made], v[y]), after)

    def scores(self):
        """A value against itself, or another one of the same shape."""
        x = self.pick()
        shape = self.shapes[x]
        y = self.pick(shape)
        pixels = "yzt"[: self.rank]
        spec = f"nc{pixels},nd{pixels}->ncd" if self.draw(st.booleans()) else f"nc{pixels},nc{pixels}->{pixels}n"
        sizes = dict(zip(f"nc{pixels}", shape, strict=True)) | {"d": shape[1]}
        self.step(lambda v, _: ops.contract(spec, v[x], v[y], {}), [sizes[c] for c in spec.split(">")[1]])

    def einsum(self):
        x = self.pick()
        shape = self.shapes[x]
        pixels = "yzt"[: self.rank]
        out = self.draw(st.permutations(f"no{pixels}"))
        k = self.draw(st.sampled_from((1, 4, 16, 18)))
        w = self.weight((k, shape[1]))
        sizes = dict(zip(f"nc{pixels}", shape, strict=True)) | {"o": k}
        self.step(lambda v, _: ops.contract(f"nc{pixels},oc->{''.join(out)}", v[x], v[w], {}), [sizes[c] for c in out])

    def graph(self):
        def run(*inputs):
            values = []
            for step in self.steps:
                values.append(step(values, inputs))
            return [values[k] for k in self.outputs]

        return make_graph(run, self.types)

    def arrays(self):
        return [numbers(kind.shape, kind.dtype, 7 + k) for k, kind in enumerate(self.types)]


networks = st.composite(lambda draw: Network(draw))()


@settings(max_examples=50, deadline=None)
@given(networks, st.sampled_from(TARGETS), st.booleans())
def test_any_network_is_its_reference(network, target, stable):
    graph, inputs = network.graph(), network.arrays()
    wanted = evaluate(graph, inputs)
    program = compiled(graph, named_target(target), stable=range(len(inputs)) if stable else ())
    for found, true in zip(program.run(inputs), wanted, strict=True):
        compare(found, true, network.dtype)


def compare(found, true, dtype):
    assert (found.shape, found.dtype) == (true.shape, true.dtype)
    if dtype == int32:
        numpy.testing.assert_array_equal(found, true)
        return
    found, true = found.astype("f8"), true.astype("f8")
    scale = max(1.0, float(numpy.abs(true).max(initial=0)))
    numpy.testing.assert_allclose(found, true, rtol=0, atol=TOLERANCE[dtype] * scale)


@pytest.mark.skipif(not POOL.possible(), reason="no pool on this system")
@settings(max_examples=20, deadline=None)
@given(networks, st.sampled_from(TARGETS))
def test_threads_give_the_same_bits(network, target):
    graph, inputs = PIPELINE.run(network.graph()), network.arrays()
    assert have_pool()
    results = []
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(thresholds, "WORTH_US", 0.0)
        changed.setattr(thresholds, "RANGE_US", 1e-9)
        for slots in (1, 3):
            built = build(graph, named_target(target), slots=slots)
            loaded = compile_module(built.module.text(), named_target(target))
            for team in (1, 2)[: 1 if slots == 1 else 2]:
                entry = loaded.address("program")
                program = Executable(loaded, entry, built.plan, built.constants, built.sources, team=POOL.team(team))
                results.append([found.tobytes() for found in program.run(inputs)])
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("shape", [(0, 3, 1, 4), (2, 3, 0, 4)])
def test_a_border_around_nothing_is_zeros(target, shape):
    """The operand has no elements, and no memory; the result has some where the windows see its border alone."""
    given = [TensorType(shape, float32), TensorType((8, 3, 3, 3), float32)]
    graph = make_graph(lambda x, w: [ops.add(y := ops.convolution(x, w, 1, 2), ops.like(1, y))], given)
    inputs = [numbers(kind.shape, float32, 0) for kind in given]
    (found,) = compiled(graph, named_target(target)).run(inputs)
    numpy.testing.assert_array_equal(found, numpy.ones(graph.outputs[0].type.shape, "f4"))


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("target", TARGETS)
def test_products_of_matrices_beside_convolutions(target, transposed):
    """Their tiles read and store matrices in the order of their axes: what has another home is turned for them."""

    def run(x, w, m, b):
        y = ops.convolution(x, w, 1, 1)
        z = ops.matmul(ops.transpose(y, (0, 1, 3, 2)) if transposed else y, m, False, True)
        return [ops.convolution(ops.add(z, b), w, 1, 2)]

    shapes = [(2, 8, 6, 6), (8, 8, 3, 3), (2, 8, 5, 6), (2, 8, 6, 5)]
    graph = make_graph(run, [TensorType(shape, float32) for shape in shapes])
    inputs = [numbers(shape, float32, 1) for shape in shapes]
    (found,) = compiled(graph, named_target(target)).run(inputs)
    compare(found, evaluate(graph, inputs)[0], float32)


def residual(x, w, v):
    """Halos of two widths around one value, a residual, a mean over pixels."""
    y = composites.relu(ops.convolution(x, w, 1, 1))
    z = ops.add(ops.add(ops.convolution(y, w, 1, 1), ops.convolution(y, v, 1, 2)), y)
    return [z, ops.sum(z, (2, 3)), y]


RESIDUAL = ((8, 8, 3, 3), (8, 8, 5, 5))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("unknown", ["batch", "pixels", "both"])
def test_one_program_for_all_sizes(target, unknown):
    scope = SizeScope()
    n, h, w = (scope.symbol(hint) for hint in (4, 7, 9))
    scope.capturing = False
    shape = (2 if unknown == "pixels" else n, 8, *((7, 9) if unknown == "batch" else (h, w)))
    graph = make_graph(residual, [TensorType(s, float32) for s in (shape, *RESIDUAL)])
    program = compiled(graph, named_target(target))
    for batch, height, width in ((2, 7, 9), (3, 7, 9), (5, 3, 2), (2, 17, 40), (2, 2, 3)):
        sizes = (2 if unknown == "pixels" else batch, 8, *((7, 9) if unknown == "batch" else (height, width)))
        inputs = [numbers(s, float32, 0) for s in (sizes, *RESIDUAL)]
        exact = make_graph(residual, [TensorType(x.shape, float32) for x in inputs])
        for found, true in zip(program.run(inputs), evaluate(exact, inputs), strict=True):
            compare(found, true, float32)


@pytest.mark.parametrize("target", TARGETS)
def test_bodies_of_control_flow_have_homes_of_their_own(target):
    image = TensorType((2, 8, 5, 6), float32)
    weight = TensorType((8, 8, 3, 3), float32)

    def turn(x, w):
        y = ops.mul(ops.convolution(x, w, 1, 1), ops.full(0.125, image))
        return ops.add(ops.convolution(composites.relu(y), w, 1, 1), x)

    count = TensorType((), int32)
    body = make_graph(lambda k, x, w: [ops.add(k, ops.like(1, k)), turn(x, w), w], [count, image, weight])
    more = make_graph(lambda k, x, w: [ops.lt(k, ops.like(3, k))], [count, image, weight])
    scan = make_graph(lambda x, b, w: [ops.add(turn(x, w), b), x], [image, image, weight])
    then = make_graph(lambda x, w: [turn(x, w)], [image, weight])
    orelse = make_graph(lambda x, w: [ops.neg(x)], [image, weight])

    def run(p, x, w, bs):
        (y,) = ops.bind(ops.Cond(then, orelse), p, x, w)
        _, z, _ = ops.bind(ops.While(more, body), ops.full(0, count), y, w)
        return [z, *ops.bind(ops.Scan(scan, 3, False, 1), z, bs, w)]

    types = [TensorType((), bool_), image, weight, TensorType((3, *image.shape), float32)]
    graph = make_graph(run, types)
    for truth in (True, False):
        inputs = [numpy.array(truth), *(numbers(kind.shape, float32, 3) / 8 for kind in types[1:])]
        inputs = [x.astype(kind.dtype) for x, kind in zip(inputs, types, strict=True)]
        for stable in ((), (2,)):
            program = compiled(graph, named_target(target), stable=stable)
            for found, true in zip(program.run(inputs), evaluate(graph, inputs), strict=True):
                compare(found, true, float32)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("spec", "shape", "in_place"),
    [("nc[y+r-1][x+s-1],ocrs->noyx", (2, 8, 6, 7), True), ("n[y+r-1][x+s-1]c,ocrs->nyxo", (2, 6, 7, 8), False)],
)
def test_a_state_that_a_convolution_reads_is_not_written_before(spec, shape, in_place, target):
    """Buffer donation: the new value of an image, which windows and the epilogue read. A result that is turned is
    stored by a step of its own, after the last window; tiles that store it themselves store rows twice."""
    weight = (8, 8, 3, 3)
    sizes = {"y": 6, "x": 7}
    graph = make_graph(
        lambda x, w: [ops.add(ops.contract(spec, x, w, sizes), x), ops.add(w, w)],
        [TensorType(shape, float32), TensorType(weight, float32)],
    )
    x, w = numbers(shape, float32, 5), numbers(weight, float32, 5)
    wanted = evaluate(graph, [x, w])
    program = compiled(graph, named_target(target), updates={0: 0, 1: 1})
    taken = dict(program.plan.updates)
    assert (0 in taken) is in_place
    found = program.run([x, w], donated={output: (x, w)[source] for output, source in taken.items()})
    for one, true in zip(found, wanted, strict=True):
        compare(one, true, float32)


def test_weights_that_are_written_are_packed_anew():
    shapes = [(2, 8, 6, 7), (8, 8, 3, 3)]
    graph = make_graph(lambda x, w: [ops.convolution(x, w, 1, 1)], [TensorType(s, float32) for s in shapes])
    x, w = (numbers(s, float32, 5) for s in shapes)
    program = compiled(graph, stable=(1,))
    assert len(program.derivers) == 1
    for _ in range(3):
        compare(program.run([x, w])[0], evaluate(graph, [x, w])[0], float32)
        w += 1
