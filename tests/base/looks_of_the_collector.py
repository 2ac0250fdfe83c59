"""What the collector looks at once a program is made: `test_collector.py` runs this where no other test has run."""

from __future__ import annotations

import gc
import weakref

import pytest

from hybridize.base import collector
from hybridize.base.collector import seldom


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

    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    gc.unfreeze()
    gc.collect()
    gc.callbacks.append(notice)
    yield seen
    gc.callbacks.remove(notice)
    gc.set_threshold(*before)


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
