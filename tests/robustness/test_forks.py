"""Processes that are forked, or interrupted, while a thread compiles for the first time: nothing hangs.

The forked child has the forking thread only. Whatever lock another one held, Python's own of a module among them, is
never released there.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from hybridize.base import forks
from hybridize.base.access import STATE

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")

MODULES = (
    "hybridize.codegen.link",  # imported by the module that has the lock of LLVM
    "llvmlite.binding.ffi",
    "hybridize.schedule.grouping",  # with the lock of the compiler
    "hybridize.optimizer.base",  # asked for by name
)


def wrong(kind, *places):
    """Outcomes of the tries of one kind that are not right, and how many there were."""
    script = Path(__file__).with_name("forking.py")
    command = [sys.executable, "-W", "ignore", str(script), kind, *map(str, places)]
    environment = os.environ | {"HYBRIDIZE_CACHE": "0"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    return {at: status for at, status in found.items() if status}, len(found)


def test_a_process_forked_while_another_thread_imports_compiles():
    assert wrong("fork", *MODULES) == ({}, len(MODULES))


def test_an_exception_of_a_signal_handler_amid_an_import_leaves_no_lock():
    assert wrong("interrupt", *MODULES) == ({}, len(MODULES))


def free():
    """Whether another thread gets each lock that a fork waits for."""
    found = []

    def enter():
        for _, lock in forks._awaited:
            found.append(lock.acquire(timeout=1))
            if found[-1]:
                lock.release()

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    return len(found) == len(forks._awaited) and all(found)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::DeprecationWarning")
def test_a_fork_that_an_exception_of_a_signal_handler_finds_waiting_waits_on():
    """Python drops what is raised as a process forks; the locks are taken all the same, and given back."""
    held, over, heard, main = threading.Event(), [], [], threading.get_ident()

    def hold():
        with STATE:
            held.set()
            for number in range(1, 3):
                while sys._current_frames()[main].f_code is not forks._before.__code__:
                    time.sleep(0.001)
                os.kill(os.getpid(), signal.SIGALRM)
                while len(heard) < number:
                    time.sleep(0.001)
            over.append(True)

    def handler(*_):
        heard.append(True)
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, handler)
    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    try:
        child = os.fork()
    finally:
        signal.signal(signal.SIGALRM, before)
    if not child:
        status = 1
        try:
            status = not (over == [True] and free())
        finally:
            os._exit(status)
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(heard) == 2 and free()


@pytest.mark.long
def test_a_process_forked_at_any_import_of_another_thread_compiles():
    failed, count = wrong("fork")
    assert failed == {} and count > 100


@pytest.mark.long
def test_a_process_forked_at_any_moment_of_a_compilation_compiles():
    assert wrong("moment", *(number / 200 for number in range(100))) == ({}, 100)


@pytest.mark.long
def test_an_exception_of_a_signal_handler_amid_any_import_leaves_no_lock():
    failed, count = wrong("interrupt")
    assert failed == {} and count > 100
