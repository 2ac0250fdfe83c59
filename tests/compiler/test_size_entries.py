# SPDX-License-Identifier: Apache-2.0
"""The emitted entry over programs whose calls bring their sizes along."""

import threading
from typing import Any

import numpy
import pytest

from hybridize import ops
from hybridize.base.dims import Dim, SizeScope
from hybridize.base.dtypes import float32
from hybridize.base.errors import ShapeError
from hybridize.base.types import TensorType
from hybridize.compiler import compile, make_entry
from hybridize.graph import Graph
from hybridize.ops import composites
from hybridize.ops.tracing import make_graph
from hybridize.runtime.buffers import ALIGNMENT, LARGE
from hybridize.runtime.entry import PythonEntry
from hybridize.runtime.executable import Executable

DRAW = numpy.random.default_rng(0)


def symbols(*hints: int) -> list[Dim]:
    """Size symbols of one scope, done with capturing."""
    scope = SizeScope()
    scope.capturing = False
    return [scope.symbol(hint) for hint in hints]


def numbers(*shape: int) -> Any:
    return DRAW.standard_normal(shape).astype(float32)


def types(*shapes: Any) -> list[TensorType]:
    return [TensorType(shape, float32) for shape in shapes]


def entry_of(program: Executable, **options: Any) -> Any:
    """An entry that says `slow` where it does not serve."""
    parameters = options.pop("arguments", program.parameters)
    made = make_entry(program, array_type=None, arguments=parameters, fallback=lambda *_: "slow", **options)
    assert not isinstance(made, PythonEntry)
    return made


def pair() -> Graph:
    n, m = symbols(7, 5)
    return make_graph(lambda x, y: (ops.add(x, ops.broadcast(y, (n, m))), ops.sum(x, (1,))), types((n, m), (m,)))


def test_serves_all_sizes():
    entry = entry_of(compile(pair()))
    for n in (2, 3, 17, 1000):
        for m in (2, 33):
            x, y = numbers(n, m), numbers(m)
            total, sums = entry(x, y)
            numpy.testing.assert_allclose(total, x + y, rtol=1e-6)
            numpy.testing.assert_allclose(sums, x.sum(1), rtol=1e-4, atol=1e-5)


def test_leaves_all_else_to_python():
    entry = entry_of(compile(pair()))
    assert entry(numbers(6, 4), numbers(5)) == "slow"  # one symbol, two sizes
    assert entry(numbers(1, 4), numbers(4)) == "slow"  # below the range
    assert entry(numbers(6, 4, 1), numbers(4)) == "slow"
    assert entry(numbers(6, 4).T, numbers(6)) == "slow"
    assert entry(numbers(6, 4), numbers(4).astype("f8")) == "slow"
    assert entry(numbers(6, 4)) == "slow"
    assert entry(numbers(0, 4), numbers(4)) == "slow"
    assert len(entry(numbers(6, 4), numbers(4))) == 2


def test_conditions():
    n, m = symbols(7, 5)
    graph = make_graph(lambda x, y: (ops.concat(x, y, axis=0),), types((n,), (m,)))
    assert n > m
    entry = entry_of(compile(graph), structure="leaf")
    x, y = numbers(4), numbers(3)
    numpy.testing.assert_array_equal(entry(x, y), numpy.concatenate([x, y]))
    assert entry(x, x) == "slow"


def test_ranges():
    (n,) = symbols(7)
    assert n < 50
    entry = entry_of(compile(make_graph(lambda x: (ops.exp(x),), types((n,)))), structure="leaf")
    numpy.testing.assert_allclose(entry(numpy.zeros(49, float32)), numpy.ones(49))
    assert entry(numpy.zeros(50, float32)) == "slow"


def test_sizes_by_which_nothing_can_be_divided():
    """They are refused before the program divides by them."""
    (n,) = symbols(7)
    graph = make_graph(lambda x: (ops.broadcast(ops.sum(x, (0,)), (100 // (n - 2), n)),), types((n,)))
    program = compile(graph)
    entry = entry_of(program, structure="leaf")
    assert entry(numbers(7)).shape == (20, 7)
    assert entry(numbers(2)) == "slow"
    assert not program.accepts([(2,)])


def test_conditions_beyond_words():
    """n m < 50, of sizes whose product does not fit a word."""
    n, m = symbols(7, 5)
    graph = make_graph(lambda x, y: (ops.sum(x, (0, 1)), ops.sum(y, (0, 1))), types((n, 0), (m, 0)))
    assert n * m < 50
    program = compile(graph)
    entry = entry_of(program)
    assert len(entry(numpy.zeros((8, 0), float32), numpy.zeros((6, 0), float32))) == 2
    large = numpy.zeros((1 << 32, 0), float32)
    assert entry(large, large) == "slow"
    with pytest.raises(ShapeError, match="holds where"):
        program.run([large, large])


def test_bound_buffers_and_writes():
    (n,) = symbols(7)
    graph = make_graph(lambda x, w: (ops.mul(x, ops.broadcast(w, (n, 5))), ops.sum(x, (0,))), types((n, 5), (5,)))
    program = compile(graph)
    w, target, told = numbers(5), numpy.zeros(5, float32), []
    entry = entry_of(
        program,
        arguments=program.parameters[:1],
        bound=[w],
        writes=[target],
        structure="leaf",
        committed=lambda: told.append(1),
    )
    for n in (2, 9, 3000):
        x = numbers(n, 5)
        numpy.testing.assert_allclose(entry(x), x * w, rtol=1e-6)
        numpy.testing.assert_allclose(target, x.sum(0), rtol=1e-3, atol=1e-4)
    assert len(told) == 3


def test_what_is_written_has_one_size():
    (n,) = symbols(7)
    program = compile(make_graph(lambda x: (ops.exp(x),), types((n,))))
    target = numpy.zeros(7, float32)
    made = make_entry(
        program, array_type=None, arguments=program.parameters, writes=[target], fallback=lambda *_: "slow"
    )
    assert isinstance(made, PythonEntry)


def test_packed_copies_of_matrices_that_seldom_change():
    (n,) = symbols(64)
    graph = make_graph(lambda x, w: (ops.matmul(x, w, False, True),), types((n, 96), (80, 96)))
    program = compile(graph, stable=[1])
    w = numbers(80, 96)
    assert program.derivers
    derived = [deriver.made({1: w}) for deriver in program.derivers]
    entry = entry_of(program, arguments=program.parameters[:1], bound=[w], derived=derived, structure="leaf")
    for n in (2, 5, 33, 64, 200):
        x = numbers(n, 96)
        numpy.testing.assert_allclose(entry(x), x @ w.T, rtol=1e-3, atol=1e-4)
        numpy.testing.assert_allclose(program.run([x, w])[0], x @ w.T, rtol=1e-3, atol=1e-4)


def test_scratch_of_any_size():
    """On the stack, in the cached block, in a larger one."""
    (n,) = symbols(7)
    graph = make_graph(lambda x: (composites.softmax(ops.sort(ops.matmul(x, x, False, True), 1), 1),), types((n, 4)))
    entry = entry_of(compile(graph), structure="leaf")
    for n in (3, 400, 30, 401, 2, 700, 500):
        x = numbers(n, 4)
        y = numpy.sort(x @ x.T, 1).astype("f8")
        y = numpy.exp(y - y.max(1, keepdims=True))
        numpy.testing.assert_allclose(entry(x), y / y.sum(1, keepdims=True), rtol=1e-3, atol=1e-5)


def test_large_results_begin_on_a_cache_line():
    (n,) = symbols(7)
    entry = entry_of(compile(make_graph(lambda x: (ops.exp(x),), types((n,)))), structure="leaf")
    for _ in range(5):
        assert entry(numbers(LARGE // 4)).ctypes.data % ALIGNMENT == 0


def test_results_beyond_all_memory():
    (n,) = symbols(7)
    graph = make_graph(lambda x: (ops.broadcast(ops.sum(x, (1,)), (9, n)),), types((n, 0)))
    entry = entry_of(compile(graph), structure="leaf")
    assert entry(numpy.zeros((1 << 58, 0), float32)) == "slow"
    with pytest.raises(MemoryError):
        entry(numpy.zeros((1 << 50, 0), float32))
    assert entry(numpy.zeros((4, 0), float32)).shape == (9, 4)


def test_calls_of_several_sizes_at_once():
    """Each call has its own sizes and scratch, also while another one runs without the lock."""
    n, m = symbols(7, 5)
    entry = entry_of(compile(make_graph(lambda x: (composites.softmax(x, 0),), types((n, m)))), structure="leaf")
    wrong: list[Any] = []

    def work(seed: int) -> None:
        draw = numpy.random.default_rng(seed)
        for _ in range(30):
            x = draw.standard_normal((int(draw.integers(2, 600)), int(draw.integers(2, 600)))).astype(float32)
            y = numpy.exp(x - x.max(0))
            if not numpy.allclose(entry(x), y / y.sum(0), rtol=1e-4, atol=1e-6):
                wrong.append(x.shape)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
