"""Steps of training that machine code starts: what they leave behind, to the bit, and whom they must not disturb."""

import gc
import random
import sys
import threading

import numpy
import pytest

import hybridize
from hybridize import autograd, gluon, gpu, np
from hybridize.array.buffer import buffer_of
from hybridize.errors import DeviceError
from hybridize.gluon import nn
from hybridize.programs import device_entry
from hybridize.runtime.device_buffers import Asking
from hybridize.runtime.devices import opened
from tests.refusals import refusal
from tests.runtime.cuda.test_entry import Calls, there

X = numpy.arange(6, dtype="float32").reshape(2, 3) / 4
SENT, STARTED = ["cuLaunchKernel", "cuGraphLaunch"], ["cuGraphLaunch"]


@pytest.fixture
def calls(standin):
    return Calls(standin)


class Step:
    """A small net, a trainer, and a step of both that is one program."""

    def __init__(self, rule="sgd", dropout=0.0, layers=1, **options):
        np.random.seed(5)
        self.net = net = nn.HybridSequential()
        net.add(nn.Dense(2, in_units=3), nn.Dropout(dropout), *[nn.Dense(2, in_units=2) for _ in range(layers - 1)])
        net.initialize(ctx=gpu(0))
        net.hybridize()
        self.trainer = gluon.Trainer(net.collect_params(), rule, {"learning_rate": 0.25} | options)
        self.x = there(X)

        @hybridize.hybridize
        def step(x):
            with autograd.record():
                loss = (net(x) ** 2).mean()
            loss.backward()
            self.trainer.step(1)
            return loss

        self.step = step

    def __call__(self, x=None):
        return self.step(self.x if x is None else x)

    def warm(self):
        """Make steps until machine code takes them, also while the last loss is there."""
        for _ in range(12):
            loss = self()
        return loss

    @property
    def weight(self):
        return self.net[0].weight.data()

    def state(self):
        arrays = [one.data() for one in self.net.collect_params().values()]
        arrays += [one.grad() for one in self.net.collect_params().values()]
        for slots in self.trainer._updaters[0].states.values():
            arrays += [one for one in (slots if isinstance(slots, tuple) else (slots,)) if one is not None]
        optimizer = self.trainer._optimizer
        numbers = [optimizer.num_update, *optimizer._index_update_count.values(), optimizer.rescale_grad]
        return [one.asnumpy().tobytes() for one in arrays], numbers, str(np.random.get_state())


def way_of_all(patch):
    patch.setattr(device_entry, "why_none", lambda captured, machine: "a test")


RULES = {
    "sgd": {}, "momentum": {"rule": "sgd", "momentum": 0.5}, "adam": {"rule": "adam"}, "dropout": {"dropout": 0.5},
}  # fmt: skip


@pytest.mark.parametrize("name", RULES)
def test_losses_and_state_are_those_of_the_way_of_all(kernels, calls, monkeypatch, name):
    def steps(is_straight):
        step, found = Step(**RULES[name]), []
        for number in range(14):
            if number == 12:
                step.trainer.set_learning_rate(0.125)
                step.weight[0] += 1
            loss = calls(step)
            is_sent = name in ("adam", "dropout") or number > 11
            assert (calls.driver == (SENT if is_sent else STARTED)) == is_straight or number < 10
            found.append((loss.asnumpy().tobytes(), step.state()))
        return found

    found = steps(True)
    way_of_all(monkeypatch)
    assert steps(False) == found


@pytest.mark.parametrize("name", RULES)
def test_little_python_runs(standin, calls, name):
    """What feeds and guards do, and a function for each array that is written."""
    counts = []
    for layers in (1, 8):
        step = Step(**RULES[name], layers=layers)
        step.warm()
        calls(step)
        counts.append(calls.python)
    arrays = 2 * (2 + (name == "momentum") + 2 * (name == "adam"))
    assert counts[0] < 60 and counts[1] - counts[0] < 7 * 2 * arrays


# ------------------------------------------------------------------------------------------------------------ errors


@pytest.mark.parametrize("name", ["cuLaunchKernel", "cuGraphLaunch"])
def test_a_step_that_fails_leaves_all_as_it_was(kernels, standin, name):
    step = Step("adam", dropout=0.5)
    step.warm()
    before = step.state()
    standin.fail(name, 719)
    with refusal(DeviceError, "E707: the GPU has failed"):
        step()
    standin.heal()
    optimizer, words = step.trainer._optimizer, before[1]
    assert [optimizer.num_update, *optimizer._index_update_count.values(), optimizer.rescale_grad] == words
    assert str(np.random.get_state()) == before[2]


@pytest.mark.parametrize("name", ["cuLaunchKernel", "cuGraphLaunch", "cuCtxPushCurrent_v2"])
def test_what_fails_once_is_one_step(kernels, standin, name):
    def steps(fails):
        step = Step("adam", dropout=0.5)
        step.warm()
        if fails:
            standin.fail(name, 2)
        step()
        standin.heal()
        step()
        return step.state()

    assert steps(True) == steps(False)


# ------------------------------------------------------------------------------------------- who else has the weights


def test_copies_stay_and_views_see_each_step(kernels, calls):
    step = Step()
    step.warm()
    copies, values = [], []
    view, detached, gradient = step.weight[1:], step.weight.detach(), step.net[0].weight.grad()
    for _ in range(5):
        copies.append(step.weight.copy())
        values.append(step.weight.asnumpy())
        calls(step)
        assert calls.was_straight or calls.driver == STARTED
        assert (view.asnumpy() == step.weight.asnumpy()[1:]).all()
        assert (detached.asnumpy() == step.weight.asnumpy()).all()
        assert (gradient.asnumpy() == step.net[0].weight.grad().asnumpy()).all()
    assert [one.asnumpy().tobytes() for one in copies] == [one.tobytes() for one in values]
    assert len({one.tobytes() for one in values}) == 5


def test_others_that_read_weights_read_the_latest(kernels, calls, tmp_path):
    step, x = Step(), there(X)
    predict = hybridize.hybridize(lambda x: step.net(x) * 2)
    for _ in range(12):
        step()
        predict(x)
    for _ in range(4):
        calls(step)
        assert calls.driver == STARTED
        w, b = (step.net[0].weight.data().asnumpy(), step.net[0].bias.data().asnumpy())
        numpy.testing.assert_allclose(calls(predict, x).asnumpy(), (X @ w.T + b) * 2, rtol=1e-5)
        assert calls.driver == STARTED
        step.net.save_parameters(str(tmp_path / "net.params"))
        again = nn.HybridSequential()
        again.add(nn.Dense(2, in_units=3))
        again.load_parameters(str(tmp_path / "net.params"), ctx=gpu(0))
        assert (again[0].weight.data().asnumpy() == w).all()


def test_weights_that_the_user_writes_or_replaces_are_those_of_the_next_step(kernels, monkeypatch):
    def steps():
        step, found = Step(), []
        step.warm()
        doings = [
            lambda: step.weight.__setitem__(0, 2.0), lambda: step.net[0].weight.set_data(there(numpy.ones((2, 3)))),
            lambda: step.weight.__imul__(0.5), step.net.zero_grad, lambda: step.trainer.set_learning_rate(0.5),
            lambda: step.net.reset_ctx(gpu(0)), lambda: step.net.initialize(ctx=gpu(0), force_reinit=True),
        ]  # fmt: skip
        for doing in doings:
            doing()
            found += [step().asnumpy().tobytes() for _ in range(3)]
            found.append(step.state())
        return found

    found = steps()
    way_of_all(monkeypatch)
    assert found == steps()


def test_steps_of_two_batches_share_weights_and_their_second_memory(kernels, calls, monkeypatch):
    def steps():
        step, small = Step("adam"), there(X[:1])
        found, places = [], []
        for number in range(45):
            loss = calls(step, small if number % 3 == 2 else None)
            found.append((loss.asnumpy().tobytes(), step.state()))
            places.append(buffer_of(step.weight).base.address)
        return found, set(places[-15:])

    found, places = steps()
    assert calls.driver == SENT and len(places) == 2
    way_of_all(monkeypatch)
    assert found == steps()[0]


def test_a_weight_that_is_an_argument_is_read_as_it_is(kernels, monkeypatch):
    def steps():
        step = Step()
        net = step.net
        net[0].weight.set_data(there(X))
        found = []
        for number in range(16):
            x = step.weight if number in (12, 14) else None
            found.append((step(x).asnumpy().tobytes(), step.state()))
        return found

    found = steps()
    way_of_all(monkeypatch)
    assert found == steps()


def test_weights_that_another_library_sees_stay_where_they_are(kernels, calls):
    step = Step()
    step.warm()
    capsule, address = step.weight.__dlpack__(stream=-1), buffer_of(step.weight).base.address
    for _ in range(4):
        before = step.weight.asnumpy()
        calls(step)
        assert buffer_of(step.weight).base.address == address and (step.weight.asnumpy() != before).any()
    del capsule


def test_who_has_read_addresses_finds_what_was_there(kernels, calls):
    """Another thread is about to ask for work on weights, and meanwhile steps are made."""
    step = Step()
    step.warm()
    with Asking():
        address, before, after = (
            buffer_of(step.weight).base.address,
            step.weight.asnumpy(),
            numpy.empty((2, 3), "float32"),
        )
        for _ in range(3):
            calls(step)
            assert calls.driver != STARTED
            opened(0).copy_out(address, after)
            assert (after == before).all()


def test_functions_that_draw_numbers_draw_them_in_turn(kernels, calls, monkeypatch):
    def draws():
        np.random.seed(3)
        f, x, found = hybridize.hybridize(lambda x: x + np.random.normal(size=(2, 3), ctx=gpu(0))), there(X), []
        for number in range(12):
            found.append(calls(f, x).asnumpy().tobytes())
            found += [np.random.normal(size=2).asnumpy().tobytes()] * (number % 3 == 0)
        return found

    found = draws()
    assert calls.driver == SENT and len({*found}) > 12
    way_of_all(monkeypatch)
    assert found == draws()


def test_what_a_pass_back_needs_is_not_overwritten_unseen(kernels, monkeypatch):
    def words():
        step, x = Step(), there(X)
        x.attach_grad()
        step.warm()
        with autograd.record():
            y = (step.net(x) ** 2).sum()
        step()
        try:
            y.backward()
        except hybridize.errors.HybridizeError as error:
            return str(error).split(" at ")[0]
        return x.grad.asnumpy().tobytes()

    straight = words()
    way_of_all(monkeypatch)
    assert straight == words()


def test_gradients_of_arguments_go_the_way_of_all(kernels, calls):
    step = Step()
    step.warm()
    x = there(X)
    x.attach_grad()
    before = step.state()
    calls(step, x)
    assert calls.driver != STARTED and x.grad.asnumpy().any() and step.state() != before


# ------------------------------------------------------------------------------------------------------------ memory


def test_second_memories_are_free_memory_and_go_with_the_weights(kernels, calls):
    step, device = Step("adam"), opened(0)
    step.warm()
    before = step.state()
    device.empty_cache()
    assert step.state() == before
    step.warm()
    calls(step)
    assert calls.driver == SENT
    free = device.memory()[0]
    weights = sum(buffer_of(one.data()).base.nbytes for one in step.net.collect_params().values())
    del step
    gc.collect()
    assert device.memory()[0] >= free + 2 * weights


def test_two_thousand_steps_leave_nothing_behind(standin, calls):
    step = Step()
    step.warm()
    gc.collect()
    used, blocks, references = standin.get("used"), sys.getallocatedblocks(), sys.getrefcount(None)
    for _ in range(2000):
        loss = step()
    del loss
    gc.collect()
    assert standin.get("used") == used
    assert abs(sys.getallocatedblocks() - blocks) < 200 and abs(sys.getrefcount(None) - references) < 200
    calls(step)
    assert calls.driver == STARTED


# ----------------------------------------------------------------------------------------------------------- threads


def test_threads_make_as_many_steps_as_they_are_asked_for(kernels, monkeypatch):
    """Each step of a rate that depends on nothing gives the same, whichever thread makes it."""

    def steps(threads, count):
        step = Step("adam")
        step.warm()
        predict, wrong = hybridize.hybridize(lambda x: step.net(x)), []

        def run():
            x = there(X)
            for _ in range(count):
                step(x)
                if not numpy.isfinite(predict(x).asnumpy()).all():
                    wrong.append(1)

        workers = [threading.Thread(target=run) for _ in range(threads)]
        for one in workers:
            one.start()
        for one in workers:
            one.join()
        assert not wrong
        return step.state()

    assert steps(3, 8) == steps(1, 24)


# ------------------------------------------------------------------------------------------------------ all together


class World:
    """A step, and what happens besides in any order; the same at the host."""

    def __init__(self, seed):
        self.choose, self.step = random.Random(seed), Step("adam", dropout=0.5)
        self.small, self.held, self.found = there(X[:1]), [], []
        self.predict = hybridize.hybridize(lambda x: self.step.net(x))

    def call(self):
        loss = self.step(self.small if self.choose.random() < 0.2 else None)
        if self.choose.random() < 0.2:
            self.held.append(loss)
        del self.held[: max(0, len(self.held) - 3)]
        self.found.append(loss.asnumpy().tobytes())

    def read(self):
        self.found.append(self.predict(self.step.x).asnumpy().tobytes())

    def write(self):
        self.step.weight[self.choose.randrange(2)] = self.choose.random()

    def set_data(self):
        self.step.net[0].bias.set_data(there(numpy.full(2, self.choose.random(), "float32")))

    def hold(self):
        self.held.append(self.choose.choice([self.step.weight, self.step.net[0].weight.grad()]).copy())

    def rate(self):
        self.step.trainer.set_learning_rate(self.choose.choice([0.5, 0.25]))

    def give_back(self):
        opened(0).empty_cache()

    def draw(self):
        self.found.append(np.random.uniform(size=2).asnumpy().tobytes())

    def go(self, steps):
        doings = [self.read, self.write, self.set_data, self.hold, self.rate, self.give_back, self.draw]
        for _ in range(steps):
            (self.call if self.choose.random() < 0.8 else self.choose.choice(doings))()
        return [*self.found, *[one.asnumpy().tobytes() for one in self.held], self.step.state()]


@pytest.mark.parametrize("steps", [60, pytest.param(1000, marks=pytest.mark.long)])
def test_whatever_happens_in_any_order_is_what_the_way_of_all_gives(kernels, monkeypatch, steps):
    found = World(steps).go(steps)
    way_of_all(monkeypatch)
    assert found == World(steps).go(steps)
