"""The short way of programs that keep state: what it leaves behind is, to the bit, what the way of all calls leaves."""

import numpy
import pytest

import hybridize
from hybridize import autograd, gluon, gpu, np
from hybridize.errors import DeviceError
from hybridize.gluon import nn
from hybridize.programs import device_entry
from hybridize.runtime import devices
from tests.refusals import refusal

X = numpy.arange(6, dtype="float32").reshape(2, 3) / 4


class Step:
    """A net, a trainer, and a step of both that is one program."""

    def __init__(self, rule="sgd", dropout=0.0, **options):
        np.random.seed(5)
        self.net = net = nn.HybridSequential()
        net.add(nn.Dense(3, in_units=3), nn.BatchNorm(in_channels=3), nn.Dropout(dropout), nn.Dense(2, in_units=3))
        net.initialize(ctx=gpu(0))
        self.trainer = gluon.Trainer(net.collect_params(), rule, {"learning_rate": 0.25} | options)

        @hybridize.hybridize
        def step(x, scale=1.0):
            with autograd.record():
                loss = (net(x) ** 2).mean() * scale
            loss.backward()
            self.trainer.step(1)
            return loss

        self.step = step
        self.x = np.array(X, ctx=gpu(0))
        self.went = []

    def __call__(self, *args):
        run = device_entry.DeviceMachine.run
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(device_entry.DeviceMachine, "run", lambda *inputs: self.went.append(None) or run(*inputs))
            loss = self.step(self.x if not args else args[0], *args[1:])
        return loss.asnumpy().tobytes(), self.state()

    def state(self):
        arrays = [one.data() for one in self.net.collect_params().values()]
        arrays += [one.grad() for one in self.net.collect_params().values() if one.grad_req != "null"]
        for slots in self.trainer._updaters[0].states.values():
            arrays += [one for one in (slots if isinstance(slots, tuple) else (slots,)) if one is not None]
        optimizer = self.trainer._optimizer
        numbers = [optimizer.num_update, *optimizer._index_update_count.values(), optimizer.rescale_grad]
        return [one.asnumpy().tobytes() for one in arrays], numbers, str(np.random.get_state())

    @property
    def was_short(self):
        went = not self.went
        self.went.clear()
        return went


RULES = {"momentum": {"rule": "sgd", "momentum": 0.5}, "adam": {"rule": "adam", "dropout": 0.5}}


def way_of_all(monkeypatch):
    monkeypatch.setattr(device_entry, "why_none", lambda captured, machine: "a test")


@pytest.mark.parametrize("name", ["adam", pytest.param("momentum", marks=pytest.mark.long)])
def test_losses_and_state_are_those_of_the_way_of_all(monkeypatch, name):
    def steps(is_short):
        step, found = Step(**RULES[name]), []
        for number in range(6):
            if number == 4:
                step.trainer.set_learning_rate(0.125)
                step.net[0].weight.data()[0] += 1
            found.append(step())
            assert step.was_short == is_short or number < 2
        return found

    found = steps(True)
    way_of_all(monkeypatch)
    assert steps(False) == found


def test_a_step_that_fails_leaves_all_as_it_was(monkeypatch):
    step = Step(rule="adam", dropout=0.5)
    for _ in range(3):
        step()
    before, device = step.state(), devices.opened(0)

    def failed(*args):
        raise DeviceError("E908", "not now")

    with monkeypatch.context() as patched:
        for name in ("launch", "capture"):
            patched.setattr(device, name, failed)
        with refusal(DeviceError, "E908: not now"):
            step()
    assert step.state() == before
    step.went.clear()
    assert step() != before and step.was_short
