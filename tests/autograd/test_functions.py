# SPDX-License-Identifier: Apache-2.0
"""`autograd.Function`, gradients of functions, and functions that are computed again."""

import gc
import weakref

import numpy
import pytest
import torch

from hybridize import autograd, errors, np, npx, random
from hybridize.autograd import grad_of
from hybridize.capture import Function
from hybridize.gluon import nn


def close(found, wanted, rtol=1e-5):
    found = found.asnumpy() if hasattr(found, "asnumpy") else found
    numpy.testing.assert_allclose(found, numpy.asarray(wanted), rtol=rtol, atol=1e-6)


def variable(values):
    x = np.array(values)
    x.attach_grad()
    return x


class Sigmoid(autograd.Function):
    def forward(self, x):
        assert not autograd.is_recording()
        y = 1 / (1 + np.exp(-x))
        self.save_for_backward(y)
        return y

    def backward(self, dy):
        (y,) = self.saved_tensors
        return dy * y * (1 - y)


class Product(autograd.Function):
    """Two results of two arrays and a number, with gradients that are seen to be its own."""

    def forward(self, x, factor, y):
        self.factor = factor
        self.save_for_backward(x, y)
        return x * y * factor, x + y

    def backward(self, product, total):
        x, y = self.saved_tensors
        return product * y * self.factor + total, None, product * x * self.factor * 100 + total


def test_a_function_with_its_own_gradient():
    x = variable([-1.0, 0.5, 3.0])
    with autograd.record():
        y = (Sigmoid()(x * 2) * 3).sum()
    y.backward()
    s = 1 / (1 + numpy.exp(-2 * x.asnumpy()))
    close(x.grad, 6 * s * (1 - s))
    close(Sigmoid()(x), 1 / (1 + numpy.exp(-x.asnumpy())))


def test_several_arguments_and_results():
    x, y = variable([1.0, 2.0]), variable([3.0, 4.0])
    with autograd.record():
        product, total = Product()(x, 10.0, y)
        loss = (product * np.array([1.0, 2.0])).sum() + total.sum()
    loss.backward()
    close(x.grad, [30 + 1, 80 + 1])
    close(y.grad, [1000 + 1, 4000 + 1])


def test_one_result_alone_is_used():
    x, y = variable([1.0, 2.0]), variable([3.0, 4.0])
    with autograd.record():
        loss = Product()(x, 10.0, y)[1].sum()
    loss.backward()
    close(x.grad, [1, 1])


def test_a_gradient_of_the_users_own_can_be_differentiated():
    x = variable([-1.0, 0.5])
    with autograd.record():
        (first,) = autograd.grad(Sigmoid()(x), x, create_graph=True)
    first.backward()
    s = 1 / (1 + numpy.exp(-x.asnumpy()))
    close(x.grad, s * (1 - s) * (1 - 2 * s))


def test_what_a_function_keeps_goes_with_the_tape():
    x = variable(numpy.ones(4))
    gc.disable()
    try:
        with autograd.record():
            y = Sigmoid()(x)
            z = y * 2
        kept = weakref.ref(y._data)
        del y
        assert kept() is not None
        z.backward()
        assert kept() is None
    finally:
        gc.enable()


def raises(code, call):
    with pytest.raises(errors.HybridizeError) as raised:
        call()
    assert raised.value.code == code
    assert raised.value.loc.file == __file__


def test_wrong_use_of_a_function():
    class Few(autograd.Function):
        def forward(self, x, y):
            return x + y

        def backward(self, g):
            return g

    class Wrong(Few):
        def backward(self, g):
            return g, g.sum()

    x, y = variable([1.0, 2.0]), variable([3.0, 4.0])
    once = Sigmoid()
    with autograd.record():
        few, wrong, kept = Few()(x, y), Wrong()(x, y), once(x)
        total = kept * 1
    raises("E389", lambda: few.backward())
    raises("E387", lambda: wrong.backward())
    raises("E546", lambda: once(x))
    kept *= 0
    raises("E542", lambda: total.backward())
    raises("E328", lambda: autograd.Function()(x))


# ----------------------------------------------------------------------------------------- functions of functions


def test_value_and_gradients_of_a_function():
    def loss(w, x, scale=1.0):
        return (np.tanh(x @ w["a"]) * w["b"]).sum() * scale

    rng = numpy.random.default_rng(0)
    w = {"a": np.array(rng.normal(size=(3, 2))), "b": np.array(rng.normal(size=2))}
    x = np.array(rng.normal(size=(4, 3)))
    value, found = autograd.value_and_grad(loss)(w, x, scale=2.0)
    a, b = (torch.from_numpy(w[k].asnumpy()).requires_grad_() for k in "ab")
    t = (torch.tanh(torch.from_numpy(x.asnumpy()) @ a) * b).sum() * 2
    t.backward()
    assert float(value) == pytest.approx(t.item(), rel=1e-5)
    close(found["a"], a.grad)
    close(found["b"], b.grad)
    by_w, by_x = autograd.grad_of(loss, (0, 1))(w, x)
    close(by_w["a"], a.grad / 2)
    assert by_x.shape == (4, 3)
    assert w["a"].grad is None and not autograd.is_recording()


def test_with_something_else():
    value, found = autograd.value_and_grad(lambda x: ((x * x).sum(), x + 1), has_aux=True)(np.array([1.0, 2.0]))
    close(value[0], 5)
    close(value[1], [2, 3])
    close(found, [2, 4])
    found, other = autograd.grad_of(lambda x: ((x * x).sum(), x + 1), has_aux=True)(np.array([1.0, 2.0]))
    close(found, [2, 4])
    close(other, [2, 3])


def test_gradients_of_gradients_of_functions():
    def f(x):
        return (np.sin(x) * x).sum()

    def summed(g):
        return lambda x: g(x).sum()

    x = np.array([0.5, 2.0])
    v = x.asnumpy().astype("f8")
    first = autograd.grad_of(f)
    second = autograd.grad_of(summed(first))
    third = autograd.grad_of(summed(second))
    close(first(x), numpy.cos(v) * v + numpy.sin(v))
    close(second(x), -numpy.sin(v) * v + 2 * numpy.cos(v))
    close(third(x), -numpy.cos(v) * v - 3 * numpy.sin(v))


def test_a_gradient_of_a_function_is_part_of_what_is_recorded():
    x, w = variable([0.5, 2.0]), variable([3.0])
    with autograd.record():
        g = autograd.grad_of(lambda y: (y * y * y * w).sum())(x * 2)
        loss = (g * g).sum()
    loss.backward()
    v = x.asnumpy()
    close(x.grad, 2 * (3 * (2 * v) ** 2 * 3) * (3 * 2 * (2 * v) * 3) * 2)
    close(w.grad, [(2 * (3 * (2 * v) ** 2 * 3) * 3 * (2 * v) ** 2).sum()])


def test_a_gradient_that_is_zero():
    close(autograd.grad_of(lambda x, y: (y * 2).sum())(np.ones(2), np.ones(3)), [0, 0])


@pytest.mark.parametrize("function", [np.log, np.sqrt, np.arcsin, lambda x: x**0.5, lambda x: x / x])
@pytest.mark.parametrize("values", [[0.5, -2.0, 0.25], [0.5, float("nan")], [0.0, 0.5], [float("inf"), 0.5]])
def test_a_value_that_is_nan_or_infinite_leaves_other_gradients_alone(function, values):
    gradient = grad_of(lambda x: function(x).sum())
    x = torch.tensor(values, requires_grad=True)
    named = {np.log: torch.log, np.sqrt: torch.sqrt, np.arcsin: torch.arcsin}
    named.get(function, function)(x).sum().backward()
    assert x.grad is not None
    for found in (gradient(np.array(values)), Function(gradient)(np.array(values))):
        numpy.testing.assert_allclose(found.asnumpy(), x.grad.numpy(), rtol=1e-5)
    assert grad_of(lambda x, y: y.sum())(np.array([float("nan")]), np.ones(1)).tolist() == [0.0]


def test_wrong_use_of_gradients_of_functions():
    raises("E385", lambda: autograd.grad_of(lambda x: x * 2)(np.ones(2)))
    raises("E385", lambda: autograd.grad_of(lambda x: 3.0)(np.ones(2)))
    raises("E385", lambda: autograd.grad_of(lambda x: x.sum())(np.array([1], dtype="int32")))
    raises("E388", lambda: autograd.grad_of(lambda x: x.sum(), 2)(np.ones(2)))


# --------------------------------------------------------------------------------------------------- checkpoints


def deep(net):
    def run(x):
        for layer in net:
            x = np.tanh(layer(x))
        return x

    return run


def test_a_checkpoint_gives_the_same_gradients():
    net = nn.HybridSequential()
    net.add(nn.Dense(5), nn.Dense(4), nn.Dense(3))
    net.initialize()
    x = variable(numpy.random.default_rng(0).normal(size=(2, 6)))
    found = []
    for wrapper in (lambda f: f, autograd.checkpoint):
        with autograd.record():
            y = (wrapper(deep(net))(x * 2) ** 2).sum()
        y.backward()
        found.append([x.grad.asnumpy(), *(p.grad().asnumpy() for p in net.collect_params().values())])
    for a, b in zip(*found, strict=True):
        close(a, b)
        assert abs(a).max() > 0


def test_a_checkpoint_draws_the_same_numbers_again():
    x = variable(numpy.ones(100))
    random.seed(3)
    with autograd.record():
        y = autograd.checkpoint(lambda x: npx.dropout(x * 2, 0.5))(x)
        after = np.random.uniform(size=3)
    y.backward()
    close(x.grad, y.asnumpy())
    random.seed(3)
    npx.dropout(x, 0.5, mode="always")
    close(np.random.uniform(size=3), after)


def test_a_checkpoint_keeps_only_its_arguments():
    seen = []

    def through(x):
        y = np.exp(x)
        seen.append(weakref.ref(y._data))
        return y * y

    x = variable(numpy.ones(4))
    with autograd.record():
        y = autograd.checkpoint(through)(x)
    assert seen[0]() is None
    y.backward()
    assert len(seen) == 2
    close(x.grad, 2 * numpy.exp(2.0) * numpy.ones(4))


def test_second_order_through_a_checkpoint():
    x, w = variable([0.5, 1.5]), variable([2.0])
    with autograd.record():
        y = autograd.checkpoint(lambda x: np.sin(x * w) * x)(x * 1)
        (first,) = autograd.grad(y, x, create_graph=True)
        loss = (first * first).sum()
    loss.backward()
    t = torch.tensor([0.5, 1.5], requires_grad=True)
    u = torch.tensor([2.0], requires_grad=True)
    (g,) = torch.autograd.grad((torch.sin(t * u) * t).sum(), t, create_graph=True)
    (g * g).sum().backward()
    close(x.grad, t.grad)
    close(w.grad, u.grad)


def test_a_checkpoint_whose_argument_was_overwritten():
    x, w = np.array([1.0, 2.0]), variable([1.0, 1.0])
    with autograd.record():
        y = autograd.checkpoint(lambda x: x * w)(x)
    x[0] = 5.0
    raises("E542", lambda: y.backward())


@pytest.mark.parametrize("train_mode", [False, True])
def test_a_pass_back_has_the_mode_that_it_is_given(train_mode):
    seen = []

    class Watched(autograd.Function):
        def forward(self, x):
            return x * 2

        def backward(self, dy):
            seen.append((autograd.is_recording(), autograd.is_training()))
            return dy * 2

    x = np.ones(2)
    x.attach_grad()
    with autograd.record():
        y = Watched()(x)
    autograd.backward(y, retain_graph=True, train_mode=train_mode)
    autograd.grad(y, x, train_mode=train_mode)
    assert seen == [(False, train_mode)] * 2
    assert not autograd.is_training()


@pytest.mark.parametrize("train_mode", [False, True])
def test_functions_of_ones_own_compute_in_the_mode_of_their_callers(train_mode):
    seen = []

    class Watched(autograd.Function):
        def forward(self, x):
            seen.append((autograd.is_recording(), autograd.is_training()))
            return x * 2

    with autograd.record(train_mode=train_mode):
        Watched()(variable([1.0]))
    assert seen == [(False, train_mode)]


def test_both_results_of_one_operation_may_be_variables():
    x, y = variable([2.0]), variable([3.0])
    with autograd.record():
        product, total = Product()(x, 5, y)
        product.attach_grad()
        total.attach_grad()
        z = product * 7 + total * 11
    unwanted = total.grad
    total.drop_grad()
    z.backward(retain_graph=True)
    close(product.grad, [7])
    assert total.grad is None
    close(unwanted, [0])
    total.attach_grad()
    z.backward()
    close(product.grad, [7])
    close(total.grad, [11])


@pytest.mark.parametrize("train_mode", [False, True])
def test_what_is_computed_again_has_its_mode_and_leaves_the_random_numbers_alone(train_mode):
    seen = []

    def layer(x):
        seen.append(autograd.is_training())
        return npx.dropout(x, 0.5)

    x = variable(numpy.ones(100))
    random.seed(5)
    with autograd.record(train_mode=train_mode):
        y = autograd.checkpoint(layer)(x)
    random.uniform(size=3)
    before = random.state.asnumpy()
    autograd.backward(y, train_mode=not train_mode)
    assert seen == [train_mode] * 2
    close(x.grad, y)
    assert (random.state.asnumpy() == before).all()
