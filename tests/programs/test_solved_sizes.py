"""Backward programs whose inputs show a size only with a number besides: it is solved for; or that do not show it."""

import pytest

from hybridize import autograd, hybridize, np, npx
from hybridize.base import dims
from hybridize.base.dims import SizeScope

FUNCTIONS = {
    "pad": lambda x, w: np.pad(x, ((0, 0), (3, 0))) * w,
    "concatenation": lambda x, w: np.concatenate([x, x], axis=1) * w,
    "pad of tanh": lambda x, w: np.pad(np.tanh(x), ((0, 0), (1, 2))) * w.sum(),
    "every second": lambda x, w: x[:, ::2] * w,
    "every third of a pad": lambda x, w: np.pad(x, ((0, 0), (1, 0)))[:, ::3] * w,
    "every second, twice": lambda x, w: (x[:, ::2] + x[:, 1::2][:, :1]) * w,
    "three": lambda x, w: np.concatenate([x, x, x[:, :2]], axis=1) * w,
}


def _branch_of_data(x, w):
    y = w * x.shape[1] if x.sum() > 0 else w
    return y * 2


def _condition(x, w):
    y = x.sum(axis=1, keepdims=True)
    return y * w * 2 if x.shape[1] > 3 * x.shape[0] else y * w


def _pinned(x, w):
    y = np.pad(x, ((0, 0), (1, 0)))
    return y.sum(axis=1, keepdims=True) * w if y.shape[1] == 8 else y.mean(axis=1, keepdims=True) * w


def _pooled(x, w):
    y = npx.pooling(np.expand_dims(x, 1), kernel=(3,), stride=(2,), pad=(1,), pool_type="avg", layout="NCW")
    return np.tanh(y[:, 0] * w) * w


UNTOLD = {
    "a number": lambda x, w: np.sin(x.sum(axis=1, keepdims=True)) * w * x.shape[1],
    "an index": lambda x, w: w[x.shape[1] % 2] * x.sum(),
    "a shift": lambda x, w: np.roll(w, x.shape[1], axis=0) * x.sum(axis=1, keepdims=True),
    "a width of padding": lambda x, w: np.pad(w, ((0, 0), (x.shape[1] // 2, 1))).sum(axis=1) * x.max(),
    "a branch of data": _branch_of_data,
    "a condition": _condition,
    "a condition on one size": _pinned,
    "half of it": _pooled,
}
"""Gradients with respect to `w`, and to both, for which a width is needed that no value of the backward pass has."""


@pytest.mark.parametrize("word", sorted(UNTOLD))
@pytest.mark.parametrize(
    ("options", "both"),
    [({}, False), ({}, True), ({"dynamic": True}, False), ({"backend": "numpy"}, False), ({"verify": "ops"}, True)],
    ids=["weight", "both", "open", "numpy", "verified"],
)
def test_a_size_that_nothing_tells_reaches_the_backward_pass(word, options, both):
    function = UNTOLD[word]
    compiled = hybridize(function, **options)
    for width in (5, 7, 10):
        found = []
        for call in (compiled, function):
            x, w = np.arange(2 * width).reshape(2, width) * 0.1, np.array([[0.5], [0.75]])
            w.attach_grad()
            if both:
                x.attach_grad()
            with autograd.record():
                y = call(x, w)
            y.backward()
            found.append([w.grad.asnumpy(), *([x.grad.asnumpy()] if both else [])])
        for one, other in zip(*found, strict=True):
            assert one == pytest.approx(other, rel=1e-5)


def test_one_backward_program_serves_all_sizes_that_it_cannot_solve(caplog):
    caplog.set_level("DEBUG", "hybridize.programs.differentiated")
    compiled = hybridize(_pooled)
    for width in (8, 9, 12, 13, 20):
        w = np.array([[0.5], [0.75]])
        w.attach_grad()
        with autograd.record():
            y = compiled(np.ones((2, width)), w)
        y.backward()
    assert not caplog.records
    assert len(compiled.programs()) == 2


@pytest.mark.parametrize("word", sorted(FUNCTIONS))
def test_a_second_size_is_recorded(word):
    function = FUNCTIONS[word]
    compiled = hybridize(function)
    for width in (7, 10, 4):
        found = []
        for call in (compiled, function):
            x, w = np.ones((2, width)) * 0.5, np.ones((2, 1))
            x.attach_grad()
            w.attach_grad()
            with autograd.record():
                y = call(x, w)
            y.backward()
            found.append((x.grad.asnumpy(), w.grad.asnumpy()))
        for one, other in zip(*found, strict=True):
            assert one == pytest.approx(other, rel=1e-5)


def test_sizes_are_solved_where_one_symbol_is_unknown():
    scope = SizeScope()
    n = scope.symbol(5)
    assert dims.bind([2 * n + 3], [13]) == {n.symbol: 5}
    assert dims.bind([2 * n + 3], [12]) is None
    assert dims.bind([n + 1, n], [6, 4]) is None
    assert dims.solve(7, 7) is None
