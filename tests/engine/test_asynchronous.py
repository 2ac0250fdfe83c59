"""Asynchronous calls: values are those of calls one after the other, whoever reads or writes waits, errors come later."""

import copy
import gc
import io
import os
import pickle
import signal
import subprocess
import sys
import threading
import weakref
from contextlib import redirect_stdout

import numpy
import pytest

import hybridize
from hybridize import autograd, engine, gluon, nd, np, npx
from hybridize import hybridize as compiled
from hybridize.array.pending import QUEUE
from hybridize.base import config
from hybridize.base.access import ACCESS, READERS
from hybridize.base.modes import BUSY
from hybridize.errors import AssertionFailed, OutOfBoundsError, StateError
from tests.platforms.marks import forks, signals

X = numpy.arange(12, dtype="float32").reshape(3, 4)


@pytest.fixture(autouse=True)
def nothing_stays():
    """Whatever a test does, calls are as they were before it, and nothing counts a program that has ended."""
    before = READERS.value, int(BUSY[0]), list(ACCESS.marks)
    yield
    assert not engine.is_asynchronous()
    assert (READERS.value, int(BUSY[0]), list(ACCESS.marks)) == before
    assert not QUEUE._jobs and not QUEUE.reading and not QUEUE.writing and QUEUE._failure is None


class Gate:
    """Keeps programs from running until it is opened."""

    def __init__(self, monkeypatch):
        self.event = threading.Event()
        run = QUEUE._run_in_turn

        def waiting(job):
            assert self.event.wait(20)
            run(job)

        monkeypatch.setattr(QUEUE, "_run_in_turn", waiting)

    def open_soon(self):
        threading.Timer(0.02, self.event.set).start()


@pytest.fixture
def gate(monkeypatch):
    made = Gate(monkeypatch)
    yield made
    made.event.set()


@compiled
def double(x):
    return x * 2 + 1


def test_a_call_returns_before_its_program_runs(gate):
    x = np.array(X)
    with engine.asynchronous():
        y = double(x)
        z = double(y)
        assert (z.shape, z.dtype, z.ndim, z.size, str(z.type), len(z)) == ((3, 4), np.float32, 2, 12, "f32[3,4]", 3)
        assert len(QUEUE._jobs) == 2
        gate.open_soon()
        numpy.testing.assert_array_equal(z.asnumpy(), (X * 2 + 1) * 2 + 1)
        assert not QUEUE._jobs
    numpy.testing.assert_array_equal(y.asnumpy(), X * 2 + 1)


def test_the_end_of_the_block_waits(gate):
    with engine.asynchronous():
        y = double(np.array(X))
        gate.open_soon()
    assert gate.event.is_set()
    numpy.testing.assert_array_equal(y.asnumpy(), X * 2 + 1)


def printed(x):
    out = io.StringIO()
    with redirect_stdout(out):
        print(x)
    return out.getvalue()


READS = {
    "asnumpy": lambda y: y.asnumpy().tolist(),
    "tolist": lambda y: y.tolist(),
    "tobytes": lambda y: y.tobytes(),
    "item": lambda y: y.item(5),
    "repr": repr,
    "print": printed,
    "html": lambda y: y._repr_html_(),
    "float": lambda y: float(y[1, 1]),
    "bool": lambda y: bool(y[1, 1]),
    "format": lambda y: f"{y[1, 1]:.2f}",
    "operator": lambda y: (y + 1).tolist(),
    "reflected operator": lambda y: (1 - y).tolist(),
    "comparison": lambda y: (y > 7).tolist(),
    "function": lambda y: np.sum(y).item(),
    "another function": lambda y: np.concatenate([y, y]).tolist(),
    "product": lambda y: np.dot(y, y.T).tolist(),
    "index": lambda y: y[1].tolist(),
    "gathered": lambda y: y[np.array([0, 2])].tolist(),
    "transposed": lambda y: y.T.tolist(),
    "reshaped": lambda y: y.reshape(-1).tolist(),
    "iterated": lambda y: [row.tolist() for row in y],
    "copy": lambda y: y.copy().tolist(),
    "copied": lambda y: copy.deepcopy(y).tolist(),
    "pickled": lambda y: pickle.loads(pickle.dumps(y)).tolist(),
    "cast": lambda y: y.astype("float64").tolist(),
    "numpy": lambda y: numpy.asarray(y).tolist(),
    "numpy function": lambda y: float(numpy.sum(y)),
    "memory": lambda y: bytes(y.data),
    "dlpack": lambda y: numpy.from_dlpack(y).tolist(),
    "array": lambda y: np.array(y).tolist(),
    "detached": lambda y: y.detach().tolist(),
    "written in place": lambda y: [y.__iadd__(1), y.tolist()][1],
    "written in part": lambda y: [y.__setitem__(0, 7.0), y.tolist()][1],
    "as an argument": lambda y: double(y).tolist(),
    "waited for": lambda y: [y.wait_to_read(), y.tolist()][1],
    "all waited for": lambda y: [npx.waitall(), y.tolist()][1],
    "all waited for by nd": lambda y: [nd.waitall(), y.tolist()][1],
}


@pytest.mark.parametrize("read", READS)
def test_whoever_reads_waits(gate, read):
    x = np.array(X)
    expected = READS[read](double(x))
    with engine.asynchronous():
        y = double(x)
        gate.open_soon()
        assert READS[read](y) == expected
        assert not QUEUE._jobs


WRITES = {
    "item": lambda x: x.__setitem__((0, 0), 9.0),
    "all": lambda x: x.__setitem__(..., 3.0),
    "operator": lambda x: x.__iadd__(1.0),
    "view": lambda x: x[1].__setitem__(slice(None), 5.0),
    "out": lambda x: np.add(x, 1, out=x),
    "gathered": lambda x: x.__setitem__(np.array([0, 2]), 4.0),
    "numpy": lambda x: numpy.asarray(x).__setitem__(0, 8.0),
    "memory": lambda x: memoryview(x.data).cast("B").cast("f").__setitem__(0, 8.0),
}


@pytest.mark.parametrize("size", [4, 4000])
@pytest.mark.parametrize("write", WRITES)
def test_whoever_writes_waits_for_those_that_read(gate, write, size):
    given = numpy.arange(3 * size, dtype="float32").reshape(3, size)
    x = np.array(given)
    after = np.array(given)
    WRITES[write](after)
    with engine.asynchronous():
        y = double(x)
        gate.open_soon()
        WRITES[write](x)
        numpy.testing.assert_array_equal(y.asnumpy(), given * 2 + 1)
        numpy.testing.assert_array_equal(x.asnumpy(), after.asnumpy())


def test_what_users_hand_in_may_be_written_at_once(gate):
    mine = X.copy()
    seen = np.array(X)
    outside = numpy.asarray(seen)
    with engine.asynchronous():
        one, other = double(mine), double(seen)
        assert len(QUEUE._jobs) == 2
        mine[:] = 0
        outside[:] = 0
        gate.open_soon()
        numpy.testing.assert_array_equal(one.asnumpy(), X * 2 + 1)
        numpy.testing.assert_array_equal(other.asnumpy(), X * 2 + 1)


def counting():
    """A program that writes state, and a view of that state from before."""
    state = np.zeros((2, 3))

    @compiled
    def step(x):
        state[:] = state * 2 + x
        return state.sum()

    return state, state[1], step


def test_state_is_written_in_the_order_of_calls(gate):
    state, row, step = counting()
    with engine.asynchronous():
        sums = [step(k) for k in (np.ones(3), np.ones(3) * 2, np.ones(3) * 3)]
        assert len(QUEUE._jobs) == 3
        gate.open_soon()
        assert row.tolist() == [11, 11, 11]  # ((0 * 2 + 1) * 2 + 2) * 2 + 3
        assert state.tolist() == [[11, 11, 11]] * 2
        assert [float(one) for one in sums] == [6, 24, 66]


def test_a_write_between_calls_is_seen_by_the_later_one(gate):
    state, row, step = counting()
    with engine.asynchronous():
        step(np.ones(3))
        gate.open_soon()
        row[:] = 10
        step(np.ones(3))
        assert state.tolist() == [[3, 3, 3], [21, 21, 21]]


def test_state_that_others_see_is_written_at_once(gate):
    gate.event.set()
    state, _, step = counting()
    step(np.ones(3))
    outside = numpy.asarray(state)
    with engine.asynchronous():
        step(np.ones(3))
        assert outside.tolist() == [[3, 3, 3]] * 2


def test_packed_weights_follow_updates():
    """A later call reads a copy of the weight as the update has left it, not as it was when the update was called."""
    weight = np.array(numpy.eye(64, dtype="float32"))
    layer = compiled(lambda x: npx.fully_connected(x, weight, None, num_hidden=64, no_bias=True))

    @compiled
    def update():
        weight[:] = weight * 2
        return weight.sum()

    x = np.ones((2, 64))
    layer(x), layer(x), update()
    with engine.asynchronous():
        found = []
        for _ in range(4):
            found.append(layer(x))
            update()
            found.append(layer(x))
        assert [float(one[0, 0]) for one in found] == [2, 4, 4, 8, 8, 16, 16, 32]


# ---------------------------------------------------------------------------------------------------------- errors


TABLE = np.arange(12.0).reshape(4, 3)


@compiled
def row(i):
    return TABLE[i]


row(np.array([1, 2]))


def test_an_error_is_raised_where_somebody_waits_and_names_the_call(gate):
    with engine.asynchronous():
        good = row(np.array([0, 1]))
        bad = row(np.array([0, 9]))  # this line
        later = double(np.array(X))
        gate.open_soon()
        assert good.tolist() == [[0, 1, 2], [3, 4, 5]]
        with pytest.raises(OutOfBoundsError, match=r"E110.*\n.*in row:  return TABLE\[i\]") as caught:
            bad.asnumpy()
        (note,) = caught.value.__notes__
        assert "test_asynchronous.py" in note and note.endswith("bad = row(np.array([0, 9]))  # this line")
        depth = len(caught.traceback)
        for _ in range(3):  # each time, and no longer than before
            with pytest.raises(OutOfBoundsError) as again:
                bad + 1
            assert again.value is caught.value and len(again.traceback) <= depth + 2
        with pytest.raises(OutOfBoundsError):
            later.item(0)  # it would not have been called
        npx.waitall()  # everybody has heard of it
        assert row(np.array([3])).tolist() == [[9, 10, 11]]
    with pytest.raises(OutOfBoundsError):
        bad.tolist()
    with pytest.raises(OutOfBoundsError):
        double(later)


@pytest.mark.parametrize("wait", [npx.waitall, lambda: engine.set_asynchronous(False), lambda: autograd_call()])
def test_the_first_error_is_raised_by_whoever_waits_for_all(gate, wait):
    engine.set_asynchronous(True)
    try:
        row(np.array([7]))
        row(np.array([-7]))
        gate.open_soon()
        with pytest.raises(OutOfBoundsError) as caught:
            wait()
        assert "[7]" in caught.value.__notes__[0]
        npx.waitall()
    finally:
        engine.set_asynchronous(False)


def autograd_call():
    """A call that cannot be asynchronous."""
    x = np.ones(3)
    x.attach_grad()
    with autograd.record():
        return double(x)


def test_the_end_of_the_block_raises():
    with pytest.raises(OutOfBoundsError), engine.asynchronous():
        row(np.array([7]))
    assert not engine.is_asynchronous()


def test_an_error_of_the_block_says_that_a_call_has_failed_too():
    @engine.asynchronous()
    def work():
        row(np.array([7]))
        return 1 / 0

    with pytest.raises(ZeroDivisionError) as caught:
        work()
    assert "OutOfBoundsError" in caught.value.__notes__[0]


def test_state_is_that_before_the_call_that_failed(gate):
    state = np.zeros(3)

    @compiled
    def step(x):
        npx.assert_(x.sum() < 100, "too large")  # noqa: PT009
        state[:] = state + x
        return state.sum()

    step(np.ones(3))
    with engine.asynchronous():
        step(np.ones(3))
        step(np.full(3, 1000.0))
        step(np.ones(3))
        gate.open_soon()
        with pytest.raises(AssertionFailed, match="too large"):
            state.tolist()
        assert state.tolist() == [2, 2, 2]
        step(np.ones(3))
        assert state.tolist() == [3, 3, 3]


def test_a_step_that_fails_counts_no_update(gate):
    def steps(asynchronous):
        gate.event.set()
        npx.random.seed(1)
        net = gluon.nn.Dense(2, in_units=3)
        net.initialize(init=hybridize.init.One())
        schedule = hybridize.lr_scheduler.FactorScheduler(1, factor=0.5, base_lr=0.5)
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"lr_scheduler": schedule})

        @compiled
        def step(x):
            npx.assert_(x.sum() < 100, "too large")  # noqa: PT009
            with autograd.record():
                loss = (net(x) ** 2).sum()
            loss.backward()
            trainer.step(1)
            return loss

        step(np.ones((1, 3)) / 8)
        gate.event.clear()
        with engine.asynchronous(asynchronous):
            for scale in (1, 1000, 1):
                if not asynchronous:
                    gate.event.set()
                try:
                    step(np.ones((1, 3)) / 8 * scale)
                except AssertionFailed:
                    assert not asynchronous
                    break
            gate.open_soon()
            if asynchronous:
                with pytest.raises(AssertionFailed):
                    npx.waitall()
            step(np.ones((1, 3)) / 8)
            return net.weight.data().asnumpy(), trainer._optimizer.num_update, trainer.learning_rate

    now, later = steps(False), steps(True)
    numpy.testing.assert_array_equal(now[0], later[0])
    assert now[1:] == later[1:]
    assert now[1] == 3


def test_an_error_of_which_nobody_has_heard_is_shown_at_the_end():
    code = "import hybridize as mx; from hybridize import np\nt = np.arange(4.0)\nf = mx.hybridize(lambda i: t[i])\nf(np.array([9]))\n"
    done = run(code, MXNET_ENGINE_TYPE="ThreadedEngine")
    assert (
        "nobody waited for it" in done.stderr and "E110" in done.stderr and "at <string>:4 in <module>" in done.stderr
    )


# --------------------------------------------------------------------------------------------- what else may come


def run(code, **env):
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **env}, check=False)


def test_the_environment_chooses(monkeypatch):
    """That it is heard at the import, the test before this one shows."""
    engines = {"": False, "NaiveEngine": False, "ThreadedEngine": True, "ThreadedEnginePerDevice": True}
    for name, expected in engines.items():
        monkeypatch.setenv("MXNET_ENGINE_TYPE", name)
        assert config._is_asynchronous() is expected
    monkeypatch.setenv("MXNET_ENGINE_TYPE", "naive")
    with pytest.raises(hybridize.errors.ArgumentError, match="E348: MXNET_ENGINE_TYPE takes NaiveEngine, Th"):
        config._is_asynchronous()


def test_at_most_so_many_calls_wait(gate):
    with engine.asynchronous(pending=2):
        found = [double(np.array(X)), double(np.array(X))]
        gate.open_soon()
        found.append(double(np.array(X)))
        assert gate.event.is_set()
    assert all(one.tolist() == (X * 2 + 1).tolist() for one in found)
    for bad in (0, -1, 1.5, "2", True):
        with (
            pytest.raises(hybridize.errors.ValueArgumentError, match="E353: pending must"),
            engine.asynchronous(pending=bad),
        ):
            raise AssertionError


def test_prints_keep_their_order(gate):
    @compiled
    def speaking(x):
        print("program", x.sum())
        return x

    speaking(np.ones(2))
    with engine.asynchronous():
        out = io.StringIO()
        y = double(np.ones(2))
        gate.open_soon()
        with redirect_stdout(out):
            print("before")
            speaking(y)
            print("after")
        assert out.getvalue() == "before\nprogram 6.0\nafter\n"


def test_numbers_and_changes_of_objects(gate):
    kept = []

    @compiled
    def keeping(x):
        kept.append(x * 3)
        return {"y": x + 1, "one": (x, None)}

    numbered = compiled(lambda x: float(x.sum()) if x.ndim else 0.0)
    keeping(np.ones(2)), numbered(np.ones(2))
    with engine.asynchronous():
        x = np.ones(2)
        found = keeping(x)
        assert len(QUEUE._jobs) == 1 and found["one"] == (x, None) and found["one"][0] is x
        gate.open_soon()
        assert numbered(found["y"]) == 4.0
        assert kept[-1].tolist() == [3, 3] and found["y"].tolist() == [2, 2]


def test_views_in_results_are_pending_too(gate):
    pair = compiled(lambda x: (x * 2, (x * 2).T, x.T))
    pair(np.array(X))
    both = compiled(lambda x: [y := x * 2, y.T, y[0]])
    both(np.array(X))
    with engine.asynchronous():
        x = np.array(X)
        whole, turned, first = both(x)
        assert len(QUEUE._jobs) == 1 and turned.shape == (4, 3)
        gate.open_soon()
        assert turned.tolist() == (X * 2).T.tolist() and first.tolist() == (X * 2)[0].tolist()
        whole[0, 0] = 7
        assert turned[0, 0] == 7 and first[0] == 7
        assert [one.tolist() for one in pair(x)] == [(X * 2).tolist(), (X * 2).T.tolist(), X.T.tolist()]


def trained(seed, record):
    """Losses and weights of a few steps, one program each or recorded by a tape."""
    hybridize.random.seed(seed)
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dense(8, activation="relu", in_units=4), gluon.nn.BatchNorm(in_channels=8), gluon.nn.Dropout(0.5))
    net.add(gluon.nn.Dense(2, in_units=8))
    net.initialize()
    net.hybridize()
    loss_fn = gluon.loss.L2Loss()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})

    def step(x, y):
        with autograd.record():
            loss = loss_fn(net(x), y).mean()
        loss.backward()
        trainer.step(1)
        return loss

    if not record:
        step = compiled(step)
    losses = []
    for k in range(6):
        x = np.random.normal(0, 1, (5, 4))
        losses.append(step(x, np.ones((5, 2)) * k))
    numbers = [float(loss) for loss in losses]
    return numbers, [p.data().asnumpy() for p in net.collect_params().values()], np.random.uniform(size=3).tolist()


@pytest.mark.parametrize("record", [False, True])
def test_training_is_the_same(record):
    expected = trained(3, record)
    with engine.asynchronous():
        found = trained(3, record)
    assert found[0] == expected[0] and found[2] == expected[2]
    for one, other in zip(found[1], expected[1], strict=True):
        numpy.testing.assert_array_equal(one, other)


def test_what_a_tape_has_kept_must_not_be_written(gate):
    gate.event.set()
    state, _, step = counting()
    step(np.ones(3))
    state.attach_grad()
    x = np.ones((2, 3))
    x.attach_grad()
    with engine.asynchronous():
        with autograd.record():
            y = x * state.detach()
        step(np.ones(3))
        with pytest.raises(StateError):
            y.backward()


def test_several_threads():
    state = np.zeros(2000)

    @compiled
    def add(x):
        state[:] = state + x
        return state.sum()

    one = np.ones(2000)
    add(one)
    problems = []

    def work():
        try:
            for _ in range(20):
                add(one)
                total = state.asnumpy()
                if (total != total[0]).any():
                    problems.append(total)
        except BaseException as error:
            problems.append(error)

    with engine.asynchronous():
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for _ in range(20):
            add(one)
        for thread in threads:
            thread.join()
        assert problems == []
        assert state.tolist() == [101.0] * 2000


@pytest.mark.parametrize("shared", [False, True])
def test_a_thread_that_is_late_marks_nothing(shared):
    """It was about to say that there are two threads when calls were made synchronous: nothing would take that back."""
    x = np.array(X)
    with engine.asynchronous():
        read = type(x)._data.fget
        if shared:
            in_thread(lambda: read(x))
    for late in (lambda: read(x), QUEUE.share, lambda: QUEUE.before_write((x._data,))):
        in_thread(late)
        assert not QUEUE.is_shared
    assert not ACCESS.marks


def in_thread(work):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def test_eager_operations_of_one_thread_run_beside_a_program(gate):
    gate.event.set()
    state, _, step = counting()
    step(np.ones(3))
    x = np.array(X)
    with engine.asynchronous():
        double(x).wait_to_read()
        gate.event.clear()
        step(np.ones(3))
        double(x)
        y = np.array(X) + 1
        y += 1
        y[0] = 5
        big = np.ones(5000)
        big += y.sum()
        assert (x + y).shape == (3, 4) and float(big[0]) == 1 + float(y.sum())
        assert len(QUEUE._jobs) == 2  # nobody has waited
        gate.event.set()
        assert state.tolist() == [[3, 3, 3]] * 2


@forks
def test_a_fork_takes_what_is_pending_along(gate):
    gate.event.set()
    state, _, step = counting()
    step(np.ones(3))
    with engine.asynchronous():
        gate.event.clear()
        y = double(np.array(X))
        step(np.ones(3))
        child = os.fork()
        gate.event.set()
        if child == 0:
            fine = y.tolist() == (X * 2 + 1).tolist() and state.tolist() == [[3, 3, 3]] * 2
            fine = fine and double(np.ones(2)).tolist() == [3, 3] and len(QUEUE._jobs) == 0
            os._exit(0 if fine else 1)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        assert state.tolist() == [[3, 3, 3]] * 2 and y.tolist() == (X * 2 + 1).tolist()


@signals
def test_an_interrupted_wait_can_be_taken_up_again(gate):
    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with engine.asynchronous():
            y = double(np.array(X))
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            with pytest.raises(KeyboardInterrupt):
                y.asnumpy()
            gate.event.set()
            assert y.tolist() == (X * 2 + 1).tolist()
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_process_ends_with_calls_pending():
    code = (
        "import hybridize as mx; from hybridize import np\nx = np.ones((300, 300))\nf = mx.hybridize(lambda x: np.dot(x, x) / 300)\n"
        "with mx.engine.asynchronous(): f(x)\nmx.engine.set_asynchronous(True)\nfor _ in range(40): x = f(x)\nprint('done', flush=True)"
    )
    done = run(code)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_results_may_be_dropped(gate):
    with engine.asynchronous():
        x = np.array(X)
        dropped = weakref.ref(x)
        double(x)
        del x
        gc.collect()
        gate.event.set()
        npx.waitall()
        assert dropped() is None


def test_entries_serve_calls_again_afterwards():
    once = compiled(lambda x: x + 3)
    x = np.ones(2)
    with engine.asynchronous():
        for _ in range(3):
            once(x)
    once(x)
    hits = once.cache_info().hits
    for _ in range(5):
        assert once(x).tolist() == [4, 4]
    assert once.cache_info().hits == hits


def test_blocks_in_blocks(gate):
    gate.event.set()
    x = np.array(X)
    with engine.asynchronous(pending=3):
        double(x)
        with engine.asynchronous(False):
            double(x)
            assert not QUEUE._jobs and not engine.is_asynchronous()
        assert engine.is_asynchronous() and QUEUE.limit == 3
        with engine.asynchronous():
            assert QUEUE.limit == 16
        assert engine.is_asynchronous() and QUEUE.limit == 3
    assert engine.set_asynchronous(False) is False


def test_python_that_a_program_calls_may_call_programs(gate):
    gate.event.set()

    class Twice(autograd.Function):
        def forward(self, x):
            return double(x) - 1

        def backward(self, dy):
            return dy * 2

    outer = compiled(lambda x: Twice()(x) + 1)
    assert outer(np.ones(2)).tolist() == [3, 3]
    with engine.asynchronous():
        double(np.ones(2))
        assert outer(np.ones(2)).tolist() == [3, 3]


def test_what_is_too_large_is_refused_at_the_call():
    wide = compiled(lambda x: np.broadcast_to(x, (1 << 20, 1 << 20, 1 << 10, len(x))) * 1.5)
    with engine.asynchronous():
        with pytest.raises(hybridize.errors.ShapeError, match="E1"):
            wide(np.ones(1 << 12))
        assert double(np.ones(2)).tolist() == [3, 3]


@pytest.mark.parametrize("use", READS)
def test_results_of_what_failed_raise_afterwards_too(use):
    engine.set_asynchronous(True)
    bad = row(np.array([9, 9]))
    with pytest.raises(OutOfBoundsError):
        engine.set_asynchronous(False)
    if not use.startswith("all waited"):
        with pytest.raises(OutOfBoundsError):
            READS[use](bad)


def test_a_failure_reaches_those_who_read_it_in_another_thread(gate):
    found = []

    def read(y):
        try:
            y.asnumpy()
        except OutOfBoundsError as error:
            found.append(error)

    with engine.asynchronous():
        bad = row(np.array([9]))
        threads = [threading.Thread(target=read, args=(bad,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        gate.event.set()
        for thread in threads:
            thread.join()
    assert len(found) == 3 and len({id(error) for error in found}) == 1
