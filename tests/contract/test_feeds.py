"""Feeds begin with each call; what breaks off a call, at whatever line, leaves everything as it was."""

import gc
import sys
import threading
from types import SimpleNamespace

import pytest

import hybridize
from hybridize import autograd, gluon, np
from hybridize.base.access import STATE
from hybridize.contract.feeds import Feed, Setting, Transaction, roll_back
from hybridize.gluon import nn


class Alarm(Exception):
    """Of a signal's handler."""


class Breaking:
    """Raises at the place of some number where Python looks at signals.

    It does where a function of Python's begins, and where one of C's has returned; not where a `with` ends, which keeps
    locks from being left locked.
    """

    def __init__(self, number):
        self.left = number
        self.fired = False
        self.raised = None

    def __call__(self, frame, event, _):
        if event in ("call", "c_return") and not self.fired:
            self.left -= 1
            if self.left < 0:
                self.fired = True
                raise Alarm

    def run(self, call):
        gc.disable()  # who is collected would swallow the exception
        sys.setprofile(self)
        try:
            call()
        except Alarm as error:
            self.raised = error
        finally:
            sys.setprofile(None)
            gc.enable()
        return self.fired


def training():
    """A step that sets and reads all that calls begin with: its transaction, and what it may change."""
    net = nn.Dense(2, in_units=3)
    net.initialize()
    scheduler = hybridize.lr_scheduler.FactorScheduler(2, 0.5)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.5, "lr_scheduler": scheduler})
    optimizer = trainer._optimizer
    outside = SimpleNamespace(rate=1.0)

    @hybridize.hybridize(backend="numpy")
    def step(x):
        optimizer.wd = 0.25
        optimizer.late = 3
        with autograd.record():
            loss = (net(x) ** 2).mean() * outside.rate
        net.weight.grad_req = "add"
        loss.backward()
        net.weight.grad_req = "write"
        trainer.step(2)
        outside.rate = outside.rate + 1.0
        return loss

    for _ in range(4):
        step(np.ones((4, 3)))
    del optimizer.late
    optimizer.wd = 0.125
    (program,) = (one for one in step.programs() if one.current)

    def state():
        counts = dict(optimizer._index_update_count)
        return vars(optimizer) | {"counts": counts, "requests": [one.grad_req for one in trainer._params]}

    return program.capture.transaction, state


def test_what_breaks_off_while_a_call_begins_is_undone():
    transaction, state = training()
    assert len(transaction.feeds) > 6
    before = state()
    for number in range(10_000):
        begun = []

        def call(begun=begun):
            assert transaction.begin(begun)

        fired = Breaking(number).run(call)
        transaction.rollback(begun)
        assert state() == before, number
        if not fired:
            break
    assert number > 50


def test_asking_whether_a_program_is_right_changes_nothing_wherever_it_is_broken_off():
    transaction, state = training()
    before = state()
    for number in range(10_000):
        fired = Breaking(number).run(transaction.holds)
        assert state() == before, number
        if not fired:
            break
    assert number > 50
    assert transaction.holds()


def is_free(lock):
    found = []

    def enter():
        found.append(lock.acquire(timeout=1))
        if found[0]:
            lock.release()

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    return found == [True]


@pytest.mark.parametrize("way", ["holds", "call"])
def test_a_signal_leaves_no_call_begun_and_no_lock_while_its_exception_is_kept(way):
    transaction, state = training()
    entered, kept = [], []

    def call():
        with STATE, transaction.call([]):
            entered.append(True)

    before = state()
    for number in range(10_000):
        kept.append(Breaking(number))
        fired = kept[-1].run(call if way == "call" else transaction.holds)
        if entered:  # the call took place; its end may have been interrupted
            break
        assert state() == before, number
        if not fired:
            break
    assert number > 50
    assert is_free(STATE)


class Slotted:
    __slots__ = ("v",)


class WithProperty:
    """Counts what is set."""

    inherited = 1

    def __init__(self):
        self._v = 2

    @property
    def v(self):
        return self._v

    @v.setter
    def v(self, value):
        self._v = value


def filled():
    made = Slotted()
    made.v = None
    return made


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (SimpleNamespace, "v"),
        (lambda: SimpleNamespace(v=None), "v"),
        (lambda: SimpleNamespace(v=1), "v"),
        (Slotted, "v"),
        (filled, "v"),
        (WithProperty, "v"),
        (WithProperty, "inherited"),
        (WithProperty, "absent"),
    ],
)
def test_an_attribute_that_was_set_is_as_it_was(make, name):
    owner = make()
    names = ("v", "_v", "inherited", "absent")

    def state():
        held = {one: getattr(owner, one) for one in names if hasattr(owner, one)}
        return held, dict(getattr(owner, "__dict__", {}))

    before = state()
    setting = Setting(owner, name, 7)
    was = setting.before()
    setting.rollback(was)  # which was not begun
    assert state() == before
    for times in (1, 2):
        setting.begin(was)
        assert getattr(owner, name) == 7
        for _ in range(times):
            setting.rollback(was)
        assert state() == before


def test_feeds_are_undone_last_first_and_only_those_that_began():
    said = []

    class Said(Feed):
        def __init__(self, name, right=True):
            self.name, self.right = name, right

        def before(self):
            return self.name

        def begin(self, before):
            said.append(f"{before} begins")
            return self.right

        def rollback(self, before):
            said.append(f"{before} is undone")

    transaction = Transaction({}, {}, (Said("a"), Said("b", right=False), Said("c")))
    begun = []
    assert not transaction.begin(begun)
    roll_back(begun)
    assert said == ["a begins", "b begins", "b is undone", "a is undone"]
    said.clear()
    assert not transaction.holds()
    assert said == ["a begins", "b begins", "b is undone", "a is undone"]
