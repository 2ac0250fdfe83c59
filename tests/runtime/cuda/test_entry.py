"""Calls that machine code takes from Python straight to the driver: which ones it takes, and what it leaves to Python."""

import gc
import random
import sys
import threading

import numpy
import pytest

import hybridize
from hybridize import autograd, cpu, gpu, np
from hybridize.array.buffer import buffer_of
from hybridize.base import spans
from hybridize.base.config import CONFIG
from hybridize.errors import DeviceError
from hybridize.runtime.devices import opened
from tests.refusals import refusal

GPU = gpu(0)
X = numpy.arange(6, dtype="float32").reshape(2, 3)


def there(values=X, **options):
    return np.array(values, ctx=GPU, **options)


class Calls:
    """Calls a function, and counts Python's functions and the driver's that run meanwhile."""

    def __init__(self, standin):
        self.standin = standin

    def __call__(self, function, *args, **kwargs):
        counted = []
        self.standin.calls()
        sys.setprofile(lambda frame, event, arg: counted.append(event))
        try:
            result = function(*args, **kwargs)
        finally:
            sys.setprofile(None)
        self.python = counted.count("call")
        self.driver = self.standin.calls()
        return result

    @property
    def was_straight(self):
        return self.python == 0 and self.driver == ["cuGraphLaunch"]


@pytest.fixture
def calls(standin):
    return Calls(standin)


def warm(function, *args):
    """Call a function until machine code takes its calls, also while the last result is there."""
    for _ in range(6):
        result = function(*args)
    return result


FACTOR = 2.0


@pytest.fixture
def function(kernels):
    one = there(X * 0 + 1)
    compiled = hybridize.hybridize(lambda x: x * FACTOR + one)
    compiled.x = there()
    warm(compiled, compiled.x)
    return compiled


def test_no_python_runs_and_one_graph_is_started(function, calls):
    y = calls(function, function.x)
    assert calls.was_straight
    assert type(y) is type(function.x) and y.device == GPU and (y.asnumpy() == X * 2 + 1).all()
    y += 1  # it is an array as others are
    assert (y.asnumpy() == X * 2 + 2).all() and (calls(function, y).asnumpy() == X * 4 + 5).all()


def test_elements_are_read_as_they_are_now(function, calls):
    for number in range(4):
        function.x[...] = number
        assert (calls(function, function.x).asnumpy() == number * 2 + 1).all() and calls.was_straight


def test_results_that_somebody_has_stay_as_they_are(function):
    x, views, arrays = function.x, [], []
    for number in range(12):
        x[...] = number
        y = function(x)
        (views if number % 2 else arrays).append(y[1:, :2] if number % 2 else y)
        del y
    assert [one.asnumpy()[0, 0] for one in arrays] == [number * 2 + 1 for number in range(0, 12, 2)]
    assert [one.asnumpy()[0, 0] for one in views] == [number * 2 + 1 for number in range(1, 12, 2)]
    places = {buffer_of(one).base.address for one in (*arrays, *views)}
    assert len(places) == 12


def test_a_result_may_be_the_next_argument(function, calls):
    y, expected = function.x, X
    for _ in range(12):
        y, expected = calls(function, y), expected * 2 + 1
    assert calls.was_straight and (y.asnumpy() == expected).all()


def test_four_sets_of_addresses_are_known_and_a_fifth_takes_the_place_of_the_oldest(kernels, calls):
    f = hybridize.hybridize(lambda x: x + 1)
    xs = [there(X * k) for k in range(5)]
    for x in xs[:4]:
        for _ in range(3):
            f(x)
    for number, x in enumerate(xs[:4]):
        assert (calls(f, x).asnumpy() == X * number + 1).all() and calls.was_straight
    f(xs[0])
    for expected in (["cuLaunchKernel"], None):
        assert (calls(f, xs[4]).asnumpy() == X * 4 + 1).all()
        assert calls.python and (expected or calls.driver) == calls.driver
    assert "cuGraphExecUpdate_v2" in calls.driver
    assert (calls(f, xs[4]).asnumpy() == X * 4 + 1).all() and calls.was_straight
    assert (calls(f, xs[0]).asnumpy() == 1).all() and calls.was_straight
    assert (calls(f, xs[1]).asnumpy() == X + 1).all() and not calls.was_straight  # whose graph was changed


STRUCTURES = {
    "tuple": lambda x: (x + 1, x * 2), "list": lambda x: [x + 1, x * 2], "one": lambda x: (x * 2,),
    "dict": lambda x: {"a": x + 1, "b": [x * 2, None, 3]},
}  # fmt: skip


@pytest.mark.parametrize("name", STRUCTURES)
def test_results_in_containers_are_what_the_function_gives(kernels, calls, name):
    x, of = there(), STRUCTURES[name]
    compiled = hybridize.hybridize(of)
    warm(compiled, x)
    result, expected = calls(compiled, x), of(x)
    assert calls.driver == ["cuGraphLaunch"] and calls.python == (name == "dict")
    assert type(result) is type(expected) and str(result) == str(expected)


def test_numbers_that_stay_what_they_are_need_no_copy_and_others_come_with_a_launch(kernels, calls):
    f = hybridize.hybridize(lambda x, scale, shift: x * scale + shift)
    x = there()
    warm(f, x, 0.5, 3)
    assert (calls(f, x, 0.5, 3).asnumpy() == X * 0.5 + 3).all() and calls.was_straight
    for scale, shift in ((0.25, 3), (0.5, 4), (-0.0, 3), (0.5, 3)):
        assert (calls(f, x, scale, shift).asnumpy() == X * scale + shift).all()
        assert calls.driver == ["cuLaunchKernel", "cuGraphLaunch"]
    assert (calls(f, x, 0.5, 3).asnumpy() == X * 0.5 + 3).all() and calls.was_straight
    assert f(x, 1, 3).dtype == f(x, 1.0, 3).dtype  # a program of its own


def test_numbers_come_without_python(standin, calls):
    f, x = hybridize.hybridize(lambda x, scale: x * scale), there()
    warm(f, x, 0.5)
    for scale in (2.0, -1.0):
        calls(f, x, scale)
        assert (calls.python, calls.driver) == (0, ["cuLaunchKernel", "cuGraphLaunch"])


def test_numbers_are_there_where_python_starts_the_graph(kernels, calls):
    f, x = hybridize.hybridize(lambda x, scale: x * scale), there()
    warm(f, x, 0.5)
    for scale in (2.0, -1.0, -1.0):
        opened(0).drop("cuGraphDestroy", None)
        assert (calls(f, x, scale).asnumpy() == X * scale).all()
        assert calls.driver[-1] == "cuGraphLaunch" and "cuGraphDestroy" in calls.driver
    assert (calls(f, x, -1.0).asnumpy() == -X).all() and calls.was_straight


@pytest.mark.parametrize("name", ["cuLaunchKernel", "cuGraphLaunch"])
def test_numbers_of_a_call_that_fails_are_written_again(kernels, standin, calls, name):
    f, x = hybridize.hybridize(lambda x, scale: x * scale), there()
    warm(f, x, 0.5)
    standin.fail(name, 2)
    assert (calls(f, x, 2.0).asnumpy() == X * 2).all()
    for scale in (2.0, 0.5):
        assert (calls(f, x, scale).asnumpy() == X * scale).all()


def test_containers_and_keywords_are_taken_apart(kernels, calls):
    f = hybridize.hybridize(lambda pair, *, mode, mask: pair["a"] * mask[0] + (pair["b"] if mode == "on" else 0))
    x, y, z = there(), there(X + 1), there(X + 2)
    for _ in range(6):
        f({"a": x, "b": y}, mode="on", mask=[z, None])
    assert (calls(f, {"a": x, "b": y}, mode="on", mask=[z, None]).asnumpy() == X * (X + 2) + X + 1).all()
    assert calls.was_straight
    assert (calls(f, {"a": y, "b": x}, mode="on", mask=[z, None]).asnumpy() == (X + 1) * (X + 2) + X).all()
    assert calls.python
    assert (calls(f, {"a": x, "b": y}, mode="off", mask=[z, None]).asnumpy() == X * (X + 2)).all() and calls.python


# ------------------------------------------------------------------------------------------------- the way of Python

OTHERS = {
    "dtype": lambda f: f(there(dtype="float64")), "size": lambda f: f(there(X[:1])), "rank": lambda f: f(there(X[0])),
    "layout": lambda f: f(there(numpy.ascontiguousarray(X.T)).T), "keyword": lambda f: f(x=there()),
    "address": lambda f: f(there()), "part": lambda f: f(there(numpy.vstack([X, X]))[2:]),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_calls_that_differ_are_pythons(function, calls, name):
    values = {"size": X[:1], "rank": X[0]}.get(name, X)
    assert (calls(OTHERS[name], function).asnumpy() == values * 2 + 1).all() and calls.python > 1
    assert (calls(function, function.x).asnumpy() == X * 2 + 1).all() and calls.was_straight


def test_an_address_in_the_middle_of_memory_has_its_own_graph(function, calls):
    several = there(numpy.vstack([X, X, X + 1]))
    part = several[4:]
    warm(function, part)
    assert (calls(function, part).asnumpy() == X * 2 + 3).all() and calls.was_straight
    assert (calls(function, several[:2]).asnumpy() == X * 2 + 1).all() and not calls.was_straight
    odd = several[1:3]  # which does not begin at 16 bytes: a copy of it does
    warm(function, odd)
    assert (calls(function, odd).asnumpy() == several.asnumpy()[1:3] * 2 + 1).all() and not calls.was_straight


def test_arrays_elsewhere_are_refused_as_ever(function, calls):
    for device in (cpu(), gpu(1)):
        with refusal(DeviceError, "E703"):
            function(np.array(X, ctx=device))
    with gpu(1):
        assert (calls(function, function.x).asnumpy() == X * 2 + 1).all() and not calls.was_straight
    with cpu():  # another object, and the same device
        assert (calls(function, function.x).asnumpy() == X * 2 + 1).all() and calls.driver == ["cuGraphLaunch"]
        assert (calls(function, function.x).asnumpy() == X * 2 + 1).all() and calls.was_straight


def test_what_is_recorded_is_differentiated(function, calls):
    x = function.x
    x.attach_grad()
    with autograd.record():
        y = function(x)
    y.backward()
    assert (x.grad.asnumpy() == 2).all()
    assert (calls(function, x).asnumpy() == X * 2 + 1).all() and calls.was_straight


def test_modes_of_the_process_are_heeded(function, calls, monkeypatch):
    heard = []
    listener = lambda *span: heard.append(span)  # noqa: E731
    spans.listen(listener)
    try:
        function(function.x)
    finally:
        spans.unlisten(listener)
    assert [kind for kind, *_ in heard] == [spans.PROGRAM]
    for name in ("disable", "device_check"):
        monkeypatch.setattr(CONFIG, name, True)
        assert (calls(function, function.x).asnumpy() == X * 2 + 1).all() and calls.python
        monkeypatch.setattr(CONFIG, name, False)
        calls(function, function.x)
        assert calls.was_straight


def test_a_global_that_changes_is_seen(function, calls, monkeypatch):
    monkeypatch.setitem(globals(), "FACTOR", 3.0)
    assert (calls(function, function.x).asnumpy() == X * 3 + 1).all() and calls.python
    monkeypatch.undo()
    assert (calls(function, function.x).asnumpy() == X * 2 + 1).all()


def test_a_forked_process_starts_nothing(function, inherited):
    from hybridize.runtime import device_entry, devices

    devices._in_child()
    device_entry._inherit()
    with refusal(DeviceError, "E708"):
        function(function.x)


# ------------------------------------------------------------------------------------------------------------ errors


def test_a_graph_that_fails_is_told_with_the_line(function, standin, calls):
    standin.fail("cuGraphLaunch", 700)
    with refusal(DeviceError, r"E707: the GPU has failed \(cuGraphLaunch: CUDA_ERROR_ILLEGAL_ADDRESS") as caught:
        function(function.x)
    assert caught.value.loc is None or caught.value.loc.file == __file__
    standin.heal()
    with refusal(DeviceError, "E707: the GPU has failed"):
        function(function.x)  # for ever


@pytest.mark.parametrize("name", ["cuGraphLaunch", "cuCtxPushCurrent_v2"])
def test_what_fails_once_is_tried_in_the_way_of_all(function, standin, calls, name):
    depth = standin.get("depth")
    standin.fail(name, 2)
    assert (calls(function, function.x).asnumpy() == X * 2 + 1).all() and calls.python
    assert standin.get("depth") == depth
    assert (calls(function, function.x).asnumpy() == X * 2 + 1).all() and calls.was_straight


def test_a_failed_gpu_names_what_machine_code_has_started(kernels, standin):
    @hybridize.hybridize
    def tripled(x):
        return x * 3

    x = there()
    y = warm(tripled, x)
    for _ in range(20):
        y = tripled(x)
    standin.fail("cuEventSynchronize", 700)
    with refusal(DeviceError, f"the last programs were {', '.join(['tripled'] * 16)}\n"):
        y.asnumpy()


# ------------------------------------------------------------------------------------------------------------- order


def test_things_to_give_back_are_given_back_first(function, calls):
    device = opened(0)
    device.drop("cuGraphDestroy", None)
    assert (calls(function, function.x).asnumpy() == X * 2 + 1).all()
    assert calls.driver[-2:] == ["cuGraphDestroy", "cuGraphLaunch"]
    calls(function, function.x)
    assert calls.was_straight


def test_a_batch_that_came_beside_the_work_is_waited_for(kernels, calls):
    """Its memory is used again by a copy on another stream: an event stands between."""
    f = hybridize.hybridize(lambda x: x.sum())
    batch = numpy.ones(1 << 15, "float32")
    sums = []
    for number in range(8):
        x = there(batch * number)
        sums.append(f(x))
    assert [one.item() for one in sums] == [number * float(1 << 15) for number in range(8)]


def test_who_records_a_graph_waits_for_who_starts_one(standin):
    starter, entered = opened(0).starter, threading.Event()
    starter.set(asking=1)

    def record():
        with opened(0).starter.recording():
            entered.set()

    thread = threading.Thread(target=record)
    thread.start()
    assert not entered.wait(0.02) and starter.get("recorded") == 1
    starter.set(asking=0)
    thread.join()
    assert entered.is_set() and starter.get("recorded") == 0


def test_while_a_graph_is_recorded_python_starts_the_others(function, calls):
    with opened(0).starter.recording():
        assert (calls(function, function.x).asnumpy() == X * 2 + 1).all() and calls.python
    calls(function, function.x)
    assert calls.was_straight


def test_threads_get_results_of_their_own(function):
    wrong = []

    def run(number):
        x = there(X + number)
        for _ in range(40):
            y = function(x)
            if (y.asnumpy() != (X + number) * 2 + 1).any():
                wrong.append(number)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not wrong


# ------------------------------------------------------------------------------------------------ arrays from outside


def test_weights_are_read_where_they_are_now(kernels, calls):
    w = there(X)
    f = hybridize.hybridize(lambda x: x * w)
    x = there(X + 1)
    warm(f, x)
    w[...] = 5
    assert (calls(f, x).asnumpy() == (X + 1) * 5).all() and calls.was_straight
    other = there(X * 0 + 7)
    assert buffer_of(w).exchange(buffer_of(other))  # as a step of training does
    assert (calls(f, x).asnumpy() == (X + 1) * 7).all() and calls.python
    assert buffer_of(w).exchange(buffer_of(other))
    assert (calls(f, x).asnumpy() == (X + 1) * 5).all()


def test_constants_that_are_derived_follow_what_they_are_made_of(kernels, calls):
    w = there(numpy.ones((16, 8), "float32"))
    f, g = hybridize.hybridize(lambda x: x @ np.exp(w / 2)), hybridize.hybridize(lambda x: x @ np.exp(w / 2))
    x = there(numpy.ones((4, 16), "float32"))

    def is_right(function, value):
        return numpy.allclose(calls(function, x).asnumpy(), 16 * numpy.exp(value / 2))

    for function in (f, g):
        warm(function, x)
    (derived,) = f.program(x)._runs.derived
    assert g.program(x)._runs.derived == [derived]
    assert is_right(f, 1) and calls.was_straight
    w[...] = -2
    assert is_right(f, -2) and calls.python  # which derives it for both
    assert is_right(g, -2) and calls.python
    for function in (f, g):
        warm(function, x)
        assert is_right(function, -2) and calls.was_straight


# ------------------------------------------------------------------------------------------------------------ memory


def test_memory_that_another_library_has_is_written_by_nobody(function, calls):
    capsules, addresses = [], []
    for _ in range(6):
        y = function(function.x)
        addresses.append(buffer_of(y).base.address)
        capsules.append(y.__dlpack__(stream=-1))
        del y
    assert len(set(addresses)) == 6
    capsules.clear()
    for _ in range(6):
        assert (function(function.x).asnumpy() == X * 2 + 1).all()


def test_results_of_nobody_are_free_memory(function):
    device = opened(0)
    gc.collect()
    free, _ = device.memory()
    results = [function(function.x) for _ in range(2)]
    assert device.memory()[0] == free - sum(buffer_of(one).base.nbytes for one in results)
    del results
    assert device.memory()[0] == free
    device.empty_cache()
    assert device.memory()[0] >= free
    assert (function(function.x).asnumpy() == X * 2 + 1).all()


def test_memory_goes_with_the_function(standin):
    f, x, device = hybridize.hybridize(lambda x: (x + 1, x * 2)), there(), opened(0)
    warm(f, x)
    free, blocks = device.memory()[0], len(device._blocks._pieces)
    del f
    gc.collect()
    assert device.memory()[0] >= free
    assert len(device._blocks._pieces) <= blocks - 4  # two results, twice


def test_a_device_that_is_short_of_memory_gets_it_back(standin, calls):
    f = hybridize.hybridize(lambda x: x + 1)
    x = there(numpy.zeros(3 << 20, "float32"))
    warm(f, x)
    assert standin.get("used") >= 3 * x.nbytes
    y = there(numpy.zeros(7 << 20, "float32"))  # there is room for this only where f keeps nothing
    for _ in range(4):
        calls(f, x)
    assert calls.was_straight and standin.get("used") >= y.nbytes


def test_programs_share_their_scratch_and_a_larger_one_takes_its_place(kernels, calls):
    small = hybridize.hybridize(lambda x: np.exp(x @ x.T) @ x)
    large = hybridize.hybridize(lambda x: np.exp(x @ x.T) @ x + 1)
    x, y = there(X / 8), there(numpy.ones((12, 3), "float32") / 8)
    warm(small, x)
    expected = small(x).asnumpy()
    warm(large, y)
    for _ in range(3):
        assert (warm(small, x).asnumpy() == expected).all() and calls(small, x) is not None and calls.was_straight
        assert calls(large, y) is not None and calls.was_straight


def test_ten_thousand_calls_leave_nothing_behind(standin, calls):
    f = hybridize.hybridize(lambda x: (x + 1, x * 2))
    x = there()
    warm(f, x)
    gc.collect()
    used, blocks, references = standin.get("used"), sys.getallocatedblocks(), sys.getrefcount(None)
    for _ in range(10_000):
        y = f(x)
    del y
    gc.collect()
    assert standin.get("used") == used
    assert abs(sys.getallocatedblocks() - blocks) < 200 and abs(sys.getrefcount(None) - references) < 200
    calls(f, x)
    assert calls.was_straight


# ------------------------------------------------------------------------------------------------------ all together


class World:
    """Arrays, programs over them, and what happens to both in any order; each array has a copy at the host."""

    def __init__(self, calls, seed):
        self.choose, self.calls, self.straight = random.Random(seed), calls, 0
        self.weight = there(X + 1)
        w = self.weight
        self.programs = [
            (hybridize.hybridize(lambda x, y: x * 2 + y), lambda w, x, y: [x * 2 + y]),
            (hybridize.hybridize(lambda x, y: (x - y, x * w)), lambda w, x, y: [x - y, x * w]),
            (hybridize.hybridize(lambda x, y: [(x * y).sum(axis=0) + y]), lambda w, x, y: [(x * y).sum(axis=0) + y]),
        ]
        self.arrays = [self.pair(X + number) for number in range(3)]
        self.capsules = []

    def pair(self, values):
        values = numpy.array(values % 8, "float32")
        return there(values), values

    def call(self):
        function, of = self.choose.choice(self.programs)
        (x, xs), (y, ys) = (
            self.arrays[0],
            self.choose.choice(self.arrays if self.choose.random() < 0.1 else self.arrays[1:2]),
        )
        result = self.calls(function, x, y)
        self.straight += self.calls.was_straight
        results = [result] if type(result) is type(x) else [*result]
        for one, expected in zip(results, of(self.weight.asnumpy(), xs, ys), strict=True):
            assert (one.asnumpy() == expected).all()
            if numpy.abs(expected).max() < 1e5 and self.choose.random() < 0.3:
                self.arrays.append((one, expected))
        del self.arrays[2 : max(2, len(self.arrays) - 4)]

    def write(self):
        x, xs = self.choose.choice(self.arrays)
        x[1] = xs[1] = self.choose.randrange(9)

    def replace(self):
        self.arrays[self.choose.randrange(len(self.arrays))] = self.pair(X + self.choose.randrange(9))

    def step(self):
        """Exchange the memory of the weight, as training does."""
        other = there(self.weight.asnumpy() * 0 + self.choose.randrange(1, 4))
        assert buffer_of(self.weight).exchange(buffer_of(other))

    def lend(self):
        self.capsules.append(self.choose.choice(self.arrays)[0].__dlpack__(stream=-1))
        del self.capsules[: max(0, len(self.capsules) - 2)]

    def give_back(self):
        opened(0).empty_cache()

    def go(self, steps):
        doings = [self.write] * 12 + [self.replace, self.step, self.lend, self.give_back]
        for number in range(steps):
            (self.call if number % 4 else self.choose.choice(doings))()
            x, xs = self.choose.choice(self.arrays)
            assert (x.asnumpy() == xs).all()
        for x, xs in self.arrays:
            assert (x.asnumpy() == xs).all()


@pytest.mark.parametrize("steps", [80, pytest.param(2000, marks=pytest.mark.long)])
def test_whatever_happens_in_any_order_results_are_right(kernels, calls, steps):
    world = World(calls, steps)
    x = world.arrays[0][0]
    for function, _ in world.programs:
        warm(function, x, x)
    world.go(steps)
    assert world.straight > steps // 8
