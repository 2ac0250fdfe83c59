"""Numbers that PyTorch refuses when it sees them: programs raise the same class of error, and none for others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")
F = torch.nn.functional

from hybridize import hybridize  # noqa: E402

X = torch.arange(12.0).reshape(3, 4)
NAN, INF = float("nan"), float("inf")

# What is called, a tensor that it takes, and those that it refuses.
CALLS: dict[str, tuple[Callable[[Any], Any], Any, list[Any]]] = {
    "bernoulli": (torch.bernoulli, [0.0, 1.0], [[0.5, 1.5], [-0.1, 0.5], [NAN, 1]]),
    "bernoulli_": (lambda p: torch.zeros(2).bernoulli_(p), [0.0, 1.0], [[0.5, 1.5], [NAN, 1]]),
    "normal": (lambda s: torch.normal(torch.ones(2), s), [0.0, 0.0], [[1.0, -1.0], [NAN, 1]]),
    "multinomial": (lambda p: torch.multinomial(p, 1), [0.0, 1.0], [[1.0, -1.0], [INF, 1.0], [NAN, 1.0], [0.0, 0.0]]),
    "multinomial, replaced": (lambda p: torch.multinomial(p, 3, True), [[0.0, 1.0], [2.0, 0.0]],
                              [[[1.0, 1.0], [0.0, 0.0]], [[1.0, -1.0], [1.0, 1.0]]]),
    "binary_cross_entropy": (lambda p: F.binary_cross_entropy(p, torch.ones(2)), [0.0, 1.0], [[0.5, 1.5], [NAN, 1]]),
    "of targets": (lambda t: F.binary_cross_entropy(torch.full((2,), 0.5), t), [0.0, 1.0], [[0.5, 1.5], [NAN, 1]]),
    "quantile": (lambda q: torch.quantile(X, q), 0.25, [1.5, -0.1, NAN]),
    "quantiles": (lambda q: torch.quantile(X, q, dim=1), [0.25, 1.0], [[0.2, 1.5]]),
    "nanquantile": (lambda q: torch.nanquantile(X, q), 0.25, [1.5, NAN]),
    "gather": (lambda i: torch.gather(X, 1, i), [[0, 3]], [[[0, 4]], [[-1, 0]]]),
    "scatter": (lambda i: X.scatter(1, i, 1.0), [[0, 3]], [[[0, 4]], [[-1, 0]]]),
    "scatter_": (lambda i: X.clone().scatter_(1, i, X), [[0, 3]], [[[0, 4]], [[-1, 0]]]),
    "scatter_add": (lambda i: X.scatter_add(0, i, X), [[0, 2]], [[[0, 3]], [[-1, 0]]]),
    "scatter_reduce": (lambda i: X.scatter_reduce(1, i, X, "amax"), [[0, 3]], [[[0, 4]]]),
    "one_hot": (lambda i: F.one_hot(i, 3), [0, 2], [[0, 3], [-1, 0]]),
    "index_select": (lambda i: X.index_select(1, i), [0, 3], [[0, 4], [-1, 0]]),
    "index_add": (lambda i: X.index_add(1, i, X[:, :2]), [0, 3], [[0, 4]]),
    "index_copy": (lambda i: X.index_copy(1, i, X[:, :2]), [0, 3], [[0, 4]]),
    "index_fill": (lambda i: X.index_fill(1, i, 2.0), [0, 3], [[0, 4]]),
    "take": (X.take, [0, 11, -1], [[12], [-13]]),
    "take_along_dim": (lambda i: torch.take_along_dim(X, i, 1), [[0, 9, -1, -6]], []),
    "take_along_dim, flat": (lambda i: torch.take_along_dim(X, i), [0, 11], [[12], [-1]]),
    "[i]": (lambda i: X[i], [0, -3], [[3], [-4]]),
    "[:, i] = ": (lambda i: X.clone().index_put((i,), torch.ones(4)), [0, -3], [[3], [-4]]),
    "embedding": (lambda i: F.embedding(i, X), [0, 2], [[3], [-1]]),
    "embedding_bag": (lambda i: F.embedding_bag(i, X, torch.tensor([0])), [0, 2], [[0, 3]]),
    "cross_entropy": (lambda i: F.cross_entropy(X, i), [0, 3, 1], [[0, 4, 1]]),
    "nll_loss": (lambda i: F.nll_loss(X, i), [0, 3, 1], [[0, 4, 1]]),
    "multi_margin_loss": (lambda i: F.multi_margin_loss(X, i), [0, 3, 1], [[0, 4, 1]]),
    "multilabel_margin_loss": (lambda i: F.multilabel_margin_loss(X, i), [[0, 3, -1, 0]] * 3, [[[0, 4, -1, 0]] * 3]),
    "max_unpool1d": (lambda i: F.max_unpool1d(X[:1, None, :2], i, 2), [[[0, 3]]], [[[0, 4]]]),
    "//": (lambda y: torch.tensor([7, 8]) // y, [2, -3], [[2, 0]]),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_numbers_that_are_refused(name: str) -> None:
    function, good, bad = CALLS[name]
    fast = hybridize(lambda x: function(x))
    good = torch.tensor(good)
    torch.testing.assert_close(fast(good), function(good))
    for one in map(torch.tensor, bad):
        with pytest.raises(Exception) as wanted:  # its class is compared
            function(one)
        with pytest.raises(type(wanted.value)):
            fast(one)
    torch.testing.assert_close(fast(good), function(good))


@pytest.mark.parametrize("name", [name for name in CALLS if CALLS[name][2]])
def test_only_what_runs_is_refused(name: str) -> None:
    function, good, bad = CALLS[name]

    @hybridize
    def branched(x: Any, y: Any) -> Any:
        return function(x) if y > 0 else function(torch.tensor(good))

    x = torch.tensor(good)
    torch.testing.assert_close(branched(x, torch.tensor(1.0)), function(x))
    wrong = torch.tensor(bad[0])
    if wrong.shape == x.shape and not wrong.isnan().any() and not wrong.isinf().any():
        with pytest.raises((RuntimeError, IndexError)):
            branched(wrong, torch.tensor(1.0))
        branched(wrong, torch.tensor(-1.0))


SETTINGS: dict[str, Callable[[Any], Any]] = {
    "uniform_": lambda x: x.uniform_(1.0, 0.0),
    "normal_": lambda x: x.normal_(0.0, -1.0),
    "log_normal_": lambda x: x.log_normal_(0.0, -1.0),
    "exponential_": lambda x: x.exponential_(-1.0),
    "cauchy_": lambda x: x.cauchy_(0.0, -1.0),
    "geometric_": lambda x: x.geometric_(1.5),
    "bernoulli_": lambda x: x.bernoulli_(1.5),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_of_distributions(name: str) -> None:
    with pytest.raises(RuntimeError) as wanted:
        SETTINGS[name](torch.ones(2))
    with pytest.raises(RuntimeError) as found:
        hybridize(lambda x: SETTINGS[name](x.clone()))(torch.ones(2))
    assert str(found.value).split()[0] == str(wanted.value).split()[0]


def test_losses_with_gradients_refuse_the_same() -> None:
    @hybridize
    def loss(x: Any) -> Any:
        return F.binary_cross_entropy(x, torch.ones(2))

    x = torch.tensor([0.25, 0.5], requires_grad=True)
    loss(x).backward()
    torch.testing.assert_close(x.grad, torch.tensor([-2.0, -1.0]))
    with pytest.raises(RuntimeError, match="all elements of input should be between 0 and 1"):
        loss(torch.tensor([0.25, 1.5], requires_grad=True)).backward()
