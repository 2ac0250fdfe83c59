"""PyTorch's own layers and functions of networks, as they stand in models."""

import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

from tests.torch.scripted.cases import call, case, change, floats, leaf, steps, whole


@case(call(floats(2, 5, 3)), call(floats(2, 5, 3), floats(4, 2, 4)), grad=True)
class BidirectionalGru(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(3, 4, num_layers=2, bidirectional=True, batch_first=True)

    def forward(self, x, h=None):
        y, h = self.gru(x, h)
        return y.mean(1), h


@case(call(floats(4, 2, 3)), grad=True)
class LstmCells(nn.Module):
    def __init__(self):
        super().__init__()
        self.cells = nn.ModuleList([nn.LSTMCell(3, 4), nn.LSTMCell(4, 4)])

    def forward(self, x):
        states = [(torch.zeros(x.size(1), 4), torch.zeros(x.size(1), 4)) for _ in self.cells]
        for frame in x:
            below = frame
            for i, cell in enumerate(self.cells):
                states[i] = cell(below, states[i])
                below = states[i][0]
        return below, states


@case(call(floats(5, 2, 8), torch.tensor([[False] * 5, [False] * 3 + [True] * 2])), grad=True)
class AttentionWithPadding(nn.Module):
    def __init__(self):
        super().__init__()
        self.attend = nn.MultiheadAttention(8, 2)

    def forward(self, x, padding):
        y, weights = self.attend(x, x, x, key_padding_mask=padding, average_attn_weights=False)
        return y, weights


@case(call(floats(1, 2, 4, 4), True), call(floats(1, 2, 4, 4), False), grad=True)
class ScaledDotProduct(nn.Module):
    def forward(self, x, causal: bool):
        mask = None if causal else torch.ones(4, 4, dtype=torch.bool).tril(1)
        bias = torch.linspace(-1, 1, 16).reshape(4, 4)
        first = F.scaled_dot_product_attention(x, x, x, attn_mask=mask, is_causal=causal)
        return first + F.scaled_dot_product_attention(x, x, x, attn_mask=bias, scale=0.5)


@case(call(whole(9, 2, 4)), call(whole(9, 3, 5)), grad=True)
class EmbeddingWithPadding(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(9, 4, padding_idx=0), nn.Embedding(16, 4)

    def forward(self, tokens):
        return self.tokens(tokens) + self.places(torch.arange(tokens.shape[1]))


@case(call(whole(9, 7), torch.tensor([0, 3, 3])), call(whole(9, 7), torch.tensor([0, 5])), grad=True)
class BagOfTokens(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag, self.head = nn.EmbeddingBag(9, 4, mode="mean"), nn.Linear(4, 2)

    def forward(self, tokens, offsets):
        return self.head(self.bag(tokens, offsets))


@case(call(floats(2, 5, 8)), call(floats(1, 3, 8)), grad=True)
def transformer_layer():
    return nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True, norm_first=True)


@case(call(floats(2, 4, 8), floats(2, 5, 8, seed=1)))
class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0, batch_first=True).eval()

    def forward(self, target, memory):
        mask = nn.Transformer.generate_square_subsequent_mask(target.shape[1])
        return self.layer(target, memory, tgt_mask=mask, tgt_is_causal=True)


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x)
        ctx.scale = scale
        return x * scale

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return gradient * ctx.scale * 10 + 0 * x, None


@case(call(leaf(3)), grad=True)
class OwnGradient(nn.Module):
    def forward(self, x):
        return Doubled.apply(x.sin(), 2.0).cos()


class Rounded(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, gradient):
        return gradient


@case(call(floats(2, 3)), grad=True)
class StraightThrough(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        y = torch.tanh(self.layer(x))
        return Rounded.apply(y * 4) / 4 + (y.sign() - y).detach() + y


@case(call(leaf(2, 4)), grad=True)
class Checkpointed(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Sequential(nn.Linear(4, 4), nn.Tanh()) for _ in range(2)])

    def forward(self, x):
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return x


@case(call(floats(2, 3)), grad=True)
class AutocastOff(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        with torch.autocast("cpu", enabled=False):
            return self.layer(x.float())


@case(call(floats(2, 3)))
class AutocastInside(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.layer(x)
        return y, (y.float() + x).to(y.dtype)


@case(call(floats(3, 3)), grad=True)
class GradientInside(nn.Module):
    """Forces as the gradient of an energy: the forward pass runs a backward one."""

    def __init__(self):
        super().__init__()
        self.energy = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))

    def forward(self, x):
        with torch.enable_grad():
            x = x.detach().requires_grad_()
            energy = self.energy(x).sum()
            (force,) = torch.autograd.grad(-energy, x, create_graph=True)
        return energy, force


@case(call(floats(2, 4, 6)), call(floats(1, 3, 6)), grad=True)
class RotaryEmbedding(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("rates", 10.0 ** -(torch.arange(0, 6, 2) / 6), persistent=False)

    def forward(self, x):
        angles = torch.outer(torch.arange(x.shape[1]).float(), self.rates)
        cos, sin = angles.cos().repeat(1, 2), angles.sin().repeat(1, 2)
        first, second = x.chunk(2, -1)
        return x * cos + torch.cat((-second, first), -1) * sin


@case(call(floats(2, 6)), call(floats(3, 6)), grad=True)
class MixtureOfExperts(nn.Module):
    """Each row goes to two of four experts, which see only their rows."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(6, 4)
        self.experts = nn.ModuleList([nn.Linear(6, 6) for _ in range(4)])

    def forward(self, x):
        weights, chosen = self.gate(x).softmax(-1).topk(2, -1)
        out = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            rows, places = torch.where(chosen == number)
            if rows.numel() == 0:
                continue
            out.index_add_(0, rows, expert(x[rows]) * weights[rows, places, None])
        return out


@case(call(floats(1, 2, 5, 5)), call(floats(1, 2, 8, 6)))
class Upsampling(nn.Module):
    def __init__(self):
        super().__init__()
        self.down, self.up = nn.Conv2d(2, 3, 3, stride=2, padding=1), nn.ConvTranspose2d(3, 2, 2, stride=2)

    def forward(self, x):
        y = self.up(F.relu(self.down(x)))
        y = F.interpolate(y, size=x.shape[-2:], mode="bilinear", align_corners=False)
        return x + F.pad(y[..., 1:], (1, 0))


@case(call(floats(4, 3), whole(3, 4)), grad=True)
class LossInside(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 3)
        self.register_buffer("weights", steps(1, 2, 3))

    def forward(self, x, target):
        logits = self.net(x)
        loss = F.cross_entropy(logits, target, weight=self.weights, label_smoothing=0.1)
        return loss, (logits.argmax(-1) == target).float().mean()


@case(call(floats(3, 4), torch.tensor([1, 7, 2])), call(floats(3, 4), torch.tensor([1, 3, 2])))
class IndexOutOfRange(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(4, 4)

    def forward(self, x, rows):
        return x + self.embed(rows)


@case(call(floats(3, 5)), call(floats(3, 4)))
class WrongWidth(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, x):
        return self.layer(x).relu()


@case(call(floats(6, 3), floats(5, 2, 6)))
class BeamOfSplines(nn.Module):
    """Numbers by formulas: logsumexp, lerp, clamp, where, searchsorted by hand."""

    def forward(self, x, y):
        low, high = x.amin(0), x.amax(0)
        t = ((x - low) / (high - low)).clamp(0, 1)
        mixed = torch.lerp(x, x.flip(0), t)
        return (
            torch.logsumexp(y, dim=(0, 2)),
            torch.where(t > 0.5, mixed, -mixed),
            y.std(-1),
            math.sqrt(2) * x.norm(dim=1),
        )


@case(call(floats(2, 3)), change(lambda m: m.half()), call(floats(2, 3).half()))
def to_half():
    return nn.Sequential(nn.Linear(3, 4), nn.ReLU())


@case(call(floats(2, 3, 8)), call(floats(2, 3, 5)), grad=True)
class TemporalConvolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList([nn.Conv1d(3, 3, 3, dilation=2**i) for i in range(2)])

    def forward(self, x):
        for i, conv in enumerate(self.convs):
            x = x + torch.relu(conv(F.pad(x, (2 * 2**i, 0))))
        return x.mean(-1)
