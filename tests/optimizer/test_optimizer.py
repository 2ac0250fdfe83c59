"""What is common to optimizers: names, settings, multipliers, schedules, dtypes, buffers, and the kernels behind."""

import copy
import sys
import threading
import types
from typing import ClassVar

import numpy
import pytest

from hybridize import autograd, disabled, gluon, hybridize, init, lr_scheduler, optimizer
from hybridize.array import np
from hybridize.errors import ArgumentError, StateError
from hybridize.optimizer import kernels
from hybridize.optimizer.kernels import Binding, FormulaProgram


def test_create_by_name():
    assert type(optimizer.create("SGD", learning_rate=0.3)) is optimizer.SGD
    assert optimizer.create("adam").learning_rate == 0.001
    assert optimizer.Optimizer.create_optimizer("nag").momentum == 0.9
    with pytest.raises(ArgumentError, match="E354") as caught:
        optimizer.create("adams")
    assert "rmsprop" in caught.value.help


def test_unknown_keywords_are_named_with_those_there_are():
    with pytest.raises(ArgumentError, match="E352") as caught:
        optimizer.SGD(learning_rat=0.1)
    assert "'learning_rat'" in caught.value.what
    known = set(caught.value.help.replace(",", "").split())
    assert {"learning_rate", "momentum", "wd", "rescale_grad"} <= known


@pytest.mark.parametrize(
    "wrong",
    [
        {"learning_rate": "fast"},
        {"learning_rate": float("nan")},
        {"wd": -1},
        {"clip_gradient": -0.5},
        {"beta1": 1.0},
        {"beta2": -0.1},
        {"epsilon": None},
        {"learning_rate": True},
        {"lr_scheduler": 0.1},
        {"begin_num_update": 1.5},
    ],
)
def test_settings_are_checked(wrong):
    with pytest.raises(ValueError, match="E353") as caught:
        optimizer.Adam(**wrong)
    assert next(iter(wrong)) in caught.value.what


def test_arguments_of_mxnet_1():
    assert optimizer.RMSProp(gamma1=0.5, gamma2=0.25).rho == 0.5
    assert optimizer.RMSProp(gamma1=0.5, gamma2=0.25).momentum == 0.25
    assert optimizer.AdaGrad(eps=1e-3).epsilon == 1e-3


def test_learning_rate_can_be_set_and_compiles_nothing():
    sgd = optimizer.SGD(learning_rate=1.0)
    weight, grad = np.array([10.0, 20.0]), np.array([1.0, 2.0])
    sgd.update(0, weight, grad, None)
    known = dict(kernels._kernels)
    for rate in (0.5, 0.25, 1e-3):
        sgd.set_learning_rate(rate)
        before = weight.asnumpy()
        sgd.update(0, weight, grad, None)
        assert weight.asnumpy() == pytest.approx(before - rate * grad.asnumpy())
    assert kernels._kernels == known


def test_a_schedule_is_followed_and_compiles_nothing():
    scheduler = lr_scheduler.FactorScheduler(step=2, factor=0.5, base_lr=1.0)
    sgd = optimizer.SGD(lr_scheduler=scheduler)
    weight, grad, rates = np.array([0.0]), np.array([1.0]), []
    for _ in range(6):
        before = weight.item()
        sgd.update(0, weight, grad, None)
        rates.append(before - weight.item())
    assert rates == [1.0, 1.0, 0.5, 0.5, 0.25, 0.25]
    assert sgd.learning_rate == scheduler(6) == 0.25
    with pytest.raises(StateError, match="E560"):
        sgd.set_learning_rate(0.1)
    with pytest.raises(UserWarning):  # what MXNet raises
        sgd.set_learning_rate(0.1)
    with pytest.raises(StateError, match="E560"):
        sgd.learning_rate = 0.1


def test_a_rate_given_with_a_schedule_is_its_base():
    scheduler = lr_scheduler.FactorScheduler(step=1, factor=0.5)
    assert optimizer.Adam(learning_rate=0.8, lr_scheduler=scheduler).learning_rate == 0.8
    scheduler = lr_scheduler.FactorScheduler(step=1, factor=0.5, base_lr=0.3)
    assert optimizer.Adam(lr_scheduler=scheduler).learning_rate == 0.3  # a default does not overwrite it


def test_begin_num_update():
    scheduler = lr_scheduler.MultiFactorScheduler(step=[10], factor=0.1, base_lr=1.0)
    sgd = optimizer.SGD(lr_scheduler=scheduler, begin_num_update=9)
    weight = np.array([0.0])
    sgd.update(0, weight, np.array([1.0]), None)
    assert (weight.item(), sgd.num_update) == (-1.0, 10)
    sgd.update(0, weight, np.array([1.0]), None)
    assert weight.item() == pytest.approx(-1.1)


def test_bias_is_corrected_by_each_weights_own_count():
    adam = optimizer.Adam(learning_rate=0.1)
    update = optimizer.get_updater(adam)
    first, second, grad = np.array([0.0]), np.array([0.0]), np.array([1.0])
    for _ in range(5):
        update("first", grad, first)
    update("second", grad, second)
    assert second.item() == pytest.approx(-0.1, rel=1e-5)
    assert adam.num_update == 5


def test_multipliers():
    class Multiplied:
        lr_mult, wd_mult = 0.5, 3.0

    def step(index, **settings):
        sgd = optimizer.SGD(learning_rate=1.0, wd=0.1, **settings)
        return sgd, lambda: _stepped(sgd, index)

    sgd, run = step(0, param_dict={0: Multiplied()})
    assert run() == pytest.approx(1.0 - 0.5 * (2.0 + 0.3))
    sgd, run = step("w")
    sgd.set_lr_mult({"w": 2.0})
    sgd.set_wd_mult({"w": 0.0})
    assert run() == pytest.approx(1.0 - 2.0 * 2.0)
    sgd, run = step(3, param_idx2name={3: "dense0_bias"})  # MXNet: what is named and no weight does not decay
    assert run() == pytest.approx(1.0 - 2.0)
    for name in ("dense0_weight", "batchnorm0_gamma"):
        sgd, run = step(3, param_idx2name={3: name})
        assert run() == pytest.approx(1.0 - 2.1)


def _stepped(sgd, index):
    weight = np.array([1.0], dtype="float64")
    sgd.update(index, weight, np.array([2.0], dtype="float64"), None)
    return weight.item()


def test_settings_may_change_between_updates():
    sgd = optimizer.SGD(learning_rate=1.0, momentum=0.5)
    weight, grad = np.array([0.0]), np.array([1.0])
    velocity = sgd.create_state(0, weight)
    sgd.update(0, weight, grad, velocity)
    sgd.momentum, sgd.wd, sgd.clip_gradient, sgd.nesterov = 0.25, 0.5, 0.75, True
    sgd.update(0, weight, grad, velocity)
    g = 0.75 + 0.5 * -1.0
    assert velocity.item() == 0.25 * -1.0 - g
    assert weight.item() == -1.0 + 0.25 * velocity.item() - g


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_multi_precision_keeps_a_copy_in_float32(dtype):
    adam = optimizer.Adam(learning_rate=1e-3, multi_precision=True)
    update = optimizer.get_updater(adam)
    weight = np.array(numpy.linspace(1, 2, 8), dtype=dtype)
    exact = weight.astype("float32")
    other = optimizer.get_updater(optimizer.Adam(learning_rate=1e-3))
    for step in range(20):
        grad = np.array(numpy.cos(numpy.arange(8) + step), dtype=dtype)
        update(0, grad, weight)
        other(0, grad.astype("float32"), exact)
    master, (mean, _) = update.states[0]
    assert master.dtype == mean.dtype == numpy.float32
    assert numpy.array_equal(master.asnumpy(), exact.asnumpy())
    assert numpy.array_equal(weight.astype("float32").asnumpy(), exact.astype(dtype).astype("float32").asnumpy())


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("kind", [optimizer.SGD, optimizer.NAG])
def test_a_momentum_that_comes_later_counts(kind, dtype):
    made = kind(learning_rate=0.5, momentum=0.0, multi_precision=True)
    update, w = optimizer.get_updater(made), np.zeros((2,), dtype=dtype)
    update(0, np.ones((2,), dtype=dtype), w)
    made.momentum = 0.5
    steps = []
    for _ in range(3):
        before = float(w[0])
        update(0, np.ones((2,), dtype=dtype), w)
        steps.append(float(w[0]) - before)
    plain = [-0.5, -0.75, -0.875]
    assert steps == (plain if kind is optimizer.SGD else [-0.75, -0.875, -0.9375])


def test_half_precision_alone_is_computed_in_float32():
    weight = np.array([1.0, 2.0], dtype="float16")
    adam = optimizer.Adam(learning_rate=0.1)
    state = adam.create_state(0, weight)
    adam.update(0, weight, np.array([1e-4, 300.0], dtype="float16"), state)  # 300^2 is no float16, 1e-8 is 0
    assert state[0].dtype == numpy.float16
    assert weight.asnumpy() == pytest.approx([0.9, 1.9], rel=2e-3)


def test_any_layout_gives_the_same():
    base = numpy.linspace(-1, 1, 24).reshape(4, 6)
    grad = numpy.cos(base)
    plain, strided = np.array(base), np.array(numpy.zeros((6, 8)))
    view = strided[:, ::2].T
    view[...] = np.array(base)
    update, other = (optimizer.get_updater(optimizer.Adam(learning_rate=0.1, wd=0.1)) for _ in range(2))
    for _ in range(3):
        update(0, np.array(grad), plain)
        other(0, np.array(grad.T.copy()).T, view)
    assert view.asnumpy() == pytest.approx(plain.asnumpy(), rel=1e-6)
    assert not strided.asnumpy()[:, 1::2].any()


def test_empty_and_zero_dimensional_weights():
    update = optimizer.get_updater(optimizer.Adam(learning_rate=0.5))
    empty, one = np.zeros((0, 3)), np.array(2.0)
    update([0, 1], [np.zeros((0, 3)), np.array(1.0)], [empty, one])
    assert empty.shape == (0, 3)
    assert one.item() == pytest.approx(1.5)


def test_gradients_unlike_the_weight_are_refused_and_nothing_changes():
    sgd = optimizer.SGD()
    weight = np.array([1.0, 2.0])
    with pytest.raises(ArgumentError, match="E356"):
        sgd.update(0, weight, np.array([1.0]), None)
    with pytest.raises(ArgumentError, match="E356"):
        sgd.update(0, weight, np.array([1, 2], dtype="int64"), None)
    assert weight.tolist() == [1.0, 2.0]


def test_other_buffers_under_one_index():
    """What was bound at the last update is not taken for what comes now."""
    sgd = optimizer.SGD(learning_rate=1.0)
    first, second = np.array([1.0]), np.array([5.0])
    sgd.update(0, first, np.array([1.0]), None)
    sgd.update(0, second, np.array([2.0]), None)
    sgd.update(0, first, np.array([3.0]), None)
    assert (first.item(), second.item()) == (-3.0, 3.0)


def test_an_update_is_seen_by_compiled_programs_at_once():
    weight = np.array(numpy.ones((64, 64)))

    @hybridize
    def product(x):
        return x @ weight

    x = np.ones((4, 64))
    sgd = optimizer.SGD(learning_rate=1.0)
    for step in range(6):  # from a packed copy, packed again, given up in the end
        assert product(x).asnumpy() == pytest.approx(numpy.full((4, 64), 64.0 * (1 - step)))
        sgd.update(0, weight, np.ones((64, 64)), None)


def test_the_gradient_is_left_alone():
    grad = np.array([3.0, -4.0])
    optimizer.SGD(rescale_grad=0.5, clip_gradient=1.0, wd=0.1).update(0, np.array([1.0, 1.0]), grad, None)
    assert grad.tolist() == [3.0, -4.0]


def decay_of(name):
    """A weight decay, where an optimizer has one."""
    return 0.0 if name == "groupadagrad" else 0.01


@pytest.mark.parametrize("name", sorted(set(optimizer.Optimizer.opt_registry) - {"sgld"}))  # whose step draws noise
def test_the_formula_is_the_same_under_capture(name):
    """One program for all learning rates and counts, which are arrays to it: what a compiled step is made of."""
    wd = decay_of(name)
    made = optimizer.create(name, wd=wd, clip_gradient=0.5)
    formula, flags = type(made).formula, {**made.flags(), "clips": True, "decays": wd > 0}
    names = [*made.scalars(0.1, wd, 1), "rescale", "clip"]

    @hybridize
    def step(weight, grad, slots, numbers):
        kernels.updated(formula, weight, grad, slots, dict(zip(names, numbers, strict=True)), flags)

    weight = np.array(numpy.linspace(-1, 1, 12).reshape(3, 4))
    other = weight.copy()
    state = made.create_state(0, weight)
    slots = () if state is None else state if isinstance(state, tuple) else (state,)
    update = optimizer.get_updater(made)
    for t in range(1, 5):
        grad = np.array(numpy.sin(numpy.arange(12) * t).reshape(3, 4))
        made.set_learning_rate(0.1 / t)
        update(0, grad, other)
        numbers = [*made.scalars(0.1 / t, wd, t).values(), 1.0, 0.5]
        step(weight, grad, slots, tuple(np.array(x) for x in numbers))
        assert weight.asnumpy() == pytest.approx(other.asnumpy(), rel=1e-5, abs=1e-6)
    assert step.cache_info().programs == 1


@pytest.mark.parametrize("name", sorted(optimizer.Optimizer.opt_registry))
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_compiled_and_array_operations_agree(name, dtype, monkeypatch):
    def run():
        np.random.seed(5)
        update = optimizer.get_updater(optimizer.create(name, wd=decay_of(name), learning_rate=0.05))
        weight = np.array(numpy.linspace(-1, 1, 300).reshape(30, 10), dtype=dtype)
        for t in range(4):
            gradient = numpy.sin(numpy.arange(300) + t).reshape(30, 10)
            update(0, np.array(gradient, dtype=dtype), weight)
        return weight.asnumpy().astype("float64")

    compiled = run()
    monkeypatch.setattr("hybridize.base.config.CONFIG.disable", True)
    tolerance = {"float16": 3e-3, "float32": 2e-5, "float64": 1e-12}[dtype]
    assert run() == pytest.approx(compiled, rel=tolerance, abs=tolerance)


def test_a_debugger_stops_in_a_formula():
    class Seen(optimizer.Optimizer):
        @staticmethod
        def formula(w, g, slots, s):
            lines.add(sys._getframe().f_code.co_filename)
            return w - s.lr * g, ()

    made, weight, lines = Seen(learning_rate=1.0), np.array([3.0]), set()
    with disabled():
        made.update(0, weight, np.array([1.0]), None)
    assert lines == {__file__}
    assert weight.item() == 2.0


RATE = 2.0


class Outside:
    """Where formulas of the users' read."""

    rate = 2.0
    function = staticmethod(np.sign)
    array = np.array([2.0, 3.0])
    table: ClassVar = {"rate": 2.0}


def helper(g):
    return g * RATE


def _set_global():
    global RATE
    RATE += 1.0


READS = {
    "a global": (lambda w, g, s: w - s.lr * g * RATE, _set_global),
    "a helper's global": (lambda w, g, s: w - s.lr * helper(g), _set_global),
    "an attribute": (lambda w, g, s: w - s.lr * g * Outside.rate, lambda: setattr(Outside, "rate", Outside.rate + 1)),
    "a function of ours": (
        lambda w, g, s: w - s.lr * Outside.function(g), lambda: setattr(Outside, "function", staticmethod(np.exp)),
    ),
    "an item": (lambda w, g, s: w - s.lr * g * Outside.table["rate"], lambda: Outside.table.update(rate=7.0)),
    "an array": (lambda w, g, s: w - s.lr * g * Outside.array, lambda: Outside.array.__iadd__(1)),
    "a branch": (lambda w, g, s: w - g if RATE > 2.5 else w + s.lr * g, _set_global),
}  # fmt: skip


@pytest.mark.parametrize("hybridized", [False, True], ids=["imperatively", "hybridized"])
@pytest.mark.parametrize("read", READS)
def test_what_a_formula_reads_outside_is_followed(read, hybridized, monkeypatch):
    """Numbers, functions and arrays, by name, attribute and item; imperatively they were those of the first update."""
    body, change = READS[read]
    monkeypatch.setitem(globals(), "RATE", 2.0)
    for name, value in (("rate", 2.0), ("function", staticmethod(np.sign)), ("array", np.array([2.0, 3.0]))):
        monkeypatch.setattr(Outside, name, value)
    monkeypatch.setitem(Outside.table, "rate", 2.0)

    class Reading(optimizer.Optimizer):
        @staticmethod
        def formula(w, g, slots, s):
            return body(w, g, s), ()

    parameter = gluon.Parameter("w", shape=(2,))
    parameter.initialize(init.Zero())
    trainer = gluon.Trainer([parameter], Reading(learning_rate=0.5))
    x = np.array([0.5, 1.0])

    def step():
        with autograd.record():
            loss = (parameter.data() * x).sum()
        loss.backward()
        trainer.step(1)

    run, expected = hybridize(step) if hybridized else step, np.zeros(2)
    for turn in range(5):
        if turn == 2:
            change()
        run()
        expected = body(expected, x, types.SimpleNamespace(lr=0.5))
        numpy.testing.assert_allclose(parameter.data().asnumpy(), expected.asnumpy(), rtol=1e-6)


def test_results_that_cannot_take_the_place_of_their_inputs_are_copied():
    """A formula whose second result is computed from the first one's input again fails the trial."""

    def reversing(w, g, slots, s):
        return np.flip(w, 0) - s.lr * g, (slots[0] + w,)

    weight, grad, kept = np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.0, 0.0]), np.zeros(3)
    program = FormulaProgram(reversing, ("lr",), (), [numpy.dtype("f4")] * 3)
    assert not program.in_place
    Binding(program, weight, grad, (kept,), {}).run((1.0,))
    assert weight.tolist() == [2.5, 2.0, 1.0]
    assert kept.tolist() == [1.0, 2.0, 3.0]


def test_optimizers_of_the_users_own():
    @optimizer.register
    class Halving(optimizer.Optimizer):
        """As in MXNet 1.x."""

        def create_state(self, index, weight):
            return np.zeros_like(weight)

        def update(self, index, weight, grad, state):
            self._update_count(index)
            state += 1
            weight *= 0.5 * self._get_lr(index)

    class Doubling(optimizer.Optimizer):
        """As in MXNet 2."""

        def step(self, indices, weights, grads, states):
            for index, weight in zip(indices, weights, strict=True):
                self._update_count(index)
                weight *= 2

    try:
        update = optimizer.get_updater(optimizer.create("halving", learning_rate=1.0))
    finally:
        del optimizer.Optimizer.opt_registry["halving"]
    weight = np.array([8.0])
    update(0, np.array([0.0]), weight)
    assert (weight.item(), update.states[0].item()) == (4.0, 1.0)
    optimizer.get_updater(Doubling())(0, np.array([0.0]), weight)
    assert weight.item() == 8.0
    with pytest.raises(NotImplementedError, match="E328"):
        optimizer.Optimizer().update(0, weight, weight, None)


def test_copies_do_not_share_counts():
    adam = optimizer.Adam()
    adam.update(0, np.array([1.0]), np.array([1.0]), adam.create_state(0, np.array([1.0])))
    other = copy.deepcopy(adam)
    other.update(0, np.array([1.0]), np.array([1.0]), adam.create_state(0, np.array([1.0])))
    assert (adam.num_update, other.num_update) == (1, 2)


def test_many_kernels_stay_within_the_limit(monkeypatch):
    monkeypatch.setattr(kernels, "LIMIT", 3)
    for name in ("sgd", "adam", "adagrad", "adamax", "nadam"):
        made = optimizer.create(name)
        weight = np.array([1.0])
        made.update(0, weight, np.array([1.0]), made.create_state(0, weight))
    assert len(kernels._kernels) <= 3


def test_threads_with_optimizers_of_their_own():
    results = []

    def train():
        update = optimizer.get_updater(optimizer.Adam(learning_rate=0.01))
        weight = np.ones((300, 300))
        for step in range(30):
            update(0, np.full((300, 300), 1.0 + step), weight)
        results.append(weight.asnumpy())

    threads = [threading.Thread(target=train) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 3
    assert all(numpy.array_equal(result, results[0]) for result in results)


@pytest.mark.parametrize("name", sorted(optimizer.Optimizer.opt_registry))
def test_weights_of_no_elements_are_updated_without_a_program(name):
    known = dict(kernels._kernels)
    weight = np.zeros((0, 3))
    made = optimizer.create(name)
    optimizer.get_updater(made)(0, np.zeros((0, 3)), weight)
    assert weight.shape == (0, 3) and made.num_update == 1
    assert kernels._kernels == known


def test_a_rate_beyond_float32_is_infinite_there():
    weight = np.array([1.0, -1.0])
    sgd = optimizer.SGD(learning_rate=0.5)
    sgd.update(0, weight, np.array([1.0, 1.0]), None)
    sgd.set_learning_rate(1e300)
    sgd.update(0, weight, np.array([1.0, -1.0]), None)
    assert weight.tolist() == [-numpy.inf, numpy.inf]
    wide = np.array([0.0], dtype="float64")
    sgd.update(1, wide, np.array([1.0], dtype="float64"), None)
    assert wide.item() == -1e300
