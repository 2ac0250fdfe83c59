"""Training on a device: losses and weights of the CPU, passes back of compiled programs, state as before on errors."""

from types import SimpleNamespace

import numpy
import pytest

from hybridize import autograd, cpu, gluon, gpu, hybridize, np
from hybridize.array.storage import Storage
from hybridize.errors import DeviceError, DeviceMemoryError
from hybridize.gluon import nn
from hybridize.runtime import devices
from tests.device.trained import Training, check, with_dropout_and_norm
from tests.refusals import refusal


def test_a_step_in_one_call():
    check("in_one_call", learning_rate=0.1, momentum=0.9)


@pytest.mark.long
def test_a_step_in_one_call_with_adam():
    check("in_one_call", rule="adam", learning_rate=0.01)


@pytest.mark.long
def test_running_statistics_and_random_masks_are_the_cpu_s():
    check("in_one_call", make=with_dropout_and_norm, learning_rate=0.1)


def test_a_compiled_net_and_a_pass_back():
    check("in_turn", steps=2, learning_rate=0.1, momentum=0.9)


@pytest.mark.long
def test_batches_of_other_sizes():
    there, here = Training(gpu(0)), Training(cpu())
    for rows in (8, 5, 3):
        losses = [each.in_turn(rows).asnumpy() for each in (there, here)]
        numpy.testing.assert_allclose(*losses, 1e-5, 1e-6)


def test_gradients_of_arguments_and_of_second_calls():
    f = hybridize(lambda x, y: (x * y).sum() + np.exp(x).sum())
    found = []
    for device in (cpu(), gpu(0)):
        x, y = np.array([1.0, 2, 3], ctx=device), np.array([0.5, -1, 2], ctx=device)
        x.attach_grad()
        y.attach_grad("add")
        for _ in range(2):
            with autograd.record():
                z = f(x, y)
            z.backward()
        assert x.grad.device == y.grad.device == device
        found.append([x.grad.asnumpy(), y.grad.asnumpy()])
    for one, other in zip(*found, strict=True):
        numpy.testing.assert_allclose(one, other, rtol=1e-6)


def test_gradients_of_a_program_for_all_sizes():
    f = hybridize(lambda x: (x * x).sum())
    for size in (4, 3, 2):
        x = np.arange(size, dtype="float32", ctx=gpu(0))
        x.attach_grad()
        with autograd.record():
            y = f(x)
        y.backward()
        assert x.grad.tolist() == [2 * number for number in range(size)]
    assert len(f.programs()) == 2  # of the first size, and of all others


@pytest.mark.long
def test_views_of_weights_see_each_update():
    training = Training(gpu(0), learning_rate=0.1)
    weight = training.net[0].weight.data()
    part = weight[2:4]
    before = part.asnumpy()
    for _ in range(3):
        training.in_one_call()
        assert (part.asnumpy() == weight.asnumpy()[2:4]).all()
    assert (part.asnumpy() != before).any()


def test_without_memory_state_is_as_before(monkeypatch):
    training = Training(gpu(0), learning_rate=0.1, momentum=0.9)
    training.in_one_call()
    before, device = training.weights(), devices.opened(0)
    words = r"E706: step: \d+ bytes asked, \d+ of \d+ are free\nhelp: drop arrays"
    with monkeypatch.context() as patched:
        patched.setattr(device.heap, "nbytes", device.heap.used + 100)
        with refusal(DeviceMemoryError, words):
            training.in_one_call()
    assert [one.tobytes() for one in training.weights()] == [one.tobytes() for one in before]
    training.in_one_call()
    assert all(one.tobytes() != old.tobytes() for one, old in zip(training.weights(), before, strict=True))


@pytest.mark.parametrize("number", range(3))
def test_an_interruption_among_new_values_of_states_loses_none(monkeypatch, number):
    states = [np.full((3, 4), k, ctx=gpu(0), dtype="float32") for k in range(3)]

    @hybridize
    def step(x):
        for state in states:
            state[...] = state * 2 + x

    x = np.ones((3, 4), ctx=gpu(0))
    step(x)
    touch, touched = Storage.touch, []

    def interrupt(storage):
        touched.append(storage)
        if len(touched) == number + 1:
            raise KeyboardInterrupt
        touch(storage)

    with monkeypatch.context() as patched:
        patched.setattr(Storage, "touch", interrupt)
        with pytest.raises(KeyboardInterrupt):
            step(x)
    assert [float(state[0, 0]) for state in states] == [3, 7, 11]
    step(x)
    assert [float(state[0, 0]) for state in states] == [7, 15, 23]


def test_a_failure_names_the_launch_and_its_line_where_each_is_waited_for(monkeypatch):
    from hybridize.base.config import CONFIG

    monkeypatch.setattr(CONFIG, "device_check", True)
    device = devices.opened(0)
    f = hybridize(lambda x: np.exp(x) + 1)
    x = np.ones(3, ctx=gpu(0))
    waits = []
    monkeypatch.setattr(device, "wait", lambda event=None: waits.append(event))
    for _ in range(3):
        f(x)
    assert len(waits) == 3

    def failed(event=None):
        raise DeviceError("E707", "the GPU has failed")

    monkeypatch.setattr(device, "wait", failed)
    with refusal(DeviceError, "E707") as caught:
        f(x)
    assert any("in loops0 of <lambda>: " in note and "test_training.py:" in note for note in caught.value.__notes__)


@pytest.mark.parametrize("device", [cpu(), gpu(0)], ids=str)
def test_what_a_step_replaces_is_read_at_each_call(device):
    """A step that keeps an average is captured twice, not at each call, wherever its arrays are."""
    state = SimpleNamespace(average=np.zeros(3, ctx=device), parts=[np.zeros(2, ctx=device), 1])

    @hybridize
    def step(x):
        state.average = 0.5 * state.average + x
        state.parts = [state.parts[0] + x[:2], state.parts[1] + 1]
        return state.average * 2

    expected, count = numpy.zeros(3, "float32"), numpy.zeros(2, "float32")
    for number in range(6):
        x = numpy.array([number, 1, -number], "float32")
        expected, count = numpy.float32(0.5) * expected + x, count + x[:2]
        numpy.testing.assert_array_equal(step(np.array(x, ctx=device)).asnumpy(), expected * 2)
        numpy.testing.assert_array_equal(state.average.asnumpy(), expected)
        numpy.testing.assert_array_equal(state.parts[0].asnumpy(), count)
        assert state.parts[1] == number + 2
        assert state.average.ctx == device
    assert step.cache_info().captures <= 3


def test_what_comes_from_another_device_is_another_program():
    state = SimpleNamespace(average=np.zeros(3, ctx=gpu(0)))

    @hybridize
    def step(x):
        state.average = state.average + x
        return state.average * 2

    for number in range(4):
        assert step(np.ones(3, ctx=gpu(0))).tolist() == [2.0 * number + 2] * 3
    state.average = np.full(3, 10.0, ctx=gpu(1))
    assert step(np.ones(3, ctx=gpu(1))).tolist() == [22.0] * 3
    assert state.average.ctx == gpu(1)


def test_numbers_of_the_host_in_programs_of_any_size():
    """A count is computed at the host, in a program that holds for arrays of any size on the device."""
    state = SimpleNamespace(parts={"sum": np.zeros(3, ctx=gpu(0)), "rows": 0})

    @hybridize
    def step(x):
        state.parts = {"sum": x.sum(axis=0) + state.parts["sum"], "rows": state.parts["rows"] + x.shape[0]}
        return state.parts["sum"] * state.parts["rows"]

    rows = 0
    for number in (2, 3, 5, 4, 7, 6):
        rows += number
        assert step(np.ones((number, 3), ctx=gpu(0))).tolist() == [float(rows * rows)] * 3
        assert state.parts["rows"] == rows
    assert step.cache_info().captures <= 4


class Counting(nn.HybridBlock):
    """A layer that writes its state, and computes with what it has written and with what was there."""

    def __init__(self):
        super().__init__()
        self.state = gluon.Parameter("state", shape=(2,), grad_req="null", init="ones")
        self.weight = gluon.Parameter("weight", shape=(2,), init="ones")

    def forward(self, x):
        before = self.state.data(x.ctx).copy()
        after = before * 2
        self.state.set_data(after)
        return x * after * self.weight.data(x.ctx) + before * x


def test_a_pass_back_reads_a_state_as_the_call_wrote_it():
    """A state has the memory of the output that is its new value, and a pass back may need that output."""

    def steps(device, hybridized):
        net = Counting()
        net.initialize(ctx=device)
        if hybridized:
            net.hybridize()
        x = np.ones(2, ctx=device)
        x.attach_grad()
        results = []
        for _ in range(3):
            with autograd.record():
                y, z = net(x), net(x)
            autograd.backward([y, z])
            results += [y.tolist(), z.tolist(), x.grad.tolist(), net.weight.grad(device).tolist()]
        return [*results, net.state.data(device).tolist()]

    expected = steps(cpu(), False)
    for hybridized in (False, True):
        assert steps(gpu(0), hybridized) == expected
