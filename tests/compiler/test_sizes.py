# SPDX-License-Identifier: Apache-2.0
"""One program for all sizes: what it computes, what it accepts, what it says of others."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from hybridize import ops
from hybridize.base.dims import FAR, SizeScope
from hybridize.base.dtypes import float16, float32, float64, int32, int64
from hybridize.base.errors import ShapeError
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import named_target
from hybridize.compiler import compile
from hybridize.graph import Graph
from hybridize.graph.sizes import sizes_of, with_sizes
from hybridize.ops import composites
from hybridize.ops.evaluate import evaluate
from hybridize.ops.tracing import make_graph

Shape = tuple[int | str, ...]
ONE = [*range(1, 36), 48, 63, 64, 65, 70, 128, 1000, 4100]
TWO = [(n, m) for n in (1, 2, 3, 8, 16, 17, 33, 70) for m in (1, 2, 5, 7, 16, 31, 33, 100)]
LENGTHS = [(3, m) for m in (*range(1, 20), 31, 32, 33, 47, 48, 49, 63, 64, 65, 80, 95, 96, 97, 127, 128, 129, 2049)]
"""Rows of one masked turn, and of whole vectors before it."""
HINTS = {"n": 7, "m": 5, "k": 6}


def graph_of(function: Callable[..., Any], shapes: Sequence[Shape], dtypes: Sequence[Any] = ()) -> Graph:
    """A graph over inputs of these shapes, in which words are size symbols."""
    scope = SizeScope()
    scope.capturing = False
    symbols: dict[str, Any] = {}
    for word in (word for shape in shapes for word in shape if isinstance(word, str)):
        if word not in symbols:
            symbols[word] = scope.symbol(HINTS[word], low=1)
    types = [
        TensorType(tuple(symbols.get(size, size) for size in shape), dtypes[k] if dtypes else float32)
        for k, shape in enumerate(shapes)
    ]

    def outputs(*inputs: Any) -> Sequence[Any]:
        found = function(*inputs)
        return found if isinstance(found, tuple) else (found,)

    return make_graph(outputs, types)


def arrays_for(graph: Graph, shapes: Sequence[Shape], sizes: dict[str, int], seed: int = 0) -> list[Any]:
    """Inputs of these sizes."""
    draw = numpy.random.default_rng(seed)
    found = []
    for shape, value in zip(shapes, graph.inputs, strict=True):
        numbers = draw.standard_normal(tuple(sizes.get(size, size) for size in shape)) * 3
        found.append(numpy.asarray(numbers).astype(value.type.dtype))
    return found


def expected(graph: Graph, arrays: Sequence[Any]) -> list[Any]:
    """What the exact graph of these sizes gives."""
    sizes = sizes_of(graph, [array.shape for array in arrays])
    assert sizes is not None
    return evaluate(with_sizes(graph, sizes), arrays)


def close(want: Sequence[Any], got: Sequence[Any]) -> None:
    for x, y in zip(want, got, strict=True):
        assert x.shape == y.shape
        assert x.dtype == y.dtype
        scale = max(1.0, float(abs(x).max(initial=0)))
        numpy.testing.assert_allclose(y, x, rtol=3e-5, atol=3e-5 * scale)


def named(sizes: int | tuple[int, ...]) -> dict[str, int]:
    return dict(zip("nmk", sizes if isinstance(sizes, tuple) else (sizes,), strict=False))


def rows(x: Any) -> int:
    """The first size of a value."""
    size: int = x.type.shape[0]
    return size


def spread(x: Any, like: Any) -> Any:
    """`x` broadcast to the shape of another value."""
    return ops.broadcast(x, like.type.shape)


def perceptron(x: Any, w: Any, b: Any, v: Any) -> Any:
    hidden = ops.matmul(x, w, False, False)
    hidden = ops.add(hidden, spread(b, hidden))
    return ops.matmul(ops.max(hidden, ops.like(0, hidden)), v, False, False)


def attention(q: Any, k: Any, v: Any) -> Any:
    return ops.matmul(composites.softmax(ops.matmul(q, k, False, True), 2), v, False, False)


def in_turn(x: Any) -> Any:
    """Running sums by a scan."""
    kind = TensorType((5,), float32)
    body = make_graph(lambda total, row: (ops.add(total, row), ops.mul(total, row)), [kind, kind])
    return ops.bind(ops.Scan(body, rows(x), 1, False), ops.full(1, kind), x)


def chosen(x: Any) -> Any:
    """One of two sub-graphs, whose values have the call's sizes."""
    then, orelse = (make_graph(lambda y, f=f: (f(y),), [x.type]) for f in (ops.exp, ops.tanh))
    return ops.bind(ops.Cond(then, orelse), ops.gt(ops.sum(x, (0, 1)), ops.full(0, TensorType((), float32))), x)


GENERAL: dict[str, tuple[Callable[..., Any], list[Shape], Any]] = {
    "elementwise": (lambda x: ops.tanh(ops.add(ops.exp(x), x)), [("n", 5)], ONE),
    "two inputs": (lambda x, y: ops.mul(ops.add(x, y), y), [("n", "m"), ("n", "m")], TWO),
    "broadcast": (lambda x, y: ops.add(x, spread(y, x)), [("n", "m"), ("m",)], TWO),
    "transpose": (lambda x: ops.exp(ops.transpose(x, (1, 0))), [("n", "m")], TWO),
    "sum of columns": (lambda x: ops.sum(x, (0,)), [("n", 5)], ONE),
    "sum of rows": (lambda x: ops.sum(x, (1,)), [("n", "m")], TWO),
    "sum of wide columns": (lambda x: ops.sum(x, (0,)), [("n", 700)], ONE),
    "greatest of rows of known length": (lambda x: ops.reduce_max(x, (1,)), [("n", 37)], ONE),
    "sum of all": (lambda x: ops.sum(x, (0, 1)), [("n", "m")], TWO),
    "greatest": (lambda x: ops.reduce_max(x, (1,)), [("n", "m")], TWO),
    "softmax": (lambda x: composites.softmax(x, 1), [("n", "m")], TWO),
    "softmax of columns": (lambda x: composites.softmax(x, 0), [("n", 5)], ONE),
    "layer norm": (lambda x, w, b: composites.layer_norm(x, w, b, 1, 1e-5), [("n", "m"), ("m",), ("m",)], TWO),
    "mean": (lambda x: composites.mean(x, (0,)), [("n", "m")], TWO),
    "axes merged": (lambda x: ops.exp(ops.reshape(x, (rows(x) * x.type.shape[1],))), [("n", "m")], TWO),
    "axes turned and merged": (
        lambda x: ops.exp(ops.reshape(ops.transpose(x, (1, 0)), (rows(x) * x.type.shape[1],))), [("n", "m")], TWO,
    ),
    "axes folded": (lambda x: ops.sum(ops.reshape(x, (rows(x), 6)), (1,)), [("n", 2, 3)], ONE),
    "concatenation": (lambda x, y: ops.exp(ops.concat(x, y, axis=0)), [("n", 5), ("m", 5)], TWO),
    "slice": (lambda x: ops.exp(ops.slice(x, (1, 0), (rows(x), 5), (1, 2))), [("n", 5)], ONE),
    "copy": (lambda x: ops.slice(x, (1, 0), (rows(x), 5), (1, 1)), [("n", 5)], ONE),
    "padding": (lambda x: ops.pad(x, ops.full(1, TensorType((), float32)), (1, 0), (2, 1)), [("n", 5)], ONE),
    "reversal": (lambda x: ops.exp(ops.flip(x, 0)), [("n", 5)], ONE),
    "greatest where": (lambda x: ops.arg_max(x, 1), [("n", "m")], TWO),
    "running sum": (lambda x: ops.cum_sum(x, 0), [("n", 5)], ONE),
    "sorted": (lambda x: ops.sort(x, 0), [("n", 5)], ONE),
    "sorted where": (lambda x: ops.arg_sort(x, 1), [("n", "m")], TWO),
    "product": (lambda x, w: ops.matmul(x, w, False, False), [("n", 5), (5, 7)], ONE),
    "product of all sizes": (lambda x, w: ops.matmul(x, w, False, True), [("n", "m"), ("k", "m")],
                             [(n, m, k) for n, m in TWO[::3] for k in (1, 2, 9, 40)]),
    "perceptron": (perceptron, [("n", 32), (32, 64), (64,), (64, 10)], ONE),
    "attention": (attention, [("n", "m", 16)] * 3, TWO),
    "scan": (in_turn, [("n", 5)], ONE),
    "branch": (chosen, [("n", "m")], TWO),
    "the input": (lambda x: (x, ops.exp(x)), [("n", 5)], ONE),
}  # fmt: skip
"""Functions that one program computes for every size from 1 on, but for those that leave out one of the rows."""
LEAST = {"slice": 2, "copy": 2}
"""Nothing left is another program."""


@pytest.mark.parametrize("name", GENERAL)
def test_one_program_for_all_sizes(name):
    function, shapes, sizes = GENERAL[name]
    graph = graph_of(function, shapes)
    program = compile(graph)
    least = LEAST.get(name, 1)
    assert all(symbol.bounds == (least, FAR) for symbol in graph.scope.symbols)
    assert not graph.scope.conditions
    for one in sizes:
        if one == 1 < least:
            continue
        arrays = arrays_for(graph, shapes, named(one))
        assert program.accepts([array.shape for array in arrays])
        close(expected(graph, arrays), program.run(arrays))


@pytest.mark.parametrize("level", ["avx2", "baseline"])
@pytest.mark.parametrize("name", ["elementwise", "broadcast", "softmax", "axes turned and merged", "perceptron"])
def test_on_narrower_machines(name, level):
    function, shapes, sizes = GENERAL[name]
    graph = graph_of(function, shapes)
    program = compile(graph, named_target(level))
    for one in sizes[::3]:
        arrays = arrays_for(graph, shapes, named(one))
        close(expected(graph, arrays), program.run(arrays))


def scaled(x: Any) -> Any:
    """Several statements along each row: folds of what the ones before have stored."""
    return composites.softmax(ops.mul(composites.softmax(x, 1), x), 1), ops.sum(x, (1,))


@pytest.mark.parametrize("level", ["avx512", "avx2", "baseline"])
@pytest.mark.parametrize("dtype", [float32, float64, float16])
def test_rows_of_every_length(level, dtype):
    graph = graph_of(scaled, [("n", "m")], [dtype])
    program = compile(graph, named_target(level))
    for one in LENGTHS:
        arrays = arrays_for(graph, [("n", "m")], named(one))
        for x, y in zip(expected(graph, arrays), program.run(arrays), strict=True):
            numpy.testing.assert_allclose(y, x, rtol=4e-3 if dtype == float16 else 3e-5, atol=4e-3)


@pytest.mark.parametrize("dtype", [float64, int32, int64])
def test_other_dtypes(dtype):
    graph = graph_of(lambda x: (ops.sum(ops.mul(x, x), (1,)), ops.add(x, x)), [("n", "m")], [dtype])
    program = compile(graph)
    for one in TWO:
        arrays = arrays_for(graph, [("n", "m")], named(one))
        close(expected(graph, arrays), program.run(arrays))


def test_a_loop_may_turn_no_time():
    """Two rows fewer: none of two."""
    graph = graph_of(lambda x: ops.exp(ops.slice(x, (0, 0), (rows(x) - 2, 5), (1, 1))), [("n", 5)])
    program = compile(graph)
    taken = [n for n in ONE if program.accepts([(n, 5)])]
    assert taken[-1] == ONE[-1]
    for n in taken:
        arrays = arrays_for(graph, [("n", 5)], {"n": n})
        close(expected(graph, arrays), program.run(arrays))


def test_memory_of_a_call_is_known_exactly():
    program = compile(graph_of(lambda x: composites.softmax(x, 1), [("n", "m")]))
    for n, m in TWO:
        row = -(-4 * m // 64) * 64
        assert program.peak_bytes_of([(n, m)]) == 4 * n * m + row


def test_wrong_sizes_are_told_apart():
    program = compile(graph_of(lambda x, y: ops.add(x, y), [("n", 5), ("n", 5)]), name="pair")
    x = numpy.zeros((6, 5), dtype=float32)
    with pytest.raises(ShapeError, match=r"input 0 of pair must be f32\[n0,5\], got f32\[6,4\]"):
        program.run([x[:, :4], x])
    with pytest.raises(ShapeError, match=r"got f32\[4,5\]: axis 0 should be 6, as n0 is 6 by axis 0 of input 0"):
        program.run([x, x[:4]])
    with pytest.raises(ShapeError, match=r"axis 0: n0 from 1\n"):
        program.run([x[:0], x[:0]])
    with pytest.raises(ShapeError, match=r"input 1 of pair must be f32\[n0,5\], got f32\[30\]"):
        program.run([x, x.reshape(30)])
    assert program.accepts([(1, 5), (1, 5)])
    assert not program.accepts([(0, 5), (0, 5)])
    assert not program.accepts([(1, 5), (6, 5)]), "what broadcasts is another program"
    assert not program.accepts([(6, 5), (5, 5)])
    assert not program.accepts([(6, 5)])
    assert program.accepts([(6, 5), (6, 5)])


def test_conditions_are_checked():
    graph = graph_of(lambda x, y: ops.concat(x, y, axis=0), [("n", 5), ("m", 5)])
    n, m = (value.type.shape[0] for value in graph.inputs)
    assert n > m  # 7 and 5
    program = compile(graph)
    assert program.accepts([(9, 5), (8, 5)])
    assert not program.accepts([(8, 5), (8, 5)])
    arrays = arrays_for(graph, [("n", 5), ("m", 5)], {"n": 9, "m": 8})
    close(expected(graph, arrays), program.run(arrays))
    with pytest.raises(ShapeError, match="holds where n0-n1 > 0, got n0 = 8, n1 = 8"):
        program.run(arrays_for(graph, [("n", 5), ("m", 5)], {"n": 8, "m": 8}))


def test_sizes_beyond_all_memory():
    """Without elements an array may have any sizes: what is made of it may not."""
    graph = graph_of(lambda x: ops.broadcast(ops.sum(x, (1,)), (9, rows(x))), [("n", 0)])
    program = compile(graph)
    x = numpy.zeros((1 << 58, 0), dtype=float32)
    with pytest.raises(ShapeError, match="E125"):
        program.run([x])


def test_what_is_not_contiguous_is_copied():
    graph = graph_of(lambda x: ops.exp(x), [("n", "m")])
    program = compile(graph)
    x = numpy.random.default_rng(0).standard_normal((12, 9)).astype(float32)
    close(expected(graph, [numpy.ascontiguousarray(x.T)]), program.run([x.T]))


def test_a_size_that_happens_to_be_one():
    """Of two rows, one is left: the program is for such calls alone, and right."""
    graph = graph_of(lambda x: ops.reshape(ops.slice(x, (1, 0), (rows(x), 5), (1, 1)), (rows(x) - 1, 5, 1)), [("n", 5)])
    compile(graph)
    scope = SizeScope()
    scope.capturing = False
    n = scope.symbol(2)
    made = make_graph(
        lambda x: (ops.reshape(ops.slice(x, (1, 0), (n, 5), (1, 1)), ((n - 1) * 5,)),), [TensorType((n, 5), float32)]
    )
    program = compile(made)
    arrays = arrays_for(made, [("n", 5)], {"n": 2})
    close(expected(made, arrays), program.run(arrays))
