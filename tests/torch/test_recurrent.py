"""PyTorch's recurrent layers through the door: values, gradients, dropout, what is refused."""

import pytest
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pack_sequence

from hybridize import hybridize
from hybridize.errors import CaptureError
from tests.refusals import refusal

pytestmark = pytest.mark.filterwarnings("ignore")
LAYERS = [
    torch.nn.LSTM(4, 6, 2, bidirectional=True, batch_first=True), torch.nn.LSTM(4, 6, 2, proj_size=3, bidirectional=True),
    torch.nn.GRU(4, 6, 2, bias=False), torch.nn.GRU(4, 6, bidirectional=True), torch.nn.RNN(4, 6, nonlinearity="relu"),
    torch.nn.RNN(4, 6, bias=False),
]  # fmt: skip


def flat(states):
    return states if isinstance(states, tuple) else (states,)


@pytest.mark.parametrize("layer", LAYERS, ids=str)
def test_as_in_pytorch(layer):
    layer = layer.double()
    x = torch.randn(3, 5, 4, dtype=torch.float64, requires_grad=True)
    found = []
    for call in (layer, hybridize(layer)):
        layer.zero_grad()
        x.grad = None
        y, states = call(x)
        ((y * y).sum() + sum((one * one).sum() for one in flat(states))).backward()
        found.append([y, *flat(states), x.grad, *(one.grad for one in layer.parameters())])
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", [torch.nn.LSTM, torch.nn.GRU])
def test_one_program_for_all_batches_and_steps(kind):
    layer = kind(4, 6, batch_first=True).double()
    fast = hybridize(layer)
    with torch.no_grad():
        for steps, batch in ((5, 3), (5, 4), (7, 5), (9, 2), (2, 8), (30, 4)):
            x = torch.randn(batch, steps, 4, dtype=torch.float64)
            states = tuple(torch.randn(1, batch, 6, dtype=torch.float64) for _ in range(2))
            given = states if kind is torch.nn.LSTM else states[0]
            ours, theirs = fast(x, given), layer(x, given)
            torch.testing.assert_close(ours[0], theirs[0])
            for one, other in zip(flat(ours[1]), flat(theirs[1]), strict=True):
                torch.testing.assert_close(one, other)
    assert fast.cache_info()["programs"] <= 3


def test_dropout_between_layers():
    layer = torch.nn.GRU(4, 32, 2, dropout=0.5)
    fast, x = hybridize(layer), torch.randn(6, 8, 4)
    with torch.no_grad():
        first, second = fast(x)[0], fast(x)[0]
        assert (first - second).abs().max() > 1e-3
        layer.eval()
        torch.testing.assert_close(fast(x)[0], layer(x)[0], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "pack",
    [
        lambda x: pack_padded_sequence(x, [5, 3, 2]),
        lambda x: pack_padded_sequence(x, torch.tensor([2, 5, 3]), enforce_sorted=False),
        lambda x: pack_sequence([x[:, 0], x[:3, 1]]),
    ],
    ids=["lengths", "not sorted", "sequences"],
)
@pytest.mark.parametrize("kind", [torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN])
def test_packed_sequences_are_refused(kind, pack):
    class Packed(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = kind(4, 6)

        def forward(self, x):
            return self.layer(pack(x))[1]

    with refusal(CaptureError, r"E422: .* packed sequence(.|\n)*use_sequence_length") as caught:
        hybridize(Packed())(torch.randn(5, 3, 4))
    assert caught.value.loc.file == __file__
