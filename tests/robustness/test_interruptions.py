"""Exceptions that signal handlers raise, of any class, reach the user from wherever they come, and the next call works.

A signal is raised at the first call of functions of the package, one after the other, while a call captures and compiles.
"""

import _signal
import functools
import signal
import sys

import numpy
import pytest

import hybridize
from hybridize import autograd, compiler, gluon, np
from hybridize.base.locations import PACKAGE
from hybridize.base.modes import BUSY, THREAD
from hybridize.capture import function as capturing
from hybridize.compiler import folder
from hybridize.gluon import nn
from hybridize.system import posix
from hybridize.system.interruptions import is_asynchronous, let_through, suppress

pytestmark = [
    pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="no signals of the user's own"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(autouse=True)
def modes_as_before():
    """A signal at the entry of an `__exit__` leaves its block's mode behind, as Python has it: no other test meets it."""
    depth, recording, training, disabled = THREAD.depth, THREAD.recording, THREAD.training, THREAD.disabled
    yield
    BUSY[0] -= THREAD.depth - depth
    THREAD.depth, THREAD.recording, THREAD.training, THREAD.disabled = depth, recording, training, disabled


class Alarm(Exception):
    """The user's own."""


class _Injection:
    """A profile function that raises a signal at the first call of the function of some number."""

    def __init__(self, place):
        self.place, self.codes, self.fired = place, {}, False

    def __call__(self, frame, event, _):
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(PACKAGE) or code in self.codes:
            return
        if code.co_name == "__del__":  # of the garbage collector's, which drops exceptions
            return
        self.codes[code] = len(self.codes)
        if len(self.codes) - 1 == self.place:
            self.fired = True
            signal.raise_signal(signal.SIGUSR1)


def interrupted(call, place):
    """Call, with a signal at one place; returns the injection."""
    injection = _Injection(place)
    sys.setprofile(injection)
    try:
        call()
    finally:
        sys.setprofile(None)
    return injection


def scaled(x, y):
    """Sizes that were seen to differ, a branch on data, a number from outside."""
    total = np.tanh(x @ y) * FACTOR
    if total.sum() > 0:
        total = total - x.shape[0]
    return total, x[::2]


FACTOR = 2.0


def sizes():
    fast = hybridize.hybridize(scaled)
    fast(np.ones((3, 4)), np.ones((4, 2)))
    arguments = np.ones((6, 4)), np.ones((4, 2))
    return lambda: fast(*arguments), lambda: scaled(*arguments)


def counted():
    """A program that keeps state and reads a number that was replaced."""
    state = {"count": np.zeros(3), "rate": 0.5}

    def function(x):
        state["count"] = state["count"] + x * state["rate"]
        return state["count"] * 1

    fast = hybridize.hybridize(function)
    fast(np.ones(3))
    state["rate"] = 0.25
    before = state["count"]

    def expected():
        state["count"] = before
        return function(np.ones(3))

    def call():
        state["count"] = before
        return fast(np.ones(3))

    return call, expected


def gradients():
    fast = hybridize.hybridize(scaled)
    x, y = np.ones((3, 4)), np.ones((4, 2))
    fast(x, y)

    def gradient(function):
        x = np.ones((5, 4))
        x.attach_grad()
        with autograd.record():
            loss = function(x, y)[0].sum()
        loss.backward()
        return loss, x.grad

    return lambda: gradient(fast), lambda: gradient(scaled)


def training():
    """A whole step, captured anew for another number of rows; what is compared is where one step leads."""

    def made():
        net = nn.Dense(2, in_units=3)
        net.initialize(init="ones")
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})

        def step(x):
            with autograd.record():
                loss = (net(x) ** 2).mean()
            loss.backward()
            trainer.step(1)
            return loss

        return net, step

    def run(net, step):
        net.weight.set_data(np.ones((2, 3)))
        net.bias.set_data(np.zeros(2))
        return step(np.ones((4, 3))), net.weight.data() * 1

    net, step = made()
    fast = hybridize.hybridize(step)
    fast(np.ones((3, 3)))
    return functools.partial(run, net, fast), functools.partial(run, *made())


SCENES = [sizes, counted, gradients, training]


ERRORS = Alarm, TimeoutError, ValueError
"""`TimeoutError` is an `OSError`, as those of files are."""


def check(scene, places):
    arrived = 0

    def raising(signum, frame):
        raise ERRORS[arrived % len(ERRORS)]

    before = signal.signal(signal.SIGUSR1, raising)
    try:
        for place in places:
            compiler.cache_clear()
            call, expected = scene()
            try:
                injection = interrupted(call, place)
            except ERRORS[arrived % len(ERRORS)]:
                arrived += 1
            else:
                assert not injection.fired, f"swallowed in {list(injection.codes)[place]}"
                break
            for found, wanted in zip(call(), expected(), strict=True):
                numpy.testing.assert_allclose(found.asnumpy(), wanted.asnumpy(), rtol=1e-5)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert arrived > 1


@pytest.mark.parametrize("scene", SCENES)
def test_what_a_handler_raises_arrives(scene):
    check(scene, range(17 * SCENES.index(scene), 10_000, 233))


@pytest.mark.long
@pytest.mark.parametrize("scene", SCENES)
def test_what_a_handler_raises_arrives_from_everywhere(scene):
    check(scene, range(10_000))


@pytest.mark.parametrize("scene", SCENES[:2])
def test_what_the_function_raises_is_an_answer_still(scene, monkeypatch):
    """With sizes that are symbols, or with numbers read anew, it may raise what it never does otherwise."""
    call, expected = scene()
    seen = []

    def failing(*args, scope=None, changing=None, **kwargs):
        seen.append(scope or changing)
        if seen[-1]:
            raise Alarm
        return capture(*args, scope=scope, changing=changing, **kwargs)

    capture = capturing.capture
    monkeypatch.setattr(capturing, "capture", failing)
    for found, wanted in zip(call(), expected(), strict=True):
        numpy.testing.assert_allclose(found.asnumpy(), wanted.asnumpy(), rtol=1e-5)
    assert len(seen) == 2 and seen[0] and not seen[1]


# ------------------------------------------------------------------------------------------------------ handlers


def plain(signum, frame):
    raise Alarm


def deleting(signum, frame):
    del signum, frame
    raise Alarm


class Handler:
    def method(self, signum, frame):
        self.deeper()

    def deeper(self):
        raise Alarm

    def __call__(self, *args):
        raise Alarm


@pytest.mark.parametrize(
    "handler",
    [
        plain,
        deleting,
        Handler(),
        Handler().method,
        functools.partial(lambda x, s, f: plain(s, f), 1),
        functools.wraps(deleting)(lambda *args: deleting(*args)),
        lambda s, f=None: {}[s],
        lambda *args: 1 / 0,
    ],
)
def test_handlers_of_all_kinds_are_known(handler):
    before = signal.signal(signal.SIGUSR1, handler)
    try:
        with pytest.raises((Alarm, KeyError, ZeroDivisionError)) as caught, suppress(Alarm, KeyError, ArithmeticError):
            signal.raise_signal(signal.SIGUSR1)
        assert is_asynchronous(caught.value)
        with pytest.raises(type(caught.value)):
            let_through(caught.value)
        error = RuntimeError()
        error.__cause__ = caught.value
        assert is_asynchronous(error)
    finally:
        signal.signal(signal.SIGUSR1, before)


def looking(number, frame):
    raise Alarm


@pytest.mark.parametrize(
    "function",
    [lambda: {}[0], lambda: plain(1, None), lambda: looking("a", sys._getframe()), lambda: looking(0, sys._getframe())],
)
def test_other_exceptions_are_not(function):
    with pytest.raises((KeyError, Alarm)) as caught:
        function()
    assert not is_asynchronous(caught.value)
    let_through(caught.value)


def test_handlers_are_asked_for_once_a_traceback(monkeypatch):
    """Not once a frame: a function that calls itself leaves thousands, and is looked at from each of its branches."""
    asked, getsignal = [], _signal.getsignal
    monkeypatch.setattr(_signal, "getsignal", lambda number: asked.append(number) or getsignal(number))

    def deep(count):
        return deep(count - 1) if count else 1 / 0

    with pytest.raises(ZeroDivisionError) as caught:
        deep(300)
    assert not is_asynchronous(caught.value)
    assert asked == list(range(1, _signal.NSIG))


def test_what_guards_of_a_call_meet_arrives():
    """Guards are checked by machine code, which asks Python for some; an interruption there is no answer either."""
    box = {"scale": 2.0, "other": 1.0}
    function = hybridize.hybridize(lambda x: x * len(box))
    x = np.ones(3)
    for _ in range(3):
        function(x)

    def interrupt(frame, event, _):
        if event == "call" and frame.f_code.co_name == "made":
            sys.setprofile(None)
            signal.raise_signal(signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, plain)
    try:
        sys.setprofile(interrupt)
        with pytest.raises(Alarm):
            function(x)
    finally:
        sys.setprofile(None)
        signal.signal(signal.SIGUSR1, before)
    assert float(function(x).sum()) == 6
    assert function.cache_info().programs == 1


@pytest.mark.parametrize("method", ["read", "write", "entries", "clear"])
def test_alarms_while_the_cache_folder_is_used(method, tmp_path, monkeypatch):
    """`TimeoutError` is an `OSError`, of which this folder thinks nothing."""
    kept = folder.Folder(str(tmp_path), 1 << 20)
    assert kept.write("a", b"content")

    def raising(*args, **kwargs):
        signal.raise_signal(signal.SIGUSR1)

    def alarm(signum, frame):
        raise TimeoutError

    before = signal.signal(signal.SIGUSR1, alarm)
    monkeypatch.setattr(posix, "is_foreign", raising)
    try:
        with pytest.raises(TimeoutError):
            getattr(kept, method)(*{"read": ("a",), "write": ("b", b"more")}.get(method, ()))
    finally:
        signal.signal(signal.SIGUSR1, before)
    monkeypatch.undo()
    assert kept.read("a") == b"content"
