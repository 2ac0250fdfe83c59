"""Gradients that take the place of a buffer: whoever else has the buffer, or the gradient, sees what a copy would show."""

import gc
import threading
import weakref

import numpy
import pytest

import hybridize
from hybridize import autograd, gluon
from hybridize.array import np

SHAPE = (40, 50)
"""Above what is copied anyway."""


def weight(grad_req="write"):
    w = np.ones(SHAPE)
    w.attach_grad(grad_req)
    return w


def passed(w, factor):
    """A backward pass whose gradient is `factor` everywhere."""
    with autograd.record():
        y = w * factor
    y.backward()
    assert (w.grad.asnumpy() == factor).all()


def test_no_copy_where_nobody_else_has_either():
    w = weight()
    passed(w, 2)
    grad, buffers = w.grad, []
    for factor in (3, 4):
        version = grad.storage.version
        buffers.append(weakref.ref(grad._data))
        passed(w, factor)
        assert grad is w.grad
        assert grad.storage.version > version
        assert buffers[-1]() is None, "the buffer before is there still"


HOLDERS = {
    "a view": lambda grad: grad[1:],
    "an element": lambda grad: grad[3, 4:5],
    "a transposed view": lambda grad: grad.T,
    "a reshaped view of a view": lambda grad: grad[2:].reshape(-1)[5:],
    "NumPy's array": numpy.asarray,
    "a view of NumPy's array": lambda grad: numpy.asarray(grad)[2:],
    "memory": lambda grad: memoryview(numpy.asarray(grad)),
    "DLPack": lambda grad: numpy.from_dlpack(grad),
}


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("before", [0, 1, 3])
def test_whoever_holds_the_buffer_sees_each_gradient(holder, before):
    w = weight()
    for _ in range(before):
        passed(w, 5)
    held = HOLDERS[holder](w.grad)
    for factor in (2, 3):
        passed(w, factor)
        assert (numpy.asarray(held) == factor).all()


def test_buffers_that_are_parts_of_one_see_each_gradient():
    flat = np.zeros((2, *SHAPE))
    ws = [np.ones(SHAPE), np.ones(SHAPE)]
    autograd.mark_variables(ws, [flat[0], flat[1]])
    for factor in (2, 3):
        with autograd.record():
            y = ws[0] * factor + ws[1] * (10 * factor)
        y.backward()
        assert (flat.asnumpy() == numpy.array([factor, 10 * factor]).reshape(2, 1, 1)).all()


def test_one_gradient_of_two_variables_is_not_shared():
    one, other = weight(), weight()
    for _ in range(3):
        with autograd.record():
            y = one + other
        y.backward()
        one.grad[:] = 7
        assert (other.grad.asnumpy() == 1).all()


def test_a_head_gradient_that_arrives_as_it_is_stays_the_users():
    w, head = weight(), np.full(SHAPE, 3.0)
    for _ in range(3):
        with autograd.record():
            y = w.reshape(SHAPE)
        y.backward(head)
        w.grad[:] = 7
        assert (head.asnumpy() == 3).all()


def test_what_a_rule_of_the_user_keeps_stays_its_own():
    kept = []

    class Double(autograd.Function):
        def forward(self, x):
            return x * 2

        def backward(self, g):
            kept.append(g * 2)
            return kept[-1]

    w = weight()
    for _ in range(3):
        with autograd.record():
            y = Double()(w)
        y.backward()
        w.grad[:] = 7
        assert (kept[-1].asnumpy() == 2).all()


def test_sums_stay_where_they_are():
    w = weight("add")
    grad = w.grad
    buffer = grad._data
    for count in (1, 2, 3):
        with autograd.record():
            y = w * 2
        y.backward()
        assert grad._data is buffer
        assert (grad.asnumpy() == 2 * count).all()


def test_a_program_that_reads_or_writes_the_gradient_meets_the_new_one():
    w = weight()
    passed(w, 2)

    @hybridize.hybridize
    def read(x):
        return x + w.grad

    @hybridize.hybridize
    def clip():
        w.grad[:] = np.minimum(w.grad, 3)

    zeros = np.zeros(SHAPE)
    for factor in (2, 3, 5, 2, 6):
        passed(w, factor)
        assert (read(zeros).asnumpy() == factor).all()
        clip()
        assert (w.grad.asnumpy() == min(factor, 3)).all()
        assert (read(zeros).asnumpy() == min(factor, 3)).all()


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
@pytest.mark.parametrize("holds", [False, True])
def test_updates_are_by_the_gradient_of_the_step(optimizer, holds):
    """Imperative steps, beside the same ones with every gradient copied."""
    found = []
    for copies in (False, True):
        net = gluon.nn.Dense(40, in_units=50)
        net.initialize()
        net.weight.set_data(numpy.linspace(-1, 1, 2000).reshape(40, 50))
        trainer = gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 0.1})
        held = []
        for step in range(6):
            x = np.array(numpy.cos(numpy.arange(150) + step).reshape(3, 50), dtype="float32")
            with autograd.record():
                loss = (net(x) ** 2).sum()
            loss.backward()
            if copies:
                held.append(net.weight.grad()[:])
            if holds and step == 3:
                held.append(net.weight.grad()[1:])
            trainer.step(3)
        found.append(net.weight.data().asnumpy())
    numpy.testing.assert_array_equal(*found)


def test_other_threads_see_whole_gradients():
    w = np.ones((300, 300))
    w.attach_grad()
    passed(w, 1)
    stop, wrong = threading.Event(), []

    def look():
        while not stop.is_set():
            values = w.grad.asnumpy()
            total = (w.grad + 0).asnumpy()
            wrong.extend(seen for seen in (values, total) if seen.min() != seen.max())

    threads = [threading.Thread(target=look) for _ in range(2)]
    for thread in threads:
        thread.start()
    for factor in range(2, 150):
        with autograd.record():
            y = w * factor
        y.backward()
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong
    gc.collect()
