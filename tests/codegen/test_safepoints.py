# SPDX-License-Identifier: Apache-2.0
"""Loops that last: they end when a signal's handler raises; those that data ends also at the first error, at every depth."""

import faulthandler
import signal
import threading
import time

import numpy
import pytest

from hybridize import autograd, hybridize, np, npx
from hybridize.runtime.plan import turns_between_looks
from tests.platforms.marks import signals
from tests.platforms.pace import SLOWER


@pytest.fixture(autouse=True)
def _end_a_hang():
    faulthandler.dump_traceback_later(120, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


def index_of_the_condition(x):
    i = 0
    while x[i] > 0:
        i += 1
    return i


def index_of_the_body(x):
    i = 0
    total = x[0] * 0
    while total < 100:
        total = total + x[i] * 0
        i += 1
    return i


def written_index(x):
    i = 0
    while x.sum() > 0:
        x[i] = 5
        i += 1
    return x


def negative_index(x):
    i = 2
    while x[i] > 0:
        i -= 1
    return i


def asserted(x):
    while x.sum() > 0:
        npx.assert_(x.sum() < 3, "too large")  # noqa: PT009
    return x


def asserted_by_python(x):
    k = 0
    while x.sum() > 0:
        k += 1
        assert k < 3, "k"
    return x


def raised(x):
    k = 0
    while x.sum() > 0:
        k += 1
        if k > 3:
            raise ValueError("k")
    return x


def singular(x):
    matrix = np.zeros((2, 2))
    while x.sum() > 0:
        matrix = np.linalg.inv(matrix) * 0
    return matrix


def divided_by_zero(x):
    n = int(x.sum())
    while x.sum() > 0:
        n = n - 1
        x = x + 0 * (5 // n)
    return x


def within_a_for(x):
    total = 0.0
    for row in range(x.shape[0]):
        i = 0
        while x[i] > row - 1:
            total = total + x[i]
            i = i + 1
    return total


def within_a_while(x):
    n = 0
    while x.sum() > 0:
        i = 0
        while x[i] > 0:
            i = i + 1
        n = n + 1
    return n


def within_a_branch(x):
    n = 0
    while x.sum() > 0:
        if n > 2:
            n = n + int(x[n])
        n = n + 1
    return n


def before_an_endless_one(x):
    y = x[int(x.sum())]
    while y * 0 + x.sum() > 0:
        x = np.sin(x) + 1
    return x


FAILING = [
    index_of_the_condition, index_of_the_body, written_index, negative_index, asserted, asserted_by_python, raised,
    singular, divided_by_zero, within_a_for, within_a_while, within_a_branch, before_an_endless_one,
]  # fmt: skip


def _word(error):
    """Its code, or its first line; pytest adds others to those of `assert`. NumPy's own LinAlgError has no code."""
    if isinstance(error, numpy.linalg.LinAlgError):
        return "LinAlgError"
    return str(error).split(":")[0].split("\n")[0]


@pytest.mark.parametrize("function", FAILING, ids=lambda function: function.__name__)
def test_a_loop_ends_at_its_first_error(function):
    with pytest.raises(Exception) as expected:
        function(np.ones(3))
    compiled = hybridize(function)
    for _ in range(3):  # the first call, the one that makes the entry, and by the entry
        x = np.ones(3)
        with pytest.raises(type(expected.value)) as found:
            compiled(x)
        assert _word(found.value) == _word(expected.value)
        assert (x.asnumpy() == 1).all()


def test_a_call_after_one_that_failed_is_right():
    compiled = hybridize(index_of_the_condition)
    for _ in range(3):
        with pytest.raises(IndexError):
            compiled(np.ones(3))
        assert compiled(np.array([1.0, 1.0, 0.0])) == 2


def endless(x):
    while x.sum() > -1:
        x = np.sin(x) + 1
    return x


def endless_within_short_ones(x):
    while x.sum() > -1:
        k = 0
        while x.sum() < 5 and k < 10:
            x = x + 1
            k = k + 1
        x = np.sin(x) + 1
    return x


def endless_within_a_for(x):
    total = x
    for k in range(100):
        y = x[k % 3]
        while y > -1:
            y = np.sin(y) + 1
        total = total + y
    return total


def endless_with_effects(x):
    while x.sum() > -1:
        npx.assert_(x.sum() > -2, "never")  # noqa: PT009
        x = np.sin(x) + 1
    return x


class Interrupted(Exception):
    """Raised by the handler of an alarm."""


def _interrupted(call):
    """Call a function for which signals come after a while, an alarm's, whose handler raises.

    Several: what is raised while Python imports a module, or LLVM calls back, is lost.
    """
    if not hasattr(signal, "setitimer"):
        pytest.skip("this system has no signals that interrupt")

    def handler(number, frame):
        raise Interrupted

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2, 1)
        with pytest.raises(Interrupted):
            call()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


ENDLESS = [endless, endless_within_short_ones, endless_within_a_for, endless_with_effects]


@pytest.mark.parametrize("function", ENDLESS, ids=lambda function: function.__name__)
def test_a_signal_interrupts_a_loop(function):
    limit = np.array([-9.0, -9.0, -9.0])
    compiled = hybridize(function)
    if function is not endless_within_a_for:
        compiled(limit)  # ends at once: the program is there
    for _ in range(3):
        _interrupted(lambda: compiled(np.ones(3)))


def of_known_length(x):
    for _ in range(100_000_000):
        x = np.sin(x) + 1
    return x


def with_a_loop_in_it(x):
    for _ in range(3_000_000):
        for row in np.ones((100, 3)):
            x = np.sin(x) + row
    return x


def of_heavy_turns(x):
    y = np.ones((300, 300))
    for _ in range(1_000_000):
        y = np.dot(y, y) * x[0]
    return y


LASTING = [of_known_length, with_a_loop_in_it, of_heavy_turns]


@pytest.mark.parametrize("function", LASTING, ids=lambda function: function.__name__)
def test_a_signal_interrupts_a_loop_of_many_turns(function):
    compiled = hybridize(function)
    if function is not of_heavy_turns:
        steps = compiled.program(np.ones(3))._runs.executable.plan.steps
        assert {step.kind for step in steps} == {"region"}, "what is interrupted is no loop of Python's"
    for call in range(3):
        begin = time.thread_time()  # a busy machine does not lengthen it
        _interrupted(lambda: compiled(np.ones(3)))
        # The first two compile: LLVM ends what it does.
        assert call < 2 or time.thread_time() - begin < 0.7 * SLOWER


def epoch_of():
    """A whole epoch as one program: gradient descent and momentum over rows, and state before and after the loop."""
    w, momentum, before, after = np.full((64, 64), 0.01), np.zeros((64, 64)), np.zeros(2), np.zeros(2)
    w.attach_grad()

    @hybridize
    def epoch(rows):
        before[...] = before + 1
        total = 0.0
        for row in rows:
            with autograd.record():
                loss = (np.dot(w, w).mean() * row - 1) ** 2
            loss.backward()
            momentum[...] = momentum * 0.9 + w.grad
            w[...] = w - 0.001 * momentum
            total = total + loss
        after[...] = after + total
        return total

    return epoch, (w, momentum, before, after)


def test_an_interrupted_epoch_leaves_what_was_before_it():
    few, many = np.ones(20), np.ones(3_000_000)
    epoch, state = epoch_of()
    for _ in range(3):
        epoch(few)
        epoch(few[:18])
    for _ in range(3):
        expected = [one.asnumpy().copy() for one in state]
        _interrupted(lambda: epoch(many))
        for one, value in zip(state, expected, strict=True):
            numpy.testing.assert_array_equal(one.asnumpy(), value)
        epoch(few)
        assert state[2].asnumpy()[0] == expected[2][0] + 1 and numpy.isfinite(state[0].asnumpy()).all()


def test_an_epoch_that_ends_by_itself_is_what_python_computes():
    rows = np.random.uniform(0, 1, (50,))
    (compiled, state), (other, others) = epoch_of(), epoch_of()
    for _ in range(3):
        numpy.testing.assert_allclose(compiled(rows).asnumpy(), other.__wrapped__(rows).asnumpy(), rtol=1e-5)
    for one, value in zip(state, others, strict=True):
        numpy.testing.assert_allclose(one.asnumpy(), value.asnumpy(), rtol=1e-5)


def test_loops_that_are_soon_over_have_no_safepoints_and_write_in_place():
    """So costs nothing where nobody could interrupt anything: a recurrent layer's step, say."""
    w, h = np.ones(3), np.zeros(3)

    @hybridize
    def step(x):
        y = h
        for row in x:
            y = np.tanh(y + row)
        w[...] = w + y
        return y

    x = np.ones((30, 3))
    step(x)
    executable = step.program(x)._runs.executable
    assert executable.plan.updates and not executable.effects
    assert turns_between_looks(30, 100, 100) == 0


def test_a_look_takes_next_to_nothing():
    """Turns of microseconds look once in 256 of them, those of milliseconds each time."""
    assert turns_between_looks(1_000_000, 1600, 4200) == 256
    assert turns_between_looks(1_000_000, 4_000_000, 0) == 4
    assert turns_between_looks(1_000_000, 10**9, 0) == 1


def test_ctrl_c_interrupts_a_loop_that_keeps_the_gil():
    compiled = hybridize(endless)
    for _ in range(3):  # an interrupt that comes while the entry is compiled may be lost in LLVM's callbacks
        compiled(np.array([-9.0, -9.0]))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a worker of pytest-xdist ignores it
    try:
        for _ in range(2):
            timer = threading.Timer(0.2, signal.raise_signal, (signal.SIGINT,))
            timer.start()
            with pytest.raises(KeyboardInterrupt):
                compiled(np.ones(2))
            timer.join()
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_interrupted_call_changes_nothing_outside():
    """State that is written after the loop, by it, and before it; also where it is written in place."""
    after, carried, before = (np.ones(3) for _ in range(3))

    @hybridize
    def step(x):
        before[...] = before * 2
        while x.sum() > -1:
            x = np.sin(x) + 1
            carried[...] = carried + 1
        after[...] = after + x
        return x

    limit = np.array([-9.0, -9.0, -9.0])
    for _ in range(3):
        step(limit)
    numpy.testing.assert_array_equal(before.asnumpy(), 8)
    numpy.testing.assert_array_equal(carried.asnumpy(), 1)
    numpy.testing.assert_array_equal(after.asnumpy(), 1 - 3 * 9)
    for _ in range(3):
        _interrupted(lambda: step(np.ones(3)))
        numpy.testing.assert_array_equal(before.asnumpy(), 8)
        numpy.testing.assert_array_equal(carried.asnumpy(), 1)
        numpy.testing.assert_array_equal(after.asnumpy(), 1 - 3 * 9)
    step(limit)
    numpy.testing.assert_array_equal(after.asnumpy(), 1 - 4 * 9)


def test_what_a_loop_made_is_written_in_place():
    w = np.ones(3)

    @hybridize
    def step(x):
        while x.sum() > 1:
            x = x / 2
        w[...] = w + x

    step(np.ones(3))
    assert step.program(np.ones(3))._runs.executable.plan.updates


@signals
def test_a_handler_may_write_arrays():
    """It is Python: a loop that it has interrupted is no reader of memory meanwhile."""
    w, compiled = np.zeros(1000), hybridize(endless)
    compiled(np.array([-9.0, -9.0]))

    def handler(number, frame):
        w[:] = 1
        raise Interrupted

    previous = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(Interrupted):
            compiled(np.ones(2))
    finally:
        signal.signal(signal.SIGALRM, previous)
    assert (w.asnumpy() == 1).all()


def test_other_threads_write_beside_an_endless_loop():
    """A large write waits for readers to leave; a loop without end lets it through."""
    w, compiled = np.zeros(1000), hybridize(endless)
    compiled(np.array([-9.0, -9.0]))
    thread = threading.Thread(target=lambda: w.__setitem__(slice(None), 1))
    threading.Timer(0.05, thread.start).start()
    _interrupted(lambda: compiled(np.ones(2)))
    thread.join()
    assert (w.asnumpy() == 1).all()
