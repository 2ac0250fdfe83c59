"""Weights that one thread writes are seen whole by the others: as they were before, or after, never half."""

import threading
import time

import pytest

from hybridize import autograd, gluon, hybridize, np
from hybridize.gluon import nn

SIZE = 1024
"""A weight of [SIZE, SIZE] takes so long to write and to read that threads switch in the middle."""
TIMES = 30
LIMIT = 20.0
"""Seconds in which all have been at it TIMES times, however slow the machine: else somebody starves."""


def mixed(read, write, readers=2):
    """Run `write(k)` in one thread and `read()` in others, each TIMES times at least; return what was read half."""
    start, found, errors = time.monotonic(), [], []
    counts = [0] * (readers + 1)

    def repeat(number, work):
        try:
            while min(counts) < TIMES and not errors and not found:
                assert time.monotonic() - start < LIMIT, f"somebody starves: {counts}"
                values = work(counts[number])
                if values is not None and values.min() != values.max():
                    found.append((values.min(), values.max()))
                counts[number] += 1
        except BaseException as error:
            errors.append(error)

    work = [write, *[lambda _: read()] * readers]
    threads = [threading.Thread(target=repeat, args=pair) for pair in enumerate(work)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT + 10)
    assert not any(thread.is_alive() for thread in threads), "a thread hangs"
    if errors:
        raise errors[0]
    return found


def dense():
    net = nn.Dense(SIZE, in_units=SIZE, use_bias=False)
    net.initialize("ones")
    return net


# ------------------------------------------------------------------------------------------------------ who reads


def hybridized_block(net):
    other = nn.HybridSequential()
    other.add(net)
    other.hybridize()
    x = np.ones((8, SIZE))
    return lambda: other(x).asnumpy()


def closure(net):
    weight = net.weight.data()
    function = hybridize(lambda x: (weight * x).sum(1) + weight[0, 0] * 0)
    x = np.ones((SIZE,))
    return lambda: function(x).asnumpy()


READERS = [hybridized_block, closure]

# ------------------------------------------------------------------------------------------------------ who writes


def set_data(net, _):
    values = [np.full((SIZE, SIZE), float(k)) for k in range(4)]
    return lambda k: net.weight.set_data(values[k % 4])


def assignment(net, _):
    def write(k):
        net.weight.data()[:] = float(k % 4)

    return write


def in_place_add(net, _):
    weight = net.weight.data()
    one = np.ones((SIZE, SIZE))

    def write(_):
        nonlocal weight
        weight += one

    return write


def load_parameters(net, tmp_path):
    other = dense()
    for k in range(2):
        other.weight.set_data(np.full((SIZE, SIZE), float(k)))
        other.save_parameters(str(tmp_path / f"{k}.params"))
    return lambda k: net.load_parameters(str(tmp_path / f"{k % 2}.params"))


def trainer_step(net, _):
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1.0})
    with autograd.record():
        loss = net(np.ones((1, SIZE))).sum()
    loss.backward()

    def write(_):
        net.weight.data()._traced.variable.fresh = True
        trainer.step(1)

    return write


def compiled_write(net, _):
    weight = net.weight.data()

    @hybridize
    def write(x):
        weight[:] = weight + x

    return lambda _: write(np.ones((1,)))


def compiled_step(net, _):
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1.0})

    @hybridize
    def step(x):
        with autograd.record():
            loss = net(x).sum()
        loss.backward()
        trainer.step(1)

    return lambda _: step(np.ones((1, SIZE)))


WRITERS = [set_data, assignment, in_place_add, load_parameters, trainer_step, compiled_write, compiled_step]


@pytest.mark.parametrize("writer", WRITERS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("reader", READERS, ids=lambda one: one.__name__)
def test_weights_are_seen_whole(reader, writer, tmp_path):
    net = dense()
    read, write = reader(net), writer(net, tmp_path)
    for k in range(3):  # compiled, called by their entries
        read()
        write(k)
    assert mixed(read, write) == []
