"""The estimator trains as the loop written by hand does; its handlers stop, save, resume to the bit, and say what they do."""

import io
import json
import logging
import math
import xml.etree.ElementTree as ET

import numpy
import pytest
from rich.console import Console

from hybridize import autograd, gluon, init, metric
from hybridize.array import np, random
from hybridize.array.device import gpu
from hybridize.base.errors import ArgumentError, DeviceError, LoadError, StateError, ValueArgumentError, WriteError
from hybridize.gluon import nn
from hybridize.gluon.contrib import estimator as module
from hybridize.gluon.contrib.estimator import Estimator
from hybridize.io import NDArrayIter
from tests.refusals import refusal

draw = numpy.random.default_rng(0)
X = draw.normal(size=(50, 6)).astype("f4")
Y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype("i8")


def data(shuffle=False, count=50):
    return gluon.data.DataLoader(gluon.data.ArrayDataset(X[:count], Y[:count]), batch_size=16, shuffle=shuffle)


def get_net(dropout=0.0):
    net = nn.HybridSequential()
    net.add(nn.Dense(8, activation="relu", in_units=6), nn.Dropout(dropout), nn.Dense(2, in_units=8))
    net.initialize(init.Xavier())
    return net


def get(net, optimizer="adam", **kwargs):
    trainer = gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 0.02})
    return Estimator(net, gluon.loss.SoftmaxCrossEntropyLoss(), trainer=trainer, **kwargs)


def parameters(net):
    return {name: p.data().asnumpy().copy() for name, p in net.collect_params().items()}


def same(first, second):
    for name in first:
        numpy.testing.assert_array_equal(first[name], second[name])


class Recorder(
    module.TrainBegin, module.TrainEnd, module.EpochBegin, module.EpochEnd, module.BatchBegin, module.BatchEnd
):
    def __init__(self, stop_epoch=None, stop_batch=None, priority=0):
        self.heard, self.priority = [], priority
        self.stop_epoch, self.stop_batch = stop_epoch, stop_batch

    def train_begin(self, estimator, *args, **kwargs):
        self.heard.append("begin")

    def train_end(self, estimator, *args, **kwargs):
        self.heard.append(f"end {estimator.epoch} {estimator.batch}")

    def epoch_begin(self, estimator, *args, **kwargs):
        self.heard.append(f"epoch {estimator.epoch}")

    def epoch_end(self, estimator, *args, **kwargs):
        return estimator.epoch == self.stop_epoch

    def batch_begin(self, estimator, *args, batch, **kwargs):
        self.heard.append(f"batch {estimator.batch} {len(batch[0])}")

    def batch_end(self, estimator, *args, batch, pred, label, loss, **kwargs):
        assert (
            pred[0].shape == (len(batch[0]), 2)
            and loss[0].shape == (len(batch[0]),)
            and label[0].shape == (len(batch[0]),)
        )
        return estimator.batch == self.stop_batch

    def aborted(self, estimator):
        self.heard.append("aborted")


@pytest.mark.parametrize("hybrid", [False, True])
def test_the_loop_written_by_hand(hybrid):
    random.seed(3)
    one, other = get_net(), get_net()
    for mine, theirs in zip(one.collect_params().values(), other.collect_params().values(), strict=True):
        theirs.set_data(mine.data())
    if hybrid:
        one.hybridize()
    est = get(one)
    est.fit(data(), epochs=3)
    trainer = gluon.Trainer(other.collect_params(), "adam", {"learning_rate": 0.02})
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    for _ in range(3):
        total, right = 0.0, 0
        for x, y in data():
            with autograd.record():
                scores = other(x)
                losses = loss(scores, y)
            losses.backward()
            trainer.step(len(x))
            total += float(losses.sum())
            right += int((scores.asnumpy().argmax(1) == y.asnumpy()).sum())
    for mine, theirs in zip(parameters(one).values(), parameters(other).values(), strict=True):
        numpy.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-6)
    (_, accuracy), (name, mean) = (m.get() for m in est.train_metrics)
    assert accuracy == pytest.approx(right / 50, abs=0.021)
    assert mean == pytest.approx(total / 50, rel=1e-4)
    assert name == "training SoftmaxCrossEntropyLoss"


def test_events():
    heard = Recorder()
    est = get(get_net())
    est.fit(data(count=20), epochs=2, event_handlers=[heard])
    assert heard.heard == [
        "begin",
        "epoch 0",
        "batch 0 16",
        "batch 1 4",
        "epoch 1",
        "batch 2 16",
        "batch 3 4",
        "end 2 4",
    ]
    for stops, batches in ((Recorder(stop_epoch=1), 8), (Recorder(stop_epoch=0, stop_batch=2), 3)):
        est.fit(data(), epochs=9, event_handlers=stops)
        assert est.batch == batches
    est.fit(data(), batches=6)
    assert (est.epoch, est.batch) == (2, 6)


def test_validation_uses_no_gradients_and_no_dropout():
    net = get_net(dropout=0.5)
    est = get(net, val_metrics=[metric.Accuracy(), metric.Loss()])
    before = parameters(net)
    values = []
    for _ in range(2):
        est.evaluate(data())
        values.append([one.get() for one in est.val_metrics])
    assert values[0] == values[1]
    assert [name for name, _ in values[0]] == ["validation accuracy", "validation loss"]
    same(before, parameters(net))
    scores = net(np.array(X)).asnumpy()
    assert values[0][0][1] == (scores.argmax(1) == Y).mean()
    random.seed(1)
    est.fit(data(), val_data=data(count=20), epochs=2)
    assert est.val_metrics[0].num_inst == 20


def test_validation_by_batches():
    est = get(get_net())
    calls = []
    handler = module.ValidationHandler(
        data(), lambda **kwargs: calls.append(est.batch), epoch_period=None, batch_period=3
    )
    est.fit(data(), epochs=2, event_handlers=handler)
    assert calls == [2, 5]


@pytest.mark.parametrize(
    ("values", "options", "epochs"),
    [
        ([0.1, 0.2, 0.3, 0.3, 0.3], {}, 4),
        ([0.1, 0.2, 0.1, 0.3, 0.3, 0.2], {"patience": 2}, 6),
        ([0.3, 0.2, 0.1, 0.1], {"mode": "min"}, 4),
        ([0.1, 0.2, 0.25, 0.4], {"min_delta": 0.08}, 3),
        ([0.1, 0.2, 0.3], {"baseline": 0.5}, 1),
    ],
)
def test_early_stopping(values, options, epochs):
    watched = metric.Accuracy()

    class Told(module.EpochEnd):
        priority = -1

        def epoch_end(self, estimator, *args, **kwargs):
            watched.reset()
            watched._add(values[estimator.epoch], 1)

    est = get(get_net())
    stopping = module.EarlyStoppingHandler(watched, **options)
    est.fit(data(count=16), epochs=len(values) + 3, event_handlers=[Told(), stopping])
    assert est.epoch == epochs
    assert stopping.stopped_epoch == epochs - 1
    assert module.EarlyStoppingHandler(metric.MSE())._sign == -1
    assert module.EarlyStoppingHandler(metric.F1())._sign == 1


def test_a_loss_of_nan_updates_nothing():
    net = get_net()
    est = get(net)
    heard = Recorder()
    broken = [(np.array(X[:4]), np.array(Y[:4])), (np.array(X[:4] * numpy.nan), np.array(Y[:4]))]
    est.fit(broken[:1], epochs=1)
    first = parameters(net)
    with pytest.raises(StateError, match=r"NaN in epoch 0, batch 0(.|\n)*learning rate"):
        est.fit(broken[1:], epochs=1, event_handlers=heard)
    same(first, parameters(net))
    assert heard.heard[-1] == "aborted"


class Stop(Exception):
    pass


class Fault(module.EpochEnd):
    priority = 5000

    def __init__(self, epoch):
        self.epoch = epoch

    def epoch_end(self, estimator, *args, **kwargs):
        if estimator.epoch == self.epoch:
            raise Stop


def test_resumed_training_gives_the_same_bits(tmp_path):
    """With dropout, shuffled batches, Adam's slots and a schedule that is in the trainer."""
    random.seed(7)
    begun = get_net(dropout=0.3)
    begun.save_parameters(tmp_path / "begun.params")

    def fit(folder, *more, **options):
        net = get_net(dropout=0.3)
        net.load_parameters(tmp_path / "begun.params")
        est = get(net)
        random.seed(11)
        saving = module.CheckpointHandler(tmp_path / folder, **options)
        est.fit(data(shuffle=True), epochs=5, event_handlers=[saving, *more])
        return est

    whole = fit("whole")
    with pytest.raises(Stop):
        fit("broken", Fault(2))
    random.seed(999)
    resumed = fit("broken", resume_from_checkpoint=True)
    assert (resumed.epoch, resumed.batch) == (whole.epoch, whole.batch) == (5, 20)
    same(parameters(whole.net), parameters(resumed.net))
    numpy.testing.assert_array_equal(whole.train_metrics[1].get()[1], resumed.train_metrics[1].get()[1])
    with pytest.raises(ArgumentError, match="nothing is left to train"):
        fit("whole", resume_from_checkpoint=True)


def test_which_checkpoints_there_are(tmp_path):
    est = get(get_net())
    handler = module.CheckpointHandler(
        tmp_path, "net", monitor=est.train_metrics[1], save_best=True, max_checkpoints=2, verbose=1
    )
    assert handler._sign == -1
    est.fit(data(), epochs=4, event_handlers=handler)
    names = sorted(path.name for path in tmp_path.iterdir())
    kept = ["net-epoch2batch11", "net-epoch3batch15"]
    assert names == sorted(name + end for name in ("net-best", *kept) for end in (".json", ".params", ".states"))
    assert [path.rsplit("/", 1)[1] for path in handler.saved()] == kept
    best = json.loads((tmp_path / "net-best.json").read_text())["best"]
    assert best == -min(est.train_metrics[1].get()[1], -best)
    often = module.CheckpointHandler(tmp_path / "often", epoch_period=None, batch_period=5)
    est.fit(data(), epochs=3, event_handlers=often)
    assert [path.rsplit("/", 1)[1] for path in often.saved()] == ["model-epoch1batch4", "model-epoch2batch9"]


def test_checkpoints_that_are_not_whole_do_not_count(tmp_path):
    est = get(get_net())
    est.fit(data(), epochs=2, event_handlers=module.CheckpointHandler(tmp_path))
    (tmp_path / "model-epoch1batch7.json").unlink()
    resumed = get(get_net())
    resumed.fit(
        data(),
        epochs=3,
        event_handlers=module.CheckpointHandler(tmp_path, resume_from_checkpoint=True, epoch_period=None),
    )
    assert resumed.batch == 12
    for text in (
        "",
        "{}",
        '{"epoch": 1, "batch": 4, "best": null, "random": [1, -2]}',
        '{"epoch": 1, "batch": 4, "best": null, "random": [1]}',
    ):
        (tmp_path / "model-epoch0batch3.json").write_text(text)
        fresh = get(get_net())
        before = parameters(fresh.net)
        with pytest.raises(LoadError, match="is not a checkpoint"):
            fresh.fit(data(), epochs=3, event_handlers=module.CheckpointHandler(tmp_path, resume_from_checkpoint=True))
        same(before, parameters(fresh.net))


def test_a_checkpoint_that_is_overwritten_counts_again_when_it_is_whole(tmp_path, monkeypatch):
    def full(path):
        raise OSError("no space left")

    est, handler = get(get_net()), module.CheckpointHandler(tmp_path)
    est.fit(data(), epochs=1, event_handlers=handler)
    assert len(handler.saved()) == 1
    with monkeypatch.context() as patch:
        patch.setattr(est.trainer, "save_states", full)
        with pytest.raises(OSError, match="no space"):
            est.fit(data(), epochs=1, event_handlers=handler)
    assert handler.saved() == []
    est.fit(data(), epochs=1, event_handlers=handler)
    assert len(handler.saved()) == 1


def test_what_is_logged(capsys):
    est = get(get_net())
    est.fit(data(), val_data=data(), epochs=2)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Training begin: 2 epochs, Adam, learning rate 0.02"
    assert lines[1] == "[Epoch 0] Begin, learning rate 0.02"
    assert lines[2].startswith("[Epoch 0] Validated in ") and "validation accuracy: 0." in lines[2]
    assert lines[3].startswith("[Epoch 0] Finished in ") and "training SoftmaxCrossEntropyLoss: " in lines[3]
    assert lines[-1].startswith("Train finished: ") and "2 epochs" in lines[-1]
    est.fit(data(), batches=3, event_handlers=module.LoggingHandler(2, est.train_metrics))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" time")[0] for line in lines if "[Batch" in line] == [
        "[Epoch 0][Batch 0][Samples 16]",
        "[Epoch 0][Batch 2][Samples 48]",
    ]
    est.logger.setLevel(logging.WARNING)
    est.fit(data(), epochs=1)
    assert capsys.readouterr().out == ""


def test_progress_bars_are_for_terminals():
    for terminal in (True, False):
        shown = io.StringIO()
        est = get(get_net())
        est.logger.setLevel(logging.WARNING)
        handler = module.ProgressHandler(est.train_metrics, Console(file=shown, force_terminal=terminal, width=140))
        est.fit(data(), epochs=2, event_handlers=handler)
        assert ("epoch 2/2" in shown.getvalue() and "8/8" in shown.getvalue()) == terminal
        with pytest.raises(Stop):
            est.fit(data(), epochs=2, event_handlers=[handler, Fault(0)])
        assert handler._progress is None


def test_curves_are_drawn_in_a_file_and_go_on(tmp_path):
    est = get(get_net())
    handler = module.CurvesHandler(path=tmp_path / "curves.svg")
    est.fit(data(), data(), epochs=3, event_handlers=handler)
    names = {name for one in (*est.train_metrics, *est.val_metrics) for name, _ in one.get_name_value()}
    assert handler.curves.points.keys() == names
    assert all([x for x, _ in points] == [1, 2, 3] for points in handler.curves.points.values())
    for one in est.train_metrics:
        assert dict(one.get_name_value()).items() <= {k: v[-1][1] for k, v in handler.curves.points.items()}.items()
    root = ET.fromstring((tmp_path / "curves.svg").read_text())
    texts = {"".join(one.itertext()) for one in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"accuracy", "training", "validation", "epoch"} <= texts
    batches = module.CurvesHandler(est.train_metrics[0], interval=2)
    est.fit(data(), batches=4, event_handlers=batches)
    (points,) = batches.curves.points.values()
    assert [x for x, _ in points] == [2, 4]
    with refusal(ValueArgumentError, "interval takes a number of batches or 'epoch', got 'day'"):
        module.CurvesHandler(interval="day")
    with refusal(WriteError, "nowhere"):
        handler.curves.save(tmp_path / "nowhere" / "curves.svg")


def test_several_devices_and_own_processors():
    from hybridize import cpu

    class Mean(module.BatchProcessor):
        def evaluate_batch(self, estimator, val_batch, batch_axis=0):
            data, label = [val_batch[0]], [val_batch[1]]
            return data, label, [np.zeros((len(label[0]), 2))], [np.ones(len(label[0]))]

    est = get(get_net(), device=[cpu(0), cpu(1)], batch_processor=Mean())
    est.fit(data(), epochs=1)
    assert est.train_metrics[0].num_inst == 50
    est.evaluate(data())
    assert est.val_metrics[1].get()[1] == 1


def test_a_net_is_initialized_where_it_is_not():
    net = nn.Dense(2, in_units=6)
    with pytest.warns(UserWarning, match="learning rate of 0.001"):
        Estimator(net, gluon.loss.SoftmaxCELoss(), initializer=init.Constant(2))
    assert (net.weight.data().asnumpy() == 2).all()
    with pytest.warns(UserWarning, match="fully initialized"):
        get(net, initializer="ones")
    assert (net.weight.data().asnumpy() == 2).all()
    deferred = nn.Dense(2)
    deferred.initialize()
    get(deferred).fit(data(), epochs=1)
    assert deferred.weight.shape == (2, 6)


def test_metrics_are_named_once():
    est = get(get_net(), train_metrics=metric.create(["acc", "ce"]))
    again = get(get_net(), train_metrics=est.train_metrics)
    assert [one.name for one in again.train_metrics] == [
        "training accuracy",
        "training cross-entropy",
        "training SoftmaxCrossEntropyLoss",
    ]
    assert [one.name for one in again.val_metrics] == [
        one.name.replace("training", "validation") for one in again.train_metrics
    ]


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Estimator(3, None), "net of an Estimator must be a Block"),
        (lambda: Estimator(get_net(), get_net()), "loss of an Estimator"),
        (lambda: get(get_net(), train_metrics=["acc"]), "str is no EvalMetric"),
        (lambda: get(get_net(), batch_processor=3), "fit_batch"),
        (lambda: get(get_net()).fit(data()), "epochs or a number of batches"),
        (lambda: get(get_net()).fit(data(), epochs=1, batches=1), "either a number of epochs"),
        (lambda: get(get_net()).fit(data(), epochs=-1), "either a number of epochs"),
        (lambda: get(get_net()).fit(data(), epochs=1.5), "either a number of epochs"),
        (lambda: get(get_net()).fit(data(), epochs="2"), "either a number of epochs"),
        (lambda: get(get_net()).fit([np.array(X)], epochs=1), "labels., got ndarray"),
        (lambda: get(get_net()).fit([(np.array(X),)], epochs=1), "labels., got 1 parts"),
        (lambda: get(get_net()).evaluate([3]), "labels., got int"),
        (
            lambda: module.CheckpointHandler("unused", max_checkpoints=0),
            "max_checkpoints must be an integer of 1 or more",
        ),
        (lambda: get(get_net()).fit([], epochs=1), "no batches in epoch 0"),
        (lambda: get(get_net()).fit(iter(list(data())), epochs=2), "no batches in epoch 1"),
        (lambda: get(get_net()).fit(data(), epochs=1, event_handlers=3), "event handler of an Estimator"),
        (lambda: module.EarlyStoppingHandler(metric.create(["acc"])), "one metric"),
        (lambda: module.LoggingHandler(0), "log_interval"),
        (lambda: module.CheckpointHandler("unused", save_best=True), "one metric"),
        (lambda: module.EarlyStoppingHandler(metric.MAE(), mode="best"), "no mode"),
    ],
)
def test_what_cannot_be_is_an_error(make, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with refusal(ArgumentError, text):
        make()
    assert not list(tmp_path.iterdir())


def test_what_is_watched_is_one_number():
    each = metric.F1(class_type="multiclass", average=None)
    est = get(get_net(), train_metrics=each)
    with pytest.raises(ArgumentError, match=r"E390.*training f1 gave array"):
        est.fit(data(), epochs=1, event_handlers=module.EarlyStoppingHandler(each))


def test_a_loss_of_one_number_says_not_how_many_samples_it_is_of():
    class Whole(gluon.loss.SoftmaxCrossEntropyLoss):
        def forward(self, pred, label, sample_weight=None):
            return super().forward(pred, label, sample_weight).mean()

    net = get_net()
    before = parameters(net)
    est = Estimator(net, Whole(), trainer=gluon.Trainer(net.collect_params(), "sgd"))
    with pytest.raises(ArgumentError, match=r"E390.*Whole gives one number"):
        est.fit(data(), epochs=1)
    same(before, parameters(net))


def test_where_it_is_found():
    assert gluon.contrib.estimator is module
    with refusal(AttributeError, "nonsense"):
        _ = gluon.contrib.nonsense
    assert math.isinf(module.ProgressHandler().priority)


def test_what_mxnet_refuses_too():
    """Iterators that end after an epoch, batches that are no pairs, devices that are none, metrics that nobody measures."""
    net = get_net()
    with refusal(ValueError, "E390.*NDArrayIter"):
        get(net).fit(NDArrayIter(X, Y, batch_size=16), epochs=1)
    with refusal(ValueError, "E390.*NDArrayIter"):
        get(net).evaluate(NDArrayIter(X, Y, batch_size=16))
    with refusal(ValueError, r"E391.*\(data, labels\)"):
        get(net).fit([np.ones((10, 6))], epochs=1)
    with refusal(ValueError, "E390.*device"):
        get(net, device="cpu")
    with refusal(DeviceError, "E701"):
        get(net, device=[gpu(7)])
    own = metric.Accuracy(name="own")
    with refusal(ValueError, "E390.*'own', which nobody measures"):
        get(net).fit(data(), epochs=1, event_handlers=module.LoggingHandler(metrics=own))
    get(net).fit(data(), epochs=1, event_handlers=[module.LoggingHandler(metrics=own), module.MetricHandler(own)])
    assert own.num_inst == 50
