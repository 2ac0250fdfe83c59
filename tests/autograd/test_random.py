"""Gradients of random numbers by the parameters of their distribution: the point moves with its share below it."""

import numpy
import pytest
from scipy import special

from hybridize import autograd, hybridize, np, random


def moved(shape, x, h):
    """Where gamma numbers lie if the shape is another, and they have the same share of the distribution below them."""
    return special.gammaincinv(shape + h, special.gammainc(shape, x))


@pytest.mark.parametrize("shape", [1.0, 1.3, 2.5, 40.0, 3000.0])
def test_gamma_numbers_move_with_their_shape(shape):
    random.seed(1)
    a, scale = np.full((500,), shape, dtype="float64"), np.array(2.0, dtype="float64")
    a.attach_grad()
    scale.attach_grad()
    with autograd.record():
        y = np.random.gamma(a, scale, size=(500,), dtype="float64")
        total = y.sum()
    total.backward()
    x, h = y.asnumpy() / 2, 1e-5 * shape
    slopes = (moved(shape, x, h) - moved(shape, x, -h)) / (2 * h)
    numpy.testing.assert_allclose(a.grad.asnumpy() / 2, slopes, rtol=1e-5)
    numpy.testing.assert_allclose(scale.grad.item(), x.sum(), rtol=1e-12)


def test_the_second_gradient_by_the_shape():
    random.seed(3)
    a = np.full((50,), 2.5, dtype="float64")
    a.attach_grad()
    with autograd.record():
        y = np.random.gamma(a, 1.0, size=(50,), dtype="float64")
        (slope,) = autograd.grad(y.sum(), [a], create_graph=True)
        total = slope.sum()
    total.backward()
    x, h = y.asnumpy(), 1e-3
    second = (moved(2.5, x, h) - 2 * x + moved(2.5, x, -h)) / h**2
    numpy.testing.assert_allclose(a.grad.asnumpy(), second, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize(
    ("draw", "mean"),
    [
        (lambda p, n: np.random.gamma(p, 1.0, size=n), lambda p: p),
        (lambda p, n: np.random.beta(p, 1.5, size=n), lambda p: p / (p + 1.5)),
        (lambda p, n: np.random.beta(0.7, p, size=n), lambda p: 0.7 / (0.7 + p)),
        (lambda p, n: np.random.chisquare(p, size=n), lambda p: p),
    ],
    ids=["gamma", "beta a", "beta b", "chisquare"],
)
@pytest.mark.parametrize("parameter", [0.4, 1.1, 3.0])
def test_gradients_are_those_of_the_mean_on_average(draw, mean, parameter):
    random.seed(5)
    count = 30_000
    p = np.full((count,), parameter)
    p.attach_grad()
    with autograd.record():
        total = draw(p, (count,)).sum()
    total.backward()
    slopes = p.grad.asnumpy()
    expected = (mean(parameter + 1e-6) - mean(parameter - 1e-6)) / 2e-6
    assert abs(slopes.mean() - expected) < 4.5 * slopes.std() / count**0.5


def test_a_compiled_step_has_the_same_gradient():
    a = np.array([0.3, 1.0, 3.0, 80.0])
    a.attach_grad()

    def step(a):
        with autograd.record():
            loss = (np.random.gamma(a, 1.0, size=(4,)) ** 2).sum()
        loss.backward()
        return a.grad.copy()

    random.seed(2)
    expected = step(a).asnumpy()
    random.seed(2)
    numpy.testing.assert_allclose(hybridize(step)(a).asnumpy(), expected, rtol=1e-4)
