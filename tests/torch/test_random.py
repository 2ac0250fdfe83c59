"""Modules that draw random numbers: torch's seed, one mask for both passes, the right distribution."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

from hybridize import hybridize, load


class Lambda(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def twice(fast, x, seed=0):
    """Two results of one seed."""
    results = []
    for _ in range(2):
        torch.manual_seed(seed)
        results.append(fast(x))
    return results


@pytest.mark.parametrize("gradients", [True, False])
def test_torch_has_the_seed(gradients):
    fast = hybridize(nn.Sequential(nn.Linear(6, 50), nn.Dropout(0.5)))
    x = torch.rand(8, 6)
    with torch.set_grad_enabled(gradients):
        first, second = twice(fast, x)
        assert torch.equal(first, second)
        assert not torch.equal(first, fast(x))
        torch.manual_seed(1)
        assert not torch.equal(first, fast(x))


def test_the_mask_of_the_backward_pass_is_that_of_the_forward_pass():
    fast = hybridize(nn.Dropout(0.25))
    for rows in (100, 200, 300):
        x = torch.rand(rows, 40, dtype=torch.float64, requires_grad=True)
        y = fast(x)
        y.sum().backward()
        kept = y != 0
        torch.testing.assert_close(y[kept], x.detach()[kept] / 0.75)
        torch.testing.assert_close(x.grad, kept.double() / 0.75)
        assert abs(kept.double().mean().item() - 0.75) < 0.05
    assert fast.cache_info()["programs"] == 2


def test_two_masks_of_one_call_are_independent():
    fast = hybridize(Lambda(lambda x: (F.dropout(x, 0.5), F.dropout(x, 0.5))))
    a, b = (y != 0 for y in fast(torch.ones(100, 100)))
    assert abs((a == b).float().mean().item() - 0.5) < 0.05


def test_second_derivatives_see_the_same_mask():
    fast = hybridize(nn.Sequential(nn.Linear(4, 30), nn.Tanh(), nn.Dropout(0.5), nn.Linear(30, 1)).double())
    x = torch.rand(5, 4, dtype=torch.float64, requires_grad=True)

    def run(x):
        torch.manual_seed(3)
        return fast(x)

    assert torch.autograd.gradcheck(run, (x,))
    assert torch.autograd.gradgradcheck(run, (x,))


def test_rates_at_the_ends_and_in_eval_mode():
    x = torch.rand(4, 5)
    assert torch.equal(hybridize(nn.Dropout(0.0))(x), x)
    assert not hybridize(nn.Dropout(1.0))(x).any()
    module = nn.Dropout(0.9)
    fast = hybridize(module)
    assert not torch.equal(fast(x), x)
    module.eval()
    assert torch.equal(fast(x), x)


@pytest.mark.parametrize(
    ("function", "mean", "deviation"),
    [
        (lambda x: torch.rand_like(x), 0.5, math.sqrt(1 / 12)),
        (lambda x: torch.rand(100, 200, dtype=torch.float64), 0.5, math.sqrt(1 / 12)),
        (lambda x: torch.randn_like(x), 0.0, 1.0),
        (lambda x: torch.randn(100, 200, dtype=torch.float64) * 2 + 1, 1.0, 2.0),
        (lambda x: torch.bernoulli(x * 0 + 0.3), 0.3, math.sqrt(0.21)),
        (lambda x: torch.empty_like(x).uniform_(-1, 3), 1.0, math.sqrt(16 / 12)),
        (lambda x: torch.empty_like(x).exponential_(2.0), 0.5, 0.5),
        (lambda x: torch.distributions.Normal(x * 0 + 3, 0.5).rsample(), 3.0, 0.5),
        (lambda x: -torch.log(-torch.log(torch.rand_like(x) + 1e-12)), 0.5772, math.pi / math.sqrt(6)),
        (lambda x: torch.randint(2, 6, (100, 200)).double(), 3.5, math.sqrt(15 / 12)),
        (lambda x: torch.distributions.Categorical(probs=x * 0 + 1 / 200).sample((50,)).double(), 99.5, 57.7),
        (lambda x: F.alpha_dropout(torch.randn_like(x), 0.3, training=True), 0.0, 1.0),
        (lambda x: F.rrelu(x * 0 - 1, 0.1, 0.3, training=True), -0.2, 0.2 / math.sqrt(12)),
        (lambda x: F.gumbel_softmax(x.reshape(2000, 10) * 0)[:, 0] * 10, 1.0, None),
    ],
)
def test_distributions(function, mean, deviation):
    fast = hybridize(Lambda(function))
    x = torch.ones(100, 200)
    y, again = fast(x), fast(x)
    assert not torch.equal(y, again)
    both = torch.stack([y, again]).double()
    assert y.dtype == function(x).dtype
    assert y.shape == function(x).shape
    spread = both.std().item()
    assert abs(both.mean().item() - mean) < 0.04 * max(spread, 0.1)
    if deviation is not None:
        assert abs(spread / deviation - 1) < 0.03


def test_a_permutation():
    fast = hybridize(Lambda(lambda x: torch.randperm(20) + 0 * x.long()))
    first, second = fast(torch.zeros(20)), fast(torch.zeros(20))
    assert sorted(first.tolist()) == sorted(second.tolist()) == list(range(20))
    assert first.tolist() != second.tolist()


def test_gradients_of_draws_are_zero():
    fast = hybridize(Lambda(lambda x: (torch.bernoulli(x.sigmoid()), x * torch.rand_like(x))))
    x = torch.rand(5, 6, requires_grad=True)
    hard, soft = fast(x)
    assert hard.requires_grad and x.sigmoid().bernoulli().requires_grad  # as PyTorch says; the gradient is 0
    (hard.sum() + soft.sum()).backward()
    torch.testing.assert_close(x.grad, (soft / x).detach())


def test_a_straight_through_sample():
    fast = hybridize(Lambda(lambda x: F.gumbel_softmax(x, tau=0.5, hard=True)))
    x = torch.zeros(300, 4, requires_grad=True)
    y = fast(x)
    assert set(y.detach().round(decimals=5).unique().tolist()) == {0.0, 1.0}
    assert (y.detach().sum(1).round(decimals=5) == 1).all()
    (y * torch.arange(4)).sum().backward()
    assert x.grad.abs().sum() > 0


def test_a_checkpoint_draws_the_same_again():
    fast = hybridize(nn.Sequential(nn.Linear(4, 40), nn.Dropout(0.5)))
    x = torch.rand(5, 4, requires_grad=True)
    torch.manual_seed(0)
    fast(x).square().sum().backward()
    plain, x.grad = x.grad, None
    torch.manual_seed(0)
    checkpoint(fast, x, use_reentrant=False).square().sum().backward()
    torch.testing.assert_close(x.grad, plain)


def test_training_with_dropout_learns_and_repeats():
    def train():
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, 2))
        fast, optimizer = hybridize(net), torch.optim.Adam(net.parameters(), lr=0.02)
        losses = []
        for _ in range(60):
            x = torch.randn(64, 6)
            loss = F.cross_entropy(fast(x), (x[:, 0] * x[:, 1] > 0).long())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses

    losses = train()
    assert losses == train()
    assert sum(losses[-10:]) < 0.75 * sum(losses[:10])


def test_a_transformer_layer_in_training_mode():
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.2, batch_first=True)
    fast = hybridize(layer)
    x = torch.rand(3, 5, 8)
    first, second = twice(fast, x)
    assert torch.equal(first, second)
    first.sum().backward()
    assert all(p.grad is not None for p in layer.parameters())


def test_a_saved_module_draws_too(tmp_path):
    fast = hybridize(nn.Sequential(nn.Linear(6, 50), nn.Dropout(0.5)))
    x = torch.rand(8, 6)
    fast(x)
    fast.save(tmp_path / "net")
    again = load(tmp_path / "net")
    first, second = again(x.numpy()).asnumpy(), again(x.numpy()).asnumpy()
    assert (first != second).any()
    assert 0.3 < (first == 0).mean() < 0.7


def test_a_gradient_of_the_users_own_beside_draws():
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2

        @staticmethod
        def backward(ctx, g):
            return g * 5

    fast = hybridize(Lambda(lambda x: F.dropout(Doubled.apply(x))))
    x = torch.rand(30, 30, requires_grad=True)
    for _ in range(2):
        y, x.grad = fast(x), None
        y.sum().backward()
        kept = y.detach() != 0
        torch.testing.assert_close(y.detach()[kept], x.detach()[kept] * 4)
        torch.testing.assert_close(x.grad, kept * 10.0)
