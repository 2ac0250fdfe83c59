"""Training over several devices: the parts of a batch give the gradients, weights and statistics of the whole."""

import contextlib
import copy

import numpy
import pytest

import hybridize
from hybridize import amp, autograd, compiler, cpu, gluon, kvstore
from hybridize.array import np
from hybridize.errors import AssertionFailed, StateError, ValueArgumentError
from hybridize.gluon import nn
from hybridize.gluon.utils import clip_global_norm, split_and_load
from tests.refusals import refusal

DEVICES = [cpu(0), cpu(1)]


def trained(devices, *, hybridized=False, compiled=False, grad_req="write", steps=5, even=True, optimizer="adam", **kw):
    """Steps over parts of batches, one for each device; the losses, the net and its trainer in the end."""
    hybridize.random.seed(5)
    net = nn.HybridSequential()
    net.add(nn.Dense(6, activation="tanh"), nn.Dense(1))
    net.initialize(ctx=devices)
    net.collect_params().setattr("grad_req", grad_req)
    if hybridized:
        net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 0.05}, **kw)
    generator = numpy.random.default_rng(2)
    size = 8 if even else 7

    def step(x, y):
        parts = zip(*(split_and_load(each, devices, even_split=even) for each in (x, y)), strict=True)
        with autograd.record():
            losses = [((net(a) - b) ** 2).sum() for a, b in parts]
        for loss in losses:
            loss.backward()
        trainer.step(size)
        if grad_req == "add":
            net.collect_params().zero_grad()
        return sum((loss.as_in_ctx(devices[0]) for loss in losses[1:]), losses[0])

    run = hybridize.hybridize(step) if compiled else step
    totals = []
    for _ in range(steps):
        x, y = np.array(generator.normal(size=(size, 3))), np.array(generator.normal(size=(size, 1)))
        totals.append(float(run(x, y)))
    return totals, net, trainer


def arrays(net):
    return [p.list_data() for p in net.collect_params().values()]


@pytest.mark.parametrize(
    "settings",
    [
        {}, {"hybridized": True}, {"compiled": True}, {"grad_req": "add"}, {"even": False}, {"optimizer": "sgd"},
        {"kvstore": "local"}, {"update_on_kvstore": False}, {"update_on_kvstore": False, "hybridized": True},
        {"kvstore": "teststore"}, {"compiled": True, "grad_req": "add"},
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("count", [2, 3])
def test_parts_are_the_whole(settings, count):
    devices = [cpu(number) for number in range(count)]
    if count == 3:
        settings = {**settings, "even": False}
    alone = {key: settings[key] for key in ("even", "optimizer") if key in settings}
    expected, single, _ = trained(DEVICES[:1], **alone)
    found, net, _ = trained(devices, **settings)
    assert found == pytest.approx(expected, rel=1e-4)
    for (one,), others in zip(arrays(single), arrays(net), strict=True):
        assert [other.ctx for other in others] == devices
        for other in others:
            assert other.asnumpy() == pytest.approx(one.asnumpy(), rel=1e-3, abs=1e-5)
            assert (other.asnumpy() == others[0].asnumpy()).all()


def test_a_program_is_compiled_once_for_all_devices():
    net = nn.Dense(3, in_units=2)
    net.initialize(ctx=[cpu(number) for number in range(4)])
    net.hybridize()
    net(np.ones((1, 2)))
    compiled = compiler.cache_info().misses
    for number in range(4):
        x = np.ones((1, 2), ctx=cpu(number))
        for _ in range(3):
            assert net(x).ctx == cpu(number)
    assert compiler.cache_info().misses == compiled


def test_each_device_has_its_own_array():
    net = nn.Dense(1, in_units=2, use_bias=False)
    net.initialize(ctx=DEVICES)
    for hybridized in (False, True):
        net.hybridize(hybridized)
        for number, weight in enumerate(net.weight.list_data()):
            weight[...] = number + 1
        for _ in range(3):  # the third by an entry, where there is one
            for number, device in enumerate(DEVICES):
                y = net(np.ones((1, 2), ctx=device))
                assert (y.ctx, y.item()) == (device, 2.0 * (number + 1))
        with autograd.record():
            y = net(np.ones((1, 2), ctx=DEVICES[1]))
        y.backward()
        assert net.weight.grad(DEVICES[1]).asnumpy().tolist() == [[1, 1]]
        assert net.weight.grad(DEVICES[0]).asnumpy().tolist() == [[0, 0]]
        net.zero_grad()


@pytest.mark.parametrize("hybridized", [False, True])
def test_statistics_are_of_each_device(hybridized):
    net = nn.BatchNorm(in_channels=2, momentum=0.0)
    net.initialize(ctx=DEVICES)
    if hybridized:
        net.hybridize()
    data = numpy.random.default_rng(1).normal(size=(8, 2)).astype("float32")
    for _ in range(3):
        for part, device in zip(split_and_load(data, DEVICES), DEVICES, strict=True):
            with autograd.record():
                y = net(part)
            y.backward()
            assert y.ctx == device
    for rows, mean in zip((data[:4], data[4:]), net.running_mean.list_data(), strict=True):
        assert mean.asnumpy() == pytest.approx(rows.mean(0), abs=1e-5)
    whole = net.running_mean._mean()
    assert whole == pytest.approx(data.mean(0), abs=1e-5)  # what files hold


def test_gradients_may_be_looked_at_between():
    one = gluon.Parameter("weight", shape=(2,))
    one.initialize("zeros", ctx=DEVICES)
    trainer = gluon.Trainer([one], "sgd", {"learning_rate": 1.0}, update_on_kvstore=False)
    for number, weight in enumerate(one.list_data()):
        with autograd.record():
            loss = weight.sum() * (number + 1)
        loss.backward()
    assert [grad.asnumpy().tolist() for grad in one.list_grad()] == [[1, 1], [2, 2]]
    trainer.allreduce_grads()
    assert [grad.asnumpy().tolist() for grad in one.list_grad()] == [[3, 3], [3, 3]]
    length = clip_global_norm(one.list_grad(), 1.0)
    assert length == pytest.approx(6.0)
    trainer.update(1)
    for weight in one.list_data():
        assert weight.asnumpy() == pytest.approx([-0.5, -0.5])
    assert trainer.optimizer.num_update == 1
    assert [updater.states.keys() for updater in trainer._updaters] == [{0}, {0}]


def test_halves_of_a_step_on_a_store_that_updates():
    one = gluon.Parameter("weight", shape=(2,))
    one.initialize(ctx=DEVICES)
    trainer = gluon.Trainer([one], "sgd")
    for half in (trainer.allreduce_grads, lambda: trainer.update(1)):
        with refusal(AssertionFailed, "E580.*whose store updates"):
            half()
    with refusal(ValueArgumentError, "E345.*kvstore='teststore'"):
        gluon.Trainer([one], "sgd", kvstore="teststore", update_on_kvstore=True).allreduce_grads()
    alone = gluon.Trainer([one], "sgd", {"learning_rate": 1.0}, kvstore=None)
    for number, weight in enumerate(one.list_data()):
        weight[...] = 0
        with autograd.record():
            loss = weight.sum() * (number + 1)
        loss.backward()
    alone.step(1)
    assert [weight.asnumpy().tolist() for weight in one.list_data()] == [[-1, -1], [-2, -2]]  # nothing sums


@pytest.mark.parametrize("scaled", [False, True])
def test_what_is_finite_on_each_device_is_so_where_each_is_updated_by_its_own(scaled):
    """The sum of the sums that `allreduce_grads` wrote would not be: nobody updates by it."""
    for store in ("device", None):
        one = gluon.Parameter("weight", shape=(1,), dtype="float16")
        one.initialize("zeros", ctx=DEVICES)
        options = {"update_on_kvstore": False, "check_finite": not scaled, "kvstore": store}
        trainer = gluon.Trainer([one], "sgd", {"learning_rate": 2.0**-14}, **options)
        trainer.loss_scaler = amp.LossScaler(1.0) if scaled else None
        for weight in one.list_data():
            with autograd.record():
                loss = weight * (2.0**14 if store else 2.0**15)
            loss.backward()
        trainer.step(1)
        assert [weight.item() for weight in one.list_data()] == [-2, -2]
        for number, weight in enumerate(one.list_data()):
            with autograd.record():
                loss = weight * numpy.float16(numpy.inf if number else 1)
            loss.backward()
        with contextlib.nullcontext() if scaled else refusal(AssertionFailed, "E520"):
            trainer.step(1)
        assert [weight.item() for weight in one.list_data()] == [-2, -2]


def test_stale_gradients():
    one = gluon.Parameter("weight", shape=(1,))
    one.initialize("zeros", ctx=DEVICES)
    trainer = gluon.Trainer([one], "sgd", {"learning_rate": 1.0})
    with autograd.record():
        loss = one.data(DEVICES[1]).sum() * 3
    loss.backward()
    with refusal(StateError, r"E561.*on cpu\(0\)"):
        trainer.step(1)
    assert [weight.item() for weight in one.list_data()] == [0, 0]
    trainer.step(1, ignore_stale_grad=True)
    assert [weight.item() for weight in one.list_data()] == [-3, -3]
    trainer.step(1, ignore_stale_grad=True)
    assert [weight.item() for weight in one.list_data()] == [-3, -3]


@pytest.mark.parametrize("settings", [{}, {"update_on_kvstore": False}], ids=str)
def test_training_goes_on_from_files(settings, tmp_path):
    _, whole, _ = trained(DEVICES, steps=6, **settings)
    _, net, trainer = trained(DEVICES, steps=3, **settings)
    net.save_parameters(str(tmp_path / "net.params"))
    trainer.save_states(str(tmp_path / "trainer.states"))
    again = nn.HybridSequential()
    again.add(nn.Dense(6, activation="tanh"), nn.Dense(1))
    again.load_parameters(str(tmp_path / "net.params"), ctx=DEVICES)
    other = gluon.Trainer(again.collect_params(), "adam", {"learning_rate": 0.05}, **settings)
    other.load_states(str(tmp_path / "trainer.states"))
    generator = numpy.random.default_rng(2)
    for number in range(6):
        x, y = np.array(generator.normal(size=(8, 3))), np.array(generator.normal(size=(8, 1)))
        if number < 3:
            continue
        with autograd.record():
            losses = [
                ((again(a) - b) ** 2).sum()
                for a, b in zip(split_and_load(x, DEVICES), split_and_load(y, DEVICES), strict=True)
            ]
        autograd.backward(losses)
        other.step(8)
    for expected, found in zip(arrays(whole), arrays(again), strict=True):
        for one, two in zip(expected, found, strict=True):
            assert two.asnumpy() == pytest.approx(one.asnumpy(), rel=1e-4, abs=1e-6)


def test_copies_of_a_net_are_where_it_is():
    net = nn.Dense(2, in_units=2)
    net.initialize(ctx=DEVICES)
    other = copy.deepcopy(net)
    assert [weight.ctx for weight in other.weight.list_data()] == DEVICES
    other.weight.set_data(np.zeros((2, 2)))
    assert all((weight.asnumpy() == 0).all() for weight in other.weight.list_data())
    assert all((weight.asnumpy() != 0).any() for weight in net.weight.list_data())
    assert (other(np.ones((1, 2), ctx=DEVICES[1])).asnumpy() == 0).all()


def test_a_store_of_ones_own_sums():
    @kvstore.KVStoreBase.register
    class Counting(kvstore.TestStore):
        calls = 0

        def pushpull(self, key, value, out=None, priority=0):
            Counting.calls += 1
            super().pushpull(key, value, out, priority)

    _, net, trainer = trained(DEVICES, kvstore="counting", steps=2)
    assert Counting.calls == 2 * len(net.collect_params())
    assert trainer._update_on_kvstore is False


@pytest.mark.parametrize("unscaled", [False, True])
@pytest.mark.parametrize("settings", [{}, {"update_on_kvstore": False}], ids=str)
def test_losses_are_scaled_on_all_devices(settings, unscaled):
    """A step divides by the factor of the loss on several devices as on one, and leaves out what is not finite."""

    def after(devices, bad):
        hybridize.random.seed(5)
        net = nn.Dense(2, in_units=3)
        net.initialize(ctx=devices)
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1}, **settings)
        amp.init_trainer(trainer, amp.LossScaler(1024.0))
        x = numpy.arange(1.0, 13.0, dtype="float32").reshape(4, 3) * (numpy.inf if bad else 1)
        with autograd.record():
            losses = [(net(part) ** 2).sum() for part in split_and_load(np.array(x), devices)]
            with amp.scale_loss(losses, trainer) as scaled:
                autograd.backward(scaled)
        if unscaled:
            amp.unscale(trainer)
        trainer.step(4)
        return trainer.loss_scaler.loss_scale, arrays(net)

    for bad in (False, True):
        (factor, one), (other, both) = after([cpu()], bad), after(DEVICES, bad)
        assert factor == other == (512.0 if bad else 1024.0)
        for (first,), copies in zip(one, both, strict=True):
            assert len(copies) == 2
            for copy_ in copies:
                numpy.testing.assert_allclose(copy_.asnumpy(), first.asnumpy(), rtol=1e-5)
