"""Architectures with random weights, small ones: for each a network and what it is called with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from tests.torch.side_packages import load

Given = Callable[[int], tuple[tuple[Any, ...], dict[str, Any]]]
"""The arguments of a call, by its batch size."""
NETS: dict[str, Callable[[], tuple[nn.Module, Given]]] = {}
IMAGES: list[str] = []
"""Those of timm, which take images of the dtype that their parameters have."""


def net(function: Callable[[], tuple[nn.Module, Given]]) -> Callable[[], tuple[nn.Module, Given]]:
    """Put a network into the table."""
    NETS[function.__name__] = function
    return function


# ------------------------------------------------------------------------------------------------------- torch.nn


class Block(nn.Module):
    def __init__(self, before: int, after: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(before, after, 3, padding=1)
        self.norm = nn.GroupNorm(2, after)
        self.second = nn.Conv2d(after, after, 3, padding=1)

    def forward(self, x):
        return F.silu(self.second(F.silu(self.norm(self.first(x)))))


class UNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        widths = (4, 8, 12)
        self.down = nn.ModuleList([Block(a, b) for a, b in zip((3, *widths[:-1]), widths, strict=True)])
        self.up = nn.ModuleList([Block(12 + 8, 8), Block(8 + 4, 4)])
        self.time = nn.Sequential(nn.Linear(16, 12), nn.SiLU(), nn.Linear(12, 12))
        self.last = nn.Conv2d(4, 3, 1)

    def forward(self, x, steps):
        half = 8
        frequencies = torch.exp(-torch.arange(half, device=x.device) * (6.0 / half))
        angles = steps[:, None].float() * frequencies[None]
        embedding = self.time(torch.cat([angles.sin(), angles.cos()], dim=-1))
        kept = []
        for number, block in enumerate(self.down):
            x = block(x)
            if number < len(self.down) - 1:
                kept.append(x)
                x = F.avg_pool2d(x, 2)
        x = x + embedding[:, :, None, None]
        for block in self.up:
            x = F.interpolate(x, scale_factor=2, mode="nearest")
            x = block(torch.cat([x, kept.pop()], dim=1))
        return self.last(x)


@net
def unet():
    return UNet(), lambda n: ((torch.randn(n, 3, 16, 16), torch.arange(n) * 10), {})


class VAE(nn.Module):
    """A variational autoencoder; the noise is an argument, so that both ways draw the same."""

    def __init__(self) -> None:
        super().__init__()
        self.encode = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 8))
        self.decode = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 64), nn.Sigmoid())

    def forward(self, x, noise):
        mean, logarithm = self.encode(x).chunk(2, dim=1)
        z = mean + noise * torch.exp(0.5 * logarithm)
        found = self.decode(z).view_as(x)
        divergence = -0.5 * torch.sum(1 + logarithm - mean.pow(2) - logarithm.exp())
        return {"loss": F.binary_cross_entropy(found, x, reduction="sum") + divergence, "found": found}


@net
def vae():
    return VAE(), lambda n: ((torch.rand(n, 1, 8, 8), torch.randn(n, 4)), {})


class DLRM(nn.Module):
    """Recommendations: embeddings of several tables, their products with each other, two perceptrons."""

    def __init__(self) -> None:
        super().__init__()
        self.tables = nn.ModuleList([nn.EmbeddingBag(size, 8, mode="sum") for size in (10, 20, 30)])
        self.bottom = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 8), nn.ReLU())
        self.top = nn.Sequential(nn.Linear(8 + 6, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, dense, sparse):
        x = self.bottom(dense)
        parts = [x] + [table(sparse[:, k]) for k, table in enumerate(self.tables)]
        stacked = torch.stack(parts, dim=1)
        products = torch.bmm(stacked, stacked.transpose(1, 2))
        rows, columns = torch.tril_indices(4, 4, offset=-1)
        return torch.sigmoid(self.top(torch.cat([x, products[:, rows, columns]], dim=1))).squeeze(1)


@net
def dlrm():
    return DLRM(), lambda n: ((torch.randn(n, 5), torch.randint(0, 10, (n, 3, 4))), {})


class Chomp(nn.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size

    def forward(self, x):
        return x[:, :, : -self.size].contiguous()


class Gated(nn.Module):
    """A layer of WaveNet: dilated, causal, gated, with a residual and a skip."""

    def __init__(self, channels: int, dilation: int) -> None:
        super().__init__()
        self.conv = nn.utils.parametrizations.weight_norm(
            nn.Conv1d(channels, 2 * channels, 2, padding=dilation, dilation=dilation)
        )
        self.chomp = Chomp(dilation)
        self.mix = nn.Conv1d(channels, channels, 1)
        self.skip = nn.Conv1d(channels, channels, 1)

    def forward(self, x):
        a, b = self.chomp(self.conv(x)).chunk(2, dim=1)
        y = torch.tanh(a) * torch.sigmoid(b)
        return x + self.mix(y), self.skip(y)


class WaveNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv1d(1, 8, 1)
        self.layers = nn.ModuleList(Gated(8, 2**k) for k in range(4))
        self.last = nn.Conv1d(8, 5, 1)

    def forward(self, x):
        x = self.first(x)
        total = 0
        for layer in self.layers:
            x, skip = layer(x)
            total = total + skip
        return self.last(F.relu(total))


@net
def wavenet():
    return WaveNet(), lambda n: ((torch.randn(n, 1, 32),), {})


class GraphNet(nn.Module):
    """Attention over the edges of a graph, by gathers and scatters."""

    def __init__(self) -> None:
        super().__init__()
        self.project = nn.Linear(6, 2 * 4, bias=False)
        self.source = nn.Parameter(torch.randn(2, 4))
        self.target = nn.Parameter(torch.randn(2, 4))
        self.last = nn.Linear(8, 3)

    def forward(self, x, edges):
        nodes = x.size(0)
        h = self.project(x).view(nodes, 2, 4)
        a, b = (h * self.source).sum(-1), (h * self.target).sum(-1)
        i, j = edges
        score = F.leaky_relu(a[i] + b[j], 0.2)
        most = torch.full((nodes, 2), -1e9).scatter_reduce(0, j[:, None].expand(-1, 2), score, "amax")
        weight = torch.exp(score - most[j])
        total = torch.zeros(nodes, 2).index_add_(0, j, weight)
        weight = weight / (total[j] + 1e-9)
        out = torch.zeros(nodes, 2, 4).index_add(0, j, h[i] * weight[:, :, None])
        return F.log_softmax(self.last(F.elu(out.flatten(1))), dim=-1)


@net
def graph_attention():
    return GraphNet(), lambda n: ((torch.randn(5 * n, 6), torch.randint(0, 5 * n, (2, 12 * n))), {})


class Head(nn.Module):
    """A head of detection over features of three sizes: scores and boxes by anchors, joined and decoded."""

    def __init__(self) -> None:
        super().__init__()
        self.tower = nn.Sequential(nn.Conv2d(8, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU())
        self.scores = nn.Conv2d(8, 3 * 4, 3, padding=1)
        self.boxes = nn.Conv2d(8, 3 * 4, 3, padding=1)
        self.scales = nn.ParameterList([nn.Parameter(torch.ones(())) for _ in range(3)])

    def forward(self, features):
        scores, boxes = [], []
        for level, x in enumerate(features):
            x = self.tower(x)
            n, _, h, w = x.shape
            scores.append(self.scores(x).view(n, 3, 4, h, w).permute(0, 3, 4, 1, 2).reshape(n, -1, 4))
            ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
            centres = torch.stack([xs, ys, xs, ys], dim=-1).float().add(0.5).mul_(2.0 ** (level + 3))
            d = F.relu(self.boxes(x) * self.scales[level]).view(n, 3, 4, h, w).permute(0, 3, 4, 1, 2)
            box = centres[None, :, :, None] + d * torch.tensor([-1.0, -1.0, 1.0, 1.0])
            boxes.append(box.reshape(n, -1, 4))
        scores, boxes = torch.cat(scores, 1), torch.cat(boxes, 1)
        best, kind = scores.sigmoid().max(-1)
        top, where = best.topk(5, dim=1)
        return {
            "scores": top,
            "kinds": kind.gather(1, where),
            "boxes": boxes.gather(1, where[:, :, None].expand(-1, -1, 4)).clamp(0, 64),
        }


@net
def detection():
    return Head(), lambda n: (([torch.randn(n, 8, 8 >> k, 8 >> k) for k in range(3)],), {})


class MoE(nn.Module):
    """Experts, of which each token has two, chosen by masks: `where` finds the tokens of each."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(8, 4, bias=False)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8)) for _ in range(4))

    def forward(self, x):
        shape = x.shape
        x = x.reshape(-1, shape[-1])
        weights, chosen = torch.topk(self.gate(x).softmax(-1), 2, dim=-1)
        weights = weights / weights.sum(-1, keepdim=True)
        y = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            weight = torch.where(chosen == number, weights, 0.0).sum(-1, keepdim=True)
            y = y + expert(x) * weight
        return y.view(shape)


@net
def experts_by_masks():
    return MoE(), lambda n: ((torch.randn(n, 5, 8),), {})


class Mamba(nn.Module):
    """A selective state space, scanned step by step."""

    def __init__(self) -> None:
        super().__init__()
        self.enter = nn.Linear(8, 2 * 16, bias=False)
        self.conv = nn.Conv1d(16, 16, 4, groups=16, padding=3)
        self.x_proj = nn.Linear(16, 2 + 2 * 4, bias=False)
        self.dt_proj = nn.Linear(2, 16)
        self.A_log = nn.Parameter(torch.log(torch.arange(1, 5).float()).repeat(16, 1))
        self.D = nn.Parameter(torch.ones(16))
        self.leave = nn.Linear(16, 8, bias=False)

    def forward(self, x):
        length = x.shape[1]
        u, gate = self.enter(x).chunk(2, dim=-1)
        u = F.silu(self.conv(u.transpose(1, 2))[..., :length].transpose(1, 2))
        dt, b, c = self.x_proj(u).split([2, 4, 4], dim=-1)
        dt = F.softplus(self.dt_proj(dt))
        a = -torch.exp(self.A_log.float())
        da = torch.exp(torch.einsum("bld,dn->bldn", dt, a))
        dbu = torch.einsum("bld,bln,bld->bldn", dt, b, u)
        h = x.new_zeros(x.shape[0], 16, 4)
        ys = []
        for t in range(length):
            h = da[:, t] * h + dbu[:, t]
            ys.append(torch.einsum("bdn,bn->bd", h, c[:, t]))
        y = torch.stack(ys, dim=1) + u * self.D
        return self.leave(y * F.silu(gate))


@net
def state_space():
    return Mamba(), lambda n: ((torch.randn(n, 6, 8),), {})


class Mixer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.patch = nn.Conv2d(3, 8, 4, 4)
        self.norm = nn.LayerNorm(8)
        self.tokens = nn.Sequential(nn.Linear(16, 24), nn.GELU(), nn.Linear(24, 16))
        self.channels = nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 24), nn.GELU(), nn.Linear(24, 8))
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        x = self.patch(x).flatten(2).mT
        x = x + self.tokens(self.norm(x).mT).mT
        x = x + self.channels(x)
        return self.head(x.mean(1))


@net
def mixer():
    return Mixer(), lambda n: ((torch.randn(n, 3, 16, 16),), {})


@net
def torch_transformer():
    made = nn.Transformer(16, 2, 1, 1, 32, dropout=0.0, batch_first=True)
    mask = nn.Transformer.generate_square_subsequent_mask(5)
    return made, lambda n: ((torch.randn(n, 7, 16), torch.randn(n, 5, 16)), {"tgt_mask": mask})


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(20, 8)
        self.lstm = nn.LSTM(8, 8, 2, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(16, 8, batch_first=True)
        self.attend = nn.MultiheadAttention(8, 2, batch_first=True)
        self.head = nn.Linear(8, 4)

    def forward(self, tokens):
        x, _ = self.lstm(self.embed(tokens))
        x, last = self.gru(x)
        x, weights = self.attend(last[-1][:, None], x, x)
        return self.head(x[:, 0]), weights


@net
def recurrent_with_attention():
    return Recurrent(), lambda n: ((torch.randint(0, 20, (n, 6)),), {})


class AlexNet(nn.Module):
    """The first deep one of images: pooled to six by six whatever comes in."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 11, 4, 2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2),
            nn.Conv2d(8, 12, 5, padding=2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2),
            nn.Conv2d(12, 8, 3, padding=1), nn.ReLU(inplace=True),
        )  # fmt: skip
        self.pool = nn.AdaptiveAvgPool2d((6, 6))
        self.classifier = nn.Sequential(nn.Dropout(0.0), nn.Linear(8 * 36, 16), nn.ReLU(inplace=True), nn.Linear(16, 5))

    def forward(self, x):
        return self.classifier(torch.flatten(self.pool(self.features(x)), 1))


@net
def alexnet():
    return AlexNet(), lambda n: ((torch.randn(n, 3, 96, 96),), {})


class Volumes(nn.Module):
    """Convolutions of three axes, as for films and scans."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv3d(1, 4, 3, padding=1)
        self.norm = nn.BatchNorm3d(4)
        self.pool = nn.MaxPool3d(2)
        self.second = nn.Conv3d(4, 8, 3, padding=1, stride=(1, 2, 2))
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        x = self.pool(F.relu(self.norm(self.first(x))))
        return self.head(F.relu(self.second(x)).mean(dim=(2, 3, 4)))


@net
def volumes():
    return Volumes(), lambda n: ((torch.randn(n, 1, 4, 8, 8),), {})


class Generator(nn.Module):
    """Images of noise and of a class, by transposed convolutions, as DCGAN has them."""

    def __init__(self) -> None:
        super().__init__()
        self.kinds = nn.Embedding(4, 8)
        self.layers = nn.Sequential(
            nn.ConvTranspose2d(16, 12, 4, 1, 0, bias=False), nn.BatchNorm2d(12), nn.ReLU(True),
            nn.ConvTranspose2d(12, 8, 4, 2, 1, bias=False), nn.BatchNorm2d(8), nn.LeakyReLU(0.2, True),
            nn.ConvTranspose2d(8, 3, 3, 2, 1, output_padding=1), nn.Tanh(),
        )  # fmt: skip

    def forward(self, noise, kinds):
        x = torch.cat((noise, self.kinds(kinds)), dim=1)
        return self.layers(x[..., None, None])


@net
def generator():
    return Generator(), lambda n: ((torch.randn(n, 8), torch.arange(n) % 4), {})


class VQVAE(nn.Module):
    """An autoencoder over a book of codes: the nearest is taken, gradients go straight through."""

    def __init__(self) -> None:
        super().__init__()
        self.encode = nn.Sequential(nn.Conv2d(1, 8, 4, 2, 1), nn.ReLU(), nn.Conv2d(8, 4, 3, padding=1))
        self.book = nn.Embedding(6, 4)
        self.decode = nn.Sequential(nn.ConvTranspose2d(4, 8, 4, 2, 1), nn.ReLU(), nn.Conv2d(8, 1, 3, padding=1))

    def forward(self, x):
        z = self.encode(x).permute(0, 2, 3, 1).contiguous()
        flat = z.view(-1, 4)
        distance = (flat**2).sum(1, keepdim=True) + (self.book.weight**2).sum(1) - 2 * flat @ self.book.weight.t()
        codes = distance.argmin(dim=1)
        found = F.one_hot(codes, 6).type(flat.dtype) @ self.book.weight
        found = found.view(z.shape)
        loss = F.mse_loss(found.detach(), z) + 0.25 * F.mse_loss(found, z.detach())
        found = z + (found - z).detach()
        return self.decode(found.permute(0, 3, 1, 2)), loss, codes


@net
def codes_of_images():
    return VQVAE(), lambda n: ((torch.randn(n, 1, 8, 8),), {})


class GCN(nn.Module):
    """Convolutions over a graph, its matrix normed by degrees with loops of each node to itself."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(6, 8), nn.Linear(8, 3)

    def forward(self, x, adjacency):
        full = adjacency + torch.eye(adjacency.shape[0])
        root = full.sum(dim=1).pow(-0.5)
        normed = root[:, None] * full * root[None, :]
        x = F.relu(normed @ self.first(x))
        return F.log_softmax(normed @ self.second(x), dim=1)


@net
def graph_convolution():
    def given(n):
        edges = (torch.rand(5 * n, 5 * n) < 0.3).float()
        return (torch.randn(5 * n, 6), ((edges + edges.T) > 0).float()), {}

    return GCN(), given


class Seq2Seq(nn.Module):
    """Translation by a GRU cell that looks back, step by step, its own words fed in."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(20, 8)
        self.encoder = nn.LSTM(8, 8, batch_first=True)
        self.cell = nn.LSTMCell(16, 8)
        self.score = nn.Linear(16, 1)
        self.out = nn.Linear(8, 20)

    def forward(self, source, steps: int = 4):
        kept, (h, c) = self.encoder(self.embed(source))
        h, c = h[0], c[0]
        word = torch.ones(source.size(0), dtype=torch.long)
        found = []
        for _ in range(steps):
            both = torch.cat([kept, h.unsqueeze(1).expand_as(kept)], dim=-1)
            weights = self.score(torch.tanh(both)).softmax(dim=1)
            seen = (weights * kept).sum(dim=1)
            h, c = self.cell(torch.cat([self.embed(word), seen], dim=-1), (h, c))
            logits = self.out(h)
            word = logits.argmax(dim=-1)
            found.append(logits)
        return torch.stack(found, dim=1)


@net
def translation_by_cells():
    return Seq2Seq(), lambda n: ((torch.randint(0, 20, (n, 6)),), {})


class NeRF(nn.Module):
    """Colours along rays: positions as sines of many frequencies, summed by what each point lets through."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3 + 24, 16), nn.Linear(16, 16), nn.Linear(16 + 27, 16)])
        self.density, self.colour = nn.Linear(16, 1), nn.Linear(16, 3)
        self.register_buffer("bands", 2.0 ** torch.arange(4))

    def forward(self, origins, directions):
        steps = torch.linspace(0.5, 2.0, 6)
        points = origins[:, None, :] + directions[:, None, :] * steps[None, :, None]
        angles = points[..., None, :] * self.bands[:, None]
        enc = torch.cat([points, torch.cat([angles.sin(), angles.cos()], dim=-1).flatten(-2)], dim=-1)
        x = enc
        for number, layer in enumerate(self.layers):
            x = F.relu(layer(torch.cat([x, enc], dim=-1) if number == 2 else x))
        alpha = 1 - torch.exp(-F.softplus(self.density(x)).squeeze(-1) * 0.3)
        through = torch.cumprod(torch.cat([torch.ones_like(alpha[:, :1]), 1 - alpha + 1e-10], dim=1), dim=1)[:, :-1]
        weights = alpha * through
        return (weights[..., None] * torch.sigmoid(self.colour(x))).sum(dim=1), (weights * steps).sum(dim=1)


@net
def rays():
    return NeRF(), lambda n: ((torch.randn(n, 3), F.normalize(torch.randn(n, 3), dim=-1)), {})


class PointNet(nn.Module):
    """Points in any order: a transform that is found first, then the largest of each channel."""

    def __init__(self) -> None:
        super().__init__()
        self.turn = nn.Sequential(nn.Conv1d(3, 8, 1), nn.BatchNorm1d(8), nn.ReLU())
        self.matrix = nn.Linear(8, 9)
        self.each = nn.Sequential(nn.Conv1d(3, 8, 1), nn.BatchNorm1d(8), nn.ReLU(), nn.Conv1d(8, 16, 1))
        self.head = nn.Sequential(nn.Linear(16, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 4))

    def forward(self, points):
        found = torch.max(self.turn(points), 2)[0]
        matrix = self.matrix(found).view(-1, 3, 3) + torch.eye(3).unsqueeze(0)
        turned = torch.bmm(points.transpose(2, 1), matrix).transpose(2, 1)
        return F.log_softmax(self.head(torch.max(self.each(turned), 2, keepdim=True)[0].squeeze(-1)), dim=-1)


@net
def points():
    return PointNet(), lambda n: ((torch.randn(n, 3, 10),), {})


class TwoTowers(nn.Module):
    """Recommendations by factorization and a deep net: products of pairs as a difference of squares."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.linear = nn.Embedding(60, 6), nn.Embedding(60, 1)
        self.register_buffer("offsets", torch.tensor([0, 10, 30]))
        self.deep = nn.Sequential(nn.Linear(18, 16), nn.PReLU(), nn.Dropout(0.0), nn.Linear(16, 1))
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, fields):
        fields = fields + self.offsets.unsqueeze(0)
        x = self.embed(fields)
        pairs = 0.5 * (x.sum(dim=1).square() - x.square().sum(dim=1)).sum(dim=1, keepdim=True)
        logit = self.linear(fields).sum(dim=1) + self.bias + pairs + self.deep(x.flatten(1))
        return torch.sigmoid(logit.squeeze(1))


@net
def factorization():
    return TwoTowers(), lambda n: ((torch.randint(0, 10, (n, 3)),), {})


class Actor(nn.Module):
    """A policy with its value: a distribution of actions, its entropy, the advantage of one that was taken."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.LayerNorm(16), nn.Linear(16, 16), nn.Tanh())
        self.policy, self.value = nn.Linear(16, 4), nn.Linear(16, 1)

    def forward(self, state, action, reward):
        x = self.body(state)
        chosen = torch.distributions.Categorical(logits=self.policy(x), validate_args=False)
        value = self.value(x).squeeze(-1)
        gain = reward - value
        return -(chosen.log_prob(action) * gain.detach()) - 0.01 * chosen.entropy() + 0.5 * gain.pow(2), value


@net
def policy_and_value():
    return Actor(), lambda n: ((torch.randn(n, 6), torch.arange(n) % 4, torch.randn(n)), {})


# --------------------------------------------------------------------------------------------------- transformers


def tokens(n: int, length: int = 7, most: int = 50) -> torch.Tensor:
    return torch.randint(3, most, (n, length))


def masked(n: int) -> dict[str, Any]:
    """Token numbers with a mask of which the last row has two paddings."""
    mask = torch.ones(n, 7, dtype=torch.long)
    mask[-1, 5:] = 0
    return {"input_ids": tokens(n), "attention_mask": mask}


ENCODER = {
    "vocab_size": 50, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32,
    "max_position_embeddings": 32, "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0,
}  # fmt: skip
DECODER = {
    "vocab_size": 50, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
    "intermediate_size": 32, "max_position_embeddings": 32, "attention_dropout": 0.0, "pad_token_id": 0, "bos_token_id": 1,
    "eos_token_id": 2,
}  # fmt: skip


def hf(kind: str, config: str, given: Given, *, hooked: bool = False, **options: Any) -> None:
    """Put a network of transformers into the table, by the names of its class and of that of its settings.

    Where its first call puts hooks into its parts (`hooked`), as any later call finds them, there was one before.
    """

    def made() -> tuple[nn.Module, Given]:
        transformers = load("transformers")
        settings = getattr(transformers, config)(**options)
        network = getattr(transformers, kind)(settings)
        if hooked:
            args, kwargs = given(1)
            with torch.no_grad():
                network.eval()(*args, **kwargs)
        return network, given

    made.__name__ = kind
    net(made)


def by_name(function: Callable[[int], dict[str, Any]]) -> Given:
    return lambda n: ((), function(n))


def text(n: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return (), masked(n)


def words(n: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return (), {"input_ids": tokens(n), "use_cache": False}


def cached(n: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return (), {"input_ids": tokens(n)}


def learned(n: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return (), {**masked(n), "labels": tokens(n), "use_cache": False}


def image(n: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return (torch.randn(n, 3, 32, 32),), {}


def forecast(n: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Numbers of the past, of which some are missing, and times of what is asked for."""
    observed = torch.ones(n, 7)
    observed[0, 2] = 0
    past = {"past_values": torch.rand(n, 7) + 1, "past_time_features": torch.randn(n, 7, 1)}
    future = {"future_values": torch.rand(n, 3) + 1, "future_time_features": torch.randn(n, 3, 1)}
    return (), {**past, **future, "past_observed_mask": observed, "use_cache": False}


def translated(n: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return (), {**masked(n), "decoder_input_ids": tokens(n, 5), "use_cache": False}


hf("BertModel", "BertConfig", text, **ENCODER)
hf("BertForSequenceClassification", "BertConfig", lambda n: ((), {**masked(n), "labels": torch.arange(n) % 2}), problem_type="single_label_classification", **ENCODER)  # fmt: skip
hf("RobertaModel", "RobertaConfig", text, **ENCODER)
hf("ElectraForPreTraining", "ElectraConfig", text, embedding_size=8, **ENCODER)
hf("DistilBertModel", "DistilBertConfig", text, vocab_size=50, dim=16, n_layers=2, n_heads=2, hidden_dim=32,
   max_position_embeddings=32, dropout=0.0, attention_dropout=0.0)  # fmt: skip
hf("AlbertModel", "AlbertConfig", text, embedding_size=8, **ENCODER)
hf("DebertaV2Model", "DebertaV2Config", text, relative_attention=True, pos_att_type=["p2c", "c2p"], **ENCODER)
hf("GPT2LMHeadModel", "GPT2Config", words, vocab_size=50, n_embd=16, n_layer=2, n_head=2, n_positions=32, resid_pdrop=0.0,
   embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=1, eos_token_id=2)  # fmt: skip
hf("OPTForCausalLM", "OPTConfig", learned, vocab_size=50, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, ffn_dim=32,
   max_position_embeddings=32, word_embed_proj_dim=16, dropout=0.0, attention_dropout=0.0)  # fmt: skip
hf("GPTNeoXForCausalLM", "GPTNeoXConfig", words, vocab_size=50, hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
   intermediate_size=32, max_position_embeddings=32)  # fmt: skip
hf("LlamaForCausalLM", "LlamaConfig", learned, **DECODER)
hf("Qwen2ForCausalLM", "Qwen2Config", words, **DECODER)
hf("MistralForCausalLM", "MistralConfig", words, **DECODER)
hf("Gemma2ForCausalLM", "Gemma2Config", words, head_dim=8, sliding_window=4, **DECODER)
hf("Phi3ForCausalLM", "Phi3Config", words, **DECODER)
hf(
    "MixtralForCausalLM",
    "MixtralConfig",
    words,
    num_local_experts=4,
    num_experts_per_tok=2,
    experts_implementation="batched_mm",
    **DECODER,
)
hf("T5ForConditionalGeneration", "T5Config", translated, vocab_size=50, d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2,
   dropout_rate=0.0)  # fmt: skip
hf("BartForConditionalGeneration", "BartConfig", translated, vocab_size=50, d_model=16, encoder_layers=1, decoder_layers=1,
   encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=32, decoder_ffn_dim=32,
   max_position_embeddings=32, dropout=0.0)  # fmt: skip
hf("WhisperModel", "WhisperConfig",
   lambda n: ((), {"input_features": torch.randn(n, 8, 20), "decoder_input_ids": tokens(n, 5), "use_cache": False}),
   vocab_size=50, num_mel_bins=8, d_model=16, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
   decoder_attention_heads=2, encoder_ffn_dim=32, decoder_ffn_dim=32, max_source_positions=10, max_target_positions=16,
   pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1, dropout=0.0)  # fmt: skip
hf("MambaForCausalLM", "MambaConfig", words, vocab_size=50, hidden_size=8, state_size=4, num_hidden_layers=2, expand=2, conv_kernel=4,
   time_step_rank=2)  # fmt: skip
hf("ViTForImageClassification", "ViTConfig", image, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
   image_size=32, patch_size=8, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)  # fmt: skip
hf("DeiTForImageClassificationWithTeacher", "DeiTConfig", image, hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
   intermediate_size=32, image_size=32, patch_size=8, hidden_dropout_prob=0.0,
   attention_probs_dropout_prob=0.0)  # fmt: skip
hf("SwinModel", "SwinConfig", image, image_size=32, patch_size=2, embed_dim=8, depths=[2, 2], num_heads=[2, 2], window_size=4,
   hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, drop_path_rate=0.0)  # fmt: skip
hf("ConvNextModel", "ConvNextConfig", image, hidden_sizes=[8, 16], depths=[1, 1], num_stages=2, drop_path_rate=0.0)
hf("CLIPModel", "CLIPConfig",
   lambda n: ((), {"input_ids": tokens(n), "pixel_values": torch.randn(n, 3, 32, 32)}),
   text_config={"vocab_size": 50, "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32,
                    "max_position_embeddings": 32, "projection_dim": 8, "eos_token_id": 2, "bos_token_id": 1, "pad_token_id": 0},
   vision_config={"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32, "image_size": 32,
                      "patch_size": 8, "projection_dim": 8}, projection_dim=8)  # fmt: skip

hf("BloomForCausalLM", "BloomConfig", words, vocab_size=50, hidden_size=16, n_layer=2, n_head=2, hidden_dropout=0.0,
   attention_dropout=0.0)  # fmt: skip
hf("GPTJForCausalLM", "GPTJConfig", words, vocab_size=50, n_embd=16, n_layer=2, n_head=2, n_positions=32, rotary_dim=4,
   resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=1, eos_token_id=2)  # fmt: skip
hf("FalconForCausalLM", "FalconConfig", words, vocab_size=50, hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
   attention_dropout=0.0, hidden_dropout=0.0, bos_token_id=1, eos_token_id=2)  # fmt: skip
hf("Qwen3ForCausalLM", "Qwen3Config", words, head_dim=8, **DECODER)
hf("MPNetModel", "MPNetConfig", text, **ENCODER)
hf("FunnelModel", "FunnelConfig", text, vocab_size=50, block_sizes=[1, 1], num_decoder_layers=1, d_model=16, n_head=2, d_head=8,
   d_inner=32, hidden_dropout=0.0, attention_dropout=0.0)  # fmt: skip
hf("Wav2Vec2Model", "Wav2Vec2Config", lambda n: ((torch.randn(n, 400),), {}), hidden_size=16, num_hidden_layers=1,
   num_attention_heads=2, intermediate_size=32, conv_dim=(8, 8), conv_stride=(5, 2), conv_kernel=(10, 3), num_feat_extract_layers=2,
   num_conv_pos_embeddings=4, num_conv_pos_embedding_groups=2, hidden_dropout=0.0, attention_dropout=0.0, activation_dropout=0.0,
   feat_proj_dropout=0.0, layerdrop=0.0, mask_time_prob=0.0, apply_spec_augment=False)  # fmt: skip
hf("SegformerForSemanticSegmentation", "SegformerConfig", image, hooked=True, num_encoder_blocks=2, depths=[1, 1], sr_ratios=[2, 1],
   hidden_sizes=[8, 16], patch_sizes=[7, 3], strides=[4, 2], num_attention_heads=[1, 2], mlp_ratios=[2, 2],
   decoder_hidden_size=8, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, classifier_dropout_prob=0.0,
   drop_path_rate=0.0)  # fmt: skip
hf("Dinov2Model", "Dinov2Config", image, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, mlp_ratio=2, image_size=32,
   patch_size=8, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)  # fmt: skip
hf("ResNetModel", "ResNetConfig", image, embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], layer_type="basic")
hf("TimeSeriesTransformerForPrediction", "TimeSeriesTransformerConfig", forecast, prediction_length=3, context_length=5,
   lags_sequence=[1, 2], num_time_features=1, d_model=8, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
   decoder_attention_heads=2, encoder_ffn_dim=16, decoder_ffn_dim=16, dropout=0.0, attention_dropout=0.0,
   activation_dropout=0.0, encoder_layerdrop=0.0, decoder_layerdrop=0.0)  # fmt: skip


# ----------------------------------------------------------------------------------------------------------- timm


def timm(name: str, size: int = 64, **options: Any) -> None:
    """Put a network of timm into the table."""

    def made() -> tuple[nn.Module, Given]:
        found = load("timm").create_model(name, pretrained=False, num_classes=10, **options)
        for part in found.modules():
            if isinstance(part, nn.modules.batchnorm._BatchNorm):
                part.running_mean.normal_(0, 0.1)
                part.running_var.uniform_(0.5, 1.5)
        return found, lambda n: ((torch.randn(n, 3, size, size, dtype=next(found.parameters()).dtype),), {})

    made.__name__ = name
    IMAGES.append(name)
    net(made)


SMALL = {"embed_dim": 24, "depth": 2, "num_heads": 2}
timm("resnet10t")
timm("mobilenetv3_small_050")
timm("convnext_atto", depths=(1, 1, 1, 1), dims=(8, 8, 16, 16))
timm("efficientnet_b0")
timm("densenet121", block_config=(1, 1, 1, 1))
timm("repvgg_a0")
timm("vit_tiny_patch16_224", img_size=64, **SMALL)
timm("deit_tiny_distilled_patch16_224", img_size=64, **SMALL)
timm("swin_tiny_patch4_window7_224", 64, img_size=64, window_size=4, embed_dim=8, depths=(2, 2), num_heads=(2, 2))
timm("beit_base_patch16_224", img_size=64, **SMALL)
timm("cait_xxs24_224", img_size=64, **SMALL)
timm("mixer_s16_224", img_size=64)
timm("gmlp_s16_224", img_size=64)
timm("resmlp_12_224", img_size=64)
timm("poolformer_s12")
timm("pvt_v2_b0")
timm("coat_lite_tiny", img_size=64)
timm("maxvit_rmlp_pico_rw_256", img_size=64)
timm("mobilevit_xxs")
timm("levit_128s", 224)
timm("edgenext_xx_small")
timm("xcit_nano_12_p16_224", img_size=64, **SMALL)
timm("regnetx_002")
timm("ghostnet_050")
timm("hrnet_w18_small")
timm("res2net50_14w_8s")
timm("inception_v3", 96)
timm("nf_resnet26")
timm("eva02_tiny_patch14_224", 56, img_size=56, embed_dim=24, depth=2, num_heads=2)
timm("mobileone_s0")
