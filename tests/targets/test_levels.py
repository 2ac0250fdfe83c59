"""The three levels of x86-64 on one machine: what holds on the widest holds on all."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hybridize.codegen.llvm.engine import host_target, runnable
from hybridize.compiler import compile as compiled
from hybridize.machine.target import named_target
from hybridize.ops import evaluate

TESTS = Path(__file__).parents[1]
LEVELS = [
    pytest.param(name, marks=pytest.mark.skipif(name not in runnable(), reason=f"this machine does not run {name}"))
    for name in ("avx512", "avx2", "baseline")
]
NARROWER = [level for level in LEVELS if level.values[0] != host_target().name]
"""The widest is what all other tests run on."""
NARROWEST = [
    *(pytest.param(*level.values, marks=[*level.marks, pytest.mark.long]) for level in NARROWER[:-1]),
    NARROWER[-1],
]
"""As these, all but the last one in long runs."""
BLOCKS = 8
"""Of the samples: in every run a narrower level tries every second sample, the next level the others."""


@pytest.mark.parametrize(
    ("level", "block"),
    [
        pytest.param(*level.values, block, marks=[*level.marks, *[pytest.mark.long] * ((block + row) % 2)])
        for row, level in enumerate(NARROWER)
        for block in range(BLOCKS)
    ],
)
def test_every_op_is_the_reference(level, block, catalogue):
    cases = catalogue.cases[block::BLOCKS]
    found = [compiled(graph, named_target(level)).run(list(inputs)) for graph, inputs in catalogue.jobs(cases)]
    catalogue.check(cases, found)


@pytest.mark.parametrize("level", LEVELS)
def test_models_run(level, models):
    for make in models.MODELS.values():
        graph, inputs = make()
        models.check(graph, compiled(graph, named_target(level)).run(inputs), evaluate(graph, inputs))


@pytest.mark.long
@pytest.mark.parametrize("level", LEVELS)
def test_resnet18_runs(level, models):
    graph, inputs = models.resnet18((64, 128, 256, 512), (65, 70))
    models.check(graph, compiled(graph, named_target(level)).run(inputs), evaluate(graph, inputs))


@pytest.mark.parametrize("level", NARROWER)
def test_random_graphs_agree(level, random_graphs):
    for seed in range(2000, 2020):
        random_graphs.check(seed, level)


@pytest.mark.parametrize("level", NARROWEST)
def test_the_chapter_passes(level):
    environment = {**os.environ, "HYBRIDIZE_TARGET": level}
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", TESTS / "chapter"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=TESTS.parent)
    assert done.returncode == 0, done.stdout[-3000:]
