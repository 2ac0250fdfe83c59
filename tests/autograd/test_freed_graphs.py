# SPDX-License-Identifier: Apache-2.0
"""Arrays of graphs that a backward pass has freed: constants of what is recorded afterwards, as in MXNet.

The numbers are those of MXNet 1.9.1 and 2.0.0b1 (where it has any: views and writes are more than they allow).
"""

from __future__ import annotations

import gc
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import numpy
import pytest

from hybridize import autograd, gluon, hybridize, nd, np
from hybridize.base.errors import HybridizeError

BOTH = pytest.mark.parametrize("compiled", [False, True], ids=["imperative", "compiled"])
W, V = 2.0, 3.0


def _carried(w: Any, v: Any) -> None:
    s = v.detach()
    for _ in range(2):
        with autograd.record():
            s = s * w
            loss = s * v
        loss.backward()


def _in_one_recording(w: Any, v: Any) -> None:
    with autograd.record():
        h = w * w
        (h * 2).backward()
        b = h * v
    b.backward()


def _beside_what_is_live(w: Any, v: Any) -> None:
    with autograd.record():
        h = w * w
        a, k = h * 2, v * 5
    a.backward()
    with autograd.record():
        b = h * k
    b.backward()


def _side_output(w: Any, v: Any) -> None:
    """`k` is no part of what the pass went through: all that it was computed of was freed."""
    with autograd.record():
        h = w * w
        a, k = h * 2, h * 3
    a.backward()
    with autograd.record():
        b = k * v
    b.backward()


def _view_made_before(w: Any, v: Any) -> None:
    with autograd.record():
        h = w * np.array([1.0, 2.0])
        part, a = h[1:], h.sum()
    a.backward()
    with autograd.record():
        b = part * v
    b.backward()


def _view_made_after(w: Any, v: Any) -> None:
    with autograd.record():
        h = w * np.array([1.0, 2.0])
        a = h.sum()
    a.backward()
    with autograd.record():
        b = h[1:].reshape(()) * v
    b.backward()


def _written_in_between(w: Any, v: Any) -> None:
    with autograd.record():
        h = w * np.array([1.0, 2.0])
        a = h.sum()
    a.backward()
    h[:1] = 5
    with autograd.record():
        b = h.sum() * v
    b.backward()


def _written_while_recording(w: Any, v: Any) -> None:
    with autograd.record():
        h = w * np.array([1.0, 2.0])
        a = h.sum()
    a.backward()
    with autograd.record():
        h[:1] = v * 2
        b = h.sum()
    b.backward()


def _by_grad(w: Any, v: Any) -> None:
    with autograd.record():
        h = w * w
        autograd.grad(h * 2, [w])
        b = h * v
    b.backward()


def _retained(w: Any, v: Any) -> None:
    with autograd.record():
        h = w * w
        a = h * 2
    a.backward(retain_graph=True)
    with autograd.record():
        b = h * v
    b.backward()


def _fused(w: Any, v: Any) -> None:
    """Functions that are one node each."""
    s = np.ones((2, 2))
    for _ in range(2):
        with autograd.record():
            s = gluon.nn.Activation("relu")(s * w)
            loss = np.log(np.exp(s).sum()) * v
        loss.backward()


PROGRAMS: list[tuple[Callable[[Any, Any], None], float, float]] = [
    (_carried, V * W * V, V * W * W), (_in_one_recording, 2 * 2 * W, W * W), (_beside_what_is_live, 2 * 2 * W, 5 * W * W),
    (_side_output, 2 * 2 * W, 3 * W * W), (_view_made_before, 3, 2 * W), (_view_made_after, 3, 2 * W),
    (_written_in_between, 3, 5 + 2 * W), (_written_while_recording, 3, 2), (_by_grad, 0, W * W),
    (_retained, V * 2 * W, W * W), (_fused, V * W, W * W + float(numpy.log(4))),
]  # fmt: skip


def _variables() -> tuple[Any, Any]:
    w, v = np.array(W), np.array(V)
    w.attach_grad()
    v.attach_grad()
    return w, v


@BOTH
@pytest.mark.parametrize(("program", "by_w", "by_v"), PROGRAMS, ids=[row[0].__name__.strip("_") for row in PROGRAMS])
@pytest.mark.filterwarnings("ignore:a backward pass at")
def test_it_is_a_constant(program: Any, by_w: float, by_v: float, compiled: bool) -> None:
    w, v = _variables()
    run = hybridize(lambda: program(w, v)) if compiled else lambda: program(w, v)
    for _ in range(2):
        w.grad[...] = 0
        run()
        numpy.testing.assert_allclose([float(w.grad), float(v.grad)], [by_w, by_v], rtol=1e-5)


def _twice(w: Any, v: Any) -> Any:
    with autograd.record():
        h = w * v
    h.backward()
    h.backward()


def _recorded_before(w: Any, v: Any) -> Any:
    with autograd.record():
        h = w * w
        a, b = h * 2, h * v
    a.backward()
    b.backward()


def _all_recorded_before(w: Any, v: Any) -> Any:
    with autograd.record():
        h = w * w
        a, b = h * 2, h * 3
    a.backward()
    b.backward()


def _nothing_else(w: Any, v: Any) -> Any:
    with autograd.record():
        h = w * w
    h.backward()
    with autograd.record():
        b = h * 3
    b.backward()


def _gradient_of_what_is_behind(w: Any, v: Any) -> Any:
    with autograd.record():
        h = w * w
    h.backward()
    with autograd.record():
        b = h * v
    autograd.grad(b, [w])


def _gradient_of_what_is_freed(w: Any, v: Any) -> Any:
    with autograd.record():
        h = w * w
    h.backward()
    with autograd.record():
        b = h * v
    autograd.grad(b, [h])


@BOTH
@pytest.mark.parametrize(
    ("program", "codes"),
    [
        (_twice, "E541"), (_recorded_before, "E541"), (_all_recorded_before, "E541"), (_nothing_else, "E540"),
        (_gradient_of_what_is_behind, "E541"), (_gradient_of_what_is_freed, "E388"),
    ],
)  # fmt: skip
def test_what_mxnet_refuses_is_refused(program: Any, codes: str, compiled: bool) -> None:
    w, v = _variables()
    run = hybridize(lambda: program(w, v)) if compiled else lambda: program(w, v)
    with pytest.raises(HybridizeError) as raised:
        run()
    assert raised.value.code in codes


def test_an_attached_gradient_stays_that_of_the_array() -> None:
    w, v = _variables()
    with autograd.record():
        h = w * w
        h.attach_grad()
        a = h * 2
    a.backward()
    assert (float(h.grad), float(w.grad)) == (2, 2 * 2 * W)
    with autograd.record():
        b = h * v
    b.backward()
    assert (float(h.grad), float(w.grad), float(v.grad)) == (V, 2 * 2 * W, W * W)


@BOTH
def test_a_warning_where_variables_get_no_gradient(compiled: bool) -> None:
    """The generator's image goes to the discriminator again after its graph was freed: it would learn nothing."""
    w, v = _variables()

    def step() -> None:
        with autograd.record():
            image = w * w
            loss = image * v
        loss.backward()
        with autograd.record():
            loss = image * v
        loss.backward()

    with pytest.warns(UserWarning, match=r"a backward pass at (.|\n)*image \* v(.|\n)*retain_graph=True"):
        (hybridize(step) if compiled else step)()


@BOTH
def test_no_warning_where_states_are_carried(compiled: bool) -> None:
    w, v = _variables()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (hybridize(lambda: _carried(w, v)) if compiled else lambda: _carried(w, v))()


@pytest.mark.parametrize("mode", ["imperative", "hybridized", "step"])
@pytest.mark.parametrize("layer", ["LSTM", "GRU", "RNN"])
def test_states_of_layers_are_carried_from_batch_to_batch(layer: str, mode: str) -> None:
    """As `detach` after each batch, which is what it means; the last state alone is no part of the loss's history."""

    def train(detaches: bool) -> list[Any]:
        net = getattr(gluon.rnn, layer)(3, input_size=2)
        net.initialize()
        rng = numpy.random.default_rng(0)
        for parameter in net.collect_params().values():
            parameter.set_data(nd.array(rng.normal(size=parameter.shape) * 0.5))
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
        if mode == "hybridized":
            net.hybridize()

        def step(x: Any, states: Any) -> Any:
            if detaches:
                states = [state.detach() for state in states]
            with autograd.record():
                y, states = net(x, states)
                loss = (y * y).sum()
            loss.backward()
            trainer.step(1)
            return loss, states

        run = hybridize(step) if mode == "step" else step
        states, losses = net.begin_state(batch_size=4), []
        for _ in range(4):
            loss, states = run(nd.array(rng.normal(size=(5, 4, 2))), states)
            losses.append(float(loss.asnumpy().sum()))
        return losses

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        carried = train(False)
    numpy.testing.assert_allclose(carried, train(True), rtol=1e-5)


def test_nothing_of_a_freed_graph_is_kept() -> None:
    w, v = _variables()
    s, nodes = np.array(1.0), []
    for _ in range(3):
        with autograd.record():
            s = s * w
            loss = s * v
        nodes.append(weakref.ref(s._traced.edge[0]))
        loss.backward()
    gc.collect()
    assert [node() is None for node in nodes] == [True, True, False]
    with autograd.record():
        loss = s * v  # which no pass follows
    buffer = weakref.ref(s._data)
    del s, loss
    gc.collect()
    assert buffer() is None


def test_what_is_live_stays_so_after_the_pass_of_another() -> None:
    w, v = _variables()
    with autograd.record():
        chain = [w * 1.0]
        for _ in range(50):
            chain.append(chain[-1] * 1.0)
            (v * 2).backward()
        total = sum(link * 1.0 for link in chain)
    total.backward()
    assert (float(w.grad), float(v.grad)) == (51, 2)


@pytest.mark.parametrize(
    "later", ["view * w", "view[::-1] * w", "np.dot(w.reshape(2, 2), view.reshape(2, 2))", "view.copy()"]
)
def test_a_view_of_a_variable_from_before_a_pass_is_a_constant_or_refused(later):
    read = eval(f"lambda np, w, view: {later}")

    def step(w, v):
        with autograd.record():
            view = v[::-1]
            first = (view * w).sum()
        first.backward()
        with autograd.record():
            second = read(np, w, view).sum() + (w * w).sum()
        second.backward()
        return second

    w, v = (np.array([1.0, -2.0, 3.0, 0.5]) * k for k in (1, 2))
    for x in (w, v):
        x.attach_grad()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        step(w, v)
    assert numpy.array_equal(v.grad, w[::-1]), "the second pass does not come to it, as in MXNet"
    with pytest.raises(HybridizeError, match=r"E544: .* through a view taken before a backward pass"):
        hybridize(step)(w, v)
