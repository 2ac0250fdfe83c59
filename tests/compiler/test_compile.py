# SPDX-License-Identifier: Apache-2.0
"""From graph to call: stages, cache, threads, entries over compiled programs."""

import gc
import threading
import weakref

import numpy as np
import pytest

from hybridize import compiler
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import named_target
from hybridize.compiler.entry import make_entry
from hybridize.graph import Builder
from hybridize.ops.analysis import Exp
from hybridize.ops.arithmetic import Add, Mul
from hybridize.ops.matmul import Matmul
from hybridize.runtime.entry import PythonEntry

F = np.dtype(np.float32)


def graph(scale=2.0, rows=3):
    """y, z = exp(x) * scale + b, x @ x^T"""
    builder = Builder()
    x = builder.input(TensorType((rows, 5), F), "x")
    b = builder.input(TensorType((rows, 5), F), "b")
    factor = builder.constant(np.full((rows, 5), scale, np.float32))
    (e,) = builder.add(Exp(), [x])
    (m,) = builder.add(Mul(), [e, factor])
    (y,) = builder.add(Add(), [m, b])
    (z,) = builder.add(Matmul(False, True), [x, x])
    return builder.finish([y, z])


class Weight:
    """What a dict of stable inputs may hold."""


def test_the_cache_keeps_nothing_of_what_was_said_to_be_stable():
    weight = Weight()
    kept = compiler.compile(graph(7.25), stable={1: weight})
    gone = weakref.ref(weight)
    del weight
    gc.collect()
    assert gone() is None
    assert kept.plan is not None


def data(rows=3):
    rng = np.random.default_rng(0)
    return [rng.uniform(-1, 1, (rows, 5)).astype(np.float32) for _ in range(2)]


def check(outputs, x, b, scale=2.0):
    np.testing.assert_allclose(outputs[0], np.exp(x) * scale + b, rtol=1e-5)
    np.testing.assert_allclose(outputs[1], x @ x.T, rtol=1e-5)


@pytest.fixture(autouse=True)
def fresh():
    compiler.cache_clear()


def test_compiles_runs_and_tells():
    program = compiler.compile(graph(), name="net")
    x, b = data()
    check(program.run([x, b]), x, b)
    assert set(program.timings) == {"passes", "codegen", "llvm"}
    assert program.peak_bytes == program.scratch_bytes + 4 * (15 + 9)
    assert "define" in program.llvm_text
    assert program.llvm_text == program.llvm_text
    assert program.code_bytes >= 4096
    assert program.kernels
    assert "exp" in [op for step in program.kernels for op in step.ops]


def test_equal_graphs_share_one_program():
    first = compiler.compile(graph())
    assert compiler.compile(graph()) is first
    assert compiler.compile(graph(scale=3.0)) is not first
    assert compiler.compile(graph(), named_target("baseline")) is not first
    info = compiler.cache_info()
    assert (info.hits, info.misses, info.entries) == (1, 3, 3)
    assert info.bytes > 0


@pytest.mark.parametrize("level", ["baseline", "avx2"])
def test_other_targets(level):
    x, b = data()
    check(compiler.compile(graph(), named_target(level)).run([x, b]), x, b)


def test_threads_compile_and_run_together():
    programs, errors = [], []

    def work(scale):
        x, b = data()
        try:
            for k in range(5):
                program = compiler.compile(graph(scale=1.0 + (scale + k) % 3))
                check(program.run([x, b]), x, b, 1.0 + (scale + k) % 3)
                programs.append(program)
        except Exception as problem:
            errors.append(problem)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len({id(program) for program in programs}) == 3


def test_a_forgotten_program_is_freed():
    program = compiler.compile(graph())
    gone = weakref.ref(program)
    entry = make_entry(program, array_type=None, arguments=program.parameters, fallback=lambda *a: None)
    del program
    compiler.cache_clear()
    gc.collect()
    assert gone() is not None
    x, b = data()
    check(entry(x, b), x, b)
    del entry
    gc.collect()
    assert gone() is None


def test_entries_over_bound_buffers_and_writes():
    program = compiler.compile(graph())
    x, b = data()
    total, told = np.zeros((3, 3), np.float32), []
    entry = make_entry(
        program,
        array_type=None,
        arguments=[program.parameters[0]],
        bound=[b],
        fallback=lambda *a: "slow",
        structure="leaf",
        writes=[total],
        committed=lambda: told.append(1),
    )
    y = entry(x)
    check([y, total], x, b)
    assert told == [1]
    assert entry(x[:2]) == "slow"
    entry.__self__.dirty[0] = 1
    assert entry(x) == "slow"


def test_bound_buffers_that_cannot_be_read_in_place_go_to_python():
    program = compiler.compile(graph())
    wide = np.zeros((3, 10), np.float32)[:, ::2]
    entry = make_entry(program, array_type=None, arguments=[program.parameters[0]], bound=[wide], fallback=lambda *a: 7)
    assert isinstance(entry, PythonEntry)
    assert entry(data()[0]) == 7
    assert entry.__self__.dirty[0] == 0
