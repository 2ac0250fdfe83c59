"""The memory of a step: the plan's figure is what is allocated, and what a process holds is counted to the byte."""

import json
import os
import shutil
import subprocess
import sys
import tracemalloc

import pytest
from hybridize_bench import bench, deployment, goals, memory, peak_memory, report, training_workloads
from hybridize_bench.peers import HYBRIDIZED
from hybridize_bench.peers.ours import step_of
from hybridize_bench.training_workloads import TRAININGS, Training

from hybridize import hybridize, np

needs_cc = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")


@pytest.mark.parametrize("workload", ["train-64", "train-adam-256"])
def test_the_plans_figure_is_what_a_step_allocates(workload):
    """Scratch is a block that the process keeps for its next call; results are NumPy's, which tells tracemalloc."""
    training = TRAININGS[workload]
    layers, batches = training_workloads.arrays(training)
    step = hybridize(step_of(training, layers), threads=1)
    x, y = map(np.array, batches[0])
    for _ in range(3):
        step(x, y)
    memory.release_scratch()
    tracemalloc.start()
    try:
        begin = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        loss = step(x, y)
        most = tracemalloc.get_traced_memory()[1] - begin
    finally:
        tracemalloc.stop()
    plan = step.program(x, y)._runs.executable.plan
    scratch = memory.release_scratch()
    assert scratch == -(-plan.scratch_bytes // 64) * 64
    assert plan.peak_bytes == plan.scratch_bytes + loss._data.nbytes
    assert most < 20_000  # the loss, and Python's own objects
    # Planned for as many threads as there are: more scratch each.
    assert 0 < plan.peak_bytes <= memory.planned(training, layers, batches)


COUNT = """
import ctypes, json, numpy
from hybridize_bench import memory
kept = []
def call():
    made = [numpy.empty(1_000_000, "u1"), numpy.zeros(500_000, "u1")]
    del made[0]
    made.append(numpy.empty(700_000, "u1"))
print(json.dumps(memory.peak_of(call)))
"""


@needs_cc
def test_memory_is_counted_to_the_byte(tmp_path):
    counter = deployment.compiled("peak.c", tmp_path / "peak.so", bench.BenchOptions(), "-shared", "-fPIC")
    environment = {**os.environ, "LD_PRELOAD": str(counter)}
    done = subprocess.run([sys.executable, "-c", COUNT], env=environment, capture_output=True, text=True, check=True)
    assert 1_500_000 <= json.loads(done.stdout) < 1_520_000


SCRATCH = """
import json
from hybridize import hybridize, np
from hybridize_bench import memory
def net(x, w):
    return np.tanh(np.matmul(np.tanh(np.matmul(x, w)), w)).sum()
w = np.ones((512, 512))
xs = [np.ones((rows, 512)) for rows in (600, 1200)]
programs = [hybridize(net, threads=1) for _ in xs]
def call():
    for program, x in zip(programs, xs):
        program(x, w)
most = memory.peak_of(call)
print(json.dumps([most, *(program.program(x, w).memory.peak_bytes for program, x in zip(programs, xs))]))
"""


@needs_cc
def test_scratch_that_is_too_small_is_not_held_beside_a_larger_block(tmp_path):
    """Programs in turn take as much memory as the one that takes most of it."""
    counter = deployment.compiled("peak.c", tmp_path / "peak.so", bench.BenchOptions(), "-shared", "-fPIC")
    environment = {**os.environ, "LD_PRELOAD": str(counter)}
    done = subprocess.run([sys.executable, "-c", SCRATCH], env=environment, capture_output=True, text=True, check=True)
    most, less, more = json.loads(done.stdout)
    assert 600 * 512 * 4 <= less <= more - 600 * 512 * 4 // 2
    assert more - 1024 <= most < more + less // 2


@needs_cc
def test_rows_and_goals(monkeypatch):
    """Our row counts what the plan says; a runtime that fails says why."""
    small = Training("small", (64, 200, 10), 32, "adam", 0.01)
    monkeypatch.setattr(peak_memory, "every", lambda: {"train-adam-1": TRAININGS["train-adam-1"]})
    found = {one.name: one for one in peak_memory.run(bench.BenchOptions(only=("nothing else",)))}
    ours = found[f"train-adam-1: {HYBRIDIZED}"]
    planned = found[f"train-adam-1: {HYBRIDIZED}, {peak_memory.PLANNED}"]
    assert ours.besides == planned.besides == 4 * 4 * sum(a * b + b for a, b in ((512, 256), (256, 128), (128, 2)))
    assert not ours.error
    assert 0 <= ours.beyond <= planned.beyond + 4096
    assert peak_memory.state_bytes(small) == 4 * 4 * (64 * 200 + 200 + 200 * 10 + 10)
    eager = [bench.Amount(f"train-64: {name}", nbytes, 5) for name, nbytes in ((HYBRIDIZED, 80), (goals.EAGER, 100))]
    rows = report.goals({"train-memory": eager}).rows
    assert [row[1] for row in rows] == ["0.80"]
    assert rows[0][-1] == "aim"
    assert peak_memory._amount("x", small, {"error": "no"}).error == "no"
