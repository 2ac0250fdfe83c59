"""Distributions check their arguments in a program as they do in PyTorch: by our own capture, and loudly."""

import pytest
import torch
from torch import distributions as d

from hybridize import hybridize

CHECKED = {
    "Normal": lambda x, y: d.Normal(y, x).log_prob(y),
    "Categorical": lambda x, y: d.Categorical(probs=x).entropy(),
    "StudentT": lambda x, y: d.StudentT(x, y, x).log_prob(y),
    "Bernoulli": lambda x, y: d.Bernoulli(logits=y).log_prob((y > 0).float()),
    "Exponential": lambda x, y: d.Exponential(torch.ones_like(x)).log_prob(x),  # the value is what is checked
    "Independent": lambda x, y: d.Independent(d.Laplace(y, x), 1).log_prob(y),
}
INVALID = ("Normal", "StudentT", "Exponential", "Independent")


class Checked(torch.nn.Module):
    def __init__(self, name):
        super().__init__()
        self.name = name

    def forward(self, x, y):
        return CHECKED[self.name](x, y)


@pytest.mark.parametrize("gradients", [False, True])
@pytest.mark.parametrize("name", CHECKED)
def test_arguments_are_checked_at_each_call(name, gradients):
    module = Checked(name)
    fast = hybridize(module)
    for rows in (2, 2, 3):
        x, y = torch.rand(rows, 4) + 0.5, torch.randn(rows, 4, requires_grad=gradients)
        with torch.set_grad_enabled(gradients):
            torch.testing.assert_close(fast(x, y), module(x, y))
    if name in INVALID:
        for one in (module, fast):
            with pytest.raises(ValueError, match="invalid"):
                one(-x, y)
