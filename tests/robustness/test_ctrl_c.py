# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C and other signals while a compiled loop runs: by each way that programs have of hearing of them."""

import asyncio
import os
import signal
import socket
import sys
import threading
import time

import numpy
import pytest

from hybridize import hybridize, load, np
from tests.platforms.pace import SLOWER

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="signals of POSIX")

LIMIT_S = 0.5 * SLOWER
"""Of the main thread's own time, which a busy machine does not lengthen."""


def endless(x):
    while x.sum() > -1:
        x = np.sin(x) + 1
    return x


def rows(x):
    total = np.zeros(200)
    for row in x:
        total = np.sin(total) + row
    return total


@pytest.fixture(scope="module")
def loops():
    """Compiled loops that take long, by name; each has its entry."""
    compiled, ended = hybridize(endless), hybridize(rows)
    for _ in range(3):
        compiled(np.full(2, -9.0))
        ended(np.ones((20, 1)))
        ended(np.ones((30, 1)))
    few, many = np.ones(2), np.ones((20_000_000, 1))
    return {"while": lambda: compiled(few), "for": lambda: ended(many)}


@pytest.fixture
def handled():
    """A function that sets a signal's handler; all are as before afterwards."""
    before = {}

    def to(number, handler):
        before.setdefault(number, signal.signal(number, handler))

    yield to
    for number, handler in before.items():
        signal.signal(number, handler)


def sent(number, after_s=0.2, times=1):
    """Send a signal to this process, after a while, so many times; returns the main thread's times at the sending."""
    moments = []
    clock = time.pthread_getcpuclockid(threading.main_thread().ident)

    def send():
        for _ in range(times):
            time.sleep(after_s)
            moments.append(time.clock_gettime(clock))
            os.kill(os.getpid(), number)

    threading.Thread(target=send, daemon=True).start()
    return moments


@pytest.mark.parametrize("name", ["while", "for"])
def test_ctrl_c(name, loops, handled):
    handled(signal.SIGINT, signal.default_int_handler)
    for _ in range(2):
        moments = sent(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            loops[name]()
        assert time.thread_time() - moments[-1] < LIMIT_S


@pytest.mark.parametrize("name", ["while", "for"])
def test_a_handler_that_exits(name, loops, handled):
    handled(signal.SIGTERM, lambda number, frame: sys.exit(3))
    sent(signal.SIGTERM)
    with pytest.raises(SystemExit):
        loops[name]()


def test_a_handler_that_only_notes(loops, handled):
    """The loop runs on; the next signal ends it."""
    heard = []

    def handler(number, frame):
        heard.append(number)
        if len(heard) == 2:
            raise TimeoutError

    handled(signal.SIGUSR1, handler)
    sent(signal.SIGUSR1, times=2)
    with pytest.raises(TimeoutError):
        loops["while"]()
    assert len(heard) == 2


def test_a_descriptor_that_wakes_others(loops, handled):
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    before = signal.set_wakeup_fd(ours.fileno())
    handled(signal.SIGINT, signal.default_int_handler)
    try:
        sent(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            loops["while"]()
        assert theirs.recv(1) == bytes([signal.SIGINT])
    finally:
        signal.set_wakeup_fd(before)
        ours.close()
        theirs.close()


def test_asyncio_hears_of_the_first_and_ends_at_the_second(loops, handled):
    """As with Python's own loops: the first Ctrl-C cancels the task, which does not come to a halt in one."""
    handled(signal.SIGINT, signal.default_int_handler)

    async def main():
        loops["while"]()

    sent(signal.SIGINT, times=2)
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(main())


def test_a_loop_in_another_thread_lets_the_main_thread_hear(handled):
    """Signals are the main thread's: it hears of them while the loop runs on, which ends by its data."""
    compiled = hybridize(rows)
    for count in (20, 30, 31, 32):
        compiled(np.ones((count, 1)))
    results = []
    thread = threading.Thread(target=lambda: results.append(compiled(np.ones((3_000_000, 1)))))
    handled(signal.SIGINT, signal.default_int_handler)
    sent(signal.SIGINT)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        threading.Event().wait(60)
    assert thread.is_alive(), "it heard of the signal when the loop was over"
    thread.join()
    assert len(results) == 1 and numpy.isfinite(results[0].asnumpy()).all()


def test_a_loaded_program(tmp_path, handled):
    compiled = hybridize(endless)
    compiled(np.full(2, -9.0))
    compiled.save(str(tmp_path / "endless"))
    again = load(str(tmp_path / "endless"))
    for _ in range(3):
        again(np.full(2, -9.0))
    handled(signal.SIGINT, signal.default_int_handler)
    moments = sent(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        again(np.ones(2))
    assert time.thread_time() - moments[-1] < LIMIT_S
