"""What a compiled step reads and changes besides arrays: as imperatively at every call, or refused at the user's line."""

from __future__ import annotations

import argparse
import collections
import functools
import inspect
import operator
import os
import random
import threading
import time
import types
from typing import Any

import numpy
import pytest

import hybridize as hz
from hybridize import autograd, gluon, hybridize, init, lr_scheduler, metric, np, optimizer
from hybridize.errors import HybridizeError
from hybridize.gluon import nn


class Own:
    """An object whose methods Python calls: operators, truth, text, iteration, `with`."""

    def __init__(self) -> None:
        self.k = 1.0
        self.items = [1.0]

    def __add__(self, other: float) -> float:
        return self.k + other

    def __lt__(self, other: float) -> bool:
        return self.k < other

    def __bool__(self) -> bool:
        return self.k > 1

    def __str__(self) -> str:
        return "x" * int(self.k)

    def __iter__(self) -> Any:
        yield from self.items

    def __enter__(self) -> float:
        self.k += 1
        return self.k

    def __exit__(self, *_: object) -> None:
        self.items.append(self.k)


class Saved(nn.HybridSequential):
    """A net that writes its files in a way of its own."""

    def save(self, path: Any, *, samples: Any = ()) -> None:
        super().save(path, samples=samples)


def _scaled(settings: dict[str, float], x: Any) -> Any:
    return x * settings["k"]


def _entered(w: World) -> Any:
    with w.own as k:
        return one * k


def _caught(w: World) -> Any:
    try:
        return one * w.found["missing"] * w.own.late  # type: ignore[attr-defined]
    except (KeyError, AttributeError):
        return one


def _miss(w: World) -> None:
    if "missing" in w.found:
        w.own.late = 3.0  # type: ignore[attr-defined]
    w.found["missing"] = 2.0


class World:
    """What a step may read from outside."""

    def __init__(self, folder: Any) -> None:
        hz.random.seed(5)
        self.file = str(folder / "file")
        self.net = nn.Dense(2, in_units=3)
        self.net.initialize(init.Normal(0.1))
        self.weight = self.net.weight
        parameters = self.net.collect_params()
        self.scheduler = lr_scheduler.FactorScheduler(step=1, factor=0.5, base_lr=0.1)
        self.trainer = gluon.Trainer(parameters, "sgd", {"learning_rate": 0.1, "momentum": 0.5})
        self.scheduled = gluon.Trainer(parameters, "sgd", {"lr_scheduler": self.scheduler})
        self.optimizer = self.trainer.optimizer
        self.metric = metric.Accuracy()
        self.metric.update(np.array([0, 1]), np.array([[0.9, 0.1], [0.8, 0.2]]))
        self.several = metric.CompositeEvalMetric([metric.Accuracy()])
        self.derived = Saved()
        self.function = hybridize(lambda x: x * 2)
        self.function(np.ones(2))
        self.initializer = init.Constant(0.25)
        self.settings = types.SimpleNamespace(k=1.0)
        self.options = argparse.Namespace(k=1.0, inner=[1.0])
        self.counter = collections.Counter(a=1)
        self.users = collections.UserList([1.0])
        self.named = collections.namedtuple("Named", "items")([1.0])
        self.items = [1]
        self.data = gluon.data.SimpleDataset(self.items)
        self.loader = gluon.data.DataLoader(gluon.data.ArrayDataset(numpy.arange(6.0)), batch_size=2)
        self.x = np.array([[1.0, 2.0, 3.0]])
        self.seen: list[Any] = []
        self.own = Own()
        self.found: dict[str, float] = {}
        self.words = numpy.array(["a", "b"])
        self.mixed = numpy.array([1.0, "a"], dtype=object)
        self.bound = functools.partial(_scaled, {"k": 1.0})
        self.layers = nn.HybridSequential()
        self.add_layer()

    def add_layer(self) -> None:
        layer = nn.Dense(2, in_units=2)
        layer.initialize()
        self.layers.add(layer)

    def forward(self) -> Any:
        with autograd.record():
            loss = (self.net(self.x) ** 2).sum()
        loss.backward()
        return loss

    def step(self, trainer: Any = None) -> Any:
        loss = self.forward()
        (trainer or self.trainer).step(1)
        return loss

    def remember(self, value: Any) -> None:
        self.seen.append(value)

    def halve(self, owner: Any, name: str) -> None:
        setattr(owner, name, getattr(owner, name) / 2)


one = np.array([1.0])

# For each: what the step does, and what happens between two calls of it.
READ: dict[str, tuple[Any, Any]] = {
    "scheduler.base_lr": (lambda w: one * w.scheduler.base_lr, lambda w: w.halve(w.scheduler, "base_lr")),
    "scheduler.factor": (lambda w: one * w.scheduler.factor, lambda w: w.halve(w.scheduler, "factor")),
    "scheduler called": (lambda w: one * w.scheduler(3), lambda w: w.halve(w.scheduler, "base_lr")),
    "optimizer.wd": (lambda w: one * w.optimizer.wd, lambda w: setattr(w.optimizer, "wd", w.optimizer.wd + 1)),
    "optimizer.momentum": (lambda w: one * w.optimizer.momentum, lambda w: w.halve(w.optimizer, "momentum")),
    "optimizer.lr_mult[]": (
        lambda w: one * w.optimizer.lr_mult.get("a", 1.0), lambda w: w.optimizer.set_lr_mult({"a": len(w.seen) + 0.5}),
    ),
    "optimizer.lr_scheduler": (
        lambda w: one * (2 if w.optimizer.lr_scheduler is None else 1),
        lambda w: setattr(w.optimizer, "lr_scheduler", w.scheduler),
    ),
    "trainer.optimizer": (
        lambda w: one * (1 if isinstance(w.trainer.optimizer, optimizer.SGD) else 2),
        lambda w: setattr(w.trainer, "_optimizer", optimizer.Adam()),
    ),
    "parameter.lr_mult": (lambda w: one * w.weight.lr_mult, lambda w: w.halve(w.weight, "lr_mult")),
    "parameter.wd_mult": (lambda w: one * w.weight.wd_mult, lambda w: w.halve(w.weight, "wd_mult")),
    "parameter.grad_req": (lambda w: one * len(w.weight.grad_req), lambda w: setattr(w.weight, "grad_req", "add")),
    "parameter.name": (lambda w: one * len(w.weight.name), lambda w: setattr(w.weight, "name", w.weight.name + "z")),
    "parameter.dtype": (lambda w: one * w.weight.dtype.itemsize, lambda w: w.weight.cast("float64")),
    "parameter.fresh_grad": (lambda w: w.forward() * 0 + (2 if w.weight.fresh_grad else 1), None),
    "parameter.fresh_grad, before": (lambda w: (2 if w.weight.fresh_grad else 1) + w.forward() * 0, None),
    "array.grad": (lambda w: one * (1 if w.x.grad is None else 2), lambda w: w.x.attach_grad()),
    "metric.get": (lambda w: one * w.metric.get()[1], lambda w: w.metric.update(np.array([1]), np.array([[0.0, 1.0]]))),
    "metric.num_inst": (lambda w: one * w.metric.num_inst, lambda w: w.metric.update(np.array([1]), np.ones((1, 2)))),
    "initializer.value": (lambda w: one * w.initializer.value, lambda w: w.halve(w.initializer, "value")),
    "initializer called": (lambda w: _filled(w.initializer), lambda w: w.halve(w.initializer, "value")),
    "namespace": (lambda w: one * w.settings.k, lambda w: w.halve(w.settings, "k")),
    "options": (lambda w: one * w.options.k, lambda w: w.halve(w.options, "k")),
    "options' list": (lambda w: one * sum(w.options.inner), lambda w: w.options.inner.append(2.0)),
    "vars": (lambda w: one * vars(w.options)["k"], lambda w: w.halve(w.options, "k")),
    "attrgetter": (lambda w: one * operator.attrgetter("k")(w.options), lambda w: w.halve(w.options, "k")),
    "counter[]": (lambda w: one * w.counter["a"], lambda w: w.counter.update("aab")),
    "counter.total": (lambda w: one * w.counter.total(), lambda w: w.counter.update("aab")),
    "counter, iterated over": (lambda w: one * sum(v for v in w.counter.values()), lambda w: w.counter.update("aab")),
    "list of the user's class": (lambda w: one * w.users[-1], lambda w: w.users.append(w.users[-1] * 2)),
    "the same, in a loop": (lambda w: _looped(w.users), lambda w: w.users.append(2.0)),
    "the same, comprehended": (lambda w: one * sum([v * 2 for v in w.users]), lambda w: w.users.append(2.0)),
    "the same, listed": (lambda w: one * len(list(w.users)), lambda w: w.users.append(2.0)),
    "list in a named tuple": (lambda w: one * w.named[0][-1], lambda w: w.named.items.append(w.named.items[-1] * 2)),
    "the same, unpacked": (lambda w: _unpacked(*w.users), lambda w: w.users.append(2.0)),
    "operator": (lambda w: one * (w.own + 1), lambda w: setattr(w.own, "k", w.own.k + 1)),
    "comparison": (lambda w: one * (2 if w.own < 2 else 1), lambda w: setattr(w.own, "k", w.own.k + 1)),
    "truth": (lambda w: one * (2 if w.own else 1), lambda w: setattr(w.own, "k", w.own.k + 1)),
    "text": (lambda w: one * len(str(w.own)) * len(f"{w.own}"), lambda w: setattr(w.own, "k", w.own.k + 1)),
    "iterated over": (lambda w: _looped(w.own), lambda w: w.own.items.append(2.0)),
    "caught misses": (_caught, _miss),
    "partial": (lambda w: w.bound(one), lambda w: w.bound.args[0].update(k=w.bound.args[0]["k"] * 2)),
    "array of text": (lambda w: one * (1 if w.words[0] == "a" else 2), lambda w: w.words.__setitem__(0, "c")),
    "array of objects": (lambda w: one * w.mixed[0], lambda w: w.mixed.__setitem__(0, w.mixed[0] + 1)),
    "children": (lambda w: one * len(w.layers.collect_params()), lambda w: w.add_layer()),
    "children, iterated over": (lambda w: one * sum(1 for _ in w.layers), lambda w: w.add_layer()),
    "default of a class": (
        lambda w: one * optimizer.Optimizer.default_rate,
        lambda w: setattr(optimizer.Optimizer, "default_rate", 0.02 if len(w.seen) else 0.01),
    ),
    "length of a data set": (lambda w: one * len(w.data), lambda w: w.items.append(1)),
    "length of a loader": (lambda w: one * len(w.loader), None),
}  # fmt: skip


def _filled(initializer: Any) -> Any:
    array = np.zeros((2,))
    initializer(init.InitDesc("weight"), array)
    return array


def _unpacked(*items: float) -> Any:
    return one * len(items) * sum(items)


def _looped(items: Any) -> Any:
    total = one * 0
    for item in items:
        total = total * 2 + item
    return total


def _set(owner: str, name: str, value: Any) -> Any:
    def step(w: World) -> Any:
        setattr(getattr(w, owner), name, value)
        return w.step()

    return step


def _set_to_half(w: World) -> Any:
    w.optimizer.lr = 0.05
    first = w.step()
    w.optimizer.learning_rate = 0.2
    return first + w.step()


def _collected(w: World) -> Any:
    w.weight.grad_req = "add"
    loss = w.forward() + w.forward()
    total = w.weight.grad().sum()
    w.weight.grad_req = "write"
    return total + w.forward() + loss


def _fresh_again(w: World) -> Any:
    loss = w.forward()
    before = w.weight.fresh_grad
    w.weight.fresh_grad = False
    return loss * (2.0 if before and not w.weight.fresh_grad else 1.0)


def _set_item(w: World) -> Any:
    w.counter["b"] = 3
    return one


def _set_mult(w: World) -> Any:
    w.optimizer.lr_mult["a"] = 3.0
    return one


def _set_namespace(w: World) -> Any:
    w.settings.k = w.settings.k + 1
    w.settings.loss = w.forward()
    return one * w.settings.k


def _weight(w: World) -> Any:
    return w.weight.data().sum() + w.weight.grad().sum()


def _doing(action: Any) -> Any:
    def step(w: World) -> Any:
        action(w)
        return _weight(w)

    return step


def _disturb(w: World) -> None:
    w.weight.set_data(np.ones((2, 3)))
    w.weight.grad()[...] = 3


# The same, of what changes something; each must happen at every call, as often as imperatively.
CHANGED: dict[str, tuple[Any, Any]] = {
    "optimizer.lr": (_set("optimizer", "lr", 0.5), lambda w: _noted(w, w.optimizer, "lr", 0.01)),
    "optimizer.lr and learning_rate": (_set_to_half, lambda w: _noted(w, w.optimizer, "lr", 0.01)),
    "optimizer.wd": (_set("optimizer", "wd", 0.5), lambda w: _noted(w, w.optimizer, "wd", 0.0)),
    "optimizer.momentum": (_set("optimizer", "momentum", 0.9), lambda w: _noted(w, w.optimizer, "momentum", 0.1)),
    "parameter.lr_mult": (_set("weight", "lr_mult", 0.5), lambda w: _noted(w, w.weight, "lr_mult", 1.0)),
    "parameter.grad_req": (_set("weight", "grad_req", "add"), lambda w: _noted(w, w.weight, "grad_req", "write")),
    "parameter.grad_req, there and back": (_collected, None),
    "scheduler.base_lr": (
        lambda w: setattr(w.scheduler, "base_lr", 0.3) or w.step(w.scheduled),
        lambda w: _noted(w, w.scheduler, "base_lr", 0.1),
    ),
    "item of a counter": (_set_item, lambda w: (w.remember(dict(w.counter)), w.counter.clear())),
    "item of an optimizer's dict": (_set_mult, lambda w: (w.remember(dict(w.optimizer.lr_mult)), w.optimizer.lr_mult.clear())),
    "with": (_entered, lambda w: w.remember([w.own.k, *w.own.items])),
    "namespace": (_set_namespace, lambda w: w.remember(float(w.settings.loss))),
    "set_data": (_doing(lambda w: w.weight.set_data(w.weight.data() * 2)), _disturb),
    "set_data of NumPy's": (_doing(lambda w: w.weight.set_data(numpy.full((2, 3), 2.0))), _disturb),
    "zero_grad": (_doing(lambda w: w.weight.zero_grad()), _disturb),
    "zero_grad of a net": (_doing(lambda w: w.net.zero_grad()), _disturb),
    "initializer": (_doing(lambda w: w.initializer(init.InitDesc("weight"), w.weight.data())), _disturb),
    "initialize, again": (_doing(lambda w: w.net.initialize()), _disturb),
    "cast": (_doing(lambda w: w.net.cast("float64")), lambda w: w.net.cast("float32")),
    "hybridize": (_doing(lambda w: w.net.hybridize()), _disturb),
    "fresh_grad, without a backward pass": (
        lambda w: setattr(w.weight, "fresh_grad", False) or one,
        lambda w: (w.remember(w.weight.fresh_grad), w.forward()),
    ),
    "fresh_grad, after a backward pass": (
        _fresh_again,
        lambda w: (w.remember(w.weight.fresh_grad), setattr(w.weight, "fresh_grad", True)),
    ),
    "fresh_grad, before one": (
        lambda w: setattr(w.weight, "fresh_grad", False) or w.forward(),
        lambda w: (w.remember(w.weight.fresh_grad), setattr(w.weight, "fresh_grad", False)),
    ),
    "learning_rate": (
        _set("optimizer", "learning_rate", 0.5), lambda w: _noted(w, w.optimizer, "learning_rate", 0.01)
    ),
    "seed": (lambda w: hz.random.seed(3) or np.random.uniform(size=(2,)), None),
}  # fmt: skip


def _noted(w: World, owner: Any, name: str, value: Any) -> None:
    w.remember(getattr(owner, name))
    setattr(owner, name, value)


def _where_data_decides(w: World, owner: str, name: str, value: Any) -> Any:
    if w.x.sum() > 1:
        setattr(getattr(w, owner), name, value)


REFUSED: dict[str, tuple[str, Any]] = {
    "initialize by force": ("E407", lambda w: w.weight.initialize(force_reinit=True)),
    "initialize a net by force": ("E407", lambda w: w.net.initialize(init.Normal(1.0), force_reinit=True)),
    "save_parameters": ("E407", lambda w: w.net.save_parameters(w.file)),
    "load_parameters": ("E407", lambda w: w.net.load_parameters(w.file)),
    "save": ("E407", lambda w: w.net.save(w.file)),
    "save of a class derived": ("E407", lambda w: w.derived.save(w.file)),
    "save of another function": ("E407", lambda w: w.function.save(w.file)),
    "save by a function of Python's": ("E407", lambda w: [*map(w.net.save_parameters, [w.file])]),
    "summary": ("E407", lambda w: w.net.summary(w.x)),
    "save_states": ("E407", lambda w: w.trainer.save_states(w.file)),
    "load": ("E407", lambda w: hz.load(w.file)),
    "numpy.load": ("E420", lambda w: numpy.load(w.file)),
    "setattr of parameters": ("E407", lambda w: w.net.collect_params().setattr("grad_req", "null")),
    "grad_req where data decides": ("E430", lambda w: _where_data_decides(w, "weight", "grad_req", "add")),
    "fresh_grad where data decides": ("E430", lambda w: _where_data_decides(w, "weight", "fresh_grad", True)),
    "learning_rate where data decides": ("E562", lambda w: _where_data_decides(w, "optimizer", "learning_rate", 0.5)),
    "learning_rate of the program": ("E407", lambda w: setattr(w.optimizer, "learning_rate", w.x.sum())),
    "grad_req null": ("E407", lambda w: setattr(w.weight, "grad_req", "null")),
    "set_lr_mult": ("E407", lambda w: w.optimizer.set_lr_mult({})),
    "a rate of the program": ("E407", lambda w: setattr(w.optimizer, "lr", w.x.sum())),
    "counts of updates": ("E407", lambda w: w.step() * w.optimizer._index_update_count[0]),
    "hooks": ("E407", lambda w: w.net.register_forward_hook(lambda *args: None)),
    "metric.update": ("E407", lambda w: w.metric.update(np.array([0]), w.net(w.x))),
    "metric.update by name": ("E407", lambda w: w.metric.update_dict({}, {})),
    "update of a metric of several": ("E407", lambda w: w.several.update(np.array([0]), w.net(w.x))),
    "add to a metric of several": ("E407", lambda w: w.several.add("mae")),
    "metric.reset": ("E407", lambda w: w.metric.reset()),
    "counter.update": ("E406", lambda w: w.counter.update("abc")),
    "append to a list of the user's class": ("E406", lambda w: w.users.append(1.0)),
    "loader": ("E406", lambda w: [batch * 2 for batch in w.loader]),
    "loader in a loop": ("E406", lambda w: _looped(w.loader)),
    "data set": ("E406", lambda w: w.data[0]),
    "data set, listed": ("E406", lambda w: list(w.data)),
    "attach_grad": ("E545", lambda w: w.x.attach_grad()),
    "clock": ("E420", lambda w: one * time.time()),
    "random": ("E420", lambda w: one * random.random()),
    "NumPy's random": ("E420", lambda w: one * numpy.random.rand()),
}  # fmt: skip


def _calls(action: Any, between: Any, folder: Any, *, compiled: bool) -> list[Any]:
    w = World(folder)
    step = hybridize(lambda: action(w)) if compiled else lambda: action(w)
    found = []
    for _ in range(3):
        found.append(numpy.asarray(step().asnumpy()).tolist())
        if between is not None:
            between(w)
    return [found, w.seen, w.weight.data().asnumpy().tolist(), w.optimizer.num_update, w.optimizer.lr, w.settings.k]


@pytest.mark.parametrize("case", [*READ.items(), *CHANGED.items()], ids=lambda case: case[0])
def test_each_call_does_what_it_does_imperatively(case, tmp_path):
    _, (action, between) = case
    expected, found = (_calls(action, between, tmp_path, compiled=compiled) for compiled in (False, True))
    numpy.testing.assert_allclose(found[0], expected[0], rtol=1e-5)
    numpy.testing.assert_allclose(found[2], expected[2], rtol=1e-5)
    assert str(found[1]) == str(expected[1]) and found[3:] == expected[3:]


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_program_can_do_is_refused_at_the_users_line(name, tmp_path):
    code, action = REFUSED[name]
    w = World(tmp_path)
    w.net.save_parameters(w.file)
    before = str([vars(w.optimizer), w.counter, w.metric.get(), w.weight.data()]), os.listdir(tmp_path)

    def step() -> Any:
        action(w)
        return one

    with pytest.raises(HybridizeError) as caught:
        hybridize(step)()
    assert caught.value.code == code and caught.value.loc is not None and caught.value.loc.file == __file__
    assert (str([vars(w.optimizer), w.counter, w.metric.get(), w.weight.data()]), os.listdir(tmp_path)) == before


# ------------------------------------------------------------------------------------------- what steps themselves change


def _with_rates(w: World, trainer: Any) -> Any:
    """All that a step says of its own progress, before and after the update."""
    before = [trainer.learning_rate, trainer.optimizer.lr, trainer.optimizer.num_update, trainer.optimizer.rescale_grad]
    loss = w.step(trainer)
    for p in w.net.collect_params().values():
        p.data()[...] -= trainer.learning_rate * p.grad()
    after = [trainer.learning_rate, trainer.optimizer.lr, trainer.optimizer.num_update, trainer.optimizer.rescale_grad]
    late = trainer.optimizer.num_update % 3 == 2
    return np.array([*before, *after]) + (loss if late else loss * 2)


@pytest.mark.parametrize("name", ["trainer", "scheduled"])
def test_rates_and_counts_are_those_of_each_call_and_compile_nothing_again(name, tmp_path):
    results, programs = [], []
    for compiled in (False, True):
        w = World(tmp_path)
        trainer = getattr(w, name)
        step: Any = lambda: _with_rates(w, trainer)  # noqa: B023, E731
        step = hybridize(step) if compiled else step
        found = []
        for number in range(8):
            found.append(step().asnumpy())
            if name == "trainer":
                trainer.set_learning_rate(0.1 / (number + 2))
        results.append((found, w.weight.data().asnumpy()))
        programs.append(step.cache_info().captures if compiled else 0)
    numpy.testing.assert_allclose(results[1][0], results[0][0], rtol=1e-5)
    numpy.testing.assert_allclose(results[1][1], results[0][1], rtol=1e-5)
    assert programs[1] == 1


def test_a_gradient_that_the_step_uses_up_is_asked_for_without_compiling_again(tmp_path):
    w = World(tmp_path)

    def step() -> Any:
        loss = w.forward()
        fresh = w.weight.fresh_grad
        w.trainer.step(1)
        return loss * (2.0 if fresh and not w.weight.fresh_grad else 1.0), loss

    fast = hybridize(step)
    for _ in range(4):
        twice, loss = fast()
        assert float(twice) == pytest.approx(2 * float(loss))
    assert fast.cache_info().captures == 1


def test_an_attribute_of_a_thread_is_set_by_each_call():
    """Its class has a `__setattr__` of its own, written in C."""
    local = threading.local()

    def function(x):
        local.kept = x * 2
        return local.kept

    compiled = hybridize(function)
    for value in (1.0, 2.0):
        assert compiled(np.full((2,), value)).tolist() == [2 * value] * 2
        assert local.kept.tolist() == [2 * value] * 2


class Counting:
    """Methods and functions whose parameters Python is asked for."""

    def scaled(self, x, by=2.0):
        return x * by

    @staticmethod
    def shifted(x):
        return x + 1

    @classmethod
    def halved(cls, x, by):
        return x / by

    def run(self, x):
        functions = self.scaled, self.shifted, self.halved, Counting.scaled, functools.partial(self.scaled, by=3.0)
        for function in functions:
            x = x * 10 + len(inspect.signature(function).parameters)
        return x + len(inspect.getfullargspec(self.shifted).args)


def test_parameters_of_what_is_handed_on_are_its_own():
    one = Counting()
    x = np.ones(2)
    numpy.testing.assert_array_equal(hybridize(one.run)(x).asnumpy(), one.run(x).asnumpy())
