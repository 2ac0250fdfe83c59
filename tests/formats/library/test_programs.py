# SPDX-License-Identifier: Apache-2.0
"""Programs around libraries: threads with little stack, several models, ways to link, loading again and again."""

import shutil
import subprocess
from pathlib import Path

import numpy
import pytest

import hybridize as hy
from hybridize import np, npx
from hybridize.codegen.llvm.engine import runnable
from hybridize.formats.deployable import deployable
from hybridize.formats.library import write_library
from hybridize.gluon import nn

HERE = Path(__file__).parent
STACK = 32 << 10
"""Bytes of stack that a call takes at most, besides a pointer for each array that goes in, out, or is a weight."""


def normal(*shape):
    return np.array(numpy.random.default_rng(shape).standard_normal(shape).astype("f4"))


def compiled(folder, *words):
    done = subprocess.run(
        [
            "cc",
            "-O1",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-D_GNU_SOURCE",
            "-o",
            folder / "program",
            *words,
            "-ldl",
            "-lm",
            "-lpthread",
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    return folder / "program"


def layers(count, rows, width=48):
    net = nn.HybridSequential()
    net.add(*[nn.Dense(width, activation="relu") for _ in range(count)])
    net.initialize()
    net.hybridize()
    for row in rows:
        net(normal(row, width))
    return net._function


def nested(x):
    turns = 0
    while x.sum() > 0:
        if x.max() > 1:
            while x.max() > 1:
                for k in range(3):
                    x = x * 0.5 if x[k] > 0 else x - 1
        else:
            x = x - 1
        turns = turns + 1
    return x, turns


def attended(x, w):
    scores = npx.softmax(np.matmul(x, x.transpose(0, 2, 1)))
    return npx.layer_norm(np.matmul(scores, x) @ w, np.ones((24,)), np.zeros((24,)))


def called(function, *calls):
    fast = hy.hybridize(function)
    for call in calls:
        fast(*call)
    return fast


PROGRAMS = {
    "a net": lambda: layers(3, [1]),
    "a net for any batch": lambda: layers(3, [2, 4]),
    "a deep net for any batch": lambda: layers(60, [2, 3]),
    "halves": lambda: called(
        lambda x, y: (x @ y, x @ y.T),
        *[[normal(n, n).astype("float16"), normal(n, n).astype("float16")] for n in (65, 129)],
    ),
    "doubles": lambda: called(
        lambda x, y: (x @ y, x @ y.T),
        *[[normal(n, n).astype("float64"), normal(n, n).astype("float64")] for n in (65, 129)],
    ),
    "columns": lambda: called(lambda x: (x.sum(axis=0), npx.softmax(x, axis=0), x.std(axis=0)), [normal(300, 3000)]),
    "sorted": lambda: called(lambda x: (np.sort(x), np.argsort(x), np.cumsum(x)), [normal(100)], [normal(3000)]),
    "nested": lambda: called(nested, [normal(5)]),
    "attention": lambda: called(attended, *[[normal(2, n, 24), normal(24, 24)] for n in (5, 9)]),
    "random": lambda: called(lambda x: x + np.random.normal(size=x.shape), [normal(50)]),
}


@pytest.fixture(scope="session")
def stack_program(tmp_path_factory, system):
    system("cc")
    return compiled(tmp_path_factory.mktemp("stack"), HERE / "stack.c")


@pytest.mark.parametrize("kind", PROGRAMS)
def test_threads_with_little_stack_do(tmp_path, stack_program, kind):
    program = deployable(PROGRAMS[kind]().saved())
    made = write_library(program, tmp_path / "net")
    arrays = max(len(one.graph.constants) + len(one.graph.inputs) + len(one.graph.outputs) for one in program.variants)
    for level in runnable():
        done = subprocess.run([stack_program, made[0], "net", level], capture_output=True, text=True, check=False)
        assert done.returncode == 0, (level, done)
        create, run = map(int, done.stdout.split())
        assert create < 4 << 10
        assert run < STACK + 8 * arrays, f"{level}: {run}"


def side_by_side(folder, object_only):
    """Two nets, `left` and `right`."""
    for name in ("left", "right"):
        net = nn.HybridSequential()
        net.add(nn.Dense(24, activation="tanh"), nn.Dense(8))
        net.initialize()
        net.hybridize()
        for rows in (2, 4):
            net(normal(rows, 16))
        write_library(deployable(net._function.saved()), folder / name, object_only=object_only)


LINKED = {
    "at load": [],
    "as one file": ["-static"],
    "as one file anywhere": ["-static-pie"],
    "at one place": ["-no-pie"],
    "sections collected": ["-Wl,--gc-sections", "-Wl,--fatal-warnings", "-Wl,-z,noexecstack"],
    "with sanitizers": ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
    "with a sanitizer of threads": ["-g", "-fsanitize=thread"],
}


@pytest.fixture(scope="session")
def pair(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pair")
    side_by_side(folder, object_only=True)
    return folder


@pytest.mark.parametrize("how", LINKED)
def test_two_models_in_one_program(tmp_path, pair, how):
    folder, files = (tmp_path, ["-L.", "-lleft", "-lright", "-Wl,-rpath,."]) if how == "at load" else (pair, [])
    if how == "at load":
        side_by_side(folder, object_only=False)
    program = compiled(folder, f"-I{folder}", HERE / "neighbours.c", *(files or ["left.o", "right.o"]), *LINKED[how])
    done = subprocess.run([program], cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_library_is_loaded_again_and_again_and_beside_its_copy(tmp_path):
    side_by_side(tmp_path, object_only=False)
    shutil.copy(tmp_path / "libleft.so", tmp_path / "copy.so")
    program = compiled(tmp_path, HERE / "reload.c")
    done = subprocess.run(
        [program, "./libleft.so", "./copy.so", "left"], cwd=tmp_path, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
