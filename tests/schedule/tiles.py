"""What tests of tiles share: arrays, graphs, comparisons with the reference, random convolutions, loops of the code."""

import re
from abc import ABC, abstractmethod

import numpy
import pytest
from hypothesis import strategies as st

from hybridize import ops
from hybridize.base.dtypes import bfloat16, float16, float32, float64, int32
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import runnable
from hybridize.codegen.llvm.objects import assembly
from hybridize.codegen.llvm.program import build, scheduled
from hybridize.compiler import compile as compiled
from hybridize.machine.target import named_target
from hybridize.ops import composites, evaluate, make_graph, pullback
from hybridize.passes import PIPELINE
from hybridize.schedule.contraction.lanes import LanePlan
from hybridize.schedule.contraction.taps import TapPlan
from hybridize.schedule.contraction.winograd import WinogradPlan
from hybridize.schedule.steps import ContractionStep

LEVELS = runnable()
SWEPT = [pytest.param(name, marks=[] if name in (LEVELS[0], LEVELS[-1]) else [pytest.mark.long]) for name in LEVELS]
"""The widest and the narrowest registers, for many shapes; what is between is drawn at random, and long."""
TOLERANCE = {float32: 2e-4, float64: 1e-10, float16: 3e-2, bfloat16: 2e-1, int32: 0}


def numbers(shape, dtype=float32, seed=0):
    rng = numpy.random.default_rng((seed, *shape))
    found = rng.integers(-3, 4, shape) if dtype == int32 else rng.uniform(-1, 1, shape)
    return numpy.asarray(found).astype(dtype)


def graph_of(function, *arrays):
    return PIPELINE.run(make_graph(function, [TensorType(each.shape, each.dtype) for each in arrays]))


def plans_of(schedule, kind=(TapPlan, LanePlan, WinogradPlan)):
    """The plans of a kind of contractions, all with windows if it is not said which."""
    plans = (step.plan for step in schedule.steps if isinstance(step, ContractionStep))
    return [plan for plan in plans if isinstance(plan, kind)]


def lane_plans(graph, level="avx512", **options):
    return plans_of(scheduled(graph, named_target(level), **options), LanePlan)


def compare(found, wanted, dtype):
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    wanted = wanted.astype("f8")
    scale = max(1.0, float(numpy.abs(wanted).max(initial=0)))
    numpy.testing.assert_allclose(found.astype("f8"), wanted, rtol=0, atol=TOLERANCE[dtype] * scale)


class Convolved(ABC):
    """A random convolution, its gradients, or a chain in which it stands.

    A subclass draws channels, strides and padding, and says what the chain is.
    """

    groups: int
    channels: int
    outputs: int
    batch: int
    steps: tuple[int, ...]
    sides: tuple[tuple[int, int], ...]
    longest = 12
    """The most pixels of a line."""

    def __init__(self, draw):
        def some(*of):
            return draw(st.sampled_from(of))

        rank = self.rank = some(1, 2, 2, 2, 3)
        self.kind = some("forward", "forward", "by x", "by w", "both", "chain")
        floats = (float32, float32, float32, float64, float16, bfloat16)
        self.dtype = some(*floats, int32) if self.kind in ("forward", "chain") else some(*floats)
        self.taps = [some(1, 2, 3, 3, 5) for _ in range(rank)]
        self.spaces = tuple(some(1, 1, 2) for _ in range(rank))
        self.draw_form(some)
        self.sizes = [
            draw(st.integers(max(1, (tap - 1) * space + 1 - sum(side)), self.longest if axis == rank - 1 else 12))
            for axis, (tap, space, side) in enumerate(zip(self.taps, self.spaces, self.sides, strict=True))
        ]

    @abstractmethod
    def draw_form(self, some):
        """Draw groups, channels, outputs, batch, steps and sides."""

    @abstractmethod
    def chain(self, x, w, v):
        """Return results of several operations on `x`, this convolution by `w` and another one by `v` among them."""

    @abstractmethod
    def shape_of_v(self):
        """Return the shape of the other weight of a chain."""

    def convolved(self, x, w):
        return ops.convolution(x, w, self.steps, self.sides, self.spaces, self.groups)

    def graph(self):
        x = numbers((self.batch, self.channels, *self.sizes), self.dtype)
        w = numbers((self.outputs, self.channels // self.groups, *self.taps), self.dtype, 1)
        if self.kind == "chain":
            inputs = [x, w, numbers(self.shape_of_v(), self.dtype, 2)]
            return graph_of(self.chain, *inputs), inputs
        if self.kind == "forward":
            return graph_of(lambda x, w: [composites.relu(self.convolved(x, w))], x, w), [x, w]
        forward = graph_of(lambda x, w: [self.convolved(x, w)], x, w)
        g = numbers(forward.outputs[0].type.shape, self.dtype, 3)
        wanted = {"by x": slice(1), "by w": slice(1, 2), "both": slice(2)}[self.kind]
        return graph_of(lambda x, w, g: pullback(forward, [x, w], [g])[wanted], x, w, g), [x, w, g]

    def check(self, level, stable):
        graph, inputs = self.graph()
        program = compiled(graph, named_target(level), stable=range(len(inputs)) if stable else ())
        for found, wanted in zip(program.run(inputs), evaluate(graph, inputs), strict=True):
            compare(found, wanted, self.dtype)


def inner_loops(text, products=("vfmadd",)):
    """The instructions of each loop that multiplies and has no loop within."""
    found = []
    jump = r"(?:j\w+|b\.?\w*|cbn?z|tbn?z)\t"
    for loop in re.finditer(rf"^(\.LBB\w+):.*\n((?:\t(?!{jump}).*\n)+)\t{jump}(?:.*, )?\1\n", text, re.MULTILINE):
        body = [line.strip() for line in loop[2].splitlines()]
        if any(product in line for line in body for product in products):
            found.append([line for line in body if not line.startswith(".")])
    return found


def loop_of_lanes(graph, level, stable):
    """The innermost loop of functions of lanes that multiplies most, and how many of it are multiply-adds.

    No register of any of these loops is spilled.
    """
    target = named_target(level)
    text = assembly(build(graph, target, stable=stable).module.text(), target)
    functions = re.findall(r"^(\S*lanes\S*lines\d+):(.*?)^\.Lfunc_end", text, re.MULTILINE | re.DOTALL)
    bodies = [body for _, text in functions for body in inner_loops(text)]
    assert not [line for body in bodies for line in body if "(%rsp)" in line and "mm" in line]
    body = max(bodies, key=products_of)
    return body, products_of(body)


def products_of(body):
    return sum("vfmadd" in line for line in body)
