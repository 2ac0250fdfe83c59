"""Random sequences of calls, reads and writes: asynchronous calls give what calls one after the other give."""

import random
import time

import numpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hybridize
from hybridize import autograd, engine, np, npx
from hybridize import hybridize as compiled
from hybridize.array.pending import QUEUE
from hybridize.errors import HybridizeError

SIZE = 6
W, V = np.zeros((SIZE, SIZE)), np.zeros((SIZE, SIZE))
VIEW, ROW = V.T, W[2]
"""Views from before all calls."""


@compiled
def product(x):
    return np.dot(x, W) / SIZE + V


@compiled
def update(x):
    W[:] = W * 0.5 + x.mean(0)
    V[1] = V[1] + W[0]
    return W.sum(), x - V


@compiled
def write(x):
    x[0] = x[0] + 1
    return x * 2


@compiled
def drop(x):
    return npx.dropout(x, 0.5, mode="always") + np.random.uniform(size=(SIZE, SIZE))


@compiled
def gather(x, i):
    return x[i]


@compiled
def both(x, y):
    return [x + y, (x - y).T, x]


def recorded(x):
    x = x.copy()
    x.attach_grad()
    with autograd.record():
        y = product(x) * ROW
    y.backward()
    return x.grad


arrays = st.integers(0, 3)
"""Numbers of the arrays at hand."""
rows = st.integers(0, SIZE - 1)
steps = st.one_of(
    st.tuples(
        st.sampled_from(["product", "update", "write", "drop", "record", "numpy", "add", "copy", "read", "view"]),
        arrays,
    ),
    st.tuples(st.sampled_from(["both", "assign", "iadd"]), arrays, arrays),
    st.tuples(st.sampled_from(["gather", "put", "row"]), arrays, rows),
    st.tuples(st.sampled_from(["state", "all", "draw", "see", "sleep", "bad"])),
)


def perform(sequence):
    """What is read in a sequence of steps, and all there is at the end."""
    hybridize.random.seed(5)
    ready = numpy.random.default_rng(1)
    W[:] = np.array(ready.normal(size=(SIZE, SIZE)))
    V[:] = np.array(ready.normal(size=(SIZE, SIZE)))
    held = [np.array(ready.normal(size=(SIZE, SIZE)).astype("float32")) for _ in range(4)]
    memory = ready.normal(size=(SIZE, SIZE)).astype("float32")
    log = []
    failed = False
    for k, (name, *numbers) in enumerate(sequence):
        at = numbers[0] if numbers else 0
        new = (at + k) % 4
        x = held[at]
        match name:
            case "product":
                held[new] = product(x)
            case "update":
                log.append(update(x)[0])
            case "write":
                held[new] = write(x)
            case "drop":
                held[new] = drop(x)
            case "record":
                held[new] = recorded(x)
            case "numpy":
                held[new] = product(memory)
                memory += 1  # the user's own, as soon as the call has returned
            case "add":
                held[new] = x * 0.5 + 1
            case "copy":
                held[new] = x.copy()
            case "read":
                log.append(x.asnumpy())
            case "view":
                held[new] = x.T
            case "both":
                held[new], turned, same = both(x, held[numbers[1]])
                log += [turned, same is x]
            case "assign":
                x[:] = held[numbers[1]]
            case "iadd":
                x += held[numbers[1]]
            case "gather":
                log.append(gather(x, np.array([0, numbers[1]])))
            case "put":
                x[numbers[1]] = 0.25
            case "row":
                ROW[numbers[1]] = 1.5
            case "state":
                log += [VIEW.asnumpy(), ROW.tolist()]
            case "all":
                npx.waitall()
            case "draw":
                log.append(np.random.uniform(size=3))
            case "see":
                numpy.asarray(x)[0] = 2
            case "sleep":
                time.sleep(0.001)
            case "bad" if not failed:
                failed = True  # and whatever comes is another test
                with pytest.raises(HybridizeError):
                    gather(x, np.array([SIZE + k])).asnumpy()
    values = [*log, *held, W, V, ROW, VIEW, np.random.uniform(size=2)]
    return [one.asnumpy().tolist() if hasattr(one, "asnumpy") else numpy.asarray(one).tolist() for one in values]


def jittered(monkeypatch):
    """Let programs begin later than they could, by chance."""
    run, chance = QUEUE._run_in_turn, random.Random(3)

    def late(job):
        time.sleep(chance.choice([0, 0, 0.0005, 0.003]))
        run(job)

    monkeypatch.setattr(QUEUE, "_run_in_turn", late)


CHECKS = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]


def check(sequence):
    expected = perform(sequence)
    with engine.asynchronous(pending=5):
        assert perform(sequence) == expected


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=CHECKS)
@given(st.lists(steps, min_size=5, max_size=25))
def test_sequences(monkeypatch_of_all, sequence):
    check(sequence)


@pytest.mark.long
@settings(max_examples=3000, deadline=None, suppress_health_check=CHECKS)
@given(st.lists(steps, max_size=40))
def test_many_sequences(monkeypatch_of_all, sequence):
    check(sequence)


@pytest.fixture
def monkeypatch_of_all(monkeypatch):
    jittered(monkeypatch)
