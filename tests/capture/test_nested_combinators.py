"""`npx.foreach`, `npx.while_loop` and `npx.cond` inside of each other: gradients of the first and second order."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from hybridize import autograd, hybridize, np, npx

_RNG = numpy.random.default_rng(3)
X, W = _RNG.standard_normal((3, 4)), _RNG.standard_normal(4) * 0.5


def _while_in_foreach(x: Any, w: Any) -> Any:
    def body(row: Any, state: Any) -> Any:
        rows, last = npx.while_loop(lambda v: (v * v).sum() < 6, lambda v: (v * row, v * 1.3 + w * w), state, 6)
        return rows, np.tanh(last)

    return npx.foreach(body, x, w)[0]


def _while_in_while(x: Any, w: Any) -> Any:
    def body(v: Any) -> Any:
        _, last = npx.while_loop(lambda u: (u * u).sum() < 12, lambda u: (None, u * 1.4 + x[0]), v, 4)
        return v * w, last * 1.2

    return npx.while_loop(lambda v: (v * v).sum() < 200, body, w, 5)[0]


NESTED = {
    "foreach in foreach": lambda x, w: (
        npx.foreach(lambda r, s: npx.foreach(lambda e, t: (e * t, np.tanh(t * 0.5 + e)), r, s), x, w[0])[0]
    ),
    "foreach in foreach, summed": lambda x, w: npx.foreach(
        lambda r, s: (npx.foreach(lambda e, t: (e * t, np.tanh(t * w + e)), r, s)[0].sum(0), np.tanh(s * r)), x, w
    )[0],
    "foreach in cond": lambda x, w: npx.cond(
        x.sum() < 100, lambda: npx.foreach(lambda r, s: (s * r, np.sin(s) + r), x, w)[0], lambda: x
    ),
    "foreach in while": lambda x, w: npx.while_loop(
        lambda v: (v * v).sum() < 30,
        lambda v: (v, npx.foreach(lambda r, s: (r, np.tanh(s * r) + s * w), x, v)[1] + 1), w, 5,
    )[0],
    "cond in foreach": lambda x, w: npx.foreach(
        lambda r, s: (npx.cond(r.sum() > 0, lambda: r * s * s, lambda: np.sin(r - s)), s * w + r), x, w
    )[0],
    "cond in while": lambda x, w: npx.while_loop(
        lambda v: (v * v).sum() < 30,
        lambda v: (np.sin(v), npx.cond(v.sum() > 0.2, lambda: v * 1.5 + w * x[1], lambda: v * v + np.exp(w) * x[0])),
        w, 8,
    )[0],
    "while in cond": lambda x, w: npx.cond(
        x.sum() > -100,
        lambda: npx.while_loop(lambda v: (v * v).sum() < 9, lambda v: (v * v, v * 1.3 + x[0] * w), w, 6)[0],
        lambda: x[:1] * np.zeros((6, 1)),
    ),
    "while in foreach": _while_in_foreach,
    "while in while": _while_in_while,
}  # fmt: skip


def _loss(function: Any, x: Any, w: Any) -> Any:
    y = function(x * 1, w * 1)
    return (y * y * y + y * 0.3).sum()


def _differentiated(function: Any, x: Any, w: Any, order: int, wrap: Any, *, step: bool) -> list[Any]:
    """A number, and its gradients; of order 2 it is made of gradients itself."""
    x, w = np.array(x, dtype="float64"), np.array(w, dtype="float64")
    x.attach_grad()
    w.attach_grad()
    forward = wrap(lambda x, w: _loss(function, x, w)) if not step else lambda x, w: _loss(function, x, w)

    def whole(x: Any, w: Any) -> Any:
        with autograd.record():
            found = forward(x, w)
            if order == 2:
                by_x, by_w = autograd.grad(found, [x, w], create_graph=True)
                found = (by_x * by_x).sum() + (by_w * by_x[0]).sum()
        found.backward()
        return found

    value = (wrap(whole) if step else whole)(x, w)
    return [value.asnumpy(), x.grad.asnumpy(), w.grad.asnumpy()]


def _cases() -> list[Any]:
    """All of both orders; of the second, most are run when there is time."""
    quick = ("while in while", "cond in foreach", "foreach in foreach")
    marks = {(name, 2): [pytest.mark.long] for name in NESTED if name not in quick}
    return [pytest.param(name, order, marks=marks.get((name, order), [])) for name in NESTED for order in (1, 2)]


@pytest.mark.parametrize(("name", "order"), _cases())
def test_gradients_of_nested_combinators(name, order):
    function = NESTED[name]
    expected = _differentiated(function, X, W, order, lambda f: f, step=False)
    rng = numpy.random.default_rng(1)
    dx, dw = rng.standard_normal(X.shape) * 1e-6, rng.standard_normal(W.shape) * 1e-6
    ends = [_differentiated(function, X + k * dx, W + k * dw, order, lambda f: f, step=False)[0] for k in (1, -1)]
    along = (expected[1] * dx).sum() + (expected[2] * dw).sum()
    numpy.testing.assert_allclose(along, (ends[0] - ends[1]) / 2, rtol=1e-5)
    for step in (False, True):
        found = _differentiated(function, X, W, order, hybridize, step=step)
        for ours, theirs in zip(found, expected, strict=True):
            numpy.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-11)
