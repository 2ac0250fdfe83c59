"""The collector looks less often while programs are made, and as often as before afterwards."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from hybridize import hybridize, np
from hybridize.base.collector import seldom
from tests.platforms.marks import forks


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


@forks
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


def test_looks_at_what_is_new():
    """In a process of its own: this one holds millions of objects of other tests, and each look takes a second."""
    command = [sys.executable, "-m", "pytest", "--quiet", Path(__file__).with_name("looks_of_the_collector.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
