"""State that a compiled call writes where it lies: what is seen of it, and the memory that a call takes."""

from __future__ import annotations

import threading
import tracemalloc

import numpy
import pytest

from hybridize import autograd, gluon, hybridize, np, npx
from hybridize.array.storage import Storage
from hybridize.gluon import nn
from hybridize.programs.donation import donated
from tests.refusals import refusal

MIB = 1 << 20


def _state(*shape: int, seed: int = 0) -> np.ndarray:
    return np.array(numpy.random.default_rng(seed).standard_normal(shape), dtype="float32")


def _updates(function, *args) -> int:
    """How many outputs of its program take the place of an input."""
    return len(function.program(*args)._runs.executable.plan.updates)


def test_a_state_is_written_where_it_lies():
    w, start = _state(100, 30), _state(100, 30).asnumpy()
    x = _state(100, 30, seed=1)
    address = w._data.ctypes.data

    @hybridize
    def step(x):
        w[...] = w * 0.5 + x
        return w.sum()

    expected = start
    for _ in range(4):
        total = step(x)
        expected = expected * numpy.float32(0.5) + x.asnumpy()
        numpy.testing.assert_array_equal(w.asnumpy(), expected)
        numpy.testing.assert_allclose(float(total), expected.sum(dtype="f8"), rtol=1e-5, atol=1e-4)
    assert w._data.ctypes.data == address
    assert _updates(step, x) == 1


@pytest.mark.parametrize("way", ["entry", "nested"])
def test_a_call_takes_no_memory_for_its_state(way):
    """By the entry, and by Python where arguments are nested; NumPy tells tracemalloc of its arrays."""
    w, g, m = (_state(MIB, seed=k) for k in range(3))
    x = _state(MIB, seed=3)

    @hybridize
    def step(x):
        g[...] = x * 2 if way == "entry" else x[0] * 2
        m[...] = 0.9 * m + g
        w[...] = w - 0.1 * m
        return g[0]

    argument = x if way == "entry" else [x]
    for _ in range(3):
        step(argument)
    tracemalloc.start()
    try:
        for _ in range(3):
            step(argument)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < MIB // 4
    assert step.program(argument).memory.peak_bytes < MIB // 4
    assert _updates(step, argument) == 3


def test_a_training_step_takes_memory_for_activations_alone():
    net = nn.HybridSequential()
    net.add(nn.Dense(256, activation="relu", in_units=512), nn.Dense(10, in_units=256))
    net.initialize()
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
    x, y = _state(8, 512), np.array([0, 1, 2, 3, 4, 5, 6, 7], dtype="int32")

    @hybridize
    def step(x, y):
        with autograd.record():
            loss = loss_of(net(x), y)
        loss.backward()
        trainer.step(len(x))
        return loss.mean()

    step(x, y)
    count = sum(parameter.data().size for parameter in net.collect_params().values())
    assert _updates(step, x, y) == 4 * 4  # weight, gradient, mean and mean square, of four parameters
    assert step.program(x, y).memory.peak_bytes < 4 * count // 4


@pytest.mark.parametrize("options", [{}, {"verify": "outputs"}, {"verify": "ops"}, {"backend": "numpy"}])
def test_every_backend_gives_the_same_state(options):
    w, v = _state(16, 16), _state(16, 16, seed=1)

    @hybridize(**options)
    def step(x):
        v[...] = 0.5 * v + w.T @ x
        w[...] = w - 0.1 * v
        return (w @ x).sum()

    a, b = w.asnumpy().astype("f8"), v.asnumpy().astype("f8")
    x = _state(16, 16, seed=2)
    for _ in range(3):
        found = float(step(x))
        b = 0.5 * b + a.T @ x.asnumpy()
        a = a - 0.1 * b
        numpy.testing.assert_allclose(w.asnumpy(), a, rtol=1e-4, atol=1e-4)
        numpy.testing.assert_allclose(v.asnumpy(), b, rtol=1e-4, atol=1e-4)
        numpy.testing.assert_allclose(found, (a @ x.asnumpy()).sum(), rtol=1e-3)


def test_states_that_change_places_or_move_their_elements():
    a, b = _state(50), _state(50, seed=1)
    first, second = a.asnumpy(), b.asnumpy()

    @hybridize
    def step():
        old = a.copy()
        a[...] = b[::-1]
        b[...] = old

    for _ in range(3):
        step()
        first, second = second[::-1].copy(), first
        numpy.testing.assert_array_equal(a.asnumpy(), first)
        numpy.testing.assert_array_equal(b.asnumpy(), second)


def test_what_is_returned_is_apart_from_the_state():
    w = _state(64)

    @hybridize
    def step(x):
        w[...] += x
        return w.copy(), w * 1, w

    x = np.ones(64)
    kept, also, same = step(x)
    before = kept.asnumpy()
    step(x)
    numpy.testing.assert_array_equal(kept.asnumpy(), before)
    numpy.testing.assert_array_equal(also.asnumpy(), before)
    numpy.testing.assert_allclose(same.asnumpy(), before + 1, rtol=1e-6)
    assert same is w or numpy.shares_memory(same._data, w._data)


def test_a_state_among_the_arguments():
    w = _state(32)
    start = w.asnumpy()

    @hybridize
    def step(x):
        w[...] = w - 0.5 * x
        return x * 2

    step(np.ones(32))
    doubled = step(w)
    numpy.testing.assert_allclose(w.asnumpy(), (start - 0.5) * 0.5, rtol=1e-6)
    numpy.testing.assert_allclose(doubled.asnumpy(), 2 * w.asnumpy(), rtol=1e-6)


def test_a_state_with_gaps_is_written_too():
    whole = _state(20, 6)
    part = whole[::2, 1:4]
    expected = whole.asnumpy()

    @hybridize
    def step(x):
        part[...] = part * 2 + x
        return part.sum()

    for _ in range(3):
        step(np.ones((10, 3)))
        expected[::2, 1:4] = expected[::2, 1:4] * 2 + 1
        numpy.testing.assert_array_equal(whole.asnumpy(), expected)


def test_arrays_that_overlap_are_not_written_in_place():
    memory = numpy.zeros(100, numpy.float32)
    a, b, c, d = memory[:40], memory[30:60], memory[60:90], numpy.zeros(10, numpy.float32)
    pairs = [(k, k) for k in range(4)]
    assert list(donated(pairs, [a, b, c, d])) == [2, 3]
    assert list(donated(pairs, [memory, b, c, d])) == [3]
    assert list(donated(pairs, [c, d, memory[59:61], a])) == [1, 3]
    assert list(donated(pairs, [a, a, c, d])) == [2, 3]
    assert list(donated(pairs, [memory[::2], c, d, memory[:0]])) == [2, 3]
    frozen = d.copy()
    frozen.setflags(write=False)
    assert list(donated(pairs, [frozen, c, d.astype("f8")[::2], a])) == [1, 3]


def test_copies_of_weights_see_every_step():
    """A net that is called between steps reads packed copies of its weights."""
    net = nn.Dense(48, in_units=64, use_bias=False)
    net.initialize()
    net.hybridize()
    x = _state(32, 64)
    weight = net.weight

    @hybridize
    def step(x):
        with autograd.record():
            y = (net(x) ** 2).sum()
        y.backward()
        weight.data()[...] -= 1e-3 * weight.grad()
        return y

    for _ in range(4):
        step(x)
        expected = x.asnumpy() @ weight.data().asnumpy().T
        numpy.testing.assert_allclose(net(x).asnumpy(), expected, rtol=1e-4, atol=1e-4)


def test_a_loop_over_a_state():
    w = _state(12)
    expected = w.asnumpy().astype("f8")

    @hybridize
    def step(xs):
        total = np.zeros(12)
        state = w
        for x in xs:
            total = total + x * state
            state = state * 0.5 + x
        w[...] = state
        return total

    xs = _state(5, 12, seed=3)
    for _ in range(3):
        found, total = step(xs), numpy.zeros(12)
        for x in xs.asnumpy():
            total += x * expected
            expected = expected * 0.5 + x
        numpy.testing.assert_allclose(found.asnumpy(), total, rtol=1e-4, atol=1e-5)
        numpy.testing.assert_allclose(w.asnumpy(), expected, rtol=1e-4, atol=1e-5)


def test_nothing_is_written_where_a_program_asserts():
    w = _state(10)
    start = w.asnumpy()

    @hybridize
    def step(x):
        w[...] = w + x
        npx.assert_(w.sum() < 1000, "too large")  # noqa: PT009
        return w.sum()

    step(np.zeros(10))
    with refusal(AssertionError, "too large"):
        step(np.full(10, 1e6))
    numpy.testing.assert_array_equal(w.asnumpy(), start)
    assert _updates(step, np.zeros(10)) == 0


def test_threads_lose_no_update_of_a_large_state():
    w, count = np.zeros(MIB, dtype="float32"), 25

    @hybridize
    def step(x):
        w[...] = w + x
        return w[0]

    one = np.ones(MIB, dtype="float32")
    step(one)
    threads = [threading.Thread(target=lambda: [step(one) for _ in range(count)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    numpy.testing.assert_array_equal(w.asnumpy(), 1 + 4 * count)


def test_copies_are_renewed_after_an_interruption(monkeypatch):
    """Ctrl-C when the program has written its state, and nobody has been told yet."""
    net = nn.Dense(48, in_units=64, use_bias=False)
    net.initialize()
    net.hybridize()
    x, w = _state(32, 64), net.weight.data()

    @hybridize
    def step(x):
        w[...] = w * 2 + x[0, 0]
        return x + 1

    for interrupted in (lambda: step(x), lambda: step.program(x)(x)):
        step(x)
        numpy.testing.assert_allclose(net(x).asnumpy(), x.asnumpy() @ w.asnumpy().T, rtol=1e-4, atol=1e-4)
        net(x)
        before, touch, calls = w.asnumpy(), Storage.touch, []

        def interrupt(storage, touch=touch, calls=calls):
            calls.append(storage)
            if len(calls) == 1:
                raise KeyboardInterrupt
            touch(storage)

        monkeypatch.setattr(Storage, "touch", interrupt)
        with pytest.raises(KeyboardInterrupt):
            interrupted()
        monkeypatch.setattr(Storage, "touch", touch)
        numpy.testing.assert_allclose(w.asnumpy(), before * 2 + x.asnumpy()[0, 0], rtol=1e-5)
        numpy.testing.assert_allclose(net(x).asnumpy(), x.asnumpy() @ w.asnumpy().T, rtol=1e-4, atol=1e-4)
