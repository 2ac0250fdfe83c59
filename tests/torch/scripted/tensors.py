"""Tensors: views, writes, masks, types, orders."""

import torch
from torch import nn

from tests.torch.scripted.cases import call, case, floats, leaf, steps, whole


@case(call(floats(6, 4)), call(floats(9, 4)))
class ComputedSlices(nn.Module):
    def forward(self, x):
        n = x.shape[0]
        return x[n // 3 : -1], x[: n - 2 : 2], x[-(n // 2) :, 1:-1], x.flip(0)[: n // 2], x[max(0, n - 7) :]


@case(call(floats(6, 4)), call(floats(8, 4)), grad=True)
class ChunksAndSplits(nn.Module):
    def forward(self, x):
        total = torch.zeros(4)
        for part in x.chunk(2):
            total = total + part.sum(0)
        for size, part in zip((1, 3), x.split([1, x.shape[0] - 1]), strict=True):
            total = total * size + part.mean(0)
        a, b = x.split(2, dim=1)
        return total, a * b, torch.tensor_split(x, 3, dim=1)[0]


@case(call(floats(3, 4), floats(4, seed=1)), memory=True)
class WritesInPlace(nn.Module):
    def forward(self, x, y):
        z = torch.zeros(3, 4)
        z[0] = x[0]
        z[1:, ::2] = 7
        z.add_(y).clamp_(-1, 5)
        z[:, 1].fill_(2)
        z.diagonal().zero_()
        z[[0, 2]] += 1
        z.scatter_(1, torch.tensor([[3], [2], [1]]), 9.0)
        return z, z[0]


@case(call(floats(4, 4), torch.tensor([0, 2])), grad=True)
class WritesByIndex(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(floats(4))

    def forward(self, x, rows):
        y = x * self.weight
        z = torch.zeros_like(y)
        z[rows] = y[rows] * 2
        z.index_add_(0, rows, y[:2])
        z = z.index_fill(1, torch.tensor([3]), 1.0)
        return z.index_put((rows, rows), torch.ones(2), accumulate=True)


@case(call(floats(3, 5)), call(floats(2, 7)))
class SortedAndUnsorted(nn.Module):
    def forward(self, x):
        values, order = x.sort(dim=1, descending=True)
        back = order.argsort(dim=1)
        return values, values.gather(1, back), x.argmax(1), x.median(1).values, x.kthvalue(2, dim=1).indices


@case(call(steps(3, 1, 3, 2, 1)), call(steps(1, 1)))
class UniqueValues(nn.Module):
    def forward(self, x):
        values, places, counts = torch.unique(x, return_inverse=True, return_counts=True)
        return values, places, counts, torch.nonzero(x > 1)


@case(call(floats(3, 4), whole(2, 3, 4).bool()), grad=True)
class Masks(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(floats(4))

    def forward(self, x, mask):
        y = (x * self.weight).masked_fill(~mask, -1e9)
        count = mask.sum(-1)
        return y.softmax(-1), (x * mask).sum(-1) / count.clamp(min=1), mask.any(0), mask.float().cumsum(0)


@case(call(leaf(3, 4), whole(2, 3, 4).bool()), grad=True)
class MaskedSum(nn.Module):
    def forward(self, x, mask):
        return x[mask].sum(), x[~mask].square().mean()


@case(call(floats(2, 3, 4)), call(floats(3, 3, 4)))
class Layouts(nn.Module):
    def forward(self, x):
        a = x.permute(2, 0, 1).reshape(4, -1)
        b = x.transpose(0, 1).contiguous().view(3, -1)
        c = x.flatten(1).unflatten(1, (-1, 2)).squeeze()
        return a, b, c, x.unsqueeze(-1).expand(-1, -1, -1, 2).sum(1), x.movedim(0, -1).mT, torch.roll(x, 1, 0)


@case(call(floats(5)), call(floats(7)))
class Windows(nn.Module):
    def forward(self, x):
        frames = x.unfold(0, 3, 1)
        strided = torch.as_strided(x, (2, 3), (1, 1))
        return frames.mean(1), strided * 2, x.diff(), torch.nn.functional.pad(x, (1, 1), value=2.0)


@case(call(floats(3, 4)))
class Conversions(nn.Module):
    def forward(self, x):
        return (
            x.long().float(),
            x.to(torch.bfloat16),
            (x > 0).to(x),
            x.double().sum().item() > 0,
            torch.tensor([1.5, 2.5], dtype=x.dtype),
            torch.as_tensor(x.shape[0]),
            x.bool(),
            x.int() + 1.5,
            torch.finfo(x.dtype).eps,
        )


@case(call(floats(3, 4)), call(floats(3, 4)))
class MadeInside(nn.Module):
    def forward(self, x):
        places = torch.arange(x.shape[0], dtype=x.dtype, device=x.device)
        grid = torch.stack(torch.meshgrid(places, torch.linspace(0, 1, 4), indexing="ij"), -1)
        lower = torch.tril(torch.ones(3, 3)).to(torch.bool)
        return grid, lower, x.new_full((2,), 3), torch.full_like(x, 2), torch.empty(0, 3), torch.tensor(x.shape)


@case(call(floats(3, 3)), grad=True)
class LinearAlgebra(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(floats(3, 3, seed=1))

    def forward(self, x):
        square = x @ x.T + 3 * torch.eye(3)
        lower = torch.linalg.cholesky(square)
        return (
            torch.linalg.solve(square, self.weight),
            lower,
            torch.linalg.det(square),
            torch.trace(square @ self.weight),
        )


@case(call(floats(3, 4)), grad=True)
class ResultWithoutGradient(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        y = self.layer(x)
        return y, y.detach(), y.argmax(-1), x * 2, self.layer.weight.data.sum()


@case(call(leaf(3)), call(leaf(3)), memory=True, grad=True)
class GivesItsArgument(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(floats(3))

    def forward(self, x):
        return x, self.weight, x * self.weight


@case(call(floats(3, 4)), call(floats(3, 4, seed=1)))
class ComplexNumbers(nn.Module):
    def forward(self, x):
        spectrum = torch.fft.rfft(x, dim=-1)
        return spectrum.abs(), torch.fft.irfft(spectrum * 2, n=4, dim=-1)


@case(call(whole(50, 6), 8), call(whole(50, 6, seed=1), 4))
class Hashing(nn.Module):
    def forward(self, ids, buckets: int):
        mixed = (ids * 2654435761) ^ (ids >> 3)
        return (
            mixed % buckets,
            torch.bincount(mixed % buckets, minlength=buckets),
            ids.float().div(7, rounding_mode="floor"),
        )
