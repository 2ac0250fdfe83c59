"""The book's helpers on a GPU, as on the CPU: where they compute, and the same numbers."""

import matplotlib
import numpy
import pytest

from hybridize import cpu, d2l, gluon, gpu, init, np, npx, random
from hybridize.gluon import nn

matplotlib.use("agg")
pytestmark = pytest.mark.usefixtures("two_gpus")


@pytest.fixture(autouse=True)
def _figures_closed():
    yield
    d2l.plt.close("all")


def on_both(function):
    """What a function of a device gives on a GPU and on the CPU, from the same random numbers."""
    results = []
    for device in (gpu(0), cpu()):
        random.seed(1)
        results.append(function(device))
    return results


@pytest.mark.parametrize("kind", [pytest.param("LinearRegression", marks=pytest.mark.long), "LinearRegressionScratch"])
def test_a_trainer_moves_a_module_and_its_batches(kind):
    data = d2l.SyntheticRegressionData(np.array([2.0, -3.4]), 4.2, num_train=32, num_val=16, batch_size=16)

    def curves(device):
        model = getattr(d2l, kind)(*[2] * (kind == "LinearRegressionScratch"), lr=0.1)
        trainer = d2l.Trainer(max_epochs=2, num_gpus=int(device == gpu(0)), gradient_clip_val=1)
        trainer.fit(model, data)
        weight = model.w if kind == "LinearRegressionScratch" else model.get_w_b()[0]
        assert weight.ctx == device and trainer.gpus == [device] * (device == gpu(0))
        return [y for points in model.board.data.values() for _, y in points]

    numpy.testing.assert_allclose(*on_both(curves), rtol=1e-6)
    assert d2l.Trainer(1, num_gpus=5).gpus == [gpu(0), gpu(1)]


@pytest.mark.long
def test_training_tests_where_it_trains(capsys):
    x, y = np.random.normal(size=(12, 4)), np.array([0, 1, 2] * 4)
    batches = [(x[:6], y[:6]), (x[6:], y[6:])]

    def curves(device):
        net = nn.Sequential()
        net.add(nn.Dense(8, activation="relu"), nn.Dense(3))
        figure = d2l.train_ch6(net, batches, batches, 2, 0.5, device)
        assert net[0].weight.list_ctx() == [device]
        return [[y for y in line if y is not None] for line in figure.Y] + [d2l.evaluate_accuracy_gpu(net, batches)]

    there, here = on_both(curves)
    numpy.testing.assert_allclose(numpy.hstack(there), numpy.hstack(here), rtol=1e-6)
    assert "examples/sec on gpu(0)" in capsys.readouterr().out


@pytest.mark.long
def test_training_on_all_gpus(capsys):
    x, y = np.random.normal(size=(8, 4)), np.array([0, 1, 2, 0, 1, 2, 0, 1])

    def curves(devices):
        random.seed(2)
        net = nn.Dense(3, in_units=4)
        net.initialize(init.Xavier(), ctx=devices)
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
        loss = gluon.loss.SoftmaxCrossEntropyLoss()
        figure = d2l.train_ch13(net, [(x, y)], [(x, y)], loss, trainer, 2, devices)
        return [[y for y in line if y is not None] for line in figure.Y] + [d2l.evaluate_accuracy_gpus(net, [(x, y)])]

    assert d2l.try_all_gpus() == [gpu(0), gpu(1)]
    there, here = curves(d2l.try_all_gpus()), curves([cpu(0), cpu(1)])
    numpy.testing.assert_allclose(numpy.hstack(there), numpy.hstack(here), rtol=1e-6)
    assert "[gpu(0), gpu(1)]" in capsys.readouterr().out


@pytest.mark.long
def test_boxes_stay_where_they_are():
    def results(device):
        anchors = d2l.multibox_prior(np.zeros((1, 2, 2, 2), ctx=device), sizes=[0.75, 0.5], ratios=[1, 2])
        labels = np.array([[[0, 0.1, 0.08, 0.52, 0.92], [1, 0.55, 0.2, 0.9, 0.88]]], ctx=device)
        scores = npx.softmax(np.array(numpy.linspace(-1, 1, 36).reshape(1, 3, 12), ctx=device), axis=1)
        offsets = np.array(numpy.linspace(-1, 1, 48).reshape(1, 48), ctx=device)
        found = d2l.multibox_detection(scores, offsets, anchors)
        filtered = d2l.corr2d(np.arange(9, ctx=device).reshape(3, 3), np.arange(4, ctx=device).reshape(2, 2))
        arrays = [anchors, *d2l.multibox_target(anchors, labels), found, filtered]
        assert {one.ctx for one in arrays} == {device}
        return [one.asnumpy() for one in arrays]

    for there, here in zip(*on_both(results), strict=True):
        numpy.testing.assert_allclose(there, here, 1e-6, 1e-6)
