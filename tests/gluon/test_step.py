"""`Trainer.step` inside of a hybridized function: forward, backward and update are one program."""

from __future__ import annotations

import sys

import numpy
import pytest
import torch

import hybridize as hz
from hybridize import autograd, gluon, hybridize, init, lr_scheduler, np, optimizer
from hybridize.errors import CaptureError, StateError, ValueArgumentError
from hybridize.gluon import nn

OPTIMIZERS = [
    ("sgd", {"learning_rate": 0.3}),
    ("sgd", {"learning_rate": 0.1, "momentum": 0.9, "wd": 1e-3, "clip_gradient": 0.02}),
    ("nag", {"learning_rate": 0.1, "momentum": 0.9}),
    ("adagrad", {}),
    ("rmsprop", {}),
    ("rmsprop", {"centered": True}),
    ("adadelta", {}),
    ("adam", {"learning_rate": 0.01}),
    ("adamw", {"wd": 0.01}),
    ("adamax", {}),
    ("nadam", {}),
    ("ftrl", {}),
    ("lamb", {}),
    ("signum", {}),
    ("signsgd", {}),
    ("lars", {"momentum": 0.9, "wd": 1e-3}),
    ("lans", {}),
    ("adabelief", {}),
    ("ftml", {}),
    ("dcasgd", {"momentum": 0.5}),
    ("lbsgd", {"momentum": 0.5, "batch_scale": 3, "warmup_epochs": 1, "updates_per_epoch": 8}),
    ("groupadagrad", {}),
    ("sgld", {"learning_rate": 1e-3}),
]
"""All that have a name: none is refused in a compiled step."""


def test_every_optimizer_of_the_registry_is_among_them():
    assert {name for name, _ in OPTIMIZERS} >= optimizer.Optimizer.opt_registry.keys()


PLACES = ("programs/entry.py", "programs/program.py", "programs/packed.py", "runtime/executable.py")
"""Where calls of programs are made."""


class Centred(gluon.HybridBlock):
    """Takes off the mean; in training that of the batch, of which it keeps a running average."""

    def __init__(self, size):
        super().__init__()
        self.mean = gluon.Parameter("mean", shape=(size,), init="zeros", grad_req="null")
        self.shift = gluon.Parameter("shift", shape=(size,), init="zeros")

    def forward(self, x):
        if autograd.is_training():
            mean = x.mean(axis=0)
            with autograd.pause():
                self.mean.data()[...] = 0.9 * self.mean.data() + 0.1 * mean
            return x - mean + self.shift.data()
        return x - self.mean.data() + self.shift.data()


def _data(count: int, batch: int = 32, dtype: str = "float32"):
    rng = numpy.random.default_rng(7)
    return [
        (np.array(rng.standard_normal((batch, 20)), dtype=dtype), np.array(rng.integers(0, 10, batch)))
        for _ in range(count)
    ]


def _net(dtype: str = "float32", norm: bool = False):
    hz.random.seed(3)
    net = nn.HybridSequential()
    net.add(nn.Dense(16, activation="tanh", in_units=20))
    if norm:
        net.add(Centred(16), nn.Dropout(0.3))
    net.add(nn.Dense(10, in_units=16))
    net.cast(dtype)
    net.initialize(init.Normal(0.1))
    return net


def _step(net, name, **settings):
    trainer = gluon.Trainer(net.collect_params(), name, settings)
    loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()

    def train(x, y):
        with autograd.record():
            loss = loss_fn(net(x), y)
        loss.backward()
        trainer.step(x.shape[0])
        return loss.mean()

    return train, trainer


def _losses(train, data):
    return [float(train(x, y)) for x, y in data]


def _same(first, second, rtol):
    for a, b in zip(first.collect_params().values(), second.collect_params().values(), strict=True):
        numpy.testing.assert_allclose(b.data().asnumpy(), a.data().asnumpy(), rtol=rtol, atol=rtol * 0.1)


@pytest.mark.parametrize(("name", "settings"), OPTIMIZERS)
def test_losses_are_those_of_imperative_training(name, settings):
    first, second = _net("float64"), _net("float64")
    data = _data(30, dtype="float64")
    if name == "groupadagrad":  # of matrices
        for net in (first, second):
            net.collect_params(".*bias").setattr("grad_req", "null")
    imperative, trainer = _step(first, name, **settings)
    compiled, own = _step(second, name, **settings)
    compiled = hybridize(compiled)
    losses = []
    for one in (compiled, imperative):
        hz.random.seed(5)
        losses.append(_losses(one, data))
    drawn = name == "sgld"  # in float32, where compiled and imperative logarithms round differently
    numpy.testing.assert_allclose(*losses, rtol=1e-7 if drawn else 1e-10)
    _same(first, second, 1e-5 if drawn else 1e-8)
    assert compiled.cache_info().captures == 1
    assert own.optimizer.num_update == trainer.optimizer.num_update == 30
    assert own.optimizer._index_update_count == trainer.optimizer._index_update_count


@pytest.mark.parametrize(("name", "settings"), [("sgd", {"learning_rate": 0.3}), ("adam", {"learning_rate": 0.01})])
def test_ten_steps_in_float32(name, settings):
    first, second = _net(), _net()
    imperative, compiled = _step(first, name, **settings)[0], hybridize(_step(second, name, **settings)[0])
    data = _data(10)
    numpy.testing.assert_allclose(_losses(compiled, data), _losses(imperative, data), rtol=1e-4)


@pytest.mark.parametrize("name", ["sgd", "adam"])
def test_a_hundred_steps_are_pytorchs(name):
    data = _data(100, dtype="float64")
    net = _net("float64")
    peers = [torch.tensor(p.data().asnumpy(), requires_grad=True) for p in net.collect_params().values()]
    # MXNet adds epsilon before it takes out the bias, PyTorch after: none at all is the same for both.
    ours = {"sgd": {"learning_rate": 0.1, "momentum": 0.9}, "adam": {"learning_rate": 0.003, "epsilon": 0.0}}[name]
    other = {
        "sgd": lambda: torch.optim.SGD(peers, lr=0.1, momentum=0.9),
        "adam": lambda: torch.optim.Adam(peers, lr=0.003, eps=0.0),
    }[name]()
    train = hybridize(_step(net, name, **ours)[0])
    for x, y in data:
        w, b, v, c = peers
        hidden = torch.tanh(torch.tensor(x.asnumpy()) @ w.T + b)
        loss = torch.nn.functional.cross_entropy(hidden @ v.T + c, torch.tensor(y.asnumpy()))
        other.zero_grad()
        loss.backward()
        other.step()
        numpy.testing.assert_allclose(float(train(x, y)), loss.item(), rtol=1e-9)
    for p, peer in zip(net.collect_params().values(), peers, strict=True):
        numpy.testing.assert_allclose(p.data().asnumpy(), peer.detach().numpy(), rtol=1e-7, atol=1e-10)


def test_a_schedule_and_ragged_batches_compile_twice_in_a_thousand_steps():
    first, second = _net(), _net()
    schedules = [
        lr_scheduler.CosineScheduler(1000, base_lr=0.5, final_lr=0.01, warmup_steps=50, warmup_begin_lr=0.01)
        for _ in range(2)
    ]
    imperative, _ = _step(first, "adam", lr_scheduler=schedules[0])
    compiled, trainer = _step(second, "adam", lr_scheduler=schedules[1])
    compiled = hybridize(compiled)
    rng = numpy.random.default_rng(1)
    x, y = np.array(rng.standard_normal((32, 20)), dtype="float32"), np.array(rng.integers(0, 10, 32))
    losses = []
    for number in range(1000):
        size = 32 if number % 10 != 9 else 5 + number // 100
        losses.append(float(compiled(x[:size], y[:size])))
        if number < 10:
            numpy.testing.assert_allclose(losses[-1], float(imperative(x[:size], y[:size])), rtol=1e-4)
    assert compiled.cache_info().captures <= 3  # the first, and two more at most
    assert trainer.optimizer.num_update == 1000 and trainer.learning_rate == schedules[0](1000)
    assert losses[-1] < 0.1 * losses[0]


def test_the_learning_rate_is_data():
    first, second = _net(), _net()
    (imperative, one), (compiled, two) = _step(first, "sgd"), _step(second, "sgd")
    compiled = hybridize(compiled)
    for number, (x, y) in enumerate(_data(10)):
        for trainer in (one, two):
            trainer.set_learning_rate(0.5 / (number + 1))
        numpy.testing.assert_allclose(float(compiled(x, y)), float(imperative(x, y)), rtol=1e-4)
    assert compiled.cache_info().captures == 1


def test_a_rate_beyond_float32_is_infinite_there():
    (imperative, one), (compiled, two) = _step(first := _net(), "sgd"), _step(second := _net(), "sgd")
    compiled = hybridize(compiled)
    x, y = _data(1)[0]
    for rate in (0.1, 1e300):
        for train, trainer in ((imperative, one), (compiled, two)):
            trainer.set_learning_rate(rate)
            train(x, y)
    for a, b in zip(first.collect_params().values(), second.collect_params().values(), strict=True):
        numpy.testing.assert_array_equal(numpy.isinf(b.data().asnumpy()), numpy.isinf(a.data().asnumpy()))
    assert numpy.isinf(second[1].bias.data().asnumpy()).all()


def test_a_rate_that_the_program_sets():
    first, second = _net("float64"), _net("float64")
    steps = []
    for net in (first, second):
        train, trainer = _step(net, "sgd", learning_rate=0.7)

        def step(x, y, rate, train=train, trainer=trainer):
            trainer.set_learning_rate(rate)
            return train(x, y)

        steps.append((step, trainer))
    (imperative, one), (step, two) = steps
    compiled = hybridize(step)
    compiled.program(*_data(1, dtype="float64")[0], 0.1)
    assert two.learning_rate == 0.7
    for (x, y), rate in zip(_data(5, dtype="float64"), (0.1, 0.2, 0.1, 0.2, 0.1), strict=True):
        numpy.testing.assert_allclose(float(compiled(x, y, rate)), float(imperative(x, y, rate)), rtol=1e-10)
        assert two.learning_rate == one.learning_rate == rate
    _same(first, second, 1e-9)


def test_multipliers_and_decay_are_seen():
    first, second = _net("float64"), _net("float64")
    pairs = [_step(net, "sgd", learning_rate=0.1) for net in (first, second)]
    compiled = hybridize(pairs[1][0])
    for number, (x, y) in enumerate(_data(8, dtype="float64")):
        if number in (3, 6):
            for net, (_, trainer) in zip((first, second), pairs, strict=True):
                weight = net[0].weight
                weight.lr_mult, weight.wd_mult = (0.5, 2.0) if number == 3 else (1.0, 1.0)
                trainer.optimizer.wd = 0.1 if number == 3 else 0.0
        numpy.testing.assert_allclose(float(compiled(x, y)), float(pairs[0][0](x, y)), rtol=1e-10)
    _same(first, second, 1e-9)


@pytest.mark.parametrize(
    "changes",
    [
        {2: {"clip_gradient": 1e-3}, 4: {"clip_gradient": None}},
        {2: {"wd_mult": 0.0}, 4: {"wd": 0.1}, 5: {"wd": 0.0}},  # factors differ, the decays do not; then they do
        {3: {"momentum": 0.5}, 5: {"momentum": 0.0}},
        {1: {"lr_mult": 0.0}, 3: {"lr": 0.0}, 5: {"lr_mult": 1.0}},
    ],
)
def test_settings_that_come_and_go(changes):
    first, second = _net("float64"), _net("float64")
    pairs = [_step(net, "sgd", learning_rate=0.1) for net in (first, second)]
    compiled = hybridize(pairs[1][0])
    for number, (x, y) in enumerate(_data(7, dtype="float64")):
        for net, (_, trainer) in zip((first, second), pairs, strict=True):
            for name, value in changes.get(number, {}).items():
                setattr(net[0].weight if name.endswith("mult") else trainer.optimizer, name, value)
        numpy.testing.assert_allclose(float(compiled(x, y)), float(pairs[0][0](x, y)), rtol=1e-10)
    _same(first, second, 1e-9)


def test_running_statistics_and_draws_are_state():
    first, second = _net("float64", norm=True), _net("float64", norm=True)
    imperative, compiled = _step(first, "adam")[0], hybridize(_step(second, "adam")[0])
    data = _data(10, dtype="float64")
    losses = []
    for train in (imperative, compiled):
        hz.random.seed(5)
        losses.append(_losses(train, data))
    numpy.testing.assert_allclose(losses[1], losses[0], rtol=1e-9)
    _same(first, second, 1e-8)
    x = data[0][0]
    numpy.testing.assert_allclose(second(x).asnumpy(), first(x).asnumpy(), rtol=1e-9)


def test_half_precision_weights_by_way_of_a_copy():
    first, second = _net("float16"), _net("float16")
    pairs = [_step(net, "sgd", learning_rate=0.1, momentum=0.9, multi_precision=True) for net in (first, second)]
    data = _data(5, dtype="float16")
    numpy.testing.assert_allclose(_losses(hybridize(pairs[1][0]), data), _losses(pairs[0][0], data), rtol=5e-3)
    _same(first, second, 5e-3)


def test_steps_mix_with_imperative_ones_and_with_files(tmp_path):
    first, second = _net("float64"), _net("float64")
    (imperative, one), (plain, two) = _step(first, "adam"), _step(second, "adam")
    compiled = hybridize(plain)
    data = _data(12, dtype="float64")
    expected = _losses(imperative, data)
    found = _losses(compiled, data[:3]) + _losses(plain, data[3:6]) + _losses(compiled, data[6:9])
    two.save_states(tmp_path / "states")
    weights = [p.data().asnumpy() for p in second.collect_params().values()]
    after = _losses(compiled, data[9:])
    numpy.testing.assert_allclose(found + after, expected, rtol=1e-10)
    two.load_states(tmp_path / "states")
    for p, weight in zip(second.collect_params().values(), weights, strict=True):
        p.set_data(np.array(weight, dtype="float64"))
    assert _losses(compiled, data[9:]) == after
    assert two.optimizer.num_update == one.optimizer.num_update == 12


def test_several_steps_in_one_program():
    first, second = _net("float64"), _net("float64")
    (imperative, one), (plain, two) = _step(first, "adam"), _step(second, "adam")

    @hybridize
    def thrice(x, y):
        for _ in range(3):
            loss = plain(x, y)
        return loss

    for x, y in _data(4, dtype="float64"):
        for _ in range(3):
            expected = float(imperative(x, y))
        numpy.testing.assert_allclose(float(thrice(x, y)), expected, rtol=1e-10)
    assert two.optimizer.num_update == one.optimizer.num_update == 12
    assert thrice.cache_info().captures == 1


def test_nothing_is_counted_where_the_program_raises():
    net = _net()
    trainer = gluon.Trainer(net.collect_params(), "adam")

    @hybridize
    def train(x):
        with autograd.record():
            loss = (net(x) ** 2).sum()
        loss.backward()
        trainer.step(1)
        assert loss < 1e6, "the loss is too large"
        return loss

    x = np.ones((4, 20))
    for _ in range(3):
        train(x)
    before = [p.data().asnumpy() for p in net.collect_params().values()]
    slots = [slot.asnumpy() for state in trainer._updaters[0].states.values() for slot in state]
    for _ in range(3):
        net[1].bias.set_data(np.full(10, 1e6))
        with pytest.raises(AssertionError):
            train(x)
        assert trainer.optimizer.num_update == 3
        assert set(trainer.optimizer._index_update_count.values()) == {3}
    net[1].bias.set_data(np.array(before[-1]))
    for p, weight in zip(net.collect_params().values(), before, strict=True):
        numpy.testing.assert_array_equal(p.data().asnumpy(), weight)
    now = [slot.asnumpy() for state in trainer._updaters[0].states.values() for slot in state]
    for a, b in zip(now, slots, strict=True):
        numpy.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("direct", [False, True])
def test_a_step_that_is_interrupted_counts_as_it_has_written(direct):
    """Ctrl-C comes while the program computes, and is heard of when it is done: with the weights, or with nothing."""
    net = _net("float64")
    train, trainer = _step(net, "adam", learning_rate=0.01)
    compiled, ((x, y),) = hybridize(train), _data(1, dtype="float64")
    for _ in range(2):
        compiled(x, y)
    call = compiled.program(x, y) if direct else compiled
    counts, heard = trainer.optimizer._index_update_count, set()
    for place in range(1, 1000):
        weights = [p.data().asnumpy().copy() for p in net.collect_params().values()]
        before, calls = trainer.optimizer.num_update, 0

        def interrupt(frame, event, _, place=place):
            nonlocal calls
            if event in ("call", "c_return") and frame.f_code.co_filename.endswith(PLACES):
                calls += 1
                if calls == place:
                    raise KeyboardInterrupt

        sys.setprofile(interrupt)
        try:
            call(x, y)
        except KeyboardInterrupt:
            pass
        finally:
            sys.setprofile(None)
        written = any(
            (p.data().asnumpy() != w).any() for p, w in zip(net.collect_params().values(), weights, strict=True)
        )
        assert set(counts.values()) == {trainer.optimizer.num_update} == {before + written}, place
        assert all(p.fresh_grad == 0 for p in net.collect_params().values())
        heard.add(written)
        if calls < place:
            break
    assert heard == {True, False} and 3 < place < 999
    other = _net("float64")
    again, _ = _step(other, "adam", learning_rate=0.01)
    for _ in range(trainer.optimizer.num_update):
        again(x, y)
    _same(net, other, 1e-10)


def test_the_capture_itself_counts_nothing():
    net = _net()
    train, trainer = _step(net, "adam")
    ((x, y),) = _data(1)
    hybridize(train).program(x, y)
    assert trainer.optimizer.num_update == 0 and not trainer.optimizer._index_update_count
    assert trainer.optimizer.rescale_grad == 1.0
    assert not net[0].weight.fresh_grad


def test_stale_gradients_are_refused_at_the_users_line():
    net = _net()
    trainer = gluon.Trainer(net.collect_params(), "sgd")

    @hybridize
    def train(x):
        with autograd.record():
            loss = net[0](x).sum()
        loss.backward()
        trainer.step(1)

    with pytest.raises(StateError) as error:
        train(np.ones((2, 20)))
    assert error.value.code == "E561"


def test_stale_gradients_may_be_left_out():
    first, second = _net(), _net()
    for net, wrap in ((first, lambda f: f), (second, hybridize)):
        trainer = gluon.Trainer(net.collect_params(), "adam")

        def train(x, net=net, trainer=trainer):
            with autograd.record():
                loss = net[0](x).sum()
            loss.backward()
            trainer.step(1, ignore_stale_grad=True)
            return loss

        step = wrap(train)
        for _ in range(3):
            step(np.ones((2, 20)))
        assert trainer.optimizer._index_update_count == {0: 3, 1: 3}
    _same(first, second, 1e-5)


def test_an_update_alone_sees_whether_gradients_are_fresh():
    net = _net()
    trainer = gluon.Trainer(net.collect_params(), "sgd")

    def backward():
        with autograd.record():
            loss = net(np.ones((2, 20))).sum()
        loss.backward()

    @hybridize
    def update():
        trainer.step(1)

    for number in range(3):
        backward()
        update()
        assert trainer.optimizer.num_update == number + 1
        with pytest.raises(StateError) as error:
            update()
        assert error.value.code == "E561"


def test_parameters_without_gradients_stay():
    net = _net()
    net[0].collect_params().setattr("grad_req", "null")
    train, _ = _step(net, "sgd", learning_rate=0.5)
    compiled = hybridize(train)
    before = net[0].weight.data().asnumpy(), net[1].weight.data().asnumpy()
    for x, y in _data(3):
        compiled(x, y)
    numpy.testing.assert_array_equal(net[0].weight.data().asnumpy(), before[0])
    assert (net[1].weight.data().asnumpy() != before[1]).all()
    net[0].collect_params().setattr("grad_req", "write")
    for x, y in _data(3):
        compiled(x, y)
    assert (net[0].weight.data().asnumpy() != before[0]).any()


class OwnWay(optimizer.Optimizer):
    """An optimizer as users of MXNet write them."""

    def update(self, index, weight, grad, state):
        self._update_count(index)
        weight[...] -= self._get_lr(index) * grad


class OwnFormula(optimizer.Optimizer):
    """One that says its formula."""

    @staticmethod
    def formula(w, g, slots, s):
        return w - s.lr * np.tanh(g * s.rescale), ()


def test_a_trainer_with_nothing_to_update():
    net = _net()
    net.collect_params().setattr("grad_req", "null")
    trainer = gluon.Trainer(net.collect_params(), "sgd")

    @hybridize
    def predict(x):
        trainer.step(1)
        return net(x)

    x = np.ones((2, 20))
    for _ in range(3):
        numpy.testing.assert_allclose(predict(x).asnumpy(), net(x).asnumpy(), rtol=1e-5)
    net[0].weight.grad_req = "write"
    with pytest.raises(StateError):
        predict(x)


def test_lars_leaves_weights_by_their_names_in_a_compiled_step():
    names = {0: "fc1_weight", 1: "fc1_bias", 2: "fc2_weight", 3: "fc2_bias"}
    nets = [_net("float64") for _ in range(3)]
    made = [optimizer.LARS(0.5, momentum=0.9, param_idx2name=one) for one in (names, names, {})]
    imperative, compiled, without = (_step(*pair)[0] for pair in zip(nets, made, strict=True))
    data = _data(6, dtype="float64")
    losses = _losses(imperative, data)
    numpy.testing.assert_allclose(_losses(hybridize(compiled), data), losses, rtol=1e-10)
    assert not numpy.allclose(_losses(hybridize(without), data), losses, rtol=1e-3)


def test_an_optimizer_of_ones_own():
    first, second = _net("float64"), _net("float64")
    pairs = [_step(net, OwnFormula(learning_rate=0.1))[0] for net in (first, second)]
    data = _data(5, dtype="float64")
    numpy.testing.assert_allclose(_losses(hybridize(pairs[1]), data), _losses(pairs[0], data), rtol=1e-10)
    train, _ = _step(_net(), OwnWay(learning_rate=0.1))
    with pytest.raises(StateError) as error:
        hybridize(train)(*_data(1)[0])
    assert error.value.code == "E562"


def test_a_step_in_a_branch_on_data():
    net = _net()
    train, _ = _step(net, "sgd")

    @hybridize
    def sometimes(x, y):
        if x.sum() > 0:
            train(x, y)
        return x

    x, y = _data(1)[0]
    with pytest.raises(StateError, match=r"E562(.|\n)*test_step.py"):
        sometimes(abs(x), y)
    assert sometimes(-abs(x), y).tolist() == (-abs(x)).tolist()  # a call that does not take that side is right


def test_the_size_of_the_batch():
    net = _net()
    trainer = gluon.Trainer(net.collect_params(), "sgd")

    @hybridize
    def by_argument(x, y, size):
        with autograd.record():
            loss = (net(x) ** 2).sum()
        loss.backward()
        trainer.step(size)
        return loss

    first, second = _net(), net
    imperative = gluon.Trainer(first.collect_params(), "sgd")
    for x, y in _data(3):
        for size in (8, 16, 20):
            with autograd.record():
                loss = (first(x) ** 2).sum()
            loss.backward()
            imperative.step(size)
            by_argument(x, y, size)
    _same(first, second, 1e-5)
    assert by_argument.cache_info().captures <= 2
    with pytest.raises(AssertionError):
        by_argument(x, y, -1)
    with pytest.raises(ValueArgumentError):
        hybridize(lambda: trainer.step(0))()


def test_a_saved_step_is_refused(tmp_path):
    net = _net()
    compiled = hybridize(_step(net, "sgd")[0])
    compiled(*_data(1)[0])
    with pytest.raises(CaptureError, match=r"E465.*a trainer's step(.|\n)*trainer.save_states\(path\)"):
        compiled.save(tmp_path / "step.hybridize")
    assert list(tmp_path.iterdir()) == []


def test_gradients_that_add_up_are_set_to_zero_at_each_call():
    gradients = []
    for compiled in (False, True):
        weight = gluon.Parameter("weight", shape=(2,), init="ones", dtype="float64", grad_req="add")
        weight.initialize()

        def accumulate(x, weight=weight):
            weight.zero_grad()  # at the capture there is no buffer yet
            for _ in range(2):
                with autograd.record():
                    loss = (weight.data() * x).sum()
                loss.backward()

        run = hybridize(accumulate) if compiled else accumulate
        for _ in range(3):
            run(np.array([1.0, 2.0], dtype="float64"))
            gradients.append(weight.grad().tolist())
    assert gradients == [[2.0, 4.0]] * 6


@pytest.mark.parametrize("schedule", [None, 0.5])
def test_the_present_rate_can_be_read_inside_but_not_decide_the_next_one(schedule):
    """It is no constant of the program; what Python counts by has to be a number of Python's."""
    settings = (
        {"learning_rate": 0.1} if schedule is None else {"lr_scheduler": lr_scheduler.FactorScheduler(1, schedule)}
    )
    net = _net()
    trainer = gluon.Trainer(net.collect_params(), "sgd", settings)

    @hybridize
    def train(x):
        with autograd.record():
            loss = (net(x) ** 2).sum()
        loss.backward()
        trainer.step(1)
        return np.zeros(()) + trainer.learning_rate

    for _ in range(3):
        assert float(train(np.ones((2, 20)))) == pytest.approx(trainer.learning_rate)
    assert train.cache_info().captures == 1

    @hybridize
    def slower(x):
        trainer.set_learning_rate(trainer.learning_rate * 0.5)
        return x

    before = trainer.learning_rate
    with pytest.raises((CaptureError, StateError), match=r"E401|E560"):
        slower(np.ones((2, 20)))
    assert trainer.learning_rate == before


FROZEN = [
    {1: "first", 2: ""},
    {1: "last", 3: ""},
    {0: "first", 2: "last", 4: ""},
    {0: "last", 1: "first", 2: "", 4: "first", 5: ""},
]


WITH_COUNTS = [
    pytest.param(name, scheduled, frozen, marks=[] if name == "sgd" or frozen is FROZEN[-1] else [pytest.mark.long])
    for name in ("sgd", "adam", "nadam", "lamb")
    for scheduled in (False, True)
    for frozen in FROZEN
]
"""Each optimizer with the orders that have all in them, one with every order; the others are long."""


@pytest.mark.parametrize(("name", "scheduled", "frozen"), WITH_COUNTS)
def test_weights_that_are_frozen_for_some_steps(name, scheduled, frozen):
    """Their counts stay behind, and the rate of a schedule goes by the most updates so far, weight by weight."""

    def trained(hybridized):
        net = _net("float64")
        rate = {"lr_scheduler": lr_scheduler.FactorScheduler(1, 0.7, base_lr=0.1)} if scheduled else {}
        train, trainer = _step(net, name, **rate)
        train = hybridize(train) if hybridized else train
        parameters = list(net.collect_params().values())
        for number, (x, y) in enumerate(_data(7, dtype="float64")):
            if number in frozen:
                chosen = {"first": parameters[:2], "last": parameters[2:], "": []}[frozen[number]]
                for parameter in parameters:
                    parameter.grad_req = "null" if any(parameter is one for one in chosen) else "write"
            train(x, y)
        return net, trainer.optimizer.num_update, trainer.learning_rate

    (first, *counts), (second, *found) = trained(False), trained(True)
    assert found == counts
    _same(first, second, 1e-10)
