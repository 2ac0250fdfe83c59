"""Equal composites of one line are recorded once, and whatever tells them apart is seen."""

import numpy
import pytest

from hybridize import autograd, hybridize, np, npx
from hybridize.gluon import nn
from hybridize.ops import Composite
from hybridize.ops.composite import CompositeBody


def composites(function, *args):
    """The composites of the program that serves a call, and its result."""
    compiled = hybridize(function)
    result = compiled(*args)
    graph = compiled.programs()[-1].captured
    return [node.op for node in graph.nodes if isinstance(node.op, Composite)], result


def array(*shape, seed=0):
    return np.array(numpy.random.default_rng(seed).normal(size=shape).astype("f4"))


def softmax(x, axis):
    e = numpy.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def test_those_of_a_loop_are_one():
    def function(x):
        for _ in range(4):
            x = npx.softmax(x, axis=1) * 3
        return x

    found, y = composites(function, array(5, 7))
    assert len(found) == 4
    assert all(one is found[0] for one in found)
    expected = array(5, 7).asnumpy()
    for _ in range(4):
        expected = softmax(expected, 1) * 3
    numpy.testing.assert_allclose(y.asnumpy(), expected, rtol=1e-5)


def test_equal_layers_have_equal_bodies_and_their_own_weights():
    net = nn.HybridSequential()
    for _ in range(3):
        net.add(nn.Dense(6, in_units=6), nn.LayerNorm(in_channels=6))
    net.initialize()
    for number, parameter in enumerate(net.collect_params().values()):
        parameter.set_data(array(*parameter.shape, seed=number))
    x = array(4, 6, seed=9)
    expected = net(x).asnumpy()
    found, y = composites(lambda x: net(x), x)
    by_label = {}
    for one in found:
        by_label.setdefault(one.label, set()).add(id(one))
    assert {label: len(ids) for label, ids in by_label.items()} == dict.fromkeys(by_label, 1)
    assert len(found) == 6
    numpy.testing.assert_allclose(y.asnumpy(), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("one", "other"), [(0, 1), (1, 0)])
def test_other_parameters_are_others(one, other):
    def function(x):
        return [npx.softmax(x, axis=axis) for axis in (one, other)]

    found, results = composites(function, array(5, 5))
    assert len({id(op) for op in found}) == 2
    for axis, y in zip((one, other), results, strict=True):
        numpy.testing.assert_allclose(y.asnumpy(), softmax(array(5, 5).asnumpy(), axis), rtol=1e-5)


def test_other_types_are_others():
    def function(x, y):
        return [npx.softmax(one, axis=-1) for one in (x, y, x.astype("float64"))]

    found, results = composites(function, array(5, 7), array(2, 7))
    assert len({id(op) for op in found}) == 3
    assert [str(y.dtype) for y in results] == ["float32", "float32", "float64"]


def test_one_operand_twice_is_another_than_two():
    def function(x, y):
        return [npx.batch_dot(a, b) for a, b in ((x, x), (x, y), (y, y))]

    x, y = array(2, 3, 3), array(2, 3, 3, seed=1)
    for found, (a, b) in zip(hybridize(function)(x, y), ((x, x), (x, y), (y, y)), strict=True):
        numpy.testing.assert_allclose(found.asnumpy(), numpy.matmul(a.asnumpy(), b.asnumpy()), rtol=1e-4, atol=1e-5)


def test_gradients_go_through_each():
    def function(x):
        with autograd.record():
            y = x
            for _ in range(3):
                y = npx.softmax(y, axis=1) * 2
            loss = (y * y).sum()
        loss.backward()
        return loss

    gradients = []
    for run in (function, hybridize(function)):
        x = array(3, 4)
        x.attach_grad()
        run(x)
        gradients.append(x.grad.asnumpy())
    numpy.testing.assert_allclose(*gradients, rtol=1e-5, atol=1e-6)


def test_a_net_with_equal_layers_is_differentiated():
    net = nn.HybridSequential()
    for _ in range(3):
        net.add(nn.Dense(5, in_units=5, activation="tanh"), nn.LayerNorm(in_channels=5))
    net.initialize()
    gradients = []
    for compiled in (False, True):
        net.hybridize(compiled)
        x = array(4, 5)
        x.attach_grad()
        with autograd.record():
            loss = (net(x) ** 2 * array(4, 5, seed=3)).sum()
        loss.backward()
        gradients.append([x.grad.asnumpy(), *(p.grad().asnumpy() for p in net.collect_params().values())])
    for one, other in zip(*gradients, strict=True):
        numpy.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def key(**rest):
    return CompositeBody(softmax, ("x",), rest).key


def test_keys_tell_numbers_apart_that_are_equal():
    values = [0, 0.0, -0.0, False, None, "0", (0,), (0.0,), numpy.dtype("f4"), numpy.dtype("f8"), 1, 1.0, True]
    assert len({key(axis=value) for value in values}) == len(values)
    assert key(axis=(1, 2.0)) == key(axis=(1, 2.0))
    assert key(axis=array(3)) is None
    assert key(axis=[1]) is None
