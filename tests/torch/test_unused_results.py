"""Results that the loss does not use have no part in its gradients: not even at the poles of their functions."""

import itertools

import numpy
import pytest
import torch

from hybridize import autograd, hybridize, np

POLES = {
    "sqrt": (lambda x: x.sqrt(), 0.0),
    "rsqrt": (lambda x: x.rsqrt(), 0.0),
    "log": (lambda x: x.log(), 0.0),
    "log2": (lambda x: x.log2(), 0.0),
    "reciprocal": (lambda x: 1 / x, 0.0),
    "quotient": (lambda x: x / x, 0.0),
    "power": (lambda x: x**0.5, 0.0),
    "acos": (lambda x: x.acos(), 1.0),
    "asin": (lambda x: x.asin(), 1.0),
    "acosh": (lambda x: x.acosh(), 1.0),
    "atanh": (lambda x: x.atanh(), 1.0),
    "logit": (lambda x: x.logit(), 0.0),
    "xlogy": (lambda x: x * x.log(), 0.0),
    "erfinv": (lambda x: x.erfinv(), 1.0),
    "hypot": (lambda x: torch.hypot(x, x), 0.0),
    "overflow": (lambda x: (x * 1e4).exp(), 1.0),
    "std": (lambda x: x[:1].std(), 0.0),
    "var": (lambda x: x[:1].var(), 0.0),
    "norm": (lambda x: torch.linalg.vector_norm(x, 0.5), 0.0),
}


def in_a_loop(function):
    def looped(x):
        s, t = x, x
        for _ in range(20):
            s = s * 1.1
            t = t + function(s) * 0.1
        return s, t

    return looped


def in_a_branch(function):
    def branched(x):
        if x.sum() < 1e9:
            return x * 2, function(x)
        return x * 3, x

    return branched


def at_once(function):
    return lambda x: (x * 2, function(x))


def within_the_function(function):
    """The loss itself is a result: its gradient goes to a loop one of whose states it does not use."""
    looped = in_a_loop(function)

    def inside(x):
        s, t = looped(x)
        return s.sum(), t

    return inside


FORMS = (at_once, in_a_loop, in_a_branch, within_the_function)


def first_and_second(function, x, used):
    """Gradients of the sum of some results, and of the sum of the squares of those."""
    for _ in range(3):
        leaf = x.clone().requires_grad_()
        results = function(leaf)
        sum(results[k].sum() for k in used).backward()
    again = x.clone().requires_grad_()
    results = function(again)
    (gradient,) = torch.autograd.grad(sum(results[k].square().sum() for k in used), again, create_graph=True)
    if not gradient.requires_grad:
        return leaf.grad, gradient
    gradient.sum().backward()
    return leaf.grad, gradient.detach(), again.grad


@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
@pytest.mark.parametrize(
    ("name", "form"),
    [(name, form) for name in POLES for form in FORMS if form is at_once or name in ("sqrt", "log", "quotient")],
)
def test_gradients_at_poles(name, form):
    function, pole = POLES[name]
    form = form(function)
    x = torch.full((3,), pole, dtype=torch.float64)
    expected = first_and_second(form, x, [0])
    assert all(one.isfinite().all() for one in expected), "the sample says nothing"
    for one, other in zip(first_and_second(hybridize(form), x, [0]), expected, strict=True):
        torch.testing.assert_close(one, other)


def test_each_choice_of_results():
    def function(x, y):
        return x * y, x.sqrt(), y.log() * x, (x + y).rsqrt()

    fast = hybridize(function)
    for count in (1, 2, 3, 4):
        for used in itertools.combinations(range(4), count):
            grads = []
            for one in (fast, function):
                x, y = (torch.tensor([0.0, 4.0], dtype=torch.float64, requires_grad=True) for _ in range(2))
                results = one(x, y)
                sum(results[k].sum() for k in used).backward()
                grads.append((x.grad, y.grad))
            for ours, theirs in zip(*grads, strict=True):
                assert (ours is None) == (theirs is None), used
                if ours is not None:
                    torch.testing.assert_close(ours, theirs, equal_nan=True, msg=str(used))
    assert len(fast.programs()) == 1


def test_of_any_size():
    def function(x):
        return x * 2, x.sqrt()

    fast = hybridize(function, dynamic=True)
    for rows in (2, 3, 1, 7, 1):
        x = torch.zeros(rows, requires_grad=True)
        fast(x)[0].sum().backward()
        assert x.grad.tolist() == [2.0] * rows


OURS = {
    "sqrt": (np.sqrt, 0.0),
    "log": (np.log, 0.0),
    "reciprocal": (lambda x: 1 / x, 0.0),
    "quotient": (lambda x: x / x, 0.0),
    "arccos": (np.arccos, 1.0),
    "arctanh": (np.arctanh, 1.0),
    "power": (lambda x: x**0.5, 0.0),
}


@pytest.mark.parametrize(
    ("name", "form"),
    [*((name, at_once) for name in OURS), *(("sqrt", form) for form in (in_a_loop, within_the_function))],
)
def test_of_arrays(name, form):
    function, pole = OURS[name]
    form = form(function)
    grads = []
    for one in (form, hybridize(form)):
        for _ in range(3):
            x = np.array(numpy.full(3, pole))
            x.attach_grad()
            with autograd.record():
                loss = one(x)[0].sum()
            loss.backward()
        grads.append(x.grad.asnumpy())
    assert numpy.isfinite(grads[0]).all()
    numpy.testing.assert_allclose(grads[1], grads[0], rtol=1e-6)
