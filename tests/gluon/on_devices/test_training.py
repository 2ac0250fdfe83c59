"""Training on devices gives the losses, weights and states of training on the CPU."""

import numpy
import pytest

import hybridize
from hybridize import autograd, cpu, gluon, gpu, kvstore
from hybridize.array import np
from hybridize.errors import DeviceError
from hybridize.gluon import nn
from tests.device.trained import check, convolutions, with_dropout_and_norm
from tests.gluon.test_trainer_devices import arrays, trained
from tests.refusals import refusal

GPUS = [gpu(0), gpu(1)]


@pytest.mark.parametrize(("name", "hybridized"), [("sgd", True), ("adam", False)])
def test_an_optimizer(name, hybridized):
    # It divides by the size of gradients of nearly 0, whose last bits differ: a step of 0.01 is 1.6e-6 apart.
    apart = 5e-6 if name == "rmsprop" else 1e-6
    check("in_turn", 2, make=with_dropout_and_norm, rule=name, hybridized=hybridized, learning_rate=0.01, apart=apart)


@pytest.mark.long
def test_convolutions_op_by_op():
    check("in_turn", make=convolutions, hybridized=False, learning_rate=0.1, momentum=0.9)


OTHERS = [
    "adadelta", "adagrad", "adam", "adamax", "adamw", "dcasgd", "ftml", "ftrl", "lamb", "lans", "lars", "nadam", "nag",
    "rmsprop", "sgd", "sgld", "signum",
]  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("name", OTHERS)
def test_every_optimizer(name, hybridized):
    test_an_optimizer(name, hybridized)


WAYS = [
    {}, {"even": False}, {"update_on_kvstore": False}, {"grad_req": "add"}, {"kvstore": "teststore"},
]  # fmt: skip


def check_two(settings, number):
    losses, net, _ = trained(GPUS, steps=number, **settings)
    expected_losses, wanted, _ = trained([cpu(0), cpu(1)], steps=number, **settings)
    numpy.testing.assert_allclose(losses, expected_losses, rtol=1e-6)
    for copies, values in zip(arrays(net), arrays(wanted), strict=True):
        assert [one.device for one in copies] == GPUS
        for one, value in zip(copies, values, strict=True):
            numpy.testing.assert_allclose(one.asnumpy(), value.asnumpy(), rtol=1e-5, atol=1e-6)


def test_two_devices():
    check_two({"hybridized": True}, 2)


@pytest.mark.long
@pytest.mark.parametrize("settings", WAYS, ids=str)
def test_two_devices_in_every_way(settings):
    check_two(settings, 3)


def test_a_step_over_two_devices_is_not_one_program():
    """A compiled function runs on one device."""
    with refusal(
        DeviceError,
        r"E705: .*copies f32\[6,3\] from gpu\(1\) to gpu\(0\), and it runs on one device(?s:.*)compile the net",
    ):
        trained(GPUS, compiled=True, steps=1)


def test_a_store_adds_up_arrays_of_two_devices():
    store = kvstore.create("device")
    store.init(3, np.zeros((2, 2), ctx=gpu(0)))
    store.push(3, [np.ones((2, 2), ctx=one) for one in GPUS])
    out = [np.empty((2, 2), ctx=one) for one in GPUS]
    store.pull(3, out=out)
    assert [one.device for one in out] == GPUS
    assert all((one.asnumpy() == 2).all() for one in out)


def test_states_of_a_trainer_in_a_file(tmp_path):
    """What a trainer on a device saves, one on the CPU goes on with."""
    results = {}
    for device in (gpu(0), cpu()):
        hybridize.random.seed(1)
        net = nn.Dense(2, in_units=3)
        net.initialize(ctx=gpu(0))
        trainer = gluon.Trainer(net.collect_params(), "adam")
        for turn in range(3):
            if turn == 2:
                trainer.save_states(str(tmp_path / "states"))
                net.save_parameters(str(tmp_path / "weights"))
                net.reset_ctx(device)
                trainer = gluon.Trainer(net.collect_params(), "adam")
                trainer.load_states(str(tmp_path / "states"))
            with autograd.record():
                loss = (net(np.ones((1, 3), ctx=net.weight.list_ctx()[0])) ** 2).sum()
            loss.backward()
            trainer.step(1)
        results[device] = net.weight.data()
    assert [one.device for one in results.values()] == [gpu(0), cpu()]
    numpy.testing.assert_allclose(results[gpu(0)].asnumpy(), results[cpu()].asnumpy(), rtol=1e-6)


def test_a_data_set_of_arrays_on_a_device():
    """Its batches are there; labels are numbers at the host, as in MXNet."""
    images, labels = np.arange(12, ctx=gpu(0)).reshape(6, 2), np.arange(6, ctx=gpu(0))
    loader = gluon.data.DataLoader(gluon.data.ArrayDataset(images, labels), batch_size=4)
    batches = list(loader)
    assert [x.device for x, _ in batches] == [gpu(0)] * 2
    assert numpy.concatenate([x.asnumpy() for x, _ in batches]).tolist() == images.asnumpy().tolist()
    assert numpy.concatenate([y.asnumpy() for _, y in batches]).tolist() == [0, 1, 2, 3, 4, 5]


def test_metrics_of_arrays_on_a_device():
    accuracy, loss = hybridize.metric.Accuracy(), hybridize.metric.Loss()
    accuracy.update(np.array([1, 0], ctx=gpu(0)), np.array([[0.1, 0.9], [0.2, 0.8]], ctx=gpu(0)))
    loss.update(None, np.array([1.0, 3.0], ctx=gpu(0)))
    assert accuracy.get()[1] == 0.5
    assert loss.get()[1] == 2.0
