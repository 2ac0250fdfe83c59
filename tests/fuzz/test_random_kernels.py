# SPDX-License-Identifier: Apache-2.0
"""Random graphs of the kernels that are written by hand, large enough that the ways in which they are cut matter.

Products of every transposition with ends of odd sizes, rows, folds along and across memory, transposes, running ops
and searches, of all floats. Each graph is drawn over size symbols. Its program for all sizes and the program for the
sizes of a call give what the NumPy backend gives, with and without passes, from operands that lie in memory in any
way, and the same bits for any number of threads.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy
import pytest

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dims import Dim, SizeScope
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import compile_module, host_target, named_target
from hybridize.codegen.llvm.program import build
from hybridize.compiler.pool import have_pool
from hybridize.graph import Graph, Value
from hybridize.graph.sizes import sizes_of, with_sizes
from hybridize.machine.target import Target
from hybridize.ops import composites
from hybridize.ops.evaluate import evaluate
from hybridize.ops.op import interpreting
from hybridize.ops.tracing import GraphTracer
from hybridize.passes import PIPELINE
from hybridize.passes.inline import Inline
from hybridize.passes.pipeline import Pipeline
from hybridize.runtime.executable import Executable
from hybridize.runtime.pool import POOL
from tests.fuzz.surroundings import poisoned, shared

FIXED = [1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 32, 33, 63, 65, 128, 130, 257]
TRIED = [2, 3, 5, 6, 8, 9, 16, 17, 31, 48, 64, 67, 96, 127, 129, 200, 256, 300, 515, 1024, 1031]
LARGEST = 400_000
"""Elements of a value."""
DEAREST = 40_000_000
"""Multiplications of all products of a graph."""
FLOATS = [numpy.dtype(name) for name in ("f4", "f4", "f4", "f8", "f2")] + [numpy.dtype(ml_dtypes.bfloat16)]
INTEGERS = [numpy.dtype(name) for name in ("i4", "i8", "i1")]
TOLERANCES = {"bfloat16": 6e-2, "float16": 8e-3, "float32": 3e-4, "float64": 1e-9}


def is_float(value: Value) -> bool:
    return value.type.dtype.kind not in "iub"


@dataclass
class Maker:
    """Draws a graph over a few size symbols. `exact` holds the values whose bits are determined."""

    draw: numpy.random.Generator
    scope: SizeScope = field(default_factory=SizeScope)
    recorder: GraphTracer = field(default_factory=GraphTracer)
    symbols: list[Dim] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    exact: set[Value] = field(default_factory=set)

    def pick(self, choices: Any) -> Any:
        return choices[int(self.draw.integers(len(choices)))]

    def chance(self, share: float) -> bool:
        return bool(self.draw.random() < share)

    def size(self) -> int:
        return self.pick(self.symbols) if self.chance(0.5) else self.pick(FIXED)

    def input(self, shape: tuple[int, ...], dtype: Any) -> Value:
        return self.add(self.recorder.builder.input(TensorType(shape, dtype)), True)

    def add(self, value: Value, exact: bool = False) -> Value:
        self.values.append(value)
        if exact:
            self.exact.add(value)
        return value

    def some(self) -> Value:
        # The last values are taken more often, so that chains grow.
        return self.values[-1 - int(self.draw.integers(len(self.values)) * self.draw.random())]

    def like(self, x: Value) -> Value:
        """Another value of the dtype and shape of `x`, cast and broadcast."""
        shape = x.type.shape
        others = [y for y in self.values if is_float(y) == is_float(x) and fits(y.type.shape, shape)]
        if not others or self.chance(0.3):
            narrow = tuple(1 if self.chance(0.4) else size for size in shape[self.pick([0, 0, 1]) :])
            others = [self.input(narrow, x.type.dtype)]
        y = ops.cast(self.pick(others), x.type.dtype)
        added = (1,) * (x.type.ndim - y.type.ndim)
        return ops.broadcast(ops.reshape(y, added + y.type.shape), shape)


def fits(small: tuple[int, ...], large: tuple[int, ...]) -> bool:
    """Whether one shape broadcasts to another."""
    pairs = zip(reversed(small), reversed(large), strict=False)
    return len(small) <= len(large) and all(dims.same(a, 1) or dims.same(a, b) for a, b in pairs)


def axis_of(m: Maker, x: Value) -> int:
    return m.pick(range(x.type.ndim))


# Ends: what is computed in the registers of another kernel.


ACTIVATIONS: list[Callable[[Value], Value]] = [
    ops.tanh, ops.sigmoid, ops.erf, ops.neg, ops.abs, composites.relu, composites.gelu, composites.leaky_relu,
    lambda x: composites.gelu(x, "tanh"), lambda x: composites.activation(x, "silu"),
    lambda x: ops.sqrt(ops.abs(x)), lambda x: ops.rsqrt(ops.add(ops.abs(x), ops.like(1, x))),
    lambda x: ops.exp(ops.neg(ops.abs(x))), lambda x: ops.log1p(ops.abs(x)), lambda x: ops.sin(ops.tanh(x)),
    lambda x: ops.min(ops.max(x, ops.like(-1, x)), ops.like(2, x)), lambda x: ops.div(x, ops.like(3, x)),
]  # fmt: skip


def end(m: Maker, x: Value) -> Value:
    """Elementwise functions of a result: bias, residual, activation, scale, another dtype."""
    for _ in range(m.pick([0, 1, 1, 2, 3])):
        kind = m.pick(["add", "activation", "activation", "mul", "cast", "where"])
        if kind == "activation":
            x = m.pick(ACTIVATIONS)(x)
        elif kind == "add":
            x = m.pick([ops.add, ops.sub, ops.max])(x, m.like(x))
        elif kind == "mul":
            x = ops.mul(x, ops.tanh(m.like(x)))
        elif kind == "cast":
            x = ops.cast(x, m.pick(FLOATS))
        else:
            y = m.like(x)
            x = ops.where(ops.lt(x, y), x, y)  # continuous: values that are merely close stay so
    return x


def elements(m: Maker, x: Value) -> None:
    if is_float(x):
        m.add(end(m, x))
    else:
        m.add(m.pick([ops.add, ops.sub, ops.mul, ops.max])(x, m.like(x)), True)


# Kernels.


def product(m: Maker, x: Value) -> None:
    if not is_float(x) or x.type.ndim < 2:
        return
    *batch, m_or_k, k_or_m = x.type.shape
    flip_x, flip_w = m.chance(0.3), m.chance(0.5)
    rows, inner = (k_or_m, m_or_k) if flip_x else (m_or_k, k_or_m)
    n = m.pick([rows, m.size(), m.size(), 1])
    work = 1
    for size in (*batch, rows, inner, n):
        work *= dims.hint(size)
    if work > DEAREST // 4:
        return
    stored = (*batch, n, inner) if flip_w else (*batch, inner, n)
    if m.chance(0.2) and fits(stored, x.type.shape) and fits(x.type.shape, stored):
        w = x
    elif m.chance(0.15):
        fixed = tuple(dims.hint(size) for size in stored)
        known = not any(dims.is_symbolic(size) for size in stored)
        drawn = (m.draw.standard_normal(fixed) * 0.5).astype(x.type.dtype) if known else None
        w = m.input(stored, x.type.dtype) if drawn is None else m.recorder.builder.constant(drawn)
    else:
        w = m.input(stored, x.type.dtype)
    left = ops.tanh(x) if m.chance(0.8) or x not in m.exact else x
    y = ops.matmul(left, w, flip_x, flip_w)
    m.add(end(m, ops.div(y, ops.like(8, y))))


def row(m: Maker, x: Value) -> None:
    if not is_float(x) or not x.type.ndim:
        return
    axis = axis_of(m, x)
    kind = m.pick(["softmax", "log_softmax", "norm", "mean", "variance", "rms", "residual"])
    if kind == "softmax":
        y = composites.softmax(x, axis)
    elif kind == "log_softmax":
        y = composites.log_softmax(x, axis)
    elif kind == "mean":
        y = composites.mean(x, (axis,))
    elif kind == "variance":
        y = composites.variance(ops.tanh(x), (axis,))
    elif kind == "rms":
        x = ops.tanh(x)
        square = composites.mean(ops.mul(x, x), (axis,))
        root = ops.sqrt(ops.add(square, ops.like(0.1, square)))
        y = ops.div(x, ops.spread(root, x.type.shape, (axis,)))
    elif kind == "norm":
        narrow = TensorType((x.type.shape[axis],), x.type.dtype)
        y = composites.layer_norm(ops.tanh(x), ops.full(2, narrow), ops.full(1, narrow), axis, 0.1)
    else:
        total = ops.spread(composites.mean(ops.tanh(x), (axis,)), x.type.shape, (axis,))
        y = ops.sub(ops.tanh(x), total)
    m.add(end(m, y))


def reduce(m: Maker, x: Value) -> None:
    axes = tuple(k for k in range(x.type.ndim) if m.chance(0.5))
    if m.chance(0.4):
        y = m.add(m.pick([ops.reduce_max, ops.reduce_min])(x, axes), x in m.exact)
    elif is_float(x):
        y = ops.sum(m.pick(ACTIVATIONS)(x) if m.chance(0.5) else x, axes)
        m.add(end(m, ops.tanh(y)))
    else:
        m.add(m.pick([ops.sum, ops.prod])(x, axes), True)


def turn(m: Maker, x: Value) -> None:
    exact = x in m.exact
    if m.chance(0.8):
        y = m.add(ops.transpose(x, tuple(int(axis) for axis in m.draw.permutation(x.type.ndim))), exact)
        if is_float(x) and m.chance(0.7):
            m.add(end(m, y))
    elif x.type.ndim:
        m.add(ops.flip(x, axis_of(m, x)), exact)


def part(m: Maker, x: Value) -> None:
    shape, exact = x.type.shape, x in m.exact
    if not shape:
        return
    axis = axis_of(m, x)
    kind = m.pick(["slice", "pad", "concat", "merge", "update"])
    start, left, step = m.pick([(0, 1, 1), (1, 0, 1), (0, 0, 2), (1, 0, 2), (1, 1, 1), (0, 0, 3)])
    starts, stops, steps = [0] * len(shape), list(shape), [1] * len(shape)
    starts[axis], stops[axis], steps[axis] = start, shape[axis] - left, step
    area = tuple(starts), tuple(stops), tuple(steps)
    if kind in ("slice", "update") and not dims.proven(shape[axis], start + left + 1):
        return
    if kind == "slice":
        m.add(ops.slice(x, *area), exact)
    elif kind == "update":
        m.add(ops.update_slice(x, ops.neg(ops.slice(x, *area)), *area), exact)
    elif kind == "pad":
        low, high = ([0] * len(shape) for _ in range(2))
        low[axis], high[axis] = m.pick([0, 1, 3]), m.pick([0, 2])
        m.add(ops.pad(x, ops.full(1, TensorType((), x.type.dtype)), tuple(low), tuple(high)), exact)
    elif kind == "concat":
        m.add(ops.concat(x, m.like(x), axis=axis))
    elif len(shape) > 1:
        k = m.pick(range(len(shape) - 1))
        m.add(ops.reshape(x, (*shape[:k], shape[k] * shape[k + 1], *shape[k + 2 :])), exact)


def running(m: Maker, x: Value) -> None:
    if not x.type.ndim:
        return
    axis, exact = axis_of(m, x), x in m.exact
    kind = m.pick(["sum", "max", "arg", "arg", "sort"])
    if kind == "sum" and is_float(x):
        y = ops.cum_sum(ops.tanh(x), axis)
        m.add(end(m, ops.div(y, ops.like(16, y))))
    elif kind == "sum":
        m.add(m.pick([ops.cum_sum, ops.cum_prod])(x, axis), exact)
    elif kind == "max":
        m.add(ops.cum_max(x, axis), exact)
    elif kind == "arg" and exact:
        m.add(m.pick([ops.arg_max, ops.arg_min])(x, axis), True)
    elif kind == "sort" and x.type.dtype.name != "bfloat16":
        m.add(ops.sort(x, axis), exact)


def rows_by_number(m: Maker, x: Value) -> None:
    if x.type.ndim and not dims.is_symbolic(x.type.shape[0]):
        numbers = m.draw.integers(0, x.type.shape[0], m.pick([(1,), (5,), (17,), (3, 4)]))
        m.add(ops.gather(x, m.recorder.builder.constant(numpy.asarray(numbers, "i8")), 0), x in m.exact)


def unlike(m: Maker, x: Value) -> None:
    if is_float(x):
        m.add(ops.cast(x, m.pick(FLOATS)), x in m.exact)


MOVES = [elements, elements, product, product, product, row, row, reduce, reduce, turn, turn, part, running, running,
         rows_by_number, unlike]  # fmt: skip


def random_graph(seed: int) -> Graph:
    """A graph over one to three size symbols."""
    m = Maker(numpy.random.default_rng(seed))
    m.scope.capturing = False
    m.symbols = [m.scope.symbol(m.pick([3, 9, 40, 130])) for _ in range(m.pick([1, 1, 2, 3]))]
    with interpreting(m.recorder):
        rank = m.pick([1, 2, 2, 2, 2, 3])
        dtype = m.pick(INTEGERS if m.chance(0.1) else FLOATS)
        shape = [m.size() for _ in range(rank)]
        shape[m.pick(range(rank))] = m.symbols[0]
        m.input(tuple(shape), dtype)
        for symbol in m.symbols[1:]:
            m.input(m.pick([(symbol,), (symbol, m.symbols[0])]), m.pick(FLOATS))
        wanted = len(m.values) + m.pick([1, 2, 3, 5])
        for _ in range(5 * wanted):
            x = m.some()
            if len(m.values) >= wanted:
                break
            if dims.hint(x.type.size) < LARGEST and x.type.ndim < 5:
                m.pick(MOVES)(m, x)
    results = [m.values[-1], *(x for x in m.values[:-1] if m.chance(0.15))]
    return m.recorder.builder.finish(results)


# Operands and results.


def lying(array: Any, draw: numpy.random.Generator) -> Any:
    """The same numbers, somewhere else in memory: strided, reversed, transposed, misaligned, not to be written."""
    kind = draw.choice(["plain", "plain", "plain", "strided", "reversed", "transposed", "misaligned", "odd", "locked"])
    if kind == "transposed" and array.ndim:
        return numpy.asfortranarray(array)
    if kind == "reversed":
        return numpy.ascontiguousarray(array[..., ::-1])[..., ::-1] if array.ndim else array
    if kind == "strided" and array.ndim:
        wide = numpy.zeros((*array.shape[:-1], array.shape[-1] * 2 + 1), array.dtype)
        wide[..., 1::2] = array
        return wide[..., 1::2]
    if kind in ("misaligned", "odd"):
        shift = array.itemsize if kind == "misaligned" else 1
        room = numpy.zeros(array.nbytes + shift, "u1")
        moved = room[shift:].view(array.dtype).reshape(array.shape)
        moved[...] = array
        return moved
    if kind == "locked":
        array.setflags(write=False)
    return array


def shapes_for(graph: Graph, draw: numpy.random.Generator) -> list[Any]:
    """Shapes of the inputs at random sizes."""
    symbols = graph.scope.symbols if graph.scope is not None else []
    sizes = {symbol: int(draw.choice(TRIED)) for symbol in symbols}
    return [tuple(dims.value(size, sizes) for size in value.type.shape) for value in graph.inputs]


def arrays_for(graph: Graph, draw: numpy.random.Generator) -> list[Any]:
    """Inputs for a graph of known sizes."""
    arrays = []
    for value in graph.inputs:
        shape = value.type.shape
        drawn = draw.standard_normal(shape) if is_float(value) else draw.integers(-9, 10, shape)
        arrays.append(lying(numpy.asarray(drawn).astype(value.type.dtype), draw))
    return arrays


def dear(graph: Graph) -> bool:
    """Whether the reference would take long."""
    work = 0
    if any(value.type.size > LARGEST for value in graph.inputs):
        return True
    for node in graph.nodes:
        if any(value.type.size > LARGEST for value in node.outputs):
            return True
        if isinstance(node.op, ops.Matmul):
            x, _ = node.inputs
            work += node.outputs[0].type.size * x.type.shape[-2 if node.op.transpose_x else -1]
    return work > DEAREST


def flat(graph: Graph) -> Graph:
    """The graph without composites."""
    return Pipeline(Inline()).run(graph)


def compare(wanted: list[Any], found: list[Any], graph: Graph, what: str) -> None:
    dtypes = {value.type.dtype for node in flat(graph).nodes for value in (*node.inputs, *node.outputs)}
    tolerance = max((TOLERANCES.get(dtype.name, 0.0) for dtype in dtypes), default=0.0)
    for k, (want, got) in enumerate(zip(wanted, found, strict=True)):
        assert want.shape == got.shape, what
        assert want.dtype == got.dtype, what
        a, b = want.astype("f8"), got.astype("f8")
        assert (numpy.isfinite(a) == numpy.isfinite(b)).all(), f"{what}, output {k}\n{graph}"
        finite = numpy.isfinite(a)
        scale = max(1.0, float(abs(a[finite]).max(initial=0.0)))
        error = float(abs(a[finite] - b[finite]).max(initial=0.0))
        assert error <= tolerance * scale, f"{what}, output {k}: {error} of {scale}\n{graph}"


def program(graph: Graph, target: Target, slots: int) -> Callable[[int], Executable]:
    """The executable of a graph for each number of threads."""
    built = build(graph, target, slots=slots)
    loaded = compile_module(built.module.text(), target)

    def made(threads: int) -> Executable:
        team = POOL.team(threads)
        return Executable(loaded, loaded.address("program"), built.plan, built.constants, built.sources, team=team)

    return made


def check(seed: int, target_name: str = "", calls: int = 3) -> int:
    """Compile a graph for all sizes and for some; returns at how many the former was there."""
    target = named_target(target_name) if target_name else host_target()
    graph = random_graph(seed)
    draw = numpy.random.default_rng([seed, 1])
    threads = POOL.possible() and have_pool()
    with poisoned(), shared(draw.random() < 0.5):
        whole = flat(graph) if draw.random() < 0.3 else PIPELINE.run(graph)
        general = program(whole, target, 3 if threads else 1)
        accepted = 0
        for _ in range(calls):
            shapes = shapes_for(graph, draw)
            sizes = sizes_of(graph, shapes)
            if sizes is None or not general(1).accepts(shapes):
                continue
            exact = with_sizes(graph, sizes)
            if dear(exact):
                continue
            accepted += 1
            arrays = arrays_for(exact, draw)
            what = f"seed {seed}, {target_name or 'host'}, sizes {list(sizes.values())}"
            wanted = evaluate(exact, arrays)
            compare(wanted, general(1).run(arrays), exact, f"{what}, general")
            alike(general, arrays, threads, f"{what}, general")
            if accepted > 1:
                continue  # one exact program is enough
            for simplified in (False, True):
                serial = program(PIPELINE.run(exact) if simplified else flat(exact), target, 1)(1).run(arrays)
                compare(wanted, serial, exact, f"{what}, exact")
            if threads:
                cut = program(PIPELINE.run(exact), target, 3)
                same(cut(1).run(arrays), serial, f"{what}, exact, cut")
                alike(cut, arrays, threads, f"{what}, exact")
    return accepted


def alike(made: Callable[[int], Executable], arrays: list[Any], threads: bool, what: str) -> None:
    """Any number of threads gives the same bits."""
    if threads:
        alone = made(1).run(arrays)
        for number in (2, 3):
            same(made(number).run(arrays), alone, f"{what}, {number} threads")


def same(found: list[Any], wanted: list[Any], what: str) -> None:
    for k, (a, b) in enumerate(zip(found, wanted, strict=True)):
        assert (a.dtype, a.shape) == (b.dtype, b.shape), what
        different = numpy.flatnonzero((a != b) & ((a == a) | (b == b)))
        at = different[:5]
        assert a.tobytes() == b.tobytes(), (
            f"{what}, output {k}: {different.size} of {a.size}, {a.reshape(-1)[at]} and {b.reshape(-1)[at]} at {at}"
        )


@pytest.mark.parametrize("seed", range(30))
def test_random_kernels(seed):
    check(seed)


@pytest.mark.long
@pytest.mark.parametrize("target", ["avx512", "avx2", "baseline"])
@pytest.mark.parametrize("block", range(5))
def test_hundreds(block, target):
    for seed in range(1000 + 100 * block, 1100 + 100 * block):
        check(seed, target)
