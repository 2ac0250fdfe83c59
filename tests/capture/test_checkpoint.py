"""`autograd.checkpoint` in programs: the same gradients, and less memory, as the plan says before anything runs."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import hybridize as hz
from hybridize import autograd, gluon, hybridize, init, np, npx
from hybridize.errors import StateError
from hybridize.gluon import nn


def _plain(function: Any) -> Any:
    return function


def _trained(wrap: Any, checkpoint: Any, *, dropout: float = 0.3, hybrid: bool = False) -> list[Any]:
    hz.random.seed(2)
    blocks = []
    for _ in range(3):
        block = nn.HybridSequential()
        block.add(nn.Dense(7, in_units=7, activation="tanh"), nn.Dropout(dropout), nn.BatchNorm(in_channels=7))
        block.initialize(init.Normal(0.5))
        block.cast("float64")
        if hybrid:
            block.hybridize()
        blocks.append(block)
    parameters = [p for block in blocks for p in block.collect_params().values()]
    trainer = gluon.Trainer(parameters, "sgd", {"learning_rate": 0.1, "momentum": 0.9})
    again = [checkpoint(block) for block in blocks]

    def step(x):
        with autograd.record():
            for block in again:
                x = block(x)
            loss = (x * x * np.arange(7, dtype="float64")).mean()
        loss.backward()
        trainer.step(1)
        return loss

    step = wrap(step)
    x = np.array(numpy.random.default_rng(0).standard_normal((5, 7)), dtype="float64")
    losses = [float(step(x)) for _ in range(4)]
    return [losses, *(p.data().asnumpy() for p in parameters), hz.random.state.tolist()]


@pytest.mark.parametrize("hybrid", [False, True])
def test_training_is_the_same(hybrid):
    expected = _trained(_plain, _plain)
    for wrap, checkpoint in ((_plain, autograd.checkpoint), (hybridize, _plain), (hybridize, autograd.checkpoint)):
        found = _trained(wrap, checkpoint, hybrid=hybrid)
        for ours, theirs in zip(found, expected, strict=True):
            numpy.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


def _deep(checkpoint: Any, depth: int = 16, width: int = 256, rows: int = 64) -> tuple[Any, Any]:
    """A step through blocks of several wide layers with one narrow array between blocks."""
    rng = numpy.random.default_rng(0)
    weights = [np.array(rng.standard_normal((2, 8, width)) * 0.1, dtype="float32") for _ in range(depth)]
    for w in weights:
        w.attach_grad()

    def block(x, w):
        hidden = np.tanh(np.dot(x, w[0]))
        hidden = np.tanh(hidden * hidden + hidden)
        return np.dot(hidden, w[1].T)

    again = checkpoint(block)

    def step(x):
        with autograd.record():
            for w in weights:
                x = x + again(x, w)
            loss = (x * x).sum()
        loss.backward()
        return loss

    return step, weights


def test_memory_falls_and_gradients_stay():
    x = np.array(numpy.random.default_rng(1).standard_normal((64, 8)), dtype="float32")
    plain, weights = _deep(_plain)
    plain(x)
    expected = [w.grad.asnumpy() for w in weights]
    peaks = []
    for checkpoint in (_plain, autograd.checkpoint):
        step, weights = _deep(checkpoint)
        fast = hybridize(step)
        fast(x)
        for w, grad in zip(weights, expected, strict=True):
            numpy.testing.assert_allclose(w.grad.asnumpy(), grad, rtol=2e-3, atol=2e-4)
        peaks.append(fast.program(x).memory.peak_bytes)
    hidden, gradients = 64 * 256 * 4, 16 * 2 * 8 * 256 * 4
    assert peaks[0] - gradients > 14 * hidden, "one wide array of each block is kept"
    assert peaks[1] - gradients < 8 * hidden, "no wide array is kept but those of the block at hand"


def test_in_a_function_that_is_called_while_recording_less_is_kept():
    x = np.array(numpy.random.default_rng(1).standard_normal((64, 8)), dtype="float32")
    kept = []
    grads = []
    for checkpoint in (_plain, autograd.checkpoint):
        weights = _deep(checkpoint)[1]

        def forward(x, weights=weights, checkpoint=checkpoint):
            for w in weights:
                x = x + checkpoint(lambda x, w: np.dot(np.tanh(np.tanh(np.dot(x, w[0])) * 2), w[1].T))(x, w)
            return (x * x).sum()

        fast = hybridize(forward)
        with autograd.record():
            loss = fast(x)
        rule = loss._traced.edge[0].rule
        kept.append(sum(one.nbytes for one in rule._residuals))
        loss.backward()
        grads.append([w.grad.asnumpy() for w in weights])
    for ours, theirs in zip(*grads, strict=True):
        numpy.testing.assert_allclose(ours, theirs, rtol=2e-3, atol=2e-4)
    assert kept[1] < kept[0] / 4


def test_second_derivatives_and_structures():
    found = []
    for wrap in (_plain, hybridize):
        for checkpoint in (_plain, autograd.checkpoint):
            w = np.array([0.5, -0.3, 0.8], dtype="float64")
            w.attach_grad()

            def step(w=w, checkpoint=checkpoint):
                with autograd.record():
                    made = checkpoint(lambda d, n: {"a": np.sin(d["x"]) * d["y"][0] * n, "b": [d["x"] ** 2]})(
                        {"x": w * 1, "y": (w * 2,)}, 3
                    )
                    value = (made["a"] * made["b"][0]).sum()
                    (first,) = autograd.grad(value, [w], create_graph=True)
                    total = (first * first).sum() + value
                total.backward()
                return total

            run = wrap(step)
            found.append([float(run()), float(run()), w.grad.asnumpy()])
    for one in found[1:]:
        for ours, theirs in zip(one, found[0], strict=True):
            numpy.testing.assert_allclose(ours, theirs, rtol=1e-10)


def test_without_recording_it_is_the_function():
    fast = hybridize(lambda x: autograd.checkpoint(lambda x: x * 2 + npx.relu(x))(x))
    assert fast(np.array([1.0, -1.0])).tolist() == [3.0, -2.0]


def test_writes_to_its_arguments_are_refused():
    w = np.array([1.0, 2.0])
    w.attach_grad()

    def spoil(x):
        x[...] = 0
        return x * 2

    @hybridize
    def step():
        with autograd.record():
            loss = autograd.checkpoint(spoil)(w * 2).sum()
        loss.backward()
        return loss

    with pytest.raises(StateError, match="E545"):
        step()
