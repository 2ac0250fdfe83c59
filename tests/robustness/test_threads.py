"""Many threads on one net or function: first calls, shapes, writes, switches of the mode, exceptions."""

import os
import signal
import threading

import numpy
import pytest

import hybridize
from hybridize import autograd, np
from hybridize.array.storage import STATE
from hybridize.base.errors import HybridizeError
from hybridize.gluon import nn
from tests.platforms.marks import forks

THREADS = 8


def together(work, count=THREADS):
    """Run `work(i)` in threads that start at once; return the results, raise the first exception."""
    barrier = threading.Barrier(count)
    results, errors = [None] * count, []

    def run(i):
        try:
            barrier.wait(30)
            results[i] = work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not any(thread.is_alive() for thread in threads), "a thread hangs"
    if errors:
        raise errors[0]
    return results


def mlp():
    net = nn.HybridSequential()
    net.add(nn.Dense(16, activation="relu"), nn.LayerNorm(), nn.Dense(3))
    net.initialize()
    return net


def reference(net, x):
    with hybridize.disabled():
        return net(x).asnumpy()


def test_first_calls_at_once():
    net = mlp()
    x = np.random.normal(size=(2, 5))
    expected = net(x).asnumpy()
    net.hybridize()
    for result in together(lambda _: net(x).asnumpy()):
        numpy.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)
    assert net.cache_info().captures == 1


def test_first_calls_complete_parameters_once():
    """Shapes of parameters are told by the first input, whichever thread brings it."""
    for compiled in (True, False):
        net = mlp()
        if compiled:
            net.hybridize()
        x = np.random.normal(size=(2, 5))
        results = together(lambda _, net=net, x=x: net(x).asnumpy())
        for result in results:
            numpy.testing.assert_allclose(result, reference(net, x), rtol=1e-5, atol=1e-6)


def test_many_shapes():
    net = mlp()
    inputs = [np.random.normal(size=(n + 1, 5)) for n in range(6)]
    expected = [net(x).asnumpy() for x in inputs]
    net.hybridize()

    def work(i):
        for step in range(200):
            k = (i * 5 + step * (1 + i % 3)) % len(inputs)
            numpy.testing.assert_allclose(net(inputs[k]).asnumpy(), expected[k], rtol=1e-5, atol=1e-6)

    together(work)
    assert net.cache_info().programs <= 3, "the first size, any size, and a batch of one"


def test_writes_to_parameters_while_others_read():
    """Each result is of the weights before or after a write, never of a stale copy later on."""
    net = nn.Dense(64, in_units=64, use_bias=False)
    net.initialize()
    net.hybridize()
    x = np.ones((1, 64))
    weight = net.weight
    weight.set_data(np.ones((64, 64)))
    net(x)
    done = threading.Event()

    def work(i):
        if i == 0:
            for value in range(2, 40):
                weight.data()[...] = float(value)
                numpy.testing.assert_array_equal(net(x).asnumpy(), numpy.full((1, 64), 64.0 * value, "float32"))
            done.set()
            return
        while not done.is_set():
            result = net(x).asnumpy()
            assert result.min() >= 64
            assert result.max() <= 64 * 40

    together(work, 4)


def test_modes_belong_to_their_thread():
    net = nn.HybridSequential()
    net.add(nn.Dropout(0.5))
    net.hybridize()
    x = np.ones((64,))
    net(x)

    def work(i):
        for _ in range(50):
            if i % 2:
                with autograd.train_mode():
                    assert (net(x).asnumpy() == 0).any()
            else:
                assert (net(x).asnumpy() == 1).all()

    together(work)


def test_disabled_belongs_to_its_thread():
    @hybridize.hybridize
    def function(x):
        return x + 1

    x = np.ones((2,))
    function(x)

    def work(i):
        for _ in range(20):
            if i == 0:
                with hybridize.disabled():
                    assert float(function(x)[0]) == 2
            else:
                assert float(function(x)[0]) == 2

    together(work, 4)


def test_errors_in_some_threads_leave_the_others_alone():
    net = mlp()
    x = np.random.normal(size=(2, 5))
    expected = net(x).asnumpy()
    net.hybridize()

    def work(i):
        for _ in range(20):
            if i % 2:
                with pytest.raises(HybridizeError):
                    net(np.ones((2, 7)))
            else:
                numpy.testing.assert_allclose(net(x).asnumpy(), expected, rtol=1e-5, atol=1e-6)

    together(work)


def test_captures_of_different_functions_at_once():
    def work(i):
        @hybridize.hybridize
        def function(x):
            total = x * 0
            for k in range(i + 2):
                total = total + x * k
            if total.sum() > 0:
                return total
            return -total

        x = np.ones((i + 1,))
        expected = sum(range(i + 2))
        for _ in range(20):
            assert (function(x).asnumpy() == expected).all()

    together(work)


def test_nets_are_dropped_while_others_compile():
    def work(i):
        for n in range(3):
            net = nn.Dense(4, in_units=i + 1)
            net.initialize()
            net.hybridize()
            x = np.ones((n + 1, i + 1))
            numpy.testing.assert_allclose(net(x).asnumpy(), reference(net, x), rtol=1e-5, atol=1e-6)

    together(work)


def test_hybridize_and_cache_clear_while_others_call():
    net = mlp()
    x = np.random.normal(size=(2, 5))
    expected = net(x).asnumpy()
    net.hybridize()

    def work(i):
        for _ in range(4 if i == 0 else 60):
            if i == 0:
                net.cache_clear()
                net.hybridize()
            numpy.testing.assert_allclose(net(x).asnumpy(), expected, rtol=1e-5, atol=1e-6)

    together(work, 4)


def test_written_state_is_not_torn():
    """A counter in the state of a function: concurrent calls may lose no memory and raise nothing."""
    counter = np.zeros((1,))

    @hybridize.hybridize
    def count(x):
        counter[...] = counter + x
        return counter * 1

    one = np.ones((1,))
    count(one)
    together(lambda _: [count(one) for _ in range(100)] and None)
    assert 1 < float(counter[0]) <= 1 + 100 * THREADS
    assert float(count(one)[0]) == float(counter[0])


def test_random_draws_in_threads():
    @hybridize.hybridize
    def draw():
        return np.random.uniform(size=(4,))

    draw()
    results = together(lambda _: [draw().asnumpy() for _ in range(50)])
    for result in results:
        for values in result:
            assert (values >= 0).all()
            assert (values < 1).all()


@pytest.mark.parametrize("nested", [False, True])
def test_no_two_threads_draw_the_same(nested):
    """Also where draws are long enough to run without the GIL, by the short and the long way to a program."""

    @hybridize.hybridize
    def draw(scale):
        return np.random.uniform(size=(300000,)) * (scale[0] if nested else scale)

    one = np.ones((1,))
    argument = (one,) if nested else one
    draw(argument)

    def work(i):
        draws = [np.random.uniform(size=(1000,)) if i == 0 else draw(argument) for _ in range(10)]
        return [x.asnumpy()[:4].tobytes() for x in draws]

    drawn = [part for parts in together(work, 4) for part in parts]
    assert len(set(drawn)) == len(drawn)


def test_no_update_of_a_state_is_lost():
    total = np.zeros((200000,))

    @hybridize.hybridize
    def accumulate(x):
        total[...] = total + np.tanh(np.exp(x) * 0) + x
        return x * 1

    x = np.ones((200000,))
    accumulate(x)
    together(lambda _: [accumulate(x) for _ in range(10)] and None, 4)
    assert float(total[0]) == 41
    assert float(total[-1]) == 41


@forks
def test_a_process_that_is_forked_while_a_thread_draws_may_draw():
    """A lock that another thread holds when a process is forked would never be released in the child."""
    held, enough = threading.Event(), threading.Event()

    def hold():
        with STATE:
            held.set()
            enough.wait(0.3)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # ends a child that waits
        np.random.normal(size=(2,))
        os._exit(7)
    enough.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    np.random.normal(size=(2,))
