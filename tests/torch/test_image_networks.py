"""Convolutional networks as people write them in PyTorch: both modes and their gradients are PyTorch's."""

import copy

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from hybridize import hybridize, load


def conv(channels, filters, size=3, stride=1, groups=1, activation=nn.ReLU):
    return nn.Sequential(
        nn.Conv2d(channels, filters, size, stride, size // 2, groups=groups, bias=False),
        nn.BatchNorm2d(filters),
        activation(),
    )


class Residual(nn.Module):
    """A stem, a residual block with a shortcut, a pooled end."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(conv(3, 8, 7, 2), nn.MaxPool2d(3, 2, 1))
        self.block = nn.Sequential(conv(8, 12, 3, 2), nn.Conv2d(12, 12, 3, 1, 1, bias=False), nn.BatchNorm2d(12))
        self.short = nn.Sequential(nn.AvgPool2d(2, 2, ceil_mode=True, count_include_pad=False), nn.Conv2d(8, 12, 1))
        self.head = nn.Linear(12, 5)

    def forward(self, x):
        x = self.stem(x)
        x = F.relu(self.block(x) + self.short(x))
        return self.head(torch.flatten(F.adaptive_avg_pool2d(x, 1), 1))


class Inverted(nn.Module):
    """An inverted residual with a window for each channel, and squeezed channels that weigh the others."""

    def __init__(self):
        super().__init__()
        self.expand = conv(3, 12, 1, activation=nn.Hardswish)
        self.depth = conv(12, 12, 5, 1, 12, nn.SiLU)
        self.squeeze = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Conv2d(12, 4, 1), nn.ReLU(), nn.Conv2d(4, 12, 1), nn.Hardsigmoid()
        )
        self.project = nn.Sequential(nn.Conv2d(12, 3, 1, bias=False), nn.BatchNorm2d(3))

    def forward(self, x):
        y = self.depth(self.expand(x))
        return (x + self.project(y * self.squeeze(y))).mean((2, 3))


class Branches(nn.Module):
    """Branches joined along the channels, their groups shuffled, and a layer that sees all before it."""

    def __init__(self):
        super().__init__()
        self.small, self.large = conv(3, 4, 1), nn.Sequential(conv(3, 4, 1), conv(4, 4, 5, groups=2))
        self.pooled = nn.Sequential(nn.AvgPool2d(3, 1, 1), conv(3, 4, 1))
        self.dense = nn.Sequential(nn.BatchNorm2d(12), nn.ReLU(), nn.Conv2d(12, 6, 3, padding=1))

    def forward(self, x):
        y = torch.cat([self.small(x), self.large(x), self.pooled(x)], 1)
        y = F.channel_shuffle(y, 3)
        return F.max_pool2d(torch.cat([y, self.dense(y)], 1), 2)


class Ladder(nn.Module):
    """Down and up again, with what was before: a transposed convolution, interpolation, pixels made of channels."""

    def __init__(self):
        super().__init__()
        self.down, self.deep = conv(3, 6, 3, 2), nn.Sequential(nn.ReflectionPad2d(1), nn.Conv2d(6, 8, 3, 2))
        self.norm, self.up = nn.GroupNorm(2, 8), nn.ConvTranspose2d(8, 6, 4, 2, 1)
        self.shuffle, self.last = nn.PixelShuffle(2), nn.Conv2d(9, 12, 1)

    def forward(self, x):
        one = self.down(x)
        two = F.gelu(self.norm(self.deep(one)))
        back = torch.cat([F.interpolate(self.up(two), one.shape[2:], mode="bilinear") + one, x[:, :, ::2, ::2]], 1)
        return self.shuffle(self.last(back))


class Modern(nn.Module):
    """A patch for each window, layers of channels last, and a scale for each channel."""

    def __init__(self):
        super().__init__()
        self.stem, self.depth = nn.Conv2d(3, 8, 4, 4), nn.Conv2d(8, 8, 7, padding=3, groups=8)
        self.norm, self.wide, self.narrow = nn.LayerNorm(8), nn.Linear(8, 16), nn.Linear(16, 8)
        self.scale = nn.Parameter(torch.full((8,), 0.1))
        self.pool = nn.AdaptiveAvgPool2d(1)

    def forward(self, x):
        x = self.stem(x)
        y = self.norm(self.depth(x).permute(0, 2, 3, 1))
        y = (self.narrow(F.gelu(self.wide(y))) * self.scale).permute(0, 3, 1, 2)
        return self.pool((x + y).contiguous(memory_format=torch.channels_last))


def made(network, train):
    """A network with running statistics that are no ones and zeros, and images."""
    torch.manual_seed(0)
    net = network().double().train(train)
    for part in net.modules():
        if isinstance(part, nn.BatchNorm2d):
            part.running_mean.normal_(0, 0.1)
            part.running_var.uniform_(0.5, 1.5)
    return net, torch.randn(3, 3, 16, 16, dtype=torch.float64)


@pytest.mark.parametrize("network", [Residual, Modern])
def test_evaluated(network, tmp_path):
    net, x = made(network, False)
    compiled = hybridize(net)
    with torch.no_grad():
        want = net(x)
        torch.testing.assert_close(compiled(x), want, rtol=1e-9, atol=1e-10)
    assert compiled.program(x).fallbacks == ()
    compiled.save(tmp_path / "net")
    again = load(tmp_path / "net")(x.numpy())
    torch.testing.assert_close(torch.from_numpy(again.asnumpy()), want, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("network", [Residual, Inverted, Branches, Ladder, Modern])
def test_trained(network):
    net, x = made(network, True)
    twin, compiled = copy.deepcopy(net), hybridize(net)
    for run in (compiled, twin):
        y = run(x)
        (y * torch.linspace(-1, 1, y.numel(), dtype=y.dtype).reshape(y.shape)).sum().backward()
    for (name, ours), theirs in zip(net.named_parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(ours.grad, theirs.grad, rtol=1e-7, atol=1e-8, msg=lambda t, n=name: f"{n}: {t}")
    for (name, ours), theirs in zip(net.named_buffers(), twin.buffers(), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-9, atol=1e-10, msg=lambda t, n=name: f"{n}: {t}")


@pytest.mark.parametrize(
    ("norm", "shape"), [(nn.BatchNorm1d, (5, 3)), (nn.BatchNorm2d, (2, 3, 4, 5)), (nn.BatchNorm3d, (2, 3, 2, 3, 2))]
)
def test_cumulative_averages(norm, shape):
    """`momentum=None` averages over all batches so far, and the program has no such number of its own."""
    ours = nn.Sequential(norm(shape[1], momentum=None), nn.Tanh(), norm(shape[1], momentum=None, affine=False))
    theirs = copy.deepcopy(ours)
    run = hybridize(ours)
    for step in range(4):
        x = torch.randn(shape[0] + step % 2, *shape[1:])
        results = []
        for call, module in ((run, ours), (theirs, theirs)):
            given = x.clone().requires_grad_()
            y = call(given)
            (y * torch.arange(y.numel()).reshape(y.shape)).sum().backward()
            results.append((y, given.grad, *(each.clone() for each in module.state_dict().values())))
        for one, other in zip(*results, strict=True):
            torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)
    assert int(ours[0].num_batches_tracked) == 4
    assert run.program(x).fallbacks == ()
    ours.eval(), theirs.eval()
    torch.testing.assert_close(run(x), theirs(x), rtol=1e-5, atol=1e-5)
