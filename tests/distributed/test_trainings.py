"""Trainings of several processes, which mpirun or torchrun starts on this machine."""

import atexit
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

from hybridize.errors import ArgumentError, StateError
from hybridize.kvstore.carriers import Alone, find_carrier
from hybridize.kvstore.ranks import Ranks
from tests.refusals import refusal

PROGRAM = Path(__file__).parent / "train.py"
STARTERS = {"mpirun": ("mpirun", "-n"), "torchrun": ("torchrun", "--no-python", "--nproc-per-node")}
"""Beside the interpreter: of the packages mpich and torch."""
WITH_TORCHRUN = pytest.param("torchrun", marks=pytest.mark.long)


def command_of(by, ranks, *program):
    name, *options = STARTERS[by]
    return [str(Path(sys.executable).parent / name), *options, str(ranks), *map(str, program)]


def started(ranks, folder, *words, by="mpirun"):
    """The ended process of a training: of one rank, nobody's."""
    program = [sys.executable, str(PROGRAM), str(folder), *words]
    command = program if ranks == 1 else command_of(by, ranks, *program)
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


@pytest.mark.parametrize("by", ["mpirun", WITH_TORCHRUN])
@pytest.mark.parametrize(
    "words", [pytest.param((), marks=pytest.mark.long), ("compiled",)], ids=["imperative", "compiled"]
)
def test_two_ranks_are_one_with_the_whole_batch(tmp_path, words, by):
    """Each rank has half of each batch and begins with weights of its own; those of rank 0 are taken."""
    first, second = weights(2, tmp_path, "by=sgd", *words, by=by)
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
@pytest.mark.parametrize("by", ["mpirun", WITH_TORCHRUN])
def test_deterministic_bits_do_not_depend_on_who_has_which_part(tmp_path, words, by):
    words = ("deterministic", "finite", *words)
    all_parts = 2 if "steps=2" in words else 4
    (whole,) = weights(1, tmp_path, f"parts={all_parts}", *words)
    for ranks, parts in ((all_parts, 1),) if all_parts == 2 else ((4, 1), (2, 2)):
        for each in weights(ranks, tmp_path, f"parts={parts}", *words, by=by):
            assert same_bits(each, whole)


ENDING = """
import atexit, os, sys
from pathlib import Path


def threads():
    return sorted(Path(f"/proc/self/task/{each}/comm").read_text() for each in os.listdir("/proc/self/task"))


atexit.register(lambda: print("last", threads().count("pt_gloo_runloop\\n"), flush=True))
import torch.distributed
import hybridize

if "group" in sys.argv:
    torch.distributed.init_process_group("gloo")
before = threads().count("pt_gloo_runloop\\n")
store = hybridize.kvstore.create("dist_sync")
store.barrier()
print("now", threads().count("pt_gloo_runloop\\n") - before, flush=True)
if "destroy" in sys.argv:
    torch.distributed.destroy_process_group()
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="counts threads by /proc")
@pytest.mark.parametrize(
    ("words", "left"),
    [("", 0), *(pytest.param(*case, marks=pytest.mark.long) for case in [("group", 2), ("group destroy", 0)])],
)
def test_gloos_threads_end_before_the_interpreter(tmp_path, words, left):
    """They drop arrays of the last operation after it is done, which aborts a process without an interpreter.

    Those of a group that the program has made, and not destroyed, are the program's own.
    """
    program = tmp_path / "ending.py"
    program.write_text(ENDING)
    command = command_of("torchrun", 1, sys.executable, program, *words.split())
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    (now, last) = (int(line.split()[1]) for line in result.stdout.splitlines())
    assert now >= 2
    assert last == left


FAULTS = {
    "other": ["E594", r"rank 1 has another net than rank 0: parameter '3.weight' as float32\[21, 36\], rank 0 has"],
    "raise": ["ValueError: no more data", r"rank 1 of 2 \(process \d+ on .*\) ends all ranks, by ValueError"],
    "short": ["E595", r"rank 1 of 2 \(process \d+ on .*\) has ended, while rank 0 is at the sum of gradients"],
    "exit": ["E595", r"rank 1 of 2 \(process \d+ on .*\) has ended, while rank 0 is at the sum of gradients"],
    "late": ["E594", "parameter '3.weight' of rank 1 has other values than that of rank 0", "random.seed"],
    "absent": [
        "E595",
        "rank 0 has waited 1 s at the sum of gradients, and not all ranks have come",
        "rank 0 .* ends all ranks",
    ],
    "nan finite compiled": ["E520", "the gradient of parameter '0.weight' is not finite"],
    "killed": [
        r"PID \d+ RUNNING AT|rank +: 1|process rank 1 with PID",
        r"Killed \(signal 9\)|signal 9 \(Killed\)|Signal 9 \(SIGKILL\) received by PID",
    ],
}
"""What is wrong with rank 1, and what one reads of it."""


@pytest.mark.parametrize("by", ["mpirun", WITH_TORCHRUN])
@pytest.mark.parametrize("words", ["other", *(pytest.param(one, marks=pytest.mark.long) for one in [*FAULTS][1:])])
def test_a_rank_that_fails_ends_all_and_is_named(tmp_path, words, by):
    texts = FAULTS[words]
    result = started(2, tmp_path, *words.split(), by=by)
    assert result.returncode != 0
    for text in texts:
        assert re.search(text, result.stdout + result.stderr), result.stdout + result.stderr
    assert not list(tmp_path.glob("rank0*.npz"))


class Pair(Alone):
    """A carrier of two ranks, the other of which does what this one does, as long as it lives."""

    size, lives = 2, True

    def gather(self, part, whole):
        whole.reshape(2, -1)[...] = part.reshape(-1)

        def is_done():
            if self.lives is None:
                raise ConnectionError("reset by peer")
            return self.lives

        return is_done


def test_a_process_that_is_gone_is_named_by_those_who_wait_for_it(monkeypatch):
    """What a rank says after another was killed cannot be read under mpirun, which ends it at the same time."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    pair = Pair()
    all_ranks = Ranks(pair)
    atexit.unregister(all_ranks._leave)
    with subprocess.Popen(["sleep", "100"]) as other:
        all_ranks._homes[1] = (*all_ranks._homes[0][:2], other.pid)
        all_ranks.barrier()
        pair.lives, all_ranks.timeout = False, 0.5
        with pytest.raises(StateError, match=r"E595: rank 0 has waited 0.5 s at barrier, and not all ranks have come"):
            all_ranks.barrier()
        monkeypatch.setattr("hybridize.kvstore.ranks._DYING", 0.1)
        pair.lives, all_ranks._is_broken = None, False
        with pytest.raises(StateError, match="E595: rank 0 has lost the connection to another rank at barrier: reset"):
            all_ranks.barrier()
        other.kill()
        for lives in (None, False):
            pair.lives, all_ranks._is_broken = lives, False
            with refusal(StateError, rf"E595: rank 1 of 2 \(process {other.pid} on .*\) has died, while rank 0"):
                all_ranks.barrier()
    with pytest.raises(StateError, match="E595: barrier after an operation of all ranks has failed"):
        all_ranks.barrier()


@pytest.mark.long
@pytest.mark.parametrize("by", STARTERS)
def test_a_training_goes_on_from_its_checkpoint_after_a_rank_was_killed(tmp_path, by):
    whole, _ = weights(2, tmp_path, "compiled", by=by)
    assert started(2, tmp_path, "compiled", "checkpoint", "killed", by=by).returncode != 0
    assert (tmp_path / "1.states").exists()
    resumed, other = weights(2, tmp_path, "compiled", "resume", by=by)
    assert same_bits(resumed, whole)
    assert same_bits(other, whole)


@pytest.mark.long
@pytest.mark.parametrize("by", STARTERS)
def test_a_full_disk_is_named_and_the_last_checkpoint_is_whole(tmp_path, by):
    """The second file of a checkpoint finds no room; what is resumed from is the one before it."""
    whole, _ = weights(2, tmp_path, "compiled", by=by)
    result = started(2, tmp_path, "compiled", "checkpoint", "full", by=by)
    assert result.returncode != 0
    assert re.search(r"E335: cannot write .*/2\.states: File too large", result.stderr), result.stderr
    assert re.search(r"rank 0 of 2 \(process \d+ on .*\) ends all ranks, by WriteError", result.stderr)
    assert sorted(file.name for file in tmp_path.glob("*.*")) == [
        "0.params", "0.states", "1.params", "1.states", "2.params",
    ]  # fmt: skip
    for each in weights(2, tmp_path, "compiled", "resume", by=by):
        assert same_bits(each, whole)


OF_MPI = {"PMI_RANK": "0", "PMI_SIZE": "1"}
OF_TORCHRUN = {"RANK": "1", "WORLD_SIZE": "2", "MASTER_ADDR": "localhost", "MASTER_PORT": "1"}


@pytest.mark.parametrize(
    ("missing", "variables", "text"),
    [
        (("mpi4py", "torch"), {}, "a store of several machines needs mpi4py"),
        (("mpi4py",), OF_MPI, "mpirun has started this process, which needs mpi4py"),
        (("torch",), OF_TORCHRUN, "the variables RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT ask for torch.distributed"),
    ],
)
def test_what_is_not_installed_is_named(monkeypatch, missing, variables, text):
    for name in ("hybridize.kvstore.mpi", "hybridize.kvstore.gloo"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    for name in missing:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(os, "environ", os.environ | variables)
    remedy = r"pip install hybridize\[mpi\], and start the program with mpirun .* torchrun"
    with refusal(ArgumentError, f"(?s)E359: {text}.*{remedy}"):
        find_carrier()


def test_two_starters_that_number_a_process_differently_are_refused(monkeypatch):
    monkeypatch.setattr(os, "environ", os.environ | OF_MPI | OF_TORCHRUN)
    with refusal(ArgumentError, "E359: this process is rank 0 of 1 for mpirun, and rank 1 of 2 for torch.distributed"):
        find_carrier()


def test_without_mpi_a_process_that_nobody_has_started_is_alone(monkeypatch):
    monkeypatch.delitem(sys.modules, "hybridize.kvstore.mpi", raising=False)
    monkeypatch.setitem(sys.modules, "mpi4py.MPI", None)
    ranks = Ranks(find_carrier())
    assert ranks.size == 1
    assert ranks.gathered("a test", {"a": [1]}) == [{"a": [1]}]
    assert (ranks.broadcast("a test", numpy.arange(3.0)) == [0, 1, 2]).all()
    ranks.barrier()


@pytest.mark.parametrize("by", ["mpirun", WITH_TORCHRUN])
def test_values_under_keys_are_summed_over_ranks(tmp_path, by):
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
    result = subprocess.run(command_of(by, 3, sys.executable, program), capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
