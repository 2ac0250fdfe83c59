"""`Trainer`: what is updated, by how much, when it refuses, and that nets see it."""

import copy
import threading

import numpy
import pytest
import torch

import hybridize
from hybridize import autograd, gluon, lr_scheduler, optimizer
from hybridize.array import np
from hybridize.errors import ArgumentError, DeferredInitializationError, LoadError, StateError
from hybridize.gluon import nn
from tests.refusals import refusal


def parameter(value, **settings):
    one = gluon.Parameter("weight", shape=numpy.shape(value), **settings)
    one.initialize(init="zeros")
    one.set_data(np.array(value))
    return one


def give(one, gradient):
    """What a backward pass does."""
    one.grad()[...] = np.array(gradient)
    one.fresh_grad = True


def net(*units, **settings):
    made = nn.HybridSequential()
    made.add(*(nn.Dense(n, **settings) for n in units))
    made.initialize()
    return made


def losses_of(made, trainer, steps, batch=8, hybridized=False):
    """A regression on fixed data."""
    generator = numpy.random.default_rng(0)
    x, y = np.array(generator.normal(size=(batch, 5))), np.array(generator.normal(size=(batch, 2)))
    if hybridized:
        made.hybridize()
    losses = []
    for _ in range(steps):
        with autograd.record():
            loss = ((made(x) - y) ** 2).sum()
        loss.backward()
        trainer.step(batch)
        losses.append(float(loss))
    return losses


def test_gradients_are_divided_by_the_batch_size():
    one = parameter([1.0, 2.0])
    trainer = gluon.Trainer([one], "sgd", {"learning_rate": 0.5})
    give(one, [4.0, 8.0])
    trainer.step(4)
    assert one.data().tolist() == [0.5, 1.0]


def test_rescale_grad_of_the_user_counts_too():
    one = parameter([1.0])
    trainer = gluon.Trainer([one], "sgd", {"learning_rate": 1.0, "rescale_grad": 0.5})
    for batch, expected in ((1, 0.5), (2, 0.25)):
        give(one, [1.0])
        trainer.step(batch)
        assert one.data().tolist() == [expected]


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize(
    ("name", "mine", "peer", "theirs"),
    [
        ("sgd", {"momentum": 0.9, "wd": 0.01}, torch.optim.SGD, {"momentum": 0.9, "weight_decay": 0.01}),
        ("adamax", {}, torch.optim.Adamax, {"eps": 0.0}),
        ("rmsprop", {}, torch.optim.RMSprop, {"alpha": 0.9}),
    ],
)
def test_a_net_learns_as_in_pytorch(name, mine, peer, theirs, hybridized):
    made = net(7, 2)
    made[0]._activation = None
    made(np.zeros((1, 5)))
    other = torch.nn.Sequential(torch.nn.Linear(5, 7), torch.nn.Linear(7, 2))
    for layer, copied in zip(made, other, strict=True):
        copied.weight.data = torch.tensor(layer.weight.data().asnumpy())
        copied.bias.data = torch.tensor(layer.bias.data().asnumpy())
    trainer = gluon.Trainer(made.collect_params(), name, {"learning_rate": 0.02, **mine})
    found = losses_of(made, trainer, 20, hybridized=hybridized)
    step = peer(other.parameters(), lr=0.02, **theirs)
    generator = numpy.random.default_rng(0)
    x = torch.tensor(generator.normal(size=(8, 5)), dtype=torch.float32)
    y = torch.tensor(generator.normal(size=(8, 2)), dtype=torch.float32)
    expected = []
    for _ in range(20):
        loss = ((other(x) - y) ** 2).sum()
        step.zero_grad()
        (loss / 8).backward()
        step.step()
        expected.append(loss.item())
    assert found == pytest.approx(expected, rel=1e-4)
    assert found[-1] < 0.7 * found[0]


def test_a_hybridized_net_sees_every_update():
    """In prediction it reads packed copies of the weights, which an update makes stale."""
    made = net(300)
    made.hybridize()
    x = np.ones((1, 64))
    trainer = gluon.Trainer(made.collect_params(), "sgd", {"learning_rate": 1.0})
    made(x)
    weight = made[0].weight
    for step in range(8):
        weight.set_data(np.zeros((300, 64)))
        give(weight, numpy.full((300, 64), -1.0 - step))
        give(made[0].bias, numpy.zeros(300))
        trainer.step(1)
        assert made(x).asnumpy() == pytest.approx(numpy.full((1, 300), 64.0 * (1 + step)))


def test_a_stale_gradient_is_refused_and_nothing_changes():
    first, second = parameter([1.0]), parameter([2.0])
    trainer = gluon.Trainer({"first": first, "second": second}, "sgd", {"learning_rate": 1.0})
    give(first, [1.0])
    with pytest.raises(StateError, match="E561") as caught:
        trainer.step(1)
    assert "'second'" in caught.value.what
    assert "ignore_stale_grad" in caught.value.help
    assert (first.data().item(), second.data().item()) == (1.0, 2.0)
    assert trainer.optimizer.num_update == 0
    trainer.step(1, ignore_stale_grad=True)
    assert (first.data().item(), second.data().item()) == (0.0, 2.0)
    with pytest.raises(StateError, match=r"E561.*'first'"):  # its gradient has been used
        trainer.step(1)
    trainer.step(1, ignore_stale_grad=True)
    assert (first.data().item(), trainer.optimizer.num_update) == (0.0, 1)


def test_a_layer_that_the_loss_does_not_use_is_named():
    made = net(3, 2)
    made(np.zeros((1, 5)))
    trainer = gluon.Trainer(made.collect_params(), "sgd")
    with autograd.record():
        loss = made[0](np.ones((1, 5))).sum()
    loss.backward()
    with pytest.raises(StateError, match=r"1\.weight"):
        trainer.step(1)


def test_grad_req():
    null, add = parameter([1.0], grad_req="null"), parameter([1.0], grad_req="add")
    trainer = gluon.Trainer([null, add], "sgd", {"learning_rate": 1.0})
    for _ in range(3):
        with autograd.record():
            loss = (add.data() * 2).sum()
        loss.backward()
    trainer.step(1)
    assert (null.data().item(), add.data().item()) == (1.0, -5.0)
    add.zero_grad()
    assert add.grad().item() == 0.0


def test_a_trainer_may_be_made_before_the_shapes_are_known():
    made = net(2)
    trainer = gluon.Trainer(made.collect_params(), "adam")
    with pytest.raises(DeferredInitializationError, match="E501"):
        trainer.step(1)
    before = losses_of(made, trainer, 5)
    assert before[-1] < before[0]
    with pytest.raises(StateError, match="E502"):
        gluon.Trainer([gluon.Parameter("weight", shape=(2,))], "sgd").step(1)


def test_shared_parameters_are_updated_once():
    one = parameter([1.0])
    trainer = gluon.Trainer({"a": one, "b": one}, "sgd", {"learning_rate": 1.0})
    give(one, [0.25])
    trainer.step(1)
    assert one.data().item() == 0.75


def test_multipliers_of_parameters():
    fast, still = parameter([1.0], lr_mult=10.0), parameter([1.0], wd_mult=0.0)
    trainer = gluon.Trainer([fast, still], "sgd", {"learning_rate": 0.01, "wd": 1.0})
    give(fast, [1.0])
    give(still, [1.0])
    trainer.step(1)
    assert fast.data().item() == pytest.approx(1 - 0.1 * 2)
    assert still.data().item() == pytest.approx(1 - 0.01)
    fast.lr_mult = 0.0
    give(fast, [1.0])
    give(still, [1.0])
    trainer.step(1)
    assert fast.data().item() == pytest.approx(0.8)


def test_learning_rate():
    trainer = gluon.Trainer([parameter([1.0])], "sgd", {"learning_rate": 0.3})
    assert trainer.learning_rate == 0.3
    trainer.set_learning_rate(0.1)
    assert trainer.learning_rate == trainer.optimizer.lr == 0.1


def test_a_schedule_counts_steps_not_parameters():
    ones = [parameter([0.0]) for _ in range(5)]
    scheduler = lr_scheduler.FactorScheduler(step=2, factor=0.5, base_lr=1.0)
    trainer = gluon.Trainer(ones, "sgd", {"lr_scheduler": scheduler})
    moved = []
    for _ in range(4):
        for one in ones:
            one.set_data(np.array([0.0]))
            give(one, [-1.0])
        trainer.step(1)
        moved.append([one.data().item() for one in ones])
    assert moved == [[1.0] * 5] * 2 + [[0.5] * 5] * 2


def test_looking_at_gradients_between():
    made = net(3)
    made(np.zeros((1, 5)))
    trainer = gluon.Trainer(made.collect_params(), "sgd", {"learning_rate": 1.0}, update_on_kvstore=False)
    before = made[0].weight.data().asnumpy()
    with autograd.record():
        loss = (made(np.ones((4, 5))) * 100).sum()
    loss.backward()
    trainer.allreduce_grads()
    gluon.utils.clip_global_norm([p.grad() for p in made.collect_params().values()], 1.0)
    trainer.update(1)
    assert numpy.linalg.norm(made[0].weight.data().asnumpy() - before) <= 1.0001


def test_a_step_within_record_is_not_recorded():
    one = parameter([1.0, 2.0])
    trainer = gluon.Trainer([one], "adam", {"learning_rate": 0.5})
    with autograd.record():
        loss = (one.data() ** 2).sum()
        loss.backward()
        trainer.step(1)
    assert one.data().asnumpy() == pytest.approx([0.5, 1.5], rel=1e-5)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((nn.Dense(2), "sgd"), "E358"),
        (([1, 2], "sgd"), "E358"),
        (("weights", "sgd"), "E358"),
        (([], optimizer.SGD(), {"learning_rate": 1.0}), "E358"),
        (([], "sgdd"), "E354"),
        (([], "sgd", {"rate": 1}), "E352"),
        (([], "sgd", {}, "dist_device_async"), "E359"),
        (([], "sgd", {}, None, {"type": "2bit"}), "E359"),
    ],
)
def test_wrong_arguments(arguments, code):
    with refusal(ArgumentError, code):
        gluon.Trainer(*arguments)


def test_a_tree_of_sums_without_the_store_that_adds_so():
    with refusal(ArgumentError, "E359"):
        gluon.Trainer([], "sgd", deterministic=True)


@pytest.mark.parametrize("size", [0, -1, "8", None, True, float("nan")])
def test_wrong_batch_sizes(size):
    with pytest.raises(ValueError, match="E353"):
        gluon.Trainer([parameter([1.0])], "sgd").step(size)


def test_an_optimizer_may_go_to_another_trainer():
    made = optimizer.SGD(learning_rate=1.0, rescale_grad=0.5)
    first, second = parameter([1.0]), parameter([1.0], lr_mult=0.5)
    trainer = gluon.Trainer([first], made)
    give(first, [1.0])
    trainer.step(4)
    assert first.data().item() == 1 - 0.5 / 4
    later = gluon.Trainer([second], made)
    give(second, [1.0])
    later.step(2)
    assert second.data().item() == 1 - 0.5 * 0.5 / 2  # not divided by the batch of the other trainer as well


@pytest.mark.parametrize("compiled", [False, True])
def test_one_optimizer_does_not_serve_two_trainers_in_turn(compiled):
    made, nets = optimizer.Adam(learning_rate=0.1), [net(1, in_units=2) for _ in range(2)]
    x = np.ones((2, 2))
    nets[0][0].weight.lr_mult = 0.0

    def step(number):
        with autograd.record():
            loss = nets[number](x)
        loss.backward()
        trainers[number].step(2)
        return loss.sum()

    steps = [
        hybridize.hybridize(lambda number=number: step(number)) if compiled else lambda number=number: step(number)
        for number in range(2)
    ]
    trainers = [gluon.Trainer(nets[0].collect_params(), made)]
    for _ in range(2):
        steps[0]()
    trainers.append(gluon.Trainer(nets[1].collect_params(), made))
    before = [one.data().asnumpy() for one in nets[0].collect_params().values()]
    with pytest.raises(ArgumentError, match=r"E396.*another trainer"):
        steps[0]()
    assert all((one.data() == was).all() for one, was in zip(nets[0].collect_params().values(), before, strict=True))
    assert made.num_update == 2
    steps[1]()
    again = copy.deepcopy(trainers[1])
    give(again._params[0], numpy.ones((1, 2)))
    again.step(1, ignore_stale_grad=True)


def test_kvstores_of_one_machine_are_accepted():
    for kvstore in (None, "local", "device", "nccl"):
        gluon.Trainer([parameter([1.0])], optimizer.Adam(), kvstore=kvstore, update_on_kvstore=True)


def test_a_parameter_that_changes_its_dtype_starts_anew():
    one = parameter([1.0, 2.0])
    trainer = gluon.Trainer([one], "sgd", {"learning_rate": 1.0})
    give(one, [1.0, 1.0])
    trainer.step(1)
    one.cast("float64")
    give(one, [0.5, 0.5])
    trainer.step(1)
    assert one.data().dtype == numpy.float64
    assert one.data().tolist() == [-0.5, 0.5]


def test_threads_with_trainers_of_their_own():
    results = []

    def train():
        hybridize.random.seed(3)
        made = net(4, 2)
        results.append(losses_of(made, gluon.Trainer(made.collect_params(), "adam"), 20)[-1])

    threads = [threading.Thread(target=train) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 3
    assert numpy.isfinite(results).all()


# ---------------------------------------------------------------------------------------------------------------- files


CASES = [
    ("sgd", {"momentum": 0.9}), ("nadam", {}), ("adam", {}), ("lamb", {}), ("rmsprop", {"centered": True}),
    ("adam", {"lr_scheduler": lr_scheduler.CosineScheduler(30, 0.1, warmup_steps=3)}),
    ("sgd", {"lr_scheduler": lr_scheduler.PolyScheduler(30, 0.1, pwr=3)}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "arguments"), CASES, ids=[f"{name}-{number}" for number, (name, _) in enumerate(CASES)]
)
def test_a_resumed_training_has_the_same_bits(tmp_path, name, arguments):
    def made():
        one = net(6, 2)
        return one, gluon.Trainer(one.collect_params(), name, dict(arguments))

    whole, trainer = made()
    losses_of(whole, trainer, 7)
    if trainer.optimizer.lr_scheduler is None:
        trainer.set_learning_rate(0.003)
    whole.save_parameters(tmp_path / "net.params")
    trainer.save_states(tmp_path / "trainer.states")
    rest = losses_of(whole, trainer, 7)

    resumed, trainer = made()  # deferred: the shapes come with the parameters
    resumed.load_parameters(tmp_path / "net.params")
    trainer.load_states(tmp_path / "trainer.states")
    assert losses_of(resumed, trainer, 7) == rest
    for path, one in whole.collect_params().items():
        assert numpy.array_equal(resumed.collect_params()[path].data().asnumpy(), one.data().asnumpy())


def test_states_may_be_loaded_before_the_parameters(tmp_path):
    made = net(2)
    trainer = gluon.Trainer(made.collect_params(), "adam")
    losses_of(made, trainer, 3)
    made.save_parameters(tmp_path / "net")
    trainer.save_states(tmp_path / "states")
    rest = losses_of(made, trainer, 3)
    other = net(2)
    resumed = gluon.Trainer(other.collect_params(), "adam")
    resumed.load_states(tmp_path / "states")
    other.load_parameters(tmp_path / "net")
    assert losses_of(other, resumed, 3) == rest


def test_settings_come_back(tmp_path):
    one = parameter([1.0])
    trainer = gluon.Trainer([one], "adam", {"wd": 0.1, "clip_gradient": 2.0, "beta1": 0.8})
    trainer.set_learning_rate(0.25)
    trainer.save_states(tmp_path / "states")
    other = gluon.Trainer([parameter([1.0])], "adam")
    other.load_states(tmp_path / "states")
    found = other.optimizer
    assert (found.lr, found.wd, found.clip_gradient, found.beta1) == (0.25, 0.1, 2.0, 0.8)


def test_a_schedule_comes_back(tmp_path):
    scheduler = lr_scheduler.MultiFactorScheduler([3, 5], 0.5, base_lr=0.7)
    trainer = gluon.Trainer([parameter([1.0])], "sgd", {"lr_scheduler": scheduler})
    trainer.save_states(tmp_path / "states")
    other = gluon.Trainer([parameter([1.0])], "sgd")
    other.load_states(tmp_path / "states")
    found = other.optimizer.lr_scheduler
    assert [found(n) for n in range(10)] == [scheduler(n) for n in range(10)]


def saved(path, name="adam", shape=(2, 3), dtype="float32", **arguments):
    one = parameter(numpy.ones(shape), dtype=dtype)
    trainer = gluon.Trainer({"w": one}, name, arguments)
    give(one, numpy.ones(shape))
    trainer.step(1)
    trainer.save_states(path)
    return trainer


class Own(lr_scheduler.LRScheduler):
    def __call__(self, num_update):
        return 0.5


def test_a_schedule_of_the_users_own_stays_theirs(tmp_path):
    saved(tmp_path / "states", lr_scheduler=Own())
    mine = Own()
    trainer = gluon.Trainer({"w": parameter(numpy.ones((2, 3)))}, "adam", {"lr_scheduler": mine})
    trainer.load_states(tmp_path / "states")
    assert trainer.optimizer.lr_scheduler is mine
    assert trainer.optimizer.num_update == 1
    with pytest.raises(LoadError, match="E662"):
        gluon.Trainer({"w": parameter(numpy.ones((2, 3)))}, "adam").load_states(tmp_path / "states")


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: gluon.Trainer({"w": parameter(numpy.ones((2, 3)))}, "adamax"), "E662"),
        (lambda: gluon.Trainer({"w": parameter(numpy.ones((2, 3)))}, "adam", {"lr_scheduler": Own()}), "E662"),
        (lambda: gluon.Trainer({"w": parameter(numpy.ones((3, 2)))}, "adam"), "E663"),
        (lambda: gluon.Trainer({"v": parameter(numpy.ones((2, 3)))}, "adam"), "E663"),
        (lambda: gluon.Trainer({"w": parameter(numpy.ones((2, 3)), dtype="float64")}, "adam"), "E663"),
        (lambda: gluon.Trainer({"w": parameter(numpy.ones((2, 3))), "v": parameter([1.0])}, "adam"), "E663"),
    ],
)
def test_states_of_something_else_are_refused_and_nothing_changes(tmp_path, make, code):
    saved(tmp_path / "states", learning_rate=0.7)
    trainer = make()
    before = trainer.optimizer.lr
    with refusal(LoadError, code):
        trainer.load_states(tmp_path / "states")
    assert trainer.optimizer.num_update == 0
    assert trainer.optimizer.lr == before
    assert trainer._updaters[0].states == {}


@pytest.mark.parametrize(
    ("arguments", "break_"),
    [
        (("adam",), lambda state: state[0]),
        (("adam",), lambda state: (*state, state[0])),
        (("adam",), lambda state: None),
        (("adam",), lambda state: (state[0], 3)),
        (("sgd", {"momentum": 0.9}), lambda state: (state, state)),
        (("rmsprop", {"centered": True}), lambda state: state[:2]),
        (("adam", {"multi_precision": True}), lambda state: state[1]),
    ],
)
def test_states_of_another_form_are_refused_when_they_are_read(tmp_path, arguments, break_):
    dtype = "float16" if "multi_precision" in str(arguments) else "float32"
    one = parameter(numpy.ones((2, 3)), dtype=dtype)
    trainer = gluon.Trainer({"w": one}, *arguments)
    give(one, numpy.ones((2, 3)))
    trainer.step(1)
    trainer.save_states(tmp_path / "whole")
    trainer._updaters[0].states = {0: break_(trainer._updaters[0].states[0])}
    trainer.save_states(tmp_path / "broken")
    other = gluon.Trainer({"w": parameter(numpy.ones((2, 3)), dtype=dtype)}, *arguments)
    with pytest.raises(LoadError, match=r"E662.*of another form: that of 0 is no"):
        other.load_states(tmp_path / "broken")
    assert other._updaters[0].states == {}
    assert other.optimizer.num_update == 0
    other.load_states(tmp_path / "whole")
    give(other._params[0], numpy.ones((2, 3)))
    other.step(1)


@pytest.mark.parametrize(("first", "then"), [(0.0, 0.9), (0.9, 0.0)])
def test_momentum_may_come_and_go_before_states_are_written(tmp_path, first, then):
    one = parameter([1.0, 2.0])
    trainer = gluon.Trainer({"w": one}, "sgd", {"momentum": first})
    give(one, [1.0, 1.0])
    trainer.step(1)
    trainer.optimizer.momentum = then
    trainer.save_states(tmp_path / "states")
    other = gluon.Trainer({"w": parameter(one.data())}, "sgd", {"momentum": first})
    other.load_states(tmp_path / "states")
    for trained in (trainer, other):
        give(trained._params[0], [1.0, 1.0])
        trained.step(1)
    assert other._params[0].data().tolist() == one.data().tolist()


def test_every_truncation_is_an_error(tmp_path):
    trainer = saved(tmp_path / "states")
    content = (tmp_path / "states").read_bytes()
    for length in range(0, len(content), 7):
        (tmp_path / "cut").write_bytes(content[:length])
        with pytest.raises(LoadError, match=r"E66[01]"):
            trainer.load_states(tmp_path / "cut")


def test_every_flipped_byte_is_an_error_or_spaces(tmp_path):
    trainer = saved(tmp_path / "states")
    content = (tmp_path / "states").read_bytes()
    generator = numpy.random.default_rng(1)
    for place in generator.integers(0, len(content), 200):
        flipped = bytearray(content)
        flipped[place] ^= 1 << int(generator.integers(8))
        (tmp_path / "flipped").write_bytes(flipped)
        with pytest.raises(LoadError, match="E6"):
            trainer.load_states(tmp_path / "flipped")


def test_foreign_files_are_told(tmp_path):
    trainer = gluon.Trainer([parameter([1.0])], "adam")
    made = net(2)
    made(np.ones((1, 3)))
    made.save_parameters(tmp_path / "net.params")
    (tmp_path / "pickle").write_bytes(b"\x80\x04\x95\x00\x00\x00\x00\x00\x00\x00\x00}\x94.")
    made.hybridize()
    made(np.ones((1, 3)))
    made.save(str(tmp_path / "archive"))
    with pytest.raises(LoadError, match="E660"):
        trainer.load_states(tmp_path / "net.params")
    with refusal(LoadError, "pickle"):
        trainer.load_states(tmp_path / "pickle")
    with pytest.raises(LoadError, match="E600"):
        trainer.load_states(tmp_path / "nothing")
    saved(tmp_path / "states")
    with pytest.raises(LoadError):  # and the other way round
        hybridize.load(tmp_path / "states")


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path):
    trainer = saved(tmp_path / "states")
    before = (tmp_path / "states").read_bytes()
    trainer._updaters[0].states[0] = object()
    with pytest.raises(ArgumentError, match="E357"):
        trainer.save_states(tmp_path / "states")
    assert (tmp_path / "states").read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["states"]
    trainer._updaters[0].states.clear()
    with pytest.raises(OSError, match="E335"):
        trainer.save_states(tmp_path / "no" / "states")


def test_states_of_an_updater_as_bytes():
    update = optimizer.get_updater(optimizer.Adam(multi_precision=True, learning_rate=0.5))
    weight = np.array([1.0, 2.0], dtype="float16")
    update("w", np.array([1.0, 1.0], dtype="float16"), weight)
    other = optimizer.get_updater(optimizer.Adam(multi_precision=True))
    other.set_states(update.get_states())
    assert other.optimizer.lr == 0.5
    copied = weight.copy()
    for one, target in ((update, weight), (other, copied)):
        one("w", np.array([0.5, -1.0], dtype="float16"), target)
    assert weight.tolist() == copied.tolist()
    plain = optimizer.get_updater(optimizer.Adam(learning_rate=0.125))
    plain.set_states(update.get_states(dump_optimizer=False))
    assert plain.optimizer.lr == 0.125
    with pytest.raises(LoadError, match="E66"):
        plain.set_states(b"nonsense")
