"""Run by tests: processes in which one thread compiles for the first time, cut at each import on the way.

    python forking.py fork [MODULE ...]        fork while a thread begins to import it; none: all that are on the way
    python forking.py interrupt [MODULE ...]   raise in a signal handler there
    python forking.py moment [SECONDS ...]     fork so long after a thread has begun

A line of JSON says how each ended: 0 is right. The process itself compiles nothing: each try is a fork of it, as cold
as it is.
"""

import json
import os
import signal
import sys
import threading
import time

import hybridize
from hybridize import gluon, np
from hybridize.base.loading import LOADING

SECONDS = 20
"""Whoever takes longer hangs."""


def compiled(factor):
    """Compile, run and differentiate something, and open a door that is loaded late."""
    x = np.ones((3, 3))
    x.attach_grad()
    with hybridize.autograd.record():
        y = hybridize.hybridize(lambda x: np.tanh(x) * factor @ x)(x)
    y.backward()
    return y.shape == (3, 3) and x.grad.shape == (3, 3) and gluon.Trainer.__name__ == "Trainer"


def at_import(module, call):
    """Call when this process begins to import a module."""
    called = []

    def hook(event, args):
        if event == "import" and args[0] == module and not called:
            called.append(True)
            call()

    sys.addaudithook(hook)


def imports():
    """Return the names of the modules that the first compilation begins to import."""
    reading, writing = os.pipe()
    if not os.fork():
        names = {}
        sys.addaudithook(lambda event, args: names.setdefault(args[0]) if event == "import" else None)
        compiled(1.0)
        with os.fdopen(writing, "w") as file:
            json.dump([*names], file)
            file.flush()
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as file:
        names = json.load(file)
    os.wait()
    return names


def forked(module):
    """Fork while a thread imports a module; 0 if the child compiles."""
    reached = threading.Event()

    def call():
        reached.set()
        time.sleep(0.02)  # in the middle of it

    at_import(module, call)
    threading.Thread(target=compiled, args=(1.0,), daemon=True).start()
    return child_compiles() if reached.wait(SECONDS) else 4


def forked_after(seconds):
    """Fork so long after a thread has begun; 0 if the child compiles."""
    threading.Thread(target=compiled, args=(1.0,), daemon=True).start()
    time.sleep(float(seconds))
    return child_compiles()


def child_compiles():
    """Fork; 0 if the child compiles."""
    child = os.fork()
    if not child:
        status = 1
        try:
            signal.alarm(SECONDS)
            status = not compiled(2.0)
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


class Alarm(BaseException):
    """The user's own."""


def interrupted(module):
    """Raise in a signal handler while a module is imported; 0 if that is heard, and what comes afterwards works."""

    def handler(*_):
        raise Alarm

    signal.signal(signal.SIGUSR1, handler)
    signal.alarm(SECONDS)
    at_import(module, lambda: signal.raise_signal(signal.SIGUSR1))
    try:
        compiled(1.0)
        return 1  # nobody heard
    except Alarm:
        pass
    free = []

    def enter():
        free.append(LOADING.acquire(timeout=1))
        LOADING.release()

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    return 0 if free == [True] and compiled(2.0) else 2


def outcome(function, at):
    """Return the exit status of a process that calls a function: 0 for right, negative for a signal."""
    child = os.fork()
    if not child:
        status = 3
        try:
            status = function(at)
        finally:
            os._exit(status & 0xFF)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main(kind, *places):
    """Try each of the places, or all imports."""
    function = {"fork": forked, "interrupt": interrupted, "moment": forked_after}[kind]
    print(json.dumps({at: outcome(function, at) for at in places or imports()}))


main(*sys.argv[1:])
