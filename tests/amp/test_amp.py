"""Losses that are scaled: the steps are those of the loss itself, and a step that overflows is left out."""

import numpy
import pytest

import hybridize
from hybridize import amp, autograd, gluon, init, np
from hybridize.errors import ArgumentError, CaptureError, StateError
from hybridize.gluon import nn
from tests.refusals import refusal


def net_and_trainer(dtype="float32", **options):
    hybridize.random.seed(1)
    net = nn.HybridSequential()
    net.add(nn.Dense(4, in_units=3, activation="relu"), nn.Dense(2, in_units=4))
    net.initialize(init.Xavier())
    net.cast(dtype)
    return net, gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, **options})


def batch(dtype="float32"):
    hybridize.random.seed(2)
    return np.random.normal(0, 1, (8, 3)).astype(dtype), np.array([0, 1] * 4)


def weights(net):
    return [p.data().astype("float32").asnumpy() for p in net.collect_params().values()]


LOSS = gluon.loss.SoftmaxCrossEntropyLoss()


@pytest.mark.parametrize("unscales", [False, True])
def test_a_scaled_step_is_the_step(unscales):
    x, y = batch()
    found = []
    for scales in (False, True):
        net, trainer = net_and_trainer()
        net.hybridize()
        if scales:
            amp.init_trainer(trainer)
        for _ in range(3):
            with autograd.record():
                value = LOSS(net(x), y)
                if scales:
                    with amp.scale_loss(value, trainer) as scaled:
                        scaled.backward()
                else:
                    value.backward()
            if scales and unscales:
                amp.unscale(trainer)
            gradient = net[1].weight.grad().asnumpy() / (2**16 if scales and not unscales else 1)
            trainer.step(8)
        found.append([*weights(net), gradient])
    for one, other in zip(*found, strict=True):
        numpy.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-7)


def test_gradients_of_halves_do_not_vanish():
    """Without the factor they are below the least float16."""
    x, y = batch("float16")
    moved = []
    for scales in (False, True):
        net, trainer = net_and_trainer("float16", multi_precision=True)
        if scales:
            amp.init_trainer(trainer, amp.LossScaler(2.0**10))
        before = weights(net)
        with autograd.record():
            value = LOSS(net(x), y) * 1e-7
            if scales:
                with amp.scale_loss([value.astype("float32").sum()], trainer) as scaled:
                    autograd.backward(scaled)
            else:
                value.astype("float32").sum().backward()
        moved.append(bool(net[0].weight.grad().astype("float32").asnumpy().any()))
        trainer.step(1)
        assert all(numpy.isfinite(one).all() for one in weights(net))
        assert all(one.shape == other.shape for one, other in zip(weights(net), before, strict=True))
    assert moved[1]


def test_a_step_that_overflows_is_left_out():
    x, y = batch()
    net, trainer = net_and_trainer()
    amp.init_trainer(trainer, amp.LossScaler(2.0**20, scale_seq_len=2))
    before, scales = weights(net), []
    for factor in (numpy.inf, 1.0, 1.0, numpy.inf):
        with autograd.record(), amp.scale_loss(LOSS(net(x), y) * factor, trainer) as scaled:
            scaled.backward()
        kept = weights(net)
        trainer.step(8)
        changed = any((a != b).any() for a, b in zip(kept, weights(net), strict=True))
        assert changed == numpy.isfinite(factor)
        scales.append(trainer.loss_scaler.loss_scale)
    assert scales == [2.0**19, 2.0**19, 2.0**20, 2.0**19]
    assert any((a != b).any() for a, b in zip(before, weights(net), strict=True))
    assert trainer.optimizer.num_update == 2


def test_what_is_refused():
    net, trainer = net_and_trainer()
    x, y = batch()
    with refusal(ArgumentError, r"'bfloat16'\) cannot cast(.|\n)*net.cast"):
        amp.init("bfloat16")
    with refusal(ArgumentError, "got SGD"):
        amp.init_trainer(trainer.optimizer)
    with refusal(StateError, "init_trainer"), amp.scale_loss(x, trainer):
        pass
    with refusal(StateError, "init_trainer"):
        amp.unscale(trainer)

    @hybridize.hybridize
    def step(x, y):
        with autograd.record():
            value = LOSS(net(x), y)
        value.backward()
        trainer.step(8)
        return value

    step(x, y)
    amp.init_trainer(trainer)
    with pytest.raises(StateError, match=r"E562.*scales its loss"):  # not the program that it was compiled to before
        step(x, y)

    @hybridize.hybridize
    def scaled(x, y):
        with autograd.record(), amp.scale_loss(LOSS(net(x), y), trainer) as value:
            value.backward()
        return value

    with pytest.raises(CaptureError, match="E407"):
        scaled(x, y)


def test_libraries_ask_whether_operations_cast():
    assert amp._amp_initialized is False
