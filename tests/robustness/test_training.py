"""What goes wrong in training, imperatively and in a compiled step: a clear error at the user's line, and nothing moved."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy
import pytest

import hybridize as hz
from hybridize import autograd, gluon, hybridize, lr_scheduler, np
from hybridize.errors import (
    ArgumentError,
    AssertionFailed,
    HybridizeError,
    LoadError,
    ShapeError,
    StateError,
)
from hybridize.gluon import nn
from hybridize.gluon.contrib import estimator as estimators
from hybridize.gluon.data import ArrayDataset, DataLoader
from tests.refusals import refusal

BOTH = pytest.mark.parametrize("compiled", [False, True], ids=["imperatively", "compiled"])

OPTIMIZERS = [
    ("sgd", {"learning_rate": 0.1, "momentum": 0.9, "wd": 1e-3}), ("nag", {"learning_rate": 0.1}), ("adagrad", {}),
    ("rmsprop", {}), ("rmsprop", {"centered": True}), ("adadelta", {}), ("adam", {}), ("adamw", {"wd": 0.01}),
    ("adamax", {}), ("nadam", {}), ("ftrl", {}), ("lamb", {}), ("signum", {}),
    ("adam", {"lr_scheduler": lr_scheduler.CosineScheduler(20, 0.01, warmup_steps=2)}),
]  # fmt: skip


def run(function, compiled):
    """Call a function of no arguments."""
    return (hybridize(function) if compiled else function)()


class Training:
    """A small net with everything that has state: weights, running statistics, dropout, an optimizer."""

    def __init__(self, name="adam", settings=None, compiled=False, **options):
        hz.random.seed(6)
        self.net = nn.HybridSequential()
        self.net.add(nn.Dense(8, activation="tanh", in_units=5), nn.BatchNorm(in_channels=8), nn.Dropout(0.2))
        self.net.add(nn.Dense(3, in_units=8))
        self.net.initialize(hz.init.Xavier())
        self.trainer = gluon.Trainer(self.net.collect_params(), name, dict(settings or {}), **options)
        self.loss = gluon.loss.SoftmaxCrossEntropyLoss()
        self.step = hybridize(self.plain) if compiled else self.plain

    def plain(self, x, y):
        with autograd.record():
            loss = self.loss(self.net(x), y)
        loss.backward()
        self.trainer.step(x.shape[0])
        return loss.mean()

    def run(self, first, last):
        return [float(self.step(*batch(number))) for number in range(first, last)]

    def state(self, everything=True):
        """All that a step changes; without what the forward pass changes, if not `everything`."""
        names = [name for name in self.net.collect_params() if everything or "running" not in name]
        arrays = {name: self.net.collect_params()[name].data().asnumpy() for name in names}
        slots = self.trainer._updaters[0].states
        for index, slot in slots.items():
            for number, array in enumerate(slot if isinstance(slot, tuple) else (slot,)):
                arrays[f"{index}.{number}"] = array.asnumpy()
        return arrays, self.trainer.optimizer.num_update, self.trainer.learning_rate


def same(one, other):
    assert one[1:] == other[1:]
    assert one[0].keys() == other[0].keys()
    for name, array in one[0].items():
        numpy.testing.assert_array_equal(other[0][name], array, err_msg=name)


def batch(number, size=8):
    rng = numpy.random.default_rng(number)
    return np.array(rng.normal(size=(size, 5))), np.array(rng.integers(0, 3, size))


# ------------------------------------------------------------------------------------------------------- backward


@BOTH
def test_backward_without_record(compiled):
    x = np.array([1.0, 2.0])
    x.attach_grad()

    def wrong():
        y = (x * x).sum()
        y.backward()  # here

    with pytest.raises(StateError, match=r"E5\d\d(.|\n)*test_training.py:\d+ in wrong:  y.backward\(\)  # here"):
        run(wrong, compiled)
    assert x.grad.tolist() == [0, 0]


@BOTH
def test_a_second_backward(compiled):
    x = np.array([1.0, 2.0])
    x.attach_grad()

    def twice():
        with autograd.record():
            y = (x * x).sum()
        y.backward()
        y.backward()  # again

    with pytest.raises(StateError, match=r"E541.* freed by a backward pass at (.|\n)*retain_graph=True"):
        run(twice, compiled)
    assert x.grad.tolist() == [2, 4]  # the first is done; a call that raises is left to Python, which does the same


@BOTH
def test_a_gradient_for_integers(compiled):
    y = np.array([1.0, 2.0])
    y.attach_grad()

    def of_integers():
        with autograd.record():
            z = (y * 2).astype("int32")
        z.backward()

    with pytest.raises(HybridizeError, match=r"E385.*only floats have gradients, not i32\[2\]"):
        run(of_integers, compiled)
    assert y.grad.tolist() == [0, 0]


@BOTH
def test_a_head_gradient_of_another_shape(compiled):
    x = np.array([1.0, 2.0])
    x.attach_grad()

    def wrong():
        with autograd.record():
            y = x * x
        y.backward(np.ones(3))

    with pytest.raises(ArgumentError, match=r"E387.*f32\[2\] is f32\[3\]"):
        run(wrong, compiled)
    assert x.grad.tolist() == [0, 0]


@BOTH
def test_what_was_recorded_is_written_before_backward(compiled):
    x, w = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    x.attach_grad()

    def overwritten():
        with autograd.record():
            y = (x * w).sum()
        w[:] = 0
        y.backward()

    if compiled:  # a program keeps what it needs
        run(overwritten, compiled)
        assert x.grad.tolist() == [3, 4]
    else:
        with pytest.raises(StateError, match=r"E542.*overwritten"):
            run(overwritten, compiled)
        assert x.grad.tolist() == [0, 0]


@pytest.mark.parametrize("hybridized", [False, True])
def test_a_parameter_that_becomes_another_between_record_and_step(hybridized):
    made = Training("sgd", {"learning_rate": 0.1})
    made.net.hybridize(hybridized)
    x, y = batch(0)
    with autograd.record():
        loss = made.loss(made.net(x), y)
    made.net[3].weight.cast("float64")
    before = made.state()
    loss.backward()
    with pytest.raises(StateError, match=r"E561.*'3.weight' has not been written by backward"):
        made.trainer.step(8)
    same(before, made.state())


def test_a_shape_that_changes_is_refused_at_the_layer():
    for compiled in (False, True):
        made = Training(compiled=compiled)
        made.run(0, 2)
        before = made.state(everything=False)
        with pytest.raises(ShapeError, match=r"E1\d\d(.|\n)*test_training.py:\d+ in plain:"):
            made.step(np.ones((8, 6)), batch(0)[1])
        with pytest.raises(HybridizeError, match=r"E1\d\d(.|\n)*test_training.py:\d+ in plain:"):
            made.step(np.ones((8, 5)), np.zeros(7))  # labels of another batch
        same(before, made.state(everything=False))
        made.run(2, 3)


# ----------------------------------------------------------------------------------------------------------- NaN


@BOTH
@pytest.mark.parametrize("value", [numpy.nan, numpy.inf])
@pytest.mark.parametrize(("name", "settings"), OPTIMIZERS[:7:3])
def test_a_gradient_that_is_not_finite(compiled, value, name, settings):
    expected = Training(name, settings, compiled).run(0, 3)
    made = Training(name, settings, compiled, check_finite=True)
    assert made.run(0, 3) == expected  # looking changes nothing
    before = made.state(everything=compiled)  # imperatively running statistics have moved: the batch went forward
    x, y = batch(3)
    x[1, 2] = value
    what = r"E520: the gradient of parameter '0.weight' is not finite; no parameter was updated"
    with refusal(AssertionFailed, what) as caught:
        made.step(x, y)
    assert caught.value.loc.text == "self.trainer.step(x.shape[0])"
    same(before, made.state(everything=compiled))
    assert isinstance(float(made.step(*batch(3))), float)


@BOTH
def test_looking_can_be_turned_on_and_off(compiled):
    made = Training("sgd", {"learning_rate": 0.1}, compiled)
    made.run(0, 1)
    x, y = batch(1)
    x[0, 0] = numpy.nan
    made.trainer.check_finite = True
    with pytest.raises(AssertionFailed, match="E520"):
        made.step(x, y)
    made.trainer.check_finite = False
    made.step(x, y)  # as told
    assert numpy.isnan(made.net[0].weight.data().asnumpy()).any()


@BOTH
def test_the_first_parameter_is_named_and_others_need_not_be_fresh(compiled):
    first, second = (gluon.Parameter(name, shape=(2,), init="ones") for name in ("first", "second"))
    for one in (first, second):
        one.initialize()
    trainer = gluon.Trainer({"a": first, "b": second}, "sgd", check_finite=True)

    def step(x):
        with autograd.record():
            loss = (first.data() * 2).sum() + (np.log(second.data() * x)).sum()
        loss.backward()
        trainer.step(1, ignore_stale_grad=True)

    step = hybridize(step) if compiled else step
    step(np.ones(2))
    before = first.data().tolist(), second.data().tolist()
    with pytest.raises(AssertionFailed, match="parameter 'b' is not finite"):
        step(np.array([1.0, numpy.nan]))
    assert (first.data().tolist(), second.data().tolist()) == before
    assert trainer.optimizer.num_update == 1


@BOTH
def test_a_loss_of_nan_in_fit(compiled):
    made = Training()
    made.net.hybridize(compiled)
    x = numpy.random.default_rng(1).normal(size=(24, 5)).astype("f4")
    x[9] = numpy.nan
    loader = DataLoader(ArrayDataset(x, numpy.arange(24) % 3), 8)
    fitted = estimators.Estimator(made.net, made.loss, trainer=made.trainer)
    with pytest.raises(StateError, match=r"E565.*the loss is NaN in epoch 0, batch 1"):
        fitted.fit(loader, epochs=1)
    assert made.trainer.optimizer.num_update == 1
    assert all(numpy.isfinite(one).all() for one in made.state(everything=False)[0].values())


# -------------------------------------------------------------------------------------------------------- workers


class Deadly:
    """A data set of which one sample ends the process."""

    def __len__(self):
        return 16

    def __getitem__(self, index):
        if index == 9:
            os._exit(3)
        return numpy.full(5, index, "f4"), numpy.int64(index % 3)


@BOTH
def test_a_worker_that_crashes(compiled):
    made = Training(compiled=compiled)
    loader = DataLoader(Deadly(), 4, num_workers=1)
    losses, before = [], None

    def epoch():
        nonlocal before
        for x, y in loader:
            losses.append(float(made.step(x, y)))
            before = made.state()

    with pytest.raises(HybridizeError, match=r"E\d\d\d.*worker"):
        epoch()
    assert 1 <= len(losses) <= 2
    same(before, made.state())
    assert made.trainer.optimizer.num_update == len(losses)
    made.run(0, 1)


# ---------------------------------------------------------------------------------------------------- checkpoints


@BOTH
def test_a_truncated_checkpoint(compiled, tmp_path):
    made = Training(compiled=compiled)
    made.run(0, 2)
    made.net.save_parameters(str(tmp_path / "params"))
    made.trainer.save_states(tmp_path / "states")
    made.run(2, 4)
    before = made.state()
    for name, load in (("params", made.net.load_parameters), ("states", made.trainer.load_states)):
        whole = (tmp_path / name).read_bytes()
        for length in sorted({0, 1, 8, 100, len(whole) // 2, len(whole) - 1}):
            (tmp_path / "cut").write_bytes(whole[:length])
            with pytest.raises(LoadError, match=r"E6\d\d.*cut"):
                load(str(tmp_path / "cut"))
            same(before, made.state())
    made.run(4, 5)


@pytest.mark.parametrize("broken", ["params", "states", "json"])
def test_a_truncated_checkpoint_of_fit(broken, tmp_path):
    x, y = numpy.random.default_rng(1).normal(size=(16, 5)).astype("f4"), numpy.arange(16) % 3
    loader = DataLoader(ArrayDataset(x, y), 8)

    def fit(made, resume, epochs):
        handler = estimators.CheckpointHandler(tmp_path, "net", resume_from_checkpoint=resume)
        fitted = estimators.Estimator(made.net, made.loss, trainer=made.trainer)
        fitted.fit(loader, epochs=epochs, event_handlers=[handler])

    fit(Training(), False, 1)
    (path,) = tmp_path.glob(f"net-*.{broken}")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    made = Training()
    made.run(0, 1)
    before = made.state()
    with refusal(LoadError, rf"E6\d\d.*{path.name}"):
        fit(made, True, 2)
    same(before, made.state())


BEGINNING = """
import sys
sys.path.insert(0, {tests!r})
from test_training import Training, fit_batches
made = Training()
"""
WRITER = (
    BEGINNING
    + """
step = 0
while True:
    made.run(step, step + 1)
    step += 1
    made.net.save_parameters({folder!r} + "/params")
    made.trainer.save_states({folder!r} + "/states")
    print(step, flush=True)
"""
)
FITTING = BEGINNING + "fit_batches(made, {folder!r}, 100000)"


def fit_batches(made, folder, batches):
    """Fit with a checkpoint after each batch, and say how many batches there were."""

    class Told(estimators.BatchEnd):
        priority = 10**9

        def batch_end(self, estimator, *args, **kwargs):
            print(made.trainer.optimizer.num_update, flush=True)

    x, y = numpy.random.default_rng(1).normal(size=(16, 5)).astype("f4"), numpy.arange(16) % 3
    handler = estimators.CheckpointHandler(folder, "net", batch_period=1, resume_from_checkpoint=True)
    fitted = estimators.Estimator(made.net, made.loss, trainer=made.trainer)
    fitted.logger.handlers.clear()
    fitted.fit(DataLoader(ArrayDataset(x, y), 8), batches=batches, event_handlers=[handler, Told()])


def killed(code, folder, rng):
    """Run a program for a few lines of its output, and kill it; the last number that it said."""
    code = code.format(tests=os.path.dirname(__file__), folder=str(folder))
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        for _ in range(int(rng.integers(2, 5))):
            seen = int(process.stdout.readline())
        time.sleep(float(rng.uniform(0, 0.01)))
        process.send_signal(signal.SIGKILL)
    return seen


def test_fit_killed_in_the_middle_goes_on(tmp_path):
    rng, before = numpy.random.default_rng(1), 0
    for _ in range(3):
        seen = killed(FITTING, tmp_path, rng)
        assert seen > before  # it went on where it was
        before = seen
    made = Training()
    fit_batches(made, tmp_path, before + 50)
    assert made.trainer.optimizer.num_update == before + 50


def test_killed_in_the_middle_of_writing(tmp_path):
    """What is there is whole, of this step or the one before, and what was begun is no hindrance."""
    rng = numpy.random.default_rng(0)
    for _ in range(4):
        seen = killed(WRITER, tmp_path, rng)
        made = Training()
        made.net.load_parameters(str(tmp_path / "params"))
        made.trainer.load_states(tmp_path / "states")
        assert made.trainer.optimizer.num_update >= seen
        made.run(0, 1)


@pytest.mark.parametrize(("name", "settings"), OPTIMIZERS, ids=[f"{n}-{k}" for k, (n, _) in enumerate(OPTIMIZERS)])
@BOTH
def test_resumed_bit_by_bit(compiled, name, settings, tmp_path):
    whole = Training(name, settings, compiled)
    whole.run(0, 4)
    whole.net.save_parameters(str(tmp_path / "params"))
    whole.trainer.save_states(tmp_path / "states")
    drawn = hz.random.state.asnumpy()
    rest = whole.run(4, 8)
    resumed = Training(name, settings, compiled)
    resumed.net.load_parameters(str(tmp_path / "params"))
    resumed.trainer.load_states(tmp_path / "states")
    hz.random.state[...] = np.array(drawn, dtype="uint64")
    assert resumed.run(4, 8) == rest
    same(whole.state(), resumed.state())


@pytest.mark.parametrize(("name", "settings"), OPTIMIZERS[::3])
@BOTH
def test_fit_resumed_bit_by_bit(compiled, name, settings, tmp_path):
    x, y = numpy.random.default_rng(1).normal(size=(24, 5)).astype("f4"), numpy.arange(24) % 3

    def fit(made, folder, resume, epochs):
        made.net.hybridize(compiled)
        handler = estimators.CheckpointHandler(folder, "net", resume_from_checkpoint=resume)
        fitted = estimators.Estimator(made.net, made.loss, trainer=made.trainer)
        fitted.fit(DataLoader(ArrayDataset(x, y), 8), epochs=epochs, event_handlers=[handler])
        return made.state()

    expected = fit(Training(name, settings), tmp_path / "whole", False, 3)
    fit(Training(name, settings), tmp_path / "parts", False, 1)
    same(expected, fit(Training(name, settings), tmp_path / "parts", True, 3))
