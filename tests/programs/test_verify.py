"""`verify=` says when compiled code is wrong, and not when rounding is large beside what a sum leaves."""

from __future__ import annotations

import numpy
import pytest

from hybridize import autograd, gluon, hybridize, np
from hybridize.errors import VerificationError
from hybridize.gluon import nn
from hybridize.ops import Exp, Matmul, Sum

RNG = numpy.random.default_rng(0)
WIDE = RNG.standard_normal((7, 4000)) * 10.0 ** RNG.integers(-3, 4, (7, 4000))

FUNCTIONS = {
    "sum": lambda x: x.sum(axis=1),
    "a sum and what follows": lambda x: np.exp(x.sum(axis=1) * 1e-2) / x.sum(),
    "mean and deviation": lambda x: (x - x.mean(axis=1, keepdims=True)).sum(axis=1),
    "product": lambda x: np.dot(x, x.T[::-1]),
    "difference of products": lambda x: np.dot(x, x.T) - np.dot(x * 1.5, x.T) / 1.5,
    "difference": lambda x: (x * 3.1 - x * 2.1) - x,
    "sine of what is large": lambda x: np.sin(x * 1000),
    "cumulative": lambda x: np.cumsum(x, axis=1)[:, -3:],
    "softmax": lambda x: np.log(np.exp(x - x.max(axis=1, keepdims=True)).sum(axis=1)),
    "a loop": lambda x: _loop(x),
}  # fmt: skip


def _loop(x):
    total = x.sum(axis=1)
    for row in range(3):
        total = total - x[row].sum() if total[0] > -1e9 else total
    return total


def _cancelling(dtype):
    x = np.array(WIDE - WIDE.mean(axis=1, keepdims=True), dtype=dtype)
    x[0] = np.concatenate([x[1, :2000], -x[1, :2000]])
    return x


@pytest.mark.parametrize("verify", ["ops", "outputs"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_alarm_where_a_sum_cancels(name, dtype, verify):
    x = _cancelling(dtype)
    if dtype == "float16":
        x = x * 1e-2
    found = hybridize(FUNCTIONS[name], verify=verify)(x)
    assert found.dtype == x.dtype


@pytest.mark.parametrize("verify", ["ops", "outputs"])
def test_no_alarm_in_training(verify):
    net = nn.HybridSequential()
    net.add(nn.Dense(16, activation="tanh"), nn.LayerNorm(), nn.Dense(3))
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "adam")
    loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()

    def step(x, y):
        with autograd.record():
            loss = loss_fn(net(x), y).mean()
        loss.backward()
        trainer.step(1)
        return loss

    fast = hybridize(step, verify=verify)
    for seed in range(5):
        rng = numpy.random.default_rng(seed)
        fast(np.array(rng.standard_normal((9, 5))), np.array(rng.integers(0, 3, 9)))


@pytest.mark.parametrize(("verify", "code"), [("ops", "E802"), ("outputs", "E801")])
@pytest.mark.parametrize("kind", [Sum, Matmul, Exp])
@pytest.mark.parametrize("off", [1.001, -1.0])
def test_what_is_wrong_is_found(kind, off, verify, code, monkeypatch):
    right = kind.reference

    def wrong(self, *xs):
        return tuple(numpy.multiply(y, off, dtype=y.dtype) for y in right(self, *xs))

    monkeypatch.setattr(kind, "reference", wrong)
    fast = hybridize(lambda x: np.dot(np.exp(x), x.T).sum(axis=1), verify=verify)
    with pytest.raises(VerificationError) as caught:
        fast(np.array(numpy.abs(RNG.standard_normal((4, 30)))))
    assert caught.value.code == code
    if verify == "ops":
        assert kind.__name__.lower() in str(caught.value)


def test_what_is_wrong_is_found_although_it_cancels(monkeypatch):
    right = Sum.reference
    monkeypatch.setattr(Sum, "reference", lambda self, x: (right(self, x)[0] + numpy.abs(x).sum() * 1e-3,))
    for verify in ("ops", "outputs"):
        with pytest.raises(VerificationError):
            hybridize(lambda x: x.sum(axis=1), verify=verify)(_cancelling("float32"))
