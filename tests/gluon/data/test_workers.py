"""Worker processes: what they send, how they end, and that nothing is left of them."""

import gc
import multiprocessing
import os
import random as pythons
import signal
import subprocess
import sys
import threading
import time
import traceback
import warnings

import ml_dtypes
import numpy
import pytest

from hybridize import autograd, hybridize, np, random
from hybridize.base.modes import BUSY
from hybridize.errors import ArgumentError, StateError
from hybridize.gluon import data
from hybridize.gluon.data import transport
from hybridize.ops.op import ACTIVE, capturing
from tests.platforms.marks import forks

X = numpy.arange(46, dtype="float32").reshape(23, 2)
Y = numpy.arange(23, dtype="int32")
DS = data.ArrayDataset(X, Y)


def as_lists(loader):
    return [[part.asnumpy().tolist() for part in batch] for batch in loader]


def children():
    return {process.pid for process in multiprocessing.active_children()}


def descriptors():
    return len(os.listdir("/proc/self/fd"))


@pytest.fixture(autouse=True)
def nothing_is_left():
    gc.collect()  # what an earlier test of the process has left
    before, files = children(), descriptors()
    yield
    gc.collect()
    assert children() == before
    assert descriptors() == files


def test_batches_equal_those_made_here():
    for shuffle in (False, True):
        for last in ("keep", "discard", "rollover"):
            found = []
            for workers in (0, 2):
                random.seed(4)
                loader = data.DataLoader(DS, 5, shuffle, last_batch=last, num_workers=workers)
                found.append([as_lists(loader) for _ in range(3)])
            assert found[0] == found[1]


def test_large_batches_come_in_memory_of_their_own_and_may_be_written():
    big = numpy.random.default_rng(0).normal(size=(40, 64, 64)).astype("float32")
    kept = []
    for x, y in data.DataLoader(data.ArrayDataset(big, numpy.arange(40)), 16, num_workers=2):
        assert (x.asnumpy() == big[y.asnumpy()]).all()
        x += 1
        kept.append((x, y))
    gc.collect()
    for x, y in kept:  # outlive the loader and its workers
        assert (x.asnumpy() == big[y.asnumpy()] + 1).all()


def mixed(index):
    return {
        "half": np.ones((64, 128), dtype="bfloat16") * index,
        "columns": numpy.asfortranarray(numpy.full((100, 90), index, "int16")),
        "strided": numpy.arange(20000)[::2] + index,
        "none": numpy.zeros((0, 3)),
        "text": f"sample {index}",
    }


def test_anything_can_be_a_batch():
    loader = data.DataLoader(data.SimpleDataset(range(5)).transform(mixed), 2, batchify_fn=list, num_workers=2)
    for n, batch in enumerate(loader):
        for i, sample in enumerate(batch):
            index = 2 * n + i
            assert sample["text"] == f"sample {index}"
            assert sample["half"].dtype == ml_dtypes.bfloat16
            assert (sample["half"].asnumpy() == index).all()
            assert sample["columns"].dtype == "int16" and (sample["columns"] == index).all()
            assert (sample["strided"] == numpy.arange(0, 20000, 2) + index).all()
            assert sample["none"].shape == (0, 3)
    assert n == 2


def drawn(i):
    return float(random.uniform(size=(1,))[0]), pythons.random(), float(numpy.random.rand())


def test_random_numbers_follow_the_seed_not_the_workers():
    found = []
    for workers in (1, 3):
        random.seed(11)
        loader = data.DataLoader(data.SimpleDataset(range(12)).transform(drawn), 3, num_workers=workers)
        found.append([numpy.concatenate([b[k].asnumpy() for _ in range(2) for b in loader]) for k in range(3)])
    for one, other in zip(*found, strict=True):
        assert one.tolist() == other.tolist()
        assert len(set(one.tolist())) == 24, "two batches drew the same numbers"


def test_what_a_data_set_loads_in_a_worker_follows_the_seed(tmp_path):
    """NumPy loads its generators when they are first used, which may be in a worker."""
    program = tmp_path / "program.py"
    program.write_text(
        "import sys, numpy\n"
        "from hybridize import random\n"
        "from hybridize.gluon import data\n"
        "random.seed(5)\n"
        "assert 'numpy.random' not in sys.modules\n"
        "samples = data.SimpleDataset(range(6)).transform(lambda x: numpy.random.rand())\n"
        "print([b.asnumpy().tolist() for b in data.DataLoader(samples, 2, num_workers=int(sys.argv[1]))])\n"
    )
    found = {subprocess.check_output([sys.executable, str(program), count]) for count in "1123"}
    assert len(found) == 1


def test_workers_that_are_forked_while_recording_do_not_record():
    samples = data.SimpleDataset(range(6)).transform(
        lambda x: (autograd.is_recording(), autograd.is_training(), int(BUSY[0]), len(ACTIVE), capturing())
    )
    loader = data.DataLoader(samples, 3, num_workers=1)
    with autograd.record():
        found = [part.asnumpy().any() for batch in loader for part in batch]
        assert autograd.is_recording()
    assert not any(found) and len(found) == 10


def test_none_is_a_batch_too():
    loader = data.DataLoader([1, 2, 3], 2, batchify_fn=lambda samples: None, num_workers=1, timeout=20)
    assert list(loader) == [None, None]


def test_batches_that_are_kept_do_not_use_up_descriptors():
    before = descriptors()
    loader = data.DataLoader(numpy.arange(400, dtype="float32").repeat(10000).reshape(400, 10000), 1, num_workers=2)
    kept = list(loader)
    assert descriptors() - before < transport.IN_USE_AT_MOST + 10
    assert [float(batch.asnumpy().max()) for batch in kept] == list(range(400))
    kept[-1][...] = 7.0  # a copy is the user's as well
    del kept, loader
    gc.collect()
    assert not transport._IN_USE


@pytest.mark.parametrize("threads", [False, True])
def test_a_timeout_may_be_endless(threads):
    loader = data.DataLoader([1, 2, 3], 2, num_workers=1, timeout=float("inf"), thread_pool=threads)
    assert [batch.asnumpy().tolist() for batch in loader] == [[1, 2], [3]]


def test_workers_stay_between_epochs_and_end_with_the_loader():
    before = children()
    loader = data.DataLoader(DS.transform(lambda x, y: (x, os.getpid())), 5, num_workers=2)
    first = {pid for _, pids in loader for pid in pids.asnumpy().tolist()}
    second = {pid for _, pids in loader for pid in pids.asnumpy().tolist()}
    assert first | second <= children() - before
    assert len(children() - before) == 2
    assert os.getpid() not in first
    del loader
    gc.collect()
    assert children() == before


def test_breaking_off_and_beginning_anew():
    loader = data.DataLoader(DS, 2, num_workers=2)
    expected = as_lists(data.DataLoader(DS, 2))
    for stop in (1, 3, 5):
        for number, _ in enumerate(loader, 1):
            if number == stop:
                break
        assert as_lists(loader) == expected
    one, other = iter(loader), iter(loader)  # two at once
    pairs = [(next(one)[1].asnumpy().tolist(), next(other)[1].asnumpy().tolist()) for _ in range(4)]
    assert pairs == [(batch[1], batch[1]) for batch in expected[:4]]
    assert [batch[1].asnumpy().tolist() for batch in other] == [batch[1] for batch in expected[4:]]


def test_two_threads_iterate_one_loader():
    loader, found = data.DataLoader(DS, 2, num_workers=2), []
    threads = [threading.Thread(target=lambda: found.append(as_lists(loader))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == [as_lists(data.DataLoader(DS, 2))] * 2


def kill_at(number):
    def f(x, y):
        if y == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return x, y

    return f


def test_a_worker_that_dies_is_an_error_and_the_next_epoch_has_new_ones():
    loader = data.DataLoader(DS.transform(kill_at(11)), 2, num_workers=2)
    for _ in range(2):
        with pytest.raises(StateError, match=r"E570.*batch 5: SIGKILL") as caught:
            list(loader)
        assert "memory" in caught.value.help


def test_a_worker_that_leaves():
    def leave(x, y):
        if y == 4:
            sys.exit(7)
        return x, y

    with pytest.raises(StateError, match=r"E570.*exit code"):
        list(data.DataLoader(DS.transform(leave), 2, num_workers=1))


def test_a_worker_that_died_between_epochs():
    loader = data.DataLoader(DS.transform(lambda x, y: (x, os.getpid())), 5, num_workers=1)
    (pid,) = {pid for _, pids in loader for pid in pids.asnumpy().tolist()}
    os.kill(pid, signal.SIGKILL)
    time.sleep(0.2)
    with pytest.raises(StateError, match="E570"):
        list(loader)
    assert len(list(loader)) == 5


def test_a_loader_within_a_worker_has_no_workers():
    def nested(x, y):
        return next(iter(data.DataLoader(DS, 23, num_workers=1)))[1], y

    with pytest.raises(ArgumentError, match=r"E375.*in a worker process"):
        list(data.DataLoader(DS.transform(nested), 5, num_workers=1))

    def alone(x, y):
        return next(iter(data.DataLoader(DS, 23)))[1], y

    (whole, _), *_ = data.DataLoader(DS.transform(alone), 5, num_workers=1)
    assert whole.asnumpy()[2].tolist() == list(range(23))


INTERRUPTED = """
import faulthandler, os, signal, threading, time
from hybridize import gluon
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may have it ignored
faulthandler.dump_traceback_later(100, exit=True)  # where it waits, if it ever does
loader = gluon.data.DataLoader(gluon.data.SimpleDataset(range(100000)), 10, num_workers=2, timeout=30)
for _ in range(20):
    threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        end = time.monotonic() + 2  # an interruption that comes within a finalizer is not raised
        while time.monotonic() < end:
            for batch in loader: pass
    except KeyboardInterrupt:
        pass
print([int(batch[0]) for batch, _ in zip(loader, range(3))], flush=True)
"""


def test_after_an_interruption_the_next_epoch_is_right():
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "[0, 10, 20]", f"{done.returncode} {done.stderr}"


def test_a_batch_that_does_not_come():
    loader = data.DataLoader(DS.transform(lambda x, y: time.sleep(60)), 2, num_workers=2, timeout=0.3)
    start = time.monotonic()
    with pytest.raises(StateError, match=r"E571: batch 0 .* 0.3 s"):
        list(loader)
    assert time.monotonic() - start < 20


def faulty(x, y):
    if y == 13:
        raise KeyError("no such picture")
    return x, y


def test_the_users_exception_arrives_with_its_line():
    loader = data.DataLoader(DS.transform(faulty), 5, num_workers=2)
    for _ in range(2):  # and the loader goes on
        taken = []
        with pytest.raises(KeyError, match="no such picture") as caught:
            taken.extend(loader)
        assert len(taken) == 2
        text = "".join(traceback.format_exception(caught.value))
        assert "making batch 2" in text
        assert "reading sample 13 of the data set" in text
        assert 'raise KeyError("no such picture")' in text and "in faulty" in text


def test_our_own_errors_arrive_whole():
    def shapes(x, y):
        return np.ones(2) @ np.ones(int(y) + 2), y

    with pytest.raises(ValueError, match="E102") as here:
        list(data.DataLoader(DS.transform(shapes), 5))
    with pytest.raises(ValueError, match="E102") as there:
        list(data.DataLoader(DS.transform(shapes), 5, num_workers=1))
    assert str(there.value) == str(here.value)
    assert "return np.ones(2) @" in str(there.value)


def test_an_exception_that_cannot_be_sent():
    class Local(Exception):
        def __init__(self, one, two):
            super().__init__(one)

    def fail(x, y):
        raise Local("mine", 2)

    with pytest.raises(StateError, match=r"(?s)E572.*Local: mine"):
        list(data.DataLoader(DS.transform(fail), 5, num_workers=1))


def test_a_batch_that_cannot_be_sent():
    with pytest.raises((StateError, AttributeError, TypeError)) as caught:
        list(data.DataLoader(DS, 5, num_workers=1, batchify_fn=lambda samples: lambda: samples))
    assert "pickle" in str(caught.value)


def test_hybridized_code_runs_in_workers():
    """The parent's programs and threads were there before the fork."""

    @hybridize
    def f(x):
        return np.tanh(x) * 2 + 1

    expected = f(np.array(X[3])).asnumpy()
    loader = data.DataLoader(DS.transform(lambda x, y: (f(np.array(x)), y)), 5, num_workers=2)
    assert next(iter(loader))[0].asnumpy()[3].tolist() == expected.tolist()


@forks
def test_a_forked_process_makes_workers_of_its_own():
    loader = data.DataLoader(DS, 5, num_workers=1)
    expected = as_lists(loader)
    pid = os.fork()
    if not pid:
        code = 1
        try:
            code = 0 if as_lists(loader) == expected else 2
            loader._workers.shutdown()
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert as_lists(loader) == expected


def test_no_warning_of_threads_that_are_made_anew(monkeypatch, recwarn):
    """Python 3.12 and later give it where this process has threads."""
    fork = os.fork

    def warning():
        text = "This process (pid=1) is multi-threaded, use of fork() may lead to deadlocks in the child."
        warnings.warn(text, DeprecationWarning, stacklevel=2)
        return fork()

    monkeypatch.setattr(os, "fork", warning)
    assert len(list(data.DataLoader(DS, 5, num_workers=1))) == 5
    assert [str(one.message) for one in recwarn] == []


SPAWNED = """
import multiprocessing, numpy, operator
from hybridize import errors, gluon
if __name__ == '__main__':
    multiprocessing.set_start_method('spawn')
    ds = gluon.data.ArrayDataset(numpy.arange(6.0), numpy.arange(6))
    loader = gluon.data.DataLoader(ds.transform_first(operator.neg), 4, num_workers=1)
    print([x.asnumpy().tolist() for x, _ in loader])
    try:
        list(gluon.data.DataLoader(ds.transform(lambda x, y: x), 4, num_workers=1))
    except errors.ArgumentError as error:
        print(error.code, error.help)
"""


def test_spawned_workers(tmp_path):
    """A program of its own: what is sent must be found by name there, and what cannot be is refused."""
    path = tmp_path / "spawned.py"
    path.write_text(SPAWNED)
    env = os.environ | {"PYTHONPATH": os.getcwd()}
    done = subprocess.run([sys.executable, path], env=env, capture_output=True, text=True, timeout=120)
    batches, refused = done.stdout.splitlines()
    assert batches == "[[-0.0, -1.0, -2.0, -3.0], [-4.0, -5.0]]", done.stderr
    assert refused.startswith("E383") and "thread_pool" in refused


ORPHANS = """
import os, time
from hybridize import gluon
loader = gluon.data.DataLoader(
    gluon.data.SimpleDataset(range(40)).transform(lambda i: (os.getpid(), time.sleep(0.01))[0]), 1, num_workers=2
)
other = gluon.data.DataLoader(gluon.data.SimpleDataset(range(4)).transform(lambda i: os.getpid()), 1, num_workers=1)
found = {int(batch.asnumpy()[0]) for batch in loader} | {int(batch.asnumpy()[0]) for batch in other}
it = iter(loader); next(it)
print(*found, flush=True)
END
"""


@forks
@pytest.mark.parametrize("end", ["os.kill(os.getpid(), 9)", "os._exit(0)", "raise SystemExit(0)", "1 / 0"])
def test_no_worker_outlives_its_program(end):
    code = ORPHANS.replace("END", end)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    pids = [int(pid) for pid in done.stdout.split()]
    assert len(pids) >= 2, done.stderr
    deadline = time.monotonic() + 20
    while any(os.path.exists(f"/proc/{pid}") for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.02)
    left = [pid for pid in pids if os.path.exists(f"/proc/{pid}") and not zombie(pid)]
    assert left == []


def zombie(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def test_without_nameless_memory_arrays_come_through_the_pipe(monkeypatch):
    monkeypatch.delattr(os, "memfd_create")
    big = numpy.arange(100000.0)
    (batch,) = data.DataLoader(data.ArrayDataset(big), 100000, num_workers=1)
    assert (batch.asnumpy() == big).all()
    batch[0] = 5


def test_transport_by_itself():
    ours, theirs = multiprocessing.Pipe()
    arrays = [numpy.arange(n, dtype=d) for n in (0, 1, 7, 9000) for d in ("uint8", "float64")]
    transport.send(theirs, "batch", 3, arrays)
    kind, serial, body, buffers = transport.receive(ours)
    assert (kind, serial) == ("batch", 3)
    for found, expected in zip(transport.unpacked(body, buffers), arrays, strict=True):
        assert found.dtype == expected.dtype and (found == expected).all()
        assert found.ctypes.data % found.dtype.itemsize == 0
    ours.close()
    theirs.close()
