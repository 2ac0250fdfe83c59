"""Whole modules where a part of the input does not count: padding, masks, labels that end; PyTorch's gradients."""

from functools import partial

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from hybridize import hybridize
from hybridize.base.errors import CaptureError


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


def same(module, *args):
    """Values and gradients, of the arguments and of the parameters, are PyTorch's."""
    both = []
    for run in (module, hybridize(module)):
        given = [x.detach().clone().requires_grad_(x.requires_grad) for x in args]
        module.zero_grad()
        y = run(*given)
        (y * torch.linspace(-1, 2, y.numel(), dtype=y.dtype).reshape(y.shape)).sum().backward()
        tensors = [x for x in given if x.requires_grad] + list(module.parameters())
        both.append([y.detach(), *(torch.zeros_like(x) if x.grad is None else x.grad.clone() for x in tensors)])
    for theirs, ours in zip(*both, strict=True):
        torch.testing.assert_close(ours, theirs, equal_nan=True)


@pytest.mark.parametrize("padding", [None, 0, 3, -1])
def test_the_row_for_padding_has_no_gradient(padding):
    torch.manual_seed(0)
    module = nn.Embedding(5, 2, padding_idx=padding)
    same(module, torch.tensor([[0, 3, 4], [3, 0, 1]]))
    if padding == 3:
        same(module, torch.tensor(3))


def test_an_embedding_by_frequency_is_refused():
    with pytest.raises(CaptureError, match="E422: an Embedding with scale_grad_by_freq") as caught:
        hybridize(nn.Embedding(5, 2, scale_grad_by_freq=True))(torch.tensor([1]))
    assert "scale_grad_by_freq=False" in str(caught.value)


ROWS = [[True, True, True], [False] * 3, [True, False, True]]


@pytest.mark.parametrize("mask", ["bool", "float", "trained"])
def test_rows_that_are_wholly_masked(mask):
    torch.manual_seed(0)
    allowed = torch.tensor(ROWS)
    q, k, v = (torch.randn(2, 2, 3, 4, requires_grad=True) for _ in range(3))
    bias = torch.zeros(3, 3).masked_fill(~allowed, -float("inf")).requires_grad_(mask == "trained")
    same(Function(F.scaled_dot_product_attention), q, k, v, allowed if mask == "bool" else bias)


def test_attention_of_a_module_with_a_sequence_that_is_all_padding():
    torch.manual_seed(0)
    attention = nn.MultiheadAttention(8, 2, batch_first=True)
    x = torch.randn(2, 3, 8, requires_grad=True)
    padding = torch.tensor([[False, False, True], [True, True, True]])

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention = attention

        def forward(self, x, padding):
            return self.attention(x, x, x, key_padding_mask=padding, need_weights=False)[0]

    same(Attention(), x, padding)


LABELS = torch.tensor([[3, 0, -1, 1], [3, 0, -1, -1], [3, 0, 1, 2], [-1, 0, -1, 1], [2, 2, -1, 0], [1, -1, 3, 3]])


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_labels_end_at_the_first_negative_one(reduction):
    x = torch.linspace(-0.7, 1.9, LABELS.numel()).reshape(LABELS.shape).requires_grad_()
    same(nn.MultiLabelMarginLoss(reduction=reduction), x, LABELS)


def test_labels_of_one_sample():
    x = torch.tensor([0.1, 0.2, 0.4, 0.8], requires_grad=True)
    same(nn.MultiLabelMarginLoss(), x, LABELS[0])
    with pytest.raises(CaptureError, match="E422: a MultiLabelMarginLoss of one sample"):
        hybridize(nn.MultiLabelMarginLoss(reduction="none"))(x, LABELS[0])


DEVIATIONS = {
    "std": lambda x: x.std(1), "std_all": lambda x: x.std(), "std_biased": lambda x: x.std(1, unbiased=False),
    "std_mean": lambda x: torch.cat(torch.std_mean(x, 1)), "std_keepdim": lambda x: x.std((0, 1), keepdim=True),
    "var_biased": lambda x: x.var(0, unbiased=False), "var_mean": lambda x: torch.cat(torch.var_mean(x, 1, unbiased=False)),
    "var_all": lambda x: x.var(unbiased=False), "std_correction": lambda x: torch.std(x, 1, correction=2),
}  # fmt: skip


def _joined(functions):
    """The results of all functions as one vector, each of a row of its own."""

    def function(x):
        return torch.cat([one(row).flatten() for one, row in zip(functions, x, strict=True)])

    return Function(function)


def test_deviations_of_equal_elements():
    x = torch.tensor([[[1.0, 1.0, 1.0], [1.0, 2.0, 4.0]]] * len(DEVIATIONS))
    x[1] = x[3] = 1.0
    same(_joined(DEVIATIONS.values()), x.requires_grad_())


def test_every_norm_has_a_gradient():
    x = torch.tensor([[[0.5, -2.0, 0.0], [1.0, 3.0, -4.0]]] * 6, requires_grad=True)
    orders = (0, 1, 2, 3, float("inf"), -float("inf"))
    same(_joined([partial(torch.linalg.vector_norm, ord=order, dim=1) for order in orders]), x)
    same(Function(lambda x: torch.linalg.vector_norm(x, 0, dim=1)), x)
