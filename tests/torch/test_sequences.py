"""PyTorch's attention and what stands around it, as compositions of our own: values and gradients, dropout, files."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from hybridize import hybridize


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *xs):
        return self.function(*xs)


def drawn(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).requires_grad_()


MASK = torch.rand(2, 1, 5, 7, generator=torch.Generator().manual_seed(1)) > 0.4
FUNCTIONS = {
    "plain": (lambda q, k, v: F.scaled_dot_product_attention(q, k, v), (2, 4, 5, 8), (2, 4, 7, 8), (2, 4, 7, 6)),
    "causal": (lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.3), (4, 5, 8), (4, 5, 8), (4, 5, 6)),
    "masked": (lambda q, k, v: F.scaled_dot_product_attention(q, k, v, MASK), (2, 4, 5, 8), (2, 4, 7, 8), (2, 4, 7, 6)),
    "grouped": (lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True), (2, 4, 5, 8), (2, 2, 7, 8), (2, 2, 7, 6)),
    "no heads": (lambda q, k, v: F.scaled_dot_product_attention(q, k, v), (5, 8), (7, 8), (7, 6)),
    "broadcast": (lambda q, k, v: F.scaled_dot_product_attention(q, k, v), (2, 4, 5, 8), (1, 4, 7, 8), (2, 1, 7, 6)),
    "gates": (lambda q, k, v: F.glu(q, 1) + F.glu(k) .sum() + F.glu(v, 0).sum(), (3, 4), (2, 6), (4, 1)),
    "root mean squares": (lambda q, k, v: F.rms_norm(q, (3, 4)) + F.rms_norm(q, (3, 4), k, 1e-2) + v, (2, 3, 4), (3, 4), (1,)),
}  # fmt: skip


SHORT = {"grouped", "root mean squares"}


@pytest.mark.parametrize(
    "name", [one if one in SHORT else pytest.param(one, marks=pytest.mark.long) for one in FUNCTIONS]
)
def test_as_pytorch(name):
    function, *shapes = FUNCTIONS[name]
    xs = [drawn(*shape, seed=k) for k, shape in enumerate(shapes)]
    again = [x.detach().clone().requires_grad_() for x in xs]
    compiled = hybridize(Function(function))
    found, wanted = compiled(*xs), function(*again)
    torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-5)
    for y in (found, wanted):
        y.cos().sum().backward()
    for x, one in zip(xs, again, strict=True):
        torch.testing.assert_close(x.grad, one.grad, rtol=1e-4, atol=1e-5)
    assert compiled.program(*xs).fallbacks == ()


def test_it_stays_one_op():
    compiled = hybridize(Function(lambda x: F.scaled_dot_product_attention(x, x, x, is_causal=True)))
    x = drawn(2, 4, 5, 8)
    compiled(x)
    assert [node.op.name for node in compiled.program(x).captured.nodes] == ["scaled_dot_product_attention"]


def test_dropped_weights():
    """Each is dropped with its probability, and what is left is scaled."""
    compiled = hybridize(Function(lambda q, v: F.scaled_dot_product_attention(q, q, v, dropout_p=0.3)))
    found = compiled(torch.zeros(1, 400, 4), torch.ones(1, 400, 1))
    assert abs(found.mean() - 1) < 0.02
    assert 0.02 < found.std() < 0.05, "sqrt(0.3 / 0.7 / 400) is 0.033"


@pytest.mark.long
@pytest.mark.parametrize("norm_first", [False, True])
def test_a_transformer(norm_first):
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(16, 4, 32, 0.0, batch_first=True, norm_first=norm_first)
    x, again = drawn(2, 5, 16), drawn(2, 5, 16)
    found, wanted = hybridize(layer)(x), layer(again)
    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)
    found.cos().sum().backward()
    layer.zero_grad()
    wanted.cos().sum().backward()
    torch.testing.assert_close(x.grad, again.grad, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("options", [{}, {"batch_first": True}, {"padding_value": -1.5, "padding_side": "left"}])
def test_padding_sequences_to_the_longest(options):
    class Padded(nn.Module):
        def forward(self, *rows):
            return nn.utils.rnn.pad_sequence(rows, **options)

    fast = hybridize(Padded())
    for sizes in ((3, 5, 2), (4, 1, 7)):
        given = [torch.rand(n, 2, dtype=torch.float64, requires_grad=True) for n in sizes]
        ours, theirs = fast(*given), Padded()(*given)
        torch.testing.assert_close(ours, theirs)
        found, expected = (torch.autograd.grad(y.square().sum(), given) for y in (ours, theirs))
        torch.testing.assert_close(found, expected)
