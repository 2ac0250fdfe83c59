"""The store whose ranks serve the weights, of several processes."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

from hybridize import gluon, kvstore
from hybridize.errors import ArgumentError, ValueArgumentError
from hybridize.kvstore.carriers import Alone
from hybridize.kvstore.ranks import Ranks
from tests.refusals import refusal

PROGRAM = Path(__file__).parent / "served.py"
MPIRUN = Path(sys.executable).parent / "mpirun"


def started(ranks, folder, *words):
    command = [MPIRUN, "-n", ranks, sys.executable, PROGRAM, folder, *words]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120, env=environment)


def trained(ranks, folder, *words):
    result = started(ranks, folder, *words)
    assert result.returncode == 0, result.stderr
    return [dict(numpy.load(file)) for file in sorted(folder.glob(f"rank*of{ranks}{'local' if words else ''}.npz"))]


def test_pushes_are_applied_one_by_one(tmp_path):
    result = started(3, tmp_path, "values")
    assert result.returncode == 0, result.stderr


@pytest.mark.long
def test_ranks_train_one_net_at_their_own_speed(tmp_path):
    first, second, third = trained(3, tmp_path)
    assert len(first["losses"]) == 30
    assert len(second["losses"]) == len(third["losses"]) == 60
    for one in (first, second, third):
        assert numpy.mean(one.pop("losses")[-5:]) < 0.35
        assert all((one[name] == first[name]).all() for name in one)  # once all have arrived


@pytest.mark.long
def test_alone_it_is_a_training_without_a_store(tmp_path):
    (served,) = trained(1, tmp_path)
    (local,) = trained(1, tmp_path, "local")
    assert served.keys() == local.keys()
    assert all((served[name] == local[name]).all() for name in served)


@pytest.mark.long
@pytest.mark.parametrize(
    ("word", "texts"),
    [
        (
            "other",
            ["E594", r"rank 1 has another net than rank 0: parameter '0.weight' as float32\[17, 2\], rank 0 has"],
        ),
        ("killed", [r"E595: .*rank 1 of 3 .* died, while rank \d is at pull|PID \d+ RUNNING AT"]),
        (
            "damaged",
            ["Traceback", r"rank 1 of 3 \(process \d+ on .*\) ends all ranks, as its store has failed, by Attr"],
        ),
    ],
)
def test_a_rank_that_fails_ends_all_and_is_named(tmp_path, word, texts):
    result = started(3, tmp_path, word)
    assert result.returncode != 0
    for text in texts:
        assert re.search(text, result.stdout + result.stderr), result.stdout + result.stderr
    assert not list(tmp_path.glob("*.npz"))


def test_what_it_cannot_do_is_refused(monkeypatch):
    monkeypatch.setattr("hybridize.kvstore.served.all_ranks", lambda: Ranks(Alone()))
    with refusal(ArgumentError, "E359: the store 'dist_async' needs MPI"):
        kvstore.create("dist_async")
    monkeypatch.undo()
    store = kvstore.create("dist_async")
    with refusal(ValueArgumentError, "E345: update_on_kvstore=False with kvstore='dist_async'"):
        gluon.Trainer([], "sgd", {}, store, update_on_kvstore=False)
    with refusal(ArgumentError, "E359: deterministic=True with kvstore='dist_async'"):
        gluon.Trainer([], "sgd", {}, store, deterministic=True)
    with refusal(ArgumentError, "E3003: set_optimizer takes an optimizer, got str"):
        store.set_optimizer("sgd")
    with refusal(ArgumentError, "E3001: 2 keys need a list of as many values, got 1"):
        store.pull([1, 2], [1])
    store._end()
