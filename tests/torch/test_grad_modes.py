"""Grad modes within a function and around its call: what is recorded, and what `requires_grad` says."""

import itertools

import pytest
import torch
from torch import nn

from hybridize import hybridize

WEIGHT = torch.full((3,), 2.0, requires_grad=True)
MODES = {"grad": torch.enable_grad, "no_grad": torch.no_grad, "inference": torch.inference_mode}


class InferenceWithGrad:
    def __init__(self):
        self.contexts = torch.inference_mode(), torch.enable_grad()

    def __enter__(self):
        for one in self.contexts:
            one.__enter__()

    def __exit__(self, *exc):
        for one in reversed(self.contexts):
            one.__exit__(*exc)


MODES["inference, grad"] = InferenceWithGrad
ORDERS = [("grad", "no_grad"), ("no_grad", "inference, grad"), ("inference", "no_grad"), ("inference, grad", "grad")]


def after(x):
    with torch.enable_grad():
        y = x * WEIGHT
    return y, y.requires_grad, (y + 1).requires_grad, y.is_leaf


def within(x):
    with torch.set_grad_enabled(True):
        y = x * WEIGHT
        asked = y.requires_grad
    return y, asked


def nested(x):
    with torch.no_grad():
        z = x * WEIGHT
        with torch.enable_grad():
            y = z * WEIGHT
    return y, z, y.requires_grad, z.requires_grad


def decided(x):
    with torch.enable_grad():
        y = x * WEIGHT
    return y * 10 if y.requires_grad else y


def argument(x):
    return x * 2, x.requires_grad, (x * 2).requires_grad, x.detach().requires_grad


def sums(x):
    with torch.enable_grad():
        y = x + WEIGHT
    return y, y.requires_grad


class Module(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def outcome(function, x):
    parts = torch.utils._pytree.tree_leaves(function(x))
    return [(one.requires_grad, one.detach().tolist()) if isinstance(one, torch.Tensor) else one for one in parts]


@pytest.mark.parametrize("door", [hybridize, lambda function: hybridize(Module(function))], ids=["function", "module"])
@pytest.mark.parametrize("function", [after, within, nested, decided, argument, sums], ids=lambda one: one.__name__)
def test_modes_around_and_within(function, door):
    """In any order of two modes around, for arguments with and without a gradient, twice: by Python and by the entry."""
    for order in ORDERS:
        compiled = door(function)
        for name, wants in itertools.product((*order, order[0]), (False, True, True)):
            x = torch.tensor([1.0, -1.0, 0.5], requires_grad=wants)
            with MODES[name]():
                assert outcome(compiled, x) == outcome(function, x), (order, name, wants)


def test_tensors_of_inference_mode():
    """One that a gradient would have to keep is PyTorch's error; else it is an operand like others."""
    with torch.inference_mode():
        x = torch.ones(3)
    for mode in ("grad", "no_grad", "inference"):
        with MODES[mode]():
            assert outcome(hybridize(sums), x) == outcome(sums, x)
    for function in (after, hybridize(after)):
        with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
            function(x)


CREATIONS = [
    lambda x, **options: torch.zeros_like(x, **options), lambda x, **options: torch.ones(3, **options),
    lambda x, **options: torch.tensor([1.0, 2.0, 3.0], **options), lambda x, **options: torch.full((3,), 2.0, **options),
    lambda x, **options: x.new_ones(3, **options), lambda x, **options: torch.linspace(0, 1, 3, **options),
]  # fmt: skip


@pytest.mark.parametrize("create", CREATIONS)
def test_tensors_made_with_a_gradient(create):
    """A leaf of the program's own: gradients go to it, asked for or left in `grad`; without the word there are none."""

    def asked(x):
        shift = create(x, requires_grad=True)
        loss = ((x + shift) * WEIGHT.detach()).square().sum()
        return (*torch.autograd.grad(loss, shift), shift.requires_grad, shift.is_leaf)

    def left(x):
        shift = create(x, requires_grad=True)
        (x * shift).square().sum().backward()
        return shift.grad

    def alone(x):
        return create(x, requires_grad=True), create(x, requires_grad=False)

    x = torch.tensor([1.0, -2.0, 0.5])
    for function in (asked, left, alone):
        assert outcome(hybridize(function), x) == outcome(function, x)
    with torch.no_grad():
        assert outcome(hybridize(alone), x) == outcome(alone, x)
