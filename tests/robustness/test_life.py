"""The life of nets and functions: copies, pickles, forks, the garbage collector, memory, interrupts, modes."""

import contextlib
import copy
import gc
import itertools
import os
import pickle
import signal
import sys
import threading
import time
import tracemalloc
import weakref

import numpy
import pytest

import hybridize
from hybridize import compiler, np
from hybridize.base import modes
from hybridize.base.errors import ArgumentError, HybridizeError, VerificationError
from hybridize.capture import calls as capturing
from hybridize.gluon import nn
from hybridize.ops.op import ACTIVE
from hybridize.runtime.executable import Executable
from hybridize.runtime.pool import POOL
from tests.platforms.marks import forks
from tests.refusals import refusal

X = np.ones((2, 5))


def mlp():
    net = nn.HybridSequential()
    net.add(nn.Dense(16, activation="relu"), nn.Dense(3))
    net.initialize()
    net(X)
    return net


@hybridize.hybridize
def twice(x):
    return x * 2


# ------------------------------------------------------------------------------------------------------- copies


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda net: pickle.loads(pickle.dumps(net))])
@pytest.mark.parametrize("active", [False, True])
def test_copies_of_nets_are_independent(copied, active):
    net = mlp()
    if active:
        net.hybridize()
    expected = net(X).asnumpy()
    other = copied(net)
    assert other.active == active
    numpy.testing.assert_array_equal(other(X).asnumpy(), expected)
    other[0].weight.set_data(other[0].weight.data() * 0)
    other[1].weight.data()[...] = 0
    numpy.testing.assert_array_equal(net(X).asnumpy(), expected)
    assert (other(X).asnumpy() == other[1].bias.data().asnumpy()).all()
    net[0].weight.set_data(net[0].weight.data() * 2)
    assert not (net(X).asnumpy() == expected).all()
    assert (other(X).asnumpy() == other[1].bias.data().asnumpy()).all()


def test_functions_are_copied_and_pickled_by_name():
    twice(X)
    assert copy.deepcopy(twice) is twice
    assert copy.copy(twice) is twice
    assert pickle.loads(pickle.dumps(twice)) is twice
    with refusal(ArgumentError, "E346.*no other process finds it as .*lambda.*(.|\n)*cloudpickle"):
        pickle.dumps(hybridize.hybridize(lambda x: x))


@pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy, pickle.dumps])
def test_programs_are_neither_copied_nor_pickled(copied):
    with pytest.raises(HybridizeError, match="save"):
        copied(twice.program(X))


# ---------------------------------------------------------------------------------------------------- processes


@forks
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_fork_after_compiling():
    net = mlp()
    net.hybridize()
    expected = net(X).asnumpy()
    child = os.fork()
    if not child:
        status = 1
        try:
            same = (net(X).asnumpy() == expected).all()
            fresh = mlp()
            fresh.hybridize()
            fresh(np.ones((4, 5)))
            status = 0 if same and float(twice(np.ones((3, 3, 3))).sum()) == 54 else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    numpy.testing.assert_array_equal(net(X).asnumpy(), expected)


@forks
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_fork_while_another_thread_captures_and_compiles():
    """No lock is left to a thread that the child does not have, and no count of threads in a mode."""
    stop = threading.Event()

    def compiling():
        while not stop.is_set():
            hybridize.hybridize(lambda x, k: np.tanh(x * k).sum(axis=0) @ x)(np.ones((3, 3)), float(next(count)))
            compiler.cache_clear()

    count = itertools.count()
    thread = threading.Thread(target=compiling)
    thread.start()
    try:
        statuses = []
        for _ in range(5):
            after = next(count) + 1
            while next(count) < after + 2:  # the thread is somewhere else at each fork
                time.sleep(0.003)
            child = os.fork()
            if not child:
                signal.alarm(30)
                status = 1
                try:
                    function = hybridize.hybridize(lambda x: np.tanh(x) * 3)
                    right = [float(function(np.zeros((2, 2))).sum()) == 0 for _ in range(3)]
                    with hybridize.autograd.record():
                        right.append(modes.BUSY[0] == 1)
                    right += [modes.BUSY[0] == 0, not ACTIVE, float(twice(np.ones((3, 3, 3))).sum()) == 54]
                    status = 0 if all(right) else 2
                finally:
                    os._exit(status)
            statuses.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    finally:
        stop.set()
        thread.join()
    assert statuses == [0] * 5
    assert modes.BUSY[0] == 0


@forks
def test_fork_in_a_mode_and_with_a_lock_of_its_own():
    """The forking thread keeps what it is in, parent and child alike."""
    function = hybridize.hybridize(lambda x: x * 2)
    with function._lock, hybridize.autograd.record():
        child = os.fork()
        if not child:
            status = 1
            try:
                right = hybridize.autograd.is_recording() and modes.BUSY[0] == 1 and bool(ACTIVE)
                status = 0 if right and float(function(np.ones(3)).sum()) == 6 else 2
            finally:
                os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


# ------------------------------------------------------------------------------------------------------- memory


def test_dropped_nets_free_their_programs():
    references = []
    for _ in range(5):
        net = mlp()
        net.hybridize()
        net(X)
        net(np.ones((3, 5)))
        references += [weakref.ref(net), weakref.ref(net[0].weight), weakref.ref(net.program(X))]
    del net
    gc.collect()
    assert not [reference for reference in references if reference() is not None]


def test_dropped_functions_free_their_programs():
    references = []
    for i in range(5):

        def function(x, i=i):
            return x * i

        fast = hybridize.hybridize(function)
        fast(X)
        references += [weakref.ref(fast), weakref.ref(function), weakref.ref(fast.program(X))]
    del fast, function
    gc.collect()
    assert not [reference for reference in references if reference() is not None]


def grown(work, warm):
    """Bytes of Python's and NumPy's memory that `work` leaves behind, after it was run `warm` times.

    The least of three: a table of Python's own, as that of interned strings, may be due to be made anew.
    """
    for _ in range(warm):
        work()
    tracemalloc.start()
    try:
        growth = []
        work()
        for _ in range(3):
            gc.collect()
            before = tracemalloc.get_traced_memory()[0]
            work()
            gc.collect()
            growth.append(tracemalloc.get_traced_memory()[0] - before)
        return min(growth)
    finally:
        tracemalloc.stop()


def test_calls_leave_nothing_behind():
    net = mlp()
    net.hybridize()

    @hybridize.hybridize
    def function(x, y=None, flag=True, scale=1.0):
        if y is None:
            return x * scale, None
        return (y, [x]) if flag else None

    def calls():
        for _ in range(2000):
            net(X)
            function(X)
            function(X, None, True, 2.5)
            function(X, X, False)
            twice(X)

    assert grown(calls, 1) < 8_000


def test_shapes_leave_a_bounded_cache_behind(monkeypatch):
    monkeypatch.setattr(capturing, "LIMIT", 12)

    @hybridize.hybridize(dynamic=False)
    def function(x):
        return x * 2 + 1

    sizes = iter(range(1, 1000))

    def shapes():
        for _ in range(15):
            assert float(function(np.ones((next(sizes),)))[-1]) == 3

    shapes()
    assert function.cache_info().programs == 12
    programs = [weakref.ref(program) for program in function.programs()]
    compiler.cache_clear()
    shapes()
    assert function.cache_info().programs == 12
    compiler.cache_clear()  # the compiler's own cache has a bound of its own
    growth = grown(lambda: (shapes(), compiler.cache_clear()), 0)
    assert growth < 20_000, growth
    gc.collect()
    assert not [reference for reference in programs if reference() is not None]


class Short:
    """An object that a function reads, and that is dropped after the call."""

    def __init__(self, value):
        self.value, self.table = value, [value, -value]

    def scaled(self, x):
        return x * self.value


def adding(value):
    return lambda x: x + value


def made_at(addresses, make):
    """An object at one of these addresses, whose owners are gone: those that come to lie elsewhere are held until then.

    So it takes at most as many as there are free blocks of that size, and none of the addresses is missed by chance.
    """
    elsewhere = []
    while len(elsewhere) < 200_000:
        one = make()
        if id(one) in addresses:
            return one
        elsewhere.append(one)
    raise AssertionError("no address was used again")


class ShortLived:
    """Calls of functions that read objects, lists and closures which are others at each call, by 40 at a time.

    The first object of every eighth call lies where one was that a program, gone since, had read.
    """

    def __init__(self):
        self.now, self.calls, self.made, self.kept = [], 0, 0, []
        self.before, self.again = [], 0
        self.read = hybridize.hybridize(self._read)

    def _read(self, x):
        for thing, function in self.now:
            x = function(thing.scaled(x)) + thing.table[1]
        return x

    def call(self):
        self.calls += 1
        values = [float((self.calls * step) % 3 - 1) for step in range(20)]
        self.now = [(Short(value), adding(value + 1)) for value in values]
        if self.calls % 8 == 0:
            gc.collect()  # programs that were given up are in cycles, and hold what they have read until then
            self.now[0] = made_at(set().union(*self.before[:4]), lambda: Short(values[0])), self.now[0][1]
            self.again += 1
        self.before = [*self.before, {id(thing) for thing, _ in self.now}][-7:]
        self.made += 2 * len(values)
        self.kept = [weakref.ref(part) for pair in self.now for part in pair]
        expected = 1.0
        for value in values:
            expected = expected * value + value + 1 - value
        assert float(self.read(np.ones(1, dtype="float64"))[0]) == expected
        self.now = []

    def calls_for(self, objects):
        until = self.made + objects
        while self.made < until:
            self.call()


@pytest.mark.parametrize("objects", [2_000, pytest.param(100_000, marks=pytest.mark.long)])
def test_objects_that_do_not_last_leave_nothing_behind(objects, monkeypatch):
    """Neither do addresses that are used again mislead a program."""
    monkeypatch.setattr(capturing, "LIMIT", 3)
    short = ShortLived()
    growth = grown(lambda: short.calls_for(objects // 5), 1)
    assert growth < 20_000, growth
    assert short.made >= objects
    assert short.again == short.calls // 8 > 5
    assert short.read.cache_info().programs == 3


def test_what_programs_have_guarded_dies_with_them(monkeypatch):
    monkeypatch.setattr(capturing, "LIMIT", 5)
    short = ShortLived()
    short.call()
    first = short.kept
    gc.collect()
    assert all(reference() is not None for reference in first), "the program keeps what it is right for"
    for _ in range(5):
        short.call()
    gc.collect()
    assert not [reference for reference in first if reference() is not None]
    last = short.kept
    assert all(reference() is not None for reference in last)
    short.read.cache_clear()
    gc.collect()
    assert not [reference for reference in last if reference() is not None]


def test_calls_of_any_size_leave_nothing_behind():
    net = mlp()
    net.hybridize()

    @hybridize.hybridize
    def function(x, y):
        return x @ y.T, (x * 2 + 1).sum(axis=0)

    arrays = [np.ones((size, 5)) for size in range(2, 60)] + [np.ones((40_000, 5))]

    def calls():
        for x in arrays * 3:
            net(x)
            function(x, arrays[3])

    hybridize.set_num_threads(2)
    try:
        assert grown(calls, 2) < 8_000
        assert function.cache_info().programs <= 2
    finally:
        POOL.choose(None)


def test_errors_leave_nothing_behind():
    net = mlp()
    net.hybridize()
    wrong = np.ones((2, 9))

    def errors():
        for call in (lambda: net(wrong), lambda: net("a"), lambda: net(), lambda: twice(X, X), lambda: twice(object())):
            for _ in range(10):
                with contextlib.suppress(HybridizeError, TypeError):
                    call()

    assert grown(errors, 2) < 20_000


def test_reference_counts_are_kept():
    @hybridize.hybridize
    def function(x, y=None, flag=True, scale=1.0):
        return None if y is None and not flag else (x * scale, None)

    net = mlp()
    net.hybridize()
    objects = [None, True, False, X, np.ndarray, numpy.dtype("float32"), 0, 1, (), function, net]
    calls = [
        lambda: function(X),
        lambda: function(X, None, False),
        lambda: function(X, None, True, 2.5),
        lambda: net(X),
    ]
    for call in calls:
        for _ in range(20):
            call()
        gc.collect()
        before = [sys.getrefcount(one) for one in objects]
        for _ in range(100_000):
            call()
        gc.collect()
        after = [sys.getrefcount(one) for one in objects]
        changes = [new - old for new, old in zip(after, before, strict=True)]
        assert max(map(abs, changes)) < 100, changes


# --------------------------------------------------------------------------------------------------- exceptions


class Boom(Exception):
    """The user's own."""


def test_exceptions_during_capture_leave_everything_usable():
    settings = {"boom": True}

    @hybridize.hybridize
    def function(x):
        y = x + 1
        if settings["boom"]:
            raise Boom
        return y

    for _ in range(3):
        with pytest.raises(Boom):
            function(X)
        assert float((X + 1).sum()) == 20
        assert float(twice(X).sum()) == 20
    settings["boom"] = False
    assert float(function(X).sum()) == 20
    settings["boom"] = True
    with pytest.raises(Boom):
        function(X)


def test_exceptions_in_the_forward_of_an_inner_block():
    class Fails(nn.HybridSequential):
        broken = True

        def forward(self, x):
            if self.broken:
                raise Boom
            return x

    net = nn.HybridSequential()
    inner = Fails()
    net.add(nn.Dense(3), inner)
    net.initialize()
    net.hybridize()
    for _ in range(2):
        with pytest.raises(Boom):
            net(X)
    inner.broken = False
    assert net(X).shape == (2, 3)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_interrupts_leave_everything_usable():
    """Whenever it comes, while capturing or compiling: the next call is right."""
    net = mlp()
    net.hybridize()
    expected = net(X).asnumpy()[0]

    def interrupt(*_):
        raise KeyboardInterrupt

    old = signal.signal(signal.SIGALRM, interrupt)
    try:
        for i in range(25):
            net.cache_clear()
            x = np.ones((i + 3, 5))
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.0004 * (i + 1) ** 1.4)
                try:
                    net(x)
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                pass
            for one in (x, X):
                numpy.testing.assert_allclose(net(one).asnumpy()[0], expected, rtol=1e-5, atol=1e-6)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def test_hybridized_functions_call_each_other():
    @hybridize.hybridize
    def inner(x):
        return x + 1 if x.sum() > 0 else x - 1

    @hybridize.hybridize
    def outer(x):
        return inner(x) + inner(-x)

    assert float(outer(X).sum()) == 0
    assert float(inner(X).sum()) == 20
    assert float(outer(X).sum()) == 0


# -------------------------------------------------------------------------------------------------------- modes


def test_disabled_runs_the_users_python():
    runs = []

    def function(x):
        if modes.is_disabled():
            runs.append(1)
        return x + 1

    fast = hybridize.hybridize(function)
    fast(X)
    with hybridize.disabled():
        for _ in range(3):
            assert float(fast(X).sum()) == 20
    assert len(runs) == 3
    fast(X)
    assert len(runs) == 3


@pytest.mark.parametrize("verify", ["outputs", "ops"])
def test_verify_finds_a_wrong_result(verify, monkeypatch):
    """The fault is put in behind the machine code."""

    def function(x):
        return np.tanh(x) * 2 + 1

    good = hybridize.hybridize(function, verify=verify)
    assert float(good(X)[0, 0]) == pytest.approx(2.523188)
    run = Executable.run

    def faulty(self, *args, **kwargs):
        outputs = run(self, *args, **kwargs)
        outputs[0][..., -1] += numpy.float32(0.01)
        return outputs

    monkeypatch.setattr(Executable, "run", faulty)
    with pytest.raises(VerificationError) as caught:
        hybridize.hybridize(function, verify=verify)(X)
    assert caught.value.code.startswith("E8")
    monkeypatch.undo()
    assert float(hybridize.hybridize(function, verify=verify)(X)[0, 0]) == pytest.approx(2.523188)
