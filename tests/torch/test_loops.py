"""Forty training loops: the losses of ten steps, and all state after them, are PyTorch's."""

import copy

import pytest
import torch

from hybridize import hybridize
from tests.torch.loops import LOOPS

SINGLE = (
    "mlp_sgd", "mlp_adam", "batch_norm", "ragged_batches", "embedding_classifier", "lstm_by_hand", "transformer_layer",
    "variational_autoencoder", "adversarial", "gradient_penalty", "causal_language_model_with_tied_weights", "codebook",
)  # fmt: skip


@pytest.fixture
def precision(request):
    before = torch.get_default_dtype()
    torch.set_default_dtype(request.param)
    yield request.param
    torch.set_default_dtype(before)


def train(made, runs, steps=10):
    optimizers = made.optimizers(made.nets)
    schedules = [made.schedule(one) for one in optimizers] if made.schedule else []
    losses = []
    for number in range(steps):
        losses.append(made.step(runs, made.nets, optimizers, number).detach())
        for schedule in schedules:
            schedule.step()
    return torch.stack(losses)


SHORT = ("mlp_adam", "batch_norm", "transformer_layer")
"""Loops in float32 that every run tests."""
CASES = [
    *((name, torch.float64) for name in LOOPS),
    *(pytest.param(name, torch.float32, marks=[] if name in SHORT else [pytest.mark.long]) for name in SINGLE),
]


@pytest.mark.parametrize(("name", "precision"), CASES, indirect=["precision"], ids=lambda x: str(x).split(".")[-1])
def test_ten_steps(name, precision):
    torch.manual_seed(0)
    ours = LOOPS[name]()
    theirs = copy.copy(ours)
    theirs.nets = copy.deepcopy(ours.nets)
    runs = [hybridize(net) for net in ours.nets]
    tolerance = 1e-10 if precision == torch.float64 else 1e-4
    losses, expected = train(ours, runs), train(theirs, theirs.nets)
    torch.testing.assert_close(losses, expected, rtol=tolerance, atol=tolerance / 10)
    for net, twin in zip(ours.nets, theirs.nets, strict=True):
        states = net.state_dict(), twin.state_dict()
        torch.testing.assert_close(*states, rtol=10 * tolerance, atol=10 * tolerance)


def test_there_are_forty():
    assert len(LOOPS) >= 40
