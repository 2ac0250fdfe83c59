"""`x.detach()` inside of programs is what it is imperatively: the same memory, of which nothing is remembered."""

from __future__ import annotations

from itertools import permutations

import pytest

from hybridize import autograd, hybridize, np, npx
from hybridize.errors import StateError
from hybridize.ops.op import ACTIVE


def _array(values):
    return np.array(values, dtype="float64")


def _weights():
    w = _array([1.0, 2.0])
    w.attach_grad()
    return w


def updated_through_it(w, x):
    with autograd.record():
        loss = (w.detach() * w * x).sum()
    loss.backward()
    w.detach()[:] -= 0.1 * w.grad
    return loss, w * 1, w.grad * 1


def made_before(w, x):
    constant = w.detach()
    with autograd.record():
        loss = (w * constant * x).sum()
    loss.backward()
    constant[:] = constant - 0.1 * w.grad
    return loss, w * 1, w.grad * 1


def of_what_is_written_later(w, x):
    with autograd.record():
        h = w * x
        constant = h.detach()
        h += w
        loss = (h * constant).sum()
    loss.backward()
    return loss, w.grad * 1


def of_views(w, x):
    with autograd.record():
        h = w * x
        first, second = h[0].detach(), h.detach()[1]
        h[0] = w[1]
        loss = (h * first * second).sum()
    loss.backward()
    return loss, w.grad * 1


def written_after_the_pass(w, x):
    with autograd.record():
        h = w * x
        constant = h.detach()
        loss = (h * h).sum()
    loss.backward()
    constant[1:] = 7
    return loss, h, constant, constant.grad is None


def of_an_argument(w, x):
    constant = x.detach()
    constant[:] = 3
    with autograd.record():
        constant += 1
        loss = (x * w).sum()
    loss.backward()
    return loss, x * 1


def in_a_branch(w, x):
    with autograd.record():
        h = w * x
        if x.sum() > 6:
            h = h.detach() * h
        loss = h.sum()
    loss.backward()
    return loss, w.grad * 1


@pytest.mark.parametrize(
    "step",
    [
        updated_through_it, made_before, of_what_is_written_later, of_views, written_after_the_pass, of_an_argument,
        in_a_branch,
    ],
)  # fmt: skip
def test_steps(step):
    results = []
    for run in (step, hybridize(step)):
        w = _weights()
        rounds = [run(w, _array([3.0, 4.0])), run(w, _array([1.0, 4.0]))]
        results.append([[x.tolist() if isinstance(x, np.ndarray) else x for x in each] for each in rounds])
    assert results[0] == results[1]


def test_results_share_memory():
    w = _weights()

    def views(x):
        with autograd.record():
            h = w * x
        return h, h[0], h.T, h.detach(), h.detach()[::-1], x.detach(), w.detach()

    compiled = hybridize(views)
    for written, read in permutations(range(7), 2):
        results = []
        for run in (views, compiled):
            w[:] = _array([1.0, 2.0])
            x = _array([3.0, 4.0])
            arrays = run(x)
            assert arrays[5] is not x
            assert arrays[6] is not w
            assert arrays[6].grad is None
            arrays[written][...] = 9
            results.append((arrays[read].tolist(), x.tolist(), w.tolist()))
        assert results[0] == results[1]


def test_results_of_a_call_that_is_recorded():
    w = _weights()

    def both(x):
        h = w * x
        return h, h.detach()

    for run in (both, hybridize(both)):
        with autograd.record():
            h, constant = run(_array([3.0, 4.0]))
            loss = (h * constant).sum()
        loss.backward()
        assert w.grad.tolist() == [9.0, 32.0]
        with autograd.record():
            _, constant = run(_array([3.0, 4.0]))
            with pytest.raises(StateError, match="E540"):
                constant.sum().backward()


@pytest.mark.parametrize("value", ["number", "history"])
def test_a_recorded_write_through_it_is_refused(value):
    w = _weights()

    @hybridize
    def step(x):
        with autograd.record():
            h = w * x
            h.detach()[:] = 5 if value == "number" else w
            loss = (h * w).sum()
        loss.backward()
        return loss

    with pytest.raises(StateError, match=r"E544.*detach"):
        step(_array([3.0, 4.0]))


@pytest.mark.parametrize("careful", [False, True])
def test_stopped_values_are_copies(careful):
    ACTIVE.extend([None] * careful)  # as while another thread writes in place
    try:
        stopped_values_are_copies()
    finally:
        del ACTIVE[len(ACTIVE) - careful :]


def stopped_values_are_copies():
    def stopped(x):
        y = npx.stop_gradient(x)
        y[:] = 1
        return x + y

    x = _array([3.0, 4.0])
    assert hybridize(stopped)(x).tolist() == stopped(x).tolist() == [4.0, 5.0]
