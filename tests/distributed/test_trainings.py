"""Trainings of several processes, which mpirun starts on this machine."""

import atexit
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

from hybridize.errors import StateError
from hybridize.kvstore.ranks import Ranks
from tests.refusals import refusal

PROGRAM = Path(__file__).parent / "train.py"
MPIRUN = Path(sys.executable).parent / "mpirun"
"""Of the package mpich, beside the interpreter."""


def started(ranks, folder, *words, mpirun=()):
    """The ended process of a training: of one rank without mpirun."""
    program = [sys.executable, str(PROGRAM), str(folder), *words]
    command = program if ranks == 1 else [str(MPIRUN), *mpirun, "-n", str(ranks), *program]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "HYBRIDIZE_CACHE": "1", "HYBRIDIZE_CACHE_DIR": str(CACHE)}
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    global CACHE
    CACHE = tmp_path_factory.mktemp("cache")


def weights(ranks, folder, *words, **options):
    """The weights of each rank after a training that ends well."""
    result = started(ranks, folder, *words, **options)
    assert result.returncode == 0, result.stdout + result.stderr
    files = sorted(folder.glob(f"rank*of{ranks}x*.npz"))
    assert len(files) == ranks
    loaded = [dict(numpy.load(file)) for file in files]
    for file in files:
        file.unlink()
    return loaded


def same_bits(one, other):
    return one.keys() == other.keys() and all((one[name] == other[name]).all() for name in one)


def close(one, other):
    return all(numpy.allclose(one[name], other[name], rtol=1e-4, atol=2e-5) for name in one)


@pytest.mark.parametrize(
    "words", [pytest.param((), marks=pytest.mark.long), ("compiled",)], ids=["imperative", "compiled"]
)
def test_two_ranks_are_one_with_the_whole_batch(tmp_path, words):
    """Each rank has half of each batch and begins with weights of its own; those of rank 0 are taken."""
    first, second = weights(2, tmp_path, "by=sgd", *words)
    (alone,) = weights(1, tmp_path, "by=sgd", *words)
    assert same_bits(first, second)
    assert close(first, alone)


@pytest.mark.parametrize(
    "words",
    [
        ("compiled", "steps=2"),
        pytest.param(("compiled",), marks=pytest.mark.long),
        pytest.param((), marks=pytest.mark.long),
        pytest.param(("hybridize",), marks=pytest.mark.long),
        pytest.param(("apart",), marks=pytest.mark.long),
    ],
    ids=" ".join,
)
def test_deterministic_bits_do_not_depend_on_who_has_which_part(tmp_path, words):
    words = ("deterministic", "finite", *words)
    all_parts = 2 if "steps=2" in words else 4
    (whole,) = weights(1, tmp_path, f"parts={all_parts}", *words)
    for ranks, parts in ((all_parts, 1),) if all_parts == 2 else ((4, 1), (2, 2)):
        for each in weights(ranks, tmp_path, f"parts={parts}", *words):
            assert same_bits(each, whole)


@pytest.mark.parametrize(
    ("words", "texts"),
    [
        (("other",), ["E594", r"rank 1 has another net than rank 0: parameter '3.weight' as float32\[21, 36\], rank 0 has"]),
        pytest.param(("raise",), ["ValueError: no more data", r"rank 1 of 2 \(process \d+ on .*\) ends all ranks, by ValueError"], marks=pytest.mark.long),
        pytest.param(("short",), ["E595", r"rank 1 of 2 \(process \d+ on .*\) has ended, while rank 0 is at the sum of gradients"], marks=pytest.mark.long),
        pytest.param(("late",), ["E594", "parameter '3.weight' of rank 1 has other values than that of rank 0", "random.seed"], marks=pytest.mark.long),
        pytest.param(("nan", "finite", "compiled"), ["E520", "the gradient of parameter '0.weight' is not finite"], marks=pytest.mark.long),
        pytest.param(("killed",), [r"PID \d+ RUNNING AT", r"Killed \(signal 9\)"], marks=pytest.mark.long),
    ],
    ids=lambda one: "-".join(one) if type(one) is tuple else "",
)  # fmt: skip
def test_a_rank_that_fails_ends_all_and_is_named(tmp_path, words, texts):
    result = started(2, tmp_path, *words)
    assert result.returncode != 0
    for text in texts:
        assert re.search(text, result.stdout + result.stderr), result.stdout + result.stderr
    assert not list(tmp_path.glob("rank0*.npz"))


class World:
    """MPI of two ranks, the other of which does what this one does, as long as it lives."""

    rank, size, lives = 0, 2, True

    def __init__(self):
        self.COMM_WORLD = self

    def Dup(self):  # noqa: N802
        return self

    def Test(self):  # noqa: N802
        return self.lives

    def Iallgather(self, sent, received):  # noqa: N802
        received[...] = numpy.tile(sent, 2)
        return self

    def Iallgatherv(self, sent, received):  # noqa: N802
        received[0][...] = numpy.tile(sent, 2)
        return self


def test_a_process_that_is_gone_is_named_by_those_who_wait_for_it(monkeypatch):
    """What a rank says after another was killed cannot be read under mpirun, which ends it at the same time."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    world = World()
    all_ranks = Ranks(world)
    atexit.unregister(all_ranks._leave)
    with subprocess.Popen(["sleep", "100"]) as other:
        all_ranks._homes[1] = (*all_ranks._homes[0][:2], other.pid)
        all_ranks.barrier()
        world.lives, all_ranks.timeout = False, 0.5
        with pytest.raises(StateError, match=r"E595: rank 0 has waited 0.5 s at barrier, and not all ranks have come"):
            all_ranks.barrier()
        all_ranks._is_broken = False
        other.kill()
        with refusal(StateError, rf"E595: rank 1 of 2 \(process {other.pid} on .*\) has died, while rank 0"):
            all_ranks.barrier()
    with pytest.raises(StateError, match="E595: barrier after an operation of all ranks has failed"):
        all_ranks.barrier()


@pytest.mark.long
def test_a_training_goes_on_from_its_checkpoint_after_a_rank_was_killed(tmp_path):
    whole, _ = weights(2, tmp_path, "compiled")
    assert started(2, tmp_path, "compiled", "checkpoint", "killed").returncode != 0
    resumed, other = weights(2, tmp_path, "compiled", "resume", "begin=2")
    assert same_bits(resumed, whole)
    assert same_bits(other, whole)


def test_without_mpi4py_the_store_says_what_to_install(tmp_path):
    text = "import sys; sys.modules['mpi4py'] = None\nimport hybridize as hz\nhz.kvstore.create('dist_sync')"
    result = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60)
    assert "E359" in result.stderr
    assert "pip install hybridize[mpi]" in result.stderr


def test_values_under_keys_are_summed_over_ranks(tmp_path):
    program = tmp_path / "values.py"
    program.write_text(
        """
import hybridize as hz
from hybridize import np

kv = hz.kvstore.create("dist_device_sync")
assert kv.type == "dist_device_sync" and kv.num_workers == 3
kv.init(["a", "b"], [np.full((2, 3), kv.rank + 5.0), np.zeros(4, dtype="float16")])
a, b = np.zeros((2, 3)), np.zeros(4, dtype="float16")
kv.pull("a", a)
assert (a == 5).all()  # of rank 0
kv.push("a", [np.ones((2, 3)), np.full((2, 3), kv.rank)])
kv.pushpull("b", np.full(4, 2.0**kv.rank, dtype="float16"), out=b)
kv.pull("a", a)
assert (a == 6).all() and (b == 7).all() and b.dtype == "float16"
kv.set_optimizer(hz.optimizer.SGD(learning_rate=1.0))
kv.pushpull("a", np.ones((2, 3)), out=a)
assert (a == 3).all()
try:
    kv.set_gradient_compression({"type": "2bit"})
except hz.errors.HybridizeError as error:
    assert "E359" in str(error)
else:
    raise AssertionError
kv.barrier()
"""
    )
    result = subprocess.run(
        [str(MPIRUN), "-n", "3", sys.executable, str(program)], capture_output=True, text=True, timeout=120
    )
    assert result.returncode == 0, result.stderr
