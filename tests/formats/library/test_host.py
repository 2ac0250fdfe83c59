"""A host's parallel-for: however it runs the tasks, the results are the same to the bit."""

import ctypes
import random
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy
import pytest

import hybridize as hy
from hybridize import np, npx


def heavy(x, w):
    h = np.dot(x, w)
    return npx.softmax(np.exp(h * 0.01)), h.sum(axis=0)


@pytest.fixture(scope="module")
def made(library):
    x = np.array(numpy.random.default_rng(0).standard_normal((256, 512)).astype("f4"))
    w = np.array(numpy.random.default_rng(1).standard_normal((512, 256)).astype("f4"))
    return library(heavy, (x, w)), x.asnumpy(), w.asnumpy()


def host(library, manner, log):
    """A parallel-for."""

    def run(context, task, work, count):
        log.append((context, count))
        call = library_task(task)
        numbers = list(range(count))
        if manner == "backwards":
            numbers.reverse()
        if manner == "shuffled":
            random.Random(0).shuffle(numbers)
        if manner == "at once":
            with ThreadPoolExecutor(count) as pool:
                list(pool.map(lambda number: call(work, number), numbers))
            return
        for number in numbers:
            call(work, number)
        if manner == "too many":
            call(work, count)
            call(work, count + 99)
            call(work, -1)

    return run


def library_task(address):
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(address)


@pytest.mark.parametrize("manner", ["in order", "backwards", "shuffled", "at once", "too many"])
@pytest.mark.parametrize("threads", [2, 3, 7, 16, 100])
def test_results_do_not_depend_on_the_host(made, manner, threads, options):
    library, x, w = made
    alone = library.create()
    wanted = alone(x, w)
    log = []
    function = options.HOST(host(library, manner, log))
    model = library.create(parallel_for=function, context=12345, threads=threads)
    found = model(x, w)
    for a, b in zip(found, wanted, strict=True):
        numpy.testing.assert_array_equal(a, b)
    assert log and {context for context, _ in log} == {12345}
    assert 1 < max(count for _, count in log) <= min(threads, 16)
    alone.destroy()
    model.destroy()


def branches(x):
    return np.cumsum(np.tanh(x), axis=1), np.cumsum(np.exp(x * 0.01), axis=0), np.cumsum(np.sin(x), axis=1)


@pytest.mark.parametrize("manner", ["backwards", "at once"])
def test_branches_are_tasks_of_the_host(library, manner, options):
    x = np.array(numpy.random.default_rng(0).standard_normal((256, 256)).astype("f4"))
    assert "beside each other" in hy.hybridize(branches, threads=16).program(x).schedule()
    made = library(branches, (x,), threads=16)
    log = []
    function = options.HOST(host(made, manner, log))
    alone, model = made.create(), made.create(parallel_for=function, threads=3)
    for found, wanted in zip(model(x.asnumpy()), alone(x.asnumpy()), strict=True):
        numpy.testing.assert_array_equal(found, wanted)
    assert log
    alone.destroy()
    model.destroy()


def test_a_host_with_one_thread_is_not_asked(made, options):
    library, x, w = made
    log = []
    function = options.HOST(host(library, "in order", log))
    for threads in (0, 1):
        model = library.create(parallel_for=function, threads=threads)
        model(x, w)
        model.destroy()
    assert not log


def test_threads_that_a_library_is_made_for(library, options):
    x = np.array(numpy.random.default_rng(0).standard_normal((256, 512)).astype("f4"))
    w = np.array(numpy.random.default_rng(1).standard_normal((512, 256)).astype("f4"))
    few = library(heavy, (x, w), threads=3)
    log = []
    function = options.HOST(host(few, "in order", log))
    model = few.create(parallel_for=function, threads=16)
    model(x.asnumpy(), w.asnumpy())
    assert max(count for _, count in log) == 3
    model.destroy()


@pytest.mark.parametrize("with_state", [False, True])
def test_one_model_runs_on_many_threads(library, with_state):
    total = np.zeros((), dtype="float64")

    def rows(x):
        if with_state:
            total[...] = total + 1
            return npx.softmax(x), total * 1
        return npx.softmax(x), x.sum()

    made = library(rows, (np.ones((300, 70)),))
    model = made.create()
    arrays = [numpy.random.default_rng(k).standard_normal((300, 70)).astype("f4") for k in range(8)]
    wanted = [rows(np.array(x))[0].asnumpy() for x in arrays]
    before = float(total.asnumpy())
    counts, problems = [], []

    def work(number):
        for _ in range(50):
            found, count = model(arrays[number])
            counts.append(float(count))
            if abs(found - wanted[number]).max() > 1e-6:
                problems.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    if with_state:  # no call was lost, none counted twice
        first = min(counts)
        assert sorted(counts) == [first + k for k in range(400)]
        assert first in (1, before - 7)
    model.destroy()


def test_many_models_live_side_by_side(library):
    made = library(lambda x: np.random.uniform(size=(3,)) + x, (np.zeros((3,)),))
    models = [made.create() for _ in range(50)]
    for number, model in enumerate(models):
        made.function("seed")(model.place, ctypes.c_uint64(number))
    zeros = numpy.zeros(3, "f4")
    found = {tuple(model(zeros)[0].tolist()) for model in models}
    assert len(found) == 50
    hy.random.seed(17)
    assert tuple(np.random.uniform(size=(3,)).asnumpy().tolist()) in found
    for model in models:
        model.destroy()


def test_thousands_of_models_leave_nothing_behind(library):
    """A hundred thousand times 260 KB would be 26 GB."""
    w = np.array(numpy.ones((256, 256), "f4"))
    made = library(lambda x: np.dot(x, w), (np.ones((1, 256)),))

    def turn(count):
        create, destroy = made.function("create"), made.function("destroy")
        place = ctypes.c_void_p()
        for _ in range(count):
            assert create(ctypes.byref(place), None) == 0
            destroy(place)

    turn(100)
    before = resident()
    turn(5_000)
    assert resident() - before < 8 << 20


def test_thousands_of_calls_leave_nothing_behind(library):
    """Scratch of 20 MB each."""
    made = library(lambda x: npx.softmax(np.exp(x) @ x) @ x, (np.ones((1000, 1000)),))
    model = made.create()
    x = numpy.zeros((1000, 1000), "f4")
    model(x)
    before = resident()
    for _ in range(10):
        model(x)
    assert resident() - before < 64 << 20
    model.destroy()


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
