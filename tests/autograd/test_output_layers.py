# SPDX-License-Identifier: Apache-2.0
"""MXNet 1's layers that are heads by themselves: `SoftmaxOutput` and `MakeLoss` bring their gradients along."""

import numpy
import pytest
import torch

from hybridize import autograd, errors, gluon, hybridize, nd, np

X = numpy.random.default_rng(0).normal(size=(4, 5))
LABELS = numpy.array([0, 3, 1, 3])
KEPT = LABELS != 3
FORMS = {
    "plain": ({}, lambda t, c: torch.nn.functional.cross_entropy(t, c, reduction="sum")),
    "scaled": ({"grad_scale": 0.5}, lambda t, c: torch.nn.functional.cross_entropy(t, c, reduction="sum") / 2),
    "batch": ({"normalization": "batch"}, torch.nn.functional.cross_entropy),
    "valid": ({"normalization": "valid"}, torch.nn.functional.cross_entropy),
    "ignored": ({"use_ignore": True, "ignore_label": 3}, lambda t, c: torch.nn.functional.cross_entropy(t, c, reduction="sum", ignore_index=3)),
    "ignored_valid": (
        {"use_ignore": True, "ignore_label": 3, "normalization": "valid"}, lambda t, c: torch.nn.functional.cross_entropy(t, c, ignore_index=3),
    ),
    # MXNet shares it among the other classes, PyTorch among all
    "smooth": ({"smooth_alpha": 0.2}, lambda t, c: torch.nn.functional.cross_entropy(t, c, reduction="sum", label_smoothing=0.25)),
}  # fmt: skip


def gradient(call, data):
    x = np.array(data, dtype="float64")
    x.attach_grad()
    with autograd.record():
        y = call(x)
    y.backward()
    return y.asnumpy(), x.grad.asnumpy()


@pytest.mark.parametrize("compiled", [False, True], ids=["imperative", "compiled"])
@pytest.mark.parametrize("form", FORMS)
def test_the_gradient_is_that_of_the_cross_entropy(form, compiled):
    options, loss = FORMS[form]
    classes = np.array(LABELS, dtype="float32")  # as MXNet 1 keeps them
    function = lambda x: nd.SoftmaxOutput(x, classes, **options)  # noqa: E731
    y, slope = gradient(hybridize(function) if compiled else function, X)
    t = torch.tensor(X, requires_grad=True)
    loss(t, torch.tensor(LABELS)).backward()
    numpy.testing.assert_allclose(y, torch.softmax(t, -1).detach().numpy(), rtol=1e-12)
    numpy.testing.assert_allclose(slope, t.grad.numpy(), rtol=1e-10, atol=1e-12)


def test_classes_may_lie_along_axis_1():
    data, labels = numpy.random.default_rng(1).normal(size=(2, 3, 4)), numpy.array([[0, 1, 2, 1], [2, 2, 0, 1]])
    _, slope = gradient(lambda x: nd.SoftmaxOutput(x, np.array(labels), multi_output=True), data)
    t = torch.tensor(data, requires_grad=True)
    torch.nn.functional.cross_entropy(t, torch.tensor(labels), reduction="sum").backward()
    numpy.testing.assert_allclose(slope, t.grad.numpy(), rtol=1e-10)
    with pytest.raises(errors.ArgumentError, match="E315"):
        nd.SoftmaxOutput(np.ones((2, 2)), np.ones(2), normalization="mean")


def test_a_loss_layer_scales_its_gradient():
    data = numpy.array([-1.0, 2.0, 3.0, 0.5])
    for options, wanted in (
        ({}, 1),
        ({"grad_scale": 3.0}, 3),
        ({"normalization": "batch"}, 1 / 4),
        ({"normalization": "valid", "valid_thresh": 1.0}, 1 / 2),
    ):
        y, slope = gradient(lambda x: nd.MakeLoss(x * x, **options), data)  # noqa: B023
        numpy.testing.assert_allclose(y, data**2)
        numpy.testing.assert_allclose(slope, 2 * data * wanted, rtol=1e-12)


def test_a_classifier_learns_from_its_output():
    """The usual loop of MXNet 1: no loss is named."""
    rng = numpy.random.default_rng(2)
    centres = rng.normal(size=(3, 4)) * 3
    labels = rng.integers(0, 3, 90)
    x, classes = np.array(centres[labels] + rng.normal(size=(90, 4))), np.array(labels)
    w = np.zeros((3, 4))
    w.attach_grad()
    for _ in range(30):
        with autograd.record():
            y = nd.SoftmaxOutput(nd.FullyConnected(x, w, no_bias=True, num_hidden=3), classes, normalization="batch")
        y.backward()
        w -= 0.1 * w.grad
    assert (y.argmax(1).asnumpy() == labels).mean() > 0.95


ONES = numpy.ones((2, 3), "f4")
SCORES = numpy.array([[1.0, 2.0, 3.0], [0.0, 1.0, 5.0]], "f4")
SOFTMAX = numpy.exp(SCORES) / numpy.exp(SCORES).sum(1, keepdims=True)
LABEL = numpy.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], "f4")
SIDE = 2 * LABEL - 1
HINGE = numpy.maximum(1 - SCORES * SIDE, 0)
HEADS = {
    "SoftmaxOutput": (lambda F, x, c: F.SoftmaxOutput(x, c), SOFTMAX - LABEL),
    "SoftmaxOutput ignoring": (
        lambda F, x, c: F.SoftmaxOutput(x, c, use_ignore=True, ignore_label=0, normalization="valid", grad_scale=3.0),
        (SOFTMAX - LABEL) * [[0], [3]],
    ),
    "Softmax": (lambda F, x, c: F.Softmax(x, c, normalization="batch"), (SOFTMAX - LABEL) / 2),
    "LinearRegressionOutput": (lambda F, x, c: F.LinearRegressionOutput(x, F.ones((2, 3))), (SCORES - ONES) / 3),
    "LogisticRegressionOutput": (
        lambda F, x, c: F.LogisticRegressionOutput(x, F.ones((2, 3))), (1 / (1 + numpy.exp(-SCORES)) - ONES) / 3,
    ),
    "MAERegressionOutput": (
        lambda F, x, c: F.MAERegressionOutput(x, F.ones((2, 3))), numpy.where(SCORES > 1, 1, -1) / 3,  # at a tie, too
    ),
    "MakeLoss": (lambda F, x, c: F.MakeLoss(x * x), 2 * SCORES),
    "make_loss": (lambda F, x, c: F.make_loss(x * x, grad_scale=3.0), 6 * SCORES),
    "MakeLoss valid": (lambda F, x, c: F.MakeLoss(x * x, valid_thresh=1.0, normalization="valid"), 2 * SCORES / 3),
    "SVMOutput": (lambda F, x, c: F.SVMOutput(x, c), -2 * HINGE * SIDE),
    "SVMOutput linear": (lambda F, x, c: F.SVMOutput(x, c, use_linear=True), -SIDE * (HINGE > 0)),
}  # fmt: skip
"""Heads, and the gradients of MXNet 1.9.1."""
BEHIND = {
    "its sum": lambda F, y: y,
    "times a number": lambda F, y: y * 5,
    "times zero": lambda F, y: y * 0,
    "a logarithm": lambda F, y: F.log(F.abs(y) + 1),
    "BlockGrad": lambda F, y: F.log(F.abs(F.BlockGrad(y)) + 1),
    "stop_gradient": lambda F, y: F.stop_gradient(y) * 3,
}
"""What may be computed of a head: its gradient takes no notice."""


@pytest.mark.parametrize("name", HEADS)
@pytest.mark.parametrize("behind", BEHIND)
def test_a_head_takes_no_notice_of_what_arrives(name, behind):
    head, wanted = HEADS[name]

    class Net(gluon.HybridBlock):
        def hybrid_forward(self, F, x, c):
            return F.sum(BEHIND[behind](F, head(F, x, c)))

    net, c = Net(), nd.array([0, 2])
    for compiled in (False, True):
        net.hybridize(compiled)
        for beside in (False, True):  # alone, and added to another loss, which has no less of a gradient for it
            x = nd.array(SCORES)
            x.attach_grad()
            with autograd.record():
                y = net(x, c)
                y = y * 2 + x.sum() if beside else y
            y.backward()
            numpy.testing.assert_allclose(x.grad.asnumpy(), wanted + beside, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("function", [nd.BlockGrad, nd.stop_gradient], ids=["BlockGrad", "stop_gradient"])
def test_all_else_is_stopped(function):
    """Also what was computed of a head: only the head itself keeps its gradient."""
    for before in (lambda x: x * 2, lambda x: nd.SoftmaxOutput(x, nd.array([0, 2]), out_grad=True)):
        x = nd.array(SCORES)
        x.attach_grad()
        with autograd.record():
            y = function(before(x)).sum() + x.sum()
        y.backward()
        numpy.testing.assert_array_equal(x.grad.asnumpy(), ONES)
    with autograd.record():
        y = function(x)
    assert not numpy.may_share_memory(y.asnumpy(), x.asnumpy())
    with pytest.raises(errors.StateError, match="E540"):
        y.backward()


def test_the_gradient_that_arrives_counts_where_that_is_asked_for():
    x = nd.array(SCORES)
    x.attach_grad()
    with autograd.record():
        y = nd.SoftmaxOutput(x, nd.array([0, 2]), out_grad=True)
    y.backward(nd.array(SCORES))
    numpy.testing.assert_allclose(x.grad.asnumpy(), (SOFTMAX - LABEL) * SCORES, rtol=1e-5, atol=1e-6)
