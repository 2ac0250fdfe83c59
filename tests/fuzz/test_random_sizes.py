# SPDX-License-Identifier: Apache-2.0
"""Random graphs whose sizes are not known: one program, compiled once, gives what the NumPy backend gives at any size.

A program may turn out to hold for fewer sizes than one would like. It must never be wrong for one that it accepts.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy
import pytest

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dims import Dim, SizeScope
from hybridize.base.dtypes import float32, float64, int32
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import named_target
from hybridize.compiler import compile
from hybridize.graph import Graph, Value
from hybridize.graph.sizes import sizes_of, with_sizes
from hybridize.ops import composites
from hybridize.ops.evaluate import evaluate
from hybridize.ops.op import interpreting
from hybridize.ops.tracing import GraphTracer

FIXED = [1, 2, 3, 4, 5, 8, 16, 17, 33]
TRIED = [1, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 40, 64, 65, 100]
LARGEST = 30_000


@dataclass
class Maker:
    """Draws a graph over a few size symbols."""

    draw: numpy.random.Generator
    scope: SizeScope = field(default_factory=SizeScope)
    recorder: GraphTracer = field(default_factory=GraphTracer)
    symbols: list[Dim] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)

    def pick(self, choices: Any) -> Any:
        return choices[int(self.draw.integers(len(choices)))]

    def size(self) -> int:
        return self.pick(self.symbols) if self.draw.random() < 0.6 else self.pick(FIXED)

    def input(self) -> Value:
        rank = self.pick([1, 2, 2, 2, 3])
        return self.add(self.recorder.builder.input(self.type(tuple(self.size() for _ in range(rank)))))

    def type(self, shape: tuple[int, ...]) -> TensorType:
        return TensorType(shape, self.pick([float32, float32, float32, float64, int32]))

    def add(self, value: Value) -> Value:
        self.values.append(value)
        return value

    def some(self) -> Value:
        found: Value = self.pick(self.values)
        return found

    def like(self, x: Value) -> Value:
        """Another value of the dtype and shape of `x`, perhaps broadcast."""
        others = [y for y in self.values if y.type.dtype == x.type.dtype and fits(y.type.shape, x.type.shape)]
        y = self.pick(others)
        added = (1,) * (x.type.ndim - y.type.ndim)
        return ops.broadcast(ops.reshape(y, added + y.type.shape), x.type.shape)


def fits(small: tuple[int, ...], large: tuple[int, ...]) -> bool:
    """Whether one shape broadcasts to another."""
    pairs = zip(reversed(small), reversed(large), strict=False)
    return len(small) <= len(large) and all(dims.same(a, 1) or dims.same(a, b) for a, b in pairs)


def floating(x: Value) -> bool:
    return x.type.dtype.kind == "f"


def unary(m: Maker, x: Value) -> None:
    names = ["tanh", "neg", "abs", "sigmoid", "sin"] if floating(x) else ["neg", "abs", "sign"]
    function: Callable[..., Value] = getattr(ops, m.pick(names))
    m.add(function(x))


def binary(m: Maker, x: Value) -> None:
    function: Callable[..., Value] = getattr(ops, m.pick(["add", "sub", "max", "min"]))
    m.add(function(x, m.like(x)))


def choose(m: Maker, x: Value) -> None:
    y = m.like(x)
    m.add(ops.where(ops.lt(x, y), x, y))  # continuous: values that are merely close stay so


def reduce(m: Maker, x: Value) -> None:
    axes = tuple(k for k in range(x.type.ndim) if m.draw.random() < 0.6)
    m.add(m.pick([ops.sum, ops.reduce_max, ops.reduce_min])(x, axes))


def merge(m: Maker, x: Value) -> None:
    shape = x.type.shape
    if len(shape) > 1:
        k = m.pick(range(len(shape) - 1))
        m.add(ops.reshape(x, (*shape[:k], shape[k] * shape[k + 1], *shape[k + 2 :])))


def part(m: Maker, x: Value) -> None:
    shape = x.type.shape
    if not shape:
        return
    axis = m.pick(range(len(shape)))
    size = shape[axis]
    start, left, step = m.pick([(0, 1, 1), (1, 0, 1), (0, 0, 2), (1, 0, 2)])
    if not dims.proven(size, start + left + 1):
        return
    starts, stops, steps = ([number] * len(shape) for number in (0, 0, 1))
    stops = list(shape)
    starts[axis], stops[axis], steps[axis] = start, size - left, step
    m.add(ops.slice(x, tuple(starts), tuple(stops), tuple(steps)))


def extend(m: Maker, x: Value) -> None:
    shape = x.type.shape
    if not shape:
        return
    axis = m.pick(range(len(shape)))
    if m.draw.random() < 0.5:
        low, high = ([0] * len(shape) for _ in range(2))
        low[axis], high[axis] = m.pick([0, 1, 3]), m.pick([0, 2])
        m.add(ops.pad(x, ops.full(1, TensorType((), x.type.dtype)), tuple(low), tuple(high)))
    else:
        m.add(ops.concat(x, m.like(x), axis=axis))


def turn(m: Maker, x: Value) -> None:
    rank = x.type.ndim
    if m.draw.random() < 0.7:
        m.add(ops.transpose(x, tuple(int(axis) for axis in m.draw.permutation(rank))))
    elif rank:
        m.add(ops.flip(x, m.pick(range(rank))))


def row(m: Maker, x: Value) -> None:
    if not x.type.ndim or not floating(x):
        return
    axis = m.pick(range(x.type.ndim))
    kind = m.pick(["softmax", "norm", "mean"])
    if kind == "softmax":
        m.add(composites.softmax(x, axis))
    elif kind == "mean":
        m.add(composites.mean(x, (axis,)))
    else:
        narrow = TensorType((x.type.shape[axis],), x.type.dtype)
        m.add(composites.layer_norm(x, ops.full(2, narrow), ops.full(1, narrow), axis, 0.1))


def product(m: Maker, x: Value) -> None:
    rank = x.type.ndim
    if rank >= 2 and floating(x):
        y = ops.tanh(m.like(x))
        w = ops.transpose(y, (*range(rank - 2), rank - 1, rank - 2))
        z = m.add(ops.matmul(ops.tanh(x), w, False, False))
        if m.draw.random() < 0.5:
            m.add(ops.tanh(ops.add(z, m.like(z))))


def routine(m: Maker, x: Value) -> None:
    if x.type.ndim:
        axis = m.pick(range(x.type.ndim))
        kind = m.pick(["cumsum", "sort", "argmax"])
        if kind == "cumsum":
            m.add(ops.cum_sum(x, axis))
        elif kind == "sort":
            m.add(ops.sort(x, axis))
        elif x in m.recorder.builder.inputs:  # only of what is exact
            m.add(ops.cast(ops.arg_max(x, axis), float32))


MOVES = [unary, binary, binary, choose, reduce, merge, part, extend, turn, row, row, product, routine]


def random_graph(seed: int) -> Graph:
    """A graph over one to three size symbols."""
    m = Maker(numpy.random.default_rng(seed))
    m.scope.capturing = False
    m.symbols = [m.scope.symbol(m.pick([3, 6, 9, 20]), low=1) for _ in range(m.pick([1, 1, 2, 3]))]
    with interpreting(m.recorder):
        m.add(m.recorder.builder.input(TensorType(tuple(m.symbols), float32)))
        for _ in range(m.pick([0, 1, 2])):
            m.input()
        for _ in range(m.pick([2, 4, 7, 10])):
            x = m.some()
            if dims.hint(x.type.size) < LARGEST and x.type.ndim < 5:
                m.pick(MOVES)(m, x)
    return m.recorder.builder.finish([m.values[-1], *(x for x in m.values[:-1] if m.draw.random() < 0.2)])


def arrays_for(graph: Graph, draw: numpy.random.Generator) -> list[Any]:
    """Inputs of random sizes."""
    symbols = graph.scope.symbols if graph.scope is not None else []
    sizes = {symbol: int(draw.choice(TRIED)) for symbol in symbols}
    shapes = [tuple(dims.value(size, sizes) for size in value.type.shape) for value in graph.inputs]
    return [
        numpy.asarray(draw.standard_normal(shape) * 3).astype(value.type.dtype)
        for shape, value in zip(shapes, graph.inputs, strict=True)
    ]


def check(seed: int, target: str = "", calls: int = 12) -> int:
    """Compile once, run at many sizes; returns at how many the program was there."""
    graph = random_graph(seed)
    program = compile(graph, named_target(target) if target else None)
    draw = numpy.random.default_rng(seed)
    accepted = 0
    for _ in range(calls):
        arrays = arrays_for(graph, draw)
        shapes = [array.shape for array in arrays]
        sizes = sizes_of(graph, shapes)
        if not program.accepts(shapes) or sizes is None:
            continue
        exact = with_sizes(graph, sizes)
        if sum(value.type.size for node in exact.nodes for value in node.outputs) > 20 * LARGEST:
            continue
        accepted += 1
        for want, got in zip(evaluate(exact, arrays), program.run(arrays), strict=True):
            assert want.shape == got.shape
            assert want.dtype == got.dtype
            a, b = want.astype("f8"), got.astype("f8")
            scale = max(1.0, float(abs(a).max(initial=0.0)))
            error = float(abs(a - b).max(initial=0.0))
            assert error <= 3e-4 * scale, f"seed {seed}: {error} of {scale} at {shapes}\n{graph}"
    return accepted


@pytest.mark.parametrize("seed", range(40))
def test_one_program_is_right_at_all_sizes(seed):
    check(seed)


@pytest.mark.long
@pytest.mark.parametrize("target", ["", "avx2", "baseline"])
@pytest.mark.parametrize("block", range(10))
def test_hundreds(block, target):
    for seed in range(1000 + 100 * block, 1100 + 100 * block):
        check(seed, target)
