"""Random graphs over the table of ops: compiled code gives what the NumPy backend gives.

Values are exact (made of correctly rounded or integer operations in the same order: they must be equal bit by bit) or
close (sums, products of matrices, transcendental functions: compared with the float64 truth). What is discontinuous is
only asked of exact values.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy
import pytest

from hybridize import ops
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import compile_module, host_target, named_target
from hybridize.codegen.llvm.program import build
from hybridize.compiler import compile
from hybridize.compiler.pool import have_pool
from hybridize.graph import Graph, Value
from hybridize.ops import composites
from hybridize.ops.evaluate import evaluate
from hybridize.ops.gradient import apply
from hybridize.ops.op import interpreting
from hybridize.ops.tracing import GraphTracer
from hybridize.passes.inline import Inline
from hybridize.passes.pipeline import Pipeline
from hybridize.runtime.executable import Executable
from hybridize.runtime.pool import POOL
from hybridize.schedule import thresholds

SIZES = [1, 1, 2, 3, 4, 5, 7, 8, 16, 17, 31, 33, 64]
BFLOAT16 = numpy.dtype(ml_dtypes.bfloat16)
FLOATS = [numpy.dtype(name) for name in ("f4", "f4", "f4", "f4", "f8", "f2")] + [BFLOAT16]
INTEGERS = [numpy.dtype(name) for name in ("i8", "i4", "i1", "u1", "i2", "u4", "u8")]
BOOL = numpy.dtype("?")


def is_float(dtype: Any) -> bool:
    return dtype.kind not in "iub"


@dataclass
class Maker:
    """Draws a graph. `exact` holds the values whose bits are determined."""

    draw: numpy.random.Generator
    recorder: GraphTracer = field(default_factory=GraphTracer)
    values: list[Value] = field(default_factory=list)
    exact: set[Value] = field(default_factory=set)
    inputs: list[Any] = field(default_factory=list)

    def pick(self, choices: Any) -> Any:
        return choices[int(self.draw.integers(len(choices)))]

    def shape(self) -> tuple[int, ...]:
        rank = self.pick([0, 1, 2, 2, 2, 3, 3, 4])
        sizes = [self.pick(SIZES) for _ in range(rank)]
        if sizes and self.draw.random() < 0.03:
            sizes[self.pick(range(rank))] = 0
        while numpy.prod(sizes) > 20000:
            sizes[int(numpy.argmax(sizes))] = 2
        return tuple(sizes)

    def input(self, dtype: Any, shape: tuple[int, ...]) -> Value:
        if is_float(dtype):
            array = (self.draw.standard_normal(shape) * 2).astype(dtype)
            if array.size and self.draw.random() < 0.1:
                array.reshape(-1)[self.draw.integers(array.size)] = self.pick([numpy.nan, numpy.inf, -0.0])
        elif dtype == BOOL:
            array = self.draw.random(shape) < 0.5
        else:
            array = self.draw.integers(0 if dtype.kind == "u" else -9, 10, shape).astype(dtype)
        array = numpy.asarray(array)
        if self.draw.random() < 0.2:
            value = self.recorder.builder.constant(array)
        else:
            value = self.recorder.builder.input(TensorType(array.shape, array.dtype))
            self.inputs.append(array)
        return self.add(value, True)

    def add(self, value: Value, exact: bool) -> Value:
        self.values.append(value)
        if exact:
            self.exact.add(value)
        return value

    def some(self, test: Callable[[Value], bool] = lambda value: True) -> Value | None:
        found = [value for value in self.values if test(value)]
        # The last values are taken more often, so that chains grow.
        return found[-1 - int(self.draw.integers(len(found)) * self.draw.random())] if found else None

    def fitted(self, value: Value, other: Value) -> Value:
        """`other` cast and brought to the type of `value`."""
        if other.type.dtype != value.type.dtype:
            other = ops.cast(other, value.type.dtype)
        if other.type.shape == value.type.shape:
            return other
        rank, want = other.type.ndim, value.type.shape
        if rank <= len(want) and all(a in (1, b) for a, b in zip(other.type.shape[::-1], want[::-1], strict=False)):
            return ops.broadcast(other, want)
        if other.type.size == value.type.size:
            return ops.reshape(other, want)
        if other.type.size:
            first = ops.slice(ops.reshape(other, (other.type.size,)), (0,), (1,), (1,))
            return ops.broadcast(first, want) if want else ops.reshape(first, ())
        return value


EXACT_FLOAT = ["neg", "abs", "sign", "floor", "ceil", "round", "trunc", "sqrt"]
CLOSE_FLOAT = ["exp", "tanh", "sigmoid", "erf", "sin", "cos", "arctan", "expm1", "arcsinh"]
EXACT_BINARY = ["add", "sub", "mul", "max", "min", "fmax", "fmin", "copysign", "div"]
INTEGER_BINARY = ["add", "sub", "mul", "max", "min", "floor_div", "mod", "bit_and", "bit_or", "bit_xor", "shift_right"]
COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge"]


def function(name: str) -> Callable[..., Value]:
    """The operand function of an op."""
    found: Callable[..., Value] = getattr(ops, name)
    return found


def unary(m: Maker, x: Value) -> None:
    exact = x in m.exact
    if is_float(x.type.dtype):
        if m.draw.random() < 0.5:
            names = EXACT_FLOAT if exact else ["neg", "abs"]
            m.add(function(m.pick(names))(x), exact)
        else:
            m.add(function(m.pick(CLOSE_FLOAT))(ops.tanh(x)), False)
    elif x.type.dtype == BOOL:
        m.add(ops.bit_not(x), exact)
    else:
        m.add(
            function(m.pick(["neg", "abs", "sign", "bit_not"] if x.type.dtype.kind == "i" else ["bit_not"]))(x), exact
        )


def binary(m: Maker, x: Value) -> None:
    other = m.some() or x
    exact = x in m.exact and other in m.exact
    if is_float(other.type.dtype) and not is_float(x.type.dtype):
        x, other = other, x
    y = m.fitted(x, other)
    if is_float(x.type.dtype):
        name = m.pick(EXACT_BINARY if exact else ["add", "sub", "max", "min", "mul"])
        if not exact and name == "mul":
            y = ops.tanh(y)
        m.add(function(name)(x, y), exact)
    elif x.type.dtype == BOOL:
        m.add(function(m.pick(["bit_and", "bit_or", "bit_xor"]))(x, y), exact)
    else:
        m.add(function(m.pick(INTEGER_BINARY))(x, y), exact)


def compare(m: Maker, x: Value) -> None:
    other = m.some(lambda value: value in m.exact)
    if x in m.exact and other is not None and not (is_float(other.type.dtype) and not is_float(x.type.dtype)):
        m.add(function(m.pick(COMPARISONS))(x, m.fitted(x, other)), True)


def choose(m: Maker, x: Value) -> None:
    condition = m.some(lambda value: value.type.dtype == BOOL and value in m.exact)
    other = m.some(lambda value: not is_float(value.type.dtype) or is_float(x.type.dtype))
    if condition is None or other is None:
        return
    condition = m.fitted(ops.ne(x, x), condition)
    m.add(ops.where(condition, x, m.fitted(x, other)), x in m.exact and other in m.exact)


def convert(m: Maker, x: Value) -> None:
    exact = x in m.exact
    if is_float(x.type.dtype):
        wanted = m.pick(FLOATS)
        if exact and m.draw.random() < 0.3:
            x = ops.cast(ops.max(ops.min(x, ops.like(100, x)), ops.like(0, x)), numpy.dtype("i4"))
            x = ops.where(ops.eq(x, ops.like(-(2**31), x)), ops.like(0, x), x)  # NaN has no integer
            return
        m.add(ops.cast(x, wanted), exact)
    else:
        m.add(ops.cast(x, m.pick(INTEGERS + FLOATS[:5] + [BOOL])), exact)


def reduce(m: Maker, x: Value) -> None:
    axes = tuple(k for k in range(x.type.ndim) if m.draw.random() < 0.6)
    exact = x in m.exact
    if x.type.dtype == BOOL:
        m.add(function(m.pick(["any", "all"]))(x, axes), exact)
        return
    count = numpy.prod([x.type.shape[k] for k in axes])
    if m.draw.random() < 0.5 and count:
        m.add(function(m.pick(["reduce_max", "reduce_min"]))(x, axes), exact)
    elif is_float(x.type.dtype):
        m.add(ops.sum(x, axes), False)
    else:
        m.add(function(m.pick(["sum", "prod"]))(x, axes), exact)


def view(m: Maker, x: Value) -> None:
    shape, exact = x.type.shape, x in m.exact
    kind = m.pick(["reshape", "transpose", "slice", "broadcast", "flip", "pad", "update", "concat"])
    if kind == "reshape":
        factors = [f for f in range(1, 40) if x.type.size % f == 0]
        first = m.pick(factors)
        new = m.pick([(x.type.size,), (first, x.type.size // first), (1, *shape), (*shape, 1)])
        m.add(ops.reshape(x, new), exact)
    elif kind == "transpose":
        m.add(ops.transpose(x, tuple(int(a) for a in m.draw.permutation(len(shape)))), exact)
    elif kind == "broadcast" and x.type.size < 3000:
        m.add(ops.broadcast(x, (m.pick([2, 3, 5]), *shape)), exact)
    elif kind == "flip" and shape:
        m.add(ops.flip(x, m.pick(range(len(shape)))), exact)
    elif kind in ("slice", "update") and shape and x.type.size:
        starts = tuple(int(m.draw.integers(size)) for size in shape)
        steps = tuple(m.pick([1, 1, 2, 3]) for _ in shape)
        stops = tuple(int(m.draw.integers(a, size)) + 1 for a, size in zip(starts, shape, strict=True))
        part = ops.slice(x, starts, stops, steps)
        if kind == "slice":
            m.add(part, exact)
        else:
            source = m.some(lambda value: is_float(value.type.dtype) <= is_float(x.type.dtype)) or x
            m.add(ops.update_slice(x, m.fitted(part, source), starts, stops, steps), exact and source in m.exact)
    elif kind == "pad" and shape:
        low, high = (tuple(m.pick([0, 1, 3]) for _ in shape) for _ in range(2))
        m.add(ops.pad(x, ops.full(1, TensorType((), x.type.dtype)), low, high), exact)
    elif kind == "concat" and shape:
        source = m.some(lambda value: is_float(value.type.dtype) <= is_float(x.type.dtype)) or x
        m.add(ops.concat(x, m.fitted(x, source), axis=m.pick(range(len(shape)))), exact and source in m.exact)


def layer(m: Maker, x: Value) -> None:
    if not is_float(x.type.dtype) or not x.type.ndim or not x.type.size:
        return
    x = ops.tanh(x)
    axis = m.pick(range(x.type.ndim))
    kind = m.pick(["softmax", "norm", "matmul", "mean", "cumsum", "residual"])
    if kind == "softmax":
        m.add(composites.softmax(x, axis), False)
    elif kind == "norm":
        narrow = TensorType((x.type.shape[axis],), x.type.dtype)
        m.add(composites.layer_norm(x, ops.full(2, narrow), ops.full(1, narrow), axis, 0.1), False)
    elif kind == "matmul" and x.type.ndim >= 2 and x.type.size < 3000:
        w = ops.transpose(x, (*range(x.type.ndim - 2), x.type.ndim - 1, x.type.ndim - 2))
        y = m.add(ops.matmul(x, w, False, False), False)
        if m.draw.random() < 0.7:
            source = m.some(lambda value: is_float(value.type.dtype)) or y
            m.add(ops.tanh(ops.add(y, ops.tanh(m.fitted(y, source)))), False)
    elif kind == "mean":
        m.add(composites.mean(x, (axis,)), False)
    elif kind == "cumsum":
        m.add(ops.cum_sum(x, axis), False)
    else:
        m.add(ops.sub(x, ops.spread(ops.sum(ops.exp(x), (axis,)), x.type.shape, (axis,))), False)


def index(m: Maker, x: Value) -> None:
    if not x.type.ndim or not x.type.size:
        return
    axis = m.pick(range(x.type.ndim))
    kind = m.pick(["gather", "argmax", "sort", "gather"])
    if kind == "gather" and x.type.size < 3000:
        size = x.type.shape[axis]
        indices = m.draw.integers(0, size, m.pick([(), (3,), (2, 3)]))
        m.add(ops.gather(x, m.recorder.builder.constant(numpy.asarray(indices, "i8")), axis), x in m.exact)
    elif kind == "argmax" and x in m.exact:
        m.add(ops.arg_max(x, axis), True)
    elif kind == "sort" and x in m.exact:
        m.add(ops.sort(x, axis), True)


def index_by_data(m: Maker, x: Value) -> None:
    if not x.type.ndim or not x.type.size or x.type.size > 3000:
        return
    exact, shape = x in m.exact, x.type.shape
    kind = m.pick(["take", "points", "scatter", "add", "argsort", "running", "iota"])
    if kind == "take":
        axis = m.pick(range(x.type.ndim))
        chosen = m.draw.integers(0, shape[axis], (*shape[:axis], 2, *shape[axis + 1 :]))
        m.add(ops.take_along_axis(x, ops.constant(numpy.asarray(chosen, "i8")), axis), exact)
    elif kind in ("points", "scatter", "add"):
        points = numpy.stack([m.draw.integers(0, size, 3) for size in shape[:2]], axis=-1).astype("i8")
        rows = ops.gather_nd(x, ops.constant(points))
        if kind == "points":
            m.add(rows, exact)
        elif (kind == "add" and not exact) or x.type.dtype == BOOL:
            return
        elif kind == "add":
            m.add(ops.scatter_nd(x, ops.constant(points), ops.abs(rows), "add"), exact and not is_float(x.type.dtype))
        elif len({tuple(point) for point in points.tolist()}) == 3:
            m.add(ops.scatter_nd(x, ops.constant(points), ops.neg(rows), "set"), exact)
    elif kind == "argsort" and exact:
        m.add(ops.arg_sort(x, m.pick(range(x.type.ndim)), bool(m.draw.random() < 0.5)), True)
    elif kind == "running" and exact and x.type.dtype != BOOL:
        names = ["cum_max"] if is_float(x.type.dtype) else ["cum_max", "cum_sum", "cum_prod"]
        m.add(function(m.pick(names))(x, m.pick(range(x.type.ndim))), True)
    elif kind == "iota":
        m.add(ops.iota(shape, m.pick(range(x.type.ndim)), m.pick([INTEGERS[0], INTEGERS[1], FLOATS[0]])), True)


def rare(m: Maker, x: Value) -> None:
    """Functions with corners: powers, remainders, shifts, conversions to integers, random bits."""
    exact, dtype = x in m.exact, x.type.dtype
    kind = m.pick(["pow", "mod", "shift", "to integer", "bits", "rare"])
    if kind == "pow" and dtype.kind in "iu":
        m.add(ops.pow(x, ops.bit_and(m.fitted(x, x), ops.like(3, x))), exact)
    elif kind == "mod" and exact and dtype != BOOL:
        other = m.some(lambda v: v in m.exact and v.type.dtype != BOOL and is_float(v.type.dtype) <= is_float(dtype))
        if other is not None and dtype.itemsize > 1:
            names = ["mod", "fmod", "floor_div"] if dtype.itemsize > 2 or dtype.kind in "iu" else ["fmod"]
            m.add(function(m.pick(names))(x, m.fitted(x, other)), True)
    elif kind == "shift" and dtype.kind in "iu":
        m.add(ops.shift_left(x, ops.bit_and(x, ops.like(7, x))), exact)
    elif kind == "to integer" and exact and is_float(dtype):
        whole = ops.where(ops.isfinite(x), ops.max(ops.min(x, ops.like(100, x)), ops.like(-100, x)), ops.like(0, x))
        m.add(ops.cast(whole, m.pick([INTEGERS[0], INTEGERS[1], INTEGERS[2]])), True)
    elif kind == "bits":
        key = ops.constant(numpy.asarray([7, 9], "u8"))
        m.add(ops.bind(ops.RandomBits((m.pick([3, 33]), 5)), key)[0], True)
    elif kind == "rare" and is_float(dtype):
        name = m.pick(["gamma", "gammaln", "erfinv", "cbrt", "log1p", "arccos", "cosh", "tan"])
        m.add(function(name)(ops.mul(ops.add(ops.tanh(x), ops.like(1.25, x)), ops.like(0.4, x))), False)


def body_of(m: Maker, types: tuple[TensorType, ...], results: tuple[TensorType, ...]) -> Graph:
    """A random body of control flow; what it gives is bounded, so that loops do not blow up."""

    def run(*operands: Value) -> list[Value]:
        inner = Maker(m.draw, ops.current(), list(operands))
        for _ in range(m.pick([0, 1, 3, 5])):
            x = inner.some()
            assert x is not None
            if x.type.size < 3000 and x.type.ndim < 5:
                m.pick([unary, binary, reduce, view, view, layer, index])(inner, x)
        return [bounded(inner.fitted(ops.full(0, kind), inner.pick(inner.values))) for kind in results]

    return ops.make_graph(run, types)


def bounded(x: Value) -> Value:
    if not is_float(x.type.dtype):
        return x
    finite = ops.where(ops.isnan(x), ops.like(0.5, x), x)
    return ops.tanh(finite)


def loop(m: Maker, x: Value) -> None:
    if not is_float(x.type.dtype) or not 0 < x.type.size < 500 or x.type.ndim > 4:
        return
    count, kind = TensorType((), numpy.dtype("i8")), x.type
    zero = ops.full(0, count)
    what = m.pick(["cond", "while", "scan", "scan"])
    x = bounded(x)
    if what == "cond":
        op = ops.Cond(body_of(m, (kind, kind), (kind, kind)), body_of(m, (kind, kind), (kind, kind)))
        for value in ops.bind(op, ops.lt(zero, ops.full(m.pick([0, 1]), count)), x, ops.neg(x)):
            m.add(value, False)
    elif what == "while":
        inner = body_of(m, (kind, kind), (kind,))

        def turn(n: Value, a: Value, fixed: Value) -> list[Value]:
            return [ops.add(n, ops.like(1, n)), *apply(inner, (a, fixed)), fixed]

        cond = ops.make_graph(lambda n, a, b: [ops.lt(n, ops.like(3, n))], (count, kind, kind))
        body = ops.make_graph(turn, (count, kind, kind))
        for value in ops.bind(ops.While(cond, body), zero, x, ops.abs(x))[1:]:
            m.add(value, False)
    else:
        body = body_of(m, (kind, kind, kind), (kind, kind))
        stacked = ops.broadcast(x, (4, *kind.shape))
        for value in ops.bind(ops.Scan(body, 4, bool(m.draw.random() < 0.5), 1), x, stacked, ops.neg(x)):
            m.add(value, False)


MOVES = [unary, unary, binary, binary, binary, compare, choose, convert, reduce, reduce, view, view, view, layer, layer,
         index, index_by_data, rare, loop]  # fmt: skip


def random_graph(seed: int) -> tuple[Graph, list[Any], set[int]]:
    """A graph, inputs for it, and the numbers of its exact outputs."""
    m = Maker(numpy.random.default_rng(seed))
    with interpreting(m.recorder):
        for _ in range(m.pick([1, 2, 3])):
            m.input(m.pick(FLOATS + INTEGERS[:3] + [BOOL]), m.shape())
        for _ in range(m.pick([3, 6, 10, 16])):
            x = m.some()
            assert x is not None
            if x.type.size < 20000 and x.type.ndim < 6:
                m.pick(MOVES)(m, x)
    outputs = [m.values[-1], *(value for value in m.values[:-1] if m.draw.random() < 0.15)]
    graph = m.recorder.builder.finish(outputs)
    return graph, m.inputs, {k for k, value in enumerate(outputs) if value in m.exact}


def check(seed: int, run: Callable[[Graph, list[Any]], list[Any]]) -> None:
    graph, inputs, exact = random_graph(seed)
    expected = evaluate(graph, inputs)
    found = run(graph, inputs)
    for k, (want, got) in enumerate(zip(expected, found, strict=True)):
        assert want.shape == got.shape
        assert want.dtype == got.dtype
        if k in exact:
            equal = (want == got) | ((want != want) & (got != got))
            assert equal.all(), f"seed {seed} output {k}: {want.reshape(-1)[:8]} {got.reshape(-1)[:8]}\n{graph}"
        else:
            close(want, got, tolerance(graph), f"seed {seed} output {k}\n{graph}")


def tolerance(graph: Graph) -> float:
    """By the least precise dtype there is: what is computed in it may be cast to any other."""
    dtypes = {value.type.dtype for node in graph.nodes for value in (*node.inputs, *node.outputs)}
    return max((TOLERANCES.get(dtype.name, 0.0) for dtype in dtypes), default=0.0)


TOLERANCES = {"bfloat16": 6e-2, "float16": 8e-3, "float32": 3e-4, "float64": 1e-9}


def close(want: Any, got: Any, tolerance: float, what: str) -> None:
    a, b = want.astype("f8"), got.astype("f8")
    finite = numpy.isfinite(a)
    assert (numpy.isnan(a) == numpy.isnan(b)).all(), what
    assert (a[numpy.isinf(a)] == b[numpy.isinf(a)]).all(), what
    scale = max(1.0, float(abs(a[finite]).max(initial=0.0)))
    error = abs(a[finite] - b[finite]).max(initial=0.0)
    assert error <= tolerance * scale, f"{error} of {scale}: {what}"


def inline(graph: Graph) -> Graph:
    return Pipeline(Inline()).run(graph)


def directly(target_name: str = "") -> Callable[[Graph, list[Any]], list[Any]]:
    """Without passes, so that every form reaches the scheduler."""

    def run(graph: Graph, inputs: list[Any]) -> list[Any]:
        target = named_target(target_name) if target_name else host_target()
        built = build(inline(graph), target)
        loaded = compile_module(built.module.text(), target)
        return Executable(loaded, loaded.address("program"), built.plan, built.constants, built.sources).run(inputs)

    return run


@pytest.mark.parametrize("seed", range(30))
def test_scheduled_as_it_is(seed):
    check(seed, directly())


@pytest.mark.parametrize("seed", range(1000, 1030))
def test_compiled_with_passes(seed):
    check(seed, lambda graph, inputs: compile(graph).run(inputs))


def shared_by(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Checks that the bits of a graph's results do not depend on threads, where every step that can be is shared."""
    monkeypatch.setattr(thresholds, "WORTH_US", 0.0)
    monkeypatch.setattr(thresholds, "RANGE_US", 1e-9)
    assert have_pool()

    def run(seed: int) -> None:
        graph, inputs, _ = random_graph(seed)
        results = []
        for slots, numbers in ((1, (1,)), (3, (1, 2, 3, 8))):
            built = build(inline(graph), host_target(), slots=slots)
            loaded = compile_module(built.module.text(), host_target())
            for number in numbers:
                team = POOL.team(number)
                program = Executable(
                    loaded, loaded.address("program"), built.plan, built.constants, built.sources, team=team
                )
                results.append([result.tobytes() for result in program.run(inputs)])
        assert all(result == results[0] for result in results), f"seed {seed}\n{graph}"

    return run


@pytest.mark.skipif(not POOL.possible(), reason="no pool on this system")
@pytest.mark.parametrize("seed", range(2000, 2030))
def test_any_number_of_threads(seed, monkeypatch):
    shared_by(monkeypatch)(seed)


@pytest.mark.long
@pytest.mark.skipif(not POOL.possible(), reason="no pool on this system")
@pytest.mark.parametrize("block", range(10))
def test_thousands_with_threads(block, monkeypatch):
    run = shared_by(monkeypatch)
    for seed in range(20_000 + 100 * block, 20_100 + 100 * block):
        run(seed)


GRAPHS = int(os.environ.get("HYBRIDIZE_FUZZ_GRAPHS", "2000"))
"""How many graphs the long test draws, for each target."""


@pytest.mark.long
@pytest.mark.parametrize("target", ["avx512", "avx2", "baseline"])
@pytest.mark.parametrize("block", range(GRAPHS // 100))
def test_thousands(block, target):
    for seed in range(10_000 + 100 * block, 10_100 + 100 * block):
        check(seed, directly(target))
