"""Modules compiled at once: the results of one after the other, errors of the first, no thread left."""

import os
import threading

import numpy as np
import pytest

from hybridize import compiler, ops
from hybridize.base.config import CONFIG
from hybridize.base.errors import CodegenError
from hybridize.base.types import TensorType
from hybridize.codegen.llvm import objects
from hybridize.codegen.llvm.engine import compile_program, host_target
from hybridize.codegen.llvm.objects import ModuleText, emit_object, emit_objects
from hybridize.codegen.llvm.program import build
from hybridize.ops.evaluate import evaluate
from tests.platforms.marks import forks
from tests.refusals import refusal


def source(number, level=2):
    return ModuleText(f"define i64 @f{number}(i64 %x) {{\n  %y = add i64 %x, {number}\n  ret i64 %y\n}}\n", level)


def bad(number):
    return ModuleText(f"define i64 @f{number}() {{\n  %y = add i64 %nothing{number}, 1\n  ret i64 %y\n}}\n")


@pytest.mark.parametrize("threads", [1, 2, 3, 16])
def test_modules_compiled_at_once_are_those_compiled_one_by_one(threads):
    sources = [source(number, number % 3) for number in range(11)]
    expected = [emit_object(one.text, host_target(), one.level) for one in sources]
    for _ in range(5):
        assert emit_objects(sources, host_target(), threads) == expected


def test_no_module_gives_no_object():
    assert emit_objects([], host_target(), 4) == []


@pytest.mark.parametrize("threads", [1, 4])
def test_the_error_is_that_of_the_first_module_which_is_rejected(threads):
    sources = [source(0), bad(1), source(2), bad(3), source(4)]
    for _ in range(5):
        with pytest.raises(CodegenError, match=r"(?s)E962.*nothing1.*2   %y = add i64 %nothing1"):
            emit_objects(sources, host_target(), threads)
    assert emit_objects([source(7)], host_target(), threads) == [emit_object(source(7).text, host_target())]


def test_where_no_thread_is_to_be_had_the_caller_compiles_all(monkeypatch):
    class Refused(threading.Thread):
        def start(self):
            raise RuntimeError("can't start new thread")

    sources = [source(number) for number in range(4)]
    expected = emit_objects(sources, host_target())
    monkeypatch.setattr(objects.threading, "Thread", Refused)
    assert emit_objects(sources, host_target(), 4) == expected


def test_an_interrupt_leaves_no_thread_behind(monkeypatch):
    output = objects._Library.output

    def interrupted(self, *rest):
        if threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt
        return output(self, *rest)

    monkeypatch.setattr(objects._Library, "output", interrupted)
    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        emit_objects([source(number) for number in range(20)], host_target(), 3)
    assert threading.active_count() == before
    monkeypatch.undo()
    assert emit_objects([source(1)], host_target(), 3) == [emit_object(source(1).text, host_target())]


def graph():
    """Several functions that work, and several that only call."""

    def run(x, w):
        for _ in range(3):
            x = ops.sort(ops.tanh(ops.matmul(x, w)), 1)
            x = ops.transpose(ops.exp(ops.transpose(ops.matmul(x, w), (1, 0))), (1, 0))
            x = ops.sort(ops.sub(x, ops.transpose(x, (1, 0))), 0)
        return [x]

    return ops.make_graph(run, [TensorType((33, 33), np.dtype("f4"))] * 2)


def test_the_modules_of_several_threads_hold_each_function_once(monkeypatch):
    module = build(graph(), host_target()).module
    dealt = []
    emit = objects.emit_objects
    monkeypatch.setattr(
        "hybridize.codegen.llvm.engine.emit_objects",
        lambda sources, target, threads: dealt.extend(sources) or emit(sources, target, threads),
    )
    compile_program(module, host_target(), None, 4)
    defined = [
        line.split("@")[1].split("(")[0]
        for one in dealt
        for line in one.text.splitlines()
        if line.startswith("define ")
    ]
    assert len(dealt) > 2
    assert sorted(defined) == sorted(module.functions)


@forks
def test_children_that_are_forked_while_threads_compile_can_compile():
    """The lock is waited for, by all that LLVM's threads hold."""
    ended = threading.Event()

    def work():
        while not ended.is_set():
            emit_objects([source(number) for number in range(8)], host_target(), 2)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(5):
            child = os.fork()
            if not child:
                code = 1
                try:
                    code = int(len(emit_objects([source(3), source(4)], host_target(), 2)) != 2)
                finally:
                    os._exit(code)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        ended.set()
        thread.join()


def test_a_program_gives_the_same_bits_by_any_number_of_threads(monkeypatch):
    monkeypatch.setattr(CONFIG, "cache", False)
    x, w = (np.random.default_rng(seed).normal(size=(33, 33)).astype("f4") for seed in range(2))
    results = []
    for threads in (1, 2, 3, 8):
        compiler.cache_clear()
        results.append(compiler.compile(graph(), threads=threads).run([x, w])[0])
    np.testing.assert_allclose(results[0], evaluate(graph(), [x, w])[0], rtol=1e-4, atol=1e-5)
    assert all(other.tobytes() == results[0].tobytes() for other in results)


@pytest.mark.parametrize("reason", ["cannot allocate memory", "libz.so.1: no such file"])
def test_a_library_that_the_system_does_not_load(reason, monkeypatch):
    """llvmlite says of each that there is no file; the error has what the system says, and what to do."""

    def load(name):
        try:
            raise OSError(reason)
        except OSError:
            raise OSError("Could not find/load shared object file")  # noqa: B904 - as llvmlite does

    monkeypatch.setattr(objects, "load", load)
    with refusal(
        ImportError, rf"does not load llvmlite: {reason}: free memory(.|\n)*ulimit(.|\n)*install llvmlite again"
    ):
        objects.binding.__wrapped__()
