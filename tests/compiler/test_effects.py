# SPDX-License-Identifier: Apache-2.0
"""Printing and asserting in compiled programs: in order, kept by the passes, errors before any result."""

import ctypes
import os
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from hybridize import compiler
from hybridize.base.errors import StateError
from hybridize.base.types import TensorType
from hybridize.graph import Builder
from hybridize.ops import Add, Assert, Gt, Print
from hybridize.runtime import effects
from hybridize.runtime.entry import PythonEntry
from hybridize.runtime.executable import Executable
from tests.platforms.marks import forks

F2 = TensorType((2,), np.dtype(np.float32))


def program():
    builder = Builder()
    x = builder.input(F2)
    zero = builder.constant(np.zeros(2, np.float32))
    builder.add(Print("first {}"), [x])
    (twice,) = builder.add(Add(), [x, x])
    builder.add(Print("then {} of {}"), [twice, x])
    (positive,) = builder.add(Gt(), [twice, zero])
    builder.add(Assert("not positive: {}"), [positive, twice])
    return compiler.compile(builder.finish([twice]))


def test_prints_in_order(capfd):
    compiled = program()
    (y,) = compiled.run([np.array([1, 2], np.float32)])
    np.testing.assert_array_equal(y, [2, 4])
    assert capfd.readouterr().out == "first [1. 2.]\nthen [2. 4.] of [1. 2.]\n"


def test_a_failed_assertion_is_an_error_of_that_call_only():
    compiled = program()
    with pytest.raises(StateError, match=r"E520: not positive: \[ 2. -2.\]"):
        compiled.run([np.array([1, -1], np.float32)])
    compiled.run([np.array([1, 1], np.float32)])


def test_what_printing_raises_comes_out(monkeypatch):
    def broken(*_):
        raise KeyboardInterrupt

    compiled = program()
    monkeypatch.setattr("builtins.print", broken)
    with pytest.raises(KeyboardInterrupt):
        compiled.run([np.array([1, 2], np.float32)])


def fallback(*_):
    raise AssertionError("the emitted entry took the call")


def entry_of(compiled, **options):
    assert compiled.effects
    made = compiler.make_entry(
        compiled, array_type=None, arguments=[F2], fallback=fallback, structure="leaf", **options
    )
    assert not isinstance(made, PythonEntry)
    return made


def test_the_emitted_entry_prints_in_order(capfd):
    entry = entry_of(program())
    for _ in range(2):
        np.testing.assert_array_equal(entry(np.array([1, 2], np.float32)), [2, 4])
        assert capfd.readouterr().out == "first [1. 2.]\nthen [2. 4.] of [1. 2.]\n"


@pytest.mark.parametrize("release", [False, True])
def test_the_emitted_entry_raises_what_failed_of_that_call_only(release, monkeypatch):
    monkeypatch.setattr(Executable, "long", release)
    entry = entry_of(program())
    right, wrong = np.array([1, 1], np.float32), np.array([1, -1], np.float32)
    held = sys.getrefcount(wrong)
    for _ in range(3):
        with pytest.raises(StateError, match=r"E520: not positive: \[ 2. -2.\]"):
            entry(wrong)
        np.testing.assert_array_equal(entry(right), [2, 2])
    assert sys.getrefcount(wrong) == held
    assert effects.PENDING[0] == 0


def test_the_emitted_entry_raises_what_printing_raises(monkeypatch):
    def broken(*_):
        raise KeyboardInterrupt

    entry = entry_of(program())
    monkeypatch.setattr("builtins.print", broken)
    with pytest.raises(KeyboardInterrupt):
        entry(np.array([1, 2], np.float32))


def test_tracebacks_end_at_the_call():
    entry = entry_of(program())
    for call in (entry, lambda x: entry(x)):
        with pytest.raises(StateError) as caught:
            call(np.array([1, -1], np.float32))
        assert {frame.path for frame in caught.traceback} == {Path(__file__)}


def counting(most):
    """A program of x and a count, held outside: gives x + count and counts on, unless x goes beyond `most`."""
    builder = Builder()
    x, count = builder.input(F2), builder.input(F2)
    (total,) = builder.add(Add(), [x, count])
    (following,) = builder.add(Add(), [count, builder.constant(np.ones(2, np.float32))])
    (within,) = builder.add(Gt(), [builder.constant(np.full(2, most, np.float32)), x])
    builder.add(Assert("too large"), [within])
    return builder.finish([total, following])


def test_a_failed_assertion_commits_nothing():
    count, told = np.zeros(2, np.float32), []
    entry = entry_of(
        compiler.compile(counting(5)), bound=[count], writes=[count], committed=lambda: told.append(count.copy())
    )
    small, large = np.array([1, 2], np.float32), np.array([1, 7], np.float32)
    for turn in range(3):
        np.testing.assert_array_equal(entry(small), small + turn)
        before = count.copy()
        with pytest.raises(StateError, match="E520: too large"):
            entry(large)
        np.testing.assert_array_equal(count, before)
    np.testing.assert_array_equal(told, [[1, 1], [2, 2], [3, 3]])


@pytest.fixture
def other_failed():
    """Another thread, whose program has failed and has not come to its end yet."""
    failed, end = threading.Event(), threading.Event()

    def run():
        text = ctypes.create_string_buffer(
            effects.note("assert", "of the other", "", (TensorType((), np.dtype(bool)),)).encode()
        )
        condition = np.zeros((), bool)
        operands = np.array([condition.ctypes.data])
        ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(effects.address())(
            ctypes.addressof(text), operands.ctypes.data
        )
        failed.set()
        end.wait()
        try:
            effects.raise_pending()
        except StateError as error:
            raised.append(str(error))

    raised = []
    thread = threading.Thread(target=run)
    thread.start()
    failed.wait()
    yield
    end.set()
    thread.join()
    assert "of the other" in raised[0] and effects.PENDING[0] == 0


def test_what_failed_in_one_thread_is_no_error_of_another(other_failed):
    assert effects.PENDING[0] == 1
    entry = entry_of(program())
    np.testing.assert_array_equal(entry(np.array([1, 1], np.float32)), [2, 2])
    with pytest.raises(StateError, match="E520: not positive"):
        entry(np.array([1, -1], np.float32))


@forks
def test_a_forked_child_has_its_own_thread_only(other_failed):
    entry = entry_of(program())
    child = os.fork()
    if not child:
        wrong = 1
        try:
            entry(np.array([1, -1], np.float32))
        except StateError:
            wrong = int(effects.PENDING[0])
        finally:
            os._exit(wrong)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_threads_get_their_own_errors(monkeypatch):
    monkeypatch.setattr(Executable, "long", True)
    entry = entry_of(program())
    wrong = []

    def call(sign):
        for turn in range(200):
            x = np.array([1, sign if turn % 3 else 1], np.float32)
            try:
                held = bool((entry(x) == x + x).all()) and x[1] > 0
            except StateError:
                held = x[1] < 0
            if not held:
                wrong.append((sign, turn))

    threads = [threading.Thread(target=call, args=(sign,)) for sign in (1, -1, 2, -2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and effects.PENDING[0] == 0
