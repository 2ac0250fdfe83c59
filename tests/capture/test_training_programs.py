"""Programs as people write them: with the step compiled, the net, or both, they are what they are imperatively."""

from __future__ import annotations

import math
from typing import Any

import numpy
import pytest

import hybridize as hz
from hybridize import autograd, gluon, hybridize, init, lr_scheduler, np, npx
from hybridize.errors import ShapeError
from hybridize.gluon import nn
from tests.refusals import refusal

CROSS_ENTROPY = gluon.loss.SoftmaxCrossEntropyLoss()


class Kit:
    """How one run compiles, and what it has seen."""

    def __init__(self, mode: str) -> None:
        self.mode = mode
        self.seen: list[Any] = []
        self.functions: list[Any] = []

    def step(self, function):
        if self.mode == "net":
            return function
        self.functions.append(hybridize(function) if self.mode != "imperative" else function)
        return self.functions[-1]

    def net(self, *layers):
        net = layers[0] if len(layers) == 1 else nn.HybridSequential()
        if len(layers) > 1:
            net.add(*layers)
        net.initialize(init.Normal(0.3))
        net.cast("float64")
        if self.mode in ("net", "both"):
            net.hybridize()
        return net

    def see(self, *values: Any) -> None:
        self.seen.append(_plain(list(values)))


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.asnumpy().copy()
    if isinstance(value, gluon.Block):
        parameters = value.collect_params().items()
        return {name: _plain([p.data(), None if p.grad_req == "null" else p.grad()]) for name, p in parameters}
    if isinstance(value, gluon.Trainer):
        return _plain([value._updaters[0].states, value.optimizer.num_update])
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, (list, tuple)) else value


def _same(one: Any, other: Any) -> None:
    if isinstance(one, dict):
        assert list(one) == list(other)
        one, other = list(one.values()), list(other.values())
    if isinstance(one, list):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            _same(a, b)
    elif isinstance(one, numpy.ndarray):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        numpy.testing.assert_allclose(other, one, rtol=1e-10, atol=1e-10)
    else:
        assert type(one) is type(other)
        assert one == other


def _array(x, dtype="float64"):
    return np.array(x, dtype=dtype)


def _batches(count=6, size=8, width=5, seed=0):
    rng = numpy.random.RandomState(seed)
    return [(_array(rng.randn(size, width)), _array(rng.randint(0, 3, size), "int64")) for _ in range(count)]


def _mlp(kit, *, drop=0.0, width=5, out=3):
    return kit.net(nn.Dense(6, "tanh", in_units=width), nn.Dropout(drop), nn.Dense(out, in_units=6))


def _sgd(net, **settings):
    return gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, **settings})


def _learns(kit, net, trainer, loss_of=lambda net, x, y: CROSS_ENTROPY(net(x), y)):
    @kit.step
    def train(x, y):
        with autograd.record():
            loss = loss_of(net, x, y)
        loss.backward()
        trainer.step(x.shape[0])
        return loss

    return train


# ------------------------------------------------------------------------------------------------------- programs


def dropout_decay_and_a_schedule(kit):
    net = _mlp(kit, drop=0.4)
    schedule = lr_scheduler.CosineScheduler(5, base_lr=0.5, warmup_steps=2)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"lr_scheduler": schedule, "wd": 0.01})
    train = _learns(kit, net, trainer)
    for number, (x, y) in enumerate(_batches(8)):
        size = (8, 8, 5, 8, 3, 8, 1, 6)[number]
        kit.see(train(x[:size], y[:size]), trainer.learning_rate)
    kit.see(net, trainer)


def every_third_step_updates(kit):
    net = _mlp(kit)
    net.setattr("grad_req", "add")
    trainer = _sgd(net)

    @kit.step
    def train(x, y, number):
        with autograd.record():
            loss = CROSS_ENTROPY(net(x), y)
        loss.backward()
        if (number + 1) % 3 == 0:
            trainer.step(24)
            net.zero_grad()
        return loss

    for number, (x, y) in enumerate(_batches(7)):
        kit.see(train(x, y, number), net)


def gradients_clipped_by_their_norm(kit):
    net = _mlp(kit)
    trainer = _sgd(net, momentum=0.9)

    @kit.step
    def train(x, y):
        with autograd.record():
            loss = CROSS_ENTROPY(net(x), y).sum()
        loss.backward()
        gradients = [p.grad() for p in net.collect_params().values()]
        norm = np.sqrt(sum((g**2).sum() for g in gradients))
        if norm > 3.0:
            for g in gradients:
                g[:] *= 3.0 / norm
        trainer.step(1)
        return loss, norm

    for x, y in _batches():
        kit.see(train(x, y))
    kit.see(net, trainer)


def averages_of_weights(kit):
    net = _mlp(kit)
    trainer = _sgd(net)
    average = {name: p.data().copy() for name, p in net.collect_params().items()}
    count = {"steps": 0}

    @kit.step
    def train(x, y):
        with autograd.record():
            loss = CROSS_ENTROPY(net(x), y)
        loss.backward()
        trainer.step(8)
        count["steps"] += 1
        for name, p in net.collect_params().items():
            average[name] = (average[name] * count["steps"] + p.data()) / (count["steps"] + 1)
        return loss

    for x, y in _batches():
        kit.see(train(x, y), count)
    kit.see(net, average)


def mixed_examples(kit):
    net = _mlp(kit)
    train = _learns(kit, net, _sgd(net), _mixed)
    for x, y in _batches():
        kit.see(train(x, y))
    kit.see(net)


def _mixed(net, x, y):
    order = np.random.permutation(x.shape[0])
    part = np.random.uniform(size=(x.shape[0], 1), dtype="float64")
    classes = npx.one_hot(y, 3).astype("float64") * 0.9 + 0.1 / 3
    out = npx.log_softmax(net(part * x + (1 - part) * x[order]))
    return -(out * (part * classes + (1 - part) * classes[order])).sum(axis=1)


def words_with_negative_samples(kit):
    first, second = kit.net(nn.Embedding(20, 4)), kit.net(nn.Embedding(20, 4))
    trainer = gluon.Trainer([first.weight, second.weight], "adagrad", {"learning_rate": 0.1})

    @kit.step
    def train(centre, near):
        far = np.random.randint(0, 20, size=(near.shape[0], 5))
        with autograd.record():
            c = first(centre)
            good = npx.log_sigmoid((c * second(near)).sum(axis=-1))
            bad = npx.log_sigmoid(-(np.expand_dims(c, 1) * second(far)).sum(axis=-1))
            loss = -(good + bad.sum(axis=1))
        loss.backward()
        trainer.step(centre.shape[0])
        return loss, far

    rng = numpy.random.RandomState(3)
    for _ in range(5):
        kit.see(train(_array(rng.randint(0, 20, 6), "int64"), _array(rng.randint(0, 20, 6), "int64")))
    kit.see(first, second, trainer)


class Recurrent(gluon.HybridBlock):
    """A cell over the first axis, which keeps its state from call to call."""

    def __init__(self):
        super().__init__()
        self.inner, self.outer = nn.Dense(4, in_units=9, flatten=False), nn.Dense(3, in_units=4, flatten=False)
        self.state = None

    def forward(self, rows):
        h = np.zeros((rows.shape[1], 4), dtype="float64") if self.state is None else self.state
        outs = []
        for t in range(rows.shape[0]):
            h = np.tanh(self.inner(np.concatenate([rows[t], h], axis=1)))
            outs.append(self.outer(h))
        self.state = h.detach()
        return np.stack(outs)


def a_state_that_a_block_keeps(kit):
    net = kit.net(Recurrent())
    train = _learns(kit, net, _sgd(net), lambda net, x, y: CROSS_ENTROPY(net(x.reshape(2, 4, 5)).reshape(8, 3), y))
    for x, y in _batches():
        kit.see(train(x, y), net.state)
    kit.see(net)


class Attention(gluon.HybridBlock):
    """A block of a transformer with two heads and a mask."""

    def __init__(self):
        super().__init__()
        self.mixed, self.out = nn.Dense(24, in_units=8, flatten=False), nn.Dense(8, in_units=8, flatten=False)
        self.norm = nn.LayerNorm(in_channels=8)

    def forward(self, x):
        count, length, _ = x.shape
        parts = np.split(self.mixed(self.norm(x)), 3, axis=-1)
        q, k, v = (one.reshape(count, length, 2, 4).transpose(0, 2, 1, 3) for one in parts)
        scores = np.matmul(q, k.transpose(0, 1, 3, 2)) / math.sqrt(4)
        scores = np.where(np.tril(np.ones((length, length), dtype="bool")), scores, -1e9)
        mixed = np.matmul(npx.softmax(scores), v).transpose(0, 2, 1, 3).reshape(count, length, 8)
        return x + self.out(mixed)


def a_language_model(kit):
    net = kit.net(
        nn.Embedding(11, 8), Attention(), nn.LayerNorm(in_channels=8), nn.Dense(11, in_units=8, flatten=False)
    )
    trainer = gluon.Trainer(net.collect_params(), "adamw", {"learning_rate": 0.02, "wd": 0.1})
    train = _learns(kit, net, trainer, lambda net, x, y: CROSS_ENTROPY(net(x), y))
    rng = numpy.random.RandomState(4)
    for length in (6, 6, 4, 5, 6):
        words = _array(rng.randint(0, 11, (3, length + 1)), "int64")
        kit.see(train(words[:, :-1], words[:, 1:]))
    kit.see(net, trainer)


def a_variational_autoencoder(kit):
    coder = kit.net(nn.Dense(6, "tanh", in_units=5), nn.Dense(4, in_units=6))
    decoder = kit.net(nn.Dense(6, "tanh", in_units=2), nn.Dense(5, in_units=6))
    parameters = [*coder.collect_params().values(), *decoder.collect_params().values()]
    trainer = gluon.Trainer(parameters, "adam", {"learning_rate": 0.02})

    @kit.step
    def train(x, beta):
        with autograd.record():
            mean, log_variance = np.split(coder(x), 2, axis=1)
            z = mean + np.exp(0.5 * log_variance) * np.random.normal(size=mean.shape, dtype="float64")
            apart = ((decoder(z) - x) ** 2).sum(axis=1)
            loss = apart - 0.5 * beta * (1 + log_variance - mean**2 - np.exp(log_variance)).sum(axis=1)
        loss.backward()
        trainer.step(x.shape[0])
        return loss

    for number, (x, _) in enumerate(_batches()):
        kit.see(train(x, number / 5))
    kit.see(coder, decoder, trainer)


def two_players(kit):
    maker, judge = _mlp(kit, width=2, out=5), _mlp(kit, out=1)
    makers, judges = _sgd(maker), gluon.Trainer(judge.collect_params(), "adam", {"learning_rate": 0.02})
    loss_of = gluon.loss.SigmoidBCELoss()

    @kit.step
    def train(x):
        noise = np.random.normal(size=(x.shape[0], 2), dtype="float64")
        ones, zeros = np.ones(x.shape[0], dtype="float64"), np.zeros(x.shape[0], dtype="float64")
        with autograd.record():
            made = maker(noise)
            judged = loss_of(judge(x), ones) + loss_of(judge(made.detach()), zeros)
        judged.backward()
        judges.step(x.shape[0])
        with autograd.record():
            fooled = loss_of(judge(maker(noise)), ones)
        fooled.backward()
        makers.step(x.shape[0])
        return judged.mean(), fooled.mean()

    for x, _ in _batches():
        kit.see(train(x))
    kit.see(maker, judge, makers, judges)


def a_penalty_on_a_gradient(kit):
    judge = _mlp(kit, out=1)
    trainer = gluon.Trainer(judge.collect_params(), "adam", {"learning_rate": 0.02})

    @kit.step
    def train(x, z):
        part = np.random.uniform(size=(x.shape[0], 1), dtype="float64")
        with autograd.record():
            slope = hz.grad(lambda m: judge(m).sum())(part * x + (1 - part) * z)
            penalty = ((np.sqrt((slope**2).sum(axis=1) + 1e-12) - 1) ** 2).mean()
            loss = judge(z).mean() - judge(x).mean() + penalty
        loss.backward()
        trainer.step(1)
        return loss, penalty

    for (x, _), (z, _) in zip(_batches(), _batches(seed=5), strict=True):
        kit.see(train(x, z))
    kit.see(judge, trainer)


def learning_to_learn(kit):
    rng = numpy.random.RandomState(6)
    weights = [_array(rng.randn(1, 6) * 0.5), _array(rng.randn(6, 1) * 0.5)]
    for w in weights:
        w.attach_grad()

    def error(x, y, first, second):
        return ((np.dot(np.tanh(np.dot(x, first)), second) - y) ** 2).mean()

    @kit.step
    def train(x, y):
        with autograd.record():
            total = 0.0
            for task in range(2):
                fast = weights
                for _ in range(2):
                    slopes = autograd.grad([error(x[task], y[task], *fast)], fast, create_graph=True)
                    fast = [w - 0.1 * slope for w, slope in zip(fast, slopes, strict=True)]
                total = total + error(x[task], y[task], *fast)
        total.backward()
        for w in weights:
            w[:] -= 0.05 * w.grad
        return total

    for _ in range(4):
        kit.see(train(_array(rng.randn(2, 5, 1)), _array(rng.randn(2, 5, 1))), weights, [w.grad for w in weights])


def a_teacher(kit):
    teacher, pupil = _mlp(kit), _mlp(kit, drop=0.3)
    trainer = _sgd(pupil)

    @kit.step
    def train(x, y, warmth=2.0):
        with autograd.record():
            with autograd.pause():
                wanted = npx.softmax(teacher(x) / warmth)
            out = pupil(x)
            loss = CROSS_ENTROPY(out, y) - (wanted * npx.log_softmax(out / warmth)).sum(axis=1) * warmth**2
        loss.backward()
        trainer.step(x.shape[0])
        return loss

    for number, (x, y) in enumerate(_batches()):
        kit.see(train(x, y) if number < 3 else train(x, y, warmth=3.0))
    kit.see(pupil)


def batches_in_dicts(kit):
    net = _mlp(kit)
    trainer = _sgd(net)

    @kit.step
    def train(batch, *, weight=None, twice=False):
        with autograd.record():
            loss = CROSS_ENTROPY(net(batch["x"]), batch["y"])
            loss = loss.mean() if weight is None else (loss * weight).mean()
            loss = loss * 2 if twice else loss
        loss.backward()
        trainer.step(1)
        return {"loss": loss, "of": batch["name"]}

    for number, (x, y) in enumerate(_batches()):
        batch = {"x": x, "y": y, "name": "some"}
        kit.see(train(batch, weight=_array(range(8)) if number % 2 else None, twice=number == 3))
    kit.see(net)


def kept_in_lists_and_attributes(kit):
    class Fit:
        def __init__(self):
            self.net, self.history, self.last, self.notes = _mlp(kit), [], None, {}
            self.trainer = _sgd(self.net)

        def step(self, x, y):
            with autograd.record():
                loss = CROSS_ENTROPY(self.net(x), y).mean()
            loss.backward()
            self.trainer.step(1)
            self.history.append(loss)
            self.last = self.notes["loss"] = loss
            return loss

    fit = Fit()
    step = kit.step(fit.step)
    for x, y in _batches():
        kit.see(step(x, y), fit.last, fit.notes, len(fit.history))
    kit.see(fit.history, fit.net)


def frozen_and_thawed(kit):
    net = _mlp(kit)
    train = _learns(kit, net, _sgd(net, momentum=0.9))
    for number, (x, y) in enumerate(_batches(8)):
        if number in (2, 5):
            net[0].weight.grad_req = "null" if number == 2 else "write"
        kit.see(train(x, y), net)


def bad_batches_change_nothing(kit):
    net = _mlp(kit, drop=0.2)
    trainer = gluon.Trainer(net.collect_params(), "adam", {})
    train = _learns(kit, net, trainer)
    for number, (x, y) in enumerate(_batches()):
        if number in (0, 3):
            for wrong in ((x[:, :4], y), (x, y[:3])):
                draws = np.random.uniform(size=2), hz.random.seed(number)
                with refusal(ShapeError, "E102" if wrong[1] is y else "E139"):
                    train(*wrong)
                hz.random.seed(number)
                kit.see(draws[0])
        kit.see(train(x, y), net, trainer)


def looking_ahead(kit):
    net = _mlp(kit)
    trainer = _sgd(net, momentum=0.9)
    slow = [p.data().copy() for p in net.collect_params().values()]

    @kit.step
    def train(x, y, number):
        with autograd.record():
            loss = CROSS_ENTROPY(net(x), y)
        loss.backward()
        trainer.step(8)
        if number % 4 == 3:
            for kept, p in zip(slow, net.collect_params().values(), strict=True):
                kept += 0.5 * (p.data() - kept)
                p.data()[...] = kept
        return loss

    for number, (x, y) in enumerate(_batches(9)):
        kit.see(train(x, y, number))
    kit.see(net, slow)


def an_epoch_at_once(kit):
    net = _mlp(kit)
    trainer = _sgd(net)

    @kit.step
    def epoch(x, y):
        order = np.random.permutation(x.shape[0])
        x, y = x[order], y[order]
        total = 0
        for start in range(0, 32, 8):
            with autograd.record():
                loss = CROSS_ENTROPY(net(x[start : start + 8]), y[start : start + 8])
            loss.backward()
            trainer.step(8)
            total = total + loss.sum()
        return total / 32

    for x, y in _batches(3, 32):
        kit.see(epoch(x, y))
    kit.see(net)


PROGRAMS = [
    (dropout_decay_and_a_schedule, 3), (every_third_step_updates, 2), (gradients_clipped_by_their_norm, 1),
    (averages_of_weights, 2), (mixed_examples, 1), (words_with_negative_samples, 1), (a_state_that_a_block_keeps, 3),
    (a_language_model, 3), (a_variational_autoencoder, 1), (two_players, 1), (a_penalty_on_a_gradient, 1),
    (learning_to_learn, 1), (a_teacher, 2), (batches_in_dicts, 3), (kept_in_lists_and_attributes, 1),
    (frozen_and_thawed, 3), (looking_ahead, 2), (an_epoch_at_once, 1),
    # One program for good batches; one for too few labels, whose loss raises an exception that a caller may catch,
    # so that each call raises it again without another capture. Too few columns are refused before there is a program.
    (bad_batches_change_nothing, 2),
]  # fmt: skip
"""Programs, and the captures that each may take at most."""


def _run(program, mode):
    hz.random.seed(1234)
    kit = Kit(mode)
    program(kit)
    kit.see(np.random.uniform(size=3))
    return kit


@pytest.mark.parametrize(("program", "captures"), PROGRAMS)
def test_programs(program, captures):
    expected = _run(program, "imperative").seen
    for mode in ("step", "net", "both"):
        kit = _run(program, mode)
        _same(expected, kit.seen)
        for function in kit.functions:
            assert function.cache_info().captures <= captures
