"""Backward programs whose inputs show a size only with a number besides: it is solved for; or that do not show it."""

import pytest

from hybridize import autograd, hybridize, np
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
