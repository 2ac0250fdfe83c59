"""Recurrent cells and gated units of PyTorch: one step with their product, however the gates are taken apart."""

import pytest
import torch

from hybridize import hybridize


class Lstm(torch.nn.Module):
    def __init__(self, apart):
        super().__init__()
        self.apart = apart
        self.x, self.h = torch.nn.Linear(24, 192), torch.nn.Linear(48, 192, bias=False)

    def forward(self, x, h, c):
        i, f, g, o = self.apart(self.x(x) + self.h(h))
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c


class Gated(torch.nn.Module):
    def __init__(self, unit):
        super().__init__()
        self.unit, self.linear = unit, torch.nn.Linear(24, 96)

    def forward(self, x):
        return self.unit(self.linear(x))


def swiglu(z):
    first, second = z.chunk(2, -1)
    return torch.nn.functional.silu(first) * second


def steps(fast, *args):
    """Lines of the schedule that begin a step."""
    return [line for line in fast.program(*args).schedule().splitlines() if line[:1].isdigit() and ". " in line]


@pytest.mark.parametrize(
    "apart",
    [
        lambda z: z.chunk(4, 1),
        lambda z: torch.split(z, 48, 1),
        lambda z: z.view(-1, 4, 48).unbind(1),
        lambda z: (z[:, :48], z[:, 48:96], z[:, 96:144], z[:, 144:]),
    ],
    ids=["chunk", "split", "unbind", "slices"],
)
@pytest.mark.parametrize("rows", [1, 32])
def test_a_cell_by_hand(apart, rows):
    torch.manual_seed(0)
    module = Lstm(apart).eval()
    args = torch.randn(rows, 24), torch.randn(rows, 48), torch.randn(rows, 48)
    with torch.no_grad():
        fast = hybridize(module)
        torch.testing.assert_close(fast(*args), module(*args), rtol=1e-4, atol=1e-5)
        assert len(steps(fast, *args)) == 2, "one for each product"
        assert "4 gates" in fast.program(*args).schedule()


@pytest.mark.parametrize("unit", [torch.nn.functional.glu, swiglu], ids=["glu", "swiglu"])
@pytest.mark.parametrize("shape", [(1, 24), (4, 50, 24)], ids=str)
def test_gated_units(unit, shape):
    torch.manual_seed(0)
    module, x = Gated(unit).eval(), torch.randn(*shape)
    with torch.no_grad():
        fast = hybridize(module)
        torch.testing.assert_close(fast(x), module(x), rtol=1e-4, atol=1e-5)
        assert len(steps(fast, x)) == 1
        assert "2 gates" in fast.program(x).schedule()


@pytest.mark.parametrize(("cell", "gates"), [(torch.nn.LSTMCell, 4), (torch.nn.GRUCell, 3)])
def test_the_cells_of_torch(cell, gates):
    torch.manual_seed(0)
    module = cell(24, 32).eval()
    args = torch.randn(5, 24), (torch.randn(5, 32), torch.randn(5, 32)) if gates == 4 else torch.randn(5, 32)
    with torch.no_grad():
        fast = hybridize(module)
        torch.testing.assert_close(fast(*args), module(*args), rtol=1e-4, atol=1e-5)
        assert len(steps(fast, *args)) == 2
        assert f"{gates} gates" in fast.program(*args).schedule()
