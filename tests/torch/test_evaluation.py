"""A module that is evaluated without gradients after training is not captured again: the graph is there."""

import copy

import pytest
import torch
from torch import nn

import hybridize.capture.function as capturing
from hybridize import hybridize


@pytest.fixture
def captures(monkeypatch):
    """The functions that were captured, one entry each time."""
    found, capture = [], capturing.capture

    def counting(function, *args, **kwargs):
        found.append(function)
        return capture(function, *args, **kwargs)

    monkeypatch.setattr(capturing, "capture", counting)
    return found


def net():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 5), nn.LayerNorm(5), nn.GELU(), nn.Linear(5, 3)).double()


def train(fast, module, rows=6):
    module.zero_grad()
    fast(torch.randn(rows, 4, dtype=torch.float64)).square().sum().backward()
    with torch.no_grad():
        for p in module.parameters():
            p.sub_(p.grad * 0.1)


@pytest.mark.parametrize("context", [torch.no_grad, torch.inference_mode])
def test_evaluation_after_training(context, captures):
    module = net()
    fast, twin = hybridize(module), copy.deepcopy(module)
    for _ in range(3):
        train(fast, module)
        twin.load_state_dict(module.state_dict())
        for _ in range(3):
            x = torch.randn(6, 4, dtype=torch.float64)
            with context():
                found = fast(x)
                torch.testing.assert_close(found, twin(x))
                assert found.is_inference() == (context is torch.inference_mode)
            assert not found.requires_grad
    assert len(captures) == 1


def test_of_any_size(captures):
    module = net()
    fast = hybridize(module)
    for rows in (6, 7, 8, 9):
        train(fast, module, rows)
        with torch.no_grad():
            x = torch.randn(rows, 4, dtype=torch.float64)
            torch.testing.assert_close(fast(x), module(x))
    with torch.no_grad():
        for rows in (11, 12, 1):
            x = torch.randn(rows, 4, dtype=torch.float64)
            torch.testing.assert_close(fast(x), module(x))
    assert len(captures) <= 3


class Asking(nn.Module):
    """What each of these gives depends on whether gradients are recorded."""

    def __init__(self, asked):
        super().__init__()
        self.linear, self.asked = nn.Linear(4, 4), asked

    def forward(self, x):
        return self.linear(x) * (2 if self.asked(self, x) else 3)


ASKED = {
    "the mode": lambda self, x: torch.is_grad_enabled(),
    "a result": lambda self, x: self.linear(x).requires_grad,
    "a parameter": lambda self, x: (self.linear.weight * 1).requires_grad,
    "a leaf": lambda self, x: (self.linear.weight * 1).is_leaf,
    "inference": lambda self, x: not torch.is_inference_mode_enabled(),
}


@pytest.mark.parametrize("name", ASKED)
def test_what_asks_for_the_mode_is_captured_for_each(name):
    module = Asking(ASKED[name])
    fast = hybridize(module)
    for context in (torch.enable_grad, torch.no_grad, torch.enable_grad, torch.inference_mode, torch.no_grad):
        for _ in range(2):
            with context():
                x = torch.randn(2, 4)
                torch.testing.assert_close(fast(x), module(x))


def test_modes_and_weights_are_those_of_the_call(captures):
    module = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.BatchNorm1d(4))
    fast, twin = hybridize(module), copy.deepcopy(module)
    fast(torch.randn(6, 4)).sum().backward()
    twin.load_state_dict(module.state_dict())
    for one in (module, twin):
        one.eval()
    x = torch.randn(6, 4)
    with torch.no_grad():
        torch.testing.assert_close(fast(x), twin(x))
        for one in (module, twin):
            one[0].weight = nn.Parameter(torch.ones(4, 4))
        torch.testing.assert_close(fast(x), twin(x))


def test_effects_and_state_are_those_of_the_call(captures):
    class Keeping(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear, self.calls = nn.Linear(4, 4), 0

        def forward(self, x):
            self.calls += 1
            self.last = self.linear(x)
            return self.last * 2

    module = Keeping()
    fast = hybridize(module)
    for number, context in enumerate((torch.enable_grad, torch.no_grad) * 3):
        with context():
            x = torch.randn(2, 4)
            found = fast(x)
        torch.testing.assert_close(found, module.linear(x) * 2)
        torch.testing.assert_close(module.last * 2, found)
        assert module.last.requires_grad == found.requires_grad == (context is torch.enable_grad)
        assert module.calls == number + 1
