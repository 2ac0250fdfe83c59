"""The collector looks less often while programs are made, and as often as before afterwards."""

from __future__ import annotations

import gc
import os
import threading
import weakref

import pytest

from hybridize import hybridize, np
from hybridize.base import collector
from hybridize.base.collector import seldom


@pytest.fixture(autouse=True)
def thresholds():
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


def test_nested_and_raising():
    def failing():
        with seldom():
            with seldom():
                pass
            assert gc.get_threshold()[0] > 700
            raise KeyError

    with pytest.raises(KeyError):
        failing()
    assert gc.get_threshold() == (700, 10, 10)


@pytest.mark.parametrize("own", [(0, 10, 10), (10**6, 5, 5)])
def test_who_sees_to_it_himself_is_left_alone(own):
    gc.set_threshold(*own)
    with seldom():
        assert gc.get_threshold() == own
    assert gc.get_threshold() == own


def test_what_is_set_meanwhile_stays():
    with seldom():
        gc.set_threshold(900, 10, 10)
    assert gc.get_threshold() == (900, 10, 10)


def test_threads_in_any_order():
    entered, leave = threading.Event(), threading.Event()

    def other():
        with seldom():
            entered.set()
            leave.wait()

    thread = threading.Thread(target=other)
    with seldom():
        thread.start()
        entered.wait()
    assert gc.get_threshold()[0] > 700
    leave.set()
    thread.join()
    assert gc.get_threshold() == (700, 10, 10)


@pytest.mark.parametrize("within", [False, True])
def test_a_forked_child_has_only_its_own_thread(within):
    entered, leave = threading.Event(), threading.Event()

    def other():
        with seldom():
            entered.set()
            leave.wait()

    def after_fork():
        child = os.fork()
        if not child:
            os._exit(0 if (gc.get_threshold()[0] > 700) == within else 1)
        return os.waitpid(child, 0)[1]

    thread = threading.Thread(target=other)
    thread.start()
    entered.wait()
    if within:
        with seldom():
            status = after_fork()
    else:
        status = after_fork()
    leave.set()
    thread.join()
    assert status == 0


def test_a_first_call_looks_through_the_process_at_most_once():
    looked = []

    def notice(phase, told):
        if phase == "start" and told["generation"] == 2:
            looked.append(told)

    def f(x):
        for k in range(60):
            x = np.exp(-x) @ np.ones((4, 4)) + k
        return x

    gc.collect()
    gc.callbacks.append(notice)
    try:
        hybridize(f)(np.ones((4, 4)))
    finally:
        gc.callbacks.remove(notice)
    assert len(looked) <= 1


class Node:
    """What is garbage as soon as it is made."""

    def __init__(self):
        self.me = self


def make(count):
    return [[] for _ in range(count)]


@pytest.fixture
def looks(monkeypatch):
    """The generations that are looked at, as they are."""
    monkeypatch.setattr(collector, "_left_alone", False)
    seen = []

    def notice(phase, told):
        if phase == "start":
            seen.append(told["generation"])

    frozen = gc.get_freeze_count()
    gc.unfreeze()  # tests freeze what the imports have made
    gc.collect()
    gc.callbacks.append(notice)
    yield seen
    gc.callbacks.remove(notice)
    if frozen:
        gc.collect()
        gc.freeze()


def middle_aged():
    """Let Python's next look be one at more than what is new."""
    for _ in range(12):
        gc.collect(0)


def test_what_is_new_is_looked_at_once_and_what_was_looked_at_before_is_not(looks):
    middle_aged()
    del looks[:]
    with seldom():
        garbage = weakref.ref(Node())
        made = make(3000)
    assert looks == [0] and garbage() is None
    assert gc.get_count()[1] == 0 and not gc.get_objects(1), "all are old"
    assert any(one is made for one in gc.get_objects(2)) and gc.get_freeze_count() == 0


def test_all_are_looked_at_after_many_that_were_not(looks, monkeypatch):
    monkeypatch.setattr(collector, "_bound", 5000)
    monkeypatch.setattr(collector, "_unseen", 0)
    one = Node()
    garbage = weakref.ref(one)
    rounds = []
    for _ in range(3):
        middle_aged()
        with seldom():
            rounds.append(make(3000))
        one = None  # garbage from the first round on, which is old then
    assert one is None
    assert looks.count(2) == 1 and garbage() is None
    assert collector._bound >= max(collector._UNSEEN, len(gc.get_objects()) // 5)


def test_few_new_ones_are_left_to_python(looks):
    middle_aged()
    del looks[:]
    with seldom():
        make(10)
    assert looks == []


def test_who_has_frozen_objects_or_turned_the_collector_off_is_left_alone(looks, monkeypatch):
    gc.freeze()
    try:
        count = gc.get_freeze_count()
        middle_aged()
        with seldom():
            made = make(3000)
        assert gc.get_freeze_count() == count > 0 and made
        monkeypatch.setattr(gc, "get_freeze_count", lambda: pytest.fail("counts all that is frozen, again"))
        middle_aged()
        with seldom():
            made = make(3000)
        monkeypatch.undo()
        monkeypatch.setattr(collector, "_left_alone", False)
    finally:
        gc.unfreeze()
    gc.disable()
    try:
        del looks[:]
        with seldom():
            made = make(3000)
        assert looks == []
    finally:
        gc.enable()
