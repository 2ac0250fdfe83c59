"""Calls that are bound to memory: they compute the call as any other, and refuse what they cannot; they ask for nothing."""

import copy
import gc
import os
import pickle
import platform
import subprocess
import sys
import weakref
from pathlib import Path

import ml_dtypes
import numpy
import pytest

from hybridize import autograd, engine, hybridize, load, np, npx
from hybridize.errors import ArgumentError, StateError, ValueArgumentError
from hybridize.gluon import nn
from tests.refusals import refusal

HERE = Path(__file__).parent


def normal(*shape, dtype="f4"):
    return numpy.random.default_rng(shape).standard_normal(shape).astype(dtype)


def affine(x, y=2.0):
    return x * y + 1


def both(pair):
    return {"sum": pair[0] + pair[1], "top": np.max(pair[0])}


def sorted_scores(x):
    return np.sort(npx.softmax(np.dot(x, x.T)), axis=-1)


def halved(x):
    while np.abs(x).max() > 1:
        x = x / 2
    return x


CALLS = {
    "a number": (affine, (normal(3, 4), 0.5)),
    "no axes": (affine, (normal())),
    "nothing": (affine, (normal(0, 4),)),
    "nine axes": (affine, (normal(1, 2, 1, 2, 1, 2, 1, 2, 3),)),
    "nested": (both, ((normal(3, 2), normal(1, 2)),)),
    "scratch": (sorted_scores, (normal(120, 16),)),
    "a loop": (halved, (normal(50) * 9,)),
    "float64": (affine, (normal(7, dtype="f8"),)),
    "float16": (affine, (normal(7, dtype="f2"),)),
    "bfloat16": (affine, (normal(7, dtype=ml_dtypes.bfloat16),)),
    "int8": (lambda x: x + x, (numpy.arange(7, dtype="i1"),)),
    "bool": (lambda x: ~x, (numpy.arange(7) % 2 == 0,)),
}


def arrays_of(result):
    return list(result.values()) if isinstance(result, dict) else [result]


def others_in_place(leaf):
    """Put other numbers where an argument is."""
    if isinstance(leaf, tuple):
        for one in leaf:
            others_in_place(one)
    elif isinstance(leaf, numpy.ndarray) and leaf.size:
        leaf[...] = leaf.copy()[..., ::-1] if leaf.ndim else leaf + 1


@pytest.mark.parametrize("loaded", [False, True], ids=["captured", "loaded"])
@pytest.mark.parametrize("kind", CALLS)
def test_it_computes_the_call_anew(kind, loaded, tmp_path):
    function, args = CALLS[kind]
    args = args if isinstance(args, tuple) else (args,)
    program = hybridize(function)
    first = [one.asnumpy() for one in arrays_of(program(*args))]
    if loaded:
        program.save(tmp_path / "program")
        program = load(tmp_path / "program", images=True)
    out = [numpy.zeros_like(one) for one in first]
    call = program.bound(*args, out=tuple(out))
    for _ in range(3):
        for target, one in zip(out, arrays_of(program(*args)), strict=True):
            numpy.testing.assert_array_equal(target, one.asnumpy())
        others_in_place(args)
        assert call() is None


def test_arrays_of_ours_may_be_both():
    x, y = np.array([1.0, 2.0]), np.zeros(2)
    call = hybridize(affine).bound(x, out=y)
    assert y.tolist() == [3, 5]
    x[:] = np.array([0.0, 1.0])
    call()
    assert y.tolist() == [1, 3]


@pytest.mark.parametrize("way", [pickle.dumps, copy.copy, copy.deepcopy])
def test_it_stays_in_its_process(way):
    call = hybridize(affine).bound(normal(3), out=numpy.empty(3, "f4"))
    with refusal(ArgumentError, r"E346: <affine, bound to f32\[3\]> cannot be pickled or copied: (.|\n)*call bound"):
        way(call)


def test_what_is_computed_of_out_elsewhere_is_computed_again():
    """A program that packs a weight reads it anew where a bound call writes the weight."""
    weight = np.array(normal(64, 64))
    net = nn.Dense(64, use_bias=False, in_units=64)
    net.initialize()
    net.weight.set_data(weight)
    net.hybridize()
    x, source = np.array(normal(3, 64)), normal(64, 64)
    net(x), net(x)
    call = hybridize(affine).bound(source, out=net.weight.data())
    for _ in range(3):
        numpy.testing.assert_allclose(net(x).asnumpy(), x.asnumpy() @ (source * 2 + 1).T, rtol=1e-4, atol=1e-4)
        source[:] += 1
        call()


def test_memory_need_be_aligned_to_elements_alone():
    x, y = numpy.zeros(33 * 64 + 1, "f4")[1:].reshape(33, 64), numpy.zeros(33 * 33 + 1, "f4")[1:].reshape(33, 33)
    x[:] = normal(33, 64)
    hybridize(sorted_scores).bound(x, out=y)
    numpy.testing.assert_array_equal(y, hybridize(sorted_scores)(np.array(x)).asnumpy())


def test_weights_are_those_of_the_call():
    net = nn.HybridSequential()
    net.add(nn.Dense(16, activation="relu"), nn.Dense(4))
    net.initialize()
    x, y = normal(2, 8), numpy.zeros((2, 4), "f4")
    call = hybridize(lambda x: net(x)).bound(x, out=y)
    for _ in range(3):
        for one in net.collect_params().values():
            one.set_data(np.array(normal(*one.shape)) * (1 + float(one.data().mean())))
        call()
        numpy.testing.assert_allclose(y, net(np.array(x)).asnumpy(), rtol=1e-5, atol=1e-6)
        before = y.copy()
        call()
        numpy.testing.assert_array_equal(y, before)


FACTOR = 2


def test_it_follows_what_the_function_reads(monkeypatch):
    x, y = normal(5), numpy.zeros(5, "f4")
    call = hybridize(lambda x: x * FACTOR).bound(x, out=y)
    monkeypatch.setattr(sys.modules[__name__], "FACTOR", 3)
    call()
    numpy.testing.assert_array_equal(y, x * 3)


def checked(x):
    assert np.all(x > 0), "not above zero"
    return np.sqrt(x)


def test_an_assertion_ends_a_call_and_no_later_one():
    x, y = np.array([4.0]).asnumpy(), numpy.zeros(1, "f4")
    call = hybridize(checked).bound(x, out=y)
    x[:] = -1
    with refusal(AssertionError, "not above zero"):
        call()
    x[:] = 9
    call()
    assert y == 3


def moved(weight):
    for _ in range(20):
        weight[:] = np.sqrt(weight * weight)
    weight += 1


def test_modes_and_queues():
    """A thread that records is told; where calls are queued, a bound one waits and is not."""
    x, y = normal(4), numpy.zeros(4, "f4")
    call = hybridize(lambda x: npx.dropout(x, p=0.0) * 2).bound(x, out=y)
    with autograd.record(), refusal(StateError, "E549: .*its calls are recorded"):
        call()
    weight = np.ones(1 << 16)
    step, source, out = hybridize(moved), normal(1 << 16), numpy.zeros(1 << 16, "f4")
    reads = hybridize(lambda x: x * weight).bound(source, out=out)
    with engine.asynchronous():
        for count in range(1, 20):
            step(weight)
            reads()
            numpy.testing.assert_array_equal(out, source * (1 + count))


def test_it_is_freed_with_its_arrays():
    call = hybridize(affine).bound(normal(3), out=numpy.zeros(3, "f4"))
    gone = weakref.ref(call)
    del call
    gc.collect()
    assert gone() is None


def written(x):
    x += 1
    return x * 2


STATE = {
    "keeps state": lambda x: x + np.random.uniform(size=(4,)),
    "arguments are written": written,
    "arguments are part of the result": lambda x: (x, x + 1),
    "results are not one new": lambda x: (lambda y: (y, y))(x + 1),
    "new array each": lambda x: (lambda y: (y, y[:2]))(x + 1),
}


@pytest.mark.parametrize("words", STATE)
def test_what_cannot_be_bound(words):
    program = hybridize(STATE[words])
    results = program(np.ones(4))
    results = results if isinstance(results, tuple) else (results,)
    with refusal(StateError, f"E549.*{words}"):
        program.bound(numpy.ones(4, "f4"), out=tuple([numpy.zeros(one.shape, "f4") for one in results]))


def test_programs_for_any_size_cannot_be_bound(tmp_path):
    program = hybridize(affine)
    for rows in (2, 3, 5):
        program(np.ones((rows, 4)))
    with refusal(StateError, "E549.*for any size"):
        program.bound(normal(9, 4), out=normal(9, 4))


GRID = normal(6, 6)
ARRAYS = {
    "argument 0 .* row-major": (GRID.T, normal(6, 6)),
    "argument 0 of a bound call must be row-major": (GRID[:, ::2], normal(6, 3)),
    "byte order": (GRID.astype(">f4"), normal(6, 6)),
    "out 0 .* writable": (GRID, numpy.broadcast_to(numpy.float32(0), (6, 6))),
    "out 0 of a bound call must be an array of np or of NumPy, got list": (GRID, [[0.0]]),
    "out 0 of affine must be": (GRID, normal(6, 5)),
    "f64": (GRID, normal(6, 6, dtype="f8")),
    "1 results, and out has 2": (GRID, (normal(6, 6), normal(6, 6))),
    "shares memory": (GRID, GRID),
    "shares memory with an argument": (GRID[:3], GRID[1:4]),
}


@pytest.mark.parametrize("words", ARRAYS)
def test_arrays_that_are_refused(words):
    x, out = ARRAYS[words]
    words = words.replace(", got list", ", got float")
    with refusal(ValueArgumentError, f"E345.*{words}"):
        hybridize(affine).bound(x, out=out)


def test_weights_and_other_results_are_not_written():
    weight = np.ones(4)
    with refusal(ValueArgumentError, "out 0 of .*shares memory with an argument, a weight"):
        hybridize(lambda x: x + weight).bound(numpy.ones(4, "f4"), out=weight)
    y = numpy.zeros(4, "f4")
    with refusal(ValueArgumentError, "out 1 of .*shares memory"):
        hybridize(lambda x: (x + 1, x + 2)).bound(numpy.ones(4, "f4"), out=(y, y))


PROGRAM = """
import ctypes, sys, numpy
from hybridize import load
folder, kind, lock = sys.argv[1:]
x = numpy.load(f"{folder}/x.npy")
program = load(f"{folder}/program", images=True)
y = numpy.zeros(program(x).shape, program(x).dtype)
call = program.bound(x, out=y)
if lock == "locked" and ctypes.CDLL(None).mlockall(1):
    sys.exit(77)
if kind == "a loop":
    x[:] = 1e6  # rounds that no call has run yet
watch = ctypes.PyDLL(f"{folder}/bound.so").watch
watch.argtypes = [ctypes.py_object, ctypes.c_long]
watch(call if kind != "an object" else dict, 2000)
"""
ALLOCATED, NOT_HERE = 90, 77


def layers():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(16, 3, padding=1, activation="relu"), nn.MaxPool2D(), nn.Conv2D(16, 3), nn.Dense(10))
    net.initialize()
    return net


WATCHED = {
    "layers": (layers, normal(1, 3, 24, 24)),
    "scratch": (lambda: sorted_scores, normal(120, 16)),
    "long": (lambda: lambda x: np.exp(np.sin(np.exp(np.sin(x)))), normal(1 << 16)),
    "a loop": (lambda: halved, normal(300)),
    "asserts": (lambda: checked, numpy.ones(9, "f4")),
    "an object": (lambda: affine, normal(4)),
}
LONG = ("scratch", "long", "asserts")


@pytest.mark.skipif(sys.platform != "linux" or platform.machine() != "x86_64", reason="traps of Linux on x86-64")
@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[pytest.mark.long] if kind in LONG else []) for kind in WATCHED]
)
def test_a_call_asks_for_nothing(tmp_path, kind):
    """No memory, not for objects of Python's either; no system call, hence no wait; no page fault. "an object" asks."""
    flags = ["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, HERE / "bound.c", "-o", tmp_path / "bound.so"], check=True)
    make, x = WATCHED[kind]
    net = make()
    program = hybridize(lambda x: net(x), threads=1)
    program(np.array(x))
    program.save(tmp_path / "program")
    numpy.save(tmp_path / "x.npy", x)
    words = [sys.executable, "-c", PROGRAM, tmp_path, kind, "locked" if kind == "a loop" else ""]
    environment = {
        **os.environ, "LD_PRELOAD": str(tmp_path / "bound.so"), "PYTHONMALLOC": "malloc", "HYBRIDIZE_CHECK": "0",
    }  # fmt: skip
    outcomes = []
    for _ in range(3):  # pages that the system took away meanwhile are no fault of the call's: its own come back
        done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
        outcomes.append((done.returncode, done.stdout.strip() or done.stderr))
        if done.returncode == NOT_HERE:
            pytest.skip("this machine has no seccomp, or locks no memory")
        if outcomes[-1] == (0, "0") or kind == "an object":
            break
    assert outcomes[-1] == (0, "0") if kind != "an object" else outcomes[-1][0] == ALLOCATED
