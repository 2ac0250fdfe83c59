"""Weights that one thread writes are seen whole by the others: as they were before, or after, never half."""

import os
import signal
import threading
import time

import pytest

from hybridize import autograd, gluon, hybridize, np
from hybridize.base import access
from hybridize.base.errors import HybridizeError
from hybridize.gluon import nn
from hybridize.ops.op import ACTIVE
from tests.platforms.marks import forks, signals

SIZE = 1024
"""A weight of [SIZE, SIZE] takes so long to write and to read that threads switch in the middle."""
TIMES = 30
LIMIT = 20.0
"""Seconds in which all have been at it TIMES times, however slow the machine: else somebody starves."""


def mixed(read, write, readers=2):
    """Run `write(k)` in one thread and `read()` in others, each TIMES times at least; return what was read half."""
    start, found, errors = time.monotonic(), [], []
    counts = [0] * (readers + 1)

    def repeat(number, work):
        try:
            while min(counts) < TIMES and not errors and not found:
                assert time.monotonic() - start < LIMIT, f"somebody starves: {counts}"
                values = work(counts[number])
                if values is not None and values.min() != values.max():
                    found.append((values.min(), values.max()))
                counts[number] += 1
        except BaseException as error:
            errors.append(error)

    work = [write, *[lambda _: read()] * readers]
    threads = [threading.Thread(target=repeat, args=pair) for pair in enumerate(work)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT + 10)
    assert not any(thread.is_alive() for thread in threads), "a thread hangs"
    if errors:
        raise errors[0]
    return found


def dense():
    net = nn.Dense(SIZE, in_units=SIZE, use_bias=False)
    net.initialize("ones")
    return net


# ------------------------------------------------------------------------------------------------------ who reads


def hybridized_block(net):
    other = nn.HybridSequential()
    other.add(net)
    other.hybridize()
    x = np.ones((8, SIZE))
    return lambda: other(x).asnumpy()


def closure(net):
    weight = net.weight.data()
    function = hybridize(lambda x: (weight * x).sum(1) + weight[0, 0] * 0)
    x = np.ones((SIZE,))
    return lambda: function(x).asnumpy()


class Rows(nn.HybridBlock):
    """The products of the rows of a weight and a vector, without BLAS, whose threads wait long for a busy processor."""

    def __init__(self, weight):
        super().__init__()
        self.weight = weight

    def forward(self, x):
        return (self.weight.data() * x).sum(1)


def imperative_block(net):
    rows, x = Rows(net.weight), np.ones((SIZE,))
    return lambda: rows(x).asnumpy()


def recorded_block(net):
    rows, x = Rows(net.weight), np.ones((SIZE,))

    def read():
        with autograd.record():
            return rows(x).asnumpy()

    return read


def imperative_operator(net):
    weight, x = net.weight.data(), np.ones((SIZE,))
    return lambda: (weight * x).asnumpy()


def values(net):
    weight = net.weight.data()
    return lambda: weight.asnumpy()


READERS = [hybridized_block, closure, imperative_block, recorded_block, imperative_operator, values]

# ------------------------------------------------------------------------------------------------------ who writes


def set_data(net, _):
    values = [np.full((SIZE, SIZE), float(k)) for k in range(4)]
    return lambda k: net.weight.set_data(values[k % 4])


def assignment(net, _):
    def write(k):
        net.weight.data()[:] = float(k % 4)

    return write


def in_place_add(net, _):
    weight = net.weight.data()
    one = np.ones((SIZE, SIZE))

    def write(_):
        nonlocal weight
        weight += one

    return write


def load_parameters(net, tmp_path):
    other = dense()
    for k in range(2):
        other.weight.set_data(np.full((SIZE, SIZE), float(k)))
        other.save_parameters(str(tmp_path / f"{k}.params"))
    return lambda k: net.load_parameters(str(tmp_path / f"{k % 2}.params"))


def trainer_step(net, _):
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1.0})
    with autograd.record():
        loss = net(np.ones((1, SIZE))).sum()
    loss.backward()

    def write(_):
        net.weight.data()._traced.variable.fresh = True
        trainer.step(1)

    return write


def compiled_write(net, _):
    weight = net.weight.data()

    @hybridize
    def write(x):
        weight[:] = weight + x

    return lambda _: write(np.ones((1,)))


def compiled_step(net, _):
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1.0})

    @hybridize
    def step(x):
        with autograd.record():
            loss = net(x).sum()
        loss.backward()
        trainer.step(1)

    return lambda _: step(np.ones((1, SIZE)))


WRITERS = [set_data, assignment, in_place_add, load_parameters, trainer_step, compiled_write, compiled_step]


PAIRS = [(reader, writer) for reader in READERS[:2] for writer in WRITERS]
PAIRS += [(reader, writer) for reader in READERS[2:] for writer in (set_data, in_place_add, compiled_step)]


@pytest.mark.parametrize(("reader", "writer"), PAIRS, ids=lambda one: one.__name__)
def test_weights_are_seen_whole(reader, writer, tmp_path):
    net = dense()
    read, write = reader(net), writer(net, tmp_path)
    for k in range(3):  # compiled, called by their entries
        read()
        write(k)
    assert mixed(read, write) == []


# ---------------------------------------------------------------------------------------- nobody waits for ever


def quiet():
    """Tell whether the numbers are as they are when nobody reads or writes."""
    nobody = not (access.READERS or access.WRITER or access.ACCESS.queued or access.ACCESS.waiting)
    return nobody and not ACTIVE and not access.STATE._is_owned()


def in_time(work, seconds=20):
    """Run `work()` in a thread; raise what it raises, and fail where it hangs."""
    errors = []

    def run():
        try:
            work()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    assert not thread.is_alive(), "it hangs"
    if errors:
        raise errors[0]


class Held:
    """A reader, or a writer, that stays in the middle of it until `free` is called."""

    def __init__(self, kind):
        self._free, begun = threading.Event(), threading.Event()

        def hold():
            begun.set()
            self._free.wait(20)

        def read():
            access.begin_reading()
            try:
                hold()
            finally:
                access.READERS.value -= 1

        work = read if kind == "reader" else lambda: access.exclusively(hold)
        self._thread = threading.Thread(target=work)
        self._thread.start()
        assert begun.wait(20)

    def free(self):
        self._free.set()
        self._thread.join(20)


class Stop(Exception):
    """What the handler of the signal raises."""


@pytest.fixture
def alarm():
    def handler(number, frame):
        raise Stop

    before = signal.signal(signal.SIGALRM, handler)
    yield lambda: signal.setitimer(signal.ITIMER_REAL, 0.05)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def held_call(kind):
    """Somebody in the middle, and a call that waits for him, by what it does."""
    net = dense()
    weight, x = net.weight.data(), np.ones((SIZE,))
    function = hybridize(lambda x: (weight * x).sum(1))
    read = closure(net)
    step = compiled_write(net, None)
    read(), step(0), function(x)
    calls = {
        "set_data": ("reader", lambda: net.weight.set_data(np.zeros((SIZE, SIZE)))),
        "add": ("reader", lambda: weight.__iadd__(1.0)),
        "row": ("reader", lambda: weight.__setitem__(0, 2.0)),
        "small": ("reader", lambda: x.__iadd__(1.0)),
        "compiled write": ("reader", lambda: step(0)),
        "compiled": ("writer", lambda: function(x)),
        "operator": ("writer", lambda: weight * x),
        "operator in place": ("writer", lambda: x.__iadd__(1.0)),
        "asnumpy": ("writer", weight.asnumpy),
        "write": ("writer", lambda: weight.__setitem__(0, 2.0)),
    }
    who, call = calls[kind]
    return Held(who), call


WAITING = ["set_data", "add", "row", "small", "compiled write", "compiled", "operator", "operator in place", "asnumpy"]


@signals
@pytest.mark.parametrize("kind", WAITING)
def test_who_waits_hears_signals_and_leaves_nothing_behind(kind, alarm):
    held, call = held_call(kind)
    alarm()
    with pytest.raises(Stop):
        call()
    held.free()
    assert quiet()
    in_time(call)
    assert quiet()


@pytest.mark.parametrize("kind", ["set_data", "compiled", "asnumpy"])
def test_who_waits_goes_on(kind):
    held, call = held_call(kind)
    done = []
    thread = threading.Thread(target=lambda: done.append(call()))
    thread.start()
    thread.join(0.05)
    assert not done, "it did not wait"
    held.free()
    thread.join(20)
    assert done
    assert quiet()


@signals
def test_a_handler_that_writes_while_its_thread_waits():
    held, call = held_call("set_data")
    other = np.zeros((SIZE,))

    def handler(number, frame):
        held.free()
        other.__iadd__(1.0)
        other[:] = other + 1.0

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        call()
    finally:
        signal.signal(signal.SIGALRM, before)
    assert other.asnumpy().max() == 2
    assert quiet()


def test_printing_programs_call_what_they_like(monkeypatch):
    """Programs, writes and draws of the file that a program prints to, while another thread writes the same weight."""
    net = dense()
    weight = net.weight.data()
    inner = hybridize(lambda x: (weight * x).sum(1))
    x = np.ones((SIZE,))
    seen = []

    class File:
        def write(self, text):
            y = inner(x).asnumpy()
            seen.append(y.min() == y.max())
            net.weight.set_data(np.full((SIZE, SIZE), 3.0))
            np.random.normal(size=(3,))

        def flush(self):
            pass

    @hybridize
    def outer(x):
        y = (weight * x).sum(1)
        print(y[0])
        return y + weight[0, 0] * 0

    write = set_data(net, None)
    monkeypatch.setattr("sys.stdout", File())
    in_time(lambda: outer(x))
    found = mixed(lambda: outer(x).asnumpy(), write)
    assert (found, all(seen), quiet()) == ([], True, True)
    assert seen


def test_errors_of_a_write_let_others_in():
    net = dense()
    weight = net.weight.data()
    with pytest.raises(HybridizeError):
        weight[:] = np.ones((3, 3))
    with pytest.raises(HybridizeError):
        weight += np.ones((3, 3))
    assert quiet()
    in_time(lambda: net.weight.set_data(np.zeros((SIZE, SIZE))))


@forks
@pytest.mark.parametrize("kind", ["reader", "writer waiting"])
def test_a_forked_child_reads_and_writes(kind):
    """Neither readers nor waiting writers of the parent are in the child."""
    net = dense()
    read = closure(net)
    read()
    held = Held("reader")
    waiting = threading.Thread(target=lambda: net.weight.set_data(np.zeros((SIZE, SIZE))))
    if kind == "writer waiting":
        waiting.start()
        threading.Timer(0.2, held.free).start()  # a process is forked once the writer is through
    child = os.fork()
    if not child:
        try:
            in_time(lambda: net.weight.set_data(np.full((SIZE, SIZE), 2.0)))
            os._exit(0 if quiet() and (read() == 2.0 * SIZE).all() else 1)
        except BaseException:
            os._exit(2)
    held.free()
    if kind == "writer waiting":
        waiting.join(20)
    assert os.waitpid(child, 0)[1] == 0
    assert quiet()


def test_readers_run_side_by_side():
    """Two programs that only read are in the middle of it at once."""
    first, second = Held("reader"), Held("reader")
    assert access.READERS.value == 2
    second.free()
    first.free()
    assert quiet()
